#include "fit/find_fit.h"
#include "fit/fit_model.h"

#include "base/minmax.h"
#include "problem/change/change.h"

#include <stdlib.h> /* qsort */
#include <string.h>

#define WORK UINT64_C(400000000)
#define MORE_WORK UINT64_C(30000000) /* that finding cuts of further variants may take: a second or two */
enum { MOST_MODELS = 24, MOST_EXCHANGES = 400, MOST_FITTING = 1000, MOST_AGAIN = 3, MOST_CANDIDATES = 6 };

struct run {
    const struct sw_problem *problem;
    const struct sw_fit_request *request;
    struct sw_fit_result *result;
    struct sw_error *error;
    bool *tried[SW_FIT_MOST_VARIANTS]; /* of each front's choices */
    bool canceled;
    struct sw_fit_limits limits; /* of what is more than a model that is only written with a plan */
    struct sw_fit_planning planning;
};

static bool is_stopped(struct run *run) {
    const struct sw_fit_limits *limits = &run->limits;
    run->canceled = run->canceled || (limits->go_on && !limits->go_on(limits->context, run->result->models.count, MOST_MODELS + MOST_EXCHANGES));
    return run->canceled;
}

static bool may(const struct run *run, enum sw_fit_move_kind kind) {
    unsigned moves = run->request->moves ? run->request->moves : SW_FIT_MAY(SW_FIT_STRIPS);
    return (moves & SW_FIT_MAY(kind)) != 0;
}

static const struct sw_fit_variant *variant_of(const struct run *run, const struct sw_fit_model *model) {
    return &run->result->variants[model->variant];
}

/* ---- one model ---- */

/* The choice made and planned, as one more model. */
static bool add_model(struct run *run, uint32_t variant, const struct sw_fit_region *regions, size_t count) {
    struct sw_fit_model model;
    bool first = run->result->models.count == 0, good = sw_fit_model_make(&run->planning, &run->result->variants[variant], variant, regions, count, &model);
    bool allowed = first || run->request->limits.flash == 0 || model.flash <= run->request->limits.flash;
    good = good && (!allowed || SW_PUSH(&run->result->models, model) || sw_fail_memory(run->error));
    if (!good || !allowed) {
        sw_fit_model_done(&model);
    }
    return good;
}

/* ---- which choices ---- */

static const struct sw_fit_model *last_model(const struct run *run) {
    return &run->result->models.items[run->result->models.count - 1];
}

static bool fits(const struct run *run, const struct sw_fit_model *model) {
    return !run->request->has_capacity || model->bytes <= run->request->capacity;
}

/* A base that is the model itself, not cut, is there already; with results over arguments it is another model. */
static bool try_choice(struct run *run, uint32_t variant, size_t number) {
    const struct sw_fit_front *front = &run->result->variants[variant].front;
    const struct sw_fit_choice *choice = &front->items.items[number];
    run->tried[variant][number] = true;
    return (choice->count == 0 && variant == 0) || add_model(run, variant, front->chosen.items + choice->first, choice->count);
}

/* ---- neighbours of a choice ---- */

/* What the cuts of these regions come to, without planning: a choice. False: two of them overlap, or they are not allowed. */
static bool sum_up(struct run *run, const struct sw_fit_variant *variant, const struct sw_fit_cut *const *cuts, size_t count, struct sw_fit_choice *choice) {
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
    return sw_fit_allows(&variant->cuts, &run->limits, &(struct sw_fit_more){choice->macs, choice->flash, choice->calls});
}

static bool same_region(const struct sw_fit_region *a, const struct sw_fit_region *b) {
    return a->first == b->first && a->last == b->last && a->strips == b->strips && a->way == b->way;
}

static const struct sw_fit_cut *find_cut(const struct sw_fit_cuts *cuts, const struct sw_fit_region *region) {
    for (size_t i = 0; i < cuts->items.count; i++) {
        if (same_region(&cuts->items.items[i].region, region)) {
            return &cuts->items.items[i];
        }
    }
    return NULL;
}

