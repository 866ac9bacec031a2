/* A question about decisions, as a Lua expression: `peak > bound * 1.1`, `kind == "grow" and size >= 64K`.
 *
 * The names it may use are the fields of a decision: step, kind, buffer, other, tier, offset, size, time, group,
 * amount, peak, peak_before, live, bound, cost, candidates, reason, action, forced; and the operands of its kind
 * (engine/search/decisions.def): delta, id, continuity. Texts that a decision does not have
 * are nil, figures NaN, so that no comparison is true of them. A number may be a size as people write them
 * (formats/text/size.h): 64K, 63 KiB, 64,512. Words for kinds (grow) need no quotation marks; a kind that there is not
 * is refused. So is anything else that is no name of Lua's own, and what is neither true nor false: peak >> bound. */
#ifndef SW_LUA_CONDITION_H
#define SW_LUA_CONDITION_H

#include "stowage_runs.h"

struct sw_condition;

/* NULL with what is wrong. One more owner by ref; the last unref frees it. */
struct sw_condition *sw_condition_new(const char *text, struct sw_error *);
struct sw_condition *sw_condition_ref(struct sw_condition *);
void sw_condition_unref(struct sw_condition *); /* NULL is allowed */
/* The names that a condition may use, one after the other: fields, then operands of all kinds; NULL past the last. */
const char *sw_condition_name(size_t);
/* Is it true of the decision? An error is one of the script. About a microsecond. In a build for debugging
 * it is asked twice, and must answer the same. */
bool sw_condition_ask(struct sw_condition *, const struct sw_problem *, const struct sw_decision *, bool *truth,
                      struct sw_error *);
/* It only looks at what lasts from one decision to the next (peak, live, cost, bound, step): then the moment at
 * which it becomes true is of interest, not every decision at which it still is. */
bool sw_condition_lasts(const struct sw_condition *);

#endif
