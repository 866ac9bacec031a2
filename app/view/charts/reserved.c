/* The segments of an online allocator side by side: each a row, from its lowest address to its highest, with what is
 * used, what waits for another stream, what is free, and what is not mapped. Below them, where the reserved bytes are.
 *
 * Where there are several streams or pools each has a lane of its own, with its sums above its segments: no block of
 * one can be used by another. All segments have one scale, so that lengths can be compared. A character stands for many
 * bytes, and tells what most of them are; the numbers beside it are exact. */
#include "view/scene/lines.h"
#include "planners/planner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 200000, LEAST_MAP = 8, MOST_MAP = 400 };
static const struct sw_lines_head heads[] = {{"segment", true}, {"reserved", true}, {"", false},
                                             {"used", true},    {"free", true},     {"largest", true}};
enum { COLUMNS = sizeof heads / sizeof *heads, BESIDE = 46 /* characters of the other columns */ };

enum what { UNMAPPED, USED, WAITS, FREE, WHATS };
/* All of one width, also in fonts of which other characters have several. */
static const char *const glyphs[] = {"\u2581", "\u2588", "\u2592", "\u2591"};

/* A row of the list: a segment, or the heading of a lane. */
struct row {
    uint64_t segment; /* its row in the table; of a heading that of its first one */
    bool heading;
};
struct reserved {
    struct sw_lines lines;
    const struct sw_state_table *segments, *blocks;
    SW_ARRAY(struct row) rows;
    bool streams;     /* there are several */
    uint64_t longest; /* span of a segment that is shown */
    unsigned width;   /* characters of a map */
};

static const struct sw_state_cell *cells_of(const struct sw_state_table *table, uint64_t row) {
    return &table->cells.items[(row - table->first) * table->column_count];
}

static const struct sw_state_table *find(const struct sw_state_tables *tables, const char *name) {
    for (size_t i = 0; i < tables->items.count; i++) {
        if (strcmp(tables->items.items[i].name, name) == 0) {
            return &tables->items.items[i];
        }
    }
    return NULL;
}

static enum what what_of(const char *state) {
    return strcmp(state, "used") == 0    ? USED
           : strcmp(state, "waits") == 0 ? WAITS
           : strcmp(state, "free") == 0  ? FREE
                                         : UNMAPPED;
}

/* The blocks of a segment: [from, to) of those that are known, and how long they are together without what is unmapped
 * behind the last. */
static uint64_t blocks_of(const struct reserved *r, uint64_t segment, uint64_t *from, uint64_t *to) {
    uint64_t row = r->blocks->first, mapped = 0, all = 0;
    while (row < r->blocks->end && cells_of(r->blocks, row)[0].count != segment) {
        row++;
    }
    *from = row;
    for (; row < r->blocks->end && cells_of(r->blocks, row)[0].count == segment; row++) {
        const struct sw_state_cell *c = cells_of(r->blocks, row);
        all += c[2].count;
        mapped = what_of(c[3].word) == UNMAPPED ? mapped : all;
    }
    *to = row;
    return mapped;
}

/* What most bytes of a character are. */
static const char *map_of(const struct reserved *r, uint64_t from, uint64_t to, uint64_t span) {
    char *text = sw_arena_new(&r->lines.scene->arena, 4 * MOST_MAP + 1, 1);
    unsigned width = (unsigned)ceil((double)span / (double)r->longest * r->width);
    uint64_t row = from, at = 0; /* the block that has byte `at`, from the segment's beginning */
    uint64_t end = row < to ? cells_of(r->blocks, row)[2].count : 0;
    size_t used = 0;
    if (!text) {
        r->lines.scene->failed = true;
        return "";
    }
    for (unsigned c = 0; c < width && c < MOST_MAP; c++) {
        uint64_t stop = (uint64_t)((double)r->longest * (c + 1) / r->width), bytes[WHATS] = {0};
        stop = stop < span ? stop : span;
        while (at < stop && row < to) {
            uint64_t upto = end < stop ? end : stop;
            bytes[what_of(cells_of(r->blocks, row)[3].word)] += upto - at;
            at = upto;
            if (at == end && ++row < to) {
                end += cells_of(r->blocks, row)[2].count;
            }
        }
        unsigned most = UNMAPPED;
        for (unsigned w = 0; w < WHATS; w++) {
            most = bytes[w] > bytes[most] ? w : most;
        }
        memcpy(text + used, glyphs[most], strlen(glyphs[most]));
        used += strlen(glyphs[most]);
    }
    return text;
}

