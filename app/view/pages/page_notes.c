/* Where on the page the things are that notes speak of. What is not in the picture is listed below
 * it, so that no note is lost. */
#include "formats/notes.h"
#include "base/base.h"
#include "view/view_internal.h"

/* The part of an area of data that is inside the body; false when nothing is. */
static bool on_page(const struct sw_panel *panel, const double data[4], struct sw_scene_note *to) {
    double x_scale = panel->body_width / (panel->x.hi - panel->x.lo);
    double y_scale = panel->body_height / (panel->y.hi - panel->y.lo);
    double x0 = fmax(data[0], panel->x.lo), x1 = fmin(data[2], panel->x.hi);
    double y0 = fmax(data[1], panel->y.lo), y1 = fmin(data[3], panel->y.hi);
    /* Beside the body is outside, unless it is a point. */
    if (x0 > x1 || y0 > y1 || (x0 == x1 && data[0] < data[2]) || (y0 == y1 && data[1] < data[3])) {
        return false;
    }
    to->left = panel->body_left + (x0 - panel->x.lo) * x_scale;
    to->right = panel->body_left + (x1 - panel->x.lo) * x_scale;
    to->top = panel->body_top + (panel->y.hi - y1) * y_scale;
    to->bottom = panel->body_top + (panel->y.hi - y0) * y_scale;
    return true;
}

static double note_extent(const struct sw_scene_note *note) {
    return (note->right - note->left) * (note->bottom - note->top);
}

/* The largest mark of the buffer in any plot. */
static bool find_noted_mark(const struct sw_scene *scene, uint32_t buffer, struct sw_scene_note *note) {
    bool found = false;
    for (size_t p = 0; p < scene->panels.count; p++) {
        const struct sw_panel *panel = &scene->panels.items[p];
        for (size_t i = 0; panel->kind == SW_PANEL_PLOT && i < panel->marks.count; i++) {
            const struct sw_mark *mark = &panel->marks.items[i];
            struct sw_scene_note here = *note;
            if (mark->kind == SW_MARK_RECT && mark->item.kind == SW_ITEM_BUFFER && mark->item.id == buffer &&
                on_page(panel, (double[]){mark->x0, mark->y0, mark->x1, mark->y1}, &here) &&
                (!found || note_extent(&here) > note_extent(note))) {
                *note = here;
                found = true;
            }
        }
    }
    return found;
}

/* A block that is merged with others still has its place. */
static bool find_noted_place(const struct sw_view_input *in, const struct sw_scene *scene, uint32_t buffer,
                             struct sw_scene_note *note) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    const struct sw_buffer *what = sw_problem_buffer(problem, buffer);
    struct sw_placement place;
    if (!sw_layout_placement(sw_search_layout(in->run.search), buffer, 0, &place)) {
        return false;
    }
    uint32_t first = SW_MAX(place.span.from, what->first);
    uint32_t last = SW_MIN(place.span.to, what->last);
    for (size_t p = 0; p < scene->panels.count; p++) {
        const struct sw_panel *panel = &scene->panels.items[p];
        if (panel->kind == SW_PANEL_PLOT && panel->timed && panel->tier == place.tier &&
            on_page(panel,
                    (double[]){sw_view_x(in, first), (double)place.offset, sw_view_x(in, last + 1.0),
                               (double)(place.offset + what->size)},
                    note)) {
            return true;
        }
    }
    return false;
}

/* Rows of tables lie below each other as `export` draws them. */
static bool find_noted_row(const struct sw_scene *scene, uint32_t buffer, struct sw_scene_note *note) {
    for (size_t p = 0; p < scene->panels.count; p++) {
        const struct sw_panel *panel = &scene->panels.items[p];
        double top = panel->top + (panel->title && *panel->title ? SW_PAGE_ROW + 4 : 0);
        for (size_t r = 0; panel->kind == SW_PANEL_TABLE && r < panel->rows.count; r++) {
            const struct sw_item *item = &panel->rows.items[r].item;
            if (item->kind == SW_ITEM_BUFFER && item->id == buffer) {
                note->left = panel->left;
                note->right = panel->left + panel->width;
                note->top = top + SW_PAGE_ROW * (double)r;
                note->bottom = note->top + SW_PAGE_ROW;
                return true;
            }
        }
    }
    return false;
}

