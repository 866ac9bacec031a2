/* The requests of a file, served by an online allocator: the figures of the summary, and the heap at its peak. */
#ifndef SW_CLI_SERVED_H
#define SW_CLI_SERVED_H

#include "cli/report/cli_report.h"
#include "planners/online/online_look.h"

/* The figures that `plan --format json` has under `details`. */
struct sw_served {
    const struct sw_planner *planner;
    uint64_t allocs, ooms;
    uint64_t reserved, allocated, requested, fragmentation, lower_bound;
    uint64_t grown, made, freed, releases, crc; /* grown: requests that made what is reserved grow; made: segments */
    struct sw_online_history *history;          /* the caller's, filled in by sw_serve; NULL: it is not wanted */
    uint64_t peak_at; /* so many requests had been served when the peak of what is reserved was reached first */
};

/* What the user sets; the run begins empty, with all that was alive when recording began, unless that is set. */
bool sw_served_settings(const struct sw_cli *, const struct sw_planner *, struct sw_params *, struct sw_error *);
/* Run to its end; of what is there only `history` counts. A request that got nothing is a figure, no failure. False:
 * the error says why; SW_ERROR_CANCELED after Ctrl-C. */
bool sw_serve(const struct sw_problem *, const struct sw_planner *, const struct sw_params *, struct sw_served *,
              struct sw_error *);
/* The same run right behind the request that reached the peak first; the caller's. NULL: as above. */
struct sw_search *sw_serve_to_peak(const struct sw_problem *, const struct sw_params *, const struct sw_served *,
                                   struct sw_error *);
/* The online allocator that a file is about: its own; of a recording that of the planner that made it, and of one that
 * is not known free-list, which takes sizes as they are. NULL: the error says why. */
const struct sw_planner *sw_served_own(const struct sw_problem *, struct sw_error *);
/* Into `heap` and the rest: what lies there. */
void sw_served_look(const struct sw_search *, struct sw_online_look *);
/* How much more is reserved at most than is allocated at most: 0.05 is 5%. */
double sw_served_over(const struct sw_served *);
/* The figures as members of an object, under the names of `details`. */
void sw_served_put(const struct sw_served *, struct sw_json_out *);
/* Where a buffer was asked for, on one line: the frames of its stack, the innermost first, with " < " between them, as
 * many as fit into SW_SERVED_SITE bytes; `origin` has one a line, and may be NULL. */
enum { SW_SERVED_SITE = 64 };
const char *sw_served_site(const char *origin, char text[SW_SERVED_SITE + 1]);

/* ---- diff_requests.c: what grew, by the stack that asked for it ---- */

/* As words, or as a picture in the file of -o. The exit status: 1 when the new one reserves more. */
int sw_diff_requests(struct sw_cli *, const struct sw_problem *old, const struct sw_problem *fresh, bool picture,
                     enum sw_output);
/* The picture (diff_curves.c); both have a history. */
bool sw_diff_curves(struct sw_cli *, const struct sw_problem *, const struct sw_served *old,
                    const struct sw_served *fresh, struct sw_error *);

#endif