static void add_segment(struct reserved *r, uint64_t row) {
    const struct sw_state_cell *c = cells_of(r->segments, row);
    struct sw_lines *lines = &r->lines;
    bool touched = row == r->segments->touched;
    enum sw_style style = touched ? SW_STYLE_CURRENT : SW_STYLE_TEXT;
    uint64_t from, to, span = blocks_of(r, c[0].count, &from, &to);
    if (!sw_lines_row(lines, (struct sw_item){SW_ITEM_NONE, 0}, touched)) {
        return;
    }
    sw_lines_cell(lines, style, true, sw_scene_printf(lines->scene, "%llu", (unsigned long long)c[0].count));
    sw_lines_cell(lines, style, true, sw_lines_bytes(lines, c[2].count));
    sw_lines_cell(lines, touched ? SW_STYLE_CURRENT : SW_STYLE_LIVE, false, map_of(r, from, to, span));
    sw_lines_cell(lines, style, true, sw_lines_bytes(lines, c[3].count));
    sw_lines_cell(lines, c[5].count ? style : SW_STYLE_DIM, true, sw_lines_bytes(lines, c[5].count));
    sw_lines_cell(lines, SW_STYLE_DIM, true, sw_lines_bytes(lines, c[6].count));
}

/* ---- lanes ---- */

enum { STREAM = 8, POOL, PRIVATE };

static int compare_cells(const struct sw_state_cell *a, const struct sw_state_cell *b) {
    if (a->kind != b->kind) {
        return a->kind < b->kind ? -1 : 1;
    }
    return a->kind == SW_CELL_WORD     ? strcmp(a->word, b->word)
           : a->kind == SW_CELL_NUMBER ? (a->number > b->number) - (a->number < b->number)
                                       : (a->count > b->count) - (a->count < b->count);
}

/* By private pool, by stream, large ones first: the same 0. */
static int compare_lanes(const struct sw_state_cell *a, const struct sw_state_cell *b) {
    int order = compare_cells(&a[PRIVATE], &b[PRIVATE]);
    order = order ? order : compare_cells(&a[STREAM], &b[STREAM]);
    return order ? order : compare_cells(&a[POOL], &b[POOL]);
}

static int compare_rows(const void *a, const void *b, void *table) {
    const struct row *x = a, *y = b;
    int order = compare_lanes(cells_of(table, x->segment), cells_of(table, y->segment));
    return order ? order : (x->segment > y->segment) - (x->segment < y->segment);
}

/* Segments lane by lane; where there is one lane alone, by number and without headings. */
static bool list_rows(struct reserved *r) {
    const struct sw_state_table *t = r->segments;
    bool several = false;
    for (uint64_t row = t->first; row < t->end; row++) {
        r->streams |= row > t->first && compare_cells(&cells_of(t, row)[STREAM], &cells_of(t, t->first)[STREAM]) != 0;
        several |= row > t->first && compare_lanes(cells_of(t, row), cells_of(t, t->first)) != 0;
        if (!SW_PUSH(&r->rows, ((struct row){row, false}))) {
            return false;
        }
    }
    if (!several) {
        return true;
    }
    qsort_r(r->rows.items, r->rows.count, sizeof *r->rows.items, compare_rows, (void *)t);
    size_t count = r->rows.count, lanes = 0;
    for (size_t i = 0; i < count; i++) {
        lanes += i == 0 ||
                 compare_lanes(cells_of(t, r->rows.items[i - 1].segment), cells_of(t, r->rows.items[i].segment)) != 0;
    }
    if (!SW_RESERVE(&r->rows, count + lanes)) {
        return false;
    }
    for (size_t i = count, to = count + lanes; i-- > 0;) { /* from the end, to make room for the headings */
        struct row one = r->rows.items[i];
        bool first = i == 0 || compare_lanes(cells_of(t, r->rows.items[i - 1].segment), cells_of(t, one.segment)) != 0;
        r->rows.items[--to] = one;
        if (first) {
            r->rows.items[--to] = (struct row){one.segment, true};
        }
    }
    r->rows.count = count + lanes;
    return true;
}

