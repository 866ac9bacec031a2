/* The peak of a tier, of whichever end it is filled. See sw_layout_tier_peak. */
#include "base/sort.h"
#include "base/base.h"
#include "layout/layout_internal.h"

/* ---- the far end ---- */

struct tier_range {
    uint64_t lo, hi, alignment;
    uint64_t below; /* the highest end of those before it */
    bool stays;     /* pinned, or reserved */
};
SW_ARRAY_TYPE(tier_ranges, struct tier_range);

SW_BY_FIELDS(compare_tier_ranges, struct tier_range, SW_UP(lo))

static bool add_tier_ranges(const struct sw_layout *layout, uint32_t tier, uint32_t b, struct tier_ranges *ranges) {
    const struct sw_buffer *buffer = sw_problem_buffer(layout->problem, b);
    struct sw_placement p;
    for (uint32_t k = 0; buffer->size > 0 && sw_layout_placement(layout, b, k, &p); k++) {
        struct tier_range range = {p.offset, p.offset + buffer->size, buffer->alignment, 0, buffer->pinned};
        if (p.tier == tier && !SW_PUSH(ranges, range)) {
            return false;
        }
    }
    return true;
}

/* All that is in the tier at any time, by address. False: no memory. */
static bool gather_ranges(const struct sw_layout *layout, uint32_t tier, struct tier_ranges *ranges) {
    const struct sw_problem *problem = layout->problem;
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(problem, &count);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        ok = reserved[i].tier != tier ||
             SW_PUSH(ranges, ((struct tier_range){reserved[i].lo, reserved[i].hi, 1, 0, true}));
    }
    struct sw_layout_block blocks[SW_COW_CHUNK];
    uint32_t rank = 0;
    for (size_t found; ok && (found = sw_layout_blocks(layout, &rank, blocks, SW_COW_CHUNK)) > 0;) {
        for (size_t i = 0; ok && i < found; i++) {
            ok = (blocks[i].whole && blocks[i].tier != tier) || add_tier_ranges(layout, tier, blocks[i].buffer, ranges);
        }
    }
    sw_sort(ranges->items, ranges->count, sizeof *ranges->items, compare_tier_ranges);
    for (size_t i = 1; i < ranges->count; i++) {
        struct tier_range *before = &ranges->items[i - 1];
        ranges->items[i].below = SW_MAX(before->hi, before->below);
    }
    return ok;
}

/* ---- which parts of the tier are covered ---- */

enum { COVERED_PARTS = 1024, COVER_FROM = 256 /* buffers; with fewer a search is as fast */ };

static uint64_t part_bytes(const struct sw_layout *layout, uint32_t tier) {
    return sw_problem_tier(layout->problem, tier)->capacity / COVERED_PARTS + 1;
}

/* One more block, or one less, over all of the parts. The last part ends with the tier. */
static void count_cover(struct sw_layout *layout, uint32_t tier, uint64_t lo, uint64_t hi, uint32_t more) {
    uint32_t *cover = layout->far_end[tier].cover;
    uint64_t part = part_bytes(layout, tier);
    bool top = hi >= sw_problem_tier(layout->problem, tier)->capacity;
    uint64_t end = top ? COVERED_PARTS : SW_MIN(hi / part, COVERED_PARTS);
    for (uint64_t i = (lo + part - 1) / part; i < end; i++) {
        cover[i] += more;
    }
}

static bool is_covered(const struct sw_layout *layout, uint32_t tier, uint64_t lo, uint64_t hi) {
    const uint32_t *cover = layout->far_end[tier].cover;
    uint64_t part = part_bytes(layout, tier), at = lo / part, end = SW_MIN((hi - 1) / part + 1, COVERED_PARTS);
    while (at < end && cover[at] > 0) {
        at++;
    }
    return at == end;
}

/* All buffers have one alignment and may move, and nothing is reserved: then what counts of a stretch does not depend
 * on what lies above it. */
static bool all_are_alike(const struct sw_problem *problem) {
    size_t count;
    const uint32_t *order = sw_problem_order(problem);
    uint32_t planned = sw_problem_planned_count(problem);
    sw_problem_reserved(problem, &count);
    for (uint32_t i = 0; i < planned; i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, order[i]);
        if (count > 0 || b->pinned || b->alignment != sw_problem_buffer(problem, order[0])->alignment) {
            return false;
        }
    }
    return true;
}

