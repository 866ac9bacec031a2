/* Where every buffer lies in each of the runs that are compared: those that lie elsewhere first. */
#include "base/base.h"
#include "layout/difference.h"
#include "view/scene/lines.h"

enum { OFFSET_COLUMNS = 4 }; /* before those of the runs */

/* Do all runs have the same buffers? */
static bool has_same_buffers(const struct sw_beside_view *beside) {
    uint32_t count = sw_problem_buffer_count(sw_search_problem(beside->runs[0].search));
    for (uint32_t i = 1; i < beside->count; i++) {
        if (sw_problem_buffer_count(sw_search_problem(beside->runs[i].search)) != count) {
            return false;
        }
    }
    return true;
}

/* Does it lie elsewhere in any of the others, at any time of its life, or in some of them only? */
static bool lies_elsewhere(const struct sw_beside_view *beside, uint32_t buffer) {
    const struct sw_layout *first = sw_search_layout(beside->runs[0].search);
    for (uint32_t i = 1; i < beside->count; i++) {
        if (sw_layout_lies_elsewhere(first, sw_search_layout(beside->runs[i].search), buffer)) {
            return true;
        }
    }
    return false;
}

static void add_offset_row(struct sw_lines *lines, uint32_t buffer, bool elsewhere) {
    const struct sw_beside_view *beside = &lines->in->run.beside;
    const struct sw_buffer *b = sw_problem_buffer(lines->problem, buffer);
    bool selected = buffer == lines->in->look.selected;
    enum sw_style style = selected ? SW_STYLE_SELECTED : elsewhere ? SW_STYLE_TEXT : SW_STYLE_DIM;
    struct sw_placement at;
    sw_lines_row(lines, (struct sw_item){SW_ITEM_BUFFER, buffer}, selected);
    sw_lines_cell(lines, style, false, elsewhere ? "~" : "=");
    sw_lines_name(lines, style, b->name);
    sw_lines_cell(lines, style, true, sw_scene_bytes(lines->scene, b->size));
    sw_lines_cell(lines, style, true, sw_lines_life(lines, b));
    for (uint32_t i = 0; i < beside->count; i++) {
        if (!sw_layout_placement(sw_search_layout(beside->runs[i].search), buffer, 0, &at)) {
            sw_lines_cell(lines, style, true, "-");
        } else if (sw_problem_tier_count(lines->problem) == 1) {
            sw_lines_cellf(lines, style, true, "%s", SW_COUNT(at.offset + lines->in->run.base));
        } else {
            sw_lines_cellf(lines, style, true, "%s+%s", sw_problem_tier(lines->problem, at.tier)->name,
                           SW_COUNT(at.offset + lines->in->run.base));
        }
    }
}

/* The buffer in row `wanted`: by birth, those that lie elsewhere before all others. The walk goes on from where the
 * last row was found. */
struct offset_walk {
    uint32_t at, row;
    bool same; /* it has come to those that lie in the same place */
};

static uint32_t walk_to(const struct sw_lines *lines, struct offset_walk *walk, uint32_t wanted) {
    uint32_t planned = sw_problem_planned_count(lines->problem);
    for (;;) {
        if (walk->at == planned) {
            if (walk->same) {
                return SW_NONE;
            }
            walk->at = 0;
            walk->same = true;
            continue;
        }
        uint32_t buffer = sw_problem_order(lines->problem)[walk->at++];
        if (lies_elsewhere(&lines->in->run.beside, buffer) != walk->same && walk->row++ == wanted) {
            return buffer;
        }
    }
}

static void add_offset_heads(struct sw_lines *lines) {
    const struct sw_beside_view *beside = &lines->in->run.beside;
    struct sw_lines_head heads[OFFSET_COLUMNS + SW_BESIDE_RUNS] = {
        {"", false}, {"buffer", false}, {"size", true}, {"alive", true}};
    for (uint32_t i = 0; i < beside->count; i++) {
        heads[OFFSET_COLUMNS + i] = (struct sw_lines_head){
            sw_scene_printf(lines->scene, "%u %.14s", beside->runs[i].branch, beside->runs[i].what), true};
    }
    sw_lines_head_row(lines, heads, OFFSET_COLUMNS + beside->count);
}

static void offsets_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    const struct sw_beside_view *beside = &in->run.beside;
    const struct sw_problem *problem = sw_search_problem(in->run.search);
    uint32_t planned = sw_problem_planned_count(problem), elsewhere = 0;
    bool comparable = beside->count > 1 && has_same_buffers(beside);
    for (uint32_t i = 0; comparable && i < planned; i++) {
        elsewhere += lies_elsewhere(beside, sw_problem_order(problem)[i]);
    }
    const char *title = sw_scene_printf(scene, "offsets in each run: %s of %s differ", SW_COUNT(elsewhere),
                                        sw_scene_counted(scene, planned, "buffer"));
    struct sw_lines lines = sw_lines_begin(in, scene, "offsets", comparable ? title : "offsets in each run", box,
                                           OFFSET_COLUMNS + beside->count, 1);
    if (beside->count < 2) {
        sw_view_say_one_run(&lines);
        return;
    }
    if (!comparable) {
        sw_lines_text(&lines, SW_STYLE_DIM, "The runs that are compared are about different buffers.");
        return;
    }
    lines.panel->spare = 1u << 3; /* when it is alive */
    add_offset_heads(&lines);
    uint32_t left = (uint32_t)(lines.rows > lines.panel->rows.count ? lines.rows - lines.panel->rows.count : 0);
    uint32_t room = left >= planned ? planned : left > 1 ? left - 1 : left; /* the last row tells of the rest */
    uint32_t first = sw_lines_first(&lines, 0, planned, room);
    struct offset_walk walk = {0};
    for (uint32_t row = first; row < first + room && !scene->failed; row++) {
        uint32_t buffer = walk_to(&lines, &walk, row);
        if (buffer != SW_NONE) {
            add_offset_row(&lines, buffer, !walk.same);
        }
    }
}

const struct sw_view sw_view_offsets = {
    .name = "offsets",
    .summary = "the offset of every buffer in each run, different ones first",
    .takes = SW_TAKES_BUFFER,
    .scrolls = SW_SCROLLS_LIST,
    .of_runs = true,
    .build = offsets_build,
};
