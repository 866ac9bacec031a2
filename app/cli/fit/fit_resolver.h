/* --resolver: the operators that an application has, and those that a changed model needs. */
#ifndef SW_CLI_FIT_RESOLVER_H
#define SW_CLI_FIT_RESOLVER_H

#include "fit/find_fit.h"

/* Which operators (SW_FIT_NEEDS) are neither in the list nor in the model. False: a name of the list is no operator's.
 */
bool fit_resolver_lacking(const char *list, const struct sw_problem *, unsigned *lacking, struct sw_error *);
/* "SLICE, CONCATENATION": these operators, without those that the model has itself. As snprintf. */
int fit_resolver_names(const struct sw_problem *, unsigned needs, char *text, size_t room);

#endif
