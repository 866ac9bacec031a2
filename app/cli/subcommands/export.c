/* stowage export: draw one view of a run as a picture, or as a document of several pages. Pictures
 * of several steps are made in export_steps.c. */
#include "cli/subcommands/export_steps.h"
#include "cli/shared/pictures.h"
#include "cli/shared/run.h"
#include "cli/shared/summary.h"
#include "formats/notes.h"
#include "view/facts.h"
#include "lua/theme_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool go_to_step(const struct sw_cli *cli, struct sw_search *search, struct sw_error *error) {
    uint64_t last = sw_search_known(search);
    if (cli->step > last) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "--step %" PRIu64 ": the run has %" PRIu64 " decisions", cli->step, last);
    }
    return sw_search_seek(search, cli->step, error);
}

/* --time: the steps that a part of raw time meets. */
static bool show_time(const struct sw_cli *cli, const struct sw_problem *problem,
                      struct sw_viewport *port, struct sw_error *error) {
    uint32_t steps = sw_problem_steps(problem), lo = 0, hi = steps;
    if (steps == 0 || cli->time_hi < sw_problem_time(problem, 0) ||
        cli->time_lo >= sw_problem_time(problem, steps)) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "--time %" PRId64 ":%" PRId64 " meets nothing: time runs from %" PRId64
                       " to %" PRId64,
                       cli->time_lo, cli->time_hi, steps ? sw_problem_time(problem, 0) : 0,
                       steps ? sw_problem_time(problem, steps) - 1 : 0);
    }
    while (lo + 1 < steps && sw_problem_time(problem, lo + 1) <= cli->time_lo) {
        lo++;
    }
    while (hi > lo + 1 && sw_problem_time(problem, hi - 1) > cli->time_hi) {
        hi--;
    }
    port->time_lo = lo;
    port->time_hi = hi;
    return true;
}

/* Nothing lies, and no line is drawn, above this address. */
static uint64_t highest(const struct sw_search *search) {
    const struct sw_problem *problem = sw_search_problem(search);
    uint64_t top = sw_layout_arena(sw_search_layout(search), 0);
    uint64_t bound = sw_problem_lower_bound(problem);
    return top > bound ? top : bound;
}

/* --highlight, --time and --address. */
static bool look(const struct sw_cli *cli, struct sw_view_input *in, struct sw_error *error) {
    const struct sw_problem *problem = sw_search_problem(in->search);
    if (cli->highlight) {
        in->selected = sw_problem_find_buffer(problem, cli->highlight);
        uint32_t member = sw_problem_find_member(problem, cli->highlight);
        if (in->selected == SW_NONE && member == SW_NONE) {
            return sw_fail(error, SW_ERROR_USAGE, "--highlight: there is no buffer '%.80s'",
                           cli->highlight);
        }
        in->selected =
            in->selected == SW_NONE ? sw_problem_member(problem, member)->buffer : in->selected;
    }
    if (cli->has_address) {
        if (in->tier == SW_NONE) {
            return sw_fail(error, SW_ERROR_USAGE,
                           "--address speaks of one memory, and here are several");
        }
        if (cli->address_hi <= in->base) {
            return sw_fail(error, SW_ERROR_USAGE, "--address ends below the base address");
        }
        uint64_t lo = cli->address_lo > in->base ? cli->address_lo - in->base : 0;
        uint64_t top = highest(in->search);
        if (lo >= top) {
            return sw_fail(error, SW_ERROR_USAGE,
                           "--address %" PRIu64 ":%" PRIu64 " meets nothing: memory is used from "
                           "%" PRIu64 " to %" PRIu64,
                           cli->address_lo, cli->address_hi, in->base, in->base + top);
        }
        in->viewport.bytes_lo = (double)lo;
        in->viewport.bytes_hi = (double)(cli->address_hi - in->base);
        if (!(in->viewport.bytes_lo < in->viewport.bytes_hi)) { /* as far as doubles tell */
            return sw_fail(error, SW_ERROR_USAGE, "--address: that part is too small to be drawn");
        }
    }
    return !cli->has_time || show_time(cli, problem, &in->viewport, error);
}

