/* order-genetic: orders of finished layouts in the first population (`seeds=greedy`).
 *
 * A greedy planner's layout tells an order: its blocks by start address. First fit in that order never puts a block
 * higher than the layout had it (a block only ever meets blocks that lay below it then, and they have not risen), so an
 * individual made of it is as good as the layout, and the search, which keeps its best, is never worse than the
 * planners that its seeds come from. */
#include "planners/orders/order_genetic.h"

#include "base/sort.h"
#include "planners/nested.h"

static const struct sw_planner *const seed_planners[] = {&sw_first_fit, &sw_greedy_by_size, &sw_greedy_by_breadth};
static const char *const seed_reasons[] = {"the blocks of first-fit's layout by start address",
                                           "the blocks of greedy-by-size's layout by start address",
                                           "the blocks of greedy-by-breadth's layout by start address"};
_Static_assert(sizeof seed_planners / sizeof *seed_planners == SW_ORDER_SEEDS, "one seed of each");

/* Tier by tier, then by offset, ties in the listed order. False: no memory. */
static bool read_layout_order(const struct sw_layout *layout, struct sw_rank *order, uint32_t count) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct sw_keyed *keyed = SW_NEW(struct sw_keyed, (size_t)count);
    struct sw_placement place;
    bool ok = keyed != NULL;
    for (int pass = 0; ok && pass < 2; pass++) { /* the sort is stable: what counts most comes last */
        for (uint32_t i = 0; i < count; i++) {
            uint32_t rank = pass ? keyed[i].index : i;
            sw_layout_placement(layout, sw_problem_order(problem)[rank], 0, &place);
            keyed[i] = (struct sw_keyed){pass ? place.tier : place.offset, rank};
        }
        ok = sw_sort_keyed(keyed, count);
    }
    for (uint32_t i = 0; ok && i < count; i++) {
        order[i].at = keyed[i].index;
    }
    SW_FREE(keyed, (size_t)count);
    return ok;
}

bool sw_genetic_seed(struct genetic *g, struct sw_run *run, struct sw_rank *order, const char **reason) {
    *reason = NULL;
    while (!*reason && g->seed < g->seeds) {
        uint32_t which = g->seed++;
        bool found = false;
        struct sw_layout *layout = sw_run_layout(run);
        bool ok = layout && sw_nested_run(run, seed_planners[which], layout, &found) &&
                  (!found || read_layout_order(layout, order, g->count) || sw_fail_memory(run->error));
        sw_layout_free(layout);
        if (!ok) {
            return false;
        }
        *reason = found && !sw_genetic_has_order(g, order) ? seed_reasons[which] : NULL;
    }
    return true;
}
