/* ONNX models in another order: the nodes of the graph change places, and every other byte stays.
 *
 * A node that is an operator goes where the order says. A node that holds control flow, or calls a function, may be several
 * operators: they stay together, in their order. A node that is none (a constant, what is known before the run, what no output
 * depends on) goes right behind the last node that it reads from, so it stands before all that read it. */
#include "formats/onnx/onnx.h"
#include "formats/onnx/onnx_bodies.h"
#include "formats/onnx/onnx_format.h"
#include "formats/graphs/order_file.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

struct top {
    struct sw_pb_bytes whole, body;  /* the field; the NodeProto in it */
    uint32_t operators;              /* how many operators it is */
    uint32_t place;                  /* behind so many nodes that are operators, itself included; 0: before all */
    uint32_t turn;                   /* as the file has it, when makers stand before readers there */
};
struct order {
    struct onnx_model model;
    SW_ARRAY(struct top) tops;
    uint32_t *sorted;            /* the nodes so that makers stand before readers; NULL: as the file has them */
    uint32_t *owner;             /* of each operator, its node; `count` of them */
    uint32_t count;
    GHashTable *makers;          /* from the name of a value to the node that makes it, plus 1 */
};

/* ---- the nodes ---- */

static bool list_tops(struct order *order) {
    struct sw_pb pb = sw_pb_open(order->model.graph);
    struct sw_pb_field field;
    const unsigned char *begin = pb.at;
    while (sw_pb_next(&pb, &field)) {
        struct top top = {.whole = {begin, (size_t)(pb.at - begin)}, .body = field.bytes, .turn = (uint32_t)order->tops.count};
        begin = pb.at;
        if (field.number == 1 && field.wire == SW_PB_BYTES && !SW_PUSH(&order->tops, top)) {
            return onnx_fail_memory(&order->model);
        }
    }
    size_t count;
    if (!onnx_whole(&order->model, &pb) || !onnx_sort(&order->model, order->model.graph, 1, &order->sorted, &count)) {
        return false;
    }
    for (size_t i = 0; order->sorted && i < count; i++) {
        order->tops.items[order->sorted[i]].turn = (uint32_t)i;
    }
    return true;
}

/* The node of the graph that these bytes are part of; SW_NONE. */
static uint32_t top_at(const struct order *order, const unsigned char *at) {
    size_t lo = 0, hi = order->tops.count;
    while (lo < hi) {
        size_t middle = (lo + hi) / 2;
        const struct sw_pb_bytes whole = order->tops.items[middle].whole;
        if (at < whole.at) {
            hi = middle;
        } else if (at >= whole.at + whole.length) {
            lo = middle + 1;
        } else {
            return (uint32_t)middle;
        }
    }
    return SW_NONE;
}

/* A node of a function stands for the call. */
static uint32_t top_of(const struct order *order, const struct onnx_node *node) {
    uint32_t top = top_at(order, node->body.at);
    for (unsigned calls = 0; top == SW_NONE && node->caller != SW_NONE && calls <= ONNX_DEPTH; calls++) {
        node = &order->model.nodes.items[node->caller];
        top = top_at(order, node->body.at);
    }
    return top;
}

static bool find_owners(struct order *order, uint32_t count) {
    struct onnx_model *model = &order->model;
    uint32_t live = 0;
    order->count = count;
    order->owner = SW_NEW(uint32_t, count);
    if (!order->owner) {
        return onnx_fail_memory(model);
    }
    for (size_t i = 0; i < model->nodes.count; i++) {
        const struct onnx_node *node = &model->nodes.items[i];
        if (!node->live) {
            continue;
        }
        uint32_t top = top_of(order, node);
        if (live == count || top == SW_NONE) {
            return onnx_fail(model, "its operators are not those that were put in order");
        }
        order->tops.items[top].operators++;
        order->owner[live++] = top;
    }
    return live == count || onnx_fail(model, "its operators are not those that were put in order");
}

bool onnx_owners(struct onnx_model *model, uint32_t count, uint32_t **owners) {
    struct sw_error own = {0};
    struct order order = {.model = *model};
    order.model.error = &own;
    bool good = list_tops(&order) && find_owners(&order, count);
    SW_FREE(order.sorted, order.sorted ? order.tops.count : 0);
    SW_ARRAY_DONE(&order.tops);
    if (!good) {
        SW_FREE(order.owner, order.owner ? count : 0);
    }
    *owners = good ? order.owner : NULL;
    return own.code != SW_ERROR_MEMORY || onnx_fail_memory(model);
}

/* ---- names ---- */

