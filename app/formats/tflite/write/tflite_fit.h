/* A TensorFlow Lite model with regions of its operators computed in strips of rows (fit/strips/strip_program.h). */
#ifndef SW_FORMATS_TFLITE_FIT_H
#define SW_FORMATS_TFLITE_FIT_H

#include "fit/strips/strip_program.h"
#include "formats/tflite/tflite_model.h"

/* Write the model with the program's calls in place of its operators. Weights, quantization, names, signatures,
 * metadata and other subgraphs stay, and so do all bytes of the old file but for positions. The problem of the program
 * is the one that the model was loaded as, with `load` (NULL: as usual). `layout` is one of sw_fit_program_problem's
 * problem; NULL: no offsets are written.
 *
 * False: the error says in one sentence why not, and the sink holds no model. Interpreters do not check how many rows
 * an operator makes, so the rows of every call are computed once more from the file before anything is written. */
bool tflite_write_fit(const struct sw_input *model, const struct sw_load_options *load, const struct sw_fit_program *,
                      const struct sw_layout *layout, struct sw_sink *, struct sw_error *);

/* Read as the model was, what does the plan in it need? The last number that a loop counts with may end up to 15 bytes
 * lower than in the layout, as in the file it has its own size; and workspaces lie where the interpreter lays them.
 * False: the plan is another one, or is none. */
bool tflite_fit_read_back(const struct sw_sink *, const struct sw_load_options *, const struct sw_layout *,
                          uint64_t *head, uint64_t *arena, struct sw_error *);

/* ---- for the writer's own files ---- */

enum { TFLITE_INT32 = 2, TFLITE_BOOL = 6, TFLITE_INT8 = 9 };

struct tflite_fit {
    struct tflite_model model;
    const struct sw_fit_program *program;
    struct sw_error *error;
    uint32_t *tensor_of; /* of each buffer of the problem: its tensor, also where the buffer is that tensor made again;
                            SW_NONE: none of the first subgraph's */
    uint32_t *operator_of; /* of each operator of the problem: which one of the first subgraph it is, or runs again;
                              SW_NONE: a step of another kind */
};
/* Fill `tensor_of` and `operator_of`. False: the program is not one of this model. */
bool tflite_fit_match(struct tflite_fit *);
/* The value that is argument i of the call. */
static inline uint32_t tflite_fit_input(const struct tflite_fit *fit, const struct sw_fit_call *call, uint32_t i) {
    return fit->program->inputs.items[call->first_input + i];
}
/* The operator of the first subgraph that the call runs. NULL: it runs none. */
const struct tflite_operator *tflite_fit_operator_of(const struct tflite_fit *, const struct sw_fit_call *);
/* Is the buffer of the problem a tensor that is made again? */
bool tflite_fit_again(const struct tflite_fit *, uint32_t buffer);
/* Does the call, of an operator that runs as it is, read or make a tensor that is made again? */
bool tflite_fit_touches_again(const struct tflite_fit *, const struct sw_fit_call *);
/* The buffer that the operator of the problem reads or makes for a tensor: a tensor that is made again has several.
 * SW_NONE: there is none. */
uint32_t tflite_fit_buffer(const struct tflite_fit *, uint32_t op, int32_t tensor);
/* The rows of an int8 tensor that a value is. */
struct tflite_rows {
    const struct tflite_tensor *tensor;
    int64_t height, width, channels; /* of the whole tensor */
};
bool tflite_fit_rows(const struct tflite_fit *, uint32_t value, struct tflite_rows *);
/* Does the operator pad by itself, as SAME says? PAD does not. */
bool tflite_fit_pads(struct tflite_fit *, const struct tflite_operator *, bool *same);
/* Item i of the operator's arguments as the problem has them: its tensors that are no constants, each once, in their
 * order. -1: there is none. */
int32_t tflite_fit_argument(const struct tflite_fit *, const struct tflite_operator *, uint32_t i);

/* Are the program's results those of the model, to the row? O(calls x (arguments + rows x kernel)) */
bool tflite_fit_prove(struct tflite_fit *);

#endif
