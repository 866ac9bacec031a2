/* tflm-greedy: its rules one by one, its offsets against a restatement of the rules on random
 * problems, and against every plan that the real planner printed, where the data folder is there.
 */
#include "unit.h"
#include "faults.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 120 };

static struct sw_search *run_on(const struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_search *search = sw_search_new(problem, sw_planner_find("tflm-greedy", NULL), NULL, &error);
    if (!search || sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("%s", error.message);
    }
    return search;
}

static uint64_t offset_of(const struct sw_search *search, uint32_t buffer) {
    struct sw_placement p;
    assert_true(sw_layout_placement(sw_search_layout(search), buffer, 0, &p));
    return p.offset;
}

static void expect(const int64_t (*rows)[3], size_t count, const uint64_t *offsets, uint64_t arena) {
    struct sw_problem *problem = plain_problem(rows, count);
    struct sw_search *search = run_on(problem);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(offset_of(search, i), offsets[i]);
    }
    assert_int_equal(sw_layout_peak(sw_search_layout(search)), arena);
    assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
    sw_search_free(search);
    sw_problem_unref(problem);
}
#define EXPECT(rows, arena, ...) \
    expect((rows), sizeof(rows) / sizeof(rows)[0], (const uint64_t[]){__VA_ARGS__}, (arena))

/* ---- the rules, one by one ---- */

static void larger_ones_come_first(void **state) {
    (void)state;
    static const int64_t rows[][3] = {{0, 1, 16}, {0, 1, 64}, {0, 1, 32}};
    EXPECT(rows, 112, 96, 0, 64);
}

static void among_equals_the_last_comes_first(void **state) {
    (void)state;
    static const int64_t rows[][3] = {{0, 1, 32}, {0, 1, 32}, {0, 1, 32}};
    EXPECT(rows, 96, 64, 32, 0);
}

static void sizes_are_rounded_before_they_are_compared(void **state) {
    (void)state;
    /* 17 and 31 are both 32: the later one first, although it is smaller. */
    static const int64_t rows[][3] = {{0, 1, 31}, {0, 1, 17}, {0, 1, 16}};
    EXPECT(rows, 80, 32, 0, 64);
}

static void the_arena_ends_with_the_rounded_block(void **state) {
    (void)state;
    static const int64_t rows[][3] = {{0, 1, 20}};
    EXPECT(rows, 32, 0);
}

static void the_lowest_gap_not_the_smallest(void **state) {
    (void)state;
    /* Placed: 128 at 0, 112 at 128, 96 at 240. b3 then sees gaps of 128 and, after b1, of 96. */
    static const int64_t rows[][3] = {{0, 0, 128}, {0, 3, 112}, {0, 0, 96}, {2, 3, 80}};
    EXPECT(rows, 336, 0, 128, 240, 0);
}

