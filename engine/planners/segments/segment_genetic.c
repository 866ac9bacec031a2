/* segment-genetic: device memory reuse with the least data migration, by evolution.
 *
 * The idea. The device is too small for everything, but everything lies in the memory of the host,
 * which is unbounded. So the device is cut into a few segments, and every object is assigned to one of
 * them. An object that is accessed must be in its segment; the object that is resident there has to
 * leave, back to the host. Moving costs time, so the question is which objects share a segment: best
 * are objects with accesses that do not alternate. There are too many assignments to try them all; a
 * population of them is bred instead.
 *
 * The rules, numbered as in the specification:
 *
 * 1. Device memory is tier 0. Objects are the buffers that may be in tier 0 and elsewhere; what is
 *    pinned, or fixed to a tier, is placed once for life and its bytes are no part of any segment. The
 *    access positions of an object are the steps of the operators that touch it (or those the file
 *    lists); a buffer that no operator touches counts as touched at its birth. Objects move as wholes:
 *    holes in lifetimes and byte windows are taken by their hull.
 * 2. Merge (`merge`=none|runs|objects|both). Runs: neighboring accesses of one object with no other
 *    object's in between become one access run. Objects: small objects (below `merge_below` bytes, by
 *    default 1/64 of the capacity) that have a stretch of the access order to themselves become one
 *    object, side by side. The stretches are found from left to right, each as long as the merged
 *    object stays no larger than the largest object.
 * 3. Sort by size, the largest first, ties by first access, then as listed.
 * 4. Choose K objects (`choose`=ranks: the first K; distinct: the K largest of different sizes) that
 *    fit into the device together; `k`=largest takes as many as fit, a number that many, all
 *    tries every K, the largest first, each with the same random numbers: so it is never worse.
 *    Of all objects that are the n-th largest of an operator the largest is needed, for each n: every
 *    sequence has a segment of at least its size. together takes what is needed, then the largest that
 *    still fit; even does so with each that is needed replaced by the largest for which there is room;
 *    shares, fullest and lasting then give each size the part of the device that its objects have of all
 *    bytes, of those at the fullest step, or of bytes times steps. best (the default) makes greedy
 *    sequences for each of these and for ranks, and takes the choice where they move least.
 * 5. Partition: one segment for each, of its size, at the lowest address that is free. The object it
 *    is made for, its owner, lies in it at first. With `owners`=free it may be exchanged like any other,
 *    as long as each fits where it goes, and the segment keeps its size; fixed: it never leaves it.
 * 6. Population: `population` different sequences, or what 4 x population draws find. In a draw
 *    every other object goes, large to small, to a segment it fits, all equally likely. With
 *    `draw`=apart a segment that holds an object of the same operator already is no fit, unless there
 *    is no other; any looks at sizes only. With `seeds`=greedy the first members are greedy
 *    sequences (segment_board.c says how they are made); the others are drawn.
 * 7. Loop. Crossover: a share (`crossover`) of the population becomes parents, at random two at a
 *    time, or two to `parents`, a number that is drawn; for a random segment half (rounded up) of the
 *    objects that any of them has there are exchanged: each parent takes the segments that these have
 *    in the next one, the last those of the first. Mutation: with a probability that grows from
 *    `mutation_first` to `mutation_last` over the rounds, two objects of different segments change
 *    places, or two to `exchange`, a number that is drawn, go round in a ring; where that many do not
 *    fit, fewer. With `partner`=saving an object is exchanged with the one of up to 64 that saves most.
 *    A crossover that would change nothing is none; with `again` another segment, or another half, is
 *    drawn then. Results replace their originals; the `survivors` with least migration stay, without
 *    `twins` of those that differ, or those that a script selects; new random sequences, different from all others,
 * fill the population up. It ends after `rounds`, or when the best has gained no more than `epsilon` bytes over
 * `patience` rounds. The best sequence ever seen is the answer.
 * 8. Migration, segment by segment: when an access finds another object resident, they change
 *    places. `migration`=need counts the one that leaves if it is accessed again, and the one that
 *    comes if it was accessed before; literal counts both always. The first load of a segment never
 *    counts. `fitness`=bytes counts bytes; cost counts what moving them costs by layout/cost.h or a
 *    script: one read at the source and one write at the target, at the step that brings an object in
 *    or the one after it was used, in parts of 1/1024. Since an object that is accessed is always in
 *    the device, the rest of the cost of a layout is the same for all sequences. `epsilon` is then a
 *    cost, too.
 *
 * Objects that one operator touches must lie in different segments, else the sequence is
 * infeasible: its migration is infinite. Among infeasible sequences the one with fewer such clashes
 * counts as better, so that evolution has a slope to climb. Buffers to be kept separate, and on
 * several cores all that conflict, clash wherever they share a segment.
 *
 * `choices`=plain takes the plain way wherever the publication leaves one open: ranks, no greedy
 * sequences, partners by lot, a larger population.
 *
 * What to watch. Every operator needs as many segments as it touches objects, so a small device may have
 * no feasible sequence at all. When what is needed is more than the device has, that is a proof, and it is
 * said; else the planner says which operator stands in the way. It never splits a segment for two small
 * objects: `branch-and-bound` packs, this planner takes turns.
 *
 * The layout shows the best sequence so far: objects in their segments while resident, in the host
 * while not, a transfer at each change. It is renewed when the population is complete, at each
 * generation, and at the end. Segments never change, so pins and forbidden ranges
 * have to be given before the first decision. A user may keep a group of small objects apart,
 * choose another K, or another segment for a crossover.
 *
 * The state: objects and partition (shared by clones), the population with the migration of every
 * segment of every member, the best sequence, and where the loop stands. Measuring looks only at
 * segments that changed.
 */
