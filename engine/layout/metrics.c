/* The one source of every figure shown. */
#include "layout/free/gaps.h"
#include "layout/layout_internal.h"

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

bool sw_layout_padding(const struct sw_layout *layout, uint64_t *bytes) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_gaps gaps = {0};
    struct sw_placement placement;
    uint64_t total = 0;
    bool ok = true;
    for (uint32_t i = 0; ok && i < sw_problem_buffer_count(problem); i++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, i);
        if (buffer->alignment <= 1 || buffer->size == 0) {
            continue;
        }
        for (uint32_t k = 0; ok && sw_layout_placement(layout, i, k, &placement); k++) {
            ok = sw_gaps_find(&gaps, layout, NULL, i, placement.span, placement.tier,
                              SW_UNBOUNDED);
            for (size_t g = 0; ok && g < gaps.gaps.count; g++) {
                const struct sw_gap *gap = &gaps.gaps.items[g];
                if (gap->lo <= placement.offset && placement.offset < gap->hi &&
                    gap->start == placement.offset) {
                    total += placement.offset - gap->lo;
                }
            }
        }
    }
    sw_gaps_done(&gaps);
    if (ok) {
        *bytes = total;
    }
    return ok;
}
