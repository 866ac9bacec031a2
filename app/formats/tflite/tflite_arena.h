/* The whole arena of TensorFlow Lite Micro: what it keeps besides what it plans.
 *
 * The head is planned: tensors and workspaces. From the other end grows the tail, the interpreter's own structures and
 * what kernels keep. What is left between them it uses while it plans, and no more afterwards (temporary). */
#ifndef SW_FORMATS_TFLITE_ARENA_H
#define SW_FORMATS_TFLITE_ARENA_H

#include "formats/tflite/tflite_model.h"

/* Sections of the tail, in the order in which RecordingMicroAllocator prints them, and the rest: the allocator, the
 * planner, options of operators, lists of subgraphs and of workspaces. */
enum tflite_section {
    TFLITE_EVAL_TENSORS,
    TFLITE_TENSORS,
    TFLITE_QUANTIZATION,
    TFLITE_BUFFERS,
    TFLITE_VARIABLES,
    TFLITE_NODES,
    TFLITE_REST,
    TFLITE_SECTIONS
};
struct tflite_arena {
    uint64_t used[TFLITE_SECTIONS]; /* bytes, with what alignment costs */
    uint64_t tail;                  /* their sum */
    uint64_t
        planning; /* bytes that the arena must have so that it can plan: the tail of that time and what is temporary */
    uint64_t unknown; /* operators with kernels that keep bytes no rule tells: those come on top */
};
/* Computed, for a MicroInterpreter with its usual planner. `workspaces`: how many the kernels ask for. False: the file
 * is damaged. O(size of the model) */
bool tflite_arena_compute(struct tflite_model *, unsigned kernels, bool wide, uint64_t workspaces,
                          struct tflite_arena *);
/* As the log of a RecordingMicroAllocator calls a section; NULL for the rest. */
const char *tflite_section_name(enum tflite_section);

#endif
