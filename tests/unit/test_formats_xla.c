/* XLA's buffer assignment with its live ranges. */
#include "unit/formats.h"
#include "unit/noted.h"

#include <stdlib.h>
#include <unistd.h>

#define HEAD "BufferAssignment:\n"
#define TEMP "allocation 3: size 192, preallocated-temp:\n"
#define DOT " value: <3 dot.1 @0> (size=64,offset=0): f32[4,4]{1,0}\n"
#define RANGES "HloLiveRange (max 7):\n  InstructionSequence:\n    0:p0\n  BufferLiveRange:\n"

static const char assignment[] = HEAD "allocation 0: size 64, parameter 0, shape |f32[4,4]| at ShapeIndex {}:\n"
                                      " value: <1 p0 @0> (size=64,offset=0): f32[4,4]{1,0}\n"
                                      "allocation 1: size 64, output shape is |f32[4,4]|, maybe-live-out:\n"
                                      " value: <9 add.3 @0> (size=64,offset=0): f32[4,4]{1,0}\n"
                                      "allocation 2: size 4, constant:\n"
                                      " value: <2 c.1 @0> (size=4,offset=0): f32[]\n" TEMP DOT
                                      " value: <4 exp.2 @0> (size=64,offset=0): f32[4,4]{1,0}\n"
                                      " value: <5 fusion.4{0} @0> (size=64,offset=64): f32[4,4]{1,0}\n"
                                      " value: <6 fusion.4{1} @0> (size=64,offset=128): f32[4,4]{1,0}\n"
                                      "allocation 4: size 8, thread-local:\n"
                                      " value: <7 x @0> (size=8,offset=0): f32[2]{0}\n"
                                      "allocation 5: size 16:\n"
                                      " value: <8 unknown @0> (size=8,offset=8): f32[2]{0}\n\n"
                                      "Total bytes used: 340 (340B)\n\n"
                                      "Used values:\n<1 p0 @0>\n positions:\n  p0\n value: <1 again @0> nonsense\n";
static const char ranges[] = RANGES "    p0{}:0-7\n    dot.1{}:1-2\n    exp.2{}:2-4\n"
                                    "    fusion.4{0}:3-5\n    fusion.4{1}:3-6\n    add.3{}:5-7\n"
                                    "  Live ranges at 3 (peak):\n    p0{}: 64 bytes\n";

static void assert_value(const struct sw_problem *problem, const char *name, int64_t first, int64_t last,
                         uint64_t offset, enum sw_kind kind) {
    const struct sw_buffer *buffer = buffer_named(problem, name);
    assert_int_equal(sw_problem_time(problem, buffer->first), first);
    assert_int_equal(sw_problem_time(problem, buffer->last + 1), last + 1);
    assert_int_equal(buffer->offset, offset);
    assert_int_equal(buffer->kind, kind);
}

static void check_values(const struct sw_problem *problem) {
    assert_int_equal(sw_problem_buffer_count(problem), 6);
    assert_int_equal(sw_problem_tier_count(problem), 1);
    assert_value(problem, "dot.1+1", 1, 4, 0, SW_KIND_INTERMEDIATE);
    assert_value(problem, "fusion.4{0}", 3, 5, 64, SW_KIND_INTERMEDIATE);
    assert_value(problem, "fusion.4{1}", 3, 6, 128, SW_KIND_INTERMEDIATE);
    assert_value(problem, "p0", 0, 7, 192, SW_KIND_INPUT); /* behind the temporary ones */
    assert_value(problem, "add.3", 5, 7, 256, SW_KIND_OUTPUT);
    assert_value(problem, "unknown", 0, 7, 328, SW_KIND_INTERMEDIATE);
    assert_int_not_equal(sw_problem_find_member(problem, "exp.2"), SW_NONE);
    assert_true(noted(problem, "constants (1) and what is local to threads (1) are left out"));
    assert_true(noted(problem, "taken to live all the time: 1"));
    assert_true(noted(problem, "in one buffer with them: 1"));
    assert_true(sw_problem_offsets_are_plan(problem));
}

