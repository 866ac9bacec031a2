/* Finished plans: written, read back, matched to a graph, and every way to be wrong. */
#include "unit/formats.h"
#include "faults.h"

#include "formats/plans/finished_plan.h"

static const char graph[] =
    "{\"name\":\"g\",\"tiers\":[{\"name\":\"sram\",\"capacity\":1000},{\"name\":\"dram\"}],"
    "\"operators\":["
    "{\"name\":\"o0\",\"inputs\":[\"a\"],\"outputs\":[\"b\"],\"inplace\":true},"
    "{\"name\":\"o1\",\"inputs\":[\"b\"],\"outputs\":[\"c\"]},"
    "{\"name\":\"o2\",\"inputs\":[\"c\"],\"outputs\":[\"d\"]}],"
    "\"buffers\":[{\"name\":\"a\",\"kind\":\"input\",\"size\":64},"
    "{\"name\":\"b\",\"size\":64,\"tier\":\"sram\"},{\"name\":\"c\",\"size\":32,\"alignment\":16,"
    "\"pieces\":[{\"first\":0,\"last\":0,\"lo\":0,\"hi\":32},"
    "{\"first\":2,\"last\":2,\"lo\":0,\"hi\":8}]},"
    "{\"name\":\"d\",\"kind\":\"output\",\"size\":8},"
    "{\"name\":\"w\",\"kind\":\"constant\",\"size\":8}]}";

static struct sw_layout *parse(const struct sw_problem *problem, const char *text, uint64_t base,
                               struct sw_error *error) {
    struct sw_input input = text_input(text, strlen(text));
    return sw_plan_parse(&input, problem, base, NULL, NULL, error);
}

static struct sw_layout *must_parse(const struct sw_problem *problem, const char *text, uint64_t base) {
    struct sw_error error = {0};
    struct sw_layout *layout = parse(problem, text, base, &error);
    if (!layout) {
        fail_msg("%u:%u: %s", error.line, error.column, error.message);
    }
    return layout;
}

static void assert_at(const struct sw_layout *layout, const char *name, uint32_t tier, uint64_t offset) {
    struct sw_placement placement;
    uint32_t buffer = sw_problem_find_buffer(sw_layout_problem(layout), name);
    assert_true(sw_layout_placement(layout, buffer, 0, &placement));
    assert_int_equal(placement.tier, tier);
    assert_int_equal(placement.offset, offset);
    assert_false(sw_layout_placement(layout, buffer, 1, &placement));
}

/* Written with the format of the name, read again: the same layout. Frees nothing of the caller's.
 */
static void assert_same_again(const struct sw_layout *layout, const char *name, uint64_t base) {
    struct sw_error error = {0};
    struct sw_sink sink = {0};
    struct sw_result result = {.layout = layout, .base = base};
    const struct sw_format *format = sw_format_for_output(name, true, &error);
    assert_non_null(format);
    assert_true(format->write_plan(&result, &sink, &error));
    sw_sink_add(&sink, "", 1);
    struct sw_layout *again = must_parse(sw_layout_problem(layout), sink.text.items, base);
    if (sw_layout_digest(again) != sw_layout_digest(layout)) {
        fail_msg("another plan:\n%s", sink.text.items);
    }
    sw_layout_free(again);
    sw_sink_done(&sink);
}

static void tables(void **state) {
    (void)state;
    struct sw_problem *p = must_read(graph);
    struct sw_layout *layout = must_parse(p,
                                          "tier,size,id,upper,lower,offset,alignment\n"
                                          "dram,32,c,3,0,16,16\n"
                                          "sram,64,a,1,0,0,1\n"
                                          "\"sram\",64,\"b\",2,0,64,1\n",
                                          0);
    assert_at(layout, "a", 0, 0);
    assert_at(layout, "b", 0, 64);
    assert_at(layout, "c", 1, 16);
    assert_false(sw_layout_placed(layout, sw_problem_find_buffer(p, "d")));
    assert_int_equal(sw_layout_placed_count(layout), 3);
    assert_same_again(layout, "x.csv", 0);
    assert_same_again(layout, "x.json", 0);
    assert_same_again(layout, "x.csv", 0x20000000);
    assert_same_again(layout, "x.json", 0x20000000);
    sw_layout_free(layout);
    layout = must_parse(p, "id,offset,tier\na,7,dram\nb,,\nd,0,sram\n", 0);
    assert_at(layout, "a", 1, 7);
    assert_int_equal(sw_layout_placed_count(layout), 2);
    sw_layout_free(layout);
    sw_problem_unref(p);
}

