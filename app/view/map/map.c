/* The map: which bytes belong to which buffer, and when. Lifetime runs to the right, addresses run up.
 *
 * Honest detail: a block smaller than a mark of the resolution in either direction is not drawn but
 * adds to a grid of marks, which is then drawn as few large marks that say how many blocks they
 * hide. Each block is either drawn or counted in exactly one of them. Time is linear in the buffers
 * plus the marks of the resolution, or, where sheets are kept, in what has changed plus those
 * marks. */
#include "view/map/map.h"
#include "base/sort.h"
#include "base/base.h"

/* ---- the looks of a block ---- */

static enum sw_pattern kind_pattern(enum sw_kind kind) {
    switch (kind) {
    case SW_KIND_INPUT:
        return SW_PATTERN_INPUT;
    case SW_KIND_OUTPUT:
        return SW_PATTERN_OUTPUT;
    case SW_KIND_CONSTANT:
        return SW_PATTERN_CONSTANT;
    case SW_KIND_SCRATCH:
        return SW_PATTERN_SCRATCH;
    case SW_KIND_INTERMEDIATE:
        break;
    }
    return SW_PATTERN_PLAIN;
}

/* ---- blocks ---- */

enum { LEAST_FRAMED = 4 }; /* marks; a smaller block has no frame for what became of it */

static enum sw_difference difference_of(const struct sw_map *map, uint32_t b) {
    return map->in->run.against ? sw_layout_difference(map->layout, sw_search_layout(map->in->run.against), b)
                                : SW_DIFFERENCE_NONE;
}

/* Where two runs are compared: "~name" has moved, "+name" is only here. */
static const char *map_block_name(const struct sw_map *map, uint32_t b, const struct sw_buffer *buffer) {
    enum sw_difference difference = difference_of(map, b);
    return difference == SW_DIFFERENCE_MOVED  ? sw_scene_printf(map->scene, "~%s", buffer->name)
           : difference == SW_DIFFERENCE_HERE ? sw_scene_printf(map->scene, "+%s", buffer->name)
                                              : buffer->name;
}

/* What became of a block is told by hatching, and by a frame; its color is its own. */
static struct sw_mark changed_mark(const struct sw_map *map, uint32_t b) {
    enum sw_change change = (enum sw_change)map->in->run.changes[b];
    return (struct sw_mark){.kind = SW_MARK_RECT,
                            .style = SW_STYLE_BLOCK,
                            .hue = sw_map_hue(map, b),
                            .pattern = sw_change_look(change).pattern,
                            .faint = change == SW_CHANGE_SAME || change == SW_CHANGE_SHIFTED,
                            .item = {.kind = SW_ITEM_BUFFER, .id = b}};
}

static struct sw_mark block_mark(const struct sw_map *map, uint32_t b, const struct sw_buffer *buffer) {
    if (map->in->run.changes) {
        return changed_mark(map, b);
    }
    if (difference_of(map, b) == SW_DIFFERENCE_SAME && b != map->current) {
        return (struct sw_mark){
            .kind = SW_MARK_RECT, .style = SW_STYLE_MERGED, .pattern = 1, .item = {.kind = SW_ITEM_BUFFER, .id = b}};
    }
    return (struct sw_mark){.kind = SW_MARK_RECT,
                            .style = b == map->current ? SW_STYLE_CURRENT : SW_STYLE_BLOCK,
                            .hue = sw_map_hue(map, b),
                            .pattern = (uint8_t)kind_pattern(buffer->kind),
                            .item = {.kind = SW_ITEM_BUFFER, .id = b}};
}

static bool is_pinned(const struct sw_map *map, uint32_t b, const struct sw_buffer *buffer) {
    const struct sw_rules *rules = sw_search_rules(map->in->run.search);
    struct sw_pin pin;
    return buffer->pinned || (rules && rules->pins.count && sw_rules_pin(map->problem, rules, b, &pin));
}

