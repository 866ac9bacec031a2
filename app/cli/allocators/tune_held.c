/* What keeps segments from being given back: in each, the block that lives longest. */
#include "cli/allocators/tune.h"

#include <string.h>

/* Per buffer: the request from `next` on with which it is given back; SIZE_MAX: none. */
static size_t *ends_of(const struct sw_online_look *look, size_t buffers) {
    size_t *ends = SW_NEW(size_t, buffers + 1);
    for (size_t i = 0; ends && i < buffers; i++) {
        ends[i] = SIZE_MAX;
    }
    for (size_t i = look->requests->items.count; ends && i-- > look->next;) {
        const struct sw_request *request = &look->requests->items.items[i];
        bool ends_here = request->kind == SW_REQUEST_FREE || request->kind == SW_REQUEST_FREE_COMPLETED;
        if (ends_here && request->buffer != SW_NONE) {
            ends[request->buffer] = i;
        }
    }
    return ends;
}

/* Those with most free bytes, by address among equals. */
static void keep_held(struct tune_held_list *list, const struct tune_held *held) {
    list->segments++;
    list->free += held->free;
    size_t at = list->count;
    while (at > 0 && (list->items[at - 1].free < held->free ||
                      (list->items[at - 1].free == held->free && list->items[at - 1].address > held->address))) {
        at--;
    }
    if (at < TUNE_HELD) {
        list->count += list->count < TUNE_HELD;
        memmove(&list->items[at + 1], &list->items[at], (list->count - at - 1) * sizeof *held);
        list->items[at] = *held;
    }
}

bool tune_find_held(const struct sw_search *search, struct tune_held_list *list) {
    struct sw_online_look look;
    size_t buffers = sw_problem_buffer_count(sw_search_problem(search));
    sw_served_look(search, &look);
    size_t *ends = ends_of(&look, buffers);
    *list = (struct tune_held_list){.request = look.heap->requests};
    for (size_t s = 0; ends && s < look.heap->segments.count; s++) {
        const struct sw_heap_segment *segment = &look.heap->segments.items[s];
        const struct sw_heap_block *holder = NULL;
        struct tune_held held = {.address = segment->address, .size = segment->size};
        for (uint32_t b = segment->live ? segment->first : SW_NONE; b != SW_NONE;) {
            const struct sw_heap_block *block = &look.heap->blocks.items[b];
            if (block->state == SW_BLOCK_FREE) {
                held.free += sw_heap_extent(look.heap, b);
            } else if (block->buffer != SW_NONE &&
                       (!holder || ends[block->buffer] > ends[holder->buffer] ||
                        (ends[block->buffer] == ends[holder->buffer] && block->size > holder->size))) {
                holder = block;
            }
            b = block->next;
        }
        if (holder && held.free > 0) {
            size_t end = ends[holder->buffer];
            held.buffer = holder->buffer;
            held.block = holder->size;
            held.ends = end != SIZE_MAX;
            held.time = held.ends ? look.requests->items.items[end].time : 0;
            keep_held(list, &held);
        }
    }
    bool good = ends != NULL;
    SW_FREE(ends, buffers + 1);
    return good;
}
