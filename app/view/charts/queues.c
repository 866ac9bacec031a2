/* The queues of a planner that derives lifetimes, side by side, a row for each block: the operator that makes it, how
 * long it lives, the place that it has by now; and the arena with what is alive and what is free. On paper blocks have
 * the same color in all of them. */
#include "view/scene/lines.h"
#include "base/base.h"
#include "planners/planner.h"

enum { MOST_QUEUED = 20000 }; /* blocks: the whole state is read for each frame */
#define LEAST_QUEUE_ROW 11.0
#define MOST_QUEUE_ROW 30.0 /* a higher block is drawn with a size, which is that of its area */
#define QUEUES_FOOT 18.0    /* points below the bodies, for ticks */

/* Of the state: NULL where there is no such table. */
struct queues {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    const struct sw_problem *problem;
    const struct sw_state_table *lives, *places, *free_list;
    uint64_t first, count; /* the rows that are shown */
    double from, until;    /* the steps that their lifetimes take */
    uint32_t tier;
};

static const struct sw_state_cell *queue_cell(const struct sw_state_table *t, uint64_t row, const char *column) {
    for (uint32_t c = 0; row >= t->first && row < t->end && c < t->column_count; c++) {
        if (strcmp(t->columns[c], column) == 0) {
            return &t->cells.items[(row - t->first) * t->column_count + c];
        }
    }
    static const struct sw_state_cell blank = {SW_CELL_NONE, 0, 0, NULL};
    return &blank;
}

static const struct sw_state_table *queue_table(const struct sw_state_tables *tables, const char *name) {
    for (size_t i = 0; i < tables->items.count; i++) {
        if (strcmp(tables->items.items[i].name, name) == 0) {
            return &tables->items.items[i];
        }
    }
    return NULL;
}

static uint32_t queue_buffer(const struct queues *q, uint64_t row) {
    return (uint32_t)queue_cell(q->lives, row, "buffer")->count;
}

/* Blocks are in both queues in the same order, so that the first ones have places. */
static bool queue_placed(const struct queues *q, uint64_t row) {
    return row < q->places->row_count;
}

/* The block of the last decision; on paper none at the end of a run, where the layout is shown. */
static uint32_t queue_current(const struct queues *q) {
    const struct sw_decision *last = sw_search_decision(q->in->run.search);
    bool none = !last || (sw_medium(q->in)->still && sw_view_at_end(q->in->run.search));
    return none ? SW_NONE : last->buffer;
}

/* The row to keep in sight: that of what is selected, or else of the last decision. */
static uint64_t queue_focus(const struct queues *q) {
    uint32_t current = queue_current(q), selected = q->in->look.selected;
    uint32_t buffer = selected != SW_NONE ? selected : current;
    bool planned = buffer != SW_NONE && sw_problem_buffer(q->problem, buffer)->planned;
    return planned ? sw_problem_rank(q->problem, buffer).at : 0;
}

/* What makes the block: its operator; else what kind of buffer it is. */
static const char *queue_maker(const struct queues *q, uint32_t buffer, uint32_t *op) {
    *op = sw_problem_producer(q->problem, buffer);
    return *op != SW_NONE ? sw_problem_operator(q->problem, *op)->name
           : sw_problem_operator_count(q->problem) > 0
               ? sw_kind_name(sw_problem_buffer(q->problem, buffer)->kind)
               : sw_scene_printf(q->scene, "time %lld",
                                 (long long)sw_problem_time(q->problem, sw_problem_buffer(q->problem, buffer)->first));
}

static const char *queue_offset(const struct queues *q, const struct sw_state_cell *cell) {
    return sw_scene_printf(q->scene, "+%s", SW_COUNT(cell->count + q->in->run.base));
}

/* ---- on paper ---- */

static enum sw_style queue_style(const struct queues *q, uint32_t buffer) {
    return buffer == q->in->look.selected ? SW_STYLE_SELECTED
           : buffer == queue_current(q)   ? SW_STYLE_CURRENT
                                          : SW_STYLE_BLOCK;
}

