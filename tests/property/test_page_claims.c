/* What summaries, pictures and reports claim in words, on small random lists of buffers of which all layouts are tried.
 *
 * Each run is summed up as text, drawn as a page with its caption, told as a report, and compared with the others on
 * one page. The sentences are read as a person reads them: "optimal", "none is smaller", "no planner can do it", "which
 * is reached" and "least peak" are looked up in the least of all layouts, and in what the other runs came to; where
 * figures stand together they are reckoned again from the placements. */
#include "share.h"
#include "model.h"

#include "cli/report/cli_report.h"
#include "search/result/figures.h"
#include "view/pages/runs.h"
#include "view/view.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 600, MOST = 7, RUNS = 4, TEXT = 20000 };

static uint64_t claims;

struct told {
    const struct model *m;
    const char *planner;
    struct sw_figures figures;
    const struct sw_problem *problem;
    const struct sw_layout *layout;
    uint64_t optimum, bound, naive, capacity; /* reckoned here */
    char text[TEXT];                          /* what is read */
};

#define MUST(what, ...) check_that((what), t->m, t->planner, __VA_ARGS__), claims++

/* ---- reading ---- */

static uint64_t number_at(const char *at) {
    uint64_t n = 0;
    for (; isdigit((unsigned char)*at) || *at == ','; at++) {
        n = isdigit((unsigned char)*at) ? n * 10 + (uint64_t)(*at - '0') : n;
    }
    return n;
}

/* The text behind these words; NULL: they are not there. */
static const char *behind(const struct told *t, const char *words) {
    const char *at = strstr(t->text, words);
    return at ? at + strlen(words) : NULL;
}

/* The exact bytes of a line of the summary: "  peak    63 KiB    64,512 B". */
static bool line_of(const struct told *t, const char *label, uint64_t *bytes, const char **rest) {
    char start[40];
    snprintf(start, sizeof start, "\n  %-15s ", label);
    const char *at = behind(t, start), *end = at ? strchr(at, '\n') : NULL, *unit = NULL;
    for (const char *p = at; p && (p = strstr(p, " B")) && p < end;
         p++) { /* the figure in bytes is the last with this unit */
        unit = isdigit((unsigned char)p[-1]) && (p[2] == '\n' || strncmp(p + 2, "   ", 3) == 0) ? p : unit;
    }
    if (!unit) {
        return false;
    }
    const char *from = unit;
    while (isdigit((unsigned char)from[-1]) || from[-1] == ',') {
        from--;
    }
    *bytes = number_at(from);
    *rest = unit + 2;
    return true;
}

static bool starts(const char *text, const char *with) {
    return text && strncmp(text, with, strlen(with)) == 0;
}

/* ---- reckoned again ---- */

static uint64_t alive_at(const struct sw_problem *problem, uint32_t step) {
    uint64_t sum = 0;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        sum += buffer->first <= step && step <= buffer->last ? buffer->size : 0;
    }
    return sum;
}

/* Planners that round sizes up, or let their arena grow by rules of its own, may have the end of the arena above all
 * blocks. */
static uint64_t top_of(const struct told *t) {
    static const char *const own[] = {"tflm-greedy", "lifetime-best-fit", "token-sharing"};
    uint64_t top = 0;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        top = strcmp(t->planner, own[i]) == 0 ? t->figures.metrics.peak : top;
    }
    for (uint32_t b = 0; b < sw_problem_buffer_count(t->problem); b++) {
        struct sw_placement p;
        uint64_t size = sw_problem_buffer(t->problem, b)->size;
        if (size > 0 && sw_layout_placement(t->layout, b, 0, &p) && p.offset + size > top) {
            top = p.offset + size;
        }
    }
    return top;
}

/* ---- the summary ---- */

