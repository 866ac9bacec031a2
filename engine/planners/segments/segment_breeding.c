/* segment-genetic: operators that are told from outside (planners/breeding.h), and what prices a sequence beyond its
 * moves. What operators answer is checked here: segments exist and the objects fit them, objects are exchanged once. */
#include "planners/segments/segment_state.h"
#include "base/base.h"
#include "layout/cost.h"

static const struct sw_breeding *move_breeding(const struct sw_segment_move *m) {
    return m->run->params->breeding;
}

static struct sw_assignment_scene assignment_scene(const struct sw_segment_move *m) {
    struct sw_segment_state *g = m->g;
    return (struct sw_assignment_scene){.problem = m->run->problem,
                                        .objects = g->objects->count,
                                        .segments = g->partition->count,
                                        .of = g->objects,
                                        .partition = g->partition,
                                        .careful = g->set.careful,
                                        .most = SW_MIN(g->set.exchange, g->objects->count),
                                        .number = g->population.count,
                                        .random = &g->random};
}

static bool wrong_segment_move(const struct sw_segment_move *m, const char *operator_, uint32_t object,
                               const char *what) {
    char name[SW_SHORT_NAME];
    return sw_fail(m->run->error, SW_ERROR_INPUT, "%s of %s: %s %s", operator_, move_breeding(m)->name,
                   sw_segment_object_name(m, object, name), what);
}

/* May the object be moved from one segment to another? */
static bool may_exchange(const struct sw_segment_state *g, uint32_t object) {
    return g->partition->free_owners || g->partition->fixed[object] == SW_NONE;
}

/* ---- drawing and pricing: hooks of sw_sequences_draw ---- */

static bool draw_told(void *context, uint32_t *sequence, bool *given) {
    const struct sw_segment_move *m = context;
    const struct sw_breeding *breeding = move_breeding(m);
    const struct sw_partition *p = m->g->partition;
    struct sw_assignment_scene scene = assignment_scene(m);
    const char *why = NULL;
    if (!breeding->draw(breeding->context, &scene, sequence, given, &why, m->run->error)) {
        return false;
    }
    for (uint32_t i = 0; *given && i < m->g->objects->count; i++) {
        if (sequence[i] >= p->count) {
            return wrong_segment_move(m, "seed_population", i, "goes to a segment that there is not");
        }
        if (!may_exchange(m->g, i) && p->fixed[i] != sequence[i]) {
            return wrong_segment_move(m, "seed_population", i, "owns a segment and stays there");
        }
        if (p->fixed[i] != sequence[i] && !sw_partition_fits(p, m->g->objects, i, sequence[i])) {
            return wrong_segment_move(m, "seed_population", i, "does not fit into the segment that it is given");
        }
    }
    if (*given && m->d->kind == SW_DECISION_INDIVIDUAL) { /* not one of several that fill the population up */
        m->d->reason = why ? why : "by the seed_population of the script";
    }
    return true;
}

/* The layout that the sequence stands for, made aside, and what the cost model says of it. */
static bool price_layout(const struct sw_segment_move *m, const uint32_t *sequence, double *whole) {
    struct sw_run aside = *m->run;
    aside.layout = sw_layout_clone(m->run->layout, NULL);
    if (!aside.layout) {
        return sw_fail_memory(m->run->error);
    }
    bool ok = sw_segments_show(&aside, m->g->objects, m->g->partition, sequence) &&
              sw_cost_of_layout(aside.layout, m->run->params->cost, whole, m->run->error);
    sw_layout_free(aside.layout);
    sw_run_take_back(m->run, &aside);
    m->run->work += sw_problem_planned_count(m->run->problem);
    return ok;
}

static bool weigh_told(const struct sw_segment_move *m, const uint32_t *sequence, uint64_t moved, double *figure) {
    const struct sw_breeding *breeding = move_breeding(m);
    struct sw_assignment_scene scene = assignment_scene(m);
    struct sw_assignment one = {.segments = sequence, .measured = true, .migration = moved, .cost = (double)NAN};
    return (!m->g->set.priced || price_layout(m, sequence, &one.cost)) &&
           breeding->weigh(breeding->context, &scene, &one, figure, m->run->error);
}

static bool price_told(void *context, const uint32_t *sequence, struct sw_segment_fitness *fitness) {
    enum { DOUBLE_BITS = 52 }; /* bits that a double has exactly */
    const struct sw_segment_move *m = context;
    bool weighed = move_breeding(m) && move_breeding(m)->weigh;
    double figure = 0;
    if (!(weighed ? weigh_told(m, sequence, fitness->moved, &figure) : price_layout(m, sequence, &figure))) {
        return false;
    }
    if (weighed && move_breeding(m)->bytes) {
        return figure == (double)fitness->moved || /* NOLINT: both are whole */
               sw_fail(m->run->error, SW_ERROR_INPUT,
                       "fitness of %s: it says bytes, and gives %.15g where %llu are moved", move_breeding(m)->name,
                       figure, (ull)fitness->moved);
    }
    if (!(figure >= 0 && figure * SW_SEGMENT_COST < (double)(UINT64_C(1) << DOUBLE_BITS))) {
        return sw_fail(m->run->error, SW_ERROR_UNSUPPORTED,
                       weighed ? "segment-genetic cannot compare a fitness of %.15g: it takes 0 to 2^42"
                               : "fitness=cost: segment-genetic cannot compare a layout of cost %.15g: "
                                 "it takes 0 to 2^42",
                       figure);
    }
    fitness->bytes = (uint64_t)llround(figure * SW_SEGMENT_COST);
    return true;
}

