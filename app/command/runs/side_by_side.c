/* Two to four runs side by side: commands move the current one, and the others follow in step. */
#include "command/command_line.h"
#include "base/base.h"
#include "command/doors/doors.h"
#include "command/runs/branches.h"
#include "command/state.h"
#include "planners/planner.h"

enum sw_sync { SW_SYNC_DECISION, SW_SYNC_OPERATOR, SW_SYNC_BLOCK, SW_SYNC_BEST, SW_SYNC_COUNT };
struct sw_beside {
    uint32_t count; /* 0: off */
    uint32_t branches[SW_BESIDE_RUNS];
    enum sw_sync sync;
    bool diff;
    /* Where each run belongs, as it was last worked out. */
    struct {
        bool placed;               /* it stands there */
        uint64_t key;              /* of all that it depends on */
        struct sw_parting parting; /* from the first */
        uint64_t counted;          /* key of `differences` */
        struct sw_differences differences;
    } runs[SW_BESIDE_RUNS];
};

SW_PLAIN_PART(beside);

uint32_t sw_beside_count(const struct sw_session *session) {
    return session->beside->count;
}

uint64_t sw_beside_fold(const struct sw_session *session, uint64_t digest) {
    for (uint32_t i = 0; i < session->beside->count; i++) {
        digest = sw_fold(digest, session->beside->branches[i]);
    }
    return sw_fold(digest, (uint64_t)(session->beside->sync << 1 | session->beside->diff));
}

static const char *const sync_words[SW_SYNC_COUNT] = {"decision", "operator", "block", "best"};
static const char *const sync_sentences[SW_SYNC_COUNT] = {
    "all runs at the same decision", "all runs at the end of the same operator",
    "all runs where they placed the same block", "all runs where they were first as good"};

/* ---- which runs ---- */

static void forget_runs(struct sw_session *session) {
    struct sw_beside *beside = session->beside;
    *beside = (struct sw_beside){.sync = beside->sync, .diff = beside->diff};
}

void sw_beside_close(struct sw_session *session) {
    if (session->beside->count > 0) {
        sw_session_command(session, sw_beside_busy(session) ? "compare stop" : "compare off", NULL);
    }
}

static bool stands_beside(const struct sw_beside *beside, uint32_t branch) {
    for (uint32_t i = 0; i < beside->count; i++) {
        if (beside->branches[i] == branch) {
            return true;
        }
    }
    return false;
}

/* Undone and dropped branches leave; the current one is always there, last when it came last. */
static void tidy(struct sw_session *session) {
    struct sw_beside *beside = session->beside;
    uint32_t kept = 0, leader = beside->branches[0];
    if (beside->count == 0) {
        return;
    }
    for (uint32_t i = 0; i < beside->count; i++) {
        const struct sw_branch *branch = sw_branch_at(session, beside->branches[i]);
        if (sw_branch_lives(branch)) {
            beside->branches[kept] = beside->branches[i];
            beside->runs[kept++] = beside->runs[i];
        }
    }
    bool first = kept > 0 && beside->branches[0] != leader;
    beside->count = kept;
    if (!stands_beside(beside, session->current)) {
        uint32_t at = kept < SW_BESIDE_RUNS ? kept : SW_BESIDE_RUNS - 1;
        beside->branches[at] = session->current;
        memset(&beside->runs[at], 0, sizeof beside->runs[at]);
        beside->count = at + 1;
    }
    if (beside->count < 2) {
        forget_runs(session);
    } else if (first) {
        memset(beside->runs, 0, sizeof beside->runs);
    }
}

/* What is to be compared: a branch, or a planner of which there is no run yet. */
struct rival {
    uint32_t branch; /* SW_NONE: none so far */
    const struct sw_planner *planner;
};

/* A branch by number, or a run of a planner: one there is, or a new one. Makes nothing yet. */
static bool find_run(struct sw_session *session, const struct sw_given_value *value, struct rival *rival,
                     struct sw_error *error) {
    *rival = (struct rival){.branch = SW_NONE, .planner = value->planner};
    if (value->choice) {
        return sw_fail(error, SW_ERROR_USAGE, "compare %s is said alone", value->word);
    }
    if (!rival->planner) {
        return sw_branch_number(session, value, &rival->branch, error);
    }
    for (uint32_t i = 0; i < sw_branch_count(session); i++) {
        const struct sw_branch *one = sw_branch_at(session, i);
        if (sw_branch_is_there(session, i) && one->problem == session->problem &&
            strcmp(one->what, rival->planner->name) == 0) {
            rival->branch = i;
            return true;
        }
    }
    return sw_planner_applies(rival->planner, session->problem, error);
}