static void check_summary(struct told *t, const struct sw_search *search) {
    const char *files[] = {"random.csv"};
    struct sw_cli cli = {.files = files, .file_count = 1};
    struct sw_result result = {.search = search,
                               .layout = t->layout,
                               .source = files[0],
                               .optimal = t->figures.optimal,
                               .broken = t->figures.broken,
                               .cost = t->figures.cost};
    struct sw_cli_report report;
    uint64_t peak = 0, bytes = 0;
    const char *rest = NULL;
    sw_cli_report_start(&report, SW_OUTPUT_TEXT);
    sw_cli_summary(&cli, &result, &report);
    check_that(!report.out.failed, t->m, t->planner, "no memory");
    snprintf(t->text, sizeof t->text, "%.*s", (int)report.out.text.count, report.out.text.items);
    sw_cli_report_drop(&report);
    uint64_t top = top_of(t);
    if (line_of(t, "peak", &peak, &rest)) {
        MUST(peak == top, "the summary has a peak of %" PRIu64 ", and blocks end at %" PRIu64, peak, top);
        if (starts(rest, "   optimal")) {
            MUST(peak == t->optimum, "'optimal' is said of %" PRIu64 ", and the least is %" PRIu64, peak, t->optimum);
            MUST(!starts(rest, "   optimal: it is the bound") || peak == t->bound, "'it is the bound' of %" PRIu64,
                 peak);
        }
    }
    if (line_of(t, "lower bound", &bytes, &rest)) {
        long long time = starts(rest, "   live at time ") ? atoll(rest + 16) : -1;
        uint32_t step = 0;
        while (step < sw_problem_steps(t->problem) && sw_problem_time(t->problem, step) != time) {
            step++;
        }
        MUST(bytes == t->bound, "the summary has a bound of %" PRIu64 ", not %" PRIu64, bytes, t->bound);
        MUST(time < 0 || (step < sw_problem_steps(t->problem) && alive_at(t->problem, step) == bytes),
             "%" PRIu64 " are not alive at time %lld", bytes, time);
    }
    if (line_of(t, "over the bound", &bytes, &rest)) {
        double over = (double)bytes / (double)t->bound * 100, fragmentation = (double)bytes / (double)peak * 100;
        const char *second = strchr(rest, ';');
        MUST(peak > t->bound && bytes == peak - t->bound, "%" PRIu64 " over the bound, of %" PRIu64 " and %" PRIu64,
             bytes, peak, t->bound);
        MUST(starts(rest, "   +") && fabs(atof(rest + 4) - over) < 0.5 + over / 1000, "%.1f%% over the bound: %.20s",
             over, rest);
        MUST(second && fabs(atof(second + 2) - fragmentation) < 0.06, "%.1f%% is fragmentation: %.40s", fragmentation,
             rest);
    }
    if (line_of(t, "without reuse", &bytes, &rest)) {
        MUST(bytes == t->naive, "without reuse %" PRIu64 ", not %" PRIu64, bytes, t->naive);
        MUST(!starts(rest, "   ") || fabs(atof(rest + 3) - (double)bytes / (double)peak) < 0.006, "%.30s, of %" PRIu64,
             rest, peak);
    }
    if (behind(t, "none is smaller")) {
        MUST(peak == t->optimum, "'none is smaller' than %" PRIu64 ", and there is %" PRIu64, peak, t->optimum);
    }
    if (behind(t, "no planner can do it")) {
        MUST(t->optimum > t->capacity, "'no planner can do it', and %" PRIu64 " are enough", t->optimum);
    }
    rest = behind(t, "\n  at the peak     b");
    if (rest) {
        uint32_t b = (uint32_t)atoi(rest);
        struct sw_placement p;
        MUST(b < sw_problem_buffer_count(t->problem) && sw_layout_placement(t->layout, b, 0, &p) &&
                 p.offset + sw_problem_buffer(t->problem, b)->size == peak,
             "b%u does not end at the peak", b);
    }
}

/* ---- pages ---- */

