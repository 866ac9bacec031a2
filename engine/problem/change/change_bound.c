/* The bound that a changed problem would have, without building it where that is quick: what is alive at
 * each step differs at a few steps only, and a new step is put between two. */
#include "problem/change/change.h"
#include "base/base.h"

#include "base/sort.h"

#include "problem/problem_internal.h"

bool sw_problem_bound_is_quick(const struct sw_problem *problem) {
    return problem->core_count == 1 && !problem->origin && (!problem->inplace_safe || problem->operator_count == 0);
}

/* Live bytes at every step of the changed problem. */
struct curve {
    uint64_t *live;
    uint32_t steps, room;
    uint32_t added; /* the step of the operator that runs again; SW_NONE */
};

/* ---- spills ---- */

static void spill_on_curve(const struct sw_problem *problem, const struct sw_edit *change, struct curve *curve) {
    const struct sw_buffer *buffer = &problem->buffers[change->buffer];
    uint32_t from = 0, to = 0;
    if (!sw_problem_waits(problem, change->buffer, change->step, &from, &to)) {
        return;
    }
    for (uint32_t step = from + 1; step < to; step++) {
        curve->live[step] -= sw_buffer_live_bytes(buffer, step);
    }
}

/* ---- in place ---- */

SW_BY_FIELDS(by_step_then_buffers, struct sw_permit, SW_UP(step), SW_UP(fresh), SW_UP(old))

static bool permits_of(const struct sw_problem *problem, const struct sw_edit *changes, size_t count,
                       struct sw_permit_list *list) {
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        const struct sw_edit *change = &changes[i];
        for (uint32_t step = 0; ok && change->kind == SW_EDIT_INPLACE_MARKED && step < problem->operator_count;
             step++) {
            ok = sw_permits_at(problem, step, list);
        }
        if (ok && change->kind == SW_EDIT_INPLACE) {
            ok = SW_PUSH(list, (struct sw_permit){change->buffer, change->other, change->step});
        }
    }
    return ok;
}

static bool share_on_curve(const struct sw_problem *problem, const struct sw_edit *changes, size_t count,
                           struct curve *curve) {
    struct sw_permit_list list = {0};
    bool ok = permits_of(problem, changes, count, &list);
    size_t kept = ok ? sw_sort_unique(list.items, list.count, sizeof *list.items, by_step_then_buffers) : 0;
    for (size_t i = 0, next; ok && i < kept; i = next) {
        uint64_t saved = 0;
        for (next = i + 1; next < kept && list.items[next].step == list.items[i].step; next++) {
        }
        ok = sw_permits_save(problem, list.items + i, next - i, &saved);
        curve->live[list.items[i].step] -= saved;
    }
    SW_ARRAY_DONE(&list);
    return ok;
}

/* ---- recomputing ---- */

/* Bytes of the buffer that live on from one step to the next. */
static uint64_t live_through(const struct sw_buffer *buffer, uint32_t step) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < buffer->piece_count; i++) {
        const struct sw_piece *p = &buffer->pieces[i];
        for (uint32_t k = 0; p->first <= step && p->last >= step && k < buffer->piece_count; k++) {
            const struct sw_piece *q = &buffer->pieces[k];
            uint64_t lo = SW_MAX(p->lo, q->lo), hi = SW_MIN(p->hi, q->hi);
            bytes += q->first <= step + 1 && q->last > step && lo < hi ? hi - lo : 0;
        }
    }
    return bytes;
}

/* Once for each of the buffers in a list: is entry i the first of its buffer? */
static bool names_first(const struct sw_ref *refs, uint32_t i) {
    return !sw_refs_name(refs, i, refs[i].buffer);
}

/* What the operator needs at its second run beyond what lives on anyway, and what lives longer for it. */
static uint64_t needs_again(const struct sw_problem *problem, const struct sw_again *again, struct curve *curve) {
    const struct sw_operator *op = &problem->operators[again->made];
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < op->output_count; i++) {
        uint32_t b = op->outputs[i].buffer;
        bytes += b != again->buffer && names_first(op->outputs, i) ? problem->buffers[b].size : 0;
    }
    for (uint32_t i = 0; i < op->scratch_count; i++) {
        uint32_t b = op->scratch[i].buffer;
        bool counted = b == again->buffer || sw_refs_name(op->outputs, op->output_count, b);
        bytes += !counted && names_first(op->scratch, i) ? problem->buffers[b].size : 0;
    }
    for (uint32_t i = 0; i < op->input_count; i++) {
        const struct sw_buffer *input = &problem->buffers[op->inputs[i].buffer];
        if (!input->planned || input->last >= again->to || !names_first(op->inputs, i)) {
            continue;
        }
        for (uint32_t step = input->last + 1; step < again->to; step++) {
            curve->live[step] += input->size;
        }
        bytes += input->size;
    }
    return bytes;
}

static bool recompute_on_curve(const struct sw_problem *problem, const struct sw_edit *change, struct curve *curve,
                               struct sw_error *error) {
    struct sw_again again;
    if (!sw_again_of(problem, change->buffer, change->step, &again, error)) {
        return false;
    }
    const struct sw_buffer *buffer = &problem->buffers[again.buffer];
    memmove(curve->live + again.to + 1, curve->live + again.to, (problem->steps - again.to) * sizeof *curve->live);
    curve->added = again.to;
    curve->steps++;
    for (uint32_t step = again.from + 1; step < again.to; step++) {
        curve->live[step] -= buffer->size;
    }
    uint64_t bytes = needs_again(problem, &again, curve);
    struct sw_neighbors alive = sw_problem_alive(problem, again.to - 1, again.to);
    for (uint32_t b; (b = sw_neighbors_next(&alive)) != SW_NONE;) {
        bytes += live_through(&problem->buffers[b], again.to - 1);
    }
    curve->live[again.to] = bytes;
    return true;
}

