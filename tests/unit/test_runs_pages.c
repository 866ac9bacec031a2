/* Pages about several runs, as scenes: which planners share a map, and what a picture of a difference puts first. */
#include "unit/formats.h"
#include "unit/view.h"

#include "export/drawing.h"
#include "lua/theme_file.h"
#include "view/pages/page.h"
#include "view/pages/runs.h"

#include <math.h>

enum { MOST_RUNS = 12 };

/* Three that are alive together, and one that begins when the first has ended. */
static const char list[] = "id,lower,upper,size\na,0,4,100\nb,0,8,50\nc,2,6,30\nd,4,8,90\n";

/* Everything that is read, a line for each row, caption and title. */
static const char *told(const struct sw_scene *scene, char text[20000]) {
    size_t used = (size_t)snprintf(text, 20000, "%s\n%s\n", scene->title, scene->subtitle);
    for (size_t p = 0; p < scene->panels.count; p++) {
        const struct sw_panel *panel = &scene->panels.items[p];
        used += (size_t)snprintf(text + used, 20000 - used, "[%s] %s\n", panel->id, panel->title ? panel->title : "");
        for (size_t r = 0; panel->kind == SW_PANEL_TABLE && r < panel->rows.count; r++) {
            const struct sw_row *row = &panel->rows.items[r];
            for (uint32_t c = 0; c < row->count; c++) {
                used += (size_t)snprintf(text + used, 20000 - used, "%s%s", c ? "|" : "",
                                         panel->texts.items[row->first + c].text);
            }
            used += (size_t)snprintf(text + used, 20000 - used, "\n");
        }
    }
    for (size_t i = 0; i < scene->caption.count; i++) {
        used += (size_t)snprintf(text + used, 20000 - used, "%s\n", scene->caption.items[i]);
    }
    snprintf(text + used, 20000 - used, "unshown: %s\n", scene->exact ? scene->exact : "");
    return text;
}

static void has(const struct sw_scene *scene, const char *words) {
    static char text[20000];
    if (!strstr(told(scene, text), words)) {
        fail_msg("no '%s' in\n%s", words, text);
    }
}

static void has_not(const struct sw_scene *scene, const char *words) {
    static char text[20000];
    if (strstr(told(scene, text), words)) {
        fail_msg("'%s' in\n%s", words, text);
    }
}

static size_t count_panels(const struct sw_scene *scene, const char *id) {
    size_t count = 0;
    for (size_t i = 0; i < scene->panels.count; i++) {
        count += strcmp(scene->panels.items[i].id, id) == 0;
    }
    return count;
}

/* ---- planners beside each other ---- */

struct comparison {
    struct sw_problem *problem;
    struct sw_compare_run runs[MOST_RUNS];
    size_t count;
};

/* "A B ...": each runs, or says why not. */
static void run_all(struct comparison *all, struct sw_problem *problem, const char *const *planners) {
    static struct sw_error errors[MOST_RUNS];
    *all = (struct comparison){.problem = problem};
    for (; planners[all->count]; all->count++) {
        const struct sw_planner *planner = sw_planner_find(planners[all->count], NULL);
        struct sw_error *error = &errors[all->count];
        *error = (struct sw_error){0};
        bool applies = sw_planner_applies(planner, problem, error);
        all->runs[all->count] =
            (struct sw_compare_run){.planner = planners[all->count],
                                    .search = applies ? must_run(problem, planners[all->count]) : NULL,
                                    .why = error->message,
                                    .cost = (double)NAN};
    }
}

static void free_all(struct comparison *all) {
    for (size_t i = 0; i < all->count; i++) {
        sw_search_free((struct sw_search *)all->runs[i].search);
    }
    sw_problem_unref(all->problem);
}

static void build(const struct comparison *all, double width, double height, struct sw_scene *scene) {
    struct sw_compare_page page = {.page = {.width = width, .height = height, .marks = 1},
                                   .problem = all->problem,
                                   .input_name = "some/where/net.csv",
                                   .runs = all->runs,
                                   .count = all->count};
    *scene = (struct sw_scene){0};
    sw_view_multiples(&page, scene);
    assert_false(scene->failed);
}

