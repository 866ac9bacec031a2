/* Memory: one hook, an arena, and growable arrays.
 *
 * Everything the engine allocates goes through one hook with the four-argument contract of
 * lua_Alloc, so that one fault injector tests both the engine and Lua. Nothing here aborts: NULL or
 * false is returned and the caller reports SW_ERROR_MEMORY. */
#ifndef SW_BASE_MEM_H
#define SW_BASE_MEM_H

#include "base/c_linkage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

SW_C_BEGIN

/* new_size 0 frees and returns NULL; otherwise grows or shrinks `pointer` (NULL = a new block) from
 * old_size to new_size, or returns NULL and leaves the block alone. */
typedef void *sw_alloc_fn(void *context, void *pointer, size_t old_size, size_t new_size);

/* Replace the hook; NULL restores the default (realloc and free). Set it before the first use of the
 * library; blocks must be freed under the hook that made them. The hook is process-wide. */
void sw_mem_hook(sw_alloc_fn *hook, void *context);

/* Uninitialized, `count` items of `size` bytes; NULL on overflow or lack of memory. */
void *sw_mem_new(size_t count, size_t size);
/* The same, zeroed. */
void *sw_mem_new_zero(size_t count, size_t size);
/* A copy. */
void *sw_mem_copy(const void *items, size_t count, size_t size);
/* From old_count to new_count items; NULL leaves the old block alone. */
void *sw_mem_resize(void *pointer, size_t old_count, size_t new_count, size_t size);
/* NULL is allowed. The count and size must be those of the allocation. */
void sw_mem_free(void *pointer, size_t count, size_t size);

/* For libraries that free without telling the size: each block keeps its own. Uninitialized; NULL: no memory. */
void *sw_mem_new_sized(size_t size);
void *sw_mem_resize_sized(void *, size_t size); /* of NULL a new one; NULL leaves the old block alone */
void sw_mem_free_sized(void *);                 /* NULL is allowed */

#define SW_NEW(type, count) ((type *)sw_mem_new((count), sizeof(type)))
#define SW_NEW_ZERO(type, count) ((type *)sw_mem_new_zero((count), sizeof(type)))
#define SW_FREE(pointer, count) sw_mem_free((pointer), (count), sizeof *(pointer))

/* The bytes that all blocks now have together. Process-wide; exact while one thread allocates. */
size_t sw_mem_held(void);

/* Make room for `wanted` items in a growable array {items, count, capacity}; doubles. `items` is the
 * address of the items pointer, whatever its type. */
bool sw_array_reserve(void *items, size_t *capacity, size_t wanted, size_t size);

/* A growable array is any struct with `T *items; size_t count, capacity;`, zeroed to start with.
 * SW_ARRAY_TYPE gives it a tag. SW_PUSH appends a value and yields false on lack of memory. SW_ARRAY_DONE frees one, or
 * up to eight of them. */
#define SW_ARRAY(type)          \
    struct {                    \
        type *items;            \
        size_t count, capacity; \
    }
#define SW_ARRAY_TYPE(tag, type) \
    struct tag {                 \
        type *items;             \
        size_t count, capacity;  \
    }
#define SW_RESERVE(array, wanted)     \
    ((wanted) <= (array)->capacity || \
     sw_array_reserve(&(array)->items, &(array)->capacity, (wanted), sizeof *(array)->items))
#define SW_PUSH(array, ...) \
    (SW_RESERVE(array, (array)->count + 1) ? ((array)->items[(array)->count++] = (__VA_ARGS__), true) : false)
#define SW_DONE_1(array) \
    (SW_FREE((array)->items, (array)->capacity), (array)->items = NULL, (array)->count = (array)->capacity = 0)
#define SW_DONE_2(array, ...) (SW_DONE_1(array), SW_DONE_1(__VA_ARGS__))
#define SW_DONE_3(array, ...) (SW_DONE_1(array), SW_DONE_2(__VA_ARGS__))
#define SW_DONE_4(array, ...) (SW_DONE_1(array), SW_DONE_3(__VA_ARGS__))
#define SW_DONE_5(array, ...) (SW_DONE_1(array), SW_DONE_4(__VA_ARGS__))
#define SW_DONE_6(array, ...) (SW_DONE_1(array), SW_DONE_5(__VA_ARGS__))
#define SW_DONE_7(array, ...) (SW_DONE_1(array), SW_DONE_6(__VA_ARGS__))
#define SW_DONE_8(array, ...) (SW_DONE_1(array), SW_DONE_7(__VA_ARGS__))
#define SW_DONE_OF(a, b, c, d, e, f, g, h, done, ...) done
#define SW_ARRAY_DONE(...)                                                                                             \
    SW_DONE_OF(__VA_ARGS__, SW_DONE_8, SW_DONE_7, SW_DONE_6, SW_DONE_5, SW_DONE_4, SW_DONE_3, SW_DONE_2, SW_DONE_1, 0) \
    (__VA_ARGS__)

/* A bump arena: many small blocks that die together. Zero it to start with. */
struct sw_arena {
    struct sw_arena_block *blocks;
    size_t bytes; /* handed out so far */
};
void *sw_arena_new(struct sw_arena *, size_t count, size_t size); /* zeroed, aligned to 16 */
#define SW_NEW_IN(arena, type, count) ((type *)sw_arena_new((arena), (count), sizeof(type)))
void *sw_arena_copy(struct sw_arena *, const void *items, size_t count, size_t size);
char *sw_arena_string(struct sw_arena *, const char *text, size_t length); /* a NUL-ended copy */
void sw_arena_done(struct sw_arena *);

SW_C_END

#endif
