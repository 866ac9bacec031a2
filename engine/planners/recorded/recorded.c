/* recorded: not a planner but a run that another planner made and wrote down.
 *
 * The idea. The planner of a compiler, or the allocator of a runtime, is what its engineers want to step through. It
 * writes what it decides into a trace, as it goes: every place it looked at, what it took, and why. This planner plays
 * the trace, so that everything that works on our own planners works on that one: stepping both ways, breakpoints,
 * blame, pictures, and the comparison with what other planners make of the same buffers.
 *
 * The rule, from the specification of the trace:
 *
 * - One decision of the trace is one decision here, with its words, its candidates and its reason.
 * - It changes the layout as the trace says. Where the trace says nothing, `place`, `move` and `append` put the block
 *   there for its whole life, and every other kind leaves the layout alone.
 * - Nothing is assumed valid. A block that lies over another one, ends above the capacity or is not aligned is placed
 *   there all the same, and the decision says what is wrong.
 *
 * What it cannot do. The planner that made the run is not here to be asked, so its decisions cannot be changed: pins,
 * forbidden ranges and choices are refused. But one of our planners may go on from any decision (`continue`, `from`):
 * what is placed then stays where it is, as if it were pinned, and the rest is planned by it. Its decisions about
 * blocks that lie already are passed over.
 *
 * The state is how far the run has come, and the planner that goes on, once it has taken over. */
#include "planners/nested.h"
#include "base/base.h"
#include "base/sort.h"
#include "planners/recorded/recording.h"

#include "problem/hot.h"

struct recorded_progress {
    uint64_t at;                       /* decisions played */
    uint64_t until;                    /* the other planner takes over here; UINT64_MAX: at the end; */
    const struct sw_planner *follower; /* NULL: none does */
    struct sw_nested nested;
    uint64_t after;        /* its decisions, and */
    size_t passed;         /* those about blocks that lay already, which were passed over */
    struct sw_rules rules; /* for it: what lies already, and what the user demands */
    uint32_t *pin_of;      /* of those rules: per buffer the number of its pin + 1 */
    uint32_t buffers;
    size_t kept; /* so many of those pins are blocks that lay already */
};

static const struct sw_recording *tape(const struct sw_run *run) {
    return sw_problem_recording(run->problem);
}

/* ---- what is wrong with a placement ---- */

static bool has_one_place(const struct sw_layout *layout, uint32_t buffer, struct sw_placement *at) {
    return sw_layout_placement(layout, buffer, 0, at) && at->span.to == UINT32_MAX;
}

/* Does the decision put its block, which has no place yet, where nothing else lies, and change nothing else? Asked
 * before it does so: the index of what is placed (layout/free/skyline.h) answers for the whole life at once, where
 * walking over all that is alive then would take a large trace hours. False also where the index does not serve. */
static bool takes_free_bytes(struct sw_run *run, const struct sw_recorded *recorded) {
    const struct sw_problem *problem = run->problem;
    const struct sw_effect *e = recorded->effect_count == 1 ? &tape(run)->effects.items[recorded->first_effect] : NULL;
    uint64_t visited = run->gaps.visited;
    bool free_ = false;
    if (!recorded->judged || !e || e->kind != SW_EFFECT_PLACE || e->buffer != recorded->decision.buffer ||
        !sw_problem_simple(problem) || sw_problem_tier_count(problem) != 1 ||
        sw_layout_placed(run->layout, e->buffer) ||
        !sw_gaps_glance(&run->gaps, run->layout, NULL, e->buffer, e->tier, SW_UNBOUNDED)) {
        return false;
    }
    run->work += run->gaps.visited - visited;
    const struct sw_gap *gaps = run->gaps.gaps.items;
    size_t above = SW_FIRST(i, run->gaps.gaps.count, gaps[i].lo > e->value); /* the gap before it may hold the block */
    if (above > 0) {
        uint64_t hi = gaps[above - 1].hi;
        free_ = hi == SW_UNBOUNDED || e->value + sw_problem_buffer(problem, e->buffer)->size <= hi;
    }
    return free_;
}

