/* Why a move lowers the peak: what two finished layouts show, and nothing that they do not.
 *
 * The block that ended at the peak is looked at in both. It lay on a block, which lay on another one: is a block that
 * the move is about among them? How much below it did no block use, at the step of its life at which most is alive? And
 * where does it lie now, on what, and what ends at the new peak? */
#include "suggest/suggest_internal.h"
#include "layout/difference.h"

enum { WHY_HOPS = 16 };

bool sw_suggest_lies_in(const struct sw_layout *layout, uint32_t buffer, uint32_t tier, struct sw_placement *at) {
    struct sw_placement second;
    return sw_layout_placement(layout, buffer, 0, at) && at->tier == tier && at->span.from == 0 &&
           at->span.to == UINT32_MAX && !sw_layout_placement(layout, buffer, 1, &second);
}

/* ---- what lies below a block ---- */

/* The step of its life at which most is alive, the first such; SW_NONE: on several cores steps tell no more. */
static uint32_t fullest_step(const struct sw_problem *problem, uint32_t buffer) {
    const struct sw_buffer *of = sw_problem_buffer(problem, buffer);
    const uint64_t *profile = sw_problem_profile(problem);
    uint32_t best = SW_NONE, steps = sw_problem_core_count(problem) == 1 ? sw_problem_steps(problem) : 0;
    for (uint32_t s = of->first; s <= of->last && s < steps; s++) {
        if (sw_buffer_alive(of, s) && (best == SW_NONE || profile[s] > profile[best])) {
            best = s;
        }
    }
    return best;
}

struct why_range {
    uint64_t lo, hi;
};
SW_BY_FIELDS(by_why_range, struct why_range, SW_UP(lo), SW_UP(hi))

struct used_list {
    SW_ARRAY(struct why_range) ranges;
};

static bool list_used(const struct sw_layout *layout, uint32_t step, uint32_t tier, uint64_t top,
                      struct used_list *list) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_neighbors alive = sw_problem_alive(problem, step, step);
    struct sw_placement at;
    for (uint32_t b; (b = sw_neighbors_next(&alive)) != SW_NONE;) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        if (!sw_layout_at(layout, b, step, &at) || at.tier != tier) {
            continue;
        }
        for (uint32_t i = 0; i < buffer->piece_count; i++) {
            const struct sw_piece *piece = &buffer->pieces[i];
            uint64_t lo = at.offset + piece->lo, hi = SW_MIN(at.offset + piece->hi, top);
            if (piece->first <= step && step <= piece->last && lo < hi &&
                !SW_PUSH(&list->ranges, ((struct why_range){lo, hi}))) {
                return false;
            }
        }
    }
    return true;
}

/* Bytes below `top` that no block uses at the step. False: no memory. */
static bool count_unused(const struct sw_layout *layout, uint32_t step, uint32_t tier, uint64_t top, uint64_t *bytes) {
    struct used_list list = {0};
    bool good = list_used(layout, step, tier, top, &list);
    uint64_t end = 0;
    *bytes = 0;
    sw_sort(list.ranges.items, list.ranges.count, sizeof *list.ranges.items, by_why_range);
    for (size_t i = 0; i < list.ranges.count; i++) {
        const struct why_range *used = &list.ranges.items[i];
        *bytes += used->lo > end ? used->lo - end : 0;
        end = SW_MAX(end, used->hi);
    }
    *bytes += top - end;
    SW_ARRAY_DONE(&list.ranges);
    return good;
}

/* Which of two blocks is told of: `rather`, else the larger one, else the one with the lower number. `best` may be
 * SW_NONE. */
static uint32_t rather_told(const struct sw_problem *problem, uint32_t rather, uint32_t best, uint32_t b) {
    uint64_t size = sw_problem_buffer(problem, b)->size,
             most = best == SW_NONE ? 0 : sw_problem_buffer(problem, best)->size;
    bool first = size > most || (size == most && b < best);
    return b == rather || ((best == SW_NONE || best != rather) && first) ? b : best;
}

/* The block that the buffer lies on: it ends where this one begins, but for alignment, and the two conflict. Of several
 * it is `rather`, else the largest. */
static uint32_t block_below(const struct sw_layout *layout, uint32_t buffer, uint32_t tier, uint32_t rather) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_placement at, other;
    uint32_t best = SW_NONE;
    if (!sw_suggest_lies_in(layout, buffer, tier, &at)) {
        return SW_NONE;
    }
    struct sw_neighbors near = sw_problem_neighbors(problem, buffer);
    for (uint32_t b; (b = sw_neighbors_next(&near)) != SW_NONE;) {
        uint64_t size = sw_problem_buffer(problem, b)->size;
        if (size > 0 && sw_suggest_lies_in(layout, b, tier, &other) &&
            sw_align_up(other.offset + size, sw_problem_buffer(problem, buffer)->alignment) == at.offset &&
            sw_problem_conflict(problem, buffer, b) != SW_CONFLICT_NONE) {
            best = rather_told(problem, rather, best, b);
        }
    }
    return best;
}

/* How many blocks down the other one lies, each on the next; 0: it is not among them. */
static uint32_t links_down(const struct sw_layout *layout, uint32_t buffer, uint32_t tier, uint32_t to) {
    for (uint32_t hops = 1; hops <= WHY_HOPS && to != SW_NONE && buffer != to; hops++) {
        buffer = block_below(layout, buffer, tier, to);
        if (buffer == SW_NONE || buffer == to) {
            return buffer == SW_NONE ? 0 : hops;
        }
    }
    return 0;
}

/* ---- a block in one of the layouts ---- */

