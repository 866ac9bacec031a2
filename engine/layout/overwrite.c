/* What may be written over what, derived from the graph for the checker alone (rule R6): the
 * operator that writes `fresh` uses `old` for the last time, and `old` is an input under its
 * scratch or outputs, or its scratch under its outputs. */
#include "layout/internal.h"

#include <string.h>

static bool touches(const struct sw_ref *refs, uint32_t count, uint32_t buffer) {
    for (uint32_t i = 0; i < count; i++) {
        if (refs[i].buffer == buffer) {
            return true;
        }
    }
    return false;
}

static bool uses(const struct sw_operator *op, uint32_t buffer) {
    return touches(op->inputs, op->input_count, buffer) ||
           touches(op->outputs, op->output_count, buffer) ||
           touches(op->scratch, op->scratch_count, buffer);
}

/* Does `j` come right after an operator whose `reach` is set: on its core, or by synchronisation?
 */
static bool follows(const struct sw_problem *problem, const bool *reach, uint32_t j) {
    const struct sw_operator *op = sw_problem_operator(problem, j);
    bool any = false;
    for (uint32_t i = 0; i < op->after_count; i++) {
        any |= reach[op->after[i]];
    }
    uint32_t previous = j;
    while (previous > 0 && sw_problem_operator(problem, previous - 1)->core != op->core) {
        previous--;
    }
    return any || (previous > 0 && reach[previous - 1]);
}

/* On several cores steps do not order operators. Everybody who uses `old` must have run before the
 * operator at `step`, and everybody who uses `fresh` must run after it. `reach` has room for all.
 */
static bool ordered(const struct sw_problem *problem, uint32_t fresh, uint32_t old, uint32_t step,
                    bool *reach) {
    uint32_t count = sw_problem_operator_count(problem);
    for (uint32_t user = 0; user < step; user++) {
        const struct sw_operator *op = sw_problem_operator(problem, user);
        if (uses(op, fresh)) {
            return false;
        }
        if (!uses(op, old)) {
            continue;
        }
        memset(reach, 0, count * sizeof *reach);
        reach[user] = true;
        for (uint32_t j = user + 1; j <= step; j++) {
            reach[j] = follows(problem, reach, j);
        }
        if (!reach[step]) {
            return false;
        }
    }
    memset(reach, 0, count * sizeof *reach);
    reach[step] = true;
    for (uint32_t j = step + 1; j < count; j++) {
        reach[j] = follows(problem, reach, j);
        const struct sw_operator *op = sw_problem_operator(problem, j);
        if (uses(op, old) || (uses(op, fresh) && !reach[j])) {
            return false;
        }
    }
    return true;
}

bool sw_overwrite_is_true(const struct sw_problem *problem, const struct sw_permit *permit,
                          bool *reach) {
    uint32_t fresh = permit->fresh, old = permit->old;
    if (permit->step >= sw_problem_operator_count(problem)) {
        return false;
    }
    const struct sw_buffer *f = sw_problem_buffer(problem, fresh);
    const struct sw_buffer *o = sw_problem_buffer(problem, old);
    const struct sw_operator *op = sw_problem_operator(problem, permit->step);
    bool out = touches(op->outputs, op->output_count, fresh);
    bool scratch = touches(op->scratch, op->scratch_count, fresh);
    bool input = touches(op->inputs, op->input_count, old);
    bool workspace = touches(op->scratch, op->scratch_count, old);
    return f->first == permit->step && o->last == permit->step && o->kind != SW_KIND_OUTPUT &&
           ((input && (out || scratch)) || (workspace && out)) &&
           (sw_problem_core_count(problem) == 1 ||
            ordered(problem, fresh, old, permit->step, reach));
}
