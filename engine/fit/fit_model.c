#include "fit/fit_model.h"
#include "base/base.h"
#include "fit/placing.h"

#include "problem/counter.h"
#include "search/search.h"
#include "planners/planner.h"

enum { STEPS = 100 /* of limits, to a bound */ };

void sw_fit_model_done(struct sw_fit_model *model) {
    sw_layout_free(model->layout);
    sw_problem_unref(model->problem);
    SW_FREE(model->regions, model->region_count);
    SW_ARRAY_DONE(&model->moves.items);
    *model = (struct sw_fit_model){0};
}

/* Where regions begin and end: steps of the program's problem. */
static bool list_parts(struct sw_fit_planning *planning, const struct sw_fit_program *program) {
    planning->begins.count = 0;
    for (size_t i = 1; i < program->calls.count; i++) {
        if (program->calls.items[i].region != program->calls.items[i - 1].region &&
            !SW_PUSH(&planning->begins, (uint32_t)i)) {
            return false;
        }
    }
    return true;
}

static bool may_be_less(const struct sw_fit_planning *planning, const struct sw_fit_model *model, uint64_t more) {
    uint64_t head = model->bound + more;
    return planning->below == 0 ||
           (planning->of_head ? head : sw_problem_arena(model->problem, head)) < planning->below;
}

/* A layout as low as one was found, by limits that rise until there is one, or until it would not need less than what
 * is known. */
static bool plan_parts(struct sw_fit_planning *planning, struct sw_fit_model *model) {
    uint32_t count = sw_problem_buffer_count(model->problem);
    uint64_t *offsets = SW_NEW(uint64_t, count + 1);
    bool memory = offsets != NULL, found = false;
    for (uint64_t more = 0; memory && !found && planning->work > 0 && model->bound + more < model->head &&
                            may_be_less(planning, model, more);
         more += SW_MAX(model->bound / STEPS, 16)) {
        found = sw_fit_place(model->problem, planning->begins.items, planning->begins.count, model->bound + more,
                             planning->seed, &planning->work, offsets, &memory);
    }
    struct sw_layout *layout = found ? sw_layout_new(model->problem, planning->error) : NULL;
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
    return memory || sw_fail_memory(planning->error);
}

/* By first fit, the largest first: what there is to begin with. */
static bool plan_greedily(struct sw_fit_planning *planning, struct sw_fit_model *model) {
    const struct sw_planner *planner = sw_planner_find("greedy-by-size", planning->error);
    struct sw_search *search = planner ? sw_search_new(model->problem, planner, NULL, planning->error) : NULL;
    bool good = search && sw_search_run(search, 0, NULL, NULL, planning->error) == SW_STEP_DONE;
    model->layout = good ? sw_layout_clone(sw_search_layout(search), planning->error) : NULL;
    sw_search_free(search);
    if (model->layout) {
        model->head = sw_layout_peak(model->layout);
    }
    return model->layout != NULL;
}

static void sum_up_model(const struct sw_fit_planning *planning, struct sw_fit_model *model) {
    model->arena = sw_problem_arena(model->problem, model->head);
    model->bytes = planning->of_head ? model->head : model->arena;
}

bool sw_fit_model_plan(struct sw_fit_planning *planning, struct sw_fit_model *model) {
    model->bound = sw_problem_lower_bound(model->problem);
    if (!plan_greedily(planning, model) || (model->head != model->bound && !plan_parts(planning, model))) {
        return false;
    }
    sum_up_model(planning, model);
    return true;
}

/* All that was done to the model, in order. Regions that begin later stand later. */
static bool list_moves(struct sw_fit_planning *planning, const struct sw_fit_variant *variant,
                       struct sw_fit_model *model) {
    bool good = true;
    for (size_t i = 0; good && i < variant->base.moves.count; i++) {
        good = SW_PUSH(&model->moves.items, variant->base.moves.items[i]);
    }
    for (size_t i = 0; good && i < model->region_count; i++) {
        struct sw_fit_move move = {.kind = SW_FIT_STRIPS,
                                   .region = model->regions[i],
                                   .op = model->regions[i].first,
                                   .buffer = SW_NONE,
                                   .other = SW_NONE};
        good = SW_PUSH(&model->moves.items, move);
    }
    return (good && (!planning->over || sw_fit_find_overwritten(model->layout, &model->moves))) ||
           sw_fail_memory(planning->error);
}