static void a_gap_must_hold_the_rounded_size(void **state) {
    (void)state;
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(NULL);
    add_plain(builder, "b0", 0, 1, 20);
    struct sw_tier tier = {.name = "ram", .capacity = SW_UNBOUNDED};
    assert_true(sw_builder_tier(builder, &tier, &error));
    assert_true(sw_builder_reserve(builder, "ram", 24, 33, &error));
    struct sw_problem *problem = must_finish(builder);
    struct sw_search *search = run_on(problem);
    assert_int_equal(offset_of(search, 0), 48); /* not 0, and not 33 */
    struct sw_explanation e = {0};
    assert_true(sw_search_explain(search, 1, &e, NULL));
    assert_int_equal(e.candidates.count, 3);
    assert_string_equal(e.candidates.items[0].reason,
                        "b0 (32 B) refused at ram+0: 8 B short of a reserved or forbidden range");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void lifetimes_are_closed(void **state) {
    (void)state;
    static const int64_t touch[][3] = {{0, 2, 64}, {2, 4, 64}};
    static const int64_t apart[][3] = {{0, 2, 64}, {3, 4, 64}};
    EXPECT(touch, 128, 64, 0);
    EXPECT(apart, 64, 0, 0);
}

static void an_alignment_is_kept_as_well(void **state) {
    (void)state;
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(NULL);
    add_plain(builder, "b0", 0, 1, 100);
    struct sw_buffer_spec spec = {.name = "b1",
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = 64,
                                  .alignment = 12,
                                  .has_first = true,
                                  .has_last = true,
                                  .first = 0,
                                  .last = 1};
    assert_true(sw_builder_buffer(builder, &spec, &error));
    struct sw_problem *problem = must_finish(builder);
    struct sw_search *search = run_on(problem);
    assert_int_equal(offset_of(search, 1), 144); /* the first multiple of 16 and 12 from 112 on */
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void above_the_capacity_when_nothing_fits(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    add_plain(builder, "b0", 0, 1, 40);
    sw_builder_capacity(builder, 40);
    struct sw_problem *problem = must_finish(builder);
    struct sw_search *search = run_on(problem);
    struct sw_metrics metrics;
    sw_metrics_of(sw_search_layout(search), &metrics);
    assert_false(metrics.fits); /* 40 bytes are 48 to this planner */
    assert_int_equal(metrics.peak, 48);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- the rules once more ---- */

struct rows {
    size_t count;
    int64_t row[MOST][3];
    uint64_t offset[MOST];
};

static uint64_t ceil_16(int64_t size) {
    return ((uint64_t)size + 15) / 16 * 16;
}

static bool overlaps(const struct rows *r, size_t a, size_t b) {
    return r->row[a][0] <= r->row[b][1] && r->row[b][0] <= r->row[a][1];
}

/* The lowest place for `i` among `done` placed ones: 0, or directly above one of them. */
static uint64_t lowest(const struct rows *r, const size_t *order, size_t done, size_t i) {
    uint64_t best = UINT64_MAX;
    for (size_t c = 0; c <= done; c++) {
        uint64_t at = c == 0 ? 0 : r->offset[order[c - 1]] + ceil_16(r->row[order[c - 1]][2]);
        bool clear = c == 0 || overlaps(r, i, order[c - 1]);
        for (size_t k = 0; k < done && clear; k++) {
            size_t o = order[k];
            clear = !overlaps(r, i, o) || at + ceil_16(r->row[i][2]) <= r->offset[o] ||
                    r->offset[o] + ceil_16(r->row[o][2]) <= at;
        }
        best = clear && at < best ? at : best;
    }
    return best;
}

/* Returns the arena. */
static uint64_t restated(struct rows *r) {
    size_t order[MOST];
    uint64_t arena = 0;
    for (size_t done = 0; done < r->count; done++) {
        size_t next = SIZE_MAX;
        for (size_t i = 0; i < r->count; i++) {
            bool taken = false;
            for (size_t k = 0; k < done; k++) {
                taken = taken || order[k] == i;
            }
            if (!taken && (next == SIZE_MAX || ceil_16(r->row[i][2]) >= ceil_16(r->row[next][2]))) {
                next = i;
            }
        }
        r->offset[next] = lowest(r, order, done, next);
        order[done] = next;
        uint64_t end = r->offset[next] + ceil_16(r->row[next][2]);
        arena = end > arena ? end : arena;
    }
    return arena;
}

static void random_problems_follow_the_rules(void **state) {
    (void)state;
    uint64_t random = 20;
    for (int n = 0; n < 1500; n++) {
        struct rows r = {.count = 2 + sw_random_below(&random, 22)};
        for (size_t i = 0; i < r.count; i++) {
            r.row[i][0] = (int64_t)sw_random_below(&random, 12);
            r.row[i][1] = r.row[i][0] + (int64_t)sw_random_below(&random, 6);
            r.row[i][2] = 1 + (int64_t)sw_random_below(&random, n % 2 ? 400 : 60);
        }
        uint64_t arena = restated(&r);
        struct sw_problem *problem = plain_problem((const int64_t(*)[3])r.row, r.count);
        struct sw_search *search = run_on(problem);
        for (uint32_t i = 0; i < r.count; i++) {
            assert_int_equal(offset_of(search, i), r.offset[i]);
        }
        assert_int_equal(sw_layout_peak(sw_search_layout(search)), arena);
        assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
        sw_search_free(search);
        sw_problem_unref(problem);
    }
}

/* ---- plans of the device ---- */

/* id,lower,upper,size,offset; upper exclusive. */
static bool read_plan(const char *path, struct rows *r) {
    FILE *file = fopen(path, "r");
    char line[200];
    *r = (struct rows){0};
    if (!file || !fgets(line, sizeof line, file)) {
        return false;
    }
    assert_string_equal(line, "id,lower,upper,size,offset\n");
    while (fgets(line, sizeof line, file)) {
        long long lower, upper, size, offset;
        assert_true(r->count < MOST);
        assert_int_equal(sscanf(line, "%*[^,],%lld,%lld,%lld,%lld", &lower, &upper, &size, &offset), 4);
        r->row[r->count][0] = lower;
        r->row[r->count][1] = upper - 1;
        r->row[r->count][2] = size;
        r->offset[r->count++] = (uint64_t)offset;
    }
    fclose(file);
    return true;
}

static void every_offset_of_the_device(void **state) {
    (void)state;
    static const char folder[] = SW_TEST_DATA "/reference";
    DIR *dir = opendir(folder);
    size_t plans = 0, offsets = 0;
    for (struct dirent *entry; dir && (entry = readdir(dir)) != NULL;) {
        char path[1200];
        struct rows r;
        if (strncmp(entry->d_name, "tflmplan_", 9) != 0 || !strstr(entry->d_name, ".plan.csv")) {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        assert_true(read_plan(path, &r));
        struct sw_problem *problem = plain_problem((const int64_t(*)[3])r.row, r.count);
        struct sw_search *search = run_on(problem);
        for (uint32_t i = 0; i < r.count; i++, offsets++) {
            if (offset_of(search, i) != r.offset[i]) {
                fail_msg("%s: buffer %u lies at %llu, on the device at %llu", entry->d_name, i,
                         (unsigned long long)offset_of(search, i), (unsigned long long)r.offset[i]);
            }
        }
        plans++;
        sw_search_free(search);
        sw_problem_unref(problem);
    }
    if (dir) {
        closedir(dir);
    }
    if (plans == 0) {
        print_message("skipped: no plans in %s\n", folder);
        skip();
    }
    print_message("%zu plans, %zu offsets\n", plans, offsets);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(larger_ones_come_first),
        cmocka_unit_test(among_equals_the_last_comes_first),
        cmocka_unit_test(sizes_are_rounded_before_they_are_compared),
        cmocka_unit_test(the_arena_ends_with_the_rounded_block),
        cmocka_unit_test(the_lowest_gap_not_the_smallest),
        cmocka_unit_test(a_gap_must_hold_the_rounded_size),
        cmocka_unit_test(lifetimes_are_closed),
        cmocka_unit_test(an_alignment_is_kept_as_well),
        cmocka_unit_test(above_the_capacity_when_nothing_fits),
        cmocka_unit_test(random_problems_follow_the_rules),
        cmocka_unit_test(every_offset_of_the_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
