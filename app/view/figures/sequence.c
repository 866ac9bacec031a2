/* The sort and the reordering of planners that search over orders. The sort: the blocks in the order in which they are
 * placed, and below them by start address, with a bar under those that may reuse the space of the one before. The
 * reordering: two parents and the child in the making, what was kept together and what was exchanged. Both are read out
 * of the tables of the planner's state. */
#include "base/base.h"
#include "planners/planner.h"
#include "planners/tables/state_tables.h"
#include "view/scene/lines.h"

#include <math.h>

enum { MOST_SEQUENCE_PLACES = 4096, NO_COLUMN = SW_STATE_COLUMNS };

struct sequence_view {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    const struct sw_problem *problem;
    struct sw_panel *panel;
    const struct sw_state_table *order, *genes; /* NULL: the state has none */
    uint64_t first, end;                        /* places in the row that is drawn */
    uint64_t from, until, in_row;               /* places that are shown, and how many in a row */
    struct sw_panel scrolled;                   /* which of all these are */
};

static uint32_t column_named(const struct sw_state_table *table, const char *name) {
    uint32_t c = 0;
    while (c < table->column_count && strcmp(table->columns[c], name) != 0) {
        c++;
    }
    return c < table->column_count ? c : NO_COLUMN;
}

/* The cell of a place; one that is blank where there is none. */
static struct sw_state_cell sequence_cell(const struct sw_state_table *table, uint64_t place, const char *column) {
    uint32_t c = column_named(table, column);
    bool there = c != NO_COLUMN && place >= table->first && place < table->end;
    return there ? table->cells.items[(place - table->first) * table->column_count + c] : sw_cell_none();
}

static uint32_t sequence_block(const struct sw_state_table *table, uint64_t place, const char *column) {
    struct sw_state_cell cell = sequence_cell(table, place, column);
    return cell.kind == SW_CELL_BUFFER ? (uint32_t)cell.count : SW_NONE;
}

/* Where in a column each buffer is, of the places that are shown; SW_NONE: nowhere. */
static uint32_t *sequence_places_of(const struct sequence_view *s, const struct sw_state_table *table,
                                    const char *column) {
    uint32_t buffers = sw_problem_buffer_count(s->problem);
    uint32_t *places = sw_arena_new(&s->scene->arena, buffers + 1, sizeof *places);
    s->scene->failed |= !places;
    for (uint32_t b = 0; places && b < buffers; b++) {
        places[b] = SW_NONE;
    }
    for (uint64_t i = s->first; places && i < s->end; i++) {
        uint32_t b = sequence_block(table, i, column);
        if (b < buffers) {
            places[b] = (uint32_t)i;
        }
    }
    return places;
}

/* ---- rows of blocks ---- */

static void sequence_row(struct sequence_view *s, const struct sw_state_table *table, const char *column,
                         const char *title, double y0, double y1) {
    for (uint64_t i = s->first; i < s->end && !s->scene->failed; i++) {
        uint32_t b = sequence_block(table, i, column);
        const char *from = sequence_cell(table, i, "from").word;
        bool child = strcmp(column, "child") == 0 && from;
        if (b == SW_NONE) {
            continue;
        }
        enum sw_style style = b == s->in->look.selected                 ? SW_STYLE_SELECTED
                              : child && strcmp(from, "exchanged") == 0 ? SW_STYLE_CURRENT
                                                                        : SW_STYLE_BLOCK;
        struct sw_mark mark = sw_mark_over(SW_MARK_RECT, style, (double)i, (double)i + 1, y0, y1);
        mark.hue = (uint8_t)(b % SW_HUES);
        mark.item = (struct sw_item){SW_ITEM_BUFFER, b};
        mark.labels = sw_scene_labels(s->scene, sw_problem_buffer(s->problem, b)->name);
        sw_panel_mark(s->scene, s->panel, mark);
        if (style == SW_STYLE_CURRENT && sw_medium(s->in)->legend) {
            sw_scene_legend(s->scene, style, 0, 0, "exchanged");
        }
    }
    struct sw_tick tick = {(y0 + y1) / 2, sw_view_gutter_name(s->in, s->scene, title)};
    s->scene->failed |= !SW_PUSH(&s->panel->y.ticks, tick);
}

