/* Plans that TensorFlow Lite Micro and Vela print. */
#include "unit/formats.h"

#include "formats/tools/placed.h"
#include "unit/noted.h"

#define ROW0 "0 (id=0): size=96, offset=512, first_used=1 last_used=2\n"
#define ROW1 "* (id=1): size=16, offset=0, first_used=2 last_used=2\n"

static void assert_row(const struct sw_problem *problem, const char *name, int64_t first, int64_t last, uint64_t size,
                       uint64_t offset) {
    const struct sw_buffer *buffer = buffer_named(problem, name);
    assert_int_equal(sw_problem_time(problem, buffer->first), first);
    assert_int_equal(sw_problem_time(problem, buffer->last + 1), last + 1);
    assert_int_equal(buffer->size, size);
    assert_true(buffer->has_offset && !buffer->pinned);
    assert_int_equal(buffer->offset, offset);
}

/* ---- TensorFlow Lite Micro ---- */

static void tflm_rows(void **state) {
    (void)state;
    struct sw_problem *problem = must_read("hello\r\n" ROW0 "I (123) app: 1 (id=1): size=16, offset=0, first_used=2 "
                                           "last_used=4\r\n* (id=2): size=32, offset=16, first_used=3 last_used=3\n"
                                           "   0: 000....... (1k)\n"
                                           "[RecordingMicroAllocator] Arena allocation head 608 bytes\n");
    assert_int_equal(sw_problem_buffer_count(problem), 3);
    assert_row(problem, "buf0", 1, 2, 96, 512);
    assert_row(problem, "buf1", 2, 4, 16, 0);
    assert_row(problem, "scratch2", 3, 3, 32, 16);
    assert_true(sw_problem_offsets_are_plan(problem));
    assert_int_equal(sw_problem_alignment(problem), 16);
    assert_int_equal(sw_problem_lower_bound(problem), 112); /* both ends count: they meet at 2 */
    assert_true(noted(problem, "both inside"));
    assert_true(noted(problem, "leaves out weights"));
    assert_false(noted(problem, "head of the arena"));
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

static void tflm_odd_logs(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(ROW0 "1 (id=1): size=10, offset=3, first_used=2 last_used=3\n"
                                                "Arena allocation head 700 bytes\n" ROW0 "garbage (id=7): size=\n");
    assert_int_equal(sw_problem_buffer_count(problem), 2);
    assert_int_equal(sw_problem_alignment(problem), 1); /* not TFLM's sixteen */
    assert_true(noted(problem, "says the head of the arena is 700 bytes; its rows end at 608"));
    assert_true(noted(problem, "another plan begins in line 4"));
    sw_problem_unref(problem);
    /* Rows that overlap are TFLM's fault, and stay so. */
    problem = must_read(ROW0 "1 (id=1): size=96, offset=512, first_used=1 last_used=2\n");
    assert_int_equal(sw_problem_buffer_count(problem), 2);
    assert_int_equal(sw_problem_member_count(problem), 0);
    sw_problem_unref(problem);
}

static void tflm_errors(void **state) {
    (void)state;
    static const struct refusal refusals[] = {
        {ROW0 "2 (id=2): size=16, offset=0, first_used=2 last_used=2\n", 2, 1,
         "buffer 2 stands where buffer 1 should: rows are missing"},
        {"1 (id=1): size=16, offset=0, first_used=2 last_used=2\n", 1, 1,
         "buffer 1 stands where buffer 0 should: rows are missing"},
        {"0 (id=0): size=-16, offset=0, first_used=2 last_used=2\n", 1, 16,
         "size -16 is negative: it did not fit the 32 bits of the interpreter"},
        {"0 (id=0): size=x", 1, 16, "size is not a number"},
        {"0 (id=0): size=1", 1, 17, "'offset' is missing in this row of the plan"},
        {"0 (id=0): size=1, offset=", 1, 26, "offset is not a number"},
        {"0 (id=0): size=1, offset=2, first_us", 1, 27, "'first_used' is missing in this row of the plan"},
        {"0 (id=0): size=1, offset=2, first_used=3", 1, 41, "'last_used' is missing in this row of the plan"},
        {"0 (id=0): size=1, offset=2, first_used=3 last_used=2", 1, 53,
         "the lifetime ends at 2, before it begins at 3"},
        {"0 (id=0): size=1, offset=2, first_used=3 last_used=2147483647", 1, 62,
         "last_used 2147483647 is out of range"},
        {"0 (id=0): size=9223372036854775807, offset=2, first_used=3 last_used=3", 1, 1, "buf0 ends above 2^61 bytes"},
        {ROW0 "\xff", 2, 1, "byte 0xff is not valid UTF-8"},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

/* ---- Vela ---- */

#define TITLE(area, types)                                                                        \
    "####\nTensor Allocation for mem_area " area ", of mem_type_set (" types                      \
    "), using allocator HillClimb, in Cpu and Npu subgraph:\n"                                    \
    "Start Time -   End Time: Start Addr -   End Addr: Tensor Size: Memory Usage: Purpose     : " \
    "Name\n"
#define FOOT(peak)                                                        \
    "Allocation Peak Tensor Size:      64 ( 0x40) Bytes 0.06 KiB\n"       \
    "Allocation Peak Memory Usage:     " peak " ( 0x40) Bytes 0.06 KiB\n" \
    "Allocation Overhead:                  0 Bytes (0.00 %)\n\n"
#define IN "  0 -  3:   0x0 -  0x20:  32:  64: FeatureMap  : in put:0 \n"
#define OUT "  3 -  5:  0x20 -  0x40:  32:  64: FeatureMap  : out\n"

static void vela_tables(void **state) {
    (void)state;
    struct sw_problem *problem =
        must_read("Warning: a\n" TITLE("Sram", "Scratch, Scratch_fast") IN OUT
                  "  3 -  5:  0x20 -  0x40:  32:  64: FeatureMap  : same\n"
                  "  4 -  4:  0x0 -  0x10:  16:  64: Scratch     : work\n\n" FOOT("64")
                      TITLE("Dram", "Scratch") "  1 -  2:  0x0 -  0x8:  8:  8: FeatureMap  : out\n" FOOT("8")
                          TITLE("Dram", "Permanent_NPU") "  0 -  9:  0x0 -  0x80:  128:  128: Weights : w\n" FOOT(
                              "4") "Network summary for x\n  3 - 5: no row\n");
    assert_int_equal(sw_problem_buffer_count(problem), 4);
    assert_int_equal(sw_problem_tier_count(problem), 2);
    assert_string_equal(sw_problem_tier(problem, 0)->name, "Sram");
    assert_string_equal(sw_problem_tier(problem, 1)->name, "Dram");
    assert_row(problem, "in put:0 ", 0, 3, 32, 0);
    assert_row(problem, "out", 3, 5, 32, 32);
    assert_row(problem, "work", 4, 4, 16, 0);
    assert_row(problem, "out#2", 1, 2, 8, 0);
    assert_int_equal(buffer_named(problem, "work")->kind, SW_KIND_SCRATCH);
    assert_int_equal(buffer_named(problem, "out#2")->tier, 1);
    uint32_t same = sw_problem_find_member(problem, "same");
    assert_int_not_equal(same, SW_NONE);
    assert_int_equal(sw_problem_member(problem, same)->buffer, sw_problem_find_buffer(problem, "out"));
    assert_true(noted(problem, "permanent data (1 tensors, 128 bytes)"));
    assert_true(noted(problem, "and lie in one buffer with them: 1"));
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

/* Tables of one area: the types tell them apart, and a number if need be. An overlap that is no
 * alias stays. */
static void vela_same_area(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(TITLE("Sram", "Scratch") IN FOOT("32") TITLE("Sram", "Scratch_fast") IN FOOT(
        "40") TITLE("Sram", "Scratch_fast") IN "  1 -  3:   0x0 -  0x20:  32:  64: FeatureMap  : b\n" FOOT("32"));
    assert_int_equal(sw_problem_tier_count(problem), 3);
    assert_string_equal(sw_problem_tier(problem, 1)->name, "Sram (Scratch_fast)");
    assert_string_equal(sw_problem_tier(problem, 2)->name, "Sram (Scratch_fast) 2");
    assert_int_equal(sw_problem_buffer_count(problem), 4);
    assert_int_equal(sw_problem_member_count(problem), 0);
    sw_problem_unref(problem);
}

static void vela_errors(void **state) {
    (void)state;
    static const struct refusal refusals[] = {
        {TITLE("Sram", "Scratch") IN, 5, 1,
         "the table that begins in line 2 has no \"Allocation Peak Memory Usage\" at its foot: the "
         "log is cut off"},
        {TITLE("Sram", "Scratch") IN TITLE("Dram", "Scratch"), 5, 1,
         "the table that begins in line 2 has no \"Allocation Peak Memory Usage\" at its foot: the "
         "log is cut off"},
        {TITLE("Sram", "Scratch") IN FOOT("31"), 6, 37,
         "the table's peak is 31 bytes, but its rows end at 32: rows are missing or wrong"},
        {TITLE("Sram", "Scratch") IN FOOT("288"), 6, 38,
         "the table's peak is 288 bytes, but its rows end at 32: rows are missing or wrong"},
        {TITLE("Sram", "Scratch") IN FOOT("x"), 6, 35, "the peak of the table is not a number"},
        {TITLE("Sram", "Scratch") "  0 -  3:   0x0 -  0x20:  33:  64: F : a\n" FOOT("32"), 4, 40,
         "size 33 is not what lies between the addresses"},
        {TITLE("Sram", "Scratch") "  4 -  3:   0x0 -  0x20:  32:  64: F : a\n" FOOT("32"), 4, 40,
         "the lifetime is 4 to 3"},
        {TITLE("Sram", "Scratch") "  4 -  3:   32 -  0x20:  32:  64: F : a\n", 4, 13,
         "this is no row of the table of tensors"},
        {TITLE("Sram", "Scratch") "hello\n", 4, 1, "this is no row of the table of tensors"},
        {TITLE("Sram", "Scratch") "  1 -  3:   0x0 -  0x20:  32:  64: F  a\n", 4, 39,
         "this is no row of the table of tensors"},
        {TITLE("Sram", "Scratch") "  1 -  3:   0x0 -  0xffffffffffffffff:  9223372036854775807:  "
                                  "64: F : a\n" FOOT("32"),
         4, 1, "a ends above 2^61 bytes"},
        {"Tensor Allocation for mem_area Sram", 1, 36,
         "the title of a table of tensors names no memory area and types"},
        {"Tensor Allocation for mem_area Sram, of mem_type_set (a", 1, 56,
         "the title of a table of tensors names no memory area and types"},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

/* By its name alone: what is missing. */
static void other_logs(void **state) {
    (void)state;
    struct sw_error error = {0};
    struct sw_input input = {.name = "x.log", .bytes = "hello\n", .length = 6};
    assert_null(sw_load_input(&input, NULL, &error));
    assert_string_equal(error.message, "nothing in this log is known: no memory plan (of TensorFlow Lite Micro or "
                                       "vela --verbose-allocation), no requests to an allocator, no decisions of a "
                                       "planner; see: stowage list formats");
}

/* ---- names ---- */

static void names(void **state) {
    (void)state;
    struct sw_error error = {0};
    struct sw_placed placed = {0};
    static const char *const given[] = {"a", "a", "a#2", "a+1", "", "b\xff\x80z", "a"};
    for (size_t i = 0; i < COUNT(given); i++) {
        struct sw_placed_row row = {.name = given[i], .first = i == 6, .last = 2, .size = 4};
        row.offset = i == 6 ? 2 : 8 * i;
        assert_true(sw_placed_add(&placed, &row, strlen(given[i]), &error));
    }
    struct sw_builder *builder = sw_builder_new(&error);
    assert_true(sw_placed_build(&placed, SW_ALIAS_ANY, builder, &error));
    assert_string_equal(placed.rows.items[1].name, "a#3");
    assert_string_equal(placed.rows.items[4].name, "buffer");
    assert_string_equal(placed.rows.items[5].name, "b??z");
    assert_string_equal(placed.rows.items[6].name, "a#4");
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    assert_non_null(problem);
    const struct sw_buffer *both = buffer_named(problem, "a+1#2"); /* a and the last one */
    assert_int_equal(both->size, 6);
    assert_int_equal(both->piece_count, 2);
    assert_int_equal(sw_problem_member_count(problem), 2);
    sw_problem_unref(problem);
    sw_builder_free(builder);
    sw_placed_done(&placed);
}

/* At one address: one that lives long, and two that do not meet each other; then one that meets
 * none. */
static void long_lives(void **state) {
    (void)state;
    static const int64_t lives[][2] = {{0, 9}, {1, 2}, {5, 6}, {10, 11}};
    struct sw_error error = {0};
    struct sw_placed placed = {0};
    for (size_t i = 0; i < COUNT(lives); i++) {
        struct sw_placed_row row = {.name = "r", .first = lives[i][0], .last = lives[i][1], .offset = 8, .size = 4};
        assert_true(sw_placed_add(&placed, &row, 1, &error));
    }
    struct sw_builder *builder = sw_builder_new(&error);
    assert_true(sw_placed_build(&placed, SW_ALIAS_SAME_START, builder, &error));
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    assert_non_null(problem);
    assert_int_equal(sw_problem_buffer_count(problem), 2);
    assert_int_equal(sw_problem_member_count(problem), 2);
    sw_problem_unref(problem);
    sw_builder_free(builder);
    sw_placed_done(&placed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tflm_rows),   cmocka_unit_test(tflm_odd_logs),  cmocka_unit_test(tflm_errors),
        cmocka_unit_test(vela_tables), cmocka_unit_test(vela_same_area), cmocka_unit_test(vela_errors),
        cmocka_unit_test(other_logs),  cmocka_unit_test(names),          cmocka_unit_test(long_lives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
