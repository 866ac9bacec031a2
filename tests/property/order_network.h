/* Random networks of operators, and what is true of all their orders.
 *
 * What is true is written from the specification: a set of operators is a word of bits, and what is alive is counted
 * buffer by buffer. It knows neither edges nor states of the engine; of the engine there is the builder alone. */
#ifndef SW_PROPERTY_ORDER_NETWORK_H
#define SW_PROPERTY_ORDER_NETWORK_H

#include "stowage.h"

enum { MOST_OPERATORS = 13, MOST_BUFFERS = 44 };

struct network {
    uint64_t seed;
    uint32_t operators, buffers;
    uint64_t size[MOST_BUFFERS];
    bool starts[MOST_BUFFERS], ends[MOST_BUFFERS];
    uint32_t reads[MOST_BUFFERS], writes[MOST_BUFFERS], works[MOST_BUFFERS]; /* bits: operators that do */
    uint32_t after[MOST_OPERATORS];
    bool inplace;        /* --inplace safe */
    uint32_t over;       /* bits: operators that may write over a dying input */
    uint32_t joined;     /* bits: operators that are parts of the same one as the one before */
    uint32_t idle_count; /* buffers that no operator touches: */
    struct {
        uint64_t size;
        uint32_t first, last;
    } idle[3];
    uint64_t extra[MOST_OPERATORS];  /* bytes of those, per step */
    uint64_t kept;                   /* bits: buffers with a lifetime that was given, from the first step to the last */
    bool wished;                     /* a user asks for more: */
    uint32_t before[MOST_OPERATORS]; /* bits: operators that are to run before */
    uint32_t group[MOST_OPERATORS];  /* those of one number are kept together; 0: it is in none */
    uint32_t needs[MOST_OPERATORS];  /* the oracle: operators that must have run before */
    /* of the oracle */
    uint64_t *least; /* per set that can be reached: the least peak of what is left to run, from there */
    uint64_t *alive;
};

/* From the seed; `least` and `alive` are the caller's, of one number for each set of MOST_OPERATORS. */
void network_draw(struct network *, uint64_t seed);
/* What a user asks for besides, in place of what was asked for before. */
void network_draw_wishes(struct network *);
struct sw_problem *network_build(const struct network *);

/* ---- the oracle ---- */

uint32_t network_all(const struct network *);
/* The operators that use a buffer. */
uint32_t network_users(const struct network *, uint32_t b);
/* The bytes while the operator runs, right after the set; the second with what it writes over its inputs. */
uint64_t network_plain_cost(const struct network *, uint32_t set, uint32_t op);
uint64_t network_step_cost(const struct network *, uint32_t set, uint32_t op);
/* May the operator run right after the set? Wishes may leave no way on from there. */
bool network_may_run(const struct network *, uint32_t set, uint32_t op);
/* Is everything in the set that its operators need? */
bool network_reachable(const struct network *, uint32_t set);
/* Fills in `needs`, `least` and `alive`. */
void network_solve(struct network *);
/* After network_solve: and the rest may run after it. */
bool network_may_go(const struct network *, uint32_t set, uint32_t op);
/* The least peak of all orders that begin with the set, at `peak` so far, tried one by one; `best` when it is less. */
uint64_t network_try_orders(const struct network *, uint32_t set, uint64_t peak, uint64_t best);
/* The peak of an order; fails when it is none. */
uint64_t network_peak(const struct network *, const uint32_t *order, const char *name);

/* Print and exit. */
void network_fail(const struct network *, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
/* Does so when `truth` is false. */
#define CHECK(net, truth, ...)                \
    do {                                      \
        if (!(truth)) {                       \
            network_fail((net), __VA_ARGS__); \
        }                                     \
    } while (0)

#endif
