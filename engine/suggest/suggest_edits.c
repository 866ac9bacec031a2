/* Changes of the model: where the block at the peak is born and dies, and where the lower bound is met. */
#include "suggest/suggest_internal.h"

#include "problem/change/reorder.h"

struct edit_list {
    struct sw_suggest *suggest;
    const struct sw_problem *problem;
    bool good;
};

/* Is it the same change? A buffer waits between two uses, whichever step of those between is told. */
static bool is_same_change(const struct sw_problem *problem, const struct sw_edit *a, const struct sw_edit *b) {
    uint32_t from = 0, to = 0;
    bool waits = a->kind == SW_EDIT_SPILL || a->kind == SW_EDIT_RECOMPUTE;
    bool same = a->kind == b->kind && a->buffer == b->buffer;
    if (same && waits && sw_problem_waits(problem, a->buffer, a->step, &from, &to)) {
        return b->step > from && b->step < to;
    }
    return same && a->step == b->step && a->other == b->other && a->to == b->to;
}

static void add_edit(struct edit_list *list, struct sw_edit edit) {
    struct sw_suggest *suggest = list->suggest;
    if (!list->good || suggest->edits.count >= SUGGEST_EDITS) {
        return;
    }
    for (size_t i = 0; i < suggest->edits.count; i++) {
        if (is_same_change(list->problem, &suggest->edits.items[i], &edit)) {
            return;
        }
    }
    if (sw_problem_may_change(list->problem, &edit, NULL)) {
        list->good = SW_PUSH(&suggest->edits, edit);
    }
}

/* As far as it can go over the step, and next to it on its other side. */
static void add_operator_moves(struct edit_list *list, uint32_t op, uint32_t step) {
    uint32_t lo, hi;
    sw_problem_move_range(list->problem, op, &lo, &hi);
    const uint32_t places[] = {op <= step ? hi : lo, step};
    for (size_t i = 0; i < 2; i++) {
        bool over = op <= step ? hi >= step : lo <= step;
        if (over && places[i] != op) {
            add_edit(list, (struct sw_edit){SW_EDIT_MOVE, op, SW_NONE, SW_NONE, places[i]});
        }
    }
}

static void add_edits_at(struct edit_list *list, uint32_t step) {
    const struct sw_problem *problem = list->problem;
    uint32_t operators = sw_problem_operator_count(problem), at = 0, from, to;
    struct sw_edit edit;
    while (sw_problem_next_inplace(problem, step, &at, &edit)) {
        add_edit(list, edit);
    }
    struct sw_neighbors alive = sw_problem_alive(problem, step, step);
    for (uint32_t b; (b = sw_neighbors_next(&alive)) != SW_NONE;) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        if (sw_problem_waits(problem, b, step, &from, &to)) {
            add_edit(list, (struct sw_edit){SW_EDIT_SPILL, step, b, SW_NONE, 0});
            if (operators > 0) {
                add_edit(list, (struct sw_edit){SW_EDIT_RECOMPUTE, step, b, SW_NONE, 0});
            }
        }
        for (uint32_t i = 0; i < buffer->access_count && i < 8; i++) {
            if (buffer->accesses[i] < operators) {
                add_operator_moves(list, buffer->accesses[i], step);
            }
        }
    }
    if (step < operators) {
        add_operator_moves(list, step, step);
    }
}

/* The order of the operators, and so the steps, are those of the problem that the run began with. */
static bool list_edits(struct sw_suggest *suggest, struct sw_error *error) {
    const struct sw_problem *problem = sw_search_given(suggest->base);
    struct edit_list list = {suggest, problem, true};
    suggest->edits.count = 0;
    if (sw_search_problem(suggest->base) == problem && sw_problem_origin(problem) == problem) {
        uint32_t clique;
        if (!sw_problem_bound_clique(problem, &clique) && sw_problem_steps(problem) > 0) {
            add_edits_at(&list, sw_problem_bound_step(problem));
        }
        if (suggest->peak.buffer != SW_NONE && !suggest->at_bound) {
            add_edits_at(&list, sw_problem_buffer(problem, suggest->peak.buffer)->first);
            add_edits_at(&list, sw_problem_buffer(problem, suggest->peak.buffer)->last);
        }
    }
    return list.good || sw_fail_memory(error);
}

enum sw_step sw_suggest_next_edit(struct sw_suggest *suggest, struct sw_suggestion *of, struct sw_error *error) {
    static const enum sw_suggest_kind kinds[] = {[SW_EDIT_SPILL] = SW_SUGGEST_SPILL,
                                                 [SW_EDIT_RECOMPUTE] = SW_SUGGEST_RECOMPUTE,
                                                 [SW_EDIT_INPLACE] = SW_SUGGEST_INPLACE,
                                                 [SW_EDIT_MOVE] = SW_SUGGEST_MOVE};
    const struct sw_problem *problem = sw_search_given(suggest->base);
    if (!suggest->opened && !list_edits(suggest, error)) {
        return SW_STEP_FAILED;
    }
    suggest->opened = true;
    if (suggest->at == suggest->edits.count) {
        return SW_STEP_DONE;
    }
    of->edit = suggest->edits.items[suggest->at++];
    of->kind = kinds[of->edit.kind];
    if (of->kind == SW_SUGGEST_SPILL) {
        of->moved = sw_problem_spill_bytes(problem, of->edit.buffer, of->edit.step);
    } else if (of->kind == SW_SUGGEST_RECOMPUTE) {
        of->again = sw_problem_recomputes(problem, of->edit.buffer, of->edit.step, &of->held);
    }
    return SW_STEP_MORE;
}
