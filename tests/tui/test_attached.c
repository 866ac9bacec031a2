/* stowage attach in a real terminal: watching a planner, holding it, running it again, and that nothing of it is left.
 */
#include "tui/ptys.h"

#include <dirent.h>
#include <sys/stat.h>

static const char *planner;
static char scratch[80]; /* $TMPDIR of the program: nothing may be left there */
static char count[128];  /* a byte for each decision of the planner */

static bool start(struct terminal *terminal, const char *behaviour, const char *buffers) {
    const char *const words[] = {"attach", "--", planner, behaviour, buffers, NULL};
    unlink(count);
    return start_with(terminal, "tmux-256color", 100, 30, words);
}

static long decided(void) {
    FILE *file = fopen(count, "r");
    long length = 0;
    if (file) {
        fseek(file, 0, SEEK_END);
        length = ftell(file);
        fclose(file);
    }
    return length;
}

/* Is a process of this test's own planner left? */
static bool runs(void) {
    char wanted[160], path[300], text[65536];
    DIR *all = opendir("/proc");
    struct dirent *entry;
    bool found = false;
    snprintf(wanted, sizeof wanted, "PLANNER_COUNT=%s", count);
    while (all && !found && (entry = readdir(all))) {
        snprintf(path, sizeof path, "/proc/%s/environ", entry->d_name);
        FILE *file = entry->d_name[0] > '0' && entry->d_name[0] <= '9' && atoi(entry->d_name) != getpid()
                         ? fopen(path, "r")
                         : NULL;
        size_t got = file ? fread(text, 1, sizeof text, file) : 0;
        if (file) {
            fclose(file);
        }
        found = memmem(text, got, wanted, strlen(wanted) + 1) != NULL;
    }
    closedir(all);
    return found;
}

static void assert_nothing_left(bool folder) {
    struct dirent *entry;
    DIR *here = opendir(scratch);
    while (here && (entry = readdir(here))) {
        if (folder && entry->d_name[0] != '.') {
            fail_msg("%s is left", entry->d_name);
        }
    }
    closedir(here);
    for (int i = 0; i < 200 && runs(); i++) { /* what the kernel ends is gone a moment later */
        poll(NULL, 0, 25);
    }
    assert_false(runs());
}

/* By a signal, or by this key. */
static void end(struct terminal *terminal, int signal, const char *key) {
    size_t mark = terminal->length;
    if (signal) {
        kill(terminal->child, signal);
    } else {
        send_bytes(terminal, key, strlen(key));
    }
    assert_int_equal(hear(terminal).what, 'X');
    if (signal != SIGKILL) {
        assert_restored(terminal, mark);
    }
    finish(terminal);
    assert_nothing_left(signal != SIGKILL); /* the folder with the pipe stays then */
    char command[120];
    snprintf(command, sizeof command, "rm -rf '%s'/stowage-*", scratch);
    assert_true(signal != SIGKILL || system(command) == 0);
}

static void resize(struct terminal *terminal, int columns, int rows) {
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
    terminal->columns = columns;
    terminal->rows = rows;
    vterm_set_size(terminal->vterm, rows, columns);
    ioctl(terminal->master, TIOCSWINSZ, &size);
}

/* ---- the tests ---- */

static void test_steps(void **state) {
    struct terminal terminal;
    (void)state;
    if (!start(&terminal, "steady", "2000")) {
        return;
    }
    wait_idle(&terminal);
    assert_shows(&terminal, "held before its first decision");
    assert_shows(&terminal, "attach_planner");
    keys(&terminal, "ss");
    assert_shows(&terminal, "decision 2/");
    assert_shows(&terminal, "held, ");
    keys(&terminal, "S");
    assert_shows(&terminal, "decision 1/");
    long before = decided();
    assert_true(before < 200);
    send_bytes(&terminal, ":break buffer b900\rc", 20);
    assert_shows(&terminal, "stopped: buffer b900");
    assert_true(decided() >= 901 && decided() < 1200);
    send_bytes(&terminal, "\033[F", 3);
    assert_shows(&terminal, "decision 2,000/2,000 ");
    assert_shows(&terminal, "end of the run");
    end(&terminal, 0, "q");
}

static void test_waits(void **state) {
    struct terminal terminal;
    (void)state;
    if (!start(&terminal, "hang", "40")) {
        return;
    }
    wait_idle(&terminal);
    send_bytes(&terminal, "c", 1);
    assert_shows(&terminal, "waiting for the planner ...; Esc holds");
    resize(&terminal, 80, 24);
    assert_shows(&terminal, "decision 20/20+");
    resize(&terminal, 120, 40);
    assert_shows(&terminal, "running, 0 ahead");
    keys(&terminal, "\033");
    assert_shows(&terminal, "held, 0 ahead");
    keys(&terminal, "S");
    assert_shows(&terminal, "decision 19/");
    send_bytes(&terminal, "\033[F", 3);
    assert_shows(&terminal, "waiting for the planner ...; Esc holds");
    end(&terminal, 0, "\033q");
}

static void test_new_buffers(void **state) {
    static const char *const behaviours[] = {"late", "online"};
    struct terminal terminal;
    (void)state;
    for (int i = 0; i < 2 && start(&terminal, behaviours[i], "60"); i++) {
        wait_idle(&terminal);
        for (int k = 1; k <= 12; k++) {
            char text[32];
            snprintf(text, sizeof text, "decision %d/", k);
            send_bytes(&terminal, "s", 1);
            assert_shows(&terminal, text);
        }
        send_bytes(&terminal, "c", 1);
        assert_shows(&terminal, "decision 60/60 ");
        end(&terminal, 0, "q");
    }
}

