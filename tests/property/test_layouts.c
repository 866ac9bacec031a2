/* Every complete layout of every planner is legal, by the engine's check and by the oracle, and no
 * peak is below the bound. Also with pins, and with a finished plan. */
#include "share.h"
#include "model.h"
#include "faults.h"

#include <stdio.h>
#include <string.h>

enum { PROBLEMS = 1200 };

static uint64_t runs, layouts, overflows, stuck, granted_pairs, refused_pairs;

struct tally {
    size_t capacity, others;
    struct sw_fault other;
};

static void count_fault(void *context, const struct sw_fault *fault) {
    struct tally *tally = context;
    if (fault->kind == SW_FAULT_CAPACITY) {
        tally->capacity++;
    } else {
        tally->others++;
        tally->other = *fault;
    }
}

/* What a layout's permits say must be so. */
static void check_permits(const struct model *m, const char *planner, const struct sw_layout *layout,
                          const struct model_layout *l) {
    for (size_t i = 0; i < sw_layout_permit_count(layout); i++) {
        struct sw_permit p = sw_layout_permit_get(layout, i);
        uint64_t fresh = l->offset[p.fresh], old = l->offset[p.old];
        bool meet = m->overwrites ? fresh < old + m->buffers[p.old].size && old < fresh + m->buffers[p.fresh].size
                                  : fresh == old;
        check_that(l->tier[p.fresh] == l->tier[p.old] && meet, m, planner,
                   "a permit speaks of b%u and b%u, which do not lie over each other", p.fresh, p.old);
        for (size_t k = 0; k < i; k++) {
            struct sw_permit q = sw_layout_permit_get(layout, k);
            check_that(p.fresh != q.fresh || p.old != q.old, m, planner, "a permit is recorded twice");
        }
    }
}

static void check_layout(const struct model *m, const char *planner, const struct sw_search *search) {
    const struct sw_layout *layout = sw_search_layout(search);
    const struct sw_problem *problem = sw_search_problem(search);
    struct model_layout l;
    struct sw_metrics metrics;
    struct tally tally = {0};
    char text[200] = "";
    model_layout_of(&l, layout);
    sw_metrics_of(layout, &metrics);
    check_that(metrics.complete, m, planner, "the run is done and not complete");
    layouts++;
    overflows += !metrics.fits;
    check_that(oracle_check(m, &l, !metrics.fits, text, sizeof text), m, planner, "%s", text);
    sw_search_faults(search, NULL, count_fault, &tally);
    if (tally.others > 0) {
        sw_fault_describe(problem, &tally.other, text, sizeof text);
    }
    check_that(tally.others == 0, m, planner, "the engine's check disagrees: %s", text);
    /* These, alone or as auto's winner, may reserve more than their blocks reach. */
    bool reserves = strcmp(planner, "lifetime-best-fit") == 0 || strcmp(planner, "auto") == 0 ||
                    strcmp(planner, "tflm-greedy") == 0 || strcmp(planner, "token-sharing") == 0 ||
                    sw_search_planner(search)->reserves;
    check_that(tally.capacity == 0 ? metrics.fits || reserves : !metrics.fits || reserves, m, planner,
               "%zu blocks above the capacity, and fits is %d", tally.capacity, metrics.fits);
    check_permits(m, planner, layout, &l);
    uint64_t sum = 0;
    for (int t = 0; t < m->tier_count; t++) {
        sum += sw_layout_arena(layout, (uint32_t)t);
    }
    check_that(sum >= sw_problem_lower_bound(problem) || strcmp(planner, "tier-search") == 0, m, planner,
               "%llu bytes in all, below the bound %llu", (unsigned long long)sum,
               (unsigned long long)sw_problem_lower_bound(problem));
    problem = sw_problem_origin(problem);
    check_that(m->inplace_safe || m->cores > 1 || sw_problem_lower_bound(problem) == oracle_live(m), m, planner,
               "the bound is %llu, not %llu", (unsigned long long)sw_problem_lower_bound(problem),
               (unsigned long long)oracle_live(m));
}

/* What is placed and alive at the time of a decision. */
static uint64_t live_after(const struct sw_problem *problem, const bool *placed, uint32_t time) {
    uint64_t live = 0;
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, i);
        live += placed[i] ? sw_buffer_live_bytes(b, time) : 0;
    }
    return live;
}

