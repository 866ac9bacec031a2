/* The history of a search, for every planner on random problems:
 *
 * - the digest after seek(n), in any order of n and with hardly any checkpoints, is that of a fresh
 * run to n;
 * - asking for an explanation does not move the search, and the chosen candidate is the decision;
 * - a fork goes its own way;
 * - a recipe with random demands, carried out again, gives the same digests, and its layout is
 * legal and obeys them: pins, ranges forbidden to one, and to all that had no place yet.
 *
 * Also for planners that cannot be cloned. */
#include "share.h"
#include "model.h"
#include "faults.h"
#include "base/described.h"
#include "planners/planner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 260, SELDOM = 1500, TIGHT = 400, MAX_STEPS = 2000, SEEKS = 10, EXPLANATIONS = 5, DEMANDS = 5 };

static uint64_t tight_failed, steps_walked, demands_made, demands_refused, runs_failed, repetitions;
/* What was demanded of each planner of the table, by kind; a range forbidden to all is a kind. */
enum { MOST_PLANNERS = 32, KINDS = 4 };
static uint64_t made[MOST_PLANNERS][KINDS], refused[MOST_PLANNERS][KINDS];
static bool from_the_start; /* every other demand comes before the first decision */
static uint64_t pins_obeyed, ranges_obeyed, newcomers;

/* The digests of a run, step by step, from the present to the end. */
struct record {
    uint64_t count; /* steps; digest[count] is the end */
    uint64_t digest[MAX_STEPS + 1];
    enum sw_step end;
    struct sw_error error;
};

static void walk(const struct model *m, struct sw_search *search, struct record *record) {
    const char *name = sw_search_planner(search)->name;
    record->count = sw_search_at(search);
    record->digest[record->count] = sw_search_digest(search);
    record->error = (struct sw_error){0};
    while ((record->end = sw_search_step(search, &record->error)) == SW_STEP_MORE) {
        check_that(record->count < MAX_STEPS, m, name, "the run does not end");
        record->digest[++record->count] = sw_search_digest(search);
        steps_walked++;
    }
    /* Also after a choice that cannot be obeyed, which is no end: the run stands where it stood. */
    check_that(sw_search_digest(search) == record->digest[record->count], m, name,
               "finding the end changed the digest");
    runs_failed += record->end == SW_STEP_FAILED;
}

/* ---- there and back ---- */

static void seek_around(const struct model *m, struct sw_search *search, uint64_t from, const struct record *record,
                        uint64_t *r) {
    const char *name = sw_search_planner(search)->name;
    for (int i = 0; i < SEEKS; i++) {
        uint64_t to = from + sw_random_below(r, record->count - from + 1);
        if (i >= SEEKS / 2 && to > 0) { /* and step by step backwards */
            to = sw_search_at(search) > from ? sw_search_at(search) - 1 : record->count;
        }
        struct sw_error error = {0};
        check_that(sw_search_seek(search, to, &error), m, name, "seek: %s", error.message);
        check_that(sw_search_at(search) == to, m, name, "seek to %llu came to %llu", (unsigned long long)to,
                   (unsigned long long)sw_search_at(search));
        check_that(sw_search_digest(search) == record->digest[to], m, name,
                   "the digest after seek(%llu) is not that of a fresh run", (unsigned long long)to);
    }
}

/* To the end again, which is the same one: what was done to find it, and finding it twice, leaves no trace. */
static void walk_on(const struct model *m, struct sw_search *search, const struct record *record) {
    const char *name = sw_search_planner(search)->name;
    for (int twice = 0; twice < 2; twice++) {
        struct sw_error error = {0};
        enum sw_step step;
        while ((step = sw_search_step(search, &error)) == SW_STEP_MORE) {
        }
        check_that(step == record->end && strcmp(error.message, record->error.message) == 0, m, name,
                   "another end: '%s', not '%s'", error.message, record->error.message);
        check_that(sw_search_at(search) == record->count && sw_search_digest(search) == record->digest[record->count],
                   m, name, "the end is another one when one comes back to it");
    }
}

/* ---- explanations ---- */

