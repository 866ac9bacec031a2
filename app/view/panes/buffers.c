/* The table of buffers, as the user sorted and filtered it; on paper all of them, in order of
 * birth. */
#include "view/moment/moment_views.h"
#include "view/scene/lines.h"

static const struct sw_lines_head buffer_heads[] = {{"", true},      {"buffer", false}, {"size", true},
                                                    {"alive", true}, {"at", true},      {"made by", false}};
enum { BUFFER_COLUMNS = sizeof buffer_heads / sizeof *buffer_heads };

static uint32_t listed_buffer(const struct sw_lines *lines, uint32_t i) {
    return lines->in->look.listing.items ? lines->in->look.listing.items[i] : sw_problem_order(lines->problem)[i];
}

static const char *place_words(const struct sw_lines *lines, uint32_t buffer) {
    struct sw_placement at;
    if (!sw_layout_placement(lines->layout, buffer, 0, &at)) {
        return "";
    }
    const char *offset = sw_scene_bytes(lines->scene, at.offset + lines->in->run.base);
    return sw_view_single(lines->in)
               ? offset
               : sw_scene_printf(lines->scene, "%s+%s", sw_problem_tier(lines->problem, at.tier)->name, offset);
}

static void add_buffer_row(struct sw_lines *lines, uint32_t i) {
    uint32_t b = listed_buffer(lines, i);
    const struct sw_buffer *buffer = sw_problem_buffer(lines->problem, b);
    const struct sw_decision *decision = sw_search_decision(lines->search);
    bool now = b == lines->in->look.selected;
    enum sw_style style = now                                  ? SW_STYLE_SELECTED
                          : decision && decision->buffer == b  ? SW_STYLE_CURRENT
                          : sw_layout_placed(lines->layout, b) ? SW_STYLE_TEXT
                                                               : SW_STYLE_DIM;
    sw_lines_row(lines, (struct sw_item){SW_ITEM_BUFFER, b}, now);
    uint32_t maker = sw_problem_producer(lines->problem, b);
    sw_lines_cellf(lines, SW_STYLE_DIM, true, "%s", SW_COUNT(i + 1));
    sw_lines_name(lines, style, buffer->name);
    sw_lines_cell(lines, style, true, sw_scene_bytes(lines->scene, buffer->size));
    sw_lines_cell(lines, style, true, sw_lines_life(lines, buffer));
    sw_lines_cell(lines, style, true, place_words(lines, b));
    if (lines->panel->columns < BUFFER_COLUMNS) {
        return;
    }
    if (maker != SW_NONE) {
        sw_lines_name(lines, SW_STYLE_DIM, sw_problem_operator(lines->problem, maker)->name);
    } else {
        sw_lines_cell(lines, SW_STYLE_DIM, false, buffer->kind == SW_KIND_INPUT ? "the host" : "");
    }
}

/* The selected buffer stays in sight. */
static uint32_t first_shown(const struct sw_lines *lines, uint32_t count, uint32_t room) {
    uint32_t focus = 0;
    while (focus < count && listed_buffer(lines, focus) != lines->in->look.selected) {
        focus++;
    }
    if (focus == count || count <= room) {
        return 0;
    }
    uint32_t first = focus > room / 2 ? focus - room / 2 : 0;
    return first > count - room ? count - room : first;
}

static void buffers_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    if (sw_view_moment_of(in->run.search)) {
        sw_view_build_held(in, scene, box);
        return;
    }
    uint32_t planned = sw_problem_planned_count(sw_search_problem(in->run.search));
    uint32_t count = in->look.listing.items ? in->look.listing.count : planned;
    const char *title =
        sw_scene_printf(scene, "%s of %s%s%s", SW_COUNT(count), sw_scene_counted(scene, planned, "buffer"),
                        in->look.listing.items ? ", " : "", in->look.listing.items ? in->look.listing.words : "");
    bool made = !sw_medium(in)->still || sw_problem_operator_count(sw_search_problem(in->run.search)) > 0;
    uint32_t columns = made ? BUFFER_COLUMNS : BUFFER_COLUMNS - 1; /* without what made it, where nothing is known to */
    struct sw_lines lines = sw_lines_begin(in, scene, "buffers", title, box, columns, 1);
    lines.panel->spare = 1u << 5; /* what made it */
    uint32_t from = in->look.first_row < count ? in->look.first_row : 0;
    uint32_t room = sw_lines_heads(&lines, buffer_heads, columns, count - from);
    uint32_t first = from ? from : sw_lines_first(&lines, first_shown(&lines, count, room), count, room);
    for (uint32_t i = first; i < first + room && !scene->failed; i++) {
        add_buffer_row(&lines, i);
    }
    lines.panel->hidden_above = first;
    lines.panel->hidden_below = count - first - room;
    if (count == 0) {
        sw_lines_text(&lines, SW_STYLE_DIM, "No match");
    }
}

const struct sw_view sw_view_buffers = {
    .name = "buffers",
    .of = SW_VIEW_OF_BOTH,
    .summary = "the table of buffers: sorted and filtered in the explorer",
    .takes = SW_TAKES_BUFFER,
    .scrolls = SW_SCROLLS_LIST,
    .build = buffers_build,
    .keys = SW_KEYS_TABLE,
};