/* Without memory for it the stretch is looked for more often. */
static void begin_cover(struct sw_layout *layout, uint32_t tier, const struct tier_ranges *ranges) {
    struct sw_far_end *end = &layout->far_end[tier];
    if (end->cover || sw_problem_planned_count(layout->problem) < COVER_FROM || !all_are_alike(layout->problem)) {
        return;
    }
    end->cover = SW_NEW_ZERO(uint32_t, COVERED_PARTS);
    for (size_t i = 0; end->cover && i < ranges->count; i++) {
        count_cover(layout, tier, ranges->items[i].lo, ranges->items[i].hi, 1);
    }
}

void sw_far_end_forget(struct sw_layout *layout, uint32_t tier) {
    struct sw_far_end *end = &layout->far_end[tier];
    end->known = false;
    if (end->cover) {
        SW_FREE(end->cover, COVERED_PARTS);
        end->cover = NULL;
    }
}

/* ---- the stretch ---- */

/* From the top down. */
static void find_longest(const struct tier_ranges *ranges, struct sw_far_end *end) {
    const struct tier_range *all = ranges->items;
    uint64_t step = 1, capacity = end->hi, free_bytes = 0;
    size_t count = ranges->count;
    end->lo = end->hi = 0;
    end->reached = count > 0 && SW_MAX(all[count - 1].hi, all[count - 1].below) >= capacity;
    if (!end->reached) {
        return; /* the arena is larger than what its blocks reach */
    }
    for (size_t i = count; i-- > 0 && !all[i].stays;) {
        step = sw_common_multiple(step, all[i].alignment, capacity);
        if (step == 0) {
            return;
        }
        uint64_t saved = all[i].below < all[i].lo ? all[i].lo - all[i].below : 0;
        free_bytes += saved;
        saved -= saved % step;
        if (saved > end->saved) {
            end->lo = all[i].below;
            end->hi = all[i].lo;
            end->step = step;
            end->second = end->saved;
            end->saved = saved;
        } else {
            end->second = SW_MAX(end->second, saved);
        }
    }
    end->others = free_bytes - (end->hi - end->lo);
}

/* What is left of the longest stretch is still that where more of it count than of any other; else it is looked for
 * anew. */
void sw_far_end_placed(struct sw_layout *layout, uint32_t buffer, uint32_t tier, uint64_t offset) {
    struct sw_far_end *end = &layout->far_end[tier];
    const struct sw_buffer *b = sw_problem_buffer(layout->problem, buffer);
    uint64_t top = offset + b->size;
    if (end->cover) {
        count_cover(layout, tier, offset, top, 1);
    }
    if (!end->known) {
        return;
    }
    if (!end->reached) {
        end->known = top < layout->arena[tier];
        return;
    }
    if (end->saved == 0 || top <= end->lo) {
        return;
    }
    if (offset >= end->hi) {
        end->known = !b->pinned && end->step % b->alignment == 0;
        return;
    }
    uint64_t step =
        b->pinned ? 0 : sw_common_multiple(end->step, b->alignment, layout->arena[tier]); /* of what is below it */
    uint64_t below = step > 0 && offset > end->lo ? offset - end->lo : 0, above = top < end->hi ? end->hi - top : 0;
    end->others += SW_MIN(below, above);
    below -= step > 0 ? below % step : 0;
    above -= above % end->step;
    end->second = SW_MAX(end->second, SW_MIN(below, above));
    end->saved = SW_MAX(below, above);
    end->known = end->saved == 0 ? end->second == 0 : end->saved > end->second;
    if (above >= below) {
        end->lo = top;
    } else {
        end->hi = offset;
        end->step = step;
    }
}

/* The free bytes that it leaves may make another stretch the longest, at most one of all that is free elsewhere, unless
 * other blocks lie over all of it. */
void sw_far_end_lifted(struct sw_layout *layout, uint32_t buffer, uint32_t tier, uint64_t offset) {
    struct sw_far_end *end = &layout->far_end[tier];
    uint64_t size = sw_problem_buffer(layout->problem, buffer)->size, top = offset + size;
    if (size == 0) {
        return;
    }
    if (!end->cover) {
        end->known = false;
        return;
    }
    count_cover(layout, tier, offset, top, UINT32_MAX);
    if (!end->known || !end->reached || is_covered(layout, tier, offset, top)) {
        return;
    }
    bool apart = top < end->lo || (offset > end->hi && top < layout->arena[tier]);
    end->others += size;
    end->second = SW_MIN(end->others, 2 * end->second + size);
    end->known = apart && end->saved > end->second;
}

