#include "attach/child_state.h"
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A number in decimal digits; past them. */
static const char *read_decimal(const char *at, uint64_t *number) {
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        *number = *number * 10 + (uint64_t)(*at - '0');
    }
    return at;
}

static char *put_decimal(char *to, uint64_t number) {
    char digits[24];
    size_t count = 0;
    do {
        digits[count++] = (char)('0' + number % 10);
    } while ((number /= 10) > 0);
    while (count > 0) {
        *to++ = digits[--count];
    }
    return to;
}

/* snprintf is not for signal handlers. */
const char *sw_process_path(char path[64], pid_t pid, const char *name) {
    memcpy(path, "/proc/", 6);
    strcpy(put_decimal(path + 6, (uint64_t)pid), name);
    return path;
}

/* "17 (name) S 1 17 17 ...": the name may hold anything, blanks and parentheses too, and ends at the last one. Fields
 * are counted from 1; the 3rd follows the name. */
static bool parse_stat(const char *text, struct sw_process *process) {
    enum { PARENT = 4, PROCESS_GROUP = 5, SESSION = 6, STARTED = 22 };
    const char *at = strrchr(text, ')');
    uint64_t fields[STARTED + 1] = {0};
    if (!at || at[1] != ' ' || !at[2] || at[3] != ' ') {
        return false;
    }
    at += 4;
    for (unsigned i = PARENT; i <= STARTED; i++) {
        at = read_decimal(at + (*at == '-'), &fields[i]);
        if (*at != ' ') {
            return false;
        }
        at++;
    }
    process->parent = (pid_t)fields[PARENT];
    process->group = (pid_t)fields[PROCESS_GROUP];
    process->session = (pid_t)fields[SESSION];
    process->started = fields[STARTED];
    return true;
}

bool sw_process_look(pid_t pid, struct sw_process *process) {
    char path[64], text[1024];
    int fd = open(sw_process_path(path, pid, "/stat"), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t got = read(fd, text, sizeof text - 1);
    close(fd);
    if (got <= 0) {
        return false;
    }
    text[got] = '\0';
    process->pid = pid;
    return parse_stat(text, process);
}

bool sw_processes_known(void) {
    char text[24], own[24];
    ssize_t length = readlink("/proc/self", text, sizeof text - 1);
    *put_decimal(own, (uint64_t)getpid()) = '\0';
    text[length > 0 ? length : 0] = '\0';
    return strcmp(text, own) == 0;
}

/* What the system call getdents64 gives. opendir would allocate. */
struct folder_entry {
    uint64_t inode;
    int64_t offset;
    unsigned short length;
    unsigned char type;
    char name[];
};

void sw_processes_each(void (*visit)(void *, const struct sw_process *), void *context) {
    _Alignas(struct folder_entry) char entries[4096];
    int fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long got;
    while (fd >= 0 && (got = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0) {
        for (long at = 0; at < got;) {
            const struct folder_entry *entry = (const struct folder_entry *)(const void *)(entries + at);
            struct sw_process process;
            uint64_t pid;
            at += entry->length;
            if (*read_decimal(entry->name, &pid) == '\0' && pid > 0 && sw_process_look((pid_t)pid, &process)) {
                visit(context, &process);
            }
        }
    }
    if (fd >= 0) {
        close(fd);
    }
}

bool sw_process_signal(const struct sw_process *process, int number) {
    struct sw_process now;
    int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    bool known = fd >= 0 || errno != ESRCH;
    bool good = known && sw_process_look(process->pid, &now) && now.started == process->started;
    if (good) { /* a kernel before 5.3 has no such descriptors */
        good = fd >= 0 ? syscall(SYS_pidfd_send_signal, fd, number, NULL, 0) == 0 : kill(process->pid, number) == 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    return good;
}
