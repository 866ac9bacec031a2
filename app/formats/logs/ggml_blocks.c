#include "formats/logs/ggml_blocks.h"

#include <inttypes.h>
#include <stdio.h> /* snprintf */
#include <string.h>

bool ggml_blocks_init(struct ggml_blocks *blocks, size_t names) {
    return sw_unique_init(&blocks->unique, names);
}

void ggml_blocks_done(struct ggml_blocks *blocks) {
    for (size_t i = 0; i < blocks->spaces.count; i++) {
        SW_ARRAY_DONE(&blocks->spaces.items[i].live);
    }
    SW_ARRAY_DONE(&blocks->spaces);
    SW_ARRAY_DONE(&blocks->all);
    sw_trace_names_done(&blocks->latest);
    sw_trace_names_done(&blocks->uses);
    if (blocks->unique.table) {
        sw_unique_done(&blocks->unique);
    }
    sw_arena_done(&blocks->arena);
}

uint32_t ggml_blocks_find(struct ggml_blocks *blocks, const char *name) {
    uint32_t at = sw_trace_names_find(&blocks->latest, name), first = at;
    while (at != SW_NONE && !blocks->all.items[at].live) {
        at = blocks->all.items[at].before;
    }
    if (at != first) { /* what is dead is not looked at again; the name is there, so that this needs no memory */
        sw_trace_names_set(&blocks->latest, blocks->all.items[first].name, at);
    }
    return at;
}

/* The first live block of a space that begins at the offset or behind it. */
static size_t lower_bound(const struct ggml_blocks *blocks, const struct ggml_space *space, uint64_t offset) {
    size_t lo = 0, hi = space->live.count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (blocks->all.items[space->live.items[mid]].offset < offset) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

uint32_t ggml_blocks_at(const struct ggml_blocks *blocks, const char *name, int64_t chunk, uint64_t offset) {
    for (size_t s = 0; s < blocks->spaces.count; s++) {
        const struct ggml_space *space = &blocks->spaces.items[s];
        for (size_t i = space->chunk == chunk ? lower_bound(blocks, space, offset) : space->live.count;
             i < space->live.count; i++) {
            const struct ggml_block *block = &blocks->all.items[space->live.items[i]];
            if (block->offset != offset) {
                break;
            }
            if (strcmp(block->name, name) == 0) {
                return space->live.items[i];
            }
        }
    }
    return SW_NONE;
}

static bool is_taken(const struct ggml_blocks *blocks, const struct ggml_space *space, uint64_t offset, uint64_t size) {
    size_t at = lower_bound(blocks, space, offset);
    const struct ggml_block *below = at > 0 ? &blocks->all.items[space->live.items[at - 1]] : NULL;
    const struct ggml_block *above = at < space->live.count ? &blocks->all.items[space->live.items[at]] : NULL;
    return (below && size > 0 && below->offset + below->size > offset) || (above && above->offset < offset + size);
}

bool ggml_blocks_taken(const struct ggml_blocks *blocks, int64_t chunk, uint64_t offset, uint64_t size) {
    for (size_t s = 0; s < blocks->spaces.count; s++) {
        const struct ggml_space *space = &blocks->spaces.items[s];
        if (space->chunk == chunk && space->pool == 1) {
            return is_taken(blocks, space, offset, size);
        }
    }
    return false;
}

static bool insert(struct ggml_blocks *blocks, uint32_t number) {
    const struct ggml_block *block = &blocks->all.items[number];
    struct ggml_space *space = &blocks->spaces.items[block->space];
    size_t at = lower_bound(blocks, space, block->offset);
    if (!SW_PUSH(&space->live, number)) {
        return false;
    }
    memmove(space->live.items + at + 1, space->live.items + at, (space->live.count - 1 - at) * sizeof number);
    space->live.items[at] = number;
    return true;
}

/* The name in the trace. NULL: no memory. */
static const char *name_block(struct ggml_blocks *blocks, const char *name) {
    uint32_t count = sw_trace_names_find(&blocks->uses, name);
    count = count == SW_NONE ? 1 : count + 1;
    const char *shown = *name ? name : "(no name)";
    if (count > 1) {
        size_t room = strlen(shown) + 16;
        char *made = sw_arena_new(&blocks->arena, room, 1);
        if (made) {
            snprintf(made, room, "%s#%" PRIu32, shown, count);
        }
        shown = made;
    }
    return sw_trace_names_set(&blocks->uses, name, count) ? sw_unique_name(&blocks->unique, &blocks->arena, shown) : NULL;
}

static uint32_t add(struct ggml_blocks *blocks, const char *name, uint32_t space, uint64_t offset, uint64_t size) {
    struct ggml_block block = {.offset = offset, .size = size, .space = space, .live = true};
    uint32_t number = (uint32_t)blocks->all.count;
    block.before = ggml_blocks_find(blocks, name);
    block.name = sw_arena_string(&blocks->arena, name, strlen(name));
    block.id = block.name ? name_block(blocks, block.name) : NULL;
    bool good = block.id && SW_PUSH(&blocks->all, block) && insert(blocks, number) &&
                sw_trace_names_set(&blocks->latest, block.name, number);
    return good ? number : SW_NONE;
}

/* The space of a new block; SW_NONE: no memory, or too many. */
static uint32_t find_space(struct ggml_blocks *blocks, int64_t chunk, uint64_t offset, uint64_t size, bool *full) {
    struct ggml_space fresh = {.chunk = chunk, .pool = 1};
    *full = false;
    for (size_t s = 0; s < blocks->spaces.count; s++) {
        const struct ggml_space *space = &blocks->spaces.items[s];
        if (space->chunk == chunk && !is_taken(blocks, space, offset, size)) {
            return (uint32_t)s;
        }
        fresh.pool += space->chunk == chunk;
    }
    *full = blocks->spaces.count == SW_MAX_TIERS;
    if (fresh.pool == 1) {
        snprintf(fresh.name, sizeof fresh.name, "chunk %" PRId64, chunk);
    } else {
        snprintf(fresh.name, sizeof fresh.name, "chunk %" PRId64 ", pool %" PRIu32, chunk, fresh.pool);
    }
    return !*full && SW_PUSH(&blocks->spaces, fresh) ? (uint32_t)blocks->spaces.count - 1 : SW_NONE;
}

uint32_t ggml_blocks_add(struct ggml_blocks *blocks, const char *name, int64_t chunk, uint64_t offset, uint64_t size,
                         bool *full) {
    uint32_t space = find_space(blocks, chunk, offset, size, full);
    return space == SW_NONE ? SW_NONE : add(blocks, name, space, offset, size);
}

uint32_t ggml_blocks_reuse(struct ggml_blocks *blocks, const char *name, uint32_t parent) {
    struct ggml_block old = blocks->all.items[parent];
    ggml_blocks_free(blocks, parent);
    return add(blocks, name, old.space, old.offset, old.size);
}

void ggml_blocks_free(struct ggml_blocks *blocks, uint32_t number) {
    struct ggml_block *block = &blocks->all.items[number];
    struct ggml_space *space = &blocks->spaces.items[block->space];
    size_t at = lower_bound(blocks, space, block->offset);
    while (space->live.items[at] != number) {
        at++;
    }
    memmove(space->live.items + at, space->live.items + at + 1, (space->live.count - 1 - at) * sizeof number);
    space->live.count--;
    block->live = false;
}
