/* cuda-caching: the heap as it was when recording began, and what a record does to it. */
#include "heap/caching/cuda_caching.h"
#include "heap/caching/known.h"

/* ---- when recording began ---- */

/* What lies behind the first bytes of a block becomes one of its own: `behind`, or SW_NONE. False: no memory. */
static bool cut_behind(struct sw_heap *heap, uint32_t block, uint64_t size, uint32_t *behind) {
    bool longer = size < sw_heap_at(heap, block)->size;
    *behind = longer ? sw_heap_cut(heap, block, size) : SW_NONE;
    return !longer || *behind != SW_NONE;
}

/* The block at the front of `rest` becomes what is known of it. Gives the block behind it; SW_NONE: no memory, or
 * (`end`) there is nothing behind it. */
static bool shape_block(struct sw_heap *heap, uint32_t block, const struct sw_known_block *known, uint32_t *behind) {
    if (!cut_behind(heap, block, known->size, behind)) {
        return false;
    }
    if (known->state == SW_KNOWN_FREE) {
        return sw_heap_list(heap, block);
    }
    const char *why;
    struct sw_turn turn = SW_TURN_NEW;
    turn.buffer = known->buffer;
    turn.size = known->requested;
    turn.stream = known->stream;
    turn.rounded = heap->kind->round(heap, known->requested, &why);
    turn.rounded = turn.rounded < known->size ? turn.rounded : known->size;
    if (!sw_heap_take(heap, block, &turn)) {
        return false;
    }
    if (known->state == SW_KNOWN_WAITING) {
        sw_heap_wait(heap, block);
    }
    return true;
}

bool sw_heap_fill(struct sw_heap *heap, uint32_t block, const struct sw_requests *requests, size_t *at, uint64_t end) {
    uint32_t behind = block;
    for (; *at < requests->blocks.count && requests->blocks.items[*at].address < end; ++*at) {
        const struct sw_known_block *known = &requests->blocks.items[*at];
        if (behind == SW_NONE || known->address != sw_heap_at(heap, behind)->address) {
            continue; /* the snapshot contradicts itself */
        }
        block = behind;
        if (!shape_block(heap, block, known, &behind)) {
            return false;
        }
    }
    return behind == SW_NONE || sw_heap_list(heap, behind);
}

/* How far a range reaches that begins there: 9/8 of the device, or to the next segment of others. */
static uint64_t range_end(const struct sw_heap *heap, const struct sw_requests *requests, size_t first, uint64_t page) {
    const struct sw_known_segment *s = &requests->segments.items[first];
    uint64_t device = heap->device == SW_UNBOUNDED ? UINT64_C(1) << 40 : heap->device;
    uint64_t end = s->address + sw_heap_up(device + device / 8, page);
    for (size_t i = first + 1; i < requests->segments.count; i++) {
        const struct sw_known_segment *next = &requests->segments.items[i];
        bool own = next->expandable && next->stream == s->stream && next->pool == s->pool && next->small == s->small;
        if (!own && next->address < end && next->address > s->address) {
            end = s->address + (next->address - s->address) / page * page;
        }
    }
    return end < s->address + s->size ? s->address + s->size : end; /* at least itself */
}

uint32_t sw_caching_segment_add(struct sw_heap *heap, const struct sw_known_segment *known, uint64_t span,
                                uint64_t page) {
    uint32_t number = sw_heap_segment_add(heap, known->address, span, page > 0);
    if (number != SW_NONE) {
        struct sw_heap_segment *segment = &heap->segments.items[number];
        segment->stream = known->stream;
        segment->pool = known->pool;
        segment->small = known->small;
        segment->page = page;
    }
    return number;
}

uint64_t sw_caching_page(const struct sw_heap *heap, bool small) {
    return small ? 2 * SW_MIB : ((const struct caching *)heap->own)->settings.large_segment;
}

/* Stretches of mapped pages in one range, and what lies in them. */
static bool map_known_range(struct sw_heap *heap, const struct sw_requests *requests, size_t *at, size_t *blocks) {
    const struct sw_known_segment *first = &requests->segments.items[*at];
    uint64_t page = sw_caching_page(heap, first->small), end = range_end(heap, requests, *at, page);
    uint32_t number = sw_caching_segment_add(heap, first, end - first->address, page);
    if (number == SW_NONE) {
        return false;
    }
    uint32_t block = heap->segments.items[number].first;
    for (; *at < requests->segments.count && requests->segments.items[*at].address < end; ++*at) {
        const struct sw_known_segment *known = &requests->segments.items[*at];
        uint64_t from = known->address, to = known->address + known->size;
        if (from < sw_heap_at(heap, block)->address || to > end) {
            continue;
        }
        uint32_t behind;
        block = sw_heap_cut_off(heap, block, from);
        if (block == SW_NONE || !cut_behind(heap, block, to - from, &behind)) {
            return false;
        }
        sw_heap_at(heap, block)->state = SW_BLOCK_FREE;
        heap->segments.items[number].size += to - from;
        heap->reserved += to - from;
        if (!sw_heap_fill(heap, block, requests, blocks, to)) {
            return false;
        }
        block = behind;
        if (block == SW_NONE) {
            ++*at;
            return true;
        }
    }
    return sw_caching_list(heap, block);
}

