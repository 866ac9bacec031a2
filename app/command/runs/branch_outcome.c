/* How a branch ends, and what became of its figures beside its parent's: found out aside, on forks,
 * while the branches stay where they are. */
#include "command/doors/doors.h"
#include "base/base.h"
#include "command/runs/branches.h"
#include "command/state.h"
#include "planners/planner.h"
#include "search/result/figures.h"

/* Branches that are wanted run to their ends, aside, one after the other; then what became of the peak of the
 * last what-if is said. */
struct sw_compare {
    bool on, said;
    uint32_t branch;          /* compared with its parent */
    uint32_t running;         /* which one `search` is of */
    struct sw_search *search; /* a fork, or NULL */
};

SW_SESSION_PART(compare, sw_search_free(compare->search));

bool sw_compare_busy(struct sw_session *session) {
    return session->compare->on;
}

const struct sw_search *sw_compare_search(const struct sw_session *session, uint32_t *branch) {
    *branch = session->compare->running;
    return session->compare->search;
}

/* ---- branches that are to be run to their end ---- */

static void forget_search(struct sw_compare *compare) {
    sw_search_free(compare->search);
    compare->search = NULL;
}

static void forget_comparison(struct sw_session *session) {
    forget_search(session->compare);
    *session->compare = (struct sw_compare){0};
}

/* Is its end wanted and not known? What was undone waits until it is redone. */
static bool is_end_open(struct sw_branch *branch) {
    return branch->wanted && sw_branch_lives(branch) && !(sw_branch_ended(branch) && branch->figured);
}

/* The last what-if and its parent come first, then all others; SW_NONE: there is none. */
static uint32_t next_wanted(struct sw_session *session) {
    struct sw_branch *items = sw_branch_at(session, 0);
    uint32_t branch = session->compare->branch, parent = items[branch].parent;
    if (session->compare->on && sw_branch_lives(&items[branch])) {
        if (parent != SW_NONE && is_end_open(&items[parent])) {
            return parent;
        }
        if (is_end_open(&items[branch])) {
            return branch;
        }
    }
    for (uint32_t i = 0; i < sw_branch_count(session); i++) {
        if (is_end_open(&items[i])) {
            return i;
        }
    }
    return SW_NONE;
}

void sw_compare_start(struct sw_session *session, uint32_t branch) {
    struct sw_branch *items = sw_branch_at(session, 0);
    session->compare->on = true;
    session->compare->said = false;
    session->compare->branch = branch;
    items[branch].wanted = items[items[branch].parent].wanted = true;
}

/* Branches that have not been run to their end yet are given up, which the log records. */
bool sw_compare_stop(struct sw_session *session) {
    if (!session->compare->on) {
        return false;
    }
    struct sw_sink line = {0};
    uint32_t which = next_wanted(session);
    if (which == SW_NONE) {
        forget_comparison(session);
        return true;
    }
    sw_sink_printf(&line, "uncompared");
    while ((which = next_wanted(session)) != SW_NONE) {
        sw_branch_at(session, which)->wanted = false;
        sw_sink_printf(&line, " %u", which + 1);
    }
    forget_comparison(session);
    const char *ended = sw_sink_ended(&line);
    if (ended) {
        sw_state_log(session, ended, NULL); /* without memory, a replay finds out more */
    }
    sw_sink_done(&line);
    sw_session_say(session, false, "stopped: the peaks were not compared");
    return true;
}

/* How a log says it: all others are run to their ends. */
bool sw_do_uncompared(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    for (size_t i = 0; i < given->count; i++) {
        uint64_t number = given->value[i].number;
        if (number == 0 || number > sw_branch_count(session)) {
            return sw_fail(error, SW_ERROR_USAGE, "there is no branch %" PRIu64, number);
        }
        sw_branch_at(session, number - 1)->wanted = false;
    }
    forget_search(session->compare); /* of one of them, perhaps */
    return true;
}

/* ", bound 55K, 4K less": how a figure of the branch differs from its parent's; "" when it does
 * not. */
static void add_figure_change(char *text, size_t size, const char *word, double now, double before, bool bytes) {
    size_t used = strlen(text);
    char value[40], change[40];
    double by = now > before ? now - before : before - now;
    if (isnan(now) || isnan(before) || now == before) {
        return;
    }
    if (bytes) {
        sw_show_bytes((uint64_t)now, value);
        sw_show_bytes((uint64_t)by, change);
    } else {
        sw_show_number(now, value);
        sw_show_number(by, change);
    }
    snprintf(text + used, size - used, "; %s %s, %s %s", word, value, change, now > before ? "more" : "less");
}

static void add_figure_changes(const struct sw_branch *branch, const struct sw_branch *parent, char *text,
                               size_t size) {
    if (branch->figured && parent->figured) {
        add_figure_change(text, size, "bound", (double)branch->bound, (double)parent->bound, true);
        add_figure_change(text, size, "E", branch->cost, parent->cost, false);
    }
    if (branch->has_migration && parent->has_migration) {
        add_figure_change(text, size, "migration", (double)branch->migration, (double)parent->migration, true);
    }
}

