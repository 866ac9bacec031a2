/* Trying out what would lower the bound. How much is tried depends on the size of the problem alone, never
 * on time, so that the same problem is always told the same. */
#include "view/blame/advice.h"
#include "base/base.h"

enum {
    QUICK = 4000000,      /* steps to add up for one kind of change, where no problem is built */
    BUILT = 15000,        /* buffers and operators to build for one kind of change */
    STRIP_CALLS = 200000, /* calls of regions in strips to look at */
    LARGEST = 10000       /* buffers: above it moves of operators are not tried */
};

struct advice_trial {
    const struct sw_problem *problem;
    struct sw_advice *advice;
    uint32_t step;
    bool failed;
};

/* How many changes may be tried. */
static size_t allowed_tries(const struct sw_problem *problem, bool built) {
    size_t buffers = sw_problem_buffer_count(problem), steps = sw_problem_steps(problem);
    size_t most = built || !sw_problem_bound_is_quick(problem)
                      ? BUILT / (buffers + sw_problem_operator_count(problem) + 1)
                      : QUICK / (buffers / 4 + steps + 1);
    return most < SW_ADVICE_TRIED ? most : SW_ADVICE_TRIED;
}

static void refuse_edit(struct sw_tries *tries, const struct sw_error *error) {
    if (tries->refused++ == 0) {
        snprintf(tries->why, sizeof tries->why, "%.*s", (int)sizeof tries->why - 1, error->message);
    }
}

static void try_edit(struct advice_trial *trial, struct sw_tries *tries, const struct sw_edit *edit) {
    struct sw_error error = {0};
    struct sw_changed_bound bound;
    if (!sw_problem_may_change(trial->problem, edit, &error)) {
        refuse_edit(tries, &error);
    } else if (tries->count == allowed_tries(trial->problem, false)) {
        tries->left_out++;
    } else if (sw_problem_bound_changed(trial->problem, edit, 1, &bound, &error)) {
        tries->items[tries->count++] = (struct sw_tried){*edit, bound};
    } else {
        trial->failed |= error.code == SW_ERROR_MEMORY;
        refuse_edit(tries, &error);
    }
}

/* ---- what waits ---- */

void sw_first_buffers_offer(struct sw_first_buffers *list, uint32_t buffer, uint64_t bytes, bool largest) {
    size_t at = list->count;
    while (at > 0 && (largest ? list->items[at - 1].bytes < bytes : list->items[at - 1].bytes > bytes)) {
        at--;
    }
    list->total++;
    if (at < SW_ADVICE_TRIED) {
        list->count += list->count < SW_ADVICE_TRIED;
        memmove(&list->items[at + 1], &list->items[at], (list->count - 1 - at) * sizeof *list->items);
        list->items[at].buffer = buffer;
        list->items[at].bytes = bytes;
    }
}

/* The largest of those that wait. */
static void find_waiting(const struct sw_problem *problem, uint32_t step, struct sw_first_buffers *list) {
    struct sw_neighbors alive = sw_problem_alive(problem, step, step);
    uint32_t from, to;
    *list = (struct sw_first_buffers){0};
    for (uint32_t b; (b = sw_neighbors_next(&alive)) != SW_NONE;) {
        if (sw_problem_waits(problem, b, step, &from, &to)) {
            sw_first_buffers_offer(list, b, sw_buffer_live_bytes(sw_problem_buffer(problem, b), step), true);
        }
    }
}

static void try_waiting(struct advice_trial *trial) {
    struct sw_advice *advice = trial->advice;
    struct sw_first_buffers list;
    find_waiting(trial->problem, trial->step, &list);
    advice->waiting = (uint32_t)list.total;
    for (size_t i = 0; i < list.count && !trial->failed; i++) {
        struct sw_edit edit = {SW_EDIT_SPILL, trial->step, list.items[i].buffer, SW_NONE, 0};
        try_edit(trial, &advice->spills, &edit);
        edit.kind = SW_EDIT_RECOMPUTE;
        if (sw_problem_operator_count(trial->problem) > 0) {
            try_edit(trial, &advice->again, &edit);
        }
    }
    advice->spills.left_out += list.total - list.count;
    advice->again.left_out += sw_problem_operator_count(trial->problem) > 0 ? list.total - list.count : 0;
}

/* ---- in place ---- */

static bool tried_before(const struct sw_tries *tries, const struct sw_edit *edit) {
    for (size_t i = 0; i < tries->count; i++) {
        const struct sw_edit *other = &tries->items[i].edit;
        if (other->kind == edit->kind && other->step == edit->step && other->to == edit->to &&
            other->buffer == edit->buffer && other->other == edit->other) {
            return true;
        }
    }
    return false;
}

