#include "problem/change/whole_order.h"
#include "base/base.h"

#include "problem/problem_internal.h"

/* ---- which problems have other orders ---- */

/* Of each operator, how many of the first ones surely run before it, in their order: what it waits for, and what wrote
 * its inputs, tell. `writer`: room for all buffers, `sure` for all operators. */
static uint32_t count_sure(const struct sw_problem *problem, uint32_t *writer, uint32_t *sure) {
    uint32_t count = problem->operator_count, fixed = count;
    for (uint32_t b = 0; b < problem->buffer_count; b++) {
        writer[b] = SW_NONE;
    }
    for (uint32_t o = 0; o < count; o++) {
        const struct sw_operator *op = &problem->operators[o];
        uint32_t most = op->joined ? sure[o - 1] : 0;
        for (uint32_t i = 0; i < op->after_count + op->input_count; i++) {
            uint32_t other = i < op->after_count ? op->after[i] : writer[op->inputs[i - op->after_count].buffer];
            if (other != SW_NONE && other < o) {
                most = SW_MAX(most, sure[other] + (sure[other] == other));
            }
        }
        for (uint32_t i = 0; i < op->output_count; i++) {
            writer[op->outputs[i].buffer] = o;
        }
        sure[o] = most;
        fixed = most < o && most < fixed ? most : fixed;
    }
    return fixed;
}

bool sw_problem_fixed_start(const struct sw_problem *problem, uint32_t *fixed) {
    size_t buffers = (size_t)problem->buffer_count + 1, operators = (size_t)problem->operator_count + 1;
    uint32_t *writer = SW_NEW(uint32_t, buffers), *sure = SW_NEW(uint32_t, operators);
    bool good = writer && sure;
    if (good) {
        *fixed = count_sure(problem, writer, sure);
    }
    SW_FREE(writer, buffers);
    SW_FREE(sure, operators);
    return good;
}

struct sw_given_ends sw_problem_given_ends(const struct sw_problem *problem, uint32_t b, uint32_t fixed) {
    const struct sw_buffer *buffer = &problem->buffers[b];
    uint32_t count = buffer->access_count, end = problem->steps - 1;
    bool given = buffer->planned && buffer->lifetime_given, whole = buffer->first == 0 && buffer->last == end;
    struct sw_given_ends ends = {.follows = true};
    if (!given) {
        return ends;
    }
    bool first_use = count > 0 && buffer->first == buffer->accesses[0],
         last_use = count > 0 && buffer->last == buffer->accesses[count - 1];
    /* Scratch, too, is there for its operator alone. */
    ends.first = count == 0 || whole || !first_use || (buffer->first == 0 && !sw_problem_writes(problem, 0, b));
    ends.last = count == 0 || whole || !last_use;
    ends.follows = buffer->piece_count == 1 &&
                   (count == 0 || !ends.first || buffer->first == 0 || buffer->first < fixed) &&
                   (count == 0 || !ends.last || buffer->last == end);
    return ends;
}

bool sw_problem_has_orders(const struct sw_problem *problem, struct sw_error *error) {
    if (problem->operator_count == 0) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "there are no operators to put in another order");
    }
    if (problem->core_count > 1) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "on several cores the order of the list decides nothing");
    }
    if (problem->origin || problem->tape) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED,
                       problem->origin ? "this problem stands in for another, which is the one to change"
                                       : "a recorded run has the order in which it was recorded");
    }
    if (problem->steps != problem->operator_count) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "there are %u steps and %u operators: some steps are no operator's",
                       problem->steps, problem->operator_count);
    }
    uint32_t fixed;
    if (!sw_problem_fixed_start(problem, &fixed)) {
        return sw_fail_memory(error);
    }
    for (uint32_t b = 0; b < problem->buffer_count; b++) {
        const struct sw_buffer *buffer = &problem->buffers[b];
        if (!sw_problem_given_ends(problem, b, fixed).follows) {
            return sw_fail(error, SW_ERROR_UNSUPPORTED,
                           buffer->piece_count > 1
                               ? "%s has parts with lifetimes of their own, which no other order could keep"
                               : "%s has a lifetime that no operator explains, which no other order could keep",
                           buffer->name);
        }
    }
    return true;
}

/* ---- which orders are legal ---- */

/* Per buffer, while the operators are gone through as they were listed: which one wrote it last, and, of those that
 * read that, the one that comes last in the new order. */
struct run_uses {
    uint32_t writer, reader; /* SW_NONE: none */
};
struct order_check {
    const struct sw_problem *problem;
    const uint32_t *at; /* of each operator, its new step */
    struct run_uses *uses;
    struct sw_order_fault fault;
    bool faulty;
};