static void gather(struct told *t, const struct sw_scene *scene) {
    size_t used = 0;
    const char *heads[] = {scene->title, scene->subtitle};
    t->text[0] = '\0';
    for (size_t i = 0; i < 2; i++) {
        used += (size_t)snprintf(t->text + used, sizeof t->text - used, "%s\n", heads[i] ? heads[i] : "");
    }
    for (size_t i = 0; i < scene->caption.count && used < sizeof t->text; i++) {
        used += (size_t)snprintf(t->text + used, sizeof t->text - used, "%s ", scene->caption.items[i]);
    }
    for (size_t p = 0; p < scene->panels.count; p++) {
        const struct sw_panel *panel = &scene->panels.items[p];
        for (size_t r = 0; r < panel->rows.count; r++) {
            const struct sw_row *row = &panel->rows.items[r];
            used += used < sizeof t->text ? (size_t)snprintf(t->text + used, sizeof t->text - used, "\n") : 0;
            for (uint32_t c = 0; c < row->count && used < sizeof t->text; c++) {
                used += (size_t)snprintf(t->text + used, sizeof t->text - used, "%s%s", c ? "|" : "",
                                         panel->texts.items[row->first + c].text);
            }
        }
    }
}

static void check_page(struct told *t, const struct sw_search *search, const char *name) {
    struct sw_scene scene = {0};
    struct sw_view_input in = {.run.search = search,
                               .run.input_name = "random.csv",
                               .look.selected = SW_NONE,
                               .look.candidate = SW_NONE,
                               .look.viewport = sw_viewport_all(search, 0),
                               .width = 640,
                               .height = 420,
                               .medium = SW_ON_PAGE,
                               .marks_per_unit_x = 1,
                               .marks_per_unit_y = 1};
    sw_view_page(&in, sw_view_find(name, NULL), &scene);
    check_that(!scene.failed, t->m, t->planner, "no memory");
    gather(t, &scene);
    sw_scene_done(&scene);
    uint64_t top = top_of(t);
    const char *at = behind(t, "\nPeak ");
    at = at ? at : behind(t, " Peak ");
    if (behind(t, "which is reached") || behind(t, "nothing: the bound is reached") ||
        behind(t, "yes: it is the lower bound")) {
        MUST(top == t->bound, "%s: the bound is said to be reached, of %" PRIu64 " and %" PRIu64, name, top, t->bound);
    }
    if (behind(t, "optimal|yes")) {
        MUST(top == t->optimum, "%s: 'optimal' is said of %" PRIu64 ", and the least is %" PRIu64, name, top,
             t->optimum);
    }
    if (behind(t, "finds no smaller one")) {
        MUST(top >= t->optimum, "%s: %" PRIu64, name, top);
    }
    if ((at = behind(t, "best known|")) != NULL && isdigit((unsigned char)*at)) {
        uint64_t best = number_at(at);
        MUST(best < top && best >= t->optimum, "%s: the best known is %" PRIu64 ", of %" PRIu64 " and %" PRIu64, name,
             best, top, t->optimum);
    }
    if ((at = behind(t, "\npeak|")) != NULL && isdigit((unsigned char)*at)) {
        MUST(number_at(at) == top, "%s: a peak of %.20s, not %" PRIu64, name, at, top);
    }
    if ((at = behind(t, "\nlower bound|")) != NULL) {
        MUST(number_at(at) == t->bound, "%s: a bound of %.20s, not %" PRIu64, name, at, t->bound);
    }
    if ((at = behind(t, ", lower bound ")) != NULL && strstr(at, " bytes") && strstr(at, " bytes") < at + 16) {
        MUST(number_at(at) == t->bound, "%s: a bound of %.20s, not %" PRIu64, name, at, t->bound);
    }
}

/* ---- runs beside each other ---- */

