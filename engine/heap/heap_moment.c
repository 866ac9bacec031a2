/* From a moment to a heap: its segments and blocks as a record would know them (problem/requests.h), its limit, and
 * then requests, one after the other. */
#include "heap/heap_moment.h"
#include "base/base.h"
#include "heap/caching/cuda_caching.h"
#include "heap/caching/known.h"
#include "planners/planner.h"

/* ---- what a heap needs to be told ---- */

/* "small", "large", "private (A, B), small": the pool of a segment of cuda-caching. */
static bool read_pool_words(struct sw_requests *known, const struct sw_moment_segment *from,
                            struct sw_known_segment *to, struct sw_error *error) {
    const char *words = from->pool ? from->pool : "", *open = strstr(words, "private (");
    to->small = strstr(words, "small") != NULL;
    if (!to->small && !strstr(words, "large")) {
        return sw_moment_fail_part(error, "it does not tell whether the segment is of the small or the large pool",
                                   from->address);
    }
    if (to->small && from->size != 2 * SW_MIB && !from->expandable) {
        return sw_moment_fail_part(
            error, "the segment has pages of an expandable one, of which it does not tell the range", from->address);
    }
    if (open) {
        char *end;
        int64_t a = strtoll(open + strlen("private ("), &end, 10), b = *end == ',' ? strtoll(end + 1, NULL, 10) : 0;
        uint32_t pool = sw_requests_pool(known, a, b);
        to->pool = (uint16_t)pool;
        return pool != SW_NONE || sw_fail_memory(error);
    }
    return true;
}

static bool add_known_segment(struct sw_requests *known, const struct sw_moment_segment *from, bool caching,
                              struct sw_error *error) {
    struct sw_known_segment to = {.address = from->address, .size = from->size, .expandable = from->expandable};
    if (caching) {
        char *end = NULL;
        int64_t stream = from->stream ? strtoll(from->stream, &end, 10) : 0;
        if (end && *end) {
            return sw_moment_fail_part(error, "the stream of the segment is no number", from->address);
        }
        to.stream = sw_requests_stream(known, stream);
        if (to.stream == SW_NONE) {
            return sw_fail_memory(error);
        }
        if (!read_pool_words(known, from, &to, error)) {
            return false;
        }
    }
    return SW_PUSH(&known->segments, to) || sw_fail_memory(error);
}

/* The blocks, each of the stream and pool of its segment. */
static bool add_known_blocks(struct sw_requests *known, const struct sw_moment *moment, uint32_t *held) {
    known->blocks.count = 0;
    if (!sw_moment_put_known(moment, known)) {
        return false;
    }
    for (size_t i = 0; i < moment->blocks.count; i++) {
        const struct sw_known_segment *segment = &known->segments.items[moment->blocks.items[i].segment];
        known->blocks.items[i].stream = segment->stream;
        known->blocks.items[i].pool = segment->pool;
        *held += known->blocks.items[i].buffer != SW_NONE;
    }
    return true;
}

/* ---- what bounds it ---- */

/* The bytes of the device that the allocator may have: what it has, and what is free; or all. */
static uint64_t device_of_moment(const struct sw_moment_sums *sums) {
    uint64_t reserved = sums->shown[SW_MOMENT_RESERVED], left = sums->figure[SW_MOMENT_DEVICE_FREE];
    return left != SW_UNTOLD                             ? reserved + left
           : sums->figure[SW_MOMENT_DEVICE] != SW_UNTOLD ? SW_MAX(reserved, sums->figure[SW_MOMENT_DEVICE])
                                                         : SW_UNBOUNDED;
}

static bool find_segment_bounds(const struct sw_moment *moment, struct sw_moment_start *start, uint64_t *limit,
                                uint64_t *device, struct sw_error *error) {
    struct sw_moment_sums sums;
    sw_moment_sum(moment, &sums);
    uint64_t reserved = sums.shown[SW_MOMENT_RESERVED], least = SW_MIN(*limit, *device);
    if (least < reserved) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "a limit of %" PRIu64 " B is less than the %" PRIu64 " B that are reserved", least, reserved);
    }
    if (*limit != SW_UNBOUNDED) {
        start->bound = SW_MOMENT_BOUND_GIVEN;
        return true;
    }
    *device = *device == SW_UNBOUNDED ? device_of_moment(&sums) : *device;
    if (sums.figure[SW_MOMENT_LIMIT] != SW_UNTOLD) {
        *limit = SW_MAX(sums.figure[SW_MOMENT_LIMIT], reserved);
        start->bound = SW_MOMENT_BOUND_TOLD;
    } else if (*device != SW_UNBOUNDED) {
        start->bound = SW_MOMENT_BOUND_TOLD;
    } else if (moment->failure.size != SW_UNTOLD) {
        *limit = reserved;
        start->bound = SW_MOMENT_BOUND_FAILED;
    }
    return true;
}

