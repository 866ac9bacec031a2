/* Stepping: every way to another decision, as a job that is done in slices. */
#include "command/attached/attached.h"
#include "base/base.h"
#include "layout/made.h"
#include "command/command_line.h"
#include "command/doors/doors.h"
#include "command/look/look.h"
#include "command/runs/branches.h"
#include "command/state.h"
#include "planners/planner.h"
#include "search/result/run_plan.h"

/* A command does this much at once, so that a single step needs no second frame: 1-2 ms. */
enum { FIRST_SLICE = 50000 };

/* ---- moving ---- */

/* To a step that is known. The last decision on the way is explained: one replay instead of two. */
static bool go(struct sw_session *session, uint64_t step, struct sw_error *error) {
    struct sw_search *search = sw_state_search(session);
    struct sw_error own = {0};
    if (step == sw_search_at(search)) {
        return true;
    }
    if (step == 0 || !sw_search_seek(search, step - 1, error)) {
        return step == 0 && sw_search_seek(search, 0, error);
    }
    if (sw_explained_step(session, &own) != SW_STEP_MORE && own.code == SW_ERROR_MEMORY) {
        return sw_fail_memory(error);
    }
    return true;
}

bool sw_run_at_end(const struct sw_search *search) {
    return sw_search_complete(search) && sw_search_at(search) == sw_search_known(search);
}

/* ---- when to stop ---- */

static bool opens_block(const struct sw_decision *decision, uint32_t buffer) {
    return decision->buffer == buffer && (decision->kind == SW_DECISION_PLACE || decision->kind == SW_DECISION_APPEND ||
                                          decision->kind == SW_DECISION_GROW);
}

static bool reached_job(struct sw_session *session, const struct sw_decision *decision) {
    struct sw_job *job = &session->job;
    switch (job->kind) {
    case SW_JOB_GOTO:
        return decision->step >= job->target;
    case SW_JOB_RUN:
        for (uint32_t i = 0; i < session->breaks.list.count; i++) {
            if (sw_break_true(session, &session->breaks.list.items[i], decision)) {
                job->break_hit = i;
                return true;
            }
        }
        return false;
    case SW_JOB_OPERATOR:
        return job->any || decision->time != job->unit;
    case SW_JOB_GROUP:
        return job->any || decision->group != job->unit;
    case SW_JOB_BLOCK:
        return opens_block(decision, job->unit);
    case SW_JOB_NONE:
        break;
    }
    return false;
}

static bool stop_here(void *context, const struct sw_search *search, const struct sw_decision *decision) {
    (void)search;
    struct sw_session *session = context;
    session->job.hit = reached_job(session, decision);
    return session->job.hit;
}

/* ---- jobs ---- */

static void say_end(struct sw_session *session) {
    const struct sw_search *search = sw_state_search(session);
    struct sw_error why = {0};
    char fault[400];
    if (sw_attached_fault(session, fault, sizeof fault)) {
        sw_session_say(session, true, "%s", fault);
        return;
    }
    if (sw_search_failed(search, &why)) {
        sw_session_say(session, true, "the run ended without a layout: %s", why.message);
        return;
    }
    struct sw_metrics metrics;
    char peak[16], bound[16], percent[16], tiers[300] = "";
    sw_metrics_of(sw_search_layout(search), &metrics);
    if (metrics.single_tier) {
        const char *below = sw_below_words(search, true);
        const char *over = metrics.comparable ? sw_show_percent(metrics.over_bound, true, percent) : below ? below : "";
        sw_session_say(session, !metrics.fits || (below && *below), "end of the run: peak %s, bound %s%s%s%s%s",
                       sw_show_bytes(metrics.peak, peak), sw_show_bytes(metrics.lower_bound, bound),
                       sw_bound_remark(search), *over ? ", " : "", over, metrics.fits ? "" : "; it does not fit");
        return;
    }
    for (uint32_t i = 0; i < sw_problem_tier_count(session->problem); i++) {
        SW_TEXT_ADD(tiers, "%s%.40s %s", i ? ", " : "", sw_problem_tier(session->problem, i)->name,
                    sw_show_bytes(metrics.tier_peak[i], peak));
    }
    sw_session_say(session, !metrics.fits, "end of the run: %s%s", tiers, metrics.fits ? "" : "; it does not fit");
}

