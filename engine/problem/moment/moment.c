/* Making a moment: texts, blocks and segments in order, and as a problem. */
#include "problem/moment/moment.h"
#include "base/base.h"
#include "base/sort.h"
#include "problem/problem_internal.h"

const struct sw_moment_failure sw_moment_no_failure = {
    .size = SW_UNTOLD, .rounded = SW_UNTOLD, .segment = SW_UNTOLD, .least = SW_UNTOLD};

struct sw_moment *sw_moment_new(void) {
    struct sw_moment *moment = SW_NEW_ZERO(struct sw_moment, 1);
    if (moment) {
        moment->references = 1;
        moment->settings = "";
        moment->failure = sw_moment_no_failure;
    }
    return moment;
}

struct sw_moment *sw_moment_ref(const struct sw_moment *of) {
    struct sw_moment *moment = (struct sw_moment *)of;
    if (moment) {
        __atomic_add_fetch(&moment->references, 1, __ATOMIC_RELAXED);
    }
    return moment;
}

void sw_moment_unref(const struct sw_moment *of) {
    struct sw_moment *moment = (struct sw_moment *)of;
    if (moment && __atomic_sub_fetch(&moment->references, 1, __ATOMIC_ACQ_REL) == 0) {
        SW_ARRAY_DONE(&moment->segments, &moment->blocks, &moment->told, &moment->kept, &moment->held);
        sw_names_done(&moment->texts);
        sw_names_done(&moment->figures);
        sw_arena_done(&moment->arena);
        SW_FREE(moment, 1);
    }
}

const char *sw_moment_text(struct sw_moment *moment, const char *text, size_t length) {
    uint32_t known = sw_names_find(&moment->texts, text, length);
    if (known != SW_NONE) {
        return moment->kept.items[known];
    }
    const char *kept = sw_arena_string(&moment->arena, text, length);
    return kept && SW_PUSH(&moment->kept, kept) &&
                   sw_names_set(&moment->texts, kept, length, (uint32_t)moment->kept.count - 1)
               ? kept
               : NULL;
}

bool sw_moment_add_segment(struct sw_moment *moment, const struct sw_moment_segment *segment) {
    return SW_PUSH(&moment->segments, *segment);
}

bool sw_moment_add_block(struct sw_moment *moment, const struct sw_moment_block *block) {
    return SW_PUSH(&moment->blocks, *block);
}

bool sw_moment_tell(struct sw_moment *moment, const struct sw_moment_told *told) {
    const uintptr_t key[] = {told->figure, (uintptr_t)told->allocator, (uintptr_t)told->pool};
    uint32_t known = sw_names_find(&moment->figures, key, sizeof key);
    if (known != SW_NONE) {
        moment->told.items[known] = *told;
        return true;
    }
    const char *kept = sw_arena_string(&moment->arena, (const char *)key, sizeof key);
    return kept && SW_PUSH(&moment->told, *told) &&
           sw_names_set(&moment->figures, kept, sizeof key, (uint32_t)moment->told.count - 1);
}

/* ---- in order ---- */

/* What is sorted, and where it stood. */
struct placed_item {
    uint64_t address;
    uint32_t index;
};
SW_BY_FIELDS(by_address, struct placed_item, SW_UP(address), SW_UP(index))

/* The numbers of items by address; those without one come last, as listed. NULL: no memory. */
static struct placed_item *in_order(const void *items, size_t count, size_t size, size_t address_at) {
    struct placed_item *order = SW_NEW(struct placed_item, SW_MAX(count, (size_t)1));
    for (size_t i = 0; order && i < count; i++) {
        uint64_t address;
        memcpy(&address, (const char *)items + i * size + address_at, sizeof address);
        order[i] = (struct placed_item){address, (uint32_t)i};
    }
    if (order) {
        sw_sort(order, count, sizeof *order, by_address);
    }
    return order;
}

static bool in_bounds(uint64_t address, uint64_t size) {
    return size <= SW_MAX_BYTES && (address == SW_UNTOLD || size <= UINT64_MAX - 1 - address);
}

