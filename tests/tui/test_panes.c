/* Panes and marks: which stands beside the map, how the table of buffers is sorted and filtered,
 * and what a replay of all that gives. */
#include "tui/sessions.h"

#include "command/commands.h"
#include "command/look/regex.h"
#include "command/look/sorting.h"
#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODEL SW_TEST_SOURCE "/tests/tui/models/small.json"

/* The names in the table, in order, with blanks between. */
static const char *listed(struct sw_session *session) {
    static char text[512];
    struct sw_view_input in = look(session);
    const struct sw_problem *problem = sw_search_problem(in.run.search);
    text[0] = '\0';
    for (uint32_t i = 0; i < in.look.listing.count; i++) {
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "",
                 sw_problem_buffer(problem, in.look.listing.items[i])->name);
    }
    return text;
}

static void sorted(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    run(session, "sort size");
    assert_string_equal(look(session).look.side->name, "buffers");
    assert_string_equal(listed(session), "conv_1_out relu_1_out conv_2_out 層_和 im2col image two words pool_1_out "
                                         "dense_1_out probabilities");
    run(session, "sort size up");
    assert_int_equal(strncmp(listed(session), "probabilities dense_1_out pool_1_out", 36), 0);
    run(session, "sort name");
    assert_int_equal(strncmp(listed(session), "conv_1_out conv_2_out dense_1_out im2col", 40), 0);
    run(session, "sort life");
    assert_int_equal(strncmp(listed(session), "relu_1_out ", 11), 0); /* read twice */
    run(session, "sort");                                             /* the next: by name */
    assert_int_equal(strncmp(listed(session), "conv_1_out conv_2_out", 21), 0);
    run(session, "last");
    run(session, "sort offset down");
    struct sw_view_input in = look(session);
    uint64_t before = UINT64_MAX;
    for (uint32_t i = 0; i < in.look.listing.count; i++) {
        struct sw_placement place;
        assert_true(sw_layout_placement(sw_search_layout(in.run.search), in.look.listing.items[i], 0, &place));
        assert_true(place.offset <= before);
        before = place.offset;
    }
    refuses(session, "sort color", "say birth, size, life, name or offset, not 'color'");
    refuses(session, "sort size sideways", "say up or down, not 'sideways'");
    sw_session_free(session);
}

static void filtered(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    run(session, "filter ^CONV");
    assert_string_equal(listed(session), "conv_1_out conv_2_out");
    run(session, "filter unplaced");
    assert_int_equal(look(session).look.listing.count, 10);
    run(session, "step 3");
    assert_int_equal(look(session).look.listing.count, 7);
    run(session, "filter cursor");
    run(session, "cursor 5");
    assert_string_equal(listed(session), "pool_1_out dense_1_out two words");
    run(session, "cursor 6");
    assert_string_equal(listed(session), "dense_1_out probabilities");
    run(session, "filter peak"); /* where most bytes are live */
    assert_string_equal(listed(session), "relu_1_out conv_2_out 層_和");
    run(session, "filter all");
    assert_int_equal(look(session).look.listing.count, 10);
    run(session, "filter nobody");
    assert_int_equal(look(session).look.listing.count, 0);
    run(session, "next-row"); /* nothing to select, and no harm */
    run(session, "filter");
    assert_int_equal(look(session).look.listing.count, 10);
    refuses(session, "filter (", "'(' is no pattern: ");
    sw_session_free(session);
}