static void compare_chosen(const struct model *m, const char *name, const struct sw_explanation *e, uint64_t step) {
    const struct sw_decision *d = &e->decision;
    size_t chosen = 0;
    for (size_t i = 0; i < e->candidates.count; i++) {
        const struct sw_candidate *c = &e->candidates.items[i];
        check_that(c->reason[0] != '\0', m, name, "a candidate without a reason");
        if (c->verdict == SW_VERDICT_CHOSEN) {
            chosen++;
            check_that(d->buffer == SW_NONE || (c->tier == d->tier && c->offset == d->offset), m, name,
                       "decision %llu: the chosen candidate is not the decision", (unsigned long long)step);
        }
    }
    bool places = d->kind == SW_DECISION_PLACE || d->kind == SW_DECISION_GROW || d->kind == SW_DECISION_APPEND ||
                  d->kind == SW_DECISION_PRECONF || (d->kind >= SW_DECISION_REUSE && d->kind <= SW_DECISION_NEW);
    check_that(!places || (chosen == 1 && e->candidates.count == d->candidates), m, name,
               "decision %llu: %zu chosen of %zu explained and %u counted", (unsigned long long)step, chosen,
               e->candidates.count, d->candidates);
    bool moves = d->kind == SW_DECISION_GROW || d->kind == SW_DECISION_ENLARGE || d->kind == SW_DECISION_REQUEST ||
                 d->kind == SW_DECISION_REUSE || d->kind == SW_DECISION_SHARE;
    check_that(moves || e->moved.count == 0, m, name, "decision %llu moved blocks and is no grow",
               (unsigned long long)step);
}

static void explain_some(const struct model *m, const struct sw_search *search, uint64_t *r) {
    const char *name = sw_search_planner(search)->name;
    struct sw_explanation e = {0};
    uint64_t digest = sw_search_digest(search), at = sw_search_at(search);
    for (int i = 0; i < EXPLANATIONS && sw_search_known(search) > 0; i++) {
        uint64_t step = 1 + sw_random_below(r, sw_search_known(search));
        struct sw_error error = {0};
        check_that(sw_search_explain(search, step, &e, &error), m, name, "explain: %s", error.message);
        const struct sw_decision *d = sw_search_journal(search, step);
        check_that(d->kind == e.decision.kind && d->buffer == e.decision.buffer && d->offset == e.decision.offset &&
                       d->tier == e.decision.tier && d->peak == e.decision.peak && d->live == e.decision.live &&
                       d->reason == e.decision.reason,
                   m, name, "decision %llu is another one when explained", (unsigned long long)step);
        compare_chosen(m, name, &e, step);
        check_that(sw_search_digest(search) == digest && sw_search_at(search) == at, m, name,
                   "explaining moved the search");
    }
    sw_explanation_done(&e);
}

/* A run that is explained all the way is the same run, and costs the same. */
static void explain_all(const struct model *m, struct sw_search *search, const struct record *record, uint64_t work) {
    const char *name = sw_search_planner(search)->name;
    struct sw_explanation e = {0};
    struct sw_error error = {0};
    while (sw_search_step_explained(search, &e, &error) == SW_STEP_MORE) {
        uint64_t at = sw_search_at(search);
        check_that(at <= record->count && sw_search_digest(search) == record->digest[at], m, name,
                   "explained, decision %llu leads elsewhere", (unsigned long long)at);
    }
    check_that(sw_search_at(search) == record->count, m, name, "explained, the run ends elsewhere");
    check_that(sw_search_work(search) == work, m, name, "explained, the run costs %llu, not %llu",
               (unsigned long long)sw_search_work(search), (unsigned long long)work);
    sw_explanation_done(&e);
}

/* ---- demands ---- */

