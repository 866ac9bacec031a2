/* The screen as a scene: which keys the footer names, where the overview stands, and the screen as
 * lines of text. */
#include "view/scene/short_names.h"
#include "tui/scenes.h"

#include "command/commands.h"
#include "tui/tui.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MODEL SW_TEST_SOURCE "/tests/tui/models/small.json"
#define TIERS SW_TEST_SOURCE "/scripts/models/two_tiers.json"

static struct sw_sink text;

/* ---- the footer ---- */

/* "s step|S back|...": what it names now; the status, if any, is left out. */
static const char *footer(struct sw_session *session, unsigned width) {
    static char line[512];
    draw(session, width, 24);
    const struct sw_panel *bar = panel("footer");
    assert_non_null(bar);
    line[0] = '\0';
    unsigned keys = 0;
    for (uint32_t i = 0; i < bar->texts.count; i++) {
        const struct sw_text *cell = &bar->texts.items[i];
        size_t used = strlen(line), length = strlen(cell->text);
        if (cell->style == SW_STYLE_KEY) {
            snprintf(line + used, sizeof line - used, "%s%s", used ? "|" : "", cell->text + strspn(cell->text, " "));
            keys++;
        } else if (keys > 0) {
            assert_true(length > 1); /* every key says what it does */
            snprintf(line + used, sizeof line - used, " %.*s", (int)length - 1, cell->text);
        }
    }
    assert_true(keys <= 8);
    return line;
}

static void quiet(struct sw_session *session) {
    run(session, "redraw"); /* says nothing */
}

static void footer_follows_the_state(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    quiet(session);
    assert_string_equal(footer(session, 200),
                        "s step|o next operator|c continue|p peak|b break|w what-if|? help|q quit");
    run(session, "step 3");
    quiet(session);
    assert_non_null(strstr(footer(session, 200), "s step|S back|"));
    run(session, "next-candidate");
    quiet(session);
    assert_int_equal(strncmp(footer(session, 200), "Down next place|Y ghosts|", 24), 0); /* it was refused */
    run(session, "previous-candidate");
    quiet(session);
    assert_int_equal(strncmp(footer(session, 200), "x choose|Down next place|Y ghosts|", 33), 0);
    run(session, "last");
    quiet(session);
    assert_null(strstr(footer(session, 200), "step"));
    assert_null(strstr(footer(session, 200), "continue"));
    run(session, "pane buffers");
    quiet(session);
    assert_int_equal(strncmp(footer(session, 200), "} next row|R sort|F filter|", 27), 0);
    run(session, "zoom-in");
    quiet(session);
    assert_non_null(strstr(footer(session, 200), "|0 all|"));
    run(session, "text on");
    quiet(session);
    assert_null(strstr(footer(session, 200), "0 all")); /* there is no window */
    run(session, "pane decision");
    run(session, "select image");
    run(session, "hold");
    assert_string_equal(footer(session, 200) + 0, "Enter put it there|Up carry it|Esc let go|S "
                                                  "back|p peak|b break|? help|q quit");
    sw_session_free(session);
}

/* However small the screen and whatever is to be said, help and quit are there. */
static void footer_ends_with_help_and_quit(void **state) {
    (void)state;
    static const char *const lines[] = {"redraw", "pane card", "select image", "goto 4"};
    struct sw_session *session = open_model(MODEL, "first-fit");
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        run(session, lines[i]);
        for (unsigned width = 40; width <= 200; width += 5) {
            const char *keys = footer(session, width);
            const char *end = strstr(keys, "? help|q quit");
            const char *brief = strstr(keys, "?|q");
            assert_true((end && strcmp(end, "? help|q quit") == 0) || (brief && strcmp(brief, "?|q") == 0));
        }
    }
    sw_session_free(session);
}

/* While something runs, what stops it comes first. */
static void footer_of_a_run(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    assert_true(sw_session_command(session, "last", NULL));
    if (sw_session_busy(session)) {
        assert_int_equal(strncmp(footer(session, 200), "Esc stop|", 9), 0);
        assert_null(strstr(footer(session, 200), "s step"));
    }
    sw_session_free(session);
}

/* ---- the overview ---- */

