/* Pages about several runs: planners beside each other, two plans held against each other, curves of
 * many seeds. Like views they are pure functions that make a scene; unlike views they are given more
 * than one run, so they stand in no table, and the explorer never shows them. */
#ifndef SW_VIEW_RUNS_H
#define SW_VIEW_RUNS_H

#include "problem/compare/due.h"
#include "view/map/matching.h"
#include "view/view.h"

/* What they all are told. */
struct sw_runs_page {
    const char *title;    /* NULL: made from the names */
    double width, height; /* points */
    double least_view; /* what the panels need of the height, for which legend and most of the caption go; 0: little */
    double marks;      /* how many marks may be told apart in a point */
    bool zooms;        /* one can go nearer: nothing is too small to be drawn */
    bool points;       /* one can point at marks */
    enum sw_units units;
    enum sw_coloring coloring;
    const char *conditions; /* options that change the problem or the plans; "" or NULL: none */
};

/* ---- one small map per planner ---- */

struct sw_compare_run {
    const char *planner;
    const struct sw_search *search; /* at its end; NULL: it did not run */
    const char *why;                /* what kept it from running, or from a layout; "" */
    bool optimal;                   /* proved */
    uint64_t stopped_at;            /* by a limit; 0: not */
    double cost;                    /* NaN: none */
};
struct sw_compare_page {
    struct sw_runs_page page;
    const struct sw_problem *problem;
    const char *input_name;
    uint64_t input_digest;
    const struct sw_compare_run *runs;
    size_t count;
    bool none_fits;    /* of those that ran */
    uint64_t own_work; /* the default limit: of planners that go on until they have a proof; 0: none */
};
void sw_view_multiples(const struct sw_compare_page *, struct sw_scene *);

/* ---- two plans ---- */

struct sw_diff_side {
    const char *path;
    uint64_t digest;
    const struct sw_search *search; /* at its end; of a plan: `as-built` */
    bool plan;                      /* the file holds a finished plan */
    bool has_peak;
    uint64_t peak;
    uint64_t stopped_at; /* by a limit; 0: not */
};
struct sw_diff_page {
    struct sw_runs_page page;
    struct sw_diff_side old, fresh;
    const struct sw_name_matching *matching; /* with the layouts of the searches */
    const struct sw_due *due;                /* what the difference of `measure`, "peak", is due to; NULL: not known */
    const char *measure;
};
void sw_view_pair(const struct sw_diff_page *, struct sw_scene *);
/* What parts of a difference are called: in files, and by people. */
struct sw_due_name {
    const char *key, *words;
};
extern const struct sw_due_name sw_due_names[SW_DUE_KINDS];
/* Where two runs part, in a sentence; of plans, which have no decisions, the first block in time that
 * lies elsewhere. The caller frees it with the scene. */
const char *sw_diff_parting(const struct sw_diff_page *, struct sw_scene *);

/* ---- how good runs become ---- */

struct sw_seeds_gain {
    uint64_t evaluation; /* from this one on (the first is 1) the best so far is: */
    double value;
};
struct sw_seeds_run {
    uint64_t seed, evaluations;
    const struct sw_seeds_gain *gains; /* at least one */
    size_t count;
};
struct sw_seeds_planner {
    const char *planner;
    const char *settings; /* "evaluations=2000"; "" */
    const struct sw_seeds_run *runs;
    size_t count; /* 0: nothing was measured on the way: `why` */
    const char *why;
};
struct sw_seeds_page {
    struct sw_runs_page page;
    const struct sw_problem *problem;
    const char *input_name;
    uint64_t input_digest;
    enum sw_measure measure;
    double bound;  /* NaN: none */
    double greedy; /* what a planner without seeds comes to; NaN: none */
    const char *greedy_name;
    const struct sw_seeds_planner *bands;
    size_t count;
};
void sw_view_bands(const struct sw_seeds_page *, struct sw_scene *);
/* What each seed ended with, sorted, with so much room for labels at the right. */
void sw_seeds_sorted(const struct sw_seeds_page *, const struct sw_view_input *, struct sw_scene *, struct sw_box,
                     double right);

/* ---- what the files of these pages share ---- */

/* How wide a line of provenance is. */
double sw_runs_caption_room(const struct sw_runs_page *);
/* A sentence of provenance; where the page has no room for all of it, the file's description has it, and not the page.
 */
void sw_runs_caption(const struct sw_runs_page *, struct sw_scene *, const char *text);
/* A sentence for the file's description alone. */
void sw_runs_unshown(struct sw_scene *, const char *text);
/* The options that change what is planned, when there are any. */
void sw_runs_conditions(const struct sw_runs_page *, struct sw_scene *, const struct sw_problem *);
/* "Input net.json, digest 0123: 32 blocks, 31 steps." */
const char *sw_runs_input(struct sw_scene *, const char *path, uint64_t digest, const struct sw_problem *);
/* The graph's own name; that of its file when it has none. */
const char *sw_runs_name(struct sw_scene *, const struct sw_problem *, const char *path);
/* "sram 54 KiB + dram 2 MiB": the peak of each tier where there are several; else "". */
const char *sw_runs_tier_peaks(struct sw_scene *, const struct sw_search *);
/* How many blocks the marks of the panels from `first` on hide. */
uint64_t sw_runs_hidden(const struct sw_scene *, size_t first);
/* What a small map of a tier of a run is made of; its window is the caller's. */
struct sw_view_input sw_runs_map(const struct sw_runs_page *, const struct sw_search *, uint32_t tier,
                                 const struct sw_furniture *);
/* Build until there is room for legend and caption, which are known afterwards: mostly twice. */
void sw_runs_build(const struct sw_runs_page *, struct sw_scene *,
                   void (*build)(const void *context, struct sw_scene *, double foot), const void *context);

#endif