static struct sw_override draw_demand(const struct model *m, const struct sw_problem *problem, uint64_t *r) {
    uint32_t buffer = (uint32_t)sw_random_below(r, sw_problem_buffer_count(problem));
    uint32_t tier = (uint32_t)sw_random_below(r, (uint64_t)m->tier_count);
    uint64_t alignment = sw_problem_buffer(problem, buffer)->alignment;
    uint64_t lo = sw_random_below(r, 120);
    switch (sw_random_below(r, 3)) {
    case 0:
        return (struct sw_override){
            .kind = SW_OVERRIDE_PIN, .buffer = buffer, .tier = tier, .offset = sw_random_below(r, 30) * alignment * 4};
    case 1:
        return (struct sw_override){.kind = SW_OVERRIDE_FORBID,
                                    .buffer = sw_random_below(r, 3) ? buffer : SW_NONE,
                                    .tier = tier,
                                    .lo = lo,
                                    .hi = lo + 1 + sw_random_below(r, 60)};
    default:
        return (struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = (uint32_t)sw_random_below(r, 4)};
    }
}

static void count_demand(const struct sw_search *search, const struct sw_override *o, bool obeyed) {
    const char *name = sw_search_planner(search)->name;
    int kind = o->kind == SW_OVERRIDE_FORBID && o->buffer == SW_NONE ? 3 : (int)o->kind;
    for (size_t i = 0; i < sw_planner_count() && i < MOST_PLANNERS; i++) {
        if (strcmp(sw_planner_get(i)->name, name) == 0) {
            (obeyed ? made : refused)[i][kind]++;
        }
    }
    demands_made += obeyed;
    demands_refused += !obeyed;
}

/* Go somewhere, demand something, and so on; at last to the end. Going back keeps the demands made
 * before the place one goes back to. */
static void demand_at_random(const struct model *m, struct sw_search *search, uint64_t *r) {
    const char *name = sw_search_planner(search)->name;
    for (int i = 0; i < DEMANDS; i++) {
        bool start = from_the_start && sw_random_below(r, 2);
        uint64_t to = start ? 0 : sw_random_below(r, sw_search_known(search) + 3);
        struct sw_error error = {0};
        if (!sw_search_seek(search, to, &error)) {
            check_that(error.code == SW_ERROR_UNSUPPORTED, m, name, "seek: %s", error.message);
            continue; /* a choice made worthless by a later demand at the same step */
        }
        struct sw_override demand = draw_demand(m, sw_search_problem(search), r);
        uint64_t digest = sw_search_digest(search);
        if (sw_search_force(search, &demand, &error)) {
            count_demand(search, &demand, true);
        } else {
            count_demand(search, &demand, false);
            check_that(strlen(error.message) > 15 && strchr(error.message, ' '), m, name,
                       "refused without a reason: '%s'", error.message);
            check_that(sw_search_digest(search) == digest, m, name, "a refused demand changed the state: %s",
                       error.message);
        }
    }
}

static void check_obeyed(const struct model *m, const struct sw_search *search) {
    const char *name = sw_search_planner(search)->name;
    const struct sw_rules *rules = sw_search_rules(search);
    struct model_layout l;
    struct sw_metrics metrics;
    char text[200];
    model_layout_of(&l, sw_search_layout(search));
    sw_metrics_of(sw_search_layout(search), &metrics);
    struct model judged = *m;
    judged.overwrites = strcmp(name, "tier-search") == 0 || strcmp(name, "token-sharing") == 0;
    if (sw_search_planner(search)->reorders) {
        model_in_order(&judged, sw_search_problem(search));
    }
    for (size_t i = 0; i < rules->pins.count; i++) {
        const struct sw_pin *pin = &rules->pins.items[i];
        struct model_buffer *b = &judged.buffers[pin->buffer];
        b->pinned = true; /* the user's pin is stronger than the file's */
        b->tier = (int)pin->tier;
        b->offset = pin->offset;
    }
    check_that(oracle_check(&judged, &l, !metrics.fits, text, sizeof text), m, name, "after demands: %s", text);
}

/* No placement of a buffer touches a range. */
static void check_avoids(const struct model *m, const struct sw_search *search, uint32_t buffer,
                         const struct sw_override *o) {
    struct sw_placement p;
    uint64_t size = m->buffers[buffer].size;
    for (uint32_t k = 0; sw_layout_placement(sw_search_layout(search), buffer, k, &p); k++) {
        check_that(size == 0 || p.tier != o->tier || p.offset + size <= o->lo || o->hi <= p.offset, m,
                   sw_search_planner(search)->name, "b%u at %llu lies in the range %llu..%llu forbidden to %s", buffer,
                   (unsigned long long)p.offset, (unsigned long long)o->lo, (unsigned long long)o->hi,
                   o->buffer == SW_NONE ? "all" : "it");
    }
}

