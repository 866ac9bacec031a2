/* Orders in which buffers are taken, and the state of planners that walk one. */
#include "layout/free/indexes.h"
#include "base/base.h"
#include "base/sort.h"
#include "planners/planner_internal.h"

#include "problem/hot.h"

/* What one buffer is sorted by: key ascending, then size descending, then program order. */
struct ranked_buffer {
    uint64_t size;
    uint32_t key, position, buffer;
};

SW_BY_FIELDS(compare_ranked, struct ranked_buffer, SW_UP(key), SW_DOWN(size), SW_UP(position))

/* qsort of the C library is heap- or mergesort here, never quadratic, and the comparison is total. `keys` are those of
 * the ranks; NULL: all are the same. `rounded`: sizes are, and of equal ones the last as listed is the first. */
static struct ranked_buffer *rank_all(const struct sw_problem *problem, const uint32_t *keys, bool rounded) {
    uint32_t count = sw_problem_planned_count(problem);
    const uint32_t *program = sw_problem_order(problem);
    struct ranked_buffer *ranked = SW_NEW(struct ranked_buffer, count);
    for (uint32_t i = 0; ranked && i < count; i++) {
        uint64_t size = sw_problem_buffer(problem, program[i])->size;
        ranked[i] = (struct ranked_buffer){.size = rounded ? sw_align_up(size, SW_PLACE_GRAIN) : size,
                                           .key = keys ? keys[i] : 0,
                                           .position = rounded ? UINT32_MAX - program[i] : i,
                                           .buffer = program[i]};
    }
    sw_sort(ranked, ranked ? count : 0, sizeof *ranked, compare_ranked);
    return ranked;
}

static struct sw_order *order_new(size_t count) {
    struct sw_order *order = SW_NEW(struct sw_order, 1);
    struct sw_queue_turn *turns = SW_NEW_ZERO(struct sw_queue_turn, count);
    if (!order || !turns) {
        SW_FREE(order, 1);
        SW_FREE(turns, count);
        return NULL;
    }
    *order = (struct sw_order){.owners = 1, .count = count, .turns = turns};
    return order;
}

static void order_unref(struct sw_order *order) {
    if (order && --order->owners == 0) {
        SW_FREE(order->turns, order->count);
        SW_FREE(order, 1);
    }
}

/* Sizes of one class have the same number of binary digits. */
static unsigned digits(uint64_t size) {
    return size ? 64u - (unsigned)__builtin_clzll(size) : 0;
}

static struct sw_order *order_by_size(const struct sw_problem *problem, bool rounded) {
    uint32_t count = sw_problem_planned_count(problem), group = 0;
    struct ranked_buffer *ranked = rank_all(problem, NULL, rounded);
    struct sw_order *order = ranked ? order_new(count) : NULL;
    for (uint32_t i = 0; order && i < count; i++) {
        group += i > 0 && digits(ranked[i].size) != digits(ranked[i - 1].size);
        order->turns[i] = (struct sw_queue_turn){.buffer = ranked[i].buffer,
                                                 .rank = sw_problem_rank(problem, ranked[i].buffer).at,
                                                 .time = sw_problem_buffer(problem, ranked[i].buffer)->first,
                                                 .group = group};
    }
    SW_FREE(ranked, count);
    return order;
}

struct sw_order *sw_order_by_size(const struct sw_problem *problem) {
    return order_by_size(problem, false);
}

struct sw_order *sw_order_by_rounded_size(const struct sw_problem *problem) {
    return order_by_size(problem, true);
}

/* ---- by breadth ---- */

/* A tree of minima over the steps' ranks: which step of a span is the broadest? */
struct minima {
    size_t leaves;
    uint32_t *rank; /* rank[leaves + step] */
};

struct breadth {
    uint64_t live;
    uint32_t step;
};

SW_BY_FIELDS(compare_breadth, struct breadth, SW_DOWN(live), SW_UP(step))

void sw_breadth_of(const struct sw_problem *problem, uint64_t *live) {
    uint32_t count = sw_problem_steps(problem);
    /* First the differences between neighbors, modulo 2^64, then their sums. */
    for (uint32_t s = 0; s < count; s++) {
        live[s] = 0;
    }
    for (uint32_t i = 0; i < sw_problem_planned_count(problem); i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, sw_problem_order(problem)[i]);
        for (uint32_t p = 0; p < b->piece_count; p++) {
            uint64_t bytes = b->pieces[p].hi - b->pieces[p].lo;
            live[b->pieces[p].first] += bytes;
            if (b->pieces[p].last + 1 < count) {
                live[b->pieces[p].last + 1] -= bytes;
            }
        }
    }
    for (uint32_t s = 1; s < count; s++) {
        live[s] += live[s - 1];
    }
}

