/* File formats: one file per format, one table of functions, one line in format_table.c.
 *
 * A reader turns bytes into a problem through a builder; a writer turns a problem, or a finished run,
 * into bytes through a sink. Readers never allocate by a count they have not checked against the bytes
 * there are, never crash, and say what is wrong in one line with line and column (or, for binary
 * formats, the offset in the message). They refuse text that is not UTF-8. */
#ifndef SW_FORMATS_FORMAT_H
#define SW_FORMATS_FORMAT_H

#include "stowage_runs.h"

#include <stdarg.h>

/* A whole input in memory, expanded if it was compressed. */
struct sw_input {
    const char *name;  /* for messages: the path, or "-" */
    const char *bytes; /* not NUL-ended */
    size_t length;
    const char *array; /* the name of the array in C or C++ source that it stood in; NULL or "": none */
    uint64_t whole;    /* of a large trace: its length. Only the beginning is in memory, and `file` has all. Else 0 */
    int file;          /* where `whole` is not 0; else nothing */
    bool cut;          /* a compressed trace, and its gzip data ended early: here is what came out of it */
    void *owner;       /* internal */
};
/* "-" reads standard input. What gzip compressed is expanded, and a binary model that stands in C or C++ source as an
 * array of bytes is taken out of it. The caller closes it. */
bool sw_input_open(const char *path, struct sw_input *, struct sw_error *);
/* The same, but of source with several models the array of that name is taken; NULL: there is only one. */
bool sw_input_open_array(const char *path, const char *array, struct sw_input *, struct sw_error *);
void sw_input_close(struct sw_input *);
/* The same bytes as an input of its own, which is closed on its own: shared where they are an opened input's, else
 * copied. */
bool sw_input_keep(const struct sw_input *, struct sw_input *kept, struct sw_error *);
/* A part of it that lies within `whole`, or else within `length`. False: it could not be read. */
bool sw_input_read(const struct sw_input *, uint64_t at, char *to, size_t length, struct sw_error *);
/* Of the bytes: names the input in captions and sessions. Reads all of them. */
uint64_t sw_input_digest(const struct sw_input *);

/* Where a writer's bytes go. A sink collects; sw_sink_commit writes atomically: a temporary beside the
 * target, synced, renamed, mode kept. "-" is standard output. Until it is committed nothing exists. */
