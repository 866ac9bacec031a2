/* --help: for all commands and for each, made from the tables. */
#include "cli/options.h"
#include "cli/report/cli_report.h"
#include "base/base.h"

#define LEFT 27 /* the column in which explanations begin */
static void put_help_row(struct sw_sink *out, const char *term, const char *text) {
    int at = (int)strlen(term);
    sw_sink_printf(out, "%s", term);
    if (at >= LEFT) {
        sw_sink_printf(out, "\n");
        at = 0;
    }
    sw_sink_printf(out, "%*s", LEFT - at, "");
    sw_report_wrapped(out, text, LEFT, LEFT);
}

const char *sw_option_help(const struct sw_option *option, const struct sw_subcommand *command, char text[60]) {
    if (!command || strcmp(option->name, "format") != 0) {
        return option->help;
    }
    *text = '\0';
    for (unsigned i = 0; sw_option_words(option)[i]; i++) {
        if (i == 0 || command->formats & 1u << i) {
            bool last = command->formats >> i <= 1;
            sw_text_add(text, 60, "%s%s%s",
                        i == 0 ? ""
                        : last ? " or "
                               : ", ",
                        sw_option_words(option)[i], i == 0 ? " (default)" : "");
        }
    }
    return text;
}

static void option_row(struct sw_sink *out, const struct sw_option *option, const struct sw_subcommand *command) {
    char term[80], letter[8] = "    ", text[60];
    if (option->letter) {
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    }
    snprintf(term, sizeof term, "  %s--%s%s%s", letter, option->name, *option->argument ? " " : "", option->argument);
    put_help_row(out, term, sw_option_help(option, command, text));
}

static void option_rows(const struct sw_cli *cli, struct sw_sink *out, size_t command) {
    for (size_t i = 0; i < SW_OPTIONS; i++) {
        if (sw_option_get(i)->commands & 1u << command) {
            option_row(out, sw_option_get(i), &cli->commands[command]);
        }
    }
}

static void help_overview(const struct sw_cli *cli, struct sw_sink *out) {
    sw_sink_printf(out, "stowage: a debugger for memory planners\n\nusage:\n");
    for (size_t i = 0; i < cli->command_count; i++) {
        const struct sw_subcommand *command = &cli->commands[i];
        char term[80];
        snprintf(term, sizeof term, "  stowage%s%s %s", i ? " " : "", command->name, command->arguments);
        put_help_row(out, term, command->summary);
    }
    sw_sink_printf(out, "\noptions of the explorer; each command tells its own with --help:\n");
    option_rows(cli, out, 0);
    put_help_row(out, "  -h, --help", "this, or after a command its options and examples");
    put_help_row(out, "      --version", "the version");
    sw_sink_printf(out, "\nexit status: 0 done; 1 infeasible or undecided, or a check or comparison\n"
                        "failed; 2 bad usage or input, after one line on standard error\n");
}

void sw_help(const struct sw_cli *cli, const struct sw_subcommand *command, struct sw_sink *out) {
    if (!command) {
        help_overview(cli, out);
        return;
    }
    size_t at = (size_t)(command - cli->commands);
    sw_sink_printf(out, "usage: stowage%s%s %s [OPTION...]\n\n", at ? " " : "", command->name, command->arguments);
    sw_report_wrapped(out, command->summary, 0, 0);
    sw_sink_printf(out, "\n%s\noptions:\n", command->help);
    option_rows(cli, out, at);
    if (at == SW_AT_DIFF) {
        put_help_row(
            out, "      --old-OPTION, --new-OPTION",
            "the option of that side alone, any that changes how a model is read or planned: --new-planner NAME");
    }
    put_help_row(out, "  -h, --help", "this");
}