static struct sw_problem *shipped(const char *name) {
    char path[512];
    struct sw_error error = {0};
    struct sw_load_options options = {0};
    snprintf(path, sizeof path, SW_TEST_SOURCE "/scripts/models/%s", name);
    struct sw_problem *problem = sw_load(path, &options, NULL, &error);
    if (!problem) {
        fail_msg("%s: %s", path, error.message);
    }
    return problem;
}

static const char *const many[] = {"token-sharing",   "greedy-by-size",    "tflm-greedy",       "greedy-by-breadth",
                                   "best-fit",        "first-fit",         "as-built",          "random-order",
                                   "segment-genetic", "farthest-next-use", "lifetime-best-fit", NULL};

static void equal_peaks_share_a_map(void **state) {
    (void)state;
    struct comparison all;
    struct sw_scene scene;
    run_all(&all, shipped("mobilenet_v1_025_96.json"), many);
    build(&all, 1120, 630, &scene);
    assert_int_equal(count_panels(&scene, "map"), 4);
    assert_int_equal(count_panels(&scene, "planner"), 4);
    assert_int_equal(count_panels(&scene, "note"), 0);
    /* The best first, each with all of its names, and whose layout it is. */
    has(&scene, "[planner] \nbest-fit, first-fit, random-order, lifetime-best-fit\n");
    has(&scene, "layout of best-fit; 1 differs");
    /* The headings say the peaks; the file tells them in one sentence. */
    has(&scene, "\nunshown: Peaks: best-fit, first-fit, random-order and lifetime-best-fit each 54 KiB");
    has(&scene, "; greedy-by-size 63 KiB, +16.7%");
    has(&scene, "; tflm-greedy and greedy-by-breadth each 72 KiB");
    has(&scene, "all with this layout");
    has(&scene, "laid out otherwise and not drawn: random-order.");
    has(&scene, "by 4 of 8");
    /* Those that cannot, by reason. */
    has(&scene,
        "Not for this input: as-built (needs a finished plan, and not every buffer of this file has an offset), "
        "segment-genetic, farthest-next-use (need a limited capacity of the first tier, and none is given).");
    sw_scene_done(&scene);
    free_all(&all);
}

static void what_cannot_be_alone_has_cells(void **state) {
    (void)state;
    static const char *const none[] = {"segment-genetic", "farthest-next-use", "as-built", NULL};
    struct comparison all;
    struct sw_scene scene;
    run_all(&all, must_read(list), none);
    build(&all, 800, 500, &scene);
    assert_int_equal(count_panels(&scene, "map"), 0);
    assert_int_equal(count_panels(&scene, "note"), 2);
    has(&scene, "[planner] \nsegment-genetic, farthest-next-use\n");
    has_not(&scene, "Not for this input");
    sw_scene_done(&scene);
    free_all(&all);
}

/* ---- no text is cut ---- */

static void check_whole(const struct sw_scene *scene) {
    struct sw_theme theme;
    struct sw_drawing drawing;
    assert_true(sw_theme_load("light", &theme, NULL) && sw_late_load(NULL));
    cairo_surface_t *surface = sw_late.cairo_image_surface_create(CAIRO_FORMAT_RGB24, 8, 8);
    cairo_t *cairo = sw_late.cairo_create(surface);
    assert_true(sw_drawing_open(&drawing, scene, &theme, cairo));
    sw_drawing_plan(&drawing);
    for (size_t i = 0; i < drawing.texts.count; i++) {
        const struct sw_placed_text *text = &drawing.texts.items[i];
        if (text->room > 0 && !text->note && !text->mark) {
            fail_msg("at %gx%g '%s' is cut", scene->width, scene->height, text->text);
        }
        if (text->left < SW_PAGE_MARGIN / 2 || text->left + text->width > scene->width - SW_PAGE_MARGIN / 2 ||
            text->top < SW_PAGE_MARGIN / 2 || text->top + text->height > scene->height - SW_PAGE_MARGIN / 2) {
            fail_msg("at %gx%g '%s' touches the edge", scene->width, scene->height, text->text);
        }
    }
    sw_drawing_close(&drawing);
    sw_late.cairo_destroy(cairo);
    sw_late.cairo_surface_destroy(surface);
}

static const double sizes[][2] = {{1120, 630}, {842, 595}, {595, 842}, {600, 400}};

