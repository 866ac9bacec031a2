/* Problems of dsa-solver: pools, lives with holes, buffers that share an address, and what is
 * wrong. */
#include "unit/formats.h"
#include "unit/noted.h"

#define HEAD "{\"schema_version\":1,\"instance\":\"t\",\"problem\":{\"pools\":["
#define POOL "{\"id\":1,\"name\":\"m\",\"capacity\":100,\"reserved_ranges\":[]}"
#define NONE                                                                               \
    "],\"constraints\":{\"colocations\":[],\"separations\":[],\"temporal_exclusions\":[]," \
    "\"pinned_allocations\":[]}}}"
#define BUFFER(id, name, size, lives)                                                                     \
    "{\"id\":" #id ",\"name\":\"" name "\",\"size\":" #size ",\"alignment\":1,\"live_intervals\":[" lives \
    "],\"allowed_pools\":[1]}"
#define LIVE(a, b) "{\"lower\":" #a ",\"upper\":" #b "}"

/* The bytes of a life with a hole are free in the hole: 64 and 48 take turns. */
static void holes(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(HEAD POOL "],\"buffers\":[" BUFFER(
        0, "a", 64, LIVE(0, 2) "," LIVE(4, 6)) "," BUFFER(1, "b", 48, LIVE(2, 4)) NONE);
    const struct sw_buffer *a = buffer_named(problem, "a");
    assert_int_equal(a->piece_count, 2);
    assert_int_equal(sw_problem_time(problem, a->pieces[1].first), 4);
    assert_int_equal(sw_problem_lower_bound(problem), 64);
    assert_false(sw_problem_conflict(problem, 0, 1));
    assert_true(noted(problem, "several intervals, with free bytes between: 1"));
    assert_string_equal(sw_problem_name(problem), "t");
    assert_int_equal(sw_problem_tier(problem, 0)->capacity, 100);
    assert_round_trip(problem, "x.json");
    sw_problem_unref(problem);
}

/* b must lie where a lies: one buffer as large as the larger, which holds what either needs. */
static void colocated(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(
        HEAD POOL "],\"buffers\":[" BUFFER(4, "a", 16, LIVE(0, 4)) "," BUFFER(9, "b", 64, LIVE(2, 6)) "," BUFFER(
            2, "c", 8, LIVE(3, 8)) "],\"constraints\":{"
                                   "\"colocations\":[{\"first\":9,\"second\":4}],"
                                   "\"separations\":[{\"first\":9,\"second\":2,"
                                   "\"reasons\":[\"generic\"]}],"
                                   "\"temporal_exclusions\":[{\"first\":4,\"second\":2}],"
                                   "\"pinned_allocations\":[{\"buffer\":9,\"pool\":1,"
                                   "\"offset\":32,"
                                   "\"exclusive_for_all_time\":false}]}}}");
    assert_int_equal(sw_problem_buffer_count(problem), 2);
    const struct sw_buffer *a = buffer_named(problem, "a");
    assert_int_equal(a->size, 64);
    assert_true(a->pinned);
    assert_int_equal(a->offset, 32);
    assert_int_equal(a->tier, 0);
    const struct sw_member *b = sw_problem_member(problem, sw_problem_find_member(problem, "b"));
    assert_int_equal(b->hi - b->lo, 64);
    size_t pairs;
    sw_problem_separate(problem, &pairs);
    assert_int_equal(pairs, 1);
    assert_int_equal(sw_problem_profile(problem)[0], 16);
    assert_int_equal(sw_problem_lower_bound(problem), 72);
    assert_true(noted(problem, "parts of it: 1"));
    assert_true(noted(problem, "1 pairs that are never alive together"));
    sw_problem_unref(problem);
}

/* An address that both can have: a multiple of 4 and of 6. */
static void aligned(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(
        HEAD POOL "],\"buffers\":[{\"id\":1,\"name\":\"a\",\"size\":8,\"alignment\":4,"
                  "\"live_intervals\":[" LIVE(
                      0, 2) "],\"allowed_pools\":[1]},"
                            "{\"id\":2,\"name\":\"b\",\"size\":8,\"alignment\":6,\"live_intervals\":[" LIVE(
                                0, 2) "],\"allowed_pools\":[1]}],\"constraints\":{\"colocations\":[{\"first\":1,"
                                      "\"second\":2}],\"separations\":[],\"temporal_exclusions\":[],"
                                      "\"pinned_allocations\":[]}}}");
    assert_int_equal(buffer_named(problem, "a")->alignment, 12);
    sw_problem_unref(problem);
}

