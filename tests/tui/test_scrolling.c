/* Panes that hold more than fits: what is below and above comes into view, and no further; and names that are too
 * long lose their middle, not the reason behind them. */
#include "tui/drawn.h"

#include "view/view.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHIPS SW_TEST_SOURCE "/scripts/models/"
#define LONG SW_TEST_SOURCE "/tests/tui/models/long_names.json"

static struct sw_scene scene;

static const struct sw_panel *look_at(struct sw_session *session, unsigned width, unsigned height) {
    struct sw_error error = {0};
    if (!sw_session_screen(session, &scene, width, height, 1, 2, &error)) {
        fail_msg("%s", error.message);
    }
    for (size_t i = 0; i < scene.panels.count; i++) {
        if (scene.panels.items[i].less) {
            return &scene.panels.items[i];
        }
    }
    return NULL;
}

static void press(struct sw_session *session, const char *key) {
    struct sw_error error = {0};
    if (!sw_session_key(session, key, &error)) {
        fail_msg("%s: %s", key, error.message);
    }
}

/* To the end of a pane and further, and back: every key that can move it moves it at once. */
static void there_and_back(struct sw_session *session, const char *what) {
    const struct sw_panel *panel = look_at(session, 80, 24);
    unsigned steps = 0, more = 40;
    if (!panel && strcmp(what, "decision") == 0) { /* all of it is there */
        return;
    }
    for (unsigned i = 0; i < more || (panel->hidden_above > 0 && i < 400);
         i++) { /* to the top: a list begins at its focus */
        press(session, "Ctrl-U");
        panel = look_at(session, 80, 24);
    }
    if (panel->hidden_above > 0) {
        fail_msg("%s: %u are above after all", what, (unsigned)panel->hidden_above);
    }
    while ((panel->hidden_below > 0 || (steps == 0 && panel->flows && strcmp(what, "decision") == 0)) && steps < 400) {
        uint64_t below = panel->hidden_below, over = panel->hidden_above;
        uint64_t seen = (uint64_t)panel->height - (panel->flows ? 2 : 3); /* without title, heads and the last line */
        press(session, "Ctrl-D");
        panel = look_at(session, 80, 24);
        if (panel->hidden_above > over + seen) {
            fail_msg("%s: of %u rows %u were shown, and then those from %u on", what, (unsigned)over, (unsigned)seen,
                     (unsigned)panel->hidden_above);
        }
        bool again = steps == 0 && strcmp(what, "decision") == 0; /* the first page of all, which was shown in part */
        if (panel->hidden_below >= below && !again) {
            fail_msg("%s: %u below still", what, (unsigned)below);
        }
        steps++;
    }
    assert_true(steps < 400);
    uint64_t above = panel->hidden_above;
    for (unsigned i = 0; i < more; i++) {
        press(session, "Ctrl-D");
        panel = look_at(session, 80, 24);
        if (panel->hidden_above != above || panel->hidden_below > 0) {
            fail_msg("%s: %u above, not %u; %u below", what, (unsigned)panel->hidden_above, (unsigned)above,
                     (unsigned)panel->hidden_below);
        }
        assert_true(says(session, "nothing more below"));
    }
    if (steps > 0) {
        press(session, "Ctrl-U");
        panel = look_at(session, 80, 24);
        if (panel->hidden_above >= above) {
            fail_msg("%s: Ctrl-U does not come back", what);
        }
    }
}

static const struct {
    const char *path, *planner;
} runs[] = {{SHIPS "mobilenet_v1_025_96.json", "greedy-by-size"},
            {SHIPS "resnet50.lua", "token-sharing"},
            {SHIPS "two_tiers.json", "tier-search"},
            {SHIPS "branches.json", "order-genetic"},
            {SW_TEST_SOURCE "/tests/tui/models/moves.json", NULL},
            {LONG, "greedy-by-size"}};

static void scrolls_to_the_ends(void **state) {
    (void)state;
    static const char *const panes[] = {"decision",      "decisions",   "buffers", "card",      "blame",  "free",
                                        "neighbourhood", "operators",   "bounds",  "branches",  "tokens", "segments",
                                        "convergence",   "search-tree", "cost",    "occupancy", "log"};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct sw_session *session = open_model(runs[i].path, runs[i].planner);
        run(session, "last");
        run(session, "lua for i = 1, 30 do print('line ' .. i) end");
        for (size_t k = 0; k < sizeof panes / sizeof *panes; k++) {
            char line[64];
            snprintf(line, sizeof line, "pane %s", panes[k]);
            run(session, line);
            there_and_back(session, panes[k]);
        }
        sw_session_free(session);
    }
    sw_scene_done(&scene);
}