#include "planners/segments/segment_state.h"
#include "base/base.h"

/* ---- rule 7: crossover ---- */

static void list_exchanged(const struct sw_segment_move *m, uint32_t count, char *text, size_t size) {
    const uint32_t *list = m->g->population.list;
    char name[SW_SHORT_NAME];
    text[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        if (i == 3 && count > 4) {
            sw_text_add(text, size, " and %u more", (unsigned)(count - i));
            return;
        }
        sw_text_add(text, size, "%s%s", i ? ", " : "", sw_segment_object_name(m, list[i], name));
    }
}

/* Objects of the parents in each segment: before the exchange, so that a user can choose. */
static bool explain_exchanges(const struct sw_segment_move *m, const struct sw_parents *parents, uint32_t picked) {
    const struct sw_partition *p = m->g->partition;
    for (uint32_t s = 0; m->run->explain && s < p->count; s++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < p->free_count; i++) {
            bool there = false;
            for (uint32_t k = 0; k < parents->count; k++) {
                there |= parents->sequences[k][p->free[i]] == s;
            }
            count += there;
        }
        if (!SW_EXPLAIN(m->run->explain, s == picked ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS, 0, p->segments[s].lo,
                        p->segments[s].size, "%ssegment %u (%s), where any parent has %s",
                        s == picked ? "chosen: " : "", (unsigned)s, SW_BYTES(p->segments[s].size),
                        SW_COUNTED(count, "object"))) {
            return false;
        }
    }
    return true;
}

static bool explain_exchange(const struct sw_segment_move *m, uint32_t parents, uint32_t count) {
    char names[140];
    if (!m->run->explain || count == 0) {
        return true;
    }
    list_exchanged(m, count, names, sizeof names);
    return SW_EXPLAIN(m->run->explain, SW_VERDICT_FITS, SW_NONE, 0, 0,
                      parents == 2 ? "the parents exchange where they have %s"
                                   : "each takes from the next, the last from the first, where it has %s",
                      names);
}

/* The next members of the shuffle: two, or by lot two or more. False: there are no more. */
static bool next_parents(struct sw_segment_state *g, uint32_t numbers[SW_MOST_PARENTS], struct sw_parents *parents) {
    uint32_t left = g->crossed - g->at;
    if (left < 2) {
        return false;
    }
    uint32_t most = SW_MIN(g->set.parents, left);
    parents->count = most > 2 ? 2 + (uint32_t)sw_random_below(&g->random, most - 1) : 2;
    for (uint32_t i = 0; i < parents->count; i++) {
        numbers[i] = g->shuffle[g->at + i];
        parents->sequences[i] = sw_sequences_sequence(&g->population, numbers[i]);
        parents->dirty[i] = sw_sequences_dirty(&g->population, numbers[i]);
    }
    return true;
}

/* A random segment for the crossover. With again=true one where the parents have something apart, if they have. */
static uint32_t draw_crossed(struct sw_segment_state *g, const struct sw_parents *parents) {
    const struct sw_partition *p = g->partition;
    struct sw_resident *apart = g->population.residents;
    uint32_t count = 0;
    for (uint32_t s = 0; s < p->count; s++) {
        apart[s].object = SW_NONE;
    }
    for (uint32_t i = 0; g->set.again && i < p->free_count; i++) {
        for (uint32_t k = 1; k < parents->count; k++) {
            uint32_t one = parents->sequences[k - 1][p->free[i]], two = parents->sequences[k][p->free[i]];
            apart[one].object = one != two ? one : apart[one].object;
            apart[two].object = one != two ? two : apart[two].object;
        }
    }
    for (uint32_t s = 0; s < p->count; s++) {
        count += apart[s].object == s;
    }
    uint32_t nth = (uint32_t)sw_random_below(&g->random, count ? count : p->count), s = 0;
    for (; count && (apart[s].object != s || nth-- > 0); s++) {
    }
    return count ? s : nth;
}

/* The planner's own exchange. With again=true another half is drawn while nothing would change. */
static uint32_t cross_in(struct sw_segment_state *g, uint32_t segment, const struct sw_parents *parents) {
    enum { BREED_TRIES = 64 };
    uint32_t count = 0;
    for (int i = 0; count == 0 && i < (g->set.again ? BREED_TRIES : 1); i++) {
        count = sw_segments_cross(g->partition, &g->random, segment, parents, g->population.list);
    }
    return count;
}

static const char *const cross_why[] = {
    "half of the objects that any parent has in a random segment, where the parents differ",
    "half of the objects that any parent has in the segment that the user chose, where the parents differ"};

