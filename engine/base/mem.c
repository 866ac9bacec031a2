#include "base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static void *default_hook(void *context, void *pointer, size_t old_size, size_t new_size) {
    (void)context;
    (void)old_size;
    if (new_size == 0) {
        free(pointer);
        return NULL;
    }
    return realloc(pointer, new_size);
}

static atomic_size_t bytes_held;

static sw_alloc_fn *current_hook = default_hook;
static void *current_context;

void sw_mem_hook(sw_alloc_fn *hook, void *context) {
    current_hook = hook ? hook : default_hook;
    current_context = context;
}

void *sw_mem_resize(void *pointer, size_t old_count, size_t new_count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(new_count, size, &bytes)) {
        return NULL;
    }
    size_t before = pointer ? old_count * size : 0;
    void *block = current_hook(current_context, pointer, before, bytes);
    if (block || bytes == 0) {
        atomic_fetch_add_explicit(&bytes_held, bytes - before, memory_order_relaxed);
    }
    return block;
}

size_t sw_mem_held(void) {
    return atomic_load_explicit(&bytes_held, memory_order_relaxed);
}

void *sw_mem_new(size_t count, size_t size) {
    /* A request for nothing still gets an address of its own, so that NULL always means failure. */
    return sw_mem_resize(NULL, 0, count ? count : 1, size);
}

void *sw_mem_new_zero(size_t count, size_t size) {
    void *pointer = sw_mem_new(count, size);
    if (pointer) {
        memset(pointer, 0, (count ? count : 1) * size);
    }
    return pointer;
}

void *sw_mem_copy(const void *items, size_t count, size_t size) {
    void *copy = sw_mem_new(count, size);
    if (copy && count > 0) {
        memcpy(copy, items, count * size);
    }
    return copy;
}

void sw_mem_free(void *pointer, size_t count, size_t size) {
    if (pointer) {
        size_t bytes = (count ? count : 1) * size;
        current_hook(current_context, pointer, bytes, 0);
        atomic_fetch_sub_explicit(&bytes_held, bytes, memory_order_relaxed);
    }
}

bool sw_array_reserve(void *items, size_t *capacity, size_t wanted, size_t size) {
    if (wanted <= *capacity) {
        return true;
    }
    size_t grown = *capacity < 8 ? 8 : *capacity * 2;
    if (grown < wanted) {
        grown = wanted;
    }
    void *pointer;
    memcpy(&pointer, items, sizeof pointer);
    pointer = sw_mem_resize(pointer, *capacity, grown, size);
    if (!pointer) {
        return false;
    }
    memcpy(items, &pointer, sizeof pointer);
    *capacity = grown;
    return true;
}

/* The bytes before a sized block; they keep its alignment. */
enum { SIZED_HEADER = 16 };

void *sw_mem_resize_sized(void *pointer, size_t size) {
    char *block = pointer ? (char *)pointer - SIZED_HEADER : NULL;
    size_t old = 0;
    if (block) {
        memcpy(&old, block, sizeof old);
    }
    block = size > SIZE_MAX - SIZED_HEADER ? NULL : sw_mem_resize(block, old + SIZED_HEADER, size + SIZED_HEADER, 1);
    if (!block) {
        return NULL;
    }
    memcpy(block, &size, sizeof size);
    return block + SIZED_HEADER;
}

void *sw_mem_new_sized(size_t size) {
    return sw_mem_resize_sized(NULL, size);
}

void sw_mem_free_sized(void *pointer) {
    if (pointer) {
        char *block = (char *)pointer - SIZED_HEADER;
        size_t size;
        memcpy(&size, block, sizeof size);
        sw_mem_free(block, 1, size + SIZED_HEADER);
    }
}

struct sw_arena_block {
    struct sw_arena_block *next;
    size_t used, size; /* of `bytes` */
    _Alignas(16) unsigned char bytes[];
};

void *sw_arena_new(struct sw_arena *arena, size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) || bytes > SIZE_MAX - 64) {
        return NULL;
    }
    bytes = (bytes + 15) & ~(size_t)15;
    struct sw_arena_block *block = arena->blocks;
    if (!block || block->size - block->used < bytes) {
        size_t room = block ? block->size * 2 : 4096;
        room = room > ((size_t)1 << 20) ? (size_t)1 << 20 : room;
        room = room < bytes ? bytes : room;
        block = sw_mem_new(1, sizeof *block + room);
        if (!block) {
            return NULL;
        }
        *block = (struct sw_arena_block){.next = arena->blocks, .size = room};
        arena->blocks = block;
    }
    void *pointer = block->bytes + block->used;
    block->used += bytes;
    arena->bytes += bytes;
    memset(pointer, 0, bytes);
    return pointer;
}

void *sw_arena_copy(struct sw_arena *arena, const void *items, size_t count, size_t size) {
    void *copy = sw_arena_new(arena, count, size);
    if (copy && count > 0) {
        memcpy(copy, items, count * size);
    }
    return copy;
}

char *sw_arena_string(struct sw_arena *arena, const char *text, size_t length) {
    char *copy = length == SIZE_MAX ? NULL : sw_arena_new(arena, length + 1, 1);
    if (copy) {
        memcpy(copy, text, length);
    }
    return copy;
}

void sw_arena_done(struct sw_arena *arena) {
    while (arena->blocks) {
        struct sw_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        sw_mem_free(block, 1, sizeof *block + block->size);
    }
    arena->bytes = 0;
}
