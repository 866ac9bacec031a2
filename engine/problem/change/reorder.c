#include "problem/change/reorder.h"
#include "base/base.h"

#include "problem/problem_internal.h"

/* ---- what may stand before what ---- */

/* A buffer of which the order of the two operators decides what is read; SW_NONE. Workspaces hold
 * nothing over from one operator to another. */
static uint32_t tie_of(const struct sw_operator *a, const struct sw_operator *b) {
    for (uint32_t i = 0; i < a->output_count; i++) {
        uint32_t buffer = a->outputs[i].buffer;
        if (sw_refs_name(b->inputs, b->input_count, buffer) || sw_refs_name(b->outputs, b->output_count, buffer)) {
            return buffer;
        }
    }
    for (uint32_t i = 0; i < a->input_count; i++) {
        if (sw_refs_name(b->outputs, b->output_count, a->inputs[i].buffer)) {
            return a->inputs[i].buffer;
        }
    }
    return SW_NONE;
}

static bool waits_for(const struct sw_operator *op, uint32_t other) {
    for (uint32_t i = 0; i < op->after_count; i++) {
        if (op->after[i] == other) {
            return true;
        }
    }
    return false;
}

static bool may_pass(const struct sw_problem *problem, uint32_t a, uint32_t b) {
    const struct sw_operator *x = &problem->operators[a], *y = &problem->operators[b];
    return tie_of(x, y) == SW_NONE && !waits_for(x, b) && !waits_for(y, a);
}

/* Parts of one operator stay together. What would be torn apart where the operator moves there; SW_NONE: nothing. */
static uint32_t torn_by(const struct sw_problem *problem, uint32_t op, uint32_t to) {
    const struct sw_operator *all = problem->operators;
    uint32_t next = to > op ? to + 1 : to; /* it comes to stand before that one */
    bool part = all[op].joined || (op + 1 < problem->operator_count && all[op + 1].joined);
    return to == op ? SW_NONE : part ? op : next < problem->operator_count && all[next].joined ? next : SW_NONE;
}

void sw_problem_move_range(const struct sw_problem *problem, uint32_t op, uint32_t *lo, uint32_t *hi) {
    *lo = *hi = op;
    if (problem->core_count > 1) {
        return;
    }
    while (*lo > 0 && may_pass(problem, op, *lo - 1)) {
        --*lo;
    }
    while (*hi + 1 < problem->operator_count && may_pass(problem, op, *hi + 1)) {
        ++*hi;
    }
    while (*lo < op && torn_by(problem, op, *lo) != SW_NONE) {
        ++*lo;
    }
    while (*hi > op && torn_by(problem, op, *hi) != SW_NONE) {
        --*hi;
    }
}

/* Does the operator touch a buffer with parts that were given lifetimes of their own? Such lifetimes cannot be
 * moved along with the operator. `which`: that buffer. */
static bool in_parts(const struct sw_problem *problem, uint32_t op, uint32_t *which) {
    const struct sw_operator *about = &problem->operators[op];
    for (uint32_t i = 0; i < sw_ref_count(about); i++) {
        const struct sw_buffer *buffer = &problem->buffers[sw_ref_at(about, i)->buffer];
        if (buffer->planned && buffer->lifetime_given && buffer->piece_count > 1) {
            *which = sw_ref_at(about, i)->buffer;
            return true;
        }
    }
    return false;
}

bool sw_problem_may_move(const struct sw_problem *problem, uint32_t op, uint32_t to, struct sw_error *error) {
    uint32_t parts = SW_NONE;
    if (op >= problem->operator_count || to >= problem->operator_count) {
        return sw_fail(error, SW_ERROR_USAGE, "there are operators 0 to %u",
                       problem->operator_count ? problem->operator_count - 1 : 0);
    }
    const struct sw_operator *about = &problem->operators[op];
    if (problem->core_count > 1) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "on several cores the order of the list decides nothing");
    }
    if (in_parts(problem, op, &parts)) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED,
                       "%s touches %s, a buffer with parts that have lifetimes of their own", about->name,
                       problem->buffers[parts].name);
    }
    uint32_t part = torn_by(problem, op, to);
    if (part != SW_NONE) {
        return sw_fail(error, SW_ERROR_USAGE,
                       part == op ? "%s is one of several parts of an operator, which stay together"
                                  : "%s is one of several parts of an operator, which nothing may come between",
                       problem->operators[part].name);
    }
    for (uint32_t i = op; i != to;) {
        i = to > op ? i + 1 : i - 1;
        const struct sw_operator *other = &problem->operators[i];
        uint32_t buffer = tie_of(about, other);
        if (buffer != SW_NONE) {
            return sw_fail(error, SW_ERROR_USAGE, "%s cannot pass %s (step %u): both use %s", about->name, other->name,
                           i, problem->buffers[buffer].name);
        }
        if (waits_for(about, i) || waits_for(other, op)) {
            return sw_fail(error, SW_ERROR_USAGE,
                           "%s cannot pass %s (step %u): one waits for the "
                           "other",
                           about->name, other->name, i);
        }
    }
    return true;
}