static void overview_when_zoomed(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    run(session, "last");
    for (unsigned width = 40; width <= 200; width += 40) {
        draw(session, width, 60);
        assert_true(!panel("overview") && !panel("window"));
    }
    run(session, "zoom 2 4 4096 8192");
    draw(session, 200, 60);
    const struct sw_panel *whole = panel("overview"), *map = panel("map");
    assert_true(whole && map && !panel("window"));
    assert_true(whole->left >= map->left + map->width); /* it covers nothing */
    const struct sw_mark *frame = &whole->marks.items[whole->marks.count - 1];
    assert_int_equal(frame->kind, SW_MARK_FRAME);
    assert_true(frame->x0 == 2 && frame->x1 == 4 && frame->y0 == 4096 && frame->y1 == 8192);
    assert_true(whole->x.lo == 0 && whole->x.hi == 7);
    assert_string_equal(whole->title, "window: steps 2..3 of 7, 4K..8K of 24.4K");
    draw(session, 80, 24);
    const struct sw_panel *line = panel("window");
    assert_true(line && !panel("overview"));
    assert_true(line->top + line->height <= panel("map")->top);
    assert_string_equal(line->texts.items[0].text,
                        "window: steps 2..3 of 7 [...====.....], 4K..8K of 24.4K [.===........]");
    draw(session, 40, 12);
    assert_string_equal(panel("window")->texts.items[0].text, "window: steps 2..3 of 7, 4K..8K of 24.4K");
    run(session, "zoom-fit");
    draw(session, 80, 24);
    assert_null(panel("window"));
    sw_session_free(session);
}

/* ---- lines of text ---- */

static const char *lines_of(struct sw_session *session, unsigned width, unsigned height) {
    struct sw_frame frame = {0};
    struct sw_error error = {0};
    if (!sw_frame_draw(&frame, session, width, height, SW_FRAME_MONO, &error)) {
        fail_msg("%s", error.message);
    }
    text.text.count = 0;
    sw_grid_text(&frame.grid, &text);
    sw_sink_add(&text, "", 1);
    sw_frame_done(&frame);
    return text.text.items;
}

static void shows_line(struct sw_session *session, const char *part) {
    const char *all = lines_of(session, 100, 50);
    if (!strstr(all, part)) {
        fail_msg("'%s' is not in\n%s", part, all);
    }
}

static void told_in_words(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    run(session, "last");
    run(session, "cursor 3");
    run(session, "select conv_2_out");
    run(session, "text");
    shows_line(session, "Cursor at add_1 (step 3): 20K live; most live 20K at add_1 (step 3).");
    shows_line(session, "Peak 23.5K, lower bound 20K, +17.5%.");
    shows_line(session, "Selected: conv_2_out, 6K, alive 2..3, at ");
    shows_line(session, " bytes alive block, from the top");
    shows_line(session, " free\n"); /* a gap */
    shows_line(session, "Places probabilities (40 B)");
    const char *all = lines_of(session, 100, 50);
    for (const char *at = all; *at; at++) { /* no picture; names may be of any script */
        assert_false((unsigned char)at[0] == 0xe2 && (unsigned char)at[1] >= 0x94 && (unsigned char)at[1] <= 0x97);
    }
    draw(session, 100, 50);
    for (size_t i = 0; i < scene.panels.count; i++) {
        assert_int_equal(scene.panels.items[i].kind, SW_PANEL_TABLE);
    }
    run(session, "pane conflicts"); /* a plot, mark by mark */
    shows_line(session, "pairs conflict");
    shows_line(session, "live  image ");
    run(session, "text off");
    draw(session, 100, 50);
    assert_non_null(panel("map"));
    sw_session_free(session);
}

static void tiers_and_runs_in_words(void **state) {
    (void)state;
    struct sw_session *session = open_model(TIERS, "tier-search");
    run(session, "text on");
    run(session, "last");
    shows_line(session, "sram: peak 60 B of 100 B, 40 B to spare.");
    run(session, "compare first-fit");
    shows_line(session, "side by side, in step by decision");
    sw_session_free(session);
}

