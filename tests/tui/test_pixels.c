/* The map in pixels: the bytes that are sent are read as a terminal reads them, and compared with the exporter's
 * picture of the same scene. */
#include "tui/pictured.h"

#include "export/apart.h"

#include <dirent.h>
#include <locale.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Paint, and let the terminal read it; how many bytes. */
static size_t paint(struct sw_painter *painter, struct drawn *d, struct shown *shown) {
    struct sw_sink bytes = {0};
    struct sw_error error = {0};
    if (!sw_painter_paint(painter, &d->canvas, &d->frame.scene, &d->frame.theme, &bytes, &error)) {
        fail_msg("%s", error.message);
    }
    size_t count = bytes.text.count;
    sw_sink_add(&bytes, "", 1);
    show_bytes(shown, bytes.text.items, count);
    assert_false(shown->broken);
    sw_sink_done(&bytes);
    return count;
}

/* From frame to frame the screen is the exporter's picture, and only what differs is sent. */
static void follow_run(enum sw_protocol protocol, unsigned colors, int most, double mean) {
    struct drawn d;
    static struct shown shown;
    struct sw_painter *painter = sw_painter_new();
    open_drawn(&d, protocol);
    d.canvas.colors = colors;
    shown_open(&shown, COLUMNS_SHOWN, ROWS_SHOWN, CELL_WIDE, CELL_HIGH);
    run(d.session, "goto 4");
    draw_frame(&d);
    size_t all = paint(painter, &d, &shown);
    struct distance distance = compare_shown(&d, &shown);
    assert_true(distance.pixels > 100000);
    if (distance.most > most || distance.mean > mean) {
        fail_msg("%d at most, %.2f on average", distance.most, distance.mean);
    }
    assert_int_equal(paint(painter, &d, &shown), 0); /* nothing differs */
    static const char *const lines[] = {"step", "step", "select conv_1_out", "last", "cursor 2"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        run(d.session, lines[i]);
        draw_frame(&d);
        unsigned before = shown.pictures;
        size_t some = paint(painter, &d, &shown);
        assert_true(some > 0 && some < 200000 && shown.pictures > before);
        if (i < 2 && some >= all) {
            fail_msg("%zu bytes for a step, %zu for all", some, all);
        }
        distance = compare_shown(&d, &shown);
        if (distance.most > most || distance.mean > mean) {
            fail_msg("%s: %d at most, %.2f on average", lines[i], distance.most, distance.mean);
        }
    }
    /* A part of the screen was written over: that part is sent again. */
    unsigned x = 0;
    while (d.cells[10 * COLUMNS_SHOWN + x] == SW_CANVAS_NOT) {
        x++;
    }
    d.cells[10 * COLUMNS_SHOWN + x] = SW_CANVAS_LOST;
    for (unsigned y = 0; y < CELL_HIGH; y++) {
        *shown_pixel(&shown, x * CELL_WIDE, 10 * CELL_HIGH + y) = 0x123456;
    }
    size_t part = paint(painter, &d, &shown);
    assert_true(part > 0 && part < all / 4);
    compare_shown(&d, &shown);
    shown_done(&shown);
    sw_painter_free(painter);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no process is left */
    close_drawn(&d);
}

static void test_kitty(void **state) {
    (void)state;
    follow_run(SW_PROTOCOL_KITTY, 0, 0, 0);
}

static void test_iterm2(void **state) {
    (void)state;
    follow_run(SW_PROTOCOL_ITERM2, 0, 0, 0);
}

/* Colors are told in hundredths; what a picture has more of them than the terminal is shown by the nearest. */
static void test_sixel(void **state) {
    (void)state;
    follow_run(SW_PROTOCOL_SIXEL, 1024, 16, 0.6);
    follow_run(SW_PROTOCOL_SIXEL, 0, 48, 0.6); /* 256 colors, for shades and mixed edges, too */
}

