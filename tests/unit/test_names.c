/* Which names a picture of a layout has: the block that sets the peak is named wherever it is seen, and so are the
 * large ones, in the block or beside it. No two texts meet. And that the tables of a report show all of their cells. */
#include <stdlib.h>

#include "share.h"
#include "unit/view.h"

#include "export/drawing.h"
#include "export/export.h"
#include "lua/theme_file.h"

#include <string.h>

static const double sizes[][2] = {{1120, 630}, {842, 595}, {595, 842}, {500, 400}, {320, 240}};
enum { SIZES = sizeof sizes / sizeof *sizes };

static struct sw_theme theme;
static char what[200]; /* is drawn, for messages */

static void no_texts_meet(const struct sw_drawing *drawing) {
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

static bool is_named(const struct sw_drawing *drawing, const struct sw_mark *mark) {
    for (size_t k = 0; mark->labels && mark->labels[k] && *mark->labels[k]; k++) {
        for (size_t t = 0; t < drawing->texts.count; t++) {
            if (drawing->texts.items[t].text == mark->labels[k]) {
                return true;
            }
        }
    }
    return false;
}

/* The panel's line at the peak names the buffer that ends there; is a block of that buffer named? */
static unsigned check_peak(const struct sw_drawing *drawing, const struct sw_panel *panel) {
    unsigned lines = 0;
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *line = &panel->marks.items[i];
        if (line->kind != SW_MARK_LINE || line->style != SW_STYLE_PEAK || line->item.kind != SW_ITEM_BUFFER) {
            continue;
        }
        bool named = false, ends = false;
        for (size_t k = 0; k < panel->marks.count; k++) {
            const struct sw_mark *mark = &panel->marks.items[k];
            bool own =
                mark->kind == SW_MARK_RECT && mark->item.kind == SW_ITEM_BUFFER && mark->item.id == line->item.id;
            named = named || (own && is_named(drawing, mark));
            ends = ends || (own && mark->y1 == line->y0);
        }
        if (!named || !ends) {
            fail_msg("%s: buffer %u sets the peak and is %s", what, (unsigned)line->item.id,
                     ends ? "not named" : "not there");
        }
        lines++;
    }
    return lines;
}

/* Blocks that are high and not thin. */
static void check_large(const struct sw_drawing *drawing, const struct sw_panel *panel) {
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        struct sw_area area;
        if (mark->kind == SW_MARK_RECT && mark->item.kind == SW_ITEM_BUFFER && sw_drawing_area(panel, mark, &area) &&
            area.bottom - area.top > panel->body_height / 5 && area.right - area.left > 6.5 &&
            !is_named(drawing, mark)) {
            fail_msg("%s: a block of %.0f by %.0f points has no name", what, area.right - area.left,
                     area.bottom - area.top);
        }
    }
}

struct page {
    struct sw_scene scene;
    struct sw_drawing drawing;
    cairo_surface_t *surface;
};

static void plan(struct page *page, const struct sw_view_input *in, const char *view) {
    assert_true(sw_late_load(NULL));
    *page = (struct page){.surface = sw_late.cairo_image_surface_create(CAIRO_FORMAT_RGB24, 8, 8)};
    sw_view_page(in, sw_view_find(view, NULL), &page->scene);
    assert_false(page->scene.failed);
    assert_true(sw_drawing_open(&page->drawing, &page->scene, &theme, sw_late.cairo_create(page->surface)));
    sw_drawing_plan(&page->drawing);
    assert_false(page->drawing.failed);
    no_texts_meet(&page->drawing);
}

static void done(struct page *page) {
    cairo_t *cairo = page->drawing.cairo;
    sw_drawing_close(&page->drawing);
    sw_late.cairo_destroy(cairo);
    sw_late.cairo_surface_destroy(page->surface);
    sw_scene_done(&page->scene);
}

static struct sw_view_input on_paper(const struct sw_search *search, double width, double height) {
    struct sw_view_input in = look_at(search, width, height);
    in.medium = SW_ON_PAGE;
    in.marks_per_unit_x = in.marks_per_unit_y = 1;
    in.look.tier = sw_problem_tier_count(sw_search_problem(search)) > 1 ? SW_NONE : 0;
    return in;
}

static void check_page(const struct sw_search *search, double width, double height) {
    struct sw_view_input in = on_paper(search, width, height);
    struct page page;
    unsigned lines = 0;
    plan(&page, &in, "layout");
    for (size_t p = 0; p < page.scene.panels.count; p++) {
        lines += check_peak(&page.drawing, &page.scene.panels.items[p]);
        if (width == 595 && !strcmp(page.scene.panels.items[p].id, "map")) {
            check_large(&page.drawing, &page.scene.panels.items[p]);
        }
    }
    assert_true(lines >= 1);
    done(&page);
}

