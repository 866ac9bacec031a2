/* The text of a decision trace that a reader makes of another program's log, written run by run.
 *
 * A reader goes through its log once and adds objects to `body`. The header of a run stands before them, and yet it has
 * notes that are known at the run's end only: so the body is kept until then. Whatever comes out of one line of the log
 * says so ("source":"line 17"), and by that an error about the trace finds its way back to the log (sw_log_locate). */
#ifndef SW_FORMATS_DECISION_LOG_H
#define SW_FORMATS_DECISION_LOG_H

#include "formats/text/utf8.h"

struct sw_recorded_log {         /* zero it to start with, but for `out` and `planner` */
    struct sw_sink *out;         /* the whole trace; borrowed */
    const char *planner;         /* that made these decisions */
    struct sw_sink body;         /* of the present run: whole lines */
    struct sw_sink notes, tiers; /* of its header: the elements of lists */
};
/* The end of an object: the line of the log that says it (0: none), the brace and the line break. */
void sw_log_end(struct sw_recorded_log *, uint32_t line);
/* What the reader of the trace says about this run. */
void sw_log_note(struct sw_recorded_log *, const char *text);
/* One more tier; capacity 0: it has none. */
void sw_log_tier(struct sw_recorded_log *, const char *name, uint64_t capacity);
/* The run is over: header, body and end go out. `model` NULL: the log does not name it. `end` has the fields of the
 * last object behind its first, ",\"peak\":8", or is ""; NULL: the log is cut off before the end of the run. */
void sw_log_run(struct sw_recorded_log *, const char *model, const char *end);
/* Free it. Returns whether all of it was good, and says when memory was lacking. */
bool sw_log_done(struct sw_recorded_log *, bool good, struct sw_error *);

/* For struct sw_format: an error about the trace is one about the line that this part of it comes from. */
void sw_log_locate(const struct sw_sink *, struct sw_error *);

#endif
