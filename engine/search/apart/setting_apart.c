/* Where two runs part. See setting_apart.h. */
#include "base/base.h"
#include "planners/planner.h"
#include "search/apart/apart_internal.h"

/* Units of work until a run is given up, and decisions until comparing them is. */
#define END_WORK (UINT64_C(1) << 26)
#define MOST_COMPARED UINT64_C(200000)

static struct sw_search *fork_bounded(const struct sw_search *from, struct sw_error *error) {
    enum { CHECKPOINTS = 32 << 20 };
    struct sw_search *fork = sw_search_fork(from, error);
    if (fork) {
        sw_search_budget(fork, CHECKPOINTS, 0);
    }
    return fork;
}

struct sw_apart *sw_apart_new(const struct sw_search *a, const struct sw_search *b, struct sw_error *error) {
    struct sw_apart *apart = SW_NEW_ZERO(struct sw_apart, 1);
    if (!apart) {
        sw_fail_memory(error);
        return NULL;
    }
    apart->cost_count = 1;
    apart->costs[0].memory = SW_NONE;
    apart->runs[0] = fork_bounded(a, error);
    apart->runs[1] = apart->runs[0] ? fork_bounded(b, error) : NULL;
    if (!apart->runs[1]) {
        sw_apart_free(apart);
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        apart->begun[i] = sw_search_work(apart->runs[i]);
    }
    return apart;
}

void sw_apart_free(struct sw_apart *apart) {
    if (!apart) {
        return;
    }
    sw_apart_end_trials(apart);
    for (int i = 0; i < 2; i++) {
        sw_explanation_done(&apart->parting.why[i]);
        sw_problem_unref(apart->parting.problem[i]);
        sw_search_free(apart->runs[i]);
    }
    SW_FREE(apart, 1);
}

const struct sw_apart_parting *sw_apart_parting(const struct sw_apart *apart) {
    return &apart->parting;
}

const struct sw_apart_cost *sw_apart_costs(const struct sw_apart *apart, uint32_t *count) {
    *count = apart->cost_count;
    return apart->costs;
}

/* ---- are two decisions the same? ---- */

static bool keeps_the_list(const struct sw_decision *d) {
    return d->kind == SW_DECISION_RELEASE || d->kind == SW_DECISION_COALESCE || d->kind == SW_DECISION_DERIVE ||
           d->kind == SW_DECISION_WIDEN;
}

static uint64_t bytes_moved_up(const struct sw_decision *d) {
    return d->kind == SW_DECISION_GROW && d->grow.pushed != SW_NONE ? d->grow.delta : 0;
}

static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* Do two decisions of one kind agree in all that this kind has? */
static bool same_operands(const struct sw_decision *a, const struct sw_decision *b) {
    for (const struct sw_operand *o = sw_decision_operands((enum sw_decision_kind)a->kind); o->name; o++) {
        double x, y;
        const char *s, *t;
        bool there = sw_decision_value(a, o, &x, &s);
        if (there != sw_decision_value(b, o, &y, &t) || (there && !s != !t) || (there && s && strcmp(s, t) != 0) ||
            (there && !s && !same_number(x, y))) {
            return false;
        }
    }
    return true;
}

static enum sw_apart_kind compare_decisions(const struct sw_decision *a, const struct sw_decision *b) {
    bool places = sw_decision_puts_block(a) && sw_decision_puts_block(b), alike = places || a->kind == b->kind;
    bool addressed = a->tier != SW_NONE && b->tier != SW_NONE && a->buffer != SW_NONE;
    if (!alike) {
        return SW_APART_DEED;
    }
    if (a->buffer != b->buffer) {
        return places ? SW_APART_TURN : SW_APART_DEED;
    }
    if (addressed && (a->tier != b->tier || a->offset != b->offset)) {
        return SW_APART_PLACE;
    }
    if (places) {
        return bytes_moved_up(a) != bytes_moved_up(b) ? SW_APART_DEED
               : a->size != b->size                   ? SW_APART_FIGURE
                                                      : SW_APART_NOT;
    }
    bool same = a->tier == b->tier && a->offset == b->offset && a->size == b->size && same_number(a->cost, b->cost) &&
                same_operands(a, b);
    return same ? SW_APART_NOT : SW_APART_FIGURE;
}

