#include "fit/fit_search.h"
#include "base/base.h"

#include "base/sort.h"
#include "problem/counter.h"

enum { MOST_MODELS = 24, MOST_EXCHANGES = 400, MOST_FITTING = 1000, MOST_SOON = 12, FORMS = 4, MOST_AGAIN = 3 };

bool sw_fit_is_stopped(struct sw_fit_search *run) {
    const struct sw_fit_limits *limits = &run->limits;
    run->canceled = run->canceled || (limits->go_on && !limits->go_on(limits->context, run->result->models.count,
                                                                      MOST_MODELS + MOST_EXCHANGES));
    return run->canceled;
}

bool sw_fit_may(const struct sw_fit_search *run, enum sw_fit_move_kind kind) {
    unsigned moves = run->request.moves ? run->request.moves : SW_FIT_MAY(SW_FIT_STRIPS);
    return (moves & SW_FIT_MAY(kind)) != 0;
}

const struct sw_fit_variant *sw_fit_variant_of(const struct sw_fit_search *run, const struct sw_fit_model *model) {
    return &run->result->variants[model->variant];
}

/* ---- one model ---- */

/* The choice made and planned, as one more model. */
static bool add_fit_model(struct sw_fit_search *run, uint32_t variant, const struct sw_fit_region *regions,
                          size_t count) {
    struct sw_fit_model model;
    bool first = run->result->models.count == 0,
         good = sw_fit_model_make(&run->planning, &run->result->variants[variant], variant, regions, count, &model);
    bool allowed = first || run->request.limits.flash == 0 || model.flash <= run->request.limits.flash;
    good = good && (!allowed || SW_PUSH(&run->result->models, model) || sw_fail_memory(run->error));
    if (!good || !allowed) {
        sw_fit_model_done(&model);
    }
    return good;
}

/* ---- which choices ---- */

static const struct sw_fit_model *last_model(const struct sw_fit_search *run) {
    return &run->result->models.items[run->result->models.count - 1];
}

bool sw_fit_fits(const struct sw_fit_search *run, const struct sw_fit_model *model) {
    return !run->request.has_capacity || model->bytes <= run->request.capacity;
}

static bool one_fits(const struct sw_fit_search *run) {
    bool one = false;
    for (size_t i = 0; i < run->result->models.count; i++) {
        one |= sw_fit_fits(run, &run->result->models.items[i]);
    }
    return one;
}

/* ---- regions that take turns ---- */

static uint64_t least_bytes(const struct sw_fit_search *run) {
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < run->result->models.count; i++) {
        least = SW_MIN(least, run->result->models.items[i].bytes);
    }
    return least;
}

/* The best cut that goes the other way and is like it otherwise; where there is none, the same strips from the other
 * end. False: the region goes one way alone. */
static bool turn_region(const struct sw_fit_variant *variant, struct sw_fit_region *region) {
    const struct sw_fit_region own = *region;
    const struct sw_fit_cut *best = NULL;
    for (size_t i = 0; i < variant->cuts.items.count; i++) {
        const struct sw_fit_cut *cut = &variant->cuts.items.items[i];
        const struct sw_fit_region *other = &cut->region;
        bool alike = other->first == region->first && other->last == region->last && other->strips == region->strips &&
                     other->padded == region->padded && other->kept == region->kept && !other->loop && !region->loop &&
                     other->backwards != region->backwards;
        best = alike && (!best || sw_fit_live(&variant->cuts, cut) < sw_fit_live(&variant->cuts, best)) ? cut : best;
    }
    if (best) {
        *region = best->region;
    } else {
        sw_fit_turn(variant->base.problem, region);
    }
    return !sw_fit_same_region(region, &own);
}

/* Every other one of the regions the other way, the first or the second: with an operator between that stays as it is
 * counted, too, or not. False: none of them is turned. */
static bool turn_some(const struct sw_fit_variant *variant, struct sw_fit_region *regions, size_t count,
                      uint32_t form) {
    bool counts = form / 2 != 0, any = false, turned = form % 2 != 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t between = i > 0 ? regions[i].first - regions[i - 1].last - 1 : 0;
        turned = i > 0 ? turned == ((counts ? between : 0) % 2 != 0) : turned;
        any |= turned && turn_region(variant, &regions[i]);
    }
    return any;
}