static bool look_at_place(const struct sw_layout *layout, uint32_t buffer, uint32_t tier, uint32_t rather,
                          struct sw_why_place *place) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_placement at = {.tier = tier};
    *place = (struct sw_why_place){.below = SW_NONE, .meet = SW_NONE, .step = SW_NONE};
    if (buffer >= sw_problem_buffer_count(problem)) {
        return true;
    }
    place->step = fullest_step(problem, buffer);
    place->placed = place->step == SW_NONE ? sw_layout_placement(layout, buffer, 0, &at)
                                           : sw_layout_at(layout, buffer, place->step, &at);
    place->tier = at.tier;
    place->offset = at.offset;
    place->below = block_below(layout, buffer, at.tier, rather);
    if (place->below != SW_NONE && sw_problem_core_count(problem) == 1) {
        struct sw_witness both = sw_problem_witness(problem, buffer, place->below);
        place->meet = both.kind == SW_WITNESS_STEP ? both.step : SW_NONE;
    }
    if (place->step != SW_NONE) {
        place->live = sw_problem_profile(problem)[place->step];
    }
    return !place->placed || place->step == SW_NONE ||
           count_unused(layout, place->step, at.tier, at.offset, &place->unused);
}

uint32_t sw_suggest_highest(const struct sw_layout *layout, uint32_t tier, uint32_t *with, uint64_t *end) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_placement at;
    uint32_t best = SW_NONE;
    *end = 0;
    *with = 0;
    if (sw_layout_arena(layout, tier) != sw_layout_tier_peak(layout, tier)) {
        return SW_NONE;
    }
    for (uint32_t i = 0; i < sw_problem_planned_count(problem); i++) {
        uint32_t b = sw_problem_order(problem)[i];
        uint64_t size = sw_problem_buffer(problem, b)->size;
        if (size > 0 && sw_suggest_lies_in(layout, b, tier, &at) && at.offset + size >= *end) {
            *with = at.offset + size > *end ? 0 : *with + 1;
            best = at.offset + size > *end ? b : best;
            *end = at.offset + size;
        }
    }
    return best;
}

/* ---- the two beside each other ---- */

/* The largest block that was in conflict with the block and no longer is, the one of the move before others. */
static uint32_t parted_from(const struct sw_problem *was, const struct sw_problem *now, uint32_t block,
                            uint32_t mover) {
    uint32_t best = SW_NONE, count = sw_problem_buffer_count(now);
    struct sw_neighbors near = sw_problem_neighbors(was, block);
    for (uint32_t b; was != now && block < count && (b = sw_neighbors_next(&near)) != SW_NONE;) {
        if (b < count && sw_problem_conflict(was, block, b) != SW_CONFLICT_NONE &&
            sw_problem_conflict(now, block, b) == SW_CONFLICT_NONE) {
            best = rather_told(was, mover, best, b);
        }
    }
    return best;
}

/* Blocks that lie elsewhere: how many, and the largest ones. */
static uint32_t find_moved(const struct sw_layout *was, const struct sw_layout *now, struct sw_suggest_why *why) {
    const struct sw_problem *problem = sw_layout_problem(was);
    uint32_t count = sw_problem_buffer_count(problem), moved = 0;
    count = SW_MIN(count, sw_problem_buffer_count(sw_layout_problem(now)));
    for (uint32_t b = 0; b < count; b++) {
        if (!sw_layout_lies_elsewhere(was, now, b)) {
            continue;
        }
        uint32_t at = SW_MIN(moved, SW_WHY_MOVED);
        while (at > 0 && sw_problem_buffer(problem, why->moved[at - 1])->size < sw_problem_buffer(problem, b)->size) {
            at--;
        }
        for (uint32_t i = SW_WHY_MOVED - 1; at < SW_WHY_MOVED && i > at; i--) {
            why->moved[i] = why->moved[i - 1];
        }
        if (at < SW_WHY_MOVED) {
            why->moved[at] = b;
        }
        moved++;
    }
    return moved;
}

bool sw_suggest_why_of(const struct sw_layout *was, const struct sw_layout *now, uint32_t tier, const uint32_t *movers,
                       size_t count, struct sw_suggest_why *why) {
    struct sw_placement at;
    uint64_t end, end_now;
    *why = (struct sw_suggest_why){.mover = count > 0 ? movers[0] : SW_NONE, .parted = SW_NONE};
    why->others = find_moved(was, now, why);
    why->stretch = sw_layout_arena(was, tier) - sw_layout_tier_peak(was, tier);
    why->stretch_now = sw_layout_arena(now, tier) - sw_layout_tier_peak(now, tier);
    why->block = sw_suggest_highest(was, tier, &why->with, &end);
    why->top = sw_suggest_highest(now, tier, &why->top_with, &end_now);
    why->ends = why->block != SW_NONE && end == sw_layout_tier_peak(was, tier);
    why->top_ends = why->top != SW_NONE && end_now == sw_layout_tier_peak(now, tier);
    for (size_t i = 0; i < count && why->block != SW_NONE; i++) { /* the one that lies nearest below it */
        uint32_t links = links_down(was, why->block, tier, movers[i]);
        if (links > 0 && (why->links == 0 || links < why->links)) {
            why->links = links;
            why->mover = movers[i];
        }
    }
    why->mover_placed = why->mover != SW_NONE && sw_suggest_lies_in(now, why->mover, tier, &at);
    why->mover_now = why->mover_placed ? at.offset : 0;
    if (why->top != SW_NONE) {
        why->top_offset = end_now - sw_problem_buffer(sw_layout_problem(now), why->top)->size;
    }
    if (why->block == SW_NONE) {
        return true;
    }
    why->parted = parted_from(sw_layout_problem(was), sw_layout_problem(now), why->block, why->mover);
    return look_at_place(was, why->block, tier, why->mover, &why->was) &&
           look_at_place(now, why->block, tier, SW_NONE, &why->now);
}
