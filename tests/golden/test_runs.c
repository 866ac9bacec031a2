/* Pages about several runs as text, compared with files in expected/ (UPDATE_GOLDEN=1 rewrites
 * them); and of all of them, at several sizes, that no two texts meet and that nothing the frame
 * must show is dropped. */
#include "golden/compare.h"
#include "scene_dump.h"

#include "export/drawing.h"
#include "view/pages/runs.h"
#include "view/pages/xyplot.h"
#include "lua/theme_file.h"

#include <math.h>

#define MODELS "scripts/models/"
#define OWN "tests/golden/models/"
#define SHIPPED                                                                                                 \
    MODELS "branches.json", MODELS "cpu_npu.lua", MODELS "densenet121.lua", MODELS "example1.json",             \
        MODELS "example2.json", MODELS "googlenet.lua", MODELS "gpt_decoder.lua", MODELS "inception_v3.lua",    \
        MODELS "mobilenet_v1.lua", MODELS "mobilenet_v1_025_96.json", MODELS "mobilenet_v2.lua",                \
        MODELS "resnet50.lua", MODELS "teaching.lua", MODELS "train_cnn.lua", MODELS "transformer_encoder.lua", \
        MODELS "two_cores.lua", MODELS "two_tiers.json", MODELS "unet.lua"
enum { MOST = 8 };

/* Pages that are made of figures, and of no runs. */
enum made { MADE_OF_RUNS, MADE_BANDS, MADE_CURVES, MADE_STEMS };

/* One page: planners of a model beside each other, or two sides. */
struct golden {
    const char *name;
    const char *model;
    const char *planners; /* A,B,...; for a pair the old and the new one */
    const char *other;    /* of a pair: the new model */
    double width, height;
    bool pair;
    enum made made;
};

static const struct golden goldens[] = {
    {"page-multiples", MODELS "example1.json", "first-fit,greedy-by-size,as-built", NULL, 800, 500, false,
     MADE_OF_RUNS},
    {"page-multiples-tiers", MODELS "two_tiers.json", "first-fit,tier-search,farthest-next-use,branch-and-bound", NULL,
     595, 842, false, MADE_OF_RUNS},
    {"page-multiples-empty", OWN "empty.csv", "first-fit", NULL, 400, 300, false, MADE_OF_RUNS},
    {"page-multiples-small", MODELS "example1.json",
     "first-fit,best-fit,greedy-by-size,greedy-by-breadth,auto,tflm-greedy", NULL, 240, 160, false, MADE_OF_RUNS},
    {"page-multiples-sizes", MODELS "cpu_npu.lua", "token-sharing,first-fit", NULL, 500, 300, false, MADE_OF_RUNS},
    {"page-pair", MODELS "example1.json", "first-fit,greedy-by-size", NULL, 800, 500, true, MADE_OF_RUNS},
    {"page-pair-models", MODELS "example1.json", "best-fit,best-fit", MODELS "example2.json", 595, 842, true,
     MADE_OF_RUNS},
    {"page-pair-same", OWN "one.csv", "best-fit,best-fit", NULL, 400, 300, true, MADE_OF_RUNS},
    {"page-pair-tiers", MODELS "two_tiers.json", "first-fit,tier-search", NULL, 800, 600, true, MADE_OF_RUNS},
    {"page-pair-empty", OWN "empty.csv", "best-fit,best-fit", OWN "one.csv", 800, 500, true, MADE_OF_RUNS},
    {"page-pair-pieces", OWN "pieces.json", "first-fit,greedy-by-size", NULL, 800, 500, true, MADE_OF_RUNS},
};

static const struct golden figures[] = {
    {.name = "page-bands", .width = 800, .height = 500, .made = MADE_BANDS},
    {.name = "page-bands-small", .width = 600, .height = 338, .made = MADE_BANDS},
    {.name = "page-xyplot", .width = 600, .height = 340, .made = MADE_CURVES},
    {.name = "page-xyplot-names", .width = 420, .height = 340, .made = MADE_STEMS},
};

/* What the scene that is looked at points into: names of buffers and tiers. */
static struct held {
    struct sw_problem *problems[2];
    struct sw_search *searches[MOST];
    struct sw_error errors[MOST];
    char names[MOST][32];
} held;

static void let_go(void) {
    for (size_t i = 0; i < MOST; i++) {
        sw_search_free(held.searches[i]);
    }
    sw_problem_unref(held.problems[0]);
    sw_problem_unref(held.problems[1]);
    held = (struct held){.problems = {NULL}};
}

