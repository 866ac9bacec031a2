/* Curses: grids to the terminal, and keys and the mouse from it. */
#define NCURSES_WIDECHAR 1
#include "tui/tui_internal.h"
#include "base/minmax.h"
#include "export/apart.h"

#include <curses.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <term.h>
#include <time.h>
#undef columns /* term.h takes this word for itself */
#include <unistd.h>
#include <wchar.h>

static struct {
    SCREEN *screen;
    struct sw_grid shown; /* what the terminal has */
    struct sw_color page_foreground, page_background;
    int colors;
    bool valid;         /* `shown` is true */
    bool mouse, pastes; /* the terminal can tell a paste from keys */
    struct sw_abilities abilities;
    bool asked;       /* answers may still come */
    bool pixel_mouse; /* positions of the mouse are pixels */
    enum sw_protocol pictures;
    uint8_t *canvas; /* of each cell of `shown` */
    size_t canvas_size;
    int caret;
    struct {
        bool on;         /* between its begin and its end */
        char bytes[512]; /* read, and not given out yet */
        size_t length;
        char text[513]; /* what is given out */
    } paste;
    struct {
        char bytes[4096];
        size_t from, length; /* what is left of them */
        bool broken_off;     /* they are the beginning of an answer, the rest of which has not come */
    } burst;
} curses = {.caret = -1};

/* What define_key is told of the marks of a paste: no key of curses has these. */
enum { PASTE_BEGIN = KEY_MAX + 1, PASTE_END };
static const char begin_mark[] = "\033[200~", end_mark[] = "\033[201~";

/* ---- opening ---- */

/* Does terminfo know it, and can it place the cursor? 1 yes, 0 it cannot, -1 unknown. */
static int terminal_known(const char *name) {
    int result = 0;
    if (setupterm(name, STDOUT_FILENO, &result) != OK) {
        return -1;
    }
    const char *cup = tigetstr("cup");
    bool able = cup && cup != (const char *)-1;
    del_curterm(cur_term);
    return able;
}

/* What to take for a terminal that is not known here. */
static const char *choose_terminal(char *note, size_t size, struct sw_error *error) {
    const char *name = getenv("TERM");
    note[0] = 0;
    if (!name || !*name) {
        sw_fail(error, SW_ERROR_UNSUPPORTED, "TERM is not set");
        return NULL;
    }
    int state = terminal_known(name);
    if (state == 1) {
        return name;
    }
    if (state == 0) {
        sw_fail(error, SW_ERROR_UNSUPPORTED, "a terminal of the kind '%s' cannot show screens", name);
        return NULL;
    }
    static const char *const others[] = {"xterm-256color", "xterm", "vt100"};
    bool modern = strstr(name, "256color") || strstr(name, "kitty") || strstr(name, "foot");
    for (size_t i = modern ? 0 : 1; i < 3; i++) {
        if (terminal_known(others[i]) == 1) {
            snprintf(note, size, "the terminal '%.40s' is not known here; taken for %s", name, others[i]);
            return others[i];
        }
    }
    sw_fail(error, SW_ERROR_UNSUPPORTED, "the terminal '%s' is not known here", name);
    return NULL;
}

bool sw_tui_possible(struct sw_error *error) {
    char note[120];
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "this is not a terminal");
    }
    return choose_terminal(note, sizeof note, error) != NULL;
}

static int count_colors(void) {
    const char *no = getenv("NO_COLOR");
    if (!has_colors() || (no && *no)) {
        return 0;
    }
    return COLORS >= 1 << 24 ? 1 << 24 : COLORS >= 256 ? 256 : COLORS >= 16 ? 16 : 8;
}

