/* Which names a picture of a layout has: the block that sets the peak is named wherever it is seen, and so are the
 * large ones, in the block or beside it. No two texts meet. Names stay in their panel, blocks of one height have names
 * of one size, and no two have the same. And that the tables of a report show all of their cells. */
#include <stdlib.h>

#include "share.h"
#include "unit/view.h"

#include "export/drawing.h"
#include "export/export.h"
#include "lua/theme_file.h"
#include "view/pages/runs.h"

#include <math.h>
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

static void plan_scene(struct page *page) {
    assert_false(page->scene.failed);
    assert_true(sw_drawing_open(&page->drawing, &page->scene, &theme, sw_late.cairo_create(page->surface)));
    sw_drawing_plan(&page->drawing);
    assert_false(page->drawing.failed);
    no_texts_meet(&page->drawing);
}

static void plan(struct page *page, const struct sw_view_input *in, const char *view) {
    assert_true(sw_late_load(NULL));
    *page = (struct page){.surface = sw_late.cairo_image_surface_create(CAIRO_FORMAT_RGB24, 8, 8)};
    sw_view_page(in, sw_view_find(view, NULL), &page->scene);
    plan_scene(page);
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

/* ---- how names stand ---- */

/* Is it a name, and not the bytes below one? */
static bool is_name(const struct sw_placed_text *text) {
    for (size_t k = 0; text->mark && text->mark->labels && text->mark->labels[k]; k++) {
        if (text->mark->labels[k] == text->text) {
            return true;
        }
    }
    return false;
}

/* Inside the panel's body, and no two of a panel alike. */
static void check_place(const struct sw_drawing *drawing, const struct sw_placed_text *text) {
    const struct sw_panel *panel = text->panel;
    double right = panel->body_left + panel->body_width, bottom = panel->body_top + panel->body_height;
    if (text->left < panel->body_left - 0.6 || text->left + text->width > right + 0.6 ||
        text->top < panel->body_top - 0.6 || text->top + text->height > bottom + 0.6) {
        fail_msg("%s: '%s' leaves its panel", what, text->text);
    }
    for (const struct sw_placed_text *other = drawing->texts.items; other < text; other++) {
        if (is_name(other) && other->panel == panel && other->mark->item.kind == SW_ITEM_BUFFER &&
            other->mark->item.id != text->mark->item.id && !strcmp(other->text, text->text)) {
            fail_msg("%s: two blocks are called '%s'", what, text->text);
        }
    }
}

/* One size for blocks of one height; one direction for those that touch in a row, unless one has no room for it. */
static void check_row(const struct sw_drawing *drawing, const struct sw_placed_text *a) {
    for (const struct sw_placed_text *b = drawing->texts.items; b < a; b++) {
        if (!is_name(b) || b->panel != a->panel || a->mark->y1 - a->mark->y0 != b->mark->y1 - b->mark->y0) {
            continue;
        }
        if (a->size != b->size) {
            fail_msg("%s: '%s' has a size of %g, '%s' of %g", what, a->text, a->size, b->text, b->size);
        }
        struct sw_area level;
        const struct sw_placed_text *flat = a->rotated ? b : a;
        bool touch = a->mark->x0 == b->mark->x1 || a->mark->x1 == b->mark->x0;
        if (touch && a->mark->y0 == b->mark->y0 && a->rotated != b->rotated && !a->beside && !b->beside &&
            sw_drawing_area(a->panel, flat->mark, &level) && level.bottom - level.top >= flat->width + 4 &&
            level.right - level.left >= flat->size * 1.2 &&
            level.bottom - level.top > 1.15 * (level.right - level.left)) {
            fail_msg("%s: '%s' and '%s' lie in a row and read in two directions", what, a->text, b->text);
        }
    }
}

static bool is_found(double size, const double *among, unsigned count) {
    while (count > 0 && among[count - 1] != size) {
        count--;
    }
    return count > 0;
}

/* All names of a page: how many. What may be cut is a name that has no shorter form. */
static unsigned check_names(const struct sw_drawing *drawing, bool cut) {
    double found[8];
    unsigned count = 0, names = 0;
    for (size_t i = 0; i < drawing->texts.count; i++) {
        const struct sw_placed_text *text = &drawing->texts.items[i];
        if (text->left < 6 || text->top < 6 || text->left + text->width > drawing->scene->width - 6 ||
            text->top + text->height > drawing->scene->height - 6) {
            fail_msg("%s: '%s' touches the edge of the page", what, text->text);
        }
        if (!is_name(text)) {
            continue;
        }
        names++;
        check_place(drawing, text);
        check_row(drawing, text);
        if (!*text->text || (text->room > 0 && !cut)) {
            fail_msg("%s: '%s' is cut", what, text->text);
        }
        if (!is_found(text->size, found, count) && count < 8) {
            found[count++] = text->size;
        }
    }
    if (count > 2) {
        fail_msg("%s: names of %u sizes", what, count);
    }
    return names;
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
    check_names(&page.drawing, false);
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
        "mobilenet_v1_025_96.json", "densenet121.lua", "resnet50.lua",  "googlenet.lua", "unet.lua",
        "gpt_decoder.lua",          "example1.json",   "branches.json", "randwire.lua"};
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

/* ---- several maps on a page ---- */

static void check_comparison(const struct sw_problem *problem, const char *model, double width, double height) {
    static const char *const planners[] = {"first-fit", "best-fit", "greedy-by-size", "greedy-by-breadth"};
    struct sw_compare_run runs[4];
    for (size_t i = 0; i < 4; i++) {
        runs[i] = (struct sw_compare_run){
            .planner = planners[i], .search = must_run(problem, planners[i]), .why = "", .cost = (double)NAN};
    }
    struct sw_compare_page all = {.page = {.width = width, .height = height, .marks = 1},
                                  .problem = problem,
                                  .input_name = model,
                                  .runs = runs,
                                  .count = 4};
    struct page page = {.surface = sw_late.cairo_image_surface_create(CAIRO_FORMAT_RGB24, 8, 8)};
    snprintf(what, sizeof what, "%s, four planners, %.0fx%.0f", model, width, height);
    sw_view_multiples(&all, &page.scene);
    plan_scene(&page);
    assert_true(check_names(&page.drawing, false) > 0);
    for (size_t i = 0; i < 4; i++) {
        bool whole = false;
        for (size_t t = 0; t < page.drawing.texts.count; t++) {
            const struct sw_placed_text *text = &page.drawing.texts.items[t];
            whole |= strstr(text->text, planners[i]) && !(text->room > 0);
        }
        if (!whole) {
            fail_msg("%s: the heading '%s' is cut", what, planners[i]);
        }
    }
    done(&page);
    for (size_t i = 0; i < 4; i++) {
        sw_search_free((struct sw_search *)(uintptr_t)runs[i].search);
    }
}

static void comparisons(void **state) {
    (void)state;
    static const char *const models[] = {"mobilenet_v1_025_96.json", "densenet121.lua", "randwire.lua"};
    static const double pages[][2] = {{842, 595}, {595, 842}, {1120, 630}, {600, 400}};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        struct sw_problem *problem = must_load(models[i]);
        for (size_t s = 0; s < (SW_SANITIZED ? 1 : 4); s++) {
            check_comparison(problem, models[i], pages[s][0], pages[s][1]);
        }
        sw_problem_unref(problem);
    }
}

