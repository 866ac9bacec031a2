#include "order/exact/order_cuts.h"
#include "base/base.h"

enum { SOURCE, SINK, FIRST_NODE };
#define ENDLESS (UINT64_MAX / 4)

struct arc {
    uint64_t room; /* what may still flow; the arc back is number ^ 1 */
    uint32_t to, next;
};
struct sw_order_cutter {
    const struct sw_order_graph *graph;
    uint8_t *roles;  /* of the last question */
    uint32_t about;  /* the operator that runs; SW_NONE: none does */
    uint32_t *node;  /* per free operator its node */
    uint32_t *stack; /* room for all operators, or nodes */
    SW_ARRAY(struct arc) arcs;
    uint32_t *heads, *level, *at; /* per node: first arc, distance from the source, arc to go on with */
    uint32_t nodes;
    uint64_t work;
    bool failed;
    struct sw_arena arena; /* all of these but the arcs */
};

struct sw_order_cutter *sw_order_cutter_new(const struct sw_order_graph *graph) {
    struct sw_order_cutter *cutter = SW_NEW_ZERO(struct sw_order_cutter, 1);
    if (!cutter) {
        return NULL;
    }
    cutter->graph = graph;
    size_t nodes = (size_t)graph->operator_count + 2 * (size_t)graph->buffer_count + FIRST_NODE;
    cutter->roles = SW_NEW_IN(&cutter->arena, uint8_t, graph->operator_count);
    cutter->node = SW_NEW_IN(&cutter->arena, uint32_t, graph->operator_count);
    cutter->stack = SW_NEW_IN(&cutter->arena, uint32_t, nodes);
    cutter->heads = SW_NEW_IN(&cutter->arena, uint32_t, nodes);
    cutter->level = SW_NEW_IN(&cutter->arena, uint32_t, nodes);
    cutter->at = SW_NEW_IN(&cutter->arena, uint32_t, nodes);
    if (!cutter->roles || !cutter->node || !cutter->stack || !cutter->heads || !cutter->level || !cutter->at) {
        sw_order_cutter_free(cutter);
        return NULL;
    }
    return cutter;
}

void sw_order_cutter_free(struct sw_order_cutter *cutter) {
    if (cutter) {
        sw_arena_done(&cutter->arena);
        SW_ARRAY_DONE(&cutter->arcs);
        SW_FREE(cutter, 1);
    }
}

SW_GETTER(const struct sw_order_graph *, sw_order_cutter_graph, sw_order_cutter, graph)
SW_GETTER(uint64_t, sw_order_cutter_work, sw_order_cutter, work)

/* ---- the network: what lies on the source's side has run ---- */

static uint32_t new_node(struct sw_order_cutter *cutter) {
    cutter->heads[cutter->nodes] = SW_NONE;
    return cutter->nodes++;
}

static void connect_nodes(struct sw_order_cutter *cutter, uint32_t from, uint32_t to, uint64_t room) {
    uint32_t number = (uint32_t)cutter->arcs.count;
    if (cutter->failed || number > UINT32_MAX - 4 || !SW_RESERVE(&cutter->arcs, (size_t)number + 2)) {
        cutter->failed = true;
        return;
    }
    cutter->arcs.items[number] = (struct arc){room, to, cutter->heads[from]};
    cutter->arcs.items[number + 1] = (struct arc){0, from, cutter->heads[to]};
    cutter->arcs.count += 2;
    cutter->heads[from] = number;
    cutter->heads[to] = number + 1;
}

/* What is certain of a buffer: some user has run, or it is an input; some has not, or it is an output. */
struct certain {
    bool begun, unfinished;
    uint32_t free; /* users of which neither is certain */
};

static struct certain certain_of(const struct sw_order_cutter *cutter, uint32_t b) {
    const struct sw_order_graph *graph = cutter->graph;
    struct certain c = {graph->buffers[b].starts, graph->buffers[b].ends, 0};
    for (uint32_t i = graph->users.at[b]; i < graph->users.at[b + 1]; i++) {
        uint32_t user = graph->users.list[i];
        uint8_t role = cutter->roles[user];
        c.begun |= role == SW_ORDER_IN || user == cutter->about;
        c.unfinished |= role == SW_ORDER_OUT; /* the one that runs just now is OUT */
        c.free += role == SW_ORDER_FREE;
    }
    return c;
}