/* `op` must come behind `other`. Of several faults the one that shows first counts. */
static void demand_after(struct order_check *check, uint32_t op, uint32_t other, uint32_t buffer) {
    if (other == SW_NONE || other == op || check->at[other] < check->at[op]) {
        return;
    }
    if (!check->faulty || check->at[op] < check->fault.step) {
        check->fault = (struct sw_order_fault){.step = check->at[op], .op = op, .other = other, .buffer = buffer};
        check->faulty = true;
    }
}

static void read_one(struct order_check *check, uint32_t op, uint32_t buffer) {
    struct run_uses *uses = &check->uses[buffer];
    demand_after(check, op, uses->writer, buffer);
    if (uses->reader == SW_NONE || check->at[op] > check->at[uses->reader]) {
        uses->reader = op;
    }
}

static void write_one(struct order_check *check, uint32_t op, uint32_t buffer) {
    struct run_uses *uses = &check->uses[buffer];
    demand_after(check, op, uses->writer, buffer);
    demand_after(check, op, uses->reader, buffer);
    *uses = (struct run_uses){op, SW_NONE};
}

/* Parts of one operator stand one right behind the other. */
static void demand_joined(struct order_check *check, uint32_t op) {
    if (check->at[op] != check->at[op - 1] + 1 && (!check->faulty || check->at[op] < check->fault.step)) {
        check->fault =
            (struct sw_order_fault){.step = check->at[op], .op = op, .other = op - 1, .buffer = SW_NONE, .apart = true};
        check->faulty = true;
    }
}

static void check_all(struct order_check *check) {
    for (uint32_t o = 0; o < check->problem->operator_count; o++) {
        const struct sw_operator *op = &check->problem->operators[o];
        if (op->joined) {
            demand_joined(check, o);
        }
        for (uint32_t i = 0; i < op->input_count; i++) {
            read_one(check, o, op->inputs[i].buffer);
        }
        for (uint32_t i = 0; i < op->output_count; i++) {
            write_one(check, o, op->outputs[i].buffer);
        }
        for (uint32_t i = 0; i < op->after_count; i++) {
            demand_after(check, o, op->after[i], SW_NONE);
        }
    }
}

/* From the order to the new step of each operator. False: it is no permutation. */
static bool turn_order(const struct sw_problem *problem, const uint32_t *order, uint32_t *at,
                       struct sw_order_fault *fault) {
    uint32_t count = problem->operator_count;
    for (uint32_t o = 0; o < count; o++) {
        at[o] = SW_NONE;
    }
    for (uint32_t step = 0; step < count; step++) {
        uint32_t op = order[step];
        bool known = op < count, twice = known && at[op] != SW_NONE;
        if (!known || twice) {
            *fault = (struct sw_order_fault){
                .step = step, .op = op, .other = SW_NONE, .buffer = SW_NONE, .twice = twice, .no_number = !known};
            return false;
        }
        at[op] = step;
    }
    return true;
}

/* The new step of each operator; the caller's. NULL: `fault` tells the first one, or there is no memory. */
static uint32_t *places_of(const struct sw_problem *problem, const uint32_t *order, struct sw_order_fault *fault,
                           bool *memory) {
    uint32_t *at = SW_NEW(uint32_t, problem->operator_count);
    struct order_check check = {problem, at, SW_NEW(struct run_uses, problem->buffer_count), {0}, false};
    *memory = at && check.uses;
    bool good = *memory && turn_order(problem, order, at, fault);
    if (good) {
        for (uint32_t b = 0; b < problem->buffer_count; b++) {
            check.uses[b] = (struct run_uses){SW_NONE, SW_NONE};
        }
        check_all(&check);
        good = !check.faulty;
        *fault = check.faulty ? check.fault : *fault;
    }
    SW_FREE(check.uses, problem->buffer_count);
    if (!good) {
        SW_FREE(at, problem->operator_count);
        return NULL;
    }
    return at;
}

