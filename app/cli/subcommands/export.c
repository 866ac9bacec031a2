/* stowage export: draw one view of a run as a picture, or as a document of several pages; or write the run as trace
 * events. Pictures of several steps are made in export_steps.c. */
#include "cli/shared/output.h"
#include "base/base.h"
#include "cli/shared/pictures.h"
#include "cli/shared/rivals.h"
#include "cli/shared/run.h"
#include "cli/shared/summary.h"
#include "formats/notes.h"
#include "formats/sink_file.h"
#include "formats/trace/run_events.h"
#include "planners/planner.h"
#include "problem/moment/moment.h"
#include "suggest/suggest.h"
#include "view/facts.h"
#include "view/fit/fit_front.h"
#include "lua/theme_file.h"

static bool go_to_step(const struct sw_cli *cli, struct sw_search *search, struct sw_error *error) {
    uint64_t last = sw_search_known(search);
    if (cli->step > last) {
        return sw_fail(error, SW_ERROR_USAGE, "--step %" PRIu64 ": the run has %" PRIu64 " decisions", cli->step, last);
    }
    return sw_search_seek(search, cli->step, error);
}

/* --annotate. */
static bool read_annotations(const struct sw_cli *cli, const struct sw_problem *problem, struct sw_notes *notes,
                             struct sw_error *error) {
    struct sw_input input;
    if (!cli->annotate) {
        return true;
    }
    if (!sw_input_open(cli->annotate, &input, error)) {
        return false;
    }
    bool good = sw_notes_read(&input, problem, cli->base, notes, error);
    sw_error_at(good ? NULL : error, *error->file ? NULL : input.name, error->line, error->column);
    sw_input_close(&input);
    return good;
}

/* The command line, in words that a shell takes. */
static const char *command_line(const struct sw_cli *cli, struct sw_sink *line) {
    sw_sink_printf(line, "stowage");
    for (int i = 1; i < cli->word_count; i++) {
        sw_sink_printf(line, " ");
        sw_sink_argument(line, cli->words[i]);
    }
    return sw_sink_ended(line);
}

static bool tell_page(void *context, uint32_t done, uint32_t count) {
    return sw_tally_go_on(context, done, count);
}

/* Work that takes some tenths of a second: of each planner that is tried, of the moves, and of changing the model. */
enum { WORK_FOR_RIVAL = 1000000, WORK_FOR_MOVES = 20000000, WORK_FOR_FIT = 40000000 };

/* A run of fit, which changes the model, for the report to set beside. NULL: it does not apply, or did not come to an
 * end within its work; and where there is no memory, which the error says then. */
static struct sw_search *run_report_fit(const struct sw_search *search, struct sw_error *error) {
    const struct sw_problem *problem = sw_search_given(search);
    const struct sw_planner *planner = sw_planner_find("fit", NULL);
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error own = {0};
    params.work = WORK_FOR_FIT;
    if (sw_search_planner(search) == planner || !sw_planner_applies(planner, problem, NULL)) {
        return NULL;
    }
    struct sw_search *fit = sw_search_new(problem, planner, &params, &own);
    if (fit && sw_search_run(fit, 0, sw_cli_is_interrupted, NULL, &own) != SW_STEP_DONE) {
        sw_search_free(fit);
        fit = NULL;
    }
    if (own.code == SW_ERROR_MEMORY) {
        sw_fail_memory(error);
    }
    return fit;
}

struct rival_list {
    SW_ARRAY(struct sw_rival) items;
};

static bool is_exported_whole(const struct sw_search *search) {
    return sw_search_complete(search) && sw_search_at(search) == sw_search_known(search);
}

/* The run itself, where it stands at its end, and the other planners that suit the model, with the same seed. */
static bool try_rivals(const struct sw_cli *cli, struct sw_search *search, const struct sw_result *result,
                       struct rival_list *rivals, struct sw_error *error) {
    const struct sw_problem *problem = sw_search_given(search);
    const struct sw_params params = {.seed = cli->params.seed, .work = WORK_FOR_RIVAL};
    struct sw_cli quiet = *cli;
    bool at_end = is_exported_whole(search), good = true;
    quiet.progress = SW_PROGRESS_NEVER;
    quiet.time_limit = 0;
    if (at_end) {
        struct sw_rival own = {.planner = sw_search_planner(search), .shown = true};
        good = sw_rival_of(search, result, problem, &own, error) &&
               (SW_PUSH(&rivals->items, own) || sw_fail_memory(error));
    }
    for (size_t i = 0; good && i < sw_planner_built_in_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        struct sw_rival rival;
        if ((at_end && planner == sw_search_planner(search)) || !sw_rival_wanted(planner, problem)) {
            continue;
        }
        good = sw_rival_run(&quiet, problem, planner, &params, &rival, error) &&
               (SW_PUSH(&rivals->items, rival) || sw_fail_memory(error));
    }
    return good;
}

