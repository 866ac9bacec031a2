/* The decisions that make orders: the file's own, and those of rules, operator by operator. */
#include "planners/operators/ordering.h"
#include "base/base.h"
#include "base/sort.h"

/* Some seconds; of a search that is stepped event by event as many of them as a journal holds with ease. */
enum { ORDERING_WORK = 2000000000, STEPPED_WORK = 100000000 };

bool ordering_may_go_on(const struct ordering *o, const struct sw_run *run) {
    bool coarse = o->stage < o->stages.count && o->stages.items[o->stage].coarse;
    uint64_t budget = run->params->work ? run->params->work : coarse ? ORDERING_WORK : STEPPED_WORK;
    return run->work - o->begin < budget;
}

void ordering_stage_close(struct ordering *o) {
    sw_order_state_done(&o->walk);
    o->walk = (struct sw_order_state){0};
    sw_order_beam_free(o->beam);
    o->beam = NULL;
    sw_order_search_free(o->search);
    o->search = NULL;
    o->running = false;
}

/* ---- operator by operator ---- */

/* The operators that may run next, by number. The caller frees it. NULL: no memory. */
static uint32_t *ready_ones(const struct sw_order_state *walk) {
    uint32_t *ready = sw_mem_copy(walk->ready, walk->ready_count, sizeof *ready);
    sw_sort(ready, ready ? walk->ready_count : 0, sizeof *ready, sw_compare_u32);
    return ready;
}

/* Why an operator is not the one that was taken, by the rule. */
static const char *why_not_ready(const struct ordering *o, uint32_t op, uint32_t taken) {
    const struct sw_order_state *walk = &o->walk;
    uint64_t during = sw_order_state_during(walk, op), after = sw_order_state_after(walk, op);
    bool raises = during > o->walk_peak, taken_raises = sw_order_state_during(walk, taken) > o->walk_peak;
    if (ordering_stage_of(o)->rule == SW_ORDER_LPMF && (raises || taken_raises)) {
        if (raises != taken_raises) {
            return raises ? "it raises the peak" : "it keeps the peak";
        }
        if (during != sw_order_state_during(walk, taken)) {
            return during > sw_order_state_during(walk, taken) ? "it raises the peak more" : "it raises the peak less";
        }
    }
    return after != sw_order_state_after(walk, taken)
               ? after > sw_order_state_after(walk, taken) ? "more stays alive" : "less stays alive"
           : during != sw_order_state_during(walk, taken) ? during > sw_order_state_during(walk, taken)
                                                                ? "as much stays alive, and more is alive while it runs"
                                                                : "as much stays alive, and less is alive while it runs"
           : op < taken                                   ? "it needs the same, and the file lists it earlier"
                                                          : "it needs the same, and the file lists it later";
}

static const char *reason_of_ready(const struct ordering *o, uint32_t op) {
    if (o->chosen_by_user) {
        return "chosen by the user";
    }
    if (o->walk.ready_count == 1) {
        return "no other may";
    }
    if (ordering_stage_of(o)->rule == SW_ORDER_GREEDY) {
        return "least stays alive";
    }
    return sw_order_state_during(&o->walk, op) <= o->walk_peak ? "it keeps the peak, and least stays alive"
                                                               : "all raise the peak, and it does so least";
}

static bool explain_ready(const struct ordering *o, struct sw_run *run, const uint32_t *ready, uint32_t taken) {
    for (uint32_t i = 0; run->explain && i < o->walk.ready_count; i++) {
        uint32_t op = ready[i];
        bool chosen = op == taken;
        if (!sw_explain_operator(run->explain, chosen ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS, op,
                                 ordering_stage_of(o)->backward, sw_order_state_during(&o->walk, op),
                                 sw_order_state_after(&o->walk, op), "%.200s: %s", ordering_name(o, op),
                                 chosen ? reason_of_ready(o, op) : why_not_ready(o, op, taken))) {
            return false;
        }
    }
    return true;
}

static void tell_operator(const struct ordering *o, uint32_t op, struct sw_decision *decision) {
    decision->group = o->stage;
    decision->time = op; /* its step in the order of the file */
    decision->candidates = o->walk.ready_count;
}