static void comparisons_are_whole(void **state) {
    (void)state;
    static const char *const models[] = {"mobilenet_v1_025_96.json", "densenet121.lua"};
    for (size_t m = 0; m < 2; m++) {
        struct comparison all;
        run_all(&all, shipped(models[m]), many);
        for (size_t i = 0; i < 4; i++) {
            struct sw_scene scene;
            build(&all, sizes[i][0], sizes[i][1], &scene);
            check_whole(&scene);
            has_not(&scene, "There is no room for them here");
            sw_scene_done(&scene);
        }
        free_all(&all);
    }
}

/* As much of figures and reasons as there is room for, and of the caption whole sentences. */
static void small_comparisons_are_whole(void **state) {
    (void)state;
    static const char *const planners[] = {"segment-genetic", "first-fit",         "best-fit",
                                           "greedy-by-size",  "farthest-next-use", NULL};
    struct sw_load_options options = {.capacity = 16 << 20, .has_capacity = true};
    for (size_t i = 0; i < 2; i++) {
        struct comparison all;
        struct sw_scene scene;
        struct sw_error error = {0};
        struct sw_problem *problem = sw_load(SW_TEST_SOURCE "/scripts/models/train_cnn.lua", &options, NULL, &error);
        assert_non_null(problem);
        run_all(&all, problem, planners);
        for (size_t k = 0; k < all.count; k++) {
            struct sw_metrics metrics;
            sw_metrics_of(sw_search_layout(all.runs[k].search), &metrics);
            all.runs[k].why = metrics.fits ? "" : "infeasible: data does not fit into memory: 29,753,344 B required";
        }
        build(&all, i ? 800 : 520, i ? 560 : 420, &scene);
        check_whole(&scene);
        has(&scene, i ? "infeasible: data does not fit into\nmemory: 29,753,344 B required\n" : "\ninfeasible\n");
        has(&scene, "MiB, moves");
        has(&scene, "\nunshown: Peaks: segment-genetic 15.97 MiB;");
        size_t shown = sw_scene_caption_lines(&scene);
        const char *last = scene.caption.items[shown - 1];
        assert_int_equal(last[strlen(last) - 1], '.');
        sw_scene_done(&scene);
        free_all(&all);
    }
}

/* ---- two plans ---- */

struct pair {
    struct sw_problem *problems[2];
    struct sw_search *searches[2];
    struct sw_name_matching matching;
    struct sw_diff_page page;
    enum sw_units units;
};

static void pair_of(struct pair *pair, struct sw_problem *old, struct sw_problem *fresh, const char *planner) {
    *pair = (struct pair){.problems = {old, fresh}};
    struct sw_diff_side *sides[] = {&pair->page.old, &pair->page.fresh};
    for (int i = 0; i < 2; i++) {
        pair->searches[i] = must_run(pair->problems[i], planner);
        struct sw_metrics metrics;
        sw_metrics_of(sw_search_layout(pair->searches[i]), &metrics);
        *sides[i] = (struct sw_diff_side){.path = i ? "some/new_net.csv" : "some/net.csv",
                                          .search = pair->searches[i],
                                          .has_peak = true,
                                          .peak = metrics.peak};
    }
    pair->matching.old.layout = sw_search_layout(pair->searches[0]);
    pair->matching.fresh.layout = sw_search_layout(pair->searches[1]);
    assert_true(sw_matching_make(&pair->matching));
    pair->page.matching = &pair->matching;
    pair->page.measure = "peak";
}

static void free_pair(struct pair *pair) {
    sw_matching_done(&pair->matching);
    for (int i = 0; i < 2; i++) {
        sw_search_free(pair->searches[i]);
        sw_problem_unref(pair->problems[i]);
    }
}

static void build_pair(struct pair *pair, double width, double height, struct sw_scene *scene) {
    pair->page.page = (struct sw_runs_page){
        .width = width, .height = height, .marks = 1, .units = pair->units, .conditions = pair->page.page.conditions};
    *scene = (struct sw_scene){0};
    sw_view_pair(&pair->page, scene);
    assert_false(scene->failed);
}

/* "large" only moves, "small" grows by a byte, "gone" goes, "stays" stays. */
static const char before[] =
    "id,lower,upper,size\nstays,0,9,4096\nsmall,0,4,50\nlarge,0,4,2000\ngone,6,9,40\nlong,6,8,10\n";
static const char after[] = "id,lower,upper,size\nstays,0,9,4096\nsmall,0,4,58\nlarge,0,4,2000\nlong,6,9,10\n";

