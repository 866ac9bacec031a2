/* Giving the terminal back, in every way the program can end.
 *
 * What must be sent is worked out beforehand, since a handler for a fatal signal may do little more
 * than write. Signals that ask to end the program only set a flag; the second one, or one that is
 * an error, goes the short way: restore, and raise the signal again with its old handler, so that
 * core dumps and sanitizer reports still come. */
#include "tui/tui_internal.h"
#include "base/base.h"

#include <curses.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

/* Every signal that would end or stop the program; those of real time, too, which have no names. */
static const int asking[] = {SIGINT,  SIGTERM, SIGHUP, SIGUSR1,   SIGUSR2,  SIGALRM,
                             SIGPROF, SIGIO,   SIGPWR, SIGSTKFLT, SIGVTALRM};
static const int fatal[] = {SIGQUIT, SIGSEGV, SIGABRT, SIGBUS,  SIGFPE, SIGILL,
                            SIGSYS,  SIGTRAP, SIGXCPU, SIGXFSZ, SIGPIPE};
static const int telling[] = {SIGWINCH, SIGCONT};
static const int stopping[] = {SIGTSTP, SIGTTIN, SIGTTOU};
#define ARRAY_COUNT(list) (sizeof(list) / sizeof *(list))

static struct {
    volatile sig_atomic_t up;
    bool has_modes;
    struct termios modes; /* before us */
    char restore[1024];
    size_t length;
    struct sigaction old[NSIG];
    volatile sig_atomic_t quit, resized, stopped, continued;
    int saved_stderr, held_stderr; /* -1: not held */
    char stack[64 * 1024];
    bool registered;
    const char *clears; /* NULL: nothing more */
} terminal = {.saved_stderr = -1, .held_stderr = -1};

/* ---- the restore string ---- */

/* Without the delays "$<5>" that only old hardware needed. */
static void add_sequence(const char *text) {
    while (text && *text && terminal.length + 1 < sizeof terminal.restore) {
        const char *end = text[0] == '$' && text[1] == '<' ? strchr(text, '>') : NULL;
        if (end) {
            text = end + 1;
        } else {
            terminal.restore[terminal.length++] = *text++;
        }
    }
}

static const char *capability(const char *name) {
    const char *text = tigetstr(name);
    return text == (const char *)-1 ? NULL : text;
}

static void prepare_texts(void) {
    static const char *const names[] = {"sgr0", "op", "rmkx", "cnorm", "rmcup"};
    terminal.length = 0;
    add_sequence(terminal.clears);
    if (capability("kmous")) { /* a terminal with a mouse knows how to bracket a paste */
        add_sequence(SW_PASTE_OFF "\033[?1016l\033[?1006l\033[?1002l\033[?1000l");
    }
    for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
        add_sequence(capability(names[i]));
    }
}

/* A signal between the two writes restores without it, or with a part of it: either is better than nothing. */
void sw_terminal_clears(const char *text) {
    if (terminal.clears != text) {
        terminal.clears = text;
        prepare_texts();
    }
}

/* Only what is allowed in a signal handler. */
static void emergency(void) {
    if (!terminal.up) {
        return;
    }
    terminal.up = 0;
    size_t sent = 0;
    while (sent < terminal.length) {
        ssize_t n = write(STDOUT_FILENO, terminal.restore + sent, terminal.length - sent);
        if (n <= 0) {
            break;
        }
        sent += (size_t)n;
    }
    if (terminal.has_modes) {
        tcsetattr(STDIN_FILENO, TCSANOW, &terminal.modes);
    }
    if (terminal.saved_stderr >= 0) {
        dup2(terminal.saved_stderr, STDERR_FILENO);
    }
}

/* ---- handlers ---- */

