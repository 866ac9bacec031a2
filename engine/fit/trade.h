/* What cutting each region of a changed model costs and saves, as figures; and which rows are alive when.
 *
 * Regions are taken in turn, the one with the most live bytes first: until it is cut, no other cut lowers the most
 * bytes that are alive. So the savings of all regions add up to the difference between the model as it is and the
 * changed one. */
#ifndef SW_FIT_TRADE_H
#define SW_FIT_TRADE_H

#include "fit/strips/strip_program.h"

struct sw_fit_trade {
    uint32_t region;            /* of the program's regions */
    uint64_t rows, again;       /* rows of its operators' results, and how many of them more than one strip computes */
    uint32_t times;             /* how often a row is computed at most */
    uint64_t macs_before, macs; /* multiply-adds of its operators as they are, and of its calls */
    uint64_t model_macs;        /* of the whole model as it is */
    uint64_t live_before, live; /* the most bytes alive at one of its steps as the model is, and at one of its calls */
    uint64_t bound_before,
        bound;      /* the most bytes alive at any step, before the region is taken in its turn, and after */
    uint64_t tail;  /* bytes of the interpreter's structures that it adds */
    uint32_t calls; /* operators that it adds */
    bool planned;   /* the caller has planned both models, and filled in: */
    uint64_t head_before, head; /* bytes of the plan before the region is taken, and after */
};
/* One for each region of the program, in the order in which they are taken: `trades` has room for program->region_count
 * of them. False: no memory. O(calls + rows), beside the lives of bytes */
bool sw_fit_trades_find(const struct sw_fit_program *, struct sw_fit_trade *trades);

/* "computes 6 of 48 rows twice: 1.020 of the work; saves 31,488 of the head, costs 4,204 of the tail". The work is that
 * of the whole model. Without a plan the sentence says by how much the bound is lowered. As snprintf. */
int sw_fit_trade_text(const struct sw_fit_trade *, char *text, size_t size);

/* The rows of a call's result that a call of an earlier strip has computed already: a part of its rows, empty (lo ==
 * hi) where there are none. O(calls) */
struct sw_row_range sw_fit_rows_again(const struct sw_fit_program *, uint32_t call);

/* Some rows of a tensor, and the calls from which to which they are alive. */
struct sw_fit_rows_alive {
    uint32_t buffer;          /* the tensor of the model */
    struct sw_row_range rows; /* of it */
    uint32_t first, last;     /* calls, of the region */
    uint32_t strip;           /* the strip that makes them; SW_NONE: they are there before the region, or after it */
    bool again;               /* an earlier strip has computed them already */
    bool kept;                /* a later strip needs them, too, and does not compute them again */
};
struct sw_fit_alive {
    struct sw_fit_rows_alive *items; /* by value, then rows; rows of which there are two copies are there twice */
    size_t count, capacity;
};
/* Of the tensors that a region reads or makes, at its calls. Zero the list first; it is the caller's (SW_ARRAY_DONE).
 * False: no memory. */
bool sw_fit_alive_find(const struct sw_fit_program *, uint32_t region, struct sw_fit_alive *);
/* The calls of a region: [first, end). */
void sw_fit_region_calls(const struct sw_fit_program *, uint32_t region, uint32_t *first, uint32_t *end);

#endif
