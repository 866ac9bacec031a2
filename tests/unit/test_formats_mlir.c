/* MLIR with buffers in it. */
#include "unit/formats.h"
#include "unit/noted.h"

static const char memref[] =
    "// printed after bufferization\n"
    "#map = affine_map<(d0) -> (d0)>\n"
    "!tile = memref<2x4xi8, #gpu.address_space<workgroup>>\n"
    "module @m {\n"
    "  func.func @f(%arg0: memref<4x8xf32>, %n: index) -> memref<4x8xf32> {\n"
    "    %c3 = arith.constant 3 : index\n"
    "    %c4 = arith.addi %c3, %c3 : index\n"
    "    %alloc = memref.alloc() {alignment = 64 : i64} : memref<4x8xf32>\n"
    "    %alloc_0 = memref.alloc(%c4) : memref<?x4xf16, strided<[4, 1]>>\n"
    "    linalg.exp ins(%arg0 : memref<4x8xf32>) outs(%alloc : memref<4x8xf32>)\n"
    "    %view = memref.subview %alloc_0[0, 0] [3, 4] [1, 1] : memref<?x4xf16> to memref<3x4xf16>\n"
    "    scf.for %i = %c3 to %n step %c3 iter_args(%a = %view) -> (memref<3x4xf16>) {\n"
    "      %t = memref.alloca() : !tile\n"
    "      \"test.use\"(%t, %a) : (!tile, memref<3x4xf16>) -> () // %alloc is \"named\" here\n"
    "      memref.store %c3, %t[%i] : !tile\n"
    "      test.last %i\n"
    "    }\n"
    "    memref.dealloc %alloc_0 : memref<?x4xf16>\n"
    "    return %alloc : memref<4x8xf32>\n"
    "  }\n"
    "  func.func @g() {\n"
    "    %alloc = memref.alloc() : memref<vector<4xf32>>\n"
    "    test.use %alloc : memref<vector<4xf32>>\n"
    "    return\n"
    "  }\n"
    "}\n";
static const char pack[] =
    "#config = #stream.resource_config<{\n"
    "  min_buffer_offset_alignment = 16\n"
    "}>\n"
    "util.func public @layout(%size: index) attributes {stream.resources = #config} {\n"
    "  %c100 = arith.constant 100 : index\n"
    "  %c64 = arith.constant 64 : index\n"
    "  %t:4 = stream.resource.pack on(#hal.device.affinity<@device>) slices({\n"
    "    [0, 1] = %c100,  // first\n"
    "    [1, 2] = %c64,\n"
    "    [2, 3] = %c100\n"
    "  }) : index\n"
    "  %arena, %arena_timepoint = stream.resource.alloca uninitialized : "
    "!stream.resource<transient>{%t#0} => !stream.timepoint\n"
    "  %other, %other_timepoint = stream.resource.alloca uninitialized await(%arena_timepoint) =>\n"
    "      !stream.resource<transient>{%c64} => !stream.timepoint\n"
    "  %result = stream.resource.alloc uninitialized : !stream.resource<external>{%c100}\n"
    "  %done = stream.cmd.execute await(%other_timepoint) => with(%other as %capture: "
    "!stream.resource<transient>{%c64}) {\n"
    "    stream.cmd.fill %c100, %capture[%c64 for %c64] : i32 -> "
    "!stream.resource<transient>{%c64}\n"
    "  } => !stream.timepoint\n"
    "  %freed = stream.resource.dealloca await(%done) => %other : "
    "!stream.resource<transient>{%c64} => !stream.timepoint\n"
    "  util.return %result : !stream.resource<external>\n"
    "}\n";

static void assert_life(const struct sw_problem *problem, const char *name, uint64_t size,
                        int64_t first, int64_t last) {
    const struct sw_buffer *buffer = buffer_named(problem, name);
    assert_int_equal(buffer->size, size);
    assert_int_equal(sw_problem_time(problem, buffer->first), first);
    assert_int_equal(sw_problem_time(problem, buffer->last + 1), last + 1);
}

