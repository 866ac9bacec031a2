/* Cost models in Lua: prices, what is remembered, what goes wrong, and lack of memory. */
#include "tier.h"

#include "layout/cost.h"
#include "lua/planning/plugins.h"

#include <stdlib.h>

static struct sw_lua_plugin_script *open_text(const char *text, struct sw_error *error) {
    struct sw_script *script = sw_script_open_text("cost.lua", text, strlen(text), NULL, error);
    return sw_lua_plugin_new(&sw_lua_cost_kind, script, false, error);
}

static const struct sw_cost_model *model_of(const struct sw_lua_plugin_script *cost) {
    struct sw_params params = {0};
    cost->kind->put(cost, &params);
    return params.cost;
}

static struct sw_lua_plugin_script *must_open(const char *text) {
    struct sw_error error = {0};
    struct sw_lua_plugin_script *cost = open_text(text, &error);
    if (!cost) {
        fail_msg("%s", error.message);
    }
    return cost;
}

/* A run of tier-search to its end, with a model or without. */
static double run_with(const struct sw_problem *problem, const struct sw_cost_model *model) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    params.cost = model;
    struct sw_search *search = start_with(problem, &params, "");
    finish(search);
    double cost = cost_of(search);
    sw_search_free(search);
    return cost;
}

static const char built_in[] = "return {\n"
                               "  access = function(a)\n"
                               "    local t = a.tier\n"
                               "    return (t.latency + a.bytes / t.bandwidth) * (1 + t.conflict)\n"
                               "  end,\n"
                               "}\n";

/* ---- prices ---- */

static void test_equals_the_built_in(void **state) {
    struct sw_problem *problem = example();
    struct sw_lua_plugin_script *cost = must_open(built_in);
    const struct sw_cost_model *model = model_of(cost);
    struct sw_error error = {0};
    double ours;
    (void)state;
    assert_string_equal(model->name, "cost.lua");
    assert_true(model->access && !model->whole);
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        for (uint32_t t = 0; t < 2; t++) {
            uint64_t bytes = sw_problem_buffer(problem, b)->size;
            assert_true(model->access(model->context, problem, b, 0, t, bytes, &ours, &error));
            double built = sw_cost_of_access(problem, t, bytes);
            assert_memory_equal(&ours, &built, sizeof ours);
        }
    }
    double plain = run_with(problem, NULL), scripted = run_with(problem, model);
    assert_memory_equal(&plain, &scripted, sizeof plain);
    sw_lua_plugin_close(cost);
    sw_problem_unref(problem);
}

static void test_what_an_access_is_shown(void **state) {
    static const char text[] =
        "return { name = 'shown', access = function(a)\n"
        "  assert(a.problem.steps == 4 and #a.problem.buffers == 5)\n"
        "  assert(a.bytes == a.buffer.size and a.tier.bandwidth == (a.tier.id == 1 and 16 or 4))\n"
        "  if a.buffer.name == 'h1' then assert(a.write == (a.step == 0)) end\n"
        "  if a.buffer.name == 'w' then assert(not a.write) end\n"
        "  return a.step * 100 + a.tier.id * 10 + a.buffer.id\n"
        "end }\n";
    struct sw_problem *problem = example();
    struct sw_lua_plugin_script *cost = must_open(text);
    const struct sw_cost_model *model = model_of(cost);
    struct sw_error error = {0};
    double price;
    (void)state;
    assert_string_equal(model->name, "shown");
    assert_true(model->access(model->context, problem, 1, 1, 0, 60, &price, &error));
    assert_true(price == 112);
    assert_true(model->access(model->context, problem, 1, 0, 1, 60, &price, &error));
    assert_true(price == 22);
    assert_true(model->access(model->context, problem, 0, 3, 1, 60, &price, &error));
    assert_true(price == 321);
    sw_lua_plugin_close(cost);
    sw_problem_unref(problem);
}

/* Two problems by turns: what is remembered of one is not said of the other. */
static void test_several_problems(void **state) {
    static const struct op ops[] = {{{"a"}, NULL, {"b"}, NULL, NULL}};
    static const struct block blocks[] = {{"a", SW_KIND_INPUT, 7, NULL, 0}, {"b", SW_KIND_OUTPUT, 9, NULL, 0}};
    struct sw_lua_plugin_script *cost = must_open("return { access = function(a) return a.buffer.size end }");
    const struct sw_cost_model *model = model_of(cost);
    struct sw_error error = {0};
    double price;
    (void)state;
    for (int i = 0; i < 50; i++) {
        struct sw_problem *problem = i % 2 ? example() : make(100, 1024, ops, 1, blocks, 2);
        for (int again = 0; again < 2; again++) {
            assert_true(model->access(model->context, problem, 0, 0, 0, 0, &price, &error));
            assert_true(price == (i % 2 ? 60 : 7));
        }
        sw_problem_unref(problem); /* the next one may stand at its address */
    }
    sw_lua_plugin_close(cost);
}

