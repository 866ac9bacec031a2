#include "order/exact/order_attempt.h"

/* A set that was reached: the one before it, and the operator that came to it. */
struct segment_step {
    struct sw_order_print print;
    uint32_t parent, op, length;
};
struct looking {
    struct segment_step steps[SW_ORDER_MOST_LOOKS];
    uint32_t count;
};

/* The operators that lead to a set, in their order; returns how many. */
static uint32_t path_of(const struct looking *looking, uint32_t at, uint32_t *path) {
    uint32_t length = looking->steps[at].length;
    for (uint32_t i = length; i-- > 0; at = looking->steps[at].parent) {
        path[i] = looking->steps[at].op;
    }
    return length;
}

static bool is_set_listed(const struct looking *looking, struct sw_order_print print) {
    for (uint32_t i = looking->count; i-- > 0;) {
        if (sw_order_print_is(looking->steps[i].print, print)) {
            return true;
        }
    }
    return false;
}

/* Sets with one operator more. Returns one that ends the search; SW_NONE: none does. */
static uint32_t spread_sets(struct looking *looking, const struct sw_order_state *state, uint32_t at,
                            uint64_t threshold, uint64_t goal, const uint32_t *level, uint32_t most, uint32_t look) {
    for (uint32_t i = 0; i < state->ready_count; i++) {
        uint32_t op = state->ready[i], length = looking->steps[at].length + 1;
        if ((level && level[op] > most) || sw_order_state_during(state, op) > threshold ||
            sw_order_state_opens(state, op)) {
            continue;
        }
        if (sw_order_state_after(state, op) <= goal) {
            return op;
        }
        struct sw_order_print print = sw_order_print_with(state, op);
        if (is_set_listed(looking, print)) {
            continue;
        }
        if (looking->count < look) {
            looking->steps[looking->count++] = (struct segment_step){print, at, op, length};
        }
    }
    return SW_NONE;
}

uint32_t sw_order_safe_segment(struct sw_order_state *state, uint64_t threshold, const uint32_t *level, uint32_t most,
                               uint32_t look, uint32_t *segment) {
    struct looking looking;
    looking.count = 1;
    looking.steps[0] = (struct segment_step){state->print, 0, SW_NONE, 0};
    uint64_t goal = state->live;
    /* Sets stand in the list by size. Once one finds no room none is added, so all that are smaller were looked at, and
     * what is reached from those of its size is still a smallest one. */
    for (uint32_t at = 0; at < looking.count; at++) {
        uint32_t length = path_of(&looking, at, segment);
        for (uint32_t i = 0; i < length; i++) {
            sw_order_state_run(state, segment[i]);
        }
        uint32_t last = spread_sets(&looking, state, at, threshold, goal, level, most, look);
        for (uint32_t i = 0; i < length; i++) {
            sw_order_state_back(state);
        }
        if (last != SW_NONE) {
            segment[length] = last;
            return length + 1;
        }
    }
    return 0;
}
