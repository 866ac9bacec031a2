/* The explorer in terminals that show pixels, and in such as say so late or not at all: a pty that answers its
 * questions.
 */
#include "tui/ptys.h"

#include "tui/pictured.h"

#include <locale.h>
#include <sys/syscall.h>

/* A cell is 8x17 pixels, which TIOCGWINSZ does not tell. */
#define KITTY_ANSWERS "\033_Gi=31;OK\033\\\033[6;17;8t\033[?1016;2$y\033[?62;c"
#define SIXEL_ANSWERS "\033[?1;0;1024S\033[4;510;800t\033[?1016;0$y\033[?62;4;22c"
#define PLAIN_ANSWERS "\033[?62;22c"

static const char *kind = "xterm-256color";

static bool start_here(struct terminal *terminal, const char *answers) {
    const char *const words[] = {PICTURED_MODEL, "-p", "greedy-by-size", NULL};
    terminal_answers = answers;
    bool started = start_with(terminal, kind, COLUMNS_SHOWN, ROWS_SHOWN, words);
    if (started) {
        wait_idle(terminal);
    }
    return started;
}

static bool sent_since(struct terminal *terminal, size_t mark, const char *what) {
    return memmem(terminal->raw + mark, terminal->length - mark, what, strlen(what)) != NULL;
}

static void quit(struct terminal *terminal) {
    pid_t painter = child_of(terminal->child);
    size_t mark = terminal->length;
    send_bytes(terminal, "q", 1);
    assert_int_equal(hear(terminal).what, 'X');
    assert_restored(terminal, mark);
    assert_true(!sent_since(terminal, 0, "\033[?1016h") || sent_since(terminal, mark, "\033[?1016l"));
    assert_true(painter == 0 || kill(painter, 0) != 0); /* its process has gone with it */
    finish(terminal);
}

/* What the terminal shows after all that it was sent is the exporter's picture of the session after these commands. */
static struct distance compare_screen(struct terminal *terminal, const char *const *lines) {
    static struct shown shown;
    struct drawn d;
    open_drawn(&d, SW_PROTOCOL_KITTY);
    for (; *lines; lines++) {
        run(d.session, *lines);
    }
    draw_frame(&d);
    d.frame.theme.background = sw_color_shown(d.frame.theme.background, 256); /* of the text, too */
    shown_open(&shown, COLUMNS_SHOWN, ROWS_SHOWN, CELL_WIDE, CELL_HIGH);
    show_bytes(&shown, terminal->raw, terminal->length);
    assert_false(shown.broken);
    struct distance distance = compare_shown(&d, &shown);
    shown_done(&shown);
    close_drawn(&d);
    return distance;
}

/* How many pixels the terminal shows after all that it was sent. */
static size_t count_pixels(struct terminal *terminal) {
    static struct shown shown;
    size_t count = 0;
    shown_open(&shown, COLUMNS_SHOWN, ROWS_SHOWN, CELL_WIDE, CELL_HIGH);
    show_bytes(&shown, terminal->raw, terminal->length);
    for (size_t i = 0; i < (size_t)COLUMNS_SHOWN * CELL_WIDE * ROWS_SHOWN * CELL_HIGH; i++) {
        count += shown.pixels[i] != NO_PIXEL;
    }
    shown_done(&shown);
    return count;
}

