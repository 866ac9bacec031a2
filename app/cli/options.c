/* The table of options, made from options.def, and how the value of one gets into its field. */
#include "cli/options.h"
#include "cli/option_texts.h"
#include "formats/settings/load_options.h"
#include "lua/config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the columns of options.def ---- */

enum {
#define S(name) name = SW_FOR_##name
    S(EXPLORE),
    S(PLAN),
    S(TRACE),
    S(COMPARE),
    S(CHECK),
    S(EXPORT),
    S(DIFF),
    S(CONVERT),
    S(LIST),
    S(RUN),
    S(ATTACH),
    S(TUNE),
    S(FIT),
#undef S
    RUNS = EXPLORE | ATTACH | PLAN | TRACE | COMPARE | EXPORT | DIFF,
    LOADS = RUNS | CHECK | CONVERT | FIT,
    ENDS = EXPLORE | ATTACH | PLAN | COMPARE | TRACE | EXPORT | DIFF,
    PICTURES = EXPORT | COMPARE | DIFF | FIT,
    SAYS = EXPLORE | ATTACH | PLAN | COMPARE | CHECK | DIFF | LIST | TUNE | FIT,
    WRITES = ATTACH | PLAN | TRACE | COMPARE | CHECK | EXPORT | DIFF | CONVERT | LIST | RUN | TUNE | FIT
};
enum { ONCE, REPEATS };

/* Where a field of struct sw_cli is. One of another type does not compile. */
#define OF(field) __typeof__(((struct sw_cli *)0)->field)
#define FIELD(type, field) \
    (offsetof(struct sw_cli, field) + 0 * sizeof(char[__builtin_types_compatible_p(type, OF(field)) ? 1 : -1]))
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})
#define FLAG(field) {.kind = SW_VALUE_FLAG}, .at = FIELD(bool, field)
#define TEXT(field) {.kind = SW_VALUE_TEXT}, .at = FIELD(const char *, field)
#define NAME(field, what, ...) \
    {.kind = SW_VALUE_TEXT, .least = 1, .wanted = what}, .at = FIELD(const char *, field), ##__VA_ARGS__
#define BYTES(field, low, ...)                                                                \
    {.kind = SW_VALUE_BYTES, .size = 8, .least = low, .wanted = "a number of bytes, from 1"}, \
        .at = FIELD(uint64_t, field), ##__VA_ARGS__
#define COUNT(field, low, high, what, ...)                                                           \
    {.kind = SW_VALUE_COUNT, .size = sizeof(OF(field)), .least = low, .most = high, .wanted = what}, \
        .at = offsetof(struct sw_cli, field), ##__VA_ARGS__
#define REAL(field, from, to, what) \
    {.kind = SW_VALUE_REAL, .low = from, .high = to, .wanted = what}, .at = FIELD(double, field)
#define WORD(field, some, ...)                                                                               \
    {.kind = SW_VALUE_WORD, .size = sizeof(OF(field)), .words = some}, .at = offsetof(struct sw_cli, field), \
                                                                       ##__VA_ARGS__
#define SETTING(field, what, ...) \
    {.kind = SW_VALUE_SETTING, .most = 1, .wanted = what}, .at = FIELD(struct sw_params, field), ##__VA_ARGS__
#define LOAD(field) {.kind = SW_VALUE_OWN}, .at = SW_LOAD_OPTION_##field
#define PLUGIN(field, which)                                                                           \
    {.kind = SW_VALUE_OWN, .least = which, .wanted = "the name of a file, or of a script that ships"}, \
        .at = FIELD(const char *, field), .own = take_plugin
#define OWN(function, what, ...) {.kind = SW_VALUE_OWN, .wanted = what}, .own = sw_take_##function, ##__VA_ARGS__

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

static const struct sw_option options[] = {
#define X(name, letter, argument, subcommands, repeats, type, help) \
    {name, letter, argument, subcommands, repeats, help, type},
#include "cli/options.def"
#undef X
};
#define OPTIONS (sizeof options / sizeof *options)
_Static_assert(OPTIONS <= 8 * sizeof(sw_given), "a bit for each option");

size_t sw_option_count(void) {
    return OPTIONS;
}

const struct sw_option *sw_option_get(size_t at) {
    return at < OPTIONS ? &options[at] : NULL;
}

size_t sw_option_find(const char *name) {
    size_t at = 0;
    while (at < OPTIONS && strcmp(options[at].name, name) != 0 &&
           !(name[0] && !name[1] && options[at].letter == name[0])) {
        at++;
    }
    return at;
}

bool sw_cli_given(const struct sw_cli *cli, const char *option) {
    size_t at = sw_option_find(option);
    return at < OPTIONS && (cli->given >> at & 1);
}

bool sw_option_takes_file(const struct sw_option *option) {
    return strstr(option->argument, "FILE") || strstr(option->argument, "LOG") || strstr(option->argument, "DIR");
}

const char *const *sw_option_words(const struct sw_option *option) {
    bool load = option->type.kind == SW_VALUE_OWN && !option->own;
    return option->words ? option->words
           : load        ? sw_load_option_type((enum sw_load_option)option->at)->words
                         : option->type.words;
}

bool sw_option_take(const struct sw_option *option, struct sw_cli *cli, const char *value, struct sw_error *error) {
    struct sw_error why = {0};
    char *field = (char *)cli + option->at;
    if (option->has) {
        *(bool *)((char *)cli + option->has) = true;
    }
    bool good = option->own ? option->own(option, cli, value, &why)
                : option->type.kind == SW_VALUE_OWN
                    ? sw_load_options_take(&cli->load, (enum sw_load_option)option->at, value, &why)
                    : sw_value_take(&option->type, option->name, value, field, &why);
    bool whole = why.code == SW_ERROR_MEMORY || (option->own && why.code); /* it has said all */
    if (!good && !why.code) {
        sw_value_refuse(option->name, value, option->type.wanted, &why);
    }
    return good || sw_fail(error, why.code, "%s%s", whole ? "" : "--", why.message);
}

bool sw_cli_config(const struct sw_cli *cli, bool usual, struct sw_config *config, struct sw_error *error) {
    char path[4096];
    if (cli->config) {
        return strcmp(cli->config, "none") == 0 || sw_config_read(cli->config, config, error);
    }
    return !usual || !sw_config_path(path, sizeof path) || sw_config_read(path, config, error);
}
