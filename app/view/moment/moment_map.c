/* The map of a moment: the segments in the order of their addresses, each a bar with its blocks, widths in proportion
 * to bytes. All bars have one scale; a segment that is longer than a row goes on in the next one. The window of bytes
 * of the explorer's map counts the segments one behind the other.
 *
 * Blocks in use have the color of their origin, or of their size where none is told, as on every map (color_classes.h);
 * what is free is dotted, what waits dashed, what is not told slanted; blocks in use that would make room when given
 * back have a heavy edge. */
#include "view/moment/moment_views.h"
#include "base/base.h"
#include "base/sort.h"

enum { MOMENT_GUTTER = 21, MOMENT_LEAST_WIDTH = 56, MOST_HIGH = 4, LEAST_COLUMNS = 3 };

/* A part of a segment that a row shows. */
struct moment_row {
    uint32_t segment;
    uint64_t from, to; /* bytes of the segment */
};

struct moment_map {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    const struct sw_moment *moment;
    const struct sw_moment_block *selected; /* or NULL */
    struct sw_panel *panel;
    struct sw_moment_window window; /* giving it back makes room; segment SW_NONE: there is none */
    struct sw_color_classes classes;
    uint8_t *looks;                     /* of each block */
    SW_ARRAY(struct moment_row) pieces; /* of segments in view, whole, in the order of the list */
    SW_ARRAY(struct moment_row) rows;   /* as they are cut */
    size_t first_row, shown;            /* of these rows */
    uint64_t wide;                      /* bytes of a row */
    double least;                       /* bytes of a mark */
    uint64_t merged;                    /* blocks that have no mark of their own */
    bool drawn[SW_BASES];               /* colors of blocks in use that are wide enough to see */
};

/* ---- which rows ---- */

/* Segments in the window of bytes, as far as they are in it. */
static bool take_pieces(struct moment_map *map) {
    const struct sw_viewport *port = &map->in->look.viewport;
    double base = 0;
    bool good = true;
    for (uint32_t s = 0; good && s < map->moment->segments.count; s++) {
        const struct sw_moment_segment *segment = &map->moment->segments.items[s];
        double size = (double)segment->size, from = port->bytes_lo - base, to = port->bytes_hi - base;
        if (segment->address != SW_UNTOLD && from < size && to > 0) {
            struct moment_row piece = {s, from > 0 ? (uint64_t)from : 0, to < size ? (uint64_t)to : segment->size};
            good = piece.from >= piece.to || SW_PUSH(&map->pieces, piece);
        }
        base += size;
    }
    return good;
}

static int longest_first(const void *of_a, const void *of_b) {
    const struct moment_row *a = of_a, *b = of_b;
    uint64_t left = a->to - a->from, right = b->to - b->from;
    return left != right ? SW_COMPARE(right, left) : SW_COMPARE(a->segment, b->segment);
}

static uint64_t rows_of(const struct moment_map *map, uint64_t wide) {
    uint64_t rows = 0;
    for (size_t i = 0; i < map->pieces.count; i++) {
        rows += (map->pieces.items[i].to - map->pieces.items[i].from - 1) / wide + 1;
    }
    return rows;
}

/* The least number of bytes a row, with three digits in binary, with which all pieces have `room` rows; where that
 * cannot be, that of the longest. */
