/* The terminal: frames of a session, keys and the mouse as commands, one event loop without threads.
 *
 * terminal.c owns the terminal's state and gives it back in every way the program can end; curses.c
 * draws grids and reads keys; loop.c is the loop. Only this header is for others. */
#ifndef SW_TUI_TUI_H
#define SW_TUI_TUI_H

#include "command/session.h"
#include "tui/cells.h"

/* A frame: the scene of a session and its cells. Zero it to start with. */
struct sw_frame {
    struct sw_scene scene;
    struct sw_grid grid;
    struct sw_theme theme;
    char theme_name[256]; /* that `theme` was loaded from */
    bool has_theme;
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

#endif