/* A view is its buffer; what a loop uses that began before it lives until the loop ends. */
static void functions(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(memref);
    assert_int_equal(sw_problem_buffer_count(problem), 4);
    assert_life(problem, "alloc", 128, 8, 19);
    assert_life(problem, "alloc_0", 48, 9, 18);
    assert_life(problem, "t", 8, 13, 15);
    assert_life(problem, "alloc#2", 16, 22, 23);
    assert_int_equal(buffer_named(problem, "alloc")->kind, SW_KIND_OUTPUT);
    assert_int_equal(sw_problem_tier_count(problem), 2);
    assert_string_equal(sw_problem_tier(problem, 1)->name, "#gpu.address_space<workgroup>");
    assert_true(noted(problem, "1 arguments of functions"));
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

/* Without the line that frees it, the last use is in the loop. */
static void loops(void **state) {
    (void)state;
    struct sw_problem *problem = must_read("func.func @f() {\n"
                                           "  %a = memref.alloc() : memref<4xi8>\n"
                                           "  %b = memref.alloca() : memref<4xi4>\n"
                                           "  scf.while : () -> () {\n"
                                           "    test.use %a : memref<4xi8>\n"
                                           "  } do {\n"
                                           "    scf.for %i = %0 to %1 step %2 {\n"
                                           "      test.use %b : memref<4xi4>\n"
                                           "    }\n"
                                           "    scf.yield\n"
                                           "  }\n"
                                           "  return\n"
                                           "}\n");
    assert_life(problem, "a", 4, 2, 6);
    assert_life(problem, "b", 4, 3, 11); /* to the end of the outer loop */
    assert_string_equal(sw_problem_tier(problem, 1)->name, "stack");
    sw_problem_unref(problem);
}

static void packs(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(pack);
    assert_int_equal(sw_problem_buffer_count(problem), 5);
    assert_life(problem, "t#1", 100, 23, 24);
    assert_life(problem, "t#2", 64, 24, 25);
    assert_life(problem, "t#3", 100, 25, 26);
    assert_int_equal(buffer_named(problem, "t#1")->alignment, 16);
    assert_life(problem, "other", 64, 13, 19);
    assert_life(problem, "result", 100, 15, 20);
    assert_string_equal(sw_problem_tier(problem, 0)->name, "t in line 7");
    assert_true(noted(problem, "left out: 1 allocations that the slices of a pack lie in"));
    sw_problem_unref(problem);
}

/* Sizes that the text leaves open. */
static void open_sizes(void **state) {
    (void)state;
    static const char text[] = "module {\n %a = memref.alloc(%n) : memref<?x2xf64>\n}\n";
    struct sw_params dims = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    struct sw_load_options options = {.dims = &dims};
    assert_true(sw_params_set(&dims, "n", "5", &error));
    struct sw_problem *problem = read_options(text, &options);
    assert_int_equal(buffer_named(problem, "a")->size, 80);
    sw_problem_unref(problem);
    assert_true(sw_params_set(&dims, "m", "5", &error));
    struct sw_input input = text_input(text, strlen(text));
    assert_null(sw_load_input(&input, &options, &error));
    assert_string_equal(error.message, "--dim m: no size depends on a value of this name");
    sw_params_done(&dims);
}

#define ALLOC(type) "module {\n  %a = memref.alloc() : " type "\n}\n"
#define PACK(slices)                                                                               \
    "module {\n  %c = arith.constant 8 : index\n  %t:2 = stream.resource.pack slices({" slices
static void refusals(void **state) {
    (void)state;
    static const struct refusal wrong[] = {
        {ALLOC("memref<?xf32>"), 2, 32, "no operand gives the length of this dimension"},
        {ALLOC("memref<4x"), 2, 8,
         "this is no allocation: %name = memref.alloc() : memref<4x8xf32>"},
        {ALLOC("memref<4x!x>"), 2, 34, " is no element type whose size is known"},
        {ALLOC("memref<4xf31>"), 2, 34, "f31 is no element type whose size is known"},
        {ALLOC("memref<2305843009213693951xf32>"), 2, 32, "the memref is larger than 2^61 bytes"},
        {ALLOC("memref<4f32>"), 2, 32,
         "the dimensions of the memref are wrong, or it is larger than 2^61 bytes"},
        {"module {\n  // %a = memref.alloc() : memref<4xf32>\n}\n", 4, 1,
         "no buffer is allocated here: no memref.alloc, stream.resource.alloca or "
         "stream.resource.pack"},
        {PACK("[0, 1] = %c"), 3, 31, "the list of slices is cut off"},
        {PACK("[1, 0] = %c })\n}\n"), 3, 39,
         "this is no slice with its lifetime: [first, last] = %size"},
        {PACK("[0, 1] = %d })\n}\n"), 3, 48,
         "a size depends on %d, which the text leaves open: give it, for instance with --dim d=1"},
        {"module {\n  %r = stream.resource.alloca uninitialized\n}\n", 2, 8,
         "this is no allocation: ... !stream.resource<transient>{%size}"},
    };
    must_refuse_text(wrong, COUNT(wrong));
}

static void cut(void **state) {
    (void)state;
    cut_everywhere(memref);
    cut_everywhere(pack);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions),  cmocka_unit_test(loops),    cmocka_unit_test(packs),
        cmocka_unit_test(open_sizes), cmocka_unit_test(refusals), cmocka_unit_test(cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
