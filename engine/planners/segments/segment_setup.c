/* segment-genetic, rules 1 to 6: from the problem to a population, decision by decision. */
#include "planners/segments/segment_state.h"
#include "base/base.h"

static const char *device_name(const struct sw_run *run) {
    return sw_problem_tier(run->problem, 0)->name;
}

/* ---- rules 1 to 3 ---- */

static enum sw_segment_outcome find_movables(const struct sw_segment_move *m) {
    struct sw_segment_state *g = m->g;
    struct sw_movables *movables = sw_movables_new(m->run->problem, &m->run->rules, g->set.group ? g->set.below : 0);
    bool *split = movables ? SW_NEW_ZERO(bool, movables->groups.count) : NULL;
    bool ok = movables && split;
    if (!ok) {
        sw_fail_memory(m->run->error);
    }
    if (!ok || !sw_segments_settle(m->run)) {
        SW_FREE(split, movables ? movables->groups.count : 0);
        sw_movables_drop(movables);
        return SEGMENT_FAILED;
    }
    m->run->work += movables->order.count;
    g->movables = movables;
    g->split = split;
    g->phase = g->set.join ? SEGMENT_JOIN : g->set.group ? SEGMENT_GROUP : SEGMENT_SORT;
    return SEGMENT_PASSED;
}

static enum sw_segment_outcome join_runs(const struct sw_segment_move *m) {
    struct sw_segment_state *g = m->g;
    if (!sw_segment_begin_unchosen(m, SW_DECISION_MERGE,
                                   g->movables->joined ? "no other object is accessed in between"
                                                       : "no object has neighboring accesses to join")) {
        return SEGMENT_FAILED;
    }
    m->d->merge.count = g->movables->joined;
    g->phase = g->set.group ? SEGMENT_GROUP : SEGMENT_SORT;
    return SW_EXPLAIN(m->run->explain, SW_VERDICT_CHOSEN, SW_NONE, 0, 0,
                      "%llu of %zu accesses continue the run of the one before: no other object is "
                      "accessed in between",
                      (ull)g->movables->joined, g->movables->order.count)
               ? SEGMENT_DECIDED
               : sw_segment_no_memory(m);
}

static enum sw_segment_outcome no_groups(const struct sw_segment_move *m) {
    if (!sw_segment_begin_unchosen(m, SW_DECISION_MERGE,
                                   "no small objects have a stretch of the accesses to themselves")) {
        return SEGMENT_FAILED;
    }
    m->g->phase = SEGMENT_SORT;
    return SW_EXPLAIN(m->run->explain, SW_VERDICT_CHOSEN, SW_NONE, 0, 0, "no group was found: small means below %s",
                      SW_BYTES(m->g->set.below))
               ? SEGMENT_DECIDED
               : sw_segment_no_memory(m);
}

static enum sw_segment_outcome merge_group(const struct sw_segment_move *m) {
    struct sw_segment_state *g = m->g;
    size_t count = g->movables->groups.count;
    if (count == 0) {
        return no_groups(m);
    }
    const struct sw_small_group *group = &g->movables->groups.items[g->at];
    const struct sw_access *accesses = g->movables->order.items;
    uint32_t picked;
    sw_segment_begin(m, SW_DECISION_MERGE, "they are small and have a stretch of the accesses to themselves");
    if (!sw_segment_pick(m, 2, 0, &picked)) {
        return SEGMENT_FAILED;
    }
    m->d->buffer = g->movables->buffers[accesses[group->from].buffer];
    m->d->size = group->size;
    m->d->merge.count = group->count;
    m->d->reason = picked ? "kept apart by the user" : m->d->reason;
    bool ok = SW_EXPLAIN(m->run->explain, picked ? SW_VERDICT_FITS : SW_VERDICT_CHOSEN, SW_NONE, 0, group->size,
                         "%u objects accessed at time %lld to %lld, and no other object then, move as one of %s",
                         (unsigned)group->count, (long long)sw_problem_time(m->run->problem, group->first),
                         (long long)sw_problem_time(m->run->problem, group->last), SW_BYTES(group->size)) &&
              SW_EXPLAIN(m->run->explain, picked ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS, SW_NONE, 0, group->size,
                         "each moves on its own");
    g->split[g->at] = picked != 0;
    g->at++;
    if (g->at == count) {
        g->phase = SEGMENT_SORT;
        g->at = 0;
    }
    return ok ? SEGMENT_DECIDED : sw_segment_no_memory(m);
}

