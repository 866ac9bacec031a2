/* Figures of order-genetic: evaluations per second, and the decoder beside a plain quadratic one.
 */
#ifndef SW_BENCH_ORDERS_H
#define SW_BENCH_ORDERS_H

void bench_orders(void);
/* For instruction counts: decode `count` orders of network `name` with the decoder named `way`. */
int bench_decode_only(const char *name, const char *way, long count);

#endif
