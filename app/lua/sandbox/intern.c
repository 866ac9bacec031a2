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
} kept = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const char *find_or_add(const char *text) {
    size_t length = strlen(text);
    uint32_t number = sw_names_find(&kept.numbers, text, length);
    if (number != UINT32_MAX) {
        return kept.texts.items[number];
    }
    const char *copy = sw_arena_string(&kept.arena, text, length);
    number = (uint32_t)kept.texts.count;
    return copy && SW_PUSH(&kept.texts, copy) && sw_names_set(&kept.numbers, copy, length, number) ? copy : NULL;
}

const char *sw_lua_intern(const char *text) {
    pthread_mutex_lock(&kept.lock);
    const char *found = find_or_add(text);
    pthread_mutex_unlock(&kept.lock);
    return found;
}