/* Would the model be the least if its addresses lost nothing? */
static bool may_be_least(const struct sw_fit_search *run, const struct sw_fit_model *model) {
    uint64_t bytes = run->limits.of_head ? model->bound : sw_problem_arena(model->problem, model->bound);
    return model->head > model->bound && bytes < least_bytes(run);
}

/* One more model, planned well only as far as it may need less than `below` (0: however much). `best`: the better of it
 * and that one. */
static bool add_below(struct sw_fit_search *run, uint32_t variant, const struct sw_fit_region *regions, size_t count,
                      uint64_t below, size_t *best) {
    size_t before = run->result->models.count;
    run->planning.below = below;
    bool good = add_fit_model(run, variant, regions, count);
    run->planning.below = 0;
    if (good && run->result->models.count > before &&
        (*best == SIZE_MAX || last_model(run)->bytes < run->result->models.items[*best].bytes)) {
        *best = run->result->models.count - 1;
    }
    return good;
}

/* Each region turned, one after the other, as long as that helps: of the regions that model number `best` has. */
static bool turn_each(struct sw_fit_search *run, uint32_t variant, size_t *best, struct sw_fit_region *regions,
                      size_t count) {
    bool good = true;
    memcpy(regions, run->result->models.items[*best].regions, count * sizeof *regions);
    for (size_t i = 0; good && i < count && may_be_least(run, &run->result->models.items[*best]); i++) {
        struct sw_fit_region own = regions[i];
        size_t before = *best;
        if (!turn_region(&run->result->variants[variant], &regions[i])) {
            continue;
        }
        good = add_below(run, variant, regions, count, run->result->models.items[before].bytes, best);
        if (*best == before) {
            regions[i] = own;
        }
    }
    return good;
}

bool sw_fit_try_regions(struct sw_fit_search *run, uint32_t variant, const struct sw_fit_region *regions, size_t count,
                        uint64_t below) {
    struct sw_fit_region *turned = SW_NEW(struct sw_fit_region, count);
    size_t best = SIZE_MAX;
    bool good =
        (count == 0 || turned || sw_fail_memory(run->error)) && add_below(run, variant, regions, count, below, &best);
    for (uint32_t form = 0;
         good && best != SIZE_MAX && count > 0 && form < FORMS && may_be_least(run, &run->result->models.items[best]);
         form++) {
        memcpy(turned, regions, count * sizeof *regions);
        good = !turn_some(&run->result->variants[variant], turned, count, form) ||
               add_below(run, variant, turned, count, below == 0 ? least_bytes(run) : SW_MIN(below, least_bytes(run)),
                         &best);
    }
    good = good && (best == SIZE_MAX || count == 0 || turn_each(run, variant, &best, turned, count));
    SW_FREE(turned, count);
    return good;
}

/* ---- choices ---- */

/* A base that is the model itself, not cut, is there already; with results over arguments it is another model. */
static bool try_choice(struct sw_fit_search *run, uint32_t variant, size_t number, uint64_t below) {
    const struct sw_fit_front *front = &run->result->variants[variant].front;
    const struct sw_fit_choice *choice = &front->items.items[number];
    run->tried[variant][number] = true;
    return (choice->count == 0 && variant == 0) ||
           sw_fit_try_regions(run, variant, front->chosen.items + choice->first, choice->count, below);
}

/* ---- the search ---- */

static struct pick pick_of(const struct sw_fit_search *run, uint32_t variant, size_t number) {
    const struct sw_fit_variant *v = &run->result->variants[variant];
    const struct sw_fit_choice *choice = &v->front.items.items[number];
    uint64_t outside = sw_problem_outside(v->base.problem) - sw_problem_outside(run->problem);
    return (struct pick){variant, number, choice->bytes, choice->macs + v->cuts.more.macs, choice->tail + outside};
}

/* Of the fronts' choices that may fit the one with the fewest multiply-adds, and of these with the smallest tail, that
 * was not tried. False: there is none. */
