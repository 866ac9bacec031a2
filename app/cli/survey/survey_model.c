/* One model of a survey, in a process of its own: its bound, what planners need for it, and what would help. */
#include "base/base.h"
#include "cli/shared/rivals.h"
#include "cli/shared/run.h"
#include "cli/subcommands/compare.h"
#include "cli/survey/survey.h"
#include "export/apart.h"
#include "formats/graphs/moment_file.h"
#include "planners/planner.h"
#include "problem/moment/moment.h"
#include "suggest/suggest.h"
#include "view/suggest/suggest_words.h"

#define SURVEY_WORK UINT64_C(1000000)   /* of a planner: some 20 ms */
#define SURVEY_EFFORT UINT64_C(1000000) /* of what would help */
enum { SURVEY_LARGEST = 3 };

struct survey_look {
    const struct sw_cli *cli;
    const struct sw_problem *problem;
    int to;
    SW_ARRAY(struct sw_rival) runs;
    struct sw_sink helps; /* JSON, or nothing */
};

static void send_frame(const struct survey_look *looking, enum survey_frame_kind kind, const char *text,
                       size_t length) {
    const struct survey_frame frame = {kind, length};
    if (sw_pipe_send(looking->to, &frame, sizeof frame)) {
        sw_pipe_send(looking->to, text, length);
    }
}

/* ---- figures ---- */

/* Planners that put the operators in order have another bound, and stand apart. */
static const struct sw_rival *best_surveyed(const struct survey_look *looking, bool reorders) {
    const struct sw_rival *best = NULL;
    for (size_t i = 0; i < looking->runs.count; i++) {
        const struct sw_rival *run = &looking->runs.items[i];
        best = run->known && !run->beside && run->planner->reorders == reorders && (!best || run->peak < best->peak)
                   ? run
                   : best;
    }
    return best;
}

/* The largest buffers that are planned, the first of equal ones. */
static void put_largest(const struct sw_problem *problem, struct sw_json_out *json) {
    uint32_t largest[SURVEY_LARGEST], count = 0;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        uint32_t at = count;
        while (at > 0 && sw_problem_buffer(problem, b)->size > sw_problem_buffer(problem, largest[at - 1])->size) {
            at--;
        }
        if (sw_problem_buffer(problem, b)->planned && at < SURVEY_LARGEST) {
            count = SW_MIN(count + 1, (uint32_t)SURVEY_LARGEST);
            memmove(largest + at + 1, largest + at, (count - at - 1) * sizeof *largest);
            largest[at] = b;
        }
    }
    sw_put_list(json, "largest");
    for (uint32_t i = 0; i < count; i++) {
        sw_put_object(json, NULL);
        sw_put_text(json, "name", sw_problem_buffer(problem, largest[i])->name);
        sw_put_count(json, "size", sw_problem_buffer(problem, largest[i])->size);
        sw_put_end(json);
    }
    sw_put_end(json);
}

static void put_surveyed_runs(const struct survey_look *looking, struct sw_json_out *json) {
    sw_put_list(json, "planners");
    for (size_t i = 0; i < looking->runs.count; i++) {
        const struct sw_rival *run = &looking->runs.items[i];
        sw_put_object(json, NULL);
        sw_put_text(json, "name", run->planner->name);
        sw_put_known(json, "peak", run->known, run->peak);
        if (run->beside) {
            sw_put_count(json, "lower_bound", run->bound);
        }
        sw_put_if(json, "optimal", run->optimal);
        sw_put_if(json, "stopped", run->stopped);
        if (*run->why) {
            sw_put_text(json, "why", run->why);
        }
        sw_put_end(json);
    }
    sw_put_end(json);
}

