#include "formats/onnx/onnx_edges.h"
#include "formats/onnx/onnx_bodies.h"

#include <string.h>

/* ---- the nodes ---- */

static bool list_tops(struct onnx_tops *tops) {
    struct sw_pb pb = sw_pb_open(tops->model->graph);
    struct sw_pb_field field;
    const unsigned char *begin = pb.at;
    while (sw_pb_next(&pb, &field)) {
        struct onnx_top top = {.whole = {begin, (size_t)(pb.at - begin)}, .body = field.bytes, .turn = (uint32_t)tops->items.count};
        begin = pb.at;
        if (field.number == 1 && field.wire == SW_PB_BYTES && !SW_PUSH(&tops->items, top)) {
            return onnx_fail_memory(tops->model);
        }
    }
    size_t count;
    if (!onnx_whole(tops->model, &pb) || !onnx_sort(tops->model, tops->model->graph, 1, &tops->sorted, &count)) {
        return false;
    }
    for (size_t i = 0; tops->sorted && i < count; i++) {
        tops->items.items[tops->sorted[i]].turn = (uint32_t)i;
    }
    return true;
}

/* The node of the graph that these bytes are part of; SW_NONE. */
static uint32_t top_at(const struct onnx_tops *tops, const unsigned char *at) {
    size_t lo = 0, hi = tops->items.count;
    while (lo < hi) {
        size_t middle = (lo + hi) / 2;
        const struct sw_pb_bytes whole = tops->items.items[middle].whole;
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
static uint32_t top_of(const struct onnx_tops *tops, const struct onnx_node *node) {
    uint32_t top = top_at(tops, node->body.at);
    for (unsigned calls = 0; top == SW_NONE && node->caller != SW_NONE && calls <= ONNX_DEPTH; calls++) {
        node = &tops->model->nodes.items[node->caller];
        top = top_at(tops, node->body.at);
    }
    return top;
}

static bool find_owners(struct onnx_tops *tops, uint32_t count) {
    struct onnx_model *model = tops->model;
    uint32_t live = 0;
    tops->owner = SW_NEW(uint32_t, count);
    if (!tops->owner) {
        return onnx_fail_memory(model);
    }
    tops->count = count;
    for (size_t i = 0; i < model->nodes.count; i++) {
        const struct onnx_node *node = &model->nodes.items[i];
        if (!node->live) {
            continue;
        }
        uint32_t top = top_of(tops, node);
        if (live == count || top == SW_NONE) {
            return onnx_fail(model, "its operators are not those that were put in order");
        }
        tops->items.items[top].operators++;
        tops->items.items[top].last = live;
        tops->owner[live++] = top;
    }
    return live == count || onnx_fail(model, "its operators are not those that were put in order");
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

static bool name_makers(struct onnx_tops *tops) {
    tops->makers = g_hash_table_new(hash_name, same_name);
    for (size_t i = 0; i < tops->items.count; i++) {
        struct sw_pb pb = sw_pb_open(tops->items.items[i].body);
        struct sw_pb_field field;
        while (sw_pb_next(&pb, &field)) {
            if (field.number == 2 && field.wire == SW_PB_BYTES && field.bytes.length > 0) {
                struct sw_pb_bytes *name = sw_arena_new(&tops->model->arena, 1, sizeof *name);
                if (!name) {
                    return onnx_fail_memory(tops->model);
                }
                *name = field.bytes;
                g_hash_table_insert(tops->makers, name, GUINT_TO_POINTER((guint)i + 1));
            }
        }
    }
    return true;
}

bool onnx_tops_open(struct onnx_tops *tops, struct onnx_model *model, uint32_t count) {
    *tops = (struct onnx_tops){.model = model};
    return list_tops(tops) && find_owners(tops, count) && name_makers(tops);
}

void onnx_tops_close(struct onnx_tops *tops) {
    if (tops->makers) {
        g_hash_table_destroy(tops->makers);
    }
    SW_FREE(tops->owner, tops->count);
    SW_FREE(tops->sorted, tops->sorted ? tops->items.count : 0);
    SW_ARRAY_DONE(&tops->items);
    *tops = (struct onnx_tops){0};
}

/* ---- what each node reads ---- */

struct visit {
    const struct onnx_tops *tops;
    uint32_t top;
    onnx_each_maker *each;
    void *context;
};

static bool visit_name(const struct visit *visit, struct sw_pb_bytes name) {
    guint maker = GPOINTER_TO_UINT(g_hash_table_lookup(visit->tops->makers, &name));
    return maker == 0 || maker - 1 == visit->top || visit->each(visit->context, maker - 1);
}

static bool visit_node(const struct visit *visit, struct sw_pb_bytes body, unsigned depth);

/* A body takes values from outside: by its nodes, or as a result. */
static bool visit_graph(const struct visit *visit, struct sw_pb_bytes graph, unsigned depth) {
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
static bool visit_node(const struct visit *visit, struct sw_pb_bytes body, unsigned depth) {
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

bool onnx_top_reads(const struct onnx_tops *tops, uint32_t top, onnx_each_maker *each, void *context) {
    struct visit visit = {tops, top, each, context};
    return visit_node(&visit, tops->items.items[top].body, 0);
}

/* ---- what each operator waits for ---- */

enum { NEW, OPEN, KNOWN };
struct waiting {
    struct onnx_tops *tops;
    uint8_t *stage;                /* of each node: is its list made? */
    size_t *from, *to;             /* its list, in `all` */
    uint32_t *stamp, stamps;       /* against naming one twice */
    SW_ARRAY(uint32_t) all, stack;
    bool memory, too_many;
};

static bool is_operator(const struct waiting *w, uint32_t top) {
    return w->tops->items.items[top].operators > 0;
}

static bool push_one(struct waiting *w, uint32_t top) {
    if (w->stamp[top] == w->stamps) {
        return true;
    }
    w->stamp[top] = w->stamps;
    w->too_many |= w->all.count == ONNX_MOST_WAITS;
    return !w->too_many && (SW_PUSH(&w->all, top) || (w->memory = false));
}

/* A maker that is an operator counts itself; any other stands for what it waits for. */
static bool push_maker(void *context, uint32_t maker) {
    struct waiting *w = context;
    bool good = true;
    if (is_operator(w, maker)) {
        return push_one(w, maker);
    }
    for (size_t i = w->from[maker]; good && i < w->to[maker]; i++) {
        good = push_one(w, w->all.items[i]);
    }
    return good;
}

/* Lists that this one is made of come first. */
static bool push_missing(void *context, uint32_t maker) {
    struct waiting *w = context;
    bool missing = !is_operator(w, maker) && w->stage[maker] == NEW;
    return !missing || SW_PUSH(&w->stack, maker) || (w->memory = false);
}

static bool list_of(struct waiting *w, uint32_t top) {
    bool good = SW_PUSH(&w->stack, top) || (w->memory = false);
    while (good && w->stack.count > 0) {
        uint32_t at = w->stack.items[w->stack.count - 1];
        if (w->stage[at] == NEW) {
            w->stage[at] = OPEN;
            good = onnx_top_reads(w->tops, at, push_missing, w);
            continue;
        }
        w->stack.count--;
        if (w->stage[at] == OPEN) {
            w->stage[at] = KNOWN;
            w->stamps++;
            w->from[at] = w->to[at] = w->all.count;
            good = onnx_top_reads(w->tops, at, push_maker, w);
            w->to[at] = w->all.count;
        }
    }
    return good;
}

/* The lists of the operators, one behind the other. */
static bool hand_out(struct waiting *w, struct onnx_waits *waits) {
    size_t count = w->tops->items.count, used = 0;
    struct sw_arena *arena = &w->tops->model->arena;
    waits->at = sw_arena_new(arena, count + 1, sizeof *waits->at);
    waits->list = sw_arena_new(arena, w->all.count + 1, sizeof *waits->list);
    if (!waits->at || !waits->list) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        waits->at[i] = (uint32_t)used;
        for (size_t k = w->from[i]; k < w->to[i] && !w->too_many && is_operator(w, (uint32_t)i); k++) {
            waits->list[used++] = w->all.items[k];
        }
    }
    waits->at[count] = (uint32_t)used;
    return true;
}

bool onnx_tops_waits(struct onnx_tops *tops, struct onnx_waits *waits) {
    size_t count = tops->items.count;
    struct sw_arena *arena = &tops->model->arena;
    struct waiting w = {.tops = tops,
                        .stage = sw_arena_new(arena, count + 1, sizeof *w.stage),
                        .from = sw_arena_new(arena, count + 1, sizeof *w.from),
                        .to = sw_arena_new(arena, count + 1, sizeof *w.to),
                        .stamp = sw_arena_new(arena, count + 1, sizeof *w.stamp)};
    w.memory = w.stage && w.from && w.to && w.stamp;
    for (uint32_t i = 0; w.memory && !w.too_many && i < count; i++) {
        list_of(&w, i);
    }
    bool good = w.memory && hand_out(&w, waits);
    waits->too_many = w.too_many;
    SW_ARRAY_DONE(&w.all);
    SW_ARRAY_DONE(&w.stack);
    return good || onnx_fail_memory(tops->model);
}
