/* A page to SVG, PNG or PDF bytes: surfaces, their errors, and what a file says about itself. */
#include "export/apart.h"
#include "base/base.h"
#include "export/drawing.h"
#include "export/terminal/protocols.h"
#include "export/web/web.h"
#include "formats/text/utf8.h"
#include "view/pages/page.h"
#include "lua/theme_file.h"

#include <zlib.h>

#include <errno.h>
#include <time.h>

#define MOST_PIXELS 32767              /* a side of a cairo image */
#define MOST_AREA 268435456.0          /* pixels: 1 GiB of memory */
#define MOST_SIZE 30000.0              /* that can be asked for */
#define MOST_POINTS (MOST_SIZE / 0.25) /* of it at the smallest scale */

bool sw_picture_of(const char *path, enum sw_picture *kind, struct sw_error *error) {
    static const char *const extensions[] = {".svg", ".png", ".pdf", ".html"};
    size_t length = strlen(path);
    for (unsigned i = 0; i < sizeof extensions / sizeof *extensions; i++) {
        size_t own = strlen(extensions[i]);
        if (length > own && !strcmp(path + length - own, extensions[i])) {
            *kind = (enum sw_picture)i;
            return true;
        }
    }
    sw_fail(error, SW_ERROR_USAGE, "a picture's name ends in .svg, .png, .pdf or .html");
    sw_error_at(error, path, 0, 0);
    return false;
}

/* Lack of memory stays in the sink, which is looked at when cairo has finished: some versions
 * crash when the bytes of a PDF could not be written. */
static cairo_status_t write_to_sink(void *context, const unsigned char *bytes, unsigned length) {
    sw_sink_add(context, bytes, length);
    return CAIRO_STATUS_SUCCESS;
}

static bool cairo_did(cairo_status_t status, struct sw_error *error) {
    return status == CAIRO_STATUS_SUCCESS ||
           (status == CAIRO_STATUS_NO_MEMORY
                ? sw_fail_memory(error)
                : sw_fail(error, SW_ERROR_IO, "cannot draw the picture: %s", sw_late.cairo_status_to_string(status)));
}

void (*sw_drawing_watch)(struct sw_drawing *);

/* Plan and draw on the context, with every status looked at. The texts go into `layer`, too, unless
 * it is NULL. */
static bool draw_on_surface(cairo_t *cairo, const struct sw_scene *scene, const struct sw_theme *theme,
                            struct sw_sink *layer, struct sw_error *error) {
    struct sw_drawing drawing;
    bool good = sw_drawing_open(&drawing, scene, theme, cairo);
    if (good) {
        sw_drawing_plan(&drawing);
        if (sw_drawing_watch) {
            sw_drawing_watch(&drawing);
        }
        sw_drawing_draw(&drawing);
        if (layer) {
            sw_drawing_layer(&drawing, layer);
        }
        good = !drawing.failed && !(layer && layer->failed);
    }
    const char *crowded = drawing.crowded;
    sw_drawing_close(&drawing);
    if (good && crowded) {
        return sw_fail(error, SW_ERROR_USAGE, "there is no room for the note '%s': ask for a larger picture",
                       sw_quote(crowded, strlen(crowded)).text);
    }
    return cairo_did(sw_late.cairo_status(cairo), error) && (good || sw_fail_memory(error));
}

static double zoom_of(const struct sw_scene *scene) {
    return scene->zoom > 0 ? scene->zoom : 1;
}

/* `scale`: what the surface counts per point. */
static bool draw_on(cairo_surface_t *surface, double scale, const struct sw_scene *scene, const struct sw_theme *theme,
                    struct sw_sink *layer, struct sw_error *error) {
    if (!cairo_did(sw_late.cairo_surface_status(surface), error)) {
        return false;
    }
    cairo_t *cairo = sw_late.cairo_create(surface);
    sw_late.cairo_scale(cairo, scale * zoom_of(scene), scale * zoom_of(scene));
    bool good = draw_on_surface(cairo, scene, theme, layer, error);
    sw_late.cairo_destroy(cairo);
    return good;
}

/* The end of a stream: what was held back is written now. */
static bool finish_surface(cairo_surface_t *surface, const struct sw_sink *sink, struct sw_error *error) {
    sw_late.cairo_surface_finish(surface);
    return cairo_did(sw_late.cairo_surface_status(surface), error) && (!sink->failed || sw_fail_memory(error));
}

/* ---- what the file says about itself ---- */