/* Some terminals send these whatever terminfo says. */
static void define_keys(void) {
    static const struct {
        const char *bytes;
        int code;
    } keys[] = {{"\033[A", KEY_UP},    {"\033[B", KEY_DOWN}, {"\033[C", KEY_RIGHT}, {"\033[D", KEY_LEFT},
                {"\033[H", KEY_HOME},  {"\033[F", KEY_END},  {"\033OA", KEY_UP},    {"\033OB", KEY_DOWN},
                {"\033OC", KEY_RIGHT}, {"\033OD", KEY_LEFT}, {"\033OH", KEY_HOME},  {"\033OF", KEY_END},
                {"\033[1~", KEY_HOME}, {"\033[4~", KEY_END}, {"\033[Z", KEY_BTAB}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (key_defined(keys[i].bytes) == 0) {
            define_key(keys[i].bytes, keys[i].code);
        }
    }
    define_key(begin_mark, PASTE_BEGIN);
    define_key(end_mark, PASTE_END);
}

static void bracket_pastes(bool on) {
    if (curses.pastes) {
        putp(on ? SW_PASTE_ON : SW_PASTE_OFF);
        fflush(stdout);
    }
}

static void ask_terminal(void);

static void send_question(void) {
    const char *question = sw_abilities_question();
    sw_curses_send(question, strlen(question));
    curses.abilities.answered = false;
    curses.asked = true;
}

/* Reports in pixels are read here (burst_mouse), for curses may know the older form alone, in which they have no room.
 */
static void point_by_pixels(bool on) {
    static const char report[] = "\033[<";
    const char *known = tigetstr("kmous");
    bool newer = known && known != (const char *)-1 && strcmp(known, report) == 0;
    unsigned width, height;
    on = on && curses.abilities.pixel_mouse && sw_curses_cell_size(&width, &height);
    if (on && key_defined(report) == 0) {
        define_key(report, KEY_MOUSE);
    }
    if (on != curses.pixel_mouse) {
        putp(on ? "\033[?1016h" : newer ? "\033[?1016l\033[?1006h" : "\033[?1016l");
        fflush(stdout);
    }
    curses.pixel_mouse = on;
}

/* Is all input read here and none by curses? It would take answers for keys. */
static bool reads_itself(void) {
    return curses.asked || curses.pixel_mouse;
}

bool sw_curses_open(char *note, size_t size, struct sw_error *error) {
    const char *name = choose_terminal(note, size, error);
    if (!name) {
        return false;
    }
    sw_terminal_remember();
    set_escdelay(25);
    curses.screen = newterm(name, stdout, stdin);
    if (!curses.screen) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "the terminal '%s' cannot be used", name);
    }
    sw_terminal_enter();
    cbreak();
    noecho();
    nonl();
    intrflush(stdscr, FALSE);
    keypad(stdscr, TRUE);
    define_keys();
    nodelay(stdscr, TRUE);
    curs_set(0);
    if (has_colors()) {
        start_color();
        use_default_colors();
    }
    const char *mouse = tigetstr("kmous");
    curses.pastes = mouse && mouse != (const char *)-1;
    curses.paste.on = false;
    curses.paste.length = curses.burst.length = curses.burst.from = 0;
    bracket_pastes(true);
    curses.colors = count_colors();
    curses.valid = false;
    curses.caret = -1;
    curses.pictures = SW_PROTOCOL_NONE;
    curses.pixel_mouse = false;
    ask_terminal();
    return true;
}

void sw_curses_end(void) {
    if (curses.screen && !isendwin()) {
        const char *clear = sw_painter_clear(curses.pictures);
        sw_curses_send(clear, strlen(clear));
        point_by_pixels(false);
        curs_set(1);
        bracket_pastes(false);
        endwin();
        fflush(stdout);
    }
}

void sw_curses_close(void) {
    sw_terminal_leave();
    if (curses.screen) {
        delscreen(curses.screen);
        curses.screen = NULL;
    }
    sw_grid_done(&curses.shown);
    SW_FREE(curses.canvas, curses.canvas_size);
    curses.canvas = NULL;
    curses.canvas_size = 0;
    curses.mouse = false;
}

