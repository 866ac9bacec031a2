/* The object: its slices, what a trial came to, and the list. */
#include "suggest/suggest_internal.h"

static const struct suggest_phase suggest_phases[] = {
    {1U << SW_SUGGEST_PIN, 35, false, sw_suggest_next_pin},
    {1U << SW_SUGGEST_CHOOSE, 40, false, sw_suggest_next_choice},
    {1U << SW_SUGGEST_FORBID, 45, false, sw_suggest_next_forbid},
    {1U << SW_SUGGEST_PINS, 70, false, sw_suggest_next_pair},
    {1U << SW_SUGGEST_MOVE | 1U << SW_SUGGEST_INPLACE | 1U << SW_SUGGEST_SPILL | 1U << SW_SUGGEST_RECOMPUTE, 80, true,
     sw_suggest_next_edit},
    {1U << SW_SUGGEST_SETTING, 86, false, sw_suggest_next_setting},
    {1U << SW_SUGGEST_CONTINUE, 88, false, sw_suggest_next_follower},
    {1U << SW_SUGGEST_PLANNER, 94, false, sw_suggest_next_planner},
    {1U << SW_SUGGEST_REORDER, 100, true, sw_suggest_next_order},
};
enum { PHASES = sizeof suggest_phases / sizeof *suggest_phases };

const char *sw_suggest_kind_name(enum sw_suggest_kind kind) {
    static const char *const names[] = {
        [SW_SUGGEST_PIN] = "pin",         [SW_SUGGEST_PINS] = "pins",         [SW_SUGGEST_FORBID] = "forbid",
        [SW_SUGGEST_CHOOSE] = "choose",   [SW_SUGGEST_MOVE] = "move",         [SW_SUGGEST_REORDER] = "reorder",
        [SW_SUGGEST_INPLACE] = "inplace", [SW_SUGGEST_SPILL] = "spill",       [SW_SUGGEST_RECOMPUTE] = "recompute",
        [SW_SUGGEST_SETTING] = "setting", [SW_SUGGEST_CONTINUE] = "continue", [SW_SUGGEST_PLANNER] = "planner",
    };
    return names[kind];
}

/* ---- making and freeing ---- */

struct sw_suggest *sw_suggest_new(const struct sw_search *search, const struct sw_suggest_request *request,
                                  struct sw_error *error) {
    struct sw_suggest *suggest = SW_NEW_ZERO(struct sw_suggest, 1);
    if (!suggest) {
        sw_fail_memory(error);
        return NULL;
    }
    suggest->request = *request;
    suggest->request.work = request->work ? request->work : SW_SUGGEST_WORK;
    suggest->halt = UINT64_MAX;
    suggest->request.kinds = request->kinds ? request->kinds : UINT_MAX;
    suggest->base = sw_search_fork(search, error);
    if (!suggest->base) {
        sw_suggest_free(suggest);
        return NULL;
    }
    return suggest;
}

static void drop_suggested(struct sw_suggest *suggest) {
    sw_search_free(suggest->trial.search);
    suggest->trial = (struct suggest_trial){.on = false};
}

void sw_suggest_free(struct sw_suggest *suggest) {
    if (!suggest) {
        return;
    }
    drop_suggested(suggest);
    sw_search_free(suggest->base);
    for (size_t i = 0; i < suggest->seeds.count; i++) {
        sw_suggest_seed_done(&suggest->seeds.items[i]);
    }
    SW_ARRAY_DONE(&suggest->seeds);
    sw_suggest_seed_done(&suggest->own);
    SW_ARRAY_DONE(&suggest->chain, &suggest->edits, &suggest->found);
    for (size_t i = 0; i < suggest->made.count; i++) {
        sw_problem_unref(suggest->made.items[i]);
    }
    SW_ARRAY_DONE(&suggest->made);
    sw_explanation_done(&suggest->explained);
    SW_FREE(suggest, 1);
}

/* ---- the list ---- */

