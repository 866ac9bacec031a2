/* Writing decision traces: a run of any planner as JSON Lines, which opens again as the planner `recorded`.
 *
 * A header with the graph, then for each decision what was looked at, what was decided and what that did to the layout,
 * then the end. formats/formats.md has the fields. The same run gives the same bytes.
 *
 * A trace is poured out as it grows, so that its length needs no memory: what is kept is one copy of the layout. */
#ifndef SW_FORMATS_TRACE_WRITE_H
#define SW_FORMATS_TRACE_WRITE_H

#include "formats/format.h"
#include "search/search.h"

/* Is it the name of a decision trace: does it end in .trace or .trace.jsonl, maybe with .gz (then `gzip` is true)?
 * `gzip` may be NULL. */
bool sw_trace_named(const char *path, bool *gzip);

/* Takes what the sink holds, and empties it; called when that is much, and at the end. False, with an error, ends the
 * trace. */
typedef bool sw_trace_pour_fn(void *context, struct sw_sink *, struct sw_error *);

struct sw_trace_writer;

/* Begin the trace of a search that stands at step 0: header and graph. `states`: add the planner's state after each
 * decision as tables. The search is borrowed until the end. NULL: no memory, or pouring failed, or its planner changes
 * the model. O(problem). */
struct sw_trace_writer *sw_trace_writer_new(const struct sw_search *, bool states, sw_trace_pour_fn *pour,
                                            void *context, struct sw_error *);
/* After every decision, in order: the decision that led to the present step, explained (sw_search_step_explained).
 * False: no memory, or pouring failed; then nothing more can be written. O(tiers) besides what is written, where a
 * decision does what its kind says, or nothing, to the layout; else O(buffers / 64) and what changed. */
bool sw_trace_writer_decision(struct sw_trace_writer *, const struct sw_explanation *, struct sw_error *);
/* After the last one. `failure`: why the run ended without a layout; NULL: it did not. `stopped_at`: the step at which
 * a limit ended it; 0: none did. All has been poured then. */
bool sw_trace_writer_end(struct sw_trace_writer *, const char *failure, uint64_t stopped_at, struct sw_error *);
void sw_trace_writer_free(struct sw_trace_writer *); /* NULL is allowed */

#endif
