/* auto: let several planners try, and keep the best.
 *
 * The idea. No simple planner is the best on all programs, but all of them are quick. So they run
 * one after another on the same problem, each result is measured, and the best one is the answer. A
 * *member* is one of those planners; a *group* of decisions is one run of one member, and all of it
 * can be stepped through like any other run.
 *
 * The rules:
 *
 * - Members, in this order: greedy-by-size, greedy-by-breadth, best-fit, first-fit,
 *   lifetime-best-fit. The first are usually the best, so that a small budget is well spent.
 * - When a member is done, an `evaluate` decision says what it needs. One layout is better than
 *   another when less of it stands above a capacity; then when it needs less of the lowest tier, and
 *   so on up to the highest. With a single tier that is simply the smaller peak. Equal ones: the
 *   earlier member.
 * - It stops early when a result meets the lower bound, for nothing can be better, or when the
 *   budget of work is spent. A member that runs out of budget is abandoned, unless there is no result
 *   yet.
 * - Unless the winner is the member that ran last, with its layout still there, it is run once more
 *   as a group of its own. So the way back from the end leads through the decisions that made the
 *   answer. A run of more than 20,000 decisions is not made again: its layout is put back.
 * - Unless that meets the bound, what is left of the budget goes into lowering it: `improve` goes
 *   on from there. It is never worse than what it began with.
 * - A small problem is searched as well: `improve` and branch-and-bound take turns, each with a
 *   layout of its own, the second eight times as long as the first, and all turns twice as long as
 *   those before, until one of them meets the bound, the search has proved that nothing is lower, or
 *   the budget is spent. Up to 1,000 blocks the search begins. If the user gives no budget, there
 *   is one for these turns. Each turn is a group; many steps of the search are one decision.
 * - Where blocks have very many neighbors, a sweep through time (sweep.c) is a member as well, the
 *   first; each member is charged about what it takes, and runs only when that is left of the part of
 *   the budget that is the members'. With more than 200,000 such blocks no member runs: `improve`
 *   begins, and ends, alone.
 * - Inside a planner that chooses an order (`patience`) lowering also ends when much work on end has gained nothing.
 * - `finish` says which planner won and why the portfolio stopped.
 *
 * The layout one sees is that of the member that is running.
 *
 * What a user demands holds for the members too. A chosen candidate is a candidate of the member's
 * present decision. Results found without a pin or a forbidden range no longer count after it: those
 * members run again, while the member that is running goes on. All demands made during a run are
 * kept as that run's recipe, so that a winner repeats itself exactly, demands included. During that
 * last repetition a demand simply changes what follows; the members are not compared again.
 *
 * Never worse than any member that ran: the winner is the best of them, and its repetition is
 * exact.
 *
 * The state is the state of the present member, the best run so far (a member, its rules at the
 * start and its recipe), and a few numbers. */
#include "planners/portfolio/auto_internal.h"
#include "base/base.h"

#include "planners/portfolio/sweep.h"

/* A longer run of the winner is not repeated only to be shown. With more blocks than MOST_FOR_MEMBERS,
 * where these have many neighbors, only `improve` runs. */
enum { LONGEST_REPEAT = 20000, MOST_FOR_MEMBERS = 200000 };
/* Where there are many neighbors, members do not look at each one. For each member, in the order of
 * `auto_members`: the power of two by which its measured work is less than the work it counts. */
static const unsigned char discount[] = {0, 1, 1, 4, 4, 3};

static const struct sw_planner *const auto_members[] = {&sw_sweep_planner, &sw_greedy_by_size, &sw_greedy_by_breadth,
                                                        &sw_best_fit,      &sw_first_fit,      &sw_lifetime_best_fit};
_Static_assert(sizeof auto_members / sizeof auto_members[0] == MEMBERS, "one figure for each");

/* What a member is called in reasons. */
static const char *member_name(uint32_t member) {
    return member == SWEEP_MEMBER ? "the sweep" : auto_members[member]->name;
}

/* ---- takes ---- */