static bool put_survey_figures(const struct survey_look *looking, struct sw_sink *out) {
    struct sw_json_out json = {.out = out};
    const struct sw_problem *problem = looking->problem;
    const struct sw_rival *best = best_surveyed(looking, false), *order = best_surveyed(looking, true);
    const struct sw_moment *moment = sw_problem_moment(problem);
    uint64_t bound = sw_problem_lower_bound(problem);
    uint32_t step = sw_problem_bound_step(problem);
    sw_put_object(&json, NULL);
    sw_put_text(&json, "name", sw_problem_name(problem));
    SW_PUT_COUNTS(&json, {"operators", sw_problem_operator_count(problem)},
                  {"buffers", sw_problem_planned_count(problem)});
    if (moment) {
        struct sw_moment_sums sums;
        sw_moment_sum(moment, &sums);
        sw_put_text(&json, "moment", moment->what);
        for (enum sw_moment_figure f = SW_MOMENT_RESERVED; f <= SW_MOMENT_FREE; f++) {
            sw_put_known(&json, sw_moment_figure_key(f), sums.figure[f] != SW_UNTOLD, sums.figure[f]);
        }
    } else {
        sw_put_count(&json, "lower_bound", bound);
        sw_put_text(&json, "bound_at",
                    step < sw_problem_operator_count(problem) ? sw_problem_operator(problem, step)->name : NULL);
        sw_put_known(&json, "best", best, best ? best->peak : 0);
        sw_put_text(&json, "best_planner", best ? best->planner->name : NULL);
        sw_put_known(&json, "over_bound", best && best->peak >= bound, best ? best->peak - bound : 0);
        sw_put_known(&json, "best_order", order, order ? order->peak : 0);
        sw_put_known(&json, "order_saves", order && best,
                     order && best && order->peak < best->peak ? best->peak - order->peak : 0);
        put_surveyed_runs(looking, &json);
    }
    put_largest(problem, &json);
    if (looking->helps.text.count) {
        sw_sink_add(sw_put_raw(&json, "helps"), looking->helps.text.items, looking->helps.text.count);
    }
    sw_put_end(&json);
    while (out->text.count && out->text.items[out->text.count - 1] == '\n') {
        out->text.count--;
    }
    return !out->failed;
}

static bool send_figures(const struct survey_look *looking, enum survey_frame_kind kind, struct sw_error *error) {
    struct sw_sink out = {0};
    bool good = put_survey_figures(looking, &out) || sw_fail_memory(error);
    if (good) {
        send_frame(looking, kind, out.text.items, out.text.count);
    }
    sw_sink_done(&out);
    return good;
}

/* ---- planners ---- */

static bool run_surveyed(struct survey_look *looking, const struct sw_planner *planner, struct sw_error *error) {
    struct sw_rival run;
    return sw_rival_run(looking->cli, looking->problem, planner, &looking->cli->params, &run, error) &&
           (SW_PUSH(&looking->runs, run) || sw_fail_memory(error)) && send_figures(looking, SURVEY_SO_FAR, error);
}

/* Those that -p names; else those that are compared without being named. */
static bool run_all_surveyed(struct survey_look *looking, struct sw_error *error) {
    const char *list = looking->cli->planner;
    bool good = true;
    for (size_t i = 0; good && !list && i < sw_planner_built_in_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        good = !sw_rival_wanted(planner, looking->problem) || run_surveyed(looking, planner, error);
    }
    while (good && list && *list) {
        char name[80];
        size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)SW_MIN(length, sizeof name - 1), list);
        const struct sw_planner *planner = sw_planner_find(name, error);
        good = planner && run_surveyed(looking, planner, error);
        list += length + (list[length] == ',');
    }
    return good;
}

/* ---- what would help ---- */

