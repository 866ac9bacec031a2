/* Stepping an online allocator: requests in, decisions out. */
#include "planners/online/online.h"
#include "base/base.h"
#include "base/sort.h"

#include "planners/planner_internal.h"
#include "problem/hot.h"
#include "problem/builder.h"

/* ---- figures ---- */

/* CRC-32 (IEEE 802.3), with which lists of addresses are compared with other programs'. */
static uint32_t crc_more(uint32_t crc, const char *text) {
    crc = ~crc;
    for (; *text; text++) {
        crc ^= (uint8_t)*text;
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
        }
    }
    return ~crc;
}

static void sample_figures(struct online *online) {
    struct online_figures *f = &online->figures;
    const struct sw_heap *heap = online->heap;
    uint64_t waste = heap->reserved - heap->allocated;
    if (heap->reserved > f->reserved || f->samples == 0) {
        f->reserved = heap->reserved;
        f->fragmentation = f->fragmentation_least = waste;
        f->peak_sample = f->samples;
    } else if (heap->reserved == f->reserved && waste < f->fragmentation_least) {
        f->fragmentation_least = waste;
    }
    sw_online_history_add(&online->history, heap, f->samples, online->step, online->wanted);
    f->samples++;
    f->allocated = f->allocated > heap->allocated ? f->allocated : heap->allocated;
    f->active = f->active > heap->active ? f->active : heap->active;
    uint64_t requested = heap->requested + heap->pending; /* until a release is completed */
    f->requested = f->requested > requested ? f->requested : requested;
    f->lower_bound = f->lower_bound > heap->rounded ? f->lower_bound : heap->rounded;
}

/* ---- the requests of a run ---- */

/* What was alive when recording began is asked for first, by address. */
static struct sw_requests *with_before(const struct sw_requests *from) {
    struct sw_requests *to = sw_requests_new();
    bool good = to && SW_RESERVE(&to->items, from->items.count + 2 * from->blocks.count);
    for (size_t i = 0; good && i < from->blocks.count; i++) {
        const struct sw_known_block *block = &from->blocks.items[i];
        struct sw_request request = {.address = SW_NO_ADDRESS,
                                     .size = block->requested,
                                     .buffer = block->buffer,
                                     .stream = block->stream,
                                     .pool = block->pool,
                                     .kind = SW_REQUEST_ALLOC};
        if (block->state != SW_KNOWN_FREE) {
            to->items.items[to->items.count++] = request;
        }
        if (block->state == SW_KNOWN_WAITING) {
            request.kind = SW_REQUEST_FREE_ASKED;
            to->items.items[to->items.count++] = request;
        }
    }
    for (size_t i = 0; good && i < from->items.count; i++) {
        to->items.items[to->items.count++] = from->items.items[i];
    }
    if (!good) {
        sw_requests_unref(to);
        return NULL;
    }
    return to;
}

/* Do the requests tell what this allocator did? */
static bool may_follow(const struct online *online, const struct sw_run *run) {
    const struct sw_heap_kind *kind = online->heap->kind;
    return online->requests->recorded && strcmp(online->requests->allocator, run->planner->name) == 0 &&
           (kind == &sw_cuda_caching_heap || kind == &sw_bfc_arena_heap);
}

/* Would an arena of other settings have got other regions than those in its log? */
static bool has_own_settings(const struct online *online, const struct sw_run *run) {
    for (size_t i = 0; i < run->params->settings.count; i++) {
        if (strcmp(run->params->settings.items[i].key, "start") != 0) {
            return online->heap->kind == &sw_bfc_arena_heap;
        }
    }
    return online->heap->kind == &sw_bfc_arena_heap && online->heap->limit != SW_UNBOUNDED;
}