/* ---- the heap ---- */

/* Where addresses lie in the arena that is shown: the segments one behind the other, then what the device gives. */
static bool stack_segments(const struct sw_heap *heap, struct sw_requests *known) {
    uint64_t base = 0;
    bool good = true;
    for (size_t i = 0; good && i < heap->segments.count; i++) { /* by address, as they were put in */
        const struct sw_heap_segment *segment = &heap->segments.items[i];
        const struct sw_heap_block *last = sw_heap_at(heap, segment->last);
        uint64_t left = SW_MIN(heap->limit, heap->device) - heap->reserved; /* so much more can be mapped */
        uint64_t open = last->state == SW_BLOCK_UNMAPPED ? last->size : 0;
        uint64_t span = segment->span - open + SW_MIN(left, open);
        struct sw_request_window window = {segment->address, segment->address + span, base};
        good = SW_PUSH(&known->windows, window);
        base += span;
    }
    return good && SW_PUSH(&known->windows, (struct sw_request_window){heap->fresh, UINT64_MAX, base});
}

static bool make_heap(const struct sw_moment *moment, const struct sw_planner *planner, const struct sw_params *given,
                      uint64_t limit, uint32_t buffers, struct sw_moment_start *start, struct sw_error *error) {
    bool caching = planner->context == &sw_cuda_caching_heap;
    uint64_t device = SW_UNBOUNDED;
    struct sw_params params = {0};
    if (sw_params_given(given, "device_memory")) {
        device = (uint64_t)sw_params_integer(given, planner, "device_memory");
    }
    if (limit == SW_UNBOUNDED && sw_params_given(given, "limit") &&
        strcmp(sw_params_text(given, planner, "limit"), "none") != 0) {
        limit = (uint64_t)sw_params_integer(given, planner, "limit");
    }
    if (!find_segment_bounds(moment, start, &limit, &device, error)) {
        return false;
    }
    if (!sw_params_copy(&params, given)) {
        return sw_fail_memory(error);
    }
    bool good = !caching ? sw_params_add(&params, moment->settings, error)
                         : !*moment->settings || sw_params_given(&params, "conf") ||
                               sw_params_set(&params, "conf", moment->settings, error);
    good = good && sw_params_check(&params, planner, error);
    start->heap =
        good ? sw_heap_new(planner->context, start->held + buffers, &params, planner, limit, device, error) : NULL;
    sw_params_done(&params);
    return start->heap &&
           (((caching ? sw_caching_known(start->heap, start->known) : sw_bfc_arena_known(start->heap, start->known)) &&
             stack_segments(start->heap, start->known)) ||
            sw_fail_memory(error));
}

static bool has_expandable(const struct sw_moment *moment) {
    bool has = false;
    for (size_t i = 0; i < moment->segments.count; i++) {
        has |= moment->segments.items[i].expandable;
    }
    return has;
}

bool sw_moment_start(const struct sw_moment *moment, const struct sw_requests *after, const struct sw_planner *planner,
                     const struct sw_params *params, uint64_t limit, uint32_t buffers, struct sw_moment_start *start,
                     struct sw_error *error) {
    bool caching = planner->context == &sw_cuda_caching_heap;
    *start = (struct sw_moment_start){.bound = SW_MOMENT_BOUND_NONE};
    if (!sw_planner_goes_on(planner, error)) {
        return false;
    }
    if (moment->planner && strcmp(moment->planner, planner->name) != 0) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "this moment is of an allocator with the rules of %s, not of %s",
                       moment->planner, planner->name);
    }
    if (caching && strstr(moment->settings, "expandable_segments:True") && !has_expandable(moment)) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED,
                       "no request can follow this moment: its segments are expandable, and their ranges are not told");
    }
    start->known = after ? sw_requests_copy(after) : sw_requests_new();
    bool good = start->known || sw_fail_memory(error);
    good = good && sw_moment_is_whole(moment, error);
    for (size_t i = 0; good && i < moment->segments.count; i++) {
        good = add_known_segment(start->known, &moment->segments.items[i], caching, error);
    }
    good = good && (add_known_blocks(start->known, moment, &start->held) || sw_fail_memory(error)) &&
           make_heap(moment, planner, params, limit, buffers, start, error);
    if (!good) {
        sw_moment_start_end(start);
    }
    return good;
}