/* What is wrong with a place, as a clause about the block. */
static const char *const recorded_faults[SW_PLACE_FAULTS] = {
    [SW_PLACE_ABOVE_CAPACITY] = "it ends above the capacity",
    [SW_PLACE_UNALIGNED] = "it is not aligned",
    [SW_PLACE_WRONG_TIER] = "it may not live in this tier",
    [SW_PLACE_RESERVED] = "it touches a reserved range",
};

/* Say what is wrong with where the decision put its block. `free_`: it lies over no other one. */
static void judge_place(struct sw_run *run, struct sw_decision *d, bool free_) {
    struct sw_placement at;
    if (d->buffer == SW_NONE || !has_one_place(run->layout, d->buffer, &at)) {
        return;
    }
    uint32_t under = free_ ? SW_NONE : sw_place_collision(run, d->buffer, at.tier, at.offset);
    const char *fault = recorded_faults[sw_place_fault(run->problem, d->buffer, at.tier, at.offset)], *known = d->fault;
    d->fault = fault ? fault : under != SW_NONE ? "it lies over another block" : NULL;
    if (d->kind == SW_DECISION_PLACE) {
        d->place.partner = under != SW_NONE ? under : d->place.partner;
        d->place.unpermitted = under != SW_NONE;
        if (!fault && !d->said) {
            d->fault = NULL; /* our sentence names the block below */
        }
    }
    d->fault = known ? known : d->fault; /* a demand that was not heeded explains the rest */
}

/* ---- playing ---- */

static bool apply_effect(struct sw_layout *layout, const struct sw_effect *e) {
    switch ((enum sw_effect_kind)e->kind) {
    case SW_EFFECT_PLACE:
        return sw_layout_place(layout, e->buffer, e->tier, e->value);
    case SW_EFFECT_SPAN:
        return sw_layout_place_span(layout, &(struct sw_placement){e->buffer, e->tier, e->value, {e->a, e->b}});
    case SW_EFFECT_LIFT:
        sw_layout_replaced(layout); /* a block that is put somewhere meanwhile begins another layout */
        return sw_layout_lift(layout, e->buffer);
    case SW_EFFECT_FORGET_TRANSFERS:
        return sw_layout_forget_transfers(layout);
    case SW_EFFECT_TRANSFER:
        return sw_layout_transfer(layout, &(struct sw_transfer){e->buffer, e->a, e->b, e->tier});
    case SW_EFFECT_FORGET_PERMITS:
        return sw_layout_forget_permits(layout);
    case SW_EFFECT_PERMIT:
        return sw_layout_permit(layout, &(struct sw_permit){e->buffer, e->b, e->a});
    case SW_EFFECT_ARENA:
        sw_layout_set_arena(layout, e->tier, e->value);
        return true;
    }
    return true;
}

static bool apply_all(struct sw_run *run, const struct sw_recorded *recorded) {
    const struct sw_recording *recording = tape(run);
    for (uint32_t i = 0; i < recorded->effect_count; i++) {
        if (!apply_effect(run->layout, &recording->effects.items[recorded->first_effect + i])) {
            return false;
        }
    }
    return true;
}

static enum sw_step play_decision(struct recorded_progress *state, struct sw_run *run, struct sw_decision *decision) {
    const struct sw_recording *recording = tape(run);
    const struct sw_recorded *recorded = &recording->decisions.items[state->at];
    if (run->choice >= 0) {
        return SW_STEP_FAIL(
            run, SW_ERROR_UNSUPPORTED,
            "the decisions of a recorded run cannot be changed; one of our planners can go on from here "
            "(continue-with)");
    }
    struct sw_placement before;
    *decision = recorded->decision;
    if (decision->kind == SW_DECISION_MOVE && decision->buffer != SW_NONE &&
        sw_layout_placement(run->layout, decision->buffer, 0, &before)) {
        decision->move.before = before.offset;
    }
    run->work += recorded->effect_count + 1;
    bool free_ = takes_free_bytes(run, recorded);
    uint64_t arena = decision->tier == SW_NONE ? 0 : sw_layout_arena(run->layout, decision->tier);
    if (!apply_all(run, recorded)) {
        return sw_step_memory(run);
    }
    if (recorded->judged) {
        judge_place(run, decision, free_);
    }
    if (recorded->judged && decision->kind == SW_DECISION_APPEND && decision->append.delta == 0 &&
        decision->tier != SW_NONE) {
        decision->append.delta = sw_layout_arena(run->layout, decision->tier) - arena; /* its planner did not say */
    }
    if (recorded->judged && decision->time != SW_NONE && decision->live == 0) {
        const struct sw_buffer *b =
            decision->buffer == SW_NONE ? NULL : sw_problem_buffer(run->problem, decision->buffer);
        decision->live =
            free_ && decision->time == b->first ? run->gaps.live + b->size : sw_place_live_at(run, decision->time);
    }
    if (run->explain && !recording->reader->explain(recording, run->problem, state->at, run->explain, run->error)) {
        return SW_STEP_FAILED;
    }
    state->at++;
    return SW_STEP_MORE;
}

