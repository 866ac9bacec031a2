/* The objects of a decision trace as JSON: for the writer of traces, and for others that show the same values. */
#ifndef SW_FORMATS_TRACE_OBJECTS_H
#define SW_FORMATS_TRACE_OBJECTS_H

#include "formats/text/json_write.h"
#include "search/search.h"

/* An operand of the decision's kind, under its name: buffers by name, what is absent as null, a change as [before,
 * after]. */
void sw_trace_put_operand(const struct sw_problem *, const struct sw_decision *, const struct sw_operand *,
                          struct sw_json_out *);
/* Of a table of a planner's state the names of its columns, and its rows: names, raw times, offsets with `base` added;
 * blank: null. */
void sw_trace_put_columns(const struct sw_state_table *, struct sw_json_out *);
void sw_trace_put_rows(const struct sw_problem *, uint64_t base, const struct sw_state_table *, struct sw_json_out *);
/* The words for kinds of cells. */
enum { SW_TRACE_CELL_WORDS = SW_CELL_WORD + 1 };
extern const char *const sw_trace_cell_words[SW_TRACE_CELL_WORDS];
/* The name of table `at`. Planners inside a planner may have tables of the same name: the second has a number behind
 * it. */
enum { SW_TRACE_TABLE_NAME = 80 };
const char *sw_trace_table_name(const struct sw_state_tables *, size_t at, char name[SW_TRACE_TABLE_NAME]);
/* Of long tables so many rows are written, around the touched one. */
enum { SW_TRACE_MOST_ROWS = 1000 };

/* One line each. Is the decision, by the meaning of its kind alone, a placement of its buffer for the whole life? */
bool sw_trace_places(const struct sw_problem *, const struct sw_decision *);
void sw_trace_put_candidate(const struct sw_problem *, const struct sw_candidate *, struct sw_json_out *);
/* The decision without what it did to the layout: the object stays open for that, and sw_trace_close_decision ends it.
 */
void sw_trace_open_decision(const struct sw_problem *, const struct sw_explanation *, struct sw_json_out *);
void sw_trace_close_decision(const struct sw_problem *, const struct sw_explanation *, struct sw_json_out *);
/* The state at the present step, a line per table. */
void sw_trace_put_states(const struct sw_search *, struct sw_json_out *);

#endif
