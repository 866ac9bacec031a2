/* ONNX models of small images, run: what comes out of a changed model is compared with it. An own reader of the file,
 * and each operator by its published definition, element by element in one order. It shares no code with the program's
 * reader, nor with what cuts and writes. */
#ifndef SW_FIT_ONNX_RUN_H
#define SW_FIT_ONNX_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ONNX_RUN_WHY = 400, ONNX_RUN_RANK = 6 };

struct onnx_tensor_run {
    char name[200];
    int type; /* TensorProto.DataType: 1 float, 2 uint8, 3 int8, 6 int32, 7 int64 */
    int rank;
    int64_t dims[ONNX_RUN_RANK];
    double *data; /* floats and integers alike: each is exact */
    size_t count;
};
struct onnx_results {
    struct onnx_tensor_run *items;
    size_t count;
};
/* Inputs are drawn from the seed, by their names and places. False: `why` says why not. */
bool onnx_run(const unsigned char *bytes, size_t length, uint64_t seed, struct onnx_results *, char why[ONNX_RUN_WHY]);
void onnx_results_done(struct onnx_results *);

#endif
