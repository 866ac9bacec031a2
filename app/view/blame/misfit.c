#include "view/blame/misfit.h"
#include "base/minmax.h"

/* Does the block end above the capacity of a tier? */
static bool passes(const struct sw_layout *layout, uint32_t b, struct sw_misfit *misfit) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
    struct sw_placement at;
    for (uint32_t k = 0; sw_layout_placement(layout, b, k, &at); k++) {
        uint64_t end = at.offset + buffer->size;
        uint64_t capacity = sw_problem_tier(problem, at.tier)->capacity;
        if (buffer->size > 0 && end > capacity) {
            *misfit = (struct sw_misfit){.buffer = b,
                                         .tier = at.tier,
                                         .time = buffer->first,
                                         .required = end,
                                         .available = capacity,
                                         .excess = end - capacity};
            return true;
        }
    }
    return false;
}

static bool passes_any(const struct sw_layout *layout) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        if (sw_layout_arena(layout, t) > sw_problem_tier(problem, t)->capacity) {
            return true;
        }
    }
    return false;
}

/* Back through the journal: the last decision that put a block where it lies is the one that
 * counts, for planners take blocks away again. */
static void find_first(const struct sw_search *search, uint8_t *seen, struct sw_misfit *first) {
    const struct sw_layout *layout = sw_search_layout(search);
    struct sw_misfit misfit;
    bool recorded = sw_search_planner(search)->needs & SW_NEEDS_RECORDING; /* not every planner writes what it looked at */
    for (uint64_t step = sw_search_at(search); step > 0; step--) {
        const struct sw_decision *decision = sw_search_journal(search, step);
        if (!decision || decision->buffer == SW_NONE || seen[decision->buffer] ||
            !(decision->candidates || recorded) || !passes(layout, decision->buffer, &misfit) ||
            decision->tier != misfit.tier ||
            decision->offset + sw_problem_buffer(sw_search_problem(search), misfit.buffer)->size !=
                misfit.required) {
            continue;
        }
        seen[decision->buffer] = 1;
        *first = misfit;
        first->step = step;
    }
}

/* The same of a run that keeps no journal, which notes what passes a capacity. */
static void find_noted(const struct sw_search *search, struct sw_misfit *first) {
    const struct sw_problem *problem = sw_search_problem(search);
    struct sw_misfit misfit;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        if (!passes(sw_search_layout(search), b, &misfit)) {
            continue;
        }
        uint64_t offset = misfit.required - sw_problem_buffer(problem, b)->size;
        uint64_t step = sw_search_overflow(search, b, misfit.tier, offset);
        if (step > 0 && (first->step == 0 || step < first->step)) {
            *first = misfit;
            first->step = step;
        }
    }
}

/* False: no memory. A decision that cannot be explained has no hole. */
static bool find_hole(const struct sw_search *search, struct sw_misfit *misfit) {
    struct sw_explanation why = {0};
    struct sw_error error = {0};
    if (misfit->step && sw_search_explain(search, misfit->step, &why, &error)) {
        for (size_t i = 0; i < why.candidates.count; i++) {
            const struct sw_candidate *candidate = &why.candidates.items[i];
            if (candidate->tier == misfit->tier && candidate->size != SW_UNBOUNDED &&
                candidate->verdict == SW_VERDICT_REFUSED && !candidate->occupied &&
                (!misfit->has_hole || candidate->size > misfit->hole)) {
                misfit->hole = candidate->size;
                misfit->has_hole = true;
            }
        }
    }
    sw_explanation_done(&why);
    return error.code != SW_ERROR_MEMORY;
}

bool sw_misfit_of(const struct sw_search *search, struct sw_misfit *misfit, bool *found) {
    const struct sw_problem *problem = sw_search_problem(search);
    const struct sw_layout *layout = sw_search_layout(search);
    const uint32_t *order = sw_problem_order(problem);
    uint32_t count = sw_problem_buffer_count(problem), blocks = 0;
    uint64_t top = 0;
    *found = passes_any(layout);
    if (!*found) {
        return true;
    }
    uint8_t *seen = SW_NEW_ZERO(uint8_t, count);
    if (!seen) {
        return false;
    }
    *misfit = (struct sw_misfit){.buffer = SW_NONE};
    if (sw_search_forgets(search)) {
        find_noted(search, misfit);
    } else {
        find_first(search, seen, misfit);
    }
    for (uint32_t i = 0; i < sw_problem_planned_count(problem); i++) {
        struct sw_misfit other;
        if (!passes(layout, order[i], &other)) {
            continue;
        }
        if (misfit->buffer == SW_NONE) { /* no decision placed it: the first in the program's order */
            *misfit = other;
        }
        blocks += other.tier == misfit->tier;
        top = other.tier == misfit->tier ? SW_MAX(top, other.required) : top;
    }
    SW_FREE(seen, count);
    if (misfit->buffer == SW_NONE) {
        *found = false;
        return true;
    }
    misfit->blocks = blocks;
    misfit->top = top; /* and not the arena, which may be rounded up */
    return find_hole(search, misfit);
}

bool sw_misfit_unplaced(const struct sw_search *search, struct sw_misfit *misfit) {
    struct sw_no_room stuck;
    if (!sw_search_no_room(search, &stuck)) {
        return false;
    }
    *misfit = (struct sw_misfit){.buffer = stuck.buffer,
                                 .tier = stuck.tier,
                                 .time = stuck.time,
                                 .required = stuck.required,
                                 .available = stuck.available,
                                 .excess = stuck.required > stuck.hole /* or alignment spoils it */
                                               ? stuck.required - stuck.hole
                                               : 0,
                                 .has_hole = true,
                                 .hole = stuck.hole};
    return true;
}
