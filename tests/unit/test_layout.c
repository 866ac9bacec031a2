/* Layouts: clones, spans, free spaces, faults, metrics. */
#include "unit/unit.h"
#include "faults.h"

#include <string.h>

static struct sw_layout *new_layout(const struct sw_problem *problem) {
    struct sw_layout *layout = sw_layout_new(problem, NULL);
    assert_non_null(layout);
    return layout;
}

struct seen {
    struct sw_fault faults[64];
    size_t count;
};

static void see(void *context, const struct sw_fault *fault) {
    struct seen *seen = context;
    if (seen->count < 64) {
        seen->faults[seen->count] = *fault;
    }
    seen->count++;
}

static size_t faults_of(const struct sw_layout *layout, struct seen *seen) {
    seen->count = 0;
    size_t count = sw_fault_count(layout, see, seen);
    assert_int_equal(count, seen->count);
    return count;
}

static void placing_and_cloning(void **state) {
    (void)state;
    const int64_t rows[][3] = {{0, 3, 100}, {1, 2, 50}, {2, 4, 25}};
    struct sw_problem *problem = plain_problem(rows, 3);
    struct sw_layout *a = new_layout(problem);
    uint64_t empty = sw_layout_digest(a);
    assert_true(sw_layout_place(a, 0, 0, 0));
    assert_true(sw_layout_place(a, 1, 0, 100));
    uint64_t two = sw_layout_digest(a);
    struct sw_layout *b = sw_layout_clone(a, NULL);
    assert_true(sw_layout_digest(b) == two);
    assert_true(sw_layout_place(b, 2, 0, 150));
    assert_false(sw_layout_placed(a, 2));
    assert_int_equal(sw_layout_peak(a), 150);
    assert_int_equal(sw_layout_peak(b), 175);
    assert_int_equal(sw_layout_placed_count(b), 3);
    assert_true(sw_layout_lift(b, 2));
    sw_layout_set_arena(b, 0, 150);
    assert_true(sw_layout_digest(b) == two);
    assert_true(sw_layout_lift(a, 1) && sw_layout_lift(a, 0));
    sw_layout_set_arena(a, 0, 0);
    assert_true(sw_layout_digest(a) == empty);
    sw_layout_free(a);
    sw_layout_free(b);
    sw_problem_unref(problem);
}

static void metrics_of_a_layout(void **state) {
    (void)state;
    const int64_t rows[][3] = {{0, 1, 100}, {1, 2, 60}, {2, 3, 100}};
    struct sw_problem *problem = plain_problem(rows, 3);
    struct sw_layout *layout = new_layout(problem);
    sw_layout_place(layout, 0, 0, 0);
    sw_layout_place(layout, 1, 0, 100);
    struct sw_metrics m;
    sw_metrics_of(layout, &m);
    assert_false(m.complete);
    sw_layout_place(layout, 2, 0, 160);
    sw_metrics_of(layout, &m);
    assert_true(m.complete && m.fits && m.single_tier);
    assert_int_equal(m.peak, 260);
    assert_int_equal(m.lower_bound, 160);
    assert_int_equal(m.naive, 260);
    assert_true(m.fragmentation > 0.3846 && m.fragmentation < 0.3847); /* 1 - 160/260 */
    assert_true(m.reuse > 0.999 && m.reuse < 1.001);
    assert_int_equal(sw_layout_at_peak(layout, 0), 2);
    sw_layout_free(layout);
    sw_problem_unref(problem);
}

