/* What is pointed at, in a line: the titles of marks. */
#include "view/moment/moment_words.h"
#include "view/view_internal.h"
#include "view/web/web_data.h"
#include "base/base.h"
#include "problem/moment/moment.h"

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

/* "60%", rounded down: never all of it where something is missing. */
static void put_web_percent(struct sw_sink *line, double part) {
    unsigned whole = (unsigned)(part * 100 + 1e-6);
    sw_sink_printf(line, whole ? "%u%%" : "under 1%%", whole);
}

/* ": conv 60%, relu 20%, 2 more types 4%": the main classes, and what part of what is filled is theirs. */
static void put_web_classes(const struct sw_panel *panel, const struct sw_merged *merged, struct sw_sink *line) {
    enum { WEB_CLASSES = 3 };
    bool told[SW_HUES] = {false};
    for (int i = 0; i < WEB_CLASSES; i++) {
        int best = -1;
        for (int class = 0; class < SW_HUES; class ++) {
            bool larger = best < 0 || merged->classes[class] > merged->classes[best];
            best = panel->classes[class] && merged->classes[class] > 0 && !told[class] && larger ? class : best;
        }
        if (best >= 0) {
            told[best] = true;
            sw_sink_printf(line, "%s%s ", i ? ", " : ": ", panel->classes[best]);
            put_web_percent(line, merged->classes[best] / merged->full);
        }
    }
}

/* "9 blocks too small to draw, 5 of them counted here, 1.5 MiB; 60% full: conv 70%, relu 30%; largest conv_3 (392 KiB),
 * conv_4 (200 KiB)". */
static void put_web_merged(enum sw_units units, const struct sw_panel *panel, const struct sw_mark *mark,
                           struct sw_sink *line) {
    const struct sw_merged *merged = &panel->merged.items[mark->told - 1];
    const struct sw_problem *problem = sw_search_problem(panel->about);
    char text[40];
    sw_sink_printf(line, "%s too small to draw", SW_COUNTED(merged->count, "block"));
    if (mark->hidden < merged->count) {
        sw_sink_printf(line, mark->hidden ? ", %s of them counted here" : ", counted beside", SW_COUNT(mark->hidden));
    }
    sw_sink_printf(line, ", %s; ", sw_show_bytes_in(units, merged->bytes, text));
    put_web_percent(line, SW_MIN(merged->full, 1));
    const struct sw_moment *moment = sw_problem_moment(problem);
    sw_sink_printf(line, moment ? " in use" : " full");
    put_web_classes(panel, merged, line);
    for (int i = 0; i < SW_MERGED_NAMED && merged->largest[i] != SW_NONE; i++) {
        const struct sw_moment_block *block = moment ? &moment->blocks.items[merged->largest[i]] : NULL;
        const char *name = block ? block->name : sw_problem_buffer(problem, merged->largest[i])->name;
        uint64_t size = block ? block->size : sw_problem_buffer(problem, merged->largest[i])->size;
        sw_sink_printf(line, i ? ", " : merged->count > 1 ? "; largest " : "; ");
        if (name) {
            sw_sink_printf(line, "%s", name);
        } else if (block) {
            sw_sink_printf(line, "0x%" PRIx64, block->address);
        }
        if (merged->count > 1) {
            sw_sink_printf(line, " (%s)", sw_show_bytes_in(units, size, text));
        }
    }
}

static const char *keep_web_line(struct sw_scene *scene, struct sw_sink *line) {
    const char *said = sw_sink_ended(line);
    char *text = said ? sw_arena_string(&scene->arena, said, strlen(said)) : NULL;
    if (text) {
        sw_utf8_clean(text, scene->joins);
    }
    scene->failed |= !text;
    sw_sink_done(line);
    return text ? text : "";
}

const char *sw_web_tell(struct sw_scene *scene, const struct sw_panel *panel, const struct sw_mark *mark) {
    const struct sw_problem *problem = panel->about ? sw_search_problem(panel->about) : NULL;
    const struct sw_moment *moment = problem ? sw_problem_moment(problem) : NULL;
    struct sw_sink line = {0};
    if (mark->item.kind == SW_ITEM_MERGED && problem && mark->told > 0 && mark->told <= panel->merged.count) {
        put_web_merged(scene->units, panel, mark, &line);
        return keep_web_line(scene, &line);
    }
    if (mark->kind == SW_MARK_POINT) {
        return mark->labels ? mark->labels[0] : "";
    }
    if (mark->item.kind == SW_ITEM_MERGED) {
        return mark->hidden
                   ? sw_scene_printf(scene, "%s too small to draw", sw_scene_counted(scene, mark->hidden, "block"))
                   : "blocks too small to draw";
    }
    if (moment) {
        bool piece = mark->item.kind == SW_ITEM_PIECE;
        uint64_t block = piece ? mark->item.id : sw_moment_block_of(moment, mark->item.id);
        if (block < moment->blocks.count && moment->blocks.items[block].segment != SW_NONE) {
            sw_moment_put_block(moment, block, &line);
        }
        return keep_web_line(scene, &line);
    }
    return problem && mark->item.kind == SW_ITEM_BUFFER ? tell_buffer(scene, panel, mark) : "";
}