/* The arcs of a buffer that is alive in some sets and not in others. */
static void cut_buffer(struct sw_order_cutter *cutter, uint32_t b, struct certain c) {
    const struct sw_order_graph *graph = cutter->graph;
    uint32_t begin = c.begun ? SOURCE : new_node(cutter), end = c.unfinished ? SINK : new_node(cutter);
    connect_nodes(cutter, begin, end, graph->buffers[b].size);
    for (uint32_t i = graph->users.at[b]; i < graph->users.at[b + 1]; i++) {
        uint32_t user = graph->users.list[i];
        if (cutter->roles[user] == SW_ORDER_FREE && !c.begun) {
            connect_nodes(cutter, cutter->node[user], begin, ENDLESS);
        }
        if (cutter->roles[user] == SW_ORDER_FREE && !c.unfinished) {
            connect_nodes(cutter, end, cutter->node[user], ENDLESS);
        }
    }
}

/* Returns the bytes that are alive in every set. */
static uint64_t build_network(struct sw_order_cutter *cutter) {
    const struct sw_order_graph *graph = cutter->graph;
    uint64_t fixed = graph->always;
    cutter->arcs.count = 0;
    cutter->nodes = FIRST_NODE;
    cutter->heads[SOURCE] = cutter->heads[SINK] = SW_NONE;
    for (uint32_t op = 0; op < graph->operator_count; op++) {
        if (cutter->roles[op] == SW_ORDER_FREE) {
            cutter->node[op] = new_node(cutter);
        }
    }
    for (uint32_t op = 0; op < graph->operator_count; op++) {
        for (uint32_t i = graph->before.at[op]; cutter->roles[op] == SW_ORDER_FREE && i < graph->before.at[op + 1];
             i++) {
            if (cutter->roles[graph->before.list[i]] == SW_ORDER_FREE) {
                connect_nodes(cutter, cutter->node[op], cutter->node[graph->before.list[i]], ENDLESS);
            }
        }
    }
    for (uint32_t b = 0; b < graph->buffer_count; b++) {
        struct certain c = certain_of(cutter, b);
        if (c.begun && c.unfinished) {
            fixed += graph->buffers[b].size;
        } else if (c.free > (c.begun || c.unfinished ? 0u : 1u)) {
            cut_buffer(cutter, b, c);
        }
    }
    cutter->work += graph->users.at[graph->buffer_count] + cutter->arcs.count;
    return fixed;
}

/* ---- the flow ---- */

/* Distances from the source over arcs with room. Is the sink reached? */
static bool measure_distances(struct sw_order_cutter *cutter) {
    uint32_t count = 0;
    memset(cutter->level, 0xff, cutter->nodes * sizeof *cutter->level);
    cutter->level[SOURCE] = 0;
    cutter->stack[count++] = SOURCE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = cutter->stack[i];
        for (uint32_t a = cutter->heads[node]; a != SW_NONE; a = cutter->arcs.items[a].next) {
            const struct arc *arc = &cutter->arcs.items[a];
            cutter->work++;
            if (arc->room > 0 && cutter->level[arc->to] == SW_NONE) {
                cutter->level[arc->to] = cutter->level[node] + 1;
                cutter->stack[count++] = arc->to;
            }
        }
    }
    return cutter->level[SINK] != SW_NONE;
}

/* Send along the path in `stack` (arcs) what fits; returns where the first full arc lies, and adds to the flow. */
static uint32_t send_along(struct sw_order_cutter *cutter, uint32_t length, uint64_t *flow) {
    uint64_t least = UINT64_MAX;
    uint32_t full = 0;
    for (uint32_t i = 0; i < length; i++) {
        uint64_t room = cutter->arcs.items[cutter->stack[i]].room;
        full = room < least ? i : full;
        least = SW_MIN(least, room);
    }
    for (uint32_t i = 0; i < length; i++) {
        cutter->arcs.items[cutter->stack[i]].room -= least;
        cutter->arcs.items[cutter->stack[i] ^ 1].room += least;
    }
    *flow += least;
    return full;
}