static bool find_start(struct online *online, const struct sw_run *run) {
    const char *start = sw_params_text(run->params, run->planner, "start");
    bool known = may_follow(online, run), told = strcmp(start, "recorded") == 0;
    if (told && !known) {
        return sw_fail(run->error, SW_ERROR_UNSUPPORTED,
                       "start=recorded is for an allocator on what it recorded itself");
    }
    online->start = strcmp(start, "trace") == 0                                                      ? ONLINE_TRACE
                    : known && strcmp(start, "all") != 0 && (told || !has_own_settings(online, run)) ? ONLINE_RECORDED
                                                                                                     : ONLINE_ALL;
    online->before = online->requests->blocks.count;
    if (online->start == ONLINE_RECORDED) {
        online->compares = online->heap->granted = true;
        online->heap->partial = online->requests->partial;
        return (online->heap->kind == &sw_cuda_caching_heap ? sw_caching_known(online->heap, online->requests)
                                                            : sw_bfc_arena_known(online->heap, online->requests)) ||
               sw_fail_memory(run->error);
    }
    if (online->start == ONLINE_ALL && online->before > 0) {
        struct sw_requests *all = with_before(online->requests);
        if (!all) {
            return sw_fail_memory(run->error);
        }
        sw_requests_unref(online->requests);
        online->requests = all;
    }
    return true;
}

static void pass_over(struct online *);

/* ---- opening ---- */

/* What was there when recording began lies where it lay. */
static bool place_before(struct online *online, struct sw_run *run) {
    for (size_t i = 0; i < online->requests->blocks.count; i++) {
        const struct sw_known_block *block = &online->requests->blocks.items[i];
        if (block->state == SW_KNOWN_FREE || block->buffer == SW_NONE ||
            !sw_problem_buffer(run->problem, block->buffer)->planned) {
            continue;
        }
        if (!sw_layout_place(run->layout, block->buffer, 0, online_shown(online, block->address))) {
            return false;
        }
        online->placed += sw_problem_buffer(run->problem, block->buffer)->size;
    }
    return true;
}

/* Bytes above which nothing is reserved: --capacity, or the parameter. */
static bool find_limit(const struct sw_run *run, uint64_t *limit) {
    uint64_t capacity = sw_problem_tier(sw_problem_origin(run->problem), 0)->capacity, told = SW_UNBOUNDED;
    if (strcmp(sw_params_text(run->params, run->planner, "limit"), "none") != 0) {
        told = (uint64_t)sw_params_integer(run->params, run->planner, "limit");
    }
    *limit = told == SW_UNBOUNDED ? capacity : told;
    return capacity == SW_UNBOUNDED || told == SW_UNBOUNDED || capacity == told ||
           sw_fail(run->error, SW_ERROR_USAGE,
                   "the capacity is %llu B and the parameter limit is %llu B: give one of them",
                   (unsigned long long)capacity, (unsigned long long)told);
}

/* Does every buffer get the alignment that it needs? */
static bool is_aligned(const struct sw_run *run, const struct sw_heap *heap) {
    uint64_t granule = heap->granule;
    for (uint32_t i = 0; i < sw_problem_buffer_count(run->problem); i++) {
        const struct sw_buffer *b = sw_problem_buffer(run->problem, i);
        if (b->planned && b->size > 0 && granule % b->alignment != 0) {
            return sw_fail(run->error, SW_ERROR_UNSUPPORTED,
                           "%s must lie at multiples of %llu, and with these settings %s gives multiples of %llu",
                           b->name, (unsigned long long)b->alignment, run->planner->name, (unsigned long long)granule);
        }
    }
    return true;
}

/* As far as none are given a run has the settings of the allocator that was recorded, where that is this one:
 * cuda-caching along its record, another one in any case. */
static bool take_told(const struct online *online, const struct sw_run *run, struct sw_params *params) {
    const struct sw_requests *requests = online->requests;
    const char *start = sw_params_text(run->params, run->planner, "start");
    if (strcmp(requests->allocator, run->planner->name) != 0) {
        return true;
    }
    if (run->planner->context != &sw_cuda_caching_heap) {
        return sw_params_add(params, requests->settings, run->error);
    }
    bool along = requests->recorded && strcmp(start, "trace") != 0 && strcmp(start, "all") != 0;
    return !along || sw_params_given(params, "conf") || sw_params_set(params, "conf", requests->settings, run->error);
}

static struct sw_heap *new_heap(const struct online *online, const struct sw_run *run, uint64_t limit,
                                uint64_t device) {
    struct sw_params params = {0};
    struct sw_heap *heap = NULL;
    if (!sw_params_copy(&params, run->params)) {
        sw_fail_memory(run->error);
    } else if (take_told(online, run, &params)) {
        heap = sw_heap_new(run->planner->context, sw_problem_buffer_count(run->problem), &params, run->planner, limit,
                           device, run->error);
    }
    sw_params_done(&params);
    return heap;
}

