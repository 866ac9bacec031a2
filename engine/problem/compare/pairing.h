/* Which buffers and operators of two versions of a model are the same.
 *
 * First by name. What is left of the operators is matched by its place: from both ends of the two lists of what is
 * left, and then the k-th of each sort with the k-th of the same sort, a sort being kind, number of arguments and
 * their sizes. What is left of the buffers is matched where two operators that are the same name them at the same
 * place, with the same size; of those that no operator touches, the k-th of a size and lifetime with the k-th. So a new
 * name alone is no change. */
#ifndef SW_PROBLEM_PAIRING_H
#define SW_PROBLEM_PAIRING_H

#include "problem/problem.h"

SW_C_BEGIN

enum sw_side { SW_SIDE_OLD, SW_SIDE_NEW };

struct sw_pairing {
    const struct sw_problem *problems[2]; /* per side; borrowed */
    uint32_t *buffers[2], *operators[2];  /* per side and number: the number on the other side, or SW_NONE */
    uint32_t renamed;                     /* planned buffers that have another name on the new side */
};
/* O((buffers + arguments) log). False: no memory. sw_pairing_done in any case. */
bool sw_pairing_make(struct sw_pairing *, const struct sw_problem *old, const struct sw_problem *fresh);
void sw_pairing_done(struct sw_pairing *);

SW_C_END

#endif