/* What was forbidden to all holds for those that had no place yet. */
static void check_newcomers(const struct model *m, const struct sw_search *search,
                            const struct sw_recipe_entry *entry) {
    struct sw_search *then = sw_search_fork(search, NULL);
    check_that(then && sw_search_seek(then, entry->step, NULL), m, sw_search_planner(search)->name,
               "no way back to a demand");
    for (int b = 0; b < m->buffer_count; b++) {
        if (!sw_layout_placed(sw_search_layout(then), (uint32_t)b)) {
            check_avoids(m, search, (uint32_t)b, &entry->override);
            newcomers++;
        }
    }
    sw_search_free(then);
}

/* Pins and forbidden ranges, whatever else the layout is. */
static void check_demands(const struct model *m, const struct sw_search *search) {
    const char *name = sw_search_planner(search)->name;
    const struct sw_rules *rules = sw_search_rules(search);
    struct sw_placement p;
    size_t count;
    const struct sw_recipe_entry *recipe = sw_search_recipe(search, &count);
    for (size_t i = 0; i < rules->pins.count; i++) {
        const struct sw_pin *pin = &rules->pins.items[i];
        for (uint32_t k = 0; sw_layout_placement(sw_search_layout(search), pin->buffer, k, &p); k++) {
            check_that(p.tier == pin->tier && p.offset == pin->offset, m, name, "b%u is not where it was pinned",
                       pin->buffer);
        }
        pins_obeyed++;
    }
    for (size_t i = 0; i < count; i++) {
        const struct sw_override *o = &recipe[i].override;
        if (o->kind == SW_OVERRIDE_FORBID && o->buffer == SW_NONE) {
            check_newcomers(m, search, &recipe[i]);
        } else if (o->kind == SW_OVERRIDE_FORBID) {
            check_avoids(m, search, o->buffer, o);
            ranges_obeyed++;
        }
    }
}

static void count_faults(void *context, const struct sw_fault *fault) {
    *(size_t *)context += fault->kind != SW_FAULT_CAPACITY;
}

/* Layouts that the oracle does not know, with moves in mid-life, are judged by the engine's check.
 */
static void check_moves(const struct model *m, const struct sw_search *search) {
    size_t faults = 0;
    if (strcmp(sw_search_planner(search)->name, "segment-genetic") == 0) {
        sw_search_faults(search, NULL, count_faults, &faults);
        check_that(faults == 0, m, "segment-genetic", "%zu faults after demands", faults);
    }
}

/* The repetition of auto's winner needs what the winner needed, unless it was changed on the way.
 */
static void check_repetition(const struct model *m, const struct sw_search *search) {
    const char *name = sw_search_planner(search)->name;
    const struct sw_decision *best = NULL, *end = NULL, *lowered = NULL;
    if (strncmp(name, "auto", 4) != 0) {
        return;
    }
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        if (d->kind == SW_DECISION_EVALUATE &&
            (strstr(reason_of(d), " is the best so far") || strstr(reason_of(d), "lower bound"))) {
            best = d;
        }
        end = d->kind == SW_DECISION_FINISH ? d : end;
        lowered = d->kind == SW_DECISION_INCUMBENT ? d : lowered;
    }
    if (end && !strstr(reason_of(end), "changed")) {
        repetitions += end->group != best->group;
        /* Improved, or given back what lifetime-best-fit reserves and does not use: less. */
        bool less = lowered || strstr(reason_of(end), "lifetime-best-fit");
        check_that(less ? sw_decision_amount(end) <= sw_decision_amount(best)
                        : sw_decision_amount(end) == sw_decision_amount(best),
                   m, name, "the winner needed %llu, repeated %llu", (unsigned long long)sw_decision_amount(best),
                   (unsigned long long)sw_decision_amount(end));
    }
}

