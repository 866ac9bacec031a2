/* The lower bound on several cores: the heaviest clique of the conflict graph.
 *
 * On one core the steps order everything, and the most bytes alive at one step are the heaviest set
 * of buffers that all conflict with one another. On several cores two operators may run at the same
 * time although they stand at different steps, so that set can be heavier than any step. There it
 * is found from what is *not* in conflict: such a pair is ordered, one of the two is over before
 * the other begins. A partial order has chains (each member is over before the next begins) and
 * antichains (no member is before another), and an antichain is exactly a set of buffers that all
 * conflict.
 *
 * The method is Dilworth's theorem with weights: the heaviest antichain weighs as much as the least
 * number of bytes of chains that cover every buffer as often as it has bytes. That is a minimum
 * flow; counted the other way round, each byte of a buffer may be joined to a byte of one later
 * buffer, and every join saves a byte. So: the most joins, a maximum flow from buffers (as earlier)
 * to buffers (as later), found by augmenting along shortest paths, and the answer read off the
 * minimum cut.
 *
 * Where the argument does not hold, the bound stays valid but need not be the best one. Pairs kept
 * separate, lifetimes given by the file and overlaps by permit can leave a relation "not in
 * conflict" that is no partial order: x before y, y before z, and yet x in conflict with z. Then
 * the order is closed (x counts as before z): fewer antichains, all of them still cliques. A step
 * with more live bytes than the heaviest antichain remains the bound, and the proof; so it does
 * beyond MOST_MEMBERS buffers, where the matrix would take too long. */
#include "problem/problem_internal.h"
#include "base/base.h"

enum { MOST_MEMBERS = 8192 };

/* Some bytes of `from`, the earlier, are joined to as many of the owner of the list, the later. */
struct join {
    uint32_t from;
    uint64_t bytes;
};
SW_ARRAY_TYPE(joins, struct join);

struct clique_order {
    const struct sw_problem *problem;
    uint32_t count;
    size_t words;
    uint32_t *buffers;                   /* item -> buffer, by rank */
    uint64_t *later;                     /* row a: the items that a is before */
    uint64_t *supply, *demand;           /* bytes of an item not yet joined to a later, an earlier one */
    struct joins *joins;                 /* of the later item */
    uint64_t *unseen;                    /* later sides not reached yet */
    uint32_t *queue;                     /* earlier sides in the order in which they were reached */
    uint32_t *reached;                   /* later sides, likewise */
    uint32_t *from_later, *from_earlier; /* from which item each side was reached */
    bool *seen;                          /* earlier sides */
    uint32_t reached_count;
    struct sw_arena arena; /* all of these but the joins' items */
};

/* ---- the order ---- */

static void list_items(struct clique_order *o) {
    const struct sw_problem *problem = o->problem;
    o->count = 0;
    for (uint32_t i = 0; i < problem->planned_count; i++) {
        if (problem->buffers[problem->order[i]].size > 0) {
            o->buffers[o->count++] = problem->order[i];
        }
    }
}

/* Not in conflict, and so ordered: the one that stands earlier in program order is the earlier.
 * Permits allow an overlap, and count as an order, too. */
static void relate_items(struct clique_order *o) {
    for (uint32_t a = 0; a < o->count; a++) {
        uint64_t *row = o->later + a * o->words;
        for (uint32_t b = a + 1; b < o->count; b++) {
            if (sw_problem_conflict(o->problem, o->buffers[a], o->buffers[b]) != SW_CONFLICT_WHOLE) {
                row[b / 64] |= UINT64_C(1) << (b % 64);
            }
        }
    }
}

/* Before is transitive. From the last item back, each takes over what its successors are before. */
static void close_order(struct clique_order *o, uint64_t *covered) {
    for (uint32_t a = o->count; a-- > 0;) {
        uint64_t *row = o->later + a * o->words;
        memset(covered, 0, o->words * sizeof *covered);
        for (uint32_t b = a + 1; b < o->count; b++) {
            if (!sw_bit_is_set(row, b) || sw_bit_is_set(covered, b)) {
                continue; /* the successors of a covered item are covered, too */
            }
            for (size_t w = 0; w < o->words; w++) {
                covered[w] |= o->later[b * o->words + w];
            }
        }
        for (size_t w = 0; w < o->words; w++) {
            row[w] |= covered[w];
        }
    }
}

