#include "order/exact/order_waypoints.h"
#include "order/order_state.h"

#include <string.h>

enum { MOST_ENDS = 64, SMALLEST = 8, HUNT_TRIES = 4 };

/* ---- a set that all others are comparable with ---- */

/* Per position: is the operator there behind all earlier ones and before all later ones? It is when, of what runs up to
 * it, it alone has nothing behind it, and of what runs from it on, it alone has nothing before it. */
static bool find_narrow(const struct sw_order_graph *graph, const uint32_t *order, bool *narrow) {
    uint32_t n = graph->operator_count, *open = SW_NEW(uint32_t, n);
    if (!open) {
        return false;
    }
    for (int back = 0; back < 2; back++) {
        const struct sw_order_lists *lists = back ? &graph->behind : &graph->before;
        uint32_t ends = 0;
        memset(open, 0, n * sizeof *open); /* operators behind it, or before it, that have run */
        for (uint32_t i = 0; i < n; i++) {
            uint32_t at = back ? n - 1 - i : i, op = order[at];
            for (uint32_t k = lists->at[op]; k < lists->at[op + 1]; k++) {
                ends -= open[lists->list[k]]++ == 0;
            }
            narrow[at] = ++ends == 1 && (!back || narrow[at]);
        }
    }
    SW_FREE(open, n);
    return true;
}

/* ---- any set, by two cuts ---- */

struct interval {
    const struct sw_order_graph *graph;
    const uint32_t *order, *place;
    uint32_t from, to, position;
    uint32_t *reached, *stack; /* per operator: how many ends lead to it */
};

/* Ends of one side (operators with nothing of that side behind them, or before them) and how many of them each operator
 * of the other side is reached from. Returns how many ends there are; more than MOST_ENDS are not followed. */
static uint32_t follow_ends(struct interval *in, bool forward, uint32_t *mark) {
    const struct sw_order_lists *lists = forward ? &in->graph->behind : &in->graph->before;
    uint32_t lo = forward ? in->from : in->position, hi = forward ? in->position : in->to, ends = 0;
    for (uint32_t i = lo; i < hi && ends <= MOST_ENDS; i++) {
        uint32_t op = in->order[i], count = 0;
        bool end = true;
        for (uint32_t k = lists->at[op]; k < lists->at[op + 1]; k++) {
            uint32_t at = in->place[lists->list[k]];
            end &= at < lo || at >= hi;
        }
        if (!end || ++ends > MOST_ENDS) {
            continue;
        }
        in->stack[count++] = op;
        while (count > 0) {
            uint32_t now = in->stack[--count];
            for (uint32_t k = lists->at[now]; k < lists->at[now + 1]; k++) {
                uint32_t next = lists->list[k], at = in->place[next];
                if (at >= in->from && at < in->to && mark[next] != i + 1) {
                    mark[next] = i + 1;
                    in->reached[next]++;
                    in->stack[count++] = next;
                }
            }
        }
    }
    return ends;
}

/* One of the two: beyond Z (forward), or within it. */
static bool least_beside(struct sw_order_cutter *cutter, struct interval *in, bool forward, uint32_t *mark,
                         uint8_t *roles, uint64_t *least) {
    uint32_t n = in->graph->operator_count, lo = forward ? in->position : in->from,
             hi = forward ? in->to : in->position;
    memset(in->reached, 0, n * sizeof *in->reached);
    memset(mark, 0, n * sizeof *mark);
    uint32_t ends = follow_ends(in, forward, mark);
    for (uint32_t op = 0; op < n; op++) {
        uint32_t at = in->place[op];
        roles[op] = at < in->position ? SW_ORDER_IN : SW_ORDER_OUT;
        if (at >= lo && at < hi && (ends > MOST_ENDS || in->reached[op] < ends)) {
            roles[op] = SW_ORDER_FREE;
        }
    }
    return sw_order_cut_between(cutter, roles, least);
}

static uint64_t live_of(const struct sw_order_graph *graph, const uint32_t *place, uint32_t position) {
    uint64_t live = graph->always;
    for (uint32_t b = 0; b < graph->buffer_count; b++) {
        bool begun = graph->buffers[b].starts, unfinished = graph->buffers[b].ends;
        for (uint32_t i = graph->users.at[b]; i < graph->users.at[b + 1]; i++) {
            begun |= place[graph->users.list[i]] < position;
            unfinished |= place[graph->users.list[i]] >= position;
        }
        live += begun && unfinished ? graph->buffers[b].size : 0;
    }
    return live;
}

bool sw_order_is_waypoint(struct sw_order_cutter *cutter, const uint32_t *order, const uint32_t *place, uint32_t from,
                          uint32_t to, uint32_t position, bool *is) {
    struct interval in = {sw_order_cutter_graph(cutter), order, place, from, to, position, NULL, NULL};
    uint32_t n = in.graph->operator_count;
    uint32_t *room = SW_NEW(uint32_t, 3 * (size_t)n);
    uint8_t *roles = SW_NEW(uint8_t, n);
    uint64_t beyond = 0, within = 0;
    in.reached = room;
    in.stack = room ? room + n : NULL;
    bool ok = room && roles && least_beside(cutter, &in, true, room + 2 * (size_t)n, roles, &beyond) &&
              least_beside(cutter, &in, false, room + 2 * (size_t)n, roles, &within);
    if (ok) {
        uint64_t live = live_of(in.graph, place, position);
        *is = live <= beyond && live <= within;
    }
    SW_FREE(room, 3 * (size_t)n);
    SW_FREE(roles, n);
    return ok;
}

