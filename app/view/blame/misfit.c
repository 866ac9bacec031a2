#include "view/blame/misfit.h"
#include "base/minmax.h"
#include "layout/made.h"

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
                                         .excess = end - capacity,
                                         .step = sw_layout_made(layout, b, k)};
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

/* The block that was placed there first, by the decision that made its place in this layout; where no decision did, or
 * one placed several, the first in the program's order. */
static void find_first(const struct sw_layout *layout, struct sw_misfit *first) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_misfit misfit;
    for (uint32_t i = 0; i < sw_problem_planned_count(problem); i++) {
        if (passes(layout, sw_problem_order(problem)[i], &misfit) &&
            (first->buffer == SW_NONE || (misfit.step > 0 && (first->step == 0 || misfit.step < first->step)))) {
            *first = misfit;
        }
    }
}

/* False: no memory. A decision that cannot be explained has no hole. */
static bool find_hole(const struct sw_search *search, struct sw_misfit *misfit) {
    struct sw_explanation why = {0};
    struct sw_error error = {0};
    if (misfit->step && sw_search_explain(search, misfit->step, &why, &error)) {
        bool own = why.decision.buffer == misfit->buffer; /* and no decision about the whole layout */
        for (size_t i = 0; own && i < why.candidates.count; i++) {
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
    uint32_t blocks = 0;
    uint64_t top = 0;
    *found = passes_any(layout);
    if (!*found) {
        return true;
    }
    *misfit = (struct sw_misfit){.buffer = SW_NONE};
    find_first(layout, misfit);
    for (uint32_t i = 0; i < sw_problem_planned_count(problem); i++) {
        struct sw_misfit other;
        if (!passes(layout, order[i], &other)) {
            continue;
        }
        blocks += other.tier == misfit->tier;
        top = other.tier == misfit->tier ? SW_MAX(top, other.required) : top;
    }
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