static enum sw_segment_outcome cross_parents(const struct sw_segment_move *m) {
    struct sw_segment_state *g = m->g;
    uint32_t numbers[SW_MOST_PARENTS] = {SW_NONE, SW_NONE, SW_NONE, SW_NONE}, s;
    struct sw_parents parents;
    uint64_t random = g->random;
    if (!next_parents(g, numbers, &parents)) {
        g->phase = SEGMENT_MUTATE;
        g->at = 0;
        return SEGMENT_PASSED;
    }
    struct sw_sequences *p = &g->population;
    sw_segment_begin(m, SW_DECISION_EXCHANGE, cross_why[0]);
    uint32_t own = draw_crossed(g, &parents);
    uint32_t count = 0;
    const char *why = NULL;
    bool told = m->run->params->breeding && m->run->params->breeding->share;
    bool picked = sw_segment_pick(m, g->partition->count, own, &s);
    bool ok = picked && explain_exchanges(m, &parents, s); /* before the exchange */
    if (!picked || (told && !sw_segment_breed_cross(m, s, &parents, p->list, &count, &why))) {
        g->random = random;
        return SEGMENT_FAILED;
    }
    if (!told) {
        count = cross_in(g, s, &parents);
    }
    if (count == 0 && m->d->forced) {
        g->random = random;
        sw_fail(m->run->error, SW_ERROR_USAGE,
                "the parents have the objects of segment %u in the same places: nothing would change", (unsigned)s);
        return SEGMENT_FAILED;
    }
    m->run->work += g->objects->count / 2 + 8;
    g->at += parents.count;
    if (count == 0) { /* that is no crossover, and no decision */
        if (m->run->explain) {
            sw_explanation_clear(m->run->explain);
        }
        return ok ? SEGMENT_PASSED : sw_segment_no_memory(m);
    }
    ok = ok && explain_exchange(m, parents.count, count);
    for (uint32_t i = 0; i < parents.count; i++) {
        p->members[numbers[i]].processed = true;
    }
    m->d->reason = told ? why : m->d->forced ? cross_why[1] : m->d->reason;
    m->d->exchange.first = numbers[0];
    m->d->exchange.second = numbers[1];
    m->d->exchange.third = numbers[2];
    m->d->exchange.fourth = numbers[3];
    m->d->exchange.segment = s;
    m->d->exchange.objects = count;
    return ok ? SEGMENT_DECIDED : sw_segment_no_memory(m);
}

/* ---- rule 7: mutation ---- */

uint32_t sw_segment_probability(const struct sw_segment_state *g, uint32_t round) {
    int64_t first = g->set.mutation_first, last = g->set.mutation_last;
    int64_t rounds = g->set.rounds > 1 ? (int64_t)g->set.rounds - 1 : 1;
    return (uint32_t)(first + (last - first) * (int64_t)round / rounds);
}

static bool explain_ring(const struct sw_segment_move *m, const uint32_t *sequence, const uint32_t *ring,
                         uint32_t count) {
    bool ok = true;
    for (uint32_t i = 0; ok && m->run->explain && i < count; i++) {
        char name[SW_SHORT_NAME];
        ok = SW_EXPLAIN(m->run->explain, SW_VERDICT_FITS, SW_NONE, 0, m->g->objects->items[ring[i]].size,
                        "%s goes to segment %u", sw_segment_object_name(m, ring[i], name), (unsigned)sequence[ring[i]]);
    }
    return ok;
}

/* The planner's own mutation: at most so many objects of member i, which then stand in the population's list. */
static bool exchange_objects(const struct sw_segment_move *m, uint32_t i, uint32_t most, uint32_t *count) {
    struct sw_segment_state *g = m->g;
    struct sw_sequences *p = &g->population;
    uint32_t *sequence = sw_sequences_sequence(p, i);
    uint64_t *dirty = sw_sequences_dirty(p, i);
    bool too_large = true;
    struct sw_board *board = g->set.saving ? sw_board_new(g->objects, g->partition, &too_large) : NULL;
    if (!board && !too_large) {
        return sw_fail_memory(m->run->error);
    }
    if (board) {
        sw_board_load(board, sequence);
        *count = sw_board_mutate(board, &g->random, dirty, most, p->list);
        m->run->work += sw_board_looked(board);
        sw_board_free(board);
    } else {
        *count = sw_segments_mutate(g->objects, g->partition, &g->random, sequence, dirty, most, p->list);
    }
    return true;
}

static enum sw_segment_outcome mutate_members(const struct sw_segment_move *m) {
    struct sw_segment_state *g = m->g;
    struct sw_sequences *p = &g->population;
    uint64_t random = g->random;
    uint32_t at = g->at;
    while (g->at < p->count && sw_random_below(&g->random, SEGMENT_MILLION) >= sw_segment_probability(g, g->round)) {
        g->at++;
    }
    if (g->at == p->count) {
        g->phase = SEGMENT_EVALUATE;
        g->at = 0;
        return SEGMENT_PASSED;
    }
    uint32_t i = g->at, *sequence = sw_sequences_sequence(p, i), *ring = p->list;
    uint32_t most = SW_MIN(g->set.exchange, g->objects->count), count = 0;
    const char *why = NULL;
    bool told = m->run->params->breeding && m->run->params->breeding->rotate;
    if (!sw_segment_begin_unchosen(m, SW_DECISION_MUTATE, "each goes to the segment of the other") ||
        !(told ? sw_segment_breed_mutate(m, sequence, sw_sequences_dirty(p, i), ring, &count, &why)
               : exchange_objects(m, i, most, &count))) {
        g->random = random;
        g->at = at;
        return SEGMENT_FAILED;
    }
    m->d->mutate.member = i;
    m->run->work += g->objects->count + 8;
    g->at++;
    if (count == 0) {
        m->d->reason = told ? why : "no two objects of different segments can change places";
        return SEGMENT_DECIDED;
    }
    p->members[i].processed = true;
    const struct sw_objects *o = g->objects;
    m->d->reason = count > 2 ? "each goes to the segment of the next, the last to that of the first" : m->d->reason;
    m->d->reason = told ? why : m->d->reason;
    m->d->buffer = o->members[o->items[ring[0]].member];
    m->d->mutate.with = o->members[o->items[ring[1]].member];
    m->d->mutate.segment = sequence[ring[0]];
    m->d->mutate.objects = count;
    return explain_ring(m, sequence, ring, count) ? SEGMENT_DECIDED : sw_segment_no_memory(m);
}

