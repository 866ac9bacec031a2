/* cuda-caching: the caching allocator of PyTorch for CUDA devices.
 *
 * The problem it solves: cudaMalloc is slow, and cudaFree waits for the device. So memory is got in segments and kept:
 * a freed block stays in its segment, and serves the next request that it is large enough for.
 *
 * - A size is rounded up to a multiple of 512 B, or, where the user asks for it, to a fraction of a power of two.
 * - Requests of up to 1 MiB live in segments of 2 MiB, larger ones in segments of at least 20 MiB: two pools, and a
 *   pair of them for each private pool of a CUDA graph. Each stream has its own blocks.
 * - A request takes the smallest free block of its pool and stream that is large enough, the lowest of equals. Small
 *   blocks are always split; large ones only if more than 1 MiB is left, since a rest of the large pool below that
 *   is too small for any of its requests. So a large block may hold up to 1 MiB that was not asked for.
 * - If there is none, a new segment is got from the device. If the device refuses, cached segments are given back:
 *   first those that are too large to be split, then all that are wholly free; only then is the request out of
 *   memory.
 *
 * What fragments it: a segment can be given back only when it is wholly free. One long-lived block of 1 MiB holds a
 * segment of 20 MiB. `expandable_segments` maps pages instead, which can be given back one by one; `max_split_size_mb`
 * keeps large blocks whole, so that small long-lived requests do not settle in them; `garbage_collection_threshold`
 * gives back what has not been used for long before the device is full.
 *
 * Source: the rules were compared with c10/cuda/CUDACachingAllocator.cpp of PyTorch 2.1 to 2.10 on recorded runs. */
#include "heap/caching/cuda_caching.h"

static bool caching_open(struct sw_heap *heap, const struct sw_params *params, const struct sw_planner *planner,
                         struct sw_error *error) {
    heap->granule = 512;
    return sw_caching_settings_read(&((struct caching *)heap->own)->settings, params, planner, error);
}

/* ---- sizes and pools ---- */

static uint64_t caching_round_up(const struct sw_heap *heap, uint64_t size, const char **reason) {
    const struct caching *own = heap->own;
    if (size < 512) {
        *reason = "512 B is the least";
        return 512;
    }
    unsigned power = sw_heap_log2(size), slot = power < 20 ? 0 : power - 20 > 15 ? 15 : power - 20;
    uint64_t d = own->settings.divisions[slot];
    if (d > 1 && size > 512 * d) {
        uint64_t whole = UINT64_C(1) << power;
        *reason = "up to a fraction of a power of two (roundup_power2_divisions)";
        return size == whole ? size : sw_heap_up(size, whole / d);
    }
    *reason = "up to a multiple of 512 B";
    return sw_heap_up(size, 512);
}

static bool is_small_request(uint64_t rounded) {
    return rounded <= SW_MIB;
}

/* The bytes of a new segment for a request of that rounded size. */
static uint64_t segment_size_for(const struct caching_settings *settings, uint64_t rounded) {
    return is_small_request(rounded) ? 2 * SW_MIB
           : rounded < 10 * SW_MIB   ? settings->large_segment
                                     : sw_heap_up(rounded, 2 * SW_MIB);
}

bool sw_caching_need_pool(struct sw_heap *heap, uint16_t pool, bool small) {
    struct caching *own = heap->own;
    while (own->pools.count <= 2 * (size_t)pool + small) {
        if (!SW_PUSH(&own->pools, (struct caching_pool){.finds = 0})) {
            return false;
        }
    }
    return true;
}

/* The lists of a segment's pool, which exist. */
static struct caching_pool *pool_of_segment(const struct sw_heap *heap, uint32_t number) {
    const struct sw_heap_segment *segment = &heap->segments.items[number];
    return &((struct caching *)heap->own)->pools.items[2 * (size_t)segment->pool + segment->small];
}