/* ---- all that are found ---- */

struct hunt {
    struct sw_order_cutter *cutter;
    const uint32_t *order;
    uint32_t *place;
    uint64_t *live; /* after so many operators of the order */
    bool *narrow, *tried;
    uint64_t work;
};

/* Of the positions inside that were not tried, the one with least live bytes; of equals the one nearest the middle. */
static uint32_t lowest_between(const struct hunt *hunt, uint32_t from, uint32_t to) {
    uint32_t best = SW_NONE, middle = from + (to - from) / 2;
    for (uint32_t i = from + 1; i < to; i++) {
        uint32_t far = i > middle ? i - middle : middle - i;
        if (!hunt->tried[i] &&
            (best == SW_NONE || hunt->live[i] < hunt->live[best] ||
             (hunt->live[i] == hunt->live[best] && far < (best > middle ? best - middle : middle - best)))) {
            best = i;
        }
    }
    return best;
}

/* Divide [from, to] where a waypoint is found, and each part again. */
static bool divide(struct hunt *hunt, uint32_t from, uint32_t to, bool *is) {
    while (to - from >= SMALLEST) {
        uint32_t found = SW_NONE;
        for (int i = 0; i < HUNT_TRIES && found == SW_NONE; i++) {
            uint32_t at = lowest_between(hunt, from, to);
            bool yes = false;
            if (at == SW_NONE || sw_order_cutter_work(hunt->cutter) >= hunt->work) {
                return true;
            }
            hunt->tried[at] = true;
            if (!sw_order_is_waypoint(hunt->cutter, hunt->order, hunt->place, from, to, at, &yes)) {
                return false;
            }
            found = yes ? at : SW_NONE;
        }
        if (found == SW_NONE) {
            return true;
        }
        is[found] = true;
        bool left_smaller =
            found - from < to - found; /* the smaller part first, so that the calls nest but log n deep */
        if (!divide(hunt, left_smaller ? from : found, left_smaller ? found : to, is)) {
            return false;
        }
        from = left_smaller ? found : from;
        to = left_smaller ? to : found;
    }
    return true;
}

/* A set that would tear a group apart is none; where all orders pass it, it is taken without a look. */
static void leave_groups_whole(struct hunt *hunt, const struct sw_order_graph *graph) {
    uint32_t last = SW_NONE;
    for (uint32_t i = 0; graph->group && i < graph->operator_count; i++) {
        uint32_t group = graph->group[hunt->order[i]];
        hunt->tried[i] |= group != SW_NONE && group == last;
        last = group;
    }
}

static bool hunt_all(struct hunt *hunt, const struct sw_order_graph *graph, bool *is) {
    uint32_t n = graph->operator_count, from = 0;
    struct sw_order_state state;
    if (!sw_order_state_init(&state, graph)) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        hunt->place[hunt->order[i]] = i;
        hunt->live[i] = state.live;
        sw_order_state_run(&state, hunt->order[i]);
    }
    sw_order_state_done(&state);
    leave_groups_whole(hunt, graph);
    bool ok = find_narrow(graph, hunt->order, hunt->narrow);
    for (uint32_t i = 1; ok && i <= n; i++) {
        if (i == n || hunt->narrow[i - 1]) {
            /* What is written in place may be lost where a set runs first: only what all orders pass holds then. */
            ok = graph->pairs || divide(hunt, from, i, is);
            is[i] = i < n;
            from = i;
        }
    }
    return ok;
}

bool sw_order_waypoints(const struct sw_order_graph *graph, const uint32_t *order, uint64_t work, uint32_t *cuts,
                        uint32_t *count) {
    size_t n = graph->operator_count;
    struct hunt hunt = {.order = order, .work = work};
    hunt.cutter = sw_order_cutter_new(graph);
    struct sw_arena arena = {0};
    hunt.place = SW_NEW_IN(&arena, uint32_t, n);
    hunt.live = SW_NEW_IN(&arena, uint64_t, n);
    hunt.narrow = SW_NEW_IN(&arena, bool, n);
    hunt.tried = SW_NEW_IN(&arena, bool, n);
    bool *is = SW_NEW_IN(&arena, bool, n + 1);
    bool ok = hunt.cutter && hunt.place && hunt.live && hunt.narrow && hunt.tried && is && hunt_all(&hunt, graph, is);
    *count = 0;
    for (uint32_t i = 1; ok && i < n; i++) {
        if (is[i]) {
            cuts[(*count)++] = i;
        }
    }
    sw_order_cutter_free(hunt.cutter);
    sw_arena_done(&arena);
    return ok;
}