static bool next_choice(const struct sw_fit_search *run, struct pick *next) {
    bool found = false;
    for (uint32_t v = 0; v < run->result->variant_count; v++) {
        for (size_t i = 0; i < run->result->variants[v].front.items.count; i++) {
            struct pick one = pick_of(run, v, i);
            if (!run->tried[v][i] && one.bytes <= run->request.capacity &&
                (!found || one.macs < next->macs || (one.macs == next->macs && one.tail < next->tail))) {
                *next = one;
                found = true;
            }
        }
    }
    return found;
}

/* ---- the result ---- */

int sw_fit_by_bytes(const void *a, const void *b) {
    const struct sw_fit_model *x = a, *y = b;
    return x->bytes != y->bytes   ? SW_COMPARE(x->bytes, y->bytes)
           : x->macs != y->macs   ? SW_COMPARE(x->macs, y->macs)
           : x->calls != y->calls ? SW_COMPARE(x->calls, y->calls)
                                  : SW_COMPARE(x->variant, y->variant);
}

/* The model as it is stays first; of the others those go that one with no more bytes and no more multiply-adds beats.
 */
static void keep_best(struct sw_fit_search *run) {
    struct sw_fit_result *result = run->result;
    size_t kept = 1;
    uint64_t macs = UINT64_MAX;
    if (result->models.count > 1) {
        qsort(result->models.items + 1, result->models.count - 1, sizeof *result->models.items, sw_fit_by_bytes);
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

static void choose_model(struct sw_fit_search *run) {
    struct sw_fit_result *result = run->result;
    for (size_t i = 0; i < result->models.count; i++) {
        const struct sw_fit_model *model = &result->models.items[i], *chosen = &result->models.items[result->chosen];
        bool fitting = sw_fit_fits(run, model);
        bool cheaper = model->macs < chosen->macs || (model->macs == chosen->macs && model->calls < chosen->calls);
        bool smaller = model->bytes < chosen->bytes;
        if (fitting && result->fits ? run->request.has_capacity ? cheaper : smaller
                                    : fitting || (!result->fits && smaller)) {
            result->chosen = i;
        }
        result->fits = result->fits || fitting;
    }
}

/* ---- what limits exclude ---- */

/* With one limit less, how small could it be? The search for cuts alone, nothing is planned. */
static bool find_excluded(struct sw_fit_search *run) {
    const struct sw_fit_limits *limits = &run->limits;
    bool given[SW_FIT_LIMIT_COUNT] = {[SW_FIT_LIMIT_MACS] = limits->macs > 0,
                                      [SW_FIT_LIMIT_CALLS] = limits->calls > 0,
                                      [SW_FIT_LIMIT_FLASH] = limits->flash > 0,
                                      [SW_FIT_LIMIT_ACTS] = run->result->missed != 0};
    given[SW_FIT_LIMIT_ALL] =
        given[SW_FIT_LIMIT_MACS] + given[SW_FIT_LIMIT_CALLS] + given[SW_FIT_LIMIT_FLASH] + given[SW_FIT_LIMIT_ACTS] > 1;
    const struct sw_fit_base *base = &run->result->variants[run->result->least_of].base;
    bool good = true;
    for (int limit = 0; good && limit < SW_FIT_LIMIT_COUNT && sw_fit_may(run, SW_FIT_STRIPS) && !sw_fit_is_stopped(run);
         limit++) {
        struct sw_fit_limits fewer = *limits;
        struct sw_fit_cuts cuts = {.more = base->more};
        struct sw_fit_front front = {0};
        bool all = limit == SW_FIT_LIMIT_ALL;
        fewer.macs = all || limit == SW_FIT_LIMIT_MACS ? 0 : fewer.macs;
        fewer.calls = all || limit == SW_FIT_LIMIT_CALLS ? 0 : fewer.calls;
        fewer.flash = all || limit == SW_FIT_LIMIT_FLASH ? 0 : fewer.flash;
        fewer.lacking = all || limit == SW_FIT_LIMIT_ACTS ? 0 : fewer.lacking;
        if (given[limit]) {
            good = (sw_fit_cuts_find(base->problem, &fewer, &cuts) && sw_fit_front_find(&cuts, &fewer, &front)) ||
                   sw_fail_memory(run->error);
            uint64_t least = good && front.items.count > 0 ? front.items.items[0].bytes : UINT64_MAX;
            run->result->without[limit] = least <= run->request.capacity ? least : 0;
        }
        sw_fit_front_done(&front);
        sw_fit_cuts_done(&cuts);
    }
    return good;
}

/* ---- all of it ---- */

/* Where nothing fits: the smallest model with tensors that wait in another memory. What is least is so of models
 * without. */
static bool spill_chosen(struct sw_fit_search *run) {
    struct sw_fit_result *result = run->result;
    const struct sw_fit_model *chosen = &result->models.items[result->chosen];
    struct sw_fit_model model;
    bool good = sw_fit_model_make(&run->planning, sw_fit_variant_of(run, chosen), chosen->variant, chosen->regions,
                                  chosen->region_count, &model) &&
                sw_fit_model_spill(&run->planning, run->request.memories, run->request.capacity, &model);
    if (!good || model.bytes >= chosen->bytes) {
        sw_fit_model_done(&model);
        return good;
    }
    good = SW_PUSH(&result->models, model) || sw_fail_memory(run->error);
    if (good) {
        result->fits = sw_fit_fits(run, &model);
        result->chosen = result->models.count - 1;
    }
    return good;
}

/* A plan and the lists that are written anew take flash whatever is changed: what is left is for the changes. */
static bool find_limits(struct sw_fit_search *run) {
    struct sw_fit_variant variant = {0};
    struct sw_fit_model model = {0};
    run->limits = run->request.limits;
    if (run->limits.flash == 0 || !sw_problem_counter(run->problem)) {
        return true;
    }
    run->planning.counts_all = true;
    bool good = sw_fit_base_of(run->problem, &variant.base, run->error) &&
                sw_fit_model_make(&run->planning, &variant, 0, NULL, 0, &model);
    run->planning.counts_all = false;
    run->limits.flash = run->limits.flash > model.flash ? run->limits.flash - model.flash : 1;
    sw_fit_model_done(&model);
    sw_fit_base_done(&variant.base);
    return good;
}

/* A model with results over arguments that needs no less than without them is one without. */
static bool drop_needless(struct sw_fit_search *run) {
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
            bool same = v != model->variant && a->moves.count == b->moves.count &&
                        a->operator_count == b->operator_count && !sw_problem_inplace_safe(a->problem) &&
                        memcmp(a->operators, b->operators, a->operator_count * sizeof *a->operators) == 0;
            twin = same ? v : twin;
        }
        if (!over || twin == model->variant) {
            continue;
        }
        good = sw_fit_model_make(&run->planning, &result->variants[twin], twin, model->regions, model->region_count,
                                 &plain);
        if (good && plain.bytes <= model->bytes) {
            sw_fit_model_done(model);
            *model = plain;
        } else {
            sw_fit_model_done(&plain);
        }
    }
    return good;
}

