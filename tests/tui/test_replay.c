/* What may come through which door; replays that are stopped, watched, and refused; what undo remembers. */
#include "tui/sessions.h"

#include "base/mem.h"
#include "command/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const char model[] = SW_TEST_SOURCE "/scripts/models/mobilenet_v1_025_96.json";
static const char endless[] = SW_TEST_DATA "/minimalloc/D.1048576.csv";
static char folder[] = "/tmp/stowage-replay-XXXXXX", path[64];

static int make_folder(void **state) {
    (void)state;
    if (!mkdtemp(folder)) {
        return 1;
    }
    snprintf(path, sizeof path, "%s/a.sess", folder);
    return 0;
}

static int drop_folder(void **state) {
    (void)state;
    unlink(path);
    return rmdir(folder);
}

/* ---- doors ---- */

static const enum sw_door doors[] = {SW_DOOR_KEYS, SW_DOOR_PROMPT, SW_DOOR_SCRIPT, SW_DOOR_SESSION, SW_DOOR_LUA};

static bool turned_away(const char *name, enum sw_door door) {
    struct sw_session *session = open_model(model, "greedy-by-size");
    struct sw_error error = {0};
    sw_session_command_by(session, door, name, &error);
    sw_session_free(session);
    return strstr(error.message, "may not come from") != NULL;
}

/* Every command through every door: those that its line in the table does not list are shut. */
static void test_every_door(void **state) {
    unsigned tried = 0, shut = 0;
    (void)state;
    for (size_t i = 0; i < sw_command_count(); i++) {
        const struct sw_command *command = sw_command_get(i);
        for (size_t d = 0; d < sizeof doors / sizeof *doors; d++, tried++) {
            bool open = command->doors & doors[d];
            if (turned_away(command->name, doors[d]) == open) {
                fail_msg("%s by door %d is %s", command->name, (int)doors[d], open ? "refused" : "let in");
            }
            shut += !open;
        }
    }
    printf("commands by doors: %u tried, %u shut\n", tried, shut);
}

/* A replay runs what the log writes, and nothing else. */
static void test_session_door(void **state) {
    static const char *const never[] = {"export", "write", "save", "copy", "quit", "lua", "key", "theme", "recover"};
    (void)state;
    for (size_t i = 0; i < sw_command_count(); i++) {
        const struct sw_command *command = sw_command_get(i);
        bool logged = command->flags & SW_COMMAND_LOGGED;
        assert_int_equal(logged, (command->doors & SW_DOOR_SESSION) != 0);
    }
    for (size_t i = 0; i < sizeof never / sizeof *never; i++) {
        assert_false(sw_command_find(never[i], NULL)->doors & SW_DOOR_SESSION);
    }
}

/* What a line runs in its turn has come through its door, too. */
static void test_doors_add_up(void **state) {
    struct sw_session *session = open_model(model, "greedy-by-size");
    struct sw_error error = {0};
    (void)state;
    assert_false(sw_session_command_by(session, SW_DOOR_SCRIPT, "lua stowage.command('recover')", &error));
    assert_non_null(strstr(error.message, "recover may not come from a script"));
    run(session, "notes"); /* the door is shut behind it */
    sw_session_free(session);
}

/* ---- memory ---- */

static size_t held_after(struct sw_session *session, const char *first, const char *second, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        run(session, i % 2 ? first : second);
    }
    return sw_mem_held();
}

/* The second thousand takes about what the first took. */
static void grows_evenly(const char *first, const char *second) {
    struct sw_session *session = open_model(model, "greedy-by-size");
    run(session, second);
    size_t start = sw_mem_held();
    size_t one = held_after(session, first, second, 1000);
    size_t two = held_after(session, first, second, 1000);
    printf("%s: %zu KiB, then %zu KiB\n", first, (one - start) / 1024, (two - one) / 1024);
    assert_true(two - one < (one - start) + (one - start) / 2);
    sw_session_free(session);
}

static void test_pins_take_no_square(void **state) {
    (void)state;
    grows_evenly("pin image 0", "pin image 65536");
}

static void test_breaks_take_no_square(void **state) {
    (void)state;
    grows_evenly("break step 7", "break step 9");
}

/* ---- stops ---- */

static struct sw_session *reopen(struct sw_session *session, const struct sw_replay *replay) {
    struct sw_error error = {0};
    if (!sw_session_save(session, path, &error)) {
        fail_msg("%s", error.message);
    }
    struct sw_session *again = sw_session_replay(path, replay, &error);
    if (!again) {
        fail_msg("%s:%u: %s", error.file, error.line, error.message);
    }
    return again;
}

