/* The options: one table, options.def, from which the parser, --help, `list options` and the completion are made. */
#ifndef SW_CLI_OPTIONS_H
#define SW_CLI_OPTIONS_H

#include "cli/cli.h"
#include "formats/settings/value.h"

/* The subcommands, in the order of their table in cli.c. An option has a bit for each that it belongs to. */
#define SW_SUBCOMMANDS \
    X(EXPLORE)         \
    X(PLAN)            \
    X(TRACE)           \
    X(COMPARE)         \
    X(CHECK) X(EXPORT) X(DIFF) X(CONVERT) X(LIST) X(RUN) X(ATTACH) X(TUNE) X(FIT) X(SUGGEST) X(GATE) X(SURVEY)
enum {
#define X(name) SW_AT_##name,
    SW_SUBCOMMANDS
#undef X
};
enum {
#define X(name) SW_FOR_##name = 1 << SW_AT_##name,
    SW_SUBCOMMANDS
#undef X
        SW_OF_A_SIDE = 1 << 30 /* no subcommand: diff takes it for one side as well, --old-NAME and --new-NAME */
};

struct sw_option;
/* Reads the value of an option of a form of its own; what it must not be is false, and no error. */
typedef bool sw_option_take_fn(const struct sw_option *, struct sw_cli *, const char *value, struct sw_error *);
struct sw_option {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* "BYTES"; "": it takes none */
    unsigned commands;    /* SW_FOR_... */
    bool repeats;         /* may be given more than once */
    const char *help;     /* one sentence */
    struct sw_value_type type;
    size_t at;                /* where its field is in struct sw_cli, or which load option it is */
    sw_option_take_fn *own;   /* reads the value in place of the type; NULL */
    const char *const *words; /* for completion, beside those of the type; NULL */
    const char *topic;        /* of `list`, that completes it; NULL */
};
enum {
    SW_OPTIONS = 0
#define X(...) +1
#include "cli/options.def"
#undef X
};
const struct sw_option *sw_option_get(size_t);
/* What it is called on the command line: number at % SW_OPTIONS, as one of both sides, of the old or of the new one;
 * NULL: it is not for a side. */
enum { SW_OPTION_NAMES = 3 * SW_OPTIONS };
const char *sw_option_spelled(size_t at);
size_t sw_option_find(const char *name); /* "seed", "old-seed", or its letter; SW_OPTIONS: there is none */
/* Store the value (NULL when it takes none). */
bool sw_option_take(const struct sw_option *, struct sw_cli *, const char *value, struct sw_error *);
bool sw_option_loads(const struct sw_option *); /* it is about how a model is read */
bool sw_option_takes_file(const struct sw_option *);
/* What the value may be, as far as these are words; NULL: none. */
const char *const *sw_option_words(const struct sw_option *);

/* Its sentence of help; of --format, of a command, what that has, which is put into `text`. */
const char *sw_option_help(const struct sw_option *, const struct sw_subcommand *, char text[60]);

/* What the words of a command line are, before it is known what they mean together. */
struct sw_cli_words {
    const char **operands; /* room for argc of them */
    size_t count;
    bool literal; /* the first operand came after "--": it is a file, whatever its name */
    bool help, version;
};
/* Parse into `cli` and `words`; the two --help and --version are not in the table. */
bool sw_options_parse(int argc, char **argv, struct sw_cli *, struct sw_cli_words *, struct sw_error *);

/* Print the help of a subcommand, or of all for NULL. Of the table entry 0 is the explorer, which has no name. */
void sw_help(const struct sw_cli *, const struct sw_subcommand *, struct sw_sink *);

/* ---- option_texts.c: types of options that have a form of their own, OWN_TAKE in options.def ---- */

/* "A:B", "A:B:BY", or up to SW_STEPS_LISTED steps, rising, with commas between; the last may be "end". */
sw_option_take_fn sw_take_steps;
sw_option_take_fn sw_take_screen;                /* "WxH" */
sw_option_take_fn sw_take_size;                  /* the same, or a name */
sw_option_take_fn sw_take_time, sw_take_address; /* "A:B" */
sw_option_take_fn sw_take_max_fragmentation;     /* "10%" */
sw_option_take_fn sw_take_tolerance;             /* "4K", "1.5%" */
sw_option_take_fn sw_take_view, sw_take_reader;
sw_option_take_fn sw_take_shard;                                  /* "I/N", "auto", "auto/N" */
sw_option_take_fn sw_take_moves;                                  /* "strips,order" */
extern const char *const sw_page_names[], *const sw_move_words[]; /* NULL-ended */

#endif
