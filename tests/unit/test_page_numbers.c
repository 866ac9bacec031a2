/* Numbers on pages: round ticks of time and clear ends, one unit for one number, the peak and the bound said once, free
 * memory hatched at its step alone, and --scale, which makes all of a page larger. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "unit/view.h"

#include "base/mem.h"
#include "export/drawing.h"
#include "view/pages/runs.h"
#include "view/scene/scene.h"

static struct sw_search *run_of(const char *model, const char *planner) {
    struct sw_error error = {0};
    char path[300];
    snprintf(path, sizeof path, SW_TEST_SOURCE "/%s", model);
    struct sw_problem *problem = sw_load(path, &(struct sw_load_options){0}, NULL, &error);
    if (!problem) {
        fail_msg("%s: %s", model, error.message);
    }
    struct sw_search *search = must_run(problem, planner);
    sw_problem_unref(problem);
    return search;
}

static struct sw_view_input paper(const struct sw_search *search) {
    struct sw_view_input in = look_at(search, 1120, 630);
    in.medium = SW_ON_PAGE;
    in.marks_per_unit_y = 1;
    in.look.tier = sw_problem_tier_count(sw_search_problem(search)) > 1 ? SW_NONE : 0;
    return in;
}

/* ---- one unit for one number ---- */

/* A number with a unit of bytes, as it stands in a text: from what value on it would have been written so, and up to
 * which. */
struct figure {
    double lo, hi;
    const char *unit, *text;
};

static const struct {
    const char *word;
    double bytes;
} units[] = {{"bytes", 1},    {"byte", 1},   {"B", 1},      {"KiB", 0x1p10}, {"MiB", 0x1p20},
             {"GiB", 0x1p30}, {"K", 0x1p10}, {"M", 0x1p20}, {"G", 0x1p30}};

struct figures {
    SW_ARRAY(struct figure) found;
};

static void read_figure(struct figures *figures, const char *text, const char *at, const char **end) {
    double value = 0, digit = 1;
    unsigned digits = 0;
    bool behind = false;
    for (; isdigit((unsigned char)*at) || ((*at == ',' || *at == '.') && isdigit((unsigned char)at[1])); at++) {
        behind |= *at == '.';
        if (isdigit((unsigned char)*at)) {
            digit /= behind ? 10 : 1;
            digits += digits || *at != '0';
            value = behind ? value + digit * (*at - '0') : 10 * value + (*at - '0');
        }
    }
    *end = at;
    at += *at == ' ';
    size_t length = 0;
    while (isalpha((unsigned char)at[length])) {
        length++;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (length == strlen(units[i].word) && !strncmp(at, units[i].word, length) && at[length] != '_') {
            double one = units[i].bytes,
                   half = one == 1 || digits < 3 ? 0 : digit / 2; /* three digits, or it is exact */
            struct figure figure = {(value - half) * one, (value + half) * one, units[i].word, text};
            assert_true(value == 0 || SW_PUSH(&figures->found, figure));
            return;
        }
    }
}

static void read_text(struct figures *figures, const char *text) {
    for (const char *at = text; at && *at;) {
        bool inside = at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_' || at[-1] == '.');
        if (isdigit((unsigned char)*at) && !inside) {
            read_figure(figures, text, at, &at);
        } else {
            at++;
        }
    }
}

/* All that is drawn of a scene. */
static void read_scene(struct figures *figures, const struct sw_scene *scene) {
    read_text(figures, scene->title);
    read_text(figures, scene->subtitle);
    for (size_t i = 0; i < sw_scene_caption_lines(scene); i++) {
        read_text(figures, scene->caption.items[i]);
    }
    for (size_t i = 0; i < scene->legend.count; i++) {
        read_text(figures, scene->legend.items[i].text);
    }
    for (size_t p = 0; p < scene->panels.count; p++) {
        const struct sw_panel *panel = &scene->panels.items[p];
        const struct sw_axis *axes[] = {&panel->x, &panel->y};
        read_text(figures, panel->title);
        for (size_t a = 0; a < 2 && panel->kind == SW_PANEL_PLOT; a++) {
            read_text(figures, axes[a]->title);
            for (size_t i = 0; i < axes[a]->ticks.count; i++) {
                read_text(figures, axes[a]->ticks.items[i].label);
            }
        }
        for (size_t i = 0; i < panel->marks.count; i++) {
            for (const char *const *label = panel->marks.items[i].labels; label && *label; label++) {
                read_text(figures, *label);
            }
        }
        for (size_t i = 0; i < panel->texts.count; i++) {
            read_text(figures, panel->texts.items[i].text);
        }
    }
}