bool sw_map_piece(const struct sw_map *map, const struct sw_placement *placement, const struct sw_piece *piece,
                  struct sw_mark *mark) {
    uint32_t first = SW_MAX(piece->first, placement->span.from);
    uint32_t last = SW_MIN(piece->last, placement->span.to);
    const struct sw_viewport *port = &map->in->look.viewport;
    if (first > last || first >= port->time_hi || last + 1.0 <= port->time_lo) {
        return false;
    }
    mark->y0 = (double)(placement->offset + piece->lo);
    mark->y1 = (double)(placement->offset + piece->hi);
    if (mark->y0 >= map->space.y_hi || mark->y1 <= map->space.y_lo) {
        return false;
    }
    mark->x0 = sw_view_x(map->in, first);
    mark->x1 = sw_view_x(map->in, last + 1.0);
    return mark->x1 > mark->x0 && mark->y1 > mark->y0;
}

static void draw_piece(struct sw_map *map, struct sw_mark *mark, const char *name, double width, double height,
                       bool pinned) {
    mark->peak = mark->item.id == map->highest && mark->y1 == (double)sw_layout_arena(map->layout, map->in->look.tier);
    /* In a terminal half a row may be drawn as a whole one, which has room for a name. */
    double least_height = sw_medium(map->in)->fine ? map->least_label_height : 1;
    /* On paper the name of a tall one, and of that which sets the peak, may stand beside it. */
    bool beside = sw_medium(map->in)->fine && (mark->peak || height >= map->space.rows / 6);
    bool faint = mark->faint && !mark->peak;
    if (name && !faint && ((width >= map->least_label_width && height >= least_height) || beside)) {
        const char *own = sw_problem_buffer(map->problem, (uint32_t)mark->item.id)->name;
        mark->labels = sw_map_labels(map, name, own);
    }
    sw_panel_mark(map->scene, map->panel, *mark);
    struct sw_mark frame = *mark;
    frame.kind = SW_MARK_FRAME;
    frame.pattern = 0;
    frame.labels = NULL;
    if (map->in->run.changes && !mark->faint && fmin(width, height) >= LEAST_FRAMED) {
        frame.style = (uint8_t)sw_change_look((enum sw_change)map->in->run.changes[mark->item.id]).style;
        sw_panel_mark(map->scene, map->panel, frame);
    }
    if (pinned) {
        frame.style = SW_STYLE_PINNED;
        sw_panel_mark(map->scene, map->panel, frame);
        map->pinned = true;
    }
}

static void hide_piece(struct sw_map *map, const struct sw_mark *mark, bool counts) {
    const struct sw_space *space = &map->space;
    double x0 = fmax((mark->x0 - space->x_lo) * space->x_scale, 0);
    double x1 = fmin((mark->x1 - space->x_lo) * space->x_scale, space->columns);
    double y0 = fmax((mark->y0 - space->y_lo) * space->y_scale, 0);
    double y1 = fmin((mark->y1 - space->y_lo) * space->y_scale, space->rows);
    /* A block that is too small in one direction stays so after clipping; both sides below 1 is
     * what the grid takes for a dot. */
    unsigned class = sw_block_class(&map->counted, (uint32_t)mark->item.id);
    sw_hidden_add(&map->grid, x0, x1, y0, y1, class, counts);
    map->scattered = true;
}

/* The largest piece in view carries the name. */
struct seen_pieces {
    uint32_t pieces;
    double area;
    uint32_t named_placement, named_piece;
    bool large; /* some piece is large enough to be drawn */
};

static void look_at_placement(const struct sw_map *map, const struct sw_buffer *buffer, uint32_t k,
                              const struct sw_placement *placement, struct seen_pieces *seen) {
    struct sw_mark mark = {0};
    for (uint32_t p = 0; p < buffer->piece_count; p++) {
        if (!sw_map_piece(map, placement, &buffer->pieces[p], &mark)) {
            continue;
        }
        double width = (mark.x1 - mark.x0) * map->space.x_scale;
        double height = (mark.y1 - mark.y0) * map->space.y_scale;
        seen->pieces++;
        seen->large |= width >= 1 && height >= 1;
        if (width * height > seen->area) {
            seen->area = width * height;
            seen->named_placement = k;
            seen->named_piece = p;
        }
    }
}