/* ---- until they part ---- */

static bool is_over(const struct sw_search *run) {
    return sw_search_complete(run) || sw_search_failed(run, NULL);
}

/* The next decision that counts, of those that are known; NULL: none is. */
static const struct sw_decision *next_known(struct sw_apart *apart, unsigned i) {
    const struct sw_search *run = apart->runs[i];
    while (apart->at[i] < sw_search_known(run)) {
        const struct sw_decision *decision = sw_search_journal(run, apart->at[i] + 1);
        if (!keeps_the_list(decision)) {
            return decision;
        }
        apart->at[i]++;
    }
    return NULL;
}

/* Which block the run puts somewhere next; soon, or that is not known. */
static bool look_ahead(struct sw_search *there, uint32_t taken, uint32_t *next, struct sw_error *error) {
    enum { SOON = 8 };
    struct sw_error why = {0};
    for (int i = 0; i < SOON && *next == SW_NONE && sw_search_step(there, &why) == SW_STEP_MORE; i++) {
        const struct sw_decision *decision = sw_search_decision(there);
        *next = sw_decision_puts_block(decision) && decision->buffer != taken ? decision->buffer : SW_NONE;
    }
    return why.code != SW_ERROR_MEMORY || sw_fail_memory(error);
}

/* What the run was about at its decision, which planner inside of it made that, and what led to it. */
static bool look_there(struct sw_apart *apart, unsigned i, struct sw_error *error) {
    const struct sw_planner *planner = sw_search_planner(apart->runs[i]);
    struct sw_search *there = sw_search_fork(apart->runs[i], error);
    bool good = there && sw_search_seek(there, apart->parting.step[i], error);
    if (good) {
        apart->parting.problem[i] = sw_problem_ref(sw_search_problem(there));
        apart->parting.acting[i] = planner->acting ? planner->acting(sw_search_planner_state(there)) : NULL;
        sw_search_because(there, apart->parting.because[i], SW_BECAUSE);
        const struct sw_planner *inner = apart->parting.acting[i];
        bool takes_turns = inner ? inner->turn != NULL : planner->turn != NULL; /* else that is not told */
        good = !takes_turns || look_ahead(there, sw_search_decision(there)->buffer, &apart->parting.next[i], error);
    }
    sw_search_free(there);
    return good;
}

static bool settle_parting(struct sw_apart *apart, enum sw_apart_kind kind, struct sw_error *error) {
    struct sw_apart_parting *parting = &apart->parting;
    parting->kind = kind;
    for (unsigned i = 0; i < 2; i++) {
        bool over = apart->at[i] >= sw_search_known(apart->runs[i]);
        parting->next[i] = SW_NONE;
        parting->step[i] = kind == SW_APART_NOT || over ? 0 : apart->at[i] + 1;
        if (parting->step[i] && (!sw_search_explain(apart->runs[i], parting->step[i], &parting->why[i], error) ||
                                 !look_there(apart, i, error))) {
            return false;
        }
    }
    parting->known = true;
    for (unsigned i = 0; i < 2; i++) { /* of the rest only the end is wanted */
        const struct sw_planner *planner = sw_search_planner(apart->runs[i]);
        if (planner->settle || planner->one_layout) {
            sw_search_forget(apart->runs[i]);
        }
    }
    return true;
}