/* By address; the blocks that name a segment name the same one afterwards. */
static bool sort_segments(struct sw_moment *moment, struct sw_moment_block *blocks, size_t block_count,
                          struct sw_error *error) {
    size_t count = moment->segments.count;
    struct placed_item *order = in_order(moment->segments.items, count, sizeof *moment->segments.items,
                                         offsetof(struct sw_moment_segment, address));
    struct sw_moment_segment *old = sw_mem_copy(moment->segments.items, count, sizeof *old);
    uint32_t *number_of = SW_NEW(uint32_t, SW_MAX(count, (size_t)1));
    bool good = order && (old || count == 0) && number_of;
    if (!good) {
        sw_fail_memory(error);
    }
    uint64_t sum = 0;
    for (size_t i = 0; good && i < count; i++) {
        const struct sw_moment_segment *segment = &old[order[i].index];
        const struct sw_moment_segment *before = i > 0 ? &moment->segments.items[i - 1] : NULL;
        moment->segments.items[i] = *segment;
        number_of[order[i].index] = (uint32_t)i;
        if (!in_bounds(segment->address, segment->size) || (sum += segment->size) > SW_MAX_BYTES) {
            good = sw_fail(error, SW_ERROR_INPUT, "the segments come to more than 2^61 bytes");
        } else if (before && segment->address != SW_UNTOLD && segment->address - before->address < before->size) {
            good = sw_fail(error, SW_ERROR_INPUT, "the segment at 0x%" PRIx64 " begins inside the one at 0x%" PRIx64,
                           segment->address, before->address);
        }
    }
    for (size_t i = 0; good && i < block_count; i++) {
        bool named =
            blocks[i].address == SW_UNTOLD && blocks[i].segment < count && old[blocks[i].segment].address == SW_UNTOLD;
        blocks[i].segment = named ? number_of[blocks[i].segment] : SW_NONE;
    }
    SW_FREE(order, SW_MAX(count, (size_t)1));
    SW_FREE(old, count);
    SW_FREE(number_of, SW_MAX(count, (size_t)1));
    return good;
}

/* The segment in which an address lies; SW_NONE: in none. */
static uint32_t told_segment_at(const struct sw_moment *moment, uint64_t address) {
    const struct sw_moment_segment *items = moment->segments.items;
    size_t above = SW_FIRST(i, moment->segments.count, items[i].address == SW_UNTOLD || items[i].address > address);
    return above > 0 && address - items[above - 1].address < items[above - 1].size ? (uint32_t)above - 1 : SW_NONE;
}

/* Blocks outside of all segments: each stretch of them without a gap is a segment that is implied. */
static bool imply_segments(struct sw_moment *moment, const struct sw_moment_block *blocks,
                           const struct placed_item *order, size_t count) {
    size_t told = moment->segments.count;
    bool good = true;
    for (size_t i = 0; good && i < count && order[i].address != SW_UNTOLD; i++) {
        const struct sw_moment_block *block = &blocks[order[i].index];
        struct sw_moment_segment *last =
            moment->segments.count > told ? &moment->segments.items[moment->segments.count - 1] : NULL;
        if (told_segment_at(&(struct sw_moment){.segments.items = moment->segments.items, .segments.count = told},
                            block->address) != SW_NONE) {
            continue;
        }
        if (last && block->address - last->address == last->size) {
            last->size += block->size;
        } else {
            good = sw_moment_add_segment(
                moment, &(struct sw_moment_segment){.address = block->address, .size = block->size, .implied = true});
        }
    }
    return good;
}

static bool add_held_block(struct sw_moment *moment, struct sw_moment_segment *segment,
                           const struct sw_moment_block *block, uint32_t number) {
    struct sw_moment_block put = *block;
    put.segment = number;
    put.buffer = SW_NONE;
    if (!SW_PUSH(&moment->blocks, put)) {
        return false;
    }
    segment->count++;
    return true;
}

/* From `at` to `to` nothing is told. */
static bool put_untold(struct sw_moment *moment, struct sw_moment_segment *segment, uint32_t number, uint64_t at,
                       uint64_t to) {
    struct sw_moment_block untold = {
        .address = at, .size = to - at, .requested = SW_UNTOLD, .count = 1, .state = SW_HELD_UNTOLD};
    return at == to || add_held_block(moment, segment, &untold, number);
}

/* The blocks of one segment, from the i-th of the order on: where the next segment's begin. */
static bool fill_segment(struct sw_moment *moment, uint32_t number, const struct sw_moment_block *blocks,
                         const struct placed_item *order, size_t count, size_t *i, struct sw_error *error) {
    struct sw_moment_segment *segment = &moment->segments.items[number];
    uint64_t at = segment->address;
    segment->first = moment->blocks.count;
    segment->count = 0;
    for (; *i < count && order[*i].address != SW_UNTOLD && order[*i].address - segment->address < segment->size; ++*i) {
        const struct sw_moment_block *block = &blocks[order[*i].index];
        if (block->address < at) {
            return sw_fail(error, SW_ERROR_INPUT, "the block at 0x%" PRIx64 " begins inside the one before it",
                           block->address);
        }
        if (block->size > segment->size - (block->address - segment->address)) {
            return sw_fail(error, SW_ERROR_INPUT, "the block at 0x%" PRIx64 " passes the end of its segment",
                           block->address);
        }
        if (!put_untold(moment, segment, number, at, block->address) ||
            !add_held_block(moment, segment, block, number)) {
            return sw_fail_memory(error);
        }
        at = block->address + block->size;
    }
    return put_untold(moment, segment, number, at, segment->address + segment->size) || sw_fail_memory(error);
}

