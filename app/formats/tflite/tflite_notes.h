/* What a reader of TensorFlow Lite models says of the file: what it left out, and what it took for granted. */
#ifndef SW_TFLITE_NOTES_H
#define SW_TFLITE_NOTES_H

#include "formats/tflite/tflite_model.h"

/* What became of the model. All borrowed. */
struct tflite_told {
    const struct tflite_model *model;
    struct sw_builder *builder;
    struct sw_error *error;
    bool joined;       /* with a log of the interpreter */
    unsigned kernels;  /* the library of SW_KERNELS_... that workspaces are asked of */
    uint64_t parts;    /* tensors within an Ethos-U's arena */
    uint64_t in_place; /* slices, and parts of concatenations, that lie in their places */
    bool others;       /* and what loops hand over, or what is padded or updated */
    uint64_t workspace_count, workspace_bytes;
    uint64_t unknown_count;     /* steps with kernels that no rule tells, */
    const char *const *unknown; /* and the names of the first of them */
    size_t unknown_listed;
};
/* False: no memory. */
bool tflite_note(const struct tflite_told *);

#endif
