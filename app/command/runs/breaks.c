/* Breakpoints: conditions on a decision, the same forward and back. The short forms are compared
 * here, any other is an expression in Lua. */
#include "command/runs/branches.h"
#include "base/base.h"
#include "command/state.h"
#include "search/result/run_plan.h"

static void keep_condition(void *item) {
    struct sw_break *point = item;
    if (point->condition) {
        sw_condition_ref(point->condition);
    }
}

static void forget_condition(void *item) {
    sw_condition_unref(((struct sw_break *)item)->condition);
}

static const struct sw_shared_kind breaks_kind = {
    .size = sizeof(struct sw_break), .keep = keep_condition, .forget = forget_condition};

void sw_breaks_done(struct sw_breaks *breaks) {
    sw_shared_unref(breaks->block, &breaks_kind);
    *breaks = (struct sw_breaks){0};
}

struct sw_breaks sw_breaks_copy(const struct sw_breaks *from) {
    struct sw_breaks copy = *from;
    sw_shared_ref(copy.block);
    return copy;
}

bool sw_breaks_add(struct sw_breaks *breaks, const struct sw_break *point) {
    if (!sw_shared_push(&breaks->block, breaks->list.count, &breaks_kind, point)) {
        return false;
    }
    breaks->list.items = sw_shared_items(breaks->block);
    breaks->list.count++;
    return true;
}

bool sw_breaks_others(struct sw_breaks *to, const struct sw_breaks *from, size_t left_out) {
    for (size_t i = 0; i < from->list.count; i++) {
        struct sw_break point = from->list.items[i];
        if (i == left_out) {
            continue;
        }
        keep_condition(&point);
        if (!sw_breaks_add(to, &point)) {
            forget_condition(&point);
            sw_breaks_done(to);
            return false;
        }
    }
    return true;
}

/* Of a condition on what lasts: where it becomes true, not wherever it still is. */
static const struct sw_decision *decision_before(const struct sw_session *session, const struct sw_decision *decision) {
    return decision->step > 1 ? sw_search_journal(sw_state_search(session), decision->step - 1) : NULL;
}

/* The peak that counts: that of the run, and once its end is known that of the plan. */
static uint64_t counted_peak(const struct sw_session *session, const struct sw_decision *decision) {
    return sw_search_peak_by(sw_state_search(session), decision->step);
}

static bool ask_breakpoint(struct sw_session *session, const struct sw_break *point,
                           const struct sw_decision *decision) {
    const struct sw_problem *problem = sw_search_problem(sw_state_search(session));
    struct sw_error error = {0};
    bool truth = false;
    struct sw_decision seen = *decision;
    seen.peak = counted_peak(session, decision);
    seen.peak_before = decision->step > 1 ? sw_search_peak_by(sw_state_search(session), decision->step - 1) : 0;
    if (!sw_condition_ask(point->condition, problem, &seen, &truth, &error)) {
        snprintf(session->job.fault, sizeof session->job.fault, "%s", error.message);
        return true;
    }
    return truth;
}

bool sw_breaks_on_peak(const struct sw_session *session) {
    bool any = false;
    for (size_t i = 0; i < session->breaks.list.count; i++) {
        enum sw_break_kind kind = session->breaks.list.items[i].kind;
        any = any || kind == SW_BREAK_PEAK || kind == SW_BREAK_PEAK_RATIO ||
              (kind == SW_BREAK_LUA && strstr(session->breaks.list.items[i].text, "peak"));
    }
    return any;
}

static bool true_of(struct sw_session *session, const struct sw_break *point, const struct sw_decision *decision) {
    switch (point->kind) {
    case SW_BREAK_PEAK:
        return counted_peak(session, decision) > point->value;
    case SW_BREAK_PEAK_RATIO:
        return (double)counted_peak(session, decision) >
               point->ratio * (double)sw_problem_lower_bound(sw_state_problem(session));
    case SW_BREAK_KIND:
        return sw_decision_is(decision, (enum sw_decision_kind)point->value);
    case SW_BREAK_BUFFER:
        return decision->buffer == point->value;
    case SW_BREAK_STEP:
        return decision->step == point->value;
    case SW_BREAK_LUA:
        return ask_breakpoint(session, point, decision);
    }
    return false;
}

bool sw_break_true(struct sw_session *session, const struct sw_break *point, const struct sw_decision *decision) {
    bool lasts = point->kind == SW_BREAK_PEAK || point->kind == SW_BREAK_PEAK_RATIO ||
                 (point->kind == SW_BREAK_LUA && sw_condition_lasts(point->condition));
    session->job.fault[0] = '\0';
    if (!true_of(session, point, decision)) {
        return false;
    }
    const struct sw_decision *before = lasts ? decision_before(session, decision) : NULL;
    return session->job.fault[0] || !before || !true_of(session, point, before);
}
