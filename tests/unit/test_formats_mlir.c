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

static void assert_life(const struct sw_problem *problem, const char *name, uint64_t size, int64_t first,
                        int64_t last) {
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

/* All lengths that are missing are told at once, with whole names that are accepted as they are printed. */
static void missing_sizes(void **state) {
    (void)state;
    static char text[40000];
    char names[3][400];
    size_t used = (size_t)snprintf(text, sizeof text, "module {\n");
    for (int i = 0; i < 3; i++) {
        memset(names[i], 'a' + i, sizeof names[i] - 1);
        names[i][sizeof names[i] - 1] = '\0';
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 " %%x%d = memref.alloc(%%%s, %%%s) : memref<?x?xi8>\n", i, names[i], names[0]);
    }
    snprintf(text + used, sizeof text - used, "}\n");
    struct sw_error error = {0};
    struct sw_input input = text_input(text, strlen(text));
    assert_null(sw_load_input(&input, NULL, &error));
    assert_int_equal(error.line, 2);
    struct sw_params dims = SW_PARAMS_DEFAULT;
    struct sw_load_options options = {.dims = &dims};
    for (int i = 0; i < 3; i++) {
        char option[1300];
        snprintf(option, sizeof option, " --dim %s=1", names[i]);
        assert_non_null(strstr(error.message, option));
        struct sw_error other = {0};
        assert_true(sw_params_set(&dims, names[i], "7", &other));
        assert_null(i < 2 ? sw_load_input(&input, &options, &other) : NULL);
    }
    struct sw_problem *problem = read_options(text, &options);
    assert_int_equal(buffer_named(problem, "x1")->size, 49);
    sw_problem_unref(problem);
    sw_params_done(&dims);
}

/* A type, and the bytes of one memref of it. */
static void types(void **state) {
    (void)state;
    static const struct {
        const char *type;
        uint64_t size;
    } types[] = {
        {"memref<10 x f32>", 40},
        {"memref< 2 x 3x\n f16 >", 12},
        {"memref<f64>", 8},
        {"memref<0xf32>", 0},
        {"memref<2x8x!q>", 16},
        {"memref<2x!twice>", 4},
        {"!t", 24},
        {"!u", 24},
        {"memref<4x!quant.uniform<i8:f32, 0.5>>", 4},
        {"memref<4x!quant.uniform<i8<-127:127>:f32:1, {0.5, 0.25:3}>>", 4},
        {"memref<4x!quant.any<i16<-16:15>>>", 8},
        {"memref<4x!quant.calibrated<f32<-1.0:1.0>>>", 16},
        {"memref<3xcomplex<f32>>", 24},
        {"memref<3xvector<3xf32>>", 48},
        {"memref<vector<2x5xi8>>", 16},
        {"memref<3xindex>", 24},
        {"memref<3xf8E4M3FN>", 3},
        {"memref<3xf4E2M1FN>", 3},
        {"memref<3xi24>", 12},
        {"memref<3xui16>", 6},
        {"memref<3x!llvm.ptr<f32>>", 24},
        {"memref<4x8xf32, strided<[16, 1]>>", 4 * (3 * 16 + 7 + 1)},
        {"memref<4x8xf32, strided<[8, 1], offset: 4>, 3>", 4 * (4 + 32)},
        {"memref<4x8xf32, strided<[?, 1], offset: ?>>", 128},
        {"memref<4x8xf32, #layout>", 128},
        {"memref<4x8xf32, affine_map<(d0, d1) -> (d1, d0)>, 3>", 128},
        {"memref<4x8xf32, offset: 0, strides: [8, 1]>", 128},
        {"memref<4x8xf32, #near>", 128},
    };
    for (size_t i = 0; i < COUNT(types); i++) {
        char text[900];
        snprintf(text, sizeof text,
                 "#layout = affine_map<(d0, d1) -> (d0, d1)>\n#near = #gpu.address_space<workgroup>\n"
                 "!q = !quant.uniform<u8:f32, 0.5>\n!twice = vector<2xi8>\n!t = memref<2x3xf32>\n!u = !t\n"
                 "func.func @f() {\n  %%a = memref.alloc()\n    // its type\n    : %s\n  test.use %%a : i1\n}\n",
                 types[i].type);
        struct sw_problem *problem = must_read(text);
        if (buffer_named(problem, "a")->size != types[i].size) {
            fail_msg("%s: %u bytes", types[i].type, (unsigned)buffer_named(problem, "a")->size);
        }
        sw_problem_unref(problem);
    }
}

