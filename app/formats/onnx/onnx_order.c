/* ONNX models in another order: the nodes of the graph change places, and every other byte stays.
 *
 * A node that is an operator goes where the order says. A node that holds control flow, or calls a function, may be
 * several operators: they stay together, in their order. A node that is none (a constant, what is known before the run,
 * what no output depends on) goes right behind the last node that it reads from, so it stands before all that read it.
 */
#include "formats/onnx/onnx.h"
#include "base/base.h"
#include "formats/onnx/onnx_edges.h"
#include "formats/onnx/onnx_format.h"
#include "formats/graphs/order_file.h"

struct node_order {
    struct onnx_model model;
    struct onnx_tops tops; /* place: behind so many nodes that are operators, itself included; 0: before all */
};

static struct onnx_top *top_numbered(const struct node_order *order, uint32_t number) {
    return &order->tops.items.items[number];
}

/* ---- names ---- */

/* For a message: its name, else what it makes; whole, unless it is as long as a message. NULL: no memory. */
static const char *name_of_top(struct node_order *order, const struct onnx_top *top) {
    enum { TOP_NAME = 200 };
    struct sw_pb_bytes name = onnx_name_of(top->body);
    name.length = name.length > TOP_NAME ? sw_utf8_cut((const char *)name.at, name.length, TOP_NAME) : name.length;
    return onnx_text(&order->model, name);
}

/* ---- where each goes ---- */

/* The nodes that are operators, as the order has them. */
static bool place_operators(struct node_order *order, const uint32_t *list) {
    uint32_t operators = order->tops.count, count = 0, torn = 0;
    uint32_t *nodes = sw_arena_new(&order->model.arena, (size_t)operators + 1, sizeof *nodes);
    if (!nodes) {
        return onnx_fail_memory(&order->model);
    }
    if (!sw_order_of_nodes(list, operators, order->tops.owner, nodes, &count, &torn)) {
        const char *name = name_of_top(order, top_numbered(order, torn));
        return name && onnx_fail(&order->model,
                                 "the order takes apart %s: its operators stay together, one after the other", name);
    }
    for (uint32_t i = 0; i < count; i++) {
        top_numbered(order, nodes[i])->place = i + 1;
    }
    return true;
}

/* What is no operator goes behind all that it reads. Makers come before readers. */
static void push_behind(struct node_order *order, uint32_t at) {
    struct onnx_top *top = top_numbered(order, at);
    const struct onnx_sorted *sorted = order->tops.sorted;
    for (size_t i = onnx_top_reads(&order->tops, at); i < sorted->ends.items[at]; i++) {
        top->place = SW_MAX(top->place, top_numbered(order, sorted->reads.items[i])->place);
    }
}

/* An operator may read what is known before the run, and that may follow from a value's shape alone: then nothing that
 * is planned flows, but the file must have the value first. */
static bool stands_behind(struct node_order *order, uint32_t at) {
    const struct onnx_top *top = top_numbered(order, at);
    const struct onnx_sorted *sorted = order->tops.sorted;
    for (size_t i = onnx_top_reads(&order->tops, at); i < sorted->ends.items[at]; i++) {
        const struct onnx_top *other = top_numbered(order, sorted->reads.items[i]);
        if (other->place >= top->place) {
            const char *name = name_of_top(order, top), *before = name_of_top(order, other);
            return name && before &&
                   onnx_fail(&order->model, "the order has %s before what %s is computed from", name, before);
        }
    }
    return true;
}

static bool place_all(struct node_order *order) {
    uint32_t count = (uint32_t)order->tops.items.count;
    bool good = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = order->tops.sorted->order ? order->tops.sorted->order[i] : i;
        if (top_numbered(order, at)->operators == 0) {
            push_behind(order, at);
        }
    }
    for (uint32_t i = 0; good && i < count; i++) {
        good = top_numbered(order, i)->operators == 0 || stands_behind(order, i);
    }
    return good;
}

static int by_new_place(const void *a, const void *b) {
    const struct onnx_top *x = a, *y = b;
    if (x->place != y->place) {
        return x->place < y->place ? -1 : 1;
    }
    bool first_x = x->operators > 0, first_y = y->operators > 0;
    return first_x != first_y ? (first_x ? -1 : 1) : (x->turn > y->turn) - (x->turn < y->turn);
}

/* ---- writing ---- */

static void copy_span(struct sw_sink *sink, const unsigned char *from, const unsigned char *to) {
    sw_sink_add(sink, (const char *)from, (size_t)(to - from));
}

/* All fields of the graph in their places, but the k-th node is the k-th of the new order. */
static void write_reordered(const struct node_order *order, struct sw_sink *sink) {
    const struct sw_input *input = order->model.input;
    const unsigned char *at = (const unsigned char *)input->bytes, *end = at + input->length;
    struct sw_pb pb = sw_pb_open(order->model.graph);
    struct sw_pb_field field;
    const unsigned char *begin = pb.at;
    size_t k = 0;
    while (sw_pb_next(&pb, &field)) {
        if (field.number == 1 && field.wire == SW_PB_BYTES) {
            const struct sw_pb_bytes whole = top_numbered(order, (uint32_t)k++)->whole;
            copy_span(sink, at, begin);
            copy_span(sink, whole.at, whole.at + whole.length);
            at = pb.at;
        }
        begin = pb.at;
    }
    copy_span(sink, at, end);
}

/* Is it the file's own order? Then no node moves, if the file has makers before readers. */
static bool is_files_order(const uint32_t *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] != i) {
            return false;
        }
    }
    return true;
}

bool sw_onnx_write_order(const struct sw_input *input, const struct sw_load_options *options, const uint32_t *list,
                         uint32_t count, struct sw_sink *sink, struct sw_error *error) {
    struct node_order order = {0};
    bool good = onnx_open_model(&order.model, input, options, error) &&
                onnx_tops_open(&order.tops, &order.model, count) && place_operators(&order, list) && place_all(&order);
    struct onnx_top *nodes = order.tops.items.items;
    if (good && order.tops.items.count > 1 && (order.tops.sorted->order || !is_files_order(list, count))) {
        qsort(nodes, order.tops.items.count, sizeof *nodes, by_new_place);
    }
    if (good) {
        write_reordered(&order, sink);
        good = !sink->failed || sw_fail_memory(error);
    }
    onnx_tops_close(&order.tops);
    onnx_model_done(&order.model);
    if (!good && error && error->code == SW_ERROR_INPUT) {
        error->code = SW_ERROR_UNSUPPORTED;
    }
    return good;
}
