/* The explorer in a real terminal: keys, resizes, the mouse, suspension, and the restore matrix. */
#include "tui/ptys.h"

#include "command/session.h"

#define MODEL SW_TEST_SOURCE "/tests/tui/models/small.json"

static bool start(struct terminal *terminal, const char *term, int columns, int rows, const char *option) {
    const char *const words[] = {MODEL, option, NULL};
    return start_with(terminal, term, columns, rows, words);
}

/* ---- the tests ---- */

static void test_steps(void **state) {
    (void)state;
    struct terminal terminal;
    if (!start(&terminal, "tmux-256color", 80, 24, NULL)) {
        return;
    }
    wait_idle(&terminal);
    assert_true(terminal.alternate && terminal.mouse && !terminal.cursor);
    assert_shows(&terminal, "small.json");
    assert_shows(&terminal, "0 of 10 blocks placed");
    keys(&terminal, "s");
    assert_shows(&terminal, "decision 1");
    keys(&terminal, "\033[C"); /* Right */
    assert_shows(&terminal, "decision 2");
    keys(&terminal, "S");
    assert_shows(&terminal, "decision 1");
    keys(&terminal, "\033[F"); /* End, as some terminals say it */
    keys(&terminal, ":goto 3\r");
    assert_shows(&terminal, "decision 3");
    keys(&terminal, ":");
    assert_true(terminal.cursor); /* a caret at the prompt */
    keys(&terminal, "\033");
    assert_false(terminal.cursor);
    keys(&terminal, "?");
    assert_shows(&terminal, "One decision on");
    keys(&terminal, "\033");
    assert_shows(&terminal, "decision 3");
    size_t mark = terminal.length;
    send_bytes(&terminal, "q", 1);
    struct news news = hear(&terminal);
    assert_int_equal(news.what, 'X');
    assert_true(WIFEXITED(news.status) && WEXITSTATUS(news.status) == 0);
    assert_restored(&terminal, mark);
    finish(&terminal);
}

static void resize(struct terminal *terminal, int columns, int rows) {
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
    send_bytes(terminal, "", 0);
    terminal->columns = columns;
    terminal->rows = rows;
    vterm_set_size(terminal->vterm, rows, columns);
    ioctl(terminal->master, TIOCSWINSZ, &size);
    wait_idle(terminal);
}

static void test_resizes(void **state) {
    (void)state;
    struct terminal terminal;
    char row[4096];
    if (!start(&terminal, "tmux-256color", 80, 24, NULL)) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "c");
    resize(&terminal, 120, 40);
    row_text(&terminal, 39, row, sizeof row);
    assert_true(strlen(row) > 5); /* the footer is in the last row */
    assert_shows(&terminal, "small.json");
    resize(&terminal, 30, 8);
    assert_shows(&terminal, "needs 40x12");
    resize(&terminal, 100, 30);
    assert_shows(&terminal, "small.json");
    send_bytes(&terminal, "q", 1);
    hear(&terminal);
    assert_modes_restored(&terminal);
    finish(&terminal);
}

static void press(struct terminal *terminal, int button, int column, int row) {
    char bytes[64];
    vterm_mouse_move(terminal->vterm, row, column, VTERM_MOD_NONE);
    vterm_output_read(terminal->vterm, bytes, sizeof bytes);
    vterm_mouse_button(terminal->vterm, button, true, VTERM_MOD_NONE);
    size_t length = vterm_output_read(terminal->vterm, bytes, sizeof bytes);
    assert_true(length > 0);
    send_bytes(terminal, bytes, length);
    wait_idle(terminal);
}

/* Where a text stands below the header; false when it does not. */
static bool find_text(struct terminal *terminal, const char *wanted, int *column, int *row) {
    char text[4096];
    for (*row = 2; *row < terminal->rows; ++*row) {
        row_text(terminal, *row, text, sizeof text);
        char *at = strstr(text, wanted);
        if (at) {
            *column = 0; /* bytes to columns: every frame character is one column */
            for (char *c = text; c < at; c++) {
                *column += ((unsigned char)*c & 0xc0) != 0x80;
            }
            return true;
        }
    }
    return false;
}

