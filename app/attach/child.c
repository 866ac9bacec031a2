/* A child's life: its folder and pipes, what is read from them, how it ends. */
#include "attach/child_state.h"
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { GRACE = 2000, CHILD_PATIENCE = 3000, OFTEN = 20, SELDOM = 100 }; /* milliseconds */

static int64_t steady_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void close_one(int *fd) {
    if (*fd >= 0) {
        close(*fd);
    }
    *fd = -1;
}

/* ---- starting ---- */

static bool make_record_folder(struct sw_child *child, struct sw_error *error) {
    const char *base = getenv("TMPDIR");
    base = base && base[0] == '/' ? base : "/tmp";
    if ((size_t)snprintf(child->folder, sizeof child->folder, "%s/stowage-XXXXXX", base) >= sizeof child->folder) {
        child->folder[0] = '\0';
        return sw_fail(error, SW_ERROR_IO, "cannot make a folder for the pipe: the path in TMPDIR is too long");
    }
    if (!mkdtemp(child->folder)) {
        child->folder[0] = '\0';
        return sw_fail(error, SW_ERROR_IO, "cannot make a folder for the pipe in %s: %s", SW_SHOWN(base),
                       strerror(errno));
    }
    snprintf(child->record_path, sizeof child->record_path, "%s/record", child->folder);
    snprintf(child->demands_path, sizeof child->demands_path, "%s/demands", child->folder);
    return true;
}

/* As small as it gets: one page, or what the system made when that is refused. */
static bool open_record(struct sw_child *child, struct sw_error *error) {
    if (mkfifo(child->record_path, 0600) != 0 ||
        (child->record = open(child->record_path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)) < 0 ||
        (child->record_writer = open(child->record_path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)) < 0) {
        return sw_fail(error, SW_ERROR_IO, "cannot make the pipe %s: %s", SW_SHOWN(child->record_path),
                       strerror(errno));
    }
    fcntl(child->record, F_SETPIPE_SZ, (int)sysconf(_SC_PAGESIZE));
    return true;
}

/* Whether it is opened can be seen only from here on. */
static bool write_demands(struct sw_child *child, const struct sw_child_command *command, struct sw_error *error) {
    if (!command->demands) {
        return true;
    }
    if (!sw_demands_write(child->demands_path, command->demands, command->demand_count, error)) {
        return false;
    }
    child->demands_watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (child->demands_watch >= 0 && inotify_add_watch(child->demands_watch, child->demands_path, IN_OPEN) < 0) {
        close_one(&child->demands_watch);
    }
    child->facts.opened_demands = child->demands_watch >= 0 ? 0 : -1;
    return true;
}