/* The heap as the moment shows it, and the requests with it. */
static bool begin_with_moment(struct online *online, const struct sw_run *run, uint64_t limit) {
    const struct sw_moment *moment = online->requests->moment;
    struct sw_moment_start start;
    const char *where = sw_params_text(run->params, run->planner, "start");
    if (strcmp(where, "trace") == 0 || strcmp(where, "all") == 0) {
        return sw_fail(run->error, SW_ERROR_UNSUPPORTED,
                       "start=%s: requests that follow a moment begin with what it shows", where);
    }
    if (!sw_moment_start(moment, online->requests, run->planner, run->params, limit,
                         sw_problem_buffer_count(run->problem), &start, run->error)) {
        return false;
    }
    sw_requests_unref(online->requests);
    online->requests = start.known;
    online->heap = start.heap;
    online->start = ONLINE_RECORDED;
    online->bound = start.bound;
    online->before = start.known->blocks.count;
    return true;
}

SW_POINTED(heap, struct sw_heap, sw_heap_free, sw_heap_clone, sw_heap_digest, sw_heap_bytes)

static void requests_drop(void *requests) {
    sw_requests_unref(requests);
}

static void *requests_copy(const void *requests) {
    return sw_requests_ref(requests);
}

static const struct sw_pointed requests_pointed = {.drop = requests_drop, .copy = requests_copy};
#define STATE struct sw_turn
static const struct sw_described turn_described = {SW_STRUCT, .fields = SW_FIELDS(SW_KEPT(kind, again), SW_TOLD(at))};
#undef STATE
#define STATE struct online
const struct sw_described online_described = {
    SW_STRUCT, .fields = SW_FIELDS(
                   SW_POINTER(requests, &requests_pointed), SW_POINTER(heap, &heap_pointed), SW_KEPT(start, before),
                   SW_TOLD(next), SW_KEPT(step, refused), SW_TOLD(busy), SW_TOLD(asked), SW_KEPT(grew, grew),
                   SW_PART(turn, &turn_described), SW_KEPT(request, wanted), SW_TOLD(figures.reserved),
                   SW_KEPT(figures.allocated, figures.peak_sample), SW_TOLD(figures.crc), SW_KEPT(history, history))};
#undef STATE

bool online_open(void *state, struct sw_run *run) {
    struct online *online = state;
    uint64_t limit, device = SW_UNBOUNDED;
    if (!find_limit(run, &limit)) {
        return false;
    }
    if (*sw_params_text(run->params, run->planner, "device_memory")) {
        device = (uint64_t)sw_params_integer(run->params, run->planner, "device_memory");
    }
    online->refused = online->dying_at = SW_NONE;
    bool graph = run->planner->context == &sw_ggml_dyn_heap && online_ggml_orders(run->problem);
    online->requests = graph ? online_ggml_requests(run->problem) : sw_problem_requests(run->problem);
    online->exact = graph;
    if (!online->requests) {
        return sw_fail_memory(run->error);
    }
    bool follows = online->requests->moment != NULL;
    online->heap = follows ? NULL : new_heap(online, run, limit, device);
    if ((follows ? !begin_with_moment(online, run, limit) : !online->heap) || !is_aligned(run, online->heap) ||
        (!follows && !find_start(online, run))) {
        return false;
    }
    pass_over(online);
    if (online->compares && (online->requests->partial || online->heap->elsewhere > 0)) {
        sw_layout_set_shared(run->layout);
    }
    if (online->start == ONLINE_RECORDED && !place_before(online, run)) {
        return sw_fail_memory(run->error);
    }
    sample_figures(online);
    sw_layout_set_arena(run->layout, 0, online->heap->reserved);
    return true;
}

/* With start=trace what was there before the recording is no part of the run. */
static bool forgets(const struct sw_problem *problem, const struct sw_params *params) {
    bool trace = false, before = false;
    for (size_t i = 0; params && i < params->settings.count; i++) {
        const struct sw_setting *setting = &params->settings.items[i];
        trace |= strcmp(setting->key, "start") == 0 && strcmp(setting->value, "trace") == 0;
    }
    for (uint32_t i = 0; trace && !before && i < sw_problem_buffer_count(problem); i++) {
        before = sw_problem_buffer(problem, i)->before;
    }
    return before;
}

