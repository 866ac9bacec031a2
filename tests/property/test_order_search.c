/* The order of operators: every answer of engine/order against plain ones over all sets and all orders, which are those
 * of order_network. */
#include "share.h"
#include "order_network.h"

#include "base/hash.h"
#include "order/exact/order_attempt.h"
#include "order/exact/order_cuts.h"
#include "order/order_rules.h"
#include "order/order_search.h"
#include "order/exact/order_waypoints.h"
#include "order/order_wishes.h"
#include "order/orders.h"
#include "problem/change/whole_order.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CASES = 2000, BRUTE = 9 };

static uint64_t first_seed(void) {
    const char *seed = getenv("SW_PROPERTY_SEED");
    return seed ? strtoull(seed, NULL, 10) : 1;
}

/* ---- what is claimed ---- */

static struct {
    uint64_t brute, segments, longer, cuts, waypoints, passed, tests, states, better, searched;
    uint64_t allowed, torn, inplace, moves, wished, together, dearer, refused, extra, kept, held;
} seen;

static uint64_t peak_without(const struct network *net, const uint32_t *order) {
    uint64_t peak = 0;
    for (uint32_t i = 0, set = 0; i < net->operators; set |= 1u << order[i++]) {
        uint64_t cost = network_plain_cost(net, set, order[i]);
        peak = cost > peak ? cost : peak;
    }
    return peak;
}

static void check_file_order(const struct network *net, const struct sw_problem *problem,
                             const struct sw_order_graph *graph) {
    uint32_t order[MOST_OPERATORS];
    uint64_t most = 0, peak = 0;
    for (uint32_t i = 0; i < net->operators; i++) {
        order[i] = i;
        most = sw_problem_profile(problem)[i] > most ? sw_problem_profile(problem)[i] : most;
    }
    most = net->inplace ? network_peak(net, order, "file") : most;
    CHECK(net, sw_order_peak(graph, order, &peak, NULL) && peak == most, "file's order: %" PRIu64 ", not %" PRIu64,
          peak, most);
    CHECK(net, network_peak(net, order, "file") == most, "the oracle counts something else");
    seen.better += net->least[0] < most;
    seen.inplace += net->inplace && network_peak(net, order, "file") < peak_without(net, order);
}

/* Greedy and LPMF, restated. */
static void restate_rule(const struct network *net, bool lpmf, uint32_t *order) {
    uint64_t so_far = 0;
    for (uint32_t i = 0, set = 0; i < net->operators; i++) {
        uint32_t best = SW_NONE;
        uint64_t of_best[3] = {0, 0, 0};
        for (uint32_t op = 0; op < net->operators; op++) {
            uint64_t cost = network_step_cost(net, set, op), raised = lpmf && cost > so_far ? cost - so_far : 0;
            uint64_t keys[3] = {raised, net->alive[set | 1u << op], cost};
            int k = keys[0] != of_best[0] ? 0 : keys[1] != of_best[1] ? 1 : 2;
            if (network_may_go(net, set, op) && (best == SW_NONE || keys[k] < of_best[k])) {
                best = op;
                memcpy(of_best, keys, sizeof keys);
            }
        }
        order[i] = best;
        so_far = of_best[2] > so_far ? of_best[2] : so_far;
        set |= 1u << best;
    }
}

static bool run_beam(const struct sw_order_graph *graph, uint32_t width, uint32_t *order) {
    struct sw_order_beam *beam = sw_order_beam_new(graph, width);
    struct sw_order_layer layer = {0};
    uint64_t peak;
    bool ok = beam != NULL;
    while (ok && layer.done < graph->operator_count) {
        ok = sw_order_beam_step(beam, &layer);
    }
    if (ok) {
        memcpy(order, sw_order_beam_best(beam, &peak)->trail, graph->operator_count * sizeof *order);
    }
    sw_order_beam_free(beam);
    return ok;
}

