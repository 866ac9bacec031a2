/* What a page for a browser knows beside its pictures: of each run that they show its buffers, its decisions and what
 * each of them changed. */
#ifndef SW_VIEW_WEB_DATA_H
#define SW_VIEW_WEB_DATA_H

#include "formats/format.h"
#include "view/view.h"

/* The runs that the plots of a page are about, each once. Borrowed. */
struct sw_web_runs {
    SW_ARRAY(const struct sw_search *) items;
};
/* The number of a run, which is added unless one like it is there: of the same problem, planner, parameters and length.
 * SW_NONE: no memory. */
uint32_t sw_web_run(struct sw_web_runs *, const struct sw_search *);

/* So many blocks can stand in a page one by one. */
bool sw_web_holds(const struct sw_problem *);

/* Does the mark stand for something that has no outline of its own on paper, or one that can be pointed at? */
bool sw_web_points(const struct sw_mark *);
/* What a mark is, in one line: "conv_3: 392 KiB, steps 3..7, at 1.15 MiB". "" where there is nothing to say. */
const char *sw_web_tell(struct sw_scene *, const struct sw_panel *, const struct sw_mark *);

/* Is the first one a moment of an allocator? */
bool sw_web_is_moment(const struct sw_web_runs *);
/* The largest buffers of the first run as an HTML table, for reading without a script. Nothing where there are
 * none. */
void sw_web_put_table(const struct sw_web_runs *, uint64_t base, size_t rows, struct sw_sink *);

/* All runs as a JSON list, each about as page.js reads it; in at most `most` bytes: where that is too little the
 * refused places of decisions are left out first, then the decisions, then the smallest buffers. Takes the time of a
 * run. */
bool sw_web_put_runs(const struct sw_web_runs *, uint64_t base, enum sw_units, size_t most, struct sw_sink *,
                     struct sw_error *);

#endif
