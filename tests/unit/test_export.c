/* Pictures: the three kinds, their limits and errors, and that no two texts meet. */
#include <stdlib.h>

#include "unit/view.h"

#include "export/drawing.h"
#include "export/export.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sw_problem *problem;
static struct sw_search *search;
static struct sw_theme theme;

static void page(struct sw_scene *scene, const char *view, double width, double height) {
    struct sw_view_input in = look_at(search, width, height);
    in.paper = true;
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
            assert_true(contains(&sink, "<title>model, planned by best-fit</title>\n<desc>Peak "));
            assert_true(contains(&sink, "</svg>"));
        } else if (kind == SW_PICTURE_PNG) {
            assert_true(contains(&sink, "iTXtTitle"));
            /* 800x500 at two pixels a point. */
            assert_memory_equal(sink.text.items + 16, "\0\0\x06\x40\0\0\x03\xe8", 8);
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
        in.paper = true;
        sw_view_page(&in, sw_view_find("layout", NULL), &scene);
        _exit(quiet && sw_export_scene(&scene, &theme, SW_PICTURE_PNG, &sink, NULL) ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
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
    assert_string_equal(
        error.message, "a PNG of 16384x300 points would have 32768x600 pixels and no side may have "
                       "more than 32767: ask for a smaller size, or for SVG or PDF");
    assert_int_equal(sink.text.count, 0);
    assert_true(sw_export_scene(&scene, &theme, SW_PICTURE_SVG, &sink, &error));
    sw_sink_done(&sink);
    sw_scene_clear(&scene);
    page(&scene, "live", 100, 50);
    assert_false(sw_export_scene(&scene, &theme, SW_PICTURE_SVG, &sink, &error));
    assert_string_equal(error.message,
                        "a picture is from 240x160 to 100000x100000 points, not 100x50");
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
    assert_string_equal(error.message, "a picture's name ends in .svg, .png or .pdf");
    assert_int_equal(rmdir(folder), 0); /* empty: nothing half-done is left */
}

/* Every pair of texts of a page. */
static void check_texts(const char *view, double width, double height) {
    struct sw_scene scene = {0};
    struct sw_drawing drawing;
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 8, 8);
    cairo_t *cairo = cairo_create(surface);
    page(&scene, view, width, height);
    assert_true(sw_drawing_open(&drawing, &scene, &theme, cairo));
    sw_drawing_plan(&drawing);
    assert_false(drawing.failed);
    assert_true(drawing.texts.count > 4);
    for (size_t i = 0; i < drawing.texts.count; i++) {
        const struct sw_placed_text *a = &drawing.texts.items[i];
        assert_true(a->left >= 0 && a->top >= 0 && a->left + a->width <= width &&
                    a->top + a->height <= height);
        for (size_t k = i + 1; k < drawing.texts.count; k++) {
            const struct sw_placed_text *b = &drawing.texts.items[k];
            if (a->left < b->left + b->width && b->left < a->left + a->width &&
                a->top < b->top + b->height && b->top < a->top + a->height) {
                fail_msg("%s at %gx%g: '%s' meets '%s'", view, width, height, a->text, b->text);
            }
        }
    }
    sw_drawing_close(&drawing);
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
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
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 8, 8);
    cairo_t *cairo = cairo_create(surface);
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
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
    sw_scene_done(&scene);
}

static void texts_do_not_meet(void **state) {
    (void)state;
    static const double sizes[][2] = {
        {1120, 630}, {400, 300}, {240, 160}, {500, 1400}, {2000, 400}};
    for (size_t v = 0; v < sw_view_count(); v++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            check_texts(sw_view_get(v)->name, sizes[s][0], sizes[s][1]);
        }
    }
    check_complete();
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
        cmocka_unit_test(names_are_escaped_in_svg),
        cmocka_unit_test(same_picture_same_bytes),
        cmocka_unit_test(sizes_have_limits),
        cmocka_unit_test(failures_are_told),
        cmocka_unit_test(files_are_whole_or_not_there),
        cmocka_unit_test(texts_do_not_meet),
    };
    return cmocka_run_group_tests(tests, open_run, close_run);
}