const char *sw_picture_title(const struct sw_scene *scene) {
    return scene->title ? scene->title : "stowage";
}

const char *sw_picture_describe(const struct sw_scene *scene, struct sw_sink *text) {
    for (size_t i = 0; i < scene->caption.count; i++) {
        sw_sink_printf(text, "%s%s", i ? " " : "", scene->caption.items[i]);
    }
    if (scene->exact) {
        sw_sink_printf(text, "%s%s", scene->caption.count ? " " : "", scene->exact);
    }
    const char *said = sw_sink_ended(text);
    return said ? said : "";
}

/* For people: browsers show it. For programs: as Dublin Core. */
void sw_picture_metadata(struct sw_sink *sink, const char *title, const char *text) {
    sw_sink_printf(sink, "\n<title>");
    sw_sink_xml(sink, title, strlen(title));
    sw_sink_printf(sink, "</title>\n<desc>");
    sw_sink_xml(sink, text, strlen(text));
    sw_sink_printf(sink, "</desc>\n");
    sw_sink_printf(sink, "<metadata><rdf:RDF "
                         "xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" "
                         "xmlns:dc=\"http://purl.org/dc/elements/1.1/\">"
                         "<rdf:Description rdf:about=\"\">\n<dc:title>");
    sw_sink_xml(sink, title, strlen(title));
    sw_sink_printf(sink, "</dc:title>\n<dc:description>");
    sw_sink_xml(sink, text, strlen(text));
    sw_sink_printf(sink, "</dc:description>\n<dc:creator>stowage " STOWAGE_VERSION
                         "</dc:creator>\n<dc:format>image/svg+xml</dc:format>\n"
                         "</rdf:Description></rdf:RDF></metadata>");
}

/* Cairo's SVG with <title> and <desc> as the first children of its root element, which readers for
 * the blind speak and browsers show, and the layer of texts as the last. */
static bool describe_svg(const struct sw_scene *scene, const struct sw_sink *drawn, const struct sw_sink *layer,
                         struct sw_sink *sink, struct sw_error *error) {
    static const char close[] = "</svg>\n";
    const char *bytes = drawn->text.items;
    size_t count = drawn->text.count;
    const char *root = count ? memmem(bytes, count, "<svg", 4) : NULL;
    const char *end = root ? memchr(root, '>', count - (size_t)(root - bytes)) : NULL;
    const char *last = root ? bytes + count - (sizeof close - 1) : NULL;
    if (!end || end[-1] == '/' || last <= end || memcmp(last, close, sizeof close - 1) != 0) {
        return sw_fail(error, SW_ERROR_IO, "cannot draw the picture: no SVG came out");
    }
    struct sw_sink text = {0};
    const char *title = sw_picture_title(scene), *description = sw_picture_describe(scene, &text);
    sink->failed |= text.failed;
    sw_sink_add(sink, bytes, (size_t)(end + 1 - bytes));
    sw_picture_metadata(sink, title, description);
    sw_sink_add(sink, end + 1, (size_t)(last - end - 1));
    sw_sink_add(sink, layer->text.items, layer->text.count);
    sw_sink_add(sink, last, sizeof close - 1);
    sw_sink_done(&text);
    return !sink->failed || sw_fail_memory(error);
}

static void put_png_word(struct sw_sink *sink, uint32_t word) {
    unsigned char bytes[4] = {(unsigned char)(word >> 24), (unsigned char)(word >> 16), (unsigned char)(word >> 8),
                              (unsigned char)word};
    sw_sink_add(sink, bytes, 4);
}

static void add_chunk(struct sw_sink *sink, const char *type, const struct sw_sink *data) {
    if (data->failed || data->text.count > INT_MAX) {
        sink->failed = true;
        return;
    }
    uLong sum = crc32(0, (const Bytef *)type, 4);
    sum = crc32(sum, (const Bytef *)data->text.items, (uInt)data->text.count);
    put_png_word(sink, (uint32_t)data->text.count);
    sw_sink_add(sink, type, 4);
    sw_sink_add(sink, data->text.items, data->text.count);
    put_png_word(sink, (uint32_t)sum);
}

/* An iTXt chunk: uncompressed UTF-8, no language. */
static void put_png_text(struct sw_sink *sink, const char *keyword, const char *text) {
    struct sw_sink chunk = {0};
    sw_sink_add(&chunk, keyword, strlen(keyword) + 1);
    sw_sink_add(&chunk, "\0\0\0\0", 4);
    sw_sink_add(&chunk, text, strlen(text));
    add_chunk(sink, "iTXt", &chunk);
    sw_sink_done(&chunk);
}

