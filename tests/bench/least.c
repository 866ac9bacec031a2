/* The order of operators on the shared networks, beside the best that is known of each, and on networks that are drawn
 * here: random wirings (Watts-Strogatz, K 4, P 0.75) with nodes that are alike or uneven, and attention cells one after
 * the other, 20,020 operators. Each runs in a process of its own until it is proved or its time is over. */
#include "least.h"

#include "measure.h"
#include "base/hash.h"
#include "order/order_search.h"
#include "problem/builder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct network {
    const char *name; /* a file in the folder of data, or what is drawn */
    struct sw_problem *(*draw)(uint32_t count, uint64_t seed);
    uint32_t count;
    uint64_t seed;
    uint64_t best;  /* known; 0: none is */
    double seconds; /* time that it gets */
};
struct outcome {
    uint32_t operators, waypoints;
    uint64_t program, cut, bound, peak, states;
    double seconds;
    bool proved;
};

/* ---- networks that are drawn ---- */

static const char *add(struct sw_builder *builder, const char *name, enum sw_kind kind, uint64_t size,
                       const char *const *inputs, size_t input_count) {
    struct sw_buffer_spec buffer = {.name = name, .kind = kind, .has_size = true, .size = size};
    struct sw_operator_spec op = {
        .name = name, .inputs = inputs, .input_count = input_count, .outputs = &name, .output_count = 1};
    struct sw_error error = {0};
    if (!sw_builder_buffer(builder, &buffer, &error) ||
        (kind != SW_KIND_INPUT && !sw_builder_operator(builder, &op, &error))) {
        bench_fail(&error);
    }
    return name;
}

static struct sw_problem *finish(struct sw_builder *builder) {
    struct sw_error error = {0};
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    if (!problem) {
        bench_fail(&error);
    }
    sw_builder_free(builder);
    return problem;
}

enum { MOST_NODES = 256 };
static bool wired[MOST_NODES][MOST_NODES];

/* A ring in which each node knows two on each side; three edges of four end somewhere else instead. */
static void wire(uint32_t nodes, uint64_t *r) {
    memset(wired, 0, sizeof wired);
    for (uint32_t i = 0; i < nodes; i++) {
        for (uint32_t j = 1; j <= 2; j++) {
            uint32_t to = (i + j) % nodes;
            for (int tries = 0; sw_random_below(r, 4) < 3 && tries < 50; tries++) {
                uint32_t other = (uint32_t)sw_random_below(r, nodes), a = i < other ? i : other,
                         b = i < other ? other : i;
                if (other != i && !wired[a][b]) {
                    to = other;
                    break;
                }
            }
            wired[i < to ? i : to][i < to ? to : i] = true;
        }
    }
}

static char (*name_of(const char *kind, uint32_t number))[24] {
    static char names[4 * MOST_NODES + 16][24];
    static uint32_t next;
    char(*name)[24] = &names[next++ % (sizeof names / sizeof *names)];
    snprintf(*name, sizeof *name, "%s_%u", kind, number);
    return name;
}

/* A node: what joins its inputs, and three more operators (alike), or one and two (uneven). */
static struct sw_problem *wiring(uint32_t nodes, uint64_t seed, bool uneven) {
    static const uint64_t widths[] = {1, 2, 3, 4, 6, 8};
    const char *results[MOST_NODES], *inputs[MOST_NODES];
    uint64_t r = seed;
    bool read[MOST_NODES] = {false};
    struct sw_builder *builder = sw_builder_new(NULL);
    const char *image = add(builder, "image", SW_KIND_INPUT, uneven ? 65536 : 602112, NULL, 0);
    const char *stem = uneven ? image : add(builder, "stem", SW_KIND_INTERMEDIATE, 200704, &image, 1);
    wire(nodes, &r);
#define SIZE (uneven ? 16384 * widths[sw_random_below(&r, 6)] : 100352)
    for (uint32_t i = 0; i < nodes; i++) {
        size_t count = 0;
        for (uint32_t k = 0; k < i; k++) {
            if (wired[k][i]) {
                inputs[count++] = results[k];
                read[k] = true;
            }
        }
        const char *x = count ? inputs[0] : stem;
        if (count > 1) {
            x = add(builder, *name_of("join", i), SW_KIND_INTERMEDIATE, SIZE, inputs, count);
        }
        for (int k = uneven; k < 3; k++) {
            static const char *const kinds[] = {"relu", "dw", "pw"};
            x = add(builder, *name_of(kinds[k], i), SW_KIND_INTERMEDIATE, SIZE, &x, 1);
        }
        results[i] = x;
    }
    size_t count = 0;
    for (uint32_t i = 0; i < nodes; i++) {
        if (!read[i]) {
            inputs[count++] = results[i];
        }
    }
    add(builder, "mean", SW_KIND_OUTPUT, SIZE, inputs, count);
#undef SIZE
    return finish(builder);
}
static struct sw_problem *alike(uint32_t nodes, uint64_t seed) {
    return wiring(nodes, seed, false);
}
static struct sw_problem *uneven(uint32_t nodes, uint64_t seed) {
    return wiring(nodes, seed, true);
}

