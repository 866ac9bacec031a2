/* The bar at the top, with the figures one always wants, and the bar at the bottom, with the keys.
 */
#include "formats/format.h"
#include "view/internal.h"

#include <stdio.h>
#include <string.h>

static struct sw_panel *bar(struct sw_scene *scene, const char *id, struct sw_box box,
                            enum sw_style fill) {
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_TABLE, id);
    panel->left = box.left;
    panel->top = box.top;
    panel->width = box.width;
    panel->height = box.height;
    panel->fill = (uint8_t)fill;
    sw_panel_row(scene, panel, (struct sw_item){SW_ITEM_NONE, 0}, false);
    return panel;
}

/* Parts of the header in their order; those of the highest `rank` go first when there is no room.
 */
struct part {
    const char *text;
    int rank;
    bool right;
};
enum { PARTS = 11 };

static const char *progress(const struct sw_view_input *in, struct sw_scene *scene) {
    char a[32], b[32];
    uint64_t at = sw_search_at(in->search), known = sw_search_known(in->search);
    bool complete = sw_search_complete(in->search);
    if (!complete && at == known) { /* nobody knows yet how many there will be */
        return sw_scene_printf(scene, "decision %s/?", sw_show_count(at, a));
    }
    return sw_scene_printf(scene, "decision %s/%s%s", sw_show_count(at, a), sw_show_count(known, b),
                           complete ? "" : "+");
}

/* Where in time the last decision belongs. */
static const char *place_in_time(const struct sw_view_input *in, struct sw_scene *scene) {
    const struct sw_problem *problem = sw_search_problem(in->search);
    const struct sw_decision *decision = sw_search_decision(in->search);
    if (!decision || decision->time == SW_NONE) {
        return "";
    }
    if (decision->time < sw_problem_operator_count(problem)) {
        return sw_scene_printf(scene, "operator %u %s", decision->time,
                               sw_problem_operator(problem, decision->time)->name);
    }
    return in->raw_time ? sw_scene_printf(scene, "time %lld",
                                          (long long)sw_problem_time(problem, decision->time))
                        : sw_scene_printf(scene, "step %u", decision->time);
}

/* Which branch, once there are several. */
static const char *branch(const struct sw_view_input *in, struct sw_scene *scene) {
    for (uint32_t i = 0; in->branch_count > 1 && i < in->branch_count; i++) {
        const struct sw_branch_line *line = &in->branches[i];
        if (line->current) {
            return *line->name
                       ? sw_scene_printf(scene, "branch %u %s", line->number, line->name)
                       : sw_scene_printf(scene, "branch %u of %u", line->number, in->branch_count);
        }
    }
    return "";
}

static void figures(const struct sw_view_input *in, struct sw_scene *scene, struct part *parts) {
    struct sw_metrics metrics;
    sw_metrics_of(sw_search_layout(in->search), &metrics);
    char text[24];
    bool known = metrics.single_tier;
    parts[0] = (struct part){
        known ? sw_scene_printf(scene, "peak %s", sw_show_bytes(metrics.peak, text))
              : sw_scene_printf(scene, "%s %s",
                                sw_problem_tier(sw_search_problem(in->search), in->tier)->name,
                                sw_show_bytes(metrics.tier_peak[in->tier], text)),
        0, true};
    /* The bound is one of all memory: beside the peak of one tier among several it says nothing. */
    parts[1] = (struct part){
        known ? sw_scene_printf(scene, "bound %s", sw_show_bytes(metrics.lower_bound, text)) : "",
        5, true};
    /* Before the end a peak below the bound says nothing about the plan. */
    bool meaningful = metrics.comparable && metrics.lower_bound > 0;
    parts[3] = (struct part){metrics.fits ? "" : "does not fit", 2, true};
    parts[2] = (struct part){
        meaningful ? sw_scene_printf(scene, "%s", sw_show_percent(metrics.over_bound, true, text))
                   : "",
        2, true};
}