static bool open_tail(struct sw_tail *tail, int *theirs, struct sw_error *error) {
    int ends[2];
    if (!sw_tail_init(tail)) {
        return sw_fail_memory(error);
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return sw_fail(error, SW_ERROR_IO, "cannot make a pipe: %s", strerror(errno));
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    tail->fd = ends[0];
    *theirs = ends[1];
    return true;
}

static bool is_variable(const char *text, const char *name) {
    size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && text[length] == '=';
}

/* This program's environment with the two variables set, or without the second one. */
static bool launch(struct sw_child *child, const struct sw_child_command *command, struct sw_launch *parts,
                   struct sw_error *error) {
    char record[300], demands[300];
    size_t count = 0, own = 0;
    while (environ && environ[count]) {
        count++;
    }
    parts->environment = SW_NEW(char *, count + 3);
    if (!parts->environment) {
        return sw_fail_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        if (!is_variable(environ[i], "STOWAGE_RECORD") && !is_variable(environ[i], "STOWAGE_DEMANDS")) {
            parts->environment[own++] = environ[i];
        }
    }
    snprintf(record, sizeof record, "STOWAGE_RECORD=%s", child->record_path);
    snprintf(demands, sizeof demands, "STOWAGE_DEMANDS=%s", child->demands_path);
    parts->environment[own++] = record;
    if (command->demands) {
        parts->environment[own++] = demands;
    }
    parts->environment[own] = NULL;
    sw_keeper_start(child);
    child->process = sw_launch(parts, error);
    SW_FREE(parts->environment, count + 3);
    return child->process > 0;
}

/* With SIGCHLD ignored, as a parent of this program may have left it, the kernel forgets how a child ended, and waiting
 * for it fails. */
static void become_reaper(void) {
    struct sigaction action;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    if (sigaction(SIGCHLD, NULL, &action) == 0 && (action.sa_handler == SIG_IGN || (action.sa_flags & SA_NOCLDWAIT))) {
        signal(SIGCHLD, SIG_DFL);
    }
}

static bool start_child(struct sw_child *child, const struct sw_child_command *command, struct sw_error *error) {
    struct sw_launch parts = {.argv = command->argv, .directory = command->directory, .out = -1, .err = -1};
    struct sw_process process;
    become_reaper();
    bool good = make_record_folder(child, error) && open_record(child, error) && write_demands(child, command, error) &&
                open_tail(&child->tails[SW_CHILD_OUT], &parts.out, error) &&
                open_tail(&child->tails[SW_CHILD_ERR], &parts.err, error) && launch(child, command, &parts, error);
    close_one(&parts.out);
    close_one(&parts.err);
    if (good) {
        child->facts.process = child->process;
        child->unreaped = 1;
        child->started = sw_process_look(child->process, &process) ? process.started : UINT64_MAX; /* no /proc */
        child->process_fd = (int)syscall(SYS_pidfd_open, child->process, 0);
    }
    return good;
}

struct sw_child *sw_child_start(const struct sw_child_command *command, struct sw_error *error) {
    if (!command->argv[0] || !command->argv[0][0]) {
        sw_fail(error, SW_ERROR_USAGE, command->argv[0] ? "the command's name is empty" : "no command is given");
        return NULL;
    }
    struct sw_child *child = SW_NEW_ZERO(struct sw_child, 1);
    if (!child) {
        sw_fail_memory(error);
        return NULL;
    }
    child->record = child->record_writer = child->process_fd = child->demands_watch = -1;
    child->tails[SW_CHILD_OUT].fd = child->tails[SW_CHILD_ERR].fd = -1;
    child->facts.exit_status = child->facts.opened_demands = -1;
    child->started = UINT64_MAX;
    if (!sw_children_add(child)) {
        sw_fail(error, SW_ERROR_USAGE, "up to %d commands run at the same time", SW_CHILD_MOST);
        SW_FREE(child, 1);
        return NULL;
    }
    if (!start_child(child, command, error)) {
        sw_child_free(child);
        return NULL;
    }
    return child;
}

const struct sw_child_facts *sw_child_facts(const struct sw_child *child) {
    return &child->facts;
}

/* ---- reading ---- */

static enum sw_child_got finish_child(struct sw_child *child) {
    close_one(&child->record);
    close_one(&child->record_writer);
    child->facts.over = true;
    child->waits = false;
    return SW_CHILD_END;
}

enum sw_child_got sw_child_read(struct sw_child *child, void *buffer, size_t room, size_t *got) {
    ssize_t count = -1;
    *got = 0;
    if (child->record < 0) {
        return finish_child(child);
    }
    do {
        count = read(child->record, buffer, room);
    } while (count < 0 && errno == EINTR);
    if (count > 0) {
        child->facts.recorded += (uint64_t)count;
        *got = (size_t)count;
        return SW_CHILD_BYTES;
    }
    if (count < 0 || room == 0) {
        return SW_CHILD_NOTHING;
    }
    /* No process has it open for writing: nor this one, so COMMAND has ended. */
    child->waits = child->facts.recorded == 0 && sw_child_signal(child, 0) > 0;
    return child->waits ? SW_CHILD_NOTHING : finish_child(child);
}

size_t sw_child_polls(const struct sw_child *child, bool holding, struct pollfd polls[SW_CHILD_POLLS], int *timeout) {
    const int fds[SW_CHILD_POLLS] = {holding || child->waits ? -1 : child->record, child->tails[SW_CHILD_OUT].fd,
                                     child->tails[SW_CHILD_ERR].fd, child->unreaped ? child->process_fd : -1,
                                     child->demands_watch};
    size_t count = 0;
    for (size_t i = 0; i < SW_CHILD_POLLS; i++) {
        if (fds[i] >= 0) {
            polls[count++] = (struct pollfd){.fd = fds[i], .events = POLLIN};
        }
    }
    bool unseen = child->unreaped && child->process_fd < 0;
    *timeout = child->ending ? OFTEN : child->waits || unseen ? SELDOM : -1;
    return count;
}

/* ---- what has happened ---- */

static void say_how(struct sw_child_facts *facts, int status) {
    if (WIFEXITED(status)) {
        facts->exit_status = WEXITSTATUS(status);
        snprintf(facts->how, sizeof facts->how, "ended with exit status %d", facts->exit_status);
        return;
    }
    facts->signal = WTERMSIG(status);
    const char *name = sigabbrev_np(facts->signal), *text = sigdescr_np(facts->signal);
    if (name && text) {
        snprintf(facts->how, sizeof facts->how, "was ended by SIG%s (%s)", name, text);
    } else {
        snprintf(facts->how, sizeof facts->how, "was ended by signal %d", facts->signal);
    }
}

/* Its number may be another process's as soon as it is waited for. */
static bool reap_command(struct sw_child *child) {
    siginfo_t about = {0};
    int status = 0;
    if (!child->unreaped) {
        return false;
    }
    int got = waitid(P_PID, (id_t)child->process, &about, WEXITED | WNOHANG | WNOWAIT);
    if ((got == 0 && about.si_pid == 0) || (got != 0 && errno != ECHILD)) {
        return false;
    }
    child->unreaped = 0;
    child->facts.ended = true;
    if (waitpid(child->process, &status, WNOHANG) == child->process) {
        say_how(&child->facts, status);
    } else {
        snprintf(child->facts.how, sizeof child->facts.how, "ended, and another process was told how");
    }
    close_one(&child->process_fd);
    close_one(&child->record_writer); /* from now on no writer is the end */
    return true;
}

/* Other children that have ended may stand before them, and are not ours to wait for. */
static void reap_adopted(void) {
    siginfo_t about = {0};
    struct sw_process process;
    while (waitid(P_ALL, 0, &about, WEXITED | WNOHANG | WNOWAIT) == 0 && about.si_pid > 0 &&
           sw_process_look(about.si_pid, &process) && sw_child_adopted(&process) &&
           waitpid(about.si_pid, NULL, WNOHANG) == about.si_pid) {
        about.si_pid = 0;
    }
}

static bool see_demands_opened(struct sw_child *child) {
    _Alignas(struct inotify_event) char events[1024];
    if (child->demands_watch < 0 || read(child->demands_watch, events, sizeof events) <= 0) {
        return false;
    }
    close_one(&child->demands_watch);
    child->facts.opened_demands = 1;
    return true;
}

bool sw_child_poll(struct sw_child *child) {
    bool changed = false;
    for (size_t i = 0; i < SW_CHILD_MOST; i++) { /* those that ended stand before what they left behind */
        struct sw_child *one = sw_children_get(i);
        bool ended = one && reap_command(one);
        changed = changed || (ended && one == child);
    }
    reap_adopted();
    changed = see_demands_opened(child) || changed;
    for (size_t i = 0; i < 2; i++) { /* in any case both */
        changed = sw_tail_read(&child->tails[i]) || changed;
        child->facts.printed[i] = child->tails[i].total;
    }
    return changed;
}

void sw_child_last_lines(const struct sw_child *child, enum sw_child_stream stream, unsigned lines,
                         struct sw_sink *sink) {
    sw_tail_lines(&child->tails[stream], lines, sink);
}

/* ---- ending ---- */

void sw_child_end_begin(struct sw_child *child) {
    if (child->ending) {
        return;
    }
    sw_child_poll(child);
    child->ending = SW_ENDING_ASKED;
    child->asked_at = steady_clock();
    sw_child_signal(child, SIGTERM);
    unlink(child->record_path); /* a process that opened it now would wait for a reader */
    finish_child(child);
}

bool sw_child_ended(struct sw_child *child) {
    int64_t waited = steady_clock() - child->asked_at;
    sw_child_poll(child);
    if (waited >= GRACE) {
        child->ending = SW_ENDING_FORCED;
    }
    size_t left = sw_child_signal(child, child->ending == SW_ENDING_FORCED ? SIGKILL : 0);
    sw_child_poll(child);
    child->facts.left = left > 0 && waited >= GRACE + CHILD_PATIENCE ? left : 0;
    child->gone = left == 0 || child->facts.left > 0;
    return child->gone;
}

void sw_child_end(struct sw_child *child) {
    struct pollfd polls[SW_CHILD_POLLS];
    int timeout;
    sw_child_end_begin(child);
    while (!sw_child_ended(child)) {
        size_t count = sw_child_polls(child, true, polls, &timeout);
        poll(polls, (nfds_t)count, timeout);
    }
}

void sw_child_free(struct sw_child *child) {
    if (!child) {
        return;
    }
    if (child->process > 0 && !child->gone) {
        child->ending = SW_ENDING_FORCED;
        child->asked_at = steady_clock() - GRACE;
        sw_child_end(child);
    }
    sw_children_remove(child);
    sw_keeper_end(child);
    sw_child_remove_folder(child);
    finish_child(child);
    close_one(&child->process_fd);
    close_one(&child->demands_watch);
    sw_tail_done(&child->tails[SW_CHILD_OUT]);
    sw_tail_done(&child->tails[SW_CHILD_ERR]);
    SW_FREE(child, 1);
}
