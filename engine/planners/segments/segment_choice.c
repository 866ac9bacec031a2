/* segment-genetic, rule 4: choosing the objects that segments are made for.
 *
 * Segments keep their sizes, so these sizes decide most of what a sequence can save. An operator must find room for
 * all that it touches, each object in a segment of its own. So of all that are the n-th largest of an operator the
 * largest is **needed**: without as many segments of that size, or larger ones, no sequence is possible. The choices
 * together, even, shares, fullest and lasting take what is needed first, and differ in what they do with the rest. */
#include "planners/segments/segment_genetic.h"
#include "base/base.h"

enum { LEAST_PART = 512, MOST_CHOICE_PLACES = 2000000 };

/* ---- what operators need at once ---- */

/* Objects that are accessed at a step, ascending: those with runs that last until then, and those that begin. */
struct active_run {
    uint32_t object, last;
};

static uint32_t keep_active(struct active_run *active, uint32_t count, uint32_t step) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (active[i].last >= step) {
            active[kept++] = active[i];
        }
    }
    return kept;
}

static uint32_t add_active(struct active_run *active, uint32_t count, const struct sw_access_run *run) {
    uint32_t at = count;
    for (; at > 0 && active[at - 1].object > run->object; at--) {
        active[at] = active[at - 1];
    }
    active[at] = (struct active_run){run->object, run->last};
    return count + 1;
}

uint32_t sw_objects_needed(const struct sw_objects *o, uint32_t *needed) {
    struct active_run *active = SW_NEW(struct active_run, o->run_count);
    uint32_t most = 0, count = 0;
    if (!active) {
        return SW_NONE;
    }
    for (size_t i = 0; i < o->run_count; i++) {
        uint32_t step = o->runs[i].first;
        count = add_active(active, i == 0 || step != o->runs[i - 1].first ? keep_active(active, count, step) : count,
                           &o->runs[i]);
        if (i + 1 < o->run_count && o->runs[i + 1].first == step) {
            continue;
        }
        for (uint32_t n = 0; n < count; n++) {
            needed[n] = n < most ? SW_MIN(needed[n], active[n].object) : active[n].object;
        }
        most = SW_MAX(most, count);
    }
    SW_FREE(active, o->run_count);
    return most;
}

/* ---- lists of owners ---- */

struct owner_choosing {
    const struct sw_objects *o;
    uint64_t capacity, sum;         /* sum: of the room of those listed */
    uint32_t *list, *last, *needed; /* last: per object its last step */
    bool *listed;
    uint32_t count, needed_count;
    struct sw_arena room;
};

static bool list_owner(struct owner_choosing *c, uint32_t object) {
    uint64_t room = c->o->items[object].room;
    if (c->listed[object] || room > c->capacity - SW_MIN(c->sum, c->capacity)) {
        return false;
    }
    c->listed[object] = true;
    c->list[c->count++] = object;
    c->sum += room;
    return true;
}

static void list_needed(struct owner_choosing *c) {
    for (uint32_t n = 0; n < c->needed_count; n++) {
        list_owner(c, c->needed[n]);
    }
}

/* In place of each object that is needed the largest one for which there is room: then more objects fit everywhere. */
static void raise_needed(struct owner_choosing *c) {
    for (uint32_t n = 1; n < c->count; n++) {
        uint64_t others = c->sum - c->o->items[c->list[n]].room;
        for (uint32_t i = c->list[n - 1] + 1; i < c->list[n]; i++) {
            if (!c->listed[i] && c->o->items[i].room <= c->capacity - others) {
                c->listed[c->list[n]] = false;
                c->listed[i] = true;
                c->sum = others + c->o->items[i].room;
                c->list[n] = i;
            }
        }
    }
}

/* All others that still fit, the largest first, down to a small part of the device. */
static void list_rest(struct owner_choosing *c) {
    uint64_t least = c->capacity / LEAST_PART;
    for (uint32_t i = 0; i < c->o->count && c->o->items[i].size >= least; i++) {
        list_owner(c, i);
    }
}

