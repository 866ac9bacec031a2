/* Figures of order-genetic. The plain decoder is what one would write first: for every buffer, go
 * through all that are placed, keep those with a lifetime that crosses its own, sorted by offset, and take the
 * first gap.
 *
 * Instruction counts are those of callgrind, where valgrind is installed: the same program decodes
 * few and many orders, and the difference is what the orders cost. */
#include "orders.h"
#include "measure.h"

#include "base/hash.h"
#include "planners/orders/genome.h"
#include "problem/builder.h"
#include "search/search.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 300 };

struct block {
    uint32_t first, last;
    uint64_t size;
};
struct network {
    const char *name;
    uint32_t count;
    struct block blocks[MOST];
};

/* ---- networks ---- */

static void add(struct network *n, uint32_t first, uint32_t last, uint64_t size) {
    if (n->count < MOST) {
        n->blocks[n->count++] = (struct block){first, last, size};
    }
}

/* Bottleneck blocks of three convolutions, each with normalization and activation, and a shortcut
 * around them; stages halve the width and double the channels. */
static void resnet(struct network *n) {
    static const uint32_t depth[] = {4, 6, 10, 7};
    uint32_t step = 0;
    *n = (struct network){.name = "resnet"};
    for (uint32_t stage = 0; stage < 4; stage++) {
        uint64_t pixels = (uint64_t)(56 >> stage) * (56 >> stage), narrow = 64u << stage;
        for (uint32_t b = 0; b < depth[stage]; b++) {
            add(n, step, step + 8, 4 * pixels * narrow * 4); /* the shortcut */
            for (uint32_t k = 0; k < 8; k++) {
                add(n, step + 1 + k, step + 2 + k, 4 * pixels * (k < 6 ? narrow : 4 * narrow));
            }
            step += 9;
        }
    }
}

/* Dense blocks: what a layer adds lives to the end of its block. */
static void densenet(struct network *n) {
    static const uint32_t depth[] = {6, 12, 24, 16};
    uint32_t step = 0;
    *n = (struct network){.name = "densenet"};
    for (uint32_t stage = 0; stage < 4; stage++) {
        uint64_t pixels = (uint64_t)(56 >> stage) * (56 >> stage);
        uint32_t end = step + depth[stage] * 4;
        for (uint32_t b = 0; b < depth[stage]; b++) {
            add(n, step, step + 1, 4 * pixels * (64 + 32 * b));
            add(n, step + 1, step + 2, 4 * pixels * 128);
            add(n, step + 2, step + 3, 4 * pixels * 128);
            add(n, step + 3, end, 4 * pixels * 32);
            step += 4;
        }
        add(n, end, end + 1, 4 * pixels * (64 + 32 * depth[stage]));
        add(n, end + 1, end + 2, pixels * (64 + 32 * depth[stage]));
        step += 2;
    }
}

/* No structure at all: every third buffer of the others is alive with one. */
static void crowd(struct network *n) {
    uint64_t random = 5;
    *n = (struct network){.name = "crowd"};
    for (uint32_t i = 0; i < 250; i++) {
        uint32_t a = (uint32_t)sw_random_below(&random, 400);
        add(n, a, a + (uint32_t)sw_random_below(&random, 140), 64 * (1 + sw_random_below(&random, 4000)));
    }
}

static void (*const networks[])(struct network *) = {resnet, densenet, crowd};
enum { NETWORKS = sizeof networks / sizeof networks[0] };