static void summaries(void **state) {
    (void)state;
    struct sw_problem *p = must_read(graph);
    struct sw_layout *layout =
        must_parse(p,
                   "{\"planner\":\"x\",\"seconds\":0.1,\"details\":{\"life\":[[0,1]]},\"optimal\":false,"
                   "\"tiers\":[{\"name\":\"sram\",\"capacity\":1000,\"peak\":500},"
                   "{\"name\":\"dram\",\"capacity\":null,\"peak\":48}],\"placements\":["
                   "{\"buffer\":\"c\",\"tier\":\"dram\",\"offset\":16,\"size\":32,\"first\":0,\"last\":2},"
                   "{\"buffer\":\"b\",\"tier\":null,\"offset\":0,\"size\":64,\"first\":0,\"last\":1},"
                   "{\"buffer\":\"d\",\"offset\":null},"
                   "{\"buffer\":\"a\",\"tier\":\"sram\",\"offset\":0,\"size\":64,\"first\":0,\"last\":0}],"
                   "\"transfers\":[],\"overwrites\":[{\"new\":\"b\",\"old\":\"a\",\"step\":0}]}",
                   0);
    assert_at(layout, "b", 0, 0);
    assert_int_equal(sw_layout_permit_count(layout), 1);
    struct sw_permit permit = sw_layout_permit_get(layout, 0);
    assert_int_equal(permit.fresh, 1);
    assert_int_equal(permit.old, 0);
    assert_int_equal(sw_layout_arena(layout, 0), 500); /* more than the blocks need */
    assert_int_equal(sw_layout_arena(layout, 1), 48);
    assert_same_again(layout, "x.json", 0);
    sw_layout_free(layout);
    sw_problem_unref(p);
}

static void moves_in_mid_life(void **state) {
    (void)state;
    struct sw_problem *p = must_read(graph);
    struct sw_layout *layout = must_parse(p, "id,lower,upper,size,offset,tier\nc,2,3,32,0,sram\nc,0,2,32,16,dram\n", 0);
    struct sw_placement placement;
    assert_true(sw_layout_placement(layout, 2, 0, &placement));
    assert_int_equal(placement.tier, 1);
    assert_int_equal(placement.span.to, 1);
    assert_true(sw_layout_placement(layout, 2, 1, &placement));
    assert_int_equal(placement.tier, 0);
    assert_int_equal(sw_layout_transfer_count(layout), 1);
    assert_int_equal(sw_layout_transfer_get(layout, 0).step, 2);
    assert_same_again(layout, "x.csv", 0);
    assert_same_again(layout, "x.json", 0);
    sw_layout_free(layout);
    sw_problem_unref(p);
}

/* Times in files are raw, never steps. */
static void raw_times(void **state) {
    (void)state;
    struct sw_problem *p = must_read("id,lower,upper,size\na,-10,1000,8\nb,500,2000,8\n");
    const char *text = "id,lower,upper,size,offset\na,-10,1000,8,0\nb,500,2000,8,8\n";
    struct sw_layout *layout = must_parse(p, text, 0);
    struct sw_sink sink = {0};
    struct sw_result result = {.layout = layout};
    assert_true(sw_format_for_output("x.csv", true, NULL)->write_plan(&result, &sink, NULL));
    assert_int_equal(sink.text.count, strlen(text));
    assert_memory_equal(sink.text.items, text, strlen(text)); /* MiniMalloc's own form */
    sw_sink_done(&sink);
    assert_true(sw_format_for_output("x.json", true, NULL)->write_plan(&result, &sink, NULL));
    sw_sink_add(&sink, "", 1);
    assert_non_null(strstr(sink.text.items, "\"first\":500,\"last\":1999"));
    sw_sink_done(&sink);
    assert_int_equal(sw_fault_count(layout, NULL, NULL), 0);
    sw_layout_free(layout);
    sw_problem_unref(p);
}

