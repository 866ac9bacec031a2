/* The program in a pty, for tests: start it, send it keys, read its screen. Its bytes go through libvterm.
 *
 * Nothing here sleeps. The program writes a byte to STOWAGE_SYNC_FD whenever everything is done and
 * drawn; a test sends input and waits for that byte. A process between us and the program plays the
 * shell: it puts the program into the foreground, sees it stop and brings it back. */
#ifndef SW_TUI_PTYS_H
#define SW_TUI_PTYS_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>
#include <vterm.h>

static const char *program;
static bool ignore_hangup;                /* as nohup does */
static bool keep_state;                   /* what the program keeps from one start to the next stays there */
static const char *terminal_answers;      /* to questions, in place of the emulator's; NULL: its own */
static unsigned pixels_wide, pixels_high; /* of a cell, as the system tells them; 0: it does not */
static char home[64];                     /* a folder of the test's own in place of the user's home */

struct terminal {
    int master, slave; /* the slave stays open here, so that its modes can be read at the end */
    int idle;          /* bytes of the program: everything is drawn */
    int news, orders;  /* from and to the shell */
    pid_t shell, child;
    struct termios before;
    VTerm *vterm;
    VTermScreen *screen;
    int columns, rows;
    bool alternate, mouse, cursor;
    int within; /* a string of a kind that old emulators show as text: 1 its ESC, 2 inside, 3 an ESC inside */
    char *raw;  /* all output so far */
    size_t length, capacity;
};

/* What the shell tells. */
struct news {
    char what; /* 's'tarted, 'T' stopped, 'X' ended */
    pid_t pid;
    int status;
};

/* ---- the shell ---- */

static inline void tell(int fd, char what, pid_t pid, int status) {
    struct news news = {what, pid, status};
    if (write(fd, &news, sizeof news) != (ssize_t)sizeof news) {
        _exit(3);
    }
}

