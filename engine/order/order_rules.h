/* Rules that make an order without proof: the first orders of the exact search, and planners of their own.
 *
 * Of equals the operator that the file lists first is taken, so every machine finds the same. To run a rule from the
 * end give it the reversed graph and turn the order round. Nothing is allocated for the caller; `order` has room for
 * all operators, and is untouched where false is returned: no memory. */
#ifndef SW_ORDER_RULES_H
#define SW_ORDER_RULES_H

#include "order/order_state.h"

enum sw_order_rule {
    SW_ORDER_GREEDY, /* least bytes alive afterwards, then least while it runs */
    SW_ORDER_LPMF    /* one that fits under the peak so far, by the greedy rule; where none does, the one that raises
                      * it least. After PyTorch Inductor's memory scheduler "least peak memory first"
                      * (torch/_inductor/memory.py) */
};

/* O(operators x ready operators). */
bool sw_order_by_rule(const struct sw_order_graph *, enum sw_order_rule, uint32_t *order);
/* The operator the rule takes in this state, where `peak` bytes were alive at most so far. Some operator is ready. */
uint32_t sw_order_rule_choice(const struct sw_order_state *, enum sw_order_rule, uint64_t peak);

/* Beam search: after every operator the `width` best sets, by peak so far, then bytes alive; equal sets are one.
 * Memory O(width x size of the graph). A beam belongs to the caller and borrows the graph. */
struct sw_order_beam;
struct sw_order_layer {
    uint64_t looked;     /* ways to go on from those that were kept before */
    uint32_t kept, done; /* ways, and operators in each */
    uint64_t peak;       /* of the best one so far */
};
struct sw_order_beam *sw_order_beam_new(const struct sw_order_graph *, uint32_t width); /* NULL: no memory */
struct sw_order_beam *sw_order_beam_clone(const struct sw_order_beam *);                /* NULL: no memory */
void sw_order_beam_free(struct sw_order_beam *);                                        /* NULL is allowed */
/* Some operator has not run. False: no memory. O(width x (ready operators + size of the graph)). */
bool sw_order_beam_step(struct sw_order_beam *, struct sw_order_layer *);
const struct sw_order_state *sw_order_beam_best(const struct sw_order_beam *, uint64_t *peak);
uint64_t sw_order_beam_digest(const struct sw_order_beam *);
size_t sw_order_beam_bytes(const struct sw_order_beam *);

void sw_order_turn_round(uint32_t *order, uint32_t count);

#endif
