/* From the words of a command line to options and operands: getopt_long over the table of options. */
#include "cli/options.h"
#include "base/base.h"

#include <getopt.h>

enum { OPTION_BASE = 1000, OPTION_HELP = 900, OPTION_VERSION };

static void getopt_tables(struct option longs[SW_OPTION_NAMES + 3], char shorts[2 * SW_OPTIONS + 8]) {
    /* '-': operands come in their order among the options; ':': we speak about errors ourselves. */
    size_t at = 0, count = 0;
    shorts[at++] = '-';
    shorts[at++] = ':';
    shorts[at++] = 'h';
    for (size_t i = 0; i < SW_OPTION_NAMES; i++) {
        const struct sw_option *option = sw_option_get(i % SW_OPTIONS);
        const char *name = sw_option_spelled(i);
        if (name) {
            int argument = *option->argument ? required_argument : no_argument;
            longs[count++] = (struct option){name, argument, NULL, OPTION_BASE + (int)i};
        }
        if (option->letter && i < SW_OPTIONS) {
            shorts[at++] = option->letter;
            if (*option->argument) {
                shorts[at++] = ':';
            }
        }
    }
    shorts[at] = '\0';
    longs[count++] = (struct option){"help", no_argument, NULL, OPTION_HELP};
    longs[count++] = (struct option){"version", no_argument, NULL, OPTION_VERSION};
    longs[count] = (struct option){NULL, 0, NULL, 0};
}

/* What getopt disliked: it tells too little, so look at the word again. */
static bool explain_refusal(const char *word, int letter, bool missing, struct sw_error *error) {
    if (word && strncmp(word, "--", 2) == 0 && word[2]) {
        size_t length = strcspn(word + 2, "=");
        unsigned matches = 0;
        char list[1024] = "", name_typed[64];
        const char *like = NULL;
        snprintf(name_typed, sizeof name_typed, "%.*s", (int)length, word + 2);
        for (size_t i = 0; i < SW_OPTION_NAMES + 2; i++) {
            const char *name = i < SW_OPTION_NAMES ? sw_option_spelled(i) : i == SW_OPTION_NAMES ? "help" : "version";
            if (!name) {
                continue;
            }
            like = sw_word_nearer(name_typed, like, name);
            if (strncmp(name, word + 2, length) == 0) {
                SW_TEXT_ADD(list, "%s--%s", matches ? ", " : "", name);
                matches++;
            }
        }
        if (missing) {
            return sw_fail(error, SW_ERROR_USAGE, "option %s needs a value", word);
        }
        if (matches > 1) {
            return sw_fail(error, SW_ERROR_USAGE, "option %s is ambiguous: %s", word, list);
        }
        if (letter >= OPTION_HELP) {
            return sw_fail(error, SW_ERROR_USAGE, "option --%.*s takes no value", (int)length, word + 2);
        }
        return like ? sw_fail(error, SW_ERROR_USAGE, "unknown option %s; did you mean --%s?", word, like)
                    : sw_fail(error, SW_ERROR_USAGE, "unknown option %s (see: stowage --help)", word);
    }
    return missing ? sw_fail(error, SW_ERROR_USAGE, "option -%c needs a value", letter)
                   : sw_fail(error, SW_ERROR_USAGE, "unknown option -%c (see: stowage --help)", letter);
}

/* What is said of one side is taken when that side is made (shared/sides.c). */
static bool take_option(size_t at, struct sw_cli *cli, struct sw_error *error) {
    const struct sw_option *option = sw_option_get(at % SW_OPTIONS);
    struct sw_told told = {at % SW_OPTIONS, (unsigned char)(at / SW_OPTIONS), *option->argument ? optarg : NULL};
    for (size_t i = 0; i < cli->told.count && !option->repeats; i++) {
        if (cli->told.items[i].option == told.option && cli->told.items[i].side == told.side) {
            return sw_fail(error, SW_ERROR_USAGE, "option --%s is given twice", sw_option_spelled(at));
        }
    }
    return (told.side || sw_option_take(option, cli, told.value, error)) &&
           (SW_PUSH(&cli->told, told) || sw_fail_memory(error));
}

bool sw_options_parse(int argc, char **argv, struct sw_cli *cli, struct sw_cli_words *words, struct sw_error *error) {
    struct option longs[SW_OPTION_NAMES + 3];
    char shorts[2 * SW_OPTIONS + 8];
    getopt_tables(longs, shorts);
    opterr = 0;
    optind = 0; /* start afresh, also when called again */
    for (;;) {
        const char *word = argv[optind ? optind : 1];
        int got = getopt_long(argc, argv, shorts, longs, NULL);
        if (got == -1) {
            break;
        }
        if (got == 1) {
            words->operands[words->count++] = optarg;
        } else if (got == OPTION_HELP || got == 'h') {
            words->help = true;
        } else if (got == OPTION_VERSION) {
            words->version = true;
        } else if (got == '?' || got == ':') {
            return explain_refusal(word, optopt, got == ':', error);
        } else {
            size_t at = got >= OPTION_BASE ? (size_t)(got - OPTION_BASE) : sw_option_find((char[]){(char)got, 0});
            if (!take_option(at, cli, error)) {
                return false;
            }
        }
    }
    words->literal = words->count == 0;
    while (optind < argc) {
        words->operands[words->count++] = argv[optind++];
    }
    return true;
}