/* Blocks that share bytes, in place, leave no gap where one of them lies. */
static void shared_bytes_are_no_gap(void **state) {
    (void)state;
    struct sw_session *session = open_model(TIERS, "tier-search");
    run(session, "last");
    run(session, "pane free");
    run(session, "whole on");
    assert_null(strstr(lines_of(session, 80, 24), " free\n"));
    sw_session_free(session);
}

static int done(void **state) {
    (void)state;
    sw_scene_done(&scene);
    sw_sink_done(&text);
    return 0;
}

/* ---- narrow screens ---- */

static const char *bar_text(const char *id) {
    static char line[4000];
    const struct sw_panel *bar = panel(id);
    line[0] = '\0';
    for (size_t i = 0; bar && i < bar->texts.count; i++) {
        size_t used = strlen(line);
        snprintf(line + used, sizeof line - used, "%s", bar->texts.items[i].text);
    }
    return line;
}

static void header_keeps_what_matters(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    run(session, "step 3");
    run(session, "pin probabilities 20K");
    run(session, "last");
    for (unsigned width = 40; width <= 200; width++) {
        draw(session, width, 24);
        assert_non_null(strstr(bar_text("header"), " peak "));
        assert_non_null(strstr(bar_text("header"), " bound "));
        assert_non_null(strstr(bar_text("header"), " branch 2"));
    }
    run(session, "name a-name-that-takes-half-of-the-line");
    for (unsigned width = 80; width <= 200; width++) { /* names lose their middle before any is left out */
        draw(session, width, 24);
        assert_non_null(strstr(bar_text("header"), " small.json"));
        assert_non_null(strstr(bar_text("header"), " first-fit"));
        assert_non_null(strstr(bar_text("header"), " branch 2"));
    }
    sw_session_free(session);
    session = open_model(SW_TEST_SOURCE "/scripts/models/mobilenet_v1_025_96.json", "greedy-by-size");
    run(session, "goto-peak");
    draw(session, 80, 24);
    assert_string_equal(bar_text("header"),
                        " mobilen...96.json greedy-by-size decision 4/32 peak 63K bound 54K +16.7%");
    sw_session_free(session);
}

/* How many places are out of sight is said in no row that something else needs, and what is said of a place stands
 * there once, and whole. */
static void places_take_no_row(void **state) {
    (void)state;
    struct sw_session *session = open_model(SW_TEST_SOURCE "/scripts/models/mobilenet_v1_025_96.json", "auto");
    run(session, "last");
    draw(session, 80, 24);
    const struct sw_panel *decision = panel("decision");
    assert_string_equal(decision->title, "decision 100: finish; 1 more: Down");
    assert_true(decision->hidden_below == 0 && (double)decision->rows.count < decision->height);
    assert_string_equal(row_text(decision, decision->rows.count - 1), "2 other candidates were possible.");
    sw_session_free(session);
    session = open_model(SW_TEST_SOURCE "/scripts/models/mobilenet_v1_025_96.json", "greedy-by-size");
    run(session, "goto-peak");
    run(session, "candidate 2");
    draw(session, 80, 24);
    unsigned told = 0;
    decision = panel("decision");
    for (size_t i = 0; i < decision->rows.count; i++) {
        told += strstr(row_text(decision, i), "overlaps conv_1_out, alive 0..1") != NULL;
    }
    assert_int_equal(told, 1);
    assert_true(says(session, "candidate 2: refused, overlaps conv_1_out, alive 0..1"));
    refuses(session, "choose 2", "candidate 2 cannot be had: overlaps conv_1_out, alive 0..1");
    sw_session_free(session);
}

/* A branch keeps its number for good: one that is made after an undo gets the next, in header and list. */
static void numbers_after_undo(void **state) {
    (void)state;
    struct sw_session *session =
        open_model(SW_TEST_SOURCE "/scripts/models/mobilenet_v1_025_96.json", "greedy-by-size");
    run(session, "step");
    run(session, "pin conv_1_out 0");
    draw(session, 200, 60);
    assert_non_null(strstr(bar_text("header"), " branch 2 of 2"));
    run(session, "undo");
    refuses(session, "branch 2", "there is no branch 2: it was undone or dropped");
    run(session, "pin image 18432");
    run(session, "pane branches");
    draw(session, 200, 60);
    assert_non_null(strstr(bar_text("header"), " branch 3 "));
    assert_null(strstr(bar_text("header"), " branch 3 of"));
    assert_string_equal(row_text(panel("branches"), 2), "3|  pin image 18432|1|54K|-9K");
    sw_session_free(session);
}