/* Which of two comes first: below 0, 0 or above. */
static int compare_suggestions(const struct sw_suggestion *a, const struct sw_suggestion *b) {
    /* How much a kind changes: first what changes this run alone, then the model, then all of it. */
    static const uint8_t changes[] = {
        [SW_SUGGEST_PIN] = 0,      [SW_SUGGEST_CHOOSE] = 1,  [SW_SUGGEST_FORBID] = 2,     [SW_SUGGEST_PINS] = 3,
        [SW_SUGGEST_CONTINUE] = 4, [SW_SUGGEST_SETTING] = 5, [SW_SUGGEST_PLANNER] = 6,    [SW_SUGGEST_MOVE] = 7,
        [SW_SUGGEST_REORDER] = 8,  [SW_SUGGEST_INPLACE] = 9, [SW_SUGGEST_RECOMPUTE] = 10, [SW_SUGGEST_SPILL] = 11,
    };
    return a->fits != b->fits     ? (a->fits ? -1 : 1)
           : a->peak != b->peak   ? SW_COMPARE(a->peak, b->peak)
           : a->kind != b->kind   ? SW_COMPARE(changes[a->kind], changes[b->kind])
           : a->moved != b->moved ? SW_COMPARE(a->moved, b->moved)
                                  : SW_COMPARE(a->why.others, b->why.others);
}

/* The same to the same blocks; or another planner that does as well. */
static bool is_like(const struct sw_suggestion *a, const struct sw_suggestion *b) {
    bool same = a->kind == b->kind && a->peak == b->peak && a->fits == b->fits;
    for (size_t i = 0; same && i < a->count; i++) {
        same = a->overrides[i].buffer == b->overrides[i].buffer && a->overrides[i].buffer != SW_NONE;
    }
    return same && (a->count > 0 || a->kind == SW_SUGGEST_CONTINUE || a->kind == SW_SUGGEST_PLANNER);
}

static bool keep_suggestion(struct sw_suggest *suggest, const struct sw_suggestion *of) {
    struct sw_suggestion *items = suggest->found.items;
    size_t count = suggest->found.count;
    for (size_t i = 0; i < count; i++) {
        if (is_like(&items[i], of)) {
            if (of->kind == SW_SUGGEST_PLANNER || compare_suggestions(of, &items[i]) >= 0) {
                return true;
            }
            memmove(&items[i], &items[i + 1], (count - i - 1) * sizeof *items);
            suggest->found.count = --count;
            break;
        }
    }
    if (!SW_RESERVE(&suggest->found, SUGGEST_KEPT)) {
        return false;
    }
    items = suggest->found.items;
    size_t at = count;
    while (at > 0 && compare_suggestions(of, &items[at - 1]) < 0) {
        at--;
    }
    if (at < SUGGEST_KEPT) {
        count -= count == SUGGEST_KEPT;
        memmove(&items[at + 1], &items[at], (count - at) * sizeof *items);
        items[at] = *of;
        suggest->found.count = count + 1;
    }
    return true;
}

void sw_suggest_halt(struct sw_suggest *suggest, uint64_t work) {
    suggest->halt = work;
}

size_t sw_suggest_count(const struct sw_suggest *suggest) {
    return suggest->found.count;
}

const struct sw_suggestion *sw_suggest_get(const struct sw_suggest *suggest, size_t i) {
    return &suggest->found.items[i];
}

SW_GETTER(const struct sw_search *, sw_suggest_run, sw_suggest, base)

void sw_suggest_state_of(const struct sw_suggest *suggest, struct sw_suggest_state *state) {
    *state = (struct sw_suggest_state){.ended = suggest->ended,
                                       .peak = suggest->ended ? suggest->peak.bytes : 0,
                                       .bound = suggest->bound,
                                       .tier = suggest->peak.tier,
                                       .migrates = suggest->migrates,
                                       .minimizes = suggest->minimizes,
                                       .goal = suggest->goal,
                                       .at_bound = suggest->at_bound,
                                       .over = suggest->over,
                                       .spent = suggest->spent,
                                       .work = suggest->work,
                                       .work_limit = suggest->request.work};
    memcpy(state->tried, suggest->tried, sizeof state->tried);
}