static void sequence_link(struct sequence_view *s, enum sw_style style, uint32_t from, uint32_t to, double y0,
                          double y1) {
    if (sw_medium(s->in)->fine && from != SW_NONE && to != SW_NONE) {
        sw_panel_mark(s->scene, s->panel, sw_mark_over(SW_MARK_LINE, style, from + 0.5, to + 0.5, y0, y1));
    }
}

/* A bar below neighbors of which the later may reuse the space of the earlier: one for each run of them. */
static void reuse_bars(struct sequence_view *s, double y0, double y1) {
    bool any = false;
    for (uint64_t i = s->first, to; i < s->end; i = to) {
        for (to = i + 1; to < s->end && sequence_cell(s->order, to, "may reuse the one before").count; to++) {
        }
        if (to > i + 1) {
            any = true;
            sw_panel_mark(s->scene, s->panel,
                          sw_mark_over(SW_MARK_RECT, SW_STYLE_FITS, (double)i + 0.15, (double)to - 0.15, y0, y1));
        }
    }
    if (any && sw_medium(s->in)->legend) {
        sw_scene_legend(s->scene, SW_STYLE_FITS, 0, 1, "each may reuse the space of the one before");
    }
    struct sw_tick tick = {(y0 + y1) / 2, sw_view_gutter_name(s->in, s->scene, "reuse")};
    s->scene->failed |= !SW_PUSH(&s->panel->y.ticks, tick);
}

/* Rows of places, one below the other; on paper there may be several. */
static void build_rows(struct sequence_view *s, void (*build)(struct sequence_view *, struct sw_box),
                       struct sw_box *box, double height) {
    for (s->first = s->from; s->first < s->until && !s->scene->failed; s->first = s->end) {
        s->end = SW_MIN(s->first + s->in_row, s->until);
        build(s, (struct sw_box){box->left, box->top, box->width, height});
        sw_box_take(box, fmin(s->panel->height, height) + sw_medium(s->in)->gap);
    }
}

static void open_sequence(struct sequence_view *s, const char *id, const char *title, struct sw_box box, double top) {
    s->panel = sw_scene_panel(s->scene, SW_PANEL_PLOT, id);
    s->panel->title = title;
    sw_view_place_count(s->in, s->scene, s->panel, box, "place", (double)s->first, (double)s->end);
    if (sw_medium(s->in)->fine) { /* no labels of lines stand at the right */
        s->panel->body_width += sw_medium(s->in)->right - 40;
        s->panel->x.title = "place";
    }
    s->panel->tier = SW_NONE;
    s->panel->y.lo = 0;
    s->panel->y.hi = top;
    if (!sw_medium(s->in)->fine && s->panel->body_height > top) { /* in cells names stand in the middle of rows */
        s->panel->body_height = floor(s->panel->body_height / top) * top;
    }
    sw_view_scrolled(s->panel, &s->scrolled);
}

static const char *places_words(const struct sequence_view *s, uint64_t all) {
    return s->end - s->first < all ? sw_scene_printf(s->scene, ", places %s..%s of %s", SW_COUNT(s->first),
                                                     SW_COUNT(s->end - 1), SW_COUNT(all))
                                   : "";
}

/* ---- the sort ---- */

static void build_sort(struct sequence_view *s, struct sw_box box) {
    uint64_t continuity = 0;
    for (uint64_t i = s->order->first; i < s->order->end; i++) {
        continuity += sequence_cell(s->order, i, "may reuse the one before").count;
    }
    bool whole = s->order->end - s->order->first == s->order->row_count;
    open_sequence(s, "sort",
                  sw_scene_printf(s->scene, "sort of %s%s%s", s->order->name,
                                  whole ? sw_scene_printf(s->scene, ": continuity %s", SW_COUNT(continuity)) : "",
                                  places_words(s, s->order->row_count)),
                  box, 4);
    double apart = sw_medium(s->in)->fine ? 0.05 : 0; /* cells have whole rows */
    sequence_row(s, s->order, "buffer", "order", 3 + apart, 4 - apart);
    sequence_row(s, s->order, "by address", "sorted", 1, 2 - 2 * apart);
    const uint32_t *sorted = sequence_places_of(s, s->order, "by address");
    for (uint64_t i = s->first; sorted && i < s->end && !s->scene->failed; i++) {
        uint32_t b = sequence_block(s->order, i, "buffer");
        sequence_link(s, SW_STYLE_TRANSFER, (uint32_t)i, b == SW_NONE ? SW_NONE : sorted[b], 3 + apart, 2 - 2 * apart);
    }
    reuse_bars(s, 5 * apart, 1 - 6 * apart);
}

