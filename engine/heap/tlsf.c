/* tlsf: two-level segregated fit, the allocator of real-time systems: every request takes a bounded number of steps.
 *
 * There is one pool, a single free block to begin with. Free blocks stand in lists by size. The first level has a row
 * for each power of two, the second divides a row into 2^sl lists of equal width; sizes below align * 2^sl have a row
 * with one list per multiple of `align`. Two bitmaps say which rows and which lists are not empty.
 *
 * - A size is rounded up to a multiple of `align`, and to `least`.
 * - The search begins at the first list of which every block is large enough: the request's size is raised to the
 *   next border between lists (plus one list's width, less 1). It takes the first list from there on that is not
 *   empty, and its newest entry. It never looks into a list, so a block that would fit is missed if its list holds
 *   smaller ones, too.
 * - What is left stays free if it can hold a header and `least` bytes. It becomes the newest entry of its list.
 * - A freed block merges with its free neighbors, and becomes the newest entry of its list.
 * - The pool does not grow. Its end may be out of reach (`size`): then what counts is the highest end of a payload.
 *
 * The header. In the common implementation for 64 bits 8 bytes before each payload say how large it is. Addresses are
 * those of payloads, the first at 0; so a block of ours begins at its payload and ends with the header of the next one.
 *
 * A limit refuses what would reach above it; it does not change which block is found.
 *
 * What to watch. The bounded search has a price: of two holes just as large as the request none is found where the
 * request's size is no border between lists. With sl = 5 a border is never further away than 1/32 of the size.
 *
 * Source: Masmano, Ripoll, Crespo, Real, "TLSF: a new dynamic memory allocator for real-time systems", ECRTS 2004; and
 * the common C implementation by Conte, with its header of 8 bytes and its least block of 24. */
#include "heap/kinds.h"

#include <string.h>

enum { MOST_SL = 6, TLSF_ROWS = 64 };
struct tlsf {
    uint64_t align, least, header;
    uint64_t clock;                        /* blocks listed so far: gives each its sw_heap_block.listed */
    uint64_t rows;                         /* a bit for each row that is not empty */
    unsigned sl, row_0;                    /* row 0 has the sizes below 2^row_0 */
    uint64_t lists[TLSF_ROWS];             /* per row a bit for each list that is not empty */
    uint32_t newest[TLSF_ROWS << MOST_SL]; /* of each list: block, SW_NONE */
    size_t count;
};