/* And while runs are compared, below the maps and with the whole screen. */
static void compared_runs_scroll(void **state) {
    (void)state;
    static const char *const panes[] = {"beside", "offsets", "blame", "buffers", "bounds", "decisions"};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        struct sw_session *session = open_model(runs[i].path, runs[i].planner);
        run(session, "compare first-fit tflm-greedy best-fit");
        run(session, "last");
        for (size_t k = 0; k < 2 * sizeof panes / sizeof *panes; k++) {
            char line[64];
            snprintf(line, sizeof line, "pane %s", panes[k / 2]);
            run(session, line);
            run(session, k % 2 ? "whole on" : "whole off");
            there_and_back(session, panes[k / 2]);
        }
        sw_session_free(session);
    }
    sw_scene_done(&scene);
}

/* The log tells the rows that were seen: a session is the same when it is opened again, though the screen is not. */
static void the_log_has_what_was_seen(void **state) {
    (void)state;
    char path[] = "/tmp/stowage-scrolling-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    unlink(path);
    struct sw_error error = {0};
    struct sw_session *session = open_model(runs[0].path, runs[0].planner);
    run(session, "goto-peak");
    run(session, "pane blame");
    for (int i = 0; i < 9; i++) { /* as fast as keys come: nothing is drawn between them */
        press(session, "Ctrl-D");
    }
    uint64_t above = look_at(session, 80, 24)->hidden_above;
    press(session, "Ctrl-U");
    assert_true(above > 0);
    const struct sw_panel *panel = look_at(session, 80, 24);
    uint64_t page = (uint64_t)panel->height - 3;
    assert_int_equal(panel->hidden_above, above > page ? above - page : 0);
    assert_true(sw_session_save(session, path, &error));
    struct sw_session *again = sw_session_open(path, &error);
    assert_non_null(again);
    assert_true(sw_session_digest(again) == sw_session_digest(session));
    sw_session_free(again);
    sw_session_free(session);
    sw_scene_done(&scene);
    unlink(path);
}

/* A list of decisions that keeps only some: it scrolls, and says so. */
static void kept_decisions_scroll(void **state) {
    (void)state;
    static const char *const which[] = {"only place", "only _out", "only peak"};
    for (size_t i = 0; i < 3; i++) {
        struct sw_session *session = open_model(runs[0].path, runs[0].planner);
        run(session, "last");
        run(session, which[i]);
        const struct sw_panel *panel = look_at(session, 80, 24);
        assert_non_null(panel);
        if (panel->hidden_above > 0) {
            assert_string_equal(panel->less, "Ctrl-U");
            uint64_t all = panel->hidden_above + panel->hidden_below;
            press(session, "Ctrl-U");
            panel = look_at(session, 80, 24);
            assert_true(panel->hidden_above + panel->hidden_below == all && panel->hidden_below > 0);
            assert_string_equal(panel->more, "Ctrl-D");
        } else {
            assert_true(i == 2);
        }
        there_and_back(session, which[i]);
        sw_session_free(session);
    }
    sw_scene_done(&scene);
}

/* The pane of a decision leaves out what has no room, says so, and shows it page by page: all sentences, and every
 * place that was looked at. */
static void decisions_are_paged(void **state) {
    (void)state;
    static const unsigned sizes[][2] = {{80, 24}, {40, 12}, {120, 30}};
    struct sw_session *session = open_model(runs[0].path, runs[0].planner);
    struct sw_view_input in = {0};
    run(session, "goto-peak");
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        bool candidates[64] = {false}, peak = false;
        const struct sw_panel *panel = NULL;
        run(session, "step");
        run(session, "back"); /* to the top */
        for (unsigned page = 0; page < 40; page++) {
            look_at(session, sizes[s][0], sizes[s][1]);
            for (size_t i = 0; i < scene.panels.count; i++) {
                panel = strcmp(scene.panels.items[i].id, "decision") == 0 ? &scene.panels.items[i] : panel;
            }
            for (size_t r = 0; r < panel->rows.count; r++) {
                const struct sw_row *row = &panel->rows.items[r];
                if (row->item.kind == SW_ITEM_CANDIDATE && row->item.id < 64) {
                    candidates[row->item.id] = true;
                }
                peak |= strstr(panel->texts.items[row->first].text, "It raises the peak") != NULL;
            }
            press(session, "Ctrl-D");
        }
        in = look(session);
        assert_true(in.run.explanation->candidates.count >= 3 && peak);
        for (size_t i = 0; i < in.run.explanation->candidates.count && i < 64; i++) {
            assert_true(candidates[i]);
        }
        assert_true(says(session, "nothing more below"));
        press(session, "Ctrl-U");
        assert_false(says(session, "nothing more"));
    }
    sw_session_free(session);
    sw_scene_done(&scene);
}

