/* segment-genetic: its state, and what all its decisions have in common. */
#include "planners/segments/segment_state.h"
#include "base/base.h"

#include "layout/cost.h"

static const struct sw_planner *self(void) {
    return &sw_segment_genetic;
}

/* ---- opening and closing ---- */

static uint32_t millionths(const struct sw_params *params, const char *key) {
    return (uint32_t)lround(sw_params_number(params, self(), key) * SEGMENT_MILLION);
}

static uint32_t small_integer(const struct sw_params *params, const char *key) {
    return (uint32_t)sw_params_integer(params, self(), key);
}

static bool is_param_set_to(const struct sw_params *params, const char *key, const char *value) {
    return strcmp(sw_params_text(params, self(), key), value) == 0;
}

/* The words of the parameter stand in the order of enum sw_segment_choice. */
static enum sw_segment_choice choice_param(const struct sw_params *params) {
    enum sw_segment_choice choice = 0;
    while (choice < SW_CHOOSE_BEST && !is_param_set_to(params, "choose", sw_segment_choices[choice])) {
        choice++;
    }
    return choice;
}

static void read_segment_settings(const struct sw_run *run, struct sw_segment_settings *set) {
    const struct sw_params *p = run->params;
    bool both = is_param_set_to(p, "merge", "both");
    *set = (struct sw_segment_settings){.join = both || is_param_set_to(p, "merge", "runs"),
                                        .group = both || is_param_set_to(p, "merge", "objects"),
                                        .choose = choice_param(p),
                                        .seeded = is_param_set_to(p, "seeds", "greedy"),
                                        .saving = is_param_set_to(p, "partner", "saving"),
                                        .again = sw_params_bool(p, self(), "again"),
                                        .twins = sw_params_bool(p, self(), "twins"),
                                        .literal = is_param_set_to(p, "migration", "literal"),
                                        .careful = is_param_set_to(p, "draw", "apart"),
                                        .by_cost = is_param_set_to(p, "fitness", "cost"),
                                        .free_owners = is_param_set_to(p, "owners", "free"),
                                        .mode = is_param_set_to(p, "k", "largest") ? SEGMENT_K_LARGEST
                                                : is_param_set_to(p, "k", "all")   ? SEGMENT_K_ALL
                                                                                   : SEGMENT_K_GIVEN,
                                        .population = small_integer(p, "population"),
                                        .survivors = small_integer(p, "survivors"),
                                        .rounds = small_integer(p, "rounds"),
                                        .patience = small_integer(p, "patience"),
                                        .epsilon = (uint64_t)sw_params_integer(p, self(), "epsilon"),
                                        .exchange = small_integer(p, "exchange"),
                                        .parents = small_integer(p, "parents"),
                                        .crossover = millionths(p, "crossover"),
                                        .mutation_first = millionths(p, "mutation_first"),
                                        .mutation_last = millionths(p, "mutation_last")};
    set->epsilon *= set->by_cost ? SW_SEGMENT_COST : 1;
    set->k = set->mode == SEGMENT_K_GIVEN ? small_integer(p, "k") : 0;
    set->below = is_param_set_to(p, "merge_below", "capacity/64")
                     ? sw_problem_tier(run->problem, 0)->capacity / 64
                     : (uint64_t)sw_params_integer(p, self(), "merge_below");
}

static uint64_t segment_digest(const void *state) {
    const struct sw_segment_state *g = state;
    uint64_t digest = sw_fold(sw_fold(11, g->phase), (uint64_t)g->at << 32 | g->k);
    digest = sw_fold(digest, (uint64_t)g->round << 32 | g->group);
    digest = sw_fold(digest, g->seed);
    digest = sw_fold(sw_fold(sw_fold(digest, g->draws), g->random), g->evaluations);
    digest = sw_fold(sw_fold(digest, g->here.clashes), g->here.bytes);
    for (size_t i = 0; g->split && i < g->movables->groups.count; i++) {
        digest = sw_fold(digest, g->split[i]);
    }
    for (uint32_t i = 0; i < g->crossed; i++) {
        digest = sw_fold(digest, g->shuffle[i]);
    }
    for (uint32_t i = 0; g->best.partition && i < g->best.objects; i++) {
        digest = sw_fold(digest, g->best.sequence[i]);
    }
    return sw_fold(digest, sw_described_digest(&sw_sequences_described, &g->population));
}

