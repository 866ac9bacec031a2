/* What a run of the planner fit has found, and the models of its front in their order: for files outside of this
 * folder. */
#ifndef SW_VIEW_FIT_FRONT_H
#define SW_VIEW_FIT_FRONT_H

#include "fit/find_fit.h"
#include "view/view.h"

/* What a run of the planner fit has found. False: it is a run of another planner, or has found nothing yet. */
bool sw_fit_sight_of(const struct sw_search *, struct sw_fit_sight *);
/* The models of the front by bytes, the fewest first; the model as it is last. While the search is under way, the
 * result has models that another one beats in bytes and in multiply-adds; these are left out. Zero it first; it is the
 * caller's (SW_ARRAY_DONE). False: no memory. O(models^2) */
struct sw_fit_order {
    size_t *items; /* numbers in result->models */
    size_t count, capacity;
};
bool sw_fit_order_find(const struct sw_fit_result *, struct sw_fit_order *);
/* The number of the model that needs least. */
size_t sw_fit_least(const struct sw_fit_result *);

/* "in 6 strips, padded, keeping rows": how a region is cut. As snprintf; SW_FIT_HOW bytes are enough. */
enum { SW_FIT_HOW = 80 };
int sw_fit_region_how(const struct sw_fit_region *, char *text, size_t size);
/* "whichever of the 12 cuts that were looked at are taken together, in each of 3 schedules": it follows a sentence like
 * "no less than 41,984 B". A schedule is an order of the operators, in which some may run again. As snprintf;
 * SW_FIT_LOOKED_AT bytes are enough. */
enum { SW_FIT_LOOKED_AT = 160 };
int sw_fit_looked_at(const struct sw_fit_result *, char *text, size_t size);

#endif