/* Fill every shortest path. */
static void fill_paths(struct sw_order_cutter *cutter, uint64_t *flow) {
    uint32_t length = 0, node = SOURCE;
    memcpy(cutter->at, cutter->heads, cutter->nodes * sizeof *cutter->at);
    for (;;) {
        if (node == SINK) {
            length = send_along(cutter, length, flow);
            node = cutter->arcs.items[cutter->stack[length] ^ 1].to;
        }
        uint32_t a = cutter->at[node];
        while (a != SW_NONE && (cutter->arcs.items[a].room == 0 ||
                                cutter->level[cutter->arcs.items[a].to] != cutter->level[node] + 1)) {
            a = cutter->arcs.items[a].next;
            cutter->work++;
        }
        cutter->at[node] = a;
        if (a != SW_NONE) {
            cutter->stack[length++] = a;
            node = cutter->arcs.items[a].to;
        } else if (length > 0) {
            uint32_t back = cutter->stack[--length];
            node = cutter->arcs.items[back ^ 1].to;
            cutter->at[node] = cutter->arcs.items[back].next;
        } else {
            return;
        }
    }
}

static bool find_least_cut(struct sw_order_cutter *cutter, uint64_t *bytes) {
    cutter->failed = false;
    uint64_t total = build_network(cutter);
    if (cutter->failed) {
        return false;
    }
    while (measure_distances(cutter)) {
        fill_paths(cutter, &total);
    }
    *bytes = total;
    return true;
}

/* ---- questions ---- */

/* Give a role to all that the lists lead to. */
static void mark_all(struct sw_order_cutter *cutter, const struct sw_order_lists *lists, uint32_t op, uint8_t role) {
    uint32_t count = 0;
    cutter->stack[count++] = op;
    while (count > 0) {
        uint32_t now = cutter->stack[--count];
        for (uint32_t i = lists->at[now]; i < lists->at[now + 1]; i++) {
            if (cutter->roles[lists->list[i]] == SW_ORDER_FREE) {
                cutter->roles[lists->list[i]] = role;
                cutter->stack[count++] = lists->list[i];
            }
        }
    }
}

bool sw_order_cut(struct sw_order_cutter *cutter, uint32_t op, uint64_t *bytes) {
    memset(cutter->roles, SW_ORDER_FREE, cutter->graph->operator_count);
    cutter->about = op;
    cutter->roles[op] = SW_ORDER_OUT;
    mark_all(cutter, &cutter->graph->before, op, SW_ORDER_IN);
    mark_all(cutter, &cutter->graph->behind, op, SW_ORDER_OUT);
    return find_least_cut(cutter, bytes);
}

bool sw_order_cut_between(struct sw_order_cutter *cutter, const uint8_t *roles, uint64_t *bytes) {
    memcpy(cutter->roles, roles, cutter->graph->operator_count);
    cutter->about = SW_NONE;
    return find_least_cut(cutter, bytes);
}

bool sw_order_cut_ran(const struct sw_order_cutter *cutter, uint32_t op) {
    return cutter->roles[op] == SW_ORDER_IN ||
           (cutter->roles[op] == SW_ORDER_FREE && cutter->level[cutter->node[op]] != SW_NONE);
}

uint32_t sw_order_cut_witness(const struct sw_order_cutter *cutter, struct sw_order_held *held) {
    const struct sw_order_graph *graph = cutter->graph;
    uint32_t count = 0;
    for (uint32_t b = 0; b < graph->buffer_count; b++) {
        struct certain c = certain_of(cutter, b);
        bool forced = c.begun && c.unfinished;
        for (uint32_t i = graph->users.at[b]; !forced && i < graph->users.at[b + 1]; i++) {
            bool ran = sw_order_cut_ran(cutter, graph->users.list[i]);
            c.begun |= ran;
            c.unfinished |= !ran;
        }
        if (c.begun && c.unfinished) {
            held[count++] = (struct sw_order_held){b, forced};
        }
    }
    return count;
}
