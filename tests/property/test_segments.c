/* segment-genetic, farthest-next-use and the bound for migration, against their rules restated (segments_oracle).
 *
 * - what an object adds to a segment, greedy sequences, exchanges that save, what operators need at once, all choices
 * of segments, and twins;
 * - merging, sorting and access runs; the first K; draws, crossovers and mutations; both ways to
 * count, whole and of changed segments only: on lists of objects with random accesses;
 * - whole runs on the same lists: what is claimed is what the transfers of the layout add up to,
 * never below the best of all sequences, and that never below the bound;
 * - whole runs on problems with everything in them: layouts judged step by step;
 * - farthest-next-use, decision by decision, and the bound, byte by byte. */
#include "share.h"
#include "segments_oracle.h"
#include "faults.h"
#include "planners/segments/segment_genetic.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LISTS = 1200, WHOLE = 1300, CHANGES = 12 };

/* ---- rules 2 and 3: objects and their runs ---- */

static void check_things(const struct list *l, const struct things *t, const struct sw_objects *o, const char *what) {
    check_that((int)o->count == t->count, &l->m, what, "%u objects, not %d", o->count, t->count);
    for (int i = 0; i < t->count; i++) {
        const struct sw_object *object = &o->items[i];
        check_that(object->size == t->items[i].size && (int)object->first == t->items[i].first, &l->m, what,
                   "object %d: %llu B first at %u, not %llu B at %d", i, (unsigned long long)object->size,
                   object->first, (unsigned long long)t->items[i].size, t->items[i].first);
        for (uint32_t k = 0; k < object->members; k++) {
            check_that(t->items[i].has[o->members[object->member + k]], &l->m, what, "b%u is not in object %d",
                       o->members[object->member + k], i);
        }
    }
}

static void check_runs(const struct list *l, const struct things *t, const struct sw_objects *o) {
    size_t wanted = 0;
    for (int s = 0; s < STEPS; s++) {
        for (int i = 0; i < t->count; i++) {
            if (!t->items[i].at[s] || !things_begin_run(t, i, s)) {
                continue;
            }
            check_that(wanted < o->run_count && (int)o->runs[wanted].first == s && (int)o->runs[wanted].object == i,
                       &l->m, "runs", "run %zu does not begin at step %d with object %d", wanted, s, i);
            int last = s;
            for (int e = s + 1; e < STEPS && !(t->items[i].at[e] && things_begin_run(t, i, e)); e++) {
                last = t->items[i].at[e] ? e : last;
            }
            check_that((int)o->runs[wanted].last == last, &l->m, "runs", "run %zu ends at %u, not at %d", wanted,
                       o->runs[wanted].last, last);
            wanted++;
        }
    }
    check_that(wanted == o->run_count, &l->m, "runs", "%zu runs, not %zu", o->run_count, wanted);
}

/* Rule 8 as the planner has it: of its figures per segment. */
static uint64_t sum_of_segments(const uint64_t *cost, const uint32_t *clash, uint32_t segments) {
    uint64_t sum = 0;
    for (uint32_t s = 0; s < segments; s++) {
        if (clash[s]) {
            return INFINITE;
        }
        sum += cost[s];
    }
    return sum;
}

/* ---- rules 4 to 7: what each may and must do ---- */

enum { FAMILY = SW_MOST_PARENTS };
struct family {
    uint32_t member[FAMILY][MOST];
    uint64_t cost[FAMILY][MOST];
    uint32_t clash[FAMILY][MOST];
};

static void check_sequence(const struct list *l, const struct things *t, const struct sw_partition *p,
                           const uint32_t *sequence, const char *what) {
    for (int i = 0; i < t->count; i++) {
        check_that(sequence[i] < p->count && t->items[i].size <= p->segments[sequence[i]].size, &l->m, what,
                   "object %d does not fit into its segment", i);
    }
    for (uint32_t s = 0; s < p->count && !p->free_owners; s++) {
        check_that(sequence[p->segments[s].owner] == s, &l->m, what, "segment %u lost its owner", s);
    }
}

static bool owns_segment(const struct sw_partition *p, int object) {
    for (uint32_t s = 0; s < p->count; s++) {
        if ((int)p->segments[s].owner == object) {
            return true;
        }
    }
    return false;
}

static void check_partition(const struct list *l, const struct things *t, const struct sw_partition *p, bool distinct) {
    uint64_t at = 0;
    uint32_t k = 0;
    for (int i = 0; i < t->count; i++) {
        if (distinct && i > 0 && t->items[i].size == t->items[i - 1].size) {
            continue;
        }
        if (at + t->items[i].size > l->capacity) {
            break;
        }
        check_that(k < p->count && (int)p->segments[k].owner == i && p->segments[k].size == t->items[i].size &&
                       p->segments[k].lo == at,
                   &l->m, "partition", "segment %u is not that of object %d", k, i);
        at += t->items[i].size;
        k++;
    }
    check_that(k == p->count, &l->m, "partition", "%u segments, not %u", p->count, k);
}

