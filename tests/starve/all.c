/* All allocations of the process fail, those of libraries too: the C library's functions are replaced by these. */
#include "starve/starve.h"

#include "export/apart.h"

#include <errno.h>
#include <stddef.h>

const char *const starve_what = "all";
const uint64_t starve_share = 3, starve_first = 2000, starve_spread = 500;

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

static bool armed;

static bool fails(void) {
    if (!armed || !starve_now()) {
        return false;
    }
    errno = ENOMEM;
    sw_apart_starved(); /* as app/heap.c does */
    return true;
}

void *malloc(size_t size) {
    return fails() ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    return fails() ? NULL : __libc_calloc(count, size);
}

/* Nothing fails that only frees. */
void *realloc(void *pointer, size_t size) {
    return size > 0 && fails() ? NULL : __libc_realloc(pointer, size);
}

void *memalign(size_t alignment, size_t size) {
    return fails() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void **pointer, size_t alignment, size_t size) {
    void *made = memalign(alignment, size);
    if (made) {
        *pointer = made;
    }
    return made ? 0 : ENOMEM;
}

void starve_arm(void) {
    armed = true;
}

void starve_disarm(void) {
    armed = false;
}
