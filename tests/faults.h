/* The check in a test: there is always memory for it. */
#ifndef SW_TESTS_FAULTS_H
#define SW_TESTS_FAULTS_H

#include "stowage.h"

#include <stdlib.h>

/* How many faults the layout has; `report` (may be NULL) hears of each. */
static inline size_t sw_fault_count(const struct sw_layout *layout, void (*report)(void *, const struct sw_fault *),
                                    void *context) {
    size_t faults = 0;
    if (!sw_layout_check(layout, &faults, report, context)) {
        abort();
    }
    return faults;
}

/* The same where operators are taken to write over what they read; `tell` hears of each such overlap. */
static inline size_t sw_fault_count_assuming(const struct sw_layout *layout,
                                             void (*tell)(void *, const struct sw_permit *),
                                             void (*report)(void *, const struct sw_fault *), void *context) {
    size_t faults = 0;
    if (!sw_layout_check_assuming(layout, &faults, tell, report, context)) {
        abort();
    }
    return faults;
}

/* The same as the planner of the run assumes. */
static inline size_t sw_search_faults(const struct sw_search *search, void (*tell)(void *, const struct sw_permit *),
                                      void (*report)(void *, const struct sw_fault *), void *context) {
    size_t faults = 0;
    if (!sw_search_check(search, &faults, tell, report, context)) {
        abort();
    }
    return faults;
}

/* The reason of a decision in full; good until the next call. */
static inline const char *reason_of(const struct sw_decision *decision) {
    static char text[SW_REASON];
    return sw_decision_reason(decision, text);
}

#endif