/* ---- another planner goes on ---- */

/* The rules for it: the blocks that lie already as pins, then the user's pins and forbidden ranges. */
static bool gather_rules(struct recorded_progress *state, const struct sw_run *run) {
    state->rules.pins.count = state->kept;
    state->rules.forbids.count = 0;
    for (size_t i = 0; i < run->rules.pins.count; i++) {
        struct sw_pin pin = run->rules.pins.items[i];
        uint32_t known = state->pin_of[pin.buffer];
        if (known) {
            state->rules.pins.items[known - 1] = pin;
        } else if (SW_PUSH(&state->rules.pins, pin)) {
            state->pin_of[pin.buffer] = (uint32_t)state->rules.pins.count;
        } else {
            return false;
        }
    }
    for (size_t i = 0; i < run->rules.forbids.count; i++) {
        if (!SW_PUSH(&state->rules.forbids, run->rules.forbids.items[i])) {
            return false;
        }
    }
    state->rules.pin_of = state->pin_of;
    return true;
}

static bool keep_blocks(struct recorded_progress *state, const struct sw_run *run) {
    state->buffers = sw_problem_buffer_count(run->problem);
    state->pin_of = SW_NEW_ZERO(uint32_t, (size_t)state->buffers + 1);
    if (!state->pin_of) {
        return sw_fail_memory(run->error);
    }
    for (uint32_t i = 0; i < state->buffers; i++) {
        struct sw_placement at;
        if (!sw_layout_placed(run->layout, i)) {
            continue;
        }
        if (!has_one_place(run->layout, i, &at)) {
            return sw_fail(run->error, SW_ERROR_UNSUPPORTED,
                           "%s changes its place during its life, and no planner can go on from there",
                           sw_problem_buffer(run->problem, i)->name);
        }
        if (!SW_PUSH(&state->rules.pins, (struct sw_pin){i, at.tier, at.offset})) {
            return sw_fail_memory(run->error);
        }
        state->pin_of[i] = (uint32_t)state->rules.pins.count;
    }
    state->kept = state->rules.pins.count;
    return gather_rules(state, run) || sw_fail_memory(run->error);
}

static void forget_blocks(struct recorded_progress *state) {
    sw_rules_done(&state->rules);
    SW_FREE(state->pin_of, (size_t)state->buffers + 1);
    state->rules = (struct sw_rules){0};
    state->pin_of = NULL;
    state->kept = 0;
}

static bool hand_to_follower(struct recorded_progress *state, struct sw_run *run) {
    state->nested.params = (struct sw_params){.seed = run->params->seed, .work = run->params->work};
    if (keep_blocks(state, run)) {
        state->nested.rules = &state->rules;
        if (sw_nested_open(&state->nested, state->follower, run)) {
            return true;
        }
    }
    forget_blocks(state);
    sw_nested_close(&state->nested);
    return false;
}

/* Does it put a block where that lay already when it took over? */
static bool says_nothing_new(const struct recorded_progress *state, const struct sw_decision *d) {
    uint32_t pin = d->kind == SW_DECISION_PLACE && d->buffer != SW_NONE ? state->pin_of[d->buffer] : 0;
    return pin > 0 && pin <= state->kept && state->rules.pins.items[pin - 1].tier == d->tier &&
           state->rules.pins.items[pin - 1].offset == d->offset;
}