/* The top of the highest mark there; without one the middle of the plot. */
static double highest_mark_at(const struct sw_panel *panel, double x) {
    double top = panel->y.lo;
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        bool solid = mark->kind == SW_MARK_RECT || mark->kind == SW_MARK_BAR;
        if (solid && mark->x0 <= x && x < mark->x1) {
            top = fmax(top, fmin(mark->y1, panel->y.hi));
        }
    }
    return top > panel->y.lo ? top : (panel->y.lo + panel->y.hi) / 2;
}

/* A point on the map, or, without an address, the top of what is drawn at the step. */
static bool find_noted_step(const struct sw_view_input *in, const struct sw_scene *scene, const struct sw_note *from,
                            struct sw_scene_note *note) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    double x = (sw_view_x(in, from->step) + sw_view_x(in, from->step + 1.0)) / 2;
    uint32_t tier = from->tier == SW_NONE ? 0 : from->tier;
    bool found = false;
    for (size_t p = 0; p < scene->panels.count && !found; p++) {
        const struct sw_panel *panel = &scene->panels.items[p];
        if (panel->kind != SW_PANEL_PLOT || !panel->timed ||
            (from->has_address ? panel->tier != tier : strcmp(panel->id, "live") != 0)) {
            continue;
        }
        double y = from->has_address ? (double)from->address : (double)sw_problem_profile(problem)[from->step];
        found = on_page(panel, (double[]){x, y, x, y}, note);
    }
    for (size_t p = 0; p < scene->panels.count && !found && !from->has_address; p++) {
        const struct sw_panel *panel = &scene->panels.items[p];
        if (panel->kind == SW_PANEL_PLOT && panel->timed) {
            double y = highest_mark_at(panel, x);
            found = on_page(panel, (double[]){x, y, x, y}, note);
        }
    }
    return found;
}

static const char *note_subject(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_note *note) {
    if (note->buffer != SW_NONE) {
        return sw_scene_printf(scene, "%s", note->name);
    }
    return sw_scene_printf(scene, "%s%s", sw_view_when(in, scene, note->step),
                           note->has_address ? " at an address" : "");
}

/* Below the picture, in as many lines as it takes. */
static void list_unseen_note(const struct sw_view_input *in, struct sw_scene *scene, const struct sw_note *note) {
    const char *text = sw_scene_printf(scene, "Note on %s, which is not in this picture: %s",
                                       note_subject(in, scene, note), note->text);
    sw_page_caption(scene, text, in->width - 2 * SW_PAGE_MARGIN);
}

void sw_view_annotate(const struct sw_view_input *in, struct sw_scene *scene) {
    for (size_t i = 0; in->run.notes && i < in->run.notes->items.count; i++) {
        const struct sw_note *from = &in->run.notes->items.items[i];
        struct sw_scene_note note = {.text = sw_scene_clean(scene, from->text),
                                     .arrow = from->arrow,
                                     .fixed = from->has_at,
                                     .x = from->x * in->width,
                                     .y = from->y * in->height};
        bool buffer = from->buffer != SW_NONE, step = from->step != SW_NONE;
        note.aims = buffer ? find_noted_mark(scene, from->buffer, &note) ||
                                 find_noted_place(in, scene, from->buffer, &note) ||
                                 find_noted_row(scene, from->buffer, &note)
                           : step && find_noted_step(in, scene, from, &note);
        if ((buffer || step) && !note.aims) {
            list_unseen_note(in, scene, from);
        } else if (!SW_PUSH(&scene->notes, note)) {
            scene->failed = true;
        }
    }
}
