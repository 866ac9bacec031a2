/* Pictures: the three kinds, their limits and errors, and that no two texts meet. */
#include <stdlib.h>

#include "share.h"
#include "unit/view.h"

#include "export/apart.h"
#include "export/drawing.h"
#include "export/export.h"
#include "formats/notes.h"
#include "lua/theme_file.h"
#include "view/map/map.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sw_problem *problem;
static struct sw_search *search;
static struct sw_theme theme;

static void page(struct sw_scene *scene, const char *view, double width, double height) {
    struct sw_view_input in = look_at(search, width, height);
    in.medium = SW_ON_PAGE;
    in.marks_per_unit_x = in.marks_per_unit_y = 1;
    sw_view_page(&in, sw_view_find(view, NULL), scene);
    assert_false(scene->failed);
}

static bool begins(const struct sw_sink *sink, const char *magic) {
    return sink->text.count > strlen(magic) && !memcmp(sink->text.items, magic, strlen(magic));
}

static bool contains(const struct sw_sink *sink, const char *text) {
    return memmem(sink->text.items, sink->text.count, text, strlen(text)) != NULL;
}

static void pictures_are_what_they_say(void **state) {
    (void)state;
    static const char *const magic[] = {"<?xml", "\x89PNG\r\n\x1a\n", "%PDF-"};
    struct sw_scene scene = {0};
    struct sw_error error = {0};
    page(&scene, "layout", 800, 500);
    for (unsigned kind = 0; kind < 3; kind++) {
        struct sw_sink sink = {0};
        assert_true(sw_export_scene(&scene, &theme, (enum sw_picture)kind, &sink, &error));
        assert_true(begins(&sink, magic[kind]));
        if (kind == SW_PICTURE_SVG) {
            assert_true(contains(&sink, "<title>model, planned by best-fit</title>\n<desc>The peak is ") &&
                        contains(&sink, " stowage 0.1.0. Peak "));
            assert_true(contains(&sink, "</svg>"));
            assert_true(contains(&sink, "<dc:title>model, planned by best-fit</dc:title>"));
            /* Outlines are seen, and the text over them can be selected. */
            assert_true(contains(&sink, "<g fill=\"transparent\""));
            assert_true(contains(&sink, ">model, planned by best-fit</text>"));
        } else if (kind == SW_PICTURE_PNG) {
            assert_true(contains(&sink, "iTXtTitle"));
            /* 800x500 at two pixels a point. */
            assert_memory_equal(sink.text.items + 16, "\0\0\x06\x40\0\0\x03\xe8", 8);
            /* 144 of them in 25.4 mm. */
            assert_memory_equal(sink.text.items + 33, "\0\0\0\x09pHYs\0\0\x16\x25\0\0\x16\x25\1", 17);
        }
        sw_sink_done(&sink);
    }
    sw_scene_done(&scene);
}

/* A machine without any font still gets its picture. In a process of its own, for fontconfig looks
 * only once. */
