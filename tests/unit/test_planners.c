/* Every planner on the worked examples of its specification, and on small cases of every rule. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "stowage.h"

/* ---- making problems and running them ---- */

struct row {
    const char *name;
    int64_t first, last; /* closed */
    uint64_t size, alignment;
    const char *tier;
    int64_t offset; /* -1: none */
};
#define ROW(n, f, l, s)                                                                            \
    { .name = (n), .first = (f), .last = (l), .size = (s), .alignment = 1, .offset = -1 }

static void add_row(struct sw_builder *builder, const struct row *row) {
    struct sw_error error = {0};
    struct sw_buffer_spec spec = {.name = row->name,
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = row->size,
                                  .alignment = row->alignment,
                                  .tier = row->tier,
                                  .has_first = true,
                                  .has_last = true,
                                  .first = row->first,
                                  .last = row->last,
                                  .has_offset = row->offset >= 0,
                                  .offset = row->offset >= 0 ? (uint64_t)row->offset : 0};
    if (!sw_builder_buffer(builder, &spec, &error)) {
        fail_msg("%s", error.message);
    }
}

static struct sw_problem *finish(struct sw_builder *builder) {
    struct sw_error error = {0};
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    sw_builder_free(builder);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    return problem;
}

static struct sw_problem *from_rows(const struct row *rows, size_t count) {
    struct sw_builder *builder = sw_builder_new(NULL);
    for (size_t i = 0; i < count; i++) {
        add_row(builder, &rows[i]);
    }
    return finish(builder);
}
#define FROM(rows) from_rows((rows), sizeof(rows) / sizeof(rows)[0])

static void add_operator(struct sw_builder *builder, const char *name, const char *output,
                         const char *const *inputs, size_t count) {
    struct sw_error error = {0};
    struct sw_operator_spec spec = {.name = name,
                                    .inputs = inputs,
                                    .input_count = count,
                                    .outputs = &output,
                                    .output_count = 1};
    if (!sw_builder_operator(builder, &spec, &error)) {
        fail_msg("%s", error.message);
    }
}

static void add_buffer(struct sw_builder *builder, const char *name, enum sw_kind kind,
                       uint64_t size) {
    struct sw_buffer_spec spec = {.name = name, .kind = kind, .has_size = true, .size = size};
    assert_true(sw_builder_buffer(builder, &spec, NULL));
}

static struct sw_search *search_for(const struct sw_problem *problem, const char *planner,
                                    const struct sw_params *params) {
    struct sw_error error = {0};
    const struct sw_planner *found = sw_planner_find(planner, &error);
    struct sw_search *search = found ? sw_search_new(problem, found, params, &error) : NULL;
    if (!search) {
        fail_msg("%s", error.message);
    }
    return search;
}

static struct sw_search *run(const struct sw_problem *problem, const char *planner) {
    struct sw_error error = {0};
    struct sw_search *search = search_for(problem, planner, NULL);
    if (sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("%s", error.message);
    }
    return search;
}

static uint64_t offset_of(const struct sw_search *search, const char *name) {
    struct sw_placement p;
    uint32_t buffer = sw_problem_find_buffer(sw_search_problem(search), name);
    assert_int_not_equal(buffer, SW_NONE);
    assert_true(sw_layout_placement(sw_search_layout(search), buffer, 0, &p));
    return p.offset;
}

static void expect_offsets(const struct sw_search *search, const uint64_t *offsets, size_t count) {
    for (uint32_t i = 0; i < count; i++) {
        struct sw_placement p;
        assert_true(sw_layout_placement(sw_search_layout(search), i, 0, &p));
        if (p.offset != offsets[i]) {
            fail_msg("buffer %u lies at %llu, not %llu", i, (unsigned long long)p.offset,
                     (unsigned long long)offsets[i]);
        }
    }
    assert_int_equal(sw_layout_check(sw_search_layout(search), NULL, NULL), 0);
}
#define EXPECT(search, ...)                                                                        \
    expect_offsets(search, (const uint64_t[]){__VA_ARGS__},                                        \
                   sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static uint64_t peak(const struct sw_search *search) {
    return sw_layout_peak(sw_search_layout(search));
}

/* The whole of a planner's answer on rows. */
static void check_rows(const struct row *rows, size_t count, const char *planner,
                       const uint64_t *offsets, uint64_t wanted_peak) {
    struct sw_problem *problem = from_rows(rows, count);
    struct sw_search *search = run(problem, planner);
    expect_offsets(search, offsets, count);
    assert_int_equal(peak(search), wanted_peak);
    sw_search_free(search);
    sw_problem_unref(problem);
}
#define CHECK(rows, planner, peak, ...)                                                            \
    check_rows((rows), sizeof(rows) / sizeof(rows)[0], planner, (const uint64_t[]){__VA_ARGS__},   \
               peak)

/* Step until the decision of this kind about this buffer; its explanation. */
static void explain(struct sw_search *search, const char *kind, const char *buffer,
                    struct sw_explanation *explanation) {
    uint32_t wanted = sw_problem_find_buffer(sw_search_problem(search), buffer);
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        if (d->buffer == wanted &&
            strcmp(sw_decision_word((enum sw_decision_kind)d->kind), kind) == 0) {
            assert_true(sw_search_explain(search, i, explanation, NULL));
            return;
        }
    }
    fail_msg("there is no decision %s about %s", kind, buffer);
}

static void expect_candidate(const struct sw_explanation *explanation, size_t index,
                             const char *verdict, uint64_t offset, uint64_t size,
                             const char *reason) {
    assert_true(index < explanation->candidates.count);
    const struct sw_candidate *c = &explanation->candidates.items[index];
    assert_string_equal(sw_verdict_word(c->verdict), verdict);
    assert_int_equal(c->offset, offset);
    assert_int_equal(c->size, size);
    assert_string_equal(c->reason, reason);
}

/* ---- the examples of the specification ---- */

/* Six operators, each with one output. */
static struct sw_problem *example_1(void) {
    static const uint64_t sizes[] = {2048, 2048, 1024, 2048, 1024, 4096};
    static const char *const names[] = {"t0", "t1", "t2", "t3", "t4", "t5"};
    struct sw_builder *builder = sw_builder_new(NULL);
    add_operator(builder, "op0", "t0", NULL, 0);
    add_operator(builder, "op1", "t1", (const char *const[]){"t0"}, 1);
    add_operator(builder, "op2", "t2", (const char *const[]){"t0"}, 1);
    add_operator(builder, "op3", "t3", (const char *const[]){"t2"}, 1);
    add_operator(builder, "op4", "t4", (const char *const[]){"t1", "t3"}, 2);
    add_operator(builder, "op5", "t5", (const char *const[]){"t4"}, 1);
    for (size_t i = 0; i < 6; i++) {
        add_buffer(builder, names[i], i == 5 ? SW_KIND_OUTPUT : SW_KIND_INTERMEDIATE, sizes[i]);
    }
    return finish(builder);
}

