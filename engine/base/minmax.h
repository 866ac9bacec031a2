/* The smaller and the larger of two: arguments are evaluated twice, so no side effects; of equals it is the second.
 * Common divisors and multiples. */
#ifndef SW_BASE_MINMAX_H
#define SW_BASE_MINMAX_H

#include <stdint.h>

#define SW_MIN(a, b) ((a) < (b) ? (a) : (b))
#define SW_MAX(a, b) ((a) > (b) ? (a) : (b))

/* ---- common divisors and multiples, of alignments and sizes: both numbers are at least 1, where nothing else is said
 * ---- */

/* The greatest number that divides both; of 0 and b it is b. O(log a). */
static inline uint64_t sw_common_divisor(uint64_t a, uint64_t b) {
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The least number that both divide; 0 when it is above `most`. O(log a). */
static inline uint64_t sw_common_multiple(uint64_t a, uint64_t b, uint64_t most) {
    uint64_t result;
    return __builtin_mul_overflow(a / sw_common_divisor(a, b), b, &result) || result > most ? 0 : result;
}

/* The same, but `most` when it is above. */
static inline uint64_t sw_multiple_up_to(uint64_t a, uint64_t b, uint64_t most) {
    uint64_t multiple = sw_common_multiple(a, b, most);
    return multiple ? multiple : most;
}

#endif
