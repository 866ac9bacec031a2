/* segment-genetic: sequences made and changed object by object.
 *
 * A board knows of every segment which access runs its objects have there: a row of bits in the order of time. So the
 * neighbors of a run are a few words away, and what an object adds to the migration of a segment is known without
 * counting the segment anew. With it, the population begins with good sequences, and mutations exchange what saves
 * most. What a board says is a guide: what a sequence moves is always counted by segment_count.c.
 *
 * Greedy sequences, one for each order:
 *
 * - size: objects large to small; each goes to the segment where it adds least;
 * - access: the same in the order of first accesses;
 * - next use: in the order of first accesses; each goes to the segment with the farthest next access;
 * - tight: next comes always the object to which the fewest segments are left, as those that it fits have no object
 *   that it clashes with; of several the largest. It goes where it adds least, of several to the smallest. This order
 *   finds sequences on devices that have hardly any room to spare;
 * - beam: many sequences side by side (segment_beam.c), where all others have clashes.
 *
 * A segment where the object would clash with one that is there comes last. Then single objects change their segment
 * as long as that saves, in at most SWEEPS sweeps over all objects. */
#include "planners/segments/segment_genetic.h"
#include "base/base.h"

enum { SWEEPS = 16, MOST_ROWS = 64 << 20 /* bytes of all rows */ };

struct sw_board {
    const struct sw_objects *o;
    const struct sw_partition *p;
    uint32_t *sequence; /* borrowed; SW_NONE: the object is in no segment */
    size_t words;
    uint64_t *rows; /* per segment */
    size_t used_words;
    uint64_t *used;    /* per segment a bit for each word of its row that has one */
    size_t *begin;     /* per object: its slice of `runs`; one more at the end */
    uint32_t *runs;    /* ascending */
    uint32_t *clashes; /* scratch: per segment, and 0 between calls */
    uint64_t looked;   /* places looked at */
    struct sw_arena room;
};

/* ---- boards ---- */

static inline uint64_t *board_row(const struct sw_board *b, uint32_t segment) {
    return b->rows + segment * b->words;
}

static inline uint64_t *used_of(const struct sw_board *b, uint32_t segment) {
    return b->used + segment * b->used_words;
}

static inline void set_bit(uint64_t *bits, size_t i, bool on) {
    uint64_t bit = UINT64_C(1) << i % 64;
    bits[i / 64] = on ? bits[i / 64] | bit : bits[i / 64] & ~bit;
}

static void list_board_runs(struct sw_board *b) {
    const struct sw_objects *o = b->o;
    memset(b->begin, 0, ((size_t)o->count + 1) * sizeof *b->begin);
    for (size_t i = 0; i < o->run_count; i++) {
        b->begin[o->runs[i].object]++;
    }
    size_t sum = 0;
    for (uint32_t i = 0; i <= o->count; i++) {
        size_t count = i < o->count ? b->begin[i] : 0;
        b->begin[i] = sum;
        sum += count;
    }
    for (size_t i = 0; i < o->run_count; i++) {
        b->runs[b->begin[o->runs[i].object]++] = (uint32_t)i;
    }
    for (uint32_t i = o->count; i > 0; i--) {
        b->begin[i] = b->begin[i - 1];
    }
    b->begin[0] = 0;
}

static void mark_runs(struct sw_board *b, uint32_t object, uint32_t segment, bool there) {
    uint64_t *row = board_row(b, segment);
    for (size_t k = b->begin[object]; k < b->begin[object + 1]; k++) {
        set_bit(row, b->runs[k], there);
        set_bit(used_of(b, segment), b->runs[k] / 64, row[b->runs[k] / 64] != 0);
    }
}

static void put_object(struct sw_board *b, uint32_t object, uint32_t segment) {
    b->sequence[object] = segment;
    mark_runs(b, object, segment, true);
}

