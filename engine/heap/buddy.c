/* buddy: the binary buddy system. Every block is a power of two and lies at a multiple of its size.
 *
 * - A size is rounded up to the next power of two, at least `least`.
 * - A request takes the lowest block of the smallest size that has a free one, and halves it until it is as small as
 *   needed; the low half is kept each time, the high half stays free.
 * - A freed block joins its buddy, the other half of what it was cut from, if that is free as a whole; then the two
 *   together join theirs, and so on. The buddy's address differs in one bit, so no search is needed.
 * - If no block is large enough, the arena doubles, and its new upper half is freed like a block: it joins a lower half
 *   that is wholly free. An empty arena becomes just as large as the request. It never shrinks.
 *
 * Variants of the system differ in which block of a size is taken (here the lowest) and in how the arena grows; these
 * are a choice of ours.
 *
 * What to watch. A size just above a power of two wastes nearly half of its block, and two free neighbors of the same
 * size do not join if they are no buddies.
 *
 * Source: Knowlton, "A fast storage allocator", CACM 8 (1965); Knuth, The Art of Computer Programming, volume 1, 2.5.
 */
#include "heap/kinds.h"

#include <string.h>

struct buddy {
    uint32_t segment; /* the arena; SW_NONE: it is empty */
};

const struct sw_parameter sw_buddy_parameters[] = {
    {"least", SW_PARAMETER_INTEGER, "256", 1, 1 << 30, NULL, "Bytes of the least block; a power of two"},
    {"initial", SW_PARAMETER_INTEGER, "0", 0, (double)SW_MAX_BYTES, NULL,
     "Bytes of the arena to begin with; a power of two, or 0"},
    SW_ONLINE_PARAMETERS,
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

bool sw_buddy_legal(const struct sw_params *params, const struct sw_planner *planner, struct sw_error *error) {
    for (const struct sw_parameter *p = sw_buddy_parameters; strcmp(p->name, "start") != 0; p++) {
        int64_t n = sw_params_integer(params, planner, p->name);
        if ((n & (n - 1)) != 0) {
            return sw_fail(error, SW_ERROR_USAGE, "%s must be a power of two, not %lld", p->name, (long long)n);
        }
    }
    return true;
}

static bool buddy_open(struct sw_heap *heap, const struct sw_params *params, const struct sw_planner *planner,
                       struct sw_error *error) {
    struct buddy *own = heap->own;
    heap->granule = (uint64_t)sw_params_integer(params, planner, "least");
    own->segment = SW_NONE;
    uint64_t initial = (uint64_t)sw_params_integer(params, planner, "initial");
    if (initial > heap->limit) {
        return sw_fail(error, SW_ERROR_INFEASIBLE, "the limit is %llu bytes, and the arena begins with %llu",
                       (unsigned long long)heap->limit, (unsigned long long)initial);
    }
    if (initial > 0) {
        uint32_t block = sw_heap_extend(heap, &own->segment, initial);
        if (block == SW_NONE || !sw_heap_list(heap, block)) {
            return sw_fail_memory(error);
        }
        heap->segments.items[own->segment].made_at = SW_NONE;
    }
    return true;
}

static uint64_t buddy_round_up(const struct sw_heap *heap, uint64_t size, const char **reason) {
    uint64_t block = heap->granule;
    while (block < size) {
        block *= 2;
    }
    *reason = block == heap->granule ? "up to the least size of a block" : "up to a power of two";
    return block;
}

static const char *buddy_judge(const struct sw_heap *heap, const struct sw_turn *turn, uint32_t block, uint32_t best,
                               bool *fits) {
    uint64_t size = sw_heap_at(heap, block)->size;
    *fits = size >= turn->rounded;
    return block == best                          ? "the lowest of the smallest size that has a free block"
           : !*fits                               ? "too small"
           : size == sw_heap_at(heap, best)->size ? "of the same size, but it lies higher"
                                                  : "larger than needed: there is a smaller one";
}

static bool buddy_pick(struct sw_heap *heap, struct sw_turn *turn, const char **reason, struct sw_explanation *explain,
                       struct sw_error *error) {
    struct sw_ordered_place place;
    const struct sw_ordered_entry *e = sw_ordered_from(&heap->free, (struct sw_key){turn->rounded, 0, 0}, &place);
    *reason = e                      ? "the lowest of the smallest size that has a free block"
              : heap->free.count > 0 ? "no free block is large enough"
                                     : "there is no free block";
    return sw_heap_settle(heap, turn, e ? e->block : SW_NONE, buddy_judge, explain, error);
}

/* Half of it, until it is as small as needed. */
static uint64_t buddy_keeps(const struct sw_heap *heap, const struct sw_turn *turn, const char **reason) {
    uint64_t size = sw_heap_at(heap, turn->block)->size;
    *reason = "the block is halved, and the low half kept";
    return size > turn->rounded ? size / 2 : size;
}

/* A block's buddy lies right before or behind it; which, its address tells. SW_NONE: it is not free as a whole. */
static uint32_t free_buddy(const struct sw_heap *heap, uint32_t block) {
    const struct sw_heap_block *b = sw_heap_at(heap, block);
    uint32_t number = b->address & b->size ? b->previous : b->next;
    const struct sw_heap_block *buddy = number == SW_NONE ? NULL : sw_heap_at(heap, number);
    return buddy && buddy->state == SW_BLOCK_FREE && buddy->size == b->size ? number : SW_NONE;
}

static bool buddy_can_merge(const struct sw_heap *heap, uint32_t block) {
    return free_buddy(heap, block) != SW_NONE;
}

/* One join. */
static uint32_t buddy_merge(struct sw_heap *heap, uint32_t block) {
    uint32_t buddy = free_buddy(heap, block);
    uint32_t low = sw_heap_at(heap, buddy)->address < sw_heap_at(heap, block)->address ? buddy : block;
    sw_heap_unlist(heap, buddy);
    sw_heap_join(heap, low);
    return low;
}

/* The arena doubles, once per act. */
static bool buddy_grow(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act) {
    struct buddy *own = heap->own;
    bool is_empty = own->segment == SW_NONE;
    act->size = is_empty ? turn->rounded : heap->reserved;
    if (turn->stage > 0) {
        return sw_act_is(act, SW_ACT_FAIL, "no free block is large enough, and the arena may not grow");
    }
    if (act->size > heap->limit - heap->reserved) {
        turn->stage = 1;
        return sw_act_is(act, SW_ACT_REFUSED, "the arena would be larger than the limit");
    }
    uint32_t block =
        is_empty ? sw_heap_extend(heap, &own->segment, act->size) : sw_heap_append(heap, own->segment, act->size);
    if (block == SW_NONE) {
        return false;
    }
    sw_act_is(act, SW_ACT_GROW, is_empty ? "an empty arena becomes as large as the request" : "the arena doubles");
    act->address = sw_heap_at(heap, block)->address;
    act->segment = own->segment;
    if (buddy_can_merge(heap, block)) {
        block = buddy_merge(heap, block);
        act->reason = "the arena doubles, and its free lower half joins the upper one";
    }
    turn->again = sw_heap_at(heap, block)->size >= turn->rounded;
    return sw_heap_list(heap, block);
}

static bool buddy_sound(const struct sw_heap *heap, struct sw_error *error) {
    const struct buddy *own = heap->own;
    for (uint32_t b = own->segment == SW_NONE ? SW_NONE : heap->segments.items[own->segment].first; b != SW_NONE;
         b = sw_heap_at(heap, b)->next) {
        const struct sw_heap_block *block = sw_heap_at(heap, b);
        if ((block->size & (block->size - 1)) != 0 || (block->address & (block->size - 1)) != 0) {
            return sw_fail(error, SW_ERROR_UNSUPPORTED,
                           "no power of two, or not at a multiple of it: the block at %llu",
                           (unsigned long long)block->address);
        }
        struct sw_ordered_place place;
        const struct sw_ordered_entry *e = sw_ordered_from(&heap->free, sw_heap_size_key(heap, b), &place);
        if (block->state == SW_BLOCK_FREE && (buddy_can_merge(heap, b) || !e || e->block != b)) {
            return sw_fail(error, SW_ERROR_UNSUPPORTED,
                           "not listed, or not joined with its buddy: the free block at %llu",
                           (unsigned long long)block->address);
        }
    }
    return sw_heap_lists_sound(heap, heap->free.count, false, error);
}

#define STATE struct buddy
static const struct sw_described buddy_described = {SW_STRUCT, .fields = SW_FIELDS(SW_KEPT(segment, segment))};
#undef STATE

const struct sw_heap_kind sw_buddy_heap = {.own = &buddy_described,
                                           .open = buddy_open,
                                           .round = buddy_round_up,
                                           .pick = buddy_pick,
                                           .grow = buddy_grow,
                                           .keeps = buddy_keeps,
                                           .key = sw_heap_size_key,
                                           .can_merge = buddy_can_merge,
                                           .merge = buddy_merge,
                                           .sound = buddy_sound};
