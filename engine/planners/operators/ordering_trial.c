/* Which of the orders plans best. An order with the least alive may still plan worse than another one, since addresses
 * lose something, too. So, before a new order is taken, it is planned unseen, on a layout of its own: the best order
 * first, then one of the same peak that is nearer to the file's, then the file's. The first with a layout that needs no
 * more than what is alive in it ends the trials where no order left could be better. Many decisions of the planner are
 * one of the run. */
#include "planners/operators/ordering.h"
#include "base/base.h"

enum { SLICE_WORK = 2000000, HURRIED_WORK = 20000000 };

static void end_unseen(struct ordering *o) {
    sw_nested_close(&o->unseen);
    sw_layout_free(o->layout);
    o->layout = NULL;
}

void ordering_trial_close(struct ordering *o) {
    end_unseen(o);
    for (uint32_t i = 0; i < o->trial_count; i++) {
        SW_FREE(o->trials[i].list, ordering_operators(o));
        o->trials[i].list = NULL;
    }
    o->trial_count = o->trial = o->winner = 0;
}

/* ---- which orders ---- */

static bool add_trial(struct ordering *o, const struct ordering_order *order) {
    bool ok = ordering_copy(&o->trials[o->trial_count], order, ordering_operators(o));
    o->planned[o->trial_count] = UINT64_MAX;
    o->trial_count += ok;
    return ok;
}

/* Neighbors change places where that brings them into the order of the file, where the edges allow it, and where no
 * more is alive than in the best order; again and again, as long as that costs little. */
static bool nearer(const struct ordering *o, struct ordering_order *order) {
    const struct sw_order_graph *graph = o->ground->graph;
    struct sw_order_state state;
    uint32_t count = ordering_operators(o);
    if (!ordering_copy(order, &o->best, count)) {
        return false;
    }
    if (!sw_order_state_init(&state, graph)) {
        SW_FREE(order->list, count);
        order->list = NULL;
        return false;
    }
    bool again = true;
    for (uint32_t round = 0; again && round < 8; round++) {
        again = false;
        for (uint32_t i = 0; i + 1 < count; i++) {
            uint32_t a = order->list[i], b = order->list[i + 1];
            if (b < a && state.place[b] != SW_NONE && sw_order_state_during(&state, b) <= order->peak) {
                sw_order_state_run(&state, b);
                if (state.place[a] != SW_NONE && sw_order_state_during(&state, a) <= order->peak) {
                    order->list[i] = b;
                    order->list[i + 1] = a;
                    again = true;
                    continue;
                }
                sw_order_state_back(&state);
            }
            sw_order_state_run(&state, a);
        }
        while (state.done > 0) {
            sw_order_state_back(&state);
        }
    }
    sw_order_state_done(&state);
    return true;
}

static bool gather_trials(struct ordering *o) {
    struct ordering_order near = {0};
    const struct ordering_order *base = &o->ground->base;
    bool ok = true;
    if (o->best.peak < base->peak) {
        ok = add_trial(o, &o->best) && nearer(o, &near) && add_trial(o, &near);
    }
    ok = ok && add_trial(o, base);
    SW_FREE(near.list, near.list ? ordering_operators(o) : 0);
    return ok;
}

/* ---- planning one of them unseen ---- */

/* The run as that planner sees it, with gaps of its own; the shelf is made anew for each layout. */
static struct sw_run lend(struct ordering *o, const struct sw_run *run) {
    struct sw_run inner = *run;
    inner.problem = sw_layout_problem(o->layout);
    inner.layout = o->layout;
    inner.gaps = (struct sw_gaps){0};
    inner.explain = NULL;
    inner.choice = -1;
    return inner;
}

static void take_back(struct ordering *o, struct sw_run *run, struct sw_run *inner) {
    o->layout = inner->layout;
    run->work = inner->work;
    sw_gaps_done(&inner->gaps);
}

static bool open_unseen(struct ordering *o, struct sw_run *run) {
    struct sw_problem *ordered = ordering_problem(o, o->trials[o->trial].list, run->error);
    o->layout = ordered ? sw_layout_new(ordered, run->error) : NULL;
    sw_problem_unref(ordered); /* the layout has its own reference */
    if (!o->layout) {
        return false;
    }
    o->unseen.params = ordering_then_params(run);
    o->unseen.silent = true;
    struct sw_run inner = lend(o, run);
    bool ok = sw_nested_open(&o->unseen, o->then, &inner);
    take_back(o, run, &inner);
    return ok;
}

static bool is_file_order(const struct ordering *o, uint32_t trial) {
    return trial + 1 == o->trial_count;
}

/* Is there nothing left that could be better, nor the file's own order that could be as good? */
static bool trials_are_enough(const struct ordering *o) {
    for (uint32_t i = o->trial + 1; i < o->trial_count; i++) {
        uint64_t best = o->planned[o->winner];
        if (o->trials[i].peak < best || (is_file_order(o, i) && o->trials[i].peak == best)) {
            return false;
        }
    }
    return true;
}