static void test_kitty_terminal(void **state) {
    (void)state;
    struct terminal terminal;
    if (!start_here(&terminal, KITTY_ANSWERS)) {
        return;
    }
    assert_int_equal(compare_screen(&terminal, (const char *const[]){NULL}).most, 0);
    assert_shows(&terminal, "before the first decision");
    keys(&terminal, "sss");
    assert_int_equal(compare_screen(&terminal, (const char *const[]){"goto 3", NULL}).most, 0);
    keys(&terminal, "G");
    assert_int_equal(compare_screen(&terminal, (const char *const[]){"last", NULL}).most, 0);
    /* Help lies over the map and goes away again. */
    size_t mark = terminal.length;
    keys(&terminal, "?");
    assert_true(sent_since(&terminal, mark, "\033_Ga=d,d=I,i="));
    assert_int_equal(count_pixels(&terminal), 0);
    keys(&terminal, "\033");
    assert_int_equal(compare_screen(&terminal, (const char *const[]){"last", NULL}).most, 0);
    /* What another program wrote is gone after Ctrl-L; the help was read by the emulator without an error. */
    mark = terminal.length;
    keys(&terminal, "\014");
    assert_true(sent_since(&terminal, mark, "\033_Ga=T"));
    /* A stop takes the pictures away, and they come back. */
    mark = terminal.length;
    send_bytes(&terminal, "\032", 1);
    assert_int_equal(hear(&terminal).what, 'T');
    assert_restored(&terminal, mark);
    assert_true(sent_since(&terminal, mark, "\033_Ga=d,d=A"));
    mark = terminal.length;
    assert_int_equal(write(terminal.orders, "c", 1), 1);
    wait_idle(&terminal);
    assert_true(sent_since(&terminal, mark, "\033_Ga=T"));
    assert_int_equal(compare_screen(&terminal, (const char *const[]){"last", NULL}).most, 0);
    mark = terminal.length;
    keys(&terminal, ":set map=cells\r");
    assert_true(sent_since(&terminal, mark, "\033_Ga=d,d=A"));
    assert_shows(&terminal, "conv_1_out");
    keys(&terminal, ":set map=pixels\r");
    assert_int_equal(compare_screen(&terminal, (const char *const[]){"last", NULL}).most, 0);
    quit(&terminal);
}

static void test_sixel_terminal(void **state) {
    (void)state;
    struct terminal terminal;
    if (!start_here(&terminal, SIXEL_ANSWERS)) {
        return;
    }
    keys(&terminal, "ss");
    assert_true(count_pixels(&terminal) > 100000);
    keys(&terminal, "?");
    assert_int_equal(count_pixels(&terminal), 0); /* not between the words either */
    keys(&terminal, "\033");
    struct distance distance = compare_screen(&terminal, (const char *const[]){"goto 2", NULL});
    assert_true(distance.most <= 16 && distance.mean < 0.6);
    quit(&terminal);
}

static void resize_terminal(struct terminal *terminal, int columns, int rows) {
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
    terminal->columns = columns;
    terminal->rows = rows;
    vterm_set_size(terminal->vterm, rows, columns);
    ioctl(terminal->master, TIOCSWINSZ, &size);
    wait_idle(terminal);
}

/* After a resize everything is drawn again, for terminals move pictures about; and it is drawn for the new size. */
static void test_resize(void **state) {
    (void)state;
    struct terminal terminal;
    static const int sizes[][2] = {{120, 40}, {80, 24}, {COLUMNS_SHOWN, ROWS_SHOWN}};
    if (!start_here(&terminal, KITTY_ANSWERS)) {
        return;
    }
    keys(&terminal, "ss");
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t mark = terminal.length;
        resize_terminal(&terminal, sizes[i][0], sizes[i][1]);
        assert_true(sent_since(&terminal, mark, "\033_Ga=T"));
        assert_true(sent_since(&terminal, mark, "\033[16t")); /* how large is a cell now? */
        assert_shows(&terminal, "decision 2");
        if (i == 2) { /* what was sent since then is all of the picture */
            memmove(terminal.raw, terminal.raw + mark, terminal.length - mark);
            terminal.length -= mark;
            terminal.raw[terminal.length] = 0;
            assert_int_equal(compare_screen(&terminal, (const char *const[]){"goto 2", NULL}).most, 0);
        }
    }
    quit(&terminal);
}

