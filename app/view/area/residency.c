/* What is in the device and what is not, of a planner that moves objects and gives no addresses: a row for each object
 * with bars over the time it is there, as far as was decided. */
#include "base/base.h"
#include "planners/planner.h"
#include "view/area/map_area.h"

struct stay {
    uint32_t buffer, from, to; /* to: SW_NONE: it is still there */
};
struct residency {
    SW_ARRAY(struct stay) stays;
    uint32_t *row;   /* per buffer: 1 + its row; 0: none */
    uint64_t *since; /* per buffer: 1 + its stay that has not ended; 0: it is not there */
    uint32_t rows, there;
    uint64_t bytes;
};

static bool take_residency(struct residency *r, const struct sw_problem *problem, const struct sw_decision *decision) {
    uint32_t b = decision->buffer;
    uint64_t size = sw_problem_buffer(problem, b)->size;
    if (decision->kind == SW_DECISION_EVICT && r->since[b]) {
        r->stays.items[r->since[b] - 1].to = decision->time;
        r->since[b] = 0;
        r->there--;
        r->bytes -= size;
        return true;
    }
    if (decision->kind != SW_DECISION_FETCH || r->since[b]) {
        return true;
    }
    r->row[b] = r->row[b] ? r->row[b] : ++r->rows;
    r->there++;
    r->bytes += size;
    r->since[b] = r->stays.count + 1;
    return SW_PUSH(&r->stays, (struct stay){b, decision->time, SW_NONE});
}

static bool read_residency(struct residency *r, const struct sw_search *search) {
    const struct sw_problem *problem = sw_search_problem(search);
    uint32_t buffers = sw_problem_buffer_count(problem);
    bool good = r->row && r->since;
    for (uint64_t i = 1; good && i <= sw_search_at(search); i++) {
        const struct sw_decision *decision = sw_search_journal(search, i);
        if (decision && decision->buffer < buffers && decision->time != SW_NONE) {
            good = take_residency(r, problem, decision);
        }
    }
    return good;
}

/* "in device: 3 of 5 objects, 90 B of 100 B". */
static const char *residency_title(const struct sw_view_input *in, struct sw_scene *scene, const struct residency *r,
                                   uint32_t hidden) {
    const struct sw_tier *tier = sw_problem_tier(sw_search_problem(in->run.search), 0);
    const char *text =
        sw_scene_printf(scene, "now in %s: %u of %s, %s", tier->name, r->there,
                        sw_scene_counted(scene, r->rows, "object"), sw_view_said_bytes(in, scene, r->bytes));
    text = tier->capacity == SW_UNBOUNDED
               ? text
               : sw_scene_printf(scene, "%s of %s", text, sw_view_said_bytes(in, scene, tier->capacity));
    return hidden ? sw_scene_printf(scene, "%s; %u more not drawn", text, hidden) : text;
}

/* Rows from the top; those that were moved in first are left out where there is no room for all. */
static void add_stays(const struct sw_view_input *in, struct sw_scene *scene, struct sw_panel *panel,
                      const struct residency *r, uint32_t shown) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    const struct sw_decision *decision = sw_search_decision(in->run.search);
    uint32_t now = decision && decision->time != SW_NONE ? decision->time : 0;
    for (size_t i = 0; i < r->stays.count && !scene->failed; i++) {
        const struct stay *stay = &r->stays.items[i];
        const struct sw_buffer *buffer = sw_problem_buffer(problem, stay->buffer);
        uint32_t row = r->row[stay->buffer] - 1, skip = r->rows - shown;
        uint32_t to = stay->to == SW_NONE ? SW_MAX(now + 1, stay->from + 1) : SW_MAX(stay->to, stay->from + 1);
        if (row < skip) {
            continue;
        }
        double y = shown - 1 - (row - skip);
        bool current = decision && stay->buffer == decision->buffer;
        struct sw_mark mark = sw_mark_over(SW_MARK_RECT, current ? SW_STYLE_CURRENT : SW_STYLE_BLOCK,
                                           sw_view_x(in, stay->from), sw_view_x(in, to), y, y + 1);
        mark.hue = (uint8_t)(row % SW_HUES);
        mark.item = (struct sw_item){SW_ITEM_BUFFER, stay->buffer};
        mark.labels = sw_scene_labels(scene, buffer->name);
        if (mark.x1 > panel->x.lo && mark.x0 < panel->x.hi) {
            sw_panel_mark(scene, panel, mark);
        }
    }
}

bool sw_view_build_residency(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_claims claims;
    struct residency r = {0};
    sw_search_claims(in->run.search, &claims);
    if (!claims.no_addresses || sw_layout_placed_count(sw_search_layout(in->run.search)) > 0) {
        return false;
    }
    uint32_t buffers = sw_problem_buffer_count(sw_search_problem(in->run.search));
    r.row = sw_arena_new(&scene->arena, buffers + 1u, sizeof *r.row);
    r.since = sw_arena_new(&scene->arena, buffers + 1u, sizeof *r.since);
    scene->failed |= !read_residency(&r, in->run.search);
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_PLOT, "residency");
    panel->title = "";
    sw_view_place(in, scene, panel, box, true);
    panel->tier = SW_NONE;
    uint32_t room = (uint32_t)fmax(panel->body_height, 1), shown = SW_MIN(r.rows, room);
    panel->y.lo = 0;
    panel->y.hi = SW_MAX(shown, 1);
    panel->title = residency_title(in, scene, &r, r.rows - shown);
    if (!scene->failed && shown > 0) {
        add_stays(in, scene, panel, &r, shown);
    }
    sw_view_mark_cursor(in, scene, panel);
    SW_ARRAY_DONE(&r.stays);
    return true;
}
