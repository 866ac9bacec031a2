#include "order/order_state.h"
#include "base/base.h"

static struct sw_order_print print_of(uint32_t op) {
    return (struct sw_order_print){sw_fold(UINT64_C(0x243f6a8885a308d3), op),
                                   sw_fold(UINT64_C(0x13198a2e03707344), op)};
}

static void *take_room(char **at, size_t count, size_t size) {
    void *here = *at;
    *at += count * size;
    return here;
}

/* It may run next. */
static void enter_ready(struct sw_order_state *state, uint32_t op) {
    state->place[op] = state->ready_count;
    state->ready[state->ready_count++] = op;
}

bool sw_order_state_init(struct sw_order_state *state, const struct sw_order_graph *graph) {
    size_t n = graph->operator_count, m = graph->buffer_count;
    size_t groups = graph->group ? n : 0;
    *state = (struct sw_order_state){.graph = graph, .live = graph->always, .open = SW_NONE};
    state->block_size =
        n * (2 * sizeof(uint64_t) + 4 * sizeof(uint32_t)) + m * 2 * sizeof(uint32_t) + groups * 2 * sizeof(uint32_t);
    state->block = sw_mem_new_zero(state->block_size, 1);
    if (!state->block) {
        return false;
    }
    char *at = state->block;
    state->fresh = take_room(&at, n, sizeof(uint64_t));
    state->dying = take_room(&at, n, sizeof(uint64_t));
    state->trail = take_room(&at, n, sizeof(uint32_t));
    state->ready = take_room(&at, n, sizeof(uint32_t));
    state->place = take_room(&at, n, sizeof(uint32_t));
    state->missing = take_room(&at, n, sizeof(uint32_t));
    state->left = take_room(&at, m, sizeof(uint32_t));
    state->left_xor = take_room(&at, m, sizeof(uint32_t));
    state->inside = take_room(&at, groups, sizeof(uint32_t));
    state->held = take_room(&at, groups, sizeof(uint32_t));
    for (uint32_t b = 0; b < m; b++) {
        const struct sw_order_buffer *buffer = &graph->buffers[b];
        state->left[b] = buffer->users;
        state->live += buffer->starts ? buffer->size : 0;
        for (uint32_t i = graph->users.at[b]; i < graph->users.at[b + 1]; i++) {
            uint32_t user = graph->users.list[i];
            state->left_xor[b] ^= user;
            state->fresh[user] += buffer->starts ? 0 : buffer->size;
            state->dying[user] += buffer->users == 1 && !buffer->ends ? buffer->size : 0;
        }
    }
    for (uint32_t op = 0; op < n; op++) {
        state->missing[op] = graph->before.at[op + 1] - graph->before.at[op];
        state->place[op] = SW_NONE;
        if (state->missing[op] == 0) {
            enter_ready(state, op);
        }
    }
    return true;
}

void sw_order_state_done(struct sw_order_state *state) {
    sw_mem_free(state->block, state->block_size, 1);
    *state = (struct sw_order_state){0};
}

void sw_order_state_copy(struct sw_order_state *to, const struct sw_order_state *from) {
    memcpy(to->block, from->block, from->block_size);
    to->live = from->live;
    to->done = from->done;
    to->ready_count = from->ready_count;
    to->open = from->open;
    to->held_count = from->held_count;
    to->print = from->print;
}

static void leave_ready(struct sw_order_state *state, uint32_t op) {
    uint32_t last = state->ready[--state->ready_count];
    state->ready[state->place[op]] = last;
    state->place[last] = state->place[op];
    state->place[op] = SW_NONE;
}

/* ---- groups that are kept together ---- */

static bool is_held_back(const struct sw_order_state *state, uint32_t op) {
    return state->open != SW_NONE && state->graph->group[op] != state->open;
}

/* All that is needed before it has run. */
static void become_ready(struct sw_order_state *state, uint32_t op) {
    if (is_held_back(state, op)) {
        state->held[state->held_count++] = op;
    } else {
        enter_ready(state, op);
    }
}

