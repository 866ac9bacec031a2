/* What the files of stowage gate share. */
#ifndef SW_CLI_GATE_H
#define SW_CLI_GATE_H

#include "cli/gate/baseline.h"

/* ---- gate_paths.c: which models, and what the baseline calls them ---- */

struct sw_gate_path {
    const char *path, *name; /* on the command line, and from the folder of the baseline */
};
struct sw_gate_paths {
    struct sw_arena arena;
    SW_ARRAY(struct sw_gate_path) items;
};
/* The files; of a folder, all below it that a reader knows, sorted, without hidden ones; each once. Without any, those
 * of the baseline. Names of models of the baseline that lie in one of the folders and are not there any more are marked
 * `gone`. sw_gate_paths_done in any case. */
bool sw_gate_paths_find(struct sw_gate_paths *, const struct sw_cli *, struct sw_baseline *, struct sw_error *);
void sw_gate_paths_done(struct sw_gate_paths *);

/* ---- what came of a model ---- */

enum sw_gate_status {
    SW_GATE_SAME,
    SW_GATE_LESS,
    SW_GATE_WITHIN, /* it needs more, within the tolerance */
    SW_GATE_MORE,
    SW_GATE_NEW,   /* it is not in the baseline */
    SW_GATE_GONE,  /* it is there, and its file is not */
    SW_GATE_UNFIT, /* it has no plan */
    SW_GATE_ERROR, /* it cannot be read, or planned */
    SW_GATE_STATUSES
};
struct sw_gate_row {
    const char *name;
    enum sw_gate_status status;
    bool has_old, has_fresh;
    struct sw_diff_verdict verdict; /* its measure stands here: */
    uint64_t allowed;               /* bytes of more */
    char measure[48];
    struct sw_gate_sides {
        struct sw_diff_run old, fresh;
    } * sides; /* kept where they are to be told; else NULL */
    bool told; /* both sides have a search, and `due` is known */
    struct sw_due due;
    const char *picture; /* of both sides, beside the Markdown; NULL: none */
    struct sw_error why; /* of an error */
};
struct sw_gate_rows {
    SW_ARRAY(struct sw_gate_row *) items;
    size_t counts[SW_GATE_STATUSES];
    bool updated; /* the baseline is as these say now */
};
bool sw_gate_fails(const struct sw_gate_rows *, const struct sw_gate_row *);

/* ---- gate_report.c: for people, for programs, and for servers that know JUnit's XML ---- */

/* False: no memory. */
bool sw_gate_tell(const struct sw_cli *, const struct sw_gate_rows *, struct sw_cli_report *);
bool sw_gate_junit(const struct sw_gate_rows *, struct sw_sink *);

#endif
