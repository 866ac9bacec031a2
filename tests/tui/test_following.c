/* A screen that follows the decision: what the planner minimizes, what tells decisions apart, and where the present one
 * is. What is shown is compared with what the run itself says, at every decision. */
#include "tui/scenes.h"

#include "tui/tui_internal.h"

#include "planners/operators/ordering_look.h"
#include "search/tree.h"
#include "search/trend.h"

#include <math.h>
#include <stdio.h>

#define MODELS SW_TEST_SOURCE "/scripts/models/"
#define SWAP SW_TEST_SOURCE "/tests/golden/models/swap.json"

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
    run(session, "set choices=plain");
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
          (const char *const[]){"|decision|offset", "1|preconf w to sram|+0", "6|evaluate: E 161.125|",
                                "7|try A1 w to sram: E still 161.125|+40",
                                "18|try A3 h1 to sram: E 120.625 to 80.125|+0", "17|try A2 h1 stays in dram|+904",
                                "20|accept A3 h1 to sram: E 120.625 to 80.125|+0", NULL});
    lists(session, "goto 47",
          (const char *const[]){"46|revert segment 3: E 91 to 80.125|", "47|update segment 3: E 80.125|", NULL});
    run(session, "goto 18");
    run(session, "pane decision");
    draw(session, 80, 24);
    const struct sw_panel *strip = panel("decisions");
    assert_string_equal(row_text(strip, strip->rows.count - 1), ">18 try A3 h1 to sram+0: E 120.625 to 80.125  ");
    run(session, "set carry=false"); /* a run of its own: the action is taken back */
    lists(session, "goto 13", (const char *const[]){"13|revert A3 w back to sram: E 120.625 to 161.125|+0", NULL});
    sw_session_free(session);
    session = open_model(MODELS "branches.json", "order-genetic");
    run(session, "set choices=plain");
    lists(session, "goto 6", (const char *const[]){"|decision|||peak", "5|decode member 1 gen 0|||55K", NULL});
    sw_session_free(session);
    session = open_model(MODELS "darts.lua", "order-beam");
    lists(session, "goto 6", (const char *const[]){"|decision|bytes||", NULL});
    sw_session_free(session);
    session = open_model(MODELS "darts.lua", "order-greedy");
    lists(session, "goto 6", (const char *const[]){"|decision|bytes||", NULL});
    sw_session_free(session);
}

/* ---- the map of tiers ---- */

/* With several tiers every one that is in use has its strip, and where there is no room the one decided in has. */
static void strips_show_all_tiers(void **state) {
    (void)state;
    static const unsigned sizes[][2] = {{80, 24}, {120, 40}, {200, 60}, {60, 14}};
    struct sw_session *session = open_model(MODELS "two_tiers.json", "tier-search");
    for (unsigned step = 1; step < 40; step++) {
        run(session, "step");
        const struct sw_search *search = sw_session_search(session);
        const struct sw_decision *decision = sw_search_decision(search);
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            bool shown[SW_MAX_TIERS] = {false};
            draw(session, sizes[s][0], sizes[s][1]);
            for (size_t i = 0; i < scene.panels.count; i++) {
                if (strcmp(scene.panels.items[i].id, "map") == 0) {
                    assert_false(shown[scene.panels.items[i].tier]);
                    shown[scene.panels.items[i].tier] = true;
                }
            }
            assert_true(decision->tier == SW_NONE || shown[decision->tier]);
            for (uint32_t t = 0; sizes[s][1] >= 24 && t < 2; t++) {
                assert_true(shown[t] || sw_layout_arena(sw_search_layout(search), t) == 0);
            }
        }
    }
    sw_session_free(session);
}

