/* Random small int8 networks: convolutions and pools of all strides, kernels and dilations, padding of all kinds,
 * residual sums, branches, elementwise operators, odd sizes and single rows, at times with a head. The same seed gives
 * the same bytes. */
#ifndef SW_TESTS_FIT_NETWORKS_H
#define SW_TESTS_FIT_NETWORKS_H

#include "fit/written.h"

/* Free it with written_done. */
void draw_network(struct written *, uint64_t seed);
/* The same as a file; its bytes are the caller's. */
void network_file(uint64_t seed, struct bytes *);
/* The same network with a tensor that nothing touches, for which there is a step before the first operator. */
void idle_file(uint64_t seed, struct bytes *);
/* Networks in which other orders, operators that run again and results over arguments save something: wide tensors side
 * by side in a bad order, one that waits a long time, elementwise operators. */
void draw_skipping(struct written *, uint64_t seed);
void skipping_file(uint64_t seed, struct bytes *);

#endif
