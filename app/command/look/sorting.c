/* Sorting names as numbers: a million of them in less time than a key is held down. */
#include "command/look/sorting.h"

#include <string.h>

struct sorted_names {
    const char *(*name)(const void *context, uint32_t index);
    const void *context;
    bool falling;
    struct sw_keyed *room; /* for merging */
};

static const char *sorted_name(const struct sorted_names *names, const struct sw_keyed *item) {
    return names->name(names->context, item->index);
}

/* Eight bytes from `depth` on as a number that rises as strcmp does; what follows the end is 0. */
static uint64_t key_of_bytes(const char *name, size_t depth) {
    uint64_t key = 0;
    name += depth;
    for (int i = 0; i < 8; i++) {
        key = key << 8 | (unsigned char)*name;
        name += *name != '\0';
    }
    return key;
}

/* All keys, some at a time: the names lie all over memory, and are fetched while others are read.
 * False: they are not all the same. */
static bool find_keys(const struct sorted_names *names, struct sw_keyed *items, size_t count, size_t depth) {
    enum { SOME_NAMES = 32 };
    const char *some[SOME_NAMES];
    uint64_t turn = names->falling ? UINT64_MAX : 0;
    bool same = true;
    for (size_t from = 0; from < count; from += SOME_NAMES) {
        size_t end = count - from < SOME_NAMES ? count - from : SOME_NAMES;
        for (size_t i = 0; i < end; i++) {
            some[i] = sorted_name(names, &items[from + i]);
            __builtin_prefetch(some[i] + depth);
        }
        for (size_t i = 0; i < end; i++) {
            items[from + i].key = key_of_bytes(some[i], depth) ^ turn;
            same = same && items[from + i].key == items[0].key;
        }
    }
    return same;
}

/* Do the names end within these eight bytes? Then they are the same. */
static bool ends(const struct sorted_names *names, uint64_t key) {
    return (key & 255) == (names->falling ? 255 : 0);
}

static bool follows(const struct sorted_names *names, const struct sw_keyed *a, const struct sw_keyed *b,
                    size_t depth) {
    int order = strcmp(sorted_name(names, a) + depth, sorted_name(names, b) + depth);
    return names->falling ? order < 0 : order > 0;
}

/* Too few for digits: by merging. */
static void sort_few_names(const struct sorted_names *names, struct sw_keyed *items, size_t count, size_t depth) {
    size_t half = count / 2, a = 0, b = half;
    if (count < 2) {
        return;
    }
    sort_few_names(names, items, half, depth);
    sort_few_names(names, items + half, count - half, depth);
    if (!follows(names, &items[half - 1], &items[half], depth)) {
        return;
    }
    const struct sw_keyed *from = names->room;
    memcpy(names->room, items, count * sizeof *items);
    for (size_t to = 0; to < count; to++) {
        bool second = a == half || (b < count && follows(names, &from[a], &from[b], depth));
        items[to] = second ? from[b++] : from[a++];
    }
}

enum { FEW_NAMES = 1000 };

/* Sort items with names that are the same before `depth`. Those with the same eight bytes there are
 * sorted by what comes behind these bytes. Names end, and so does this. */
static bool sort_names(const struct sorted_names *names, struct sw_keyed *items, size_t count, size_t depth) {
    for (bool same = true; same && count > FEW_NAMES;) { /* all begin alike: no new round for that */
        same = find_keys(names, items, count, depth);
        if (same && ends(names, items[0].key)) {
            return true;
        }
        depth += same ? 8 : 0;
    }
    if (count <= FEW_NAMES) {
        sort_few_names(names, items, count, depth);
        return true;
    }
    if (!sw_sort_keyed(items, count)) {
        return false;
    }
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && items[to].key == items[from].key; to++) {
        }
        if (to - from > 1 && !ends(names, items[from].key) && !sort_names(names, items + from, to - from, depth + 8)) {
            return false;
        }
    }
    return true;
}

bool sw_sort_by_name(struct sw_keyed *items, size_t count, bool falling,
                     const char *(*name)(const void *context, uint32_t index), const void *context) {
    struct sorted_names names = {name, context, falling, SW_NEW(struct sw_keyed, FEW_NAMES)};
    bool good = names.room && sort_names(&names, items, count, 0);
    SW_FREE(names.room, FEW_NAMES);
    return good;
}