/* ---- rule 7: measuring and selecting ---- */

static enum sw_segment_outcome evaluate_processed(const struct sw_segment_move *m) {
    struct sw_segment_state *g = m->g;
    struct sw_sequences *p = &g->population;
    while (g->at < p->count && !p->members[g->at].processed) {
        g->at++;
    }
    if (g->at == p->count) {
        g->phase = SEGMENT_SELECT;
        g->at = 0;
        return SEGMENT_PASSED;
    }
    struct sw_sequence_member *member = &p->members[g->at];
    if (!sw_segment_begin_unchosen(m, SW_DECISION_EVALUATE_MEMBER, "as much as before")) {
        return SEGMENT_FAILED;
    }
    struct sw_segment_fitness before = member->fitness;
    struct sw_sequence_hooks room;
    uint64_t work = m->run->work;
    sw_sequences_measure(p, g->objects, g->at, false);
    if (!sw_sequences_price(p, sw_segment_hooks(m, &room), g->at)) {
        m->run->work = work;
        return SEGMENT_FAILED;
    }
    sw_segment_count_work(m);
    sw_segment_consider(g, g->at);
    m->d->evaluate_member.member = g->at;
    m->d->evaluate_member.layout = g->set.by_whole;
    sw_segment_figure(m, member->fitness);
    sw_segment_figured(m, &before, member->fitness, &m->d->evaluate_member.fitness);
    if (before.clashes == 0 && !g->set.by_script) {
        m->d->evaluate_member.migration.before = sw_segment_value(g, before.bytes);
    }
    if (member->fitness.clashes == 0 && !g->set.by_script) {
        m->d->evaluate_member.migration.after = sw_segment_value(g, member->fitness.bytes);
    }
    m->d->reason = member->fitness.clashes                      ? "objects of one operator share a segment"
                   : sw_segment_fitter(member->fitness, before) ? "less than before"
                   : sw_segment_fitter(before, member->fitness) ? "more than before"
                                                                : "as much as before";
    return sw_segment_explain_member(m, g->at++) ? SEGMENT_DECIDED : sw_segment_no_memory(m);
}

/* The rows of those that stay: the fittest, or an elite of them and then those that a script chose. Sorts the members;
 * `apart`: so many come before those that are the same as an earlier one. False: an error, and nothing has changed. */
static bool choose_rows(const struct sw_segment_move *m, uint32_t *rows, uint32_t *stay, uint32_t *apart) {
    struct sw_segment_state *g = m->g;
    struct sw_sequences *p = &g->population;
    const struct sw_breeding *breeding = m->run->params->breeding;
    bool told = breeding && breeding->keep;
    struct sw_chosen chosen = {.objects = rows};
    if (told && !sw_segment_breed_select(m, &chosen)) {
        return false;
    }
    uint32_t *list = SW_NEW(uint32_t, chosen.count);
    if (!list) {
        return sw_fail_memory(m->run->error);
    }
    for (uint32_t i = 0; i < chosen.count; i++) {
        list[i] = p->members[rows[i]].row;
    }
    *apart = sw_sequences_sort(p, g->set.twins);
    *stay = SW_MIN(g->set.survivors, *apart);
    *stay = told ? SW_MIN(*stay, breeding->elite) : *stay;
    for (uint32_t i = 0; i < *stay; i++) {
        rows[i] = p->members[i].row;
    }
    if (told) {
        m->d->reason = chosen.why ? chosen.why : "as the select of the script says";
        *stay = sw_keep_chosen(&(struct sw_chosen){list, chosen.count, NULL}, rows, *stay, g->set.survivors);
    }
    SW_FREE(list, chosen.count);
    return true;
}

