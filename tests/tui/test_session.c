/* Sessions without a terminal: every key, what-ifs and undo, replays, and a monkey at
 * the keyboard. */
#include "tui/drawn.h"

#include "command/commands.h"
#include "planners/planner.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODEL SW_TEST_SOURCE "/tests/tui/models/small.json"
#define TIERS SW_TEST_SOURCE "/scripts/models/two_tiers.json"

/* ---- the table ---- */

static void test_table(void **state) {
    (void)state;
    for (size_t i = 0; i < sw_command_count(); i++) {
        const struct sw_command *command = sw_command_get(i);
        struct sw_error error = {0};
        char key[16];
        assert_ptr_equal(sw_command_find(command->name, &error), command);
        assert_true(strlen(command->help) > 10 && command->section[0]);
        assert_true(!(command->flags & SW_COMMAND_FOOTER) || (command->label[0] && command->keys[0]));
        for (size_t k = 0; sw_command_key(command, k, key); k++) {
            assert_ptr_equal(sw_command_for_key(key), command); /* no key twice */
        }
    }
    static const char *const fixed[][2] = {
        {"s", "step"},           {"S", "back"},           {"o", "next-operator"}, {"O", "previous-operator"},
        {"]", "next-group"},     {"[", "previous-group"}, {"g", "first"},         {"Home", "first"},
        {"G", "last"},           {"End", "last"},         {"c", "continue"},      {"C", "continue-back"},
        {"?", "help"},           {":", "prompt"},         {"/", "find"},          {"n", "next-match"},
        {"N", "previous-match"}, {"Y", "ghosts"},         {"R", "sort"},          {"r", "restart"},
        {"Ctrl-R", "redo"},      {"Esc", "stop"},         {"q", "quit"}};
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++) {
        assert_string_equal(sw_command_for_key(fixed[i][0])->name, fixed[i][1]);
    }
}

/* What a key can change, as one number. */
static uint64_t everything(struct sw_session *session) {
    bool is_error = false;
    const struct sw_display *display = sw_session_display(session);
    const char *status = sw_session_status(session, &is_error);
    uint64_t digest = sw_fold(sw_session_digest(session), (uint64_t)sw_session_mode(session));
    digest = sw_fold(sw_fold(digest, display->ascii), display->mouse);
    digest = sw_fold(digest, display->text);
    digest = sw_fold(sw_fold(digest, display->drawn), sw_session_wants_quit(session));
    return sw_fold_bytes(digest, status, strlen(status));
}

static void test_every_key(void **state) {
    (void)state;
    struct sw_frame frame = {0};
    for (size_t i = 0; i < sw_command_count(); i++) {
        const struct sw_command *command = sw_command_get(i);
        char key[16];
        for (size_t k = 0; sw_command_key(command, k, key); k++) {
            struct sw_session *session = open_model(TIERS, "lifetime-best-fit");
            struct sw_error error = {0};
            run(session, "find h");
            run(session, "step 5");
            run(session, "zoom-in");
            uint64_t before = everything(session);
            bool done = sw_session_key(session, key, &error);
            sw_session_finish(session, NULL);
            if (!done) {
                assert_true(error.code != SW_OK); /* says why */
                assert_true(error.message[0]);
            }
            if (everything(session) == before) {
                fail_msg("key %s (%s) does nothing", key, command->name);
            }
            draw(&frame, session, 80, 24);
            sw_session_free(session);
        }
    }
    sw_frame_done(&frame);
}

static void test_help_is_complete(void **state) {
    (void)state;
    struct sw_frame frame = {0};
    struct sw_sink sink = {0};
    struct sw_session *session = open_model(MODEL, NULL);
    run(session, "help all");
    for (int page = 0; page < 30; page++) {
        draw(&frame, session, 120, 30);
        sw_grid_text(&frame.grid, &sink);
        sw_session_key(session, "PageDown", NULL);
    }
    sw_sink_add(&sink, "", 1);
    for (size_t i = 0; i < sw_command_count(); i++) {
        char line[80];
        snprintf(line, sizeof line, "%s %s", sw_command_get(i)->name, sw_command_get(i)->arguments);
        if (line[strlen(line) - 1] == ' ') {
            line[strlen(line) - 1] = 0;
        }
        bool recorded = sw_command_get(i)->doors == SW_DOOR_SESSION; /* it stands in session files alone */
        if (!strstr(sink.text.items, line) != recorded) {
            fail_msg("'%s' is %sin the help", line, recorded ? "" : "not ");
        }
    }
    assert_int_equal(sw_session_mode(session), SW_MODE_HELP);
    sw_session_key(session, "Esc", NULL);
    assert_int_equal(sw_session_mode(session), SW_MODE_NORMAL);
    sw_sink_done(&sink);
    sw_frame_done(&frame);
    sw_session_free(session);
}