/* May the object be exchanged at all? */
static bool stays(const struct sw_partition *p, int object) {
    return !p->free_owners && owns_segment(p, object);
}

static void try_cross(const struct list *l, const struct things *t, const struct sw_partition *p, struct family *f,
                      uint64_t *dirty, uint64_t *r) {
    struct family old = *f;
    uint32_t exchanged[MOST], s = (uint32_t)sw_random_below(r, p->count), there = 0;
    bool among[MOST] = {false};
    struct sw_parents parents = {.count = 2 + (uint32_t)sw_random_below(r, FAMILY - 1)};
    for (uint32_t k = 0; k < parents.count; k++) {
        parents.sequences[k] = f->member[k];
        parents.dirty[k] = &dirty[k];
    }
    uint32_t count = sw_segments_cross(p, r, s, &parents, exchanged);
    for (int i = 0; i < t->count; i++) {
        bool any = false;
        for (uint32_t k = 0; k < parents.count; k++) {
            any |= old.member[k][i] == s;
        }
        there += !stays(p, i) && any;
    }
    check_that(count <= (there + 1) / 2, &l->m, "crossover", "%u of %u objects exchanged", count, there);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = exchanged[i];
        bool any = false, changes = false;
        for (uint32_t k = 0; k < parents.count; k++) {
            any |= old.member[k][x] == s;
            changes |= f->member[k][x] != old.member[k][x];
        }
        check_that(changes, &l->m, "crossover", "object %u is where it was in all parents, and counts as exchanged", x);
        check_that(!among[x] && any && !stays(p, (int)x), &l->m, "crossover", "object %u has no business in segment %u",
                   x, s);
        among[x] = true;
    }
    for (uint32_t k = 0; k < FAMILY; k++) {
        uint32_t next = k >= parents.count ? k : k + 1 == parents.count ? 0 : k + 1;
        for (int i = 0; i < t->count; i++) {
            check_that(f->member[k][i] == old.member[among[i] ? next : k][i], &l->m, "crossover",
                       "object %d is not where the rule says", i);
        }
        check_sequence(l, t, p, f->member[k], "crossover");
    }
}

static bool can_mutate(const struct things *t, const struct sw_partition *p, const uint32_t *sequence) {
    for (int x = 0; x < t->count; x++) {
        for (int y = 0; y < t->count; y++) {
            if (!stays(p, x) && !stays(p, y) && sequence[x] != sequence[y] &&
                t->items[x].size <= p->segments[sequence[y]].size &&
                t->items[y].size <= p->segments[sequence[x]].size) {
                return true;
            }
        }
    }
    return false;
}

static uint64_t rings;

static void try_mutate(const struct list *l, const struct things *t, const struct sw_objects *o,
                       const struct sw_partition *p, struct family *f, uint64_t *dirty, uint64_t *r) {
    struct family old = *f;
    uint32_t ring[MOST] = {0}, most = 2 + (uint32_t)sw_random_below(r, 4), next[MOST];
    uint32_t count = sw_segments_mutate(o, p, r, f->member[0], dirty, most, ring);
    check_that((count > 0) == can_mutate(t, p, old.member[0]), &l->m, "mutation", "%u", count);
    check_that(count != 1 && count <= most, &l->m, "mutation", "%u of at most %u", count, most);
    rings += count > 2;
    for (int i = 0; i < t->count; i++) {
        next[i] = (uint32_t)i;
    }
    for (uint32_t i = 0; i < count; i++) {
        next[ring[i]] = ring[(i + 1) % count];
        check_that(!stays(p, (int)ring[i]), &l->m, "mutation", "object %u stays", ring[i]);
        for (uint32_t k = 0; k < i; k++) {
            check_that(old.member[0][ring[i]] != old.member[0][ring[k]], &l->m, "mutation", "two of the same segment");
        }
    }
    for (int i = 0; i < t->count; i++) {
        check_that(f->member[0][i] == old.member[0][next[i]], &l->m, "mutation", "object %d is in segment %u, not %u",
                   i, f->member[0][i], old.member[0][next[i]]);
    }
    check_sequence(l, t, p, f->member[0], "mutation");
}

/* A careful draw lets two objects of one step share a segment only when the smaller one had no
 * other. */
