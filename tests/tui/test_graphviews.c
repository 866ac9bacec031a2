/* Panes of the graph, of memory ids, of segments and of the log, in a session: they are offered,
 * follow the selection and the steps, and say in one sentence when there is nothing for them. */
#include "tui/scenes.h"

#include "command/commands.h"
#include "view/facts.h"
#include "view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SMALL SW_TEST_SOURCE "/tests/tui/models/small.json"
#define SWAP SW_TEST_SOURCE "/tests/golden/models/swap.json"
#define CORES SW_TEST_SOURCE "/scripts/models/two_cores.lua"
#define MANY SW_TEST_SOURCE "/scripts/models/densenet121.lua"
#define RACE SW_TEST_SOURCE "/tests/tui/models/race.json"
#define EMPTY SW_TEST_SOURCE "/tests/tui/models/empty.json"
#define SHIPPED SW_TEST_SOURCE "/scripts/models/"
#define ONE SW_TEST_SOURCE "/tests/tui/models/one.csv"

/* ---- what is on the screen ---- */

static size_t panels(const char *id) {
    size_t count = 0;
    for (size_t i = 0; i < scene.panels.count; i++) {
        count += strcmp(scene.panels.items[i].id, id) == 0;
    }
    return count;
}

/* All texts of a table, a line a row. */
static const char *text_of(const char *id) {
    static char text[8192];
    const struct sw_panel *table = panel(id);
    assert_non_null(table);
    size_t used = 0;
    text[0] = '\0';
    for (size_t r = 0; r < table->rows.count; r++) {
        const struct sw_row *row = &table->rows.items[r];
        for (uint32_t c = 0; c < row->count; c++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", c ? "|" : "",
                                     table->texts.items[row->first + c].text);
        }
        used += (size_t)snprintf(text + used, sizeof text - used, "\n");
    }
    return text;
}

static void shows(const char *id, const char *part) {
    if (!strstr(text_of(id), part)) {
        fail_msg("%s does not show '%s' but:\n%s", id, part, text_of(id));
    }
}

/* The row that is marked as current; "" without one. */
static const char *current(const char *id) {
    const struct sw_panel *table = panel(id);
    assert_non_null(table);
    for (size_t r = 0; r < table->rows.count; r++) {
        const struct sw_row *row = &table->rows.items[r];
        if (row->current) {
            return table->texts.items[row->first].text;
        }
    }
    return "";
}

/* ---- tests ---- */

static void tokens(void **state) {
    (void)state;
    struct sw_session *session = open_model(SMALL, "token-sharing");
    run(session, "pane tokens");
    draw(session, 200, 40);
    shows("tokens", "token-sharing has given out no memory id so far.");
    run(session, "last");
    struct sw_view_input in = look(session);
    const struct sw_problem *problem = sw_search_problem(in.run.search);
    assert_non_null(in.run.facts);
    const struct sw_parts *ids = &in.run.facts->ids;
    assert_true(ids->count > 1);
    assert_int_equal(ids->members.count, sw_problem_planned_count(problem));
    uint32_t relu = sw_problem_find_buffer(problem, "relu_1_out"), conv = sw_problem_find_buffer(problem, "conv_1_out");
    assert_int_equal(ids->of.items[relu], 2);
    assert_int_equal(sw_decision_part(sw_search_journal(in.run.search, in.run.facts->decided.items[conv])),
                     ids->of.items[conv]);
    for (uint32_t p = 0; p < ids->count; p++) { /* by birth, each where it says it is */
        uint32_t before = 0;
        for (uint32_t i = ids->first.items[p]; i < ids->first.items[p + 1]; i++) {
            assert_int_equal(ids->of.items[ids->members.items[i]], p);
            assert_true(sw_problem_rank(problem, ids->members.items[i]).at >= before);
            before = sw_problem_rank(problem, ids->members.items[i]).at;
        }
    }
    run(session, "select relu_1_out");
    draw(session, 200, 40);
    shows("tokens", "relu_1_out: ");
    const struct sw_facts *same = look(session).run.facts;
    assert_ptr_equal(same, look(session).run.facts); /* gathered once */
    run(session, "back 3");
    assert_true(look(session).run.facts->ids.members.count <= ids->members.count);
    sw_session_free(session);
    session = open_model(SMALL, "first-fit");
    run(session, "last");
    run(session, "pane tokens");
    draw(session, 200, 40);
    shows("tokens", "first-fit gives out no memory ids.");
    sw_session_free(session);
}