SW_OWNERS(movables, struct sw_movables, sw_movables_drop)
SW_OWNERS(objects, struct sw_objects, sw_objects_drop)
SW_OWNERS(partition, struct sw_partition, sw_partition_drop)
SW_HOW_MANY(groups_of, struct sw_segment_state, o->movables ? o->movables->groups.count : 0)
SW_HOW_MANY(members_of, struct sw_segment_state, o->set.population)
SW_HOW_MANY(objects_of, struct sw_segment_state, o->best.objects)
#define STATE struct sw_segment_state
const struct sw_described sw_segment_described = {
    SW_STRUCT, .digest = segment_digest,
    .fields = SW_FIELDS(
        SW_KEPT(phase, set), SW_POINTER(movables, &movables_pointed), SW_POINTER(objects, &objects_pointed),
        SW_POINTER(largest, &partition_pointed), SW_POINTER(partition, &partition_pointed), SW_KEPT(refused, refused),
        SW_ITEMS(split, groups_of), SW_KEPT(at, generations), SW_PART(population, &sw_sequences_described),
        SW_KEPT(crossed, crossed), SW_ITEMS(shuffle, members_of), SW_KEPT(best.fitness, best.moved),
        SW_POINTER(best.partition, &partition_pointed), SW_KEPT(best.objects, best.objects),
        SW_ITEMS(best.sequence, objects_of), SW_KEPT(here, here), SW_LIST(past), SW_KEPT(unseen, exhausted))};
#undef STATE

/* fitness=cost adds up moves, or takes the price of whole layouts: something must say what one costs. */
static bool may_price(const struct sw_run *run) {
    return sw_cost_known(run->problem, run->params->cost) ||
           sw_fail(run->error, SW_ERROR_USAGE,
                   "fitness=cost: nothing says what moving costs; that takes a cost model, or "
                   "tiers with a bandwidth or a latency");
}

uint64_t sw_segment_seed(const struct sw_run *run) {
    return sw_mix(run->params->seed + UINT64_C(0x5e67));
}

bool sw_segment_open(void *state, struct sw_run *run) {
    struct sw_segment_state *g = state;
    read_segment_settings(run, &g->set);
    if (g->set.by_cost && !may_price(run)) {
        return false;
    }
    g->set.by_whole = g->set.by_cost && run->params->cost && run->params->cost->whole;
    const struct sw_breeding *breeding = run->params->breeding;
    if (breeding && breeding->weigh && breeding->bytes && g->set.by_cost) {
        return sw_fail(run->error, SW_ERROR_USAGE,
                       "fitness=cost: the fitness of %s says that it is the bytes that are moved", breeding->name);
    }
    if (breeding && breeding->weigh && !breeding->bytes) {
        g->set.priced = g->set.by_cost;
        g->set.by_cost = g->set.by_whole = g->set.by_script = true;
    }
    g->random = sw_segment_seed(run);
    g->shuffle = SW_NEW_ZERO(uint32_t, g->set.population);
    return g->shuffle || sw_fail_memory(run->error);
}

/* ---- what all decisions have in common ---- */

void sw_segment_begin(const struct sw_segment_move *m, enum sw_decision_kind kind, const char *reason) {
    sw_decision_begin(m->d, kind, m->g->group, reason);
    m->d->measures = SW_AMOUNT_MOVED;
}

enum sw_segment_outcome sw_segment_no_memory(const struct sw_segment_move *m) {
    sw_fail_memory(m->run->error);
    return SEGMENT_FAILED;
}

