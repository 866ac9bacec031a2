/* Every view of every model that ships, as pages of several sizes: no two texts meet, none leaves
 * the page or lies on an axis, the legend names what occurs and only that, and at the usual size
 * nothing is dropped. And that pictures of very many buffers stay small; that of the figures of the publications no
 * text is lost or cut. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "share.h"
#include "unit/view.h"

#include "export/drawing.h"
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

/* A page that is looked at, and where it came from, for messages. */
struct page {
    const char *model, *planner, *view;
    struct size size;
    struct sw_scene scene;
    struct sw_drawing drawing;
};

/* Many things can be wrong at once: all are counted, some are told. */
static unsigned complaints;
enum { TOLD = 40 };
__attribute__((format(printf, 2, 3))) static void complain(const struct page *page, const char *format, ...) {
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (complaints++ < TOLD) {
        printf("%s, %s, %s at %gx%g: %s\n", page->model, page->planner, page->view, page->size.width, page->size.height,
               what);
    }
}

static bool meet(const struct sw_placed_text *text, double left, double top, double right, double bottom) {
    return text->left < right && left < text->left + text->width && text->top < bottom &&
           top < text->top + text->height;
}

static void check_boxes(struct page *page) {
    const struct sw_placed_text *texts = page->drawing.texts.items;
    for (size_t i = 0; i < page->drawing.texts.count; i++) {
        const struct sw_placed_text *a = &texts[i];
        if (a->left < 0 || a->top < 0 || a->left + a->width > page->size.width ||
            a->top + a->height > page->size.height) {
            complain(page, "'%s' leaves the page", a->text);
        }
        for (size_t k = i + 1; k < page->drawing.texts.count; k++) {
            const struct sw_placed_text *b = &texts[k];
            if (meet(a, b->left, b->top, b->left + b->width, b->top + b->height)) {
                complain(page, "'%s' meets '%s'", a->text, b->text);
            }
        }
    }
}

static bool has_axes(const struct sw_panel *panel) {
    return panel->kind == SW_PANEL_PLOT && (panel->x.title || panel->y.title || panel->y.ticks.count);
}

static void check_axes(struct page *page) {
    for (size_t p = 0; p < page->scene.panels.count; p++) {
        const struct sw_panel *panel = &page->scene.panels.items[p];
        double left = panel->body_left, right = left + panel->body_width;
        double top = panel->body_top, bottom = top + panel->body_height;
        for (size_t i = 0; has_axes(panel) && i < page->drawing.texts.count; i++) {
            const struct sw_placed_text *text = &page->drawing.texts.items[i];
            if (meet(text, left, top, left, bottom) || meet(text, left, bottom, right, bottom)) {
                complain(page, "'%s' lies on an axis of %s", text->text, panel->id);
            }
        }
    }
}

static const struct sw_placed_text *placed(const struct page *page, const char *text) {
    for (size_t i = 0; i < page->drawing.texts.count; i++) {
        if (page->drawing.texts.items[i].text == text) {
            return &page->drawing.texts.items[i];
        }
    }
    return NULL;
}

static bool is_placed(const struct page *page, const char *text) {
    return placed(page, text) != NULL;
}

/* In a map hues tell neighbors apart; elsewhere they tell what is what. Lines have no hatching. */
static bool shows(const struct sw_panel *panel, const struct sw_mark *mark, const struct sw_legend_entry *entry) {
    bool bands = !strcmp(panel->id, "segments"), map = bands || !strcmp(panel->id, "map");
    return mark->style == entry->style &&
           (mark->style != SW_STYLE_BLOCK || bands ||
            ((mark->kind == SW_MARK_LINE || mark->pattern == entry->pattern) && (map || mark->hue == entry->hue)));
}

static void check_legend(struct page *page) {
    for (size_t e = 0; e < page->scene.legend.count; e++) {
        const struct sw_legend_entry *entry = &page->scene.legend.items[e];
        bool found = false;
        for (size_t p = 0; p < page->scene.panels.count; p++) {
            const struct sw_panel *panel = &page->scene.panels.items[p];
            for (size_t i = 0; i < panel->marks.count && !found; i++) {
                found = shows(panel, &panel->marks.items[i], entry);
            }
        }
        if (!found) {
            complain(page, "the legend names '%s', which does not occur", entry->text);
        }
        if (!is_placed(page, entry->text)) {
            complain(page, "the legend's '%s' has no place", entry->text);
        }
    }
    for (size_t i = 0; i < page->scene.caption.count; i++) {
        if (!is_placed(page, page->scene.caption.items[i])) {
            complain(page, "the caption's '%s' has no place", page->scene.caption.items[i]);
        }
    }
}

