/* The explorer in a real terminal: a pty whose bytes go through libvterm, and the restore matrix.
 *
 * Nothing here sleeps. The program writes a byte to STOWAGE_SYNC_FD whenever everything is done and
 * drawn; a test sends input and waits for that byte. A process between us and the program plays the
 * shell: it puts the program into the foreground, sees it stop and brings it back. */
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

#include "command/session.h"

#define MODEL SW_TEST_SOURCE "/tests/tui/models/small.json"

static const char *program;
static bool ignore_hangup; /* as nohup does */
static bool keep_state;    /* what the program keeps from one start to the next stays there */
static char home[64];      /* nobody's: what the user has there is neither read nor changed */

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
    char *raw; /* all output so far */
    size_t length, capacity;
};

/* What the shell tells. */
struct news {
    char what; /* 's'tarted, 'T' stopped, 'X' ended */
    pid_t pid;
    int status;
};

/* ---- the shell ---- */

static void tell(int fd, char what, pid_t pid, int status) {
    struct news news = {what, pid, status};
    if (write(fd, &news, sizeof news) != (ssize_t)sizeof news) {
        _exit(3);
    }
}

static void be_shell(struct terminal *terminal, char *const *arguments, int news, int orders) {
    setsid();
    ioctl(terminal->slave, TIOCSCTTY, 0);
    for (int fd = 0; fd < 3; fd++) {
        dup2(terminal->slave, fd);
    }
    signal(SIGTTOU, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    pid_t child = fork();
    if (child == 0) {
        setpgid(0, 0);
        tcsetpgrp(0, getpid());
        signal(SIGTTOU, SIG_DFL);
        signal(SIGHUP, ignore_hangup ? SIG_IGN : SIG_DFL);
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

static int on_property(VTermProp property, VTermValue *value, void *user) {
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

static void open_emulator(struct terminal *terminal) {
    terminal->vterm = vterm_new(terminal->rows, terminal->columns);
    vterm_set_utf8(terminal->vterm, 1);
    terminal->screen = vterm_obtain_screen(terminal->vterm);
    vterm_screen_set_callbacks(terminal->screen, &callbacks, terminal);
    vterm_screen_enable_altscreen(terminal->screen, 1);
    vterm_screen_reset(terminal->screen, 1);
    terminal->cursor = true;
}

static void row_text(struct terminal *terminal, int row, char *text, size_t size) {
    VTermRect rect = {
        .start_row = row, .end_row = row + 1, .start_col = 0, .end_col = terminal->columns};
    size_t length = vterm_screen_get_text(terminal->screen, text, size - 1, rect);
    text[length < size ? length : size - 1] = 0;
}

static bool shows(struct terminal *terminal, const char *wanted) {
    char text[4096];
    for (int row = 0; row < terminal->rows; row++) {
        row_text(terminal, row, text, sizeof text);
        if (strstr(text, wanted)) {
            return true;
        }
    }
    return false;
}

static void dump(struct terminal *terminal) {
    char text[4096];
    for (int row = 0; row < terminal->rows; row++) {
        row_text(terminal, row, text, sizeof text);
        print_message("%s\n", text);
    }
}

static void assert_shows(struct terminal *terminal, const char *wanted) {
    if (!shows(terminal, wanted)) {
        dump(terminal);
        fail_msg("'%s' is not on the screen", wanted);
    }
}

/* ---- bytes ---- */

static bool take_output(struct terminal *terminal) {
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
    vterm_input_write(terminal->vterm, bytes, (size_t)got);
    return true;
}

/* Until there is a byte on `fd`, reading output all the while; false after 30 s. */
static bool wait_for(struct terminal *terminal, int fd) {
    for (;;) {
        struct pollfd files[2] = {{.fd = terminal->master, .events = POLLIN},
                                  {.fd = fd, .events = POLLIN}};
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

static void wait_idle(struct terminal *terminal) {
    char bytes[64];
    if (!wait_for(terminal, terminal->idle) || read(terminal->idle, bytes, sizeof bytes) <= 0) {
        dump(terminal);
        fail_msg("the program does not become idle");
    }
    struct pollfd file = {.fd = terminal->master, .events = POLLIN};
    while (poll(&file, 1, 0) > 0 && (file.revents & POLLIN) && take_output(terminal)) {
    }
}

static void send_bytes(struct terminal *terminal, const char *bytes, size_t length) {
    char old[64];
    struct pollfd file = {.fd = terminal->idle, .events = POLLIN};
    while (poll(&file, 1, 0) > 0 && read(terminal->idle, old, sizeof old) > 0) {
    }
    assert_int_equal(write(terminal->master, bytes, length), (ssize_t)length);
}

static void keys(struct terminal *terminal, const char *bytes) {
    send_bytes(terminal, bytes, strlen(bytes));
    wait_idle(terminal);
}

static struct news hear(struct terminal *terminal) {
    struct news news = {0};
    assert_true(wait_for(terminal, terminal->news));
    assert_int_equal(read(terminal->news, &news, sizeof news), (ssize_t)sizeof news);
    struct pollfd file = {.fd = terminal->master, .events = POLLIN};
    while (poll(&file, 1, 0) > 0 && (file.revents & POLLIN) && take_output(terminal)) {
    }
    return news;
}

/* ---- starting and ending ---- */

static bool start(struct terminal *terminal, const char *term, int columns, int rows,
                  const char *option) {
    *terminal = (struct terminal){.columns = columns, .rows = rows};
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s/state'", home);
    assert_true(keep_state || system(command) == 0);
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
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
    char *arguments[] = {(char *)(uintptr_t)program, (char *)(uintptr_t)MODEL,
                         (char *)(uintptr_t)option, NULL};
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

static void finish(struct terminal *terminal) {
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

static void assert_modes_restored(struct terminal *terminal) {
    struct termios after;
    assert_int_equal(tcgetattr(terminal->slave, &after), 0);
    assert_int_equal(after.c_lflag, terminal->before.c_lflag);
    assert_int_equal(after.c_iflag, terminal->before.c_iflag);
    assert_int_equal(after.c_oflag, terminal->before.c_oflag);
    assert_int_equal(after.c_cflag, terminal->before.c_cflag);
}

/* The bytes since `from` say so, and the emulator agrees. */
static void assert_restored(struct terminal *terminal, size_t from) {
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

/* ---- the tests ---- */

static void test_steps(void **state) {
    (void)state;
    struct terminal terminal;
    if (!start(&terminal, "tmux-256color", 80, 24, NULL)) {
        return;
    }
    wait_idle(&terminal);
    assert_true(terminal.alternate && terminal.mouse && !terminal.cursor);
    assert_shows(&terminal, "small.json");
    assert_shows(&terminal, "0 of 10 blocks placed");
    keys(&terminal, "s");
    assert_shows(&terminal, "decision 1");
    keys(&terminal, "\033[C"); /* Right */
    assert_shows(&terminal, "decision 2");
    keys(&terminal, "S");
    assert_shows(&terminal, "decision 1");
    keys(&terminal, "\033[F"); /* End, as some terminals say it */
    keys(&terminal, ":goto 3\r");
    assert_shows(&terminal, "decision 3");
    keys(&terminal, ":");
    assert_true(terminal.cursor); /* a caret at the prompt */
    keys(&terminal, "\033");
    assert_false(terminal.cursor);
    keys(&terminal, "?");
    assert_shows(&terminal, "next-operator");
    keys(&terminal, "\033");
    assert_shows(&terminal, "decision 3");
    size_t mark = terminal.length;
    send_bytes(&terminal, "q", 1);
    struct news news = hear(&terminal);
    assert_int_equal(news.what, 'X');
    assert_true(WIFEXITED(news.status) && WEXITSTATUS(news.status) == 0);
    assert_restored(&terminal, mark);
    finish(&terminal);
}

static void resize(struct terminal *terminal, int columns, int rows) {
    struct winsize size = {.ws_col = (unsigned short)columns, .ws_row = (unsigned short)rows};
    send_bytes(terminal, "", 0);
    terminal->columns = columns;
    terminal->rows = rows;
    vterm_set_size(terminal->vterm, rows, columns);
    ioctl(terminal->master, TIOCSWINSZ, &size);
    wait_idle(terminal);
}

static void test_resizes(void **state) {
    (void)state;
    struct terminal terminal;
    char row[4096];
    if (!start(&terminal, "tmux-256color", 80, 24, NULL)) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "c");
    resize(&terminal, 120, 40);
    row_text(&terminal, 39, row, sizeof row);
    assert_true(strlen(row) > 5); /* the footer is in the last row */
    assert_shows(&terminal, "small.json");
    resize(&terminal, 30, 8);
    assert_shows(&terminal, "needs 40x12");
    resize(&terminal, 100, 30);
    assert_shows(&terminal, "small.json");
    send_bytes(&terminal, "q", 1);
    hear(&terminal);
    assert_modes_restored(&terminal);
    finish(&terminal);
}

static void press(struct terminal *terminal, int button, int column, int row) {
    char bytes[64];
    vterm_mouse_move(terminal->vterm, row, column, VTERM_MOD_NONE);
    vterm_output_read(terminal->vterm, bytes, sizeof bytes);
    vterm_mouse_button(terminal->vterm, button, true, VTERM_MOD_NONE);
    size_t length = vterm_output_read(terminal->vterm, bytes, sizeof bytes);
    assert_true(length > 0);
    send_bytes(terminal, bytes, length);
    wait_idle(terminal);
}

/* Where a text stands below the header; false when it does not. */
static bool find_text(struct terminal *terminal, const char *wanted, int *column, int *row) {
    char text[4096];
    for (*row = 2; *row < terminal->rows; ++*row) {
        row_text(terminal, *row, text, sizeof text);
        char *at = strstr(text, wanted);
        if (at) {
            *column = 0; /* bytes to columns: every frame character is one column */
            for (char *c = text; c < at; c++) {
                *column += ((unsigned char)*c & 0xc0) != 0x80;
            }
            return true;
        }
    }
    return false;
}

static void test_mouse(void **state) {
    (void)state;
    struct terminal terminal;
    int column = 0, row = 0;
    if (!start(&terminal, "tmux-256color", 100, 30, NULL)) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "c");
    assert_true(find_text(&terminal, "conv_1_out", &column, &row));
    press(&terminal, 1, column + 1, row);
    assert_shows(&terminal, "conv_1_out: 8K at");
    press(&terminal, 4, 30, 8); /* the wheel zooms: fewer blocks in view */
    assert_shows(&terminal, "in view");
    keys(&terminal, "m");
    assert_false(terminal.mouse);
    keys(&terminal, "m");
    assert_true(terminal.mouse);
    send_bytes(&terminal, "q", 1);
    hear(&terminal);
    assert_false(terminal.mouse);
    finish(&terminal);
}

/* The newer protocol, which is not limited to 223 columns. */
static void test_mouse_of_xterm(void **state) {
    (void)state;
    struct terminal terminal;
    int column = 0, row = 0;
    char bytes[64];
    if (!start(&terminal, "xterm-256color", 240, 50, NULL)) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "c");
    assert_true(find_text(&terminal, "conv_1_out", &column, &row));
    snprintf(bytes, sizeof bytes, "\033[<0;%d;%dM", column + 2, row + 1);
    keys(&terminal, bytes);
    assert_shows(&terminal, "conv_1_out: 8K at");
    send_bytes(&terminal, "q", 1);
    hear(&terminal);
    finish(&terminal);
}

/* A block is dragged to another place: a what-if, which can be undone. */
static void test_drag(void **state) {
    (void)state;
    struct terminal terminal;
    int column = 0, row = 0;
    char bytes[64];
    if (!start(&terminal, "xterm-256color", 120, 40, NULL)) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "c");
    assert_true(find_text(&terminal, "pool_1_out", &column, &row));
    snprintf(bytes, sizeof bytes, "\033[<0;%d;%dM", column + 2, row + 1);
    keys(&terminal, bytes);
    assert_shows(&terminal, "pool_1_out: 1.5K at");
    snprintf(bytes, sizeof bytes, "\033[<0;%d;%dm", column + 2, row + 1);
    keys(&terminal, bytes); /* the button comes up where it went down: nothing moves */
    assert_shows(&terminal, "pool_1_out: 1.5K at");
    snprintf(bytes, sizeof bytes, "\033[<0;%d;%dM", column + 2, row + 1);
    keys(&terminal, bytes);
    snprintf(bytes, sizeof bytes, "\033[<0;%d;%dm", column + 2, 6);
    keys(&terminal, bytes);
    assert_shows(&terminal, "branch 2 (pin pool_1_out");
    keys(&terminal, "u");
    assert_shows(&terminal, "undone: pin pool_1_out");
    send_bytes(&terminal, "q", 1);
    hear(&terminal);
    finish(&terminal);
}

/* Whatever ends the program, the terminal is as before, and the parent sees the true cause. */
static void die_by(const char *term, int number, bool full) {
    struct terminal terminal;
    if (!start(&terminal, term, 80, 24, NULL)) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "s");
    size_t mark = terminal.length;
    assert_int_equal(kill(terminal.child, number), 0);
    struct news news = hear(&terminal);
    assert_int_equal(news.what, 'X');
    bool by_signal = WIFSIGNALED(news.status) && WTERMSIG(news.status) == number;
    /* A sanitizer reports a crash and exits with a status of its own. */
    bool reported = WIFEXITED(news.status) && WEXITSTATUS(news.status) != 0 &&
                    (number == SIGSEGV || number == SIGABRT || number == SIGBUS ||
                     number == SIGFPE || number == SIGILL);
    assert_true(by_signal || reported);
    if (full) {
        assert_restored(&terminal, mark);
    } else {
        assert_modes_restored(&terminal);
        assert_true(terminal.cursor);
    }
    finish(&terminal);
}

static void test_restores_after_signals(void **state) {
    (void)state;
    const int numbers[] = {SIGTERM, SIGHUP,  SIGINT,    SIGQUIT, SIGSEGV, SIGABRT, SIGBUS,
                           SIGFPE,  SIGILL,  SIGUSR1,   SIGUSR2, SIGALRM, SIGPROF, SIGVTALRM,
                           SIGIO,   SIGPWR,  SIGSTKFLT, SIGSYS,  SIGTRAP, SIGXCPU, SIGXFSZ,
                           SIGRTMIN, SIGRTMAX};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        die_by("tmux-256color", numbers[i], true);
    }
    die_by("xterm-256color", SIGTERM, true);
    die_by("xterm-256color", SIGSEGV, true);
    die_by("linux", SIGTERM, false);
    die_by("linux", SIGSEGV, false);
    die_by("vt100", SIGQUIT, false);
}

static void test_interrupt_key(void **state) {
    (void)state;
    struct terminal terminal;
    if (!start(&terminal, "tmux-256color", 80, 24, NULL)) {
        return;
    }
    wait_idle(&terminal);
    size_t mark = terminal.length;
    send_bytes(&terminal, "\003", 1);
    struct news news = hear(&terminal);
    assert_true(WIFSIGNALED(news.status) && WTERMSIG(news.status) == SIGINT);
    assert_restored(&terminal, mark);
    finish(&terminal);
}

static void test_suspends(void **state) {
    (void)state;
    struct terminal terminal;
    if (!start(&terminal, "tmux-256color", 80, 24, NULL)) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "ss");
    for (int i = 0; i < 2; i++) {
        size_t mark = terminal.length;
        send_bytes(&terminal, "\032", 1);
        struct news news = hear(&terminal);
        assert_int_equal(news.what, 'T');
        assert_restored(&terminal, mark);
        assert_int_equal(write(terminal.orders, "c", 1), 1);
        wait_idle(&terminal);
        assert_true(terminal.alternate && terminal.mouse && !terminal.cursor);
        assert_shows(&terminal, "decision 2");
        keys(&terminal, "sS");
        assert_shows(&terminal, "decision 2");
    }
    size_t mark = terminal.length;
    send_bytes(&terminal, "q", 1);
    assert_int_equal(hear(&terminal).what, 'X');
    assert_restored(&terminal, mark);
    finish(&terminal);
}

/* Terminals of other kinds: it starts, steps, quits, and leaves the modes as they were. */
/* A signal of another program that stops this one. */
static void stops_by(int number) {
    struct terminal terminal;
    if (!start(&terminal, "tmux-256color", 80, 24, NULL)) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "s");
    size_t mark = terminal.length;
    assert_int_equal(kill(terminal.child, number), 0);
    struct news news = hear(&terminal);
    assert_int_equal(news.what, 'T');
    assert_int_equal(WSTOPSIG(news.status), number);
    assert_restored(&terminal, mark);
    char drain[64];
    struct pollfd file = {.fd = terminal.idle, .events = POLLIN};
    while (poll(&file, 1, 0) > 0 && read(terminal.idle, drain, sizeof drain) > 0) {
    }
    assert_int_equal(write(terminal.orders, "c", 1), 1);
    wait_idle(&terminal);
    assert_true(terminal.alternate);
    assert_shows(&terminal, "decision 1/");
    send_bytes(&terminal, "q", 1);
    assert_int_equal(hear(&terminal).what, 'X');
    finish(&terminal);
}

static void test_other_stops(void **state) {
    (void)state;
    stops_by(SIGTTOU);
    stops_by(SIGTTIN);
}

#define PASTE(text) "\033[200~" text "\033[201~"

/* What is pasted is text at the prompt, and nothing anywhere else. */
static void test_pastes(void **state) {
    (void)state;
    struct terminal terminal;
    if (!start(&terminal, "tmux-256color", 100, 24, NULL)) {
        return;
    }
    wait_idle(&terminal);
    assert_non_null(strstr(terminal.raw, "\033[?2004h"));
    keys(&terminal, PASTE("sss\rq:goto 2\r\033[Cq"));
    assert_shows(&terminal, "decision 0/");
    assert_shows(&terminal, "not taken for keys");
    keys(&terminal, PASTE("qq") "\033[C" PASTE("q")); /* the arrow between them is a key */
    assert_shows(&terminal, "decision 1/");
    keys(&terminal, ":" PASTE("goto\n3\r\n"));
    assert_shows(&terminal, ":goto 3");
    assert_shows(&terminal, "decision 1/");
    keys(&terminal, "\r");
    assert_shows(&terminal, "decision 3/");
    keys(&terminal, ":select " PASTE("\xe5\xb1\xa4 and more"));
    assert_shows(&terminal, ":select \xe5\xb1\xa4 and more");
    keys(&terminal, "\033");
    char many[3000];
    snprintf(many, sizeof many, ":goto 1\033[200~%*s\033[201~", 2000, "0");
    keys(&terminal, many); /* too long: nothing of it */
    keys(&terminal, "\r");
    assert_shows(&terminal, "decision 1/");
    send_bytes(&terminal, "q", 1);
    assert_int_equal(hear(&terminal).what, 'X');
    finish(&terminal);
}

/* Much at once, as from a stuck key, is read past curses, and means the same. */
static void test_bursts(void **state) {
    (void)state;
    struct terminal terminal;
    char many[4000] = "";
    if (!start(&terminal, "tmux-256color", 100, 24, NULL)) {
        return;
    }
    wait_idle(&terminal);
    for (int i = 0; i < 300; i++) {
        strcat(many, "sS\033[C\033[D");
    }
    strcat(many, "ss");
    keys(&terminal, many);
    assert_shows(&terminal, "decision 2/");
    many[0] = '\0';
    for (int i = 0; i < 200; i++) {
        strcat(many, "\033[9x" "\xc3\xa9"); /* no key, and no command */
    }
    strcat(many, "s:goto 5\r\033[200~q\033[201~s");
    keys(&terminal, many);
    assert_shows(&terminal, "decision 6/");
    many[0] = '\0';
    for (int i = 0; i < 100; i++) {
        strcat(many, "\033[M`\x32\x28\033[Ma\x32\x28"); /* the wheel, up and down */
    }
    strcat(many, "\033[Ma\x32\x28:\xe5\xb1\xa4");
    keys(&terminal, many);
    assert_shows(&terminal, ":\xe5\xb1\xa4");
    send_bytes(&terminal, "\003", 1);
    assert_int_equal(hear(&terminal).what, 'X');
    finish(&terminal);
}

static void test_other_terminals(void **state) {
    (void)state;
    static const char *const terms[] = {
        "xterm-256color",           "xterm", "linux", "vt100", "xterm-direct", "screen-256color",
        "no-such-terminal-256color"};
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++) {
        struct terminal terminal;
        if (!start(&terminal, terms[i], 80, 24, NULL)) {
            return;
        }
        wait_idle(&terminal);
        if (strstr(terms[i], "no-such")) {
            assert_shows(&terminal, "not known");
        }
        keys(&terminal, "s");
        assert_shows(&terminal, "decision 1");
        send_bytes(&terminal, "q", 1);
        struct news news = hear(&terminal);
        assert_true(WIFEXITED(news.status) && WEXITSTATUS(news.status) == 0);
        assert_modes_restored(&terminal);
        assert_true(terminal.cursor);
        finish(&terminal);
    }
}