bool sw_segment_begin_unchosen(const struct sw_segment_move *m, enum sw_decision_kind kind, const char *reason) {
    sw_segment_begin(m, kind, reason);
    return m->run->choice < 0 ||
           sw_fail(m->run->error, SW_ERROR_UNSUPPORTED,
                   "segment-genetic offers no candidates for this decision, only for merging small "
                   "objects, the number of segments, and the segment of a crossover");
}

bool sw_segment_pick(const struct sw_segment_move *m, uint32_t count, uint32_t own, uint32_t *picked) {
    *picked = own;
    m->d->candidates = count;
    if (m->run->choice < 0) {
        return true;
    }
    if (m->run->choice >= (int64_t)count) {
        sw_place_no_candidate(m->run, count);
        return false;
    }
    *picked = (uint32_t)m->run->choice;
    m->d->forced = true;
    return true;
}

const char *sw_segment_whole_name(const struct sw_segment_move *m, uint32_t object) {
    const struct sw_objects *o = m->g->objects;
    return sw_problem_buffer(m->run->problem, o->members[o->items[object].member])->name;
}

const char *sw_segment_object_name(const struct sw_segment_move *m, uint32_t object, char text[SW_SHORT_NAME]) {
    const struct sw_objects *o = m->g->objects;
    const struct sw_object *item = &o->items[object];
    sw_place_name(m->run->problem, o->members[item->member], text);
    for (uint32_t i = 1; i < item->members; i++) {
        char name[SW_SHORT_NAME];
        sw_place_name(m->run->problem, o->members[item->member + i], name);
        if (strlen(text) + strlen(name) + sizeof " and 99999 more" > SW_SHORT_NAME) {
            sw_text_add(text, SW_SHORT_NAME, " and %u more", (unsigned)(item->members - i));
            break;
        }
        sw_text_add(text, SW_SHORT_NAME, "+%s", name);
    }
    return text;
}

void sw_segment_figure(const struct sw_segment_move *m, struct sw_segment_fitness f) {
    double value = sw_segment_value(m->g, f.bytes);
    bool priced = m->g->set.by_cost && !m->g->set.by_script;
    sw_decision_set(m->d, SW_KEY_AMOUNT, f.clashes ? SW_UNBOUNDED : priced ? (uint64_t)llround(value) : f.moved);
    m->d->cost = priced && !f.clashes ? value : m->d->cost;
}

void sw_segment_figured(const struct sw_segment_move *m, const struct sw_segment_fitness *before,
                        struct sw_segment_fitness after, struct sw_before_after *change) {
    if (m->g->set.by_script && before && !before->clashes) {
        change->before = sw_segment_value(m->g, before->bytes);
    }
    if (m->g->set.by_script && !after.clashes) {
        change->after = sw_segment_value(m->g, after.bytes);
    }
}

double sw_segment_value(const struct sw_segment_state *g, uint64_t counted) {
    return g->set.by_cost ? (double)counted / SW_SEGMENT_COST : (double)counted;
}

const char *sw_segment_words(const struct sw_segment_state *g, uint64_t counted, char text[64]) {
    if (g->set.by_script) {
        snprintf(text, 64, "has the fitness %.15g", sw_segment_value(g, counted));
    } else if (g->set.by_cost) {
        snprintf(text, 64, "costs %.15g%s", sw_segment_value(g, counted), g->set.by_whole ? "" : " to move");
    } else {
        snprintf(text, 64, "moves %s", SW_BYTES(counted));
    }
    return text;
}

void sw_segment_consider(struct sw_segment_state *g, uint32_t i) {
    struct sw_segment_fitness fitness = g->population.members[i].fitness;
    if (sw_segment_fitter(fitness, g->here)) {
        g->here = fitness;
    }
    if (g->best.partition && !sw_segment_fitter(fitness, g->best.fitness)) {
        return;
    }
    g->best.fitness = fitness;
    g->best.moved = g->set.by_cost && !g->set.by_whole
                        ? sw_segments_moved(g->objects, g->partition->count, sw_sequences_sequence(&g->population, i),
                                            g->population.residents)
                        : fitness.moved;
    memcpy(g->best.sequence, sw_sequences_sequence(&g->population, i), g->objects->count * sizeof *g->best.sequence);
    if (g->best.partition != g->partition) {
        sw_partition_drop(g->best.partition);
        g->best.partition = g->partition;
        g->partition->owners++;
    }
    g->unseen = true;
}

