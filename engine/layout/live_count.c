/* Bytes alive, from one block to the next. See live_count.h. */
#include "layout/live_count.h"

#include "layout/layout_internal.h"

static uint64_t count_live_bytes(const struct sw_layout *layout, uint32_t step) {
    uint64_t bytes = 0;
    struct sw_neighbors all = sw_problem_alive(layout->problem, step, step);
    for (uint32_t b; (b = sw_neighbors_next(&all)) != SW_NONE;) {
        bytes += sw_layout_placed(layout, b) ? sw_buffer_live_bytes(sw_problem_buffer(layout->problem, b), step) : 0;
    }
    return bytes;
}

/* Is `fresh` all that the layout has more than it had? */
static bool is_news(const struct sw_live *live, const struct sw_layout *layout, uint32_t fresh) {
    struct sw_placement p;
    return fresh != SW_NONE && sw_layout_placement(layout, fresh, 0, &p) &&
           live->digest + sw_layout_placement_digest(&p) == layout->digest;
}

uint64_t sw_live_at(struct sw_live *live, const struct sw_layout *layout, uint32_t step, uint32_t fresh) {
    uint64_t problem = sw_problem_digest(layout->problem);
    bool same = live->known && live->problem_digest == problem && live->step == step;
    if (same && live->digest != layout->digest && is_news(live, layout, fresh)) {
        live->bytes += sw_buffer_live_bytes(sw_problem_buffer(layout->problem, fresh), step);
    } else if (!same || live->digest != layout->digest) {
        live->bytes = count_live_bytes(layout, step);
    }
    live->known = true;
    live->problem_digest = problem;
    live->digest = layout->digest;
    live->step = step;
    return live->bytes;
}