static void lift_object(struct sw_board *b, uint32_t object) {
    mark_runs(b, object, b->sequence[object], false);
    b->sequence[object] = SW_NONE;
}

struct sw_board *sw_board_new(const struct sw_objects *o, const struct sw_partition *p, bool *too_large) {
    size_t words = (o->run_count + 63) / 64;
    *too_large = p->count > 0 && words > MOST_ROWS / sizeof(uint64_t) / p->count;
    struct sw_board *b = *too_large ? NULL : SW_NEW_ZERO(struct sw_board, 1);
    if (!b) {
        return NULL;
    }
    b->o = o;
    b->p = p;
    b->words = words;
    b->used_words = (words + 63) / 64;
    b->rows = SW_NEW_IN(&b->room, uint64_t, words * p->count);
    b->used = SW_NEW_IN(&b->room, uint64_t, b->used_words * p->count);
    b->begin = SW_NEW_IN(&b->room, size_t, (size_t)o->count + 1);
    b->runs = SW_NEW_IN(&b->room, uint32_t, o->run_count);
    b->clashes = SW_NEW_IN(&b->room, uint32_t, p->count);
    if (!b->rows || !b->used || !b->begin || !b->runs || !b->clashes) {
        sw_board_free(b);
        return NULL;
    }
    memset(b->clashes, 0, p->count * sizeof *b->clashes);
    list_board_runs(b);
    return b;
}

void sw_board_free(struct sw_board *b) {
    if (b) {
        sw_arena_done(&b->room);
        SW_FREE(b, 1);
    }
}

uint64_t sw_board_looked(const struct sw_board *b) {
    return b->looked;
}

void sw_board_load(struct sw_board *b, uint32_t *sequence) {
    b->sequence = sequence;
    memset(b->rows, 0, b->words * b->p->count * sizeof *b->rows);
    memset(b->used, 0, b->used_words * b->p->count * sizeof *b->used);
    for (size_t i = 0; i < b->o->run_count; i++) {
        uint32_t segment = sequence[b->o->runs[i].object];
        if (segment != SW_NONE) {
            set_bit(board_row(b, segment), i, true);
            set_bit(used_of(b, segment), i / 64, true);
        }
    }
}

/* ---- what an object adds to a segment ---- */

/* The last bit below `end` of a row of bits; SIZE_MAX: none. */
static size_t bit_below(const uint64_t *bits, size_t end) {
    size_t w = end / 64;
    uint64_t word = end % 64 ? bits[w] & ((UINT64_C(1) << end % 64) - 1) : 0;
    while (word == 0 && w > 0) {
        word = bits[--w];
    }
    return word ? w * 64 + 63 - (size_t)__builtin_clzll(word) : SIZE_MAX;
}

/* The first bit from `begin` on of a row of so many words; SIZE_MAX: none. */
static size_t bit_from(const uint64_t *bits, size_t begin, size_t words) {
    size_t w = begin / 64;
    uint64_t word = w < words ? bits[w] & ~UINT64_C(0) << begin % 64 : 0;
    while (word == 0 && w + 1 < words) {
        word = bits[++w];
    }
    return word ? w * 64 + (size_t)__builtin_ctzll(word) : SIZE_MAX;
}

static inline uint32_t board_run_before(const struct sw_board *b, uint32_t segment, uint32_t run) {
    const uint64_t *row = board_row(b, segment);
    size_t w = run / 64;
    uint64_t word = row[w] & ((UINT64_C(1) << run % 64) - 1);
    if (word == 0) {
        w = bit_below(used_of(b, segment), w);
        word = w == SIZE_MAX ? 0 : row[w];
    }
    return word ? (uint32_t)(w * 64 + 63 - (size_t)__builtin_clzll(word)) : SW_NONE;
}

