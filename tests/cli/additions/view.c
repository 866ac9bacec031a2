/* What a view is at the least: a panel with a row. */
#include "view/scene/lines.h"

static void template_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_lines lines = sw_lines_begin(in, scene, "template", "from the template", box, 1, 0);
    sw_lines_text(&lines, SW_STYLE_TEXT, "A view from the template of the tests.");
}

const struct sw_view sw_view_template = {
    .name = "template",
    .summary = "what the tests add",
    .build = template_build,
};
