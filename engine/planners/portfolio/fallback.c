/* Too many blocks to try many layouts: greedy layouts, and the best of them improved. See
 * fallback.h.
 *
 * A run of `auto` stands in for the planner's own: its decisions are shown as they are, under its
 * budget, and the last one says what was done and how far from the bound it ended. */
#include "planners/portfolio/fallback.h"

#include "planners/nested.h"

struct sw_fallback {
    struct sw_nested inner; /* `auto` */
    const char *why, *instead;
    bool fit;
    bool told; /* the first decision was made */
    bool fits; /* it ended with a layout within the capacities */
};

/* ---- how large a problem is ---- */

bool sw_fallback_together(const struct sw_problem *problem, uint32_t *most) {
    const uint32_t *order = sw_problem_order(problem);
    uint32_t count = sw_problem_planned_count(problem), steps = sw_problem_steps(problem);
    uint32_t *dead = SW_NEW_ZERO(uint32_t, (size_t)steps + 1); /* since the step before */
    uint32_t alive = 0, together = 0;
    *most = 0;
    for (uint32_t i = 0; dead && i < count; i++) {
        dead[(size_t)sw_problem_buffer(problem, order[i])->last + 1]++;
    }
    for (uint32_t t = 0; dead && t < steps; t++) {
        uint32_t born;
        sw_problem_born(problem, t, &born);
        alive -= dead[t];
        together = (alive > 0 ? together : 0) + born;
        alive += born;
        *most = together > *most ? together : *most;
    }
    bool ok = dead != NULL;
    SW_FREE(dead, (size_t)steps + 1);
    return ok;
}

/* ---- the state ---- */

#define STATE struct sw_fallback
const struct sw_described sw_fallback_described = {
    SW_STRUCT,
    .fields = SW_FIELDS(SW_PART(inner, &sw_nested_described), SW_KEPT(why, fit), SW_TOLD(told), SW_TOLD(fits))};
#undef STATE

struct sw_fallback *sw_fallback_new(struct sw_run *run, bool fit, const char *why, const char *instead) {
    struct sw_fallback *o = SW_NEW_ZERO(struct sw_fallback, 1);
    if (!o) {
        sw_fail_memory(run->error);
        return NULL;
    }
    *o = (struct sw_fallback){.why = why, .instead = instead, .fit = fit};
    o->inner.params = (struct sw_params){.seed = run->params->seed, .work = run->params->work};
    if (!sw_nested_open(&o->inner, &sw_auto_without_search, run)) {
        sw_described_close(&sw_fallback_described, o);
        return NULL;
    }
    return o;
}

/* ---- decisions ---- */

/* Where any layout within the capacities is enough: is this one? */
static bool layout_is_enough(const struct sw_fallback *o, const struct sw_run *run) {
    const struct sw_problem *problem = run->problem;
    bool bounded = false;
    if (!o->fit || sw_layout_placed_count(run->layout) < sw_problem_planned_count(problem)) {
        return false;
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        uint64_t capacity = sw_problem_tier(problem, t)->capacity;
        bounded = bounded || capacity != SW_UNBOUNDED;
        if (sw_layout_arena(run->layout, t) > capacity) {
            return false;
        }
    }
    return bounded;
}

static enum sw_step tell_fallback(const struct sw_run *run, enum sw_decision_kind kind, uint64_t amount,
                                  const char *reason, struct sw_decision *decision) {
    sw_decision_begin(decision, kind, 0, reason);
    sw_decision_set(decision, SW_KEY_AMOUNT, amount);
    decision->peak = sw_layout_peak(run->layout);
    return SW_STEP_MORE;
}

static bool meets_bound(const struct sw_run *run) {
    return sw_problem_tier_count(run->problem) == 1 &&
           sw_layout_placed_count(run->layout) == sw_problem_planned_count(run->problem) &&
           sw_layout_peak(run->layout) <= sw_problem_lower_bound(run->problem);
}

enum sw_step sw_fallback_step(struct sw_fallback *o, struct sw_run *run, struct sw_decision *decision) {
    bool enough = o->told && layout_is_enough(o, run);
    if (o->fits) {
        return SW_STEP_DONE;
    }
    if ((!o->told || enough) && run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    if (!o->told) {
        o->told = true;
        return tell_fallback(run, SW_DECISION_DEFER, sw_problem_lower_bound(run->problem), o->why, decision);
    }
    if (enough) {
        o->fits = true;
        return tell_fallback(run, SW_DECISION_FINISH, sw_layout_peak(run->layout),
                             "too many blocks for more; a greedy layout, improved, lies within the capacity", decision);
    }
    enum sw_step result = sw_nested_step(&o->inner, run, decision);
    if (result == SW_STEP_MORE && decision->kind == SW_DECISION_FINISH) {
        decision->reason = meets_bound(run) ? "too many blocks for more; the best greedy layout, improved, meets "
                                              "the lower bound"
                                            : "too many blocks for more; the best greedy layout, improved: what "
                                              "lies between it and the lower bound stays open";
    }
    return result;
}

/* ---- what planners are asked ---- */

bool sw_fallback_constrain(struct sw_fallback *o, struct sw_run *run, const struct sw_override *override) {
    bool ok = sw_nested_constrain(&o->inner, run, override);
    if (ok && override->kind != SW_OVERRIDE_CHOOSE) {
        o->fits = false;
    }
    return ok;
}

bool sw_fallback_settle(const struct sw_fallback *o, struct sw_run *run) {
    return layout_is_enough(o, run) || sw_nested_settle(&o->inner, run);
}

void sw_fallback_claims(const struct sw_fallback *o, const struct sw_run *run, struct sw_claims *to) {
    uint64_t capacity = sw_problem_tier(run->problem, 0)->capacity;
    to->optimal = meets_bound(run);
    to->infeasible = sw_problem_tier_count(run->problem) == 1 && capacity != SW_UNBOUNDED &&
                     sw_problem_lower_bound(run->problem) > capacity;
    to->optimal = to->optimal && !to->infeasible;
    to->instead = o->instead;
}

void sw_fallback_state(const struct sw_fallback *o, const struct sw_run *run, const struct sw_decision *last,
                       struct sw_state_tables *tables) {
    sw_nested_state(&o->inner, run, last, tables);
}

void sw_fallback_because(const void *state, const struct sw_run *run, const struct sw_decision *last, char *text,
                         size_t size) {
    const struct sw_fallback *o = state;
    sw_nested_because(&o->inner, run, last, text, size);
}

const struct sw_planner *sw_fallback_acting(const struct sw_fallback *o) {
    return sw_nested_acting(&o->inner);
}