#define STATE struct member_demand
static const struct sw_described demand_described = {
    SW_STRUCT, .fields = SW_FIELDS(SW_TOLD(at), SW_TOLD(override.kind), SW_TOLD(override.buffer),
                                   SW_TOLD(override.tier), SW_TOLD(override.offset), SW_TOLD(override.lo),
                                   SW_TOLD(override.hi), SW_TOLD(override.choice))};
#undef STATE
#define STATE struct take
static const struct sw_described take_described = {
    SW_STRUCT, .salt = 4,
    .fields = SW_FIELDS(SW_TOLD(member), SW_PART(rules, &sw_rules_described), SW_LIST(demands, .of = &demand_described),
                        SW_KEPT(figure.known, figure.tier_peak), SW_TOLD(figure.peak), SW_TOLD(decisions),
                        SW_KEPT(work, work))};
#undef STATE
#define STATE struct portfolio
static const struct sw_described auto_described = {
    SW_STRUCT, .salt = 5,
    .fields = SW_FIELDS(SW_TOLD(phase), SW_TOLD(stop), SW_PART(now, &take_described), SW_PART(best, &take_described),
                        SW_TOLD_EACH(to_run), SW_KEPT(figures, figures), SW_PART(member, &sw_nested_described),
                        SW_POINTER(layout, &sw_layout_pointed), SW_PART(polish, &sw_nested_described),
                        SW_PART(exact, &sw_nested_described), SW_POINTER(aside, &sw_layout_pointed),
                        SW_KEPT(lower_begin, turn_begin), SW_TOLD(gained), SW_TOLD(least), SW_TOLD(turns),
                        SW_TOLD(takes_turns), SW_TOLD(improved), SW_TOLD(searched), SW_TOLD(spent), SW_TOLD(weary),
                        SW_TOLD(proven), SW_TOLD(infeasible), SW_TOLD(alone), SW_TOLD(crowded),
                        SW_KEPT(neighbors, neighbors), SW_TOLD(members_work), SW_KEPT(unsearched, unsearched),
                        SW_TOLD(group), SW_KEPT(ran, ran), SW_TOLD(failed), SW_KEPT(failure, started), SW_TOLD(longest),
                        SW_PART(rules, &sw_rules_described), SW_TOLD(demanded), SW_TOLD(changed))};
#undef STATE

static void take_done(struct take *take) {
    sw_described_done(&take_described, take);
    take->member = NO_MEMBER;
}

/* ---- state ---- */

static bool auto_open(void *state, struct sw_run *run) {
    struct portfolio *p = state;
    p->now.member = p->best.member = NO_MEMBER;
    p->begin = run->work;
    for (uint32_t m = 0; m < MEMBERS; m++) {
        p->to_run[m] = m != SWEEP_MEMBER && sw_planner_applies(auto_members[m], run->problem, NULL);
    }
    return true;
}

static bool open_without_search(void *state, struct sw_run *run) {
    ((struct portfolio *)state)->unsearched = true;
    return auto_open(state, run);
}

/* ---- measuring ---- */

struct member_figure sw_auto_measure(const struct sw_layout *layout) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    struct member_figure f = {.known = true, .peak = sw_layout_peak(layout)};
    for (uint32_t t = 0; t < sw_problem_tier_count(problem); t++) {
        uint64_t capacity = sw_problem_tier(problem, t)->capacity;
        uint64_t arena = sw_layout_arena(layout, t);
        f.tier_peak[t] = sw_layout_tier_peak(layout, t);
        f.above += arena > capacity ? arena - capacity : 0;
    }
    return f;
}

bool sw_auto_is_better(const struct member_figure *a, const struct member_figure *b) {
    if (!b->known || !a->known || a->above != b->above) {
        return a->known && (!b->known || a->above < b->above);
    }
    for (uint32_t t = SW_MAX_TIERS; t-- > 0;) {
        if (a->tier_peak[t] != b->tier_peak[t]) {
            return a->tier_peak[t] < b->tier_peak[t];
        }
    }
    return false;
}

bool sw_auto_meets_bound(const struct sw_problem *problem, const struct member_figure *f) {
    return f->known && f->above == 0 && sw_problem_tier_count(problem) == 1 &&
           f->peak <= sw_problem_lower_bound(problem);
}

