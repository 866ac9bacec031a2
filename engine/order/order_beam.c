/* A beam: the best few ways to have run so many operators, layer by layer. */
#include "order/order_rules.h"
#include "base/base.h"
#include "base/sort.h"

struct child {
    uint64_t peak, after;
    struct sw_order_print print; /* of the set that it makes */
    uint32_t parent, op;
};
struct sw_order_beam {
    const struct sw_order_graph *graph;
    struct sw_order_state *now, *next;
    uint64_t *peaks, *next_peaks;
    uint32_t width, count;
    SW_ARRAY(struct child) children;
    struct sw_arena arena; /* all of these but the children */
};

SW_BY_FIELDS(by_child_worth, struct child, SW_UP(peak), SW_UP(after), SW_UP(print.a), SW_UP(print.b), SW_UP(parent),
             SW_UP(op))

static bool spread_states(struct sw_order_beam *beam) {
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
    qsort(beam->children.items, beam->children.count, sizeof *beam->children.items, by_child_worth);
    return true;
}

/* The best children become the states. Equal sets have equal bytes alive; those of equal peak stand side by side, and
 * of others the first, with the lowest peak, is found among those taken. */
static void select_beam(struct sw_order_beam *beam) {
    uint32_t taken = 0;
    for (size_t i = 0; i < beam->children.count && taken < beam->width; i++) {
        const struct child *child = &beam->children.items[i];
        bool known = false;
        for (uint32_t t = 0; t < taken && !known; t++) {
            known = sw_order_print_is(beam->next[t].print, child->print);
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

static bool make_states(struct sw_order_beam *beam) {
    size_t width = beam->width;
    beam->now = SW_NEW_IN(&beam->arena, struct sw_order_state, width);
    beam->next = SW_NEW_IN(&beam->arena, struct sw_order_state, width);
    beam->peaks = SW_NEW_IN(&beam->arena, uint64_t, width);
    beam->next_peaks = SW_NEW_IN(&beam->arena, uint64_t, width);
    bool ok = beam->now && beam->next && beam->peaks && beam->next_peaks;
    for (size_t i = 0; ok && i < width; i++) {
        ok = sw_order_state_init(&beam->now[i], beam->graph) && sw_order_state_init(&beam->next[i], beam->graph);
    }
    return ok;
}

struct sw_order_beam *sw_order_beam_new(const struct sw_order_graph *graph, uint32_t width) {
    struct sw_order_beam *beam = SW_NEW_ZERO(struct sw_order_beam, 1);
    if (!beam) {
        return NULL;
    }
    beam->graph = graph;
    beam->width = width ? width : 1;
    beam->count = 1;
    if (!make_states(beam)) {
        sw_order_beam_free(beam);
        return NULL;
    }
    return beam;
}

struct sw_order_beam *sw_order_beam_clone(const struct sw_order_beam *from) {
    struct sw_order_beam *to = sw_order_beam_new(from->graph, from->width);
    if (to) {
        to->count = from->count;
        memcpy(to->peaks, from->peaks, from->count * sizeof *to->peaks);
        for (uint32_t i = 0; i < from->count; i++) {
            sw_order_state_copy(&to->now[i], &from->now[i]);
        }
    }
    return to;
}

void sw_order_beam_free(struct sw_order_beam *beam) {
    if (!beam) {
        return;
    }
    for (size_t i = 0; beam->now && beam->next && i < beam->width; i++) {
        sw_order_state_done(&beam->now[i]);
        sw_order_state_done(&beam->next[i]);
    }
    sw_arena_done(&beam->arena);
    SW_ARRAY_DONE(&beam->children);
    SW_FREE(beam, 1);
}

bool sw_order_beam_step(struct sw_order_beam *beam, struct sw_order_layer *layer) {
    if (!spread_states(beam)) {
        return false;
    }
    select_beam(beam);
    *layer = (struct sw_order_layer){
        .looked = beam->children.count, .kept = beam->count, .done = beam->now[0].done, .peak = beam->peaks[0]};
    return true;
}

const struct sw_order_state *sw_order_beam_best(const struct sw_order_beam *beam, uint64_t *peak) {
    *peak = beam->peaks[0];
    return &beam->now[0];
}

uint64_t sw_order_beam_digest(const struct sw_order_beam *beam) {
    uint64_t digest = beam->count;
    for (uint32_t i = 0; i < beam->count; i++) {
        digest = sw_fold(sw_fold(digest, beam->peaks[i]), beam->now[i].print.a);
    }
    return digest;
}

size_t sw_order_beam_bytes(const struct sw_order_beam *beam) {
    return sizeof *beam + 2 * (size_t)beam->width * (sizeof(struct sw_order_state) + beam->now[0].block_size);
}
