/* The tables of planners that go through an order of buffers, one a decision: the queue, and the free spaces that its
 * next buffer sees in each tier that it may lie in. */
#include "planners/planner_internal.h"

static const char *const queue_columns[] = {"turn", "buffer", "bytes", "born", "dies", "group", "placed", NULL};
static const char *const space_columns[] = {"tier", "from", "to", "bytes", "below", "above", "holds it", NULL};

static void add_turn(struct sw_state_tables *tables, const struct sw_run *run, uint64_t turn, uint32_t b, bool grouped,
                     uint32_t group) {
    const struct sw_buffer *buffer = sw_problem_buffer(run->problem, b);
    SW_STATE_ROW(tables, sw_cell_count(turn + 1), sw_cell_buffer(b), sw_cell_bytes(buffer->size),
                 sw_cell_step(buffer->first), sw_cell_step(buffer->last),
                 grouped ? sw_cell_count(group) : sw_cell_none(), sw_cell_truth(sw_layout_placed(run->layout, b)));
}

struct queue_space {
    struct sw_gap gap;
    uint32_t tier;
};
typedef SW_ARRAY(struct queue_space) spaces;

static bool gather_spaces(const struct sw_run *run, uint32_t next, spaces *list) {
    struct sw_gaps gaps = {0};
    uint64_t tiers = next == SW_NONE ? 0 : sw_place_tiers(run->problem, next);
    bool ok = true;
    for (uint32_t tier = 0; ok && tier < sw_problem_tier_count(run->problem); tier++) {
        if (!(tiers >> tier & 1)) {
            continue;
        }
        ok = sw_gaps_find(&gaps, run->layout, &run->rules, next, SW_WHOLE_LIFE, tier,
                          sw_problem_tier(run->problem, tier)->capacity);
        for (size_t i = 0; ok && i < gaps.gaps.count; i++) {
            ok = SW_PUSH(list, (struct queue_space){gaps.gaps.items[i], tier});
        }
    }
    sw_gaps_done(&gaps);
    return ok;
}

/* What `next` sees in all tiers that it may lie in; SW_NONE: the queue is at its end. */
static void add_spaces(struct sw_state_tables *tables, const struct sw_run *run, uint32_t next) {
    spaces list = {0};
    bool ok = gather_spaces(run, next, &list);
    tables->failed |= !ok;
    struct sw_state_table *t =
        sw_state_table(tables, "free for the next", space_columns, ok ? list.count : 0, SW_NO_ROW);
    for (uint64_t i = t->first; i < t->end; i++) {
        const struct sw_gap *gap = &list.items[i].gap;
        bool open = gap->hi == SW_UNBOUNDED;
        SW_STATE_ROW(tables, sw_cell_tier(list.items[i].tier), sw_cell_offset(gap->lo),
                     open ? sw_cell_word("the end is open") : sw_cell_offset(gap->hi),
                     open ? sw_cell_none() : sw_cell_bytes(gap->hi - gap->lo), sw_cell_buffer(gap->below),
                     sw_cell_buffer(gap->above),
                     sw_cell_truth(sw_gap_fits(gap, sw_problem_buffer(run->problem, next)->size)));
    }
    SW_ARRAY_DONE(&list);
}

static uint64_t row_before(uint64_t at) {
    return at > 0 ? at - 1 : SW_NO_ROW;
}

void sw_cursor_state(const void *state, const struct sw_run *run, const struct sw_decision *last,
                     struct sw_state_tables *tables) {
    const struct sw_cursor *cursor = state;
    const uint32_t *order = sw_problem_order(run->problem);
    struct sw_state_table *t =
        sw_state_table(tables, "queue", queue_columns, sw_problem_planned_count(run->problem), row_before(cursor->at));
    (void)last;
    for (uint64_t i = t->first; i < t->end; i++) {
        add_turn(tables, run, i, order[i], false, 0);
    }
    add_spaces(tables, run, sw_cursor_next(cursor, run->problem));
}

void sw_walk_state(const void *state, const struct sw_run *run, const struct sw_decision *last,
                   struct sw_state_tables *tables) {
    const struct sw_walk *walk = state;
    const struct sw_queue_turn *next = sw_walk_next(walk);
    struct sw_state_table *t = sw_state_table(tables, "queue", queue_columns, walk->order->count, row_before(walk->at));
    (void)last;
    for (uint64_t i = t->first; i < t->end; i++) {
        add_turn(tables, run, i, walk->order->turns[i].buffer, true, walk->order->turns[i].group);
    }
    add_spaces(tables, run, next ? next->buffer : SW_NONE);
}
