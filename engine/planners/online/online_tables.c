/* What an online allocator tells: figures for the summary, and its segments, free blocks and waste as tables. */
#include "planners/online/online.h"
#include "base/base.h"
#include "planners/online/online_look.h"

/* ---- figures ---- */

bool online_details(const void *state, const struct sw_run *run, struct sw_details *to) {
    const struct online *online = state;
    const struct online_figures *f = &online->figures;
    (void)run;
    bool good = sw_detail_integer(to, "allocs", (int64_t)f->allocs);
    if (online->compares) {
        good = good && sw_detail_integer(to, "hits", (int64_t)f->hits) &&
               sw_detail_integer(to, "grown", (int64_t)f->grown) &&
               sw_detail_integer(to, "growth_hits", (int64_t)f->growth_hits);
    } else {
        good = good && sw_detail_none(to, "hits") && sw_detail_integer(to, "grown", (int64_t)f->grown) &&
               sw_detail_none(to, "growth_hits");
    }
    return good && sw_detail_integer(to, "releases", (int64_t)f->releases) &&
           sw_detail_integer(to, "ooms", (int64_t)f->ooms) && sw_detail_integer(to, "reserved", (int64_t)f->reserved) &&
           sw_detail_integer(to, "allocated", (int64_t)f->allocated) &&
           sw_detail_integer(to, "active", (int64_t)f->active) &&
           sw_detail_integer(to, "requested", (int64_t)f->requested) &&
           sw_detail_integer(to, "fragmentation", (int64_t)f->fragmentation) &&
           sw_detail_integer(to, "fragmentation_least", (int64_t)f->fragmentation_least) &&
           sw_detail_integer(to, "lower_bound_rounded", (int64_t)f->lower_bound) &&
           sw_detail_integer(to, "segments_grown", (int64_t)f->segments_grown) &&
           sw_detail_integer(to, "segments_freed", (int64_t)f->segments_freed) &&
           (online->heap->elsewhere == 0 ||
            sw_detail_integer(to, "reserved_elsewhere", (int64_t)online->heap->elsewhere)) &&
           sw_detail_integer(to, "addresses_crc32", (int64_t)f->crc);
}

/* ---- tables ---- */

static const char *const block_states[] = {"free", "used", "waits", "unmapped", ""};

static struct sw_state_cell stream_cell(const struct online *online, uint32_t stream) {
    return stream < online->requests->streams.count ? sw_cell_number((double)online->requests->streams.items[stream])
                                                    : sw_cell_none();
}

/* Segments by number, with what lies in them. */
static void segments(const struct online *online, struct sw_state_tables *tables, uint32_t touched) {
    static const char *const columns[] = {"segment",      "address", "reserved", "used", "waits",        "free",
                                          "largest hole", "blocks",  "stream",   "pool", "private pool", NULL};
    const struct sw_heap *heap = online->heap;
    uint64_t rows = 0, row = 0, at = SW_NO_ROW;
    for (uint32_t s = 0; s < heap->segments.count; s++) {
        at = heap->segments.items[s].live && s == touched ? rows : at;
        rows += heap->segments.items[s].live;
    }
    struct sw_state_table *t = sw_state_table(tables, "segments", columns, rows, at);
    for (uint32_t s = 0; s < heap->segments.count && row < t->end; s++) {
        const struct sw_heap_segment *segment = &heap->segments.items[s];
        if (!segment->live || row++ < t->first) {
            continue;
        }
        uint64_t sums[5] = {0}, largest = 0, blocks = 0;
        for (uint32_t b = segment->first; b != SW_NONE; b = sw_heap_at(heap, b)->next, blocks++) {
            const struct sw_heap_block *block = sw_heap_at(heap, b);
            uint64_t size = sw_heap_extent(heap, b);
            sums[block->state] += size;
            largest = block->state == SW_BLOCK_FREE && size > largest ? size : largest;
        }
        SW_STATE_ROW(tables, sw_cell_count(s), sw_cell_offset(online_shown(online, segment->address)),
                     sw_cell_bytes(segment->size), sw_cell_bytes(sums[SW_BLOCK_USED]),
                     sw_cell_bytes(sums[SW_BLOCK_WAITING]), sw_cell_bytes(sums[SW_BLOCK_FREE]), sw_cell_bytes(largest),
                     sw_cell_count(blocks), stream_cell(online, segment->stream),
                     sw_cell_word(segment->page    ? segment->small ? "small, pages" : "large, pages"
                                  : segment->small ? "small"
                                                   : "large"),
                     segment->pool ? sw_cell_count(segment->pool) : sw_cell_none());
    }
}