/* What to compare with when nothing was named: the last what-if, else another planner. */
static bool choose_rival(struct sw_session *session, struct rival *rival, struct sw_error *error) {
    *rival = (struct rival){.branch = SW_NONE};
    uint32_t parent = sw_branch_at(session, session->current)->parent;
    if (parent != SW_NONE && !sw_branch_at(session, parent)->hidden) {
        rival->branch = parent;
        return true;
    }
    for (uint32_t i = (uint32_t)sw_branch_count(session); i > 0; i--) {
        if (i - 1 != session->current && !sw_branch_at(session, i - 1)->hidden) {
            rival->branch = i - 1;
            return true;
        }
    }
    bool sizes = strcmp(sw_search_planner(sw_state_search(session))->name, "greedy-by-size") == 0;
    const struct sw_planner *other = sw_planner_find(sizes ? "best-fit" : "greedy-by-size", error);
    return find_run(session, &(struct sw_given_value){.word = other->name, .planner = other}, rival, error);
}

/* Where runs were stopped on their way to is chance, and so is what is known of them: they begin
 * again. */
static bool abandon(struct sw_session *session, struct sw_error *error) {
    const struct sw_beside *beside = session->beside;
    for (uint32_t i = 0; i < beside->count; i++) {
        if (beside->branches[i] != session->current && !sw_branch_again(session, beside->branches[i], error)) {
            return false;
        }
    }
    forget_runs(session);
    sw_session_say(session, false, "stopped: the other runs went back to their start");
    return true;
}

static bool is_known_rival(const struct rival *rivals, uint32_t count, const struct rival *one) {
    for (uint32_t i = 0; i < count; i++) {
        if (rivals[i].branch == one->branch && rivals[i].planner == one->planner) {
            return true;
        }
    }
    return false;
}

bool sw_do_compare(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    struct sw_beside fresh = {.sync = session->beside->sync, .diff = session->beside->diff};
    enum { OFF = 2, STOP = 3 }; /* of its alternatives */
    size_t count = given->count;
    if (count == 1 && given->value[0].choice == OFF) {
        forget_runs(session);
        return true;
    }
    if (count == 1 && given->value[0].choice == STOP) {
        return abandon(session, error);
    }
    struct rival rivals[SW_BESIDE_RUNS];
    uint32_t wanted = 0;
    for (size_t i = 0; i < (count ? count : 1); i++) {
        struct rival one;
        if (!(count ? find_run(session, &given->value[i], &one, error) : choose_rival(session, &one, error))) {
            return false;
        }
        if (one.branch == session->current || is_known_rival(rivals, wanted, &one)) {
            continue;
        }
        if (wanted == SW_BESIDE_RUNS - 1) {
            return sw_fail(error, SW_ERROR_USAGE, "at most %d runs are compared side by side", SW_BESIDE_RUNS);
        }
        rivals[wanted++] = one;
    }
    if (wanted == 0) {
        return sw_fail(error, SW_ERROR_USAGE, "a run is compared with other ones");
    }
    fresh.branches[fresh.count++] = session->current;
    for (uint32_t i = 0; i < wanted; i++) { /* only now: a refusal leaves nothing behind */
        if (rivals[i].branch == SW_NONE && !sw_branch_add(session, rivals[i].planner, &rivals[i].branch, error)) {
            return false;
        }
        fresh.branches[fresh.count++] = rivals[i].branch;
    }
    *session->beside = fresh;
    sw_session_say(session, false, "%u runs, in step by %s; %s compares others, %s closes", fresh.count,
                   sync_words[fresh.sync], SW_KEY(session, "compare"), SW_KEY(session, "stop"));
    return true;
}

