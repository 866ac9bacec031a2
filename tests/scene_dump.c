/* A scene as text, one mark or row a line: what tests compare. */
#include "scene_dump.h"
#include "formats/format.h"

static const char *const mark_words[] = {"rect", "frame", "line", "bar", "arrow", "text", "point", "band"};
static const char *const item_words[] = {"none",     "buffer", "operator", "candidate",
                                         "decision", "step",   "merged",   "branch"};

static void dump_item(struct sw_sink *sink, struct sw_item item) {
    if (item.kind != SW_ITEM_NONE) {
        sw_sink_printf(sink, " %s:%llu", item_words[item.kind], (unsigned long long)item.id);
    }
}

static void dump_axis(struct sw_sink *sink, const char *name, const struct sw_axis *axis) {
    sw_sink_printf(sink, "  %s %.12g..%.12g", name, axis->lo, axis->hi);
    if (axis->title) {
        sw_sink_printf(sink, " ");
        sw_sink_json(sink, axis->title);
    }
    for (size_t i = 0; i < axis->ticks.count; i++) {
        sw_sink_printf(sink, " %.12g=%s", axis->ticks.items[i].at, axis->ticks.items[i].label);
    }
    sw_sink_printf(sink, "\n");
}

static void dump_mark(struct sw_sink *sink, const struct sw_mark *mark) {
    sw_sink_printf(sink, "  %s %s", mark_words[mark->kind], sw_style_name(mark->style));
    if (mark->style == SW_STYLE_BLOCK || mark->style == SW_STYLE_CURRENT) {
        sw_sink_printf(sink, "/%u", mark->hue);
    }
    if (mark->pattern) {
        sw_sink_printf(sink, " pattern %u", mark->pattern);
    }
    if (mark->under) {
        sw_sink_printf(sink, " under %u", mark->under);
    }
    sw_sink_printf(sink, " %.12g,%.12g %.12g,%.12g", mark->x0, mark->y0, mark->x1, mark->y1);
    dump_item(sink, mark->item);
    for (size_t i = 0; mark->labels && mark->labels[i]; i++) {
        sw_sink_printf(sink, i ? "|" : " ");
        sw_sink_printf(sink, "%s", mark->labels[i]);
    }
    sw_sink_printf(sink, "\n");
}

static void dump_row(struct sw_sink *sink, const struct sw_panel *panel, const struct sw_row *row) {
    sw_sink_printf(sink, row->current ? "  >" : "  -");
    for (uint32_t i = 0; i < row->count; i++) {
        const struct sw_text *cell = &panel->texts.items[row->first + i];
        sw_sink_printf(sink, " %s%s:", sw_style_name(cell->style), cell->right ? "/r" : "");
        sw_sink_json(sink, cell->text);
    }
    dump_item(sink, row->item);
    sw_sink_printf(sink, "\n");
}

static void dump_panel(struct sw_sink *sink, const struct sw_panel *panel) {
    bool plot = panel->kind == SW_PANEL_PLOT;
    sw_sink_printf(sink, "panel %s %s at %.12g,%.12g size %.12gx%.12g", panel->id, plot ? "plot" : "table", panel->left,
                   panel->top, panel->width, panel->height);
    if (panel->edges) {
        sw_sink_printf(sink, " edges %u", panel->edges);
    }
    if (panel->fill) {
        sw_sink_printf(sink, " fill %s", sw_style_name(panel->fill));
    }
    if (panel->title) {
        sw_sink_printf(sink, " ");
        sw_sink_json(sink, panel->title);
    }
    sw_sink_printf(sink, "\n");
    if (plot) {
        sw_sink_printf(sink, "  body at %.12g,%.12g size %.12gx%.12g\n", panel->body_left, panel->body_top,
                       panel->body_width, panel->body_height);
        dump_axis(sink, "x", &panel->x);
        dump_axis(sink, "y", &panel->y);
    }
    for (size_t i = 0; i < panel->marks.count; i++) {
        dump_mark(sink, &panel->marks.items[i]);
    }
    if (panel->hidden_above) {
        sw_sink_printf(sink, "  %llu above\n", (unsigned long long)panel->hidden_above);
    }
    for (size_t i = 0; i < panel->rows.count; i++) {
        dump_row(sink, panel, &panel->rows.items[i]);
    }
    if (panel->hidden_below) {
        sw_sink_printf(sink, "  %llu below\n", (unsigned long long)panel->hidden_below);
    }
}

static void dump_note(struct sw_sink *sink, const struct sw_scene_note *note) {
    sw_sink_printf(sink, "note");
    if (note->fixed) {
        sw_sink_printf(sink, " at %.12g,%.12g", note->x, note->y);
    }
    if (note->aims) {
        sw_sink_printf(sink, " %s %.12g,%.12g %.12g,%.12g", note->arrow ? "to" : "near", note->left, note->top,
                       note->right, note->bottom);
    }
    sw_sink_printf(sink, " ");
    sw_sink_json(sink, note->text);
    sw_sink_printf(sink, "\n");
}

void scene_dump(const struct sw_scene *scene, struct sw_sink *sink) {
    sw_sink_printf(sink, "scene %.12gx%.12g", scene->width, scene->height);
    if (scene->title) {
        sw_sink_printf(sink, " ");
        sw_sink_json(sink, scene->title);
    }
    if (scene->subtitle) {
        sw_sink_printf(sink, " ");
        sw_sink_json(sink, scene->subtitle);
        sw_sink_printf(sink, "%s", scene->warns ? " warns" : "");
    }
    sw_sink_printf(sink, scene->failed ? " failed\n" : "\n");
    for (size_t i = 0; i < scene->panels.count; i++) {
        dump_panel(sink, &scene->panels.items[i]);
    }
    for (size_t i = 0; i < scene->legend.count; i++) {
        const struct sw_legend_entry *entry = &scene->legend.items[i];
        sw_sink_printf(sink, "legend %s%s%s/%u pattern %u ", entry->line ? "line " : "",
                       entry->band ? "on a band " : "", sw_style_name(entry->style), entry->hue, entry->pattern);
        if (entry->shape) {
            sw_sink_printf(sink, "shape %u ", entry->shape - 1u);
        }
        sw_sink_json(sink, entry->text);
        sw_sink_printf(sink, "\n");
    }
    for (size_t i = 0; i < scene->caption.count; i++) {
        sw_sink_printf(sink, "caption ");
        sw_sink_json(sink, scene->caption.items[i]);
        sw_sink_printf(sink, "\n");
    }
    if (scene->number) {
        sw_sink_printf(sink, "number ");
        sw_sink_json(sink, scene->number);
        sw_sink_printf(sink, "\n");
    }
    for (size_t i = 0; i < scene->notes.count; i++) {
        dump_note(sink, &scene->notes.items[i]);
    }
}