static void become_unready(struct sw_order_state *state, uint32_t op) {
    if (state->place[op] != SW_NONE) {
        leave_ready(state, op);
        return;
    }
    uint32_t at = 0;
    while (state->held[at] != op) {
        at++;
    }
    state->held[at] = state->held[--state->held_count];
}

/* The group that is open has become another one, or none is any more: sort anew what may run. */
static void turn_to_group(struct sw_order_state *state, uint32_t group) {
    state->open = group;
    if (group == SW_NONE) {
        while (state->held_count > 0) {
            enter_ready(state, state->held[--state->held_count]);
        }
        return;
    }
    for (uint32_t i = state->ready_count; i-- > 0;) {
        uint32_t op = state->ready[i];
        if (is_held_back(state, op)) {
            leave_ready(state, op);
            state->held[state->held_count++] = op;
        }
    }
}

/* How many of the operator's group have run is `inside` now. */
static void count_inside(struct sw_order_state *state, uint32_t op, uint32_t inside) {
    uint32_t group = state->graph->group[op];
    state->inside[group] = inside;
    uint32_t open = inside == 0 || inside == state->graph->group_size[group] ? SW_NONE : group;
    if (open != state->open) {
        turn_to_group(state, open);
    }
}

static bool is_grouped(const struct sw_order_state *state, uint32_t op) {
    return state->graph->group && state->graph->group[op] != SW_NONE;
}

/* ---- writing in place ---- */

/* Does the pair count in this state? Read from the end, old is not yet begun, and fresh has but this one left. */
static bool is_open_pair(const struct sw_order_state *state, const struct sw_order_pair *pair) {
    const struct sw_order_buffer *buffers = state->graph->buffers;
    uint32_t dying = state->graph->turned ? pair->fresh : pair->old,
             born = state->graph->turned ? pair->old : pair->fresh;
    return state->left[dying] == 1 && !buffers[dying].ends && state->left[born] == buffers[born].users &&
           !buffers[born].starts;
}

/* Is there an old one for the pair's fresh one, be it that others take another? `taken`: per pair the one that has its
 * old one. `tried`: bits of pairs that were looked at. */
static bool assign(const struct sw_order_pairs *pairs, uint32_t open, uint32_t from, uint32_t *tried,
                   uint32_t *chosen) {
    for (uint32_t i = 0; i < pairs->count; i++) {
        if (!(open >> i & 1) || (*tried >> i & 1) || pairs->list[i].fresh != from) {
            continue;
        }
        *tried |= UINT32_C(1) << i;
        uint32_t holder = SW_NONE;
        for (uint32_t k = 0; k < pairs->count; k++) {
            holder = (*chosen >> k & 1) && pairs->list[k].old == pairs->list[i].old ? k : holder;
        }
        if (holder == SW_NONE || assign(pairs, open, pairs->list[holder].fresh, tried, chosen)) {
            *chosen = (holder == SW_NONE ? *chosen : *chosen & ~(UINT32_C(1) << holder)) | UINT32_C(1) << i;
            return true;
        }
    }
    return false;
}

/* The most that can be saved by these pairs: fresh ones, the largest first, as far as each has an old one of its own.
 */
static uint64_t matched(const struct sw_order_graph *graph, const struct sw_order_pairs *pairs, uint32_t open) {
    uint32_t chosen = 0, last = SW_NONE;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        uint32_t fresh = pairs->list[i].fresh, tried = 0;
        if ((open >> i & 1) && fresh != last) {
            last = fresh;
            bytes += assign(pairs, open, fresh, &tried, &chosen) ? graph->buffers[fresh].size : 0;
        }
    }
    return bytes;
}

uint64_t sw_order_state_saved(const struct sw_order_state *state, uint32_t op) {
    const struct sw_order_pairs *pairs = &state->graph->pairs[op];
    uint32_t open = 0;
    for (uint32_t i = 0; i < pairs->count; i++) {
        open |= (uint32_t)is_open_pair(state, &pairs->list[i]) << i;
    }
    return open ? matched(state->graph, pairs, open) : 0;
}

