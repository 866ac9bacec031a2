/* stowage suggest: what lowers the peak of a run, each move made before it is told. */
#include "base/base.h"
#include "cli/report/cli_report.h"
#include "cli/shared/output.h"
#include "cli/shared/run.h"
#include "planners/planner.h"
#include "suggest/suggest.h"
#include "view/suggest/suggest_words.h"

enum { SUGGESTIONS_SHOWN = 10, SUGGEST_SLICE = 2000000 };

struct suggest_told {
    const struct sw_cli *cli;
    const struct sw_search *run;
    const struct sw_suggest *suggest;
    struct sw_suggest_state state;
    bool bounded, fits; /* its tier has a capacity; the run keeps to it */
    uint64_t capacity;
};

/* ---- JSON ---- */

static void put_suggestion_json(const struct suggest_told *told, const struct sw_suggestion *of,
                                struct sw_json_out *json) {
    struct sw_sink text = {0}, why = {0};
    sw_put_object(json, NULL);
    sw_put_text(json, "kind", sw_suggest_kind_name(of->kind));
    SW_PUT_COUNTS(json, {"peak", of->peak}, {"lower_bound", of->bound});
    sw_put_known(json, "saved", told->state.ended, of->saved);
    sw_put_truth(json, "fits", of->fits);
    sw_put_number(json, "goal", of->goal);
    sw_put_known(json, "before", of->before > 0, of->before);
    sw_put_list(json, "commands");
    sw_suggest_put_commands(told->run, told->cli->base, of, "\n", &text);
    sw_sink_add(&text, "", 1);
    json->out->failed |= text.failed;
    char *end = text.text.items;
    for (char *line = text.failed ? NULL : strtok_r(end, "\n", &end); line; line = strtok_r(NULL, "\n", &end)) {
        sw_put_text(json, NULL, line);
    }
    sw_put_end(json);
    sw_suggest_put_why(told->suggest, told->cli->base, of, &why);
    sw_sink_add(&why, "", 1);
    json->out->failed |= why.failed;
    sw_put_text(json, "why", why.failed || !*why.text.items ? NULL : why.text.items);
    SW_PUT_COUNTS(json, {"moved", of->moved}, {"blocks_elsewhere", of->why.others});
    sw_put_list(json, "largest_elsewhere");
    for (uint32_t i = 0; i < of->why.others && i < SW_WHY_MOVED; i++) {
        sw_put_text(json, NULL, sw_problem_buffer(sw_search_problem(told->run), of->why.moved[i])->name);
    }
    sw_put_end(json);
    sw_put_text(json, "runs_again",
                of->again == SW_NONE ? NULL : sw_problem_operator(sw_search_given(told->run), of->again)->name);
    sw_put_end(json);
    sw_sink_done(&text);
    sw_sink_done(&why);
}

static void put_suggest_json(const struct suggest_told *told, struct sw_json_out *json) {
    const struct sw_suggest_state *state = &told->state;
    sw_put_object(json, NULL);
    sw_put_text(json, "graph", sw_problem_name(sw_search_given(told->run)));
    sw_put_text(json, "planner", sw_search_planner(told->run)->name);
    sw_put_known(json, "peak", state->ended, state->peak);
    sw_put_text(json, "tier", sw_problem_tier(sw_search_given(told->run), state->tier)->name);
    sw_put_count(json, "lower_bound", state->bound);
    sw_put_text(json, "minimizes", sw_suggest_goal_name(state));
    sw_put_number(json, "goal", state->goal);
    sw_put_known(json, "capacity", told->bounded, told->capacity);
    sw_put_truth(json, "fits", told->fits);
    sw_put_list(json, "suggestions");
    sw_put_lines(json);
    for (size_t i = 0; i < sw_suggest_count(told->suggest); i++) {
        put_suggestion_json(told, sw_suggest_get(told->suggest, i), json);
    }
    sw_put_end(json);
    sw_put_object(json, "tried");
    for (enum sw_suggest_kind k = SW_SUGGEST_PIN; k < SW_SUGGEST_KINDS; k++) {
        sw_put_count(json, sw_suggest_kind_name(k), state->tried[k]);
    }
    sw_put_end(json);
    sw_put_count(json, "work", state->work);
    sw_put_truth(json, "spent", state->spent);
    sw_put_end(json);
}

/* ---- tables and text ---- */

static void put_suggest_cell(struct sw_cli_report *report, struct sw_sink *text) {
    const char *ended = sw_sink_ended(text);
    report->out.failed |= !ended;
    sw_row_text(report, ended ? ended : "");
    sw_sink_done(text);
}