/* "trial 3 of 14: 72K; the plan: 54K", where the layout on view is one that the run gave up. */
static bool trial_words(const struct sw_search *search, char *text, size_t size) {
    struct sw_trial trial;
    char peak[16], plan[16];
    if (!sw_search_trial(search, &trial)) {
        return false;
    }
    int used = trial.number ? snprintf(text, size, "trial %" PRIu64 " of %" PRIu64, trial.number, trial.count)
                            : snprintf(text, size, "a trial");
    snprintf(text + used, size - (size_t)used, ": %s; the plan: %s", sw_show_bytes(trial.peak, peak),
             sw_show_bytes(trial.plan, plan));
    return true;
}

/* To the decision that set the peak of a layout, which is the plan or the one on view. */
static bool to_peak_of(struct sw_session *session, const struct sw_layout *layout, bool plans, struct sw_error *error) {
    struct sw_search *search = sw_state_search(session);
    struct sw_peak peak;
    char bytes[16], trial[96];
    struct sw_metrics metrics;
    sw_search_peak(search, layout, &peak); /* the layout is not good for longer */
    sw_metrics_of(layout, &metrics);
    bool several = !metrics.single_tier;
    if (peak.bytes == 0) {
        sw_session_say(session, false, "nothing is placed, so there is no peak");
        return true;
    }
    if (peak.step == 0) { /* a pin moves a block without a decision */
        sw_session_say(session, false, "no decision set the peak of %s: %s; see :pane blame",
                       sw_show_bytes(peak.bytes, bytes),
                       sw_problem_goes_on(session->problem) ? "the moment already had as much reserved"
                                                            : "a block was moved there by hand");
        return true;
    }
    struct sw_way way = sw_way_begin(session);
    if (!go(session, peak.step, error)) {
        return false;
    }
    sw_way_follow(session, &way);
    if (peak.buffer == SW_NONE) {
        const struct sw_decision *decision = sw_search_decision(search);
        peak.buffer = decision ? decision->buffer : SW_NONE;
    }
    const char *by = "", *name = "";
    if (peak.buffer != SW_NONE) {
        session->sight.selected = peak.buffer;
        by = ", by ";
        name = sw_problem_buffer(session->problem, peak.buffer)->name;
    }
    sw_show_bytes(peak.bytes, bytes);
    if (several) {
        sw_session_say(session, false, "the peak of %s, %s, was set here%s%s%s",
                       sw_problem_tier(session->problem, peak.tier)->name, bytes, by, name,
                       trial_words(search, trial, sizeof trial) ? "; on view is a trial" : "");
    } else if (!trial_words(search, trial, sizeof trial)) {
        sw_session_say(session, false, "the peak of %s was set here%s%s", bytes, by, name);
    } else if (plans) {
        sw_session_say(session, false, "the peak of %s was set here%s%s; on view is %s", bytes, by, name, trial);
    } else {
        sw_session_say(session, false, "the peak of this trial, %s, was set here%s%s; %s", bytes, by, name, trial);
    }
    return true;
}

static bool to_peak(struct sw_session *session, struct sw_error *error) {
    const struct sw_search *search = sw_state_search(session);
    const struct sw_layout *plan = sw_search_plan(search);
    return sw_search_known(search) == 0 || to_peak_of(session, plan ? plan : sw_search_layout(search), true, error);
}

static void say_break(struct sw_session *session, const struct sw_break *point) {
    bool failed = session->job.fault[0];
    sw_session_say(session, failed, "stopped: %s%s%s", point->text, failed ? ": " : "", session->job.fault);
}