static void segments(void **state) {
    (void)state;
    struct sw_session *session = open_model(SWAP, "segment-genetic");
    run(session, "pane segments");
    draw(session, 200, 50);
    shows("moves", "segment-genetic has cut no tier into segments and moved nothing");
    shows("moves", "so far.");
    run(session, "last");
    draw(session, 200, 50);
    struct sw_view_input in = look(session);
    assert_int_equal(in.run.facts->segments.count, 2);
    assert_false(in.run.facts->stale);
    assert_int_equal(in.run.facts->bottom.items[0], 0);
    assert_int_equal(in.run.facts->bottom.items[1], in.run.facts->segments.bytes.items[0]);
    assert_int_equal(in.run.facts->moved, in.run.facts->claims.migration_bytes);
    assert_int_equal(in.run.facts->migration_bound, 80);
    shows("moves", "at least 80 B is needed");
    const struct sw_panel *plot = panel("segments");
    size_t bands = 0, arrows = 0;
    for (size_t i = 0; i < plot->marks.count; i++) {
        const struct sw_mark *mark = &plot->marks.items[i];
        bands += mark->kind == SW_MARK_RECT && mark->style == SW_STYLE_GAP;
        arrows += mark->kind == SW_MARK_ARROW && mark->item.kind == SW_ITEM_BUFFER;
        if (bands == 2 && mark->kind == SW_MARK_RECT && mark->style == SW_STYLE_BLOCK) {
            assert_int_equal(mark->hue, in.run.facts->segments.of.items[mark->item.id]);
        }
    }
    assert_int_equal(bands, 2);
    assert_int_equal(plot->marks.items[0].style, SW_STYLE_GAP); /* below the blocks */
    assert_int_equal(arrows, in.run.facts->moves.count);
    const struct sw_panel *best = panel("sequences");
    assert_int_equal(best->marks.count, in.run.facts->segments.count);
    assert_string_equal(best->y.ticks.items[0].label, "best");
    /* What was exchanged lies where the next parent had it: as many segments stand out before and after. */
    uint64_t step = 1;
    while (sw_search_journal(in.run.search, step)->kind != SW_DECISION_EXCHANGE) {
        step++;
    }
    char command[40];
    snprintf(command, sizeof command, "goto %llu", (unsigned long long)step);
    run(session, command);
    draw(session, 200, 60);
    const struct sw_panel *crossed = panel("sequences");
    assert_int_equal(crossed->y.ticks.count, 4);
    assert_string_equal(crossed->y.ticks.items[0].label, "p1");
    assert_string_equal(crossed->y.ticks.items[3].label, "c2");
    size_t exchanged[4] = {0};
    for (size_t i = 0; i < crossed->marks.count; i++) {
        const struct sw_mark *mark = &crossed->marks.items[i];
        exchanged[3 - (size_t)mark->y0] += mark->style == SW_STYLE_SELECTED;
    }
    assert_true(exchanged[0] > 0 && exchanged[0] == exchanged[3] && exchanged[1] == exchanged[2]);
    sw_session_free(session);
    session = open_model(SWAP, "farthest-next-use");
    run(session, "last");
    run(session, "pane segments");
    draw(session, 200, 50);
    in = look(session);
    assert_int_equal(in.run.facts->moved, in.run.facts->claims.migration_bytes);
    assert_non_null(panel("lanes"));
    shows("moves", "3|A|50|out");
    sw_session_free(session);
    session = open_model(SMALL, "first-fit");
    run(session, "last");
    run(session, "pane segments");
    draw(session, 200, 50);
    shows("moves", "first-fit has cut no tier into segments and moved nothing");
    assert_null(panel("segments"));
    sw_session_free(session);
}