static void in_one_text(void **state) {
    (void)state;
    char text[sizeof assignment + sizeof ranges];
    snprintf(text, sizeof text, "%s%s", assignment, ranges);
    struct sw_problem *problem = must_read(text);
    check_values(problem);
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

static void write_file(const char *folder, const char *name, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static struct sw_problem *load_from(const char *folder, const char *name, struct sw_error *error) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return sw_load(path, NULL, NULL, error);
}

static void remove_from(const char *folder, const char *name) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

#define OURS "m.cpu_after_optimizations-buffer-assignment.txt"
#define THEIRS "m.cpu_after_optimizations-live-range.txt"

static void in_two_files(void **state) {
    (void)state;
    struct sw_error error = {0};
    char folder[] = "/tmp/sw-xla-buffer-assignment-XXXXXX";
    assert_non_null(mkdtemp(folder));
    write_file(folder, OURS, assignment);
    assert_null(load_from(folder, OURS, &error));
    assert_non_null(strstr(error.message, "to the scheduled NAME.txt, neither of which is beside this file"));
    write_file(folder, THEIRS, ranges);
    struct sw_problem *problem = load_from(folder, OURS, &error);
    assert_non_null(problem);
    check_values(problem);
    sw_problem_unref(problem);
    assert_null(load_from(folder, THEIRS, &error));
    assert_non_null(strstr(error.message, "open NAME-buffer-assignment.txt beside this file"));
    write_file(folder, THEIRS, RANGES "    p0{}:x\n");
    assert_null(load_from(folder, OURS, &error));
    assert_int_equal(error.line, 5);
    assert_non_null(strstr(error.file, THEIRS)); /* the file that is wrong */
    assert_string_equal(error.message, "this is no live range (name{index}:first-last)");
    write_file(folder, THEIRS, RANGES);
    assert_null(load_from(folder, OURS, &error));
    assert_string_equal(error.message, "there is no live range below \"BufferLiveRange:\"");
    write_file(folder, THEIRS, "\xff");
    assert_null(load_from(folder, OURS, &error));
    remove_from(folder, OURS);
    remove_from(folder, THEIRS);
    /* The name of a folder is not the file's. */
    write_file(folder, "other.txt", assignment);
    assert_null(load_from(folder, "other.txt", &error));
    assert_non_null(strstr(error.message, "must be beside NAME-buffer-assignment.txt"));
    remove_from(folder, "other.txt");
    rmdir(folder);
}

static void colors_are_tiers(void **state) {
    (void)state;
    struct sw_problem *problem =
        must_read("allocation 0: 0x7f, size 64, preallocated-temp:\n"
                  " value: <3 a @0> (size=64,offset=0): f32[16]{0}\n"
                  "allocation 1: size 32, preallocated-temp:\n"
                  " value: <4 b @1> (size=16,offset=16): f32[4]{0}\n"
                  "allocation 2: size 32, preallocated-temp:\n" RANGES "  a{}:0-1\n  b{}:1-2\n");
    assert_int_equal(sw_problem_tier_count(problem), 2);
    assert_string_equal(sw_problem_tier(problem, 1)->name, "color 1");
    assert_int_equal(buffer_named(problem, "b")->tier, 1);
    assert_int_equal(buffer_named(problem, "b")->offset, 16);
    sw_problem_unref(problem);
}

static void refused(void **state) {
    (void)state;
    static const struct refusal refusals[] = {
        {HEAD TEMP DOT, 0, 0,
         "this says where values lie but not when they live: XLA writes that to "
         "NAME-live-range.txt (with "
         "--xla_dump_buffer_assignment_analysis) and to the scheduled NAME.txt, neither of which "
         "can be found: they must "
         "be beside NAME-buffer-assignment.txt"},
        {RANGES " a{}:1-2\n", 0, 0, "these are live ranges alone; open NAME-buffer-assignment.txt beside this file"},
        {HEAD RANGES " a{}:3-2\n", 6, 1, "the live range is 3 to 2"},
        {HEAD RANGES " a{}:3\n", 6, 1, "this is no live range (name{index}:first-last)"},
        {HEAD RANGES " a{}:3-5\n", 2, 1, "no allocation: \"allocation 0: size ...\""},
        {HEAD DOT RANGES " a{}:3-5\n", 2, 10, "a value before the first allocation"},
        {HEAD "allocation 0: siz\n" RANGES " a{}:3-5\n", 2, 12,
         "the size of the allocation is not a number up to 2^61"},
        {HEAD TEMP " value: <3 a @0> (size=193,offset=0): f\n" RANGES " a{}:3-5\n", 3, 37,
         "a ends behind the 192 bytes of its allocation"},
        {HEAD TEMP " value: <3 a @0> (size=64,offset=129): f\n" RANGES " a{}:3-5\n", 3, 38,
         "a ends behind the 192 bytes of its allocation"},
        {HEAD TEMP " value: <3 a> (size=64,offset=0): f\n" RANGES " a{}:3-5\n", 3, 36,
         "this is no value: <id name @color> (size=...,offset=...)"},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

/* As XLA writes it since 2026: pages, and values that lie in the free space of another color's allocation, which are
 * listed twice; variables of loops. */
static void today(void **state) {
    (void)state;
    static const char text[] =
        HEAD "allocation 0: size 64, color 1, page 2, preallocated-temp:\n"
             " value: <1 a @1> (size=32,offset=0): f32[8]\n"
             " value: <2 while.3{1} (phi) @0> (size=32,offset=32): f32[8]\n"
             " reused by buffers of a different color:\n"
             "  value: <2 while.3{1} (phi) @0> (color=0)\n"
             "allocation 1: size 16, maybe-live-out:\n"
             " value: <3 b @0> (size=16,offset=0): f32[4]\n" RANGES " a{}:1-2\n while.3{1}:2-4\n b{}:3-7\n";
    struct sw_problem *problem = must_read(text);
    assert_int_equal(sw_problem_buffer_count(problem), 3);
    assert_value(problem, "while.3{1}", 2, 4, 32, SW_KIND_INTERMEDIATE);
    assert_int_equal(buffer_named(problem, "while.3{1}")->tier, buffer_named(problem, "a")->tier);
    assert_int_not_equal(buffer_named(problem, "b")->tier, buffer_named(problem, "a")->tier);
    assert_true(noted(problem, "values that lie in an allocation of another color: 1"));
    sw_problem_unref(problem);
}

#define MODULE "m.cpu_after_optimizations.txt"

/* Without live ranges the schedule in the module itself tells when values live. */
static void with_the_module(void **state) {
    (void)state;
    static const char module[] = "HloModule m, is_scheduled=true\nENTRY e {\n"
                                 "  p0 = f32[4,4]{1,0} parameter(0)\n"
                                 "  dot.1 = f32[4,4]{1,0} negate(p0)\n"
                                 "  exp.2 = f32[4,4]{1,0} exponential(dot.1)\n"
                                 "  fusion.4 = (f32[4,4]{1,0}, f32[4,4]{1,0}) custom-call(exp.2)\n"
                                 "  e0 = f32[4,4]{1,0} get-tuple-element(fusion.4), index=0\n"
                                 "  e1 = f32[4,4]{1,0} get-tuple-element(fusion.4), index=1\n"
                                 "  ROOT add.3 = f32[4,4]{1,0} add(e0, e1)\n}\n";
    struct sw_error error = {0};
    char folder[] = "/tmp/sw-xla-XXXXXX";
    assert_non_null(mkdtemp(folder));
    write_file(folder, OURS, assignment);
    write_file(folder, MODULE, module);
    struct sw_problem *problem = load_from(folder, OURS, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    assert_value(problem, "dot.1+1", 0, 2, 0, SW_KIND_INTERMEDIATE);
    assert_value(problem, "fusion.4{0}", 2, 3, 64, SW_KIND_INTERMEDIATE);
    assert_value(problem, "p0", 0, 3, 192, SW_KIND_INPUT);
    assert_value(problem, "add.3", 3, 3, 256, SW_KIND_OUTPUT);
    assert_true(noted(problem, "when values live follows from the schedule in NAME.txt"));
    sw_problem_unref(problem);
    write_file(folder, MODULE, "HloModule m, is_scheduled=true\nENTRY e {\n x\n}\n");
    assert_null(load_from(folder, OURS, &error));
    assert_int_equal(error.line, 4);
    assert_non_null(strstr(error.file, MODULE));
    write_file(folder, MODULE, "HloModule m\nENTRY e {\n}\n");
    assert_null(load_from(folder, OURS, &error));
    assert_non_null(strstr(error.message, "neither of which is beside"));
    remove_from(folder, OURS);
    remove_from(folder, MODULE);
    rmdir(folder);
}

/* Cut anywhere: an error, or a valid shorter problem. */
static void cut(void **state) {
    (void)state;
    char text[sizeof assignment + sizeof ranges];
    int length = snprintf(text, sizeof text, "%s%s", assignment, ranges);
    for (size_t i = 0; i < (size_t)length; i++) {
        struct sw_error error = {0};
        struct sw_input input = text_input(text, i);
        struct sw_problem *problem = sw_load_input(&input, NULL, &error);
        assert_true(problem || (error.code == SW_ERROR_INPUT && *error.message));
        sw_problem_unref(problem);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_one_text),
        cmocka_unit_test(in_two_files),
        cmocka_unit_test(today),
        cmocka_unit_test(with_the_module),
        cmocka_unit_test(colors_are_tiers),
        cmocka_unit_test(refused),
        cmocka_unit_test(cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