/* A terminal that cannot show screens gets the summary, and the reason. */
static void test_dumb(void **state) {
    (void)state;
    struct terminal terminal;
    if (!start(&terminal, "dumb", 100, 30, NULL)) {
        return;
    }
    struct news news = hear(&terminal);
    assert_int_equal(news.what, 'X');
    assert_true(WIFEXITED(news.status) && WEXITSTATUS(news.status) == 0);
    assert_shows(&terminal, "'dumb' cannot show screens");
    assert_shows(&terminal, "peak");
    assert_null(strchr(terminal.raw, '\033'));
    assert_modes_restored(&terminal);
    finish(&terminal);
}

static void test_no_colour(void **state) {
    (void)state;
    struct terminal terminal;
    setenv("NO_COLOR", "1", 1);
    bool started = start(&terminal, "tmux-256color", 80, 24, NULL);
    unsetenv("NO_COLOR");
    if (!started) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "c");
    assert_null(strstr(terminal.raw, "\033[38;"));
    assert_null(strstr(terminal.raw, ";48;"));
    send_bytes(&terminal, "q", 1);
    hear(&terminal);
    finish(&terminal);
    if (start(&terminal, "tmux-256color", 80, 24, NULL)) {
        wait_idle(&terminal);
        keys(&terminal, "c");
        assert_non_null(strstr(terminal.raw, "38;5;"));
        send_bytes(&terminal, "q", 1);
        hear(&terminal);
        finish(&terminal);
    }
}