static void neighbourhood(void **state) {
    (void)state;
    struct sw_session *session = open_model(SMALL, "first-fit");
    run(session, "pane neighbourhood");
    run(session, "last");
    run(session, "select relu_1_out");
    draw(session, 200, 60);
    assert_string_equal(current("neighbourhood"), "         →relu_1_out");
    shows("neighbourhood", " →image|3K|0..0\n   →[conv_1]||0\n     →conv_1_out|8K|0..1\n       →[relu_1]||1\n");
    shows("neighbourhood", "           →[conv_2]||2\n             →conv_2_out|6K|2..3\n"
                           "               →[add_1]||3\n");
    shows("neighbourhood", "             →層_和|6K|3..4\n               →[pool_1]||4\n"
                           "                 →pool_1_out|1.5K|4..5\n                   →[dense_1]||5\n");
    shows("neighbourhood", "also reads relu_1_out");
    run(session, "select probabilities");
    draw(session, 200, 60);
    assert_string_equal(current("neighbourhood"), "         →probabilities");
    run(session, "select");
    run(session, "cursor 3");
    draw(session, 200, 60);
    assert_string_equal(current("neighbourhood"), "           →[add_1]");
    draw(session, 40, 12); /* whatever is cut, the center is in sight */
    assert_string_equal(current("neighbourhood"), "           →[add_1]");
    sw_session_free(session);
    session = open_model(ONE, "first-fit");
    run(session, "last");
    run(session, "pane neighbourhood");
    run(session, "select-current");
    draw(session, 200, 40);
    shows("neighbourhood", "No operators are named here");
    shows("neighbourhood", "above|none");
    sw_session_free(session);
}

/* The node of a buffer in the graph as columns; NULL: it is not there. */
static const struct sw_mark *graph_node(const struct sw_problem *problem, const char *name, unsigned nth) {
    const struct sw_panel *graph = panel("neighbourhood");
    for (size_t i = 0; i < graph->marks.count; i++) {
        const struct sw_mark *mark = &graph->marks.items[i];
        if (mark->kind == SW_MARK_RECT && mark->item.id == sw_problem_find_buffer(problem, name) && nth-- == 0) {
            return mark;
        }
    }
    return NULL;
}

/* Of the graph as columns: one node in the middle, an arrow for every other, each name has room, and no two nodes lie
 * over one another. Returns how many nodes there are. */
static unsigned columns_are_sound(void) {
    const struct sw_panel *graph = panel("neighbourhood");
    assert_int_equal(graph->kind, SW_PANEL_PLOT);
    unsigned nodes = 0, arrows = 0, middles = 0;
    for (size_t i = 0; i < graph->marks.count; i++) {
        const struct sw_mark *a = &graph->marks.items[i];
        arrows += a->kind == SW_MARK_ARROW;
        if (a->kind != SW_MARK_RECT) {
            continue;
        }
        nodes++;
        middles += a->style == SW_STYLE_SELECTED;
        assert_true(a->x0 >= 0 && a->x1 <= graph->x.hi && a->y0 >= 0 && a->y1 <= graph->y.hi);
        assert_true(a->labels && *a->labels[0]);
        assert_true((double)sw_view_columns(a->labels[0]) + 2 <= a->x1 - a->x0); /* its name has room */
        const struct sw_mark *second = &graph->marks.items[i + 1];
        if (a->y1 - a->y0 > 1) { /* also its second row */
            assert_true(second->kind == SW_MARK_TEXT && second->x0 == a->x0 + 1 && second->y0 > a->y0);
            assert_true(second->x0 + (double)sw_view_columns(second->labels[0]) < a->x1);
        }
        for (size_t k = i + 1; k < graph->marks.count; k++) {
            const struct sw_mark *b = &graph->marks.items[k];
            assert_false(b->kind == SW_MARK_RECT && a->x0 < b->x1 && b->x0 < a->x1 && a->y0 < b->y1 && b->y0 < a->y1);
        }
    }
    assert_int_equal(middles, 1);
    assert_int_equal(arrows, nodes - 1);
    return nodes;
}

