/* tier-search with actions that propose anything: other places, several at once, split lives,
 * nonsense. Whatever is proposed, every state of the walk is a legal layout by the checker, costs
 * what it is said to cost, and comes back the same when one goes back and forth. */
#include "share.h"
#include "model.h"
#include "faults.h"

#include "base/hash.h"
#include "layout/cost.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 20000, DECISIONS = 600 };

struct counts {
    uint64_t asked, several, splits, taken, refused, states;
};

/* ---- the action: a pure function of what it is asked ---- */

static uint32_t draw(uint64_t *r, uint64_t bound) {
    return (uint32_t)sw_random_below(r, bound ? bound : 1);
}

/* A free offset of the tier over the span, or any. */
static uint64_t some_offset(uint64_t *r, const struct sw_layout *room, uint32_t buffer, struct sw_span span,
                            uint32_t tier) {
    struct sw_gaps gaps = {0};
    uint64_t offset = draw(r, 120);
    if (sw_problem_buffer(sw_layout_problem(room), buffer)->planned && draw(r, 6) &&
        sw_gaps_find(&gaps, room, NULL, buffer, span, tier, SW_UNBOUNDED) && gaps.gaps.count) {
        offset = gaps.gaps.items[draw(r, gaps.gaps.count)].start;
    }
    sw_gaps_done(&gaps);
    return offset;
}

static void add(struct sw_moves *p, uint64_t *r, const struct sw_layout *room, uint32_t buffer, struct sw_span span) {
    uint32_t tiers = sw_problem_tier_count(sw_layout_problem(room));
    uint32_t tier = draw(r, tiers + (draw(r, 40) == 0));
    uint64_t offset = tier < tiers ? some_offset(r, room, buffer, span, tier) : draw(r, 100);
    if (p->count && p->places[p->count - 1].buffer == buffer && draw(r, 12)) {
        tier = (p->places[p->count - 1].tier + 1) % tiers;
        offset = some_offset(r, room, buffer, span, tier);
    }
    p->places[p->count++] = (struct sw_placement){buffer, tier, offset, span};
}

/* The whole life, in one place or in several. */
static void add_life(struct sw_moves *p, uint64_t *r, const struct sw_layout *room, uint32_t buffer) {
    const struct sw_buffer *b = sw_problem_buffer(sw_layout_problem(room), buffer);
    uint32_t from = b->first;
    if (draw(r, 2) || b->first >= b->last || !b->planned) {
        add(p, r, room, buffer, SW_WHOLE_LIFE);
        return;
    }
    while (from <= b->last && p->count < 12) {
        uint32_t to = from + draw(r, b->last - from + 1);
        to = draw(r, 30) ? to : to + 1;
        add(p, r, room, buffer, (struct sw_span){from, to});
        from = to + 1 + (draw(r, 30) == 0);
    }
}

static bool propose(void *context, const struct sw_layout *state, const struct sw_layout *room, uint32_t buffer,
                    uint32_t step, struct sw_moves *p, struct sw_error *error) {
    struct counts *counts = context;
    uint64_t r = sw_fold(sw_layout_digest(state), (uint64_t)buffer << 32 | step);
    uint32_t count = sw_problem_buffer_count(sw_layout_problem(state));
    (void)error;
    counts->asked++;
    switch (draw(&r, 5)) {
    case 0:
        snprintf(p->reason, sizeof p->reason, "not today");
        return true;
    case 1: {
        uint32_t other = draw(&r, count + (draw(&r, 30) == 0));
        struct sw_placement mine, its;
        if (sw_layout_placement(state, buffer, 0, &mine) && other < count &&
            sw_layout_placement(state, other, 0, &its)) {
            p->places[0] = (struct sw_placement){buffer, its.tier, its.offset, SW_WHOLE_LIFE};
            p->places[1] = (struct sw_placement){other, mine.tier, mine.offset, SW_WHOLE_LIFE};
            p->count = 2;
        }
        return true;
    }
    case 2:
        add_life(p, &r, room, draw(&r, count));
        return true;
    case 3:
        add_life(p, &r, room, draw(&r, count));
        break;
    default:
        break;
    }
    add_life(p, &r, room, buffer);
    return true;
}

