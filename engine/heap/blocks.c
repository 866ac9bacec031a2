/* What all heaps have in common: segments, blocks, and the sums over them. */
#include "heap/heap.h"
#include "base/base.h"

struct sw_heap *sw_heap_new(const struct sw_heap_kind *kind, uint32_t buffers, const struct sw_params *params,
                            const struct sw_planner *planner, uint64_t limit, uint64_t device, struct sw_error *error) {
    struct sw_heap *heap = SW_NEW_ZERO(struct sw_heap, 1);
    if (!heap) {
        sw_fail_memory(error);
        return NULL;
    }
    *heap = (struct sw_heap){
        .kind = kind, .spare_block = SW_NONE, .spare_segment = SW_NONE, .limit = limit, .device = device};
    sw_cow_init(&heap->blocks_of, sizeof(uint32_t));
    heap->own = sw_mem_new_zero(1, kind->own->size);
    bool good = (heap->own && sw_cow_resize(&heap->blocks_of, buffers)) || sw_fail_memory(error);
    if (!good || !kind->open(heap, params, planner, error)) {
        sw_heap_free(heap);
        return NULL;
    }
    return heap;
}

#define STATE struct sw_heap
static const struct sw_described heap_described = {
    SW_STRUCT,
    .fields = SW_FIELDS(SW_KEPT(kind, own), SW_LIST(blocks), SW_LIST(segments), SW_PART(blocks_of, &sw_cow_described),
                        SW_PART(free, &sw_ordered_described), SW_KEPT(spare_block, granule))};
#undef STATE

void sw_heap_free(struct sw_heap *heap) {
    if (heap) {
        sw_described_close(heap->kind->own, heap->own);
        sw_described_close(&heap_described, heap);
    }
}

struct sw_heap *sw_heap_clone(const struct sw_heap *from) {
    struct sw_heap *to = sw_described_clone(&heap_described, from);
    if (to && !(to->own = sw_described_clone(from->kind->own, from->own))) {
        sw_heap_free(to);
        return NULL;
    }
    return to;
}

size_t sw_heap_bytes(const struct sw_heap *heap) {
    return sw_described_bytes(&heap_described, heap) + sw_described_bytes(heap->kind->own, heap->own);
}

uint64_t sw_heap_round_up(const struct sw_heap *heap, uint64_t size, const char **reason) {
    *reason = "up to a multiple of the alignment";
    return sw_heap_up(size, heap->granule);
}

struct sw_key sw_heap_size_key(const struct sw_heap *heap, uint32_t block) {
    return (struct sw_key){sw_heap_at(heap, block)->size, sw_heap_at(heap, block)->address, 0};
}

uint32_t sw_heap_block_of(const struct sw_heap *heap, uint32_t buffer) {
    return buffer == SW_NONE ? SW_NONE : *(const uint32_t *)sw_cow_get(&heap->blocks_of, buffer) - 1;
}

/* False: no memory. */
static bool set_block_of(struct sw_heap *heap, uint32_t buffer, uint32_t block) {
    uint32_t *slot = buffer == SW_NONE ? NULL : sw_cow_edit(&heap->blocks_of, buffer);
    if (slot) {
        *slot = block + 1;
    }
    return slot || buffer == SW_NONE;
}

uint64_t sw_heap_digest(const struct sw_heap *heap) {
    uint64_t digest = sw_fold(sw_fold(heap->reserved, heap->fresh), heap->requests);
    for (uint32_t s = 0; s < heap->segments.count; s++) {
        const struct sw_heap_segment *segment = &heap->segments.items[s];
        if (!segment->live) {
            continue;
        }
        digest = sw_fold(sw_fold(sw_fold(digest, s), segment->address), segment->size);
        for (uint32_t b = segment->first; b != SW_NONE; b = sw_heap_at(heap, b)->next) {
            const struct sw_heap_block *block = sw_heap_at(heap, b);
            digest = sw_fold(sw_fold(sw_fold(digest, block->address), block->size), block->requested);
            digest = sw_fold(sw_fold(digest, (uint64_t)block->buffer << 8 | block->state), block->listed);
        }
    }
    return digest;
}