static uint64_t choose_wide(const struct moment_map *map, uint64_t room) {
    uint64_t low = 1, high = 1;
    for (size_t i = 0; i < map->pieces.count; i++) {
        high = SW_MAX(high, map->pieces.items[i].to - map->pieces.items[i].from);
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (rows_of(map, middle) <= room) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    unsigned shift = low > 8 ? 61 - (unsigned)__builtin_clzll(low) : 0;
    return ((low - 1) >> shift << shift) + (UINT64_C(1) << shift);
}

/* The share of the blocks in view that are wide enough to be told apart. */
static bool mostly_told_apart(const struct moment_map *map, double columns) {
    double least = (double)map->wide / columns * LEAST_COLUMNS;
    uint64_t all = 0, wide = 0;
    for (size_t i = 0; i < map->pieces.count; i++) {
        const struct sw_moment_segment *segment = &map->moment->segments.items[map->pieces.items[i].segment];
        for (size_t b = segment->first; b < segment->first + segment->count; b++) {
            all++;
            wide += (double)map->moment->blocks.items[b].size >= least;
        }
    }
    return wide * 10 >= all * 9;
}

/* Bars are as high as they can be while most blocks are told apart; rows go on from the selected block's. */
static bool cut_segment_rows(struct moment_map *map, double unit) {
    struct sw_panel *panel = map->panel;
    double columns = sw_view_space(map->in, panel).columns, room = fmax(floor(panel->body_height / unit), 1);
    int high = MOST_HIGH;
    for (; high > 1; high--) {
        map->wide = choose_wide(map, (uint64_t)fmax(floor(room / high), 1));
        if (rows_of(map, map->wide) <= (uint64_t)(room / high) && mostly_told_apart(map, columns)) {
            break;
        }
    }
    map->wide = choose_wide(map, (uint64_t)(room / high));
    bool good = true;
    for (size_t i = 0; good && i < map->pieces.count; i++) {
        const struct moment_row *piece = &map->pieces.items[i];
        for (uint64_t from = piece->from; good && from < piece->to; from += map->wide) {
            good =
                SW_PUSH(&map->rows, ((struct moment_row){piece->segment, from, SW_MIN(piece->to, from + map->wide)}));
        }
    }
    map->shown = SW_MIN(map->rows.count, (size_t)(room / high));
    panel->y.hi = SW_MAX((double)map->shown, 1);
    panel->y.lo = panel->y.hi - panel->body_height / (unit * high);
    map->least = map->in->zooms ? 0 : (double)map->wide / columns;
    return good;
}

/* ---- what is selected ---- */

const struct sw_moment_block *sw_moment_selected(const struct sw_view_input *in) {
    const struct sw_moment *moment = sw_problem_moment(sw_search_problem(in->run.search));
    uint32_t selected = sw_moment_block_of(moment, in->look.selected);
    return selected != SW_NONE                                            ? &moment->blocks.items[selected]
           : in->look.piece > 0 && in->look.piece <= moment->blocks.count ? &moment->blocks.items[in->look.piece - 1]
                                                                          : NULL;
}

struct sw_item sw_held_item(const struct sw_moment *moment, const struct sw_moment_block *block) {
    return block->buffer != SW_NONE   ? (struct sw_item){SW_ITEM_BUFFER, block->buffer}
           : sw_held_is_placed(block) ? (struct sw_item){SW_ITEM_PIECE, (uint64_t)(block - moment->blocks.items)}
                                      : SW_NO_ITEM;
}

/* Where not all rows have room: those from the selected block's on, if it is none of the first. */
static void find_first_row(struct moment_map *map) {
    const struct sw_moment_block *block = map->selected;
    size_t at = 0, most = map->rows.count - map->shown;
    for (size_t i = 0; block && i < map->rows.count; i++) {
        const struct moment_row *row = &map->rows.items[i];
        uint64_t offset = block->address - map->moment->segments.items[row->segment].address;
        at = row->segment == block->segment && offset >= row->from && offset < row->to ? i : at;
    }
    map->first_row = at < map->shown ? 0 : SW_MIN(at, most);
}

/* ---- marks ---- */

bool sw_moment_looks(const struct sw_problem *problem, enum sw_coloring asked, uint8_t *looks,
                     struct sw_color_classes *classes) {
    const struct sw_moment *moment = sw_problem_moment(problem);
    enum sw_coloring usual = sw_moment_tells_origins(moment) ? SW_COLOR_STACK : SW_COLOR_SIZE;
    bool good = sw_color_classes_of(classes, problem, NULL, asked == SW_COLOR_AUTO ? usual : asked);
    for (size_t i = 0; good && i < moment->blocks.count; i++) {
        const struct sw_moment_block *block = &moment->blocks.items[i];
        uint8_t base = block->buffer == SW_NONE ? SW_HUE_NEUTRAL : classes->bases[block->buffer];
        bool alike = i > 0 && block[-1].segment == block->segment && looks[i - 1] == base;
        looks[i] = (uint8_t)(base + (alike ? SW_BASES : 0)); /* neighbors of one class have two tones */
    }
    return good;
}

static struct sw_mark held_mark(const struct moment_map *map, const struct sw_moment_block *block, double x0, double x1,
                                double y0, double y1) {
    static const enum sw_style styles[SW_HELD_STATES] = {[SW_HELD_USED] = SW_STYLE_BLOCK,
                                                         [SW_HELD_FREE] = SW_STYLE_GAP,
                                                         [SW_HELD_WAITING] = SW_STYLE_GHOST,
                                                         [SW_HELD_UNTOLD] = SW_STYLE_AXIS};
    size_t number = (size_t)(block - map->moment->blocks.items);
    bool in_window = map->window.segment != SW_NONE && number - map->window.first < map->window.count;
    enum sw_style style = block == map->selected                 ? SW_STYLE_SELECTED
                          : in_window && sw_held_is_taken(block) ? SW_STYLE_CURRENT
                                                                 : styles[block->state];
    bool bare = style == SW_STYLE_AXIS && !sw_medium(map->in)->fine; /* cells have no hatching with an edge */
    struct sw_mark mark = sw_mark_over(SW_MARK_RECT, bare ? SW_STYLE_GAP : style, x0, x1, y0, y1);
    mark.hue = map->looks[number];
    mark.pattern = bare ? SW_PATTERN_SCRATCH : style == SW_STYLE_GAP ? SW_PATTERN_INPUT : SW_PATTERN_PLAIN;
    mark.item = sw_held_item(map->moment, block);
    return mark;
}

/* `on`: it begins in a row above. */
static const char *const *block_labels(const struct moment_map *map, const struct sw_moment_block *block, bool on) {
    struct sw_scene *scene = map->scene;
    const char *size = sw_view_bytes(map->in, scene, block->size);
    if (on) {
        bool used = block->state == SW_HELD_USED;
        const char *word = used ? "" : sw_scene_printf(scene, "%s, ", sw_held_state_words(block->state));
        return SW_LABELS(scene, sw_scene_printf(scene, "%srest of %s", word, size),
                         used ? "rest" : sw_held_state_words(block->state), "");
    }
    if (block->state != SW_HELD_USED) {
        const char *word = sw_held_state_words(block->state), *all = sw_scene_printf(scene, "%s %s", word, size);
        return sw_medium(map->in)->fine ? SW_LABELS(scene, all, word, "") : SW_LABELS(scene, all, size, word, "");
    }
    const char *name = block->name ? sw_scene_clean(scene, block->name) : NULL;
    return name ? SW_LABELS(scene, sw_scene_printf(scene, "%s %s", name, size), name, size, "")
                : SW_LABELS(scene, size, "");
}

/* Blocks too small for a mark of their own. */
struct small_blocks {
    double from, to; /* bytes of the row */
    uint32_t count;
    uint64_t used, bytes, classes[SW_HUES]; /* in use, all, and in use of each class of colors */
    uint8_t bases[SW_HUES];          /* the base of each class; those of hues and of the scale never both occur */
    size_t largest[SW_MERGED_NAMED]; /* places in the moment's list, the largest first */
    const struct sw_moment_block *only;
};

static void add_small_block(const struct moment_map *map, struct small_blocks *small,
                            const struct sw_moment_block *block, double x0, double x1) {
    const struct sw_moment_block *blocks = map->moment->blocks.items;
    size_t at = SW_MIN(small->count, (uint32_t)SW_MERGED_NAMED);
    while (at > 0 && blocks[small->largest[at - 1]].size < block->size) {
        if (at < SW_MERGED_NAMED) {
            small->largest[at] = small->largest[at - 1];
        }
        at--;
    }
    if (at < SW_MERGED_NAMED) {
        small->largest[at] = (size_t)(block - blocks);
    }
    uint64_t used = sw_held_is_taken(block) ? (uint64_t)(x1 - x0) : 0;
    small->from = small->count ? small->from : x0;
    small->to = x1;
    small->count++;
    small->used += used;
    small->bytes += block->size;
    unsigned base = map->looks[block - blocks] % SW_BASES;
    small->classes[base % SW_HUES] += base == SW_HUE_NEUTRAL ? 0 : used;
    if (used && base != SW_HUE_NEUTRAL) {
        small->bases[base % SW_HUES] = (uint8_t)base;
    }
    small->only = block;
}

static void put_small_blocks(struct moment_map *map, struct small_blocks *small, double y0, double y1) {
    if (small->count == 1) {
        sw_panel_mark(map->scene, map->panel, held_mark(map, small->only, small->from, small->to, y0, y1));
    } else if (small->count > 1) {
        double to = fmax(small->to, small->from + map->least), wide = fmax(small->to - small->from, 1);
        struct sw_mark mark = sw_mark_over(SW_MARK_RECT, SW_STYLE_MERGED, small->from, to, y0, y1);
        struct sw_merged merged = {.count = small->count, .bytes = small->bytes, .full = (double)small->used / wide};
        unsigned most = 0;
        for (unsigned class = 0; class < SW_HUES; class ++) {
            merged.classes[class] = (double)small->classes[class] / wide;
            most = small->classes[class] > small->classes[most] ? class : most;
            if (small->classes[class]) {
                map->panel->classes[class] = sw_color_class_words(&map->classes, map->scene, small->bases[class]);
            }
        }
        for (uint32_t i = 0; i < SW_MERGED_NAMED; i++) {
            merged.largest[i] = i < small->count ? (uint32_t)small->largest[i] : SW_NONE;
        }
        map->scene->failed |= !SW_PUSH(&map->panel->merged, merged);
        mark.told = (uint32_t)map->panel->merged.count;
        mark.hue = small->classes[most] ? (uint8_t)(small->bases[most] + 1) : 0;
        mark.hidden = small->count;
        mark.pattern = (uint8_t)fmin(fmax(ceil(merged.full * 4), 1), 4);
        mark.item = (struct sw_item){SW_ITEM_MERGED, small->count};
        mark.labels = SW_LABELS(map->scene, sw_scene_counted(map->scene, small->count, "block"),
                                sw_scene_printf(map->scene, "%u", small->count), "");
        sw_panel_mark(map->scene, map->panel, mark);
        map->merged += small->count;
        map->drawn[small->bases[most]] |= mark.hue > 0;
    }
    *small = (struct small_blocks){0};
}

/* Those that are wide enough first, so that what stands for many stays in sight. A piece of a block that goes on in
 * another row is not counted again. */
static void put_row_blocks(struct moment_map *map, const struct moment_row *row, double y0, double y1, bool large) {
    const struct sw_moment_segment *segment = &map->moment->segments.items[row->segment];
    const struct sw_moment_block *blocks = map->moment->blocks.items + segment->first;
    size_t begin = SW_FIRST(i, segment->count, blocks[i].address + blocks[i].size - segment->address > row->from);
    struct small_blocks small = {0};
    for (size_t b = begin; b < segment->count && !map->scene->failed; b++) {
        const struct sw_moment_block *block = &blocks[b];
        uint64_t at = block->address - segment->address, lo = SW_MAX(at, row->from);
        uint64_t hi = SW_MIN(at + block->size, row->to);
        if (lo >= row->to) {
            break;
        }
        double x0 = (double)(lo - row->from), x1 = (double)(hi - row->from);
        bool small_piece = x1 - x0 < map->least;
        if (!small_piece || (double)block->size >= map->least) {
            put_small_blocks(map, &small, y0, y1);
            if (large) {
                struct sw_mark mark = held_mark(map, block, x0, x1, y0, y1);
                mark.labels = small_piece ? NULL : block_labels(map, block, at < lo);
                map->drawn[mark.hue % SW_BASES] |= block->state == SW_HELD_USED;
                sw_panel_mark(map->scene, map->panel, mark);
            }
        } else if (!large && at >= row->from) {
            add_small_block(map, &small, block, x0, x1);
        }
    }
    put_small_blocks(map, &small, y0, y1);
}

/* "0x7f3c20000000    2M" where a segment begins, "+64M" where it goes on; its address where three digits do not tell
 * that from the next row. */
static void name_row(struct moment_map *map, const struct moment_row *row, double y0, double y1, bool brief) {
    const struct sw_moment_segment *segment = &map->moment->segments.items[row->segment];
    const char *size = sw_view_bytes(map->in, map->scene, segment->size);
    bool near = !brief && row->from / 100 > map->wide;
    const char *label = near ? sw_scene_printf(map->scene, "0x%llx", (unsigned long long)(segment->address + row->from))
                        : row->from > 0
                            ? sw_scene_printf(map->scene, "+%s", sw_view_bytes(map->in, map->scene, row->from))
                        : brief ? size
                                : sw_scene_printf(map->scene, "0x%llx%*s", (unsigned long long)segment->address,
                                                  sw_medium(map->in)->fine ? (int)strlen(size) + 1 : 6, size);
    double row_high = map->panel->body_height / (map->panel->y.hi - map->panel->y.lo);
    double at = sw_medium(map->in)->fine ? (y0 + y1) / 2 : y1 - 1 / row_high;
    map->scene->failed |= !SW_PUSH(&map->panel->y.ticks, ((struct sw_tick){at, label}));
}

static void put_rows(struct moment_map *map, bool brief) {
    double gap = sw_medium(map->in)->fine ? 0.1 : 0;
    for (size_t i = map->shown; i-- > 0 && !map->scene->failed;) {
        const struct moment_row *row = &map->rows.items[map->first_row + i];
        double y0 = map->panel->y.hi - (double)i - 1 + gap, y1 = map->panel->y.hi - (double)i - gap;
        put_row_blocks(map, row, y0, y1, true);
        put_row_blocks(map, row, y0, y1, false);
        name_row(map, row, y0, y1, brief);
    }
}

/* Where an edge has room: all of the window, and not only its blocks in use. */
static void frame_window(struct moment_map *map) {
    const struct sw_moment_window *window = &map->window;
    if (window->segment == SW_NONE || !sw_medium(map->in)->fine) {
        return;
    }
    const struct sw_moment_segment *segment = &map->moment->segments.items[window->segment];
    uint64_t from = map->moment->blocks.items[window->first].address - segment->address, to = from + window->bytes;
    for (size_t i = 0; i < map->shown; i++) {
        const struct moment_row *row = &map->rows.items[map->first_row + i];
        uint64_t lo = SW_MAX(from, row->from), hi = SW_MIN(to, row->to);
        if (row->segment == window->segment && lo < hi) {
            double y1 = map->panel->y.hi - (double)i;
            sw_panel_mark(map->scene, map->panel,
                          sw_mark_over(SW_MARK_FRAME, SW_STYLE_CHOSEN, (double)(lo - row->from),
                                       (double)(hi - row->from), y1 - 0.97, y1 - 0.03));
        }
    }
}

/* ---- words ---- */

static const char *moment_map_title(struct moment_map *map) {
    struct sw_scene *scene = map->scene;
    const struct sw_moment *moment = map->moment;
    const char *text = sw_scene_counted(scene, moment->segments.count, "segment");
    if (map->shown < map->rows.count) {
        const struct moment_row *rows = map->rows.items + map->first_row;
        text = sw_scene_printf(scene, "rows %s to %s of %s, from segment %u of %s", SW_COUNT(map->first_row + 1),
                               SW_COUNT(map->first_row + map->shown), SW_COUNT(map->rows.count), rows[0].segment + 1,
                               text);
    } else if (map->pieces.count < moment->segments.count) {
        text = map->pieces.count == 1
                   ? sw_scene_printf(scene, "part of segment %u of %s", map->pieces.items[0].segment + 1, text)
                   : sw_scene_printf(scene, "%s of %s", SW_COUNT(map->pieces.count), text);
    }
    text = sw_scene_printf(scene, "%s, %s a row", text, sw_view_bytes(map->in, scene, map->wide));
    if (sw_medium(map->in)->legend) {
        return text;
    }
    text = sw_scene_printf(scene, "%s; dotted: free", text);
    return map->window.segment != SW_NONE && map->window.used > 0
               ? sw_scene_printf(scene, "%s; heavy: would make room", text)
               : text;
}

static void tell_legend(struct moment_map *map) {
    struct sw_scene *scene = map->scene;
    struct sw_moment_sums sums;
    for (unsigned base = 0; base < SW_BASES; base++) {
        const char *what = map->drawn[base] ? sw_color_class_words(&map->classes, scene, base) : NULL;
        if (what) {
            sw_scene_legend(scene, SW_STYLE_BLOCK, base, 0, what);
        }
    }
    if (!sw_medium(map->in)->legend) { /* the title tells the rest */
        return;
    }
    sw_moment_sum(map->moment, &sums);
    static const struct {
        enum sw_held_state state;
        enum sw_style style;
    } others[] = {{SW_HELD_FREE, SW_STYLE_GAP}, {SW_HELD_WAITING, SW_STYLE_GHOST}, {SW_HELD_UNTOLD, SW_STYLE_AXIS}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (sums.blocks[others[i].state] > 0) {
            sw_scene_legend(scene, others[i].style, 0, 0, sw_held_state_words(others[i].state));
        }
    }
    if (map->window.segment != SW_NONE && map->window.used > 0) {
        sw_scene_legend(scene, SW_STYLE_CURRENT, 0, 0, "given back, these would make room for the request that failed");
        sw_scene_legend(
            scene, SW_STYLE_CHOSEN, 0, 0,
            sw_scene_printf(scene, "one free piece of %s then", sw_view_said_bytes(map->in, scene, map->window.bytes)));
    }
    if (map->merged > 0) {
        sw_scene_legend(scene, SW_STYLE_MERGED, 0, SW_MERGED_STEPS,
                        sw_scene_printf(scene, "%s too small to draw, by how much is in use: 1/4 to all",
                                        sw_scene_counted(scene, map->merged, "block")));
    }
}

static void place_map(struct moment_map *map, struct sw_box box, bool *brief) {
    const struct sw_medium *medium = sw_medium(map->in);
    *brief = sw_view_room(map->in, box.width) < MOMENT_LEAST_WIDTH;
    sw_view_place_count(map->in, map->scene, map->panel, box, NULL, 0, 1);
    if (!*brief) {
        double right = map->panel->body_left + map->panel->body_width;
        map->panel->body_left =
            box.left + MOMENT_GUTTER * medium->character + (medium->fine ? 2 * medium->character : 0);
        map->panel->body_width = right - map->panel->body_left;
    }
    map->panel->tier = SW_NONE;
}

static void build_moment_map(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    const struct sw_medium *medium = sw_medium(in);
    const struct sw_moment *moment = sw_problem_moment(sw_search_problem(in->run.search));
    struct moment_map map = {.in = in,
                             .scene = scene,
                             .moment = moment,
                             .selected = sw_moment_selected(in),
                             .panel = sw_scene_panel(scene, SW_PANEL_PLOT, "moment-map"),
                             .window = {.segment = SW_NONE},
                             .looks = SW_NEW(uint8_t, moment->blocks.count + 1)};
    struct sw_moment_sums sums;
    bool brief;
    sw_moment_sum(map.moment, &sums);
    map.panel->title = "";
    place_map(&map, box, &brief);
    if (sums.needed != SW_UNTOLD) {
        sw_moment_release(map.moment, sums.most, &map.window);
    }
    scene->failed |= !map.looks ||
                     !sw_moment_looks(sw_search_problem(in->run.search), in->look.coloring, map.looks, &map.classes) ||
                     !take_pieces(&map);
    scene->coloring = (uint8_t)map.classes.by;
    if (in->look.listing.by_size && !scene->failed) {
        sw_sort(map.pieces.items, map.pieces.count, sizeof *map.pieces.items, longest_first);
    }
    if (!scene->failed && cut_segment_rows(&map, medium->fine ? SW_PAGE_ROW : 1)) {
        find_first_row(&map);
        map.panel->x.hi = (double)map.wide;
        map.panel->x.ticks.count = 0;
        sw_view_bytes_ticks(in, scene, &map.panel->x, fmax(2, map.panel->body_width / medium->tick_room));
        put_rows(&map, brief);
        frame_window(&map);
        map.panel->title = moment_map_title(&map);
        tell_legend(&map);
    } else {
        scene->failed = true;
    }
    SW_FREE(map.looks, moment->blocks.count + 1);
    sw_color_classes_done(&map.classes);
    SW_ARRAY_DONE(&map.pieces, &map.rows);
}

/* Is there a segment with an address? */
static bool has_moment_map(const struct sw_moment *moment) {
    return moment->segments.count > 0 && moment->segments.items[0].address != SW_UNTOLD;
}

/* Sizes without addresses are no map: a table. */
void sw_view_build_moment_map(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    const struct sw_moment *moment = sw_moment_on_view(in, scene, box);
    if (moment && has_moment_map(moment)) {
        build_moment_map(in, scene, box);
    } else if (moment) {
        sw_view_build_held(in, scene, box);
    }
}

const struct sw_view sw_view_moment_map = {
    .name = "moment-map",
    .summary = "the segments of a moment with their blocks",
    .takes = SW_TAKES_ADDRESS | SW_TAKES_BUFFER | SW_TAKES_COLORING,
    .of = SW_VIEW_OF_MOMENTS,
    .build = sw_view_build_moment_map,
};
