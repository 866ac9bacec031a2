/* What the files of stowage tune share. */
#ifndef SW_CLI_TUNE_H
#define SW_CLI_TUNE_H

#include "cli/allocators/served.h"
#include "cli/shared/run.h"
#include "planners/online/worth_trying.h"

enum { TUNE_MOST = 150 };

/* Settings that were tried. */
struct tune_trial {
    uint8_t at[SW_WORTH_AXES]; /* the value of each axis */
    bool recorded;             /* in place of them: what the file says its allocator ran with */
    bool ran;
    uint64_t limit; /* SW_UNBOUNDED: none */
    struct sw_served served;
    char text[700];                                  /* "max_split_size_mb:128,..."; "" for the default settings */
    char why[sizeof((struct sw_error *)0)->message]; /* it did not run */
};

/* A segment with free bytes that cannot be given back, and what holds it. */
struct tune_held {
    uint64_t address, size, free;
    uint32_t buffer;
    uint64_t block; /* bytes of its block */
    bool ends;      /* it is given back, at `time` */
    uint32_t time;
};
enum { TUNE_HELD = 10 };
struct tune_held_list {
    struct tune_held items[TUNE_HELD]; /* those with most free bytes */
    size_t count, segments;            /* shown, and in all */
    uint64_t free;                     /* of all */
    uint64_t request;                  /* the peak came with this request, from 1 */
};

struct tune {
    const struct sw_cli *cli;
    struct sw_tally tally; /* of the trials */
    const struct sw_problem *problem;
    const struct sw_worth_trying *allocator;
    const struct sw_planner *planner;
    const char *instead; /* the file's own allocator, of which no settings are searched; NULL: they are */
    uint64_t limit;      /* --limit; SW_UNBOUNDED */
    uint64_t bound;      /* the largest sum of rounded sizes that is alive at once */
    bool stopped;        /* Ctrl-C */
    SW_ARRAY(struct tune_trial) trials; /* the default settings are the first */
    struct tune_held_list held;
};
/* Does `a` come before `b`? Every request served, then the least peak, fewer growths, the shorter text. */
bool tune_better(const struct tune_trial *a, const struct tune_trial *b);
/* What holds the segments at the peak of this run; the search stands there. False: no memory. */
bool tune_find_held(const struct sw_search *, struct tune_held_list *);
int tune_print(const struct tune *, enum sw_output);

#endif
