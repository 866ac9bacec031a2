#include "fit/find_fit.h"
#include "fit/placing.h"

#include "base/minmax.h"
#include "search/search.h"

#include <stdlib.h> /* qsort */
#include <string.h>

#define WORK UINT64_C(400000000)
enum { MOST_MODELS = 24, MOST_EXCHANGES = 400, MOST_FITTING = 1000, STEPS = 100 /* of limits, to a bound */ };

enum phase { LOOKS, SUMS_UP, AS_IS, FITTING, LEAST, SPREAD, NEAREST, IMPROVES, OVER };

struct sw_fit_search {
    const struct sw_problem *problem;
    struct sw_fit_request request;
    struct sw_fit_result *result;
    struct sw_error *error; /* of the present step */
    bool *tried; /* of the front's choices */
    bool canceled;
    uint64_t work;  /* that placing may still spend */
    SW_ARRAY(uint32_t) begins; /* of the parts of the program at hand */
    enum phase phase;
    size_t next, left; /* LEAST, SPREAD: a choice of the front; how many more may be planned */
    /* IMPROVES: */
    size_t best, before; /* models: the best one, and the one whose neighbours were looked at last */
    size_t which, at;    /* the region that is exchanged, and the next cut to take its place */
    struct { /* those of the model whose neighbours are looked at */
        const struct sw_fit_cut **items;
        size_t count, capacity;
    } cuts;
};

static bool is_stopped(struct sw_fit_search *run) {
    const struct sw_fit_limits *limits = &run->request.limits;
    run->canceled = run->canceled || (limits->go_on && !limits->go_on(limits->context, run->result->models.count, MOST_MODELS + MOST_EXCHANGES));
    return run->canceled;
}

/* ---- one model ---- */

void sw_fit_model_done(struct sw_fit_model *model) {
    sw_layout_free(model->layout);
    sw_problem_unref(model->problem);
    SW_FREE(model->regions, model->region_count);
    *model = (struct sw_fit_model){0};
}

/* Where regions begin and end: steps of the program's problem. */
static bool list_parts(struct sw_fit_search *run, const struct sw_fit_program *program) {
    run->begins.count = 0;
    for (size_t i = 1; i < program->calls.count; i++) {
        if (program->calls.items[i].region != program->calls.items[i - 1].region && !SW_PUSH(&run->begins, (uint32_t)i)) {
            return false;
        }
    }
    return true;
}

