/* Session files in a real terminal: the question about a program that has changed, how far the opening is, and that
 * Esc and Ctrl-C stop it, there and in the explorer. */
#include "tui/ptys.h"

#include "tui/sessions.h"

#define SLOW SW_TEST_SOURCE "/scripts/models/resnet50.lua"

/* Until the text is on the screen, which the program does not tell by being idle. */
static void wait_text(struct terminal *terminal, const char *wanted) {
    while (!shows(terminal, wanted)) {
        struct pollfd file = {.fd = terminal->master, .events = POLLIN};
        if (poll(&file, 1, 30000) <= 0 || !take_output(terminal)) {
            dump(terminal);
            fail_msg("'%s' does not come", wanted);
        }
    }
}

/* Until it has written so often that it must be at it still. */
static void wait_more(struct terminal *terminal) {
    for (size_t from = terminal->length; terminal->length < from + 200;) {
        struct pollfd file = {.fd = terminal->master, .events = POLLIN};
        assert_true(poll(&file, 1, 30000) > 0 && take_output(terminal));
    }
}

static void command(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void command(const char *format, ...) {
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    assert_int_equal(system(text), 0);
}

static void file_in(const char *name, char path[128]) {
    snprintf(path, 128, "%s/%s", home, name);
}

static void append(const char *path, const char *text) {
    FILE *file = fopen(path, "a");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void leave(struct terminal *terminal, int status) {
    struct news news = hear(terminal);
    assert_int_equal(news.what, 'X');
    assert_true(WIFEXITED(news.status));
    assert_int_equal(WEXITSTATUS(news.status), status);
    assert_modes_restored(terminal);
    finish(terminal);
}

/* A session that takes longer than a user waits: a search of very many rounds stands in its middle. */
static void save_slow(const char *path) {
    struct sw_error error = {0};
    struct sw_session_options options = {.path = SLOW, .planner = "segment-genetic", .params = SW_PARAMS_DEFAULT};
    options.load.capacity = 5 << 20;
    options.load.has_capacity = true;
    assert_true(sw_params_set(&options.params, "rounds", "1000000", &error));
    assert_true(sw_params_set(&options.params, "patience", "1000000", &error));
    assert_true(sw_params_set(&options.params, "population", "400", &error));
    struct sw_session *session = sw_session_new(&options, &error);
    if (!session) {
        fail_msg("%s", error.message);
    }
    assert_true(sw_session_save(session, path, &error));
    sw_params_done(&options.params);
    sw_session_free(session);
    append(path, "goto 5\ngoto 9\nlast\npane blame\nfirst\n");
}

/* ---- a program that has changed ---- */

static void changed_program(char session[128]) {
    struct sw_error error = {0};
    char model[128];
    file_in("model.lua", model);
    file_in("asked.stowage", session);
    command("cp '%s' '%s'", SW_TEST_SOURCE "/scripts/models/teaching.lua", model);
    struct sw_session *saved = open_model(model, "first-fit");
    run(saved, "goto 3");
    unlink(session);
    assert_true(sw_session_save(saved, session, &error));
    sw_session_free(saved);
}

/* No is the answer unless yes is said; and yes is enough where the graph is the same. */
static void test_asks(void **state) {
    (void)state;
    static const char *const answers[] = {"\n", "n\n", "x\n", "y\n"};
    char session[128], model[128];
    file_in("model.lua", model);
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++) {
        struct terminal terminal;
        const char *const words[] = {session, NULL};
        changed_program(session);
        append(model, "-- a remark\n");
        if (!start_with(&terminal, "tmux-256color", 80, 24, words)) {
            return;
        }
        wait_text(&terminal, "[y/N]");
        assert_shows(&terminal, "that has changed since");
        assert_shows(&terminal, "go on with it?");
        send_bytes(&terminal, answers[i], strlen(answers[i]));
        bool yes = answers[i][0] == 'y';
        if (!yes) {
            leave(&terminal, 2);
            continue;
        }
        wait_text(&terminal, "[y/N]"); /* the input itself has changed, too */
        wait_idle(&terminal);
        assert_shows(&terminal, "decision 3");
        send_bytes(&terminal, "q", 1);
        leave(&terminal, 0);
    }
}

/* ---- opening takes long ---- */

static bool open_slow(struct terminal *terminal) {
    static char path[128];
    const char *const words[] = {path, NULL};
    file_in("slow.stowage", path);
    unlink(path);
    save_slow(path);
    if (!start_with(terminal, "tmux-256color", 80, 24, words)) {
        return false;
    }
    wait_text(terminal, "replaying line ");
    wait_text(terminal, "%; Esc or Ctrl-C stops there");
    return true;
}

static void stops_opening(const char *key) {
    struct terminal terminal;
    if (!open_slow(&terminal)) {
        return;
    }
    send_bytes(&terminal, "\033[Ax", 4); /* Up and a letter are not Esc */
    wait_more(&terminal);
    assert_shows(&terminal, "replaying line ");
    assert_false(terminal.alternate);
    send_bytes(&terminal, key, 1);
    wait_idle(&terminal);
    assert_true(terminal.alternate);
    assert_shows(&terminal, "replayed to line ");
    send_bytes(&terminal, "q", 1);
    leave(&terminal, 0);
}

static void test_opening_stops(void **state) {
    (void)state;
    stops_opening("\033");
    stops_opening("\003");
}

/* However it ends or stops while it opens: the terminal is as it was. */
static void test_opening_gives_back(void **state) {
    (void)state;
    static const int numbers[] = {SIGTERM, SIGHUP, SIGQUIT};
    struct terminal terminal;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (!open_slow(&terminal)) {
            return;
        }
        kill(terminal.child, numbers[i]);
        struct news news = hear(&terminal);
        assert_true(WIFSIGNALED(news.status) && WTERMSIG(news.status) == numbers[i]);
        assert_modes_restored(&terminal);
        finish(&terminal);
    }
    if (!open_slow(&terminal)) {
        return;
    }
    send_bytes(&terminal, "\032", 1); /* Ctrl-Z */
    assert_int_equal(hear(&terminal).what, 'T');
    assert_modes_restored(&terminal);
    assert_int_equal(write(terminal.orders, "c", 1), 1);
    wait_more(&terminal);
    send_bytes(&terminal, "\033", 1); /* Esc is seen again */
    wait_idle(&terminal);
    assert_shows(&terminal, "replayed to line ");
    kill(terminal.child, SIGTERM);
    hear(&terminal);
    assert_modes_restored(&terminal);
    finish(&terminal);
}

