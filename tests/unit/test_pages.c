/* Every view of every model that ships, as pages of several sizes: no two texts meet, none leaves
 * the page or lies on an axis, the legend names what occurs and only that, and at the usual size
 * nothing is dropped. And that pictures of very many buffers stay small; that of the figures of the publications no
 * text is lost or cut. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "share.h"
#include "unit/page_checks.h"

#include "export/export.h"
#include "lua/theme_file.h"

struct run {
    const char *model, *planner;
    uint64_t work, capacity;
    bool inplace;
    bool optional; /* the planner may refuse the model */
};
static const struct run special[] = {
    {"scripts/models/two_tiers.json", "tier-search", 0, 0, false, false},
    {"scripts/models/two_tiers.json", "first-fit", 0, 0, false, false},
    {"scripts/models/cpu_npu.lua", "token-sharing", 0, 0, false, false},
    {"scripts/models/two_cores.lua", "order-genetic", 400, 0, false, false},
    {"scripts/models/branches.json", "branch-and-bound", 400, 0, false, false},
    {"scripts/models/branches.json", "first-fit", 0, 0, true, false},
    {"tests/golden/models/migrate.json", "segment-genetic", 0, 0, false, false},
    {"tests/golden/models/swap.json", "segment-genetic", 0, 0, false, false},
    {"tests/golden/models/pieces.json", "best-fit", 0, 0, false, false},
    {"tests/golden/models/breed.csv", "order-genetic", 400, 0, false, false},
};

/* These try every model, at the first size. */
static const char *const others[] = {"token-sharing", "order-genetic", "branch-and-bound"};

struct size {
    double width, height;
};
static const struct size sizes[] = {{1120, 630}, {500, 400}, {595, 842}, {842, 595}};
/* Sanitizers make text slow. */
#if defined __SANITIZE_ADDRESS__
enum { SIZES = 2 };
#else
enum { SIZES = sizeof sizes / sizeof *sizes };
#endif

static struct sw_theme theme;
static cairo_t *cairo;

struct page {
    const char *model, *planner, *view;
    struct size size;
    struct sw_scene scene;
    struct sw_drawing drawing;
};

static void open_page(const struct sw_view_input *in, struct page *page) {
    complaints->of_this = 0;
    snprintf(looked_at, sizeof looked_at, "%s, %s, %s at %gx%g", page->model, page->planner, page->view,
             page->size.width, page->size.height);
    sw_view_page(in, sw_view_find(page->view, NULL), &page->scene);
    assert_false(page->scene.failed);
    assert_true(sw_drawing_open(&page->drawing, &page->scene, &theme, cairo));
    sw_drawing_plan(&page->drawing);
    assert_false(page->drawing.failed);
    check_boxes(&page->drawing);
    check_axes(&page->drawing);
    check_legend(&page->drawing);
}

static void check_page(const struct sw_view_input *in, struct page *page) {
    open_page(in, page);
    if (page->size.width == SW_PICTURE_WIDTH) {
        check_complete(&page->drawing);
    }
    sw_drawing_close(&page->drawing);
}

static uint64_t pages;

static void check_views(const struct run *run, const struct sw_search *search, const struct sw_explanation *explanation,
                        size_t count) {
    struct page page = {.model = run->model, .planner = run->planner};
    for (size_t s = 0; s < count; s++) {
        struct sw_view_input in = look_at(search, sizes[s].width, sizes[s].height);
        page.size = sizes[s];
        in.medium = SW_ON_PAGE;
        in.marks_per_unit_y = 1;
        in.run.explanation = explanation;
        in.look.ghosts = sw_search_at(search) < sw_search_known(search);
        in.run.input_name = run->model;
        in.look.tier = sw_problem_tier_count(sw_search_problem(search)) > 1 ? SW_NONE : 0;
        for (size_t v = 0; v < sw_view_count(); v++) {
            if (!in_share(pages++, SW_SANITIZED ? 8 : 4)) {
                continue;
            }
            page.view = sw_view_get(v)->name;
            sw_scene_clear(&page.scene);
            check_page(&in, &page);
        }
    }
    sw_scene_done(&page.scene);
}