/* Allocations as they are and were written, each with its alignment. */
static void alignments(void **state) {
    (void)state;
    static const struct {
        const char *line;
        uint64_t alignment;
    } lines[] = {
        {"%a = memref.alloc() : memref<8xi8>", 1},
        {"%a = memref.alloc() {alignment = 64 : i64} : memref<8xi8>", 64},
        {"%a = memref.alloc() {test.x = \"a, b\", alignment = 32, y} : memref<8xi8>", 32},
        {"%a = memref.alloca() {alignment = 16 : i64} : memref<8xi8>", 16},
        {"%a = memref.alloc(%c8)[%c8] {alignment = 16 : i64} : memref<?xi8, #map>", 16},
        {"%a = alloc() {alignment = 4096 : i64} : memref<8xi8>", 4096},
        {"%a = alloc(%c8) : memref<?xi8>", 1},
        {"%a = alloca() : memref<8xi8>", 1},
        {"%a = std.alloc() {alignment = 8} : memref<8xi8>", 8},
        {"%a = \"memref.alloc\"(%c8) <{alignment = 64 : i64, operandSegmentSizes = array<i32: 1, 0>}> : (index) -> "
         "memref<?xi8>",
         64},
        {"%a = \"memref.alloc\"() {alignment = 2 : i64} : () -> memref<8xi8>", 2},
        {"%a, %t = gpu.alloc async [%c8] host_shared (%c8) {alignment = 4} : memref<?xi8>", 4},
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        char text[600];
        snprintf(text, sizeof text,
                 "func.func @f() {\n  %%c8 = arith.constant 8 : index\n  %s\n  test.use %%a : i1\n  return\n}\n",
                 lines[i].line);
        struct sw_problem *problem = must_read(text);
        assert_life(problem, "a", 8, 3, 4);
        assert_int_equal(buffer_named(problem, "a")->alignment, lines[i].alignment);
        sw_problem_unref(problem);
    }
}

/* Constants in the generic form, and what is reckoned from them. */
static void reckoned(void **state) {
    (void)state;
    struct sw_problem *problem =
        must_read("\"builtin.module\"() ({\n"
                  "  %a = \"arith.constant\"() <{value = 10 : index}> : () -> index\n"
                  "  %b = \"arith.constant\"() {value = 3 : index} : () -> index\n"
                  "  %c = \"arith.subi\"(%a, %b) : (index, index) -> index\n"
                  "  %d = arith.ceildivui %a, %b : index\n"
                  "  %e = util.align %a, %b : index\n"
                  "  %x = \"memref.alloc\"(%c, %d, %e) : (index, index, index) -> memref<?x?x?xi8>\n"
                  "}) : () -> ()\n");
    assert_int_equal(buffer_named(problem, "x")->size, 7 * 4 * 12);
    sw_problem_unref(problem);
}

static const char laid_out[] =
    "func.func @f(%in: memref<4x4xf32>, %out: memref<4x4xf32>) attributes {bytes = 512 : i64} {\n"
    "  %arena = memref.alloc() {alignment = 64 : i64, scratchpad}\n"
    "         : memref<512xi8, #npu.near>\n"
    "  %c0 = arith.constant 0 : index\n"
    "  %c64 = arith.constant 64 : index\n"
    "  %a = memref.view %arena[%c0][]\n"
    "     : memref<512xi8, #npu.near> to memref<4x4xf32, #npu.near>\n"
    "  %b = memref.view %arena[%c64][] : memref<512xi8, #npu.near> to memref<4x4xf32, #npu.near>\n"
    "  %c = memref.subview %arena[0] [128] [1] : memref<512xi8> to memref<128xi8, strided<[1]>>\n"
    "  %d = memref.view %arena[%c64][%c4] : memref<512xi8, #npu.near> to memref<4x?xf32>\n"
    "  %unused = memref.view %arena[%c64][] : memref<512xi8, #npu.near> to memref<2xf32>\n"
    "  npu.load %in, %a : memref<4x4xf32>\n"
    "  npu.add %a, %b : memref<4x4xf32>\n"
    "  npu.add %b, %in : memref<4x4xf32>\n"
    "  %cast = memref.cast %c : memref<128xi8> to memref<?xi8>\n"
    "  npu.wide %cast : memref<128xi8>\n"
    "  npu.part %d : memref<4xf32>\n"
    "  npu.store %c, %out : memref<4x4xf32>\n"
    "  memref.dealloc %arena : memref<512xi8>\n"
    "  return\n"
    "}\n";