/* ---- a session that was cut off is taken up ---- */

static void stops_recovery(const char *key) {
    struct terminal terminal;
    const char *const words[] = {SW_TEST_SOURCE "/tests/tui/models/small.json", NULL};
    char path[128];
    command("rm -rf '%s/state' && mkdir -p -m 700 '%s/state/stowage'", home, home);
    file_in("state/stowage/4000001.stowage", path);
    save_slow(path);
    keep_state = true;
    if (start_with(&terminal, "tmux-256color", 80, 24, words)) {
        static const char line[] = ":recover 4000001\r";
        wait_idle(&terminal);
        send_bytes(&terminal, line, sizeof line - 1);
        wait_text(&terminal, "%; Esc stops");
        send_bytes(&terminal, key, 1);
        wait_text(&terminal, "replayed to line ");
        wait_idle(&terminal);
        assert_shows(&terminal, "resnet50.lua");
        kill(terminal.child, SIGTERM);
        hear(&terminal);
        assert_modes_restored(&terminal);
        finish(&terminal);
    }
    keep_state = false;
}

static void test_recovery_stops(void **state) {
    (void)state;
    stops_recovery("\033");
    stops_recovery("\003");
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_asks), cmocka_unit_test(test_opening_stops),
                                       cmocka_unit_test(test_opening_gives_back),
                                       cmocka_unit_test(test_recovery_stops)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return close_home() ? failed : 1;
}
