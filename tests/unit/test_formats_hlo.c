/* XLA's HLO as text. */
#include "unit/formats.h"
#include "unit/noted.h"

static const char scheduled[] =
    "HloModule jit_step, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }, "
    "entry_computation_layout={(f32[4,8]{1,0})->(f32[4,8]{1,0}, f32[4])}\n"
    "\n"
    "FileNames\n"
    "1 \"step.py\"\n"
    "\n"
    "%fused_computation (param_0: f32[4,8]) -> f32[4,8] {\n"
    "  %param_0 = f32[4,8]{1,0} parameter(0)\n"
    "  ROOT %tanh.1 = f32[4,8]{1,0} tanh(f32[4,8]{1,0} %param_0)\n"
    "}\n"
    "\n"
    "%sum (a: f32[], b: f32[]) -> f32[] {\n"
    "  %a = f32[] parameter(0)\n"
    "  %b = f32[] parameter(1)\n"
    "  ROOT %add.9 = f32[] add(f32[] %a, f32[] %b)\n"
    "}\n"
    "\n"
    "%body (arg: (s32[], f32[4,8])) -> (s32[], f32[4,8]) {\n"
    "  %arg = (s32[], f32[4,8]{1,0}) parameter(0)\n"
    "  %i = s32[] get-tuple-element((s32[], f32[4,8]{1,0}) %arg), index=0\n"
    "  %x = f32[4,8]{1,0} get-tuple-element((s32[], /*index=1*/f32[4,8]{1,0}) %arg), index=1\n"
    "  %one = s32[] constant(1)\n"
    "  %i2 = s32[] add(s32[] %i, s32[] %one)\n"
    "  %square = f32[4,8]{1,0} multiply(f32[4,8]{1,0} %x, f32[4,8]{1,0} %x)\n"
    "  %x2 = f32[4,8]{1,0} add(f32[4,8]{1,0} %square, f32[4,8]{1,0} %x)\n"
    "  ROOT %next = (s32[], f32[4,8]{1,0}) tuple(s32[] %i2, f32[4,8]{1,0} %x2)\n"
    "}\n"
    "\n"
    "%condition (arg: (s32[], f32[4,8])) -> pred[] {\n"
    "  %arg.1 = (s32[], f32[4,8]{1,0}) parameter(0)\n"
    "  %i.1 = s32[] get-tuple-element(%arg.1), index=0\n"
    "  %limit = s32[] constant(10)\n"
    "  ROOT %less = pred[] compare(s32[] %i.1, s32[] %limit), direction=LT\n"
    "}\n"
    "\n"
    "ENTRY %main (p0: f32[4,8]) -> (f32[4,8], f32[4]) {\n"
    "  %p0 = f32[4,8]{1,0} parameter(0), metadata={op_name=\"x[\\\"a\\\"]}\"}\n"
    "  %zero = s32[] constant(0)\n"
    "  %fusion = f32[4,8]{1,0} fusion(f32[4,8]{1,0} %p0), kind=kLoop, calls=%fused_computation\n"
    "  %bits = f32[4,8]{1,0} bitcast(f32[4,8]{1,0} %fusion)\n"
    "  %init = (s32[], f32[4,8]{1,0}) tuple(s32[] %zero, f32[4,8]{1,0} %bits)\n"
    "  %loop = (s32[], f32[4,8]{1,0}) while((s32[], f32[4,8]{1,0}) %init), condition=%condition, "
    "body=%body\n"
    "  %out = f32[4,8]{1,0} get-tuple-element((s32[], f32[4,8]{1,0}) %loop), index=1\n"
    "  %start = (f32[4,8]{1,0:S(1)}, f32[4,8]{1,0}, u32[]) copy-start(f32[4,8]{1,0} %out)\n"
    "  %double = f32[4,8]{1,0} add(f32[4,8]{1,0} %out, f32[4,8]{1,0} %out)\n"
    "  %near = f32[4,8]{1,0:S(1)} copy-done((f32[4,8]{1,0:S(1)}, f32[4,8]{1,0}, u32[]) %start)\n"
    "  %f0 = f32[] constant(0)\n"
    "  %rows = f32[4]{0:T(128)} reduce(f32[4,8]{1,0:S(1)} %near, f32[] %f0), dimensions={1}, "
    "to_apply=%sum\n"
    "  ROOT %result = (f32[4,8]{1,0}, f32[4]{0:T(128)}) tuple(f32[4,8]{1,0} %double, "
    "f32[4]{0:T(128)} %rows)\n"
    "}\n";