enum { PNG_HEAD = 8 + 25 }; /* the signature and the IHDR chunk */

/* How many pixels a metre has, so that it is printed at its size. */
static void add_density(struct sw_sink *sink, double dpi) {
    struct sw_sink chunk = {0};
    uint32_t per_metre = (uint32_t)lround(dpi / 0.0254);
    put_png_word(&chunk, per_metre);
    put_png_word(&chunk, per_metre);
    sw_sink_add(&chunk, "\1", 1);
    add_chunk(sink, "pHYs", &chunk);
    sw_sink_done(&chunk);
}

static bool describe_png(const struct sw_scene *scene, const struct sw_sink *drawn, double dpi, struct sw_sink *sink,
                         struct sw_error *error) {
    if (drawn->text.count <= PNG_HEAD) {
        return sw_fail(error, SW_ERROR_IO, "cannot draw the picture: no PNG came out");
    }
    struct sw_sink text = {0};
    sw_sink_add(sink, drawn->text.items, PNG_HEAD);
    add_density(sink, dpi);
    put_png_text(sink, "Title", sw_picture_title(scene));
    put_png_text(sink, "Description", sw_picture_describe(scene, &text));
    put_png_text(sink, "Software", "stowage " STOWAGE_VERSION);
    sw_sink_add(sink, drawn->text.items + PNG_HEAD, drawn->text.count - PNG_HEAD);
    sink->failed |= text.failed;
    sw_sink_done(&text);
    return !sink->failed || sw_fail_memory(error);
}

/* False: no memory. */
static bool describe_pdf(cairo_surface_t *surface, const struct sw_scene *scene) {
    struct sw_sink text = {0};
    sw_late.cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, sw_picture_title(scene));
    sw_late.cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, sw_picture_describe(scene, &text));
    sw_late.cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "stowage " STOWAGE_VERSION);
    /* The same picture has the same bytes: no date, unless the environment names one, as
     * reproducible builds do. */
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    char *end = NULL, date[40];
    errno = 0;
    long long seconds = epoch ? strtoll(epoch, &end, 10) : 0;
    time_t when = (time_t)seconds;
    struct tm moment;
    bool named = epoch && end != epoch && !*end && !errno && seconds >= 0 && gmtime_r(&when, &moment) &&
                 strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", &moment);
    sw_late.cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, named ? date : NULL);
    bool good = !text.failed;
    sw_sink_done(&text);
    return good;
}

/* ---- the three kinds ---- */

static bool export_svg(const struct sw_scene *scene, const struct sw_theme *theme, struct sw_sink *sink,
                       struct sw_error *error) {
    struct sw_sink drawn = {0}, layer = {0};
    double zoom = zoom_of(scene);
    cairo_surface_t *surface =
        sw_late.cairo_svg_surface_create_for_stream(write_to_sink, &drawn, scene->width * zoom, scene->height * zoom);
    bool good = draw_on(surface, 1, scene, theme, &layer, error) && finish_surface(surface, &drawn, error);
    sw_late.cairo_surface_destroy(surface);
    good = good && describe_svg(scene, &drawn, &layer, sink, error);
    sw_sink_done(&layer);
    sw_sink_done(&drawn);
    return good;
}

/* One scene as a page of its own size, with an entry in the list of contents when there are
 * several. */
static bool add_picture_page(cairo_surface_t *surface, const struct sw_scene *scene, const struct sw_theme *theme,
                             uint32_t number, bool several, struct sw_error *error) {
    double zoom = zoom_of(scene);
    sw_late.cairo_pdf_surface_set_size(surface, scene->width * zoom, scene->height * zoom);
    if (!draw_on(surface, 1, scene, theme, NULL, error)) {
        return false;
    }
    if (several && scene->heading) {
        char target[40];
        snprintf(target, sizeof target, "page=%u", number);
        sw_late.cairo_pdf_surface_add_outline(surface, CAIRO_PDF_OUTLINE_ROOT, scene->heading, target, 0);
    }
    sw_late.cairo_surface_show_page(surface);
    return true;
}