/* ---- segments and blocks ---- */

static uint32_t block_new(struct sw_heap *heap) {
    uint32_t number = heap->spare_block;
    if (number != SW_NONE) {
        heap->spare_block = heap->blocks.items[number].next;
    } else {
        number = (uint32_t)heap->blocks.count;
        if (!SW_PUSH(&heap->blocks, (struct sw_heap_block){.state = SW_BLOCK_GONE})) {
            return SW_NONE;
        }
    }
    heap->blocks.items[number] = (struct sw_heap_block){.previous = SW_NONE,
                                                        .next = SW_NONE,
                                                        .newer = SW_NONE,
                                                        .older = SW_NONE,
                                                        .segment = SW_NONE,
                                                        .buffer = SW_NONE,
                                                        .state = SW_BLOCK_FREE};
    return number;
}

static void block_drop(struct sw_heap *heap, uint32_t number) {
    heap->blocks.items[number] = (struct sw_heap_block){.next = heap->spare_block, .state = SW_BLOCK_GONE};
    heap->spare_block = number;
}

uint32_t sw_heap_segment_add(struct sw_heap *heap, uint64_t address, uint64_t size, bool unmapped) {
    uint32_t block = block_new(heap), number = heap->spare_segment;
    if (block == SW_NONE) {
        return SW_NONE;
    }
    if (number != SW_NONE) {
        heap->spare_segment = heap->segments.items[number].first;
    } else {
        number = (uint32_t)heap->segments.count;
        if (!SW_PUSH(&heap->segments, (struct sw_heap_segment){.live = false})) {
            block_drop(heap, block);
            return SW_NONE;
        }
    }
    heap->segments.items[number] = (struct sw_heap_segment){.address = address,
                                                            .span = size,
                                                            .size = unmapped ? 0 : size,
                                                            .first = block,
                                                            .last = block,
                                                            .made_at = (uint32_t)heap->requests,
                                                            .live = true};
    struct sw_heap_block *b = sw_heap_at(heap, block);
    b->address = address;
    b->size = size;
    b->segment = number;
    b->state = unmapped ? SW_BLOCK_UNMAPPED : SW_BLOCK_FREE;
    heap->reserved += unmapped ? 0 : size;
    return number;
}

uint32_t sw_heap_segment_open(struct sw_heap *heap, uint64_t address, uint64_t span) {
    uint32_t number = sw_heap_segment_add(heap, address, span, false);
    if (number != SW_NONE) {
        heap->reserved -= span;
        heap->segments.items[number].size = 0;
        heap->segments.items[number].open = true;
    }
    return number;
}

uint64_t sw_heap_rise(const struct sw_heap *heap, uint32_t number, uint64_t bytes) {
    const struct sw_heap_block *block = sw_heap_at(heap, number);
    const struct sw_heap_segment *segment = &heap->segments.items[block->segment];
    uint64_t top = segment->address + segment->size, end = block->address + bytes;
    return segment->open && end > top ? end - top : 0;
}

void sw_heap_segment_drop(struct sw_heap *heap, uint32_t number) {
    struct sw_heap_segment *segment = &heap->segments.items[number];
    heap->reserved -= segment->size;
    for (uint32_t b = segment->first, next; b != SW_NONE; b = next) {
        next = sw_heap_at(heap, b)->next;
        block_drop(heap, b);
    }
    *segment = (struct sw_heap_segment){.first = heap->spare_segment, .live = false};
    heap->spare_segment = number;
}

