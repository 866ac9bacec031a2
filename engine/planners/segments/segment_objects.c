/* segment-genetic, rules 1 to 3: from accesses to objects in order. */
#include "planners/segments/segment_genetic.h"
#include "base/base.h"
#include "base/sort.h"

#include "layout/cost.h"

/* ---- rule 1: which buffers move, and when they are accessed ---- */

bool sw_segments_movable(const struct sw_problem *problem, const struct sw_rules *rules, uint32_t buffer) {
    const struct sw_buffer *b = sw_problem_buffer(problem, buffer);
    struct sw_pin pin;
    bool elsewhere = sw_problem_tier_count(problem) == 1 || (sw_place_tiers(problem, buffer) & ~UINT64_C(1)) != 0;
    return b->planned && b->size > 0 && (b->tiers & 1) && b->tier == SW_NONE && elsewhere &&
           !sw_rules_pin(problem, rules, buffer, &pin);
}

SW_BY_FIELDS(compare_accesses, struct sw_access, SW_UP(step), SW_UP(buffer))

/* Keep the accesses of movables and number these in listed order. */
static bool number_movables(struct sw_movables *m, const struct sw_problem *problem, const struct sw_rules *rules) {
    uint32_t buffers = sw_problem_buffer_count(problem);
    uint32_t *index = SW_NEW(uint32_t, buffers);
    m->buffers = SW_NEW_IN(&m->room, uint32_t, buffers);
    if (!index || !m->buffers) {
        SW_FREE(index, buffers);
        return false;
    }
    for (uint32_t b = 0; b < buffers; b++) {
        index[b] = SW_NONE;
        if (sw_segments_movable(problem, rules, b)) {
            index[b] = m->count;
            m->buffers[m->count++] = b;
        }
    }
    size_t kept = 0;
    for (size_t i = 0; i < m->order.count; i++) {
        struct sw_access a = m->order.items[i];
        if (index[a.buffer] != SW_NONE) {
            m->order.items[kept++] = (struct sw_access){a.step, index[a.buffer]};
        }
    }
    m->order.count = kept;
    sw_sort(m->order.items, kept, sizeof *m->order.items, compare_accesses);
    SW_FREE(index, buffers);
    return true;
}

/* ---- rule 2: merging ---- */

/* Count the accesses that continue a run: the object was also accessed at the last step before it that has
 * any accesses. */
static bool count_joined(struct sw_movables *m) {
    uint32_t *last = SW_NEW(uint32_t, m->count);
    if (!last) {
        return false;
    }
    sw_fill_none(last, m->count);
    uint32_t place = 0; /* of the step among those with accesses */
    for (size_t i = 0; i < m->order.count; i++) {
        place += i > 0 && m->order.items[i].step != m->order.items[i - 1].step;
        uint32_t object = m->order.items[i].buffer;
        m->joined += last[object] != SW_NONE && last[object] + 1 == place;
        last[object] = place;
    }
    SW_FREE(last, m->count);
    return true;
}

struct grouping {
    const struct sw_problem *problem;
    struct sw_movables *m;
    uint32_t *first, *last; /* steps, per movable */
    uint64_t below, largest;
};

static uint64_t movable_size(const struct grouping *g, uint32_t movable) {
    return sw_problem_buffer(g->problem, g->m->buffers[movable])->size;
}

/* What a member may need in a merged object. */
static uint64_t object_room(const struct sw_buffer *b) {
    return b->size + (b->alignment - 1);
}

/* The longest run from entry `from` on, which begins a step. The run's objects are all small, accessed
 * nowhere else, and together no larger than the largest object. */
static struct sw_small_group longest_group(const struct grouping *g, size_t from) {
    const struct sw_accesses *order = &g->m->order;
    struct sw_small_group best = {.from = from, .to = from};
    uint32_t begin = order->items[from].step, end = begin, count = 0;
    uint64_t size = 0, room = 0;
    for (size_t i = from; i < order->count; i++) {
        uint32_t object = order->items[i].buffer, step = order->items[i].step;
        if (movable_size(g, object) >= g->below || g->first[object] < begin) {
            break;
        }
        if (g->first[object] == step) {
            count++;
            size += movable_size(g, object);
            room += object_room(sw_problem_buffer(g->problem, g->m->buffers[object]));
        }
        if (room > g->largest) {
            break;
        }
        end = SW_MAX(g->last[object], end);
        bool whole_step = i + 1 == order->count || order->items[i + 1].step != step;
        if (whole_step && end <= step && count > 1) {
            best = (struct sw_small_group){from, i + 1, begin, step, count, size};
        }
    }
    return best;
}

