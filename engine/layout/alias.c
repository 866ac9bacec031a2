/* Which tensors are the same bytes by the graph's own meaning: a reshape and its input, a branch
 * that a get-item takes out of a tuple. Derived for the checker alone, from the operators' kinds.
 */
#include "layout/layout_internal.h"

#include <string.h>

static bool is_op_kind(const struct sw_operator *op, const char *kind) {
    return strcmp(op->kind, kind) == 0;
}

static bool has_views(const struct sw_problem *problem) {
    for (uint32_t o = 0; o < sw_problem_operator_count(problem); o++) {
        const struct sw_operator *op = sw_problem_operator(problem, o);
        if (is_op_kind(op, "reshape") || is_op_kind(op, "get-item")) {
            return true;
        }
    }
    return false;
}

struct views {
    const struct sw_problem *problem, *declared;
    uint32_t *value;             /* per tensor: the one that stands for all with the same bytes */
    uint32_t *written;           /* how often it is written */
    uint32_t *tuple;             /* where the branches of a tuple begin, + 1; 0: no tuple */
    SW_ARRAY(uint32_t) branches; /* ended by SW_NONE */
    SW_ARRAY(bool) taken;
};

static void count_view_writers(struct views *v) {
    for (uint32_t b = 0; b < sw_problem_buffer_count(v->problem); b++) {
        enum sw_kind kind = sw_problem_buffer(v->problem, b)->kind;
        v->written[b] = kind == SW_KIND_INPUT || kind == SW_KIND_CONSTANT; /* by the host */
    }
    for (uint32_t o = 0; o < sw_problem_operator_count(v->problem); o++) {
        const struct sw_operator *op = sw_problem_operator(v->problem, o);
        for (uint32_t i = 0; i < op->output_count; i++) {
            v->written[op->outputs[i].buffer]++;
        }
        for (uint32_t i = 0; i < op->scratch_count; i++) {
            v->written[op->scratch[i].buffer] += 2;
        }
    }
}

/* A tensor that is written at most once, as a whole, keeps the bytes it is born with. */
static bool is_steady_view(const struct views *v, struct sw_ref ref) {
    return ref.member == SW_NONE && v->written[ref.buffer] <= 1;
}

static bool follow_branch(struct views *v, uint32_t branch) {
    return SW_PUSH(&v->branches, branch) && SW_PUSH(&v->taken, false);
}

/* A tuple without bytes of its own, every branch of which is a planned tensor or such a tuple. */
static bool has_no_bytes(const struct views *v, const struct sw_operator *op) {
    bool none = sw_problem_buffer(v->problem, op->outputs[0].buffer)->size == 0;
    for (uint32_t i = 0; i < op->input_count; i++) {
        none &= is_steady_view(v, op->inputs[i]) && sw_problem_buffer(v->problem, op->inputs[i].buffer)->planned;
    }
    return none;
}

static bool open_tuple(struct views *v, const struct sw_operator *op) {
    uint32_t start = (uint32_t)v->branches.count + 1;
    bool ok = true;
    for (uint32_t i = 0; ok && i < op->input_count; i++) {
        uint32_t b = op->inputs[i].buffer;
        if (!v->tuple[b]) {
            ok = follow_branch(v, b);
            continue;
        }
        for (size_t k = v->tuple[b] - 1; ok && v->branches.items[k] != SW_NONE; k++) {
            ok = follow_branch(v, v->branches.items[k]);
        }
    }
    v->tuple[op->outputs[0].buffer] = start;
    return ok && follow_branch(v, SW_NONE);
}

/* Branches are told apart by their declared sizes, in order. */
static void take_item(struct views *v, const struct sw_operator *op) {
    uint32_t y = op->outputs[0].buffer, t = op->inputs[0].buffer;
    size_t found = SIZE_MAX;
    if (!v->tuple[t]) {
        return;
    }
    for (size_t k = v->tuple[t] - 1; v->branches.items[k] != SW_NONE; k++) {
        bool fits =
            sw_problem_buffer(v->declared, v->branches.items[k])->size == sw_problem_buffer(v->declared, y)->size;
        if (fits && (found == SIZE_MAX || (v->taken.items[found] && !v->taken.items[k]))) {
            found = k;
        }
    }
    if (found == SIZE_MAX) {
        return;
    }
    v->taken.items[found] = true;
    uint32_t branch = v->branches.items[found];
    if (v->written[branch] <= 1 &&
        sw_problem_buffer(v->problem, v->value[branch])->size >= sw_problem_buffer(v->problem, y)->size) {
        v->value[y] = v->value[branch];
    }
}

static bool follow_views(struct views *v) {
    bool ok = true;
    for (uint32_t o = 0; ok && o < sw_problem_operator_count(v->problem); o++) {
        const struct sw_operator *op = sw_problem_operator(v->problem, o);
        if (op->output_count != 1 || op->input_count == 0 || op->scratch_count != 0 ||
            !is_steady_view(v, op->outputs[0])) {
            continue;
        }
        if (is_op_kind(op, "tuple")) {
            ok = !has_no_bytes(v, op) || open_tuple(v, op);
        } else if (is_op_kind(op, "get-item") && op->input_count == 1) {
            take_item(v, op);
        } else if (is_op_kind(op, "reshape") && is_steady_view(v, op->inputs[0]) &&
                   sw_problem_buffer(v->problem, op->inputs[0].buffer)->size ==
                       sw_problem_buffer(v->problem, op->outputs[0].buffer)->size) {
            v->value[op->outputs[0].buffer] = v->value[op->inputs[0].buffer];
        }
    }
    return ok;
}

bool sw_alias_build(const struct sw_problem *problem, uint32_t **value) {
    size_t n = (size_t)sw_problem_buffer_count(problem) + 1;
    *value = NULL;
    if (!has_views(problem)) {
        return true;
    }
    struct views v = {.problem = problem,
                      .declared = sw_problem_origin(problem),
                      .value = SW_NEW(uint32_t, n),
                      .written = SW_NEW_ZERO(uint32_t, n),
                      .tuple = SW_NEW_ZERO(uint32_t, n)};
    bool ok = v.value && v.written && v.tuple;
    for (uint32_t b = 0; ok && b < n; b++) {
        v.value[b] = b;
    }
    if (ok) {
        count_view_writers(&v);
        ok = follow_views(&v);
    }
    SW_FREE(v.written, n);
    SW_FREE(v.tuple, n);
    SW_ARRAY_DONE(&v.branches, &v.taken);
    if (!ok) {
        SW_FREE(v.value, n);
        return false;
    }
    *value = v.value;
    return true;
}

void sw_alias_done(const struct sw_problem *problem, uint32_t *value) {
    SW_FREE(value, (size_t)sw_problem_buffer_count(problem) + 1);
}
