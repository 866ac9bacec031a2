/* Planners against their rules restated, offset by offset, on plain random problems; and against
 * the best of all orders on small ones. */
#include "share.h"
#include "model.h"

#include <stdio.h>
#include <stdlib.h>

enum { RESTATED = 1500, EXHAUSTED = 250 };

typedef uint64_t restatement(const struct model *, uint64_t *offsets);
static const struct {
    const char *planner;
    restatement *again;
} pairs[] = {
    {"first-fit", oracle_program_first_fit},         {"best-fit", oracle_best_fit},
    {"greedy-by-size", oracle_greedy_by_size},       {"greedy-by-breadth", oracle_greedy_by_breadth},
    {"lifetime-best-fit", oracle_lifetime_best_fit},
};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

static struct sw_search *run(const struct model *m, const struct sw_problem *problem, const char *planner) {
    struct sw_error error = {0};
    struct sw_search *search = sw_search_new(problem, sw_planner_find(planner, NULL), NULL, &error);
    check_that(search && sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE, m, planner, "%s", error.message);
    return search;
}

/* The same offsets, and the same arena. */
static uint64_t compare(const struct model *m, const struct sw_problem *problem, size_t pair) {
    struct sw_search *search = run(m, problem, pairs[pair].planner);
    struct model_layout layout;
    uint64_t offsets[MAX_BUFFERS] = {0}, arena = pairs[pair].again(m, offsets);
    model_layout_of(&layout, sw_search_layout(search));
    for (int i = 0; i < m->buffer_count; i++) {
        check_that(layout.tier[i] == 0 && layout.offset[i] == offsets[i], m, pairs[pair].planner,
                   "b%d lies at %llu; by the rules it lies at %llu", i, (unsigned long long)layout.offset[i],
                   (unsigned long long)offsets[i]);
    }
    uint64_t peak = sw_layout_peak(sw_search_layout(search));
    check_that(peak == arena, m, pairs[pair].planner, "the arena is %llu; by the rules it is %llu",
               (unsigned long long)peak, (unsigned long long)arena);
    sw_search_free(search);
    return arena;
}

static int improvements; /* problems in which something was lowered */

/* Improvement never makes a layout worse, and never lies below what is possible. */
static void compare_improved(const struct model *m, const struct sw_problem *problem, uint64_t optimum) {
    struct sw_search *before = run(m, problem, "greedy-by-size");
    struct sw_search *after = run(m, problem, "improve");
    uint64_t from = sw_layout_peak(sw_search_layout(before));
    uint64_t to = sw_layout_peak(sw_search_layout(after));
    check_that(to <= from && to >= optimum, m, "improve", "from %llu to %llu, the optimum is %llu",
               (unsigned long long)from, (unsigned long long)to, (unsigned long long)optimum);
    uint64_t peak = UINT64_MAX;
    for (uint64_t i = 1; i <= sw_search_known(after); i++) {
        const struct sw_decision *d = sw_search_journal(after, i);
        if (d->kind == SW_DECISION_INCUMBENT) {
            check_that(sw_decision_amount(d) < peak && sw_decision_amount(d) >= to, m, "improve", "%llu after %llu",
                       (unsigned long long)sw_decision_amount(d), (unsigned long long)peak);
            peak = sw_decision_amount(d);
        }
    }
    improvements += peak != UINT64_MAX;
    sw_search_free(before);
    sw_search_free(after);
}

static void compare_all(uint64_t seed, int most, bool exhaust) {
    struct model m;
    model_draw_plain(&m, seed, most);
    struct sw_problem *problem = model_build(&m, NULL);
    uint64_t live = oracle_live(&m), least = UINT64_MAX;
    check_that(sw_problem_lower_bound(problem) == live, &m, "(bound)", "the bound is %llu, not %llu",
               (unsigned long long)sw_problem_lower_bound(problem), (unsigned long long)live);
    uint64_t optimum = exhaust ? oracle_optimum(&m) : live;
    for (size_t i = 0; i < PAIRS; i++) {
        uint64_t arena = compare(&m, problem, i);
        check_that(arena >= optimum, &m, pairs[i].planner, "%llu is below the optimum %llu", (unsigned long long)arena,
                   (unsigned long long)optimum);
        least = arena < least ? arena : least;
    }
    struct sw_search *search = run(&m, problem, "auto");
    uint64_t peak = sw_layout_peak(sw_search_layout(search));
    check_that(peak <= least, &m, "auto", "%llu, but a member needs %llu", (unsigned long long)peak,
               (unsigned long long)least);
    check_that(peak >= optimum, &m, "auto", "%llu is below the optimum %llu", (unsigned long long)peak,
               (unsigned long long)optimum);
    sw_search_free(search);
    compare_improved(&m, problem, optimum);
    sw_problem_unref(problem);
}

int main(void) {
    uint64_t seed = base_seed();
    for (uint64_t i = first_case(RESTATED), i_end = i + cases(RESTATED); i < i_end; i++) {
        compare_all(seed + i, MAX_BUFFERS - 4, false);
    }
    for (uint64_t i = first_case(EXHAUSTED), i_end = i + cases(EXHAUSTED); i < i_end; i++) {
        compare_all(seed + RESTATED + i, i % 10 == 0 ? 7 : 6, true);
    }
    if (improvements == 0) {
        printf("improve lowered nothing in any problem\n");
        return 1;
    }
    printf("%d problems against the rules, %d against all orders, %d improved, from seed %llu\n", RESTATED, EXHAUSTED,
           improvements, (unsigned long long)seed);
    return 0;
}
