/* Commands that write files, and those about the program itself. */
#include "command/command_line.h"
#include "base/base.h"
#include "command/doors/doors.h"
#include "command/runs/branches.h"
#include "command/screen/screen.h"
#include "command/state.h"
#include "export/export.h"
#include "formats/trace/read/trace_grow.h"
#include "lua/theme_file.h"

/* ---- files ---- */

/* The open model, or whatever else went into this session, is never written over. */
static bool may_write(const struct sw_session *session, const char *path, char real[PATH_MAX], struct sw_error *error) {
    const struct sw_session_options *options = &session->options;
    const char *const sources[] = {options->path,    options->load.tiers, options->load.join, options->cost,
                                   options->actions, options->breeding,   options->policy};
    const char *used;
    for (size_t i = 0; (used = sw_inputs_path(session, i)) != NULL; i++) {
        if (!sw_may_write(path, &used, 1, error)) {
            return false;
        }
    }
    return sw_may_write(path, sources, sizeof sources / sizeof *sources, error) &&
           sw_writing_begin(session, path, real, error);
}

/* The file was written, or could not be, which an error of writing says with its name. */
static bool end_writing(struct sw_session *session, bool done, const char *path, const char *real,
                        struct sw_error *error) {
    if (done) {
        sw_writing_done(session, real);
    } else if (error && error->code == SW_ERROR_IO && !strstr(error->message, path)) {
        char message[sizeof error->message];
        snprintf(message, sizeof message, "%s", error->message);
        sw_fail(error, SW_ERROR_IO, "%s: %s", path, message);
    }
    return done;
}

bool sw_do_write(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const char *path = given->words[0];
    const struct sw_search *search = sw_state_search(session);
    struct sw_result result = {.search = search,
                               .layout = sw_search_layout(search),
                               .source = session->options.path,
                               .base = session->options.base,
                               .even_if_larger = session->options.even_if_larger,
                               .load = &session->options.load};
    if (strcmp(path, "-") == 0) {
        return sw_fail(error, SW_ERROR_USAGE, "a plan needs the name of a file");
    }
    char real[PATH_MAX];
    if (!may_write(session, path, real, error)) {
        return false;
    }
    struct sw_metrics metrics;
    sw_metrics_of(result.layout, &metrics);
    /* Half a plan, or one that overflows, must not look like a plan. */
    if (!metrics.complete || !metrics.fits) {
        return metrics.complete ? sw_fail(error, SW_ERROR_USAGE, "this is no plan: it does not fit into memory")
                                : sw_fail(error, SW_ERROR_USAGE,
                                          "this is no plan: not every block has its place; %s runs to the end",
                                          SW_KEY(session, "last"));
    }
    const struct sw_format *format = sw_format_for_output(path, true, error);
    if (!format) {
        return false;
    }
    struct sw_sink sink = {0};
    bool done = sw_format_write_plan(format, &result, &sink, error) && sw_sink_commit(&sink, path, error);
    sw_sink_done(&sink);
    if (end_writing(session, done, path, real, error)) {
        sw_session_say(session, false, "wrote %s: %u of %u buffers placed", path, sw_layout_placed_count(result.layout),
                       sw_problem_planned_count(session->problem));
    }
    return done;
}

bool sw_do_export(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    struct sw_view_input in = {0};
    struct sw_export how = {.view = given->value[1].word};
    char real[PATH_MAX];
    if (!may_write(session, given->words[0], real, error) || !sw_session_view(session, &in, error)) {
        return false;
    }
    bool done = sw_export_file(&in, &how, given->words[0], error);
    if (end_writing(session, done, given->words[0], real, error)) {
        sw_session_say(session, false, "drew %s", given->words[0]);
    }
    return done;
}

bool sw_do_save(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const char *path = given->count > 0 ? given->words[0] : session->saved.path;
    if (!path) {
        return sw_fail(error, SW_ERROR_USAGE, "say save FILE");
    }
    if (strcmp(path, "-") == 0) {
        return sw_fail(error, SW_ERROR_USAGE, "a session needs the name of a file");
    }
    char real[PATH_MAX];
    if (!may_write(session, path, real, error)) {
        return false;
    }
    if (!end_writing(session, sw_session_save(session, path, error), path, real, error)) {
        return false;
    }
    session->saved.saved_edits = session->saved.edits;
    sw_autosave_saved(session);
    sw_session_say(session, false, "saved %s; stowage %s comes back to here", path, path);
    if (path != session->saved.path) {
        sw_state_drop(session->saved.path);
        session->saved.path = sw_state_copy(path);
    }
    return true;
}

