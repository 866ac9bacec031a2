/* A recording: frames of the explorer as one animated SVG, which a browser plays without a script.
 *
 * Rows that stay the same over several frames are written once. Zero a recording to start with; it
 * belongs to its caller. */
#ifndef SW_TUI_RECORD_H
#define SW_TUI_RECORD_H

#include "base/mem.h"
#include "tui/tui.h"

struct sw_sink;
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