/* Where the map is not there any more, kitty's pictures of it are taken away. */
static void test_kitty_forgets(void **state) {
    (void)state;
    struct drawn d;
    static struct shown shown;
    struct sw_painter *painter = sw_painter_new();
    open_drawn(&d, SW_PROTOCOL_KITTY);
    shown_open(&shown, COLUMNS_SHOWN, ROWS_SHOWN, CELL_WIDE, CELL_HIGH);
    paint(painter, &d, &shown);
    size_t pictures = shown.count;
    assert_true(pictures > 50);
    run(d.session, "whole on");
    draw_frame(&d);
    paint(painter, &d, &shown);
    assert_int_equal(shown.count, 0);
    assert_int_equal(shown.deleted, pictures);
    run(d.session, "whole off");
    draw_frame(&d);
    paint(painter, &d, &shown);
    assert_int_equal(shown.count, pictures);
    const char *clear = sw_painter_clear(SW_PROTOCOL_KITTY);
    show_bytes(&shown, clear, strlen(clear));
    assert_int_equal(shown.count, 0);
    shown_done(&shown);
    sw_painter_free(painter);
    close_drawn(&d);
}

static bool has_theme_color(const struct sw_theme *theme, uint32_t color) {
    bool found = false;
    const struct sw_color *colors = (const struct sw_color *)(const void *)&theme->background;
    for (int i = 0; i < 2; i++) {
        found |= ((uint32_t)colors[i].red << 16 | (uint32_t)colors[i].green << 8 | colors[i].blue) == color;
    }
    for (int i = 0; i < SW_HUES; i++) {
        struct sw_color back = theme->blocks[i].background;
        found |= ((uint32_t)back.red << 16 | (uint32_t)back.green << 8 | back.blue) == color;
    }
    return found;
}

/* A terminal with 16 colors gets 16: blocks and the page have their own. */
static void test_few_colors(void **state) {
    (void)state;
    struct drawn d;
    static struct shown shown;
    struct sw_painter *painter = sw_painter_new();
    open_drawn(&d, SW_PROTOCOL_SIXEL);
    shown_open(&shown, COLUMNS_SHOWN, ROWS_SHOWN, CELL_WIDE, CELL_HIGH);
    d.canvas.colors = 16;
    run(d.session, "last");
    draw_frame(&d);
    paint(painter, &d, &shown);
    if (shown.colors < 4 || shown.colors > 16) {
        fail_msg("%u colors", shown.colors);
    }
    size_t own = 0, all = 0;
    uint32_t last = 0;
    bool known = false;
    for (size_t i = 0; i < (size_t)COLUMNS_SHOWN * CELL_WIDE * ROWS_SHOWN * CELL_HIGH; i++) {
        if (shown.pixels[i] != NO_PIXEL) {
            /* Hundredths: nearly. */
            known = shown.pixels[i] == last ? known : false;
            for (int up = -2; up <= 2 && shown.pixels[i] != last && !known; up++) {
                for (int green = -2; green <= 2 && !known; green++) {
                    for (int blue = -2; blue <= 2 && !known; blue++) {
                        known = has_theme_color(&d.frame.theme,
                                                (uint32_t)((int)shown.pixels[i] + up * 65536 + green * 256 + blue));
                    }
                }
            }
            last = shown.pixels[i];
            own += known;
            all++;
        }
    }
    assert_true(own > all * 9 / 10);
    shown_done(&shown);
    sw_painter_free(painter);
    close_drawn(&d);
}

/* ---- parts of cells ---- */

/* Which parts of a cell 2x3 a character fills: a bit each, row by row. */
static unsigned filled_parts(uint32_t character) {
    if (character >= 0x1fb00 && character <= 0x1fb3b) {
        unsigned value = character - 0x1fb00 + 1;
        value += value >= 0x15;         /* the left half has a character of its own */
        return value + (value >= 0x2a); /* and the right half */
    }
    return character == 0x258c   ? 0x15
           : character == 0x2590 ? 0x2a
           : character == 0x2588 ? 0x3f
           : character == ' '    ? 0
                                 : 0xffff;
}

static unsigned filled_quarters(uint32_t character) {
    static const struct {
        uint32_t character;
        unsigned parts; /* 1 2 above, 4 8 below */
    } known[] = {{' ', 0},     {0x2598, 1},  {0x259d, 2},  {0x2580, 3}, {0x2596, 4},  {0x258c, 5},
                 {0x259e, 6},  {0x259b, 7},  {0x2597, 8},  {0x259a, 9}, {0x2590, 10}, {0x259c, 11},
                 {0x2584, 12}, {0x2599, 13}, {0x259f, 14}, {0x2588, 15}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].character == character) {
            return known[i].parts;
        }
    }
    return 0xffff;
}