/* ---- stepping ---- */

static void test_stepping(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "lifetime-best-fit");
    run(session, "step");
    run(session, "step 3");
    assert_int_equal(at(session), 4);
    run(session, "back");
    assert_int_equal(at(session), 3);
    run(session, "goto 7");
    assert_int_equal(at(session), 7);
    run(session, "first");
    assert_int_equal(at(session), 0);
    uint64_t last = 0;
    for (int i = 0; i < 7; i++) { /* an operator at a time, each time at its first decision */
        run(session, "next-operator");
        const struct sw_search *search = sw_session_search(session);
        const struct sw_decision *decision = sw_search_decision(search);
        assert_int_equal(decision->time, i);
        assert_true(at(session) > last);
        last = at(session);
    }
    run(session, "previous-operator");
    assert_int_equal(sw_search_decision(sw_session_search(session))->time, 5);
    run(session, "last");
    const struct sw_search *search = sw_session_search(session);
    assert_true(sw_search_complete(search));
    assert_int_equal(at(session), sw_search_known(search));
    assert_true(says(session, "end of the run"));
    uint64_t peak = sw_search_decision(search)->peak;
    run(session, "goto-peak");
    assert_int_equal(sw_search_decision(search)->peak, peak);
    assert_true(at(session) == 1 || sw_search_journal(search, at(session) - 1)->peak < peak);
    run(session, "goto-block probabilities");
    assert_string_equal(sw_problem_buffer(sw_search_problem(search), sw_search_decision(search)->buffer)->name,
                        "probabilities");
    assert_true(refused(session, "goto x"));
    assert_true(refused(session, "step -1"));
    assert_true(refused(session, "goto"));
    assert_true(refused(session, "goto 1 2"));
    assert_true(refused(session, "nonsense"));
    assert_true(refused(session, "pin \"image"));
    sw_session_free(session);
}

static void test_breakpoints(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "lifetime-best-fit");
    run(session, "break buffer \"two words\"");
    run(session, "continue");
    const struct sw_search *search = sw_session_search(session);
    assert_string_equal(sw_problem_buffer(sw_search_problem(search), sw_search_decision(search)->buffer)->name,
                        "two words");
    uint64_t there = at(session);
    run(session, "last");
    while (at(session) > there) {
        run(session, "continue-back");
    }
    assert_int_equal(at(session), there);
    run(session, "break clear");
    run(session, "break peak > 8K");
    run(session, "first");
    run(session, "run");
    assert_true(sw_search_decision(search)->peak > 8192);
    assert_true(at(session) == 1 || sw_search_journal(search, at(session) - 1)->peak <= 8192);
    run(session, "unbreak 1");
    run(session, "break kind release");
    run(session, "continue");
    assert_int_equal(sw_search_decision(search)->kind, SW_DECISION_RELEASE);
    run(session, "break step 3");
    run(session, "break peak > bound*0.5");
    run(session, "break");
    assert_true(says(session, "bound*0.5") && says(session, "step 3"));
    run(session, "undo");
    run(session, "break");
    assert_false(says(session, "bound*0.5"));
    assert_true(refused(session, "break kind banana"));
    refuses(session, "break kind relese", "no decision is a 'relese', did you mean release; there are place, ");
    refuses(session, "break kind == relese", "no decision is a 'relese', did you mean release; there are place, ");
    refuses(session, "break kind == hand-over", "stands between quotation marks: \"hand-over\"");
    refuses(session, "break take-up ~= kind", "stands between quotation marks: \"take-up\"");
    run(session, "break kind == \"hand-over\" or bound-peak > 3");
    assert_true(refused(session, "break peek < 3"));
    assert_true(refused(session, "break peak <"));
    assert_true(refused(session, "break while true do end"));
    assert_true(refused(session, "break peak > bound*x"));
    assert_true(refused(session, "unbreak 9"));
    sw_session_free(session);
}

