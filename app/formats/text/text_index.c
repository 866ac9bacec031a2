#include "formats/text/text_index.h"
#include "base/hash.h"

#include <string.h>

bool sw_text_is(struct sw_text text, const char *word) {
    return strlen(word) == text.length && memcmp(text.at, word, text.length) == 0;
}

bool sw_text_in(struct sw_text text, const char *words) {
    for (size_t length; *words; words += length + (words[length] == ' ')) {
        length = strcspn(words, " ");
        if (length == text.length && memcmp(words, text.at, length) == 0) {
            return true;
        }
    }
    return false;
}

static struct sw_index_slot *slot_of(const struct sw_index *index, struct sw_text name) {
    size_t mask = index->slots.capacity - 1;
    size_t at = (size_t)sw_fold_bytes(0, name.at, name.length) & mask;
    while (index->slots.items[at].full && (index->slots.items[at].name.length != name.length ||
                                           memcmp(index->slots.items[at].name.at, name.at, name.length) != 0)) {
        at = (at + 1) & mask;
    }
    return &index->slots.items[at];
}

static bool grow(struct sw_index *index) {
    struct sw_index old = *index;
    size_t wanted = old.slots.capacity ? 2 * old.slots.capacity : 64;
    struct sw_index_slot *fresh = SW_NEW_ZERO(struct sw_index_slot, wanted);
    if (!fresh) {
        return false;
    }
    index->slots.items = fresh;
    index->slots.capacity = wanted;
    for (size_t i = 0; i < old.slots.capacity; i++) {
        if (old.slots.items[i].full) {
            *slot_of(index, old.slots.items[i].name) = old.slots.items[i];
        }
    }
    SW_ARRAY_DONE(&old.slots);
    return true;
}

bool sw_index_put(struct sw_index *index, struct sw_text name, uint32_t number) {
    if (2 * (index->used + 1) > index->slots.capacity && !grow(index)) {
        return false;
    }
    struct sw_index_slot *slot = slot_of(index, name);
    index->used += !slot->full;
    *slot = (struct sw_index_slot){name, number, true};
    return true;
}

uint32_t sw_index_get(const struct sw_index *index, struct sw_text name) {
    const struct sw_index_slot *slot = index->used ? slot_of(index, name) : NULL;
    return slot && slot->full ? slot->number : SW_NONE;
}

void sw_index_clear(struct sw_index *index) {
    if (index->used) {
        memset(index->slots.items, 0, index->slots.capacity * sizeof *index->slots.items);
        index->used = 0;
    }
}

void sw_index_done(struct sw_index *index) {
    SW_ARRAY_DONE(&index->slots);
    index->used = 0;
}