/* Every kind of fault, in a sentence. */
static void faults_are_named(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    struct sw_tier sram = {.name = "sram", .capacity = 100}, dram = {.name = "dram", .capacity = SW_UNBOUNDED};
    assert_true(sw_builder_tier(builder, &sram, NULL) && sw_builder_tier(builder, &dram, NULL));
    assert_true(sw_builder_reserve(builder, "sram", 0, 8, NULL));
    const char *names[] = {"missing", "alone", "crooked", "high", "low", "x", "y", "pinned"};
    for (int i = 0; i < 8; i++) {
        struct sw_buffer_spec spec = {.name = names[i],
                                      .kind = SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = 10,
                                      .has_first = true,
                                      .has_last = true,
                                      .first = i * 10,
                                      .last = i * 10 + 5};
        spec.tier = i == 1 ? "sram" : NULL;
        spec.alignment = i == 2 ? 16 : 0;
        spec.first = i == 6 ? 53 : spec.first;
        spec.last = i == 6 ? 60 : spec.last;
        spec.has_offset = i == 7;
        spec.offset = 32;
        assert_true(sw_builder_buffer(builder, &spec, NULL));
    }
    struct sw_problem *problem = must_finish(builder);
    struct sw_layout *layout = new_layout(problem);
    sw_layout_place(layout, 1, 1, 0);
    sw_layout_place(layout, 2, 0, 24);
    sw_layout_place(layout, 3, 0, 91);
    sw_layout_place(layout, 4, 0, 7);
    sw_layout_place(layout, 5, 0, 20);
    sw_layout_place(layout, 6, 0, 29);
    sw_layout_place(layout, 7, 0, 40);
    const char *want[] = {
        "missing has no place at time 0",
        "alone may not live in tier dram",
        "crooked lies at sram+24, which is not a multiple of its alignment 16",
        "high ends at sram+101, above the capacity of 100",
        "low touches reserved bytes 7..8 of sram",
        "x and y share bytes 29..30 of sram at time 53",
        "pinned lies at sram+40 but is pinned at 32",
    };
    struct seen seen;
    assert_int_equal(faults_of(layout, &seen), 7);
    for (int i = 0; i < 7; i++) {
        char text[200];
        sw_fault_describe(problem, &seen.faults[i], text, sizeof text);
        assert_string_equal(text, want[i]);
    }
    sw_layout_free(layout);
    sw_problem_unref(problem);
}

/* The sweep against all pairs, on random layouts with holes and windows. */
static void the_sweep_agrees_with_all_pairs(void **state) {
    (void)state;
    uint64_t random = 5;
    size_t faulty = 0, clean = 0;
    for (int round = 0; round < 500; round++) {
        struct sw_builder *builder = sw_builder_new(NULL);
        uint32_t count = 2 + (uint32_t)sw_random_below(&random, 9);
        for (uint32_t i = 0; i < count; i++) {
            char name[16];
            snprintf(name, sizeof name, "b%u", i);
            uint64_t size = sw_random_below(&random, 10);
            struct sw_piece_spec pieces[3];
            size_t pieces_count = size == 0 ? 0 : (size_t)sw_random_below(&random, 4);
            for (size_t k = 0; k < pieces_count; k++) {
                int64_t first = (int64_t)sw_random_below(&random, 12);
                uint64_t lo = sw_random_below(&random, size);
                pieces[k] = (struct sw_piece_spec){first, first + (int64_t)sw_random_below(&random, 4), lo,
                                                   lo + 1 + sw_random_below(&random, size - lo)};
            }
            int64_t first = (int64_t)sw_random_below(&random, 12);
            struct sw_buffer_spec spec = {.name = name,
                                          .kind = SW_KIND_INTERMEDIATE,
                                          .has_size = true,
                                          .size = size,
                                          .pieces = pieces,
                                          .piece_count = pieces_count,
                                          .has_first = true,
                                          .has_last = true,
                                          .first = first,
                                          .last = first + (int64_t)sw_random_below(&random, 4)};
            assert_true(sw_builder_buffer(builder, &spec, NULL));
        }
        struct sw_problem *problem = must_finish(builder);
        struct sw_layout *layout = new_layout(problem);
        uint64_t offsets[16];
        for (uint32_t i = 0; i < count; i++) {
            offsets[i] = sw_random_below(&random, 60);
            sw_layout_place(layout, i, 0, offsets[i]);
        }
        size_t pairs = 0;
        for (uint32_t a = 0; a < count; a++) {
            for (uint32_t b = a + 1; b < count; b++) {
                const struct sw_buffer *x = sw_problem_buffer(problem, a);
                const struct sw_buffer *y = sw_problem_buffer(problem, b);
                bool overlap = false;
                for (uint32_t i = 0; i < x->piece_count; i++) {
                    for (uint32_t k = 0; k < y->piece_count; k++) {
                        const struct sw_piece *p = &x->pieces[i], *q = &y->pieces[k];
                        overlap |= p->first <= q->last && q->first <= p->last && p->lo < p->hi && q->lo < q->hi &&
                                   offsets[a] + p->lo < offsets[b] + q->hi && offsets[b] + q->lo < offsets[a] + p->hi;
                    }
                }
                pairs += overlap;
            }
        }
        struct seen seen;
        assert_int_equal(faults_of(layout, &seen), pairs);
        *(pairs ? &faulty : &clean) += 1;
        sw_layout_free(layout);
        sw_problem_unref(problem);
    }
    assert_true(faulty > 50 && clean > 50); /* the generator reaches both */
}

