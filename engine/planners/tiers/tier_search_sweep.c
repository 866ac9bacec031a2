/* What is alive at a step, by address: how PRECONF sees the tiers while it goes from one step to the next. See
 * tier_search.c for the method.
 *
 * In a simple problem (problem/hot.h) all that lies in the way of a block which is placed by PRECONF is alive at its
 * first step: later blocks have no place yet. So one list per tier, sorted by address, shows all obstacles. A block
 * enters it when it is placed, and leaves it with the step after its last. Nothing is gathered and sorted anew. */
#include "planners/tiers/tier_search.h"
#include "base/base.h"
#include "problem/hot.h"

bool sw_tier_sweep_serves(const struct sw_run *run) {
    size_t reserved;
    sw_problem_reserved(run->problem, &reserved);
    return sw_problem_simple(run->problem) && !sw_tier_ranks(run) && reserved == 0 && run->rules.pins.count == 0 &&
           run->rules.forbids.count == 0;
}

static bool lies_before(const struct sw_gap_bound *a, const struct sw_gap_bound *b) {
    return a->lo != b->lo ? a->lo < b->lo : a->hi != b->hi ? a->hi < b->hi : a->owner < b->owner;
}

bool sw_tier_sweep_add(struct sw_tier_sweep *sweep, const struct sw_problem *problem, uint32_t buffer,
                       const struct sw_tier_spot *spot) {
    const struct sw_buffer *b = sw_problem_buffer(problem, buffer);
    struct sw_gap_bound bound = {(int64_t)spot->offset, (int64_t)(spot->offset + b->size), buffer};
    struct sw_tier_live *live = &sweep->tiers[spot->tier];
    size_t low = 0, high = live->count;
    if (b->size == 0) {
        return true;
    }
    if (!SW_PUSH(live, bound)) {
        return false;
    }
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (lies_before(&live->items[middle], &bound)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    memmove(live->items + low + 1, live->items + low, (live->count - 1 - low) * sizeof bound);
    live->items[low] = bound;
    live->dies = SW_MIN(b->last, live->dies);
    return true;
}

void sw_tier_sweep_reach(struct sw_tier_sweep *sweep, const struct sw_problem *problem, uint32_t step) {
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        struct sw_tier_live *live = &sweep->tiers[t];
        size_t kept = 0;
        if (live->dies >= step) {
            continue;
        }
        live->dies = UINT32_MAX;
        for (size_t i = 0; i < live->count; i++) {
            uint32_t last = sw_problem_buffer(problem, live->items[i].owner)->last;
            live->items[kept] = live->items[i];
            kept += last >= step;
            live->dies = last >= step ? SW_MIN(last, live->dies) : live->dies;
        }
        live->count = kept;
    }
}

bool sw_tier_sweep_begin(struct sw_tier_sweep *sweep, const struct sw_problem *problem, const struct sw_cow *spots,
                         uint32_t step, uint32_t moved, const struct sw_tier_spot *place, bool *serves) {
    uint32_t born = sw_problem_born_before(problem, step);
    struct sw_neighbors walk = sw_problem_alive(problem, step, step);
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        sweep->tiers[t].count = 0;
        sweep->tiers[t].dies = UINT32_MAX;
    }
    *serves = true;
    for (uint32_t buffer; (buffer = sw_neighbors_next(&walk)) != SW_NONE && walk.rank < born && *serves;) {
        const struct sw_tier_spot *spot = walk.rank == moved ? place : sw_tier_spot_at(spots, walk.rank);
        *serves = spot->life == 0;
        if (*serves && !sw_tier_sweep_add(sweep, problem, buffer, spot)) {
            return false;
        }
    }
    return true;
}

void sw_tier_sweep_done(struct sw_tier_sweep *sweep) {
    for (uint32_t t = 0; t < SW_MAX_TIERS; t++) {
        SW_ARRAY_DONE(&sweep->tiers[t]);
    }
}
