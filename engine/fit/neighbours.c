/* Models near the best one: with one region exchanged for another, or left out. */
#include "fit/fit_search.h"

#include "base/minmax.h"

/* What the cuts of these regions come to, without planning: a choice. False: two of them overlap, or they are not
 * allowed. */
static bool sum_up_cuts(const struct sw_fit_search *run, const struct sw_fit_variant *variant,
                        const struct sw_fit_cut *const *cuts, size_t count, struct sw_fit_choice *choice) {
    const struct sw_problem *problem = variant->base.problem;
    const uint64_t *profile = sw_problem_profile(problem);
    uint32_t operators = sw_problem_operator_count(problem), next = 0;
    *choice = (struct sw_fit_choice){0};
    for (size_t i = 0; i <= count; i++) {
        uint32_t first = i < count ? cuts[i]->region.first : operators;
        if (first < next) {
            return false;
        }
        for (; next < first; next++) {
            choice->live = SW_MAX(choice->live, profile[next]);
        }
        if (i < count) {
            choice->live = SW_MAX(choice->live, sw_fit_live(&variant->cuts, cuts[i]));
            choice->tail += cuts[i]->tail;
            choice->macs += cuts[i]->macs;
            choice->flash += cuts[i]->flash;
            choice->calls += cuts[i]->calls;
            next = cuts[i]->region.last + 1;
        }
    }
    choice->bytes = sw_fit_bytes(problem, &run->limits, choice);
    return sw_fit_allows(&variant->cuts, &run->limits,
                         &(struct sw_fit_more){choice->macs, choice->flash, choice->calls});
}

/* The cut that a region is, or that it is the other way. */
static const struct sw_fit_cut *find_region_cut(const struct sw_fit_cuts *cuts, const struct sw_fit_region *region) {
    struct sw_fit_region turned = *region;
    sw_fit_turn(cuts->problem, &turned);
    for (int way = 0; way < 2; way++) {
        for (size_t i = 0; i < cuts->items.count; i++) {
            if (sw_fit_same_region(&cuts->items.items[i].region, way ? &turned : region)) {
                return &cuts->items.items[i];
            }
        }
    }
    return NULL;
}

/* Is there a model of these regions already? */
static bool is_choice_planned(const struct sw_fit_search *run, uint32_t variant, const struct sw_fit_cut *const *cuts,
                              size_t count) {
    for (size_t m = 0; m < run->result->models.count; m++) {
        const struct sw_fit_model *model = &run->result->models.items[m];
        bool same = model->variant == variant && model->region_count == count;
        for (size_t i = 0; same && i < count; i++) {
            same = sw_fit_same_region(&model->regions[i], &cuts[i]->region);
        }
        if (same) {
            return true;
        }
    }
    return false;
}

/* The cuts of the best model. Its regions are exchanged next. */
static bool take_cuts(struct sw_fit_search *run) {
    const struct sw_fit_model *best = &run->result->models.items[run->best];
    run->before = run->best;
    run->cuts.count = run->places.count = 0;
    for (size_t i = 0; i < best->region_count; i++) {
        const struct sw_fit_cut *cut = find_region_cut(&sw_fit_variant_of(run, best)->cuts, &best->regions[i]);
        if (!cut) {
            run->cuts.count = 0; /* none of those that were measured */
            return true;
        }
        if (!SW_PUSH(&run->cuts, cut)) {
            return false;
        }
    }
    return true;
}

/* The best model's cuts but one, which `other` replaces; NULL: its operators stay as they are. How many they are. */
static size_t exchange_cut(const struct sw_fit_search *run, size_t which, const struct sw_fit_cut *other,
                           const struct sw_fit_cut **cuts) {
    size_t count = 0;
    for (size_t i = 0; i < run->cuts.count; i++) {
        const struct sw_fit_cut *cut = i == which ? other : run->cuts.items[i];
        cuts[count] = cut;
        count += cut != NULL;
    }
    return count;
}

/* What takes the place of a cut: one of the cuts of these operators, or none (first SW_NONE). */
static struct sw_fit_place *place_tried_of(struct sw_fit_search *run, size_t which, const struct sw_fit_cut *other) {
    struct sw_fit_place place = {
        .which = which, .first = other ? other->region.first : SW_NONE, .last = other ? other->region.last : SW_NONE};
    for (size_t i = 0; i < run->places.count; i++) {
        struct sw_fit_place *one = &run->places.items[i];
        if (one->which == place.which && one->first == place.first && one->last == place.last) {
            return one;
        }
    }
    return SW_PUSH(&run->places, place) ? &run->places.items[run->places.count - 1] : NULL;
}

