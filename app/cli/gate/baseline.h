/* A baseline: what models needed, in a file that people read and that version control merges line by line.
 *
 * {"format":"stowage-baseline","version":1,"models":[
 * {"model":"nets/a.tflite","options":["planner=best-fit"],"tiers":[{"name":"memory","peak":55296}],"graph":
 * {"format":"stowage-graph", ... one operator, one buffer a line ... }},
 * null]}
 *
 * Models are sorted by name, and each ends with a comma, so one more changes no other line. The name is the path from
 * the folder of the baseline, and so are the files that options name. The graph is the model as it was read, for
 * `convert` can write it as well. */
#ifndef SW_CLI_BASELINE_H
#define SW_CLI_BASELINE_H

#include "cli/subcommands/diff.h"
#include "formats/text/json.h"

struct sw_gate_kept {
    const char *name;
    SW_ARRAY(struct sw_told) told; /* the options with which it was planned */
    uint32_t tiers;
    const char *tier_names[SW_MAX_TIERS];
    uint64_t tier_peaks[SW_MAX_TIERS];
    const char *text, *graph; /* of the whole entry, and of its graph: NUL-ended */
    bool gone;                /* it is to be left out when the file is written anew */
};
struct sw_baseline {
    const char *path;
    char folder[4096]; /* in which it lies, without links */
    struct sw_arena arena;
    SW_ARRAY(struct sw_gate_kept) kept; /* sorted by name */
};

/* Where there is no such file, and `fresh` allows it, the baseline is empty. sw_baseline_done in any case. */
bool sw_baseline_read(struct sw_baseline *, const char *path, bool fresh, struct sw_error *);
void sw_baseline_done(struct sw_baseline *);
/* The path of a file from the folder of the baseline: "../nets/a.json" for /x/nets/a.json, from /x/ci; that of a file
 * which is not there as it is. In the arena. NULL: no memory. */
const char *sw_baseline_name(struct sw_baseline *, const char *path);
struct sw_gate_kept *sw_baseline_find(struct sw_baseline *, const char *name); /* NULL: it is not in there */
/* The same entry as from a run, in place of the one that there is. Copied. */
bool sw_baseline_keep(struct sw_baseline *, const char *name, const struct sw_diff_run *, struct sw_error *);
/* Write it over its file, as a whole or not at all. */
bool sw_baseline_write(const struct sw_baseline *, struct sw_error *);

/* The model as it was, with its peaks; without a search. sw_diff_close in any case. */
bool sw_kept_open(const struct sw_baseline *, const struct sw_gate_kept *, const struct sw_cli *, struct sw_diff_run *,
                  struct sw_error *);
/* The peaks that are kept, in place of those of a run of the model as it was. */
void sw_kept_peaks(const struct sw_gate_kept *, struct sw_diff_run *);

#endif