/* What the file of the model has, where its reader can count it. */
static void count_file(const struct sw_fit_planning *planning, const struct sw_fit_program *program,
                       struct sw_fit_model *model) {
    const struct sw_counter *counter = sw_problem_counter(program->problem);
    struct sw_counted counted;
    if (counter && counter->count(counter, program, model->layout, &counted)) {
        model->flash = counted.flash;
        sw_problem_counted(model->problem, &counted);
        sum_up_model(planning, model);
    }
}

bool sw_fit_model_make(struct sw_fit_planning *planning, const struct sw_fit_variant *variant, uint32_t number,
                       const struct sw_fit_region *regions, size_t region_count, struct sw_fit_model *model) {
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal = {.op = SW_NONE};
    *model = (struct sw_fit_model){.variant = number,
                                   .region_count = region_count,
                                   .regions = sw_mem_copy(regions, region_count, sizeof *regions)};
    bool good = model->regions || sw_fail_memory(planning->error);
    good = good && (sw_fit_program_make(variant->base.problem, regions, region_count, &program, &refusal) ||
                    (refusal.op == SW_NONE ? sw_fail_memory(planning->error)
                                           : sw_fail(planning->error, SW_ERROR_UNSUPPORTED, "%s", refusal.reason)));
    program.base = &variant->base;
    for (size_t i = 0; good && i < program.calls.count; i++) {
        model->macs += program.calls.items[i].macs;
    }
    model->calls = good ? sw_fit_operators(&program) : 0;
    model->flash = good ? sw_fit_more_flash(&program) + variant->base.more.flash : 0;
    good = good && (list_parts(planning, &program) || sw_fail_memory(planning->error));
    model->problem = good ? sw_fit_program_problem(&program, planning->error) : NULL;
    good = model->problem && sw_fit_model_plan(planning, model) && list_moves(planning, variant, model);
    if (good && (model->moves.items.count > 0 || planning->counts_all)) {
        count_file(planning, &program, model);
    }
    sw_fit_program_done(&program);
    return good;
}

bool sw_fit_model_program(const struct sw_fit_result *result, const struct sw_fit_model *model,
                          struct sw_fit_program *program, struct sw_fit_refusal *refusal) {
    const struct sw_fit_base *base = &result->variants[model->variant].base;
    bool good = sw_fit_program_make(base->problem, model->regions, model->region_count, program, refusal);
    program->base = base;
    return good;
}

bool sw_fit_plan(const struct sw_fit_result *result, const struct sw_fit_request *request, uint32_t variant,
                 const struct sw_fit_region *regions, size_t count, struct sw_fit_model *model,
                 struct sw_error *error) {
    struct sw_fit_planning planning = {.seed = request->seed,
                                       .work = request->work ? request->work : SW_FIT_WORK,
                                       .of_head = request->limits.of_head,
                                       .over = !sw_problem_inplace_safe(result->problem),
                                       .error = error};
    bool good = sw_fit_model_make(&planning, &result->variants[variant], variant, regions, count, model);
    SW_ARRAY_DONE(&planning.begins);
    return good;
}

bool sw_fit_plan_regions(const struct sw_problem *problem, const struct sw_fit_request *request,
                         const struct sw_fit_region *regions, size_t count, uint64_t *work, struct sw_fit_model *model,
                         struct sw_error *error) {
    struct sw_fit_planning planning = {
        .seed = request->seed, .work = *work, .of_head = request->limits.of_head, .error = error};
    struct sw_fit_variant variant = {0};
    bool good = sw_fit_base_of(problem, &variant.base, error) &&
                sw_fit_model_make(&planning, &variant, 0, regions, count, model);
    *work = planning.work;
    sw_fit_base_done(&variant.base);
    SW_ARRAY_DONE(&planning.begins);
    return good;
}
