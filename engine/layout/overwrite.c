/* What may be written over what, derived from the graph for the checker alone. The operator that
 * writes `fresh` uses `old` for the last time, and either the graph marks it `inplace` for the two, or
 * it is only assumed that it can (rule R6): then `old` may be any input under its scratch or outputs,
 * or its scratch under its outputs. */
#include "layout/layout_internal.h"

#include <string.h>

static bool op_names_buffer(const struct sw_ref *refs, uint32_t count, uint32_t buffer) {
    for (uint32_t i = 0; i < count; i++) {
        if (refs[i].buffer == buffer) {
            return true;
        }
    }
    return false;
}

static bool operator_uses(const struct sw_operator *op, uint32_t buffer) {
    return op_names_buffer(op->inputs, op->input_count, buffer) ||
           op_names_buffer(op->outputs, op->output_count, buffer) ||
           op_names_buffer(op->scratch, op->scratch_count, buffer);
}

/* Does `j` follow an operator with `reach` set directly: as the next on its core, or by synchronization?
 */
static bool follows_reached(const struct sw_problem *problem, const bool *reach, uint32_t j) {
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

/* On several cores steps do not order operators. Every other operator that uses `old` must run before
 * the operator at `step`, and every other one that uses `fresh` must run after it. `reach` has room for
 * all operators. */
static bool is_ordered_on_cores(const struct sw_problem *problem, uint32_t fresh, uint32_t old, uint32_t step,
                                bool *reach) {
    uint32_t count = sw_problem_operator_count(problem);
    for (uint32_t user = 0; user < step; user++) {
        const struct sw_operator *op = sw_problem_operator(problem, user);
        if (operator_uses(op, fresh)) {
            return false;
        }
        if (!operator_uses(op, old)) {
            continue;
        }
        memset(reach, 0, count * sizeof *reach);
        reach[user] = true;
        for (uint32_t j = user + 1; j <= step; j++) {
            reach[j] = follows_reached(problem, reach, j);
        }
        if (!reach[step]) {
            return false;
        }
    }
    memset(reach, 0, count * sizeof *reach);
    reach[step] = true;
    for (uint32_t j = step + 1; j < count; j++) {
        reach[j] = follows_reached(problem, reach, j);
        const struct sw_operator *op = sw_problem_operator(problem, j);
        if (operator_uses(op, old) || (operator_uses(op, fresh) && !reach[j])) {
            return false;
        }
    }
    return true;
}

/* Does the operator born with `fresh` use `old` last, and need neither again? An output of the network
 * is read after the run, a constant in the next one. */
static bool hands_over(const struct sw_problem *problem, const struct sw_permit *permit, bool *reach) {
    if (permit->step >= sw_problem_operator_count(problem)) {
        return false;
    }
    const struct sw_buffer *f = sw_problem_buffer(problem, permit->fresh);
    const struct sw_buffer *o = sw_problem_buffer(problem, permit->old);
    const struct sw_operator *op = sw_problem_operator(problem, permit->step);
    return f->first == permit->step && o->last == permit->step && !o->output && o->kind != SW_KIND_CONSTANT &&
           f->kind != SW_KIND_INPUT && !op_names_buffer(op->inputs, op->input_count, permit->fresh) &&
           !op_names_buffer(op->outputs, op->output_count, permit->old) &&
           (sw_problem_core_count(problem) == 1 ||
            is_ordered_on_cores(problem, permit->fresh, permit->old, permit->step, reach));
}

bool sw_overwrite_is_assumed(const struct sw_problem *problem, const struct sw_permit *permit, bool *reach) {
    if (!hands_over(problem, permit, reach)) {
        return false;
    }
    const struct sw_operator *op = sw_problem_operator(problem, permit->step);
    bool out = op_names_buffer(op->outputs, op->output_count, permit->fresh);
    bool scratch = op_names_buffer(op->scratch, op->scratch_count, permit->fresh);
    return (op_names_buffer(op->inputs, op->input_count, permit->old) && (out || scratch)) ||
           (op_names_buffer(op->scratch, op->scratch_count, permit->old) && out);
}

/* Is every mention of the buffer one of the whole of it, and is there one? */
static bool only_whole(const struct sw_ref *refs, uint32_t count, uint32_t buffer) {
    for (uint32_t i = 0; i < count; i++) {
        if (refs[i].buffer == buffer && refs[i].member != SW_NONE) {
            return false;
        }
    }
    return op_names_buffer(refs, count, buffer);
}

/* Does the graph mark the operator as one that may write `fresh` over `old`? */
static bool is_marked(const struct sw_operator *op, uint32_t fresh, uint32_t old) {
    bool marked = op->inplace == SW_INPLACE_ANY;
    for (uint32_t i = 0; op->inplace == SW_INPLACE_PAIRS && i < op->pair_count; i++) {
        marked |= op->pairs[i][0].buffer == old && op->pairs[i][1].buffer == fresh &&
                  op->pairs[i][0].member == SW_NONE && op->pairs[i][1].member == SW_NONE;
    }
    return marked;
}

bool sw_overwrite_is_permitted(const struct sw_problem *problem, const struct sw_permit *permit, bool *reach) {
    if (!hands_over(problem, permit, reach)) {
        return false;
    }
    const struct sw_operator *op = sw_problem_operator(problem, permit->step);
    return is_marked(op, permit->fresh, permit->old) &&
           sw_problem_buffer(problem, permit->fresh)->size <= sw_problem_buffer(problem, permit->old)->size &&
           only_whole(op->inputs, op->input_count, permit->old) &&
           only_whole(op->outputs, op->output_count, permit->fresh) &&
           !op_names_buffer(op->scratch, op->scratch_count, permit->old) &&
           !op_names_buffer(op->scratch, op->scratch_count, permit->fresh);
}