static void heavy_changes_come_first(void **state) {
    (void)state;
    static const struct sw_due due = {
        .count = 3,
        .parts = {{SW_DUE(SW_DUE_WENT), 0, 0}, {SW_DUE(SW_DUE_SIZES), 20, 8}, {SW_DUE(SW_DUE_PLANNER), -12, 0}}};
    struct pair pair;
    struct sw_scene scene;
    pair_of(&pair, must_read(before), must_read(after), "first-fit");
    pair.page.due = &due;
    pair.units = SW_UNITS_BYTES;
    build_pair(&pair, 1120, 630, &scene);
    has(&scene, "4 buffers changed, what weighs most first\n|buffer|size|old|new\nremoved|gone|");
    has(&scene,
        "\nother lifetime|long|10 B|alive 6..7|alive 6..8\ngrew|small||50 B|58 B\nmoved|large|2,000 B|at 4,146|at "
        "4,154\n");
    /* What it is due to, without the parts of 0. */
    has(&scene, "[due] peak +8 B, due to\nbuffers that grew or shrank|+20 B\nthe planner chose otherwise|-12 B\n");
    has_not(&scene, "buffers that went");
    sw_scene_done(&scene);
    build_pair(&pair, 600, 400, &scene);
    has(&scene, "Peak +8 B, due to: buffers that grew or shrank (+20 B), the planner chose otherwise (-12 B).");
    sw_scene_done(&scene);
    /* Plans have no decisions, which is no news on a slide. */
    pair.page.old.plan = pair.page.fresh.plan = true;
    build_pair(&pair, 1120, 630, &scene);
    has_not(&scene, "decisions");
    sw_scene_done(&scene);
    free_pair(&pair);
}

static void what_stays_is_faint(void **state) {
    (void)state;
    struct pair pair;
    struct sw_scene scene;
    pair_of(&pair, must_read(before), must_read(after), "first-fit");
    build_pair(&pair, 1120, 630, &scene);
    size_t faint = 0, strong = 0;
    for (size_t p = 0; p < scene.panels.count; p++) {
        const struct sw_panel *panel = &scene.panels.items[p];
        bool map = panel->kind == SW_PANEL_PLOT;
        for (size_t i = 0; map && i < panel->marks.count; i++) {
            const struct sw_mark *mark = &panel->marks.items[i];
            if (mark->kind == SW_MARK_RECT && mark->item.kind == SW_ITEM_BUFFER) {
                const struct sw_problem *problem = sw_search_problem(panel->about);
                bool stays = !strcmp(sw_problem_buffer(problem, (uint32_t)mark->item.id)->name, "stays");
                assert_true(mark->faint == stays);
                assert_true(!stays || !mark->labels);
                faint += mark->kind == SW_MARK_RECT && stays;
                strong += mark->kind == SW_MARK_RECT && !stays;
            }
        }
    }
    assert_int_equal(faint, 2);
    assert_true(strong >= 4);
    sw_scene_done(&scene);
    free_pair(&pair);
}

static size_t count_told(const struct sw_scene *scene, const char *words) {
    static char text[20000];
    size_t count = 0;
    for (const char *at = told(scene, text); (at = strstr(at, words)); at++) {
        count++;
    }
    return count;
}

/* Of one file under two planners: what both have is said once, and maps have the room that tables do not need. */
static void one_file_is_told_once(void **state) {
    (void)state;
    struct pair pair;
    struct sw_scene scene;
    struct sw_problem *problem = shipped("mobilenet_v1_025_96.json");
    pair_of(&pair, problem, sw_problem_ref(problem), "greedy-by-size");
    pair.page.fresh.path = pair.page.old.path;
    pair.page.page.conditions = "--new-planner best-fit";
    build_pair(&pair, 1120, 630, &scene);
    has(&scene, "\nOld: planned by greedy-by-size, seed 1, peak 63 KiB. New: planned by greedy-by-size,");
    assert_int_equal(count_told(&scene, "32 blocks, 31 steps"), 1);
    assert_int_equal(count_told(&scene, "Options "), 1);
    size_t faint = 0;
    for (size_t i = 0; i < scene.legend.count; i++) {
        faint += scene.legend.items[i].faint;
        assert_true(scene.legend.items[i].style != SW_STYLE_MERGED || scene.legend.items[i].pattern > 0);
    }
    assert_int_equal(faint, 1);
    double map = 0, lowest = 0;
    for (size_t i = 0; i < scene.panels.count; i++) {
        const struct sw_panel *panel = &scene.panels.items[i];
        map = panel->kind == SW_PANEL_PLOT ? fmax(map, panel->height) : map;
        lowest = fmax(lowest, panel->top + SW_PAGE_ROW * (double)(panel->rows.count + 1));
    }
    assert_true(map > 0.43 * 630);
    assert_true(lowest > 0.74 * 630);
    sw_scene_done(&scene);
    free_pair(&pair);
}