static unsigned complaints;

/* Is it exact because another number would look the same in the larger unit? */
static bool is_told_apart(const struct figures *figures, const struct figure *exact, const struct figure *rounded) {
    bool found = false;
    for (size_t i = 0; i < figures->found.count; i++) {
        const struct figure *other = &figures->found.items[i];
        found |=
            !strcmp(other->unit, "B") && other->lo != exact->lo && other->lo >= rounded->lo && other->lo <= rounded->hi;
    }
    return found && !strcmp(exact->unit, "B");
}

static void check_units(const struct sw_scene *scene, const char *what) {
    struct figures figures = {0};
    read_scene(&figures, scene);
    for (size_t i = 0; i < figures.found.count; i++) {
        const struct figure *a = &figures.found.items[i];
        for (size_t k = i + 1; k < figures.found.count; k++) {
            const struct figure *b = &figures.found.items[k];
            if (a->lo <= b->hi && b->lo <= a->hi && strcmp(a->unit, b->unit) != 0 && !is_told_apart(&figures, a, b) &&
                !is_told_apart(&figures, b, a)) {
                if (complaints++ < 60) {
                    printf("%s: the same number in two units: '%s' and '%s'\n", what, a->text, b->text);
                }
                break;
            }
        }
    }
    SW_ARRAY_DONE(&figures.found);
}

static const struct {
    const char *model, *planner;
} runs[] = {{"scripts/models/mobilenet_v1_025_96.json", "greedy-by-size"},
            {"scripts/models/densenet121.lua", "greedy-by-size"},
            {"scripts/models/googlenet.lua", "best-fit"},
            {"scripts/models/two_tiers.json", "tier-search"},
            {"tests/golden/models/requests.csv", "cuda-caching"},
            {"tests/golden/models/swap.json", "segment-genetic"},
            {"tests/golden/models/strips.json", "fit"},
            {"scripts/models/cpu_npu.lua", "token-sharing"},
            {"tests/golden/models/padded.json", "first-fit"}};
enum { RUNS = sizeof runs / sizeof *runs };

static void one_unit_for_one_number(void **state) {
    (void)state;
    static const enum sw_units asked[] = {SW_UNITS_AUTO, SW_UNITS_BYTES, SW_UNITS_KIB};
    struct sw_scene scene = {0};
    complaints = 0;
    for (size_t r = 0; r < RUNS; r++) {
        struct sw_search *search = run_of(runs[r].model, runs[r].planner);
        struct sw_view_input in = paper(search);
        for (size_t v = 0; v < sw_view_count() * 3; v++) {
            const struct sw_view *view = sw_view_get(v / 3);
            uint32_t pages = sw_view_pages(&in, view);
            in.units = asked[v % 3];
            for (in.look.page = 0; in.look.page < pages; in.look.page++) {
                char what[200];
                snprintf(what, sizeof what, "%s, %s, %s, units %d, page %u", runs[r].model, runs[r].planner, view->name,
                         (int)in.units, in.look.page);
                sw_scene_clear(&scene);
                sw_view_page(&in, view, &scene);
                assert_false(scene.failed);
                check_units(&scene, what);
            }
            in.look.page = 0;
        }
        sw_search_free(search);
    }
    sw_scene_done(&scene);
    assert_int_equal(complaints, 0);
}

/* ---- the peak and the bound are said once ---- */

static unsigned count_text(const char *text, const char *figure) {
    unsigned count = 0;
    for (const char *at = text; at && (at = strstr(at, figure)); at += strlen(figure)) {
        count += at == text || !(isdigit((unsigned char)at[-1]) || at[-1] == '.' || at[-1] == ',');
    }
    return count;
}

/* How often a page says it, where its longest labels have room; blocks of that size say their own. */
static unsigned count_said(const struct sw_scene *scene, const char *figure) {
    unsigned count = count_text(scene->title, figure) + count_text(scene->subtitle, figure);
    for (size_t i = 0; i < sw_scene_caption_lines(scene); i++) {
        count += count_text(scene->caption.items[i], figure);
    }
    for (size_t i = 0; i < scene->legend.count; i++) {
        count += count_text(scene->legend.items[i].text, figure);
    }
    for (size_t p = 0; p < scene->panels.count; p++) {
        const struct sw_panel *panel = &scene->panels.items[p];
        count += count_text(panel->title, figure);
        for (size_t i = 0; i < panel->marks.count; i++) {
            const struct sw_mark *mark = &panel->marks.items[i];
            count += mark->labels && mark->style != SW_STYLE_BLOCK ? count_text(*mark->labels, figure) : 0;
        }
    }
    return count;
}

