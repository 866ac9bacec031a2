/* What a column of the map says in figures: at the cursor's step, from the top down, what lies
 * where in the tier and what is free between, and how much of the free space one block could have.
 */
#include "view/scene/lines.h"
#include "base/sort.h"
#include "base/base.h"

struct block {
    uint64_t lo, hi;
    uint64_t reach; /* the highest end of this block and of those that begin below it */
    uint32_t buffer;
};
struct memory_column {
    SW_ARRAY(struct block) blocks; /* by address */
    uint64_t used, arena, largest, holes, top;
};

SW_BY_FIELDS(compare_column_blocks, struct block, SW_UP(lo), SW_UP(buffer))

static bool collect_blocks(const struct sw_view_input *in, uint32_t tier, uint32_t step, struct memory_column *column) {
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    const struct sw_layout *layout = sw_search_layout(in->run.search);
    struct sw_neighbors alive = sw_problem_alive(problem, step, step);
    for (uint32_t b; (b = sw_neighbors_next(&alive)) != SW_NONE;) {
        struct sw_placement place;
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        if (buffer->size == 0 || !sw_buffer_alive(buffer, step) || !sw_layout_at(layout, b, step, &place) ||
            place.tier != tier) {
            continue;
        }
        struct block block = {.lo = place.offset, .hi = place.offset + buffer->size, .buffer = b};
        if (!SW_PUSH(&column->blocks, block)) {
            return false;
        }
    }
    SW_SORT_LIST(&column->blocks, compare_column_blocks);
    return true;
}

static void add_hole(struct memory_column *column, uint64_t lo, uint64_t hi) {
    if (hi > lo) {
        column->holes++;
        column->largest = hi - lo > column->largest ? hi - lo : column->largest;
    }
}

static void measure_holes(struct memory_column *column, uint64_t arena) {
    column->arena = arena;
    for (size_t i = 0; i < column->blocks.count; i++) {
        struct block *block = &column->blocks.items[i];
        add_hole(column, column->top, block->lo);
        uint64_t from = SW_MAX(block->lo, column->top);
        column->used += block->hi > from ? block->hi - from : 0;
        column->top = SW_MAX(block->hi, column->top);
        block->reach = column->top;
    }
    add_hole(column, column->top, arena);
}

/* What no buffer holds: free, unless the file does not tell all that is there. */
static const char *unheld_word(const struct sw_view_input *in) {
    return sw_layout_shared(sw_search_layout(in->run.search)) ? "not told" : "free";
}

static void add_column_range(struct sw_lines *lines, uint64_t lo, uint64_t hi, uint32_t buffer) {
    bool free = buffer == SW_NONE;
    enum sw_style style = free ? SW_STYLE_FITS : buffer == lines->in->look.selected ? SW_STYLE_SELECTED : SW_STYLE_TEXT;
    struct sw_item item = {free ? SW_ITEM_NONE : SW_ITEM_BUFFER, free ? 0 : buffer};
    if (!sw_lines_row(lines, item, !free && buffer == lines->in->look.selected)) {
        return;
    }
    sw_lines_cellf(lines, SW_STYLE_DIM, true, "%s", SW_COUNT(lo + lines->in->run.base));
    sw_lines_cellf(lines, style, true, "%s", SW_COUNT(hi - lo));
    if (lines->in->text) { /* no map beside it shows the life */
        sw_lines_cell(lines, style, true, free ? "" : sw_lines_life(lines, sw_problem_buffer(lines->problem, buffer)));
    }
    if (free) {
        sw_lines_cell(lines, style, false, unheld_word(lines->in));
    } else {
        sw_lines_name(lines, style, sw_problem_buffer(lines->problem, buffer)->name);
    }
}

/* From the top down, as the map has it. */
static void list_column(struct sw_lines *lines, const struct memory_column *column) {
    uint64_t above = column->arena;
    for (size_t i = column->blocks.count; i-- > 0 && !lines->scene->failed;) {
        const struct block *block = &column->blocks.items[i];
        if (above > block->reach) { /* one that begins below may lie over it, in place */
            add_column_range(lines, block->reach, above, SW_NONE);
        }
        add_column_range(lines, block->lo, block->hi, block->buffer);
        above = SW_MIN(block->lo, above);
    }
    if (above > 0) {
        add_column_range(lines, 0, above, SW_NONE);
    }
}

static const struct sw_lines_head free_heads[] = {
    {"offset", true}, {"bytes", true}, {"alive", true}, {"block, from the top", false}};

static void free_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct memory_column column = {0};
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    uint32_t tier = in->look.tier < sw_problem_tier_count(problem) ? in->look.tier : 0;
    uint32_t step = sw_lines_cursor(in);
    struct sw_lines lines = sw_lines_begin(in, scene, "free", NULL, box, in->text ? 4 : 3, in->text ? 3 : 2);
    sw_lines_flow(&lines);
    if (!collect_blocks(in, tier, step, &column)) {
        scene->failed = true;
    } else if (sw_problem_steps(problem) > 0) {
        measure_holes(&column, sw_layout_arena(sw_search_layout(in->run.search), tier));
        uint64_t free = column.arena - (SW_MIN(column.used, column.arena));
        lines.panel->title =
            sw_scene_printf(scene, "%s at %s", sw_problem_tier(problem, tier)->name, sw_lines_when(&lines, step));
        const char *used = sw_lines_bytes(&lines, column.used);
        const char *rest = sw_lines_bytes(&lines, free), *plural = column.holes == 1 ? "" : "s";
        unsigned long long holes = column.holes;
        sw_lines_text(
            &lines, SW_STYLE_TEXT,
            in->text
                ? sw_scene_printf(scene, "%s used, %s %s in %llu hole%s", used, rest, unheld_word(in), holes, plural)
                : sw_scene_printf(scene, "%s of %s in use, %s %s in %llu hole%s", used,
                                  sw_lines_bytes(&lines, column.arena), rest, unheld_word(in), holes, plural));
        if (column.holes > 1 && (!in->text || lines.rows >= 12)) {
            double split = 1 - (double)column.largest / (double)free;
            sw_lines_textf(&lines, SW_STYLE_TEXT,
                           "the largest hole is %s; %s of what is %s lies "
                           "elsewhere",
                           sw_lines_bytes(&lines, column.largest), SW_PERCENT(split, false), unheld_word(in));
        }
        if (!in->text) {
            sw_lines_blank(&lines);
        } else if (lines.rows >= 12) {
            sw_lines_heads(&lines, free_heads, 4, 0);
        }
        list_column(&lines, &column);
    }
    SW_ARRAY_DONE(&column.blocks);
}

const struct sw_view sw_view_free = {
    .name = "free",
    .summary = "what lies in the tier at the cursor, and what is free between",
    .takes = SW_TAKES_BUFFER,
    .scrolls = SW_SCROLLS_TEXT,
    .build = free_build,
};
