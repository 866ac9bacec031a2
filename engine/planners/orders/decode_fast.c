/* The decoder's fast way.
 *
 * Pushing. Every buffer that still waits for its turn has a *candidate*: no start below it is
 * possible any more. A placed block is announced to all waiting buffers that conflict with it. If the block
 * is in the way of the candidate, it lifts the candidate to its end, and is not looked at again. If it
 * lies above the candidate, only the lowest start of such blocks is remembered. When the turn of a
 * buffer comes, its candidate is the answer, unless it has risen into a block that lay above: only
 * then are the blocks in its way looked at one by one, from the candidate upwards. Orders that have
 * been sorted by start address once, such as those that order-genetic breeds, seldom need that.
 *
 * Four at a time. Buffers with similar conflicts share a *quad*, so that a block is announced to
 * four with the operations of one. Spaces count in units that all of them are multiples of, so that
 * 31 bits are enough; where they are not, every buffer looks at the blocks in its way.
 *
 * Conflicts are rows of bits, one row per place. The set of placed blocks is a row of bits, too. The
 * bits that both rows have are the blocks in the way. Pins, and ranges that may not be used, are blocks
 * that are placed from the beginning; ranges have bits above those of all places. */
#include "planners/orders/decode_internal.h"
#include "base/base.h"
#include "base/sort.h"

typedef int32_t four __attribute__((vector_size(16)));

/* All in units. */
struct quad {
    four end;      /* of the candidate */
    four size;     /* its start is so much lower */
    four above;    /* the lowest start of a block that lay above it */
    four rounding; /* its alignment less 1 */
};

/* A block, in units; `bit`: its own. */
struct spot {
    int32_t lo, hi;
    uint32_t bit;
};

/* The members of a quad that conflict with a block. */
struct audience {
    uint32_t quad, bits;
};

struct sw_fast {
    size_t standing; /* ranges */
    uint64_t standing_peak;
    uint64_t *placed_first, *placed; /* bits: at the beginning, and now */
    struct sw_block *waiting;
    /* only with quads */
    uint64_t unit; /* 0: without */
    uint32_t quad_count;
    uint32_t *seat;            /* of a place: 4 * quad + which of the four */
    struct audience *audience; /* one list after another, one for each place */
    uint32_t *begins;          /* where they begin; one more than places */
    struct quad *first, *now;
    /* only in a crowd */
    bool crowd;
    int32_t tallest;                  /* block */
    struct spot *spots, *spots_first; /* placed blocks: now, and at the beginning */
    size_t spot_count, spots_first_count;
    size_t sorted; /* so many are sorted by lower end, the others have come since */
};

enum {
    NEARBY = 64,         /* places among which a quad is completed */
    CROWDED_DECODE = 24, /* conflicts of each buffer, on average, */
    THIN_DECODE = 64     /* ... and with such a part of all; else most of the sorted blocks are not in conflict */
};

static uint64_t item_bit(uint32_t k) {
    return UINT64_C(1) << (k % 64);
}

/* ---- the blocks in the way ---- */

static uint64_t round_up(uint64_t x, uint64_t alignment) {
    return (x + alignment - 1) & ~(alignment - 1);
}

/* A block in the way lifts `at` to its end; one that begins above it is kept in `wait`. There is no
 * branch on offsets. */
static inline struct sw_block *pass_by(struct sw_block block, uint64_t *at, uint64_t size, uint64_t alignment,
                                       struct sw_block *wait) {
    uint64_t above = block.lo >= *at + size;
    uint64_t lifted = round_up(block.hi, alignment) & (above - 1);
    *wait = block;
    *at = lifted > *at ? lifted : *at;
    return wait + above;
}

/* The lowest start from `at` upwards. Those that begin above it may be in the way later, and wait
 * for the next round. */
static inline uint64_t lowest_fast(const struct sw_decoder *d, uint32_t x, uint64_t at, uint64_t size,
                                   uint64_t alignment) {
    const struct sw_block *blocks = d->blocks;
    const uint64_t *row = d->rows + x * d->words, *placed = d->fast_way->placed;
    struct sw_block *waiting = d->fast_way->waiting, *next = waiting;
    for (size_t w = 0; w < d->words; w++, blocks += 64) {
        for (uint64_t bits = row[w] & placed[w]; bits; bits &= bits - 1) {
            next = pass_by(blocks[__builtin_ctzll(bits)], &at, size, alignment, next);
        }
    }
    for (uint64_t before = UINT64_MAX; next > waiting && before != at;) {
        const struct sw_block *end = next;
        before = at;
        next = waiting;
        for (const struct sw_block *w = waiting; w < end; w++) {
            next = pass_by(*w, &at, size, alignment, next);
        }
    }
    return at;
}