uint32_t sw_heap_cut(struct sw_heap *heap, uint32_t number, uint64_t size) {
    uint32_t fresh = block_new(heap);
    if (fresh == SW_NONE) {
        return SW_NONE;
    }
    struct sw_heap_block *low = sw_heap_at(heap, number), *high = sw_heap_at(heap, fresh);
    high->address = low->address + size;
    high->size = low->size - size;
    high->previous = number;
    high->next = low->next;
    high->segment = low->segment;
    high->state = low->state == SW_BLOCK_UNMAPPED ? SW_BLOCK_UNMAPPED : SW_BLOCK_FREE;
    high->stream = low->stream;
    if (low->next != SW_NONE) {
        sw_heap_at(heap, low->next)->previous = fresh;
    } else {
        heap->segments.items[low->segment].last = fresh;
    }
    low->next = fresh;
    heap->allocated -= low->state == SW_BLOCK_USED ? high->size : 0;
    heap->active -= low->state == SW_BLOCK_USED || low->state == SW_BLOCK_WAITING ? high->size : 0;
    low->size = size;
    return fresh;
}

uint32_t sw_heap_cut_off(struct sw_heap *heap, uint32_t number, uint64_t address) {
    uint64_t below = address - sw_heap_at(heap, number)->address;
    uint32_t rest = below > 0 ? sw_heap_cut(heap, number, below) : number;
    return rest == SW_NONE || (below > 0 && !sw_heap_list(heap, number)) ? SW_NONE : rest;
}

bool sw_heap_keep_low(struct sw_heap *heap, uint32_t number, uint64_t size) {
    uint32_t rest = size < sw_heap_at(heap, number)->size ? sw_heap_cut(heap, number, size) : number;
    return rest == number || (rest != SW_NONE && sw_heap_list(heap, rest));
}

void sw_heap_join(struct sw_heap *heap, uint32_t number) {
    struct sw_heap_block *low = sw_heap_at(heap, number);
    uint32_t gone = low->next;
    struct sw_heap_block *high = sw_heap_at(heap, gone);
    low->size += high->size;
    low->next = high->next;
    if (low->next != SW_NONE) {
        sw_heap_at(heap, low->next)->previous = number;
    } else {
        heap->segments.items[low->segment].last = number;
    }
    block_drop(heap, gone);
}

/* The last block of a segment, and with it the segment, becomes longer. */
static void lengthen(struct sw_heap *heap, uint32_t block, uint64_t more) {
    struct sw_heap_segment *segment = &heap->segments.items[sw_heap_at(heap, block)->segment];
    sw_heap_at(heap, block)->size += more;
    segment->size += more;
    segment->span += more;
    heap->reserved += more;
}

uint32_t sw_heap_append(struct sw_heap *heap, uint32_t number, uint64_t more) {
    uint32_t fresh = block_new(heap), last = heap->segments.items[number].last;
    if (fresh == SW_NONE) {
        return SW_NONE;
    }
    struct sw_heap_block *low = sw_heap_at(heap, last), *high = sw_heap_at(heap, fresh);
    high->address = low->address + low->size;
    high->previous = last;
    high->segment = number;
    low->next = fresh;
    heap->segments.items[number].last = fresh;
    lengthen(heap, fresh, more);
    return fresh;
}

uint32_t sw_heap_extend(struct sw_heap *heap, uint32_t *number, uint64_t more) {
    if (*number == SW_NONE) {
        *number = sw_heap_segment_add(heap, 0, more, false);
        return *number == SW_NONE ? SW_NONE : heap->segments.items[*number].first;
    }
    uint32_t block = heap->segments.items[*number].last;
    if (sw_heap_at(heap, block)->state != SW_BLOCK_FREE) {
        return sw_heap_append(heap, *number, more);
    }
    lengthen(heap, block, more);
    return block;
}

bool sw_heap_take(struct sw_heap *heap, uint32_t number, const struct sw_turn *turn) {
    struct sw_heap_block *block = sw_heap_at(heap, number);
    uint64_t rise = sw_heap_rise(heap, number, block->size - heap->header);
    if (!set_block_of(heap, turn->buffer, number)) {
        return false;
    }
    heap->segments.items[block->segment].size += rise;
    heap->reserved += rise;
    block->state = SW_BLOCK_USED;
    block->buffer = turn->buffer;
    block->requested = turn->size;
    block->rounded = turn->rounded;
    block->stream = turn->stream;
    heap->allocated += block->size;
    heap->active += block->size;
    heap->requested += turn->size;
    heap->rounded += turn->rounded;
    return true;
}