static void check_rules(const struct network *net, const struct sw_order_graph *graph,
                        const struct sw_order_graph *reversed) {
    for (int turned = 0; turned < 2; turned++) {
        const struct sw_order_graph *of = turned ? reversed : graph;
        for (int rule = 0; rule < 4; rule++) {
            uint32_t order[MOST_OPERATORS];
            uint64_t peak = 0, mine = 0;
            uint32_t width = rule == 2 ? 3 : net->operators <= BRUTE - 2 ? 200 : 1;
            CHECK(net, rule < 2 ? sw_order_by_rule(of, (enum sw_order_rule)rule, order) : run_beam(of, width, order),
                  "rule %d, width %u", rule, width);
            CHECK(net, sw_order_peak(of, order, &peak, NULL), "rule %d: no order", rule);
            if (!turned && rule < 2) {
                uint32_t again[MOST_OPERATORS];
                restate_rule(net, rule == SW_ORDER_LPMF, again);
                CHECK(net, memcmp(order, again, net->operators * sizeof *order) == 0, "rule %d takes others", rule);
            }
            if (turned) {
                sw_order_turn_round(order, net->operators);
            }
            mine = network_peak(net, order, "rule");
            CHECK(net, mine == peak && mine >= net->least[0], "rule %d: %" PRIu64 ", not %" PRIu64, rule, peak, mine);
            CHECK(net, rule < 3 || net->operators > BRUTE - 2 || peak == net->least[0],
                  "a beam of all sets misses the least");
        }
    }
}

/* Every set that can be reached: what the state says of it, and that going back leaves nothing behind. */
static void check_state(const struct network *net, struct sw_order_state *state, uint32_t set, uint8_t *met) {
    CHECK(net, state->live == net->alive[set], "set %x: %" PRIu64 " alive, not %" PRIu64, set, state->live,
          net->alive[set]);
    uint32_t ready = 0;
    for (uint32_t i = 0; i < state->ready_count; i++) {
        uint32_t op = state->ready[i];
        ready |= 1u << op;
        CHECK(net,
              network_may_go(net, set, op) && sw_order_state_during(state, op) == network_step_cost(net, set, op) &&
                  sw_order_state_after(state, op) == net->alive[set | 1u << op],
              "set %x, operator %u", set, op);
    }
    met[set] = 1;
    for (uint32_t op = 0; op < net->operators; op++) {
        CHECK(net, (ready >> op & 1) == network_may_go(net, set, op), "set %x: ready %x", set, ready);
        if (ready >> op & 1 && !met[set | 1u << op]) {
            sw_order_state_run(state, op);
            check_state(net, state, set | 1u << op, met);
            sw_order_state_back(state);
            CHECK(net, state->live == net->alive[set], "set %x: going back", set);
        }
    }
}

static void walk_states(const struct network *net, const struct sw_order_graph *graph) {
    struct sw_order_state state;
    uint8_t *met = calloc(1u << net->operators, 1);
    CHECK(net, met && sw_order_state_init(&state, graph), "memory");
    check_state(net, &state, 0, met);
    sw_order_state_done(&state);
    free(met);
}

/* How few operators can be run on a set, every step within the threshold, with no more alive afterwards; 0: none can.
 */
static uint32_t fewest(const struct network *net, uint32_t set, uint64_t threshold) {
    uint32_t all = network_all(net), best = 0, *length = calloc((size_t)all + 1, sizeof *length);
    CHECK(net, length, "memory");
    for (uint32_t s = set; s <= all; s++) { /* a set with one member more is a larger number */
        for (uint32_t op = 0; (s == set || length[s]) && op < net->operators; op++) {
            uint32_t more = s | 1u << op;
            if (network_may_run(net, s, op) && network_step_cost(net, s, op) <= threshold) {
                length[more] = length[s] + 1;
                best = net->alive[more] <= net->alive[set] && (!best || length[more] < best) ? length[more] : best;
            }
        }
    }
    free(length);
    return best;
}