void sw_curses_resume(void) {
    /* Curses leaves the shell's modes by itself with the next refresh. */
    clearok(curscr, TRUE);
    refresh();
    curs_set(curses.caret >= 0);
    bracket_pastes(true);
    point_by_pixels(curses.mouse);
    curses.valid = false;
}

void sw_curses_forget(void) {
    clearok(curscr, TRUE);
    curses.valid = false;
}

int sw_curses_colors(void) {
    return curses.colors;
}

/* ---- size ---- */

void sw_curses_size(unsigned *columns, unsigned *rows) {
    *columns = COLS > 0 ? (unsigned)COLS : 0;
    *rows = LINES > 0 ? (unsigned)LINES : 0;
}

void sw_curses_resize(void) {
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0 &&
        (size.ws_col != COLS || size.ws_row != LINES)) {
        resizeterm(size.ws_row, size.ws_col);
        if (curses.pictures) { /* terminals move them about */
            clearok(curscr, TRUE);
        }
        if (size.ws_xpixel == 0 && sw_abilities_protocol(&curses.abilities) != SW_PROTOCOL_NONE) {
            /* its letters may be larger now; the answer comes when it comes */
            send_question();
        }
        curses.valid = false;
    }
}

const struct sw_abilities *sw_curses_abilities(void) {
    return &curses.abilities;
}

bool sw_curses_cell_size(unsigned *width, unsigned *height) {
    const struct sw_abilities *abilities = &curses.abilities;
    struct winsize size;
    *width = abilities->cell_width;
    *height = abilities->cell_height;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_xpixel > 0 && size.ws_ypixel > 0 && size.ws_col > 0 &&
        size.ws_row > 0) {
        *width = size.ws_xpixel / size.ws_col;
        *height = size.ws_ypixel / size.ws_row;
    } else if (*width == 0 && COLS > 0 && LINES > 0) {
        *width = abilities->wide / (unsigned)COLS;
        *height = abilities->high / (unsigned)LINES;
    }
    return *width >= 3 && *height >= 6 && *width <= 200 && *height <= 400;
}

/* ---- pictures ---- */

static bool same_cell(const struct sw_cell *a, const struct sw_cell *b) {
    return a->width == b->width && strcmp(a->text, b->text) == 0 && sw_same_look(&a->look, &b->look);
}

void sw_curses_pictures(enum sw_protocol protocol) {
    if (curses.pictures != protocol) {
        const char *clear = sw_painter_clear(curses.pictures);
        sw_curses_send(clear, strlen(clear));
        curses.pictures = protocol;
        idcok(stdscr,
              protocol == SW_PROTOCOL_NONE); /* no characters are moved, for pictures would not move with them */
        sw_terminal_clears(sw_painter_clear(protocol));
    }
}

const uint8_t *sw_curses_canvas(void) {
    return curses.canvas;
}

void sw_curses_send(const char *bytes, size_t length) {
    char back[40];
    int row, column;
    if (length > 0) {
        getyx(curscr, row, column);
        snprintf(back, sizeof back, "\033[%d;%dH", row + 1, column + 1);
        fflush(stdout);
        sw_pipe_send(STDOUT_FILENO, bytes, length);
        sw_pipe_send(STDOUT_FILENO, back, strlen(back));
    }
}

/* Curses sends everything between the first and the last cell of a row that have changed, if it likes. */
static void note_canvas_row(const struct sw_grid *grid, unsigned y) {
    unsigned first = grid->columns, end = 0;
    bool uncovered = false;
    for (unsigned x = 0; x < grid->columns; x++) {
        const struct sw_cell *now = sw_grid_cell(grid, x, y), *old = sw_grid_cell(&curses.shown, x, y);
        if (!curses.valid || !old || !same_cell(now, old) || now->picture != old->picture) {
            first = SW_MIN(first, x);
            end = x + 1;
        }
        uncovered |= old && old->picture && !now->picture;
    }
    if (uncovered) { /* a blank there would not be sent again, and the picture stay */
        wredrawln(stdscr, (int)y, 1);
        first = 0;
        end = grid->columns;
    }
    for (unsigned x = 0; x < grid->columns; x++) {
        curses.canvas[(size_t)y * grid->columns + x] = !sw_grid_cell(grid, x, y)->picture ? SW_CANVAS_NOT
                                                       : x >= first && x < end            ? SW_CANVAS_LOST
                                                                                          : SW_CANVAS_KEPT;
    }
}