/* A key that changes nothing sends next to nothing; a frame never clears the screen. */
static void test_sends_only_changes(void **state) {
    (void)state;
    struct terminal terminal;
    if (!start(&terminal, "tmux-256color", 120, 40, NULL)) {
        return;
    }
    wait_idle(&terminal);
    keys(&terminal, "c");
    keys(&terminal, ".");
    size_t before = terminal.length;
    keys(&terminal, ".");
    assert_true(terminal.length - before < 200);
    before = terminal.length;
    keys(&terminal, "S");
    assert_null(strstr(terminal.raw + before, "\033[2J"));
    assert_null(strstr(terminal.raw + before, "\033[H\033[J"));
    send_bytes(&terminal, "q", 1);
    hear(&terminal);
    finish(&terminal);
}

/* The line is cut and nobody says so: it ends, instead of asking for ever. */
static void test_ends_when_cut_off(void **state) {
    (void)state;
    struct terminal terminal;
    ignore_hangup = true;
    bool started = start(&terminal, "tmux-256color", 80, 24, NULL);
    ignore_hangup = false;
    if (!started) {
        return;
    }
    wait_idle(&terminal);
    close(terminal.slave);
    close(terminal.master);
    struct news news = {0};
    do {
        struct pollfd file = {.fd = terminal.news, .events = POLLIN};
        assert_int_equal(poll(&file, 1, 30000), 1);
        assert_int_equal(read(terminal.news, &news, sizeof news), (ssize_t)sizeof news);
    } while (news.what != 'X');
    terminal.master = open("/dev/null", O_RDWR);
    terminal.slave = open("/dev/null", O_RDWR);
    finish(&terminal);
}