/* Keys of a pane are told where they do something. */
static void keys_that_do_something(void **state) {
    (void)state;
    struct sw_session *session =
        open_model(SW_TEST_SOURCE "/scripts/models/mobilenet_v1_025_96.json", "greedy-by-size");
    run(session, "last");
    run(session, "pane suggestions");
    quiet(session);
    assert_null(strstr(footer(session, 200), "make it"));
    assert_true(sw_session_key(session, "Down", NULL));
    assert_true(says(session, "candidate 1: chosen, "));
    run(session, "pane front");
    quiet(session);
    assert_null(strstr(footer(session, 200), "next model"));
    run(session, "candidate");
    run(session, "suggest");
    assert_true(sw_session_finish(session, NULL));
    quiet(session);
    assert_int_equal(strncmp(footer(session, 200), "Enter make it|Down next one|", 28), 0);
    sw_session_free(session);
    session = open_model(SW_TEST_SOURCE "/tests/golden/models/strips.json", "greedy-by-size");
    run(session, "fit");
    quiet(session);
    assert_int_equal(strncmp(footer(session, 200), "Enter take it|} next model|", 27), 0);
    sw_session_free(session);
}

/* Where a reason stands at the end of a message it is there at every size. */
static void messages_keep_their_reason(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    sw_session_command(session, "sort nonsense", NULL);
    for (unsigned width = 40; width <= 160; width += 3) {
        draw(session, width, 24);
        const struct sw_panel *bar = panel("footer");
        assert_true(bar->top + bar->height == 24);
        assert_true(bar->height == (double)bar->rows.count);
        assert_non_null(strstr(bar_text("footer"), "say birth"));
        assert_non_null(strstr(bar_text("footer"), "'nonsense'"));
    }
    sw_session_free(session);
}

static void one_log(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    run(session, "lua print('from a script')");
    sw_session_command(session, "pin nothing 0", NULL);
    run(session, "pane log");
    run(session, "whole");
    draw(session, 200, 40);
    assert_non_null(strstr(bar_text("log"), "from a script"));
    assert_non_null(strstr(bar_text("log"), "there is no buffer 'nothing'"));
    run(session, "log");
    draw(session, 200, 40);
    assert_non_null(strstr(bar_text("page"), "from a script"));
    assert_non_null(strstr(bar_text("page"), "there is no buffer 'nothing'"));
    sw_session_free(session);
}

static void panes_say_how_to_scroll(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    run(session, "last");
    run(session, "pane buffers");
    draw(session, 80, 24);
    uint64_t below = panel("buffers")->hidden_below;
    assert_true(below > 0 && panel("buffers")->hidden_above == 0);
    assert_string_equal(panel("buffers")->more, "Ctrl-D");
    run(session, "scroll-down");
    draw(session, 80, 24);
    assert_true(panel("buffers")->hidden_below < below && panel("buffers")->hidden_above > 0);
    assert_string_equal(panel("buffers")->less, "Ctrl-U");
    run(session, "scroll-up");
    draw(session, 80, 24);
    assert_true(panel("buffers")->hidden_below == below);
    sw_session_free(session);
}

/* v comes by the panes that this planner fills, and by no other; names reach all. */
static void panes_with_something_to_show(void **state) {
    (void)state;
    static const char *const planners[] = {"first-fit", "token-sharing"};
    for (size_t i = 0; i < 2; i++) {
        struct sw_session *session = open_model(MODEL, planners[i]);
        bool tokens = false, tree = false, log = false;
        run(session, "last");
        for (int k = 0; k < 20; k++) {
            run(session, "pane");
            bool is_error = false;
            const char *said = sw_session_status(session, &is_error);
            tokens |= strncmp(said, "tokens:", 7) == 0;
            tree |= strncmp(said, "search-tree:", 12) == 0;
            log |= strncmp(said, "log:", 4) == 0;
        }
        assert_true(tokens == (i == 1) && !tree && log);
        run(session, "pane search-tree");
        sw_session_free(session);
    }
}