/* Where there is room producers stand left and consumers right, three levels of each; every node but the middle one has
 * an arrow, and no two nodes lie over one another. */
static void graph_in_columns(void **state) {
    (void)state;
    static const struct {
        const char *model, *buffer;
        unsigned width, height;
    } cases[] = {{SHIPPED "branches.json", "branch_b_out", 120, 40}, {SHIPPED "branches.json", "concat_out", 200, 60},
                 {SHIPPED "branches.json", "concat_out", 80, 24},    {SHIPPED "branches.json", "softmax_out", 120, 30},
                 {SHIPPED "branches.json", "image", 98, 12},         {SHIPPED "nasnet.lua", "cell_1_3_out", 120, 40},
                 {SHIPPED "densenet121.lua", NULL, 120, 40}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct sw_session *session = open_model(cases[c].model, "first-fit");
        const struct sw_problem *problem = sw_search_problem(sw_session_search(session));
        char line[80];
        bool known = cases[c].buffer && sw_problem_find_buffer(problem, cases[c].buffer) != SW_NONE;
        snprintf(line, sizeof line, known ? "select %s" : "cursor 40", cases[c].buffer);
        run(session, line);
        run(session, "graph");
        run(session, "whole on");
        draw(session, cases[c].width, cases[c].height);
        assert_true(columns_are_sound() > 2);
        sw_session_free(session);
    }
    struct sw_session *session = open_model(SW_TEST_SOURCE "/tests/tui/models/joins.json", "first-fit"); /* a tree */
    const struct sw_problem *problem = sw_search_problem(sw_session_search(session));
    run(session, "graph");
    run(session, "whole on");
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        char line[120];
        if (sw_problem_buffer(problem, b)->planned) {
            snprintf(line, sizeof line, "select %s", sw_problem_buffer(problem, b)->name);
            run(session, line);
            draw(session, 120, 40);
            columns_are_sound();
            draw(session, 100, 14); /* of the columns at the ends not all nodes have room */
            columns_are_sound();
        }
    }
    sw_session_free(session);
    session = open_model(SHIPPED "branches.json", "first-fit");
    problem = sw_search_problem(sw_session_search(session));
    run(session, "select concat_out");
    run(session, "graph");
    run(session, "whole on");
    for (unsigned width = 80; width <= 200; width += 20) { /* narrow boxes have names of two rows */
        draw(session, width, 24);
        columns_are_sound();
        const struct sw_mark *middle = graph_node(problem, "concat_out", 0),
                             *before = graph_node(problem, "branch_c2_out", 0),
                             *second = graph_node(problem, "branch_c1_out", 0),
                             *third = graph_node(problem, "reduce_c_out", 0),
                             *after = graph_node(problem, "squeeze_out", 0),
                             *last = graph_node(problem, "res2_skip_out", 0);
        assert_true(middle && before && second && third && after && last);
        assert_true(third->x1 < second->x0 && second->x1 < before->x0 && before->x1 < middle->x0);
        assert_true(middle->x1 < after->x0 && after->x1 < last->x0);
    }
    sw_session_free(session);
}

/* The arrow keys go along the graph while it is on view, what they select is logged, and elsewhere they do what they
 * do. */