/* The pixel in the middle of what a buffer's rectangle covers on the screen. */
static void find_block(const char *name, const char *const *lines, unsigned *x, unsigned *y) {
    struct drawn d;
    open_drawn(&d, SW_PROTOCOL_KITTY);
    for (; *lines; lines++) {
        run(d.session, *lines);
    }
    draw_frame(&d);
    const struct sw_problem *problem = sw_search_problem(sw_session_search(d.session));
    bool found = false;
    for (size_t p = 0; p < d.frame.scene.panels.count && !found; p++) {
        const struct sw_panel *panel = &d.frame.scene.panels.items[p];
        for (size_t i = 0; i < panel->marks.count && !found; i++) {
            const struct sw_mark *mark = &panel->marks.items[i];
            found = panel->on_cells.width > 0 && mark->item.kind == SW_ITEM_BUFFER && mark->kind == SW_MARK_RECT &&
                    strcmp(sw_problem_buffer(problem, (uint32_t)mark->item.id)->name, name) == 0;
            double left = panel->body_left +
                          ((mark->x0 + mark->x1) / 2 - panel->x.lo) * panel->body_width / (panel->x.hi - panel->x.lo);
            double top = panel->body_top +
                         (panel->y.hi - (mark->y0 + mark->y1) / 2) * panel->body_height / (panel->y.hi - panel->y.lo);
            *x = (unsigned)(left * CELL_HIGH / SW_CANVAS_ROW);
            *y = (unsigned)(top * CELL_HIGH / SW_CANVAS_ROW);
        }
    }
    assert_true(found);
    close_drawn(&d);
}

/* Selecting and dragging: to the pixel where the terminal tells that, else to the cell. */
static void point_with_mouse(const char *answers, bool pixels) {
    struct terminal terminal;
    char bytes[64];
    unsigned x = 0, y = 0;
    if (!start_here(&terminal, answers)) {
        return;
    }
    assert_true(sent_since(&terminal, 0, "\033[?1016h") == pixels);
    keys(&terminal, "c");
    find_block("pool_1_out", (const char *const[]){"continue", NULL}, &x, &y);
    unsigned column = pixels ? x : x / CELL_WIDE, row = pixels ? y : y / CELL_HIGH;
    snprintf(bytes, sizeof bytes, "\033[<0;%u;%uM", column + 1, row + 1);
    keys(&terminal, bytes);
    assert_shows(&terminal, "pool_1_out: 1.5K at");
    snprintf(bytes, sizeof bytes, "\033[<0;%u;%um", column + 1, row + 1);
    keys(&terminal, bytes);
    assert_shows(&terminal, "pool_1_out: 1.5K at"); /* it was not dragged */
    snprintf(bytes, sizeof bytes, "\033[<0;%u;%uM", column + 1, row + 1);
    keys(&terminal, bytes);
    snprintf(bytes, sizeof bytes, "\033[<0;%u;%um", column + 1, pixels ? CELL_HIGH * 6 : 6);
    keys(&terminal, bytes);
    assert_shows(&terminal, "branch 2 (pin pool_1_out");
    keys(&terminal, "u");
    quit(&terminal);
}

static void test_mouse(void **state) {
    (void)state;
    point_with_mouse(KITTY_ANSWERS, true);
    point_with_mouse(SIXEL_ANSWERS, false);
    kind = "st-256color"; /* of which curses knows the older reports alone */
    point_with_mouse(KITTY_ANSWERS, true);
    kind = "xterm-256color";
}

/* The size of a cell is lost: a click in pixels that was on its way is no click in cells; the next is one. */
static void test_lost_cell_size(void **state) {
    (void)state;
    struct terminal terminal;
    char answers[100], bytes[40];
    unsigned x = 0, y = 0;
    if (!start_here(&terminal, KITTY_ANSWERS)) {
        return;
    }
    keys(&terminal, "c");
    find_block("conv_2_out", (const char *const[]){"continue", NULL}, &x, &y);
    snprintf(bytes, sizeof bytes, "\033[<0;%u;%uM", x / CELL_WIDE + 1, y / CELL_HIGH + 1);
    snprintf(answers, sizeof answers, "\033[6;999;999t\033[?62;c%s", bytes);
    terminal_answers = answers;
    size_t mark = terminal.length;
    resize_terminal(&terminal, COLUMNS_SHOWN, ROWS_SHOWN + 1);
    keys(&terminal, ":set map=pixels\r");
    assert_shows(&terminal, "does not tell how large a cell is");
    assert_true(sent_since(&terminal, mark, "\033[?1016l"));
    assert_false(shows(&terminal, "║"));
    keys(&terminal, bytes);
    assert_shows(&terminal, "conv_2_out: 6K at");
    assert_shows(&terminal, "║"); /* around what is selected */
    terminal_answers = KITTY_ANSWERS;
    mark = terminal.length;
    resize_terminal(&terminal, COLUMNS_SHOWN, ROWS_SHOWN);
    keys(&terminal, "\033[D");
    assert_true(sent_since(&terminal, mark, "\033[?1016h") && sent_since(&terminal, mark, "\033_Ga=T"));
    quit(&terminal);
}