bool sw_segment_show(const struct sw_segment_move *m) {
    struct sw_segment_state *g = m->g;
    if (!g->unseen || g->best.fitness.clashes > 0) {
        return true;
    }
    g->unseen = !sw_segments_show(m->run, g->objects, g->best.partition, g->best.sequence);
    return !g->unseen;
}

void sw_segment_count_work(const struct sw_segment_move *m) {
    const struct sw_objects *o = m->g->objects;
    m->run->work += (o->count + o->run_count) / 2 + m->g->partition->count / 8 + 4;
    m->g->evaluations++;
}

/* ---- members ---- */

bool sw_segment_explain_member(const struct sw_segment_move *m, uint32_t i) {
    const struct sw_segment_fitness *f = &m->g->population.members[i].fitness;
    if (f->clashes) {
        return SW_EXPLAIN(m->run->explain, SW_VERDICT_FITS, SW_NONE, 0, 0,
                          "member %u: infinite migration, for %llu times an operator finds an "
                          "object it touches in the segment of another one",
                          (unsigned)i, (ull)f->clashes);
    }
    char words[64];
    return SW_EXPLAIN(m->run->explain, SW_VERDICT_FITS, SW_NONE, 0, 0, "member %u %s", (unsigned)i,
                      sw_segment_words(m->g, f->bytes, words));
}

void sw_segment_spread(const struct sw_segment_state *g, double figures[3]) {
    figures[0] = figures[1] = figures[2] = (double)NAN;
    double sum = 0;
    uint64_t least = UINT64_MAX, most = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->population.count; i++) {
        const struct sw_segment_fitness *f = &g->population.members[i].fitness;
        if (f->clashes == 0) {
            uint64_t figure = g->set.by_script ? f->moved : f->bytes;
            sum += (double)figure;
            least = SW_MIN(figure, least);
            most = SW_MAX(figure, most);
            count++;
        }
    }
    if (count > 0) {
        double unit = g->set.by_cost && !g->set.by_script ? SW_SEGMENT_COST : 1;
        figures[0] = (double)least / unit;
        figures[1] = sum / count / unit;
        figures[2] = (double)most / unit;
    }
}

enum sw_segment_outcome sw_segment_draw(const struct sw_segment_move *m, uint64_t most) {
    struct sw_segment_state *g = m->g;
    uint64_t random = g->random, draws = g->draws, evaluations = g->evaluations;
    uint32_t homeless;
    char name[SW_SHORT_NAME];
    struct sw_sequence_hooks room;
    const struct sw_sequence_hooks *hooks = sw_segment_hooks(m, &room);
    while (g->draws < most) {
        enum sw_drawn drawn = sw_sequences_draw(&g->population, g->objects, g->partition, hooks, &g->random, &homeless);
        g->draws++;
        sw_segment_count_work(m);
        if (drawn == SW_DRAWN_NOWHERE) {
            sw_fail(m->run->error, SW_ERROR_INFEASIBLE,
                    "%s (%s) fits into none of the %u segments at its alignment and outside of "
                    "what is forbidden to it",
                    sw_segment_object_name(m, homeless, name), SW_BYTES(g->objects->items[homeless].size),
                    (unsigned)g->partition->count);
        }
        if (drawn == SW_DRAWN_NOWHERE || drawn == SW_DRAWN_FAILED) {
            g->random = random;
            g->draws = draws;
            g->evaluations = evaluations;
            return SEGMENT_FAILED;
        }
        if (drawn == SW_DRAWN_NEW) {
            sw_segment_consider(g, g->population.count - 1);
            return SEGMENT_DECIDED;
        }
    }
    return SEGMENT_PASSED;
}