/* ---- cut off ---- */

/* The one session that lies in the folder of state, into `path`; false when there is none. */
static bool find_kept(char path[256]) {
    char command[160];
    snprintf(command, sizeof command, "ls %s/state/stowage/*.stowage 2>/dev/null", home);
    FILE *list = popen(command, "r");
    assert_non_null(list);
    bool found = fgets(path, 256, list) != NULL;
    pclose(list);
    path[strcspn(path, "\n")] = '\0';
    return found;
}

static uint64_t digest_of(const char *path) {
    struct sw_error error = {0};
    struct sw_session *session = sw_session_open(path, &error);
    if (!session) {
        fail_msg("%s: %s", path, error.message);
    }
    uint64_t digest = sw_session_digest(session);
    sw_session_free(session);
    return digest;
}

/* Work, be ended by the signal, start again, take it up: everything is as it was. */
static void cut_off_by(int number, const char *work) {
    struct terminal terminal;
    char kept[256], again[256], saved[128], line[160];
    keep_state = false;
    if (!start(&terminal, "tmux-256color", 100, 30, NULL)) {
        return;
    }
    wait_idle(&terminal);
    assert_false(find_kept(kept));
    keys(&terminal, work);
    kill(terminal.child, number);
    struct news news = hear(&terminal);
    assert_true(WIFSIGNALED(news.status) || number == SIGSEGV); /* sanitizers end with a status */
    finish(&terminal);
    assert_true(find_kept(kept));
    uint64_t digest = digest_of(kept);

    keep_state = true;
    assert_true(start(&terminal, "tmux-256color", 80, 24, NULL));
    wait_idle(&terminal);
    assert_shows(&terminal, "R takes up small.json, cut off");
    keys(&terminal, "R");
    assert_shows(&terminal, "took up small.json");
    snprintf(saved, sizeof saved, "%s/saved", home);
    snprintf(line, sizeof line, ":save %s\r", saved);
    keys(&terminal, line);
    assert_true(digest_of(saved) == digest);
    unlink(saved);
    send_bytes(&terminal, "q", 1);
    news = hear(&terminal);
    assert_true(WIFEXITED(news.status) && WEXITSTATUS(news.status) == 0);
    finish(&terminal);
    assert_false(find_kept(again));
    keep_state = false;
}