/* ---- the help ---- */

static void help_is_searched(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    sw_session_key(session, "?", NULL);
    draw(session, 80, 24); /* what is on the screen now */
    assert_non_null(strstr(bar_text("help"), "decision: "));
    assert_non_null(strstr(bar_text("help"), "One decision on"));
    assert_null(strstr(bar_text("help"), "One decision back"));           /* there is none */
    assert_non_null(strstr(bar_text("help-footer"), "0 above, 0 below")); /* one page */
    sw_session_key(session, "Esc", NULL);
    run(session, "compare best-fit");
    sw_session_key(session, "?", NULL);
    draw(session, 80, 24); /* sentences, and not the words of the footer */
    assert_non_null(strstr(bar_text("help"), "Keep the runs in step by decision"));
    assert_non_null(strstr(bar_text("help"), "Draw the blocks by what differs"));
    sw_session_key(session, "?", NULL);
    draw(session, 80, 50);
    assert_non_null(strstr(bar_text("help"), "htop"));
    assert_non_null(strstr(bar_text("help"), "the lower bound")); /* signs of the map */
    sw_session_key(session, "?", NULL);
    assert_int_equal(sw_session_mode(session), SW_MODE_NORMAL);
    sw_session_key(session, "?", NULL);
    static const char *const keys[] = {"/", "g", "h", "o", "s", "t", "Enter"};
    for (size_t i = 0; i < 7; i++) {
        sw_session_key(session, keys[i], NULL);
    }
    assert_int_equal(sw_session_mode(session), SW_MODE_HELP);
    draw(session, 80, 24);
    assert_non_null(strstr(bar_text("help"), "ghosts [on|off]"));
    assert_non_null(strstr(bar_text("help-footer"), "'ghost': 1 of"));
    sw_session_key(session, "N", NULL);
    sw_session_key(session, "n", NULL);
    draw(session, 80, 24);
    assert_non_null(strstr(bar_text("help"), "ghosts [on|off]"));
    sw_session_key(session, "Esc", NULL);
    assert_int_equal(sw_session_mode(session), SW_MODE_NORMAL);
    run(session, "help vim");
    draw(session, 100, 40);
    assert_non_null(strstr(bar_text("help"), "next, rn"));
    assert_non_null(strstr(bar_text("help"), "s S"));
    static const char *const from[][2] = {
        {"help step", "It comes from a key, the prompt, a script, a session file or Lua."},
        {"help marks", "It comes from a key, the prompt, a script or Lua."},
        {"help recover", "It comes from a key or the prompt."},
        {"help carried", "It comes from a session file alone."}};
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
        run(session, from[i][0]);
        draw(session, 300, 40);
        assert_non_null(strstr(bar_text("help"), from[i][1]));
    }
    run(session, "help all");
    draw(session, 300, 40);
    assert_null(strstr(bar_text("help"), "It comes from")); /* of one command only */
    sw_session_free(session);
}

/* What a pane is said to be stands whole in the footer of a small screen, with the last keys beside it. */
static void summaries_fit(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    unsigned panes = 0;
    for (size_t i = 0; i < sw_view_count(); i++) {
        char line[64];
        snprintf(line, sizeof line, "pane %s", sw_view_get(i)->name);
        if (!sw_session_command(session, line, NULL)) {
            continue; /* it does not stand beside the map */
        }
        panes++;
        draw(session, 80, 24);
        bool is_error = false;
        if (!strstr(bar_text("footer"), sw_session_status(session, &is_error))) {
            fail_msg("'%s' is cut: %s", sw_session_status(session, &is_error), bar_text("footer"));
        }
    }
    assert_true(panes > 15);
    sw_session_free(session);
}