/* Blocks segment after segment; then those of segments without addresses, then those in none. */
static bool sort_blocks(struct sw_moment *moment, struct sw_moment_block *blocks, struct placed_item *order,
                        size_t count, struct sw_error *error) {
    bool good = imply_segments(moment, blocks, order, count) || sw_fail_memory(error);
    good = good && sort_segments(moment, blocks, count, error);
    size_t at = 0;
    uint32_t s = 0;
    moment->blocks.count = 0;
    for (; good && s < moment->segments.count && moment->segments.items[s].address != SW_UNTOLD; s++) {
        good = fill_segment(moment, s, blocks, order, count, &at, error);
    }
    for (size_t i = at; good && i < count; i++) {
        order[i].address = blocks[order[i].index].segment; /* SW_NONE comes last */
    }
    sw_sort(order + at, count - at, sizeof *order, by_address);
    for (; good && s < moment->segments.count; s++) {
        struct sw_moment_segment *segment = &moment->segments.items[s];
        segment->first = moment->blocks.count;
        segment->count = 0;
        for (; good && at < count && order[at].address == s; at++) {
            good = add_held_block(moment, segment, &blocks[order[at].index], s) || sw_fail_memory(error);
        }
    }
    for (; good && at < count; at++) {
        struct sw_moment_block put = blocks[order[at].index];
        put.buffer = SW_NONE;
        good = SW_PUSH(&moment->blocks, put) || sw_fail_memory(error);
    }
    return good;
}

/* *sum + size * count, which is at most 2^61. */
static bool add_bounded(uint64_t *sum, uint64_t size, uint64_t count) {
    uint64_t bytes;
    return !__builtin_mul_overflow(size, count, &bytes) && !__builtin_add_overflow(*sum, bytes, sum) &&
           *sum <= SW_MAX_BYTES;
}

static bool blocks_are_bounded(const struct sw_moment *moment, struct sw_error *error) {
    uint64_t bytes = 0, requested = 0, blocks = 0;
    for (size_t i = 0; i < moment->blocks.count; i++) {
        const struct sw_moment_block *block = &moment->blocks.items[i];
        if (!in_bounds(block->address, block->size) || !add_bounded(&bytes, block->size, block->count) ||
            !add_bounded(&requested, block->requested == SW_UNTOLD ? 0 : block->requested, block->count) ||
            !add_bounded(&blocks, 1, block->count)) {
            return sw_fail(error, SW_ERROR_INPUT, "the blocks come to more than 2^61 bytes");
        }
    }
    return true;
}

static bool told_is_bounded(const struct sw_moment *moment, struct sw_error *error) {
    const struct sw_moment_failure *f = &moment->failure;
    const uint64_t asked[] = {f->size, f->about, f->rounded, f->segment, f->least};
    uint64_t bytes[SW_MOMENT_FIGURES] = {0}, about[SW_MOMENT_FIGURES] = {0};
    bool good = true;
    for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
        good = good && (asked[i] == SW_UNTOLD || asked[i] <= SW_MAX_BYTES);
    }
    for (size_t i = 0; i < moment->told.count; i++) {
        const struct sw_moment_told *one = &moment->told.items[i];
        good =
            good && add_bounded(&bytes[one->figure], one->bytes, 1) && add_bounded(&about[one->figure], one->about, 1);
    }
    return good || sw_fail(error, SW_ERROR_INPUT, "what the text says of a sum comes to more than 2^61 bytes");
}

/* A block without bytes lies nowhere, whatever its address. */
static void drop_empty_blocks(struct sw_moment *moment) {
    size_t kept = 0;
    for (size_t i = 0; i < moment->blocks.count; i++) {
        const struct sw_moment_block block = moment->blocks.items[i];
        if (block.size > 0 || block.address == SW_UNTOLD) {
            moment->blocks.items[kept++] = block;
        }
    }
    moment->blocks.count = kept;
}

