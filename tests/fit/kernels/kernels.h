/* Kernels on int8 tensors, which read and write where their tensors lie: overlapping tensors come out as they do with
 * the reference kernels, which take elements one by one in the order of the result. A copy leaves bytes alone that it
 * would copy onto themselves; bytes that it would copy onto others of its source are an error, as there memcpy may do
 * anything.
 *
 * Unlike a runtime, a kernel checks every shape: a window must make just the rows and columns that its result has. */
#ifndef SW_TESTS_FIT_KERNELS_H
#define SW_TESTS_FIT_KERNELS_H

#include "fit/model.h"

struct call {
    int code;
    const struct options *options;
    struct tensor *const *inputs; /* NULL: left out */
    size_t input_count;
    struct tensor *output;
    char *why; /* of WHY bytes */
};
/* Any operator but WHILE. False: `why` is a sentence. */
bool run_kernel(const struct call *);

/* What the files of kernels share. */
bool run_window(const struct call *);      /* convolutions and pools: windows.c */
bool run_elementwise(const struct call *); /* elementwise.c */
bool run_move(const struct call *);        /* what moves bytes only: moves.c */
bool run_head(const struct call *);        /* means, matrices, softmax: head.c */
bool refuse(const struct call *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Input i; NULL: it is not there, or left out. */
struct tensor *input_of(const struct call *, size_t i);
/* Is it there, int8, with a scale, and of that many dimensions (0: any)? */
bool is_int8(const struct call *, const struct tensor *, int rank);
/* The limits of a fused activation. False: it is not known. */
bool activation_limits(const struct call *, int32_t *lo, int32_t *hi);
double scale_of(const struct tensor *, size_t channel);
bool same_dims(const struct tensor *, const struct tensor *);
bool same_quantization(const struct tensor *, const struct tensor *);
/* memcpy, as said above. */
bool copy_bytes(const struct call *, unsigned char *to, const unsigned char *from, size_t count);

#endif
