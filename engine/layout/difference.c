#include "layout/difference.h"

#include "layout/layout_internal.h"
#include "problem/hot.h"

/* An edit of the model can change what is placed, too. */
static bool is_same_buffer(const struct sw_buffer *a, const struct sw_buffer *b) {
    return a->size == b->size && a->first == b->first && a->last == b->last;
}

enum sw_difference sw_layout_difference(const struct sw_layout *layout, const struct sw_layout *against,
                                        uint32_t buffer) {
    const struct sw_problem *mine = sw_layout_problem(layout);
    const struct sw_problem *other = sw_layout_problem(against);
    bool here = sw_layout_placed(layout, buffer);
    bool there = buffer < sw_problem_buffer_count(other) && sw_layout_placed(against, buffer);
    if (!here || !there) {
        return here ? SW_DIFFERENCE_HERE : there ? SW_DIFFERENCE_THERE : SW_DIFFERENCE_NONE;
    }
    struct sw_placement a, b;
    bool same = mine == other || is_same_buffer(sw_problem_buffer(mine, buffer), sw_problem_buffer(other, buffer));
    for (uint32_t k = 0; same; k++) {
        bool more = sw_layout_placement(layout, buffer, k, &a);
        same = more == sw_layout_placement(against, buffer, k, &b);
        if (!more) {
            break;
        }
        same = same && a.tier == b.tier && a.offset == b.offset && a.span.from == b.span.from && a.span.to == b.span.to;
    }
    return same ? SW_DIFFERENCE_SAME : SW_DIFFERENCE_MOVED;
}

static void count_difference(struct sw_differences *counts, enum sw_difference difference) {
    counts->same += difference == SW_DIFFERENCE_SAME;
    counts->moved += difference == SW_DIFFERENCE_MOVED;
    counts->here += difference == SW_DIFFERENCE_HERE;
    counts->there += difference == SW_DIFFERENCE_THERE;
}

/* Of one problem: row beside row, in the order in which they lie in memory. Lists of spans are
 * looked up. */
static void count_difference_rows(const struct sw_layout *layout, const struct sw_layout *against,
                                  struct sw_differences *counts) {
    const struct sw_hot *hot = sw_problem_hot(layout->problem);
    size_t planned = sw_problem_planned_count(layout->problem), run = 0;
    for (size_t rank = 0; rank < planned; rank += run) {
        const struct sw_layout_slot *a = sw_cow_run(&layout->slots, rank, &run);
        const struct sw_layout_slot *b = sw_cow_run(&against->slots, rank, &run);
        sw_cow_hint(&layout->slots, rank);
        sw_cow_hint(&against->slots, rank);
        for (size_t i = 0; i < run; i++) {
            bool here = a[i].tier != 0, there = b[i].tier != 0;
            bool same = a[i].tier == b[i].tier && a[i].offset == b[i].offset;
            if (a[i].span || b[i].span) {
                count_difference(counts, sw_layout_difference(layout, against, hot[rank + i].buffer));
                continue;
            }
            counts->same += here & there & same;
            counts->moved += here & there & !same;
            counts->here += here & !there;
            counts->there += there & !here;
        }
    }
}

void sw_layout_differences(const struct sw_layout *layout, const struct sw_layout *against,
                           struct sw_differences *counts) {
    uint32_t buffers = sw_problem_buffer_count(sw_layout_problem(layout));
    *counts = (struct sw_differences){0};
    if (layout->problem == against->problem) {
        count_difference_rows(layout, against, counts);
        return;
    }
    for (uint32_t b = 0; b < buffers; b++) {
        count_difference(counts, sw_layout_difference(layout, against, b));
    }
}

bool sw_layout_lies_elsewhere(const struct sw_layout *layout, const struct sw_layout *against, uint32_t buffer) {
    for (uint32_t k = 0;; k++) {
        struct sw_placement a, b;
        bool here = sw_layout_placement(layout, buffer, k, &a), there = sw_layout_placement(against, buffer, k, &b);
        if (!here || !there) {
            return here != there;
        }
        if (a.tier != b.tier || a.offset != b.offset) {
            return true;
        }
    }
}