/* Cells of sixteen heads of four operators, listed head by head, and what joins them. */
static struct sw_problem *cells(uint32_t count, uint64_t seed) {
    uint64_t r = seed;
    struct sw_builder *builder = sw_builder_new(NULL);
    const char *last = add(builder, "tokens", SW_KIND_INPUT, 65536, NULL, 0);
    for (uint32_t c = 0; c < count; c++) {
        const char *heads[16];
        char before[24];
        snprintf(before, sizeof before, "%s", last);
        last = before;
        for (uint32_t h = 0; h < 16; h++) {
            uint32_t number = c * 16 + h;
            const char *pair[2];
            pair[0] = add(builder, *name_of("query", number), SW_KIND_INTERMEDIATE, 16384, &last, 1);
            pair[1] = add(builder, *name_of("key", number), SW_KIND_INTERMEDIATE, 16384, &last, 1);
            const char *score = add(builder, *name_of("score", number), SW_KIND_INTERMEDIATE,
                                    (uint64_t)32768 << sw_random_below(&r, 3), pair, 2);
            heads[h] = add(builder, *name_of("head", number), SW_KIND_INTERMEDIATE, 8192, &score, 1);
        }
        last =
            add(builder, *name_of("cell", c), c + 1 < count ? SW_KIND_INTERMEDIATE : SW_KIND_OUTPUT, 65536, heads, 16);
    }
    return finish(builder);
}

/* ---- runs ---- */

static void solve(const void *what, void *result) {
    const struct network *network = what;
    struct outcome *o = result;
    struct sw_error error = {0};
    char path[4096];
    snprintf(path, sizeof path, "%s/order/%s.json.gz", SW_TEST_DATA, network->name);
    struct sw_problem *problem = network->draw ? network->draw(network->count, network->seed) : bench_load(path);
    double start = bench_now();
    struct sw_order_graph *graph = sw_order_graph_new(problem, &error);
    if (!graph) {
        bench_fail(&error);
    }
    struct sw_order_search *search = sw_order_search_new(graph, NULL);
    struct sw_order_event event;
    enum sw_order_progress progress = search ? SW_ORDER_MORE : SW_ORDER_FAILED;
    for (uint64_t i = 0; progress == SW_ORDER_MORE && (i % 64 || bench_now() - start < network->seconds); i++) {
        progress = sw_order_search_step(search, &event);
        o->waypoints += progress == SW_ORDER_MORE && event.kind == SW_ORDER_EVENT_WAYPOINT;
    }
    o->seconds = bench_now() - start;
    if (progress == SW_ORDER_FAILED) {
        sw_fail_memory(&error);
        bench_fail(&error);
    }
    o->operators = graph->operator_count;
    o->program = sw_problem_lower_bound(problem);
    o->bound = sw_order_search_bound(search);
    o->peak = sw_order_search_peak(search);
    o->states = sw_order_search_states(search);
    o->proved = progress == SW_ORDER_PROVED;
    sw_order_search_cut_operator(search, &o->cut);
    sw_order_search_free(search);
    sw_order_graph_free(graph);
    sw_problem_unref(problem);
}

static void row(const struct network *network) {
    struct outcome o = {0};
    long kilobytes = 0;
    char path[4096], label[40];
    snprintf(path, sizeof path, "%s/order/%s.json.gz", SW_TEST_DATA, network->name);
    snprintf(label, sizeof label, network->draw ? "%s %u, seed %" PRIu64 : "%s", network->name, network->count,
             network->seed);
    if (!network->draw && access(path, R_OK) != 0) {
        printf("  skipped: %s is not there\n", network->name);
        return;
    }
    if (!bench_apart(solve, network, &o, sizeof o, &kilobytes)) {
        printf("  %-29s failed\n", label);
        return;
    }
    printf("  %-29s %6u %11" PRIu64 " %11" PRIu64 " %11" PRIu64 " %11" PRIu64 " %6.2f%% %9" PRIu64 " %8.3f %7.1f  ",
           label, o.operators, o.program, o.cut, o.bound, o.peak, 100.0 * (double)(o.peak - o.bound) / (double)o.peak,
           o.states, o.seconds, (double)kilobytes / 1024);
    printf("%s%s\n", o.proved ? "proved" : "open",
           !network->best            ? ""
           : o.peak == network->best ? ", the best known"
           : o.peak < network->best  ? ", BETTER THAN THE BEST KNOWN"
                                     : ", NOT THE BEST KNOWN");
}

void bench_least(void) {
    static const struct network networks[] = {
        {"mcu_cells_s3", NULL, 0, 0, 884736, 5},
        {"moe_experts", NULL, 0, 0, 1118208, 5},
        {"randwire_small_cifar_s2", NULL, 0, 0, 1198080, 5},
        {"randwire_regular_imagenet_s3", NULL, 0, 0, 11615744, 5},
        {"darts_v2_cifar", NULL, 0, 0, 1511424, 5},
        {"nasnet_a_imagenet", NULL, 0, 0, 3888640, 5},
        {"densenet121", NULL, 0, 0, 8429568, 5},
        {"resnet18_train_b8", NULL, 0, 0, 261362948, 5},
        {"transformer_train", NULL, 0, 0, 44514820, 5},
        {"uneven_n64_s3", NULL, 0, 0, 2834432, 5},
        {"alike", alike, 100, 1, 0, 10},
        {"alike", alike, 200, 3, 0, 10},
        {"uneven", uneven, 64, 1, 0, 10},
        {"uneven", uneven, 100, 1, 0, 10},
        {"cells", cells, 308, 1, 0, 10},
    };
    printf("orders of operators, live bytes at the peak (10 s for what is drawn, 5 s for the others)\n"
           "  %-29s %6s %11s %11s %11s %11s %7s %9s %8s %7s\n",
           "network", "ops", "file", "cuts", "bound", "order", "gap", "states", "seconds", "MB");
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        row(&networks[i]);
    }
}
