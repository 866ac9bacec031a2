/* ONNX: nodes that stand before what they read. The specification forbids them, public models have them, and runtimes
 * put them in order. So does this file: it walks through the nodes as the file has them, and puts before each node the
 * nodes that it reads and that have not come yet. In a file that is in order no node moves. */
#include "formats/onnx/onnx.h"
#include "base/sort.h"
#include "base/base.h"
#include "formats/onnx/onnx_bodies.h"
#include "base/names.h"

/* Of each name of a value the node that makes it, plus 1; 0: it is given. Zero it to start with. */
struct name_makers {
    struct sw_names index;
    bool failed; /* no memory: sticky */
};

struct node_sort {
    struct onnx_model *model;
    struct onnx_sorted *to;
    struct name_makers makers;
    SW_ARRAY(uint32_t) path; /* nodes of which each waits for the next */
    uint32_t early;          /* the first node that stands before what it reads; SW_NONE */
};

/* ---- names ---- */

/* SW_NONE: it has no such name. */
static uint32_t find_maker(const struct name_makers *names, struct sw_pb_bytes name) {
    return name.length > 0 ? sw_names_find(&names->index, name.at, name.length) : SW_NONE;
}

/* The first one of a name counts. */
static void define_name(struct name_makers *names, struct sw_pb_bytes name, uint32_t maker) {
    if (name.length > 0 && find_maker(names, name) == SW_NONE) {
        names->failed = !sw_names_set(&names->index, name.at, name.length, maker) || names->failed;
    }
}

struct sw_pb_bytes onnx_name_of(struct sw_pb_bytes node) {
    struct sw_pb pb = sw_pb_open(node);
    struct sw_pb_bytes name = sw_pb_last(node, 3);
    while (name.length == 0 && sw_pb_next_of(&pb, 2, &name)) {
    }
    return name;
}

static void define_outputs(struct name_makers *names, struct sw_pb_bytes node, uint32_t number) {
    struct sw_pb pb = sw_pb_open(node);
    for (struct sw_pb_bytes output; sw_pb_next_of(&pb, 2, &output);) {
        define_name(names, output, number + 1);
    }
}

/* Define the inputs and initializers of a graph, or the inputs of a function. `nodes` is the field that has the nodes:
 * 1 in a graph, 7 in a function. */
static void define_given(struct name_makers *names, struct sw_pb_bytes graph, uint32_t nodes) {
    struct sw_pb pb = sw_pb_open(graph);
    struct sw_pb_field field;
    while (sw_pb_next_bytes(&pb, &field)) {
        if (nodes == 7) {
            define_name(names, field.number == 4 ? field.bytes : (struct sw_pb_bytes){0}, 0);
        } else if (field.number == 5 || field.number == 11) {
            define_name(names, sw_pb_last(field.bytes, field.number == 5 ? 8 : 1), 0);
        } else if (field.number == 15) {
            define_name(names, sw_pb_last(sw_pb_last(field.bytes, 1), 8), 0);
        }
    }
}

/* ---- what a node reads, by itself or in its bodies ---- */

struct inner { /* a body: what it defines is not read from outside */
    struct name_makers names;
    const struct inner *outer;
};

static bool read_value_name(struct node_sort *sort, uint32_t reader, struct sw_pb_bytes name,
                            const struct inner *inner) {
    uint32_t maker = find_maker(&sort->makers, name);
    for (; inner && maker != SW_NONE; inner = inner->outer) {
        maker = find_maker(&inner->names, name) == SW_NONE ? maker : SW_NONE;
    }
    if (maker == SW_NONE || maker == 0) {
        return true;
    }
    sort->early = maker - 1 >= reader && sort->early == SW_NONE ? reader : sort->early;
    return SW_PUSH(&sort->to->reads, maker - 1) || onnx_fail_memory(sort->model);
}

static bool read_node(struct node_sort *sort, uint32_t reader, struct sw_pb_bytes node, const struct inner *inner,
                      unsigned depth);