static void show_placement(struct sw_map *map, uint32_t b, const struct sw_buffer *buffer, uint32_t k,
                           const struct sw_placement *placement, struct seen_pieces *seen, bool always) {
    struct sw_mark mark = block_mark(map, b, buffer);
    bool pinned = (seen->large || always) && is_pinned(map, b, buffer);
    for (uint32_t p = 0; p < buffer->piece_count; p++) {
        if (!sw_map_piece(map, placement, &buffer->pieces[p], &mark)) {
            continue;
        }
        double width = (mark.x1 - mark.x0) * map->space.x_scale;
        double height = (mark.y1 - mark.y0) * map->space.y_scale;
        bool named = k == seen->named_placement && p == seen->named_piece;
        if (always || (width >= 1 && height >= 1)) {
            mark.labels = NULL;
            draw_piece(map, &mark, named ? map_block_name(map, b, buffer) : NULL, width, height, pinned);
        } else {
            hide_piece(map, &mark, named && !seen->large);
        }
    }
}

static void tally(struct sw_map *map, uint32_t b, const struct sw_buffer *buffer, bool drawn) {
    if (drawn) {
        const uint8_t *changes = map->in->run.changes;
        unsigned pattern = changes ? SW_PATTERN_PLAIN : kind_pattern(buffer->kind);
        map->drawn++;
        if (changes) {
            map->changes[changes[b]] = true;
        }
        map->kinds[pattern] |= b != map->current; /* that one has its own entry */
        map->looks[sw_map_hue(map, b) % SW_BASES] |= (uint8_t)(b != map->current ? 1u << pattern : 0);
    } else {
        map->hidden++;
    }
}

/* One buffer: drawn when any piece is large enough, else hidden once. */
static void add_map_block(struct sw_map *map, uint32_t b, const struct sw_buffer *buffer, bool always) {
    struct sw_placement placement;
    struct seen_pieces seen = {0};
    for (uint32_t k = 0; sw_layout_placement(map->layout, b, k, &placement); k++) {
        if (placement.tier == map->in->look.tier) {
            look_at_placement(map, buffer, k, &placement, &seen);
        }
    }
    if (!seen.pieces) {
        return;
    }
    tally(map, b, buffer, seen.large || always);
    for (uint32_t k = 0; sw_layout_placement(map->layout, b, k, &placement); k++) {
        if (placement.tier == map->in->look.tier) {
            show_placement(map, b, buffer, k, &placement, &seen, always);
        }
    }
}

bool sw_map_in_time(const struct sw_map *map, const struct sw_buffer *buffer) {
    return buffer->planned && buffer->size && buffer->first < map->in->look.viewport.time_hi &&
           buffer->last + 1.0 > map->in->look.viewport.time_lo;
}

/* Most of a million blocks are too small to be drawn; the sheet has counted them. What the user
 * looks at, and on paper what sets the peak, is drawn in any case, and last, for later marks lie
 * over earlier ones. */