bool sw_do_sync(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    unsigned sync = given->count ? given->value[0].choice - 1 : (session->beside->sync + 1u) % SW_SYNC_COUNT;
    (void)error;
    session->beside->sync = (enum sw_sync)sync;
    bool shown = session->beside->count > 0;
    sw_session_say(session, false, "%s%s%s%s", sync_sentences[sync], shown ? "" : ", once they are compared (",
                   shown ? "" : SW_KEY(session, "compare"), shown ? "" : ")");
    return true;
}

bool sw_do_diff(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    (void)error;
    sw_state_onoff(given, &session->beside->diff);
    if (!session->beside->count) {
        sw_session_say(session, false, "this shows when runs are compared (%s)", SW_KEY(session, "compare"));
        return true;
    }
    sw_session_say(session, false, "%s",
                   session->beside->diff ? "blocks by what differs from the first run: the same are "
                                           "dim, ~ has moved, + is only here"
                                         : "blocks in their own colors");
    return true;
}

/* ---- keeping in step ---- */

/* The lowest figure that the run has measured up to a step; UINT64_MAX when it has measured
 * nothing. */
static uint64_t best_at(const struct sw_search *search, uint64_t step) {
    uint64_t best = UINT64_MAX, amount = 0;
    for (uint64_t i = 1; i <= step; i++) {
        if (sw_curve_measured(sw_search_journal(search, i), &amount) && amount < best) {
            best = amount;
        }
    }
    return best;
}

struct goal {
    enum sw_sync sync;
    bool end;       /* to the end of the run */
    uint64_t step;  /* DECISION */
    uint32_t time;  /* OPERATOR */
    uint32_t block; /* BLOCK */
    uint64_t best;  /* BEST */
};

static bool stands_at_end(const struct sw_search *search) {
    return sw_search_at(search) == sw_search_known(search) &&
           (sw_search_complete(search) || sw_search_failed(search, NULL));
}

static struct goal goal_of(const struct sw_session *session) {
    const struct sw_search *search = sw_state_search(session);
    uint64_t at = sw_search_at(search);
    const struct sw_decision *decision = sw_search_decision(search);
    struct goal goal = {.sync = session->beside->sync, .step = at, .time = SW_NONE, .block = SW_NONE};
    goal.end = at > 0 && stands_at_end(search);
    if (decision) {
        goal.time = decision->time;
        goal.block = decision->buffer;
    }
    /* A decision that has no operator or block: the same number will do. */
    if ((goal.sync == SW_SYNC_OPERATOR && goal.time == SW_NONE) ||
        (goal.sync == SW_SYNC_BLOCK && goal.block == SW_NONE)) {
        goal.sync = SW_SYNC_DECISION;
    }
    goal.best = goal.sync == SW_SYNC_BEST && !goal.end ? best_at(search, at) : 0;
    return goal;
}

/* Has a run that made this decision come to its goal? For operators: has it gone past it? */
static bool reached_goal(const struct goal *goal, const struct sw_decision *decision) {
    uint64_t amount = 0;
    switch (goal->sync) {
    case SW_SYNC_DECISION:
        return decision->step >= goal->step;
    case SW_SYNC_OPERATOR:
        return decision->time != SW_NONE && goal->time != SW_NONE && decision->time > goal->time;
    case SW_SYNC_BLOCK:
        return decision->buffer == goal->block && decision->offset != SW_UNBOUNDED &&
               (decision->kind == SW_DECISION_PLACE || decision->kind == SW_DECISION_GROW ||
                decision->kind == SW_DECISION_APPEND || decision->kind == SW_DECISION_PRECONF ||
                decision->kind == SW_DECISION_BRANCH);
    case SW_SYNC_BEST:
        return sw_curve_measured(decision, &amount) && amount <= goal->best;
    case SW_SYNC_COUNT:
        break;
    }
    return true;
}

static bool stop_at_goal(void *context, const struct sw_search *search, const struct sw_decision *decision) {
    (void)search;
    return reached_goal(context, decision);
}

