/* The options: one table, options.def, from which the parser, --help, `list options` and the completion are made. */
#ifndef SW_CLI_OPTIONS_H
#define SW_CLI_OPTIONS_H

#include "cli/cli.h"
#include "formats/settings/value.h"

/* Which subcommands an option belongs to: bit k for entry k of the table of subcommands. */
enum {
    SW_FOR_EXPLORE = 1,
    SW_FOR_PLAN = 2,
    SW_FOR_TRACE = 4,
    SW_FOR_COMPARE = 8,
    SW_FOR_CHECK = 16,
    SW_FOR_EXPORT = 32,
    SW_FOR_DIFF = 64,
    SW_FOR_CONVERT = 128,
    SW_FOR_LIST = 256,
    SW_FOR_RUN = 512,
    SW_FOR_ATTACH = 1024,
    SW_FOR_TUNE = 2048,
    SW_FOR_FIT = 4096
};

struct sw_option {
    const char *name;
    char letter;          /* 0: none */
    const char *argument; /* "BYTES"; "": it takes none */
    unsigned commands;    /* SW_FOR_... */
    bool repeats;         /* may be given more than once */
    const char *help;     /* one sentence */
    struct sw_value_type type;
    size_t at, has; /* where its field is in struct sw_cli, or which load option it is; where the bool is that it was
                       given, or 0 */
    /* Of a type of its own, and of none else: false, and no error, is a value as the type does not want it. */
    bool (*own)(const struct sw_option *, struct sw_cli *, const char *value, struct sw_error *);
    const char *const *words; /* for completion, beside those of the type; NULL */
    const char *topic;        /* of `list`, that completes it; NULL */
};
size_t sw_option_count(void);
const struct sw_option *sw_option_get(size_t);
size_t sw_option_find(const char *name); /* "seed", or its letter; the count: there is none */
/* Store the value (NULL when it takes none). */
bool sw_option_take(const struct sw_option *, struct sw_cli *, const char *value, struct sw_error *);
bool sw_option_takes_file(const struct sw_option *);
/* What the value may be, as far as these are words; NULL: none. */
const char *const *sw_option_words(const struct sw_option *);

/* What the words of a command line are, before it is known what they mean together. */
struct sw_words {
    const char **operands; /* room for argc of them */
    size_t count;
    bool literal; /* the first operand came after "--": it is a file, whatever its name */
    bool help, version;
    sw_given given; /* bit k: option k of the table was given */
};
/* Parse into `cli` and `words`; the two --help and --version are not in the table. */
bool sw_options_parse(int argc, char **argv, struct sw_cli *, struct sw_words *, struct sw_error *);

/* Print the help of a subcommand, or of all for NULL. Of the table entry 0 is the explorer, which has no name. */
void sw_help(const struct sw_cli *, const struct sw_subcommand *, struct sw_sink *);

#endif