struct sw_sink {
    SW_ARRAY(char) text;
    bool failed; /* no memory: sticky, reported by commit */
};
void sw_sink_add(struct sw_sink *, const void *bytes, size_t length);
void sw_sink_printf(struct sw_sink *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sw_sink_vprintf(struct sw_sink *, const char *format, va_list) __attribute__((format(printf, 2, 0)));
/* A JSON string with quotes and escapes; a CSV field, quoted when it must be. Nothing is lost, and yet nothing in them
 * acts on a terminal or in a spreadsheet: what must not be shown (base/text.h) is \u0085, a formula has an apostrophe
 * before it. sw_csv_text reads both back. */
void sw_sink_json(struct sw_sink *, const char *text);
void sw_sink_csv(struct sw_sink *, const char *text);
/* A cell of a table in Markdown: what would end it, or begin something else, or mention a user, is escaped;
 * what must not be shown becomes '?'. */
void sw_sink_md(struct sw_sink *, const char *text);
/* A path for any POSIX shell, quoted where it must be, so that one that is shown can be typed; "./" stands before a
 * hyphen. Nothing in it acts on a terminal. Line breaks at its very end are lost. */
void sw_sink_shell(struct sw_sink *, const char *text);
/* A word of the explorer's commands: between double quotes, with a backslash before each quote and backslash in it. */
void sw_sink_quoted(struct sw_sink *, const char *text);
/* The same for any other word of a command line, which may be an option. */
void sw_sink_argument(struct sw_sink *, const char *text);
/* Text in XML, also between quotes. What must not be shown (controls, noncharacters, marks of direction but
 * U+200E) becomes '?'. */
void sw_sink_xml(struct sw_sink *, const char *text, size_t length);
/* Text for a terminal, one line: what must not be shown becomes '?'. */
void sw_sink_text(struct sw_sink *, const char *text);
/* Shortest decimal that reads back the same; NaN and infinities become null. */
void sw_sink_number(struct sw_sink *, double);
void sw_sink_integer(struct sw_sink *, int64_t);
bool sw_sink_commit(struct sw_sink *, const char *path, struct sw_error *);
/* The text, with the NUL that ends it; NULL: no memory. */
char *sw_sink_ended(struct sw_sink *);
void sw_sink_done(struct sw_sink *);
/* What was read is never written over, however it is spelled: false when `path` is the same file as one of the
 * sources, by a symbolic or hard link, too. Sources may be NULL, and "-" is standard input. */
bool sw_may_write(const char *path, const char *const *sources, size_t count, struct sw_error *);

/* A finished or stopped run, as writers of plans want it. */
struct sw_result {
    const struct sw_search *search;
    const struct sw_layout *layout;
    const char *source;                 /* the path of the input; NULL when it is not known */
    uint64_t digest;                    /* of the input; 0 when it is not known */
    bool even_if_larger;                /* --even-if-larger */
    uint64_t base;                      /* --base ADDRESS, added to every offset written */
    const struct sw_load_options *load; /* how the input was read; NULL: as usual */
    bool optimal;                       /* proved */
    bool broken;                        /* a finished plan, as its file has it, that breaks a rule */
    double cost;                        /* what the layout costs; NaN when it is not known */
    uint64_t stopped_at;                /* step at which a limit stopped it; 0 = none */
    double seconds;
};

/* What the times of a table mean, when its header does not mean what it says. */
enum sw_intervals {
    SW_INTERVALS_AS_NAMED,
    SW_INTERVALS_HALF_OPEN, /* lower is inside, upper is not */
    SW_INTERVALS_INCLUSIVE, /* both are */
    SW_INTERVALS_EXCLUSIVE  /* neither is */
};

/* Versions of ESP-NN between which the workspaces differ, the oldest first: X(name, text, since). The last is the
 * newest, which goes without saying. Others ask for as much as the one before them: 1.0 and 1.1.2 as 1.1, 1.2.2 as
 * 1.2.1. */
#define SW_ESP_VERSIONS(X)           \
    X(V1_1, "1.1", "2023-06-26")     \
    X(V1_2_0, "1.2.0", "2026-04-06") \
    X(V1_2_1, "1.2.1", "2026-04-08") \
    X(V1_2_3, "1.2.3", "2026-04-27")

/* Those of CMSIS-NN, each with the TensorFlow Lite Micro of its day. The last is not a release: two sizes were
 * corrected since 7.0.0. */
#define SW_CMSIS_VERSIONS(X)       \
    X(V4_0, "4.0.0", "2022-11-17") \
    X(V4_1, "4.1.0", "2023-05-08") \
    X(V5, "5.0.0", "2023-11-14")   \
    X(V6, "6.0.0", "2024-06-02")   \
    X(V7, "7.0.0", "2024-11-11")   \
    X(V2026, "2026-03", "2026-03-09")

/* The library of kernels, which ask TensorFlow Lite Micro for workspaces. The words of --kernels stand in the same
 * order. */
enum sw_kernels {
    SW_KERNELS_USUAL, /* the reference kernels */
    SW_KERNELS_NONE,  /* leave workspaces out */
    SW_KERNELS_REFERENCE,
    SW_KERNELS_CMSIS, /* as with dsp */
    SW_KERNELS_CMSIS_NONE,
    SW_KERNELS_CMSIS_DSP,
    SW_KERNELS_CMSIS_MVE,
#define SW_CMSIS_KERNELS(name, text, since)                                                 \
    SW_KERNELS_CMSIS_##name, SW_KERNELS_CMSIS_##name##_NONE, SW_KERNELS_CMSIS_##name##_DSP, \
        SW_KERNELS_CMSIS_##name##_MVE,
    SW_CMSIS_VERSIONS(SW_CMSIS_KERNELS)
#undef SW_CMSIS_KERNELS
        SW_KERNELS_ESP, /* as with s3 */
    SW_KERNELS_ESP_ANSI,
    SW_KERNELS_ESP_S3,
    SW_KERNELS_ESP_P4,
#define SW_ESP_KERNELS(name, text, since) \
    SW_KERNELS_ESP_##name, SW_KERNELS_ESP_##name##_ANSI, SW_KERNELS_ESP_##name##_S3, SW_KERNELS_ESP_##name##_P4,
    SW_ESP_VERSIONS(SW_ESP_KERNELS)
#undef SW_ESP_KERNELS
        SW_KERNELS_COUNT
};
/* What TensorFlow Lite Micro runs on: how long a pointer is, and what its own structures take. */
enum sw_target { SW_TARGET_USUAL, SW_TARGET_CORTEX_M, SW_TARGET_HOST };

/* What --capacity is the size of: what is planned, or that and what no plan places. */
enum sw_capacity_of { SW_CAPACITY_OF_USUAL, SW_CAPACITY_OF_HEAD, SW_CAPACITY_OF_ARENA };

/* What a user demanded of the planner that wrote a trace: from decision `step` on (counted from 1) the buffer is pinned
 * to `lo`, or may not touch [lo, hi). */
struct sw_demand {
    uint64_t step;
    bool forbid;
    const char *buffer; /* NULL: every buffer, of a forbid only */
    const char *tier;   /* NULL: the only one */
    uint64_t lo, hi;
};

/* What the command line may change about an input. */
struct sw_load_options {
    bool pins;         /* --pins */
    bool inplace_safe; /* --inplace safe */
    bool has_capacity; /* --capacity */
    uint64_t capacity;
    const char *tiers;                 /* --tiers FILE, or NULL */
    const struct sw_input *tiers_text; /* the same as a text that is there already, or NULL */
    const char *named; /* a path after which the graph is called when it has no name, in place of the input's; NULL */
    const char *order; /* --order FILE, or NULL */
    const struct sw_params *args; /* its settings are --arg KEY=VALUE, for programs; borrowed, or NULL */
    uint64_t *args_read;  /* for `load` itself, else NULL: several programs share the arguments. Each sets the bits of
                           * those that it reads, and what it does not read is no error of its own. */
    uint64_t *others;     /* for `load` itself, else NULL: a reader folds in what it reads of files beside the input */
    unsigned intervals;   /* --intervals: enum sw_intervals */
    unsigned kernels;     /* --kernels: enum sw_kernels */
    unsigned target;      /* --target: enum sw_target */
    unsigned capacity_of; /* --capacity-of: enum sw_capacity_of */
    bool per_subgraph;    /* --offline-offsets per-subgraph: of plans in TensorFlow Lite models */
    const char *array;    /* --array NAME: of a model in C or C++ source, or NULL */
    const char *device;   /* --device N: of a snapshot with several, or NULL: the one with the most events */
    const char *run;      /* --run N: of a trace with several runs, or NULL: the last */
    uint64_t first_bytes; /* of a large decision trace so much is read, and its first decision; the rest by
                             sw_trace_read_on. 0: all */
    const struct sw_demand *demands; /* of the run in a trace: what became of them is said at its decisions; borrowed */
    size_t demand_count;
    bool grows;                    /* the input is a trace that is being written: that there is no end yet is no news */
    const char *join;              /* --join LOG: what a runtime printed of the same model, or NULL */
    const char *then;              /* --then FILE: a table of requests that follow a moment of an allocator, or NULL */
    const struct sw_moment *after; /* for `load` itself: the moment that this table follows; NULL */
    const struct sw_params *dims;  /* --dim NAME=LENGTH and TENSOR:AXIS=LENGTH, for models; borrowed, or NULL */
    const struct sw_params
        *values; /* --value NAME=NUMBER, for inputs of models that steer what they do; borrowed, or NULL */
    bool trust;  /* --trust: programs run without limits */
    void (*print)(void *context, const char *line); /* what programs print; NULL: nowhere */
    void *print_context;
    void (*uses)(void *context, const char *path); /* every file that was read; NULL: nothing is called */
    void *uses_context;
};

/* Options that only some formats heed; with others they are errors. */
enum sw_heeds {
    SW_HEEDS_DIMS = 1,
    SW_HEEDS_JOIN = 2,
    SW_HEEDS_INTERVALS = 4,
    SW_HEEDS_OFFSETS = 8,
    SW_HEEDS_KERNELS = 16,
    SW_HEEDS_RUN = 32,
    SW_HEEDS_DEVICE = 64,
    SW_HEEDS_VALUES = 128
};

/* A file that an input names: the bytes of its path, as they stand there. False ends it. */
typedef bool sw_beside_fn(void *context, const char *path, size_t length, struct sw_error *);

struct sw_format;
struct sw_known_by;
typedef bool sw_script_read_fn(const struct sw_format *, const struct sw_input *, const struct sw_load_options *,
                               struct sw_builder *, struct sw_sink *, struct sw_error *);

struct sw_format {
    const char *name;       /* "buffers-csv" */
    const char *summary;    /* one sentence, with the meaning of its intervals */
    const char *extensions; /* ".csv .txt"; the first is the usual one */
    /* Is it this format? By content. NULL: not readable. */
    bool (*detect)(const struct sw_input *);
    /* Fill the builder. Of the options (NULL: none) a reader looks at those that it heeds. The error is never NULL; one
     * without a file is about this input. */
    bool (*read)(const struct sw_input *, const struct sw_load_options *, struct sw_builder *, struct sw_error *);
    unsigned heeds;       /* enum sw_heeds */
    bool may_be_large;    /* its reader takes an input of which only the beginning is in memory */
    uint64_t most_binary; /* of binary formats: no file of it has more bytes; 0: it is text */
    /* Or, for an input that stands for a text in another format: give that text. A program is run for it, a log of
     * decisions is rewritten as a decision trace. An error about that text is then put into words, and to a place, that
     * fit the input. */
    bool (*rewrite)(const struct sw_input *, const struct sw_load_options *, struct sw_sink *, struct sw_error *);
    void (*locate)(const struct sw_sink *, struct sw_error *);
    /* Or, of a reader that is a script: the words that its input is known by, its file, and what runs it, in place of
     * `detect`, and of `read` (then the sink is NULL) or `rewrite` (then the builder is). */
    const struct sw_known_by *words;
    const char *script;
    sw_script_read_fn *run;
    bool rewrites;     /* it makes a decision trace */
    bool is_program;   /* it is run, and gets --arg */
    const char *lacks; /* said of what was written where it does not hold all of the problem: "stacks, ..."; NULL: it is
                          found out */
    bool holds_moments; /* write_problem writes one moment of an allocator (problem/moment/moment.h) as well */
    bool lossless;      /* what write_problem writes reads back as the very same problem, always */
    /* The problem itself. NULL: not writable. */
    bool (*write_problem)(const struct sw_problem *, struct sw_sink *, struct sw_error *);
    /* A file of this format once more with its operators in another order, and every other byte as it was: order[k] is
     * the operator that runs at step k, by its number when `source` is read with these options. It has been found legal
     * for the problem; the file may still refuse it, and says why. NULL: it cannot. */
    bool (*write_order)(const struct sw_input *source, const struct sw_load_options *, const uint32_t *order,
                        uint32_t count, struct sw_sink *, struct sw_error *);
    /* The order in which the runtime of this format takes the operators by itself, without optimizing the model: its
     * default, or the one by priority. order[k] is the operator of step k by its number when the input is read with
     * these options (NULL: none), of which there are `count`. NULL: what it runs is the file's order. */
    bool (*runtime_order)(const struct sw_input *, const struct sw_load_options *, bool priority, uint32_t *order,
                          uint32_t count, struct sw_error *);
    /* The files that the input names and that must lie beside it, by their paths from its folder; one may come several
     * times. NULL: it is whole without others. */
    bool (*beside)(const struct sw_input *, sw_beside_fn *each, void *context, struct sw_error *);
    /* The plan of a run. NULL: cannot hold one. */
    bool (*write_plan)(const struct sw_result *, struct sw_sink *, struct sw_error *);
    bool holds_model; /* the plan is written with its model: it may be of one that the planner has changed */
    bool obeyed;      /* a runtime obeys the plan as it stands: one that assumes overwrites is refused */
    /* What is said of a plan that went into a file: for formats that are not read back. NULL: nothing. */
    bool (*say_plan)(const struct sw_result *, struct sw_sink *, struct sw_error *);
};
#define FORMAT(name, file) extern const struct sw_format name;
#define READER(name, file) extern const struct sw_format name;
#include "formats.def"
#undef FORMAT
#undef READER

/* A buffer of which a file tells the size and when it lives, both ends inside. */
static inline struct sw_buffer_spec sw_told_buffer(const char *name, uint64_t size, int64_t first, int64_t last) {
    return (struct sw_buffer_spec){.name = name,
                                   .kind = SW_KIND_INTERMEDIATE,
                                   .has_size = true,
                                   .size = size,
                                   .has_first = true,
                                   .has_last = true,
                                   .first = first,
                                   .last = last};
}

/* A note on what was read, made with printf. */
bool sw_notef(struct sw_builder *, struct sw_error *, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The same with this number alone, of type uint64_t; none for 0. */
bool sw_note_count(struct sw_builder *, struct sw_error *, uint64_t count, const char *format)
    __attribute__((format(printf, 4, 0)));

/* Is it this format? By content. */
bool sw_format_is(const struct sw_format *, const struct sw_input *);
bool sw_format_reads(const struct sw_format *);
/* What `read` and `rewrite` say, of whatever kind the reader is. The error must be zeroed. */
bool sw_format_read(const struct sw_format *, const struct sw_input *, const struct sw_load_options *,
                    struct sw_builder *, struct sw_error *);
bool sw_format_rewrites(const struct sw_format *);
bool sw_format_rewrite(const struct sw_format *, const struct sw_input *, const struct sw_load_options *,
                       struct sw_sink *, struct sw_error *);

/* One more, a user's own, which is asked before all others. It must live as long as it is in the table; NULL takes out
 * all that were added. False: no memory. */
bool sw_format_add(const struct sw_format *);
/* The input is in no format that is known: the message goes on with the names of those that were added. */
void sw_format_tell_added(struct sw_error *);
size_t sw_format_count(void);
const struct sw_format *sw_format_get(size_t);
const struct sw_format *sw_format_detect(const struct sw_input *, struct sw_error *);
/* The format that writes problems (or plans) to a name with this extension. */
const struct sw_format *sw_format_for_output(const char *path, bool plan, struct sw_error *);
/* Is it the plan of a model that its planner has changed? */
bool sw_plan_is_changed(const struct sw_result *);
/* The plan of a run in that format. Of a changed model only those that hold the model, too; else it is refused, for the
 * plan is of no file. */
bool sw_format_write_plan(const struct sw_format *, const struct sw_result *, struct sw_sink *, struct sw_error *);

/* The format with this extension, if it writes its files in another order (write_order); NULL: none. */
const struct sw_format *sw_format_ordered(const char *path);

/* What follows the last slash of a path, all of it when there is none; "" for NULL. */
const char *sw_path_name(const char *path);
/* Is it the name of a file of Lua? */
bool sw_path_is_lua(const char *path);

/* Open, detect, read, apply the options, build. `digest` (may be NULL) receives the input's (of a program or a log,
 * that of the text it stands for). Errors carry the file's name. */
struct sw_problem *sw_load(const char *path, const struct sw_load_options *, uint64_t *digest, struct sw_error *);

/* The text that an input stands for: its own bytes, or what it is rewritten to. `by` receives the format that rewrote
 * it, which can put errors about the text into words, or NULL. */
bool sw_load_text(const char *path, const struct sw_load_options *, struct sw_sink *, const struct sw_format **by,
                  struct sw_error *);

/* The same from an input that is open already. */
struct sw_problem *sw_load_input(const struct sw_input *, const struct sw_load_options *, struct sw_error *);

typedef void sw_plan_mismatch_fn(void *context, const char *buffer, const char *text);
/* A finished plan read back from CSV or JSON, matched to a problem by buffer name. Where plan and graph disagree about
 * a buffer's size or lifetime, `mismatch` hears of it and reading goes on, with the graph's word; NULL: it is an error.
 * A JSON plan may name its planner: then the graph is as that one sees it (the layout's problem), which for
 * token-sharing has other sizes. */
struct sw_layout *sw_plan_read(const char *path, const struct sw_problem *, uint64_t base,
                               sw_plan_mismatch_fn *mismatch, void *context, struct sw_error *);

#endif