/* Would `ahead` more units of work pass the budget? */
static bool auto_is_spent(const struct portfolio *p, const struct sw_run *run, uint64_t ahead) {
    uint64_t budget = run->params->work ? run->params->work : SW_AUTO_WORK;
    /* Without a limit a clock stops the run: members get the default budget, `improve` the rest. */
    budget = budget == SW_WORK_UNBOUNDED ? SW_AUTO_WORK : budget;
    return run->work - p->begin + ahead >= budget;
}

/* ---- running a member ---- */

/* The member that runs, under the rules that hold for it: a repetition has those of the run that it repeats. */
static struct sw_nested *running_member(struct portfolio *p) {
    p->member.rules = p->phase == REPEAT && !p->changed ? &p->rules : NULL;
    return &p->member;
}

/* Clear the stage and open a member on it. */
static bool open_member(struct portfolio *p, struct sw_run *run, uint32_t member) {
    struct sw_layout *layout = sw_run_layout(run), *before = run->layout;
    if (!layout) {
        return false;
    }
    p->member.params = (struct sw_params){.seed = run->params->seed};
    run->layout = layout;
    if (!sw_nested_open(running_member(p), auto_members[member], run)) {
        run->layout = before;
        sw_layout_free(layout);
        return false;
    }
    sw_layout_free(before);
    p->group += p->ran;
    p->ran = true;
    return true;
}

/* The power of two by which the work a member is charged is less than the work it counts. With pins or
 * forbidden ranges it has to look at each neighbor, and is charged all that it counts. */
static unsigned discount_of(const struct portfolio *p, const struct sw_rules *rules, uint32_t member) {
    bool free = rules->pins.count == 0 && rules->forbids.count == 0;
    return p->crowded && free ? discount[member] : 0;
}

/* What a member may be expected to be charged. lifetime-best-fit looks at each pair twice. */
static uint64_t expected(const struct portfolio *p, uint32_t member, unsigned shift) {
    uint64_t counted = 2 * p->neighbors;
    return counted * (auto_members[member] == &sw_lifetime_best_fit ? 2 : 1) >> shift;
}

/* The members' part of the budget, where they are charged by measured work. */
static uint64_t members_budget(const struct sw_run *run) {
    uint64_t budget = run->params->work;
    return budget == 0 || budget == SW_WORK_UNBOUNDED ? SW_AUTO_WORK : budget / 2;
}

static bool is_any_left(const struct portfolio *p) {
    bool any = false;
    for (uint32_t m = 0; m < MEMBERS; m++) {
        any = any || p->to_run[m];
    }
    return any;
}

static bool is_affordable(const struct portfolio *p, const struct sw_run *run, uint32_t member) {
    uint64_t cost = expected(p, member, discount_of(p, &run->rules, member));
    return !p->crowded || member == SWEEP_MEMBER || p->members_work + cost <= members_budget(run);
}

/* The next member to run, or NO_MEMBER. While there is no result the quickest one runs at any price. */
static uint32_t next_member(const struct portfolio *p, const struct sw_run *run) {
    uint32_t quickest = NO_MEMBER;
    for (uint32_t m = 0; m < MEMBERS; m++) {
        if (p->to_run[m] && is_affordable(p, run, m)) {
            return m;
        }
        if (p->to_run[m] &&
            (quickest == NO_MEMBER || expected(p, m, discount[m]) < expected(p, quickest, discount[quickest]))) {
            quickest = m;
        }
    }
    return p->best.member == NO_MEMBER ? quickest : NO_MEMBER;
}

/* Is the member that is running to be abandoned? */
static bool is_too_long(const struct portfolio *p, const struct sw_run *run) {
    return p->crowded
               ? p->now.member != SWEEP_MEMBER && p->members_work + run->work - p->started > 2 * members_budget(run)
               : auto_is_spent(p, run, p->best.work);
}

