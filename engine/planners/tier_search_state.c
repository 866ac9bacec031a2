/* States of tier-search: a complete layout, kept aside as a list of places, with what follows from
 * places alone: permits, arenas, costs. See tier_search.c for the method. */
#include "planners/tier_search.h"

#include <string.h>

struct sw_tier_spot sw_tier_spot_of(const struct sw_layout *layout, uint32_t buffer) {
    struct sw_placement at;
    if (!sw_layout_placement(layout, buffer, 0, &at)) {
        return (struct sw_tier_spot){0, SW_NONE};
    }
    return (struct sw_tier_spot){at.offset, at.tier};
}

/* ---- kept aside ---- */

void sw_tier_state_unref(struct sw_tier_state *state) {
    if (state && --state->owners == 0) {
        sw_mem_free(state, 1, sizeof *state + state->count * sizeof *state->spots);
    }
}

struct sw_tier_state *sw_tier_state_new(const struct sw_layout *layout, double cost, bool planned) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    const uint32_t *order = sw_problem_order(problem);
    uint32_t count = sw_problem_planned_count(problem);
    struct sw_tier_state *state = sw_mem_new_zero(1, sizeof *state + count * sizeof *state->spots);
    if (!state) {
        return NULL;
    }
    state->owners = 1;
    state->count = count;
    state->cost = cost;
    state->planned = planned;
    state->digest = sw_fold(count, planned);
    for (uint32_t r = 0; r < count; r++) {
        state->spots[r] = sw_tier_spot_of(layout, order[r]);
        state->digest =
            sw_fold(sw_fold(state->digest, state->spots[r].offset), state->spots[r].tier);
    }
    return state;
}

bool sw_tier_state_is(const struct sw_tier_state *state, const struct sw_layout *layout) {
    const uint32_t *order = sw_problem_order(sw_layout_problem(layout));
    for (uint32_t r = 0; r < state->count; r++) {
        struct sw_tier_spot spot = sw_tier_spot_of(layout, order[r]);
        if (spot.tier != state->spots[r].tier || spot.offset != state->spots[r].offset) {
            return false;
        }
    }
    return true;
}

/* ---- what follows from places ---- */

/* Do bytes of both hold something at the step in which one is written over the other? */
static bool share_bytes(const struct sw_buffer *fresh, uint64_t at, const struct sw_buffer *old,
                        uint64_t old_at) {
    uint32_t step = fresh->first;
    for (uint32_t i = 0; i < fresh->piece_count; i++) {
        const struct sw_piece *p = &fresh->pieces[i];
        for (uint32_t k = 0; p->first <= step && k < old->piece_count; k++) {
            const struct sw_piece *q = &old->pieces[k];
            if (q->first <= step && q->last >= step && at + p->lo < old_at + q->hi &&
                old_at + q->lo < at + p->hi) {
                return true;
            }
        }
    }
    return false;
}

static bool permit_pair(struct sw_layout *layout, uint32_t fresh, uint32_t old) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    const struct sw_buffer *f = sw_problem_buffer(problem, fresh);
    struct sw_tier_spot x = sw_tier_spot_of(layout, fresh), y = sw_tier_spot_of(layout, old);
    if (x.tier == SW_NONE || x.tier != y.tier ||
        !share_bytes(f, x.offset, sw_problem_buffer(problem, old), y.offset)) {
        return true;
    }
    struct sw_permit permit = {fresh, old, f->first};
    return sw_layout_permit(layout, &permit);
}

/* Only while PRECONF goes on; then those it may overwrite are placed before it, unless one was
 * pinned there, which comes later and over it. */
bool sw_tier_permit(struct sw_layout *layout, const struct sw_tier_plan *plan, uint32_t buffer) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    for (uint32_t i = plan->old_at[buffer]; i < plan->old_at[buffer + 1]; i++) {
        if (!permit_pair(layout, buffer, plan->olds[i])) {
            return false;
        }
    }
    uint32_t count;
    const uint32_t *born =
        sw_problem_born(problem, sw_problem_buffer(problem, buffer)->last, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (sw_tier_may_overwrite(plan, born[i], buffer) && !permit_pair(layout, born[i], buffer)) {
            return false;
        }
    }
    return true;
}

static void measure_arenas(struct sw_layout *layout) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint64_t arenas[SW_MAX_TIERS] = {0};
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        struct sw_tier_spot spot = sw_tier_spot_of(layout, b);
        if (spot.tier != SW_NONE) {
            uint64_t end = spot.offset + sw_problem_buffer(problem, b)->size;
            arenas[spot.tier] = end > arenas[spot.tier] ? end : arenas[spot.tier];
        }
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        sw_layout_set_arena(layout, t, arenas[t]);
    }
}

bool sw_tier_settle(struct sw_layout *layout, const struct sw_tier_plan *plan) {
    if (!sw_layout_forget_permits(layout)) {
        return false;
    }
    for (uint32_t b = 0; b < plan->buffers; b++) {
        for (uint32_t i = plan->old_at[b]; i < plan->old_at[b + 1]; i++) {
            if (!permit_pair(layout, b, plan->olds[i])) {
                return false;
            }
        }
    }
    measure_arenas(layout);
    return true;
}