static void peak_and_bound_are_said_once(void **state) {
    (void)state;
    static const double sizes[][2] = {{1120, 630}, {842, 595}, {595, 842}, {600, 400}, {340, 300}};
    static const char *const planners[] = {"greedy-by-size", "greedy-by-breadth", "auto"};
    static const char *const models[] = {"scripts/models/mobilenet_v1_025_96.json", "scripts/models/densenet121.lua"};
    struct sw_scene scene = {0};
    for (size_t k = 0; k < 6; k++) {
        struct sw_search *search = run_of(models[k / 3], planners[k % 3]);
        struct sw_view_input in = paper(search);
        struct sw_metrics metrics;
        sw_metrics_of(sw_search_layout(search), &metrics);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            char peak[40], bound[40];
            in.width = sizes[s][0];
            in.height = sizes[s][1];
            sw_scene_clear(&scene);
            sw_view_page(&in, sw_view_find("layout", NULL), &scene);
            assert_false(scene.failed);
            sw_show_bytes_in(scene.units, metrics.peak, peak);
            sw_show_bytes_in(scene.units, metrics.lower_bound, bound);
            bool narrow = sizes[s][0] < 400; /* there the lines may have no room for it */
            unsigned said = count_said(&scene, peak), most = narrow ? 3 : 1;
            if (said < 1 || said > most || count_said(&scene, bound) < 1 || count_said(&scene, bound) > most) {
                fail_msg("%s, %s at %gx%g: the peak %s is said %u times, the bound %s %u times", models[k / 3],
                         planners[k % 3], sizes[s][0], sizes[s][1], peak, said, bound, count_said(&scene, bound));
            }
            assert_non_null(scene.exact);
        }
        sw_search_free(search);
    }
    sw_scene_done(&scene);
}

/* ---- what is free is hatched at the step that sets the bound, and nowhere else ---- */

static int by_offset(const void *a, const void *b) {
    const struct sw_placement *x = a, *y = b;
    return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Each gap between what lies there at that step, as large as can be seen: is it hatched, in that column alone? Returns
 * how many there are. */
static unsigned check_hatched(const struct sw_search *search, const struct sw_panel *panel, const char *what) {
    const struct sw_problem *problem = sw_search_problem(search);
    const struct sw_layout *layout = sw_search_layout(search);
    uint32_t step = sw_problem_bound_step(problem), count = 0;
    struct sw_placement *alive = calloc(sw_problem_buffer_count(problem) + 1, sizeof *alive);
    uint64_t *ends = calloc(sw_problem_buffer_count(problem) + 1, sizeof *ends);
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        if (sw_buffer_alive(buffer, step) && sw_layout_at(layout, b, step, &alive[count]) && buffer->size) {
            alive[count++].tier = (uint32_t)buffer->size;
        }
    }
    qsort(alive, count, sizeof *alive, by_offset);
    alive[count] = (struct sw_placement){.offset = sw_layout_arena(layout, 0)};
    double least = 2 * (panel->y.hi - panel->y.lo) / floor(panel->body_height);
    uint64_t end = 0;
    unsigned gaps = 0, found = 0, marks = 0;
    for (uint32_t i = 0; i <= count; i++) {
        if ((double)alive[i].offset - (double)end >= least) {
            gaps++;
            for (size_t m = 0; m < panel->marks.count; m++) {
                const struct sw_mark *mark = &panel->marks.items[m];
                found += mark->style == SW_STYLE_GAP && mark->y0 == (double)end &&
                         mark->y1 == (double)alive[i].offset && mark->x0 == step && mark->x1 == step + 1.0;
            }
        }
        end = alive[i].offset + alive[i].tier > end ? alive[i].offset + alive[i].tier : end;
    }
    for (size_t m = 0; m < panel->marks.count; m++) {
        marks += panel->marks.items[m].style == SW_STYLE_GAP;
    }
    if (found != gaps || marks != gaps) {
        fail_msg("%s: %u gaps at step %u, %u of them hatched, and %u areas hatched in all", what, gaps, step, found,
                 marks);
    }
    free(ends);
    free(alive);
    return gaps;
}