static enum sw_step follow_on(struct recorded_progress *state, struct sw_run *run, struct sw_decision *decision) {
    if (!state->nested.planner && !hand_to_follower(state, run)) {
        return SW_STEP_FAILED;
    }
    enum sw_step result;
    struct sw_layout *before =
        NULL; /* what is passed over may measure the arena anew, and where nothing follows it is undone */
    if (state->passed < state->kept && !(before = sw_layout_clone(run->layout, run->error))) {
        return SW_STEP_FAILED;
    }
    for (;;) {
        if (run->explain) {
            sw_explanation_clear(run->explain);
        }
        result = sw_nested_step(&state->nested, run, decision);
        if (result != SW_STEP_MORE || run->choice >= 0 || !says_nothing_new(state, decision)) {
            break;
        }
        state->passed++;
    }
    if (result == SW_STEP_MORE || !before) {
        sw_layout_free(before);
    } else {
        sw_layout_free(run->layout);
        run->layout = before;
    }
    state->after += result == SW_STEP_MORE;
    return result;
}

/* ---- the table of functions ---- */

static bool find_follower(struct recorded_progress *state, const struct sw_run *run) {
    const char *name = sw_params_text(run->params, run->planner, "continue");
    if (strcmp(name, "none") == 0) {
        return true;
    }
    const struct sw_planner *follower = sw_planner_find(name, run->error);
    if (!follower || !sw_planner_applies(follower, run->problem, run->error)) {
        return false;
    }
    if (follower->described->once || follower->derive || (follower->needs & (SW_NEEDS_RECORDING | SW_NEEDS_PLAN))) {
        return sw_fail(run->error, SW_ERROR_UNSUPPORTED, "%s cannot go on from the middle of another planner's run",
                       follower->name);
    }
    state->follower = follower;
    const char *from = sw_params_text(run->params, run->planner, "from");
    state->until =
        strcmp(from, "end") == 0 ? UINT64_MAX : (uint64_t)sw_params_integer(run->params, run->planner, "from");
    return true;
}

static bool recorded_open(void *of, struct sw_run *run) {
    struct recorded_progress *state = of;
    state->until = UINT64_MAX;
    return find_follower(state, run);
}

static enum sw_step recorded_step(void *of, struct sw_run *run, struct sw_decision *decision) {
    struct recorded_progress *state = of;
    const struct sw_recording *recording = tape(run);
    bool over = state->at >= recording->decisions.count;
    if (state->nested.planner || (state->follower && (over || state->at >= state->until))) {
        return follow_on(state, run, decision);
    }
    if (!over) {
        return play_decision(state, run, decision);
    }
    if (recording->end == SW_RECORDING_FAILED) {
        return SW_STEP_FAIL(run, SW_ERROR_INFEASIBLE, "%s%s%s", "the recorded run found no layout",
                            *recording->failure ? ": " : "", recording->failure);
    }
    return SW_STEP_DONE;
}

/* The journal has the decision: only the layout is to be made again. */
static bool recorded_redo(void *of, struct sw_run *run, const struct sw_decision *decision) {
    struct recorded_progress *state = of;
    const struct sw_recording *recording = tape(run);
    (void)decision;
    if (state->nested.planner || state->at >= recording->decisions.count ||
        (state->follower && state->at >= state->until)) {
        return false;
    }
    if (!apply_all(run, &recording->decisions.items[state->at])) {
        return false;
    }
    state->at++;
    return true;
}

static void recorded_mend(void *of) {
    struct recorded_progress *state = of;
    state->rules.pin_of = state->pin_of;
    state->nested.rules = state->nested.planner ? &state->rules : NULL;
}

/* The follower's own state follows from how many decisions it made. */
static uint64_t recorded_digest(const void *of) {
    const struct recorded_progress *state = of;
    return sw_fold(state->at, state->after);
}

SW_HOW_MANY(pins_of, struct recorded_progress, (size_t)o->buffers + 1)
#define STATE struct recorded_progress
static const struct sw_described recorded_described = {
    SW_STRUCT, .mend = recorded_mend, .digest = recorded_digest,
    .fields = SW_FIELDS(SW_KEPT(at, follower), SW_PART(nested, &sw_nested_described), SW_KEPT(after, passed),
                        SW_PART(rules, &sw_rules_described), SW_KEPT(buffers, buffers), SW_ITEMS(pin_of, pins_of),
                        SW_KEPT(kept, kept))};
#undef STATE