static void draw_map_blocks(struct sw_map *map) {
    enum { DRAWN_APART = 3 };
    uint32_t count = sw_problem_buffer_count(map->problem);
    map->highest = sw_medium(map->in)->still ? sw_layout_highest(map->layout, map->in->look.tier) : SW_NONE;
    uint32_t apart[DRAWN_APART] = {map->highest, map->in->look.selected, map->current};
    map->hidden = map->in->zooms ? 0 : map->sheet->hidden_count;
    for (int i = 0; i < DRAWN_APART; i++) {
        for (int later = i + 1; later < DRAWN_APART; later++) {
            apart[i] = apart[i] == apart[later] ? SW_NONE : apart[i]; /* once */
        }
        if (apart[i] < count && !map->in->zooms) {
            map->hidden -= sw_small_blocks_unhide(map->sheet, &map->grid, apart[i], map->layout);
        }
    }
    size_t drawn = map->in->zooms ? count : map->sheet->single.count;
    for (size_t i = 0; i < drawn && !map->scene->failed; i++) {
        uint32_t b = map->in->zooms ? (uint32_t)i : map->sheet->single.items[i];
        const struct sw_buffer *buffer = sw_problem_buffer(map->problem, b);
        if (b != apart[0] && b != apart[1] && b != apart[2] && sw_map_in_time(map, buffer)) {
            add_map_block(map, b, buffer, map->in->zooms);
        }
    }
    if (!map->in->zooms) {
        sw_map_draw_hidden(map);
    }
    sw_map_draw_ghosts(map);
    for (int i = 0; i < DRAWN_APART; i++) {
        if (apart[i] < count) {
            const struct sw_buffer *buffer = sw_problem_buffer(map->problem, apart[i]);
            if (sw_map_in_time(map, buffer)) {
                add_map_block(map, apart[i], buffer, true);
            }
        }
    }
}

/* ---- furniture ---- */

static const char *map_title(struct sw_map *map, bool brief) {
    struct sw_scene *scene = map->scene;
    uint64_t placed = sw_layout_placed_count(map->layout), seen = map->drawn + map->hidden;
    uint32_t planned = sw_problem_planned_count(map->problem);
    bool single = sw_view_single(map->in);
    const char *text;
    if (!single) { /* how many of all are in this tier is not counted */
        text =
            sw_scene_printf(scene, "%s%s: %s", sw_problem_tier(map->problem, map->in->look.tier)->name,
                            sw_medium(map->in)->still && map->in->look.viewport.bytes_lo > 0 ? ", the upper end" : "",
                            sw_scene_counted(scene, seen, "block"));
    } else if (placed < planned) {
        text = sw_scene_printf(scene, brief ? "%s/%s" : "memory: %s of %s placed", SW_COUNT(placed),
                               sw_scene_counted(scene, planned, "block"));
    } else {
        text = sw_scene_printf(scene, "%s%s", brief ? "" : "memory: ", sw_scene_counted(scene, planned, "block"));
    }
    if (single && map->zoomed) {
        text = sw_scene_printf(scene, "%s%s%s in view", brief ? "" : text, brief ? "" : ", ", SW_COUNT(seen));
    }
    if (map->segments && !sw_medium(map->in)->legend && !brief) {
        text = sw_scene_printf(scene, "%s, %u segments", text, map->segments);
    }
    if (map->hidden) {
        text = sw_scene_printf(scene, "%s, %s too small%s", text, SW_COUNT(map->hidden),
                               brief ? "" : " to draw individually");
    }
    if (map->arrows > 0) { /* more than can be told apart */
        text = sw_scene_printf(scene, "%s, %s not drawn%s", text, sw_scene_counted(scene, map->arrows, "move"),
                               brief ? "" : " (see occupancy)");
    }
    /* What is hidden must be said, however small the panel. */
    bool fine = sw_medium(map->in)->fine;
    double room = fine ? 0.85 * map->panel->body_width : map->panel->width;
    bool wide = sw_view_columns(text) <= sw_view_room(map->in, room);
    return wide || brief ? text : map_title(map, true);
}

