/* PyTorch's snapshots of CUDA memory, as torch.cuda.memory._dump_snapshot() writes them: a pickle
 * with the segments at the end and the events before. This file finds them in the values of the
 * pickle. */
#include "formats/pytorch/pytorch.h"
#include "base/base.h"

#include "formats/text/utf8.h"

/* No address or size is larger, so that sums of two do not overflow. */
#define MOST (INT64_C(1) << 61)

bool snapshot_visit(struct snapshot *snapshot) {
    /* Nothing is looked at twice but the frames of stacks, of which every mention takes two bytes.
     */
    return ++snapshot->visited <= 8 * snapshot->input->length + 4096 ||
           sw_fail(snapshot->error, SW_ERROR_INPUT, "the snapshot says the same over and over, at offset %zu",
                   snapshot->at);
}

__attribute__((format(printf, 3, 4))) static bool snapshot_fail(struct snapshot *snapshot, uint32_t value,
                                                                const char *format, ...) {
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t at = value == SW_NONE ? snapshot->at : sw_pickle_at(&snapshot->pickle, value, snapshot->at);
    return sw_fail(snapshot->error, SW_ERROR_INPUT, "%s at offset %zu", text, at);
}

bool snapshot_fields(struct snapshot *snapshot, const char *what, uint32_t value, const char *const *keys, size_t count,
                     uint32_t *values) {
    struct sw_pickle_walk walk = sw_pickle_walk(&snapshot->pickle, value);
    uint32_t key, item;
    snapshot->at = sw_pickle_at(&snapshot->pickle, value, snapshot->at);
    if (sw_pickle_type(&snapshot->pickle, value) != SW_PICKLE_DICT) {
        return snapshot_fail(snapshot, value, "%s must be a dictionary", what);
    }
    for (size_t i = 0; i < count; i++) {
        values[i] = SW_NONE;
    }
    while (sw_pickle_next(&walk, &key) && sw_pickle_next(&walk, &item)) {
        if (!snapshot_visit(snapshot)) {
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            if (sw_pickle_is(&snapshot->pickle, key, keys[i])) {
                values[i] = item;
            }
        }
    }
    return true;
}

/* What the file may mention only once, so that a short file stays a short list. */
static bool once(struct snapshot *snapshot, const char *what, uint32_t value) {
    return sw_pickle_type(&snapshot->pickle, value) < SW_PICKLE_LIST || sw_pickle_claim(&snapshot->pickle, value) ||
           snapshot_fail(snapshot, value, "%s is there twice", what);
}

#define FIELDS(snapshot, what, value, keys, values) \
    snapshot_fields(snapshot, what, value, keys, sizeof(keys) / sizeof *(keys), values)

/* A list, or nothing. */
static bool is_snapshot_list(struct snapshot *snapshot, const char *what, uint32_t value) {
    if (sw_pickle_type(&snapshot->pickle, value) != SW_PICKLE_LIST) {
        return snapshot_fail(snapshot, value, "%s must be a list", what);
    }
    return sw_pickle_count(&snapshot->pickle, value) == 0 || once(snapshot, what, value);
}

/* Not negative and not absurd. */
static bool snapshot_number(struct snapshot *snapshot, const char *what, const char *key, uint32_t value,
                            uint64_t *to) {
    int64_t integer;
    if (value == SW_NONE) {
        return snapshot_fail(snapshot, SW_NONE, "%s without \"%s\"", what, key);
    }
    if (!sw_pickle_integer(&snapshot->pickle, value, &integer) || integer < 0 || integer > MOST) {
        return snapshot_fail(snapshot, value, "\"%s\" of %s must be a whole number from 0 to 2^61", key, what);
    }
    *to = (uint64_t)integer;
    return true;
}

static bool read_device(struct snapshot *snapshot, const char *what, uint32_t value, uint32_t *device) {
    uint64_t said = 0;
    if (value != SW_NONE && !snapshot_number(snapshot, what, "device", value, &said)) {
        return false;
    }
    *device = (uint32_t)said;
    return said < SW_MAX_TIERS || snapshot_fail(snapshot, value, "device %" PRIu64, said);
}