static void end_trial(struct ordering *o, bool found, struct sw_decision *decision) {
    uint64_t peak = found ? sw_layout_peak(o->layout) : UINT64_MAX;
    o->planned[o->trial] = peak;
    bool wins = peak < o->planned[o->winner] || (is_file_order(o, o->trial) && peak == o->planned[o->winner]);
    o->winner = wins ? o->trial : o->winner;
    sw_decision_become(decision, SW_DECISION_EVALUATE_ORDER);
    decision->group = o->stage;
    decision->evaluate_order.planner = o->then->name;
    decision->evaluate_order.live = o->trials[o->trial].peak;
    decision->evaluate_order.needed = found ? peak : 0;
    decision->measures = found ? SW_AMOUNT_MEMORY : SW_AMOUNT_NOTHING;
    decision->reason = !found ? "it found none"
                       : is_file_order(o, o->trial)
                           ? (o->ground->graph->wished ? "the order nearest to the file's" : "the order of the file")
                       : o->trial == 0 ? "the order with least alive"
                                       : "an order with as little alive that is nearer to the file's";
    o->trial = trials_are_enough(o) ? o->trial_count : o->trial + 1;
    end_unseen(o);
}

static enum sw_step step_unseen(struct ordering *o, struct sw_run *run, struct sw_decision *decision) {
    struct sw_run inner = lend(o, run);
    struct sw_decision hidden;
    struct sw_error local = {0};
    uint64_t begin = run->work, steps = 0;
    enum sw_step result = SW_STEP_MORE;
    inner.error = &local;
    while (result == SW_STEP_MORE && inner.work - begin + 16 * steps < SLICE_WORK) {
        sw_decision_clear(&hidden);
        result = sw_nested_step(&o->unseen, &inner, &hidden);
        steps += result == SW_STEP_MORE;
    }
    take_back(o, run, &inner);
    if (result == SW_STEP_FAILED && !sw_run_answered(run, &local)) {
        return SW_STEP_FAILED;
    }
    if (result != SW_STEP_MORE) {
        end_trial(o, result == SW_STEP_DONE, decision);
        return SW_STEP_MORE;
    }
    sw_decision_become(decision, SW_DECISION_SEARCH_PLAN);
    decision->group = o->stage;
    decision->search_plan.planner = o->then->name;
    decision->search_plan.steps = steps;
    decision->reason = "to see what addresses lose";
    return SW_STEP_MORE;
}

enum sw_step ordering_trial_step(struct ordering *o, struct sw_run *run, struct sw_decision *decision) {
    if (o->trial_count == 0 && !gather_trials(o)) {
        ordering_trial_close(o);
        return sw_step_memory(run);
    }
    /* A run that was stopped before any order was found is not here; one order alone needs no trial. */
    if (o->trial_count == 1 || o->trial == o->trial_count) {
        return SW_STEP_DONE;
    }
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    if (!o->layout && !open_unseen(o, run)) {
        end_unseen(o);
        return SW_STEP_FAILED;
    }
    return step_unseen(o, run, decision);
}

/* ---- a run that is stopped ---- */

/* A layout of the order; `*found`: the planner made one. NULL: no memory, or another error. */
static struct sw_layout *plan_order(const struct ordering *o, struct sw_run *run, const struct ordering_order *order,
                                    bool *found) {
    struct ordering alone = {.ground = o->ground, .then = o->then};
    struct sw_params params = {.seed = run->params->seed, .cost = run->params->cost, .work = HURRIED_WORK};
    struct sw_run hurried = *run;
    struct sw_error local = {0};
    struct sw_decision hidden;
    alone.trials[0] = *order;
    hurried.params = &params;
    enum sw_step result = open_unseen(&alone, &hurried) ? SW_STEP_MORE : SW_STEP_FAILED;
    struct sw_layout *layout = NULL;
    if (result == SW_STEP_MORE) {
        struct sw_run inner = lend(&alone, &hurried);
        inner.error = &local;
        while (result == SW_STEP_MORE) {
            sw_decision_clear(&hidden);
            result = sw_nested_step(&alone.unseen, &inner, &hidden);
        }
        take_back(&alone, &hurried, &inner);
        *found = result == SW_STEP_DONE;
        if (*found || sw_run_answered(run, &local)) {
            layout = alone.layout;
            alone.layout = NULL;
        }
    }
    run->work = hurried.work;
    end_unseen(&alone);
    return layout;
}

bool ordering_plan_now(const struct ordering *o, struct sw_run *run) {
    struct sw_layout *best = NULL, *other = NULL;
    bool found = false, also = false, ok = true;
    if (o->best.list) {
        best = plan_order(o, run, &o->best, &found);
        ok = best != NULL;
    }
    if (ok && (o->better_only || !best)) {
        other = plan_order(o, run, &o->ground->base, &also);
        ok = other != NULL;
    }
    if (ok && other && (!best || (also && (!found || sw_layout_peak(other) <= sw_layout_peak(best))))) {
        struct sw_layout *held = best;
        best = other;
        other = held;
    }
    sw_layout_free(other);
    if (!ok) {
        sw_layout_free(best);
        return false;
    }
    sw_layout_free(run->layout);
    run->layout = best;
    return true;
}
