#include "fit/fit.h"

#include "base/minmax.h"

#include <stdio.h> /* snprintf */
#include <stdlib.h> /* qsort */
#include <string.h>

enum { ORDERS = 4000, MOST_MODELS = 24 };

struct run {
    const struct sw_problem *problem;
    const struct sw_fit_request *request;
    struct sw_fit_result *result;
    struct sw_error *error;
    bool *tried; /* of the front's choices */
};

static bool is_stopped(struct run *run) {
    const struct sw_fit_limits *limits = &run->request->limits;
    run->result->stopped |= run->result->cuts.stopped || (limits->go_on && !limits->go_on(limits->context, run->result->models.count, MOST_MODELS));
    return run->result->stopped;
}

/* ---- one model ---- */

static void drop_model(struct sw_fit_model *model) {
    sw_search_free(model->search);
    sw_problem_unref(model->problem);
    SW_FREE(model->regions, model->region_count);
    *model = (struct sw_fit_model){0};
}

/* A plan by one planner, if it is lower than the one that there is. */
static bool plan_with(struct run *run, struct sw_fit_model *model, const char *name, uint32_t orders) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error *error = run->error;
    const struct sw_planner *planner = sw_planner_find(name, error);
    char number[16];
    snprintf(number, sizeof number, "%u", orders);
    params.seed = run->request->seed;
    bool good = planner && (orders == 0 || sw_params_set(&params, "evaluations", number, error));
    struct sw_search *search = good ? sw_search_new(model->problem, planner, &params, error) : NULL;
    enum sw_step step = SW_STEP_MORE;
    struct sw_metrics metrics = {0};
    while (search && step == SW_STEP_MORE) {
        step = sw_search_run(search, 0, NULL, NULL, error);
    }
    good = search && (step == SW_STEP_DONE || error->code == SW_ERROR_INFEASIBLE);
    if (good && step == SW_STEP_DONE) {
        sw_metrics_of(sw_search_layout(search), &metrics);
    }
    if (good && step == SW_STEP_DONE && metrics.complete && (!model->search || metrics.peak < model->head)) {
        sw_search_free(model->search);
        model->search = search;
        model->head = metrics.peak;
        search = NULL;
    }
    sw_search_free(search);
    sw_params_done(&params);
    return good;
}

/* The choice made and planned, as one more model. */
static bool add_model(struct run *run, const struct sw_fit_region *regions, size_t count) {
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
    model.problem = good ? sw_fit_program_problem(&program, run->error) : NULL;
    sw_fit_program_done(&program);
    good = model.problem != NULL && plan_with(run, &model, "greedy-by-size", 0);
    model.bound = good ? sw_problem_lower_bound(model.problem) : 0;
    if (good && model.head > model.bound) {
        good = plan_with(run, &model, "random-order", run->request->orders ? run->request->orders : ORDERS);
    }
    if (good) {
        model.arena = sw_problem_arena(model.problem, model.head);
        good = SW_PUSH(&run->result->models, model) || sw_fail_memory(run->error);
    }
    if (!good) {
        drop_model(&model);
    }
    return good;
}

/* ---- which choices ---- */

/* What the capacity is of: no plan of the choice has less. */
static uint64_t least_of(const struct run *run, const struct sw_fit_choice *choice) {
    return run->request->of_head && run->request->has_capacity ? choice->live : sw_problem_arena(run->problem, choice->live) + choice->tail;
}

static uint64_t size_of(const struct run *run, const struct sw_fit_model *model) {
    return run->request->of_head && run->request->has_capacity ? model->head : model->arena;
}

static bool try_choice(struct run *run, size_t number) {
    const struct sw_fit_choice *choice = &run->result->front.items.items[number];
    run->tried[number] = true;
    return choice->count == 0 || add_model(run, run->result->front.chosen.items + choice->first, choice->count);
}