/* Each member, the fittest first: does it stay? */
static bool explain_selection(const struct sw_segment_move *m, const uint32_t *rows, uint32_t count, uint32_t apart) {
    const struct sw_segment_state *g = m->g;
    const struct sw_sequences *p = &g->population;
    bool told = m->run->params->breeding && m->run->params->breeding->keep, ok = true;
    for (uint32_t i = 0; ok && m->run->explain && i < p->count; i++) {
        const struct sw_segment_fitness *f = &p->members[i].fitness;
        bool stays = false;
        for (uint32_t k = 0; !stays && k < count; k++) {
            stays = rows[k] == p->members[i].row;
        }
        char words[64];
        sw_segment_words(g, f->bytes, words);
        if (f->clashes) {
            snprintf(words, sizeof words, "is impossible, with %llu clash%s", (ull)f->clashes,
                     f->clashes == 1 ? "" : "es");
        }
        ok = SW_EXPLAIN(m->run->explain, stays ? SW_VERDICT_CHOSEN : SW_VERDICT_REFUSED, SW_NONE, 0, 0,
                        "number %u by %s %s: it %s", (unsigned)i + 1,
                        g->set.by_script  ? "fitness"
                        : g->set.by_whole ? "cost"
                                          : "migration",
                        stays              ? "stays"
                        : told             ? "goes, the script did not choose it"
                        : i >= apart       ? "goes, it is the same as an earlier one"
                        : g->set.by_script ? "goes, others have less"
                        : g->set.by_cost   ? "goes, others cost less"
                                           : "goes, others move less",
                        words);
    }
    return ok || sw_fail_memory(m->run->error);
}

static enum sw_segment_outcome select_survivors(const struct sw_segment_move *m) {
    struct sw_segment_state *g = m->g;
    struct sw_sequences *p = &g->population;
    if (!sw_segment_begin_unchosen(m, SW_DECISION_SELECT,
                                   g->set.by_script  ? "those with the least fitness, new and unprocessed"
                                   : g->set.by_whole ? "those that cost least, new and unprocessed"
                                                     : "those with the least migration, new and unprocessed")) {
        return SEGMENT_FAILED;
    }
    uint32_t before = p->count, stay = 0, apart = 0, *rows = SW_NEW(uint32_t, before);
    if (!rows) {
        return sw_segment_no_memory(m);
    }
    bool ok = choose_rows(m, rows, &stay, &apart) && explain_selection(m, rows, stay, apart);
    if (ok) {
        sw_sequences_keep(p, rows, stay);
    }
    SW_FREE(rows, before);
    if (!ok) {
        return SEGMENT_FAILED;
    }
    m->run->work += before;
    m->d->candidates = before;
    m->d->select.kept = p->count;
    double spread[3];
    sw_segment_spread(g, spread);
    m->d->select.best = spread[0];
    m->d->select.mean = spread[1];
    m->d->select.worst = spread[2];
    g->draws = 0;
    g->at = g->set.population - p->count; /* how many are wanted */
    g->phase = SEGMENT_IMMIGRATE;
    return SEGMENT_DECIDED;
}

/* New ones until the population is full, or until this step has worked long enough. */
static enum sw_segment_outcome immigrate(const struct sw_segment_move *m) {
    enum { LONG_ENOUGH = 500000 };
    struct sw_segment_state *g = m->g;
    struct sw_sequences *p = &g->population;
    uint32_t before = p->count;
    uint64_t work = m->run->work;
    enum sw_segment_outcome drawn = SEGMENT_DECIDED;
    if (!sw_segment_begin_unchosen(m, SW_DECISION_IMMIGRATE, "they fill the population up")) {
        return SEGMENT_FAILED;
    }
    while (drawn == SEGMENT_DECIDED && p->count < g->set.population && m->run->work - work < LONG_ENOUGH) {
        drawn = sw_segment_draw(m, UINT64_C(4) * g->at);
    }
    if (drawn == SEGMENT_FAILED) {
        return drawn;
    }
    if (drawn == SEGMENT_PASSED || p->count == g->set.population) {
        g->phase = SEGMENT_GENERATION;
        g->at = 0;
    }
    m->d->immigrate.count = p->count - before;
    m->d->reason = p->count == before ? "no draw found a sequence that is not there yet" : m->d->reason;
    for (uint32_t i = before; m->run->explain && i < p->count; i++) {
        if (!sw_segment_explain_member(m, i)) {
            return sw_segment_no_memory(m);
        }
    }
    return SEGMENT_DECIDED;
}

/* ---- rule 7: the end of a round ---- */

static const char said_exhausted[] = "the best has gained too little for as many rounds as patience says",
                  said_over[] = "the rounds are over";

/* Has the best gained no more than epsilon over the last `patience` rounds? */
static bool out_of_patience(const struct sw_segment_state *g) {
    size_t count = g->past.count, patience = g->set.patience;
    if (count <= patience) {
        return false;
    }
    const struct sw_segment_fitness *then = &g->past.items[count - 1 - patience];
    return then->clashes == g->here.clashes && then->bytes - g->here.bytes <= g->set.epsilon;
}

