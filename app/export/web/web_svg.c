/* A scene as SVG inside a page: blocks as groups, everything else as paths, colors as variables of two themes. */
#include "export/web/web.h"
#include "base/base.h"
#include "view/pages/page.h"

/* ---- looks ---- */

static const char *web_keep(struct sw_web *web, const char *text) {
    char *copy = text ? sw_arena_string(&web->arena, text, strlen(text)) : NULL;
    web->failed |= !copy;
    return copy ? copy : "";
}

static bool same_color(struct sw_color a, struct sw_color b) {
    return a.red == b.red && a.green == b.green && a.blue == b.blue;
}

/* The number of the color's variable. The first drawing only tells its colors, in the order in which the second meets
 * them again. */
static size_t find_ink(struct sw_web *web, struct sw_color color) {
    if (!web->second) {
        web->failed |= !SW_PUSH(&web->seen, color);
        return 0;
    }
    web->failed |= web->used >= web->seen.count;
    struct sw_color dark = web->failed ? color : web->seen.items[web->used++];
    for (size_t i = 0; i < web->inks.count; i++) {
        if (same_color(web->inks.items[i].light, color) && same_color(web->inks.items[i].dark, dark)) {
            return i;
        }
    }
    web->failed |= !SW_PUSH(&web->inks, ((struct web_ink){color, dark}));
    return web->inks.count ? web->inks.count - 1 : 0;
}

/* The look with the rule in the scratch sink, from 1. */
static uint32_t find_web_look(struct sw_web *web) {
    const char *rule = sw_sink_ended(&web->rule);
    if (!web->second) {
        return 0;
    }
    for (size_t i = 0; rule && i < web->looks.count; i++) {
        if (!strcmp(web->looks.items[i].rule, rule)) {
            return (uint32_t)i + 1;
        }
    }
    struct web_look look = {(char *)web_keep(web, rule)};
    web->failed |= web->failed || !SW_PUSH(&web->looks, look);
    return (uint32_t)web->looks.count;
}

static void begin_rule(struct sw_web *web, const char *property, struct sw_color color) {
    web->rule.text.count = 0;
    sw_sink_printf(&web->rule, "%s:var(--c%zu)", property, find_ink(web, color));
}

static uint32_t look_of_path(struct sw_web *web, cairo_t *cairo, bool stroke) {
    struct sw_svg_paint paint = sw_svg_paint_of(cairo, stroke);
    begin_rule(web, stroke ? "stroke" : "fill", paint.color);
    if (paint.alpha < 1) {
        sw_sink_printf(&web->rule, ";%s-opacity:%.3g", stroke ? "stroke" : "fill", paint.alpha);
    }
    if (stroke) {
        sw_sink_printf(&web->rule, ";stroke-width:%.3g", paint.width);
    }
    for (int i = 0; i < paint.dash_count; i++) {
        sw_sink_printf(&web->rule, "%s%.3g", i ? " " : ";stroke-dasharray:", paint.dashes[i]);
    }
    return find_web_look(web);
}

/* "told ": of an entry of the legend that says what a color of blocks means, which is so while they have it. */
static const char *class_of_entry(const struct sw_legend_entry *entry) {
    return entry && entry->style == SW_STYLE_BLOCK && !entry->line && entry->hue < SW_HUE_NEUTRAL ? "told " : "";
}

/* ---- paths ---- */

/* "M10 20H30z" in the scratch sink; NULL: nothing is to be seen. */
static const char *web_path_of(struct sw_web *web, cairo_t *cairo) {
    cairo_path_t *path = sw_late.cairo_copy_path(cairo);
    struct sw_svg_pen pen = {0};
    web->path.text.count = 0;
    web->failed |= path->status != CAIRO_STATUS_SUCCESS;
    for (int i = 0; path->status == CAIRO_STATUS_SUCCESS && i < path->num_data; i += path->data[i].header.length) {
        const cairo_path_data_t *data = &path->data[i];
        bool last = i + data->header.length >= path->num_data;
        if (data->header.type == CAIRO_PATH_CLOSE_PATH) {
            sw_sink_printf(&web->path, "z");
        } else if (data->header.type != CAIRO_PATH_MOVE_TO || !last) { /* cairo ends closed paths with a move */
            sw_svg_point(&web->path, &pen, data);
        }
    }
    sw_late.cairo_path_destroy(path);
    web->failed |= web->path.failed;
    return pen.points > 1 ? sw_sink_ended(&web->path) : NULL;
}