/* What a pattern may cost on one name is bounded, and a pattern that costs more is told so. */
static void patterns(void **state) {
    (void)state;
    static const char slow[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
    static const struct {
        const char *text, *name;
        unsigned flags;
        bool found;
    } cases[] = {
        {"conv", "layer/CONV_1", SW_REGEX_FOLD, true},
        {"conv", "layer/CONV_1", 0, false},
        {"c.nv", "layer/CONV_1", SW_REGEX_FOLD, true},
        {"c.nv", "c.nv", SW_REGEX_LETTERS, true},
        {"c.nv", "conv", SW_REGEX_LETTERS, false},
        {"\303\251$", "caf\303\211", SW_REGEX_FOLD, true},
        {"k", "\342\204\252elvin", SW_REGEX_FOLD, true},
        {"(x+x+)+y", "xxy", 0, true},
        {"^.$", "\345\261\244", 0, true},
        {"", "a", SW_REGEX_FOLD, true},
    };
    struct sw_regex regex;
    struct sw_error error = {0};
    bool found;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(sw_regex_open(&regex, cases[i].text, cases[i].flags, &error));
        assert_true(sw_regex_matches(&regex, cases[i].name, &found, &error));
        assert_int_equal(found, cases[i].found);
        sw_regex_close(&regex);
    }
    assert_false(sw_regex_open(&regex, "\377", 0, &error));
    assert_int_equal(error.code, SW_ERROR_USAGE);
    assert_true(sw_regex_open(&regex, "(x+x+)+[yz]", 0, &error));
    assert_false(sw_regex_matches(&regex, slow, &found, &error));
    assert_int_equal(error.code, SW_ERROR_USAGE);
    assert_non_null(strstr(error.message, "the pattern takes too long on 'xxx"));
    sw_regex_close(&regex);
}

static void rows(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    const struct sw_problem *problem = sw_search_problem(sw_session_search(session));
    run(session, "sort size");
    run(session, "next-row");
    assert_int_equal(look(session).look.selected, sw_problem_find_buffer(problem, "conv_1_out"));
    run(session, "next-row");
    assert_int_equal(look(session).look.selected, sw_problem_find_buffer(problem, "relu_1_out"));
    run(session, "previous-row");
    run(session, "previous-row"); /* stays at the first */
    assert_int_equal(look(session).look.selected, sw_problem_find_buffer(problem, "conv_1_out"));
    run(session, "select");
    run(session, "previous-row"); /* none is selected: from the end */
    assert_int_equal(look(session).look.selected, sw_problem_find_buffer(problem, "probabilities"));
    sw_session_free(session);
}

static void panes(void **state) {
    (void)state;
    static const char *const names[] = {"decisions", "buffers", "card", "blame", "free"};
    struct sw_session *session = open_model(MODEL, "first-fit");
    struct sw_error error = {0};
    assert_null(look(session).look.side);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_true(sw_session_key(session, "v", &error));
        assert_string_equal(look(session).look.side->name, names[i]);
    }
    const struct sw_view *last = NULL; /* through all of them, and round */
    for (int more = 50; more > 0 && look(session).look.side; more--) {
        last = look(session).look.side;
        assert_true(sw_session_key(session, "v", &error));
    }
    assert_null(look(session).look.side);
    assert_true(sw_session_key(session, "V", &error));
    assert_ptr_equal(look(session).look.side, last);
    assert_false(look(session).look.whole);
    assert_true(sw_session_key(session, "Z", &error));
    assert_true(look(session).look.whole);
    run(session, "pane decision");
    assert_null(look(session).look.side);
    refuses(session, "pane kitchen", "there is no pane 'kitchen'; there are: decision, decisions, buffers");
    refuses(session, "pane bufers", "there is no pane 'bufers'; did you mean buffers?");
    refuses(session, "export - layuot", "there is no view 'layuot'; did you mean layout?");
    refuses(session, "help stepp", "there is no command 'stepp'; did you mean step?");
    run(session, "help ste");
    run(session, "stop");
    sw_session_free(session);
}

/* The rows of the menu of panes, as it is drawn; 0: it is not there. */
static size_t menu_rows(struct sw_session *session, unsigned width, unsigned height, char now[64]) {
    struct sw_scene scene = {0};
    struct sw_error error = {0};
    size_t rows = 0;
    assert_true(sw_session_screen(session, &scene, width, height, 1, 2, &error));
    for (size_t i = 0; i < scene.panels.count; i++) {
        const struct sw_panel *panel = &scene.panels.items[i];
        bool menu = strcmp(panel->id, "pane-menu") == 0;
        const char *title = menu ? panel->texts.items[panel->rows.items[0].first].text : "";
        assert_true(sw_view_columns(title) + 2 <= (size_t)panel->width || width < 80);
        for (size_t r = 1; menu && r < panel->rows.count; r++) {
            rows++;
            const char *summary = panel->texts.items[panel->rows.items[r].first + 1].text;
            assert_true(sw_view_columns(summary) + 16 <= (size_t)panel->width); /* beside a name of 14 it is whole */
            if (panel->rows.items[r].current) {
                snprintf(now, 64, "%s", panel->texts.items[panel->rows.items[r].first].text);
            }
        }
    }
    sw_scene_done(&scene);
    return rows;
}