static void test_mouse(void **state) {
    (void)state;
    struct terminal terminal;
    int column = 0, row = 0;
    if (!start(&terminal, "tmux-256color", 100, 30, NULL)) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "c");
    assert_true(find_text(&terminal, "conv_1_out", &column, &row));
    press(&terminal, 1, column + 1, row);
    assert_shows(&terminal, "conv_1_out: 8K at");
    press(&terminal, 4, 30, 8); /* the wheel zooms: fewer blocks in view */
    assert_shows(&terminal, "in view");
    keys(&terminal, "m");
    assert_false(terminal.mouse);
    keys(&terminal, "m");
    assert_true(terminal.mouse);
    send_bytes(&terminal, "q", 1);
    hear(&terminal);
    assert_false(terminal.mouse);
    finish(&terminal);
}

/* The newer protocol, which is not limited to 223 columns. */
static void test_mouse_of_xterm(void **state) {
    (void)state;
    struct terminal terminal;
    int column = 0, row = 0;
    char bytes[64];
    if (!start(&terminal, "xterm-256color", 240, 50, NULL)) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "c");
    assert_true(find_text(&terminal, "conv_1_out", &column, &row));
    snprintf(bytes, sizeof bytes, "\033[<0;%d;%dM", column + 2, row + 1);
    keys(&terminal, bytes);
    assert_shows(&terminal, "conv_1_out: 8K at");
    send_bytes(&terminal, "q", 1);
    hear(&terminal);
    finish(&terminal);
}

/* A block is dragged to another place: a what-if, which can be undone. */
static void test_drag(void **state) {
    (void)state;
    struct terminal terminal;
    int column = 0, row = 0;
    char bytes[64];
    if (!start(&terminal, "xterm-256color", 120, 40, NULL)) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "c");
    assert_true(find_text(&terminal, "pool_1_out", &column, &row));
    snprintf(bytes, sizeof bytes, "\033[<0;%d;%dM", column + 2, row + 1);
    keys(&terminal, bytes);
    assert_shows(&terminal, "pool_1_out: 1.5K at");
    snprintf(bytes, sizeof bytes, "\033[<0;%d;%dm", column + 2, row + 1);
    keys(&terminal, bytes); /* the button comes up where it went down: nothing moves */
    assert_shows(&terminal, "pool_1_out: 1.5K at");
    snprintf(bytes, sizeof bytes, "\033[<0;%d;%dM", column + 2, row + 1);
    keys(&terminal, bytes);
    snprintf(bytes, sizeof bytes, "\033[<0;%d;%dm", column + 2, 6);
    keys(&terminal, bytes);
    assert_shows(&terminal, "branch 2 (pin pool_1_out");
    keys(&terminal, "u");
    assert_shows(&terminal, "undone: pin pool_1_out");
    send_bytes(&terminal, "q", 1);
    hear(&terminal);
    finish(&terminal);
}

/* Whatever ends the program, the terminal is as before, and the parent sees the true cause. */
static void die_by(const char *term, int number, bool full) {
    struct terminal terminal;
    if (!start(&terminal, term, 80, 24, NULL)) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "s");
    size_t mark = terminal.length;
    assert_int_equal(kill(terminal.child, number), 0);
    struct news news = hear(&terminal);
    assert_int_equal(news.what, 'X');
    bool by_signal = WIFSIGNALED(news.status) && WTERMSIG(news.status) == number;
    /* A sanitizer reports a crash and exits with a status of its own. */
    bool reported =
        WIFEXITED(news.status) && WEXITSTATUS(news.status) != 0 &&
        (number == SIGSEGV || number == SIGABRT || number == SIGBUS || number == SIGFPE || number == SIGILL);
    assert_true(by_signal || reported);
    if (full) {
        assert_restored(&terminal, mark);
    } else {
        assert_modes_restored(&terminal);
        assert_true(terminal.cursor);
    }
    finish(&terminal);
}

