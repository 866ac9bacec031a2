/* Eviction: a tensor that waits between two uses is moved to another memory, and fetched before the next use. */
#include "fit/fit_model.h"

#include "layout/cost.h"
#include "problem/change/change.h"

enum { MOST_SPILLS = 32 };

double sw_fit_spill_cost(const struct sw_problem *memories, uint64_t bytes) {
    double least = -1, own = sw_cost_of_access(memories, 0, bytes);
    for (uint32_t t = 1; t < sw_problem_tier_count(memories); t++) {
        double cost = 2 * (own + sw_cost_of_access(memories, t, bytes)); /* read here and written there; and back */
        least = sw_problem_tier(memories, t)->capacity >= bytes && (least < 0 || cost < least) ? cost : least;
    }
    return least;
}

/* The largest buffer that waits at a step and has room elsewhere; SW_NONE: there is none. */
static uint32_t largest_waiting(const struct sw_problem *problem, const struct sw_problem *memories, uint32_t step,
                                uint32_t *from) {
    uint32_t best = SW_NONE, to;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        uint64_t size = sw_problem_buffer(problem, b)->size;
        uint32_t first;
        if (sw_problem_waits(problem, b, step, &first, &to) &&
            (best == SW_NONE || size > sw_problem_buffer(problem, best)->size) &&
            sw_fit_spill_cost(memories, size) >= 0) {
            best = b;
            *from = first;
        }
    }
    return best;
}

/* Plan the model with the spills so far. */
static bool plan_spilled(struct sw_fit_planning *planning, const struct sw_problem *problem,
                         const struct sw_edit *edits, size_t count, struct sw_fit_model *model) {
    struct sw_problem *changed = sw_problem_changed(problem, edits, count, planning->error);
    if (!changed) {
        return false;
    }
    sw_layout_free(model->layout);
    sw_problem_unref(model->problem);
    model->layout = NULL;
    model->problem = changed;
    planning->begins.count = 0;
    return sw_fit_model_plan(planning, model);
}

bool sw_fit_model_spill(struct sw_fit_planning *planning, const struct sw_problem *memories, uint64_t capacity,
                        struct sw_fit_model *model) {
    struct sw_edit edits[MOST_SPILLS];
    struct sw_problem *problem = sw_problem_ref(model->problem);
    bool good = true;
    for (size_t count = 0; good && count < MOST_SPILLS && model->bytes > capacity; count++) {
        uint32_t from = 0, step = sw_problem_bound_step(model->problem),
                 b = largest_waiting(model->problem, memories, step, &from);
        if (b == SW_NONE) {
            break;
        }
        edits[count] = (struct sw_edit){.kind = SW_EDIT_SPILL, .step = from + 1, .buffer = b};
        struct sw_fit_move move = {.kind = SW_FIT_SPILL, .op = SW_NONE, .buffer = b, .other = from};
        move.effect.moved = (int64_t)sw_problem_spill_bytes(problem, b, from + 1);
        model->moved += (uint64_t)move.effect.moved;
        model->cost += sw_fit_spill_cost(memories, sw_problem_buffer(problem, b)->size);
        good = (SW_PUSH(&model->moves.items, move) || sw_fail_memory(planning->error)) &&
               plan_spilled(planning, problem, edits, count + 1, model);
    }
    sw_problem_unref(problem);
    return good;
}