/* ---- the run ---- */

struct slice {
    struct sw_suggest *suggest;
    const struct sw_search *search;
    uint64_t begin, from, at, end; /* work of the object, of the search and its decision then; end: 0: none */
    uint64_t limit;
};

static uint64_t work_in(const struct slice *slice) {
    return slice->begin + sw_search_work(slice->search) - slice->from +
           (sw_search_at(slice->search) - slice->at) * SW_SUGGEST_DECISION;
}

static bool run_is_long(void *context, const struct sw_search *search, const struct sw_decision *decision) {
    const struct slice *slice = context;
    (void)search, (void)decision;
    return slice->end > 0 && work_in(slice) >= slice->end;
}

/* Its end, or a little more of the way there. */
static enum sw_step run_base(struct sw_suggest *suggest, uint64_t work, struct sw_error *error) {
    struct sw_search *base = suggest->base;
    struct sw_error own = {0};
    if (sw_search_at(base) < sw_search_known(base) && !sw_search_seek(base, sw_search_known(base), error)) {
        return SW_STEP_FAILED;
    }
    struct slice slice = {suggest, base, 0, sw_search_work(base), sw_search_at(base), work, 0};
    enum sw_step step = sw_search_run(base, 0, run_is_long, &slice, &own);
    if (step == SW_STEP_FAILED && !sw_search_failed(base, NULL)) {
        if (error) {
            *error = own;
        }
        return SW_STEP_FAILED;
    }
    return step == SW_STEP_MORE ? SW_STEP_MORE : SW_STEP_DONE;
}

static void count_fault(void *count, const struct sw_fault *fault) {
    *(size_t *)count += fault->kind != SW_FAULT_CAPACITY;
}

/* Rules that the layout breaks, but for capacities, which the figures tell. What the run assumes of kernels may be
 * assumed, and nothing more. */
static bool count_broken(const struct sw_suggest *suggest, const struct sw_search *search, size_t *broken,
                         struct sw_error *error) {
    const struct sw_layout *layout = sw_search_layout(search);
    size_t faults;
    *broken = 0;
    bool known = sw_search_assumes(suggest->base) ? sw_layout_check_assuming(layout, &faults, NULL, count_fault, broken)
                                                  : sw_layout_check(layout, &faults, count_fault, broken);
    return known || sw_fail_memory(error);
}

/* What the planner of the run minimizes, of a run with these figures; NaN: the peak, or it is not known. */
static double goal_of_run(const struct sw_suggest *suggest, const struct sw_figures *figures) {
    return suggest->minimizes == SW_OBJECTIVE_COST    ? figures->cost
           : suggest->minimizes == SW_OBJECTIVE_MOVED ? (double)figures->claims.migration_bytes
                                                      : NAN;
}

static bool look_at_base(struct sw_suggest *suggest, struct sw_error *error) {
    struct sw_figures figures;
    const struct sw_search *base = suggest->base;
    if (!sw_figures_of(base, &figures, error) || !count_broken(suggest, base, &suggest->broken, error)) {
        return false;
    }
    suggest->based = true;
    suggest->ended = figures.ended && figures.placed && !sw_search_failed(base, NULL);
    suggest->bound = sw_problem_lower_bound(sw_search_problem(base));
    suggest->migrates = figures.claims.has_migration;
    const struct sw_claims *claims = &figures.claims;
    bool costs = !isnan(figures.cost) && !claims->no_addresses && !isnan(claims->cost);
    suggest->minimizes = claims->priced && !isnan(figures.cost) ? SW_OBJECTIVE_COST
                         : suggest->migrates                    ? SW_OBJECTIVE_MOVED
                         : costs                                ? SW_OBJECTIVE_COST
                                                                : SW_OBJECTIVE_PEAK;
    suggest->goal = goal_of_run(suggest, &figures);
    suggest->peak = (struct sw_peak){.buffer = SW_NONE};
    if (suggest->ended) {
        sw_search_peak(base, sw_search_layout(base), &suggest->peak);
        memcpy(suggest->tier_peak, figures.metrics.tier_peak, sizeof suggest->tier_peak);
        suggest->at_bound = figures.metrics.single_tier && sw_problem_tier_count(sw_search_problem(base)) == 1 &&
                            suggest->peak.bytes == suggest->bound;
    }
    return true;
}