/* Expressions in Lua, forward and backward; what lasts stops a run where it becomes true. */
static void test_lua_breakpoints(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "lifetime-best-fit");
    const struct sw_search *search = sw_session_search(session);
    run(session, "break kind == \"release\" and size >= 1K");
    run(session, "continue");
    assert_int_equal(sw_search_decision(search)->kind, SW_DECISION_RELEASE);
    uint64_t first = at(session);
    run(session, "continue");
    uint64_t second = at(session);
    assert_true(second > first);
    run(session, "continue-back");
    assert_int_equal(at(session), first);
    run(session, "break clear");
    run(session, "break peak > bound * 0.5 or cost > 1"); /* the cost is NaN: of it nothing is true */
    run(session, "first");
    run(session, "continue");
    uint64_t there = at(session), limit = sw_problem_lower_bound(sw_search_problem(search)) / 2;
    assert_true(sw_search_decision(search)->peak > limit);
    assert_true(there == 1 || sw_search_journal(search, there - 1)->peak <= limit);
    run(session, "undo");
    run(session, "redo");
    run(session, "last");
    run(session, "continue-back");
    assert_int_equal(at(session), there);
    run(session, "break clear");
    run(session, "break tier.x.y == 1"); /* fails at the first decision, and says so */
    run(session, "first");
    run(session, "continue");
    assert_int_equal(at(session), 1);
    assert_true(says(session, "attempt to index a nil value"));
    sw_session_free(session);
}

/* A run is stopped between two slices, and the log says where; so it does when the user looks
 * around during a run. */
static void test_stop_is_recorded(void **state) {
    (void)state;
    char folder[] = "/tmp/stowage-test-XXXXXX", model[80], path[80];
    assert_non_null(mkdtemp(folder));
    snprintf(model, sizeof model, "%s/many.csv", folder);
    snprintf(path, sizeof path, "%s/a.stowage", folder);
    FILE *file = fopen(model, "w");
    assert_non_null(file);
    fputs("id,lower,upper,size\n", file);
    for (int i = 0; i < 4000; i++) {
        fprintf(file, "b%d,%d,%d,%d\n", i, i, i + 40 + i % 60, 100 + i * 7 % 900);
    }
    fclose(file);
    struct sw_session *session = open_model(model, "first-fit");
    struct sw_error error = {0};
    assert_true(sw_session_command(session, "continue", &error));
    assert_true(sw_session_busy(session));
    uint64_t early = at(session);
    assert_true(early > 0);
    assert_true(sw_session_key(session, "+", &error)); /* a look, and on it goes */
    assert_true(sw_session_busy(session));
    assert_true(sw_session_slice(session, 3000, &error));
    assert_true(at(session) > early);
    assert_true(sw_session_key(session, "Esc", &error));
    assert_false(sw_session_busy(session));
    assert_true(says(session, "stopped at decision"));
    assert_true(at(session) < 4000);
    assert_true(sw_session_save(session, path, &error));
    struct sw_session *again = sw_session_open(path, &error);
    assert_non_null(again);
    assert_int_equal(at(again), at(session));
    assert_true(sw_session_digest(again) == sw_session_digest(session));
    sw_session_free(again);
    /* So does a run that a new planner began: looked at, then stopped. */
    assert_true(sw_session_command(session, "planner best-fit 3500", &error));
    assert_true(sw_session_busy(session));
    assert_true(sw_session_key(session, "+", &error));
    assert_true(sw_session_slice(session, 3000, &error));
    assert_true(sw_session_key(session, "-", &error));
    assert_true(sw_session_key(session, "Esc", &error));
    assert_true(at(session) < 3500);
    assert_true(sw_session_save(session, path, &error));
    again = sw_session_open(path, &error);
    assert_non_null(again);
    assert_int_equal(at(again), at(session));
    assert_true(sw_session_digest(again) == sw_session_digest(session));
    sw_session_free(again);
    assert_true(sw_session_command(session, "planner best-fit", &error));
    assert_true(sw_session_command(session, "set seed=2 3500", &error));
    sw_session_key(session, "Esc", &error);
    assert_true(sw_session_save(session, path, &error));
    again = sw_session_open(path, &error);
    assert_non_null(again);
    assert_true(sw_session_digest(again) == sw_session_digest(session));
    sw_session_free(again);
    run(session, "branch 1");
    /* A comparison that is stopped leaves the branch where it was made. */
    assert_true(sw_session_command(session, "pin b3999 0", &error));
    assert_true(sw_session_busy(session));
    uint64_t here = 0;
    sw_session_slice(session, 3000, &error);
    sw_session_key(session, "Esc", &error);
    here = at(session);
    run(session, "undo");
    assert_int_equal(here, at(session));
    sw_session_free(session);
    unlink(path);
    unlink(model);
    rmdir(folder);
}

/* ---- what if ---- */