/* Moves that lower the peak of the run, each made. NULL: where there are none to be made, or after an error. */
static struct sw_suggest *try_moves(const struct sw_search *search, struct sw_error *error) {
    const struct sw_suggest_request request = {.work = WORK_FOR_MOVES, .kinds = ~(1U << SW_SUGGEST_PLANNER)};
    if (!is_exported_whole(search) || sw_search_planner(search)->reserves) {
        return NULL;
    }
    struct sw_suggest *found = sw_suggest_new(search, &request, error);
    if (found && sw_suggest_step(found, 0, error) == SW_STEP_FAILED) {
        sw_suggest_free(found);
        return NULL;
    }
    return found;
}

/* What several pages look at is gathered once. */
static bool draw_pages(const struct sw_cli *cli, struct sw_search *search, const struct sw_result *result,
                       struct sw_view_input *in, struct sw_export *options, struct sw_error *error) {
    struct sw_facts facts = {0};
    struct sw_costs costs = {0};
    struct sw_sink command = {0};
    const struct sw_problem *problem = sw_search_given(in->run.search);
    struct sw_search *fit = NULL;
    struct sw_suggest *found = NULL;
    struct rival_list rivals = {{0}};
    struct sw_fit_sight sight;
    struct sw_tally tally = sw_tally_start(cli, "page");
    options->told = tell_page;
    options->context = &tally;
    bool good =
        (sw_facts_gather(&facts, in->run.search) && sw_costs_of(in->run.search, &costs)) || sw_fail_memory(error);
    if (good && !sw_problem_moment(problem)) {
        good = try_rivals(cli, search, result, &rivals, error);
        found = good ? try_moves(search, error) : NULL;
    }
    if (good && !sw_problem_offsets_are_plan(problem)) {
        fit = run_report_fit(in->run.search, error);
    }
    good = good && error->code == SW_OK;
    in->run.rivals = rivals.items.items;
    in->run.rival_count = rivals.items.count;
    in->run.rival_work = WORK_FOR_RIVAL;
    in->run.suggest = found;
    in->run.fit = fit && sw_fit_sight_of(fit, &sight) ? &sight : NULL;
    in->run.facts = &facts;
    in->run.costs = &costs;
    in->command = command_line(cli, &command);
    good = good && (in->command || sw_fail_memory(error));
    good = good && sw_export_file(in, options, cli->output, error);
    tally.shown |= tally.on; /* by the process that drew */
    sw_tally_end(&tally);
    sw_sink_done(&command);
    sw_costs_done(&costs);
    sw_facts_done(&facts);
    SW_ARRAY_DONE(&rivals.items);
    sw_suggest_free(found);
    sw_search_free(fit);
    return good;
}

static bool draw_step(const struct sw_cli *cli, struct sw_search *search, const struct sw_result *result,
                      uint64_t digest, const char *fault, struct sw_error *error) {
    struct sw_explanation explanation = {0};
    struct sw_notes notes = {0};
    struct sw_suggest *found = NULL;
    struct sw_view_input in;
    struct sw_export options = sw_export_options(cli);
    const struct sw_view *view = cli->view ? sw_view_find(cli->view, NULL) : NULL;
    uint64_t at = sw_search_at(search);
    bool good = sw_export_look(cli, search, digest, &in, error) &&
                read_annotations(cli, sw_search_problem(search), &notes, error) &&
                (at == 0 || sw_search_explain(search, at, &explanation, error));
    if (good && view && view->reads & SW_VIEW_READS_SUGGESTIONS) {
        const struct sw_suggest_request request = {.work = cli->effort};
        found = sw_suggest_new(search, &request, error);
        good = found && sw_suggest_step(found, 0, error) != SW_STEP_FAILED;
    }
    if (good) {
        in.run.suggest = found;
        in.run.notes = &notes;
        in.run.fault = fault;
        in.look.ghosts = sw_cli_given(cli, "step");
        in.run.explanation = at ? &explanation : NULL;
        good = view && view->pages ? draw_pages(cli, search, result, &in, &options, error)
                                   : sw_export_file(&in, &options, cli->output, error);
    }
    sw_suggest_free(found);
    sw_explanation_done(&explanation);
    sw_notes_done(&notes);
    return good;
}