static void rows_can_be_counted(void **state) {
    (void)state;
    struct sw_session *session = open_model(runs[0].path, runs[0].planner);
    run(session, "pane operators");
    run(session, "scroll-down 3");
    assert_int_equal(look_at(session, 80, 24)->hidden_above, 3);
    run(session, "scroll-up 2");
    assert_int_equal(look_at(session, 80, 24)->hidden_above, 1);
    refuses(session, "scroll-down much", "much");
    run(session, "pane conflicts");
    run(session, "scroll-down");
    assert_true(says(session, "does not scroll; Z gives it the screen"));
    sw_session_free(session);
    sw_scene_done(&scene);
}

/* ---- names ---- */

/* Is a text cut at its end anywhere in the grid, but in header and footer? */
static void nothing_cut(const struct sw_frame *frame, const char *what) {
    const struct sw_grid *grid = &frame->grid;
    for (unsigned y = 1; y + 3 < grid->rows; y++) {
        for (unsigned x = 0; x < grid->columns; x++) {
            if (strcmp(sw_grid_cell(grid, x, y)->text, "…") == 0) {
                fail_msg("%s: row %u is cut at column %u", what, y, x);
            }
        }
    }
}

static bool frame_has(const struct sw_frame *frame, const char *wanted) {
    const struct sw_grid *grid = &frame->grid;
    char row[2000];
    for (unsigned y = 0; y < grid->rows; y++) {
        size_t used = 0;
        row[0] = '\0';
        for (unsigned x = 0; x < grid->columns; x++) {
            used += (size_t)snprintf(row + used, sizeof row - used, "%s", sw_grid_cell(grid, x, y)->text);
        }
        if (strstr(row, wanted)) {
            return true;
        }
    }
    return false;
}

/* A table of the planner's state that is wider than its pane goes on below itself: every column is there, none is cut.
 */
static void state_tables_go_on_below(void **state) {
    (void)state;
    static const char *const heads[] = {"member",         "generation", "peak", "continuity",
                                        "above capacity", "cost",       "what", "may reuse the one before"};
    struct sw_frame frame = {0};
    struct sw_session *session = open_model(SHIPS "branches.json", "order-genetic");
    run(session, "last");
    run(session, "pane state");
    draw(&frame, session, 120, 40);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        if (!frame_has(&frame, heads[i])) {
            fail_msg("no column '%s'", heads[i]);
        }
    }
    nothing_cut(&frame, "state");
    assert_true(frame_has(&frame, "population, continued"));
    sw_frame_done(&frame);
    sw_session_free(session);
}

static bool frame_has_panel(const struct sw_frame *frame, const char *id) {
    for (size_t i = 0; i < frame->scene.panels.count; i++) {
        if (strcmp(frame->scene.panels.items[i].id, id) == 0) {
            return true;
        }
    }
    return false;
}

/* The figures of the publications are reached by keys that go through the panes, in small terminals and large ones;
 * their titles and names are whole, and what has no room is scrolled to. */
