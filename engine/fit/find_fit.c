#include "fit/find_fit.h"
#include "fit/placing.h"

#include "base/minmax.h"
#include "search/search.h"

#include <stdlib.h> /* qsort */
#include <string.h>

#define WORK UINT64_C(400000000)
#define REFINING UINT64_C(20000000) /* calls and values that are looked at: some seconds */
enum { MOST_MODELS = 24, MOST_EXCHANGES = 400, MOST_FITTING = 1000, ROUNDS = 4, FORMS = 4, STEPS = 100 /* of limits, to a bound */ };

struct run {
    const struct sw_problem *problem;
    const struct sw_fit_request *request;
    struct sw_fit_result *result;
    struct sw_error *error;
    bool *tried; /* of the front's choices */
    bool canceled;
    uint64_t work;  /* that placing may still spend */
    SW_ARRAY(uint32_t) begins; /* of the parts of the program at hand */
};

static uint64_t work_of(const struct sw_fit_request *request) {
    return request->work ? request->work : WORK;
}

static bool is_stopped(struct run *run) {
    const struct sw_fit_limits *limits = &run->request->limits;
    run->canceled = run->canceled || (limits->go_on && !limits->go_on(limits->context, run->result->models.count, MOST_MODELS + MOST_EXCHANGES));
    return run->canceled;
}

/* ---- one model ---- */

static void drop_model(struct sw_fit_model *model) {
    sw_layout_free(model->layout);
    sw_problem_unref(model->problem);
    SW_FREE(model->regions, model->region_count);
    *model = (struct sw_fit_model){0};
}

/* Where regions begin and end: steps of the program's problem. */
static bool list_parts(struct run *run, const struct sw_fit_program *program) {
    run->begins.count = 0;
    for (size_t i = 1; i < program->calls.count; i++) {
        if (program->calls.items[i].region != program->calls.items[i - 1].region && !SW_PUSH(&run->begins, (uint32_t)i)) {
            return false;
        }
    }
    return true;
}

static uint64_t bytes_of(const struct run *run, const struct sw_fit_model *model, uint64_t head) {
    return run->request->limits.of_head ? head : sw_problem_arena(model->problem, head);
}

/* A layout as low as one was found, by limits that rise until there is one, or until it would not need less than `below`. */
static bool plan_parts(struct run *run, struct sw_fit_model *model, uint64_t below) {
    uint32_t count = sw_problem_buffer_count(model->problem);
    uint64_t *offsets = SW_NEW(uint64_t, count + 1);
    bool memory = offsets != NULL, found = false;
    for (uint64_t more = 0; memory && !found && run->work > 0 && model->bound + more < model->head &&
                       bytes_of(run, model, model->bound + more) < below; more += SW_MAX(model->bound / STEPS, 16)) {
        found = sw_fit_place(model->problem, run->begins.items, run->begins.count, model->bound + more, run->request->seed, &run->work, offsets,
                             &memory);
    }
    struct sw_layout *layout = found ? sw_layout_new(model->problem, run->error) : NULL;
    memory = memory && (!found || layout);
    for (uint32_t b = 0; layout && memory && b < count; b++) {
        memory = !sw_problem_buffer(model->problem, b)->planned || sw_layout_place(layout, b, 0, offsets[b]);
    }
    /* Pins, reserved ranges and other tiers are not known there: what breaks such a rule is no plan. */
    size_t faults = 0;
    memory = memory && (!layout || sw_layout_check(layout, &faults, NULL, NULL));
    if (layout && memory && faults == 0) {
        sw_layout_free(model->layout);
        model->layout = layout;
        model->head = sw_layout_peak(layout);
        layout = NULL;
    }
    sw_layout_free(layout);
    SW_FREE(offsets, count + 1);
    return memory || sw_fail_memory(run->error);
}

/* By first fit, the largest first: what there is to begin with. */
static bool plan_greedily(struct run *run, struct sw_fit_model *model) {
    const struct sw_planner *planner = sw_planner_find("greedy-by-size", run->error);
    struct sw_search *search = planner ? sw_search_new(model->problem, planner, NULL, run->error) : NULL;
    bool good = search && sw_search_run(search, 0, NULL, NULL, run->error) == SW_STEP_DONE;
    model->layout = good ? sw_layout_clone(sw_search_layout(search), run->error) : NULL;
    sw_search_free(search);
    if (model->layout) {
        model->head = sw_layout_peak(model->layout);
    }
    return model->layout != NULL;
}

