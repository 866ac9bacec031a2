/* The inside of the reader of PyTorch's memory snapshots: what the file says (pytorch.c), which code
 * called (pytorch_frames.c), and what becomes of it (pytorch_plan.c). */
#ifndef SW_FORMATS_PYTORCH_H
#define SW_FORMATS_PYTORCH_H

#include "formats/pytorch/pickle.h"

enum snapshot_action {
    ACTION_ALLOC,
    ACTION_FREE_REQUESTED,
    ACTION_FREE_COMPLETED,
    ACTION_SEGMENT, /* a segment comes, goes, grows or shrinks */
    ACTION_OTHER
};
struct snapshot_event {
    uint64_t address, size;
    int64_t clock;   /* its time in microseconds, for the order among devices; 0 = none */
    uint32_t time;   /* its number among all events */
    uint32_t frames; /* a value, or SW_NONE */
    uint32_t device;
    enum snapshot_action action;
};
struct snapshot_range { /* of addresses [lo, hi) */
    uint64_t lo, hi;
    uint64_t base; /* where in the arena lo comes to lie */
    uint32_t device;
};
struct snapshot_block {
    uint64_t address, size;
    uint32_t frames;
    uint32_t device;
};

/* The texts of stacks, each made once. */
struct snapshot_stack {
    uint32_t frames;
    const char *text; /* NULL: there is nothing to say */
};

struct snapshot {
    const struct sw_input *input;
    struct sw_pickle pickle;
    struct sw_builder *builder;
    struct sw_error *error;
    struct sw_arena arena;
    size_t visited; /* values looked at: never many times what the file has bytes */
    size_t at;      /* where in the file we are, for errors about numbers */
    SW_ARRAY(struct snapshot_event) events; /* by time */
    SW_ARRAY(struct snapshot_block) blocks; /* those in use at the end */
    SW_ARRAY(struct snapshot_range) ranges;
    SW_ARRAY(int64_t) streams;              /* different ones, the first few */
    SW_ARRAY(struct snapshot_stack) stacks; /* by frames */
    uint64_t segments, reserved, expandable;
    uint64_t cut_stacks; /* stacks that would take too much room */
    bool several_traces, unclocked;
};

/* One more value looked at; false when values are used again and again. */
bool snapshot_visit(struct snapshot *);
bool snapshot_fail(struct snapshot *, uint32_t value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The values of keys of a dictionary; SW_NONE for those that are not there. False: it is none, with
 * an error that calls it `what`. */
bool snapshot_fields(struct snapshot *, const char *what, uint32_t value, const char *const *keys,
                     size_t count, uint32_t *values);

/* Make the texts of all stacks in use. */
bool snapshot_stacks(struct snapshot *);
const char *snapshot_stack_of(const struct snapshot *, uint32_t frames);

/* Buffers and notes, into the builder. */
bool snapshot_plan(struct snapshot *);


#endif