/* Views of one allocation at constant places are a plan; one within another that lives meanwhile is part of it. */
static void arenas(void **state) {
    (void)state;
    char text[3000];
    const char *hole = strstr(laid_out, "  %c0");
    snprintf(text, sizeof text, "%.*s  %%c4 = arith.constant 4 : index\n%s", (int)(hole - laid_out), laid_out, hole);
    struct sw_problem *problem = must_read(text);
    assert_int_equal(sw_problem_buffer_count(problem), 3);
    assert_life(problem, "a", 64, 13, 14);
    assert_life(problem, "b", 64, 14, 15);
    assert_life(problem, "c", 128, 17, 19);
    for (size_t i = 0; i < 3; i++) {
        assert_true(sw_problem_buffer(problem, (uint32_t)i)->has_offset);
        assert_false(sw_problem_buffer(problem, (uint32_t)i)->pinned);
    }
    assert_int_equal(buffer_named(problem, "b")->offset, 64);
    assert_true(noted(problem, "the 5 views of arena (512 bytes) are a finished plan"));
    assert_true(noted(problem, "left out: 1 views that nothing uses"));
    sw_problem_unref(problem);
    /* Something else is allocated, or does something with all of it: then it is one buffer. */
    static const char *const others[] = {"  %e = memref.alloc() : memref<8xi8>\n",
                                         "  npu.fill %arena : memref<512xi8>\n",
                                         ("  %f = memref.view %arena[%in][] : memref<512xi8> to memref<8xi8>\n"
                                          "  npu.fill %f : memref<8xi8>\n")};
    for (size_t i = 0; i < COUNT(others); i++) {
        const char *end = strstr(laid_out, "  npu.load");
        snprintf(text, sizeof text, "%.*s%s%s", (int)(end - laid_out), laid_out, others[i], end);
        problem = must_read(text);
        assert_int_equal(sw_problem_buffer_count(problem), i == 0 ? 2 : 1);
        assert_int_equal(buffer_named(problem, "arena")->size, 512);
        assert_int_equal(buffer_named(problem, "arena")->alignment, 64);
        assert_false(buffer_named(problem, "arena")->has_offset);
        sw_problem_unref(problem);
    }
}

/* The arena is an argument, or a global; a view that a loop uses lives as long as the loop. */
static void foreign_arenas(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(
        "module {\n"
        "  func.func @f(%arena: memref<64xi8>, %n: index) {\n"
        "    %c0 = arith.constant 0 : index\n"
        "    %a = memref.subview %arena[%c0] [16] [1] : memref<64xi8> to memref<16xi8>\n"
        "    %b = memref.reinterpret_cast %arena to offset: [16], sizes: [8], strides: [1] : memref<64xi8> to "
        "memref<8xi8>\n"
        "    test.use %a : i1\n"
        "    scf.for %i = %c0 to %n step %c0 {\n"
        "      test.wait\n"
        "      test.use %b : i1\n"
        "      test.wait\n"
        "    }\n"
        "    return\n"
        "  }\n"
        "  func.func @g() {\n"
        "    %0 = memref.get_global @pool : memref<100xi8>\n"
        "    %o = arith.constant 10 : i64\n"
        "    %1 = \"krnl.getref\"(%0, %o) : (memref<100xi8>, i64) -> memref<5xi8>\n"
        "    %2 = \"memref.view\"(%0, %o) : (memref<100xi8>, index) -> memref<6xi8>\n"
        "    test.use %1 : i1\n"
        "    test.use %2 : i1\n"
        "    return %2 : i1\n"
        "  }\n"
        "}\n");
    assert_life(problem, "a", 16, 6, 6);
    assert_life(problem, "b", 8, 7, 11);
    assert_life(problem, "1", 5, 19, 19);
    assert_life(problem, "2", 6, 20, 21);
    assert_int_equal(buffer_named(problem, "2")->offset, 10);
    assert_int_equal(sw_problem_tier_count(problem), 2);
    assert_string_equal(sw_problem_tier(problem, 1)->name, "pool");
    sw_problem_unref(problem);
}

