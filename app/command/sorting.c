/* Sorting by radix: a million buffers in less time than a key is held down. */
#include "command/sorting.h"

#include "base/mem.h"

#include <string.h>

enum { BITS = 11, DIGITS = 1 << BITS };

/* What is sorted, and as much room beside it. */
struct room {
    uint32_t *items;
    uint64_t *keys;
    size_t count;
};

static bool open(struct room *room, size_t count) {
    *room = (struct room){SW_NEW(uint32_t, count + 1), SW_NEW(uint64_t, count + 1), count + 1};
    return room->items && room->keys;
}

static void done(struct room *room) {
    SW_FREE(room->items, room->count);
    SW_FREE(room->keys, room->count);
}

/* By one digit after the other, the lowest first, of those in which keys differ. */
static void sort(uint32_t *items, uint64_t *keys, size_t count, bool falling, struct room *room) {
    uint64_t differ = 0, turn = falling ? UINT64_MAX : 0;
    for (size_t i = 1; i < count; i++) {
        differ |= keys[i] ^ keys[0];
    }
    for (unsigned shift = 0; shift < 64 && differ >> shift; shift += BITS) {
        size_t ends[DIGITS + 1] = {0};
        if (!(differ >> shift & (DIGITS - 1))) {
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            ends[((keys[i] ^ turn) >> shift & (DIGITS - 1)) + 1]++;
        }
        for (unsigned d = 0; d < DIGITS; d++) {
            ends[d + 1] += ends[d];
        }
        for (size_t i = 0; i < count; i++) {
            size_t to = ends[(keys[i] ^ turn) >> shift & (DIGITS - 1)]++;
            room->items[to] = items[i];
            room->keys[to] = keys[i];
        }
        memcpy(items, room->items, count * sizeof *items);
        memcpy(keys, room->keys, count * sizeof *keys);
    }
}

bool sw_sort_by_number(uint32_t *items, uint64_t *keys, size_t count, bool falling) {
    struct room room;
    bool good = open(&room, count);
    if (good) {
        sort(items, keys, count, falling, &room);
    }
    done(&room);
    return good;
}

/* ---- names ---- */

struct names {
    const char *(*name)(const void *context, uint32_t item);
    const void *context;
    bool falling;
    struct room room;
    uint64_t *keys; /* of all items */
};

/* Eight bytes from `depth` on as a number that rises as strcmp does; what follows the end is 0. */
static uint64_t key_of(const char *name, size_t depth) {
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
static bool find_keys(const struct names *names, const uint32_t *items, uint64_t *keys,
                      size_t count, size_t depth) {
    enum { SOME = 32 };
    const char *some[SOME];
    bool same = true;
    for (size_t from = 0; from < count; from += SOME) {
        size_t end = count - from < SOME ? count - from : SOME;
        for (size_t i = 0; i < end; i++) {
            some[i] = names->name(names->context, items[from + i]);
            __builtin_prefetch(some[i] + depth);
        }
        for (size_t i = 0; i < end; i++) {
            keys[from + i] = key_of(some[i], depth);
            same = same && keys[from + i] == keys[0];
        }
    }
    return same;
}

static bool follows(const struct names *names, uint32_t a, uint32_t b, size_t depth) {
    int order =
        strcmp(names->name(names->context, a) + depth, names->name(names->context, b) + depth);
    return names->falling ? order < 0 : order > 0;
}

/* Too few for digits: by merging. */
static void sort_few(const struct names *names, uint32_t *items, size_t count, size_t depth) {
    size_t half = count / 2, a = 0, b = half;
    if (count < 2) {
        return;
    }
    sort_few(names, items, half, depth);
    sort_few(names, items + half, count - half, depth);
    if (!follows(names, items[half - 1], items[half], depth)) {
        return;
    }
    memcpy(names->room.items, items, count * sizeof *items);
    const uint32_t *from = names->room.items;
    for (size_t to = 0; to < count; to++) {
        bool second = a == half || (b < count && follows(names, from[a], from[b], depth));
        items[to] = second ? from[b++] : from[a++];
    }
}

/* Items whose names are the same before `depth`. Those with the same eight bytes there are sorted
 * by what comes behind them; as names end, so does this. */
static void sort_names(const struct names *names, uint32_t *items, uint64_t *keys, size_t count,
                       size_t depth) {
    enum { FEW = 1000 };
    struct room room = names->room;
    for (bool same = true; same && count > FEW;) { /* all begin alike: no new round for that */
        same = find_keys(names, items, keys, count, depth);
        if (same && (keys[0] & 255) == 0) {
            return; /* and end there */
        }
        depth += same ? 8 : 0;
    }
    if (count <= FEW) {
        sort_few(names, items, count, depth);
        return;
    }
    sort(items, keys, count, names->falling, &room);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && keys[to] == keys[from]; to++) {
        }
        if (to - from > 1 && (keys[from] & 255) != 0) {
            sort_names(names, items + from, keys + from, to - from, depth + 8);
        }
    }
}

bool sw_sort_by_name(uint32_t *items, size_t count, bool falling,
                     const char *(*name)(const void *context, uint32_t item), const void *context) {
    struct names names = {.name = name, .context = context, .falling = falling};
    bool good = open(&names.room, count);
    uint64_t *keys = SW_NEW(uint64_t, count + 1);
    if (good && keys) {
        sort_names(&names, items, keys, count, 0);
    }
    SW_FREE(keys, count + 1);
    done(&names.room);
    return good && keys;
}
