/* Which operators could be moved, and what that would make of the lower bound: exact for each one,
 * with all others in their order. */
#include "view/blame.h"

#include <stdlib.h>

enum { MOST_TRIED = 64, MOST_SHOWN = 5, LARGEST = 10000 };

struct try {
    uint32_t op, to;
    uint64_t bound;
};
struct tries {
    struct try items[MOST_TRIED];
    size_t count, left_out;
    uint32_t seen[MOST_TRIED]; /* operators */
    size_t seen_count;
};

static void add_try(struct tries *tries, const struct sw_problem *problem, uint32_t op,
                    uint32_t to) {
    if (op == to || !sw_problem_may_move(problem, op, to, NULL)) {
        return;
    }
    for (size_t i = 0; i < tries->count; i++) {
        if (tries->items[i].op == op && tries->items[i].to == to) {
            return;
        }
    }
    if (tries->count == MOST_TRIED) {
        tries->left_out++;
    } else {
        tries->items[tries->count++] =
            (struct try){op, to, sw_problem_bound_moved(problem, op, to)};
    }
}

/* As far as it can go, and as near to the step as it may stand on its other side. */
static void try_both(struct tries *tries, const struct sw_problem *problem, uint32_t op,
                     uint32_t step) {
    uint32_t lo, hi;
    for (size_t i = 0; i < tries->seen_count; i++) {
        if (tries->seen[i] == op) {
            return;
        }
    }
    if (tries->seen_count == MOST_TRIED) {
        tries->left_out++;
        return;
    }
    tries->seen[tries->seen_count++] = op;
    sw_problem_move_range(problem, op, &lo, &hi);
    if (op <= step && hi >= step) {
        add_try(tries, problem, op, hi);
        add_try(tries, problem, op, step);
    }
    if (op >= step && lo <= step) {
        add_try(tries, problem, op, lo);
        add_try(tries, problem, op, step);
    }
}

/* The operator of the step, and those that make or use what is alive there. */
static void collect(struct tries *tries, const struct sw_problem *problem, uint32_t step) {
    try_both(tries, problem, step, step);
    struct sw_neighbours alive = sw_problem_alive(problem, step, step);
    for (uint32_t b; (b = sw_neighbours_next(&alive)) != SW_NONE;) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        if (tries->left_out > 0) {
            return; /* enough for a sentence */
        }
        for (uint32_t i = 0; i < buffer->access_count && i < 8; i++) {
            if (buffer->accesses[i] < sw_problem_operator_count(problem)) {
                try_both(tries, problem, buffer->accesses[i], step);
            }
        }
    }
}

static int by_bound(const void *a, const void *b) {
    const struct try *x = a, *y = b;
    int order = (x->bound > y->bound) - (x->bound < y->bound);
    uint32_t i = x->op > x->to ? x->op - x->to : x->to - x->op;
    uint32_t k = y->op > y->to ? y->op - y->to : y->to - y->op;
    return order               ? order
           : (i > k) - (i < k) ? (i > k) - (i < k)
                               : (x->op > y->op) - (x->op < y->op);
}

void sw_blame_moves(struct sw_lines *lines, uint32_t step) {
    const struct sw_problem *problem = lines->problem;
    uint64_t now = sw_problem_lower_bound(problem);
    struct tries tries = {0};
    if (sw_problem_operator_count(problem) == 0) {
        return;
    }
    if (sw_problem_buffer_count(problem) > LARGEST) {
        sw_lines_text(lines, SW_STYLE_DIM,
                      "Moves of operators are not tried out in a graph so large.");
        return;
    }
    collect(&tries, problem, step);
    qsort(tries.items, tries.count, sizeof *tries.items, by_bound);
    size_t shown = 0;
    for (size_t i = 0; i < tries.count && shown < MOST_SHOWN; i++) {
        const struct try *try = &tries.items[i];
        if (try->bound == 0 || try->bound >= now) {
            break;
        }
        bool again = false; /* of one operator only its best move */
        for (size_t k = 0; k < i; k++) {
            again |= tries.items[k].op == try->op;
        }
        if (again) {
            continue;
        }
        shown++;
        sw_lines_text(lines, SW_STYLE_FITS,
                      sw_scene_printf(lines->scene,
                                      "%s moved from step %u to step %u: the bound falls by %s to "
                                      "%s (reorder %u %u).",
                                      sw_problem_operator(problem, try->op)->name, try->op, try->to,
                                      sw_lines_bytes(lines, now - try->bound),
                                      sw_lines_bytes(lines, try->bound), try->op, try->to));
    }
    if (tries.count == 0) {
        sw_lines_text(lines, SW_STYLE_DIM,
                      "No operator around this step can be moved: the data fix their order.");
    } else if (shown == 0) {
        char text[32];
        sw_lines_text(lines, SW_STYLE_DIM,
                      sw_scene_printf(lines->scene,
                                      "No single move of an operator lowers the bound: %s legal "
                                      "one%s around this step %s tried.",
                                      sw_show_count(tries.count, text), tries.count == 1 ? "" : "s",
                                      tries.count == 1 ? "was" : "were"));
    }
    if (tries.left_out > 0) {
        sw_lines_text(
            lines, SW_STYLE_DIM,
            sw_scene_printf(lines->scene, "Of the operators around it %d were tried.", MOST_TRIED));
    }
}
