/* cuda-caching with expandable_segments: a pool and stream owns a long range of addresses, behind which pages of memory
 * are mapped where they are needed, and given back one by one. */
#include "heap/caching/cuda_caching.h"

static bool is_free_or_unmapped(const struct sw_heap *heap, uint32_t block) {
    return block != SW_NONE &&
           (sw_heap_at(heap, block)->state == SW_BLOCK_FREE || sw_heap_at(heap, block)->state == SW_BLOCK_UNMAPPED);
}

static bool has_page_room(const struct sw_heap *heap, uint32_t block, uint64_t wanted) {
    uint64_t bytes = 0;
    for (; bytes < wanted && is_free_or_unmapped(heap, block); block = sw_heap_at(heap, block)->next) {
        bytes += sw_heap_at(heap, block)->size;
    }
    return bytes >= wanted;
}

/* The first place of the stream's ranges where free and unmapped blocks in a row are enough; SW_NONE: there is none. */
static uint32_t find_page_place(const struct sw_heap *heap, const struct sw_turn *turn,
                                const struct caching_pool *pool) {
    struct sw_ordered_place place;
    const struct sw_ordered_entry *e = sw_ordered_from(&pool->unmapped, (struct sw_key){turn->stream, 0, 0}, &place);
    for (; e && e->key.a == turn->stream; e = sw_ordered_next(&pool->unmapped, &place)) {
        uint32_t previous = sw_heap_at(heap, e->block)->previous,
                 start = is_free_or_unmapped(heap, previous) ? previous : e->block;
        if (has_page_room(heap, start, turn->rounded)) {
            return start;
        }
    }
    return SW_NONE;
}

static uint32_t new_range(struct sw_heap *heap, const struct sw_turn *turn, bool small) {
    uint64_t page = sw_caching_page(heap, small);
    uint64_t device = heap->device == SW_UNBOUNDED ? UINT64_C(1) << 50 : heap->device;
    uint64_t span = sw_heap_up(device + device / 8, page);
    uint64_t address = turn->driver == SW_NO_ADDRESS ? heap->fresh : turn->driver;
    struct sw_known_segment range = {address, 0, turn->stream, turn->pool, small, true};
    uint32_t number = sw_caching_segment_add(heap, &range, span, page);
    if (number == SW_NONE) {
        return SW_NONE;
    }
    uint32_t block = heap->segments.items[number].first;
    heap->fresh = turn->driver == SW_NO_ADDRESS ? heap->fresh + span : heap->fresh;
    return sw_caching_list(heap, block) ? block : SW_NONE;
}

/* Map the first pages of an unmapped block, so many that they hold `bytes`, or all. It merges with free neighbors. The
 * free block that there is then, which is not listed; SW_NONE: no memory. */
static uint32_t map_pages(struct sw_heap *heap, uint32_t number, uint64_t bytes, struct sw_act *act) {
    struct sw_heap_segment *segment = &heap->segments.items[sw_heap_at(heap, number)->segment];
    uint64_t pages = sw_heap_up(bytes, segment->page);
    sw_caching_unlist(heap, number);
    pages = pages < sw_heap_at(heap, number)->size ? pages : sw_heap_at(heap, number)->size;
    if (!sw_heap_keep_low(heap, number, pages)) {
        return SW_NONE;
    }
    sw_act_is(act, SW_ACT_GROW, "pages of an expandable segment");
    act->size = pages;
    act->address = sw_heap_at(heap, number)->address;
    act->segment = sw_heap_at(heap, number)->segment;
    sw_heap_at(heap, number)->state = SW_BLOCK_FREE;
    segment->size += pages;
    heap->reserved += pages;
    return sw_heap_merge_neighbors(heap, number);
}

bool sw_caching_map(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act) {
    bool small = turn->rounded <= SW_MIB;
    struct caching *own = heap->own;
    if (turn->candidate == SW_NONE) {
        turn->candidate = find_page_place(heap, turn, &own->pools.items[2 * (size_t)turn->pool + small]);
        turn->candidate = turn->candidate == SW_NONE ? new_range(heap, turn, small) : turn->candidate;
        if (turn->candidate == SW_NONE) {
            return false;
        }
    }
    uint32_t block = turn->candidate, unmapped = block;
    uint64_t have = 0;
    if (sw_heap_at(heap, block)->state == SW_BLOCK_FREE) {
        have = sw_heap_at(heap, block)->size;
        unmapped = sw_heap_at(heap, block)->next;
    }
    if (have >= turn->rounded) { /* a free block that the search may not take, but growing may */
        sw_caching_unlist(heap, block);
        turn->block = block;
        act->size = have;
        return sw_act_is(act, SW_ACT_FIND, "a free block right before unmapped pages: nothing has to be mapped");
    }
    uint64_t missing = turn->rounded - have, room = sw_heap_at(heap, unmapped)->size;
    uint64_t page = heap->segments.items[sw_heap_at(heap, block)->segment].page;
    uint64_t bytes = sw_heap_up(missing < room ? missing : room, page);
    if (!heap->granted && (bytes > heap->device || heap->reserved > heap->device - bytes)) {
        act->size = bytes;
        turn->candidate = SW_NONE;
        return sw_act_is(act, SW_ACT_REFUSED, "the device has not so many pages");
    }
    block = map_pages(heap, unmapped, bytes, act);
    if (block == SW_NONE) {
        return false;
    }
    if (sw_heap_at(heap, block)->size >= turn->rounded) {
        turn->block = block;
        return true;
    }
    turn->candidate = block;
    return sw_caching_list(heap, block);
}

static bool is_unmapped_neighbor(const struct sw_heap *heap, uint32_t block, uint32_t neighbor) {
    (void)block;
    return sw_heap_at(heap, neighbor)->state == SW_BLOCK_UNMAPPED;
}

bool sw_caching_unmap(struct sw_heap *heap, uint32_t number, uint64_t *bytes) {
    uint32_t home = sw_heap_at(heap, number)->segment;
    struct sw_heap_segment *segment = &heap->segments.items[home];
    uint64_t page = segment->page, lo = sw_heap_at(heap, number)->address - segment->address,
             hi = lo + sw_heap_at(heap, number)->size;
    uint64_t begin = sw_heap_up(lo, page), end = hi / page * page;
    *bytes = 0;
    if (begin >= end) {
        return true;
    }
    sw_caching_unlist(heap, number);
    number = sw_heap_cut_off(heap, number, segment->address + begin);
    if (number == SW_NONE || !sw_heap_keep_low(heap, number, end - begin)) {
        return false;
    }
    *bytes = end - begin;
    segment = &heap->segments.items[home];
    segment->size -= *bytes;
    heap->reserved -= *bytes;
    sw_heap_at(heap, number)->state = SW_BLOCK_UNMAPPED;
    number = sw_heap_merge_alike(heap, number, is_unmapped_neighbor);
    if (segment->size == 0) { /* nothing is mapped in the range any more */
        sw_heap_segment_drop(heap, home);
        return true;
    }
    return sw_caching_list(heap, number);
}