static inline void be_shell(struct terminal *terminal, char *const *arguments, int news, int orders) {
    setsid();
    ioctl(terminal->slave, TIOCSCTTY, 0);
    for (int fd = 0; fd < 3; fd++) {
        dup2(terminal->slave, fd);
    }
    signal(SIGTTOU, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    pid_t child = fork();
    if (child < 0) {
        _exit(2);
    }
    if (child == 0) {
        setpgid(0, 0);
        tcsetpgrp(0, getpid());
        signal(SIGTTOU, SIG_DFL);
        signal(SIGHUP, ignore_hangup ? SIG_IGN : SIG_DFL);
        signal(SIGINT, SIG_DFL); /* tests that run in the background were given these two ignored */
        signal(SIGQUIT, SIG_DFL);
        execv(arguments[0], arguments);
        _exit(127);
    }
    setpgid(child, child);
    tcsetpgrp(0, child);
    tell(news, 's', child, 0);
    int status = 0;
    while (waitpid(child, &status, WUNTRACED) == child) {
        if (!WIFSTOPPED(status)) {
            tell(news, 'X', child, status);
            _exit(0);
        }
        tcsetpgrp(0, getpid());
        tell(news, 'T', child, status);
        char order = 0;
        if (read(orders, &order, 1) != 1) {
            kill(-child, SIGKILL);
            _exit(4);
        }
        tcsetpgrp(0, child);
        kill(-child, SIGCONT);
    }
    _exit(5);
}

/* ---- the emulator ---- */

static inline int on_property(VTermProp property, VTermValue *value, void *user) {
    struct terminal *terminal = user;
    if (property == VTERM_PROP_ALTSCREEN) {
        terminal->alternate = value->boolean;
    } else if (property == VTERM_PROP_MOUSE) {
        terminal->mouse = value->number != VTERM_PROP_MOUSE_NONE;
    } else if (property == VTERM_PROP_CURSORVISIBLE) {
        terminal->cursor = value->boolean;
    }
    return 1;
}

static const VTermScreenCallbacks callbacks = {.settermprop = on_property};

static inline void open_emulator(struct terminal *terminal) {
    terminal->vterm = vterm_new(terminal->rows, terminal->columns);
    vterm_set_utf8(terminal->vterm, 1);
    terminal->screen = vterm_obtain_screen(terminal->vterm);
    vterm_screen_set_callbacks(terminal->screen, &callbacks, terminal);
    vterm_screen_enable_altscreen(terminal->screen, 1);
    vterm_screen_reset(terminal->screen, 1);
    terminal->cursor = true;
}

static inline void row_text(struct terminal *terminal, int row, char *text, size_t size) {
    VTermRect rect = {.start_row = row, .end_row = row + 1, .start_col = 0, .end_col = terminal->columns};
    size_t length = vterm_screen_get_text(terminal->screen, text, size - 1, rect);
    text[length < size ? length : size - 1] = 0;
}

static inline bool shows(struct terminal *terminal, const char *wanted) {
    char text[4096];
    for (int row = 0; row < terminal->rows; row++) {
        row_text(terminal, row, text, sizeof text);
        if (strstr(text, wanted)) {
            return true;
        }
    }
    return false;
}

static inline void dump(struct terminal *terminal) {
    char text[4096];
    for (int row = 0; row < terminal->rows; row++) {
        row_text(terminal, row, text, sizeof text);
        print_message("%s\n", text);
    }
}

/* ---- bytes ---- */

/* The emulator is spared pictures and questions about them. */
static inline void feed_emulator(struct terminal *terminal, const char *bytes, size_t length) {
    size_t from = 0;
    for (size_t i = 0; i < length; i++) {
        char c = bytes[i];
        if (terminal->within == 1) {
            terminal->within = c == '_' || c == 'P' ? 2 : 0;
            if (!terminal->within) {
                vterm_input_write(terminal->vterm, "\033", 1);
            }
            from = terminal->within ? from : i;
        } else if (terminal->within > 1) {
            bool ends = terminal->within == 3 && c == '\\';
            terminal->within = ends ? 0 : c == '\033' ? 3 : 2;
            from = i + 1;
        } else if (c == '\033') {
            vterm_input_write(terminal->vterm, bytes + from, i - from);
            terminal->within = 1;
            from = i + 1;
        }
    }
    if (!terminal->within) {
        vterm_input_write(terminal->vterm, bytes + from, length - from);
    }
}

static inline bool take_output(struct terminal *terminal) {
    char bytes[8192];
    ssize_t got = read(terminal->master, bytes, sizeof bytes);
    if (got <= 0) {
        return false;
    }
    if (terminal->length + (size_t)got + 1 > terminal->capacity) {
        terminal->capacity = (terminal->length + (size_t)got + 1) * 2;
        terminal->raw = realloc(terminal->raw, terminal->capacity);
        assert_non_null(terminal->raw);
    }
    memcpy(terminal->raw + terminal->length, bytes, (size_t)got);
    terminal->length += (size_t)got;
    terminal->raw[terminal->length] = 0;
    feed_emulator(terminal, bytes, (size_t)got);
    /* What the program asked the terminal; its last question is that of all terminals. */
    bool asked = strstr(terminal->raw + terminal->length - (size_t)got, "\033[c") != NULL;
    size_t answered = vterm_output_read(terminal->vterm, bytes, sizeof bytes);
    const char *answer = terminal_answers ? terminal_answers : bytes;
    answered = terminal_answers ? asked * strlen(answer) : answered;
    if (answered > 0 && write(terminal->master, answer, answered) != (ssize_t)answered) {
        print_message("an answer of the terminal was not read\n");
    }
    return true;
}

/* Until there is a byte on `fd`, reading output all the while; false after 30 s. */
static inline bool wait_for(struct terminal *terminal, int fd) {
    for (;;) {
        struct pollfd files[2] = {{.fd = terminal->master, .events = POLLIN}, {.fd = fd, .events = POLLIN}};
        int ready = poll(files, 2, 30000);
        if (ready <= 0) {
            return false;
        }
        if (files[0].revents & POLLIN) {
            take_output(terminal);
        } else if (files[1].revents & (POLLIN | POLLHUP)) {
            return true;
        }
    }
}

static inline void wait_idle(struct terminal *terminal) {
    char bytes[64];
    if (!wait_for(terminal, terminal->idle) || read(terminal->idle, bytes, sizeof bytes) <= 0) {
        dump(terminal);
        fail_msg("the program does not become idle");
    }
    struct pollfd file = {.fd = terminal->master, .events = POLLIN};
    while (poll(&file, 1, 0) > 0 && (file.revents & POLLIN) && take_output(terminal)) {
    }
}

/* The program may have been idle once before it saw what it was sent: while there is more to come, the text may. */
static inline void assert_shows(struct terminal *terminal, const char *wanted) {
    enum { PATIENCE = 5000 }; /* ms without any news: only a test that fails waits for them */
    while (!shows(terminal, wanted)) {
        char bytes[64];
        struct pollfd files[2] = {{.fd = terminal->master, .events = POLLIN}, {.fd = terminal->idle, .events = POLLIN}};
        bool news = poll(files, 2, PATIENCE) > 0;
        if (news && files[0].revents & POLLIN) {
            news = take_output(terminal);
        } else if (news) {
            news = files[1].revents & POLLIN && read(terminal->idle, bytes, sizeof bytes) > 0;
        }
        if (!news) {
            dump(terminal);
            fail_msg("'%s' is not on the screen", wanted);
        }
    }
}

static inline void send_bytes(struct terminal *terminal, const char *bytes, size_t length) {
    char old[64];
    struct pollfd file = {.fd = terminal->idle, .events = POLLIN};
    while (poll(&file, 1, 0) > 0 && read(terminal->idle, old, sizeof old) > 0) {
    }
    assert_int_equal(write(terminal->master, bytes, length), (ssize_t)length);
}

static inline void keys(struct terminal *terminal, const char *bytes) {
    send_bytes(terminal, bytes, strlen(bytes));
    wait_idle(terminal);
}

static inline struct news hear(struct terminal *terminal) {
    struct news news = {0};
    assert_true(wait_for(terminal, terminal->news));
    assert_int_equal(read(terminal->news, &news, sizeof news), (ssize_t)sizeof news);
    struct pollfd file = {.fd = terminal->master, .events = POLLIN};
    while (poll(&file, 1, 0) > 0 && (file.revents & POLLIN) && take_output(terminal)) {
    }
    return news;
}

/* ---- starting and ending ---- */

/* With these words after the program's name, up to a NULL. */
enum { MOST_ARGUMENTS = 8 };
static inline bool start_with(struct terminal *terminal, const char *term, int columns, int rows,
                              const char *const *words) {
    *terminal = (struct terminal){.columns = columns, .rows = rows};
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s/state'", home);
    assert_true(keep_state || system(command) == 0);
    struct winsize size = {.ws_col = (unsigned short)columns,
                           .ws_row = (unsigned short)rows,
                           .ws_xpixel = (unsigned short)(columns * (int)pixels_wide),
                           .ws_ypixel = (unsigned short)(rows * (int)pixels_high)};
    if (openpty(&terminal->master, &terminal->slave, NULL, NULL, &size) != 0) {
        print_message("skipped: there is no pty here\n");
        return false;
    }
    tcgetattr(terminal->slave, &terminal->before);
    int idle[2], news[2], orders[2];
    assert_true(pipe(idle) == 0 && pipe(news) == 0 && pipe(orders) == 0);
    open_emulator(terminal);
    char number[16];
    snprintf(number, sizeof number, "%d", idle[1]);
    char *arguments[MOST_ARGUMENTS + 2] = {(char *)(uintptr_t)program};
    for (int i = 0; i < MOST_ARGUMENTS && words[i]; i++) {
        arguments[i + 1] = (char *)(uintptr_t)words[i];
    }
    fflush(NULL);
    terminal->shell = fork();
    assert_true(terminal->shell >= 0);
    if (terminal->shell == 0) {
        setenv("TERM", term, 1);
        if (strcmp(term, "linux") == 0) {
            setenv("ASAN_OPTIONS", "detect_leaks=0", 1); /* curses loads libgpm, which leaks */
        }
        setenv("LC_ALL", "C.UTF-8", 1);
        setenv("STOWAGE_SYNC_FD", number, 1);
        close(terminal->master);
        close(idle[0]);
        close(news[0]);
        close(orders[1]);
        be_shell(terminal, arguments, news[1], orders[0]);
    }
    close(idle[1]);
    close(news[1]);
    close(orders[0]);
    terminal->idle = idle[0];
    terminal->news = news[0];
    terminal->orders = orders[1];
    struct news first = hear(terminal);
    assert_int_equal(first.what, 's');
    terminal->child = first.pid;
    return true;
}

static inline void finish(struct terminal *terminal) {
    int status = 0;
    close(terminal->orders);
    waitpid(terminal->shell, &status, 0);
    vterm_free(terminal->vterm);
    close(terminal->master);
    close(terminal->slave);
    close(terminal->idle);
    close(terminal->news);
    free(terminal->raw);
}

static inline void assert_modes_restored(struct terminal *terminal) {
    struct termios after;
    assert_int_equal(tcgetattr(terminal->slave, &after), 0);
    assert_int_equal(after.c_lflag, terminal->before.c_lflag);
    assert_int_equal(after.c_iflag, terminal->before.c_iflag);
    assert_int_equal(after.c_oflag, terminal->before.c_oflag);
    assert_int_equal(after.c_cflag, terminal->before.c_cflag);
}

/* The bytes since `from` say so, and the emulator agrees. */
static inline void assert_restored(struct terminal *terminal, size_t from) {
    const char *since = terminal->raw ? terminal->raw + from : "";
    assert_non_null(strstr(since, "\033[?1049l"));
    assert_true(strstr(since, "\033[?25h") || strstr(since, "\033[?12l\033[?25h") ||
                strstr(since, "\033[34h\033[?25h"));
    assert_non_null(strstr(since, "1000l"));
    assert_non_null(strstr(since, "\033[?2004l")); /* pastes are not bracketed any more */
    assert_false(terminal->alternate);
    assert_false(terminal->mouse);
    assert_true(terminal->cursor);
    assert_modes_restored(terminal);
}

/* ---- a program of tests ---- */

/* The program to test, and a home for it. */
static inline bool open_home(const char *given) {
    program = given;
    signal(SIGPIPE, SIG_IGN);
    unsetenv("NO_COLOR");
    unsetenv("LINES");
    unsetenv("COLUMNS");
    unsetenv("STOWAGE_STATE");
    snprintf(home, sizeof home, "/tmp/stowage-home-XXXXXX");
    char path[128];
    if (!mkdtemp(home)) {
        return false;
    }
    snprintf(path, sizeof path, "%s/config", home);
    setenv("XDG_CONFIG_HOME", path, 1);
    snprintf(path, sizeof path, "%s/state", home);
    setenv("XDG_STATE_HOME", path, 1);
    return true;
}

static inline bool close_home(void) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", home);
    return system(command) == 0;
}

#endif
