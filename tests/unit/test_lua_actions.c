/* Actions in Lua: what they are shown, what they may return, what goes wrong, and lack of memory.
 */
#include "tier.h"
#include "faults.h"

#include "lua/planning/plugins.h"
#include "planners/tiers/tier_rules.h"

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

/* ---- rules ---- */

static const char reversed[] = "return { name = 'mine', places = function(b, places, info)\n"
                               "  assert(info.step == b.first and info.problem.steps == 4 and info.given.id == 1)\n"
                               "  local order = {}\n"
                               "  for i, p in ipairs(places) do\n"
                               "    order[i] = #places + 1 - i\n"
                               "    assert(p.hi - p.lo >= b.size and p.offset >= p.lo and p.offset + b.size <= p.hi)\n"
                               "    assert(p.side == 'low' and p.offset == p.lo or p.offset + b.size == p.hi)\n"
                               "    local beside = p.side == 'low' and p.below or p.side == 'high' and p.above or nil\n"
                               "    assert(p.dies == (beside and beside.last))\n"
                               "  end\n"
                               "  return order, b.name == 'h1' and 'h1 is last' or nil\n"
                               "end }\n";

/* The last of the places: of the lowest tier the other side; decisions name the script of the rule. */
static void test_places(void **state) {
    struct sw_problem *problem = example();
    struct sw_lua_plugin_script *actions = must_open(reversed);
    struct sw_search *search = run_text(problem, actions, "overwrite=off");
    struct sw_explanation e = {0};
    (void)state;
    assert_int_equal(sw_search_step(search, NULL), SW_STEP_MORE);
    lies(search, "w", 1, 1024 - 60);
    const struct sw_decision *d = sw_search_decision(search);
    assert_string_equal(d->reason, "the place that mine ranks first");
    assert_true(sw_search_explain(search, d->step, &e, NULL));
    assert_string_equal(candidate(&e, 1, 1024 - 60)->reason, "chosen: ranked first by mine, touches a boundary");
    sw_explanation_done(&e);
    assert_int_equal(sw_search_step(search, NULL), SW_STEP_MORE);
    assert_string_equal(sw_search_decision(search)->reason, "h1 is last");
    lies(search, "h1", 1, 1024 - 2 * 60);
    do {
        d = walk_to(search, SW_DECISION_TRY, "cross-tier move");
    } while (!d->tried.succeeded);
    assert_int_equal(d->buffer, find(search, "w"));
    lies(search, "w", 0, 40); /* its other end comes first */
    assert_string_equal(d->reason, "the first place in the script's order from which all later steps find room");
    e = (struct sw_explanation){0};
    assert_true(sw_search_explain(search, d->step, &e, NULL));
    assert_non_null(strstr(candidate(&e, d->tier, d->offset)->reason, "chosen: in the order of mine, all later"));
    sw_explanation_done(&e);
    uint64_t step = sw_search_at(search), digest = sw_search_digest(search);
    finish(search);
    assert_true(sw_search_seek(search, step, NULL));
    assert_true(sw_search_digest(search) == digest);
    sw_search_free(search);
    sw_lua_plugin_close(actions);
    sw_problem_unref(problem);
}

static void same_run(const struct sw_problem *problem, const char *text, const char *with, const char *set,
                     bool reasons) {
    struct sw_lua_plugin_script *actions = must_open(text);
    struct sw_search *a = run_text(problem, actions, with), *b = start(problem, set);
    while (sw_search_step(a, NULL) == SW_STEP_MORE) {
        assert_int_equal(sw_search_step(b, NULL), SW_STEP_MORE);
        const struct sw_decision *x = sw_search_decision(a), *y = sw_search_decision(b);
        assert_true(x->kind == y->kind && x->buffer == y->buffer && x->tier == y->tier && x->offset == y->offset &&
                    x->time == y->time && x->group == y->group && x->candidates == y->candidates);
        assert_true(!reasons || strcmp(x->reason, y->reason) == 0);
        assert_true(sw_layout_digest(sw_search_layout(a)) == sw_layout_digest(sw_search_layout(b)));
    }
    assert_int_equal(sw_search_step(b, NULL), SW_STEP_DONE);
    assert_true(cost_of(a) == cost_of(b));
    sw_search_free(a);
    sw_search_free(b);
    sw_lua_plugin_close(actions);
}

/* The built-in order, and no answer, are the run without the rule; boundaries are a list of segments. */
static void test_same_rules(void **state) {
    static const char *const ways[] = {"",
                                       "overwrite=off",
                                       "inside=exhaustive overwrite=permitted",
                                       "carry=false",
                                       "start=worth overwrite=off",
                                       "inside=beam:4 grow=true segment=2"};
    struct sw_problem *problem = example();
    (void)state;
    for (size_t i = 0; i < COUNT(ways); i++) {
        char set[100];
        same_run(problem, "return { places = function() end }", ways[i], ways[i], true);
        same_run(problem, "return { places = function(_, p) local o = {} for i = 1, #p do o[i] = i end return o end }",
                 ways[i], ways[i], false);
        same_run(problem, "return { boundaries = function() end }", ways[i], ways[i], true);
        if (!strstr(ways[i], "segment")) {
            snprintf(set, sizeof set, "%s segments=at:1,3", ways[i]);
            same_run(problem, "return { boundaries = function(p) return { 1, p.steps - 1 } end }", ways[i], set, true);
            snprintf(set, sizeof set, "%s segment=4", ways[i]);
            same_run(problem, "return { boundaries = function() return {} end }", ways[i], set, true);
        }
    }
    sw_problem_unref(problem);
}

