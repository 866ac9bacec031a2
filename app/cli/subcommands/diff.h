/* Two runs held against each other: each with a command line of its own. */
#ifndef SW_CLI_DIFF_H
#define SW_CLI_DIFF_H

#include "cli/report/cli_report.h"
#include "cli/shared/sides.h"
#include "problem/compare/due.h"
#include "view/pages/runs.h"

struct sw_diff_run {
    struct sw_cli own; /* its command line */
    struct sw_diff_side
        seen; /* of its search, which is at its end; a plan in the file is played, else -p or auto runs */
    struct sw_problem *given, *problem; /* as it was read, and in the order of its plan */
    struct sw_search *search;
    bool recorded; /* the file's run was played */
    bool kept;     /* its peaks are those that a baseline keeps, and not those of the search */
    bool fits;     /* complete, and no tier is too small */
    bool several;  /* complete, and in several tiers: */
    uint64_t tier_peak[SW_MAX_TIERS];
    char words[SW_MAX_TIERS][48]; /* "peak of sram" */
    size_t faults;                /* of a finished plan or a recorded run, as far as this file alone can tell */
};
/* Which figure decides, and does the new side need more of it? */
struct sw_diff_verdict {
    const char *measure;
    uint32_t tier; /* of which it is the peak; SW_NONE: of all, or the bound */
    uint64_t before, after;
    bool is_bound, more;
};

/* Read the side's file, with the options of that side and, weaker, those that are kept for it (shared/sides.h).
 * sw_diff_close in any case. */
bool sw_diff_open(const struct sw_cli *, unsigned side, const char *path, const struct sw_told *kept, size_t count,
                  struct sw_diff_run *, struct sw_error *);
/* Run the plan of the file, or a planner. Runs that placed not every block have no peak. */
bool sw_diff_plan(struct sw_diff_run *, struct sw_error *);
void sw_diff_close(struct sw_diff_run *);

/* Peaks are compared when they come from the same source; else the bounds, which need no planner. */
struct sw_diff_verdict sw_diff_judge(const struct sw_diff_run *old, const struct sw_diff_run *fresh);
/* What the difference of the verdict is due to: the old side's planner plans what stands between the two. */
bool sw_diff_due(const struct sw_diff_run *old, const struct sw_diff_run *fresh, const struct sw_diff_verdict *,
                 struct sw_due *, struct sw_error *);

/* All that there is to say of both, into a report; or a picture of both. `due`: NULL where it is not known; `picture`:
 * the path of one that Markdown shows, or NULL. Both sides have a search. False: no memory. */
bool sw_diff_tell(const struct sw_diff_run *old, const struct sw_diff_run *fresh, const struct sw_due *,
                  const char *picture, struct sw_cli_report *);
/* The exit status, 0 when it is written. */
int sw_diff_draw(struct sw_cli *, const struct sw_diff_run *old, const struct sw_diff_run *fresh,
                 const struct sw_due *);

#endif