/* A hatched frame for each place where a block is written over another one. */
static void overwrites_are_marked(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODELS "two_tiers.json", "tier-search");
    run(session, "last");
    const struct sw_layout *layout = sw_search_layout(sw_session_search(session));
    size_t marked = 0;
    draw(session, 200, 60);
    for (size_t i = 0; i < scene.panels.count; i++) {
        const struct sw_panel *map = &scene.panels.items[i];
        for (size_t m = 0; strcmp(map->id, "map") == 0 && m < map->marks.count; m++) {
            const struct sw_mark *mark = &map->marks.items[m];
            if (mark->kind != SW_MARK_FRAME || mark->style != SW_STYLE_TRANSFER) {
                continue;
            }
            bool found = false;
            for (size_t p = 0; p < sw_layout_permit_count(layout); p++) {
                struct sw_permit permit = sw_layout_permit_get(layout, p);
                found |= permit.fresh == mark->item.id && mark->x0 == permit.step && mark->y0 < mark->y1;
            }
            assert_true(found);
            assert_true(strncmp(mark->labels[0], "over ", 5) == 0);
            assert_int_equal(mark->pattern, SW_PATTERN_CROSS);
            marked++;
        }
    }
    assert_int_equal(marked, sw_layout_permit_count(layout));
    assert_true(marked > 0);
    sw_session_free(session);
}

/* Upright lines where a segment of the walk begins, on each map; its title says how many there are. */
static void segments_are_marked(void **state) {
    static const struct {
        const char *set, *begin, *title;
    } cases[] = {{"set segment=1", "", NULL},
                 {"set segment=2", "2 ", ", 2 segments"},
                 {"set segment=3", "3 ", ", 2 segments"},
                 {"set segment=4", "", NULL},
                 {"set segments=at:1,3", "1 3 ", ", 3 segments"}};
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct sw_session *session = open_model(MODELS "two_tiers.json", "tier-search");
        size_t maps = 0;
        run(session, cases[c].set);
        run(session, "last");
        draw(session, 200, 60);
        for (size_t i = 0; i < scene.panels.count; i++) {
            const struct sw_panel *map = &scene.panels.items[i];
            char begin[40] = "";
            if (strcmp(map->id, "map") != 0) {
                continue;
            }
            for (size_t m = 0; m < map->marks.count; m++) {
                const struct sw_mark *mark = &map->marks.items[m];
                if (mark->kind == SW_MARK_LINE && mark->pattern == SW_DASH_DOTS) {
                    assert_true(mark->x0 == mark->x1 && mark->y0 == map->y.lo && mark->y1 == map->y.hi);
                    assert_int_equal(mark->item.kind, SW_ITEM_STEP);
                    snprintf(begin + strlen(begin), sizeof begin - strlen(begin), "%g ", mark->x0);
                }
            }
            assert_string_equal(begin, cases[c].begin);
            assert_true(cases[c].title ? strstr(map->title, cases[c].title) != NULL : !strstr(map->title, "segment"));
            maps++;
        }
        assert_int_equal(maps, 2);
        sw_session_free(session);
    }
}

/* ---- members ---- */

static const char *note(const char *id) {
    return panel(id) ? row_text(panel(id), 0) : "";
}

static void count_layout_fault(void *context, const struct sw_fault *fault) {
    (void)context;
    (void)fault;
}

