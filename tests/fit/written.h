/* Models as .tflite bytes: lists of tensors and operators, written down as a flatbuffer. */
#ifndef SW_TESTS_FIT_WRITTEN_H
#define SW_TESTS_FIT_WRITTEN_H

#include "fit/model.h"

enum { MOST_TENSORS = 160, MOST_OPERATIONS = 64, MOST_LISTED = 12, MOST_GRAPHS = 3, NONE = -1 };

struct written_tensor {
    char name[32];
    int type, rank, graph;
    int32_t dims[RANK];
    uint32_t scale_count;
    float *scales;
    int64_t zero;
    int quantized_axis;
    size_t bytes;
    void *data; /* NULL: it is computed */
    int32_t offset;
};
struct written_operation {
    int code, graph;
    struct options options;
    int inputs[MOST_LISTED], outputs[MOST_LISTED]; /* numbers of tensors, NONE for one that is left out */
    int input_count, output_count;
};
/* Tensors have numbers from 0 on, in all graphs together. Zero it first, and free it in the end. */
struct written {
    int graph; /* to which what is added belongs: 0 to MOST_GRAPHS - 1 */
    struct written_tensor tensors[MOST_TENSORS];
    struct written_operation operations[MOST_OPERATIONS];
    int inputs[MOST_GRAPHS][MOST_LISTED], outputs[MOST_GRAPHS][MOST_LISTED];
    int input_counts[MOST_GRAPHS], output_counts[MOST_GRAPHS];
    int tensor_count, operation_count, graph_count;
    bool planned; /* with the tensors' offsets */
};
struct bytes {
    unsigned char *items;
    size_t count, capacity;
};

/* A tensor that is computed, with one scale (0: none), and one with data that are given. Its name is made of its
 * number. */
int add_tensor(struct written *, int type, int rank, const int32_t *dims, float scale, int zero);
int add_constant(struct written *, int type, int rank, const int32_t *dims, float scale, int zero, const void *data);
/* A scale for each channel, in place of the one. */
void set_scales(struct written *, int tensor, const float *scales, uint32_t count, int axis);
/* Its options are to be set in what is returned; the lists end with LIST_END. */
enum { LIST_END = -2 };
struct written_operation *add_operation(struct written *, int code, const int *inputs, const int *outputs);
void add_input(struct written *, int tensor);
void add_output(struct written *, int tensor);
/* The file; its bytes are the caller's. */
void write_model(const struct written *, struct bytes *);
void written_done(struct written *);
/* All of a file; false: it cannot be read. */
bool read_file(const char *path, struct bytes *);

#endif
