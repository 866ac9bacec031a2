/* stowage plan: run a planner to its end; print a summary, or write the plan. */
#include "cli/moment/moment_parts.h"
#include "cli/orders/order_parts.h"
#include "base/base.h"
#include "cli/report/cli_report.h"
#include "cli/shared/output.h"
#include "cli/shared/run.h"
#include "cli/shared/summary.h"
#include "formats/plans/finished_plan.h"
#include "planners/planner.h"
#include "problem/moment/moment.h"

/* How the plan leaves: as the name says, or for "-" and names that say nothing as --format does,
 * CSV by default. A plan as JSON is the summary, which holds it; `writer` is then NULL. */
static bool plan_writer(const struct sw_cli *cli, const struct sw_format **writer, struct sw_error *error) {
    enum sw_output named;
    const char *path = cli->output, *dot = strrchr(path, '.');
    *writer = NULL;
    if (sw_cli_given(cli, "format") && sw_output_of(path, &named) && named != cli->format) {
        return sw_fail(error, SW_ERROR_USAGE, "--format contradicts the name %s", path);
    }
    if (strcmp(path, "-") == 0 || (sw_cli_given(cli, "format") && (!dot || strchr(dot, '/')))) {
        path = cli->format == SW_OUTPUT_JSON ? "-.json" : "-.csv";
    }
    if (sw_output_of(path, &named) && named == SW_OUTPUT_JSON) {
        return true;
    }
    *writer = sw_format_for_output(path, true, error);
    return *writer != NULL;
}

/* 7 of 1000 bytes are not more than 0.7%, however that was rounded on the way. */
static bool is_above(double fraction, double limit) {
    return fraction > limit + 1e-12;
}

/* Two percentages that differ must not look the same. */
static void show_fractions(double fraction, double limit, char text[2][40]) {
    for (int digits = 1; digits <= 12; digits++) {
        snprintf(text[0], 40, "%.*f%%", digits, 100 * fraction);
        snprintf(text[1], 40, "%.*f%%", digits, 100 * limit);
        if (strcmp(text[0], text[1]) != 0) {
            return;
        }
    }
}

/* The memory with the largest peak: each is held against the gate. */
static uint32_t largest_tier(const struct sw_problem *problem, const struct sw_metrics *metrics) {
    uint32_t largest = 0;
    for (uint32_t t = 1; t < sw_problem_tier_count(problem); t++) {
        largest = metrics->tier_peak[t] > metrics->tier_peak[largest] ? t : largest;
    }
    return largest;
}

/* The gates of a script: false, and one line, when the plan is worse than they allow. */
static bool passes_gates(const struct sw_cli *cli, const struct sw_result *result, struct sw_error *error) {
    struct sw_metrics metrics;
    char peak[32], most[32], percent[2][40];
    sw_metrics_of(result->layout, &metrics);
    if (sw_cli_status(result) != 0) {
        return true; /* that it is no plan is said elsewhere */
    }
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    bool single = sw_problem_tier_count(problem) == 1;
    uint32_t largest = largest_tier(problem, &metrics);
    if (sw_cli_given(cli, "max-peak") && metrics.tier_peak[largest] > cli->max_peak) {
        sw_fail(error, SW_ERROR_INFEASIBLE, "the peak of %s B%s%s is above --max-peak %s B",
                sw_show_count(metrics.tier_peak[largest], peak), single ? "" : " in ",
                single ? "" : sw_problem_tier(problem, largest)->name, sw_show_count(cli->max_peak, most));
    } else if (sw_cli_given(cli, "max-fragmentation") && !metrics.comparable) {
        sw_fail(error, SW_ERROR_INFEASIBLE, "fragmentation cannot be measured for --max-fragmentation: %s",
                metrics.single_tier ? "the peak is below the lower bound"
                                    : "the plan is in several memories and the lower bound is one "
                                      "over all of them");
    } else if (sw_cli_given(cli, "max-fragmentation") && is_above(metrics.fragmentation, cli->max_fragmentation)) {
        show_fractions(metrics.fragmentation, cli->max_fragmentation, percent);
        sw_fail(error, SW_ERROR_INFEASIBLE, "%s of the peak is fragmentation, above --max-fragmentation %s", percent[0],
                percent[1]);
    } else {
        return true;
    }
    sw_error_at(error, cli->files[0], 0, 0);
    return false;
}

/* A runtime would run on overlaps that only an assumption makes right. */
static bool refuses_assumed(const struct sw_result *result, struct sw_error *error) {
    char text[200];
    const char *words = sw_plan_assumed_words(result, text, sizeof text);
    if (words && !*words) {
        return false;
    }
    return !(words ? sw_fail(error, SW_ERROR_INFEASIBLE, "the plan is not written: it%s", words + strlen("It"))
                   : sw_fail_memory(error));
}

