/* A snapshot without history is one moment: segments, the blocks in them, and the request that failed last. */
#include "formats/pytorch/pytorch.h"
#include "base/base.h"
#include "heap/caching/cuda_caching.h"
#include "problem/moment/moment.h"

/* Words of pools and streams, as the moment keeps them. NULL: no memory. */
static const char *pool_words(struct snapshot *snapshot, struct sw_moment *moment, uint16_t pool, bool small) {
    const struct sw_request_pool *named = &snapshot->requests->pools.items[pool];
    const char *size = small ? "small" : "large";
    char text[80];
    int length = pool == 0
                     ? snprintf(text, sizeof text, "%s", size)
                     : snprintf(text, sizeof text, "private (%" PRId64 ", %" PRId64 "), %s", named->a, named->b, size);
    return sw_moment_text(moment, text, (size_t)length);
}

static const char *stream_words(struct snapshot *snapshot, struct sw_moment *moment, uint32_t stream) {
    char text[24];
    int length = snprintf(text, sizeof text, "%" PRId64, snapshot->requests->streams.items[stream]);
    return sw_moment_text(moment, text, (size_t)length);
}

static bool add_moment_segments(struct snapshot *snapshot, struct sw_moment *moment) {
    struct sw_moment_told in_use = {.figure = SW_MOMENT_IN_USE}, active = {.figure = SW_MOMENT_ACTIVE};
    bool told = snapshot->segments_at_end.count > 0, good = true;
    for (size_t i = 0; good && i < snapshot->segments_at_end.count; i++) {
        const struct snapshot_segment *known = &snapshot->segments_at_end.items[i];
        struct sw_moment_segment segment = {
            .address = known->known.address,
            .size = known->known.size,
            .pool = known->typed ? pool_words(snapshot, moment, known->known.pool, known->known.small) : NULL,
            .stream = stream_words(snapshot, moment, known->known.stream),
            .expandable = known->known.expandable};
        told = told && known->allocated != SW_UNTOLD && known->active != SW_UNTOLD;
        told = told && !__builtin_add_overflow(in_use.bytes, known->allocated, &in_use.bytes) &&
               !__builtin_add_overflow(active.bytes, known->active, &active.bytes);
        good = (segment.pool || !known->typed) && segment.stream &&
               (segment.size == 0 || sw_moment_add_segment(moment, &segment));
    }
    told = told && in_use.bytes <= SW_MAX_BYTES && active.bytes <= SW_MAX_BYTES;
    return good && (!told || (sw_moment_tell(moment, &in_use) && sw_moment_tell(moment, &active)));
}

static bool add_moment_blocks(struct snapshot *snapshot, struct sw_moment *moment) {
    static const enum sw_held_state held[] = {
        [SW_KNOWN_FREE] = SW_HELD_FREE, [SW_KNOWN_USED] = SW_HELD_USED, [SW_KNOWN_WAITING] = SW_HELD_WAITING};
    bool good = true;
    for (size_t i = 0; good && i < snapshot->blocks.count; i++) {
        const struct snapshot_block *block = &snapshot->blocks.items[i];
        const char *origin = block->state == SW_KNOWN_FREE ? NULL : snapshot_stack_of(snapshot, block->frames);
        struct sw_moment_block add = {
            .address = block->address,
            .size = block->size,
            .requested = block->requested > 0 && block->state != SW_KNOWN_FREE ? block->requested : SW_UNTOLD,
            .count = 1,
            .origin = origin ? sw_moment_text(moment, origin, strlen(origin)) : NULL,
            .segment = SW_NONE,
            .state = held[block->state]};
        good = (!origin || add.origin) && sw_moment_add_block(moment, &add);
    }
    return good;
}

/* Are the words of all pools known, so that the one which serves a request is? */
static bool pools_are_known(const struct snapshot *snapshot, bool has_pool) {
    bool known = true;
    for (size_t i = 0; i < snapshot->segments_at_end.count; i++) {
        const struct snapshot_segment *segment = &snapshot->segments_at_end.items[i];
        known = known && segment->typed && (has_pool || segment->known.pool == 0);
    }
    return known;
}