static void fonts_are_not_needed(void **state) {
    (void)state;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct sw_scene scene = {0};
        struct sw_sink sink = {0};
        setenv("FONTCONFIG_FILE", "/dev/null", 1);
        bool quiet = freopen("/dev/null", "w", stderr) != NULL;
        struct sw_view_input in = look_at(search, 800, 500);
        in.medium = SW_ON_PAGE;
        sw_view_page(&in, sw_view_find("layout", NULL), &scene);
        _exit(quiet && sw_export_scene(&scene, &theme, SW_PICTURE_PNG, &sink, NULL) ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static bool draws_for_ever(void *context, struct sw_sink *sink, struct sw_error *error) {
    (void)sink;
    (void)error;
    while (*(bool *)context) {
        pause();
    }
    return true;
}

/* A library that waits for itself does not keep the program waiting. */
static void a_child_that_hangs_is_ended(void **state) {
    (void)state;
    struct sw_sink sink = {0};
    struct sw_error error = {0};
    bool hangs = true;
    sw_apart_patience = 1;
    assert_false(sw_apart(draws_for_ever, &hangs, &sink, &error));
    assert_int_equal(error.code, SW_ERROR_MEMORY);
    assert_non_null(strstr(error.message, "did nothing for 1 seconds and was ended"));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* nothing of it is left */
    hangs = false;
    assert_true(sw_apart(draws_for_ever, &hangs, &sink, &error));
    sw_apart_patience = 30;
    sw_sink_done(&sink);
}

static void names_are_escaped_in_svg(void **state) {
    (void)state;
    struct sw_scene scene = {0};
    struct sw_sink sink = {0};
    page(&scene, "layout", 800, 500);
    scene.title = "a<b>&c";
    assert_true(sw_export_scene(&scene, &theme, SW_PICTURE_SVG, &sink, NULL));
    assert_true(contains(&sink, "<title>a&lt;b&gt;&amp;c</title>"));
    sw_sink_done(&sink);
    sw_scene_done(&scene);
}

static void same_picture_same_bytes(void **state) {
    (void)state;
    struct sw_sink first = {0}, second = {0};
    struct sw_scene scene = {0};
    page(&scene, "layout", 640, 400);
    assert_true(sw_export_scene(&scene, &theme, SW_PICTURE_PNG, &first, NULL));
    sw_scene_clear(&scene);
    page(&scene, "layout", 640, 400);
    assert_true(sw_export_scene(&scene, &theme, SW_PICTURE_PNG, &second, NULL));
    assert_int_equal(first.text.count, second.text.count);
    assert_memory_equal(first.text.items, second.text.items, first.text.count);
    sw_sink_done(&first);
    sw_sink_done(&second);
    sw_scene_done(&scene);
}

static void sizes_have_limits(void **state) {
    (void)state;
    struct sw_scene scene = {0};
    struct sw_sink sink = {0};
    struct sw_error error = {0};
    page(&scene, "live", 16384, 300);
    assert_false(sw_export_scene(&scene, &theme, SW_PICTURE_PNG, &sink, &error));
    assert_int_equal(error.code, SW_ERROR_USAGE);
    assert_string_equal(error.message, "a PNG of 16384x300 points would have 32768x600 pixels and no side may have "
                                       "more than 32767: ask for a smaller size, or for SVG or PDF");
    assert_int_equal(sink.text.count, 0);
    assert_true(sw_export_scene(&scene, &theme, SW_PICTURE_SVG, &sink, &error));
    sw_sink_done(&sink);
    sw_scene_clear(&scene);
    page(&scene, "live", 100, 50);
    assert_false(sw_export_scene(&scene, &theme, SW_PICTURE_SVG, &sink, &error));
    assert_string_equal(error.message, "a picture is from 320x200 to 30000x30000 points, not 100x50");
    sw_scene_done(&scene);
}

static void failures_are_told(void **state) {
    (void)state;
    struct sw_scene scene = {0};
    struct sw_error error = {0};
    page(&scene, "layout", 400, 300);
    for (unsigned kind = 0; kind < 3; kind++) {
        struct sw_sink full = {0}, broken = {.failed = true};
        assert_true(sw_export_scene(&scene, &theme, (enum sw_picture)kind, &full, &error));
        assert_false(sw_sink_commit(&full, "/dev/full", &error));
        assert_int_equal(error.code, SW_ERROR_IO);
        sw_sink_done(&full);
        assert_false(sw_export_scene(&scene, &theme, (enum sw_picture)kind, &broken, &error));
        assert_int_equal(error.code, SW_ERROR_MEMORY);
        sw_sink_done(&broken);
    }
    scene.failed = true;
    struct sw_sink sink = {0};
    assert_false(sw_export_scene(&scene, &theme, SW_PICTURE_SVG, &sink, &error));
    assert_int_equal(error.code, SW_ERROR_MEMORY);
    sw_scene_done(&scene);
}

static void files_are_whole_or_not_there(void **state) {
    (void)state;
    char folder[64], path[96];
    struct sw_error error = {0};
    struct stat status;
    struct sw_view_input in = look_at(search, 0, 0);
    struct sw_export options = {.width = 400, .height = 300};
    snprintf(folder, sizeof folder, "/tmp/stowage-export-%ld", (long)getpid());
    assert_int_equal(mkdir(folder, 0700), 0);
    snprintf(path, sizeof path, "%s/a.svg", folder);
    assert_true(sw_export_file(&in, &options, path, &error));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(unlink(path), 0);
    snprintf(path, sizeof path, "%s/no/a.svg", folder);
    assert_false(sw_export_file(&in, &options, path, &error));
    assert_int_equal(error.code, SW_ERROR_IO);
    options.width = 20000;
    snprintf(path, sizeof path, "%s/a.png", folder);
    assert_false(sw_export_file(&in, &options, path, &error));
    options.width = 400;
    options.view = "nothing";
    assert_false(sw_export_file(&in, &options, path, &error));
    options.view = NULL;
    options.theme = "nothing";
    assert_false(sw_export_file(&in, &options, path, &error));
    snprintf(path, sizeof path, "%s/a.gif", folder);
    assert_false(sw_export_file(&in, &options, path, &error));
    assert_string_equal(error.message, "a picture's name ends in .svg, .png, .pdf or .html");
    assert_int_equal(rmdir(folder), 0); /* empty: nothing half-done is left */
}

/* Every pair of texts of a page. */
static void check_texts(const char *view, double width, double height) {
    struct sw_scene scene = {0};
    struct sw_drawing drawing;
    assert_true(sw_late_load(NULL));
    cairo_surface_t *surface = sw_late.cairo_image_surface_create(CAIRO_FORMAT_RGB24, 8, 8);
    cairo_t *cairo = sw_late.cairo_create(surface);
    page(&scene, view, width, height);
    assert_true(sw_drawing_open(&drawing, &scene, &theme, cairo));
    sw_drawing_plan(&drawing);
    assert_false(drawing.failed);
    assert_true(drawing.texts.count > 3);
    for (size_t i = 0; i < drawing.texts.count; i++) {
        const struct sw_placed_text *a = &drawing.texts.items[i];
        assert_true(a->left >= 0 && a->top >= 0 && a->left + a->width <= width && a->top + a->height <= height);
        for (size_t k = i + 1; k < drawing.texts.count; k++) {
            const struct sw_placed_text *b = &drawing.texts.items[k];
            if (a->left < b->left + b->width && b->left < a->left + a->width && a->top < b->top + b->height &&
                b->top < a->top + a->height) {
                fail_msg("%s at %gx%g: '%s' meets '%s'", view, width, height, a->text, b->text);
            }
        }
    }
    sw_drawing_close(&drawing);
    sw_late.cairo_destroy(cairo);
    sw_late.cairo_surface_destroy(surface);
    sw_scene_done(&scene);
}

struct planned {
    struct sw_scene scene;
    struct sw_drawing drawing;
    cairo_surface_t *surface;
};

static void plan_page(struct planned *planned, const struct sw_search *of, const char *view, double width,
                      double height, const struct sw_notes *notes) {
    struct sw_view_input in = look_at(of, width, height);
    in.medium = SW_ON_PAGE;
    in.marks_per_unit_x = in.marks_per_unit_y = 1;
    in.run.notes = notes;
    *planned = (struct planned){0};
    assert_true(sw_late_load(NULL));
    planned->surface = sw_late.cairo_image_surface_create(CAIRO_FORMAT_RGB24, 8, 8);
    sw_view_page(&in, sw_view_find(view, NULL), &planned->scene);
    assert_false(planned->scene.failed);
    assert_true(sw_drawing_open(&planned->drawing, &planned->scene, &theme, sw_late.cairo_create(planned->surface)));
    sw_drawing_plan(&planned->drawing);
    assert_false(planned->drawing.failed);
}

static void plan_done(struct planned *planned) {
    cairo_t *cairo = planned->drawing.cairo;
    sw_drawing_close(&planned->drawing);
    sw_late.cairo_destroy(cairo);
    sw_late.cairo_surface_destroy(planned->surface);
    sw_scene_done(&planned->scene);
}

static void no_texts_meet(const struct planned *planned, const char *what) {
    const struct sw_drawing *drawing = &planned->drawing;
    for (size_t i = 0; i < drawing->texts.count; i++) {
        for (size_t k = i + 1; k < drawing->texts.count; k++) {
            const struct sw_placed_text *a = &drawing->texts.items[i], *b = &drawing->texts.items[k];
            if (a->left < b->left + b->width && b->left < a->left + a->width && a->top < b->top + b->height &&
                b->top < a->top + a->height) {
                fail_msg("%s: '%s' meets '%s'", what, a->text, b->text);
            }
        }
    }
}

/* Sixteen notes, of every kind, on every view: each is there, or listed below, and none lies on
 * another text. */
static void notes_find_room(void **state) {
    (void)state;
    static const double sizes[][2] = {{1120, 630}, {595, 842}, {500, 1400}};
    struct sw_note items[16];
    struct sw_notes notes = {0};
    for (uint32_t i = 0; i < 16; i++) {
        bool buffer = i % 3 == 0;
        items[i] = (struct sw_note){.text = i % 2 ? "short" : "a longer one, which takes more than a single line",
                                    .buffer = buffer ? i * 7 : SW_NONE,
                                    .name = "some",
                                    .step = buffer || i % 3 == 2 ? SW_NONE : i * 5,
                                    .tier = SW_NONE,
                                    .has_address = i % 6 == 1,
                                    .address = i * 4096,
                                    .arrow = i % 3 != 2,
                                    .has_at = i % 3 == 2,
                                    .x = 0.3,
                                    .y = 0.1 * (i % 7)};
    }
    notes.items.items = items;
    notes.items.count = 16;
    for (size_t v = 0; v < sw_view_count(); v++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct planned planned;
            const char *view = sw_view_get(v)->name;
            plan_page(&planned, search, view, sizes[s][0], sizes[s][1], &notes);
            no_texts_meet(&planned, view);
            size_t drawn = 0, listed = 0;
            for (size_t i = 0; i < planned.drawing.texts.count; i++) {
                drawn += planned.drawing.texts.items[i].note;
            }
            for (size_t i = 0; i < planned.scene.caption.count; i++) {
                listed += strstr(planned.scene.caption.items[i], "not in this picture: ") != NULL;
            }
            if (!planned.drawing.crowded && drawn + listed != 16) {
                fail_msg("%s: %zu notes drawn and %zu listed", view, drawn, listed);
            }
            plan_done(&planned);
        }
    }
}

/* Where nothing has room, that is said. */
static void crowds_are_told(void **state) {
    (void)state;
    struct sw_note items[60];
    struct sw_notes notes = {0};
    struct sw_scene scene = {0};
    struct sw_sink sink = {0};
    struct sw_error error = {0};
    for (size_t i = 0; i < 60; i++) {
        items[i] = (struct sw_note){.text = "no room for so many notes on such a small picture",
                                    .buffer = SW_NONE,
                                    .step = 3,
                                    .tier = SW_NONE,
                                    .arrow = true};
    }
    notes.items.items = items;
    notes.items.count = 60;
    struct sw_view_input in = look_at(search, 320, 240);
    in.medium = SW_ON_PAGE;
    in.run.notes = &notes;
    sw_view_page(&in, sw_view_find("live", NULL), &scene);
    assert_false(sw_export_scene(&scene, &theme, SW_PICTURE_SVG, &sink, &error));
    assert_int_equal(error.code, SW_ERROR_USAGE);
    assert_non_null(strstr(error.message, "there is no room for the note 'no room for"));
    assert_int_equal(sink.text.count, 0);
    sw_scene_done(&scene);
}

static const char *const scripts[] = {
    "畳み込み層の出力テンソル",
    "平均プーリング_12",
    "مخرجات_الطبقة",
    "שכבה/פלט_3",
    "परत_आउटपुट_क्षत्रिय",
    "z\xcc\x81\xcc\xa7\xcc\x88\xcc\xa3o\xcc\x81\xcc\xa7\xcc\x88",
    "🧠🔥_out",
    "👩‍🔬/👨‍👩‍👧",
    "слой_свёртки_12",
    "ชั้นผลลัพธ์",
    "레이어_출력",
    "a_very_long_name_of_a_tensor_that_somebody_generated_from_a_path/with/many/parts/and_more_7",
    "𐎀𐎁𐎂𐎃",
    "\xf3\xb0\x80\x80 without a glyph"};

static struct sw_search *run_of_scripts(struct sw_problem **of) {
    struct sw_builder *builder = sw_builder_new(NULL);
    for (int i = 0; i < 42; i++) {
        char name[160];
        size_t count = sizeof scripts / sizeof *scripts;
        snprintf(name, sizeof name, i < (int)count ? "%s" : "%s%d", scripts[i % (int)count], i);
        struct sw_buffer_spec spec = {.name = name,
                                      .has_size = true,
                                      .size = 64 + 512 * (uint64_t)(i % 5),
                                      .has_first = true,
                                      .has_last = true,
                                      .first = i / 3,
                                      .last = i / 3 + i % 4};
        assert_true(sw_builder_buffer(builder, &spec, NULL));
    }
    *of = sw_builder_finish(builder, NULL);
    sw_builder_free(builder);
    assert_non_null(*of);
    return must_run(*of, "greedy-by-size");
}

/* A name stands inside its block. */
static void check_names(const struct planned *planned) {
    for (size_t p = 0; p < planned->scene.panels.count; p++) {
        const struct sw_panel *panel = &planned->scene.panels.items[p];
        for (size_t m = 0; m < panel->marks.count; m++) {
            const struct sw_mark *mark = &panel->marks.items[m];
            struct sw_area area;
            for (size_t k = 0; mark->kind == SW_MARK_RECT && mark->labels && mark->labels[k]; k++) {
                assert_true(g_utf8_validate(mark->labels[k], -1, NULL));
                assert_false(g_unichar_ismark(g_utf8_get_char(mark->labels[k])));
                for (size_t t = 0; t < planned->drawing.texts.count; t++) {
                    const struct sw_placed_text *text = &planned->drawing.texts.items[t];
                    if (text->text == mark->labels[k] && *text->text && !text->beside) {
                        assert_true(sw_drawing_area(panel, mark, &area));
                        assert_true(text->left >= area.left && text->top >= area.top - 0.01);
                        assert_true(text->left + text->width <= area.right);
                        assert_true(text->top + text->height <= area.bottom + 0.01);
                    }
                }
            }
        }
    }
}

static void names_in_any_script(void **state) {
    (void)state;
    struct sw_problem *of;
    struct sw_search *run = run_of_scripts(&of);
    for (size_t v = 0; v < sw_view_count(); v++) {
        struct planned planned;
        plan_page(&planned, run, sw_view_get(v)->name, 1120, 630, NULL);
        no_texts_meet(&planned, sw_view_get(v)->name);
        check_names(&planned);
        plan_done(&planned);
    }
    sw_search_free(run);
    sw_problem_unref(of);
}

/* Digits behind a name that is read from right to left stay behind it; inside one nothing is added.
 */
static void names_do_not_turn_their_neighbors(void **state) {
    (void)state;
    static const char *const texts[][2] = {{"שלום 12 KiB", "שלום\u200e 12 KiB"},
                                           {"שלום עולם", "שלום עולם"},
                                           {"שָׁ, peak", "שָׁ\u200e, peak"},
                                           {"plain 12", "plain 12"}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct sw_scene scene = {0};
        struct sw_sink sink = {0};
        char wanted[80];
        page(&scene, "live", 800, 500);
        scene.title = texts[i][0];
        snprintf(wanted, sizeof wanted, ">%s</text>", texts[i][1]);
        assert_true(sw_export_scene(&scene, &theme, SW_PICTURE_SVG, &sink, NULL));
        assert_true(contains(&sink, wanted));
        sw_sink_done(&sink);
        sw_scene_done(&scene);
    }
}

/* Zoom: the same page on a larger sheet. */
static void everything_can_be_larger(void **state) {
    (void)state;
    struct sw_scene scene = {0};
    struct sw_sink sink = {0};
    struct sw_error error = {0};
    page(&scene, "layout", 400, 300);
    scene.zoom = 2.5;
    scene.dpi = 72;
    assert_true(sw_export_scene(&scene, &theme, SW_PICTURE_PNG, &sink, &error));
    assert_memory_equal(sink.text.items + 16, "\0\0\x03\xe8\0\0\x02\xee", 8); /* 1000x750 */
    sw_sink_done(&sink);
    assert_true(sw_export_scene(&scene, &theme, SW_PICTURE_SVG, &sink, &error));
    assert_true(contains(&sink, "viewBox=\"0 0 1000 750\""));
    assert_true(contains(&sink, "transform=\"scale(2.5)\""));
    sw_sink_done(&sink);
    sw_scene_clear(&scene);
    page(&scene, "layout", 200, 150);
    scene.zoom = 5;
    assert_false(sw_export_scene(&scene, &theme, SW_PICTURE_SVG, &sink, &error));
    assert_string_equal(error.message, "at a scale of 5 a picture has at least 1600x1000 points, not 1000x750: ask "
                                       "for a larger size or a smaller scale");
    sw_scene_done(&scene);
}

static bool is_placed(const struct sw_drawing *drawing, const char *text) {
    for (size_t i = 0; i < drawing->texts.count; i++) {
        if (drawing->texts.items[i].text == text) {
            return true;
        }
    }
    return false;
}

/* Of everything the frame must show nothing is dropped at the usual size. */
static void check_complete(void) {
    struct sw_scene scene = {0};
    struct sw_drawing drawing;
    assert_true(sw_late_load(NULL));
    cairo_surface_t *surface = sw_late.cairo_image_surface_create(CAIRO_FORMAT_RGB24, 8, 8);
    cairo_t *cairo = sw_late.cairo_create(surface);
    page(&scene, "layout", SW_PICTURE_WIDTH, SW_PICTURE_HEIGHT);
    assert_true(sw_drawing_open(&drawing, &scene, &theme, cairo));
    sw_drawing_plan(&drawing);
    for (size_t k = 0; k < scene.legend.count; k++) {
        assert_true(is_placed(&drawing, scene.legend.items[k].text));
    }
    for (size_t k = 0; k < scene.caption.count; k++) {
        assert_true(is_placed(&drawing, scene.caption.items[k]));
    }
    assert_true(is_placed(&drawing, scene.title) && is_placed(&drawing, scene.subtitle));
    sw_drawing_close(&drawing);
    sw_late.cairo_destroy(cairo);
    sw_late.cairo_surface_destroy(surface);
    sw_scene_done(&scene);
}

/* Is it a buffer's name, or the end of one? */
static bool ends_a_name(const char *text) {
    bool ends = false;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        const char *name = sw_problem_buffer(problem, b)->name;
        size_t length = strlen(name), end = strlen(text);
        ends |= end <= length && strcmp(name + length - end, text) == 0;
    }
    return ends;
}

