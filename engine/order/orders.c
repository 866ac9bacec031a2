#include "order/orders.h"
#include "base/base.h"
#include "order/exact/order_cuts.h"
#include "order/order_search.h"
#include "order/order_state.h"
#include "base/sort.h"

enum { QUICK_SETS = 3000, QUICK_ARCS = 500000 };

void sw_orders_done(struct sw_orders *orders) {
    SW_FREE(orders->order, orders->order ? orders->count : 0);
    SW_ARRAY_DONE(&orders->held);
    *orders = (struct sw_orders){0};
}

/* ---- the best order ---- */

static bool run_search(const struct sw_order_graph *graph, struct sw_orders_budget budget, struct sw_orders *orders) {
    const struct sw_order_options options = {.work = budget.sets, .cut_work = budget.arcs};
    struct sw_order_search *search = sw_order_search_new(graph, &options);
    struct sw_order_event event;
    enum sw_order_progress progress = search ? SW_ORDER_MORE : SW_ORDER_FAILED;
    while (progress == SW_ORDER_MORE) {
        progress = sw_order_search_step(search, &event);
    }
    bool ok = progress != SW_ORDER_FAILED && sw_order_search_order(search);
    if (ok) {
        memcpy(orders->order, sw_order_search_order(search), orders->count * sizeof *orders->order);
        orders->peak = sw_order_search_peak(search);
        orders->bound = sw_order_search_bound(search);
        orders->witness = sw_order_search_cut_operator(search, &orders->witness_bytes);
    }
    sw_order_search_free(search);
    return ok;
}

/* ---- what proves the bound ---- */

static bool find_witness(const struct sw_order_graph *graph, struct sw_orders *orders) {
    struct sw_order_held *held = SW_NEW(struct sw_order_held, (size_t)graph->buffer_count + 1);
    struct sw_order_cutter *cutter = held ? sw_order_cutter_new(graph) : NULL;
    bool ok = cutter && sw_order_cut(cutter, orders->witness, &orders->witness_bytes);
    uint32_t count = ok ? sw_order_cut_witness(cutter, held) : 0;
    orders->witness_saved = ok ? sw_order_graph_saved(graph, orders->witness) : 0;
    orders->witness_bytes -= orders->witness_saved;
    for (uint32_t i = 0; ok && i < count; i++) {
        ok = SW_PUSH(&orders->held, ((struct sw_held){graph->buffers[held[i].buffer].in_problem, held[i].forced}));
    }
    sw_order_cutter_free(cutter);
    SW_FREE(held, (size_t)graph->buffer_count + 1);
    return ok;
}

/* The operator that names the most bytes: the witness where no cut says more. */
static uint32_t largest_operator(const struct sw_order_graph *graph) {
    uint32_t best = 0;
    for (uint32_t op = 1; op < graph->operator_count; op++) {
        best = sw_order_graph_own(graph, op) > sw_order_graph_own(graph, best) ? op : best;
    }
    return best;
}

static bool find_all(const struct sw_order_graph *graph, struct sw_orders_budget budget, struct sw_orders *orders) {
    uint32_t at = 0;
    orders->count = graph->operator_count;
    orders->order = SW_NEW(uint32_t, orders->count);
    for (uint32_t i = 0; orders->order && i < orders->count; i++) {
        orders->order[i] = i;
    }
    if (!orders->order || !sw_order_peak(graph, orders->order, &orders->file_peak, &at)) {
        return false;
    }
    orders->file_at = at;
    if (!run_search(graph, budget, orders) || !sw_order_peak(graph, orders->order, &orders->peak, &at)) {
        return false;
    }
    orders->peak_at = orders->order[at];
    orders->witness = orders->witness == SW_NONE ? largest_operator(graph) : orders->witness;
    return find_witness(graph, orders);
}

bool sw_orders_of(const struct sw_problem *problem, struct sw_orders_budget budget, struct sw_orders *orders,
                  struct sw_error *error) {
    bool quick = budget.sets == 0;
    if (quick && sw_problem_operator_count(problem) > SW_ORDERS_QUICK) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED,
                       "with more than %d operators their orders are looked at by a planner alone: order",
                       SW_ORDERS_QUICK);
    }
    struct sw_order_graph *graph = sw_order_graph_new(problem, error);
    if (!graph) {
        return false;
    }
    budget = quick ? (struct sw_orders_budget){QUICK_SETS, QUICK_ARCS} : budget;
    bool ok = find_all(graph, budget, orders) || sw_fail_memory(error);
    sw_order_graph_free(graph);
    if (!ok) {
        sw_orders_done(orders);
    }
    return ok;
}

/* ---- two orders ---- */

void sw_order_moves_done(struct sw_order_moves *moves) {
    SW_ARRAY_DONE(&moves->items);
    *moves = (struct sw_order_moves){0};
}

/* Which operators belong to a longest run that keeps the order of the problem. Patience sorting: `tail[l]` is the
 * smallest operator that ends such a run of length l + 1. */
static bool find_kept(const uint32_t *order, uint32_t count, bool *kept) {
    uint32_t *room = SW_NEW(uint32_t, 2 * (size_t)count), length = 0;
    if (!room) {
        return false;
    }
    uint32_t *tail = room, *before = room + count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t lo = (uint32_t)SW_FIRST(k, length, tail[k] >= order[i]);
        before[order[i]] = lo > 0 ? tail[lo - 1] : SW_NONE;
        tail[lo] = order[i];
        length = lo == length ? length + 1 : length;
    }
    for (uint32_t op = length ? tail[length - 1] : SW_NONE; op != SW_NONE; op = before[op]) {
        kept[op] = true;
    }
    SW_FREE(room, 2 * (size_t)count);
    return true;
}

