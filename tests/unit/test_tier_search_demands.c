/* tier-search: what users and scripts demand: choices, pins, forbidden ranges, actions, costs. */
#include "tier.h"
#include "planners/tiers/tier_rules.h"

/* ---- demands ---- */

static void test_choose(void **state) {
    struct sw_problem *problem = example();
    struct sw_search *search = start(problem, "");
    struct sw_override choose = {.kind = SW_OVERRIDE_CHOOSE, .choice = 0};
    struct sw_error error = {0};
    (void)state;
    assert_true(sw_search_seek(search, 2, NULL));
    assert_false(sw_search_force(search, &choose, &error)); /* h2 in sram: too small */
    assert_string_equal(error.message, "candidate 0 was refused and cannot be taken");
    choose.choice = 1; /* beside h1 */
    assert_true(sw_search_force(search, &choose, &error));
    assert_int_equal(sw_search_step(search, &error), SW_STEP_MORE);
    assert_true(sw_search_decision(search)->forced);
    lies(search, "h2", 1, 964);
    assert_true(sw_search_seek(search, 6, NULL));
    assert_int_equal(permits(search), 2);
    choose.choice = 1; /* w, same-tier move: leave it */
    assert_true(sw_search_seek(search, 6, NULL));
    choose.choice = 2;
    assert_true(sw_search_force(search, &choose, &error));
    assert_int_equal(sw_search_step(search, &error), SW_STEP_MORE);
    assert_string_equal(sw_search_decision(search)->reason, "left where it is by the user");
    lies(search, "w", 0, 0);
    assert_int_equal(sw_search_step(search, &error), SW_STEP_MORE); /* overwrite: nothing */
    choose.choice = 1;                                              /* cross-tier move: the second place */
    assert_true(sw_search_force(search, &choose, &error));
    assert_int_equal(sw_search_step(search, &error), SW_STEP_MORE);
    lies(search, "w", 1, 60);
    choose.choice = 0; /* the evaluation has no candidates */
    assert_false(sw_search_force(search, &choose, &error));
    finish(search);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void test_pin(void **state) {
    struct sw_problem *problem = example();
    struct sw_search *search = start(problem, "");
    struct sw_override pin = {.kind = SW_OVERRIDE_PIN, .tier = 1, .offset = 0};
    struct sw_error error = {0};
    (void)state;
    pin.buffer = find(search, "h2");
    stop_after_preconf(search);
    assert_true(sw_search_force(search, &pin, &error)); /* where it lies, over h1 */
    assert_int_equal(permits(search), 3);
    pin.buffer = find(search, "y");
    pin.offset = 100;
    assert_true(sw_search_force(search, &pin, &error)); /* elsewhere: no longer over w */
    assert_int_equal(permits(search), 2);
    finish(search);
    lies(search, "h2", 1, 0);
    lies(search, "y", 1, 100);
    assert_true(cost_of(search) <= 172);
    pin.buffer = find(search, "w");
    pin.offset = 30; /* over h1 and h2 */
    assert_false(sw_search_force(search, &pin, &error));
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* A pin in the middle of the walk holds for every state the search may come back to. */
static void test_pin_in_walk(void **state) {
    struct sw_problem *problem = example();
    (void)state;
    for (uint64_t at = 6; at <= 22; at++) {
        struct sw_search *search = start(problem, "");
        struct sw_override pin = {.kind = SW_OVERRIDE_PIN, .tier = 1, .offset = 500};
        struct sw_override forbid = {.kind = SW_OVERRIDE_FORBID, .buffer = SW_NONE, .tier = 0, .lo = 70, .hi = 80};
        struct sw_error error = {0};
        pin.buffer = find(search, "y");
        assert_true(sw_search_seek(search, at, NULL));
        assert_true(sw_search_force(search, &pin, &error));
        assert_true(sw_search_force(search, &forbid, &error));
        finish(search);
        lies(search, "y", 1, 500);
        assert_true(cost_of(search) == 80.125 - 1.625 + 12.5);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

/* ---- scripts ---- */

struct proposal {
    uint32_t buffer, tier;
    uint64_t offset;
    struct sw_span span;
    uint32_t asked;
    bool fails;
};

static bool propose(void *context, const struct sw_layout *state, const struct sw_layout *room, uint32_t buffer,
                    uint32_t step, struct sw_moves *proposal, struct sw_error *error) {
    struct proposal *p = context;
    (void)state;
    (void)room;
    (void)step;
    p->asked++;
    if (buffer == p->buffer) {
        proposal->count = 1;
        proposal->places[0] = (struct sw_placement){buffer, p->tier, p->offset, p->span};
    } else {
        snprintf(proposal->reason, sizeof proposal->reason, "only b%u is of interest", p->buffer);
    }
    return !p->fails || sw_fail(error, SW_ERROR_USAGE, "the script failed");
}

/* The decision about w when a script proposes a place for it. */
static struct sw_search *run_action(const struct sw_problem *problem, struct proposal *p, struct sw_explanation *e) {
    const struct sw_action action = {.name = "propose", .context = p, .propose = propose};
    struct sw_params params = SW_PARAMS_DEFAULT;
    params.actions = &action;
    params.action_count = 1;
    struct sw_search *search = start_with(problem, &params, "carry=false");
    const struct sw_decision *d = walk_to(search, SW_DECISION_TRY, "propose");
    assert_int_equal(d->buffer, 0);
    assert_true(sw_search_explain(search, d->step, e, NULL));
    return search;
}

static void test_action(void **state) {
    static const struct {
        struct proposal p;
        const char *reason, *last;
    } rows[] = {
        {{0, 1, 200, {0, UINT32_MAX}, 0, false},
         "the first place from which all later steps find room",
         "could be left where it lies"},
        {{0, 1, 30, {0, UINT32_MAX}, 0, false},
         "the action proposes a place that is taken",
         "stays where it lies: the action proposes a place that is taken: proposed dram+30, where "
         "h1 lies"},
        {{0, 0, 60, {0, UINT32_MAX}, 0, false},
         "the action proposes a place that is not legal",
         "stays where it lies: the action proposes a place that is not legal: proposed where it "
         "ends above the "
         "capacity"},
        {{0, 7, 0, {0, UINT32_MAX}, 0, false},
         "the action proposes a place that is not legal",
         "stays where it lies: the action proposes a place that is not legal: proposed in a tier "
         "that does not exist"},
        {{0, 1, 200, {0, 1}, 0, false},
         "the action proposes a place that is not legal",
         "stays where it lies: the action proposes a place that is not legal: proposed for a part "
         "of its life only"},
        {{3, 1, 200, {0, UINT32_MAX}, 0, false},
         "the action proposes no place",
         "stays where it lies: the action proposes no place: only b3 is of interest"},
        {{0, 0, 0, {0, UINT32_MAX}, 0, false},
         "there is no other place than where it lies",
         "stays where it lies: there is no other place than where it lies"},
    };
    struct sw_problem *problem = example();
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sw_explanation e = {0};
        struct proposal p = rows[i].p;
        struct sw_search *search = run_action(problem, &p, &e);
        assert_string_equal(e.decision.reason, rows[i].reason);
        assert_string_equal(e.candidates.items[e.candidates.count - 1].reason, rows[i].last);
        assert_true(p.asked > 0);
        if (i == 0) {
            assert_true(e.decision.tier == 1 && e.decision.offset == 200);
        }
        sw_explanation_done(&e);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

static void test_action_fails(void **state) {
    struct sw_problem *problem = example();
    struct proposal p = {.fails = true};
    const struct sw_action action = {.name = "propose", .context = &p, .propose = propose};
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    (void)state;
    params.actions = &action;
    params.action_count = 1;
    struct sw_search *search = start_with(problem, &params, "");
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_FAILED);
    assert_string_equal(error.message, "the script failed");
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* dram is free and sram is dear. PRECONF knows nothing of it: w (read twice) and y lie in sram.
 * When w goes down, h2 and h3 come up; but y goes down. */
static bool dear(void *context, const struct sw_problem *problem, uint32_t buffer, uint32_t step, uint32_t tier,
                 uint64_t bytes, double *cost, struct sw_error *error) {
    (void)problem;
    (void)buffer;
    (void)step;
    *cost = tier == 0 ? (double)bytes : 0;
    return !context || sw_fail(error, SW_ERROR_USAGE, "no price");
}

static void test_cost_model(void **state) {
    struct sw_problem *problem = example();
    struct sw_cost_model model = {.name = "dear", .access = dear};
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    (void)state;
    params.cost = &model;
    struct sw_search *search = start_with(problem, &params, "");
    finish(search);
    assert_true(sw_search_journal(search, 6)->cost == 130);
    assert_true(cost_of(search) == 120);
    lies(search, "y", 1, 1014);
    sw_search_free(search);
    model.context = &model;
    params = SW_PARAMS_DEFAULT;
    params.cost = &model;
    search = start_with(problem, &params, "");
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_FAILED);
    assert_string_equal(error.message, "no price");
    assert_int_equal(sw_search_at(search), 5); /* before E was known */
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- where segments begin ---- */

static void same_decisions(const struct sw_problem *problem, const char *one, const char *other) {
    struct sw_search *a = start(problem, one), *b = start(problem, other);
    uint64_t count = 0;
    while (sw_search_step(a, NULL) == SW_STEP_MORE) {
        assert_int_equal(sw_search_step(b, NULL), SW_STEP_MORE);
        const struct sw_decision *x = sw_search_decision(a), *y = sw_search_decision(b);
        assert_true(x->kind == y->kind && x->buffer == y->buffer && x->tier == y->tier && x->offset == y->offset &&
                    x->time == y->time && x->group == y->group);
        assert_true(x->cost == y->cost || (isnan(x->cost) && isnan(y->cost)));
        assert_string_equal(x->reason, y->reason);
        count++;
    }
    assert_int_equal(sw_search_step(b, NULL), SW_STEP_DONE);
    assert_true(count > 10);
    sw_search_free(a);
    sw_search_free(b);
}

/* A list of equal segments is the same as their length. */
static void test_list_of_equal_segments(void **state) {
    static const char *const ways[] = {
        "", "carry=false", "inside=exhaustive", "inside=beam:3", "grow=true", "grow=true inside=exhaustive"};
    static const char *const lists[][2] = {{"segments=equal", "segment=1"},
                                           {"segments=at:1,2,3", "segment=1"},
                                           {"segments=at:2", "segment=2"},
                                           {"segments=at:3", "segment=3"},
                                           {"segments=equal", ""}};
    struct sw_problem *problem = example();
    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        for (size_t k = 0; k < COUNT(lists); k++) {
            char one[100], other[100];
            snprintf(one, sizeof one, "%s %s", ways[i], lists[k][0]);
            snprintf(other, sizeof other, "%s %s", ways[i], lists[k][1]);
            same_decisions(problem, one, other);
        }
    }
    sw_problem_unref(problem);
}

/* Segments of different lengths end where they are told to, also after walks with shorter ones. */
static void test_list_of_segments(void **state) {
    static const struct {
        const char *set;
        size_t count;
        uint32_t times[8], groups[8];
    } cases[] = {
        {"segments=at:1,3", 3, {0, 2, 3}, {1, 2, 3}},
        {"segments=at:1", 2, {0, 3}, {1, 2}},
        {"segments=at:1,3 inside=exhaustive", 3, {0, 2, 3}, {1, 2, 3}},
        {"segments=at:1,3 inside=beam:2", 3, {0, 2, 3}, {1, 2, 3}},
        {"segments=at:1,3 grow=true", 7, {0, 1, 2, 3, 0, 2, 3}, {1, 2, 3, 4, 5, 6, 7}},
    };
    struct sw_problem *problem = example();
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sw_search *search = start(problem, cases[i].set);
        size_t found = 0;
        while (sw_search_step(search, NULL) == SW_STEP_MORE) {
            const struct sw_decision *d = sw_search_decision(search);
            if (sw_decision_is(d, SW_DECISION_UPDATE)) {
                assert_true(found < cases[i].count);
                assert_int_equal(d->time, cases[i].times[found]);
                assert_int_equal(d->group, cases[i].groups[found]);
                found++;
            }
        }
        assert_int_equal(found, cases[i].count);
        assert_int_equal(sw_search_faults(search, NULL, NULL, NULL), 0);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

static void test_wrong_segments(void **state) {
    static const char *const wrong[][2] = {
        {"at:", "segments=at:: '' is no step"},
        {"at:1,", "segments=at:1,: '' is no step"},
        {"at:1,x", "segments=at:1,x: 'x' is no step"},
        {"at:-1", "segments=at:-1: '-1' is no step"},
        {"at:1.5", "segments=at:1.5: '1.5' is no step"},
        {"at:99999999999999999999", "segments=at:99999999999999999999: '99999999999999999999' is no step"},
        {"at:3,1", "segments=at:3,1: 1 does not come after 3"},
        {"at:2,2", "segments=at:2,2: 2 does not come after 2"},
        {"at:0", "segments=at:0: 0 is no boundary: the first segment begins at 0 anyway"},
        {"at:1,4", "segments=at:1,4: 4 is beyond the end: the last step is 3"},
        {"3", "parameter segments of tier-search must be equal or at:STEP,..., not '3'"},
        {"at:2 segment", "segments=at:2 says how long segments are, so that segment would not be heeded"},
    };
    struct sw_problem *problem = example();
    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct sw_params params = SW_PARAMS_DEFAULT;
        struct sw_error error = {0};
        char text[64];
        snprintf(text, sizeof text, "%s", wrong[i][0]);
        char *space = strchr(text, ' ');
        if (space) {
            *space = '\0';
            assert_true(sw_params_set(&params, space + 1, "2", NULL));
        }
        assert_true(sw_params_set(&params, "segments", text, NULL));
        assert_null(sw_search_new(problem, sw_planner_find("tier-search", NULL), &params, &error));
        assert_int_equal(error.code, SW_ERROR_USAGE);
        assert_string_equal(error.message, wrong[i][1]);
        sw_params_done(&params);
    }
    sw_problem_unref(problem);
}

/* ---- rules of a program ---- */

static bool name_twice(void *context, const struct sw_tier_question *q, uint32_t *ranking, const char **why,
                       struct sw_error *error) {
    (void)context;
    (void)error;
    ranking[q->count - 1] = 0;
    *why = "so it is";
    return true;
}

static void test_no_permutation(void **state) {
    const struct sw_tier_rules rules = {.name = "twice", .places = name_twice};
    struct sw_problem *problem = example();
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    (void)state;
    params.tier_rules = &rules;
    struct sw_search *search = start_with(problem, &params, "");
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_FAILED);
    assert_string_equal(error.message, "twice does not name each of 4 places once");
    assert_int_equal(error.code, SW_ERROR_INPUT);
    sw_search_free(search);
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_permutation),   cmocka_unit_test(test_list_of_equal_segments),
        cmocka_unit_test(test_list_of_segments), cmocka_unit_test(test_wrong_segments),
        cmocka_unit_test(test_choose),           cmocka_unit_test(test_pin),
        cmocka_unit_test(test_pin_in_walk),      cmocka_unit_test(test_action),
        cmocka_unit_test(test_action_fails),     cmocka_unit_test(test_cost_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