/* Every way to fill a cell with two colors is shown as it is. */
static void test_cut(void **state) {
    (void)state;
    const uint32_t one = 0xc06432, other = 0x1a8fe2;
    struct sw_painter *painter = sw_painter_new();
    struct sw_error error = {0};
    static const struct { unsigned across, down; } kinds[] = {{1, 2}, {2, 2}, {2, 3}};
    for (size_t kind = 0; kind < 3 && sw_painter_has_chafa(); kind++) {
        unsigned across = kinds[kind].across, down = kinds[kind].down, each = across * down, count = 1u << each;
        uint32_t parts[64 * 6];
        struct sw_cut_cell cells[64];
        for (unsigned i = 0; i < count * each; i++) {
            parts[i] = i / each >> i % each & 1 ? one : other;
        }
        struct sw_cut cut = {across, down, count, parts};
        if (!sw_painter_cut(painter, &cut, cells, &error)) {
            fail_msg("%s", error.message);
        }
        for (unsigned i = 0; i < count; i++) {
            unsigned filled = down == 3 ? filled_parts(cells[i].character) : filled_quarters(cells[i].character);
            filled = across == 1 && filled != 0xffff ? (filled & 1) | (filled >> 1 & 2) : filled;
            assert_int_not_equal(filled, 0xffff);
            for (unsigned k = 0; k < each; k++) {
                assert_int_equal(filled >> k & 1 ? cells[i].front : cells[i].back, parts[i * each + k]);
            }
        }
    }
    sw_painter_free(painter);
}

/* Of a cell that three blocks share two are seen, in colors of their own: a mixed one would be that of no block. */
static void test_cut_of_three(void **state) {
    (void)state;
    const uint32_t colors[] = {0xc06432, 0x1a8fe2, 0x10161d};
    struct sw_painter *painter = sw_painter_new();
    struct sw_error error = {0};
    for (unsigned mix = 0; mix < 81 && sw_painter_has_chafa(); mix++) {
        const uint32_t parts[] = {colors[mix % 3], colors[mix / 3 % 3], colors[mix / 9 % 3], colors[mix / 27]};
        struct sw_cut cut = {2, 2, 1, parts};
        struct sw_cut_cell cell;
        assert_true(sw_painter_cut(painter, &cut, &cell, &error));
        unsigned known = 0;
        for (unsigned i = 0; i < 3; i++) {
            known += (cell.front == colors[i] ? 1u : 0) + (cell.back == colors[i] ? 1u : 0);
        }
        assert_int_equal(known, 2);
    }
    sw_painter_free(painter);
}

static bool cut_here(void *context, const struct sw_cut *cut, struct sw_cut_cell *cells) {
    struct sw_error error = {0};
    return sw_painter_cut(context, cut, cells, &error);
}

static uint32_t color_value(struct sw_color color) {
    return (uint32_t)color.red << 16 | (uint32_t)color.green << 8 | color.blue;
}

/* The color that the topmost block has in the middle of a part; the page's where there is none. */
static uint32_t color_at(const struct sw_frame *frame, const struct sw_panel *panel, double column, double row) {
    double x = panel->x.lo + (column - panel->body_left) * (panel->x.hi - panel->x.lo) / panel->body_width;
    double y = panel->y.hi - (row - panel->body_top) * (panel->y.hi - panel->y.lo) / panel->body_height;
    for (size_t i = panel->marks.count; i-- > 0;) {
        const struct sw_mark *mark = &panel->marks.items[i];
        if (mark->kind == SW_MARK_RECT && mark->style != SW_STYLE_MERGED && mark->style != SW_STYLE_GAP &&
            x >= mark->x0 && x < mark->x1 && y >= mark->y0 && y < mark->y1) {
            return color_value(mark->style == SW_STYLE_BLOCK ? frame->theme.blocks[mark->hue].background
                                                             : frame->theme.styles[mark->style].background);
        }
    }
    return color_value(frame->theme.background);
}

