/* Random networks for the test of the search for orders, and what is true of their orders. See order_network.h. */
#include "order_network.h"

#include "base/hash.h"
#include "problem/builder.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void network_fail(const struct network *net, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "seed %" PRIu64 ": ", net->seed);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\nrun again with SW_PROPERTY_SEED=%" PRIu64 "\n", net->seed);
    va_end(arguments);
    exit(1);
}

uint32_t network_all(const struct network *net) {
    return (1u << net->operators) - 1;
}

uint32_t network_users(const struct network *net, uint32_t b) {
    return net->reads[b] | net->writes[b] | net->works[b];
}

/* Parts of one operator are a group; users' groups have smaller numbers. */
enum { FIRST_JOINED = 10 };
static void join_parts(struct network *net) {
    for (uint32_t op = 1; op < net->operators; op++) {
        if (net->joined >> op & 1) {
            net->group[op - 1] = net->group[op - 1] ? net->group[op - 1] : FIRST_JOINED + op;
            net->group[op] = net->group[op - 1];
        }
    }
}

/* Lifetimes that no operator explains: of what nothing touches, and of what is there all along. */
static void draw_given(struct network *net) {
    uint64_t r = net->seed * 7919 + 5;
    if (net->seed % 7 != 3 || net->operators < 2) {
        return;
    }
    net->idle_count = (uint32_t)sw_random_below(&r, 4);
    for (uint32_t i = 0; i < net->idle_count; i++) {
        uint32_t first = (uint32_t)sw_random_below(&r, net->operators),
                 last = first + (uint32_t)sw_random_below(&r, net->operators - first);
        first = sw_random_below(&r, 2) ? last = 0 : first;
        last -= first == 0 && last + 1 == net->operators;
        net->idle[i].size = 1 + sw_random_below(&r, 60);
        net->idle[i].first = first;
        net->idle[i].last = last;
        for (uint32_t step = first; step <= last; step++) {
            net->extra[step] += net->idle[i].size;
        }
    }
    for (uint32_t b = 0; b < net->buffers && !net->inplace; b++) {
        if (!net->works[b] && network_users(net, b) && sw_random_below(&r, 8) == 0) {
            net->kept |= UINT64_C(1) << b;
            net->starts[b] = net->ends[b] = true;
        }
    }
}

void network_draw(struct network *net, uint64_t seed) {
    uint64_t r = seed * 1000003;
    uint64_t *least = net->least, *alive = net->alive;
    memset(net, 0, sizeof *net);
    net->least = least;
    net->alive = alive;
    net->seed = seed;
    net->operators = 1 + (uint32_t)sw_random_below(&r, MOST_OPERATORS);
    uint32_t wide = 1 + (uint32_t)sw_random_below(&r, 40), inputs = (uint32_t)sw_random_below(&r, 3);
    wide = seed % 3 == 1 ? 1 + wide % 4 : wide;           /* sizes are alike where much is to be written in place */
    uint32_t near = 2 + (uint32_t)sw_random_below(&r, 8); /* how far back an operator reads */
    for (uint32_t b = 0; b < inputs; b++) {
        net->size[b] = 1 + sw_random_below(&r, wide);
        net->starts[b] = true;
    }
    net->buffers = inputs;
    for (uint32_t op = 0; op < net->operators; op++) {
        uint32_t bit = 1u << op, reads = (uint32_t)sw_random_below(&r, 4);
        for (uint32_t k = 0; k < reads && net->buffers > 0; k++) {
            uint32_t back = (uint32_t)sw_random_below(&r, net->buffers < near ? net->buffers : near);
            net->reads[net->buffers - 1 - back] |= bit;
        }
        if (net->buffers > 0 && sw_random_below(&r, 12) == 0) { /* overwrites what others may read */
            net->writes[sw_random_below(&r, net->buffers)] |= bit;
        }
        for (uint32_t k = sw_random_below(&r, 10) == 0 ? 2 : 1; k > 0 && net->buffers < MOST_BUFFERS - 6; k--) {
            net->size[net->buffers] = sw_random_below(&r, wide + 1);
            net->writes[net->buffers++] = bit;
        }
        if (sw_random_below(&r, 6) == 0) {
            net->size[net->buffers] = 1 + sw_random_below(&r, wide);
            net->works[net->buffers++] = bit;
        }
        if (op > 0 && sw_random_below(&r, 8) == 0) {
            net->after[op] = 1u << sw_random_below(&r, op);
        }
    }
    net->over = net->seed % 3 == 1 ? (uint32_t)sw_random(&r) & network_all(net) : 0;
    net->inplace = net->over != 0;
    net->joined = net->seed % 5 == 2 ? (uint32_t)sw_random(&r) & (uint32_t)sw_random(&r) & network_all(net) & ~1u : 0;
    join_parts(net);
    for (uint32_t b = 0; b < net->buffers; b++) {
        bool scratch = net->works[b] != 0;
        net->ends[b] = !scratch && (sw_random_below(&r, 8) == 0);
        if (net->starts[b] && !(net->reads[b] | net->writes[b])) {
            net->reads[b] |= 1u;
        }
    }
    draw_given(net);
}

