/* A TensorFlow Lite model with regions of its operators computed in strips of rows (fit/strips/strip_program.h). */
#ifndef SW_FORMATS_TFLITE_FIT_H
#define SW_FORMATS_TFLITE_FIT_H

#include "fit/strips/strip_program.h"
#include "formats/tflite/tflite_model.h"

/* The model with the program's calls in the place of its operators: weights, quantization, names, signatures, metadata and other subgraphs
 * stay, and so do all bytes of the old file but for positions. The problem of the program is the one that the model was loaded as,
 * with `load` (NULL: as usual). `layout` is one of sw_fit_program_problem's problem; NULL: no offsets are written.
 *
 * False: the error says in one sentence why not, and nothing of what the sink holds is a model. The rows of every call are
 * computed once more from the file before, as interpreters do not check them. */
bool tflite_write_fit(const struct sw_input *model, const struct sw_load_options *load, const struct sw_fit_program *, const struct sw_layout *layout,
                      struct sw_sink *, struct sw_error *);

/* ---- for the writer's own files ---- */

enum { TFLITE_ADD = 0, TFLITE_CONCATENATION = 2, TFLITE_PAD = 34, TFLITE_LESS = 58, TFLITE_PADV2 = 60, TFLITE_SLICE = 65, TFLITE_WHILE = 119, TFLITE_UPDATE = 151 };
enum { TFLITE_AVERAGE_POOL = 1, TFLITE_CONV = 3, TFLITE_DEPTHWISE_CONV = 4, TFLITE_MAX_POOL = 17 };
enum { TFLITE_INT32 = 2, TFLITE_BOOL = 6, TFLITE_INT8 = 9 };

struct tflite_fit {
    struct tflite_model model;
    const struct sw_fit_program *program;
    struct sw_error *error;
    uint32_t *tensor_of;   /* of each buffer of the problem: its tensor, also where it is that made again; SW_NONE: it is none of the first subgraph's */
    uint32_t *operator_of; /* of each operator of the problem: the first subgraph's that it is, or runs again; SW_NONE: a step of another kind */
};
/* Fill `tensor_of` and `operator_of`. False: the program is not one of this model. */
bool tflite_fit_match(struct tflite_fit *);
/* The operator that a call is of. NULL: a step of another kind than an operator of the first subgraph. */
const struct tflite_operator *tflite_fit_operator_of(const struct tflite_fit *, const struct sw_fit_call *);
/* Is the buffer of the problem one that is made again? Does the operator run again? */
bool tflite_fit_again(const struct tflite_fit *, uint32_t buffer);
/* Does a call of an operator as it is read or make what is made again? */
bool tflite_fit_touches_again(const struct tflite_fit *, const struct sw_fit_call *);
/* The buffer that the operator of the problem has for a tensor: of a tensor that is made again there are several. SW_NONE: it has none. */
uint32_t tflite_fit_buffer(const struct tflite_fit *, uint32_t op, int32_t tensor);
/* The rows of an int8 tensor that a value is. */
struct tflite_rows {
    const struct tflite_tensor *tensor;
    int64_t height, width, channels; /* of the whole tensor */
};
bool tflite_fit_rows(const struct tflite_fit *, uint32_t value, struct tflite_rows *);
/* Does the operator pad as SAME says? Not an operator that does nothing else. */
bool tflite_fit_pads(struct tflite_fit *, const struct tflite_operator *, bool *same);
bool tflite_fit_windowed(uint32_t code);
/* The tensors of an operator that are no constants, each once, in their order: the problem's arguments. Item i of them; -1: none. */
int32_t tflite_fit_argument(const struct tflite_fit *, const struct tflite_operator *, uint32_t i);

/* Are the program's results those of the model, to the row? O(calls x (arguments + rows x kernel)) */
bool tflite_fit_prove(struct tflite_fit *);

#endif
