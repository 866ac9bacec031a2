/* What is true of the run that panes tell of. See view_claims_oracle.h. */
#include "view_claims_oracle.h"

#include "problem/change/whole_order.h"

#include <inttypes.h>

enum { MOST_ORDERED = 6 }; /* operators */

uint64_t scene_top(const struct pane_scene *s, const struct sw_layout *layout, uint32_t tier) {
    uint64_t top = 0;
    for (uint32_t b = 0; b < sw_problem_buffer_count(s->problem); b++) {
        struct sw_placement p;
        for (uint32_t k = 0; sw_layout_placement(layout, b, k, &p); k++) {
            uint64_t end = p.offset + sw_problem_buffer(s->problem, b)->size;
            bool counts = p.tier == tier && sw_problem_buffer(s->problem, b)->size > 0;
            top = counts && end > top ? end : top;
        }
    }
    return top;
}

uint64_t scene_peak(const struct pane_scene *s, const struct sw_layout *layout, uint32_t tier) {
    for (uint32_t t = 0; tier == SW_NONE; t++) { /* of none: the first in use */
        tier = sw_layout_arena(layout, t) > 0 || t + 1 == sw_problem_tier_count(s->problem) ? t : SW_NONE;
    }
    uint64_t top = scene_top(s, layout, tier), arena = sw_layout_arena(layout, tier),
             peak = sw_layout_tier_peak(layout, tier);
    check_that(top <= arena && peak <= arena, s->m, s->planner, "a block of tier %u ends above its arena", tier);
    check_that(top != arena || peak == arena || top == sw_problem_tier(s->problem, tier)->capacity, s->m, s->planner,
               "tier %u has a peak of %" PRIu64 " below %" PRIu64, tier, peak, top);
    return peak;
}

uint64_t scene_alive(const struct pane_scene *s, uint32_t step) {
    uint64_t sum = 0;
    for (uint32_t b = 0; b < sw_problem_buffer_count(s->problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(s->problem, b);
        sum += buffer->planned ? sw_buffer_live_bytes(buffer, step) : 0;
    }
    return sum;
}

bool scene_fits(const struct pane_scene *s, const struct sw_layout *layout, uint32_t buffer, uint32_t tier,
                uint64_t at) {
    const struct sw_buffer *it = sw_problem_buffer(s->problem, buffer);
    size_t ranges;
    const struct sw_reserved *reserved = sw_problem_reserved(s->problem, &ranges);
    bool fits = at % it->alignment == 0;
    for (size_t i = 0; i < ranges; i++) {
        fits = fits && (reserved[i].tier != tier || at >= reserved[i].hi || at + it->size <= reserved[i].lo);
    }
    for (uint32_t b = 0; fits && b < sw_problem_buffer_count(s->problem); b++) {
        struct sw_placement other;
        fits = b == buffer || !sw_layout_placement(layout, b, 0, &other) || other.tier != tier ||
               !sw_problem_collide(s->problem, buffer, at, b, other.offset);
    }
    return fits;
}

uint64_t scene_free_below(const struct pane_scene *s, uint32_t buffer, uint32_t tier, uint64_t top, bool *plain) {
    uint64_t bytes = 0;
    size_t ranges;
    const struct sw_reserved *reserved = sw_problem_reserved(s->problem, &ranges);
    *plain = true;
    for (uint64_t at = 0; at < top; at++) {
        bool taken = false;
        for (uint32_t b = 0; b < sw_problem_buffer_count(s->problem); b++) {
            struct sw_placement p;
            enum sw_conflict c = b == buffer ? SW_CONFLICT_NONE : sw_problem_conflict(s->problem, buffer, b);
            *plain = *plain && (c == SW_CONFLICT_NONE || c == SW_CONFLICT_WHOLE);
            taken = taken || (c != SW_CONFLICT_NONE && sw_layout_placement(s->layout, b, 0, &p) && p.tier == tier &&
                              at >= p.offset && at < p.offset + sw_problem_buffer(s->problem, b)->size);
        }
        for (size_t i = 0; i < ranges; i++) {
            taken = taken || (reserved[i].tier == tier && at >= reserved[i].lo && at < reserved[i].hi);
        }
        bytes += !taken;
    }
    return bytes;
}

/* ---- orders ---- */

void scene_try_orders(struct pane_scene *s, const struct sw_problem *problem) {
    uint32_t count = sw_problem_operator_count(problem), order[MAX_OPERATORS];
    s->orders = 0;
    s->least = UINT64_MAX;
    if (count < 2 || count > MOST_ORDERED || !sw_problem_has_orders(problem, NULL)) {
        return;
    }
    for (uint32_t k = 0; k < count; k++) {
        order[k] = k;
        s->with[k] = UINT64_MAX;
        s->always[k] = UINT32_MAX;
    }
    do {
        struct sw_problem *other = sw_problem_in_order(problem, order, NULL);
        for (uint32_t i = 0; other && i < count; i++) {
            uint64_t live = sw_problem_profile(other)[i];
            uint32_t held = 0;
            for (uint32_t b = 0; b < sw_problem_buffer_count(other); b++) {
                held |= sw_buffer_live_bytes(sw_problem_buffer(other, b), i) > 0 ? 1u << b : 0;
            }
            s->with[order[i]] = live < s->with[order[i]] ? live : s->with[order[i]];
            s->always[order[i]] &= held;
        }
        if (other) {
            uint64_t bound = sw_problem_lower_bound(other);
            s->least = bound < s->least ? bound : s->least;
            s->orders++;
            sw_problem_unref(other);
        }
    } while (next_order(order, count));
}
