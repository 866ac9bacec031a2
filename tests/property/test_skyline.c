/* The skyline against looking at every block (layout/free/skyline.h, ranges.h).
 *
 * Blocks are put anywhere, one by one, and taken out again, and between that buffers that are not
 * placed ask for their free spaces: sw_gaps_glance must say what follows from all blocks one by
 * one. Problems have up to 6,000 buffers, for crowds need many: short lives, long ones, some for
 * all time, calls within calls; sizes with a common unit and without one, offsets that fit it or
 * not, arenas too large for units, tops of any height. */
#include "share.h"
#include "layout/free/indexes.h"
#include "stowage.h"

#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 60, LISTS = 400 };

static void must(bool ok, uint64_t seed, const char *what) {
    if (!ok) {
        fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, what);
        exit(1);
    }
}

/* ---- ranges ---- */

static int ascending(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Ranges added one by one, against a map of units. */
static void compare_ranges(uint64_t seed) {
    enum { UNITS = 600 };
    bool map[UNITS + 1] = {0};
    struct sw_ranges ranges = {0};
    uint64_t r = seed, bytes = 0, count = 1 + sw_random_below(&r, 60);
    for (uint64_t i = 0; i < count; i++) {
        uint32_t lo = (uint32_t)sw_random_below(&r, UNITS - 1);
        uint32_t hi = lo + 1 + (uint32_t)sw_random_below(&r, UNITS - lo < 40 ? UNITS - lo : 40);
        must(sw_ranges_add(&ranges, sw_range(lo, hi)), seed, "memory");
        memset(map + lo, 1, hi - lo);
        bytes += hi - lo;
        size_t at = 0;
        for (uint32_t x = 0; x < UNITS; x++) {
            if (map[x] && (x == 0 || !map[x - 1])) {
                uint32_t end = x;
                while (map[end]) {
                    end++;
                }
                must(at < ranges.words.count && ranges.words.items[at++] == sw_range(x, end), seed, "another range");
            }
        }
        must(at == ranges.words.count && ranges.words.items[at] == SW_RANGES_END, seed, "another number of ranges");
    }
    must(ranges.blocks == count && ranges.bytes == bytes, seed, "another number of blocks");
    sw_ranges_done(&ranges);
}

/* Sorting, and merging two sorted runs, against qsort. */
static void compare_sorting(uint64_t seed) {
    uint64_t r = seed, count = sw_random_below(&r, seed % 10 ? 200 : 6000), a = sw_random_below(&r, count + 1);
    uint64_t *words = calloc(count + 2, 8), *spare = calloc(count + 2, 8), *want = calloc(count + 2, 8),
             *out = calloc(count + 2, 8);
    must(words && spare && want && out, seed, "memory");
    unsigned bits = 1 + (unsigned)sw_random_below(&r, 31);
    for (uint64_t i = 0; i < count; i++) {
        words[i] = want[i] = sw_random_below(&r, UINT64_C(1) << bits) << 32 | i;
    }
    qsort(want, count, sizeof *want, ascending);
    /* Each half by itself: `i` in the lower half makes all words differ, and keeps the order of
     * equal ones. */
    uint64_t *left = sw_ranges_sort(words, spare, a);
    uint64_t *first = calloc(count + 2, 8);
    must(first != NULL, seed, "memory");
    memcpy(first, left, a * 8);
    first[a] = SW_RANGES_END;
    uint64_t *right = sw_ranges_sort(words + a, spare, count - a);
    memmove(spare, right, (count - a) * 8);
    spare[count - a] = SW_RANGES_END;
    sw_ranges_merge(first, a, spare, count - a, out);
    must(memcmp(out, want, count * 8) == 0 && out[count] == SW_RANGES_END, seed, "another order");
    free(words);
    free(spare);
    free(want);
    free(out);
    free(first);
}

/* ---- problems ---- */

static uint64_t draw_length(uint64_t *r, uint64_t seed, uint64_t steps) {
    uint64_t kind = sw_random_below(r, 100);
    if (seed % 5 == 1) {
        return 1 + sw_random_below(r, steps < 300 ? steps : 300);
    }
    return 1 + sw_random_below(r, kind < 80 ? 8 : kind < 95 ? 100 : kind < 99 ? steps / 2 + 1 : steps);
}

static struct sw_problem *draw(uint64_t seed) {
    uint64_t r = seed, count = 2 + sw_random_below(&r, seed % 3 ? 1500 : 6000),
             steps = 1 + count / (1 + seed % 7 * 3) * (1 + seed % 2);
    uint64_t unit = seed % 4 == 0 ? 1 : UINT64_C(1) << seed % 9;
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    bool ok = builder != NULL;
    for (uint64_t i = 0; ok && i < count; i++) {
        char name[24];
        snprintf(name, sizeof name, "b%" PRIu64, i);
        struct sw_buffer_spec spec = {.name = name, .has_size = true, .has_first = true, .has_last = true};
        spec.first = (int64_t)sw_random_below(&r, steps);
        uint64_t length = draw_length(&r, seed, steps), left = steps - (uint64_t)spec.first;
        spec.last = spec.first + (int64_t)(length < left ? length : left) - 1;
        if (seed % 6 == 5) { /* nested */
            spec.first = (int64_t)(i / 2);
            spec.last = (int64_t)(2 * count - i);
        }
        spec.size = sw_random_below(&r, 40) ? unit * (1 + sw_random_below(&r, 64)) : 0;
        spec.alignment = seed % 8 == 7 ? 1 + sw_random_below(&r, 20) : seed % 8 == 6 ? unit : 1;
        ok = sw_builder_buffer(builder, &spec, &error);
    }
    struct sw_problem *problem = ok ? sw_builder_finish(builder, &error) : NULL;
    sw_builder_free(builder);
    must(problem != NULL, seed, error.message);
    return problem;
}

/* ---- looking at every block ---- */

struct range {
    uint64_t lo, hi;
};

static int by_address(const void *left, const void *right) {
    const struct range *a = left, *b = right;
    return a->lo != b->lo ? (a->lo < b->lo ? -1 : 1) : a->hi < b->hi ? -1 : a->hi > b->hi;
}

static void compare(struct sw_gaps *gaps, const struct sw_layout *layout, uint32_t buffer, uint64_t top,
                    struct range *all, uint64_t seed) {
    const struct sw_problem *p = sw_layout_problem(layout);
    const struct sw_buffer *own = sw_problem_buffer(p, buffer);
    size_t count = 0, gap = 0;
    uint64_t live = 0, cursor = 0;
    for (uint32_t i = 0; i < sw_problem_buffer_count(p); i++) {
        const struct sw_buffer *b = sw_problem_buffer(p, i);
        struct sw_placement at;
        if (i != buffer && b->size > 0 && b->first <= own->last && b->last >= own->first &&
            sw_layout_placement(layout, i, 0, &at)) {
            all[count++] = (struct range){at.offset, at.offset + b->size};
            live += b->first <= own->first ? b->size : 0;
        }
    }
    qsort(all, count, sizeof *all, by_address);
    must(sw_gaps_glance(gaps, layout, NULL, buffer, 0, top), seed, "memory");
    must(gaps->in_the_way == count, seed, "another number of blocks is in the way");
    must(gaps->live == live, seed, "other bytes are alive");
    for (size_t i = 0; i <= count; i++) {
        uint64_t lo = i < count && all[i].lo < top ? all[i].lo : top;
        if (lo > cursor) {
            must(gap < gaps->gaps.count, seed, "a free space is missing");
            const struct sw_gap *g = &gaps->gaps.items[gap++];
            must(g->lo == cursor && g->hi == lo && g->start == sw_align_up(cursor, own->alignment), seed,
                 "another free space");
        }
        cursor = lo == top ? top : all[i].hi > cursor ? all[i].hi : cursor;
    }
    must(gap == gaps->gaps.count, seed, "a free space too many");
}

static uint64_t draw_offset(uint64_t *r, uint64_t seed, uint64_t size) {
    uint64_t unit = size & (0 - size), offset = sw_random_below(r, 4000) * (unit < 64 ? unit : 64);
    offset += seed % 10 == 8 && sw_random_below(r, 100) == 0; /* fits no unit */
    return seed % 10 == 9 ? offset << 26 : offset;            /* too high for units, sooner or later */
}

/* Returns how often the skyline answered. */
static uint64_t compare_layouts(uint64_t seed) {
    struct sw_problem *p = draw(seed);
    struct sw_layout *layout = sw_layout_new(p, NULL);
    struct sw_gaps gaps = {0};
    uint32_t count = sw_problem_buffer_count(p);
    struct range *all = calloc(count + 1, sizeof *all);
    uint64_t r = seed + 1, skylines = 0;
    must(layout && all, seed, "memory");
    for (uint32_t turn = 0; turn < 2 * count; turn++) {
        uint32_t buffer = (uint32_t)sw_random_below(&r, count);
        bool placed = sw_layout_placed(layout, buffer);
        if (placed && sw_random_below(&r, 50) == 0) { /* taken out: nothing explains that */
            must(sw_layout_lift(layout, buffer), seed, "memory");
        } else if (!placed) {
            bool open = sw_random_below(&r, 3) > 0;
            if (sw_problem_buffer(p, buffer)->size > 0 && (turn < 100 || turn % 16 == 0)) {
                compare(&gaps, layout, buffer, open ? SW_UNBOUNDED : sw_random_below(&r, 60000), all, seed);
            } else {
                must(sw_gaps_glance(&gaps, layout, NULL, buffer, 0, SW_UNBOUNDED), seed, "memory");
            }
            skylines += gaps.indexes->skyline.follow.current;
            uint64_t offset = draw_offset(&r, seed, sw_problem_buffer(p, buffer)->size);
            must(sw_layout_place(layout, buffer, 0, offset), seed, "memory");
        }
    }
    free(all);
    sw_gaps_done(&gaps);
    sw_layout_free(layout);
    sw_problem_unref(p);
    return skylines;
}

int main(void) {
    const char *begin = getenv("SW_PROPERTY_SEED");
    uint64_t from = begin ? strtoull(begin, NULL, 10) : 1, skylines = 0;
    for (uint64_t seed = from + first_case(LISTS), seed_end = seed + cases(LISTS); seed < seed_end; seed++) {
        compare_ranges(seed);
        compare_sorting(seed);
    }
    for (uint64_t seed = from + first_case(PROBLEMS), seed_end = seed + cases(PROBLEMS); seed < seed_end; seed++) {
        skylines += compare_layouts(seed);
    }
    must(cases(PROBLEMS) < PROBLEMS || often(skylines, 30000), from, "it was hardly ever in use");
    printf("%" PRIu64 " problems, %" PRIu64 " answers\n", cases(PROBLEMS), skylines);
    return 0;
}
