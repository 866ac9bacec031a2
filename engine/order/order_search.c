#include "order/order_search.h"
#include "base/base.h"
#include "base/described.h"
#include "base/sort.h"
#include "order/exact/order_attempt.h"
#include "order/exact/order_cuts.h"
#include "order/order_rules.h"
#include "order/exact/order_waypoints.h"

enum { FIRST_ORDERS = 5, THRESHOLDS = 4, FIRST_BUDGET = 1000 };

enum order_phase { PHASE_ORDERS, PHASE_CUTS, PHASE_WAYPOINTS, PHASE_ATTEMPTS };

struct mirror {
    size_t owners;
    struct sw_order_graph *graph;
};
struct sw_order_search {
    const struct sw_order_graph *graph;
    struct mirror *mirror; /* the reversed graph, shared by copies */
    const struct sw_order_graph *reversed;
    struct sw_order_options options;
    enum order_phase phase;
    uint32_t next;           /* of the phase: first order, operator to cut, waypoint to tell */
    uint32_t *order, *other; /* the best, and room for another one */
    uint64_t peak, bound;
    struct sw_keyed *by_cost;       /* the operators, by what their steps cost in the best order */
    struct sw_order_cutter *cutter; /* NULL in a copy, until it is needed */
    uint64_t cut_before;            /* the work of the cutters of those that this is a copy of */
    uint32_t cut_operator;
    uint64_t cut_bytes;
    uint32_t *cuts[2], *level[2], cut_count; /* waypoints from the start and from the end */
    struct sw_order_attempt *attempt;
    bool backward;   /* the attempt that runs, or is next */
    bool good;       /* the direction that decided something last */
    uint32_t which;  /* threshold of the next attempt */
    bool turned;     /* it is the turn of the direction that decided nothing last */
    uint32_t failed; /* attempts since something was decided, or the budget grew */
    uint64_t threshold, budget;
    uint64_t states;  /* of the attempts that ended */
    bool memory_ends; /* some attempt of this round wanted more memory than it may have */
    bool budget_ends; /* some attempt of this round might do better with more states */
};

static struct sw_order_aim aim_of(const struct sw_order_search *search, bool backward) {
    bool way = search->cut_count > 0;
    return (struct sw_order_aim){.graph = backward ? search->reversed : search->graph,
                                 .cuts = search->cuts[backward],
                                 .cut_count = search->cut_count,
                                 .level = way ? search->level[backward] : NULL,
                                 .memory = search->options.memory,
                                 .look = search->options.look,
                                 .no_safe_moves = search->options.no_safe_moves};
}

/* ---- what it holds ---- */

static void drop_mirror(void *of) {
    struct mirror *mirror = of;
    if (--mirror->owners == 0) {
        sw_order_graph_free(mirror->graph);
        SW_FREE(mirror, 1);
    }
}

static void drop_cutter(void *of) {
    sw_order_cutter_free(of);
}

/* An attempt borrows the lists of its search. */
static void lend_lists(void *of) {
    struct sw_order_search *search = of;
    if (search->attempt) {
        struct sw_order_aim aim = aim_of(search, search->backward);
        sw_order_attempt_borrow(search->attempt, &aim);
    }
}

SW_HOW_MANY(operators_of, struct sw_order_search, o->graph->operator_count)
SW_POINTED(attempt, struct sw_order_attempt, sw_order_attempt_free, sw_order_attempt_clone, sw_order_attempt_digest,
           sw_order_attempt_bytes)