/* Decisions add up: each buffer is placed once, and `live` is what is placed and alive. */
static void check_journal(const struct model *m, const char *planner, const struct sw_search *search) {
    int placed[MAX_BUFFERS] = {0}, wanted = 0;
    bool there[MAX_BUFFERS] = {false}, portfolio = strcmp(planner, "auto") == 0 || sw_search_planner(search)->reorders;
    bool decodes = false; /* whole layouts at a time */
    uint32_t group = 0;
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        bool places = d->kind == SW_DECISION_PLACE || d->kind == SW_DECISION_GROW || d->kind == SW_DECISION_APPEND ||
                      d->kind == SW_DECISION_PRECONF || (d->kind >= SW_DECISION_REUSE && d->kind <= SW_DECISION_NEW);
        places = places || d->kind == SW_DECISION_FIND || d->kind == SW_DECISION_NOTHING ||
                 d->kind == SW_DECISION_TAKE_OVER || (d->kind == SW_DECISION_GET && d->get.placed);
        check_that(d->step == i && d->reason && d->reason[0], m, planner, "decision %llu is odd",
                   (unsigned long long)i);
        placed[places ? d->buffer : 0] += places;
        decodes |= d->kind == SW_DECISION_DECODE;
        if (portfolio && d->group != group) {
            memset(there, 0, sizeof there); /* another member begins with nothing */
            group = d->group;
        }
        there[places ? d->buffer : 0] |= places;
        uint64_t live = d->time == SW_NONE ? 0 : live_after(sw_search_problem(search), there, d->time);
        check_that(d->live == live, m, planner, "decision %llu: %llu bytes alive, not %llu", (unsigned long long)i,
                   (unsigned long long)live, (unsigned long long)d->live);
    }
    for (int i = 0; i < m->buffer_count && !portfolio && !decodes; i++) {
        wanted = m->buffers[i].planned;
        check_that(placed[i] == wanted, m, planner, "b%d was placed %d times", i, placed[i]);
    }
}

static void try_planner(const struct model *m, const struct sw_problem *problem, const struct sw_planner *planner,
                        struct sw_search **keep) {
    struct model judged = *m;
    judged.overwrites = strcmp(planner->name, "tier-search") == 0 || strcmp(planner->name, "token-sharing") == 0;
    struct sw_error error = {0};
    if (moves_buffers(planner) || !model_applies(planner, problem)) {
        return;
    }
    struct sw_params brief = short_run(planner);
    struct sw_search *search = sw_search_new(problem, planner, &brief, &error);
    sw_params_done(&brief);
    check_that(search != NULL, m, planner->name, "%s", error.message);
    enum sw_step result = sw_search_run(search, 0, NULL, NULL, &error);
    runs++;
    if (planner->reorders) {
        model_in_order(&judged, sw_search_problem(search));
    }
    if (result == SW_STEP_DONE) {
        check_layout(&judged, planner->name, search);
        if (strcmp(planner->name, "branch-and-bound") != 0) { /* that one goes back: test_exact */
            check_journal(m, planner->name, search);
        }
    } else if ((judged.overwrites || planner->reserves || planner->reorders) && error.code == SW_ERROR_INFEASIBLE) {
        stuck++; /* tier-search ends where its rules find no room, an allocator out of memory; in another order pins may
                    collide */
    } else {
        /* All pins come from one layout, so all can be kept; and without a limit there is room. */
        check_that(false, m, planner->name, "%s", error.message);
    }
    if (keep && result == SW_STEP_DONE) {
        *keep = search;
    } else {
        sw_search_free(search);
    }
}

static void try_all(const struct model *m, const struct sw_problem *problem) {
    for (size_t i = 0; i < sw_planner_count(); i++) {
        try_planner(m, problem, sw_planner_get(i), NULL);
    }
}

/* Those that leave too many blocks to another method say so, end with a layout, and with none worse
 * than that of a greedy planner; stopped anywhere, with what they had. */