/* --annotate. */
static bool read_notes(const struct sw_cli *cli, const struct sw_problem *problem,
                       struct sw_notes *notes, struct sw_error *error) {
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
static void add_word(struct sw_sink *line, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "%+,-./:=@_";
    if (*word && word[strspn(word, plain)] == '\0') {
        sw_sink_text(line, word);
        return;
    }
    sw_sink_printf(line, "'");
    for (; *word; word++) {
        sw_sink_add(line, *word == '\'' ? "'\\''" : word, *word == '\'' ? 4 : 1);
    }
    sw_sink_printf(line, "'");
}

static const char *command_line(const struct sw_cli *cli, struct sw_sink *line) {
    sw_sink_printf(line, "stowage");
    for (int i = 1; i < cli->word_count; i++) {
        sw_sink_printf(line, " ");
        add_word(line, cli->words[i]);
    }
    sw_sink_add(line, "", 1);
    return line->failed ? NULL : line->text.items;
}

/* How long the input is; 0 when it is no plain file. */
static uint64_t length_of(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) ? (uint64_t)about.st_size : 0;
}

bool sw_export_look(const struct sw_cli *cli, struct sw_search *search, uint64_t digest,
                    struct sw_view_input *in, struct sw_error *error) {
    bool several = sw_problem_tier_count(sw_search_problem(search)) > 1;
    *in = (struct sw_view_input){.search = search,
                                 .input_name = cli->files[0],
                                 .input_digest = digest,
                                 .input_bytes = length_of(cli->files[0]),
                                 .selected = SW_NONE,
                                 .cursor = SW_NONE,
                                 .candidate = SW_NONE,
                                 .tier = several ? SW_NONE : 0,
                                 .viewport = sw_viewport_all(search, 0),
                                 .base = cli->base,
                                 .conditions = cli->conditions,
                                 .units = cli->units};
    return look(cli, in, error);
}

struct sw_export sw_export_options(const struct sw_cli *cli) {
    return (struct sw_export){.view = cli->view,
                              .theme = cli->theme,
                              .title = cli->title,
                              .width = cli->width,
                              .height = cli->height,
                              .scale = cli->scale,
                              .dpi = cli->dpi};
}

static bool tell(void *context, uint32_t done, uint32_t count) {
    return sw_tally_go_on(context, done, count);
}

/* What several pages look at is gathered once. */
static bool draw_pages(const struct sw_cli *cli, struct sw_view_input *in,
                       struct sw_export *options, struct sw_error *error) {
    struct sw_facts facts = {0};
    struct sw_costs costs = {0};
    struct sw_sink command = {0};
    struct sw_tally tally = sw_tally_start(cli, "page");
    options->told = tell;
    options->context = &tally;
    bool good = (sw_facts_gather(&facts, in->search) && sw_costs_of(in->search, &costs)) ||
                sw_fail_memory(error);
    in->facts = &facts;
    in->costs = &costs;
    in->command = command_line(cli, &command);
    good = good && (in->command || sw_fail_memory(error));
    good = good && sw_export_file(in, options, cli->output, error);
    tally.shown |= tally.on; /* by the process that drew */
    sw_tally_end(&tally);
    sw_sink_done(&command);
    sw_costs_done(&costs);
    sw_facts_done(&facts);
    return good;
}

static bool draw(const struct sw_cli *cli, struct sw_search *search, uint64_t digest,
                 const char *fault, struct sw_error *error) {
    struct sw_explanation explanation = {0};
    struct sw_notes notes = {0};
    struct sw_view_input in;
    struct sw_export options = sw_export_options(cli);
    const struct sw_view *view = cli->view ? sw_view_find(cli->view, NULL) : NULL;
    uint64_t at = sw_search_at(search);
    bool good = sw_export_look(cli, search, digest, &in, error) &&
                read_notes(cli, sw_search_problem(search), &notes, error) &&
                (at == 0 || sw_search_explain(search, at, &explanation, error));
    if (good) {
        in.notes = &notes;
        in.fault = fault;
        in.ghosts = cli->has_step;
        in.explanation = at ? &explanation : NULL;
        good = view && view->pages ? draw_pages(cli, &in, &options, error)
                                   : sw_export_file(&in, &options, cli->output, error);
    }
    sw_explanation_done(&explanation);
    sw_notes_done(&notes);
    return good;
}

/* ---- what can be wrong without a run, before it costs one ---- */

enum sw_export_way sw_export_way(const struct sw_cli *cli) {
    return cli->view && !strcmp(cli->view, "filmstrip") ? SW_EXPORT_FILM
           : cli->frames                                ? SW_EXPORT_FRAMES
           : cli->steps.given                           ? SW_EXPORT_ANIMATION
                                                        : SW_EXPORT_ONE;
}