bool sw_caching_known(struct sw_heap *heap, const struct sw_requests *requests) {
    size_t block = 0;
    for (size_t i = 0; i < requests->segments.count;) {
        const struct sw_known_segment *known = &requests->segments.items[i];
        if (!sw_caching_need_pool(heap, known->pool, true)) {
            return false;
        }
        while (block < requests->blocks.count && requests->blocks.items[block].address < known->address) {
            block++;
        }
        if (known->expandable) {
            if (!map_known_range(heap, requests, &i, &block)) {
                return false;
            }
            continue;
        }
        uint32_t number = sw_caching_segment_add(heap, known, known->size, 0);
        if (number == SW_NONE ||
            !sw_heap_fill(heap, heap->segments.items[number].first, requests, &block, known->address + known->size)) {
            return false;
        }
        i++;
    }
    for (size_t i = 0; i < heap->segments.count; i++) {
        uint64_t end = heap->segments.items[i].address + heap->segments.items[i].span;
        heap->fresh = end > heap->fresh ? end : heap->fresh;
        heap->segments.items[i].made_at = SW_NONE;
    }
    return true;
}

/* ---- along the record ---- */

static bool make_pages(struct sw_heap *heap, const struct sw_request *request, bool small) {
    uint64_t page = sw_caching_page(heap, small);
    uint32_t block = sw_heap_block_at(heap, request->address);
    if (block == SW_NONE) {
        struct sw_known_segment range = {request->address, 0, request->stream, request->pool, small, true};
        uint64_t device = heap->device == SW_UNBOUNDED ? UINT64_C(1) << 40 : heap->device;
        uint32_t number = sw_caching_segment_add(heap, &range, sw_heap_up(device + device / 8, page), page);
        if (number == SW_NONE) {
            return false;
        }
        block = heap->segments.items[number].first;
    } else if (sw_heap_at(heap, block)->state != SW_BLOCK_UNMAPPED ||
               request->address + request->size > sw_heap_at(heap, block)->address + sw_heap_at(heap, block)->size) {
        return true; /* it is mapped already: the record contradicts what is known */
    } else {
        sw_caching_unlist(heap, block);
    }
    block = sw_heap_cut_off(heap, block, request->address);
    if (block == SW_NONE || !sw_heap_keep_low(heap, block, request->size)) {
        return false;
    }
    sw_heap_at(heap, block)->state = SW_BLOCK_FREE;
    heap->segments.items[sw_heap_at(heap, block)->segment].size += request->size;
    heap->reserved += request->size;
    return sw_caching_list(heap, sw_heap_merge_neighbors(heap, block));
}

bool sw_caching_made(struct sw_heap *heap, const struct sw_request *request, uint64_t rounded) {
    bool plain = request->kind == SW_REQUEST_SEGMENT_MADE || request->kind == SW_REQUEST_SEGMENT_GONE;
    bool small = rounded ? rounded <= SW_MIB
                 : plain ? request->size == 2 * SW_MIB
                         : request->size % sw_caching_page(heap, false) != 0;
    if (!sw_caching_need_pool(heap, request->pool, true)) {
        return false;
    }
    if (!plain) {
        return make_pages(heap, request, small);
    }
    if (sw_heap_block_at(heap, request->address) != SW_NONE) {
        return true; /* there is memory already: the record contradicts what is known */
    }
    struct sw_known_segment segment = {request->address, request->size, request->stream, request->pool, small, false};
    uint32_t number = sw_caching_segment_add(heap, &segment, request->size, 0);
    return number != SW_NONE && sw_caching_list(heap, heap->segments.items[number].first);
}

bool sw_caching_gone(struct sw_heap *heap, const struct sw_request *request, uint64_t *bytes) {
    uint32_t block = sw_heap_block_at(heap, request->address);
    *bytes = 0;
    if (block == SW_NONE || sw_heap_at(heap, block)->state != SW_BLOCK_FREE) {
        return true;
    }
    if (request->kind == SW_REQUEST_SEGMENT_GONE) {
        struct sw_act act = {.block = SW_NONE};
        if (sw_caching_is_whole(heap, block)) {
            sw_caching_release_segment(heap, block, &act);
        }
        *bytes = act.size;
        return true;
    }
    return sw_caching_unmap(heap, block, bytes);
}

/* A used block that is longer than what was asked for, and of which the record shows that it ended at the address or
 * before: its end is free. The free block that there is then; SW_NONE: no memory. */
static uint32_t shorten_block(struct sw_heap *heap, uint32_t number, uint64_t address) {
    uint64_t size = address - sw_heap_at(heap, number)->address;
    uint32_t tail = sw_heap_cut(heap, number, size);
    if (tail == SW_NONE) {
        return SW_NONE;
    }
    struct sw_heap_block *block = sw_heap_at(heap, number);
    heap->rounded -= block->rounded > size ? block->rounded - size : 0;
    block->rounded = block->rounded > size ? size : block->rounded;
    tail = sw_heap_merge_neighbors(heap, tail);
    return sw_caching_list(heap, tail) ? tail : SW_NONE;
}

bool sw_caching_carve(struct sw_heap *heap, struct sw_turn *turn, uint64_t address, uint32_t *to) {
    uint32_t block = sw_heap_block_at(heap, address);
    *to = SW_NONE;
    if (block == SW_NONE || sw_heap_at(heap, block)->state == SW_BLOCK_UNMAPPED) {
        return true;
    }
    if (sw_heap_at(heap, block)->state != SW_BLOCK_FREE) {
        const struct sw_heap_block *used = sw_heap_at(heap, block);
        if (address == used->address || used->address + used->requested > address) {
            return true; /* the record contradicts itself */
        }
        if ((block = shorten_block(heap, block, address)) == SW_NONE) {
            return false;
        }
    }
    uint64_t room = sw_heap_at(heap, block)->address + sw_heap_at(heap, block)->size - address;
    if (room < turn->size) {
        return true;
    }
    turn->rounded = room < turn->rounded ? room : turn->rounded;
    sw_caching_unlist(heap, block);
    turn->block = *to = sw_heap_cut_off(heap, block, address);
    return *to != SW_NONE;
}
