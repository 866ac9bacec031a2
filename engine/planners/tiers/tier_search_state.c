/* States of tier-search: a complete layout, kept aside as a list of places, with what follows from
 * places alone: permits and arenas. See tier_search.c for the method. */
#include "planners/tiers/tier_search.h"
#include "base/base.h"

struct sw_tier_spot sw_tier_spot_of(const struct sw_layout *layout, uint32_t buffer) {
    struct sw_placement at;
    if (!sw_layout_placement(layout, buffer, 0, &at)) {
        return (struct sw_tier_spot){0, SW_NONE, 0, 0};
    }
    return (struct sw_tier_spot){at.offset, at.tier, 0, (uint32_t)sw_layout_made(layout, buffer, 0)};
}

/* ---- kept aside ---- */

void sw_tier_state_unref(struct sw_tier_state *state) {
    if (state && --state->owners == 0) {
        sw_cow_done(&state->spots);
        SW_FREE(state, 1);
    }
}

static uint64_t state_digest(const void *of) {
    const struct sw_tier_state *state = of;
    return sw_fold(sw_fold(state->count, state->planned), state->places);
}

static size_t state_bytes(const void *of) {
    const struct sw_tier_state *state = of;
    return sizeof *state + state->spots.chunk_count * sizeof(void *) + state->spots.own;
}

static void state_drop(void *of) {
    sw_tier_state_unref(of);
}

const struct sw_pointed sw_tier_state_pointed = {.drop = state_drop, .digest = state_digest, .bytes = state_bytes};

struct sw_tier_state *sw_tier_state_new(const struct sw_cow *spots, uint64_t places, double cost, bool planned) {
    struct sw_tier_state *state = SW_NEW_ZERO(struct sw_tier_state, 1);
    if (!state || !sw_cow_clone(&state->spots, spots)) {
        if (state) {
            SW_FREE(state, 1);
        }
        return NULL;
    }
    state->owners = 1;
    state->count = (uint32_t)spots->count;
    state->cost = cost;
    state->planned = planned;
    state->places = places;
    return state;
}

uint64_t sw_tier_spot_digest(const struct sw_tier_plan *plan, uint32_t rank, const struct sw_tier_spot *spot) {
    uint64_t digest = sw_fold(sw_fold(rank, spot->offset), spot->tier);
    return spot->life ? sw_fold(digest, sw_tier_life_digest(&plan->lives, spot->life)) : digest;
}

/* ---- what follows from places ---- */

/* Do bytes of both hold something at the step in which one is written over the other? */
static bool spots_share_bytes(const struct sw_buffer *fresh, uint64_t at, const struct sw_buffer *old,
                              uint64_t old_at) {
    uint32_t step = fresh->first;
    for (uint32_t i = 0; i < fresh->piece_count; i++) {
        const struct sw_piece *p = &fresh->pieces[i];
        for (uint32_t k = 0; p->first <= step && k < old->piece_count; k++) {
            const struct sw_piece *q = &old->pieces[k];
            if (q->first <= step && q->last >= step && at + p->lo < old_at + q->hi && old_at + q->lo < at + p->hi) {
                return true;
            }
        }
    }
    return false;
}

bool sw_tier_pair_holds(const struct sw_layout *layout, uint32_t fresh, uint32_t old) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_tier_spot x = sw_tier_spot_of(layout, fresh), y = sw_tier_spot_of(layout, old);
    return x.tier != SW_NONE && x.tier == y.tier && !sw_tier_is_split(layout, fresh) &&
           !sw_tier_is_split(layout, old) &&
           spots_share_bytes(sw_problem_buffer(problem, fresh), x.offset, sw_problem_buffer(problem, old), y.offset);
}

static bool permit_pair(struct sw_layout *layout, uint32_t fresh, uint32_t old) {
    struct sw_permit permit = {fresh, old, sw_problem_buffer(sw_layout_problem(layout), fresh)->first};
    return !sw_tier_pair_holds(layout, fresh, old) || sw_layout_permit(layout, &permit);
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
    const uint32_t *born = sw_problem_born(problem, sw_problem_buffer(problem, buffer)->last, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (sw_tier_may_overwrite(plan, born[i], buffer) && !permit_pair(layout, born[i], buffer)) {
            return false;
        }
    }
    return true;
}

/* The bytes that each tier needs, and for split lives the moves from one place to the next. */
bool sw_tier_follow_places(struct sw_layout *layout) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint64_t arenas[SW_MAX_TIERS] = {0};
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        struct sw_placement at, before = {0};
        for (uint32_t k = 0; sw_layout_placement(layout, b, k, &at); k++) {
            uint64_t size = sw_problem_buffer(problem, b)->size, end = size > 0 ? at.offset + size : 0;
            arenas[at.tier] = SW_MAX(end, arenas[at.tier]);
            struct sw_transfer move = {b, at.span.from, before.tier, at.tier};
            if (k > 0 && !sw_layout_transfer(layout, &move)) {
                return false;
            }
            before = at;
        }
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        sw_layout_set_arena(layout, t, arenas[t]);
    }
    return true;
}

bool sw_tier_settle(struct sw_layout *layout, const struct sw_tier_plan *plan) {
    if (!sw_layout_forget_permits(layout) || !sw_layout_forget_transfers(layout)) {
        return false;
    }
    for (uint32_t b = 0; b < plan->buffers; b++) {
        for (uint32_t i = plan->old_at[b]; i < plan->old_at[b + 1]; i++) {
            if (!permit_pair(layout, b, plan->olds[i])) {
                return false;
            }
        }
    }
    return sw_tier_follow_places(layout);
}