void sw_heap_wait(struct sw_heap *heap, uint32_t number) {
    struct sw_heap_block *block = sw_heap_at(heap, number);
    block->state = SW_BLOCK_WAITING;
    heap->allocated -= block->size;
    heap->requested -= block->requested;
    heap->pending += block->requested;
}

bool sw_heap_release(struct sw_heap *heap, uint32_t number) {
    struct sw_heap_block *block = sw_heap_at(heap, number);
    if (!set_block_of(heap, block->buffer, SW_NONE)) {
        return false;
    }
    if (block->state == SW_BLOCK_USED) {
        heap->allocated -= block->size;
        heap->requested -= block->requested;
    } else {
        heap->pending -= block->requested;
    }
    heap->active -= block->size;
    heap->rounded -= block->rounded;
    block->state = SW_BLOCK_FREE;
    block->buffer = SW_NONE;
    block->requested = block->rounded = 0;
    return true;
}

/* ---- lists of free blocks ---- */

bool sw_heap_list(struct sw_heap *heap, uint32_t block) {
    return heap->kind->list ? heap->kind->list(heap, block)
                            : sw_ordered_add(&heap->free, heap->kind->key(heap, block), block);
}

void sw_heap_unlist(struct sw_heap *heap, uint32_t block) {
    if (heap->kind->unlist) {
        heap->kind->unlist(heap, block);
    } else {
        sw_ordered_remove(&heap->free, heap->kind->key(heap, block));
    }
}

size_t sw_heap_free_order(const struct sw_heap *heap, uint32_t *to, size_t room) {
    return heap->kind->free_order ? heap->kind->free_order(heap, to, room) : sw_ordered_list(&heap->free, to, room);
}

/* ---- sums ---- */

uint64_t sw_heap_extent(const struct sw_heap *heap, uint32_t number) {
    const struct sw_heap_block *block = sw_heap_at(heap, number);
    const struct sw_heap_segment *segment = &heap->segments.items[block->segment];
    uint64_t top = segment->address + segment->size;
    bool endless = segment->open && block->next == SW_NONE && block->state == SW_BLOCK_FREE;
    return !endless ? block->size : top > block->address ? top - block->address : 0;
}

uint32_t sw_heap_block_at(const struct sw_heap *heap, uint64_t address) {
    for (uint32_t s = 0; s < heap->segments.count; s++) {
        const struct sw_heap_segment *segment = &heap->segments.items[s];
        if (!segment->live || address < segment->address || address - segment->address >= segment->span) {
            continue;
        }
        for (uint32_t b = segment->first; b != SW_NONE; b = sw_heap_at(heap, b)->next) {
            if (address - sw_heap_at(heap, b)->address < sw_heap_at(heap, b)->size) {
                return b;
            }
        }
    }
    return SW_NONE;
}