static bool explain_order(const struct sw_segment_move *m) {
    const struct sw_objects *o = m->g->objects;
    char name[SW_SHORT_NAME];
    for (uint32_t i = 0; m->run->explain && i < o->count; i++) {
        const struct sw_object *item = &o->items[i];
        if (!SW_EXPLAIN(m->run->explain, SW_VERDICT_FITS, SW_NONE, 0, item->size,
                        "number %u is %s (%s), first accessed at time %lld", (unsigned)i + 1,
                        sw_segment_object_name(m, i, name), SW_BYTES(item->size),
                        (long long)sw_problem_time(m->run->problem, item->first))) {
            return false;
        }
    }
    return true;
}

static enum sw_segment_outcome sort_objects(const struct sw_segment_move *m) {
    struct sw_segment_state *g = m->g;
    if (!sw_segment_begin_unchosen(m, SW_DECISION_SORT, "the largest first, then by first access")) {
        return SEGMENT_FAILED;
    }
    g->objects = sw_objects_new(m->run->problem, &m->run->rules, g->movables, g->split, g->set.join, g->set.literal,
                                m->run->error);
    if (!g->objects || (g->set.by_cost && !g->set.by_whole && !sw_objects_price(g->objects, m->run))) {
        sw_objects_drop(g->objects);
        g->objects = NULL;
        return SEGMENT_FAILED;
    }
    g->objects->careful = g->set.careful;
    m->d->sort.objects = g->objects->count;
    m->d->candidates = g->objects->count;
    m->run->work += g->objects->count + g->objects->run_count;
    g->best.objects = g->objects->count;
    g->best.sequence = SW_NEW(uint32_t, g->objects->count);
    if (!g->best.sequence) {
        return sw_segment_no_memory(m);
    }
    g->k = 0;
    g->phase = g->objects->count ? SEGMENT_CHOOSE : SEGMENT_FINISH;
    return explain_order(m) ? SEGMENT_DECIDED : sw_segment_no_memory(m);
}

/* ---- rules 4 and 5 ---- */

static bool explain_counts(const struct sw_segment_move *m, uint32_t picked) {
    const struct sw_segment_state *g = m->g;
    const struct sw_objects *o = g->objects;
    uint64_t sum = 0, capacity = sw_problem_tier(m->run->problem, 0)->capacity;
    char name[SW_SHORT_NAME];
    for (uint32_t k = 1; m->run->explain && k <= g->largest->count; k++) {
        sum += g->largest->segments[k - 1].size;
        if (!SW_EXPLAIN(m->run->explain, k == picked ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS, SW_NONE, 0, sum,
                        "%sK = %u, the last segment for %s: %s of %s", k == picked ? "chosen: " : "", (unsigned)k,
                        sw_segment_object_name(m, g->largest->segments[k - 1].owner, name), SW_BYTES(sum),
                        SW_BYTES(capacity))) {
            return false;
        }
    }
    if (!m->run->explain || g->refused == SW_NONE) {
        return true;
    }
    uint64_t room = o->items[g->refused].room;
    return SW_EXPLAIN(m->run->explain, SW_VERDICT_REFUSED, SW_NONE, 0, sum + room,
                      "%s (%s) refused a segment: %s of %s are taken, and no free range of %s is left",
                      sw_segment_object_name(m, g->refused, name), SW_BYTES(room), SW_BYTES(sum), device_name(m->run),
                      SW_BYTES(room));
}

/* The choice cannot be carried out. */
static bool check_count(const struct sw_segment_move *m, uint32_t k) {
    const struct sw_segment_state *g = m->g;
    if (g->largest->count == 0) {
        return sw_fail(m->run->error, SW_ERROR_INFEASIBLE, "%s (%s) does not fit into %s", sw_segment_whole_name(m, 0),
                       SW_BYTES(g->objects->items[0].size), device_name(m->run));
    }
    return k <= g->largest->count || sw_fail(m->run->error, SW_ERROR_USAGE,
                                             "parameter k of segment-genetic is %u, and only %u segments fit into %s",
                                             (unsigned)k, (unsigned)g->largest->count, device_name(m->run));
}

static const char *const how_chosen[] = {
    [SW_CHOOSE_TOGETHER] = "what operators need at once, then the largest objects that still fit",
    [SW_CHOOSE_EVEN] = "what operators need at once, in sizes as large as there is room for",
    [SW_CHOOSE_SHARES] = "what operators need at once, then each size by its share of all bytes",
    [SW_CHOOSE_FULLEST] = "what operators need at once, then each size by its share of the fullest step",
    [SW_CHOOSE_LASTING] =
        "what operators need at once, then each size by its share of all bytes and the steps they last",
    [SW_CHOOSE_RANKS] = "as many of the largest objects as fit together",
    [SW_CHOOSE_DISTINCT] = "as many of the largest objects as fit together"};