/* The last event that says that memory ran out. It has the size of the block, which is rounded already. */
static bool tell_moment_failure(struct snapshot *snapshot, struct sw_moment *moment) {
    const struct snapshot_event *oom = NULL;
    for (size_t i = 0; i < snapshot->events.count; i++) {
        oom = snapshot->events.items[i].action == ACTION_OOM ? &snapshot->events.items[i] : oom;
    }
    if (!oom || oom->size == 0) {
        return true;
    }
    struct sw_heap *heap;
    if (!snapshot_rounding(snapshot, &heap)) {
        return false;
    }
    bool small = oom->size <= SW_MIB, pooled = pools_are_known(snapshot, oom->has_pool);
    const char *origin = snapshot_stack_of(snapshot, oom->frames);
    struct sw_moment_failure *failure = &moment->failure;
    failure->size = failure->rounded = oom->size;
    failure->segment =
        small || oom->size < 10 * SW_MIB ? sw_caching_page(heap, small) : sw_heap_up(oom->size, 2 * SW_MIB);
    failure->pool = pooled ? pool_words(snapshot, moment, oom->pool, small) : NULL;
    failure->stream = stream_words(snapshot, moment, oom->stream);
    failure->origin = origin ? sw_moment_text(moment, origin, strlen(origin)) : NULL;
    sw_heap_free(heap);
    struct sw_moment_told device_free = {.figure = SW_MOMENT_DEVICE_FREE, .bytes = oom->address};
    return ((failure->pool || !pooled) && failure->stream && (failure->origin || !origin) &&
            (oom->address == SW_UNTOLD || sw_moment_tell(moment, &device_free))) ||
           sw_fail_memory(snapshot->error);
}

static bool note_moment(const struct snapshot *snapshot) {
    size_t expandable = 0;
    for (size_t i = 0; i < snapshot->segments_at_end.count; i++) {
        expandable += snapshot->segments_at_end.items[i].known.expandable;
    }
    return sw_notef(snapshot->builder, snapshot->error,
                    "a snapshot of PyTorch without history: what its allocator held when it was taken; "
                    "torch.cuda.memory._record_memory_history() before the run makes one with times") &&
           (expandable == 0 || sw_notef(snapshot->builder, snapshot->error, "expandable segments: %zu", expandable)) &&
           (snapshot->devices < 2 ||
            sw_notef(snapshot->builder, snapshot->error,
                     "what is opened is device %" PRIu32 "%s; --device opens another one", snapshot->device,
                     snapshot->only < 0 ? ", the one with the most bytes" : ""));
}

bool snapshot_moment(struct snapshot *snapshot) {
    struct sw_moment *moment = sw_moment_new();
    for (size_t i = 0; i < snapshot->blocks.count; i++) {
        struct snapshot_block *block = &snapshot->blocks.items[i];
        block->frames = block->frames == SW_NONE ? block->past_frames : block->frames;
        block->requested = block->requested == 0 ? block->past_requested : block->requested;
    }
    bool good = (moment != NULL || sw_fail_memory(snapshot->error)) && snapshot_stacks(snapshot);
    good = good && ((add_moment_segments(snapshot, moment) && add_moment_blocks(snapshot, moment)) ||
                    sw_fail_memory(snapshot->error));
    good = good && tell_moment_failure(snapshot, moment);
    if (good) {
        moment->what = "a snapshot of PyTorch without history";
        moment->planner = "cuda-caching";
        moment->settings = sw_moment_text(moment, snapshot->requests->settings, strlen(snapshot->requests->settings));
        good = (moment->settings || sw_fail_memory(snapshot->error)) && sw_moment_settle(moment, snapshot->error) &&
               sw_moment_build(moment, snapshot->builder, snapshot->error) && note_moment(snapshot);
    }
    sw_moment_unref(moment);
    return good;
}