/* What the colors say, where they say more than which block it is; and the hatchings, where that does not tell them. */
static void legend_of_blocks(struct sw_map *map) {
    static const char *const kinds[SW_PATTERN_COUNT] = {"block", "input", "output", "constant", "scratch"};
    bool told[SW_PATTERN_COUNT] = {false}, classes = false;
    for (unsigned base = 0; base < SW_BASES; base++) {
        const char *words = map->looks[base] ? sw_color_class_words(map->classes, map->scene, base) : NULL;
        unsigned pattern = map->looks[base] ? (unsigned)__builtin_ctz(map->looks[base]) : 0;
        bool kind = words && map->looks[base] == 1u << pattern && pattern && !strcmp(words, kinds[pattern]);
        if (words) { /* one entry for a class, however its blocks are hatched */
            sw_scene_legend(map->scene, SW_STYLE_BLOCK, base, kind ? pattern : 0, words);
            told[pattern] |= kind;
            classes = true;
        }
    }
    for (unsigned i = 0; i < SW_PATTERN_COUNT; i++) {
        if (map->kinds[i] && !told[i] && (i || !classes) && !map->in->run.changes) {
            sw_scene_legend(map->scene, SW_STYLE_BLOCK, SW_HUE_NEUTRAL, i, kinds[i]);
        }
    }
}

/* Blocks that only shifted look like those that are the same: the words are of both, for both sides of a comparison. */
static void legend_of_same(struct sw_map *map) {
    bool occurs[SW_CHANGE_COUNT] = {false};
    for (uint32_t b = 0; b < sw_problem_buffer_count(map->problem); b++) {
        occurs[map->in->run.changes[b] % SW_CHANGE_COUNT] = true;
    }
    const char *text = !occurs[SW_CHANGE_SHIFTED] ? "same: faint"
                       : !occurs[SW_CHANGE_SAME]  ? "same, earlier or later: faint"
                                                  : "same, some earlier or later: faint";
    sw_scene_add_legend(map->scene, (struct sw_legend_entry){
                                        .style = SW_STYLE_BLOCK, .hue = SW_HUE_NEUTRAL, .faint = true, .text = text});
}

static void map_legend(struct sw_map *map) {
    if (map->changes[SW_CHANGE_SAME] || map->changes[SW_CHANGE_SHIFTED]) {
        legend_of_same(map);
    }
    for (unsigned i = 0; i < SW_CHANGE_COUNT; i++) {
        struct sw_change_look look = sw_change_look((enum sw_change)i);
        if (map->changes[i] && i != SW_CHANGE_SAME && i != SW_CHANGE_SHIFTED) {
            sw_scene_legend(map->scene, look.style, 0, look.pattern, look.name);
        }
    }
    legend_of_blocks(map);
    if (map->pinned) {
        sw_scene_legend(map->scene, SW_STYLE_PINNED, 0, 0, "pinned");
    }
    if (map->hidden) {
        /* The grid is too fine for a sum of each class. */
        bool gray = !map->counted.of && map->classes->bases && map->classes->by != SW_COLOR_TIER;
        sw_scene_legend(map->scene, SW_STYLE_MERGED, 0, SW_MERGED_STEPS,
                        gray ? "blocks too small to draw, by how full: 1/4 to all; without colors at this resolution"
                             : "blocks too small to draw, by how full: 1/4 to all");
    }
    for (size_t i = 0; i < map->panel->marks.count; i++) {
        const struct sw_mark *mark = &map->panel->marks.items[i];
        if (mark->style == SW_STYLE_CURRENT) {
            sw_scene_legend(map->scene, SW_STYLE_CURRENT, mark->hue, 0, "last decision");
        } else if (mark->style == SW_STYLE_GHOST) {
            sw_scene_legend(map->scene, SW_STYLE_GHOST, 0, 0, "refused");
        } else if (mark->style == SW_STYLE_FITS) {
            sw_scene_legend(map->scene, SW_STYLE_FITS, 0, 0, "would have fitted");
        }
    }
    for (size_t i = 0; i < map->panel->marks.count && map->in->furniture && map->in->furniture->tell_level; i++) {
        if (map->panel->marks.items[i].kind == SW_MARK_LINE) {
            map->in->furniture->tell_level(map->scene, &map->panel->marks.items[i]);
        }
    }
}

/* In a picture of a finished run nothing is "the last decision", unless it is one of several steps.
 */
static uint32_t current_buffer(const struct sw_view_input *in) {
    const struct sw_decision *decision = sw_search_decision(in->run.search);
    bool finished = sw_medium(in)->still && sw_view_at_end(in->run.search) && !in->run.steady;
    return decision && !finished ? decision->buffer : SW_NONE;
}