static void test_what_if(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    run(session, "last");
    uint64_t peak = sw_search_decision(sw_session_search(session))->peak, start = 0;
    run(session, "goto 1");
    start = sw_session_digest(session);
    run(session, "pin probabilities 64K");
    assert_true(says(session, "more than branch 1"));
    assert_int_equal(at(session), 1); /* it can be watched from here */
    run(session, "last");
    const struct sw_search *branch = sw_session_search(session);
    struct sw_placement place;
    uint32_t buffer = sw_problem_find_buffer(sw_search_problem(branch), "probabilities");
    assert_true(sw_layout_placement(sw_search_layout(branch), buffer, 0, &place));
    assert_int_equal(place.offset, 65536);
    assert_int_equal(sw_search_decision(branch)->peak, 65536 + 40);
    run(session, "undo");
    assert_true(sw_session_digest(session) == start);
    run(session, "redo");
    assert_int_equal(sw_search_decision(sw_session_search(session))->peak, 65536 + 40);
    run(session, "branch 1");
    run(session, "last");
    assert_int_equal(sw_search_decision(sw_session_search(session))->peak, peak);
    assert_true(refused(session, "branch 7"));
    run(session, "branches");
    assert_true(says(session, "pin probabilities"));
    assert_true(sw_session_mode(session) == SW_MODE_HELP); /* a page, which any other command closes */
    sw_session_key(session, "Esc", NULL);
    assert_true(sw_session_mode(session) == SW_MODE_NORMAL);
    run(session, "goto 1");
    run(session, "forbid * 0 4K");
    run(session, "last");
    for (uint32_t i = 0; i < 10; i++) {
        if (sw_layout_placement(sw_search_layout(sw_session_search(session)), i, 0, &place)) {
            assert_true(place.offset >= 4096 ||
                        sw_layout_placed_count(sw_search_layout(sw_session_search(session))) < 10 ||
                        i == sw_search_journal(sw_session_search(session), 1)->buffer);
        }
    }
    assert_true(refused(session, "pin nobody 0"));
    assert_true(refused(session, "pin image 1x"));
    assert_true(refused(session, "forbid image 9 3"));
    run(session, "planner greedy-by-size");
    assert_string_equal(sw_search_planner(sw_session_search(session))->name, "greedy-by-size");
    run(session, "set seed=3");
    assert_int_equal(sw_search_params(sw_session_search(session))->seed, 3);
    assert_true(refused(session, "set nothing=1"));
    assert_true(refused(session, "planner nobody"));
    sw_session_free(session);
}

static void test_choose(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "best-fit");
    /* The first decision with another place that would have fitted. */
    for (int i = 0; i < 10; i++) {
        run(session, "step");
        struct sw_view_input in = {0};
        assert_true(sw_session_view(session, &in, NULL));
        for (uint32_t k = 0; in.run.explanation && k < in.run.explanation->candidates.count; k++) {
            const struct sw_candidate *candidate = &in.run.explanation->candidates.items[k];
            if (candidate->verdict != SW_VERDICT_FITS) {
                continue;
            }
            uint64_t offset = candidate->offset, step = at(session);
            uint32_t buffer = in.run.explanation->decision.buffer;
            char line[40];
            snprintf(line, sizeof line, "candidate %u", k + 1);
            run(session, line);
            run(session, "choose");
            struct sw_placement place;
            assert_int_equal(at(session), step);
            assert_true(sw_layout_placement(sw_search_layout(sw_session_search(session)), buffer, 0, &place));
            assert_int_equal(place.offset, offset);
            sw_session_free(session);
            return;
        }
    }
    fail_msg("no decision had a choice");
}

static void test_quit_asks(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "first-fit");
    run(session, "step 2");
    run(session, "pin probabilities 64K");
    sw_session_key(session, "q", NULL);
    assert_false(sw_session_wants_quit(session));
    sw_session_key(session, "n", NULL);
    assert_false(sw_session_wants_quit(session));
    sw_session_key(session, "q", NULL);
    sw_session_key(session, "y", NULL);
    assert_true(sw_session_wants_quit(session));
    sw_session_free(session);
    session = open_model(MODEL, "first-fit");
    run(session, "step 2");
    sw_session_key(session, "q", NULL);
    assert_true(sw_session_wants_quit(session)); /* nothing would be lost */
    sw_session_free(session);
}

/* ---- the prompt ---- */

static void type(struct sw_session *session, const char *keys) {
    char key[2] = "";
    for (; *keys; keys++) {
        key[0] = *keys;
        sw_session_key(session, *keys == ' ' ? "Space" : key, NULL);
    }
}

