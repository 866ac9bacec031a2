/* The C library's allocator, which tells when it has nothing to give. What libraries make of that their interfaces do
 * not say (export/apart.h); only here it can be seen. The GNU C library lets a program put its own functions in place
 * of these (its manual, "Replacing malloc"), and has its own under these names. */
#include "export/apart.h"

#include <errno.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *pointer, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void *malloc(size_t size);
void *calloc(size_t count, size_t size);
void *realloc(void *pointer, size_t size);
void *memalign(size_t alignment, size_t size);
void *aligned_alloc(size_t alignment, size_t size);
int posix_memalign(void **pointer, size_t alignment, size_t size);

static void *told(void *pointer) {
    if (!pointer) {
        sw_apart_starved();
    }
    return pointer;
}

void *malloc(size_t size) {
    return told(__libc_malloc(size));
}

void *calloc(size_t count, size_t size) {
    return told(__libc_calloc(count, size));
}

/* To no bytes is to free, and gives NULL. */
void *realloc(void *pointer, size_t size) {
    void *made = __libc_realloc(pointer, size);
    return size > 0 ? told(made) : made;
}

void *memalign(size_t alignment, size_t size) {
    return told(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **pointer, size_t alignment, size_t size) {
    if (alignment == 0 || alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0) {
        return EINVAL;
    }
    void *made = memalign(alignment, size);
    if (made) {
        *pointer = made;
    }
    return made ? 0 : ENOMEM;
}
