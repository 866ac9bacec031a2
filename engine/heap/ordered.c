#include "heap/ordered.h"

#include "base/sort.h"

#include <string.h>

static int compare_ordered_keys(struct sw_key x, struct sw_key y) {
    return x.a != y.a ? SW_COMPARE(x.a, y.a) : x.b != y.b ? SW_COMPARE(x.b, y.b) : SW_COMPARE(x.c, y.c);
}

/* The first piece with a last entry that is not below the key; the number of pieces when there is none. */
static uint32_t piece_of(const struct sw_ordered *set, struct sw_key key) {
    const struct sw_ordered_piece *pieces = set->pieces.items;
    return (uint32_t)SW_FIRST(i, set->pieces.count,
                              compare_ordered_keys(pieces[i].items[pieces[i].count - 1].key, key) >= 0);
}

static uint32_t index_in_piece(const struct sw_ordered_piece *piece, struct sw_key key) {
    return (uint32_t)SW_FIRST(i, piece->count, compare_ordered_keys(piece->items[i].key, key) >= 0);
}

/* The largest `b` of a piece is looked for again. */
static void measure_piece(struct sw_ordered_piece *piece) {
    piece->most = 0;
    for (uint32_t i = 0; i < piece->count; i++) {
        piece->most = piece->items[i].key.b > piece->most ? piece->items[i].key.b : piece->most;
    }
}

static bool insert_piece(struct sw_ordered *set, uint32_t at) {
    struct sw_ordered_entry *items = SW_NEW(struct sw_ordered_entry, SW_ORDERED_PIECE);
    if (!items || !SW_PUSH(&set->pieces, (struct sw_ordered_piece){.count = 0})) {
        SW_FREE(items, SW_ORDERED_PIECE);
        return false;
    }
    struct sw_ordered_piece *pieces = set->pieces.items;
    memmove(&pieces[at + 1], &pieces[at], (set->pieces.count - 1 - at) * sizeof *pieces);
    pieces[at] = (struct sw_ordered_piece){.items = items};
    return true;
}

/* Half of a full piece goes into a new one behind it. */
static bool halve_piece(struct sw_ordered *set, uint32_t at) {
    enum { HALF = SW_ORDERED_PIECE / 2 };
    if (!insert_piece(set, at + 1)) {
        return false;
    }
    struct sw_ordered_piece *full = &set->pieces.items[at], *rest = full + 1;
    memcpy(rest->items, full->items + HALF, (SW_ORDERED_PIECE - HALF) * sizeof *rest->items);
    rest->count = SW_ORDERED_PIECE - HALF;
    full->count = HALF;
    measure_piece(full);
    measure_piece(rest);
    return true;
}

bool sw_ordered_add(struct sw_ordered *set, struct sw_key key, uint32_t block) {
    uint32_t at = piece_of(set, key);
    if (set->pieces.count == 0 && !insert_piece(set, 0)) {
        return false;
    }
    at -= at == set->pieces.count;
    if (set->pieces.items[at].count == SW_ORDERED_PIECE) {
        if (!halve_piece(set, at)) {
            return false;
        }
        at = piece_of(set, key);
        at -= at == set->pieces.count;
    }
    struct sw_ordered_piece *piece = &set->pieces.items[at];
    uint32_t index = index_in_piece(piece, key);
    memmove(&piece->items[index + 1], &piece->items[index], (piece->count - index) * sizeof *piece->items);
    piece->items[index] = (struct sw_ordered_entry){key, block};
    piece->count++;
    piece->most = key.b > piece->most ? key.b : piece->most;
    set->count++;
    return true;
}

bool sw_ordered_remove(struct sw_ordered *set, struct sw_key key) {
    uint32_t at = piece_of(set, key);
    if (at == set->pieces.count) {
        return false;
    }
    struct sw_ordered_piece *piece = &set->pieces.items[at];
    uint32_t index = index_in_piece(piece, key);
    if (compare_ordered_keys(piece->items[index].key, key) != 0) {
        return false;
    }
    memmove(&piece->items[index], &piece->items[index + 1], (piece->count - index - 1) * sizeof *piece->items);
    set->count--;
    if (--piece->count == 0) {
        SW_FREE(piece->items, SW_ORDERED_PIECE);
        memmove(piece, piece + 1, (set->pieces.count - 1 - at) * sizeof *piece);
        set->pieces.count--;
    } else if (key.b == piece->most) {
        measure_piece(piece);
    }
    return true;
}

static size_t entries_of(const void *piece) {
    (void)piece;
    return SW_ORDERED_PIECE;
}

#define STATE struct sw_ordered_piece
static const struct sw_described piece_described = {
    SW_STRUCT, .fields = SW_FIELDS(SW_ITEMS(items, entries_of), SW_KEPT(count, most))};
#undef STATE
#define STATE struct sw_ordered
const struct sw_described sw_ordered_described = {
    SW_STRUCT, .fields = SW_FIELDS(SW_LIST(pieces, .of = &piece_described), SW_KEPT(count, count))};
#undef STATE

size_t sw_ordered_list(const struct sw_ordered *set, uint32_t *to, size_t room) {
    size_t count = 0;
    for (size_t p = 0; to && p < set->pieces.count; p++) {
        for (uint32_t i = 0; i < set->pieces.items[p].count && count < room; i++) {
            to[count++] = set->pieces.items[p].items[i].block;
        }
    }
    return to ? count : set->count;
}

const struct sw_ordered_entry *sw_ordered_from(const struct sw_ordered *set, struct sw_key key,
                                               struct sw_ordered_place *place) {
    place->piece = piece_of(set, key);
    if (place->piece == set->pieces.count) {
        place->index = 0;
        return NULL;
    }
    place->index = index_in_piece(&set->pieces.items[place->piece], key);
    return &set->pieces.items[place->piece].items[place->index];
}

const struct sw_ordered_entry *sw_ordered_first_with(const struct sw_ordered *set, uint64_t b) {
    for (size_t p = 0; p < set->pieces.count; p++) {
        const struct sw_ordered_piece *piece = &set->pieces.items[p];
        for (uint32_t i = 0; piece->most >= b && i < piece->count; i++) {
            if (piece->items[i].key.b >= b) {
                return &piece->items[i];
            }
        }
    }
    return NULL;
}

const struct sw_ordered_entry *sw_ordered_before(const struct sw_ordered *set, struct sw_key key,
                                                 struct sw_ordered_place *place) {
    sw_ordered_from(set, key, place);
    if (place->index > 0) {
        place->index--;
    } else if (place->piece > 0) {
        place->piece--;
        place->index = set->pieces.items[place->piece].count - 1;
    } else {
        return NULL;
    }
    return &set->pieces.items[place->piece].items[place->index];
}

const struct sw_ordered_entry *sw_ordered_next(const struct sw_ordered *set, struct sw_ordered_place *place) {
    if (place->piece >= set->pieces.count) {
        return NULL;
    }
    if (++place->index >= set->pieces.items[place->piece].count) {
        place->piece++;
        place->index = 0;
    }
    return place->piece < set->pieces.count ? &set->pieces.items[place->piece].items[place->index] : NULL;
}
