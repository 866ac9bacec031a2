/* Where did recording begin? A snapshot tells how memory looked at the end, and what happened before. This goes back
 * through the events, from the last to the first, undoing each:
 *
 *     alloc            the block is free again, and merges with its free neighbors
 *     free completed   a waiting block is cut out of the hole at its address
 *     free asked       it is used
 *     segment, pages   what was made vanishes; what was given back is there again, free
 *
 * The record tells what was asked for, not how large a freed block was. Two rules of the allocator help: in a plain
 * segment of the large pool there is no free piece of 1 MiB or less, so such a piece belongs to the used block before
 * it; and a request of max_split_size or more took its whole hole. What stays undecided: a block from before, freed in
 * the run, may have been up to 1 MiB larger if its right neighbor was free when recording began. */
#include "heap/caching/cuda_caching.h"
#include "heap/caching/known.h"

#include "base/sort.h"

struct rewind {
    struct sw_heap *heap;
    const struct caching_settings *settings;
    struct sw_ordered holes; /* free blocks by address */
};

static struct sw_key address_key(uint64_t address) {
    return (struct sw_key){address, 0, 0};
}

static struct sw_heap_block *block_at(const struct rewind *r, uint32_t block) {
    return sw_heap_at(r->heap, block);
}

static bool is_block_free(const struct rewind *r, uint32_t block) {
    return block != SW_NONE && block_at(r, block)->state == SW_BLOCK_FREE;
}

/* A free block that is no hole yet becomes one, with its free neighbors. */
static bool make_hole(struct rewind *r, uint32_t block) {
    if (is_block_free(r, block_at(r, block)->next)) {
        sw_ordered_remove(&r->holes, address_key(block_at(r, block_at(r, block)->next)->address));
        sw_heap_join(r->heap, block);
    }
    if (is_block_free(r, block_at(r, block)->previous)) {
        sw_heap_join(r->heap, block_at(r, block)->previous);
        return true;
    }
    return sw_ordered_add(&r->holes, address_key(block_at(r, block)->address), block);
}

/* The hole that has [address, address + size) in it; SW_NONE: there is none. */
static uint32_t hole_at(const struct rewind *r, uint64_t address, uint64_t size) {
    struct sw_ordered_place place;
    const struct sw_ordered_entry *e = sw_ordered_before(&r->holes, address_key(address + 1), &place);
    if (!e) {
        return SW_NONE;
    }
    const struct sw_heap_block *hole = block_at(r, e->block);
    return address >= hole->address && address + size <= hole->address + hole->size ? e->block : SW_NONE;
}

/* The part [address, address + size) of a hole, as a block that is no hole; SW_NONE: no memory. */
static uint32_t cut_from_hole(struct rewind *r, uint32_t hole, uint64_t address, uint64_t size) {
    uint32_t block = hole;
    if (address > block_at(r, hole)->address) {
        block = sw_heap_cut(r->heap, hole, address - block_at(r, hole)->address);
        if (block == SW_NONE) {
            return SW_NONE;
        }
    } else {
        sw_ordered_remove(&r->holes, address_key(address));
    }
    if (size < block_at(r, block)->size) {
        uint32_t rest = sw_heap_cut(r->heap, block, size);
        if (rest == SW_NONE || !sw_ordered_add(&r->holes, address_key(block_at(r, rest)->address), rest)) {
            return SW_NONE;
        }
    }
    return block;
}

static bool is_plain_large(const struct rewind *r, uint32_t block) {
    const struct sw_heap_segment *segment = &r->heap->segments.items[block_at(r, block)->segment];
    return segment->page == 0 && !segment->small;
}

/* A piece of 1 MiB or less before the block: it belongs to the used block before it. */
static void give_to_previous(struct rewind *r, uint32_t block) {
    uint32_t piece = block_at(r, block)->previous;
    if (!is_block_free(r, piece) || block_at(r, piece)->size > SW_MIB || block_at(r, piece)->previous == SW_NONE) {
        return;
    }
    uint32_t owner = block_at(r, piece)->previous;
    uint64_t size = block_at(r, piece)->size;
    if (block_at(r, owner)->state != SW_BLOCK_USED && block_at(r, owner)->state != SW_BLOCK_WAITING) {
        return;
    }
    sw_ordered_remove(&r->holes, address_key(block_at(r, piece)->address));
    r->heap->allocated += block_at(r, owner)->state == SW_BLOCK_USED ? size : 0;
    r->heap->active += size;
    sw_heap_join(r->heap, owner);
}

