/* Names to numbers, for names that come one by one and stay where they are. */
#ifndef SW_FORMATS_TRACE_NAMES_H
#define SW_FORMATS_TRACE_NAMES_H

#include "stowage_runs.h"

struct sw_trace_names { /* zero it to start with */
    struct sw_trace_named {
        const char *name; /* NULL: empty */
        uint32_t number, hash;
    } * slots;
    size_t size, count;
};
/* SW_NONE: there is no such name. O(1). */
uint32_t sw_trace_names_find(const struct sw_trace_names *, const char *name);
/* Give a name, which is borrowed, a number, in place of the one that it has. False: no memory. */
bool sw_trace_names_set(struct sw_trace_names *, const char *name, uint32_t number);
void sw_trace_names_done(struct sw_trace_names *);

#endif