/* A stream, as a number of the requests: 0, the first, where the file says nothing. */
static bool read_stream_number(struct snapshot *snapshot, uint32_t value, uint32_t *number) {
    int64_t stream = 0;
    if (value != SW_NONE) {
        sw_pickle_integer(&snapshot->pickle, value, &stream);
    }
    *number = sw_requests_stream(snapshot->requests, stream);
    return *number != SW_NONE || snapshot_fail(snapshot, value, "more than %d streams, or no memory", SW_REQUESTS_MOST);
}

/* A private pool is a pair of numbers. */
static bool read_pool(struct snapshot *snapshot, uint32_t value, uint16_t *number, bool *has) {
    struct sw_pickle_walk walk = sw_pickle_walk(&snapshot->pickle, value);
    uint32_t first, second, pool = 0;
    int64_t a, b;
    *has = value != SW_NONE && sw_pickle_type(&snapshot->pickle, value) == SW_PICKLE_LIST &&
           sw_pickle_next(&walk, &first) && sw_pickle_next(&walk, &second) &&
           sw_pickle_integer(&snapshot->pickle, first, &a) && sw_pickle_integer(&snapshot->pickle, second, &b);
    if (*has) {
        pool = sw_requests_pool(snapshot->requests, a, b);
    }
    *number = (uint16_t)pool;
    return pool != SW_NONE || snapshot_fail(snapshot, value, "more than %d pools, or no memory", SW_REQUESTS_MOST);
}

/* ---- segments ---- */

static bool read_block(struct snapshot *snapshot, uint32_t value, const struct snapshot_segment *segment,
                       uint64_t *at) {
    enum { FIELD_ADDRESS, FIELD_SIZE, FIELD_STATE, FIELD_FRAMES, FIELD_REQUESTED, EVENT_FIELD_COUNT };
    static const char *const keys[EVENT_FIELD_COUNT] = {"address", "size", "state", "frames", "requested_size"};
    struct snapshot_block block = {.address = *at,
                                   .device = segment->device,
                                   .stream = segment->known.stream,
                                   .pool = segment->known.pool,
                                   .state = SW_KNOWN_USED};
    uint32_t values[EVENT_FIELD_COUNT];
    if (!once(snapshot, "a block", value) || !FIELDS(snapshot, "a block", value, keys, values) ||
        !snapshot_number(snapshot, "a block", keys[FIELD_SIZE], values[FIELD_SIZE], &block.size) ||
        (values[FIELD_ADDRESS] != SW_NONE &&
         !snapshot_number(snapshot, "a block", keys[FIELD_ADDRESS], values[FIELD_ADDRESS], &block.address)) ||
        (values[FIELD_REQUESTED] != SW_NONE &&
         !snapshot_number(snapshot, "a block", keys[FIELD_REQUESTED], values[FIELD_REQUESTED], &block.requested))) {
        return false;
    }
    block.frames = values[FIELD_FRAMES];
    *at = block.address + block.size;
    if (*at > (uint64_t)MOST) {
        return snapshot_fail(snapshot, value, "a block that ends above 2^61");
    }
    if (values[FIELD_STATE] == SW_NONE || sw_pickle_is(&snapshot->pickle, values[FIELD_STATE], "inactive")) {
        block.state = SW_KNOWN_FREE;
    } else if (sw_pickle_is(&snapshot->pickle, values[FIELD_STATE], "active_pending_free") ||
               sw_pickle_is(&snapshot->pickle, values[FIELD_STATE], "active_awaiting_free")) {
        block.state = SW_KNOWN_WAITING;
    }
    return SW_PUSH(&snapshot->blocks, block) || sw_fail_memory(snapshot->error);
}

static bool read_blocks(struct snapshot *snapshot, uint32_t list, const struct snapshot_segment *segment) {
    struct sw_pickle_walk walk = sw_pickle_walk(&snapshot->pickle, list);
    uint64_t at = segment->known.address;
    uint32_t item;
    if (!is_snapshot_list(snapshot, "\"blocks\"", list)) {
        return false;
    }
    while (sw_pickle_next(&walk, &item)) {
        if (!snapshot_visit(snapshot) || !read_block(snapshot, item, segment, &at)) {
            return false;
        }
    }
    return true;
}

