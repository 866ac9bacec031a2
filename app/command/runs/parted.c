/* What sets the runs apart that stand side by side: found out aside, while one steps on (search/apart/setting_apart.h).
 */
#include "base/base.h"
#include "command/doors/doors.h"
#include "command/runs/branches.h"
#include "command/state.h"
#include "planners/planner.h"
#include "search/apart/setting_apart.h"

/* The first run and another one. */
struct parted_pair {
    uint32_t branches[2]; /* numbers in the list; their runs stay what they are */
    uint64_t recorded[2]; /* decisions known, of runs that grow */
    struct sw_apart *apart;
    bool over; /* there is nothing more to find out */
    char names[2][SW_PLANNER_LABEL + 24];
    char why[SW_APART_SENTENCE]; /* "" while it is not known */
    char accident[SW_MESSAGE];   /* why there is no more to find out; "": there was none */
};
struct sw_parted {
    struct parted_pair pairs[SW_BESIDE_RUNS]; /* that of the first run stays empty */
    bool given_up;                            /* it was stopped, and is not found out */
};

static void forget_pair(struct parted_pair *pair) {
    sw_apart_free(pair->apart);
    *pair = (struct parted_pair){0};
}

/* What is known by now stays. */
static void fail_pair(struct sw_session *session, struct parted_pair *pair, const struct sw_error *error) {
    pair->over = true;
    snprintf(pair->accident, sizeof pair->accident, "%s", error->message);
    session->missed |= error->code == SW_ERROR_MEMORY;
    if (pair->apart && !sw_apart_parting(pair->apart)->known) {
        sw_apart_free(pair->apart);
        pair->apart = NULL;
    }
}

static void forget_pairs(struct sw_parted *parted) {
    for (uint32_t i = 0; i < SW_BESIDE_RUNS; i++) {
        forget_pair(&parted->pairs[i]);
    }
    parted->given_up = false;
}

SW_SESSION_PART(parted, forget_pairs(parted));

void sw_parted_forget(struct sw_session *session) {
    forget_pairs(session->parted);
}

static uint64_t recorded_so_far(const struct sw_search *run) {
    return sw_search_planner(run)->needs & SW_NEEDS_RECORDING ? sw_search_known(run) : 0;
}

static bool is_pair_of(const struct parted_pair *pair, const struct sw_session *session, const uint32_t branches[2]) {
    for (int k = 0; k < 2; k++) {
        if (pair->branches[k] != branches[k] ||
            pair->recorded[k] != recorded_so_far(sw_branch_at(session, branches[k])->search)) {
            return false;
        }
    }
    return pair->apart || pair->over;
}

/* What the two are called: by planner, or, where that is the same, by number. */
static void name_pair(struct sw_session *session, struct parted_pair *pair) {
    char labels[2][SW_PLANNER_LABEL];
    const char *text[2];
    for (int k = 0; k < 2; k++) {
        text[k] = sw_search_label(sw_branch_at(session, pair->branches[k])->search, labels[k]);
    }
    bool same = strcmp(text[0], text[1]) == 0;
    for (int k = 0; k < 2; k++) {
        if (same) {
            snprintf(pair->names[k], sizeof pair->names[k], "run %" PRIu32, pair->branches[k] + 1);
        } else {
            snprintf(pair->names[k], sizeof pair->names[k], "%s", text[k]);
        }
    }
}

/* The pairs are those of the runs that are compared now. */
static void follow_runs(struct sw_session *session) {
    struct sw_parted *parted = session->parted;
    uint32_t count = sw_beside_count(session);
    for (uint32_t i = 1; i < SW_BESIDE_RUNS; i++) {
        struct parted_pair *pair = &parted->pairs[i];
        uint32_t branches[2] = {count ? sw_beside_branch(session, 0) : 0, i < count ? sw_beside_branch(session, i) : 0};
        if (i >= count || !is_pair_of(pair, session, branches)) {
            forget_pair(pair);
        }
        if (i >= count || pair->apart || pair->over || parted->given_up) {
            continue;
        }
        struct sw_error error = {0};
        for (int k = 0; k < 2; k++) {
            pair->branches[k] = branches[k];
            pair->recorded[k] = recorded_so_far(sw_branch_at(session, branches[k])->search);
        }
        name_pair(session, pair);
        pair->apart = sw_apart_new(sw_branch_at(session, branches[0])->search,
                                   sw_branch_at(session, branches[1])->search, &error);
        if (!pair->apart) {
            fail_pair(session, pair, &error);
        }
    }
}

static struct parted_pair *next_pair(struct sw_session *session) {
    follow_runs(session);
    for (uint32_t i = 1; i < SW_BESIDE_RUNS; i++) {
        if (session->parted->pairs[i].apart && !session->parted->pairs[i].over) {
            return &session->parted->pairs[i];
        }
    }
    return NULL;
}

bool sw_parted_busy(struct sw_session *session) {
    return next_pair(session) != NULL;
}

bool sw_parted_slice(struct sw_session *session, uint64_t work, struct sw_error *error) {
    struct parted_pair *pair = next_pair(session);
    struct sw_error own = {0};
    if (!pair) {
        return false;
    }
    pair->over = !sw_apart_work(pair->apart, work, &own);
    if (own.code != SW_OK) {
        fail_pair(session, pair, &own);
    }
    if (pair->apart && !*pair->why && sw_apart_parting(pair->apart)->known) {
        const char *const names[2] = {pair->names[0], pair->names[1]};
        sw_apart_sentence(pair->apart, names, session->options.base, pair->why, sizeof pair->why);
    }
    if (own.code != SW_OK) {
        sw_session_say(session, true, "what sets the runs apart is not known: %s", own.message);
        return sw_state_good(&own, error);
    }
    return sw_parted_busy(session);
}

/* How a log says it. */
bool sw_do_unparted(struct sw_session *session, const struct sw_given *given, struct sw_error *error) {
    (void)given, (void)error;
    forget_pairs(session->parted);
    session->parted->given_up = true;
    return true;
}

/* How far it came is chance: nothing of it stays, and the log records it. */
bool sw_parted_stop(struct sw_session *session) {
    struct sw_error error = {0};
    if (!sw_parted_busy(session)) {
        return false;
    }
    sw_do_unparted(session, NULL, &error);
    sw_state_log(session, "unparted", NULL); /* without memory, a replay finds out more */
    sw_session_say(session, false, "stopped: what sets the runs apart is not known");
    return true;
}

void sw_parted_view(struct sw_session *session, struct sw_view_input *in) {
    const struct sw_parted *parted = session->parted;
    follow_runs(session);
    for (uint32_t i = 1; i < in->run.beside.count; i++) {
        const struct parted_pair *pair = &parted->pairs[i];
        struct sw_beside_run *run = &in->run.beside.runs[i];
        const struct sw_apart_parting *parting = pair->apart ? sw_apart_parting(pair->apart) : NULL;
        run->apart = pair->apart;
        run->why = pair->why;
        run->names[0] = pair->names[0];
        run->names[1] = pair->names[1];
        run->given_up = parted->given_up ? "it was stopped" : *pair->accident ? pair->accident : NULL;
        run->agreed = parting ? parting->agreed : 0;
        run->parted = !parting ? 0 : parting->step[0] ? parting->step[0] : parting->step[1];
    }
}