static enum sw_segment_outcome generation(const struct sw_segment_move *m) {
    struct sw_segment_state *g = m->g;
    double p = sw_segment_probability(g, g->round) / (double)SEGMENT_MILLION;
    if (!sw_segment_begin_unchosen(m, SW_DECISION_GENERATION, "the next round")) {
        return SEGMENT_FAILED;
    }
    if (!SW_PUSH(&g->past, g->here)) {
        return sw_segment_no_memory(m);
    }
    if (!sw_segment_show(m)) {
        return SEGMENT_FAILED;
    }
    g->generations++;
    double spread[3];
    sw_segment_spread(g, spread);
    m->d->generation.generation = ++g->round;
    m->d->generation.best = spread[0];
    m->d->generation.mean = spread[1];
    m->d->generation.worst = spread[2];
    sw_segment_figure(m, g->here);
    char text[120] = "no sequence is possible yet";
    if (!isnan(spread[0]) && (!g->set.by_cost || g->set.by_script)) {
        snprintf(text, sizeof text, "best %s, mean %s, worst %s", SW_BYTES((uint64_t)(spread[0] + 0.5)),
                 SW_BYTES((uint64_t)(spread[1] + 0.5)), SW_BYTES((uint64_t)(spread[2] + 0.5)));
    } else if (!isnan(spread[0])) {
        snprintf(text, sizeof text,
                 g->set.by_whole ? "best cost %.6g, mean %.6g, worst %.6g" : "best %.6g, mean %.6g, worst %.6g to move",
                 spread[0], spread[1], spread[2]);
    }
    bool ok = SW_EXPLAIN(m->run->explain, SW_VERDICT_FITS, SW_NONE, 0, 0,
                         "round %u of at most %u, mutation probability %.4f: %s", (unsigned)g->round,
                         (unsigned)g->set.rounds, p, text);
    g->exhausted = out_of_patience(g);
    if (!g->exhausted && g->round < g->set.rounds) {
        sw_segment_begin_round(g);
        return ok ? SEGMENT_DECIDED : sw_segment_no_memory(m);
    }
    m->d->reason = g->exhausted ? said_exhausted : said_over;
    g->crossed = 0;
    g->group++;
    g->phase = SEGMENT_FINISH;
    return ok ? SEGMENT_DECIDED : sw_segment_no_memory(m);
}

/* ---- the end ---- */

/* Of all that operators touch at once each needs a segment of its own: is that more than the device has? Then no
 * segments of fixed sizes will do, and `error` says so. */
static enum sw_segment_outcome infeasible_for_all(const struct sw_segment_move *m) {
    enum { NAMED_OBJECTS = 4 };
    const struct sw_objects *o = m->g->objects;
    const struct sw_tier *device = sw_problem_tier(m->run->problem, 0);
    char names[200] = "";
    uint64_t sum = 0;
    uint32_t *needed = SW_NEW(uint32_t, o->count), count = needed ? sw_objects_needed(o, needed) : SW_NONE;
    for (uint32_t n = 0; count != SW_NONE && n < count; n++) {
        char name[SW_SHORT_NAME];
        sum += o->items[needed[n]].size;
        if (n < NAMED_OBJECTS) {
            sw_text_add(names, sizeof names, "%s%s (%s)", n ? ", " : "", sw_segment_object_name(m, needed[n], name),
                        SW_BYTES(o->items[needed[n]].size));
        } else if (n + 1 == count) {
            sw_text_add(names, sizeof names, " and %u more", (unsigned)(count - NAMED_OBJECTS));
        }
    }
    SW_FREE(needed, o->count);
    if (count == SW_NONE) {
        return sw_segment_no_memory(m);
    }
    if (sum <= device->capacity) {
        return SEGMENT_PASSED;
    }
    sw_fail(m->run->error, SW_ERROR_INFEASIBLE,
            "no segments can hold what operators touch at once: they need at least the sizes of %s, together %s, and "
            "%s has %s",
            names, SW_BYTES(sum), device->name, SW_BYTES(device->capacity));
    return SEGMENT_FAILED;
}

/* Nothing feasible was found: name two objects that clash. */
static enum sw_segment_outcome infeasible(const struct sw_segment_move *m) {
    const struct sw_segment_state *g = m->g;
    if (infeasible_for_all(m) == SEGMENT_FAILED) {
        return SEGMENT_FAILED;
    }
    const struct sw_problem *problem = m->run->problem;
    uint32_t a = 0, b = 0, step = SW_NONE;
    struct sw_resident *residents = SW_NEW(struct sw_resident, g->best.partition->count);
    if (!residents) {
        return sw_segment_no_memory(m);
    }
    sw_segments_clash(g->objects, g->best.partition->count, g->best.sequence, residents, &a, &b, &step);
    SW_FREE(residents, g->best.partition->count);
    const char *one = sw_segment_whole_name(m, a), *two = sw_segment_whole_name(m, b);
    unsigned segment = g->best.sequence[b], count = g->best.partition->count;
    if (step == SW_NONE) {
        sw_fail(m->run->error, SW_ERROR_INFEASIBLE,
                "no sequence was found that keeps all objects apart that may not share bytes: %s and "
                "%s lie in segment %u of %u",
                one, two, segment, count);
    } else if (step < sw_problem_operator_count(problem)) {
        sw_fail(m->run->error, SW_ERROR_INFEASIBLE,
                "no sequence was found in which all objects of an operator lie in different "
                "segments: %s touches %s and %s, both in segment %u of %u",
                sw_problem_operator(problem, step)->name, one, two, segment, count);
    } else {
        sw_fail(m->run->error, SW_ERROR_INFEASIBLE,
                "no sequence was found in which objects accessed together lie in different "
                "segments: at time %lld %s and %s, both in segment %u of %u",
                (long long)sw_problem_time(problem, step), one, two, segment, count);
    }
    return SEGMENT_FAILED;
}