static void figures_are_panes(void **state) {
    (void)state;
    static const struct {
        const char *model, *planner, *panel, *last;
        bool scrolls; /* to the last one, of what does not have room at first */
    } figures[] = {
        {SHIPS "cpu_npu.lua", "token-sharing", "token-life", "found", true},
        {SHIPS "mobilenet_v1_025_96.json", "lifetime-best-fit", "queues", "softmax", true},
        {SHIPS "two_cores.lua", "order-genetic", "block-diagram", "concat", true},
        {SHIPS "mobilenet_v1_025_96.json", "order-genetic", "sort", "31 of 32", true},
        {SW_TEST_SOURCE "/tests/golden/models/swap.json", "segment-genetic", "moves", "segment", false},
        {SW_TEST_SOURCE "/tests/golden/models/swap.json", "segment-genetic", "tiers", "most in use", false},
        {SHIPS "two_cores.lua", "best-fit", "conflicts", "17 pairs conflict", false},
    };
    static const unsigned sizes[][2] = {{80, 24}, {200, 60}};
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        struct sw_frame frame = {0};
        struct sw_session *session = open_model(figures[i].model, figures[i].planner);
        run(session, "last");
        for (size_t turns = 0; turns == 0 || !frame_has_panel(&frame, figures[i].panel); turns++) {
            if (turns == sw_view_count()) {
                fail_msg("no key leads to %s", figures[i].panel);
            }
            run(session, "pane");
            draw(&frame, session, 80, 24);
        }
        for (size_t s = 0; s < 4; s++) {
            const unsigned *size = sizes[s % 2];
            run(session, s < 2 ? "whole off" : "whole on");
            draw(&frame, session, size[0], size[1]);
            nothing_cut(&frame, figures[i].panel);
            unsigned pages = 0;
            for (; figures[i].scrolls && pages < 40 && !frame_has(&frame, figures[i].last); pages++) {
                run(session, "scroll-down 4");
                draw(&frame, session, size[0], size[1]);
                nothing_cut(&frame, figures[i].panel);
            }
            if (!frame_has(&frame, figures[i].last)) {
                fail_msg("%s at %ux%u never shows '%s'", figures[i].panel, size[0], size[1], figures[i].last);
            }
            for (; pages > 0; pages--) {
                run(session, "scroll-up 4");
            }
        }
        sw_frame_done(&frame);
        sw_session_free(session);
    }
}

static void long_names_are_shortened(void **state) {
    (void)state;
    static const char *const panes[] = {"decision", "decisions", "card",   "blame",         "free",
                                        "buffers",  "operators", "bounds", "neighbourhood", "conflicts"};
    struct sw_frame frame = {0};
    struct sw_session *session = open_model(LONG, "greedy-by-size");
    run(session, "goto-peak");
    run(session, "whole on");
    for (size_t i = 0; i < sizeof panes / sizeof *panes; i++) {
        char line[64];
        snprintf(line, sizeof line, "pane %s", panes[i]);
        run(session, line);
        draw(&frame, session, 80, 24);
        nothing_cut(&frame, panes[i]);
    }
    run(session, "compare first-fit token-sharing");
    for (size_t i = 0; i < 12; i++) { /* rows scroll past, and none is cut */
        draw(&frame, session, 80, 24);
        nothing_cut(&frame, "beside");
        run(session, "scroll-down 4");
    }
    run(session, "pane offsets");
    draw(&frame, session, 80, 24);
    nothing_cut(&frame, "offsets");
    sw_session_free(session);
    session = open_model(LONG, "token-sharing");
    run(session, "last");
    run(session, "pane tokens");
    run(session, "whole on");
    for (unsigned i = 0; i < 12; i++) {
        draw(&frame, session, 80, 24);
        nothing_cut(&frame, "tokens");
        run(session, "back");
    }
    run(session, "pane live");
    draw(&frame, session, 80, 24);
    nothing_cut(&frame, "live");
    run(session, "capacity 16K");
    run(session, "planner segment-genetic");
    run(session, "set choices=plain");
    run(session, "last");
    run(session, "pane segments");
    draw(&frame, session, 80, 24);
    nothing_cut(&frame, "segments");
    assert_true(frame_has(&frame, "3 buffers: block_")); /* names that short have room */
    sw_frame_done(&frame);
    sw_session_free(session);
}

/* No column of the planner's state is cut, however many there are: a wide table goes on below itself. */
static void columns_of_state_are_whole(void **state) {
    (void)state;
    static const char *const planners[] = {"order-genetic",    "segment-genetic", "token-sharing", "lifetime-best-fit",
                                           "branch-and-bound", "best-fit",        "cuda-caching"};
    struct sw_frame frame = {0};
    unsigned seen = 0;
    for (size_t i = 0; i < sizeof planners / sizeof *planners; i++) {
        struct sw_session *session = open_model(SHIPS "example1.json", "first-fit");
        run(session, "capacity 8K");
        char line[64];
        snprintf(line, sizeof line, "planner %s", planners[i]);
        run(session, line);
        run(session, "goto 9");
        run(session, "pane state");
        for (unsigned width = 60; width <= 200; width += 20) {
            for (int whole = width < 120; whole < 2; whole++) { /* below the map there is no room for all tables */
                struct sw_state_tables tables = {.most = 100};
                run(session, whole ? "whole on" : "whole off");
                draw(&frame, session, width, 150);
                sw_search_state(sw_session_search(session), &tables);
                for (size_t t = 0; t < tables.items.count; t++) {
                    const struct sw_state_table *table = &tables.items.items[t];
                    for (uint32_t c = 0; table->row_count > 0 && c < table->column_count; c++, seen++) {
                        if (!frame_has(&frame, table->columns[c])) {
                            fail_msg("%s, %u wide: column %s of %s is cut", planners[i], width, table->columns[c],
                                     table->name);
                        }
                    }
                    for (size_t k = 0; k < table->cells.count; k++) {
                        const struct sw_state_cell *cell = &table->cells.items[k];
                        if (cell->kind == SW_CELL_WORD && !frame_has(&frame, cell->word)) {
                            fail_msg("%s, %u wide: '%s' of %s is cut", planners[i], width, cell->word, table->name);
                        }
                    }
                }
                sw_state_tables_done(&tables);
            }
        }
        sw_session_free(session);
    }
    assert_true(seen > 1000);
    sw_frame_done(&frame);
}

