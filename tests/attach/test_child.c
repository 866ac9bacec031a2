/* Planners as child processes: every way they begin, behave and end, and what is left of them. */
#include "../unit/unit.h"

#include "attach/child.h"
#include "share.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DEADLINE = 120 }; /* seconds, for what takes milliseconds */

/* ---- helpers ---- */

static time_t steady_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

static const char *planner(void) {
    const char *path = getenv("ATTACH_PLANNER");
    assert_non_null(path);
    return path;
}

static struct sw_child *start_in(const char *directory, const char *const *argv) {
    struct sw_error error = {0};
    struct sw_child *child =
        sw_child_start(&(struct sw_child_command){.argv = argv, .directory = directory}, &error);
    if (!child) {
        fail_msg("%s", error.message);
    }
    return child;
}

#define START(...) start_in(NULL, (const char *const[]){__VA_ARGS__, NULL})

/* What was recorded, as a text that ends in NUL. */
struct text {
    SW_ARRAY(char) bytes;
};

static const char *text_of(struct text *text) {
    assert_true(SW_RESERVE(&text->bytes, text->bytes.count + 1));
    text->bytes.items[text->bytes.count] = '\0';
    return text->bytes.items;
}

/* Sleeps until something happens, and takes it. */
static void turn(struct sw_child *child, bool holding, struct text *text) {
    struct pollfd polls[SW_CHILD_POLLS];
    int timeout;
    char bytes[1000];
    size_t got;
    size_t count = sw_child_polls(child, holding, polls, &timeout);
    poll(polls, (nfds_t)count, timeout < 0 || timeout > 1000 ? 1000 : timeout);
    sw_child_poll(child);
    if (holding || sw_child_read(child, bytes, sizeof bytes, &got) != SW_CHILD_BYTES) {
        return;
    }
    assert_true(SW_RESERVE(&text->bytes, text->bytes.count + got));
    memcpy(text->bytes.items + text->bytes.count, bytes, got);
    text->bytes.count += got;
}