static bool undo_completed(struct rewind *r, const struct sw_request *request) {
    const char *why;
    struct sw_turn turn = SW_TURN_NEW;
    turn.buffer = request->buffer;
    turn.size = request->size;
    turn.stream = request->stream;
    turn.rounded = r->heap->kind->round(r->heap, request->size, &why);
    uint32_t hole = hole_at(r, request->address, turn.rounded);
    if (hole == SW_NONE || sw_heap_block_of(r->heap, request->buffer) != SW_NONE) {
        return true; /* the record contradicts itself */
    }
    uint64_t size = turn.rounded,
             behind = block_at(r, hole)->address + block_at(r, hole)->size - request->address - size;
    bool plain = is_plain_large(r, hole);
    size += plain && (behind <= SW_MIB || turn.rounded >= r->settings->max_split) ? behind : 0;
    uint32_t block = cut_from_hole(r, hole, request->address, size);
    if (block == SW_NONE || !sw_heap_take(r->heap, block, &turn)) {
        return false;
    }
    if (request->kind == SW_REQUEST_FREE_COMPLETED) {
        sw_heap_wait(r->heap, block);
    }
    if (plain) {
        give_to_previous(r, block);
    }
    return true;
}

static bool undo_made(struct rewind *r, const struct sw_request *request) {
    uint32_t hole = hole_at(r, request->address, request->size);
    if (hole == SW_NONE) {
        return true;
    }
    struct sw_heap_segment *segment = &r->heap->segments.items[block_at(r, hole)->segment];
    if (request->kind == SW_REQUEST_SEGMENT_MADE) {
        if (segment->size == block_at(r, hole)->size) {
            sw_ordered_remove(&r->holes, address_key(block_at(r, hole)->address));
            sw_heap_segment_drop(r->heap, block_at(r, hole)->segment);
        }
        return true;
    }
    uint32_t block = cut_from_hole(r, hole, request->address, request->size);
    if (block == SW_NONE) {
        return false;
    }
    segment = &r->heap->segments.items[block_at(r, block)->segment];
    segment->size -= request->size;
    r->heap->reserved -= request->size;
    block_at(r, block)->state = SW_BLOCK_UNMAPPED;
    if (block_at(r, block)->next != SW_NONE && block_at(r, block_at(r, block)->next)->state == SW_BLOCK_UNMAPPED) {
        sw_heap_join(r->heap, block);
    }
    uint32_t previous = block_at(r, block)->previous;
    if (previous != SW_NONE && block_at(r, previous)->state == SW_BLOCK_UNMAPPED) {
        sw_heap_join(r->heap, previous);
    }
    return true;
}

static bool undo_gone(struct rewind *r, const struct sw_request *request) {
    uint32_t block;
    if (!sw_caching_made(r->heap, request, 0)) {
        return false;
    }
    block = sw_heap_block_at(r->heap, request->address);
    if (!is_block_free(r, block)) {
        return true;
    }
    struct sw_ordered_place place; /* it has taken up its neighbors: their holes end */
    uint64_t lo = block_at(r, block)->address, hi = lo + block_at(r, block)->size;
    const struct sw_ordered_entry *e;
    while ((e = sw_ordered_from(&r->holes, address_key(lo), &place)) && e->key.a < hi) {
        sw_ordered_remove(&r->holes, e->key);
    }
    return sw_ordered_add(&r->holes, address_key(lo), block);
}

