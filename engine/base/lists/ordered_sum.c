/* See ordered_sum.h. */
#include "base/lists/ordered_sum.h"
#include "base/minmax.h"

#include <limits.h>
#include <math.h>

static size_t runs_of(const struct sw_ordered_sum *sum) {
    return (sum->count + SW_SUM_RUN - 1) / SW_SUM_RUN;
}

static size_t sum_groups_of(const struct sw_ordered_sum *sum) {
    return (runs_of(sum) + SW_SUM_GROUP - 1) / SW_SUM_GROUP;
}

bool sw_ordered_sum_init(struct sw_ordered_sum *sum, size_t count) {
    *sum = (struct sw_ordered_sum){.count = count};
    sum->numbers = SW_NEW_ZERO(double, count);
    sum->runs = SW_NEW_ZERO(struct sw_sum_run, runs_of(sum));
    sum->groups = SW_NEW_ZERO(struct sw_sum_run, sum_groups_of(sum));
    if (!sum->numbers || !sum->runs || !sum->groups) {
        sw_ordered_sum_done(sum);
        return false;
    }
    return true;
}

void sw_ordered_sum_done(struct sw_ordered_sum *sum) {
    if (sum->numbers) {
        SW_FREE(sum->numbers, sum->count);
    }
    if (sum->runs) {
        SW_FREE(sum->runs, runs_of(sum));
    }
    if (sum->groups) {
        SW_FREE(sum->groups, sum_groups_of(sum));
    }
    *sum = (struct sw_ordered_sum){0};
}

void sw_ordered_sum_set(struct sw_ordered_sum *sum, size_t index, double number) {
    if (sum->numbers[index] != number) {
        sum->numbers[index] = number;
        sum->runs[index / SW_SUM_RUN].known = false;
        sum->groups[index / SW_SUM_RUN / SW_SUM_GROUP].known = false;
    }
}

/* One number after the other; and if the sum stays within its power of two, and no number lies halfway, remember. */
static double add_run(struct sw_ordered_sum *sum, size_t which, double from) {
    struct sw_sum_run *run = &sum->runs[which];
    size_t end = SW_MIN((which + 1) * SW_SUM_RUN, sum->count);
    double total = from, half = 0;
    if (from > 0 && isfinite(from)) {
        run->scale = ilogb(from);
        half = ldexp(1, run->scale - 53);
    }
    run->known = half > 0;
    for (size_t i = which * SW_SUM_RUN; i < end; i++) {
        double number = sum->numbers[i], next = total + number;
        run->known = run->known && number >= 0 && number <= total && fabs(number - (next - total)) != half;
        total = next;
    }
    run->known = run->known && ilogb(total) == run->scale;
    run->rise = total - from;
    return total;
}

/* What is remembered holds from here, and leads to `next`. */
static bool holds_from(const struct sw_sum_run *run, double total, int scale, double *next) {
    *next = total + run->rise;
    return run->known && run->scale == scale && *next < ldexp(2, scale);
}

static int scale_of(double total) {
    return total > 0 && isfinite(total) ? ilogb(total) : INT_MIN; /* nothing is remembered with that */
}

static double add_group(struct sw_ordered_sum *sum, size_t which, double from) {
    struct sw_sum_run *group = &sum->groups[which];
    size_t end = SW_MIN((which + 1) * SW_SUM_GROUP, runs_of(sum));
    double total = from, next;
    group->scale = scale_of(from);
    group->known = group->scale != INT_MIN;
    for (size_t i = which * SW_SUM_GROUP; i < end; i++) {
        if (!holds_from(&sum->runs[i], total, scale_of(total), &next)) {
            next = add_run(sum, i, total);
        }
        group->known = group->known && sum->runs[i].known && sum->runs[i].scale == group->scale;
        total = next;
    }
    group->known = group->known && scale_of(total) == group->scale;
    group->rise = total - from;
    return total;
}

double sw_ordered_sum_total(struct sw_ordered_sum *sum) {
    double total = 0, next;
    for (size_t i = 0; i < sum_groups_of(sum); i++) {
        total = holds_from(&sum->groups[i], total, scale_of(total), &next) ? next : add_group(sum, i, total);
    }
    return total;
}