static inline uint32_t board_run_after(const struct sw_board *b, uint32_t segment, uint32_t run) {
    const uint64_t *row = board_row(b, segment);
    size_t w = run / 64;
    uint64_t word = run % 64 == 63 ? 0 : row[w] & ~UINT64_C(0) << (run % 64 + 1);
    if (word == 0) {
        w = bit_from(used_of(b, segment), w + 1, b->used_words);
        word = w == SIZE_MAX ? 0 : row[w];
    }
    return word ? (uint32_t)(w * 64 + (size_t)__builtin_ctzll(word)) : SW_NONE;
}

/* What counts when the resident of run i leaves for that of run k. */
static inline int64_t change_over(const struct sw_board *b, uint32_t i, uint32_t k) {
    const struct sw_access_run *runs = b->o->runs;
    if (i == SW_NONE || k == SW_NONE || runs[i].object == runs[k].object) {
        return 0;
    }
    return (int64_t)(runs[i].out + runs[k].in);
}

static bool is_change_less(struct sw_segment_change a, struct sw_segment_change b) {
    return a.clashes != b.clashes ? a.clashes < b.clashes : a.bytes < b.bytes;
}

static struct sw_segment_change add_changes(struct sw_segment_change a, struct sw_segment_change b) {
    return (struct sw_segment_change){a.clashes + b.clashes, a.bytes + b.bytes};
}

static struct sw_segment_change negative_change(struct sw_segment_change a) {
    return (struct sw_segment_change){-a.clashes, -a.bytes};
}

/* The bytes that an object in no segment adds to one; when they come to `enough`, no more of them. No run takes bytes
 * away. O(its runs), and the words between neighbors. */
static int64_t bytes_added(struct sw_board *b, uint32_t object, uint32_t segment, int64_t enough) {
    int64_t bytes = 0;
    size_t end = b->begin[object + 1];
    for (size_t k = b->begin[object]; k < end && bytes < enough;) {
        uint32_t first = b->runs[k], last = first;
        uint32_t before = board_run_before(b, segment, first), after = board_run_after(b, segment, first);
        for (k++; k < end && b->runs[k] < after; k++) {
            last = b->runs[k];
        }
        bytes += change_over(b, before, first) + change_over(b, last, after) - change_over(b, before, after);
    }
    b->looked++;
    return bytes;
}

struct sw_segment_change sw_board_adding(struct sw_board *b, uint32_t object, uint32_t segment) {
    const struct sw_objects *o = b->o;
    struct sw_segment_change change = {0, bytes_added(b, object, segment, INT64_MAX)};
    for (size_t i = o->clash_begin[object]; i < o->clash_begin[object + 1]; i++) {
        change.clashes += b->sequence[o->clashes[i]] == segment;
    }
    return change;
}

/* Count the clashes of an object with what is in each segment, up or, with -1, down again. */
static void count_board_clashes(struct sw_board *b, uint32_t object, uint32_t by) {
    const struct sw_objects *o = b->o;
    for (size_t i = o->clash_begin[object]; i < o->clash_begin[object + 1]; i++) {
        uint32_t segment = b->sequence[o->clashes[i]];
        if (segment != SW_NONE) {
            b->clashes[segment] += by;
        }
    }
}

/* The segment where the object adds least, the lowest of them; SW_NONE: it fits into none. Bytes are looked at only
 * where no other segment is known to have fewer clashes. */
static uint32_t least_segment(struct sw_board *b, uint32_t object, struct sw_segment_change *least) {
    uint32_t best = SW_NONE;
    *least = (struct sw_segment_change){INT64_MAX, INT64_MAX};
    count_board_clashes(b, object, 1);
    for (uint32_t s = 0; s < b->p->fitting[object]; s++) {
        struct sw_segment_change change = {b->clashes[s], 0};
        if (is_change_less(change, *least) && sw_partition_fits(b->p, b->o, object, s)) {
            change.bytes = bytes_added(b, object, s, change.clashes < least->clashes ? INT64_MAX : least->bytes);
            if (is_change_less(change, *least)) {
                best = s;
                *least = change;
            }
        }
    }
    count_board_clashes(b, object, UINT32_MAX);
    return best;
}

