/* What differs between two layouts of the same buffers, matched by number: of two planners, or of a run
 * and its what-if. */
#ifndef SW_LAYOUT_DIFFERENCE_H
#define SW_LAYOUT_DIFFERENCE_H

#include "layout/layout.h"

SW_C_BEGIN

enum sw_difference {
    SW_DIFFERENCE_NONE,  /* placed in neither */
    SW_DIFFERENCE_SAME,  /* the same places over its whole life */
    SW_DIFFERENCE_MOVED, /* another tier, offset, size or lifetime, or split otherwise */
    SW_DIFFERENCE_HERE,  /* placed in the first only */
    SW_DIFFERENCE_THERE  /* placed in the second only */
};
enum sw_difference sw_layout_difference(const struct sw_layout *, const struct sw_layout *against, uint32_t buffer);
/* Has a buffer another tier or offset at any time, whatever its size and lifetime are in the two layouts? */
bool sw_layout_lies_elsewhere(const struct sw_layout *, const struct sw_layout *against, uint32_t buffer);

struct sw_differences {
    uint64_t same, moved, here, there;
};
/* O(buffers). */
void sw_layout_differences(const struct sw_layout *, const struct sw_layout *against, struct sw_differences *);

SW_C_END

#endif
