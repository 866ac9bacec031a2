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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_unit_for_one_number)};
    return cmocka_run_group_tests_name("page_numbers", tests, NULL, NULL);
}