static struct sw_key caching_key_of(const struct sw_heap *heap, uint32_t number) {
    const struct sw_heap_block *block = sw_heap_at(heap, number);
    bool unmapped = block->state == SW_BLOCK_UNMAPPED;
    return (struct sw_key){heap->segments.items[block->segment].stream, unmapped ? 0 : block->size, block->address};
}

/* The set to which the block belongs. */
static struct sw_ordered *set_of(const struct sw_heap *heap, uint32_t number) {
    const struct sw_heap_block *block = sw_heap_at(heap, number);
    struct caching_pool *pool = pool_of_segment(heap, block->segment);
    return block->state == SW_BLOCK_UNMAPPED ? &pool->unmapped : &pool->free;
}

bool sw_caching_list(struct sw_heap *heap, uint32_t number) {
    struct sw_heap_block *block = sw_heap_at(heap, number);
    block->listed = pool_of_segment(heap, block->segment)->finds;
    return sw_ordered_add(set_of(heap, number), caching_key_of(heap, number), number);
}

void sw_caching_unlist(struct sw_heap *heap, uint32_t number) {
    sw_ordered_remove(set_of(heap, number), caching_key_of(heap, number));
}

bool sw_caching_is_whole(const struct sw_heap *heap, uint32_t number) {
    const struct sw_heap_block *block = sw_heap_at(heap, number);
    return block->previous == SW_NONE && block->next == SW_NONE && heap->segments.items[block->segment].page == 0;
}

/* ---- finding a free block ---- */

static bool is_expandable(const struct sw_heap *heap, uint32_t block) {
    return heap->segments.items[sw_heap_at(heap, block)->segment].page > 0;
}

/* The block with the unmapped one right behind it. */
static uint64_t room(const struct sw_heap *heap, uint32_t number) {
    const struct sw_heap_block *block = sw_heap_at(heap, number);
    const struct sw_heap_block *next = block->next == SW_NONE ? NULL : sw_heap_at(heap, block->next);
    return block->size + (next && next->state == SW_BLOCK_UNMAPPED ? next->size : 0);
}

/* Why a block that is large enough may not be taken; NULL: it may. */
static const char *caching_forbidden(const struct sw_heap *heap, const struct sw_turn *turn, uint32_t number) {
    const struct caching_settings *settings = &((const struct caching *)heap->own)->settings;
    uint64_t size = sw_heap_at(heap, number)->size;
    if (turn->rounded < settings->max_split && size >= settings->max_split) {
        return "of max_split_size_mb or more, which is not split for a smaller request";
    }
    if (turn->rounded >= settings->max_split && size - turn->rounded >= settings->non_split_rounding) {
        return "too much larger: it is not split, and max_non_split_rounding_mb or more would be wasted";
    }
    return NULL;
}

static const char smallest_large_enough[] = "the smallest of its pool and stream that is large enough";

/* The block that the rules look at: the first that is large enough; they take it or none. */
static uint32_t best(const struct sw_heap *heap, const struct sw_turn *turn, const struct caching_pool *pool,
                     const char **reason) {
    const struct caching_settings *settings = &((const struct caching *)heap->own)->settings;
    struct sw_ordered_place place;
    const struct sw_ordered_entry *e =
        sw_ordered_from(&pool->free, (struct sw_key){turn->stream, turn->rounded, 0}, &place);
    while (e && !settings->expandable && e->key.a == turn->stream && is_expandable(heap, e->block)) {
        e = sw_ordered_next(&pool->free, &place);
    }
    if (!e || e->key.a != turn->stream) {
        *reason = "no free block of its pool and stream is large enough";
        return SW_NONE;
    }
    uint32_t block = e->block;
    *reason = smallest_large_enough;
    while (settings->expandable && is_expandable(heap, block) && (e = sw_ordered_next(&pool->free, &place)) &&
           e->key.a == turn->stream && room(heap, e->block) < room(heap, block)) {
        block = e->block;
        *reason = "large enough, and less can be mapped behind it than behind the smaller ones";
    }
    const char *why = caching_forbidden(heap, turn, block);
    *reason = why ? why : *reason;
    return why ? SW_NONE : block;
}