/* A plan file is a problem of its own, with a finished plan. */
static void plans_as_problems(void **state) {
    (void)state;
    struct sw_problem *p =
        must_read("{\"graph\":\"net\",\"placements\":["
                  "{\"buffer\":\"a\",\"tier\":\"m\",\"offset\":0,\"size\":64,\"first\":0,\"last\":3},"
                  "{\"buffer\":\"b\",\"tier\":\"m\",\"offset\":64,\"size\":8,\"first\":2,\"last\":9}],"
                  "\"tiers\":[{\"name\":\"m\",\"capacity\":100,\"peak\":72}]}");
    assert_string_equal(sw_problem_name(p), "net");
    assert_true(sw_problem_has_plan(p));
    assert_int_equal(sw_problem_tier(p, 0)->capacity, 100);
    assert_int_equal(sw_problem_lower_bound(p), 72);
    sw_problem_unref(p);
    p = must_read("{\"placements\":["
                  "{\"buffer\":\"a\",\"tier\":\"s\",\"offset\":0,\"size\":64,\"first\":0,"
                  "\"last\":3},"
                  "{\"buffer\":\"b\",\"tier\":\"s\",\"offset\":64,\"size\":8,\"first\":2,"
                  "\"last\":9},"
                  "{\"buffer\":\"a\",\"tier\":\"d\",\"offset\":0,\"size\":64,\"first\":4,"
                  "\"last\":5}]}");
    assert_int_equal(sw_problem_buffer_count(p), 2);
    assert_int_equal(sw_problem_time(p, buffer_named(p, "a")->last + 1), 6);
    assert_false(buffer_named(p, "a")->has_offset);
    size_t notes;
    sw_problem_notes(p, &notes);
    assert_int_equal(notes, 1);
    sw_problem_unref(p);
}

/* Written as a plan, in either format, and read as a problem: nothing is lost that a table can say.
 */
static void plans_keep_the_problem(void **state) {
    (void)state;
    const char *const texts[] = {
        "id,lower,upper,size,alignment,offset,gaps\na,0,9,64,16,32,2-3 4-6@0:8\nb,2,3,8,1,40,\n"
        "c,1,5,0,1,7,\n",
        "id,lower,upper,size,alignment,offset,tier\na,0,9,64,16,32,sram\nb,2,3,8,1,40,dram\n"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct sw_problem *p = must_read(texts[i]);
        struct sw_layout *layout = must_parse(p, texts[i], 0);
        const char *const names[] = {"x.csv", "x.json"};
        for (size_t k = 0; k < COUNT(names); k++) {
            struct sw_sink sink = {0};
            struct sw_result result = {.layout = layout};
            assert_true(sw_format_for_output(names[k], true, NULL)->write_plan(&result, &sink, NULL));
            sw_sink_add(&sink, "", 1);
            struct sw_problem *again = must_read(sink.text.items);
            if (sw_problem_digest(again) != sw_problem_digest(p)) {
                fail_msg("another problem:\n%s", sink.text.items);
            }
            sw_problem_unref(again);
            sw_sink_done(&sink);
        }
        sw_layout_free(layout);
        sw_problem_unref(p);
    }
}

/* ---- what is refused ---- */

static void refuse_plans(const struct refusal *refusals, size_t count, uint64_t base) {
    struct sw_problem *p = must_read(graph);
    for (size_t i = 0; i < count; i++) {
        struct sw_error error = {0};
        struct sw_layout *layout = parse(p, refusals[i].text, base, &error);
        if (layout) {
            fail_msg("accepted:\n%s", refusals[i].text);
        }
        assert_int_equal(error.code, SW_ERROR_INPUT);
        check_refusal(&error, &refusals[i]);
    }
    sw_problem_unref(p);
}