static uint32_t distance_moved(const struct sw_order_move *move) {
    return move->to > move->op ? move->to - move->op : move->op - move->to;
}

static int by_distance(const void *x, const void *y) {
    const struct sw_order_move *a = x, *b = y;
    return distance_moved(a) != distance_moved(b) ? SW_COMPARE(distance_moved(b), distance_moved(a))
                                                  : SW_COMPARE(a->op, b->op);
}

static int by_move_worth(const void *x, const void *y) {
    const struct sw_order_move *a = x, *b = y;
    return a->tried != b->tried ? SW_COMPARE(b->tried, a->tried)
           : a->peak != b->peak ? SW_COMPARE(b->peak, a->peak)
                                : by_distance(x, y);
}

/* Where the operator stands when it goes back: behind the last of the others that the problem lists before it and that
 * kept its place, but as far as what runs before and behind it lets it. `place`: steps in the other order. */
static uint32_t back_to(const struct sw_order_graph *graph, const uint32_t *place, const bool *kept,
                        const struct sw_order_move *move) {
    uint32_t lo = 0, hi = graph->operator_count - 1, op = move->op, wanted = 0;
    for (uint32_t i = graph->before.at[op]; i < graph->before.at[op + 1]; i++) {
        uint32_t step = place[graph->before.list[i]];
        step -= step > move->to; /* steps are counted without it */
        lo = SW_MAX(lo, step + 1);
    }
    for (uint32_t i = graph->behind.at[op]; i < graph->behind.at[op + 1]; i++) {
        uint32_t step = place[graph->behind.list[i]];
        step -= step > move->to;
        hi = SW_MIN(hi, step);
    }
    for (uint32_t other = op; other-- > 0;) {
        if (kept[other]) {
            wanted = place[other] + 1 - (place[other] > move->to);
            break;
        }
    }
    return wanted < lo ? lo : wanted > hi ? hi : wanted;
}

/* Does the move alone take apart what is kept together? The operator has been put in its place. */
static bool tears_group(const struct sw_order_graph *graph, const uint32_t *order, const struct sw_order_move *move) {
    uint32_t at = move->undone, count = graph->operator_count;
    if (!graph->group) {
        return false;
    }
    uint32_t before = at > 0 ? graph->group[order[at - 1]] : SW_NONE,
             behind = at + 1 < count ? graph->group[order[at + 1]] : SW_NONE;
    return graph->group[move->op] != SW_NONE || (before != SW_NONE && before == behind);
}

static bool undo_move(const struct sw_order_graph *graph, const uint32_t *order, const uint32_t *place,
                      const bool *kept, uint32_t *room, struct sw_order_move *move) {
    move->undone = back_to(graph, place, kept, move);
    memcpy(room, order, graph->operator_count * sizeof *room);
    if (move->undone > move->to) {
        memmove(room + move->to, room + move->to + 1, (move->undone - move->to) * sizeof *room);
    } else {
        memmove(room + move->undone + 1, room + move->undone, (move->to - move->undone) * sizeof *room);
    }
    room[move->undone] = move->op;
    move->tried = !tears_group(graph, room, move);
    return !move->tried || sw_order_peak(graph, room, &move->peak, NULL);
}

static bool find_order_moves(const struct sw_order_graph *graph, const uint32_t *order, uint32_t most, uint32_t *room,
                             bool *kept, struct sw_order_moves *moves) {
    uint32_t count = graph->operator_count, *place = room + count;
    if (!find_kept(order, count, kept)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        place[order[i]] = i;
        if (!kept[order[i]] && !SW_PUSH(&moves->items, ((struct sw_order_move){.op = order[i], .to = i}))) {
            return false;
        }
    }
    if (moves->items.count == 0) {
        return true;
    }
    qsort(moves->items.items, moves->items.count, sizeof *moves->items.items, by_distance);
    moves->tried = (uint32_t)SW_MIN(moves->items.count, most);
    for (uint32_t i = 0; i < moves->tried; i++) {
        if (!undo_move(graph, order, place, kept, room, &moves->items.items[i])) {
            return false;
        }
    }
    qsort(moves->items.items, moves->items.count, sizeof *moves->items.items, by_move_worth);
    return true;
}

bool sw_order_moves_of(const struct sw_problem *problem, const uint32_t *order, uint32_t most,
                       struct sw_order_moves *moves, struct sw_error *error) {
    struct sw_order_graph *graph = sw_order_graph_new(problem, error);
    if (!graph) {
        return false;
    }
    uint64_t peak = 0;
    size_t count = graph->operator_count;
    uint32_t *room = SW_NEW(uint32_t, 2 * count);
    bool *kept = SW_NEW_ZERO(bool, count);
    bool ok = room && kept ? true : sw_fail_memory(error);
    if (ok && !sw_order_peak(graph, order, &peak, NULL)) {
        ok = peak == UINT64_MAX ? sw_fail(error, SW_ERROR_UNSUPPORTED, "this is no order of these operators")
                                : sw_fail_memory(error);
    }
    ok = ok && (find_order_moves(graph, order, most, room, kept, moves) || sw_fail_memory(error));
    SW_FREE(room, 2 * count);
    SW_FREE(kept, count);
    sw_order_graph_free(graph);
    if (!ok) {
        sw_order_moves_done(moves);
    }
    return ok;
}
