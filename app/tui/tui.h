/* The terminal: frames of a session, keys and the mouse as commands, one event loop without threads.
 *
 * terminal.c owns the terminal's state and gives it back in every way the program can end; curses.c
 * draws grids and reads keys; loop.c is the loop. Only this header is for others. */
#ifndef SW_TUI_TUI_H
#define SW_TUI_TUI_H

#include "base/mem.h"
#include "command/session.h"
#include "tui/cells.h"

/* A frame: the scene of a session and its cells. Zero it to start with. */
struct sw_frame {
    struct sw_scene scene;
    struct sw_grid grid;
    struct sw_theme theme;
    char theme_name[256]; /* that `theme` was loaded from */
    bool has_theme;
    unsigned across, down; /* parts of cells; 0: they are whole. With grid.cut */
};
/* Build the frame of the session at this size. `fallback` is the theme where the session names none. */
bool sw_frame_draw(struct sw_frame *, struct sw_session *, unsigned columns, unsigned rows, const char *fallback,
                   struct sw_error *);
void sw_frame_done(struct sw_frame *);
/* The themes when none is named: with colors, and without. */
#define SW_FRAME_THEME "dark"
#define SW_FRAME_MONO "mono"

/* Could a terminal be opened here: standard input and output are terminals that can move the cursor?
 * False with the reason. */
bool sw_tui_possible(struct sw_error *);
/* Explore until the user quits; `recover` may put another session in the place of this one. Returns false when the
 * terminal cannot be opened. Does not return when a signal ends the program: the terminal is given back and the signal
 * raised again. */
bool sw_tui_run(struct sw_session **, struct sw_error *);

/* ---- record.c: frames as one animated SVG, which a browser plays without a script ---- */

/* Rows that stay the same over several frames are written once. Zero a recording to start with; it belongs to its
 * caller. */
struct sw_screencast {
    unsigned columns, rows;
    struct sw_frame frame;        /* the last one */
    SW_ARRAY(const char *) lines; /* rows x frames: each a row as SVG; NULL: as in the frame before */
    struct sw_arena arena;        /* their texts */
    SW_ARRAY(double) seconds;     /* how long each frame stands */
};
/* Add the session as it looks now, for some seconds. False: no memory, or no theme. */
bool sw_record_frame(struct sw_screencast *, struct sw_session *, double seconds, struct sw_error *);
/* The whole as SVG. `title` is what screen readers read. */
void sw_record_svg(const struct sw_screencast *, const char *title, struct sw_sink *);
void sw_record_done(struct sw_screencast *);

#endif