/* Compare what is known of both. False: no memory. */
static bool compare_known(struct sw_apart *apart, struct sw_error *error) {
    for (;;) {
        const struct sw_decision *a = next_known(apart, 0), *b = next_known(apart, 1);
        enum sw_apart_kind kind = a && b ? compare_decisions(a, b) : SW_APART_NOT;
        if (kind != SW_APART_NOT) {
            return settle_parting(apart, kind, error);
        }
        if (!a || !b) {
            bool over[2] = {!a && is_over(apart->runs[0]), !b && is_over(apart->runs[1])};
            bool ends = (over[0] && b) || (over[1] && a);
            return ends                 ? settle_parting(apart, SW_APART_END, error)
                   : over[0] && over[1] ? settle_parting(apart, SW_APART_NOT, error)
                                        : true;
        }
        apart->at[0]++;
        apart->at[1]++;
        apart->parting.placings += sw_decision_puts_block(a);
        if (++apart->parting.agreed >= MOST_COMPARED) {
            apart->parting.given_up = true;
            return settle_parting(apart, SW_APART_NOT, error);
        }
    }
}

/* ---- to their ends ---- */

/* A slice on the way of one run. False: no memory, or an accident, of a script say. */
static bool run_on(struct sw_search *run, uint64_t work, struct sw_error *error) {
    struct sw_error why = {0};
    uint64_t known = sw_search_known(run);
    if (sw_search_at(run) < known && !sw_search_seek(run, known, error)) {
        return false;
    }
    enum sw_step step = is_over(run) ? SW_STEP_DONE : sw_search_run(run, work, NULL, NULL, &why);
    if (step == SW_STEP_FAILED && (why.code == SW_ERROR_MEMORY || !sw_search_failed(run, NULL))) {
        *error = why;
        return false;
    }
    return true;
}

/* Which run is to go on: while they are compared the one with less known, then any that is not over. 2: none. */
static unsigned next_run(const struct sw_apart *apart) {
    bool over[2] = {is_over(apart->runs[0]), is_over(apart->runs[1])};
    bool behind = sw_search_known(apart->runs[1]) < sw_search_known(apart->runs[0]);
    unsigned wanted = !apart->parting.known && behind ? 1 : 0;
    return !over[wanted] ? wanted : !over[!wanted] ? !wanted : 2;
}

static bool settle_cost(struct sw_apart *apart, enum sw_apart_cost_kind kind, unsigned which) {
    apart->costs[0].kind = kind;
    apart->costs[0].which = which;
    apart->answered = apart->cost_count;
    return true;
}

static bool go_on(struct sw_apart *apart, uint64_t work, struct sw_error *error) {
    unsigned i = next_run(apart);
    if (i == 2) {
        for (unsigned k = 0; k < 2; k++) {
            if (sw_search_failed(apart->runs[k], NULL)) {
                return settle_cost(apart, SW_APART_COST_NO_PLAN, k);
            }
            if (sw_search_at(apart->runs[k]) < sw_search_known(apart->runs[k]) &&
                !sw_search_seek(apart->runs[k], sw_search_known(apart->runs[k]), error)) {
                return false;
            }
        }
        return sw_apart_weigh(apart, error);
    }
    uint64_t spent = sw_search_work(apart->runs[i]) - apart->begun[i], left = END_WORK > spent ? END_WORK - spent : 0;
    if (left == 0) {
        apart->parting.given_up |= !apart->parting.known;
        return settle_cost(apart, SW_APART_COST_NO_END, i) &&
               (apart->parting.known || settle_parting(apart, SW_APART_NOT, error));
    }
    return run_on(apart->runs[i], SW_MIN(work, left), error);
}

bool sw_apart_busy(const struct sw_apart *apart) {
    return apart->answered < apart->cost_count;
}

bool sw_apart_work(struct sw_apart *apart, uint64_t work, struct sw_error *error) {
    enum { COMPARED_SLICE = 20000 }; /* runs part soon as a rule, and their journals take memory until then */
    bool good = true;
    for (uint64_t done = 0; good && !apart->parting.known && done < work; done += COMPARED_SLICE) {
        good = compare_known(apart, error) && (apart->parting.known || go_on(apart, COMPARED_SLICE, error));
    }
    if (good && apart->parting.known && sw_apart_busy(apart)) {
        good = apart->weighed ? sw_apart_try(apart, work, error) : go_on(apart, work, error);
    }
    return good && sw_apart_busy(apart);
}