static void check_apart(const struct list *l, const struct things *t, const struct sw_objects *o,
                        const struct sw_partition *p, const uint32_t *sequence) {
    for (int x = 0; x < t->count && o->careful; x++) {
        bool taken[MOST] = {false}, free_ = false;
        for (int y = 0; y < t->count; y++) {
            for (int s = 0; s < STEPS; s++) {
                if (y != x && (y < x || owns_segment(p, y)) && t->items[x].at[s] && t->items[y].at[s]) {
                    taken[sequence[y]] = true;
                }
            }
        }
        for (uint32_t s = 0; s < p->count; s++) {
            free_ |= !taken[s] && t->items[x].size <= p->segments[s].size;
        }
        check_that(owns_segment(p, x) || !free_ || !taken[sequence[x]], &l->m, "draw",
                   "object %d was drawn into segment %u, where it clashes", x, sequence[x]);
    }
}

static uint64_t counts, infinite;

static void check_count(const struct list *l, const struct things *t, const struct sw_objects *o, uint32_t segments,
                        const uint32_t *sequence, const uint64_t *cost, const uint32_t *clash, bool literal) {
    uint64_t wanted = things_migration(t, sequence, segments, literal);
    uint64_t found = sum_of_segments(cost, clash, segments);
    counts++;
    infinite += wanted == INFINITE;
    check_that(found == wanted, &l->m, literal ? "literal" : "need", "%llu B, not %llu", (unsigned long long)found,
               (unsigned long long)wanted);
    for (uint32_t s = 0; s < segments; s++) {
        uint64_t one = things_migration_in(t, sequence, s, literal);
        check_that((one == INFINITE) == (clash[s] > 0) && (one == INFINITE || one == cost[s]), &l->m, "segment",
                   "%u costs %llu, not %llu", s, (unsigned long long)cost[s], (unsigned long long)one);
    }
    (void)o;
}

static void try_changes(const struct list *l, const struct things *t, const struct sw_objects *o,
                        const struct sw_partition *p, bool literal, uint64_t *r) {
    struct sw_resident residents[MOST];
    struct family f;
    uint64_t mask[8], dirty[FAMILY] = {0};
    uint32_t homeless = SW_NONE, scratch[MOST];
    for (int k = 0; k < FAMILY; k++) {
        check_that(sw_segments_draw(o, p, r, f.member[k], scratch, &homeless), &l->m, "draw", "object %u fits nowhere",
                   homeless);
        check_sequence(l, t, p, f.member[k], "draw");
        check_apart(l, t, o, p, f.member[k]);
        sw_segments_count(o, p->count, f.member[k], residents, f.cost[k], f.clash[k]);
        check_count(l, t, o, p->count, f.member[k], f.cost[k], f.clash[k], literal);
    }
    for (int i = 0; i < CHANGES; i++) {
        if (sw_random_below(r, 2)) {
            try_cross(l, t, p, &f, dirty, r);
        } else {
            try_mutate(l, t, o, p, &f, dirty, r);
        }
        for (int k = 0; k < FAMILY; k++) {
            sw_segments_recount(o, p->count, f.member[k], &dirty[k], residents, mask, f.cost[k], f.clash[k]);
            check_count(l, t, o, p->count, f.member[k], f.cost[k], f.clash[k], literal);
            dirty[k] = 0;
        }
    }
}

/* ---- the board: what objects add, greedy sequences, exchanges that save ---- */

/* Pairs of objects in the segment that are accessed at once. */
static int64_t count_pairs(const struct things *t, const uint32_t *sequence, uint32_t segment) {
    int64_t pairs = 0;
    for (int x = 0; x < t->count; x++) {
        for (int y = 0; y < x; y++) {
            bool meet = false;
            for (int s = 0; s < STEPS; s++) {
                meet |= t->items[x].at[s] && t->items[y].at[s];
            }
            pairs += meet && sequence[x] == segment && sequence[y] == segment;
        }
    }
    return pairs;
}

static uint64_t additions, untrue;

static void check_addition(const struct list *l, const struct things *t, const struct sw_partition *p,
                           struct sw_board *board, uint32_t *sequence, int object, bool literal) {
    sequence[object] = SW_NONE;
    sw_board_load(board, sequence);
    for (uint32_t s = 0; s < p->count; s++) {
        struct sw_segment_change change = sw_board_adding(board, (uint32_t)object, s);
        int64_t pairs = count_pairs(t, sequence, s);
        uint64_t before = things_migration_in(t, sequence, s, literal);
        sequence[object] = s;
        uint64_t after = things_migration_in(t, sequence, s, literal);
        int64_t more = count_pairs(t, sequence, s) - pairs;
        sequence[object] = SW_NONE;
        check_that(change.clashes == more, &l->m, "addition", "object %d adds %lld clashes to segment %u, not %lld",
                   object, (long long)change.clashes, s, (long long)more);
        if (before != INFINITE && after != INFINITE) {
            additions++;
            check_that(change.bytes == (int64_t)after - (int64_t)before, &l->m, "addition",
                       "object %d adds %lld B to segment %u, not %lld", object, (long long)change.bytes, s,
                       (long long)after - (long long)before);
        } else {
            untrue++; /* of what cannot be it is a guide */
        }
    }
}