/* ---- the flow ---- */

/* NULL: they are not joined. */
static struct join *find_join(const struct clique_order *o, uint32_t from, uint32_t to) {
    struct joins *list = &o->joins[to];
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].from == from) {
            return &list->items[i];
        }
    }
    return NULL;
}

static bool join_buffers(struct clique_order *o, uint32_t from, uint32_t to, uint64_t bytes) {
    struct join *join = find_join(o, from, to);
    if (!join) {
        return SW_PUSH(&o->joins[to], (struct join){from, bytes});
    }
    join->bytes += bytes;
    return true;
}

static void take_join(struct clique_order *o, uint32_t from, uint32_t to, uint64_t bytes) {
    struct joins *list = &o->joins[to];
    struct join *join = find_join(o, from, to);
    join->bytes -= bytes;
    if (join->bytes == 0) {
        *join = list->items[--list->count];
    }
}

/* A good beginning: each item joins the nearest later ones that still want bytes. */
static bool join_nearest(struct clique_order *o) {
    for (uint32_t a = 0; a < o->count; a++) {
        for (uint32_t b = a + 1; b < o->count && o->supply[a] > 0; b++) {
            if (!sw_bit_is_set(o->later + a * o->words, b) || o->demand[b] == 0) {
                continue;
            }
            uint64_t bytes = SW_MIN(o->supply[a], o->demand[b]);
            o->supply[a] -= bytes;
            o->demand[b] -= bytes;
            if (!join_buffers(o, a, b, bytes)) {
                return false;
            }
        }
    }
    return true;
}

static void reach_later(struct clique_order *o, uint32_t a, uint32_t *tail) {
    for (size_t w = a / 64; w < o->words; w++) {
        uint64_t found = o->later[a * o->words + w] & o->unseen[w];
        o->unseen[w] &= ~found;
        for (; found; found &= found - 1) {
            uint32_t b = (uint32_t)(w * 64) + (uint32_t)__builtin_ctzll(found);
            o->from_earlier[b] = a;
            o->reached[o->reached_count++] = b;
            for (size_t i = 0; i < o->joins[b].count; i++) { /* its joins can be undone */
                uint32_t c = o->joins[b].items[i].from;
                if (!o->seen[c]) {
                    o->seen[c] = true;
                    o->from_later[c] = b;
                    o->queue[(*tail)++] = c;
                }
            }
        }
    }
}

/* Breadth first from every item with bytes not joined to a later one. */
static void reach_all(struct clique_order *o) {
    uint32_t tail = 0;
    o->reached_count = 0;
    memset(o->seen, 0, o->count * sizeof *o->seen);
    memset(o->unseen, 0xff, o->words * sizeof *o->unseen);
    for (uint32_t a = 0; a < o->count; a++) {
        if (o->supply[a] > 0) {
            o->seen[a] = true;
            o->from_later[a] = SW_NONE;
            o->queue[tail++] = a;
        }
    }
    for (uint32_t head = 0; head < tail; head++) {
        reach_later(o, o->queue[head], &tail);
    }
}

/* Along the path that reached b: how much can be joined, and then do it. */
static bool augment_path(struct clique_order *o, uint32_t b, bool *gained) {
    uint64_t bytes = o->demand[b];
    uint32_t a = o->from_earlier[b];
    for (; o->from_later[a] != SW_NONE; a = o->from_earlier[o->from_later[a]]) {
        const struct join *undone = find_join(o, a, o->from_later[a]);
        bytes = undone ? SW_MIN(undone->bytes, bytes) : 0;
    }
    bytes = SW_MIN(o->supply[a], bytes);
    if (bytes == 0) {
        return true;
    }
    o->supply[a] -= bytes;
    o->demand[b] -= bytes;
    *gained = true;
    for (;;) {
        a = o->from_earlier[b];
        if (!join_buffers(o, a, b, bytes)) {
            return false;
        }
        b = o->from_later[a];
        if (b == SW_NONE) {
            return true;
        }
        take_join(o, a, b, bytes);
    }
}

