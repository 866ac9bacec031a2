/* bfc-arena: best fit with coalescing, the arena of ONNX Runtime, which began as TensorFlow's allocator.
 *
 * Memory comes from the device in regions (segments), each about twice as large as the one before, and stays. Free
 * chunks (blocks) of all regions are kept by size, then address.
 *
 * - A size is rounded up to a multiple of 256.
 * - A request takes the smallest free chunk that is large enough, the lowest among equals. The real code sorts
 *   chunks into 21 bins by powers of two and walks the bins upwards, which finds the same chunk.
 * - The chunk is split if it is at least twice as large as needed, or if `max_dead` bytes would be wasted. Else the
 *   request gets all of it: up to half of a used chunk may be dead.
 * - If none is large enough, a region is made, and the search starts again. `cur` is the size of the next region. It
 *   doubles until the request fits, or once after a region for which it was large enough as it was. Under
 *   same-as-requested a region is as large as the request.
 * - If the device refuses, less and less is asked for, a tenth at a time, as long as the request would fit.
 * - A freed chunk merges with its free neighbors. Regions do not merge.
 * - On demand (a request `empty_cache`) regions without a used chunk are given back, but under next-power-of-two
 *   never the first; `cur` starts again at `growth_after_shrink`.
 *
 * Streams. A chunk belongs to no stream when it is made, and to the stream of a request that takes it from then on;
 * what is split off stays with the chunk's owner. A request may take chunks of its own stream and those that belong to
 * none, and chunks of different owners do not merge. Stream 0 stands for "no stream". The real code also lets a stream
 * take chunks of another one for which it has waited; requests do not tell of waiting, so here no stream has waited.
 *
 * TensorFlow (`flavor` tensorflow) starts at 2 MiB, or at the whole limit where memory may not grow; doubles `cur`
 * without an upper bound, and only after the device has agreed; does not shrink on demand; but before it gives up it
 * returns all free regions and tries once more (`garbage_collection`). Where the device promises neighboring addresses
 * (`coalesce_regions`), a region extends the one right before it.
 *
 * What to watch. Doubling: late in a run a small request can make a region of a GiB. And the first large request after
 * a series of small ones finds no region with room for it, however much is free in all of them together.
 *
 * Source: ONNX Runtime, core/framework/bfc_arena.cc; TensorFlow, bfc_allocator.cc. */
#include "heap/kinds.h"
#include "base/base.h"
#include "heap/caching/known.h"

#define KIB UINT64_C(1024)
#define BFC_MIB (KIB * KIB)
enum { UNIT = 256, LEAST_RETRY = 8192 };
struct bfc_arena {
    uint64_t cur; /* bytes of the next region */
    uint64_t max_dead, after_shrink, max_extend;
    bool doubles; /* next-power-of-two */
    bool tensorflow, collects, coalesces;
};

