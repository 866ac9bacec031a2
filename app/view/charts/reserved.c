/* The segments of an online allocator side by side: each a row, from its lowest address to its highest, with what is
 * used, what waits for another stream, what is free, and what is not mapped. Below them, where the reserved bytes are.
 *
 * Where there are several streams or pools each has a lane of its own, with its sums above its segments: no block of
 * one can be used by another. All segments have one scale, so that lengths can be compared. A character stands for many
 * bytes, and tells what most of them are; the numbers beside it are exact. */
#include "planners/online/online_look.h"
#include "base/base.h"
#include "view/scene/lines.h"

enum { LEAST_MAP = 8, MOST_MAP = 400 };
static const struct sw_lines_head segment_heads[] = {{"segment", true}, {"reserved", true}, {"", false},
                                                     {"used", true},    {"free", true},     {"largest", true}};
enum {
    SEGMENT_COLUMNS = sizeof segment_heads / sizeof *segment_heads,
    BESIDE_MAP = 46 /* characters of the other columns */
};

enum map_kind { MAP_UNMAPPED, MAP_USED, MAP_WAITS, MAP_FREE, MAP_KINDS };
/* All of one width, also in fonts of which other characters have several. */
static const char *const glyphs[] = {"\u2581", "\u2588", "\u2592", "\u2591"};

/* A row of the list: a segment, or the heading of a lane. */
struct segment_row {
    uint32_t segment; /* of a heading the first one below it */
    bool heading;
};
struct reserved {
    struct sw_lines lines;
    struct sw_online_look look;
    uint32_t touched; /* the segment of the last decision's buffer; SW_NONE */
    SW_ARRAY(struct segment_row) rows;
    bool streams;     /* there are several */
    uint64_t longest; /* span of a segment that is shown */
    unsigned width;   /* characters of a map */
};

static const struct sw_heap_segment *segment_at(const struct reserved *r, uint32_t segment) {
    return &r->look.heap->segments.items[segment];
}

/* What is free is not mapped, as far as is known, where the record does not tell all requests. */
static enum map_kind map_kind_of(const struct reserved *r, uint32_t block) {
    static const enum map_kind of_state[] = {[SW_BLOCK_FREE] = MAP_FREE,
                                             [SW_BLOCK_USED] = MAP_USED,
                                             [SW_BLOCK_WAITING] = MAP_WAITS,
                                             [SW_BLOCK_UNMAPPED] = MAP_UNMAPPED};
    enum sw_block_state state = sw_heap_at(r->look.heap, block)->state;
    return state == SW_BLOCK_FREE && r->look.heap->partial ? MAP_UNMAPPED : of_state[state];
}

/* What a segment holds. */
struct segment_content {
    uint64_t bytes[SW_BLOCK_GONE]; /* of its blocks in each state */
    uint64_t largest;              /* free block */
    uint64_t span;                 /* of its blocks together, without what is unmapped behind the last */
};

static struct segment_content held_by(const struct reserved *r, uint32_t segment) {
    const struct sw_heap *heap = r->look.heap;
    struct segment_content held = {0};
    uint64_t all = 0;
    for (uint32_t b = segment_at(r, segment)->first; b != SW_NONE; b = sw_heap_at(heap, b)->next) {
        enum sw_block_state state = sw_heap_at(heap, b)->state;
        uint64_t size = sw_heap_extent(heap, b);
        held.bytes[state] += size;
        held.largest = state == SW_BLOCK_FREE ? SW_MAX(held.largest, size) : held.largest;
        all += size;
        held.span = map_kind_of(r, b) == MAP_UNMAPPED ? held.span : all;
    }
    return held;
}