static bool begin_auto_member(struct portfolio *p, struct sw_run *run, uint32_t member) {
    struct take fresh = {.member = member};
    if (!sw_rules_copy(&fresh.rules, &run->rules)) {
        return sw_fail_memory(run->error);
    }
    take_done(&p->now);
    p->now = fresh;
    p->failed = false;
    p->started = run->work;
    return open_member(p, run, member);
}

static bool begin_repeat(struct portfolio *p, struct sw_run *run) {
    sw_rules_done(&p->rules);
    if (!sw_rules_copy(&p->rules, &p->best.rules)) {
        return sw_fail_memory(run->error);
    }
    p->demanded = 0;
    p->changed = false;
    p->phase = REPEAT;
    take_done(&p->now);
    p->now.decisions = 0;
    return open_member(p, run, p->best.member);
}

/* One decision of a member. */
static enum sw_step step_member(struct portfolio *p, struct sw_run *run, uint32_t member,
                                struct sw_decision *decision) {
    struct sw_nested *nested = running_member(p);
    const struct sw_rules *rules = nested->rules ? nested->rules : &run->rules;
    uint64_t before = run->work;
    enum sw_step result = sw_nested_step(nested, run, decision);
    if (p->crowded) {
        run->work = before + ((run->work - before) >> discount_of(p, rules, member)) + 1;
    }
    decision->group = p->group;
    p->now.decisions += result == SW_STEP_MORE;
    return result;
}

/* ---- repeating the winner with its demands ---- */

static bool obey_again(struct portfolio *p, struct sw_run *run, const struct sw_override *o) {
    if (!sw_override_obey(o, &p->rules, run->layout)) {
        return sw_fail_memory(run->error);
    }
    return o->kind == SW_OVERRIDE_CHOOSE || sw_nested_constrain(running_member(p), run, o);
}

/* Are pins or forbidden ranges still to come in the repetition? A new demand would drop them. */
static bool has_rules_ahead(const struct portfolio *p) {
    for (size_t i = p->demanded; !p->changed && i < p->best.demands.count; i++) {
        if (p->best.demands.items[i].override.kind != SW_OVERRIDE_CHOOSE) {
            return true;
        }
    }
    return false;
}

static bool refuse_ahead(const struct portfolio *p, struct sw_error *error) {
    return sw_fail(error, SW_ERROR_UNSUPPORTED,
                   "auto is repeating a run of %s with demands that are still to come; make "
                   "this one after them",
                   auto_members[p->best.member]->name);
}

static enum sw_step repeat_best(struct portfolio *p, struct sw_run *run, struct sw_decision *decision) {
    int64_t choice = run->choice;
    for (; !p->changed && p->demanded < p->best.demands.count; p->demanded++) {
        const struct member_demand *d = &p->best.demands.items[p->demanded];
        if (d->at > p->now.decisions) {
            break;
        }
        if (!obey_again(p, run, &d->override)) {
            return SW_STEP_FAILED;
        }
        if (d->override.kind == SW_OVERRIDE_CHOOSE && choice < 0) {
            run->choice = d->override.choice;
        }
    }
    if (choice >= 0 && has_rules_ahead(p)) {
        refuse_ahead(p, run->error);
        return SW_STEP_FAILED;
    }
    enum sw_step result = step_member(p, run, p->best.member, decision);
    run->choice = choice;
    if (choice >= 0 && result == SW_STEP_MORE) {
        p->changed = true;
    }
    return result;
}

/* ---- the decisions of the portfolio itself ---- */

void sw_auto_tell(const struct portfolio *p, const struct sw_run *run, enum sw_decision_kind kind,
                  const struct member_figure *figure, const char *reason, struct sw_decision *decision) {
    sw_decision_begin(decision, kind, p->group, reason);
    sw_decision_set(decision, SW_KEY_AMOUNT, figure->peak);
    decision->peak = sw_layout_peak(run->layout);
}