static bool find_separate_groups(struct grouping *g) {
    struct sw_movables *m = g->m;
    for (uint32_t i = 0; i < m->count; i++) {
        g->first[i] = SW_NONE;
        g->largest = SW_MAX(movable_size(g, i), g->largest);
    }
    for (size_t i = 0; i < m->order.count; i++) {
        uint32_t object = m->order.items[i].buffer;
        g->first[object] = g->first[object] == SW_NONE ? m->order.items[i].step : g->first[object];
        g->last[object] = m->order.items[i].step;
    }
    for (size_t i = 0; i < m->order.count;) {
        struct sw_small_group group = longest_group(g, i);
        if (group.count > 1) {
            if (!SW_PUSH(&m->groups, group)) {
                return false;
            }
            i = group.to;
            continue;
        }
        uint32_t step = m->order.items[i].step;
        while (i < m->order.count && m->order.items[i].step == step) {
            i++;
        }
    }
    return true;
}

static bool group_small(struct sw_movables *m, const struct sw_problem *problem, uint64_t below) {
    uint32_t *steps = SW_NEW(uint32_t, 2 * (size_t)m->count);
    struct grouping g = {.problem = problem, .m = m, .below = below, .first = steps, .last = steps + m->count};
    bool ok = steps && find_separate_groups(&g);
    SW_FREE(steps, 2 * (size_t)m->count);
    return ok;
}

struct sw_movables *sw_movables_new(const struct sw_problem *problem, const struct sw_rules *rules, uint64_t below) {
    struct sw_movables *m = SW_NEW_ZERO(struct sw_movables, 1);
    if (!m) {
        return NULL;
    }
    m->owners = 1;
    if (!sw_problem_access_order(problem, &m->order) || !number_movables(m, problem, rules) || !count_joined(m) ||
        (below > 0 && !group_small(m, problem, below))) {
        sw_movables_drop(m);
        return NULL;
    }
    return m;
}

void sw_movables_drop(struct sw_movables *m) {
    if (m && --m->owners == 0) {
        sw_arena_done(&m->room);
        sw_accesses_done(&m->order);
        SW_ARRAY_DONE(&m->groups);
        SW_FREE(m, 1);
    }
}

/* ---- rule 3: objects, sorted ---- */

/* Which object each movable belongs to, by the rank of the object's first member. */
static void lead_groups(const struct sw_movables *m, const bool *split, uint32_t *leader) {
    for (uint32_t i = 0; i < m->count; i++) {
        leader[i] = i;
    }
    for (size_t g = 0; g < m->groups.count; g++) {
        const struct sw_small_group *group = &m->groups.items[g];
        uint32_t least = SW_NONE;
        for (size_t i = group->from; i < group->to && !(split && split[g]); i++) {
            least = SW_MIN(m->order.items[i].buffer, least);
        }
        for (size_t i = group->from; i < group->to && !(split && split[g]); i++) {
            leader[m->order.items[i].buffer] = least;
        }
    }
}

SW_BY_FIELDS(compare_objects, struct sw_object, SW_DOWN(size), SW_UP(first), SW_UP(rank))

struct objects_making {
    const struct sw_problem *problem;
    const struct sw_movables *m;
    struct sw_objects *o;
    uint32_t *leader;                /* per movable */
    uint32_t *number;                /* per movable: the object it is in */
    uint32_t *last_run, *last_place; /* per object */
};

static void gather_objects(struct objects_making *k) {
    struct sw_objects *o = k->o;
    for (uint32_t i = 0; i < k->m->count; i++) {
        const struct sw_buffer *b = sw_problem_buffer(k->problem, k->m->buffers[i]);
        uint32_t lead = k->leader[i];
        if (lead == i) {
            k->number[i] = o->count;
            o->items[o->count++] =
                (struct sw_object){.alignment = b->alignment, .room = 1 - b->alignment, .first = SW_NONE, .rank = i};
        }
        struct sw_object *object = &o->items[k->number[lead]];
        object->size += b->size;
        object->room += object_room(b); /* the first one lies aligned */
        object->members++;
        o->plain = o->plain && b->alignment == 1;
    }
    for (size_t i = k->m->order.count; i-- > 0;) {
        uint32_t lead = k->leader[k->m->order.items[i].buffer];
        o->items[k->number[lead]].first = k->m->order.items[i].step;
    }
}