static const struct sw_pointed mirror_pointed = {.drop = drop_mirror}, cutter_pointed = {.drop = drop_cutter};
#define STATE struct sw_order_search
static const struct sw_described order_search_described = {
    SW_STRUCT, .mend = lend_lists,
    .fields =
        SW_FIELDS(SW_KEPT(graph, graph), SW_POINTER(mirror, &mirror_pointed), SW_KEPT(reversed, next),
                  SW_ITEMS(order, operators_of), SW_ITEMS(other, operators_of), SW_KEPT(peak, bound),
                  SW_ITEMS(by_cost, operators_of), SW_POINTER(cutter, &cutter_pointed, .scratch = true),
                  SW_KEPT(cut_before, cut_bytes), SW_ITEMS(cuts[0], operators_of), SW_ITEMS(cuts[1], operators_of),
                  SW_ITEMS(level[0], operators_of), SW_ITEMS(level[1], operators_of), SW_KEPT(cut_count, cut_count),
                  SW_POINTER(attempt, &attempt_pointed), SW_KEPT(backward, budget_ends))};
#undef STATE

/* ---- making it ---- */

struct sw_order_search *sw_order_search_new(const struct sw_order_graph *graph,
                                            const struct sw_order_options *options) {
    struct sw_order_search *search = SW_NEW_ZERO(struct sw_order_search, 1);
    if (!search) {
        return NULL;
    }
    search->graph = graph;
    search->options = options ? *options : (struct sw_order_options){0};
    search->options.cut_work = search->options.cut_work ? search->options.cut_work : 200000000;
    search->options.memory = search->options.memory ? search->options.memory : (size_t)1 << 30;
    search->options.look = search->options.look ? search->options.look : 30;
    if (graph->extra) { /* what a step costs depends on its number: a move that is safe need not be */
        search->options.no_safe_moves = search->options.no_waypoints = true;
        search->options.look = 1;
    }
    search->peak = UINT64_MAX;
    search->cut_operator = SW_NONE;
    search->budget = FIRST_BUDGET;
    search->good = !search->options.no_backward;
    search->mirror = SW_NEW_ZERO(struct mirror, 1);
    if (search->mirror) {
        search->mirror->owners = 1;
        search->reversed = search->mirror->graph = sw_order_graph_reversed(graph);
    }
    search->cutter = sw_order_cutter_new(graph);
    if (!search->reversed || !search->cutter || !sw_described_make(&order_search_described, search)) {
        sw_order_search_free(search);
        return NULL;
    }
    return search;
}

void sw_order_search_free(struct sw_order_search *search) {
    sw_described_close(&order_search_described, search);
}

const uint32_t *sw_order_search_order(const struct sw_order_search *search) {
    return search->peak == UINT64_MAX ? NULL : search->order;
}
SW_GETTER(uint64_t, sw_order_search_peak, sw_order_search, peak)
SW_GETTER(uint64_t, sw_order_search_bound, sw_order_search, bound)
uint64_t sw_order_search_states(const struct sw_order_search *search) {
    return search->states + (search->attempt ? sw_order_attempt_states(search->attempt) : 0);
}
uint32_t sw_order_search_cut_operator(const struct sw_order_search *search, uint64_t *bytes) {
    *bytes = search->cut_bytes;
    return search->cut_operator;
}

void sw_order_search_know(struct sw_order_search *search, uint64_t bound) {
    search->bound = SW_MAX(bound, search->bound);
}

static bool raise_to(struct sw_order_search *search, uint64_t bytes, struct sw_order_event *event) {
    if (bytes <= search->bound) {
        return false;
    }
    search->bound = bytes;
    *event = (struct sw_order_event){.kind = SW_ORDER_EVENT_RAISE, .operator_ = SW_NONE, .bytes = bytes};
    return true;
}

/* `other` is an order: keep it where it is better. */
static enum sw_order_progress offer_order(struct sw_order_search *search, struct sw_order_event *event, bool *better) {
    uint64_t peak = 0;
    if (!sw_order_peak(search->graph, search->other, &peak, NULL)) {
        return SW_ORDER_FAILED;
    }
    *better = peak < search->peak;
    if (*better) {
        uint32_t *held = search->order;
        search->order = search->other;
        search->other = held;
        search->peak = peak;
        *event = (struct sw_order_event){.kind = SW_ORDER_EVENT_INCUMBENT, .operator_ = SW_NONE, .bytes = peak};
    }
    return SW_ORDER_MORE;
}

/* ---- first orders ---- */