/* Addresses of segments are no offsets in one arena: what is bounded is what is reserved, which the heap sees to. */
const struct sw_problem *online_derive(const struct sw_problem *problem, const struct sw_params *params,
                                       struct sw_error *error) {
    const struct sw_tier *tier = sw_problem_tier(problem, 0);
    bool forget = forgets(problem, params);
    if ((tier->capacity == SW_UNBOUNDED && !forget) || sw_problem_tier_count(problem) > 1) {
        return sw_problem_ref(problem);
    }
    struct sw_builder *builder = sw_builder_from(problem, error);
    struct sw_problem *derived = NULL;
    if (builder) {
        sw_builder_capacity(builder, SW_UNBOUNDED);
        if (forget) {
            sw_builder_forget_before(builder);
        }
        derived = sw_builder_finish_derived(builder, problem, NULL, error);
    }
    sw_builder_free(builder);
    return derived;
}

/* ---- from request to request ---- */

/* What is reserved in segments that the record does not show. */
static void count_elsewhere(struct sw_heap *heap, const struct sw_request *request) {
    uint64_t less = request->size < heap->elsewhere ? request->size : heap->elsewhere;
    heap->elsewhere += request->kind == SW_REQUEST_SEGMENT_MADE ? request->size : -less;
    heap->reserved += request->kind == SW_REQUEST_SEGMENT_MADE ? request->size : -less;
}

/* Pass over requests that do not concern the heap. */
static void pass_over(struct online *online) {
    const struct sw_requests *requests = online->requests;
    for (; online->next < requests->items.count; online->next++) {
        const struct sw_request *request = &requests->items.items[online->next];
        bool segment = request->kind == SW_REQUEST_SEGMENT_MADE || request->kind == SW_REQUEST_SEGMENT_GONE;
        if (online->compares && segment && request->address == SW_NO_ADDRESS) {
            count_elsewhere(online->heap, request);
            continue;
        }
        if (online->compares && request->kind == SW_REQUEST_EMPTY) {
            continue; /* what it gave back is recorded */
        }
        bool has = sw_heap_block_of(online->heap, request->buffer) != SW_NONE;
        if (request->kind == SW_REQUEST_ALLOC || request->kind == SW_REQUEST_OVER ||
            request->kind == SW_REQUEST_EMPTY || request->kind == SW_REQUEST_MARK ||
            (request->kind <= SW_REQUEST_FREE_COMPLETED ? has : online->compares)) {
            return;
        }
    }
}

/* The next request, into `turn`. False: there is none. */
static bool begin_request(struct online *online) {
    if (online->next >= online->requests->items.count) {
        return false;
    }
    struct sw_request request = online->requests->items.items[online->next];
    if (request.kind == SW_REQUEST_OVER && !sw_heap_can_take_over(online->heap, request.over, request.size)) {
        /* What it was to be written over got no memory, or by the rules of another heap its block is too small: it asks
         * for its own. */
        request.kind = SW_REQUEST_ALLOC;
        request.over = SW_NONE;
    }
    online->turn = SW_TURN_NEW;
    online->turn.kind = request.kind;
    online->turn.buffer = request.buffer;
    online->turn.over = request.over;
    online->turn.size = request.size;
    online->turn.stream = request.stream;
    online->turn.pool = request.pool;
    online->request = request;
    online->busy = true;
    online->asked = online->grew = false;
    online->found = SW_NO_ADDRESS;
    if (online->compares) {
        online_record_begin(online);
    }
    return true;
}