/* An operator that came before others moves them in time: they are needed by the same ones. */
static void shifted_is_no_other_life(void **state) {
    (void)state;
    static const char old[] =
        "{\"format\":\"stowage-graph\",\"version\":1,\"operators\":[{\"name\":\"a\",\"inputs\":[],\"outputs\":[\"x\"]},"
        "{\"name\":\"b\",\"inputs\":[\"x\"],\"outputs\":[\"y\"]},{\"name\":\"c\",\"inputs\":[\"y\"],\"outputs\":[\"z\"]"
        "}],"
        "\"buffers\":[{\"name\":\"x\",\"size\":64},{\"name\":\"y\",\"size\":64},{\"name\":\"z\",\"size\":64}]}";
    static const char fresh[] =
        "{\"format\":\"stowage-graph\",\"version\":1,\"operators\":[{\"name\":\"n\",\"inputs\":[],\"outputs\":[\"w\"]},"
        "{\"name\":\"a\",\"inputs\":[],\"outputs\":[\"x\"]},{\"name\":\"b\",\"inputs\":[\"x\"],\"outputs\":[\"y\"]},"
        "{\"name\":\"c\",\"inputs\":[\"y\"],\"outputs\":[\"z\"]}],\"buffers\":[{\"name\":\"w\",\"size\":8},"
        "{\"name\":\"x\",\"size\":64},{\"name\":\"y\",\"size\":64},{\"name\":\"z\",\"size\":64}]}";
    struct pair pair;
    struct sw_matched_changes changes = {0};
    pair_of(&pair, must_read(old), must_read(fresh), "best-fit");
    assert_int_equal(pair.matching.counts[SW_CHANGE_LIFETIME], 0);
    assert_int_equal(pair.matching.counts[SW_CHANGE_ADDED], 1);
    assert_int_equal(pair.matching.counts[SW_CHANGE_SHIFTED] + pair.matching.counts[SW_CHANGE_MOVED], 3);
    assert_true(sw_matching_list(&pair.matching, &changes));
    assert_int_equal(changes.count, 4);
    assert_int_equal(changes.items[0].old, SW_NONE); /* what came is all that weighs */
    assert_int_equal(changes.items[0].weight, 8);
    assert_int_equal(changes.items[1].weight, 0);
    SW_ARRAY_DONE(&changes);
    free_pair(&pair);
}

static void differences_are_whole(void **state) {
    (void)state;
    struct pair pair;
    pair_of(&pair, shipped("mobilenet_v1_025_96.json"), shipped("mobilenet_v2_035.lua"), "greedy-by-size");
    static const char *const names[][2] = {
        {"some/mobilenet_v1_025_96.json", "some/mobilenet_v2_035.lua"},
        {"some/of_a_name_that_is_long_and_goes_on/the_network_of_last_week_with_other_options.json",
         "some/of_a_name_that_is_long_and_goes_on/the_network_of_this_week_with_other_options.json"}};
    for (size_t n = 0; n < 2; n++) {
        pair.page.old.path = names[n][0];
        pair.page.fresh.path = names[n][1];
        for (size_t i = 0; i < 4; i++) {
            struct sw_scene scene;
            build_pair(&pair, sizes[i][0], sizes[i][1], &scene);
            check_whole(&scene);
            sw_scene_done(&scene);
        }
    }
    free_pair(&pair);
}

int main(void) {
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_peaks_share_a_map),  cmocka_unit_test(what_cannot_be_alone_has_cells),
        cmocka_unit_test(comparisons_are_whole),    cmocka_unit_test(small_comparisons_are_whole),
        cmocka_unit_test(heavy_changes_come_first), cmocka_unit_test(what_stays_is_faint),
        cmocka_unit_test(one_file_is_told_once),    cmocka_unit_test(shifted_is_no_other_life),
        cmocka_unit_test(differences_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