static enum sw_segment_outcome finish_segments(const struct sw_segment_move *m) {
    struct sw_segment_state *g = m->g;
    if (g->set.mode == SEGMENT_K_ALL && g->largest && g->k > 1) {
        g->k--;
        g->phase = SEGMENT_CHOOSE;
        return SEGMENT_PASSED;
    }
    if (!sw_segment_begin_unchosen(m, SW_DECISION_FINISH,
                                   g->objects->count == 0 ? "nothing can be moved"
                                   : g->exhausted         ? said_exhausted
                                                          : said_over)) {
        return SEGMENT_FAILED;
    }
    if (g->best.partition && g->best.fitness.clashes > 0) {
        return infeasible(m);
    }
    if (!sw_segment_show(m)) {
        return SEGMENT_FAILED;
    }
    if (g->best.partition) {
        m->d->finish.part = g->best.partition->count;
        sw_segment_figure(m, g->best.fitness);
    }
    g->phase = SEGMENT_OVER;
    return SEGMENT_DECIDED;
}

/* ---- the planner ---- */

/* The phases of the loop, and the end; before them come those that prepare it. */
static enum sw_segment_outcome (*const loop_phases[])(const struct sw_segment_move *) = {
    [SEGMENT_CROSS] = cross_parents,     [SEGMENT_MUTATE] = mutate_members, [SEGMENT_EVALUATE] = evaluate_processed,
    [SEGMENT_SELECT] = select_survivors, [SEGMENT_IMMIGRATE] = immigrate,   [SEGMENT_GENERATION] = generation,
    [SEGMENT_FINISH] = finish_segments,
};

static enum sw_step segment_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    struct sw_segment_move m = {.g = state, .run = run, .d = decision};
    while (m.g->phase != SEGMENT_OVER) {
        enum sw_segment_outcome outcome =
            m.g->phase < SEGMENT_CROSS ? sw_segment_prepare(&m) : loop_phases[m.g->phase](&m);
        if (outcome != SEGMENT_PASSED) {
            return outcome == SEGMENT_DECIDED ? SW_STEP_MORE : SW_STEP_FAILED;
        }
    }
    return SW_STEP_DONE;
}

static bool segment_constrain(void *state, struct sw_run *run, const struct sw_override *override) {
    const struct sw_segment_state *g = state;
    if (override->kind == SW_OVERRIDE_CHOOSE || g->phase == SEGMENT_START) {
        return true;
    }
    return sw_fail(run->error, SW_ERROR_UNSUPPORTED,
                   "segment-genetic lays out its segments around what is pinned and forbidden, so "
                   "it has to know before its first decision: go back to the start to %s",
                   override->kind == SW_OVERRIDE_PIN ? "pin a block" : "forbid a range");
}

/* A limit ends the run: the best so far is the answer, when it can be one. */
static bool segment_settle(const void *state, struct sw_run *run) {
    const struct sw_segment_state *g = state;
    return !g->best.partition || g->best.fitness.clashes > 0 ||
           sw_segments_show(run, g->objects, g->best.partition, g->best.sequence);
}

static bool segment_details(const void *state, const struct sw_run *run, struct sw_details *to) {
    const struct sw_segment_state *g = state;
    const struct sw_partition *p = g->best.partition;
    struct sw_migration bound = {0};
    bool ok = true;
    for (uint32_t b = 0; ok && p && b < g->objects->count; b++) {
        const struct sw_object *item = &g->objects->items[b];
        for (uint32_t i = 0; ok && i < item->members; i++) {
            ok = sw_detail_of(to, "assignment", g->objects->members[item->member + i], g->best.sequence[b]);
        }
    }
    for (uint32_t s = 0; ok && p && s < p->count; s++) {
        ok = sw_detail_element(to, "segments", (int64_t)p->segments[s].size);
    }
    ok = ok && sw_detail_integer(to, "generations", (int64_t)g->generations) &&
         sw_detail_integer(to, "evaluations", (int64_t)g->evaluations) &&
         sw_problem_migration_bound(run->problem, &bound);
    ok = ok && (!bound.feasible || sw_detail_integer(to, "migration_bound", (int64_t)bound.bytes));
    sw_migration_done(&bound);
    return ok;
}

static void segment_claims(const void *state, const struct sw_run *run, struct sw_claims *to) {
    const struct sw_segment_state *g = state;
    (void)run;
    to->has_migration = g->phase == SEGMENT_OVER || (g->best.partition && !g->best.fitness.clashes);
    to->migration_bytes = to->has_migration ? g->best.moved : 0;
    to->priced = g->set.by_script ? g->set.priced : g->set.by_cost;
}

const char *const sw_segment_choices[] = {
    [SW_CHOOSE_TOGETHER] = "together", [SW_CHOOSE_EVEN] = "even",       [SW_CHOOSE_SHARES] = "shares",
    [SW_CHOOSE_FULLEST] = "fullest",   [SW_CHOOSE_LASTING] = "lasting", [SW_CHOOSE_RANKS] = "ranks",
    [SW_CHOOSE_DISTINCT] = "distinct", [SW_CHOOSE_BEST] = "best",       NULL};

