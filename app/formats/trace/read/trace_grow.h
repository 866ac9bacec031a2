/* A trace that its planner still writes: its file grows, and what is decided joins the recording that is being played.
 */
#ifndef SW_FORMATS_TRACE_GROW_H
#define SW_FORMATS_TRACE_GROW_H

#include "formats/format.h"

enum sw_trace_growth {
    SW_TRACE_SAME,      /* nothing that matters has come */
    SW_TRACE_GREW,      /* decisions, or the end of the run: sw_search_more for the runs that play it */
    SW_TRACE_OTHERWISE, /* a buffer, an operator, an event, or another run where the last one is wanted: the problem
                         * must be read anew */
    SW_TRACE_NEXT,      /* the run is over: another one begins, and was not asked for */
    SW_TRACE_BROKEN     /* it cannot be read on: see the error */
};
/* Read what was added to the file of the problem's trace since it was read last, as far as it is whole lines. The
 * problem must have a recording, and the name under which its file was opened must still be good. Nothing else may use
 * the problem meanwhile. O(what was added). */
enum sw_trace_growth sw_trace_grow(const struct sw_problem *, struct sw_error *);

/* The same for a file that is whole, of which only the beginning was read (sw_load_options.first_bytes): about `most`
 * bytes more. When the end has come, what is to be noted is among the problem's notes. */
enum sw_trace_growth sw_trace_read_on(const struct sw_problem *, uint64_t most, struct sw_error *);
/* What is read of it is all that counts: the rest is broken. */
void sw_trace_read_no_further(const struct sw_problem *);
/* Is there more to be read on? `part` becomes how much of the file has been read, 0 to 1. */
bool sw_trace_unread(const struct sw_problem *, double *part);

/* The runs that stand in the file of the problem's trace, in order; `chosen` becomes the number of this one, from 0.
 * NULL: it has no trace. Borrowed, until the trace grows. */
struct sw_trace_run {
    const char *planner;
    uint32_t line; /* of its header */
    uint64_t decisions;
};
const struct sw_trace_run *sw_trace_runs(const struct sw_problem *, size_t *count, size_t *chosen);

/* What was demanded of the planner of the problem's trace (struct sw_load_options). Borrowed. */
const struct sw_demand *sw_trace_demands(const struct sw_problem *, size_t *count);

#endif