static void number_objects(struct objects_making *k) {
    struct sw_objects *o = k->o;
    sw_sort(o->items, o->count, sizeof *o->items, compare_objects);
    uint32_t at = 0;
    for (uint32_t i = 0; i < o->count; i++) {
        k->number[o->items[i].rank] = i;
        o->items[i].member = at;
        at += o->items[i].members;
        o->items[i].members = 0;
    }
    for (uint32_t i = 0; i < k->m->count; i++) {
        k->number[i] = k->number[k->leader[i]]; /* the leader comes first and is numbered */
        struct sw_object *object = &o->items[k->number[i]];
        o->members[object->member + object->members++] = k->m->buffers[i];
    }
}

/* Steps of an object's accesses, each once, joined into runs when no step in between has accesses. */
static void make_runs(struct objects_making *k, bool join) {
    struct sw_objects *o = k->o;
    uint32_t place = 0, *last_run = k->last_run, *last_place = k->last_place;
    sw_fill_none(last_run, o->count);
    for (size_t i = 0; i < k->m->order.count; i++) {
        const struct sw_access *a = &k->m->order.items[i];
        place += i > 0 && a->step != k->m->order.items[i - 1].step;
        uint32_t object = k->number[a->buffer], run = last_run[object];
        if (run != SW_NONE && (last_place[object] == place || (join && last_place[object] + 1 == place))) {
            o->runs[run].last = a->step;
        } else {
            last_run[object] = (uint32_t)o->run_count;
            o->runs[o->run_count++] =
                (struct sw_access_run){.first = a->step, .last = a->step, .object = object, .in = run != SW_NONE};
            if (run != SW_NONE) {
                o->runs[run].out = 1;
            }
        }
        last_place[object] = place;
    }
}

SW_BY_FIELDS(compare_runs, struct sw_access_run, SW_UP(first), SW_UP(object))

/* What a change counts; false when the worst sum would not fit into 63 bits. */
static bool price_runs(struct sw_objects *o, bool literal) {
    uint64_t sum = 0;
    sw_sort(o->runs, o->run_count, sizeof *o->runs, compare_runs);
    for (size_t i = 0; i < o->run_count; i++) {
        struct sw_access_run *run = &o->runs[i];
        uint64_t size = o->items[run->object].size;
        run->moves = (run->in || literal ? 1u : 0) | (run->out || literal ? 2u : 0);
        run->in = run->moves & 1 ? size : 0;
        run->out = run->moves & 2 ? size : 0;
        if (size > INT64_MAX / 2 || sum > INT64_MAX - 2 * size) {
            return false;
        }
        sum += 2 * size;
    }
    return true;
}

bool sw_segments_add_cost(const struct sw_run *run, uint32_t buffer, uint32_t step, double *sum) {
    uint32_t host = sw_segments_host(run->problem, buffer);
    double there = 0, here = 0;
    if (!sw_cost_of_one(run->problem, run->params->cost, buffer, step, 0, &here, run->error) ||
        (host != SW_NONE && !sw_cost_of_one(run->problem, run->params->cost, buffer, step, host, &there, run->error))) {
        return false;
    }
    *sum = *sum + here + there; /* one after the other: the order of sums shows */
    return true;
}

/* What moving an object costs, before a step: all its members, at both ends. */
static bool price_object_move(const struct sw_objects *o, const struct sw_run *run, uint32_t object, uint32_t step,
                              uint64_t *price) {
    const struct sw_object *item = &o->items[object];
    uint32_t steps = sw_problem_steps(run->problem);
    double sum = 0;
    step = step < steps ? step : steps - 1;
    for (uint32_t i = 0; i < item->members; i++) {
        if (!sw_segments_add_cost(run, o->members[item->member + i], step, &sum)) {
            return false;
        }
    }
    if (sum < 0 || sum > 1e12) {
        return sw_fail(run->error, SW_ERROR_UNSUPPORTED,
                       "fitness=cost: a move that costs %.6g; it must be from 0 to 1e12", sum);
    }
    *price = (uint64_t)(sum * SW_SEGMENT_COST + 0.5);
    return true;
}