static struct sw_problem *relu_problem(bool safe) {
    struct sw_builder *builder = sw_builder_new(NULL);
    const char *names[] = {"x", "y", "z"};
    for (int i = 0; i < 3; i++) {
        struct sw_buffer_spec spec = {.name = names[i],
                                      .kind = (enum sw_kind[]){SW_KIND_INPUT, SW_KIND_INTERMEDIATE, SW_KIND_OUTPUT}[i],
                                      .has_size = true,
                                      .size = 8};
        assert_true(sw_builder_buffer(builder, &spec, NULL));
    }
    for (int i = 0; i < 2; i++) {
        struct sw_operator_spec op = {.name = i ? "q" : "p",
                                      .inputs = &names[i],
                                      .input_count = 1,
                                      .outputs = &names[i + 1],
                                      .output_count = 1,
                                      .inplace = i ? SW_INPLACE_NO : SW_INPLACE_ANY};
        assert_true(sw_builder_operator(builder, &op, NULL));
    }
    sw_builder_inplace(builder, safe);
    return must_finish(builder);
}

/* An overlap is legal when the graph marks the operator in-place and both start at the same offset,
 * whatever --inplace says; what the layout lists makes none legal. */
static void permits_are_checked(void **state) {
    (void)state;
    struct seen seen;
    for (int safe = 0; safe < 2; safe++) {
        struct sw_problem *problem = relu_problem(safe);
        struct sw_layout *layout = new_layout(problem);
        sw_layout_place(layout, 0, 0, 0);
        sw_layout_place(layout, 1, 0, 0);
        sw_layout_place(layout, 2, 0, 8);
        assert_int_equal(faults_of(layout, &seen), 0);
        sw_layout_place(layout, 1, 0, 4); /* not at the same offset, and over z */
        assert_int_equal(faults_of(layout, &seen), 2);
        assert_true(sw_layout_permit(layout, &(struct sw_permit){1, 0, 0}));
        assert_true(sw_layout_permit(layout, &(struct sw_permit){1, 2, 1}));
        assert_int_equal(faults_of(layout, &seen), 2);
        sw_layout_free(layout);
        sw_problem_unref(problem);
    }
}

