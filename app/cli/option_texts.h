/* Types of options that have a form of their own: OWN in options.def. */
#ifndef SW_CLI_OPTION_TEXTS_H
#define SW_CLI_OPTION_TEXTS_H

#include "cli/options.h"

/* "A:B", "A:B:BY", or up to SW_STEPS_LISTED steps, rising, with commas between; the last may be "end". */
sw_option_take_fn sw_take_steps;
sw_option_take_fn sw_take_screen;                /* "WxH" */
sw_option_take_fn sw_take_size;                  /* the same, or a name */
sw_option_take_fn sw_take_time, sw_take_address; /* "A:B" */
sw_option_take_fn sw_take_max_fragmentation;     /* "10%" */
sw_option_take_fn sw_take_view, sw_take_reader;
sw_option_take_fn sw_take_shard;                                  /* "I/N", "auto", "auto/N" */
sw_option_take_fn sw_take_moves;                                  /* "strips,order" */
extern const char *const sw_page_names[], *const sw_move_words[]; /* NULL-ended */

#endif