/* Steps by live bytes, broadest first, ties the earlier; and the rank of each, with minima above.
 */
static bool rank_steps(const struct sw_problem *problem, struct breadth *steps, uint32_t count, struct minima *minima) {
    uint64_t *live = SW_NEW(uint64_t, count);
    if (!live) {
        return false;
    }
    sw_breadth_of(problem, live);
    for (uint32_t s = 0; s < count; s++) {
        steps[s] = (struct breadth){.live = live[s], .step = s};
    }
    SW_FREE(live, count);
    sw_sort(steps, count, sizeof *steps, compare_breadth);
    minima->leaves = count ? count : 1;
    minima->rank = SW_NEW(uint32_t, 2 * minima->leaves);
    if (!minima->rank) {
        return false;
    }
    for (size_t i = 0; i < 2 * minima->leaves; i++) {
        minima->rank[i] = UINT32_MAX;
    }
    for (uint32_t r = 0; r < count; r++) {
        minima->rank[minima->leaves + steps[r].step] = r;
    }
    for (size_t i = minima->leaves - 1; i > 0; i--) {
        uint32_t a = minima->rank[2 * i], b = minima->rank[2 * i + 1];
        minima->rank[i] = SW_MIN(a, b);
    }
    return true;
}

static uint32_t least_rank(const struct minima *minima, uint32_t first, uint32_t last) {
    uint32_t least = UINT32_MAX;
    size_t lo = minima->leaves + first, hi = minima->leaves + last + 1;
    for (; lo < hi; lo /= 2, hi /= 2) {
        if (lo & 1) {
            least = SW_MIN(minima->rank[lo], least);
            lo++;
        }
        if (hi & 1) {
            hi--;
            least = SW_MIN(minima->rank[hi], least);
        }
    }
    return least;
}

/* The rank of the broadest step at which each buffer, in program order, is alive. */
static uint32_t *rank_buffers(const struct sw_problem *problem, const struct minima *minima) {
    uint32_t count = sw_problem_planned_count(problem);
    const uint32_t *program = sw_problem_order(problem);
    uint32_t *keys = SW_NEW(uint32_t, count);
    for (uint32_t i = 0; keys && i < count; i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, program[i]);
        keys[i] = UINT32_MAX;
        for (uint32_t p = 0; p < b->piece_count; p++) {
            uint32_t rank = least_rank(minima, b->pieces[p].first, b->pieces[p].last);
            keys[i] = SW_MIN(rank, keys[i]);
        }
        if (b->piece_count == 0) {
            keys[i] = least_rank(minima, b->first, b->last);
        }
    }
    return keys;
}

static void fill_breadth(struct sw_order *order, const struct sw_problem *problem, const struct ranked_buffer *ranked,
                         const struct breadth *steps) {
    uint32_t group = 0;
    for (size_t i = 0; i < order->count; i++) {
        group += i > 0 && ranked[i].key != ranked[i - 1].key;
        order->turns[i] = (struct sw_queue_turn){
            .buffer = ranked[i].buffer, .rank = ranked[i].position, .time = steps[ranked[i].key].step, .group = group};
    }
    /* When a group begins, everything else alive at its step has a place already. */
    uint64_t later = 0;
    for (size_t i = order->count; i-- > 0;) {
        struct sw_queue_turn *turn = &order->turns[i];
        if (i + 1 == order->count || turn[1].group != turn->group) {
            later = 0;
        }
        turn->live = steps[ranked[i].key].live - later;
        later += sw_buffer_live_bytes(sw_problem_buffer(problem, turn->buffer), turn->time);
    }
}

struct sw_order *sw_order_by_breadth(const struct sw_problem *problem) {
    uint32_t count = sw_problem_planned_count(problem), step_count = sw_problem_steps(problem);
    struct minima minima = {0};
    struct breadth *steps = SW_NEW(struct breadth, step_count);
    uint32_t *keys = NULL;
    struct ranked_buffer *ranked = NULL;
    struct sw_order *order = NULL;
    if (steps && rank_steps(problem, steps, step_count, &minima)) {
        keys = rank_buffers(problem, &minima);
        ranked = keys ? rank_all(problem, keys, false) : NULL;
        order = ranked ? order_new(count) : NULL;
    }
    if (order) {
        fill_breadth(order, problem, ranked, steps);
    }
    SW_FREE(steps, step_count);
    SW_FREE(minima.rank, 2 * minima.leaves);
    SW_FREE(keys, count);
    SW_FREE(ranked, count);
    return order;
}