/* A layout as low as one was found, by limits that rise until there is one. */
static bool plan_parts(struct sw_fit_search *run, struct sw_fit_model *model) {
    uint32_t count = sw_problem_buffer_count(model->problem);
    uint64_t *offsets = SW_NEW(uint64_t, count + 1);
    bool memory = offsets != NULL, found = false;
    for (uint64_t more = 0; memory && !found && run->work > 0 && model->bound + more < model->head; more += SW_MAX(model->bound / STEPS, 16)) {
        found = sw_fit_place(model->problem, run->begins.items, run->begins.count, model->bound + more, run->request.seed, &run->work, offsets,
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
static bool plan_greedily(struct sw_fit_search *run, struct sw_fit_model *model) {
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

/* The choice made and planned. */
static bool make_model(struct sw_fit_search *run, const struct sw_fit_region *regions, size_t count, struct sw_fit_model *model) {
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal = {.op = SW_NONE};
    *model = (struct sw_fit_model){.region_count = count, .regions = SW_NEW(struct sw_fit_region, count)};
    bool good = (count == 0 || model->regions) || sw_fail_memory(run->error);
    if (good && count > 0) {
        memcpy(model->regions, regions, count * sizeof *regions);
    }
    good = good && (sw_fit_program_make(run->problem, regions, count, &program, &refusal) ||
                    (refusal.op == SW_NONE ? sw_fail_memory(run->error) : sw_fail(run->error, SW_ERROR_UNSUPPORTED, "%s", refusal.reason)));
    for (size_t i = 0; good && i < program.calls.count; i++) {
        model->macs += program.calls.items[i].macs;
    }
    model->calls = (uint32_t)program.calls.count;
    good = good && (list_parts(run, &program) || sw_fail_memory(run->error));
    model->problem = good ? sw_fit_program_problem(&program, run->error) : NULL;
    sw_fit_program_done(&program);
    model->bound = model->problem ? sw_problem_lower_bound(model->problem) : 0;
    good = model->problem != NULL && plan_greedily(run, model) && (model->head == model->bound || plan_parts(run, model));
    if (good) {
        model->arena = sw_problem_arena(model->problem, model->head);
        model->bytes = run->request.limits.of_head ? model->head : model->arena;
    } else {
        sw_fit_model_done(model);
    }
    return good;
}

static bool add_model(struct sw_fit_search *run, const struct sw_fit_region *regions, size_t count) {
    struct sw_fit_model model;
    if (!make_model(run, regions, count, &model)) {
        return false;
    }
    if (!SW_PUSH(&run->result->models, model)) {
        sw_fit_model_done(&model);
        return sw_fail_memory(run->error);
    }
    return true;
}

bool sw_fit_plan(const struct sw_problem *problem, const struct sw_fit_request *request, const struct sw_fit_region *regions, size_t count,
                 struct sw_fit_model *model, struct sw_error *error) {
    struct sw_fit_search alone = {.problem = problem, .request = *request, .error = error, .work = request->work ? request->work : WORK};
    bool good = make_model(&alone, regions, count, model);
    SW_ARRAY_DONE(&alone.begins);
    return good;
}

/* ---- which choices ---- */

static const struct sw_fit_model *last_model(const struct sw_fit_search *run) {
    return &run->result->models.items[run->result->models.count - 1];
}

static bool fits(const struct sw_fit_search *run, const struct sw_fit_model *model) {
    return !run->request.has_capacity || model->bytes <= run->request.capacity;
}

static bool try_choice(struct sw_fit_search *run, size_t number) {
    const struct sw_fit_choice *choice = &run->result->front.items.items[number];
    run->tried[number] = true;
    return add_model(run, run->result->front.chosen.items + choice->first, choice->count);
}

/* ---- neighbours of a choice ---- */

/* What the cuts of these regions come to, without planning: a choice. False: two of them overlap, or they are not allowed. */
static bool sum_up(struct sw_fit_search *run, const struct sw_fit_cut *const *cuts, size_t count, struct sw_fit_choice *choice) {
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
    choice->bytes = sw_fit_bytes(run->problem, &run->request.limits, choice);
    return sw_fit_allows(&run->result->cuts, &run->request.limits, choice->macs, choice->calls);
}

static const struct sw_fit_cut *find_cut(const struct sw_fit_search *run, const struct sw_fit_region *region) {
    const struct sw_fit_cuts *cuts = &run->result->cuts;
    for (size_t i = 0; i < cuts->items.count; i++) {
        if (sw_fit_same_region(&cuts->items.items[i].region, region)) {
            return &cuts->items.items[i];
        }
    }
    return NULL;
}

/* Is there a model of these regions already? */
static bool is_planned(const struct sw_fit_search *run, const struct sw_fit_cut *const *cuts, size_t count) {
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

/* The cuts of the best model, whose regions are exchanged next. */
static bool take_cuts(struct sw_fit_search *run) {
    const struct sw_fit_model *best = &run->result->models.items[run->best];
    run->before = run->best;
    run->which = run->at = run->cuts.count = 0;
    for (size_t i = 0; i < best->region_count; i++) {
        if (!SW_PUSH(&run->cuts, find_cut(run, &best->regions[i]))) {
            return false;
        }
    }
    return true;
}

/* The next cut that may take the place of one that begins or ends where it does, and be better than the best model; it stands in `cuts` then.
 * False: there is none for this region. */
static bool next_neighbour(struct sw_fit_search *run) {
    struct sw_fit_result *result = run->result;
    const struct sw_fit_cut *own = run->cuts.items[run->which];
    while (run->at < result->cuts.items.count) {
        const struct sw_fit_cut *other = &result->cuts.items.items[run->at++];
        struct sw_fit_choice choice;
        bool near = other->region.first == own->region.first || other->region.last == own->region.last;
        run->cuts.items[run->which] = other;
        if (near && other != own && sum_up(run, run->cuts.items, run->cuts.count, &choice) && choice.bytes < result->models.items[run->best].bytes &&
            !is_planned(run, run->cuts.items, run->cuts.count)) {
            return true;
        }
        run->cuts.items[run->which] = own;
    }
    return false;
}

/* The model with the neighbour in its place. */
static bool try_neighbour(struct sw_fit_search *run, const struct sw_fit_cut *own) {
    size_t count = run->cuts.count;
    struct sw_fit_region *regions = SW_NEW(struct sw_fit_region, count);
    for (size_t i = 0; regions && i < count; i++) {
        regions[i] = run->cuts.items[i]->region;
    }
    run->cuts.items[run->which] = own;
    bool good = regions ? add_model(run, regions, count) : sw_fail_memory(run->error);
    run->left--;
    if (good && last_model(run)->bytes < run->result->models.items[run->best].bytes) {
        run->best = run->result->models.count - 1;
    }
    SW_FREE(regions, count);
    return good;
}

static void begin_to_improve(struct sw_fit_search *run) {
    run->phase = IMPROVES;
    run->left = MOST_EXCHANGES;
    run->best = run->cuts.count = run->which = 0;
    run->before = SIZE_MAX;
    for (size_t i = 0; i < run->result->models.count; i++) {
        run->best = run->result->models.items[i].bytes < run->result->models.items[run->best].bytes ? i : run->best;
    }
}

/* From the best model on, one region after the other is exchanged, as long as that helps. What is alive tells less than addresses do, so a
 * neighbour may be better though its bound is not. `planned`: one was; else there is nothing more to exchange. */
static bool improve(struct sw_fit_search *run, bool *planned) {
    for (*planned = false; run->left > 0 && !is_stopped(run);) {
        if (run->which >= run->cuts.count) {
            bool enough = run->request.has_capacity && fits(run, &run->result->models.items[run->best]);
            if (run->best == run->before || enough) {
                return true;
            }
            if (!take_cuts(run)) {
                return sw_fail_memory(run->error);
            }
            if (run->cuts.count == 0) {
                return true;
            }
        }
        const struct sw_fit_cut *own = run->cuts.items[run->which];
        if (next_neighbour(run)) {
            *planned = true;
            return try_neighbour(run, own);
        }
        run->which++;
        run->at = 0;
    }
    return true;
}

/* ---- the search ---- */

/* Of the front's choices that may fit the one with the fewest multiply-adds, and of these with the smallest tail, that was not tried; SIZE_MAX:
 * there is none. */
static size_t next_choice(const struct sw_fit_search *run) {
    const struct sw_fit_front *front = &run->result->front;
    size_t next = SIZE_MAX;
    for (size_t i = 0; i < front->items.count; i++) {
        const struct sw_fit_choice *one = &front->items.items[i], *best = next == SIZE_MAX ? NULL : &front->items.items[next];
        if (!run->tried[i] && one->bytes <= run->request.capacity &&
            (!best || one->macs < best->macs || (one->macs == best->macs && one->tail < best->tail))) {
            next = i;
        }
    }
    return next;
}

/* ---- the result ---- */

static int by_bytes(const void *a, const void *b) {
    const struct sw_fit_model *x = a, *y = b;
    return x->bytes != y->bytes ? (x->bytes < y->bytes ? -1 : 1) : x->macs != y->macs ? (x->macs < y->macs ? -1 : 1) : (x->calls > y->calls) - (x->calls < y->calls);
}

/* The model as it is stays first; of the others those go that one with no more bytes and no more multiply-adds beats. */
static void keep_best(struct sw_fit_search *run) {
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

static void choose(struct sw_fit_search *run) {
    struct sw_fit_result *result = run->result;
    for (size_t i = 0; i < result->models.count; i++) {
        const struct sw_fit_model *model = &result->models.items[i], *chosen = &result->models.items[result->chosen];
        bool fitting = fits(run, model), cheaper = run->request.has_capacity && model->macs < chosen->macs;
        bool smaller = model->bytes < chosen->bytes;
        if (fitting && result->fits ? run->request.has_capacity ? cheaper : smaller : fitting || (!result->fits && smaller)) {
            result->chosen = i;
        }
        result->fits = result->fits || fitting;
    }
}

/* ---- step by step ---- */

static bool tell_model(struct sw_fit_search *run, struct sw_fit_event *event) {
    const struct sw_fit_model *model = last_model(run);
    *event = (struct sw_fit_event){.kind = SW_FIT_PLANNED, .model = *model, .best = UINT64_MAX};
    event->model.regions = NULL;
    event->model.problem = NULL;
    event->model.layout = NULL;
    for (size_t i = 0; i + 1 < run->result->models.count; i++) {
        event->best = SW_MIN(event->best, run->result->models.items[i].bytes);
    }
    return true;
}

static bool look(struct sw_fit_search *run, struct sw_fit_event *event) {
    struct sw_fit_cuts *cuts = &run->result->cuts;
    uint32_t op = cuts->next;
    size_t before = cuts->items.count, refused = cuts->refused.count;
    if (!sw_fit_cuts_next(cuts, &run->request.limits)) {
        return sw_fail_memory(run->error);
    }
    *event = (struct sw_fit_event){.kind = SW_FIT_LOOKED, .op = op, .first = before, .count = cuts->items.count - before,
                                   .refusal = cuts->refused.count > refused ? refused : SIZE_MAX};
    return true;
}

static bool sum_all_up(struct sw_fit_search *run, struct sw_fit_event *event) {
    struct sw_fit_result *result = run->result;
    if (!sw_fit_front_find(&result->cuts, &run->request.limits, &result->front)) {
        return sw_fail_memory(run->error);
    }
    run->tried = SW_NEW_ZERO(bool, result->front.items.count);
    for (size_t i = 0; run->tried && i < result->front.items.count; i++) {
        run->tried[i] = result->front.items.items[i].count == 0; /* the model as it is, which is planned next */
    }
    result->least = run->request.limits.of_head ? result->front.live : result->front.arena;
    *event = (struct sw_fit_event){.kind = SW_FIT_FRONT, .best = result->least};
    for (size_t i = 0; i < result->front.items.count; i++) {
        event->count += result->front.items.items[i].count > 0;
    }
    run->phase = AS_IS;
    return result->front.items.count == 0 || run->tried || sw_fail_memory(run->error);
}

static bool plan_as_is(struct sw_fit_search *run, struct sw_fit_event *event) {
    if (!add_model(run, NULL, 0)) {
        return false;
    }
    bool enough = run->request.has_capacity && fits(run, &run->result->models.items[0]);
    run->phase = enough ? OVER : run->request.has_capacity ? FITTING : LEAST;
    run->left = run->request.has_capacity ? MOST_FITTING : MOST_MODELS;
    return tell_model(run, event);
}

/* The cheapest one that may fit. Where nothing fits, what comes nearest is worth knowing, and one of its neighbours may fit. */
static bool find_fitting(struct sw_fit_search *run, struct sw_fit_event *event) {
    size_t next = run->left > 0 && !is_stopped(run) ? next_choice(run) : SIZE_MAX;
    if (next == SIZE_MAX) {
        run->phase = NEAREST;
        return true;
    }
    run->left--;
    if (!try_choice(run, next)) {
        return false;
    }
    run->phase = fits(run, last_model(run)) ? OVER : FITTING;
    return tell_model(run, event);
}

static bool find_nearest(struct sw_fit_search *run, struct sw_fit_event *event) {
    bool tries = run->result->front.items.count > 0 && !run->tried[0] && !is_stopped(run);
    if (tries && !try_choice(run, 0)) {
        return false;
    }
    begin_to_improve(run);
    return !tries || tell_model(run, event);
}

static uint64_t least_bytes(const struct sw_fit_search *run) {
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < run->result->models.count; i++) {
        least = SW_MIN(least, run->result->models.items[i].bytes);
    }
    return least;
}

/* The most promising first, until none can be better than what was found. */
static bool find_least(struct sw_fit_search *run, struct sw_fit_event *event) {
    const struct sw_fit_front *front = &run->result->front;
    if (run->next >= front->items.count || run->left == 0 || front->items.items[run->next].bytes >= least_bytes(run) || is_stopped(run)) {
        run->phase = SPREAD;
        run->next = 0;
        return true;
    }
    size_t number = run->next++;
    if (run->tried[number]) {
        return true;
    }
    run->left--;
    return try_choice(run, number) && tell_model(run, event);
}

/* Some of the others, for the choice between bytes and work. */
static bool find_others(struct sw_fit_search *run, struct sw_fit_event *event) {
    size_t count = run->result->front.items.count, stride = SW_MAX(count / (MOST_MODELS / 2), 1);
    while (run->next < count && run->tried[run->next]) {
        run->next += stride;
    }
    if (run->next >= count || is_stopped(run)) {
        begin_to_improve(run);
        return true;
    }
    return try_choice(run, run->next) && tell_model(run, event);
}

static bool find_neighbours(struct sw_fit_search *run, struct sw_fit_event *event) {
    bool planned;
    if (!improve(run, &planned)) {
        return false;
    }
    run->phase = planned ? IMPROVES : OVER;
    return !planned || tell_model(run, event);
}

static bool end(struct sw_fit_search *run, struct sw_fit_event *event) {
    struct sw_fit_result *result = run->result;
    if (!result->over) {
        result->stopped = run->canceled || result->cuts.stopped || run->work == 0;
        keep_best(run);
        choose(run);
        result->over = true;
    }
    *event = (struct sw_fit_event){.kind = SW_FIT_OVER};
    return true;
}

static bool (*const phases[])(struct sw_fit_search *, struct sw_fit_event *) = {
    [LOOKS] = look,           [SUMS_UP] = sum_all_up, [AS_IS] = plan_as_is,         [FITTING] = find_fitting, [LEAST] = find_least,
    [SPREAD] = find_others,   [NEAREST] = find_nearest, [IMPROVES] = find_neighbours, [OVER] = end,
};

struct sw_fit_search *sw_fit_search_new(const struct sw_problem *problem, const struct sw_fit_request *request, struct sw_fit_result *result,
                                        struct sw_error *error) {
    struct sw_fit_search *run = SW_NEW_ZERO(struct sw_fit_search, 1);
    if (!run) {
        sw_fail_memory(error);
        return NULL;
    }
    run->problem = result->problem = problem;
    run->request = *request;
    run->result = result;
    run->work = request->work ? request->work : WORK;
    sw_fit_cuts_begin(problem, &result->cuts);
    return run;
}

bool sw_fit_search_step(struct sw_fit_search *run, struct sw_fit_event *event, struct sw_error *error) {
    bool good = true;
    run->error = error;
    for (event->kind = SW_FIT_NOTHING; good && event->kind == SW_FIT_NOTHING;) {
        if (run->phase == LOOKS && run->result->cuts.next >= sw_problem_operator_count(run->problem)) {
            run->phase = SUMS_UP;
        }
        good = phases[run->phase](run, event);
    }
    return good;
}

void sw_fit_search_free(struct sw_fit_search *run) {
    if (run) {
        SW_FREE(run->tried, run->result->front.items.count);
        SW_ARRAY_DONE(&run->begins);
        SW_ARRAY_DONE(&run->cuts);
        SW_FREE(run, 1);
    }
}

bool sw_fit_run(const struct sw_problem *problem, const struct sw_fit_request *request, struct sw_fit_result *result, struct sw_error *error) {
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
    sw_fit_cuts_done(&result->cuts);
    sw_fit_front_done(&result->front);
    *result = (struct sw_fit_result){0};
}