/* The member that a decision is about is on the map, block by block, and the run is what it was. */
static void members_are_shown(void **state) {
    (void)state;
    struct sw_session *session = open_model(SWAP, "segment-genetic");
    unsigned seen = 0;
    char text[80];
    for (unsigned step = 1; step < 90; step++) {
        run(session, "step");
        const struct sw_search *search = sw_session_search(session);
        const struct sw_decision *decision = sw_search_decision(search);
        uint64_t digest = sw_search_digest(search);
        uint32_t member = sw_decision_member(decision, 0);
        struct sw_layout *own = NULL;
        assert_true(member == SW_NONE || sw_search_member(search, member, &own));
        assert_true(digest == sw_search_digest(search));
        draw(session, 120, 40);
        if (!own) {
            continue;
        }
        size_t faults = 0;
        assert_true(sw_layout_check(own, &faults, count_layout_fault, NULL) && faults == 0);
        snprintf(text, sizeof text, "the layout of member %u", member);
        assert_string_equal(note("shown-layout"), text);
        if (decision->kind == SW_DECISION_EVALUATE_MEMBER) { /* it moves what was measured */
            uint64_t moved = 0;
            for (size_t i = 0; i < sw_layout_transfer_count(own); i++) {
                moved += sw_problem_buffer(sw_search_problem(search), sw_layout_transfer_get(own, i).buffer)->size;
            }
            assert_true(moved == decision->evaluate_member.moves);
        }
        const struct sw_panel *map = panel("map");
        for (size_t m = 0; m < map->marks.count; m++) {
            const struct sw_mark *mark = &map->marks.items[m];
            struct sw_placement place;
            bool found = mark->kind != SW_MARK_RECT || mark->item.kind != SW_ITEM_BUFFER;
            for (uint32_t k = 0; !found && sw_layout_placement(own, (uint32_t)mark->item.id, k, &place); k++) {
                found = mark->y0 == (double)place.offset;
            }
            assert_true(found);
            seen++;
        }
        sw_layout_free(own);
    }
    assert_true(seen > 50);
    sw_session_free(session);
}

static void the_map_says_which_layout_it_is(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODELS "branches.json", "order-genetic");
    run(session, "set choices=plain");
    run(session, "goto 1");
    draw(session, 120, 40);
    assert_string_equal(note("shown-layout"), "");
    run(session, "goto 5");
    draw(session, 120, 40);
    assert_string_equal(note("shown-layout"), "the layout of member 1");
    run(session, "goto 7");
    draw(session, 80, 24);
    assert_string_equal(note("shown-layout"), "the layout of member 1, of decision 5; member 2 has none yet");
    run(session, "last");
    draw(session, 120, 40);
    assert_string_equal(note("shown-layout"), "");
    sw_session_free(session);
    session = open_model(SWAP, "segment-genetic");
    run(session, "goto 62");
    draw(session, 120, 40);
    assert_string_equal(note("shown-layout"), "the layout of the best when a generation last ended");
    sw_session_free(session);
}

/* ---- ways, orders, residents ---- */

/* The way of a search ends with what was placed last. */
static void the_way_is_told(void **state) {
    (void)state;
    struct sw_session *session = open_model(SW_TEST_SOURCE "/tests/golden/models/search.csv", "branch-and-bound");
    unsigned seen = 0;
    for (unsigned step = 1; step < 300; step++) {
        run(session, "step");
        const struct sw_search *search = sw_session_search(session);
        const struct sw_decision *decision = sw_search_decision(search);
        char text[160], bytes[16];
        draw(session, 200, 40);
        if (decision->kind != SW_DECISION_PLACE || !panel("way")) {
            continue;
        }
        unsigned depth = 0; /* of the part that is searched: others may be placed */
        assert_int_equal(sscanf(note("way"), "node at depth %u:", &depth), 1);
        assert_true(depth > 0 && depth <= sw_layout_placed_count(sw_search_layout(search)));
        snprintf(text, sizeof text, "%s +%s", sw_problem_buffer(sw_search_problem(search), decision->buffer)->name,
                 sw_show_bytes(decision->offset, bytes));
        const char *end = note("way") + strlen(note("way")) - strlen(text);
        assert_string_equal(end, text);
        seen++;
    }
    assert_true(seen > 20);
    sw_session_free(session);
}