static bool read_segment(struct snapshot *snapshot, uint32_t value) {
    enum {
        FIELD_ADDRESS,
        FIELD_SIZE,
        FIELD_DEVICE,
        FIELD_STREAM,
        FIELD_BLOCKS,
        FIELD_EXPANDABLE,
        FIELD_TYPE,
        FIELD_POOL,
        EVENT_FIELD_COUNT
    };
    static const char *const keys[EVENT_FIELD_COUNT] = {"address", "total_size",    "device",       "stream",
                                                        "blocks",  "is_expandable", "segment_type", "segment_pool_id"};
    struct snapshot_segment segment = {.device = 0};
    uint32_t values[EVENT_FIELD_COUNT];
    bool has;
    if (!once(snapshot, "a segment", value) || !FIELDS(snapshot, "a segment", value, keys, values) ||
        !snapshot_number(snapshot, "a segment", keys[FIELD_ADDRESS], values[FIELD_ADDRESS], &segment.known.address) ||
        !snapshot_number(snapshot, "a segment", keys[FIELD_SIZE], values[FIELD_SIZE], &segment.known.size) ||
        !read_device(snapshot, "a segment", values[FIELD_DEVICE], &segment.device) ||
        !read_stream_number(snapshot, values[FIELD_STREAM], &segment.known.stream) ||
        !read_pool(snapshot, values[FIELD_POOL], &segment.known.pool, &has)) {
        return false;
    }
    if (segment.known.address + segment.known.size > (uint64_t)MOST) {
        return snapshot_fail(snapshot, value, "a segment that ends above 2^61");
    }
    segment.known.expandable =
        values[FIELD_EXPANDABLE] != SW_NONE && sw_pickle_true(&snapshot->pickle, values[FIELD_EXPANDABLE]);
    segment.known.small = values[FIELD_TYPE] != SW_NONE && sw_pickle_is(&snapshot->pickle, values[FIELD_TYPE], "small");
    if (__builtin_add_overflow(snapshot->reserved, segment.known.size, &snapshot->reserved)) {
        return snapshot_fail(snapshot, value, "the segments add up past 2^64 bytes");
    }
    snapshot->expandable += segment.known.expandable;
    return (SW_PUSH(&snapshot->segments_at_end, segment) || sw_fail_memory(snapshot->error)) &&
           (values[FIELD_BLOCKS] == SW_NONE || read_blocks(snapshot, values[FIELD_BLOCKS], &segment));
}

static bool read_segments(struct snapshot *snapshot, uint32_t list) {
    struct sw_pickle_walk walk = sw_pickle_walk(&snapshot->pickle, list);
    uint32_t item;
    if (!is_snapshot_list(snapshot, "\"segments\"", list)) {
        return false;
    }
    while (sw_pickle_next(&walk, &item)) {
        if (!snapshot_visit(snapshot) || !read_segment(snapshot, item)) {
            return false;
        }
    }
    return true;
}

/* ---- events ---- */

static enum snapshot_action action_of(const struct snapshot *snapshot, uint32_t value) {
    static const struct {
        const char *word;
        enum snapshot_action action;
    } words[] = {{"alloc", ACTION_ALLOC},
                 {"free_requested", ACTION_FREE_REQUESTED},
                 {"free_completed", ACTION_FREE_COMPLETED},
                 {"segment_alloc", ACTION_SEGMENT_ALLOC},
                 {"segment_free", ACTION_SEGMENT_FREE},
                 {"segment_map", ACTION_SEGMENT_MAP},
                 {"segment_unmap", ACTION_SEGMENT_UNMAP},
                 {"oom", ACTION_OOM},
                 {"user_defined", ACTION_USER},
                 {"snapshot", ACTION_SNAPSHOT}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (sw_pickle_is(&snapshot->pickle, value, words[i].word)) {
            return words[i].action;
        }
    }
    return ACTION_OTHER;
}