static bool undo_request(struct rewind *r, const struct sw_request *request) {
    uint32_t block = sw_heap_block_of(r->heap, request->buffer);
    switch ((enum sw_request_kind)request->kind) {
    case SW_REQUEST_ALLOC:
        if (block == SW_NONE) {
            return true;
        }
        return sw_heap_release(r->heap, block) && make_hole(r, block);
    case SW_REQUEST_FREE:
    case SW_REQUEST_FREE_COMPLETED:
        return request->buffer == SW_NONE || undo_completed(r, request);
    case SW_REQUEST_FREE_ASKED:
        if (block != SW_NONE && block_at(r, block)->state == SW_BLOCK_WAITING) {
            block_at(r, block)->state = SW_BLOCK_USED;
            r->heap->allocated += block_at(r, block)->size;
            r->heap->requested += block_at(r, block)->requested;
            r->heap->pending -= block_at(r, block)->requested;
        }
        return true;
    case SW_REQUEST_SEGMENT_MADE:
    case SW_REQUEST_PAGES_MADE:
        return undo_made(r, request);
    case SW_REQUEST_SEGMENT_GONE:
    case SW_REQUEST_PAGES_GONE:
        return undo_gone(r, request);
    default:
        return true;
    }
}

/* ---- the result ---- */

static bool known_block_of(struct sw_requests *to, const struct sw_heap *heap, uint32_t number) {
    static const enum sw_known_state states[] = {
        [SW_BLOCK_FREE] = SW_KNOWN_FREE, [SW_BLOCK_USED] = SW_KNOWN_USED, [SW_BLOCK_WAITING] = SW_KNOWN_WAITING};
    const struct sw_heap_block *block = sw_heap_at(heap, number);
    return SW_PUSH(&to->blocks, (struct sw_known_block){.address = block->address,
                                                        .size = block->size,
                                                        .requested = block->requested,
                                                        .buffer = block->buffer,
                                                        .stream = block->stream,
                                                        .pool = heap->segments.items[block->segment].pool,
                                                        .state = states[block->state]});
}

/* Each stretch of mapped blocks of a segment, and the blocks. */
static bool known_segment_of(struct sw_requests *to, const struct sw_heap *heap,
                             const struct sw_heap_segment *segment) {
    bool open = false;
    for (uint32_t b = segment->first; b != SW_NONE; b = sw_heap_at(heap, b)->next) {
        const struct sw_heap_block *block = sw_heap_at(heap, b);
        if (block->state == SW_BLOCK_UNMAPPED) {
            open = false;
            continue;
        }
        struct sw_known_segment known = {block->address,   0, segment->stream, segment->pool, segment->small,
                                         segment->page > 0};
        if ((!open && !SW_PUSH(&to->segments, known)) || !known_block_of(to, heap, b)) {
            return false;
        }
        to->segments.items[to->segments.count - 1].size += block->size;
        open = true;
    }
    return true;
}

SW_BY_FIELDS(by_segment_address, struct sw_known_segment, SW_UP(address))
SW_BY_FIELDS(by_block_address, struct sw_known_block, SW_UP(address))

static bool tell_heap(struct sw_requests *to, const struct sw_heap *heap) {
    bool good = true;
    to->segments.count = to->blocks.count = 0;
    for (size_t i = 0; good && i < heap->segments.count; i++) {
        good = !heap->segments.items[i].live || known_segment_of(to, heap, &heap->segments.items[i]);
    }
    sw_sort(to->segments.items, to->segments.count, sizeof *to->segments.items, by_segment_address);
    sw_sort(to->blocks.items, to->blocks.count, sizeof *to->blocks.items, by_block_address);
    return good;
}

bool sw_requests_rewind(struct sw_requests *requests, uint32_t buffers, const struct sw_params *params,
                        const struct sw_planner *planner, struct sw_error *error) {
    struct rewind r = {.heap = sw_heap_new(&sw_cuda_caching_heap, buffers, params, planner, SW_UNBOUNDED,
                                           (uint64_t)sw_params_integer(params, planner, "device_memory"), error)};
    if (!r.heap) {
        return false;
    }
    r.settings = &((const struct caching *)r.heap->own)->settings;
    bool good = sw_caching_known(r.heap, requests);
    for (uint32_t b = 0; good && b < r.heap->blocks.count; b++) {
        good = block_at(&r, b)->state != SW_BLOCK_FREE ||
               sw_ordered_add(&r.holes, address_key(block_at(&r, b)->address), b);
    }
    for (size_t i = requests->items.count; good && i-- > 0;) {
        good = undo_request(&r, &requests->items.items[i]);
    }
    good = good && tell_heap(requests, r.heap);
    sw_described_done(&sw_ordered_described, &r.holes);
    sw_heap_free(r.heap);
    return good || sw_fail_memory(error);
}
