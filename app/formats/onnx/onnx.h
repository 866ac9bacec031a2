/* ONNX files inside: what the reader's parts share.
 *
 * onnx_model.c walks the file, node by node in its order, and writes down values and nodes; as soon as a
 * node stands, shapes/ says what its outputs look like and onnx_fold.c computes those that are small
 * and known. onnx.c then leaves out what is constant or dead and hands the rest to the builder.
 *
 * Some lengths are known only when the model runs: how many elements NonZero finds, how many boxes
 * NonMaxSuppression keeps. Such an axis is open until an upper bound closes it: the operator's own, what
 * the file declares, or --dim. The bound is then taken as the length, for this tensor and for all that
 * follow from it: sizes are those of a run in which every bound is reached. */
#ifndef SW_FORMATS_ONNX_H
#define SW_FORMATS_ONNX_H

#include "base/names.h"
#include "formats/format.h"
#include "formats/onnx/protobuf.h"
#include "formats/settings/lengths.h"
#include "formats/text/utf8.h"

#define ONNX_RANK 16    /* no tensor has more dimensions */
#define ONNX_SMALL 4096 /* tensors with more elements are not computed */
#define ONNX_DEPTH 16   /* bodies within bodies */
#define ONNX_OUTER UINT32_MAX
#define ONNX_OPEN INT64_MIN /* as a length: known only when the model runs */

/* TensorProto.DataType, as far as anything depends on it. */
enum onnx_type {
    ONNX_NONE,
    ONNX_FLOAT,
    ONNX_UINT8,
    ONNX_INT8,
    ONNX_UINT16,
    ONNX_INT16,
    ONNX_INT32,
    ONNX_INT64,
    ONNX_STRING,
    ONNX_BOOL,
    ONNX_FLOAT16,
    ONNX_DOUBLE,
    ONNX_UINT32,
    ONNX_UINT64,
    ONNX_COMPLEX64,
    ONNX_COMPLEX128,
    ONNX_BFLOAT16,
    ONNX_FLOAT8E4M3FN,
    ONNX_FLOAT8E4M3FNUZ,
    ONNX_FLOAT8E5M2,
    ONNX_FLOAT8E5M2FNUZ,
    ONNX_UINT4,
    ONNX_INT4,
    ONNX_FLOAT4E2M1,
    ONNX_FLOAT8E8M0,
    ONNX_UINT2,
    ONNX_INT2
};
unsigned onnx_bits(int type);       /* 0: of no fixed size */
enum sw_dtype onnx_dtype(int type); /* NONE: the engine has no word for it */
static inline bool onnx_is_float(int type) {
    return type == ONNX_FLOAT || type == ONNX_FLOAT16 || type == ONNX_DOUBLE || type == ONNX_BFLOAT16;
}
static inline bool onnx_is_integer(int type) {
    return (type >= ONNX_UINT8 && type <= ONNX_INT64) || type == ONNX_BOOL || type == ONNX_UINT32 ||
           type == ONNX_UINT64;
}

/* An element of a small tensor: `f` of float types, `i` of integers and booleans. */
union onnx_number {
    int64_t i;
    double f;
};

struct onnx_shape {
    bool known; /* rank and every dimension */
    uint32_t rank;
    const int64_t *dims; /* NULL: not even the rank is known; some are ONNX_OPEN unless all are known */
};

/* What a value is. Only tensors of elements of a fixed size are planned. A sequence is described by what
 * its elements have in common. */
enum onnx_form { ONNX_TENSOR, ONNX_SEQUENCE, ONNX_MAP };

struct onnx_value {
    struct sw_pb_bytes name;
    int type, declared_type;
    struct onnx_shape shape;
    struct onnx_shape declared;    /* by value_info, when it is complete */
    const union onnx_number *data; /* the elements, when they are few and known */
    enum onnx_form form, declared_form;
    bool optional;            /* it may be there or not */
    int64_t length;           /* of a sequence: how many elements; ONNX_OPEN: not known */
    bool bounded;             /* its shape or its elements follow from an upper bound, */
    bool steered;             /* or from --value: what is known is so in that run only, and no constant */
    uint32_t loose;           /* then: bit per axis with a length that may be another in another run */
    uint32_t bound_axes;      /* bit per axis with such a bound as its length, */
    uint32_t given_axes;      /* those that --dim gave, */
    uint32_t declared_bounds; /* those that --dim gave to what the file declares, */
    const char *bound_rule;   /* and where the others come from */
    bool constant;
    bool input, output; /* of the graph itself */
    uint32_t alias;     /* written in place of this value by the branch of an If; SW_NONE */
    bool live, counted;
    struct sw_pb_bytes open_dim; /* a graph input: the dimension that is not known, by its name */
    uint32_t open_axis;
    bool open;
};