/* While no block has an address the order so far is there, box by box, with the threshold of the search. */
static void the_order_is_drawn(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODELS "mobilenet_v1_025_96.json", "order-greedy");
    run(session, "goto 30");
    draw(session, 120, 40);
    const struct sw_panel *strip = panel("order");
    assert_non_null(strip);
    assert_null(panel("map"));
    assert_string_equal(strip->title, "order so far: 15 of 31 operators, last pw_7");
    unsigned boxes = 0;
    for (size_t m = 0; m < strip->marks.count; m++) {
        boxes += strip->marks.items[m].kind == SW_MARK_RECT;
    }
    assert_int_equal(boxes, 15);
    sw_session_free(session);
    session = open_model(MODELS "darts.lua", "order-exact");
    run(session, "goto 300");
    draw(session, 200, 60);
    assert_non_null(strstr(panel("order")->title, "from the end, within 1.48M: 219 of 791 operators"));
    const struct sw_mark *bound = NULL;
    for (size_t m = 0; m < panel("live")->marks.count; m++) {
        const struct sw_mark *mark = &panel("live")->marks.items[m];
        bound = mark->style == SW_STYLE_BOUND && mark->labels && mark->labels[0][0] ? mark : bound;
    }
    assert_non_null(bound); /* the curve is that of the file's order, and not of any */
    assert_string_equal(bound->labels[0], "bound in file's order 1.69M");
    bool threshold = false;
    for (size_t m = 0; m < panel("alive")->marks.count; m++) {
        const struct sw_mark *mark = &panel("alive")->marks.items[m];
        threshold |= mark->labels && strcmp(mark->labels[0], "threshold 1.48M") == 0;
    }
    assert_true(threshold);
    run(session, "planner first-fit 3"); /* the memory again */
    draw(session, 120, 40);
    assert_non_null(panel("map"));
    sw_session_free(session);
}

/* All choices on the way to the present node of an order's search are in the order so far. */
static void the_tree_of_orders_grows(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODELS "darts.lua", "order-exact");
    struct sw_tree tree = {0};
    unsigned deep = 0;
    for (unsigned step = 1; step < 1300; step++) {
        run(session, "step");
        const struct sw_search *search = sw_session_search(session);
        struct sw_order_look orders = {0};
        bool missed;
        assert_true(sw_tree_read(&tree, search));
        assert_true(sw_order_look(search, &orders, &missed));
        uint32_t node = sw_tree_at(&tree, search, at(session));
        assert_true(node == tree.now || node == SW_NONE || tree.now == SW_NONE);
        for (; orders.made && node != SW_NONE; node = tree.nodes.items[node].parent) {
            const struct sw_decision *made = sw_search_journal(search, tree.nodes.items[node].step);
            bool found = made->kind != SW_DECISION_RUN;
            for (uint32_t i = 0; !found && i < orders.count; i++) {
                found = orders.at[i] == made->time;
            }
            assert_true(found);
            deep += made->kind == SW_DECISION_RUN;
        }
        sw_order_look_done(&orders);
    }
    assert_true(deep > 1000 && tree.pruned > 20 && tree.found.count > 0);
    run(session, "pane search-tree");
    draw(session, 120, 40);
    assert_non_null(strstr(panel("search-tree")->title, "1 incumbent, pruned"));
    char text[120];
    snprintf(text, sizeof text, "; search tree: depth %u, %zu nodes, pruned %u",
             tree.nodes.items[sw_tree_at(&tree, sw_session_search(session), at(session))].depth, tree.nodes.count,
             tree.pruned);
    assert_non_null(strstr(panel("alive")->title, text));
    sw_tree_done(&tree);
    sw_session_free(session);
}