/* ---- trials ---- */

/* Does the peak of such a run only rise, so that it can be given up on the way? */
static bool only_rises(const struct sw_search *search) {
    return sw_search_planner(search)->one_layout && !sw_search_planner(search)->reserves;
}

/* Pins that lower nothing yet may do so with a second one; a second one must beat all there is of its kind. */
static uint64_t limit_of(const struct sw_suggest *suggest, const struct sw_suggestion *of) {
    uint64_t peak = suggest->peak.bytes;
    if (!suggest->ended) {
        return UINT64_MAX;
    }
    for (size_t i = 0; of->kind == SW_SUGGEST_PINS && i < suggest->found.count; i++) {
        bool pins = suggest->found.items[i].kind <= SW_SUGGEST_PINS;
        peak = pins ? SW_MIN(peak, suggest->found.items[i].peak) : peak;
    }
    return of->kind == SW_SUGGEST_PIN ? peak + 1 : peak;
}

static bool begin_suggested(struct sw_suggest *suggest, const struct sw_suggestion *of, struct sw_error *error) {
    struct suggest_trial *trial = &suggest->trial;
    struct sw_error own = {0};
    suggest->work += SW_SUGGEST_COPY + sw_problem_buffer_count(sw_search_problem(suggest->base)) / 4;
    *trial = (struct suggest_trial){.of = *of, .limit = limit_of(suggest, of)};
    trial->search = sw_suggest_make(suggest, of, &own);
    if (!trial->search) {
        if (own.code == SW_ERROR_MEMORY && error) {
            *error = own;
        }
        return own.code != SW_ERROR_MEMORY; /* refused: not tried */
    }
    if (only_rises(trial->search)) {
        sw_search_forget(trial->search);
    }
    trial->on = true;
    suggest->tried[of->kind]++;
    return true;
}

/* Is it a plan as good as the run's, but for its peak? What its planner minimizes is no more, if that is known. */
static bool is_as_good(const struct sw_suggest *suggest, const struct sw_figures *figures) {
    bool good = figures->ended && figures->placed && !figures->broken && figures->below != SW_BELOW_ASSUMED &&
                figures->claims.has_migration == suggest->migrates &&
                !(suggest->ended && goal_of_run(suggest, figures) > suggest->goal);
    for (uint32_t t = 0; suggest->ended && t < SW_MAX_TIERS; t++) {
        good &= t == suggest->peak.tier || figures->metrics.tier_peak[t] <= suggest->tier_peak[t];
    }
    return good;
}

/* The blocks that a suggestion is about. */
static size_t list_movers(const struct sw_suggest *suggest, const struct sw_suggestion *of,
                          uint32_t movers[SW_SUGGEST_MOVES]) {
    size_t count = 0;
    for (size_t i = 0; i < of->count; i++) {
        bool choice = of->overrides[i].kind == SW_OVERRIDE_CHOOSE;
        const struct sw_decision *chosen = choice ? sw_search_journal(suggest->base, of->before) : NULL;
        movers[count] = choice ? (chosen ? chosen->buffer : SW_NONE) : of->overrides[i].buffer;
        count += movers[count] != SW_NONE;
    }
    if (of->kind == SW_SUGGEST_INPLACE || of->kind == SW_SUGGEST_SPILL || of->kind == SW_SUGGEST_RECOMPUTE) {
        movers[count++] = of->edit.buffer;
    }
    return count;
}

/* Blocks that the change added are known by the problem that it made. False: no memory. */
static bool keep_made(struct sw_suggest *suggest, const struct sw_problem *made, struct sw_suggestion *of) {
    uint32_t known = sw_problem_buffer_count(sw_search_problem(suggest->base));
    bool added = (of->why.top != SW_NONE && of->why.top >= known) ||
                 (of->why.now.below != SW_NONE && of->why.now.below >= known);
    if (!added) {
        return true;
    }
    if (!SW_PUSH(&suggest->made, made)) {
        return false;
    }
    of->made = sw_problem_ref(made);
    return true;
}

