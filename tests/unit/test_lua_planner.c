/* Planners written in Lua: like any other, or refused with a sentence. */
#include "unit.h"
#include "faults.h"

#include "lua/planning/lua_planner.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t rows[][3] = {{0, 3, 64}, {1, 2, 32}, {2, 9, 16}, {3, 5, 128},
                                  {4, 9, 8},  {5, 7, 64}, {6, 9, 32}, {8, 9, 100}};
enum { ROWS = sizeof rows / sizeof *rows };

/* A planner from a text, under a name of its own. */
static unsigned number; /* of files so far */

static const struct sw_planner *planner_of(const char *plan, struct sw_error *error) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/stowage-planner-%d-%u.lua", (int)getpid(), number);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "return { name = 'test-%u', summary = 'a test', parameters = {{name = 'gap', default = "
            "0}}, "
            "plan = function(problem, layout, parameters)\n%s\nend }\n",
            number++, plan);
    fclose(file);
    return sw_lua_planner_find(path, error);
}

static struct sw_search *search_of(const struct sw_problem *problem, const char *plan) {
    struct sw_error error = {0};
    const struct sw_planner *planner = planner_of(plan, &error);
    if (!planner) {
        fail_msg("%s", error.message);
    }
    struct sw_search *search = sw_search_new(problem, planner, &SW_PARAMS_DEFAULT, &error);
    assert_non_null(search);
    return search;
}

/* Run to the end; the error's message, or "". */
static const char *run(struct sw_search *search) {
    static struct sw_error error;
    enum sw_step step = SW_STEP_MORE;
    memset(&error, 0, sizeof error);
    while (step == SW_STEP_MORE) {
        step = sw_search_step(search, &error);
    }
    return step == SW_STEP_FAILED ? error.message : "";
}

static const char first_fit[] =
    "for _, b in ipairs(problem.buffers) do\n"
    "  local candidates, at = {}, nil\n"
    "  for _, gap in ipairs(layout:free(b, 1)) do\n"
    "    local fits = not gap.hi or gap.hi - gap.start >= b.size\n"
    "    candidates[#candidates + 1] = {offset = gap.start, verdict = fits and 'fits' or "
    "'refused', reason = 'because'}\n"
    "    at = at or (fits and gap.start)\n"
    "  end\n"
    "  coroutine.yield {buffer = b, offset = at, reason = 'lowest', candidates = candidates}\n"
    "end";

static void like_any_other(void **state) {
    (void)state;
    struct sw_problem *problem = plain_problem(rows, ROWS);
    struct sw_search *search = search_of(problem, first_fit);
    struct sw_search *twin = sw_search_new(problem, sw_planner_find("first-fit", NULL), &SW_PARAMS_DEFAULT, NULL);
    assert_string_equal(run(search), "");
    assert_string_equal(run(twin), "");
    assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
    for (uint32_t i = 0; i < ROWS; i++) {
        struct sw_placement a, b;
        assert_true(sw_layout_placement(sw_search_layout(search), i, 0, &a));
        assert_true(sw_layout_placement(sw_search_layout(twin), i, 0, &b));
        assert_int_equal(a.offset, b.offset);
    }
    sw_search_free(twin);
    /* Back and forth, by replay: as a fresh run. */
    uint64_t end = sw_search_known(search), digests[ROWS + 1];
    assert_int_equal(end, ROWS);
    for (uint64_t step = 0; step <= end; step++) {
        assert_true(sw_search_seek(search, step, NULL));
        digests[step] = sw_search_digest(search);
    }
    for (uint64_t i = 0; i < 20; i++) {
        uint64_t step = i * 7 % (end + 1);
        assert_true(sw_search_seek(search, step, NULL));
        assert_true(sw_search_digest(search) == digests[step]);
    }
    struct sw_explanation why = {0};
    assert_true(sw_search_explain(search, 5, &why, NULL));
    assert_true(why.candidates.count >= 1);
    assert_string_equal(why.candidates.items[0].reason, "because");
    assert_string_equal(why.decision.reason, "lowest");
    sw_explanation_done(&why);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void demands(void **state) {
    (void)state;
    struct sw_problem *problem = plain_problem(rows, ROWS);
    struct sw_search *search = search_of(problem, first_fit);
    struct sw_error error = {0};
    struct sw_placement at;
    assert_true(sw_search_seek(search, 2, NULL) || sw_search_run(search, UINT64_MAX, NULL, NULL, NULL));
    assert_true(sw_search_seek(search, 2, NULL));
    struct sw_override pin = {.kind = SW_OVERRIDE_PIN, .buffer = 3, .offset = 512};
    assert_true(sw_search_force(search, &pin, &error));
    assert_string_equal(run(search), "");
    assert_true(sw_layout_placement(sw_search_layout(search), 3, 0, &at));
    assert_int_equal(at.offset, 512);
    assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
    assert_true(sw_search_journal(search, 4)->forced);
    /* Another candidate. */
    assert_true(sw_search_seek(search, 1, NULL));
    struct sw_override choice = {.kind = SW_OVERRIDE_CHOOSE, .choice = 0};
    assert_true(sw_search_force(search, &choice, &error));
    assert_string_equal(run(search), "");
    assert_true(sw_search_seek(search, 1, NULL));
    choice.choice = 9;
    assert_false(sw_search_force(search, &choice, &error));
    assert_non_null(strstr(error.message, "candidate 10 does not exist"));
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* What a script does wrong, and what is said of it. */
static void wrong(const char *plan, const char *part) {
    struct sw_problem *problem = plain_problem(rows, ROWS);
    struct sw_search *search = search_of(problem, plan);
    const char *message = run(search);
    if (!*message || !strstr(message, part)) {
        fail_msg("%s\n    gave '%s', not '%s'", plan, message, part);
    }
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void mistakes(void **state) {
    (void)state;
    wrong("", "ends with 0 of 8 buffers placed");
    wrong("coroutine.yield(1)", "yields number instead of a table");
    wrong("coroutine.yield()", "yields nothing instead of a table");
    wrong("coroutine.yield {buffer = 'nobody', offset = 0}", "there is no buffer nobody");
    wrong("coroutine.yield {buffer = 1, offset = -1}", "from 0 to 2^61");
    wrong("coroutine.yield {buffer = 1, offset = 0.5}", "from 0 to 2^61");
    wrong("coroutine.yield {buffer = 1, offset = 0, tier = 'attic'}", "there is no tier attic");
    wrong("coroutine.yield {kind = 'dance'}", "no kind of decision 'dance'");
    wrong("error('on purpose')", "on purpose");
    wrong("local x = nil + 1", "attempt to perform arithmetic on a nil value");
    wrong("while true do end", "does not come to an end");
    wrong("while true do pcall(coroutine.yield, 1) end", "yields number");
    wrong("while true do coroutine.yield {buffer = 1, offset = 0} end", "1000 places in a row");
    wrong("problem.buffers[1].size = 3", "read-only");
    wrong("problem.buffers = {}", "read-only");
}

static void refused_places(void **state) {
    (void)state;
    struct sw_problem *problem = plain_problem(rows, ROWS);
    struct sw_search *search = search_of(problem, "local ok, why = coroutine.yield {buffer = 1, offset = 0}\n"
                                                  "assert(ok and why.offset == 0 and why.tier == 'memory')\n"
                                                  "ok, why = coroutine.yield {buffer = 'b1', offset = 10}\n"
                                                  "assert(not ok and why:find('would overlap b0, alive 0..3'), why)\n"
                                                  "ok, why = coroutine.yield {buffer = 1, offset = 100}\n"
                                                  "assert(not ok and why:find('has a place already'), why)\n"
                                                  "coroutine.yield {kind = 'sort', reason = 'by nothing'}\n");
    assert_non_null(strstr(run(search), "ends with 1 of 8"));
    const struct sw_decision *decision = sw_search_journal(search, 2);
    assert_int_equal(decision->kind, SW_DECISION_TRY);
    assert_non_null(strstr(decision->reason, "would overlap b0"));
    assert_int_equal(sw_search_journal(search, 4)->kind, SW_DECISION_SORT);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void files(void **state) {
    (void)state;
    struct sw_error error = {0};
    assert_null(sw_lua_planner_find("/nowhere/x.lua", &error));
    assert_int_equal(error.code, SW_ERROR_IO);
    assert_null(sw_lua_planner_find("nobody", &error));
    assert_non_null(strstr(error.message, "there is no planner 'nobody'"));
    const struct sw_planner *planner = sw_lua_planner_find("long-first", &error);
    assert_non_null(planner);
    assert_ptr_equal(sw_lua_planner_find(sw_lua_planner_path(planner), &error), planner);
    assert_null(sw_lua_planner_path(sw_planner_find("first-fit", NULL)));
}

static int remove_files(void **state) {
    (void)state;
    for (unsigned i = 0; i < number; i++) {
        char path[64];
        snprintf(path, sizeof path, "/tmp/stowage-planner-%d-%u.lua", (int)getpid(), i);
        unlink(path);
    }
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(like_any_other), cmocka_unit_test(demands), cmocka_unit_test(mistakes),
        cmocka_unit_test(refused_places), cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, remove_files);
}
