/* XLA's NAME-memory-usage-report.txt. */
#include "unit/formats.h"
#include "unit/noted.h"

static const char until_2025[] =
    "Total bytes used: 1056788 (1.01MiB)\n"
    "\n"
    "Allocations sorted by size:\n"
    "\n"
    "cumulative_size; total_size - cumulative_size; allocation\n"
    "------------------------------------------------------------------------------\n"
    "  768.0KiB( 74%);   264.0KiB; allocation 6: size 768.0KiB, preallocated-temp:\n"
    "  1.00MiB( 99%);        20B; allocation 0: size 256.0KiB, parameter 0, shape |f32[256,256]| "
    "at ShapeIndex {}:\n"
    "  1.00MiB(100%);        16B; allocation 1: size 4B, output shape is |f32[]|, maybe-live-out:\n"
    "The rest 2 allocations are less than 5% of the total size and not shown.\n"
    "\n"
    "\n"
    "Allocations sorted by size with their values:\n"
    "allocation 6: size 768.0KiB, preallocated-temp:\n";
static const char today[] = "Memory Space: default (color=0)\n"
                            "Total bytes: 3172 (3.1KiB)\n"
                            "  cumulative_size;       size;       offset; used_by_n_values; shapes_list\n"
                            "  ------------------------------------------------------------\n"
                            "     2.0KiB( 66%);     2.0KiB;            0;                3; f32[512]×2, f32[16]\n"
                            "     3.0KiB(100%);     1.0KiB;         2048;                1; f32[257]\n"
                            "\n"
                            "  cumulative_size;       size;       offset; used_by_n_values; shapes_list\n"
                            "  ------------------------------------------------------------\n"
                            "        64B(100%);        64B;            0;                1; (f32[8], s32[8])\n"
                            "\n"
                            "\n"
                            "Memory Space: vmem (color=1)\n"
                            "Total bytes: 128 (128B)\n"
                            "  cumulative_size;       size;       offset; used_by_n_values; shapes_list\n"
                            "  ------------------------------------------------------------\n"
                            "       128B(100%);       128B;            0;                1; 2×u8[128], u8[1]\n";

static void assert_size(const struct sw_problem *problem, const char *name, uint64_t size) {
    assert_int_equal(buffer_named(problem, name)->size, size);
}

/* All sizes together are the total, also of what is not listed. */
static void allocations(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(until_2025);
    assert_int_equal(sw_problem_buffer_count(problem), 4);
    assert_size(problem, "allocation 6 (temporary)", 768 * 1024);
    assert_size(problem, "allocation 0", 256 * 256 * 4);
    assert_size(problem, "allocation 1", 4);
    assert_size(problem, "not listed", 1056788 - 768 * 1024 - 256 * 1024 - 4);
    assert_int_equal(buffer_named(problem, "allocation 0")->kind, SW_KIND_INPUT);
    assert_int_equal(buffer_named(problem, "allocation 1")->kind, SW_KIND_OUTPUT);
    assert_int_equal(sw_problem_steps(problem), 1);
    assert_true(noted(problem, "1,056,788 bytes in all as the report says"));
    assert_true(noted(problem, "sizes that are rounded, as the report has them: 1"));
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

/* Shapes tell exact sizes: 1028 bytes where the report has 1.0KiB. */
static void spaces(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(today);
    assert_int_equal(sw_problem_tier_count(problem), 2);
    assert_string_equal(sw_problem_tier(problem, 1)->name, "vmem");
    assert_size(problem, "default 1", 2048 + 257 * 4);
    assert_size(problem, "default 2", 64);
    assert_size(problem, "vmem 1", 128);
    assert_size(problem, "not listed", 3172 - 2048 - 257 * 4 - 64);
    sw_problem_unref(problem);
}

#define HEAD "Total bytes used: 8 (8B)\n"
static void refusals(void **state) {
    (void)state;
    static const struct refusal wrong[] = {
        {HEAD, 2, 1, "the report lists no allocation"},
        {HEAD "Used values:\n<1 a @0>\n", 4, 1,
         "these are names of values alone; open NAME-buffer-assignment.txt beside this file"},
        {"Total bytes used: x\n", 1, 19, "the total is not a number up to 2^61"},
        {HEAD "8B(100%);  0B; allocation 0: size 8XB\n", 2, 36,
         "this is no allocation with its size: allocation 0: size 4.0KiB"},
        {HEAD "8B(100%);  0B; allocation 0: size 9999999PiB\n", 2, 45,
         "this is no allocation with its size: allocation 0: size 4.0KiB"},
        {HEAD "cumulative_size;       size;\n 8B(100%);  8B; -1; 1; u8[8]\n", 3, 19,
         "this is no place in an allocation: size; offset; values; shapes"},
    };
    must_refuse_text(wrong, COUNT(wrong));
}

static void cut(void **state) {
    (void)state;
    cut_everywhere(until_2025);
    cut_everywhere(today);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(allocations), cmocka_unit_test(spaces),
                                       cmocka_unit_test(refusals), cmocka_unit_test(cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
