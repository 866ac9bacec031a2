/* TensorFlow Lite models (.tflite): what memory planning is about, read from the flatbuffer in
 * place.
 *
 * Model -> subgraphs -> tensors and operators, in file order. Operators of control flow run other
 * subgraphs; `steps` is the order in which everything runs when each subgraph is put in where it is
 * called. Weights are never touched: of the file's buffers only their length is read. */
#ifndef SW_FORMATS_TFLITE_MODEL_H
#define SW_FORMATS_TFLITE_MODEL_H

#include "formats/tflite/flat.h"
#include "formats/text/unique.h"

/* Fields of the schema, by their place in their table. */
enum { MODEL_CODES = 1, MODEL_SUBGRAPHS = 2, MODEL_BUFFERS = 4, MODEL_METADATA = 6, MODEL_FIELDS = 10 };
enum { CODE_OLD = 0, CODE_CUSTOM = 1, CODE_BUILTIN = 3 };
enum { GRAPH_TENSORS = 0, GRAPH_INPUTS = 1, GRAPH_OUTPUTS = 2, GRAPH_OPERATORS = 3, GRAPH_NAME = 4 };
enum {
    TENSOR_SHAPE = 0,
    TENSOR_TYPE = 1,
    TENSOR_BUFFER = 2,
    TENSOR_NAME = 3,
    TENSOR_QUANTIZATION = 4,
    TENSOR_VARIABLE = 5,
    TENSOR_SIGNATURE = 7
};
enum {
    OP_CODE = 0,
    OP_INPUTS = 1,
    OP_OUTPUTS = 2,
    OP_OPTIONS = 4,
    OP_CUSTOM_OPTIONS = 5,
    OP_LARGE = 9,
    OP_OPTIONS_2 = 12
};
enum { BUFFER_DATA = 0, BUFFER_OFFSET = 1, BUFFER_SIZE = 2 };
enum { METADATA_NAME = 0, METADATA_BUFFER = 1 };
enum { QUANTIZATION_SCALE = 2, QUANTIZATION_ZERO = 3 };
/* The number of an operator: TFLITE_OP_add. One that goes by a name is TFLITE_OP_custom. */
enum tflite_code {
#define OVER(name) TFLITE_OP_##name,
#define APART(name) TFLITE_OP_##name,
#include "formats/tflite/tflite_operators.def"
#undef OVER
#undef APART
};

#define TFLITE_PLAN "OfflineMemoryAllocation"
#define TFLITE_ALIGNMENT 16 /* of every buffer in TensorFlow Lite Micro's arena */

/* A list of 32-bit integers in the file. */
struct tflite_list {
    size_t at;
    uint32_t count;
};
/* What becomes of a tensor. */
enum tflite_state {
    TFLITE_UNUSED, /* nothing that runs touches it; once the model is read there is none: see `idle` */
    TFLITE_PLANNED,
    TFLITE_CONSTANT, /* its bytes are in the file */
    TFLITE_VARIABLE, /* keeps its contents from run to run, outside of the plan */
    TFLITE_EMPTY,    /* no bytes */
    TFLITE_OPAQUE,   /* texts and the like; the file does not tell their size */
    TFLITE_HANDLE    /* the number of a resource, which stands in the structure of the kernel that makes it */
};
struct tflite_tensor {
    size_t at; /* its table */
    struct tflite_list shape;
    struct sw_flat_text name;
    uint64_t size; /* bytes */
    uint64_t elements;
    int64_t offset; /* in the file's own plan; -1: none */
    uint32_t number, subgraph, buffer;
    enum tflite_state state;
    uint8_t type, bits;
    bool input, output; /* of the model, which is the first subgraph */
    bool read, written; /* by operators that run */
    bool kept;          /* a variable with an offset in the file's plan: nothing else may ever lie there */
    bool idle;          /* planned, and touched by nothing that runs: it has a place in the first step */
    bool open;          /* its shape may change */
    bool completed;     /* the plan in the file leaves it out, and it has the offset that the interpreter gives it */
};
struct tflite_operator {
    size_t at;
    struct tflite_list inputs, outputs; /* tensors of its subgraph, -1 for one that is left out */
    uint32_t code, subgraph, number;
    struct sw_flat_text custom;
    int32_t calls[2]; /* subgraphs, or -1 */
};
struct tflite_subgraph {
    size_t at;
    uint32_t first_tensor, tensor_count, first_operator, operator_count;
    struct tflite_list inputs, outputs;
    struct sw_flat_text name;
    bool running; /* while steps are made */
    bool reached; /* it is the first, or called from it */
};
/* One step: an operator, or the begin or end of a subgraph that an operator calls. Before the first operator there may
 * be two more: TensorFlow Lite Micro counts what nothing touches at the time -1, and an input at 0 from before the
 * first operator on. */