static void put_web_path(struct sw_web *web, const char *path, const char *classes, uint32_t look, uint32_t other) {
    sw_sink_printf(&web->body, "<path class=\"%sk%u", classes, look);
    if (other) {
        sw_sink_printf(&web->body, " k%u", other);
    }
    sw_sink_printf(&web->body, "\" d=\"");
    sw_sink_add(&web->body, path, strlen(path));
    sw_sink_printf(&web->body, "\"/>");
}

/* ---- blocks ---- */

static size_t panel_number(const struct sw_web *web, const struct sw_panel *panel) {
    return (size_t)(panel - web->scene->panels.items);
}

/* What the mark is, for pointers, as attributes and a title. */
static void put_identity(struct sw_web *web, const struct sw_panel *panel, const struct sw_mark *mark) {
    const char *told = sw_web_tell(&web->words, panel, mark);
    if (mark->item.kind == SW_ITEM_BUFFER) {
        sw_sink_printf(&web->body, " data-b=\"%llu\"", (unsigned long long)mark->item.id);
    } else if (mark->item.kind == SW_ITEM_PIECE) {
        sw_sink_printf(&web->body, " data-q=\"%llu\"", (unsigned long long)mark->item.id);
    }
    sw_sink_printf(&web->body, "><title>");
    sw_sink_xml(&web->body, told, strlen(told));
    sw_sink_printf(&web->body, "</title>");
}

static void put_web_block(struct sw_web *web, const struct sw_panel *panel, const struct sw_mark *mark,
                          const struct web_block *block) {
    if (!block->path) {
        return;
    }
    sw_sink_printf(&web->body, "<g");
    if (mark->style == SW_STYLE_CURRENT) {
        sw_sink_printf(&web->body, " data-h=\"%u\"", mark->hue);
    }
    put_identity(web, panel, mark);
    put_web_path(web, block->path, "f ", block->fill, block->line);
    if (block->hatch) {
        put_web_path(web, block->hatch, "", block->hatched, 0);
    }
    sw_sink_printf(&web->body, "</g>\n");
}

/* Areas without a group of their own that stand for something: bars, merged cells. */
static void put_hits(struct sw_web *web, const struct sw_panel *panel) {
    struct sw_area area;
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        if (!web->blocks.items[i].path && sw_web_points(mark) && sw_drawing_area(panel, mark, &area)) {
            sw_sink_printf(&web->body, "<g");
            if (mark->item.kind == SW_ITEM_MERGED) {
                sw_sink_printf(&web->body, " class=\"ap ap%zu\"", panel_number(web, panel));
            }
            put_identity(web, panel, mark);
            sw_sink_printf(&web->body, "<path class=\"h\" d=\"M%g %gH%gV%gH%gz\"/></g>\n", area.left, area.top,
                           area.right, area.bottom, area.left);
        }
    }
}

static void end_blocks(struct sw_web *web) {
    const struct sw_panel *panel = web->panel;
    web->panel = NULL;
    if (!panel || web->failed) {
        return;
    }
    sw_sink_printf(&web->body, "<g class=\"blocks\" data-p=\"%zu\">\n", panel_number(web, panel));
    for (size_t i = 0; i < panel->marks.count; i++) {
        put_web_block(web, panel, &panel->marks.items[i], &web->blocks.items[i]);
    }
    put_hits(web, panel);
    sw_sink_printf(&web->body, "</g>\n");
}

/* The panel that is drawn from here on, and its place on the page for the script. */
static void begin_blocks(struct sw_web *web, const struct sw_panel *panel) {
    struct sw_sink *out = &web->panels;
    web->panel = panel;
    web->blocks.count = 0;
    for (size_t i = 0; i < panel->marks.count; i++) {
        web->failed |= !SW_PUSH(&web->blocks, (struct web_block){0});
    }
    uint32_t run = panel->about ? sw_web_run(&web->runs, panel->about) : SW_NONE;
    web->failed |= panel->about && run == SW_NONE;
    sw_sink_printf(out, "%s[%u,%zu,%d,%d,%llu", out->text.count ? "," : "", web->pages, panel_number(web, panel),
                   run == SW_NONE ? -1 : (int)run,
                   panel->tier == SW_NONE || !panel->timed || !panel->steps ? -1 : (int)panel->tier,
                   panel->about ? (unsigned long long)sw_search_at(panel->about) : 0ull);
    const double figures[] = {panel->body_left, panel->body_width,  panel->x.lo, panel->x.hi,
                              panel->body_top,  panel->body_height, panel->y.lo, panel->y.hi};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        sw_sink_printf(out, ",");
        sw_sink_number(out, figures[i]);
    }
    bool side = strcmp(panel->id, "old") == 0 || strcmp(panel->id, "new") == 0;
    sw_sink_printf(out, ",\"%s\",%d]", side ? panel->id : "", panel->raw_time);
}

