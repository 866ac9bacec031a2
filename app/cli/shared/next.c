/* What a summary ends with: commands for what one would do next. Each makes the run again that was summarized, with the
 * options that were given, and is quoted for a shell. */
#include "cli/options.h"
#include "base/base.h"
#include "cli/orders/order_parts.h"
#include "cli/shared/summary.h"
#include "command/session.h"
#include "planners/planner.h"
#include "problem/counter.h"

/* Can it be opened a second time? A stream is gone, and so is what stood behind a descriptor of our own. */
static bool lasts(const char *path) {
    return strcmp(path, "-") != 0 && strncmp(path, "/dev/", 5) != 0 && strncmp(path, "/proc/self/", 11) != 0;
}

/* Does the option change what comes out of a run? Those do that a plan and the explorer share, but for how it is told.
 */
static bool shapes_run(const struct sw_option *option) {
    unsigned both = SW_FOR_PLAN | SW_FOR_EXPLORE;
    return (option->commands & both) == both && strcmp(option->name, "format") != 0 &&
           strcmp(option->name, "progress") != 0;
}

/* Can a subcommand make the run of this command line again? */
static bool can_repeat(const struct sw_cli *cli, unsigned subcommand) {
    bool can = lasts(cli->files[0]);
    for (size_t i = 0; i < cli->told.count; i++) {
        const struct sw_told *told = &cli->told.items[i];
        const struct sw_option *option = sw_option_get(told->option);
        can = can && !(shapes_run(option) && !(option->commands & subcommand)) &&
              !(sw_option_takes_file(option) && !lasts(told->value));
    }
    return can;
}

/* A file that is called like a subcommand. */
static bool is_subcommand(const struct sw_cli *cli, const char *name) {
    bool is = false;
    for (size_t i = 1; i < cli->command_count; i++) {
        is = is || strcmp(cli->commands[i].name, name) == 0;
    }
    return is;
}

/* "stowage SUBCOMMAND FILE OPTION...". Of several runs with several seeds it is the one that was kept. */
static void put_repeated(const struct sw_cli *cli, const struct sw_result *result, const char *subcommand, bool planner,
                         struct sw_sink *out) {
    uint64_t seed = sw_search_params(result->search)->seed;
    bool other_seed = seed != cli->params.seed;
    sw_sink_printf(out, "stowage %s%s%s", subcommand, *subcommand ? " " : "",
                   !*subcommand && is_subcommand(cli, cli->files[0]) ? "./" : "");
    sw_sink_shell(out, cli->files[0]);
    for (size_t i = 0; i < cli->told.count; i++) {
        const struct sw_option *option = sw_option_get(cli->told.items[i].option);
        if (!shapes_run(option) || (!planner && strcmp(option->name, "planner") == 0) ||
            (other_seed && strcmp(option->name, "seed") == 0)) {
            continue;
        }
        if (option->letter) {
            sw_sink_printf(out, " -%c", option->letter);
        } else {
            sw_sink_printf(out, " --%s", option->name);
        }
        if (cli->told.items[i].value) {
            sw_sink_add(out, " ", 1);
            sw_sink_argument(out, cli->told.items[i].value);
        }
    }
    if (other_seed) {
        sw_sink_printf(out, " --seed %" PRIu64, seed);
    }
}

struct hints {
    const struct sw_cli *cli;
    const struct sw_result *result;
    struct sw_sink commands[4];
    const char *why[4];
    size_t count;
};

/* The same run by a subcommand; the caller may add to it. */
static struct sw_sink *begin_hint(struct hints *hints, const char *subcommand, bool planner, const char *why) {
    struct sw_sink *command = &hints->commands[hints->count];
    hints->why[hints->count++] = why;
    put_repeated(hints->cli, hints->result, subcommand, planner, command);
    return command;
}

/* One below the other, the reasons in a column. */
static void print_hints(struct hints *hints, struct sw_sink *out) {
    size_t widest = 0;
    for (size_t i = 0; i < hints->count; i++) {
        widest = hints->commands[i].text.count > widest ? hints->commands[i].text.count : widest;
    }
    for (size_t i = 0; i < hints->count; i++) {
        struct sw_sink *command = &hints->commands[i];
        size_t length = command->text.count;
        sw_sink_add(out, i == 0 ? "\nnext: " : "      ", i == 0 ? 7 : 6);
        sw_sink_add(out, command->text.items, length);
        sw_sink_printf(out, "%*s%s\n", (int)(widest - length) + 3, "", hints->why[i]);
        out->failed = out->failed || command->failed;
        sw_sink_done(command);
    }
}

/* The model in the order that was found, under the ending that it has. */
static bool hint_order(const struct sw_cli *cli, const struct sw_result *result, struct hints *hints) {
    const char *file = cli->files[0], *dot = strrchr(sw_path_name(file), '.');
    if (!sw_cli_reordered(result->search) || sw_search_planner(result->search)->rewrites ||
        !can_repeat(cli, SW_FOR_CONVERT)) {
        return false;
    }
    struct sw_sink *command = begin_hint(hints, "convert", true, "to write the model in this order");
    if (!sw_cli_given(cli, "planner")) {
        sw_sink_printf(command, " -p %s", sw_search_planner(result->search)->name);
    }
    sw_sink_printf(command, " -o better%s", dot && sw_format_ordered(file) ? dot : ".json");
    return true;
}