static void spans_need_transfers(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    struct sw_tier sram = {.name = "sram", .capacity = 10}, dram = {.name = "dram", .capacity = SW_UNBOUNDED};
    assert_true(sw_builder_tier(builder, &sram, NULL) && sw_builder_tier(builder, &dram, NULL));
    add_plain(builder, "a", 0, 9, 10);
    add_plain(builder, "b", 4, 6, 10);
    for (int64_t t = 0; t < 10; t++) { /* so that time and steps agree */
        char name[8];
        snprintf(name, sizeof name, "t%d", (int)t);
        add_plain(builder, name, t, t, 0);
    }
    struct sw_problem *problem = must_finish(builder);
    struct sw_layout *layout = new_layout(problem);
    for (uint32_t i = 2; i < 12; i++) {
        sw_layout_place(layout, i, 0, 0);
    }
    struct seen seen;
    sw_layout_place(layout, 1, 0, 0);
    assert_true(sw_layout_place_span(layout, &(struct sw_placement){0, 0, 0, {0, 3}}));
    assert_true(sw_layout_place_span(layout, &(struct sw_placement){0, 1, 0, {4, 6}}));
    assert_int_equal(faults_of(layout, &seen), 2); /* no transfer; nowhere from 7 on */
    assert_true(sw_layout_place_span(layout, &(struct sw_placement){0, 0, 0, {7, 9}}));
    assert_true(sw_layout_transfer(layout, &(struct sw_transfer){0, 4, 0, 1}));
    assert_true(sw_layout_transfer(layout, &(struct sw_transfer){0, 7, 1, 0}));
    assert_int_equal(faults_of(layout, &seen), 0);
    struct sw_placement at;
    assert_true(sw_layout_at(layout, 0, 5, &at));
    assert_int_equal(at.tier, 1);
    sw_layout_free(layout);
    sw_problem_unref(problem);
}

static void gaps_are_what_a_buffer_sees(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    add_plain(builder, "low", 0, 9, 10);
    add_plain(builder, "high", 0, 9, 10);
    add_plain(builder, "gone", 0, 2, 100);
    struct sw_buffer_spec spec = {.name = "new",
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = 8,
                                  .alignment = 8,
                                  .has_first = true,
                                  .has_last = true,
                                  .first = 5,
                                  .last = 9};
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    struct sw_problem *problem = must_finish(builder);
    struct sw_layout *layout = new_layout(problem);
    sw_layout_place(layout, 0, 0, 5);
    sw_layout_place(layout, 1, 0, 30);
    sw_layout_place(layout, 2, 0, 0);
    struct sw_gaps gaps = {0};
    struct sw_rules rules = {0};
    assert_true(sw_gaps_find(&gaps, layout, &rules, 3, SW_WHOLE_LIFE, 0, SW_UNBOUNDED));
    const struct sw_gap want[] = {{0, 5, 0, SW_NONE, 0}, {15, 30, 16, 0, 1}, {40, SW_UNBOUNDED, 40, 1, SW_NONE}};
    assert_int_equal(gaps.gaps.count, 3);
    for (int i = 0; i < 3; i++) {
        assert_memory_equal(&gaps.gaps.items[i], &want[i], sizeof want[i]);
        assert_int_equal(sw_gap_fits(&want[i], 8), i > 0);
    }
    assert_int_equal(gaps.live, 20);
    assert_true(SW_PUSH(&rules.forbids, (struct sw_forbid){SW_NONE, 0, 16, 24}));
    assert_true(SW_PUSH(&rules.pins, (struct sw_pin){2, 0, 500}));
    assert_true(sw_gaps_find(&gaps, layout, &rules, 3, SW_WHOLE_LIFE, 0, 44));
    assert_int_equal(gaps.gaps.count, 4);
    assert_int_equal(gaps.gaps.items[2].lo, 24);
    assert_int_equal(gaps.gaps.items[3].hi, 44);
    bool is_free;
    uint32_t blocker;
    assert_true(sw_gaps_blocker(&gaps, layout, &rules, 3, SW_WHOLE_LIFE, 0, 26, &is_free, &blocker));
    assert_false(is_free);
    assert_int_equal(blocker, 1);
    sw_rules_done(&rules);
    sw_gaps_done(&gaps);
    uint64_t padding;
    sw_layout_place(layout, 3, 0, 16);
    assert_true(sw_layout_padding(layout, &padding));
    assert_int_equal(padding, 1);
    sw_layout_free(layout);
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(placing_and_cloning),
        cmocka_unit_test(metrics_of_a_layout),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(the_sweep_agrees_with_all_pairs),
        cmocka_unit_test(permits_are_checked),
        cmocka_unit_test(spans_need_transfers),
        cmocka_unit_test(gaps_are_what_a_buffer_sees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