/* Carry out a recipe from the start. */
static struct sw_search *replay(const struct model *m, const struct sw_search *search) {
    const char *name = sw_search_planner(search)->name;
    struct sw_error error = {0};
    struct sw_search *again =
        sw_search_new(sw_search_given(search), sw_search_planner(search), sw_search_params(search), &error);
    check_that(again != NULL, m, name, "%s", error.message);
    size_t count;
    const struct sw_recipe_entry *recipe = sw_search_recipe(search, &count);
    for (size_t i = 0; i < count; i++) {
        check_that(sw_search_seek(again, recipe[i].step, &error) && sw_search_at(again) == recipe[i].step &&
                       sw_search_force(again, &recipe[i].override, &error),
                   m, name, "entry %zu of the recipe is refused: %s", i, error.message);
    }
    return again;
}

static void make_demands(const struct model *m, const struct sw_search *origin, uint64_t *r, bool legal) {
    static struct record record, again;
    const char *name = sw_search_planner(origin)->name;
    struct sw_search *fork = sw_search_fork(origin, NULL);
    check_that(fork != NULL, m, name, "no fork");
    uint64_t digest = sw_search_digest(origin);
    demand_at_random(m, fork, r);
    size_t count;
    sw_search_recipe(fork, &count);
    struct sw_search *second = replay(m, fork);
    /* Both from the last demand on, then from the start. */
    struct sw_error error = {0};
    if (!sw_search_seek(fork, sw_search_at(second), &error)) {
        check_that(error.code == SW_ERROR_UNSUPPORTED, m, name, "seek: %s", error.message);
    }
    walk(m, fork, &record);
    walk(m, second, &again);
    check_that(record.count == again.count && record.end == again.end &&
                   record.digest[record.count] == again.digest[again.count] &&
                   strcmp(record.error.message, again.error.message) == 0,
               m, name, "a recipe of %zu demands gives another run: '%s' '%s'", count, record.error.message,
               again.error.message);
    if (record.end == SW_STEP_DONE) {
        if (legal) {
            check_obeyed(m, fork);
        }
        check_demands(m, fork);
        check_moves(m, fork);
        check_repetition(m, fork);
        sw_search_seek(second, 0, NULL);
        sw_search_seek(fork, 0, NULL);
        walk(m, second, &again);
        seek_around(m, fork, 0, &again, r);
        explain_some(m, fork, r);
    }
    check_that(sw_search_digest(origin) == digest, m, name, "the fork moved its origin");
    sw_search_free(second);
    sw_search_free(fork);
}

/* ---- all of it ---- */

static void try_history(const struct model *m, const struct sw_problem *problem, const struct sw_planner *planner,
                        const struct sw_params *params, bool legal) {
    static struct record record;
    struct sw_error error = {0};
    uint64_t r = m->seed * 1299709 + 11;
    if (!model_applies(planner, problem)) {
        return;
    }
    struct sw_search *fresh = sw_search_new(problem, planner, params, &error);
    check_that(fresh != NULL, m, planner->name, "%s", error.message);
    walk(m, fresh, &record);
    uint64_t work = sw_search_work(fresh);
    sw_search_free(fresh);
    fresh = sw_search_new(problem, planner, params, &error);
    check_that(fresh != NULL, m, planner->name, "%s", error.message);
    explain_all(m, fresh, &record, work);
    sw_search_free(fresh);

    struct sw_search *search = sw_search_new(problem, planner, params, &error);
    check_that(search != NULL, m, planner->name, "%s", error.message);
    sw_search_budget(search, 4000 + sw_random_below(&r, 20000), 1 + sw_random_below(&r, 100));
    seek_around(m, search, 0, &record, &r);
    explain_some(m, search, &r);
    struct sw_search *fork = sw_search_fork(search, &error);
    check_that(fork != NULL, m, planner->name, "fork: %s", error.message);
    seek_around(m, fork, 0, &record, &r);
    sw_search_free(fork);
    make_demands(m, search, &r, legal);
    seek_around(m, search, 0, &record, &r);
    sw_search_free(search);
}

