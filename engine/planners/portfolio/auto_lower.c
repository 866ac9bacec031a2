/* The second half of `auto`: lowering the winner's layout by `improve` and branch-and-bound, which
 * take turns where the problem is small. The comment at the top of auto.c has the rules. */
#include "planners/portfolio/auto_internal.h"
#include "base/base.h"

/* Larger problems are not searched. */
enum { MOST_SEARCHED = 3000 };
/* The default budget where the problem is searched. It is larger than that of the members, but takes about
 * a second as well, because a unit of `improve` takes far less time than one of the members. */
#define TURNS_WORK UINT64_C(320000000)
/* The work of the first turn of `improve` per block, how much longer those of the search are, and
 * how much of the search's own work is one decision. */
#define FIRST_TURN UINT64_C(1024)
#define SEARCH_TURNS UINT64_C(8)
#define SEARCH_SLICE UINT64_C(16384)
/* A unit of the search's work takes about as long as so many of `improve`'s: measured, from 200
 * blocks to 2,000. */
#define SEARCH_PRICE UINT64_C(4)
/* Up to so many blocks the search has the first turn: opening it costs next to nothing. */
enum { SEARCHED_AT_ONCE = 1000 };

bool sw_auto_show(struct sw_run *run, const struct sw_layout *layout) {
    struct sw_layout *copy = sw_layout_clone(layout, run->error);
    if (copy) {
        sw_layout_stamp(copy, sw_run_decision(run));
        sw_layout_free(run->layout);
        run->layout = copy;
    }
    return copy != NULL;
}

/* What may be spent on lowering: without a budget of the user's, one of its own. */
static uint64_t lowering_budget(const struct portfolio *p, const struct sw_run *run) {
    uint64_t budget = run->params->work, spent = p->lower_begin - p->begin;
    return budget == SW_WORK_UNBOUNDED ? budget
           : budget == 0               ? (p->exact.planner || p->takes_turns ? TURNS_WORK : SW_AUTO_WORK)
           : budget > spent            ? budget - spent
                                       : 0;
}

/* Open branch-and-bound on a layout of its own; the present one is put aside. Many of its steps are one decision
 * here, so it explains none. */
static bool open_search(struct portfolio *p, struct sw_run *run) {
    p->exact = (struct sw_nested){.params = {.seed = run->params->seed}, .silent = true};
    struct sw_layout *shown = run->layout, *own = sw_run_layout(run);
    if (!own || !sw_params_set(&p->exact.params, "goal", "least", run->error)) {
        sw_layout_free(own);
        return false;
    }
    run->layout = own;
    if (!sw_nested_open(&p->exact, &sw_branch_and_bound, run)) {
        sw_layout_free(own);
        run->layout = shown;
        return false;
    }
    p->aside = shown;
    return true;
}

/* Begin the turn of the other planner. */
static bool next_turn(struct portfolio *p, struct sw_run *run) {
    bool to_search = p->phase == IMPROVE;
    p->turns += to_search;
    p->turn_begin = run->work;
    p->group++;
    p->phase = to_search ? SEARCH : IMPROVE;
    if (to_search && !p->exact.planner) {
        return open_search(p, run);
    }
    struct sw_layout *layout = run->layout;
    sw_layout_stamp(p->aside, sw_run_decision(run));
    run->layout = p->aside;
    p->aside = layout;
    return true;
}

bool sw_auto_begin_lowering(struct portfolio *p, struct sw_run *run) {
    uint32_t count = sw_problem_planned_count(run->problem);
    p->lower_begin = p->turn_begin = p->gained = run->work;
    p->least = p->best.figure.known ? p->best.figure.peak : UINT64_MAX;
    uint64_t budget = lowering_budget(p, run);
    p->phase = AUTO_FINISH;
    if (p->changed || budget == 0 || sw_auto_meets_bound(run->problem, &p->best.figure) || count == 0) {
        return true;
    }
    p->takes_turns = !p->alone && !p->unsearched && count <= MOST_SEARCHED &&
                     sw_planner_applies(&sw_branch_and_bound, run->problem, NULL);
    /* Without a budget it also ends where nothing is gained. */
    p->polish.params = (struct sw_params){.seed = run->params->seed, .work = run->params->work == 0 ? 0 : budget};
    if (!sw_nested_open(&p->polish, &sw_improve, run)) {
        return false;
    }
    bool search_begins = p->takes_turns && count <= SEARCHED_AT_ONCE;
    p->group += p->ran && !search_begins; /* next_turn counts for itself */
    p->ran = true;
    p->phase = IMPROVE;
    return !search_begins || next_turn(p, run);
}