static void add_heading(struct reserved *r, size_t at) {
    struct sw_lines *lines = &r->lines;
    struct sw_scene *scene = lines->scene;
    const struct sw_state_cell *first = cells_of(r->segments, r->rows.items[at].segment);
    uint64_t sums[4] = {0}; /* reserved, used, waits, free */
    size_t count = 0;
    char number[32];
    for (size_t i = at + 1; i < r->rows.count && !r->rows.items[i].heading; i++, count++) {
        const struct sw_state_cell *c = cells_of(r->segments, r->rows.items[i].segment);
        for (unsigned k = 0; k < 4; k++) {
            sums[k] += c[2 + k].count;
        }
    }
    const char *stream = r->streams && first[STREAM].kind == SW_CELL_NUMBER
                             ? sw_scene_printf(scene, ", stream %.0f", first[STREAM].number)
                             : "";
    const char *own = first[PRIVATE].kind == SW_CELL_COUNT
                          ? sw_scene_printf(scene, ", private pool %llu", (unsigned long long)first[PRIVATE].count)
                          : "";
    if (!sw_lines_row(lines, (struct sw_item){SW_ITEM_NONE, 0}, false)) {
        return;
    }
    sw_lines_cell(lines, SW_STYLE_STRONG, true, "");
    sw_lines_cell(lines, SW_STYLE_STRONG, true, sw_lines_bytes(lines, sums[0]));
    sw_lines_cell(lines, SW_STYLE_STRONG, false,
                  sw_scene_printf(scene, "%s%s%s: %s segment%s", first[POOL].word, stream, own,
                                  sw_show_count(count, number), count == 1 ? "" : "s"));
    sw_lines_cell(lines, SW_STYLE_STRONG, true, sw_lines_bytes(lines, sums[1]));
    sw_lines_cell(lines, SW_STYLE_STRONG, true, sw_lines_bytes(lines, sums[3]));
    sw_lines_cell(lines, SW_STYLE_STRONG, true, "");
}

static void build_segments(struct reserved *r, const struct sw_view_input *in, struct sw_scene *scene,
                           struct sw_box box) {
    char count[32];
    const char *title = sw_scene_printf(scene, "%s segment%s", sw_show_count(r->segments->row_count, count),
                                        r->segments->row_count == 1 ? "" : "s");
    if (!sw_lines_begin(&r->lines, in, scene, "segments-of-heap", title, box, COLUMNS, 2)) {
        return;
    }
    struct sw_lines *lines = &r->lines;
    r->width = lines->room > BESIDE + LEAST_MAP ? lines->room - BESIDE : LEAST_MAP;
    r->width = sw_medium(in)->fine ? r->width * 2 / 3 : r->width; /* there these characters are wider than most */
    r->width = r->width < MOST_MAP ? r->width : MOST_MAP;
    sw_lines_text(lines, SW_STYLE_DIM,
                  sw_scene_printf(scene, "%s used  %s waits for another stream  %s free  %s not mapped", glyphs[USED],
                                  glyphs[WAITS], glyphs[FREE], glyphs[UNMAPPED]));
    if (!list_rows(r)) {
        scene->failed = true;
        return;
    }
    uint32_t rows = (uint32_t)r->rows.count, room = sw_lines_heads(lines, heads, COLUMNS, rows);
    uint64_t touched = 0;
    for (uint64_t i = 0; i < rows; i++) {
        touched = !r->rows.items[i].heading && r->rows.items[i].segment == r->segments->touched ? i : touched;
    }
    uint64_t first = touched < room / 2 ? 0 : touched - room / 2;
    first = sw_view_first(lines->panel, in->look.scroll, first, rows, room);
    uint64_t end = first + room < rows ? first + room : rows;
    r->longest = 1;
    for (uint64_t i = first; i < end; i++) {
        uint64_t from, to, span = blocks_of(r, cells_of(r->segments, r->rows.items[i].segment)[0].count, &from, &to);
        r->longest = span > r->longest ? span : r->longest;
    }
    for (uint64_t i = first; i < end && !scene->failed; i++) {
        if (r->rows.items[i].heading) {
            add_heading(r, i);
        } else {
            add_segment(r, r->rows.items[i].segment);
        }
    }
    lines->panel->hidden_above = first;
    lines->panel->hidden_below = rows - (end > first ? end : first);
}