/* A block in one of the queues. */
static struct sw_mark queue_mark(const struct queues *q, uint32_t buffer, double x0, double x1, double y0, double y1) {
    struct sw_mark mark = sw_mark_over(SW_MARK_RECT, queue_style(q, buffer), x0, x1, y0, y1);
    mark.hue = (uint8_t)(sw_problem_rank(q->problem, buffer).at % SW_HUES);
    mark.item = (struct sw_item){SW_ITEM_BUFFER, buffer};
    return mark;
}

/* A panel with a row for each block, or, with `bytes`, one of addresses. */
static struct sw_panel *queue_panel(const struct queues *q, const char *id, const char *title, struct sw_box box,
                                    double gutter) {
    const struct sw_furniture furniture = {.has_room = true,
                                           .left = gutter,
                                           .right = 6,
                                           .above = sw_medium(q->in)->heading,
                                           .below = QUEUES_FOOT,
                                           .x_labels = true};
    struct sw_view_input own = *q->in;
    struct sw_panel *panel = sw_scene_panel(q->scene, SW_PANEL_PLOT, id);
    own.furniture = &furniture;
    own.look.viewport.time_lo = q->from;
    own.look.viewport.time_hi = q->until;
    panel->title = title;
    sw_view_place(&own, q->scene, panel, box, true);
    panel->y.hi = (double)q->count;
    return panel;
}

/* Its x axis says nothing: it goes from 0 to 1. */
static void queue_without_x(struct sw_panel *panel) {
    panel->x.lo = 0;
    panel->x.hi = 1;
    panel->x.ticks.count = 0;
    panel->x.title = NULL;
    panel->timed = false;
}

static double queue_low(const struct queues *q, uint64_t row) {
    return (double)(q->first + q->count - row - 1);
}

static void draw_queue_operators(const struct queues *q, struct sw_box box) {
    struct sw_panel *panel = queue_panel(q, "queue-operators", "1 operators", box, 2);
    uint64_t end = q->first + q->count;
    queue_without_x(panel);
    for (uint64_t row = q->first; row < end && !q->scene->failed;) {
        uint32_t op, next, buffer = queue_buffer(q, row);
        const char *name = queue_maker(q, buffer, &op);
        uint64_t upto = row + 1;
        while (upto < end && op != SW_NONE && (queue_maker(q, queue_buffer(q, upto), &next), next == op)) {
            upto++; /* an operator may own several blocks */
        }
        struct sw_mark mark = queue_mark(q, buffer, 0, 1, queue_low(q, upto - 1) + 0.08, queue_low(q, row) + 0.92);
        mark.item = op == SW_NONE ? mark.item : (struct sw_item){SW_ITEM_OPERATOR, op};
        mark.labels = sw_scene_labels(q->scene, name);
        sw_panel_mark(q->scene, panel, mark);
        row = upto;
    }
}

static void draw_queue_lives(const struct queues *q, struct sw_box box) {
    const char *title = sw_view_tells_time(q->in) ? "2 lifetimes, in times" : "2 lifetimes, in steps";
    struct sw_panel *panel = queue_panel(q, "queue-lifetimes", title, box, 8);
    for (uint64_t row = q->first; row < q->first + q->count && !q->scene->failed; row++) {
        const struct sw_state_cell *born = queue_cell(q->lives, row, "born"), *dies = queue_cell(q->lives, row, "dies");
        uint32_t buffer = queue_buffer(q, row);
        if (dies->kind == SW_CELL_NONE) {
            continue; /* it is still to come into being */
        }
        struct sw_mark mark =
            queue_mark(q, buffer, sw_view_x(q->in, (double)born->count), sw_view_x(q->in, (double)dies->count + 1),
                       queue_low(q, row) + 0.08, queue_low(q, row) + 0.92);
        mark.labels = sw_scene_labels(q->scene, sw_problem_buffer(q->problem, buffer)->name);
        sw_panel_mark(q->scene, panel, mark);
    }
}

