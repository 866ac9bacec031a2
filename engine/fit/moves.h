/* Moves beside strips that make a model need less: another order of its operators, results written over arguments,
 * operators that run again.
 *
 * The order comes first, then operators that run again. The model with these is a *base*; regions of it are then cut
 * into strips. In its program results may lie over arguments that die there, where the graph says that the kernel
 * allows it. */
#ifndef SW_FIT_MOVES_H
#define SW_FIT_MOVES_H

#include "fit/cuts/cuts.h"
#include "layout/layout.h"

enum sw_fit_move_kind {
    SW_FIT_STRIPS,
    SW_FIT_ORDER,
    SW_FIT_INPLACE,
    SW_FIT_RECOMPUTE,
    SW_FIT_SPILL,
    SW_FIT_MOVE_KINDS
};
#define SW_FIT_MAY(kind) (1U << (kind)) /* of a set of kinds */
/* "strips", "order", "inplace", "recompute", "spill" */
const char *sw_fit_move_name(enum sw_fit_move_kind);

/* What a move changes, given the moves before it in the list. Below 0: less. */
struct sw_fit_effect {
    int64_t head, arena, tail; /* as planned; tail: what is not head */
    int64_t macs, flash;       /* flash: bytes of the file */
    int64_t moved;             /* bytes moved to and from another tier */
    int64_t operators;
};
/* One change. */
struct sw_fit_move {
    enum sw_fit_move_kind kind;
    struct sw_fit_region region; /* strips: operators of the base */
    uint32_t op;     /* recompute: the operator of the base that runs again; in place: that of the program's problem */
    uint32_t buffer; /* recompute: the base's buffer that it makes; in place: the result; spill: it; the last two of the
                        program's problem */
    uint32_t other;  /* recompute: the base's buffer that is made again; in place: the argument; spill: the step after
                        which the buffer is elsewhere */
    uint32_t moved;  /* order: the fewest operators that must be moved to get it */
    struct sw_fit_effect effect;
};

/* A model before it is cut. */
struct sw_fit_base {
    struct sw_problem *problem; /* a reference */
    uint32_t *operators;        /* of each of its operators: which one of the model it is, or runs again */
    uint32_t *buffers;          /* of each of its buffers: which one of the model it is, or holds again */
    uint32_t operator_count, buffer_count;
    bool plain;                         /* it is the model itself, with results over arguments or without */
    struct sw_fit_more more;            /* by how much it is larger than the model */
    SW_ARRAY(struct sw_fit_move) moves; /* order, recompute */
};
/* The base that is the model itself. Zero it first; it is the caller's (sw_fit_base_done), also after a failure. False:
 * the error says why. */
bool sw_fit_base_of(const struct sw_problem *model, struct sw_fit_base *, struct sw_error *);
void sw_fit_base_done(struct sw_fit_base *);
/* The same with results written over arguments where the graph allows it. `gains` false: it has none of these, or has
 * them already; nothing is made. */
bool sw_fit_base_in_place(const struct sw_fit_base *, struct sw_fit_base *, bool *gains, struct sw_error *);
/* The base in another order, with less alive at once. `gains` false: none was found. O(the search's budget) */
bool sw_fit_base_in_order(const struct sw_fit_base *, struct sw_fit_base *, bool *gains, struct sw_error *);
/* The base with an operator that runs again: `buffer` waits at a step, and is made again before its next use. `gains`
 * false: that is not possible. */
bool sw_fit_base_again(const struct sw_fit_base *, uint32_t buffer, uint32_t step, struct sw_fit_base *, bool *gains,
                       struct sw_error *);

/* Is the buffer of the base one that is made again? Is the operator one that runs again? */
bool sw_fit_is_again(const struct sw_fit_base *, uint32_t buffer);
bool sw_fit_runs_again(const struct sw_fit_base *, uint32_t op);

/* The pairs of a result and an argument of a plan that share bytes by a permit, as moves. False: no memory. */
struct sw_fit_moves {
    SW_ARRAY(struct sw_fit_move) items;
};
bool sw_fit_find_overwritten(const struct sw_layout *, struct sw_fit_moves *);

#endif