static const char branches[] =
    "// a test of somebody\n"
    "HloModule branches\n"
    "\n"
    "on_true {\n"
    "  t = f32[16] parameter(0)\n"
    "  ROOT t1 = f32[16] negate(t)\n"
    "}\n"
    "on_false {\n"
    "  ROOT f = f32[16] parameter(0)\n"
    "}\n"
    "twice {\n"
    "  a = f32[16] parameter(0)\n"
    "  b = f32[16] add(a, a)\n"
    "  ROOT c = f32[16] multiply(b, a)\n"
    "}\n"
    "ENTRY e {\n"
    "  p = pred[] parameter(0)\n"
    "  x = f32[16] parameter(1)\n"
    "  y = f32[<=16] conditional(p, x, x), true_computation=on_true, false_computation=on_false\n"
    "  w = f32[16] call(y), to_apply=twice\n"
    "  ROOT z = bf16[16, 3] custom-call(w),\n"
    "      custom_call_target=\"f\", backend_config=\"{\\\"a\\\": [1}\"\n"
    "}\n";

static void assert_life(const struct sw_problem *problem, const char *name, uint64_t size, uint32_t first,
                        uint32_t last) {
    const struct sw_buffer *buffer = buffer_named(problem, name);
    assert_int_equal(buffer->size, size);
    assert_int_equal(buffer->first, first);
    assert_int_equal(buffer->last, last);
}

/* What the loop's body leaves lies where its variable does, and the result where the parameter that is given away was.
 */