/* A key that can do nothing says why. */
static void nothing_is_silent(void **state) {
    (void)state;
    static const struct {
        const char *before, *key, *says;
    } cases[] = {{"first", "g", "this is the start"},
                 {"first", "r", "this is the start"},
                 {"first", "O", "this is the start"},
                 {"first", "[", "this is the start"},
                 {"first", "S", "this is the start"},
                 {"zoom-fit", "0", "everything is in view"},
                 {"zoom-fit", "-", "everything is in view"},
                 {"cursor 0", "<", "the cursor stays at time step 0"},
                 {"cursor 1000", ">", "the cursor stays at time step"},
                 {"pane live", "Ctrl-D", "the pane 'live' does not scroll; Z gives it the screen"},
                 {"pane log", "Ctrl-D", "there is nothing more below"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct sw_session *session = open_model(MODEL, "first-fit");
        run(session, cases[i].before);
        draw(session, 80, 24);
        assert_true(sw_session_key(session, cases[i].key, NULL));
        if (!says(session, cases[i].says)) {
            fail_msg("%s after %s does not say '%s'", cases[i].key, cases[i].before, cases[i].says);
        }
        sw_session_free(session);
    }
    struct sw_session *session = open_model(MODEL, "first-fit");
    run(session, "last");
    run(session, "select probabilities");
    assert_true(sw_session_key(session, "l", NULL));
    assert_true(says(session, "no placed block is born after this one dies"));
    sw_session_free(session);
}

static void a_number_goes_there(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    static const char *const keys[] = {":", "7", "Enter"};
    for (size_t i = 0; i < 3; i++) {
        sw_session_key(session, keys[i], NULL);
    }
    sw_session_finish(session, NULL);
    assert_int_equal(sw_search_at(sw_session_search(session)), 7);
    sw_session_free(session);
}

/* ---- names ---- */

static void names_are_told_apart(void **state) {
    (void)state;
    static const char *const all[] = {
        "model/block_1_expand_relu/Relu6;model/block_1_expand_BN/FusedBatchNormV3;model/block_1/Conv2D",
        "model/block_2_expand_relu/Relu6;model/block_2_expand_BN/FusedBatchNormV3;model/block_2/Conv2D",
        "model/block_13_expand_relu/Relu6;model/block_13_expand_BN/FusedBatchNormV3;model/block_13/Conv2D", "input_1",
        "model/activation/Relu"};
    struct sw_short names = {.items = all, .count = 5};
    sw_short_open(&names);
    assert_int_equal(names.lead, strlen("model/"));
    for (unsigned width = 16; width < 110; width++) {
        char brief[5][400];
        for (size_t i = 0; i < 5; i++) {
            sw_short_name(&names, all[i], width, brief[i], sizeof brief[i]);
            assert_true(sw_view_columns(brief[i]) <= width && *brief[i]);
            for (size_t k = 0; k < i; k++) {
                assert_string_not_equal(brief[i], brief[k]);
            }
        }
    }
    char one[400];
    sw_short_name(&names, all[4], 18, one, sizeof one);
    assert_string_equal(one, "activation/Relu");
    sw_short_name(&names, all[0], 40, one, sizeof one);
    assert_non_null(strstr(one, "/.../"));
    assert_non_null(strstr(one, "Conv2D"));
}

int main(void) {
    setlocale(LC_ALL, "C.UTF-8");
    setenv("STOWAGE_DATA", SW_TEST_SOURCE, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(footer_follows_the_state),
        cmocka_unit_test(footer_ends_with_help_and_quit),
        cmocka_unit_test(footer_of_a_run),
        cmocka_unit_test(overview_when_zoomed),
        cmocka_unit_test(told_in_words),
        cmocka_unit_test(tiers_and_runs_in_words),
        cmocka_unit_test(shared_bytes_are_no_gap),
        cmocka_unit_test(header_keeps_what_matters),
        cmocka_unit_test(places_take_no_row),
        cmocka_unit_test(numbers_after_undo),
        cmocka_unit_test(keys_that_do_something),
        cmocka_unit_test(messages_keep_their_reason),
        cmocka_unit_test(one_log),
        cmocka_unit_test(panes_say_how_to_scroll),
        cmocka_unit_test(summaries_fit),
        cmocka_unit_test(nothing_is_silent),
        cmocka_unit_test(panes_with_something_to_show),
        cmocka_unit_test(help_is_searched),
        cmocka_unit_test(a_number_goes_there),
        cmocka_unit_test(names_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, done);
}
