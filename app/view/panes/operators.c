/* The operators around the cursor: what each reads and writes, and what is alive while it runs. */
#include "view/scene/lines.h"

static uint64_t sum(const struct sw_lines *lines, const struct sw_ref *refs, uint32_t count) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (refs[i].member == SW_NONE) {
            bytes += sw_problem_buffer(lines->problem, refs[i].buffer)->size;
        } else {
            const struct sw_member *part = sw_problem_member(lines->problem, refs[i].member);
            bytes += part->hi - part->lo;
        }
    }
    return bytes;
}

/* The kind has a column where there is room for it, the core where there are several. */
enum { FEWEST = 5, LEAST_KIND_ROOM = 56, OF_CORES = 8 };
static bool tells_kind(const struct sw_lines *lines) {
    return lines->room >= LEAST_KIND_ROOM + (sw_lines_cores(lines) ? OF_CORES : 0);
}

/* `most`: the largest live sum, which binds wherever it is met. */
static void add_operator_row(struct sw_lines *lines, uint32_t step, uint64_t most) {
    const struct sw_operator *op = sw_problem_operator(lines->problem, step);
    bool now = step == sw_lines_cursor(lines->in), bound = sw_problem_profile(lines->problem)[step] == most;
    enum sw_style style = now ? SW_STYLE_CURRENT : SW_STYLE_TEXT;
    sw_lines_row(lines, (struct sw_item){SW_ITEM_OPERATOR, step}, now);
    sw_lines_cellf(lines, SW_STYLE_DIM, true, "%s", SW_COUNT(step));
    sw_lines_name(lines, style, op->name);
    if (sw_lines_cores(lines)) {
        sw_lines_cell(lines, SW_STYLE_DIM, false, sw_lines_core(lines, step));
    }
    if (tells_kind(lines)) {
        sw_lines_cell(lines, SW_STYLE_DIM, false, op->kind);
    }
    sw_lines_cell(lines, style, true, sw_scene_bytes(lines->scene, sum(lines, op->inputs, op->input_count)));
    sw_lines_cell(lines, style, true, sw_scene_bytes(lines->scene, sum(lines, op->outputs, op->output_count)));
    sw_lines_cellf(lines, bound ? SW_STYLE_PEAK : style, true, "%s%s",
                   sw_scene_bytes(lines->scene, sw_problem_profile(lines->problem)[step]), bound ? " bound" : "");
}

static void operators_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_lines_head heads[7] = {{"", true}, {"operator", false}};
    uint32_t columns = 2;
    uint32_t count = sw_problem_operator_count(sw_search_problem(in->run.search));
    struct sw_lines lines = sw_lines_begin(in, scene, "operators", "operators", box, FEWEST, 1);
    if (sw_lines_cores(&lines)) {
        heads[columns++] = (struct sw_lines_head){"core", false};
    }
    if (tells_kind(&lines)) {
        heads[columns++] = (struct sw_lines_head){"kind", false};
    }
    heads[columns++] = (struct sw_lines_head){"reads", true};
    heads[columns++] = (struct sw_lines_head){"writes", true};
    heads[columns++] = (struct sw_lines_head){"alive", true};
    lines.panel->columns = columns;
    if (count == 0) {
        sw_lines_text(&lines, SW_STYLE_DIM, "This is a list of buffers: it names no operators.");
        return;
    }
    bool part = in->look.last_row > in->look.first_row && in->look.last_row <= count; /* of a report */
    uint32_t wanted = part ? in->look.last_row - in->look.first_row : count;
    uint32_t room = sw_lines_heads(&lines, heads, columns, wanted);
    uint32_t at, cursor = sw_lines_cursor(in);
    uint64_t most = sw_view_live_peak(lines.problem, &at);
    uint32_t first = cursor > room / 2 ? cursor - room / 2 : 0;
    first = part ? in->look.first_row : sw_lines_first(&lines, first, count, room);
    for (uint32_t step = first; step < first + room && !scene->failed; step++) {
        add_operator_row(&lines, step, most);
    }
    lines.panel->hidden_above = first;
    lines.panel->hidden_below = (part ? in->look.last_row : count) - first - room;
}

static bool operators_applies(const struct sw_search *search, bool *missed) {
    (void)missed;
    return sw_problem_operator_count(sw_search_problem(search)) > 0;
}

const struct sw_view sw_view_operators = {
    .name = "operators",
    .summary = "operators at the cursor: reads, writes, and what is alive",
    .scrolls = SW_SCROLLS_LIST,
    .applies = operators_applies,
    .build = operators_build,
};