/* Takes turns while the condition holds. */
#define WHILE(child, holding, text, condition)                                                     \
    for (time_t until_ = steady_seconds() + DEADLINE; (condition); turn((child), (holding), (text))) {          \
        if (steady_seconds() > until_) {                                                                  \
            fail_msg("still: %s", #condition);                                                     \
        }                                                                                          \
    }

static void run_out(struct sw_child *child, struct text *text) {
    const struct sw_child_facts *facts = sw_child_facts(child);
    WHILE (child, false, text, !facts->ended || !facts->over) {
    }
}

static void end(struct sw_child *child, struct text *text) {
    sw_child_end(child);
    assert_int_equal(sw_child_facts(child)->left, 0);
    sw_child_free(child);
    SW_ARRAY_DONE(&text->bytes);
}

static unsigned occurrences(const char *text, const char *word) {
    unsigned count = 0;
    for (; (text = strstr(text, word)); text++) {
        count++;
    }
    return count;
}

static void assert_lines(const struct sw_child *child, enum sw_child_stream stream, unsigned lines,
                         const char *expected) {
    struct sw_sink sink = {0};
    sw_child_last_lines(child, stream, lines, &sink);
    sw_sink_add(&sink, "", 1);
    assert_string_equal(sink.text.items, expected);
    sw_sink_done(&sink);
}

static void folder_of(const struct text *text, char folder[256]) { /* what `sh -c 'echo $STOWAGE_RECORD'` recorded */
    size_t length = strcspn(text->bytes.items, "\n");
    assert_true(length < 200 && length <= text->bytes.count);
    memcpy(folder, text->bytes.items, length);
    folder[length] = '\0';
    char *slash = strrchr(folder, '/');
    assert_non_null(slash);
    *slash = '\0';
}

/* ---- before and after each test: the same descriptors, no children, an empty folder ---- */

struct place {
    char folder[64];
    unsigned descriptors;
};

static unsigned count_entries(const char *path) {
    DIR *folder = opendir(path);
    unsigned count = 0;
    while (folder && readdir(folder)) {
        count++;
    }
    if (folder) {
        closedir(folder);
    }
    return count;
}

static int enter(void **state) {
    static struct place place;
    strcpy(place.folder, "/tmp/stowage-test-XXXXXX");
    assert_non_null(mkdtemp(place.folder));
    setenv("TMPDIR", place.folder, 1);
    place.descriptors = count_entries("/proc/self/fd");
    *state = &place;
    return 0;
}

static int leave(void **state) {
    struct place *place = *state;
    unsigned files = count_entries(place->folder), descriptors = count_entries("/proc/self/fd");
    int status;
    pid_t left = waitpid(-1, &status, WNOHANG);
    rmdir(place->folder);
    if (files != 2 || descriptors != place->descriptors || left != -1 || errno != ECHILD) {
        print_error("left: %u files, %d descriptors, child %d\n", files - 2,
                    (int)descriptors - (int)place->descriptors, (int)left);
        return -1;
    }
    return 0;
}

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

static void ended_by_somebody(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START(planner(), "hang");
    WHILE (child, false, &text, occurrences(text_of(&text), "{\"decision\":") < 10) {
    }
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
    WHILE (child, false, &text, occurrences(text_of(&text), "{\"decision\":") < 10) {
    }
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
    WHILE (child, false, &text, occurrences(text_of(&text), "{\"decision\":") < 10) {
    }
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
    WHILE (child, false, &text, occurrences(text_of(&text), "{\"decision\":") < 10) {
    }
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

/* Every process that had this folder's pipe when it was started: found by its environment, unlike in guard.c. */
static unsigned count_marked(const char *folder) {
    char path[300], *environment = malloc(1 << 20);
    unsigned count = 0;
    DIR *all = opendir("/proc");
    assert_true(all && environment);
    for (struct dirent *entry; (entry = readdir(all));) {
        snprintf(path, sizeof path, "/proc/%s/environ", entry->d_name);
        int fd = entry->d_name[0] >= '0' && entry->d_name[0] <= '9' ? open(path, O_RDONLY | O_CLOEXEC) : -1;
        ssize_t got = fd >= 0 ? read(fd, environment, 1 << 20) : 0;
        count += got > 0 && memmem(environment, (size_t)got, folder, strlen(folder));
        if (fd >= 0) {
            close(fd);
        }
    }
    closedir(all);
    free(environment);
    return count;
}

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
static void somebody_still_has_it_open(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START("sh", "-c", "exec 3>\"$STOWAGE_RECORD\"; \"$0\" steady; sleep 1000 & exit 2", planner());
    WHILE (child, false, &text, !sw_child_facts(child)->ended || !strstr(text_of(&text), "{\"end\"")) {
    }
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
    struct sw_child *child = START("sh", "-c",
                                   "echo \"$STOWAGE_RECORD\" >\"$STOWAGE_RECORD\"; setsid setsid \"$0\" leave & setsid \"$0\" "
                                   "stubborn & wait; sleep 1000",
                                   planner());
    WHILE (child, false, &text, occurrences(text_of(&text), "{\"decision\":") < 30) {
    }
    folder_of(&text, folder);
    assert_true(count_marked(folder) >= 4);
    sw_child_end(child);
    assert_int_equal(count_marked(folder), 0);
    end(child, &text);
}

/* Those that ended long ago are waited for while COMMAND runs. */
static void orphans_are_waited_for(void **state) {
    (void)state;
    struct text text = {0};
    struct sw_child *child = START("sh", "-c", "(setsid sh -c 'echo $$ >&2' &) ; exec sleep 1000");
    char line[32];
    struct sw_sink sink = {0};
    WHILE (child, true, NULL, sw_child_facts(child)->printed[SW_CHILD_ERR] == 0) {
    }
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
    WHILE (child, false, &text, occurrences(text_of(&text), "{\"decision\":") < 10) {
    }
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
    struct sw_child *child = START("sh", "-c", "i=0; while [ $i -lt 40000 ]; do echo \"{\\\"decision\\\":$i}\"; i=$((i+1)); "
                                               "[ $((i % 200)) = 0 ] && echo $i >&2; done >\"$STOWAGE_RECORD\"");
    WHILE (child, true, NULL, sw_child_facts(child)->printed[SW_CHILD_ERR] == 0) {
    }
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
        START("python3", "-c", "import subprocess, sys; subprocess.run(sys.argv[1:], close_fds=True)", planner(), "steady", "25");
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
    WHILE (child, false, &text, !sw_child_facts(child)->ended) {
    }
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
    WHILE (child, false, &text, text.bytes.count < 100000) {
    }
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
        START("sh", "-c", "i=0; while [ $i -lt 9000 ]; do printf '%08d\303\244\303\244' $i; i=$((i+1)); done; printf '\\nlast\\n'");
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

/* ---- starting ---- */

static void refuse(const char *directory, const char *name, enum sw_code code, const char *message) {
    struct sw_error error = {0};
    const char *const argv[] = {name, "x", NULL};
    assert_null(sw_child_start(&(struct sw_child_command){.argv = argv, .directory = directory}, &error));
    assert_string_equal(error.message, message);
    assert_int_equal(error.code, code);
}

static void cannot_be_started(void **state) {
    struct place *place = *state;
    char path[128];
    char *path_before = strdup(getenv("PATH"));
    setenv("PATH", "/usr/bin:/bin", 1); /* a folder in it that may not be searched would give another error */
    refuse(NULL, NULL, SW_ERROR_USAGE, "no command is given");
    refuse(NULL, "", SW_ERROR_USAGE, "the command's name is empty");
    refuse(NULL, "no-such-planner", SW_ERROR_IO, "cannot run no-such-planner: No such file or directory");
    refuse(NULL, "./no\nsuch", SW_ERROR_IO, "cannot run ./no?such: No such file or directory");
    refuse(NULL, "/", SW_ERROR_IO, "cannot run /: Permission denied");
    refuse(NULL, "/dev/null", SW_ERROR_IO, "cannot run /dev/null: Permission denied");
    refuse("/no/such", "true", SW_ERROR_IO, "cannot run true in /no/such: No such file or directory");
    refuse("/dev/null", "true", SW_ERROR_IO, "cannot run true in /dev/null: Not a directory");
    snprintf(path, sizeof path, "%s/script", place->folder);
    FILE *script = fopen(path, "w");
    assert_non_null(script);
    fputs("#!/no/such/interpreter\n", script);
    fclose(script);
    refuse(place->folder, "./script", SW_ERROR_IO, "cannot run ./script: Permission denied");
    chmod(path, 0700);
    refuse(place->folder, "./script", SW_ERROR_IO,
           "cannot run ./script: the program that its first line names does not exist");
    unlink(path);
    setenv("PATH", path_before, 1);
    free(path_before);
    setenv("TMPDIR", "/no/such", 1);
    refuse(NULL, "true", SW_ERROR_IO, "cannot make a folder for the pipe in /no/such: No such file or directory");
}

/* Every descriptor in turn is the one that there is not: nothing is left of the others. */
static void too_few_descriptors(void **state) {
    (void)state;
    struct rlimit limit, few;
    getrlimit(RLIMIT_NOFILE, &limit);
    unsigned failed = 0;
    for (few = limit, few.rlim_cur = 0; few.rlim_cur < 64; few.rlim_cur++) {
        struct sw_error error = {0};
        setrlimit(RLIMIT_NOFILE, &few);
        struct sw_child *child = sw_child_start(
            &(struct sw_child_command){.argv = (const char *const[]){"true", NULL},
                                       .demands = (const struct sw_child_demand[]){{.step = 1, .buffer = "b0"}},
                                       .demand_count = 1},
            &error);
        setrlimit(RLIMIT_NOFILE, &limit);
        failed += !child;
        assert_true(child || error.message[0]);
        sw_child_free(child);
    }
    assert_true(failed > 5 && failed < 60);
}

static void without_memory(void **state) {
    (void)state;
    struct limit limit = {0};
    do {
        uint64_t allowed = limit.left;
        struct sw_error error = {0};
        limit.hit = false;
        sw_mem_hook(limited, &limit);
        struct sw_child *child = sw_child_start(
            &(struct sw_child_command){.argv = (const char *const[]){"true", NULL},
                                       .demands = (const struct sw_child_demand[]){{.step = 1, .buffer = "b0"}},
                                       .demand_count = 1},
            &error);
        assert_true(limit.hit || child);
        assert_true(child || error.code == SW_ERROR_MEMORY);
        sw_child_free(child);
        sw_mem_hook(NULL, NULL);
        limit.left = allowed + 1;
    } while (limit.hit);
    assert_true(limit.left > 3);
}

static void many_at_a_time(void **state) {
    (void)state;
    struct sw_child *children[SW_CHILD_MOST];
    const char *const argv[] = {"sleep", "1000", NULL};
    struct sw_error error = {0};
    for (unsigned i = 0; i < SW_CHILD_MOST; i++) {
        children[i] = start_in(NULL, argv);
    }
    assert_null(sw_child_start(&(struct sw_child_command){.argv = argv}, &error));
    assert_string_equal(error.message, "up to 16 commands run at the same time");
    for (unsigned i = 0; i < SW_CHILD_MOST; i++) {
        sw_child_free(children[i]);
    }
}

static void what_it_inherits(void **state) {
    (void)state;
    struct text text = {0};
    int leaked = fcntl(STDIN_FILENO, F_DUPFD, 57), other = fcntl(STDIN_FILENO, F_DUPFD, 900);
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    signal(SIGPIPE, SIG_IGN);
    struct sw_child *child = START(planner(), "descriptors");
    run_out(child, &text);
    assert_lines(child, SW_CHILD_OUT, 5, "0 1 2 3 no terminal\n"); /* the pipe of its own record */
    end(child, &text);
    child = START("sh", "-c", "grep -E 'Sig(Blk|Ign)' /proc/self/status; readlink /proc/self/fd/0; pwd; "
                              "[ \"$(ps -o sid= -p $$)\" -eq $$ ] && [ -z \"$STOWAGE_DEMANDS\" ] && echo alone; yes | head -1");
    run_out(child, &text);
    char expected[PATH_MAX + 200], here[PATH_MAX];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(expected, sizeof expected, "SigBlk: 0000000000000000\nSigIgn: 0000000000000000\n/dev/null\n%s\nalone\ny\n", here);
    assert_lines(child, SW_CHILD_OUT, 9, expected);
    end(child, &text);
    signal(SIGPIPE, SIG_DFL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(leaked);
    close(other);
}

static void in_a_directory(void **state) {
    struct place *place = *state;
    struct text text = {0};
    setenv("STOWAGE_DEMANDS", "/of/somebody/else", 1);
    setenv("STOWAGE_RECORD", "/of/somebody/else", 1);
    struct sw_child *child = start_in(place->folder, (const char *const[]){"sh", "-c", "pwd; env | grep -c ^STOWAGE_; ls -ld ${STOWAGE_RECORD%/*} "
                                                                           "| cut -c1-10; ls -l $STOWAGE_RECORD | cut -c1-10", NULL});
    char expected[200];
    snprintf(expected, sizeof expected, "%s\n1\ndrwx------\nprw-------\n", place->folder);
    run_out(child, &text);
    assert_lines(child, SW_CHILD_OUT, 9, expected);
    end(child, &text);
    unsetenv("STOWAGE_DEMANDS");
    unsetenv("STOWAGE_RECORD");
}

/* ---- demands ---- */

static void run_with_demands(const char *behaviour, int opened, const char *decision) {
    struct text text = {0};
    struct sw_error error = {0};
    const struct sw_child_demand demands[] = {{.step = 2, .buffer = "b1", .tier = "sram", .lo = 4096},
                                              {.step = 3, .forbid = true, .tier = "sram", .lo = 0, .hi = 1000}};
    struct sw_child *child = sw_child_start(
        &(struct sw_child_command){
            .argv = (const char *const[]){planner(), behaviour, "5", NULL}, .demands = demands, .demand_count = 2},
        &error);
    assert_non_null(child);
    run_out(child, &text);
    assert_int_equal(sw_child_facts(child)->opened_demands, opened);
    assert_non_null(strstr(text_of(&text), decision));
    end(child, &text);
}

static void demands(void **state) {
    (void)state;
    run_with_demands("steady", 1, "\"buffer\":\"b1\",\"tier\":\"sram\",\"offset\":4096,");
    run_with_demands("steady", 1, "\"buffer\":\"b2\",\"tier\":\"sram\",\"offset\":1000,");
    run_with_demands("defiant", 1, "\"buffer\":\"b1\",\"tier\":\"sram\",\"offset\":64,");
    run_with_demands("deaf", 0, "\"buffer\":\"b1\",\"tier\":\"sram\",\"offset\":64,");
}

/* ---- the end of this program ---- */

/* A process in this program's place: it starts COMMAND, says its folder and number, and waits. */
static pid_t stand_in(const char *const *argv, bool guarded, char folder[256], pid_t *command) {
    int ends[2];
    char line[300] = "";
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        struct text text = {0};
        close(ends[0]);
        for (int number = 1; number < NSIG; number++) {
            signal(number, SIG_DFL); /* the test's own handlers */
        }
        if (guarded) {
            sw_child_guard();
        }
        struct sw_child *child = start_in(NULL, argv);
        while (!memchr(text_of(&text), '\n', text.bytes.count) || sw_child_facts(child)->printed[SW_CHILD_ERR] == 0) {
            turn(child, false, &text);
        }
        dprintf(ends[1], "%d %s", (int)sw_child_facts(child)->process, text.bytes.items);
        for (;;) {
            if (sw_child_facts(child)->ended) {
                pause();
            }
            turn(child, false, &text);
        }
    }
    close(ends[1]);
    FILE *stream = fdopen(ends[0], "r");
    assert_true(stream && fgets(line, sizeof line, stream));
    fclose(stream);
    char *blank = strchr(line, ' ');
    assert_non_null(blank);
    *command = (pid_t)strtol(line, NULL, 10);
    snprintf(folder, 256, "%s", blank + 1);
    char *slash = strrchr(folder, '/');
    assert_non_null(slash);
    *slash = '\0';
    return process;
}

static void remove_folder(const char *folder) {
    char path[300];
    snprintf(path, sizeof path, "%s/record", folder);
    unlink(path);
    rmdir(folder);
}

#define TELL "echo \"$STOWAGE_RECORD\" >\"$STOWAGE_RECORD\"; "

/* With SIGKILL nothing can be done here, and yet COMMAND ends. */
static void killed(void **state) {
    (void)state;
    char folder[256];
    pid_t command;
    int status = 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans come to this process */
    pid_t process = stand_in((const char *const[]){"sh", "-c", TELL "echo told >&2; exec \"$0\" stubborn", planner(), NULL}, false, folder, &command);
    kill(process, SIGKILL);
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_int_equal(waitpid(command, &status, 0), command);
    /* By the signal of its parent's death, or, if it writes first, by the pipe that nothing reads any more. */
    assert_true(WIFEXITED(status) || (WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGPIPE)));
    remove_folder(folder);
}

/* Any other signal, and exit(): nothing is left, also of those in sessions of their own. */
static void ended_by_signals(void **state) {
    (void)state;
    static const int signals[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGSEGV, SIGABRT};
    char folder[256];
    pid_t command, orphan;
    int status = 0;
    struct rlimit core = {0, 0};
    setrlimit(RLIMIT_CORE, &core);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (SW_SANITIZED && (signals[i] == SIGSEGV || signals[i] == SIGABRT)) {
            continue; /* the sanitizer's own handlers are in place */
        }
        pid_t process = stand_in(
            (const char *const[]){"sh", "-c", TELL "\"$0\" leave; echo left >&2; exec \"$0\" stubborn", planner(), NULL}, true, folder, &command);
        kill(process, signals[i]);
        assert_int_equal(waitpid(process, &status, 0), process);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == signals[i]);
        while ((orphan = waitpid(-1, &status, 0)) > 0) {
            assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        }
        assert_int_equal(count_marked(folder), 0);
        assert_int_equal(access(folder, F_OK), -1);
    }
}

