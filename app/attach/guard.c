/* Every child that lives, the child that a process descends from, and how they end when this process must. Nothing here
 * allocates, for it is called in handlers of signals, too. */
#include "attach/child_state.h"
#include "base/base.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sw_child *volatile live_children[SW_CHILD_MOST];
static volatile pid_t owner; /* a process forked off that one has no children here */

struct sw_child *sw_children_get(size_t index) {
    return live_children[index];
}

static void at_exit(void) {
    sw_child_kill_all();
}

bool sw_children_add(struct sw_child *child) {
    static bool registered;
    registered = registered || atexit(at_exit) == 0;
    owner = getpid();
    for (size_t i = 0; i < SW_CHILD_MOST; i++) {
        if (!live_children[i]) {
            live_children[i] = child;
            return true;
        }
    }
    return false;
}

void sw_children_remove(struct sw_child *child) {
    for (size_t i = 0; i < SW_CHILD_MOST; i++) {
        live_children[i] = live_children[i] == child ? NULL : live_children[i];
    }
}

/* ---- the child that a process descends from ---- */

static struct sw_child *child_of_session(pid_t session) {
    for (size_t i = 0; i < SW_CHILD_MOST; i++) {
        if (live_children[i] && live_children[i]->process > 0 && live_children[i]->process == session) {
            return live_children[i];
        }
    }
    return NULL;
}

static struct sw_child *only_child(void) {
    struct sw_child *only = NULL;
    size_t count = 0;
    for (size_t i = 0; i < SW_CHILD_MOST; i++) {
        only = live_children[i] ? live_children[i] : only;
        count += live_children[i] != NULL;
    }
    return count == 1 ? only : NULL;
}

static bool is_command(const struct sw_process *process) {
    struct sw_child *child = child_of_session(process->pid);
    return child && child->unreaped;
}

/* Other children of this process are in its own session; and those that it had before it was executed are older than
 * every command. */
bool sw_child_adopted(const struct sw_process *process) {
    uint64_t oldest = UINT64_MAX;
    for (size_t i = 0; i < SW_CHILD_MOST; i++) {
        oldest = live_children[i] && live_children[i]->started < oldest ? live_children[i]->started : oldest;
    }
    return process->parent == getpid() && process->session != getsid(0) && process->started >= oldest &&
           !is_command(process);
}

/* Up from parent to parent until this process. On the way a session may tell which child it belongs to. A process in a
 * session of its own, left behind while several commands run, may be any one's: it is that one's which lives longest.
 */
static struct sw_child *owner_of(const struct sw_process *process) {
    enum { MOST_PARENTS = 65536 };
    struct sw_process at = *process;
    struct sw_child *found = NULL;
    for (unsigned depth = 0; depth < MOST_PARENTS; depth++) {
        found = found ? found : child_of_session(at.session);
        if (at.parent == getpid()) {
            if (!is_command(&at) && !sw_child_adopted(&at)) {
                return NULL;
            }
            return found ? found : only_child();
        }
        if (at.parent <= 1 || !sw_process_look(at.parent, &at)) {
            return NULL;
        }
    }
    return NULL;
}

/* ---- signals for all of one child's ---- */

struct round {
    struct sw_child *child;
    int number;
    bool whole_group; /* the group has had it already */
    size_t count;
};

static void signal_descendant(void *context, const struct sw_process *process) {
    struct round *round = context;
    if (owner_of(process) != round->child) {
        return;
    }
    if (sw_child_adopted(process) && waitpid(process->pid, NULL, WNOHANG) == process->pid) {
        return;
    }
    round->count++;
    bool had = round->whole_group && process->group == round->child->process;
    if (round->number && !had) {
        sw_process_signal(process, round->number);
        sw_process_signal(process, SIGCONT); /* one that is stopped hears nothing else */
    }
}

size_t sw_child_signal(struct sw_child *child, int number) {
    struct round round = {.child = child, .number = number, .whole_group = child->unreaped};
    if (number && child->unreaped) {
        kill(-child->process, number);
        kill(-child->process, SIGCONT);
    }
    if (!sw_processes_known()) {
        return child->unreaped ? 1 : 0;
    }
    sw_processes_each(signal_descendant, &round);
    return round.count;
}

void sw_child_remove_folder(struct sw_child *child) {
    if (child->folder[0]) {
        unlink(child->record_path);
        unlink(child->demands_path);
        rmdir(child->folder);
    }
}

void sw_child_kill_all(void) {
    enum { KILL_ROUNDS = 3 }; /* what was forked meanwhile */
    int code = errno;
    for (size_t i = 0; i < SW_CHILD_MOST && owner == getpid(); i++) {
        struct sw_child *child = live_children[i];
        for (int round = 0; child && round < KILL_ROUNDS && sw_child_signal(child, SIGKILL) > 0; round++) {
        }
        if (child) {
            sw_keeper_end(child);
            sw_child_remove_folder(child);
        }
    }
    errno = code;
}

/* ---- handlers ---- */

static const int ends_by_default[] = {SIGHUP,  SIGINT,    SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2,  SIGALRM, SIGABRT,
                                      SIGSEGV, SIGBUS,    SIGFPE,  SIGILL,  SIGSYS,  SIGTRAP,  SIGXCPU, SIGXFSZ,
                                      SIGPIPE, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,  SIGSTKFLT};

static void kill_on_signal(int number) {
    sw_child_kill_all();
    signal(number, SIG_DFL);
    raise(number);
}

void sw_child_guard(void) {
    struct sigaction action = {.sa_handler = kill_on_signal, .sa_flags = SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof ends_by_default / sizeof *ends_by_default; i++) {
        struct sigaction now;
        if (sigaction(ends_by_default[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL) {
            sigaction(ends_by_default[i], &action, NULL);
        }
    }
}