/* Safe moves and segments: within any threshold that some completion keeps, one begins with the segment. */
static void check_segment(const struct network *net, struct sw_order_state *state, uint32_t set, uint64_t threshold,
                          uint32_t look) {
    uint32_t segment[64], now = set;
    uint32_t length = sw_order_safe_segment(state, threshold, NULL, 0, look, segment);
    for (uint32_t i = 0; i < length; i++) {
        CHECK(net, network_may_run(net, now, segment[i]) && network_step_cost(net, now, segment[i]) <= threshold,
              "set %x within %" PRIu64 ": place %u of the segment", set, threshold, i);
        now |= 1u << segment[i];
    }
    CHECK(net, net->alive[now] <= net->alive[set], "set %x: more is alive after the segment", set);
    CHECK(net, net->least[set] > threshold || net->least[now] <= threshold,
          "set %x within %" PRIu64 ": the segment to %x is not safe", set, threshold, now);
    uint32_t few = length > 1 || look > 60 ? fewest(net, set, threshold) : length;
    CHECK(net, length == 0 ? few == 0 || few > 3 || look < 60 : length == few,
          "set %x within %" PRIu64 ": %u operators, %u are enough", set, threshold, length, few);
    seen.segments += length == 1;
    seen.longer += length > 1;
}

static void check_segments(const struct network *net, const struct sw_order_graph *graph) {
    uint64_t r = net->seed;
    for (int k = 0; k < 200; k++) {
        struct sw_order_state state;
        CHECK(net, sw_order_state_init(&state, graph), "memory");
        uint32_t set = 0;
        for (uint64_t steps = sw_random_below(&r, net->operators); steps > 0; steps--) {
            uint32_t op = state.ready[sw_random_below(&r, state.ready_count)];
            sw_order_state_run(&state, op);
            set |= 1u << op;
        }
        check_segment(net, &state, set, net->least[set] + sw_random_below(&r, 4),
                      (uint32_t)(1 + sw_random_below(&r, k % 2 ? 12 : 63)));
        sw_order_state_done(&state);
    }
}

/* A cut is the least cost of a step over all sets in which it can be taken, and its witness holds as much. */
static void check_cuts(const struct network *net, const struct sw_order_graph *graph) {
    struct sw_order_cutter *cutter = sw_order_cutter_new(graph);
    CHECK(net, cutter, "memory");
    for (uint32_t op = 0; op < net->operators; op++) {
        uint64_t bytes = 0, least = UINT64_MAX, sum = 0;
        uint32_t set = 0;
        struct sw_order_held list[MOST_BUFFERS];
        CHECK(net, sw_order_cut(cutter, op, &bytes), "memory");
        for (uint32_t s = 0; s <= network_all(net); s++) {
            if (network_reachable(net, s) && network_may_run(net, s, op)) {
                uint64_t cost = network_plain_cost(net, s, op);
                least = cost < least ? cost : least;
            }
        }
        CHECK(net, bytes == least, "operator %u: cut %" PRIu64 ", least %" PRIu64, op, bytes, least);
        CHECK(net, bytes - sw_order_graph_saved(graph, op) <= net->least[0],
              "operator %u: the bound is above the optimum", op);
        for (uint32_t k = 0; k < net->operators; k++) {
            set |= sw_order_cut_ran(cutter, k) ? 1u << k : 0;
        }
        CHECK(net,
              network_reachable(net, set) && network_may_run(net, set, op) && network_plain_cost(net, set, op) == bytes,
              "operator %u: the set", op);
        for (uint32_t i = sw_order_cut_witness(cutter, list); i-- > 0;) {
            uint32_t b = graph->buffers[list[i].buffer].in_problem;
            bool always = true; /* is it held in whatever set the operator runs? */
            for (uint32_t s = 0; s <= network_all(net); s++) {
                if (network_reachable(net, s) && network_may_run(net, s, op)) {
                    always &= (net->starts[b] || (network_users(net, b) & (s | 1u << op))) &&
                              (net->ends[b] || (network_users(net, b) & ~s));
                }
            }
            CHECK(net, !list[i].forced || always, "operator %u: b%u is not forced", op, b);
            sum += net->size[b];
        }
        CHECK(net, sum == bytes, "operator %u: the witness holds %" PRIu64, op, sum);
        seen.cuts++;
    }
    sw_order_cutter_free(cutter);
}