static const struct sw_parameter segment_parameters[] = {
    {"choices", SW_PARAMETER_CHOICE, "good", 0, 0, SW_WORDS("good", "plain"),
     "Where the publication leaves a choice open: what does well, or the plain choice, mostly by lot"},
    {"merge", SW_PARAMETER_CHOICE, "both", 0, 0, SW_WORDS("none", "runs", "objects", "both"),
     "Join neighboring accesses of one object, small objects, or both"},
    {"merge_below", SW_PARAMETER_INTEGER, "capacity/64", 0, (double)SW_MAX_BYTES, SW_WORDS("capacity/64"),
     "Objects below this many bytes are small"},
    {"choose", SW_PARAMETER_CHOICE, "best", 0, 0, sw_segment_choices,
     "Segments for what operators need at once, then for the largest, or in larger sizes (even), or each size by its "
     "share of all bytes, of the fullest step, or of bytes by steps; for the first K objects by size; for the K "
     "largest of different sizes; or the best of all but these"},
    {"k", SW_PARAMETER_INTEGER, "largest", 1, 1e9, SW_WORDS("largest", "all"),
     "The number of segments: as many as fit, every number in turn, or this many"},
    {"draw", SW_PARAMETER_CHOICE, "apart", 0, 0, SW_WORDS("apart", "any"),
     "A random segment that the object fits: without an object of the same operator, or any"},
    {"owners", SW_PARAMETER_CHOICE, "free", 0, 0, SW_WORDS("free", "fixed"),
     "The objects that gave segments their sizes may be exchanged, or stay there"},
    {"seeds", SW_PARAMETER_CHOICE, "greedy", 0, 0, SW_WORDS("greedy", "none"),
     "Begin the population with sequences in which each object goes where it adds least, or where the next access is "
     "farthest; or with none of them"},
    {"population", SW_PARAMETER_INTEGER, "24", 2, 4096, NULL, "Sequences in the population"},
    {"crossover", SW_PARAMETER_NUMBER, "0.5", 0, 1, NULL, "The part of the population that is crossed in each round"},
    {"parents", SW_PARAMETER_INTEGER, "2", 2, SW_MOST_PARENTS, NULL,
     "The most members that one crossover takes as parents"},
    {"exchange", SW_PARAMETER_INTEGER, "3", 2, 1e6, NULL, "The most objects that one mutation exchanges"},
    {"partner", SW_PARAMETER_CHOICE, "saving", 0, 0, SW_WORDS("saving", "uniform"),
     "A mutation exchanges an object with the one that saves most of up to 64, or with any"},
    {"again", SW_PARAMETER_BOOL, "true", 0, 0, NULL, "A crossover that would change nothing is drawn again"},
    {"twins", SW_PARAMETER_BOOL, "false", 0, 0, NULL, "Sequences that are the same may stay side by side"},
    {"mutation_first", SW_PARAMETER_NUMBER, "0.05", 0, 1, NULL, "The probability of a mutation in the first round"},
    {"mutation_last", SW_PARAMETER_NUMBER, "0.3", 0, 1, NULL, "The probability of a mutation in the last round"},
    {"survivors", SW_PARAMETER_INTEGER, "12", 1, 4096, NULL, "How many sequences stay at the end of a round"},
    {"rounds", SW_PARAMETER_INTEGER, "200", 0, 1e6, NULL, "The most rounds"},
    {"epsilon", SW_PARAMETER_INTEGER, "0", 0, (double)SW_MAX_BYTES, NULL,
     "A gain of no more than this many bytes is no gain"},
    {"patience", SW_PARAMETER_INTEGER, "10", 1, 1e6, NULL, "After so many rounds without a gain it ends"},
    {"migration", SW_PARAMETER_CHOICE, "need", 0, 0, SW_WORDS("need", "literal"),
     "Count what is needed again, or literally every change of residents"},
    {"fitness", SW_PARAMETER_CHOICE, "bytes", 0, 0, SW_WORDS("bytes", "cost"),
     "What counts: the bytes moved, or what moving them costs; with a cost model of whole layouts "
     "what the layout costs"},
    {0},
};

static const struct sw_plain_choice segment_plain[] = {
    {"choose", "ranks"},    {"seeds", "none"},  {"population", "64"},
    {"partner", "uniform"}, {"again", "false"}, {"twins", "true"},
    {"survivors", "32"},    {"patience", "20"}, {0},
};

/* Of one that is possible, as it is now: what was measured may be older. */
static bool segment_member(const void *state, struct sw_run *run, uint32_t member, bool *has) {
    const struct sw_segment_state *g = state;
    uint32_t count = g->partition ? g->partition->count : 0, a, b, step;
    if (count == 0 || member >= g->population.count) {
        return true;
    }
    const uint32_t *sequence = sw_sequences_sequence(&g->population, member);
    struct sw_resident *residents = SW_NEW(struct sw_resident, count);
    if (!residents) {
        return false;
    }
    *has = !sw_segments_clash(g->objects, count, sequence, residents, &a, &b, &step);
    SW_FREE(residents, count);
    return !*has || sw_segments_show(run, g->objects, g->partition, sequence);
}

const struct sw_planner sw_segment_genetic = {
    .name = "segment-genetic",
    .summary = "Objects take turns in segments of the device; a genetic search for least migration",
    .needs = SW_NEEDS_CAPACITY | SW_NEEDS_ACCESSES,
    .reads = SW_READS_COST | SW_READS_BREEDING,
    .seeded = true,
    .group_noun = "generation",
    .parameters = segment_parameters,
    .plain = segment_plain,
    .open = sw_segment_open,
    .step = segment_step,
    .described = &sw_segment_described,
    .constrain = segment_constrain,
    .settle = segment_settle,
    .member = segment_member,
    .details = segment_details,
    .claims = segment_claims,
    .state = sw_segment_tables,
    .because = sw_segment_because,
};
