#include "fit/moves.h"

#include "order/orders.h"
#include "problem/builder.h"
#include "problem/change/change.h"
#include "problem/change/whole_order.h"

#include <string.h>

const char *sw_fit_move_name(enum sw_fit_move_kind kind) {
    static const char *const names[] = {[SW_FIT_STRIPS] = "strips",
                                        [SW_FIT_ORDER] = "order",
                                        [SW_FIT_INPLACE] = "inplace",
                                        [SW_FIT_RECOMPUTE] = "recompute",
                                        [SW_FIT_SPILL] = "spill"};
    return names[kind];
}

/* ---- bases ---- */

static bool make_base(struct sw_fit_base *base, struct sw_problem *problem, struct sw_error *error) {
    base->problem = problem;
    base->operator_count = sw_problem_operator_count(problem);
    base->buffer_count = sw_problem_buffer_count(problem);
    base->operators = SW_NEW(uint32_t, (size_t)base->operator_count + 1);
    base->buffers = SW_NEW(uint32_t, (size_t)base->buffer_count + 1);
    return (base->operators && base->buffers) || sw_fail_memory(error);
}

bool sw_fit_base_of(const struct sw_problem *model, struct sw_fit_base *base, struct sw_error *error) {
    if (!make_base(base, sw_problem_ref(model), error)) {
        return false;
    }
    for (uint32_t i = 0; i < base->operator_count; i++) {
        base->operators[i] = i;
    }
    for (uint32_t i = 0; i < base->buffer_count; i++) {
        base->buffers[i] = i;
    }
    base->plain = true;
    return true;
}

void sw_fit_base_done(struct sw_fit_base *base) {
    SW_FREE(base->operators, (size_t)base->operator_count + 1);
    SW_FREE(base->buffers, (size_t)base->buffer_count + 1);
    SW_ARRAY_DONE(&base->moves);
    sw_problem_unref(base->problem);
    *base = (struct sw_fit_base){0};
}

/* Take over what stays of another base. Its buffers have the same numbers; more may follow. */
static bool take_over_base(const struct sw_fit_base *from, struct sw_fit_base *base, struct sw_error *error) {
    bool good = true;
    memcpy(base->buffers, from->buffers, from->buffer_count * sizeof *base->buffers);
    for (size_t i = 0; good && i < from->moves.count; i++) {
        good = SW_PUSH(&base->moves, from->moves.items[i]) || sw_fail_memory(error);
    }
    base->more = from->more;
    return good;
}

bool sw_fit_base_in_place(const struct sw_fit_base *from, struct sw_fit_base *base, bool *gains,
                          struct sw_error *error) {
    bool marked = false;
    *gains = false;
    for (uint32_t op = 0; op < from->operator_count; op++) {
        marked |= sw_problem_operator(from->problem, op)->inplace != SW_INPLACE_NO;
    }
    if (!marked || sw_problem_inplace_safe(from->problem)) {
        return true;
    }
    struct sw_problem *problem =
        sw_problem_changed(from->problem, &(struct sw_edit){.kind = SW_EDIT_INPLACE_MARKED}, 1, error);
    *gains = problem != NULL;
    if (!problem) {
        return false;
    }
    base->plain = from->plain;
    bool good = make_base(base, problem, error) && take_over_base(from, base, error);
    if (good) {
        memcpy(base->operators, from->operators, from->operator_count * sizeof *base->operators);
    }
    return good;
}

bool sw_fit_base_in_order(const struct sw_fit_base *from, struct sw_fit_base *base, bool *gains,
                          struct sw_error *error) {
    struct sw_orders orders = {0};
    struct sw_error own = {0};
    *gains = false;
    if (!sw_problem_has_orders(from->problem, &own) ||
        !sw_orders_of(from->problem, (struct sw_orders_budget){0}, &orders, &own)) {
        return own.code != SW_ERROR_MEMORY || sw_fail_memory(error);
    }
    bool good = true;
    if (orders.peak < orders.file_peak) {
        struct sw_order_moves moves = {0};
        struct sw_problem *problem = sw_problem_in_order(from->problem, orders.order, error);
        good = problem && make_base(base, problem, error) && take_over_base(from, base, error) &&
               sw_order_moves_of(from->problem, orders.order, 0, &moves, error);
        for (uint32_t i = 0; good && i < orders.count; i++) {
            base->operators[i] = from->operators[orders.order[i]];
        }
        struct sw_fit_move move = {.kind = SW_FIT_ORDER,
                                   .op = SW_NONE,
                                   .buffer = SW_NONE,
                                   .other = SW_NONE,
                                   .moved = (uint32_t)moves.items.count};
        good = good && (SW_PUSH(&base->moves, move) || sw_fail_memory(error));
        *gains = good;
        sw_order_moves_done(&moves);
    }
    sw_orders_done(&orders);
    return good;
}