/* What the plan is to be called: where it is smaller than the one that the interpreter makes by itself, the model can
 * hold it. The model itself is never written over. */
static const char *name_of_plan(const struct sw_cli *cli, const struct sw_result *result, uint64_t interpreter) {
    struct sw_metrics metrics;
    sw_metrics_of(result->layout, &metrics);
    return interpreter <= sw_summary_in_interpreter(&metrics)           ? "plan.csv"
           : strcmp(sw_path_name(cli->files[0]), "planned.tflite") == 0 ? "better.tflite"
                                                                        : "planned.tflite";
}

/* Does a comparison of all planners have a row for that of this run? */
static bool has_compared_row(const struct sw_planner *planner) {
    bool built_in = false;
    for (size_t i = 0; i < sw_planner_built_in_count(); i++) {
        built_in = built_in || sw_planner_get(i) == planner;
    }
    return built_in && !planner->rewrites && (!planner->reorders || strcmp(planner->name, "order") == 0);
}

/* Has the model operators that could be computed in strips? */
static bool has_any_window(const struct sw_problem *problem) {
    bool has = false;
    for (uint32_t op = 0; op < sw_problem_operator_count(problem); op++) {
        has = has || sw_problem_operator(problem, op)->window != NULL;
    }
    return has;
}

/* A model that does not fit may be changed. What the capacity is of is said, as for fit it is the arena. */
static void hint_fit(const struct sw_cli *cli, const struct sw_result *result, struct hints *hints) {
    if (!cli->load.has_capacity || !has_any_window(sw_search_problem(result->search)) || !can_repeat(cli, SW_FOR_FIT)) {
        return;
    }
    struct sw_sink *command = begin_hint(hints, "fit", false, "to change the model so that it fits");
    if (!sw_cli_given(cli, "capacity-of")) {
        sw_sink_printf(command, " --capacity-of head");
    }
}

/* Can suggestions be of use? What an allocator reserves is another question. */
static bool is_above_bound(const struct sw_result *result) {
    struct sw_metrics metrics;
    sw_metrics_of(result->layout, &metrics);
    const struct sw_planner *planner = sw_search_planner(result->search);
    return metrics.complete && metrics.comparable && metrics.peak > metrics.lower_bound && !planner->rewrites &&
           !planner->reserves;
}

/* No plan in this order fits, whatever planner makes it. */
static bool bound_is_above_capacity(const struct sw_result *result) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    return sw_problem_tier_count(problem) == 1 &&
           sw_problem_lower_bound(problem) > sw_problem_tier(problem, 0)->capacity;
}

void sw_summary_next(const struct sw_cli *cli, const struct sw_result *result, uint64_t interpreter,
                     struct sw_sink *out) {
    struct hints hints = {.cli = cli, .result = result};
    bool infeasible = sw_cli_outcome(result) != SW_OUTCOME_FEASIBLE;
    if (cli->file_count == 0 || cli->no_hints || !lasts(cli->files[0])) {
        return;
    }
    bool session = sw_session_detect(cli->files[0]);
    if (!session && !infeasible && hint_order(cli, result, &hints)) {
        print_hints(&hints, out);
        return;
    }
    bool changed = sw_plan_is_changed(result);
    if (!session && !changed && result->optimal && !(sw_search_planner(result->search)->needs & SW_NEEDS_PLAN) &&
        can_repeat(cli, SW_FOR_PLAN)) {
        bool ordered = sw_problem_operator_count(sw_search_problem(result->search)) > 1;
        const char *why = ordered ? "to keep it; none is smaller in this order" : "to keep it; none is smaller";
        sw_sink_printf(begin_hint(&hints, "plan", true, why), " -o %s", name_of_plan(cli, result, interpreter));
        print_hints(&hints, out);
        return;
    }
    if (can_repeat(cli, SW_FOR_EXPLORE)) {
        begin_hint(&hints, "", true, "to see why");
    }
    bool hopeless = infeasible && bound_is_above_capacity(result);
    if (!session && is_above_bound(result) && can_repeat(cli, SW_FOR_SUGGEST)) {
        begin_hint(&hints, "suggest", true,
                   infeasible && !hopeless ? "to see what makes it fit" : "to see what lowers the peak");
    }
    if (!session && has_compared_row(sw_search_planner(result->search)) && can_repeat(cli, SW_FOR_COMPARE)) {
        begin_hint(&hints, "compare", false,
                   infeasible && !hopeless ? "to see which fits" : "to see which does better");
    }
    if (!session && !infeasible && changed && sw_problem_counter(sw_search_given(result->search)) &&
        can_repeat(cli, SW_FOR_PLAN)) {
        sw_sink_printf(begin_hint(&hints, "plan", true, "to write the changed model"), " -o %s.tflite",
                       strcmp(sw_path_name(cli->files[0]), "fitted.tflite") == 0 ? "smaller" : "fitted");
    }
    if (!session && infeasible) {
        hint_fit(cli, result, &hints);
    }
    print_hints(&hints, out);
}