static void check_comparison(struct told *t, struct sw_search **searches, const struct sw_figures *figures,
                             size_t count) {
    struct sw_compare_run runs[RUNS];
    uint64_t least = UINT64_MAX;
    size_t best = 0;
    for (size_t i = 0; i < count; i++) {
        bool has = figures[i].ended && figures[i].placed;
        runs[i] = (struct sw_compare_run){.planner = sw_search_planner(searches[i])->name,
                                          .search = searches[i],
                                          .why = "",
                                          .optimal = figures[i].optimal,
                                          .cost = (double)NAN};
        if (has && figures[i].metrics.peak <= least) {
            best = figures[i].metrics.peak < least ? 1 : best + 1;
            least = figures[i].metrics.peak;
        }
    }
    struct sw_compare_page all = {.page = {.width = 640, .height = 420, .marks = 1},
                                  .problem = t->problem,
                                  .input_name = "random.csv",
                                  .runs = runs,
                                  .count = count};
    struct sw_scene scene = {0};
    sw_view_multiples(&all, &scene);
    check_that(!scene.failed, t->m, t->planner, "no memory");
    gather(t, &scene);
    sw_scene_done(&scene);
    const char *at = behind(t, "Least peak ");
    if (at && least < 1000) {
        const char *by = strstr(at, ", by ");
        MUST(number_at(at) == least, "the least peak is %.20s, not %" PRIu64, at, least);
        MUST(by && number_at(by + 5) == best, "the least peak:%.30s, not by %zu", by ? by : "", best);
    }
    if (at && (at = strstr(at, "lower bound ")) != NULL && t->bound < 1000) {
        MUST(number_at(at + 12) == t->bound, "%.30s, not %" PRIu64, at, t->bound);
    }
    for (size_t i = 0; i < count; i++) {
        MUST(!figures[i].optimal || !figures[i].placed || figures[i].metrics.peak == t->optimum,
             "%s has proved %" PRIu64 ", and the least is %" PRIu64, runs[i].planner, figures[i].metrics.peak,
             t->optimum);
    }
}

/* ---- random lists ---- */

static void check_list(uint64_t seed) {
    static struct told told;
    struct told *t = &told;
    struct model *m = calloc(1, sizeof *m);
    uint64_t r = seed * 31 + 11;
    model_draw_plain(m, seed, MOST);
    uint64_t optimum = oracle_optimum(m);
    if (seed % 3 == 0) {
        m->capacity[0] = optimum + sw_random_below(&r, 6) - (optimum > 3 ? 3 : 0);
    }
    struct sw_problem *problem = model_build(m, NULL);
    struct sw_search *searches[RUNS];
    struct sw_figures figures[RUNS];
    size_t count = 0;
    *t = (struct told){.m = m,
                       .planner = "comparison",
                       .problem = problem,
                       .optimum = optimum,
                       .capacity = seed % 3 == 0 ? m->capacity[0] : SW_UNBOUNDED};
    for (uint32_t step = 0; step < sw_problem_steps(problem); step++) {
        uint64_t alive = alive_at(problem, step);
        t->bound = alive > t->bound ? alive : t->bound;
    }
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        t->naive += sw_problem_buffer(problem, b)->size;
    }
    for (int k = 0; k < RUNS; k++) {
        const struct sw_planner *planner = sw_planner_get((size_t)sw_random_below(&r, sw_planner_built_in_count()));
        struct sw_params params = short_run(planner);
        struct sw_error error = {0};
        bool suits = !planner->reserves && !moves_buffers(planner) && model_applies(planner, problem);
        struct sw_search *search = suits ? sw_search_new(problem, planner, &params, &error) : NULL;
        sw_params_done(&params);
        if (!search) {
            continue;
        }
        enum sw_step step = sw_search_run(search, 0, NULL, NULL, &error);
        t->planner = planner->name;
        t->layout = sw_search_layout(search);
        check_that(sw_figures_of(search, &t->figures, &error), m, planner->name, "%s", error.message);
        if ((step == SW_STEP_DONE || error.code == SW_ERROR_INFEASIBLE) && sw_search_problem(search) == problem) {
            check_summary(t, search);
            check_page(t, search, "layout");
            if (count == 0) { /* it runs auto as well */
                check_page(t, search, "report");
            }
            figures[count] = t->figures;
            searches[count++] = search;
        } else {
            sw_search_free(search);
        }
    }
    t->planner = "comparison";
    if (count > 1) {
        check_comparison(t, searches, figures, count);
    }
    for (size_t i = 0; i < count; i++) {
        sw_search_free(searches[i]);
    }
    sw_problem_unref(problem);
    free(m);
}

int main(void) {
    uint64_t seed = base_seed();
    for (uint64_t i = first_case(PROBLEMS), i_end = i + cases(PROBLEMS); i < i_end; i++) {
        check_list(seed + i);
    }
    printf("%" PRIu64 " claims, from seed %" PRIu64 "\n", claims, seed);
    return often(claims, 6000) ? 0 : 1;
}