/* Free blocks in the order in which they are searched. */
static void free_blocks(const struct online *online, struct sw_state_tables *tables) {
    static const char *const columns[] = {"place", "address", "size", "segment", "above", "stream", NULL};
    const struct sw_heap *heap = online->heap;
    size_t count = sw_heap_free_order(heap, NULL, 0);
    struct sw_state_table *t = sw_state_table(tables, "free blocks", columns, count, SW_NO_ROW);
    uint32_t *blocks = SW_NEW(uint32_t, count + 1);
    if (!blocks) {
        tables->failed = true;
        return;
    }
    sw_heap_free_order(heap, blocks, count);
    for (uint64_t row = t->first; row < t->end; row++) {
        const struct sw_heap_block *block = sw_heap_at(heap, blocks[row]);
        uint32_t above = block->previous == SW_NONE ? SW_NONE : sw_heap_at(heap, block->previous)->buffer;
        SW_STATE_ROW(tables, sw_cell_count(row), sw_cell_offset(online_shown(online, block->address)),
                     sw_cell_bytes(sw_heap_extent(heap, blocks[row])), sw_cell_count(block->segment),
                     sw_cell_buffer(above), stream_cell(online, heap->segments.items[block->segment].stream));
    }
    SW_FREE(blocks, count + 1);
}

/* All blocks, segment by segment, by address. */
static void blocks(const struct online *online, struct sw_state_tables *tables, uint32_t touched) {
    static const char *const columns[] = {"segment", "address",   "size",    "state",
                                          "buffer",  "asked for", "rounded", NULL};
    const struct sw_heap *heap = online->heap;
    uint64_t rows = 0, row = 0, at = SW_NO_ROW;
    for (uint32_t s = 0; s < heap->segments.count; s++) {
        for (uint32_t b = heap->segments.items[s].live ? heap->segments.items[s].first : SW_NONE; b != SW_NONE;
             b = sw_heap_at(heap, b)->next, rows++) {
            at = b == touched ? rows : at;
        }
    }
    struct sw_state_table *t = sw_state_table(tables, "blocks", columns, rows, at);
    for (uint32_t s = 0; s < heap->segments.count && row < t->end; s++) {
        for (uint32_t b = heap->segments.items[s].live ? heap->segments.items[s].first : SW_NONE;
             b != SW_NONE && row < t->end; b = sw_heap_at(heap, b)->next) {
            const struct sw_heap_block *block = sw_heap_at(heap, b);
            if (row++ < t->first) {
                continue;
            }
            bool held = block->buffer != SW_NONE;
            SW_STATE_ROW(
                tables, sw_cell_count(s), sw_cell_offset(online_shown(online, block->address)),
                sw_cell_bytes(sw_heap_extent(heap, b)),
                sw_cell_word(heap->partial && block->state == SW_BLOCK_FREE ? "not told" : block_states[block->state]),
                sw_cell_buffer(block->buffer), held ? sw_cell_bytes(block->requested) : sw_cell_none(),
                held ? sw_cell_bytes(block->rounded) : sw_cell_none());
        }
    }
}

static void waste(const struct online *online, struct sw_state_tables *tables) {
    static const char *const columns[] = {"reserved is", "bytes", NULL};
    uint64_t bytes[SW_RESERVED_PARTS];
    sw_online_reserved(online, bytes);
    uint64_t parts = SW_RESERVED_PARTS - (bytes[SW_RESERVED_PARTS - 1] == 0);
    struct sw_state_table *t = sw_state_table(tables, "where the reserved bytes are", columns, parts + 1, SW_NO_ROW);
    for (uint64_t row = t->first; row < t->end; row++) {
        SW_STATE_ROW(tables, sw_cell_word(row < parts ? sw_reserved_names[row] : "reserved"),
                     sw_cell_bytes(row < parts ? bytes[row] : online->heap->reserved));
    }
}

void online_tables(const void *state, const struct sw_run *run, const struct sw_decision *last,
                   struct sw_state_tables *tables) {
    const struct online *online = state;
    uint32_t block = last ? sw_heap_block_of(online->heap, last->buffer) : SW_NONE;
    uint32_t segment = block == SW_NONE ? SW_NONE : sw_heap_at(online->heap, block)->segment;
    (void)run;
    waste(online, tables);
    segments(online, tables, segment);
    free_blocks(online, tables);
    blocks(online, tables, block);
}

void online_because(const void *state, const struct sw_run *run, const struct sw_decision *last, char *text,
                    size_t size) {
    const struct online *online = state;
    uint64_t reserved = online->heap->reserved;
    if (last->time < sw_problem_steps(run->problem)) {
        snprintf(text, size, "the requests have come to time %" PRId64 "; ", sw_problem_time(run->problem, last->time));
    }
    sw_text_add(text, size, "%s %s reserved", reserved ? SW_BYTES(reserved) : "nothing", reserved ? "are" : "is");
}