static void graph_is_walked(void **state) {
    (void)state;
    static const char *const way[][2] = {{"Left", "squeeze_out"},  {"Left", "concat_out"},    {"Left", "branch_a_out"},
                                         {"Down", "branch_b_out"}, {"Down", "branch_c2_out"}, {"Left", "branch_c1_out"},
                                         {"Left", "reduce_c_out"}, {"Left", "pool_1_out"},    {"Left", "stem_out"},
                                         {"Left", "image"},        {"Left", "image"},         {"Right", "stem_out"}};
    struct sw_session *session = open_model(SHIPPED "branches.json", "first-fit");
    const struct sw_problem *problem = sw_search_problem(sw_session_search(session));
    struct sw_error error = {0};
    run(session, "select res1_a_out");
    run(session, "graph");
    for (size_t i = 0; i < sizeof way / sizeof *way; i++) {
        assert_true(sw_session_key(session, way[i][0], &error));
        assert_string_equal(sw_problem_buffer(problem, look(session).look.selected)->name, way[i][1]);
    }
    assert_int_equal(at(session), 0); /* Right has stepped nowhere */
    run(session, "select softmax_out");
    assert_true(sw_session_key(session, "Right", &error));
    assert_true(says(session, "nothing is made of it"));
    run(session, "select branch_a_out");
    assert_true(sw_session_key(session, "Up", &error));
    assert_true(says(session, "none stands above it"));
    run(session, "pane card");
    assert_true(sw_session_key(session, "Right", &error));
    assert_int_equal(at(session), 1);
    refuses(session, "walk home", "left, right, up or down");
    sw_session_free(session);
    session = open_model(ONE, "first-fit");
    refuses(session, "walk left", "no operators");
    run(session, "graph");
    assert_true(sw_session_key(session, "Right", &error)); /* there is no graph: a step */
    assert_int_equal(at(session), 1);
    sw_session_free(session);
}

/* The cursor of the matrix of conflicts, and what is said of two buffers. */
static void conflicts(void **state) {
    (void)state;
    struct sw_session *session = open_model(CORES, "greedy-by-size");
    refuses(session, "pair D00", "no buffer is selected");
    refuses(session, "pair D00 D99", "D99");
    run(session, "pane conflicts");
    draw(session, 120, 40);
    shows("pair", "No buffer is selected");
    run(session, "last");
    run(session, "pair D00 D11");
    assert_true(says(session, "D00 and D11: conflict: conv_a on A and conv_b on B are not ordered "
                              "by any synchronisation; "
                              "here they share none"));
    draw(session, 120, 40);
    shows("pair", "Conflict: conv_a on A and conv_b on B are");
    assert_string_equal(panel("pair")->title, "D00 and D11");
    assert_string_equal(panel("conflicts")->title, "17 pairs conflict, 6 share bytes");
    run(session, "pair D0 D10");
    assert_true(says(session, "may share bytes: all operators of one come before all of the other; "
                              "here they share 4 B at "
                              "memory+0"));
    run(session, "pair D0 D00");
    assert_true(says(session, "conflict: both are needed at step 0 (split)"));
    run(session, "pair D0 D0");
    assert_true(says(session, "one buffer, not two"));
    uint64_t before = sw_session_digest(session);
    run(session, "next-column");
    struct sw_view_input in = look(session);
    assert_true(in.look.paired);
    assert_string_equal(sw_problem_buffer(sw_search_problem(in.run.search), in.look.other)->name, "D00");
    assert_true(before != sw_session_digest(session));
    run(session, "previous-column");
    run(session, "previous-column"); /* it stays at the first */
    assert_true(before == sw_session_digest(session));
    run(session, "next-row");
    assert_true(says(session, "D00 and D0: conflict: both are needed at step 0 (split)"));
    assert_string_equal(look(session).look.side->name, "conflicts");
    sw_session_free(session);
}

/* A large matrix: the mark at the cursor says what it hides, and all marks together hide every conflict. */
static void conflict_blocks(void **state) {
    (void)state;
    struct sw_session *session = open_model(MANY, "greedy-by-size");
    run(session, "last");
    run(session, "pair data d1_1_conv1");
    draw(session, 120, 40);
    shows("pair", "This mark: ");
    const struct sw_panel *matrix = panel("conflicts");
    uint64_t hidden = 0, off = 0;
    for (size_t i = 0; i < matrix->marks.count; i++) {
        const struct sw_mark *mark = &matrix->marks.items[i];
        hidden += mark->style == SW_STYLE_MERGED ? mark->hidden : 0;
        off += mark->style == SW_STYLE_GAP;
    }
    assert_string_equal(matrix->title, "420 pairs conflict, 9,342 share bytes");
    assert_int_equal(hidden, 2 * 420); /* it is its own mirror */
    assert_true(off > 100);
    sw_session_free(session);
}

