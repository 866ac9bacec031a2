/* Below the map of segments: sequences, each as a row of segments with the objects that live in them. After a crossover
 * the parents and the children that took their places, after a mutation the member before it and after it; else the
 * member of the decision, or the best one. What was exchanged is named first, and its segments stand out. */
#include "view/charts/segments.h"
#include "base/base.h"

enum { MOST_OBJECTS = 4000, SHOWN_NAMES = 6 };

struct sequence_rows {
    const struct sw_segments_view *s;
    struct sw_panel *panel;
    const struct sw_state_table *table; /* of objects, with a column for each sequence; NULL: the best alone */
    uint32_t first, count;              /* columns */
    uint32_t segments;
    bool exchanged; /* such segments are drawn */
};

static const struct sw_state_table *state_table_named(const struct sw_state_tables *tables, const char *name) {
    for (size_t i = 0; i < tables->items.count; i++) {
        if (strcmp(tables->items.items[i].name, name) == 0) {
            return &tables->items.items[i];
        }
    }
    return NULL;
}

static bool find_sequences(struct sequence_rows *r, const struct sw_state_tables *tables) {
    const struct sw_state_table *segments = state_table_named(tables, "segments");
    r->table = state_table_named(tables, "segment of each object");
    if (r->table && segments && r->table->column_count > 2 && strcmp(r->table->columns[0], "object") == 0) {
        r->first = strcmp(r->table->columns[2], "changed") == 0 ? 3 : 2;
        r->count = r->table->column_count - r->first;
        r->segments = (uint32_t)segments->row_count;
        return r->segments > 0;
    }
    r->table = NULL;
    r->count = 1;
    r->segments = r->s->facts->segments.count;
    return r->segments > 0 && state_table_named(tables, "population"); /* of a planner that has sequences */
}

static uint64_t object_count(const struct sequence_rows *r) {
    return r->table ? r->table->end - r->table->first : sw_problem_buffer_count(r->s->problem);
}

static const struct sw_state_cell *object_cell(const struct sequence_rows *r, uint64_t object, uint32_t column) {
    return &r->table->cells.items[object * r->table->column_count + column];
}

static uint64_t segment_of_object(const struct sequence_rows *r, uint64_t object, uint32_t row) {
    return r->table ? object_cell(r, object, r->first + row)->count : r->s->facts->segments.of.items[object];
}

static bool is_object_exchanged(const struct sequence_rows *r, uint64_t object) {
    return r->table && r->first == 3 && object_cell(r, object, 2)->kind == SW_CELL_WORD;
}

/* The objects of a segment: those that are exchanged, then the others. */
struct sequence_content {
    const char *names, *exchanged_names;
    uint32_t count, exchanged;
};

static struct sequence_content content_of(const struct sequence_rows *r, uint32_t row, uint32_t segment) {
    struct sequence_content c = {"", "", 0, 0};
    struct sw_scene *scene = r->s->scene;
    for (int others = 0; others < 2; others++) {
        for (uint64_t i = 0; i < object_count(r) && !scene->failed; i++) {
            if (segment_of_object(r, i, row) != segment || is_object_exchanged(r, i) == (others == 1)) {
                continue;
            }
            uint32_t buffer = r->table ? (uint32_t)object_cell(r, i, 0)->count : (uint32_t)i;
            if (c.count < SHOWN_NAMES) {
                c.names = sw_scene_printf(scene, "%s%s%s", c.names, c.count ? ", " : "",
                                          sw_view_buffer_name(r->s->in, scene, buffer, 16));
            }
            c.count++;
            c.exchanged += others == 0;
        }
        c.exchanged_names = others == 0 ? c.names : c.exchanged_names;
    }
    return c;
}

static void draw_segment(struct sequence_rows *r, uint32_t row, uint32_t segment) {
    struct sequence_content c = content_of(r, row, segment);
    struct sw_scene *scene = r->s->scene;
    double bottom = r->count - row - 1.0;
    bool fine = sw_medium(r->s->in)->fine; /* there a frame leaves names as they are */
    struct sw_mark mark = {.kind = SW_MARK_RECT,
                           .style = c.exchanged && !fine ? SW_STYLE_SELECTED
                                    : c.count            ? SW_STYLE_BLOCK
                                                         : SW_STYLE_GAP,
                           .hue = (uint8_t)(segment % SW_HUES),
                           .x0 = segment,
                           .x1 = segment + 1.0,
                           .y0 = bottom + 0.1,
                           .y1 = bottom + 0.9};
    const char *count = sw_scene_printf(scene, "%u", c.count);
    mark.labels = c.count == 0 ? NULL
                  : c.count > SHOWN_NAMES
                      ? SW_LABELS(scene, sw_scene_printf(scene, "%s and %u more", c.names, c.count - SHOWN_NAMES),
                                  c.exchanged ? c.exchanged_names : count, count, "")
                      : SW_LABELS(scene, c.names, c.exchanged ? c.exchanged_names : count, count, "");
    sw_panel_mark(scene, r->panel, mark);
    if (c.exchanged && fine) {
        sw_panel_mark(scene, r->panel,
                      sw_mark_over(SW_MARK_FRAME, SW_STYLE_SELECTED, mark.x0, mark.x1, mark.y0, mark.y1));
    }
    r->exchanged |= c.exchanged > 0;
}