/* A sentence below the row. */
static void note_sentence(struct sw_cli_report *report, struct sw_sink *words) {
    struct sw_sink shown = {0};
    const char *text = sw_sink_ended(words);
    sw_sink_text(&shown, text ? text : "");
    const char *sentence = sw_sink_ended(&shown);
    report->out.failed |= !text || !sentence;
    if (sentence && *sentence) {
        sw_row_note(report, "%s.", sentence);
    }
    sw_sink_done(words);
    sw_sink_done(&shown);
}

/* Why the best one helps, and what it moves. */
static void note_first(const struct suggest_told *told, const struct sw_suggestion *of, struct sw_cli_report *report) {
    struct sw_sink why = {0}, elsewhere = {0};
    sw_suggest_put_why(told->suggest, told->cli->base, of, &why);
    note_sentence(report, &why);
    sw_suggest_put_elsewhere(told->suggest, of, &elsewhere);
    note_sentence(report, &elsewhere);
}

static void put_suggest_table(const struct suggest_told *told, size_t most, struct sw_cli_report *report) {
    bool priced = false; /* else people see no column of prices */
    for (size_t i = 0; i < sw_suggest_count(told->suggest) && !priced; i++) {
        struct sw_sink price = {0};
        sw_suggest_put_price(told->suggest, sw_suggest_get(told->suggest, i), &price);
        priced = price.text.count > 0;
        sw_sink_done(&price);
    }
    bool people = report->output == SW_OUTPUT_TEXT; /* they are told why below the row */
    const struct sw_report_column columns[] = {{.name = "peak"},
                                               {.csv = "saved", .head = "saves"},
                                               {.csv = "kind"},
                                               {.csv = "lower_bound"},
                                               {.csv = "fits", .head = told->bounded ? "fits" : NULL, .left = true},
                                               {.name = "commands", .left = true},
                                               {.csv = "price", .head = priced ? "price" : NULL, .left = true},
                                               {.csv = "minimizes"},
                                               {.csv = "goal"},
                                               {.csv = "why", .head = people ? NULL : "why", .left = true}};
    sw_rows_begin(report, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < sw_suggest_count(told->suggest) && i < most; i++) {
        const struct sw_suggestion *of = sw_suggest_get(told->suggest, i);
        struct sw_sink commands = {0}, price = {0}, why = {0};
        sw_row_count(report, of->peak);
        sw_row_known(report, told->state.ended, of->saved);
        sw_row_text(report, sw_suggest_kind_name(of->kind));
        sw_row_count(report, of->bound);
        sw_row_words(report, "%s", of->fits ? "yes" : "no");
        sw_suggest_put_commands(told->run, told->cli->base, of, "; ", &commands);
        put_suggest_cell(report, &commands);
        sw_suggest_put_price(told->suggest, of, &price);
        put_suggest_cell(report, &price);
        sw_row_text(report, sw_suggest_goal_name(&told->state));
        sw_row_number(report, of->goal);
        sw_suggest_put_why(told->suggest, told->cli->base, of, &why);
        put_suggest_cell(report, &why);
        if (i == 0) {
            note_first(told, of, report);
        }
    }
    sw_rows_end(report);
}

/* What the run comes to. */
static void put_suggest_run(const struct suggest_told *told, struct sw_cli_report *report) {
    const struct sw_suggest_state *state = &told->state;
    struct sw_sink *out = report->words;
    sw_report_name(report, sw_problem_name(sw_search_given(told->run)));
    sw_sink_printf(out, ", %s: ", SW_SEARCH_LABEL(told->run));
    if (!state->ended) {
        sw_sink_printf(out, "the run ends without a plan\n\n");
        return;
    }
    const struct sw_problem *problem = sw_search_given(told->run);
    if (sw_problem_tier_count(problem) > 1) {
        sw_sink_printf(out, "peak of ");
        sw_report_name(report, sw_problem_tier(problem, state->tier)->name);
        sw_sink_printf(out, " %s\n", SW_BYTES(state->peak));
    } else {
        sw_sink_printf(out, "peak %s, lower bound %s%s\n", SW_BYTES(state->peak), SW_BYTES(state->bound),
                       state->migrates ? "; less will do only with migration" : "");
    }
    if (told->bounded) {
        sw_sink_printf(out, "It %s into %s.\n", told->fits ? "fits" : "does not fit", SW_BYTES(told->capacity));
    }
    if (state->at_bound) {
        sw_sink_printf(out, "The peak is the lower bound: no plan of this model in this order needs less. Only "
                            "what lowers the bound was tried.\n");
    }
    sw_suggest_put_goal(state, out);
    sw_sink_printf(out, state->minimizes == SW_OBJECTIVE_PEAK ? "\n" : "\n\n");
}

