/* What a decision did to the layout, as far as its kind does not say it already. */
#ifndef SW_FORMATS_TRACE_CHANGES_H
#define SW_FORMATS_TRACE_CHANGES_H

#include "formats/text/json_write.h"
#include "search/search.h"

/* The layout before the next decision. Zero it to start with, and end it with sw_trace_layout_done. */
struct sw_trace_layout {
    struct sw_layout *before;
    SW_ARRAY(uint32_t) spanned;            /* buffers that may lie in several places, one after another in time */
    SW_ARRAY(struct sw_layout_block) some; /* scratch: those that the decision changed */
};
bool sw_trace_layout_start(struct sw_trace_layout *, const struct sw_problem *, struct sw_error *); /* empty */
void sw_trace_layout_done(struct sw_trace_layout *);
/* Write the members "changes", "transfers", "permits" and "arenas" that the decision needs to lead from the layout kept
 * to `after`, which is kept then. False: no memory. */
bool sw_trace_put_changes(struct sw_trace_layout *, const struct sw_layout *after, const struct sw_decision *,
                          struct sw_json_out *, struct sw_error *);

#endif