/* A planner that has placed nothing so far shows the blocks that wait, with the one that it decides on. */
static void nothing_stays_empty(void **state) {
    (void)state;
    static const struct {
        const char *model, *planner;
    } cases[] = {{MODELS "cpu_npu.lua", "token-sharing"},
                 {MODELS "branches.json", "token-sharing"},
                 {SWAP, "segment-genetic"},
                 {SWAP, "farthest-next-use"},
                 {MODELS "two_tiers.json", "tier-search"},
                 {MODELS "branches.json", "order-genetic"},
                 {MODELS "darts.lua", "order"},
                 {MODELS "darts.lua", "order-beam"},
                 {MODELS "mcunet_like.lua", "fit"},
                 {MODELS "branches.json", "branch-and-bound"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct sw_session *session = open_model(cases[c].model, cases[c].planner);
        for (unsigned step = 1; step < 14; step++) {
            run(session, "step");
            const struct sw_decision *decision = sw_search_decision(sw_session_search(session));
            draw(session, 120, 40);
            size_t shown = 0;
            for (size_t i = 0; i < scene.panels.count; i++) {
                const struct sw_panel *p = &scene.panels.items[i];
                for (size_t m = 0; strcmp(p->id, "live") != 0 && m < p->marks.count; m++) {
                    shown += p->marks.items[m].kind == SW_MARK_RECT || p->marks.items[m].kind == SW_MARK_BAR;
                }
            }
            const struct sw_panel *waiting = panel("waiting");
            if (!waiting && !panel("way") && shown == 0) {
                fail_msg("%s shows nothing at decision %u", cases[c].planner, step);
            }
            bool found = !waiting || decision->buffer == SW_NONE;
            for (size_t r = 0; waiting && r < waiting->rows.count; r++) {
                found |= waiting->rows.items[r].item.id == decision->buffer && row_text(waiting, r)[0] == '>';
            }
            assert_true(found);
        }
        sw_session_free(session);
    }
}

/* Of a planner that gives no addresses: what is there now. */
static void residents_are_shown(void **state) {
    (void)state;
    struct sw_session *session = open_model(SWAP, "farthest-next-use");
    run(session, "goto 5");
    draw(session, 120, 40);
    assert_non_null(panel("residency"));
    assert_string_equal(panel("residency")->title, "now in device: 3 of 4 objects, 90 B of 100 B");
    run(session, "goto 6"); /* B leaves */
    draw(session, 80, 24);
    assert_string_equal(panel("residency")->title, "now in device: 2 of 4 objects, 50 B of 100 B");
    sw_session_free(session);
}

/* ---- nothing is lost ---- */

/* With the places that were not taken on view every cell of the block that was placed is as without them. */
static void refused_places_lie_below(void **state) {
    (void)state;
    static const unsigned sizes[][2] = {{80, 24}, {120, 40}, {200, 60}};
    struct sw_session *session = open_model(MODELS "two_tiers.json", "tier-search");
    struct sw_frame with = {0}, without = {0};
    struct sw_error error = {0};
    unsigned compared = 0, places = 0;
    for (unsigned step = 1; step < 45; step++) {
        run(session, "step");
        const struct sw_decision *decision = sw_search_decision(sw_session_search(session));
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes && decision->buffer != SW_NONE; s++) {
            unsigned width = sizes[s][0], height = sizes[s][1];
            assert_true(sw_frame_draw(&with, session, width, height, SW_FRAME_MONO, &error));
            run(session, "ghosts");
            assert_true(sw_frame_draw(&without, session, width, height, SW_FRAME_MONO, &error));
            run(session, "ghosts");
            for (unsigned y = 1; y + 1 < height; y++) {
                for (unsigned x = 0; x < width; x++) {
                    const struct sw_cell *now = sw_grid_cell(&with.grid, x, y),
                                         *then = sw_grid_cell(&without.grid, x, y);
                    bool block = then->item.kind == SW_ITEM_BUFFER && then->item.id == decision->buffer;
                    if (block && strcmp(now->text, then->text) != 0) {
                        fail_msg("decision %u at %u, %u: '%s', not '%s'", step, x, y, now->text, then->text);
                    }
                    compared += block;
                    places += now->item.kind == SW_ITEM_CANDIDATE;
                }
            }
        }
    }
    assert_true(compared > 1000 && places > 100);
    sw_frame_done(&with);
    sw_frame_done(&without);
    sw_session_free(session);
}