static void set_default(int number) {
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

static void stand_still(int number) {
    struct sigaction ours;
    sigaction(number, NULL, &ours);
    set_default(number);
    raise(number);
    sigaction(number, &ours, NULL);
}

static void on_fatal(int number) {
    emergency();
    sigaction(number, &terminal.old[number], NULL);
    raise(number);
}

static void on_asking(int number) {
    if (terminal.quit) {
        emergency();
        set_default(number);
        raise(number);
    }
    terminal.quit = number;
}

static void on_telling(int number) {
    *(number == SIGWINCH ? &terminal.resized : &terminal.continued) = 1;
}

/* What the kernel sends to a program in the background that reads or writes stops it at once: the terminal
 * belongs to another one, and what was about to be done would only be tried again. */
static void on_stopping(int number, siginfo_t *about, void *context) {
    (void)context;
    if (number == SIGTSTP || about->si_code <= 0) {
        terminal.stopped = number;
        return;
    }
    stand_still(number);
    terminal.continued = 1;
}

static void install_one(int number, const struct sigaction *action, bool others) {
    struct sigaction now;
    sigaction(number, NULL, &now);
    /* What was to be ignored (nohup) stays ignored; a profiler's handler stays in place, too. */
    if (now.sa_handler == SIG_DFL || (others && now.sa_handler != SIG_IGN)) {
        sigaction(number, action, NULL);
    }
}

static void install_handlers(const int *numbers, size_t count, struct sigaction action) {
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < count; i++) {
        install_one(numbers[i], &action, numbers[i] != SIGPROF && numbers[i] != SIGVTALRM);
    }
}

static void install_real_time(void) {
    struct sigaction action = {.sa_handler = on_asking, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++) {
        install_one(number, &action, false);
    }
}

/* All that are handled here. */
static void each_signal(void (*visit)(int number)) {
    static const struct {
        const int *numbers;
        size_t count;
    } lists[] = {{asking, ARRAY_COUNT(asking)},
                 {fatal, ARRAY_COUNT(fatal)},
                 {telling, ARRAY_COUNT(telling)},
                 {stopping, ARRAY_COUNT(stopping)}};
    for (size_t i = 0; i < ARRAY_COUNT(lists); i++) {
        for (size_t k = 0; k < lists[i].count; k++) {
            visit(lists[i].numbers[k]);
        }
    }
    for (int number = SIGRTMIN; number <= SIGRTMAX && number < NSIG; number++) {
        visit(number);
    }
}

static void remember_handler(int number) {
    sigaction(number, NULL, &terminal.old[number]);
}

static void put_back_handler(int number) {
    sigaction(number, &terminal.old[number], NULL);
}

/* ---- standard error ---- */

/* A library's warning must not be written across the screen: it is held until the end. */
static void hold_stderr(void) {
    if (!isatty(STDERR_FILENO)) {
        return;
    }
    int held = memfd_create("stderr", MFD_CLOEXEC);
    int saved = held >= 0 ? fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3) : -1;
    if (saved < 0) {
        if (held >= 0) {
            close(held);
        }
        return;
    }
    fflush(stderr);
    dup2(held, STDERR_FILENO);
    terminal.held_stderr = held;
    terminal.saved_stderr = saved;
}

static void release_stderr(void) {
    if (terminal.saved_stderr < 0) {
        return;
    }
    fflush(stderr);
    dup2(terminal.saved_stderr, STDERR_FILENO);
    char text[4096];
    ssize_t got;
    off_t from = 0;
    while ((got = pread(terminal.held_stderr, text, sizeof text, from)) > 0) {
        if (write(STDERR_FILENO, text, (size_t)got) != got) {
            break;
        }
        from += got;
    }
    close(terminal.saved_stderr);
    close(terminal.held_stderr);
    terminal.saved_stderr = terminal.held_stderr = -1;
}

/* ---- coming and going ---- */

void sw_terminal_remember(void) {
    terminal.has_modes = tcgetattr(STDIN_FILENO, &terminal.modes) == 0;
    each_signal(remember_handler); /* those there were before curses, which puts its own in place */
}