/* ---- what names have in common ---- */

/* Buffers in a row, one after the other. */
static struct sw_problem *named_problem(const char *const *names, int count) {
    struct sw_builder *builder = sw_builder_new(NULL);
    for (int i = 0; i < count; i++) {
        struct sw_buffer_spec spec = {.name = names[i],
                                      .has_size = true,
                                      .size = 4096,
                                      .has_first = true,
                                      .has_last = true,
                                      .first = i,
                                      .last = i + 1};
        assert_true(sw_builder_buffer(builder, &spec, NULL));
    }
    struct sw_problem *problem = sw_builder_finish(builder, NULL);
    sw_builder_free(builder);
    assert_non_null(problem);
    return problem;
}

/* The longest label of a buffer on the map; NULL: it has none. */
static const char *label_of(const struct sw_scene *scene, uint64_t buffer) {
    const struct sw_panel *map = &scene->panels.items[0];
    for (size_t i = 0; i < map->marks.count; i++) {
        const struct sw_mark *mark = &map->marks.items[i];
        if (mark->kind == SW_MARK_RECT && mark->item.kind == SW_ITEM_BUFFER && mark->item.id == buffer &&
            mark->labels) {
            return mark->labels[0];
        }
    }
    return NULL;
}

/* How often the caption says it, whose lines are wrapped. */
static unsigned told(const struct sw_scene *scene, const char *words) {
    GString *all = g_string_new(NULL);
    unsigned times = 0;
    for (size_t i = 0; i < scene->caption.count; i++) {
        g_string_append_printf(all, "%s ", scene->caption.items[i]);
    }
    for (const char *at = all->str; (at = strstr(at, words)) != NULL; at += strlen(words)) {
        times++;
    }
    g_string_free(all, TRUE);
    return times;
}

