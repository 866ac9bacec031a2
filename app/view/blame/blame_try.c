/* What to try: moves that lower the peak of the run, each made before it is told (suggest/suggest.h). A frame has time
 * for a few; the command suggest makes more of them. */
#include "base/base.h"
#include "planners/planner.h"
#include "view/blame/blame.h"
#include "view/suggest/suggest_words.h"

enum { BLAME_EFFORT = 1500000, BLAME_LARGEST = 5000 };

/* Of a run above its bound, of a planner that makes one layout, so that each try is short. */
static bool may_try(const struct sw_lines *lines, const struct sw_metrics *metrics) {
    const struct sw_planner *planner = sw_search_planner(lines->search);
    return planner->one_layout && !planner->reserves && metrics->comparable && metrics->peak > metrics->lower_bound &&
           sw_problem_planned_count(lines->problem) <= BLAME_LARGEST;
}

struct sw_suggest *sw_blame_suggestions(const struct sw_search *search, struct sw_error *error) {
    const struct sw_suggest_request request = {.work = BLAME_EFFORT,
                                               .kinds = ~(1U << SW_SUGGEST_PLANNER | 1U << SW_SUGGEST_REORDER)};
    struct sw_suggest *found = sw_suggest_new(search, &request, error);
    if (found && sw_suggest_step(found, 0, error) == SW_STEP_FAILED) {
        sw_suggest_free(found);
        return NULL;
    }
    return found;
}

static void say_suggestion(struct sw_lines *lines, const struct sw_suggest *found, const struct sw_suggestion *of,
                           const char *fit) {
    struct sw_sink commands = {0}, price = {0};
    sw_suggest_put_commands(lines->search, lines->in->run.base, of, "; ", &commands);
    sw_suggest_put_price(found, of, &price);
    const char *typed = sw_suggest_in_scene(lines->scene, &commands), *cost = sw_suggest_in_scene(lines->scene, &price);
    sw_lines_textf(lines, SW_STYLE_FITS, "  %s   peak %s, %s less%s%s%s%s", typed, sw_lines_bytes(lines, of->peak),
                   sw_lines_bytes(lines, of->saved), of->peak == of->bound ? ": the lower bound" : "", fit,
                   *cost ? "; " : "", cost);
}

static void say_why(struct sw_lines *lines, const struct sw_suggest *found, const struct sw_suggestion *of) {
    struct sw_sink why = {0};
    sw_suggest_put_why(found, lines->in->run.base, of, &why);
    const char *sentence = sw_suggest_in_scene(lines->scene, &why);
    if (*sentence) {
        sw_lines_textf(lines, SW_STYLE_DIM, "Why the first helps: %s.", sentence);
    }
}

/* `fits`: the run itself does; else it is said of the moves. */
static void say_suggestions(struct sw_lines *lines, const struct sw_suggest *found, bool fits) {
    struct sw_suggest_state state;
    struct sw_sink tried = {0};
    size_t count = sw_suggest_count(found), most = sw_medium(lines->in)->brief ? 2 : 4;
    sw_suggest_state_of(found, &state);
    if (count > 0) {
        bool none = !fits && !sw_suggest_get(found, 0)->fits; /* those that fit come first */
        sw_lines_textf(lines, SW_STYLE_STRONG,
                       "What to try, each made and run to its end%s:", none ? " (none fits)" : "");
        for (size_t i = 0; i < count && i < most; i++) {
            const struct sw_suggestion *of = sw_suggest_get(found, i);
            say_suggestion(lines, found, of, fits || none ? "" : of->fits ? "; fits" : "; does not fit");
        }
        say_why(lines, found, sw_suggest_get(found, 0));
        sw_lines_text(lines, SW_STYLE_DIM, "suggest tries more, and other kinds of moves.");
        return;
    }
    sw_suggest_put_tried(&state, &tried);
    sw_lines_textf(lines, SW_STYLE_DIM, "Nothing that was tried here lowers the peak (%s); suggest tries more.",
                   sw_suggest_in_scene(lines->scene, &tried));
}

static void say_made(struct sw_lines *lines, size_t i) {
    const struct sw_suggest *found = lines->in->run.suggest;
    const struct sw_suggestion *of = sw_suggest_get(found, i);
    struct sw_sink commands = {0}, price = {0};
    sw_suggest_put_commands(sw_suggest_run(found), lines->in->run.base, of, "; ", &commands);
    sw_suggest_put_price(found, of, &price);
    const char *typed = sw_suggest_in_scene(lines->scene, &commands), *cost = sw_suggest_in_scene(lines->scene, &price);
    const char *less = of->saved ? sw_scene_printf(lines->scene, ", %s less", sw_lines_bytes(lines, of->saved))
                                 : ": it has a plan then";
    sw_lines_textf(lines, SW_STYLE_FITS, "%s: peak %s%s%s%s%s%s.", typed, sw_lines_bytes(lines, of->peak),
                   of->peak != of->bound                                 ? ""
                   : of->bound == sw_problem_lower_bound(lines->problem) ? " (the bound)"
                                                                         : " (its new bound)",
                   less, of->fits ? "" : "; it does not fit", *cost ? "; " : "", cost);
}

void sw_blame_made(struct sw_lines *lines) {
    const struct sw_suggest *found = lines->in->run.suggest;
    size_t count = sw_suggest_count(found);
    struct sw_suggest_state state;
    struct sw_sink tried = {0};
    sw_suggest_state_of(found, &state);
    for (size_t i = 0; i < count && i < SW_BLAME_TOLD; i++) {
        say_made(lines, i);
    }
    if (count > 0) {
        say_why(lines, found, sw_suggest_get(found, 0));
    }
    sw_suggest_put_tried(&state, &tried);
    if (sw_suggest_any_tried(&state)) {
        sw_lines_textf(lines, SW_STYLE_DIM, "%s%s, each made and run to its end, within %s units of work%s.",
                       count ? "" : "Nothing that was tried lowers the peak. ",
                       sw_suggest_in_scene(lines->scene, &tried), SW_COUNT(state.work_limit),
                       state.spent ? ", which are spent: suggest --effort tries more" : "");
    } else {
        sw_sink_done(&tried);
        sw_lines_text(lines, SW_STYLE_DIM, "No moves are known for this planner.");
    }
}

void sw_blame_try(struct sw_lines *lines) {
    struct sw_metrics metrics;
    sw_metrics_of(lines->layout, &metrics);
    if (!may_try(lines, &metrics)) {
        return;
    }
    if (!metrics.complete || !sw_view_at_end(lines->search)) {
        sw_lines_text(lines, SW_STYLE_DIM, "What to try stands here at the end of the run; suggest looks at once.");
        return;
    }
    struct sw_error error = {0};
    bool keeps = lines->in->kept != NULL;
    struct sw_suggest *own = keeps ? NULL : sw_blame_suggestions(lines->search, &error);
    const struct sw_suggest *found = keeps ? sw_frame_cache_suggest(lines->in->kept, lines->search, &error) : own;
    if (found) {
        say_suggestions(lines, found, metrics.fits);
    }
    lines->scene->failed |= error.code == SW_ERROR_MEMORY;
    sw_suggest_free(own);
}
