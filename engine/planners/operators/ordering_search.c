/* The decisions of the exact search (engine/order/order_search.h), as those of a run. */
#include "planners/operators/ordering.h"
#include "base/minmax.h"

/* What an event costs, in units of work; so many make one decision of a coarse search. */
enum { EVENT_WORK = 50, COARSE = 20000 };

static bool is_coarse(const struct ordering *o) {
    return o->stages.items[o->stage].coarse;
}

/* ---- from events to decisions ---- */

static void tell_raise(const struct ordering *o, const struct sw_order_event *event, struct sw_decision *decision) {
    sw_decision_become(decision, SW_DECISION_RAISE);
    decision->raise.asked = o->ground->graph->wished;
    decision->raise.op = event->operator_ == SW_NONE ? NULL : ordering_name(o, event->operator_);
    decision->raise.bound = event->bytes;
    decision->raise.before = o->bound; /* as it was before the event */
    decision->reason = event->operator_ == SW_NONE ? "every order within the threshold was tried" : "a minimum cut";
}

static void tell_least_cut(const struct ordering *o, const struct sw_order_event *event, struct sw_decision *decision) {
    sw_decision_become(decision, SW_DECISION_CUT);
    decision->cut.asked = o->ground->graph->wished;
    decision->cut.op = ordering_name(o, event->operator_);
    decision->cut.least = event->bytes;
    decision->reason = "so much is known of all orders already";
}

static void tell_waypoint(const struct ordering *o, const struct sw_order_event *event, struct sw_decision *decision) {
    sw_decision_become(decision, SW_DECISION_WAYPOINT);
    decision->waypoint.asked = o->ground->graph->wished;
    decision->waypoint.op = ordering_name(o, event->operator_);
    decision->waypoint.count = event->count;
    decision->reason = "no set within it leaves less alive, and none around it";
}

static void tell_safe(const struct ordering *o, const struct sw_order_event *event, struct sw_decision *decision) {
    sw_decision_become(decision, SW_DECISION_SAFE);
    decision->safe.op = ordering_name(o, event->operator_);
    decision->safe.count = event->count;
    decision->safe.after = sw_order_search_state(o->search)->live;
    decision->safe.backward = event->backward;
    decision->reason = event->count == 1 ? "it fits, and leaves no more alive than before"
                                         : "all their steps fit, and they leave no more alive than before";
}

static void tell_branch(const struct ordering *o, const struct sw_order_event *event, struct sw_decision *decision) {
    (void)o;
    sw_decision_become(decision, SW_DECISION_BRANCH_SET);
    decision->branch_set.count = event->count;
    decision->branch_set.threshold = event->threshold;
    decision->branch_set.refused = event->refused;
    decision->branch_set.backward = event->backward;
    decision->reason = "no move is safe";
}

static void tell_run(const struct ordering *o, const struct sw_order_event *event, struct sw_decision *decision) {
    sw_decision_become(decision, SW_DECISION_RUN);
    decision->time = event->operator_;
    decision->run.op = ordering_name(o, event->operator_);
    decision->run.during = event->bytes;
    decision->run.after = sw_order_search_state(o->search)->live;
    decision->run.backward = event->backward;
    decision->reason = "the first that is left to try";
}

static void tell_prune(const struct ordering *o, const struct sw_order_event *event, struct sw_decision *decision) {
    (void)o;
    static const char *const reasons[] = {
        [SW_ORDER_KNOWN] = "this set was left before without success",
        [SW_ORDER_NOTHING_FITS] = "no operator that may run fits",
        [SW_ORDER_ALL_TRIED] = "all that may run was tried",
    };
    sw_decision_become(decision, SW_DECISION_PRUNE_SET);
    decision->prune_set.threshold = event->threshold;
    decision->prune_set.left = event->why != SW_ORDER_NOTHING_FITS; /* that is said before it is left */
    decision->prune_set.backward = event->backward;
    decision->reason = reasons[event->why];
}

static void tell_give_up(const struct ordering *o, const struct sw_order_event *event, const char *reason,
                         struct sw_decision *decision) {
    sw_decision_become(decision, SW_DECISION_GIVE_UP);
    decision->give_up.threshold = event->threshold;
    decision->give_up.states = sw_order_search_states(o->search);
    decision->reason = reason;
}

static void tell_attempt(const struct ordering *o, const struct sw_order_event *event, struct sw_decision *decision) {
    (void)o;
    sw_decision_become(decision, SW_DECISION_ATTEMPT);
    decision->attempt.threshold = event->threshold;
    decision->attempt.backward = event->backward;
    decision->reason = "between the bound and the best order";
}

static void tell_share_used(const struct ordering *o, const struct sw_order_event *event,
                            struct sw_decision *decision) {
    tell_give_up(o, event, "its share of the sets was used", decision);
}