uint64_t sw_heap_largest_free(const struct sw_heap *heap) {
    uint64_t largest = 0;
    for (uint32_t i = 0; i < heap->blocks.count; i++) {
        uint64_t size = sw_heap_at(heap, i)->state == SW_BLOCK_FREE ? sw_heap_extent(heap, i) : 0;
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* At an open end the header behind the highest block is not reserved yet. */
static uint64_t reserved_of(const struct sw_heap *heap, const struct sw_heap_block *block) {
    const struct sw_heap_segment *segment = &heap->segments.items[block->segment];
    uint64_t room = segment->address + segment->size - block->address;
    return segment->open && room < block->size ? room : block->size;
}

void sw_heap_waste(const struct sw_heap *heap, uint64_t wanted, struct sw_heap_waste *waste) {
    *waste = (struct sw_heap_waste){.untold = heap->elsewhere};
    for (uint32_t i = 0; i < heap->blocks.count; i++) {
        const struct sw_heap_block *block = sw_heap_at(heap, i);
        if (block->state == SW_BLOCK_USED) {
            waste->rounding += block->rounded - block->requested;
            waste->unsplit += reserved_of(heap, block) - block->rounded;
        } else if (block->state == SW_BLOCK_WAITING) {
            waste->waiting += reserved_of(heap, block);
        } else if (block->state == SW_BLOCK_FREE) {
            uint64_t size = sw_heap_extent(heap, i);
            bool whole = size == heap->segments.items[block->segment].size;
            *(heap->partial   ? &waste->untold
              : whole         ? &waste->cached
              : size < wanted ? &waste->small_holes
                              : &waste->holes) += size;
        }
    }
}

static bool unsound(struct sw_error *error, const char *what, uint32_t segment, uint64_t address) {
    return sw_fail(error, SW_ERROR_UNSUPPORTED, "%s in segment %u at %llu", what, segment, (unsigned long long)address);
}

bool sw_heap_lists_sound(const struct sw_heap *heap, size_t listed, bool merged, struct sw_error *error) {
    size_t free_ = 0;
    for (uint32_t i = 0; i < heap->blocks.count; i++) {
        const struct sw_heap_block *block = sw_heap_at(heap, i);
        if (block->state != SW_BLOCK_FREE) {
            continue;
        }
        free_++;
        if (merged && sw_heap_has_free_neighbor(heap, i)) {
            return unsound(error, "free blocks touch", block->segment, block->address);
        }
    }
    return free_ == listed || unsound(error, "the lists do not have all free blocks", 0, 0);
}

static bool segment_sound(const struct sw_heap *heap, uint32_t number, struct sw_heap *sums, struct sw_error *error) {
    const struct sw_heap_segment *segment = &heap->segments.items[number];
    uint64_t at = segment->address, mapped = 0, reached = 0;
    uint32_t before = SW_NONE;
    for (uint32_t b = segment->first; b != SW_NONE; b = sw_heap_at(heap, b)->next) {
        const struct sw_heap_block *block = sw_heap_at(heap, b);
        if (block->address != at || block->size == 0 || block->segment != number || block->previous != before) {
            return unsound(error, "blocks do not follow one another", number, at);
        }
        if (block->buffer != SW_NONE && (block->state == SW_BLOCK_FREE || block->state == SW_BLOCK_UNMAPPED ||
                                         sw_heap_block_of(heap, block->buffer) != b)) {
            return unsound(error, "a block has a buffer that is not its own", number, at);
        }
        sums->allocated += block->state == SW_BLOCK_USED ? block->size : 0;
        sums->requested += block->state == SW_BLOCK_USED ? block->requested : 0;
        sums->pending += block->state == SW_BLOCK_WAITING ? block->requested : 0;
        sums->rounded += block->rounded;
        sums->active += block->state == SW_BLOCK_USED || block->state == SW_BLOCK_WAITING ? block->size : 0;
        mapped += block->state == SW_BLOCK_UNMAPPED ? 0 : block->size;
        reached = block->buffer == SW_NONE ? reached : at + block->size - heap->header - segment->address;
        at += block->size;
        before = b;
    }
    sums->reserved += segment->size;
    bool reserves = segment->open ? reached <= segment->size && segment->size <= mapped : mapped == segment->size;
    return (at == segment->address + segment->span && reserves && before == segment->last) ||
           unsound(error, "blocks do not fill the segment", number, at);
}

bool sw_heap_sound(const struct sw_heap *heap, struct sw_error *error) {
    struct sw_heap sums = {.reserved = heap->elsewhere};
    for (uint32_t s = 0; s < heap->segments.count; s++) {
        if (heap->segments.items[s].live && !segment_sound(heap, s, &sums, error)) {
            return false;
        }
    }
    if (sums.reserved != heap->reserved || sums.allocated != heap->allocated || sums.active != heap->active ||
        sums.requested != heap->requested || sums.pending != heap->pending || sums.rounded != heap->rounded) {
        return unsound(error, "the sums are wrong", 0, 0);
    }
    return heap->kind->sound ? heap->kind->sound(heap, error)
                             : sw_heap_lists_sound(heap, heap->free.count, true, error);
}