/* ---- trace events ---- */

/* They are of the whole run, and nothing is drawn. */
static bool check_events(const struct sw_cli *cli, struct sw_error *error) {
    static const char *const others[] = {"view",  "theme",    "title",     "size",    "scale",   "dpi",
                                         "units", "annotate", "highlight", "time",    "address", "step",
                                         "steps", "frames",   "fps",       "color-by"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (sw_cli_given(cli, others[i])) {
            return sw_fail(error, SW_ERROR_USAGE, "--%s: %s is to be trace events, which have the whole run", others[i],
                           sw_path_name(cli->output));
        }
    }
    return true;
}

static bool pour_events(void *context, struct sw_sink *sink, struct sw_error *error) {
    return sw_sink_file_pour(context, sink, error);
}

static bool tell_written(void *context, uint64_t decision) {
    return sw_tally_go_on(context, decision, 0);
}

static bool write_events(const struct sw_cli *cli, struct sw_search *search, const char *fault,
                         struct sw_error *error) {
    bool gzip;
    sw_events_named(cli->output, &gzip);
    struct sw_sink_file *file = sw_sink_file_open(cli->output, gzip, error);
    if (!file) {
        return false;
    }
    struct sw_tally tally = sw_tally_start(cli, "decisions written:");
    const struct sw_events_about about = {
        .input = cli->files[0], .conditions = cli->conditions, .fault = fault, .base = cli->base};
    const struct sw_events_way way = {pour_events, file, tell_written, &tally};
    bool good = sw_events_write(search, &about, &way, error);
    sw_tally_end(&tally);
    if (!good) {
        sw_sink_file_drop(file);
        return false;
    }
    return sw_sink_file_close(file, error);
}

/* ---- what can be wrong without a run, before it costs one ---- */

/* Options that say nothing about what is asked for. */
static const char *misfit(const struct sw_cli *cli, enum sw_export_way way, const struct sw_view *view) {
    bool pages = view && view->pages;
    if (sw_cli_given(cli, "steps") && pages) {
        return "--steps: the report is about one decision; --step N chooses it";
    }
    if (cli->frames && (pages || way == SW_EXPORT_FILM)) {
        return "--frames: pictures of single decisions; neither the report nor the filmstrip is one";
    }
    if (cli->frames && !sw_cli_given(cli, "steps")) {
        return "--frames: --steps is missing: which decisions, A:B";
    }
    if (cli->frames && cli->output) {
        return "--frames and -o: the pictures go either to a folder or to one file";
    }
    if (cli->annotate && (pages || way != SW_EXPORT_ONE)) {
        return "--annotate: notes are written on a picture of one decision";
    }
    if (sw_cli_given(cli, "step") && way != SW_EXPORT_ONE) {
        return "--step: one decision, where several are drawn: --steps chooses them";
    }
    return cli->fps > 0 && way != SW_EXPORT_ANIMATION
               ? "--fps: how fast an animation is; --steps A:B -o OUT.svg makes one"
               : NULL;
}

/* Of a part of the picture that the view knows nothing of. */
static bool check_part(const struct sw_cli *cli, const struct sw_view *view, struct sw_error *error) {
    const struct {
        bool given;
        unsigned needs;
        const char *option, *what;
    } parts[] = {{sw_cli_given(cli, "time"), SW_TAKES_TIME, "time", "has no axis of time"},
                 {sw_cli_given(cli, "address"), SW_TAKES_ADDRESS, "address", "has no axis of addresses"},
                 {cli->highlight, SW_TAKES_BUFFER, "highlight", "marks no buffer"},
                 {cli->coloring, SW_TAKES_COLORING, "color-by", "has no map of blocks"}};
    for (size_t i = 0; view && i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].given && !(view->takes & parts[i].needs)) {
            return sw_fail(error, SW_ERROR_USAGE, "--%s: the view '%s' %s", parts[i].option, view->name, parts[i].what);
        }
    }
    return true;
}

