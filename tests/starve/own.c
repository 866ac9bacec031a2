/* Our own allocations fail: those that go through base/mem.h. */
#include "base/mem.h"
#include "share.h"
#include "starve/starve.h"

#include <stdlib.h>
#include <string.h>

const char *const starve_what = "own";
const uint64_t starve_share = SW_SANITIZED ? 1 : 3, starve_first = UINT64_MAX, starve_spread = 0;

static void *faulty(void *context, void *pointer, size_t old_size, size_t new_size) {
    (void)context;
    if (new_size == 0) {
        if (pointer) {
            __atomic_sub_fetch(&starve->live, 1, __ATOMIC_RELAXED);
        }
        free(pointer);
        return NULL;
    }
    if (starve_now()) {
        return NULL;
    }
    if (!pointer) {
        __atomic_add_fetch(&starve->live, 1, __ATOMIC_RELAXED);
    }
    char *block = realloc(pointer, new_size);
    size_t old = pointer ? old_size : 0;
    if (block && new_size > old) {
        memset(block + old, starve->garbage, new_size - old);
    }
    return block;
}

void starve_arm(void) {
    sw_mem_hook(faulty, NULL);
}

void starve_disarm(void) {}
