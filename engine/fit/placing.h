/* Placing the buffers of a model in strips, region by region.
 *
 * In a region a tensor dies row by row while another one grows row by row: the second lies best a little below the first. Then the region
 * behind it wants the second's place to suit it, too, and so on along the model: an order of all buffers that serves all regions at once
 * is hard to come by. Within a region there are few buffers, though. So they are placed region after region; of each region many orders
 * are tried, from the bottom and from the top, and several layouts are kept that differ in where what lives on lies (a beam search). */
#ifndef SW_FIT_PLACING_H
#define SW_FIT_PLACING_H

#include "layout/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A layout of a problem of one tier and one core that ends at or below `limit`. `begins` are steps, ascending: a buffer that is born at one of
 * them or behind it belongs to that part. `offsets` has room for one a buffer, and is filled where the answer is true; `memory` becomes
 * false when there was not enough. `work` is what may be spent, in buffers that are looked at; it falls, and at 0 the answer is false.
 * Deterministic for a seed and a budget. */
bool sw_fit_place(const struct sw_problem *, const uint32_t *begins, size_t count, uint64_t limit, uint64_t seed, uint64_t *work, uint64_t *offsets,
                  bool *memory);

#ifdef __cplusplus
}
#endif

#endif
