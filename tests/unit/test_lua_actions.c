/* Actions in Lua: what they are shown, what they may return, what goes wrong, and lack of memory.
 */
#include "tier.h"
#include "faults.h"

#include "lua/planning/plugins.h"

#include <stdlib.h>

static struct sw_lua_plugin_script *open_text(const char *text, struct sw_error *error) {
    struct sw_script *script = sw_script_open_text("folder/act.lua", text, strlen(text), NULL, error);
    return sw_lua_plugin_new(&sw_lua_actions_kind, script, false, error);
}

static struct sw_lua_plugin_script *must_open(const char *text) {
    struct sw_error error = {0};
    struct sw_lua_plugin_script *actions = open_text(text, &error);
    if (!actions) {
        fail_msg("%s", error.message);
    }
    return actions;
}

/* tier-search on the example of the specification with the actions of a text. */
static struct sw_search *run_text(const struct sw_problem *problem, struct sw_lua_plugin_script *actions,
                                  const char *set) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    actions->kind->put(actions, &params);
    return start_with(problem, &params, set);
}

/* ---- names ---- */

static void test_names(void **state) {
    struct sw_lua_plugin_script *actions =
        must_open("local f = function() end\nreturn { f, { name = 'mine', propose = f }, f }");
    struct sw_params params = {0};
    (void)state;
    actions->kind->put(actions, &params);
    assert_int_equal(params.action_count, 3);
    assert_string_equal(params.actions[0].name, "act");
    assert_string_equal(params.actions[1].name, "mine");
    assert_string_equal(params.actions[2].name, "act 3");
    sw_lua_plugin_close(actions);
    actions = must_open("return function() end");
    actions->kind->put(actions, &params);
    assert_int_equal(params.action_count, 1);
    sw_lua_plugin_close(actions);
}

/* ---- what they are shown, and what becomes of it ---- */

static const char shown[] = "return { name = 'shown', propose = function(a)\n"
                            "  local b = a.buffer\n"
                            "  assert(a.problem.steps == 4 and a.step == b.first)\n"
                            "  assert(a.place.tier == a.state:at(b).tier and a.place.size == b.size)\n"
                            "  assert(not a.room:at(b), 'it is lifted')\n"
                            "  for _, other in ipairs(a.problem.buffers) do\n"
                            "    assert((a.room:at(other) ~= nil) == (other.first <= a.step and other.id ~= b.id))\n"
                            "    assert(a.state:at(other))\n"
                            "  end\n"
                            "  for _, space in ipairs(a.room:free(b, 'dram')) do assert(space.lo <= space.start) end\n"
                            "  return nil, 'seen ' .. b.name\n"
                            "end }\n";

static void test_shown(void **state) {
    struct sw_problem *problem = example();
    struct sw_lua_plugin_script *actions = must_open(shown);
    struct sw_search *search = run_text(problem, actions, "");
    struct sw_explanation e = {0};
    (void)state;
    const struct sw_decision *d = walk_to(search, SW_DECISION_TRY, "shown");
    assert_string_equal(d->reason, "the action proposes no place");
    assert_true(sw_search_explain(search, d->step, &e, NULL));
    assert_string_equal(e.candidates.items[e.candidates.count - 1].reason,
                        "stays where it lies: the action proposes no place: seen w");
    sw_explanation_done(&e);
    finish(search);
    assert_true(cost_of(search) == 80.125);
    sw_search_free(search);
    sw_lua_plugin_close(actions);
    sw_problem_unref(problem);
}

/* w waits in dram and is in sram for op3: it is split, with one transfer, and the move is priced.
 */
static void test_split(void **state) {
    static const char text[] = "return { name = 'late', propose = function(a)\n"
                               "  if a.buffer.name ~= 'w' then return nil, 'not w' end\n"
                               "  return { { tier = 'dram', offset = 200, last = 2 },\n"
                               "           { tier = 'sram', offset = 40, first = 3 } }\n"
                               "end }\n";
    struct sw_problem *problem = example();
    struct sw_lua_plugin_script *actions = must_open(text);
    struct sw_search *search = run_text(problem, actions, "");
    struct sw_placement at;
    (void)state;
    const struct sw_decision *d = walk_to(search, SW_DECISION_TRY, "late");
    assert_string_equal(d->reason, "the first place from which all later steps find room");
    const struct sw_layout *layout = sw_search_layout(search);
    uint32_t w = find(search, "w");
    assert_true(sw_layout_placement(layout, w, 0, &at));
    assert_true(at.tier == 1 && at.offset == 200 && at.span.from == 0 && at.span.to == 2);
    assert_true(sw_layout_placement(layout, w, 1, &at));
    assert_true(at.tier == 0 && at.offset == 40 && at.span.from == 3 && at.span.to == 3);
    assert_int_equal(sw_layout_transfer_count(layout), 1);
    struct sw_transfer t = sw_layout_transfer_get(layout, 0);
    assert_true(t.buffer == w && t.step == 3 && t.from == 1 && t.to == 0);
    assert_int_equal(sw_fault_count_assuming(layout, NULL, NULL, NULL), 0);
    uint64_t step = sw_search_at(search), digest = sw_search_digest(search);
    finish(search);
    assert_true(sw_search_seek(search, step, NULL));
    assert_true(sw_search_digest(search) == digest);
    assert_true(sw_search_seek(search, step - 1, NULL));
    assert_int_equal(sw_layout_transfer_count(sw_search_layout(search)), 0);
    sw_search_free(search);
    sw_lua_plugin_close(actions);
    sw_problem_unref(problem);
}