static enum sw_step take_ready(struct ordering *o, struct sw_run *run, struct sw_decision *decision) {
    uint32_t *ready = ready_ones(&o->walk), count = o->walk.ready_count;
    if (!ready) {
        return sw_step_memory(run);
    }
    if (run->choice >= (int64_t)count) {
        SW_FREE(ready, count);
        return sw_place_no_candidate(run, count);
    }
    bool forced = run->choice >= 0;
    uint32_t op =
        forced ? ready[run->choice] : sw_order_rule_choice(&o->walk, ordering_stage_of(o)->rule, o->walk_peak);
    o->chosen_by_user = forced;
    bool ok = explain_ready(o, run, ready, op);
    SW_FREE(ready, count);
    if (!ok) {
        return sw_step_memory(run);
    }
    o->chosen = op;
    sw_decision_become(decision, SW_DECISION_READY);
    tell_operator(o, op, decision);
    decision->forced = forced;
    decision->ready.op = ordering_name(o, op);
    decision->ready.during = sw_order_state_during(&o->walk, op);
    decision->ready.after = sw_order_state_after(&o->walk, op);
    decision->ready.backward = ordering_stage_of(o)->backward;
    decision->reason = reason_of_ready(o, op);
    run->work += count;
    return SW_STEP_MORE;
}

static enum sw_step run_chosen(struct ordering *o, struct sw_run *run, struct sw_decision *decision) {
    uint32_t op = o->chosen;
    uint64_t during = sw_order_state_during(&o->walk, op);
    o->walk_peak = SW_MAX(o->walk_peak, during);
    sw_decision_become(decision, SW_DECISION_RUN);
    tell_operator(o, op, decision);
    decision->candidates = 0;
    decision->run.op = ordering_name(o, op);
    decision->run.during = during;
    decision->run.after = sw_order_state_after(&o->walk, op);
    decision->run.most = o->walk_peak;
    decision->run.backward = ordering_stage_of(o)->backward;
    decision->forced = o->chosen_by_user;
    decision->reason = o->chosen_by_user ? "chosen by the user" : "chosen by the rule";
    sw_order_state_run(&o->walk, op);
    o->chosen = SW_NONE;
    run->work += 1;
    return SW_STEP_MORE;
}

/* ---- an order that is whole ---- */

void ordering_next_stage(struct ordering *o) {
    ordering_stage_close(o);
    o->stage++;
}

bool ordering_incumbent(struct ordering *o, const uint32_t *order, bool backward, uint64_t peak,
                        struct sw_decision *decision, bool *better) {
    uint32_t count = o->ground->graph->operator_count, *list = sw_mem_copy(order, count, sizeof *list);
    uint64_t before;
    if (!list) {
        return false;
    }
    if (backward) {
        sw_order_turn_round(list, count);
    }
    *better = ordering_offer(o, list, peak, &before);
    if (*better) {
        sw_decision_become(decision, SW_DECISION_INCUMBENT_ORDER);
        decision->group = o->stage;
        decision->incumbent_order.needed = peak;
        decision->incumbent_order.before = before;
    }
    return true;
}

enum sw_step ordering_end_stage(struct ordering *o, const struct sw_run *run, const uint32_t *order, uint64_t peak,
                                const char *reason, struct sw_decision *decision) {
    bool better;
    if (!ordering_incumbent(o, order, ordering_stage_of(o)->backward, peak, decision, &better)) {
        return sw_step_memory(run);
    }
    decision->reason = peak <= o->bound ? ordering_least(o) : reason;
    ordering_next_stage(o);
    return better ? SW_STEP_MORE : SW_STEP_DONE;
}

static enum sw_step step_walk(struct ordering *o, struct sw_run *run, struct sw_decision *decision) {
    if (!o->running) {
        if (!sw_order_state_init(&o->walk, ordering_graph_of(o))) {
            return sw_step_memory(run);
        }
        o->running = true;
        o->walk_peak = 0;
    }
    bool looks = o->chosen == SW_NONE && o->walk.done < o->ground->graph->operator_count;
    if (run->choice >= 0 && !looks) {
        return sw_place_no_candidate(run, 0);
    }
    if (o->chosen != SW_NONE) {
        return run_chosen(o, run, decision);
    }
    return looks ? take_ready(o, run, decision)
                 : ordering_end_stage(o, run, o->walk.trail, o->walk_peak, "all operators have their places", decision);
}

/* ---- stage by stage ---- */

enum sw_step ordering_stage_step(struct ordering *o, struct sw_run *run, struct sw_decision *decision) {
    static enum sw_step (*const steps[])(struct ordering *, struct sw_run *, struct sw_decision *) = {
        [ORDERING_WALK] = step_walk, [ORDERING_BEAM] = ordering_beam_step, [ORDERING_SEARCH] = ordering_search_step};
    enum sw_step result = SW_STEP_DONE;
    o->phase = ORDERING_STAGE;
    while (result == SW_STEP_DONE && o->stage < o->stages.count) {
        result = steps[ordering_stage_of(o)->kind](o, run, decision);
    }
    return result;
}
