#include "order/order_rules.h"
#include "base/base.h"

void sw_order_turn_round(uint32_t *order, uint32_t count) {
    for (uint32_t i = 0; i + 1 < count - i; i++) {
        uint32_t held = order[i];
        order[i] = order[count - 1 - i];
        order[count - 1 - i] = held;
    }
}

/* ---- one operator after the other ---- */

/* Is a better than b? The first key counts most. */
static bool better(const uint64_t a[4], const uint64_t b[4]) {
    for (int i = 0; i < 4; i++) {
        if (a[i] != b[i]) {
            return a[i] < b[i];
        }
    }
    return false;
}

uint32_t sw_order_rule_choice(const struct sw_order_state *state, enum sw_order_rule rule, uint64_t peak) {
    uint64_t best[4] = {UINT64_MAX, 0, 0, 0};
    for (uint32_t i = 0; i < state->ready_count; i++) {
        uint32_t op = state->ready[i];
        uint64_t during = sw_order_state_during(state, op);
        uint64_t raised = rule == SW_ORDER_LPMF && during > peak ? during - peak : 0;
        uint64_t keys[4] = {raised, sw_order_state_after(state, op), during, op};
        if (better(keys, best)) {
            memcpy(best, keys, sizeof best);
        }
    }
    return (uint32_t)best[3];
}

bool sw_order_by_rule(const struct sw_order_graph *graph, enum sw_order_rule rule, uint32_t *order) {
    struct sw_order_state state;
    uint64_t peak = 0;
    if (!sw_order_state_init(&state, graph)) {
        return false;
    }
    while (state.done < graph->operator_count) {
        uint32_t op = sw_order_rule_choice(&state, rule, peak);
        peak = SW_MAX(peak, sw_order_state_during(&state, op));
        sw_order_state_run(&state, op);
    }
    memcpy(order, state.trail, graph->operator_count * sizeof *order);
    sw_order_state_done(&state);
    return true;
}