void sw_terminal_enter(void) {
    stack_t stack = {.ss_sp = terminal.stack, .ss_size = sizeof terminal.stack};
    prepare_texts();
    terminal.quit = terminal.resized = terminal.stopped = terminal.continued = 0;
    terminal.up = 1;
    if (!terminal.registered) {
        terminal.registered = atexit(sw_terminal_leave) == 0;
    }
    stack_t old_stack;
    if (sigaltstack(NULL, &old_stack) == 0 && (old_stack.ss_flags & SS_DISABLE)) {
        sigaltstack(&stack, NULL);
    }
    install_handlers(asking, ARRAY_COUNT(asking), (struct sigaction){.sa_handler = on_asking, .sa_flags = SA_RESTART});
    install_handlers(fatal, ARRAY_COUNT(fatal),
                     (struct sigaction){.sa_handler = on_fatal, .sa_flags = SA_ONSTACK | SA_NODEFER});
    install_handlers(telling, ARRAY_COUNT(telling),
                     (struct sigaction){.sa_handler = on_telling, .sa_flags = SA_RESTART});
    install_handlers(stopping, ARRAY_COUNT(stopping),
                     (struct sigaction){.sa_sigaction = on_stopping, .sa_flags = SA_RESTART | SA_SIGINFO | SA_NODEFER});
    install_real_time();
    hold_stderr();
}

void sw_terminal_leave(void) {
    if (!terminal.up) {
        return;
    }
    sw_curses_end();
    terminal.up = 0;
    if (terminal.has_modes) {
        tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.modes);
    }
    release_stderr();
    each_signal(put_back_handler);
}

void sw_terminal_suspend(int number) {
    sw_curses_end();
    if (terminal.has_modes) {
        tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal.modes);
    }
    stand_still(number);
    terminal.resized = 1;
    terminal.continued = 0;
    sw_curses_resume();
}

void sw_terminal_die(int number) {
    sw_terminal_leave();
    set_default(number);
    raise(number);
    _exit(128 + number); /* in case it was blocked */
}

/* ---- waiting ---- */

/* The terminal has gone. */
enum { CUT = POLLHUP | POLLERR | POLLNVAL };

struct sw_signals sw_terminal_signals(void) {
    struct sw_signals signals = {.quit = terminal.quit,
                                 .resized = terminal.resized,
                                 .stopped = terminal.stopped,
                                 .continued = terminal.continued};
    if (signals.resized) {
        terminal.resized = 0;
    }
    if (signals.stopped) {
        terminal.stopped = 0;
    }
    if (signals.continued) {
        terminal.continued = 0;
    }
    return signals;
}

void sw_terminal_heeded(void) {
    terminal.quit = 0;
}

static bool signalled(void) {
    return terminal.quit || terminal.resized || terminal.stopped || terminal.continued;
}

static sigset_t *waited_for;

static void wait_for_signal(int number) {
    for (size_t i = 0; i < ARRAY_COUNT(fatal); i++) {
        if (fatal[i] == number) {
            return;
        }
    }
    sigaddset(waited_for, number);
}

bool sw_terminal_wait(int milliseconds) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    struct timespec limit = {milliseconds / 1000, (milliseconds % 1000) * 1000000L};
    sigset_t ours, old;
    sigemptyset(&ours);
    waited_for = &ours;
    each_signal(wait_for_signal);
    /* Blocked between the look at the flags and the sleep, so that no signal is slept through. */
    sigprocmask(SIG_BLOCK, &ours, &old);
    int ready = 0;
    if (!signalled()) {
        ready = ppoll(&input, 1, milliseconds < 0 ? NULL : &limit, &old);
    }
    sigprocmask(SIG_SETMASK, &old, NULL);
    /* What was typed before the line was cut is not worth a loop that never sleeps again. */
    return !(ready > 0 && (input.revents & CUT));
}

bool sw_terminal_pending(void) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return signalled() || sw_curses_pending() ||
           (poll(&input, 1, 0) > 0 && (input.revents & POLLIN) && !(input.revents & CUT));
}
