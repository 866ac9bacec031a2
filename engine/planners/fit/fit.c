/* fit: changes the model until it needs less, and then places what the changed model has.
 *
 * The idea. No plan needs less than what is alive at once. A model computed in strips of rows needs less, and computes
 * the same (engine/fit/README.md). So the run first looks for such changes, and only then gives the buffers their
 * addresses.
 *
 * The run has four parts.
 *
 * - It searches (fit/find_fit.h). `look` is a decision about all regions that begin with one operator; then follow
 *   decisions that plan whole models, the most promising first, and their neighbours.
 * - It chooses a model: without a capacity the one that needs least, else of those that fit the one with the fewest
 *   multiply-adds. Another candidate may be chosen.
 * - It takes the model's cuts one by one: `take`. Another candidate cuts the region in another way, or not at all.
 * - `hand-over` ends the search: from there on the run is about the changed model, and each decision places one of
 *   its buffers where the plan has it that was found. Where a demand of the user is in the way of that, the buffer
 *   goes to the lowest place that is free.
 *
 * The run makes the whole arena small: the planned bytes and those that the interpreter keeps beside them. If the first
 * tier has a capacity, or if `of` says so, it makes the planned bytes alone small.
 *
 * The search does not depend on the user's demands, so it is made once for all branches of a run and remembered: going
 * back and forward again costs nothing.
 *
 * Cost: some seconds; see engine/fit/cuts/cuts.h. */
#include "planners/fit/fit.h"
#include "base/base.h"
#include "planners/fit/fit_look.h"

/* ---- the ground ---- */

static void drop_made(struct fit_made *made) {
    SW_FREE(made->regions, made->count);
    sw_fit_model_done(&made->model);
}

static void fit_ground_unref(struct fit_ground *ground) {
    if (ground && --ground->owners == 0) {
        sw_fit_search_free(ground->search);
        sw_fit_result_done(&ground->result);
        for (size_t i = 0; i < ground->made.count; i++) {
            drop_made(&ground->made.items[i]);
        }
        SW_ARRAY_DONE(&ground->made, &ground->events);
        sw_problem_unref(ground->problem);
        SW_FREE(ground, 1);
    }
}

static unsigned asked_moves(const struct sw_run *run) {
    const char *list = sw_params_text(run->params, run->planner, "moves");
    unsigned moves = 0;
    for (int kind = 0; kind < SW_FIT_SPILL; kind++) {
        const char *name = sw_fit_move_name((enum sw_fit_move_kind)kind), *at = strstr(list, name);
        moves |= at ? SW_FIT_MAY(kind) : 0;
    }
    return moves;
}

static struct sw_fit_request request_of(const struct sw_run *run) {
    const struct sw_params *params = run->params;
    const struct sw_planner *planner = run->planner;
    uint64_t capacity = (uint64_t)sw_params_integer(params, planner, "capacity");
    uint64_t tier = sw_problem_tier(run->problem, 0)->capacity;
    bool bounded = tier != SW_UNBOUNDED && capacity == 0;
    return (struct sw_fit_request){
        .has_capacity = capacity > 0 || bounded,
        .capacity = bounded ? tier : capacity,
        .seed = params->seed,
        .work = params->work,
        .moves = asked_moves(run),
        .limits = {.macs = sw_params_number(params, planner, "max-macs"),
                   .calls = (uint32_t)sw_params_integer(params, planner, "max-operators"),
                   .of_head = bounded || strcmp(sw_params_text(params, planner, "of"), "head") == 0}};
}

static struct fit_ground *fit_ground_new(const struct sw_run *run) {
    struct fit_ground *ground = SW_NEW_ZERO(struct fit_ground, 1);
    if (!ground) {
        sw_fail_memory(run->error);
        return NULL;
    }
    ground->owners = 1;
    ground->problem = sw_problem_ref(run->problem);
    ground->request = request_of(run);
    ground->search = sw_fit_search_new(ground->problem, &ground->request, &ground->result, run->error);
    if (!ground->search) {
        fit_ground_unref(ground);
        return NULL;
    }
    return ground;
}