static enum sw_order_progress first_order(struct sw_order_search *search, struct sw_order_event *event, bool *told) {
    uint32_t which = search->next++, n = search->graph->operator_count;
    bool backward = which > 2;
    if (which == 0) {
        uint64_t peak = 0;
        for (uint32_t op = 0; op < n; op++) {
            search->other[op] = op;
        }
        if (search->graph->wished && !sw_order_peak(search->graph, search->other, &peak, NULL)) {
            return peak == UINT64_MAX ? SW_ORDER_MORE /* it has not what was asked for */ : SW_ORDER_FAILED;
        }
    } else {
        enum sw_order_rule rule = which % 2 ? SW_ORDER_GREEDY : SW_ORDER_LPMF;
        if (!sw_order_by_rule(backward ? search->reversed : search->graph, rule, search->other)) {
            return SW_ORDER_FAILED;
        }
        if (backward) {
            sw_order_turn_round(search->other, n);
        }
    }
    return offer_order(search, event, told);
}

/* ---- bounds by cuts ---- */

static bool sort_by_cost(struct sw_order_search *search) {
    struct sw_order_state state;
    if (!sw_order_state_init(&state, search->graph)) {
        return false;
    }
    for (uint32_t i = 0; i < search->graph->operator_count; i++) {
        uint32_t op = search->order[i];
        search->by_cost[i] = (struct sw_keyed){sw_order_state_during(&state, op), op};
        sw_order_state_run(&state, op);
    }
    sw_order_state_done(&state);
    return sw_sort_keyed(search->by_cost, search->graph->operator_count);
}

static uint64_t cut_work(const struct sw_order_search *search) {
    return search->cut_before + (search->cutter ? sw_order_cutter_work(search->cutter) : 0);
}

static enum sw_order_progress next_cut(struct sw_order_search *search, struct sw_order_event *event, bool *told) {
    uint32_t n = search->graph->operator_count;
    if (search->next == 0 && !sort_by_cost(search)) {
        return SW_ORDER_FAILED;
    }
    if (search->options.no_cuts || search->next == n || search->by_cost[n - 1 - search->next].key <= search->bound ||
        cut_work(search) >= search->options.cut_work) {
        search->phase = PHASE_WAYPOINTS;
        search->next = 0;
        return SW_ORDER_MORE;
    }
    uint32_t op = search->by_cost[n - 1 - search->next++].index;
    uint64_t bytes = 0;
    search->cutter = search->cutter ? search->cutter : sw_order_cutter_new(search->graph);
    if (!search->cutter || !sw_order_cut(search->cutter, op, &bytes)) {
        return SW_ORDER_FAILED;
    }
    bytes -= sw_order_graph_saved(search->graph, op);
    *told = true;
    if (raise_to(search, bytes, event)) {
        search->cut_operator = op;
        search->cut_bytes = bytes;
    } else {
        *event = (struct sw_order_event){.kind = SW_ORDER_EVENT_CUT, .bytes = bytes};
    }
    event->operator_ = op;
    return SW_ORDER_MORE;
}

/* ---- waypoints ---- */

static bool find_waypoints(struct sw_order_search *search) {
    uint32_t n = search->graph->operator_count;
    if (!sw_order_waypoints(search->graph, search->order, search->options.cut_work / 2, search->cuts[0],
                            &search->cut_count)) {
        return false;
    }
    for (uint32_t i = 0, at = 0; i < n; i++) {
        at += at < search->cut_count && search->cuts[0][at] == i;
        search->level[0][search->order[i]] = at;
        search->level[1][search->order[i]] = search->cut_count - at;
    }
    for (uint32_t i = 0; i < search->cut_count; i++) {
        search->cuts[1][i] = n - search->cuts[0][search->cut_count - 1 - i];
    }
    return true;
}

