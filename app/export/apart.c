#include "export/apart.h"
#include "base/base.h"

#include <errno.h>
#include <poll.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Before the bytes. */
struct child_verdict {
    bool good;
    struct sw_error error;
    size_t count;
};

/* ---- the child ---- */

static bool is_child;
static int loud = -1, quiet = -1; /* where standard error goes */

static atomic_bool starved;

void sw_apart_starved(void) {
    atomic_store_explicit(&starved, true, memory_order_relaxed);
}

bool sw_apart_was_starved(void) {
    return atomic_exchange_explicit(&starved, false, memory_order_relaxed);
}

void sw_apart_speak(void) {
    if (is_child) {
        fflush(stderr);
        dup2(loud, STDERR_FILENO);
    }
}

void sw_apart_hush(void) {
    if (is_child) {
        fflush(stderr);
        dup2(quiet, STDERR_FILENO);
    }
}

/* Handlers of this program restore a terminal that is the parent's; only an interrupt is still asked for. */
static void set_up(pid_t parent, int kept_back) {
    struct sigaction action;
    for (int number = 1; number < NSIG; number++) {
        if (number != SIGINT && sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            signal(number, SIG_DFL);
        }
    }
    signal(SIGPIPE, SIG_IGN);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(1);
    }
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    loud = dup(STDERR_FILENO);
    quiet = kept_back;
    is_child = true;
    dup2(quiet, STDOUT_FILENO); /* GLib writes there, too, before it aborts */
    sw_apart_hush();
}

bool sw_pipe_send(int fd, const void *bytes, size_t length) {
    const char *at = bytes;
    while (length > 0) {
        ssize_t put = send(fd, at, length, MSG_NOSIGNAL); /* the other end may have gone */
        put = put < 0 && errno == ENOTSOCK ? write(fd, at, length) : put;
        if (put == 0 || (put < 0 && errno != EINTR)) {
            return false;
        }
        at += SW_MAX(put, 0);
        length -= put > 0 ? (size_t)put : 0;
    }
    return true;
}

/* Leaks of what was drawn are looked for here, for this process ends without its usual ways out. */
#ifdef __SANITIZE_ADDRESS__
int __lsan_do_recoverable_leak_check(void);
static int leaks(void) {
    return __lsan_do_recoverable_leak_check() ? 23 : 0;
}
#else
static int leaks(void) {
    return 0;
}
#endif

/* The verdict, and what was drawn behind the first `before` bytes. */
static bool tell_verdict(struct child_verdict verdict, const struct sw_sink *sink, size_t before, int fd) {
    if (sink->failed || sw_apart_was_starved()) {
        verdict.good = sw_fail_memory(&verdict.error);
    }
    verdict.count = verdict.good ? sink->text.count - before : 0;
    return sw_pipe_send(fd, &verdict, sizeof verdict) &&
           sw_pipe_send(fd, verdict.count ? sink->text.items + before : "", verdict.count);
}

static void work(sw_apart_fn *draw, void *context, struct sw_sink *sink, int fd) {
    struct child_verdict verdict = {0};
    size_t before = sink->text.count;
    sw_apart_was_starved();
    verdict.good = draw(context, sink, &verdict.error);
    bool sent = tell_verdict(verdict, sink, before, fd);
    sw_sink_done(sink);
    _exit(sent ? leaks() : 1);
}

/* One answer after the other, until the other end is closed. */
static void serve_requests(sw_apart_answer_fn *answer, void *context, int fd) {
    size_t length;
    bool good = true;
    while (good && sw_pipe_receive(fd, &length, sizeof length)) {
        struct sw_sink request = {0}, sink = {0};
        struct child_verdict verdict = {0};
        sw_apart_was_starved();
        good = SW_RESERVE(&request.text, length) && sw_pipe_receive(fd, request.text.items, length);
        verdict.good =
            good ? answer(context, request.text.items, length, &sink, &verdict.error) : sw_fail_memory(&verdict.error);
        good = tell_verdict(verdict, &sink, 0, fd) && verdict.good;
        sw_sink_done(&request);
        sw_sink_done(&sink);
    }
}