bool sw_export_pages(const struct sw_pages *pages, const struct sw_theme *theme, struct sw_sink *sink,
                     struct sw_error *error) {
    if (!sw_late_load(error)) {
        return false;
    }
    struct sw_scene scene = {0};
    cairo_surface_t *surface = sw_late.cairo_pdf_surface_create_for_stream(write_to_sink, sink, 1, 1);
    bool good = true;
    for (uint32_t i = 0; good && i < pages->count; i++) {
        sw_scene_clear(&scene);
        good = pages->build(pages->context, i, &scene, error) && sw_picture_check(&scene, error);
        if (good && i == 0 && sw_late.cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS) {
            good = describe_pdf(surface, &scene) || sw_fail_memory(error);
        }
        good = good && add_picture_page(surface, &scene, theme, i + 1, pages->count > 1, error);
    }
    /* Finished in any case: a surface that is abandoned would write into the sink later. */
    good = finish_surface(surface, sink, good ? error : &(struct sw_error){0}) && good;
    sw_late.cairo_surface_destroy(surface);
    sw_scene_done(&scene);
    return good;
}

static bool export_png(const struct sw_scene *scene, const struct sw_theme *theme, struct sw_sink *sink,
                       struct sw_error *error) {
    double dpi = scene->dpi > 0 ? scene->dpi : SW_PICTURE_DPI, zoom = zoom_of(scene);
    /* What a zoom rounds off and on again is no pixel more. */
    double width = ceil(scene->width * zoom * dpi / 72 - 1e-6);
    double height = ceil(scene->height * zoom * dpi / 72 - 1e-6);
    if (width > MOST_PIXELS || height > MOST_PIXELS || width * height > MOST_AREA) {
        bool side = width > MOST_PIXELS || height > MOST_PIXELS;
        return sw_fail(error, SW_ERROR_USAGE,
                       "a PNG of %.0fx%.0f points would have %.0fx%.0f pixels and %s may have "
                       "more than %.0f: ask for a smaller size%s, or for SVG or PDF",
                       scene->width * zoom, scene->height * zoom, width, height, side ? "no side" : "none",
                       side ? MOST_PIXELS : MOST_AREA, dpi > SW_PICTURE_DPI ? " or a smaller --dpi" : "");
    }
    struct sw_sink drawn = {0};
    cairo_surface_t *surface = sw_late.cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)width, (int)height);
    bool good = draw_on(surface, dpi / 72, scene, theme, NULL, error);
    if (good) {
        good = cairo_did(sw_late.cairo_surface_write_to_png_stream(surface, write_to_sink, &drawn), error) &&
               (!drawn.failed || sw_fail_memory(error));
    }
    sw_late.cairo_surface_destroy(surface);
    good = good && describe_png(scene, &drawn, dpi, sink, error);
    sw_sink_done(&drawn);
    return good;
}

bool sw_export_pixels(const struct sw_scene *scene, const struct sw_theme *theme, struct sw_pixels *pixels,
                      struct sw_error *error) {
    if (!sw_late_load(error)) {
        return false;
    }
    cairo_surface_t *surface =
        sw_late.cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)pixels->width, (int)pixels->height);
    bool good = draw_on(surface, pixels->width / scene->width, scene, theme, NULL, error);
    if (good) {
        sw_late.cairo_surface_flush(surface);
        const unsigned char *data = sw_late.cairo_image_surface_get_data(surface);
        size_t stride = (size_t)sw_late.cairo_image_surface_get_stride(surface);
        for (unsigned y = 0; y < pixels->height; y++) {
            memcpy(pixels->items + (size_t)y * pixels->width, data + y * stride, pixels->width * sizeof *pixels->items);
        }
    }
    sw_late.cairo_surface_destroy(surface);
    return good;
}

bool sw_export_png_part(const struct sw_pixels *pixels, const struct sw_pixel_part *part, struct sw_sink *sink,
                        struct sw_error *error) {
    if (!sw_late_load(error)) {
        return false;
    }
    uint32_t *from = pixels->items + (size_t)part->top * pixels->width + part->left;
    cairo_surface_t *surface = sw_late.cairo_image_surface_create_for_data(
        (unsigned char *)from, CAIRO_FORMAT_RGB24, (int)part->width, (int)part->height, (int)pixels->width * 4);
    bool good = cairo_did(sw_late.cairo_surface_write_to_png_stream(surface, write_to_sink, sink), error) &&
                (!sink->failed || sw_fail_memory(error));
    sw_late.cairo_surface_destroy(surface);
    return good;
}