/* A search that failed cannot go on: begin it anew, and repeat the steps that were known. */
static bool search_anew(struct fit_ground *ground, struct sw_error *error) {
    struct sw_fit_event event;
    sw_fit_search_free(ground->search);
    sw_fit_result_done(&ground->result);
    ground->search = sw_fit_search_new(ground->problem, &ground->request, &ground->result, error);
    bool good = ground->search != NULL;
    for (size_t i = 0; good && i < ground->events.count; i++) {
        good = sw_fit_search_step(ground->search, &event, error);
    }
    ground->failed = !good;
    return good;
}

/* The event of that number. If it is not known yet, the search goes on to it. NULL: the error says why. */
static const struct sw_fit_event *fit_event_at(struct fit_ground *ground, size_t i, struct sw_error *error) {
    if (ground->failed && !search_anew(ground, error)) {
        return NULL;
    }
    if (i == ground->events.count) {
        struct sw_fit_event event;
        if (!SW_RESERVE(&ground->events, i + 1)) {
            sw_fail_memory(error);
            return NULL;
        }
        ground->failed = !sw_fit_search_step(ground->search, &event, error);
        if (ground->failed) {
            return NULL;
        }
        ground->events.items[ground->events.count++] = event;
    }
    return &ground->events.items[i];
}

/* ---- the state of a run ---- */

static uint64_t region_digest(const void *of) {
    const struct sw_fit_region *r = of;
    uint64_t digest = sw_fold(sw_fold(0, (uint64_t)r->first << 32 | r->last),
                              (uint64_t)r->strips << 8 | (uint64_t)r->loop << 1 | r->backwards);
    digest = sw_fold(sw_fold(sw_fold(digest, r->kept), r->padded), (uint64_t)r->lead << 32 | r->rows);
    for (size_t i = 0; i < SW_FIT_ENDS && r->ends[i] > 0; i++) {
        digest = sw_fold(digest, r->ends[i]);
    }
    return digest;
}

SW_OWNERS(fit_ground, struct fit_ground, fit_ground_unref)
#define STATE struct sw_fit_region
static const struct sw_described region_described = {
    SW_STRUCT, .digest = region_digest,
    .fields = SW_FIELDS({.name = "region", .size = sizeof(STATE), .alignment = _Alignof(STATE)})};
#undef STATE
#define STATE struct fit
static const struct sw_described fit_state_described = {
    SW_STRUCT, .salt = 17,
    .fields = SW_FIELDS(SW_POINTER(ground, &fit_ground_pointed), SW_TOLD(phase), SW_TOLD(seen), SW_TOLD(chosen),
                        SW_LIST(regions, .of = &region_described), SW_TOLD(variant), SW_TOLD(taken), SW_TOLD(named),
                        SW_TOLD(taken_moves), SW_TOLD(changed), SW_TOLD(placed))};
#undef STATE

static bool fit_open(void *state, struct sw_run *run) {
    struct fit *fit = state;
    fit->chosen = SIZE_MAX;
    fit->ground = fit_ground_new(run);
    return fit->ground != NULL;
}

/* ---- searching ---- */

/* Was the cut known at that event? Cuts that begin with the same operator may have been added later. */
static bool is_of(const struct sw_fit_cut *cut, const struct sw_fit_event *event) {
    return cut->number >= event->first && cut->number - event->first < event->count;
}

/* The ways to cut regions that begin with one operator. */
static bool explain_cuts(const struct fit_ground *ground, const struct sw_fit_event *event,
                         struct sw_explanation *explain) {
    const struct sw_fit_cuts *cuts = &ground->result.variants[0].cuts;
    for (size_t i = 0; explain && i < cuts->items.count; i++) {
        const struct sw_fit_cut *cut = &cuts->items.items[i];
        if (is_of(cut, event) && !fit_explain_cut(ground->problem, cut, SW_VERDICT_FITS, explain)) {
            return false;
        }
    }
    return event->refusal == SIZE_MAX || sw_explain_change(explain, SW_VERDICT_REFUSED, event->op, SW_UNBOUNDED, "%s",
                                                           cuts->refused.items[event->refusal].reason);
}