/* In the middle of a run there is a last decision, with places that it refused. */
static void check_half(const struct run *run, struct sw_search *search, struct sw_explanation *explanation) {
    struct sw_error error = {0};
    uint64_t half = sw_search_known(search) / 2;
    if (half > 0 && !run->optional) {
        assert_true(sw_search_seek(search, half, &error));
        assert_true(sw_search_explain(search, half, explanation, &error));
        check_views(run, search, explanation, 1);
    }
}

static void check_run(const struct run *run) {
    struct sw_load_options options = {
        .has_capacity = run->capacity > 0, .capacity = run->capacity, .inplace_safe = run->inplace};
    struct sw_params params = {.seed = 1, .work = run->work};
    struct sw_error error = {0};
    struct sw_explanation explanation = {0};
    char path[512];
    snprintf(path, sizeof path, SW_TEST_SOURCE "/%s", run->model);
    struct sw_problem *problem = sw_load(path, &options, NULL, &error);
    const struct sw_planner *planner = problem ? sw_planner_find(run->planner, &error) : NULL;
    struct sw_search *search = planner ? sw_search_new(problem, planner, &params, &error) : NULL;
    if (!search || sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        if (!run->optional) {
            fail_msg("%s, %s: %s", run->model, run->planner, error.message);
        }
    } else {
        assert_true(sw_search_explain(search, sw_search_at(search), &explanation, &error));
        check_views(run, search, &explanation, run->optional ? 1 : SIZES);
        check_half(run, search, &explanation);
    }
    sw_explanation_done(&explanation);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void shipped_models(void **state) {
    (void)state;
    DIR *folder = opendir(SW_TEST_SOURCE "/scripts/models");
    unsigned count = 0;
    assert_non_null(folder);
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot && (!strcmp(dot, ".json") || !strcmp(dot, ".lua"))) {
            char model[300];
            snprintf(model, sizeof model, "scripts/models/%s", entry->d_name);
            check_run(&(struct run){.model = model, .planner = "auto"});
            for (size_t i = 0; i < (SW_SANITIZED ? 1 : sizeof others / sizeof *others); i++) {
                if (in_share(count + i, 4)) {
                    check_run(&(struct run){.model = model, .planner = others[i], .work = 300, .optional = true});
                }
            }
            count++;
        }
    }
    closedir(folder);
    assert_true(count >= 18);
    no_complaints();
}

static void planners_with_views_of_their_own(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        check_run(&special[i]);
    }
    no_complaints();
}

/* ---- the figures of the publications ---- */

struct figure {
    struct run run;
    const char *view;
    const char *made; /* after the first decision of this kind, and at the end; NULL: at the end and in the middle */
    unsigned panels;  /* at least so many */
};
static const struct figure figures[] = {
    {{"scripts/models/train_cnn.lua", "segment-genetic", 0, 16 << 20, false, false}, "segments", "crossover", 3},
    {{"scripts/models/train_cnn.lua", "segment-genetic", 0, 16 << 20, false, false}, "segments", "mutate", 3},
    {{"scripts/models/train_cnn.lua", "segment-genetic", 0, 16 << 20, false, false}, "occupancy", NULL, 3},
    {{"tests/golden/models/migrate.json", "segment-genetic", 0, 0, false, false}, "segments", "crossover", 3},
    {{"scripts/models/mobilenet_v1_025_96.json", "lifetime-best-fit", 0, 0, false, false}, "queues", NULL, 4},
    {{"scripts/models/googlenet.lua", "lifetime-best-fit", 0, 0, false, false}, "queues", "coalesce", 4},
    {{"scripts/models/cpu_npu.lua", "token-sharing", 0, 0, false, false}, "token-life", NULL, 2},
    {{"scripts/models/googlenet.lua", "token-sharing", 0, 0, false, false}, "token-life", "reuse", 2},
    {{"scripts/models/two_cores.lua", "order-genetic", 0, 0, false, false}, "block-diagram", NULL, 1},
    {{"scripts/models/randwire.lua", "order-genetic", 0, 0, false, false}, "block-diagram", NULL, 1},
    {{"tests/golden/models/breed.csv", "order-genetic", 0, 0, false, false}, "sequence", "crossover", 1},
    {{"scripts/models/googlenet.lua", "order-genetic", 0, 0, false, false}, "sequence", "individual", 1},
    {{"scripts/models/mobilenet_v1_025_96.json", "best-fit", 0, 0, false, false}, "conflicts", NULL, 2},
    {{"scripts/models/googlenet.lua", "best-fit", 0, 0, false, false}, "conflicts", NULL, 2},
};