#define HEAD "id,lower,upper,size,offset,tier\n"
static void refused_tables(void **state) {
    (void)state;
    const struct refusal refusals[] = {
        {"", 1, 1, "the file is empty: a header is missing"},
        {"id,lower,upper,size\n", 1, 1, "the header has no column 'offset'"},
        {"lower,upper,size,offset\n", 1, 1, "the header has no column 'id'"},
        {HEAD "q,0,1,64,0,sram\n", 2, 1, "the graph has no buffer 'q'"},
        {HEAD "a,0,1,64,0,sram\n\"\",0,1,64,0,sram\n", 3, 1, "the graph has no buffer ''"},
        {HEAD "w,0,1,8,0,sram\n", 2, 1, "'w' is a constant without a tier: it is not planned"},
        {HEAD "a,0,1,63,0,sram\n", 2, 7, "'a' has 63 bytes in the plan, 64 in the graph"},
        {HEAD "a,0,2,64,0,sram\n", 2, 5, "'a' lives from 0 to 1 in the plan, from 0 to 0 in the graph (both inside)"},
        {HEAD "b,-1,2,64,0,sram\n", 2, 3, "'b' lives from -1 to 1 in the plan, from 0 to 1 in the graph (both inside)"},
        {HEAD "b,1,2,64,0,sram\n", 2, 3, "the plan has 'b' for a part of its life only"},
        {HEAD "a,0,1,64,-1,sram\n", 2, 10, "offset -1 is negative"},
        {HEAD "a,0,1,64,9223372036854775807,sram\n", 2, 10, "offset 9223372036854775807 is larger than 2^61"},
        {HEAD "a,0,1,64,0,rom\n", 2, 12, "the graph has no tier 'rom'"},
        {HEAD "a,0,1,64,0,\n", 2, 1, "the plan does not say in which tier 'a' lies"},
        {HEAD "a,0,1,64,0,sram\nb,0,2,64,0,sram\na,0,1,64,9,sram\n", 4, 1, "'a' is placed twice at the same time"},
        {HEAD "c,0,2,32,0,sram\nc,1,3,32,0,sram\n", 3, 1, "'c' is placed twice at the same time"},
        {HEAD "a,0,1,64,0\n", 2, 11, "the row has 5 fields, the header 6"},
        {HEAD "a,0,1,64,0,sram\nb,0,\"2\",64,z,sram\n", 3, 12, "offset 'z' is not a whole number"},
        {HEAD "a,0,1,64,\xff,sram\n", 2, 10, "byte 0xff is not valid UTF-8"},
    };
    refuse_plans(refusals, COUNT(refusals), 0);
    const struct refusal based = {HEAD "a,0,1,64,4096,sram\nb,0,2,64,4095,\n", 3, 10,
                                  "offset 4095 is below the base address 4096"};
    refuse_plans(&based, 1, 4096);
}