/* No label of a tick and no title of an axis is lost at a usual size, in any unit. */
static void axes_are_complete(void **state) {
    (void)state;
    static const double sizes[][2] = {{1120, 630}, {840, 630}, {842, 595}, {595, 842},
                                      {1191, 842}, {792, 612}, {612, 792}};
    for (size_t v = 0; v < sw_view_count(); v++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct planned planned;
            const char *view = sw_view_get(v)->name;
            plan_page(&planned, search, view, sizes[s][0], sizes[s][1], NULL);
            for (size_t p = 0; p < planned.scene.panels.count; p++) {
                const struct sw_panel *panel = &planned.scene.panels.items[p];
                const struct sw_axis *axes[] = {&panel->x, &panel->y};
                for (int a = 0; a < 2; a++) {
                    for (size_t t = 0; panel->kind == SW_PANEL_PLOT && t < axes[a]->ticks.count; t++) {
                        if (!is_placed(&planned.drawing, axes[a]->ticks.items[t].label)) {
                            fail_msg("%s at %gx%g: tick '%s' of %s is lost", view, sizes[s][0], sizes[s][1],
                                     axes[a]->ticks.items[t].label, panel->id);
                        }
                    }
                    /* One axis, one unit. */
                    const char *unit = NULL;
                    for (size_t t = 0; panel->kind == SW_PANEL_PLOT && t < axes[a]->ticks.count; t++) {
                        const char *own = strrchr(axes[a]->ticks.items[t].label, ' ');
                        own = own && ends_a_name(own + 1) ? NULL : own; /* it numbers a row */
                        if (own && unit && strcmp(own, unit) != 0) {
                            fail_msg("%s: the axis of %s has ticks in%s and in%s", view, panel->id, unit, own);
                        }
                        unit = own ? own : unit;
                    }
                    bool titled = panel->kind == SW_PANEL_PLOT && axes[a]->title && *axes[a]->title &&
                                  (a == 1 || axes[a]->ticks.count);
                    if (titled && !is_placed(&planned.drawing, axes[a]->title)) {
                        fail_msg("%s at %gx%g: title '%s' of %s is lost", view, sizes[s][0], sizes[s][1],
                                 axes[a]->title, panel->id);
                    }
                }
            }
            plan_done(&planned);
        }
    }
}

