/* What becomes free in tier-search, and what it merges with (rules R3 and R7), as decisions: with events=true. See
 * tier_search.c for the method.
 *
 * Free spaces are never kept: they are seen from what is placed, so what touches is one space at once. These decisions
 * say what is seen, and change nothing. In the pre-configuration the blocks that an operator used last are released
 * when it ends, in order of tier and offset: of each what was not written over. In the walk a block is lifted before an
 * action looks for another place. On several cores the end of an operator is no moment for all, so only that is told.
 */
#include "planners/tiers/tier_search.h"
#include "base/base.h"
#include "base/sort.h"

struct span_of_bytes {
    uint64_t lo, hi;
};
SW_ARRAY_TYPE(free_list, struct span_of_bytes);
/* A block at the end of its life. */
struct dying {
    uint32_t last, tier, buffer;
    uint64_t lo, hi; /* of what its last step needs */
};
SW_ARRAY_TYPE(dying_list, struct dying);
SW_BY_FIELDS(compare_dying, struct dying, SW_UP(last), SW_UP(tier), SW_UP(lo), SW_UP(buffer))
SW_BY_FIELDS(compare_taken, struct span_of_bytes, SW_UP(lo), SW_UP(hi))

/* What is told of a block that gives [lo, hi) back. */
struct freeing {
    uint32_t buffer, tier;
    uint64_t lo, hi;
    const char *whole, *part; /* why, when all of it is free, and when some is not */
};

/* Of each free space that it becomes a part of: the release, and what it merges with. True: the one wanted is told;
 * else so many fewer are wanted. */
static bool tell_freed(const struct freeing *f, const struct free_list *free_, uint32_t *wanted,
                       struct sw_decision *decision) {
    for (size_t i = 0; i < free_->count; i++) {
        const struct span_of_bytes *space = &free_->items[i];
        uint64_t lo = SW_MAX(space->lo, f->lo), hi = SW_MIN(space->hi, f->hi);
        bool merges = space->lo < lo || hi < space->hi;
        if (lo >= hi) {
            continue;
        }
        if (*wanted > merges) {
            *wanted -= 1 + merges;
            continue;
        }
        sw_decision_begin(decision, *wanted ? SW_DECISION_COALESCE : SW_DECISION_RELEASE, 0,
                          lo == f->lo && hi == f->hi ? f->whole : f->part);
        decision->buffer = f->buffer;
        decision->tier = f->tier;
        decision->offset = *wanted ? space->lo : lo;
        decision->size = *wanted ? space->hi - space->lo : hi - lo;
        if (*wanted) {
            decision->coalesce.before = hi - lo;
            decision->coalesce.below = lo - space->lo;
            decision->coalesce.above = space->hi - hi;
            decision->reason = space->lo == lo   ? "it touches free space above"
                               : space->hi == hi ? "it touches free space below"
                                                 : "it touches free space below and above";
        }
        return true;
    }
    return false;
}

/* ---- the pre-configuration: the end of an operator ---- */

/* Where free spaces end: of a tier without a capacity at the end of what is in use. */
static uint64_t top_of(const struct sw_run *run, uint32_t tier) {
    uint64_t capacity = sw_problem_tier(run->problem, tier)->capacity;
    return capacity == SW_UNBOUNDED ? sw_layout_arena(run->layout, tier) : capacity;
}

/* All bytes of a tier that hold something at a step: blocks, those that are released after this one, reserved ranges.
 */
static bool list_taken(struct sw_run *run, const struct dying *of, const struct dying *end, uint32_t step,
                       struct free_list *taken) {
    struct sw_neighbors alive = sw_problem_alive(run->problem, step, step);
    size_t count;
    bool ok = true;
    taken->count = 0;
    for (uint32_t b; ok && (b = sw_neighbors_next(&alive)) != SW_NONE; run->work++) {
        const struct sw_buffer *buffer = sw_problem_buffer(run->problem, b);
        struct sw_placement p;
        bool here = sw_layout_at(run->layout, b, step, &p) && p.tier == of->tier;
        for (uint32_t i = 0; ok && here && i < buffer->piece_count; i++) {
            const struct sw_piece *piece = &buffer->pieces[i];
            ok = piece->first > step || piece->last < step ||
                 SW_PUSH(taken, (struct span_of_bytes){p.offset + piece->lo, p.offset + piece->hi});
        }
    }
    for (const struct dying *d = of + 1; ok && d < end && d->last == of->last && d->tier == of->tier; d++) {
        ok = SW_PUSH(taken, (struct span_of_bytes){d->lo, d->hi});
    }
    const struct sw_reserved *reserved = sw_problem_reserved(run->problem, &count);
    for (size_t i = 0; ok && i < count; i++) {
        ok = reserved[i].tier != of->tier || SW_PUSH(taken, (struct span_of_bytes){reserved[i].lo, reserved[i].hi});
    }
    return ok;
}