static void draw_queue_places(const struct queues *q, struct sw_box box) {
    struct sw_panel *panel = queue_panel(q, "queue-places", "3 pre-allocation", box, 8);
    queue_without_x(panel);
    uint64_t end = SW_MIN(q->first + q->count, q->places->row_count);
    for (uint64_t row = q->first; row < end && !q->scene->failed; row++) {
        const struct sw_state_cell *was = queue_cell(q->places, row, "placed at");
        uint32_t buffer = queue_buffer(q, row);
        struct sw_mark mark = queue_mark(q, buffer, 0, 1, queue_low(q, row) + 0.08, queue_low(q, row) + 0.92);
        const char *bytes = sw_view_bytes(q->in, q->scene, sw_problem_buffer(q->problem, buffer)->size);
        const char *at = queue_offset(q, queue_cell(q->places, row, "offset"));
        bool shifted = was->kind != SW_CELL_NONE;
        mark.labels =
            shifted ? SW_LABELS(q->scene, sw_scene_printf(q->scene, "%s, %s, was %s", at, bytes, queue_offset(q, was)),
                                sw_scene_printf(q->scene, "%s, was %s", at, queue_offset(q, was)), at)
                    : SW_LABELS(q->scene, sw_scene_printf(q->scene, "%s, %s", at, bytes), at);
        sw_panel_mark(q->scene, panel, mark);
        if (shifted) {
            sw_panel_mark(q->scene, panel,
                          sw_mark_over(SW_MARK_FRAME, SW_STYLE_CHOSEN, mark.x0, mark.x1, mark.y0, mark.y1));
            sw_scene_legend(q->scene, SW_STYLE_CHOSEN, 0, 0, "moved up when a free block was enlarged");
        }
    }
}

/* Does the block hold its space: is it alive, or not released yet? */
static bool queue_holds(const struct queues *q, uint64_t row) {
    const struct sw_state_cell *state = queue_cell(q->lives, row, "state");
    return queue_placed(q, row) && queue_cell(q->places, row, "tier")->count == q->tier && state->word &&
           (strcmp(state->word, "alive") == 0 || strcmp(state->word, "dead, not released") == 0);
}

static void draw_queue_arena(const struct queues *q, struct sw_box box) {
    uint64_t arena = sw_layout_arena(sw_search_layout(q->in->run.search), q->tier);
    struct sw_panel *panel =
        queue_panel(q, "queue-arena", "4 arena", box, fmin(sw_medium(q->in)->gutter, box.width * 0.44));
    queue_without_x(panel);
    panel->tier = q->tier;
    sw_view_address_axis(q->in, q->scene, panel, 0, arena > 0 ? (double)arena * 1.06 : 1);
    for (uint64_t row = 0; q->free_list && row < q->free_list->end; row++) {
        double lo = (double)queue_cell(q->free_list, row, "from")->count;
        double hi = (double)queue_cell(q->free_list, row, "to")->count;
        struct sw_mark mark = sw_mark_over(SW_MARK_RECT, SW_STYLE_GAP, 0, 1, lo, hi);
        const char *bytes = sw_view_bytes(q->in, q->scene, (uint64_t)(hi - lo));
        mark.labels = SW_LABELS(q->scene, sw_scene_printf(q->scene, "free, %s", bytes), "free");
        if (queue_cell(q->free_list, row, "tier")->count == q->tier) {
            sw_panel_mark(q->scene, panel, mark);
            sw_scene_legend(q->scene, SW_STYLE_GAP, 0, 0, "free");
        }
    }
    for (uint64_t row = 0; row < q->places->end && !q->scene->failed; row++) {
        uint32_t buffer = queue_buffer(q, row);
        const struct sw_buffer *b = sw_problem_buffer(q->problem, buffer);
        double at = (double)queue_cell(q->places, row, "offset")->count;
        if (queue_holds(q, row) && b->size > 0) {
            struct sw_mark mark = queue_mark(q, buffer, 0, 1, at, at + (double)b->size);
            mark.labels = sw_scene_labels(q->scene, b->name);
            sw_panel_mark(q->scene, panel, mark);
        }
    }
    if (arena > 0) {
        static const char *const no_labels[] = {NULL};
        sw_view_level(q->scene, panel, SW_STYLE_PEAK, false, (double)arena, no_labels);
        sw_scene_legend_line(q->scene, SW_STYLE_PEAK, 0, SW_DASH_NONE, false,
                             sw_scene_printf(q->scene, "next offset: %s", sw_view_bytes(q->in, q->scene, arena)));
    }
}

