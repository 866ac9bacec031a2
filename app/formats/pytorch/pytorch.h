/* The inside of the reader of PyTorch's memory snapshots: what the file says (pytorch.c), which code
 * called (pytorch_frames.c), and what becomes of it: buffers (pytorch_plan.c) and requests (pytorch_requests.c), or a
 * moment (pytorch_moment.c). */
#ifndef SW_FORMATS_PYTORCH_H
#define SW_FORMATS_PYTORCH_H

#include "formats/pytorch/pickle.h"
#include "heap/caching/known.h"

enum snapshot_action {
    ACTION_ALLOC,
    ACTION_FREE_REQUESTED,
    ACTION_FREE_COMPLETED,
    ACTION_SEGMENT_ALLOC,
    ACTION_SEGMENT_FREE,
    ACTION_SEGMENT_MAP,
    ACTION_SEGMENT_UNMAP,
    ACTION_OOM,
    ACTION_USER,     /* the program's own event */
    ACTION_SNAPSHOT, /* a snapshot was taken */
    ACTION_OTHER
};
struct snapshot_event {
    uint64_t address, size; /* of an OOM the address is what the device had free; UINT64_MAX: not told */
    uint32_t time;          /* its number among all events */
    uint32_t frames;        /* a value, or SW_NONE */
    uint32_t device;
    uint32_t stream; /* a number of the requests */
    uint16_t pool;
    bool has_pool; /* the file says which */
    enum snapshot_action action;
    uint32_t words; /* of the program's own event: what it says; SW_NONE */
};
/* A segment comes, goes, grows or shrinks. */
static inline bool snapshot_is_segment(enum snapshot_action action) {
    return action >= ACTION_SEGMENT_ALLOC && action <= ACTION_SEGMENT_UNMAP;
}
/* A segment at the end, and a block in it, used or not. */
struct snapshot_segment {
    struct sw_known_segment known;
    uint32_t device;
    bool typed;                 /* the file says whether it is of the pool for small requests */
    uint64_t allocated, active; /* as the file sums them; UINT64_MAX: it does not */
};
struct snapshot_block {
    uint64_t address, size, requested;
    uint32_t frames;
    uint32_t past_frames;    /* of files that keep them in a list "history": of its first entry */
    uint64_t past_requested; /* the same; 0: not told */
    uint32_t device;
    uint32_t stream;
    uint16_t pool;
    enum sw_known_state state;
    uint32_t buffer; /* SW_NONE */
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
    size_t visited;                         /* values looked at: never many times what the file has bytes */
    size_t at;                              /* where in the file we are, for errors about numbers */
    SW_ARRAY(struct snapshot_event) events; /* by time */
    SW_ARRAY(struct snapshot_segment) segments_at_end;
    SW_ARRAY(struct snapshot_block) blocks; /* all of them, at the end */
    struct sw_requests *requests;           /* what becomes of all this, for the allocators */
    int32_t only;                           /* --device, or -1 */
    SW_ARRAY(struct snapshot_stack) stacks; /* by frames */
    uint64_t reserved, expandable;
    uint64_t cut_stacks;      /* stacks that would take too much room */
    uint32_t buffers;         /* how many the builder has got */
    uint32_t devices, device; /* how many have events, or segments where there is no event; the one that is read */
    bool history;             /* it has events that say what became of memory */
};

/* One more value looked at; false when values are used again and again. */
bool snapshot_visit(struct snapshot *);

/* The values of keys of a dictionary; SW_NONE for those that are not there. False: it is none, with
 * an error that calls it `what`. */
struct snapshot_field {
    const char *key;
    uint32_t *value;
};
bool snapshot_fields(struct snapshot *, const char *what, uint32_t value, const struct snapshot_field *, size_t count);
#define SNAPSHOT_FIELDS(snapshot, what, value, ...)                                      \
    snapshot_fields(snapshot, what, value, (const struct snapshot_field[]){__VA_ARGS__}, \
                    sizeof((const struct snapshot_field[]){__VA_ARGS__}) / sizeof(struct snapshot_field))

/* Make the texts of all stacks in use. */
bool snapshot_stacks(struct snapshot *);
const char *snapshot_stack_of(const struct snapshot *, uint32_t frames);

/* The settings of the allocator, where the file tells them, as a text in PyTorch's own syntax. */
bool snapshot_settings(struct snapshot *, uint32_t value);
/* A heap that rounds sizes as those settings say. The caller's. */
bool snapshot_rounding(struct snapshot *, struct sw_heap **heap);
/* By address, before pools are looked up. */
void snapshot_sort_segments(struct snapshot *);
/* The event, as a request about that buffer (SW_NONE: about none). */
bool snapshot_request(struct snapshot *, const struct snapshot_event *, uint32_t buffer);
/* What was there at the end, taken back to the beginning; then the requests go to the builder. */
bool snapshot_hand_over(struct snapshot *);

/* Buffers and notes, into the builder. */
bool snapshot_plan(struct snapshot *);

/* Or, where it has no history, the moment that it shows. */
bool snapshot_moment(struct snapshot *);

/* Is it a snapshot as JSON? The same values as a pickle. */
bool snapshot_is_json(const struct sw_input *);
bool snapshot_pickle_json(const struct sw_input *, struct sw_sink *, struct sw_error *);

#endif
