/* What the files of this folder share; no other folder includes it. */
#ifndef SW_TUI_INTERNAL_H
#define SW_TUI_INTERNAL_H

#include "tui/ways/abilities.h"
#include "tui/tui.h"

#include <signal.h>

/* The terminal marks where a paste begins and ends, so that it is not taken for keys. */
#define SW_PASTE_ON "\033[?2004h"
#define SW_PASTE_OFF "\033[?2004l"

/* ---- terminal.c: signals, and giving the terminal back ---- */

/* Remember the terminal as it is; before curses starts. */
void sw_terminal_remember(void);
/* Curses is up: handlers, the restore string, standard error out of the way. */
void sw_terminal_enter(void);
/* Give everything back, once; what was written to standard error meanwhile is shown then. */
void sw_terminal_leave(void);
/* Send this, too, before all else that gives the terminal back: pictures that stay. Not copied. */
void sw_terminal_clears(const char *text);
/* Stop as Ctrl-Z, or another signal that stops, wants it, and come back. */
void sw_terminal_suspend(int signal_number);

struct sw_signals {
    int quit;    /* the signal that asks to end the program, or 0 */
    int stopped; /* the signal that asks to stop for a while, or 0 */
    bool resized, continued;
};
/* What has come since the last call. */
struct sw_signals sw_terminal_signals(void);
/* An interrupt stopped something else than the program: it is not asked to end any more. */
void sw_terminal_heeded(void);
/* Sleep until there is input on standard input, a signal came, or `milliseconds` have passed (-1: no
 * limit). False when the terminal has gone. */
bool sw_terminal_wait(int milliseconds);
/* Is there input to be read now? */
bool sw_terminal_pending(void);
/* End the program by the signal, as if it had never been caught. */
void sw_terminal_die(int signal_number);

/* ---- curses.c: drawing and keys ---- */

/* Start curses. `note` receives what the user should know (an unknown TERM), or "". */
bool sw_curses_open(char *note, size_t size, struct sw_error *);
void sw_curses_close(void);
void sw_curses_end(void);    /* back to the shell's modes, for a suspension or the end */
void sw_curses_resume(void); /* after a suspension: everything is drawn again */
void sw_curses_size(unsigned *columns, unsigned *rows);
void sw_curses_resize(void); /* ask the terminal for its size again */
void sw_curses_mouse(bool on);
/* 16777216, 256, 16, 8 or 0. */
int sw_curses_colors(void);
/* Send what differs from the last frame. A caret is shown when `caret` is a column of the last row. */
void sw_curses_draw(const struct sw_grid *, const struct sw_theme *, int caret);
void sw_curses_forget(void); /* the next frame is sent as a whole */

/* What the terminal can show. It was asked when curses started, and given a tenth of a second; what it answers later
 * is noted here when it comes, and is never taken for keys. */
const struct sw_abilities *sw_curses_abilities(void);
/* Pixels of a cell; false: not known. */
bool sw_curses_cell_size(unsigned *width, unsigned *height);
/* What each cell of the last frame is for the painter of pictures (enum sw_canvas_cell). */
const uint8_t *sw_curses_canvas(void);
/* Bytes for the terminal as they are; the cursor then goes back to where curses has it. Neither needs a place of the
 * terminal's to keep the cursor in, which some have only one of. */
void sw_curses_send(const char *bytes, size_t length);
/* How pictures are sent from now on, so that they are taken away at the end. */
void sw_curses_pictures(enum sw_protocol);

enum sw_input_kind {
    SW_INPUT_NONE,
    SW_INPUT_KEY,
    SW_INPUT_CLICK,
    SW_INPUT_RELEASE,
    SW_INPUT_WHEEL_UP,
    SW_INPUT_WHEEL_DOWN,
    SW_INPUT_PASTE,
    SW_INPUT_PASTE_END
};
struct sw_input_event {
    enum sw_input_kind kind;
    char key[16];
    const char *text; /* PASTE: a piece of it, whole characters; good until the next event */
    unsigned column, row;
    double across, down; /* the same, to the pixel where the terminal tells that, else the cell's middle */
};
struct sw_input_event sw_curses_read(void);
bool sw_curses_pending(void); /* something was read from the terminal that was not given out yet */

/* ---- ways/pixels.c: how the map is drawn ---- */

struct sw_plots {
    struct sw_painter *painter;
    struct sw_canvas canvas;
    struct sw_theme theme; /* of pictures */
    enum sw_map_look look;
    unsigned long asked;   /* of the session's display */
    bool answered;         /* all of the terminal's answers were seen */
    bool failed;           /* the painter; until the user asks again */
    struct sw_error error; /* why */
};
/* Before a frame: how it is drawn. */
void sw_plots_choose(struct sw_plots *, struct sw_session *, struct sw_frame *);
/* Is there an answer of the terminal that came late? */
bool sw_plots_news(struct sw_plots *);
/* After it: false when it must be drawn again, otherwise. */
bool sw_plots_drawn(struct sw_plots *, struct sw_session *, const struct sw_frame *);
/* When the frame is on the screen: its pictures. False when it must be drawn again, without any. */
bool sw_plots_paint(struct sw_plots *, struct sw_session *, const struct sw_frame *);
void sw_plots_done(struct sw_plots *);

/* colors.c: to what a terminal with so many colors has, readable on one another. -1 = the default. */
void sw_color_pair(struct sw_color front, struct sw_color back, int colors, int *foreground, int *background);
/* What is seen of it there, where that is known. */
struct sw_color sw_color_shown(struct sw_color, int colors);

#endif