/* Answers that come when nothing is waited for any more are no keys, however they are cut; and they are heeded. */
static void test_late_answers(void **state) {
    (void)state;
    struct terminal terminal;
    static const char answers[] = KITTY_ANSWERS;
    if (!start_here(&terminal, "")) {
        return;
    }
    assert_false(sent_since(&terminal, 0, "\033_Ga=T"));
    keys(&terminal, "s");
    assert_shows(&terminal, "decision 1");
    /* In the middle of a number. */
    size_t half = (size_t)(strstr(answers, "1016") - answers) + 2;
    send_bytes(&terminal, answers, half);
    wait_idle(&terminal);
    keys(&terminal, answers + half);
    assert_false(shows(&terminal, "no command has the key"));
    assert_shows(&terminal, "decision 1");
    assert_int_equal(compare_screen(&terminal, (const char *const[]){"goto 1", NULL}).most, 0);
    keys(&terminal, "s");
    assert_shows(&terminal, "decision 2");
    keys(&terminal, "\033[D");
    assert_shows(&terminal, "decision 1");
    quit(&terminal);
}

/* Keys that are typed while the terminal is asked are not lost. */
static void test_early_keys(void **state) {
    (void)state;
    struct terminal terminal;
    if (start_here(&terminal, "s" KITTY_ANSWERS "s")) {
        assert_shows(&terminal, "decision 2");
        quit(&terminal);
    }
}

/* Where there are no pixels: that is said, and it goes on with symbols. Over ssh those are the default. */
static void test_without_pixels(void **state) {
    (void)state;
    struct terminal terminal;
    const char *drawn = sw_painter_has_chafa() ? "it is drawn in symbols" : "it is drawn in cells";
    if (!start_here(&terminal, PLAIN_ANSWERS)) {
        return;
    }
    keys(&terminal, "G");
    assert_shows(&terminal, "conv_1_out");
    keys(&terminal, ":set map=pixels\r");
    assert_shows(&terminal, "this terminal shows no pixels");
    assert_shows(&terminal, drawn);
    assert_false(sent_since(&terminal, 0, "\033_Ga=T") || sent_since(&terminal, 0, "\033P"));
    keys(&terminal, ":set map=nothing\r");
    assert_shows(&terminal, "say pixels, symbols, cells or auto");
    quit(&terminal);
    setenv("SSH_CONNECTION", "10.0.0.1 1 10.0.0.2 22", 1);
    if (start_here(&terminal, KITTY_ANSWERS)) {
        assert_false(sent_since(&terminal, 0, "\033_Ga=T"));
        keys(&terminal, ":set map=pixels\r");
        assert_int_equal(compare_screen(&terminal, (const char *const[]){NULL}).most, 0);
        quit(&terminal);
    }
    unsetenv("SSH_CONNECTION");
    /* What tmux would take for a title is not sent to it; it shows sixels in other colors, and not all of them. */
    setenv("TMUX", "/tmp/none,1,0", 1);
    if (start_here(&terminal, SIXEL_ANSWERS)) {
        keys(&terminal, ":set map=pixels\r");
        assert_shows(&terminal, "in tmux and screen the map is not drawn in pixels");
        assert_false(sent_since(&terminal, 0, "\033_G") || sent_since(&terminal, 0, "\033P"));
        quit(&terminal);
    }
    unsetenv("TMUX");
}