static void test_whole(void **state) {
    static const char text[] =
        "return { whole = function(layout)\n"
        "  local sum = 0\n"
        "  for step = 0, layout:problem().steps - 1 do\n"
        "    for _, a in ipairs(layout:accesses(step)) do\n"
        "      assert(layout:at(a.buffer, step).offset == a.offset)\n"
        "      local here, there = 0, 0\n"
        "      for _, b in ipairs(layout:blocks(a.tier, step)) do here = here + (b.buffer == a.buffer and 1 or 0) end\n"
        "      for _, b in ipairs(layout:blocks(a.tier == 'sram' and 'dram' or 'sram', step)) do there = there + "
        "(b.buffer == a.buffer and 1 or 0) end\n"
        "      assert(here == 1 and there == 0)\n"
        "      local t = layout:problem().tiers[a.tier == 'sram' and 1 or 2]\n"
        "      sum = sum + t.latency + a.size / t.bandwidth\n"
        "    end\n"
        "  end\n"
        "  assert(#layout:placements() == 5 and #layout:transfers() == 0)\n"
        "  return sum\n"
        "end }\n";
    struct sw_problem *problem = example();
    struct sw_lua_plugin_script *cost = must_open(text);
    (void)state;
    assert_true(run_with(problem, model_of(cost)) == 80.125);
    sw_lua_plugin_close(cost);
    sw_problem_unref(problem);
}

/* ---- what goes wrong ---- */

static void test_wrong_files(void **state) {
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"return 3", "the script returns number instead of a cost model"},
        {"local x", "the script returns nothing instead of a cost model"},
        {"return {}", "a cost model has a function 'access' or a function 'whole', and this one has"},
        {"return { access = print, whole = print }", "'whole', not both"},
        {"return { access = 3 }", "'access' of a cost model is a function, not number"},
        {"return { access = print, name = {} }", "'name' of a cost model is text, not table"},
        {"error('no')", "no"},
        {"while true do end", "the script does not come to an end"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sw_error error = {0};
        assert_null(open_text(rows[i].text, &error));
        assert_int_equal(error.code, SW_ERROR_INPUT);
        assert_string_equal(error.file, "cost.lua");
        if (!strstr(error.message, rows[i].message)) {
            fail_msg("%s: %s", rows[i].text, error.message);
        }
    }
}

static void test_wrong_answers(void **state) {
    static const struct {
        const char *text, *message;
        uint32_t line;
    } rows[] = {
        {"return {\n access = function() return 0 / 0 end }", "is NaN, not a finite number", 2},
        {"return {\n access = function() return -1 / 0 end }", "is infinite, not", 2},
        {"return { access = function()\n end }", "the cost of w in sram at time 0 is nil", 1},
        {"return { access = function(a)\n a.buffer.size = 3\n end }", "read-only", 2},
        {"return { access = function()\n error('dear')\n end }", "dear", 2},
        {"return { access = function()\n error({})\n end }", "", 2},
        {"local n = 0 return { access = function() n = n + 1 return n end }", "asked again", 1},
        {"return { access = function()\n return ('x'):rep(1 << 40)\n end }", "", 2},
        {"return { access = function()\n while true do end end }", "does not come to an end", 2},
    };
    struct sw_problem *problem = example();
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct sw_error error = {0};
        struct sw_params params = SW_PARAMS_DEFAULT;
        struct sw_lua_plugin_script *cost = must_open(rows[i].text);
        params.cost = model_of(cost);
        struct sw_search *search = start_with(problem, &params, "");
        assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_FAILED);
        assert_int_equal(error.code, SW_ERROR_INPUT);
        assert_string_equal(error.file, "cost.lua");
        if (!strstr(error.message, rows[i].message) || error.line != rows[i].line) {
            fail_msg("%s: line %u: %s", rows[i].text, error.line, error.message);
        }
        sw_search_free(search);
        sw_lua_plugin_close(cost);
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

static void test_memory(void **state) {
    struct sw_problem *problem = example();
    size_t worked = 0;
    (void)state;
    for (size_t k = 0; worked < 3; k += 1 + k / 40) {
        struct sw_error error = {0};
        size_t blocks = live_blocks;
        double price;
        allowed = k;
        struct sw_lua_plugin_script *cost = open_text(built_in, &error);
        const struct sw_cost_model *model = cost ? model_of(cost) : NULL;
        bool good = model && model->access(model->context, problem, 3, 2, 1, 60, &price, &error) &&
                    model->access(model->context, problem, 0, 0, 0, 60, &price, &error);
        allowed = SIZE_MAX;
        sw_lua_plugin_close(cost);
        assert_int_equal(live_blocks, blocks);
        assert_true(good || error.code == SW_ERROR_MEMORY || error.code == SW_ERROR_INPUT);
        worked += good;
    }
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_the_built_in),
        cmocka_unit_test(test_what_an_access_is_shown),
        cmocka_unit_test(test_several_problems),
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_wrong_files),
        cmocka_unit_test(test_wrong_answers),
        cmocka_unit_test(test_memory),
    };
    sw_mem_hook(counting, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