static void note_canvas(const struct sw_grid *grid) {
    size_t size = (size_t)grid->columns * grid->rows;
    if (size != curses.canvas_size) {
        SW_FREE(curses.canvas, curses.canvas_size);
        curses.canvas = size ? SW_NEW(uint8_t, size) : NULL;
        curses.canvas_size = curses.canvas ? size : 0;
    }
    for (unsigned y = 0; curses.canvas && y < grid->rows; y++) {
        note_canvas_row(grid, y);
    }
}

/* ---- drawing ---- */

static attr_t attributes_of(unsigned attributes) {
    return (
        attr_t)((attributes & SW_ATTRIBUTE_BOLD ? A_BOLD : 0) | (attributes & SW_ATTRIBUTE_REVERSE ? A_REVERSE : 0) |
                (attributes & SW_ATTRIBUTE_UNDERLINE ? A_UNDERLINE : 0) | (attributes & SW_ATTRIBUTE_DIM ? A_DIM : 0));
}

static void use_look(const struct sw_look *look) {
    int pair = 0;
    if (curses.colors > 0) {
        struct sw_color front = look->foreground.set ? look->foreground : curses.page_foreground;
        struct sw_color back = look->background.set ? look->background : curses.page_background;
        int f = -1, b = -1;
        sw_color_pair(front, back, curses.colors, &f, &b);
        pair = f < 0 && b < 0 ? 0 : alloc_pair(f, b);
        pair = pair < 0 ? 0 : pair;
    }
    attr_set(attributes_of(look->attributes), 0, &pair);
}

/* One row: runs of changed cells with one look are sent together. */
static void send_row(const struct sw_grid *grid, unsigned y) {
    char text[4096];
    for (unsigned x = 0; x < grid->columns;) {
        const struct sw_cell *cell = sw_grid_cell(grid, x, y);
        if (curses.valid && same_cell(cell, sw_grid_cell(&curses.shown, x, y))) {
            x++;
            continue;
        }
        /* A wide character goes out whole. */
        while (x > 0 && sw_grid_cell(grid, x, y)->width == 0) {
            x--;
        }
        cell = sw_grid_cell(grid, x, y);
        unsigned from = x;
        size_t used = 0;
        for (; x < grid->columns; x++) {
            const struct sw_cell *next = sw_grid_cell(grid, x, y);
            size_t length = strlen(next->text);
            bool changed = !curses.valid || next->width != 1 || !same_cell(next, sw_grid_cell(&curses.shown, x, y));
            bool parts = x > from && next->width != 0 && (!changed || !sw_same_look(&next->look, &cell->look));
            if (parts || used + length >= sizeof text) {
                break;
            }
            memcpy(text + used, next->text, length);
            used += length;
        }
        text[used] = 0;
        use_look(&cell->look);
        mvaddstr((int)y, (int)from, text);
    }
}

static bool remember(const struct sw_grid *grid) {
    if ((curses.shown.columns != grid->columns || curses.shown.rows != grid->rows) &&
        !sw_grid_reset(&curses.shown, grid->columns, grid->rows, NULL)) {
        return false;
    }
    memcpy(curses.shown.cells, grid->cells, sizeof *grid->cells * (size_t)grid->columns * grid->rows);
    return true;
}