/* `v` shows all panes, a line each, and goes through them; so do Down and Up, and any other key closes it. What it
 * shows is in no log. */
static void menu_of_panes(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    struct sw_error error = {0};
    char now[64] = "";
    size_t all = 0;
    while (sw_view_pane(all)) {
        all++;
    }
    assert_int_equal(menu_rows(session, 120, 40, now), 0);
    assert_true(sw_session_key(session, "v", &error));
    assert_int_equal(menu_rows(session, 120, 40, now), all);
    assert_string_equal(now, "decisions");
    assert_true(sw_session_key(session, "Down", &error));
    assert_true(sw_session_key(session, "v", &error));
    assert_true(sw_session_key(session, "Up", &error));
    size_t few = menu_rows(session, 80, 24, now);
    assert_true(few > 5 && few < all);
    assert_string_equal(now, "buffers");
    assert_string_equal(look(session).look.side->name, "buffers");
    for (int i = 0; i < 40; i++) { /* down and up again; what stands above the list is whole with large numbers, too */
        assert_true(sw_session_key(session, i < 20 ? "Down" : "Up", &error));
        assert_int_equal(menu_rows(session, 80, 24, now), few);
    }
    assert_true(sw_session_key(session, "Enter", &error));
    assert_int_equal(menu_rows(session, 120, 40, now), 0);
    assert_string_equal(look(session).look.side->name, "buffers");
    assert_true(sw_session_key(session, "V", &error));
    assert_string_equal(look(session).look.side->name, "decisions");
    assert_true(sw_session_key(session, "s", &error)); /* closes it and does what it does */
    assert_true(sw_session_finish(session, &error));
    assert_int_equal(menu_rows(session, 120, 40, now), 0);
    assert_int_equal(at(session), 1);
    for (const char *key = ":pane"; *key; key++) {
        assert_true(sw_session_key(session, (char[]){*key, 0}, &error));
    }
    assert_true(sw_session_key(session, "Enter", &error));
    assert_int_equal(menu_rows(session, 120, 40, now), all);
    assert_string_equal(now, "buffers");
    uint64_t digest = sw_session_digest(session);
    assert_true(sw_session_key(session, "Enter", &error));
    assert_true(sw_session_digest(session) == digest);
    assert_int_equal(menu_rows(session, 120, 40, now), 0);
    for (const char *const *key = (const char *const[]){"v", "V", "Down", "Down", "v", "Esc", NULL}; *key; key++) {
        assert_true(sw_session_key(session, *key, &error));
    }
    assert_string_equal(look(session).look.side->name, "buffers"); /* what was there before */
    assert_true(sw_session_digest(session) == digest);
    assert_int_equal(menu_rows(session, 120, 40, now), 0);
    run(session, "pane"); /* of a script */
    assert_int_equal(menu_rows(session, 120, 40, now), 0);
    sw_session_free(session);
}

/* The list of decisions as text. */
static bool lists(struct sw_session *session, const char *text) {
    struct sw_view_input in = look(session);
    struct sw_scene scene = {0};
    bool found = false;
    sw_view_find("decisions", NULL)->build(&in, &scene, (struct sw_box){0, 0, 80, 12});
    found = strstr(scene.panels.items[0].title, text) != NULL;
    for (size_t i = 0; i < scene.panels.items[0].texts.count; i++) {
        found |= strstr(scene.panels.items[0].texts.items[i].text, text) != NULL;
    }
    sw_scene_done(&scene);
    return found;
}