/* ---- the reordering ---- */

/* The places that a crossover kept together, framed in parent and child. */
static void frame_kept(struct sequence_view *s, double parent) {
    bool any = false;
    for (uint64_t i = s->first, to; i < s->end; i = to) {
        const char *from = sequence_cell(s->genes, i, "from").word;
        bool kept = from && strcmp(from, "kept together") == 0;
        for (to = i + 1; to < s->end && kept; to++) {
            const char *next = sequence_cell(s->genes, to, "from").word;
            if (!next || strcmp(next, from) != 0) {
                break;
            }
        }
        any |= kept;
        for (int row = 0; kept && row < 2; row++) {
            double y = row == 0 ? parent : 0.0;
            sw_panel_mark(s->scene, s->panel,
                          sw_mark_over(SW_MARK_FRAME, SW_STYLE_CHOSEN, (double)i, (double)to, y, y + 1));
        }
    }
    if (any && sw_medium(s->in)->legend) {
        sw_scene_legend(s->scene, SW_STYLE_CHOSEN, 0, 0, "kept together");
    }
}

static void build_reordering(struct sequence_view *s, struct sw_box box) {
    bool second = sequence_block(s->genes, s->first, "second parent") != SW_NONE;
    bool parents = sequence_block(s->genes, s->first, "first parent") != SW_NONE;
    const struct sw_medium *medium = sw_medium(s->in);
    double low = medium->fine ? 2.6 : 2, all = medium->fine ? 6 : 5; /* cells have whole rows */
    double top = second ? all : parents ? low + 1 : 1, frame = medium->heading + medium->ticks;
    box.height = frame + fmax(box.height - frame, 0) * top / all; /* blocks are as high in each */
    open_sequence(s, "reordering",
                  sw_scene_printf(s->scene, "reordering: %s%s",
                                  !parents ? "an order drawn, without parents"
                                  : second ? "two parents and their child"
                                           : "a parent and its child",
                                  places_words(s, s->genes->row_count)),
                  box, top);
    if (parents) {
        sequence_row(s, s->genes, "first parent", "first", top - 1, top);
    }
    if (second) {
        sequence_row(s, s->genes, "second parent", "second", low, low + 1);
    }
    sequence_row(s, s->genes, "child", "child", 0.0, 1.0);
    const uint32_t *to = second ? sequence_places_of(s, s->genes, "second parent") : NULL;
    for (uint64_t i = s->first; to && i < s->end && !s->scene->failed; i++) {
        uint32_t b = sequence_block(s->genes, i, "child");
        const char *from = sequence_cell(s->genes, i, "from").word;
        bool kept = from && strcmp(from, "kept together") == 0;
        sequence_link(s, SW_STYLE_TRANSFER, kept || b == SW_NONE ? SW_NONE : to[b], (uint32_t)i, low, 1);
    }
    frame_kept(s, top - 1);
}

/* ---- together ---- */

static void find_tables(struct sequence_view *s, const struct sw_state_tables *tables) {
    for (size_t i = 0; i < tables->items.count; i++) {
        const struct sw_state_table *table = &tables->items.items[i];
        if (table->first == table->end) { /* of no blocks */
            continue;
        }
        if (column_named(table, "by address") != NO_COLUMN) {
            s->order = table;
        } else if (column_named(table, "child") != NO_COLUMN) {
            s->genes = table;
        }
    }
}

