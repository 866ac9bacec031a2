#include "fit/cuts/cut_advice.h"

#include "base/minmax.h"

#define PLANNING UINT64_C(500000) /* buffers that the plan of one model may look at */

/* Try every region that the operator is in, first those that begin with it. */
static bool find_cuts(const struct sw_problem *problem, uint32_t op, uint64_t work, struct sw_fit_cuts *cuts,
                      bool *left_out) {
    struct sw_fit_limits limits = {.of_head = true};
    sw_fit_cuts_begin(problem, cuts);
    for (uint32_t back = 0; back < SW_FIT_MOST_OPERATORS && back <= op; back++) {
        if (!sw_problem_operator(problem, op - back)->window) {
            return true; /* and none before it has the operator in it, either */
        }
        if (cuts->work >= work) {
            *left_out = true;
            return true;
        }
        cuts->next = op - back;
        if (!sw_fit_cuts_next(cuts, &limits)) {
            return false;
        }
    }
    return true;
}

/* The most bytes alive outside of a region. O(steps) */
static uint64_t live_beside_region(const struct sw_problem *problem, const struct sw_fit_region *region) {
    const uint64_t *profile = sw_problem_profile(problem);
    uint64_t most = 0;
    for (uint32_t step = 0; step < sw_problem_steps(problem); step++) {
        most = step < region->first || step > region->last ? SW_MAX(most, profile[step]) : most;
    }
    return most;
}

/* The cut with the lowest bound, and of equal ones with the fewest multiply-adds. NULL: no cut has the operator in it.
 */
static const struct sw_fit_cut *best_cut(const struct sw_problem *problem, uint32_t op, const struct sw_fit_cuts *cuts,
                                         size_t *tried) {
    const struct sw_fit_cut *best = NULL;
    uint64_t least = UINT64_MAX, outside = 0;
    for (size_t i = 0; i < cuts->items.count; i++) {
        const struct sw_fit_cut *cut = &cuts->items.items[i], *before = i > 0 ? cut - 1 : NULL;
        if (op < cut->region.first || op > cut->region.last) {
            continue;
        }
        bool same = before && before->region.first == cut->region.first && before->region.last == cut->region.last;
        outside = same ? outside : live_beside_region(problem, &cut->region);
        uint64_t bound = SW_MAX(sw_fit_live(cuts, cut), outside);
        ++*tried;
        if (bound < least || (bound == least && cut->macs < best->macs)) {
            least = bound;
            best = cut;
        }
    }
    return best;
}

bool sw_fit_advise(const struct sw_problem *problem, uint32_t op, uint64_t work, struct sw_fit_advice *advice,
                   struct sw_error *error) {
    struct sw_fit_cuts cuts = {0};
    struct sw_fit_model model = {0};
    uint64_t planning = PLANNING;
    *advice = (struct sw_fit_advice){0};
    bool good = find_cuts(problem, op, work, &cuts, &advice->left_out) || sw_fail_memory(error);
    const struct sw_fit_cut *best = good ? best_cut(problem, op, &cuts, &advice->tried) : NULL;
    if (best) {
        good = sw_fit_plan_regions(problem, &(struct sw_fit_request){.seed = 1, .limits = {.of_head = true}},
                                   &best->region, 1, &planning, &model, error);
        advice->helps = good && model.bound < sw_problem_lower_bound(problem);
        advice->region = best->region;
        advice->bound = model.bound;
        advice->head = model.head;
        advice->macs = model.macs;
        advice->model_macs = cuts.macs;
    }
    sw_fit_model_done(&model);
    sw_fit_cuts_done(&cuts);
    return good;
}