static bool tell_look(const struct fit *fit, const struct sw_fit_event *event, struct sw_run *run,
                      struct sw_decision *decision) {
    const struct sw_fit_cuts *cuts = &fit->ground->result.variants[0].cuts;
    sw_decision_become(decision, SW_DECISION_LOOK);
    decision->look.op = sw_problem_operator(run->problem, event->op)->name;
    decision->look.ways = event->count;
    decision->time = event->op;
    decision->candidates = (uint32_t)event->count;
    for (size_t i = 0; i < cuts->items.count; i++) {
        uint64_t live = cuts->items.items[i].live;
        if (is_of(&cuts->items.items[i], event)) {
            decision->look.least = SW_MIN(decision->look.least ? decision->look.least : UINT64_MAX, live);
        }
    }
    decision->reason = event->count > 0             ? NULL
                       : event->refusal != SIZE_MAX ? "the operator can be in none"
                                                    : "none would need less there";
    run->work += 1 + event->count;
    return explain_cuts(fit->ground, event, run->explain);
}

/* The last move of a planned model, for its decision. None if results lie over arguments: these come with the plan. */
static void tell_look_base(const struct fit *fit, const struct sw_fit_event *event, struct sw_run *run,
                           struct sw_decision *decision) {
    const struct sw_fit_base *base = &fit->ground->result.variants[event->op].base;
    enum sw_fit_move_kind kind = sw_problem_inplace_safe(base->problem) && !sw_problem_inplace_safe(run->problem)
                                     ? SW_FIT_INPLACE
                                 : base->moves.count > 0 ? base->moves.items[base->moves.count - 1].kind
                                                         : SW_FIT_STRIPS;
    sw_decision_become(decision, SW_DECISION_LOOK_BASE);
    decision->look_base.move = sw_fit_move_name(kind);
    decision->look_base.choices = event->count;
    decision->look_base.least = event->best;
    decision->reason = "however it is planned";
    run->work += 1 + event->count;
}

static void tell_front(const struct fit *fit, const struct sw_fit_event *event, struct sw_run *run,
                       struct sw_decision *decision) {
    sw_decision_become(decision, SW_DECISION_SUM_UP);
    decision->sum_up.choices = event->count;
    decision->sum_up.least = event->best;
    decision->sum_up.arena = !fit->ground->request.limits.of_head;
    decision->reason = "however it is planned";
    run->work += 1 + event->count;
}

static void tell_evaluated(const struct fit *fit, const struct sw_fit_event *event, struct sw_run *run,
                           struct sw_decision *decision) {
    const struct sw_fit_request *request = &fit->ground->request;
    const struct sw_fit_model *model = &event->model;
    sw_decision_become(decision, SW_DECISION_EVALUATE_MODEL);
    decision->evaluate_model.head = model->head;
    decision->evaluate_model.arena = model->arena;
    decision->evaluate_model.regions = model->region_count;
    decision->evaluate_model.others = event->moves - SW_MIN(event->moves, model->region_count);
    decision->evaluate_model.macs = model->macs - SW_MIN(model->macs, fit->ground->result.variants[0].cuts.macs);
    decision->measures = SW_AMOUNT_MEMORY;
    decision->reason = request->has_capacity && model->bytes <= request->capacity ? "it fits"
                       : request->has_capacity                                    ? "it does not fit"
                       : event->best == UINT64_MAX                                ? "to begin with"
                       : model->bytes < event->best                               ? "the smallest so far"
                                                                                  : "no smaller than one before";
    run->work += model->calls;
}

static enum sw_step search_models(struct fit *fit, struct sw_run *run, struct sw_decision *decision) {
    const struct sw_fit_event *event = fit_event_at(fit->ground, fit->seen, run->error);
    if (!event) {
        return SW_STEP_FAILED;
    }
    if (event->kind == SW_FIT_OVER) {
        fit->phase = FIT_CHOOSES;
        return fit_choose(fit, run, decision);
    }
    if (run->choice >= 0) {
        return SW_STEP_FAIL(
            run, SW_ERROR_UNSUPPORTED,
            "this decision only looks: what is to be changed is chosen at the decisions choose and take");
    }
    bool good = true;
    if (event->kind == SW_FIT_LOOKED) {
        good = tell_look(fit, event, run, decision);
    } else if (event->kind == SW_FIT_BASE) {
        tell_look_base(fit, event, run, decision);
    } else if (event->kind == SW_FIT_FRONT) {
        tell_front(fit, event, run, decision);
    } else {
        tell_evaluated(fit, event, run, decision);
    }
    fit->seen += good;
    return good ? SW_STEP_MORE : sw_step_memory(run);
}

