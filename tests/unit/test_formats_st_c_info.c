/* Reports of ST Edge AI: pools, epochs, what lies over what. */
#include "unit/formats.h"
#include "unit/noted.h"

#define HEAD "{\"json_schema_version\":\"2.0\",\n\"memory_pools\":"
#define RAM                                                                                \
    "[{\"id\":2,\"name\":\"ram\",\"size_bytes\":1024,\"used_size_bytes\":192,\"address\":" \
    "\"NULL\","                                                                            \
    "\"attributes\":{\"latency\":\"LOW\",\"byte_width\":8,\"freq_ratio\":1.25}}]"
#define BUFFERS ",\n\"buffers\":[\n"
#define BUFFER(id, name, pool, offset, size, start, end, more)                                                        \
    "{\"id\":" #id ",\"name\":\"" name "\",\"mpool_id\":" #pool ",\"offset_start\":" #offset ",\"size_bytes\":" #size \
    ",\"alignment\":4,\"epochs\":{\"start\":" #start ",\"end\":" #end "},\"is_param\":false" more "}"
#define TAIL "]}\n"

static void pools_and_epochs(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(
        HEAD
        "[{\"id\":1,\"name\":\"flash\",\"size_bytes\":-1,\"attributes\":{\"latency\":"
        "\"HIGH\"}},"
        "{\"id\":3,\"name\":\"slow\",\"size_bytes\":-1,\"used_size_bytes\":99,"
        "\"attributes\":"
        "{\"latency\":\"MID\"},\"subpools\":[2]},"
        "{\"id\":2,\"name\":\"ram\",\"size_bytes\":1024,\"used_size_bytes\":192,"
        "\"attributes\":"
        "{\"latency\":\"LOW\",\"byte_width\":8,\"freq_ratio\":1.25}}],"
        "\"graphs\":[{\"inputs\":[1],\"outputs\":[3],\"nodes\":[{\"scratchs\":[4]}]}"
        "]" BUFFERS BUFFER(1, "in", 2, 0, 64, 0, 1, ",\"format\":\"STAI_FORMAT_S8\",\"nbits\":8") ",\n" BUFFER(
            2, "act", 2, 64, 128, 1, 2, "") ",\n" BUFFER(3, "out", 3, 0, 64, 2, 3,
                                                         "") ",\n" BUFFER(4, "work", 2, 0, 60, 2, 2,
                                                                          "") ",\n" BUFFER(5, "free", null, null, 60, 2,
                                                                                           2, "") ",\n"
                                                                                                  "{\"name\":\"w\","
                                                                                                  "\"size_bytes\":100,"
                                                                                                  "\"is_param\":"
                                                                                                  "true}" TAIL);
    assert_int_equal(sw_problem_buffer_count(problem), 4);
    assert_int_equal(sw_problem_tier_count(problem), 2);
    assert_string_equal(sw_problem_tier(problem, 0)->name, "ram"); /* by latency, not as listed */
    assert_int_equal(sw_problem_tier(problem, 0)->capacity, 1024);
    assert_true(sw_problem_tier(problem, 0)->bandwidth == 6.4);
    assert_string_equal(sw_problem_tier(problem, 1)->name, "slow");
    assert_true(sw_problem_tier(problem, 1)->capacity == SW_UNBOUNDED);
    const struct sw_buffer *in = buffer_named(problem, "in");
    assert_int_equal(in->kind, SW_KIND_INPUT);
    assert_int_equal(in->dtype, SW_DTYPE_INT8);
    assert_int_equal(in->alignment, 4);
    assert_int_equal(sw_problem_time(problem, in->last + 1), 2); /* the end is inside */
    assert_int_equal(buffer_named(problem, "out")->kind, SW_KIND_OUTPUT);
    assert_int_equal(buffer_named(problem, "work")->kind, SW_KIND_SCRATCH);
    assert_int_equal(buffer_named(problem, "act")->offset, 64);
    assert_true(sw_problem_offsets_are_plan(problem));
    assert_true(noted(problem, "weights and other parameters (1, 100 bytes) are left out"));
    assert_true(noted(problem, "no place in a pool, left out: 1"));
    assert_true(noted(problem, "without activations, left out: 1"));
    assert_true(noted(problem, "pool slow is made of other pools"));
    assert_true(noted(problem, "pool slow uses 99 bytes; its activations end at 64"));
    assert_false(noted(problem, "pool ram"));
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

/* A result that is larger than the argument it is written over, and a part of a larger buffer. */
static void legal_overlaps(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(
        HEAD RAM BUFFERS BUFFER(1, "in", 2, 0, 64, 0, 2, "") ",\n" BUFFER(2, "act", 2, 0, 128, 2, 4, "") ",\n" BUFFER(
            3, "all", 2, 128, 64, 1, 5, "") ",\n" BUFFER(4, "part", 2, 160, 16, 2, 3, "") TAIL);
    assert_int_equal(sw_problem_buffer_count(problem), 2);
    const struct sw_buffer *both = buffer_named(problem, "in+1");
    assert_int_equal(both->size, 128);
    assert_int_equal(both->offset, 0);
    assert_int_equal(both->alignment, 4);
    assert_int_equal(both->piece_count, 2);
    assert_int_equal(both->pieces[0].hi, 64); /* before `act` is born only 64 bytes are held */
    uint32_t part = sw_problem_find_member(problem, "part");
    assert_int_not_equal(part, SW_NONE);
    assert_int_equal(sw_problem_member(problem, part)->lo, 32);
    assert_int_equal(sw_problem_member(problem, part)->buffer, sw_problem_find_buffer(problem, "all"));
    assert_int_equal(buffer_named(problem, "all")->size, 64);
    assert_int_equal(sw_problem_lower_bound(problem), 192);
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

static void refused(void **state) {
    (void)state;
    static const struct refusal refusals[] = {
        {"{\"json_schema_version\":\"1.0\",\"memory_pools\":[]}", 1, 24, "schema version 1.0 is not known; 2.0 is"},
        {HEAD "[]}", 1, 1, "\"buffers\" is missing"},
        {HEAD "{}" BUFFERS TAIL, 2, 16, "\"memory_pools\" must be a list, not an object"},
        {HEAD "[1]" BUFFERS TAIL, 2, 17, "this must be an object, not a whole number"},
        {HEAD "[{\"id\":1}]" BUFFERS TAIL, 2, 17, "\"name\" is missing"},
        {HEAD "[{\"id\":1,\"name\":\"\"}]" BUFFERS TAIL, 2, 32, "the name is empty"},
        {HEAD "[{\"id\":1,\"name\":\"a\"},{\"id\":1,\"name\":\"b\"}]" BUFFERS TAIL, 2, 43,
         "two memory pools have the id 1"},
        {HEAD RAM BUFFERS BUFFER(1, "a", 7, 0, 1, 0, 1, "") TAIL, 4, 31, "there is no memory pool 7"},
        {HEAD RAM BUFFERS BUFFER(1, "a", 2, 0, 1, 3, 1, "") TAIL, 4, 105, "epoch 1 comes before the start, 3"},
        {HEAD RAM BUFFERS BUFFER(1, "a", 2, 0, -1, 0, 1, "") TAIL, 4, 63, "size_bytes -1 is negative"},
        {HEAD RAM BUFFERS BUFFER(1, "a", 2, 4611686018427387903, 1, 0, 1, "") TAIL, 4, 1, "a ends above 2^61 bytes"},
        {HEAD RAM BUFFERS "{\"name\":\"a\"}" TAIL, 4, 1, "\"size_bytes\" is missing"},
        {HEAD RAM BUFFERS "{\"name\":\"a\",\"size_bytes\":1,\"mpool_id\":2,\"offset_start\":0}" TAIL, 4, 1,
         "\"epochs\" is missing"},
        {HEAD RAM BUFFERS "{\"name\":\"a\",\"size_bytes\":1,\"mpool_id\":2,\"offset_start\":0,"
                          "\"epochs\":{\"start\":1}}" TAIL,
         4, 67, "\"end\" is missing"},
        {HEAD RAM ",\"graphs\":[{\"nodes\":[3]}]" BUFFERS TAIL, 2, 181, "this must be an object, not a whole number"},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

/* Cut anywhere, it is refused; never anything else. */
static void cut(void **state) {
    (void)state;
    static const char text[] = HEAD RAM BUFFERS BUFFER(1, "in", 2, 0, 64, 0, 2, "") TAIL;
    for (size_t length = 0; length < sizeof text - 3; length++) {
        struct sw_error error = {0};
        struct sw_input input = text_input(text, length);
        assert_null(sw_load_input(&input, NULL, &error));
        assert_int_equal(error.code, SW_ERROR_INPUT);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pools_and_epochs),
        cmocka_unit_test(legal_overlaps),
        cmocka_unit_test(refused),
        cmocka_unit_test(cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