static void test_prompt(void **state) {
    (void)state;
    struct sw_frame frame = {0};
    struct sw_session *session = open_model(MODEL, "lifetime-best-fit");
    sw_session_key(session, ":", NULL);
    type(session, "sttepp 5");
    for (int i = 0; i < 3; i++) {
        sw_session_key(session, "Left", NULL);
    }
    sw_session_key(session, "Delete", NULL);
    sw_session_key(session, "Home", NULL);
    sw_session_key(session, "Right", NULL);
    sw_session_key(session, "Delete", NULL);
    draw(&frame, session, 80, 24);
    assert_string_equal(sw_grid_cell(&frame.grid, 0, 23)->text, ":");
    sw_session_key(session, "Enter", NULL);
    assert_int_equal(at(session), 5);
    sw_session_key(session, ":", NULL);
    sw_session_key(session, "Up", NULL); /* recalled */
    sw_session_key(session, "Enter", NULL);
    assert_int_equal(at(session), 10);
    sw_session_key(session, ":", NULL);
    type(session, "got");
    sw_session_key(session, "Tab", NULL);
    assert_true(says(session, "goto-peak"));
    type(session, " 3");
    sw_session_key(session, "Enter", NULL);
    assert_int_equal(at(session), 3);
    sw_session_key(session, ":", NULL);
    type(session, "sel");
    sw_session_key(session, "Tab", NULL);
    type(session, " proba");
    sw_session_key(session, "Tab", NULL);
    sw_session_key(session, "Enter", NULL);
    assert_true(says(session, "probabilities"));
    sw_session_key(session, ":", NULL);
    sw_session_key(session, "層", NULL);
    sw_session_key(session, "Backspace", NULL);
    sw_session_key(session, "Esc", NULL);
    assert_int_equal(sw_session_mode(session), SW_MODE_NORMAL);
    sw_frame_done(&frame);
    sw_session_free(session);
}

/* ---- replays ---- */

static void replay(struct sw_session *session) {
    struct sw_error error = {0};
    char path[] = "/tmp/stowage-session-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    sw_session_finish(session, NULL);
    assert_true(sw_session_save(session, path, &error));
    struct sw_session *again = sw_session_open(path, &error);
    if (!again) {
        fail_msg("%s:%u: %s", error.file, error.line, error.message);
    }
    if (sw_session_digest(again) != sw_session_digest(session)) {
        fail_msg("another digest after %s was replayed", path);
    }
    struct sw_frame a = {0}, b = {0};
    while (sw_session_mode(session) != SW_MODE_NORMAL) {
        sw_session_key(session, "Esc", NULL);
    }
    struct sw_view_input in = {0}; /* what was said on the way is not in the session */
    if (sw_session_view(session, &in, NULL) && in.look.holding) {
        sw_session_key(session, "Esc", NULL); /* nor is what is in the hand */
    }
    if (sw_session_view(session, &in, NULL) && in.look.side && strcmp(in.look.side->name, "log") == 0) {
        run(session, "pane decision");
        run(again, "pane decision");
    }
    run(session, "tour off"); /* nor is the tour */
    run(session, "redraw");   /* a message may cover more than the footer's row */
    run(again, "redraw");
    sw_session_display(again)->ascii = sw_session_display(session)->ascii;
    sw_session_display(again)->text = sw_session_display(session)->text;
    draw(&a, session, 100, 30);
    draw(&b, again, 100, 30);
    for (size_t i = 0; i < 100 * 29; i++) { /* all but the footer, where messages stand */
        if (strcmp(a.grid.cells[i].text, b.grid.cells[i].text) != 0) {
            fail_msg("another frame after %s was replayed: '%s' and '%s' at %zu,%zu", path, a.grid.cells[i].text,
                     b.grid.cells[i].text, i % 100, i / 100);
        }
    }
    sw_frame_done(&a);
    sw_frame_done(&b);
    sw_session_free(again);
    unlink(path);
}

static void test_session_file(void **state) {
    (void)state;
    struct sw_error error = {0};
    char folder[] = "/tmp/stowage-test-XXXXXX", model[80], path[80];
    assert_non_null(mkdtemp(folder));
    snprintf(model, sizeof model, "%s/buffers.csv", folder);
    snprintf(path, sizeof path, "%s/a.stowage", folder);
    FILE *file = fopen(model, "w");
    assert_non_null(file);
    fputs("id,lower,upper,size\na,0,4,100\nb,2,6,200\nc,5,9,300\n", file);
    fclose(file);
    struct sw_session *session = open_model(model, "first-fit");
    run(session, "step 2");
    run(session, "pin c 1000");
    run(session, "zoom 0 5 0 600");
    assert_true(sw_session_save(session, path, &error));
    assert_true(sw_session_detect(path) && !sw_session_detect(model));
    struct sw_session *again = sw_session_open(path, &error);
    assert_non_null(again);
    assert_true(sw_session_digest(again) == sw_session_digest(session));
    sw_session_free(again);
    file = fopen(model, "a");
    fputs("d,0,9,1\n", file);
    fclose(file);
    assert_null(sw_session_open(path, &error));
    assert_non_null(strstr(error.message, "changed"));
    file = fopen(path, "w");
    fputs("stowage-session 1\ninput buffers.csv\ndigest zz\n", file);
    fclose(file);
    assert_null(sw_session_open(path, &error));
    assert_int_equal(error.line, 3);
    sw_session_free(session);
    unlink(model);
    unlink(path);
    rmdir(folder);
}

