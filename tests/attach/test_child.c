/* Planners as child processes: how they behave and end, what they print, and what is left of them. */
#include "children.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- how they end ---- */

static void a_good_end(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START(planner(), "steady", "20");
    const struct sw_child_facts *facts = sw_child_facts(child);
    assert_string_equal(facts->how, "");
    assert_false(facts->ended);
    run_out(child, &text);
    assert_int_equal(facts->exit_status, 0);
    assert_int_equal(facts->signal, 0);
    assert_string_equal(facts->how, "ended with exit status 0");
    assert_int_equal(occurrences(text_of(&text), "{\"decision\":"), 20);
    assert_int_equal(facts->recorded, text.bytes.count);
    assert_non_null(strstr(text.bytes.items, "{\"end\":\"done\",\"peak\":"));
    assert_int_equal(facts->opened_demands, -1);
    end(child, &text);
}

static void a_status(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START(planner(), "fail");
    run_out(child, &text);
    assert_int_equal(sw_child_facts(child)->exit_status, 3);
    assert_string_equal(sw_child_facts(child)->how, "ended with exit status 3");
    end(child, &text);
}

/* What was recorded before is all there. */
static void a_crash(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START("sh", "-c", "ulimit -c 0; exec \"$0\" crash 20", planner());
    run_out(child, &text);
    assert_int_equal(sw_child_facts(child)->signal, SIGABRT);
    assert_int_equal(sw_child_facts(child)->exit_status, -1);
    assert_string_equal(sw_child_facts(child)->how, "was ended by SIGABRT (Aborted)");
    assert_int_equal(occurrences(text_of(&text), "{\"decision\":"), 10);
    assert_null(strstr(text.bytes.items, "{\"end\""));
    assert_lines(child, SW_CHILD_ERR, 5, "planner: assertion 'gap >= 0' failed\n");
    end(child, &text);
}

static void ended_from_outside(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START(planner(), "hang");
    WHILE(child, false, &text, occurrences(text_of(&text), "{\"decision\":") < 10) {}
    kill(sw_child_facts(child)->process, SIGKILL);
    run_out(child, &text);
    assert_string_equal(sw_child_facts(child)->how, "was ended by SIGKILL (Killed)");
    end(child, &text);
    child = START(planner(), "hang");
    kill(sw_child_facts(child)->process, SIGRTMIN + 1);
    run_out(child, &text);
    assert_int_equal(sw_child_facts(child)->signal, SIGRTMIN + 1);
    assert_int_equal(strncmp(sw_child_facts(child)->how, "was ended by signal 3", 21), 0);
    end(child, &text);
}

static void asked_to_end(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START(planner(), "hang");
    WHILE(child, false, &text, occurrences(text_of(&text), "{\"decision\":") < 10) {}
    sw_child_end(child);
    assert_true(sw_child_facts(child)->ended && sw_child_facts(child)->over);
    assert_int_equal(sw_child_facts(child)->signal, SIGTERM);
    char byte;
    size_t got;
    assert_int_equal(sw_child_read(child, &byte, 1, &got), SW_CHILD_END);
    end(child, &text);
}

/* One that is stopped hears of the signal, too. */
static void asked_to_end_when_stopped(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START("sh", "-c", "kill -STOP $$");
    siginfo_t about = {0};
    assert_int_equal(waitid(P_PID, (id_t)sw_child_facts(child)->process, &about, WSTOPPED | WNOWAIT), 0);
    sw_child_end(child);
    assert_int_equal(sw_child_facts(child)->signal, SIGTERM);
    end(child, &text);
}

static void ignores_sigterm(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START(planner(), "stubborn");
    WHILE(child, false, &text, occurrences(text_of(&text), "{\"decision\":") < 10) {}
    sw_child_end(child);
    assert_int_equal(sw_child_facts(child)->signal, SIGKILL);
    end(child, &text);
    child = START(planner(), "stubborn"); /* at once */
    sw_child_free(child);
}

