#include "export/terminal/parcel.h"
#include "base/base.h"

/* ---- in ---- */

static void pack_word(struct sw_sink *sink, uint64_t word) {
    sw_sink_add(sink, &word, sizeof word);
}

static void pack_figure(struct sw_sink *sink, double figure) {
    sw_sink_add(sink, &figure, sizeof figure);
}

/* With its NUL; a NULL has the length 0. */
static void pack_string(struct sw_sink *sink, const char *text) {
    size_t length = text ? strlen(text) + 1 : 0;
    pack_word(sink, length);
    sw_sink_add(sink, text ? text : "", length);
}

static void pack_mark(struct sw_sink *sink, const struct sw_mark *mark) {
    size_t labels = 0;
    while (mark->labels && mark->labels[labels]) {
        labels++;
    }
    const uint8_t look[] = {mark->kind, mark->style, mark->hue, mark->pattern, mark->peak};
    sw_sink_add(sink, look, sizeof look);
    const double at[] = {mark->x0, mark->y0, mark->x1, mark->y1};
    sw_sink_add(sink, at, sizeof at);
    pack_word(sink, mark->item.kind);
    pack_word(sink, mark->item.id);
    pack_word(sink, mark->labels ? labels + 1 : 0);
    for (size_t i = 0; i < labels; i++) {
        pack_string(sink, mark->labels[i]);
    }
}

static void pack_axis(struct sw_sink *sink, const struct sw_axis *axis) {
    pack_figure(sink, axis->lo);
    pack_figure(sink, axis->hi);
    pack_string(sink, axis->title);
    pack_word(sink, axis->ticks.count);
    for (size_t i = 0; i < axis->ticks.count; i++) {
        pack_figure(sink, axis->ticks.items[i].at);
        pack_string(sink, axis->ticks.items[i].label);
    }
}

void sw_parcel_add(struct sw_sink *sink, const struct sw_scene *scene) {
    const double size[] = {scene->width, scene->height};
    sw_sink_add(sink, size, sizeof size);
    pack_word(sink, scene->units);
    pack_word(sink, scene->panels.count);
    for (size_t i = 0; i < scene->panels.count; i++) {
        const struct sw_panel *panel = &scene->panels.items[i];
        const double place[] = {panel->left,      panel->top,      panel->width,      panel->height,
                                panel->body_left, panel->body_top, panel->body_width, panel->body_height};
        sw_sink_add(sink, place, sizeof place);
        pack_word(sink, panel->tier);
        pack_string(sink, panel->title);
        pack_axis(sink, &panel->x);
        pack_axis(sink, &panel->y);
        pack_word(sink, panel->marks.count);
        for (size_t k = 0; k < panel->marks.count; k++) {
            pack_mark(sink, &panel->marks.items[k]);
        }
    }
}

/* ---- out ---- */

static void unpack(const char **at, void *into, size_t length) {
    memcpy(into, *at, length);
    *at += length;
}

static uint64_t unpack_word(const char **at) {
    uint64_t word;
    unpack(at, &word, sizeof word);
    return word;
}

static double unpack_figure(const char **at) {
    double figure;
    unpack(at, &figure, sizeof figure);
    return figure;
}

/* It stays in the parcel. */
static const char *unpack_string(const char **at) {
    size_t length = unpack_word(at);
    const char *text = length ? *at : NULL;
    *at += length;
    return text;
}

static void unpack_mark(const char **at, struct sw_scene *scene, struct sw_panel *panel) {
    struct sw_mark mark = {0};
    uint8_t look[5];
    double place[4];
    unpack(at, look, sizeof look);
    unpack(at, place, sizeof place);
    mark.kind = look[0];
    mark.style = look[1];
    mark.hue = look[2];
    mark.pattern = look[3];
    mark.peak = look[4];
    mark.x0 = place[0];
    mark.y0 = place[1];
    mark.x1 = place[2];
    mark.y1 = place[3];
    mark.item.kind = (enum sw_item_kind)unpack_word(at);
    mark.item.id = unpack_word(at);
    size_t labels = unpack_word(at);
    const char **list = labels ? SW_NEW_IN(&scene->arena, const char *, labels) : NULL;
    scene->failed |= labels && !list;
    for (size_t i = 0; i + 1 < labels; i++) {
        const char *label = unpack_string(at);
        if (list) {
            list[i] = label;
        }
    }
    if (list) {
        list[labels - 1] = NULL;
    }
    mark.labels = list;
    sw_panel_mark(scene, panel, mark);
}

static void unpack_axis(const char **at, struct sw_scene *scene, struct sw_axis *axis) {
    axis->lo = unpack_figure(at);
    axis->hi = unpack_figure(at);
    axis->title = unpack_string(at);
    for (size_t i = unpack_word(at); i > 0; i--) {
        struct sw_tick tick = {.at = unpack_figure(at)};
        tick.label = unpack_string(at);
        scene->failed |= !SW_PUSH(&axis->ticks, tick);
    }
}

bool sw_parcel_read(const char **at, struct sw_scene *scene) {
    double size[2], place[8];
    unpack(at, size, sizeof size);
    scene->width = size[0];
    scene->height = size[1];
    scene->units = (enum sw_units)unpack_word(at);
    for (size_t i = unpack_word(at); i > 0 && !scene->failed; i--) {
        struct sw_panel *panel = sw_scene_panel(scene, SW_PANEL_PLOT, "");
        unpack(at, place, sizeof place);
        panel->left = place[0];
        panel->top = place[1];
        panel->width = place[2];
        panel->height = place[3];
        panel->body_left = place[4];
        panel->body_top = place[5];
        panel->body_width = place[6];
        panel->body_height = place[7];
        panel->tier = (uint32_t)unpack_word(at);
        panel->title = unpack_string(at);
        unpack_axis(at, scene, &panel->x);
        unpack_axis(at, scene, &panel->y);
        for (size_t k = unpack_word(at); k > 0 && !scene->failed; k--) {
            unpack_mark(at, scene, panel);
        }
    }
    return !scene->failed;
}
