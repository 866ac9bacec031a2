/* Along a record: each request is predicted by the rules, compared with what was recorded, and done as recorded. */
#include "planners/online/online.h"

static bool is_growth(const struct sw_request *request) {
    return request->kind == SW_REQUEST_SEGMENT_MADE || request->kind == SW_REQUEST_PAGES_MADE;
}

static bool is_release(const struct sw_request *request) {
    return request->kind == SW_REQUEST_SEGMENT_GONE || request->kind == SW_REQUEST_PAGES_GONE;
}

/* ---- what a heap does as recorded, whatever its rules say ---- */

static bool caching(const struct sw_heap *heap) {
    return heap->kind == &sw_cuda_caching_heap;
}

static bool request_made(struct sw_heap *heap, const struct sw_request *request, uint64_t rounded) {
    return caching(heap) ? sw_caching_made(heap, request, rounded) : sw_bfc_arena_made(heap, request, rounded);
}

static bool carve(struct sw_heap *heap, struct sw_turn *turn, uint64_t address, uint32_t *block) {
    return caching(heap) ? sw_caching_carve(heap, turn, address, block)
                         : sw_bfc_arena_carve(heap, turn, address, block);
}

static bool gone(struct sw_heap *heap, const struct sw_request *request, uint64_t *bytes) {
    return caching(heap) ? sw_caching_gone(heap, request, bytes) : sw_bfc_arena_gone(heap, request, bytes);
}

/* Growth is recorded before the request that it is for. */
void online_record_begin(struct online *online) {
    const struct sw_request *items = online->requests->items.items;
    size_t count = online->requests->items.count, next = online->next, to = next;
    bool releasing = next > 0 && is_release(&items[next - 1]) && is_release(&items[next]);
    online->record = (struct online_record){.predicted = SW_NO_ADDRESS, .releasing = releasing};
    while (to < count && is_growth(&items[to])) {
        to++;
    }
    if (to > next && to < count && items[to].kind == SW_REQUEST_ALLOC) {
        const struct sw_request *alloc = &items[to];
        online->record.from = online->record.at = next;
        online->record.to = to;
        online->next = to;
        online->request = *alloc;
        online->turn.kind = SW_REQUEST_ALLOC;
        online->turn.buffer = alloc->buffer;
        online->turn.size = alloc->size;
        online->turn.stream = alloc->stream;
        online->turn.pool = alloc->pool;
        online->turn.driver = items[next].address;
    }
}

void online_record_end(struct online *online) {
    const struct online_record *record = &online->record;
    if (online->request.kind == SW_REQUEST_ALLOC && online->found != SW_NO_ADDRESS && !record->failed) {
        online->figures.hits++;
        online->figures.growth_hits += record->to > record->from;
    }
}

/* ---- was the growth predicted? ---- */

/* Let a copy of the heap grow, and compare. False: no memory. */
static bool predict_growth(const struct online *online, bool *right) {
    const struct online_record *record = &online->record;
    struct sw_heap *heap = sw_heap_clone(online->heap);
    struct sw_turn turn = online->turn;
    size_t at = record->from;
    bool good = heap != NULL;
    *right = true;
    for (bool more = true; good && *right && more;) {
        struct sw_act act = {.block = SW_NONE, .segment = SW_NONE, .reason = ""};
        good = sw_heap_act(heap, &turn, &act, NULL, NULL);
        const struct sw_request *known = at < record->to ? &online->requests->items.items[at] : NULL;
        bool found = act.kind == SW_ACT_FIND;
        *right = found || (act.kind == SW_ACT_GROW && known && known->size == act.size &&
                           (heap->segments.items[act.segment].page > 0) == (known->kind == SW_REQUEST_PAGES_MADE));
        at += !found;
        if (*right && (found || act.placed)) {
            *right = at == record->to && act.address == online->request.address;
            more = false;
        }
    }
    sw_heap_free(heap);
    return good;
}

/* ---- what was recorded, where the prediction is wrong ---- */

static const char *cause_of(const struct online *online, bool found) {
    const struct online_record *record = &online->record;
    if (!caching(online->heap)) {
        return online->heap->partial     ? "what other requests hold is not in the log"
               : online->heap->elsewhere ? "what is in the regions from before the log is not known"
                                         : "the log leaves something out, or the settings are others";
    }
    if (record->to > record->from) {
        return found ? "it was to fit, and memory was got: the settings may be others, or a block was larger than its "
                       "record tells"
                     : "as much memory was not to be got: the settings may be others";
    }
    return found ? "a block that was freed earlier may have been up to 1 MiB larger than its record tells, or the "
                   "settings are others"
                 : "no free block was known to be large enough: one may be larger than its record tells, or a pool or "
                   "stream is not told";
}