/* ---- running ---- */

static struct sw_problem *load(const char *path) {
    char full[512];
    struct sw_error error = {0};
    struct sw_load_options options = {0};
    snprintf(full, sizeof full, SW_TEST_SOURCE "/%s", path);
    struct sw_problem *problem = sw_load(full, &options, NULL, &error);
    if (!problem) {
        printf("%s: %s\n", path, error.message);
    }
    return problem;
}

/* NULL when the planner does not apply: `error` says why. Of a run that fails, too. */
static struct sw_search *run(const struct sw_problem *problem, const char *planner, struct sw_error *error) {
    const struct sw_planner *found = sw_planner_find(planner, error);
    struct sw_search *search = NULL;
    if (found && sw_planner_applies(found, problem, error) &&
        (search = sw_search_new(problem, found, NULL, error)) != NULL) {
        sw_search_run(search, 0, NULL, NULL, error);
    }
    return search;
}

/* The names in "A,B": how many there are. */
static size_t split(const char *list, char names[MOST][32]) {
    size_t count = 0;
    while (*list && count < MOST) {
        size_t length = strcspn(list, ",");
        snprintf(names[count++], 32, "%.*s", (int)length, list);
        list += length + (list[length] == ',');
    }
    return count;
}

static void build_multiples(const struct golden *golden, double width, double height, struct sw_scene *scene) {
    struct sw_compare_run runs[MOST];
    size_t count = split(golden->planners, held.names);
    held.problems[0] = load(golden->model);
    for (size_t i = 0; i < count; i++) {
        held.searches[i] = run(held.problems[0], held.names[i], &held.errors[i]);
        runs[i] = (struct sw_compare_run){
            .planner = held.names[i], .search = held.searches[i], .why = held.errors[i].message, .cost = (double)NAN};
    }
    struct sw_compare_page all = {.page = {.width = width, .height = height, .marks = 1},
                                  .problem = held.problems[0],
                                  .input_name = golden->model,
                                  .input_digest = 0xabcdef,
                                  .runs = runs,
                                  .count = count};
    sw_view_multiples(&all, scene);
}

static struct sw_diff_side side_of(const char *path, struct sw_search *search) {
    struct sw_metrics metrics;
    sw_metrics_of(sw_search_layout(search), &metrics);
    return (struct sw_diff_side){.path = path,
                                 .digest = 0xabcdef,
                                 .search = search,
                                 .has_peak = metrics.complete && metrics.single_tier,
                                 .peak = metrics.peak};
}

static bool build_pair(const struct golden *golden, double width, double height, struct sw_scene *scene) {
    struct sw_error error = {0};
    const char *other = golden->other ? golden->other : golden->model;
    split(golden->planners, held.names);
    held.problems[0] = load(golden->model);
    held.problems[1] = load(other);
    for (int i = 0; i < 2; i++) {
        held.searches[i] = run(held.problems[i], held.names[i], &error);
    }
    struct sw_name_matching matching = {.old = {.layout = sw_search_layout(held.searches[0])},
                                        .fresh = {.layout = sw_search_layout(held.searches[1])}};
    bool good = sw_matching_make(&matching);
    struct sw_diff_page pair = {.page = {.width = width, .height = height, .marks = 1},
                                .old = side_of(golden->model, held.searches[0]),
                                .fresh = side_of(other, held.searches[1]),
                                .matching = &matching};
    sw_view_pair(&pair, scene);
    sw_matching_done(&matching);
    return good;
}

/* Curves with figures that were made up: three seeds of one, one of another, one without a curve.
 */
static void build_bands(double width, double height, struct sw_scene *scene) {
    static const struct sw_seeds_gain gains[][3] = {
        {{1, 9000}, {4, 7000}, {70, 6000}},
        {{2, 9500}, {10, 6500}, {11, 6400}},
        {{1, 8000}, {2, 7900}, {90, 6000}},
        {{1, 8500}, {3, 8200}, {60, 7000}},
    };
    static const struct sw_seeds_run evolved[] = {{1, 100, gains[0], 3}, {2, 100, gains[1], 3}, {3, 95, gains[2], 3}};
    static const struct sw_seeds_run drawn[] = {{1, 200, gains[3], 3}};
    static const struct sw_seeds_planner bands[] = {{"order-genetic", "population=8", evolved, 3, ""},
                                                    {"random-order", "", drawn, 1, ""},
                                                    {"first-fit", "", NULL, 0, "measures no whole layouts on the way"}};
    held.problems[0] = load(MODELS "example1.json");
    struct sw_seeds_page all = {.page = {.width = width, .height = height, .marks = 1},
                                .problem = held.problems[0],
                                .input_name = MODELS "example1.json",
                                .input_digest = 0xabcdef,
                                .measure = SW_MEASURE_PEAK,
                                .bound = 5800,
                                .greedy = 6800,
                                .greedy_name = "greedy-by-size",
                                .bands = bands,
                                .count = 3};
    sw_view_bands(&all, scene);
}