static uint64_t seed_of_day(void) {
    const char *text = getenv("SW_TEST_SEED");
    return text ? strtoull(text, NULL, 10) : 20260822;
}

static const char *random_key(uint64_t *seed, char key[16]) {
    static const char *const others[] = {"Left", "Right", "Up",     "Down",  "Enter",     "Tab",
                                         "Esc",  "Home",  "End",    "Space", "Backspace", "Delete",
                                         "層",   "F7",    "Ctrl-U", "1",     "5",         "x"};
    if (sw_random_below(seed, 3) == 0) {
        snprintf(key, 16, "%s", others[sw_random_below(seed, sizeof others / sizeof *others)]);
        return key;
    }
    for (;;) {
        const struct sw_command *command = sw_command_get(sw_random_below(seed, sw_command_count()));
        if (sw_command_key(command, sw_random_below(seed, 2), key) && strcmp(command->name, "quit") != 0) {
            return key;
        }
    }
}

static void test_monkey(void **state) {
    (void)state;
    static const char *const paths[] = {MODEL, TIERS};
    static const char *const planners[] = {"lifetime-best-fit", "auto"};
    uint64_t seed = seed_of_day();
    print_message("seed %llu\n", (unsigned long long)seed);
    for (size_t which = 0; which < 2; which++) {
        struct sw_frame frame = {0};
        struct sw_session *session = open_model(paths[which], planners[which]);
        unsigned columns = 80, rows = 24;
        for (int i = 0; i < 10000 && !sw_session_wants_quit(session); i++) {
            char key[16];
            uint64_t what = sw_random_below(&seed, 20);
            if (what == 0) {
                columns = (unsigned)sw_random_below(&seed, 150);
                rows = (unsigned)sw_random_below(&seed, 50);
            } else if (what == 1) {
                sw_session_slice(session, 1 + sw_random_below(&seed, 50), NULL);
            } else {
                sw_session_key(session, random_key(&seed, key), NULL);
            }
            if (i % 4 == 0) {
                draw(&frame, session, columns, rows);
            }
            if (i % 1000 == 999) {
                replay(session);
            }
        }
        sw_frame_done(&frame);
        sw_session_free(session);
    }
}

/* ---- no memory ---- */

static struct {
    long left; /* allocations that still succeed; -1 = all */
    bool lasting;
    long blocks;
} supply = {.left = -1};

static void *rationed(void *context, void *pointer, size_t old_size, size_t new_size) {
    (void)context, (void)old_size;
    if (new_size == 0) {
        supply.blocks -= pointer != NULL;
        free(pointer);
        return NULL;
    }
    if (supply.left == 0) {
        if (!supply.lasting) {
            supply.left = -1;
        }
        return NULL;
    }
    supply.left -= supply.left > 0;
    void *block = realloc(pointer, new_size);
    supply.blocks += !pointer && block;
    return block;
}

/* A little of everything; what fails is left out. */
static bool a_little_of_everything(void) {
    struct sw_error error = {0};
    struct sw_session_options options = {.path = MODEL, .planner = "first-fit", .params = SW_PARAMS_DEFAULT};
    struct sw_session *session = sw_session_new(&options, &error);
    static const char *const lines[] = {"step 3",
                                        "break peak > 9K",
                                        "continue",
                                        "pin probabilities 64K",
                                        "last",
                                        "undo",
                                        "redo",
                                        "goto 2",
                                        "planner best-fit",
                                        "find conv",
                                        "set seed=4",
                                        "branches",
                                        "key : s t e p Tab",
                                        "key Esc",
                                        "goto-peak",
                                        "next-candidate",
                                        "help"};
    bool done = session != NULL;
    for (size_t i = 0; session && i < sizeof lines / sizeof *lines; i++) {
        done = sw_session_command(session, lines[i], &error) && done;
        done = sw_session_finish(session, &error) && done;
        struct sw_frame frame = {0};
        done = sw_frame_draw(&frame, session, 100, 30, SW_FRAME_MONO, &error) && done;
        sw_frame_done(&frame);
    }
    sw_session_free(session);
    return done;
}