/* ---- greedy sequences ---- */

/* The segment without a clash with the farthest next access after this run; of several, the smallest. With
 * clashes everywhere, where the object adds least. */
static uint32_t farthest_segment(struct sw_board *b, uint32_t object, uint32_t run) {
    uint32_t best = SW_NONE, farthest = 0;
    count_board_clashes(b, object, 1);
    for (uint32_t s = b->p->fitting[object]; s-- > 0;) {
        uint32_t next = b->clashes[s] || !sw_partition_fits(b->p, b->o, object, s) ? 0 : board_run_after(b, s, run);
        b->looked++;
        if (next > farthest) {
            best = s;
            farthest = next;
        }
    }
    count_board_clashes(b, object, UINT32_MAX);
    struct sw_segment_change least;
    return best == SW_NONE ? least_segment(b, object, &least) : best;
}

static bool put_greedily(struct sw_board *b, enum sw_greedy_order order, uint32_t object, uint32_t *homeless) {
    struct sw_segment_change least;
    uint32_t fixed = b->p->free_owners ? SW_NONE : b->p->fixed[object];
    uint32_t segment = fixed != SW_NONE              ? fixed
                       : order == SW_GREEDY_NEXT_USE ? farthest_segment(b, object, b->runs[b->begin[object]])
                                                     : least_segment(b, object, &least);
    if (segment == SW_NONE) {
        *homeless = object;
        return false;
    }
    put_object(b, object, segment);
    return true;
}

/* Move single objects while that saves. */
static void move_while_saving(struct sw_board *b) {
    const struct sw_partition *p = b->p;
    uint32_t still = 0; /* objects in a row that stayed where they are */
    for (uint64_t i = 0; still < p->free_count && i < (uint64_t)SWEEPS * p->free_count; i++) {
        uint32_t object = p->free[i % p->free_count], from = b->sequence[object];
        struct sw_segment_change least;
        lift_object(b, object);
        struct sw_segment_change here = sw_board_adding(b, object, from);
        uint32_t to = least_segment(b, object, &least);
        bool better = is_change_less(least, here);
        put_object(b, object, better ? to : from);
        still = better ? 0 : still + 1;
    }
}

/* ---- the order tight ---- */

/* Objects without a segment, as a heap: the one with the fewest segments left is the first. */
struct tight_heap {
    struct sw_board *b;
    uint32_t count, *items, *place; /* place: per object, where it is in the heap; SW_NONE: it has a segment */
    uint32_t *left;                 /* per object: segments that it fits, and where it would clash with none */
    size_t words;
    uint64_t *taken; /* per object a bit for each segment where it would clash */
    struct sw_arena room;
};

static bool is_tighter(const struct tight_heap *h, uint32_t x, uint32_t y) {
    return h->left[x] != h->left[y] ? h->left[x] < h->left[y] : x < y;
}

static void put_in_heap(struct tight_heap *h, uint32_t at, uint32_t object) {
    h->items[at] = object;
    h->place[object] = at;
}

static void rise_in_heap(struct tight_heap *h, uint32_t object) {
    uint32_t at = h->place[object];
    for (; at > 0 && is_tighter(h, object, h->items[(at - 1) / 2]); at = (at - 1) / 2) {
        put_in_heap(h, at, h->items[(at - 1) / 2]);
    }
    put_in_heap(h, at, object);
}

static uint32_t take_tightest(struct tight_heap *h) {
    uint32_t first = h->items[0], object = h->items[--h->count], at = 0;
    for (uint32_t child; (child = 2 * at + 1) < h->count; at = child) {
        child += child + 1 < h->count && is_tighter(h, h->items[child + 1], h->items[child]);
        if (!is_tighter(h, h->items[child], object)) {
            break;
        }
        put_in_heap(h, at, h->items[child]);
    }
    if (h->count > 0) {
        put_in_heap(h, at, object);
    }
    h->place[first] = SW_NONE;
    return first;
}