/* Is there a model of these regions already? */
static bool is_planned(const struct run *run, uint32_t variant, const struct sw_fit_cut *const *cuts, size_t count) {
    for (size_t m = 0; m < run->result->models.count; m++) {
        const struct sw_fit_model *model = &run->result->models.items[m];
        bool same = model->variant == variant && model->region_count == count;
        for (size_t i = 0; same && i < count; i++) {
            same = same_region(&model->regions[i], &cuts[i]->region);
        }
        if (same) {
            return true;
        }
    }
    return false;
}

/* One region of a model exchanged for each other cut that begins or ends where it does; those that can be better than the best are planned.
 * `left`: how many more may be. */
static bool exchange(struct run *run, const struct sw_fit_cut **cuts, size_t count, size_t which, size_t *left, size_t *best) {
    struct sw_fit_result *result = run->result;
    uint32_t number = result->models.items[*best].variant;
    const struct sw_fit_variant *variant = &result->variants[number];
    const struct sw_fit_cut *own = cuts[which];
    struct sw_fit_region *regions = SW_NEW(struct sw_fit_region, count);
    bool good = regions || sw_fail_memory(run->error);
    for (size_t c = 0; good && c < variant->cuts.items.count && *left > 0 && !is_stopped(run); c++) {
        const struct sw_fit_cut *other = &variant->cuts.items.items[c];
        struct sw_fit_choice choice;
        bool near = other->region.first == own->region.first || other->region.last == own->region.last;
        cuts[which] = other;
        if (!near || other == own || !sum_up(run, variant, cuts, count, &choice) || choice.bytes >= result->models.items[*best].bytes ||
            is_planned(run, number, cuts, count)) {
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            regions[i] = cuts[i]->region;
        }
        good = add_model(run, number, regions, count);
        (*left)--;
        if (good && last_model(run)->bytes < result->models.items[*best].bytes) {
            *best = result->models.count - 1;
        }
    }
    cuts[which] = own;
    SW_FREE(regions, count);
    return good;
}

/* From the best model on, one region after the other is exchanged, as long as that helps. What is alive tells less than addresses do, so a
 * neighbour may be better though its bound is not. */
static bool improve(struct run *run) {
    struct sw_fit_result *result = run->result;
    size_t best = 0, left = MOST_EXCHANGES, before = SIZE_MAX;
    for (size_t i = 0; i < result->models.count; i++) {
        best = result->models.items[i].bytes < result->models.items[best].bytes ? i : best;
    }
    while (best != before && left > 0 && !is_stopped(run) && (!run->request->has_capacity || !fits(run, &result->models.items[best]))) {
        before = best;
        for (size_t which = 0; which < result->models.items[best].region_count && left > 0; which++) {
            size_t count = result->models.items[best].region_count;
            const struct sw_fit_cut **cuts = SW_NEW(const struct sw_fit_cut *, count);
            bool good = cuts || sw_fail_memory(run->error);
            for (size_t i = 0; good && i < count; i++) {
                cuts[i] = find_cut(&variant_of(run, &result->models.items[best])->cuts, &result->models.items[best].regions[i]);
            }
            good = good && exchange(run, cuts, count, which, &left, &best);
            SW_FREE(cuts, count);
            if (!good) {
                return false;
            }
        }
    }
    return true;
}

/* ---- the search ---- */

/* A choice of a front. */
struct pick {
    uint32_t variant;
    size_t number;
    uint64_t bytes, macs, tail;
};

static struct pick pick_of(const struct run *run, uint32_t variant, size_t number) {
    const struct sw_fit_variant *v = &run->result->variants[variant];
    const struct sw_fit_choice *choice = &v->front.items.items[number];
    uint64_t outside = sw_problem_outside(v->base.problem) - sw_problem_outside(run->problem);
    return (struct pick){variant, number, choice->bytes, choice->macs + v->cuts.more.macs, choice->tail + outside};
}