static bool explain_one(struct sw_run *run, enum sw_verdict verdict, const char *name, const struct member_figure *f) {
    uint64_t bound = sw_problem_lower_bound(run->problem);
    return !f->known ? SW_EXPLAIN(run->explain, verdict, SW_NONE, 0, 0, "%s: has not run to its end", name)
           : f->above > 0
               ? SW_EXPLAIN(run->explain, verdict, SW_NONE, 0, f->peak, "%s: needs %s, %s above the capacity", name,
                            SW_BYTES(f->peak), SW_BYTES(f->above))
               : SW_EXPLAIN(run->explain, verdict, SW_NONE, 0, f->peak, "%s: needs %s, %s over the lower bound", name,
                            SW_BYTES(f->peak), SW_BYTES(f->peak > bound ? f->peak - bound : 0));
}

/* A line for every member: what it needed, or that it did not run. `chosen` may be NO_MEMBER. */
static bool explain_members(const struct portfolio *p, struct sw_run *run, uint32_t chosen) {
    bool ok = true;
    for (uint32_t m = p->crowded ? SWEEP_MEMBER : SWEEP_MEMBER + 1; ok && m < MEMBERS; m++) {
        const struct member_figure *f = &p->figures[m];
        enum sw_verdict verdict = m == chosen ? SW_VERDICT_CHOSEN : f->known ? SW_VERDICT_FITS : SW_VERDICT_REFUSED;
        ok = explain_one(run, verdict, auto_members[m]->name, f);
    }
    return ok;
}

/* The present member is done, has failed, or is abandoned. */
static enum sw_step evaluate_member(struct portfolio *p, struct sw_run *run, bool abandoned,
                                    struct sw_decision *decision) {
    uint32_t m = p->now.member;
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    p->now.work = run->work - p->started;
    p->longest = SW_MAX(p->now.work, p->longest);
    p->members_work += m == SWEEP_MEMBER ? 0 : p->now.work;
    struct member_figure figure = sw_auto_measure(run->layout);
    const char *reason = abandoned ? "{} is abandoned, since the budget of work is spent" : "{} found no layout";
    if (!abandoned && !p->failed) {
        bool better = sw_auto_is_better(&figure, &p->best.figure) || p->best.member == NO_MEMBER;
        bool bound = sw_auto_meets_bound(run->problem, &figure);
        reason = !better ? "{} is no better than the best so far"
                 : bound ? "{} meets the lower bound, so nothing can be better"
                         : "{} is the best so far";
        p->now.figure = figure;
        p->figures[m] = figure;
        struct take copy;
        if (better) {
            if (!sw_described_copy(&take_described, &copy, &p->now)) {
                return sw_step_memory(run);
            }
            take_done(&p->best);
            p->best = copy;
            sw_layout_free(p->layout);
            p->layout = sw_layout_clone(run->layout, run->error);
            if (!p->layout) {
                return SW_STEP_FAILED;
            }
        }
        p->stop = better && bound ? AUTO_AT_BOUND : p->stop;
    }
    sw_auto_tell(p, run, SW_DECISION_EVALUATE, &figure, reason, decision);
    decision->subject = member_name(m);
    if (!explain_members(p, run, m)) {
        return sw_step_memory(run);
    }
    p->to_run[m] = false;
    sw_nested_close(&p->member);
    p->phase = NEXT;
    return SW_STEP_MORE;
}

static const char *won_alone(const struct portfolio *p, bool bound) {
    return bound      ? "improve alone meets the lower bound"
           : p->spent ? "improve alone spent the budget; all others would take longer"
                      : "improve alone: further rounds gained nothing";
}

static const char *won_search(const struct portfolio *p, bool bound) {
    return p->changed  ? "branch-and-bound won, and was then changed on request"
           : bound     ? "branch-and-bound wins, as it meets the lower bound"
           : p->proven ? "branch-and-bound wins, as it proved that nothing is lower"
           : p->weary  ? "branch-and-bound wins, as more work gained nothing"
                       : "branch-and-bound wins, the lowest when the budget was spent";
}

