#include "formats/trace/read/trace_names.h"

#include <string.h>

static uint32_t hash_of(const char *name) {
    return (uint32_t)(sw_fold_bytes(0, name, strlen(name)) >> 32);
}

/* Names that are compared have the same hash: others are not even looked at, for each would be a miss of the cache. */
static struct sw_trace_named *slot_of(const struct sw_trace_names *names, const char *name, uint32_t hash) {
    size_t at = hash & (names->size - 1);
    while (names->slots[at].name && (names->slots[at].hash != hash || strcmp(names->slots[at].name, name) != 0)) {
        at = (at + 1) & (names->size - 1);
    }
    return &names->slots[at];
}

uint32_t sw_trace_names_find(const struct sw_trace_names *names, const char *name) {
    const struct sw_trace_named *slot = names->count > 0 ? slot_of(names, name, hash_of(name)) : NULL;
    return slot && slot->name ? slot->number : SW_NONE;
}

static bool grow(struct sw_trace_names *names) {
    struct sw_trace_names larger = {.size = names->size ? 2 * names->size : 64, .count = names->count};
    larger.slots = SW_NEW_ZERO(struct sw_trace_named, larger.size);
    if (!larger.slots) {
        return false;
    }
    for (size_t i = 0; i < names->size; i++) {
        if (names->slots[i].name) { /* all differ */
            size_t at = names->slots[i].hash & (larger.size - 1);
            while (larger.slots[at].name) {
                at = (at + 1) & (larger.size - 1);
            }
            larger.slots[at] = names->slots[i];
        }
    }
    sw_trace_names_done(names);
    *names = larger;
    return true;
}

bool sw_trace_names_set(struct sw_trace_names *names, const char *name, uint32_t number) {
    if (2 * (names->count + 1) > names->size && !grow(names)) {
        return false;
    }
    uint32_t hash = hash_of(name);
    struct sw_trace_named *slot = slot_of(names, name, hash);
    names->count += !slot->name;
    *slot = (struct sw_trace_named){slot->name ? slot->name : name, number, hash};
    return true;
}

void sw_trace_names_done(struct sw_trace_names *names) {
    SW_FREE(names->slots, names->size);
    *names = (struct sw_trace_names){0};
}
