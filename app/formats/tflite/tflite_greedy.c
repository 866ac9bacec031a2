#include "formats/tflite/tflite_greedy.h"
#include "base/base.h"

/* The largest first, of equal ones the last that was asked for. */
static int by_block_size(const void *a, const void *b) {
    const struct tflite_block *x = *(struct tflite_block *const *)a, *y = *(struct tflite_block *const *)b;
    return x->size != y->size ? (x->size < y->size) - (x->size > y->size) : (x < y) - (x > y);
}

static int by_block_offset(const void *a, const void *b) {
    const struct tflite_block *x = *(struct tflite_block *const *)a, *y = *(struct tflite_block *const *)b;
    return x->offset != y->offset ? (x->offset > y->offset) - (x->offset < y->offset) : (x > y) - (x < y);
}

/* Behind those that are alive with it, in the first gap that it fits; `placed` stand by offset. */
static uint64_t find_gap(struct tflite_block *const *placed, size_t count, const struct tflite_block *wanted) {
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const struct tflite_block *other = placed[i];
        if (other->first > wanted->last || wanted->first > other->last) {
            continue;
        }
        if (other->offset > at && other->offset - at >= wanted->size) {
            break;
        }
        at = SW_MAX(at, other->offset + other->size);
    }
    return at;
}

static void insert_placed(struct tflite_block **placed, size_t count, struct tflite_block *fresh) {
    size_t at = count;
    while (at > 0 && placed[at - 1]->offset > fresh->offset) {
        placed[at] = placed[at - 1];
        at--;
    }
    placed[at] = fresh;
}

bool tflite_place_blocks(struct sw_arena *arena, struct tflite_block *blocks, size_t count, uint64_t *end) {
    struct tflite_block **placed = sw_arena_new(arena, count + 1, sizeof(void *));
    struct tflite_block **asked = sw_arena_new(arena, count + 1, sizeof(void *));
    size_t done = 0, left = 0;
    *end = 0;
    if (!placed || !asked) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        if (blocks[i].placed) {
            placed[done++] = &blocks[i];
            *end = SW_MAX(*end, blocks[i].offset + blocks[i].size);
        } else {
            asked[left++] = &blocks[i];
        }
    }
    qsort(placed, done, sizeof *placed, by_block_offset);
    qsort(asked, left, sizeof *asked, by_block_size);
    for (size_t i = 0; i < left; i++) {
        asked[i]->offset = find_gap(placed, done, asked[i]);
        asked[i]->placed = true;
        *end = SW_MAX(*end, asked[i]->offset + asked[i]->size);
        insert_placed(placed, done++, asked[i]);
    }
    return true;
}