/* The decision in full: its sentence, every place it looked at, what it moved. */
static void tell_decision(struct sw_session *session, const char *sentence, struct sw_sink *sink) {
    const struct sw_explanation *explanation = sw_state_explanation(session);
    const struct sw_problem *problem = sw_search_problem(sw_state_search(session));
    uint64_t base = session->options.base;
    sw_sink_printf(sink, "decision %" PRIu64 ": %s\n", sw_search_at(sw_state_search(session)), sentence);
    for (size_t i = 0; explanation && i < explanation->candidates.count; i++) {
        const struct sw_candidate *candidate = &explanation->candidates.items[i];
        bool figures = !sw_candidate_only_said(candidate);
        sw_sink_printf(sink, "%zu", i + 1);
        if (figures) {
            sw_sink_printf(sink, "  %s+%" PRIu64,
                           candidate->tier == SW_NONE ? "" : sw_problem_tier(problem, candidate->tier)->name,
                           candidate->offset + base);
        }
        if (figures && candidate->size == SW_UNBOUNDED) {
            sw_sink_printf(sink, "  open");
        } else if (figures) {
            sw_sink_printf(sink, "  %" PRIu64, candidate->size);
        }
        /* Most reasons say the verdict, too. */
        const char *verdict = sw_verdict_word(candidate->verdict);
        bool said = strstr(candidate->reason, verdict) != NULL || (!figures && candidate->verdict == SW_VERDICT_FITS);
        sw_sink_printf(sink, "  %s%s%s\n", said ? "" : verdict, said ? "" : ": ", candidate->reason);
    }
    for (size_t i = 0; explanation && i < explanation->moved.count; i++) {
        const struct sw_moved *moved = &explanation->moved.items[i];
        sw_sink_printf(sink, "moved %s from %" PRIu64 " to %" PRIu64 "\n",
                       sw_problem_buffer(problem, moved->buffer)->name, moved->from + base, moved->to + base);
    }
}

bool sw_do_copy(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    char sentence[SW_MESSAGE];
    const struct sw_decision *decision = sw_search_decision(sw_state_search(session));
    if (!decision) {
        return sw_fail(error, SW_ERROR_USAGE, "nothing has been decided yet; %s makes a decision",
                       SW_KEY(session, "step"));
    }
    struct sw_decision addressed = *decision;
    addressed.offset += session->options.base;
    sw_decision_describe(sw_search_problem(sw_state_search(session)), &addressed, sentence, sizeof sentence);
    struct sw_sink sink = {0};
    if (given->count == 0) {
        sw_session_say(session, false, "%" PRIu64 ": %s", decision->step, sentence);
        tell_decision(session, sentence, &sink);
        return sw_page_text(session, "This decision, and every place it looked at", &sink, error);
    }
    char real[PATH_MAX];
    const char *path = given->words[0];
    if (!may_write(session, path, real, error)) {
        return false;
    }
    tell_decision(session, sentence, &sink);
    bool done = sw_sink_commit(&sink, path, error);
    sw_sink_done(&sink);
    if (end_writing(session, done, path, real, error)) {
        sw_session_say(session, false, "wrote %s", path);
    }
    return done;
}

bool sw_do_bounds(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    struct sw_view_input in = {0};
    struct sw_sink sink = {0};
    char bytes[24];
    (void)given;
    if (!sw_session_view(session, &in, error)) {
        return false;
    }
    sw_view_text(&in, sw_view_find("bounds", NULL), &sink);
    sw_session_say(session, false, "no layout has a peak below %s",
                   sw_show_bytes_long(sw_problem_lower_bound(session->problem), bytes));
    return sw_page_text(session, "Lower bounds, and what proves them", &sink, error);
}

bool sw_do_notes(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    size_t notes = 0;
    const char *const *note = sw_problem_notes(session->problem, &notes);
    char line[200];
    (void)given, (void)error;
    sw_page_begin(session, "Notes on the file");
    snprintf(line, sizeof line, "%.150s: %u buffers", session->options.path,
             sw_problem_planned_count(session->problem));
    sw_page_add(session, SW_STYLE_DIM, line);
    for (size_t i = 0; i < notes; i++) {
        sw_page_add(session, SW_STYLE_TEXT, note[i]);
    }
    if (notes == 0) {
        sw_page_add(session, SW_STYLE_TEXT, "Nothing was left out or assumed; first and last are both inside a life.");
    }
    return true;
}

