/* The table of options, made from options.def, and how the value of one gets into its field. */
#include "cli/options.h"
#include "base/base.h"
#include "formats/settings/load_options.h"
#include "lua/config.h"

/* ---- the columns of options.def ---- */

enum {
#define X(name) name = SW_FOR_##name,
    SW_SUBCOMMANDS
#undef X
        RUNNERS = EXPLORE | ATTACH | PLAN | TRACE | COMPARE | EXPORT | DIFF | SUGGEST | GATE | SW_OF_A_SIDE,
    LOADS = RUNNERS | CHECK | CONVERT | FIT | SURVEY,
    RUNS_TO_END = EXPLORE | ATTACH | PLAN | COMPARE | TRACE | EXPORT | DIFF | GATE,
    PICTURES = EXPORT | COMPARE | DIFF | FIT,
    SAYS = EXPLORE | ATTACH | PLAN | COMPARE | CHECK | DIFF | LIST | TUNE | FIT | SUGGEST | GATE | SURVEY,
    WRITES = ATTACH | PLAN | TRACE | COMPARE | CHECK | EXPORT | DIFF | CONVERT | LIST | RUN | TUNE | FIT | SUGGEST |
             GATE | SURVEY
};
enum { ONCE, REPEATS };

/* Where a field of struct sw_cli is. One of another type does not compile. */
#define FIELD_OF(field) __typeof__(((struct sw_cli *)0)->field)
#define FIELD(type, field) \
    (offsetof(struct sw_cli, field) + 0 * sizeof(char[__builtin_types_compatible_p(type, FIELD_OF(field)) ? 1 : -1]))
#define OPTION_WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define FLAG(field) {.kind = SW_VALUE_FLAG}, .at = FIELD(bool, field)
#define TEXT(field) {.kind = SW_VALUE_TEXT}, .at = FIELD(const char *, field)
#define NAME(field, what, ...) \
    {.kind = SW_VALUE_TEXT, .least = 1, .wanted = what}, .at = FIELD(const char *, field), ##__VA_ARGS__
#define PATH(field, what, ...) \
    {.kind = SW_VALUE_FILE, .least = 1, .wanted = what}, .at = FIELD(const char *, field), ##__VA_ARGS__
#define BYTES(field, low)                                                                     \
    {.kind = SW_VALUE_BYTES, .size = 8, .least = low, .wanted = "a number of bytes, from 1"}, \
        .at = FIELD(uint64_t, field)
#define COUNTED(field, low, high, what)                                                                    \
    {.kind = SW_VALUE_COUNT, .size = sizeof(FIELD_OF(field)), .least = low, .most = high, .wanted = what}, \
        .at = offsetof(struct sw_cli, field)
#define REAL_NUMBER(field, from, to, what) \
    {.kind = SW_VALUE_REAL, .low = from, .high = to, .wanted = what}, .at = FIELD(double, field)
#define WORD(field, some) \
    {.kind = SW_VALUE_WORD, .size = sizeof(FIELD_OF(field)), .words = some}, .at = offsetof(struct sw_cli, field)
#define SETTING(field, what, ...) \
    {.kind = SW_VALUE_SETTING, .wanted = what}, .at = FIELD(struct sw_params, field), ##__VA_ARGS__
#define LOAD(field) {.wanted = NULL}, .at = SW_LOAD_OPTION_##field, .own = take_load
#define PLUGIN(field, which)                                                                            \
    {.kind = SW_VALUE_FILE, .least = which, .wanted = "the name of a file, or of a script that ships"}, \
        .at = FIELD(const char *, field), .own = take_plugin
#define OWN_TAKE(function, what, ...) {.wanted = what}, .own = sw_take_##function, ##__VA_ARGS__
#define PATHS(function) {.kind = SW_VALUE_FILE}, .own = sw_take_##function