/* The one with the fewest multiply-adds that fits: choices stand by bytes, so multiply-adds fall along the list. */
static bool find_fitting(struct run *run) {
    struct sw_fit_result *result = run->result;
    uint64_t capacity = run->request->capacity;
    for (size_t i = result->front.items.count; i-- > 0 && !is_stopped(run);) {
        if (least_of(run, &result->front.items.items[i]) > capacity) {
            continue;
        }
        if (!try_choice(run, i)) {
            return false;
        }
        if (size_of(run, &result->models.items[result->models.count - 1]) <= capacity) {
            return true;
        }
    }
    return true;
}

/* The most promising first, until none can be better than what was found; then some of the others, for the choice between bytes and work. */
static bool find_least(struct run *run) {
    struct sw_fit_result *result = run->result;
    size_t count = result->front.items.count, left = MOST_MODELS;
    uint64_t best = result->models.items[0].arena;
    for (size_t i = 0; i < count && left > 0 && least_of(run, &result->front.items.items[i]) < best && !is_stopped(run); i++, left--) {
        if (!try_choice(run, i)) {
            return false;
        }
        best = SW_MIN(best, result->models.items[result->models.count - 1].arena);
    }
    size_t stride = SW_MAX(count / (MOST_MODELS / 2), 1);
    for (size_t i = 0; i < count && !is_stopped(run); i += stride) {
        if (!run->tried[i] && !try_choice(run, i)) {
            return false;
        }
    }
    return true;
}

/* ---- the result ---- */

static int by_arena(const void *a, const void *b) {
    const struct sw_fit_model *x = a, *y = b;
    return x->arena != y->arena ? (x->arena < y->arena ? -1 : 1) : x->macs != y->macs ? (x->macs < y->macs ? -1 : 1) : (x->calls > y->calls) - (x->calls < y->calls);
}

/* The model as it is stays first; of the others those go that one with no larger arena and no more work beats. */
static void keep_best(struct run *run) {
    struct sw_fit_result *result = run->result;
    size_t kept = 1;
    uint64_t macs = UINT64_MAX;
    if (result->models.count > 1) {
        qsort(result->models.items + 1, result->models.count - 1, sizeof *result->models.items, by_arena);
    }
    for (size_t i = 1; i < result->models.count; i++) {
        struct sw_fit_model *model = &result->models.items[i];
        if (model->macs < macs && model->arena < result->models.items[0].arena) {
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
    result->fits = !run->request->has_capacity;
    for (size_t i = 0; i < result->models.count; i++) {
        const struct sw_fit_model *model = &result->models.items[i], *chosen = &result->models.items[result->chosen];
        if (!run->request->has_capacity) {
            result->chosen = model->arena < chosen->arena ? i : result->chosen;
        } else if (size_of(run, model) <= run->request->capacity && (!result->fits || model->macs < chosen->macs)) {
            result->chosen = i;
            result->fits = true;
        }
    }
    for (size_t i = 0; !result->fits && i < result->models.count; i++) { /* the nearest */
        result->chosen = size_of(run, &result->models.items[i]) < size_of(run, &result->models.items[result->chosen]) ? i : result->chosen;
    }
}

bool sw_fit_run(const struct sw_problem *problem, const struct sw_fit_request *request, struct sw_fit_result *result, struct sw_error *error) {
    struct run run = {.problem = problem, .request = request, .result = result, .error = error};
    result->problem = problem;
    bool good = sw_fit_cuts_find(problem, &request->limits, &result->cuts) && sw_fit_front_find(&result->cuts, &request->limits, &result->front);
    size_t count = result->front.items.count;
    run.tried = good ? SW_NEW_ZERO(bool, count) : NULL;
    good = (good && (count == 0 || run.tried)) || sw_fail_memory(error);
    good = good && add_model(&run, NULL, 0);
    result->least = good ? (request->of_head && request->has_capacity ? result->models.items[0].bound : sw_problem_arena(problem, result->models.items[0].bound)) : 0;
    for (size_t i = 0; good && i < count; i++) {
        result->least = SW_MIN(result->least, least_of(&run, &result->front.items.items[i]));
    }
    if (good && !(request->has_capacity && size_of(&run, &result->models.items[0]) <= request->capacity)) {
        good = request->has_capacity ? find_fitting(&run) : find_least(&run);
    }
    if (good) {
        keep_best(&run);
        choose(&run);
    }
    SW_FREE(run.tried, count);
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