/* The least peak of all orders that pass through these sets. */
static uint64_t least_through(const struct network *net, const uint32_t *through, uint32_t count) {
    uint64_t *least = malloc(sizeof *least << net->operators), found = 0;
    CHECK(net, least, "memory");
    for (uint32_t set = network_all(net) + 1; set-- > 0;) {
        bool allowed = network_reachable(net, set);
        for (uint32_t i = 0; i < count; i++) { /* only sets inside or around each of them */
            allowed &= !(set & ~through[i]) || !(through[i] & ~set);
        }
        least[set] = set == network_all(net) ? 0 : UINT64_MAX;
        for (uint32_t op = 0; allowed && op < net->operators; op++) {
            if (network_may_run(net, set, op) && least[set | 1u << op] != UINT64_MAX) {
                uint64_t rest = least[set | 1u << op], cost = network_step_cost(net, set, op),
                         peak = cost > rest ? cost : rest;
                least[set] = peak < least[set] ? peak : least[set];
            }
        }
    }
    found = least[0];
    free(least);
    return found;
}

/* Some order of least peak passes through all waypoints that are found. */
static void check_waypoints(const struct network *net, const struct sw_order_graph *graph, const uint32_t *order) {
    uint32_t cuts[MOST_OPERATORS], count = 0, through[MOST_OPERATORS + 1], at = 0, set = 0;
    if (graph->extra) { /* then none are looked for */
        return;
    }
    CHECK(net, sw_order_waypoints(graph, order, UINT64_MAX, cuts, &count), "memory");
    for (uint32_t i = 0; i < net->operators; i++) {
        if (at < count && cuts[at] == i) {
            through[at++] = set;
        }
        set |= 1u << order[i];
    }
    CHECK(net, at == count, "%u of %u waypoints", at, count);
    uint64_t least = least_through(net, through, count);
    CHECK(net, least == net->least[0], "through %u waypoints: %" PRIu64 ", least %" PRIu64, count, least,
          net->least[0]);
    seen.waypoints += count;
}

/* The test of one set alone: every beginning of an order drawn at random, and of those behind the first that passes. */
static void check_tests(const struct network *net, const struct sw_order_graph *graph) {
    struct sw_order_state state;
    struct sw_order_cutter *cutter = sw_order_cutter_new(graph);
    uint32_t place[MOST_OPERATORS], set = 0, through[MOST_OPERATORS], count = 0, from = 0;
    uint64_t r = net->seed;
    CHECK(net, cutter && sw_order_state_init(&state, graph), "memory");
    while (state.done < net->operators) {
        sw_order_state_run(&state, state.ready[sw_random_below(&r, state.ready_count)]);
        place[state.trail[state.done - 1]] = state.done - 1;
    }
    for (uint32_t at = 1; at < net->operators; at++) {
        bool is = false;
        set |= 1u << state.trail[at - 1];
        CHECK(net, sw_order_is_waypoint(cutter, state.trail, place, from, net->operators, at, &is), "memory");
        if (is) {
            through[count++] = set;
            from = at;
            CHECK(net, least_through(net, through, count) == net->least[0], "%x is no waypoint", set);
        }
        seen.tests += !is;
    }
    seen.passed += count;
    sw_order_state_done(&state);
    sw_order_cutter_free(cutter);
}

static void check_search(const struct network *net, const struct sw_order_graph *graph,
                         const struct sw_order_options *options) {
    struct sw_order_search *search = sw_order_search_new(graph, options);
    CHECK(net, search, "memory");
    struct sw_order_event event;
    enum sw_order_progress progress = SW_ORDER_MORE;
    while (progress == SW_ORDER_MORE) {
        progress = sw_order_search_step(search, &event);
        CHECK(net, sw_order_search_bound(search) <= net->least[0], "bound %" PRIu64 " above the least %" PRIu64,
              sw_order_search_bound(search), net->least[0]);
        CHECK(net, sw_order_search_peak(search) >= net->least[0], "peak below the least");
        if (progress == SW_ORDER_MORE && event.kind == SW_ORDER_EVENT_CUT) {
            CHECK(net, event.bytes <= net->least[0], "a cut above the least");
        }
    }
    uint64_t peak = network_peak(net, sw_order_search_order(search), "search");
    CHECK(net, progress == (options->work ? progress : SW_ORDER_PROVED) && progress != SW_ORDER_FAILED, "ended with %d",
          (int)progress);
    CHECK(net, peak == sw_order_search_peak(search), "the order has %" PRIu64, peak);
    CHECK(net, progress != SW_ORDER_PROVED || peak == net->least[0], "%" PRIu64 " called least; it is %" PRIu64, peak,
          net->least[0]);
    seen.states += sw_order_search_states(search);
    seen.searched += sw_order_search_states(search) > 0;
    sw_order_search_free(search);
}