static void test_restores_after_signals(void **state) {
    (void)state;
    const int numbers[] = {SIGTERM, SIGHUP,  SIGQUIT, SIGSEGV, SIGABRT,   SIGBUS,  SIGFPE, SIGILL,
                           SIGUSR1, SIGUSR2, SIGALRM, SIGPROF, SIGVTALRM, SIGIO,   SIGPWR, SIGSTKFLT,
                           SIGSYS,  SIGTRAP, SIGXCPU, SIGXFSZ, SIGRTMIN,  SIGRTMAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        die_by("tmux-256color", numbers[i], true);
    }
    die_by("xterm-256color", SIGTERM, true);
    die_by("xterm-256color", SIGSEGV, true);
    die_by("linux", SIGTERM, false);
    die_by("linux", SIGSEGV, false);
    die_by("vt100", SIGQUIT, false);
}

/* Ctrl-C stops what runs, and asks what q asks. */
static void test_interrupt_key(void **state) {
    (void)state;
    struct terminal terminal;
    for (int edits = 0; edits < 2; edits++) {
        if (!start(&terminal, "tmux-256color", 80, 24, NULL)) {
            return;
        }
        wait_idle(&terminal);
        if (edits) {
            keys(&terminal, ":pin image 0\r");
            send_bytes(&terminal, "\003", 1);
            wait_idle(&terminal);
            assert_shows(&terminal, "Quit without saving the what-if edits?");
            keys(&terminal, "n");
            assert_shows(&terminal, "not quitting");
            send_bytes(&terminal, "\003", 1);
            wait_idle(&terminal);
        }
        size_t mark = terminal.length;
        send_bytes(&terminal, "\003", 1);
        struct news news = hear(&terminal);
        assert_true(WIFEXITED(news.status) && WEXITSTATUS(news.status) == 0);
        assert_restored(&terminal, mark);
        finish(&terminal);
    }
}

static void test_suspends(void **state) {
    (void)state;
    struct terminal terminal;
    if (!start(&terminal, "tmux-256color", 80, 24, NULL)) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "ss");
    for (int i = 0; i < 2; i++) {
        size_t mark = terminal.length;
        send_bytes(&terminal, "\032", 1);
        struct news news = hear(&terminal);
        assert_int_equal(news.what, 'T');
        assert_restored(&terminal, mark);
        assert_int_equal(write(terminal.orders, "c", 1), 1);
        wait_idle(&terminal);
        assert_true(terminal.alternate && terminal.mouse && !terminal.cursor);
        assert_shows(&terminal, "decision 2");
        keys(&terminal, "sS");
        assert_shows(&terminal, "decision 2");
    }
    size_t mark = terminal.length;
    send_bytes(&terminal, "q", 1);
    assert_int_equal(hear(&terminal).what, 'X');
    assert_restored(&terminal, mark);
    finish(&terminal);
}

/* Terminals of other kinds: it starts, steps, quits, and leaves the modes as they were. */
/* A signal of another program that stops this one. */
static void stops_by(int number) {
    struct terminal terminal;
    if (!start(&terminal, "tmux-256color", 80, 24, NULL)) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "s");
    size_t mark = terminal.length;
    assert_int_equal(kill(terminal.child, number), 0);
    struct news news = hear(&terminal);
    assert_int_equal(news.what, 'T');
    assert_int_equal(WSTOPSIG(news.status), number);
    assert_restored(&terminal, mark);
    char drain[64];
    struct pollfd file = {.fd = terminal.idle, .events = POLLIN};
    while (poll(&file, 1, 0) > 0 && read(terminal.idle, drain, sizeof drain) > 0) {
    }
    assert_int_equal(write(terminal.orders, "c", 1), 1);
    wait_idle(&terminal);
    assert_true(terminal.alternate);
    assert_shows(&terminal, "decision 1/");
    send_bytes(&terminal, "q", 1);
    assert_int_equal(hear(&terminal).what, 'X');
    finish(&terminal);
}

static void test_other_stops(void **state) {
    (void)state;
    stops_by(SIGTTOU);
    stops_by(SIGTTIN);
}

#define PASTE(text) "\033[200~" text "\033[201~"

