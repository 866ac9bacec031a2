/* Texts that are kept once each to the end of the program: an open hash table over an arena. */
#include "base/hash.h"
#include "base/mem.h"
#include "lua/sandbox/lua_internal.h"

#include <pthread.h>
#include <string.h>

/* `size` is a power of two; at most half of the places are taken. */
static struct {
    pthread_mutex_t lock; /* planners run in several threads */
    struct sw_arena texts;
    const char **table;
    size_t size, count;
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Where the text stands in the table, or the free place where it would. */
static size_t place_of(const char *const *table, size_t size, const char *text) {
    size_t at = (size_t)sw_fold_bytes(0, text, strlen(text)) & (size - 1);
    while (table[at] && strcmp(table[at], text) != 0) {
        at = (at + 1) & (size - 1);
    }
    return at;
}

static bool grow(void) {
    size_t size = kept.size ? 2 * kept.size : 64;
    const char **table = SW_NEW_ZERO(const char *, size);
    if (!table) {
        return false;
    }
    for (size_t i = 0; i < kept.size; i++) {
        if (kept.table[i]) {
            table[place_of(table, size, kept.table[i])] = kept.table[i];
        }
    }
    SW_FREE(kept.table, kept.size);
    kept.table = table;
    kept.size = size;
    return true;
}

static const char *find_or_add(const char *text) {
    if (2 * kept.count >= kept.size && !grow()) {
        return NULL;
    }
    size_t at = place_of(kept.table, kept.size, text);
    if (!kept.table[at]) {
        kept.table[at] = sw_arena_string(&kept.texts, text, strlen(text));
        kept.count += kept.table[at] != NULL;
    }
    return kept.table[at];
}

const char *sw_lua_intern(const char *text) {
    pthread_mutex_lock(&kept.lock);
    const char *found = find_or_add(text);
    pthread_mutex_unlock(&kept.lock);
    return found;
}
