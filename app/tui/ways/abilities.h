/* What the terminal can show, from what it answers and from the environment. */
#ifndef SW_TUI_ABILITIES_H
#define SW_TUI_ABILITIES_H

#include "export/terminal/painter.h"

struct sw_abilities {
    bool answered;                    /* the last of the questions was */
    bool kitty, iterm2, sixel;        /* how it takes pictures */
    unsigned registers;               /* colors of sixels; 0: not told */
    unsigned cell_width, cell_height; /* pixels; 0: not known */
    unsigned wide, high;              /* of the text, pixels; 0: not told */
    bool pixel_mouse;                 /* it can tell where the mouse is to the pixel */
    bool multiplexed;                 /* tmux or the like is between it and us: no pictures */
    bool remote;                      /* it is another machine's */
    unsigned across, down;            /* the parts of cells that its font has: 2x3, 2x2 or 1x2 */
};

/* What needs no answer. */
void sw_abilities_know(struct sw_abilities *);
/* What to send; the terminal answers the last of it in any case. Some of it other programs between it and us would take
 * for something else. */
const char *sw_abilities_question(void);
/* The length of the answer that the bytes begin with, which is noted; 0: they begin with none; SIZE_MAX: there may be
 * one when more bytes have come. */
size_t sw_abilities_answer(struct sw_abilities *, const char *bytes, size_t length);
/* The best that it takes. */
enum sw_protocol sw_abilities_protocol(const struct sw_abilities *);

#endif