static void give(struct sw_session *session, const char *line, unsigned slices) {
    struct sw_error error = {0};
    if (!sw_session_command(session, line, &error)) {
        fail_msg("%s: %s", line, error.message);
    }
    for (unsigned i = 0; i < slices && sw_session_slice(session, 1000, &error); i++) {
    }
}

static void same_after_replay(struct sw_session *session) {
    struct sw_session *again = reopen(session, NULL);
    assert_true(sw_session_digest(again) == sw_session_digest(session));
    sw_session_free(again);
    sw_session_free(session);
}

/* A search without end: beside another run, as the parent of a what-if, and as the run itself. */
static void test_stops_are_replayed(void **state) {
    (void)state;
    if (access(endless, R_OK) != 0) {
        printf("skipped: %s is not there\n", endless);
        skip();
    }
    struct sw_session *session = open_model(endless, "greedy-by-size");
    give(session, "compare branch-and-bound", 50);
    give(session, "last", 500);
    while (sw_session_busy(session)) {
        sw_session_stop(session);
    }
    same_after_replay(session);

    session = open_model(endless, "branch-and-bound");
    give(session, "step 40", 100000);
    give(session, "forbid * 0 64", 20);
    while (sw_session_busy(session)) {
        sw_session_stop(session);
    }
    give(session, "forbid * 64 128", 20); /* cut off by the next what-if, without a stop */
    give(session, "forbid * 128 192", 20);
    while (sw_session_busy(session)) {
        sw_session_stop(session);
    }
    same_after_replay(session);

    session = open_model(endless, "branch-and-bound");
    give(session, "last", 30); /* saved while it runs: as far as it has come */
    struct sw_session *again = reopen(session, NULL);
    assert_true(at(again) == at(session));
    sw_session_free(again);
    sw_session_free(session);
}

struct counter {
    unsigned left;
    uint32_t line, lines;
};

static bool count_down(void *context, uint32_t line, uint32_t lines) {
    struct counter *counter = context;
    counter->line = line;
    counter->lines = lines;
    return counter->left-- > 0;
}

/* The watcher of a replay may stop it; the session stands where it has come to, or there is none. */
static void test_watched(void **state) {
    struct sw_session *session = open_model(model, "greedy-by-size");
    struct counter counter = {.left = 2};
    struct sw_replay replay = {.live = true, .watch = count_down, .context = &counter};
    struct sw_error error = {0};
    (void)state;
    run(session, "goto 3");
    run(session, "pane card");
    run(session, "goto 7");
    run(session, "goto 9");
    struct sw_session *again = reopen(session, &replay);
    assert_true(at(again) < 9);
    assert_true(says(again, "replayed to line"));
    assert_true(counter.lines > counter.line && counter.line > 5);
    sw_session_free(again);
    counter.left = 2;
    replay.live = false;
    assert_null(sw_session_replay(path, &replay, &error));
    assert_true(error.code == SW_ERROR_CANCELED && error.line == counter.line);
    sw_session_free(session);
}

/* The replay as a whole has an allowance. */
static void test_allowance(void **state) {
    struct sw_session *session = open_model(model, "greedy-by-size");
    struct sw_error error = {0};
    const struct sw_replay trusted = {.trust = true};
    (void)state;
    held_after(session, "pin image 0", "pin image 65536", 400);
    assert_true(sw_session_save(session, path, &error));
    setenv("STOWAGE_SCRIPT_BYTES", "1000000", 1);
    assert_null(sw_session_open(path, &error));
    assert_non_null(strstr(error.message, "more memory than scripts and sessions have"));
    assert_true(error.line > 6);
    assert_false(sw_session_command(
        session, "lua for i = 1, 1000 do stowage.command('pin image ' .. i % 2 * 65536) end", &error));
    assert_non_null(strstr(error.message, "more memory"));
    struct sw_session *again = sw_session_replay(path, &trusted, &error);
    unsetenv("STOWAGE_SCRIPT_BYTES");
    assert_non_null(again);
    sw_session_free(again);
    setenv("STOWAGE_SCRIPT_SECONDS", "0", 1);
    assert_null(sw_session_open(path, &error));
    unsetenv("STOWAGE_SCRIPT_SECONDS");
    assert_non_null(strstr(error.message, "longer than scripts and sessions may"));
    sw_session_free(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_door),
                                       cmocka_unit_test(test_session_door),
                                       cmocka_unit_test(test_doors_add_up),
                                       cmocka_unit_test(test_pins_take_no_square),
                                       cmocka_unit_test(test_breaks_take_no_square),
                                       cmocka_unit_test(test_stops_are_replayed),
                                       cmocka_unit_test(test_watched),
                                       cmocka_unit_test(test_allowance)};
    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
