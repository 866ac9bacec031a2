/* The table of planners: those that are built in (planners.def), then those that were made at run time. */
#ifndef SW_PLANNERS_PLANNER_TABLE_H
#define SW_PLANNERS_PLANNER_TABLE_H

#include "problem/problem.h"

SW_C_BEGIN

struct sw_planner;

size_t sw_planner_count(void); /* built in, then registered ones */
size_t sw_planner_built_in_count(void);
/* The names of the built-in ones that look at any of these (SW_READS_*), with commas between them. */
void sw_planners_that_read(unsigned reads, char *names, size_t size);
/* Add one that is made at run time, by a script. It must outlive everything; names are unique. */
bool sw_planner_register(const struct sw_planner *, struct sw_error *);
/* A newer version of a registered one, under the same name; runs of the old one go on with it. False: it was not
 * registered, or another planner has the new name. */
bool sw_planner_replace(const struct sw_planner *old, const struct sw_planner *fresh);
const struct sw_planner *sw_planner_get(size_t);
/* By name or a unique prefix. NULL with an error that lists what there is. */
const struct sw_planner *sw_planner_find(const char *name, struct sw_error *);
/* What it needs of a problem, in a few words for lists: "capacity, access times"; "-" when any will do. */
void sw_planner_needs(const struct sw_planner *, char *text, size_t size);
/* Does the problem have what the planner needs? If not, one sentence says what is missing. */
bool sw_planner_applies(const struct sw_planner *, const struct sw_problem *, struct sw_error *);
/* What a publication calls the action of a decision: "A3"; the action itself where there is no such name. */
const char *sw_planner_action_mark(const char *action);
/* Can requests follow a moment by its rules? */
bool sw_planner_goes_on(const struct sw_planner *, struct sw_error *);
/* And can it give addresses to what another planner has put in order? If not, says why. */
bool sw_planner_follows(const struct sw_planner *, const struct sw_problem *, struct sw_error *);

/* The planner for a problem where none is named: `recorded` where the file tells a run, else `auto`. */
const char *sw_planner_usual(const struct sw_problem *);

SW_C_END

#endif