/* What is pasted is text at the prompt, and nothing anywhere else. */
static void test_pastes(void **state) {
    (void)state;
    struct terminal terminal;
    if (!start(&terminal, "tmux-256color", 100, 24, NULL)) {
        return;
    }
    wait_idle(&terminal);
    assert_non_null(strstr(terminal.raw, "\033[?2004h"));
    keys(&terminal, PASTE("sss\rq:goto 2\r\033[Cq"));
    assert_shows(&terminal, "decision 0/");
    assert_shows(&terminal, "not taken for keys");
    keys(&terminal, PASTE("qq") "\033[C" PASTE("q")); /* the arrow between them is a key */
    assert_shows(&terminal, "decision 1/");
    keys(&terminal, ":" PASTE("goto\n3\r\n"));
    assert_shows(&terminal, ":goto 3");
    assert_shows(&terminal, "decision 1/");
    keys(&terminal, "\r");
    assert_shows(&terminal, "decision 3/");
    keys(&terminal, ":select " PASTE("\xe5\xb1\xa4 and more"));
    assert_shows(&terminal, ":select \xe5\xb1\xa4 and more");
    keys(&terminal, "\033");
    char many[3000];
    snprintf(many, sizeof many, ":goto 1\033[200~%*s\033[201~", 2000, "0");
    keys(&terminal, many); /* too long: nothing of it */
    keys(&terminal, "\r");
    assert_shows(&terminal, "decision 1/");
    send_bytes(&terminal, "q", 1);
    assert_int_equal(hear(&terminal).what, 'X');
    finish(&terminal);
}

/* Much at once, as from a stuck key, is read past curses, and means the same. */
static void test_bursts(void **state) {
    (void)state;
    struct terminal terminal;
    char many[4000] = "";
    if (!start(&terminal, "tmux-256color", 100, 24, NULL)) {
        return;
    }
    wait_idle(&terminal);
    for (int i = 0; i < 300; i++) {
        strcat(many, "sS\033[C\033[D");
    }
    strcat(many, "ss");
    keys(&terminal, many);
    assert_shows(&terminal, "decision 2/");
    many[0] = '\0';
    for (int i = 0; i < 200; i++) {
        strcat(many, "\033[9x"
                     "\xc3\xa9"); /* no key, and no command */
    }
    strcat(many, "s:goto 5\r\033[200~q\033[201~s");
    keys(&terminal, many);
    assert_shows(&terminal, "decision 6/");
    many[0] = '\0';
    for (int i = 0; i < 100; i++) {
        strcat(many, "\033[M`\x32\x28\033[Ma\x32\x28"); /* the wheel, up and down */
    }
    strcat(many, "\033[Ma\x32\x28:\xe5\xb1\xa4");
    keys(&terminal, many);
    assert_shows(&terminal, ":\xe5\xb1\xa4");
    send_bytes(&terminal, "\003", 1);
    assert_int_equal(hear(&terminal).what, 'X');
    finish(&terminal);
}

static void test_other_terminals(void **state) {
    (void)state;
    static const char *const terms[] = {
        "xterm-256color", "xterm", "linux", "vt100", "xterm-direct", "screen-256color", "no-such-terminal-256color"};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        struct terminal terminal;
        if (!start(&terminal, terms[i], 80, 24, NULL)) {
            return;
        }
        wait_idle(&terminal);
        if (strstr(terms[i], "no-such")) {
            assert_shows(&terminal, "not known");
        }
        keys(&terminal, "s");
        assert_shows(&terminal, "decision 1");
        send_bytes(&terminal, "q", 1);
        struct news news = hear(&terminal);
        assert_true(WIFEXITED(news.status) && WEXITSTATUS(news.status) == 0);
        assert_modes_restored(&terminal);
        assert_true(terminal.cursor);
        finish(&terminal);
    }
}

