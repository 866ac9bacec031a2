/* What a struct sw_gaps remembers of the layout it was last asked about. Internal to the engine. */
#ifndef SW_LAYOUT_INDEXES_H
#define SW_LAYOUT_INDEXES_H

#include "layout/free/gaps.h"
#include "layout/free/near.h"
#include "layout/free/skyline.h"

struct sw_gap_indexes {
    struct sw_near near;
    struct sw_skyline skyline; /* for sw_gaps_glance */
};
/* Made when they are asked for first; NULL: no memory. */
struct sw_gap_indexes *sw_gaps_indexes(struct sw_gaps *);

#endif