/* Bytes of the buffers given back at the time of this request, which are not alive any more while it is served. */
static void count_dying(struct online *online, const struct sw_problem *problem) {
    const struct sw_requests *requests = online->requests;
    uint32_t time = online->request.time;
    if (time == online->dying_at) {
        return;
    }
    online->dying_at = time;
    online->dying = 0;
    online->over = online->requests->implied ? time >= sw_problem_steps(problem)
                                             : (int64_t)time >= sw_problem_time(problem, sw_problem_steps(problem));
    if (online->over) {
        return;
    }
    for (size_t i = online->next; i < requests->items.count && requests->items.items[i].time == time; i++) {
        const struct sw_request *request = &requests->items.items[i];
        bool ends = request->kind == SW_REQUEST_FREE || request->kind == SW_REQUEST_FREE_COMPLETED;
        if (ends && sw_heap_block_of(online->heap, request->buffer) != SW_NONE) {
            const struct sw_buffer *b = sw_problem_buffer(problem, request->buffer);
            online->dying += b->planned ? b->size : 0;
        }
    }
}

/* The same as a buffer loses its place. */
static void lose_place(struct online *online, const struct sw_problem *problem, uint32_t buffer) {
    const struct sw_buffer *b = sw_problem_buffer(problem, buffer);
    uint64_t size = b->planned && !online->over ? b->size : 0;
    online->placed -= size < online->placed ? size : online->placed;
    online->dying -= size < online->dying ? size : online->dying;
}

/* Placed bytes that are alive. */
static uint64_t online_live(struct online *online, struct sw_run *run, uint32_t step) {
    if (sw_problem_simple(run->problem) && !online->exact) {
        return online->placed - online->dying;
    }
    run->work += sw_problem_alive_count(run->problem, step, step);
    return sw_live_at(&online->live, run->layout, step, online->request.buffer);
}

static uint32_t request_step(struct online *online, const struct sw_problem *problem) {
    uint32_t steps = sw_problem_steps(problem);
    if (!sw_problem_told_requests(problem)) {
        online->step = online->request.time;
    } else {
        while (online->step + 1 < steps &&
               sw_problem_time(problem, online->step + 1) <= (int64_t)online->request.time) {
            online->step++;
        }
    }
    return online->step < steps ? online->step : steps ? steps - 1 : 0;
}

/* The request is served. */
static void end_request(struct online *online, const struct sw_act *last) {
    struct online_figures *f = &online->figures;
    char text[32];
    online->busy = false;
    online->next++;
    if (online->request.kind == SW_REQUEST_ALLOC || online->request.kind == SW_REQUEST_OVER) {
        online->heap->requests++;
        online->wanted = online->turn.rounded ? online->turn.rounded : online->wanted;
        f->allocs++;
        f->grown += online->grew;
        if (online->found == SW_NO_ADDRESS) {
            snprintf(text, sizeof text, "-1\n");
        } else {
            snprintf(text, sizeof text, "%llu\n", (unsigned long long)online->found);
        }
        f->crc = crc_more(f->crc, text);
    }
    if (last->kind == SW_ACT_FAIL) {
        f->ooms++;
        f->failed += online->request.size;
        online->refused = online->refused == SW_NONE ? online->request.buffer : online->refused;
    }
    if (online->compares) {
        online_record_end(online);
    }
    sample_figures(online);
    pass_over(online);
}

/* ---- acts to decisions ---- */

uint64_t online_shown(const struct online *online, uint64_t address) {
    const struct sw_requests *requests = online->requests;
    bool told = online->start == ONLINE_RECORDED;
    size_t above = SW_FIRST(i, told ? requests->windows.count : 0, requests->windows.items[i].lo > address);
    const struct sw_request_window *window = above > 0 ? &requests->windows.items[above - 1] : NULL;
    return window && address < window->hi ? window->base + (address - window->lo) : address;
}

static bool place_found(struct online *online, struct sw_run *run, const struct sw_act *act) {
    const struct sw_buffer *b = sw_problem_buffer(run->problem, online->request.buffer);
    uint64_t offset = online_shown(online, act->address);
    online->found = act->address;
    if (!b->planned) {
        return true;
    }
    online->placed += b->size;
    return sw_layout_place(run->layout, online->request.buffer, 0, offset) || sw_fail_memory(run->error);
}

/* A request for 0 bytes gets nothing, and lies nowhere: at 0. */
static bool place_nothing(const struct online *online, struct sw_run *run) {
    const struct sw_request *request = &online->request;
    return request->kind != SW_REQUEST_ALLOC || request->size > 0 ||
           !sw_problem_buffer(run->problem, request->buffer)->planned ||
           sw_layout_place(run->layout, request->buffer, 0, 0);
}