static guint hash_name(gconstpointer key) {
    const struct sw_pb_bytes *name = key;
    guint value = 5381;
    for (size_t i = 0; i < name->length; i++) {
        value = value * 33 + name->at[i];
    }
    return value;
}

static gboolean same_name(gconstpointer a, gconstpointer b) {
    const struct sw_pb_bytes *x = a, *y = b;
    return x->length == y->length && (x->length == 0 || memcmp(x->at, y->at, x->length) == 0);
}

static struct sw_quote name_of(const struct top *top) {
    struct sw_pb pb = sw_pb_open(top->body);
    struct sw_pb_field field;
    struct sw_pb_bytes name = {0};
    while (sw_pb_next(&pb, &field)) { /* its name, else what it makes */
        if (field.wire == SW_PB_BYTES && field.bytes.length > 0 && (field.number == 3 || (field.number == 2 && !name.at))) {
            name = field.bytes;
        }
    }
    return onnx_quote(name);
}

static bool name_makers(struct order *order) {
    order->makers = g_hash_table_new(hash_name, same_name);
    for (size_t i = 0; i < order->tops.count; i++) {
        struct sw_pb pb = sw_pb_open(order->tops.items[i].body);
        struct sw_pb_field field;
        while (sw_pb_next(&pb, &field)) {
            if (field.number == 2 && field.wire == SW_PB_BYTES && field.bytes.length > 0) {
                struct sw_pb_bytes *name = sw_arena_new(&order->model.arena, 1, sizeof *name);
                if (!name) {
                    return onnx_fail_memory(&order->model);
                }
                *name = field.bytes;
                g_hash_table_insert(order->makers, name, GUINT_TO_POINTER((guint)i + 1));
            }
        }
    }
    return true;
}

/* ---- what each node reads ---- */

struct visit {
    struct order *order;
    uint32_t top;
    bool (*each)(struct visit *, uint32_t maker); /* false: no more */
};

static bool visit_name(struct visit *visit, struct sw_pb_bytes name) {
    guint maker = GPOINTER_TO_UINT(g_hash_table_lookup(visit->order->makers, &name));
    return maker == 0 || maker - 1 == visit->top || visit->each(visit, maker - 1);
}

static bool visit_node(struct visit *visit, struct sw_pb_bytes body, unsigned depth);

/* A body takes values from outside: by its nodes, or as a result. */
static bool visit_graph(struct visit *visit, struct sw_pb_bytes graph, unsigned depth) {
    struct sw_pb pb = sw_pb_open(graph);
    struct sw_pb_field field;
    bool good = true;
    while (good && sw_pb_next(&pb, &field)) {
        if (field.wire == SW_PB_BYTES && field.number == 1) {
            good = visit_node(visit, field.bytes, depth + 1);
        } else if (field.wire == SW_PB_BYTES && field.number == 12) {
            struct sw_pb info = sw_pb_open(field.bytes);
            while (good && sw_pb_next(&info, &field)) {
                good = field.number != 1 || field.wire != SW_PB_BYTES || visit_name(visit, field.bytes);
            }
        }
    }
    return good;
}

/* depth: bodies within bodies; the reader has refused more. */
static bool visit_node(struct visit *visit, struct sw_pb_bytes body, unsigned depth) {
    struct sw_pb pb = sw_pb_open(body);
    struct sw_pb_field field;
    bool good = true;
    while (good && sw_pb_next(&pb, &field)) {
        if (field.wire == SW_PB_BYTES && field.number == 1) {
            good = visit_name(visit, field.bytes);
        } else if (field.wire == SW_PB_BYTES && field.number == 5 && depth <= ONNX_DEPTH) {
            struct sw_pb attribute = sw_pb_open(field.bytes);
            while (good && sw_pb_next(&attribute, &field)) {
                bool holds = field.wire == SW_PB_BYTES && (field.number == 6 || field.number == 11);
                good = !holds || visit_graph(visit, field.bytes, depth);
            }
        }
    }
    return good;
}

/* ---- where each goes ---- */

/* The nodes that are operators, as the order has them. */
static bool sequence(struct order *order, const uint32_t *list) {
    uint32_t *nodes = SW_NEW(uint32_t, order->count), count = 0, torn = 0;
    bool good = nodes && sw_order_of_nodes(list, order->count, order->owner, nodes, &count, &torn);
    for (uint32_t i = 0; good && i < count; i++) {
        order->tops.items[nodes[i]].place = i + 1;
    }
    SW_FREE(nodes, order->count);
    if (nodes && !good) {
        return onnx_fail(&order->model, "the order takes apart %s, whose operators stay together, one after the other",
                         name_of(&order->tops.items[torn]).text);
    }
    return good || onnx_fail_memory(&order->model);
}