/* Nothing of the end makes the caller wait. */
static void ended_turn_by_turn(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START(planner(), "stubborn");
    WHILE(child, false, &text, occurrences(text_of(&text), "{\"decision\":") < 10) {}
    sw_child_end_begin(child);
    assert_false(sw_child_ended(child));
    unsigned turns = 0;
    for (time_t until = steady_seconds() + DEADLINE; !sw_child_ended(child); turns++) {
        assert_true(steady_seconds() < until);
        turn(child, true, NULL);
    }
    assert_true(turns > 0);
    assert_int_equal(sw_child_facts(child)->signal, SIGKILL);
    assert_true(sw_child_ended(child));
    end(child, &text);
}

/* ---- what they leave ---- */

static void processes_left_behind(void **state) {
    (void)state;
    struct text text = {0};
    char folder[256];
    struct sw_child *child =
        START("sh", "-c", "echo \"$STOWAGE_RECORD\" >\"$STOWAGE_RECORD\"; exec \"$0\" leave", planner());
    run_out(child, &text);
    text_of(&text);
    folder_of(&text, folder);
    assert_string_equal(sw_child_facts(child)->how, "ended with exit status 0");
    assert_int_equal(count_marked(folder), 2);
    sw_child_end(child);
    assert_int_equal(sw_child_facts(child)->left, 0);
    assert_int_equal(count_marked(folder), 0);
    end(child, &text);
}

/* It might still record something. */
static void still_open_elsewhere(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child =
        START("sh", "-c", "exec 3>\"$STOWAGE_RECORD\"; \"$0\" steady; sleep 1000 & exit 2", planner());
    WHILE(child, false, &text, !sw_child_facts(child)->ended || !strstr(text_of(&text), "{\"end\"")) {}
    char byte;
    size_t got;
    assert_int_equal(sw_child_read(child, &byte, 1, &got), SW_CHILD_NOTHING);
    assert_string_equal(sw_child_facts(child)->how, "ended with exit status 2");
    end(child, &text);
}

/* The same while COMMAND itself still runs, several levels above them. */
static void a_tree_of_processes(void **state) {
    (void)state;
    struct text text = {0};
    char folder[256];
    struct sw_child *child =
        START("sh", "-c",
              "echo \"$STOWAGE_RECORD\" >\"$STOWAGE_RECORD\"; setsid setsid \"$0\" leave & setsid \"$0\" "
              "stubborn & wait; sleep 1000",
              planner());
    WHILE(child, false, &text, occurrences(text_of(&text), "{\"decision\":") < 30) {}
    folder_of(&text, folder);
    assert_true(count_marked(folder) >= 4);
    sw_child_end(child);
    assert_int_equal(count_marked(folder), 0);
    end(child, &text);
}

/* The program is killed, and can do nothing: what COMMAND started in a session of its own ends all the same, and the
 * folder goes. */
static void nothing_survives_a_kill(void **state) {
    (void)state;
    char folder[256] = "";
    int told[2], status;
    assert_int_equal(pipe(told), 0);
    pid_t program = fork();
    if (program == 0) {
        struct text text = {0};
        struct sw_child *child = START("sh", "-c",
                                       "echo \"$STOWAGE_RECORD\" >\"$STOWAGE_RECORD\"; setsid setsid \"$0\" leave & "
                                       "setsid \"$0\" stubborn & exec sleep 1000",
                                       planner());
        WHILE(child, false, &text, occurrences(text_of(&text), "{\"decision\":") < 30) {}
        folder_of(&text, folder);
        bool good = count_marked(folder) >= 3 && write(told[1], folder, sizeof folder) == (ssize_t)sizeof folder;
        raise(good ? SIGKILL : SIGTERM);
    }
    close(told[1]);
    assert_int_equal(read(told[0], folder, sizeof folder), sizeof folder);
    close(told[0]);
    assert_int_equal(waitpid(program, &status, 0), program);
    assert_int_equal(WTERMSIG(status), SIGKILL);
    for (time_t until = steady_seconds() + DEADLINE; count_marked(folder) > 0 || access(folder, F_OK) == 0;) {
        assert_true(steady_seconds() < until);
        sched_yield();
    }
    while (waitpid(-1, &status, 0) > 0) { /* orphans come to this process; among them is the keeper */
    }
}

