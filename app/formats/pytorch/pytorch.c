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
    SW_FORMAT_INTO(text, format);
    size_t at = value == SW_NONE ? snapshot->at : sw_pickle_at(&snapshot->pickle, value, snapshot->at);
    return sw_fail(snapshot->error, SW_ERROR_INPUT, "%s at offset %zu", text, at);
}

bool snapshot_fields(struct snapshot *snapshot, const char *what, uint32_t value, const struct snapshot_field *fields,
                     size_t count) {
    struct sw_pickle_walk walk = sw_pickle_walk(&snapshot->pickle, value);
    uint32_t key, item;
    snapshot->at = sw_pickle_at(&snapshot->pickle, value, snapshot->at);
    if (sw_pickle_type(&snapshot->pickle, value) != SW_PICKLE_DICT) {
        return snapshot_fail(snapshot, value, "%s must be a dictionary", what);
    }
    for (size_t i = 0; i < count; i++) {
        *fields[i].value = SW_NONE;
    }
    while (sw_pickle_next(&walk, &key) && sw_pickle_next(&walk, &item)) {
        if (!snapshot_visit(snapshot)) {
            return false;
        }
        for (size_t i = 0; i < count; i++) {
            if (sw_pickle_is(&snapshot->pickle, key, fields[i].key)) {
                *fields[i].value = item;
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

/* A sum that nothing depends on: what is no number of bytes is as if it were not there. */
static void read_sum(const struct snapshot *snapshot, uint32_t value, uint64_t *to) {
    int64_t bytes;
    if (value != SW_NONE && sw_pickle_integer(&snapshot->pickle, value, &bytes) && bytes >= 0 && bytes <= MOST) {
        *to = (uint64_t)bytes;
    }
}

/* Until version 2.0 a block has a list "history", the youngest allocation in it first. */
static bool read_past(struct snapshot *snapshot, uint32_t list, struct snapshot_block *block) {
    struct sw_pickle_walk walk = sw_pickle_walk(&snapshot->pickle, list == SW_NONE ? 0 : list);
    uint32_t first, size;
    if (!sw_pickle_next(&walk, &first) || sw_pickle_type(&snapshot->pickle, first) != SW_PICKLE_DICT) {
        return true;
    }
    bool good = SNAPSHOT_FIELDS(snapshot, "an entry of \"history\"", first, {"frames", &block->past_frames},
                                {"real_size", &size});
    read_sum(snapshot, good ? size : SW_NONE, &block->past_requested);
    return good;
}

static bool read_block(struct snapshot *snapshot, uint32_t value, const struct snapshot_segment *segment,
                       uint64_t *at) {
    struct snapshot_block block = {.address = *at,
                                   .device = segment->device,
                                   .stream = segment->known.stream,
                                   .pool = segment->known.pool,
                                   .past_frames = SW_NONE,
                                   .state = SW_KNOWN_USED};
    uint32_t address, size, state, requested, past;
    if (!once(snapshot, "a block", value) ||
        !SNAPSHOT_FIELDS(snapshot, "a block", value, {"address", &address}, {"size", &size}, {"state", &state},
                         {"frames", &block.frames}, {"requested_size", &requested}, {"history", &past}) ||
        !read_past(snapshot, past, &block) || !snapshot_number(snapshot, "a block", "size", size, &block.size) ||
        (address != SW_NONE && !snapshot_number(snapshot, "a block", "address", address, &block.address)) ||
        (requested != SW_NONE &&
         !snapshot_number(snapshot, "a block", "requested_size", requested, &block.requested))) {
        return false;
    }
    *at = block.address + block.size;
    if (*at > (uint64_t)MOST) {
        return snapshot_fail(snapshot, value, "a block that ends above 2^61");
    }
    if (state == SW_NONE || sw_pickle_is(&snapshot->pickle, state, "inactive")) {
        block.state = SW_KNOWN_FREE;
    } else if (sw_pickle_is(&snapshot->pickle, state, "active_pending_free") ||
               sw_pickle_is(&snapshot->pickle, state, "active_awaiting_free")) {
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
    struct snapshot_segment segment = {.allocated = UINT64_MAX, .active = UINT64_MAX};
    uint32_t address, size, device, stream, blocks, expandable, type, pool, allocated, active;
    bool has;
    if (!once(snapshot, "a segment", value) ||
        !SNAPSHOT_FIELDS(snapshot, "a segment", value, {"address", &address}, {"total_size", &size},
                         {"device", &device}, {"stream", &stream}, {"blocks", &blocks}, {"is_expandable", &expandable},
                         {"segment_type", &type}, {"segment_pool_id", &pool}, {"allocated_size", &allocated},
                         {"active_size", &active}) ||
        !snapshot_number(snapshot, "a segment", "address", address, &segment.known.address) ||
        !snapshot_number(snapshot, "a segment", "total_size", size, &segment.known.size) ||
        !read_device(snapshot, "a segment", device, &segment.device) ||
        !read_stream_number(snapshot, stream, &segment.known.stream) ||
        !read_pool(snapshot, pool, &segment.known.pool, &has)) {
        return false;
    }
    if (segment.known.address + segment.known.size > (uint64_t)MOST) {
        return snapshot_fail(snapshot, value, "a segment that ends above 2^61");
    }
    segment.known.expandable = expandable != SW_NONE && sw_pickle_true(&snapshot->pickle, expandable);
    segment.known.small = type != SW_NONE && sw_pickle_is(&snapshot->pickle, type, "small");
    segment.typed = segment.known.small || (type != SW_NONE && sw_pickle_is(&snapshot->pickle, type, "large"));
    read_sum(snapshot, allocated, &segment.allocated);
    read_sum(snapshot, active, &segment.active);
    if (__builtin_add_overflow(snapshot->reserved, segment.known.size, &snapshot->reserved)) {
        return snapshot_fail(snapshot, value, "the segments add up past 2^64 bytes");
    }
    snapshot->expandable += segment.known.expandable;
    return (SW_PUSH(&snapshot->segments_at_end, segment) || sw_fail_memory(snapshot->error)) &&
           (blocks == SW_NONE || read_blocks(snapshot, blocks, &segment));
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
    struct snapshot_event event = {.device = device};
    uint32_t action, address, size, stream, pool, device_free;
    if (!once(snapshot, "an event", value) ||
        !SNAPSHOT_FIELDS(snapshot, "an event", value, {"action", &action}, {"addr", &address}, {"size", &size},
                         {"stream", &stream}, {"frames", &event.frames}, {"pool_id", &pool},
                         {"user_metadata", &event.words}, {"device_free", &device_free})) {
        return false;
    }
    if (action == SW_NONE) {
        return snapshot_fail(snapshot, value, "an event without \"action\"");
    }
    event.action = action_of(snapshot, action);
    bool sized = event.action < ACTION_OOM || (event.action == ACTION_OOM && size != SW_NONE);
    if ((event.action < ACTION_OOM && !snapshot_number(snapshot, "an event", "addr", address, &event.address)) ||
        (sized && !snapshot_number(snapshot, "an event", "size", size, &event.size))) {
        return false;
    }
    if (event.action == ACTION_OOM) {
        event.address = UINT64_MAX;
        read_sum(snapshot, device_free, &event.address);
    } else if (event.address + event.size > (uint64_t)MOST) {
        return snapshot_fail(snapshot, value, "an event beyond the address 2^61");
    }
    if (snapshot->events.count >= SW_NONE / 8) {
        return snapshot_fail(snapshot, value, "too many events");
    }
    event.time = (uint32_t)snapshot->events.count;
    return read_stream_number(snapshot, stream, &event.stream) &&
           read_pool(snapshot, pool, &event.pool, &event.has_pool) &&
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

/* Keep what is of that device. */
#define KEEP_OF_DEVICE(list, of)                          \
    do {                                                  \
        size_t kept = 0;                                  \
        for (size_t i = 0; i < (list)->count; i++) {      \
            if ((list)->items[i].device == (of)) {        \
                (list)->items[kept++] = (list)->items[i]; \
            }                                             \
        }                                                 \
        (list)->count = kept;                             \
    } while (0)

/* The device that is asked for; or the one with the most events, or where none has any, with the most bytes; the first
 * of several. What others did goes. */
static bool choose_device(struct snapshot *snapshot) {
    uint64_t counts[SW_MAX_TIERS] = {0}, bytes[SW_MAX_TIERS] = {0};
    bool any = snapshot->events.count > 0;
    uint32_t best = 0;
    for (size_t i = 0; i < snapshot->events.count; i++) {
        counts[snapshot->events.items[i].device]++;
    }
    for (size_t i = 0; i < snapshot->segments_at_end.count; i++) {
        bytes[snapshot->segments_at_end.items[i].device] += snapshot->segments_at_end.items[i].known.size;
    }
    for (uint32_t d = 0; d < SW_MAX_TIERS; d++) {
        const uint64_t *by = any ? counts : bytes;
        best = by[d] > by[best] ? d : best;
        snapshot->devices += by[d] > 0;
    }
    if (snapshot->only >= 0) {
        best = (uint32_t)snapshot->only;
        if (any && counts[best] + bytes[best] == 0) {
            return sw_fail(snapshot->error, SW_ERROR_INPUT,
                           "the snapshot has no events of device %" PRIu32 ", but of %" PRIu32 " other%s", best,
                           snapshot->devices, snapshot->devices == 1 ? "" : "s");
        }
    }
    if (counts[best] + bytes[best] == 0) {
        return sw_fail(snapshot->error, SW_ERROR_INPUT,
                       "the snapshot has no history of allocations; "
                       "torch.cuda.memory._record_memory_history() before the run makes one");
    }
    snapshot->device = best;
    KEEP_OF_DEVICE(&snapshot->events, best);
    KEEP_OF_DEVICE(&snapshot->blocks, best);
    KEEP_OF_DEVICE(&snapshot->segments_at_end, best);
    for (size_t i = 0; i < snapshot->events.count; i++) {
        snapshot->events.items[i].time = (uint32_t)i;
        snapshot->history = snapshot->history || snapshot->events.items[i].action < ACTION_OOM;
    }
    return true;
}

/* ---- the file ---- */

static bool read_snapshot(struct snapshot *snapshot) {
    uint32_t segments = SW_NONE, traces = SW_NONE, settings = SW_NONE;
    if (!sw_pickle_open(&snapshot->pickle, snapshot->input, snapshot->error)) {
        return false;
    }
    uint32_t root = snapshot->pickle.root;
    if (sw_pickle_type(&snapshot->pickle, root) == SW_PICKLE_DICT &&
        !SNAPSHOT_FIELDS(snapshot, "a snapshot", root, {"segments", &segments}, {"device_traces", &traces},
                         {"allocator_settings", &settings})) {
        return false;
    }
    struct sw_pickle_walk walk = sw_pickle_walk(&snapshot->pickle, root);
    uint32_t first;
    if (sw_pickle_type(&snapshot->pickle, root) == SW_PICKLE_LIST && sw_pickle_next(&walk, &first) &&
        sw_pickle_type(&snapshot->pickle, first) == SW_PICKLE_DICT) {
        segments = root; /* torch.cuda.memory_snapshot() */
    }
    if (segments == SW_NONE) {
        return snapshot_fail(snapshot, root, "the pickle is no snapshot of memory: there is no key \"segments\"");
    }
    if (!read_segments(snapshot, segments) || (traces != SW_NONE && !read_traces(snapshot, traces))) {
        return false;
    }
    if (!choose_device(snapshot) || !snapshot_settings(snapshot, settings)) {
        return false;
    }
    return snapshot->history ? snapshot_stacks(snapshot) && snapshot_plan(snapshot) && snapshot_hand_over(snapshot)
                             : snapshot_moment(snapshot);
}

/* From JSON it is the pickle that is read, so that places in it mean nothing. */
static bool read_snapshot_json(struct snapshot *snapshot) {
    const struct sw_input *input = snapshot->input;
    struct sw_sink pickled = {0};
    bool good = snapshot_pickle_json(input, &pickled, snapshot->error);
    if (good) {
        struct sw_input values = {.name = input->name, .bytes = pickled.text.items, .length = pickled.text.count};
        snapshot->input = &values;
        good = read_snapshot(snapshot);
        snapshot->input = input;
        char *place = good ? NULL : strstr(snapshot->error->message, " at offset ");
        if (place) {
            *place = '\0';
        }
    }
    sw_sink_done(&pickled);
    return good;
}

static bool pytorch_read(const struct sw_input *input, const struct sw_load_options *options,
                         struct sw_builder *builder, struct sw_error *error) {
    struct snapshot snapshot = {.input = input,
                                .builder = builder,
                                .error = error,
                                .requests = sw_requests_new(),
                                .only = options && options->device ? atoi(options->device) : -1};
    bool json = snapshot_is_json(input);
    bool good = !snapshot.requests ? sw_fail_memory(error)
                : json             ? read_snapshot_json(&snapshot)
                                   : read_snapshot(&snapshot);
    sw_pickle_close(&snapshot.pickle);
    SW_ARRAY_DONE(&snapshot.events, &snapshot.blocks, &snapshot.segments_at_end);
    sw_requests_unref(snapshot.requests);
    SW_ARRAY_DONE(&snapshot.stacks);
    sw_arena_done(&snapshot.arena);
    sw_error_at(good || json ? NULL : error, NULL, 0, 0);
    return good;
}

static bool snapshot_detect(const struct sw_input *input) {
    return sw_pickle_detect(input) || snapshot_is_json(input);
}

const struct sw_format sw_format_pytorch = {
    .name = "pytorch",
    .summary = "PyTorch's snapshot of CUDA memory: from the allocation to, exclusive, the event that "
               "frees; without history a moment",
    .extensions = ".pickle .pkl",
    .most_binary = UINT64_MAX,
    .heeds = SW_HEEDS_DEVICE,
    .detect = snapshot_detect,
    .read = pytorch_read,
};