static void lifetime_best_fit_example_1(void **state) {
    (void)state;
    struct sw_problem *problem = example_1();
    static const uint32_t lives[][2] = {{0, 2}, {1, 4}, {2, 3}, {3, 4}, {4, 5}, {5, 5}};
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(sw_problem_buffer(problem, i)->first, lives[i][0]);
        assert_int_equal(sw_problem_buffer(problem, i)->last, lives[i][1]);
    }
    struct sw_search *search = run(problem, "lifetime-best-fit");
    EXPECT(search, 0, 2048, 4096, 0, 4096, 0);
    assert_int_equal(peak(search), 5120);
    assert_int_equal(sw_problem_naive(problem), 12288);

    /* next_offset after each operator, and at operator 5 the free list coalesced to (0, 4096). */
    static const uint64_t next_offset[] = {2048, 4096, 5120, 5120, 5120, 5120};
    uint32_t births = 0;
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        if (d->kind == SW_DECISION_PLACE || d->kind == SW_DECISION_APPEND ||
            d->kind == SW_DECISION_GROW) {
            assert_int_equal(d->buffer, births);
            assert_int_equal(d->time, births);
            assert_int_equal(d->peak, next_offset[births]);
            births++;
        }
    }
    assert_int_equal(births, 6);
    const struct sw_decision *last = sw_search_journal(search, sw_search_known(search));
    const struct sw_decision *before = sw_search_journal(search, sw_search_known(search) - 1);
    assert_int_equal(last->kind, SW_DECISION_PLACE);
    assert_int_equal(before->kind, SW_DECISION_COALESCE);
    assert_int_equal(before->offset, 0);
    assert_int_equal(before->size, 4096);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* The decisions of example 1 in full, as a trace tells them. */
static void lifetime_best_fit_tells_all(void **state) {
    (void)state;
    struct sw_problem *problem = example_1();
    struct sw_search *search = run(problem, "lifetime-best-fit");
    static const char *const told[] = {
        "append t0 0 2048 live 2048",     "append t1 2048 2048 live 4096",
        "append t2 4096 1024 live 5120",  "release t0 0 2048 live 3072",
        "place t3 0 2048 live 5120",      "release t2 4096 1024 live 4096",
        "place t4 4096 1024 live 5120",   "release t3 0 2048 live 1024",
        "release t1 2048 2048 live 1024", "coalesce t1 0 4096 live 1024",
        "place t5 0 4096 live 5120",
    };
    assert_int_equal(sw_search_known(search), sizeof told / sizeof told[0]);
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        char text[100];
        snprintf(text, sizeof text, "%s %s %llu %llu live %llu",
                 sw_decision_word((enum sw_decision_kind)d->kind),
                 sw_problem_buffer(problem, d->buffer)->name, (unsigned long long)d->offset,
                 (unsigned long long)d->size, (unsigned long long)d->live);
        assert_string_equal(text, told[i - 1]);
    }
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void lifetime_best_fit_explains(void **state) {
    (void)state;
    struct sw_problem *problem = example_1();
    struct sw_search *search = run(problem, "lifetime-best-fit");
    struct sw_explanation e = {0};
    explain(search, "place", "t3", &e);
    assert_int_equal(e.candidates.count, 1);
    expect_candidate(&e, 0, "chosen", 0, 2048, "fits exactly");
    explain(search, "append", "t1", &e);
    expect_candidate(&e, 0, "chosen", 2048, SW_UNBOUNDED, "no block is free: the end of the arena");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);

    static const struct row rows[] = {ROW("a", 0, 0, 100), ROW("wall", 0, 9, 10),
                                      ROW("b", 0, 0, 40),  ROW("wall2", 0, 9, 10),
                                      ROW("c", 1, 1, 30),  ROW("d", 1, 1, 45)};
    problem = FROM(rows);
    search = run(problem, "lifetime-best-fit");
    explain(search, "place", "c", &e);
    assert_int_equal(e.candidates.count, 2);
    expect_candidate(&e, 0, "fits", 0, 100, "fits, leaves 70");
    expect_candidate(&e, 1, "chosen", 110, 40, "smallest that fits, leaves 10");
    explain(search, "place", "d", &e);
    assert_int_equal(e.candidates.count, 2);
    expect_candidate(&e, 0, "chosen", 0, 100, "smallest that fits, leaves 55");
    expect_candidate(&e, 1, "refused", 140, 10, "too small by 35");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* sizes 100, 50, 120, 10; 1<-0, 2<-1, 3<-{1,2}: a live block moves. */
static struct sw_problem *example_2(void) {
    struct sw_builder *builder = sw_builder_new(NULL);
    add_operator(builder, "op0", "t0", NULL, 0);
    add_operator(builder, "op1", "t1", (const char *const[]){"t0"}, 1);
    add_operator(builder, "op2", "t2", (const char *const[]){"t1"}, 1);
    add_operator(builder, "op3", "t3", (const char *const[]){"t1", "t2"}, 2);
    add_buffer(builder, "t0", SW_KIND_INTERMEDIATE, 100);
    add_buffer(builder, "t1", SW_KIND_INTERMEDIATE, 50);
    add_buffer(builder, "t2", SW_KIND_INTERMEDIATE, 120);
    add_buffer(builder, "t3", SW_KIND_OUTPUT, 10);
    return finish(builder);
}

static void lifetime_best_fit_example_2(void **state) {
    (void)state;
    struct sw_problem *problem = example_2();
    struct sw_search *search = run(problem, "lifetime-best-fit");
    EXPECT(search, 0, 120, 0, 170);
    assert_int_equal(peak(search), 180);
    assert_true(sw_search_seek(search, 2, NULL));
    assert_int_equal(offset_of(search, "t1"), 100);

    struct sw_explanation e = {0};
    explain(search, "grow", "t2", &e);
    assert_int_equal(e.decision.amount, 20);
    assert_int_equal(e.decision.peak, 170);
    assert_int_equal(e.decision.offset, 0);
    expect_candidate(&e, 0, "chosen", 0, 100,
                     "too small by 20: the largest, enlarged by 20, which moves 1 block");
    assert_int_equal(e.moved.count, 1);
    assert_int_equal(e.moved.items[0].buffer, sw_problem_find_buffer(problem, "t1"));
    assert_int_equal(e.moved.items[0].from, 100);
    assert_int_equal(e.moved.items[0].to, 120);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void orders_matter(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 1, 4, 5), ROW("b", 1, 6, 3), ROW("c", 1, 6, 4),
                                      ROW("d", 2, 3, 2), ROW("e", 5, 6, 1), ROW("f", 5, 6, 6)};
    CHECK(rows, "first-fit", 18, 0, 5, 8, 12, 0, 12);
    CHECK(rows, "best-fit", 19, 0, 5, 8, 12, 12, 13);
    CHECK(rows, "greedy-by-size", 15, 0, 10, 6, 13, 13, 0);
}