bool sw_do_runs(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    size_t runs = 0, chosen = 0;
    const struct sw_trace_run *run = sw_trace_runs(session->problem, &runs, &chosen);
    char line[200], number[32];
    (void)given;
    if (!run) {
        return sw_fail(error, SW_ERROR_USAGE, "this is no decision trace: only these hold runs");
    }
    sw_page_begin(session, "Runs in the file: stowage --run N opens another one");
    for (size_t i = 0; i < runs; i++) {
        snprintf(line, sizeof line, "%s%3zu  %-30.60s %12s decision%s  line %u", i == chosen ? ">" : " ", i + 1,
                 run[i].planner, sw_show_count(run[i].decisions, number), run[i].decisions == 1 ? " " : "s",
                 run[i].line);
        sw_page_add(session, i == chosen ? SW_STYLE_CURRENT : SW_STYLE_TEXT, line);
    }
    return true;
}

/* ---- the program ---- */

bool sw_do_theme(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    const char *const *names = sw_theme_names(), *name = names[0];
    for (size_t i = 0; names[i]; i++) {
        if (strcmp(names[i], session->display.theme) == 0 && names[i + 1]) {
            name = names[i + 1];
        }
    }
    if (!sw_state_theme(session, given->count ? given->words[0] : name, error)) {
        return false;
    }
    session->display.drawn++;
    sw_session_say(session, false, "theme %s", session->display.theme);
    return true;
}

SW_PLAIN_COMMAND(ascii, (sw_state_onoff(given, &session->display.ascii), true));

bool sw_do_map(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    static const char *const words[SW_MAP_LOOKS] = {"auto", "pixels", "symbols", "cells"};
    struct sw_display *display = &session->display;
    (void)error;
    for (unsigned i = 0; i < SW_MAP_LOOKS && given->count; i++) {
        if (strcmp(given->words[0], words[i]) == 0) {
            display->map = (enum sw_map_look)i;
            display->map_asked++;
        }
    }
    sw_session_say(session, false, "map %s", words[display->map]);
    return true;
}

SW_PLAIN_COMMAND(text, sw_state_switch(session, given, &session->display.text, "lines of text", "pictures"));
SW_PLAIN_COMMAND(mouse, sw_state_switch(session, given, &session->display.mouse,
                                        "Mouse capture on: it zooms and selects", "Mouse capture off"));

bool sw_do_stop(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    (void)given, (void)error;
    if (sw_session_busy(session)) {
        sw_session_stop(session);
    } else if (sw_beside_count(session)) {
        sw_beside_close(session);
    } else if (session->sight.candidate != SW_NONE || session->sight.selected != SW_NONE || session->sight.piece > 0) {
        /* Nothing runs and nothing is open: the highlights are what is left to close. */
        return sw_session_command(session, session->sight.candidate != SW_NONE ? "candidate" : "select", error);
    }
    return true;
}

SW_PLAIN_COMMAND(redraw, (session->display.drawn++, true));
SW_PLAIN_COMMAND(prompt, (sw_prompt_open(session, ""), true));

bool sw_do_key(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    if (session->within.keys >= 8) {
        return sw_fail(error, SW_ERROR_USAGE, "keys press keys too deeply");
    }
    session->within.keys++;
    for (size_t i = 0; i < given->count; i++) {
        /* What goes wrong is said in the status line, as it is when a finger presses the key. */
        sw_session_key(session, given->words[i], NULL);
    }
    session->within.keys--;
    return true;
}

/* Is there a what-if that was not undone? */
static bool has_branches(const struct sw_session *session) {
    for (size_t i = 1; i < sw_branch_count(session); i++) {
        if (!sw_branch_at(session, i)->hidden) {
            return true;
        }
    }
    return false;
}

bool sw_do_quit(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    (void)error;
    if (given->count == 0 && session->saved.edits != session->saved.saved_edits && has_branches(session)) {
        session->leaving = SW_ASKING;
        sw_session_say(session, true, "Quit without saving the what-if edits? (y/N)   :save FILE saves them");
        return true;
    }
    session->leaving = SW_LEAVING;
    return true;
}