/* A member won, {}, as it was or improved. */
static const char *won_member(const struct portfolio *p, bool bound) {
    if (p->changed) {
        return "{} won, and was then changed on request";
    }
    if (p->proven) {
        return "the layout of {} wins, as branch-and-bound proved that nothing is lower";
    }
    if (p->improved) {
        return bound      ? "the layout of {}, improved, wins, as it meets the lower bound"
               : p->spent ? "the layout of {}, improved, wins when the budget is spent"
                          : "the layout of {}, improved, wins, as further rounds gained nothing";
    }
    return p->stop == AUTO_AT_BOUND  ? "{} wins, as it meets the lower bound"
           : p->stop == BUDGET_SPENT ? "{} wins, the best when the budget of work was spent"
                                     : "{} wins, the best of those that it ran";
}

static enum sw_step finish_portfolio(struct portfolio *p, struct sw_run *run, struct sw_decision *decision) {
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    uint32_t m = p->best.member;
    struct member_figure figure = sw_auto_measure(run->layout);
    bool bound = sw_auto_meets_bound(run->problem, &figure);
    const char *reason = p->alone ? won_alone(p, bound) : p->searched ? won_search(p, bound) : won_member(p, bound);
    sw_auto_tell(p, run, SW_DECISION_FINISH, &figure, reason, decision);
    decision->subject = p->alone || p->searched ? NULL : member_name(m);
    /* The planner that lowered the best member's layout, or found a better one, comes first. */
    const char *lowered = p->searched ? sw_branch_and_bound.name : p->improved || p->alone ? sw_improve.name : NULL;
    if ((lowered && !explain_one(run, SW_VERDICT_CHOSEN, lowered, &figure)) ||
        !explain_members(p, run, lowered ? NO_MEMBER : m)) {
        return sw_step_memory(run);
    }
    p->phase = AUTO_OVER;
    return SW_STEP_MORE;
}

/* Choose what to do after an evaluation, and begin it. */
static bool begin_next(struct portfolio *p, struct sw_run *run) {
    if (!p->ran && !sw_sweep_neighbors(run, &p->neighbors)) {
        return false;
    }
    if (!p->ran && p->neighbors > 0) {
        p->alone = sw_problem_planned_count(run->problem) > MOST_FOR_MEMBERS;
        p->crowded = p->to_run[SWEEP_MEMBER] = !p->alone;
    }
    if (p->alone) {
        return sw_auto_begin_lowering(p, run);
    }
    uint32_t m = next_member(p, run);
    p->stop = m == NO_MEMBER && p->crowded && is_any_left(p) ? BUDGET_SPENT : p->stop;
    bool have = p->best.member != NO_MEMBER;
    bool bound = have && sw_auto_meets_bound(run->problem, &p->best.figure);
    bool spent = !p->crowded && auto_is_spent(p, run, 2 * p->longest);
    p->stop = bound ? AUTO_AT_BOUND : spent && m != NO_MEMBER ? BUDGET_SPENT : p->stop;
    if (m != NO_MEMBER && !(have && (bound || spent))) {
        p->phase = RUN;
        return begin_auto_member(p, run, m);
    }
    if (!have) {
        if (run->error) {
            *run->error = p->failure;
        }
        return false;
    }
    /* The winner's layout is still there when it was the last to run. */
    if (p->now.member == p->best.member && !p->failed && p->now.figure.known &&
        p->now.demands.count == p->best.demands.count) {
        return sw_auto_begin_lowering(p, run);
    }
    if (p->best.decisions > LONGEST_REPEAT || p->best.member == SWEEP_MEMBER) {
        return sw_auto_show(run, p->layout) && sw_auto_begin_lowering(p, run);
    }
    return begin_repeat(p, run);
}

/* A decision of the member that is running; MEASURE comes next when it is done. */
static enum sw_step run_member(struct portfolio *p, struct sw_run *run, struct sw_decision *decision) {
    struct sw_error local = {0}, *asked = run->error;
    int64_t choice = run->choice;
    run->error = &local;
    enum sw_step result = step_member(p, run, p->now.member, decision);
    run->error = asked;
    if (result == SW_STEP_MORE && choice >= 0) {
        struct member_demand demand = {p->now.decisions - 1, {.kind = SW_OVERRIDE_CHOOSE, .choice = (uint32_t)choice}};
        if (!SW_PUSH(&p->now.demands, demand)) {
            return sw_step_memory(run);
        }
    }
    if (result == SW_STEP_FAILED) {
        if (!sw_run_answered(run, &local)) {
            return SW_STEP_FAILED;
        }
        p->failed = true;
        p->failure = local;
    }
    if (result != SW_STEP_MORE) {
        p->phase = MEASURE;
    }
    return result;
}

