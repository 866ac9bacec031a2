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

#endif
