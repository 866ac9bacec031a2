/* The order in which ONNX Runtime runs a graph by itself (onnxruntime/core/graph, 1.30), from the nodes as the file
 * lists them.
 *
 * A node without readers is a leaf. The default order is a depth first walk from the leaves back to what they read, the
 * last leaf first, of what a node reads the one that the file lists last first; a node runs when all of that has run.
 * The order by priority runs, of the nodes that are ready, Shape and Size first, and else what the file lists first: so
 * it keeps the order of a file but for those two. Constant nodes are weights to it, and stand in neither order. */
#include "formats/onnx/onnx_edges.h"
#include "formats/onnx/onnx_format.h"

struct runtime_order {
    struct onnx_tops tops;
    bool *weight, *first;      /* of each node: is it a Constant; a Shape or a Size */
    SW_ARRAY(uint32_t) makers; /* what each node reads, one behind the other, as the file lists them */
    uint32_t *from;            /* where those of each node begin */
    uint32_t *result, count;   /* nodes, in the order in which they run */
};

static void look_at_node(struct runtime_order *order, uint32_t top) {
    struct sw_pb_bytes body = order->tops.items.items[top].body, kind = sw_pb_last(body, 4),
                       domain = sw_pb_last(body, 7);
    bool own = domain.length == 0 || sw_pb_equal(domain, "ai.onnx");
    order->weight[top] = own && sw_pb_equal(kind, "Constant");
    order->first[top] = sw_pb_equal(kind, "Shape") || sw_pb_equal(kind, "Size"); /* of any domain */
}

static bool list_makers(struct runtime_order *order) {
    const struct onnx_sorted *sorted = order->tops.sorted;
    uint32_t nodes = (uint32_t)order->tops.items.count;
    bool good = true;
    for (uint32_t i = 0; i < nodes; i++) {
        look_at_node(order, i);
    }
    for (uint32_t i = 0; good && i < nodes; i++) {
        order->from[i] = (uint32_t)order->makers.count;
        for (size_t k = onnx_top_reads(&order->tops, i); good && !order->weight[i] && k < sorted->ends.items[i]; k++) {
            good = order->weight[sorted->reads.items[k]] || SW_PUSH(&order->makers, sorted->reads.items[k]);
        }
    }
    order->from[nodes] = (uint32_t)order->makers.count;
    return good;
}

/* ---- the default ---- */

static bool walk_back(struct runtime_order *order) {
    uint32_t nodes = (uint32_t)order->tops.items.count, *list = order->makers.items;
    struct sw_arena *arena = &order->tops.model->arena;
    bool *read = sw_arena_new(arena, nodes + 1, sizeof *read), *seen = sw_arena_new(arena, nodes + 1, sizeof *seen);
    SW_ARRAY(uint32_t) stack = {0}; /* twice the node, plus 1 to run it */
    bool good = read && seen;
    for (size_t i = 0; good && i < order->makers.count; i++) {
        read[list[i]] = true;
    }
    for (uint32_t i = 0; good && i < nodes; i++) {
        good = order->weight[i] || read[i] || SW_PUSH(&stack, 2 * i);
    }
    while (good && stack.count > 0) {
        uint32_t entry = stack.items[--stack.count], node = entry / 2;
        if (entry % 2) {
            order->result[order->count++] = node;
        } else if (!seen[node]) {
            seen[node] = true;
            good = SW_PUSH(&stack, entry + 1);
            for (uint32_t i = order->from[node]; good && i < order->from[node + 1]; i++) {
                good = seen[list[i]] || SW_PUSH(&stack, 2 * list[i]);
            }
        }
    }
    SW_ARRAY_DONE(&stack);
    return good;
}

/* ---- by priority ---- */

/* Smaller runs earlier. */
static uint64_t priority_key(const struct runtime_order *order, uint32_t node) {
    return (uint64_t)!order->first[node] << 32 | node;
}

struct key_heap {
    uint64_t *items; /* none is larger than those at twice its place, and that plus 1, counted from 1 */
    uint32_t count;
};

static void heap_add(struct key_heap *heap, uint64_t key) {
    uint32_t at = ++heap->count;
    for (; at > 1 && heap->items[at / 2] > key; at /= 2) {
        heap->items[at] = heap->items[at / 2];
    }
    heap->items[at] = key;
}