static void check_ring(const struct list *l, const struct things *t, const struct sw_partition *p, const uint32_t *old,
                       const uint32_t *sequence, const uint32_t *ring, uint32_t count) {
    uint32_t next[MOST];
    for (int i = 0; i < t->count; i++) {
        next[i] = (uint32_t)i;
    }
    for (uint32_t i = 0; i < count; i++) {
        next[ring[i]] = ring[(i + 1) % count];
        check_that(!stays(p, (int)ring[i]), &l->m, "exchange", "object %u stays", ring[i]);
    }
    for (int i = 0; i < t->count; i++) {
        check_that(sequence[i] == old[next[i]], &l->m, "exchange", "object %d is in segment %u, not %u", i, sequence[i],
                   old[next[i]]);
    }
    check_sequence(l, t, p, sequence, "exchange");
}

/* ---- the beam: a sequence without clashes wherever there is one ---- */

static uint64_t beams, without_clashes;

static int64_t count_all_pairs(const struct things *t, const struct sw_partition *p, const uint32_t *sequence) {
    int64_t pairs = 0;
    for (uint32_t s = 0; s < p->count; s++) {
        pairs += count_pairs(t, sequence, s);
    }
    return pairs;
}

/* By trying all sequences. */
static bool can_be_without_clashes(const struct things *t, const struct sw_partition *p, const struct sw_objects *o) {
    uint32_t sequence[MOST] = {0};
    for (int i = 0; i < t->count;) {
        bool fits = true;
        for (int k = 0; fits && k < t->count; k++) {
            fits = stays(p, k) ? sequence[k] == p->fixed[k] : sw_partition_fits(p, o, (uint32_t)k, sequence[k]);
        }
        if (fits && count_all_pairs(t, p, sequence) == 0) {
            return true;
        }
        for (i = 0; i < t->count && ++sequence[i] == p->count; i++) {
            sequence[i] = 0;
        }
    }
    return false;
}

static void try_beam(const struct list *l, const struct things *t, const struct sw_objects *o,
                     const struct sw_partition *p) {
    uint32_t sequence[MOST], homeless = SW_NONE;
    uint64_t looked = 0;
    double ways = 1;
    for (int i = 0; i < t->count; i++) {
        ways *= p->count;
    }
    check_that(sw_segments_beam(o, p, sequence, &looked, &homeless) && homeless == SW_NONE && looked > 0, &l->m, "beam",
               "object %u fits nowhere", homeless);
    check_sequence(l, t, p, sequence, "beam");
    if (ways <= 20000) {
        int64_t pairs = count_all_pairs(t, p, sequence);
        beams++;
        without_clashes += pairs == 0;
        check_that(pairs == 0 || !can_be_without_clashes(t, p, o), &l->m, "beam", "%lld clashes, and none need be",
                   (long long)pairs);
    }
}

static uint64_t saved_rings;

static void try_board(const struct list *l, const struct things *t, const struct sw_objects *o,
                      const struct sw_partition *p, bool literal, uint64_t *r) {
    bool too_large;
    struct sw_board *board = sw_board_new(o, p, &too_large);
    uint32_t sequence[MOST], old[MOST], scratch[MOST], ring[MOST], homeless;
    check_that(board != NULL, &l->m, "board", "no memory");
    for (enum sw_greedy_order order = 0; order < SW_GREEDY_ORDERS; order++) {
        check_that(sw_board_greedy(board, order, sequence, &homeless) && homeless == SW_NONE, &l->m, "greedy",
                   "object %u fits nowhere", homeless);
        check_sequence(l, t, p, sequence, "greedy");
    }
    check_that(sw_segments_draw(o, p, r, sequence, scratch, &homeless), &l->m, "board", "no draw");
    for (int i = 0; i < 6; i++) {
        uint64_t dirty = 0;
        memcpy(old, sequence, sizeof old);
        sw_board_load(board, sequence);
        uint32_t count = sw_board_mutate(board, r, &dirty, 2 + (uint32_t)sw_random_below(r, 3), ring);
        check_ring(l, t, p, old, sequence, ring, count);
        saved_rings += count > 2;
        uint32_t object = (uint32_t)sw_random_below(r, (uint64_t)t->count), was = sequence[object];
        check_addition(l, t, p, board, sequence, (int)object, literal);
        sequence[object] = was;
    }
    sw_board_free(board);
}

