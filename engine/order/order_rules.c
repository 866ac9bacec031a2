#include "order/order_rules.h"
#include "base/minmax.h"

#include <stdlib.h>
#include <string.h>

static bool stop(const struct sw_order_work *work, uint64_t *looked, uint64_t more) {
    uint64_t before = *looked / 1000;
    *looked += more;
    return work && work->canceled && *looked / 1000 != before && work->canceled(work->context);
}

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

bool sw_order_by_rule(const struct sw_order_graph *graph, enum sw_order_rule rule, const struct sw_order_work *work,
                      uint32_t *order) {
    struct sw_order_state state;
    uint64_t peak = 0, looked = 0;
    bool stopped = false;
    if (!sw_order_state_init(&state, graph)) {
        return false;
    }
    while (state.done < graph->operator_count && !stopped) {
        uint32_t op = sw_order_rule_choice(&state, rule, peak);
        stopped = stop(work, &looked, state.ready_count);
        peak = SW_MAX(peak, sw_order_state_during(&state, op));
        sw_order_state_run(&state, op);
    }
    if (!stopped) {
        memcpy(order, state.trail, graph->operator_count * sizeof *order);
    }
    sw_order_state_done(&state);
    return !stopped;
}

/* ---- several at a time ---- */

struct child {
    uint64_t peak, after;
    struct sw_order_print print; /* of the set that it makes */
    uint32_t parent, op;
};
struct beam {
    struct sw_order_state *now, *next;
    uint64_t *peaks, *next_peaks;
    uint32_t width, count;
    SW_ARRAY(struct child) children;
};

static int by_worth(const void *x, const void *y) {
    const struct child *a = x, *b = y;
    uint64_t of_a[] = {a->peak, a->after, a->print.a, a->print.b, a->parent, a->op};
    uint64_t of_b[] = {b->peak, b->after, b->print.a, b->print.b, b->parent, b->op};
    for (size_t i = 0; i < sizeof of_a / sizeof *of_a; i++) {
        if (of_a[i] != of_b[i]) {
            return of_a[i] < of_b[i] ? -1 : 1;
        }
    }
    return 0;
}

static bool spread(struct beam *beam) {
    beam->children.count = 0;
    for (uint32_t s = 0; s < beam->count; s++) {
        const struct sw_order_state *state = &beam->now[s];
        for (uint32_t i = 0; i < state->ready_count; i++) {
            uint32_t op = state->ready[i];
            struct child child = {SW_MAX(beam->peaks[s], sw_order_state_during(state, op)),
                                  sw_order_state_after(state, op), sw_order_print_with(state, op), s, op};
            if (!SW_PUSH(&beam->children, child)) {
                return false;
            }
        }
    }
    qsort(beam->children.items, beam->children.count, sizeof *beam->children.items, by_worth);
    return true;
}

/* The best children become the states. Equal sets have equal bytes alive; those of equal peak stand side by side, and of
 * others the first, with the lowest peak, is found among those taken. */
static void select_best(struct beam *beam) {
    uint32_t taken = 0;
    for (size_t i = 0; i < beam->children.count && taken < beam->width; i++) {
        const struct child *child = &beam->children.items[i];
        bool known = false;
        for (uint32_t t = 0; t < taken && !known; t++) {
            known = beam->next[t].print.a == child->print.a && beam->next[t].print.b == child->print.b;
        }
        if (!known) {
            sw_order_state_copy(&beam->next[taken], &beam->now[child->parent]);
            sw_order_state_run(&beam->next[taken], child->op);
            beam->next_peaks[taken++] = child->peak;
        }
    }
    struct sw_order_state *states = beam->now;
    uint64_t *peaks = beam->peaks;
    beam->now = beam->next;
    beam->next = states;
    beam->peaks = beam->next_peaks;
    beam->next_peaks = peaks;
    beam->count = taken;
}

bool sw_order_by_beam(const struct sw_order_graph *graph, uint32_t width, const struct sw_order_work *work, uint32_t *order) {
    struct beam beam = {.width = width ? width : 1, .count = 1};
    size_t states = (size_t)beam.width;
    uint64_t looked = 0;
    beam.now = SW_NEW_ZERO(struct sw_order_state, states);
    beam.next = SW_NEW_ZERO(struct sw_order_state, states);
    beam.peaks = SW_NEW_ZERO(uint64_t, states);
    beam.next_peaks = SW_NEW_ZERO(uint64_t, states);
    bool ok = beam.now && beam.next && beam.peaks && beam.next_peaks;
    for (size_t i = 0; ok && i < states; i++) {
        ok = sw_order_state_init(&beam.now[i], graph) && sw_order_state_init(&beam.next[i], graph);
    }
    for (uint32_t i = 0; ok && i < graph->operator_count; i++) {
        ok = spread(&beam) && !stop(work, &looked, beam.children.count);
        if (ok) {
            select_best(&beam);
        }
    }
    if (ok) {
        memcpy(order, beam.now[0].trail, graph->operator_count * sizeof *order);
    }
    for (size_t i = 0; i < states; i++) {
        if (beam.now) {
            sw_order_state_done(&beam.now[i]);
        }
        if (beam.next) {
            sw_order_state_done(&beam.next[i]);
        }
    }
    SW_FREE(beam.now, states);
    SW_FREE(beam.next, states);
    SW_FREE(beam.peaks, states);
    SW_FREE(beam.next_peaks, states);
    SW_ARRAY_DONE(&beam.children);
    return ok;
}
