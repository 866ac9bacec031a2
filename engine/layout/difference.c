#include "layout/difference.h"

/* An edit of the model can change what is placed, too. */
static bool same_buffer(const struct sw_buffer *a, const struct sw_buffer *b) {
    return a->size == b->size && a->first == b->first && a->last == b->last;
}

enum sw_difference sw_layout_difference(const struct sw_layout *layout,
                                        const struct sw_layout *against, uint32_t buffer) {
    const struct sw_problem *mine = sw_layout_problem(layout);
    const struct sw_problem *other = sw_layout_problem(against);
    bool here = sw_layout_placed(layout, buffer);
    bool there = buffer < sw_problem_buffer_count(other) && sw_layout_placed(against, buffer);
    if (!here || !there) {
        return here ? SW_DIFFERENCE_HERE : there ? SW_DIFFERENCE_THERE : SW_DIFFERENCE_NONE;
    }
    struct sw_placement a, b;
    bool same = mine == other ||
                same_buffer(sw_problem_buffer(mine, buffer), sw_problem_buffer(other, buffer));
    for (uint32_t k = 0; same; k++) {
        bool more = sw_layout_placement(layout, buffer, k, &a);
        same = more == sw_layout_placement(against, buffer, k, &b);
        if (!more) {
            break;
        }
        same = same && a.tier == b.tier && a.offset == b.offset && a.span.from == b.span.from &&
               a.span.to == b.span.to;
    }
    return same ? SW_DIFFERENCE_SAME : SW_DIFFERENCE_MOVED;
}

void sw_layout_differences(const struct sw_layout *layout, const struct sw_layout *against,
                           struct sw_differences *counts) {
    uint32_t count = sw_problem_buffer_count(sw_layout_problem(layout));
    *counts = (struct sw_differences){0};
    for (uint32_t b = 0; b < count; b++) {
        switch (sw_layout_difference(layout, against, b)) {
        case SW_DIFFERENCE_NONE:
            break;
        case SW_DIFFERENCE_SAME:
            counts->same++;
            break;
        case SW_DIFFERENCE_MOVED:
            counts->moved++;
            break;
        case SW_DIFFERENCE_HERE:
            counts->here++;
            break;
        case SW_DIFFERENCE_THERE:
            counts->there++;
            break;
        }
    }
}
