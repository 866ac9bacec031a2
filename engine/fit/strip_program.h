/* What runs in a model's place once regions of it are computed in strips of rows.
 *
 * A region is a run of operators [first, last] of the model, of which one tensor alone is used outside: the last one's result. It is
 * cut into strips: each computes some rows of that result, one strip after the other, from slices of what the region reads.
 *
 * A program is the model's operators, those of regions replaced by calls: operators on strips, slices of rows, rows of padding, and
 * the join of the strips. A value is what a call reads or makes: a tensor of the model, or some rows of one. A value may lie
 * within the bytes of another one. A slice of a tensor that lies in its place within that tensor is no copy, as its rows lie one behind
 * the other in memory; nor is a join of strips that lie in their places within the whole.
 *
 * Rows are the dimension `axis` of windows (struct sw_op_window), and what comes before that dimension must be of length 1, so that
 * rows lie one behind the other. Sizes and offsets are bytes. The method is that of patch-based inference (Lin et al., MCUNetV2, 2021),
 * unrolled into operators that a runtime has already. */
#ifndef SW_FIT_STRIP_PROGRAM_H
#define SW_FIT_STRIP_PROGRAM_H

#include "base/mem.h"
#include "fit/strip_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

enum sw_fit_way { SW_FIT_DISCARD, SW_FIT_PAD }; /* how windows that pad stay right: see strip_rows.h */

/* One region, and how it is cut. Strips make shares of the rows that are as equal as they can be, and begin where a whole number of
 * alignments lies before them, if there are enough such rows. */
struct sw_fit_region {
    uint32_t first, last; /* operators of the model */
    uint32_t strips;      /* 2 to rows */
    enum sw_fit_way way;
};

bool sw_fit_same_region(const struct sw_fit_region *, const struct sw_fit_region *);
/* "conv_1 to dw_3 in 6 strips, discarding": as snprintf. Long names are shortened. */
enum { SW_FIT_REGION_TEXT = 160 };
int sw_fit_region_text(const struct sw_problem *, const struct sw_fit_region *, char *text, size_t size);

enum sw_fit_act {
    SW_FIT_AS_IS, /* operator `op`, as it is */
    SW_FIT_RUN,   /* operator `op` on rows */
    SW_FIT_SLICE, /* rows of its only input */
    SW_FIT_PADDED, /* its only input with rows and columns of padding around: zero, as the tensor's element type and scale have it */
    SW_FIT_JOIN   /* its inputs, one behind the other along the rows */
};

/* A tensor, or rows of one. */
struct sw_fit_value {
    uint32_t buffer;      /* the tensor of the model that it is, or has rows of */
    struct sw_row_range rows; /* which rows; rows of padding above the first are below 0 */
    uint32_t left, right; /* columns of padding at either side */
    bool whole;           /* it is that tensor, under its own name */
    uint64_t size;
    uint32_t within;      /* it lies in the bytes of that value; SW_NONE: it has its own */
    uint64_t at;          /* where in them; a multiple of the alignment */
    uint32_t made_by;     /* the call that makes it; SW_NONE: it is there before the first, an input of the model */
};

struct sw_fit_call {
    enum sw_fit_act act;
    uint32_t op;          /* of the model; of SLICE, PADDED and JOIN the one for which they are */
    uint32_t region, strip; /* strip counts from 0; SW_NONE: outside of regions */
    uint32_t first_input, input_count; /* in `inputs`: of RUN one for each of the operator's own, in their order; none of AS_IS */
    uint32_t output;      /* value; SW_NONE of AS_IS */
    bool same;            /* RUN: its own padding stays as it is, SAME or none; false: it ran with SAME, and does not pad now */
    uint32_t above, below, left, right; /* PADDED, and RUN of an operator that only pads: rows and columns that are added */
    uint64_t macs;
};

struct sw_fit_program {
    const struct sw_problem *problem; /* borrowed */
    SW_ARRAY(struct sw_fit_call) calls;
    SW_ARRAY(struct sw_fit_value) values;
    SW_ARRAY(uint32_t) inputs;  /* values */
    const struct sw_fit_region *regions; /* borrowed; ascending, apart from one another */
    size_t region_count;
};

/* Why a region cannot be cut: a sentence about one operator. */
struct sw_fit_refusal {
    uint32_t op;
    char reason[160];
};
/* May the operators [first, last] be a region? O(arguments) */
bool sw_fit_is_region(const struct sw_problem *, uint32_t first, uint32_t last, struct sw_fit_refusal *);
/* Rows of the tensor that the region's strips are of. */
uint64_t sw_fit_region_rows(const struct sw_problem *, uint32_t last);

/* The program of a model with some of its regions cut; none is allowed, too. Zero it first; it is the caller's, and to be freed
 * with sw_fit_program_done whatever comes out. The problem and the regions must outlive it. False: the refusal says which region cannot
 * be cut so, or (op SW_NONE) that memory lacks. O(calls x arguments) */
bool sw_fit_program_make(const struct sw_problem *, const struct sw_fit_region *, size_t count, struct sw_fit_program *, struct sw_fit_refusal *);
void sw_fit_program_done(struct sw_fit_program *);

/* Bytes that an interpreter keeps for a call: of the operator as it is, when a program does not change it. Measured on TensorFlow Lite
 * Micro, 32 bits; 0 where a model tells nothing of what lies outside of its plan. */
uint64_t sw_fit_tail_of(const struct sw_fit_program *, const struct sw_fit_call *);
/* By how much the tail of a program is larger than the model's. O(calls) */
uint64_t sw_fit_more_tail(const struct sw_fit_program *);

/* "conv_1/strip 2 of 6", "x/rows 4..9": unique in the model. As snprintf. */
int sw_fit_call_name(const struct sw_fit_program *, uint32_t call, char *text, size_t size);
int sw_fit_value_name(const struct sw_fit_program *, uint32_t value, char *text, size_t size);

/* The program as a problem of its own: each call an operator, each value with bytes of its own a buffer, values that lie within others
 * members of them; what of a tensor is not needed any more is free for others from then on, row by row. Time step i is call i.
 * NULL: the error says why. */
struct sw_problem *sw_fit_program_problem(const struct sw_fit_program *, struct sw_error *);

#ifdef __cplusplus
}
#endif

#endif