static void catch_block(struct sw_web *web, struct sw_drawing *drawing, bool stroke, const char *path, uint32_t look) {
    struct web_block *block = &web->blocks.items[drawing->mark - drawing->panel->marks.items];
    if (!stroke) {
        block->path = (char *)web_keep(web, path);
        block->fill = look;
    } else if (block->path && !strcmp(block->path, path)) {
        block->line = look;
    } else {
        block->hatch = (char *)web_keep(web, path);
        block->hatched = look;
    }
}

static void catch_web_path(void *tracer, struct sw_drawing *drawing, bool stroke) {
    struct sw_web *web = tracer;
    const char *path = web_path_of(web, drawing->cairo);
    if (!path || web->failed) {
        return;
    }
    uint32_t look = look_of_path(web, drawing->cairo, stroke);
    if (!web->second || web->failed) {
        return;
    }
    if (drawing->mark && web->panel != drawing->panel) {
        end_blocks(web);
        begin_blocks(web, drawing->panel);
    }
    if (drawing->mark && web->failed) {
        return;
    }
    if (drawing->mark) {
        catch_block(web, drawing, stroke, path, look);
        return;
    }
    end_blocks(web);
    char at[40] = "at ";
    if (drawing->momentary && drawing->panel) { /* of the run that this panel shows, and of no other */
        snprintf(at, sizeof at, "ap ap%zu ", panel_number(web, drawing->panel));
    }
    put_web_path(web, path, drawing->momentary ? at : class_of_entry(drawing->entry), look, 0);
    sw_sink_printf(&web->body, "\n");
}

/* ---- texts ---- */

static void catch_web_text(void *tracer, struct sw_drawing *drawing, const struct sw_placed_text *text) {
    struct sw_web *web = tracer;
    bool at = text->note || text->beside || (text->mark && text->mark->item.kind == SW_ITEM_NONE);
    bool gap = text->mark && text->mark->style == SW_STYLE_GAP && text->panel; /* it goes with what it names */
    char attributes[160], of[80] = "", gone[40] = "at ";
    end_blocks(web);
    if (gap) {
        snprintf(gone, sizeof gone, "ap ap%zu ", panel_number(web, text->panel));
    }
    if (text->boxed || text->note) {
        begin_rule(web, "fill", text->ground);
        if (text->note) {
            sw_sink_printf(&web->rule, ";stroke-width:.9;stroke:var(--c%zu)",
                           find_ink(web, sw_drawing_ink(drawing, SW_STYLE_STRONG)));
        } else {
            sw_sink_printf(&web->rule, ";fill-opacity:.88");
        }
    }
    uint32_t box = text->boxed || text->note ? find_web_look(web) : 0;
    if (text->mark && text->mark->item.kind == SW_ITEM_BUFFER) {
        snprintf(of, sizeof of, " data-b=\"%llu\" data-p=\"%zu\"", (unsigned long long)text->mark->item.id,
                 panel_number(web, text->panel));
    }
    if (box && web->second) {
        sw_svg_box(&web->body, text);
        sw_sink_printf(&web->body, " class=\"%sk%u\"%s/>", gap || at ? gone : "", box, of);
    }
    begin_rule(web, "fill", text->color);
    sw_sink_printf(&web->rule, ";font-size:%.3gpx%s", text->size, text->bold ? ";font-weight:bold" : "");
    snprintf(attributes, sizeof attributes, " class=\"%sk%u\"%s", gap || at ? gone : class_of_entry(text->entry),
             find_web_look(web), of);
    if (web->second) {
        sw_svg_text(&web->body, drawing, text, attributes);
        sw_sink_printf(&web->body, "\n");
    }
}

/* ---- tables ---- */