/* The example of Pisarchyk and Lee: 124 bytes, which are alive at step 5. */
static void pisarchyk_and_lee(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("t0", 0, 1, 32), ROW("t1", 1, 4, 28), ROW("t2", 2, 5, 36),
                                      ROW("t3", 3, 5, 16), ROW("t4", 4, 5, 8),  ROW("t5", 5, 7, 64),
                                      ROW("t6", 6, 8, 10), ROW("t7", 7, 8, 40)};
    struct sw_problem *problem = FROM(rows);
    assert_int_equal(sw_problem_lower_bound(problem), 124);
    static const char *const planners[] = {"greedy-by-size", "greedy-by-breadth", "auto"};
    for (size_t i = 0; i < 3; i++) {
        struct sw_search *search = run(problem, planners[i]);
        assert_int_equal(peak(search), 124);
        assert_int_equal(sw_layout_check(sw_search_layout(search), NULL, NULL), 0);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

/* ---- rules, one by one ---- */

static void best_fit_extends_a_free_last_block(void **state) {
    (void)state;
    /* b dies at the top of the arena; c is larger and starts where b did. */
    static const struct row rows[] = {ROW("a", 0, 5, 10), ROW("b", 0, 1, 10), ROW("c", 2, 3, 30)};
    CHECK(rows, "best-fit", 40, 0, 10, 10);
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "best-fit");
    struct sw_explanation e = {0};
    explain(search, "place", "c", &e);
    assert_int_equal(e.candidates.count, 2);
    expect_candidate(&e, 0, "refused", 0, 10,
                     "c (30 B) refused at memory+0: overlaps a, alive 0..5");
    expect_candidate(&e, 1, "chosen", 10, SW_UNBOUNDED,
                     "no free block fits: the arena is extended at its end by 20 B");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void greedy_by_breadth_takes_the_tightest_step_first(void **state) {
    (void)state;
    /* Breadths 30, 35, 27: step 1 first, there b then c then a. */
    static const struct row rows[] = {ROW("a", 0, 1, 10), ROW("b", 1, 1, 15), ROW("c", 1, 2, 10),
                                      ROW("d", 2, 2, 17), ROW("e", 0, 0, 20)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "greedy-by-breadth");
    EXPECT(search, 15, 0, 25, 0, 25);
    static const char order[] = "baced";
    static const uint32_t times[] = {1, 1, 1, 0, 2}, groups[] = {0, 0, 0, 1, 2};
    static const uint64_t live[] = {15, 25, 35, 30, 27};
    for (uint64_t i = 0; i < 5; i++) {
        const struct sw_decision *d = sw_search_journal(search, i + 1);
        assert_int_equal(sw_problem_buffer(problem, d->buffer)->name[0], order[i]);
        assert_int_equal(d->time, times[i]);
        assert_int_equal(d->group, groups[i]);
        assert_int_equal(d->live, live[i]);
    }
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void greedy_takes_the_smallest_gap(void **state) {
    (void)state;
    /* Two gaps for the last: 12 below, 10 above. */
    static const struct row rows[] = {ROW("x", 0, 0, 12), ROW("p", 0, 2, 20), ROW("y", 0, 1, 10),
                                      ROW("q", 1, 2, 30), ROW("z", 2, 2, 9)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "greedy-by-size");
    /* q 30 at 0; p 20 above it; x 12 in [0, 30); y 10 at 50; z: nothing between 0 and 50. */
    EXPECT(search, 0, 30, 50, 0, 50);
    struct sw_explanation e = {0};
    explain(search, "place", "x", &e);
    expect_candidate(&e, 0, "chosen", 0, 30, "smallest gap that fits, leaves 18 B");
    expect_candidate(&e, 1, "refused", 30, 20,
                     "x (12 B) refused at memory+30: overlaps p, alive 0..2");
    expect_candidate(&e, 2, "fits", 50, SW_UNBOUNDED, "fits, the end is open");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void explanation_says_what_is_in_the_way(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("conv1_out", 0, 1, 188160),
                                      ROW("conv2_out", 0, 9, 100352),
                                      ROW("conv3_out", 2, 3, 200704)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "first-fit");
    struct sw_explanation e = {0};
    explain(search, "place", "conv3_out", &e);
    assert_int_equal(e.candidates.count, 3);
    expect_candidate(&e, 0, "refused", 0, 188160,
                     "conv3_out (200704 B) refused at memory+0: 12544 B short of the next live "
                     "buffer conv2_out");
    expect_candidate(&e, 1, "refused", 188160, 100352,
                     "conv3_out (200704 B) refused at memory+188160: overlaps conv2_out, alive "
                     "0..9");
    expect_candidate(&e, 2, "chosen", 288512, SW_UNBOUNDED, "lowest that fits");
    assert_int_equal(e.candidates.items[0].above, 1);
    assert_int_equal(e.candidates.items[2].below, 1);
    assert_int_equal(e.decision.candidates, 3);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void alignment(void **state) {
    (void)state;
    static const struct row rows[] = {
        {.name = "a", .first = 0, .last = 3, .size = 10, .alignment = 1, .offset = -1},
        {.name = "b", .first = 0, .last = 3, .size = 10, .alignment = 16, .offset = -1},
        {.name = "c", .first = 1, .last = 3, .size = 7, .alignment = 1, .offset = -1},
        {.name = "d", .first = 1, .last = 3, .size = 5, .alignment = 12, .offset = -1}};
    CHECK(rows, "first-fit", 41, 0, 16, 26, 36);
    CHECK(rows, "best-fit", 41, 0, 16, 26, 36);
    /* [10, 16) is too small for c by 1; b moves by a multiple of its alignment. */
    CHECK(rows, "lifetime-best-fit", 42, 0, 32, 10, 24);
    CHECK(rows, "greedy-by-size", 41, 0, 16, 26, 36);
}

static void grow_rounds_to_what_moves(void **state) {
    (void)state;
    /* The hole [0, 100) lacks 5; b above must stay a multiple of 32, and c of 24: both move 96. */
    static const struct row rows[] = {
        {.name = "a", .first = 0, .last = 0, .size = 96, .alignment = 1, .offset = -1},
        {.name = "b", .first = 0, .last = 2, .size = 24, .alignment = 32, .offset = -1},
        {.name = "c", .first = 0, .last = 2, .size = 24, .alignment = 24, .offset = -1},
        {.name = "d", .first = 1, .last = 2, .size = 101, .alignment = 1, .offset = -1}};
    CHECK(rows, "lifetime-best-fit", 240, 0, 192, 216, 0);
}

static void grow_spares_pinned_blocks(void **state) {
    (void)state;
    /* The only free block is [0, 10); enlarging it would move `pin`. So it is appended. */
    static const struct row rows[] = {
        ROW("a", 0, 0, 10),
        {.name = "pin", .first = 0, .last = 3, .size = 10, .alignment = 1, .offset = 10},
        ROW("b", 1, 3, 15)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "lifetime-best-fit");
    EXPECT(search, 0, 10, 20);
    struct sw_explanation e = {0};
    explain(search, "append", "b", &e);
    assert_int_equal(e.candidates.count, 2);
    expect_candidate(&e, 0, "refused", 0, 10,
                     "too small by 5, and enlarging it would move pin, which is pinned");
    expect_candidate(&e, 1, "chosen", 20, SW_UNBOUNDED,
                     "no free block can be enlarged: the end of the arena");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void grow_takes_the_next_largest(void **state) {
    (void)state;
    /* Free: [0, 20) below the pinned block, [30, 40) above it. Only the second can grow. */
    static const struct row rows[] = {
        ROW("a", 0, 0, 20),
        {.name = "pin", .first = 0, .last = 3, .size = 10, .alignment = 1, .offset = 20},
        ROW("b", 0, 0, 10),
        ROW("c", 0, 3, 5),
        ROW("d", 1, 3, 25)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "lifetime-best-fit");
    EXPECT(search, 0, 20, 30, 55, 30);
    assert_int_equal(peak(search), 60);
    struct sw_explanation e = {0};
    explain(search, "grow", "d", &e);
    assert_int_equal(e.candidates.items[0].verdict, SW_VERDICT_REFUSED);
    assert_int_equal(e.candidates.items[1].verdict, SW_VERDICT_CHOSEN);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void keep_outputs(void **state) {
    (void)state;
    /* An output that is not the last operator's: read literally it is overwritten. */
    struct sw_builder *builder = sw_builder_new(NULL);
    add_operator(builder, "op0", "out", NULL, 0);
    add_operator(builder, "op1", "t1", (const char *const[]){"out"}, 1);
    add_operator(builder, "op2", "t2", (const char *const[]){"t1"}, 1);
    add_buffer(builder, "out", SW_KIND_OUTPUT, 10);
    add_buffer(builder, "t1", SW_KIND_INTERMEDIATE, 10);
    add_buffer(builder, "t2", SW_KIND_OUTPUT, 10);
    struct sw_problem *problem = finish(builder);
    struct sw_search *search = run(problem, "lifetime-best-fit");
    EXPECT(search, 0, 10, 20);
    sw_search_free(search);

    struct sw_params params = SW_PARAMS_DEFAULT;
    assert_true(sw_params_set(&params, "keep_outputs", "false", NULL));
    search = search_for(problem, "lifetime-best-fit", &params);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    assert_int_equal(offset_of(search, "out"), 0);
    assert_int_equal(offset_of(search, "t1"), 10);
    assert_int_equal(offset_of(search, "t2"), 0);
    assert_int_equal(peak(search), 20);
    assert_int_equal(sw_layout_check(sw_search_layout(search), NULL, NULL), 1);
    uint64_t end = sw_search_digest(search);
    assert_true(sw_search_seek(search, 1, NULL));
    assert_true(sw_search_seek(search, 1000, NULL));
    assert_int_equal(sw_search_digest(search), end);

    /* A pin up and down again: the arena is measured anew each time, also where it is planned. */
    assert_true(sw_search_seek(search, 2, NULL));
    struct sw_override up = {.kind = SW_OVERRIDE_PIN, .buffer = 1, .offset = 30};
    struct sw_override down = {.kind = SW_OVERRIDE_PIN, .buffer = 1, .offset = 10};
    assert_true(sw_search_force(search, &up, NULL));
    assert_int_equal(peak(search), 40);
    assert_true(sw_search_force(search, &down, NULL));
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    assert_int_equal(offset_of(search, "t1"), 10);
    assert_int_equal(peak(search), 20);
    sw_search_free(search);
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* ---- pieces, permits, tiers ---- */

static void add_pieces(struct sw_builder *builder, const char *name, uint64_t size,
                       const struct sw_piece_spec *pieces, size_t count) {
    struct sw_error error = {0};
    struct sw_buffer_spec spec = {.name = name,
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = size,
                                  .pieces = pieces,
                                  .piece_count = count};
    if (!sw_builder_buffer(builder, &spec, &error)) {
        fail_msg("%s", error.message);
    }
}

static void holes_and_windows(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    /* `host` is absent at 2..3, so `guest` may live there; at 6 only its upper half is needed. */
    add_pieces(builder, "host", 100,
               (const struct sw_piece_spec[]){{0, 1, 0, 100}, {4, 5, 0, 100}, {6, 6, 50, 100}}, 3);
    add_row(builder, &(struct row)ROW("guest", 2, 3, 100));
    add_row(builder, &(struct row)ROW("low", 6, 6, 50));
    add_row(builder, &(struct row)ROW("late", 3, 4, 10));
    struct sw_problem *problem = finish(builder);
    static const char *const planners[] = {"first-fit", "best-fit", "lifetime-best-fit",
                                           "greedy-by-size", "greedy-by-breadth"};
    for (size_t i = 0; i < 5; i++) {
        struct sw_search *search = run(problem, planners[i]);
        EXPECT(search, 0, 0, 0, 100);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

static void permits_are_used_and_recorded(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    sw_builder_inplace(builder, true);
    const char *in = "x", *out = "y";
    struct sw_operator_spec spec = {.name = "relu",
                                    .inplace = SW_INPLACE_ANY,
                                    .inputs = &in,
                                    .input_count = 1,
                                    .outputs = &out,
                                    .output_count = 1};
    assert_true(sw_builder_operator(builder, &spec, NULL));
    add_buffer(builder, "x", SW_KIND_INPUT, 64);
    add_buffer(builder, "y", SW_KIND_OUTPUT, 64);
    struct sw_problem *problem = finish(builder);
    static const char *const planners[] = {"first-fit", "best-fit", "lifetime-best-fit",
                                           "greedy-by-size", "greedy-by-breadth"};
    for (size_t i = 0; i < 5; i++) {
        struct sw_search *search = run(problem, planners[i]);
        EXPECT(search, 0, 0);
        assert_int_equal(peak(search), 64);
        assert_int_equal(sw_layout_permit_count(sw_search_layout(search)), 1);
        struct sw_permit p = sw_layout_permit_get(sw_search_layout(search), 0);
        assert_int_equal(p.fresh, 1);
        assert_int_equal(p.old, 0);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

static struct sw_problem *two_tiers(uint64_t top, uint64_t bottom) {
    struct sw_builder *builder = sw_builder_new(NULL);
    assert_true(sw_builder_tier(builder, &(struct sw_tier){.name = "sram", .capacity = top}, NULL));
    assert_true(
        sw_builder_tier(builder, &(struct sw_tier){.name = "dram", .capacity = bottom}, NULL));
    add_row(builder, &(struct row)ROW("a", 0, 2, 60));
    add_row(builder, &(struct row)ROW("b", 0, 2, 60));
    add_row(builder, &(struct row){.name = "c",
                                   .first = 0,
                                   .last = 2,
                                   .size = 10,
                                   .alignment = 1,
                                   .tier = "dram",
                                   .offset = -1});
    add_row(builder, &(struct row)ROW("d", 1, 2, 40));
    return finish(builder);
}

static void tiers_from_high_to_low(void **state) {
    (void)state;
    struct sw_problem *problem = two_tiers(100, SW_UNBOUNDED);
    static const char *const planners[] = {"first-fit", "best-fit", "lifetime-best-fit",
                                           "greedy-by-size", "greedy-by-breadth"};
    for (size_t i = 0; i < 5; i++) {
        struct sw_search *search = run(problem, planners[i]);
        EXPECT(search, 0, 0, 60, 60);
        assert_int_equal(sw_layout_arena(sw_search_layout(search), 0), 100);
        assert_int_equal(sw_layout_arena(sw_search_layout(search), 1), 70);
        sw_search_free(search);
    }
    struct sw_search *search = run(problem, "first-fit");
    struct sw_explanation e = {0};
    explain(search, "place", "b", &e);
    expect_candidate(&e, 0, "refused", 0, 60,
                     "b (60 B) refused at sram+0: overlaps a, alive 0..2");
    expect_candidate(&e, 1, "refused", 60, 40,
                     "b (60 B) refused at sram+60: 20 B short of the capacity");
    expect_candidate(&e, 2, "chosen", 0, SW_UNBOUNDED, "lowest that fits");
    assert_int_equal(e.candidates.items[2].tier, 1);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void above_the_capacity(void **state) {
    (void)state;
    struct sw_problem *problem = two_tiers(100, 60);
    static const char *const planners[] = {"first-fit", "best-fit", "greedy-by-breadth",
                                           "lifetime-best-fit"};
    for (size_t i = 0; i < 4; i++) {
        struct sw_search *search = run(problem, planners[i]);
        struct sw_metrics m;
        sw_metrics_of(sw_search_layout(search), &m);
        assert_true(m.complete);
        assert_false(m.fits);
        assert_int_equal(sw_layout_arena(sw_search_layout(search), 1), 70);
        sw_search_free(search);
    }
    struct sw_search *search = run(problem, "first-fit");
    struct sw_explanation e = {0};
    explain(search, "place", "c", &e);
    assert_int_equal(e.candidates.count, 2);
    assert_string_equal(sw_verdict_word(e.candidates.items[0].verdict), "refused");
    expect_candidate(&e, 1, "chosen", 60, SW_UNBOUNDED,
                     "fits nowhere, so it goes on top and ends 10 B above the capacity");
    assert_int_equal(e.decision.amount, 10);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- pins and demands ---- */

static void pins(void **state) {
    (void)state;
    static const struct row rows[] = {
        ROW("a", 0, 2, 10),
        {.name = "p", .first = 1, .last = 3, .size = 10, .alignment = 1, .offset = 5},
        ROW("b", 2, 3, 5),
        ROW("empty", 1, 1, 0)};
    /* a sees the pinned block before it is placed, and goes above it. */
    CHECK(rows, "first-fit", 25, 15, 5, 0, 0);
    CHECK(rows, "greedy-by-size", 25, 15, 5, 0, 0);
    CHECK(rows, "greedy-by-breadth", 25, 15, 5, 0, 0);
    CHECK(rows, "best-fit", 25, 15, 5, 0, 0);
    CHECK(rows, "lifetime-best-fit", 25, 15, 5, 0, 0);
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "first-fit");
    struct sw_explanation e = {0};
    explain(search, "place", "p", &e);
    assert_int_equal(e.candidates.count, 1);
    expect_candidate(&e, 0, "chosen", 5, 10, "p is pinned to memory+5 by the input");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static struct sw_override pin_at(uint32_t buffer, uint64_t offset) {
    return (struct sw_override){.kind = SW_OVERRIDE_PIN, .buffer = buffer, .offset = offset};
}

/* A file's plan is shown as it is, faults and all. */
static void as_built_says_what_is_wrong(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    assert_true(sw_builder_tier(builder, &(struct sw_tier){.name = "m", .capacity = 50}, NULL));
    assert_true(sw_builder_reserve(builder, "m", 30, 32, NULL));
    add_row(builder, &(struct row){"high", 0, 1, 10, 1, NULL, 45});
    add_row(builder, &(struct row){"odd", 2, 3, 10, 4, NULL, 6});
    add_row(builder, &(struct row){"taken", 4, 5, 10, 1, NULL, 25});
    add_row(builder, &(struct row){"fine", 6, 7, 10, 1, NULL, 0});
    struct sw_problem *problem = finish(builder);
    struct sw_search *search = run(problem, "as-built");
    static const char *const reasons[] = {
        "as the plan says, which ends above the capacity", "as the plan says, which is not aligned",
        "as the plan says, which is a reserved range", "as the plan says"};
    for (uint64_t i = 0; i < 4; i++) {
        assert_string_equal(sw_search_journal(search, i + 1)->reason, reasons[i]);
    }
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void long_names_are_cut_at_a_character(void **state) {
    (void)state;
    /* 23 letters of two bytes: the 48th byte would be half of one. */
    static const char name[] =
        "x\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4"
        "\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4\u00e4";
    const struct row rows[] = {ROW("a", 0, 0, 4), ROW("b", 0, 1, 4), ROW(name, 1, 1, 9)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "first-fit");
    struct sw_explanation e = {0};
    explain(search, "place", name, &e);
    const char *end = strstr(e.candidates.items[0].reason, " (9 B) refused");
    assert_non_null(end);
    assert_int_equal(end - e.candidates.items[0].reason, 47);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void a_broken_pin_is_infeasible(void **state) {
    (void)state;
    /* p and q overlap in time and place; a is in nobody's way. */
    static const struct row rows[] = {
        ROW("a", 0, 2, 10),
        {.name = "p", .first = 1, .last = 3, .size = 10, .alignment = 1, .offset = 5},
        {.name = "q", .first = 2, .last = 3, .size = 10, .alignment = 1, .offset = 12}};
    struct sw_error error = {0};
    struct sw_problem *problem = FROM(rows);
    static const char *const planners[] = {"first-fit", "lifetime-best-fit", "auto"};
    for (size_t i = 0; i < 3; i++) {
        struct sw_search *search = search_for(problem, planners[i], NULL);
        assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_FAILED);
        assert_int_equal(error.code, SW_ERROR_INFEASIBLE);
        assert_non_null(strstr(error.message, "p "));
        assert_non_null(strstr(error.message, "q "));
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

static void demands(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 0, 1, 10), ROW("b", 0, 3, 10), ROW("c", 2, 3, 5),
                                      ROW("d", 2, 3, 5)};
    struct sw_problem *problem = FROM(rows);
    struct sw_error error = {0};
    struct sw_search *search = run(problem, "first-fit");
    EXPECT(search, 0, 10, 0, 5);
    assert_true(sw_search_seek(search, 2, NULL));

    struct sw_override choose = {.kind = SW_OVERRIDE_CHOOSE, .choice = 7};
    assert_false(sw_search_force(search, &choose, &error));
    assert_int_equal(error.code, SW_ERROR_UNSUPPORTED);
    assert_string_equal(error.message,
                        "candidate 7 does not exist: this decision has 3, numbered from 0");
    choose.choice = 1; /* where b lies */
    assert_false(sw_search_force(search, &choose, &error));
    assert_string_equal(error.message, "candidate 1 was refused and cannot be taken");
    choose.choice = 2;
    assert_true(sw_search_force(search, &choose, &error));
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    EXPECT(search, 0, 10, 20, 0);
    const struct sw_decision *d = sw_search_journal(search, 3);
    assert_true(d->forced);
    assert_string_equal(d->reason, "chosen by the user");

    sw_search_free(search);
    search = run(problem, "first-fit");
    assert_true(sw_search_seek(search, 2, NULL));
    struct sw_override pin = pin_at(3, 2);
    assert_true(sw_search_force(search, &pin, &error));
    struct sw_override forbid = {
        .kind = SW_OVERRIDE_FORBID, .buffer = SW_NONE, .lo = 20, .hi = 100};
    assert_true(sw_search_force(search, &forbid, &error));
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    assert_int_equal(offset_of(search, "d"), 2);
    assert_int_equal(offset_of(search, "c"), 100);
    sw_search_free(search);

    /* A candidate that was refused. */
    static const struct row tight[] = {ROW("a", 0, 1, 4), ROW("b", 0, 3, 10), ROW("c", 2, 3, 5)};
    struct sw_problem *small = FROM(tight);
    search = run(small, "first-fit");
    assert_true(sw_search_seek(search, 2, NULL));
    choose.choice = 0;
    assert_false(sw_search_force(search, &choose, &error));
    assert_string_equal(error.message, "candidate 0 was refused and cannot be taken");
    sw_search_free(search);
    sw_problem_unref(small);
    sw_problem_unref(problem);
}

/* In a grow, another free block can be the one that is enlarged. */
static void another_block_grows_on_request(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 0, 0, 20), ROW("w", 0, 3, 1), ROW("b", 0, 0, 10),
                                      ROW("v", 0, 3, 1), ROW("d", 1, 3, 25)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "lifetime-best-fit");
    EXPECT(search, 0, 25, 26, 36, 0);
    struct sw_explanation e = {0};
    explain(search, "grow", "d", &e);
    expect_candidate(&e, 0, "chosen", 0, 20,
                     "too small by 5: the largest, enlarged by 5, which moves 3 blocks");
    expect_candidate(&e, 1, "fits", 21, 10,
                     "too small by 15: could be enlarged by 15, which moves 1 block");
    assert_int_equal(e.moved.count, 3);
    assert_true(sw_search_seek(search, e.decision.step - 1, NULL));
    struct sw_override choose = {.kind = SW_OVERRIDE_CHOOSE, .choice = 1};
    assert_true(sw_search_force(search, &choose, NULL));
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    EXPECT(search, 0, 20, 21, 46, 21);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- as-built ---- */

static void as_built(void **state) {
    (void)state;
    struct row rows[] = {
        {.name = "late", .first = 2, .last = 3, .size = 10, .alignment = 1, .offset = 5},
        {.name = "a", .first = 0, .last = 2, .size = 10, .alignment = 1, .offset = 0},
        {.name = "b", .first = 0, .last = 1, .size = 10, .alignment = 1, .offset = 40}};
    struct sw_problem *problem = FROM(rows);
    assert_true(sw_problem_has_plan(problem));
    struct sw_search *search = run(problem, "as-built");
    assert_int_equal(offset_of(search, "late"), 5);
    assert_int_equal(offset_of(search, "b"), 40);
    assert_int_equal(peak(search), 50);
    assert_int_equal(sw_search_journal(search, 1)->buffer, 1); /* by birth, not as listed */
    assert_int_equal(sw_search_journal(search, 3)->buffer, 0);
    assert_int_equal(sw_search_journal(search, 3)->other, 1);
    assert_int_equal(sw_layout_check(sw_search_layout(search), NULL, NULL), 1);
    struct sw_explanation e = {0};
    explain(search, "place", "late", &e);
    expect_candidate(&e, 0, "chosen", 5, 10,
                     "as the plan says, where another block lies: it overlaps a");
    sw_explanation_done(&e);
    struct sw_error error = {0};
    struct sw_override forbid = {.kind = SW_OVERRIDE_FORBID, .buffer = SW_NONE, .lo = 0, .hi = 100};
    assert_false(sw_search_force(search, &forbid, &error));
    assert_int_equal(error.code, SW_ERROR_UNSUPPORTED);
    sw_search_free(search);
    sw_problem_unref(problem);

    rows[2].offset = -1;
    problem = FROM(rows);
    assert_false(sw_planner_applies(sw_planner_find("as-built", NULL), problem, &error));
    assert_string_equal(
        error.message,
        "as-built needs a finished plan, and not every buffer of this file has an offset");
    sw_problem_unref(problem);
}

/* ---- auto ---- */

static const struct sw_decision *last_decision(const struct sw_search *search) {
    return sw_search_journal(search, sw_search_known(search));
}

/* Only best-fit and lifetime-best-fit are not last; the winner is repeated at the end. */
static void auto_takes_the_best(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 1, 4, 5), ROW("b", 1, 6, 3), ROW("c", 1, 6, 4),
                                      ROW("d", 2, 3, 2), ROW("e", 5, 6, 1), ROW("f", 5, 6, 6)};
    struct sw_problem *problem = FROM(rows);
    uint64_t best = UINT64_MAX;
    static const char *const planners[] = {"first-fit", "best-fit", "lifetime-best-fit",
                                           "greedy-by-size", "greedy-by-breadth"};
    for (size_t i = 0; i < 5; i++) {
        struct sw_search *search = run(problem, planners[i]);
        best = peak(search) < best ? peak(search) : best;
        sw_search_free(search);
    }
    struct sw_search *search = run(problem, "auto");
    assert_int_equal(peak(search), best);
    const struct sw_decision *end = last_decision(search);
    assert_int_equal(end->kind, SW_DECISION_FINISH);
    assert_int_equal(end->amount, best);
    uint32_t evaluations = 0;
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        evaluations += sw_search_journal(search, i)->kind == SW_DECISION_EVALUATE;
    }
    assert_true(best > sw_problem_lower_bound(problem));
    assert_int_equal(evaluations, 5);
    assert_string_equal(end->reason, "greedy-by-size wins: the best of all planners that apply");
    /* The last group is the winner's own run, in its own order: the largest first. */
    const struct sw_decision *first = NULL;
    for (uint64_t i = sw_search_known(search) - 1;
         sw_search_journal(search, i)->group == end->group; i--) {
        first = sw_search_journal(search, i);
    }
    assert_int_equal(first->buffer, 5);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void auto_stops_at_the_bound_or_the_budget(void **state) {
    (void)state;
    static const struct row easy[] = {ROW("a", 0, 1, 5), ROW("b", 1, 2, 3)};
    struct sw_problem *problem = FROM(easy);
    struct sw_search *search = run(problem, "auto");
    assert_int_equal(sw_search_known(search), 4); /* two places, evaluate, finish */
    assert_string_equal(last_decision(search)->reason,
                        "greedy-by-size wins: it meets the lower bound");
    sw_search_free(search);
    sw_problem_unref(problem);

    static const struct row rows[] = {ROW("a", 1, 4, 5), ROW("b", 1, 6, 3), ROW("c", 1, 6, 4),
                                      ROW("d", 2, 3, 2), ROW("e", 5, 6, 1), ROW("f", 5, 6, 6)};
    problem = FROM(rows);
    struct sw_params params = SW_PARAMS_DEFAULT;
    params.work = 1;
    search = search_for(problem, "auto", &params);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    assert_int_equal(sw_search_known(search),
                     8); /* one member, though over budget; no repetition */
    assert_int_equal(peak(search), 15);
    assert_string_equal(last_decision(search)->reason,
                        "greedy-by-size wins: the best when the budget of work was spent");
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void auto_obeys(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 1, 4, 5), ROW("b", 1, 6, 3), ROW("c", 1, 6, 4),
                                      ROW("d", 2, 3, 2), ROW("e", 5, 6, 1), ROW("f", 5, 6, 6)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *whole = run(problem, "auto");
    uint64_t steps = sw_search_known(whole);
    for (uint64_t at = 0; at <= steps; at++) {
        struct sw_search *search = sw_search_fork(whole, NULL);
        assert_true(sw_search_seek(search, at, NULL));
        struct sw_override pin = pin_at(3, 30);
        struct sw_override forbid = {.kind = SW_OVERRIDE_FORBID, .buffer = 4, .lo = 0, .hi = 20};
        assert_true(sw_search_force(search, &pin, NULL));
        bool forbidden = sw_search_force(search, &forbid, NULL); /* not when e is placed there */
        assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
        assert_int_equal(offset_of(search, "d"), 30);
        if (forbidden) {
            assert_true(offset_of(search, "e") >= 20);
        }
        assert_int_equal(sw_layout_check(sw_search_layout(search), NULL, NULL), 0);
        assert_int_equal(last_decision(search)->kind, SW_DECISION_FINISH);
        sw_search_free(search);
    }
    sw_search_free(whole);
    sw_problem_unref(problem);
}

/* A pin made in the middle of the winner's run is made again at the same place when it is repeated,
 * and nothing may be demanded before that place. */
static void auto_repeats_demands(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 1, 4, 5), ROW("b", 1, 6, 3), ROW("c", 1, 6, 4),
                                      ROW("d", 2, 3, 2), ROW("e", 5, 6, 1), ROW("f", 5, 6, 6)};
    struct sw_problem *problem = FROM(rows);
    struct sw_error error = {0};
    struct sw_search *search = run(problem, "auto");
    assert_true(sw_search_seek(search, 3, NULL));
    struct sw_override pin = pin_at(3, 13); /* where greedy-by-size puts it in any case */
    assert_true(sw_search_force(search, &pin, NULL));
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    assert_int_equal(peak(search), 15);
    const struct sw_decision *end = last_decision(search);
    assert_string_equal(end->reason, "greedy-by-size wins: the best of all planners that apply");
    assert_int_equal(end->group, 5);
    uint64_t begin = end->step - 6; /* six decisions of the repetition, then this one */
    assert_int_equal(sw_search_journal(search, begin)->group, 5);
    assert_int_equal(sw_search_journal(search, begin - 1)->kind, SW_DECISION_EVALUATE);

    assert_true(sw_search_seek(search, begin + 1, NULL));
    struct sw_override other = pin_at(4, 20);
    assert_false(sw_search_force(search, &other, &error));
    assert_int_equal(error.code, SW_ERROR_UNSUPPORTED);
    assert_string_equal(error.message,
                        "auto is repeating a run of greedy-by-size with demands that are still to "
                        "come; make this one after them");
    assert_true(sw_search_seek(search, begin + 3, NULL));
    assert_true(sw_search_force(search, &other, &error));
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    assert_int_equal(offset_of(search, "e"), 20);
    assert_int_equal(offset_of(search, "d"), 13);
    assert_string_equal(last_decision(search)->reason,
                        "greedy-by-size won, and was then changed on request");
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* A choice in a member's run belongs to its result. */
static void auto_explains_what_it_ran(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 1, 4, 5), ROW("b", 1, 6, 3), ROW("c", 1, 6, 4),
                                      ROW("d", 2, 3, 2), ROW("e", 5, 6, 1), ROW("f", 5, 6, 6)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "auto");
    struct sw_explanation e = {0};
    assert_true(sw_search_explain(search, sw_search_known(search), &e, NULL));
    assert_int_equal(e.candidates.count, 5);
    expect_candidate(&e, 0, "chosen", 0, 15,
                     "greedy-by-size: needs 15 B, 1 B over the lower bound");
    expect_candidate(&e, 3, "fits", 0, 18, "first-fit: needs 18 B, 4 B over the lower bound");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- the table and parameters ---- */

static void what_planners_need(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 0, 1, 5)};
    struct sw_problem *list = FROM(rows), *graph = example_1(), *tiers = two_tiers(100, 200);
    struct sw_planner planner = {.name = "sample", .needs = SW_NEEDS_OPERATORS};
    struct sw_error error = {0};
    assert_true(sw_planner_applies(&planner, graph, &error));
    assert_false(sw_planner_applies(&planner, list, &error));
    assert_int_equal(error.code, SW_ERROR_UNSUPPORTED);
    assert_string_equal(error.message,
                        "sample needs operators, and this is a list of buffers without any");
    planner.needs = SW_NEEDS_TIERS;
    assert_true(sw_planner_applies(&planner, tiers, &error));
    assert_false(sw_planner_applies(&planner, list, &error));
    assert_string_equal(error.message, "sample needs several memory tiers, or one with a bandwidth, and "
                        "there is one without");
    planner.needs = SW_NEEDS_CAPACITY;
    assert_true(sw_planner_applies(&planner, tiers, &error));
    assert_false(sw_planner_applies(&planner, list, &error));
    assert_string_equal(error.message,
                        "sample needs a limited capacity of the first tier, and none is "
                        "given");
    sw_problem_unref(list);
    sw_problem_unref(graph);
    sw_problem_unref(tiers);
}

static void levels(void **state) {
    (void)state;
    static const char *const names[] = {"event", "decision", "operator", "group", "run"};
    for (unsigned i = 0; i < SW_LEVEL_COUNT; i++) {
        enum sw_level level;
        assert_string_equal(sw_level_name((enum sw_level)i), names[i]);
        assert_true(sw_level_parse(names[i], &level));
        assert_int_equal(level, i);
    }
    enum sw_level level;
    assert_false(sw_level_parse("step", &level));
}

static void finding_planners(void **state) {
    (void)state;
    struct sw_error error = {0};
    assert_string_equal(sw_planner_find("first", NULL)->name, "first-fit");
    assert_string_equal(sw_planner_find("auto", NULL)->name, "auto");
    assert_string_equal(sw_planner_find("greedy-by-s", NULL)->name, "greedy-by-size");
    assert_null(sw_planner_find("greedy", &error));
    assert_string_equal(error.message,
                        "'greedy' may mean any of the planners greedy-by-size, greedy-by-breadth");
    assert_null(sw_planner_find("nope", &error));
    assert_int_equal(error.code, SW_ERROR_USAGE);
    for (size_t i = 0; i < sw_planner_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        assert_non_null(strstr(error.message, planner->name));
        assert_ptr_equal(sw_planner_find(planner->name, NULL), planner);
        assert_non_null(planner->summary);
    }
    assert_null(sw_planner_find("", &error));
    assert_null(sw_planner_get(sw_planner_count()));
}

enum { CHOICE_COUNT = 3 };
static const char *const colours[CHOICE_COUNT] = {"red", "green", NULL};
static const struct sw_parameter sample[] = {
    {.name = "flag", .type = SW_PARAMETER_BOOL, .fallback = "true"},
    {.name = "count", .type = SW_PARAMETER_INTEGER, .fallback = "7", .lowest = 1, .highest = 100},
    {.name = "rate", .type = SW_PARAMETER_NUMBER, .fallback = "0.5", .lowest = 0, .highest = 1},
    {.name = "colour", .type = SW_PARAMETER_CHOICE, .fallback = "green", .choices = colours},
    {0}};
static const struct sw_planner sampler = {.name = "sampler", .parameters = sample};

static void expect_refused(const char *key, const char *value, const char *message) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    assert_true(sw_params_set(&params, key, value, NULL));
    assert_false(sw_params_check(&params, &sampler, &error));
    assert_int_equal(error.code, SW_ERROR_USAGE);
    assert_string_equal(error.message, message);
    sw_params_done(&params);
}

static void parameters(void **state) {
    (void)state;
    struct sw_params params = SW_PARAMS_DEFAULT, copy;
    assert_true(sw_params_bool(&params, &sampler, "flag"));
    assert_int_equal(sw_params_integer(&params, &sampler, "count"), 7);
    assert_true(sw_params_number(&params, &sampler, "rate") == 0.5);
    assert_string_equal(sw_params_text(&params, &sampler, "colour"), "green");
    assert_true(sw_params_set(&params, "flag", "true", NULL));
    assert_true(sw_params_set(&params, "flag", "false", NULL));
    assert_true(sw_params_set(&params, "count", "100", NULL));
    assert_true(sw_params_set(&params, "rate", "0.25", NULL));
    assert_true(sw_params_set(&params, "colour", "red", NULL));
    assert_int_equal(params.settings.count, 4);
    assert_true(sw_params_check(&params, &sampler, NULL));
    assert_true(sw_params_copy(&copy, &params));
    sw_params_done(&params);
    assert_false(sw_params_bool(&copy, &sampler, "flag"));
    assert_int_equal(sw_params_integer(&copy, &sampler, "count"), 100);
    assert_true(sw_params_number(&copy, &sampler, "rate") == 0.25);
    assert_string_equal(sw_params_text(&copy, &sampler, "colour"), "red");
    sw_params_done(&copy);

    expect_refused("flag", "yes", "parameter flag of sampler must be true or false, not 'yes'");
    expect_refused("count", "101",
                   "parameter count of sampler must be a whole number from 1 to 100, not '101'");
    expect_refused("count", "7x",
                   "parameter count of sampler must be a whole number from 1 to 100, not '7x'");
    expect_refused("rate", "nan",
                   "parameter rate of sampler must be a number from 0 to 1, not 'nan'");
    expect_refused("colour", "blue",
                   "parameter colour of sampler must be one of red, green, not 'blue'");
    expect_refused("size", "1",
                   "sampler has no parameter 'size'; it has flag, count, rate, colour");
    struct sw_error error = {0};
    assert_false(sw_params_set(&params, "", "1", &error));
    assert_false(
        sw_params_set(&params, "a-key-that-is-much-longer-than-any-parameter", "1", &error));
    static const struct row rows[] = {ROW("a", 0, 1, 5)};
    struct sw_problem *problem = FROM(rows);
    assert_true(sw_params_set(&params, "x", "1", NULL));
    assert_null(sw_search_new(problem, sw_planner_find("first-fit", NULL), &params, &error));
    assert_string_equal(error.message, "first-fit has no parameter 'x'; it has none");
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* ---- nothing to do, and little ---- */

static void small_problems(void **state) {
    (void)state;
    static const struct row none[] = {ROW("z", 3, 3, 0)};
    static const struct row one[] = {ROW("z", 3, 3, 8)};
    for (size_t i = 0; i < sw_planner_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        for (int empty = 0; empty < 2; empty++) {
            struct sw_problem *problem = empty ? FROM(none) : FROM(one);
            if (sw_planner_applies(planner, problem, NULL)) {
                struct sw_search *search = run(problem, planner->name);
                EXPECT(search, 0);
                bool rounds = strcmp(planner->name, "tflm-greedy") == 0;
                assert_int_equal(peak(search), empty ? 0 : rounds ? 16 : 8);
                sw_search_free(search);
            }
            sw_problem_unref(problem);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lifetime_best_fit_example_1),
        cmocka_unit_test(lifetime_best_fit_tells_all),
        cmocka_unit_test(lifetime_best_fit_explains),
        cmocka_unit_test(lifetime_best_fit_example_2),
        cmocka_unit_test(orders_matter),
        cmocka_unit_test(pisarchyk_and_lee),
        cmocka_unit_test(best_fit_extends_a_free_last_block),
        cmocka_unit_test(greedy_by_breadth_takes_the_tightest_step_first),
        cmocka_unit_test(greedy_takes_the_smallest_gap),
        cmocka_unit_test(explanation_says_what_is_in_the_way),
        cmocka_unit_test(alignment),
        cmocka_unit_test(grow_rounds_to_what_moves),
        cmocka_unit_test(grow_spares_pinned_blocks),
        cmocka_unit_test(grow_takes_the_next_largest),
        cmocka_unit_test(keep_outputs),
        cmocka_unit_test(holes_and_windows),
        cmocka_unit_test(permits_are_used_and_recorded),
        cmocka_unit_test(tiers_from_high_to_low),
        cmocka_unit_test(above_the_capacity),
        cmocka_unit_test(pins),
        cmocka_unit_test(a_broken_pin_is_infeasible),
        cmocka_unit_test(demands),
        cmocka_unit_test(another_block_grows_on_request),
        cmocka_unit_test(as_built),
        cmocka_unit_test(auto_takes_the_best),
        cmocka_unit_test(auto_stops_at_the_bound_or_the_budget),
        cmocka_unit_test(auto_obeys),
        cmocka_unit_test(auto_repeats_demands),
        cmocka_unit_test(auto_explains_what_it_ran),
        cmocka_unit_test(as_built_says_what_is_wrong),
        cmocka_unit_test(long_names_are_cut_at_a_character),
        cmocka_unit_test(what_planners_need),
        cmocka_unit_test(levels),
        cmocka_unit_test(finding_planners),
        cmocka_unit_test(parameters),
        cmocka_unit_test(small_problems),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
