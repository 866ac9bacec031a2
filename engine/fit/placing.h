/* Placing the buffers of a model in strips, region by region.
 *
 * In a region one tensor dies row by row while another one grows row by row: the second lies best a little below the
 * first. The next region reads that tensor, and wants it at a place that suits it, too, and so on along the model. An
 * order of all buffers that serves all regions is hard to find, but within a region there are few buffers. So buffers
 * are placed region after region. In each region many orders are tried, from the bottom and from the top, and several
 * layouts are kept that differ in the places of the buffers that live on (a beam search). */
#ifndef SW_FIT_PLACING_H
#define SW_FIT_PLACING_H

#include "layout/layout.h"

/* Find a layout that ends at or below `limit`, of a problem of one tier and one core. `begins` are steps, ascending: a
 * part is the buffers that are born from one of them to the next. `offsets` has room for one a buffer, and is filled
 * when a layout was found. `memory` becomes false when memory lacks. `work` is what may be spent, in buffers that are
 * looked at; it falls, and at 0 the answer is false. Deterministic for a seed and a budget. */
bool sw_fit_place(const struct sw_problem *, const uint32_t *begins, size_t count, uint64_t limit, uint64_t seed,
                  uint64_t *work, uint64_t *offsets, bool *memory);

#endif