static void try_inplace(struct advice_trial *trial) {
    struct sw_edit edit;
    uint32_t at = 0;
    while (!trial->failed && sw_problem_next_inplace(trial->problem, trial->step, &at, &edit)) {
        if (!tried_before(&trial->advice->inplace, &edit)) { /* an input may be named twice */
            try_edit(trial, &trial->advice->inplace, &edit);
        }
    }
}

/* Does --inplace safe allow anything that is not allowed yet? */
static bool marks_matter(const struct sw_problem *problem) {
    for (uint32_t s = 0; !sw_problem_inplace_safe(problem) && s < sw_problem_operator_count(problem); s++) {
        struct sw_edit edit;
        uint32_t at = 0;
        while (sw_problem_next_inplace(problem, s, &at, &edit)) {
            if (sw_operator_marked(sw_problem_operator(problem, s), edit.buffer, edit.other)) {
                return true;
            }
        }
    }
    return false;
}

static void try_marked(struct advice_trial *trial) {
    struct sw_advice *advice = trial->advice;
    struct sw_edit all = {.kind = SW_EDIT_INPLACE_MARKED};
    if (!marks_matter(trial->problem)) {
        return;
    }
    if (allowed_tries(trial->problem, false) == 0) {
        advice->marked_left_out = true;
        return;
    }
    advice->has_marked = true;
    trial->failed |= !sw_problem_bound_changed(trial->problem, &all, 1, &advice->marked, NULL);
}

/* ---- moves ---- */

struct moved_operators {
    uint32_t items[SW_ADVICE_TRIED];
    size_t count;
};

static void try_move(struct advice_trial *trial, uint32_t op, uint32_t to) {
    struct sw_edit edit = {SW_EDIT_MOVE, op, SW_NONE, SW_NONE, to};
    if (op != to && !tried_before(&trial->advice->moves, &edit)) {
        try_edit(trial, &trial->advice->moves, &edit);
    }
}

/* As far as it can go, and as near to the step as it may stand on its other side. */
static void try_both(struct advice_trial *trial, struct moved_operators *seen, uint32_t op) {
    uint32_t lo, hi;
    for (size_t i = 0; i < seen->count; i++) {
        if (seen->items[i] == op) {
            return;
        }
    }
    if (seen->count == SW_ADVICE_TRIED) {
        trial->advice->moves.left_out++;
        return;
    }
    seen->items[seen->count++] = op;
    sw_problem_move_range(trial->problem, op, &lo, &hi);
    if (op <= trial->step && hi >= trial->step) {
        try_move(trial, op, hi);
        try_move(trial, op, trial->step);
    }
    if (op >= trial->step && lo <= trial->step) {
        try_move(trial, op, lo);
        try_move(trial, op, trial->step);
    }
}

/* The operator of the step, and those that make or use what is alive there. */
static void try_operator_moves(struct advice_trial *trial) {
    const struct sw_problem *problem = trial->problem;
    uint32_t operators = sw_problem_operator_count(problem);
    struct moved_operators seen = {0};
    trial->advice->too_large = sw_problem_buffer_count(problem) > LARGEST || operators > LARGEST;
    if (operators == 0 || trial->advice->too_large) {
        return;
    }
    try_both(trial, &seen, trial->step);
    struct sw_neighbors alive = sw_problem_alive(problem, trial->step, trial->step);
    for (uint32_t b; !trial->failed && (b = sw_neighbors_next(&alive)) != SW_NONE;) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        if (trial->advice->moves.left_out > 0) {
            return; /* enough for a sentence */
        }
        for (uint32_t i = 0; i < buffer->access_count && i < 8; i++) {
            if (buffer->accesses[i] < operators) {
                try_both(trial, &seen, buffer->accesses[i]);
            }
        }
    }
}

/* ---- strips ---- */

static void try_strips(struct advice_trial *trial) {
    struct sw_error error = {0};
    bool has_operator = trial->step < sw_problem_operator_count(trial->problem);
    if (has_operator && !sw_fit_advise(trial->problem, trial->step, STRIP_CALLS, &trial->advice->strips, &error)) {
        trial->failed |= error.code == SW_ERROR_MEMORY;
        trial->advice->strips = (struct sw_fit_advice){0};
    }
}

/* ---- together ---- */