/* Of the best run the first move that saves something. */
static bool find_help(struct survey_look *looking, struct sw_error *error) {
    const struct sw_rival *best = best_surveyed(looking, false);
    const struct sw_suggest_request request = {.work = looking->cli->effort ? looking->cli->effort : SURVEY_EFFORT};
    struct sw_params params = {0};
    struct sw_search *search = NULL;
    struct sw_suggest *suggest = NULL;
    struct sw_error own = {0};
    if (!best || best->planner->reserves || sw_problem_offsets_are_plan(looking->problem)) {
        return true;
    }
    if (sw_compare_settings(&params, &looking->cli->params, best->planner, &own)) {
        search = sw_search_new(looking->problem, best->planner, &params, &own);
    }
    suggest = search ? sw_suggest_new(search, &request, &own) : NULL;
    if (suggest && sw_suggest_step(suggest, 0, &own) != SW_STEP_FAILED && sw_suggest_count(suggest) > 0) {
        const struct sw_suggestion *first = sw_suggest_get(suggest, 0);
        struct sw_json_out json = {.out = &looking->helps};
        struct sw_sink commands = {0};
        sw_suggest_put_commands(sw_suggest_run(suggest), looking->cli->base, first, "; ", &commands);
        const char *text = sw_sink_ended(&commands);
        sw_put_object(&json, NULL);
        sw_put_text(&json, "kind", sw_suggest_kind_name(first->kind));
        sw_put_count(&json, "peak", first->peak);
        sw_put_count(&json, "saves", first->saved);
        sw_put_text(&json, "planner", best->planner->name);
        sw_put_text(&json, "commands", text);
        sw_put_end(&json);
        looking->helps.failed |= !text;
        sw_sink_done(&commands);
    }
    while (looking->helps.text.count && looking->helps.text.items[looking->helps.text.count - 1] == '\n') {
        looking->helps.text.count--;
    }
    sw_suggest_free(suggest);
    sw_search_free(search);
    sw_params_done(&params);
    return (own.code != SW_ERROR_MEMORY && !looking->helps.failed) || sw_fail_memory(error);
}

/* ---- the whole ---- */

static bool look_at_problem(struct survey_look *looking, struct sw_error *error) {
    return send_figures(looking, SURVEY_SO_FAR, error) &&
           (sw_problem_moment(looking->problem) || (run_all_surveyed(looking, error) && find_help(looking, error))) &&
           send_figures(looking, SURVEY_DONE, error);
}

static bool is_of_a_format(const char *path, struct sw_error *error) {
    struct sw_input input;
    if (!sw_input_open(path, &input, error)) {
        return true; /* and why it cannot be read is said when it is */
    }
    bool is = sw_format_detect(&input, error) != NULL;
    sw_input_close(&input);
    return is || error->code == SW_ERROR_MEMORY;
}

void sw_survey_look(const struct sw_cli *cli, const char *path, int to) {
    struct sw_cli own = *cli;
    struct survey_look looking = {.cli = &own, .to = to};
    struct sw_error error = {0};
    const char *files[] = {path, NULL};
    own.progress = SW_PROGRESS_NEVER;
    own.time_limit = 0; /* the process has it */
    own.files = files;
    own.file_count = 1;
    own.output = NULL;
    own.params.work = own.params.work ? own.params.work : SURVEY_WORK;
    if (!is_of_a_format(path, &error)) {
        send_frame(&looking, SURVEY_UNREAD, error.message, strlen(error.message));
        return;
    }
    looking.problem = sw_load(path, &own.load, NULL, &error);
    if (!looking.problem || !look_at_problem(&looking, &error)) {
        char text[sizeof error.message + 40] = "";
        if (error.line) {
            SW_TEXT_ADD(text, "%" PRIu32 ":", error.line);
            SW_TEXT_ADD(text, error.column ? "%" PRIu32 ": " : " ", error.column);
        }
        SW_TEXT_ADD(text, "%s", error.message);
        send_frame(&looking, error.code == SW_ERROR_MEMORY ? SURVEY_OUT_OF_MEMORY : SURVEY_REFUSED, text, strlen(text));
    }
    sw_problem_unref(looking.problem);
    sw_sink_done(&looking.helps);
    SW_ARRAY_DONE(&looking.runs);
}