static enum sw_step auto_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    struct portfolio *p = state;
    enum sw_step result;
    for (;;) {
        switch (p->phase) {
        case NEXT:
            if (!begin_next(p, run)) {
                return SW_STEP_FAILED;
            }
            break;
        case RUN:
            if (p->best.member != NO_MEMBER && is_too_long(p, run)) {
                return evaluate_member(p, run, true, decision);
            }
            result = run_member(p, run, decision);
            if (p->phase == RUN) {
                return result;
            }
            break;
        case MEASURE:
            return evaluate_member(p, run, false, decision);
        case REPEAT:
            result = repeat_best(p, run, decision);
            if (result != SW_STEP_DONE) {
                return result;
            }
            sw_nested_close(&p->member);
            if (!sw_auto_begin_lowering(p, run)) {
                return SW_STEP_FAILED;
            }
            break;
        case IMPROVE:
        case SEARCH:
            result = sw_auto_lower(p, run, decision);
            if (result != SW_STEP_DONE) {
                return result;
            }
            if (!sw_auto_conclude(p, run)) {
                return SW_STEP_FAILED;
            }
            break;
        case AUTO_FINISH:
            return finish_portfolio(p, run, decision);
        case AUTO_OVER:
            return SW_STEP_DONE;
        }
    }
}

/* ---- demands ---- */

/* Results found without this demand no longer count. */
static void rerun_members(struct portfolio *p, const struct sw_run *run, uint32_t except) {
    take_done(&p->best);
    p->members_work = 0;
    p->best.figure.known = false;
    p->stop = ALL_RAN;
    sw_layout_free(p->layout);
    p->layout = NULL;
    for (uint32_t m = 0; m < MEMBERS; m++) {
        p->figures[m].known = false;
        p->to_run[m] = m != except && m != SWEEP_MEMBER && /* which obeys no demand */
                       sw_planner_applies(auto_members[m], run->problem, NULL);
    }
    if (except != NO_MEMBER) {
        p->to_run[except] = true; /* it is the one that is running */
    }
}

static bool auto_constrain(void *state, struct sw_run *run, const struct sw_override *override) {
    struct portfolio *p = state;
    if (override->kind == SW_OVERRIDE_CHOOSE) {
        return true; /* it is in run->choice, and the member sees that */
    }
    switch (p->phase) {
    case RUN:
    case MEASURE:
        if (!SW_PUSH(&p->now.demands, (struct member_demand){p->now.decisions, *override})) {
            return sw_fail_memory(run->error);
        }
        rerun_members(p, run, p->now.member);
        return sw_nested_constrain(running_member(p), run, override);
    case NEXT:
        rerun_members(p, run, NO_MEMBER);
        return true;
    case REPEAT:
        if (has_rules_ahead(p)) {
            return refuse_ahead(p, run->error);
        }
        p->changed = true;
        return sw_nested_constrain(running_member(p), run, override);
    case IMPROVE:
    case SEARCH:
        return sw_auto_obey_lowering(p, run, override);
    case AUTO_FINISH:
    case AUTO_OVER:
        break;
    }
    p->changed = true;
    return true;
}

/* Stopped in the middle of a member: the best layout before is the answer. */
static bool auto_settle(const void *state, struct sw_run *run) {
    const struct portfolio *p = state;
    if (p->exact.planner) {
        return sw_auto_settle_turns(p, run);
    }
    bool whole = sw_layout_placed_count(run->layout) == sw_problem_planned_count(run->problem);
    struct member_figure now = sw_auto_measure(run->layout);
    return p->changed || !p->layout || (whole && !sw_auto_is_better(&p->best.figure, &now)) ||
           sw_auto_show(run, p->layout);
}