bool sw_moment_settle(struct sw_moment *moment, struct sw_error *error) {
    drop_empty_blocks(moment);
    size_t count = moment->blocks.count;
    if (!blocks_are_bounded(moment, error) || !told_is_bounded(moment, error) ||
        !sort_segments(moment, moment->blocks.items, count, error)) {
        return false;
    }
    struct placed_item *order =
        in_order(moment->blocks.items, count, sizeof *moment->blocks.items, offsetof(struct sw_moment_block, address));
    struct sw_moment_block *blocks = sw_mem_copy(moment->blocks.items, count, sizeof *blocks);
    bool good =
        order && (blocks || count == 0) ? sort_blocks(moment, blocks, order, count, error) : sw_fail_memory(error);
    SW_FREE(order, SW_MAX(count, (size_t)1));
    SW_FREE(blocks, count);
    return good;
}

/* ---- as a problem ---- */

SW_GETTER(const struct sw_moment *, sw_problem_moment, sw_problem, moment)

void sw_builder_moment(struct sw_builder *builder, const struct sw_moment *moment) {
    struct sw_moment *old = builder->moment;
    builder->moment = sw_moment_ref(moment);
    sw_moment_unref(old);
}

uint64_t sw_moment_base(const struct sw_moment *moment, uint32_t segment) {
    uint64_t base = 0;
    for (uint32_t s = 0; s < segment; s++) {
        base += moment->segments.items[s].size;
    }
    return moment->segments.items[segment].address == SW_UNTOLD ? SW_UNTOLD : base;
}

uint64_t sw_moment_address(const struct sw_moment *moment, uint64_t place) {
    uint64_t base = 0, address = SW_UNTOLD;
    for (size_t s = 0; s < moment->segments.count; s++) {
        const struct sw_moment_segment *segment = &moment->segments.items[s];
        if (segment->expandable || segment->address == SW_UNTOLD) {
            return SW_UNTOLD;
        }
        address = place >= base && place - base < segment->size ? segment->address + (place - base) : address;
        base += segment->size;
    }
    return address;
}

void sw_moment_range(const struct sw_moment *moment, const struct sw_moment_block *block, uint64_t range[2]) {
    uint64_t start = moment->segments.items[block->segment].address;
    range[0] = sw_moment_base(moment, block->segment) + block->address - start;
    range[1] = block->size;
}

/* By its name, if no other has it, or its address; a number sets it apart from names that are like addresses. */
static bool add_buffer(struct sw_builder *builder, struct sw_names *names, struct sw_arena *texts,
                       const struct sw_moment_block *block, uint64_t offset, struct sw_error *error) {
    char name[64] = "";
    const char *called = block->name;
    for (unsigned number = 1; !called || sw_names_find(names, called, strlen(called)) != SW_NONE; number++) {
        snprintf(name, sizeof name, number > 1 ? "0x%" PRIx64 " (%u)" : "0x%" PRIx64, block->address, number);
        called = name;
    }
    called = called == name ? sw_arena_string(texts, name, strlen(name)) : called;
    struct sw_buffer_spec spec = {.name = called,
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = block->size,
                                  .has_first = true,
                                  .has_last = true,
                                  .has_offset = true,
                                  .offset = offset,
                                  .asked = block->requested == SW_UNTOLD ? 0 : block->requested,
                                  .origin = block->origin};
    return called && sw_names_set(names, called, strlen(called), 0) ? sw_builder_buffer(builder, &spec, error)
                                                                    : sw_fail_memory(error);
}

bool sw_moment_build(struct sw_moment *moment, struct sw_builder *builder, struct sw_error *error) {
    struct sw_names names = {0};
    struct sw_arena texts = {0};
    uint64_t base = 0;
    bool good = true;
    moment->held.count = 0;
    for (uint32_t s = 0; good && s < moment->segments.count; s++) {
        const struct sw_moment_segment *segment = &moment->segments.items[s];
        for (size_t b = segment->first; good && segment->address != SW_UNTOLD && b < segment->first + segment->count;
             b++) {
            struct sw_moment_block *block = &moment->blocks.items[b];
            if (sw_held_is_taken(block)) {
                good = add_buffer(builder, &names, &texts, block, base + (block->address - segment->address), error) &&
                       (SW_PUSH(&moment->held, (uint32_t)b) || sw_fail_memory(error));
                block->buffer = (uint32_t)moment->held.count - 1;
            }
        }
        base += segment->size;
    }
    sw_names_done(&names);
    sw_arena_done(&texts);
    if (good) {
        sw_builder_offsets(builder, SW_OFFSETS_PLAN);
        sw_builder_moment(builder, moment);
    }
    return good;
}