/* Of the models with one cut exchanged for one that begins or ends where it does, or left out, the one that promises
 * most and was not tried: `cuts` has its cuts then. What is alive tells less than addresses do, so it has to promise
 * more than the best model needs, no more; and operators that were tried less often come first, as the same ones mostly
 * lose the same. False: no memory. */
static bool next_neighbour(struct sw_fit_search *run, const struct sw_fit_cut **cuts, size_t *count) {
    const struct sw_fit_model *best = &run->result->models.items[run->best];
    const struct sw_fit_variant *variant = sw_fit_variant_of(run, best);
    uint64_t least = UINT64_MAX;
    uint32_t tries = UINT32_MAX;
    const struct sw_fit_cut *chosen = NULL;
    size_t of = SIZE_MAX;
    for (size_t which = 0; which < run->cuts.count; which++) {
        const struct sw_fit_cut *own = run->cuts.items[which];
        for (size_t i = 0; i <= variant->cuts.items.count; i++) {
            const struct sw_fit_cut *other = i < variant->cuts.items.count ? &variant->cuts.items.items[i] : NULL;
            bool near =
                !other ||
                (other != own && (other->region.first == own->region.first || other->region.last == own->region.last));
            struct sw_fit_choice choice;
            size_t list = near ? exchange_cut(run, which, other, cuts) : 0;
            if (list == 0 || !sum_up_cuts(run, variant, cuts, list, &choice) || choice.bytes >= best->bytes) {
                continue;
            }
            const struct sw_fit_place *place = place_tried_of(run, which, other);
            if (!place) {
                return sw_fail_memory(run->error);
            }
            bool better = place->tries < tries || (place->tries == tries && choice.bytes < least);
            if (better && !is_choice_planned(run, best->variant, cuts, list)) {
                least = choice.bytes;
                tries = place->tries;
                chosen = other;
                of = which;
            }
        }
    }
    *count = of == SIZE_MAX ? 0 : exchange_cut(run, of, chosen, cuts);
    if (*count > 0) {
        place_tried_of(run, of, chosen)->tries++; /* it is there */
    }
    return true;
}

static bool try_neighbour(struct sw_fit_search *run, const struct sw_fit_cut *const *cuts, size_t count) {
    size_t models = run->result->models.count;
    struct sw_fit_region *regions = SW_NEW(struct sw_fit_region, count);
    for (size_t i = 0; regions && i < count; i++) {
        regions[i] = cuts[i]->region;
    }
    const struct sw_fit_model *best = &run->result->models.items[run->best];
    bool good =
        regions ? sw_fit_try_regions(run, best->variant, regions, count, best->bytes) : sw_fail_memory(run->error);
    run->left = run->result->models.count == models
                    ? 0
                    : run->left - 1; /* nothing came of it: no more than --max-flash allows */
    for (size_t m = models; good && m < run->result->models.count; m++) {
        run->best = run->result->models.items[m].bytes < run->result->models.items[run->best].bytes ? m : run->best;
    }
    SW_FREE(regions, count);
    return good;
}

void sw_fit_begin_to_improve(struct sw_fit_search *run, enum fit_search_phase phase, size_t most) {
    run->phase = phase;
    run->left = most;
    run->best = run->cuts.count = 0;
    run->before = SIZE_MAX;
    for (size_t i = 0; i < run->result->models.count; i++) {
        run->best = run->result->models.items[i].bytes < run->result->models.items[run->best].bytes ? i : run->best;
    }
}

bool sw_fit_improve(struct sw_fit_search *run, bool *tried) {
    *tried = false;
    if (run->left == 0 || sw_fit_is_stopped(run) ||
        (run->request.has_capacity && sw_fit_fits(run, &run->result->models.items[run->best]))) {
        return true;
    }
    if (run->best != run->before && !take_cuts(run)) {
        return sw_fail_memory(run->error);
    }
    const struct sw_fit_cut **cuts = SW_NEW(const struct sw_fit_cut *, run->cuts.count + 1);
    size_t count = 0;
    bool good = cuts || sw_fail_memory(run->error);
    good = good && next_neighbour(run, cuts, &count);
    *tried = good && count > 0;
    good = good && (count == 0 || try_neighbour(run, cuts, count));
    SW_FREE(cuts, run->cuts.count + 1);
    return good;
}