/* What operators need at once: of their n-th largest the largest, found step by step. */
static void check_needed(const struct list *l, const struct things *t, const struct sw_objects *o) {
    uint32_t needed[MOST], wanted[MOST] = {0}, most = 0, count = sw_objects_needed(o, needed);
    for (int s = 0; s < STEPS; s++) {
        uint32_t n = 0;
        for (uint32_t i = 0; (int)i < t->count; i++) {
            if (t->items[i].at[s]) {
                wanted[n] = n < most && wanted[n] < i ? wanted[n] : i;
                most = ++n > most ? n : most;
            }
        }
    }
    check_that(count == most, &l->m, "needed", "%u, not %u", count, most);
    for (uint32_t n = 0; n < most; n++) {
        check_that(needed[n] == wanted[n], &l->m, "needed", "number %u is object %u, not %u", n, needed[n], wanted[n]);
    }
}

/* Every choice but ranks and distinct has a segment for each that is needed, where the device has room for them. */
static void try_choices(const struct list *l, const struct things *t, const struct sw_run *run,
                        const struct sw_objects *o) {
    uint32_t needed[MOST], count = sw_objects_needed(o, needed), refused;
    uint64_t sum = 0, looked;
    check_needed(l, t, o);
    for (uint32_t n = 0; n < count; n++) {
        sum += o->items[needed[n]].size;
    }
    for (enum sw_segment_choice choice = 0; choice <= SW_CHOOSE_BEST; choice++) {
        enum sw_segment_choice found = choice;
        struct sw_partition *p = sw_partition_largest(run, o, &found, true, &refused, &looked);
        uint64_t end = 0;
        check_that(p != NULL && (found == choice || choice == SW_CHOOSE_BEST), &l->m, "choice", "%d", found);
        for (uint32_t s = 0; s < p->count; s++) {
            end += p->segments[s].size;
            check_that(s == 0 || p->segments[s].owner > p->segments[s - 1].owner, &l->m, "choice", "no order");
            check_that(p->segments[s].size == o->items[p->segments[s].owner].size, &l->m, "choice", "no such size");
        }
        check_that(end <= l->capacity, &l->m, "choice", "%llu B of segments", (unsigned long long)end);
        for (uint32_t n = 0; n < count && sum <= l->capacity && choice <= SW_CHOOSE_LASTING; n++) {
            check_that(n < p->count && p->segments[n].size >= o->items[needed[n]].size, &l->m, "choice",
                       "%d: segment %u is too small", choice, n);
        }
        sw_partition_drop(p);
    }
}

/* Equal members come last, each behind one that it equals. */
static void try_twins(const struct list *l, struct sw_sequences *members, const struct sw_objects *o) {
    uint32_t count = members->count, objects = o->count;
    for (uint32_t i = 1; i < count; i += 2) {
        memcpy(sw_sequences_sequence(members, i), sw_sequences_sequence(members, i - 1), objects * sizeof(uint32_t));
        sw_sequences_measure(members, o, i, true);
    }
    uint32_t apart = sw_sequences_sort(members, false);
    check_that(apart == (count + 1) / 2, &l->m, "twins", "%u of %u are different", apart, count);
    for (uint32_t i = 0; i < count; i++) {
        bool twin = false;
        for (uint32_t k = 0; k < apart && k < i; k++) {
            twin |= memcmp(sw_sequences_sequence(members, i), sw_sequences_sequence(members, k),
                           objects * sizeof(uint32_t)) == 0;
        }
        check_that(twin == (i >= apart), &l->m, "twins", "member %u of %u", i, apart);
        check_that(i == 0 || i == apart ||
                       !sw_segment_fitter(members->members[i].fitness, members->members[i - 1].fitness),
                   &l->m, "twins", "not the fittest first");
    }
}

/* Members differ, and as many draws as allowed were tried before giving up. */
static void try_population(const struct list *l, const struct sw_objects *o, const struct sw_partition *p,
                           uint64_t *r) {
    struct sw_sequences members;
    uint32_t homeless, draws = 0;
    check_that(sw_sequences_init(&members, o, p->count, 8), &l->m, "population", "no memory");
    while (members.count < 8 && draws++ < 32) {
        sw_sequences_draw(&members, o, p, NULL, r, &homeless);
    }
    double ways = 1;
    for (uint32_t i = 0; i < o->count; i++) { /* draws leave owners where they are */
        ways *= p->fixed[i] == SW_NONE ? p->fitting[i] : 1;
    }
    check_that(members.count >= 1 && members.count <= ways, &l->m, "population", "%u members of %g possible ones",
               members.count, ways);
    for (uint32_t i = 0; i < members.count; i++) {
        for (uint32_t k = 0; k < i; k++) {
            check_that(memcmp(sw_sequences_sequence(&members, i), sw_sequences_sequence(&members, k),
                              o->count * sizeof(uint32_t)) != 0,
                       &l->m, "population", "members %u and %u are the same", i, k);
        }
    }
    try_twins(l, &members, o);
    sw_sequences_sort(&members, true);
    uint32_t rows[3], kept = members.count < 3 ? members.count : 3;
    for (uint32_t i = 0; i < kept; i++) {
        rows[i] = members.members[i].row;
    }
    sw_sequences_keep(&members, rows, kept);
    check_that(members.count == kept, &l->m, "population", "%u are kept, not %u", members.count, kept);
    for (uint32_t i = 1; i < members.count; i++) {
        check_that(!sw_segment_fitter(members.members[i].fitness, members.members[i - 1].fitness), &l->m, "population",
                   "the survivors are not the fittest first");
    }
    uint32_t other[] = {rows[kept - 1], rows[0]};
    sw_sequences_keep(&members, other, kept < 2 ? kept : 2);
    check_that(members.members[0].row == other[0] && (kept < 2 || members.members[1].row == rows[0]), &l->m,
               "population", "those that are kept stand in another order");
    sw_described_done(&sw_sequences_described, &members);
}