struct sw_problem *network_build(const struct network *net) {
    struct sw_error error = {0};
    char names[MOST_BUFFERS][16], op_names[MOST_OPERATORS][16];
    struct sw_builder *builder = sw_builder_new(&error);
    for (uint32_t b = 0; b < net->buffers; b++) {
        snprintf(names[b], sizeof names[b], "b%u", b);
        struct sw_buffer_spec spec = {.name = names[b], .has_size = true, .size = net->size[b], .output = net->ends[b]};
        bool kept = net->kept >> b & 1;
        spec.has_first = spec.has_last = kept;
        spec.last = net->operators - 1;
        spec.output = !kept && net->ends[b];
        spec.kind = net->starts[b] && !kept ? SW_KIND_INPUT : net->works[b] ? SW_KIND_SCRATCH : SW_KIND_INTERMEDIATE;
        CHECK(net, sw_builder_buffer(builder, &spec, &error), "%s", error.message);
    }
    for (uint32_t i = 0; i < net->idle_count; i++) {
        char name[16];
        snprintf(name, sizeof name, "idle%u", i);
        struct sw_buffer_spec spec = {.name = name, .kind = SW_KIND_INPUT, .has_size = true, .size = net->idle[i].size};
        spec.has_first = spec.has_last =
            net->idle[i].last > 0; /* an input that nothing reads is there at the first step */
        spec.first = net->idle[i].first;
        spec.last = net->idle[i].last;
        CHECK(net, sw_builder_buffer(builder, &spec, &error), "%s", error.message);
    }
    for (uint32_t op = 0; op < net->operators; op++) {
        const char *in[MOST_BUFFERS], *out[MOST_BUFFERS], *scratch[MOST_BUFFERS], *after[MOST_OPERATORS];
        snprintf(op_names[op], sizeof op_names[op], "o%u", op);
        struct sw_operator_spec spec = {.name = op_names[op],
                                        .inplace = net->over >> op & 1 ? SW_INPLACE_ANY : SW_INPLACE_NO,
                                        .joined = net->joined >> op & 1,
                                        .inputs = in,
                                        .outputs = out,
                                        .scratch = scratch,
                                        .after = after};
        for (uint32_t b = 0; b < net->buffers; b++) {
            if (net->reads[b] >> op & 1) {
                in[spec.input_count++] = names[b];
            }
            if (net->writes[b] >> op & 1) {
                out[spec.output_count++] = names[b];
            }
            if (net->works[b] >> op & 1) {
                scratch[spec.scratch_count++] = names[b];
            }
        }
        for (uint32_t k = 0; k < op; k++) {
            if (net->after[op] >> k & 1) {
                after[spec.after_count++] = op_names[k];
            }
        }
        CHECK(net, sw_builder_operator(builder, &spec, &error), "%s", error.message);
    }
    sw_builder_inplace(builder, net->inplace);
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    CHECK(net, problem, "%s", error.message);
    sw_builder_free(builder);
    return problem;
}

/* ---- what a user asks for besides ---- */

void network_draw_wishes(struct network *net) {
    uint64_t r = net->seed * 7919 + 1;
    net->wished = true;
    memset(net->before, 0, sizeof net->before);
    memset(net->group, 0, sizeof net->group);
    join_parts(net);
    for (uint32_t k = (uint32_t)sw_random_below(&r, 4); k > 0; k--) {
        uint32_t a = (uint32_t)sw_random_below(&r, net->operators), b = (uint32_t)sw_random_below(&r, net->operators);
        net->before[b] |= 1u << a;
    }
    for (uint32_t group = 1, count = (uint32_t)sw_random_below(&r, 3); group <= count; group++) {
        uint32_t from = (uint32_t)sw_random_below(&r, net->operators);
        for (uint32_t k = 0; k < 2 + sw_random_below(&r, 3); k++) {
            uint32_t op = (from + (uint32_t)sw_random_below(&r, 5)) % net->operators;
            net->group[op] = net->group[op] ? net->group[op] : group;
        }
    }
}

/* ---- the oracle ---- */

/* A buffer is needed while something has begun it and something has still to use it. */
static uint64_t held_bytes(const struct network *net, uint32_t ran, uint32_t unfinished) {
    uint64_t bytes = 0;
    for (uint32_t b = 0; b < net->buffers; b++) {
        bool begun = net->starts[b] || (network_users(net, b) & ran),
             needed = net->ends[b] || (network_users(net, b) & unfinished);
        bytes += begun && needed ? net->size[b] : 0;
    }
    return bytes;
}

/* May the operator write the buffer over the other one, where no more than this set has run before it? */
static bool may_overwrite(const struct network *net, uint32_t set, uint32_t op, uint32_t old, uint32_t fresh) {
    uint32_t bit = 1u << op;
    bool reads = (net->reads[old] & bit) && !((net->writes[old] | net->works[old]) & bit) && !net->ends[old] &&
                 net->size[old] >= net->size[fresh];
    bool writes =
        (net->writes[fresh] & bit) && !(net->reads[fresh] & bit) && !net->starts[fresh] && net->size[fresh] > 0;
    return reads && writes && !(network_users(net, old) & ~(set | bit)) && !(network_users(net, fresh) & set);
}
/* The most that the operator saves there: every way to give each of the buffers that it writes one that it reads, or
 * none. */