/* ---- step by step ---- */

static void tell_base(struct sw_fit_search *run, struct sw_fit_event *event) {
    uint32_t number = (uint32_t)run->result->variant_count - 1;
    const struct sw_fit_variant *variant = &run->result->variants[number];
    *event = (struct sw_fit_event){
        .kind = SW_FIT_BASE, .op = number, .count = variant->front.items.count, .best = sw_fit_bound_of(run, variant)};
}

/* If models came to those that there were, the best of them is told; one that takes too much flash is none. */
static bool tell_model(struct sw_fit_search *run, size_t before, struct sw_fit_event *event) {
    if (run->result->models.count == before) {
        return true;
    }
    const struct sw_fit_model *model = &run->result->models.items[before];
    for (size_t i = before; i < run->result->models.count; i++) {
        model = run->result->models.items[i].bytes < model->bytes ? &run->result->models.items[i] : model;
    }
    *event = (struct sw_fit_event){.kind = SW_FIT_PLANNED, .model = *model, .best = UINT64_MAX};
    event->model.regions = NULL;
    event->model.problem = NULL;
    event->model.layout = NULL;
    memset(&event->model.moves, 0, sizeof event->model.moves);
    event->moves = model->moves.items.count;
    for (size_t i = 0; i < before; i++) {
        event->best = SW_MIN(event->best, run->result->models.items[i].bytes);
    }
    return true;
}

