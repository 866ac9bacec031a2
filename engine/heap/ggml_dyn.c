/* ggml-dyn: how ggml measures what the tensors of a graph need (ggml_dyn_tallocr).
 *
 * Nothing is allocated for real: a chunk (segment) is a range of addresses, and what counts is how far it was ever
 * used, its top. The memory that is reserved is the sum of all tops. There are at most 16 chunks; a fresh one is a
 * single free block of `max_chunk` bytes, or of as much as is asked for, if that is more; the 16th has no end. By
 * default no chunk has one.
 *
 * - A size is rounded up to a multiple of `alignment`.
 * - Each chunk keeps its free blocks by offset. The last one is normally the endless tail, and it is spared: a
 *   request takes the smallest other block that is large enough, the highest among equals.
 * - The best size is forgotten from chunk to chunk, so if several chunks have such a block, that of the last chunk
 *   is taken.
 * - If none has one, the last free blocks are asked. r = top - offset - n is what is left below the top; where the
 *   top rises it is negative. The least rise wins, or, where the request fits below the top, the least that is left
 *   over; among equals the first chunk. These comparisons read "r > best" below 0 and "r < best" from 0 on.
 * - If none is large enough, there is a new chunk.
 * - The low end is used, whatever is left stays free. A freed block merges with its free neighbors.
 *
 * In stowage a chunk's addresses begin where the room of the one before ends. A limit holds for the sum of the tops.
 *
 * What to watch. With an exact fit nothing is wasted, so there is no rounding loss to speak of, but splitting leaves
 * small holes, and sparing the tail means that a request goes to a hole however badly it fits.
 *
 * Source: ggml, src/ggml-alloc.c. */
#include "heap/kinds.h"

enum { CHUNKS = 16 };
#define LAST_CHUNK (UINT64_MAX / 2)
struct ggml_dyn {
    struct sw_ordered
        by_size; /* by chunk, size, then from the highest address down; heap->free is by chunk, then address */
    uint64_t max_chunk;
};