static bool has_far_end(const struct sw_layout *layout, uint32_t tier) {
    const struct sw_problem *problem = layout->problem;
    const struct sw_tier *t = sw_problem_tier(problem, tier);
    return t->capacity != SW_UNBOUNDED && layout->arena[tier] == t->capacity &&
           (sw_problem_tier_count(problem) > 1 || t->bandwidth > 0);
}

/* False: no memory. */
static bool find_far_end(const struct sw_layout *layout, uint32_t tier) {
    struct sw_far_end *known =
        &((struct sw_layout *)(uintptr_t)layout)->far_end[tier]; /* what is known of it, no part of it */
    if (known->known || !has_far_end(layout, tier)) {
        return true;
    }
    struct tier_ranges ranges = {0};
    bool ok = gather_ranges(layout, tier, &ranges);
    if (ok) {
        begin_cover((struct sw_layout *)(uintptr_t)layout, tier, &ranges);
        *known = (struct sw_far_end){.known = true, .hi = layout->arena[tier], .cover = known->cover};
        find_longest(&ranges, known);
    }
    SW_ARRAY_DONE(&ranges);
    return ok;
}

/* NULL: it is not filled from its far end, or there is no memory to find that out. */
static const struct sw_far_end *far_end(const struct sw_layout *layout, uint32_t tier) {
    const struct sw_far_end *end = &layout->far_end[tier];
    return has_far_end(layout, tier) && find_far_end(layout, tier) && end->saved > 0 ? end : NULL;
}

/* ---- peaks ---- */

bool sw_layout_find_peaks(const struct sw_layout *layout) {
    bool good = true;
    for (uint32_t t = 0; good && t < sw_problem_tier_count(layout->problem); t++) {
        good = find_far_end(layout, t);
    }
    return good;
}

uint64_t sw_layout_tier_peak(const struct sw_layout *layout, uint32_t tier) {
    const struct sw_far_end *end = far_end(layout, tier);
    return layout->arena[tier] - (end ? end->saved : 0);
}

uint32_t sw_layout_peak_tier(const struct sw_layout *layout) {
    uint32_t tiers = sw_problem_tier_count(layout->problem), t = 0;
    while (t + 1 < tiers && layout->arena[t] == 0) {
        t++;
    }
    return t;
}

uint64_t sw_layout_peak(const struct sw_layout *layout) {
    return sw_layout_tier_peak(layout, sw_layout_peak_tier(layout));
}

/* ---- what stands at the peak ---- */

bool sw_layout_makes_peak(const struct sw_layout *layout, uint32_t buffer, const struct sw_placement *p) {
    uint64_t size = sw_problem_buffer(layout->problem, buffer)->size;
    const struct sw_far_end *end = far_end(layout, p->tier);
    return size > 0 && (!end          ? p->offset + size == layout->arena[p->tier]
                        : end->lo > 0 ? p->offset + size == end->lo
                                      : p->offset == end->hi);
}

bool sw_layout_ends_stretch(const struct sw_layout *layout, uint32_t buffer, const struct sw_placement *p) {
    const struct sw_far_end *end = far_end(layout, p->tier);
    return end && sw_problem_buffer(layout->problem, buffer)->size > 0 && p->offset == end->hi;
}

static bool stands_at_peak(const struct sw_layout *layout, uint32_t buffer, uint32_t tier) {
    struct sw_placement p;
    for (uint32_t k = 0; sw_layout_placement(layout, buffer, k, &p); k++) {
        if (p.tier == tier && sw_layout_makes_peak(layout, buffer, &p)) {
            return true;
        }
    }
    return false;
}

uint32_t sw_layout_highest(const struct sw_layout *layout, uint32_t tier) {
    const struct sw_problem *problem = layout->problem;
    for (uint32_t i = 0; layout->arena[tier] > 0 && i < sw_problem_planned_count(problem); i++) {
        uint32_t b = sw_problem_order(problem)[i];
        if (stands_at_peak(layout, b, tier)) {
            return b;
        }
    }
    return SW_NONE;
}

uint32_t sw_layout_at_peak(const struct sw_layout *layout, uint32_t tier) {
    for (uint32_t b = 0; b < sw_problem_buffer_count(layout->problem); b++) {
        if (stands_at_peak(layout, b, tier)) {
            return b;
        }
    }
    return SW_NONE;
}