static void flow(void **state) {
    (void)state;
    struct sw_session *session = open_model(CORES, "greedy-by-size");
    run(session, "last");
    run(session, "pane flow");
    run(session, "cursor 2");
    draw(session, 120, 40);
    assert_string_equal(panel("flow")->title, "flow: 2 cores, 6 operators, 2 synchronisations");
    assert_string_equal(panel("flow-operator")->title, "conv_b on B, step 2");
    assert_string_equal(text_of("flow-operator"), "loads D01 (4 B, stored by split on A)\nstores D11 (4 B)\n"
                                                  "waits for split on A\nnot ordered with conv_a on A, pool_a on A\n");
    size_t arrows = 0, bars = 0, blocks = 0;
    for (size_t i = 0; i < panel("flow")->marks.count; i++) {
        const struct sw_mark *mark = &panel("flow")->marks.items[i];
        arrows += mark->kind == SW_MARK_ARROW;
        bars += mark->kind == SW_MARK_RECT && mark->item.kind == SW_ITEM_OPERATOR;
        blocks += mark->kind == SW_MARK_RECT && mark->item.kind == SW_ITEM_BUFFER;
    }
    assert_int_equal(arrows, 2);
    assert_int_equal(bars, 6);
    assert_int_equal(blocks, 7 + 7); /* loads and stores: one each, but split stores two and concat loads two */
    run(session, "pane operators");
    draw(session, 120, 40);
    shows("operators", "2|conv_b|B|");
    run(session, "select D11");
    run(session, "pane neighbourhood");
    draw(session, 120, 40);
    shows("neighbourhood", "[pool_b]||4|B\n");
    run(session, "pane card");
    draw(session, 120, 40);
    shows("card", "written by conv_b on B (step 2)");
    sw_session_free(session);
}

/* A load that nothing orders after its store is told, at its operator and in the title. */
static void flow_races(void **state) {
    (void)state;
    struct sw_session *session = open_model(RACE, "first-fit");
    run(session, "pane flow");
    run(session, "cursor 1");
    draw(session, 120, 40);
    assert_string_equal(panel("flow")->title,
                        "flow: 2 cores, 2 operators, 0 synchronisations, 1 load not ordered after its store");
    shows("flow-operator", "no synchronisation orders its loads after");
    sw_session_free(session);
}

static void live(void **state) {
    (void)state;
    struct sw_session *session = open_model(SMALL, "first-fit");
    static const unsigned sizes[][2] = {{200, 60}, {120, 30}, {80, 24}, {40, 12}};
    run(session, "last");
    for (size_t i = 0; i < 4; i++) {
        run(session, "pane decision");
        draw(session, sizes[i][0], sizes[i][1]);
        double before = panel("live") ? panel("live")->height : 0;
        run(session, "pane live");
        draw(session, sizes[i][0], sizes[i][1]);
        assert_int_equal(panels("live"), 1);
        assert_true(panel("live")->height > before);
    }
    run(session, "whole on");
    draw(session, 80, 24);
    assert_int_equal(panels("live"), 1);
    assert_true(panel("live")->height == 22);
    sw_session_free(session);
}

static void said(void **state) {
    (void)state;
    struct sw_session *session = open_model(SMALL, "first-fit");
    struct sw_error error = {0};
    run(session, "pane log");
    run(session, "lua print('one\\ntwo')");
    assert_false(sw_session_command(session, "lua error('three')", &error));
    assert_false(sw_session_command(session, "select nobody", &error));
    draw(session, 200, 40);
    const char *one = strstr(text_of("log"), "one\ntwo\n");
    assert_non_null(one);
    assert_non_null(strstr(one, "three"));
    assert_non_null(strstr(strstr(one, "three"), "nobody"));
    for (int i = 0; i < 2500; i++) {
        char line[40];
        snprintf(line, sizeof line, "select %s", i % 2 ? "image" : "im2col");
        run(session, line);
        run(session, i % 2 ? "cursor-left" : "cursor-right");
    }
    struct sw_view_input in = look(session);
    assert_true(in.run.log_count <= 2000);
    bool kept = false;
    for (size_t i = 0; i < in.run.log_count; i++) {
        kept |= strcmp(in.run.log[i].text, "two") == 0;
    }
    assert_true(kept); /* what a script printed outlasts what commands said */
    run(session, "lua for i = 1, 100 do print('line ' .. i) end");
    draw(session, 80, 24); /* scrolled to the end */
    shows("log", "line 100\n");
    assert_null(strstr(text_of("log"), "line 80\n"));
    assert_true(panel("log")->hidden_above > 0);
    sw_session_free(session);
}

