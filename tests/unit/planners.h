/* What the tests of planners share: problems from rows or operators, runs, and what to expect of
 * them. */
#ifndef SW_UNIT_PLANNERS_H
#define SW_UNIT_PLANNERS_H

#include "unit/unit.h"
#include "faults.h"

#include <string.h>

/* ---- making problems and running them ---- */

struct row {
    const char *name;
    int64_t first, last; /* closed */
    uint64_t size, alignment;
    const char *tier;
    int64_t offset; /* -1: none */
};
#define ROW(n, f, l, s) \
    { .name = (n), .first = (f), .last = (l), .size = (s), .alignment = 1, .offset = -1 }

static inline void add_row(struct sw_builder *builder, const struct row *row) {
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

static inline struct sw_problem *from_rows(const struct row *rows, size_t count) {
    struct sw_builder *builder = sw_builder_new(NULL);
    for (size_t i = 0; i < count; i++) {
        add_row(builder, &rows[i]);
    }
    return must_finish(builder);
}
#define FROM(rows) from_rows((rows), sizeof(rows) / sizeof(rows)[0])

static inline void add_operator(struct sw_builder *builder, const char *name, const char *output,
                                const char *const *inputs, size_t count) {
    struct sw_error error = {0};
    struct sw_operator_spec spec = {
        .name = name, .inputs = inputs, .input_count = count, .outputs = &output, .output_count = 1};
    if (!sw_builder_operator(builder, &spec, &error)) {
        fail_msg("%s", error.message);
    }
}

static inline void add_buffer(struct sw_builder *builder, const char *name, enum sw_kind kind, uint64_t size) {
    struct sw_buffer_spec spec = {.name = name, .kind = kind, .has_size = true, .size = size};
    assert_true(sw_builder_buffer(builder, &spec, NULL));
}

static inline struct sw_search *search_for(const struct sw_problem *problem, const char *planner,
                                           const struct sw_params *params) {
    struct sw_error error = {0};
    const struct sw_planner *found = sw_planner_find(planner, &error);
    struct sw_search *search = found ? sw_search_new(problem, found, params, &error) : NULL;
    if (!search) {
        fail_msg("%s", error.message);
    }
    return search;
}

static inline struct sw_search *run(const struct sw_problem *problem, const char *planner) {
    struct sw_error error = {0};
    struct sw_search *search = search_for(problem, planner, NULL);
    if (sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("%s", error.message);
    }
    return search;
}

static inline uint64_t offset_of(const struct sw_search *search, const char *name) {
    struct sw_placement p;
    uint32_t buffer = sw_problem_find_buffer(sw_search_problem(search), name);
    assert_int_not_equal(buffer, SW_NONE);
    assert_true(sw_layout_placement(sw_search_layout(search), buffer, 0, &p));
    return p.offset;
}

static inline void expect_offsets(const struct sw_search *search, const uint64_t *offsets, size_t count) {
    for (uint32_t i = 0; i < count; i++) {
        struct sw_placement p;
        assert_true(sw_layout_placement(sw_search_layout(search), i, 0, &p));
        if (p.offset != offsets[i]) {
            fail_msg("buffer %u lies at %llu, not %llu", i, (unsigned long long)p.offset,
                     (unsigned long long)offsets[i]);
        }
    }
    assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
}
#define EXPECT(search, ...) \
    expect_offsets(search, (const uint64_t[]){__VA_ARGS__}, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static inline uint64_t peak(const struct sw_search *search) {
    return sw_layout_peak(sw_search_layout(search));
}

/* A plain figure of the summary. */
static inline int64_t detail_of(const struct sw_search *search, const char *key) {
    struct sw_details details = {0};
    int64_t value = -1;
    assert_true(sw_search_details(search, &details));
    for (size_t i = 0; i < details.items.count; i++) {
        if (strcmp(details.items.items[i].key, key) == 0) {
            value = details.items.items[i].integer;
        }
    }
    sw_details_done(&details);
    return value;
}

/* The whole of a planner's answer on rows. */
static inline void check_rows(const struct row *rows, size_t count, const char *planner, const uint64_t *offsets,
                              uint64_t wanted_peak) {
    struct sw_problem *problem = from_rows(rows, count);
    struct sw_search *search = run(problem, planner);
    expect_offsets(search, offsets, count);
    assert_int_equal(peak(search), wanted_peak);
    sw_search_free(search);
    sw_problem_unref(problem);
}
#define CHECK(rows, planner, peak, ...) \
    check_rows((rows), sizeof(rows) / sizeof(rows)[0], planner, (const uint64_t[]){__VA_ARGS__}, peak)

/* Step until the decision of this kind about this buffer; its explanation. */
static inline void explain(struct sw_search *search, const char *kind, const char *buffer,
                           struct sw_explanation *explanation) {
    uint32_t wanted = sw_problem_find_buffer(sw_search_problem(search), buffer);
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        if (d->buffer == wanted && strcmp(sw_decision_word((enum sw_decision_kind)d->kind), kind) == 0) {
            assert_true(sw_search_explain(search, i, explanation, NULL));
            return;
        }
    }
    fail_msg("there is no decision %s about %s", kind, buffer);
}

static inline void expect_candidate(const struct sw_explanation *explanation, size_t index, const char *verdict,
                                    uint64_t offset, uint64_t size, const char *reason) {
    assert_true(index < explanation->candidates.count);
    const struct sw_candidate *c = &explanation->candidates.items[index];
    assert_string_equal(sw_verdict_word(c->verdict), verdict);
    assert_int_equal(c->offset, offset);
    assert_int_equal(c->size, size);
    assert_string_equal(c->reason, reason);
}

static inline struct sw_override pin_at(uint32_t buffer, uint64_t offset) {
    return (struct sw_override){.kind = SW_OVERRIDE_PIN, .buffer = buffer, .offset = offset};
}

/* Six operators, each with one output. */
static inline struct sw_problem *example_1(void) {
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
    return must_finish(builder);
}

#endif