/* All steps, or those of the rows that are shown. */
static void fit_queue_steps(struct queues *q) {
    bool all = q->count == q->lives->row_count;
    q->from = all ? 0 : sw_problem_steps(q->problem);
    q->until = all ? sw_problem_steps(q->problem) : 0;
    for (uint64_t row = q->first; row < q->first + q->count && !all; row++) {
        const struct sw_buffer *buffer = sw_problem_buffer(q->problem, queue_buffer(q, row));
        q->from = fmin(q->from, buffer->first);
        q->until = fmax(q->until, buffer->last + 1.0);
    }
}

/* The four side by side; their rows stand at the same height. False: rows would be too low. */
static bool draw_queues(struct queues *q, struct sw_box box) {
    static const double shares[] = {0.21, 0.27, 0.25, 0.27};
    static void (*const draw[])(const struct queues *, struct sw_box) = {draw_queue_operators, draw_queue_lives,
                                                                         draw_queue_places, draw_queue_arena};
    double frame = sw_medium(q->in)->heading + QUEUES_FOOT, rows = floor((box.height - frame) / LEAST_QUEUE_ROW);
    if (rows < 2) {
        return false;
    }
    q->count = SW_MIN(q->lives->row_count, (uint64_t)rows);
    uint64_t focus = queue_focus(q), last = q->lives->row_count - q->count;
    q->first = SW_MIN(focus > q->count / 2 ? focus - q->count / 2 : 0, last);
    fit_queue_steps(q);
    double pitch = fmin(floor((box.height - frame) / (double)q->count), MOST_QUEUE_ROW);
    box.height = frame + (double)q->count * pitch; /* all rows are as high, and texts as large */
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        double width = floor(box.width * shares[i]);
        draw[i](q, (struct sw_box){box.left, box.top, width, box.height});
        box.left += width;
    }
    sw_scene_legend(q->scene, SW_STYLE_BLOCK, 0, 0, "block, in the same color in each queue");
    sw_scene_caption(q->scene, "The operator queue, the lifetime queue, the pre-allocation queue of offsets and bytes, "
                               "and the arena.");
    if (q->count < q->lives->row_count) {
        sw_scene_caption(q->scene, sw_scene_printf(q->scene, "Blocks %s to %s of %s are shown.", SW_COUNT(q->first + 1),
                                                   SW_COUNT(q->first + q->count), SW_COUNT(q->lives->row_count)));
    }
    return true;
}

/* ---- as a table ---- */

static const struct sw_lines_head queue_heads[] = {{"operator", false}, {"buffer", false}, {"lives", true},
                                                   {"offset", true},    {"bytes", true},   {"was at", true},
                                                   {"state", false}};
enum { QUEUE_COLUMNS = sizeof queue_heads / sizeof *queue_heads };

static void add_queue_row(const struct queues *q, struct sw_lines *lines, uint64_t row) {
    uint32_t op, buffer = queue_buffer(q, row);
    const struct sw_state_cell *was = queue_cell(q->places, row, "placed at"),
                               *dies = queue_cell(q->lives, row, "dies");
    bool chosen = buffer == q->in->look.selected, placed = queue_placed(q, row);
    enum sw_style style = chosen ? SW_STYLE_SELECTED : buffer == queue_current(q) ? SW_STYLE_CURRENT : SW_STYLE_TEXT;
    sw_lines_row(lines, (struct sw_item){SW_ITEM_BUFFER, buffer}, chosen);
    sw_lines_name(lines, SW_STYLE_DIM, queue_maker(q, buffer, &op));
    sw_lines_name(lines, style, sw_problem_buffer(q->problem, buffer)->name);
    const struct sw_buffer *b = sw_problem_buffer(q->problem, buffer);
    if (dies->kind == SW_CELL_NONE || dies->count == b->last) {
        sw_lines_cell(lines, style, true, dies->kind == SW_CELL_NONE ? "" : sw_lines_life(lines, b));
    } else {
        sw_lines_cellf(lines, style, true, "%u..%u", (unsigned)queue_cell(q->lives, row, "born")->count,
                       (unsigned)dies->count);
    }
    sw_lines_cell(lines, style, true, placed ? queue_offset(q, queue_cell(q->places, row, "offset")) : "");
    sw_lines_cell(lines, style, true, sw_lines_bytes(lines, sw_problem_buffer(q->problem, buffer)->size));
    sw_lines_cell(lines, SW_STYLE_CHOSEN, true, was->kind == SW_CELL_NONE ? "" : queue_offset(q, was));
    const char *state = queue_cell(q->lives, row, "state")->word;
    sw_lines_cell(lines, SW_STYLE_DIM, false, state ? state : "");
}

