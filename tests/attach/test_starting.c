/* Planners as child processes: how they are started, with what, and that they end when this program does. */
#include "children.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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
                                       .demands = (const struct sw_demand[]){{.step = 1, .buffer = "b0"}},
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
                                       .demands = (const struct sw_demand[]){{.step = 1, .buffer = "b0"}},
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
    child = START("sh", "-c",
                  "grep -E 'Sig(Blk|Ign)' /proc/self/status; readlink /proc/self/fd/0; pwd; "
                  "[ \"$(ps -o sid= -p $$)\" -eq $$ ] && [ -z \"$STOWAGE_DEMANDS\" ] && echo alone; yes | head -1");
    run_out(child, &text);
    char expected[PATH_MAX + 200], here[PATH_MAX];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(expected, sizeof expected, "SigBlk: 0000000000000000\nSigIgn: 0000000000000000\n/dev/null\n%s\nalone\ny\n",
             here);
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
    setenv("STOWAGE_DEMANDS", "/of/another/run", 1);
    setenv("STOWAGE_RECORD", "/of/another/run", 1);
    struct sw_child *child =
        start_in(place->folder, (const char *const[]){"sh", "-c",
                                                      "pwd; env | grep -cE '^STOWAGE_(RECORD|DEMANDS)='; "
                                                      "ls -ld ${STOWAGE_RECORD%/*} "
                                                      "| cut -c1-10; ls -l $STOWAGE_RECORD | cut -c1-10",
                                                      NULL});
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
    const struct sw_demand demands[] = {{.step = 2, .buffer = "b1", .tier = "sram", .lo = 4096},
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

#define TELL "echo \"$STOWAGE_RECORD\" >\"$STOWAGE_RECORD\"; "

/* With SIGKILL nothing can be done here, and yet COMMAND ends, and its folder goes. */
static void killed(void **state) {
    (void)state;
    char folder[256];
    pid_t command;
    int status = 0;
    prctl(PR_SET_CHILD_SUBREAPER, 1); /* orphans come to this process */
    pid_t process =
        stand_in((const char *const[]){"sh", "-c", TELL "echo told >&2; exec \"$0\" stubborn", planner(), NULL}, false,
                 folder, &command);
    kill(process, SIGKILL);
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_int_equal(waitpid(command, &status, 0), command);
    /* By the signal of its parent's death, or, if it writes first, by the pipe that nothing reads any more. */
    assert_true(WIFEXITED(status) ||
                (WIFSIGNALED(status) && (WTERMSIG(status) == SIGKILL || WTERMSIG(status) == SIGPIPE)));
    while (waitpid(-1, &status, 0) > 0) { /* the keeper, which is an orphan, too */
    }
    assert_int_equal(access(folder, F_OK), -1);
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
        pid_t process =
            stand_in((const char *const[]){"sh", "-c", TELL "\"$0\" leave; echo left >&2; exec \"$0\" stubborn",
                                           planner(), NULL},
                     true, folder, &command);
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
    assert_int_equal(WEXITSTATUS(status),
                     SW_SANITIZED ? WEXITSTATUS(status) : 4); /* what is not freed is a leak there */
    while (waitpid(-1, &status, 0) > 0) {
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    }
}
int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(cannot_be_started), CASE(too_few_descriptors), CASE(without_memory), CASE(many_at_a_time),
        CASE(what_it_inherits),  CASE(in_a_directory),      CASE(demands),        CASE(killed),
        CASE(ended_by_signals),  CASE(leaves_by_exit),
    };
    if (getenv("ATTACH_CASE")) {
        cmocka_set_test_filter(getenv("ATTACH_CASE"));
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