/* GraphProto: what it defines, then what its nodes read and what it gives back. */
static bool read_inner_body(struct node_sort *sort, uint32_t reader, struct sw_pb_bytes graph,
                            const struct inner *outer, unsigned depth) {
    struct inner inner = {.outer = outer};
    struct sw_pb pb = sw_pb_open(graph);
    struct sw_pb_field field;
    for (struct sw_pb_bytes node; sw_pb_next_of(&pb, 1, &node);) {
        define_outputs(&inner.names, node, 0);
    }
    define_given(&inner.names, graph, 1);
    bool good = !inner.names.failed || onnx_fail_memory(sort->model);
    pb = sw_pb_open(graph);
    while (good && sw_pb_next_bytes(&pb, &field)) {
        if (field.number == 1) {
            good = read_node(sort, reader, field.bytes, &inner, depth);
        } else if (field.number == 12) {
            good = read_value_name(sort, reader, sw_pb_last(field.bytes, 1), &inner);
        }
    }
    sw_names_done(&inner.names.index);
    return good;
}

/* depth: bodies within bodies; the reader refuses more. */
static bool read_node(struct node_sort *sort, uint32_t reader, struct sw_pb_bytes node, const struct inner *inner,
                      unsigned depth) {
    struct sw_pb pb = sw_pb_open(node);
    struct sw_pb_field field;
    bool good = true;
    while (good && sw_pb_next_bytes(&pb, &field)) {
        if (field.number == 1) {
            good = read_value_name(sort, reader, field.bytes, inner);
        } else if (field.number == 5 && depth <= ONNX_DEPTH) {
            struct sw_pb attribute = sw_pb_open(field.bytes);
            while (good && sw_pb_next_bytes(&attribute, &field)) {
                good = (field.number != 6 && field.number != 11) ||
                       read_inner_body(sort, reader, field.bytes, inner, depth + 1);
            }
        }
    }
    return good;
}

static bool list_nodes(struct node_sort *sort, struct sw_pb_bytes graph, uint32_t number) {
    struct sw_pb pb = sw_pb_open(graph);
    for (struct sw_pb_bytes node; sw_pb_next_of(&pb, number, &node);) {
        if (!SW_PUSH(&sort->to->nodes, node)) {
            return onnx_fail_memory(sort->model);
        }
    }
    return onnx_whole(sort->model, &pb);
}

/* What the reader will refuse, a second maker of a name, makes no edge. */
static bool list_edges(struct node_sort *sort, struct sw_pb_bytes graph, uint32_t field) {
    struct onnx_sorted *to = sort->to;
    define_given(&sort->makers, graph, field);
    for (size_t i = 0; i < to->nodes.count; i++) {
        define_outputs(&sort->makers, to->nodes.items[i], (uint32_t)i);
    }
    bool good = !sort->makers.failed || onnx_fail_memory(sort->model);
    for (size_t i = 0; good && i < to->nodes.count; i++) {
        size_t from = to->reads.count;
        good = read_node(sort, (uint32_t)i, to->nodes.items[i], NULL, 0) &&
               (SW_PUSH(&to->ends, to->reads.count) || onnx_fail_memory(sort->model));
        if (to->reads.count > from + 1) {
            qsort(to->reads.items + from, to->reads.count - from, sizeof *to->reads.items, sw_compare_u32);
        }
    }
    return good;
}

/* ---- the order ---- */

/* From the place in the path where the circle begins to its end. Names are whole, as many as a message has room for;
 * the first in any case. */
static bool fail_circle(struct node_sort *sort, uint32_t again) {
    enum { CIRCLE_SENTENCE = 200 };
    char list[SW_MESSAGE - CIRCLE_SENTENCE] = "";
    size_t from = sort->path.count, used = 0, i;
    while (from-- > 0 && sort->path.items[from] != again) {
    }
    for (i = sort->path.count; i-- > from;) { /* each reads what the one before it makes */
        struct sw_quote name = onnx_quote(onnx_name_of(sort->to->nodes.items[sort->path.items[i]]));
        if (used > 0 && used + strlen(name.text) + 8 > sizeof list) {
            break;
        }
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", used ? (i == from ? " and " : ", ") : "",
                                 name.text);
    }
    size_t more = i + 1 - from;
    if (sort->path.count - from == 1) {
        return onnx_fail(sort->model, "the operator %s reads what it makes itself", list);
    }
    return more ? onnx_fail(sort->model, "operators wait for one another, so that none can run first: %s, and %zu more",
                            list, more)
                : onnx_fail(sort->model, "operators wait for one another, so that none can run first: %s", list);
}