/* ---- handing over ---- */

static bool same_regions(const struct fit *fit, const struct fit_made *made) {
    bool same = made->variant == fit->variant && made->count == fit->regions.count;
    for (size_t i = 0; same && i < made->count; i++) {
        same = sw_fit_same_region(&made->regions[i], &fit->regions.items[i]);
    }
    return same;
}

const struct sw_fit_model *fit_handed(const struct fit *fit) {
    const struct fit_ground *ground = fit->ground;
    for (size_t i = 0; fit->changed && i < ground->made.count; i++) {
        if (same_regions(fit, &ground->made.items[i])) {
            return &ground->made.items[i].model;
        }
    }
    return fit->changed || fit->chosen == SIZE_MAX ? NULL : &ground->result.models.items[fit->chosen];
}

const struct sw_fit_model *fit_model(struct fit *fit, struct sw_error *error) {
    const struct sw_fit_model *known = fit_handed(fit);
    if (known) {
        return known;
    }
    struct fit_made made = {.variant = fit->variant,
                            .count = fit->regions.count,
                            .regions = SW_NEW(struct sw_fit_region, fit->regions.count)};
    bool good = made.count == 0 || made.regions || sw_fail_memory(error);
    for (size_t i = 0; good && i < made.count; i++) {
        made.regions[i] = fit->regions.items[i];
    }
    good = good &&
           sw_fit_plan(&fit->ground->result, &fit->ground->request, fit->variant, made.regions, made.count, &made.model,
                       error) &&
           (SW_PUSH(&fit->ground->made, made) || sw_fail_memory(error));
    if (!good) {
        drop_made(&made);
        return NULL;
    }
    return &fit->ground->made.items[fit->ground->made.count - 1].model;
}

static enum sw_step hand_over_changed(struct fit *fit, struct sw_run *run, struct sw_decision *decision) {
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    const struct sw_fit_model *model = fit_model(fit, run->error);
    if (!model) {
        return SW_STEP_FAILED;
    }
    run->handed = sw_problem_ref(model->problem);
    run->work += model->calls;
    sw_decision_become(decision, SW_DECISION_HAND_OVER_MODEL);
    decision->hand_over_model.head = model->head;
    decision->hand_over_model.before = fit->ground->result.models.items[0].head;
    decision->hand_over_model.operators = model->calls;
    decision->hand_over_model.moves = model->moves.items.count;
    decision->reason = fit->changed ? "with the changes that were asked for" : NULL;
    fit->phase = FIT_PLACES;
    return SW_STEP_MORE;
}

/* ---- placing what the changed model has ---- */

/* The candidates of a buffer: its place in the plan that was found, and the free spaces that may be chosen as well. */
static bool explain_place(struct sw_run *run, const struct sw_proposal *planned, uint32_t *count) {
    const struct sw_buffer *buffer = sw_problem_buffer(run->problem, planned->buffer);
    *count = 1;
    if (!sw_place_gaps(run, planned->buffer, planned->tier, sw_problem_tier(run->problem, planned->tier)->capacity)) {
        return false;
    }
    bool good = SW_EXPLAIN(run->explain, run->choice > 0 ? SW_VERDICT_FITS : SW_VERDICT_CHOSEN, planned->tier,
                           planned->offset, buffer->size, "where the plan has it");
    for (size_t i = 0; good && i < run->gaps.gaps.count; i++, (*count)++) {
        const struct sw_gap *gap = &run->gaps.gaps.items[i];
        bool fits = sw_gap_fits(gap, buffer->size);
        good = sw_explain(run->explain,
                          run->choice == (int64_t)*count && fits ? SW_VERDICT_CHOSEN
                          : fits                                 ? SW_VERDICT_FITS
                                                                 : SW_VERDICT_REFUSED,
                          planned->tier, gap->start, gap->hi == SW_UNBOUNDED ? SW_UNBOUNDED : gap->hi - gap->lo,
                          gap->below, gap->above, fits ? "the low end of a free space" : "too small");
    }
    return good;
}