const struct sw_parameter sw_tlsf_parameters[] = {
    {"align", SW_PARAMETER_INTEGER, "8", 1, 1 << 30, NULL, "Sizes are multiples of it; a power of two"},
    {"sl", SW_PARAMETER_INTEGER, "5", 0, MOST_SL, NULL, "2^sl lists of free blocks for each power of two"},
    {"header", SW_PARAMETER_INTEGER, "0", 0, 1 << 20, NULL,
     "Bytes before each payload; 8 as in the common implementation"},
    {"least", SW_PARAMETER_INTEGER, "auto", 1, 1 << 30, (const char *const[]){"auto", NULL},
     "Bytes of the least payload; auto: as align, or 24 with a header of 8"},
    {"size", SW_PARAMETER_INTEGER, "70368744177664", 1, (double)SW_MAX_BYTES, NULL,
     "Bytes of the pool; the default stands for one without an end"},
    SW_ONLINE_PARAMETERS,
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

static uint64_t least_of(const struct sw_params *params, const struct sw_planner *planner) {
    if (strcmp(sw_params_text(params, planner, "least"), "auto") != 0) {
        return (uint64_t)sw_params_integer(params, planner, "least");
    }
    return sw_params_integer(params, planner, "header") == 8 ? 24
                                                             : (uint64_t)sw_params_integer(params, planner, "align");
}

bool sw_tlsf_legal(const struct sw_params *params, const struct sw_planner *planner, struct sw_error *error) {
    int64_t align = sw_params_integer(params, planner, "align");
    if ((align & (align - 1)) != 0) {
        return sw_fail(error, SW_ERROR_USAGE, "align must be a power of two, not %lld", (long long)align);
    }
    return (uint64_t)sw_params_integer(params, planner, "size") >= least_of(params, planner) ||
           sw_fail(error, SW_ERROR_USAGE, "size must be at least %llu, the least block",
                   (unsigned long long)least_of(params, planner));
}

static bool tlsf_list(struct sw_heap *heap, uint32_t block);

static bool tlsf_open(struct sw_heap *heap, const struct sw_params *params, const struct sw_planner *planner,
                      struct sw_error *error) {
    struct tlsf *own = heap->own;
    own->align = (uint64_t)sw_params_integer(params, planner, "align");
    own->sl = (unsigned)sw_params_integer(params, planner, "sl");
    own->header = heap->header = (uint64_t)sw_params_integer(params, planner, "header");
    own->least = least_of(params, planner);
    uint64_t both = own->align | own->header;
    heap->granule = both & (~both + 1); /* the largest power of two that divides both */
    own->row_0 = sw_heap_log2(own->align) + own->sl;
    for (size_t i = 0; i < sizeof own->newest / sizeof *own->newest; i++) {
        own->newest[i] = SW_NONE;
    }
    uint64_t size = (uint64_t)sw_params_integer(params, planner, "size");
    uint32_t pool = sw_heap_segment_open(heap, 0, size + own->header);
    if (pool == SW_NONE) {
        return sw_fail_memory(error);
    }
    heap->segments.items[pool].made_at = SW_NONE;
    return tlsf_list(heap, heap->segments.items[pool].first);
}

static uint64_t tlsf_round_up(const struct sw_heap *heap, uint64_t size, const char **reason) {
    const struct tlsf *own = heap->own;
    uint64_t up = sw_heap_up(size, own->align);
    *reason = up < own->least ? "up to the least size of a block" : "up to a multiple of the alignment";
    return up < own->least ? own->least : up;
}

/* ---- lists ---- */

struct tlsf_place {
    unsigned row, list;
};

static struct tlsf_place list_of_size(const struct tlsf *own, uint64_t size) {
    unsigned log = sw_heap_log2(size);
    if (log < own->row_0) {
        return (struct tlsf_place){0, (unsigned)(size / own->align)};
    }
    return (struct tlsf_place){log - own->row_0 + 1, (unsigned)((size >> (log - own->sl)) - (UINT64_C(1) << own->sl))};
}

static uint64_t payload_of(const struct sw_heap *heap, uint32_t block) {
    return sw_heap_at(heap, block)->size - heap->header;
}

static uint32_t *newest_of(struct tlsf *own, struct tlsf_place place) {
    return &own->newest[(place.row << own->sl) + place.list];
}

static bool tlsf_list(struct sw_heap *heap, uint32_t block) {
    struct tlsf *own = heap->own;
    struct tlsf_place place = list_of_size(own, payload_of(heap, block));
    uint32_t *head = newest_of(own, place);
    struct sw_heap_block *b = sw_heap_at(heap, block);
    b->listed = ++own->clock;
    b->newer = SW_NONE;
    b->older = *head;
    if (*head != SW_NONE) {
        sw_heap_at(heap, *head)->newer = block;
    }
    *head = block;
    own->rows |= UINT64_C(1) << place.row;
    own->lists[place.row] |= UINT64_C(1) << place.list;
    own->count++;
    return true;
}

static void tlsf_unlist(struct sw_heap *heap, uint32_t block) {
    struct tlsf *own = heap->own;
    struct tlsf_place place = list_of_size(own, payload_of(heap, block));
    uint32_t *head = newest_of(own, place);
    struct sw_heap_block *b = sw_heap_at(heap, block);
    if (b->older != SW_NONE) {
        sw_heap_at(heap, b->older)->newer = b->newer;
    }
    *(b->newer != SW_NONE ? &sw_heap_at(heap, b->newer)->older : head) = b->older;
    if (*head == SW_NONE) {
        own->lists[place.row] &= ~(UINT64_C(1) << place.list);
        own->rows &= own->lists[place.row] ? UINT64_MAX : ~(UINT64_C(1) << place.row);
    }
    b->newer = b->older = SW_NONE;
    b->listed = 0;
    own->count--;
}

/* ---- finding ---- */

/* The list where the search for a size begins. */
static struct tlsf_place first_list_of(const struct tlsf *own, uint64_t size) {
    unsigned log = sw_heap_log2(size);
    return list_of_size(own, log < own->row_0 ? size : size + (UINT64_C(1) << (log - own->sl)) - 1);
}

static uint32_t find_tlsf_block(struct tlsf *own, uint64_t size) {
    struct tlsf_place at = first_list_of(own, size);
    uint64_t lists = own->lists[at.row] & UINT64_MAX << at.list;
    if (!lists) {
        uint64_t rows = at.row + 1 < TLSF_ROWS ? own->rows & UINT64_MAX << (at.row + 1) : 0;
        if (!rows) {
            return SW_NONE;
        }
        at.row = (unsigned)__builtin_ctzll(rows);
        lists = own->lists[at.row];
    }
    at.list = (unsigned)__builtin_ctzll(lists);
    return *newest_of(own, at);
}

static bool same_list(struct tlsf_place a, struct tlsf_place b) {
    return a.row == b.row && a.list == b.list;
}

static uint64_t tlsf_keeps(const struct sw_heap *heap, const struct sw_turn *turn, const char **reason) {
    const struct tlsf *own = heap->own;
    *reason = "the rest is large enough for a block";
    return payload_of(heap, turn->block) >= turn->rounded + own->header + own->least
               ? turn->rounded + own->header
               : sw_heap_at(heap, turn->block)->size;
}

/* Does the limit let the request take this block, which is large enough? */
static bool tlsf_within_limit(const struct sw_heap *heap, const struct sw_turn *turn, uint32_t block) {
    const char *why;
    struct sw_turn then = *turn;
    then.block = block;
    return sw_heap_rise(heap, block, tlsf_keeps(heap, &then, &why) - heap->header) <= heap->limit - heap->reserved;
}

static const char chosen[] = "the newest of the first list that is not empty";

static const char *tlsf_judge(const struct sw_heap *heap, const struct sw_turn *turn, uint32_t block, uint32_t best,
                              bool *fits) {
    const struct tlsf *own = heap->own;
    struct tlsf_place place = list_of_size(own, payload_of(heap, block)), start = first_list_of(own, turn->rounded);
    *fits = payload_of(heap, block) >= turn->rounded && tlsf_within_limit(heap, turn, block);
    if (!*fits) {
        return payload_of(heap, block) < turn->rounded ? "too small" : "it would reach above the limit";
    }
    if (place.row < start.row || (place.row == start.row && place.list < start.list)) {
        return "large enough, but in a list that is not searched";
    }
    return block == best ? chosen
           : best != SW_NONE && same_list(place, list_of_size(own, payload_of(heap, best)))
               ? "in the same list, but older"
               : "in a list of larger blocks";
}

static bool tlsf_pick(struct sw_heap *heap, struct sw_turn *turn, const char **reason, struct sw_explanation *explain,
                      struct sw_error *error) {
    uint32_t found = find_tlsf_block(heap->own, turn->rounded);
    *reason = found == SW_NONE ? "all lists that are searched are empty" : chosen;
    if (found != SW_NONE && !tlsf_within_limit(heap, turn, found)) {
        *reason = "the block that is found would reach above the limit";
        found = SW_NONE;
    }
    return sw_heap_settle(heap, turn, found, tlsf_judge, explain, error);
}

static bool tlsf_grow(struct sw_heap *heap, struct sw_turn *turn, struct sw_act *act) {
    if (turn->stage++ > 0) {
        return sw_act_is(act, SW_ACT_FAIL, "the limit does not leave so much");
    }
    return find_tlsf_block(heap->own, turn->rounded) != SW_NONE
               ? sw_act_is(act, SW_ACT_REFUSED, "the payload would reach above the limit")
               : sw_act_is(act, SW_ACT_FAIL, "the pool does not grow, and no list that is searched has a block");
}

/* From the list of the smallest blocks on, the newest first. */
static size_t tlsf_free_order(const struct sw_heap *heap, uint32_t *to, size_t room) {
    const struct tlsf *own = heap->own;
    size_t count = 0;
    for (size_t i = 0; to && i < (size_t)TLSF_ROWS << own->sl; i++) {
        for (uint32_t b = own->newest[i]; b != SW_NONE && count < room; b = sw_heap_at(heap, b)->older) {
            to[count++] = b;
        }
    }
    return to ? count : own->count;
}

static bool tlsf_sound(const struct sw_heap *heap, struct sw_error *error) {
    const struct tlsf *own = heap->own;
    size_t count = 0;
    for (unsigned row = 0; row < TLSF_ROWS; row++) {
        for (unsigned i = 0; i < 1U << own->sl; i++) {
            uint32_t head = own->newest[(row << own->sl) + i], newer = SW_NONE;
            for (uint32_t b = head; b != SW_NONE; newer = b, b = sw_heap_at(heap, b)->older, count++) {
                const struct sw_heap_block *block = sw_heap_at(heap, b);
                if (block->state != SW_BLOCK_FREE || block->newer != newer || payload_of(heap, b) < own->least ||
                    !same_list(list_of_size(own, payload_of(heap, b)), (struct tlsf_place){row, i})) {
                    return sw_fail(error, SW_ERROR_UNSUPPORTED, "a free block is listed wrongly at %llu",
                                   (unsigned long long)block->address);
                }
            }
            if ((own->lists[row] >> i & 1) != (head != SW_NONE)) {
                return sw_fail(error, SW_ERROR_UNSUPPORTED, "the bitmap is wrong about list %u of row %u", i, row);
            }
        }
        if ((own->rows >> row & 1) != (own->lists[row] != 0)) {
            return sw_fail(error, SW_ERROR_UNSUPPORTED, "the bitmap is wrong about row %u", row);
        }
    }
    return count == own->count && sw_heap_lists_sound(heap, count, true, error);
}

#define STATE struct tlsf
static const struct sw_described tlsf_described = {SW_STRUCT, .fields = SW_FIELDS(SW_KEPT(align, count))};
#undef STATE

const struct sw_heap_kind sw_tlsf_heap = {.own = &tlsf_described,
                                          .open = tlsf_open,
                                          .round = tlsf_round_up,
                                          .pick = tlsf_pick,
                                          .grow = tlsf_grow,
                                          .keeps = tlsf_keeps,
                                          .list = tlsf_list,
                                          .unlist = tlsf_unlist,
                                          .free_order = tlsf_free_order,
                                          .sound = tlsf_sound};
