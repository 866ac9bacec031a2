/* The order of the operators while it is made: a box for each operator at its place, and below it what is alive while
 * it runs, with what the search must not pass. No block has an address yet. */
#include "base/base.h"
#include "planners/operators/ordering_look.h"
#include "planners/planner.h"
#include "view/area/map_area.h"

static void order_box(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel, uint32_t from,
                      uint32_t to, bool last, const char *const *labels, struct sw_item item) {
    struct sw_mark mark = sw_mark_over(SW_MARK_RECT, last ? SW_STYLE_CURRENT : SW_STYLE_BLOCK, sw_view_x(in, from),
                                       sw_view_x(in, to), 0, 1);
    mark.hue = (uint8_t)(from % SW_HUES);
    mark.labels = labels;
    mark.item = item;
    if (mark.x1 > panel->x.lo && mark.x0 < panel->x.hi) {
        sw_panel_mark(scene, panel, mark);
    }
}

static bool same_kind_of_place(const struct sw_order_look *look, uint32_t a, uint32_t b) {
    return (look->at[a] == SW_NONE) == (look->at[b] == SW_NONE) && a != look->last && b != look->last;
}

/* Operators that are too narrow to be told apart are one box that says how many they are. */
static void add_order_boxes(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel,
                            const struct sw_order_look *look) {
    enum { LEAST_BOX = 2 };
    bool each = sw_view_space(in, panel).x_scale / in->marks_per_unit_x >= LEAST_BOX;
    for (uint32_t from = 0, to; from < look->count && !scene->failed; from = to) {
        uint32_t op = look->at[from];
        for (to = from + 1; !each && to < look->count && same_kind_of_place(look, from, to); to++) {
        }
        if (op == SW_NONE) {
            continue;
        }
        bool last = from == look->last;
        const char *name = to - from == 1 ? sw_problem_operator(look->model, op)->name
                                          : sw_scene_counted(scene, to - from, "operator");
        order_box(in, scene, panel, from, to, last,
                  to - from == 1 ? sw_scene_labels(scene, name)
                                 : SW_LABELS(scene, name, sw_scene_printf(scene, "%s", SW_COUNT(to - from)), ""),
                  (struct sw_item){SW_ITEM_OPERATOR, from});
    }
}

static const char *order_title(const struct sw_view_input *in, struct sw_scene *scene,
                               const struct sw_order_look *look) {
    const char *last = look->last == SW_NONE ? NULL : sw_problem_operator(look->model, look->at[look->last])->name;
    if (!look->made) {
        return look->best ? "the best order so far; nothing has an address yet"
                          : "the order of the file; nothing has an address yet";
    }
    const char *text = sw_scene_printf(scene, "order so far%s", look->backward ? ", from the end" : "");
    if (look->threshold) {
        text = sw_scene_printf(scene, "%s, within %s", text, sw_view_said_bytes(in, scene, look->threshold));
    }
    text = sw_scene_printf(scene, "%s: %s of %s", text, SW_COUNT(look->done),
                           sw_scene_counted(scene, look->count, "operator"));
    return last ? sw_scene_printf(scene, "%s, last %s", text, sw_scene_clean(scene, last)) : text;
}

/* "search tree: depth 16, 118 nodes, pruned 25": where the run stands in it; NULL: it is not in one. */
static const char *order_tree(const struct sw_view_input *in, struct sw_scene *scene) {
    struct sw_tree own = {0};
    const struct sw_tree *tree = in->run.tree;
    const char *text = NULL;
    if (!tree) {
        scene->failed |= !sw_tree_read(&own, in->run.search);
        tree = &own;
    }
    uint32_t node = tree->nodes.count ? sw_tree_at(tree, in->run.search, sw_search_at(in->run.search)) : SW_NONE;
    if (node != SW_NONE) { /* of all that was reached up to here */
        uint32_t last = sw_tree_reached(tree, sw_search_at(in->run.search));
        const struct sw_node *next = last + 1 < tree->nodes.count ? &tree->nodes.items[last + 1] : NULL;
        text = sw_scene_printf(scene, "search tree: depth %u, %s, pruned %s", tree->nodes.items[node].depth,
                               sw_scene_counted(scene, last + 1, "node"), SW_COUNT(next ? next->pruned : tree->pruned));
    }
    sw_tree_done(&own);
    return text;
}

/* Bars need a value for every step. */
static void add_order_bars(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel,
                           const struct sw_order_look *look) {
    uint32_t steps = sw_problem_steps(sw_search_problem(in->run.search));
    uint64_t *during = sw_arena_new(&scene->arena, steps + 1, sizeof *during);
    scene->failed |= !during;
    for (uint32_t i = 0; during && i < steps; i++) {
        during[i] = i < look->count ? look->during[i] : 0;
    }
    if (during) {
        sw_view_bars(in, scene, panel, during, look->most ? look->most : UINT64_MAX);
    }
}

static void add_order_levels(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel,
                             const struct sw_order_look *look, const struct sw_claims *claims) {
    uint64_t best = claims->order_peak ? claims->order_peak : claims->order_before;
    if (claims->order_bound > 0 && claims->order_bound < best) {
        sw_view_level(scene, panel, SW_STYLE_BOUND, true, (double)claims->order_bound,
                      sw_view_figure(in, scene, "any order", claims->order_bound));
    }
    sw_view_level(scene, panel, SW_STYLE_PEAK, false, (double)best,
                  sw_view_figure(in, scene, claims->order_peak ? "best order" : "file's order", best));
    if (look->threshold) {
        sw_view_level(scene, panel, SW_STYLE_CAPACITY, false, (double)look->threshold,
                      sw_view_figure(in, scene, "threshold", look->threshold));
    }
}

bool sw_view_build_order(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    enum { STRIP = 4, LEAST_BARS = 4 };
    struct sw_order_look look = {0};
    struct sw_claims claims;
    bool missed;
    if (!sw_order_look(in->run.search, &look, &missed)) {
        scene->failed |= missed;
        return false;
    }
    sw_search_claims(in->run.search, &claims);
    if (box.height >= STRIP + LEAST_BARS) {
        struct sw_panel *strip = sw_scene_panel(scene, SW_PANEL_PLOT, "order");
        strip->title = order_title(in, scene, &look);
        sw_view_place(in, scene, strip, sw_box_take(&box, STRIP), false);
        strip->tier = SW_NONE;
        strip->y.lo = 0;
        strip->y.hi = 1;
        add_order_boxes(in, scene, strip, &look);
        sw_view_mark_cursor(in, scene, strip);
    }
    const char *tree = order_tree(in, scene);
    struct sw_panel *bars = sw_scene_panel(scene, SW_PANEL_PLOT, "alive");
    bars->title = box.height >= LEAST_BARS
                      ? sw_scene_printf(scene, "alive in this order: at most %s%s%s",
                                        sw_view_said_bytes(in, scene, look.most), tree ? "; " : "", tree ? tree : "")
                      : NULL;
    sw_view_place(in, scene, bars, box, true);
    bars->tier = SW_NONE;
    uint64_t most = SW_MAX(look.most, SW_MAX(claims.order_peak, claims.order_before));
    sw_view_bytes_axis(in, scene, bars, 0, fmax((double)most * 1.04, 1));
    add_order_bars(in, scene, bars, &look);
    add_order_levels(in, scene, bars, &look, &claims);
    sw_view_mark_cursor(in, scene, bars);
    sw_order_look_done(&look);
    return true;
}