/* Of the fronts' choices that may fit the one with the fewest multiply-adds, and of these with the smallest tail, that was not tried. False:
 * there is none. */
static bool next_choice(const struct run *run, struct pick *next) {
    bool found = false;
    for (uint32_t v = 0; v < run->result->variant_count; v++) {
        for (size_t i = 0; i < run->result->variants[v].front.items.count; i++) {
            struct pick one = pick_of(run, v, i);
            if (!run->tried[v][i] && one.bytes <= run->request->capacity &&
                (!found || one.macs < next->macs || (one.macs == next->macs && one.tail < next->tail))) {
                *next = one;
                found = true;
            }
        }
    }
    return found;
}

/* The one of the fronts' choices with the fewest bytes: what comes nearest. */
static bool try_nearest(struct run *run) {
    struct pick best = {.bytes = UINT64_MAX};
    for (uint32_t v = 0; v < run->result->variant_count; v++) {
        if (run->result->variants[v].front.items.count > 0 && pick_of(run, v, 0).bytes < best.bytes) {
            best = pick_of(run, v, 0);
        }
    }
    return best.bytes == UINT64_MAX || run->tried[best.variant][best.number] || is_stopped(run) || try_choice(run, best.variant, best.number);
}

/* The cheapest one that fits. */
static bool find_fitting(struct run *run) {
    size_t left = MOST_FITTING;
    for (struct pick next; left > 0 && next_choice(run, &next) && !is_stopped(run); left--) {
        size_t before = run->result->models.count;
        if (!try_choice(run, next.variant, next.number)) {
            return false;
        }
        if (run->result->models.count > before && fits(run, last_model(run))) {
            return true;
        }
    }
    /* Nothing fits: what comes nearest is worth knowing, and one of its neighbours may fit. */
    return try_nearest(run) && improve(run);
}

/* Of one variant the most promising first, until none can be better than what was found; then some of the others, for the choice between bytes
 * and work. */
static bool find_least_of(struct run *run, uint32_t variant, uint64_t *best) {
    const struct sw_fit_front *front = &run->result->variants[variant].front;
    size_t count = front->items.count, left = MOST_MODELS;
    bool promising = variant == 0;
    for (size_t i = 0; i < count && left > 0 && front->items.items[i].bytes < *best && !is_stopped(run); i++, left--) {
        promising = true;
        if (!try_choice(run, variant, i)) {
            return false;
        }
        *best = SW_MIN(*best, last_model(run)->bytes); /* of one that was not taken it is another one's */
    }
    size_t stride = SW_MAX(count / (MOST_MODELS / 2), 1);
    for (size_t i = 0; promising && i < count && !is_stopped(run); i += stride) {
        if (!run->tried[variant][i] && !try_choice(run, variant, i)) {
            return false;
        }
    }
    return true;
}

static bool find_least(struct run *run) {
    uint64_t best = run->result->models.items[0].bytes;
    for (uint32_t v = 0; v < run->result->variant_count; v++) {
        if (!find_least_of(run, v, &best)) {
            return false;
        }
    }
    return improve(run);
}

/* ---- the result ---- */

static int by_bytes(const void *a, const void *b) {
    const struct sw_fit_model *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes ? -1 : 1) : x->macs != y->macs ? (x->macs < y->macs ? -1 : 1) : x->calls != y->calls ? (x->calls < y->calls ? -1 : 1) : (x->variant > y->variant) - (x->variant < y->variant);
}

/* The model as it is stays first; of the others those go that one with no more bytes and no more multiply-adds beats. */
static void keep_best(struct run *run) {
    struct sw_fit_result *result = run->result;
    size_t kept = 1;
    uint64_t macs = UINT64_MAX;
    if (result->models.count > 1) {
        qsort(result->models.items + 1, result->models.count - 1, sizeof *result->models.items, by_bytes);
    }
    for (size_t i = 1; i < result->models.count; i++) {
        struct sw_fit_model *model = &result->models.items[i];
        if (model->macs < macs && model->bytes < result->models.items[0].bytes) {
            macs = model->macs;
            result->models.items[kept++] = *model;
        } else {
            sw_fit_model_done(model);
        }
    }
    result->models.count = kept;
}