/* What the operator costs beside the plan. */
static struct sw_problem *with_tail(struct sw_problem *changed, const struct sw_problem *before, uint32_t op,
                                    struct sw_error *error) {
    enum { MOVES_PER_TENSOR = 24, MOVES_PER_BUFFER = 40 };
    struct sw_fit_program program = {.problem = before};
    uint64_t tail = sw_fit_tail_of(&program, &(struct sw_fit_call){.act = SW_FIT_AS_IS, .op = op});
    if (sw_problem_outside(before) == 0) {
        return changed;
    }
    struct sw_builder *builder = sw_builder_from(changed, error);
    if (builder) {
        sw_builder_outside(builder, sw_problem_outside(before) + tail,
                           sw_problem_least_arena(before) + tail + MOVES_PER_TENSOR + MOVES_PER_BUFFER,
                           sw_problem_more_outside(before));
    }
    struct sw_problem *problem = builder ? sw_builder_finish(builder, error) : NULL;
    sw_builder_free(builder);
    sw_problem_unref(changed);
    return problem;
}

/* Bytes of a file: an operator, its arguments and a tensor (call_flash.c). */
static uint64_t flash_of(const struct sw_problem *problem, uint32_t op, uint32_t buffer) {
    return 88 + 4 * (uint64_t)sw_problem_operator(problem, op)->input_count +
           strlen(sw_problem_buffer(problem, buffer)->name);
}

bool sw_fit_base_again(const struct sw_fit_base *from, uint32_t buffer, uint32_t step, struct sw_fit_base *base,
                       bool *gains, struct sw_error *error) {
    const struct sw_edit edit = {.kind = SW_EDIT_RECOMPUTE, .step = step, .buffer = buffer};
    struct sw_error own = {0};
    uint32_t op = sw_problem_recomputes(from->problem, buffer, step, NULL);
    *gains = false;
    if (op == SW_NONE || sw_problem_operator(from->problem, op)->output_count != 1 ||
        sw_problem_operator(from->problem, op)->scratch_count > 0 ||
        sw_problem_operator(from->problem, op)->after_count > 0) {
        return true;
    }
    struct sw_problem *changed = sw_problem_changed(from->problem, &edit, 1, &own);
    if (!changed) {
        return own.code != SW_ERROR_MEMORY || sw_fail_memory(error);
    }
    struct sw_problem *problem = with_tail(changed, from->problem, op, error);
    bool good = problem && make_base(base, problem, error) && take_over_base(from, base, error);
    uint32_t fresh = from->buffer_count, place = 0;
    for (uint32_t i = 0; good && i < base->operator_count; i++) {
        bool is_fresh = sw_problem_operator(problem, i)->output_count == 1 &&
                        sw_problem_operator(problem, i)->outputs[0].buffer == fresh;
        base->operators[i] = is_fresh ? from->operators[op] : from->operators[i - (place > 0)];
        place = is_fresh ? i : place;
    }
    if (good) {
        for (uint32_t b = fresh; b < base->buffer_count; b++) {
            base->buffers[b] = from->buffers[buffer];
        }
        base->more.macs += sw_problem_operator(from->problem, op)->macs;
        base->more.calls++;
        base->more.flash += flash_of(from->problem, op, buffer);
        for (size_t i = 0; i < base->moves.count; i++) { /* those before it stand a step further back now */
            base->moves.items[i].op += base->moves.items[i].op != SW_NONE && base->moves.items[i].op >= place;
        }
        struct sw_fit_move move = {.kind = SW_FIT_RECOMPUTE, .op = place, .buffer = fresh, .other = buffer};
        good = SW_PUSH(&base->moves, move) || sw_fail_memory(error);
    }
    *gains = good && base->buffer_count == from->buffer_count + 1 && base->operator_count == from->operator_count + 1 &&
             place > 0;
    return good;
}

/* Does the operator run again, or is there one that does and makes the buffer? The other one of the two is SW_NONE. */
static bool has_again(const struct sw_fit_base *base, uint32_t op, uint32_t buffer) {
    bool any = false;
    for (size_t i = 0; base && i < base->moves.count; i++) {
        const struct sw_fit_move *move = &base->moves.items[i];
        any |= move->kind == SW_FIT_RECOMPUTE && (move->op == op || move->buffer == buffer);
    }
    return any;
}

bool sw_fit_is_again(const struct sw_fit_base *base, uint32_t buffer) {
    return has_again(base, SW_NONE, buffer);
}

bool sw_fit_runs_again(const struct sw_fit_base *base, uint32_t op) {
    return has_again(base, op, SW_NONE);
}

/* ---- what lies over what ---- */

bool sw_fit_find_overwritten(const struct sw_layout *layout, struct sw_fit_moves *moves) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    size_t count;
    const struct sw_permit *permits = sw_problem_permits(problem, &count);
    bool good = true;
    for (size_t i = 0; good && i < count; i++) {
        struct sw_placement fresh, old;
        if (sw_layout_placement(layout, permits[i].fresh, 0, &fresh) &&
            sw_layout_placement(layout, permits[i].old, 0, &old) && fresh.tier == old.tier &&
            fresh.offset == old.offset) {
            struct sw_fit_move move = {
                .kind = SW_FIT_INPLACE, .op = permits[i].step, .buffer = permits[i].fresh, .other = permits[i].old};
            good = SW_PUSH(&moves->items, move);
        }
    }
    return good;
}
