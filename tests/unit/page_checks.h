/* What is wrong with a page: texts that meet, leave it or are cut, a legend of what does not occur, blocks outside
 * their axes. A page is looked at as a drawing whose texts have their places. */
#ifndef SW_UNIT_PAGE_CHECKS_H
#define SW_UNIT_PAGE_CHECKS_H

#include "unit/view.h"

#include "export/drawing.h"

#include <string.h>

/* Many things can be wrong at once: all are counted, and of a picture the first few are told. */
enum { TOLD_OF_ONE = 6 };
struct complaints {
    unsigned count, of_this; /* of the picture that is looked at */
    size_t used;
    char text[1 << 16];
};
static struct complaints own_complaints, *complaints = &own_complaints;
static char looked_at[400]; /* the page, for messages */

__attribute__((format(printf, 1, 2))) static inline void complain(const char *format, ...) {
    char what[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    complaints->count++;
    if (complaints->of_this++ >= TOLD_OF_ONE) {
        return;
    }
    size_t room = sizeof complaints->text - complaints->used;
    int length = snprintf(complaints->text + complaints->used, room, "%s: %s\n", looked_at, what);
    complaints->used += length > 0 && (size_t)length < room ? (size_t)length : 0;
}

static inline void no_complaints(void) {
    printf("%.*s", (int)complaints->used, complaints->text);
    unsigned count = complaints->count;
    complaints->count = 0;
    complaints->used = 0;
    assert_int_equal(count, 0);
}

static inline bool meet(const struct sw_placed_text *text, double left, double top, double right, double bottom) {
    return text->left < right && left < text->left + text->width && text->top < bottom &&
           top < text->top + text->height;
}

static inline void check_boxes(const struct sw_drawing *drawing) {
    const struct sw_placed_text *texts = drawing->texts.items;
    for (size_t i = 0; i < drawing->texts.count; i++) {
        const struct sw_placed_text *a = &texts[i];
        if (a->left < 0 || a->top < 0 || a->left + a->width > drawing->scene->width ||
            a->top + a->height > drawing->scene->height) {
            complain("'%s' leaves the page", a->text);
        }
        for (size_t k = i + 1; k < drawing->texts.count; k++) {
            const struct sw_placed_text *b = &texts[k];
            if (meet(a, b->left, b->top, b->left + b->width, b->top + b->height)) {
                complain("'%s' meets '%s'", a->text, b->text);
            }
        }
    }
}

static inline bool has_axes(const struct sw_panel *panel) {
    return panel->kind == SW_PANEL_PLOT && (panel->x.title || panel->y.title || panel->y.ticks.count);
}

static inline void check_axes(const struct sw_drawing *drawing) {
    for (size_t p = 0; p < drawing->scene->panels.count; p++) {
        const struct sw_panel *panel = &drawing->scene->panels.items[p];
        double left = panel->body_left, right = left + panel->body_width;
        double top = panel->body_top, bottom = top + panel->body_height;
        for (size_t i = 0; has_axes(panel) && i < drawing->texts.count; i++) {
            const struct sw_placed_text *text = &drawing->texts.items[i];
            if (meet(text, left, top, left, bottom) || meet(text, left, bottom, right, bottom)) {
                complain("'%s' lies on an axis of %s", text->text, panel->id);
            }
        }
    }
}

static inline const struct sw_placed_text *placed(const struct sw_drawing *drawing, const char *text) {
    for (size_t i = 0; i < drawing->texts.count; i++) {
        if (drawing->texts.items[i].text == text) {
            return &drawing->texts.items[i];
        }
    }
    return NULL;
}

static inline bool is_map(const char *id) {
    return !strcmp(id, "map") || !strcmp(id, "old") || !strcmp(id, "new");
}

/* What became of a block of two layouts is told by its frame; where it has no room for one, by its hatching; and what
 * stayed is faint. */
static inline bool shows_change(const struct sw_mark *mark, const struct sw_legend_entry *entry) {
    return mark->style == SW_STYLE_BLOCK && entry->style != SW_STYLE_BLOCK &&
           (entry->pattern ? mark->pattern == entry->pattern : mark->faint && entry->style == SW_STYLE_MERGED);
}

/* Where a color and a pattern say two things an entry tells one of them; in strips a color is any strip's. Lines have
 * no hatching. An area of blocks that are too small has the color of most of them. */
static inline bool shows(const struct sw_panel *panel, const struct sw_mark *mark,
                         const struct sw_legend_entry *entry) {
    bool bands = !strcmp(panel->id, "segments"), map = is_map(panel->id);
    bool strips = !strcmp(panel->id, "strips");
    bool alike = mark->kind == SW_MARK_LINE || mark->pattern == entry->pattern;
    bool colored = mark->hue % SW_BASES == entry->hue % SW_BASES; /* of any tone */
    if (map && mark->item.kind == SW_ITEM_MERGED && entry->style == SW_STYLE_BLOCK) {
        return mark->hue == entry->hue + 1;
    }
    return (strcmp(panel->id, "map") && map && shows_change(mark, entry)) ||
           (mark->style == entry->style &&
            (mark->style != SW_STYLE_BLOCK || bands || (map && (alike || colored)) || (alike && (colored || strips))));
}

static inline void check_legend(const struct sw_drawing *drawing) {
    const struct sw_scene *scene = drawing->scene;
    for (size_t e = 0; e < scene->legend.count; e++) {
        const struct sw_legend_entry *entry = &scene->legend.items[e];
        bool found = false;
        for (size_t p = 0; p < scene->panels.count; p++) {
            const struct sw_panel *panel = &scene->panels.items[p];
            for (size_t i = 0; i < panel->marks.count && !found; i++) {
                found = shows(panel, &panel->marks.items[i], entry);
            }
        }
        if (!found) {
            complain("the legend names '%s', which does not occur", entry->text);
        }
        if (!placed(drawing, entry->text)) {
            complain("the legend's '%s' has no place", entry->text);
        }
    }
    for (size_t i = 0; i < sw_scene_caption_lines(scene); i++) {
        if (!placed(drawing, scene->caption.items[i])) {
            complain("the caption's '%s' has no place", scene->caption.items[i]);
        }
    }
}

static inline void check_ticks(const struct sw_drawing *drawing, const struct sw_panel *panel,
                               const struct sw_axis *axis) {
    for (size_t i = 0; i < axis->ticks.count; i++) {
        const struct sw_tick *tick = &axis->ticks.items[i];
        if (*tick->label && tick->at >= axis->lo && tick->at <= axis->hi && !placed(drawing, tick->label)) {
            complain("the tick '%s' of %s has no place", tick->label, panel->id);
        }
    }
}

/* Nothing is dropped. */
static inline void check_complete(const struct sw_drawing *drawing) {
    for (size_t p = 0; p < drawing->scene->panels.count; p++) {
        const struct sw_panel *panel = &drawing->scene->panels.items[p];
        check_ticks(drawing, panel, &panel->x);
        check_ticks(drawing, panel, &panel->y);
        if (panel->title && *panel->title && !placed(drawing, panel->title)) {
            complain("the title '%s' has no place", panel->title);
        }
        for (size_t r = 0; r < panel->rows.count; r++) {
            const struct sw_row *row = &panel->rows.items[r];
            for (uint32_t c = 0; c < row->count; c++) {
                const char *text = panel->texts.items[row->first + c].text;
                if (*text && !placed(drawing, text)) {
                    complain("the cell '%s' of %s has no place", text, panel->id);
                }
            }
        }
    }
}

/* It is there, and no end of it is lost. */
static inline void check_whole(const struct sw_drawing *drawing, const char *text, const char *what) {
    const struct sw_placed_text *there = placed(drawing, text);
    if (!there || there->room > 0) {
        complain("%s '%s' %s", what, text, there ? "is cut" : "has no place");
    }
}

/* A long name, which comes with the model, or a line with one. */
static inline bool has_long_name(const char *text) {
    enum { LONG_NAME = 20 };
    size_t longest = 0;
    for (const char *at = text; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        longest = length > longest ? length : longest;
        at += length;
    }
    return longest >= LONG_NAME;
}

/* No text of the page is cut but for the sake of a long name. */
static inline void check_uncut(struct sw_drawing *drawing) {
    for (size_t i = 0; i < drawing->texts.count; i++) {
        const struct sw_placed_text *text = &drawing->texts.items[i];
        if (text->room > 0 && !text->note && !has_long_name(text->text)) {
            complain("'%s' is cut to '%s'", text->text, sw_drawing_cut(drawing, text));
        }
    }
}

static inline bool inside(double low, double high, double from, double to) {
    const double slack = 0.01;
    return low >= from - slack && high <= to + slack && low <= high;
}

static inline bool in_plot(const struct sw_panel *panel, const struct sw_mark *mark) {
    double wide = 1e-9 * (panel->x.hi - panel->x.lo), high = 1e-9 * (panel->y.hi - panel->y.lo);
    return mark->x0 >= panel->x.lo - wide && mark->x1 <= panel->x.hi + wide && mark->y0 >= panel->y.lo - high &&
           mark->y1 <= panel->y.hi + high;
}

/* Panels lie on the page and plots in their panels; blocks lie in their plots, unless a part is shown. */
static inline void check_panels(const struct sw_drawing *drawing, bool part) {
    const struct sw_scene *scene = drawing->scene;
    for (size_t p = 0; p < scene->panels.count; p++) {
        const struct sw_panel *panel = &scene->panels.items[p];
        double right = panel->left + panel->width, bottom = panel->top + panel->height;
        if (!panel->marks.count && !panel->rows.count) {
            continue;
        }
        if (!inside(panel->left, right, 0, scene->width) || !inside(panel->top, bottom, 0, scene->height)) {
            complain("panel %s leaves the page: %g to %g, %g to %g", panel->id, panel->left, right, panel->top, bottom);
        }
        if (panel->kind != SW_PANEL_PLOT) {
            continue;
        }
        if (!inside(panel->body_left, panel->body_left + panel->body_width, panel->left, right) ||
            !inside(panel->body_top, panel->body_top + panel->body_height, panel->top, bottom)) {
            complain("the plot of %s leaves its panel", panel->id);
        }
        for (size_t i = 0; i < panel->marks.count && !part; i++) {
            const struct sw_mark *mark = &panel->marks.items[i];
            if (mark->kind == SW_MARK_RECT && mark->style == SW_STYLE_BLOCK && !in_plot(panel, mark)) {
                complain("block '%s' leaves the plot of %s", mark->labels ? *mark->labels : "", panel->id);
                break;
            }
        }
    }
}

/* No plot lies on another, but the transfers between tiers on these. */
static inline void check_apart(const struct sw_drawing *drawing) {
    const struct sw_scene *scene = drawing->scene;
    for (size_t p = 0; p < scene->panels.count; p++) {
        const struct sw_panel *a = &scene->panels.items[p];
        for (size_t q = p + 1; a->kind == SW_PANEL_PLOT && q < scene->panels.count; q++) {
            const struct sw_panel *b = &scene->panels.items[q];
            if (b->kind == SW_PANEL_PLOT && strcmp(b->id, "transfers") != 0 &&
                a->body_left + 1 < b->body_left + b->body_width && b->body_left + 1 < a->body_left + a->body_width &&
                a->body_top + 1 < b->body_top + b->body_height && b->body_top + 1 < a->body_top + a->body_height) {
                complain("the plot of %s lies on that of %s", a->id, b->id);
            }
        }
    }
}

/* There is something to see. */
static inline void check_filled(const struct sw_drawing *drawing) {
    size_t things = 0;
    for (size_t p = 0; p < drawing->scene->panels.count; p++) {
        things += drawing->scene->panels.items[p].marks.count + drawing->scene->panels.items[p].rows.count;
    }
    if (!things || !drawing->texts.count) {
        complain("the page is empty");
    }
}

#endif
