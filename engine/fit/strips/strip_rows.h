/* Which rows an operator reads for some of the rows of its result, when it is computed in strips.
 *
 * A strip is the rows [lo, hi) of a tensor. An operator with a window (struct sw_op_window) that is to make the rows
 * `wanted` of its result reads the rows `read` of its arguments. An operator of a model cannot be told where in an
 * image it is: it takes the strip for the whole image, and pads it above and below by the rule of its kind. There are
 * two ways to get exactly the rows of the whole image nevertheless:
 *
 * - SW_STRIP_PAD: the strip is padded by an operator of its own, by `before` and `after` rows, where the image has
 *   padding, and the operator itself does not pad. Not exact where a mean counts only the elements that are there.
 * - SW_STRIP_DISCARD: the operator pads as it always does (SAME), and makes the rows `made`, of which those that
 *   padding inside of the image has spoilt are thrown away; `wanted` lies within `made`. Exact for every operator.
 *
 * Rows are signed here, as padding lies at negative ones. Everything is O(1) but sw_strip_discard, which is
 * O((reach + stride)^2), where reach is from the first row of a window to its last. */
#ifndef SW_FIT_STRIP_ROWS_H
#define SW_FIT_STRIP_ROWS_H

#include "problem/problem.h"

struct sw_row_range {
    int64_t lo, hi; /* [lo, hi) */
};

/* One axis of a window: rows. */
struct sw_row_window {
    int64_t kernel, stride, dilation, before, after;
    int64_t in, out; /* rows of the arguments and of the result, of the whole image */
};
struct sw_row_window sw_row_window_of(const struct sw_op_window *, uint64_t in, uint64_t out);

/* Does SAME pad an image of `in` rows as the window says, and make as many rows of it? */
bool sw_window_is_same(const struct sw_row_window *);

struct sw_strip {
    struct sw_row_range wanted, made, read;
    int64_t before,
        after; /* rows of padding that are added to `read` by an operator of their own; 0 when rows are discarded */
};
/* `wanted` is not empty and lies within the result. False: all it is made of is padding. */
bool sw_strip_pad(const struct sw_row_window *, struct sw_row_range wanted, struct sw_strip *);
/* The fewest rows that have the wanted windows whole, but for what of them lies outside of the image. False: there is
 * no such strip, the window is not SAME's, or it reaches over more than 512 rows. */
bool sw_strip_discard(const struct sw_row_window *, struct sw_row_range wanted, struct sw_strip *);

#endif