/* Ticks are round in the unit that was asked for. */
static void ticks_in_units(void **state) {
    (void)state;
    static const struct {
        enum sw_units units;
        double hi;
        unsigned most;
        const char *labels;
    } cases[] = {
        {SW_UNITS_BYTES, 55296, 6, "0 10,000 B 20,000 B 30,000 B 40,000 B 50,000 B "},
        {SW_UNITS_KIB, 55296, 8, "0 8 KiB 16 KiB 24 KiB 32 KiB 40 KiB 48 KiB "},
        {SW_UNITS_KIB, 3000, 6, "0 0.5 KiB 1.0 KiB 1.5 KiB 2.0 KiB 2.5 KiB "},
        {SW_UNITS_KIB, 1000, 6, "0 0.2 KiB 0.4 KiB 0.6 KiB 0.8 KiB "},
        {SW_UNITS_MIB, 55296, 6, "0 0.01 MiB 0.02 MiB 0.03 MiB 0.04 MiB 0.05 MiB "},
        {SW_UNITS_MIB, 5e6, 6, "0 1 MiB 2 MiB 3 MiB 4 MiB "},
        {SW_UNITS_MIB, 5e9, 6, "0 1,024 MiB 2,048 MiB 3,072 MiB 4,096 MiB "},
        {SW_UNITS_BYTES, 3, 8, "0 1 B 2 B 3 B "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sw_scene scene = {.units = cases[i].units};
        struct sw_axis axis = {.hi = cases[i].hi};
        char labels[200] = "";
        sw_axis_ticks(&scene, &axis, cases[i].most, true);
        for (size_t t = 0; t < axis.ticks.count; t++) {
            strcat(strcat(labels, axis.ticks.items[t].label), " ");
        }
        assert_string_equal(labels, cases[i].labels);
        SW_ARRAY_DONE(&axis.ticks);
        sw_scene_done(&scene);
    }
    char text[40];
    assert_string_equal(sw_show_bytes_in(SW_UNITS_BYTES, 64512, text), "64,512 B");
    assert_string_equal(sw_show_bytes_in(SW_UNITS_KIB, 64512, text), "63 KiB");
    assert_string_equal(sw_show_bytes_in(SW_UNITS_KIB, 64513, text), "63 KiB");
    assert_string_equal(sw_show_bytes_in(SW_UNITS_KIB, 1536, text), "1.5 KiB");
    assert_string_equal(sw_show_bytes_in(SW_UNITS_MIB, 64512, text), "0.062 MiB");
    assert_string_equal(sw_show_bytes_in(SW_UNITS_MIB, 1, text), "<0.001 MiB");
    assert_string_equal(sw_show_bytes_in(SW_UNITS_MIB, 0, text), "0 MiB");
    assert_string_equal(sw_show_bytes_in(SW_UNITS_MIB, (UINT64_C(10) << 20) - 1, text), "10 MiB");
    assert_string_equal(sw_show_bytes_in(SW_UNITS_BYTES, SW_MAX_BYTES, text), "2,305,843,009,213,693,952 B");
}

static void texts_do_not_meet(void **state) {
    (void)state;
    static const double sizes[][2] = {{1120, 630}, {400, 300}, {320, 200}, {500, 1400}, {2000, 400}};
    for (size_t v = 0; v < sw_view_count(); v++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            check_texts(sw_view_get(v)->name, sizes[s][0], sizes[s][1]);
        }
    }
    check_complete();
}