enum tflite_step_kind { TFLITE_SETUP, TFLITE_ENTRY, TFLITE_RUN, TFLITE_BEGIN, TFLITE_END };
struct tflite_step {
    enum tflite_step_kind kind;
    uint32_t subgraph, operator; /* operator: the one that runs, or the caller; SW_NONE: no operator calls it */
    bool last;                   /* an end after which the caller is done, too */
    int64_t scope;               /* TensorFlow Lite Micro's number for it; inputs have 0 */
    const char *name;
};
struct tflite_model {
    const struct sw_input *input;
    struct sw_error *error;
    struct sw_arena arena;
    struct sw_flat root;
    struct sw_flat_list codes, buffers, metadata;
    SW_ARRAY(struct tflite_tensor) tensors;
    SW_ARRAY(struct tflite_operator) operators;
    SW_ARRAY(struct tflite_subgraph) subgraphs;
    SW_ARRAY(struct tflite_step) steps;
    struct tflite_list plan; /* offsets; at 0: the file has no plan */
    size_t plan_entry;       /* of the metadata; SIZE_MAX: none is a plan */
    bool ethos;              /* made by Vela: one tensor is the arena of an Ethos-U */
    size_t budget;           /* items that the file has room for */
    int64_t scope;
    bool per_subgraph; /* the plan is read and written by the rule of before 2023: tensor i of every subgraph has offset
                          i */
    uint32_t entry;    /* the step from which on inputs are there */
    uint32_t fronts;   /* steps before the first operator */
    uint64_t idle_graphs, idle_tensors; /* subgraphs that nothing calls; tensors that nothing touches */
};

/* `per_subgraph`: --offline-offsets per-subgraph. */
bool tflite_model_read(struct tflite_model *, const struct sw_input *, bool per_subgraph, struct sw_error *);
void tflite_model_done(struct tflite_model *);

/* Item i of a list, and the tensor it names in a subgraph; NULL for -1. */
int32_t tflite_item(const struct tflite_model *, struct tflite_list, size_t i);
struct tflite_tensor *tflite_tensor_at(const struct tflite_model *, uint32_t subgraph, int32_t);
/* Both; NULL where the list has no such item, too. */
struct tflite_tensor *tflite_listed(const struct tflite_model *, uint32_t subgraph, struct tflite_list, uint32_t i);
/* The options of an operator; the scales and zero points of a tensor; the bytes of a buffer. False: damaged. */
bool tflite_options(const struct tflite_model *, const struct tflite_operator *, struct sw_flat *);
bool tflite_quantization(const struct tflite_model *, const struct tflite_tensor *, struct sw_flat_list *scales,
                         struct sw_flat_list *zeros);
bool tflite_data(const struct tflite_model *, size_t buffer, struct sw_flat_list *);
/* "conv_2d"; a custom operator's own name. NULL: no memory. */
const char *tflite_operator_kind(struct tflite_model *, const struct tflite_operator *);
/* May it write its result over an argument of as many elements, each as wide? */
bool tflite_works_in_place(uint32_t code);
const char *tflite_code_name(uint32_t code); /* NULL: unknown */
enum sw_dtype tflite_dtype(uint8_t type);
/* What was fused into one tensor is listed with semicolons: the first of them names it.
 * Names of all planned tensors, by number; the same for the same file in every call. NULL: no
 * memory. */
const char **tflite_names(struct tflite_model *);

/* The plan of a run: into the model (write_plan), and its offsets for people (say_plan). */
/* A model as an array in C++ source, called after the file that it came from. */
void sw_tflite_source(struct sw_sink *, const char *source, uint64_t digest, const char *bytes, size_t length);
/* A changed model as C++ source: an array to link, or a header. The header has the array, the bytes that the model
 * needs, and a function that adds its operators to a resolver. */
struct tflite_fitted {
    const char *source; /* the path of the model that was changed; the array is named after it */
    uint64_t digest;    /* of that model's file */
    const char *bytes;  /* of the changed model */
    size_t length;
    uint64_t head, arena;
    bool header;
};
bool sw_tflite_fit_source(struct sw_sink *, const struct tflite_fitted *, struct sw_error *);
bool sw_tflite_write_plan(const struct sw_result *, struct sw_sink *, struct sw_error *);
/* The model that a run of the planner `fit` has changed, with its plan: what write_plan does for such a run
 * (tflite_fit_run.c). */
bool sw_tflite_write_changed(const struct sw_result *, struct sw_sink *, struct sw_error *);
/* The problem's counter (problem/counter.h): it keeps the input, where that was opened. `tail` and `least`: what is
 * computed to be outside of the plan, and the least arena (tflite_counter.c). */
bool tflite_add_counter(struct sw_builder *, const struct sw_input *, const struct sw_load_options *, bool wide,
                        uint64_t tail, uint64_t least, struct sw_error *);
bool sw_tflite_say_plan(const struct sw_result *, struct sw_sink *, struct sw_error *);
/* Where the interpreter's buffers lie, in the order in which it asks for them: each planned tensor, one subgraph behind
 * the other, then the workspaces of kernels, as a log told them. */
typedef void tflite_tell(void *context, const char *name, uint64_t offset, uint64_t size, bool workspace);
bool tflite_plan_tell(const struct sw_result *, tflite_tell *, void *context, struct sw_error *);

/* For another order (tflite_order.c). Of each step behind those before the first operator the
 * operator of the first subgraph that it is part of: what happens between the begin and the end of a subgraph belongs
 * to the one that calls it. Operators that share what is no tensor, a variable or a table say, keep their order. */
void tflite_owners(const struct tflite_model *, uint32_t *owners);
bool tflite_has_state(const struct tflite_model *, const struct tflite_operator *);
/* The model with its operators in another order (tflite_order.c): struct sw_format's write_order. The other one writes
 * a model that has a plan as well, which is the old order's: for a caller that puts a new plan into it. */
bool sw_tflite_write_order(const struct sw_input *, const struct sw_load_options *, const uint32_t *order,
                           uint32_t count, struct sw_sink *, struct sw_error *);
bool tflite_write_order(const struct sw_input *, bool per_subgraph, bool may_have_plan, const uint32_t *order,
                        uint32_t count, struct sw_sink *, struct sw_error *);

#define tflite_fail_memory(model) sw_fail_memory((model)->error)

#endif