/* What most bytes of a character are. */
static const char *map_of(const struct reserved *r, uint32_t segment, uint64_t span) {
    const struct sw_heap *heap = r->look.heap;
    char *text = sw_arena_new(&r->lines.scene->arena, 4 * MOST_MAP + 1, 1);
    unsigned width = (unsigned)ceil((double)span / (double)r->longest * r->width);
    uint32_t block = segment_at(r, segment)->first;
    uint64_t at = 0; /* byte of the segment, and where the block ends that has it */
    uint64_t end = block == SW_NONE ? 0 : sw_heap_extent(heap, block);
    size_t used = 0;
    if (!text) {
        r->lines.scene->failed = true;
        return "";
    }
    for (unsigned c = 0; c < width && c < MOST_MAP; c++) {
        uint64_t stop = (uint64_t)((double)r->longest * (c + 1) / r->width), bytes[MAP_KINDS] = {0};
        stop = SW_MIN(stop, span);
        while (at < stop && block != SW_NONE) {
            uint64_t upto = SW_MIN(end, stop);
            bytes[map_kind_of(r, block)] += upto - at;
            at = upto;
            if (at == end) {
                block = sw_heap_at(heap, block)->next;
                end += block == SW_NONE ? 0 : sw_heap_extent(heap, block);
            }
        }
        unsigned most = MAP_UNMAPPED;
        for (unsigned w = 0; w < MAP_KINDS; w++) {
            most = bytes[w] > bytes[most] ? w : most;
        }
        memcpy(text + used, glyphs[most], strlen(glyphs[most]));
        used += strlen(glyphs[most]);
    }
    return text;
}

static void add_heap_segment(struct reserved *r, uint32_t segment) {
    struct sw_lines *lines = &r->lines;
    bool touched = segment == r->touched;
    enum sw_style style = touched ? SW_STYLE_CURRENT : SW_STYLE_TEXT;
    struct segment_content held = held_by(r, segment);
    uint64_t free_ = held.bytes[SW_BLOCK_FREE];
    sw_lines_row(lines, SW_NO_ITEM, touched);
    sw_lines_cellf(lines, style, true, "%u", segment);
    sw_lines_cell(lines, style, true, sw_lines_bytes(lines, segment_at(r, segment)->size));
    sw_lines_cell(lines, touched ? SW_STYLE_CURRENT : SW_STYLE_LIVE, false, map_of(r, segment, held.span));
    sw_lines_cell(lines, style, true, sw_lines_bytes(lines, held.bytes[SW_BLOCK_USED]));
    sw_lines_cell(lines, free_ ? style : SW_STYLE_DIM, true, sw_lines_bytes(lines, free_));
    sw_lines_cell(lines, SW_STYLE_DIM, true, sw_lines_bytes(lines, held.largest));
}

/* ---- lanes ---- */

/* The stream's number; false: it has none. */
static bool stream_of(const struct reserved *r, uint32_t segment, double *number) {
    uint32_t stream = segment_at(r, segment)->stream;
    bool known = stream < r->look.requests->streams.count;
    *number = known ? (double)r->look.requests->streams.items[stream] : 0;
    return known;
}

static int compare_streams(const struct reserved *r, uint32_t a, uint32_t b) {
    double x, y;
    int known = stream_of(r, a, &x) - stream_of(r, b, &y);
    return known ? known : (x > y) - (x < y);
}

/* By private pool, by stream, large ones first: the same 0. */
static int compare_lanes(const struct reserved *r, uint32_t a, uint32_t b) {
    const struct sw_heap_segment *x = segment_at(r, a), *y = segment_at(r, b);
    int order = (x->pool > y->pool) - (x->pool < y->pool);
    order = order ? order : compare_streams(r, a, b);
    order = order ? order : x->small - y->small;
    return order ? order : (x->page > 0) - (y->page > 0);
}

static int compare_segment_rows(const void *a, const void *b, void *reserved) {
    const struct segment_row *x = a, *y = b;
    int order = compare_lanes(reserved, x->segment, y->segment);
    order = order ? order : y->heading - x->heading;
    return order ? order : (x->segment > y->segment) - (x->segment < y->segment);
}