#define P(rest) "{\"placements\":[\n" rest "]}"
static void refused_summaries(void **state) {
    (void)state;
    const struct refusal refusals[] = {
        {"{\"buffers\":[]}", 1, 1, "\"placements\" is missing"},
        {"{\"placements\":{}}", 1, 15, "\"placements\" must be a list, not an object"},
        {P("1"), 2, 1, "this must be an object, not a whole number"},
        {P("{}"), 2, 1, "\"buffer\" is missing"},
        {P("{\"buffer\":\"q\"}"), 2, 11, "the graph has no buffer 'q'"},
        {P("{\"buffer\":\"a\",\"offset\":\"0\"}"), 2, 24, "\"offset\" must be a whole number, not a string"},
        {P("{\"buffer\":\"a\",\"offset\":0,\"size\":1}"), 2, 33, "'a' has 1 bytes in the plan, 64 in the graph"},
        {P("{\"buffer\":\"a\",\"offset\":0,\"tier\":\"rom\"}"), 2, 33, "the graph has no tier 'rom'"},
        {P("{\"buffer\":\"a\",\"offset\":0,\"first\":0,\"last\":7}"), 2, 43,
         "'a' lives from 0 to 7 in the plan, from 0 to 0 in the graph (both inside)"},
        {P("{\"buffer\":\"a\",\"offset\":0,\"first\":3,\"last\":2}"), 2, 43, "last 2 is before first 3"},
        {P("{\"buffer\":\"b\",\"offset\":0},\n{\"buffer\":\"b\",\"offset\":0}"), 3, 11,
         "'b' is placed twice at the same time"},
        {"{\"placements\":[],\"transfers\":[{\"buffer\":\"a\",\"step\":9}]}", 1, 52,
         "nothing happens at time 9 in the graph"},
        {"{\"placements\":[],\"overwrites\":[{\"new\":\"a\",\"old\":\"q\"}]}", 1, 49, "the graph has no buffer 'q'"},
        {"{\"placements\":[],\"tiers\":[{\"name\":\"rom\"}]}", 1, 35, "the graph has no tier 'rom'"},
    };
    refuse_plans(refusals, COUNT(refusals), 0);
    const struct refusal models[] = {
        {P("{\"buffer\":\"a\",\"offset\":0,\"first\":0,\"last\":1}"), 2, 1, "\"size\" is missing"},
        {P("{\"buffer\":\"a\",\"size\":1,\"first\":0,\"last\":1},\n"
           "{\"buffer\":\"a\",\"size\":2,\"first\":2,\"last\":3}"),
         3, 22, "'a' has another size here than before"},
        {P("{\"buffer\":\"a\",\"size\":1,\"first\":0,\"last\":1,\"alignment\":0}"), 2, 55,
         "alignment 0 is out of range (1 to 1073741824)"},
        {P("{\"buffer\":\"a\",\"size\":1,\"first\":0,\"last\":1,\"pieces\":[{\"first\":0,"
           "\"last\":1,\"lo\":0,\"hi\":2}]}"),
         2, 85, "the piece ends at byte 2 of a, which has only 1"},
        {P("{\"buffer\":\"a\",\"size\":1,\"first\":0,\"last\":1,\"pieces\":[{\"first\":0,"
           "\"last\":2,\"lo\":0,\"hi\":1}]}"),
         2, 52, "piece 1 of 'a' is outside the lifetime"},
    };
    must_refuse_text(models, COUNT(models));
}

static void truncation(void **state) {
    (void)state;
    static const char text[] = HEAD "a,0,1,64,0,sram\n\"b\",0,2,64,64,sram\nc,0,3,32,0,dram\n";
    struct sw_problem *p = must_read(graph);
    for (size_t length = 0; length < sizeof text; length++) {
        char *copy = SW_NEW(char, length);
        memcpy(copy, text, length);
        struct sw_input input = text_input(copy, length);
        struct sw_error error = {0};
        struct sw_layout *layout = sw_plan_parse(&input, p, 0, NULL, NULL, &error);
        assert_true(layout || error.code == SW_ERROR_INPUT);
        sw_layout_free(layout);
        SW_FREE(copy, length);
    }
    sw_problem_unref(p);
}