/* 16:9 and A4, in the sizes that --size gives. */
static const struct size figure_sizes[] = {{1120, 630}, {842, 595}, {595, 842}};

static void check_figure(const struct sw_view_input *in, struct page *page, unsigned panels) {
    open_page(in, page);
    if (page->scene.panels.count < panels) {
        complain("%zu panels, not %u", page->scene.panels.count, panels);
    }
    for (size_t p = 0; p < page->scene.panels.count; p++) {
        const struct sw_panel *panel = &page->scene.panels.items[p];
        if (panel->title && *panel->title) {
            check_whole(&page->drawing, panel->title, "title");
        }
        if (panel->kind == SW_PANEL_PLOT && panel->x.title && panel->x.ticks.count) {
            check_whole(&page->drawing, panel->x.title, "axis");
        }
        for (size_t i = 0; panel->kind == SW_PANEL_PLOT && i < panel->y.ticks.count; i++) {
            check_whole(&page->drawing, panel->y.ticks.items[i].label, "row");
        }
        check_ticks(&page->drawing, panel, &panel->x);
    }
    sw_drawing_close(&page->drawing);
}

static uint64_t first_of(const struct sw_search *search, const char *kind) {
    for (uint64_t i = 1; kind && i <= sw_search_known(search); i++) {
        const struct sw_decision *decision = sw_search_journal(search, i);
        if (strcmp(sw_decision_word((enum sw_decision_kind)decision->kind), kind) == 0) {
            return i;
        }
    }
    return kind ? 0 : sw_search_known(search) / 2;
}

static void draw_figure(const struct figure *figure) {
    struct sw_load_options options = {.has_capacity = figure->run.capacity > 0, .capacity = figure->run.capacity};
    struct sw_params params = {.seed = 1};
    struct sw_error error = {0};
    char path[512];
    snprintf(path, sizeof path, SW_TEST_SOURCE "/%s", figure->run.model);
    struct sw_problem *problem = sw_load(path, &options, NULL, &error);
    assert_non_null(problem);
    struct sw_search *search = sw_search_new(problem, sw_planner_find(figure->run.planner, &error), &params, &error);
    assert_non_null(search);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_DONE);
    struct page page = {.model = figure->run.model, .planner = figure->run.planner, .view = figure->view};
    uint64_t made = first_of(search, figure->made);
    assert_true(made > 0);
    for (int end = 1; end >= 0; end--) {
        assert_true(sw_search_seek(search, end ? sw_search_known(search) : made, &error));
        for (size_t s = 0; s < sizeof figure_sizes / sizeof *figure_sizes; s++) {
            struct sw_view_input in = look_at(search, figure_sizes[s].width, figure_sizes[s].height);
            page.size = figure_sizes[s];
            in.medium = SW_ON_PAGE;
            in.marks_per_unit_y = 1;
            in.run.input_name = figure->run.model;
            in.look.tier = sw_problem_tier_count(problem) > 1 ? SW_NONE : 0;
            sw_scene_clear(&page.scene);
            check_figure(&in, &page, figure->panels);
        }
    }
    sw_scene_done(&page.scene);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void figures_of_the_publications(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        draw_figure(&figures[i]);
    }
    no_complaints();
}

static int open_all(void **state) {
    (void)state;
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    assert_true(sw_late_load(NULL));
    cairo_surface_t *surface = sw_late.cairo_image_surface_create(CAIRO_FORMAT_RGB24, 8, 8);
    cairo = sw_late.cairo_create(surface);
    sw_late.cairo_surface_destroy(surface);
    return sw_theme_load("light", &theme, NULL) ? 0 : -1;
}

static int close_all(void **state) {
    (void)state;
    sw_late.cairo_destroy(cairo);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shipped_models),
        cmocka_unit_test(planners_with_views_of_their_own),
        cmocka_unit_test(figures_of_the_publications),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