static void put_suggest_end(const struct suggest_told *told, size_t count, struct sw_sink *out) {
    const struct sw_suggest_state *state = &told->state;
    if (count > SUGGESTIONS_SHOWN) {
        sw_sink_printf(out, "%zu more in --format csv and json\n", count - SUGGESTIONS_SHOWN);
    }
    if (!state->spent && !sw_suggest_any_tried(state)) {
        sw_sink_printf(out, "No moves are known for this planner.\n");
        return;
    }
    if (count == 0) {
        sw_sink_printf(out, state->ended ? "Nothing that was tried lowers the peak.\n"
                                         : "Nothing that was tried leads to a plan.\n");
    }
    if (told->bounded && !told->fits && (count == 0 || !sw_suggest_get(told->suggest, 0)->fits)) {
        bool single = sw_problem_tier_count(sw_search_given(told->run)) == 1;
        sw_sink_printf(out, "Nothing that was tried makes it fit%s.\n",
                       single && state->bound > told->capacity
                           ? ", and no plan of this model in this order can without "
                             "moving blocks out and back"
                           : "");
    }
    sw_sink_printf(out, "%s", count > 0 ? "\n" : "");
    sw_suggest_put_tried(state, out);
    sw_sink_printf(out, state->spent ? "; the work is spent, --effort gives more\n" : "\n");
}

static void put_suggest_report(const struct suggest_told *told, struct sw_cli_report *report) {
    size_t count = sw_suggest_count(told->suggest);
    if (report->output == SW_OUTPUT_JSON) {
        put_suggest_json(told, &report->json);
        return;
    }
    bool text = report->output == SW_OUTPUT_TEXT;
    if (sw_report_is_read(report)) {
        put_suggest_run(told, report);
    }
    if (count > 0 || !text) {
        put_suggest_table(told, text ? SUGGESTIONS_SHOWN : count, report);
    }
    if (text) {
        put_suggest_end(told, count, &report->out);
    }
}

/* ---- the command ---- */

static bool find_suggestions(struct sw_cli *cli, struct sw_suggest *suggest, struct sw_error *error) {
    struct sw_tally tally = sw_tally_start(cli, "moves");
    enum sw_step step = SW_STEP_MORE;
    struct sw_suggest_state state;
    bool go_on = true;
    while (go_on && step == SW_STEP_MORE) {
        step = sw_suggest_step(suggest, SUGGEST_SLICE, error);
        sw_suggest_state_of(suggest, &state);
        go_on = sw_tally_go_on(&tally, state.work, state.work_limit);
    }
    sw_tally_end(&tally);
    return step != SW_STEP_FAILED;
}

static int print_suggestions(struct sw_cli *cli, const struct sw_search *run, const struct sw_suggest *suggest,
                             enum sw_output output) {
    struct suggest_told told = {.cli = cli, .run = run, .suggest = suggest};
    struct sw_cli_report report;
    sw_suggest_state_of(suggest, &told.state);
    told.capacity = sw_problem_tier(sw_search_given(run), told.state.tier)->capacity;
    told.bounded = told.capacity != SW_UNBOUNDED;
    told.fits = told.state.ended && told.state.peak <= told.capacity;
    bool best_fits = sw_suggest_count(suggest) > 0 && sw_suggest_get(suggest, 0)->fits;
    sw_cli_report_start(&report, output);
    put_suggest_report(&told, &report);
    return sw_cli_report_finish(cli, &report, (told.bounded && !told.fits) || !told.state.ended ? !best_fits : 0);
}

int sw_cli_suggest(struct sw_cli *cli) {
    struct sw_error error = {0};
    enum sw_output output;
    if (!sw_cli_output(cli, &output, &error)) {
        return sw_cli_fail(&error);
    }
    struct sw_problem *problem = sw_cli_load(cli, NULL);
    struct sw_search *run = problem ? sw_cli_search(cli, problem) : NULL;
    sw_problem_unref(problem);
    if (!run) {
        return 2;
    }
    const struct sw_suggest_request request = {.work = cli->effort};
    struct sw_suggest *suggest = sw_suggest_new(run, &request, &error);
    int status = suggest && find_suggestions(cli, suggest, &error) ? print_suggestions(cli, run, suggest, output)
                                                                   : sw_cli_fail(&error);
    sw_suggest_free(suggest);
    sw_search_free(run);
    return status;
}