void sw_view_build_map(const struct sw_view_input *input, struct sw_scene *scene, struct sw_box box, bool x_labels) {
    struct sw_view_input own, *in = &own;
    struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_PLOT, "map");
    panel->on_cells = sw_view_in_pixels(input, in, &box);
    panel->title = "";
    sw_view_place(in, scene, panel, box, x_labels);
    sw_view_address_axis(in, scene, panel, in->look.viewport.bytes_lo, in->look.viewport.bytes_hi);
    panel->tier = in->look.tier;
    struct sw_map map = {.in = in,
                         .scene = scene,
                         .panel = panel,
                         .problem = sw_search_problem(in->run.search),
                         .layout = sw_view_shown(in),
                         .space = sw_view_space(in, panel),
                         .current = current_buffer(in)};
    map.zoomed = in->look.viewport.time_lo > 0 || in->look.viewport.bytes_lo > 0 ||
                 in->look.viewport.time_hi < sw_problem_steps(map.problem) ||
                 in->look.viewport.bytes_hi < (double)sw_layout_arena(map.layout, in->look.tier);
    map.least_label_width = in->marks_per_unit_x * sw_medium(in)->name_width;
    map.least_label_height = in->marks_per_unit_y * sw_medium(in)->name_height;
    if (!sw_map_open(&map) || !sw_map_choose_hues(&map)) {
        scene->failed = true;
    } else {
        scene->coloring = (uint8_t)map.classes->by;
        sw_map_draw_reserved(&map);
        sw_map_draw_holes(&map);
        draw_map_blocks(&map);
        sw_map_draw_over(&map);
        sw_view_mark_regions(in, scene, panel);
        bool titled = !in->furniture || in->furniture->title;
        panel->title = titled ? map_title(&map, false) : NULL;
        if (sw_medium(in)->legend) {
            map_legend(&map);
            sw_map_tell_names(&map);
        } else {
            legend_of_blocks(&map);
        }
    }
    sw_map_close(&map);
}

/* ---- a memory that is used at both ends ---- */

struct used_range {
    uint64_t lo, hi;
};

SW_BY_FIELDS(compare_used_ranges, struct used_range, SW_UP(lo))

/* The largest range of addresses that nothing ever uses, below the end of what is used. */
static struct used_range widest_gap(const struct sw_view_input *in, struct sw_scene *scene) {
    const struct sw_layout *layout = sw_search_layout(in->run.search);
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    SW_ARRAY(struct used_range) used = {0};
    struct used_range gap = {0};
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        struct sw_placement at;
        for (uint32_t k = 0; sw_layout_placement(layout, b, k, &at) && !scene->failed; k++) {
            struct used_range range = {at.offset, at.offset + sw_problem_buffer(problem, b)->size};
            scene->failed |= at.tier == in->look.tier && !SW_PUSH(&used, range);
        }
    }
    SW_SORT_LIST(&used, compare_used_ranges);
    uint64_t end = 0;
    for (size_t i = 0; i < used.count; i++) {
        if (used.items[i].lo > end && used.items[i].lo - end > gap.hi - gap.lo) {
            gap = (struct used_range){end, used.items[i].lo};
        }
        end = SW_MAX(used.items[i].hi, end);
    }
    SW_ARRAY_DONE(&used);
    return gap;
}

/* What comes from the other end, or goes there, is seen as far as this end goes. */
static void clip_arrows(struct sw_scene *scene) {
    struct sw_panel *panel = &scene->panels.items[scene->panels.count - 1];
    size_t kept = 0;
    for (size_t i = 0; i < panel->marks.count; i++) {
        struct sw_mark mark = panel->marks.items[i];
        if (mark.kind == SW_MARK_ARROW) {
            mark.y0 = fmin(fmax(mark.y0, panel->y.lo), panel->y.hi);
            mark.y1 = fmin(fmax(mark.y1, panel->y.lo), panel->y.hi);
        }
        if (mark.kind != SW_MARK_ARROW || mark.y0 < mark.y1 || mark.y0 > mark.y1) {
            panel->marks.items[kept++] = mark;
        }
    }
    panel->marks.count = kept;
}