static void choose(struct run *run) {
    struct sw_fit_result *result = run->result;
    for (size_t i = 0; i < result->models.count; i++) {
        const struct sw_fit_model *model = &result->models.items[i], *chosen = &result->models.items[result->chosen];
        bool fitting = fits(run, model);
        bool cheaper = model->macs < chosen->macs || (model->macs == chosen->macs && model->calls < chosen->calls);
        bool smaller = model->bytes < chosen->bytes;
        if (fitting && result->fits ? run->request->has_capacity ? cheaper : smaller : fitting || (!result->fits && smaller)) {
            result->chosen = i;
        }
        result->fits = result->fits || fitting;
    }
}

/* ---- variants ---- */

static uint64_t least_of(const struct run *run, const struct sw_fit_variant *variant) {
    return run->limits.of_head ? variant->front.live : variant->front.arena;
}

/* Its cuts, those of another variant where they are known, and its front. */
static bool find_front(struct run *run, struct sw_fit_variant *variant, const struct sw_fit_cuts *known) {
    const struct sw_fit_limits *limits = &run->limits;
    bool good = true;
    variant->cuts.more = variant->base.more;
    if (known) {
        good = sw_fit_cuts_copy(known, variant->base.problem, &variant->cuts);
    } else if (may(run, SW_FIT_STRIPS)) {
        good = sw_fit_cuts_find(variant->base.problem, limits, &variant->cuts);
    } else {
        sw_fit_cuts_none(variant->base.problem, &variant->cuts);
    }
    return (good && sw_fit_front_find(&variant->cuts, limits, &variant->front)) || sw_fail_memory(run->error);
}

static void drop_variant(struct sw_fit_variant *variant) {
    sw_fit_front_done(&variant->front);
    sw_fit_cuts_done(&variant->cuts);
    sw_fit_base_done(&variant->base);
}

/* The next variant, from a base that is taken over. */
static bool add_variant(struct run *run, struct sw_fit_base *base, const struct sw_fit_cuts *known) {
    struct sw_fit_variant *variant = &run->result->variants[run->result->variant_count++];
    variant->base = *base;
    *base = (struct sw_fit_base){0};
    return find_front(run, variant, known);
}

static bool has_room(const struct run *run) {
    return run->result->variant_count < SW_FIT_MOST_VARIANTS;
}

/* The same with results over arguments, where that can be better. */
static bool add_in_place(struct run *run, uint32_t of) {
    struct sw_fit_result *result = run->result;
    struct sw_fit_base base = {0};
    bool gains = false, good = !may(run, SW_FIT_INPLACE) || !has_room(run) || sw_fit_base_in_place(&result->variants[of].base, &base, &gains, run->error);
    if (good && gains) {
        good = add_variant(run, &base, &result->variants[of].cuts);
        struct sw_fit_variant *variant = &result->variants[result->variant_count - 1];
        if (good && variant->front.live == result->variants[of].front.live && variant->front.arena == result->variants[of].front.arena &&
            sw_problem_lower_bound(variant->base.problem) == sw_problem_lower_bound(result->variants[of].base.problem)) {
            drop_variant(variant);
            result->variant_count--;
        }
    }
    sw_fit_base_done(&base);
    return good;
}

static bool add_in_order(struct run *run) {
    struct sw_fit_base base = {0};
    bool gains = false;
    bool good = !may(run, SW_FIT_ORDER) || is_stopped(run) || sw_fit_base_in_order(&run->result->variants[0].base, &base, &gains, run->error);
    good = good && (!gains || (has_room(run) ? add_variant(run, &base, NULL) : true));
    sw_fit_base_done(&base);
    return good;
}