/* ---- colors and names of blocks, small pages ---- */

/* Do they touch, in time or in memory, along more than a corner? */
static bool touch(const struct sw_mark *a, const struct sw_mark *b) {
    bool above = a->y1 == b->y0 || b->y1 == a->y0, beside = a->x1 == b->x0 || b->x1 == a->x0;
    return (above && a->x0 < b->x1 && b->x0 < a->x1) || (beside && a->y0 < b->y1 && b->y0 < a->y1);
}

/* Of how many pairs that touch do both have the same look? `contacts` counts all. */
static size_t alike_in(const struct sw_search *of, enum sw_coloring coloring, size_t *contacts) {
    struct sw_scene scene = {0};
    struct sw_view_input in = look_at(of, 1120, 2000);
    in.medium = SW_ON_PAGE;
    in.marks_per_unit_x = in.marks_per_unit_y = 4;
    in.look.coloring = coloring;
    sw_view_page(&in, sw_view_find("layout", NULL), &scene);
    assert_false(scene.failed);
    const struct sw_panel *map = &scene.panels.items[0];
    size_t alike = 0;
    for (size_t i = 0; i < map->marks.count; i++) {
        const struct sw_mark *a = &map->marks.items[i];
        for (size_t k = 0; k < i && a->kind == SW_MARK_RECT && a->style == SW_STYLE_BLOCK; k++) {
            const struct sw_mark *b = &map->marks.items[k];
            if (b->kind == SW_MARK_RECT && b->style == SW_STYLE_BLOCK && a->item.id != b->item.id && touch(a, b)) {
                ++*contacts;
                alike += a->hue == b->hue;
            }
        }
    }
    sw_scene_done(&scene);
    return alike;
}