static bool begin_fit_search(struct sw_fit_search *run, struct sw_fit_event *event) {
    struct sw_fit_variant *variant = &run->result->variants[0];
    (void)event;
    run->phase = LOOKS;
    if (!find_limits(run)) {
        return false;
    }
    run->result->variant_count = 1;
    if (!sw_fit_base_of(run->problem, &variant->base, run->error)) {
        return false;
    }
    variant->cuts.more = variant->base.more;
    if (sw_fit_may(run, SW_FIT_STRIPS)) {
        sw_fit_cuts_begin(variant->base.problem, &variant->cuts);
    } else {
        sw_fit_cuts_none(variant->base.problem, &variant->cuts);
        variant->cuts.next = sw_problem_operator_count(run->problem);
    }
    return true;
}

static bool look_at_next(struct sw_fit_search *run, struct sw_fit_event *event) {
    struct sw_fit_variant *variant = &run->result->variants[0];
    struct sw_fit_cuts *cuts = &variant->cuts;
    if (cuts->next >= sw_problem_operator_count(run->problem)) {
        run->phase = AS_IS;
        return sw_fit_front_least(cuts, &run->limits, &variant->front) || sw_fail_memory(run->error);
    }
    uint32_t op = cuts->next;
    size_t before = cuts->items.count, refused = cuts->refused.count;
    if (!sw_fit_cuts_next(cuts, &run->limits)) {
        return sw_fail_memory(run->error);
    }
    *event = (struct sw_fit_event){.kind = SW_FIT_LOOKED,
                                   .op = op,
                                   .first = before,
                                   .count = cuts->items.count - before,
                                   .refusal = cuts->refused.count > refused ? refused : SIZE_MAX};
    return true;
}

/* The cuts of the model itself once more, with those that are near the ones of its front; and the model in another
 * order. */
static bool find_better_order(struct sw_fit_search *run, struct sw_fit_event *event) {
    size_t before = run->result->variant_count;
    struct sw_fit_variant *own = &run->result->variants[0];
    run->phase = AGAIN;
    sw_fit_front_done(&own->front);
    if (!sw_fit_refine_front(run, own) || !sw_fit_add_in_order(run)) {
        return false;
    }
    if (run->result->variant_count > before) {
        tell_base(run, event);
    }
    run->plain = (uint32_t)run->result->variant_count;
    run->variant = run->of = 0;
    run->again = 0;
    return true;
}

/* Each of these with operators that run again. */
static bool find_recomputing(struct sw_fit_search *run, struct sw_fit_event *event) {
    struct sw_fit_result *result = run->result;
    if (run->variant >= run->plain || !sw_fit_may(run, SW_FIT_RECOMPUTE)) {
        run->phase = OVER_ARGUMENTS;
        run->plain = (uint32_t)result->variant_count;
        run->variant = 0;
        return true;
    }
    bool better = run->again < MOST_AGAIN && result->variant_count + 2 < SW_FIT_MOST_VARIANTS;
    if (better && !sw_fit_add_again(run, run->of, &run->work, &better)) {
        return false;
    }
    run->again++;
    if (better) {
        run->of = (uint32_t)result->variant_count - 1;
        tell_base(run, event);
    } else {
        run->of = ++run->variant;
        run->again = 0;
    }
    return true;
}

/* And each with results over arguments. */
static bool find_in_place(struct sw_fit_search *run, struct sw_fit_event *event) {
    size_t before = run->result->variant_count;
    if (run->variant >= run->plain) {
        run->phase = SUMS_UP;
        return true;
    }
    if (!sw_fit_add_in_place(run, run->variant++)) {
        return false;
    }
    if (run->result->variant_count > before) {
        tell_base(run, event);
    }
    return true;
}

/* Choices are tried from the first of the first variant on, so many at most. */
static void begin_at_first(struct sw_fit_search *run, size_t most) {
    run->left = most;
    run->variant = 0;
    run->next = 0;
    run->promising = true;
}

