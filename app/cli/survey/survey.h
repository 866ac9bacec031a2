/* stowage survey: every model below some folders, each in a process of its own, so that one that crashes, hangs or is
 * huge spoils nothing.
 *
 * What is known of a model is a row: an object of JSON on one line, as --shard writes it and --resume reads it. Its
 * "state" says how it ended; "figures" has what was found until then, or null. */
#ifndef SW_CLI_SURVEY_H
#define SW_CLI_SURVEY_H

#include "cli/cli.h"
#include "formats/text/json.h"
#include "formats/text/json_write.h"

struct survey_model {
    const char *path;
    int64_t mtime; /* nanoseconds */
    uint64_t size;
    bool named;          /* by the command line itself, not found in a folder */
    struct sw_sink line; /* its row, when it is known */
};
struct sw_survey {
    const struct sw_cli *cli;
    struct sw_arena arena; /* of the paths */
    SW_ARRAY(struct survey_model) models;
    SW_ARRAY(uint32_t) wanted; /* of this part, those without a row */
    size_t known;              /* of this part, those that have one */
    char digest[17];           /* of the settings and the version */
    uint64_t of;               /* --merge: so many models are in all parts */
    int part;                  /* where rows are kept until all are there; -1: nowhere */
};

/* ---- survey_files.c ---- */

/* Plain files below the operands, by name; files that are operands come as they are. False: the error says why. */
bool sw_survey_find(struct sw_survey *, struct sw_error *);
int sw_survey_by_path(const void *, const void *); /* for qsort */

/* ---- survey_model.c: in the model's own process ---- */

enum survey_frame_kind { SURVEY_SO_FAR, SURVEY_DONE, SURVEY_REFUSED, SURVEY_OUT_OF_MEMORY, SURVEY_UNREAD };
struct survey_frame {
    enum survey_frame_kind kind;
    size_t length; /* of the text behind it: figures, or why */
};
/* Find out about the model, and write frames: after each planner what is known so far, and how it ended. */
void sw_survey_look(const struct sw_cli *, const char *path, int to);

/* ---- survey_jobs.c ---- */

enum { SURVEY_SECONDS = 60 };
#define SURVEY_MEMORY (UINT64_C(4) << 30)
/* Look at all that are wanted. False: the error says why, SW_ERROR_CANCELED after Ctrl-C. */
bool sw_survey_run(struct sw_survey *, struct sw_error *);

/* ---- survey_rows.c ---- */

/* The row of a model that has ended so; `figures` is JSON or "". */
void sw_survey_row(struct sw_survey *, struct survey_model *, const char *state, const char *why,
                   const struct sw_sink *figures);
/* --merge: the models and rows of the files that --shard wrote. */
bool sw_survey_merge(struct sw_survey *, struct sw_error *);
/* "OUT.part": begin it, or go on with it. What was kept is taken, and the file is written anew without the rest. */
bool sw_survey_keep(struct sw_survey *, bool resume, struct sw_error *);
void sw_survey_kept(struct sw_survey *, bool done); /* the end of it */

/* ---- survey_print.c, survey_page.c ---- */

/* What a report needs of a row. Texts are of the tree. */
struct survey_told {
    const char *model, *state, *why;
    const json_t *figures; /* NULL: none */
    bool has_best, has_bound;
    uint64_t bound, best;
    const char *planner;  /* the first with the best peak */
    uint64_t order_saves; /* 0: no order is known that needs less */
    const json_t *helps;  /* NULL: nothing is known that would */
};
struct survey_summary {
    SW_ARRAY(struct survey_told) rows; /* by name */
    SW_ARRAY(struct sw_arena) trees;
    size_t unread, done;
    uint64_t over; /* bytes above the bounds, of all */
};
bool sw_survey_summarize(const struct sw_survey *, struct survey_summary *, struct sw_error *);
void sw_survey_summary_done(struct survey_summary *);
/* For qsort: the most bytes above the bound first. */
int sw_survey_worse(const void *, const void *);
/* A figure of a row; false: it has none there. */
bool sw_survey_count(const json_t *, uint64_t *count);
bool sw_survey_failed(const struct survey_told *); /* it was not looked at to the end */
/* "12 models; 1,024 B above the bounds". */
const char *sw_survey_headline(const struct survey_summary *, char text[200]);
/* Text, Markdown, CSV or JSON; 0, or 2 where it is not written. */
int sw_survey_print(const struct sw_cli *, struct survey_summary *, enum sw_output);
void sw_survey_page(struct survey_summary *, struct sw_sink *);

#endif
