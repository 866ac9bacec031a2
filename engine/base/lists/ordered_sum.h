/* The sum of a row of numbers, taken from the first to the last, to the last bit, while some of them change.
 *
 * Floating-point sums depend on the order of what is added, and so a sum that is kept by adding differences is another
 * number in the end. Here the row is cut into runs, and runs are taken together in groups. As long as the sum stays
 * within one power of two, a run raises it by an amount that does not depend on where it begins: the sum is a multiple
 * of its last bit, so each number is rounded in the same way, unless it lies halfway. Such amounts are remembered; a
 * run where that does not hold is added up number by number. A change costs its run and its group, a sum one step per
 * group. */
#ifndef SW_BASE_ORDERED_SUM_H
#define SW_BASE_ORDERED_SUM_H

#include "base/mem.h"

enum { SW_SUM_RUN = 128, SW_SUM_GROUP = 64 }; /* numbers in a run, runs in a group */

struct sw_sum_run {
    double rise;
    int scale; /* the power of two of the sum at its beginning */
    bool known;
};
struct sw_ordered_sum {
    double *numbers;
    struct sw_sum_run *runs, *groups;
    size_t count;
};

/* All zero. False: no memory. */
bool sw_ordered_sum_init(struct sw_ordered_sum *, size_t count);
void sw_ordered_sum_done(struct sw_ordered_sum *);
void sw_ordered_sum_set(struct sw_ordered_sum *, size_t index, double);
double sw_ordered_sum_total(struct sw_ordered_sum *);

#endif