/* Labels as they should be, in the order of the buffers; `words` stand once in the caption, "" stands for none. */
static void check_common(const char *const *names, const char *const *labels, int count, const char *words) {
    struct sw_problem *problem = named_problem(names, count);
    struct sw_search *search = must_run(problem, "first-fit");
    for (size_t s = 0; s < SIZES; s++) {
        struct sw_view_input in = on_paper(search, sizes[s][0], sizes[s][1]);
        struct page page;
        snprintf(what, sizeof what, "%s..., %.0fx%.0f", names[0], sizes[s][0], sizes[s][1]);
        plan(&page, &in, "layout");
        for (int i = 0; i < count; i++) {
            const char *label = label_of(&page.scene, (uint64_t)i);
            if (label && strcmp(label, labels[i]) != 0) {
                fail_msg("%s: '%s' is called '%s' and not '%s'", what, names[i], label, labels[i]);
            }
        }
        assert_non_null(label_of(&page.scene, 0));
        assert_int_equal(told(&page.scene, "Names of blocks are shown without"), *words != 0);
        assert_true(!*words || told(&page.scene, words) == 1);
        check_names(&page.drawing, true);
        done(&page);
    }
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void common_ends_are_told_once(void **state) {
    (void)state;
    check_common((const char *const[]){"image", "conv_1_out", "dw_1_out", "pw_1_out", "dw_2_out", "pw_2_out"},
                 (const char *const[]){"image", "conv_1", "dw_1", "pw_1", "dw_2", "pw_2"}, 6,
                 "without _out behind them.");
    check_common((const char *const[]){"model/act_1/Relu", "model/act_2/Relu", "model/act_3/Relu", "model/act_4/Relu"},
                 (const char *const[]){"act_1", "act_2", "act_3", "act_4"}, 4,
                 "without model/ before and /Relu behind them.");
    check_common((const char *const[]){"module.layer1.a", "module.layer1.b", "module.layer1.c"},
                 (const char *const[]){"a", "b", "c"}, 3, "without module.layer1. before them.");
    check_common((const char *const[]){"buffer_1", "buffer_2", "buffer_3"}, (const char *const[]){"1", "2", "3"}, 3,
                 "without buffer_ before them.");
    /* Too few have it, or nothing would be left. */
    check_common((const char *const[]){"a_out", "b_out", "c", "d"}, (const char *const[]){"a_out", "b_out", "c", "d"},
                 4, "");
    check_common((const char *const[]){"a_out", "b_out"}, (const char *const[]){"a_out", "b_out"}, 2, "");
    check_common((const char *const[]){"x_", "_out", "a_out", "b_out", "c_out", "d_out", "e_out", "f_out"},
                 (const char *const[]){"x_", "_out", "a", "b", "c", "d", "e", "f"}, 8, "without _out behind them.");
}

/* Two would be called the same: these keep theirs. */
static void common_ends_keep_names_apart(void **state) {
    (void)state;
    check_common((const char *const[]){"x", "x_out", "x_out_out", "y_out", "z_out"},
                 (const char *const[]){"x", "x_out", "x_out_out", "y", "z"}, 5, "without _out behind them.");
    check_common(
        (const char *const[]){"m/x", "m/x_out", "x_out", "m/y_out", "m/z_out", "m/w_out", "m/v_out", "m/u_out"},
        (const char *const[]){"m/x", "m/x_out", "x_out", "y", "z", "w", "v", "u"}, 8,
        "without m/ before and _out behind them.");
}

static void hostile_names(void **state) {
    (void)state;
    char long_names[4][320];
    const char *names[8] = {"\xe6\xa8\xa1\xe5\x9e\x8b/\xe5\xb1\x82\xe4\xb8\x80",
                            "\xe6\xa8\xa1\xe5\x9e\x8b/\xe5\xb1\x82\xe4\xba\x8c", "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d_1",
                            "\u202eevil\x01"};
    for (int i = 0; i < 4; i++) {
        memset(long_names[i], 'a' + i, 300);
        long_names[i][300] = '\0';
        long_names[i][150] = '_';
        names[4 + i] = long_names[i];
    }
    struct sw_problem *problem = named_problem(names, 8);
    struct sw_search *search = must_run(problem, "first-fit");
    for (size_t s = 0; s < SIZES; s++) {
        struct sw_view_input in = on_paper(search, sizes[s][0], sizes[s][1]);
        struct page page;
        snprintf(what, sizeof what, "hostile names, %.0fx%.0f", sizes[s][0], sizes[s][1]);
        plan(&page, &in, "layout");
        check_names(&page.drawing, true);
        done(&page);
    }
    sw_search_free(search);
    sw_problem_unref(problem);
    /* A beginning of 300 letters is told once, in as many lines as it needs. */
    char common[3][400];
    for (int i = 0; i < 3; i++) {
        snprintf(common[i], sizeof common[i], "%.300s/%c", long_names[0], 'x' + i);
    }
    problem = named_problem((const char *const[]){common[0], common[1], common[2]}, 3);
    search = must_run(problem, "first-fit");
    struct sw_view_input in = on_paper(search, 842, 595);
    struct page page;
    plan(&page, &in, "layout");
    assert_string_equal(label_of(&page.scene, 0), "x");
    assert_int_equal(told(&page.scene, "Names of blocks are shown without"), 1);
    assert_true(check_names(&page.drawing, false) == 3);
    done(&page);
    sw_search_free(search);
    sw_problem_unref(problem);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(shipped_models),
                                       cmocka_unit_test(crowds),
                                       cmocka_unit_test(comparisons),
                                       cmocka_unit_test(common_ends_are_told_once),
                                       cmocka_unit_test(common_ends_keep_names_apart),
                                       cmocka_unit_test(hostile_names),
                                       cmocka_unit_test(reports)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