/* What is no operator goes behind all that it reads. Makers come before readers. */
static bool push_behind(struct visit *visit, uint32_t maker) {
    struct top *top = &visit->order->tops.items[visit->top];
    const struct top *other = &visit->order->tops.items[maker];
    top->place = other->place > top->place ? other->place : top->place;
    return true;
}

/* An operator may read what is known before the run, and that may follow from a value's shape alone: then nothing that is
 * planned flows, but the file must have the value first. */
static bool stands_behind(struct visit *visit, uint32_t maker) {
    const struct top *top = &visit->order->tops.items[visit->top], *other = &visit->order->tops.items[maker];
    return other->place < top->place ||
           onnx_fail(&visit->order->model, "the order has %s before what %s is computed from", name_of(top).text, name_of(other).text);
}

static bool place_all(struct order *order) {
    bool good = true;
    for (size_t i = 0; good && i < order->tops.count; i++) {
        uint32_t at = order->sorted ? order->sorted[i] : (uint32_t)i;
        struct top *top = &order->tops.items[at];
        struct visit visit = {order, at, push_behind};
        good = top->operators > 0 || visit_node(&visit, top->body, 0);
    }
    for (size_t i = 0; good && i < order->tops.count; i++) {
        struct top *top = &order->tops.items[i];
        struct visit visit = {order, (uint32_t)i, stands_behind};
        good = top->operators == 0 || visit_node(&visit, top->body, 0);
    }
    return good;
}

static int by_place(const void *a, const void *b) {
    const struct top *x = a, *y = b;
    if (x->place != y->place) {
        return x->place < y->place ? -1 : 1;
    }
    bool first_x = x->operators > 0, first_y = y->operators > 0;
    return first_x != first_y ? (first_x ? -1 : 1) : (x->turn > y->turn) - (x->turn < y->turn);
}

/* ---- writing ---- */

static void add(struct sw_sink *sink, const unsigned char *from, const unsigned char *to) {
    sw_sink_add(sink, (const char *)from, (size_t)(to - from));
}

/* All fields of the graph in their places, but the k-th node is the k-th of the new order. */
static void write_all(const struct order *order, struct sw_sink *sink) {
    const struct sw_input *input = order->model.input;
    const unsigned char *at = (const unsigned char *)input->bytes, *end = at + input->length;
    struct sw_pb pb = sw_pb_open(order->model.graph);
    struct sw_pb_field field;
    const unsigned char *begin = pb.at;
    size_t k = 0;
    while (sw_pb_next(&pb, &field)) {
        if (field.number == 1 && field.wire == SW_PB_BYTES) {
            const struct sw_pb_bytes whole = order->tops.items[k++].whole;
            add(sink, at, begin);
            add(sink, whole.at, whole.at + whole.length);
            at = pb.at;
        }
        begin = pb.at;
    }
    add(sink, at, end);
}

/* The file's own order: then nothing has to move in a file that is in order, nodes that are no operators neither. */
static bool is_own(const uint32_t *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] != i) {
            return false;
        }
    }
    return true;
}

bool sw_onnx_write_order(const struct sw_input *input, const struct sw_load_options *options, const uint32_t *list, uint32_t count,
                         struct sw_sink *sink, struct sw_error *error) {
    struct sw_error own = {0};
    struct order order = {.model = {.input = input, .dims = options ? options->dims : NULL, .given = options ? options->values : NULL, .error = &own}};
    bool good = onnx_model_read(&order.model);
    if (good) {
        onnx_mark_live(&order.model);
        good = list_tops(&order) && find_owners(&order, count) && name_makers(&order) && sequence(&order, list) && place_all(&order);
    }
    if (good && order.tops.count > 1 && (order.sorted || !is_own(list, count))) {
        qsort(order.tops.items, order.tops.count, sizeof *order.tops.items, by_place);
    }
    if (good) {
        write_all(&order, sink);
        good = !sink->failed || sw_fail_memory(&own);
    }
    if (order.makers) {
        g_hash_table_destroy(order.makers);
    }
    SW_FREE(order.owner, count);
    SW_FREE(order.sorted, order.sorted ? order.tops.count : 0);
    SW_ARRAY_DONE(&order.tops);
    onnx_model_done(&order.model);
    if (!good && error) {
        *error = own;
        error->code = own.code == SW_ERROR_INPUT ? SW_ERROR_UNSUPPORTED : own.code;
    }
    return good;
}
