/* Texts that are kept once each to the end of the program. */
#include "base/names.h"
#include "base/base.h"
#include "lua/sandbox/lua_internal.h"

#include <pthread.h>

static struct {
    pthread_mutex_t lock; /* planners run in several threads */
    struct sw_arena arena;
    SW_ARRAY(const char *) texts;
    struct sw_names numbers; /* in `texts` */
} interned = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *find_or_add(const char *text) {
    size_t length = strlen(text);
    uint32_t number = sw_names_find(&interned.numbers, text, length);
    if (number != UINT32_MAX) {
        return interned.texts.items[number];
    }
    const char *copy = sw_arena_string(&interned.arena, text, length);
    number = (uint32_t)interned.texts.count;
    return copy && SW_PUSH(&interned.texts, copy) && sw_names_set(&interned.numbers, copy, length, number) ? copy
                                                                                                           : NULL;
}

const char *sw_lua_intern(const char *text) {
    pthread_mutex_lock(&interned.lock);
    const char *found = find_or_add(text);
    pthread_mutex_unlock(&interned.lock);
    return found;
}