/* All free blocks of the pool, for an explanation or a choice of the user's. */
static bool look_at_pool(struct sw_heap *heap, struct sw_turn *turn, const struct caching_pool *pool, uint32_t taken,
                         const char *reason, struct sw_explanation *explain, struct sw_error *error) {
    const struct caching_settings *settings = &((const struct caching *)heap->own)->settings;
    struct sw_heap_look look = {heap, turn, explain, 0};
    struct sw_ordered_place place;
    for (const struct sw_ordered_entry *e = sw_ordered_from(&pool->free, (struct sw_key){0, 0, 0}, &place); e;
         e = sw_ordered_next(&pool->free, &place)) {
        const char *why = e->key.a != turn->stream   ? "of another stream"
                          : e->key.b < turn->rounded ? "too small"
                          : is_expandable(heap, e->block) && !settings->expandable
                              ? "in an expandable segment, and expandable_segments is off"
                              : caching_forbidden(heap, turn, e->block);
        bool takes = e->block == taken;
        if (!sw_heap_look(&look, e->block, !why, takes,
                          takes ? reason
                          : why ? why
                                : "large enough, but the rule takes another one")) {
            return sw_fail_memory(error);
        }
    }
    return sw_heap_look_ends(&look, error);
}

static bool caching_pick(struct sw_heap *heap, struct sw_turn *turn, const char **reason,
                         struct sw_explanation *explain, struct sw_error *error) {
    struct caching *own = heap->own;
    bool small = is_small_request(turn->rounded);
    if (!sw_caching_need_pool(heap, turn->pool, small)) {
        return sw_fail_memory(error);
    }
    struct caching_pool *pool = &own->pools.items[2 * (size_t)turn->pool + small];
    pool->finds += own->settings.threshold > 0 && heap->limit != SW_UNBOUNDED;
    turn->looked = (uint32_t)pool->free.count;
    uint32_t taken = best(heap, turn, pool, reason);
    if (explain || turn->choice >= 0) {
        return look_at_pool(heap, turn, pool, taken, *reason, explain, error);
    }
    turn->block = taken;
    return true;
}

static uint64_t caching_keeps(const struct sw_heap *heap, const struct sw_turn *turn, const char **reason) {
    const struct caching_settings *settings = &((const struct caching *)heap->own)->settings;
    uint64_t size = sw_heap_at(heap, turn->block)->size, rest = size - turn->rounded;
    bool fine = is_small_request(turn->rounded) || settings->expandable;
    *reason = fine ? "the rest is at least 512 B" : "the rest is larger than 1 MiB";
    return (fine ? rest >= 512 : turn->rounded < settings->max_split && rest > SW_MIB) ? turn->rounded : size;
}

/* ---- more memory ---- */

static bool new_segment(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act) {
    const struct caching *own = heap->own;
    uint64_t size = segment_size_for(&own->settings, turn->rounded);
    act->size = size;
    if (!heap->granted && (size > heap->limit || heap->reserved > heap->limit - size)) {
        return sw_act_is(act, SW_ACT_REFUSED, "more would be reserved than the limit allows");
    }
    if (own->settings.expandable) {
        return sw_caching_map(heap, turn, act);
    }
    if (!heap->granted && (size > heap->device || heap->reserved > heap->device - size)) {
        return sw_act_is(act, SW_ACT_REFUSED, "the device has not so much");
    }
    uint64_t address = turn->driver == SW_NO_ADDRESS ? heap->fresh : turn->driver;
    bool small = is_small_request(turn->rounded);
    struct sw_known_segment fresh = {address, size, turn->stream, turn->pool, small, false};
    uint32_t number = sw_caching_segment_add(heap, &fresh, size, 0);
    if (number == SW_NONE) {
        return false;
    }
    heap->fresh = turn->driver == SW_NO_ADDRESS ? heap->fresh + size : heap->fresh;
    turn->block = heap->segments.items[number].first;
    act->address = address;
    return sw_act_is(act, SW_ACT_GROW,
                     small                         ? "a segment for requests of up to 1 MiB"
                     : turn->rounded < 10 * SW_MIB ? "a segment of large_segment_size_mb, for requests below 10 MiB"
                                                   : "a segment for this request alone");
}

