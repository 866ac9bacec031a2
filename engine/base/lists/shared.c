#include "base/lists/shared.h"

#include <string.h>

struct sw_shared {
    size_t references, used, capacity, size;
    _Alignas(16) unsigned char bytes[];
};

static unsigned char *item_at(struct sw_shared *block, size_t i) {
    return block->bytes + i * block->size;
}

struct sw_shared *sw_shared_ref(struct sw_shared *block) {
    if (block) {
        block->references++;
    }
    return block;
}

void sw_shared_unref(struct sw_shared *block, const struct sw_shared_kind *kind) {
    if (!block || --block->references > 0) {
        return;
    }
    for (size_t i = 0; kind->forget && i < block->used; i++) {
        kind->forget(item_at(block, i));
    }
    sw_mem_free(block, 1, sizeof *block + block->capacity * block->size);
}

void *sw_shared_items(struct sw_shared *block) {
    return block ? block->bytes : NULL;
}

/* A block with the first `count` items of another one, and room for as many again. */
static struct sw_shared *copy_of(struct sw_shared *block, size_t count, const struct sw_shared_kind *kind) {
    size_t capacity = count < 2 ? 4 : 0, bytes = 0;
    if ((!capacity && __builtin_mul_overflow(count, 2, &capacity)) ||
        __builtin_mul_overflow(capacity, kind->size, &bytes) || __builtin_add_overflow(bytes, sizeof *block, &bytes)) {
        return NULL;
    }
    struct sw_shared *copy = sw_mem_new(1, bytes);
    if (!copy) {
        return NULL;
    }
    *copy = (struct sw_shared){.references = 1, .used = count, .capacity = capacity, .size = kind->size};
    if (count > 0) {
        memcpy(copy->bytes, block->bytes, count * kind->size);
    }
    for (size_t i = 0; kind->keep && i < count; i++) {
        kind->keep(item_at(copy, i));
    }
    return copy;
}

bool sw_shared_push(struct sw_shared **block, size_t count, const struct sw_shared_kind *kind, const void *item) {
    struct sw_shared *old = *block;
    /* What the only holder has cut off is not needed any more. */
    while (old && old->references == 1 && old->used > count) {
        old->used--;
        if (kind->forget) {
            kind->forget(item_at(old, old->used));
        }
    }
    if (!old || old->used != count || old->used == old->capacity) {
        struct sw_shared *copy = copy_of(old, count, kind);
        if (!copy) {
            return false;
        }
        sw_shared_unref(old, kind);
        *block = copy;
    }
    memcpy(item_at(*block, count), item, kind->size);
    (*block)->used = count + 1;
    return true;
}
