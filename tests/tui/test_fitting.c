/* Making a model fit in a session: :fit, the pane front with its keys, a model taken as a branch, and all of it again
 * from the log. */
#include "tui/sessions.h"

#include "fit/find_fit.h"
#include "planners/fit/fit_look.h"
#include "view/fit/fit_front.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define MODEL SW_TEST_SOURCE "/tests/golden/models/strips.json"
#define WITHOUT SW_TEST_SOURCE "/tests/tui/models/small.json"

static void key(struct sw_session *session, const char *name) {
    struct sw_error error = {0};
    if (!sw_session_key(session, name, &error) || !sw_session_finish(session, &error)) {
        fail_msg("%s: %s", name, error.message);
    }
}

static uint64_t peak(struct sw_session *session) {
    return sw_layout_peak(sw_search_layout(sw_session_search(session)));
}

static struct sw_fit_look found(struct sw_session *session) {
    struct sw_fit_look look = {0};
    assert_true(sw_fit_look(sw_session_search(session), &look));
    return look;
}

/* The chosen model first, then along the front to the model as it is, which Enter takes; u takes that back. */
static void along_the_front(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    run(session, "fit");
    struct sw_fit_look before = found(session);
    assert_true(before.handed && before.result->models.count == 2);
    assert_int_equal(peak(session), before.now->head);
    assert_string_equal(look(session).look.side->name, "front");
    assert_int_equal(look(session).look.fit_model, 0);
    uint64_t least = peak(session), digest = sw_session_digest(session);
    key(session, "Down");
    assert_true(says(session, "model 2 of 2: 5,728 B in the arena, 1.000 of the multiply-adds; Enter takes it"));
    assert_int_equal(look(session).look.fit_model, 1);
    key(session, "Down"); /* no further */
    assert_int_equal(look(session).look.fit_model, 1);
    key(session, "Enter");
    assert_int_equal(look(session).run.branch_count, 3);
    struct sw_fit_look taken = found(session);
    assert_true(taken.handed && taken.chosen == 0);
    assert_int_equal(peak(session), taken.result->models.items[0].head);
    assert_true(peak(session) > least);
    assert_int_equal(look(session).look.fit_model, 0);
    key(session, "u");
    assert_int_equal(peak(session), least);
    key(session, "Up");
    key(session, "Up");
    assert_int_equal(look(session).look.fit_model, before.chosen + 1);
    run(session, "take-model 1"); /* the one that was chosen anyway */
    assert_int_equal(peak(session), least);
    run(session, "undo");
    assert_int_not_equal(sw_session_digest(session), digest); /* a model is looked at */
    run(session, "undo");
    assert_int_equal(look(session).run.branch_count, 1);
    sw_session_free(session);
}

/* Once more it is about the model, not about the one that a run has changed; and what is said of bounds is said of the
 * ends. */
static void once_more(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    uint64_t bound = sw_problem_lower_bound(sw_search_problem(sw_session_search(session)));
    char text[2][64], less[24], then[24];
    run(session, "fit 5500");
    struct sw_fit_look first = found(session);
    uint64_t as_is = first.result->models.items[0].arena, changed = sw_problem_lower_bound(first.now->problem);
    assert_true(changed < bound);
    snprintf(text[0], sizeof text[0], "; bound %s, %s less", sw_show_bytes(changed, then),
             sw_show_bytes(bound - changed, less));
    assert_true(says(session, text[0]));
    static const char *const again[] = {"fit", "fit 5500", "planner fit"};
    for (size_t i = 0; i < 3; i++) {
        run(session, again[i]);
        if (i == 2) {
            run(session, "last");
        }
        assert_int_equal(found(session).result->models.items[0].arena, as_is);
        assert_int_equal(sw_problem_digest(found(session).model), sw_problem_digest(first.model));
    }
    run(session, "fit");
    run(session, "take-model 2"); /* the model as it is: its bound is that of the model */
    snprintf(text[1], sizeof text[1], "; bound %s, %s more", sw_show_bytes(bound, then),
             sw_show_bytes(bound - changed, less));
    assert_true(says(session, text[1]));
    sw_session_free(session);
}

/* In other panes the keys do what they always do. */
static void elsewhere(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    struct sw_error error = {0};
    run(session, "fit");
    run(session, "pane decision");
    key(session, "Down");
    assert_int_equal(look(session).look.fit_model, 0);
    assert_int_equal(look(session).look.candidate, 0);
    assert_false(sw_session_key(session, "Enter", &error) && look(session).run.branch_count > 2);
    sw_session_free(session);
}

static void capacities(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    run(session, "fit 5500");
    assert_true(found(session).result->fits && found(session).now->arena <= 5500);
    run(session, "fit 1K");
    assert_false(found(session).result->fits);
    run(session, "fit 1M");
    assert_int_equal(found(session).chosen, 0);
    sw_session_free(session);
}

static void refusals(void **state) {
    (void)state;
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    refuses(session, "take-model 1", "there is no front: fit looks for models that need less");
    refuses(session, "fit much", "'much'");
    run(session, "pane front");
    run(session, "next-row");
    assert_true(says(session, "there is no front"));
    run(session, "fit");
    refuses(session, "take-model 3", "there are models 1 to 2");
    refuses(session, "take-model 0", "there are models 1 to 2");
    run(session, "planner fit 3");
    refuses(session, "take-model 1", "the run has not chosen a model yet"); /* how it ends was found out aside */
    assert_int_equal(look(session).run.branch_count, 3);
    sw_session_free(session);
    session = open_model(WITHOUT, "greedy-by-size");
    refuses(session, "fit", "");
    assert_int_equal(look(session).run.branch_count, 1);
    sw_session_free(session);
}

/* A session that was saved comes back to the same place. */
static void again(void **state) {
    (void)state;
    char path[] = "/tmp/stowage-fitting-XXXXXX", line[64];
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    struct sw_session *session = open_model(MODEL, "greedy-by-size");
    run(session, "fit");
    key(session, "Down");
    key(session, "Enter");
    key(session, "Up");
    snprintf(line, sizeof line, "save %s", path);
    run(session, line);
    uint64_t digest = sw_session_digest(session);
    sw_session_free(session);
    struct sw_error error = {0};
    session = sw_session_open(path, &error);
    if (!session || !sw_session_finish(session, &error)) {
        fail_msg("%s", error.message);
    }
    assert_true(sw_session_digest(session) == digest);
    sw_session_free(session);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(along_the_front), cmocka_unit_test(once_more), cmocka_unit_test(elsewhere),
        cmocka_unit_test(capacities),      cmocka_unit_test(refusals),  cmocka_unit_test(again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
