/* The keeper: a process beside this one that outlives it, whatever ends it.
 *
 * SIGKILL leaves this program no time, and the kernel ends COMMAND alone. What COMMAND started and put into a session
 * of its own would go on. So a second process, which does nothing else, waits for the end of this one; then it ends
 * with SIGKILL what has the path of the record in its environment, as all have that COMMAND started unless they took it
 * out, round after round until there is none, and removes the folder. Where this program ends its child by itself it
 * ends the keeper too.
 *
 * The keeper is a fork, so it may do only what a handler of signals may. It holds no file of this program, has a
 * process group of its own and hears no signal, so that what ends a whole terminal or pipeline does not end it. */
#include "attach/child_state.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct mark {
    char text[300]; /* "STOWAGE_RECORD=...", with the NUL that ends it there */
    size_t length;
    size_t count; /* processes of this round */
};

static bool has_keeper_mark(pid_t pid, const struct mark *mark) {
    char path[64], bytes[8192];
    int fd = open(sw_process_path(path, pid, "/environ"), O_RDONLY | O_CLOEXEC);
    size_t kept = 0;
    bool found = false;
    for (ssize_t got = 1; fd >= 0 && got > 0 && !found;) {
        got = read(fd, bytes + kept, sizeof bytes - kept);
        size_t all = kept + (got > 0 ? (size_t)got : 0);
        found = memmem(bytes, all, mark->text, mark->length) != NULL;
        kept = all < mark->length - 1 ? all : mark->length - 1;
        memmove(bytes, bytes + all - kept, kept);
    }
    if (fd >= 0) {
        close(fd);
    }
    return found;
}

static void end_marked(void *context, const struct sw_process *process) {
    struct mark *mark = context;
    if (process->pid != getpid() && has_keeper_mark(process->pid, mark)) {
        mark->count += sw_process_signal(process, SIGKILL);
    }
}

static _Noreturn void keep_child(struct sw_child *child, pid_t parent) {
    struct mark mark = {.length = sizeof "STOWAGE_RECORD="};
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, parent, 0), .events = POLLIN};
    enum { KEEPER_ROUNDS = 1000 };
    setpgid(0, 0);
    prctl(PR_SET_NAME, "stowage-keeper");
    if (end.fd < 0 && errno != ESRCH) {
        _exit(0); /* a kernel before 5.3 has no such descriptors */
    }
    if (end.fd >= 0) {
        dup2(end.fd, 0);
        end.fd = 0;
    }
    if (close_range((unsigned)(end.fd + 1), ~0u, 0) != 0) {
        _exit(0); /* it would hold the other ends of pipes */
    }
    while (end.fd == 0 && getppid() == parent && poll(&end, 1, -1) <= 0) {
    }
    memcpy(mark.text, "STOWAGE_RECORD=", mark.length);
    strcpy(mark.text + mark.length - 1, child->record_path);
    mark.length += strlen(child->record_path);
    for (unsigned round = 0; round < KEEPER_ROUNDS; round++) {
        mark.count = 0;
        sw_processes_each(end_marked, &mark);
        if (mark.count == 0) {
            break;
        }
    }
    sw_child_remove_folder(child);
    _exit(0);
}

void sw_keeper_start(struct sw_child *child) {
    sigset_t all, before;
    pid_t parent = getpid();
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    child->keeper = fork();
    if (child->keeper == 0) {
        keep_child(child, parent);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void sw_keeper_end(struct sw_child *child) {
    if (child->keeper > 0) {
        kill(child->keeper, SIGKILL);
        while (waitpid(child->keeper, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    child->keeper = 0;
}
