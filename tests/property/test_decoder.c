/* The fast way of the decoder of order-genetic on problems too large for `struct model`: sparse
 * ones and crowds, alignments that are all the same and not, sizes with a common unit and without,
 * pins, ranges that no buffer or only one may use, and pairs kept apart. Against the rules restated,
 * and against the general way. */
#include "share.h"
#include "model.h"

#include "base/hash.h"
#include "planners/orders/genome.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { PROBLEMS = 240, MOST = 150, RANGES = 3 };

struct thing {
    int64_t first, last;
    uint64_t size, alignment, at;
    int apart; /* a later one it is kept apart from, or -1 */
    bool pinned;
};
/* [lo, hi), in the way of one, or of all: -1. */
struct range {
    uint64_t lo, hi;
    int block;
};
struct scene {
    uint64_t seed;
    int count;
    struct thing things[MOST];
    struct range ranges[RANGES];
};

static uint64_t decodes, fast_ones;

static void must(bool ok, const struct scene *s, const char *what) {
    if (!ok) {
        fprintf(stderr, "seed %" PRIu64 ": %s\n", s->seed, what);
        exit(1);
    }
}

static uint64_t up(uint64_t x, uint64_t alignment) {
    return (x + alignment - 1) / alignment * alignment;
}

static int by_birth(const void *a, const void *b) {
    const struct thing *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

static uint64_t draw_alignment(uint64_t seed, uint64_t *r) {
    return seed % 5 == 1 ? 64 : seed % 5 == 2 ? UINT64_C(1) << sw_random_below(r, 7) : 1;
}

static void draw(struct scene *s, uint64_t seed) {
    uint64_t r = seed, length = 2 + (seed % 3) * (seed % 3) * 60;
    uint64_t scale = seed % 5 == 3 ? UINT64_C(1) << 33 : seed % 5 == 4 ? 48 : 1;
    *s = (struct scene){.seed = seed, .count = 20 + (int)sw_random_below(&r, MOST - 20)};
    for (int i = 0; i < s->count; i++) {
        struct thing *t = &s->things[i];
        t->first = (int64_t)sw_random_below(&r, 200);
        t->last = t->first + (int64_t)sw_random_below(&r, length);
        t->size = sw_random_below(&r, 20) == 0 ? 0 : scale * (1 + sw_random_below(&r, 500));
        t->size += seed % 5 == 3 && t->size > 0; /* no unit but 1 */
        t->alignment = draw_alignment(seed, &r);
        t->apart = -1;
    }
    qsort(s->things, (size_t)s->count, sizeof *s->things, by_birth);
    for (int i = 0; i + 1 < s->count && seed % 2; i += 7) {
        s->things[i].apart = i + 1 + (int)sw_random_below(&r, (uint64_t)(s->count - i - 1));
    }
    for (int k = 0; k < RANGES && seed % 4 > 1; k++) {
        uint64_t lo = sw_random_below(&r, 3000 * scale);
        int block = k == 0 ? -1 : (int)sw_random_below(&r, (uint64_t)s->count);
        s->ranges[k] = (struct range){lo, lo + 1 + sw_random_below(&r, 300 * scale), block};
    }
    if (seed % 4 == 3) { /* above all ranges */
        struct thing *t = &s->things[sw_random_below(&r, (uint64_t)s->count)];
        t->pinned = true;
        t->at = up(3300 * scale + sw_random_below(&r, 100), t->alignment);
    }
}

static struct sw_problem *build(const struct scene *s) {
    struct sw_builder *b = sw_builder_new(NULL);
    struct sw_tier tier = {.name = "memory", .capacity = SW_UNBOUNDED};
    const struct range *range = &s->ranges[0];
    char name[16], other[16];
    bool ok = b && sw_builder_tier(b, &tier, NULL);
    for (int i = 0; ok && i < s->count; i++) {
        const struct thing *t = &s->things[i];
        snprintf(name, sizeof name, "b%d", i);
        struct sw_buffer_spec spec = {.name = name,
                                      .kind = SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = t->size,
                                      .alignment = t->alignment,
                                      .has_first = true,
                                      .has_last = true,
                                      .first = t->first,
                                      .last = t->last,
                                      .has_offset = t->pinned,
                                      .offset = t->at};
        ok = sw_builder_buffer(b, &spec, NULL);
    }
    for (int i = 0; ok && i < s->count; i++) {
        snprintf(name, sizeof name, "b%d", i);
        snprintf(other, sizeof other, "b%d", s->things[i].apart);
        ok = s->things[i].apart < 0 || sw_builder_separate(b, name, other, NULL);
    }
    ok = ok && (range->hi == 0 || sw_builder_reserve(b, "memory", range->lo, range->hi, NULL));
    struct sw_problem *problem = ok ? sw_builder_finish(b, NULL) : NULL;
    must(problem != NULL, s, "the problem was refused");
    sw_builder_free(b);
    return problem;
}

static bool in_conflict(const struct scene *s, int i, int k) {
    const struct thing *a = &s->things[i], *b = &s->things[k];
    return i != k && a->size > 0 && b->size > 0 &&
           ((a->first <= b->last && b->first <= a->last) || a->apart == k || b->apart == i);
}

/* The lowest start: rise until nothing is in the way. */
static uint64_t restate(const struct scene *s, int x, const bool *placed) {
    const struct thing *t = &s->things[x];
    uint64_t at = 0, size = up(t->size, t->alignment), before;
    do {
        before = at;
        for (int k = 0; k < s->count; k++) {
            uint64_t hi = s->things[k].at + up(s->things[k].size, s->things[k].alignment);
            bool in_the_way = placed[k] && in_conflict(s, x, k) && s->things[k].at < at + size;
            at = in_the_way && hi > at ? up(hi, t->alignment) : at;
        }
        for (int k = 0; k < RANGES && size > 0; k++) {
            const struct range *r = &s->ranges[k];
            bool in_the_way = (r->block < 0 || r->block == x) && r->lo < at + size;
            at = in_the_way && r->hi > at ? up(r->hi, t->alignment) : at;
        }
    } while (at != before);
    return at;
}

static void decode_plainly(struct scene *s, const struct sw_rank *order) {
    bool placed[MOST];
    for (int i = 0; i < s->count; i++) {
        placed[i] = s->things[i].pinned;
    }
    for (int i = 0; i < s->count; i++) {
        int x = (int)order[i].at;
        s->things[x].at = placed[x] ? s->things[x].at : restate(s, x, placed);
        placed[x] = true;
    }
}

static void compare(struct scene *s, struct sw_decoder *decoder, const struct sw_rank *order) {
    struct sw_need need;
    uint64_t peak = 0;
    decode_plainly(s, order);
    must(sw_decode(decoder, order), s, "no memory");
    sw_decoder_need(decoder, &need);
    for (int i = 0; i < s->count; i++) {
        uint64_t at = sw_decoder_offset(decoder, (struct sw_rank){(uint32_t)i}), top = at + s->things[i].size;
        if (at != s->things[i].at) {
            fprintf(stderr, "b%d lies at %" PRIu64 ", by the rules at %" PRIu64 "\n", i, at, s->things[i].at);
            must(false, s, "another offset");
        }
        peak = top > peak ? top : peak;
    }
    must(need.peak == peak, s, "another peak");
    decodes++;
    fast_ones += sw_decoder_fast(decoder);
}

/* A random order; the one by start address that follows from it; that with a stretch cut out and
 * put somewhere else, as crossovers leave it. */
static void check(uint64_t seed) {
    static const struct sw_params params = SW_PARAMS_DEFAULT;
    struct scene s;
    struct sw_error error = {0};
    struct sw_rank order[MOST], sequence[MOST];
    draw(&s, seed);
    struct sw_problem *problem = build(&s);
    struct sw_run run = {.problem = problem, .params = &params, .error = &error, .choice = -1};
    for (int k = 1; k < RANGES; k++) {
        struct sw_forbid forbid = {(uint32_t)(s.ranges[k].block < 0 ? 0 : s.ranges[k].block), 0, s.ranges[k].lo,
                                   s.ranges[k].hi};
        must(s.ranges[k].hi == 0 || SW_PUSH(&run.rules.forbids, forbid), &s, "no memory");
    }
    struct sw_decoder *decoder = sw_decoder_new(&run);
    must(decoder != NULL, &s, error.message);
    uint32_t count = sw_decoder_count(decoder);
    uint64_t r = seed + 7;
    for (int round = 0; round < 4; round++) {
        sw_genome_shuffle(order, count, &r);
        compare(&s, decoder, order);
        sw_decoder_sort(decoder, order, sequence);
        compare(&s, decoder, sequence);
        uint32_t from = (uint32_t)sw_random_below(&r, count), by = count / 3;
        for (uint32_t i = 0; i < count; i++) {
            order[i] = sequence[i < from ? i : (i + by < count ? i + by : from + count - 1 - i)];
        }
        compare(&s, decoder, order);
        if (round == 2) {
            sw_decoder_slow_down(decoder);
        }
    }
    sw_decoder_unref(decoder);
    sw_rules_done(&run.rules);
    sw_problem_unref(problem);
}

int main(void) {
    uint64_t seed = base_seed();
    for (uint64_t i = first_case(PROBLEMS), i_end = i + cases(PROBLEMS); i < i_end; i++) {
        check(seed + i);
    }
    printf("%" PRIu64 " orders decoded, %" PRIu64 " of them the fast way, from seed %" PRIu64 "\n", decodes, fast_ones,
           seed);
    return 0;
}