/* The real plans of another program: valid, and as large as that program said. */
static void real_plans(void **state) {
    (void)state;
    const struct {
        const char *name;
        uint64_t peak;
    } plans[] = {{"ad01_int8", 768},       {"keyword_scrambled", 672},
                 {"kws_ref_model", 16000}, {"micro_speech_quantized", 5968},
                 {"person_detect", 55296}, {"trained_lstm", 5696},
                 {"vww_96_int8", 73728}};
    for (size_t i = 0; i < COUNT(plans); i++) {
        char model[512], plan[512];
        struct sw_error error = {0};
        snprintf(model, sizeof model, "%s/reference/tflmplan_%s.csv", SW_TEST_DATA, plans[i].name);
        snprintf(plan, sizeof plan, "%s/reference/tflmplan_%s.plan.csv", SW_TEST_DATA, plans[i].name);
        struct sw_problem *p = sw_load(model, NULL, NULL, &error);
        if (!p) {
            assert_int_equal(error.code, SW_ERROR_IO);
            printf("skipped: the plan of %s is not there\n", plans[i].name);
            continue;
        }
        struct sw_layout *layout = sw_plan_read(plan, p, 0, NULL, NULL, &error);
        if (!layout) {
            fail_msg("%s:%u:%u: %s", error.file, error.line, error.column, error.message);
        }
        assert_int_equal(sw_fault_count(layout, NULL, NULL), 0);
        assert_int_equal(sw_layout_peak(layout), plans[i].peak);
        assert_same_again(layout, "x.csv", 0);
        assert_same_again(layout, "x.json", 0);
        sw_layout_free(layout);
        sw_problem_unref(p);
    }
}

/* Beside a bounded tier there is host memory: a buffer may be away between its accesses. */
static void host_memory(void **state) {
    (void)state;
    struct sw_problem *p = must_read("{\"tiers\":[{\"name\":\"sram\",\"capacity\":64}],\"operators\":[],\"buffers\":["
                                     "{\"name\":\"a\",\"size\":64,\"first\":0,\"last\":9,\"accesses\":[0,4]},"
                                     "{\"name\":\"b\",\"size\":64,\"first\":1,\"last\":3,\"accesses\":[1,2,3]},"
                                     "{\"name\":\"c\",\"size\":8,\"first\":6,\"last\":7,\"accesses\":[6,7]}]}");
    struct sw_layout *layout = must_parse(p,
                                          "id,lower,upper,size,offset\na,0,1,64,0\n"
                                          "a,4,6,64,0\nb,1,4,64,0\nc,6,8,8,0\n",
                                          0);
    assert_int_equal(sw_fault_count(layout, NULL, NULL), 0);
    assert_int_equal(sw_layout_transfer_count(layout), 3); /* out, in, and out for good */
    assert_same_again(layout, "x.csv", 0);
    assert_same_again(layout, "x.json", 0);
    sw_layout_free(layout);
    /* The part of a life that is left out must have no access. */
    layout = must_parse(p, "id,lower,upper,size,offset\na,0,1,64,0\nb,1,4,64,0\nc,6,8,8,0\n", 0);
    assert_int_equal(sw_fault_count(layout, NULL, NULL), 1);
    sw_layout_free(layout);
    layout = must_parse(p,
                        "{\"placements\":[{\"buffer\":\"a\",\"tier\":\"sram\",\"offset\":0,\"first\":0,"
                        "\"last\":0},{\"buffer\":\"a\",\"tier\":\"sram\",\"offset\":0,\"first\":4,"
                        "\"last\":5},{\"buffer\":\"b\",\"tier\":\"sram\",\"offset\":0},"
                        "{\"buffer\":\"c\",\"tier\":\"sram\",\"offset\":0}],"
                        "\"transfers\":[{\"buffer\":\"a\",\"step\":1,\"from\":\"sram\","
                        "\"to\":\"host memory\"},{\"buffer\":\"a\",\"step\":4,"
                        "\"from\":\"host memory\",\"to\":\"sram\"},"
                        "{\"buffer\":\"a\",\"step\":6,\"from\":\"sram\",\"to\":\"host memory\"}]}",
                        0);
    assert_int_equal(sw_fault_count(layout, NULL, NULL), 0);
    sw_layout_free(layout);
    sw_problem_unref(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_memory),
        cmocka_unit_test(tables),
        cmocka_unit_test(summaries),
        cmocka_unit_test(moves_in_mid_life),
        cmocka_unit_test(raw_times),
        cmocka_unit_test(plans_as_problems),
        cmocka_unit_test(plans_keep_the_problem),
        cmocka_unit_test(refused_tables),
        cmocka_unit_test(refused_summaries),
        cmocka_unit_test(truncation),
        cmocka_unit_test(real_plans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