/* Those that ended long ago are waited for while COMMAND runs. */
static void orphans_are_waited_for(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START("sh", "-c", "(setsid sh -c 'echo $$ >&2' &) ; exec sleep 1000");
    char line[32];
    struct sw_sink sink = {0};
    WHILE(child, true, NULL, sw_child_facts(child)->printed[SW_CHILD_ERR] == 0) {}
    sw_child_last_lines(child, SW_CHILD_ERR, 1, &sink);
    snprintf(line, sizeof line, "%.*s", (int)sink.text.count, sink.text.items);
    sw_sink_done(&sink);
    pid_t orphan = (pid_t)strtol(line, NULL, 10);
    assert_true(orphan > 0);
    for (time_t until = steady_seconds() + DEADLINE; kill(orphan, 0) == 0; sw_child_poll(child)) {
        assert_true(steady_seconds() < until);
        sched_yield();
    }
    end(child, &text);
}

/* Two at a time: what is one's is not the other's. */
static void two_children(void **state) {
    (void)state;
    struct text text = {0}, other_text = {0};
    struct sw_child *child = START("sh", "-c", "\"$0\" hang & wait", planner()), *other = START(planner(), "leave");
    WHILE(child, false, &text, occurrences(text_of(&text), "{\"decision\":") < 10) {}
    run_out(other, &other_text);
    assert_int_equal(occurrences(text_of(&other_text), "{\"decision\":"), 20);
    sw_child_end(other);
    sw_child_poll(child);
    assert_false(sw_child_facts(child)->ended);
    sw_child_free(other);
    SW_ARRAY_DONE(&other_text.bytes);
    other = START(planner(), "stubborn");
    sw_child_free(other);
    sw_child_poll(child);
    assert_false(sw_child_facts(child)->ended);
    end(child, &text);
}

/* Other children of this process are neither waited for nor signalled. */
static void other_children(void **state) {
    (void)state;
    struct text text = {0};
    int status = 0;
    pid_t idle = fork();
    if (idle == 0) {
        for (;;) {
            pause();
        }
    }
    pid_t quick = fork();
    if (quick == 0) {
        _exit(7);
    }
    siginfo_t about = {0};
    assert_int_equal(waitid(P_PID, (id_t)quick, &about, WEXITED | WNOWAIT), 0);
    struct sw_child *child = START(planner(), "leave");
    pid_t late = fork(); /* younger than COMMAND */
    if (late == 0) {
        close_range(3, ~0u, 0); /* among them this side's end of the pipe */
        for (;;) {
            pause();
        }
    }
    run_out(child, &text);
    end(child, &text);
    assert_int_equal(waitpid(quick, &status, WNOHANG), quick);
    assert_int_equal(WEXITSTATUS(status), 7);
    assert_int_equal(waitpid(idle, &status, WNOHANG), 0);
    assert_int_equal(waitpid(late, &status, WNOHANG), 0);
    kill(idle, SIGKILL);
    kill(late, SIGKILL);
    assert_int_equal(waitpid(idle, &status, 0), idle);
    assert_int_equal(waitpid(late, &status, 0), late);
}

/* ---- the pipe ---- */