static bool tell_event(struct ordering *o, const struct sw_order_event *event, struct sw_decision *decision) {
    static void (*const tells[])(const struct ordering *, const struct sw_order_event *, struct sw_decision *) = {
        [SW_ORDER_EVENT_CUT] = tell_least_cut,     [SW_ORDER_EVENT_RAISE] = tell_raise,
        [SW_ORDER_EVENT_WAYPOINT] = tell_waypoint, [SW_ORDER_EVENT_READY] = tell_attempt,
        [SW_ORDER_EVENT_SAFE] = tell_safe,         [SW_ORDER_EVENT_BRANCH] = tell_branch,
        [SW_ORDER_EVENT_RUN] = tell_run,           [SW_ORDER_EVENT_PRUNE] = tell_prune,
        [SW_ORDER_EVENT_GIVE_UP] = tell_share_used};
    bool better;
    if (event->kind == SW_ORDER_EVENT_INCUMBENT) {
        decision->reason = "the best so far";
        return ordering_incumbent(o, sw_order_search_order(o->search), false, event->bytes, decision, &better);
    }
    tells[event->kind](o, event, decision);
    return true;
}

/* ---- steps ---- */

static bool begin_search(struct ordering *o, struct sw_error *error) {
    if (!o->running) {
        o->search = sw_order_search_new(o->ground->graph, NULL);
        o->running = o->search != NULL;
        if (o->running) {
            sw_order_search_know(o->search, o->bound);
        }
        if (o->running && o->best.list && !sw_order_search_offer(o->search, o->best.list)) {
            ordering_stage_close(o);
        }
    }
    return o->running || sw_fail_memory(error);
}

/* The search is over: said once. */
static enum sw_step end_search(struct ordering *o, bool proved, const char *reason, struct sw_decision *decision) {
    struct sw_order_event event = {.threshold = o->best.peak - 1};
    decision->group = o->stage;
    if (proved) {
        sw_decision_become(decision, SW_DECISION_PROVED_ORDER);
        decision->proved_order.least = o->best.peak;
        decision->proved_order.asked = o->ground->graph->wished;
        decision->reason = "the best order needs no more than the bound";
    } else {
        tell_give_up(o, &event, reason, decision);
    }
    ordering_next_stage(o);
    return SW_STEP_MORE;
}

/* Of a coarse search only these are decisions of their own. */
static bool matters(const struct sw_order_event *event) {
    return event->kind == SW_ORDER_EVENT_INCUMBENT || event->kind == SW_ORDER_EVENT_RAISE;
}

static enum sw_step search_coarsely(struct ordering *o, struct sw_run *run, struct sw_order_event *event, bool *told,
                                    enum sw_order_progress *progress, struct sw_decision *decision) {
    uint64_t before = sw_order_search_states(o->search);
    for (uint32_t i = 0; i < COARSE && *progress == SW_ORDER_MORE; i++) {
        *progress = sw_order_search_step(o->search, event);
        run->work += EVENT_WORK;
        if (*progress == SW_ORDER_MORE && matters(event)) {
            return SW_STEP_MORE;
        }
    }
    if (*progress == SW_ORDER_MORE) {
        sw_decision_become(decision, SW_DECISION_SEARCH_SETS);
        decision->search_sets.steps = sw_order_search_states(o->search) - before;
        decision->search_sets.threshold = event->threshold;
        decision->reason = "neither a better order nor a higher bound came of it";
        *told = true;
    }
    return SW_STEP_MORE;
}

/* Why a choice is none, or why it is not the one. */
static const char *why_not_choice(const struct sw_order_choice *choice, bool safe) {
    return choice->standing == SW_ORDER_TRIED      ? "its set was left before without success"
           : choice->standing == SW_ORDER_TOO_MUCH ? "its step does not fit"
           : choice->standing == SW_ORDER_LATER    ? "it lies behind a waypoint, and runs after what lies before that"
           : safe                                  ? "no need to look: a safe move comes first"
                                                   : "it is tried later";
}

static bool explain_choices(const struct ordering *o, struct sw_run *run, const struct sw_order_choice *choices,
                            uint32_t count, uint32_t taken, const struct sw_order_event *event) {
    bool safe = event->kind == SW_ORDER_EVENT_SAFE;
    for (uint32_t i = 0; run->explain && i < count; i++) {
        const struct sw_order_choice *c = &choices[i];
        bool chosen = c->op == taken;
        enum sw_verdict verdict = chosen                         ? SW_VERDICT_CHOSEN
                                  : c->standing == SW_ORDER_LEFT ? SW_VERDICT_FITS
                                                                 : SW_VERDICT_REFUSED;
        if (!sw_explain_operator(run->explain, verdict, c->op, event->backward, c->during, c->after, "%.200s: %s",
                                 ordering_name(o, c->op),
                                 !chosen            ? why_not_choice(c, safe)
                                 : run->choice >= 0 ? "chosen by the user, the others are tried after it"
                                 : safe             ? "it begins what may run at once"
                                                    : "tried first")) {
            return false;
        }
    }
    return true;
}

