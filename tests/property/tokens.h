/* Random graphs for the tests of token-sharing: functions on units, dtypes, shapes, in-place
 * operators, reshapes, tuples, pseudo-quantisers, tiers and a reserved range. */
#ifndef SW_PROPERTY_TOKENS_H
#define SW_PROPERTY_TOKENS_H

#include "stowage.h"

enum { MOST = 48, ARGS = 4, OPS = 16, UNITS = 3 };

/* ---- a graph as a person would write it down ---- */

struct tensor {
    char name[16];
    enum sw_kind kind;
    int bits; /* of the dtype: 8, 16, 32 */
    uint64_t dims[3], bytes, align;
    int rank; /* 0: only bytes */
    bool planned;
};
struct op {
    char name[16];
    const char *kind;
    int in[ARGS], out[ARGS], scratch, ins, outs, function; /* scratch, function: -1 = none */
    bool inplace;
    int quantise; /* bits; 0: not said */
};
struct unit {
    char name[16];
    bool dedicated;
    int bits; /* 0: no demand */
    uint64_t align, channels;
    int axis; /* the dimension of channels, from the front; -1: the last */
    unsigned tiers;
};
struct graph {
    struct tensor t[MOST];
    struct op o[OPS];
    struct unit u[UNITS];
    int tensors, ops, units, functions, unit_of[4], tiers;
    uint64_t match;                      /* blocks of size/match to size*match are taken; 0: any */
    int reuse;                           /* what is written over an input: 0 what may be; 1 reshapes; 2 nothing */
    uint64_t snug;                       /* a script: only over memory of at most so many times the size; 0: none */
    bool chains;                         /* most operators write over what the one before wrote */
    uint64_t capacity, hole_lo, hole_hi; /* capacity of tier 0; a reserved range of it */
};

/* At most `ops` operators before items are taken out of tuples. */
void tokens_draw(struct graph *, uint64_t seed, int ops);
struct sw_problem *tokens_build(const struct graph *);
bool has(const int *list, int count, int item);
bool touched(const struct graph *, int tensor);

extern uint64_t the_seed;
/* Print and exit when `truth` is false. */
void check(bool truth, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