/* Page by page the keys of the help have a column of the same width, and so have the commands. */
static void help_keeps_its_columns(void **state) {
    (void)state;
    static const unsigned widths[] = {80, 120, 45};
    struct sw_session *session = open_model(MODELS "two_tiers.json", "tier-search");
    struct sw_error error = {0};
    for (size_t w = 0; w < 3; w++) {
        size_t keys = 0, usage = 0;
        run(session, "help all");
        for (unsigned page = 0; page < 20; page++) {
            draw(session, widths[w], 24);
            const struct sw_panel *help = panel("help");
            for (size_t r = 0; r < help->rows.count; r++) {
                const struct sw_row *row = &help->rows.items[r];
                if (row->count < 2) {
                    continue;
                }
                size_t wide = sw_view_columns(help->texts.items[row->first].text),
                       next = sw_view_columns(help->texts.items[row->first + 1].text);
                assert_true(keys == 0 || wide == keys);
                assert_true(row->count < 3 || usage == 0 || next == usage);
                keys = wide;
                usage = row->count < 3 ? usage : next;
                size_t all = wide + 1 + next + 1 +
                             (row->count < 3 ? 0 : sw_view_columns(help->texts.items[row->first + 2].text));
                assert_true(all <= widths[w]);
            }
            sw_session_key(session, "Space", &error);
        }
        sw_session_key(session, "Esc", &error);
        assert_true(keys > 0);
    }
    sw_session_free(session);
}

/* How many blanks stand between a name and the figures behind it. */
static void figures_stand_near(const struct sw_frame *frame, const char *name) {
    char line[1000] = "";
    for (unsigned y = frame->grid.rows - 1; y-- > 1;) { /* tables stand below */
        size_t used = 0;
        for (unsigned x = 0; x < frame->grid.columns; x++) {
            used += (size_t)snprintf(line + used, sizeof line - used, "%s", sw_grid_cell(&frame->grid, x, y)->text);
        }
        const char *at = strstr(line, name);
        if (at) {
            size_t blanks = strspn(at + strlen(name), " ");
            if (blanks > 24) {
                fail_msg("%zu blanks behind %s", blanks, name);
            }
            return;
        }
    }
    fail_msg("%s is not in sight", name);
}

static void wide_tables_stay_together(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODELS "mobilenet_v1_025_96.json", "greedy-by-size");
    struct sw_frame frame = {0};
    struct sw_error error = {0};
    run(session, "last");
    run(session, "planner best-fit");
    run(session, "pane branches");
    run(session, "whole on");
    assert_true(sw_frame_draw(&frame, session, 200, 60, SW_FRAME_MONO, &error));
    figures_stand_near(&frame, "1 greedy-by-size");
    run(session, "pane buffers");
    assert_true(sw_frame_draw(&frame, session, 200, 60, SW_FRAME_MONO, &error));
    figures_stand_near(&frame, " conv_1_out");
    run(session, "compare 1");
    assert_true(sw_frame_draw(&frame, session, 200, 60, SW_FRAME_MONO, &error));
    figures_stand_near(&frame, " 1 greedy-by-size");
    sw_frame_done(&frame);
    sw_session_free(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_tells_cost),
        cmocka_unit_test(the_header_tells_trials),
        cmocka_unit_test(the_header_tells_moves),
        cmocka_unit_test(the_header_tells_orders),
        cmocka_unit_test(orders_are_told_again),
        cmocka_unit_test(lists_tell_decisions_apart),
        cmocka_unit_test(strips_show_all_tiers),
        cmocka_unit_test(overwrites_are_marked),
        cmocka_unit_test(segments_are_marked),
        cmocka_unit_test(members_are_shown),
        cmocka_unit_test(the_map_says_which_layout_it_is),
        cmocka_unit_test(the_way_is_told),
        cmocka_unit_test(the_order_is_drawn),
        cmocka_unit_test(refused_places_lie_below),
        cmocka_unit_test(help_keeps_its_columns),
        cmocka_unit_test(wide_tables_stay_together),
        cmocka_unit_test(the_tree_of_orders_grows),
        cmocka_unit_test(residents_are_shown),
        cmocka_unit_test(nothing_stays_empty),
    };
    return cmocka_run_group_tests(tests, NULL, close_scene);
}
