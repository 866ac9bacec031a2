/* How a request is served: the order of acts that all allocators have in common. */
#include "heap/heap.h"

enum { SERVE_BEGIN, SERVE_LOOK, SERVE_GROW, SERVE_SPLIT };

static void fill_act(struct sw_heap *heap, struct sw_act *act, enum sw_act_kind kind, uint32_t block,
                     const char *reason) {
    const struct sw_heap_block *b = sw_heap_at(heap, block);
    *act = (struct sw_act){.kind = kind,
                           .block = block,
                           .segment = b->segment,
                           .address = b->address,
                           .size = sw_heap_extent(heap, block),
                           .reason = reason};
}

static void fill_bare(struct sw_act *act, enum sw_act_kind kind, uint64_t size, const char *reason) {
    *act = (struct sw_act){.kind = kind, .block = SW_NONE, .segment = SW_NONE, .size = size, .reason = reason};
}

/* ---- a request for memory ---- */

/* The low `keeps` bytes of turn->block stay the request's, the rest is listed. SW_NONE: no memory. */
static uint32_t part_block(struct sw_heap *heap, struct sw_turn *turn, uint64_t keeps) {
    uint32_t rest = sw_heap_cut(heap, turn->block, keeps);
    if (rest != SW_NONE && heap->kind->rest_keeps_owner) {
        sw_heap_at(heap, rest)->stream = turn->owner;
    }
    return rest != SW_NONE && sw_heap_list(heap, rest) ? rest : SW_NONE;
}

/* The request has turn->block now: all of it, but of an open end only what it keeps, for the rest was never reserved.
 */
static bool serve_block(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act, struct sw_error *error) {
    const char *why;
    const struct sw_heap_block *block = sw_heap_at(heap, turn->block);
    uint64_t keeps = heap->kind->keeps(heap, turn, &why);
    turn->owner = block->stream;
    if (keeps < block->size && block->next == SW_NONE && heap->segments.items[block->segment].open &&
        part_block(heap, turn, keeps) == SW_NONE) {
        return sw_fail_memory(error);
    }
    if (!sw_heap_take(heap, turn->block, turn)) {
        return sw_fail_memory(error);
    }
    turn->at = SERVE_SPLIT;
    act->last = keeps >= sw_heap_at(heap, turn->block)->size;
    return true;
}

bool sw_heap_taken(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act, const char *reason,
                   struct sw_error *error) {
    fill_act(heap, act, SW_ACT_FIND, turn->block, reason);
    return serve_block(heap, turn, act, error);
}

static bool look_for_block(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act,
                           struct sw_explanation *explain, struct sw_error *error) {
    const char *reason = "no free block is large enough";
    turn->block = SW_NONE;
    if (!heap->kind->pick(heap, turn, &reason, explain, error)) {
        return false;
    }
    if (turn->block == SW_NONE) {
        fill_bare(act, SW_ACT_MISS, turn->rounded, reason);
        turn->at = SERVE_GROW;
        return true;
    }
    sw_heap_unlist(heap, turn->block);
    fill_act(heap, act, SW_ACT_FIND, turn->block, turn->choice >= 0 ? "chosen by the user" : reason);
    turn->choice = -1;
    if (!serve_block(heap, turn, act, error)) {
        return false;
    }
    act->size = sw_heap_at(heap, turn->block)->size;
    return true;
}

static bool grow_heap(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act, struct sw_error *error) {
    fill_bare(act, SW_ACT_FAIL, turn->rounded, "");
    if (!heap->kind->grow(heap, turn, act)) {
        return sw_fail_memory(error);
    }
    act->last = act->kind == SW_ACT_FAIL;
    act->size = act->last ? turn->rounded : act->size;
    if (turn->block != SW_NONE) {
        const struct sw_heap_block *block = sw_heap_at(heap, turn->block);
        act->placed = act->kind == SW_ACT_GROW;
        act->grown = act->address;
        act->block = turn->block;
        act->segment = block->segment;
        act->address = block->address;
        return serve_block(heap, turn, act, error);
    }
    act->grown = act->address;
    if (turn->again) {
        turn->again = false;
        turn->at = SERVE_LOOK;
    }
    return true;
}

static bool split_block(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act, struct sw_error *error) {
    const char *reason = "", *why;
    uint64_t keeps = heap->kind->keeps(heap, turn, &reason);
    uint32_t rest = part_block(heap, turn, keeps);
    if (rest == SW_NONE) {
        return sw_fail_memory(error);
    }
    fill_act(heap, act, SW_ACT_SPLIT, rest, reason);
    act->last = heap->kind->keeps(heap, turn, &why) >= sw_heap_at(heap, turn->block)->size;
    return true;
}

static bool serve_alloc(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act, struct sw_explanation *explain,
                        struct sw_error *error) {
    const char *reason = "";
    switch (turn->at) {
    case SERVE_BEGIN:
        turn->at = SERVE_LOOK;
        if (turn->size == 0) {
            fill_bare(act, SW_ACT_NOTHING, 0, "a request for 0 bytes gets nothing");
            act->last = true;
            return true;
        }
        turn->rounded = heap->kind->round(heap, turn->size, &reason);
        if (turn->rounded == turn->size) {
            return look_for_block(heap, turn, act, explain, error);
        }
        fill_bare(act, SW_ACT_ROUND, turn->rounded, reason);
        act->before = turn->size;
        return true;
    case SERVE_LOOK:
        return look_for_block(heap, turn, act, explain, error);
    case SERVE_GROW:
        return grow_heap(heap, turn, act, error);
    default:
        return split_block(heap, turn, act, error);
    }
}