static sw_option_take_fn take_load;
/* A path, or the name of a script that ships, which becomes its path; "none" is what is built in. */
static bool take_plugin(const struct sw_option *option, struct sw_cli *cli, const char *value, struct sw_error *error) {
    struct sw_error why;
    char *path = cli->shipped[option->type.least];
    if (!*value) {
        return sw_fail(error, SW_ERROR_USAGE, "--%s '': expected %s", option->name, option->type.wanted);
    }
    bool found = sw_lua_plugin_path((enum sw_lua_plugin)option->type.least, value, path, sizeof cli->shipped[0], &why);
    *(const char **)((char *)cli + option->at) = strcmp(value, "none") == 0 ? NULL : path;
    return found || strcmp(value, "none") == 0 || sw_fail(error, SW_ERROR_USAGE, "--%s: %s", option->name, why.message);
}

static const struct sw_option options[SW_OPTIONS] = {
#define X(name, letter, argument, subcommands, repeats, type, help) \
    {name, letter, argument, subcommands, repeats, help, type},
#include "cli/options.def"
#undef X
};

static bool take_load(const struct sw_option *option, struct sw_cli *cli, const char *value, struct sw_error *error) {
    char name[48];
    snprintf(name, sizeof name, "--%s", option->name);
    return sw_load_options_take(&cli->load, (enum sw_load_option)option->at, name, value, error);
}

const struct sw_option *sw_option_get(size_t at) {
    return at < SW_OPTIONS ? &options[at] : NULL;
}

const char *sw_option_spelled(size_t at) {
#define X(name, ...) name,
#define OLD(name, ...) "old-" name,
#define NEW_SIDE(name, ...) "new-" name,
    static const char *const names[3][SW_OPTIONS] = {{
#include "cli/options.def"
#undef X
#define X OLD
                                                     },
                                                     {
#include "cli/options.def"
#undef X
#define X NEW_SIDE
                                                     },
                                                     {
#include "cli/options.def"
#undef X
                                                     }};
    size_t side = at / SW_OPTIONS, option = at % SW_OPTIONS;
    return side == 0 || options[option].commands & SW_OF_A_SIDE ? names[side][option] : NULL;
}

size_t sw_option_find(const char *name) {
    for (size_t at = 0; at < SW_OPTION_NAMES; at++) {
        const char *known = sw_option_spelled(at);
        if (known &&
            (strcmp(known, name) == 0 || (name[0] && !name[1] && options[at % SW_OPTIONS].letter == name[0]))) {
            return at % SW_OPTIONS;
        }
    }
    return SW_OPTIONS;
}

bool sw_cli_given(const struct sw_cli *cli, const char *option) {
    bool given = false;
    for (size_t i = 0; i < cli->told.count; i++) {
        given |= strcmp(sw_option_get(cli->told.items[i].option)->name, option) == 0;
    }
    return given;
}

static const struct sw_value_type *option_type(const struct sw_option *option) {
    return option->own == take_load ? sw_load_option_type((enum sw_load_option)option->at) : &option->type;
}

bool sw_option_loads(const struct sw_option *option) {
    return option->own == take_load;
}

bool sw_option_takes_file(const struct sw_option *option) {
    return option_type(option)->kind == SW_VALUE_FILE;
}

const char *const *sw_option_words(const struct sw_option *option) {
    return option->words ? option->words : option_type(option)->words;
}

bool sw_option_take(const struct sw_option *option, struct sw_cli *cli, const char *value, struct sw_error *error) {
    char name[48];
    snprintf(name, sizeof name, "--%s", option->name);
    bool good = option->own ? option->own(option, cli, value, error)
                            : sw_value_take(&option->type, name, value, (char *)cli + option->at, error);
    return good || (!error->code && sw_value_refuse(name, value, option->type.wanted, error));
}

struct sw_config *sw_cli_config(const struct sw_cli *cli, bool usual, struct sw_error *error) {
    char path[4096];
    struct sw_config *config = SW_NEW_ZERO(struct sw_config, 1);
    bool none = cli->config ? strcmp(cli->config, "none") == 0 : !usual || !sw_config_path(path, sizeof path);
    bool good =
        config ? none || sw_config_read(cli->config ? cli->config : path, config, error) : sw_fail_memory(error);
    if (!good) {
        sw_cli_config_free(config);
    }
    return good ? config : NULL;
}

void sw_cli_config_free(struct sw_config *config) {
    if (config) {
        sw_config_done(config);
        SW_FREE(config, 1);
    }
}