static bool read_snapshot_event(struct snapshot *snapshot, uint32_t value, uint32_t device) {
    enum {
        FIELD_ACTION,
        FIELD_ADDRESS,
        FIELD_SIZE,
        FIELD_STREAM,
        FIELD_FRAMES,
        FIELD_POOL,
        FIELD_WORDS,
        EVENT_FIELD_COUNT
    };
    static const char *const keys[EVENT_FIELD_COUNT] = {"action", "addr",    "size",         "stream",
                                                        "frames", "pool_id", "user_metadata"};
    struct snapshot_event event = {.device = device};
    uint32_t values[EVENT_FIELD_COUNT];
    if (!once(snapshot, "an event", value) || !FIELDS(snapshot, "an event", value, keys, values)) {
        return false;
    }
    if (values[FIELD_ACTION] == SW_NONE) {
        return snapshot_fail(snapshot, value, "an event without \"action\"");
    }
    event.action = action_of(snapshot, values[FIELD_ACTION]);
    event.frames = values[FIELD_FRAMES];
    event.words = values[FIELD_WORDS];
    if (event.action == ACTION_OOM && values[FIELD_SIZE] != SW_NONE &&
        !snapshot_number(snapshot, "an event", keys[FIELD_SIZE], values[FIELD_SIZE], &event.size)) {
        return false;
    }
    if (event.action < ACTION_OOM &&
        (!snapshot_number(snapshot, "an event", keys[FIELD_ADDRESS], values[FIELD_ADDRESS], &event.address) ||
         !snapshot_number(snapshot, "an event", keys[FIELD_SIZE], values[FIELD_SIZE], &event.size))) {
        return false;
    }
    if (event.address + event.size > (uint64_t)MOST) {
        return snapshot_fail(snapshot, value, "an event beyond the address 2^61");
    }
    if (snapshot->events.count >= SW_NONE / 8) {
        return snapshot_fail(snapshot, value, "too many events");
    }
    event.time = (uint32_t)snapshot->events.count;
    return read_stream_number(snapshot, values[FIELD_STREAM], &event.stream) &&
           read_pool(snapshot, values[FIELD_POOL], &event.pool, &event.has_pool) &&
           (SW_PUSH(&snapshot->events, event) || sw_fail_memory(snapshot->error));
}

static bool read_trace(struct snapshot *snapshot, uint32_t list, uint32_t device) {
    struct sw_pickle_walk walk = sw_pickle_walk(&snapshot->pickle, list);
    uint32_t item;
    if (!is_snapshot_list(snapshot, "a trace", list)) {
        return false;
    }
    while (sw_pickle_next(&walk, &item)) {
        if (!snapshot_visit(snapshot) || !read_snapshot_event(snapshot, item, device)) {
            return false;
        }
    }
    return true;
}

static bool read_traces(struct snapshot *snapshot, uint32_t list) {
    struct sw_pickle_walk walk = sw_pickle_walk(&snapshot->pickle, list);
    uint32_t item, device = 0;
    if (!is_snapshot_list(snapshot, "\"device_traces\"", list)) {
        return false;
    }
    for (; sw_pickle_next(&walk, &item); device++) {
        if (!snapshot_visit(snapshot)) {
            return false;
        }
        if (device >= SW_MAX_TIERS && sw_pickle_count(&snapshot->pickle, item) > 0) {
            return snapshot_fail(snapshot, item, "device %" PRIu32, device);
        }
        if (!read_trace(snapshot, item, device)) {
            return false;
        }
    }
    return true;
}

/* ---- one device ---- */

