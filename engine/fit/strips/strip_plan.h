/* Which rows every operator of a region makes in every strip.
 *
 * Rows flow through a region in streams. A stream is the rows of a tensor: one that the region reads, the result of an
 * operator, or one of these with padding around it. A node makes one stream of others: it is an operator, or the
 * padding. A strip wants some rows of the region's result; from there backwards, each node needs rows of its arguments.
 * If the rows of a stream are kept, each is made once: a later strip gets the rows that are there already, and puts its
 * new ones behind them. */
#ifndef SW_FIT_STRIP_PLAN_H
#define SW_FIT_STRIP_PLAN_H

#include "fit/strips/strip_program.h"

struct sw_fit_stream {
    uint32_t buffer;
    uint32_t padded_for; /* the operator that reads it with padding around; SW_NONE: it is the tensor's own rows */
    uint32_t node;       /* the node that makes it; SW_NONE: the tensor is there before the region */
    struct sw_row_range image; /* its rows that are not padding: of a padded stream those above are below 0 */
    uint32_t left, right;      /* columns of padding */
    uint64_t row_bytes;
    bool kept;
};

struct sw_fit_node {
    uint32_t op;
    bool puts_padding;                 /* it puts padding around the argument of `op`; false: it is `op` itself */
    bool padded;                       /* the argument of `op` has padding around it, so `op` does not pad itself */
    uint32_t first_input, input_count; /* streams, in `inputs` */
    uint32_t result;                   /* stream */
};

/* The rows of a stream in one strip. */
struct sw_fit_strip {
    struct sw_row_range
        need; /* from the first to the last row that a reader wants; lo == hi: none, as everywhere here */
    struct sw_row_range kept; /* rows that earlier strips have made, and that this one or a later one needs */
    struct sw_row_range
        fresh; /* rows to be made; they lie right behind those that are kept, or backwards right before them */
    struct sw_strip rows; /* how they are made; where padding is put: `read`, `before` and `after` alone */
};

struct sw_fit_strips {
    SW_ARRAY(struct sw_fit_stream) streams;
    SW_ARRAY(struct sw_fit_node) nodes; /* in the order in which they run */
    SW_ARRAY(uint32_t) inputs;
    SW_ARRAY(struct sw_fit_strip) items; /* of stream t in strip s: [s * streams.count + t] */
    uint32_t axis, strips;
};
/* Plan the region anew; the lists keep their memory. False: the refusal says why, or (op SW_NONE) that memory lacks. */
bool sw_fit_strips_plan(const struct sw_problem *, const struct sw_fit_region *, struct sw_fit_strips *,
                        struct sw_fit_refusal *);
void sw_fit_strips_done(struct sw_fit_strips *);

static inline struct sw_fit_strip *sw_fit_strip_at(const struct sw_fit_strips *strips, uint32_t strip,
                                                   uint32_t stream) {
    return &strips->items.items[(size_t)strip * strips->streams.count + stream];
}
static inline bool sw_fit_no_rows(struct sw_row_range rows) {
    return rows.lo >= rows.hi;
}

#endif