static bool recorded_constrain(void *of, struct sw_run *run, const struct sw_override *override) {
    struct recorded_progress *state = of;
    if (state->nested.planner && override->kind != SW_OVERRIDE_CHOOSE) {
        if (override->kind == SW_OVERRIDE_PIN && state->pin_of[override->buffer] &&
            state->pin_of[override->buffer] <= state->kept) {
            state->rules.pins.items[state->pin_of[override->buffer] - 1].offset = SW_UNBOUNDED; /* moved: no news */
        }
        if (!gather_rules(state, run)) {
            return sw_fail_memory(run->error);
        }
    }
    if (state->nested.planner) {
        return sw_nested_constrain(&state->nested, run, override);
    }
    if (state->follower && state->at >= state->until) {
        return true; /* it takes over with the next decision, and obeys */
    }
    return sw_fail(run->error, SW_ERROR_UNSUPPORTED,
                   "the decisions of a recorded run cannot be changed, for its planner is not here to be asked; "
                   "one of our planners can go on from here (continue-with)");
}

static void recorded_state(const void *of, const struct sw_run *run, const struct sw_decision *last,
                           struct sw_state_tables *tables) {
    const struct recorded_progress *state = of;
    const struct sw_recording *recording = tape(run);
    if (state->nested.planner) {
        sw_nested_state(&state->nested, run, last, tables);
    } else if (!recording->reader->state(recording, run->problem, state->at, tables)) {
        tables->failed = true;
    }
}

/* Its own decisions have the words of the planner that made them. */
static void recorded_because(const void *of, const struct sw_run *run, const struct sw_decision *last, char *text,
                             size_t size) {
    sw_nested_because(&((const struct recorded_progress *)of)->nested, run, last, text, size);
}

static const struct sw_planner *recorded_acting(const void *of) {
    return sw_nested_acting(&((const struct recorded_progress *)of)->nested);
}

static void recorded_claims(const void *of, const struct sw_run *run, struct sw_claims *claims) {
    const struct recorded_progress *state = of;
    const struct sw_recording *recording = tape(run);
    if (!state->nested.planner) {
        claims->no_addresses = recording->no_addresses;
        claims->has_migration = recording->has_migration;
        claims->migration_bytes = recording->migration_bytes;
    } else if (state->follower->claims) {
        struct sw_run inner = sw_nested_lend(&state->nested, run);
        state->follower->claims(state->nested.state, &inner, claims);
        claims->optimal = claims->infeasible = false; /* it says so of the rest alone */
    }
}

static bool recorded_settle(const void *of, struct sw_run *run) {
    const struct recorded_progress *state = of;
    return sw_nested_settle(&state->nested, run);
}

/* A trace may claim anything: a planner that the problem lacks something for has not seen it. */
static const struct sw_problem *recorded_derive(const struct sw_problem *problem, const struct sw_params *params,
                                                struct sw_error *error) {
    (void)params; /* of another planner */
    const struct sw_planner *by = sw_problem_recording(problem)->seen_by;
    bool seen = by && by->derive && by->derive != recorded_derive && sw_planner_applies(by, problem, NULL);
    return seen ? by->derive(problem, NULL, error) : sw_problem_ref(problem);
}

static const struct sw_parameter recorded_parameters[] = {
    {"continue", SW_PARAMETER_PLANNER, "none", 0, 0, SW_WORDS("none"),
     "the planner that goes on from a decision of the recorded run, around the blocks that lie by then"},
    {"from", SW_PARAMETER_INTEGER, "end", 0, 1e15, SW_WORDS("end"),
     "so many recorded decisions stand before that planner goes on"},
    {0}};

const struct sw_planner sw_recorded_planner = {
    .name = "recorded",
    .summary = "The run that the file holds: another planner's decisions, one after the other",
    .needs = SW_NEEDS_RECORDING,
    .group_noun = "group",
    .parameters = recorded_parameters,
    .derive = recorded_derive,
    .open = recorded_open,
    .step = recorded_step,
    .redo = recorded_redo,
    .described = &recorded_described,
    .constrain = recorded_constrain,
    .state = recorded_state,
    .because = recorded_because,
    .acting = recorded_acting,
    .claims = recorded_claims,
    .settle = recorded_settle,
};