/* The device that is asked for, or the one with the most events, the first of several. What others did goes. */
static bool choose_device(struct snapshot *snapshot) {
    size_t counts[SW_MAX_TIERS] = {0}, kept = 0;
    uint32_t best = 0;
    for (size_t i = 0; i < snapshot->events.count; i++) {
        counts[snapshot->events.items[i].device]++;
    }
    for (uint32_t d = 0; d < SW_MAX_TIERS; d++) {
        best = counts[d] > counts[best] ? d : best;
        snapshot->devices += counts[d] > 0;
    }
    if (snapshot->only >= 0) {
        best = (uint32_t)snapshot->only;
        if (counts[best] == 0) {
            return sw_fail(snapshot->error, SW_ERROR_INPUT,
                           "the snapshot has no events of device %" PRIu32 ", but of %" PRIu32 " other%s", best,
                           snapshot->devices, snapshot->devices == 1 ? "" : "s");
        }
    }
    snapshot->device = best;
    for (size_t i = 0; i < snapshot->events.count; i++) {
        struct snapshot_event event = snapshot->events.items[i];
        event.time = (uint32_t)kept;
        if (event.device == best) {
            snapshot->events.items[kept++] = event;
        }
    }
    snapshot->events.count = kept;
    kept = 0;
    for (size_t i = 0; i < snapshot->blocks.count; i++) {
        if (snapshot->blocks.items[i].device == best) {
            snapshot->blocks.items[kept++] = snapshot->blocks.items[i];
        }
    }
    snapshot->blocks.count = kept;
    kept = 0;
    for (size_t i = 0; i < snapshot->segments_at_end.count; i++) {
        if (snapshot->segments_at_end.items[i].device == best) {
            snapshot->segments_at_end.items[kept++] = snapshot->segments_at_end.items[i];
        }
    }
    snapshot->segments_at_end.count = kept;
    return true;
}

/* ---- the file ---- */

static bool read_snapshot(struct snapshot *snapshot) {
    static const char *const keys[] = {"segments", "device_traces", "allocator_settings"};
    uint32_t values[3] = {SW_NONE, SW_NONE, SW_NONE};
    if (!sw_pickle_open(&snapshot->pickle, snapshot->input, snapshot->error)) {
        return false;
    }
    uint32_t root = snapshot->pickle.root;
    if (sw_pickle_type(&snapshot->pickle, root) == SW_PICKLE_DICT &&
        !FIELDS(snapshot, "a snapshot", root, keys, values)) {
        return false;
    }
    if (values[0] == SW_NONE) {
        return snapshot_fail(snapshot, root, "the pickle is no snapshot of memory: there is no key \"segments\"");
    }
    if (!read_segments(snapshot, values[0]) || (values[1] != SW_NONE && !read_traces(snapshot, values[1]))) {
        return false;
    }
    if (snapshot->events.count == 0) {
        return sw_fail(snapshot->error, SW_ERROR_INPUT,
                       "the snapshot has no history of allocations; "
                       "torch.cuda.memory._record_memory_history() before the run makes one");
    }
    return choose_device(snapshot) && snapshot_settings(snapshot, values[2]) && snapshot_stacks(snapshot) &&
           snapshot_plan(snapshot) && snapshot_hand_over(snapshot);
}

static bool pytorch_read(const struct sw_input *input, const struct sw_load_options *options,
                         struct sw_builder *builder, struct sw_error *error) {
    struct sw_error own = {0};
    struct snapshot snapshot = {.input = input,
                                .builder = builder,
                                .error = &own,
                                .requests = sw_requests_new(),
                                .only = options && options->device ? atoi(options->device) : -1};
    bool good = snapshot.requests ? read_snapshot(&snapshot) : sw_fail_memory(&own);
    sw_pickle_close(&snapshot.pickle);
    SW_ARRAY_DONE(&snapshot.events);
    SW_ARRAY_DONE(&snapshot.blocks);
    SW_ARRAY_DONE(&snapshot.segments_at_end);
    sw_requests_unref(snapshot.requests);
    SW_ARRAY_DONE(&snapshot.stacks);
    sw_arena_done(&snapshot.arena);
    if (!good && error) {
        *error = own;
        sw_error_at(error, input->name, 0, 0);
    }
    return good;
}

const struct sw_format sw_format_pytorch = {
    .name = "pytorch",
    .summary = "PyTorch's snapshot of CUDA memory: from the allocation to, exclusive, the event that "
               "frees",
    .extensions = ".pickle .pkl",
    .most_binary = UINT64_MAX,
    .heeds = SW_HEEDS_DEVICE,
    .detect = sw_pickle_detect,
    .read = pytorch_read,
};