/* Plots of experiments: curves of which two are equal on the way, far apart and with long numbers; stems with names. */
static void build_xyplot(bool names, double width, double height, struct sw_scene *scene) {
    static const struct sw_xypoint one[] = {{1, 4500000}, {10, 2500000}, {100, 2500000}, {1000, 65536}};
    static const struct sw_xypoint two[] = {{1, 9000000}, {10, 2500000}, {100, 2500000}, {1000, 131072}};
    static const struct sw_xypoint percent[] = {{1, 0}, {2, 16.7}, {3, 0}};
    static const char *const models[] = {"mobilenet_v1", "transformer_encoder_with_a_long_name", "unet"};
    static const struct sw_xyseries curves[] = {{"first", one, 4, NULL}, {"second", two, 4, NULL}};
    static const struct sw_xyseries stems[] = {{"greedy", percent, 3, NULL}, {"the same", percent, 3, NULL}};
    struct sw_xyplot plot = {.title = names ? "Stems" : "Curves",
                             .x = names ? NULL : "evaluations",
                             .y = names ? "over the bound, %" : "bytes moved",
                             .names = names ? models : NULL,
                             .name_count = names ? 3 : 0,
                             .log_x = !names,
                             .log_y = !names,
                             .bytes_y = !names,
                             .series = names ? stems : curves,
                             .count = 2,
                             .width = width,
                             .height = height};
    sw_view_xyplot(&plot, scene);
}

static bool build(const struct golden *golden, double width, double height, struct sw_scene *scene) {
    bool good = true;
    if (golden->made == MADE_CURVES || golden->made == MADE_STEMS) {
        build_xyplot(golden->made == MADE_STEMS, width, height, scene);
    } else if (golden->made == MADE_BANDS) {
        build_bands(width, height, scene);
    } else if (golden->pair) {
        good = build_pair(golden, width, height, scene);
    } else {
        build_multiples(golden, width, height, scene);
    }
    return good && !scene->failed;
}

/* ---- texts ---- */

static bool is_placed(const struct sw_drawing *drawing, const char *text) {
    for (size_t i = 0; i < drawing->texts.count; i++) {
        if (drawing->texts.items[i].text == text) {
            return true;
        }
    }
    return false;
}

static int meetings(const char *name, const struct sw_drawing *drawing) {
    const struct sw_scene *scene = drawing->scene;
    int found = 0;
    for (size_t i = 0; i < drawing->texts.count; i++) {
        const struct sw_placed_text *a = &drawing->texts.items[i];
        if (a->left < 0 || a->top < 0 || a->left + a->width > scene->width || a->top + a->height > scene->height) {
            printf("%s: '%s' leaves the page\n", name, a->text);
            found++;
        }
        for (size_t k = i + 1; k < drawing->texts.count; k++) {
            const struct sw_placed_text *b = &drawing->texts.items[k];
            if (a->left < b->left + b->width && b->left < a->left + a->width && a->top < b->top + b->height &&
                b->top < a->top + a->height) {
                printf("%s at %gx%g: '%s' meets '%s'\n", name, scene->width, scene->height, a->text, b->text);
                found++;
            }
        }
    }
    return found;
}

static int losses_of_row(const char *name, const struct sw_drawing *drawing, const struct sw_panel *panel,
                         const struct sw_row *row) {
    int lost = 0;
    for (uint32_t c = 0; c < row->count; c++) {
        const char *text = panel->texts.items[row->first + c].text;
        if (*text && !is_placed(drawing, text)) {
            printf("%s: '%s' is not drawn\n", name, text);
            lost++;
        }
    }
    return lost;
}