/* The verdict of a candidate, from the rows that it takes. */
static void verdict(size_t candidate, char *text, size_t size) {
    text[0] = '\0';
    for (size_t i = 0; i < scene.panels.count; i++) {
        const struct sw_panel *panel = &scene.panels.items[i];
        for (size_t k = 0; k < panel->rows.count && strcmp(panel->id, "decision") == 0; k++) {
            const struct sw_row *row = &panel->rows.items[k];
            if (row->item.kind == SW_ITEM_CANDIDATE && row->item.id == candidate) {
                size_t used = strlen(text);
                const char *part = panel->texts.items[row->first + row->count - 1].text;
                snprintf(text + used, size - used, "%s%s", used ? " " : "", part);
            }
        }
    }
}

/* Whatever the width: every place that is listed has all of its reason, in rows no wider than the pane. */
static void verdicts_are_whole(void **state) {
    (void)state;
    static const struct {
        const char *path;
        unsigned width, height;
    } screens[] = {{SHIPS "mobilenet_v1_025_96.json", 100, 40},
                   {SHIPS "mobilenet_v1_025_96.json", 80, 24},
                   {LONG, 80, 24},
                   {LONG, 110, 44},
                   {LONG, 200, 60}};
    struct sw_frame frame = {0};
    for (size_t i = 0; i < sizeof screens / sizeof *screens; i++) {
        struct sw_session *session = open_model(screens[i].path, "greedy-by-size");
        unsigned checked = 0;
        run(session, "goto-peak");
        look_at(session, screens[i].width, screens[i].height);
        const struct sw_explanation *explanation = look(session).run.explanation;
        for (size_t k = 0; k < explanation->candidates.count; k++) {
            const struct sw_candidate *candidate = &explanation->candidates.items[k];
            char text[600];
            verdict(k, text, sizeof text);
            const char *alive = strstr(candidate->reason, ", alive "), *dots = alive ? strstr(alive, "..") : NULL;
            if (!*text || !dots) {
                continue;
            }
            checked++;
            dots--; /* the last digit of when it is born */
            if (strncmp(text, "overlaps ", 9) != 0 || !strstr(text, dots)) {
                fail_msg("candidate %zu says '%s', not '%s'", k, text, candidate->reason);
            }
        }
        assert_true(checked > 0);
        draw(&frame, session, screens[i].width, screens[i].height);
        bool beside = screens[i].width >= 100;
        for (unsigned y = beside ? 1 : screens[i].height / 2; y + 3 < screens[i].height; y++) {
            for (unsigned x = beside ? screens[i].width - 38 : 0; x < screens[i].width; x++) {
                assert_true(strcmp(sw_grid_cell(&frame.grid, x, y)->text, "…") != 0);
            }
        }
        sw_session_free(session);
    }
    sw_frame_done(&frame);
    sw_scene_done(&scene);
}

int main(void) {
    setlocale(LC_CTYPE, "C.UTF-8");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scrolls_to_the_ends),      cmocka_unit_test(the_log_has_what_was_seen),
        cmocka_unit_test(kept_decisions_scroll),    cmocka_unit_test(decisions_are_paged),
        cmocka_unit_test(rows_can_be_counted),      cmocka_unit_test(long_names_are_shortened),
        cmocka_unit_test(compared_runs_scroll),     cmocka_unit_test(columns_of_state_are_whole),
        cmocka_unit_test(state_tables_go_on_below), cmocka_unit_test(figures_are_panes),
        cmocka_unit_test(verdicts_are_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
