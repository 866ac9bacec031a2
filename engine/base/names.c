#include "base/names.h"
#include "base/hash.h"
#include "base/mem.h"

#include <string.h>

struct sw_name_slot {
    const void *name;
    size_t length;
    uint32_t hash; /* 0: the slot is free */
    uint32_t number;
};

static uint32_t hash_name(const void *name, size_t length) {
    uint32_t hash = (uint32_t)(sw_fold_bytes(0, name, length) >> 32);
    return hash ? hash : 1;
}

/* Names that are compared have the same hash: others are not even looked at, for each would be a miss of the cache. */
static bool slot_holds(const struct sw_name_slot *slot, const void *name, size_t length, uint32_t hash) {
    return slot->hash == hash && slot->length == length && (length == 0 || memcmp(slot->name, name, length) == 0);
}

/* The slot of a name, or the free one where it goes. There is always a free one. */
static struct sw_name_slot *name_slot(const struct sw_names *names, const void *name, size_t length, uint32_t hash) {
    size_t at = hash & (names->room - 1);
    while (names->slots[at].hash != 0 && !slot_holds(&names->slots[at], name, length, hash)) {
        at = (at + 1) & (names->room - 1);
    }
    return &names->slots[at];
}

static bool grow_names(struct sw_names *names) {
    struct sw_names larger = {.room = names->room ? 2 * names->room : 16, .count = names->count};
    larger.slots = SW_NEW_ZERO(struct sw_name_slot, larger.room);
    if (!larger.slots) {
        return false;
    }
    for (size_t i = 0; i < names->room; i++) {
        const struct sw_name_slot *slot = &names->slots[i];
        if (slot->hash != 0) {
            *name_slot(&larger, slot->name, slot->length, slot->hash) = *slot;
        }
    }
    sw_names_done(names);
    *names = larger;
    return true;
}

uint32_t sw_names_find(const struct sw_names *names, const void *name, size_t length) {
    const struct sw_name_slot *slot = names->count > 0 ? name_slot(names, name, length, hash_name(name, length)) : NULL;
    return slot && slot->hash != 0 ? slot->number : UINT32_MAX;
}

uint32_t *sw_names_at(struct sw_names *names, const void *name, size_t length) {
    if (3 * (names->count + 1) > 2 * names->room && !grow_names(names)) {
        return NULL;
    }
    uint32_t hash = hash_name(name, length);
    struct sw_name_slot *slot = name_slot(names, name, length, hash);
    if (slot->hash == 0) {
        *slot = (struct sw_name_slot){name, length, hash, UINT32_MAX};
        names->count++;
    }
    return &slot->number;
}

bool sw_names_set(struct sw_names *names, const void *name, size_t length, uint32_t number) {
    uint32_t *at = sw_names_at(names, name, length);
    if (at) {
        *at = number;
    }
    return at != NULL;
}

void sw_names_clear(struct sw_names *names) {
    if (names->count > 0) {
        memset(names->slots, 0, names->room * sizeof *names->slots);
        names->count = 0;
    }
}

void sw_names_done(struct sw_names *names) {
    SW_FREE(names->slots, names->room);
    *names = (struct sw_names){0};
}
