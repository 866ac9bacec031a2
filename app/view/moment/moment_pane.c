/* One moment of an allocator in figures and sentences. */
#include "base/base.h"
#include "view/moment/moment_views.h"
#include "view/scene/lines.h"

static const char *about_bytes(struct sw_lines *lines, uint64_t bytes, uint64_t about) {
    return bytes == SW_UNTOLD ? ""
           : about > 0        ? sw_scene_printf(lines->scene, "about %s", sw_lines_bytes(lines, bytes))
                              : sw_scene_printf(lines->scene, "%s", SW_COUNT(bytes));
}

static void add_figures_beside(struct sw_lines *lines, const struct sw_moment *moment) {
    static const struct sw_lines_head heads[] = {
        {"bytes", false}, {"shown", true}, {"the text says", true}, {"", false}};
    struct sw_moment_sums sums;
    sw_moment_sum(moment, &sums);
    sw_lines_head_row(lines, heads, 4);
    for (enum sw_moment_figure figure = 0; figure < SW_MOMENT_FIGURES; figure++) {
        uint64_t told = sums.told[figure], shown = sums.shown[figure];
        if (told == SW_UNTOLD && sw_moment_repeats(&sums, figure)) {
            continue;
        }
        if ((shown == SW_UNTOLD || (shown == 0 && figure == SW_MOMENT_WAITING)) && told == SW_UNTOLD) {
            continue;
        }
        enum sw_style style = sums.differs[figure] ? SW_STYLE_WARNING : SW_STYLE_TEXT;
        sw_lines_row(lines, SW_NO_ITEM, false);
        sw_lines_cell(lines, style, false, sw_moment_figure_words(figure));
        sw_lines_cell(lines, style, true, about_bytes(lines, shown, 0));
        sw_lines_cell(lines, style, true, about_bytes(lines, told, sums.told_about[figure]));
        sw_lines_cell(lines, SW_STYLE_DIM, false, sums.differs[figure] ? "differs" : "");
    }
}

void sw_moment_add_lines(struct sw_lines *lines, struct sw_sink *text) {
    char *rest = sw_sink_ended(text);
    lines->scene->failed |= !rest;
    for (char *line; (line = strsep(&rest, "\n")) && (*line || rest);) {
        sw_lines_text(lines, SW_STYLE_TEXT, sw_scene_printf(lines->scene, "%s", line));
    }
    sw_sink_done(text);
}

/* Sentences below a heading; nothing where there are none. */
static void add_sentences(struct sw_lines *lines, const char *heading, const struct sw_moment *moment,
                          void put(const struct sw_moment *, struct sw_sink *)) {
    struct sw_sink text = {0};
    put(moment, &text);
    if (text.text.count > 0) {
        sw_lines_blank(lines);
        sw_lines_text(lines, SW_STYLE_STRONG, heading);
    }
    sw_moment_add_lines(lines, &text);
}

static void moment_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    const struct sw_moment *moment = sw_moment_on_view(in, scene, box);
    if (!moment) {
        return;
    }
    struct sw_lines lines =
        sw_lines_begin(in, scene, "moment", sw_scene_printf(scene, "this is %s", moment->what), box, 4, 3);
    sw_lines_flow(&lines);
    bool failed = moment->failure.size != SW_UNTOLD;
    /* In a low pane why it failed comes first. */
    bool low = failed && box.height < 16 * sw_medium(in)->row;
    if (!low) {
        add_figures_beside(&lines, moment);
    }
    add_sentences(&lines, "Why it failed", moment, sw_moment_put_why);
    add_sentences(&lines, "What would have made it fit", moment, sw_moment_put_ways);
    add_sentences(&lines, "What keeps memory", moment, sw_moment_put_keepers);
    add_sentences(&lines, "Where the text and what it shows differ", moment, sw_moment_put_doubts);
    if (low) {
        sw_lines_blank(&lines);
        add_figures_beside(&lines, moment);
    }
}

const struct sw_view sw_view_moment_pane = {
    .name = "moment",
    .summary = "one moment of an allocator: why it failed, what makes room",
    .of = SW_VIEW_OF_MOMENTS,
    .scrolls = SW_SCROLLS_TEXT,
    .build = moment_build,
};
