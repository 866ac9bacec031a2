/* The file: what is allowed in it, its style and script, the pictures, the data, and what is read without a script. */
#include "base/base.h"
#include "export/web/web.h"
#include "export/web_parts.inc"
#include "lua/theme_file.h"

#include <glib.h>

#define MOST_BYTES 6000000 /* of a page, unless its pictures alone are larger */
#define LEAST_DATA 500000  /* of them, for what is told */
enum { TABLE_ROWS = 100 }; /* that are read without a script */

static const char script_text[] = WEB_PAGE_JS;
static const char style_text[] = WEB_PAGE_CSS;

bool sw_web_open(struct sw_web *web, const struct sw_theme *theme, struct sw_error *error) {
    *web = (struct sw_web){0};
    if (!sw_theme_load("light", &web->light, error) || !sw_theme_load("dark", &web->dark, error)) {
        return false;
    }
    if (theme) {
        unsigned bright = 0u + theme->background.red + theme->background.green + theme->background.blue;
        bool dark = theme->background.set && bright < 3 * 128;
        web->chosen = true;
        web->starts_dark = dark;
        *(dark ? &web->dark : &web->light) = *theme;
    }
    return true;
}

void sw_web_close(struct sw_web *web) {
    SW_ARRAY_DONE(&web->inks, &web->looks, &web->seen, &web->blocks, &web->runs.items);
    sw_sink_done(&web->body);
    sw_sink_done(&web->panels);
    sw_sink_done(&web->path);
    sw_sink_done(&web->rule);
    sw_scene_done(&web->words);
    sw_arena_done(&web->arena);
}

bool sw_web_add(struct sw_web *web, const struct sw_scene *scene, struct sw_error *error) {
    if (!sw_picture_check(scene, error) || !sw_late_load(error)) {
        return false;
    }
    if (!web->title) {
        const char *title = sw_picture_title(scene);
        web->title = sw_arena_string(&web->arena, title, strlen(title));
        web->failed |= !web->title;
    }
    sw_sink_printf(&web->body, "<figure>");
    bool good = sw_web_draw(web, scene, error);
    sw_sink_printf(&web->body, "</figure>\n");
    web->pages++;
    return good;
}

/* ---- the style: what is fixed, and the colors of both themes ---- */

static void put_variable(struct sw_sink *sink, const char *name, size_t number, struct sw_color color) {
    sw_sink_printf(sink, "--%s%zu:#%02x%02x%02x;", name, number, color.red, color.green, color.blue);
}

static struct sw_color style_ink(const struct sw_theme *theme, enum sw_style style) {
    return theme->styles[style].foreground.set ? theme->styles[style].foreground : theme->foreground;
}

static void put_colors(const struct sw_web *web, bool dark, struct sw_sink *sink) {
    const struct sw_theme *theme = dark ? &web->dark : &web->light;
    const struct {
        const char *name;
        struct sw_color color;
    } named[] = {{"ground", theme->background},
                 {"ink", theme->foreground},
                 {"line", style_ink(theme, SW_STYLE_BORDER)},
                 {"strong", style_ink(theme, SW_STYLE_STRONG)},
                 {"mark", style_ink(theme, SW_STYLE_PEAK)},
                 {"name", theme->blocks[0].foreground.set ? theme->blocks[0].foreground : theme->foreground}};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        struct sw_color color = named[i].color;
        sw_sink_printf(sink, "--%s:#%02x%02x%02x;", named[i].name, color.red, color.green, color.blue);
    }
    for (size_t i = 0; i < SW_LOOKS; i++) {
        put_variable(sink, "h", i, theme->blocks[i].background);
    }
    for (size_t i = 0; i < web->inks.count; i++) {
        put_variable(sink, "c", i, dark ? web->inks.items[i].dark : web->inks.items[i].light);
    }
}

static void put_style(const struct sw_web *web, struct sw_sink *sink) {
    sw_sink_printf(sink, "\n:root{");
    put_colors(web, false, sink);
    sw_sink_printf(sink, "}\n@media screen and (prefers-color-scheme:dark){html:not([data-theme=\"light\"]){");
    put_colors(web, true, sink);
    sw_sink_printf(sink, "}}\n@media screen{html[data-theme=\"dark\"]{");
    put_colors(web, true, sink);
    sw_sink_printf(sink, "}}\n%ssvg text{font-family:\"%s\",sans-serif}\n", style_text,
                   web->family ? web->family : "sans-serif");
    for (size_t i = 0; i < web->looks.count; i++) {
        sw_sink_printf(sink, "svg .k%zu{%s}\n", i + 1, web->looks.items[i].rule);
    }
}

void sw_web_hash(struct sw_sink *sink, const char *text, size_t length) {
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    guint8 digest[32];
    gsize size = sizeof digest;
    g_checksum_update(sum, (const guchar *)text, (gssize)length);
    g_checksum_get_digest(sum, digest, &size);
    char *encoded = g_base64_encode(digest, size);
    sw_sink_printf(sink, "'sha256-%s'", encoded);
    g_free(encoded);
    g_checksum_free(sum);
}