static bool check_export_output(const struct sw_cli *cli, enum sw_export_way way, const struct sw_view *view,
                                struct sw_error *error) {
    enum sw_picture kind;
    if (way == SW_EXPORT_FRAMES) {
        return true;
    }
    if (!cli->output) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "-o is missing: name the picture, OUT.svg, .png, .pdf or .html, or OUT.perfetto.json");
    }
    if (!sw_picture_of(cli->output, &kind, NULL)) {
        sw_fail(error, SW_ERROR_USAGE,
                "a picture's name ends in .svg, .png, .pdf or .html, that of trace events in .perfetto.json");
        sw_error_at(error, cli->output, 0, 0);
        return false;
    }
    if (!sw_picture_takes_dpi(cli, kind == SW_PICTURE_PNG, error)) {
        return false;
    }
    if (view && view->pages && kind != SW_PICTURE_PDF && kind != SW_PICTURE_HTML) {
        return sw_fail(error, SW_ERROR_USAGE, "the view '%s' has several pages: -o must name a .pdf or .html",
                       view->name);
    }
    if (way == SW_EXPORT_ANIMATION && kind != SW_PICTURE_SVG) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "--steps makes an animation, -o OUT.svg; or pictures, --frames DIR; or "
                       "--view filmstrip");
    }
    return true;
}

static bool check_export(const struct sw_cli *cli, struct sw_error *error) {
    struct sw_theme theme;
    enum sw_export_way way = sw_export_way(cli);
    const struct sw_view *view = cli->view ? sw_view_find(cli->view, error) : NULL;
    const char *wrong = misfit(cli, way, view);
    if (cli->output && sw_events_named(cli->output, NULL)) {
        return check_events(cli, error);
    }
    return (!cli->view || view) && (!wrong || sw_fail(error, SW_ERROR_USAGE, "%s", wrong)) &&
           check_part(cli, view, error) && check_export_output(cli, way, view, error) &&
           (!cli->theme || sw_theme_load(cli->theme, &theme, error));
}

/* `fault`: what is wrong with the run at its end. */
static bool draw_run(const struct sw_cli *cli, struct sw_search *search, const struct sw_result *result,
                     uint64_t digest, const char *fault, struct sw_error *error) {
    if (cli->output && sw_events_named(cli->output, NULL)) {
        return write_events(cli, search, fault, error);
    }
    if (sw_export_way(cli) != SW_EXPORT_ONE) {
        return sw_export_steps(cli, search, digest, fault, error);
    }
    return (!sw_cli_given(cli, "step") || go_to_step(cli, search, error)) &&
           draw_step(cli, search, result, digest, sw_cli_given(cli, "step") ? NULL : fault, error);
}

/* The picture, and, when the run came to no plan, why: on it and beside it. */
static int put_picture(const struct sw_cli *cli, struct sw_search *search, const struct sw_result *result,
                       uint64_t digest) {
    struct sw_error error = {0}, why = {0};
    int status = sw_cli_given(cli, "step") ? 0 : sw_cli_status(result);
    if (status != 0) {
        sw_summary_infeasible(result, &why);
    }
    if (why.code == SW_ERROR_MEMORY) {
        return sw_cli_fail(&why);
    }
    if (!draw_run(cli, search, result, digest, status ? why.message : NULL, &error)) {
        return sw_cli_fail(&error);
    }
    if (status != 0) {
        sw_cli_fail(&why);
    }
    return status;
}

int sw_cli_export(struct sw_cli *cli) {
    struct sw_error error = {0};
    struct sw_result result;
    uint64_t digest;
    int status = 2;
    if (!check_export(cli, &error)) {
        return sw_cli_fail(&error);
    }
    struct sw_problem *problem = sw_cli_load(cli, &digest);
    struct sw_search *search = problem ? sw_cli_search(cli, problem) : NULL;
    if (search && sw_cli_finish(cli, search, &result)) {
        status = put_picture(cli, search, &result, digest);
    }
    sw_search_free(search);
    sw_problem_unref(problem);
    return status;
}