static void test_ends(void **state) {
    struct terminal terminal;
    (void)state;
    if (start(&terminal, "crash", "20")) {
        wait_idle(&terminal);
        send_bytes(&terminal, "c", 1);
        assert_shows(&terminal, "after decision 10: the command was ended by SIGABRT");
        keys(&terminal, ":log\r");
        assert_shows(&terminal, "assertion 'gap >= 0' failed");
        end(&terminal, 0, "\033q");
    }
}

static void test_runs_again(void **state) {
    struct terminal terminal;
    (void)state;
    if (!start(&terminal, "steady", "30")) {
        return;
    }
    wait_idle(&terminal);
    send_bytes(&terminal, ":goto 5\r:pin b5 4096\r", 21);
    assert_shows(&terminal, "branch 2 of 2");
    keys(&terminal, "s");
    assert_shows(&terminal, "Places b5 (64 B) at sram+4096");
    send_bytes(&terminal, ":forbid b9 0 512\r", 17);
    assert_shows(&terminal, "branch 3 of 3"); /* keys that come while it runs again are not heeded */
    keys(&terminal, ":last\r");
    assert_shows(&terminal, "decision 30/30");
    keys(&terminal, "u");
    assert_shows(&terminal, "branch");
    keys(&terminal, ":run-command\r");
    assert_shows(&terminal, "steady");
    assert_shows(&terminal, "It may be run again");
    end(&terminal, SIGTERM, NULL);
}

/* While a run again hangs: Esc ends it and nothing has changed. */
static void test_run_again_ended(void **state) {
    struct terminal terminal;
    (void)state;
    if (!start(&terminal, "hang", "40")) {
        return;
    }
    wait_idle(&terminal);
    send_bytes(&terminal, ":goto 5\r:pin b5 4096\r", 21);
    assert_shows(&terminal, "Esc ends it");
    keys(&terminal, "\033");
    assert_shows(&terminal, "the command was ended; nothing has changed");
    assert_shows(&terminal, "decision 5/");
    send_bytes(&terminal, ":pin b5 4096\r", 13);
    assert_shows(&terminal, "Esc ends it");
    end(&terminal, SIGTERM, NULL);
}

static void test_signals(void **state) {
    static const int signals[] = {SIGTERM, SIGHUP, SIGKILL};
    static const char *const behaviours[] = {"hang", "stubborn", "steady", "leave"};
    struct terminal terminal;
    (void)state;
    for (size_t k = 0; k < sizeof behaviours / sizeof *behaviours; k++) {
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
            bool leaves = strcmp(behaviours[k], "leave") == 0;
            if ((leaves && signals[i] == SIGKILL) || !start(&terminal, behaviours[k], "2000")) {
                continue; /* SIGKILL: only the direct child ends */
            }
            wait_idle(&terminal);
            send_bytes(&terminal, leaves ? "\033[F" : "s", leaves ? 3 : 1);
            assert_shows(&terminal, leaves ? "decision 2,000/" : "decision 1/");
            end(&terminal, signals[i], NULL);
        }
    }
}

/* What was done is kept when the program is killed, and taken up without running the command. */
static void test_recovers(void **state) {
    struct terminal terminal;
    (void)state;
    if (!start(&terminal, "steady", "30")) {
        return;
    }
    wait_idle(&terminal);
    send_bytes(&terminal, ":goto 5\r:pin b5 4096\r", 21);
    assert_shows(&terminal, "branch 2 of 2");
    wait_idle(&terminal);
    keys(&terminal, ":goto 7\r");
    end(&terminal, SIGKILL, NULL);
    unlink(count);
    keep_state = true;
    const char *const words[] = {SW_TEST_SOURCE "/tests/tui/models/small.json", NULL};
    if (start_with(&terminal, "tmux-256color", 100, 30, words)) {
        wait_idle(&terminal);
        assert_shows(&terminal, "attach_planner, cut off");
        keys(&terminal, "R");
        assert_shows(&terminal, "took up attach_planner");
        assert_shows(&terminal, "branch 2 of 2");
        assert_int_equal(decided(), 0);
        keys(&terminal, ":pin b9 8192\r");
        assert_shows(&terminal, ":run-command yes");
        keys(&terminal, ":run-command yes\r");
        send_bytes(&terminal, ":pin b9 8192\r", 13);
        assert_shows(&terminal, "branch 3 of 3");
        assert_true(decided() > 0);
        end(&terminal, SIGTERM, NULL);
    }
    keep_state = false;
}

int main(void) {
    const char *given = getenv("STOWAGE");
    planner = getenv("ATTACH_PLANNER");
    if (!given || !planner) {
        puts("skipped: STOWAGE and ATTACH_PLANNER do not say which programs to test");
        return 77;
    }
    if (!open_home(given)) {
        return 1;
    }
    snprintf(scratch, sizeof scratch, "%s/scratch", home);
    snprintf(count, sizeof count, "%s/count", home);
    if (mkdir(scratch, 0700) != 0) {
        return 1;
    }
    setenv("TMPDIR", scratch, 1);
    setenv("PLANNER_COUNT", count, 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps),       cmocka_unit_test(test_waits),
                                       cmocka_unit_test(test_new_buffers), cmocka_unit_test(test_ends),
                                       cmocka_unit_test(test_runs_again),  cmocka_unit_test(test_run_again_ended),
                                       cmocka_unit_test(test_signals),     cmocka_unit_test(test_recovers)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return close_home() ? failed : 1;
}