/* The rows of a page's tables, heads and titles left out. */
static size_t rows_of(const struct sw_scene *scene) {
    size_t rows = 0;
    for (size_t p = 0; p < scene->panels.count; p++) {
        const struct sw_panel *panel = &scene->panels.items[p];
        rows += panel->kind == SW_PANEL_TABLE ? panel->rows.count : 0;
    }
    return rows;
}

/* Every cell is there as a whole, and no page holds a single row of a table that goes on. */
static void check_report(const struct sw_search *search, double width, double height) {
    struct sw_view_input in = on_paper(search, width, height);
    uint32_t pages = sw_view_pages(&in, sw_view_find("report", NULL));
    for (in.look.page = 0; in.look.page < pages; in.look.page++) {
        struct page page;
        plan(&page, &in, "report");
        for (size_t t = 0; t < page.drawing.texts.count; t++) {
            const struct sw_placed_text *text = &page.drawing.texts.items[t];
            if (text->room > 0) {
                fail_msg("%s: page %u of the report: '%s' is cut", what, in.look.page + 1, text->text);
            }
        }
        if (rows_of(&page.scene) == 2 && page.scene.panels.count == 1) {
            fail_msg("%s: page %u of the report has one row", what, in.look.page + 1);
        }
        done(&page);
    }
}

static uint64_t drawn;

static void check_problem(const struct sw_problem *problem, const char *name) {
    static const char *const planners[] = {"greedy-by-size", "first-fit", "lifetime-best-fit"};
    for (size_t p = 0; p < sizeof planners / sizeof *planners; p++) {
        struct sw_search *search = must_run(problem, planners[p]);
        for (size_t s = 0; s < (SW_SANITIZED ? 2 : SIZES); s++) {
            if (!in_share(drawn++, 4)) {
                continue;
            }
            snprintf(what, sizeof what, "%s, %s, %.0fx%.0f", name, planners[p], sizes[s][0], sizes[s][1]);
            check_page(search, sizes[s][0], sizes[s][1]);
        }
        sw_search_free(search);
    }
}

static struct sw_problem *must_load(const char *model) {
    char path[1000];
    struct sw_error error = {0};
    snprintf(path, sizeof path, "%s/scripts/models/%s", SW_TEST_SOURCE, model);
    struct sw_problem *problem = sw_load(path, NULL, NULL, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    return problem;
}

static void shipped_models(void **state) {
    (void)state;
    static const char *const models[] = {
        "mobilenet_v1_025_96.json", "densenet121.lua", "resnet50.lua", "googlenet.lua", "unet.lua",
        "gpt_decoder.lua",          "example1.json",   "branches.json"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct sw_problem *problem = must_load(models[i]);
        check_problem(problem, models[i]);
        sw_problem_unref(problem);
    }
}

/* Where most blocks are merged, too. */
static void crowds(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= (SW_SANITIZED ? 1 : 4); seed++) {
        char name[40];
        struct sw_problem *problem = random_problem(seed, seed < 4 ? 300 : 6000);
        snprintf(name, sizeof name, "seed %d", (int)seed);
        check_problem(problem, name);
        sw_problem_unref(problem);
    }
}

static void reports(void **state) {
    (void)state;
    static const char *const models[] = {"mobilenet_v1_025_96.json", "densenet121.lua", "resnet50.lua", "example1.json",
                                         "gpt_decoder.lua",          "unet.lua"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct sw_problem *problem = must_load(models[i]);
        struct sw_search *search = must_run(problem, "first-fit");
        for (size_t s = 0; s < (SW_SANITIZED ? 1 : SIZES - 2); s++) {
            snprintf(what, sizeof what, "%s, %.0fx%.0f", models[i], sizes[s][0], sizes[s][1]);
            check_report(search, sizes[s][0], sizes[s][1]);
        }
        sw_search_free(search);
        sw_problem_unref(problem);
    }
    /* So many rows that one or two would be left over where pages are filled one by one. */
    for (uint32_t count = 40; count < 120; count++) {
        if (!in_share(count, SW_SANITIZED ? 16 : 8)) {
            continue;
        }
        struct sw_problem *problem = random_problem(count, count);
        struct sw_search *search = must_run(problem, "first-fit");
        snprintf(what, sizeof what, "%u buffers", count);
        check_report(search, 595, 842);
        sw_search_free(search);
        sw_problem_unref(problem);
    }
}

int main(void) {
    struct sw_error error = {0};
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    if (!sw_theme_load("light", &theme, &error)) {
        return 1;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(shipped_models), cmocka_unit_test(crowds),
                                       cmocka_unit_test(reports)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