static void leaves_by_exit(void **state) {
    (void)state;
    int status = 0;
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        struct text text = {0};
        struct sw_child *child = START(planner(), "stubborn");
        while (text.bytes.count == 0) {
            turn(child, false, &text);
        }
        pid_t other = fork(); /* to which the child does not belong */
        if (other == 0) {
            exit(0);
        }
        waitpid(other, NULL, 0);
        turn(child, true, NULL);
        if (sw_child_facts(child)->ended) {
            _exit(9);
        }
        SW_ARRAY_DONE(&text.bytes);
        sw_child_kill_all();
        sw_child_free(child);
        child = START(planner(), "stubborn");
        (void)child;
        exit(4);
    }
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), SW_SANITIZED ? WEXITSTATUS(status) : 4); /* what is not freed is a leak there */
    while (waitpid(-1, &status, 0) > 0) {
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_good_end),
        CASE(a_status),
        CASE(a_crash),
        CASE(ended_by_somebody),
        CASE(asked_to_end),
        CASE(asked_to_end_when_stopped),
        CASE(ignores_sigterm),
        CASE(ended_turn_by_turn),
        CASE(processes_left_behind),
        CASE(somebody_still_has_it_open),
        CASE(a_tree_of_processes),
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
        CASE(cannot_be_started),
        CASE(too_few_descriptors),
        CASE(without_memory),
        CASE(many_at_a_time),
        CASE(what_it_inherits),
        CASE(in_a_directory),
        CASE(demands),
        CASE(killed),
        CASE(ended_by_signals),
        CASE(leaves_by_exit),
    };
    if (getenv("ATTACH_CASE")) {
        cmocka_set_test_filter(getenv("ATTACH_CASE"));
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