void sw_curses_draw(const struct sw_grid *grid, const struct sw_theme *theme, int caret) {
    if (curses.shown.columns != grid->columns || curses.shown.rows != grid->rows ||
        !sw_same_color(theme->foreground, curses.page_foreground) ||
        !sw_same_color(theme->background, curses.page_background)) {
        curses.valid = false;
    }
    curses.page_foreground = theme->foreground;
    curses.page_background = theme->background;
    for (unsigned y = 0; y < grid->rows; y++) {
        send_row(grid, y);
    }
    note_canvas(grid);
    curses.valid = remember(grid);
    if ((caret >= 0) != (curses.caret >= 0)) {
        curs_set(caret >= 0);
    }
    curses.caret = caret;
    move(grid->rows ? (int)grid->rows - 1 : 0, caret >= 0 ? caret : 0);
    wnoutrefresh(stdscr);
    doupdate();
}

/* ---- input ---- */

void sw_curses_mouse(bool on) {
    if (on != curses.mouse) {
        mousemask(on ? BUTTON1_PRESSED | BUTTON1_RELEASED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
        mouseinterval(0);
        curses.mouse = on;
        if (!on) {
            curses.pixel_mouse = false; /* curses has ended all of it */
        }
    }
    if (on) { /* how large a cell is may be known only now, or not any more */
        point_by_pixels(true);
    }
}

/* From what was told, counted from 0. False: it is in pixels, and how large a cell is, is not known any more. */
static bool place_event(struct sw_input_event *event, unsigned column, unsigned row) {
    unsigned width = 1, height = 1;
    if (curses.pixel_mouse && !sw_curses_cell_size(&width, &height)) {
        return false;
    }
    event->across = (column + 0.5) / width;
    event->down = (row + 0.5) / height;
    event->column = (unsigned)event->across;
    event->row = (unsigned)event->down;
    return true;
}

static const struct {
    int code;
    const char *name;
} special[] = {
    {KEY_LEFT, "Left"},          {KEY_RIGHT, "Right"},    {KEY_UP, "Up"},          {KEY_DOWN, "Down"},
    {KEY_HOME, "Home"},          {KEY_END, "End"},        {KEY_A1, "Home"},        {KEY_C1, "End"},
    {KEY_PPAGE, "PageUp"},       {KEY_NPAGE, "PageDown"}, {KEY_BTAB, "Shift-Tab"}, {KEY_SLEFT, "Shift-Left"},
    {KEY_SRIGHT, "Shift-Right"}, {KEY_DC, "Delete"},      {KEY_IC, "Insert"},      {KEY_BACKSPACE, "Backspace"},
    {KEY_ENTER, "Enter"},        {KEY_SR, "Shift-Up"},    {KEY_SF, "Shift-Down"}};

static bool name_special(int code, char key[16]) {
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        if (special[i].code == code) {
            snprintf(key, 16, "%s", special[i].name);
            return true;
        }
    }
    if (code > KEY_F0 && code <= KEY_F0 + 24) {
        snprintf(key, 16, "F%d", code - KEY_F0);
        return true;
    }
    return false;
}

static bool name_character(wint_t code, char key[16]) {
    static const char *const named[128] = {[8] = "Backspace", ['\t'] = "Tab",  ['\n'] = "Enter",   ['\r'] = "Enter",
                                           [27] = "Esc",      [' '] = "Space", [127] = "Backspace"};
    char bytes[MB_LEN_MAX];
    mbstate_t state = {0};
    if (code < 128 && named[code]) {
        snprintf(key, 16, "%s", named[code]);
        return true;
    }
    if (code < 32) {
        snprintf(key, 16, "Ctrl-%c", (int)code + 64);
        return code < 27;
    }
    size_t length = wcrtomb(bytes, (wchar_t)code, &state);
    if (length == (size_t)-1 || length >= 16) {
        return false;
    }
    memcpy(key, bytes, length);
    key[length] = 0;
    return true;
}