/* A block of a third of a cell is seen as itself: each part of a cell has the color of what is there. */
static void test_parts_of_cells(void **state) {
    (void)state;
    struct sw_frame frame = {.across = 2, .down = 3};
    struct sw_painter *painter = sw_painter_new();
    struct sw_session *session = open_model(SW_TEST_SOURCE "/scripts/models/mobilenet_v1_025_96.json", "best-fit");
    struct sw_error error = {0};
    size_t shared = 0, right = 0, wrong = 0;
    if (sw_painter_has_chafa()) {
        run(session, "last");
        run(session, "select");
        frame.grid.cut = cut_here;
        frame.grid.cut_context = painter;
        assert_true(sw_frame_draw(&frame, session, 120, 40, SW_FRAME_THEME, &error));
        check_grid(&frame.grid, 120, 40);
        assert_int_equal(frame.grid.down, 3);
        const struct sw_panel *map = NULL;
        for (size_t i = 0; i < frame.scene.panels.count && !map; i++) {
            map = strcmp(frame.scene.panels.items[i].id, "map") == 0 ? &frame.scene.panels.items[i] : NULL;
        }
        assert_non_null(map);
        for (size_t i = 0; i < (size_t)120 * 40; i++) {
            const struct sw_cell *cell = &frame.grid.cells[i];
            uint32_t character;
            if (!cell->shared || !sw_utf8_decode(cell->text, SIZE_MAX, &character)) {
                continue;
            }
            shared++;
            for (unsigned k = 0; k < 6; k++) {
                double x = (double)(i % 120) + (k % 2 + 0.5) / 2, y = (double)(i / 120) + (k / 2 + 0.5) / 3;
                uint32_t is =
                    color_value(filled_parts(character) >> k & 1 ? cell->look.foreground : cell->look.background);
                *(is == color_at(&frame, map, x, y) ? &right : &wrong) += 1;
            }
        }
        assert_true(shared > 20);
        assert_true(right > 5 * wrong); /* edges are rounded, and some cells have three colors */
    }
    sw_painter_free(painter);
    sw_frame_done(&frame);
    sw_session_free(session);
}

/* ---- a painter that ends ---- */

static void test_killed_painter(void **state) {
    (void)state;
    struct drawn d;
    static struct shown shown;
    struct sw_painter *painter = sw_painter_new();
    struct sw_sink bytes = {0};
    struct sw_error error = {0};
    open_drawn(&d, SW_PROTOCOL_KITTY);
    shown_open(&shown, COLUMNS_SHOWN, ROWS_SHOWN, CELL_WIDE, CELL_HIGH);
    paint(painter, &d, &shown);
    pid_t child = child_of(getpid());
    assert_true(child > 0);
    kill(child, SIGKILL);
    run(d.session, "last");
    draw_frame(&d);
    assert_false(sw_painter_paint(painter, &d.canvas, &d.frame.scene, &d.frame.theme, &bytes, &error));
    assert_int_equal(error.code, SW_ERROR_MEMORY);
    assert_int_equal(bytes.text.count, 0);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    /* Asked again there is another, which knows nothing of what was shown. */
    memset(d.cells, SW_CANVAS_NOT, sizeof d.cells);
    draw_frame(&d);
    paint(painter, &d, &shown);
    assert_int_equal(compare_shown(&d, &shown).most, 0);
    shown_done(&shown);
    sw_sink_done(&bytes);
    sw_painter_free(painter);
    close_drawn(&d);
}

/* One that does nothing any more is ended, too. */
static void test_stopped_painter(void **state) {
    (void)state;
    struct drawn d;
    struct sw_painter *painter = sw_painter_new();
    struct sw_sink bytes = {0};
    struct sw_error error = {0};
    open_drawn(&d, SW_PROTOCOL_SIXEL);
    assert_true(sw_painter_paint(painter, &d.canvas, &d.frame.scene, &d.frame.theme, &bytes, &error));
    kill(child_of(getpid()), SIGSTOP);
    run(d.session, "last");
    draw_frame(&d);
    sw_apart_patience = 1;
    assert_false(sw_painter_paint(painter, &d.canvas, &d.frame.scene, &d.frame.theme, &bytes, &error));
    sw_apart_patience = 30;
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    sw_sink_done(&bytes);
    sw_painter_free(painter);
    close_drawn(&d);
}