/* Buffers that wait where a variant needs most, the largest first. */
static size_t list_waiting(const struct sw_fit_variant *variant, uint32_t waiting[MOST_CANDIDATES]) {
    const struct sw_problem *problem = variant->base.problem;
    size_t count = 0;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        uint32_t from, to;
        uint64_t size = sw_problem_buffer(problem, b)->size;
        if (!sw_problem_waits(problem, b, variant->front.forced, &from, &to) || sw_problem_recomputes(problem, b, variant->front.forced, NULL) == SW_NONE) {
            continue;
        }
        size_t at = count < MOST_CANDIDATES ? count++ : MOST_CANDIDATES - 1;
        if (at == MOST_CANDIDATES - 1 && count == MOST_CANDIDATES && waiting[at] != SW_NONE && sw_problem_buffer(problem, waiting[at])->size >= size) {
            continue;
        }
        for (; at > 0 && sw_problem_buffer(problem, waiting[at - 1])->size < size; at--) {
            waiting[at] = waiting[at - 1];
        }
        waiting[at] = b;
    }
    return count;
}

/* Of all operators that could run again for the step at which a variant needs most the one that helps most. `better`: there is one; then it is
 * the next variant. */
static bool add_again(struct run *run, uint32_t of, uint64_t *work, bool *better) {
    struct sw_fit_result *result = run->result;
    uint32_t waiting[MOST_CANDIDATES] = {SW_NONE, SW_NONE, SW_NONE, SW_NONE, SW_NONE, SW_NONE};
    size_t count = list_waiting(&result->variants[of], waiting);
    struct sw_fit_variant best = {0};
    bool good = true;
    *better = false;
    for (size_t i = 0; good && i < count && !is_stopped(run); i++) {
        struct sw_fit_variant one = {0};
        bool gains = false;
        good = sw_fit_base_again(&result->variants[of].base, waiting[i], result->variants[of].front.forced, &one.base, &gains, run->error);
        if (!good || !gains || *work + result->variants[of].cuts.work > MORE_WORK ||
            !sw_fit_allows(&result->variants[of].cuts, &run->limits, &(struct sw_fit_more){one.base.more.macs - result->variants[of].base.more.macs,
                                                                                                     one.base.more.flash - result->variants[of].base.more.flash, 1})) {
            drop_variant(&one);
            continue;
        }
        good = find_front(run, &one, NULL);
        *work += one.cuts.work;
        if (good && least_of(run, &one) < least_of(run, *better ? &best : &result->variants[of])) {
            drop_variant(&best);
            best = one;
            *better = true;
        } else {
            drop_variant(&one);
        }
    }
    if (good && *better) {
        result->variants[result->variant_count++] = best;
    } else {
        drop_variant(&best);
    }
    return good;
}

/* The model, in another order, with operators that run again; and each with results over arguments. */
static bool add_variants(struct run *run) {
    struct sw_fit_result *result = run->result;
    struct sw_fit_base base = {0};
    uint64_t work = 0;
    bool good = sw_fit_base_of(run->problem, &base, run->error) && add_variant(run, &base, NULL) && add_in_order(run);
    uint32_t plain = (uint32_t)result->variant_count;
    for (uint32_t v = 0; good && v < plain && may(run, SW_FIT_RECOMPUTE); v++) {
        bool better = true;
        uint32_t of = v;
        for (int again = 0; good && better && again < MOST_AGAIN && result->variant_count + 2 < SW_FIT_MOST_VARIANTS; again++) {
            good = add_again(run, of, &work, &better);
            of = (uint32_t)result->variant_count - 1;
        }
    }
    plain = (uint32_t)result->variant_count;
    for (uint32_t v = 0; good && v < plain; v++) {
        good = add_in_place(run, v);
    }
    sw_fit_base_done(&base);
    result->least = UINT64_MAX;
    for (uint32_t v = 0; good && v < result->variant_count; v++) {
        struct sw_fit_variant *variant = &result->variants[v];
        if (least_of(run, variant) < result->least) {
            result->least = least_of(run, variant);
            result->least_of = v;
        }
        result->missed |= variant->cuts.missed;
        result->stopped |= variant->cuts.stopped;
        run->tried[v] = SW_NEW_ZERO(bool, variant->front.items.count);
        good = variant->front.items.count == 0 || run->tried[v] || sw_fail_memory(run->error);
    }
    return good;
}