static void auto_claims(const void *state, const struct sw_run *run, struct sw_claims *to) {
    const struct portfolio *p = state;
    (void)run;
    to->optimal = p->phase == AUTO_OVER && p->proven && !p->changed && !p->infeasible;
    to->infeasible = p->phase == AUTO_OVER && p->infeasible && !p->changed;
}

/* ---- the state as tables ---- */

static void add_members(const struct portfolio *p, struct sw_state_tables *tables) {
    static const char *const columns[] = {"planner", "runs", "peak", "above capacity", "what", NULL};
    bool runs = p->phase == RUN || p->phase == MEASURE || p->phase == REPEAT;
    struct sw_state_table *t = sw_state_table(tables, "portfolio", columns, MEMBERS, runs ? p->now.member : SW_NO_ROW);
    for (uint64_t i = t->first; i < t->end; i++) {
        const struct member_figure *f = &p->figures[i];
        SW_STATE_ROW(tables, sw_cell_word(auto_members[i]->name), sw_cell_truth(p->to_run[i]),
                     f->known ? sw_cell_bytes(f->peak) : sw_cell_none(),
                     f->known ? sw_cell_bytes(f->above) : sw_cell_none(),
                     sw_cell_word(runs && i == p->now.member ? "runs now"
                                  : i == p->best.member      ? "the best so far"
                                                             : NULL));
    }
}

static void auto_state(const void *state, const struct sw_run *run, const struct sw_decision *last,
                       struct sw_state_tables *tables) {
    const struct portfolio *p = state;
    add_members(p, tables);
    sw_nested_state(&p->member, run, last, tables);
    sw_nested_state(&p->polish, run, last, tables);
    sw_nested_state(&p->exact, run, last, tables);
}

static void auto_because(const void *state, const struct sw_run *run, const struct sw_decision *last, char *text,
                         size_t size) {
    const struct portfolio *p = state;
    const char *best = p->best.member == NO_MEMBER ? NULL : member_name(p->best.member);
    const char *peak = SW_BYTES(p->best.figure.peak);
    if (p->phase == IMPROVE || p->phase == SEARCH) {
        const char *first = p->phase == SEARCH ? sw_branch_and_bound.name : sw_improve.name;
        char inside[SW_MESSAGE] = "";
        sw_nested_because(p->phase == SEARCH ? &p->exact : &p->polish, run, last, inside, sizeof inside);
        snprintf(text, size, "it is the turn of %s%s%s%s%s%s", first, best ? ", after " : "", best ? best : "",
                 best ? " with " : "", best ? peak : "", *inside ? "; " : "");
        sw_text_add(text, size, "%s", inside);
    } else if (p->phase == RUN && !best) {
        snprintf(text, size, "%s makes the first trial, from an empty layout", member_name(p->now.member));
    } else if (p->phase == RUN) {
        snprintf(text, size, "%s makes the next trial, from an empty layout; the best so far is that of %s with %s",
                 member_name(p->now.member), best, peak);
    } else if (p->phase == REPEAT) {
        snprintf(text, size, "%s, the best trial with %s, is made again to be shown", best, peak);
    } else if (best) {
        snprintf(text, size, "the best trial so far is that of %s with %s", best, peak);
    }
}

/* Which planner made the last decision: while a member runs, and not where results are measured. */
static const struct sw_planner *auto_acting(const void *state) {
    const struct portfolio *p = state;
    return p->phase == RUN || p->phase == REPEAT ? p->member.planner : NULL;
}

#define AUTO(how_opened)                                                                                     \
    {                                                                                                        \
        .name = "auto",                                                                                      \
        .summary = "Runs the greedy planners, keeps the best and improves it, within a budget of work",      \
        .seeded = true, .budgets = true, .goes_on = true, .group_noun = "planner", .open = how_opened,       \
        .step = auto_step, .described = &auto_described, .constrain = auto_constrain, .claims = auto_claims, \
        .settle = auto_settle, .state = auto_state, .because = auto_because, .acting = auto_acting           \
    }

const struct sw_planner sw_auto = AUTO(auto_open);
const struct sw_planner sw_auto_without_search = AUTO(open_without_search);