static void try_oversize(const struct model *m, const struct sw_problem *problem, const char *name) {
    static const char *const greedy[] = {"greedy-by-size", "greedy-by-breadth", "best-fit", "first-fit",
                                         "lifetime-best-fit"};
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    struct sw_claims claims;
    const struct sw_planner *planner = sw_planner_find(name, NULL);
    if (!model_applies(planner, problem)) {
        return;
    }
    sw_params_set(&params, "largest", "0", NULL);
    params.work = 200000;
    struct sw_search *search = sw_search_new(problem, planner, &params, &error);
    check_that(search != NULL, m, name, "%s", error.message);
    enum sw_step result = sw_search_run(search, 0, NULL, NULL, &error);
    check_that(result == SW_STEP_DONE, m, name, "%s", error.message);
    check_that(sw_search_journal(search, 1)->kind == SW_DECISION_DEFER, m, name, "it does not say what it does");
    const struct sw_decision *last = sw_search_decision(search);
    check_that(last->kind == SW_DECISION_FINISH && strstr(last->reason, "too many"), m, name,
               "the last decision says '%s'", last->reason);
    sw_search_claims(search, &claims);
    check_that(claims.instead != NULL, m, name, "it does not claim to have done something else");
    check_layout(m, name, search);
    uint64_t peak = sw_layout_peak(sw_search_layout(search));
    bool one = sw_problem_tier_count(problem) == 1 && sw_problem_tier(problem, 0)->capacity == SW_UNBOUNDED;
    for (size_t i = 0; one && i < sizeof greedy / sizeof greedy[0]; i++) {
        struct sw_search *other = sw_search_new(problem, sw_planner_find(greedy[i], NULL), NULL, NULL);
        if (other && sw_search_run(other, 0, NULL, NULL, NULL) == SW_STEP_DONE) {
            uint64_t theirs = sw_layout_peak(sw_search_layout(other));
            check_that(peak <= theirs, m, name, "%llu, and %s needs %llu", (unsigned long long)peak, greedy[i],
                       (unsigned long long)theirs);
        }
        sw_search_free(other);
    }
    /* Once there is a whole layout, there is one wherever it stops. */
    uint64_t end = sw_search_known(search), deferred = 0;
    for (uint64_t at = end; at > 0 && end < 400 && m->seed % 4 == 0; at--) {
        check_that(sw_search_seek(search, at, &error) && sw_search_settle(search, &error), m, name,
                   "stopped at %llu: %s", (unsigned long long)at, error.message);
        bool whole = sw_layout_placed_count(sw_search_layout(search)) == sw_problem_planned_count(problem);
        check_that(!whole || deferred == 0, m, name, "stopped at %llu it has a layout, later none",
                   (unsigned long long)at);
        deferred += !whole;
    }
    runs++;
    sw_search_free(search);
    sw_params_done(&params);
}

/* The layout of a planner, given back as the plan of a file. */
static void try_plan(struct model *m, const struct sw_search *search) {
    struct model_layout l;
    model_layout_of(&l, sw_search_layout(search));
    for (int i = 0; i < m->buffer_count; i++) {
        m->buffers[i].tier = m->buffers[i].planned ? (int)l.tier[i] : -1;
    }
    struct sw_problem *problem = model_build(m, l.offset);
    const struct sw_planner *planner = sw_planner_find("as-built", NULL);
    struct sw_search *again = NULL;
    check_that(model_applies(planner, problem), m, "as-built", "it does not apply");
    try_planner(m, problem, planner, &again);
    struct model_layout back;
    model_layout_of(&back, sw_search_layout(again));
    for (int i = 0; i < m->buffer_count; i++) {
        check_that(l.tier[i] == back.tier[i] && l.offset[i] == back.offset[i], m, "as-built",
                   "b%d is not where the plan says", i);
    }
    sw_search_free(again);
    sw_problem_unref(problem);
}

/* ---- overwrites that are not listed ---- */

struct overlaps {
    bool told[MAX_BUFFERS][MAX_BUFFERS];
};

static void note_overlap(void *context, const struct sw_fault *fault) {
    struct overlaps *overlaps = context;
    if (fault->kind == SW_FAULT_OVERLAP) {
        overlaps->told[fault->buffer][fault->other] = true;
    }
}

struct granted {
    size_t count;
};

