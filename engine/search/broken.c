/* Plans that come with a file: do they break a rule? */
#include "search/broken.h"

#include "planners/planner.h"
#include "planners/recorded/recording.h"

struct faults {
    bool unplaced_too; /* a buffer without a place is a fault */
    size_t count;
    struct sw_fault *first;
};

static void keep_fault(void *context, const struct sw_fault *fault) {
    struct faults *faults = context;
    if (fault->kind == SW_FAULT_MISSING && !faults->unplaced_too) {
        return;
    }
    if (faults->count++ == 0 && faults->first) {
        *faults->first = *fault;
    }
}

/* Has every block a place, or should it have one by now? */
static bool is_whole_plan(const struct sw_search *search) {
    const struct sw_recording *recording = sw_problem_recording(sw_search_problem(search));
    struct sw_metrics metrics;
    sw_metrics_of(sw_search_layout(search), &metrics);
    bool recorded = sw_search_planner(search)->needs & SW_NEEDS_RECORDING;
    return metrics.complete || (recorded && recording->end == SW_RECORDING_DONE && recording->stopped_at == 0 &&
                                sw_search_complete(search) && sw_search_at(search) == sw_search_known(search));
}

bool sw_search_broken(const struct sw_search *search, size_t *count, struct sw_fault *first) {
    struct faults faults = {.unplaced_too = is_whole_plan(search), .first = first};
    struct sw_claims claims;
    size_t all;
    sw_search_claims(search, &claims);
    if ((sw_search_planner(search)->needs & (SW_NEEDS_PLAN | SW_NEEDS_RECORDING)) && !claims.no_addresses &&
        !sw_search_check(search, &all, NULL, keep_fault, &faults)) {
        return false;
    }
    *count = faults.count;
    return true;
}