static enum sw_order_progress next_waypoint(struct sw_order_search *search, struct sw_order_event *event, bool *told) {
    if (search->next == 0 && !search->options.no_waypoints && !find_waypoints(search)) {
        return SW_ORDER_FAILED;
    }
    if (search->next == search->cut_count) {
        search->phase = PHASE_ATTEMPTS;
        return SW_ORDER_MORE;
    }
    uint32_t count = search->cuts[0][search->next++];
    *event =
        (struct sw_order_event){.kind = SW_ORDER_EVENT_WAYPOINT, .operator_ = search->order[count - 1], .count = count};
    *told = true;
    return SW_ORDER_MORE;
}

/* ---- attempts ---- */

/* Thresholds between bound and peak. */
static uint64_t threshold_of(const struct sw_order_search *search, uint32_t which) {
    uint64_t lo = search->bound, hi = search->peak - 1, width = hi - lo;
    const uint64_t at[THRESHOLDS] = {lo + width / 2, lo + width / 8 * 7, hi, lo + width / 4};
    return at[which];
}

static void end_attempt(struct sw_order_search *search) {
    search->states += sw_order_attempt_states(search->attempt);
    sw_order_attempt_free(search->attempt);
    search->attempt = NULL;
}

static enum sw_order_progress begin_attempt(struct sw_order_search *search, struct sw_order_event *event, bool *told) {
    if (search->failed == 2 * THRESHOLDS) {
        if (search->memory_ends && !search->budget_ends) {
            return SW_ORDER_STOPPED;
        }
        search->budget *= 2;
        search->failed = 0;
        search->memory_ends = search->budget_ends = false;
    }
    bool backward = search->good != search->turned, other = search->turned;
    uint32_t which = search->which;
    search->which = (which + other) % THRESHOLDS;
    search->turned = !other;
    search->failed++;
    search->threshold = threshold_of(search, which);
    if (backward ? search->options.no_backward : search->options.no_forward) {
        return SW_ORDER_MORE;
    }
    struct sw_order_aim aim = aim_of(search, backward);
    aim.threshold = search->threshold;
    aim.budget = other ? search->budget / 4 : search->budget; /* it may be the wrong one */
    if (search->options.work) {
        aim.budget = SW_MIN(aim.budget, search->options.work - search->states);
    }
    search->backward = backward;
    search->attempt = sw_order_attempt_new(&aim);
    *told = true;
    *event = (struct sw_order_event){
        .kind = SW_ORDER_EVENT_READY, .backward = backward, .operator_ = SW_NONE, .threshold = search->threshold};
    return search->attempt ? SW_ORDER_MORE : SW_ORDER_FAILED;
}

/* The trail of the attempt is an order within the threshold. */
static enum sw_order_progress reach_goal(struct sw_order_search *search, struct sw_order_event *event) {
    bool better = false;
    memcpy(search->other, sw_order_attempt_state(search->attempt)->trail,
           search->graph->operator_count * sizeof *search->other);
    if (search->backward) {
        sw_order_turn_round(search->other, search->graph->operator_count);
    }
    return offer_order(search, event, &better);
}

static enum sw_order_progress step_attempt(struct sw_order_search *search, struct sw_order_event *event) {
    *event =
        (struct sw_order_event){.backward = search->backward, .operator_ = SW_NONE, .threshold = search->threshold};
    enum sw_order_outcome outcome = sw_order_attempt_step(search->attempt, event);
    enum sw_order_progress progress = SW_ORDER_MORE;
    switch (outcome) {
    case SW_ORDER_GOES_ON:
        return SW_ORDER_MORE;
    case SW_ORDER_GOAL:
        progress = reach_goal(search, event);
        break;
    case SW_ORDER_EXHAUSTED:
        raise_to(search, SW_MIN(sw_order_attempt_least(search->attempt), search->peak), event);
        break;
    case SW_ORDER_BUDGET:
    case SW_ORDER_TOO_LARGE:
        event->kind = SW_ORDER_EVENT_GIVE_UP;
        break;
    case SW_ORDER_NO_MEMORY:
        progress = SW_ORDER_FAILED;
        break;
    }
    if (outcome == SW_ORDER_GOAL || outcome == SW_ORDER_EXHAUSTED) {
        search->good = search->backward;
        search->turned = false;
        search->failed = 0;
        search->memory_ends = search->budget_ends = false;
    }
    search->memory_ends |= outcome == SW_ORDER_TOO_LARGE;
    search->budget_ends |= outcome == SW_ORDER_BUDGET;
    end_attempt(search);
    return progress;
}