static bool begin_heap(struct tight_heap *h) {
    const struct sw_objects *o = h->b->o;
    const struct sw_partition *p = h->b->p;
    h->words = (p->count + 63) / 64;
    h->items = SW_NEW_IN(&h->room, uint32_t, o->count);
    h->place = SW_NEW_IN(&h->room, uint32_t, o->count);
    h->left = SW_NEW_IN(&h->room, uint32_t, o->count);
    h->taken = SW_NEW_IN(&h->room, uint64_t, h->words * o->count);
    if (!h->items || !h->place || !h->left || !h->taken) {
        return false;
    }
    memset(h->taken, 0, h->words * o->count * sizeof *h->taken);
    for (uint32_t i = 0; i < o->count; i++) {
        bool stays = !p->free_owners && p->fixed[i] != SW_NONE;
        h->left[i] = stays || p->plain ? p->fitting[i] : 0;
        for (uint32_t s = 0; !stays && !p->plain && s < p->count; s++) {
            h->left[i] += sw_partition_fits(p, o, i, s);
        }
        h->left[i] = stays ? 0 : h->left[i]; /* it has its place already */
        h->count = i;
        put_in_heap(h, i, i);
        rise_in_heap(h, i);
    }
    h->count = o->count;
    return true;
}

/* Where it clashes with none and adds least; with clashes everywhere, where it adds least. */
static uint32_t tight_segment(struct tight_heap *h, uint32_t object) {
    struct sw_board *b = h->b;
    const uint64_t *taken = h->taken + object * h->words;
    struct sw_segment_change least = {0, 0};
    uint32_t best = SW_NONE;
    for (uint32_t s = b->p->fitting[object]; s-- > 0 && h->left[object] > 0;) {
        if (taken[s / 64] >> s % 64 & 1 || !sw_partition_fits(b->p, b->o, object, s)) {
            continue;
        }
        struct sw_segment_change change = sw_board_adding(b, object, s);
        if (best == SW_NONE || is_change_less(change, least)) {
            best = s;
            least = change;
        }
    }
    return best == SW_NONE ? least_segment(b, object, &least) : best;
}

/* The others that clash with the object have one segment less. */
static void take_from_others(struct tight_heap *h, uint32_t object, uint32_t segment) {
    const struct sw_objects *o = h->b->o;
    for (size_t i = o->clash_begin[object]; i < o->clash_begin[object + 1]; i++) {
        uint32_t other = o->clashes[i];
        uint64_t *taken = h->taken + other * h->words + segment / 64, bit = UINT64_C(1) << segment % 64;
        if (h->place[other] != SW_NONE && h->left[other] > 0 && !(*taken & bit) &&
            sw_partition_fits(h->b->p, o, other, segment)) {
            *taken |= bit;
            h->left[other]--;
            rise_in_heap(h, other);
        }
    }
}

static bool put_tightest_first(struct sw_board *b, uint32_t *homeless) {
    struct tight_heap h = {.b = b};
    bool ok = begin_heap(&h);
    while (ok && h.count > 0 && *homeless == SW_NONE) {
        uint32_t object = take_tightest(&h), fixed = b->p->free_owners ? SW_NONE : b->p->fixed[object];
        uint32_t segment = fixed != SW_NONE ? fixed : tight_segment(&h, object);
        if (segment == SW_NONE) {
            *homeless = object;
        } else {
            put_object(b, object, segment);
            take_from_others(&h, object, segment);
        }
    }
    sw_arena_done(&h.room);
    return ok;
}