/* Is the turn over? */
static bool turn_is_over(const struct portfolio *p, const struct sw_run *run) {
    uint64_t length = (FIRST_TURN * sw_problem_planned_count(run->problem)) << (SW_MIN(p->turns, 30));
    length = p->phase == SEARCH ? length / 2 * SEARCH_TURNS : length;
    return p->takes_turns && run->work - p->turn_begin >= length;
}

static bool lowering_is_spent(const struct portfolio *p, const struct sw_run *run) {
    return run->work - p->lower_begin >= lowering_budget(p, run);
}

/* Has nothing been gained for as long as the outer planner waits? */
static bool gains_nothing(const struct portfolio *p, const struct sw_run *run) {
    return run->params->patience > 0 && run->work - p->gained >= run->params->patience;
}

/* With several tiers the layouts of a turn are not compared here: each that is lower than the one before is a gain. */
static void note_gain(struct portfolio *p, const struct sw_run *run, const struct sw_decision *decision) {
    bool lower = decision->kind == SW_DECISION_INCUMBENT &&
                 (sw_problem_tier_count(run->problem) > 1 || decision->incumbent.needed < p->least);
    if (lower) {
        p->least = decision->incumbent.needed;
        p->gained = run->work;
    }
}

/* A decision of `improve`. DONE: it has ended. */
static enum sw_step polish_once(struct portfolio *p, struct sw_run *run, struct sw_decision *decision) {
    enum sw_step result = sw_nested_step(&p->polish, run, decision);
    decision->group = p->group;
    if (result == SW_STEP_MORE && decision->kind == SW_DECISION_INCUMBENT) {
        p->improved = true;
    }
    bool ended = result == SW_STEP_DONE || (result == SW_STEP_MORE && decision->kind == SW_DECISION_FINISH);
    return ended ? SW_STEP_DONE : result;
}

/* Steps of the search, up to one that matters. DONE: it has ended. */
static enum sw_step search_slice(struct portfolio *p, struct sw_run *run, struct sw_decision *decision) {
    struct sw_error local = {0};
    uint64_t begin = run->work;
    uint32_t steps = 0;
    enum sw_step result;
    bool matters;
    struct sw_error *asked = run->error;
    run->error = &local;
    do {
        result = sw_nested_step(&p->exact, run, decision);
        steps += result == SW_STEP_MORE;
        matters = decision->kind == SW_DECISION_INCUMBENT || decision->kind == SW_DECISION_PROVED;
    } while (result == SW_STEP_MORE && !matters && run->work - begin < SEARCH_SLICE && steps < SEARCH_SLICE);
    run->error = asked;
    run->work += steps; /* a step that counts nothing takes time, too */
    run->work += (run->work - begin) * (SEARCH_PRICE - 1);
    if (result == SW_STEP_FAILED && !sw_run_answered(run, &local)) {
        return SW_STEP_FAILED;
    }
    if (result != SW_STEP_MORE && steps == 0) {
        return SW_STEP_DONE;
    }
    if (result != SW_STEP_MORE || !matters) {
        struct member_figure figure = sw_auto_measure(p->aside ? p->aside : run->layout);
        sw_auto_tell(p, run, SW_DECISION_SEARCH, &figure, "nothing lower was found on the way", decision);
        decision->search.steps = steps;
    }
    decision->group = p->group;
    decision->candidates = 0;
    return SW_STEP_MORE;
}