/* Where ends are multiples of the one alignment that all share, nothing is left to round. */
static __attribute__((noinline)) uint64_t search_fast(const struct sw_decoder *d, uint32_t x, uint64_t at) {
    const struct sw_decode_item *item = &d->items[x];
    return d->even ? lowest_fast(d, x, at, item->size, 1) : lowest_fast(d, x, at, item->size, item->alignment);
}

/* ---- quads ---- */

/* The members of a quad without conflict see the block at the top, where it is in the way of none. */
#define OTHER(bits, k) ((bits) >> (k)&1 ? 0 : INT32_MAX)
#define OTHER_BLOCKS(bits) \
    { OTHER(bits, 0), OTHER(bits, 1), OTHER(bits, 2), OTHER(bits, 3) }
static const four others[16] = {OTHER_BLOCKS(0),  OTHER_BLOCKS(1),  OTHER_BLOCKS(2),  OTHER_BLOCKS(3),
                                OTHER_BLOCKS(4),  OTHER_BLOCKS(5),  OTHER_BLOCKS(6),  OTHER_BLOCKS(7),
                                OTHER_BLOCKS(8),  OTHER_BLOCKS(9),  OTHER_BLOCKS(10), OTHER_BLOCKS(11),
                                OTHER_BLOCKS(12), OTHER_BLOCKS(13), OTHER_BLOCKS(14), OTHER_BLOCKS(15)};

/* Where `which` is all ones `a`, where it is all zeros `b`. */
static inline four select_four(four which, four a, four b) {
    return b ^ ((a ^ b) & which);
}

/* A block in the way lifts to its end, one above is remembered if it is the lowest. */
static inline void announce(struct quad *q, four lo, four hi, uint32_t bits, bool even) {
    four from = lo | others[bits], end = q->end, above = q->above;
    four in_the_way = end > from;
    four lifted = q->size + (even ? hi : (hi + q->rounding) & ~q->rounding);
    q->end = select_four((lifted > end) & in_the_way, lifted, end);
    q->above = select_four((above > from) & ~in_the_way, from, above);
}

static inline void announce_all(const struct sw_fast *f, uint32_t x, int32_t at, int32_t size, bool even) {
    const struct audience *a = f->audience + f->begins[x], *end = f->audience + f->begins[x + 1];
    struct quad *quads = f->now;
    four lo = {at, at, at, at}, hi = lo + size;
    for (; a < end; a++) {
        announce(&quads[a->quad], lo, hi, a->bits, even);
    }
}

/* ---- a crowd ---- */

/* With many conflicts per buffer it pays to sort the placed blocks by lower end, though only when they are
 * needed. Orders are nearly sorted, so new blocks seldom have far to go. */
static void sort_spots(struct sw_fast *f) {
    struct spot *spots = f->spots;
    for (; f->sorted < f->spot_count; f->sorted++) {
        struct spot spot = spots[f->sorted];
        size_t k = f->sorted;
        for (; k > 0 && spots[k - 1].lo > spot.lo; k--) {
            spots[k] = spots[k - 1];
        }
        spots[k] = spot;
    }
}

static size_t first_from(const struct sw_fast *f, int32_t lo) {
    return SW_FIRST(i, f->sorted, f->spots[i].lo >= lo);
}

/* All blocks that lay in the way of a candidate are below it, so that only those above are left. */
static __attribute__((noinline)) int32_t climb_quad(const struct sw_decoder *d, uint32_t x, const struct quad *q,
                                                    uint32_t k) {
    struct sw_fast *f = d->fast_way;
    const uint64_t *row = d->rows + x * d->words;
    int32_t end = q->end[k], size = q->size[k], rounding = q->rounding[k];
    sort_spots(f);
    int32_t from = end - size - f->tallest; /* what begins there ends below the candidate */
    from = SW_MAX(q->above[k], from);
    const struct spot *spot = f->spots + first_from(f, from), *last = f->spots + f->sorted;
    for (; spot < last && spot->lo < end; spot++) {
        int32_t in_conflict = -(int32_t)(row[spot->bit / 64] >> (spot->bit % 64) & 1);
        int32_t lifted = (((spot->hi + rounding) & ~rounding) + size) & in_conflict;
        end = SW_MAX(lifted, end);
    }
    return end - size;
}