/* A change that lowers a step: in place, which costs nothing, else the largest spill. */
static bool change_at(const struct sw_problem *problem, const struct sw_edit *edits, size_t count, uint32_t step,
                      struct sw_edit *edit) {
    uint32_t at = 0;
    while (sw_problem_next_inplace(problem, step, &at, edit)) {
        bool used = false; /* an operator's buffers each once */
        for (size_t i = 0; i < count; i++) {
            used |= edits[i].kind == SW_EDIT_INPLACE && edits[i].step == step &&
                    (edits[i].buffer == edit->buffer || edits[i].other == edit->other);
        }
        if (!used) {
            return true;
        }
    }
    struct sw_first_buffers list;
    find_waiting(problem, step, &list);
    for (size_t i = 0; i < list.count; i++) {
        bool used = false;
        uint32_t from = 0, to = 0;
        sw_problem_waits(problem, list.items[i].buffer, step, &from, &to);
        for (size_t k = 0; k < count; k++) {
            bool spilled = edits[k].kind == SW_EDIT_SPILL && edits[k].step > from && edits[k].step < to;
            used |= edits[k].buffer == list.items[i].buffer && (spilled || edits[k].kind != SW_EDIT_SPILL);
            used |= edits[k].kind == SW_EDIT_INPLACE && edits[k].other == list.items[i].buffer;
        }
        *edit = (struct sw_edit){SW_EDIT_SPILL, step, list.items[i].buffer, SW_NONE, 0};
        if (!used && sw_problem_may_change(problem, edit, NULL)) {
            return true;
        }
    }
    return false;
}

static uint64_t best_single(const struct sw_problem *problem, const struct sw_advice *advice) {
    const struct sw_tries *all[] = {&advice->spills, &advice->again, &advice->inplace, &advice->moves};
    uint64_t best = sw_problem_lower_bound(problem);
    best = advice->has_marked && advice->marked.bytes < best ? advice->marked.bytes : best;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        best = all[k]->count > 0 && all[k]->items[0].bound.bytes < best ? all[k]->items[0].bound.bytes : best;
    }
    return best;
}

/* Lower the step where the bound is met, then the one where it is met then, and so on. */
static void try_together(struct advice_trial *trial) {
    const struct sw_problem *problem = trial->problem;
    struct sw_advice *advice = trial->advice;
    struct sw_edit edits[SW_ADVICE_TOGETHER];
    struct sw_changed_bound bound;
    uint64_t best = best_single(problem, advice);
    uint32_t step = trial->step;
    size_t most = allowed_tries(problem, sw_problem_operator_count(problem) > 0);
    most = SW_MIN(most, SW_ADVICE_TOGETHER);
    for (size_t count = 0; count < most && step != SW_NONE;) {
        if (!change_at(problem, edits, count, step, &edits[count])) {
            return;
        }
        count++;
        if (!sw_problem_bound_changed(problem, edits, count, &bound, NULL)) {
            trial->failed = true;
            return;
        }
        if (bound.bytes < best && count > 1) {
            best = bound.bytes;
            memcpy(advice->together, edits, count * sizeof *edits);
            advice->together_count = count;
            advice->together_bound = bound;
        }
        step = bound.was;
    }
}

/* ---- all of it ---- */

static uint32_t move_distance(const struct sw_edit *edit) {
    return edit->kind != SW_EDIT_MOVE ? 0 : edit->step > edit->to ? edit->step - edit->to : edit->to - edit->step;
}

static void sort_tries(struct sw_tries *tries) { /* a few, by insertion: equal ones stay as they came */
    for (size_t i = 1; i < tries->count; i++) {
        struct sw_tried one = tries->items[i];
        size_t k = i;
        for (; k > 0; k--) {
            const struct sw_tried *before = &tries->items[k - 1];
            if (before->bound.bytes < one.bound.bytes ||
                (before->bound.bytes == one.bound.bytes && move_distance(&before->edit) <= move_distance(&one.edit))) {
                break;
            }
            tries->items[k] = *before;
        }
        tries->items[k] = one;
    }
}

bool sw_advice_of(const struct sw_problem *problem, struct sw_advice *advice) {
    struct advice_trial trial = {problem, advice, sw_problem_bound_step(problem), false};
    uint32_t clique;
    *advice = (struct sw_advice){.derived = sw_problem_origin(problem) != problem};
    if (advice->derived || sw_problem_lower_bound(problem) == 0) {
        return true;
    }
    const uint64_t *profile = sw_problem_profile(problem);
    if (!sw_problem_bound_clique(problem, &clique)) {
        for (uint32_t s = 0; s < sw_problem_steps(problem); s++) {
            advice->met += profile[s] == sw_problem_lower_bound(problem);
        }
        try_inplace(&trial);
        if (sw_problem_core_count(problem) == 1) {
            try_waiting(&trial);
            try_operator_moves(&trial);
            try_strips(&trial);
        }
    }
    try_marked(&trial);
    sort_tries(&advice->spills);
    sort_tries(&advice->again);
    sort_tries(&advice->inplace);
    sort_tries(&advice->moves);
    if (!trial.failed && advice->met > 0 && sw_problem_core_count(problem) == 1) {
        try_together(&trial);
    }
    return !trial.failed;
}