static void note_granted(void *context, const struct sw_permit *permit) {
    struct granted *granted = context;
    (void)permit;
    granted->count++;
}

/* A layout in which many blocks lie over others: what the check grants without a list is what the
 * oracle grants by rule R6, pair by pair. */
static void try_grants(const struct model *m, const struct sw_search *search) {
    struct model judged = *m;
    struct model_layout l;
    struct overlaps strict = {0}, granting = {0};
    const struct sw_problem *problem = sw_search_problem(search);
    struct sw_layout *layout = sw_layout_new(problem, NULL);
    uint64_t r = m->seed * 7368787 + 3;
    struct granted granted = {0};
    judged.overwrites = true;
    model_layout_of(&l, sw_search_layout(search));
    for (int i = 0; i < m->buffer_count; i++) {
        int other = (int)sw_random_below(&r, (uint64_t)m->buffer_count);
        if (m->buffers[i].planned && m->buffers[other].planned && sw_random_below(&r, 2)) {
            l.tier[i] = l.tier[other];
            l.offset[i] = l.offset[other] + sw_random_below(&r, 2);
        }
        check_that(!m->buffers[i].planned || sw_layout_place(layout, (uint32_t)i, l.tier[i], l.offset[i]), m,
                   "(grants)", "no memory");
    }
    sw_fault_count(layout, note_overlap, &strict);
    sw_fault_count_assuming(layout, NULL, note_overlap, &granting);
    sw_fault_count_assuming(layout, note_granted, NULL, &granted);
    for (int a = 0; a < m->buffer_count; a++) {
        for (int b = a + 1; b < m->buffer_count; b++) {
            if (!m->buffers[a].planned || !m->buffers[b].planned) {
                continue;
            }
            bool legal = oracle_pair(&judged, &l, a, b);
            check_that(granting.told[a][b] == !legal, m, "(grants)", "b%d over b%d is %s, and the check says otherwise",
                       a, b, legal ? "legal" : "a fault");
            check_that(!granting.told[a][b] || strict.told[a][b], m, "(grants)",
                       "b%d over b%d is a fault only under the assumption", a, b);
            bool taken = strict.told[a][b] && !granting.told[a][b];
            granted.count -= taken;
            granted_pairs += taken;
            refused_pairs += granting.told[a][b];
        }
    }
    check_that(granted.count == 0, m, "(grants)", "the number of overwrites is off by %zu", granted.count);
    sw_layout_free(layout);
}

static void try_seed(uint64_t seed, uint64_t i) {
    struct model m;
    struct sw_search *search = NULL;
    model_draw(&m, seed);
    struct sw_problem *problem = model_build(&m, NULL);
    try_all(&m, problem);
    try_oversize(&m, problem, i % 2 ? "order-genetic" : "branch-and-bound");
    try_planner(&m, problem, sw_planner_find(i % 2 ? "greedy-by-size" : "best-fit", NULL), &search);
    sw_problem_unref(problem);
    if (search) {
        struct model pinned = m;
        model_pin_some(&pinned, sw_search_layout(search));
        problem = model_build(&pinned, NULL);
        try_all(&pinned, problem);
        sw_problem_unref(problem);
        try_plan(&m, search);
        try_grants(&m, search);
    }
    sw_search_free(search);
}

/* Problems that a planner once failed on. */
static const uint64_t once_failed[] = {23069};

int main(void) {
    uint64_t seed = base_seed();
    for (size_t i = 0; i < sizeof once_failed / sizeof once_failed[0]; i++) {
        try_seed(once_failed[i], 0);
        try_seed(once_failed[i], 1);
    }
    for (uint64_t i = first_case(PROBLEMS), i_end = i + cases(PROBLEMS); i < i_end; i++) {
        try_seed(seed + i, i);
    }
    printf("%llu runs, %llu layouts, %llu above a capacity, %llu without room; "
           "unlisted: %llu overwrites, %llu faults; from seed %llu\n",
           (unsigned long long)runs, (unsigned long long)layouts, (unsigned long long)overflows,
           (unsigned long long)stuck, (unsigned long long)granted_pairs, (unsigned long long)refused_pairs,
           (unsigned long long)seed);
    return 0;
}
