/* All operators of random problems in another order at once: legal is what no pair of operators forbids, and what is
 * built is what one move after the other builds. */
#include "share.h"
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 4000, ORDERS = 20 };

struct counts {
    uint64_t legal, refused, same, without, rewritten;
};

static uint64_t state;
static uint32_t below(uint32_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

static bool lists(const struct sw_ref *list, uint32_t count, uint32_t buffer) {
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].buffer == buffer) {
            return true;
        }
    }
    return false;
}

/* May the two not change places, by their arguments alone? */
static bool tied(const struct sw_problem *problem, uint32_t a, uint32_t b) {
    const struct sw_operator *x = sw_problem_operator(problem, a), *y = sw_problem_operator(problem, b);
    for (uint32_t i = 0; i < x->output_count; i++) {
        if (lists(y->inputs, y->input_count, x->outputs[i].buffer) ||
            lists(y->outputs, y->output_count, x->outputs[i].buffer)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < y->output_count; i++) {
        if (lists(x->inputs, x->input_count, y->outputs[i].buffer)) {
            return true;
        }
    }
    for (uint32_t i = 0; i < y->after_count; i++) {
        if (y->after[i] == a) {
            return true;
        }
    }
    return false;
}

static bool legal(const struct sw_problem *problem, const uint32_t *order) {
    for (uint32_t i = 0; i < sw_problem_operator_count(problem); i++) {
        for (uint32_t k = 0; k < i; k++) {
            if (order[k] > order[i] && tied(problem, order[i], order[k])) {
                return false;
            }
        }
    }
    return true;
}

static void move(uint32_t *order, uint32_t from, uint32_t to) {
    uint32_t held = order[from];
    for (; from < to; from++) {
        order[from] = order[from + 1];
    }
    for (; from > to; from--) {
        order[from] = order[from - 1];
    }
    order[to] = held;
}

/* Some legal moves one after the other: the order they come to, and the problem. */
static struct sw_problem *by_moves(const struct model *m, const struct sw_problem *problem, uint32_t *order) {
    uint32_t count = sw_problem_operator_count(problem);
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_from(problem, &error);
    struct sw_problem *now = sw_builder_finish(builder, &error);
    sw_builder_free(builder);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = i;
    }
    for (int i = 0; i < 12; i++) {
        struct sw_edit edit = {.kind = SW_EDIT_MOVE, .step = below(count), .to = below(count)};
        if (!sw_problem_may_change(now, &edit, NULL)) {
            continue;
        }
        struct sw_problem *next = sw_problem_changed(now, &edit, 1, &error);
        check_that(next != NULL, m, "whole order", "move: %s", error.message);
        move(order, edit.step, edit.to);
        sw_problem_unref(now);
        now = next;
    }
    return now;
}

static void check_moves(const struct model *m, const struct sw_problem *problem, struct counts *counts) {
    uint32_t order[MAX_OPERATORS];
    struct sw_error error = {0};
    struct sw_problem *want = by_moves(m, problem, order), *got = sw_problem_in_order(problem, order, &error);
    check_that(got != NULL, m, "whole order", "%s", error.message);
    check_that(sw_problem_digest(got) == sw_problem_digest(want), m, "whole order", "not what the moves come to");
    check_that(sw_problem_lower_bound(got) == sw_problem_lower_bound(want), m, "whole order", "another bound");
    counts->same++;
    sw_problem_unref(want);
    sw_problem_unref(got);
}

/* Random orders, most of them a few exchanges away from the program's. */
static void check_orders(const struct model *m, const struct sw_problem *problem, struct counts *counts) {
    uint32_t count = sw_problem_operator_count(problem), order[MAX_OPERATORS + 1];
    for (int i = 0; i < ORDERS; i++) {
        struct sw_order_fault fault;
        struct sw_error error = {0};
        for (uint32_t k = 0; k < count; k++) {
            order[k] = k;
        }
        for (uint32_t k = below(4) + 1; k > 0; k--) {
            move(order, below(count), below(count));
        }
        bool want = legal(problem, order), got = sw_problem_may_order(problem, order, &fault, &error);
        check_that(want == got, m, "whole order", "legal %d, said %d: %s", want, got, error.message);
        counts->legal += got;
        counts->refused += !got;
        if (!got) {
            check_that(order[fault.step] == fault.op && fault.other < fault.op && tied(problem, fault.other, fault.op),
                       m, "whole order", "the fault told is none: %s", error.message);
        }
    }
    order[count - 1] = order[0];
    check_that(count == 1 || !sw_problem_may_order(problem, order, NULL, NULL), m, "whole order", "one twice");
    order[0] = count;
    check_that(!sw_problem_may_order(problem, order, NULL, NULL), m, "whole order", "one that is none");
}

/* Operators that write the same few buffers again and again, which model_draw does not draw. NULL: not a valid graph.
 */
static struct sw_problem *draw_rewritten(void) {
    static const char *const names[] = {"a", "b", "c", "d"};
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    uint32_t count = below(8) + 3;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct sw_buffer_spec spec = {
            .name = names[i], .kind = i < 2 ? SW_KIND_INPUT : SW_KIND_INTERMEDIATE, .has_size = true, .size = i + 1};
        sw_builder_buffer(builder, &spec, &error);
    }
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        uint32_t first = below(4);
        const char *inputs[2] = {names[first], names[(first + 1 + below(3)) % 4]}, *output = names[below(4)];
        snprintf(name, sizeof name, "o%u", i);
        struct sw_operator_spec spec = {
            .name = name, .inputs = inputs, .outputs = &output, .input_count = below(3), .output_count = 1};
        sw_builder_operator(builder, &spec, &error);
    }
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    sw_builder_free(builder);
    return problem;
}

int main(void) {
    struct model *m = calloc(1, sizeof *m);
    struct counts counts = {0};
    for (uint64_t i = first_case(PROBLEMS), i_end = i + cases(PROBLEMS); m && i < i_end; i++) {
        model_draw(m, base_seed() + i);
        state = base_seed() + i;
        struct sw_problem *problem = model_build(m, NULL);
        if (sw_problem_operator_count(problem) > 0 && sw_problem_core_count(problem) == 1) {
            check_orders(m, problem, &counts);
            if (sw_problem_has_orders(problem, NULL)) {
                check_moves(m, problem, &counts);
            } else {
                counts.without++;
            }
        }
        sw_problem_unref(problem);
        problem = draw_rewritten();
        if (problem) {
            check_orders(m, problem, &counts);
            check_moves(m, problem, &counts);
            counts.rewritten++;
        }
        sw_problem_unref(problem);
    }
    free(m);
    printf("%llu legal, %llu refused, %llu as the moves, %llu without orders, %llu that rewrite\n",
           (unsigned long long)counts.legal, (unsigned long long)counts.refused, (unsigned long long)counts.same,
           (unsigned long long)counts.without, (unsigned long long)counts.rewritten);
    return often(counts.legal, 5000) && often(counts.refused, 5000) && often(counts.same, 500) &&
                   often(counts.rewritten, 1000)
               ? 0
               : 1;
}