static void check_searches(const struct network *net, const struct sw_order_graph *graph) {
    const struct sw_order_options ways[] = {
        {0},
        {.no_cuts = true, .no_waypoints = true, .no_backward = true},
        {.no_cuts = true, .no_waypoints = true, .no_forward = true},
        {.no_cuts = true, .no_backward = true},
        {.no_cuts = true, .no_forward = true, .look = 4},
        {.no_cuts = true, .no_waypoints = true, .look = 1},
        {.no_cuts = true, .no_waypoints = true, .no_safe_moves = true, .look = 1},
        {.no_cuts = true, .work = 5},
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        check_search(net, graph, &ways[i]);
    }
}

/* ---- for those that do not step ---- */

/* The longest run of operators that kept their order, by trying all of them. */
static uint32_t longest_kept(const struct network *net, const uint32_t *order) {
    uint32_t best = 0;
    for (uint32_t set = 0; set <= network_all(net); set++) {
        uint32_t last = 0, length = 0;
        bool kept = true;
        for (uint32_t i = 0; i < net->operators; i++) {
            bool in = set >> order[i] & 1;
            kept &= !in || length == 0 || order[i] > last;
            last = in ? order[i] : last;
            length += in;
        }
        best = kept && length > best ? length : best;
    }
    return best;
}

/* Undone by hand: the operator is taken out and put in again where it is said to stand. */
static void check_move(const struct network *net, const uint32_t *order, const struct sw_order_move *move) {
    uint32_t other[MOST_OPERATORS], count = 0;
    if (net->joined && !move->tried) {
        return;
    }
    CHECK(net, order[move->to] == move->op && move->tried && move->undone < net->operators, "a move of operator %u",
          move->op);
    for (uint32_t i = 0; i < net->operators; i++) {
        if (count == move->undone) {
            other[count++] = move->op;
        }
        if (order[i] != move->op) {
            other[count++] = order[i];
        }
    }
    if (count < net->operators) {
        other[count++] = move->op;
    }
    CHECK(net, network_peak(net, other, "undone") == move->peak, "operator %u undone: %" PRIu64, move->op, move->peak);
}

/* Orders drawn by what operators need alone: the problem's own judge allows those in which parts stay together, and no
 * others. */
static void check_judge(const struct network *net, const struct sw_problem *problem) {
    uint64_t r = net->seed * 31 + 7;
    for (int i = 0; i < 4; i++) {
        uint32_t order[MOST_OPERATORS], set = 0;
        bool whole = true;
        for (uint32_t at = 0; at < net->operators; at++) {
            uint32_t op;
            do {
                op = (uint32_t)sw_random_below(&r, net->operators);
            } while ((set >> op & 1) || (net->needs[op] & ~set));
            whole &= network_may_run(net, set, op);
            order[at] = op;
            set |= 1u << op;
        }
        bool may = sw_problem_may_order(problem, order, NULL, NULL);
        CHECK(net, may == whole, "an order is %s", may ? "allowed" : "refused");
        seen.allowed += may && net->joined;
        seen.torn += !may;
    }
}