static void test_no_memory(void **state) {
    (void)state;
    sw_mem_hook(rationed, NULL);
    for (int lasting = 0; lasting < 2; lasting++) {
        bool done = false;
        for (long k = 0; k < 200000; k += 1 + k / 60) {
            supply.left = k;
            supply.lasting = lasting;
            done = a_little_of_everything();
            assert_int_equal(supply.blocks, 0);
            if (supply.left > 0) {
                break; /* there was enough for all of it */
            }
        }
        assert_true(done);
    }
    sw_mem_hook(NULL, NULL);
    supply.left = -1;
}

/* ---- replays are exact ---- */

/* Opened again, it is the same. */
static void assert_replays(struct sw_session *session, const char *what) {
    struct sw_error error = {0};
    char path[] = "/tmp/stowage-exact-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_true(sw_session_save(session, path, &error));
    struct sw_session *again = sw_session_open(path, &error);
    if (!again || sw_session_digest(again) != sw_session_digest(session)) {
        fail_msg("%s: its log leads elsewhere: %s", what, error.message);
    }
    sw_session_free(again);
    unlink(path);
}

/* Steps that the log merges lead to the same place as each of them. */
static void test_merged_steps(void **state) {
    (void)state;
    static const char *const planners[] = {"first-fit",     "best-fit",          "tflm-greedy", "branch-and-bound",
                                           "token-sharing", "lifetime-best-fit", "improve"};
    for (size_t p = 0; p < sizeof planners / sizeof *planners; p++) {
        for (int steps = 1; steps < 30; steps++) {
            struct sw_session *session = open_model(SW_TEST_SOURCE "/scripts/models/example1.json", planners[p]);
            char what[80];
            snprintf(what, sizeof what, "%s, %d steps", planners[p], steps);
            for (int i = 0; i < steps; i++) {
                sw_session_key(session, "s", NULL);
            }
            assert_replays(session, what);
            for (int i = 0; i < steps / 2; i++) {
                sw_session_key(session, "S", NULL);
            }
            assert_replays(session, what);
            sw_session_free(session);
        }
    }
}

/* Where a run paused shows nowhere once it has gone on: cursor and window are as if it never had. */
static void test_slices_leave_nothing(void **state) {
    (void)state;
    static const char *const runs[] = {"last", "continue", "goto 400", "goto-peak"};
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        for (int zoomed = 0; zoomed < 2; zoomed++) {
            uint64_t digests[2];
            for (int sliced = 0; sliced < 2; sliced++) {
                struct sw_session *session =
                    open_model(SW_TEST_SOURCE "/tests/golden/models/search.csv", "branch-and-bound");
                run(session, "cursor 1");
                if (zoomed) {
                    run(session, "zoom 0 2 0 64");
                }
                assert_true(sw_session_command(session, runs[r], NULL));
                while (sw_session_busy(session)) {
                    sw_session_slice(session, sliced ? 10 : UINT64_C(1) << 30, NULL);
                }
                digests[sliced] = sw_session_digest(session);
                assert_replays(session, runs[r]);
                sw_session_free(session);
            }
            assert_true(digests[0] == digests[1]);
        }
    }
}

/* What is refused changes nothing. */
static void test_refused_changes_nothing(void **state) {
    (void)state;
    static const char *const lines[] = {
        "zoom-in 1 x",   "zoom-in 1", "zoom-out x 1",    "zoom 5 1",     "zoom 1 5 9 1", "find nothing*",
        "pin nobody 0",  "choose 99", "candidate 99",    "goto x",       "cursor x",     "planner none",
        "compare 1",     "compare 9", "set seed",        "tier 9",       "filter [",     "only [",
        "sort weight",   "branch 9",  "resize nobody 1", "forbid * 9 1", "jump nowhere", "share 500",
        "zoom-time off", "mark",      "drop 1",          "unbreak 7",    "uncompared 1", "carried 0",
        "tour on"};
    struct sw_session *session = open_model(MODEL, "best-fit");
    run(session, "goto 4");
    run(session, "cursor 2");
    run(session, "find conv");
    run(session, "candidate 1");
    uint64_t before = sw_session_digest(session);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct sw_error error = {0};
        if (sw_session_command_by(session, SW_DOOR_PROMPT, lines[i], &error)) {
            fail_msg("%s is not refused", lines[i]);
        }
        if (sw_session_digest(session) != before) {
            fail_msg("%s is refused, and changes something", lines[i]);
        }
    }
    run(session, "next-match"); /* of what was found, not of what was not */
    assert_replays(session, "after refusals");
    sw_session_free(session);
}