/* Segments lane by lane; where there is one lane alone, by number and without headings. */
static bool list_segments(struct reserved *r) {
    bool several = false;
    for (uint32_t s = 0; s < r->look.heap->segments.count; s++) {
        if (!segment_at(r, s)->live) {
            continue;
        }
        if (!SW_PUSH(&r->rows, ((struct segment_row){s, false}))) {
            return false;
        }
        r->streams |= compare_streams(r, s, r->rows.items[0].segment) != 0;
        several |= compare_lanes(r, s, r->rows.items[0].segment) != 0;
    }
    if (!several) {
        return true;
    }
    size_t count = r->rows.count;
    qsort_r(r->rows.items, count, sizeof *r->rows.items, compare_segment_rows, r);
    for (size_t i = 0; i < count; i++) {
        uint32_t segment = r->rows.items[i].segment;
        bool first = i == 0 || compare_lanes(r, r->rows.items[i - 1].segment, segment) != 0;
        if (first && !SW_PUSH(&r->rows, ((struct segment_row){segment, true}))) {
            return false;
        }
    }
    qsort_r(r->rows.items, r->rows.count, sizeof *r->rows.items, compare_segment_rows, r);
    return true;
}

static void add_lane_heading(struct reserved *r, size_t at) {
    struct sw_lines *lines = &r->lines;
    struct sw_scene *scene = lines->scene;
    uint32_t first = r->rows.items[at].segment;
    const struct sw_heap_segment *lane = segment_at(r, first);
    uint64_t reserved = 0, used = 0, free_ = 0;
    size_t count = 0;
    double stream;
    for (size_t i = at + 1; i < r->rows.count && !r->rows.items[i].heading; i++, count++) {
        struct segment_content held = held_by(r, r->rows.items[i].segment);
        reserved += segment_at(r, r->rows.items[i].segment)->size;
        used += held.bytes[SW_BLOCK_USED];
        free_ += held.bytes[SW_BLOCK_FREE];
    }
    const char *of = stream_of(r, first, &stream) && r->streams ? sw_scene_printf(scene, ", stream %.0f", stream) : "";
    const char *own = lane->pool ? sw_scene_printf(scene, ", private pool %u", lane->pool) : "";
    sw_lines_row(lines, SW_NO_ITEM, false);
    sw_lines_cell(lines, SW_STYLE_STRONG, true, "");
    sw_lines_cell(lines, SW_STYLE_STRONG, true, sw_lines_bytes(lines, reserved));
    sw_lines_cellf(lines, SW_STYLE_STRONG, false, "%s%s%s%s: %s", lane->small ? "small" : "large",
                   lane->page ? ", pages" : "", of, own, sw_scene_counted(lines->scene, count, "segment"));
    sw_lines_cell(lines, SW_STYLE_STRONG, true, sw_lines_bytes(lines, used));
    sw_lines_cell(lines, SW_STYLE_STRONG, true, sw_lines_bytes(lines, free_));
    sw_lines_cell(lines, SW_STYLE_STRONG, true, "");
}

static void build_segments(struct reserved *r, const struct sw_view_input *in, struct sw_scene *scene,
                           struct sw_box box) {
    struct sw_lines *lines = &r->lines;
    if (!list_segments(r)) {
        scene->failed = true;
        return;
    }
    uint32_t rows = (uint32_t)r->rows.count, segments = 0, touched = 0;
    for (uint32_t i = 0; i < rows; i++) {
        segments += !r->rows.items[i].heading;
        touched = !r->rows.items[i].heading && r->rows.items[i].segment == r->touched ? i : touched;
    }
    const char *title = sw_scene_counted(scene, segments, "segment");
    *lines = sw_lines_begin(in, scene, "segments-of-heap", title, box, SEGMENT_COLUMNS, 2);
    r->width = lines->room > BESIDE_MAP + LEAST_MAP ? lines->room - BESIDE_MAP : LEAST_MAP;
    r->width = sw_medium(in)->fine ? r->width * 2 / 3 : r->width; /* there these characters are wider than most */
    r->width = SW_MIN(r->width, MOST_MAP);
    sw_lines_textf(lines, SW_STYLE_DIM, "%s used  %s waits for another stream  %s free  %s not mapped",
                   glyphs[MAP_USED], glyphs[MAP_WAITS], glyphs[MAP_FREE], glyphs[MAP_UNMAPPED]);
    uint32_t room = sw_lines_heads(lines, segment_heads, SEGMENT_COLUMNS, rows);
    uint32_t first = sw_lines_first(lines, touched < room / 2 ? 0 : touched - room / 2, rows, room);
    uint32_t end = SW_MIN(first + room, rows);
    r->longest = 1;
    for (uint32_t i = first; i < end; i++) {
        r->longest = SW_MAX(r->longest, held_by(r, r->rows.items[i].segment).span);
    }
    for (uint32_t i = first; i < end && !scene->failed; i++) {
        if (r->rows.items[i].heading) {
            add_lane_heading(r, i);
        } else {
            add_heap_segment(r, r->rows.items[i].segment);
        }
    }
}