static void free_memory_is_hatched_at_its_step(void **state) {
    (void)state;
    static const char *const models[] = {
        "mobilenet_v1_025_96.json", "densenet121.lua", "googlenet.lua", "resnet50.lua", "unet.lua", "branches.json"};
    static const char *const planners[] = {"greedy-by-size", "greedy-by-breadth", "lifetime-best-fit", "auto"};
    struct sw_scene scene = {0};
    unsigned gaps = 0;
    for (size_t k = 0; k < 24; k++) {
        char model[80];
        snprintf(model, sizeof model, "scripts/models/%s", models[k / 4]);
        struct sw_search *search = run_of(model, planners[k % 4]);
        struct sw_view_input in = paper(search);
        sw_scene_clear(&scene);
        sw_view_page(&in, sw_view_find("layout", NULL), &scene);
        bool legend = false,
             above = sw_layout_arena(sw_search_layout(search), 0) > sw_problem_lower_bound(sw_search_problem(search));
        for (size_t i = 0; i < scene.legend.count; i++) {
            legend |= scene.legend.items[i].style == SW_STYLE_GAP;
        }
        unsigned here = above ? check_hatched(search, &scene.panels.items[0], model) : 0;
        assert_int_equal(legend, here > 0);
        gaps += here;
        sw_search_free(search);
    }
    assert_true(gaps >= 8);
    sw_scene_done(&scene);
}

/* ---- ticks of time ---- */

/* Step i begins at moments[i]. */
static struct sw_search *run_at(const int64_t *moments, size_t count) {
    struct sw_builder *builder = sw_builder_new(NULL);
    for (size_t i = 0; i + 1 < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "b%zu", i);
        add_plain(builder, name, moments[i], moments[i + 1] - 1, 64);
    }
    struct sw_problem *problem = must_finish(builder);
    struct sw_search *search = must_run(problem, "first-fit");
    sw_problem_unref(problem);
    return search;
}

static void check_moments(const int64_t *moments, size_t count, double width, const char *expected) {
    struct sw_search *search = run_at(moments, count);
    const struct sw_problem *problem = sw_search_problem(search);
    struct sw_view_input in = paper(search);
    struct sw_scene scene = {0};
    char labels[400] = "";
    in.width = width;
    sw_view_page(&in, sw_view_find("layout", NULL), &scene);
    const struct sw_axis *axis = &scene.panels.items[scene.panels.count - 1].x;
    for (size_t t = 0; t < axis->ticks.count; t++) {
        const struct sw_tick *tick = &axis->ticks.items[t];
        assert_true(tick->at >= axis->lo && tick->at < axis->hi && (t == 0 || tick->at > tick[-1].at));
        strcat(strcat(labels, tick->label), " ");
        /* It stands where its moment is. */
        long long moment = 0;
        for (const char *c = tick->label; *c; c++) {
            moment = isdigit((unsigned char)*c) ? 10 * moment + (*c - '0') : moment;
        }
        moment = *tick->label == '-' ? -moment : moment;
        uint32_t step = (uint32_t)tick->at;
        assert_true(sw_problem_time(problem, step) <= moment && moment < sw_problem_time(problem, step + 1));
    }
    strcat(labels, axis->title);
    assert_string_equal(labels, expected);
    sw_scene_done(&scene);
    sw_search_free(search);
}

static void moments_are_round(void **state) {
    (void)state;
    static const int64_t even[] = {0, 250, 500, 750, 1000}, odd[] = {-1, 7, 2699, 5674, 8762, 11851, 14887, 22332},
                         late[] = {1700000000000123, 1700000000010777, 1700000000031000},
                         uneven[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100000},
                         each[] = {95, 96, 97, 98, 99, 100, 101, 102, 103, 104};
    check_moments(even, 5, 1120, "0 100 200 300 400 500 600 700 800 900 time, 0 to 999");
    check_moments(even, 5, 600, "0 500 time, 0 to 999");
    check_moments(odd, 8, 1120, "0 5,000 10,000 15,000 20,000 time, -1 to 22,331");
    check_moments(late, 3, 1120,
                  "1,700,000,000,005,000 1,700,000,000,010,000 1,700,000,000,020,000 1,700,000,000,030,000 time");
    check_moments(uneven, 12, 1120, "0 50,000 time, 0 to 99,999");
    check_moments(each, 10, 1120, "95 96 97 98 99 100 101 102 103 time");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_unit_for_one_number), cmocka_unit_test(peak_and_bound_are_said_once),
        cmocka_unit_test(free_memory_is_hatched_at_its_step), cmocka_unit_test(moments_are_round)};
    return cmocka_run_group_tests_name("page_numbers", tests, NULL, NULL);
}