static void say_stopped(struct sw_session *session, const struct sw_job *job, bool ended) {
    const char *noun = sw_search_planner(sw_state_search(session))->group_noun;
    if (job->kind == SW_JOB_RUN && job->hit) {
        say_break(session, &session->breaks.list.items[job->break_hit]);
    } else if (ended && job->kind == SW_JOB_BLOCK) {
        sw_session_say(session, true, "no decision of this run places %s",
                       sw_problem_buffer(session->problem, job->unit)->name);
    } else if (ended) {
        say_end(session);
    } else if (job->kind == SW_JOB_GROUP && noun) {
        const struct sw_decision *decision = sw_search_decision(sw_state_search(session));
        sw_session_say(session, false, "%s %" PRIu32, noun, decision->group);
    }
}

/* The end is known now, and with it which decisions made the plan: to the first after `from` at which a breakpoint is
 * true. */
static bool to_break(struct sw_session *session, uint64_t from, struct sw_error *error) {
    struct sw_search *search = sw_state_search(session);
    struct sw_job *job = &session->job;
    job->kind = SW_JOB_RUN;
    job->hit = false;
    uint64_t step = from, known = sw_search_known(search);
    while (step < known && !job->hit) {
        job->hit = reached_job(session, sw_search_journal(search, ++step));
    }
    job->kind = SW_JOB_NONE;
    struct sw_job told = *job;
    told.kind = SW_JOB_RUN;
    struct sw_way way = sw_way_begin(session);
    if (!go(session, step, error)) {
        return false;
    }
    sw_way_follow(session, &way);
    say_stopped(session, &told, !told.hit);
    return true;
}

static bool finish_job(struct sw_session *session, bool ended, struct sw_error *error) {
    struct sw_job job = session->job;
    session->job.kind = SW_JOB_NONE;
    session->job.logged = false;
    sw_way_follow(session, &job.way);
    if (job.then_peak) {
        return to_peak(session, error);
    }
    if (job.then_breaks) {
        return to_break(session, job.from, error);
    }
    if (job.made_branch) {
        return true; /* the comparison will have more to say */
    }
    /* A single step that lands on the last decision says nothing: the next one will. */
    bool asked = job.kind != SW_JOB_GOTO || job.target != sw_search_at(sw_state_search(session));
    if (asked) {
        say_stopped(session, &job, ended);
    }
    return true;
}

/* ---- slices ---- */

/* Some of the work aside of the run, of the first part that has any. */
static bool slice_aside(struct sw_session *session, uint64_t work, struct sw_error *error) {
    SW_PARTS_WITH(slice) {
        if (part->slice(session, work, error)) {
            return true;
        }
    }
    return false;
}

/* The run has come to the end of what is known of it: is there, or will there be, more? */
static bool job_goes_on(struct sw_session *session) {
    SW_PARTS_WITH(more) {
        if (part->more(session)) {
            return true;
        }
    }
    return false;
}

bool sw_session_slice(struct sw_session *session, uint64_t work, struct sw_error *error) {
    struct sw_job *job = &session->job;
    if (error) {
        error->code = SW_OK;
    }
    if (job->kind == SW_JOB_NONE) {
        return slice_aside(session, work, error);
    }
    struct sw_search *search = sw_state_search(session);
    job->hit = false;
    struct sw_error own = {0};
    enum sw_step result = sw_search_run(search, work, stop_here, session, &own);
    if (own.code == SW_ERROR_MEMORY) {
        job->kind = SW_JOB_NONE;
        job->logged = false;
        sw_session_say(session, true, "%s", own.message);
        return sw_state_good(&own, error);
    }
    if (result == SW_STEP_MORE && !job->hit) {
        sw_way_follow(session, &job->way);
        return true;
    }
    if (!job->hit && result == SW_STEP_DONE && job_goes_on(session)) {
        return true;
    }
    finish_job(session, !job->hit, error);
    return sw_session_busy(session);
}

