/* ONNX: what onnx_model.c and onnx_bodies.c share: names in scopes, and graphs within graphs. */
#ifndef SW_FORMATS_ONNX_BODIES_H
#define SW_FORMATS_ONNX_BODIES_H

#include "formats/onnx/onnx.h"

struct onnx_body {
    struct sw_pb_bytes bytes; /* GraphProto */
    uint32_t scope;           /* 0: the graph itself */
    const uint32_t *inputs;   /* values handed in */
    uint32_t input_count;
};

/* Did the message end well? Otherwise fails with the offset. */
bool onnx_whole(struct onnx_model *, const struct sw_pb *);

uint32_t onnx_new_value(struct onnx_model *, struct sw_pb_bytes name); /* SW_NONE: failed */
/* The value that a name stands for, from a scope outwards; SW_NONE: none. */
uint32_t onnx_find(const struct onnx_model *, uint32_t scope, struct sw_pb_bytes name);
/* Another name for a tensor that exists. */
bool onnx_bind(struct onnx_model *, uint32_t scope, struct sw_pb_bytes name, uint32_t value);

/* ---- onnx_sort.c ---- */
void onnx_sorted_done(struct onnx_sorted *);
/* A node's name, or else the first thing that it makes. */
struct sw_pb_bytes onnx_name_of(struct sw_pb_bytes node);
/* The nodes, in that order, handed on one after the other. What was found of the graph itself is kept in the model. */
bool onnx_each_node(struct onnx_model *, struct sw_pb_bytes graph, uint32_t field, uint32_t scope);

bool onnx_read_graph(struct onnx_model *, const struct onnx_body *);
bool onnx_read_node(struct onnx_model *, uint32_t scope, struct sw_pb_bytes node);
bool onnx_read_outputs(struct onnx_model *, struct onnx_node *);

/* Functions that the model brings along are written out where they are called. */
const struct onnx_function *onnx_function_of(const struct onnx_model *, const struct onnx_node *);
bool onnx_call(struct onnx_model *, uint32_t node, const struct onnx_function *);
/* Outputs of a node that has just been read: If, Loop and Scan with their bodies, all others by their
 * rule. */
bool onnx_control(struct onnx_model *, uint32_t node);

#endif