/* No other buffer may ever use the place of p. */
static void exclusive(void **state) {
    (void)state;
    struct sw_problem *problem = must_read(HEAD POOL "],\"buffers\":[" BUFFER(0, "p", 8, LIVE(2, 3)) "," BUFFER(
        1, "q", 8, LIVE(7, 9)) "],\"constraints\":{\"colocations\":[],\"separations\":[],"
                               "\"temporal_exclusions\":[],\"pinned_allocations\":[{\"buffer\":"
                               "0,\"pool\":1,\"offset\":0,"
                               "\"exclusive_for_all_time\":true}]}}}");
    assert_true(sw_problem_conflict(problem, 0, 1));
    assert_int_equal(sw_problem_lower_bound(problem), 16);
    sw_problem_unref(problem);
}

static void refused(void **state) {
    (void)state;
    static const struct refusal refusals[] = {
        {"{\"schema_version\":2,\n\"problem\":{}}", 1, 19, "version 2 of dsa-solver's problems is not known"},
        {HEAD POOL ",\n" POOL "],\"buffers\":[" NONE, 2, 7, "two pools have the number 1"},
        {HEAD POOL "],\"buffers\":[\n" BUFFER(0, "a", 1, LIVE(3, 3)) NONE, 2, 80,
         "the interval ends at 3, not after its begin at 3"},
        {HEAD POOL "],\"buffers\":[\n" BUFFER(0, "a", 1, "") NONE, 2, 60, "a buffer without a live interval"},
        {HEAD POOL "],\"buffers\":[\n" BUFFER(0, "a", -1, LIVE(0, 1)) NONE, 2, 27, "size -1 is negative"},
        {HEAD POOL "],\"buffers\":[" BUFFER(7, "a", 1, LIVE(0, 1)) ",\n" BUFFER(7, "b", 1, LIVE(0, 1)) NONE, 2, 1,
         "two buffers have the number 7"},
        {HEAD POOL "],\"buffers\":[" BUFFER(7, "a", 1, LIVE(0, 1)) "],\n\"constraints\":{\"colocations\":["
                                                                   "{\"first\":7,\"second\":8}]}}}",
         2, 51, "there is no buffer 8"},
        {HEAD POOL "],\"buffers\":[\n{\"id\":1,\"name\":\"x\",\"size\":1,\"alignment\":1,"
                   "\"live_intervals\":[" LIVE(0, 1) "],\"allowed_pools\":[5]}" NONE,
         2, 101, "there is no pool 5"},
        {HEAD POOL "],\n\"bufers\":[]}}", 2, 1, "unknown key \"bufers\"; the nearest known key is \"buffers\""},
    };
    must_refuse_text(refusals, COUNT(refusals));
}

static void cut_short(void **state) {
    (void)state;
    static const char text[] = HEAD POOL "],\"buffers\":[" BUFFER(4, "a", 16, LIVE(0, 4)) "," BUFFER(
        9, "b", 64, LIVE(2, 6)) "],\"constraints\":{\"colocations\":[{\"first\":9,"
                                "\"second\":4}],\"separations\":[],\"temporal_exclusions\":[],"
                                "\"pinned_allocations\":[]}}}";
    for (size_t length = 0; length + 1 < sizeof text; length++) {
        struct sw_error error = {0};
        struct sw_input input = text_input(text, length);
        struct sw_problem *problem = sw_load_input(&input, NULL, &error);
        assert_null(problem);
        assert_int_equal(error.code, SW_ERROR_INPUT);
    }
    for (uint64_t k = 0, done = 0; !done; k++) {
        struct limit limit = {.left = k};
        struct sw_error error = {0};
        struct sw_input input = text_input(text, sizeof text - 1);
        sw_mem_hook(limited, &limit);
        struct sw_problem *problem = sw_load_input(&input, NULL, &error);
        done = problem != NULL;
        sw_problem_unref(problem);
        sw_mem_hook(NULL, NULL);
        assert_true(done ? !limit.hit : error.code == SW_ERROR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holes),   cmocka_unit_test(colocated), cmocka_unit_test(exclusive),
        cmocka_unit_test(aligned), cmocka_unit_test(refused),   cmocka_unit_test(cut_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