const struct sw_parameter sw_bfc_arena_parameters[] = {
    {"flavor", SW_PARAMETER_CHOICE, "onnxruntime", 0, 0, (const char *const[]){"onnxruntime", "tensorflow", NULL},
     "Which arena: that of ONNX Runtime, or that of TensorFlow, from which it comes"},
    {"strategy", SW_PARAMETER_CHOICE, "next-power-of-two", 0, 0,
     (const char *const[]){"next-power-of-two", "same-as-requested", NULL},
     "How large a new region is: each twice the one before, or just as large as the request"},
    {"initial", SW_PARAMETER_INTEGER, "auto", 1, (double)SW_MAX_BYTES, (const char *const[]){"auto", NULL},
     "Bytes of the first region; auto: 1 MiB; of TensorFlow 2 MiB, or the limit without allow_growth"},
    {"max_dead", SW_PARAMETER_INTEGER, "auto", 0, (double)SW_MAX_BYTES, (const char *const[]){"auto", NULL},
     "A chunk is split if so many bytes would be wasted; auto: 128 MiB, or fragmentation_fraction of the limit"},
    {"growth_after_shrink", SW_PARAMETER_INTEGER, "2097152", 1, (double)SW_MAX_BYTES, NULL,
     "ONNX Runtime: bytes of the next region after a shrink"},
    {"max_extend", SW_PARAMETER_INTEGER, "auto", 1, (double)SW_MAX_BYTES, (const char *const[]){"auto", NULL},
     "ONNX Runtime: doubling ends here; auto: 1 GiB"},
    {"allow_growth", SW_PARAMETER_BOOL, "true", 0, 0, NULL,
     "TensorFlow: false makes the first region as large as the limit"},
    {"fragmentation_fraction", SW_PARAMETER_NUMBER, "0", 0, 1, NULL,
     "TensorFlow: the part of the limit that may be wasted in a chunk; 0: max_dead says it"},
    {"garbage_collection", SW_PARAMETER_BOOL, "false", 0, 0, NULL,
     "TensorFlow: free regions are given back before a request fails"},
    {"coalesce_regions", SW_PARAMETER_BOOL, "false", 0, 0, NULL,
     "TensorFlow: a region extends the one right before it"},
    SW_ONLINE_PARAMETERS,
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

/* Settings of the other flavor are refused: they would do nothing. */
bool sw_bfc_arena_legal(const struct sw_params *params, const struct sw_planner *planner, struct sw_error *error) {
    static const char *const theirs[2][5] = {
        {"allow_growth", "fragmentation_fraction", "garbage_collection", "coalesce_regions"},
        {"strategy", "growth_after_shrink", "max_extend"}};
    bool tensorflow = strcmp(sw_params_text(params, planner, "flavor"), "tensorflow") == 0;
    for (const char *const *name = theirs[tensorflow]; *name; name++) {
        if (sw_params_given(params, *name)) {
            return sw_fail(error, SW_ERROR_USAGE, "%s belongs to flavor %s", *name,
                           tensorflow ? "onnxruntime" : "tensorflow");
        }
    }
    return true;
}

/* A number, or what "auto" stands for. */
static uint64_t number_or_auto(const struct sw_params *params, const struct sw_planner *planner, const char *key,
                               uint64_t automatic) {
    bool is_auto = strcmp(sw_params_text(params, planner, key), "auto") == 0;
    return is_auto ? automatic : (uint64_t)sw_params_integer(params, planner, key);
}

static bool bfc_open(struct sw_heap *heap, const struct sw_params *params, const struct sw_planner *planner,
                     struct sw_error *error) {
    struct bfc_arena *own = heap->own;
    heap->granule = UNIT;
    own->tensorflow = strcmp(sw_params_text(params, planner, "flavor"), "tensorflow") == 0;
    own->doubles = own->tensorflow || strcmp(sw_params_text(params, planner, "strategy"), "next-power-of-two") == 0;
    own->collects = own->tensorflow && sw_params_bool(params, planner, "garbage_collection");
    own->coalesces = own->tensorflow && sw_params_bool(params, planner, "coalesce_regions");
    own->after_shrink = (uint64_t)sw_params_integer(params, planner, "growth_after_shrink");
    own->max_extend = number_or_auto(params, planner, "max_extend", KIB * BFC_MIB);
    bool whole = own->tensorflow && !sw_params_bool(params, planner, "allow_growth");
    double fraction = own->tensorflow ? sw_params_number(params, planner, "fragmentation_fraction") : 0;
    if ((whole || fraction > 0) && heap->limit == SW_UNBOUNDED) {
        return sw_fail(error, SW_ERROR_USAGE, "%s needs a limit",
                       whole ? "allow_growth=false" : "fragmentation_fraction");
    }
    uint64_t initial =
        number_or_auto(params, planner, "initial", own->tensorflow ? whole ? heap->limit : 2 * BFC_MIB : BFC_MIB);
    own->cur = sw_heap_up(initial < heap->limit ? initial : heap->limit, UNIT);
    uint64_t dead = fraction > 0 ? (uint64_t)(fraction * (double)heap->limit) : 128 * BFC_MIB;
    own->max_dead = number_or_auto(params, planner, "max_dead", dead);
    return true;
}

static uint64_t bfc_round_up(const struct sw_heap *heap, uint64_t size, const char **reason) {
    (void)heap;
    *reason = "up to a multiple of 256";
    return sw_heap_up(size, UNIT);
}

/* ---- finding ---- */

static bool may_use(const struct sw_turn *turn, const struct sw_heap_block *block) {
    return block->stream == 0 || block->stream == turn->stream;
}

static const char *bfc_judge(const struct sw_heap *heap, const struct sw_turn *turn, uint32_t block, uint32_t best,
                             bool *fits) {
    const struct sw_heap_block *b = sw_heap_at(heap, block);
    *fits = b->size >= turn->rounded && may_use(turn, b);
    if (!*fits) {
        return b->size < turn->rounded ? "too small" : "it belongs to another stream";
    }
    return block == best                             ? "the smallest that is large enough"
           : b->size == sw_heap_at(heap, best)->size ? "just as large, but it lies higher"
                                                     : "larger than needed: a smaller one fits";
}

static bool bfc_pick(struct sw_heap *heap, struct sw_turn *turn, const char **reason, struct sw_explanation *explain,
                     struct sw_error *error) {
    struct sw_ordered_place place;
    const struct sw_ordered_entry *e = sw_ordered_from(&heap->free, (struct sw_key){turn->rounded, 0, 0}, &place);
    *reason = e ? "each that is large enough belongs to another stream" : "no free chunk is large enough";
    while (e && !may_use(turn, sw_heap_at(heap, e->block))) {
        e = sw_ordered_next(&heap->free, &place);
    }
    *reason = e                  ? "the smallest free chunk that is large enough"
              : heap->free.count ? *reason
                                 : "there is no free chunk";
    return sw_heap_settle(heap, turn, e ? e->block : SW_NONE, bfc_judge, explain, error);
}

static uint64_t bfc_keeps(const struct sw_heap *heap, const struct sw_turn *turn, const char **reason) {
    const struct bfc_arena *own = heap->own;
    uint64_t size = sw_heap_at(heap, turn->block)->size, rest = size - turn->rounded;
    *reason =
        rest >= turn->rounded ? "the chunk is at least twice as large as needed" : "too much of it would be wasted";
    return rest >= turn->rounded || rest >= own->max_dead ? turn->rounded : size;
}

/* ---- growing ---- */

/* turn->stage: what comes next, and two things to be remembered. */
enum { ASK, ASK_LESS, GIVE_UP, BFC_STEP = 3, RAISED = 4, COLLECTED = 8 };

/* From 0, which a recorded region of no bytes leaves behind, sizes go on as from the least one. */
static uint64_t doubled(uint64_t n) {
    return n == 0 ? UNIT : n > UINT64_MAX / 2 ? n : 2 * n;
}

/* The size of the next region. */
static uint64_t region_size(struct bfc_arena *own, struct sw_turn *turn, uint64_t room) {
    if (!own->doubles) {
        return turn->rounded;
    }
    while (turn->rounded > own->cur) {
        own->cur = doubled(own->cur);
        turn->stage |= RAISED;
    }
    uint64_t size = own->cur < room ? own->cur : room;
    if (!own->tensorflow && !(turn->stage & RAISED)) {
        own->cur = doubled(own->cur) < own->max_extend ? doubled(own->cur) : own->max_extend;
    }
    return size;
}

/* A tenth less; 0: it is not worth asking for. In single precision, as the real code has it. */
static uint64_t less_asked(const struct bfc_arena *own, const struct sw_turn *turn) {
    uint64_t size = sw_heap_up((uint64_t)((float)turn->asked * 0.9F), UNIT);
    bool worth = size >= turn->rounded && size < turn->asked && (own->tensorflow || size >= LEAST_RETRY);
    return worth ? size : 0;
}

/* A free chunk over a new region, or over what is new in an extended one. SW_NONE: no memory. */
static uint32_t make_region(struct sw_heap *heap, struct sw_turn *turn, uint64_t size) {
    const struct bfc_arena *own = heap->own;
    uint64_t address = turn->driver == SW_NO_ADDRESS ? heap->fresh : turn->driver;
    heap->fresh = address + size > heap->fresh ? address + size : heap->fresh;
    for (uint32_t s = 0; own->coalesces && s < heap->segments.count; s++) {
        const struct sw_heap_segment *segment = &heap->segments.items[s];
        if (segment->live && segment->address + segment->size == address) {
            return sw_heap_append(heap, s, size);
        }
    }
    uint32_t segment = sw_heap_segment_add(heap, address, size, false);
    return segment == SW_NONE ? SW_NONE : heap->segments.items[segment].first;
}

static bool bfc_can_merge(const struct sw_heap *heap, uint32_t block);
static uint32_t bfc_merge(struct sw_heap *heap, uint32_t block);

static bool ask_device(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act) {
    struct bfc_arena *own = heap->own;
    act->size = turn->asked;
    if (turn->asked > heap->device - heap->reserved) {
        turn->stage = (turn->stage & ~(uint32_t)BFC_STEP) | ASK_LESS;
        return sw_act_is(act, SW_ACT_REFUSED, "the device does not have so much");
    }
    uint32_t block = make_region(heap, turn, turn->asked);
    if (block == SW_NONE) {
        return false;
    }
    act->kind = SW_ACT_GROW;
    act->reason = !own->doubles          ? "a region as large as the request"
                  : turn->stage & RAISED ? "the size of regions is doubled until the request fits"
                                         : "the next region";
    act->address = sw_heap_at(heap, block)->address;
    act->segment = sw_heap_at(heap, block)->segment;
    if (own->tensorflow && !(turn->stage & RAISED)) {
        own->cur = doubled(own->cur);
    }
    turn->stage = (turn->stage & COLLECTED) | GIVE_UP;
    turn->again = true;
    block = bfc_can_merge(heap, block) ? bfc_merge(heap, block) : block;
    return sw_heap_list(heap, block);
}

/* Is there no used chunk in it? */
static bool is_region_free(const struct sw_heap *heap, const struct sw_heap_segment *segment) {
    for (uint32_t b = segment->live ? segment->first : SW_NONE; b != SW_NONE; b = sw_heap_at(heap, b)->next) {
        if (sw_heap_at(heap, b)->state != SW_BLOCK_FREE) {
            return false;
        }
    }
    return segment->live;
}

/* Give back a region without a used chunk. How many bytes it has. */
static uint64_t drop_region(struct sw_heap *heap, uint32_t number) {
    uint64_t size = heap->segments.items[number].size;
    for (uint32_t b = heap->segments.items[number].first; b != SW_NONE; b = sw_heap_at(heap, b)->next) {
        sw_heap_unlist(heap, b);
    }
    sw_heap_segment_drop(heap, number);
    return size;
}

/* Give back all free regions from number `from` on. */
static void release_regions(struct sw_heap *heap, uint32_t from, struct sw_act *act) {
    act->kind = SW_ACT_RELEASE;
    act->size = 0;
    for (uint32_t s = from; s < heap->segments.count; s++) {
        if (is_region_free(heap, &heap->segments.items[s])) {
            act->count++;
            act->size += drop_region(heap, s);
        }
    }
}

static bool bfc_grow(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act) {
    struct bfc_arena *own = heap->own;
    uint64_t room = (heap->limit - heap->reserved) / UNIT * UNIT;
    switch (turn->stage & BFC_STEP) {
    case ASK:
        if (turn->rounded <= room) {
            turn->asked = region_size(own, turn, room);
            return ask_device(heap, turn, act);
        }
        turn->stage = (turn->stage & COLLECTED) | GIVE_UP;
        return sw_act_is(act, SW_ACT_REFUSED, "the limit does not leave so much");
    case ASK_LESS:
        if (less_asked(own, turn)) {
            turn->asked = less_asked(own, turn);
            return ask_device(heap, turn, act);
        }
        /* fall through */
    default:
        if (own->collects && !(turn->stage & COLLECTED)) {
            release_regions(heap, 0, act);
            act->reason = "regions that are wholly free are given back before the request fails";
            turn->stage = COLLECTED | ASK;
            if (act->count > 0) {
                return true;
            }
        }
        act->size = turn->rounded;
        return sw_act_is(act, SW_ACT_FAIL, "no free chunk is large enough, and the arena cannot grow");
    }
}

static bool bfc_empty(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act) {
    struct bfc_arena *own = heap->own;
    (void)turn;
    act->last = true;
    if (own->tensorflow) {
        act->reason = "TensorFlow gives nothing back on demand";
        return true;
    }
    /* The first region of all keeps number 0 where it is never given back. */
    release_regions(heap, own->doubles ? 1 : 0, act);
    own->cur = own->after_shrink;
    act->reason =
        act->count > 0 ? "regions without a used chunk are given back" : "no region that may be given back is free";
    return true;
}

/* ---- free chunks ---- */

/* Neighbors merge that are both free and of the same owner. */
static bool is_alike_chunk(const struct sw_heap *heap, uint32_t block, uint32_t neighbor) {
    return sw_heap_at(heap, neighbor)->state == SW_BLOCK_FREE &&
           sw_heap_at(heap, neighbor)->stream == sw_heap_at(heap, block)->stream;
}

static bool bfc_can_merge(const struct sw_heap *heap, uint32_t block) {
    uint32_t next = sw_heap_at(heap, block)->next, previous = sw_heap_at(heap, block)->previous;
    return (next != SW_NONE && is_alike_chunk(heap, block, next)) ||
           (previous != SW_NONE && is_alike_chunk(heap, block, previous));
}

static uint32_t bfc_merge(struct sw_heap *heap, uint32_t block) {
    return sw_heap_merge_alike(heap, block, is_alike_chunk);
}

/* ---- along a record ---- */

/* What the next region would be. One that was no larger than the one before needed no doubling for its request. */
bool sw_bfc_arena_made(struct sw_heap *heap, const struct sw_request *request, uint64_t rounded) {
    struct bfc_arena *own = heap->own;
    struct sw_turn turn = SW_TURN_NEW;
    turn.driver = request->address;
    if (sw_heap_block_at(heap, request->address) != SW_NONE) {
        return true; /* there is memory already: the record contradicts what is known */
    }
    uint32_t block = make_region(heap, &turn, request->size);
    bool raised = rounded > own->cur || rounded > request->size / 2;
    uint64_t next = raised ? request->size : doubled(request->size);
    own->cur = own->tensorflow || next < own->max_extend ? next : own->max_extend;
    return block != SW_NONE && sw_heap_list(heap, bfc_can_merge(heap, block) ? bfc_merge(heap, block) : block);
}

/* Regions with all that is in them. How large the next one is to be they do not tell: as if the largest were the last.
 */
static bool fill_regions(struct sw_heap *heap, const struct sw_requests *requests) {
    struct bfc_arena *own = heap->own;
    size_t at = 0;
    for (size_t i = 0; i < requests->segments.count; i++) {
        const struct sw_known_segment *known = &requests->segments.items[i];
        uint64_t end = known->address + known->size;
        uint32_t number = sw_heap_segment_add(heap, known->address, known->size, false);
        if (number == SW_NONE || !sw_heap_fill(heap, heap->segments.items[number].first, requests, &at, end)) {
            return false;
        }
        heap->segments.items[number].made_at = SW_NONE;
        heap->fresh = SW_MAX(heap->fresh, end);
        own->cur = SW_MAX(own->cur, doubled(known->size));
    }
    own->cur = own->tensorflow ? own->cur : SW_MIN(own->cur, own->max_extend);
    return true;
}

bool sw_bfc_arena_known(struct sw_heap *heap, const struct sw_requests *requests) {
    struct bfc_arena *own = heap->own;
    uint64_t cur = own->cur;
    bool good = true;
    if (requests->blocks.count > 0) {
        return fill_regions(heap, requests);
    }
    for (size_t i = 0; good && i < requests->segments.count; i++) {
        const struct sw_known_segment *known = &requests->segments.items[i];
        good = sw_bfc_arena_made(heap, &(struct sw_request){.address = known->address, .size = known->size}, 0);
    }
    own->cur = cur; /* what is seen of them may be less than they are */
    return good;
}

bool sw_bfc_arena_gone(struct sw_heap *heap, const struct sw_request *request, uint64_t *bytes) {
    struct bfc_arena *own = heap->own;
    *bytes = 0;
    for (uint32_t s = 0; s < heap->segments.count; s++) {
        const struct sw_heap_segment *segment = &heap->segments.items[s];
        if (segment->live && segment->address == request->address && is_region_free(heap, segment)) {
            *bytes = drop_region(heap, s);
            own->cur = own->tensorflow ? own->cur : own->after_shrink;
            break;
        }
    }
    return true;
}

bool sw_bfc_arena_carve(struct sw_heap *heap, struct sw_turn *turn, uint64_t address, uint32_t *to) {
    uint32_t block = sw_heap_block_at(heap, address);
    *to = SW_NONE;
    if (block == SW_NONE || sw_heap_at(heap, block)->state != SW_BLOCK_FREE ||
        sw_heap_at(heap, block)->address + sw_heap_at(heap, block)->size - address < turn->rounded) {
        return true;
    }
    sw_heap_unlist(heap, block);
    turn->block = *to = sw_heap_cut_off(heap, block, address);
    return *to != SW_NONE;
}

static bool bfc_sound(const struct sw_heap *heap, struct sw_error *error) {
    struct sw_ordered_place place;
    const struct sw_ordered_entry *e = sw_ordered_from(&heap->free, (struct sw_key){0, 0, 0}, &place);
    for (; e; e = sw_ordered_next(&heap->free, &place)) {
        const struct sw_heap_block *block = sw_heap_at(heap, e->block);
        if (block->state != SW_BLOCK_FREE || block->size != e->key.a || block->address != e->key.b) {
            return sw_fail(error, SW_ERROR_UNSUPPORTED, "a free chunk is listed wrongly at %llu",
                           (unsigned long long)e->key.b);
        }
        if (bfc_can_merge(heap, e->block)) {
            return sw_fail(error, SW_ERROR_UNSUPPORTED, "free chunks of an owner touch at %llu",
                           (unsigned long long)e->key.b);
        }
    }
    return sw_heap_lists_sound(heap, heap->free.count, false, error);
}

#define STATE struct bfc_arena
static const struct sw_described bfc_described = {SW_STRUCT, .fields = SW_FIELDS(SW_KEPT(cur, coalesces))};
#undef STATE

const struct sw_heap_kind sw_bfc_arena_heap = {.own = &bfc_described,
                                               .open = bfc_open,
                                               .round = bfc_round_up,
                                               .pick = bfc_pick,
                                               .grow = bfc_grow,
                                               .keeps = bfc_keeps,
                                               .key = sw_heap_size_key,
                                               .rest_keeps_owner = true,
                                               .can_merge = bfc_can_merge,
                                               .merge = bfc_merge,
                                               .empty = bfc_empty,
                                               .sound = bfc_sound};