static void held(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START("sh", "-c",
                                   "i=0; while [ $i -lt 40000 ]; do echo \"{\\\"decision\\\":$i}\"; i=$((i+1)); "
                                   "[ $((i % 200)) = 0 ] && echo $i >&2; done >\"$STOWAGE_RECORD\"");
    WHILE(child, true, NULL, sw_child_facts(child)->printed[SW_CHILD_ERR] == 0) {}
    for (unsigned i = 0; i < 200; i++) { /* it may run as long as it can */
        sched_yield();
        sw_child_poll(child);
    }
    assert_false(sw_child_facts(child)->ended);
    struct sw_sink sink = {0};
    sw_child_last_lines(child, SW_CHILD_ERR, 1, &sink);
    sw_sink_add(&sink, "", 1);
    /* The pipe holds a page; a decision here is at least 14 bytes. */
    assert_true(strtol(sink.text.items, NULL, 10) <= sysconf(_SC_PAGESIZE) / 14);
    sw_sink_done(&sink);
    run_out(child, &text);
    assert_int_equal(occurrences(text_of(&text), "{\"decision\":"), 40000);
    end(child, &text);
}

static void closes_early(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START(planner(), "early", "20");
    run_out(child, &text);
    assert_int_equal(occurrences(text_of(&text), "{\"decision\":"), 10);
    assert_string_equal(sw_child_facts(child)->how, "ended with exit status 0");
    end(child, &text);
}

static void opens_it_twice(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START("sh", "-c", "\"$0\" twice 30 && sleep 0.05 && \"$0\" fork 30", planner());
    run_out(child, &text);
    assert_int_equal(occurrences(text_of(&text), "{\"decision\":"), 90);
    assert_int_equal(occurrences(text_of(&text), "{\"stowage-trace\":1"), 3);
    end(child, &text);
}

/* A script that closes what it inherited, between this program and the planner. */
static void through_python(void **state) {
    (void)state;
    struct text text = {0};
    if (system("python3 -c 'import subprocess' 2>/dev/null") != 0) {
        printf("skipped: python3 is not installed\n");
        return;
    }
    struct sw_child *child =
        START("python3", "-c", "import subprocess, sys; subprocess.run(sys.argv[1:], close_fds=True)", planner(),
              "steady", "25");
    run_out(child, &text);
    assert_int_equal(occurrences(text_of(&text), "{\"decision\":"), 25);
    end(child, &text);
}

/* COMMAND returns at once, and the planner runs on without it. */
static void not_waited_for(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START("sh", "-c", "(sleep 0.3; exec \"$0\" steady 30) &", planner());
    run_out(child, &text);
    assert_int_equal(occurrences(text_of(&text), "{\"decision\":"), 30);
    end(child, &text);
    child = START("sh", "-c", "exec sleep 1000 &"); /* and none: it is not over, and can be ended */
    WHILE(child, false, &text, !sw_child_facts(child)->ended) {}
    turn(child, false, &text);
    assert_false(sw_child_facts(child)->over);
    end(child, &text);
    child = START("true"); /* nothing recorded, and nothing left */
    run_out(child, &text);
    assert_int_equal(sw_child_facts(child)->recorded, 0);
    end(child, &text);
}

/* A planner that still writes when the reader goes is not in the way. */
static void ended_while_it_writes(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START("sh", "-c", "trap '' TERM PIPE; cat /dev/zero >\"$STOWAGE_RECORD\"; exit 5");
    WHILE(child, false, &text, text.bytes.count < 100000) {}
    end(child, &text);
}

/* ---- output ---- */

/* It is written in pieces of 819 lines of 80 bytes, and 16 bytes more. */
#define LAST "................the last line\n"

static void a_gigabyte(void **state) {
    (void)state;
    struct text text = {0};
    struct rusage before, after;
    struct sw_child *child = START(planner(), "loud", "20");
    getrusage(RUSAGE_SELF, &before);
    run_out(child, &text);
    getrusage(RUSAGE_SELF, &after);
    assert_int_equal(sw_child_facts(child)->exit_status, 0);
    assert_int_equal(sw_child_facts(child)->printed[SW_CHILD_OUT], (UINT64_C(1) << 30) + 14);
    assert_int_equal(occurrences(text_of(&text), "{\"decision\":"), 20);
    assert_lines(child, SW_CHILD_OUT, 1, LAST);
    assert_true(after.ru_maxrss - before.ru_maxrss < 16 * 1024);
    end(child, &text);
}