static bool sum_all_up(struct sw_fit_search *run, struct sw_fit_event *event) {
    struct sw_fit_result *result = run->result;
    bool good = true;
    *event = (struct sw_fit_event){.kind = SW_FIT_FRONT};
    result->least = UINT64_MAX;
    for (uint32_t v = 0; good && v < result->variant_count; v++) {
        struct sw_fit_variant *variant = &result->variants[v];
        if (sw_fit_bound_of(run, variant) < result->least) {
            result->least = sw_fit_bound_of(run, variant);
            result->least_of = v;
        }
        result->missed |= variant->cuts.missed;
        result->stopped |= variant->cuts.stopped;
        run->tried[v] = SW_NEW_ZERO(bool, variant->front.items.count);
        good = variant->front.items.count == 0 || run->tried[v] || sw_fail_memory(run->error);
        for (size_t i = 0; good && i < variant->front.items.count; i++) {
            event->count += v > 0 || variant->front.items.items[i].count > 0;
        }
    }
    event->best = result->least;
    bool enough = run->request.has_capacity && sw_fit_fits(run, &result->models.items[0]);
    run->phase = enough ? REFINES : run->request.has_capacity ? FITTING : LEAST;
    begin_at_first(run, run->request.has_capacity ? MOST_FITTING : MOST_MODELS);
    return good;
}

static bool plan_as_is(struct sw_fit_search *run, struct sw_fit_event *event) {
    if (!add_fit_model(run, 0, NULL, 0)) {
        return false;
    }
    bool enough = run->request.has_capacity && sw_fit_fits(run, &run->result->models.items[0]);
    run->phase = enough ? SUMS_UP : run->request.has_capacity ? AT_ONCE : FIT_ORDERS;
    return tell_model(run, 0, event);
}

/* With a capacity one that fits is wanted soon, and the cheapest one later. Before all else is looked at: the choice
 * that needs least, and some of its neighbours. */
static bool try_at_once(struct sw_fit_search *run, struct sw_fit_event *event) {
    const struct sw_fit_front *front = &run->result->variants[0].front;
    size_t before = run->result->models.count;
    const struct sw_fit_choice *choice = front->items.count > 0 ? &front->items.items[0] : NULL;
    run->phase = FIT_ORDERS;
    if (!choice || choice->count == 0 || choice->bytes > run->request.capacity || sw_fit_is_stopped(run)) {
        return true;
    }
    if (!sw_fit_try_regions(run, 0, front->chosen.items + choice->first, choice->count, 0)) {
        return false;
    }
    sw_fit_begin_to_improve(run, SOON, MOST_SOON);
    return tell_model(run, before, event);
}

/* Neighbours of the best model so far: at first a few of them, in the end all that may be better. */
static bool find_neighbours(struct sw_fit_search *run, struct sw_fit_event *event) {
    bool tried;
    size_t before = run->result->models.count;
    if (!sw_fit_improve(run, &tried)) {
        return false;
    }
    if (!tried) {
        run->phase = run->phase == IMPROVES ? REFINES : FIT_ORDERS;
    }
    return tell_model(run, before, event);
}

/* The cheapest one that may fit. */
static bool find_fitting(struct sw_fit_search *run, struct sw_fit_event *event) {
    struct pick next;
    size_t before = run->result->models.count;
    if (run->left == 0 || !next_choice(run, &next) || sw_fit_is_stopped(run)) {
        run->phase = NEAREST;
        return true;
    }
    run->left--;
    uint64_t capacity = run->request.capacity,
             room = SW_MIN(capacity / 16 + 1, UINT64_MAX - capacity); /* what can be turned to fit */
    if (!try_choice(run, next.variant, next.number, capacity + room)) {
        return false;
    }
    run->phase = FITTING;
    for (size_t i = before; i < run->result->models.count; i++) {
        run->phase = sw_fit_fits(run, &run->result->models.items[i]) ? REFINES : run->phase;
    }
    return tell_model(run, before, event);
}

/* Nothing that is cheap fits. If nothing fits at all, everything is looked at as it is without a capacity, so that
 * whatever is found then is found here. What comes nearest is worth knowing, too. */
