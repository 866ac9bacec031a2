/* What runs in a model's place once regions of it are computed in strips of rows.
 *
 * A region is a run of operators [first, last] of the model, of which one tensor alone is used outside: the last one's
 * result. It is cut into strips: each computes some rows of that result, one strip after the other, from slices of what
 * the region reads.
 *
 * A program is the model's operators, those of regions replaced by calls: operators on strips, slices of rows, rows of
 * padding, and the join of the strips. A value is what a call reads or makes: a tensor of the model, or some rows of
 * one. A value may lie within the bytes of another one. A slice of a tensor that lies in its place within that tensor
 * is no copy, as its rows lie one behind the other in memory; nor is a join of strips that lie in their places within
 * the whole.
 *
 * In a loop the strips in the middle are alike: each is as many rows further down as the one before. Their calls stand
 * in the program once and run several times (rounds). The tensors that they read from outside of the region, and the
 * region's result, go from round to round as they are.
 *
 * Rows are the dimension `axis` of windows (struct sw_op_window). Where what comes before that dimension is not of
 * length 1, rows do not lie one behind the other: slices and strips are copies then, with bytes of their own, as they
 * are for a runtime that knows copies alone. Sizes and offsets are bytes. The method is that of patch-based inference
 * (Lin et al., MCUNetV2, 2021), unrolled into operators that a runtime has already. */
#ifndef SW_FIT_STRIP_PROGRAM_H
#define SW_FIT_STRIP_PROGRAM_H

#include "base/mem.h"
#include "fit/strips/strip_rows.h"

enum { SW_FIT_ENDS = 23 };
/* One region, and how it is cut. Strips make shares of the rows that are as equal as they can be, and begin where a
 * whole number of alignments lies before them, if there are enough such rows; or each but the last ends before a row of
 * `ends`. They are made from the first rows to the last: what the region reads then dies row by row behind its result,
 * which best lies a little below it. Backwards the result best lies a little above it, so that of regions one behind
 * the other each can lie where the one before it has left room.
 *
 * A strip needs rows that the one before it needed, too, where windows overlap. They are computed once more; or, of
 * operator `first` + i when bit i of `kept` is set, they are kept, and put beside the new ones.
 *
 * How the window of an operator that pads stays right (strip_rows.h): it is given more rows than needed, and the rows
 * that its padding has spoilt are sliced off; or, of operator `first` + i when bit i of `padded` is set, an operator
 * before it pads, and it does not. */
struct sw_fit_region {
    uint32_t first, last; /* operators of the model */
    uint32_t strips;      /* 2 to rows */
    uint64_t padded;      /* operators from the 64th on discard */
    uint64_t kept;        /* operators from the 64th on keep nothing, nor does the last */
    bool backwards;
    uint16_t ends[SW_FIT_ENDS]; /* ends[0] is 0: equal shares; else there are at most SW_FIT_ENDS + 1 strips */
    bool loop;                  /* the strips in the middle are one that runs several times; forwards alone */
    uint32_t lead,
        rows; /* of a loop: the first strip makes `lead` rows, the others `rows`, and the last what is left */
};
#define SW_FIT_KEEP_ALL UINT64_MAX
#define SW_FIT_PAD_ALL UINT64_MAX

bool sw_fit_same_region(const struct sw_fit_region *, const struct sw_fit_region *);
/* "conv_1 to dw_3 in 6 strips, discarding": as snprintf. Long names are shortened. */
enum { SW_FIT_REGION_TEXT = 160 };
int sw_fit_region_text(const struct sw_problem *, const struct sw_fit_region *, char *text, size_t size);

enum sw_fit_act {
    SW_FIT_AS_IS,  /* operator `op`, as it is */
    SW_FIT_RUN,    /* operator `op` on rows */
    SW_FIT_SLICE,  /* rows of its only input */
    SW_FIT_PADDED, /* its only input with rows and columns of padding around */
    SW_FIT_JOIN, /* its inputs, one behind the other along the rows: the region's strips, or rows that were kept and new
                    ones */
    SW_FIT_GROW, /* its only input, the first rows of a tensor, with room behind them for the others */
    SW_FIT_LOOP, /* the calls behind it, up to the NEXT, run several times. Its inputs are the tensor with room, the
                  * tensors that rounds read from outside, and the values that one round hands to the next */
    SW_FIT_UPDATE, /* its first input, a tensor with room, with the rows of the second one in their place */
    SW_FIT_NEXT    /* counts a round. Its inputs are those of LOOP, as the round leaves them, and the counters that LOOP
                      makes */
};

/* The counters of a loop, one behind the other: four copies, as the loop's result, in its test, in its body, and for
 * the next round, of 16 bytes for each begin; then the number that is tested, and the result of the test; then, if
 * there are several begins, each by itself. */
enum { SW_FIT_COUNTER = 16, SW_FIT_COUNTER_COPIES = 4, SW_FIT_MOST_BEGINS = 16 };

/* A tensor, or rows of one. */
struct sw_fit_value {
    uint32_t buffer; /* the tensor of the model that it is, or has rows of; SW_NONE: the counters of a loop */
    struct sw_row_range
        rows;             /* which rows; rows of padding above the first are below 0. In a loop: in the first round */
    uint32_t padded_for;  /* the operator for which padding was put around it; SW_NONE: none was */
    uint32_t left, right; /* columns of padding at either side */
    bool whole;           /* it is that tensor, under its own name */
    uint64_t size;
    uint32_t within;  /* it lies in the bytes of that value; SW_NONE: it has its own */
    uint64_t at;      /* where in them; a multiple of the alignment */
    uint32_t made_by; /* the call that makes it; SW_NONE: it is there before the first, an input of the model */
};