static int by_birth(const void *a, const void *b) {
    const struct block *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* With `reserved` bytes at the bottom no planner reaches the lower bound, and each runs to its end.
 */
static struct sw_problem *build(struct network *n, uint64_t reserved) {
    struct sw_builder *builder = sw_builder_new(NULL);
    qsort(n->blocks, n->count, sizeof *n->blocks, by_birth); /* so that place = index */
    for (uint32_t i = 0; i < n->count; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%" PRIu32, i);
        struct sw_buffer_spec spec = {.name = name,
                                      .kind = SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = n->blocks[i].size,
                                      .has_first = true,
                                      .has_last = true,
                                      .first = n->blocks[i].first,
                                      .last = n->blocks[i].last};
        if (!builder || !sw_builder_buffer(builder, &spec, NULL)) {
            exit(2);
        }
    }
    struct sw_tier tier = {.name = "memory", .capacity = SW_UNBOUNDED};
    if (!sw_builder_tier(builder, &tier, NULL) ||
        (reserved > 0 && !sw_builder_reserve(builder, "memory", 0, reserved, NULL))) {
        exit(2);
    }
    struct sw_problem *problem = sw_builder_finish(builder, NULL);
    sw_builder_free(builder);
    if (!problem) {
        exit(2);
    }
    return problem;
}

/* ---- two decoders ---- */

static uint64_t plain_decode(const struct network *n, const struct sw_rank *order, uint64_t *offsets) {
    uint64_t peak = 0, lo[MOST], hi[MOST];
    for (uint32_t i = 0; i < n->count; i++) {
        const struct block *x = &n->blocks[order[i].at];
        uint32_t count = 0;
        for (uint32_t k = 0; k < i; k++) {
            const struct block *y = &n->blocks[order[k].at];
            if (x->first > y->last || y->first > x->last) {
                continue;
            }
            uint64_t at = offsets[order[k].at];
            uint32_t j = count++;
            for (; j > 0 && lo[j - 1] > at; j--) {
                lo[j] = lo[j - 1];
                hi[j] = hi[j - 1];
            }
            lo[j] = at;
            hi[j] = at + y->size;
        }
        uint64_t at = 0;
        for (uint32_t k = 0; k < count && lo[k] < at + x->size; k++) {
            at = hi[k] > at ? hi[k] : at;
        }
        offsets[order[i].at] = at;
        peak = at + x->size > peak ? at + x->size : peak;
    }
    return peak;
}

/* The orders an evolution sees: block sequences crossed and swapped, 64 of them. */
enum { ORDERS = 64 };
static struct sw_rank orders[ORDERS][MOST];

static void draw_orders(struct sw_decoder *decoder) {
    uint64_t random = 1;
    uint32_t count = sw_decoder_count(decoder);
    struct sw_genome *genomes[ORDERS];
    bool taken[MOST];
    for (int i = 0; i < ORDERS; i++) {
        genomes[i] = sw_genome_new(decoder);
        sw_genome_shuffle(genomes[i]->order, count, &random);
        sw_genome_decode(genomes[i], decoder);
    }
    for (int i = 0; i < ORDERS; i++) {
        const struct sw_genome *a = genomes[i], *b = genomes[(i + 1) % ORDERS];
        uint32_t length = 2 + (uint32_t)sw_random_below(&random, count / 2 - 1);
        struct sw_window window = sw_genome_window(a, length, &random);
        sw_genome_cross(a->sequence, b->sequence, count, &window, taken, orders[i]);
    }
    for (int i = 0; i < ORDERS; i++) {
        sw_genome_unref(genomes[i]);
    }
}

static uint64_t decode_many(const struct network *n, struct sw_decoder *decoder, const char *way, long count) {
    uint64_t sum = 0, offsets[MOST];
    for (long i = 0; i < count; i++) {
        const struct sw_rank *order = orders[i % ORDERS];
        struct sw_need need;
        if (strcmp(way, "plain") == 0) {
            sum += plain_decode(n, order, offsets);
        } else {
            sw_decode(decoder, order);
            sw_decoder_need(decoder, &need);
            sum += need.peak;
        }
    }
    return sum;
}

/* ---- instructions ---- */

int bench_decode_only(const char *name, const char *way, long count) {
    for (size_t i = 0; i < NETWORKS; i++) {
        struct network n;
        networks[i](&n);
        if (strcmp(n.name, name) != 0) {
            continue;
        }
        struct sw_problem *problem = build(&n, 0);
        struct sw_params params = SW_PARAMS_DEFAULT;
        struct sw_run run = {.problem = problem, .params = &params, .choice = -1};
        struct sw_decoder *decoder = sw_decoder_new(&run);
        draw_orders(decoder);
        printf("%" PRIu64 "\n", decode_many(&n, decoder, way, count));
        sw_decoder_unref(decoder);
        sw_problem_unref(problem);
        return 0;
    }
    return 2;
}

static double instructions(const char *name, const char *way, long count) {
    return bench_instructions(NULL, "decode-only %s %s %ld", name, way, count);
}

static double instructions_each(const char *name, const char *way) {
    double few = instructions(name, way, 100), many = instructions(name, way, 600);
    return few > 0 && many > few ? (many - few) / 500 : 0;
}

/* ---- the table ---- */

/* Decodes per second; at least a quarter of a second of them. */
static double rate(const struct network *n, struct sw_decoder *decoder, const char *way, uint64_t *check) {
    double begin = bench_now(), spent;
    long count = 0;
    *check = 0;
    do {
        *check = decode_many(n, decoder, way, 64 * 20);
        count += 64 * 20;
        spent = bench_now() - begin;
    } while (spent < 0.25);
    return (double)count / spent;
}

static void decoder_rows(const struct network *n, struct sw_decoder *decoder) {
    uint64_t quick, plain;
    draw_orders(decoder);
    double fast = rate(n, decoder, "fast", &quick), slow = rate(n, decoder, "plain", &plain);
    double few = instructions_each(n->name, "fast"), many = instructions_each(n->name, "plain");
    printf("  decoder                %12.0f /s   plain quadratic %.0f /s   %.1f times%s\n", fast, slow, fast / slow,
           quick == plain ? "" : "   THEY DISAGREE");
    if (few > 0 && many > 0) {
        printf("  instructions           %12.0f each  plain quadratic %.0f   %.1f times\n", few, many, many / few);
    } else {
        printf("  instructions: valgrind is not there\n");
    }
}

static void planner_row(const struct sw_problem *problem, const char *name) {
    struct sw_error error = {0};
    struct sw_search *search = sw_search_new(problem, sw_planner_find(name, &error), NULL, &error);
    double before = bench_now();
    if (!search || sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        printf("  %s: %s\n", name, error.message);
        exit(2);
    }
    double spent = bench_now() - before, evaluations = 0;
    struct sw_details details = {0};
    sw_search_details(search, &details);
    for (size_t i = 0; i < details.items.count; i++) {
        if (strcmp(details.items.items[i].key, "evaluations") == 0) {
            evaluations = (double)details.items.items[i].integer;
        }
    }
    printf("  %-22s %12.0f evaluations/s   %.0f in %.3f s, peak / bound %.4f\n", name, evaluations / spent, evaluations,
           spent, (double)sw_layout_peak(sw_search_layout(search)) / (double)sw_problem_lower_bound(problem));
    sw_details_done(&details);
    sw_search_free(search);
}

void bench_orders(void) {
    for (size_t i = 0; i < NETWORKS; i++) {
        struct network n;
        networks[i](&n);
        struct sw_problem *problem = build(&n, 0), *harder = build(&n, 64);
        struct sw_params params = SW_PARAMS_DEFAULT;
        struct sw_run run = {.problem = problem, .params = &params, .choice = -1};
        struct sw_decoder *decoder = sw_decoder_new(&run);
        printf("%s: %" PRIu32 " buffers, %.1f in conflict with each\n", n.name, n.count,
               2.0 * (double)sw_decoder_conflicts(decoder) / n.count);
        decoder_rows(&n, decoder);
        planner_row(harder, "order-genetic");
        planner_row(harder, "random-order");
        printf("\n");
        fflush(stdout);
        sw_decoder_unref(decoder);
        sw_problem_unref(problem);
        sw_problem_unref(harder);
    }
}
