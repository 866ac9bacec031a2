/* Workspaces of kernels: what a kernel of TensorFlow Lite Micro asks of the arena for itself.
 *
 * A kernel asks while it prepares, at most 12 times; each workspace lives while the operator runs (an operator that
 * calls subgraphs: while they run, too). Sizes are bytes as they are asked for; the interpreter rounds them up to 16.
 */
#ifndef SW_FORMATS_TFLITE_KERNELS_H
#define SW_FORMATS_TFLITE_KERNELS_H

#include "formats/tflite/tflite_model.h"

enum { TFLITE_MOST_WORKSPACES = 12 };
struct tflite_workspaces {
    uint64_t sizes[TFLITE_MOST_WORKSPACES]; /* in the order in which they are asked for; none is 0 */
    unsigned count;
    bool known; /* false: no rule tells them for this operator */
};
/* Of an operator with these kernels. `wide`: pointers have 64 bits. False: the file is damaged. O(inputs and outputs)
 */
bool tflite_kernel_workspaces(struct tflite_model *, const struct tflite_operator *, unsigned kernels, bool wide,
                              struct tflite_workspaces *);
/* What an operator and its kernel keep in the arena's tail. */
struct tflite_kept {
    uint64_t options, alignment; /* the operator's options */
    uint64_t own;                /* the kernel's structure; 0: it has none */
    uint64_t lists;              /* what goes by shapes, rounded up */
    bool known;
};
bool tflite_kernel_keeps(struct tflite_model *, const struct tflite_operator *, unsigned kernels, bool wide,
                         struct tflite_kept *);
/* Which rows and columns an operator needs of its arguments, for what can be computed in strips, and its multiply-adds.
 */
struct tflite_window {
    bool known; /* false: it has none, or the file's shapes contradict its options */
    struct sw_op_window window;
    uint64_t macs; /* 0: it has none, or they are not known */
};
/* False: the file is damaged. O(inputs) */
bool tflite_window(struct tflite_model *, const struct tflite_operator *, struct tflite_window *);
/* Has TensorFlow Lite Micro a kernel for it? Others that a firmware brings along are not known here. O(kernels) */
bool tflite_kernel_exists(const struct tflite_operator *);
/* The version and its date, if no version was named and versions differ; NULL. */
const char *tflite_kernels_newest(unsigned kernels);
/* A library for a chip in all its versions: `count` values of enum sw_kernels, the oldest first. Returns how many such
 * there are. */
struct tflite_versions {
    unsigned first, step, count;
};
size_t tflite_kernels_versions(const struct tflite_versions **);
/* "the kernels of ESP-NN 1.2.1 to 1.2.3 on an ESP32-S3": two of one row of those. */
void tflite_kernels_range(unsigned first, unsigned last, char *text, size_t room);
/* "CMSIS-NN's kernels with DSP instructions", which ask, for sentences. `kernels`: enum sw_kernels. */
const char *tflite_kernels_name(unsigned kernels);

#endif