struct sw_fit_call {
    enum sw_fit_act act;
    uint32_t op;            /* of the model; of SLICE, PADDED and other new calls the operator that they serve */
    uint32_t region, strip; /* strip counts from 0; SW_NONE: outside of regions */
    uint32_t first_input,
        input_count; /* in `inputs`: of RUN one for each of the operator's own, in their order; none of AS_IS */
    uint32_t output; /* value; SW_NONE of AS_IS and NEXT */
    bool keeps;      /* SLICE: of rows that a later strip needs */
    bool same;  /* RUN: its own padding stays as it is, SAME or none; false: it ran with SAME, and does not pad now */
    bool least; /* PADDED: with the least number of the element type; false: with zero, as the type and the scale have
                   it */
    uint32_t above, below, left,
        right; /* PADDED, and RUN of an operator that only pads or is told how much it pads: rows and columns of it */
    uint32_t rounds; /* in a loop: how many times it runs; 0: outside of loops */
    int64_t step;   /* SLICE and UPDATE in a loop: how many rows further down they begin in each round; 0: always at the
                       same row */
    uint32_t begin; /* with a step: which of the loop's counters says at which row */
    uint32_t begins; /* LOOP: how many there are, 4 numbers each */
    uint64_t macs;   /* of all rounds */
};

struct sw_fit_program {
    const struct sw_problem *problem; /* borrowed */
    SW_ARRAY(struct sw_fit_call) calls;
    SW_ARRAY(struct sw_fit_value) values;
    SW_ARRAY(uint32_t) inputs;           /* values */
    const struct sw_fit_region *regions; /* borrowed; ascending, apart from one another */
    size_t region_count;
    const struct sw_fit_base
        *base; /* borrowed: what the problem is of the model (fit/moves.h); NULL: it is the model */
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

/* The program of a model with some of its regions cut; none is allowed, too. Zero it first; it is the caller's, and to
 * be freed with sw_fit_program_done whatever comes out. The problem and the regions must outlive it. False: the refusal
 * says which region cannot be cut so, or (op SW_NONE) that memory lacks. O(calls x arguments) */
bool sw_fit_program_make(const struct sw_problem *, const struct sw_fit_region *, size_t count, struct sw_fit_program *,
                         struct sw_fit_refusal *);
void sw_fit_program_done(struct sw_fit_program *);

/* Bytes that an interpreter keeps for a call, beside its constants: of the operator as it is, when a program does not
 * change it. Measured on TensorFlow Lite Micro, 32 bits; 0 where a model tells nothing of what lies outside of its
 * plan. */
uint64_t sw_fit_tail_of(const struct sw_fit_program *, const struct sw_fit_call *);
/* Constants that a call brings with it, each of SW_FIT_CONSTANT bytes of the tail. Calls share those that are equal;
 * here each call counts its own. */
enum { SW_FIT_CONSTANT = 12 };
uint64_t sw_fit_constants(const struct sw_fit_call *);
/* By how much the tail of a program is larger than the model's; `*shared`: at most so much of that is saved by calls
 * that share constants. O(calls) */
uint64_t sw_fit_more_tail(const struct sw_fit_program *, uint64_t *shared);

/* How many operators a runtime has for the program: a loop takes more than its calls. O(calls) */
uint32_t sw_fit_operators(const struct sw_fit_program *);
uint32_t sw_fit_operators_of(const struct sw_fit_call *);

/* Operators that the calls of a program are written as, and that the model need not have. A loop is written as several.
 */
enum sw_fit_need {
    SW_FIT_NEEDS_SLICE = 1,
    SW_FIT_NEEDS_CONCATENATION = 2,
    SW_FIT_NEEDS_PAD = 4,
    SW_FIT_NEEDS_PADV2 = 8,
    SW_FIT_NEEDS_WHILE = 16,
    SW_FIT_NEEDS_LESS = 32,
    SW_FIT_NEEDS_ADD = 64,
    SW_FIT_NEEDS_UPDATE = 128
};
unsigned sw_fit_needs(const struct sw_fit_program *); /* a set of them. O(calls) */

/* By how much the file is larger than the model's: new operators, tensors, their names, and subgraphs. An estimate, of
 * how .tflite files are written. O(calls) */
uint64_t sw_fit_more_flash(const struct sw_fit_program *);

/* In a loop: the row at which a SLICE begins in its argument, or an UPDATE in its result, in the first round. O(1) */
int64_t sw_fit_begins_at(const struct sw_fit_program *, const struct sw_fit_call *);

/* "conv_1/strip 2 of 6", "conv_1/loop of 4", "x/rows 4..9": unique in the model. As snprintf. */
int sw_fit_call_name(const struct sw_fit_program *, uint32_t call, char *text, size_t size);
int sw_fit_value_name(const struct sw_fit_program *, uint32_t value, char *text, size_t size);

/* The program as a problem of its own: each call an operator, each value with bytes of its own a buffer, values that
 * lie within others members of them; what of a tensor is not needed any more is free for others from then on, row by
 * row. Time step i is call i. NULL: the error says why. */
struct sw_problem *sw_fit_program_problem(const struct sw_fit_program *, struct sw_error *);

#endif
