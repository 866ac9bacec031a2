/* The list of branches, and how each of them ends. */
#include "command/runs/branches.h"
#include "base/base.h"
#include "command/state.h"
#include "search/result/run_plan.h"

void sw_branch_drop(struct sw_branch *branch) {
    sw_search_free(branch->search);
    sw_problem_unref(branch->problem);
    sw_state_drop(branch->what);
    sw_state_drop(branch->line);
    sw_state_drop(branch->name);
    sw_state_drop(branch->why);
    sw_state_drop(branch->remark);
}

static void forget_branches(struct sw_branches *branches) {
    for (size_t i = 0; i < branches->list.count; i++) {
        sw_branch_drop(&branches->list.items[i]);
    }
    SW_ARRAY_DONE(&branches->list, &branches->lines);
}

SW_SESSION_PART(branches, forget_branches(branches));

struct sw_branch *sw_branch_at(const struct sw_session *session, size_t i) {
    return &session->branches->list.items[i];
}

size_t sw_branch_count(const struct sw_session *session) {
    return session->branches->list.count;
}

bool sw_branch_is_there(const struct sw_session *session, size_t i) {
    return sw_branch_lives(sw_branch_at(session, i));
}

uint64_t sw_branch_step(const struct sw_session *session, size_t i) {
    return sw_search_at(sw_branch_at(session, i)->search);
}

bool sw_branch_push(struct sw_session *session, struct sw_branch *branch, struct sw_error *error) {
    bool complete = branch->what && branch->search && (branch->line || branch->parent == SW_NONE);
    if (!complete || !SW_PUSH(&session->branches->list, *branch)) {
        sw_branch_drop(branch);
        return sw_fail_memory(error);
    }
    return true;
}

void sw_branch_pop(struct sw_session *session) {
    sw_branch_drop(&session->branches->list.items[--session->branches->list.count]);
}

/* ---- their ends ---- */

/* The largest arena at a known step: tiers are told apart by the last decision about each. */
static uint64_t peak_at(const struct sw_search *search, uint64_t step) {
    uint64_t peak = 0, seen = 0;
    uint32_t tiers = sw_problem_tier_count(sw_search_problem(search));
    uint64_t all = tiers >= 64 ? UINT64_MAX : (UINT64_C(1) << tiers) - 1;
    for (; step > 0 && seen != all; step--) {
        const struct sw_decision *decision = sw_search_journal(search, step);
        if (decision->tier == SW_NONE) {
            return decision->peak > peak ? decision->peak : peak;
        }
        if (!(seen >> decision->tier & 1)) {
            peak = SW_MAX(decision->peak, peak);
        }
        seen |= UINT64_C(1) << decision->tier;
    }
    return peak;
}

void sw_branch_peaks_of(struct sw_branch *branch, const struct sw_layout *layout) {
    branch->peak = sw_layout_peak(layout);
    for (uint32_t t = 0; t < sw_problem_tier_count(branch->problem); t++) {
        branch->tier_peak[t] = sw_layout_tier_peak(layout, t);
    }
}

bool sw_branch_uses_several(const struct sw_branch *branch) {
    unsigned in_use = 0;
    for (uint32_t t = 0; t < sw_problem_tier_count(branch->problem); t++) {
        in_use += branch->tier_peak[t] > 0;
    }
    return in_use > 1;
}

const char *sw_branch_peaks(const struct sw_branch *branch, bool exact, char *text, size_t size) {
    char peak[24];
    if (!sw_branch_uses_several(branch)) {
        snprintf(text, size, "%s", exact ? sw_show_bytes_long(branch->peak, peak) : sw_show_bytes(branch->peak, peak));
        return text;
    }
    *text = '\0';
    for (uint32_t t = 0; t < sw_problem_tier_count(branch->problem); t++) {
        if (branch->tier_peak[t] > 0) {
            sw_text_add(text, size, "%s%s %s", *text ? ", " : "", SW_SHOWN(sw_problem_tier(branch->problem, t)->name),
                        exact ? sw_show_bytes_long(branch->tier_peak[t], peak)
                              : sw_show_bytes(branch->tier_peak[t], peak));
        }
    }
    return text;
}

bool sw_branch_ended(struct sw_branch *branch) {
    const struct sw_search *search = branch->search;
    struct sw_error why = {0};
    if (!branch->ended && search && (sw_search_complete(search) || sw_search_failed(search, NULL))) {
        uint64_t end = sw_search_known(search);
        branch->ended = true;
        branch->feasible = !sw_search_failed(search, &why);
        const struct sw_layout *plan = sw_search_plan(search);
        if (plan || sw_search_at(search) == end) {
            sw_branch_peaks_of(branch, plan ? plan : sw_search_layout(search));
        } else {
            branch->peak = peak_at(search, end);
        }
        branch->why = branch->feasible ? NULL : sw_state_copy(why.message);
    }
    return branch->ended;
}