/* The step where the objects between their first and last access have most bytes. O(objects + steps). */
static uint32_t fullest_choice_step(const struct owner_choosing *c, uint64_t *change, uint32_t steps) {
    uint64_t live = 0, most = 0;
    uint32_t fullest = 0;
    for (uint32_t i = 0; i < c->o->count; i++) {
        change[c->o->items[i].first] += c->o->items[i].size;
        change[c->last[i] + 1] -= c->o->items[i].size; /* unsigned, and modular */
    }
    for (uint32_t s = 0; s < steps; s++) {
        live += change[s];
        if (live > most) {
            most = live;
            fullest = s;
        }
    }
    return fullest;
}

/* How much an object counts when sizes get their shares. */
static double share_of(const struct owner_choosing *c, enum sw_segment_choice choice, uint32_t fullest, uint32_t i) {
    uint32_t first = c->o->items[i].first, last = c->last[i];
    return choice == SW_CHOOSE_LASTING   ? (double)(last - first) + 1
           : choice == SW_CHOOSE_FULLEST ? (first <= fullest && fullest <= last)
                                         : 1;
}

/* Each size, the largest first, gets the share of the device that its objects have of all. */
static void list_shares(struct owner_choosing *c, enum sw_segment_choice choice, uint32_t fullest) {
    const struct sw_objects *o = c->o;
    double total = 0, reached = 0, taken = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        total += share_of(c, choice, fullest, i) * (double)o->items[i].size;
    }
    for (uint32_t i = 0, end = 0; i < o->count && o->items[i].size >= c->capacity / LEAST_PART; i = end) {
        double size = (double)o->items[i].size, share = 0;
        for (; end < o->count && o->items[end].size == o->items[i].size; end++) {
            share += share_of(c, choice, fullest, end);
            taken += c->listed[end] ? size : 0;
        }
        reached += share * size;
        for (uint32_t k = i; k < end && taken + size / 2 <= reached / total * (double)c->capacity; k++) {
            taken += list_owner(c, k) ? size : 0;
        }
    }
}

static bool begin_choosing(struct owner_choosing *c) {
    c->list = SW_NEW_IN(&c->room, uint32_t, c->o->count);
    c->last = SW_NEW_IN(&c->room, uint32_t, c->o->count);
    c->needed = SW_NEW_IN(&c->room, uint32_t, c->o->count);
    c->listed = SW_NEW_IN(&c->room, bool, c->o->count);
    if (!c->list || !c->last || !c->needed || !c->listed) {
        return false;
    }
    memset(c->last, 0, c->o->count * sizeof *c->last);
    for (size_t i = 0; i < c->o->run_count; i++) {
        uint32_t *last = &c->last[c->o->runs[i].object];
        *last = SW_MAX(*last, c->o->runs[i].last);
    }
    c->needed_count = sw_objects_needed(c->o, c->needed);
    return c->needed_count != SW_NONE;
}

static bool list_owners(struct owner_choosing *c, enum sw_segment_choice choice, uint32_t steps) {
    c->count = 0;
    c->sum = 0;
    memset(c->listed, 0, c->o->count * sizeof *c->listed);
    if (choice == SW_CHOOSE_RANKS || choice == SW_CHOOSE_DISTINCT) {
        for (uint32_t i = 0; i < c->o->count; i++) {
            if (choice == SW_CHOOSE_RANKS || i == 0 || c->o->items[i].size != c->o->items[i - 1].size) {
                c->list[c->count++] = i;
            }
        }
        return true;
    }
    list_needed(c);
    if (choice == SW_CHOOSE_EVEN) {
        raise_needed(c);
    } else if (choice != SW_CHOOSE_TOGETHER) {
        uint64_t *change = choice == SW_CHOOSE_FULLEST ? SW_NEW_ZERO(uint64_t, (size_t)steps + 1) : NULL;
        if (choice == SW_CHOOSE_FULLEST && !change) {
            return false;
        }
        list_shares(c, choice, change ? fullest_choice_step(c, change, steps) : 0);
        SW_FREE(change, change ? (size_t)steps + 1 : 0);
    }
    list_rest(c);
    return true;
}

