#include "formats/onnx/onnx_edges.h"

/* ---- the nodes ---- */

static bool list_tops(struct onnx_tops *tops) {
    struct sw_pb pb = sw_pb_open(tops->model->graph);
    struct sw_pb_field field;
    const unsigned char *begin = pb.at;
    while (sw_pb_next(&pb, &field)) {
        struct onnx_top top = {
            .whole = {begin, (size_t)(pb.at - begin)}, .body = field.bytes, .turn = (uint32_t)tops->items.count};
        begin = pb.at;
        if (field.number == 1 && field.wire == SW_PB_BYTES && !SW_PUSH(&tops->items, top)) {
            return onnx_fail_memory(tops->model);
        }
    }
    tops->sorted = &tops->model->sorted;
    if (tops->sorted->nodes.count != tops->items.count) {
        return onnx_fail(tops->model, "its graph is not the one that was read");
    }
    for (size_t i = 0; tops->sorted->order && i < tops->items.count; i++) {
        tops->items.items[tops->sorted->order[i]].turn = (uint32_t)i;
    }
    return true;
}

/* The node of the graph that these bytes are part of; SW_NONE. */
static uint32_t top_at_bytes(const struct onnx_tops *tops, const unsigned char *at) {
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
static uint32_t top_of_node(const struct onnx_tops *tops, const struct onnx_node *node) {
    uint32_t top = top_at_bytes(tops, node->body.at);
    for (unsigned calls = 0; top == SW_NONE && node->caller != SW_NONE && calls <= ONNX_DEPTH; calls++) {
        node = &tops->model->nodes.items[node->caller];
        top = top_at_bytes(tops, node->body.at);
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
        uint32_t top = top_of_node(tops, node);
        if (live == count || top == SW_NONE) {
            return onnx_fail(model, "its operators are not those that were put in order");
        }
        tops->items.items[top].operators++;
        tops->items.items[top].last = live;
        tops->owner[live++] = top;
    }
    return live == count || onnx_fail(model, "its operators are not those that were put in order");
}

bool onnx_tops_open(struct onnx_tops *tops, struct onnx_model *model, uint32_t count) {
    *tops = (struct onnx_tops){.model = model};
    return list_tops(tops) && find_owners(tops, count);
}

void onnx_tops_close(struct onnx_tops *tops) {
    SW_FREE(tops->owner, tops->count);
    SW_ARRAY_DONE(&tops->items);
    *tops = (struct onnx_tops){0};
}

/* ---- what each operator waits for ---- */

enum { NEW, OPEN, KNOWN };
struct top_waiting {
    struct onnx_tops *tops;
    uint8_t *stage;          /* of each node: is its list made? */
    size_t *from, *to;       /* its list, in `all` */
    uint32_t *stamp, stamps; /* against naming one twice */
    SW_ARRAY(uint32_t) all, stack;
    bool memory, too_many;
};

static bool runs_operators(const struct top_waiting *w, uint32_t top) {
    return w->tops->items.items[top].operators > 0;
}

static bool push_one(struct top_waiting *w, uint32_t top) {
    if (w->stamp[top] == w->stamps) {
        return true;
    }
    w->stamp[top] = w->stamps;
    w->too_many |= w->all.count == ONNX_MOST_WAITS;
    return !w->too_many && (SW_PUSH(&w->all, top) || (w->memory = false));
}

/* A maker that is an operator counts itself; any other stands for what it waits for. */
static bool push_maker(struct top_waiting *w, uint32_t maker) {
    bool good = true;
    if (runs_operators(w, maker)) {
        return push_one(w, maker);
    }
    for (size_t i = w->from[maker]; good && i < w->to[maker]; i++) {
        good = push_one(w, w->all.items[i]);
    }
    return good;
}

/* Lists that this one is made of come first. */
static bool push_missing(struct top_waiting *w, uint32_t maker) {
    bool missing = !runs_operators(w, maker) && w->stage[maker] == NEW;
    return !missing || SW_PUSH(&w->stack, maker) || (w->memory = false);
}

static bool list_waits(struct top_waiting *w, uint32_t top) {
    const struct onnx_sorted *sorted = w->tops->sorted;
    bool good = SW_PUSH(&w->stack, top) || (w->memory = false);
    while (good && w->stack.count > 0) {
        uint32_t at = w->stack.items[w->stack.count - 1];
        size_t first = onnx_top_reads(w->tops, at), end = sorted->ends.items[at];
        if (w->stage[at] == NEW) {
            w->stage[at] = OPEN;
            for (size_t i = first; good && i < end; i++) {
                good = push_missing(w, sorted->reads.items[i]);
            }
            continue;
        }
        w->stack.count--;
        if (w->stage[at] == OPEN) {
            w->stage[at] = KNOWN;
            w->stamps++;
            w->from[at] = w->to[at] = w->all.count;
            for (size_t i = first; good && i < end; i++) {
                good = push_maker(w, sorted->reads.items[i]);
            }
            w->to[at] = w->all.count;
        }
    }
    return good;
}

/* The lists of the operators, one behind the other. */
static bool hand_out(struct top_waiting *w, struct onnx_waits *waits) {
    size_t count = w->tops->items.count, used = 0;
    struct sw_arena *arena = &w->tops->model->arena;
    waits->at = sw_arena_new(arena, count + 1, sizeof *waits->at);
    waits->list = sw_arena_new(arena, w->all.count + 1, sizeof *waits->list);
    if (!waits->at || !waits->list) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        waits->at[i] = (uint32_t)used;
        for (size_t k = w->from[i]; k < w->to[i] && !w->too_many && runs_operators(w, (uint32_t)i); k++) {
            waits->list[used++] = w->all.items[k];
        }
    }
    waits->at[count] = (uint32_t)used;
    return true;
}

bool onnx_tops_waits(struct onnx_tops *tops, struct onnx_waits *waits) {
    size_t count = tops->items.count;
    struct sw_arena *arena = &tops->model->arena;
    struct top_waiting w = {.tops = tops,
                            .stage = sw_arena_new(arena, count + 1, sizeof *w.stage),
                            .from = sw_arena_new(arena, count + 1, sizeof *w.from),
                            .to = sw_arena_new(arena, count + 1, sizeof *w.to),
                            .stamp = sw_arena_new(arena, count + 1, sizeof *w.stamp)};
    w.memory = w.stage && w.from && w.to && w.stamp;
    for (uint32_t i = 0; w.memory && !w.too_many && i < count; i++) {
        list_waits(&w, i);
    }
    bool good = w.memory && hand_out(&w, waits);
    waits->too_many = w.too_many;
    SW_ARRAY_DONE(&w.all, &w.stack);
    return good || onnx_fail_memory(tops->model);
}
