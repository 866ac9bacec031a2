/* What recurs in a moment: blocks in use by size, and by what asked for them. */
#include "base/base.h"
#include "view/moment/moment_views.h"
#include "view/scene/lines.h"

static void add_group_row(struct sw_lines *lines, const struct sw_moment_group *group, uint64_t all) {
    char size[24];
    const char *what = group->size != SW_UNTOLD ? sw_show_bytes_long(group->size, size)
                       : group->origin          ? group->origin
                                                : "not told";
    sw_lines_row(lines, SW_NO_ITEM, false);
    sw_lines_cellf(lines, SW_STYLE_TEXT, true, "%s", SW_COUNT(group->bytes));
    sw_lines_cellf(lines, SW_STYLE_DIM, true, "%s", all ? SW_PERCENT((double)group->bytes / (double)all, false) : "");
    sw_lines_cellf(lines, SW_STYLE_TEXT, true, "%s", SW_COUNT(group->count));
    sw_lines_name(lines, SW_STYLE_TEXT, sw_scene_printf(lines->scene, "%.*s", (int)strcspn(what, "\n"), what));
}

static void add_groups(struct sw_lines *lines, const struct sw_moment *moment, enum sw_moment_by by) {
    const struct sw_lines_head heads[] = {
        {"bytes", true}, {"", true}, {"blocks", true}, {by == SW_MOMENT_BY_SIZE ? "size" : "asked by", false}};
    struct sw_moment_groups groups = {0};
    uint64_t all = 0;
    lines->scene->failed |= !sw_moment_group_by(moment, by, &groups);
    for (size_t i = 0; i < groups.items.count; i++) {
        all += groups.items.items[i].bytes;
    }
    if (groups.items.count > 0) {
        sw_lines_head_row(lines, heads, 4);
    } else {
        sw_lines_text(lines, SW_STYLE_DIM, "No block in use is told.");
    }
    for (size_t i = 0; i < groups.items.count && !lines->scene->failed; i++) {
        add_group_row(lines, &groups.items.items[i], all);
    }
    SW_ARRAY_DONE(&groups.items);
}

static void sizes_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    const struct sw_moment *moment = sw_moment_on_view(in, scene, box);
    if (!moment) {
        return;
    }
    struct sw_lines lines = sw_lines_begin(in, scene, "sizes", "in use, by size and by origin", box, 4, 3);
    sw_lines_flow(&lines);
    add_groups(&lines, moment, SW_MOMENT_BY_SIZE);
    if (sw_moment_tells_origins(moment)) {
        sw_lines_blank(&lines);
        add_groups(&lines, moment, SW_MOMENT_BY_ORIGIN);
    }
}

const struct sw_view sw_view_sizes = {
    .name = "sizes",
    .summary = "what one moment has in use, by size and by origin",
    .of = SW_VIEW_OF_MOMENTS,
    .scrolls = SW_SCROLLS_TEXT,
    .build = sizes_build,
};