/* "p1" for the first parent, "c2" for the second child. */
static const char *row_name(const struct sequence_rows *r, uint32_t row) {
    if (!r->table) {
        return "best";
    }
    if (r->first < 3) {
        return "it";
    }
    uint32_t half = r->count / 2;
    return r->count == 2 ? (row == 0 ? "before" : "after")
                         : sw_scene_printf(r->s->scene, "%c%u", row < half ? 'p' : 'c', row % half + 1);
}

/* "Exchanged: a, b and 3 more.", where there is a caption. */
static void say_exchanged(const struct sequence_rows *r) {
    struct sw_scene *scene = r->s->scene;
    const char *text = "Exchanged: ";
    uint64_t count = 0;
    for (uint64_t i = 0; i < object_count(r) && !scene->failed; i++) {
        if (is_object_exchanged(r, i) && count++ < SHOWN_NAMES) {
            text = sw_scene_printf(scene, "%s%s%s", text, count > 1 ? ", " : "",
                                   sw_view_buffer_name(r->s->in, scene, (uint32_t)object_cell(r, i, 0)->count, 16));
        }
    }
    sw_scene_caption(scene, count > SHOWN_NAMES
                                ? sw_scene_printf(scene, "%s and %s more.", text, SW_COUNT(count - SHOWN_NAMES))
                                : sw_scene_printf(scene, "%s.", text));
}

static void draw_sequences(struct sequence_rows *r, struct sw_box box) {
    struct sw_scene *scene = r->s->scene;
    r->panel = sw_scene_panel(scene, SW_PANEL_PLOT, "sequences");
    r->panel->title = !r->table       ? "the best sequence, segment by segment"
                      : r->first < 3  ? "sequence of the member, segment by segment"
                      : r->count == 2 ? "mutation: the sequence before and after"
                                      : "crossover: parents (p) and children (c)";
    const char *long_title = sw_scene_printf(scene, "%s; in a segment its objects, or how many", r->panel->title);
    bool says = !sw_medium(r->s->in)->legend && sw_view_columns(long_title) <= (size_t)box.width;
    r->panel->title = says ? long_title : r->panel->title;
    r->panel->y.hi = r->count;
    sw_view_place_count(r->s->in, scene, r->panel, box, "segment", 0, r->segments);
    for (uint32_t row = 0; row < r->count && !scene->failed; row++) {
        struct sw_tick tick = {r->count - row - 0.5, sw_view_gutter_name(r->s->in, scene, row_name(r, row))};
        scene->failed |= !SW_PUSH(&r->panel->y.ticks, tick);
        for (uint32_t segment = 0; segment < r->segments && !scene->failed; segment++) {
            draw_segment(r, row, segment);
        }
    }
    if (sw_medium(r->s->in)->legend) {
        sw_scene_caption(scene, "A segment of a sequence has the names of its objects, or how many there are.");
    }
    if (r->exchanged && sw_medium(r->s->in)->legend) {
        say_exchanged(r);
    }
    if (r->exchanged) {
        sw_scene_legend(scene, SW_STYLE_SELECTED, 0, 0, "segment with objects that were exchanged");
    }
}

/* The height that sequences take; in a box they are drawn, where it has room for them and for some rows below. */
static double with_sequences(const struct sw_segments_view *s, const struct sw_box *box) {
    enum { FURNITURE = 3, ROWS_BELOW = 5 };
    struct sequence_rows r = {.s = s};
    struct sw_state_tables tables = {.most = MOST_OBJECTS};
    double unit = sw_medium(s->in)->row, height = 0;
    sw_search_state(s->in->run.search, &tables);
    s->scene->failed |= tables.failed;
    if (find_sequences(&r, &tables) && !s->scene->failed) {
        double rows = 2 * (double)r.count; /* half as many where there is no more room */
        if (box && box->height < (FURNITURE + rows + ROWS_BELOW) * unit) {
            rows = (double)r.count;
        }
        height = (FURNITURE + rows) * unit;
        bool room = !box || box->height >= height + ROWS_BELOW * unit;
        if (box && room) {
            draw_sequences(&r, (struct sw_box){box->left, box->top, box->width, height});
        }
        height = room ? height : 0;
    }
    sw_state_tables_done(&tables);
    return height;
}

double sw_segments_sequences_height(const struct sw_segments_view *s) {
    return with_sequences(s, NULL);
}

double sw_segments_sequences(const struct sw_segments_view *s, struct sw_box box) {
    return with_sequences(s, &box);
}