/* ---- trying them all ---- */

/* The least that greedy sequences move with these segments. A board that is too large says nothing: UINT64_MAX. */
static bool weigh_partition(const struct sw_objects *o, const struct sw_partition *p, struct sw_segment_fitness *least,
                            uint64_t *looked) {
    bool too_large, ok = true;
    struct sw_sequences one;
    uint32_t homeless;
    *least = (struct sw_segment_fitness){UINT64_MAX, UINT64_MAX, 0};
    if (!sw_sequences_init(&one, o, p->count, 1)) {
        return false;
    }
    struct sw_board *board = sw_board_new(o, p, &too_large);
    ok = board || too_large;
    for (enum sw_greedy_order order = 0; board && ok && order < SW_GREEDY_ORDERS; order++) {
        bool enough = least->clashes == 0 && (least->bytes == 0 || order >= SW_GREEDY_TIGHT);
        if (enough || (order < SW_GREEDY_TIGHT && MOST_CHOICE_PLACES < *looked)) {
            continue; /* the others do, or take too long */
        }
        ok = sw_board_greedy(board, order, sw_sequences_sequence(&one, 0), &homeless);
        if (ok && homeless == SW_NONE) {
            sw_sequences_measure(&one, o, 0, true);
            *least = sw_segment_fitter(one.members[0].fitness, *least) ? one.members[0].fitness : *least;
        }
    }
    *looked += board ? sw_board_looked(board) : 0;
    sw_board_free(board);
    sw_described_done(&sw_sequences_described, &one);
    return ok;
}

static bool same_sizes(const struct sw_partition *a, const struct sw_partition *b) {
    bool same = a->count == b->count;
    for (uint32_t s = 0; same && s < a->count; s++) {
        same = a->segments[s].size == b->segments[s].size;
    }
    return same;
}

struct sw_partition *sw_partition_largest(const struct sw_run *run, const struct sw_objects *o,
                                          enum sw_segment_choice *choice, bool free_owners, uint32_t *refused,
                                          uint64_t *looked) {
    struct owner_choosing c = {.o = o, .capacity = sw_problem_tier(run->problem, 0)->capacity};
    enum sw_segment_choice asked = *choice, first = asked == SW_CHOOSE_BEST ? 0 : asked,
                           end = asked == SW_CHOOSE_BEST ? SW_CHOOSE_BEST : asked + 1;
    struct sw_partition *best = NULL;
    struct sw_segment_fitness least = {UINT64_MAX, UINT64_MAX, 0}, fitness = least;
    bool ok = begin_choosing(&c);
    *looked = 0;
    for (enum sw_segment_choice k = first; ok && k < end; k++) {
        bool enough = *looked > MOST_CHOICE_PLACES || least.bytes == 0;
        if (best && ((enough && least.clashes == 0) || k == SW_CHOOSE_DISTINCT)) {
            continue;
        }
        uint32_t none;
        ok = list_owners(&c, k, sw_problem_steps(run->problem));
        struct sw_segment_owners owners = {c.list, c.count, k == SW_CHOOSE_RANKS || k == SW_CHOOSE_DISTINCT};
        struct sw_partition *p = ok ? sw_partition_new(run, o, &owners, free_owners, &none) : NULL;
        bool other = p && !(best && same_sizes(p, best));
        ok = p && (!other || asked != SW_CHOOSE_BEST || weigh_partition(o, p, &fitness, looked));
        if (ok && other && (!best || sw_segment_fitter(fitness, least))) {
            sw_partition_drop(best);
            least = asked == SW_CHOOSE_BEST ? fitness : least;
            best = p;
            *refused = none;
            *choice = k;
        } else {
            sw_partition_drop(p);
        }
    }
    sw_arena_done(&c.room);
    if (!ok) {
        sw_partition_drop(best);
        return NULL;
    }
    return best;
}