/* A terminal that cannot show screens gets the summary, and the reason. */
static void test_dumb(void **state) {
    (void)state;
    struct terminal terminal;
    if (!start(&terminal, "dumb", 100, 30, NULL)) {
        return;
    }
    struct news news = hear(&terminal);
    assert_int_equal(news.what, 'X');
    assert_true(WIFEXITED(news.status) && WEXITSTATUS(news.status) == 0);
    assert_shows(&terminal, "'dumb' cannot show screens");
    assert_shows(&terminal, "peak");
    assert_null(strchr(terminal.raw, '\033'));
    assert_modes_restored(&terminal);
    finish(&terminal);
}

static void test_no_color(void **state) {
    (void)state;
    struct terminal terminal;
    setenv("NO_COLOR", "1", 1);
    bool started = start(&terminal, "tmux-256color", 80, 24, NULL);
    unsetenv("NO_COLOR");
    if (!started) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "c");
    assert_null(strstr(terminal.raw, "\033[38;"));
    assert_null(strstr(terminal.raw, ";48;"));
    send_bytes(&terminal, "q", 1);
    hear(&terminal);
    finish(&terminal);
    if (start(&terminal, "tmux-256color", 80, 24, NULL)) {
        wait_idle(&terminal);
        keys(&terminal, "c");
        assert_non_null(strstr(terminal.raw, "38;5;"));
        send_bytes(&terminal, "q", 1);
        hear(&terminal);
        finish(&terminal);
    }
}

/* A key that changes nothing sends next to nothing; a frame never clears the screen. */
static void test_sends_only_changes(void **state) {
    (void)state;
    struct terminal terminal;
    if (!start(&terminal, "tmux-256color", 120, 40, NULL)) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "c");
    keys(&terminal, ".");
    size_t before = terminal.length;
    keys(&terminal, ".");
    assert_true(terminal.length - before < 200);
    before = terminal.length;
    keys(&terminal, "S");
    assert_null(strstr(terminal.raw + before, "\033[2J"));
    assert_null(strstr(terminal.raw + before, "\033[H\033[J"));
    send_bytes(&terminal, "q", 1);
    hear(&terminal);
    finish(&terminal);
}

/* The line is cut without notice: it ends, instead of asking for ever. */
static void test_ends_when_cut_off(void **state) {
    (void)state;
    struct terminal terminal;
    ignore_hangup = true;
    bool started = start(&terminal, "tmux-256color", 80, 24, NULL);
    ignore_hangup = false;
    if (!started) {
        return;
    }
    wait_idle(&terminal);
    close(terminal.slave);
    close(terminal.master);
    struct news news = {0};
    do {
        struct pollfd file = {.fd = terminal.news, .events = POLLIN};
        assert_int_equal(poll(&file, 1, 30000), 1);
        assert_int_equal(read(terminal.news, &news, sizeof news), (ssize_t)sizeof news);
    } while (news.what != 'X');
    terminal.master = open("/dev/null", O_RDWR);
    terminal.slave = open("/dev/null", O_RDWR);
    finish(&terminal);
}

/* ---- cut off ---- */

/* The one session that lies in the folder of state, into `path`; false when there is none. */
static bool find_kept(char path[256]) {
    char command[160];
    snprintf(command, sizeof command, "ls %s/state/stowage/*.stowage 2>/dev/null", home);
    FILE *list = popen(command, "r");
    assert_non_null(list);
    bool found = fgets(path, 256, list) != NULL;
    pclose(list);
    path[strcspn(path, "\n")] = '\0';
    return found;
}

static uint64_t digest_of(const char *path) {
    struct sw_error error = {0};
    struct sw_session *session = sw_session_open(path, &error);
    if (!session) {
        fail_msg("%s: %s", path, error.message);
    }
    uint64_t digest = sw_session_digest(session);
    sw_session_free(session);
    return digest;
}