/* ---- where things stand afterwards ---- */

struct move {
    uint32_t op, to;
};

/* The new step of an operator. */
static uint32_t moved_step(const void *of, uint32_t step) {
    const struct move *move = of;
    if (step == move->op) {
        return move->to;
    }
    if (move->op < move->to && step > move->op && step <= move->to) {
        return step - 1;
    }
    return move->to < move->op && step >= move->to && step < move->op ? step + 1 : step;
}

/* A span of time that begins and ends at steps. A buffer that the operator does not touch, but that ends at it, keeps
 * to its neighbors. A buffer that the operator touches is stretched to it. */
static struct sw_span moved_span(const struct sw_problem *problem, struct move move, const struct sw_buffer *buffer,
                                 uint32_t first, uint32_t last) {
    bool touched = false;
    uint32_t from = UINT32_MAX, to = 0;
    if (buffer->access_count == 0 && !buffer->lifetime_given) {
        return (struct sw_span){first, last}; /* no operator says when it lives */
    }
    for (uint32_t i = 0; i < buffer->access_count; i++) {
        uint32_t step = moved_step(&move, buffer->accesses[i]);
        touched |= buffer->accesses[i] == move.op;
        from = SW_MIN(step, from);
        to = SW_MAX(step, to);
    }
    uint32_t a = moved_step(&move, first == move.op && !touched ? first + 1 : first);
    uint32_t b = moved_step(&move, last == move.op && !touched ? last - 1 : last);
    if (touched) {
        a = first == move.op ? from : SW_MIN(a, move.to);
        b = last == move.op ? to : SW_MAX(b, move.to);
    }
    if (first == last && first == move.op) {
        a = b = move.to;
    }
    /* The host writes inputs before everything, and reads outputs after it. */
    a = buffer->kind == SW_KIND_INPUT && first == 0 ? 0 : a;
    b = buffer->output && last + 1 == problem->steps ? last : b;
    return (struct sw_span){a, b};
}

void sw_profile_moved(const struct sw_problem *problem, uint32_t op, uint32_t to, uint64_t *profile) {
    struct move move = {op, to};
    memset(profile, 0, ((size_t)problem->steps + 1) * sizeof *profile);
    for (uint32_t b = 0; b < problem->buffer_count; b++) {
        const struct sw_buffer *buffer = &problem->buffers[b];
        for (uint32_t i = 0; buffer->planned && i < buffer->piece_count; i++) {
            const struct sw_piece *piece = &buffer->pieces[i];
            struct sw_span span = moved_span(problem, move, buffer, piece->first, piece->last);
            profile[span.from] += piece->hi - piece->lo; /* wraps and unwraps */
            profile[span.to + 1] -= piece->hi - piece->lo;
        }
    }
    for (uint32_t step = 1; step < problem->steps; step++) {
        profile[step] += profile[step - 1];
    }
}

/* ---- in a builder ---- */

static bool follow_move(struct sw_builder *builder, const struct sw_problem *problem, struct move move, uint32_t b,
                        struct sw_error *error) {
    struct sw_buffer_spec *spec = &builder->buffers.items[b].spec;
    const struct sw_buffer *buffer = &problem->buffers[b];
    if (spec->has_first && spec->has_last) {
        struct sw_span span = moved_span(problem, move, buffer, buffer->first, buffer->last);
        spec->first = span.from;
        spec->last = span.to;
    }
    if (spec->piece_count > 0) {
        struct sw_piece_spec *pieces = sw_arena_new(&builder->arena, spec->piece_count, sizeof *pieces);
        if (!pieces) {
            return sw_fail_memory(error);
        }
        for (size_t i = 0; i < spec->piece_count; i++) {
            struct sw_span span =
                moved_span(problem, move, buffer, (uint32_t)spec->pieces[i].first, (uint32_t)spec->pieces[i].last);
            pieces[i] = spec->pieces[i];
            pieces[i].first = span.from;
            pieces[i].last = span.to;
        }
        spec->pieces = pieces;
    }
    return sw_builder_move_accesses(builder, spec, moved_step, &move) || sw_fail_memory(error);
}

bool sw_builder_edit_order(struct sw_builder *builder, const struct sw_problem *problem, uint32_t op, uint32_t to,
                           struct sw_error *error) {
    if (!sw_problem_may_move(problem, op, to, error)) {
        return false;
    }
    struct move move = {op, to};
    for (uint32_t b = 0; b < problem->buffer_count; b++) {
        if (!follow_move(builder, problem, move, b, error)) {
            return false;
        }
    }
    struct sw_raw_operator *items = builder->operators.items, held = items[op];
    if (to > op) {
        memmove(items + op, items + op + 1, (to - op) * sizeof *items);
    } else {
        memmove(items + to + 1, items + to, (op - to) * sizeof *items);
    }
    items[to] = held;
    return true;
}