static void check_orders(const struct network *net, const struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_orders orders = {0};
    struct sw_order_moves moves = {0};
    CHECK(net, sw_orders_of(problem, (struct sw_orders_budget){0, 0}, &orders, &error), "%s", error.message);
    CHECK(net, orders.bound <= net->least[0] && orders.peak >= net->least[0] && orders.witness_bytes <= orders.bound,
          "orders");
    CHECK(net, network_peak(net, orders.order, "orders") == orders.peak, "its order");
    uint64_t sum = 0;
    for (size_t i = 0; i < orders.held.count; i++) {
        sum += sw_problem_buffer(problem, orders.held.items[i].buffer)->size;
    }
    CHECK(net, sum <= orders.witness_bytes + orders.witness_saved, "the witness holds %" PRIu64,
          sum); /* less what no operator names */
    CHECK(net, sw_order_moves_of(problem, orders.order, UINT32_MAX, &moves, &error), "%s", error.message);
    if (net->operators <= BRUTE) {
        CHECK(net, moves.items.count == net->operators - longest_kept(net, orders.order), "%zu moved",
              moves.items.count);
    }
    for (size_t i = 0; i < moves.items.count; i++) {
        check_move(net, orders.order, &moves.items.items[i]);
        CHECK(net, i == 0 || moves.items.items[i].peak <= moves.items.items[i - 1].peak, "the dearest is not first");
    }
    seen.moves += moves.items.count;
    sw_order_moves_done(&moves);
    sw_orders_done(&orders);
}

/* ---- what a user asks for besides ---- */

static void tell_wishes(const struct network *net, struct sw_order_wishes *wishes) {
    for (uint32_t op = 0; op < net->operators; op++) {
        for (uint32_t first = 0; first < net->operators; first++) {
            CHECK(net, !(net->before[op] >> first & 1) || SW_PUSH(&wishes->before, ((struct sw_order_wish){first, op})),
                  "memory");
        }
    }
    for (uint32_t group = 1; group <= 2; group++) {
        size_t from = wishes->together.count;
        for (uint32_t op = 0; op < net->operators; op++) {
            CHECK(net, net->group[op] != group || SW_PUSH(&wishes->together, op), "memory");
        }
        wishes->together.count =
            wishes->together.count < from + 2 ? from : wishes->together.count; /* one alone is no group */
        CHECK(net, wishes->together.count == from || SW_PUSH(&wishes->together, SW_NONE), "memory");
    }
}

/* A wish is refused exactly where no order has it; else all is as before, over the orders that have it. */
static void check_wishes(struct network *net, const struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_order_wishes wishes = {0};
    uint32_t order[MOST_OPERATORS];
    struct sw_order_graph *graph = sw_order_graph_new(problem, &error);
    CHECK(net, graph, "refused: %s", error.message);
    uint64_t least = net->least[0];
    network_draw_wishes(net);
    network_solve(net);
    tell_wishes(net, &wishes);
    bool may = sw_order_graph_wish(graph, problem, &wishes, &error);
    CHECK(net, may == (net->least[0] != UINT64_MAX), "wishes: %s", may ? "no order has them" : error.message);
    if (may) {
        struct sw_order_graph *reversed = sw_order_graph_reversed(graph);
        CHECK(net, reversed && sw_order_by_rule(graph, SW_ORDER_LPMF, order), "memory");
        check_rules(net, graph, reversed);
        walk_states(net, graph);
        check_waypoints(net, graph, order);
        check_searches(net, graph);
        sw_order_graph_free(reversed);
        seen.wished++;
        seen.dearer += net->least[0] > least;
        seen.together += wishes.together.count > 0;
    } else {
        seen.refused++;
    }
    sw_order_wishes_done(&wishes);
    sw_order_graph_free(graph);
}

/* What nothing touches, and is there while operators run that begin every order, may as well be theirs. */
static void hold_idle(struct network *net, const struct sw_order_graph *graph) {
    for (uint32_t i = 0, first = net->buffers; i < net->idle_count; i++) {
        uint32_t b = net->buffers++;
        net->size[b] = 0;
        for (uint32_t k = 0; k < graph->buffer_count; k++) {
            if (graph->buffers[k].in_problem == first + i) {
                net->size[b] = net->idle[i].size;
                net->works[b] = 1u << net->idle[i].first | 1u << net->idle[i].last;
                for (uint32_t step = net->idle[i].first; step <= net->idle[i].last; step++) {
                    net->extra[step] -= net->idle[i].size;
                }
                seen.held++;
            }
        }
    }
}

