/* The regions of a run of fit over the map: of the model that is looked at before the run hands over, and then strip by
 * strip. */
#include "view/fit/fit_sight.h"

/* On paper a light band; in cells a frame while the map is empty, and a stroke at the upper edge when it is not.
 * `labels`: NULL-ended, longest first. */
static void mark_region(const struct sw_fit_seen *seen, struct sw_panel *panel, uint32_t hue, uint32_t from,
                        uint32_t to, const char *const *labels) {
    struct sw_mark line = sw_mark_over(SW_MARK_LINE, SW_STYLE_TRANSFER, sw_view_x(seen->in, from),
                                       sw_view_x(seen->in, to), panel->y.hi, panel->y.hi);
    line.item = (struct sw_item){SW_ITEM_STEP, from};
    if (line.x1 <= panel->x.lo || line.x0 >= panel->x.hi) {
        return;
    }
    if (!sw_medium(seen->in)->fine) {
        line.labels = labels;
        line.kind = seen->sight.handed ? SW_MARK_LINE : SW_MARK_FRAME;
        line.y0 = seen->sight.handed ? line.y1 : panel->y.lo;
        sw_panel_mark(seen->scene, panel, line);
        return;
    }
    line.kind = SW_MARK_BAND;
    line.style = SW_STYLE_BLOCK;
    line.hue = (uint8_t)(hue % SW_HUES);
    line.pattern = hue % 2;
    line.y0 = panel->y.lo;
    sw_panel_mark(seen->scene, panel, line);
}

/* One after the other: the calls of a strip. */
static void mark_strips(const struct sw_fit_seen *seen, struct sw_panel *panel, const struct sw_fit_program *program) {
    for (uint32_t from = 0, to; from < program->calls.count && !seen->scene->failed; from = to) {
        const struct sw_fit_call *call = &program->calls.items[from];
        for (to = from + 1; to < program->calls.count && program->calls.items[to].region == call->region &&
                            program->calls.items[to].strip == call->strip;
             to++) {
        }
        if (call->region != SW_NONE && call->strip != SW_NONE) {
            const struct sw_fit_region *region = &program->regions[call->region];
            const char *name = sw_problem_operator(program->problem, region->first)->name;
            mark_region(
                seen, panel, call->region, from, to,
                SW_LABELS(seen->scene,
                          sw_scene_printf(seen->scene, "%s/strip %u of %u", name, call->strip + 1, region->strips),
                          sw_scene_printf(seen->scene, "%u/%u", call->strip + 1, region->strips)));
        }
    }
}

void sw_view_mark_regions(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel) {
    struct sw_fit_seen seen;
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal;
    if (in->run.fit || !sw_fit_seen(in, scene, &seen)) {
        return;
    }
    if (seen.sight.handed) { /* what the map shows, and not another model of the front */
        seen.looked = seen.sight.chosen ? seen.sight.chosen : seen.looked;
        if (sw_fit_program_make(sw_fit_cut_problem(&seen), seen.looked->regions, seen.looked->region_count, &program,
                                &refusal)) {
            mark_strips(&seen, panel, &program);
        } else {
            scene->failed |= refusal.op == SW_NONE;
        }
        sw_fit_program_done(&program);
    }
    /* In another order a region is no run of the steps that the map has. */
    bool own = seen.result->variants[seen.looked->variant].base.plain;
    for (size_t r = 0; r < seen.looked->region_count && own && !seen.sight.handed && !scene->failed; r++) {
        const struct sw_fit_region *region = &seen.looked->regions[r];
        mark_region(&seen, panel, (uint32_t)r, region->first, region->last + 1,
                    SW_LABELS(scene, sw_fit_region_words(&seen, seen.looked, region),
                              sw_scene_printf(scene, "%u strips", region->strips)));
    }
    if (seen.looked->region_count > 0 && sw_medium(in)->legend) {
        sw_scene_legend_line(scene, SW_STYLE_BLOCK, 0, SW_DASH_NONE, true, "region in strips");
    }
}