const struct sw_parameter sw_ggml_dyn_parameters[] = {
    {"alignment", SW_PARAMETER_INTEGER, "32", 1, 1 << 30, NULL, "Sizes are multiples of it"},
    {"max_chunk", SW_PARAMETER_INTEGER, "9223372036854775807", 1, 9223372036854775807.0, NULL,
     "Bytes of a chunk, which is what the backend allocates at once; the default has no end"},
    SW_ONLINE_PARAMETERS,
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

static bool ggml_open(struct sw_heap *heap, const struct sw_params *params, const struct sw_planner *planner,
                      struct sw_error *error) {
    (void)error;
    struct ggml_dyn *own = heap->own;
    heap->granule = (uint64_t)sw_params_integer(params, planner, "alignment");
    own->max_chunk = (uint64_t)sw_params_integer(params, planner, "max_chunk");
    return true;
}

/* ---- finding ---- */

/* The free block of a chunk at the highest offset. */
static uint32_t last_of(const struct sw_heap *heap, uint32_t chunk) {
    struct sw_ordered_place place;
    struct sw_key behind = {(uint64_t)chunk + 1, 0, 0};
    const struct sw_ordered_entry *e = sw_ordered_before(&heap->free, behind, &place);
    return e && e->key.a == chunk ? e->block : SW_NONE;
}

/* The smallest block of a chunk that is large enough, without the last one. */
static uint32_t smallest_block(const struct sw_heap *heap, uint32_t chunk, uint64_t size) {
    const struct ggml_dyn *own = heap->own;
    struct sw_ordered_place place;
    uint32_t last = last_of(heap, chunk);
    const struct sw_ordered_entry *e = sw_ordered_from(&own->by_size, (struct sw_key){chunk, size, 0}, &place);
    if (e && e->block == last) {
        e = sw_ordered_next(&own->by_size, &place);
    }
    return e && e->key.a == chunk ? e->block : SW_NONE;
}

/* What would be left below the top of its chunk behind a request that took this block; where the top rises, below 0. */
static int64_t ggml_left_over(const struct sw_heap *heap, uint32_t block, uint64_t size) {
    const struct sw_heap_block *b = sw_heap_at(heap, block);
    const struct sw_heap_segment *chunk = &heap->segments.items[b->segment];
    return (int64_t)(chunk->address + chunk->size - b->address - size);
}

/* Among the last free blocks; SW_NONE: none is large enough. */
static uint32_t best_last(const struct sw_heap *heap, uint64_t size) {
    uint32_t found = SW_NONE;
    int64_t best = INT64_MIN;
    for (uint32_t chunk = 0; chunk < heap->segments.count; chunk++) {
        uint32_t last = last_of(heap, chunk);
        if (last != SW_NONE && sw_heap_at(heap, last)->size >= size) {
            int64_t left = ggml_left_over(heap, last, size);
            if (best < 0 ? left > best : left >= 0 && left < best) {
                best = left;
                found = last;
            }
        }
    }
    return found;
}

static bool ggml_within_limit(const struct sw_heap *heap, uint32_t block, uint64_t size) {
    return sw_heap_rise(heap, block, size) <= heap->limit - heap->reserved;
}

static const char hole_words[] = "the smallest that is large enough, the last block of each chunk spared";
static const char open_tail_words[] =
    "of the chunks' last blocks, the one that raises the top least, or leaves least below it";

static const char *ggml_judge(const struct sw_heap *heap, const struct sw_turn *turn, uint32_t block, uint32_t best,
                              bool *fits) {
    const struct sw_heap_block *b = sw_heap_at(heap, block), *taken = best == SW_NONE ? NULL : sw_heap_at(heap, best);
    bool last = block == last_of(heap, b->segment);
    *fits = b->size >= turn->rounded && ggml_within_limit(heap, block, turn->rounded);
    if (!*fits) {
        return b->size < turn->rounded ? "too small" : "the top would rise above the limit";
    }
    if (last) {
        return block == best                           ? open_tail_words
               : best == last_of(heap, taken->segment) ? "another chunk's last block serves better"
                                                       : "the last block of its chunk is spared";
    }
    return block == best                  ? hole_words
           : b->segment != taken->segment ? "a later chunk has a block that is large enough"
           : b->size == taken->size       ? "just as large, but it lies lower"
                                          : "larger than needed: a smaller one fits";
}

static bool ggml_pick(struct sw_heap *heap, struct sw_turn *turn, const char **reason, struct sw_explanation *explain,
                      struct sw_error *error) {
    uint32_t found = SW_NONE;
    for (uint32_t chunk = (uint32_t)heap->segments.count; chunk-- > 0 && found == SW_NONE;) {
        found = smallest_block(heap, chunk, turn->rounded);
    }
    *reason = hole_words;
    if (found == SW_NONE) {
        found = best_last(heap, turn->rounded);
        *reason = open_tail_words;
        if (found != SW_NONE && !ggml_within_limit(heap, found, turn->rounded)) {
            found = SW_NONE; /* nor is any other: it raises the top least */
        }
    }
    *reason = found != SW_NONE ? *reason : "no free block serves";
    return sw_heap_settle(heap, turn, found, ggml_judge, explain, error);
}

/* A new chunk. */
static bool ggml_grow(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act) {
    struct ggml_dyn *own = heap->own;
    bool last = heap->segments.count + 1 == CHUNKS;
    uint64_t room = last ? LAST_CHUNK : turn->rounded > own->max_chunk ? turn->rounded : own->max_chunk;
    act->size = turn->rounded;
    if (turn->stage++ > 0) {
        return sw_act_is(act, SW_ACT_FAIL, "no free block is large enough, and the memory may not grow");
    }
    if (best_last(heap, turn->rounded) != SW_NONE || turn->rounded > heap->limit - heap->reserved) {
        return sw_act_is(act, SW_ACT_REFUSED, "the tops together would rise above the limit");
    }
    if (heap->segments.count == CHUNKS || room > UINT64_MAX - heap->fresh) {
        return sw_act_is(act, SW_ACT_FAIL,
                         heap->segments.count == CHUNKS ? "there are 16 chunks already"
                                                        : "there are no more addresses");
    }
    uint32_t chunk = sw_heap_segment_open(heap, heap->fresh, room);
    if (chunk == SW_NONE) {
        return false;
    }
    heap->fresh += room;
    turn->block = heap->segments.items[chunk].first;
    return sw_act_is(act, SW_ACT_GROW, "no chunk has a free block that is large enough, so a new one is made");
}

static uint64_t ggml_keeps(const struct sw_heap *heap, const struct sw_turn *turn, const char **reason) {
    (void)heap;
    *reason = "whatever is left stays free";
    return turn->rounded;
}

/* ---- free blocks ---- */

static struct sw_key ggml_offset_key(const struct sw_heap *heap, uint32_t block) {
    const struct sw_heap_block *b = sw_heap_at(heap, block);
    return (struct sw_key){b->segment, b->address, 0};
}

static struct sw_key ggml_size_key(const struct sw_heap *heap, uint32_t block) {
    const struct sw_heap_block *b = sw_heap_at(heap, block);
    return (struct sw_key){b->segment, b->size, UINT64_MAX - b->address};
}

static bool ggml_list(struct sw_heap *heap, uint32_t block) {
    struct ggml_dyn *own = heap->own;
    return sw_ordered_add(&heap->free, ggml_offset_key(heap, block), block) &&
           sw_ordered_add(&own->by_size, ggml_size_key(heap, block), block);
}

static void ggml_unlist(struct sw_heap *heap, uint32_t block) {
    struct ggml_dyn *own = heap->own;
    sw_ordered_remove(&heap->free, ggml_offset_key(heap, block));
    sw_ordered_remove(&own->by_size, ggml_size_key(heap, block));
}

/* By offset, chunk by chunk; the last ones of all chunks come last. */
static size_t ggml_free_order(const struct sw_heap *heap, uint32_t *to, size_t room) {
    struct sw_ordered_place place;
    size_t count = 0;
    if (!to) {
        return heap->free.count;
    }
    for (int last = 0; last < 2; last++) {
        const struct sw_ordered_entry *e = sw_ordered_from(&heap->free, (struct sw_key){0, 0, 0}, &place), *next;
        for (; e && count < room; e = next) {
            next = sw_ordered_next(&heap->free, &place);
            if ((!next || next->key.a != e->key.a) == last) {
                to[count++] = e->block;
            }
        }
    }
    return count;
}

static bool ggml_sound(const struct sw_heap *heap, struct sw_error *error) {
    const struct ggml_dyn *own = heap->own;
    struct sw_ordered_place place;
    const struct sw_ordered_entry *e = sw_ordered_from(&own->by_size, (struct sw_key){0, 0, 0}, &place);
    for (; e; e = sw_ordered_next(&own->by_size, &place)) {
        const struct sw_heap_block *block = sw_heap_at(heap, e->block);
        if (block->state != SW_BLOCK_FREE || block->segment != e->key.a || block->size != e->key.b) {
            return sw_fail(error, SW_ERROR_UNSUPPORTED, "a free block is listed wrongly at %llu",
                           (unsigned long long)(UINT64_MAX - e->key.c));
        }
    }
    return sw_heap_lists_sound(heap, own->by_size.count, true, error) &&
           sw_heap_lists_sound(heap, heap->free.count, true, error);
}

#define STATE struct ggml_dyn
static const struct sw_described ggml_described = {
    SW_STRUCT, .fields = SW_FIELDS(SW_PART(by_size, &sw_ordered_described), SW_KEPT(max_chunk, max_chunk))};
#undef STATE

const struct sw_heap_kind sw_ggml_dyn_heap = {.own = &ggml_described,
                                              .open = ggml_open,
                                              .round = sw_heap_round_up,
                                              .pick = ggml_pick,
                                              .grow = ggml_grow,
                                              .keeps = ggml_keeps,
                                              .list = ggml_list,
                                              .unlist = ggml_unlist,
                                              .free_order = ggml_free_order,
                                              .sound = ggml_sound};