static bool find_nearest_model(struct sw_fit_search *run, struct sw_fit_event *event) {
    struct sw_fit_result *result = run->result;
    (void)event;
    if (one_fits(run) || sw_fit_is_stopped(run)) {
        run->phase = REFINES;
        return true;
    }
    while (result->models.count > 1) {
        sw_fit_model_done(&result->models.items[--result->models.count]);
    }
    for (uint32_t v = 0; v < result->variant_count; v++) {
        for (size_t i = 0; i < result->variants[v].front.items.count; i++) {
            run->tried[v][i] = false;
        }
    }
    run->planning.work = run->request.work ? run->request.work : SW_FIT_WORK;
    run->phase = LEAST;
    begin_at_first(run, MOST_MODELS);
    return true;
}

/* Of one variant the most promising first, until none can be better than what was found. */
static bool find_least_model(struct sw_fit_search *run, struct sw_fit_event *event) {
    if (run->variant >= run->result->variant_count) {
        sw_fit_begin_to_improve(run, IMPROVES, MOST_EXCHANGES);
        return true;
    }
    const struct sw_fit_front *front = &run->result->variants[run->variant].front;
    size_t before = run->result->models.count, number = run->next;
    if (number >= front->items.count || run->left == 0 || front->items.items[number].bytes >= least_bytes(run) ||
        sw_fit_is_stopped(run)) {
        run->phase = SPREAD;
        run->next = 0;
        return true;
    }
    run->promising = true;
    run->left--;
    run->next++;
    return try_choice(run, run->variant, number, 0) && tell_model(run, before, event);
}

/* Then some of the others, for the choice between bytes and work; and on to the next variant. */
static bool find_others(struct sw_fit_search *run, struct sw_fit_event *event) {
    size_t count = run->result->variants[run->variant].front.items.count, stride = SW_MAX(count / (MOST_MODELS / 2), 1);
    size_t before = run->result->models.count;
    while (run->next < count && run->tried[run->variant][run->next]) {
        run->next += stride;
    }
    if (!run->promising || run->next >= count || sw_fit_is_stopped(run)) {
        run->phase = LEAST;
        run->variant++;
        run->next = 0;
        run->left = MOST_MODELS;
        run->promising = false;
        return true;
    }
    return try_choice(run, run->variant, run->next, 0) && tell_model(run, before, event);
}

static bool refine(struct sw_fit_search *run, struct sw_fit_event *event) {
    struct sw_fit_result *result = run->result;
    (void)event;
    keep_best(run);
    bool good = drop_needless(run);
    keep_best(run);
    choose_model(run);
    good = good && (result->fits || !run->request.memories || !sw_fit_may(run, SW_FIT_SPILL) || spill_chosen(run));
    good = good && (result->fits || find_excluded(run));
    result->stopped = result->stopped || run->canceled || run->planning.work == 0;
    result->over = good;
    run->phase = FIT_OVER;
    return good;
}

static bool end_fit_search(struct sw_fit_search *run, struct sw_fit_event *event) {
    (void)run;
    *event = (struct sw_fit_event){.kind = SW_FIT_OVER};
    return true;
}

static bool (*const phases[])(struct sw_fit_search *, struct sw_fit_event *) = {
    [BEGINS] = begin_fit_search,    [LOOKS] = look_at_next,           [AS_IS] = plan_as_is,
    [AT_ONCE] = try_at_once,        [SOON] = find_neighbours,         [FIT_ORDERS] = find_better_order,
    [AGAIN] = find_recomputing,     [OVER_ARGUMENTS] = find_in_place, [SUMS_UP] = sum_all_up,
    [FITTING] = find_fitting,       [LEAST] = find_least_model,       [SPREAD] = find_others,
    [NEAREST] = find_nearest_model, [IMPROVES] = find_neighbours,     [REFINES] = refine,
    [FIT_OVER] = end_fit_search,
};