bool sw_picture_check(const struct sw_scene *scene, struct sw_error *error) {
    if (scene->failed) {
        return sw_fail_memory(error);
    }
    if (scene->zoom * scene->width >= SW_PAGE_LEAST_WIDTH && scene->zoom * scene->height >= SW_PAGE_LEAST_HEIGHT &&
        (scene->width < SW_PAGE_LEAST_WIDTH || scene->height < SW_PAGE_LEAST_HEIGHT)) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "at a scale of %.6g a picture has at least %.0fx%.0f points, not %.0fx%.0f: "
                       "ask for a larger size or a smaller scale",
                       scene->zoom, ceil(scene->zoom * SW_PAGE_LEAST_WIDTH), ceil(scene->zoom * SW_PAGE_LEAST_HEIGHT),
                       scene->zoom * scene->width, scene->zoom * scene->height);
    }
    if (!(scene->width >= SW_PAGE_LEAST_WIDTH && scene->height >= SW_PAGE_LEAST_HEIGHT && scene->width <= MOST_POINTS &&
          scene->height <= MOST_POINTS)) {
        return sw_fail(error, SW_ERROR_USAGE, "a picture is from %.0fx%.0f to %.0fx%.0f points, not %.6gx%.6g",
                       SW_PAGE_LEAST_WIDTH, SW_PAGE_LEAST_HEIGHT, MOST_SIZE, MOST_SIZE, scene->width, scene->height);
    }
    return true;
}

static bool export_pdf(const struct sw_scene *scene, const struct sw_theme *theme, struct sw_sink *sink,
                       struct sw_error *error) {
    cairo_surface_t *surface = sw_late.cairo_pdf_surface_create_for_stream(write_to_sink, sink, 1, 1);
    bool described = sw_late.cairo_surface_status(surface) != CAIRO_STATUS_SUCCESS || describe_pdf(surface, scene) ||
                     sw_fail_memory(error);
    bool good =
        described && add_picture_page(surface, scene, theme, 1, false, error) && finish_surface(surface, sink, error);
    sw_late.cairo_surface_destroy(surface);
    return good;
}

static bool export_web_pages(const struct sw_pages *pages, const struct sw_theme *theme, struct sw_sink *sink,
                             struct sw_error *error) {
    struct sw_web web;
    struct sw_scene scene = {0};
    bool good = sw_web_open(&web, strcmp(theme->name, "light") != 0 ? theme : NULL, error);
    for (uint32_t i = 0; good && i < pages->count; i++) {
        sw_scene_clear(&scene);
        good = pages->build(pages->context, i, &scene, error) && sw_web_add(&web, &scene, error);
    }
    good = good && sw_web_write(&web, sink, error);
    sw_scene_done(&scene);
    sw_web_close(&web);
    return good;
}

static bool export_web(const struct sw_scene *scene, const struct sw_theme *theme, struct sw_sink *sink,
                       struct sw_error *error) {
    struct sw_web web;
    bool good = sw_web_open(&web, strcmp(theme->name, "light") != 0 ? theme : NULL, error) &&
                sw_web_add(&web, scene, error) && sw_web_write(&web, sink, error);
    sw_web_close(&web);
    return good;
}

bool sw_export_scene(const struct sw_scene *scene, const struct sw_theme *theme, enum sw_picture kind,
                     struct sw_sink *sink, struct sw_error *error) {
    if (!sw_picture_check(scene, error) || !sw_late_load(error)) {
        return false;
    }
    return kind == SW_PICTURE_SVG    ? export_svg(scene, theme, sink, error)
           : kind == SW_PICTURE_PNG  ? export_png(scene, theme, sink, error)
           : kind == SW_PICTURE_HTML ? export_web(scene, theme, sink, error)
                                     : export_pdf(scene, theme, sink, error);
}

struct scene_work {
    const struct sw_scene *scene;
    const struct sw_theme *theme;
    enum sw_picture kind;
};

static bool draw_scene(void *context, struct sw_sink *sink, struct sw_error *error) {
    const struct scene_work *work = context;
    return sw_export_scene(work->scene, work->theme, work->kind, sink, error);
}

bool sw_export_scene_apart(const struct sw_scene *scene, const struct sw_theme *theme, enum sw_picture kind,
                           struct sw_sink *sink, struct sw_error *error) {
    return sw_apart(draw_scene, &(struct scene_work){scene, theme, kind}, sink, error);
}

/* ---- from a run to a file ---- */