static void try_list(const struct list *l) {
    struct sw_problem *problem = list_build(l);
    struct sw_rules rules = {0};
    struct sw_error error = {0};
    uint64_t r = l->m.seed;
    struct things t;
    list_things(l, &t);
    bool literal = l->m.seed % 2;
    struct sw_movables *movables = sw_movables_new(problem, &rules, l->below);
    struct sw_objects *o = movables ? sw_objects_new(problem, &rules, movables, NULL, true, literal, &error) : NULL;
    struct sw_objects *plain = o ? sw_objects_new(problem, &rules, movables, NULL, false, literal, &error) : NULL;
    struct sw_run run = {.problem = problem, .layout = sw_layout_new(problem, &error)};
    uint32_t refused;
    uint64_t looked;
    enum sw_segment_choice choice = l->m.seed % 3 == 0 ? SW_CHOOSE_DISTINCT : SW_CHOOSE_RANKS;
    struct sw_partition *p =
        plain ? sw_partition_largest(&run, o, &choice, l->m.seed % 7 > 2, &refused, &looked) : NULL;
    check_that(p && run.layout, &l->m, "(making)", "no memory");
    o->careful = l->m.seed % 5 < 2;
    check_things(l, &t, o, "merged");
    check_runs(l, &t, o);
    check_partition(l, &t, p, l->m.seed % 3 == 0);
    try_changes(l, &t, o, p, literal, &r);
    try_changes(l, &t, plain, p, literal, &r); /* joining runs changes no figure */
    try_population(l, o, p, &r);
    try_board(l, &t, o, p, literal, &r);
    try_beam(l, &t, o, p);
    try_beam(l, &t, plain, p);
    try_board(l, &t, plain, p, literal, &r);
    try_choices(l, &t, &run, o);
    sw_partition_drop(p);
    sw_layout_free(run.layout);
    sw_objects_drop(o);
    sw_objects_drop(plain);
    sw_movables_drop(movables);
    sw_problem_unref(problem);
}

/* ---- whole runs on lists ---- */

static uint64_t solved, reached, unsolved, above_bound, freed;

static uint64_t sum_transfers(const struct sw_search *search) {
    const struct sw_layout *layout = sw_search_layout(search);
    const struct sw_problem *problem = sw_search_problem(search);
    uint64_t sum = 0;
    for (size_t i = 0; i < sw_layout_transfer_count(layout); i++) {
        struct sw_transfer move = sw_layout_transfer_get(layout, i);
        const struct sw_buffer *b = sw_problem_buffer(problem, move.buffer);
        bool before = false, after = false;
        for (uint32_t k = 0; k < b->access_count; k++) {
            before |= b->accesses[k] < move.step;
            after |= b->accesses[k] >= move.step;
        }
        sum += before && after ? b->size : 0;
    }
    return sum;
}

static void try_farthest(const struct list *l, const struct sw_problem *problem, uint64_t bound) {
    struct sw_error error = {0};
    struct sw_claims claims;
    bool stuck;
    uint64_t wanted = list_farthest(l, &stuck);
    struct sw_search *search = sw_search_new(problem, sw_planner_find("farthest-next-use", NULL), NULL, &error);
    check_that(search != NULL, &l->m, "farthest-next-use", "%s", error.message);
    enum sw_step end = sw_search_run(search, 0, NULL, NULL, &error);
    sw_search_claims(search, &claims);
    check_that((end == SW_STEP_FAILED) == stuck, &l->m, "farthest-next-use", "stuck is %d: %s", stuck, error.message);
    check_that(stuck || (claims.migration_bytes == wanted && wanted >= bound), &l->m, "farthest-next-use",
               "moves %llu B, not %llu, and the bound is %llu", (unsigned long long)claims.migration_bytes,
               (unsigned long long)wanted, (unsigned long long)bound);
    check_that(sw_layout_peak(sw_search_layout(search)) <= l->capacity, &l->m, "farthest-next-use",
               "more is resident than fits");
    above_bound += !stuck && wanted > bound;
    sw_search_free(search);
}

