/* Panes that read the journal, in a session: what they keep from frame to frame is what a fresh
 * reading gives, in every branch and after undo. */
#include "tui/sessions.h"
#include "scene_dump.h"

#include "command/commands.h"
#include "formats/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN SW_TEST_SOURCE "/tests/golden/models/"
#define SHIPPED SW_TEST_SOURCE "/scripts/models/"

/* The pane, drawn with what the session keeps, or with nothing kept. */
static char *drawn(struct sw_session *session, bool kept) {
    struct sw_view_input in = {0};
    struct sw_scene scene = {0};
    struct sw_sink sink = {0};
    assert_true(sw_session_view(session, &in, NULL));
    assert_non_null(in.look.side);
    assert_true(in.run.tree || in.run.trend || in.run.costs);
    if (!kept) {
        in.run.tree = NULL;
        in.run.trend = NULL;
        in.run.costs = NULL;
    }
    in.marks_per_unit_x = 1;
    in.marks_per_unit_y = 2;
    in.look.side->build(&in, &scene, (struct sw_box){0, 0, 70, 30});
    assert_false(scene.failed);
    scene_dump(&scene, &sink);
    sw_sink_add(&sink, "", 1);
    assert_false(sink.failed);
    char *text = strdup(sink.text.items);
    sw_sink_done(&sink);
    sw_scene_done(&scene);
    return text;
}

static void same(struct sw_session *session) {
    char *kept = drawn(session, true), *fresh = drawn(session, false);
    assert_string_equal(kept, fresh);
    free(kept);
    free(fresh);
}

static void visit(struct sw_session *session, const char *const *lines) {
    for (; *lines; lines++) {
        run(session, *lines);
        same(session);
    }
}

static void tree_is_kept(void **state) {
    (void)state;
    struct sw_session *session = open_model(GOLDEN "search.csv", "branch-and-bound");
    static const char *const lines[] = {"pane search-tree",
                                        "step 20",
                                        "step 9",
                                        "last",
                                        "goto 100",
                                        "pin b7 70",
                                        "step 40",
                                        "last",
                                        "branch 1",
                                        "goto 90",
                                        "forbid b3 90 99",
                                        "last",
                                        "undo",
                                        "undo",
                                        "pin b2 80",
                                        "last",
                                        "first",
                                        "branch 1",
                                        "last",
                                        NULL};
    visit(session, lines);
    sw_session_free(session);
}

static void trend_is_kept(void **state) {
    (void)state;
    struct sw_session *session = open_model(SHIPPED "two_tiers.json", "order-genetic");
    static const char *const lines[] = {"pane convergence",
                                        "step 300",
                                        "last",
                                        "goto 450",
                                        "pin h2 200 dram",
                                        "goto 2000",
                                        "undo",
                                        "pin h2 400 dram",
                                        "goto 900",
                                        "first",
                                        "planner tier-search",
                                        "last",
                                        NULL};
    visit(session, lines);
    sw_session_free(session);
}

static void costs_are_kept(void **state) {
    (void)state;
    struct sw_session *session = open_model(SHIPPED "two_tiers.json", "tier-search");
    static const char *const lines[] = {"pane cost", "step 3",          "step 9", "last", "cursor 1", "back 20", "last",
                                        "goto 5",    "pin h1 700 dram", "last",   "undo", "branch 1", NULL};
    visit(session, lines);
    sw_session_free(session);
}

/* ---- links ---- */

/* A row of the tree is the decision that led to the node: going there makes its row the present
 * one. */
static void rows_lead_back(void **state) {
    (void)state;
    struct sw_session *session = open_model(GOLDEN "search.csv", "branch-and-bound");
    struct sw_scene scene = {0};
    run(session, "last");
    run(session, "goto 90");
    run(session, "pane search-tree");
    run(session, "select-current");
    for (int turn = 0; turn < 12; turn++) {
        struct sw_view_input in = {0};
        assert_true(sw_session_view(session, &in, NULL));
        in.look.side->build(&in, &scene, (struct sw_box){0, 0, 70, 30});
        const struct sw_panel *panel = &scene.panels.items[0];
        assert_true(panel->rows.count > 1);
        size_t which = 1 + (size_t)turn * 5 % (panel->rows.count - 1);
        struct sw_item item = panel->rows.items[which].item;
        assert_int_equal(item.kind, SW_ITEM_DECISION);
        char line[40];
        snprintf(line, sizeof line, "goto %llu", (unsigned long long)item.id);
        run(session, line);
        sw_scene_clear(&scene);
        assert_true(sw_session_view(session, &in, NULL));
        in.look.side->build(&in, &scene, (struct sw_box){0, 0, 70, 30});
        panel = &scene.panels.items[0];
        bool found = false;
        for (size_t i = 0; i < panel->rows.count; i++) {
            const struct sw_row *row = &panel->rows.items[i];
            found = found || (row->current && row->item.id == item.id);
        }
        assert_true(found);
        sw_scene_clear(&scene);
    }
    sw_scene_done(&scene);
    sw_session_free(session);
}

static void says_why_not(void **state) {
    (void)state;
    static const struct {
        const char *path, *planner, *pane, *part;
    } rows[] = {
        {GOLDEN "search.csv", "first-fit", "convergence", "measures nothing on the way"},
        {GOLDEN "search.csv", "first-fit", "search-tree", "opens no nodes"},
        {GOLDEN "search.csv", "first-fit", "cost", "There is no cost to show"},
        {GOLDEN "one.csv", "branch-and-bound", "search-tree", "opened no node"},
        {GOLDEN "empty.csv", "first-fit", "convergence", "there is no curve"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct sw_session *session = open_model(rows[i].path, rows[i].planner);
        char line[64];
        snprintf(line, sizeof line, "pane %s", rows[i].pane);
        run(session, "last");
        run(session, line);
        same(session);
        struct sw_view_input in = {0};
        struct sw_sink sink = {0};
        assert_true(sw_session_view(session, &in, NULL));
        in.medium = SW_ON_PAGE;
        sw_view_text(&in, in.look.side, &sink);
        sw_sink_add(&sink, "", 1);
        for (char *at = sink.text.items; (at = strchr(at, '\n')); *at = ' ') {
        }
        if (!strstr(sink.text.items, rows[i].part)) {
            fail_msg("%s of %s says '%s'", rows[i].pane, rows[i].planner, sink.text.items);
        }
        sw_sink_done(&sink);
        sw_session_free(session);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tree_is_kept),   cmocka_unit_test(trend_is_kept), cmocka_unit_test(costs_are_kept),
        cmocka_unit_test(rows_lead_back), cmocka_unit_test(says_why_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