/* Work, be ended by the signal, start again, take it up: everything is as it was. */
static void cut_off_by(int number, const char *work) {
    struct terminal terminal;
    char kept[256], again[256], saved[128], line[160];
    keep_state = false;
    if (!start(&terminal, "tmux-256color", 100, 30, NULL)) {
        return;
    }
    wait_idle(&terminal);
    assert_false(find_kept(kept));
    keys(&terminal, work);
    kill(terminal.child, number);
    struct news news = hear(&terminal);
    assert_true(WIFSIGNALED(news.status) || number == SIGSEGV); /* sanitizers end with a status */
    finish(&terminal);
    assert_true(find_kept(kept));
    uint64_t digest = digest_of(kept);

    keep_state = true;
    assert_true(start(&terminal, "tmux-256color", 80, 24, NULL));
    wait_idle(&terminal);
    assert_shows(&terminal, "R takes up small.json, cut off");
    keys(&terminal, "R");
    assert_shows(&terminal, "took up small.json");
    snprintf(saved, sizeof saved, "%s/saved", home);
    snprintf(line, sizeof line, ":save %s\r", saved);
    keys(&terminal, line);
    assert_true(digest_of(saved) == digest);
    unlink(saved);
    send_bytes(&terminal, "q", 1);
    news = hear(&terminal);
    assert_true(WIFEXITED(news.status) && WEXITSTATUS(news.status) == 0);
    finish(&terminal);
    assert_false(find_kept(again));
    keep_state = false;
}

static void test_cut_off(void **state) {
    (void)state;
    static const char *const work = "ss:pin probabilities 20K\r";
    static const int numbers[] = {SIGKILL, SIGSEGV, SIGHUP, SIGTERM};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        cut_off_by(numbers[i], work);
    }
    cut_off_by(SIGHUP, "sssV"); /* without a what-if: written when the signal comes */
}

static void test_config(void **state) {
    struct terminal terminal;
    char path[128];
    (void)state;
    snprintf(path, sizeof path, "mkdir -p %s/config/stowage", home);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/config/stowage/config.lua", home);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("return { ascii = true, mouse = false, pane = 'buffers',\n"
          "  keys = { ['Ctrl-N'] = 'goto 7', ['F2'] = 'pane card', s = false, w = 'step' } }\n",
          file);
    fclose(file);
    if (start(&terminal, "tmux-256color", 100, 30, NULL)) {
        wait_idle(&terminal);
        assert_false(terminal.mouse);
        assert_shows(&terminal, "w step"); /* the footer has the keys in force */
        assert_shows(&terminal, "10 of 10 buffers, by birth");
        keys(&terminal, "\016");
        assert_shows(&terminal, "decision 7");
        keys(&terminal, "s");
        assert_shows(&terminal, "no command has the key s");
        keys(&terminal, "w");
        assert_shows(&terminal, "decision 8");
        send_bytes(&terminal, "q", 1);
        hear(&terminal);
        finish(&terminal);
    }
    if (start(&terminal, "tmux-256color", 100, 30, "--config=none")) {
        wait_idle(&terminal);
        assert_true(terminal.mouse);
        assert_shows(&terminal, "s step");
        send_bytes(&terminal, "q", 1);
        hear(&terminal);
        finish(&terminal);
    }
    unlink(path);
}

int main(void) {
    const char *given = getenv("STOWAGE");
    if (!given) {
        puts("skipped: STOWAGE does not say which program to test");
        return 77;
    }
    if (!open_home(given)) {
        return 1;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps),
                                       cmocka_unit_test(test_resizes),
                                       cmocka_unit_test(test_mouse),
                                       cmocka_unit_test(test_mouse_of_xterm),
                                       cmocka_unit_test(test_drag),
                                       cmocka_unit_test(test_restores_after_signals),
                                       cmocka_unit_test(test_interrupt_key),
                                       cmocka_unit_test(test_suspends),
                                       cmocka_unit_test(test_other_stops),
                                       cmocka_unit_test(test_pastes),
                                       cmocka_unit_test(test_bursts),
                                       cmocka_unit_test(test_other_terminals),
                                       cmocka_unit_test(test_dumb),
                                       cmocka_unit_test(test_no_color),
                                       cmocka_unit_test(test_sends_only_changes),
                                       cmocka_unit_test(test_ends_when_cut_off),
                                       cmocka_unit_test(test_cut_off),
                                       cmocka_unit_test(test_config)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return close_home() ? failed : 1;
}