bool sw_export_prepare(const struct sw_view_input *input, const struct sw_export *options, struct sw_ready *ready,
                       struct sw_error *error) {
    const struct sw_view *view = options->view ? sw_view_find(options->view, error) : sw_view_usual(input->run.search);
    if (!view || !sw_view_suits(view, input->run.search, error) ||
        !sw_theme_load(options->theme ? options->theme : "light", &ready->theme, error)) {
        return false;
    }
    ready->view = view;
    ready->in = *input;
    ready->in.medium = SW_ON_PAGE;
    ready->in.title = options->title;
    /* Pages are for printers. */
    double width = view->pages ? SW_PAPER_WIDTH : SW_PICTURE_WIDTH;
    double height = view->pages ? SW_PAPER_HEIGHT : SW_PICTURE_HEIGHT;
    double zoom = options->scale > 0 ? options->scale : 1;
    ready->in.width = (options->width > 0 ? options->width : width) / zoom;
    ready->in.height = (options->height > 0 ? options->height : height) / zoom;
    ready->scale = options->scale;
    ready->dpi = options->dpi;
    ready->in.marks_per_unit_x = ready->in.marks_per_unit_y = sw_view_marks_per_point(input);
    return true;
}

void sw_export_page(const struct sw_ready *ready, const struct sw_view_input *in, struct sw_scene *scene) {
    sw_view_page(in, ready->view, scene);
    scene->zoom = ready->scale;
    scene->dpi = ready->dpi;
}

/* ---- views of several pages ---- */

struct several {
    struct sw_ready *ready;
    const struct sw_export *options;
    uint32_t count;
};

static bool build_page(void *context, uint32_t page, struct sw_scene *scene, struct sw_error *error) {
    struct several *several = context;
    const struct sw_export *options = several->options;
    if (options->told && !options->told(options->context, page, several->count)) {
        return sw_fail(error, SW_ERROR_CANCELED, "interrupted after %u of %u pages; nothing is written", page,
                       several->count);
    }
    several->ready->in.look.page = page;
    sw_export_page(several->ready, &several->ready->in, scene);
    return true;
}

static bool export_several(struct sw_ready *ready, const struct sw_export *options, enum sw_picture kind,
                           struct sw_sink *sink, struct sw_error *error) {
    struct several several = {ready, options, sw_view_pages(&ready->in, ready->view)};
    struct sw_pages pages = {several.count, build_page, &several};
    if (kind == SW_PICTURE_HTML) {
        return export_web_pages(&pages, &ready->theme, sink, error);
    }
    if (kind != SW_PICTURE_PDF) {
        return sw_fail(error, SW_ERROR_USAGE, "the view '%s' has %u pages and can only be a .pdf or .html",
                       ready->view->name, several.count);
    }
    return sw_export_pages(&pages, &ready->theme, sink, error);
}

struct file_work {
    struct sw_ready *ready;
    const struct sw_export *options;
    enum sw_picture kind;
};

static bool draw_file(void *context, struct sw_sink *sink, struct sw_error *error) {
    const struct file_work *work = context;
    const struct sw_export *options = work->options;
    struct sw_ready *ready = work->ready;
    struct sw_scene scene = {0};
    ready->in.zooms = work->kind == SW_PICTURE_HTML && sw_web_holds(sw_search_problem(ready->in.run.search));
    ready->in.points = work->kind == SW_PICTURE_HTML || work->kind == SW_PICTURE_SVG;
    if (ready->view->pages) {
        return export_several(ready, options, work->kind, sink, error);
    }
    sw_export_page(ready, &ready->in, &scene);
    if (!(options->width > 0) && !(options->height > 0) && !(options->scale > 0) && !ready->in.run.film) {
        sw_view_page_fit(&ready->in, ready->view, &scene);
        scene.dpi = options->dpi;
    }
    bool good = sw_export_scene(&scene, &ready->theme, work->kind, sink, error);
    sw_scene_done(&scene);
    return good;
}

bool sw_export_file(const struct sw_view_input *input, const struct sw_export *options, const char *path,
                    struct sw_error *error) {
    enum sw_picture kind;
    struct sw_ready ready;
    if (!sw_picture_of(path, &kind, error) || !sw_export_prepare(input, options, &ready, error)) {
        return false;
    }
    struct sw_sink sink = {0};
    bool good = sw_apart(draw_file, &(struct file_work){&ready, options, kind}, &sink, error) &&
                sw_sink_commit(&sink, path, error);
    sw_sink_done(&sink);
    return good;
}