/* Nothing to show is no reason to fail. */
static void nothing(void **state) {
    (void)state;
    static const char *const panes[] = {"live", "neighbourhood", "tokens", "segments", "log"};
    static const char *const models[] = {EMPTY, ONE, SMALL};
    static const unsigned sizes[][2] = {{300, 90}, {120, 30}, {80, 24}, {40, 12}, {10, 3}};
    for (size_t m = 0; m < 3; m++) {
        struct sw_session *session = open_model(models[m], "first-fit");
        for (size_t p = 0; p < 5; p++) {
            char line[40];
            snprintf(line, sizeof line, "pane %s", panes[p]);
            run(session, line);
            for (size_t i = 0; i < 10; i++) {
                run(session, i % 2 ? "whole on" : "whole off");
                run(session, i < 5 ? "first" : "last");
                draw(session, sizes[i / 2][0], sizes[i / 2][1]);
            }
        }
        sw_session_free(session);
    }
}

/* ---- lack of memory ---- */

static size_t left;

static void *scarce(void *context, void *pointer, size_t old_size, size_t new_size) {
    (void)context, (void)old_size;
    if (new_size == 0) {
        free(pointer);
        return NULL;
    }
    return left > 0 ? (left--, realloc(pointer, new_size)) : NULL;
}

/* Whichever allocation fails: the scene says so, and nothing is lost. */
static void no_memory(void **state) {
    (void)state;
    static const char *const views[] = {"tokens", "segments", "neighbourhood", "log", "live"};
    static const char *const runs[][2] = {
        {SMALL, "token-sharing"}, {SWAP, "segment-genetic"}, {SWAP, "farthest-next-use"}};
    for (size_t r = 0; r < 3; r++) {
        struct sw_session *session = open_model(runs[r][0], runs[r][1]);
        run(session, "last");
        struct sw_view_input in = look(session);
        in.look.selected = 2;
        in.width = 100;
        in.height = 40;
        in.marks_per_unit_x = in.marks_per_unit_y = 1;
        for (size_t v = 0; v < 10; v++) {
            const struct sw_view *view = sw_view_find(views[v % 5], NULL);
            bool failed = true;
            in.medium = v >= 5 ? SW_ON_PAGE : SW_ON_CELLS;
            for (size_t allowed = 0; failed; allowed++) {
                struct sw_scene poor = {.width = 600, .height = 500};
                left = allowed;
                sw_mem_hook(scarce, NULL);
                view->build(
                    &in, &poor,
                    (struct sw_box){0, 0, in.medium == SW_ON_PAGE ? 600 : 100, in.medium == SW_ON_PAGE ? 500 : 40});
                left = SIZE_MAX;
                failed = poor.failed;
                sw_scene_done(&poor);
                sw_mem_hook(NULL, NULL);
                assert_true(allowed < 5000);
            }
        }
        sw_session_free(session);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens),
        cmocka_unit_test(segments),
        cmocka_unit_test(neighbourhood),
        cmocka_unit_test(graph_in_columns),
        cmocka_unit_test(graph_is_walked),
        cmocka_unit_test(live),
        cmocka_unit_test(said),
        cmocka_unit_test(nothing),
        cmocka_unit_test(no_memory),
        cmocka_unit_test(flow),
        cmocka_unit_test(flow_races),
        cmocka_unit_test(conflicts),
        cmocka_unit_test(conflict_blocks),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    sw_scene_done(&scene);
    return failed;
}