static void check_ticks(struct page *page, const struct sw_panel *panel, const struct sw_axis *axis) {
    for (size_t i = 0; i < axis->ticks.count; i++) {
        const struct sw_tick *tick = &axis->ticks.items[i];
        if (*tick->label && tick->at >= axis->lo && tick->at <= axis->hi && !is_placed(page, tick->label)) {
            complain(page, "the tick '%s' of %s has no place", tick->label, panel->id);
        }
    }
}

/* At the usual size. */
static void check_complete(struct page *page) {
    for (size_t p = 0; p < page->scene.panels.count; p++) {
        const struct sw_panel *panel = &page->scene.panels.items[p];
        check_ticks(page, panel, &panel->x);
        check_ticks(page, panel, &panel->y);
        if (panel->title && *panel->title && !is_placed(page, panel->title)) {
            complain(page, "the title '%s' has no place", panel->title);
        }
        for (size_t r = 0; r < panel->rows.count; r++) {
            const struct sw_row *row = &panel->rows.items[r];
            for (uint32_t c = 0; c < row->count; c++) {
                const char *text = panel->texts.items[row->first + c].text;
                if (*text && !is_placed(page, text)) {
                    complain(page, "the cell '%s' of %s has no place", text, panel->id);
                }
            }
        }
    }
}

static void check_page(const struct sw_view_input *in, struct page *page) {
    const struct sw_view *view = sw_view_find(page->view, NULL);
    sw_view_page(in, view, &page->scene);
    assert_false(page->scene.failed);
    assert_true(sw_drawing_open(&page->drawing, &page->scene, &theme, cairo));
    sw_drawing_plan(&page->drawing);
    assert_false(page->drawing.failed);
    check_boxes(page);
    check_axes(page);
    check_legend(page);
    if (page->size.width == SW_PICTURE_WIDTH) {
        check_complete(page);
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
    assert_int_equal(complaints, 0);
}

static void planners_with_views_of_their_own(void **state) {
    (void)state;
    complaints = 0;
    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        check_run(&special[i]);
    }
    assert_int_equal(complaints, 0);
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

/* It is there, and no end of it is lost. */
static void check_whole(struct page *page, const char *text, const char *what) {
    const struct sw_placed_text *there = placed(page, text);
    if (!there || there->room > 0) {
        complain(page, "%s '%s' %s", what, text, there ? "is cut" : "has no place");
    }
}

static void check_figure(const struct sw_view_input *in, struct page *page, unsigned panels) {
    sw_view_page(in, sw_view_find(page->view, NULL), &page->scene);
    assert_false(page->scene.failed);
    assert_true(sw_drawing_open(&page->drawing, &page->scene, &theme, cairo));
    sw_drawing_plan(&page->drawing);
    assert_false(page->drawing.failed);
    check_boxes(page);
    check_axes(page);
    check_legend(page);
    if (page->scene.panels.count < panels) {
        complain(page, "%zu panels, not %u", page->scene.panels.count, panels);
    }
    for (size_t p = 0; p < page->scene.panels.count; p++) {
        const struct sw_panel *panel = &page->scene.panels.items[p];
        if (panel->title && *panel->title) {
            check_whole(page, panel->title, "title");
        }
        if (panel->kind == SW_PANEL_PLOT && panel->x.title && panel->x.ticks.count) {
            check_whole(page, panel->x.title, "axis");
        }
        for (size_t i = 0; panel->kind == SW_PANEL_PLOT && i < panel->y.ticks.count; i++) {
            check_whole(page, panel->y.ticks.items[i].label, "row");
        }
        check_ticks(page, panel, &panel->x);
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
    complaints = 0;
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        draw_figure(&figures[i]);
    }
    assert_int_equal(complaints, 0);
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