struct sw_fit_search *sw_fit_search_new(const struct sw_problem *problem, const struct sw_fit_request *request,
                                        struct sw_fit_result *result, struct sw_error *error) {
    struct sw_fit_search *run = SW_NEW_ZERO(struct sw_fit_search, 1);
    if (!run) {
        sw_fail_memory(error);
        return NULL;
    }
    run->problem = result->problem = problem;
    run->request = *request;
    run->result = result;
    run->planning = (struct sw_fit_planning){.seed = request->seed,
                                             .work = request->work ? request->work : SW_FIT_WORK,
                                             .of_head = request->limits.of_head,
                                             .over = !sw_problem_inplace_safe(problem)};
    return run;
}

bool sw_fit_search_step(struct sw_fit_search *run, struct sw_fit_event *event, struct sw_error *error) {
    bool good = true;
    run->error = run->planning.error = error;
    for (event->kind = SW_FIT_NOTHING; good && event->kind == SW_FIT_NOTHING;) {
        good = phases[run->phase](run, event);
    }
    return good;
}

void sw_fit_search_free(struct sw_fit_search *run) {
    if (run) {
        for (uint32_t v = 0; v < run->result->variant_count; v++) {
            SW_FREE(run->tried[v], run->result->variants[v].front.items.count);
        }
        SW_ARRAY_DONE(&run->planning.begins, &run->cuts, &run->places);
        SW_FREE(run, 1);
    }
}

bool sw_fit_run(const struct sw_problem *problem, const struct sw_fit_request *request, struct sw_fit_result *result,
                struct sw_error *error) {
    struct sw_fit_search *search = sw_fit_search_new(problem, request, result, error);
    bool good = search != NULL;
    for (struct sw_fit_event event = {.kind = SW_FIT_NOTHING}; good && event.kind != SW_FIT_OVER;) {
        good = sw_fit_search_step(search, &event, error);
    }
    sw_fit_search_free(search);
    return good;
}

void sw_fit_result_done(struct sw_fit_result *result) {
    for (size_t i = 0; i < result->models.count; i++) {
        sw_fit_model_done(&result->models.items[i]);
    }
    SW_ARRAY_DONE(&result->models);
    for (size_t v = 0; v < result->variant_count; v++) {
        sw_fit_drop_variant(&result->variants[v]);
    }
    *result = (struct sw_fit_result){0};
}

/* Can these regions be cut? */
static bool can_be_cut(const struct sw_problem *problem, const struct sw_fit_region *regions, size_t count,
                       struct sw_error *error) {
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal = {.op = SW_NONE};
    bool good = sw_fit_program_make(problem, regions, count, &program, &refusal);
    sw_fit_program_done(&program);
    return good || (refusal.op == SW_NONE ? sw_fail_memory(error)
                                          : sw_fail(error, SW_ERROR_UNSUPPORTED, "%.60s cannot be cut so: %s",
                                                    sw_problem_operator(problem, refusal.op)->name, refusal.reason));
}

bool sw_fit_take(const struct sw_problem *problem, const struct sw_fit_request *request,
                 const struct sw_fit_region *regions, size_t count, struct sw_fit_result *result,
                 struct sw_error *error) {
    struct sw_fit_search *run =
        can_be_cut(problem, regions, count, error) ? sw_fit_search_new(problem, request, result, error) : NULL;
    bool good = run != NULL;
    if (good) {
        struct sw_fit_variant *variant = &result->variants[0];
        result->variant_count = 1;
        good = sw_fit_base_of(problem, &variant->base, error);
        sw_fit_cuts_none(problem, &variant->cuts);
        variant->cuts.next = sw_problem_operator_count(problem);
        run->error = run->planning.error = error;
        run->limits = run->request.limits;
        good = good && (sw_fit_front_find(&variant->cuts, &run->limits, &variant->front) || sw_fail_memory(error)) &&
               add_fit_model(run, 0, NULL, 0) && add_fit_model(run, 0, regions, count);
    }
    if (good && result->models.count < 2) {
        good = sw_fail(error, SW_ERROR_UNSUPPORTED, "with these moves the file is larger than --max-flash allows");
    }
    if (good) {
        const struct sw_fit_model *model = last_model(run);
        result->chosen = 1;
        result->fits = sw_fit_fits(run, model);
        result->least = run->limits.of_head ? model->bound : sw_problem_arena(model->problem, model->bound);
        result->over = true;
    }
    sw_fit_search_free(run);
    return good;
}