static void translate_act(struct online *online, const struct sw_problem *problem, const struct sw_act *act,
                          struct sw_decision *d) {
    static const enum sw_decision_kind kind_of_act[] = {
        [SW_ACT_ROUND] = SW_DECISION_ROUND,     [SW_ACT_FIND] = SW_DECISION_FIND,
        [SW_ACT_MISS] = SW_DECISION_MISS,       [SW_ACT_SPLIT] = SW_DECISION_SPLIT,
        [SW_ACT_GROW] = SW_DECISION_GET,        [SW_ACT_REFUSED] = SW_DECISION_REFUSED,
        [SW_ACT_RELEASE] = SW_DECISION_GIVE,    [SW_ACT_FAIL] = SW_DECISION_FAIL,
        [SW_ACT_NOTHING] = SW_DECISION_NOTHING, [SW_ACT_FREE] = SW_DECISION_FREE,
        [SW_ACT_WAIT] = SW_DECISION_WAIT,       [SW_ACT_OVER] = SW_DECISION_TAKE_OVER,
        [SW_ACT_MERGE] = SW_DECISION_MERGE_FREE};
    const struct online_record *record = &online->record;
    const struct sw_heap *heap = online->heap;
    sw_decision_become(d, kind_of_act[act->kind]);
    d->offset = online_shown(online, act->address);
    d->tier =
        act->kind == SW_ACT_ROUND || act->kind == SW_ACT_MISS || act->kind == SW_ACT_REFUSED || act->kind == SW_ACT_FAIL
            ? SW_NONE
            : 0;
    d->size = act->size;
    d->reason = act->reason;
    bool differs = online->compares && record->cause && online->request.kind == SW_REQUEST_ALLOC;
    switch (act->kind) {
    case SW_ACT_ROUND:
        d->round.before = act->before;
        break;
    case SW_ACT_FIND:
        d->find.recorded = differs ? online->request.address : 0;
        d->find.predicted = differs && record->predicted != SW_NO_ADDRESS ? record->predicted : 0;
        d->reason = differs ? record->cause : d->reason;
        break;
    case SW_ACT_GROW:
        d->get.delta = act->size;
        d->get.placed = act->placed;
        break;
    case SW_ACT_RELEASE:
        d->give.count = act->count;
        break;
    case SW_ACT_SPLIT:
        d->split.kept = online->turn.rounded;
        break;
    case SW_ACT_MISS:
        d->miss.looked = online->turn.looked;
        break;
    case SW_ACT_REFUSED:
        d->refused.delta = act->size;
        break;
    case SW_ACT_FREE:
        d->freed.requested = sw_problem_buffer(problem, online->request.buffer)->asked;
        break;
    case SW_ACT_WAIT:
        d->waits.requested = sw_problem_buffer(problem, online->request.buffer)->asked;
        break;
    case SW_ACT_NOTHING:
        d->nothing.nothing = true;
        break;
    case SW_ACT_OVER:
        d->take_over.over = online->request.over;
        break;
    case SW_ACT_MERGE:
        d->merge_free.before = act->before;
        break;
    case SW_ACT_FAIL:
        d->fail.reserved = heap->reserved;
        d->fail.allocated = heap->allocated;
        d->fail.largest = sw_heap_largest_free(heap);
        break;
    }
}

static void count_segments(struct online *online, const struct sw_act *act) {
    struct online_figures *f = &online->figures;
    if (act->kind == SW_ACT_GROW) {
        f->segments_grown++;
    } else if (act->kind == SW_ACT_RELEASE && act->count > 0) {
        f->segments_freed += act->count;
        f->releases += !online->record.releasing;
    }
}

static enum sw_step ask_request(struct online *online, struct sw_decision *d) {
    online->asked = true;
    sw_decision_become(d, SW_DECISION_ASK);
    d->size = online->request.size;
    d->ask.stream = online->requests->streams.count > 1 ? online->request.stream : SW_NONE;
    d->reason = "the next request";
    return SW_STEP_MORE;
}

/* Tried on a copy of the run before it is demanded (sw_search_force). */
static enum sw_step fail_choice(const struct sw_run *run) {
    return SW_STEP_FAIL(run, SW_ERROR_UNSUPPORTED, "this decision looks at no free blocks: there is nothing to choose");
}

