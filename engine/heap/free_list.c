/* free-list: the plain reference among the online allocators, as textbooks have it.
 *
 * The arena is one segment that grows at its end and never shrinks. Free blocks are kept by address.
 *
 * - A size is rounded up to a multiple of `align`.
 * - A request takes the lowest free block that is large enough. What is left of it stays free if that is at least
 * `align` bytes.
 * - If none is large enough, the arena grows at its end; a free last block is extended to the size that is needed, so
 *   that only the difference is new.
 * - A freed block merges with its free neighbors.
 *
 * The others differ from it in an idea each: sizes in classes (tlsf, buddy), the best fit in place of the lowest
 * (bfc-arena, ggml-dyn), many segments (cuda-caching).
 *
 * Source: Knuth, The Art of Computer Programming, volume 1, section 2.5 (algorithms A and C, with boundary tags). */
#include "heap/kinds.h"

struct free_list {
    uint32_t segment; /* the arena; SW_NONE: there is none yet */
};

const struct sw_parameter sw_free_list_parameters[] = {
    {"align", SW_PARAMETER_INTEGER, "16", 1, 1 << 30, NULL, "Sizes are multiples of it, and so is what is split off"},
    SW_ONLINE_PARAMETERS,
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

static bool free_list_open(struct sw_heap *heap, const struct sw_params *params, const struct sw_planner *planner,
                           struct sw_error *error) {
    (void)error;
    struct free_list *own = heap->own;
    heap->granule = (uint64_t)sw_params_integer(params, planner, "align");
    own->segment = SW_NONE;
    return true;
}

static const char *free_list_judge(const struct sw_heap *heap, const struct sw_turn *turn, uint32_t block,
                                   uint32_t best, bool *fits) {
    *fits = sw_heap_at(heap, block)->size >= turn->rounded;
    return block == best ? "the lowest that is large enough" : *fits ? "it lies higher" : "too small";
}

static bool free_list_pick(struct sw_heap *heap, struct sw_turn *turn, const char **reason,
                           struct sw_explanation *explain, struct sw_error *error) {
    const struct sw_ordered_entry *e = sw_ordered_first_with(&heap->free, turn->rounded);
    *reason = e                      ? "the lowest that is large enough"
              : heap->free.count > 0 ? "no free block is large enough"
                                     : "there is no free block";
    return sw_heap_settle(heap, turn, e ? e->block : SW_NONE, free_list_judge, explain, error);
}

/* The arena becomes long enough, at its end. */
static bool free_list_grow(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act) {
    struct free_list *own = heap->own;
    uint32_t last = own->segment == SW_NONE ? SW_NONE : heap->segments.items[own->segment].last;
    uint64_t there =
        last != SW_NONE && sw_heap_at(heap, last)->state == SW_BLOCK_FREE ? sw_heap_at(heap, last)->size : 0;
    act->size = turn->rounded - there;
    act->before = there;
    if (turn->stage++ > 0) {
        return sw_act_is(act, SW_ACT_FAIL, "no free block is large enough, and the arena may not grow");
    }
    if (act->size > heap->limit - heap->reserved) {
        return sw_act_is(act, SW_ACT_REFUSED, "the arena would be larger than the limit");
    }
    sw_act_is(act, SW_ACT_GROW, there ? "the free last block is extended" : "no free block is large enough");
    if (there) {
        sw_heap_unlist(heap, last);
    }
    turn->block = sw_heap_extend(heap, &own->segment, act->size);
    return turn->block != SW_NONE;
}

static uint64_t free_list_keeps(const struct sw_heap *heap, const struct sw_turn *turn, const char **reason) {
    uint64_t size = sw_heap_at(heap, turn->block)->size;
    *reason = "the rest is at least as large as the alignment";
    return size - turn->rounded >= heap->granule ? turn->rounded : size;
}

static struct sw_key free_list_key_of(const struct sw_heap *heap, uint32_t block) {
    return (struct sw_key){sw_heap_at(heap, block)->address, sw_heap_at(heap, block)->size, 0};
}

#define STATE struct free_list
static const struct sw_described free_list_described = {SW_STRUCT, .fields = SW_FIELDS(SW_KEPT(segment, segment))};
#undef STATE

const struct sw_heap_kind sw_free_list_heap = {.own = &free_list_described,
                                               .open = free_list_open,
                                               .round = sw_heap_round_up,
                                               .pick = free_list_pick,
                                               .grow = free_list_grow,
                                               .keeps = free_list_keeps,
                                               .key = free_list_key_of};
