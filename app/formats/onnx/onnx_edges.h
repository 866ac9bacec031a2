/* ONNX: the nodes of the graph itself, and which of them must stand behind which. The reader gives these edges to the
 * problem, and the writer of another order keeps them: both ask here.
 *
 * A node reads another one when it, or a body within it, names something that the other one makes: a tensor that is
 * planned, but also a sequence, a value that is known before the run, or one that only a branch that is never taken
 * uses. */
#ifndef SW_FORMATS_ONNX_EDGES_H
#define SW_FORMATS_ONNX_EDGES_H

#include "formats/onnx/onnx_bodies.h"

struct onnx_top {
    struct sw_pb_bytes whole, body; /* the field; the NodeProto in it */
    uint32_t operators; /* how many operators it is: control flow, or a call of a function, may be several, or none */
    uint32_t last;      /* the last of them, by its number among those that run */
    uint32_t place;     /* for the writer */
    uint32_t turn;      /* its place in the file, when makers stand before readers there */
};
struct onnx_tops {
    struct onnx_model *model;        /* borrowed, as all its bytes are */
    SW_ARRAY(struct onnx_top) items; /* as the file lists them */
    const struct onnx_sorted
        *sorted; /* the model's: the same nodes, what each reads, and the order in which makers stand before readers */
    uint32_t *owner; /* of each operator that runs, its node; `count` of them */
    uint32_t count;
};

/* The model was read, its live nodes are marked, and there are `count` of them. False: its operators are others, or
 * memory lacks; the model has the error. Close it in any case, before the model. O(nodes log nodes). */
bool onnx_tops_open(struct onnx_tops *, struct onnx_model *, uint32_t count);
void onnx_tops_close(struct onnx_tops *);

/* The other nodes that a node reads stand in `sorted->reads` from here to `sorted->ends` of the node: by number,
 * ascending; one may come several times. */
static inline size_t onnx_top_reads(const struct onnx_tops *tops, uint32_t top) {
    return top > 0 ? tops->sorted->ends.items[top - 1] : 0;
}

/* What each node that is an operator waits for: the nodes that are operators and that it reads, or that reach it over
 * nodes that are none. Those of node i are list[at[i]] .. list[at[i + 1] - 1], none twice. */
struct onnx_waits {
    uint32_t *at, *list; /* in the model's arena */
    bool too_many;       /* more than are kept: the lists are empty */
};
enum { ONNX_MOST_WAITS = 1 << 22 };
/* False: no memory. O(nodes + edges + ONNX_MOST_WAITS), as lists over nodes that are no operators are put together once
 * each. */
bool onnx_tops_waits(struct onnx_tops *, struct onnx_waits *);

#endif