/* The free spaces of the tier of a block that has just died. */
static bool list_free(struct sw_run *run, const struct dying *of, const struct dying *end, struct free_list *free_) {
    struct free_list taken = {0};
    uint64_t top = top_of(run, of->tier), cursor = 0;
    bool ok = list_taken(run, of, end, of->last + 1, &taken);
    sw_sort(taken.items, taken.count, sizeof *taken.items, compare_taken);
    free_->count = 0;
    for (size_t i = 0; ok && i <= taken.count; i++) {
        uint64_t lo = i < taken.count ? taken.items[i].lo : top;
        ok = lo <= cursor || SW_PUSH(free_, (struct span_of_bytes){cursor, lo});
        cursor = i < taken.count ? SW_MAX(cursor, taken.items[i].hi) : cursor;
    }
    SW_ARRAY_DONE(&taken);
    return ok;
}

/* What dies from step `from` on and before step `to`, in the order in which it is released. */
static bool list_dying(struct sw_run *run, uint32_t from, uint32_t to, struct dying_list *list) {
    struct sw_neighbors alive = sw_problem_alive(run->problem, from, to - 1);
    bool ok = true;
    for (uint32_t b; ok && (b = sw_neighbors_next(&alive)) != SW_NONE; run->work++) {
        const struct sw_buffer *buffer = sw_problem_buffer(run->problem, b);
        struct sw_placement p;
        if (buffer->last < from || buffer->last >= to || !sw_layout_at(run->layout, b, buffer->last, &p)) {
            continue;
        }
        for (uint32_t i = 0; ok && i < buffer->piece_count; i++) {
            const struct sw_piece *piece = &buffer->pieces[i];
            struct dying dying = {buffer->last, p.tier, b, p.offset + piece->lo, p.offset + piece->hi};
            ok = piece->last < buffer->last || piece->lo >= piece->hi || SW_PUSH(list, dying);
        }
    }
    sw_sort(list->items, list->count, sizeof *list->items, compare_dying);
    return ok;
}

/* Between two births: what dies before the next block is born, or, at the end, before the last step. */
static bool tell_releases(const struct sw_tier_search *search, struct sw_run *run, bool *told,
                          struct sw_decision *decision) {
    const struct sw_tier_plan *plan = search->plan;
    struct dying_list list = {0};
    struct free_list free_ = {0};
    uint32_t wanted = search->told;
    uint32_t from = sw_problem_buffer(run->problem, plan->turns[search->turn - 1])->first;
    uint32_t to = search->turn < plan->planned ? sw_problem_buffer(run->problem, plan->turns[search->turn])->first
                                               : plan->steps - 1;
    bool ok = from >= to || list_dying(run, from, to, &list);
    for (size_t i = 0; ok && !*told && i < list.count; i++) {
        const struct dying *d = &list.items[i];
        struct freeing freeing = {
            d->buffer, d->tier, d->lo, d->hi, "its last use is over", "that part of it was not written over"};
        ok = list_free(run, d, list.items + list.count, &free_);
        *told = ok && tell_freed(&freeing, &free_, &wanted, decision);
        if (*told) {
            decision->time = d->last + 1;
            decision->live = sw_place_live_at(run, decision->time);
        }
    }
    SW_ARRAY_DONE(&list, &free_);
    return ok;
}

/* ---- the walk: a block is lifted ---- */

static enum sw_step tell_lift(struct sw_tier_search *search, struct sw_run *run, bool *told,
                              struct sw_decision *decision) {
    uint32_t b = sw_tier_subject(search), wanted = search->told;
    struct sw_tier_spot spot = *sw_tier_spot_at(&search->spots, sw_problem_rank(run->problem, b).at);
    struct freeing freeing = {b,
                              spot.tier,
                              spot.offset,
                              spot.offset + sw_problem_buffer(run->problem, b)->size,
                              "it is lifted to be tried elsewhere",
                              "it is lifted to be tried elsewhere, and the rest of it is in use"};
    struct free_list free_ = {0};
    bool lifts, ok = true;
    if (sw_tier_lifts(search, run, &lifts) != SW_STEP_MORE) {
        return SW_STEP_FAILED;
    }
    for (size_t i = 0; ok && lifts && i < search->spaces.items.count; i++) {
        const struct sw_tier_space *space = &search->spaces.items.items[i];
        uint64_t top = SW_MAX(sw_layout_arena(run->layout, spot.tier), freeing.hi);
        ok = SW_PUSH(&free_, (struct span_of_bytes){space->lo, space->hi == SW_UNBOUNDED ? top : space->hi});
    }
    *told = ok && tell_freed(&freeing, &free_, &wanted, decision);
    if (*told) {
        sw_tier_finish_decision(search, run, decision);
        sw_decision_set(decision, SW_KEY_PART, SW_NONE); /* it is about no segment */
    }
    SW_ARRAY_DONE(&free_);
    return ok ? SW_STEP_MORE : sw_step_memory(run);
}

enum sw_step sw_tier_tell(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    bool told = false;
    enum sw_step step = SW_STEP_MORE;
    if (search->phase == SW_TIER_PRECONF && search->turn > 0 && sw_problem_core_count(run->problem) == 1) {
        step = tell_releases(search, run, &told, decision) ? step : sw_step_memory(run);
    } else if (search->phase == SW_TIER_VISIT && search->time < search->plan->steps) {
        step = sw_tier_inside_stand(search, run) ? tell_lift(search, run, &told, decision) : sw_step_memory(run);
    }
    if (told && run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    search->told += told;
    return step == SW_STEP_MORE && !told ? SW_STEP_DONE : step;
}