/* Titles, legend, caption and every cell of a table are there. */
static int losses(const char *name, const struct sw_drawing *drawing) {
    const struct sw_scene *scene = drawing->scene;
    int lost = !is_placed(drawing, scene->title) + (scene->subtitle && !is_placed(drawing, scene->subtitle));
    for (size_t i = 0; i < scene->legend.count; i++) {
        lost += !is_placed(drawing, scene->legend.items[i].text);
    }
    for (size_t i = 0; i < scene->caption.count; i++) {
        lost += !is_placed(drawing, scene->caption.items[i]);
    }
    for (size_t p = 0; p < scene->panels.count; p++) {
        const struct sw_panel *panel = &scene->panels.items[p];
        bool plot = !strcmp(panel->id, "xyplot") || !strcmp(panel->id, "seeds");
        lost += plot && panel->x.title && !is_placed(drawing, panel->x.title);
        lost += plot && panel->y.title && !is_placed(drawing, panel->y.title);
        for (size_t i = 0; plot && i < panel->x.ticks.count; i++) {
            lost += !is_placed(drawing, panel->x.ticks.items[i].label);
        }
        for (size_t r = 0; panel->kind == SW_PANEL_TABLE && r < panel->rows.count; r++) {
            lost += losses_of_row(name, drawing, panel, &panel->rows.items[r]);
        }
    }
    return lost;
}

static int check_texts(const char *name, const struct golden *golden, double width, double height,
                       const struct sw_theme *theme) {
    struct sw_scene scene = {0};
    struct sw_drawing drawing;
    if (!sw_late_load(NULL)) {
        return 1;
    }
    cairo_surface_t *surface = sw_late.cairo_image_surface_create(CAIRO_FORMAT_RGB24, 8, 8);
    cairo_t *cairo = sw_late.cairo_create(surface);
    int failed = !build(golden, width, height, &scene) || !sw_drawing_open(&drawing, &scene, theme, cairo);
    if (!failed) {
        sw_drawing_plan(&drawing);
        failed += drawing.failed + meetings(name, &drawing);
        failed += width >= 800 && height >= 500 ? losses(name, &drawing) : 0;
        sw_drawing_close(&drawing);
    }
    sw_late.cairo_destroy(cairo);
    sw_late.cairo_surface_destroy(surface);
    sw_scene_done(&scene);
    let_go();
    return failed;
}

/* ---- all ---- */

static int check(const char *name, const struct golden *golden, double width, double height,
                 const struct sw_theme *theme) {
    static const double sizes[][2] = {{1120, 630}, {400, 300}, {240, 160}, {595, 842}, {2000, 400}};
    struct sw_scene scene = {0};
    struct sw_sink sink = {0};
    bool good = build(golden, width, height, &scene);
    if (good) {
        scene_dump(&scene, &sink);
        sw_sink_add(&sink, "", 1);
        good = !sink.failed && golden_compare(name, &sink);
    }
    int failed = !good;
    sw_sink_done(&sink);
    sw_scene_done(&scene);
    let_go();
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        failed += check_texts(name, golden, sizes[i][0], sizes[i][1], theme) > 0;
    }
    return failed;
}

/* The pages of every model that ships. */
static int check_shipped(const struct sw_theme *theme) {
    static const char *const models[] = {SHIPPED};
    static const double sizes[][2] = {{1120, 630}, {595, 842}, {400, 300}};
    int failed = 0;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        struct golden maps = {.model = models[m],
                              .planners = "first-fit,greedy-by-size,lifetime-best-fit,as-built,"
                                          "token-sharing,tier-search,farthest-next-use"};
        struct golden pair = {.model = models[m], .planners = "first-fit,greedy-by-size", .pair = true};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            failed += check_texts(models[m], &maps, sizes[i][0], sizes[i][1], theme) > 0;
            failed += check_texts(models[m], &pair, sizes[i][0], sizes[i][1], theme) > 0;
        }
    }
    return failed;
}

int main(void) {
    struct sw_theme theme;
    int failed = 0;
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    if (!sw_theme_load("light", &theme, NULL)) {
        return 1;
    }
    for (size_t i = 0; i < sizeof goldens / sizeof *goldens; i++) {
        failed += check(goldens[i].name, &goldens[i], goldens[i].width, goldens[i].height, &theme);
    }
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        failed += check(figures[i].name, &figures[i], figures[i].width, figures[i].height, &theme);
    }
    failed += check_shipped(&theme);
    printf("%zu pages, %d failures\n", sizeof goldens / sizeof *goldens + sizeof figures / sizeof *figures, failed);
    return failed ? 1 : 0;
}