uint64_t sw_order_graph_saved(const struct sw_order_graph *graph, uint32_t op) {
    return graph->pairs ? matched(graph, &graph->pairs[op], UINT32_MAX) : 0;
}

static void flip(struct sw_order_state *state, uint32_t op) {
    struct sw_order_print print = print_of(op);
    state->print.a ^= print.a;
    state->print.b ^= print.b;
}

struct sw_order_print sw_order_print_with(const struct sw_order_state *state, uint32_t op) {
    struct sw_order_print print = print_of(op);
    return (struct sw_order_print){state->print.a ^ print.a, state->print.b ^ print.b};
}

void sw_order_state_run(struct sw_order_state *state, uint32_t op) {
    const struct sw_order_graph *graph = state->graph;
    state->live = sw_order_state_after(state, op);
    for (uint32_t i = graph->holds.at[op]; i < graph->holds.at[op + 1]; i++) {
        uint32_t b = graph->holds.list[i];
        const struct sw_order_buffer *buffer = &graph->buffers[b];
        if (state->left[b] == buffer->users && !buffer->starts) {
            for (uint32_t k = graph->users.at[b]; k < graph->users.at[b + 1]; k++) {
                state->fresh[graph->users.list[k]] -= buffer->size;
            }
        }
        state->left_xor[b] ^= op;
        if (--state->left[b] == 1 && !buffer->ends) {
            state->dying[state->left_xor[b]] += buffer->size;
        }
    }
    leave_ready(state, op);
    for (uint32_t i = graph->behind.at[op]; i < graph->behind.at[op + 1]; i++) {
        if (--state->missing[graph->behind.list[i]] == 0) {
            become_ready(state, graph->behind.list[i]);
        }
    }
    if (is_grouped(state, op)) {
        count_inside(state, op, state->inside[graph->group[op]] + 1);
    }
    flip(state, op);
    state->trail[state->done++] = op;
}

void sw_order_state_back(struct sw_order_state *state) {
    const struct sw_order_graph *graph = state->graph;
    uint32_t op = state->trail[--state->done];
    for (uint32_t i = graph->behind.at[op]; i < graph->behind.at[op + 1]; i++) {
        if (state->missing[graph->behind.list[i]]++ == 0) {
            become_unready(state, graph->behind.list[i]);
        }
    }
    if (is_grouped(state, op)) {
        count_inside(state, op, state->inside[graph->group[op]] - 1);
    }
    enter_ready(state, op);
    flip(state, op);
    for (uint32_t i = graph->holds.at[op]; i < graph->holds.at[op + 1]; i++) {
        uint32_t b = graph->holds.list[i];
        const struct sw_order_buffer *buffer = &graph->buffers[b];
        if (state->left[b]++ == 1 && !buffer->ends) {
            state->dying[state->left_xor[b]] -= buffer->size;
        }
        state->left_xor[b] ^= op;
        if (state->left[b] == buffer->users && !buffer->starts) {
            for (uint32_t k = graph->users.at[b]; k < graph->users.at[b + 1]; k++) {
                state->fresh[graph->users.list[k]] += buffer->size;
            }
        }
    }
    state->live = state->live + state->dying[op] - state->fresh[op];
}

bool sw_order_peak(const struct sw_order_graph *graph, const uint32_t *order, uint64_t *peak, uint32_t *at) {
    struct sw_order_state state;
    uint64_t most = 0;
    uint32_t where = 0;
    if (!sw_order_state_init(&state, graph)) {
        return false;
    }
    for (uint32_t i = 0; i < graph->operator_count; i++) {
        if (order[i] >= graph->operator_count || state.place[order[i]] == SW_NONE) {
            break;
        }
        if (sw_order_state_during(&state, order[i]) > most) {
            most = sw_order_state_during(&state, order[i]);
            where = i;
        }
        sw_order_state_run(&state, order[i]);
    }
    bool whole = state.done == graph->operator_count;
    *peak = whole ? most : UINT64_MAX;
    if (whole && at) {
        *at = where;
    }
    sw_order_state_done(&state);
    return whole;
}
