/* One block of a moment in sentences: the piece that is free there, or would be when it is given back, and what giving
 * back its neighbors adds. */
#include "base/base.h"
#include "view/moment/moment_words.h"
#include "view/scene/scene.h"

/* Does it count as free beside another free block? */
static bool is_free_held(const struct sw_moment *moment, size_t number) {
    return moment->blocks.items[number].state == SW_HELD_FREE;
}

/* Blocks `first` to `last` of a segment, and what is free on either side of them: one piece, once these are given back.
 */
static void widen_piece(const struct sw_moment *moment, size_t *first, size_t *last) {
    const struct sw_moment_segment *segment = &moment->segments.items[moment->blocks.items[*first].segment];
    while (*first > segment->first && is_free_held(moment, *first - 1)) {
        (*first)--;
    }
    while (*last + 1 < segment->first + segment->count && is_free_held(moment, *last + 1)) {
        (*last)++;
    }
}

static uint64_t piece_bytes(const struct sw_moment *moment, size_t first, size_t last) {
    const struct sw_moment_block *lowest = &moment->blocks.items[first], *highest = &moment->blocks.items[last];
    return highest->address - lowest->address + highest->size;
}

/* "171.5 MiB (179,830,784 B), 20.5 MiB less than the request that failed takes". */
static void put_free_piece(const struct sw_moment *moment, const struct sw_moment_sums *sums, size_t first, size_t last,
                           struct sw_sink *out) {
    char text[24];
    uint64_t bytes = piece_bytes(moment, first, last);
    sw_sink_printf(out, "%s", sw_show_bytes_long(bytes, text));
    if (sums->needed == SW_UNTOLD ||
        !sw_moment_serves(moment, &moment->segments.items[moment->blocks.items[first].segment])) {
        sw_sink_printf(out, ".\n");
    } else if (bytes >= sums->most) {
        sw_sink_printf(out, ", enough for the request that failed.\n");
    } else if (bytes < sums->least) {
        sw_sink_printf(out, ", %s too small for the request that failed.\n",
                       sw_show_bytes_long(sums->least - bytes, text));
    } else {
        sw_sink_printf(out, "; the rounding leaves open whether the request that failed fits.\n");
    }
}

static void put_neighbor(const struct sw_moment *moment, const struct sw_moment_sums *sums, size_t number,
                         const char *where, size_t first, size_t last, struct sw_sink *out) {
    char text[24];
    sw_sink_printf(out, "Giving back the %s %s leaves one free piece of ",
                   sw_show_bytes_long(moment->blocks.items[number].size, text), where);
    widen_piece(moment, &first, &last);
    put_free_piece(moment, sums, first, last, out);
}

void sw_moment_put_piece(const struct sw_moment *moment, const struct sw_moment_sums *sums, size_t number,
                         struct sw_sink *out) {
    const struct sw_moment_block *block = &moment->blocks.items[number];
    if (!sw_held_is_placed(block) || block->state == SW_HELD_UNTOLD) {
        return;
    }
    const struct sw_moment_segment *segment = &moment->segments.items[block->segment];
    size_t first = number, last = number;
    widen_piece(moment, &first, &last);
    bool held = sw_held_is_taken(block);
    sw_sink_printf(out, held           ? "Giving it back leaves one free piece of "
                        : first < last ? "With what is free beside it it is one piece of "
                                       : "It is one free piece of ");
    put_free_piece(moment, sums, first, last, out);
    bool below = first > segment->first && sw_held_is_taken(&moment->blocks.items[first - 1]);
    bool above = last + 1 < segment->first + segment->count && sw_held_is_taken(&moment->blocks.items[last + 1]);
    if (below) {
        put_neighbor(moment, sums, first - 1, held ? "below it, too," : "below it", first - 1, last, out);
    }
    if (above) {
        put_neighbor(moment, sums, last + 1, held ? "above it, too," : "above it", first, last + 1, out);
    }
    if (below && above) {
        size_t lowest = first - 1, highest = last + 1;
        widen_piece(moment, &lowest, &highest);
        sw_sink_printf(out, held ? "All three leave one free piece of " : "Both leave one free piece of ");
        put_free_piece(moment, sums, lowest, highest, out);
    }
    if (moment->failure.size != SW_UNTOLD && !sw_moment_serves(moment, segment)) {
        sw_sink_printf(out, "The request that failed is of another pool, stream or allocator.\n");
    }
}

void sw_moment_put_block(const struct sw_moment *moment, size_t number, struct sw_sink *out) {
    const struct sw_moment_block *block = &moment->blocks.items[number];
    char text[24];
    if (block->name) {
        sw_sink_printf(out, "%s at ", block->name);
    }
    sw_sink_printf(out, "0x%" PRIx64 ": %s, %s, in segment %s of %s", block->address,
                   sw_show_bytes_long(block->size, text), sw_held_state_words(block->state),
                   SW_COUNT(block->segment + UINT64_C(1)), SW_COUNT(moment->segments.count));
}
