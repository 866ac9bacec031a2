/* Suggestions (suggest/suggest.h) in words: as commands of a session, which can be typed as they stand, and as a phrase
 * for people. One place for the command line, the explorer and scripts. */
#ifndef SW_VIEW_SUGGEST_WORDS_H
#define SW_VIEW_SUGGEST_WORDS_H

#include "formats/format.h"
#include "stowage_runs.h"
#include "view/scene/scene.h"

/* The commands that make it, `separator` between them: "goto 1; pin conv_1_out 0". `base` is added to offsets, as
 * --base is. */
void sw_suggest_put_commands(const struct sw_search *, uint64_t base, const struct sw_suggestion *,
                             const char *separator, struct sw_sink *);
/* A demand as a command: "pin conv_1_out 0". */
void sw_suggest_put_demand(const struct sw_problem *, uint64_t base, const struct sw_override *, struct sw_sink *);
/* What it does: "conv_1_out at 0, before decision 2". */
void sw_suggest_put_phrase(const struct sw_search *, uint64_t base, const struct sw_suggestion *, struct sw_sink *);
/* Where the planner minimizes E or bytes moved, that it does, with what the run comes to; else nothing. */
void sw_suggest_put_goal(const struct sw_suggest_state *, struct sw_sink *);
/* "peak", "cost" or "moved". */
const char *sw_suggest_goal_name(const struct sw_suggest_state *);
/* What it costs beside that, or what must hold: "moves 12 KiB out and in"; nothing where there is nothing to say. */
void sw_suggest_put_price(const struct sw_suggest *, const struct sw_suggestion *, struct sw_sink *);
/* Why it lowers the peak, as the two finished plans show it: a sentence without its end; nothing where the run has no
 * plan. */
void sw_suggest_put_why(const struct sw_suggest *, uint64_t base, const struct sw_suggestion *, struct sw_sink *);
/* "6 blocks lie elsewhere: image, conv_1_out, dw_1_out and 3 more". */
void sw_suggest_put_elsewhere(const struct sw_suggest *, const struct sw_suggestion *, struct sw_sink *);
/* The text of a sink, which ends here, as one of the scene. */
const char *sw_suggest_in_scene(struct sw_scene *, struct sw_sink *);
/* Was any move made? If not there is none that this planner allows. */
bool sw_suggest_any_tried(const struct sw_suggest_state *);
/* "5,712 moves were tried"; by kind behind it: ": pin 5,000, pins 712". */
void sw_suggest_put_tried(const struct sw_suggest_state *, struct sw_sink *);

#endif