/* Place the buffer where the user wants it, and not where the plan has it. */
static bool choose_space(struct sw_run *run, struct sw_proposal *place, uint32_t count) {
    size_t which = (size_t)run->choice - 1;
    if (run->choice >= (int64_t)count ||
        !sw_gap_fits(&run->gaps.gaps.items[which], sw_problem_buffer(run->problem, place->buffer)->size)) {
        return false;
    }
    place->offset = run->gaps.gaps.items[which].start;
    return true;
}

static enum sw_step place_as_planned(struct sw_run *run, struct sw_proposal *place, struct sw_decision *decision) {
    uint32_t count = 0;
    bool chosen = run->choice > 0;
    if (!explain_place(run, place, &count)) {
        return sw_step_memory(run);
    }
    if (chosen && !choose_space(run, place, count)) {
        return sw_place_no_candidate(run, count);
    }
    if (!sw_propose_take(run, place, decision)) {
        return SW_STEP_FAILED;
    }
    decision->candidates = count;
    decision->forced = chosen;
    decision->reason = chosen ? "chosen by the user" : "where the plan that was found has it";
    return SW_STEP_MORE;
}

static enum sw_step place_planned(struct fit *fit, struct sw_run *run, struct sw_decision *decision) {
    const uint32_t *order = sw_problem_order(run->problem);
    if (fit->placed >= sw_problem_planned_count(run->problem)) {
        return SW_STEP_DONE;
    }
    uint32_t buffer = order[fit->placed];
    struct sw_placement planned;
    bool done = false;
    sw_place_begin(run, buffer, decision);
    enum sw_step result = sw_place_settled(run, buffer, &done, decision);
    if (!done && result != SW_STEP_FAILED) {
        const struct sw_layout *layout = fit_handed(fit)->layout;
        struct sw_proposal proposal = {.buffer = buffer};
        if (sw_layout_placement(layout, buffer, 0, &planned)) {
            proposal.tier = planned.tier;
            proposal.offset = planned.offset;
        }
        if (!sw_propose_judge(run, &proposal)) {
            return SW_STEP_FAILED;
        }
        result = proposal.legal ? place_as_planned(run, &proposal, decision)
                                : sw_place_by(run, SW_PLACE_LOWEST, buffer, decision);
    }
    fit->placed += result == SW_STEP_MORE;
    return result;
}

static enum sw_step fit_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    static enum sw_step (*const parts[])(struct fit *, struct sw_run *, struct sw_decision *) = {
        [FIT_SEARCHES] = search_models,       [FIT_CHOOSES] = fit_choose,   [FIT_TAKES] = fit_take,
        [FIT_HANDS_OVER] = hand_over_changed, [FIT_PLACES] = place_planned,
    };
    struct fit *fit = state;
    return parts[fit->phase](fit, run, decision);
}

/* ---- demands ---- */

static bool fit_constrain(void *state, struct sw_run *run, const struct sw_override *override) {
    const struct fit *fit = state;
    return fit->phase == FIT_PLACES || override->kind == SW_OVERRIDE_CHOOSE ||
           sw_fail(run->error, SW_ERROR_UNSUPPORTED,
                   "which buffers there are is not decided yet; pin and forbid after the decision hand-over");
}

/* ---- what it says of itself ---- */

static bool fit_details(const void *state, const struct sw_run *run, struct sw_details *details) {
    const struct fit *fit = state;
    const struct sw_fit_result *result = &fit->ground->result;
    const struct sw_fit_model *model = result->over ? fit_handed(fit) : NULL;
    (void)run;
    if (!model) {
        return true;
    }
    return sw_detail_integer(details, "head", (int64_t)model->head) &&
           sw_detail_integer(details, "arena", (int64_t)model->arena) &&
           sw_detail_integer(details, "arena_before", (int64_t)result->models.items[0].arena) &&
           sw_detail_integer(details, "regions", (int64_t)model->region_count) &&
           sw_detail_integer(details, "moves", (int64_t)model->moves.items.count) &&
           sw_detail_integer(details, "operators", model->calls) &&
           sw_detail_integer(details, "macs", (int64_t)model->macs) &&
           sw_detail_integer(details, "macs_before", (int64_t)result->models.items[0].macs) &&
           sw_detail_integer(details, "least", (int64_t)result->least) &&
           sw_detail_truth(details, "fits", result->fits);
}