/* A planner that counts how continuous its orders are. */
static bool sequence_applies(const struct sw_search *search, bool *missed) {
    struct sw_state_tables tables = {.most = 1};
    bool applies = false;
    sw_search_state(search, &tables);
    for (size_t i = 0; i < tables.items.count; i++) {
        applies |= column_named(&tables.items.items[i], "continuity") != NO_COLUMN;
    }
    *missed |= tables.failed;
    sw_state_tables_done(&tables);
    return applies;
}

/* The first place that the decision kept or exchanged in the child, else the first of all. */
static uint64_t first_changed(const struct sequence_view *s, const struct sw_state_table *any) {
    for (uint64_t i = any->first; s->genes && i < any->end; i++) {
        const char *from = sequence_cell(s->genes, i, "from").word;
        if (from && (strcmp(from, "kept together") == 0 || strcmp(from, "exchanged") == 0)) {
            return i;
        }
    }
    return any->first;
}

/* The places that have room, from where the pane is scrolled to: in as many rows. */
static void choose_places(struct sequence_view *s, double width, uint64_t rows) {
    const struct sw_medium *medium = sw_medium(s->in);
    double each = medium->fine ? 9 : 7, body = width - medium->gutter - (medium->fine ? 40 : 0);
    const struct sw_state_table *any = s->order ? s->order : s->genes;
    uint64_t fit = (uint64_t)fmax(floor(body / each), 1), all = any->end - any->first;
    uint64_t wanted = SW_MIN((all + fit - 1) / fit, rows), room = SW_MIN(wanted * fit, all);
    s->from = sw_view_first(&s->scrolled, s->in->look.scroll, first_changed(s, any), any->end, room);
    s->until = s->from + room;
    s->in_row = (room + wanted - 1) / wanted;
}

static void build_sequence(struct sequence_view *s, struct sw_box box) {
    bool missed = false;
    if (!s->order && !s->genes) {
        struct sw_lines lines = sw_lines_begin(s->in, s->scene, "sequence", "sequence", box, 1, 0);
        sw_lines_textf(&lines, SW_STYLE_DIM,
                       sequence_applies(s->in->run.search, &missed) ? "%s has no blocks in an order so far."
                                                                    : "%s keeps no order of blocks.",
                       sw_search_planner(s->in->run.search)->name);
        s->scene->failed |= missed;
        return;
    }
    const struct sw_medium *medium = sw_medium(s->in);
    double gap = medium->gap, most = medium->fine ? 260 : 12, least = medium->fine ? 180 : 9;
    unsigned pictures = s->order && s->genes ? 2 : 1;
    uint64_t rows = medium->still ? (uint64_t)fmax(floor((box.height + gap) / (least + gap) / pictures), 1) : 1;
    double needed = medium->heading + medium->ticks + 4;
    if (pictures == 2 && !medium->still && box.height < 2 * needed + gap) { /* the one that the decision makes */
        s->order = NULL;
        pictures = 1;
    }
    choose_places(s, box.width, rows);
    rows = pictures * ((s->until - s->from + s->in_row - 1) / s->in_row);
    double height = fmin(floor((box.height - gap * (double)(rows - 1)) / (double)rows), most);
    if (s->order) {
        build_rows(s, build_sort, &box, height);
    }
    if (s->genes && !s->scene->failed) {
        build_rows(s, build_reordering, &box, height);
    }
    if (medium->legend) {
        sw_scene_legend(s->scene, SW_STYLE_BLOCK, 0, 0, "block, in the same color in each row");
    }
}

static void sequence_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sequence_view s = {.in = in, .scene = scene, .problem = sw_search_problem(in->run.search)};
    struct sw_state_tables tables = {.most = MOST_SEQUENCE_PLACES};
    sw_search_state(in->run.search, &tables);
    scene->failed |= tables.failed;
    if (!scene->failed) {
        find_tables(&s, &tables);
        build_sequence(&s, box);
    }
    sw_state_tables_done(&tables);
}

const struct sw_view sw_view_sequence = {
    .name = "sequence",
    .summary = "orders of blocks: the sort by address, parents and child",
    .takes = SW_TAKES_BUFFER,
    .scrolls = SW_SCROLLS_LIST,
    .applies = sequence_applies,
    .build = sequence_build,
};