static void only_some(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    run(session, "last");
    assert_true(lists(session, "place conv_2_out"));
    run(session, "only conv_1|IM2");
    assert_string_equal(look(session).look.side->name, "decisions");
    assert_true(lists(session, "decisions: 2, about what is named like conv_1|IM2"));
    assert_true(lists(session, "place im2col") && lists(session, "place conv_1_out"));
    assert_false(lists(session, "place conv_2_out"));
    run(session, "only peak");
    assert_true(lists(session, "those that raised the peak"));
    assert_false(lists(session, "place probabilities"));
    run(session, "only release");
    assert_true(lists(session, "none is like that so far"));
    refuses(session, "only selected", "no block is selected");
    refuses(session, "only (", "is no pattern");
    run(session, "select dense_1_out");
    run(session, "only selected");
    assert_true(lists(session, "decisions: 1, those about dense_1_out"));
    run(session, "only");
    assert_true(lists(session, "place conv_2_out"));
    sw_session_free(session);
}

/* What was on view comes back with the session. */
static void replayed(void **state) {
    (void)state;
    char path[] = "/tmp/stowage-panes-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    unlink(path);
    struct sw_error error = {0};
    struct sw_session *session = open_model(MODEL, "first-fit");
    run(session, "last");
    run(session, "filter \"o.t$\"");
    run(session, "sort life up");
    run(session, "next-row");
    run(session, "mark end as it came out");
    run(session, "whole on");
    assert_true(sw_session_save(session, path, &error));
    struct sw_session *again = sw_session_open(path, &error);
    if (!again) {
        fail_msg("%s", error.message);
    }
    assert_true(sw_session_digest(again) == sw_session_digest(session));
    char before[512];
    snprintf(before, sizeof before, "%s", listed(session));
    assert_string_equal(listed(again), before);
    run(again, "first");
    run(again, "jump end");
    assert_true(sw_search_digest(sw_session_search(again)) == sw_search_digest(sw_session_search(session)));
    run(again, "sort life down");
    assert_false(sw_session_digest(again) == sw_session_digest(session));
    sw_session_free(session);
    sw_session_free(again);
    unlink(path);
}

/* ---- places to go to ---- */

static void marked(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    run(session, "goto 3");
    run(session, "mark here why does it go there?");
    run(session, "pin conv_2_out 32768");
    run(session, "step 2");
    run(session, "mark there");
    run(session, "jump here");
    assert_int_equal(sw_search_at(sw_session_search(session)), 3);
    run(session, "branch 2");
    run(session, "last");
    run(session, "jump here"); /* in the other branch */
    assert_int_equal(sw_search_at(sw_session_search(session)), 3);
    bool wrong = false;
    assert_string_equal(sw_session_status(session, &wrong), "here: why does it go there?");
    run(session, "jump there");
    assert_int_equal(sw_search_at(sw_session_search(session)), 5);
    run(session, "mark here"); /* moves it, and forgets the note */
    run(session, "first");
    run(session, "jump here");
    assert_int_equal(sw_search_at(sw_session_search(session)), 5);
    run(session, "marks");
    refuses(session, "jump nowhere", "there is no mark 'nowhere'; :marks lists them");
    refuses(session, "jump hree", "there is no mark 'hree'; did you mean here?");
    refuses(session, "mark 0123456789012345678901234567890123456789", "at most 31 letters");
    sw_session_free(session);
}

static void about(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    const struct sw_problem *problem = sw_search_problem(sw_session_search(session));
    run(session, "last");
    run(session, "select conv_1_out");
    run(session, "previous-about");
    const struct sw_decision *decision = sw_search_decision(sw_session_search(session));
    assert_int_equal(decision->buffer, sw_problem_find_buffer(problem, "conv_1_out"));
    uint64_t at = decision->step;
    run(session, "previous-about"); /* it was the only one */
    assert_int_equal(sw_search_at(sw_session_search(session)), at);
    run(session, "first");
    run(session, "next-about");
    assert_int_equal(sw_search_at(sw_session_search(session)), at);
    refuses(session, "goto-overflow", "no tier has a capacity");
    sw_session_free(session);
    struct sw_error error = {0};
    struct sw_session_options options = {.path = MODEL,
                                         .planner = "first-fit",
                                         .load = {.has_capacity = true, .capacity = 16384},
                                         .params = SW_PARAMS_DEFAULT};
    session = sw_session_new(&options, &error);
    assert_non_null(session);
    run(session, "last");
    run(session, "first");
    run(session, "goto-overflow");
    decision = sw_search_decision(sw_session_search(session));
    assert_true(decision != NULL);
    assert_true(decision->peak > 16384 || sw_search_failed(sw_session_search(session), NULL));
    assert_true(decision->peak_before <= 16384);
    sw_session_free(session);
}