/* The choice made and planned, as one more model; well only as far as it may need less than `below`. */
static bool add_model(struct run *run, const struct sw_fit_region *regions, size_t count, uint64_t below) {
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal = {.op = SW_NONE};
    struct sw_fit_model model = {.region_count = count, .regions = SW_NEW(struct sw_fit_region, count)};
    bool good = (count == 0 || model.regions) || sw_fail_memory(run->error);
    if (good && count > 0) {
        memcpy(model.regions, regions, count * sizeof *regions);
    }
    good = good && (sw_fit_program_make(run->problem, regions, count, &program, &refusal) ||
                    (refusal.op == SW_NONE ? sw_fail_memory(run->error) : sw_fail(run->error, SW_ERROR_UNSUPPORTED, "%s", refusal.reason)));
    for (size_t i = 0; good && i < program.calls.count; i++) {
        model.macs += program.calls.items[i].macs;
    }
    model.calls = (uint32_t)program.calls.count;
    good = good && (list_parts(run, &program) || sw_fail_memory(run->error));
    model.problem = good ? sw_fit_program_problem(&program, run->error) : NULL;
    sw_fit_program_done(&program);
    model.bound = model.problem ? sw_problem_lower_bound(model.problem) : 0;
    good = model.problem != NULL && plan_greedily(run, &model) && (model.head == model.bound || plan_parts(run, &model, below));
    if (good) {
        model.arena = sw_problem_arena(model.problem, model.head);
        model.bytes = bytes_of(run, &model, model.head);
        good = SW_PUSH(&run->result->models, model) || sw_fail_memory(run->error);
    }
    if (!good) {
        drop_model(&model);
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

static uint64_t least_bytes(const struct run *run) {
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < run->result->models.count; i++) {
        least = SW_MIN(least, run->result->models.items[i].bytes);
    }
    return least;
}

/* The best cut that goes the other way and is like it otherwise; where there is none, the same strips from the other end. */
static void turn(const struct run *run, struct sw_fit_region *region) {
    const struct sw_fit_cut *best = NULL;
    for (size_t i = 0; i < run->result->cuts.items.count; i++) {
        const struct sw_fit_cut *cut = &run->result->cuts.items.items[i];
        const struct sw_fit_region *other = &cut->region;
        bool alike = other->first == region->first && other->last == region->last && other->strips == region->strips && other->way == region->way &&
                     other->kept == region->kept && other->backwards != region->backwards;
        best = alike && (!best || cut->live < best->live) ? cut : best;
    }
    if (best) {
        *region = best->region;
    } else {
        sw_fit_turn(run->problem, region);
    }
}

/* Every other one of the regions the other way, the first or the second: with an operator between that stays as it is counted, too, or not.
 * False: none of them is turned. */
static bool turn_some(struct run *run, struct sw_fit_region *regions, size_t count, uint32_t form) {
    bool counts = form / 2 != 0, any = false, turned = form % 2 != 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t between = i > 0 ? regions[i].first - regions[i - 1].last - 1 : 0;
        turned = i > 0 ? turned == ((counts ? between : 0) % 2 != 0) : turned;
        if (turned) {
            turn(run, &regions[i]);
            any = true;
        }
    }
    return any;
}

/* Can a model whose bytes alive are these be the least, where addresses lose nothing? */
static bool may_be_least(const struct run *run, const struct sw_fit_model *model) {
    return model->head > model->bound && bytes_of(run, model, model->bound) < least_bytes(run);
}

/* Each region turned, one after the other, as long as that helps: of these regions as model number `best` has them. */
static bool turn_each(struct run *run, size_t best, struct sw_fit_region *regions, size_t count) {
    bool good = true;
    memcpy(regions, run->result->models.items[best].regions, count * sizeof *regions);
    for (size_t i = 0; good && i < count && may_be_least(run, &run->result->models.items[best]); i++) {
        struct sw_fit_region own = regions[i];
        uint64_t before = run->result->models.items[best].bytes;
        turn(run, &regions[i]);
        good = add_model(run, regions, count, before);
        if (good && last_model(run)->bytes < before) {
            best = run->result->models.count - 1;
        } else {
            regions[i] = own;
        }
    }
    return good;
}

/* Regions as they are, planned well as far as they may need less than `below`; then, where addresses have lost what would make it the least,
 * in turns: what one makes at one end of the arena the next one reads there, and makes its own result at the other end. */
static bool try_regions(struct run *run, const struct sw_fit_region *regions, size_t count, uint64_t below) {
    struct sw_fit_region *turned = SW_NEW(struct sw_fit_region, count);
    bool good = (turned || sw_fail_memory(run->error)) && add_model(run, regions, count, below);
    size_t best = run->result->models.count - 1;
    for (uint32_t form = 0; good && form < FORMS && may_be_least(run, &run->result->models.items[best]); form++) {
        memcpy(turned, regions, count * sizeof *regions);
        good = !turn_some(run, turned, count, form) || add_model(run, turned, count, SW_MIN(below, least_bytes(run)));
        best = good && last_model(run)->bytes < run->result->models.items[best].bytes ? run->result->models.count - 1 : best;
    }
    good = good && turn_each(run, best, turned, count);
    SW_FREE(turned, count);
    return good;
}