/* ---- the bound ---- */

/* The step that an operator which now stands at `step` had before. */
static uint32_t step_before(const struct sw_edit *change, uint32_t added, uint32_t step) {
    uint32_t op = change->step, to = change->to;
    if (change->kind == SW_EDIT_RECOMPUTE && added != SW_NONE) {
        return step == added ? SW_NONE : step > added ? step - 1 : step;
    }
    if (change->kind != SW_EDIT_MOVE) {
        return step;
    }
    return step == to                           ? op
           : op < to && step >= op && step < to ? step + 1
           : to < op && step > to && step <= op ? step - 1
                                                : step;
}

static void find_changed_bound(const struct curve *curve, const struct sw_edit *change,
                               struct sw_changed_bound *bound) {
    *bound = (struct sw_changed_bound){0};
    for (uint32_t step = 0; step < curve->steps; step++) {
        if (curve->live[step] > bound->bytes) {
            *bound = (struct sw_changed_bound){.bytes = curve->live[step], .step = step};
        }
        bound->met += curve->live[step] == bound->bytes;
    }
    bound->was = step_before(change, curve->added, bound->step);
}

static bool quick_bound(const struct sw_problem *problem, const struct sw_edit *changes, size_t count,
                        struct sw_changed_bound *bound, struct sw_error *error) {
    struct curve curve = {.steps = problem->steps, .room = problem->steps + 2, .added = SW_NONE};
    curve.live = SW_NEW(uint64_t, curve.room);
    if (!curve.live) {
        return sw_fail_memory(error);
    }
    memcpy(curve.live, problem->profile, problem->steps * sizeof *curve.live);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        if (changes[i].kind == SW_EDIT_SPILL) {
            spill_on_curve(problem, &changes[i], &curve);
        } else if (changes[i].kind == SW_EDIT_RECOMPUTE) {
            ok = recompute_on_curve(problem, &changes[i], &curve, error);
        } else if (changes[i].kind == SW_EDIT_MOVE) {
            sw_profile_moved(problem, changes[i].step, changes[i].to, curve.live);
        }
    }
    ok = ok && (share_on_curve(problem, changes, count, &curve) || sw_fail_memory(error));
    if (ok) {
        find_changed_bound(&curve, &changes[0], bound);
    }
    SW_FREE(curve.live, curve.room);
    return ok;
}

static bool built_bound(const struct sw_problem *problem, const struct sw_edit *changes, size_t count,
                        struct sw_changed_bound *bound, struct sw_error *error) {
    struct sw_again again = {.to = SW_NONE};
    if (changes[0].kind == SW_EDIT_RECOMPUTE &&
        !sw_again_of(problem, changes[0].buffer, changes[0].step, &again, error)) {
        return false;
    }
    struct sw_problem *changed = sw_problem_changed(problem, changes, count, error);
    if (!changed) {
        return false;
    }
    *bound = (struct sw_changed_bound){.bytes = changed->bound, .step = changed->bound_step};
    for (uint32_t step = 0; step < changed->steps; step++) {
        bound->met += changed->profile[step] == changed->bound;
    }
    bound->met = changed->clique ? 0 : bound->met;
    bound->was = step_before(&changes[0], again.to, bound->step);
    sw_problem_unref(changed);
    return true;
}

/* Are there both spills and in-place writes? A buffer with a hole is not written in place, so these affect each
 * other, and the problem has to be built. */
static bool is_mixed(const struct sw_edit *changes, size_t count) {
    bool spills = false, shares = false;
    for (size_t i = 0; i < count; i++) {
        spills |= changes[i].kind == SW_EDIT_SPILL;
        shares |= changes[i].kind == SW_EDIT_INPLACE || changes[i].kind == SW_EDIT_INPLACE_MARKED;
    }
    return spills && shares;
}

bool sw_problem_bound_changed(const struct sw_problem *problem, const struct sw_edit *changes, size_t count,
                              struct sw_changed_bound *bound, struct sw_error *error) {
    if (count == 0) {
        return sw_fail(error, SW_ERROR_USAGE, "no change is given");
    }
    if (!sw_problem_bound_is_quick(problem) || is_mixed(changes, count)) {
        return built_bound(problem, changes, count, bound, error);
    }
    return sw_changes_check(problem, changes, count, error) && quick_bound(problem, changes, count, bound, error);
}

/* ---- what they cost ---- */

uint64_t sw_problem_spill_bytes(const struct sw_problem *problem, uint32_t b, uint32_t step) {
    const struct sw_buffer *buffer = &problem->buffers[b];
    uint32_t from, to;
    if (!sw_problem_waits(problem, b, step, &from, &to) || buffer->kind == SW_KIND_SCRATCH) {
        return 0;
    }
    uint64_t in = sw_buffer_live_bytes(buffer, to - 1);
    return in + (buffer->kind == SW_KIND_CONSTANT ? 0 : sw_buffer_live_bytes(buffer, from + 1));
}

uint32_t sw_problem_recomputes(const struct sw_problem *problem, uint32_t b, uint32_t step, uint64_t *held) {
    struct sw_again again;
    if (!sw_again_of(problem, b, step, &again, NULL)) {
        return SW_NONE;
    }
    const struct sw_operator *op = &problem->operators[again.made];
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < op->input_count; i++) {
        const struct sw_buffer *input = &problem->buffers[op->inputs[i].buffer];
        bytes += input->planned && input->last < again.to && names_first(op->inputs, i) ? input->size : 0;
    }
    if (held) {
        *held = bytes;
    }
    return again.made;
}