/* Augment until no item with unmet demand can be reached. What is reached then is one side of the minimum
 * cut. */
static bool join_most(struct clique_order *o) {
    for (bool gained = true; gained;) {
        gained = false;
        reach_all(o);
        for (uint32_t i = 0; i < o->reached_count; i++) {
            if (o->demand[o->reached[i]] > 0 && !augment_path(o, o->reached[i], &gained)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- the answer ---- */

/* The items reached as an earlier one and not as a later one: none of them is before another. */
static bool keep_clique(struct sw_problem *problem, const struct clique_order *o) {
    uint64_t weight = 0;
    uint32_t count = 0;
    for (uint32_t a = 0; a < o->count; a++) {
        if (o->seen[a] && sw_bit_is_set(o->unseen, a)) {
            weight += problem->buffers[o->buffers[a]].size;
            count++;
        }
    }
    if (weight <= problem->bound) {
        return true; /* the step is as good a proof */
    }
    problem->clique = sw_arena_new(&problem->arena, count, sizeof *problem->clique);
    if (!problem->clique) {
        return false;
    }
    for (uint32_t a = 0; a < o->count; a++) {
        if (o->seen[a] && sw_bit_is_set(o->unseen, a)) {
            problem->clique[problem->clique_count++] = o->buffers[a];
        }
    }
    problem->bound = weight;
    return true;
}

static void order_done(struct clique_order *o, size_t most) {
    for (size_t i = 0; o->joins && i < most; i++) {
        SW_ARRAY_DONE(&o->joins[i]);
    }
    sw_arena_done(&o->arena);
}

static bool order_init(struct clique_order *o, size_t most, size_t words) {
    o->words = words;
    o->buffers = SW_NEW_IN(&o->arena, uint32_t, most);
    o->later = SW_NEW_IN(&o->arena, uint64_t, most * words);
    o->supply = SW_NEW_IN(&o->arena, uint64_t, most);
    o->demand = SW_NEW_IN(&o->arena, uint64_t, most);
    o->joins = SW_NEW_IN(&o->arena, struct joins, most);
    o->unseen = SW_NEW_IN(&o->arena, uint64_t, words);
    o->queue = SW_NEW_IN(&o->arena, uint32_t, most);
    o->reached = SW_NEW_IN(&o->arena, uint32_t, most);
    o->from_later = SW_NEW_IN(&o->arena, uint32_t, most);
    o->from_earlier = SW_NEW_IN(&o->arena, uint32_t, most);
    o->seen = SW_NEW_IN(&o->arena, bool, most);
    return o->buffers && o->later && o->supply && o->demand && o->joins && o->unseen && o->queue && o->reached &&
           o->from_later && o->from_earlier && o->seen;
}

bool sw_clique_build(struct sw_problem *problem) {
    size_t most = problem->planned_count, words = (most + 63) / 64;
    struct clique_order o = {.problem = problem};
    if (!problem->matrix || most == 0 || most > MOST_MEMBERS) {
        return true;
    }
    bool ok = order_init(&o, most, words);
    if (ok) {
        list_items(&o);
        relate_items(&o);
        close_order(&o, o.unseen);
        for (uint32_t a = 0; a < o.count; a++) {
            o.supply[a] = o.demand[a] = problem->buffers[o.buffers[a]].size;
        }
        ok = join_nearest(&o) && join_most(&o) && keep_clique(problem, &o);
    }
    order_done(&o, most);
    return ok;
}

const uint32_t *sw_problem_bound_clique(const struct sw_problem *problem, uint32_t *count) {
    *count = problem->clique_count;
    return problem->clique;
}