/* Nothing of this process stays with a child that lives long: other programs wait for the ends of pipes. */
static int keep_only(int fd, int kept_back) {
    if (dup2(fd, STDIN_FILENO) < 0) { /* instead of the terminal */
        return -1;
    }
    fd = fcntl(fd, F_DUPFD_CLOEXEC, kept_back + 1);
    for (unsigned other = 3; fd >= 0 && other < (unsigned)fd; other++) {
        if ((int)other != kept_back && (int)other != loud) {
            close((int)other);
        }
    }
    return fd >= 0 && close_range((unsigned)fd + 1, ~0u, 0) == 0 ? fd : -1;
}

/* ---- the parent ---- */

bool sw_pipe_receive(int fd, void *bytes, size_t length) {
    char *at = bytes;
    while (length > 0) {
        ssize_t got = read(fd, at, length);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            return false;
        }
        at += SW_MAX(got, 0);
        length -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* What was kept back is told after all: no lack of memory explains it. */
static void relay(int kept_back) {
    char text[4096];
    ssize_t got;
    for (off_t at = 0; (got = pread(kept_back, text, sizeof text, at)) > 0; at += got) {
        fwrite(text, 1, (size_t)got, stderr);
    }
}

/* Libraries abort, or use what they did not get, when memory lacks; the system's own way to end a process then is
 * SIGKILL. */
static bool is_lack(int signal) {
    return signal == SIGABRT || signal == SIGTRAP || signal == SIGSEGV || signal == SIGBUS || signal == SIGKILL;
}

static bool judge(int status, bool whole, const struct child_verdict *verdict, int kept_back, struct sw_error *error) {
    if (WIFSIGNALED(status) && !is_lack(WTERMSIG(status))) {
        relay(kept_back);
        return sw_fail(error, SW_ERROR_IO, "the process that drew the picture was ended by signal %d",
                       WTERMSIG(status));
    }
    if (WIFSIGNALED(status)) {
        return sw_fail(error, SW_ERROR_MEMORY, "out of memory: a library gave up while it drew the picture (signal %d)",
                       WTERMSIG(status));
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || !whole) {
        relay(kept_back);
        return sw_fail(error, SW_ERROR_IO, "the process that drew the picture ended with status %d",
                       WEXITSTATUS(status));
    }
    if (!verdict->good && error) {
        *error = verdict->error;
    }
    return verdict->good;
}

int sw_apart_patience = 30;

/* Until the child has something to say. Threads of a library that wait for each other, after one of them found no
 * memory, do so for ever: a child that does no work at all for so many seconds is ended; false then. */
static bool await(pid_t child, int fd, int patience) {
    clockid_t clock;
    struct timespec before = {0}, now;
    struct pollfd end = {.fd = fd, .events = POLLIN};
    bool known = clock_getcpuclockid(child, &clock) == 0 && clock_gettime(clock, &before) == 0;
    for (int idle = 0; known && idle < patience;) {
        int ready = poll(&end, 1, 1000);
        if (ready > 0 || (ready < 0 && errno != EINTR) || clock_gettime(clock, &now) != 0) {
            return true;
        }
        bool worked = now.tv_sec != before.tv_sec || now.tv_nsec != before.tv_nsec;
        idle = worked ? 0 : idle + (ready == 0);
        before = now;
    }
    if (known) {
        kill(child, SIGKILL);
    }
    return !known;
}

/* All that the child says; what it drew lies behind the bytes of the sink. */
static bool receive_answer(int fd, struct child_verdict *verdict, struct sw_sink *sink, bool *room) {
    bool told = sw_pipe_receive(fd, verdict, sizeof *verdict);
    *room = !told || SW_RESERVE(&sink->text, sink->text.count + verdict->count);
    return told && *room &&
           (verdict->count == 0 || sw_pipe_receive(fd, sink->text.items + sink->text.count, verdict->count));
}

/* Closes `fd`: if there is no room for the child's bytes, the child ends when it cannot write them. */
static bool collect_bytes(pid_t child, int fd, int kept_back, struct sw_sink *sink, struct sw_error *error) {
    struct child_verdict verdict = {0};
    int status = 0;
    bool alive = await(child, fd, sw_apart_patience);
    bool room, whole = receive_answer(fd, &verdict, sink, &room);
    close(fd);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!room) {
        return sw_fail_memory(error);
    }
    if (!alive) {
        return sw_fail(error, SW_ERROR_MEMORY,
                       "out of memory, or its fonts cannot be read: the process that drew the picture did nothing for "
                       "%d seconds and was ended",
                       sw_apart_patience);
    }
    if (!judge(status, whole, &verdict, kept_back, error)) {
        return false;
    }
    sink->text.count += verdict.count;
    return true;
}