static void check_network(struct network *net) {
    struct sw_error error = {0};
    struct sw_problem *problem = network_build(net);
    struct sw_order_graph *graph = sw_order_graph_new(problem, &error);
    CHECK(net, graph, "refused: %s", error.message);
    struct sw_order_graph *reversed = sw_order_graph_reversed(graph);
    uint32_t order[MOST_OPERATORS];
    CHECK(net, reversed && sw_order_by_rule(graph, SW_ORDER_LPMF, order), "memory");
    hold_idle(net, graph);
    network_solve(net);
    if (!graph->extra) { /* what nothing touches decides nothing */
        uint64_t least = net->least[0];
        memset(net->extra, 0, sizeof net->extra);
        network_solve(net);
        CHECK(net, net->least[0] == least, "what nothing touches is passed over, and decides");
    }
    seen.extra += graph->extra != NULL;
    seen.kept += net->kept != 0;
    if (net->operators <= BRUTE) {
        CHECK(net, network_try_orders(net, 0, 0, UINT64_MAX) == net->least[0], "the oracle disagrees with itself");
        seen.brute++;
    }
    check_file_order(net, problem, graph);
    check_rules(net, graph, reversed);
    walk_states(net, graph);
    if (!net->inplace && !net->joined && !graph->extra) { /* then none are looked for, or they leave groups whole */
        check_segments(net, graph);
    }
    if (!net->joined && !graph->extra) { /* the oracle counts sets that no order with whole groups passes, too */
        check_cuts(net, graph);
        check_tests(net, graph);
    }
    check_waypoints(net, graph, order);
    check_searches(net, graph);
    check_orders(net, problem);
    check_judge(net, problem);
    sw_order_graph_free(reversed);
    sw_order_graph_free(graph);
    check_wishes(net, problem);
    sw_problem_unref(problem);
}

int main(void) {
    struct network net = {.least = malloc(sizeof(uint64_t) << MOST_OPERATORS),
                          .alive = malloc(sizeof(uint64_t) << MOST_OPERATORS)};
    /* Two in which a waypoint that tears a group apart would be wrong, and one in which what nothing touches is held;
     * few are. */
    const uint64_t rare[] = {9141, 150030, 423};
    for (size_t i = 0; net.least && net.alive && i < sizeof rare / sizeof *rare; i++) {
        network_draw(&net, rare[i]);
        check_network(&net);
    }
    for (uint64_t i = first_case(CASES), i_end = i + cases(CASES); net.least && net.alive && i < i_end; i++) {
        network_draw(&net, first_seed() + i);
        check_network(&net);
    }
    free(net.least);
    free(net.alive);
    printf("%" PRIu64 " against all orders, %" PRIu64 " safe moves, %" PRIu64 " longer segments, %" PRIu64
           " cuts, %" PRIu64 " waypoints, %" PRIu64 " of %" PRIu64 " other sets, %" PRIu64 " states in %" PRIu64
           " searches, %" PRIu64 " orders better than the file's\n",
           seen.brute, seen.segments, seen.longer, seen.cuts, seen.waypoints, seen.passed, seen.passed + seen.tests,
           seen.states, seen.searched, seen.better);
    printf("%" PRIu64 " that write in place to their peak's profit, %" PRIu64 " moves undone\n%" PRIu64
           " orders that keep parts together, %" PRIu64 " that tear them\n%" PRIu64 " with wishes, %" PRIu64
           " of them with groups, %" PRIu64 " dearer for it, %" PRIu64 " wishes that no order has\n",
           seen.inplace, seen.moves, seen.allowed, seen.torn, seen.wished, seen.together, seen.dearer, seen.refused);
    return often(seen.brute, 500) && often(seen.segments, 10000) && often(seen.longer, 100) &&
                   often(seen.waypoints, 100) && often(seen.passed, 100) && often(seen.tests, 1000) &&
                   often(seen.searched, 200) && often(seen.better, 200) && often(seen.allowed, 100) &&
                   often(seen.torn, 100) && often(seen.inplace, 100) && often(seen.moves, 500) &&
                   often(seen.together, 200) && often(seen.dearer, 100) && often(seen.refused, 100) &&
                   often(seen.extra, 50) && often(seen.kept, 50) && often(seen.held, 4)
               ? 0
               : 1;
}
