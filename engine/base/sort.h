/* Sorting, and finding in what is sorted. Internal. */
#ifndef SW_BASE_SORT_H
#define SW_BASE_SORT_H

#include "base/mem.h"

#include <stdint.h>
#include <stdlib.h>

/* Sort a growable array. */
#define SW_SORT_LIST(list, compare) \
    ((list)->count > 1 ? qsort((list)->items, (list)->count, sizeof *(list)->items, (compare)) : (void)0)

/* Which of two values comes first, as qsort wants to be told: below 0, 0 or above. They are evaluated twice. */
#define SW_COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* A function for qsort, by up to six fields of a struct, of which the first that differs decides. */
#define SW_UP(field) SW_COMPARE(a->field, b->field)
#define SW_DOWN(field) SW_COMPARE(b->field, a->field)
#define SW_BY_1(order) order
#define SW_BY_2(order, ...) (order) ? (order) : SW_BY_1(__VA_ARGS__)
#define SW_BY_3(order, ...) (order) ? (order) : SW_BY_2(__VA_ARGS__)
#define SW_BY_4(order, ...) (order) ? (order) : SW_BY_3(__VA_ARGS__)
#define SW_BY_5(order, ...) (order) ? (order) : SW_BY_4(__VA_ARGS__)
#define SW_BY_6(order, ...) (order) ? (order) : SW_BY_5(__VA_ARGS__)
#define SW_BY_HOW_MANY(f, g, h, i, j, k, by, ...) by
#define SW_BY_FIELDS(name, type, ...)                                                                             \
    static int name(const void *of_a, const void *of_b) {                                                         \
        const type *a = of_a, *b = of_b;                                                                          \
        return SW_BY_HOW_MANY(__VA_ARGS__, SW_BY_6, SW_BY_5, SW_BY_4, SW_BY_3, SW_BY_2, SW_BY_1, 0)(__VA_ARGS__); \
    }

/* The first number below `count` for which `holds` is true; `count`: there is none. `holds` is an expression in which
 * `i` is the number; it is false up to some number, and true from there on. By halving: O(log count). */
#define SW_FIRST(i, count, holds)                          \
    __extension__({                                        \
        size_t from_##i = 0, to_##i = (count);             \
        while (from_##i < to_##i) {                        \
            size_t i = from_##i + (to_##i - from_##i) / 2; \
            if (holds) {                                   \
                to_##i = i;                                \
            } else {                                       \
                from_##i = i + 1;                          \
            }                                              \
        }                                                  \
        from_##i;                                          \
    })

/* As qsort, which takes no NULL: also of no items at all. */
void sw_sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *));
int sw_compare_u32(const void *, const void *); /* of two uint32_t, ascending */
int sw_compare_u64(const void *, const void *);
int sw_compare_i64(const void *, const void *);

/* Sort, and leave one of each that are equal. How many are left. O(n log n). */
size_t sw_sort_unique(void *items, size_t count, size_t size, int (*compare)(const void *, const void *));

/* For lists too long to compare. */
struct sw_keyed {
    uint64_t key;
    uint32_t index; /* the caller's: usually what the key is of */
};

/* Ascending by key; equal keys stay as they stood. Digit by digit from the last (a radix sort): O(count x
 * digits in which keys differ), a digit being 11 bits, with as much memory again meanwhile. False: there is
 * not that much, and the items are as they were. */
bool sw_sort_keyed(struct sw_keyed *items, size_t count);
bool sw_sort_numbers(uint64_t *numbers, size_t count); /* keys alone */

#endif