/* Rules stand alone, beside one action or beside a list of them. */
static void test_rules_beside_actions(void **state) {
    static const struct {
        const char *text, *name;
        size_t actions;
        bool places, boundaries;
    } files[] = {
        {"return { places = print }", "act", 0, true, false},
        {"return { name = 'x', boundaries = print, places = print }", "x", 0, true, true},
        {"return { name = 'x', propose = print, boundaries = print }", "x", 1, false, true},
        {"return { print, { name = 'y', propose = print }, places = print }", "act", 2, true, false},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        struct sw_lua_plugin_script *actions = must_open(files[i].text);
        struct sw_params params = {0};
        actions->kind->put(actions, &params);
        assert_int_equal(params.action_count, files[i].actions);
        assert_non_null(params.tier_rules);
        assert_string_equal(params.tier_rules->name, files[i].name);
        assert_true((params.tier_rules->places != NULL) == files[i].places);
        assert_true((params.tier_rules->boundaries != NULL) == files[i].boundaries);
        sw_lua_plugin_close(actions);
    }
}

/* ---- what goes wrong ---- */

static void test_wrong(void **state) {
    static const struct {
        const char *text, *message;
        uint32_t line;
    } files
        [] = {{"return 3", "returns number instead of an action", 0},
              {"local x", "returns nothing instead of an action", 0},
              {"return { 3 }", "an action is a function", 0},
              {"return { propose = 3 }", "an action is a function", 0},
              {"return { name = 3 / 0, propose = print }", "'name' of an action is text", 0},
              {"return { places = 3 }", "'places' of a file of actions is a function, not number", 0},
              {"return { print, boundaries = {} }", "'boundaries' of a file of actions is a function, not table", 0},
              {"return { places = print, propose = 3 }", "an action is a function", 0}},
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
       {"return { places = function()\n error('no') end }", "no", 2},
       {"return {\n places = function() return 3 end }",
        "places of act: it returns a list of numbers, or nil, not number", 2},
       {"return { places = function() return {} end }", "it returns each of the 4 places once, not 0 of them", 1},
       {"return { places = function() return { 1, 2, 3, 4, 5 } end }", "each of the 4 places once, not 5 of them", 1},
       {"return { places = function() return { 1, 2, 2, 3 } end }", "each of the 4 places once, and 2 twice", 1},
       {"return { places = function() return { 1, 2, 5, 3 } end }",
        "it returns numbers from 1 to 4, and element 3 is 5", 1},
       {"return { places = function() return { 0, 2, 3, 1 } end }", "from 1 to 4, and element 1 is 0", 1},
       {"return { places = function() return { 1.5, 2, 3, 1 } end }", "from 1 to 4, and element 1 is 1.5", 1},
       {"return { places = function() return { '1', 2, 3, 1 } end }", "from 1 to 4, and element 1 is string", 1},
       {"local n = 0 return { places = function(_, p) n = n + 1 return n % 2 == 0 and { 4, 3, 2, 1 } or { 1, 2, 3, 4 } "
        "end }",
        "asked again, it answers otherwise", 1},
       {"return { places = function()\n while true do end end }", "the script", 2},
       {"local l return { boundaries = function()\n l.x = 3 end }", "attempt to index", 2},
       {"return { boundaries = function() return 'x' end }",
        "boundaries of act: it returns a list of steps, or nil, not string", 1},
       {"return { boundaries = function() return { 2, 1 } end }",
        "it returns steps that ascend, and 1 does not come after 2", 1},
       {"return { boundaries = function() return { 1, 4 } end }", "it returns numbers from 1 to 3, and element 2 is 4",
        1},
       {"return { boundaries = function() return { 0 } end }", "from 1 to 3, and element 1 is 0", 1},
       {"return { boundaries = function() return { {} } end }", "from 1 to 3, and element 1 is table", 1},
       {"return { boundaries = function() return setmetatable({}, { __len = function() return 9 end }) end }",
        "from 1 to 3, and element 1 is nil", 1},
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
            struct sw_params params = SW_PARAMS_DEFAULT;
            actions->kind->put(actions, &params);
            assert_true(sw_params_set(&params, "choices", i % 2 ? "plain" : "good", NULL));
            assert_true(sw_params_set(&params, "overwrite", "any", NULL));
            struct sw_search *search = sw_search_new(problem, sw_planner_find("tier-search", NULL), &params, &error);
            sw_params_done(&params);
            assert_true(!search || sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_FAILED);
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

/* Everything after the k-th allocation fails: while it is opened, asked, split, kept and restored. */
static void starve(const char *text) {
    struct sw_problem *problem = example();
    size_t worked = 0;
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

static void test_memory(void **state) {
    (void)state;
    starve("return function(a)\n"
           "  if a.buffer.name ~= 'w' then return nil, 'not w' end\n"
           "  return { { tier = 'dram', offset = 200, last = 2 }, { tier = 'sram', offset = 40, first = 3 } }\n"
           "end\n");
    starve("return { boundaries = function() return { 1, 3 } end, places = function(_, p)\n"
           "  local o = {}\n"
           "  for i = 1, #p do o[i] = #p + 1 - i end\n"
           "  return o, 'reversed'\n"
           "end }\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),         cmocka_unit_test(test_shown),
        cmocka_unit_test(test_split),         cmocka_unit_test(test_places),
        cmocka_unit_test(test_same_rules),    cmocka_unit_test(test_rules_beside_actions),
        cmocka_unit_test(test_split_and_pin), cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_memory),
    };
    sw_mem_hook(counting, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
