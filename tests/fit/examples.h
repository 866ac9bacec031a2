/* Operators with small arguments, and what they make of them, worked out on paper. Scales are powers of two mostly, so
 * that factors are exact. An argument's numbers are as they stand in memory: zero points are not taken off. */
#ifndef SW_TESTS_FIT_EXAMPLES_H
#define SW_TESTS_FIT_EXAMPLES_H

#include "fit/kernels/operators.h"

struct operand {
    int type, rank; /* rank 0: there is none */
    int32_t dims[4];
    float scales[2]; /* a second one: of channels along `axis` */
    int zero, axis;
    int values[18];
};
struct example {
    const char *what;
    int code;
    struct options options;
    struct operand inputs[3], output;
};
extern const struct example examples[];
extern const size_t example_count;

#endif