/* Some work to bring a run to the goal. True: it is there. */
static bool follow_goal(struct sw_search *search, const struct goal *goal, uint64_t work, struct sw_error *error) {
    uint64_t known_there = sw_search_known(search), to = UINT64_MAX;
    if (goal->step == 0) {
        to = 0;
    }
    for (uint64_t i = 1; i <= known_there && to == UINT64_MAX && !goal->end; i++) {
        if (goal->sync == SW_SYNC_DECISION && goal->step <= known_there) {
            to = goal->step;
        } else if (reached_goal(goal, sw_search_journal(search, i))) {
            to = goal->sync == SW_SYNC_OPERATOR ? i - 1 : i;
        }
    }
    bool over = sw_search_complete(search) || sw_search_failed(search, NULL);
    if (to != UINT64_MAX || over) {
        to = SW_MIN(to, known_there);
        return sw_search_at(search) == to || sw_search_seek(search, to, error);
    }
    if (sw_search_at(search) < known_there && !sw_search_seek(search, known_there, error)) {
        return true;
    }
    struct goal own = *goal;
    struct sw_error why = {0};
    enum sw_step step = sw_search_run(search, work, goal->end ? NULL : stop_at_goal, &own, &why);
    if (why.code == SW_ERROR_MEMORY) {
        *error = why;
        return true;
    }
    const struct sw_decision *last = sw_search_decision(search);
    bool there = step != SW_STEP_MORE || (!goal->end && last && reached_goal(goal, last));
    if (there && step == SW_STEP_MORE && goal->sync == SW_SYNC_OPERATOR) {
        return sw_search_seek(search, sw_search_at(search) - 1, error);
    }
    return there;
}

/* Of all that says where the other runs belong. */
static uint64_t goal_key(const struct sw_session *session) {
    const struct sw_search *search = sw_state_search(session);
    uint64_t key = sw_fold(session->current, (uint64_t)session->beside->sync);
    key = sw_fold(key, sw_search_at(search));
    return sw_fold(key, sw_search_complete(search)) | 1;
}

bool sw_beside_busy(struct sw_session *session) {
    struct sw_beside *beside = session->beside;
    tidy(session);
    uint64_t key = beside->count ? goal_key(session) : 0;
    bool behind = false;
    for (uint32_t i = 0; i < beside->count; i++) {
        if (beside->branches[i] == session->current) {
            beside->runs[i].placed = false; /* it goes where commands send it */
        } else {
            behind |= !(beside->runs[i].placed && beside->runs[i].key == key);
        }
    }
    return behind;
}

/* Before a command that moves runs the others must stand where they belong, or a replay would come to something else.
 */
bool sw_beside_before(struct sw_session *session, const struct sw_call *call, struct sw_error *error) {
    bool leaves = call->command == &sw_commands[SW_DO_compare] && call->given->count == 1 &&
                  strcmp(call->given->words[0], "stop") == 0;
    if (leaves || (call->command->flags & (SW_COMMAND_LOGGED | SW_COMMAND_BUSY)) != SW_COMMAND_LOGGED) {
        return true;
    }
    enum { CATCH_UP_SLICES = 20, CATCH_UP_SLICE = 100000 };
    for (int i = 0; (sw_replay_on(session) || i < CATCH_UP_SLICES) && sw_beside_busy(session); i++) {
        /* When this was logged they had caught up. */
        if (sw_replay_on(session) && !sw_replay_goes_on(session, error)) {
            return false;
        }
        if (!sw_beside_slice(session, sw_replay_on(session) ? 10 * CATCH_UP_SLICE : CATCH_UP_SLICE, error)) {
            break;
        }
    }
    return !sw_beside_busy(session) ||
           sw_fail(error, SW_ERROR_USAGE, "the other runs are still on their way; %s stops them",
                   SW_KEY(session, "stop"));
}

bool sw_beside_slice(struct sw_session *session, uint64_t work, struct sw_error *error) {
    struct sw_beside *beside = session->beside;
    struct sw_error own = {0};
    if (!sw_beside_busy(session)) {
        return false;
    }
    struct goal goal = goal_of(session);
    uint64_t key = goal_key(session);
    for (uint32_t i = 0; i < beside->count; i++) {
        bool there = beside->runs[i].placed && beside->runs[i].key == key;
        if (beside->branches[i] != session->current && !there) {
            struct sw_search *search = sw_branch_at(session, beside->branches[i])->search;
            beside->runs[i].placed = follow_goal(search, &goal, work, &own);
            beside->runs[i].key = key;
        }
    }
    if (own.code != SW_OK) {
        sw_session_say(session, true, "%s", own.message);
        forget_runs(session);
        return sw_state_good(&own, error);
    }
    return sw_beside_busy(session);
}

/* ---- what there is to see ---- */