/* The operator that the choice of the user means is tried first. */
static bool prefer_choice(struct ordering *o, struct sw_run *run, const struct sw_order_choice *choices,
                          uint32_t count) {
    if (run->choice < 0) {
        return true;
    }
    if (run->choice < (int64_t)count && choices[run->choice].standing == SW_ORDER_LEFT &&
        sw_order_search_prefer(o->search, choices[run->choice].op)) {
        return true;
    }
    sw_place_no_candidate(run, count);
    return false;
}

static uint32_t first_left(const struct sw_order_choice *choices, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (choices[i].standing == SW_ORDER_LEFT) {
            return choices[i].op;
        }
    }
    return SW_NONE;
}

/* One event. Where operators may run, all of them are explained, and one of them may be chosen: at the set at which the
 * search branches, and wherever it tries the next operator. What is chosen is tried first and the others afterwards, so
 * what is proved stays proved. */
static enum sw_step search_finely(struct ordering *o, struct sw_run *run, struct sw_order_event *event,
                                  enum sw_order_progress *progress, struct sw_decision *decision) {
    const struct sw_order_state *set = sw_order_search_state(o->search);
    bool wanted = run->explain || run->choice >= 0, stands = sw_order_search_branches(o->search);
    uint32_t room = o->ground->graph->operator_count, count = 0, ready = set ? set->ready_count : 0;
    struct sw_order_choice *choices = wanted ? SW_NEW(struct sw_order_choice, room) : NULL;
    bool ok = choices || !wanted, good = true;
    if (ok && wanted && set) {
        count = sw_order_search_choices(o->search, choices);
        good = !stands || prefer_choice(o, run, choices, count);
    }
    if (ok && good && stands && run->choice >= 0) {
        count = sw_order_search_choices(o->search, choices);
    }
    if (ok && good) {
        *progress = sw_order_search_step(o->search, event);
        run->work += EVENT_WORK;
        bool branches = *progress == SW_ORDER_MORE && event->kind == SW_ORDER_EVENT_BRANCH;
        if (wanted && branches) {
            count = sw_order_search_choices(o->search, choices);
            good = prefer_choice(o, run, choices, count);
            count = good ? sw_order_search_choices(o->search, choices) : 0;
        } else if (run->choice >= 0 && !(stands && *progress == SW_ORDER_MORE && event->kind == SW_ORDER_EVENT_RUN)) {
            good = false;
            sw_place_no_candidate(run, 0);
        }
        bool ran =
            *progress == SW_ORDER_MORE && (event->kind == SW_ORDER_EVENT_RUN || event->kind == SW_ORDER_EVENT_SAFE);
        if (good && (branches || ran)) {
            uint32_t taken = branches ? first_left(choices, count) : event->operator_;
            ok = explain_choices(o, run, choices, count, taken, event);
        }
        decision->forced = run->choice >= 0;
        decision->candidates = branches || ran ? ready : 0;
    }
    SW_FREE(choices, choices ? room : 0);
    return !ok ? sw_step_memory(run) : good ? SW_STEP_MORE : SW_STEP_FAILED;
}

enum sw_step ordering_search_step(struct ordering *o, struct sw_run *run, struct sw_decision *decision) {
    struct sw_order_event event = {.operator_ = SW_NONE};
    bool told = false;
    if (!begin_search(o, run->error)) {
        return SW_STEP_FAILED;
    }
    if (run->choice >= 0 && (is_coarse(o) || !ordering_may_go_on(o, run))) {
        return sw_place_no_candidate(run, 0);
    }
    if (!ordering_may_go_on(o, run)) {
        return end_search(o, false, "the budget of work is spent", decision);
    }
    enum sw_order_progress progress = SW_ORDER_MORE;
    if (is_coarse(o)) {
        search_coarsely(o, run, &event, &told, &progress, decision);
    } else {
        enum sw_step result = search_finely(o, run, &event, &progress, decision);
        if (result != SW_STEP_MORE) {
            return result;
        }
    }
    decision->group = o->stage;
    bool ok = progress != SW_ORDER_MORE || told || tell_event(o, &event, decision);
    o->bound = SW_MAX(o->bound, sw_order_search_bound(o->search));
    if (progress == SW_ORDER_PROVED || progress == SW_ORDER_STOPPED) {
        bool proved = progress == SW_ORDER_PROVED;
        return end_search(o, proved, proved ? NULL : "the sets would need more memory than they may have", decision);
    }
    return progress == SW_ORDER_MORE && ok ? SW_STEP_MORE : sw_step_memory(run);
}