/* "free: 2K at +0, 1K at +4,096". */
static const char *queue_free_words(const struct queues *q) {
    const char *text = "";
    for (uint64_t row = 0; q->free_list && row < q->free_list->end && !q->scene->failed; row++) {
        const char *bytes = sw_view_said_bytes(q->in, q->scene, queue_cell(q->free_list, row, "bytes")->count);
        if (queue_cell(q->free_list, row, "tier")->count == q->tier) {
            text = sw_scene_printf(q->scene, "%s%s%s at %s", text, *text ? ", " : "", bytes,
                                   queue_offset(q, queue_cell(q->free_list, row, "from")));
        }
    }
    return *text ? sw_scene_printf(q->scene, "free: %s", text) : "no block is free";
}

static void add_queue_rows(struct queues *q, struct sw_box box) {
    uint64_t arena = sw_layout_arena(sw_search_layout(q->in->run.search), q->tier);
    const char *title =
        sw_scene_printf(q->scene, "queues: %s of %s placed, next offset %s", SW_COUNT(q->places->row_count),
                        SW_COUNT(q->lives->row_count), sw_view_said_bytes(q->in, q->scene, arena));
    struct sw_lines lines = sw_lines_begin(q->in, q->scene, "queues", title, box, QUEUE_COLUMNS, 1);
    lines.panel->spare = 1 << 0 | 1 << 6;
    if (lines.rows > 4) {
        sw_lines_text(&lines, SW_STYLE_DIM, queue_free_words(q));
    }
    uint32_t count = (uint32_t)q->lives->row_count;
    uint32_t room = sw_lines_heads(&lines, queue_heads, QUEUE_COLUMNS, count);
    size_t used = lines.panel->rows.count, left = lines.rows > used ? lines.rows - used : 0;
    room = SW_MIN(room, (uint32_t)left);
    uint32_t focus = (uint32_t)queue_focus(q);
    uint32_t first = room && focus > (room - 1) / 2 ? focus - (room - 1) / 2 : 0;
    first = sw_lines_first(&lines, first, count, room);
    for (uint32_t row = first; row < SW_MIN(first + room, count) && !q->scene->failed; row++) {
        add_queue_row(q, &lines, row);
    }
    lines.panel->hidden_below = count - SW_MIN(first + room, count);
}

static void queues_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    const struct sw_search *search = in->run.search;
    struct sw_state_tables tables = {.most = MOST_QUEUED};
    struct queues q = {.in = in, .scene = scene, .problem = sw_search_problem(search), .tier = in->look.tier};
    if (sw_search_planner(search)->derives_lives) {
        sw_search_state(search, &tables);
    }
    scene->failed |= tables.failed;
    q.lives = queue_table(&tables, "lifetimes");
    q.places = queue_table(&tables, "memqueue");
    q.free_list = queue_table(&tables, "free list");
    if (!q.lives || !q.places || q.lives->row_count == 0 || q.lives->row_count > MOST_QUEUED) {
        struct sw_lines lines = sw_lines_begin(in, scene, "queues", "queues", box, 1, 0);
        sw_lines_text(&lines, SW_STYLE_DIM,
                      !q.lives || !q.places
                          ? sw_scene_printf(scene, "%s has no queues of lifetimes.", sw_search_planner(search)->name)
                      : q.lives->row_count == 0 ? "There are no blocks."
                                                : sw_scene_printf(scene,
                                                                  "Up to %s blocks can be shown in queues; the "
                                                                  "state has those around the decision.",
                                                                  SW_COUNT(MOST_QUEUED)));
    } else if (!sw_medium(in)->fine || !draw_queues(&q, box)) {
        add_queue_rows(&q, box);
    }
    sw_state_tables_done(&tables);
}

static bool queues_applies(const struct sw_search *search, bool *missed) {
    (void)missed;
    return sw_search_planner(search)->derives_lives;
}

const struct sw_view sw_view_queues = {
    .name = "queues",
    .summary = "operators, lifetimes, places, the arena and its free blocks",
    .takes = SW_TAKES_BUFFER,
    .scrolls = SW_SCROLLS_LIST,
    .applies = queues_applies,
    .build = queues_build,
};