static void test_cut_off(void **state) {
    (void)state;
    static const char *const work = "ss:pin probabilities 20K\r";
    static const int numbers[] = {SIGKILL, SIGSEGV, SIGHUP, SIGTERM};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        cut_off_by(numbers[i], work);
    }
    cut_off_by(SIGHUP, "sssV"); /* without a what-if: written when the signal comes */
}

static void test_config(void **state) {
    struct terminal terminal;
    char path[128];
    (void)state;
    snprintf(path, sizeof path, "mkdir -p %s/config/stowage", home);
    assert_int_equal(system(path), 0);
    snprintf(path, sizeof path, "%s/config/stowage/config.lua", home);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("return { ascii = true, mouse = false, pane = 'buffers',\n"
          "  keys = { ['Ctrl-N'] = 'goto 7', ['F2'] = 'pane card', s = false, w = 'step' } }\n",
          file);
    fclose(file);
    if (start(&terminal, "tmux-256color", 100, 30, NULL)) {
        wait_idle(&terminal);
        assert_false(terminal.mouse);
        assert_shows(&terminal, "w step"); /* the footer has the keys in force */
        assert_shows(&terminal, "10 of 10 buffers, by birth");
        keys(&terminal, "\016");
        assert_shows(&terminal, "decision 7");
        keys(&terminal, "s");
        assert_shows(&terminal, "no command has the key s");
        keys(&terminal, "w");
        assert_shows(&terminal, "decision 8");
        send_bytes(&terminal, "q", 1);
        hear(&terminal);
        finish(&terminal);
    }
    if (start(&terminal, "tmux-256color", 100, 30, "--config=none")) {
        wait_idle(&terminal);
        assert_true(terminal.mouse);
        assert_shows(&terminal, "s step");
        send_bytes(&terminal, "q", 1);
        hear(&terminal);
        finish(&terminal);
    }
    unlink(path);
}

