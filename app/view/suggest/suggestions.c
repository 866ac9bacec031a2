/* What lowers the peak of the run: moves that were made, the best first, as they come. */
#include "base/base.h"
#include "view/scene/lines.h"
#include "view/suggest/suggest_words.h"

const char *sw_suggest_in_scene(struct sw_scene *scene, struct sw_sink *text) {
    const char *ended = sw_sink_ended(text);
    scene->failed |= !ended;
    const char *copy = ended ? sw_scene_clean(scene, sw_scene_printf(scene, "%s", ended)) : "";
    sw_sink_done(text);
    return copy;
}

static const struct sw_lines_head suggest_heads[] = {{"", true}, {"peak", true}, {"saves", true}, {"", false}};
enum { SUGGEST_COLUMNS = sizeof suggest_heads / sizeof *suggest_heads, SUGGEST_BELOW = 14 };

static void add_suggestion_row(struct sw_lines *lines, size_t i) {
    const struct sw_suggest *found = lines->in->run.suggest;
    const struct sw_suggestion *of = sw_suggest_get(found, i);
    bool now = i == lines->in->look.suggestion;
    struct sw_sink phrase = {0};
    sw_lines_row(lines, SW_NO_ITEM, now);
    sw_lines_cellf(lines, SW_STYLE_DIM, true, "%zu", i + 1);
    sw_lines_cell(lines, of->fits ? SW_STYLE_FITS : SW_STYLE_TEXT, true, sw_lines_bytes(lines, of->peak));
    sw_lines_cell(lines, SW_STYLE_TEXT, true, of->saved ? sw_lines_bytes(lines, of->saved) : "");
    sw_suggest_put_phrase(sw_suggest_run(found), lines->in->run.base, of, &phrase);
    sw_lines_cell(lines, now ? SW_STYLE_SELECTED : SW_STYLE_TEXT, false, sw_suggest_in_scene(lines->scene, &phrase));
}

/* The one that is looked at: how it is typed, and what it costs. */
static void say_looked_at(struct sw_lines *lines, const struct sw_suggestion *of) {
    struct sw_sink commands = {0}, price = {0}, why = {0}, elsewhere = {0};
    const struct sw_search *run = sw_suggest_run(lines->in->run.suggest);
    sw_suggest_put_commands(run, lines->in->run.base, of, "; ", &commands);
    sw_lines_textf(lines, SW_STYLE_STRONG, "%s", sw_suggest_in_scene(lines->scene, &commands));
    sw_suggest_put_price(lines->in->run.suggest, of, &price);
    const char *words = sw_suggest_in_scene(lines->scene, &price);
    /* The bound is one of all memory, and of layouts that move nothing out. */
    const char *bound = of->peak < of->bound    ? ""
                        : of->peak == of->bound ? ", the lower bound then"
                                                : sw_scene_printf(lines->scene, ", %s over the lower bound then",
                                                                  sw_lines_bytes(lines, of->peak - of->bound));
    sw_suggest_put_why(lines->in->run.suggest, lines->in->run.base, of, &why);
    const char *sentence = sw_suggest_in_scene(lines->scene, &why);
    if (*sentence) {
        sw_lines_textf(lines, SW_STYLE_TEXT, "Why: %s.", sentence);
    }
    sw_suggest_put_elsewhere(lines->in->run.suggest, of, &elsewhere);
    sw_lines_textf(lines, SW_STYLE_DIM, "A peak of %s B%s; %s%s%s.", SW_COUNT(of->peak), bound,
                   sw_suggest_in_scene(lines->scene, &elsewhere), *words ? "; " : "", words);
}

static void say_state(struct sw_lines *lines, const struct sw_suggest_state *state, size_t count) {
    struct sw_sink tried = {0}, goal = {0};
    sw_suggest_put_goal(state, &goal);
    const char *minimizes = sw_suggest_in_scene(lines->scene, &goal);
    if (*minimizes) {
        sw_lines_textf(lines, SW_STYLE_DIM, "%s", minimizes);
    }
    if (state->over && !state->spent && !sw_suggest_any_tried(state)) {
        sw_lines_text(lines, SW_STYLE_DIM, "No moves are known for this planner.");
        return;
    }
    if (state->at_bound) {
        sw_lines_text(lines, SW_STYLE_DIM, "The peak is the lower bound: only what lowers the bound is tried.");
    } else if (count == 0 && state->over) {
        sw_lines_text(lines, SW_STYLE_DIM, "Nothing that was tried lowers the peak.");
    }
    sw_suggest_put_tried(state, &tried);
    sw_lines_textf(lines, SW_STYLE_DIM, "%s%s", sw_suggest_in_scene(lines->scene, &tried),
                   state->spent  ? "; the work is spent."
                   : state->over ? "."
                                 : sw_scene_printf(lines->scene, "; %.0f%% of the work.",
                                                   100 * (double)state->work / (double)state->work_limit));
}

static void suggestions_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    const struct sw_suggest *found = in->run.suggest;
    size_t count = found ? sw_suggest_count(found) : 0;
    const char *of = in->run.suggest_branch ? sw_scene_printf(scene, ", of branch %u", in->run.suggest_branch) : "";
    const char *title = sw_scene_printf(scene, "what lowers the peak%s", of);
    struct sw_lines lines = sw_lines_begin(in, scene, "suggestions", title, box, SUGGEST_COLUMNS, 3);
    struct sw_suggest_state state;
    if (!found) {
        sw_lines_text(&lines, SW_STYLE_DIM, "No list yet: suggest tries moves that lower the peak, and lists them.");
        return;
    }
    sw_suggest_state_of(found, &state);
    if (count > 0) {
        uint32_t room = sw_lines_heads(&lines, suggest_heads, SUGGEST_COLUMNS, (uint32_t)count);
        room =
            SW_MIN(room, (uint32_t)SW_MAX(lines.rows > SUGGEST_BELOW ? lines.rows - SUGGEST_BELOW : 1, lines.rows / 2));
        uint32_t focus = (uint32_t)SW_MIN(in->look.suggestion, count - 1);
        uint32_t first = sw_lines_first(&lines, focus >= room ? focus - room + 1 : 0, (uint32_t)count, room);
        for (uint32_t i = first; i < first + room && i < count; i++) {
            add_suggestion_row(&lines, i);
        }
        sw_lines_blank(&lines);
        say_looked_at(&lines, sw_suggest_get(found, focus));
    }
    say_state(&lines, &state, count);
}

const struct sw_view sw_view_suggestions = {
    .name = "suggestions",
    .summary = "what lowers the peak: moves that were tried",
    .scrolls = SW_SCROLLS_LIST,
    .build = suggestions_build,
    .reads = SW_VIEW_READS_SUGGESTIONS,
    .keys = SW_KEYS_SUGGEST,
};
