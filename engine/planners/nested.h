/* A planner inside a planner. It runs on the outer planner's layout, under parameters of its own; what it counts and
 * what it makes of the layout go back to the outer run after every call. For the planners of this folder.
 *
 * A nested planner belongs to the outer planner's state: zero it to start with, and describe it there with
 * sw_nested_described. */
#ifndef SW_PLANNERS_NESTED_H
#define SW_PLANNERS_NESTED_H

#include "planners/planner_internal.h"

struct sw_nested {
    const struct sw_planner *planner; /* NULL: none is open */
    void *state;
    struct sw_params params;      /* its own; settings are freed when it is closed */
    bool silent;                  /* it explains nothing, for many of its steps are one decision outside */
    const struct sw_rules *rules; /* for the next call; NULL: those of the run */
};

/* The run as the nested planner sees it, for calls that are not below; and taking back what it made of it. */
struct sw_run sw_nested_lend(const struct sw_nested *, const struct sw_run *);
void sw_nested_take_back(struct sw_run *, const struct sw_run *lent);

/* Open it on run->layout. `params` must have been set. False: no planner is open then. */
bool sw_nested_open(struct sw_nested *, const struct sw_planner *, struct sw_run *);
enum sw_step sw_nested_step(struct sw_nested *, struct sw_run *, struct sw_decision *);
/* True where it has nothing to say of overrides, or none is open. */
bool sw_nested_constrain(struct sw_nested *, struct sw_run *, const struct sw_override *);
extern const struct sw_described sw_nested_described;
void sw_nested_close(struct sw_nested *); /* allowed when none is open */

/* The best layout that it knows, into run->layout; where none is open, or it has no other, that stays. */
bool sw_nested_settle(const struct sw_nested *, struct sw_run *);
/* The tables of its state, where one is open and has any. */
void sw_nested_state(const struct sw_nested *, const struct sw_run *, const struct sw_decision *last,
                     struct sw_state_tables *);
/* What led to its last decision; and which planner made that: NULL where none is open. */
void sw_nested_because(const struct sw_nested *, const struct sw_run *, const struct sw_decision *last, char *text,
                       size_t size);
const struct sw_planner *sw_nested_acting(const struct sw_nested *);

/* Run a planner with its defaults to its end, on a layout of its own. `found`: it made one. False: no memory. */
bool sw_nested_run(struct sw_run *, const struct sw_planner *, struct sw_layout *, bool *found);

#endif
