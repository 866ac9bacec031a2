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
 * - next use: in the order of first accesses; each goes to the segment whose next access is farthest away.
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
    uint64_t *rows;  /* per segment */
    size_t *begin;   /* per object: its slice of `runs`; one more at the end */
    uint32_t *runs;  /* ascending */
    uint64_t looked; /* places looked at */
    struct sw_arena room;
};

/* ---- boards ---- */

static uint64_t *row_of(const struct sw_board *b, uint32_t segment) {
    return b->rows + segment * b->words;
}

static void list_runs(struct sw_board *b) {
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
    uint64_t *row = row_of(b, segment);
    for (size_t k = b->begin[object]; k < b->begin[object + 1]; k++) {
        uint64_t bit = UINT64_C(1) << b->runs[k] % 64;
        row[b->runs[k] / 64] = there ? row[b->runs[k] / 64] | bit : row[b->runs[k] / 64] & ~bit;
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
    b->rows = SW_NEW_IN(&b->room, uint64_t, words * p->count);
    b->begin = SW_NEW_IN(&b->room, size_t, (size_t)o->count + 1);
    b->runs = SW_NEW_IN(&b->room, uint32_t, o->run_count);
    if (!b->rows || !b->begin || !b->runs) {
        sw_board_free(b);
        return NULL;
    }
    list_runs(b);
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
    for (size_t i = 0; i < b->o->run_count; i++) {
        uint32_t segment = sequence[b->o->runs[i].object];
        if (segment != SW_NONE) {
            row_of(b, segment)[i / 64] |= UINT64_C(1) << i % 64;
        }
    }
}

/* ---- what an object adds to a segment ---- */

static uint32_t run_before(const struct sw_board *b, uint32_t segment, uint32_t run) {
    const uint64_t *row = row_of(b, segment);
    size_t w = run / 64;
    uint64_t bits = row[w] & ((UINT64_C(1) << run % 64) - 1);
    while (bits == 0 && w > 0) {
        bits = row[--w];
    }
    return bits ? (uint32_t)(w * 64 + 63 - (size_t)__builtin_clzll(bits)) : SW_NONE;
}

static uint32_t run_after(const struct sw_board *b, uint32_t segment, uint32_t run) {
    const uint64_t *row = row_of(b, segment);
    size_t w = run / 64;
    uint64_t bits = run % 64 == 63 ? 0 : row[w] & ~UINT64_C(0) << (run % 64 + 1);
    while (bits == 0 && w + 1 < b->words) {
        bits = row[++w];
    }
    return bits ? (uint32_t)(w * 64 + (size_t)__builtin_ctzll(bits)) : SW_NONE;
}

/* What counts when the resident of run i leaves for that of run k. */
static int64_t change_over(const struct sw_board *b, uint32_t i, uint32_t k) {
    const struct sw_access_run *runs = b->o->runs;
    if (i == SW_NONE || k == SW_NONE || runs[i].object == runs[k].object) {
        return 0;
    }
    return (int64_t)(runs[i].out + runs[k].in);
}

struct segment_change {
    int64_t clashes, bytes;
};

static bool is_change_less(struct segment_change a, struct segment_change b) {
    return a.clashes != b.clashes ? a.clashes < b.clashes : a.bytes < b.bytes;
}

static struct segment_change add_changes(struct segment_change a, struct segment_change b) {
    return (struct segment_change){a.clashes + b.clashes, a.bytes + b.bytes};
}

static struct segment_change negative_change(struct segment_change a) {
    return (struct segment_change){-a.clashes, -a.bytes};
}

/* The object is in no segment. O(its runs and clashes), and the words between neighbors. */
static struct segment_change change_by_adding(struct sw_board *b, uint32_t object, uint32_t segment) {
    const struct sw_objects *o = b->o;
    struct segment_change change = {0, 0};
    for (size_t i = o->clash_begin[object]; i < o->clash_begin[object + 1]; i++) {
        change.clashes += b->sequence[o->clashes[i]] == segment;
    }
    size_t end = b->begin[object + 1];
    for (size_t k = b->begin[object]; k < end;) {
        uint32_t first = b->runs[k], last = first;
        uint32_t before = run_before(b, segment, first), after = run_after(b, segment, first);
        for (k++; k < end && b->runs[k] < after; k++) {
            last = b->runs[k];
        }
        change.bytes += change_over(b, before, first) + change_over(b, last, after) - change_over(b, before, after);
    }
    b->looked++;
    return change;
}

/* The segment where the object adds least, the lowest of them; SW_NONE: it fits into none. */
static uint32_t least_segment(struct sw_board *b, uint32_t object, struct segment_change *least) {
    uint32_t best = SW_NONE;
    for (uint32_t s = 0; s < b->p->fitting[object]; s++) {
        if (sw_partition_fits(b->p, b->o, object, s)) {
            struct segment_change change = change_by_adding(b, object, s);
            if (best == SW_NONE || is_change_less(change, *least)) {
                best = s;
                *least = change;
            }
        }
    }
    return best;
}

/* ---- greedy sequences ---- */

/* The segment without a clash whose next access after this run is farthest away; of several, the smallest. With
 * clashes everywhere, where the object adds least. */
static uint32_t farthest_segment(struct sw_board *b, uint32_t object, uint32_t run) {
    uint32_t best = SW_NONE, farthest = 0;
    for (uint32_t s = b->p->fitting[object]; s-- > 0;) {
        if (!sw_partition_fits(b->p, b->o, object, s) || change_by_adding(b, object, s).clashes > 0) {
            continue;
        }
        uint32_t next = run_after(b, s, run);
        if (best == SW_NONE || next > farthest) {
            best = s;
            farthest = next;
        }
    }
    struct segment_change least;
    return best == SW_NONE ? least_segment(b, object, &least) : best;
}

static bool put_greedily(struct sw_board *b, enum sw_greedy_order order, uint32_t object, uint32_t *homeless) {
    struct segment_change least;
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
    bool moved = true;
    for (int sweep = 0; moved && sweep < SWEEPS; sweep++) {
        moved = false;
        for (uint32_t i = 0; i < p->free_count; i++) {
            uint32_t object = p->free[i], from = b->sequence[object];
            struct segment_change least;
            lift_object(b, object);
            struct segment_change here = change_by_adding(b, object, from);
            uint32_t to = least_segment(b, object, &least);
            bool better = is_change_less(least, here);
            put_object(b, object, better ? to : from);
            moved |= better;
        }
    }
}

bool sw_board_greedy(struct sw_board *b, enum sw_greedy_order order, uint32_t *sequence, uint32_t *homeless) {
    const struct sw_objects *o = b->o;
    sw_fill_none(sequence, o->count);
    sw_board_load(b, sequence);
    bool ok = true;
    if (order == SW_GREEDY_SIZE) {
        for (uint32_t i = 0; ok && i < o->count; i++) {
            ok = put_greedily(b, order, i, homeless);
        }
    } else {
        for (size_t i = 0; ok && i < o->run_count; i++) {
            ok = sequence[o->runs[i].object] != SW_NONE || put_greedily(b, order, o->runs[i].object, homeless);
        }
    }
    if (ok) {
        move_while_saving(b);
    }
    return ok;
}

/* ---- exchanges by what they save ---- */

/* What the exchange of two objects adds, less what it saves. */
static struct segment_change change_by_exchange(struct sw_board *b, uint32_t x, uint32_t y) {
    uint32_t from = b->sequence[x], to = b->sequence[y];
    lift_object(b, x);
    lift_object(b, y);
    struct segment_change before = add_changes(change_by_adding(b, x, from), change_by_adding(b, y, to));
    struct segment_change after = add_changes(change_by_adding(b, x, to), change_by_adding(b, y, from));
    put_object(b, x, from);
    put_object(b, y, to);
    return add_changes(after, negative_change(before));
}

/* Of some objects in other segments than those of the ring, the one whose exchange with the last of the ring saves
 * most, or costs least. SW_NONE: none of them can change places with it. */
static uint32_t find_partner(struct sw_board *b, const uint32_t *ring, uint32_t count, uint64_t *random) {
    enum { TRIES = 64 };
    const struct sw_partition *p = b->p;
    uint32_t x = ring[count - 1], best = SW_NONE;
    struct segment_change least = {0, 0};
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
        struct segment_change change = change_by_exchange(b, x, y);
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
