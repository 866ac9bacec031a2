/* A .tflite file, read independently of the program's own reader: tensors, operators and subgraphs, and the offsets
 * that the file has. */
#ifndef SW_TESTS_FIT_MODEL_H
#define SW_TESTS_FIT_MODEL_H

#include "fit/kernels/operators.h"

enum { RANK = 6, WHY = 256 };

struct tensor {
    char name[64];
    int type, rank;
    int32_t dims[RANK];
    size_t elements, bytes;
    const unsigned char *constant; /* in the file; NULL: it is computed */
    bool variable;
    uint32_t scale_count; /* 0: not quantized */
    float *scales;        /* of channel i of dimension quantized_axis; of all when there is one */
    int64_t zero;
    int quantized_axis;
    int64_t offset;      /* in the file's plan; -1: none */
    unsigned char *data; /* while the model runs */
};
struct operation {
    int code;
    struct options options;
    int32_t *inputs, *outputs; /* tensors of the subgraph; -1: left out */
    uint32_t input_count, output_count;
};
struct graph {
    struct tensor *tensors;
    struct operation *operations;
    int32_t *inputs, *outputs;
    uint32_t tensor_count, operation_count, input_count, output_count;
};
struct model {
    struct graph *graphs; /* the first is the model */
    uint32_t graph_count;
    bool planned; /* the file has offsets */
};

/* The bytes must outlive the model, which is to be freed whatever comes out. False: `why` is a sentence (of WHY bytes).
 */
bool model_read(struct model *, const void *bytes, size_t length, char *why);
void model_done(struct model *);
/* Sets `elements` and `bytes` by type and dimensions. False: there is no such tensor. */
bool tensor_measure(struct tensor *);
/* "1x8x8x3" */
const char *tensor_shape(const struct tensor *, char text[64]);
/* Number i of a tensor of integers. */
int64_t tensor_integer(const struct tensor *, size_t i);

/* Writes the sentence, and is false. */
bool say(char *why, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