/* ---- what limits exclude ---- */

/* With one limit less, how small could it be? The search for cuts alone, nothing is planned. */
static bool find_excluded(struct run *run) {
    const struct sw_fit_limits *limits = &run->limits;
    bool given[SW_FIT_LIMIT_COUNT] = {[SW_FIT_LIMIT_MACS] = limits->macs > 0, [SW_FIT_LIMIT_CALLS] = limits->calls > 0,
                                      [SW_FIT_LIMIT_FLASH] = limits->flash > 0, [SW_FIT_LIMIT_ACTS] = run->result->missed != 0};
    given[SW_FIT_LIMIT_ALL] = given[SW_FIT_LIMIT_MACS] + given[SW_FIT_LIMIT_CALLS] + given[SW_FIT_LIMIT_FLASH] + given[SW_FIT_LIMIT_ACTS] > 1;
    const struct sw_fit_base *base = &run->result->variants[run->result->least_of].base;
    bool good = true;
    for (int limit = 0; good && limit < SW_FIT_LIMIT_COUNT && may(run, SW_FIT_STRIPS) && !is_stopped(run); limit++) {
        struct sw_fit_limits fewer = *limits;
        struct sw_fit_cuts cuts = {.more = base->more};
        struct sw_fit_front front = {0};
        fewer.macs = limit == SW_FIT_LIMIT_MACS || limit == SW_FIT_LIMIT_ALL ? 0 : fewer.macs;
        fewer.calls = limit == SW_FIT_LIMIT_CALLS || limit == SW_FIT_LIMIT_ALL ? 0 : fewer.calls;
        fewer.flash = limit == SW_FIT_LIMIT_FLASH || limit == SW_FIT_LIMIT_ALL ? 0 : fewer.flash;
        fewer.lacking = limit == SW_FIT_LIMIT_ACTS || limit == SW_FIT_LIMIT_ALL ? 0 : fewer.lacking;
        if (given[limit]) {
            good = (sw_fit_cuts_find(base->problem, &fewer, &cuts) && sw_fit_front_find(&cuts, &fewer, &front)) || sw_fail_memory(run->error);
            uint64_t least = good && front.items.count > 0 ? front.items.items[0].bytes : UINT64_MAX;
            run->result->without[limit] = least <= run->request->capacity ? least : 0;
        }
        sw_fit_front_done(&front);
        sw_fit_cuts_done(&cuts);
    }
    return good;
}

/* ---- all of it ---- */

/* Where nothing fits: the smallest model with tensors that wait in another memory. What is least is so of models without. */
static bool spill(struct run *run) {
    struct sw_fit_result *result = run->result;
    const struct sw_fit_model *chosen = &result->models.items[result->chosen];
    struct sw_fit_model model;
    bool good = sw_fit_model_make(&run->planning, variant_of(run, chosen), chosen->variant, chosen->regions, chosen->region_count, &model) &&
                sw_fit_model_spill(&run->planning, run->request->memories, run->request->capacity, &model);
    if (!good || model.bytes >= chosen->bytes) {
        sw_fit_model_done(&model);
        return good;
    }
    good = SW_PUSH(&result->models, model) || sw_fail_memory(run->error);
    if (good) {
        result->fits = fits(run, &model);
        result->chosen = result->models.count - 1;
    }
    return good;
}

