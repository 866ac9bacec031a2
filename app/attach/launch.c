/* From a command line to a process: what happens between fork and exec. Only what is allowed in a signal handler is
 * called there, for another thread may have held any lock when this one forked. */
#include "attach/child_state.h"
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child tells through a pipe that closes when the command is executed. */
enum stage { STAGE_SETUP, STAGE_DIRECTORY, STAGE_RUN, STAGE_INTERPRETER };
struct failure {
    enum stage stage;
    int code;
};

/* ---- in the child ---- */

static _Noreturn void give_up(int fd, enum stage stage) {
    struct failure failure = {stage, errno};
    ssize_t put = write(fd, &failure, sizeof failure);
    _exit(put == (ssize_t)sizeof failure ? 127 : 126);
}

/* No handler of this program is to run here, and nothing is to stay ignored or blocked. */
static void reset_signals(void) {
    sigset_t none;
    for (int number = 1; number < NSIG; number++) {
        signal(number, SIG_DFL);
    }
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Above the three, so that none of them is lost when another one takes its place. */
static int lift(int fd) {
    return fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

static bool set_streams(const struct sw_launch *launch) {
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null < 0) {
        return false;
    }
    int in = lift(null), out = lift(launch->out), err = lift(launch->err);
    return in >= 0 && out >= 0 && err >= 0 && dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
           dup2(err, STDERR_FILENO) >= 0;
}

/* Whatever else this program has open, of its libraries, too. */
static void keep_the_rest(void) {
    if (close_range(3, ~0u, CLOSE_RANGE_CLOEXEC) != 0) {
        long most = sysconf(_SC_OPEN_MAX);
        for (int fd = 3; fd < (most > 0 && most < 65536 ? most : 65536); fd++) {
            fcntl(fd, F_SETFD, FD_CLOEXEC);
        }
    }
}

/* A session of its own has no terminal: the command cannot write across the screen or read keys, not even through
 * /dev/tty. */
static _Noreturn void become(const struct sw_launch *launch, pid_t parent, int status) {
    status = lift(status);
    setsid();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) { /* it ended before that call */
        _exit(1);
    }
    reset_signals();
    if (!set_streams(launch)) {
        give_up(status, STAGE_SETUP);
    }
    if (launch->directory && chdir(launch->directory) != 0) {
        give_up(status, STAGE_DIRECTORY);
    }
    keep_the_rest();
    execvpe(launch->argv[0], (char *const *)launch->argv, launch->environment);
    int code = errno;
    bool there = code == ENOENT && strchr(launch->argv[0], '/') && access(launch->argv[0], F_OK) == 0;
    errno = code;
    give_up(status, there ? STAGE_INTERPRETER : STAGE_RUN);
}

/* ---- in this process ---- */

static bool fail_launch(int code, struct sw_error *error) {
    return code == ENOMEM ? sw_fail_memory(error)
                          : sw_fail(error, SW_ERROR_IO, "cannot start a process: %s", strerror(code));
}

static void explain_failure(const struct sw_launch *launch, const struct failure *failure, struct sw_error *error) {
    const char *name = SW_SHOWN(launch->argv[0]);
    if (failure->code == ENOMEM) {
        sw_fail_memory(error);
    } else if (failure->stage == STAGE_DIRECTORY) {
        sw_fail(error, SW_ERROR_IO, "cannot run %s in %s: %s", name, SW_SHOWN(launch->directory),
                strerror(failure->code));
    } else if (failure->stage == STAGE_RUN) {
        sw_fail(error, SW_ERROR_IO, "cannot run %s: %s", name, strerror(failure->code));
    } else if (failure->stage == STAGE_INTERPRETER) {
        sw_fail(error, SW_ERROR_IO, "cannot run %s: the program that its first line names does not exist", name);
    } else {
        fail_launch(failure->code, error);
    }
}

/* True: the command runs. */
static bool hear(int fd, struct failure *failure) {
    ssize_t got;
    do {
        got = read(fd, failure, sizeof *failure);
    } while (got < 0 && errno == EINTR);
    return got == 0;
}

pid_t sw_launch(const struct sw_launch *launch, struct sw_error *error) {
    int status[2];
    sigset_t all, before;
    struct failure failure = {0};
    if (pipe2(status, O_CLOEXEC) != 0) {
        fail_launch(errno, error);
        return 0;
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* a handler would take the child for this process */
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        become(launch, parent, status[1]);
    }
    int code = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    close(status[1]);
    bool good = child > 0 && hear(status[0], &failure);
    close(status[0]);
    if (child < 0) {
        fail_launch(code, error);
    } else if (!good) {
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
        }
        explain_failure(launch, &failure, error);
    }
    return good ? child : 0;
}
