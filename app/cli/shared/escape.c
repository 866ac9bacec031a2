#include "cli/shared/run.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

/* Signals that end or stop the program, where no other code handles them. */
static const int restoring_signals[] = {SIGINT, SIGTERM, SIGHUP,  SIGQUIT, SIGABRT, SIGSEGV,
                                        SIGBUS, SIGFPE,  SIGPIPE, SIGXCPU, SIGTSTP};
enum { ENDING = sizeof restoring_signals / sizeof *restoring_signals };

static struct {
    volatile sig_atomic_t on;
    bool registered;
    struct termios before, ours;
    struct sigaction old[ENDING], old_continue;
} escape;

/* In the background the terminal is another program's, and setting it would stop this one. */
static void set_modes(const struct termios *modes) {
    if (tcgetpgrp(STDIN_FILENO) == getpgrp()) {
        tcsetattr(STDIN_FILENO, TCSANOW, modes);
    }
}

static void restore_terminal(void) {
    if (escape.on) {
        set_modes(&escape.before);
    }
}

/* The handler that was there before is called; when the signal ends or stops the program the terminal is as it was. */
static void restore_on_signal(int number) {
    for (int i = 0; i < ENDING; i++) {
        if (restoring_signals[i] != number) {
            continue;
        }
        bool handled = escape.old[i].sa_handler != SIG_DFL && escape.old[i].sa_handler != SIG_IGN;
        if (handled) { /* a second one is not: it ends the program */
            void (*handler)(int) = escape.old[i].sa_handler;
            if (escape.old[i].sa_flags & (int)SA_RESETHAND) {
                escape.old[i].sa_handler = SIG_DFL;
            }
            handler(number);
            return;
        }
        restore_terminal();
        sigaction(number, &escape.old[i], NULL);
        raise(number);
    }
}

static void install(int i) {
    struct sigaction action = {.sa_handler = restore_on_signal, .sa_flags = SA_RESTART};
    struct sigaction now;
    sigemptyset(&action.sa_mask);
    sigaction(restoring_signals[i], NULL, &now);
    if (now.sa_handler == restore_on_signal) { /* still there: the program went on without having been stopped by it */
        return;
    }
    escape.old[i] = now;
    bool ours = now.sa_handler == SIG_DFL || restoring_signals[i] == SIGINT;
    if (ours && now.sa_handler != SIG_IGN) {
        sigaction(restoring_signals[i], &action, NULL);
    }
}

static void on_continue(int number) {
    (void)number;
    if (escape.on) {
        set_modes(&escape.ours);
        install(ENDING - 1); /* SIGTSTP */
    }
}

void sw_escape_begin(void) {
    if (escape.on || tcgetpgrp(STDIN_FILENO) != getpgrp() || tcgetattr(STDIN_FILENO, &escape.before) != 0) {
        return;
    }
    struct sigaction action = {.sa_handler = on_continue, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    escape.ours = escape.before;
    escape.ours.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    escape.ours.c_cc[VMIN] = 0;
    escape.ours.c_cc[VTIME] = 0;
    escape.on = 1;
    for (int i = 0; i < ENDING; i++) {
        install(i);
    }
    sigaction(SIGCONT, &action, &escape.old_continue);
    if (!escape.registered) {
        escape.registered = atexit(restore_terminal) == 0;
    }
    tcsetattr(STDIN_FILENO, TCSANOW, &escape.ours);
}

static bool ready(int milliseconds) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, milliseconds) > 0 && (input.revents & POLLIN);
}

bool sw_escape_pressed(void) {
    enum { TOGETHER = 25 }; /* milliseconds: bytes of one key come together */
    char bytes[256];
    while (escape.on && ready(0)) {
        ssize_t count = read(STDIN_FILENO, bytes, sizeof bytes);
        if (count <= 0) {
            return false; /* the terminal has gone: a signal says so */
        }
        for (ssize_t i = 0; i < count; i++) { /* keys of several bytes go on with [ or O */
            bool last = i + 1 == count;
            if (bytes[i] == '\033' && (last ? !ready(TOGETHER) : bytes[i + 1] != '[' && bytes[i + 1] != 'O')) {
                return true;
            }
        }
    }
    return false;
}

void sw_escape_end(void) {
    if (!escape.on) {
        return;
    }
    restore_terminal();
    escape.on = 0;
    for (int i = 0; i < ENDING; i++) {
        struct sigaction now;
        sigaction(restoring_signals[i], NULL, &now);
        if (now.sa_handler == restore_on_signal) {
            sigaction(restoring_signals[i], &escape.old[i], NULL);
        }
    }
    sigaction(SIGCONT, &escape.old_continue, NULL);
}