/* Options that say nothing about what is asked for. */
static const char *misfit(const struct sw_cli *cli, enum sw_export_way way,
                          const struct sw_view *view) {
    bool pages = view && view->pages;
    if (cli->steps.given && pages) {
        return "--steps: the report is about one decision; --step N chooses it";
    }
    if (cli->frames && (pages || way == SW_EXPORT_FILM)) {
        return "--frames: pictures of single decisions; neither the report nor the filmstrip is one";
    }
    if (cli->frames && !cli->steps.given) {
        return "--frames: --steps is missing: which decisions, A:B";
    }
    if (cli->frames && cli->output) {
        return "--frames and -o: the pictures go either to a folder or to one file";
    }
    if (cli->annotate && (pages || way != SW_EXPORT_ONE)) {
        return "--annotate: notes are written on a picture of one decision";
    }
    if (cli->has_step && way != SW_EXPORT_ONE) {
        return "--step: one decision, where several are drawn: --steps chooses them";
    }
    return cli->fps > 0 && way != SW_EXPORT_ANIMATION
               ? "--fps: how fast an animation is; --steps A:B -o OUT.svg makes one"
               : NULL;
}

/* Of a part of the picture that the view knows nothing of. */
static bool check_part(const struct sw_cli *cli, const struct sw_view *view,
                       struct sw_error *error) {
    const struct {
        bool given;
        unsigned needs;
        const char *option, *what;
    } parts[] = {{cli->has_time, SW_TAKES_TIME, "time", "has no axis of time"},
                 {cli->has_address, SW_TAKES_ADDRESS, "address", "has no axis of addresses"},
                 {cli->highlight, SW_TAKES_BUFFER, "highlight", "marks no buffer"}};
    for (size_t i = 0; view && i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].given && !(view->takes & parts[i].needs)) {
            return sw_fail(error, SW_ERROR_USAGE, "--%s: the view '%s' %s", parts[i].option,
                           view->name, parts[i].what);
        }
    }
    return true;
}

static bool check_output(const struct sw_cli *cli, enum sw_export_way way,
                         const struct sw_view *view, struct sw_error *error) {
    enum sw_picture kind;
    if (way == SW_EXPORT_FRAMES) {
        return *cli->frames || sw_fail(error, SW_ERROR_USAGE, "--frames '': name a folder");
    }
    if (!cli->output) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "-o is missing: name the picture, OUT.svg, .png or .pdf");
    }
    if (!sw_picture_of(cli->output, &kind, error)) {
        return false;
    }
    if (!sw_picture_takes_dpi(cli, kind == SW_PICTURE_PNG, error)) {
        return false;
    }
    if (view && view->pages && kind != SW_PICTURE_PDF) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "the view '%s' has several pages: -o must name a .pdf", view->name);
    }
    if (way == SW_EXPORT_ANIMATION && kind != SW_PICTURE_SVG) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "--steps makes an animation, -o OUT.svg; or pictures, --frames DIR; or "
                       "--view filmstrip");
    }
    return true;
}

static bool check_options(const struct sw_cli *cli, struct sw_error *error) {
    struct sw_theme theme;
    enum sw_export_way way = sw_export_way(cli);
    const struct sw_view *view = cli->view ? sw_view_find(cli->view, error) : NULL;
    if (cli->view && !view) {
        return false;
    }
    const char *wrong = misfit(cli, way, view);
    if (wrong) {
        return sw_fail(error, SW_ERROR_USAGE, "%s", wrong);
    }
    return check_part(cli, view, error) && check_output(cli, way, view, error) &&
           (!cli->theme || sw_theme_load(cli->theme, &theme, error));
}

/* `fault`: what is wrong with the run at its end. */
static bool go(const struct sw_cli *cli, struct sw_search *search, uint64_t digest,
               const char *fault, struct sw_error *error) {
    if (sw_export_way(cli) != SW_EXPORT_ONE) {
        return sw_export_steps(cli, search, digest, fault, error);
    }
    return (!cli->has_step || go_to_step(cli, search, error)) &&
           draw(cli, search, digest, cli->has_step ? NULL : fault, error);
}

/* The picture, and, when the run came to no plan, why: on it and beside it. */
static int put(const struct sw_cli *cli, struct sw_search *search, const struct sw_result *result,
               uint64_t digest) {
    struct sw_error error = {0}, why = {0};
    int status = cli->has_step ? 0 : sw_cli_status(result);
    if (status != 0) {
        sw_summary_infeasible(result, &why);
    }
    if (!go(cli, search, digest, status ? why.message : NULL, &error)) {
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
    if (!check_options(cli, &error)) {
        return sw_cli_fail(&error);
    }
    struct sw_problem *problem = sw_cli_load(cli, &digest);
    struct sw_search *search = problem ? sw_cli_search(cli, problem) : NULL;
    if (search && sw_cli_finish(cli, search, &result)) {
        status = put(cli, search, &result, digest);
    }
    sw_search_free(search);
    sw_problem_unref(problem);
    return status;
}