static void blocks_that_touch_differ(void **state) {
    (void)state;
    static const char *const planners[] = {"best-fit", "greedy-by-size", "greedy-by-breadth", "first-fit"};
    for (uint64_t seed = 1 + first_case(12), seed_end = seed + cases(12); seed < seed_end; seed++) {
        struct sw_problem *other = random_problem(seed, 40 + 60 * (uint32_t)seed);
        struct sw_search *run = must_run(other, planners[seed % 4]);
        size_t contacts = 0;
        assert_int_equal(alike_in(run, SW_COLOR_IDENTITY, &contacts), 0);
        assert_true(contacts > 20);
        /* What has tones alone to differ in may run out of them, with many blocks alive at a time. */
        for (enum sw_coloring by = SW_COLOR_AUTO; by < SW_COLORINGS_COUNT; by++) {
            contacts = 0;
            assert_true(!sw_coloring_suits(other, by, NULL) || alike_in(run, by, &contacts) * 20 <= contacts);
        }
        sw_search_free(run);
        sw_problem_unref(other);
    }
}

/* Each block has the color that it had before; and its tone, where they say as usual and times are the same. */
static void same_colors(const struct sw_search *run, enum sw_medium_kind medium, enum sw_coloring by,
                        int16_t first[500], bool tones) {
    struct sw_scene scene = {0};
    struct sw_view_input in = look_at(run, 1120, 630);
    in.look.coloring = by;
    in.medium = medium;
    sw_view_find("layout", NULL)->build(&in, &scene, (struct sw_box){0, 0, 1120, 630});
    for (size_t i = 0; i < scene.panels.items[0].marks.count; i++) {
        const struct sw_mark *mark = &scene.panels.items[0].marks.items[i];
        if (mark->style == SW_STYLE_BLOCK && mark->item.kind == SW_ITEM_BUFFER) {
            assert_true(mark->item.id < 500);
            int hue = mark->hue, before = first[mark->item.id];
            bool whole = tones && by == SW_COLOR_AUTO && sw_search_problem(run) == sw_search_given(run);
            if (before >= 0 && (whole ? before != hue : before % SW_BASES != hue % SW_BASES)) {
                fail_msg("%s: buffer %u had the look %d, and now %d, by %s", sw_problem_name(sw_search_problem(run)),
                         (unsigned)mark->item.id, before, hue, sw_coloring_words[by]);
            }
            first[mark->item.id] = (int16_t)hue;
        }
    }
    sw_scene_done(&scene);
}

