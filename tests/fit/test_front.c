/* The least arena of all sets of cuts, against all of them tried one by one. */
#include "fit/cuts/cuts.h"
#include "fit/networks.h"
#include "formats/format.h"
#include "share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

static uint64_t more(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* From an operator on: every set of cuts behind it. */
static void try_all(const struct sw_fit_cuts *cuts, uint32_t op, uint64_t live, uint64_t tail, uint64_t *least_live,
                    uint64_t *least_arena, uint64_t *sets) {
    if (op == sw_problem_operator_count(cuts->problem)) {
        uint64_t arena = sw_problem_arena(cuts->problem, live) + tail;
        *least_live = live < *least_live ? live : *least_live;
        *least_arena = arena < *least_arena ? arena : *least_arena;
        ++*sets;
        return;
    }
    try_all(cuts, op + 1, more(live, sw_problem_profile(cuts->problem)[op]), tail, least_live, least_arena, sets);
    for (size_t i = 0; i < cuts->items.count; i++) {
        const struct sw_fit_cut *cut = &cuts->items.items[i];
        if (cut->region.first == op) {
            try_all(cuts, cut->region.last + 1, more(live, cut->live), tail + cut->tail, least_live, least_arena, sets);
        }
    }
}

/* The least arena of all sets of cuts; UINT64_MAX: there are too many of them. */
static uint64_t compare(const struct sw_fit_cuts *cuts, const struct sw_fit_front *front, uint64_t *sets) {
    uint64_t live = UINT64_MAX, arena = UINT64_MAX, found = UINT64_MAX;
    if (sw_problem_operator_count(cuts->problem) > 10 || cuts->items.count > 40) {
        return UINT64_MAX;
    }
    try_all(cuts, 0, 0, 0, &live, &arena, sets);
    assert_int_equal(front->live, live);
    assert_int_equal(front->arena, arena);
    for (size_t i = 0; i < front->items.count; i++) {
        uint64_t of = sw_problem_arena(cuts->problem, front->items.items[i].live) + front->items.items[i].tail;
        found = of < found ? of : found;
    }
    assert_int_equal(found, arena);
    return arena;
}

/* Made as a program, a cut has as much alive as it says: no step of its region has more, and one has that. */
static void must_be_measured(const struct sw_fit_cuts *cuts) {
    for (size_t i = 0; i < cuts->items.count; i += 7) {
        const struct sw_fit_cut *cut = &cuts->items.items[i];
        struct sw_fit_program program = {0};
        struct sw_fit_refusal refusal;
        struct sw_error error = {0};
        uint64_t most = 0, macs = 0;
        assert_true(sw_fit_program_make(cuts->problem, &cut->region, 1, &program, &refusal));
        struct sw_problem *problem = sw_fit_program_problem(&program, &error);
        assert_non_null(problem);
        for (uint32_t c = 0; c < program.calls.count; c++) {
            most = program.calls.items[c].region == SW_NONE ? most : more(most, sw_problem_profile(problem)[c]);
            macs += program.calls.items[c].macs;
        }
        assert_int_equal(most, cut->live);
        uint64_t shared;
        assert_int_equal(sw_fit_more_tail(&program, &shared), cut->tail);
        assert_int_equal(shared, cut->shared);
        assert_true(shared <= cut->tail || cut->tail == 0);
        assert_int_equal(sw_fit_operators(&program), sw_problem_operator_count(cuts->problem) + cut->calls);
        assert_true(macs <= cuts->macs + cut->macs);
        sw_problem_unref(problem);
        sw_fit_program_done(&program);
    }
}

static void least_of_all_sets(void **state) {
    uint64_t compared = 0, sets = 0, better = 0, near = 0, smaller = 0;
    (void)state;
    for (uint64_t seed = 1 + first_case(2000), seed_end = seed + cases(2000); seed < seed_end; seed++) {
        struct bytes bytes;
        struct sw_error error = {0};
        network_file(seed, &bytes);
        struct sw_input input = {.name = "network", .bytes = (const char *)bytes.items, .length = bytes.count};
        struct sw_problem *problem = sw_load_input(&input, NULL, &error);
        assert_non_null(problem);
        struct sw_fit_limits limits = {0};
        struct sw_fit_cuts cuts = {0};
        struct sw_fit_front front = {0};
        assert_true(sw_fit_cuts_find(problem, &limits, &cuts) && sw_fit_front_find(&cuts, &limits, &front));
        uint64_t before = compare(&cuts, &front, &sets);
        compared += before != UINT64_MAX;
        better += before != UINT64_MAX && cuts.items.count > 0;
        /* Cuts that are near those that were chosen are no worse, and each is what it says. */
        uint64_t work = 60000, count = cuts.items.count;
        assert_true(sw_fit_cuts_refine(&cuts, &limits, &front, &work));
        near += cuts.items.count - count;
        must_be_measured(&cuts);
        sw_fit_front_done(&front);
        assert_true(sw_fit_front_find(&cuts, &limits, &front));
        assert_true(before == UINT64_MAX || front.arena <= before);
        smaller += before != UINT64_MAX && front.arena < before;
        compare(&cuts, &front, &sets);
        sw_fit_front_done(&front);
        sw_fit_cuts_done(&cuts);
        sw_problem_unref(problem);
        free(bytes.items);
    }
    print_message(
        "%llu networks compared, %llu of them with cuts, %llu sets; %llu cuts near others, with which %llu need less\n",
        (unsigned long long)compared, (unsigned long long)better, (unsigned long long)sets, (unsigned long long)near,
        (unsigned long long)smaller);
    assert_true(better > compared / 4 && near > compared / 2 && smaller >= compared / 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least_of_all_sets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