/* Rows that stand for something are pointed at like blocks. */
static void put_row_hits(struct sw_web *web, const struct sw_panel *panel) {
    double top = panel->top + (panel->title && *panel->title ? SW_PAGE_ROW : 0);
    const struct sw_search *about = panel->about ? panel->about : web->scene->about;
    uint32_t run = about ? sw_web_run(&web->runs, about) : SW_NONE;
    size_t number = (size_t)(panel - web->scene->panels.items);
    if (run == SW_NONE) {
        web->failed |= about != NULL;
        return;
    }
    sw_sink_printf(&web->panels, "%s[%u,%zu,%u,-1,%llu]", web->panels.text.count ? "," : "", web->pages, number, run,
                   (unsigned long long)sw_search_at(about));
    sw_sink_printf(&web->body, "<g class=\"blocks\" data-p=\"%zu\">\n", number);
    for (size_t r = 0; r < panel->rows.count; r++) {
        struct sw_item item = panel->rows.items[r].item;
        const char *letter = item.kind == SW_ITEM_BUFFER     ? "b"
                             : item.kind == SW_ITEM_DECISION ? "d"
                             : item.kind == SW_ITEM_PIECE    ? "q"
                                                             : NULL;
        double row = top + SW_PAGE_ROW * (double)r;
        if (letter) {
            sw_sink_printf(&web->body, "<g data-%s=\"%llu\"><path class=\"h\" d=\"M%g %gH%gV%gH%gz\"/></g>\n", letter,
                           (unsigned long long)item.id, panel->left, row, panel->left + panel->width, row + SW_PAGE_ROW,
                           panel->left);
        }
    }
    sw_sink_printf(&web->body, "</g>\n");
}

/* ---- the page ---- */

static bool draw_once(struct sw_web *web, const struct sw_scene *scene, const struct sw_theme *theme) {
    struct sw_drawing drawing;
    cairo_surface_t *surface = sw_late.cairo_image_surface_create(CAIRO_FORMAT_RGB24, 8, 8);
    cairo_t *cairo = sw_late.cairo_create(surface);
    bool good = sw_drawing_open(&drawing, scene, theme, cairo);
    if (good) {
        const char *family = sw_late.pango_font_description_get_family(drawing.font);
        web->family = web->family ? web->family : (char *)web_keep(web, family ? family : "sans-serif");
        drawing.trace = catch_web_path;
        drawing.trace_text = catch_web_text;
        drawing.tracer = web;
        drawing.apart = true;
        sw_drawing_plan(&drawing);
        sw_drawing_draw(&drawing);
        good = !drawing.failed;
    }
    good = good && sw_late.cairo_status(cairo) == CAIRO_STATUS_SUCCESS;
    sw_drawing_close(&drawing);
    sw_late.cairo_destroy(cairo);
    sw_late.cairo_surface_destroy(surface);
    return good && !web->failed;
}

bool sw_web_draw(struct sw_web *web, const struct sw_scene *scene, struct sw_error *error) {
    struct sw_sink text = {0};
    const char *title = sw_picture_title(scene), *description = sw_picture_describe(scene, &text);
    web->scene = scene;
    web->panel = NULL;
    web->words.units = scene->units;
    web->words.joins = true;
    web->units = scene->units;
    web->coloring = scene->coloring ? scene->coloring : web->coloring;
    web->base = scene->base;
    web->seen.count = web->used = 0;
    web->second = false;
    bool good = draw_once(web, scene, &web->dark);
    web->second = true;
    sw_sink_printf(&web->body, "<svg id=\"s%u\" viewBox=\"0 0 %g %g\" role=\"img\" aria-label=\"", web->pages,
                   scene->width, scene->height);
    sw_sink_xml(&web->body, title, strlen(title));
    sw_sink_printf(&web->body, "\">\n<desc>");
    sw_sink_xml(&web->body, description, strlen(description));
    sw_sink_printf(&web->body, "</desc>\n");
    good = good && !text.failed && draw_once(web, scene, &web->light);
    end_blocks(web);
    for (size_t i = 0; i < scene->panels.count; i++) {
        if (scene->panels.items[i].kind == SW_PANEL_TABLE) {
            put_row_hits(web, &scene->panels.items[i]);
        }
    }
    sw_sink_printf(&web->body, "</svg>\n");
    sw_sink_done(&text);
    web->failed |= web->words.failed || web->body.failed || web->panels.failed;
    sw_scene_clear(&web->words);
    return (good && !web->failed && web->used == web->seen.count) || sw_fail_memory(error);
}