struct onnx_node {
    struct sw_pb_bytes name, kind, domain;
    struct sw_pb_bytes body; /* the whole NodeProto: attributes are looked up when asked for */
    uint32_t caller;         /* a node of a function: the call; the node may use its attributes */
    uint32_t first_input, input_count, first_output, output_count; /* in `arguments` */
    uint32_t extra_first, extra_count; /* what bodies take from outside; branches' results */
    uint32_t scope;
    uint32_t number; /* in the file */
    int64_t opset;   /* of its domain */
    bool shadow;     /* looked at for its shapes only */
    bool constant;   /* computed before the run */
    bool live;
    bool inplace;
    bool unknown;    /* no rule tells what it makes */
    const char *why; /* its outputs' shapes are not known: this is missing */
};

struct onnx_entry { /* a name in a scope */
    uint32_t value;
    bool defined;
};

struct onnx_scope {
    uint32_t parent; /* ONNX_OUTER: none */
    uint32_t depth;
    int64_t opset;         /* of the operators of ONNX itself */
    uint32_t caller;       /* in the body of a function: the call; SW_NONE */
    struct sw_names names; /* numbers of entries */
};

struct onnx_function {
    struct sw_pb_bytes name, domain, overload, body;
};
struct onnx_opset {
    struct sw_pb_bytes domain;
    int64_t version;
};

/* A dimension that an input leaves open. */
struct onnx_open {
    struct sw_pb_bytes tensor, name; /* name: empty when it has none */
    uint32_t axis;
    bool given;
};
/* What a setting's name is: that of a dimension of the graph, and of an input even: then it is a length, else a bound.
 */
enum { ONNX_DIM_NAMED = 1, ONNX_DIM_EXACT = 2 };

/* The nodes of a graph, and the order in which they are read: the file's, but where a node stands before what it reads,
 * what it reads comes right before it. A node reads another one when it, or a body within it, names something that the
 * other one makes. A name that a body defines is the body's own. */
struct onnx_sorted {
    SW_ARRAY(struct sw_pb_bytes) nodes; /* NodeProto, as the file lists them */
    SW_ARRAY(uint32_t) reads;           /* the nodes that they read: those of the first, of the second, */
    SW_ARRAY(size_t) ends;              /* each up to here, by number; one may come several times */
    uint32_t *order;                    /* nodes by number; NULL: the file's order throughout */
};

struct onnx_model {
    const struct sw_input *input;
    const struct sw_params *dims;    /* --dim: its settings; NULL: none */
    const struct sw_params *given;   /* --value: its settings; NULL: none */
    struct sw_lengths lengths;       /* which of them closed a dimension, and what is missing */
    unsigned char *dims_named;       /* per setting, of the name of a dimension of the graph: ONNX_DIM_... */
    SW_ARRAY(struct onnx_open) open; /* dimensions that inputs leave open, given or not */
    struct sw_error *error;
    bool failed;
    struct sw_arena arena;
    SW_ARRAY(struct onnx_value) values;
    SW_ARRAY(struct onnx_node) nodes;
    SW_ARRAY(uint32_t) arguments; /* values, SW_NONE for what is omitted */
    SW_ARRAY(struct onnx_scope) scopes;
    SW_ARRAY(struct onnx_function) functions;
    SW_ARRAY(struct onnx_opset) opsets;
    SW_ARRAY(uint32_t) inputs; /* of the graph */
    SW_ARRAY(uint32_t) outputs;
    SW_ARRAY(struct onnx_entry) entries;
    uint32_t shadow; /* > 0: in a body that is looked at for its shapes only */
    uint32_t node_number, depth, calls;
    uint32_t absent; /* stands for arguments that a call leaves out; SW_NONE: not made yet */
    struct sw_pb_bytes graph;
    struct onnx_sorted sorted;                         /* of its nodes; empty until they are read */
    uint64_t branches, loops, contradictions, decided, /* conditions that follow from bounds */
        steered;                                       /* and from --value */
    struct sw_pb_bytes early; /* the first node that the file has before what it reads; its name, or what it makes */
    bool unfolded;            /* everything is known before the run: nothing is left out for that */
    struct sw_pb_bytes contradicted;
};

