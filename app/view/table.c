/* The table of views. */
#include "view/internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct sw_view *const views[] = {&sw_view_layout,   &sw_view_live,
                                              &sw_view_decision, &sw_view_decisions,
                                              &sw_view_bounds,   &sw_view_conflicts};

size_t sw_view_count(void) {
    return sizeof views / sizeof *views;
}

const struct sw_view *sw_view_get(size_t i) {
    return i < sw_view_count() ? views[i] : NULL;
}

const struct sw_view *sw_view_find(const char *name, struct sw_error *error) {
    char list[128] = "";
    size_t used = 0;
    for (size_t i = 0; i < sw_view_count(); i++) {
        if (!strcmp(views[i]->name, name)) {
            return views[i];
        }
        int length =
            snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", views[i]->name);
        used += length > 0 && (size_t)length < sizeof list - used ? (size_t)length : 0;
    }
    sw_fail(error, SW_ERROR_USAGE, "there is no view '%s'; there are: %s", name, list);
    return NULL;
}

struct sw_viewport sw_viewport_all(const struct sw_search *search, uint32_t tier) {
    const struct sw_problem *problem = sw_search_problem(search);
    uint32_t steps = sw_problem_steps(problem);
    uint64_t top = sw_layout_arena(sw_search_layout(search), tier);
    if (sw_problem_tier_count(problem) == 1) {
        uint64_t bound = sw_problem_lower_bound(problem);
        const struct sw_decision *last = sw_search_journal(search, sw_search_known(search));
        /* The peak at the end of what is known, so that going back does not change the scale. */
        top = bound > top ? bound : top;
        top = last && last->peak > top ? last->peak : top;
    }
    double hi = (double)top;
    uint64_t capacity = tier < sw_problem_tier_count(problem)
                            ? sw_problem_tier(problem, tier)->capacity
                            : SW_UNBOUNDED;
    if (capacity != SW_UNBOUNDED && (double)capacity <= 1.5 * hi) {
        hi = fmax(hi, (double)capacity);
    }
    return (struct sw_viewport){.time_lo = 0,
                                .time_hi = steps ? steps : 1,
                                .bytes_lo = 0,
                                .bytes_hi = hi > 0 ? hi * 1.04 : 1};
}