static bool find_suggestion_why(struct sw_suggest *suggest, const struct sw_layout *now, struct sw_suggestion *of) {
    uint32_t movers[SW_SUGGEST_MOVES];
    size_t count = list_movers(suggest, of, movers);
    struct sw_placement fresh, old;
    bool good = sw_suggest_why_of(sw_search_layout(suggest->base), now, suggest->peak.tier, movers, count, &of->why);
    of->why.over = of->kind == SW_SUGGEST_INPLACE && sw_layout_placement(now, of->edit.buffer, 0, &fresh) &&
                   sw_layout_placement(now, of->edit.other, 0, &old) && fresh.tier == old.tier &&
                   fresh.offset == old.offset;
    return good && keep_made(suggest, sw_layout_problem(now), of);
}

/* It lowers the peak, and joins the list unless it breaks a rule that the run does not. */
static bool take_trial(struct sw_suggest *suggest, const struct sw_figures *figures, struct sw_error *error) {
    struct suggest_trial *trial = &suggest->trial;
    struct sw_suggestion *of = &trial->of;
    size_t broken;
    of->bound = figures->metrics.lower_bound;
    of->saved = suggest->ended ? suggest->peak.bytes - of->peak : 0;
    of->fits = figures->metrics.fits && (!suggest->request.has_capacity || of->peak <= suggest->request.capacity);
    of->goal = goal_of_run(suggest, figures);
    return count_broken(suggest, trial->search, &broken, error) &&
           (broken > suggest->broken ||
            (find_suggestion_why(suggest, sw_search_layout(trial->search), of) && keep_suggestion(suggest, of)) ||
            sw_fail_memory(error));
}

/* The trial came to its end. */
static bool judge_suggestion(struct sw_suggest *suggest, struct sw_error *error) {
    struct suggest_trial *trial = &suggest->trial;
    struct sw_figures figures;
    if (!sw_figures_of(trial->search, &figures, error)) {
        return error->code != SW_ERROR_MEMORY;
    }
    if (!is_as_good(suggest, &figures)) {
        return true;
    }
    trial->of.peak = figures.metrics.tier_peak[suggest->peak.tier];
    bool helps = !suggest->ended || trial->of.peak < suggest->peak.bytes;
    bool seeds = trial->of.kind == SW_SUGGEST_PIN && suggest->request.kinds >> SW_SUGGEST_PINS & 1 &&
                 trial->of.peak > figures.metrics.lower_bound;
    return (!helps || take_trial(suggest, &figures, error)) && (!seeds || sw_suggest_offer_seed(suggest, trial, error));
}

static bool trial_is_over(void *context, const struct sw_search *search, const struct sw_decision *decision) {
    const struct slice *slice = context;
    (void)decision;
    uint64_t work = work_in(slice);
    return (slice->end > 0 && work >= slice->end) || work >= slice->suggest->halt ||
           work >= slice->suggest->request.work ||
           (only_rises(search) &&
            sw_layout_tier_peak(sw_search_layout(search), slice->suggest->peak.tier) >= slice->limit);
}

/* Some of the trial. False: no memory. */
static bool run_suggested(struct sw_suggest *suggest, struct sw_error *error) {
    struct suggest_trial *trial = &suggest->trial;
    struct sw_error own = {0};
    struct slice slice = {suggest,
                          trial->search,
                          suggest->work,
                          sw_search_work(trial->search),
                          sw_search_at(trial->search),
                          suggest->slice_end,
                          trial->limit};
    enum sw_step step = sw_search_run(trial->search, 0, trial_is_over, &slice, &own);
    suggest->work = work_in(&slice);
    bool good = own.code != SW_ERROR_MEMORY;
    if (!good && error) {
        *error = own;
    }
    bool up = step == SW_STEP_MORE && only_rises(trial->search) &&
              sw_layout_tier_peak(sw_search_layout(trial->search), suggest->peak.tier) >= trial->limit;
    if (good && step == SW_STEP_DONE) {
        good = judge_suggestion(suggest, error);
    }
    if (step != SW_STEP_MORE || up) {
        drop_suggested(suggest);
    }
    return good;
}