static enum sw_segment_outcome choose_count(const struct sw_segment_move *m) {
    struct sw_segment_state *g = m->g;
    uint32_t picked;
    if (!g->largest) {
        uint64_t looked;
        g->largest = sw_partition_largest(m->run, g->objects, &g->set.choose, g->set.free_owners, &g->refused, &looked);
        m->run->work += looked;
    }
    if (!g->largest) {
        return sw_segment_no_memory(m);
    }
    uint32_t k = g->set.mode == SEGMENT_K_GIVEN ? g->set.k : g->k > 0 ? g->k : g->largest->count;
    sw_segment_begin(m, SW_DECISION_CHOOSE,
                     g->set.mode == SEGMENT_K_ALL     ? "every number of segments is tried"
                     : g->set.mode == SEGMENT_K_GIVEN ? "as many segments as parameter k says"
                                                      : how_chosen[g->set.choose]);
    if (!check_count(m, k)) {
        return SEGMENT_FAILED;
    }
    bool more = g->refused != SW_NONE; /* one candidate is refused */
    if (more && m->run->choice == (int64_t)g->largest->count) {
        sw_place_no_candidate(m->run, g->largest->count + 1);
        return SEGMENT_FAILED;
    }
    if (!sw_segment_pick(m, g->largest->count, k - 1, &picked)) {
        return SEGMENT_FAILED;
    }
    m->d->candidates = g->largest->count + more;
    m->d->reason = m->d->forced ? "chosen by the user" : m->d->reason;
    g->k = m->d->choose.chosen = picked + 1;
    for (uint32_t i = 0; i < g->k; i++) {
        m->d->size += g->largest->segments[i].size;
    }
    m->d->choose.segments = g->k;
    g->phase = SEGMENT_CUT;
    return explain_counts(m, g->k) ? SEGMENT_DECIDED : sw_segment_no_memory(m);
}

static bool explain_segments(const struct sw_segment_move *m) {
    const struct sw_partition *p = m->g->partition;
    char name[SW_SHORT_NAME];
    for (uint32_t s = 0; m->run->explain && s < p->count; s++) {
        const struct sw_segment *segment = &p->segments[s];
        if (!SW_EXPLAIN(m->run->explain, SW_VERDICT_FITS, 0, segment->lo, segment->size,
                        "segment %u, %s at %s+%llu, belongs to %s", (unsigned)s, SW_BYTES(segment->size),
                        device_name(m->run), (ull)segment->lo, sw_segment_object_name(m, segment->owner, name))) {
            return false;
        }
    }
    return true;
}

static enum sw_segment_outcome cut_segments(const struct sw_segment_move *m) {
    struct sw_segment_state *g = m->g;
    if (!sw_segment_begin_unchosen(m, SW_DECISION_PARTITION,
                                   g->set.free_owners ? "one segment for each chosen object, which lies there at first"
                                                      : "one segment for each chosen object, which never leaves it")) {
        return SEGMENT_FAILED;
    }
    struct sw_partition *p = sw_partition_first(g->largest, g->objects, g->k);
    struct sw_sequences fresh;
    if (!p || !sw_sequences_init(&fresh, g->objects, g->k, g->set.population)) {
        sw_partition_drop(p);
        return sw_segment_no_memory(m);
    }
    sw_partition_drop(g->partition);
    sw_described_done(&sw_sequences_described, &g->population);
    g->partition = p;
    g->population = fresh;
    g->here = (struct sw_segment_fitness){UINT64_MAX, UINT64_MAX, 0};
    g->random = sw_segment_seed(m->run);
    g->draws = 0;
    g->seed = g->set.seeded && !(m->run->params->breeding && m->run->params->breeding->draw) ? 0 : SW_GREEDY_ORDERS;
    g->round = 0;
    g->past.count = 0;
    g->exhausted = false;
    m->d->partition.segments = m->d->candidates = p->count;
    for (uint32_t s = 0; s < p->count; s++) {
        m->d->size += p->segments[s].size;
    }
    g->phase = SEGMENT_DRAW;
    return explain_segments(m) ? SEGMENT_DECIDED : sw_segment_no_memory(m);
}

/* ---- rule 6 ---- */