enum sw_step sw_auto_lower(struct portfolio *p, struct sw_run *run, struct sw_decision *decision) {
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    for (;;) {
        p->weary = gains_nothing(p, run);
        p->spent = !p->weary && lowering_is_spent(p, run);
        if (p->weary || p->spent) {
            return SW_STEP_DONE;
        }
        if (turn_is_over(p, run) && !next_turn(p, run)) {
            return SW_STEP_FAILED;
        }
        bool improves = p->phase == IMPROVE;
        enum sw_step result = improves ? polish_once(p, run, decision) : search_slice(p, run, decision);
        if (result != SW_STEP_DONE) {
            note_gain(p, run, decision);
            return result;
        }
        struct member_figure figure = sw_auto_measure(run->layout);
        if (!improves || !p->takes_turns || sw_auto_meets_bound(run->problem, &figure)) {
            p->spent = p->spent || lowering_is_spent(p, run);
            return SW_STEP_DONE;
        }
        p->takes_turns = false; /* the search has the rest to itself */
        if (!next_turn(p, run)) {
            return SW_STEP_FAILED;
        }
    }
}

/* Is the layout of the search, which it puts into `found` first, better than the other one, if
 * there is another? */
static bool is_found(const struct portfolio *p, struct sw_run *run, struct sw_layout **found,
                     const struct sw_layout *other, bool *better) {
    struct sw_run inner = sw_nested_lend(&p->exact, run);
    inner.layout = *found;
    bool ok = sw_branch_and_bound.settle(p->exact.state, &inner);
    *found = inner.layout;
    inner.work = run->work; /* it is no part of the run */
    sw_run_take_back(run, &inner);
    struct member_figure f = sw_auto_measure(*found), o = {0};
    if (other) {
        o = sw_auto_measure(other);
    }
    *better = sw_layout_placed_count(*found) == sw_problem_planned_count(run->problem) && sw_auto_is_better(&f, &o);
    return ok;
}

static void close_lowering(struct portfolio *p) {
    sw_nested_close(&p->polish);
    sw_nested_close(&p->exact);
    sw_layout_free(p->aside);
    p->aside = NULL;
}

/* Lowering is over: which layout is the answer? */
bool sw_auto_conclude(struct portfolio *p, struct sw_run *run) {
    if (p->exact.planner) {
        struct sw_run inner = sw_nested_lend(&p->exact, run);
        struct sw_claims claims = {.cost = NAN};
        sw_branch_and_bound.claims(p->exact.state, &inner, &claims);
        p->proven = claims.optimal;
        p->infeasible = claims.infeasible;
        bool there = p->phase == SEARCH;
        struct sw_layout **found = there ? &run->layout : &p->aside;
        const struct sw_layout *other = there ? p->aside : run->layout;
        if (!is_found(p, run, found, other, &p->searched)) {
            return false;
        }
        if (p->searched != there && p->aside) {
            struct sw_layout *layout = run->layout;
            run->layout = p->aside;
            p->aside = layout;
        }
    }
    close_lowering(p);
    p->phase = AUTO_FINISH;
    return true;
}

/* What was found and proved without the demand no longer counts. The planner that has its turn goes on
 * with the demand, alone. */
bool sw_auto_obey_lowering(struct portfolio *p, struct sw_run *run, const struct sw_override *override) {
    bool improves = p->phase == IMPROVE;
    bool ok = sw_nested_constrain(improves ? &p->polish : &p->exact, run, override);
    p->changed = true;
    p->takes_turns = false;
    if (improves) {
        sw_nested_close(&p->exact);
    }
    sw_layout_free(p->aside);
    p->aside = NULL;
    return ok;
}

bool sw_auto_settle_turns(const struct portfolio *p, struct sw_run *run) {
    bool better;
    if (p->phase == SEARCH) {
        return is_found(p, run, &run->layout, p->aside, &better) &&
               (better || !p->aside || sw_auto_show(run, p->aside));
    }
    struct sw_layout *found = sw_layout_clone(p->aside, run->error);
    bool ok = found && is_found(p, run, &found, run->layout, &better) && (!better || sw_auto_show(run, found));
    sw_layout_free(found);
    return ok;
}
