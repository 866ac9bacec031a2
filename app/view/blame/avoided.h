/* Which settings of an online allocator would have reserved less: each tried alone, with all requests of the run. */
#ifndef SW_VIEW_AVOIDED_H
#define SW_VIEW_AVOIDED_H

#include "stowage_runs.h"

enum { SW_AVOIDED_BEST = 4 };

struct sw_avoided_try {
    char text[80]; /* "expandable_segments:True" */
    uint64_t reserved, refused, grown;
};
struct sw_avoided {
    bool none;       /* of this planner no settings are known that are worth trying */
    bool too_large;  /* for trying in between: nothing was tried */
    bool partial;    /* the file leaves requests out: what other settings would reserve for all is not known */
    bool from_empty; /* the run itself begins with a heap that was rebuilt; what is tried begins with an empty one */
    uint64_t requests;
    struct sw_avoided_try usual;                 /* the settings of the run */
    struct sw_avoided_try best[SW_AVOIDED_BEST]; /* of those that help, the least reserved first */
    size_t count, helping; /* those in `best`; and all: none is refused, and, where none was, less is reserved */
    size_t tried, left_out;
};

/* Of the run's planner, settings and problem; where the run stands does not matter. As many settings are tried as a
 * screen may take, by the number of requests alone: the same run is always told the same. False: no memory. */
bool sw_avoided_of(const struct sw_search *, struct sw_avoided *);

#endif
