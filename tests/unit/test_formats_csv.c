/* Tables of buffers: what they mean, how they are written, and every way to be wrong. */
#include "unit/formats.h"

#define HEAD "id,lower,upper,size\n"

static void assert_life(const struct sw_problem *problem, const char *name, int64_t lower, int64_t upper) {
    const struct sw_buffer *buffer = buffer_named(problem, name);
    assert_int_equal(sw_problem_time(problem, buffer->first), lower);
    assert_int_equal(sw_problem_time(problem, buffer->last + 1), upper);
}

static void half_open(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(HEAD "b1,0,3,4\nb2,3,9,5\n");
    assert_int_equal(sw_problem_buffer_count(problem), 2);
    assert_int_equal(sw_problem_operator_count(problem), 0);
    assert_life(problem, "b1", 0, 3);
    assert_life(problem, "b2", 3, 9);
    assert_int_equal(sw_problem_lower_bound(problem), 5); /* they never meet */
    assert_int_equal(sw_problem_naive(problem), 9);
    assert_string_equal(sw_problem_name(problem), "file");
    sw_problem_unref(problem);
}

static void inclusive_end(void **state) {
    (void)state;
    const char *const heads[] = {"id,start,end,size\n", "buffer,begin,end,size\n", "buffer_id,lower,end,size\n"};
    for (size_t i = 0; i < COUNT(heads); i++) {
        char text[128];
        snprintf(text, sizeof text, "%sb1,0,3,4\nb2,3,9,5\n", heads[i]);
        struct sw_problem *problem = must_read(text);
        assert_life(problem, "b1", 0, 4);
        assert_life(problem, "b2", 3, 10);
        assert_int_equal(sw_problem_lower_bound(problem), 9); /* they meet at 3 */
        size_t notes;
        const char *const *note = sw_problem_notes(problem, &notes);
        assert_int_equal(notes, 1);
        assert_non_null(strstr(note[0], "end"));
        sw_problem_unref(problem);
    }
}