bool sw_objects_price(struct sw_objects *o, const struct sw_run *run) {
    uint64_t sum = 0;
    for (size_t i = 0; i < o->run_count; i++) {
        struct sw_access_run *r = &o->runs[i];
        if ((r->moves & 1 && !price_object_move(o, run, r->object, r->first, &r->in)) ||
            (r->moves & 2 && !price_object_move(o, run, r->object, r->last + 1, &r->out))) {
            return false;
        }
        sum += r->in + r->out;
        if (sum > INT64_MAX) {
            return sw_fail(run->error, SW_ERROR_UNSUPPORTED, "fitness=cost: all moves cost too much");
        }
    }
    return true;
}

static bool mask_runs(struct sw_objects *o) {
    o->words = (o->run_count + 63) / 64;
    if (o->words == 0 || o->count > ((size_t)1 << 20) / o->words) {
        return true;
    }
    o->masks = SW_NEW_IN(&o->room, uint64_t, o->count * o->words);
    for (size_t i = 0; o->masks && i < o->run_count; i++) {
        o->masks[o->runs[i].object * o->words + i / 64] |= UINT64_C(1) << i % 64;
    }
    return o->masks != NULL;
}

static bool add_pair(struct objects_making *k, const uint32_t *movable, uint32_t a, uint32_t b) {
    if (movable[a] == SW_NONE || movable[b] == SW_NONE) {
        return true;
    }
    uint32_t x = k->number[movable[a]], y = k->number[movable[b]];
    return x == y || SW_PUSH(&k->o->apart, (struct sw_object_pair){x, y});
}

/* Buffers kept separate; and on several cores, where the access order is not the order in which
 * things happen, all that conflict. */
static bool keep_apart(struct objects_making *k) {
    uint32_t buffers = sw_problem_buffer_count(k->problem);
    size_t count;
    const uint32_t(*separate)[2] = sw_problem_separate(k->problem, &count);
    bool cores = sw_problem_core_count(k->problem) > 1, ok = true;
    if (count == 0 && !cores) {
        return true;
    }
    uint32_t *movable = SW_NEW(uint32_t, buffers);
    sw_fill_none(movable, movable ? buffers : 0);
    for (uint32_t i = 0; movable && i < k->m->count; i++) {
        movable[k->m->buffers[i]] = i;
    }
    for (size_t i = 0; movable && ok && i < count && !cores; i++) {
        ok = add_pair(k, movable, separate[i][0], separate[i][1]);
    }
    for (uint32_t a = 0; movable && cores && a < buffers; a++) {
        for (uint32_t b = a + 1; ok && b < buffers && movable[a] != SW_NONE; b++) {
            ok = movable[b] == SW_NONE || sw_problem_conflict(k->problem, a, b) == SW_CONFLICT_NONE ||
                 add_pair(k, movable, a, b);
        }
    }
    ok = ok && movable;
    SW_FREE(movable, buffers);
    return ok;
}

/* Which objects a range is forbidden to. */
static bool keep_forbids(struct objects_making *k, const struct sw_rules *rules) {
    for (size_t i = 0; rules && i < rules->forbids.count; i++) {
        const struct sw_forbid *f = &rules->forbids.items[i];
        for (uint32_t m = 0; f->tier == 0 && f->buffer != SW_NONE && m < k->m->count; m++) {
            if (k->m->buffers[m] == f->buffer &&
                !SW_PUSH(&k->o->forbids, (struct sw_object_forbid){k->number[m], f->lo, f->hi})) {
                return false;
            }
        }
    }
    k->o->plain = k->o->plain && k->o->forbids.count == 0;
    return true;
}

/* ---- which objects clash ---- */

enum { MOST_CLASHES = 1 << 22 };

struct clash_list {
    SW_ARRAY(struct sw_object_pair) pairs; /* both ways round */
    bool full;
};

static bool add_clash(struct clash_list *list, uint32_t a, uint32_t b) {
    list->full = list->full || list->pairs.count >= MOST_CLASHES;
    return list->full || (SW_PUSH(&list->pairs, (struct sw_object_pair){a, b}) &&
                          SW_PUSH(&list->pairs, (struct sw_object_pair){b, a}));
}