/* What a user pins is not moved, and a split life that is pinned is whole again. */
static void test_split_and_pin(void **state) {
    static const char text[] = "return { name = 'late', propose = function(a)\n"
                               "  if a.buffer.name ~= 'w' then return nil end\n"
                               "  return { { tier = 'dram', offset = 200, last = 2 },\n"
                               "           { tier = 'sram', offset = 40, first = 3 } }\n"
                               "end }\n";
    struct sw_problem *problem = example();
    struct sw_lua_plugin_script *actions = must_open(text);
    struct sw_search *search = run_text(problem, actions, "");
    struct sw_error error = {0};
    (void)state;
    walk_to(search, SW_DECISION_TRY, "late");
    struct sw_override pin = {.kind = SW_OVERRIDE_PIN, .buffer = find(search, "w"), .tier = 1, .offset = 512};
    if (!sw_search_force(search, &pin, &error)) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(sw_layout_transfer_count(sw_search_layout(search)), 0);
    lies(search, "w", 1, 512);
    finish(search);
    lies(search, "w", 1, 512);
    sw_search_free(search);
    sw_lua_plugin_close(actions);
    sw_problem_unref(problem);
}

/* ---- what goes wrong ---- */

static void test_wrong(void **state) {
    static const struct {
        const char *text, *message;
        uint32_t line;
    } files[] = {{"return 3", "returns number instead of an action", 0},
                 {"local x", "returns nothing instead of an action", 0},
                 {"return { 3 }", "an action is a function", 0},
                 {"return { propose = 3 }", "an action is a function", 0},
                 {"return { name = 3 / 0, propose = print }", "'name' of an action is text", 0}},
      calls[] = {
          {"return function()\n error('no') end", "no", 2},
          {"return function() return 'x' end", "a list of places, or nil, not string", 1},
          {"return function()\n return { { 3 }, 4 } end", "the field 'offset' is missing", 1},
          {"return function()\n return { { offset = 3 }, 4 } end", "a place is a table", 1},
          {"return function() return { offset = 1 << 62 } end", "a number of bytes", 1},
          {"return function() return { offset = '3x' } end", "a number of bytes", 1},
          {"return function() return { offset = 3, buffer = 'v' } end", "there is no buffer v", 1},
          {"return function() return { offset = 3, tier = 0 } end", "there is no tier 0", 1},
          {"return function() return { offset = 3, first = 9 } end", "'first' of a place", 1},
          {"return function() return { offset = 3, last = -1 } end", "'last' of a place", 1},
          {"local n = 0 return function() n = n + 8 return { offset = n } end", "asked again", 1},
          {"local l return function(a) l = l or a.state return { offset = l:peak() } end", "good for one call", 1},
      };
    struct sw_problem *problem = example();
    (void)state;
    for (size_t i = 0; i < COUNT(files) + COUNT(calls); i++) {
        struct sw_error error = {0};
        bool call = i >= COUNT(files);
        const char *text = call ? calls[i - COUNT(files)].text : files[i].text;
        const char *message = call ? calls[i - COUNT(files)].message : files[i].message;
        struct sw_lua_plugin_script *actions = open_text(text, &error);
        assert_true((actions != NULL) == call);
        if (call) {
            struct sw_search *search = run_text(problem, actions, "");
            assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_FAILED);
            sw_search_free(search);
            assert_int_equal(error.line, calls[i - COUNT(files)].line);
        }
        assert_int_equal(error.code, SW_ERROR_INPUT);
        assert_string_equal(error.file, "folder/act.lua");
        if (!strstr(error.message, message)) {
            fail_msg("%s: %s", text, error.message);
        }
        sw_lua_plugin_close(actions);
    }
    sw_problem_unref(problem);
}

/* ---- lack of memory ---- */

static size_t allowed = SIZE_MAX, live_blocks;

static void *counting(void *context, void *pointer, size_t old_size, size_t new_size) {
    (void)context;
    (void)old_size;
    if (new_size == 0) {
        live_blocks -= pointer != NULL;
        free(pointer);
        return NULL;
    }
    if (allowed == 0) {
        return NULL;
    }
    allowed--;
    void *fresh = realloc(pointer, new_size);
    live_blocks += fresh && !pointer;
    return fresh;
}

/* Everything after the k-th allocation fails: while it is opened, asked, split, kept and restored.
 */
static void test_memory(void **state) {
    static const char text[] = "return function(a)\n"
                               "  if a.buffer.name ~= 'w' then return nil, 'not w' end\n"
                               "  return { { tier = 'dram', offset = 200, last = 2 }, { tier = "
                               "'sram', offset = 40, first = 3 } }\n"
                               "end\n";
    struct sw_problem *problem = example();
    size_t worked = 0;
    (void)state;
    for (size_t k = 0; worked < 2; k += 1 + k / 30) {
        struct sw_error error = {0};
        size_t blocks = live_blocks;
        struct sw_params params = SW_PARAMS_DEFAULT;
        assert_true(sw_params_set(&params, "overwrite", "any", NULL));
        allowed = k;
        struct sw_lua_plugin_script *actions = open_text(text, &error);
        struct sw_search *search = NULL;
        if (actions) {
            actions->kind->put(actions, &params);
            search = sw_search_new(problem, sw_planner_find("tier-search", NULL), &params, &error);
        }
        bool good = search && sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE;
        allowed = SIZE_MAX;
        sw_search_free(search);
        sw_lua_plugin_close(actions);
        sw_params_done(&params);
        assert_int_equal(live_blocks, blocks);
        assert_true(good || error.code == SW_ERROR_MEMORY || error.code == SW_ERROR_INPUT);
        worked += good;
    }
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),         cmocka_unit_test(test_shown), cmocka_unit_test(test_split),
        cmocka_unit_test(test_split_and_pin), cmocka_unit_test(test_wrong), cmocka_unit_test(test_memory),
    };
    sw_mem_hook(counting, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