/* The config has its say, until the user has theirs. */
static void test_config_of_map(void **state) {
    (void)state;
    struct terminal terminal;
    char path[200];
    snprintf(path, sizeof path, "mkdir -p '%s/config/stowage'", home);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/config/stowage/config.lua", home);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("return { map = 'cells' }\n", file);
    fclose(file);
    if (start_here(&terminal, KITTY_ANSWERS)) {
        keys(&terminal, "G");
        assert_shows(&terminal, "conv_1_out");
        assert_false(sent_since(&terminal, 0, "\033_Ga=T"));
        assert_int_equal(child_of(terminal.child), 0); /* nothing that is not needed */
        keys(&terminal, ":set map=auto\r");
        assert_int_equal(compare_screen(&terminal, (const char *const[]){"last", NULL}).most, 0);
        quit(&terminal);
    }
    unlink(path);
}

/* The painter's process is ended: the map is drawn in cells, and all else goes on. */
static void test_painter_killed(void **state) {
    (void)state;
    struct terminal terminal;
    if (!start_here(&terminal, KITTY_ANSWERS)) {
        return;
    }
    pid_t painter = child_of(terminal.child);
    assert_true(painter > 0);
    size_t mark = terminal.length;
    kill(painter, SIGKILL);
    keys(&terminal, "G");
    assert_shows(&terminal, "the map is drawn in cells: out of memory");
    assert_shows(&terminal, "conv_1_out"); /* which is text now */
    assert_true(sent_since(&terminal, mark, "\033_Ga=d,d=A"));
    assert_int_equal(child_of(terminal.child), 0);
    keys(&terminal, ":set map=pixels\r");
    assert_int_equal(compare_screen(&terminal, (const char *const[]){"last", NULL}).most, 0);
    assert_true(child_of(terminal.child) > 0);
    quit(&terminal);
}

/* However the program ends, its painter does, too, and the pictures go. */
static void test_ends(void **state) {
    (void)state;
    static const int signals[] = {SIGTERM, SIGSEGV, SIGKILL};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct terminal terminal;
        if (!start_here(&terminal, KITTY_ANSWERS)) {
            return;
        }
        pid_t painter = child_of(terminal.child);
        assert_true(painter > 0);
        struct pollfd gone = {.fd = (int)syscall(SYS_pidfd_open, painter, 0), .events = POLLIN};
        size_t mark = terminal.length;
        kill(terminal.child, signals[i]);
        assert_int_equal(hear(&terminal).what, 'X');
        if (signals[i] != SIGKILL) {
            assert_restored(&terminal, mark);
            assert_true(sent_since(&terminal, mark, "\033_Ga=d,d=A"));
        }
        if (gone.fd >= 0) { /* only a test that fails waits for long */
            assert_int_equal(poll(&gone, 1, 5000), 1);
            close(gone.fd);
        }
        finish(&terminal);
    }
}

int main(void) {
    const char *given = getenv("STOWAGE");
    if (!given || !setlocale(LC_CTYPE, "C.UTF-8")) {
        puts("skipped: STOWAGE does not say which program to test, or there is no locale C.UTF-8");
        return 77;
    }
    if (!open_home(given)) {
        return 1;
    }
    static const char *const others[] = {"TMUX", "STY", "SSH_CONNECTION", "TERM_PROGRAM", "LC_TERMINAL"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        unsetenv(others[i]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kitty_terminal), cmocka_unit_test(test_sixel_terminal),
        cmocka_unit_test(test_mouse),          cmocka_unit_test(test_late_answers),
        cmocka_unit_test(test_early_keys),     cmocka_unit_test(test_without_pixels),
        cmocka_unit_test(test_painter_killed), cmocka_unit_test(test_ends),
        cmocka_unit_test(test_config_of_map),  cmocka_unit_test(test_resize),
        cmocka_unit_test(test_lost_cell_size),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return close_home() ? failed : 1;
}