/* The next greedy sequence that is not there yet; PASSED when there is none. */
static enum sw_segment_outcome seed_member(const struct sw_segment_move *m) {
    static const char *const how[SW_GREEDY_ORDERS] = {
        [SW_GREEDY_ACCESS] = "by first access, each object to where it adds least; then objects move while that saves",
        [SW_GREEDY_SIZE] = "large to small, each object to where it adds least; then objects move while that saves",
        [SW_GREEDY_NEXT_USE] =
            "by first access, each to where the next access is farthest; then objects move while that saves",
        [SW_GREEDY_TIGHT] = "those with the fewest segments left first; then objects move while that saves",
        [SW_GREEDY_BEAM] =
            "many side by side in the order of time, the best goes on; then objects move while that saves"};
    struct sw_segment_state *g = m->g;
    struct sw_sequence_hooks room;
    while (g->seed < (g->here.clashes ? SW_GREEDY_ORDERS : SW_GREEDY_BEAM)) {
        uint32_t order = g->seed, homeless;
        uint64_t looked;
        enum sw_drawn drawn = sw_sequences_seed(&g->population, g->objects, g->partition, sw_segment_hooks(m, &room),
                                                order, &looked, &homeless);
        if (drawn == SW_DRAWN_FAILED) {
            return SEGMENT_FAILED;
        }
        if (drawn == SW_DRAWN_NO_MEMORY) {
            return sw_segment_no_memory(m);
        }
        g->seed++;
        m->run->work += looked;
        sw_segment_count_work(m);
        if (drawn == SW_DRAWN_NEW) {
            m->d->reason = how[order];
            sw_segment_consider(g, g->population.count - 1);
            return SEGMENT_DECIDED;
        }
    }
    return SEGMENT_PASSED;
}

static enum sw_segment_outcome individual(const struct sw_segment_move *m) {
    struct sw_segment_state *g = m->g;
    if (g->population.count == g->set.population) {
        g->phase = SEGMENT_FIRST;
        return SEGMENT_PASSED;
    }
    if (!sw_segment_begin_unchosen(m, SW_DECISION_INDIVIDUAL,
                                   "each object but the chosen ones is in a random segment that it fits")) {
        return SEGMENT_FAILED;
    }
    uint32_t seed = g->seed;
    uint64_t evaluations = g->evaluations, work = m->run->work;
    enum sw_segment_outcome drawn = seed_member(m);
    if (drawn == SEGMENT_PASSED) {
        drawn = sw_segment_draw(m, UINT64_C(4) * g->set.population);
    }
    if (drawn == SEGMENT_FAILED) { /* which leaves no trace */
        g->seed = seed;
        g->evaluations = evaluations;
        m->run->work = work;
    }
    if (drawn != SEGMENT_DECIDED) {
        g->phase = drawn == SEGMENT_PASSED ? SEGMENT_FIRST : g->phase;
        return drawn;
    }
    uint32_t i = g->population.count - 1;
    m->d->individual.member = i;
    m->d->individual.layout = m->g->set.by_whole;
    sw_segment_figured(m, NULL, g->population.members[i].fitness, &m->d->individual.fitness);
    sw_segment_figure(m, g->population.members[i].fitness);
    return sw_segment_explain_member(m, i) ? SEGMENT_DECIDED : sw_segment_no_memory(m);
}

void sw_segment_begin_round(struct sw_segment_state *g) {
    g->phase = g->round < g->set.rounds ? SEGMENT_CROSS : SEGMENT_FINISH;
    g->at = 0;
    g->group++;
    uint32_t count = g->population.count;
    for (uint32_t i = 0; i < count; i++) {
        g->shuffle[i] = i;
    }
    g->crossed = (uint32_t)((uint64_t)count * g->set.crossover / SEGMENT_MILLION);
    g->crossed -= g->set.parents == 2 ? g->crossed % 2 : 0;
    sw_segments_lot(&g->random, g->shuffle, count, g->crossed);
}

static enum sw_segment_outcome evaluate_first(const struct sw_segment_move *m) {
    struct sw_segment_state *g = m->g;
    if (!sw_segment_begin_unchosen(m, SW_DECISION_EVALUATE_POPULATION, "the best of the first population")) {
        return SEGMENT_FAILED;
    }
    m->d->evaluate_population.segments = g->k;
    sw_segment_figure(m, g->here);
    double spread[3];
    sw_segment_spread(g, spread);
    m->d->evaluate_population.best = spread[0];
    m->d->evaluate_population.mean = spread[1];
    m->d->evaluate_population.worst = spread[2];
    if (!sw_segment_show(m)) {
        return SEGMENT_FAILED;
    }
    sw_segment_begin_round(g);
    for (uint32_t i = 0; m->run->explain && i < g->population.count; i++) {
        if (!sw_segment_explain_member(m, i)) {
            return sw_segment_no_memory(m);
        }
    }
    return SEGMENT_DECIDED;
}

enum sw_segment_outcome sw_segment_prepare(const struct sw_segment_move *m) {
    static enum sw_segment_outcome (*const phases[])(const struct sw_segment_move *) = {
        [SEGMENT_START] = find_movables, [SEGMENT_JOIN] = join_runs,      [SEGMENT_GROUP] = merge_group,
        [SEGMENT_SORT] = sort_objects,   [SEGMENT_CHOOSE] = choose_count, [SEGMENT_CUT] = cut_segments,
        [SEGMENT_DRAW] = individual,     [SEGMENT_FIRST] = evaluate_first};
    return phases[m->g->phase](m);
}