/* ---- decoding ---- */

/* Everything but `d`, `order` and `x` is known when this is compiled. */
static inline uint64_t settle_candidate(struct sw_decoder *d, uint32_t x, bool crowd, bool even) {
    struct sw_fast *f = d->fast_way;
    uint32_t seat = f->seat[x], k = seat % 4;
    const struct quad *q = &f->now[seat / 4];
    int32_t size = q->size[k], start = q->end[k] - size;
    uint64_t at = (uint64_t)start * f->unit;
    if (q->end[k] > q->above[k]) {
        if (crowd) {
            start = climb_quad(d, x, q, k);
            at = (uint64_t)start * f->unit;
        } else {
            at = search_fast(d, x, at);
            start = (int32_t)(at / f->unit);
        }
    }
    announce_all(f, x, start, size, even);
    if (crowd) {
        f->spots[f->spot_count++] = (struct spot){start, start + size, x};
    }
    return at;
}

static inline uint64_t settle_fast(struct sw_decoder *d, const struct sw_rank *order, bool quads, bool crowd,
                                   bool even) {
    struct sw_fast *f = d->fast_way;
    uint64_t peak = f->standing_peak;
    for (size_t i = 0; i < d->count; i++) {
        uint32_t x = order[i].at;
        const struct sw_decode_item *item = &d->items[x];
        if (item->fixed) {
            continue;
        }
        uint64_t at = quads ? settle_candidate(d, x, crowd, even) : search_fast(d, x, 0);
        uint64_t top = item->real > 0 ? at + item->real : 0;
        d->blocks[x] = (struct sw_block){at, at + item->size};
        if (!crowd) {
            f->placed[x / 64] |= item_bit(x);
        }
        peak = SW_MAX(top, peak);
    }
    return peak;
}

void sw_decode_fast(struct sw_decoder *d, const struct sw_rank *order) {
    struct sw_fast *f = d->fast_way;
    memcpy(f->placed, f->placed_first, d->words * sizeof *f->placed);
    if (f->unit == 0) {
        d->arena[0] = settle_fast(d, order, false, false, false);
        return;
    }
    memcpy(f->now, f->first, f->quad_count * sizeof *f->now);
    f->sorted = f->spot_count = f->spots_first_count;
    if (f->crowd) {
        memcpy(f->spots, f->spots_first, f->spot_count * sizeof *f->spots);
    }
    if (f->crowd) {
        d->arena[0] = d->even ? settle_fast(d, order, true, true, true) : settle_fast(d, order, true, true, false);
    } else {
        d->arena[0] = d->even ? settle_fast(d, order, true, false, true) : settle_fast(d, order, true, false, false);
    }
}

/* ---- making: what stands there ---- */

/* A range that `buffer` may not use; SW_NONE: no buffer may. */
static void stand(struct sw_decoder *d, uint32_t buffer, uint64_t lo, uint64_t hi) {
    struct sw_fast *f = d->fast_way;
    uint32_t k = d->count + (uint32_t)f->standing++;
    if (d->even && d->count > 0) { /* starts and ends are multiples of the alignment */
        lo -= lo % d->items[0].alignment;
        hi = sw_align_up(hi, d->items[0].alignment);
    }
    d->blocks[k] = (struct sw_block){lo, hi};
    f->placed_first[k / 64] |= item_bit(k);
    for (uint32_t i = 0; i < d->count; i++) {
        if ((buffer == SW_NONE || d->items[i].buffer == buffer) && d->items[i].real > 0) {
            d->rows[i * d->words + k / 64] |= item_bit(k);
        }
    }
}