static void a_schedule(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(scheduled);
    assert_string_equal(sw_problem_name(problem), "jit_step");
    assert_int_equal(sw_problem_operator_count(problem), 11);
    assert_int_equal(sw_problem_buffer_count(problem), 8);
    assert_life(problem, "p0", 128, 0, 10);
    assert_life(problem, "fusion", 128, 0, 9);
    assert_life(problem, "loop{0}", 4, 1, 6);
    assert_life(problem, "square", 128, 4, 5);
    assert_life(problem, "start{0}", 128, 7, 10);
    assert_life(problem, "rows", 512, 10, 10); /* four numbers fill a tile of 128 */
    assert_int_equal(sw_problem_tier_count(problem), 2);
    assert_string_equal(sw_problem_tier(problem, 1)->name, "S(1)");
    assert_int_equal(buffer_named(problem, "start{0}")->tier, 1);
    assert_int_equal(buffer_named(problem, "p0")->kind, SW_KIND_INPUT);
    assert_true(buffer_named(problem, "p0")->output);
    assert_true(noted(problem, "XLA's schedule"));
    assert_true(noted(problem, "1 fusions: what they hold inside has no buffer"));
    assert_true(noted(problem, "1 loops stand for one round each"));
    assert_true(noted(problem, "1 results lie where a parameter does"));
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

static void calls_and_branches(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(branches);
    assert_int_equal(sw_problem_operator_count(problem), 5);
    assert_life(problem, "y", 64, 0, 3); /* the branch that makes something makes it there */
    assert_life(problem, "x", 64, 0, 4); /* the other one passes it on; the caller keeps it */
    assert_life(problem, "b", 64, 2, 3);
    assert_life(problem, "z", 96, 4, 4);
    assert_true(noted(problem, "the module has no schedule"));
    assert_true(noted(problem, "the branches of 1 conditionals"));
    sw_problem_unref(problem);
}

/* The caller's arrays outlive the run; the place of what it gives away is the result's. */
static void parameters(void **state) {
    (void)state;
    static const char text[] = "HloModule m, is_scheduled=true, input_output_alias={ {1}: (1, {}, may-alias), "
                               "{2}: (3, {0}, must-alias) }\n"
                               "ENTRY e {\n"
                               "  kept = f32[4] parameter(0)\n"
                               "  given = f32[8] parameter(1)\n"
                               "  unread = f32[16] parameter(2)\n"
                               "  pair = (f32[32], f32[64]) parameter(3)\n"
                               "  left = f32[32] get-tuple-element(pair), index=0\n"
                               "  right = f32[64] get-tuple-element(pair), index=1\n"
                               "  a = f32[4] negate(kept)\n"
                               "  b = f32[8] custom-call(given, a)\n"
                               "  c = f32[32] custom-call(left, right)\n"
                               "  d = f32[2] custom-call(b, c)\n"
                               "  ROOT r = (f32[2], f32[8], f32[32]) tuple(d, b, c)\n"
                               "}\n";
    struct sw_problem *problem = must_read(text);
    assert_life(problem, "kept", 16, 0, 3);
    assert_life(problem, "unread", 64, 0, 3);
    assert_life(problem, "pair{1}", 256, 0, 3);
    assert_life(problem, "given", 32, 0, 3); /* b lies there */
    assert_life(problem, "pair{0}", 128, 0, 3);
    assert_true(noted(problem, "2 results lie where a parameter does"));
    assert_int_equal(sw_problem_buffer_count(problem), 7);
    sw_problem_unref(problem);
    /* A parameter that is given away for another one's place ends where it is read last. */
    problem = must_read("HloModule m, input_output_alias={ {}: (0, {}) }\n"
                        "ENTRY e {\n"
                        "  p = f32[4] parameter(0)\n"
                        "  q = f32[4] parameter(1)\n"
                        "  a = f32[2] custom-call(p)\n"
                        "  b = f32[2] custom-call(a)\n"
                        "  ROOT o = f32[4] opt-barrier(q)\n"
                        "}\n");
    assert_life(problem, "p", 16, 0, 0);
    assert_life(problem, "q", 16, 0, 1);
    sw_problem_unref(problem);
}

/* The sizes of shapes, as the only result. */
static void sizes(void **state) {
    (void)state;
    static const struct {
        const char *shape;
        uint64_t size;
    } shapes[] = {
        {"f32[]", 4},
        {"pred[3]", 3},
        {"s4[7]", 7},
        {"s4[7]{0:E(4)}", 4},
        {"c128[2]{0}", 32},
        {"f8e4m3fn[5]", 5},
        {"bf16[3,130]{1,0:T(8,128)(2,1)}", 2 * 8 * 256},
        {"f32[130,3]{0,1:T(8,128)}", 4 * 8 * 256},
        {"f32[2,3,4]{2,1,0:T(*,128)}", 4 * 2 * 3 * 128},
        {"f32[<=6, 2]", 48},
    };
    for (size_t i = 0; i < COUNT(shapes); i++) {
        char text[300];
        snprintf(text, sizeof text, "HloModule m\nENTRY e {\n ROOT r = %s custom-call()\n}\n", shapes[i].shape);
        struct sw_problem *problem = must_read(text);
        assert_int_equal(buffer_named(problem, "r")->size, shapes[i].size);
        sw_problem_unref(problem);
    }
}

#define MAIN "HloModule m\nENTRY e {\n p = f32[2] parameter(0)\n"
static void refusals(void **state) {
    (void)state;
    static const struct refusal wrong[] = {
        {"HloModule m\n", 2, 1, "the module has no computation"},
        {"HloModule m\nENTRY e {\n", 2, 7, "the computation e is cut off"},
        {"HloModule m\nENTRY e {\n}\n", 2, 7, "the computation e has no instructions"},
        {MAIN "}\n", 3, 2, "there is nothing to plan: no instruction runs"},
        {MAIN " q = f32[2] negate(r)\n}\n", 4, 20, "no instruction before this one is called r"},
        {MAIN " q = negate(p)\n}\n", 4, 6, "the instruction has no shape before its opcode"},
        {MAIN " q = f31[2] negate(p)\n}\n", 4, 6, "f31 is no known element type"},
        {MAIN " q = f32[-2] negate(p)\n}\n", 4, 10, "the dimensions of the shape are not numbers"},
        {MAIN " q = f32[?] negate(p)\n}\n", 4, 10, "a dimension without a bound, for which no buffer can be planned"},
        {MAIN " q = f32[2305843009213693952,9] negate(p)\n}\n", 4, 6, "the array is larger than 2^61 bytes"},
        {MAIN " q = f32[2]{1} negate(p)\n}\n", 4, 14, "the layout does not fit the shape"},
        {MAIN " q = f32[2] negate(p\n", 4, 19, "the list of operands is cut off"},
        {MAIN " q f32[2]\n}\n", 4, 4, "this is no instruction: %name = shape opcode(...)"},
        {MAIN " q = f32[2] call(p), to_apply=x\n}\n", 4, 2, "q: the computation that it calls is not in the module"},
        {MAIN " q = f32[2] call(p), to_apply=e\n}\n", 4, 2, "q: the computation calls itself"},
        {MAIN " q = f32[3] get-tuple-element(p), index=0\n}\n", 4, 2, "q: there is no such element: index=..."},
        {MAIN " q = (f32[2], f32[2]) tuple(p)\n}\n", 4, 2, "q: the tuple holds less than its shape says"},
        {MAIN " q = (f32[2], f32[2]) while(p), body=e, condition=e\n}\n", 4, 2,
         "q: a loop needs one operand of its shape, condition=... and body=..."},
    };
    must_refuse_text(wrong, COUNT(wrong));
}

/* Computations that call two others each, twenty levels deep, are a million. */
static void too_many(void **state) {
    (void)state;
    static char text[8192];
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "HloModule m\nc0 {\n p = f32[2] parameter(0)\n ROOT n = f32[2] "
                                   "negate(p)\n}\n");
    for (int i = 1; i < 30; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "c%d {\n p = f32[2] parameter(0)\n a = f32[2] call(p), to_apply=c%d\n"
                                 " ROOT b = f32[2] call(a), to_apply=c%d\n}\n",
                                 i, i - 1, i - 1);
    }
    struct sw_error error = {0};
    struct sw_input input = text_input(text, used);
    assert_null(sw_load_input(&input, NULL, &error));
    assert_string_equal(error.message, "a: what the computations call is too much to be followed");
}

static void cut(void **state) {
    (void)state;
    cut_everywhere(scheduled);
    cut_everywhere(branches);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_schedule), cmocka_unit_test(calls_and_branches), cmocka_unit_test(sizes),
        cmocka_unit_test(refusals),   cmocka_unit_test(too_many),           cmocka_unit_test(cut),
        cmocka_unit_test(parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