static void same_looks(const struct sw_search *run, enum sw_coloring by, const int16_t first[500], bool tones) {
    uint8_t looks[500];
    struct sw_color_classes classes = {0};
    const struct sw_problem *own = sw_search_problem(run);
    assert_true(sw_map_looks(run, NULL, by, looks, &classes));
    bool whole = tones && by == SW_COLOR_AUTO && own == sw_search_given(run);
    for (uint32_t b = 0; b < sw_problem_buffer_count(own); b++) {
        assert_true(first[b] < 0 || (whole ? first[b] == looks[b] : first[b] % SW_BASES == looks[b] % SW_BASES));
    }
    sw_color_classes_done(&classes);
}

/* The models that ship: no two neighbors look alike, whatever the colors say, and each block looks the same whichever
 * planner put it there, in the explorer and on paper; and the looks that a page knows are these, too. */
static void colors_are_kept(void **state) {
    (void)state;
    static const char *const models[] = {"mobilenet_v1_025_96.json", "densenet121.lua", "unet.lua"};
    static const char *const planners[] = {"greedy-by-size", "best-fit", "tflm-greedy", "order-lpmf"};
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        char path[400];
        struct sw_error error = {0};
        snprintf(path, sizeof path, SW_TEST_SOURCE "/scripts/models/%s", models[m]);
        struct sw_problem *model = sw_load(path, NULL, NULL, &error);
        assert_non_null(model);
        int16_t first[SW_COLORINGS_COUNT][500];
        memset(first, -1, sizeof first);
        for (size_t p = 0; p < sizeof planners / sizeof *planners; p++) {
            struct sw_search *run = must_run(model, planners[p]);
            for (enum sw_coloring by = SW_COLOR_AUTO; by < SW_COLORINGS_COUNT; by++) {
                size_t contacts = 0;
                size_t alike = sw_coloring_suits(model, by, NULL) ? alike_in(run, by, &contacts) : 0;
                if (alike) {
                    fail_msg("%s by %s: %zu of %zu neighbors look alike by %s", models[m], planners[p], alike, contacts,
                             sw_coloring_words[by]);
                }
                bool tones = m < 2; /* the third has more convolutions alive than there are tones */
                same_colors(run, SW_ON_CELLS, by, first[by], tones);
                same_colors(run, SW_ON_PAGE, by, first[by], tones);
                same_looks(run, by, first[by], tones);
            }
            sw_search_free(run);
        }
        sw_problem_unref(model);
    }
}

/* What is drawn already keeps its color when one more is placed, but for very few. */
static void colors_stay(void **state) {
    (void)state;
    if (SW_SANITIZED) {
        return; /* the same map is drawn at every decision: nothing new for memory */
    }
    struct sw_error error = {0};
    struct sw_search *run = must_run(problem, "greedy-by-size");
    uint8_t before[400], now[400];
    size_t changed = 0, kept = 0;
    memset(before, 255, sizeof before);
    uint64_t first = first_case(sw_search_known(run)), last = first + cases(sw_search_known(run));
    for (uint64_t step = first + 1; step <= last; step++) {
        assert_true(sw_search_seek(run, step, &error));
        struct sw_scene scene = {0};
        struct sw_view_input in = look_at(run, 1120, 630);
        in.look.viewport = (struct sw_viewport){0, sw_problem_steps(problem), 0, 1 << 19};
        sw_view_find("layout", NULL)->build(&in, &scene, (struct sw_box){0, 0, 1120, 630});
        memset(now, 255, sizeof now);
        for (size_t i = 0; i < scene.panels.items[0].marks.count; i++) {
            const struct sw_mark *mark = &scene.panels.items[0].marks.items[i];
            if (mark->style == SW_STYLE_BLOCK && mark->item.id < sizeof now) {
                now[mark->item.id] = mark->hue;
                changed += before[mark->item.id] != 255 && before[mark->item.id] != mark->hue;
                kept += before[mark->item.id] == mark->hue;
            }
        }
        memcpy(before, now, sizeof now);
        sw_scene_done(&scene);
    }
    assert_true(kept > (getenv("STOWAGE_LONG") ? 1000 : 0) && changed < kept / 500 + (getenv("STOWAGE_LONG") ? 0 : 3));
    sw_search_free(run);
}

static bool has_label(const struct sw_scene *scene, const char *label) {
    const struct sw_panel *map = &scene->panels.items[0];
    for (size_t i = 0; i < map->marks.count; i++) {
        const char *const *labels = map->marks.items[i].labels;
        for (size_t k = 0; labels && labels[k]; k++) {
            if (!strcmp(labels[k], label)) {
                return true;
            }
        }
    }
    return false;
}