/* An end that was not waited for stays unknown when the session is opened again. */
static void test_ends_given_up(void **state) {
    (void)state;
    struct sw_error error = {0};
    char path[] = "/tmp/stowage-ends-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct sw_session *session = open_model(SW_TEST_SOURCE "/tests/golden/models/search.csv", "improve");
    run(session, "planner branch-and-bound 1");
    assert_true(sw_session_command(session, "set seed=7 1", &error));
    bool stopped = sw_session_busy(session);
    sw_session_key(session, "Esc", NULL);
    assert_true(sw_session_save(session, path, &error));
    struct sw_session *again = sw_session_open(path, &error);
    assert_non_null(again);
    struct sw_view_input here = look(session), there = look(again);
    assert_int_equal(here.run.branch_count, there.run.branch_count);
    for (uint32_t i = 0; i < here.run.branch_count; i++) {
        assert_int_equal(here.run.branches[i].ended, there.run.branches[i].ended);
        assert_int_equal(here.run.branches[i].figured, there.run.branches[i].figured);
    }
    print_message("%s\n", stopped ? "stopped on the way" : "done at once");
    sw_session_free(again);
    sw_session_free(session);
    unlink(path);
}

/* A planner of several layouts places a block in each: Enter goes to where the one seen got its place. */
static void test_block_of_trial(void **state) {
    (void)state;
    static const char *const models[][2] = {
        {"mobilenet_v1_025_96.json", "auto"}, {"darts.lua", "auto"}, {"densenet121.lua", "branch-and-bound"}};
    uint64_t elsewhere = 0;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
        char path[1024], line[200];
        snprintf(path, sizeof path, "%s/scripts/models/%s", SW_TEST_SOURCE, models[m][0]);
        struct sw_session *session = open_model(path, models[m][1]);
        run(session, "last");
        const struct sw_search *search = sw_session_search(session);
        const struct sw_problem *problem = sw_search_problem(search);
        uint64_t end = at(session);
        for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
            struct sw_placement seen, then;
            if (!sw_layout_placement(sw_search_layout(search), b, 0, &seen)) {
                continue;
            }
            snprintf(line, sizeof line, "goto-block \"%s\"", sw_problem_buffer(problem, b)->name);
            run(session, line);
            assert_true(sw_layout_placement(sw_search_layout(search), b, 0, &then));
            assert_true(then.tier == seen.tier && then.offset == seen.offset);
            assert_true(sw_search_decision(search)->buffer == b || sw_search_decision(search)->buffer == SW_NONE);
            uint64_t last = end;
            while (last > 0 && (sw_search_journal(search, last)->buffer != b ||
                                sw_search_journal(search, last)->kind != SW_DECISION_PLACE)) {
                last--;
            }
            elsewhere += last > 0 && sw_search_journal(search, last)->offset != seen.offset;
            run(session, "last");
        }
        sw_session_free(session);
    }
    assert_true(elsewhere > 0); /* there its last placing is one of a trial that is not seen */
}

int main(void) {
    if (!setlocale(LC_CTYPE, "C.UTF-8")) {
        puts("skipped: there is no locale C.UTF-8");
        return 77;
    }
    char folder[] = "/tmp/stowage-monkey-XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        return 1; /* keys may write files: not here */
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_merged_steps),
                                       cmocka_unit_test(test_slices_leave_nothing),
                                       cmocka_unit_test(test_refused_changes_nothing),
                                       cmocka_unit_test(test_ends_given_up),
                                       cmocka_unit_test(test_table),
                                       cmocka_unit_test(test_every_key),
                                       cmocka_unit_test(test_help_is_complete),
                                       cmocka_unit_test(test_stepping),
                                       cmocka_unit_test(test_block_of_trial),
                                       cmocka_unit_test(test_breakpoints),
                                       cmocka_unit_test(test_lua_breakpoints),
                                       cmocka_unit_test(test_stop_is_recorded),
                                       cmocka_unit_test(test_what_if),
                                       cmocka_unit_test(test_choose),
                                       cmocka_unit_test(test_quit_asks),
                                       cmocka_unit_test(test_prompt),
                                       cmocka_unit_test(test_session_file),
                                       cmocka_unit_test(test_no_memory),
                                       cmocka_unit_test(test_monkey)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (chdir("/") != 0 || rmdir(folder) != 0) {
        print_message("files are left in %s\n", folder);
    }
    return failed;
}