static void explain_fault(const struct sw_problem *problem, const struct sw_order_fault *fault,
                          struct sw_error *error) {
    const char *name = fault->no_number ? "" : problem->operators[fault->op].name;
    if (fault->no_number) {
        sw_fail(error, SW_ERROR_USAGE, "there are operators 0 to %u, and no %u", problem->operator_count - 1,
                fault->op);
    } else if (fault->twice) {
        sw_fail(error, SW_ERROR_USAGE, "%s is listed twice", name);
    } else if (fault->apart) {
        sw_fail(error, SW_ERROR_USAGE, "%s must run right after %s: they are parts of one operator", name,
                problem->operators[fault->other].name);
    } else if (fault->buffer == SW_NONE) {
        sw_fail(error, SW_ERROR_USAGE, "%s must run after %s", name, problem->operators[fault->other].name);
    } else {
        sw_fail(error, SW_ERROR_USAGE, "%s must run after %s: both use %s", name, problem->operators[fault->other].name,
                problem->buffers[fault->buffer].name);
    }
}

bool sw_problem_may_order(const struct sw_problem *problem, const uint32_t *order, struct sw_order_fault *fault,
                          struct sw_error *error) {
    struct sw_order_fault own = {0};
    bool memory;
    uint32_t *at = places_of(problem, order, &own, &memory);
    bool good = at != NULL;
    SW_FREE(at, problem->operator_count);
    if (!memory) {
        return sw_fail_memory(error);
    }
    if (!good) {
        explain_fault(problem, &own, error);
    }
    if (!good && fault) {
        *fault = own;
    }
    return good;
}

/* ---- the problem in another order ---- */

static uint32_t new_step(const void *at, uint32_t step) {
    return ((const uint32_t *)at)[step];
}

/* What the file itself said of the buffer's times follows. */
static bool move_buffer(struct sw_builder *builder, const struct sw_problem *problem, uint32_t b, const uint32_t *at,
                        struct sw_error *error) {
    struct sw_buffer_spec *spec = &builder->buffers.items[b].spec;
    const struct sw_buffer *buffer = &problem->buffers[b];
    uint32_t first = problem->steps, last = 0;
    for (uint32_t i = 0; i < buffer->access_count; i++) {
        first = SW_MIN(at[buffer->accesses[i]], first);
        last = SW_MAX(at[buffer->accesses[i]], last);
    }
    struct sw_given_ends ends = sw_problem_given_ends(problem, b, 0);
    if (buffer->access_count > 0 && buffer->planned && buffer->lifetime_given) {
        spec->first = spec->has_first && ends.first ? spec->first : first;
        spec->last = spec->has_last && ends.last ? spec->last : last;
        if (spec->piece_count > 0) {
            struct sw_piece_spec *piece = sw_arena_new(&builder->arena, 1, sizeof *piece);
            if (!piece) {
                return sw_fail_memory(error);
            }
            *piece = spec->pieces[0];
            piece->first = ends.first ? piece->first : first;
            piece->last = ends.last ? piece->last : last;
            spec->pieces = piece;
        }
    }
    return sw_builder_move_accesses(builder, spec, new_step, at) || sw_fail_memory(error);
}

static bool move_operators(struct sw_builder *builder, const uint32_t *order, struct sw_error *error) {
    size_t count = builder->operators.count;
    struct sw_raw_operator *items = builder->operators.items, *held = SW_NEW(struct sw_raw_operator, count);
    if (!held) {
        return sw_fail_memory(error);
    }
    memcpy(held, items, count * sizeof *items);
    for (size_t step = 0; step < count; step++) {
        items[step] = held[order[step]];
    }
    SW_FREE(held, count);
    return true;
}

struct sw_problem *sw_problem_in_order(const struct sw_problem *problem, const uint32_t *order,
                                       struct sw_error *error) {
    struct sw_order_fault fault = {0};
    bool memory;
    if (!sw_problem_has_orders(problem, error)) {
        return NULL;
    }
    uint32_t *at = places_of(problem, order, &fault, &memory);
    if (!at) {
        if (memory) {
            explain_fault(problem, &fault, error);
        } else {
            sw_fail_memory(error);
        }
        return NULL;
    }
    struct sw_builder *builder = sw_builder_from(problem, error);
    bool good = builder != NULL;
    for (uint32_t b = 0; good && b < problem->buffer_count; b++) {
        good = move_buffer(builder, problem, b, at, error);
    }
    good = good && move_operators(builder, order, error);
    struct sw_problem *ordered = good ? sw_builder_finish(builder, error) : NULL;
    sw_builder_free(builder);
    SW_FREE(at, problem->operator_count);
    return ordered;
}

uint32_t *sw_problem_order_between(const struct sw_problem *problem, const struct sw_problem *ordered) {
    uint32_t count = sw_problem_operator_count(problem), *order = SW_NEW(uint32_t, count);
    for (uint32_t step = 0; order && step < count; step++) {
        order[step] = sw_problem_find_operator(problem, sw_problem_operator(ordered, step)->name);
    }
    return order;
}