static void try_all(const struct model *m, const struct sw_problem *problem) {
    static struct sw_planner bare_fit, bare_auto;
    static struct sw_described fit_once, auto_once;
    bare_fit = *sw_planner_find("lifetime-best-fit", NULL);
    bare_auto = *sw_planner_find("auto", NULL);
    bare_fit.name = "lifetime-best-fit that is copied never";
    bare_auto.name = "auto that is copied never";
    fit_once = *bare_fit.described;
    auto_once = *bare_auto.described;
    fit_once.once = auto_once.once = true;
    bare_fit.described = &fit_once;
    bare_auto.described = &auto_once;
    for (size_t i = 0; i < sw_planner_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        struct sw_params brief = short_run(planner);
        try_history(m, problem, planner, &brief, strcmp(planner->name, "as-built") != 0 && !moves_buffers(planner));
        sw_params_done(&brief);
    }
    try_history(m, problem, &bare_fit, NULL, true);
    struct sw_params params = SW_PARAMS_DEFAULT;
    params.work = 1 + m->seed % 400;
    try_history(m, problem, m->seed % 2 ? &bare_auto : sw_planner_find("auto", NULL), &params, true);
    params.work = 0;
    sw_params_set(&params, "keep_outputs", "false", NULL);
    try_history(m, problem, sw_planner_find("lifetime-best-fit", NULL), &params, false);
    sw_params_done(&params);
}

/* Those that leave too many blocks to another method, as if any were too many. */
static void try_oversize(const struct model *m, const struct sw_problem *problem) {
    static const char *const names[] = {"branch-and-bound", "order-genetic"};
    struct sw_params params = SW_PARAMS_DEFAULT;
    params.work = 1 + m->seed % 4000;
    check_that(sw_params_set(&params, "largest", "0", NULL), m, names[0], "no such parameter");
    try_history(m, problem, sw_planner_find(names[m->seed / 2 % 2], NULL), &params, true);
    sw_params_done(&params);
}

/* Every third problem has pins, every third brings a plan. */
static void vary(struct model *m, struct sw_problem **problem) {
    struct sw_search *search = sw_search_new(*problem, sw_planner_find("first-fit", NULL), NULL, NULL);
    check_that(search && sw_search_run(search, 0, NULL, NULL, NULL) == SW_STEP_DONE, m, "first-fit",
               "no layout to take pins from");
    struct model_layout l;
    model_layout_of(&l, sw_search_layout(search));
    if (m->seed % 3 == 1) {
        model_pin_some(m, sw_search_layout(search));
    }
    for (int i = 0; i < m->buffer_count && m->seed % 3 == 2; i++) {
        m->buffers[i].tier = m->buffers[i].planned ? (int)l.tier[i] : -1;
    }
    sw_search_free(search);
    sw_problem_unref(*problem);
    *problem = model_build(m, m->seed % 3 == 2 ? l.offset : NULL);
}

static void try_seed(uint64_t seed, bool plain) {
    struct model m;
    if (plain) {
        model_draw_plain(&m, seed, 12);
    } else {
        model_draw(&m, seed);
    }
    struct sw_problem *problem = model_build(&m, NULL);
    vary(&m, &problem);
    try_all(&m, problem);
    try_oversize(&m, problem);
    sw_problem_unref(problem);
}

/* Planners that few of the problems suit, and that want to know what is demanded early. */
static void try_seldom(uint64_t seed) {
    static const char *const names[] = {"segment-genetic", "tier-search", "token-sharing", "farthest-next-use"};
    struct model m;
    model_draw(&m, seed);
    struct sw_problem *problem = model_build(&m, NULL);
    from_the_start = true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct sw_planner *planner = sw_planner_find(names[i], NULL);
        uint64_t r = seed * 15485863 + i;
        struct sw_params brief = short_run(planner);
        struct sw_error error = {0};
        if (model_applies(planner, problem)) {
            struct sw_search *search = sw_search_new(problem, planner, &brief, &error);
            check_that(search != NULL, &m, planner->name, "%s", error.message);
            sw_search_run(search, 0, NULL, NULL, NULL); /* demands fall anywhere in it */
            make_demands(&m, search, &r, !moves_buffers(planner));
            sw_search_free(search);
        }
        sw_params_done(&brief);
    }
    from_the_start = false;
    sw_problem_unref(problem);
}