bool sw_board_greedy(struct sw_board *b, enum sw_greedy_order order, uint32_t *sequence, uint32_t *homeless) {
    const struct sw_objects *o = b->o;
    sw_fill_none(sequence, o->count);
    sw_board_load(b, sequence);
    *homeless = SW_NONE;
    bool fits = true;
    if (order == SW_GREEDY_TIGHT) {
        if (!put_tightest_first(b, homeless)) {
            return false;
        }
    } else if (order == SW_GREEDY_BEAM) {
        if (!sw_segments_beam(o, b->p, sequence, &b->looked, homeless)) {
            return false;
        }
        sw_board_load(b, sequence);
    } else if (order == SW_GREEDY_SIZE) {
        for (uint32_t i = 0; fits && i < o->count; i++) {
            fits = put_greedily(b, order, i, homeless);
        }
    } else {
        for (size_t i = 0; fits && i < o->run_count; i++) {
            fits = sequence[o->runs[i].object] != SW_NONE || put_greedily(b, order, o->runs[i].object, homeless);
        }
    }
    if (*homeless == SW_NONE) {
        move_while_saving(b);
    }
    return true;
}

/* ---- exchanges by what they save ---- */

/* What the exchange of two objects adds, less what it saves. */
static struct sw_segment_change change_by_exchange(struct sw_board *b, uint32_t x, uint32_t y) {
    uint32_t from = b->sequence[x], to = b->sequence[y];
    lift_object(b, x);
    lift_object(b, y);
    struct sw_segment_change before = add_changes(sw_board_adding(b, x, from), sw_board_adding(b, y, to));
    struct sw_segment_change after = add_changes(sw_board_adding(b, x, to), sw_board_adding(b, y, from));
    put_object(b, x, from);
    put_object(b, y, to);
    return add_changes(after, negative_change(before));
}

/* Of some objects in other segments than those of the ring, the one that saves most in exchange with the last of the
 * ring, or costs least. SW_NONE: none of them can change places with it. */
static uint32_t find_partner(struct sw_board *b, const uint32_t *ring, uint32_t count, uint64_t *random) {
    enum { TRIES = 64 };
    const struct sw_partition *p = b->p;
    uint32_t x = ring[count - 1], best = SW_NONE;
    struct sw_segment_change least = {0, 0};
    bool all = p->free_count <= TRIES;
    for (uint32_t i = 0; i < (all ? p->free_count : TRIES); i++) {
        uint32_t y = p->free[all ? i : sw_random_below(random, p->free_count)];
        bool apart = true;
        for (uint32_t k = 0; apart && k < count; k++) {
            apart = b->sequence[ring[k]] != b->sequence[y];
        }
        if (!apart || !sw_partition_fits(p, b->o, x, b->sequence[y]) ||
            !sw_partition_fits(p, b->o, y, b->sequence[x])) {
            continue;
        }
        struct sw_segment_change change = change_by_exchange(b, x, y);
        if (best == SW_NONE || is_change_less(change, least)) {
            best = y;
            least = change;
        }
    }
    return best;
}

static void exchange_places(struct sw_board *b, uint32_t x, uint32_t y, uint64_t *dirty) {
    uint32_t from = b->sequence[x], to = b->sequence[y];
    lift_object(b, x);
    lift_object(b, y);
    put_object(b, x, to);
    put_object(b, y, from);
    dirty[from / 64] |= UINT64_C(1) << from % 64;
    dirty[to / 64] |= UINT64_C(1) << to % 64;
}

uint32_t sw_board_mutate(struct sw_board *b, uint64_t *random, uint64_t *dirty, uint32_t most, uint32_t *ring) {
    const struct sw_partition *p = b->p;
    uint32_t want = most > 2 ? 2 + (uint32_t)sw_random_below(random, most - 1) : 2, count = 1, partner = 0;
    if (p->free_count == 0) {
        return 0;
    }
    ring[0] = p->free[sw_random_below(random, p->free_count)];
    while (count < want && partner != SW_NONE) {
        partner = find_partner(b, ring, count, random);
        if (partner != SW_NONE) {
            exchange_places(b, ring[count - 1], partner, dirty);
            ring[count++] = partner;
        }
    }
    return count > 1 ? count : 0;
}