/* Where the reserved bytes are: a row a cause. */
static void build_waste(const uint64_t bytes[SW_RESERVED_PARTS], uint64_t all, unsigned parts,
                        const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_lines lines = sw_lines_begin(in, scene, "waste", "where the reserved bytes are", box, 3, 0);
    for (unsigned part = 0; part <= parts; part++) {
        bool sum = part == parts;
        uint64_t here = sum ? all : bytes[part];
        enum sw_style style = sum ? SW_STYLE_STRONG : here ? SW_STYLE_TEXT : SW_STYLE_DIM;
        if (!sw_lines_row(&lines, SW_NO_ITEM, false)) {
            return;
        }
        sw_lines_cell(&lines, style, false, sum ? "reserved" : sw_reserved_names[part]);
        sw_lines_cell(&lines, style, true, sw_lines_bytes(&lines, here));
        sw_lines_cell(&lines, SW_STYLE_DIM, true,
                      all ? sw_scene_printf(scene, "%s", SW_PERCENT((double)here / (double)all, false)) : "");
    }
}

static void reserved_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    const struct sw_search *search = in->run.search;
    const struct sw_decision *last = sw_search_decision(search);
    const void *state = sw_search_planner_state(search);
    struct reserved r = {.touched = SW_NONE};
    if (sw_online_look(sw_search_planner(search), state, &r.look)) {
        uint32_t block = last ? sw_heap_block_of(r.look.heap, last->buffer) : SW_NONE;
        uint64_t bytes[SW_RESERVED_PARTS];
        sw_online_reserved(state, bytes);
        unsigned parts = SW_RESERVED_PARTS - (bytes[SW_RESERVED_PARTS - 1] == 0);
        double each = sw_medium(in)->row, low = (parts + 2.0) * each;
        low = low < box.height / 2 ? low : floor(box.height / 2 / each) * each;
        r.touched = block == SW_NONE ? SW_NONE : sw_heap_at(r.look.heap, block)->segment;
        build_segments(&r, in, scene, (struct sw_box){box.left, box.top, box.width, box.height - low});
        bool close = sw_medium(in)->still && r.lines.panel; /* a page is as high as it needs */
        double used = close ? ((double)r.lines.panel->rows.count + 3) * each : box.height - low;
        build_waste(bytes, r.look.heap->reserved, parts, in, scene,
                    (struct sw_box){box.left, box.top + fmin(used, box.height - low), box.width, low});
    } else {
        struct sw_lines lines = sw_lines_begin(in, scene, "segments-of-heap", "reserved", box, 1, 0);
        sw_lines_flow(&lines);
        sw_lines_text(&lines, SW_STYLE_TEXT, "This planner gets no memory in segments: it is no online allocator.");
    }
    SW_ARRAY_DONE(&r.rows);
}

static bool reserved_applies(const struct sw_search *search, bool *missed) {
    (void)missed;
    return sw_search_planner(search)->reserves;
}

const struct sw_view sw_view_reserved = {
    .name = "reserved",
    .summary = "an allocator's segments, and where the reserved bytes are",
    .scrolls = SW_SCROLLS_LIST,
    .applies = reserved_applies,
    .build = reserved_build,
};