/* The program's own event asks the allocator for nothing. */
static enum sw_step remark(struct online *online, const struct sw_run *run, struct sw_decision *d) {
    const struct sw_requests *told = sw_problem_told_requests(run->problem); /* lives as long as the journal */
    sw_decision_become(d, SW_DECISION_REMARK);
    d->reason = told && online->request.over < told->marks.count ? told->marks.items[online->request.over].text : "";
    online->busy = false;
    online->next++;
    pass_over(online);
    return SW_STEP_MORE;
}

enum sw_step online_step(void *state, struct sw_run *run, struct sw_decision *d) {
    struct online *online = state;
    struct sw_act act;
    for (;;) {
        if (!online->busy && !begin_request(online)) {
            break;
        }
        sw_decision_clear(d);
        d->buffer = online->request.buffer;
        d->time = request_step(online, run->problem);
        count_dying(online, run->problem);
        d->live = online_live(online, run, d->time);
        run->work++;
        if (online->request.kind == SW_REQUEST_MARK) {
            return run->choice < 0 ? remark(online, run, d) : fail_choice(run);
        }
        if (online->request.kind == SW_REQUEST_ALLOC && !online->asked) {
            return run->choice < 0 ? ask_request(online, d) : fail_choice(run);
        }
        act = (struct sw_act){.block = SW_NONE, .segment = SW_NONE, .reason = ""};
        online->turn.choice = online->turn.choice < 0 ? run->choice : online->turn.choice;
        uint64_t reserved = online->heap->reserved;
        if (!(online->compares ? online_record_act(online, &act, run->explain, run->error)
                               : sw_heap_act(online->heap, &online->turn, &act, run->explain, run->error))) {
            return SW_STEP_FAILED;
        }
        online->grew |= online->heap->reserved > reserved;
        if (act.kind == SW_ACT_FIND || act.kind == SW_ACT_MISS) {
            d->candidates = online->turn.looked;
        } else if (run->choice >= 0) {
            return fail_choice(run);
        }
        for (size_t i = 0; run->explain && i < run->explain->candidates.count; i++) {
            run->explain->candidates.items[i].offset = online_shown(online, run->explain->candidates.items[i].offset);
        }
        bool placed = act.kind == SW_ACT_FIND || act.kind == SW_ACT_OVER || (act.kind == SW_ACT_GROW && act.placed);
        if (placed && !place_found(online, run, &act)) {
            return SW_STEP_FAILED;
        }
        if (act.kind == SW_ACT_NOTHING && !place_nothing(online, run)) {
            return sw_step_memory(run);
        }
        if (act.kind == SW_ACT_OVER) {
            lose_place(online, run->problem, online->request.over);
        } else if (act.kind == SW_ACT_FREE) {
            lose_place(online, run->problem, online->request.buffer);
        }
        d->live = online_live(online, run, d->time);
        translate_act(online, run->problem, &act, d);
        count_segments(online, &act);
        if (act.last) {
            end_request(online, &act);
        }
        sw_layout_set_arena(run->layout, 0,
                            online->figures.reserved > online->heap->reserved ? online->figures.reserved
                                                                              : online->heap->reserved);
        if (act.kind != SW_ACT_NOTHING || online->request.kind == SW_REQUEST_ALLOC) {
            return SW_STEP_MORE;
        }
    }
    if (online->refused != SW_NONE) {
        return SW_STEP_FAIL(run, SW_ERROR_INFEASIBLE,
                            "out of memory: %llu of %llu requests got nothing, the first of them %s",
                            (unsigned long long)online->figures.ooms, (unsigned long long)online->figures.allocs,
                            sw_problem_buffer(run->problem, online->refused)->name);
    }
    return SW_STEP_DONE;
}

/* ---- the rest of the table ---- */

bool online_constrain(void *state, struct sw_run *run, const struct sw_override *override) {
    (void)state;
    return override->kind == SW_OVERRIDE_CHOOSE || sw_fail(run->error, SW_ERROR_UNSUPPORTED,
                                                           "%s chooses addresses by its rules; one can choose another "
                                                           "candidate of a find, change a setting, or the "
                                                           "size of a buffer",
                                                           run->planner->name);
}