/* Each function with the device that its header names, else the module's. */
static void ranges(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(
        "#near = #stream.resource_config<{min_buffer_offset_alignment = 8, min_buffer_range_alignment = 32}>\n"
        "module attributes {stream.resources = #stream.resource_config<{\n"
        "  min_buffer_offset_alignment = 4,\n  min_buffer_range_alignment = 64 : i64\n}>} {\n"
        "util.func @f() attributes {stream.resources = #near} {\n"
        "  %c = arith.constant 90 : index\n"
        "  %p:2 = stream.resource.pack slices({\n    [0, 1] = %c\n  }) : index\n"
        "}\n"
        "util.func @g() {\n"
        "  %c = arith.constant 90 : index\n"
        "  %q:2 = stream.resource.pack slices({\n    [0, 1] = %c\n  }) : index\n"
        "}\n}\n");
    assert_int_equal(buffer_named(problem, "p#1")->size, 96);
    assert_int_equal(buffer_named(problem, "p#1")->alignment, 8);
    assert_int_equal(buffer_named(problem, "q#1")->size, 128);
    assert_int_equal(buffer_named(problem, "q#1")->alignment, 4);
    sw_problem_unref(problem);
}

#define ALLOC(type) "module {\n  %a = memref.alloc() : " type "\n}\n"
#define PACK(slices) "module {\n  %c = arith.constant 8 : index\n  %t:2 = stream.resource.pack slices({" slices
static void refusals(void **state) {
    (void)state;
    static const struct refusal wrong[] = {
        {ALLOC("memref<?xf32>"), 2, 32, "no operand gives the length of this dimension"},
        {ALLOC("memref<4x"), 2, 25, "this is no memref of at most 8192 bytes: memref<4x8xf32>"},
        {ALLOC("memref<4x!x>"), 2, 34, "!x is no element type of known size"},
        {ALLOC("memref<4x!my.type<3, [f32]>, 1>"), 2, 34, "!my.type<3, [f32]> is no element type of known size"},
        {ALLOC("memref<4xvector<[4]xf32>>"), 2, 34, "vector<[4]xf32> is no element type of known size"},
        {ALLOC("memref<*xf32>"), 2, 32, "*xf32 is no element type of known size"},
        {"module {\n  %a = memref.alloc() {alignment = 2147483648 : i64} : memref<4xf32>\n}\n", 2, 36,
         "the alignment is not a number up to 2^30"},
        {ALLOC("memref<4xf31>"), 2, 34, "f31 is no element type of known size"},
        {ALLOC("memref<2305843009213693951xf32>"), 2, 32, "the memref is larger than 2^61 bytes"},
        {ALLOC("memref<4f32>"), 2, 32, "the dimensions of the memref are wrong, or it is larger than 2^61 bytes"},
        {"module {\n  // %a = memref.alloc() : memref<4xf32>\n}\n", 4, 1,
         "no buffer is allocated here: no memref.alloc, stream.resource.alloca or "
         "stream.resource.pack"},
        {PACK("[0, 1] = %c"), 3, 31, "the list of slices is cut off"},
        {PACK("[1, 0] = %c })\n}\n"), 3, 39, "this is no slice with its lifetime: [first, last] = %size"},
        {PACK("[0, 1] = %d })\n}\n"), 3, 48,
         "a size depends on d, which is left open: give it, for instance with --dim d=1"},
        {"module {\n  %r = stream.resource.alloca uninitialized\n}\n", 2, 8,
         "this is no allocation: ... !stream.resource<transient>{%size}"},
    };
    must_refuse_text(wrong, COUNT(wrong));
}

static void cut(void **state) {
    (void)state;
    cut_everywhere(memref);
    cut_everywhere(pack);
    cut_everywhere(laid_out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions),     cmocka_unit_test(loops),    cmocka_unit_test(packs),
        cmocka_unit_test(open_sizes),    cmocka_unit_test(refusals), cmocka_unit_test(cut),
        cmocka_unit_test(missing_sizes), cmocka_unit_test(types),    cmocka_unit_test(alignments),
        cmocka_unit_test(reckoned),      cmocka_unit_test(arenas),   cmocka_unit_test(foreign_arenas),
        cmocka_unit_test(ranges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