static void columns_in_any_order(void **state) {
    (void)state;
    struct sw_problem *problem = must_read("\xef\xbb\xbf# made by hand\r\n#again\r\n"
                                           " size ,color,upper,lower,alignment,id,hint\r\n"
                                           "64,red,9,-7,32,\"a, \"\"b\"\"\nc\",128\r\n"
                                           "\r\n"
                                           "0,,1,0,, d ,-1\r\n"
                                           " 5 ,,3,2,,#x,");
    assert_int_equal(sw_problem_buffer_count(problem), 3);
    const struct sw_buffer *a = buffer_named(problem, "a, \"b\"\nc");
    assert_int_equal(a->size, 64);
    assert_int_equal(a->alignment, 32);
    assert_true(a->has_hint);
    assert_int_equal(a->hint, 128);
    assert_false(a->has_offset);
    assert_life(problem, a->name, -7, 9);
    const struct sw_buffer *d = buffer_named(problem, " d ");
    assert_int_equal(d->size, 0);
    assert_int_equal(d->alignment, 1);
    assert_false(d->has_hint);
    assert_int_equal(buffer_named(problem, "#x")->size, 5);
    size_t notes;
    const char *const *note = sw_problem_notes(problem, &notes);
    assert_int_equal(notes, 1);
    assert_string_equal(note[0], "column color is not used");
    assert_round_trip(problem, "x.csv");
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

static void no_buffers_at_all(void **state) {
    (void)state;
    const char *const texts[] = {HEAD, "id,lower,upper,size", "# only a header\n" HEAD "\n\r\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct sw_problem *problem = must_read(texts[i]);
        assert_int_equal(sw_problem_buffer_count(problem), 0);
        assert_int_equal(sw_problem_lower_bound(problem), 0);
        assert_written(problem, "x.csv", HEAD);
        assert_round_trip(problem, "x.json");
        sw_problem_unref(problem);
    }
}

/* The last times there are can be written in every format. */
static void the_ends_of_time(void **state) {
    (void)state;
    struct sw_problem *problem = must_read("id,start,end,size\na,0,4611686018427387903,4\n"
                                           "b,-4611686018427387904,-1,4\n");
    assert_life(problem, "a", 0, INT64_C(1) << 62);
    assert_life(problem, "b", -(INT64_C(1) << 62), 0);
    assert_round_trip(problem, "x.csv");
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

/* ---- offsets ---- */

static void offsets_on_all_rows_are_a_plan(void **state) {
    (void)state;
    const char *text = "id,lower,upper,size,offset\na,0,2,8,0\nb,1,3,8,8\n";
    struct sw_problem *problem = must_read(text);
    assert_true(sw_problem_has_plan(problem));
    assert_false(buffer_named(problem, "a")->pinned);
    assert_int_equal(buffer_named(problem, "b")->offset, 8);
    assert_written(problem, "x.csv", text);
    assert_round_trip(problem, "x.json");
    struct sw_load_options pins = {.pins = true};
    struct sw_problem *pinned = read_options(text, &pins);
    assert_true(buffer_named(pinned, "a")->pinned);
    assert_true(sw_problem_has_plan(pinned));
    assert_round_trip(pinned, "x.json");
    sw_problem_unref(pinned);
    sw_problem_unref(problem);
}

static void offsets_on_some_rows_are_pins(void **state) {
    (void)state;
    struct sw_problem *problem = must_read("id,lower,upper,size,offset\na,0,2,8,\nb,1,3,8, 8 \n");
    assert_false(sw_problem_has_plan(problem));
    assert_false(buffer_named(problem, "a")->has_offset);
    assert_true(buffer_named(problem, "b")->pinned);
    assert_round_trip(problem, "x.csv");
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

static void tiers_come_with_their_names(void **state) {
    (void)state;
    struct sw_problem *problem =
        must_read("id,lower,upper,size,tier\na,0,2,8,dram\nb,1,3,8,sram\nc,1,3,8,\nd,1,3,8,dram\n");
    assert_int_equal(sw_problem_tier_count(problem), 2);
    assert_string_equal(sw_problem_tier(problem, 0)->name, "dram");
    assert_true(sw_problem_tier(problem, 1)->capacity == SW_UNBOUNDED);
    assert_int_equal(buffer_named(problem, "b")->tier, 1);
    assert_int_equal(buffer_named(problem, "c")->tier, SW_NONE);
    assert_round_trip(problem, "x.csv");
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

/* ---- gaps ---- */

static void assert_pieces(const struct sw_problem *problem, const char *name, const int64_t (*wanted)[4],
                          size_t count) {
    const struct sw_buffer *buffer = buffer_named(problem, name);
    assert_int_equal(buffer->piece_count, count);
    for (size_t i = 0; i < count; i++) {
        const struct sw_piece *piece = &buffer->pieces[i];
        assert_int_equal(sw_problem_time(problem, piece->first), wanted[i][0]);
        assert_int_equal(sw_problem_time(problem, piece->last + 1), wanted[i][1]);
        assert_int_equal(piece->lo, wanted[i][2]);
        assert_int_equal(piece->hi, wanted[i][3]);
    }
}

static void gaps_become_pieces(void **state) {
    (void)state;
    struct sw_problem *problem = must_read("id,lower,upper,size,gaps\n"
                                           "a,0,10,64, 6-8@0:16   2-4 \n"
                                           "b,-4,10,64,-3--1 0-1@8:9\n"
                                           "c,0,10,64,0-2 9-10\n"
                                           "d,0,10,64,3-4@0:64\n"
                                           "e,0,10,0,0-10\n"
                                           "f,0,10,8,0-10@2:4\n"
                                           "g,0,10,8,\n");
    const int64_t a[][4] = {{0, 2, 0, 64}, {4, 6, 0, 64}, {6, 8, 0, 16}, {8, 10, 0, 64}};
    const int64_t b[][4] = {{-4, -3, 0, 64}, {-1, 0, 0, 64}, {0, 1, 8, 9}, {1, 10, 0, 64}};
    const int64_t c[][4] = {{2, 9, 0, 64}}, d[][4] = {{0, 10, 0, 64}}, e[][4] = {{0, 10, 0, 0}};
    const int64_t f[][4] = {{0, 10, 2, 4}};
    assert_pieces(problem, "a", a, COUNT(a));
    assert_pieces(problem, "b", b, COUNT(b));
    assert_pieces(problem, "c", c, COUNT(c));
    assert_pieces(problem, "d", d, COUNT(d));
    assert_pieces(problem, "e", e, COUNT(e));
    assert_pieces(problem, "f", f, COUNT(f));
    assert_life(problem, "c", 2, 9);
    assert_round_trip(problem, "x.csv");
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

static void gaps_are_inclusive_with_end(void **state) {
    (void)state;
    struct sw_problem *problem = must_read("id,start,end,size,gaps\na,0,9,64,2-3 6-7@0:16\n");
    const int64_t a[][4] = {{0, 2, 0, 64}, {4, 6, 0, 64}, {6, 8, 0, 16}, {8, 10, 0, 64}};
    assert_pieces(problem, "a", a, COUNT(a));
    assert_written(problem, "x.csv", "id,lower,upper,size,gaps\na,0,10,64,2-4 6-8@0:16\n");
    sw_problem_unref(problem);
}

static void pieces_at_one_step_need_json(void **state) {
    (void)state;
    struct sw_problem *problem = must_read("{\"operators\":[],\"buffers\":[{\"name\":\"a\",\"size\":64,\"pieces\":["
                                           "{\"first\":0,\"last\":3,\"lo\":0,\"hi\":8},"
                                           "{\"first\":0,\"last\":3,\"lo\":32,\"hi\":40}]}]}");
    struct sw_error error = {0};
    struct sw_sink sink = {0};
    const struct sw_format *format = sw_format_for_output("x.csv", false, &error);
    assert_false(format->write_problem(problem, &sink, &error));
    assert_int_equal(error.code, SW_ERROR_UNSUPPORTED);
    assert_non_null(strstr(error.message, ".json"));
    sw_sink_done(&sink);
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

/* ---- what is refused ---- */

static void refused_headers(void **state) {
    (void)state;
    const struct refusal refusals[] = {
        {"", 1, 1, "the file is empty"},
        {"\xef\xbb\xbf", 1, 1, "the file is empty"},
        {"id,lower,upper\na,0,1\n", 1, 1, "the header has no column 'size'"},
        {"# c\nid,upper,size\n", 2, 1, "the header has no column 'lower' (or 'start')"},
        {"id,lower,size\n", 1, 1, "the header has no column 'upper' (or 'end')"},
        {"lower,upper,size\n", 1, 1, "the header has no column 'id'"},
        {"id,lower,upper,size,id\n", 1, 21, "column 'id' says the same as column 'id'"},
        {"id,lower, start,upper,size\n", 1, 10, "column ' start' says the same as column 'lower'"},
        {"id,lower,upper,end,size\n", 1, 16, "column 'end' says the same as column 'upper'"},
        {"id,lower,\"upper\"x,size\n", 1, 17, "text after the closing quote"},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

static void refused_rows(void **state) {
    (void)state;
    const struct refusal refusals[] = {
        {HEAD "a,0,1\n", 2, 6, "the row has 3 fields, the header 4"},
        {HEAD "a,0,1\r\n", 2, 6, "the row has 3 fields, the header 4"},
        {HEAD "a\n", 2, 2, "the row has 1 field, the header 4"},
        {HEAD "a,0,1,4,5\n", 2, 9, "the row has 5 fields, the header 4"},
        {HEAD "a,0,1,4\nb,0,1,4,\"5\"\n", 3, 9, "the row has 5 fields, the header 4"},
        {HEAD ",0,1,4\n", 2, 1, "id is blank"},
        {HEAD "a,,1,4\n", 2, 3, "lower is blank"},
        {HEAD "a,0, ,4\n", 2, 5, "upper is blank"},
        {HEAD "a,0,1,\n", 2, 7, "size is blank"},
        {HEAD "a,0,1,4k\n", 2, 7, "size '4k' is not a whole number"},
        {HEAD "a,0,1,0x10\n", 2, 7, "size '0x10' is not a whole number"},
        {HEAD "a,0,1,1.5\n", 2, 7, "size '1.5' is not a whole number"},
        {HEAD "a,0,1,-\n", 2, 7, "size '-' is not a whole number"},
        {HEAD "a,0,1,-4\n", 2, 7, "size -4 is negative"},
        {HEAD "a,0,1,-99999999999999999999\n", 2, 7, "size -99999999999999999999 is negative"},
        {HEAD "a,1:2,3,4\n", 2, 3, "lower '1:2' is not a whole number"},
        {HEAD "a,0,1,2305843009213693953\n", 2, 7,
         "size 2305843009213693953 is out of range (0 to 2305843009213693952)"},
        {HEAD "a,0,1,99999999999999999999\n", 2, 7,
         "size 99999999999999999999 is out of range (0 to 2305843009213693952)"},
        {HEAD "a,0,9223372036854775807,4\n", 2, 5,
         "upper 9223372036854775807 is out of range (-4611686018427387904 to "
         "4611686018427387904)"},
        {HEAD "a,-9223372036854775808,0,4\n", 2, 3,
         "lower -9223372036854775808 is out of range (-4611686018427387904 to "
         "4611686018427387903)"},
        {"id,start,end,size\na,0,4611686018427387904,4\n", 2, 5,
         "end 4611686018427387904 is out of range (-4611686018427387904 to "
         "4611686018427387903)"},
        {HEAD "a,5,5,4\n", 2, 5, "upper 5 is not above lower 5 (upper is exclusive)"},
        {HEAD "a,5,4,4\n", 2, 5, "upper 4 is not above lower 5 (upper is exclusive)"},
        {"id,start,end,size\na,5,4,4\n", 2, 5, "end 4 is before the start 5"},
        {HEAD "a,0,1,4\nb,0,1,4\na,0,1,4\n", 4, 1, "two buffers are named a"},
        {HEAD "\"a\nb\",0,1,4\n\"a\nb\",0,1,4\n", 4, 1, "two buffers are named a?b"},
        {"x,id,lower,upper,size\n\"a\nb\",q,0,1,4\n\"a\nb\",q,0,1,4", 5, 4, "two buffers are named q"},
        {HEAD "a,0,1,4\n\n\"b,0,1,4\n", 4, 1, "the quote is never closed"},
        {HEAD "\"b\"\"\",\"x\ny\"z,1,4\n", 3, 3, "text after the closing quote"},
        {HEAD "\xc3\xa9,0,1,x\n", 2, 8, "size 'x' is not a whole number"},
        {HEAD "a\xff,0,1,4\n", 2, 2, "byte 0xff is not valid UTF-8"},
        {HEAD "a,0,1,4\n\xed\xa0\x80,0,1,4\n", 3, 1, "byte 0xed is not valid UTF-8"},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

#define WIDE "id,lower,upper,size,alignment,offset,hint,gaps\n"
static void refused_options(void **state) {
    (void)state;
    const struct refusal refusals[] = {
        {WIDE "a,0,9,4,0,,,\n", 2, 9, "alignment 0 is out of range (1 to 1073741824)"},
        {WIDE "a,0,9,4,1073741825,,,\n", 2, 9, "alignment 1073741825 is out of range (1 to 1073741824)"},
        {WIDE "a,0,9,4,-8,,,\n", 2, 9, "alignment -8 is out of range (1 to 1073741824)"},
        {WIDE "a,0,9,4,,-1,,\n", 2, 10, "offset -1 is negative"},
        {WIDE "a,0,9,4,,x,,\n", 2, 10, "offset 'x' is not a whole number"},
        {WIDE "a,0,9,4,,,-2,\n", 2, 11, "hint -2 is negative"},
        {WIDE "a,0,9,4,,,,1\n", 2, 12, "gap '1' is neither a-b nor a-b@lo:hi"},
        {WIDE "a,0,9,4,,,,1-2-3\n", 2, 12, "gap '1-2-3' is neither a-b nor a-b@lo:hi"},
        {WIDE "a,0,9,4,,,,1-2@\n", 2, 12, "gap '1-2@' is neither a-b nor a-b@lo:hi"},
        {WIDE "a,0,9,4,,,,1-2 3-x\n", 2, 16, "gap '3-x' is neither a-b nor a-b@lo:hi"},
        {WIDE "a,0,9,4,,,,1-99999999999999999999\n", 2, 12,
         "gap '1-99999999999999999999' is neither a-b nor a-b@lo:hi"},
        {WIDE "a,0,9,4,,,,2-2\n", 2, 12, "gap '2-2' is empty"},
        {WIDE "a,0,9,4,,,,1-2@3:3\n", 2, 12, "gap '1-2@3:3' is empty"},
        {WIDE "a,0,9,4,,,,1-2@-1:3\n", 2, 12, "gap '1-2@-1:3' is empty"},
        {WIDE "a,0,9,4,,,,1-2 8-10\n", 2, 16, "gap '8-10' is outside the lifetime"},
        {WIDE "a,1,9,4,,,,\"0-2\"\n", 2, 13, "gap '0-2' is outside the lifetime"},
        {WIDE "a,0,9,4,,,,5-7 1-2 6-8\n", 2, 20, "gap '6-8' overlaps another gap"},
        {WIDE "a,0,9,4,,,,1-2@0:5\n", 2, 12, "gap '1-2@0:5' names bytes beyond the size"},
        {WIDE "a,0,9,4,,,,0-4 4-9\n", 2, 12, "the gaps leave nothing of the lifetime"},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

static void refused_nul(void **state) {
    (void)state;
    static const char text[] = HEAD "a\0b,0,1,4\n";
    struct sw_error error = {0};
    struct sw_input input = text_input(text, sizeof text - 1);
    assert_null(sw_load_input(&input, NULL, &error));
    struct refusal wanted = {text, 2, 2, "a NUL byte: this is not a text file"};
    check_refusal(&error, &wanted);
}

static void refused_tiers(void **state) {
    (void)state;
    char text[4096] = "id,lower,upper,size,tier\n";
    for (int i = 0; i <= SW_MAX_TIERS; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "b%d,0,1,4,t%d\n", i, i);
    }
    const struct refusal refusal = {text, 66, 11, "more than 64 tiers"};
    must_refuse_text(&refusal, 1);
}

/* Cut anywhere, a table is an error or a shorter table. */
static void truncation(void **state) {
    (void)state;
    static const char text[] = "# c\nid,lower,upper,size,offset,gaps,tier\n"
                               "\"a \"\"q\"\"\",0,12,640,16,\"2-3 4-5@0:8\",sram\n"
                               "b,-3,12,64,32,,dram\r\n";
    struct sw_error error;
    for (size_t length = 0; length < sizeof text; length++) {
        char *copy = SW_NEW(char, length); /* so that a byte too far is seen */
        memcpy(copy, text, length);
        struct sw_input input = text_input(copy, length);
        error = (struct sw_error){0};
        struct sw_problem *problem = sw_load_input(&input, NULL, &error);
        if (problem) {
            assert_true(sw_problem_buffer_count(problem) <= 2);
        } else {
            assert_int_equal(error.code, SW_ERROR_INPUT);
            assert_true(error.message[0] != '\0');
        }
        sw_problem_unref(problem);
        SW_FREE(copy, length);
    }
}

/* ---- real tables ---- */

static struct sw_problem *load_data(const char *name) {
    char path[512];
    struct sw_error error = {0};
    snprintf(path, sizeof path, "%s/%s", SW_TEST_DATA, name);
    struct sw_problem *problem = sw_load(path, NULL, NULL, &error);
    if (!problem && error.code == SW_ERROR_IO) {
        printf("skipped: %s is not there\n", name);
    } else if (!problem) {
        fail_msg("%s:%u:%u: %s", error.file, error.line, error.column, error.message);
    }
    return problem;
}

static void real_tables(void **state) {
    (void)state;
    const struct {
        const char *name;
        uint32_t buffers;
        uint64_t naive, bound;
        bool plan;
    } tables[] = {
        {"minimalloc/input.12.csv", 5, 0, 0, false},
        {"reference/ref_densenet121_fused.csv", 247, 112603040, 7225344, false},
        {"reference/ref_resnet50_v1.5_fused.csv", 74, 67954496, 9633792, false},
        {"reference/ref_mobilenet_v2_fused.csv", 66, 28193216, 6021120, false},
        {"reference/onnx_densenet121.csv", 669, 321084320, 8429568, false},
        {"reference/tflite_person_detect.csv", 32, 241030, 55296, false},
        {"reference/tflmplan_vww_96_int8.plan.csv", 32, 259744, 55296, true},
        {"reference/tflmplan_keyword_scrambled.csv", 30, 3568, 672, false},
        {"pytorch/train_step.csv", 2162, 11680970248, 1999716608, false},
    };
    for (size_t i = 0; i < COUNT(tables); i++) {
        struct sw_problem *problem = load_data(tables[i].name);
        if (!problem) {
            continue;
        }
        if (tables[i].naive > 0) {
            assert_int_equal(sw_problem_planned_count(problem), tables[i].buffers);
            assert_int_equal(sw_problem_naive(problem), tables[i].naive);
            assert_int_equal(sw_problem_lower_bound(problem), tables[i].bound);
        }
        assert_int_equal(sw_problem_has_plan(problem), tables[i].plan);
        assert_round_trip(problem, "x.csv");
        assert_round_trip(problem, "x.json");
        sw_problem_unref(problem);
    }
}

static void minimalloc_instances(void **state) {
    (void)state;
    const char *const names = "ACDFHK";
    for (const char *c = names; *c; c++) {
        char name[64];
        snprintf(name, sizeof name, "minimalloc/%c.1048576.csv", *c);
        struct sw_problem *problem = load_data(name);
        if (problem) { /* feasible in 1 MiB, so the bound is not above it; and they are hard */
            assert_true(sw_problem_lower_bound(problem) <= 1048576);
            assert_true(sw_problem_lower_bound(problem) > 900000);
            assert_round_trip(problem, "x.csv");
            sw_problem_unref(problem);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(half_open),
        cmocka_unit_test(inclusive_end),
        cmocka_unit_test(columns_in_any_order),
        cmocka_unit_test(no_buffers_at_all),
        cmocka_unit_test(the_ends_of_time),
        cmocka_unit_test(offsets_on_all_rows_are_a_plan),
        cmocka_unit_test(offsets_on_some_rows_are_pins),
        cmocka_unit_test(tiers_come_with_their_names),
        cmocka_unit_test(gaps_become_pieces),
        cmocka_unit_test(gaps_are_inclusive_with_end),
        cmocka_unit_test(pieces_at_one_step_need_json),
        cmocka_unit_test(refused_headers),
        cmocka_unit_test(refused_rows),
        cmocka_unit_test(refused_options),
        cmocka_unit_test(refused_nul),
        cmocka_unit_test(refused_tiers),
        cmocka_unit_test(truncation),
        cmocka_unit_test(real_tables),
        cmocka_unit_test(minimalloc_instances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