static bool follow_trace(struct online *online, struct sw_act *act, struct sw_error *error) {
    struct online_record *record = &online->record;
    struct sw_turn *turn = &online->turn;
    uint32_t block;
    if (record->at < record->to) {
        const struct sw_request *growth = &online->requests->items.items[record->at++];
        *act = (struct sw_act){.kind = SW_ACT_GROW,
                               .block = SW_NONE,
                               .segment = SW_NONE,
                               .address = growth->address,
                               .size = growth->size,
                               .reason = "as recorded"};
        return request_made(online->heap, growth, turn->rounded) || sw_fail_memory(error);
    }
    if (!carve(online->heap, turn, online->request.address, &block)) {
        return sw_fail_memory(error);
    }
    if (block == SW_NONE) { /* memory that the record does not tell of */
        struct sw_request untold = online->request;
        untold.kind = SW_REQUEST_SEGMENT_MADE;
        untold.size = turn->rounded;
        if (!request_made(online->heap, &untold, turn->rounded) ||
            !carve(online->heap, turn, online->request.address, &block)) {
            return sw_fail_memory(error);
        }
    }
    if (block == SW_NONE) {
        *act = (struct sw_act){.kind = SW_ACT_NOTHING,
                               .last = true,
                               .block = SW_NONE,
                               .segment = SW_NONE,
                               .reason = "the record puts it where another block lies"};
        return true;
    }
    return sw_heap_taken(online->heap, turn, act, record->cause, error);
}

static bool differ(struct online *online, bool found, struct sw_act *act, struct sw_error *error) {
    struct online_record *record = &online->record;
    record->failed = true;
    record->predicted = found ? act->address : SW_NO_ADDRESS;
    record->cause = cause_of(online, found);
    if (found && !(sw_heap_release(online->heap, act->block) && sw_heap_list(online->heap, act->block))) {
        return sw_fail_memory(error);
    }
    return follow_trace(online, act, error);
}

/* ---- the acts ---- */

static bool allocate_request(struct online *online, struct sw_act *act, struct sw_explanation *explain,
                             struct sw_error *error) {
    struct online_record *record = &online->record;
    bool grows = record->to > record->from, right = true;
    if (record->failed && online->found == SW_NO_ADDRESS) {
        return follow_trace(online, act, error);
    }
    if (record->missed && online->found == SW_NO_ADDRESS && record->at == record->from && !record->checked) {
        record->checked = true;
        if (!predict_growth(online, &right)) {
            return sw_fail_memory(error);
        }
        if (!right) {
            return differ(online, false, act, error);
        }
    }
    if (!sw_heap_act(online->heap, &online->turn, act, explain, error)) {
        return false;
    }
    if (act->kind == SW_ACT_FIND && !record->checked && (grows || act->address != online->request.address)) {
        return differ(online, true, act, error);
    }
    record->missed |= act->kind == SW_ACT_MISS;
    return true;
}

bool online_record_act(struct online *online, struct sw_act *act, struct sw_explanation *explain,
                       struct sw_error *error) {
    const struct sw_request *request = &online->request;
    uint64_t bytes;
    *act = (struct sw_act){.block = SW_NONE,
                           .segment = SW_NONE,
                           .address = request->address,
                           .size = request->size,
                           .last = true,
                           .reason = "as recorded"};
    switch ((enum sw_request_kind)request->kind) {
    case SW_REQUEST_ALLOC:
        act->last = false;
        return allocate_request(online, act, explain, error);
    case SW_REQUEST_SEGMENT_GONE:
    case SW_REQUEST_PAGES_GONE:
        act->kind = SW_ACT_RELEASE;
        act->count = 1;
        if (!gone(online->heap, request, &bytes)) {
            return sw_fail_memory(error);
        }
        act->reason = bytes == request->size ? act->reason : "as recorded; what is known says that it was not free";
        return true;
    case SW_REQUEST_SEGMENT_MADE:
    case SW_REQUEST_PAGES_MADE:
        act->kind = SW_ACT_GROW;
        return request_made(online->heap, request, 0) || sw_fail_memory(error);
    case SW_REQUEST_REFUSED:
        act->kind = SW_ACT_FAIL;
        return true;
    default:
        return sw_heap_act(online->heap, &online->turn, act, explain, error);
    }
}