/* ---- onnx_model.c ---- */
static inline struct sw_pb_bytes onnx_file(const struct sw_input *input) {
    return (struct sw_pb_bytes){(const unsigned char *)input->bytes, input->length};
}
bool onnx_model_read(struct onnx_model *);
void onnx_model_done(struct onnx_model *);
/* Fails with the message; the first failure stays. Returns false. */
bool onnx_fail(struct onnx_model *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same for a mistake of the command line, not of the file. */
bool onnx_refuse(struct onnx_model *, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool onnx_fail_memory(struct onnx_model *);
/* A name fit for messages and the builder: valid UTF-8 without controls. NULL: no memory. */
const char *onnx_text(struct onnx_model *, struct sw_pb_bytes);
struct sw_quote onnx_quote(struct sw_pb_bytes);
/* What an operator is called when it has no name itself. NULL: no memory. */
const char *onnx_node_name(struct onnx_model *, const struct onnx_node *);

/* ---- onnx.c ---- */
/* Read the model with these options (NULL: none), and mark what is left of its graph. To be done with in any case. */
bool onnx_open_model(struct onnx_model *, const struct sw_input *, const struct sw_load_options *, struct sw_error *);

/* Input or output i of a node: the value's number; SW_NONE: there is none, or it is left out. And a value by its
 * number; NULL for SW_NONE. */
static inline uint32_t onnx_input(const struct onnx_model *model, const struct onnx_node *node, uint32_t i) {
    return i < node->input_count ? model->arguments.items[node->first_input + i] : SW_NONE;
}
static inline uint32_t onnx_output(const struct onnx_model *model, const struct onnx_node *node, uint32_t i) {
    return i < node->output_count ? model->arguments.items[node->first_output + i] : SW_NONE;
}
static inline struct onnx_value *onnx_value_at(const struct onnx_model *model, uint32_t number) {
    return number == SW_NONE ? NULL : &model->values.items[number];
}

/* ---- attributes (onnx_attributes.c) ---- */
struct onnx_attribute {
    int64_t i;
    float f;
    struct sw_pb_bytes s, t, g; /* `at` NULL: not given */
    struct sw_pb_bytes body;
};
bool onnx_attribute(const struct onnx_model *, const struct onnx_node *, const char *name, struct onnx_attribute *);
int64_t onnx_int(const struct onnx_model *, const struct onnx_node *, const char *name, int64_t otherwise);
double onnx_float(const struct onnx_model *, const struct onnx_node *, const char *name, double otherwise);
struct sw_pb_bytes onnx_string(const struct onnx_model *, const struct onnx_node *, const char *name);
/* A list of integers. False: not given, or more than `most`. */
bool onnx_ints(const struct onnx_model *, const struct onnx_node *, const char *name, int64_t *items, size_t most,
               size_t *count);
/* The elements of an attribute of numbers, in the arena; NULL: no memory, or not such a list. */
const union onnx_number *onnx_list(struct onnx_model *, const struct onnx_attribute *, bool floats, size_t *count);
int64_t onnx_count_texts(const struct onnx_attribute *); /* of a list of texts */
/* TensorProto: type, shape and, when few, its elements. False after onnx_fail. */
bool onnx_tensor(struct onnx_model *, struct sw_pb_bytes, struct onnx_value *, struct sw_pb_bytes *name);

/* ---- onnx_dims.c: --dim ---- */
/* Look through the graph's dimensions for the names that are given. False: there is no memory. */
bool onnx_dims_find(struct onnx_model *);
/* The length given to a dimension by its name, or to an axis of a tensor; -1: none is. */
int64_t onnx_dim_named(struct onnx_model *, struct sw_pb_bytes name, bool *exact);
int64_t onnx_dim_of(struct onnx_model *, const struct onnx_value *, uint32_t axis);
/* Was every one of use? Fails otherwise. */
bool onnx_dims_check(struct onnx_model *);
/* No length is given for an open dimension of an input, or of an operator's output. One message names all such. */
bool onnx_dims_miss(struct onnx_model *, struct sw_pb_bytes tensor, struct sw_pb_bytes name, uint32_t axis);
/* Fails with a sentence, and behind it what to type for all of them, each with the length `value`. */
bool onnx_dims_fail(struct onnx_model *, const char *value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- onnx_values.c: --value ---- */
/* Give an input of the graph its element, when the command line has one. False: it cannot. */
bool onnx_give_value(struct onnx_model *, struct onnx_value *);
/* Is each of them an input? Fails otherwise. */
bool onnx_values_check(struct onnx_model *);

/* ---- shapes/ ---- */
struct onnx_step { /* a node while its outputs are found */
    struct onnx_model *model;
    struct onnx_node *node;
    bool bounded;    /* an input follows from an upper bound: lengths need not fit exactly */
    bool steered;    /* an input follows from --value */
    const char *why; /* set on failure; NULL: an input is not known either */
};
/* Types and shapes of the outputs, as far as they follow; sets node->why otherwise. False: failed. */
bool onnx_infer(struct onnx_model *, uint32_t node);
/* An output as it stays: what the file declares and what --dim gives come in. False: failed. */
bool onnx_settle(struct onnx_model *, struct onnx_value *);
uint64_t onnx_count(const struct onnx_shape *); /* elements; UINT64_MAX: too many */
/* Make a shape with a copy of these lengths. False: no memory. */
bool onnx_keep_shape(struct onnx_model *, struct onnx_shape *, bool known, uint32_t rank, const int64_t *dims);
/* Is it a tensor of elements of a fixed size? Others are left out of the plan. */
bool onnx_plain(const struct onnx_value *);

struct onnx_value *onnx_in(const struct onnx_step *, uint32_t i);  /* NULL: omitted */
struct onnx_value *onnx_out(const struct onnx_step *, uint32_t i); /* NULL: omitted */
/* An input with a known shape, or NULL after saying why. */
const struct onnx_value *onnx_need(struct onnx_step *, uint32_t i);
/* The same, but some of its lengths may be ONNX_OPEN. */
const struct onnx_value *onnx_need_rank(struct onnx_step *, uint32_t i);
/* Its elements, or NULL after saying why. */
const union onnx_number *onnx_need_data(struct onnx_step *, uint32_t i, uint64_t *count);
bool onnx_why(struct onnx_step *, const char *why); /* false; the first reason stays */
/* An attribute of the node; the same for the number of a type. */
int64_t onnx_setting(const struct onnx_step *, const char *name, int64_t otherwise);
int onnx_type_setting(const struct onnx_step *, const char *name, int otherwise);
/* Give an output the shape of a value; the same, but another length at one axis. */
bool onnx_set_like(struct onnx_step *, uint32_t i, const struct onnx_value *, int type);
bool onnx_set_along(struct onnx_step *, uint32_t i, const struct onnx_value *, uint32_t axis, int64_t length, int type);
/* The same as onnx_set, of lengths that are listed. */
#define onnx_set_lengths(step, i, type, ...) \
    onnx_set((step), (i), (type), sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]){__VA_ARGS__})
/* Give an output its shape; lengths may be ONNX_OPEN. An omitted one is fine. */
bool onnx_set(struct onnx_step *, uint32_t i, int type, uint32_t rank, const int64_t *dims);
/* The length of an output's axis is an upper bound, for this reason. */
void onnx_bound(struct onnx_step *, uint32_t i, uint32_t axis, const char *rule);
/* A negative axis counts from the end. False when it is outside. */
bool onnx_axis(struct onnx_step *, int64_t axis, uint32_t rank, uint32_t *index);
/* Numpy's broadcasting of `dims` with another shape. */
bool onnx_broadcast(struct onnx_step *, const struct onnx_shape *, uint32_t *rank, int64_t *dims);
/* The product of two matrices, or of many, as the output; a convolution with channels that need not fit. */
bool onnx_product(struct onnx_step *, const struct onnx_shape *, const struct onnx_shape *, int type);
bool onnx_product_of(struct onnx_step *, uint32_t second, int type); /* of the first input and of that one */
bool onnx_slide(struct onnx_step *, const struct onnx_value *, const struct onnx_shape *weights);
/* The window of a convolution or a pool over two axes. False: there is none, and step->why may hold the reason. */
bool onnx_sliding_window(struct onnx_step *, const struct onnx_value *, const struct onnx_shape *weights,
                         struct sw_op_window *);
/* ---- onnx_window.c ---- */
enum { ONNX_CHANNELS = 1, ONNX_ROWS, ONNX_COLUMNS, ONNX_IMAGE }; /* dimensions of an image, and how many it has */
/* The rows and columns that an operator needs of its arguments; false: it has no window. `macs`: its multiply-adds, 0
 * where they are not known. */
bool onnx_window(struct onnx_model *, struct onnx_node *, struct sw_op_window *, uint64_t *macs);
/* Slice: where it begins along each axis, how it walks on, and what comes out. */
bool onnx_slice_of(struct onnx_step *, const struct onnx_shape *, int64_t *starts, int64_t *strides, int64_t *dims);
/* A shape, or another list of at most 16 numbers, given as the elements of an input. */
bool onnx_shape_input(struct onnx_step *, uint32_t input, uint32_t *rank, int64_t *dims);
/* Axes given as an attribute or, from some opset on, as an input. Sorted marks per dimension. */
bool onnx_axes(struct onnx_step *, uint32_t input, uint32_t rank, bool *marked, size_t *count);

/* ---- onnx_fold.c ---- */
enum onnx_operation {
    ONNX_NOTHING,
    /* of two numbers */
    ONNX_ADD,
    ONNX_SUB,
    ONNX_MUL,
    ONNX_DIV,
    ONNX_MOD,
    ONNX_POW,
    ONNX_LEAST,
    ONNX_MOST,
    ONNX_EQUAL,
    ONNX_LESS,
    ONNX_LESS_EQUAL,
    ONNX_MORE,
    ONNX_MORE_EQUAL,
    ONNX_AND,
    ONNX_OR,
    ONNX_XOR,
    /* of one */
    ONNX_NOT,
    ONNX_NEGATE,
    ONNX_MAGNITUDE,
    ONNX_FLOOR,
    ONNX_CEIL,
    ONNX_ROUND,
    ONNX_SQRT,
    ONNX_RECIPROCAL,
    ONNX_EXP,
    ONNX_LOG
};

/* One node at work. */
struct onnx_fold {
    struct onnx_step *step;
    struct onnx_value *out; /* the first output, */
    union onnx_number *to;  /* its elements, */
    uint64_t count;         /* and how many they are */
    enum onnx_operation operation;
};

/* ---- the operators: onnx_operators.def ---- */
enum { ONNX_INPLACE = 1, ONNX_RANDOM = 2, ONNX_OF_SHAPE = 4 };
enum onnx_domain {                   /* where the operator is from */
                   ONNX_OWN = 1,     /* ONNX itself, */
                   ONNX_RUNTIME = 2, /* com.microsoft: ONNX Runtime's own, */
                   ONNX_EITHER = 3,  /* both, which then look alike, */
                   ONNX_ML = 4,      /* ai.onnx.ml: trees, classifiers, encoders, */
                   ONNX_BLOCKED = 8  /* com.microsoft.nchwc: images in blocks of channels */
};
struct onnx_rule {
    enum onnx_domain domain;
    const char *kinds; /* words */
    bool (*infer)(struct onnx_step *);
    bool (*fold)(const struct onnx_fold *); /* false: it is not known, or there is no memory */
    enum onnx_operation operation;
    unsigned flags;
};
#define ONNX_RULE(domain, shape, fold, operation, flags, kinds) \
    bool onnx_shape_##shape(struct onnx_step *);                \
    bool onnx_fold_##fold(const struct onnx_fold *);
#include "formats/onnx/shapes/onnx_operators.def"
#undef ONNX_RULE

/* Compute the elements of a node's outputs where those of its inputs are known. Shapes are known. False: no memory. */
bool onnx_fold(struct onnx_step *, const struct onnx_rule *);

#endif