/* Libraries find no memory, at whatever point: the error says so, and this process goes on. */
static void test_painter_without_memory(void **state) {
    (void)state;
#ifndef __SANITIZE_ADDRESS__
    struct drawn d;
    struct sw_painter *painter = sw_painter_new();
    open_drawn(&d, SW_PROTOCOL_KITTY);
    unsigned failed = 0;
    for (unsigned kilobytes = 64; kilobytes <= 4u << 20; kilobytes *= 4) {
        struct rlimit before, now;
        long pages = 0;
        FILE *file = fopen("/proc/self/statm", "r");
        assert_true(file && fscanf(file, "%ld", &pages) == 1);
        fclose(file);
        struct sw_sink bytes = {0};
        struct sw_error error = {0};
        /* The child has the limit; this process has room again when it is there. */
        assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
        now = before;
        now.rlim_cur = (rlim_t)pages * 4096 + (rlim_t)kilobytes * 1024;
        setrlimit(RLIMIT_AS, &now);
        bool good = sw_painter_paint(painter, &d.canvas, &d.frame.scene, &d.frame.theme, &bytes, &error);
        setrlimit(RLIMIT_AS, &before);
        failed += !good;
        assert_true(good || error.code != SW_OK);
        sw_sink_done(&bytes);
        sw_painter_free(painter);
        assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
        painter = sw_painter_new();
    }
    assert_true(failed >= 2 && failed < 9);
    sw_painter_free(painter);
    close_drawn(&d);
#endif
}

/* ---- what terminals answer ---- */

static void test_answers(void **state) {
    (void)state;
    static const char all[] =
        "\033_Gi=31;OK\033\\\033[?1;0;256S\033[6;20;10t\033[4;600;800t\033[?1016;2$y\033[?62;4;22c";
    struct sw_abilities can = {0};
    size_t at = 0;
    while (at < sizeof all - 1) {
        size_t length = sw_abilities_answer(&can, all + at, sizeof all - 1 - at);
        assert_true(length > 0 && length != SIZE_MAX);
        /* Each of its beginnings waits for the rest, or may be a key yet; none is an answer. */
        for (size_t part = 1; part < length; part++) {
            struct sw_abilities none = {0};
            size_t taken = sw_abilities_answer(&none, all + at, part);
            assert_true(taken == SIZE_MAX || (taken == 0 && part < 5));
            assert_false(none.answered || none.kitty || none.sixel);
        }
        at += length;
    }
    assert_true(can.answered && can.kitty && can.sixel && can.pixel_mouse);
    assert_true(can.registers == 256 && can.cell_width == 10 && can.cell_height == 20 && can.wide == 800 &&
                can.high == 600);
    static const char *const keys[] = {"\033",         "\033[A", "\033OP",    "\033[1;5C", "\033[5~",
                                       "\033[<0;3;4M", "x",      "\033[200~", "\033[6~"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        size_t taken = sw_abilities_answer(&can, keys[i], strlen(keys[i]));
        assert_int_equal(taken, 0);
    }
    struct sw_abilities other = {0};
    assert_true(sw_abilities_answer(&other, "\033_Gi=31;ENOENT:no\033\\", 20) > 0 && !other.kitty);
    assert_true(sw_abilities_answer(&other, "\033[?1;2c", 7) == 7 && other.answered && !other.sixel);
    assert_true(sw_abilities_answer(&other, "\033[?1016;0$y", 11) == 11 && !other.pixel_mouse);
    assert_true(sw_abilities_answer(&other, "\033[?1;3;0S", 9) == 9 && other.registers == 0);
}

