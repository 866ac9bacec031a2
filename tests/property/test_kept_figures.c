/* Figures that are kept while things change, against the same figures taken anew: sums in order, to the last bit, and
 * peaks of tiers that are filled from their far end. */
#include "share.h"
#include "model.h"
#include "base/base.h"
#include "base/hash.h"
#include "base/lists/ordered_sum.h"
#include "layout/layout.h"
#include "problem/builder.h"
#include "faults.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUMS = 400, LAYOUTS = 60, CHANGES = 300 };

/* ---- sums ---- */

static double draw_number(uint64_t *r, int kind) {
    double whole = (double)sw_random_below(r, 1000000);
    switch (kind) {
    case 0:
        return whole / 16;
    case 1:
        return whole / 3;
    case 2:
        return ldexp(1 + (double)sw_random_below(r, 3), -(int)sw_random_below(r, 54)); /* halfway, often */
    case 3:
        return sw_random_below(r, 20) ? whole / 7 : -whole; /* it falls, too */
    default:
        return sw_random_below(r, 4) ? 0 : ldexp(whole, (int)sw_random_below(r, 60) - 30);
    }
}

static double plain_sum(const struct sw_ordered_sum *sum) {
    double total = 0;
    for (size_t i = 0; i < sum->count; i++) {
        total += sum->numbers[i];
    }
    return total;
}

static void try_sum(uint64_t seed) {
    uint64_t r = seed * 0x9E3779B97F4A7C15u + 1;
    struct sw_ordered_sum sum;
    size_t count = sw_random_below(&r, 40000);
    int kind = (int)sw_random_below(&r, 5);
    if (!sw_ordered_sum_init(&sum, count)) {
        exit(2);
    }
    for (size_t i = 0; i < count; i++) {
        sw_ordered_sum_set(&sum, i, draw_number(&r, kind));
    }
    for (int k = 0; k < 40; k++) {
        double kept = sw_ordered_sum_total(&sum), anew = plain_sum(&sum);
        if (memcmp(&kept, &anew, sizeof kept) != 0) {
            fprintf(stderr, "sum %llu, kind %d: %.17g is kept, %.17g is the sum\n", (unsigned long long)seed, kind,
                    kept, anew);
            exit(1);
        }
        for (uint64_t changes = sw_random_below(&r, 4); count > 0 && changes > 0; changes--) {
            sw_ordered_sum_set(&sum, sw_random_below(&r, count), draw_number(&r, kind));
        }
    }
    sw_ordered_sum_done(&sum);
}

/* ---- peaks ---- */

static struct sw_problem *draw_problem(uint64_t *r, uint32_t count, bool alike, uint64_t capacity) {
    struct sw_builder *builder = sw_builder_new(NULL);
    struct sw_tier tiers[] = {{.name = "a", .capacity = capacity, .bandwidth = 4},
                              {.name = "b", .capacity = 8 * capacity, .bandwidth = 1}};
    bool ok = builder && sw_builder_tier(builder, &tiers[0], NULL) && sw_builder_tier(builder, &tiers[1], NULL);
    for (uint32_t i = 0; ok && i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%u", i);
        struct sw_buffer_spec spec = {.name = name,
                                      .kind = SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = sw_random_below(r, capacity / 8),
                                      .has_first = true,
                                      .has_last = true,
                                      .alignment = alike ? 4 : 1U << sw_random_below(r, 5)};
        ok = sw_builder_buffer(builder, &spec, NULL);
    }
    struct sw_problem *problem = ok ? sw_builder_finish(builder, NULL) : NULL;
    sw_builder_free(builder);
    if (!problem) {
        exit(2);
    }
    return problem;
}

/* The same places in the same order of buffers, on a layout of which nothing was asked before. */
static void compare_peaks(const struct sw_problem *problem, const struct sw_layout *layout, uint64_t seed) {
    struct sw_layout *fresh = sw_layout_new(problem, NULL);
    struct sw_placement p;
    for (uint32_t b = 0; fresh && b < sw_problem_buffer_count(problem); b++) {
        if (sw_layout_placement(layout, b, 0, &p) && !sw_layout_place(fresh, b, p.tier, p.offset)) {
            exit(2);
        }
    }
    for (uint32_t t = 0; t < 2; t++) {
        sw_layout_set_arena(fresh, t, sw_layout_arena(layout, t));
        uint64_t kept = sw_layout_tier_peak(layout, t), anew = sw_layout_tier_peak(fresh, t);
        if (kept != anew) {
            fprintf(stderr, "layout %llu, tier %u: a peak of %llu is kept, %llu is the peak\n",
                    (unsigned long long)seed, t, (unsigned long long)kept, (unsigned long long)anew);
            exit(1);
        }
    }
    sw_layout_free(fresh);
}

static void try_peaks(uint64_t seed) {
    uint64_t r = seed * 0x9E3779B97F4A7C15u + 5, capacity = 256U << sw_random_below(&r, 9);
    uint32_t count = 256 + (uint32_t)sw_random_below(&r, 200);
    struct sw_problem *problem = draw_problem(&r, count, seed % 4 != 0, capacity);
    struct sw_layout *layout = sw_layout_new(problem, NULL);
    uint64_t dense = sw_random_below(&r, 3);
    for (uint32_t k = 0; layout && k < count + CHANGES; k++) {
        uint32_t b = k < count ? k : (uint32_t)sw_random_below(&r, count), tier = (uint32_t)sw_random_below(&r, 2);
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        uint64_t top = (tier ? 8 * capacity : capacity) - buffer->size;
        uint64_t near = SW_MIN(top, capacity / 4 + 1), far_from = sw_random_below(&r, near);
        uint64_t offset = dense == 0               ? sw_random_below(&r, top + 1)
                          : sw_random_below(&r, 2) ? far_from
                                                   : top - far_from;
        offset -= offset % buffer->alignment;
        if (sw_random_below(&r, 5) == 0 ? !sw_layout_lift(layout, b) : !sw_layout_place(layout, b, tier, offset)) {
            exit(2);
        }
        if (k >= count || k % 16 == 0) {
            sw_layout_set_arena(layout, 0, capacity);
            sw_layout_set_arena(layout, 1, 8 * capacity);
            compare_peaks(problem, layout, seed);
        }
    }
    sw_layout_free(layout);
    sw_problem_unref(problem);
}

int main(void) {
    uint64_t seed = base_seed();
    for (uint64_t i = first_case(SUMS), end = i + cases(SUMS); i < end; i++) {
        try_sum(seed + i);
    }
    for (uint64_t i = first_case(LAYOUTS), end = i + cases(LAYOUTS); i < end; i++) {
        try_peaks(seed + i);
    }
    return 0;
}