bool sw_heap_can_take_over(const struct sw_heap *heap, uint32_t over, uint64_t size) {
    const char *reason;
    uint32_t block = sw_heap_block_of(heap, over);
    return size > 0 && block != SW_NONE &&
           sw_heap_at(heap, block)->size - heap->header >= heap->kind->round(heap, size, &reason);
}

/* The block of another buffer, which is as large as is needed, or larger: what is left over is split off. */
static bool take_block_over(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act, struct sw_error *error) {
    const char *reason;
    if (turn->at == SERVE_SPLIT) {
        return split_block(heap, turn, act, error);
    }
    turn->block = sw_heap_block_of(heap, turn->over);
    turn->rounded = heap->kind->round(heap, turn->size, &reason);
    if (!sw_heap_can_take_over(heap, turn->over, turn->size)) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "there is no block to be written over");
    }
    if (!sw_heap_release(heap, turn->block)) {
        return sw_fail_memory(error);
    }
    fill_act(heap, act, SW_ACT_OVER, turn->block, "in place, over an argument that is used here for the last time");
    return serve_block(heap, turn, act, error);
}

/* ---- giving back ---- */

bool sw_heap_has_free_neighbor(const struct sw_heap *heap, uint32_t number) {
    const struct sw_heap_block *block = sw_heap_at(heap, number);
    return (block->previous != SW_NONE && sw_heap_at(heap, block->previous)->state == SW_BLOCK_FREE) ||
           (block->next != SW_NONE && sw_heap_at(heap, block->next)->state == SW_BLOCK_FREE);
}

uint32_t sw_heap_merge_alike(struct sw_heap *heap, uint32_t number, sw_heap_alike_fn *alike) {
    uint32_t next = sw_heap_at(heap, number)->next, previous = sw_heap_at(heap, number)->previous;
    if (next != SW_NONE && alike(heap, number, next)) {
        sw_heap_unlist(heap, next);
        sw_heap_join(heap, number);
    }
    if (previous != SW_NONE && alike(heap, number, previous)) {
        sw_heap_unlist(heap, previous);
        sw_heap_join(heap, previous);
        number = previous;
    }
    return number;
}

static bool is_free_neighbor(const struct sw_heap *heap, uint32_t block, uint32_t neighbor) {
    (void)block;
    return sw_heap_at(heap, neighbor)->state == SW_BLOCK_FREE;
}

uint32_t sw_heap_merge_neighbors(struct sw_heap *heap, uint32_t number) {
    return sw_heap_merge_alike(heap, number, is_free_neighbor);
}

static bool can_merge(const struct sw_heap *heap, uint32_t block) {
    return (heap->kind->can_merge ? heap->kind->can_merge : sw_heap_has_free_neighbor)(heap, block);
}

static bool merge_block(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act, struct sw_error *error) {
    uint64_t before = sw_heap_at(heap, turn->block)->size;
    turn->block = (heap->kind->merge ? heap->kind->merge : sw_heap_merge_neighbors)(heap, turn->block);
    fill_act(heap, act, SW_ACT_MERGE, turn->block, "free neighbors become one block");
    act->before = before;
    act->last = !can_merge(heap, turn->block);
    return !act->last || sw_heap_list(heap, turn->block) || sw_fail_memory(error);
}

static bool serve_free(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act, struct sw_error *error) {
    if (turn->at != SERVE_BEGIN) {
        return merge_block(heap, turn, act, error);
    }
    turn->at = SERVE_SPLIT;
    turn->block = sw_heap_block_of(heap, turn->buffer);
    if (turn->block == SW_NONE) {
        fill_bare(act, SW_ACT_NOTHING, 0, "it has no block");
        act->last = true;
        return true;
    }
    bool waits = turn->kind == SW_REQUEST_FREE_ASKED;
    fill_act(heap, act, waits ? SW_ACT_WAIT : SW_ACT_FREE, turn->block,
             waits ? "another stream may still use it" : "the program gives it back");
    if (waits) {
        if (sw_heap_at(heap, turn->block)->state == SW_BLOCK_USED) {
            sw_heap_wait(heap, turn->block);
        }
        act->last = true;
        return true;
    }
    if (!sw_heap_release(heap, turn->block)) {
        return sw_fail_memory(error);
    }
    act->last = !can_merge(heap, turn->block);
    return !act->last || sw_heap_list(heap, turn->block) || sw_fail_memory(error);
}

bool sw_heap_act(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act, struct sw_explanation *explain,
                 struct sw_error *error) {
    switch (turn->kind) {
    case SW_REQUEST_ALLOC:
        return serve_alloc(heap, turn, act, explain, error);
    case SW_REQUEST_OVER:
        return take_block_over(heap, turn, act, error);
    case SW_REQUEST_EMPTY:
        fill_bare(act, SW_ACT_RELEASE, 0, "this allocator gives nothing back");
        act->last = !heap->kind->empty;
        return act->last || heap->kind->empty(heap, turn, act) || sw_fail_memory(error);
    default:
        return serve_free(heap, turn, act, error);
    }
}

bool sw_heap_serve(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *last, uint64_t *address,
                   struct sw_error *error) {
    struct sw_act act;
    uint64_t at = SW_NO_ADDRESS;
    do {
        if (!sw_heap_act(heap, turn, &act, NULL, error)) {
            return false;
        }
        if (act.kind == SW_ACT_FIND || (act.kind == SW_ACT_GROW && act.placed)) {
            at = act.address;
        }
    } while (!act.last);
    heap->requests += turn->kind == SW_REQUEST_ALLOC;
    if (last) {
        *last = act;
    }
    if (address) {
        *address = at;
    }
    return true;
}
