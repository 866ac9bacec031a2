/* What is pointed at, in a line: the titles of marks. */
#include "view/moment/moment_words.h"
#include "view/view_internal.h"
#include "view/web/web_data.h"

static bool same_recipe(const struct sw_search *one, const struct sw_search *other) {
    const struct sw_params *a = sw_search_params(one), *b = sw_search_params(other);
    size_t demands, others;
    sw_search_recipe(one, &demands);
    sw_search_recipe(other, &others);
    if (demands != others || sw_search_known(one) != sw_search_known(other)) {
        return false;
    }
    bool same =
        a->seed == b->seed && a->work == b->work && a->cost == b->cost && a->settings.count == b->settings.count;
    for (size_t i = 0; same && i < a->settings.count; i++) {
        same = !strcmp(a->settings.items[i].key, b->settings.items[i].key) &&
               !strcmp(a->settings.items[i].value, b->settings.items[i].value);
    }
    return same;
}

uint32_t sw_web_run(struct sw_web_runs *runs, const struct sw_search *search) {
    for (size_t i = 0; i < runs->items.count; i++) {
        const struct sw_search *other = runs->items.items[i];
        if (other == search || (sw_search_problem(other) == sw_search_problem(search) &&
                                sw_search_planner(other) == sw_search_planner(search) && same_recipe(other, search))) {
            /* The later step knows more. */
            runs->items.items[i] = sw_search_at(search) > sw_search_at(other) ? search : other;
            return (uint32_t)i;
        }
    }
    return SW_PUSH(&runs->items, search) ? (uint32_t)runs->items.count - 1 : SW_NONE;
}

bool sw_web_points(const struct sw_mark *mark) {
    return mark->kind == SW_MARK_POINT || ((mark->kind == SW_MARK_RECT || mark->kind == SW_MARK_BAR) &&
                                           (mark->item.kind == SW_ITEM_BUFFER || mark->item.kind == SW_ITEM_PIECE ||
                                            mark->item.kind == SW_ITEM_MERGED));
}

static const char *tell_buffer(struct sw_scene *scene, const struct sw_panel *panel, const struct sw_mark *mark) {
    const struct sw_problem *problem = sw_search_problem(panel->about);
    uint32_t b = (uint32_t)mark->item.id;
    const struct sw_buffer *buffer = b < sw_problem_buffer_count(problem) ? sw_problem_buffer(problem, b) : NULL;
    if (!buffer) {
        return "";
    }
    const char *text = sw_scene_printf(scene, "%s: %s", buffer->name, sw_scene_bytes(scene, buffer->size));
    if (sw_problem_moment(problem)) {
        return text;
    }
    bool steps = sw_problem_time_is_step(problem);
    text = sw_scene_printf(scene, "%s, %s %s", text, steps ? "steps" : "time", sw_view_life(scene, problem, buffer));
    if (panel->tier == SW_NONE || mark->kind != SW_MARK_RECT) {
        return text;
    }
    return buffer->piece_count > 1
               ? text
               : sw_scene_printf(scene, "%s, at %s", text, SW_COUNT((uint64_t)mark->y0 + panel->base));
}

const char *sw_web_tell(struct sw_scene *scene, const struct sw_panel *panel, const struct sw_mark *mark) {
    const struct sw_problem *problem = panel->about ? sw_search_problem(panel->about) : NULL;
    const struct sw_moment *moment = problem ? sw_problem_moment(problem) : NULL;
    if (mark->kind == SW_MARK_POINT) {
        return mark->labels ? mark->labels[0] : "";
    }
    if (mark->item.kind == SW_ITEM_MERGED) {
        return mark->hidden
                   ? sw_scene_printf(scene, "%s too small to draw", sw_scene_counted(scene, mark->hidden, "block"))
                   : "blocks too small to draw";
    }
    if (moment) {
        struct sw_sink line = {0};
        for (size_t i = 0; i < moment->blocks.count; i++) {
            bool own =
                mark->item.kind == SW_ITEM_PIECE ? i == mark->item.id : moment->blocks.items[i].buffer == mark->item.id;
            if (own && moment->blocks.items[i].segment != SW_NONE) {
                sw_moment_put_block(moment, i, &line);
                break;
            }
        }
        const char *said = sw_sink_ended(&line), *text = said ? sw_scene_printf(scene, "%s", said) : "";
        scene->failed |= !said;
        sw_sink_done(&line);
        return text;
    }
    return problem && mark->item.kind == SW_ITEM_BUFFER ? tell_buffer(scene, panel, mark) : "";
}
