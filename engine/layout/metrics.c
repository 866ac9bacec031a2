/* The one source of every figure shown. */
#include "base/sort.h"
#include "layout/free/gaps.h"
#include "layout/layout_internal.h"
#include "problem/hot.h"

#include <stdlib.h>

void sw_metrics_of(const struct sw_layout *layout, struct sw_metrics *metrics) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    *metrics = (struct sw_metrics){.placed = sw_layout_placed_count(layout),
                                   .planned = sw_problem_planned_count(problem),
                                   .fits = true,
                                   .peak = sw_layout_peak(layout),
                                   .lower_bound = sw_problem_lower_bound(problem),
                                   .naive = sw_problem_naive(problem)};
    unsigned in_use = 0;
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        metrics->tier_top[t] = sw_layout_arena(layout, t);
        metrics->tier_peak[t] = sw_layout_tier_peak(layout, t);
        in_use += metrics->tier_top[t] > 0;
        if (metrics->tier_top[t] > sw_problem_tier(problem, t)->capacity) {
            metrics->fits = false;
        }
    }
    metrics->single_tier = in_use <= 1;
    metrics->complete = metrics->placed == metrics->planned;
    metrics->comparable = metrics->single_tier && !layout->shared && metrics->peak >= metrics->lower_bound;
    if (metrics->comparable && metrics->peak > 0) {
        metrics->fragmentation = 1 - (double)metrics->lower_bound / (double)metrics->peak;
    }
    if (metrics->peak > 0 && metrics->single_tier) {
        metrics->reuse = (double)metrics->naive / (double)metrics->peak;
    }
    if (metrics->comparable && metrics->lower_bound > 0) {
        metrics->over_bound = (double)metrics->peak / (double)metrics->lower_bound - 1;
    }
}

/* A block by its address, for problems in which all buffers are alive together. */
struct stacked {
    uint64_t lo, hi, alignment;
};

SW_BY_FIELDS(compare_stacked, struct stacked, SW_UP(lo))

/* The padding of blocks that are all alive together: each begins above the one below it. `*stack` is false where they
 * are not, or lie otherwise. False: no memory. */
static bool pad_stack(const struct sw_layout *layout, uint64_t *bytes, bool *stack) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    const struct sw_hot *hot = sw_problem_hot(problem);
    SW_ARRAY(struct stacked) all = {0};
    size_t reserved;
    uint32_t step;
    uint64_t total = 0, floor = 0;
    sw_problem_reserved(problem, &reserved);
    bool ok = true;
    *stack = sw_problem_simple(problem) && sw_problem_together(problem, &step) && sw_problem_tier_count(problem) == 1 &&
             reserved == 0 && layout->spans.count == 0;
    for (uint32_t i = 0; ok && *stack && i < sw_problem_planned_count(problem); i++) {
        const struct sw_layout_slot *slot = sw_cow_get(&layout->slots, i);
        uint64_t alignment = sw_problem_buffer(problem, hot[i].buffer)->alignment;
        ok = slot->tier == 0 || hot[i].size == 0 ||
             SW_PUSH(&all, ((struct stacked){slot->offset, slot->offset + hot[i].size, alignment}));
    }
    sw_sort(all.items, all.count, sizeof *all.items, compare_stacked);
    for (size_t i = 0; ok && *stack && i < all.count; i++) {
        const struct stacked *at = &all.items[i];
        *stack = at->lo >= floor;
        total += *stack && at->lo - floor < at->alignment && at->lo % at->alignment == 0 ? at->lo - floor : 0;
        floor = at->hi;
    }
    *bytes = total;
    SW_ARRAY_DONE(&all);
    return ok;
}

/* What alignment leaves free below a block. Without pieces no list of spaces is needed for that. */
static bool pad_block(struct sw_gaps *gaps, const struct sw_layout *layout, uint32_t buffer,
                      const struct sw_placement *placement, uint64_t *total) {
    uint64_t alignment = sw_problem_buffer(layout->problem, buffer)->alignment, floor;
    bool covered;
    if (sw_problem_simple(layout->problem) && layout->spans.count == 0) {
        bool ok = sw_gaps_floor(gaps, layout, buffer, placement, &floor, &covered);
        *total += ok && !covered && sw_align_up(floor, alignment) == placement->offset ? placement->offset - floor : 0;
        return ok;
    }
    if (!sw_gaps_find(gaps, layout, NULL, buffer, placement->span, placement->tier, SW_UNBOUNDED)) {
        return false;
    }
    for (size_t g = 0; g < gaps->gaps.count; g++) {
        const struct sw_gap *gap = &gaps->gaps.items[g];
        if (gap->lo <= placement->offset && placement->offset < gap->hi && gap->start == placement->offset) {
            *total += placement->offset - gap->lo;
        }
    }
    return true;
}

bool sw_layout_padding(const struct sw_layout *layout, uint64_t *bytes) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_gaps gaps = {0};
    struct sw_placement placement;
    uint64_t total = 0;
    bool stack, ok = pad_stack(layout, &total, &stack);
    total = stack ? total : 0;
    for (uint32_t i = 0; ok && !stack && i < sw_problem_buffer_count(problem); i++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, i);
        if (buffer->alignment <= 1 || buffer->size == 0) {
            continue;
        }
        for (uint32_t k = 0; ok && sw_layout_placement(layout, i, k, &placement); k++) {
            ok = pad_block(&gaps, layout, i, &placement, &total);
        }
    }
    sw_gaps_done(&gaps);
    if (ok) {
        *bytes = total;
    }
    return ok;
}