int main(int argc, char **argv) {
    const char *given = argc > 1 ? argv[1] : getenv("STOWAGE");
    if (!given) {
        puts("skipped: say which program to test");
        return 77;
    }
    program = given;
    signal(SIGPIPE, SIG_IGN);
    unsetenv("NO_COLOR");
    unsetenv("LINES");
    unsetenv("COLUMNS");
    unsetenv("STOWAGE_STATE");
    snprintf(home, sizeof home, "/tmp/stowage-home-XXXXXX");
    char path[128];
    if (!mkdtemp(home)) {
        return 1;
    }
    snprintf(path, sizeof path, "%s/config", home);
    setenv("XDG_CONFIG_HOME", path, 1);
    snprintf(path, sizeof path, "%s/state", home);
    setenv("XDG_STATE_HOME", path, 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps),
                                       cmocka_unit_test(test_resizes),
                                       cmocka_unit_test(test_mouse),
                                       cmocka_unit_test(test_mouse_of_xterm),
                                       cmocka_unit_test(test_drag),
                                       cmocka_unit_test(test_restores_after_signals),
                                       cmocka_unit_test(test_interrupt_key),
                                       cmocka_unit_test(test_suspends),
                                       cmocka_unit_test(test_other_stops),
                                       cmocka_unit_test(test_pastes),
                                       cmocka_unit_test(test_bursts),
                                       cmocka_unit_test(test_other_terminals),
                                       cmocka_unit_test(test_dumb),
                                       cmocka_unit_test(test_no_colour),
                                       cmocka_unit_test(test_sends_only_changes),
                                       cmocka_unit_test(test_ends_when_cut_off),
                                       cmocka_unit_test(test_cut_off),
                                       cmocka_unit_test(test_config)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(path, sizeof path, "rm -rf '%s'", home);
    return system(path) == 0 ? failed : 1;
}