static unsigned width_of(const struct part *parts, int most) {
    unsigned width = 0;
    for (int i = 0; i < PARTS; i++) {
        if (parts[i].text && *parts[i].text && parts[i].rank <= most) {
            width += (unsigned)sw_view_columns(parts[i].text) + 2;
        }
    }
    return width;
}

void sw_view_build_header(const struct sw_view_input *in, struct sw_scene *scene,
                          struct sw_box box) {
    struct sw_panel *panel = bar(scene, "header", box, SW_STYLE_HEADER);
    const struct sw_params *params = sw_search_params(in->search);
    struct part parts[PARTS] = {
        {sw_scene_clean(scene, sw_path_name(in->input_name)), 4, false},
        {sw_search_planner(in->search)->name, 3, false},
        {sw_scene_printf(scene, "seed %llu", (unsigned long long)params->seed), 7, false},
        {progress(in, scene), 1, false},
        {place_in_time(in, scene), 6, false},
        {branch(in, scene), 5, false},
        {"", 0, false},
    };
    figures(in, scene, parts + 7);
    int most = 7;
    while (most > 0 && width_of(parts, most) + 2 > box.width) {
        most--;
    }
    for (int i = 0; i < PARTS; i++) {
        if (i == 6) { /* takes what is left between the two groups */
            panel->stretch = scene->failed ? 0 : panel->rows.items[0].count;
            sw_panel_cell(scene, panel, SW_STYLE_HEADER, false, "");
        } else if (parts[i].text && *parts[i].text && parts[i].rank <= most) {
            sw_panel_cell(scene, panel, SW_STYLE_HEADER, parts[i].right,
                          sw_scene_printf(scene, " %s", parts[i].text));
        }
    }
}

enum { MOST_HINTS = 8, LAST_HINTS = 2 };

static double hint_width(const struct sw_hint *hint) {
    return (double)(sw_view_columns(hint->key) + sw_view_columns(hint->label) + 4);
}

static void add_hint(struct sw_scene *scene, struct sw_panel *panel, const struct sw_hint *hint,
                     bool labelled) {
    sw_panel_cell(scene, panel, SW_STYLE_KEY, false,
                  sw_scene_printf(scene, labelled ? " %s" : "%s", hint->key));
    if (labelled) {
        sw_panel_cell(scene, panel, SW_STYLE_FOOTER, false,
                      sw_scene_printf(scene, "%s ", hint->label));
    }
}

/* The last hints, help and quit, always have their place, without labels if need be; the others
 * while there is room. */
static void add_hints(const struct sw_view_input *in, struct sw_scene *scene,
                      struct sw_panel *panel, double room) {
    size_t last = in->hint_count < LAST_HINTS ? 0 : in->hint_count - LAST_HINTS, shown = 0;
    double used = 0;
    for (size_t i = last; i < in->hint_count; i++) {
        room -= hint_width(&in->hints[i]);
    }
    for (size_t i = 0; i < in->hint_count; i++) {
        double wanted = i < last ? hint_width(&in->hints[i]) : 0;
        if (i < last && (used + wanted > room || shown == MOST_HINTS - LAST_HINTS)) {
            continue; /* a shorter one may still fit */
        }
        used += wanted;
        shown++;
        add_hint(scene, panel, &in->hints[i], room >= 0);
    }
}

/* What is to be said, if anything, and the keys that matter. */
void sw_view_build_footer(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box,
                          const char *status, bool status_is_error) {
    struct sw_panel *panel = bar(scene, "footer", box, SW_STYLE_FOOTER);
    double room = box.width + 1; /* no blank after the last */
    if (status && *status) {
        const char *text = sw_scene_printf(scene, " %s", status);
        panel->stretch = 0;
        sw_panel_cell(scene, panel, status_is_error ? SW_STYLE_ERROR : SW_STYLE_FOOTER, false,
                      text);
        room -= (double)sw_view_columns(text) + 2;
    }
    add_hints(in, scene, panel, room);
    if (!scene->failed && panel->rows.items[0].count == 0) {
        sw_panel_cell(scene, panel, SW_STYLE_FOOTER, false, "");
    }
}