/* Runs that share a step: every run against those that have begun and not ended. */
static bool meet_runs(const struct sw_objects *o, struct clash_list *list) {
    uint32_t *open = SW_NEW(uint32_t, o->run_count);
    size_t count = 0;
    bool ok = open != NULL;
    for (size_t i = 0; ok && i < o->run_count; i++) {
        size_t kept = 0;
        for (size_t k = 0; k < count; k++) {
            if (o->runs[open[k]].last >= o->runs[i].first) {
                open[kept++] = open[k];
            }
        }
        for (size_t k = 0; ok && k < kept && !list->full; k++) {
            ok = add_clash(list, o->runs[open[k]].object, o->runs[i].object);
        }
        open[kept] = (uint32_t)i;
        count = kept + 1;
    }
    SW_FREE(open, o->run_count);
    return ok;
}

SW_BY_FIELDS(compare_separate_pairs, struct sw_object_pair, SW_UP(a), SW_UP(b))

static bool list_clashes(struct sw_objects *o) {
    struct clash_list list = {.full = false};
    bool ok = meet_runs(o, &list);
    for (size_t i = 0; ok && i < o->apart.count; i++) {
        ok = add_clash(&list, o->apart.items[i].a, o->apart.items[i].b);
    }
    size_t count = ok && !list.full ? sw_sort_unique(list.pairs.items, list.pairs.count, sizeof *list.pairs.items,
                                                     compare_separate_pairs)
                                    : 0;
    o->clash_begin = SW_NEW_IN(&o->room, size_t, (size_t)o->count + 1);
    o->clashes = SW_NEW_IN(&o->room, uint32_t, count);
    ok = ok && o->clash_begin && o->clashes;
    for (size_t i = 0; ok && i < count; i++) {
        o->clashes[i] = list.pairs.items[i].b;
        o->clash_begin[list.pairs.items[i].a + 1] = i + 1;
    }
    for (uint32_t i = 0; ok && i < o->count; i++) { /* no clashes: an empty slice */
        o->clash_begin[i + 1] = SW_MAX(o->clash_begin[i + 1], o->clash_begin[i]);
    }
    SW_ARRAY_DONE(&list.pairs);
    return ok;
}

static bool fill_objects(struct objects_making *k, const struct sw_rules *rules, const bool *split, bool join,
                         bool literal, bool *too_large) {
    struct sw_objects *o = k->o;
    o->items = SW_NEW_IN(&o->room, struct sw_object, k->m->count);
    o->members = SW_NEW_IN(&o->room, uint32_t, k->m->count);
    o->runs = SW_NEW_IN(&o->room, struct sw_access_run, k->m->order.count);
    if (!o->items || !o->members || !o->runs) {
        return false;
    }
    lead_groups(k->m, split, k->leader);
    gather_objects(k);
    number_objects(k);
    make_runs(k, join);
    *too_large = !price_runs(o, literal);
    return !*too_large && mask_runs(o) && keep_apart(k) && keep_forbids(k, rules) && list_clashes(o);
}

struct sw_objects *sw_objects_new(const struct sw_problem *problem, const struct sw_rules *rules,
                                  const struct sw_movables *m, const bool *split, bool runs, bool literal,
                                  struct sw_error *error) {
    struct sw_objects *o = SW_NEW_ZERO(struct sw_objects, 1);
    size_t n = m->count;
    uint32_t *scratch = SW_NEW(uint32_t, 4 * n);
    bool too_large = false, ok = o && scratch;
    if (o) {
        *o = (struct sw_objects){.owners = 1, .plain = true};
    }
    if (ok) {
        struct objects_making k = {problem, m, o, scratch, scratch + n, scratch + 2 * n, scratch + 3 * n};
        ok = fill_objects(&k, rules, split, runs, literal, &too_large);
    }
    SW_FREE(scratch, 4 * n);
    if (!ok) {
        sw_objects_drop(o);
        if (too_large) {
            sw_fail(error, SW_ERROR_UNSUPPORTED, "the sizes times the accesses exceed 2^63 bytes");
        } else {
            sw_fail_memory(error);
        }
        return NULL;
    }
    return o;
}

void sw_objects_drop(struct sw_objects *o) {
    if (o && --o->owners == 0) {
        sw_arena_done(&o->room);
        SW_ARRAY_DONE(&o->apart);
        SW_ARRAY_DONE(&o->forbids);
        SW_FREE(o, 1);
    }
}