/* Where the reserved bytes are: a row a cause. */
static void build_waste(const struct sw_state_table *table, const struct sw_view_input *in, struct sw_scene *scene,
                        struct sw_box box) {
    struct sw_lines lines;
    char percent[16];
    uint64_t all = table->row_count ? cells_of(table, table->row_count - 1)[1].count : 0;
    if (table->end < table->row_count || !sw_lines_begin(&lines, in, scene, "waste", table->name, box, 3, 0)) {
        return;
    }
    for (uint64_t row = 0; row < table->row_count; row++) {
        const struct sw_state_cell *c = cells_of(table, row);
        bool sum = row + 1 == table->row_count;
        enum sw_style style = sum ? SW_STYLE_STRONG : c[1].count ? SW_STYLE_TEXT : SW_STYLE_DIM;
        if (!sw_lines_row(&lines, (struct sw_item){SW_ITEM_NONE, 0}, false)) {
            return;
        }
        sw_lines_cell(&lines, style, false, c[0].word);
        sw_lines_cell(&lines, style, true, sw_lines_bytes(&lines, c[1].count));
        sw_lines_cell(
            &lines, SW_STYLE_DIM, true,
            all ? sw_scene_printf(scene, "%s", sw_show_percent((double)c[1].count / (double)all, false, percent)) : "");
    }
}

static void build(const struct sw_view_input *in, struct sw_scene *scene, double left, double top, double width,
                  double height) {
    struct sw_state_tables tables = {.most = MOST_BLOCKS};
    sw_search_state(in->run.search, &tables);
    struct reserved r = {.segments = find(&tables, "segments"), .blocks = find(&tables, "blocks")};
    const struct sw_state_table *waste = find(&tables, "where the reserved bytes are");
    scene->failed |= tables.failed;
    if (r.segments && r.blocks && waste && !scene->failed) {
        double each = sw_medium(in)->row, low = ((double)waste->row_count + 1) * each;
        low = low < height / 2 ? low : floor(height / 2 / each) * each;
        build_segments(&r, in, scene, (struct sw_box){left, top, width, height - low});
        bool close = sw_medium(in)->still && r.lines.panel; /* a page is as high as it needs */
        double used = close ? ((double)r.lines.panel->rows.count + 3) * each : height - low;
        build_waste(waste, in, scene, (struct sw_box){left, top + fmin(used, height - low), width, low});
    } else if (!scene->failed) {
        struct sw_lines lines;
        if (sw_lines_begin(&lines, in, scene, "segments-of-heap", "reserved", (struct sw_box){left, top, width, height},
                           1, 0)) {
            sw_lines_flow(&lines);
            sw_lines_text(&lines, SW_STYLE_TEXT, "This planner gets no memory in segments: it is no online allocator.");
        }
    }
    SW_ARRAY_DONE(&r.rows);
    sw_state_tables_done(&tables);
}

static bool applies(const struct sw_search *search) {
    return sw_search_planner(search)->reserves;
}

const struct sw_view sw_view_reserved = {
    .name = "reserved",
    .summary = "an allocator's segments, and where the reserved bytes are",
    .scrolls = SW_SCROLLS_LIST,
    .applies = applies,
    .build = build,
};