static void no_fault(void *context, const struct sw_fault *fault) {
    const struct list *l = context;
    check_that(false, &l->m, "segment-genetic", "fault %d of b%u", (int)fault->kind, fault->buffer);
}

/* With either reading of rule 5 no run is better than the best of all sequences. */
static void try_owners(const struct list *l, const struct things *t, const struct sw_problem *problem,
                       struct sw_params *params, uint64_t bound, bool stay) {
    struct sw_error error = {0};
    struct sw_claims claims;
    bool literal = l->m.seed % 4 == 3;
    sw_params_set(params, "owners", stay ? "fixed" : "free", NULL);
    struct sw_search *search = sw_search_new(problem, sw_planner_find("segment-genetic", NULL), params, &error);
    check_that(search != NULL, &l->m, "segment-genetic", "%s", error.message);
    enum sw_step end = sw_search_run(search, 0, NULL, NULL, &error);
    sw_search_claims(search, &claims);
    uint64_t best = things_least_migration(l, t, literal, stay);
    if (end == SW_STEP_DONE) {
        check_that(claims.migration_bytes >= best, &l->m, "segment-genetic", "%llu B, below the best of all, %llu",
                   (unsigned long long)claims.migration_bytes, (unsigned long long)best);
        check_that(claims.migration_bytes >= bound, &l->m, "segment-genetic", "below the bound");
        check_that(literal || sum_transfers(search) == claims.migration_bytes, &l->m, "segment-genetic",
                   "the transfers make %llu B, and %llu are claimed", (unsigned long long)sum_transfers(search),
                   (unsigned long long)claims.migration_bytes);
        sw_fault_count(sw_search_layout(search), no_fault, (void *)(uintptr_t)l);
        solved++;
        reached += claims.migration_bytes == best;
        freed += !stay && claims.migration_bytes < things_least_migration(l, t, literal, true);
    } else {
        check_that(error.code == SW_ERROR_INFEASIBLE, &l->m, "segment-genetic", "%s", error.message);
        unsolved += best != INFINITE;
    }
    sw_search_free(search);
}

static void try_whole(const struct list *l) {
    struct sw_problem *problem = list_build(l);
    struct sw_migration bound = {0};
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct things t;
    char below[32];
    bool literal = l->m.seed % 4 == 3;
    list_things(l, &t);
    check_that(sw_problem_migration_bound(problem, &bound) && bound.feasible, &l->m, "bound", "no bound");
    uint64_t wanted = list_bound(l), proof = 0;
    for (size_t i = 0; i < bound.count; i++) {
        proof += 2 * bound.items[i].bytes;
    }
    check_that(bound.bytes == wanted && proof == wanted, &l->m, "bound", "%llu B, not %llu",
               (unsigned long long)bound.bytes, (unsigned long long)wanted);
    try_farthest(l, problem, wanted);
    snprintf(below, sizeof below, "%llu", (unsigned long long)l->below);
    sw_params_set(&params, "merge_below", below, NULL);
    sw_params_set(&params, "choices", l->m.seed % 2 ? "plain" : "good", NULL);
    sw_params_set(&params, "choose", "ranks", NULL); /* the oracle has the segments of these */
    sw_params_set(&params, "migration", literal ? "literal" : "need", NULL);
    sw_params_set(&params, "rounds", "12", NULL);
    sw_params_set(&params, "population", "20", NULL);
    sw_params_set(&params, "survivors", "10", NULL);
    sw_params_set(&params, "exchange", l->m.seed % 3 ? "3" : "2", NULL);
    sw_params_set(&params, "parents", l->m.seed % 5 ? "2" : "4", NULL);
    try_owners(l, &t, problem, &params, wanted, true);
    try_owners(l, &t, problem, &params, wanted, false);
    check_that(things_least_migration(l, &t, literal, false) <= things_least_migration(l, &t, literal, true), &l->m,
               "owners", "the best is worse with free owners");
    sw_params_done(&params);
    sw_migration_done(&bound);
    sw_problem_unref(problem);
}

/* ---- whole runs on problems with everything in them ---- */

static uint64_t layouts, dead_ends;