static bool name_mouse(struct sw_input_event *event) {
    MEVENT mouse;
    if (getmouse(&mouse) != OK || mouse.x < 0 || mouse.y < 0 ||
        !place_event(event, (unsigned)mouse.x, (unsigned)mouse.y)) {
        return false;
    }
    event->kind = mouse.bstate & BUTTON4_PRESSED    ? SW_INPUT_WHEEL_UP
                  : mouse.bstate & BUTTON5_PRESSED  ? SW_INPUT_WHEEL_DOWN
                  : mouse.bstate & BUTTON1_PRESSED  ? SW_INPUT_CLICK
                  : mouse.bstate & BUTTON1_RELEASED ? SW_INPUT_RELEASE
                                                    : SW_INPUT_NONE;
    return event->kind != SW_INPUT_NONE;
}

static struct sw_input_event begin_paste(void) {
    curses.paste.on = true;
    return (struct sw_input_event){.kind = SW_INPUT_PASTE, .text = ""};
}

/* ---- bursts: curses asks for one byte at a time, which for a megabyte takes seconds ---- */

static const char *burst_bytes(void) {
    return curses.burst.bytes + curses.burst.from;
}

static void burst_drop(size_t count) {
    curses.burst.from += count;
    curses.burst.length -= count;
}

/* At most `most` bytes of input, if there are any within so many milliseconds, behind those in `bytes`. */
static bool read_burst(char *bytes, size_t *length, size_t most, int milliseconds) {
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    if (most == 0 || poll(&input, 1, milliseconds) <= 0 || !(input.revents & POLLIN)) {
        return false;
    }
    ssize_t got = read(STDIN_FILENO, bytes + *length, most);
    *length += got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* More bytes, within so many milliseconds; false: there are none, or there is no room. */
static bool burst_fill(int milliseconds) {
    memmove(curses.burst.bytes, burst_bytes(), curses.burst.length);
    curses.burst.from = 0;
    return read_burst(curses.burst.bytes, &curses.burst.length, sizeof curses.burst.bytes - curses.burst.length,
                      milliseconds);
}

/* More is waiting than a person types between two looks at the keyboard, or something is left. */
static bool burst_waits(void) {
    enum { PASTE_LIKE = 256 };
    int waiting = 0;
    if (curses.burst.broken_off) {
        curses.burst.broken_off = !burst_fill(0);
        return !curses.burst.broken_off;
    }
    return curses.burst.length > 0 || (ioctl(STDIN_FILENO, FIONREAD, &waiting) == 0 && waiting > 0 &&
                                       (reads_itself() || waiting >= PASTE_LIKE) && burst_fill(0));
}

/* The length of the key of curses that the bytes begin with, and its code; 0: none; SIZE_MAX: there
 * may be one when more bytes have come. */
static size_t burst_key(int *code) {
    char text[24];
    size_t most = curses.burst.length < sizeof text - 1 ? curses.burst.length : sizeof text - 1;
    for (size_t length = 1; length <= most; length++) {
        memcpy(text, burst_bytes(), length);
        text[length] = '\0';
        *code = key_defined(text);
        if (*code != -1) {
            return *code > 0 ? length : 0;
        }
    }
    return most < sizeof text - 1 ? SIZE_MAX : 0;
}

/* A report of the mouse after its key, in either protocol; SIZE_MAX: it is not all there. */
static size_t burst_mouse(size_t key, struct sw_input_event *event) {
    const unsigned char *bytes = (const unsigned char *)burst_bytes();
    unsigned button = 0, column = 0, row = 0;
    size_t length = key, left = curses.burst.length;
    bool up = false;
    if (bytes[key - 1] == '<') {
        unsigned *numbers[] = {&button, &column, &row};
        for (size_t i = 0; length < left && i < 3 && bytes[length] != 'M' && bytes[length] != 'm'; length++) {
            if (bytes[length] >= '0' && bytes[length] <= '9') {
                *numbers[i] = *numbers[i] % 100000 * 10 + (bytes[length] - '0');
            } else {
                i++;
            }
        }
        if (length >= left) {
            return left < 40 ? SIZE_MAX : key;
        }
        up = bytes[length++] == 'm';
    } else {
        if (left < key + 3) {
            return SIZE_MAX;
        }
        button = bytes[key] - 32u;
        column = bytes[key + 1] - 32u;
        row = bytes[key + 2] - 32u;
        up = (button & 67) == 3;
        length += 3;
    }
    bool placed = place_event(event, column ? column - 1 : 0, row ? row - 1 : 0);
    event->kind = !placed || button & 32 ? SW_INPUT_NONE /* it only moved */
                  : (button & 67) == 64  ? SW_INPUT_WHEEL_UP
                  : (button & 67) == 65  ? SW_INPUT_WHEEL_DOWN
                  : up                   ? SW_INPUT_RELEASE
                  : (button & 67) == 0   ? SW_INPUT_CLICK
                                         : SW_INPUT_NONE;
    return length;
}

/* A character of any length. Bytes that are none are dropped. */
static bool burst_character(char key[16]) {
    wchar_t code = 0;
    mbstate_t state = {0};
    size_t length = mbrtowc(&code, burst_bytes(), curses.burst.length, &state);
    if (length == (size_t)-2 && curses.burst.length < 4 && burst_fill(ESCDELAY)) {
        return burst_character(key);
    }
    bool good = length != (size_t)-1 && length != (size_t)-2;
    burst_drop(good && length > 0 ? length : 1);
    return good && length > 0 && name_character((wint_t)code, key);
}

/* Do the bytes begin with an answer of the terminal? One that has broken off is kept. */
static bool heed_answer(void) {
    size_t length = 0;
    while (curses.asked &&
           (length = sw_abilities_answer(&curses.abilities, burst_bytes(), curses.burst.length)) == SIZE_MAX) {
        if (!burst_fill(ESCDELAY)) {
            curses.burst.broken_off = curses.burst.length < sizeof curses.burst.bytes;
            return curses.burst.broken_off;
        }
    }
    burst_drop(length);
    curses.asked &= !curses.abilities.answered;
    return length > 0;
}

/* Ask what the terminal can, and wait for the answers a tenth of a second at most. What was typed meanwhile is kept. */
static void ask_terminal(void) {
    enum { PATIENCE = 100 };
    sw_abilities_know(&curses.abilities);
    curses.asked = curses.burst.broken_off = false;
    if (!curses.pastes) {
        return; /* a terminal without a mouse shows no pictures */
    }
    send_question();
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    int64_t end = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + PATIENCE, left = PATIENCE;
    while (!curses.abilities.answered && left > 0 && burst_fill((int)left)) {
        for (size_t at = 0, length; at < curses.burst.length; at += length ? 0 : 1) {
            char *bytes = curses.burst.bytes + curses.burst.from + at;
            length = sw_abilities_answer(&curses.abilities, bytes, curses.burst.length - at);
            if (length == SIZE_MAX) {
                break;
            }
            memmove(bytes, bytes + length, curses.burst.length - at - length);
            curses.burst.length -= length;
        }
        clock_gettime(CLOCK_MONOTONIC, &now);
        left = end - ((int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000);
    }
    curses.asked = !curses.abilities.answered;
}

/* The next event of a burst; NONE where its bytes mean nothing. */
static struct sw_input_event burst_event(void) {
    struct sw_input_event event = {.kind = SW_INPUT_NONE};
    int code = 0;
    size_t length = 0;
    if (*burst_bytes() == '\033') {
        do {
            if (heed_answer()) {
                return event;
            }
        } while ((length = burst_key(&code)) == SIZE_MAX && burst_fill(ESCDELAY));
        length = length == SIZE_MAX ? 0 : length;
    }
    if (length > 0 && code == KEY_MOUSE) {
        size_t all;
        while ((all = burst_mouse(length, &event)) == SIZE_MAX && burst_fill(ESCDELAY)) {
        }
        burst_drop(all == SIZE_MAX ? curses.burst.length : all);
    } else if (length > 0) {
        burst_drop(length);
        if (code == PASTE_BEGIN) {
            return begin_paste();
        }
        event.kind = name_special(code, event.key) ? SW_INPUT_KEY : SW_INPUT_NONE;
    } else {
        event.kind = burst_character(event.key) ? SW_INPUT_KEY : SW_INPUT_NONE;
    }
    return event;
}

bool sw_curses_pending(void) {
    return curses.burst.length > 0 && !curses.burst.broken_off;
}

/* ---- pastes: read past curses, which would see keys in them ---- */

/* How many of the last bytes may be the beginning of the end mark. */
static size_t mark_begun(void) {
    size_t length = curses.paste.length, most = sizeof end_mark - 1;
    for (size_t count = SW_MIN(length, most); count > 0; count--) {
        if (memcmp(curses.paste.bytes + length - count, end_mark, count) == 0) {
            return count;
        }
    }
    return 0;
}

/* Never past the end mark: what follows it is for curses. False: there is no more now. */
static bool read_pasted(size_t most) {
    if (curses.burst.length > 0) {
        size_t count = SW_MIN(curses.burst.length, most);
        memcpy(curses.paste.bytes + curses.paste.length, burst_bytes(), count);
        curses.paste.length += count;
        burst_drop(count);
        return true;
    }
    return read_burst(curses.paste.bytes, &curses.paste.length, most, 0);
}

/* The length of the whole characters among the first bytes. */
static size_t whole_characters(const char *bytes, size_t length) {
    size_t last = length;
    while (last > 0 && length - last < 3 && ((unsigned char)bytes[last - 1] & 0xc0) == 0x80) {
        last--;
    }
    unsigned char lead = last > 0 ? (unsigned char)bytes[last - 1] : 0;
    size_t wanted = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
    return lead >= 0xc0 && length - last + 1 < wanted ? last - 1 : length;
}

static struct sw_input_event read_paste(void) {
    struct sw_input_event event = {.kind = SW_INPUT_NONE};
    char *bytes = curses.paste.bytes;
    size_t mark = sizeof end_mark - 1, begun = mark_begun();
    while (begun < mark && curses.paste.length + mark < sizeof curses.paste.bytes && read_pasted(mark - begun)) {
        begun = mark_begun();
    }
    size_t text = curses.paste.length - begun;
    size_t count = begun == mark ? text : whole_characters(bytes, text);
    if (count > 0) {
        for (size_t i = 0; i < count; i++) {
            curses.paste.text[i] = bytes[i] == '\0' ? ' ' : bytes[i];
        }
        curses.paste.text[count] = '\0';
        curses.paste.length -= count;
        memmove(bytes, bytes + count, curses.paste.length);
        event.kind = SW_INPUT_PASTE;
        event.text = curses.paste.text;
    } else if (begun == mark) {
        curses.paste.length = 0;
        curses.paste.on = false;
        event.kind = SW_INPUT_PASTE_END;
    }
    return event;
}

struct sw_input_event sw_curses_read(void) {
    struct sw_input_event event = {.kind = SW_INPUT_NONE};
    wint_t code = 0;
    int result;
    if (curses.paste.on) {
        return read_paste();
    }
    while (burst_waits()) {
        event = burst_event();
        if (event.kind != SW_INPUT_NONE) {
            return event;
        }
    }
    if (reads_itself()) {
        return event;
    }
    while ((result = get_wch(&code)) != ERR) {
        bool special_key = result == KEY_CODE_YES; /* PASTE_END has no name here: it is of no paste */
        if (special_key && code == PASTE_BEGIN) {
            return begin_paste();
        }
        if (special_key && code == KEY_MOUSE) {
            if (name_mouse(&event)) {
                return event;
            }
        } else if (special_key ? name_special((int)code, event.key) : name_character(code, event.key)) {
            event.kind = SW_INPUT_KEY;
            return event;
        }
    }
    return event;
}