bool sw_session_finish(struct sw_session *session, struct sw_error *error) {
    struct sw_error own = {0};
    bool more = true;
    while (more && own.code == SW_OK) {
        if (!sw_replay_goes_on(session, &own)) {
            for (int i = 0; i < 4 && sw_session_busy(session); i++) {
                sw_session_stop(session); /* the run, then the others beside it, then what is found out of both */
            }
            break;
        }
        more = sw_session_slice(session, UINT64_C(1) << 22, &own);
    }
    return sw_state_good(&own, error);
}

/* Through what is known already without running, then a first slice of the rest. */
bool sw_job_start(struct sw_session *session, struct sw_job job, struct sw_error *error) {
    struct sw_search *search = sw_state_search(session);
    job.logged = false;
    job.way = sw_way_begin(session);
    session->job = job;
    uint64_t known = sw_search_known(search), at = sw_search_at(search), step = known;
    if (job.kind == SW_JOB_GOTO && job.target < known) {
        step = job.target;
    }
    session->job.hit = job.kind == SW_JOB_GOTO && job.target <= known;
    for (uint64_t i = at + 1; i <= known && job.kind != SW_JOB_GOTO; i++) {
        session->job.hit = reached_job(session, sw_search_journal(search, i));
        if (session->job.hit) {
            step = i;
            break;
        }
    }
    if (step != at && !go(session, step, error)) {
        session->job.kind = SW_JOB_NONE;
        return false;
    }
    if (session->job.hit || (sw_search_complete(search) && !sw_attached_open(session) && !sw_indexing_open(session))) {
        return finish_job(session, !session->job.hit, error);
    }
    struct sw_error own = {0};
    session->job.starts = true;
    sw_session_slice(session, FIRST_SLICE, &own);
    session->job.starts = false;
    return sw_state_good(&own, error);
}

/* ---- the commands ---- */

static bool seek(struct sw_session *session, uint64_t step, struct sw_error *error) {
    struct sw_way way = sw_way_begin(session);
    if (step == 0 && sw_search_at(sw_state_search(session)) == 0) {
        sw_session_say(session, false, "this is the start: nothing has been decided");
    }
    if (!go(session, step, error)) {
        return false;
    }
    sw_way_follow(session, &way);
    return true;
}

static bool single_step(struct sw_session *session, struct sw_error *error) {
    struct sw_error own = {0};
    struct sw_way way = sw_way_begin(session);
    enum sw_step result = sw_explained_step(session, &own);
    if (own.code == SW_ERROR_MEMORY) {
        return sw_fail_memory(error);
    }
    sw_way_follow(session, &way);
    if (result == SW_STEP_DONE && (sw_attached_open(session) || sw_indexing_open(session))) {
        uint64_t next = sw_search_at(sw_state_search(session)) + 1;
        return sw_job_start(session, (struct sw_job){.kind = SW_JOB_GOTO, .target = next}, error);
    }
    if (result != SW_STEP_MORE) {
        say_end(session);
    }
    return true;
}

bool sw_do_step(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    uint64_t more = given->count ? given->value[0].number : 1, target = 0;
    if (more == 1) {
        return single_step(session, error);
    }
    if (__builtin_add_overflow(sw_search_at(sw_state_search(session)), more, &target)) {
        target = UINT64_MAX;
    }
    return sw_job_start(session, (struct sw_job){.kind = SW_JOB_GOTO, .target = target}, error);
}

bool sw_do_back(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    uint64_t less = given->count ? given->value[0].number : 1, at = sw_search_at(sw_state_search(session));
    return seek(session, less < at ? at - less : 0, error);
}

static bool next_unit(struct sw_session *session, enum sw_job_kind kind, struct sw_error *error) {
    const struct sw_decision *decision = sw_search_decision(sw_state_search(session));
    struct sw_job job = {.kind = kind, .any = !decision};
    if (decision) {
        job.unit = kind == SW_JOB_OPERATOR ? decision->time : decision->group;
    }
    return sw_job_start(session, job, error);
}

SW_PLAIN_COMMAND(next_operator, next_unit(session, SW_JOB_OPERATOR, error));
SW_PLAIN_COMMAND(next_group, next_unit(session, SW_JOB_GROUP, error));