/* How the map is drawn is no what-if: nothing is logged, and text stays text. */
static void test_set_map(void **state) {
    (void)state;
    struct sw_session *session = open_model(PICTURED_MODEL, "greedy-by-size");
    struct sw_frame frame = {0};
    struct sw_sink before = {0}, after = {0};
    struct sw_error error = {0};
    run(session, "last");
    run(session, "select");
    draw(&frame, session, 100, 30);
    sw_grid_text(&frame.grid, &before);
    assert_int_equal(sw_session_display(session)->map, SW_MAP_AUTO);
    run(session, "set map=pixels");
    assert_int_equal(sw_session_display(session)->map, SW_MAP_PIXELS);
    assert_true(says(session, "map pixels"));
    run(session, "map cells");
    assert_int_equal(sw_session_display(session)->map, SW_MAP_CELLS);
    refuses(session, "set map=paper", "pixels, symbols, cells or auto");
    run(session, "  set map=auto");
    assert_int_equal(sw_session_display(session)->map, SW_MAP_AUTO);
    run(session, "set map=pixels");
    run(session, "select");
    draw(&frame, session, 100, 30);
    sw_grid_text(&frame.grid, &after);
    assert_int_equal(before.text.count, after.text.count);
    assert_memory_equal(before.text.items, after.text.items, before.text.count);
    char path[] = "/tmp/stowage-map-XXXXXX", text[4096];
    int fd = mkstemp(path);
    assert_true(fd >= 0 && sw_session_save(session, path, &error));
    FILE *file = fopen(path, "r");
    text[file ? fread(text, 1, sizeof text - 1, file) : 0] = 0;
    assert_non_null(strstr(text, "last"));
    assert_null(strstr(text, "map"));
    fclose(file);
    close(fd);
    unlink(path);
    sw_sink_done(&before);
    sw_sink_done(&after);
    sw_frame_done(&frame);
    sw_session_free(session);
}

/* What parts of cells a font has is known by the terminal's name. */
static void test_known_terminals(void **state) {
    (void)state;
    static const struct {
        const char *name, *value;
        unsigned across, down;
        bool remote, iterm2;
    } known[] = {{"TERM", "xterm-256color", 2, 2, false, false}, {"TERM", "foot", 2, 3, false, false},
                 {"TERM", "putty-256color", 1, 2, false, false}, {"VTE_VERSION", "7006", 2, 3, false, false},
                 {"VTE_VERSION", "5202", 2, 2, false, false},    {"SSH_CONNECTION", "1 2 3 4", 2, 2, true, false},
                 {"LC_TERMINAL", "iTerm2", 2, 2, false, true}};
    static const char *const names[] = {"VTE_VERSION",  "KITTY_WINDOW_ID", "KONSOLE_VERSION", "WT_SESSION",
                                        "TERM_PROGRAM", "LC_TERMINAL",     "SSH_CONNECTION",  "TMUX",
                                        "STY"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        struct sw_abilities can;
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            unsetenv(names[k]);
        }
        setenv("TERM", "xterm-256color", 1);
        setenv(known[i].name, known[i].value, 1);
        sw_abilities_know(&can);
        assert_int_equal(can.across, known[i].across);
        assert_int_equal(can.down, known[i].down);
        assert_int_equal(can.remote, known[i].remote);
        assert_int_equal(can.iterm2, known[i].iterm2);
        assert_int_equal(sw_abilities_protocol(&can), known[i].iterm2 ? SW_PROTOCOL_ITERM2 : SW_PROTOCOL_NONE);
        assert_non_null(strstr(sw_abilities_question(), "\033_G"));
        setenv("TERM", "screen-256color", 1); /* it would take that for a title */
        assert_null(strstr(sw_abilities_question(), "\033_G"));
    }
}

int main(void) {
    if (!setlocale(LC_CTYPE, "C.UTF-8")) {
        puts("skipped: there is no locale C.UTF-8");
        return 77;
    }
    /* The first before there is memory to be used again. */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_painter_without_memory),
        cmocka_unit_test(test_kitty),
        cmocka_unit_test(test_iterm2),
        cmocka_unit_test(test_sixel),
        cmocka_unit_test(test_kitty_forgets),
        cmocka_unit_test(test_few_colors),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_cut_of_three),
        cmocka_unit_test(test_parts_of_cells),
        cmocka_unit_test(test_killed_painter),
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_known_terminals),
        cmocka_unit_test(test_stopped_painter),
        cmocka_unit_test(test_set_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