/* Does the format hold the plan without the model in its new order? */
static bool leaves_order_out(const struct sw_format *writer) {
    return !writer->write_order && !writer->obeyed && !(writer->write_problem && writer->lossless);
}

static void print_found_order(const struct sw_cli *cli, const struct sw_result *result) {
    sw_cli_tell(SW_ERROR_UNSUPPORTED, cli->output,
                "note: this plan is for the model with its operators in another order; stowage convert FILE -p %s -o "
                "OUT writes that model",
                sw_search_planner(result->search)->name);
}

static int print_plan_summary(const struct sw_cli *cli, const struct sw_result *result, enum sw_output output) {
    struct sw_cli_report report;
    sw_cli_report_start(&report, output);
    if (sw_problem_goes_on(sw_search_problem(result->search)) && !cli->output) {
        sw_moment_next(result->search, &report);
    } else {
        sw_cli_summary(cli, result, &report);
    }
    return sw_cli_report_finish(cli, &report, sw_cli_status(result));
}

int sw_cli_write(struct sw_cli *cli, const struct sw_result *result) {
    struct sw_error error = {0};
    struct sw_sink out = {0};
    const struct sw_format *writer = NULL;
    int status = sw_cli_status(result);
    struct sw_claims claims;
    sw_search_claims(result->search, &claims);
    if (!cli->output) {
        return print_plan_summary(cli, result, cli->format);
    }
    if (!plan_writer(cli, &writer, &error)) {
        return sw_cli_fail(&error);
    }
    if (claims.no_addresses) {
        return sw_cli_tell(SW_ERROR_UNSUPPORTED, NULL, "%s places nothing: there is no plan to write",
                           sw_search_planner(result->search)->name);
    }
    if (!writer) {
        return print_plan_summary(cli, result, SW_OUTPUT_JSON);
    }
    if (status) { /* half a plan, or one that overflows, must not look like a plan */
        return status;
    }
    if (writer->obeyed && refuses_assumed(result, &error)) {
        sw_cli_fail(&error);
        return error.code == SW_ERROR_MEMORY ? 2 : 1;
    }
    /* What is said of it is made before it is written: what fails then leaves no file. */
    struct sw_sink said = {0};
    bool says = writer->say_plan && !sw_plan_is_changed(result) && strcmp(cli->output, "-") != 0;
    if (!sw_format_write_plan(writer, result, &out, &error) ||
        (says && (!writer->say_plan(result, &said, &error) || (said.failed && !sw_fail_memory(&error))))) {
        sw_sink_done(&said);
        sw_sink_done(&out);
        return sw_cli_fail(&error);
    }
    status = sw_cli_put(cli, &out, status);
    if (status == 0 && sw_cli_reordered(result->search) && !sw_search_planner(result->search)->rewrites &&
        leaves_order_out(writer)) {
        print_found_order(cli, result);
    }
    if (status == 0 && says && !sw_sink_commit(&said, "-", &error)) {
        status = sw_cli_fail(&error);
    }
    sw_sink_done(&said);
    return status;
}

/* What a gate refuses must not lie there as if it had passed; a summary is only read. */
static int put_plan(struct sw_cli *cli, const struct sw_result *result) {
    struct sw_error error = {0}, why = {0};
    bool passes = passes_gates(cli, result, &error);
    bool tells = sw_cli_status(result) == 1 && (cli->output || cli->format != SW_OUTPUT_TEXT);
    if (tells) { /* Found before the plan is written: what fails then leaves no file. */
        sw_summary_infeasible(result, &why);
        if (why.code == SW_ERROR_MEMORY) {
            return sw_cli_fail(&why);
        }
    }
    int status = passes || !cli->output ? sw_cli_write(cli, result) : 1;
    if (!passes && status != 2) {
        sw_cli_fail(&error);
        return 1;
    }
    if (tells && status == 1) {
        sw_cli_fail(&why);
    }
    return status;
}

int sw_cli_plan(struct sw_cli *cli) {
    struct sw_error error = {0};
    struct sw_result result;
    int status = 2;
    const struct sw_format *writer;
    if (cli->output && !plan_writer(cli, &writer, &error)) { /* before a long run, not after */
        return sw_cli_fail(&error);
    }
    struct sw_problem *problem = sw_cli_load(cli, NULL);
    if (problem && sw_problem_moment(problem)) {
        status = sw_cli_moment(cli, problem);
        sw_problem_unref(problem);
        return status;
    }
    bool many = cli->threads > 1;
    struct sw_search *search = !problem ? NULL
                               : many   ? sw_cli_race(cli, problem, &result)
                                        : sw_cli_search(cli, problem);
    if (search && !many && !sw_problem_goes_on(problem)) { /* else it is told decision by decision */
        sw_search_only_end(search);
    }
    if (search && (many || sw_cli_finish(cli, search, &result))) {
        status = put_plan(cli, &result);
    }
    sw_search_free(search);
    sw_problem_unref(problem);
    return status;
}