/* ---- walking an order ---- */

bool sw_walk_open(struct sw_walk *walk, struct sw_order *order, struct sw_error *error) {
    walk->order = order;
    return order || sw_fail_memory(error);
}

const struct sw_queue_turn *sw_walk_next(const struct sw_walk *walk) {
    return walk->at < walk->order->count ? &walk->order->turns[walk->at] : NULL;
}

/* How many turns ahead to fetch. Rows are fetched first, then the lists that they name, then the ranges in
 * these; each fetch needs the result of the one before it. */
enum { RANGES_AHEAD = 4, LISTS_AHEAD = 8, ROWS_AHEAD = 16 };

/* Begin to fetch from memory what the turns after the next one will read (problem/hot.h). */
static void foresee_turns(const struct sw_walk *walk, const struct sw_run *run) {
    const struct sw_queue_turn *turns = walk->order->turns + walk->at;
    size_t left = walk->order->count - walk->at;
    if (left <= ROWS_AHEAD || !sw_problem_simple(run->problem)) {
        return;
    }
    sw_problem_fetch(run->problem, turns[ROWS_AHEAD].buffer, turns[ROWS_AHEAD].rank);
    if (run->gaps.indexes) {
        const struct sw_skyline *skyline = &run->gaps.indexes->skyline;
        sw_skyline_fetch_lists(skyline, run->layout, turns[LISTS_AHEAD].rank);
        sw_skyline_fetch_ranges(skyline, run->layout, turns[RANGES_AHEAD].rank);
    }
}

enum sw_step sw_walk_place(struct sw_walk *walk, struct sw_run *run, enum sw_place_rule rule,
                           struct sw_decision *decision) {
    const struct sw_queue_turn *turn = sw_walk_next(walk);
    if (!turn) {
        return SW_STEP_DONE;
    }
    foresee_turns(walk, run);
    enum sw_step result = sw_place_by(run, rule, turn->buffer, decision);
    walk->at += result == SW_STEP_MORE;
    decision->group = turn->group;
    return result;
}

/* One block was placed, by rule, by a pin or as chosen: where, the journal says. */
static bool redo_placing(struct sw_run *run, uint32_t buffer, const struct sw_decision *decision) {
    return decision->buffer == buffer && decision->tier != SW_NONE && decision->kind == SW_DECISION_PLACE &&
           sw_place_at(run, buffer, decision->tier, decision->offset);
}

bool sw_walk_redo(void *state, struct sw_run *run, const struct sw_decision *decision) {
    struct sw_walk *walk = state;
    const struct sw_queue_turn *turn = sw_walk_next(walk);
    bool done = turn && redo_placing(run, turn->buffer, decision);
    walk->at += done;
    return done;
}

SW_OWNERS(order, struct sw_order, order_unref)
#define STATE struct sw_walk
const struct sw_described sw_walk_described = {SW_STRUCT, .salt = 1,
                                               .fields = SW_FIELDS(SW_POINTER(order, &order_pointed), SW_TOLD(at))};
#undef STATE

/* ---- walking the program order ---- */

uint32_t sw_cursor_next(const struct sw_cursor *cursor, const struct sw_problem *problem) {
    return cursor->at < sw_problem_planned_count(problem) ? sw_problem_order(problem)[cursor->at] : SW_NONE;
}

enum sw_step sw_cursor_place(struct sw_cursor *cursor, struct sw_run *run, enum sw_place_rule rule,
                             struct sw_decision *decision) {
    uint32_t buffer = sw_cursor_next(cursor, run->problem);
    enum sw_step result = buffer == SW_NONE ? SW_STEP_DONE : sw_place_next(run, rule, buffer, decision);
    cursor->at += result == SW_STEP_MORE;
    return result;
}

bool sw_cursor_redo(void *state, struct sw_run *run, const struct sw_decision *decision) {
    struct sw_cursor *cursor = state;
    uint32_t buffer = sw_cursor_next(cursor, run->problem);
    bool done = buffer != SW_NONE && redo_placing(run, buffer, decision);
    cursor->at += done;
    return done;
}

#define STATE struct sw_cursor
const struct sw_described sw_cursor_described = {SW_STRUCT, .salt = 2, .fields = SW_FIELDS(SW_TOLD(at))};
#undef STATE
