/* The states of order-genetic and random-order as tables; see planners/tables/state_tables.h. */
#ifndef SW_PLANNERS_ORDER_TABLES_H
#define SW_PLANNERS_ORDER_TABLES_H

#include "planners/orders/genome.h"

void sw_genetic_state(const void *state, const struct sw_run *, const struct sw_decision *last,
                      struct sw_state_tables *);
sw_because_fn sw_genetic_because;
/* "; the order begins with a, b, c"; nothing of no genome. Returns snprintf's length. */
void sw_genome_tell_start(const struct sw_genome *, const struct sw_run *, char *text, size_t size);
/* random-order keeps two orders. */
void sw_luck_state(const struct sw_genome *shown, const struct sw_genome *best, bool by_cost, const struct sw_run *,
                   struct sw_state_tables *);

#endif