static void say_compared(struct sw_session *session) {
    uint32_t which = session->compare->branch;
    const struct sw_branch *branch = sw_branch_at(session, which);
    const struct sw_branch *parent = sw_branch_at(session, branch->parent);
    char text[3][16], rest[400] = "", peaks[300], before[300];
    if (!branch->feasible) {
        sw_session_say(session, true, "branch %u (%s) fails: %s", which + 1, branch->what,
                       branch->why ? branch->why : "infeasible");
        return;
    }
    if (!parent->feasible) {
        sw_session_say(session, false, "branch %u (%s): peak %s; branch %u has no layout", which + 1, branch->what,
                       sw_branch_peaks(branch, false, peaks, sizeof peaks), branch->parent + 1);
        return;
    }
    if (!branch->fits) {
        snprintf(rest, sizeof rest, "; it does not fit");
    } else if (branch->broken) {
        snprintf(rest, sizeof rest, "; it breaks a rule");
    }
    add_figure_changes(branch, parent, rest, sizeof rest);
    if (branch->remark) {
        SW_TEXT_ADD(rest, "; %s", branch->remark);
    }
    bool bad = !branch->fits || branch->broken || branch->remark;
    bool several = sw_branch_uses_several(branch) || sw_branch_uses_several(parent);
    sw_branch_peaks(branch, false, peaks, sizeof peaks);
    sw_branch_peaks(parent, false, before, sizeof before);
    if (several ? memcmp(branch->tier_peak, parent->tier_peak, sizeof branch->tier_peak) == 0
                : branch->peak == parent->peak) {
        sw_session_say(session, bad, "branch %u (%s): peak %s, the same as branch %u%s", which + 1, branch->what, peaks,
                       branch->parent + 1, rest);
        return;
    }
    if (several) {
        sw_session_say(session, bad, "branch %u (%s): peak %s; branch %u has %s%s", which + 1, branch->what, peaks,
                       branch->parent + 1, before, rest);
        return;
    }
    bool more = branch->peak > parent->peak;
    uint64_t change = more ? branch->peak - parent->peak : parent->peak - branch->peak;
    sw_session_say(session, bad, "branch %u (%s): peak %s, %s %s than branch %u with %s%s", which + 1, branch->what,
                   sw_show_bytes(branch->peak, text[0]), sw_show_bytes(change, text[1]), more ? "more" : "less",
                   branch->parent + 1, sw_show_bytes(parent->peak, text[2]), rest);
}

/* Once both ends are known. */
static void say_when_known(struct sw_session *session) {
    const struct sw_branch *branch = sw_branch_at(session, session->compare->branch);
    const struct sw_branch *parent = sw_branch_at(session, branch->parent);
    if (!session->compare->said && sw_branch_lives(branch) && branch->figured && parent->figured) {
        session->compare->said = true;
        say_compared(session);
    }
}

/* The figures of the end, from a search that stands there. */
static bool figure_branch(struct sw_branch *branch, const struct sw_search *end, struct sw_error *error) {
    struct sw_figures figures;
    if (!sw_figures_of(end, &figures, error)) {
        return false;
    }
    branch->fits = figures.metrics.fits;
    branch->broken = figures.broken;
    branch->has_migration = figures.claims.has_migration;
    branch->migration = figures.claims.migration_bytes;
    branch->bound = sw_problem_lower_bound(sw_search_problem(end));
    branch->cost = figures.cost;
    branch->figured = true;
    return true;
}

/* Some work on the end of one branch, on a fork, so that the branch itself stays where it is. */
static bool end_slice(struct sw_session *session, struct sw_branch *branch, uint64_t work, struct sw_error *error) {
    struct sw_compare *compare = session->compare;
    if (!compare->search) {
        compare->search = sw_search_fork(branch->search, error);
        if (!compare->search) {
            return false;
        }
        sw_search_only_end(compare->search);
    }
    if (sw_search_complete(compare->search)) {
        if (!sw_search_seek(compare->search, sw_search_known(compare->search), error)) {
            return false;
        }
    } else {
        struct sw_error own = {0};
        enum sw_step step = sw_search_run(compare->search, work, NULL, NULL, &own);
        if (step == SW_STEP_MORE) {
            return true;
        }
        if (own.code == SW_ERROR_MEMORY) {
            return sw_fail_memory(error);
        }
        if (step == SW_STEP_FAILED && !sw_search_failed(compare->search, NULL)) {
            /* An accident, of a script say, and no end: there is nothing to compare. */
            sw_session_say(session, true, "%s", own.message);
            return false;
        }
    }
    struct sw_search *keep = branch->search;
    branch->search = compare->search;
    sw_branch_ended(branch);
    branch->search = keep;
    /* A pin moves blocks without a decision: the layout knows the peak, the journal may not. */
    sw_branch_peaks_of(branch, sw_search_layout(compare->search));
    bool good = figure_branch(branch, compare->search, error);
    forget_search(compare);
    return good;
}

bool sw_compare_slice(struct sw_session *session, uint64_t work, struct sw_error *error) {
    struct sw_compare *compare = session->compare;
    struct sw_error own = {0};
    struct sw_branch *items = sw_branch_at(session, 0);
    if (!compare->on) {
        return false;
    }
    uint32_t which = next_wanted(session);
    if (compare->search && compare->running != which) { /* undone meanwhile */
        forget_search(compare);
    }
    if (which == SW_NONE) {
        say_when_known(session);
        forget_comparison(session);
        return false;
    }
    compare->running = which;
    if (end_slice(session, &items[which], work, &own)) {
        say_when_known(session);
        return true;
    }
    session->missed |= own.code == SW_ERROR_MEMORY;
    sw_state_good(&own, error);
    items[which].wanted = false;
    forget_comparison(session);
    return false;
}
