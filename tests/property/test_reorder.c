/* Operators moved in random problems: what is called legal builds, keeps what every operator reads,
 * and has the bound that was foretold. */
#include "share.h"
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 4000 };

struct counts {
    uint64_t moved, refused, better;
};

static uint64_t most_live(const struct sw_problem *problem) {
    uint64_t most = 0;
    for (uint32_t i = 0; i < sw_problem_steps(problem); i++) {
        uint64_t live = sw_problem_profile(problem)[i];
        most = live > most ? live : most;
    }
    return most;
}

/* The last operator before `op` that writes what its argument `k` reads, by name; "" when none. */
static const char *source(const struct sw_problem *problem, uint32_t op, uint32_t k) {
    const char *found = "";
    uint32_t buffer = sw_problem_operator(problem, op)->inputs[k].buffer;
    for (uint32_t i = 0; i < op; i++) {
        const struct sw_operator *other = sw_problem_operator(problem, i);
        for (uint32_t o = 0; o < other->output_count; o++) {
            found = other->outputs[o].buffer == buffer ? other->name : found;
        }
    }
    return found;
}

static void check_sources(const struct model *m, const struct sw_problem *before, const struct sw_problem *after) {
    for (uint32_t i = 0; i < sw_problem_operator_count(before); i++) {
        const struct sw_operator *op = sw_problem_operator(before, i);
        uint32_t now = sw_problem_find_operator(after, op->name);
        for (uint32_t k = 0; k < op->input_count; k++) {
            check_that(strcmp(source(before, i, k), source(after, now, k)) == 0, m, "reorder",
                       "%s reads what %s wrote, not %s", op->name, source(after, now, k), source(before, i, k));
        }
        for (uint32_t k = 0; k < op->after_count; k++) {
            const char *name = sw_problem_operator(before, op->after[k])->name;
            check_that(sw_problem_find_operator(after, name) < now, m, "reorder", "%s before %s", op->name, name);
        }
    }
}

static void check_move(const struct model *m, const struct sw_problem *problem, uint32_t op, uint32_t to,
                       struct counts *counts) {
    struct sw_error error = {0};
    uint32_t lo = 0, hi = 0;
    sw_problem_move_range(problem, op, &lo, &hi);
    bool legal = sw_problem_may_move(problem, op, to, &error);
    check_that(!legal || (lo <= to && to <= hi), m, "reorder", "%u to %u is out of range", op, to);
    check_that(legal || (error.code != SW_OK && error.message[0]), m, "reorder", "no reason");
    check_that(legal || to < lo || to > hi || error.code == SW_ERROR_UNSUPPORTED, m, "reorder", "%u to %u: %s", op, to,
               error.message);
    struct sw_builder *builder = sw_builder_from(problem, &error);
    error = (struct sw_error){0};
    check_that(sw_builder_edit_order(builder, problem, op, to, &error) == legal, m, "reorder", "edit: %s",
               error.message);
    counts->refused += !legal;
    if (legal) {
        struct sw_problem *after = sw_builder_finish(builder, &error);
        check_that(after != NULL, m, "reorder", "%u to %u: %s", op, to, error.message);
        struct sw_edit edit = {.kind = SW_EDIT_MOVE, .step = op, .to = to};
        struct sw_changed_bound bound;
        check_that(sw_problem_bound_changed(problem, &edit, 1, &bound, &error), m, "reorder", "%s", error.message);
        check_that(most_live(after) == bound.bytes && sw_problem_bound_step(after) == bound.step, m, "reorder",
                   "%u to %u: %llu live at %u, foretold %llu at %u", op, to, (unsigned long long)most_live(after),
                   sw_problem_bound_step(after), (unsigned long long)bound.bytes, bound.step);
        const char *there = sw_problem_operator(after, bound.step)->name;
        check_that(strcmp(there, sw_problem_operator(problem, bound.was)->name) == 0, m, "reorder",
                   "%u to %u: met at %s", op, to, there);
        check_sources(m, problem, after);
        counts->moved += op != to;
        counts->better += most_live(after) < most_live(problem);
        sw_problem_unref(after);
    }
    sw_builder_free(builder);
}

int main(void) {
    struct model *m = calloc(1, sizeof *m);
    struct counts counts = {0};
    for (uint64_t i = first_case(PROBLEMS), i_end = i + cases(PROBLEMS); m && i < i_end; i++) {
        model_draw(m, base_seed() + i);
        struct sw_problem *problem = model_build(m, NULL);
        for (uint32_t op = 0; op < sw_problem_operator_count(problem); op++) {
            for (uint32_t to = 0; to < sw_problem_operator_count(problem); to++) {
                check_move(m, problem, op, to, &counts);
            }
        }
        sw_problem_unref(problem);
    }
    free(m);
    printf("%llu moves, %llu refused, %llu lower the bound\n", (unsigned long long)counts.moved,
           (unsigned long long)counts.refused, (unsigned long long)counts.better);
    return often(counts.moved, 1000) && often(counts.refused, 1000) && often(counts.better, 100) ? 0 : 1;
}