void sw_moment_start_end(struct sw_moment_start *start) {
    sw_heap_free(start->heap);
    sw_requests_unref(start->known);
    *start = (struct sw_moment_start){.heap = NULL};
}

/* ---- requests ---- */

bool sw_moment_go_on(struct sw_heap *heap, struct sw_turn *turn, struct sw_moment_answer *answer,
                     struct sw_error *error) {
    *answer = (struct sw_moment_answer){.address = SW_NO_ADDRESS, .why = ""};
    for (bool more = true; more;) {
        struct sw_act act = {.block = SW_NONE, .segment = SW_NONE, .reason = ""};
        if (!sw_heap_act(heap, turn, &act, NULL, error)) {
            return false;
        }
        answer->segment += act.kind == SW_ACT_GROW ? act.size : 0;
        answer->refused = act.kind == SW_ACT_REFUSED ? act.size : answer->refused;
        answer->given += act.kind == SW_ACT_RELEASE ? act.size : 0;
        answer->failed |= act.kind == SW_ACT_FAIL;
        bool says = (act.kind == SW_ACT_FIND && answer->segment == 0) || act.kind == SW_ACT_GROW ||
                    act.kind == SW_ACT_FAIL || act.kind == SW_ACT_NOTHING ||
                    (act.kind == SW_ACT_RELEASE && turn->kind == SW_REQUEST_EMPTY);
        answer->why = says ? act.reason : answer->why;
        more = !act.last;
    }
    uint32_t block = turn->kind == SW_REQUEST_ALLOC ? sw_heap_block_of(heap, turn->buffer) : SW_NONE;
    if (block != SW_NONE) {
        const struct sw_heap_block *got = sw_heap_at(heap, block);
        answer->block = got->size;
        /* Where a new segment comes to lie the device decides. */
        if (heap->segments.items[got->segment].made_at == SW_NONE) {
            answer->address = got->address;
        }
    }
    heap->requests += turn->kind == SW_REQUEST_ALLOC;
    return true;
}

/* Of pools of its own, and of what a text tells of the segment alone, it is not known what was looked for. */
static bool is_failure_told(const struct sw_moment_failure *failure) {
    return failure->size != SW_UNTOLD && failure->least == SW_UNTOLD &&
           !(failure->pool && strstr(failure->pool, "private"));
}

bool sw_moment_ask_again(const struct sw_moment *moment, const struct sw_params *params, bool most, bool *served,
                         struct sw_error *error) {
    const struct sw_moment_failure *failure = &moment->failure;
    struct sw_moment_start start;
    struct sw_moment_answer answer;
    const struct sw_planner *planner = moment->planner ? sw_planner_find(moment->planner, error) : NULL;
    if (!planner || !is_failure_told(failure) ||
        !sw_moment_start(moment, NULL, planner, params, SW_UNBOUNDED, 1, &start, error)) {
        return false;
    }
    struct sw_turn turn = SW_TURN_NEW;
    turn.kind = SW_REQUEST_ALLOC;
    turn.buffer = start.held;
    turn.size = most ? SW_MIN(failure->size + failure->about, SW_MAX_BYTES)
                     : failure->size - SW_MIN(failure->size, failure->about);
    turn.stream = sw_requests_stream(start.known, failure->stream ? strtoll(failure->stream, NULL, 10) : 0);
    bool good = (turn.stream != SW_NONE || sw_fail_memory(error)) && sw_moment_go_on(start.heap, &turn, &answer, error);
    *served = good && !answer.failed;
    sw_moment_start_end(&start);
    return good;
}
