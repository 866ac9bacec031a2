/* A screen that follows the decision: what the planner minimizes, what tells decisions apart, and where the present one
 * is. What is shown is compared with what the run itself says, at every decision. */
#include "tui/sessions.h"

#include "planners/operators/ordering_look.h"
#include "search/trend.h"

#include <math.h>
#include <stdio.h>

#define MODELS SW_TEST_SOURCE "/scripts/models/"
#define SWAP SW_TEST_SOURCE "/tests/golden/models/swap.json"

static struct sw_scene scene;

static void draw(struct sw_session *session, unsigned width, unsigned height) {
    struct sw_error error = {0};
    if (!sw_session_screen(session, &scene, width, height, 1, 2, &error)) {
        fail_msg("%s", error.message);
    }
}

static const struct sw_panel *panel(const char *id) {
    for (size_t i = 0; i < scene.panels.count; i++) {
        if (strcmp(scene.panels.items[i].id, id) == 0) {
            return &scene.panels.items[i];
        }
    }
    return NULL;
}

/* All cells of a panel's row, with "|" between. */
static const char *row_text(const struct sw_panel *of, size_t row) {
    static char line[4000];
    const struct sw_row *r = &of->rows.items[row];
    line[0] = '\0';
    for (uint32_t i = 0; i < r->count; i++) {
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, "%s%s", i ? "|" : "", of->texts.items[r->first + i].text);
    }
    return line;
}

static void header_has(const char *part) {
    if (!strstr(row_text(panel("header"), 0), part)) {
        fail_msg("the header is '%s', without '%s'", row_text(panel("header"), 0), part);
    }
}

static int close_scene(void **state) {
    (void)state;
    sw_scene_done(&scene);
    return 0;
}

/* ---- the objective ---- */

/* E as the planner has it, the best that was measured, and by how much that is less than the first. */
static void the_header_tells_cost(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODELS "two_tiers.json", "tier-search");
    char text[80];
    double first = NAN, best = NAN;
    run(session, "last");
    uint64_t end = at(session);
    run(session, "goto 0");
    for (uint64_t step = 1; step < end; step++) {
        run(session, "step");
        const struct sw_search *search = sw_session_search(session);
        const struct sw_decision *decision = sw_search_decision(search);
        struct sw_claims claims;
        enum sw_measure measure;
        double value;
        sw_search_claims(search, &claims);
        if (sw_trend_figure(decision, &measure, &value)) {
            assert_int_equal(measure, SW_MEASURE_COST);
            first = isnan(first) ? value : first;
            best = isnan(best) ? value : fmin(best, value);
        }
        draw(session, 200, 24);
        if (isnan(claims.cost)) {
            continue;
        }
        snprintf(text, sizeof text, " E %.6g", claims.cost);
        header_has(text);
        snprintf(text, sizeof text, " best %.6g", fmin(best, claims.cost));
        header_has(text);
        if (fmin(best, claims.cost) < first) {
            snprintf(text, sizeof text, " %.1f%% of the first", 100 * (fmin(best, claims.cost) / first - 1));
            header_has(text);
        }
    }
    assert_true(best < first); /* there was something to see */
    run(session, "last");
    draw(session, 80, 24);
    header_has(" E ");
    sw_session_free(session);
}

/* While layouts are tried: the present one, the best so far, and by how much that is above the bound. */
static void the_header_tells_trials(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODELS "branches.json", "order-genetic");
    uint64_t best = UINT64_MAX;
    char text[80], bytes[16];
    for (unsigned step = 1; step < 10; step++) {
        run(session, "step");
        const struct sw_search *search = sw_session_search(session);
        const struct sw_decision *decision = sw_search_decision(search);
        if (decision->kind == SW_DECISION_DECODE && decision->decode.needed < best) {
            best = decision->decode.needed;
        }
        draw(session, 200, 24);
        if (best < UINT64_MAX) {
            snprintf(text, sizeof text, " best %s", sw_show_bytes(best, bytes));
            header_has(text);
            snprintf(text, sizeof text, " peak now %s", sw_show_bytes(sw_layout_peak(sw_search_layout(search)), bytes));
            header_has(text);
            header_has(best > 40960 ? " best +" : " best 0.0%");
        } else {
            header_has(" peak so far");
        }
    }
    run(session, "last"); /* it is the plan now */
    draw(session, 200, 24);
    assert_null(strstr(row_text(panel("header"), 0), " best "));
    header_has(" peak 40K");
    sw_session_free(session);
}

static void the_header_tells_moves(void **state) {
    (void)state;
    struct sw_session *session = open_model(SWAP, "segment-genetic");
    run(session, "goto 70");
    draw(session, 200, 24);
    header_has(" moved 140");
    header_has(" best 140");
    header_has(" bound 80");
    header_has(" best +75.0%");
    run(session, "last");
    draw(session, 200, 24);
    header_has(" moved 140");
    sw_session_free(session);
    session = open_model(SWAP, "farthest-next-use");
    run(session, "last");
    draw(session, 200, 24);
    header_has(" moved 100");
    header_has(" in use 100");
    header_has(" +25.0%");
    sw_session_free(session);
}