/* What is tried, one after the other. What does nothing is passed over without an act. */
static bool caching_grow(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act) {
    enum { GROW_GARBAGE, GROW_FIRST, GROW_OVERSIZE, GROW_SECOND, GROW_ALL, GROW_THIRD, GROW_FAILED };
    const struct caching_settings *settings = &((const struct caching *)heap->own)->settings;
    bool enough = false, good = true;
    for (;;) {
        switch (turn->stage) {
        case GROW_GARBAGE:
            turn->stage = GROW_FIRST;
            if (!heap->granted && settings->threshold > 0 && heap->limit != SW_UNBOUNDED) {
                act->reason = "garbage: more than garbage_collection_threshold of the limit is reserved";
                good = sw_caching_collect_garbage(heap, act);
            }
            break;
        case GROW_FIRST:
        case GROW_SECOND:
        case GROW_THIRD:
            good = new_segment(heap, turn, act);
            turn->stage += act->kind == SW_ACT_REFUSED;
            return good;
        case GROW_OVERSIZE:
            turn->stage = GROW_ALL;
            if (settings->max_split != SW_UNBOUNDED) {
                act->reason = "blocks of max_split_size_mb or more";
                good = sw_caching_release_oversize(heap, turn, act, &enough);
                turn->stage = enough ? GROW_SECOND : GROW_ALL;
            }
            break;
        case GROW_ALL:
            turn->stage = GROW_THIRD;
            act->reason = "all that is wholly free, for want of memory";
            good = sw_caching_release_all(heap, act);
            break;
        default:
            return sw_act_is(act, SW_ACT_FAIL,
                             "no free block serves, and the device or the limit allows no new segment");
        }
        if (!good || act->count > 0) {
            act->kind = SW_ACT_RELEASE;
            return good;
        }
    }
}

static bool caching_empty(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act) {
    (void)turn;
    act->last = true;
    act->reason = "the program asked for it (empty_cache)";
    return sw_caching_release_all(heap, act);
}

/* ---- the rest ---- */

/* By pool, small before large; in a pool by stream, size and address. */
static size_t caching_free_order(const struct sw_heap *heap, uint32_t *to, size_t room_) {
    const struct caching *own = heap->own;
    size_t count = 0;
    for (size_t i = 0; i < own->pools.count; i++) {
        size_t pool = i ^ 1;
        if (pool < own->pools.count) {
            count += sw_ordered_list(&own->pools.items[pool].free, to ? to + count : NULL, room_ - (to ? count : 0));
        }
    }
    return count;
}

static bool caching_sound(const struct sw_heap *heap, struct sw_error *error) {
    const struct caching *own = heap->own;
    size_t listed = 0;
    for (size_t i = 0; i < own->pools.count; i++) {
        listed += own->pools.items[i].free.count;
    }
    return sw_heap_lists_sound(heap, listed, true, error);
}

#define STATE struct caching_pool
static const struct sw_described pool_described = {
    SW_STRUCT, .fields = SW_FIELDS(SW_PART(free, &sw_ordered_described), SW_PART(unmapped, &sw_ordered_described),
                                   SW_KEPT(finds, finds))};
#undef STATE
#define STATE struct caching
static const struct sw_described caching_described = {
    SW_STRUCT, .fields = SW_FIELDS(SW_KEPT(settings, settings), SW_LIST(pools, .of = &pool_described))};
#undef STATE

const struct sw_heap_kind sw_cuda_caching_heap = {.own = &caching_described,
                                                  .open = caching_open,
                                                  .round = caching_round_up,
                                                  .pick = caching_pick,
                                                  .grow = caching_grow,
                                                  .keeps = caching_keeps,
                                                  .list = sw_caching_list,
                                                  .unlist = sw_caching_unlist,
                                                  .empty = caching_empty,
                                                  .free_order = caching_free_order,
                                                  .sound = caching_sound};