enum { MOST_AT_ONCE = 200000 }; /* decisions compared per frame */

static void compare_with_first(struct sw_session *session, uint32_t i, struct sw_beside_run *run) {
    struct sw_beside *beside = session->beside;
    const struct sw_search *first = sw_branch_at(session, beside->branches[0])->search;
    const struct sw_layout *mine = sw_search_layout(run->search);
    const struct sw_layout *other = sw_search_layout(first);
    uint64_t key = sw_fold(sw_layout_digest(mine), sw_layout_digest(other)) | 1;
    if (beside->runs[i].counted != key) {
        sw_layout_differences(mine, other, &beside->runs[i].differences);
        beside->runs[i].counted = key;
    }
    sw_parting_find(&beside->runs[i].parting, run->search, first, MOST_AT_ONCE);
    run->differences = beside->runs[i].differences;
    /* Of what is known of both runs, which depends on how they got here, only what both have done where they stand. */
    uint64_t x = sw_search_at(run->search), y = sw_search_at(first);
    uint64_t both = SW_MIN(x, y), parted = beside->runs[i].parting.step;
    uint64_t agreed = beside->runs[i].parting.agreed;
    run->agreed = SW_MIN(agreed, both);
    run->parted = parted <= both || (stands_at_end(run->search) && y >= parted) || (stands_at_end(first) && x >= parted)
                      ? parted
                      : 0;
}

/* One window for all: the largest of theirs. */
static void share_viewport(struct sw_view_input *in) {
    for (uint32_t i = 0; i < in->run.beside.count; i++) {
        struct sw_viewport one = sw_viewport_all(in->run.beside.runs[i].search, in->look.tier);
        struct sw_viewport *all = &in->look.viewport;
        all->time_hi = SW_MAX(one.time_hi, all->time_hi);
        all->bytes_hi = SW_MAX(one.bytes_hi, all->bytes_hi);
    }
}

void sw_beside_view(struct sw_session *session, struct sw_view_input *in) {
    struct sw_beside *beside = session->beside;
    tidy(session);
    in->run.beside =
        (struct sw_beside_view){.count = beside->count, .sync = sync_words[beside->sync], .diff = beside->diff};
    uint64_t key = beside->count ? goal_key(session) : 0;
    for (uint32_t i = 0; i < beside->count; i++) {
        const struct sw_branch *branch = sw_branch_at(session, beside->branches[i]);
        struct sw_beside_run *run = &in->run.beside.runs[i];
        run->search = branch->search;
        run->branch = beside->branches[i] + 1;
        run->what = branch->name ? branch->name : branch->what;
        run->current = beside->branches[i] == session->current;
        run->behind = !run->current && !(beside->runs[i].placed && beside->runs[i].key == key);
        if (i > 0) {
            compare_with_first(session, i, run);
        }
    }
    if (session->sight.fit) {
        share_viewport(in);
    }
}

/* Which runs are compared follows from the commands, not from the frames. */
void sw_beside_after(struct sw_session *session, const struct sw_call *call) {
    (void)call;
    sw_beside_busy(session);
}

bool sw_beside_follows(const struct sw_session *session) {
    return session->beside->count > 0;
}

bool sw_beside_stop(struct sw_session *session) {
    bool busy = sw_beside_busy(session);
    if (busy) {
        sw_beside_close(session);
    }
    return busy;
}

void sw_beside_carry(struct sw_carrier *carrier) {
    const struct sw_beside *beside = carrier->from->beside;
    char line[120];
    sw_carry(carrier, NULL, "sync %s", sync_words[beside->sync]);
    sw_carry(carrier, NULL, "diff %s", beside->diff ? "on" : "off");
    if (beside->count == 0) {
        return;
    }
    size_t used = (size_t)snprintf(line, sizeof line, "compare");
    for (uint32_t i = 1; i < beside->count; i++) {
        used +=
            (size_t)snprintf(line + used, sizeof line - used, " %" PRIu32, carrier->map.items[beside->branches[i]] + 1);
    }
    uint32_t leader = beside->branches[0];
    struct sw_error why = {0};
    if (!sw_carry_to(carrier, leader, sw_branch_step(carrier->from, leader)) || !sw_carry(carrier, &why, "%s", line)) {
        sw_carry_lost(carrier, line, why.message);
    }
}