/* ---- slices ---- */

static void begin_next_phase(struct sw_suggest *suggest) {
    suggest->phase++;
    suggest->at = suggest->of = 0;
    suggest->opened = false;
}

/* One pin meets the bound: a second one is not needed. */
static bool pin_is_enough(const struct sw_suggest *suggest) {
    const struct sw_suggestion *best = suggest->found.items;
    return suggest->found.count > 0 && best->kind == SW_SUGGEST_PIN && best->peak <= suggest->bound;
}

/* Is the kind asked for, and of use? */
static bool phase_applies(const struct sw_suggest *suggest, const struct suggest_phase *phase) {
    return phase->kinds & suggest->request.kinds && (phase->at_bound || !suggest->at_bound) &&
           (suggest->ended || !(phase->kinds & (1U << SW_SUGGEST_PIN | 1U << SW_SUGGEST_PINS | 1U << SW_SUGGEST_FORBID |
                                                1U << SW_SUGGEST_CHOOSE))) &&
           !sw_search_planner(suggest->base)->rewrites &&
           !(phase->kinds & 1U << SW_SUGGEST_PINS && pin_is_enough(suggest));
}

/* How much work may have been done when the present phase ends: the last one that applies has all of it. */
static uint64_t end_of_phase(const struct sw_suggest *suggest) {
    bool last = true;
    for (size_t i = suggest->phase + 1; i < PHASES; i++) {
        last = last && !phase_applies(suggest, &suggest_phases[i]);
    }
    return last ? suggest->request.work : suggest->request.work / 100 * suggest_phases[suggest->phase].share;
}

/* One move more to be tried. */
static enum sw_step try_next(struct sw_suggest *suggest, struct sw_error *error) {
    while (suggest->phase < PHASES) {
        const struct suggest_phase *phase = &suggest_phases[suggest->phase];
        struct sw_suggestion of = {.again = SW_NONE};
        if (!phase_applies(suggest, phase) || suggest->work >= end_of_phase(suggest)) {
            suggest->spent |= phase_applies(suggest, phase);
            begin_next_phase(suggest);
            continue;
        }
        enum sw_step step = phase->next(suggest, &of, error);
        if (step == SW_STEP_FAILED) {
            return SW_STEP_FAILED;
        }
        if (step == SW_STEP_DONE) {
            begin_next_phase(suggest);
        } else if (suggest->request.kinds >> of.kind & 1) {
            return begin_suggested(suggest, &of, error) ? SW_STEP_MORE : SW_STEP_FAILED;
        }
    }
    suggest->over = true;
    return SW_STEP_DONE;
}

enum sw_step sw_suggest_step(struct sw_suggest *suggest, uint64_t work, struct sw_error *error) {
    struct sw_error own = {0};
    error = error ? error : &own;
    if (!suggest->based && suggest->halt > 0) {
        enum sw_step step = run_base(suggest, work, error);
        if (step != SW_STEP_DONE || !look_at_base(suggest, error)) {
            return step == SW_STEP_MORE ? SW_STEP_MORE : SW_STEP_FAILED;
        }
    }
    suggest->slice_end = work ? suggest->work + work : 0;
    while (!suggest->over && suggest->work < suggest->halt) {
        if (suggest->slice_end > 0 && suggest->work >= suggest->slice_end) {
            return SW_STEP_MORE;
        }
        if (suggest->work >= suggest->request.work) {
            drop_suggested(suggest);
            suggest->spent = suggest->over = true;
            break;
        }
        if (suggest->trial.on ? !run_suggested(suggest, error) : try_next(suggest, error) == SW_STEP_FAILED) {
            return SW_STEP_FAILED;
        }
    }
    return SW_STEP_DONE;
}