/* Too little room, so that most runs fail: in the middle, at a beginning, or just before the end. The end of a failed
 * run is a place like any other, wherever one comes from. */
static void try_tight(uint64_t seed) {
    static struct record record;
    struct model m;
    uint64_t r = seed * 32452843 + 5, failed_before = runs_failed;
    if (seed % 3) {
        model_draw_plain(&m, seed, 12);
    } else {
        model_draw(&m, seed);
    }
    m.adds = true;
    for (int i = 0; i < m.buffer_count && seed % 2; i++) { /* of one size: operators write over what they read */
        m.buffers[i].size = m.buffers[i].pieces == 0 && m.buffers[i].size > 0 ? 64 : m.buffers[i].size;
    }
    for (int t = 0; t < m.tier_count; t++) {
        m.capacity[t] = 1 + sw_random_below(&r, oracle_live(&m) * 5 / 4 + 2);
    }
    struct sw_problem *problem = model_build(&m, NULL);
    for (size_t i = 0; i < sw_planner_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        struct sw_params brief = short_run(planner);
        struct sw_search *search =
            model_applies(planner, problem) ? sw_search_new(problem, planner, &brief, NULL) : NULL;
        if (search) {
            sw_search_budget(search, 4000 + sw_random_below(&r, 20000), 1 + sw_random_below(&r, 100));
            walk(&m, search, &record);
            seek_around(&m, search, 0, &record, &r);
            walk_on(&m, search, &record);
            struct sw_search *fork = sw_search_fork(search, NULL);
            check_that(fork != NULL, &m, planner->name, "no fork");
            seek_around(&m, fork, 0, &record, &r);
            walk_on(&m, fork, &record);
            sw_search_free(fork);
        }
        sw_search_free(search);
        sw_params_done(&brief);
    }
    tight_failed += runs_failed - failed_before;
    sw_problem_unref(problem);
}

/* Problems that a planner once failed on. */
static const uint64_t once_failed[] = {12482, 2026283};

/* Every planner was asked for everything, and obeyed some of it. */
static void print_demands(void) {
    static const char *const kinds[KINDS] = {"pin", "forbid", "choose", "forbid all"};
    for (size_t i = 0; i < sw_planner_count() && i < MOST_PLANNERS; i++) {
        const char *name = sw_planner_get(i)->name;
        printf("  %-18s", name);
        for (int k = 0; k < KINDS; k++) {
            printf(" %s %llu of %llu%s", kinds[k], (unsigned long long)made[i][k],
                   (unsigned long long)(made[i][k] + refused[i][k]), k + 1 < KINDS ? "," : "\n");
        }
    }
}

int main(void) {
    uint64_t seed = base_seed();
    for (size_t i = 0; i < sizeof once_failed / sizeof once_failed[0]; i++) {
        try_seed(once_failed[i], false);
    }
    for (uint64_t i = first_case(PROBLEMS), i_end = i + cases(PROBLEMS); i < i_end; i++) {
        try_seed(seed + i, i % 4 == 3);
    }
    for (uint64_t i = first_case(SELDOM), i_end = i + cases(SELDOM); i < i_end; i++) {
        try_seldom(seed + PROBLEMS + i);
    }
    for (uint64_t i = first_case(TIGHT), i_end = i + cases(TIGHT); i < i_end; i++) {
        try_tight(seed + i);
    }
    check_that(often(tight_failed, TIGHT), &(struct model){.seed = seed}, "tight", "too few runs that fail");
    printf("%llu runs failed for want of room\n", (unsigned long long)tight_failed);
    printf("%d problems, %llu steps, %llu demands, %llu refused, %llu failed runs, %llu winners "
           "repeated; obeyed: %llu pins, %llu ranges, %llu newcomers; from seed %llu\n",
           PROBLEMS, (unsigned long long)steps_walked, (unsigned long long)demands_made,
           (unsigned long long)demands_refused, (unsigned long long)runs_failed, (unsigned long long)repetitions,
           (unsigned long long)pins_obeyed, (unsigned long long)ranges_obeyed, (unsigned long long)newcomers,
           (unsigned long long)seed);
    print_demands();
    return 0;
}