static void stand_all(struct sw_decoder *d) {
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(d->problem, &count);
    struct sw_fast *f = d->fast_way;
    for (uint32_t i = 0; i < d->count; i++) {
        if (d->items[i].fixed) {
            uint64_t top = d->items[i].real > 0 ? d->blocks[i].lo + d->items[i].real : 0;
            f->placed_first[i / 64] |= item_bit(i);
            f->standing_peak = SW_MAX(top, f->standing_peak);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (reserved[i].lo < reserved[i].hi) {
            stand(d, SW_NONE, reserved[i].lo, reserved[i].hi);
        }
    }
    for (size_t i = 0; i < d->rules.forbids.count; i++) {
        const struct sw_forbid *r = &d->rules.forbids.items[i];
        if (r->lo < r->hi) {
            stand(d, r->buffer, r->lo, r->hi);
        }
    }
}

/* ---- making: quads ---- */

/* What all spaces are multiples of, or 0 if in such units something could need more than 31 bits.
 */
static uint64_t find_unit(const struct sw_decoder *d) {
    uint64_t unit = 0, most = 0, highest = 0;
    bool ok = true;
    for (uint32_t i = 0; i < d->count + d->fast_way->standing; i++) {
        const struct sw_decode_item *item = &d->items[i];
        if (i >= d->count || item->fixed) {
            unit = sw_common_divisor(sw_common_divisor(unit, d->blocks[i].lo), d->blocks[i].hi);
            highest = SW_MAX(d->blocks[i].hi, highest);
        }
        if (i < d->count) {
            unit = sw_common_divisor(sw_common_divisor(unit, item->size), d->even ? 0 : item->alignment);
            ok = ok && !__builtin_add_overflow(most, item->size, &most) &&
                 !__builtin_add_overflow(most, item->alignment, &most);
        }
    }
    ok = ok && !__builtin_add_overflow(most, highest, &most);
    return ok && unit > 0 && most / unit < INT32_MAX / 2 ? unit : 0;
}

static uint32_t ranks_differ_at(const struct sw_decoder *d, uint32_t a, uint32_t b) {
    uint32_t bits = 0;
    for (size_t w = 0; w < d->words; w++) {
        bits += (uint32_t)__builtin_popcountll(d->rows[a * d->words + w] ^ d->rows[b * d->words + w]);
    }
    return bits;
}

/* Of the places near `x` without a quad, the one with conflicts most like those of `x`; SW_NONE: there
 * is none. */
static uint32_t most_alike(const struct sw_decoder *d, uint32_t x) {
    const uint32_t *seat = d->fast_way->seat;
    uint32_t best = SW_NONE, least = UINT32_MAX;
    for (uint32_t i = x + 1, seen = 0; i < d->count && seen < NEARBY; i++) {
        if (seat[i] != SW_NONE) {
            continue;
        }
        uint32_t bits = ranks_differ_at(d, x, i);
        best = bits < least ? i : best;
        least = SW_MIN(bits, least);
        seen++;
    }
    return best;
}

static void seat_all(struct sw_decoder *d) {
    struct sw_fast *f = d->fast_way;
    sw_fill_none(f->seat, d->count);
    for (uint32_t i = 0; i < d->count; i++) {
        if (f->seat[i] != SW_NONE) {
            continue;
        }
        uint32_t place = i;
        for (uint32_t k = 0; k < 4 && place != SW_NONE; k++) {
            f->seat[place] = 4 * f->quad_count + k;
            place = most_alike(d, i);
        }
        f->quad_count++;
    }
}

/* The audience of a place, into `list` if there is one; its length. `bits`: one per quad, 0. */
static uint32_t gather_audience(const struct sw_decoder *d, uint32_t x, uint8_t *bits, struct audience *list) {
    const uint32_t *seat = d->fast_way->seat;
    const uint64_t *row = d->rows + x * d->words;
    uint32_t count = 0;
    for (size_t w = 0; w < d->words; w++) {
        for (uint64_t left = row[w]; left; left &= left - 1) {
            size_t i = 64 * w + (size_t)__builtin_ctzll(left);
            if (i < d->count) { /* above them are ranges */
                bits[seat[i] / 4] |= (uint8_t)(1u << seat[i] % 4);
            }
        }
    }
    for (uint32_t q = 0; q < d->fast_way->quad_count; q++) {
        if (bits[q] && list) {
            list[count] = (struct audience){q, bits[q]};
        }
        count += bits[q] != 0;
        bits[q] = 0;
    }
    return count;
}

static bool fill_audiences(struct sw_decoder *d) {
    struct sw_fast *f = d->fast_way;
    uint8_t *bits = SW_NEW_ZERO(uint8_t, f->quad_count);
    if (!bits) {
        return false;
    }
    f->begins[0] = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        f->begins[i + 1] = f->begins[i] + gather_audience(d, i, bits, NULL);
    }
    f->audience = SW_NEW_IN(&d->room, struct audience, f->begins[d->count]);
    for (uint32_t i = 0; f->audience && i < d->count; i++) {
        gather_audience(d, i, bits, f->audience + f->begins[i]);
    }
    SW_FREE(bits, f->quad_count);
    return f->audience != NULL;
}