/* ---- the walk ---- */

static void report(void *context, const struct sw_fault *fault) {
    char text[200];
    sw_fault_describe(context, fault, text, sizeof text);
    fprintf(stderr, "%s\n", text);
}

static void look(const struct model *m, const struct sw_search *search, struct counts *counts) {
    const struct sw_layout *layout = sw_search_layout(search);
    const struct sw_decision *d = sw_search_decision(search);
    const struct sw_problem *problem = sw_search_problem(search);
    double cost;
    if (sw_layout_placed_count(layout) < sw_problem_planned_count(problem) || d->kind == SW_DECISION_PRECONF) {
        return;
    }
    counts->states++;
    check_that(sw_fault_count_assuming(layout, NULL, report, (void *)(uintptr_t)problem) == 0, m, "tier-search",
               "decision %llu leaves an illegal layout", (unsigned long long)d->step);
    check_that(sw_cost_of_layout(layout, NULL, &cost, NULL), m, "tier-search", "no cost");
    check_that(!(cost < d->cost || cost > d->cost), m, "tier-search", "decision %llu costs %.17g and not %.17g",
               (unsigned long long)d->step, cost, d->cost);
    bool ours = d->kind == SW_DECISION_TRY && strcmp(sw_decision_action(d), "anything") == 0;
    counts->taken += ours && strncmp(d->reason, "the first place", 15) == 0;
    counts->refused += ours && strncmp(d->reason, "the action proposes a place", 27) == 0;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        struct sw_placement at;
        counts->splits += sw_layout_placement(layout, b, 1, &at);
    }
}

static void run(const struct model *m, const struct sw_problem *problem, const char *visit, struct counts *counts) {
    const struct sw_action action = {.name = "anything", .context = counts, .propose = propose};
    const struct sw_planner *planner = sw_planner_find("tier-search", NULL);
    struct sw_params params = SW_PARAMS_DEFAULT;
    uint64_t digests[DECISIONS + 1], last = 0, r = m->seed;
    params.actions = &action;
    params.action_count = 1;
    sw_params_set(&params, "visit", visit, NULL);
    sw_params_set(&params, "overwrite", "any", NULL);
    sw_params_set(&params, "segment", draw(&r, 2) ? "1" : "3", NULL);
    sw_params_set(&params, "carry", draw(&r, 3) ? "true" : "false", NULL);
    struct sw_search *search = sw_search_new(problem, planner, &params, NULL);
    check_that(search != NULL, m, "tier-search", "no search");
    sw_search_budget(search, 1 << 20, 40);
    digests[0] = sw_search_digest(search);
    while (last < DECISIONS && sw_search_step(search, NULL) == SW_STEP_MORE) {
        look(m, search, counts);
        digests[++last] = sw_search_digest(search);
    }
    for (int i = 0; i < 6; i++) {
        uint64_t to = draw(&r, last + 1);
        check_that(sw_search_seek(search, to, NULL) && sw_search_digest(search) == digests[to], m, "tier-search",
                   "decision %llu is not what it was", (unsigned long long)to);
    }
    sw_search_free(search);
    sw_params_done(&params);
}

int main(void) {
    const struct sw_planner *planner = sw_planner_find("tier-search", NULL);
    struct counts counts = {0};
    unsigned done = 0;
    for (uint64_t i = first_case(PROBLEMS), i_end = i + cases(PROBLEMS); i < i_end; i++) {
        struct model m;
        model_draw(&m, base_seed() * 100003 + i);
        struct sw_problem *problem = model_build(&m, NULL);
        if (problem && model_applies(planner, problem)) {
            run(&m, problem, i % 2 ? "born" : "touched", &counts);
            done++;
        }
        sw_problem_unref(problem);
    }
    printf("%u problems, %llu proposals: %llu taken, %llu refused; %llu states, in which %llu lives "
           "are split\n",
           done, (unsigned long long)counts.asked, (unsigned long long)counts.taken, (unsigned long long)counts.refused,
           (unsigned long long)counts.states, (unsigned long long)counts.splits);
    return often(done, PROBLEMS / 20) && often(counts.taken, 100) && often(counts.refused, 100) &&
                   often(counts.splits, 100)
               ? 0
               : 1;
}