/* The order that is being made beside the best one, and of what a percentage is one. */
static void the_header_tells_orders(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODELS "nasnet.lua", "order-exact");
    char text[80], bytes[16];
    bool made = false, found = false;
    for (unsigned step = 1; step < 80; step++) {
        run(session, "step");
        const struct sw_search *search = sw_session_search(session);
        struct sw_claims claims;
        struct sw_order_look orders = {0};
        bool missed;
        sw_search_claims(search, &claims);
        assert_true(sw_order_look(search, &orders, &missed));
        draw(session, 200, 24);
        if (orders.made && orders.done > 0) {
            snprintf(text, sizeof text, " now %s", sw_show_bytes(orders.most, bytes));
            header_has(text);
            made = true;
        }
        if (claims.order_peak && claims.order_peak < claims.order_before) {
            snprintf(text, sizeof text, " %.1f%% of file's",
                     100 * ((double)claims.order_peak / (double)claims.order_before - 1));
            header_has(text);
            found = true;
        }
        snprintf(text, sizeof text, " orders' bound %s", sw_show_bytes(claims.order_bound, bytes));
        header_has(text);
        sw_order_look_done(&orders);
    }
    assert_true(made && found);
    sw_session_free(session);
}

/* What is alive in an order, told anew, is what its decisions say as it is made. */
static void orders_are_told_again(void **state) {
    (void)state;
    static const char *const planners[] = {"order-greedy", "order-lpmf", "order-exact", "order-beam"};
    for (size_t p = 0; p < sizeof planners / sizeof *planners; p++) {
        struct sw_session *session = open_model(MODELS "darts.lua", planners[p]);
        unsigned compared = 0;
        for (unsigned step = 1; step < 120; step++) {
            run(session, "step");
            const struct sw_decision *decision = sw_search_decision(sw_session_search(session));
            struct sw_order_look orders = {0};
            bool missed;
            assert_true(sw_order_look(sw_session_search(session), &orders, &missed) && !missed);
            if (decision->kind == SW_DECISION_RUN && orders.made) {
                assert_true(orders.last < orders.count);
                assert_true(orders.during[orders.last] == decision->run.during);
                assert_int_equal(orders.at[orders.last], decision->time);
                compared++;
            } else if (decision->kind == SW_DECISION_SELECT_SETS) {
                assert_int_equal(orders.done, decision->select_sets.done);
                assert_true(orders.most == decision->select_sets.most);
                compared++;
            }
            uint32_t places = 0;
            for (uint32_t i = 0; i < orders.count; i++) {
                places += orders.at[i] != SW_NONE;
            }
            assert_int_equal(places, orders.done);
            sw_order_look_done(&orders);
        }
        assert_true(compared > 0 || strcmp(planners[p], "order-exact") == 0);
        sw_session_free(session);
    }
}

/* ---- the list of decisions ---- */

static void lists(struct sw_session *session, const char *where, const char *const *wanted) {
    run(session, where);
    run(session, "pane decisions");
    draw(session, 200, 60);
    const struct sw_panel *list = panel("decisions");
    for (; *wanted; wanted++) {
        bool found = false;
        for (size_t r = 0; r < list->rows.count; r++) {
            found |= strcmp(row_text(list, r), *wanted) == 0;
        }
        if (!found) {
            fail_msg("no row '%s'; the last ones are '%s'", *wanted, row_text(list, list->rows.count - 3));
        }
    }
}

static void lists_tell_decisions_apart(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODELS "two_tiers.json", "tier-search");
    lists(session, "goto 20",
          (const char *const[]){"|decision|size|offset|E|peak", "18|try h1 cross-tier move|60|sram+0|80.125|60",
                                "17|try h1 overwrite|60|dram+904|120.625|120", NULL});
    sw_session_free(session);
    session = open_model(MODELS "branches.json", "order-genetic");
    lists(session, "goto 6", (const char *const[]){"|decision|||peak", "5|decode member 1 gen 0|||55K", NULL});
    sw_session_free(session);
    session = open_model(MODELS "darts.lua", "order-beam");
    lists(session, "goto 6", (const char *const[]){"|decision|bytes||", NULL});
    sw_session_free(session);
    session = open_model(MODELS "darts.lua", "order-greedy");
    lists(session, "goto 6", (const char *const[]){"|decision|bytes||", NULL});
    sw_session_free(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_tells_cost),  cmocka_unit_test(the_header_tells_trials),
        cmocka_unit_test(the_header_tells_moves), cmocka_unit_test(the_header_tells_orders),
        cmocka_unit_test(orders_are_told_again),  cmocka_unit_test(lists_tell_decisions_apart),
    };
    return cmocka_run_group_tests(tests, NULL, close_scene);
}