static uint64_t heap_take(struct key_heap *heap) {
    uint64_t least = heap->items[1], key = heap->items[heap->count--];
    uint32_t at = 1, child;
    while ((child = 2 * at) <= heap->count) {
        child += child < heap->count && heap->items[child + 1] < heap->items[child];
        if (heap->items[child] >= key) {
            break;
        }
        heap->items[at] = heap->items[child];
        at = child;
    }
    heap->items[at] = key;
    return least;
}

static bool by_priority(struct runtime_order *order) {
    uint32_t nodes = (uint32_t)order->tops.items.count;
    struct sw_arena *arena = &order->tops.model->arena;
    struct key_heap heap = {.items = sw_arena_new(arena, (size_t)nodes + 2, sizeof *heap.items)};
    uint32_t *missing = sw_arena_new(arena, (size_t)nodes + 1, sizeof *missing),
             *at = sw_arena_new(arena, (size_t)nodes + 2, sizeof *at);
    uint32_t *readers = sw_arena_new(arena, order->makers.count + 1, sizeof *readers);
    if (!heap.items || !missing || !at || !readers) {
        return false;
    }
    for (size_t i = 0; i < order->makers.count; i++) {
        at[order->makers.items[i] + 2]++;
    }
    for (uint32_t i = 2; i < nodes + 2; i++) {
        at[i] += at[i - 1];
    }
    for (uint32_t i = 0; i < nodes; i++) {
        missing[i] = order->from[i + 1] - order->from[i];
        for (uint32_t k = order->from[i]; k < order->from[i + 1]; k++) {
            readers[at[order->makers.items[k] + 1]++] = i;
        }
        if (missing[i] == 0 && !order->weight[i]) {
            heap_add(&heap, priority_key(order, i));
        }
    }
    while (heap.count > 0) {
        uint32_t node = (uint32_t)heap_take(&heap);
        order->result[order->count++] = node;
        for (uint32_t k = at[node]; k < at[node + 1]; k++) {
            if (--missing[readers[k]] == 0) {
                heap_add(&heap, priority_key(order, readers[k]));
            }
        }
    }
    return true;
}

/* ---- what becomes of the operators ---- */

/* An operator that is several runs them one after the other. */
static bool list_runs(const struct runtime_order *order, uint32_t *list, uint32_t count) {
    const struct onnx_top *tops = order->tops.items.items;
    uint32_t done = 0;
    for (uint32_t i = 0; i < order->count; i++) {
        const struct onnx_top *top = &tops[order->result[i]];
        for (uint32_t k = 0; k < top->operators && done < count; k++) {
            list[done++] = top->last + 1 - top->operators + k;
        }
    }
    return done == count;
}

static bool find_runtime_order(struct onnx_model *model, bool priority, uint32_t *list, uint32_t count) {
    struct runtime_order order = {.count = 0};
    bool good = onnx_tops_open(&order.tops, model, count);
    size_t nodes = order.tops.items.count;
    if (good) {
        order.weight = sw_arena_new(&model->arena, nodes + 1, sizeof *order.weight);
        order.first = sw_arena_new(&model->arena, nodes + 1, sizeof *order.first);
        order.from = sw_arena_new(&model->arena, nodes + 1, sizeof *order.from);
        order.result = sw_arena_new(&model->arena, nodes + 1, sizeof *order.result);
        good = (order.weight && order.first && order.from && order.result && list_makers(&order) &&
                (priority ? by_priority(&order) : walk_back(&order))) ||
               onnx_fail_memory(model);
    }
    good =
        good && (list_runs(&order, list, count) || onnx_fail(model, "its operators have no order of ONNX Runtime's"));
    SW_ARRAY_DONE(&order.makers);
    onnx_tops_close(&order.tops);
    return good;
}

bool sw_onnx_runtime_order(const struct sw_input *input, const struct sw_load_options *options, bool priority,
                           uint32_t *order, uint32_t count, struct sw_error *error) {
    struct onnx_model model;
    bool good = onnx_open_model(&model, input, options, error) && find_runtime_order(&model, priority, order, count);
    onnx_model_done(&model);
    return good;
}