static bool fail_fork(struct sw_error *error, int code) {
    return code == ENOMEM || code == EAGAIN
               ? sw_fail_memory(error)
               : sw_fail(error, SW_ERROR_IO, "cannot start a process to draw in: %s", strerror(code));
}

/* A process of its own, in which the pid is 0 and which speaks through `end`. */
static bool fork_child(struct sw_apart_child *child, int *end, struct sw_error *error) {
    int ends[2], kept_back = memfd_create("stowage", MFD_CLOEXEC);
    pid_t parent = getpid(), pid = -1;
    bool paired = kept_back >= 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0;
    if (paired) {
        fflush(NULL); /* what is held back belongs to one of the two */
        pid = fork();
    }
    int code = errno;
    *child = (struct sw_apart_child){0};
    if (pid < 0) {
        for (int i = 0; i < 2 && paired; i++) {
            close(ends[i]);
        }
        if (kept_back >= 0) {
            close(kept_back);
        }
        return fail_fork(error, code);
    }
    *end = ends[1];
    close(ends[pid > 0]);
    *child = (struct sw_apart_child){pid, ends[0], kept_back};
    if (pid == 0) {
        set_up(parent, kept_back);
    }
    return true;
}

/* ---- a child that stays ---- */

bool sw_apart_begin(struct sw_apart_child *child, sw_apart_answer_fn *answer, void *context, struct sw_error *error) {
    int end;
    if (!fork_child(child, &end, error)) {
        return false;
    }
    if (child->pid == 0) {
        setpgid(0, 0); /* what the keyboard sends is not for it */
        signal(SIGINT, SIG_IGN);
        int fd = keep_only(end, child->kept_back);
        if (fd >= 0) {
            serve_requests(answer, context, fd);
        }
        _exit(leaks());
    }
    return true;
}

static int end_child(struct sw_apart_child *child) {
    int status = 0;
    close(child->fd);
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

void sw_apart_end(struct sw_apart_child *child) {
    if (child->pid) {
        end_child(child);
        close(child->kept_back);
        *child = (struct sw_apart_child){0};
    }
}

bool sw_apart_ask(struct sw_apart_child *child, const void *request, size_t length, struct sw_sink *answer,
                  struct sw_error *error) {
    enum { SOMEONE_WAITS = 3 }; /* seconds */
    struct child_verdict verdict = {0};
    bool alive = sw_pipe_send(child->fd, &length, sizeof length) && sw_pipe_send(child->fd, request, length);
    alive = alive && await(child->pid, child->fd, SW_MIN(sw_apart_patience, SOMEONE_WAITS));
    bool room = true, whole = alive && receive_answer(child->fd, &verdict, answer, &room);
    if (whole && verdict.good) {
        answer->text.count += verdict.count;
        return true;
    }
    if (room && !whole) {
        kill(child->pid, SIGKILL); /* where it has not ended by itself, it hangs */
    }
    int kept_back = child->kept_back, status = end_child(child);
    *child = (struct sw_apart_child){0};
    bool good = room ? judge(status, whole, &verdict, kept_back, error) : sw_fail_memory(error);
    close(kept_back);
    return good;
}

bool sw_apart(sw_apart_fn *draw, void *context, struct sw_sink *sink, struct sw_error *error) {
    struct sw_apart_child child;
    int end;
    if (is_child) {
        return draw(context, sink, error);
    }
    if (!fork_child(&child, &end, error)) {
        return false;
    }
    if (child.pid == 0) {
        work(draw, context, sink, end);
    }
    bool good = collect_bytes(child.pid, child.fd, child.kept_back, sink, error);
    close(child.kept_back);
    return good;
}