/* Candidates as what stands there from the beginning leaves them. */
static void fill_quads(struct sw_decoder *d) {
    struct sw_fast *f = d->fast_way;
    for (uint32_t q = 0; q < f->quad_count; q++) {
        f->first[q].above = others[0];
    }
    for (uint32_t i = 0; i < d->count; i++) {
        struct quad *q = &f->first[f->seat[i] / 4];
        uint32_t k = f->seat[i] % 4;
        q->size[k] = q->end[k] = (int32_t)(d->items[i].size / f->unit);
        q->rounding[k] = d->even ? 0 : (int32_t)(d->items[i].alignment / f->unit) - 1;
    }
    for (uint32_t b = 0; b < d->count + f->standing; b++) {
        for (uint32_t i = 0; (f->placed_first[b / 64] & item_bit(b)) && i < d->count; i++) {
            if (d->rows[i * d->words + b / 64] & item_bit(b)) {
                int32_t lo = (int32_t)(d->blocks[b].lo / f->unit);
                int32_t hi = (int32_t)(d->blocks[b].hi / f->unit);
                announce(&f->first[f->seat[i] / 4], (four){lo, lo, lo, lo}, (four){hi, hi, hi, hi},
                         1u << f->seat[i] % 4, d->even);
            }
        }
    }
}

static bool fill_spots(struct sw_decoder *d) {
    struct sw_fast *f = d->fast_way;
    uint64_t many = SW_MAX(CROWDED_DECODE, d->count / THIN_DECODE);
    f->crowd = 2 * d->conflicts >= many * d->count;
    f->spots = SW_NEW_IN(&d->room, struct spot, d->item_capacity);
    f->spots_first = SW_NEW_IN(&d->room, struct spot, d->item_capacity);
    if (!f->spots || !f->spots_first) {
        return false;
    }
    for (uint32_t b = 0; b < d->count + f->standing; b++) {
        if (f->placed_first[b / 64] & item_bit(b)) {
            f->spots[f->spot_count++] =
                (struct spot){(int32_t)(d->blocks[b].lo / f->unit), (int32_t)(d->blocks[b].hi / f->unit), b};
        }
    }
    for (uint32_t i = 0; i < d->count; i++) {
        int32_t size = (int32_t)(d->items[i].size / f->unit);
        f->tallest = SW_MAX(size, f->tallest);
    }
    for (size_t i = 0; i < f->spot_count; i++) {
        int32_t size = f->spots[i].hi - f->spots[i].lo;
        f->tallest = SW_MAX(size, f->tallest);
    }
    sort_spots(f);
    f->spots_first_count = f->spot_count;
    memcpy(f->spots_first, f->spots, f->spot_count * sizeof *f->spots);
    return true;
}

static bool make_quads(struct sw_decoder *d) {
    struct sw_fast *f = d->fast_way;
    f->unit = find_unit(d);
    if (f->unit == 0) {
        return true;
    }
    f->seat = SW_NEW_IN(&d->room, uint32_t, d->count);
    f->begins = SW_NEW_IN(&d->room, uint32_t, (size_t)d->count + 1);
    if (!f->seat || !f->begins) {
        return false;
    }
    seat_all(d);
    f->first = SW_NEW_IN(&d->room, struct quad, f->quad_count);
    f->now = SW_NEW_IN(&d->room, struct quad, f->quad_count);
    if (!f->first || !f->now || !fill_audiences(d)) {
        return false;
    }
    fill_quads(d);
    return fill_spots(d);
}

/* ---- making ---- */

bool sw_decoder_fast_new(struct sw_decoder *d) {
    struct sw_fast *f = d->fast_way = SW_NEW_IN(&d->room, struct sw_fast, 1);
    if (!f) {
        return false;
    }
    f->placed_first = SW_NEW_IN(&d->room, uint64_t, d->words);
    f->placed = SW_NEW_IN(&d->room, uint64_t, d->words);
    f->waiting = SW_NEW_IN(&d->room, struct sw_block, d->item_capacity);
    if (!f->placed_first || !f->placed || !f->waiting) {
        return false;
    }
    stand_all(d);
    return make_quads(d);
}