/* Where most of a memory lies idle between two ends that are used, each end has its own map: on one
 * scale nothing could be told apart. In pictures of several steps the scale must stay. */
static void build_ends(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box, bool x_labels) {
    struct used_range gap = {0};
    double top = (double)sw_layout_arena(sw_search_layout(in->run.search), in->look.tier);
    if (!sw_view_single(in) && !in->run.steady && !sw_medium(in)->brief) {
        gap = widest_gap(in, scene);
    }
    double below = (double)gap.lo, above = top - (double)gap.hi;
    if (scene->failed || (double)(gap.hi - gap.lo) <= 0.6 * top) {
        sw_view_build_map(in, scene, box, x_labels);
        return;
    }
    struct sw_view_input end = *in;
    double share = below > 0 ? fmin(fmax(above / (above + below), 0.3), 0.7) : 1;
    struct sw_box upper = {box.left, box.top, box.width, box.height * share - (below > 0 ? 4 : 0)};
    end.look.viewport.bytes_lo = fmax((double)gap.hi - 0.04 * above, 1);
    end.look.viewport.bytes_hi = top + 0.04 * above;
    sw_view_build_map(&end, scene, upper, x_labels && !(below > 0));
    if (!scene->failed) {
        clip_arrows(scene);
    }
    if (below > 0 && !scene->failed) {
        end.look.viewport.bytes_lo = 0;
        end.look.viewport.bytes_hi = below * 1.04;
        box.top += box.height * share;
        box.height *= 1 - share;
        sw_view_build_map(&end, scene, box, x_labels);
        if (!scene->failed) {
            clip_arrows(scene);
        }
    }
}

/* One map a tier that is in use, one above the other, the highest tier on top. */
static void build_tiers(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box, bool x_labels) {
    uint32_t tiers = sw_problem_tier_count(sw_search_problem(in->run.search)), used = 0;
    for (uint32_t t = 0; t < tiers; t++) {
        used += sw_view_uses(in, t);
    }
    uint32_t shown = used ? used : 1, place = 0;
    double ticks = x_labels ? SW_PAGE_TICKS : 0, height = (box.height - ticks) / shown;
    for (uint32_t t = 0; t < tiers && place < shown; t++) {
        if (used && !sw_view_uses(in, t)) {
            continue;
        }
        struct sw_view_input one = *in;
        one.look.tier = t;
        one.look.viewport = sw_view_tier(in, t);
        bool last = x_labels && place + 1 == shown;
        build_ends(&one, scene,
                   (struct sw_box){box.left, box.top + height * place, box.width, height - 4 + (last ? ticks : 0)},
                   last);
        place++;
    }
}

static void layout_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    /* On paper the curve of live bytes stands below, on the same axis of time; where there is room
     * for both. */
    bool paper = sw_medium(in)->live_below;
    if (!paper || box.height < SW_PAGE_BOTH) {
        (paper && in->look.tier == SW_NONE ? build_tiers : sw_view_build_map)(in, scene, box, true);
        return;
    }
    double low = fmax(fmin(box.height * 0.24, 130), fmin(72, box.height / 3));
    struct sw_box live = {box.left, box.top + box.height - low, box.width, low};
    box.height -= low + 4;
    (in->look.tier == SW_NONE ? build_tiers : build_ends)(in, scene, box, false);
    sw_view_build_live(in, scene, live, true);
}

const struct sw_view sw_view_layout = {
    .name = "layout",
    .summary = "the map of memory: lifetime to the right, addresses upward",
    .takes = SW_TAKES_TIME | SW_TAKES_ADDRESS | SW_TAKES_BUFFER | SW_TAKES_COLORING,
    .build = layout_build,
};