/* Of a path what tells it from the others is what is left. */
static void names_stay_apart(void **state) {
    (void)state;
    static const char *const names[] = {"m/act_1/Relu",   "m/act_2/Relu",  "m/act_3/Relu;m/add",
                                        "m/conv_1/Relu6", "m/conv_1/Pool", "m/conv_1/Relu",
                                        "a/x/Relu",       "b/x/Relu",      "plain"};
    struct sw_builder *builder = sw_builder_new(NULL);
    for (int i = 0; i < 9; i++) {
        struct sw_buffer_spec spec = {.name = names[i],
                                      .has_size = true,
                                      .size = 4096,
                                      .has_first = true,
                                      .has_last = true,
                                      .first = i,
                                      .last = i + 1};
        assert_true(sw_builder_buffer(builder, &spec, NULL));
    }
    struct sw_problem *paths = sw_builder_finish(builder, NULL);
    sw_builder_free(builder);
    struct sw_search *run = must_run(paths, "greedy-by-size");
    struct sw_view_input in = look_at(run, 1120, 630);
    struct sw_scene scene = {0};
    in.medium = SW_ON_PAGE;
    sw_view_page(&in, sw_view_find("layout", NULL), &scene);
    assert_true(has_label(&scene, "act_1") && has_label(&scene, "act_2"));
    assert_true(has_label(&scene, "Relu6") && has_label(&scene, "Pool"));
    assert_true(has_label(&scene, "add"));
    assert_true(has_label(&scene, "conv_1/Relu"));
    assert_true(has_label(&scene, "a") && has_label(&scene, "b") && has_label(&scene, "plain"));
    assert_false(has_label(&scene, "Relu") || has_label(&scene, "act_1/"));
    sw_scene_done(&scene);
    sw_search_free(run);
    sw_problem_unref(paths);
}

static const struct sw_panel *panel_of(const struct sw_scene *scene, const char *id) {
    for (size_t i = 0; i < scene->panels.count; i++) {
        if (!strcmp(scene->panels.items[i].id, id)) {
            return &scene->panels.items[i];
        }
    }
    return NULL;
}

/* Furniture gives way, one after the other, and the map stays legible. */
static void small_pages_do_without(void **state) {
    (void)state;
    static const struct {
        double width, height;
        bool live, legend, caption, titles;
    } cases[] = {{1120, 630, true, true, true, true},   {640, 430, true, true, true, true},
                 {500, 350, false, true, false, true},  {500, 295, false, false, false, true},
                 {400, 255, false, false, false, true}, {320, 200, false, false, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct planned planned;
        plan_page(&planned, search, "layout", cases[i].width, cases[i].height, NULL);
        const struct sw_panel *map = panel_of(&planned.scene, "map");
        double least = cases[i].width < 400 ? 40 : 70;
        if (map->body_height < least || !panel_of(&planned.scene, "live") != !cases[i].live ||
            !planned.scene.legend.count != !cases[i].legend ||
            (sw_scene_caption_lines(&planned.scene) > 1) != cases[i].caption || !map->y.title != !cases[i].titles) {
            fail_msg("%gx%g: map %g high, live %d, legend %zu, caption %zu, titles %d", cases[i].width, cases[i].height,
                     map->body_height, panel_of(&planned.scene, "live") != NULL, planned.scene.legend.count,
                     sw_scene_caption_lines(&planned.scene), map->y.title != NULL);
        }
        assert_true(planned.scene.caption.count >= 3); /* the file still says everything */
        struct sw_legend_place at;
        for (size_t k = 0; sw_drawing_legend(&planned.drawing, k, &at); k++) {
            assert_true(at.top >= map->body_top + map->body_height);
        }
        plan_done(&planned);
    }
}

static int open_run(void **state) {
    (void)state;
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    problem = random_problem(12, 150);
    search = must_run(problem, "best-fit");
    return sw_theme_load("light", &theme, NULL) ? 0 : -1;
}

static int close_run(void **state) {
    (void)state;
    sw_search_free(search);
    sw_problem_unref(problem);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fonts_are_not_needed), /* first: before fontconfig has looked */
        cmocka_unit_test(pictures_are_what_they_say),
        cmocka_unit_test(a_child_that_hangs_is_ended),
        cmocka_unit_test(names_are_escaped_in_svg),
        cmocka_unit_test(same_picture_same_bytes),
        cmocka_unit_test(sizes_have_limits),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(files_are_whole_or_not_there),
        cmocka_unit_test(texts_do_not_meet),
        cmocka_unit_test(axes_are_complete),
        cmocka_unit_test(ticks_in_units),
        cmocka_unit_test(notes_find_room),
        cmocka_unit_test(crowds_are_told),
        cmocka_unit_test(names_in_any_script),
        cmocka_unit_test(names_do_not_turn_their_neighbors),
        cmocka_unit_test(everything_can_be_larger),
        cmocka_unit_test(blocks_that_touch_differ),
        cmocka_unit_test(colors_are_kept),
        cmocka_unit_test(colors_stay),
        cmocka_unit_test(names_stay_apart),
        cmocka_unit_test(small_pages_do_without),
    };
    return cmocka_run_group_tests(tests, open_run, close_run);
}