/* What has come, and what is on the path. */
enum { NODE_FRESH, NODE_WAITS, NODE_COME };
struct sort_state {
    unsigned char is;
    size_t next; /* of what it reads */
};

/* Put a node in its place, and before it what it reads. The path is a list, not the machine's stack: it may be long. */
static bool place_node(struct node_sort *sort, uint32_t node, struct sort_state *state, uint32_t *order,
                       size_t *count) {
    sort->path.count = 0;
    if (!SW_PUSH(&sort->path, node)) {
        return onnx_fail_memory(sort->model);
    }
    while (sort->path.count > 0) {
        uint32_t top = sort->path.items[sort->path.count - 1];
        struct sort_state *own = &state[top];
        const uint32_t *reads = sort->to->reads.items;
        size_t end = sort->to->ends.items[top];
        if (own->is == NODE_FRESH) { /* what it reads comes as the file has it */
            own->is = NODE_WAITS;
            own->next = top > 0 ? sort->to->ends.items[top - 1] : 0;
        }
        while (own->next < end && state[reads[own->next]].is == NODE_COME) {
            own->next++;
        }
        if (own->next == end) {
            own->is = NODE_COME;
            order[(*count)++] = top;
            sort->path.count--;
        } else if (state[reads[own->next]].is == NODE_WAITS) {
            return fail_circle(sort, reads[own->next]);
        } else if (!SW_PUSH(&sort->path, reads[own->next])) {
            return onnx_fail_memory(sort->model);
        }
    }
    return true;
}

static bool put_nodes_in_order(struct node_sort *sort) {
    size_t all = sort->to->nodes.count, count = 0;
    struct sort_state *state = SW_NEW_ZERO(struct sort_state, all);
    sort->to->order = SW_NEW(uint32_t, all);
    bool good = (state && sort->to->order) || onnx_fail_memory(sort->model);
    for (size_t i = 0; good && i < all; i++) {
        good = state[i].is == NODE_COME || place_node(sort, (uint32_t)i, state, sort->to->order, &count);
    }
    SW_FREE(state, state ? all : 0);
    return good;
}

/* Of the nodes that `field` of the message holds. False: they wait for one another, or there is no memory. To be done
 * with in any case. O(bytes of the message + edges log edges). */
static bool onnx_sort(struct onnx_model *model, struct sw_pb_bytes graph, uint32_t field, struct onnx_sorted *to) {
    struct node_sort sort = {.model = model, .to = to, .early = SW_NONE};
    *to = (struct onnx_sorted){0};
    if (!list_nodes(&sort, graph, field)) {
        return false;
    }
    bool good = list_edges(&sort, graph, field);
    if (good && sort.early != SW_NONE) {
        struct sw_pb_bytes name = onnx_name_of(to->nodes.items[sort.early]);
        model->early = model->early.at ? model->early : name;
        good = put_nodes_in_order(&sort);
    }
    sw_names_done(&sort.makers.index);
    SW_ARRAY_DONE(&sort.path);
    return good;
}

void onnx_sorted_done(struct onnx_sorted *sorted) {
    SW_FREE(sorted->order, sorted->order ? sorted->nodes.count : 0);
    SW_ARRAY_DONE(&sorted->nodes, &sorted->reads, &sorted->ends);
    *sorted = (struct onnx_sorted){0};
}

bool onnx_each_node(struct onnx_model *model, struct sw_pb_bytes graph, uint32_t field, uint32_t scope) {
    struct onnx_sorted sorted;
    bool good = onnx_sort(model, graph, field, &sorted);
    for (size_t i = 0; good && i < sorted.nodes.count; i++) {
        good = onnx_read_node(model, scope, sorted.nodes.items[sorted.order ? sorted.order[i] : i]);
    }
    if (field == 1 && graph.at == model->graph.at) {
        onnx_sorted_done(&model->sorted);
        model->sorted = sorted;
    } else {
        onnx_sorted_done(&sorted);
    }
    return good;
}