/* A plan and the lists that are written anew take flash whatever is changed: what is left is for the changes. */
static bool find_limits(struct run *run) {
    struct sw_fit_variant variant = {0};
    struct sw_fit_model model = {0};
    run->limits = run->request->limits;
    if (run->limits.flash == 0 || !run->request->flash) {
        return true;
    }
    run->planning.request = run->request;
    bool good = sw_fit_base_of(run->problem, &variant.base, run->error) && sw_fit_model_make(&run->planning, &variant, 0, NULL, 0, &model);
    run->limits.flash = run->limits.flash > model.flash ? run->limits.flash - model.flash : 1;
    sw_fit_model_done(&model);
    sw_fit_base_done(&variant.base);
    return good;
}

/* Of what is left. The model as it is takes no more. */
static bool count_flash(struct run *run) {
    struct sw_fit_result *result = run->result;
    bool good = true;
    result->models.items[0].flash = 0;
    for (size_t i = 1; good && i < result->models.count; i++) {
        struct sw_fit_model *model = &result->models.items[i];
        good = sw_fit_model_count_flash(run->request, &result->variants[model->variant], model, run->error);
    }
    return good;
}

/* A model with results over arguments that needs no less than without them is one without. */
static bool drop_needless(struct run *run) {
    struct sw_fit_result *result = run->result;
    bool good = true;
    for (size_t i = 1; good && i < result->models.count; i++) {
        struct sw_fit_model *model = &result->models.items[i], plain;
        bool over = false;
        for (size_t k = 0; k < model->moves.items.count; k++) {
            over |= model->moves.items.items[k].kind == SW_FIT_INPLACE;
        }
        uint32_t twin = model->variant;
        for (uint32_t v = 0; v < result->variant_count; v++) {
            const struct sw_fit_base *a = &result->variants[v].base, *b = &result->variants[model->variant].base;
            bool same = v != model->variant && a->moves.count == b->moves.count && a->operator_count == b->operator_count &&
                        !sw_problem_inplace_safe(a->problem) && memcmp(a->operators, b->operators, a->operator_count * sizeof *a->operators) == 0;
            twin = same ? v : twin;
        }
        if (!over || twin == model->variant) {
            continue;
        }
        good = sw_fit_model_make(&run->planning, &result->variants[twin], twin, model->regions, model->region_count, &plain);
        if (good && plain.bytes <= model->bytes) {
            sw_fit_model_done(model);
            *model = plain;
        } else {
            sw_fit_model_done(&plain);
        }
    }
    return good;
}

bool sw_fit_run(const struct sw_problem *problem, const struct sw_fit_request *request, struct sw_fit_result *result, struct sw_error *error) {
    struct run run = {.problem = problem, .request = request, .result = result, .error = error,
                      .planning = {.seed = request->seed, .work = request->work ? request->work : WORK, .of_head = request->limits.of_head,
                                   .over = !sw_problem_inplace_safe(problem), .error = error}};
    result->problem = problem;
    bool good = find_limits(&run) && add_variants(&run) && add_model(&run, 0, NULL, 0);
    if (good && !(request->has_capacity && fits(&run, &result->models.items[0]))) {
        good = request->has_capacity ? find_fitting(&run) : find_least(&run);
    }
    if (good) {
        keep_best(&run);
        good = drop_needless(&run);
        keep_best(&run);
        good = good && count_flash(&run);
        choose(&run);
    }
    good = good && (result->fits || !request->memories || !may(&run, SW_FIT_SPILL) || spill(&run));
    good = good && (result->fits || find_excluded(&run));
    result->stopped = result->stopped || run.canceled || run.planning.work == 0;
    for (uint32_t v = 0; v < result->variant_count; v++) {
        SW_FREE(run.tried[v], result->variants[v].front.items.count);
    }
    SW_ARRAY_DONE(&run.planning.begins);
    return good;
}

void sw_fit_result_done(struct sw_fit_result *result) {
    for (size_t i = 0; i < result->models.count; i++) {
        sw_fit_model_done(&result->models.items[i]);
    }
    SW_ARRAY_DONE(&result->models);
    for (size_t v = 0; v < result->variant_count; v++) {
        drop_variant(&result->variants[v]);
    }
    *result = (struct sw_fit_result){0};
}