/* What is proved of one changed model is not proved of others. */
static void fit_claims(const void *state, const struct sw_run *run, struct sw_claims *claims) {
    (void)state;
    (void)run;
    claims->over_orders = true;
}

/* A limit stops the run before it has handed over: take the plan of the best model so far. */
static bool fit_settle(const void *state, struct sw_run *run) {
    const struct fit *fit = state;
    const struct sw_fit_result *result = &fit->ground->result;
    const struct sw_fit_model *best = fit->phase > FIT_CHOOSES ? fit_handed(fit) : NULL;
    for (size_t i = 0; fit->phase <= FIT_CHOOSES && i < result->models.count; i++) {
        best = !best || result->models.items[i].bytes < best->bytes ? &result->models.items[i] : best;
    }
    struct sw_layout *layout = best && fit->phase != FIT_PLACES ? sw_layout_clone(best->layout, run->error) : NULL;
    if (best && fit->phase != FIT_PLACES && !layout) {
        return false;
    }
    if (layout) {
        sw_layout_free(run->layout);
        run->layout = layout;
    }
    return true;
}

bool sw_fit_look(const struct sw_search *search, struct sw_fit_look *look) {
    const struct fit *fit = sw_search_planner(search) == &sw_fit_planner ? sw_search_planner_state(search) : NULL;
    if (!fit || fit->ground->failed) {
        return false;
    }
    *look = (struct sw_fit_look){.model = fit->ground->problem,
                                 .base = fit_variant(fit)->base.problem,
                                 .result = &fit->ground->result,
                                 .request = &fit->ground->request,
                                 .chosen = fit->chosen,
                                 .moves = fit->taken_moves,
                                 .handed = fit->phase == FIT_PLACES,
                                 .now = fit->phase > FIT_CHOOSES ? fit_handed(fit) : NULL,
                                 .regions = fit->regions.items,
                                 .region_count = fit->regions.count};
    return fit->phase > FIT_SEARCHES || fit->seen > 0;
}

/* ---- the planner ---- */

static const struct sw_parameter fit_parameters[] = {
    {"capacity", SW_PARAMETER_INTEGER, "0", 0, 1e15, NULL,
     "bytes that the model shall fit into; 0: the first tier's capacity, else the least is looked for"},
    {"of", SW_PARAMETER_CHOICE, "arena", 0, 0, SW_WORDS("arena", "head"),
     "what shall be small: the arena with the interpreter's own structures, or the head alone"},
    {"max-macs", SW_PARAMETER_NUMBER, "0", 0, 1e6, NULL,
     "at most so many times the multiply-adds of the model; 0: any number"},
    {"max-operators", SW_PARAMETER_INTEGER, "0", 0, 1e9, NULL, "at most so many operators; 0: any number"},
    {"moves", SW_PARAMETER_LIST, "strips,order,inplace,recompute", 0, 0,
     SW_WORDS("strips", "order", "inplace", "recompute"), "kinds of changes that may be made"},
    {0}};

const struct sw_planner sw_fit_planner = {
    .name = "fit",
    .summary =
        "Changes the model, by strips of rows above all, so that it computes the same and needs less; then places",
    .needs = SW_NEEDS_OPERATORS | SW_NEEDS_WINDOWS,
    .seeded = true,
    .budgets = true,
    .rewrites = true,
    .parameters = fit_parameters,
    .open = fit_open,
    .step = fit_step,
    .described = &fit_state_described,
    .constrain = fit_constrain,
    .details = fit_details,
    .state = fit_state,
    .because = fit_because,
    .claims = fit_claims,
    .settle = fit_settle,
};