/* Step by step: what is where, and is everything touched in a place that it may be in? */
static void judge_steps(const struct model *m, const struct sw_layout *layout) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint32_t count = sw_problem_buffer_count(problem);
    for (uint32_t step = 0; step < sw_problem_steps(problem); step++) {
        struct sw_placement at[MAX_BUFFERS];
        bool there[MAX_BUFFERS] = {false};
        for (uint32_t a = 0; a < count; a++) {
            const struct sw_buffer *x = sw_problem_buffer(problem, a);
            bool alive = x->planned && x->size > 0 && sw_buffer_alive(x, step);
            there[a] = alive && sw_layout_at(layout, a, step, &at[a]);
            bool touched = false;
            for (uint32_t k = 0; k < x->access_count; k++) {
                touched |= x->accesses[k] == step;
            }
            check_that(there[a] || !alive || (!touched && m->tier_count == 1), m, "segment-genetic",
                       "b%u has no place at step %u", a, step);
            check_that(!there[a] || !touched || at[a].tier == 0 || !(x->tiers & 1) || x->tier != SW_NONE || x->pinned,
                       m, "segment-genetic", "b%u is touched at step %u outside of the device", a, step);
            for (uint32_t b = 0; b < a && there[a]; b++) {
                check_that(!there[b] || at[a].tier != at[b].tier ||
                               !sw_problem_collide(problem, a, at[a].offset, b, at[b].offset),
                           m, "segment-genetic", "b%u and b%u collide at step %u", a, b, step);
            }
        }
    }
}

static void count_others(void *context, const struct sw_fault *fault) {
    if (fault->kind != SW_FAULT_CAPACITY) {
        fprintf(stderr, "fault of kind %d, buffer %u, step %u\n", (int)fault->kind, fault->buffer, fault->step);
        *(bool *)context = true;
    }
}

static void try_everything(uint64_t seed) {
    struct model m;
    struct sw_error error = {0};
    model_draw(&m, seed);
    if (m.capacity[0] == SW_UNBOUNDED) {
        m.capacity[0] = 40 + seed % 7 * 100;
    }
    struct sw_problem *problem = model_build(&m, NULL);
    if (seed % 3 == 0) {
        struct sw_search *first = sw_search_new(problem, sw_planner_find("first-fit", NULL), NULL, &error);
        check_that(first && sw_search_run(first, 0, NULL, NULL, &error) == SW_STEP_DONE, &m, "first-fit", "%s",
                   error.message);
        model_pin_some(&m, sw_search_layout(first));
        sw_search_free(first);
        sw_problem_unref(problem);
        problem = model_build(&m, NULL);
    }
    const struct sw_planner *planner = sw_planner_find("segment-genetic", NULL);
    struct sw_params brief = short_run(planner);
    if (model_applies(planner, problem)) {
        sw_params_set(&brief, "rounds", "6", NULL);
        sw_params_set(&brief, "merge_below", "20", NULL);
        struct sw_search *search = sw_search_new(problem, planner, &brief, &error);
        check_that(search != NULL, &m, planner->name, "%s", error.message);
        enum sw_step end = sw_search_run(search, 0, NULL, NULL, &error);
        check_that(end == SW_STEP_DONE || error.code == SW_ERROR_INFEASIBLE, &m, planner->name, "%s", error.message);
        if (end == SW_STEP_DONE) {
            bool others = false;
            sw_fault_count(sw_search_layout(search), count_others, &others);
            check_that(!others, &m, planner->name, "the layout is at fault");
            judge_steps(&m, sw_search_layout(search));
            layouts++;
        }
        dead_ends += end != SW_STEP_DONE;
        sw_search_free(search);
    }
    sw_params_done(&brief);
    sw_problem_unref(problem);
}

int main(void) {
    uint64_t seed = base_seed();
    struct list l;
    for (uint64_t i = first_case(LISTS), i_end = i + cases(LISTS); i < i_end; i++) {
        list_draw(&l, seed + i, MOST);
        try_list(&l);
    }
    for (uint64_t i = first_case(WHOLE), i_end = i + cases(WHOLE); i < i_end; i++) {
        list_draw(&l, seed + LISTS + i, 8);
        try_whole(&l);
    }
    for (uint64_t i = 0; i < 2 * WHOLE; i++) {
        try_everything(seed + i);
    }
    printf("%d lists, %llu counts (%llu infinite), %llu rings of three or more; %llu runs, %llu as "
           "good as "
           "the best of all, %llu "
           "missed a sequence there is, %llu better than all with owners that stay; "
           "%llu additions (%llu to what cannot be), %llu rings of three or more that save; "
           "%llu beams, %llu without clashes; "
           "farthest-next-use above the bound %llu times; %llu layouts, "
           "%llu dead ends; from seed %llu\n",
           LISTS, (unsigned long long)counts, (unsigned long long)infinite, (unsigned long long)rings,
           (unsigned long long)solved, (unsigned long long)reached, (unsigned long long)unsolved,
           (unsigned long long)freed, (unsigned long long)additions, (unsigned long long)untrue,
           (unsigned long long)saved_rings, (unsigned long long)beams, (unsigned long long)without_clashes,
           (unsigned long long)above_bound, (unsigned long long)layouts, (unsigned long long)dead_ends,
           (unsigned long long)seed);
    return 0;
}