/* ---- the data ---- */

/* No "<" of a name may end the element that the text stands in. */
static void put_inert(struct sw_sink *sink, const struct sw_sink *text) {
    const char *at = text->text.items, *end = at + text->text.count, *next;
    for (; at < end && (next = memchr(at, '<', (size_t)(end - at))); at = next + 1) {
        sw_sink_add(sink, at, (size_t)(next - at));
        sw_sink_printf(sink, "\\u003c");
    }
    sw_sink_add(sink, at, (size_t)(end - at));
}

static bool put_data(struct sw_web *web, size_t most, struct sw_sink *sink, struct sw_error *error) {
    static const char *const units[] = {
        [SW_UNITS_AUTO] = "",   [SW_UNITS_BYTES] = "B",        [SW_UNITS_KIB] = "KiB",
        [SW_UNITS_MIB] = "MiB", [SW_UNITS_FITTED_KIB] = "KiB", [SW_UNITS_FITTED_MIB] = "MiB"};
    bool fitted = web->units == SW_UNITS_FITTED_KIB || web->units == SW_UNITS_FITTED_MIB;
    struct sw_sink text = {0};
    bool moment = web->runs.items.count && sw_web_is_moment(&web->runs);
    sw_sink_printf(&text, "{\"unit\":\"%s\",\"fitted\":%s,\"base\":%llu,\"moment\":%s,\"drawn\":\"%s\",\n\"panels\":[",
                   units[web->units], fitted ? "true" : "false", (unsigned long long)web->base,
                   moment ? "true" : "false", web->coloring ? sw_coloring_words[web->coloring] : "");
    sw_sink_add(&text, web->panels.text.items, web->panels.text.count);
    sw_sink_printf(&text, "],\n\"runs\":");
    bool good = sw_web_put_runs(&web->runs, web->base, web->units, most, &text, error);
    sw_sink_printf(&text, "}");
    sw_sink_printf(sink, "<script type=\"application/json\" id=\"data\">");
    put_inert(sink, &text);
    sw_sink_printf(sink, "</script>\n");
    sink->failed |= text.failed;
    sw_sink_done(&text);
    return good;
}

/* ---- the file ---- */

static void put_web_head(struct sw_web *web, struct sw_sink *sink) {
    struct sw_sink style = {0};
    put_style(web, &style);
    const char *ended = sw_sink_ended(&style), *text = ended ? ended : "";
    size_t length = strlen(text);
    sw_sink_printf(sink, "<!DOCTYPE html>\n<html lang=\"en\"%s>\n<head>\n<meta charset=\"utf-8\">\n",
                   !web->chosen       ? ""
                   : web->starts_dark ? " data-theme=\"dark\""
                                      : " data-theme=\"light\"");
    sw_sink_printf(sink, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src ");
    sw_web_hash(sink, script_text, sizeof script_text - 1);
    sw_sink_printf(sink, "; style-src ");
    sw_web_hash(sink, text, length);
    sw_sink_printf(sink, "; base-uri 'none'; form-action 'none'\">\n"
                         "<meta name=\"viewport\" content=\"width=device-width\">\n"
                         "<meta name=\"generator\" content=\"stowage " STOWAGE_VERSION "\">\n<title>");
    sw_sink_xml(sink, web->title, strlen(web->title));
    sw_sink_printf(sink, "</title>\n<style>");
    sw_sink_add(sink, text, length);
    sw_sink_printf(sink, "</style>\n</head>\n");
    sink->failed |= style.failed;
    sw_sink_done(&style);
}

bool sw_web_write(struct sw_web *web, struct sw_sink *sink, struct sw_error *error) {
    if (web->failed || web->body.failed || web->panels.failed || !web->pages) {
        return sw_fail_memory(error);
    }
    put_web_head(web, sink);
    sw_sink_printf(sink, "<body>\n<main>\n<h1>");
    sw_sink_xml(sink, web->title, strlen(web->title));
    sw_sink_printf(sink, "</h1>\n");
    sw_sink_add(sink, web->body.text.items, web->body.text.count);
    sw_web_put_table(&web->runs, web->base, TABLE_ROWS, sink);
    sw_sink_printf(sink, "</main>\n");
    size_t used = sink->text.count + sizeof script_text;
    bool good = put_data(web, used < MOST_BYTES - LEAST_DATA ? MOST_BYTES - used : LEAST_DATA, sink, error);
    sw_sink_printf(sink, "<script>");
    sw_sink_add(sink, script_text, sizeof script_text - 1);
    sw_sink_printf(sink, "</script>\n</body>\n</html>\n");
    return good && (!sink->failed || sw_fail_memory(error));
}
