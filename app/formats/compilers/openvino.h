/* OpenVINO's IR: layers with the shapes of their ports, and edges between them. */
#ifndef SW_FORMATS_OPENVINO_H
#define SW_FORMATS_OPENVINO_H

#include "formats/compilers/program.h"

#define OV_OPEN INT64_C(-1) /* the length of a dimension that the file leaves open */

struct ov_port { /* of a layer's results */
    const char *id;
    uint32_t layer;
    size_t first_dim, rank;
    const char *type; /* of its elements; NULL: the layer's */
    uint32_t value;
    const int64_t *numbers; /* its elements, of small whole numbers that are known; NULL */
    size_t count;           /* so many */
    bool later;             /* some length is a guess, as one that it follows from is missing */
    bool read;              /* an edge begins here */
    uint32_t next;          /* of the same layer; SW_NONE */
};
struct ov_edge { /* into a layer, or into or out of its body */
    const char *from_layer, *from_port, *to_layer, *to_port;
    uint32_t scope, line, column;
    uint32_t source; /* a port, once all layers are known; SW_NONE */
    uint32_t next;   /* of the same target */
};
enum ov_map_kind { OV_MAP_IN, OV_MAP_OUT, OV_MAP_BACK };
struct ov_map { /* "external_port_id" and "internal_layer_id"; of a loop's variables two layers of the body */
    enum ov_map_kind kind;
    const char *outside, *inside;
    bool sliced;    /* along an axis, one round each */
    bool otherwise; /* of the second body of an If */
    uint32_t next;  /* of the same layer; SW_NONE */
};
struct ov_layer {
    const char *id, *name, *kind, *precision;
    const char *const
        *attributes; /* names and values of <data>, by turns, NULL behind the last; NULL: there are none */
    uint32_t scope, line, column;
    uint32_t first_port, last_port, first_map, last_map, first_edge, last_edge; /* SW_NONE: there is none */
    uint32_t first_scope, last_scope;                                           /* its bodies */
    uint32_t map_count;
    bool carried; /* of a body: it gets what the round before has left */
    enum { OV_NEW, OV_OPENED, OV_DONE } state;
    bool constant; /* known before the run */
};
struct ov_scope {
    uint32_t owner; /* a layer; SW_NONE: the net itself */
    bool otherwise;
    uint32_t next;       /* of the same owner; SW_NONE */
    size_t first, count; /* in `members` */
};
struct ov_net {
    const struct sw_input *input;
    struct sw_error *error;
    struct sw_arena arena;
    const char *name;
    int64_t version;
    SW_ARRAY(struct ov_layer) layers;
    SW_ARRAY(struct ov_port) ports;
    SW_ARRAY(int64_t) dims;
    SW_ARRAY(int64_t) declared; /* the same as the file has them */
    SW_ARRAY(struct ov_edge) edges;
    SW_ARRAY(struct ov_map) maps;
    SW_ARRAY(struct ov_scope) scopes;
    SW_ARRAY(uint32_t) members; /* layers, scope by scope */
    struct sw_names by_id;      /* "SCOPE/LAYER" and "SCOPE/LAYER/PORT" */
};
/* Fail at a place of the text. False. */
#define ov_fail(net, line, column, ...)                  \
    (sw_fail((net)->error, SW_ERROR_INPUT, __VA_ARGS__), \
     sw_error_at((net)->error, (net)->input->name, (line), (column)), false)
bool ov_parse(struct ov_net *);
void ov_done(struct ov_net *);
uint32_t ov_find_layer(const struct ov_net *, uint32_t scope, const char *layer);
/* An attribute of the layer's <data>; NULL: it is not there. */
const char *ov_attribute(const struct ov_layer *, const char *name);
uint32_t ov_find_port(const struct ov_net *, uint32_t scope, const char *layer, const char *port);

/* ---- lengths that follow: openvino_follow.c, and the numbers they follow from: openvino_numbers.c ---- */

/* The port that an edge into the layer brings, counted from 0; NULL: there is none. */
const struct ov_port *ov_source(const struct ov_net *, const struct ov_layer *, size_t number);
size_t ov_source_count(const struct ov_net *, const struct ov_layer *);
/* The product of the lengths, those that are open left out. False: it is too large. */
bool ov_count(const struct ov_net *, const struct ov_port *, uint64_t *count, size_t *open);

/* A length that a result has as its layer's arguments have theirs; OV_OPEN: it does not follow. `bound`: it may be
 * less. */
int64_t ov_follows(const struct ov_net *, const struct ov_layer *, const struct ov_port *, size_t axis, bool *bound);
extern const char ov_elementwise[]; /* words; the result has the arguments' shape and may be written over them */
extern const char ov_reshaping[];
bool ov_is_one_of(const char *word, const char *words);

/* The .bin beside the file, of which only constants of a few whole numbers are read. */
struct ov_weights {
    int file; /* -1: it is not there */
    uint64_t size;
    uint64_t *digest; /* all that was read is folded in; NULL: no digest is wanted */
};
/* Find the layer's result where it is a few whole numbers that are known: a constant with its bytes in the weights, a
 * shape, or what is computed from these. False: memory lacks. */
bool ov_reckon(struct ov_net *, struct ov_layer *, const struct ov_weights *);

#endif
