/* What lowers the peak, in a session: found aside in slices, made by Enter, taken back by u, and all of it again from
 * the log. */
#include "tui/sessions.h"

#include "planners/planner.h"
#include "suggest/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MODEL SW_TEST_SOURCE "/scripts/models/mobilenet_v1_025_96.json"

static void key(struct sw_session *session, const char *name) {
    struct sw_error error = {0};
    if (!sw_session_key(session, name, &error) || !sw_session_finish(session, &error)) {
        fail_msg("%s: %s", name, error.message);
    }
}

static uint64_t peak(struct sw_session *session) {
    run(session, "last");
    return sw_layout_peak(sw_search_layout(sw_session_search(session)));
}

/* Enter goes back to the decision and makes the branch; u takes it back. */
static void made_and_undone(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    refuses(session, "take-suggestion", "there are no suggestions");
    run(session, "last");
    run(session, "suggest");
    assert_string_equal(look(session).look.side->name, "suggestions");
    assert_true(says(session, "suggestions; the best leads to a peak of 55,296 B: Enter makes it"));
    assert_int_equal(look(session).run.branch_count, 1);
    key(session, "Enter");
    assert_int_equal(look(session).run.branch_count, 2);
    assert_int_equal(at(session), 1);
    assert_true(says(session, "branch 2 (pin conv_1_out 0): peak 54K, 9K less than branch 1 with 63K"));
    assert_int_equal(look(session).run.suggest_branch, 1);
    assert_int_equal(peak(session), 55296);
    run(session, "undo");
    assert_int_equal(look(session).run.branch_count, 1);
    assert_int_equal(peak(session), 64512);
    assert_int_equal(look(session).run.suggest_branch, 0);
    sw_session_free(session);
}

/* Along the list, and one by its number; from another branch it goes back to the one that the list is about. */
static void along_the_list(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    run(session, "suggest");
    size_t count = sw_suggest_count(look(session).run.suggest);
    assert_true(count > 3);
    key(session, "Down");
    assert_true(says(session, "suggestion 2 of "));
    assert_true(says(session, ": image at 18432, before decision 2, peak 55,296 B; Enter makes it"));
    assert_int_equal(look(session).look.suggestion, 1);
    key(session, "Up");
    key(session, "Up");
    assert_int_equal(look(session).look.suggestion, 0);
    for (size_t i = 0; i < count + 2; i++) {
        key(session, "Down");
    }
    assert_int_equal(look(session).look.suggestion, count - 1);
    run(session, "planner first-fit");
    run(session, "take-suggestion 2");
    assert_string_equal(sw_search_planner(sw_session_search(session))->name, "greedy-by-size");
    assert_int_equal(peak(session), 55296);
    refuses(session, "take-suggestion 1000", "there are suggestions 1 to");
    refuses(session, "suggestion 0", "counted from 1");
    refuses(session, "suggestion 1000", "there are suggestions 1 to");
    sw_session_free(session);
}

/* Results appear as they come, and Esc stops it: the log has where, and a replay finds the same. */
static void stopped(void **state) {
    (void)state;
    struct sw_error error = {0};
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    char path[] = "/tmp/stowage-suggesting-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_true(sw_session_command(session, "suggest 54K", &error));
    while (!look(session).run.suggest || sw_suggest_count(look(session).run.suggest) == 0) {
        assert_true(sw_session_slice(session, 500, &error));
    }
    assert_true(sw_session_busy(session));
    assert_true(sw_session_key(session, "Esc", &error));
    assert_false(sw_session_busy(session));
    assert_true(says(session, "stopped: "));
    struct sw_suggest_state then, again;
    sw_suggest_state_of(look(session).run.suggest, &then);
    size_t count = sw_suggest_count(look(session).run.suggest);
    assert_false(then.over);
    assert_true(sw_suggest_get(look(session).run.suggest, 0)->fits);
    assert_true(sw_session_save(session, path, &error));
    struct sw_session *replayed = sw_session_open(path, &error);
    assert_non_null(replayed);
    assert_true(sw_session_finish(replayed, &error));
    sw_suggest_state_of(look(replayed).run.suggest, &again);
    assert_int_equal(sw_suggest_count(look(replayed).run.suggest), count);
    assert_int_equal(again.work, then.work);
    assert_memory_equal(again.tried, then.tried, sizeof then.tried);
    assert_int_equal(sw_session_digest(replayed), sw_session_digest(session));
    sw_session_free(replayed);
    sw_session_free(session);
    unlink(path);
}

/* A pin that is refused says what would make it work, and that does. */
static void refused_pins(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    run(session, "goto-peak");
    refuses(session, "pin conv_1_out 0",
            "would overlap image, alive 0..0: go back before decision 2 (goto 1), or pin "
            "image 46080 first");
    run(session, "pin image 46080");
    run(session, "pin conv_1_out 0");
    run(session, "undo");
    run(session, "undo");
    run(session, "goto 1");
    run(session, "pin conv_1_out 0");
    assert_int_equal(peak(session), 55296);
    sw_session_free(session);
}

/* The first suggestion of the kind is made, comes true, and is taken back. */
static void makes_first(struct sw_session *session, enum sw_suggest_kind kind) {
    for (size_t i = 0; i < sw_suggest_count(look(session).run.suggest); i++) {
        const struct sw_suggestion *of = sw_suggest_get(look(session).run.suggest, i);
        if (of->kind == kind) {
            uint64_t promised = of->peak;
            char line[48];
            snprintf(line, sizeof line, "take-suggestion %zu", i + 1);
            run(session, line);
            assert_int_equal(peak(session), promised);
            run(session, "undo");
            return;
        }
    }
    fail_msg("no suggestion of kind %s", sw_suggest_kind_name(kind));
}

/* Changes of the model as commands. */
static void changed_models(void **state) {
    (void)state;
    struct sw_session *session = open_model(SW_TEST_SOURCE "/scripts/models/train_cnn.lua", "tflm-greedy");
    const struct sw_problem *problem = sw_search_problem(sw_session_search(session));
    char line[200];
    snprintf(line, sizeof line, "spill \"%s\" 0", sw_problem_buffer(problem, 0)->name);
    refuses(session, line, "does not only wait");
    refuses(session, "spill nothing 0", "there is no buffer 'nothing'");
    snprintf(line, sizeof line, "overwrite \"%s\" \"%s\"", sw_problem_buffer(problem, 1)->name,
             sw_problem_buffer(problem, 0)->name);
    assert_true(refused(session, line));
    run(session, "suggest");
    uint64_t before = peak(session);
    makes_first(session, SW_SUGGEST_SPILL);
    makes_first(session, SW_SUGGEST_RECOMPUTE);
    makes_first(session, SW_SUGGEST_MOVE);
    makes_first(session, SW_SUGGEST_PLANNER);
    assert_int_equal(peak(session), before);
    sw_session_free(session);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(made_and_undone), cmocka_unit_test(along_the_list), cmocka_unit_test(stopped),
        cmocka_unit_test(refused_pins),    cmocka_unit_test(changed_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
