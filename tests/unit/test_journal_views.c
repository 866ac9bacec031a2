/* What is read out of a journal: the tree of a search and the trend of its figures, against a
 * reading that keeps no index; and that the views of them count what they do not show. */
#include <stdlib.h>

#include "unit/view.h"

#include <math.h>
#include <string.h>

#define GOLDEN SW_TEST_SOURCE "/tests/golden/models/"
#define SHIPPED SW_TEST_SOURCE "/scripts/models/"

static struct sw_problem *load(const char *path) {
    struct sw_error error = {0};
    struct sw_load_options options = {0};
    struct sw_problem *problem = sw_load(path, &options, NULL, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    return problem;
}

static struct sw_search *run(const char *path, const char *planner) {
    struct sw_problem *problem = load(path);
    struct sw_search *search = must_run(problem, planner);
    sw_problem_unref(problem);
    return search;
}

/* ---- the tree ---- */

enum { MOST = 4096 };
/* The way from a root to where the run stands, by the journal alone. */
struct naive {
    uint64_t way[MOST]; /* the decisions that led to its nodes */
    uint32_t depth;     /* nodes on the way */
    bool fresh;         /* it is not known what the last one is */
    uint32_t nodes, pruned, found;
};

static void push(struct naive *naive, uint64_t step) {
    assert_true(naive->depth < MOST);
    naive->way[naive->depth++] = step;
    naive->nodes++;
}

static void follow(struct naive *naive, const struct sw_decision *decision, uint64_t step) {
    switch ((enum sw_decision_kind)decision->kind) {
    case SW_DECISION_BRANCH:
    case SW_DECISION_PRUNE:
        if (!naive->fresh) {
            naive->depth = 0;
            push(naive, step);
        }
        naive->fresh = false;
        naive->pruned += decision->kind == SW_DECISION_PRUNE;
        break;
    case SW_DECISION_PLACE:
        if (naive->depth > 0) {
            push(naive, step);
            naive->fresh = true;
        }
        break;
    case SW_DECISION_INCUMBENT:
        naive->found += naive->fresh;
        naive->fresh = false;
        break;
    case SW_DECISION_BACKTRACK:
        naive->depth--;
        break;
    case SW_DECISION_PROVED:
    case SW_DECISION_FINISH:
    case SW_DECISION_EVALUATE:
        naive->depth = 0;
        break;
    default:
        break;
    }
}

/* At every step the tree says the same way as the journal. */
static void check_way(const struct sw_tree *tree, const struct sw_search *search, uint64_t step,
                      const struct naive *naive) {
    uint32_t node = sw_tree_at(tree, search, step);
    for (uint32_t depth = naive->depth; depth-- > 0;) {
        assert_true(node != SW_NONE);
        assert_true(tree->nodes.items[node].step == naive->way[depth]);
        assert_int_equal(tree->nodes.items[node].depth, depth);
        node = tree->nodes.items[node].parent;
    }
    assert_int_equal(node, SW_NONE);
}

static void check_sums(const struct sw_tree *tree) {
    for (uint32_t id = 0; id < tree->nodes.count; id++) {
        uint32_t pruned = 0, found = 0, children = 0, end = sw_tree_end(tree, id);
        assert_true(end > id && end <= tree->nodes.count);
        for (uint32_t k = id; k < end; k++) {
            const struct sw_node *node = &tree->nodes.items[k];
            pruned += node->kind == SW_NODE_PRUNED;
            found += node->kind == SW_NODE_INCUMBENT;
            children += node->parent == id;
            assert_true(k == id || node->depth > tree->nodes.items[id].depth);
        }
        assert_int_equal(sw_tree_pruned(tree, id), pruned);
        assert_int_equal(sw_tree_incumbents(tree, id), found);
        assert_int_equal(tree->nodes.items[id].children, children);
        uint32_t next = sw_tree_next(tree, id);
        assert_true(next == SW_NONE || (tree->nodes.items[next].before == id &&
                                        tree->nodes.items[next].ordinal == tree->nodes.items[id].ordinal + 1));
    }
}

static void check_tree(const struct sw_search *search, bool some) {
    struct sw_tree tree = {0};
    struct naive naive = {0};
    assert_true(sw_tree_read(&tree, search));
    for (uint64_t step = 1; step <= sw_search_known(search); step++) {
        follow(&naive, sw_search_journal(search, step), step);
        check_way(&tree, search, step, &naive);
    }
    assert_int_equal(tree.nodes.count, naive.nodes);
    assert_int_equal(tree.pruned, naive.pruned);
    assert_int_equal(tree.found.count, naive.found);
    assert_true((tree.nodes.count > 0) == some);
    check_sums(&tree);
    sw_tree_done(&tree);
}

static void tree_is_the_journal(void **state) {
    (void)state;
    struct sw_search *search = run(GOLDEN "search.csv", "branch-and-bound");
    check_tree(search, true);
    sw_search_free(search);
    search = run(GOLDEN "search.csv", "best-fit");
    check_tree(search, false);
    sw_search_free(search);
    search = run(GOLDEN "empty.csv", "branch-and-bound");
    check_tree(search, false);
    sw_search_free(search);
    for (uint64_t seed = 1; seed < 12; seed++) { /* with holes: the other of its two searches */
        struct sw_problem *problem = random_problem(seed, 14);
        struct sw_params params = SW_PARAMS_DEFAULT;
        assert_true(sw_params_set(&params, "nodes", "400", NULL));
        search = sw_search_new(problem, sw_planner_find("branch-and-bound", NULL), &params, NULL);
        assert_non_null(search);
        assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
        struct sw_tree tree = {0};
        assert_true(sw_tree_read(&tree, search));
        check_tree(search, tree.nodes.count > 0);
        sw_tree_done(&tree);
        sw_search_free(search);
        sw_params_done(&params);
        sw_problem_unref(problem);
    }
}

/* Reading on from step to step gives what one reading gives. */
static void tree_is_read_on(void **state) {
    (void)state;
    struct sw_problem *problem = load(GOLDEN "search.csv");
    struct sw_search *search = sw_search_new(problem, sw_planner_find("branch-and-bound", NULL), NULL, NULL);
    struct sw_tree on = {0}, once = {0};
    while (sw_search_step(search, NULL) == SW_STEP_MORE) {
        if (sw_search_at(search) % 7 == 0) {
            assert_true(sw_tree_read(&on, search));
            check_sums(&on);
        }
    }
    assert_true(sw_tree_read(&on, search) && sw_tree_read(&once, search));
    assert_int_equal(on.nodes.count, once.nodes.count);
    for (size_t i = 0; i < on.nodes.count; i++) {
        const struct sw_node *a = &on.nodes.items[i], *b = &once.nodes.items[i];
        assert_true(a->step == b->step && a->parent == b->parent && a->end == b->end);
        assert_true(a->kind == b->kind && a->pruned == b->pruned && a->last == b->last);
    }
    sw_tree_done(&on);
    sw_tree_done(&once);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* A pin makes the search begin again: nothing that comes after it is below what was before. */
static void tree_begins_again(void **state) {
    (void)state;
    struct sw_problem *problem = load(GOLDEN "search.csv");
    struct sw_search *search = must_run(problem, "branch-and-bound");
    for (uint64_t at = 55; at < 75; at++) {
        struct sw_search *fork = sw_search_fork(search, NULL);
        struct sw_override pin = {.kind = SW_OVERRIDE_PIN, .buffer = 2, .offset = 70};
        struct sw_tree tree = {0};
        assert_true(fork && sw_search_seek(fork, at, NULL) && sw_search_force(fork, &pin, NULL));
        assert_int_equal(sw_search_run(fork, 0, NULL, NULL, NULL), SW_STEP_DONE);
        assert_true(sw_tree_read(&tree, fork));
        for (uint32_t id = 0; id < tree.nodes.count; id++) {
            const struct sw_node *node = &tree.nodes.items[id];
            bool late = node->step > at;
            assert_true(node->parent == SW_NONE || (tree.nodes.items[node->parent].step > at) == late);
        }
        assert_int_equal(sw_tree_at(&tree, fork, at + 1), SW_NONE);
        sw_tree_done(&tree);
        sw_search_free(fork);
    }
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- the trend ---- */

static void check_points(const struct sw_trend *trend) {
    double best = (double)INFINITY;
    uint64_t seed = 5;
    for (size_t i = 0; i < trend->points.count; i++) {
        const struct sw_trend_point *point = &trend->points.items[i];
        best = fmin(best, point->value);
        assert_true(point->best == best);
        assert_int_equal(sw_trend_point_after(trend, point->step), i + 1);
        assert_int_equal(sw_trend_point_after(trend, point->step - 1), i);
    }
    for (int turn = 0; turn < 200 && trend->points.count > 0; turn++) {
        size_t count = trend->points.count;
        size_t from = sw_random_below(&seed, count), to = from + 1 + sw_random_below(&seed, count - from);
        double sum = 0, most = -1, mean, worst;
        for (size_t i = from; i < to; i++) {
            sum += trend->points.items[i].value;
            most = fmax(most, trend->points.items[i].value);
        }
        sw_trend_range(trend, from, to, &mean, &worst);
        assert_true(worst == most);
        assert_true(fabs(mean - sum / (double)(to - from)) <= 1e-9 * most);
    }
}

static void trend_is_the_journal(void **state) {
    (void)state;
    static const struct {
        const char *path, *planner;
        enum sw_measure measure;
        size_t least; /* points */
    } rows[] = {{SHIPPED "two_tiers.json", "random-order", SW_MEASURE_PEAK, 12060},
                {SHIPPED "two_tiers.json", "order-genetic", SW_MEASURE_PEAK, 1000},
                {SHIPPED "two_tiers.json", "tier-search", SW_MEASURE_COST, 10},
                {GOLDEN "search.csv", "branch-and-bound", SW_MEASURE_PEAK, 5},
                {GOLDEN "migrate.json", "segment-genetic", SW_MEASURE_MOVED, 10},
                {GOLDEN "search.csv", "first-fit", SW_MEASURE_PEAK, 0},
                {GOLDEN "empty.csv", "order-genetic", SW_MEASURE_PEAK, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sw_problem *problem = load(rows[i].path);
        struct sw_error error = {0};
        struct sw_params params = SW_PARAMS_DEFAULT;
        if (strcmp(rows[i].planner, "segment-genetic") == 0) { /* else it measures nothing that is worse at first */
            assert_true(sw_params_set(&params, "choices", "plain", &error));
        }
        struct sw_search *search = sw_search_new(problem, sw_planner_find(rows[i].planner, &error), &params, &error);
        assert_non_null(search);
        assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_DONE);
        sw_params_done(&params);
        sw_problem_unref(problem);
        struct sw_trend trend = {0};
        assert_true(sw_trend_read(&trend, search));
        assert_true(rows[i].least ? trend.points.count >= rows[i].least : trend.points.count == 0);
        assert_true(!trend.any || trend.measure == rows[i].measure);
        check_points(&trend);
        sw_trend_done(&trend);
        sw_search_free(search);
    }
}

/* The best of the last generation is the peak of the result, and generations hold all that was
 * measured. */
static void rounds_are_generations(void **state) {
    (void)state;
    struct sw_search *search = run(SHIPPED "two_tiers.json", "order-genetic");
    struct sw_trend trend = {0};
    uint64_t measured = 0, step = 0;
    assert_true(sw_trend_read(&trend, search));
    assert_true(trend.rounds.count > 2);
    for (size_t i = 0; i < trend.rounds.count; i++) {
        const struct sw_trend_round *round = &trend.rounds.items[i];
        assert_true(round->begin == step && round->step > step);
        assert_true(round->best <= round->mean && round->mean <= round->worst);
        assert_int_equal(sw_trend_round_after(&trend, round->step), i + 1);
        step = round->step;
        measured += round->measured;
    }
    assert_int_equal(measured, trend.points.count);
    const struct sw_decision *last = sw_search_journal(search, sw_search_known(search));
    assert_true(trend.rounds.items[trend.rounds.count - 1].best == (double)sw_decision_amount(last));
    sw_trend_done(&trend);
    sw_search_free(search);
}

/* ---- the views ---- */

static const struct sw_panel *built(const struct sw_search *search, const char *view, double height, const char *id,
                                    struct sw_scene *scene) {
    struct sw_view_input in = look_at(search, 80, height);
    sw_scene_clear(scene);
    sw_view_find(view, NULL)->build(&in, scene, (struct sw_box){0, 0, 80, height});
    assert_false(scene->failed);
    for (size_t i = 0; i < scene->panels.count; i++) {
        if (strcmp(scene->panels.items[i].id, id) == 0) {
            return &scene->panels.items[i];
        }
    }
    fail_msg("%s has no panel %s", view, id);
    return NULL;
}

/* Whatever the height, each row is shown or counted, and the present one is shown. */
static void rows_are_counted(void **state) {
    (void)state;
    struct sw_search *search = run(GOLDEN "search.csv", "branch-and-bound");
    struct sw_scene scene = {0};
    for (uint64_t step = 6; step < sw_search_known(search); step += 9) {
        assert_true(sw_search_seek(search, step, NULL));
        struct sw_tree tree = {0};
        assert_true(sw_tree_read(&tree, search));
        bool inside = sw_tree_at(&tree, search, step) != SW_NONE;
        sw_tree_done(&tree);
        const struct sw_panel *panel = built(search, "search-tree", 400, "search-tree", &scene);
        uint64_t all = panel->rows.count - 1;
        assert_true(panel->hidden_above == 0 && panel->hidden_below == 0);
        for (double height = 2; height < 40; height++) {
            panel = built(search, "search-tree", height, "search-tree", &scene);
            bool headed = panel->rows.items[0].item.kind == SW_ITEM_NONE, shown = !inside;
            uint64_t last = 0;
            for (size_t i = headed; i < panel->rows.count; i++) {
                assert_true(panel->rows.items[i].item.id > last); /* preorder */
                last = panel->rows.items[i].item.id;
                shown = shown || panel->rows.items[i].current;
            }
            assert_true(shown);
            assert_true(panel->hidden_above + panel->rows.count - headed + panel->hidden_below == all);
        }
    }
    sw_scene_done(&scene);
    sw_search_free(search);
}

/* What the bars add up to is E. */
static void costs_are_whole(void **state) {
    (void)state;
    struct sw_search *search = run(SHIPPED "two_tiers.json", "tier-search");
    struct sw_costs costs = {0};
    struct sw_claims claims = {0};
    double sum = 0;
    sw_search_claims(search, &claims);
    assert_true(sw_costs_of(search, &costs));
    assert_int_equal(costs.kind, SW_COSTS_PRICED);
    for (size_t i = 0; i < (size_t)costs.steps * costs.columns; i++) {
        sum += costs.grid[i];
    }
    assert_true(fabs(sum - claims.cost) < 1e-9 && fabs(costs.total - claims.cost) < 1e-9);
    struct sw_scene scene = {0};
    const struct sw_panel *panel = built(search, "cost", 30, "cost", &scene);
    double drawn = 0;
    for (size_t i = 0; i < panel->marks.count; i++) {
        const struct sw_mark *mark = &panel->marks.items[i];
        drawn += mark->kind == SW_MARK_RECT ? mark->y1 - mark->y0 : 0;
    }
    assert_true(fabs(drawn - claims.cost) < 1e-9);
    sw_costs_done(&costs);
    sw_search_free(search);
    search = run(GOLDEN "migrate.json", "segment-genetic");
    sw_search_claims(search, &claims);
    assert_true(sw_costs_of(search, &costs));
    assert_int_equal(costs.kind, SW_COSTS_MOVED);
    assert_true(costs.total == (double)claims.migration_bytes && costs.parts == costs.total);
    sw_costs_done(&costs);
    sw_search_free(search);
    sw_scene_done(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_is_the_journal),    cmocka_unit_test(tree_is_read_on),
        cmocka_unit_test(tree_begins_again),      cmocka_unit_test(trend_is_the_journal),
        cmocka_unit_test(rounds_are_generations), cmocka_unit_test(rows_are_counted),
        cmocka_unit_test(costs_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
