/* order-genetic: operators that are told from outside (planners/breeding.h). What they answer is checked here: an order
 * has every buffer once, places exist, figures are numbers. */
#include "planners/orders/order_genetic.h"
#include "base/base.h"

/* So many orders of the first population are asked for until one comes that is not there yet. */
enum { MOST_TRIES = 1000 };

static const struct sw_breeding *order_breeding(const struct sw_run *run) {
    return run->params->breeding;
}

static struct sw_breeding_scene breeding_scene(struct genetic *g, const struct sw_run *run) {
    return (struct sw_breeding_scene){.problem = run->problem,
                                      .window_min = g->window_min,
                                      .window_max = g->window_max,
                                      .swap = g->swaps_again,
                                      .number = g->members + g->children,
                                      .swaps = g->swaps,
                                      .random = &g->random};
}

static struct sw_individual individual_of(const struct genetic *g, const struct sw_genome *genome) {
    struct sw_individual one = {
        .count = genome->count, .order = genome->order, .decoded = genome->decoded, .cost = (double)NAN};
    if (genome->decoded) {
        one.sequence = genome->sequence;
        one.reuse = genome->reuse;
        one.continuity = genome->continuity;
        one.peak = genome->peak;
        one.above = genome->above;
        one.tiers = genome->tiers;
        one.arena = genome->arena;
        one.cost = g->by_cost ? genome->cost : one.cost;
    }
    return one;
}

/* Every buffer once? Says which is not. */
static bool is_order(struct genetic *g, const struct sw_run *run, const char *operator_, const struct sw_rank *order) {
    memset(g->taken, 0, g->count * sizeof *g->taken);
    for (uint32_t i = 0; i < g->count; i++) {
        if (order[i].at >= g->count || g->taken[order[i].at]) {
            return sw_fail(run->error, SW_ERROR_INPUT, "%s of %s: place %u has %s", operator_,
                           order_breeding(run)->name, (unsigned)i + 1,
                           order[i].at >= g->count ? "no buffer of this problem" : "a buffer that came before");
        }
        g->taken[order[i].at] = true;
    }
    return true;
}

bool sw_genetic_breed_seed(struct genetic *g, const struct sw_run *run, bool *given, const char **why) {
    const struct sw_breeding *breeding = order_breeding(run);
    *given = false;
    if (!breeding || !breeding->seed) {
        return true;
    }
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        struct sw_breeding_scene scene = breeding_scene(g, run);
        if (!breeding->seed(breeding->context, &scene, g->now->order, given, why, run->error)) {
            return false;
        }
        if (!*given) {
            return true;
        }
        if (!is_order(g, run, "seed_population", g->now->order)) {
            return false;
        }
        if (!sw_genetic_has_order(g, g->now->order)) {
            return true;
        }
    }
    return sw_fail(run->error, SW_ERROR_INPUT,
                   "seed_population of %s gives orders that are there already, %d times in a row", breeding->name,
                   MOST_TRIES);
}

bool sw_genetic_breed_cross(struct genetic *g, const struct sw_run *run, struct sw_crossing *told) {
    const struct sw_breeding *breeding = order_breeding(run);
    const struct sw_genome *a = g->all[g->parents[0]], *b = g->all[g->parents[1]];
    struct sw_breeding_scene scene = breeding_scene(g, run);
    struct sw_individual first = individual_of(g, a), second = individual_of(g, b);
    *told = (struct sw_crossing){0};
    if (!breeding->cross(breeding->context, &scene, &first, &second, g->now->order, told, run->error) ||
        !is_order(g, run, "crossover", g->now->order)) {
        return false;
    }
    if (told->length > g->count || told->at > g->count - told->length) {
        return sw_fail(run->error, SW_ERROR_INPUT, "crossover of %s: there are no places %u to %u", breeding->name,
                       (unsigned)told->at + 1, (unsigned)(told->at + told->length));
    }
    for (uint32_t i = told->at; i < told->at + told->length; i++) {
        if (g->now->order[i].at != a->sequence[i].at) {
            return sw_fail(run->error, SW_ERROR_INPUT,
                           "crossover of %s: place %u is said to be the first parent's, and is not", breeding->name,
                           (unsigned)i + 1);
        }
    }
    return true;
}

bool sw_genetic_breed_mutate(struct genetic *g, const struct sw_run *run, struct sw_exchange *exchange) {
    const struct sw_breeding *breeding = order_breeding(run);
    struct sw_breeding_scene scene = breeding_scene(g, run);
    struct sw_individual child = individual_of(g, g->now);
    *exchange = (struct sw_exchange){0};
    if (!breeding->mutate(breeding->context, &scene, &child, exchange, run->error)) {
        return false;
    }
    return (exchange->a < g->count && exchange->b < g->count && exchange->a != exchange->b) ||
           sw_fail(run->error, SW_ERROR_INPUT, "mutate of %s: it gives two different places from 1 to %u",
                   breeding->name, (unsigned)g->count);
}

bool sw_genetic_breed_select(struct genetic *g, const struct sw_run *run, struct sw_chosen *chosen) {
    const struct sw_breeding *breeding = order_breeding(run);
    uint32_t count = g->members + g->children;
    struct sw_individual *all = SW_NEW(struct sw_individual, count);
    uint64_t random = g->random;
    bool ok = all || sw_fail_memory(run->error);
    for (uint32_t i = 0; ok && i < count; i++) {
        all[i] = individual_of(g, g->all[i]);
    }
    struct sw_breeding_scene scene = breeding_scene(g, run);
    scene.members = g->members;
    scene.most = g->size;
    ok = ok && breeding->select(breeding->context, &scene, all, count, chosen, run->error) &&
         sw_check_chosen(breeding, chosen, count, run->error);
    g->random = ok ? g->random : random;
    SW_FREE(all, count);
    return ok;
}

bool sw_genetic_breed_fitness(struct genetic *g, const struct sw_run *run, struct sw_genome *genome) {
    const struct sw_breeding *breeding = order_breeding(run);
    if (!breeding || !breeding->fitness || !genome->decoded) {
        return true;
    }
    struct sw_breeding_scene scene = breeding_scene(g, run);
    struct sw_individual one = individual_of(g, genome);
    uint32_t count = 0;
    if (!breeding->fitness(breeding->context, &scene, &one, genome->figures, &count, run->error)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!isfinite(genome->figures[i])) {
            return sw_fail(run->error, SW_ERROR_INPUT, "fitness of %s: figure %u is no finite number", breeding->name,
                           (unsigned)i + 1);
        }
    }
    genome->figure_count = count;
    return count > 0 || sw_fail(run->error, SW_ERROR_INPUT, "fitness of %s gives no figure", breeding->name);
}