enum sw_order_progress sw_order_search_step(struct sw_order_search *search, struct sw_order_event *event) {
    enum sw_order_progress progress = SW_ORDER_MORE;
    bool told = false;
    while (progress == SW_ORDER_MORE && !told) {
        if (search->peak <= search->bound) {
            return SW_ORDER_PROVED;
        }
        if (search->phase == PHASE_ORDERS && search->next == FIRST_ORDERS) {
            search->phase = PHASE_CUTS;
            search->next = 0;
        }
        if (search->phase == PHASE_ORDERS) {
            progress = first_order(search, event, &told);
        } else if (search->phase == PHASE_CUTS) {
            progress = next_cut(search, event, &told);
        } else if (search->phase == PHASE_WAYPOINTS) {
            progress = next_waypoint(search, event, &told);
        } else if (search->attempt) {
            progress = step_attempt(search, event);
            told = true;
        } else if (search->options.work && search->states >= search->options.work) {
            progress = SW_ORDER_STOPPED;
        } else {
            progress = begin_attempt(search, event, &told);
        }
    }
    return progress;
}

bool sw_order_search_offer(struct sw_order_search *search, const uint32_t *order) {
    uint64_t peak;
    if (!sw_order_peak(search->graph, order, &peak, NULL)) {
        return false;
    }
    if (peak < search->peak) {
        search->peak = peak;
        memcpy(search->order, order, search->graph->operator_count * sizeof *order);
    }
    return true;
}

const struct sw_order_state *sw_order_search_state(const struct sw_order_search *search) {
    return search->attempt ? sw_order_attempt_state(search->attempt) : NULL;
}

uint64_t sw_order_search_threshold(const struct sw_order_search *search) {
    return search->attempt ? search->threshold : 0;
}

bool sw_order_search_branches(const struct sw_order_search *search) {
    return search->attempt && sw_order_attempt_branches(search->attempt);
}

uint32_t sw_order_search_choices(const struct sw_order_search *search, struct sw_order_choice *choices) {
    return search->attempt ? sw_order_attempt_choices(search->attempt, choices) : 0;
}

bool sw_order_search_prefer(struct sw_order_search *search, uint32_t op) {
    return search->attempt && sw_order_attempt_prefer(search->attempt, op);
}

/* ---- copies ---- */

struct sw_order_search *sw_order_search_clone(const struct sw_order_search *from) {
    struct sw_order_search *to = sw_described_clone(&order_search_described, from);
    if (to) {
        to->cut_before = cut_work(from);
    }
    return to;
}

uint64_t sw_order_search_digest(const struct sw_order_search *search) {
    uint64_t digest = sw_fold(sw_fold(search->phase, search->next), search->peak);
    digest = sw_fold(sw_fold(digest, search->bound), search->states);
    digest = sw_fold(sw_fold(digest, search->threshold), search->budget);
    digest = sw_fold(digest, (uint64_t)search->which << 4 | (uint64_t)search->backward << 3 |
                                 (uint64_t)search->good << 2 | (uint64_t)search->turned << 1 | search->memory_ends);
    digest = sw_fold(digest, (uint64_t)search->failed << 1 | search->budget_ends);
    for (uint32_t i = 0; search->peak != UINT64_MAX && i < search->graph->operator_count; i++) {
        digest = sw_fold(digest, search->order[i]);
    }
    return search->attempt ? sw_fold(digest, sw_order_attempt_digest(search->attempt)) : digest;
}

size_t sw_order_search_bytes(const struct sw_order_search *search) {
    return sw_described_bytes(&order_search_described, search);
}