static uint64_t most_saved(const struct network *net, uint32_t set, uint32_t op, uint32_t fresh, uint64_t taken) {
    uint64_t best = 0;
    if (!net->inplace || !(net->over >> op & 1) || fresh == net->buffers) {
        return 0;
    }
    best = most_saved(net, set, op, fresh + 1, taken);
    for (uint32_t old = 0; old < net->buffers; old++) {
        if (!(taken >> old & 1) && may_overwrite(net, set, op, old, fresh)) {
            uint64_t bytes = net->size[fresh] + most_saved(net, set, op, fresh + 1, taken | UINT64_C(1) << old);
            best = bytes > best ? bytes : best;
        }
    }
    return best;
}
uint64_t network_plain_cost(const struct network *net, uint32_t set, uint32_t op) {
    return held_bytes(net, set | 1u << op, network_all(net) & ~set) + net->extra[__builtin_popcount(set)];
}
uint64_t network_step_cost(const struct network *net, uint32_t set, uint32_t op) {
    return network_plain_cost(net, set, op) - most_saved(net, set, op, 0, 0);
}

/* The operators that must run before each operator. They stand earlier in the file, and one of two holds: one of the
 * two operators writes a buffer that the other reads or writes, or the file says that the later waits. */
static void find_needs(struct network *net) {
    for (uint32_t op = 0; op < net->operators; op++) {
        uint32_t earlier = (1u << op) - 1;
        net->needs[op] = net->after[op] | (net->joined >> op & 1 ? 1u << (op - 1) : 0);
        for (uint32_t b = 0; b < net->buffers; b++) {
            if (net->reads[b] >> op & 1) {
                net->needs[op] |= net->writes[b] & earlier;
            }
            if (net->writes[b] >> op & 1) {
                net->needs[op] |= (net->writes[b] | net->reads[b]) & earlier;
            }
        }
    }
}
/* Is there another group that was begun and is not complete? */
static bool is_held_back(const struct network *net, uint32_t set, uint32_t op) {
    for (uint32_t a = 0; a < net->operators; a++) {
        for (uint32_t b = 0; b < net->operators; b++) {
            bool open = (set >> a & 1) && !(set >> b & 1) && net->group[a] == net->group[b];
            if (net->group[a] && open && net->group[op] != net->group[a]) {
                return true;
            }
        }
    }
    return false;
}
bool network_may_run(const struct network *net, uint32_t set, uint32_t op) {
    return !(set >> op & 1) && !((net->needs[op] | net->before[op]) & ~set) &&
           !((net->wished || net->joined) && is_held_back(net, set, op));
}
bool network_may_go(const struct network *net, uint32_t set, uint32_t op) {
    return network_may_run(net, set, op) && net->least[set | 1u << op] != UINT64_MAX;
}
bool network_reachable(const struct network *net, uint32_t set) {
    for (uint32_t op = 0; op < net->operators; op++) {
        if (set >> op & 1 && net->needs[op] & ~set) {
            return false;
        }
    }
    return true;
}

void network_solve(struct network *net) {
    uint32_t all = network_all(net);
    find_needs(net);
    for (uint32_t set = all + 1; set-- > 0;) {
        uint64_t best = set == all ? 0 : UINT64_MAX;
        net->alive[set] = held_bytes(net, set, all & ~set);
        for (uint32_t op = 0; network_reachable(net, set) && op < net->operators; op++) {
            if (network_may_run(net, set, op)) {
                uint64_t rest = net->least[set | 1u << op], cost = network_step_cost(net, set, op),
                         peak = cost > rest ? cost : rest;
                best = peak < best ? peak : best;
            }
        }
        net->least[set] = best;
    }
}

uint64_t network_try_orders(const struct network *net, uint32_t set, uint64_t peak, uint64_t best) {
    if (set == network_all(net)) {
        return peak < best ? peak : best;
    }
    for (uint32_t op = 0; op < net->operators; op++) {
        uint64_t cost = network_may_run(net, set, op) ? network_step_cost(net, set, op) : 0;
        if (network_may_run(net, set, op)) {
            best = network_try_orders(net, set | 1u << op, cost > peak ? cost : peak, best);
        }
    }
    return best;
}

uint64_t network_peak(const struct network *net, const uint32_t *order, const char *name) {
    uint32_t set = 0;
    uint64_t peak = 0;
    for (uint32_t i = 0; i < net->operators; i++) {
        CHECK(net, order[i] < net->operators && network_may_go(net, set, order[i]), "%s: no order at place %u", name,
              i);
        uint64_t cost = network_step_cost(net, set, order[i]);
        peak = cost > peak ? cost : peak;
        set |= 1u << order[i];
    }
    return peak;
}