const struct sw_sequence_hooks *sw_segment_hooks(const struct sw_segment_move *m, struct sw_sequence_hooks *hooks) {
    const struct sw_breeding *breeding = move_breeding(m);
    *hooks = (struct sw_sequence_hooks){.context = (void *)(uintptr_t)m};
    hooks->draw = breeding && breeding->draw ? draw_told : NULL;
    hooks->price = m->g->set.by_whole || (breeding && breeding->weigh) ? price_told : NULL;
    return hooks->draw || hooks->price ? hooks : NULL;
}

/* ---- crossover, mutation and selection ---- */

/* Objects, each once, that may move. */
static bool are_objects(const struct sw_segment_move *m, const char *operator_, const struct sw_chosen *chosen) {
    size_t words = (m->g->objects->count + 63) / 64;
    uint64_t *named = SW_NEW_ZERO(uint64_t, words);
    bool ok = named || sw_fail_memory(m->run->error);
    for (uint32_t i = 0; ok && i < chosen->count; i++) {
        uint32_t object = chosen->objects[i];
        if (!may_exchange(m->g, object)) {
            ok = wrong_segment_move(m, operator_, object, "owns a segment and stays there");
        } else if (named[object / 64] >> object % 64 & 1) {
            ok = wrong_segment_move(m, operator_, object, "is named twice");
        }
        named[object / 64] |= UINT64_C(1) << object % 64;
    }
    SW_FREE(named, words);
    return ok;
}

bool sw_segment_breed_cross(const struct sw_segment_move *m, uint32_t segment, const struct sw_parents *parents,
                            uint32_t *list, uint32_t *count, const char **why) {
    const struct sw_breeding *breeding = move_breeding(m);
    struct sw_assignment_scene scene = assignment_scene(m);
    struct sw_assignment seen[SW_MOST_PARENTS];
    struct sw_chosen chosen = {.objects = list};
    scene.segment = segment;
    for (uint32_t i = 0; i < parents->count; i++) {
        seen[i] = (struct sw_assignment){.segments = parents->sequences[i]};
    }
    if (!breeding->share(breeding->context, &scene, seen, parents->count, &chosen, m->run->error) ||
        !are_objects(m, "crossover", &chosen)) {
        return false;
    }
    *count = sw_segments_pass_round(parents, list, chosen.count);
    *why = chosen.why ? chosen.why : "by the crossover of the script";
    return true;
}

bool sw_segment_breed_mutate(const struct sw_segment_move *m, uint32_t *sequence, uint64_t *dirty, uint32_t *ring,
                             uint32_t *count, const char **why) {
    const struct sw_breeding *breeding = move_breeding(m);
    struct sw_assignment_scene scene = assignment_scene(m);
    struct sw_assignment one = {.segments = sequence};
    struct sw_chosen chosen = {.objects = ring};
    if (!breeding->rotate(breeding->context, &scene, &one, &chosen, m->run->error) ||
        !are_objects(m, "mutate", &chosen)) {
        return false;
    }
    for (uint32_t i = 0; i < chosen.count; i++) {
        uint32_t next = ring[(i + 1) % chosen.count];
        if (chosen.count < 2 || sequence[ring[i]] == sequence[next]) {
            return wrong_segment_move(m, "mutate", ring[i], "goes where it is already");
        }
        if (!sw_partition_fits(m->g->partition, m->g->objects, ring[i], sequence[next])) {
            return wrong_segment_move(m, "mutate", ring[i], "does not fit into the segment that it goes to");
        }
    }
    if (chosen.count) {
        sw_segments_rotate(sequence, dirty, ring, chosen.count);
    }
    *count = chosen.count;
    *why = chosen.why     ? chosen.why
           : chosen.count ? "by the mutate of the script"
                          : "the mutate of the script leaves it as it is";
    return true;
}

bool sw_segment_breed_select(const struct sw_segment_move *m, struct sw_chosen *chosen) {
    const struct sw_breeding *breeding = move_breeding(m);
    const struct sw_segment_state *g = m->g;
    const struct sw_sequences *p = &g->population;
    struct sw_assignment *all = SW_NEW(struct sw_assignment, p->count);
    struct sw_assignment_scene scene = assignment_scene(m);
    uint64_t random = g->random;
    bool ok = all || sw_fail_memory(m->run->error);
    scene.most = g->set.survivors;
    for (uint32_t i = 0; ok && i < p->count; i++) {
        const struct sw_sequence_member *member = &p->members[i];
        all[i] = (struct sw_assignment){.segments = sw_sequences_sequence(p, i),
                                        .measured = member->fitness.clashes == 0,
                                        .migration = member->fitness.moved,
                                        .cost = (double)NAN,
                                        .clashes = member->fitness.clashes,
                                        .fitness = sw_segment_value(g, member->fitness.bytes),
                                        .processed = member->processed};
    }
    ok = ok && breeding->keep(breeding->context, &scene, all, p->count, chosen, m->run->error) &&
         sw_check_chosen(breeding, chosen, p->count, m->run->error);
    m->g->random = ok ? m->g->random : random;
    SW_FREE(all, p->count);
    return ok;
}