static bool try_choice(struct run *run, size_t number, uint64_t below) {
    const struct sw_fit_choice *choice = &run->result->front.items.items[number];
    run->tried[number] = true;
    return choice->count == 0 || try_regions(run, run->result->front.chosen.items + choice->first, choice->count, below);
}

/* ---- neighbours of a choice ---- */

/* What the cuts of these regions come to, without planning: a choice. False: two of them overlap, or they are not allowed. */
static bool sum_up(struct run *run, const struct sw_fit_cut *const *cuts, size_t count, struct sw_fit_choice *choice) {
    const uint64_t *profile = sw_problem_profile(run->problem);
    uint32_t operators = sw_problem_operator_count(run->problem), next = 0;
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
            choice->live = SW_MAX(choice->live, cuts[i]->live);
            choice->tail += cuts[i]->tail;
            choice->macs += cuts[i]->macs;
            choice->calls += cuts[i]->calls;
            next = cuts[i]->region.last + 1;
        }
    }
    choice->bytes = sw_fit_bytes(run->problem, &run->request->limits, choice);
    return sw_fit_allows(&run->result->cuts, &run->request->limits, choice->macs, choice->calls);
}

/* The cut that a region is, or that it is the other way. */
static const struct sw_fit_cut *find_cut(const struct run *run, const struct sw_fit_region *region) {
    const struct sw_fit_cuts *cuts = &run->result->cuts;
    struct sw_fit_region turned = *region;
    sw_fit_turn(run->problem, &turned);
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
static bool is_planned(const struct run *run, const struct sw_fit_cut *const *cuts, size_t count) {
    for (size_t m = 0; m < run->result->models.count; m++) {
        const struct sw_fit_model *model = &run->result->models.items[m];
        bool same = model->region_count == count;
        for (size_t i = 0; same && i < count; i++) {
            same = sw_fit_same_region(&model->regions[i], &cuts[i]->region);
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
    const struct sw_fit_cut *own = cuts[which];
    struct sw_fit_region *regions = SW_NEW(struct sw_fit_region, count);
    bool good = regions || sw_fail_memory(run->error);
    for (size_t c = 0; good && c < result->cuts.items.count && *left > 0 && !is_stopped(run); c++) {
        const struct sw_fit_cut *other = &result->cuts.items.items[c];
        struct sw_fit_choice choice;
        bool near = other->region.first == own->region.first || other->region.last == own->region.last;
        cuts[which] = other;
        if (!near || other == own || !sum_up(run, cuts, count, &choice) || choice.bytes >= result->models.items[*best].bytes ||
            is_planned(run, cuts, count)) {
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            regions[i] = cuts[i]->region;
        }
        size_t m = result->models.count;
        good = try_regions(run, regions, count, result->models.items[*best].bytes);
        (*left)--;
        for (; good && m < result->models.count; m++) {
            *best = result->models.items[m].bytes < result->models.items[*best].bytes ? m : *best;
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
                cuts[i] = find_cut(run, &result->models.items[best].regions[i]);
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

/* Of the front's choices that may fit the one with the fewest multiply-adds, and of these with the smallest tail, that was not tried; SIZE_MAX:
 * there is none. */
static size_t next_choice(const struct run *run) {
    const struct sw_fit_front *front = &run->result->front;
    size_t next = SIZE_MAX;
    for (size_t i = 0; i < front->items.count; i++) {
        const struct sw_fit_choice *one = &front->items.items[i], *best = next == SIZE_MAX ? NULL : &front->items.items[next];
        if (!run->tried[i] && one->bytes <= run->request->capacity &&
            (!best || one->macs < best->macs || (one->macs == best->macs && one->tail < best->tail))) {
            next = i;
        }
    }
    return next;
}

/* The most promising first, until none can be better than what was found; then some of the others, for the choice between bytes and work. */
static bool find_least(struct run *run) {
    struct sw_fit_result *result = run->result;
    size_t count = result->front.items.count, left = MOST_MODELS;
    for (size_t i = 0; i < count && left > 0 && result->front.items.items[i].bytes < least_bytes(run) && !is_stopped(run); i++, left--) {
        if (!try_choice(run, i, UINT64_MAX)) {
            return false;
        }
    }
    size_t stride = SW_MAX(count / (MOST_MODELS / 2), 1);
    for (size_t i = 0; i < count && !is_stopped(run); i += stride) {
        if (!run->tried[i] && !try_choice(run, i, UINT64_MAX)) {
            return false;
        }
    }
    return improve(run);
}

/* The cheapest one that fits. */
static bool find_fitting(struct run *run) {
    uint64_t below = run->request->capacity + SW_MIN(run->request->capacity / 16 + 1, UINT64_MAX - run->request->capacity); /* what can be turned to fit */
    size_t left = MOST_FITTING;
    for (size_t next; left > 0 && (next = next_choice(run)) != SIZE_MAX && !is_stopped(run); left--) {
        size_t before = run->result->models.count;
        if (!try_choice(run, next, below)) {
            return false;
        }
        for (size_t i = before; i < run->result->models.count; i++) {
            if (fits(run, &run->result->models.items[i])) {
                return true;
            }
        }
    }
    /* Nothing does: what comes nearest is worth knowing, and one of its neighbours may fit. All is looked at as it is without a capacity, so
     * that whatever is found then is found here. */
    if (is_stopped(run)) {
        return true;
    }
    while (run->result->models.count > 1) {
        drop_model(&run->result->models.items[--run->result->models.count]);
    }
    for (size_t i = 0; i < run->result->front.items.count; i++) {
        run->tried[i] = false;
    }
    run->work = work_of(run->request);
    return find_least(run);
}

/* ---- the result ---- */

static int by_bytes(const void *a, const void *b) {
    const struct sw_fit_model *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes ? -1 : 1) : x->macs != y->macs ? (x->macs < y->macs ? -1 : 1) : (x->calls > y->calls) - (x->calls < y->calls);
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
            drop_model(model);
        }
    }
    result->models.count = kept;
}

static void choose(struct run *run) {
    struct sw_fit_result *result = run->result;
    for (size_t i = 0; i < result->models.count; i++) {
        const struct sw_fit_model *model = &result->models.items[i], *chosen = &result->models.items[result->chosen];
        bool fitting = fits(run, model), cheaper = run->request->has_capacity && model->macs < chosen->macs;
        bool smaller = model->bytes < chosen->bytes;
        if (fitting && result->fits ? run->request->has_capacity ? cheaper : smaller : fitting || (!result->fits && smaller)) {
            result->chosen = i;
        }
        result->fits = result->fits || fitting;
    }
}

/* All cuts, then those that are near the ones that were chosen, as long as that leads to others. */
static bool find_choices(struct run *run) {
    struct sw_fit_result *result = run->result;
    const struct sw_fit_limits *limits = &run->request->limits;
    uint64_t work = REFINING;
    bool good = sw_fit_cuts_find(run->problem, limits, &result->cuts) && sw_fit_front_find(&result->cuts, limits, &result->front);
    for (size_t round = 0, count = 0; good && round < ROUNDS && work > 0 && result->cuts.items.count != count; round++) {
        count = result->cuts.items.count;
        good = sw_fit_cuts_refine(&result->cuts, limits, &result->front, &work);
        if (good && result->cuts.items.count != count) {
            sw_fit_front_done(&result->front);
            good = sw_fit_front_find(&result->cuts, limits, &result->front);
        }
    }
    return good;
}

bool sw_fit_run(const struct sw_problem *problem, const struct sw_fit_request *request, struct sw_fit_result *result, struct sw_error *error) {
    struct run run = {.problem = problem, .request = request, .result = result, .error = error, .work = work_of(request)};
    result->problem = problem;
    bool good = find_choices(&run);
    size_t count = result->front.items.count;
    run.tried = good ? SW_NEW_ZERO(bool, count) : NULL;
    good = (good && (count == 0 || run.tried)) || sw_fail_memory(error);
    good = good && add_model(&run, NULL, 0, UINT64_MAX);
    result->least = request->limits.of_head ? result->front.live : result->front.arena;
    if (good && !(request->has_capacity && fits(&run, &result->models.items[0]))) {
        good = request->has_capacity ? find_fitting(&run) : find_least(&run);
    }
    result->stopped = run.canceled || result->cuts.stopped || run.work == 0;
    if (good) {
        keep_best(&run);
        choose(&run);
    }
    SW_FREE(run.tried, count);
    SW_ARRAY_DONE(&run.begins);
    return good;
}

void sw_fit_result_done(struct sw_fit_result *result) {
    for (size_t i = 0; i < result->models.count; i++) {
        drop_model(&result->models.items[i]);
    }
    SW_ARRAY_DONE(&result->models);
    sw_fit_cuts_done(&result->cuts);
    sw_fit_front_done(&result->front);
    *result = (struct sw_fit_result){0};
}