static void prints(const char *what, unsigned lines, const char *expected) {
    struct text text = {0};
    struct sw_child *child = START("printf", "%b", what);
    run_out(child, &text);
    assert_lines(child, SW_CHILD_OUT, lines, expected);
    assert_lines(child, SW_CHILD_ERR, lines, "");
    end(child, &text);
}

static void last_lines(void **state) {
    (void)state;
    prints("", 5, "");
    prints("one", 5, "one\n");
    prints("one\\ntwo\\n", 5, "one\ntwo\n");
    prints("one\\ntwo\\nthree\\n", 2, "two\nthree\n");
    prints("one\\ntwo\\nthree", 2, "two\nthree\n");
    prints("one\\n\\n\\n", 2, "\n\n");
    prints("\\n", 2, "\n");
    prints("one\\n", 0, "");
    prints("a\\tb\\033[31mred\\007\\n", 5, "a       b\\x1b[31mred\\x07\n");
    prints("10%\\r20%\\r100%\\r\\ndone\\r\\n", 5, "100%\ndone\n");
    prints("\\0342\\0200\\0256evil \\0303\\0244\\0377\\n", 5, "\\xe2\\x80\\xaeevil \303\244\\xff\n");
}

/* The beginning is cut off within a character, and what is kept goes round the ring. */
static void the_last_part_of_much(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child =
        START("sh", "-c",
              "i=0; while [ $i -lt 9000 ]; do printf '%08d\303\244\303\244' $i; i=$((i+1)); done; printf '\\nlast\\n'");
    run_out(child, &text);
    assert_int_equal(sw_child_facts(child)->printed[SW_CHILD_OUT], 9000 * 12 + 6);
    struct sw_sink sink = {0};
    sw_child_last_lines(child, SW_CHILD_OUT, 100, &sink);
    sw_sink_add(&sink, "", 1);
    assert_true(sink.text.count > 65500 && sink.text.count < 65550);
    assert_memory_equal(sink.text.items, "...", 3);
    assert_null(strstr(sink.text.items, "\\x"));
    assert_non_null(strstr(sink.text.items, "00008999\303\244\303\244\nlast\n"));
    sw_sink_done(&sink);
    end(child, &text);
}

/* A process that holds standard output open does not keep the end from being seen. */
static void output_that_stays_open(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START("sh", "-c", "echo before; setsid sleep 1000 & \"$0\" steady", planner());
    run_out(child, &text);
    assert_lines(child, SW_CHILD_OUT, 5, "before\n");
    end(child, &text);
}
int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_good_end),
        CASE(a_status),
        CASE(a_crash),
        CASE(ended_from_outside),
        CASE(asked_to_end),
        CASE(asked_to_end_when_stopped),
        CASE(ignores_sigterm),
        CASE(ended_turn_by_turn),
        CASE(processes_left_behind),
        CASE(still_open_elsewhere),
        CASE(a_tree_of_processes),
        CASE(nothing_survives_a_kill),
        CASE(orphans_are_waited_for),
        CASE(two_children),
        CASE(other_children),
        CASE(held),
        CASE(closes_early),
        CASE(opens_it_twice),
        CASE(through_python),
        CASE(not_waited_for),
        CASE(ended_while_it_writes),
        CASE(a_gigabyte),
        CASE(last_lines),
        CASE(the_last_part_of_much),
        CASE(output_that_stays_open),
    };
    if (getenv("ATTACH_CASE")) {
        cmocka_set_test_filter(getenv("ATTACH_CASE"));
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
