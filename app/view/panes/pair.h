/* Two buffers: may they share bytes, why not, and do they? One sentence for the matrix of conflicts, for the command
 * `pair` and for whatever else is asked about two buffers. */
#ifndef SW_VIEW_PAIR_H
#define SW_VIEW_PAIR_H

#include "layout/layout.h"

/* Bytes that both occupy in a layout; false: none, or one of them has no place there. Places hold for whole lives or
 * for steps; the first two that meet are told. O(places of a x places of b). */
struct sw_shared_bytes {
    uint32_t tier;
    uint64_t lo, hi;
};
bool sw_pair_shares(const struct sw_layout *, uint32_t a, uint32_t b, struct sw_shared_bytes *);

/* "conflict: conv_a on A and pool_b on B are not ordered by any synchronisation", "may share bytes, for their lives do
 * not meet; here they share 4 B at memory+0". Returns snprintf's length. */
#define SW_PAIR_TEXT 480
int sw_pair_describe(const struct sw_layout *, uint32_t a, uint32_t b, char *text, size_t size);

#endif