static void trail(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    run(session, "went-back"); /* nowhere */
    run(session, "step 2");
    run(session, "goto 7");
    run(session, "back");
    run(session, "last");
    assert_int_equal(at(session), 10);
    run(session, "went-back");
    assert_int_equal(at(session), 6);
    run(session, "went-back");
    assert_int_equal(at(session), 2);
    run(session, "went-back"); /* no further */
    assert_int_equal(at(session), 2);
    run(session, "went-forward");
    run(session, "went-forward");
    assert_int_equal(at(session), 10);
    run(session, "went-forward");
    assert_int_equal(at(session), 10);
    run(session, "goto 3");
    run(session, "pin conv_2_out 32768");
    run(session, "last");
    run(session, "branch 1");
    run(session, "first");
    run(session, "went-back");
    assert_int_equal(at(session), 3);
    run(session, "went-back"); /* in the other branch */
    assert_int_equal(at(session), 3);
    struct sw_error error = {0};
    assert_true(sw_session_key(session, "Ctrl-P", &error));
    assert_true(sw_session_key(session, "Ctrl-O", &error));
    sw_session_free(session);
}

static void found(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    const struct sw_problem *problem = sw_search_problem(sw_session_search(session));
    run(session, "find ^conv_.*out$");
    assert_int_equal(look(session).look.selected, sw_problem_find_buffer(problem, "conv_1_out"));
    run(session, "next-match");
    assert_int_equal(look(session).look.selected, sw_problem_find_buffer(problem, "conv_2_out"));
    run(session, "next-match");
    assert_int_equal(look(session).look.selected, sw_problem_find_buffer(problem, "conv_1_out"));
    run(session, "find 層");
    assert_int_equal(look(session).look.selected, sw_problem_find_buffer(problem, "層_和"));
    refuses(session, "find CONV", "no name has 'CONV' in it");
    refuses(session, "find (", "no name has '(' in it"); /* letters, as it is no pattern */
    sw_session_free(session);
}

/* ---- sorting many ---- */

enum { MANY = 5000 };
static struct {
    char names[MANY][40];
    bool falling;
} many;

static const char *name_of_many(const void *context, uint32_t item) {
    (void)context;
    return many.names[item];
}

/* What it must come to: equal ones stay in their order. */
static int compare_many(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = strcmp(many.names[x], many.names[y]);
    order = many.falling ? -order : order;
    return order ? order : (x > y) - (x < y);
}

static void random_name(uint64_t *seed, unsigned kind, char name[40]) {
    static const char *const stems[] = {"model/encoder/layer/", "model/encoder/", "", "b", "\xc3\xa9"};
    unsigned number = (unsigned)sw_random_below(seed, kind == 0 ? 3 : 3000);
    snprintf(name, 40, "%s%0*u", stems[kind == 3 ? 0 : sw_random_below(seed, 5)],
             1 + (int)sw_random_below(seed, kind == 3 ? 1 : 14), number);
}

static void sorted_many(void **state) {
    (void)state;
    static uint32_t wanted[MANY];
    static struct sw_keyed items[MANY];
    uint64_t seed = 8;
    for (unsigned turn = 0; turn < 32; turn++) {
        size_t count = turn < 8 ? turn : turn < 16 ? 900 + 40 * turn : MANY;
        many.falling = turn & 1;
        for (uint32_t i = 0; i < count; i++) {
            random_name(&seed, turn / 2 % 4, many.names[i]);
            items[i].index = wanted[i] = i;
        }
        qsort(wanted, count, sizeof *wanted, compare_many);
        assert_true(sw_sort_by_name(items, count, many.falling, name_of_many, NULL));
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(items[i].index, wanted[i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sorted_many),   cmocka_unit_test(sorted),    cmocka_unit_test(filtered),
        cmocka_unit_test(patterns),      cmocka_unit_test(rows),      cmocka_unit_test(panes),
        cmocka_unit_test(menu_of_panes), cmocka_unit_test(only_some), cmocka_unit_test(replayed),
        cmocka_unit_test(marked),        cmocka_unit_test(about),     cmocka_unit_test(trail),
        cmocka_unit_test(found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