static bool previous_unit(struct sw_session *session, enum sw_level level, struct sw_error *error) {
    const struct sw_search *search = sw_state_search(session);
    return seek(session, sw_search_boundary(search, sw_search_at(search), level, false), error);
}

SW_PLAIN_COMMAND(previous_operator, previous_unit(session, SW_LEVEL_OPERATOR, error));
SW_PLAIN_COMMAND(previous_group, previous_unit(session, SW_LEVEL_GROUP, error));
SW_PLAIN_COMMAND(first, seek(session, 0, error));
SW_PLAIN_COMMAND(last, sw_job_start(session, (struct sw_job){.kind = SW_JOB_GOTO, .target = UINT64_MAX}, error));

bool sw_do_continue(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    (void)given;
    struct sw_job job = {.kind = SW_JOB_RUN};
    const struct sw_search *search = sw_state_search(session);
    /* A peak that a trial reaches is not the plan's: which one is known at the end. */
    if (sw_breaks_on_peak(session) && !sw_search_planner(search)->one_layout && !sw_search_complete(search) &&
        !sw_attached_open(session) && !sw_indexing_open(session)) {
        job = (struct sw_job){
            .kind = SW_JOB_GOTO, .target = UINT64_MAX, .then_breaks = true, .from = sw_search_at(search)};
    }
    return sw_job_start(session, job, error);
}

SW_PLAIN_COMMAND(run, sw_do_continue(session, given, error));

bool sw_do_continue_back(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    (void)given;
    const struct sw_search *search = sw_state_search(session);
    uint64_t step = sw_search_at(search);
    for (step = step ? step - 1 : 0; step > 0; step--) {
        const struct sw_decision *decision = sw_search_journal(search, step);
        for (size_t i = 0; i < session->breaks.list.count; i++) {
            if (sw_break_true(session, &session->breaks.list.items[i], decision)) {
                say_break(session, &session->breaks.list.items[i]);
                return seek(session, step, error);
            }
        }
    }
    sw_session_say(session, false, "back at the start");
    return seek(session, 0, error);
}

bool sw_do_goto(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    uint64_t target = given->value[0].number;
    if (target == sw_search_at(sw_state_search(session))) {
        return true; /* the cursor, too, stays where it is: a log has this after each look at a run */
    }
    return sw_job_start(session, (struct sw_job){.kind = SW_JOB_GOTO, .target = target}, error);
}

SW_PLAIN_COMMAND(goto_peak,
                 sw_job_start(session, (struct sw_job){.kind = SW_JOB_GOTO, .target = UINT64_MAX, .then_peak = true},
                              error));
SW_PLAIN_COMMAND(goto_trial_peak, to_peak_of(session, sw_search_layout(sw_state_search(session)), false, error));

/* The decision that put a block where it lies now; 0: none is known. A planner that makes several layouts places a
 * block in each of them. */
static uint64_t find_placing(const struct sw_search *search, uint32_t buffer) {
    uint64_t at = sw_search_at(search);
    uint64_t made = sw_search_planner(search)->one_layout ? 0 : sw_layout_made(sw_search_layout(search), buffer, 0);
    if (made > 0 && made <= at) {
        return made;
    }
    while (at > 0 && !opens_block(sw_search_journal(search, at), buffer)) {
        at--;
    }
    return at;
}

bool sw_do_goto_block(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    uint32_t buffer;
    if (!sw_state_subject(session, given, &buffer, error)) {
        return false;
    }
    const struct sw_search *search = sw_state_search(session);
    uint64_t by = find_placing(search, buffer);
    if (by > 0) {
        sw_session_say(session, false, "decision %" PRIu64 " placed %s", by,
                       sw_problem_buffer(session->problem, buffer)->name);
        return seek(session, by, error);
    }
    return sw_job_start(session, (struct sw_job){.kind = SW_JOB_BLOCK, .unit = buffer}, error);
}

SW_PLAIN_COMMAND(restart, seek(session, 0, error) && (sw_sight_reset(session), true));
