/* What the tests of segment-genetic and farthest-next-use share: small problems, runs, and
 * questions to them. */
#ifndef SW_TESTS_SEGMENT_PROBLEMS_H
#define SW_TESTS_SEGMENT_PROBLEMS_H

#include "unit.h"
#include "faults.h"

#include "planners/segments/segment_genetic.h"

#include <stdlib.h>
#include <string.h>

/* ---- making problems ---- */

static inline void add_object(struct sw_builder *builder, const char *name, uint64_t size, const int64_t *accesses,
                              size_t count) {
    struct sw_error error = {0};
    struct sw_buffer_spec spec = {.name = name,
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = size,
                                  .has_first = true,
                                  .has_last = true,
                                  .first = accesses[0],
                                  .last = accesses[count - 1],
                                  .accesses = accesses,
                                  .access_count = count,
                                  .has_accesses = true};
    if (!sw_builder_buffer(builder, &spec, &error)) {
        fail_msg("%s", error.message);
    }
}
#define AT(...) (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)

static inline struct sw_builder *device(uint64_t capacity) {
    struct sw_builder *builder = sw_builder_new(NULL);
    assert_true(sw_builder_tier(builder, &(struct sw_tier){.name = "device", .capacity = capacity}, NULL));
    return builder;
}

/* The example of the specification. */
static inline struct sw_problem *example(void) {
    struct sw_builder *builder = device(100);
    add_object(builder, "A", 50, AT(1, 7));
    add_object(builder, "B", 40, AT(2, 6));
    add_object(builder, "C", 30, AT(3, 5));
    add_object(builder, "D", 20, AT(4));
    add_object(builder, "E", 10, AT(8));
    return must_finish(builder);
}

struct choices {
    const char *key, *value;
};

static inline struct sw_search *search_with(const struct sw_problem *problem, const char *planner,
                                            const struct choices *choices) {
    struct sw_error error = {0};
    struct sw_params params = SW_PARAMS_DEFAULT;
    if (strcmp(planner, "segment-genetic") == 0) { /* the rules to the letter; other choices have tests of their own */
        assert_true(sw_params_set(&params, "choices", "plain", NULL));
    }
    for (; choices && choices->key; choices++) {
        assert_true(sw_params_set(&params, choices->key, choices->value, NULL));
    }
    struct sw_search *search = sw_search_new(problem, sw_planner_find(planner, NULL), &params, &error);
    sw_params_done(&params);
    if (!search) {
        fail_msg("%s", error.message);
    }
    return search;
}
#define SETTINGS(...)          \
    (const struct choices[]) { \
        __VA_ARGS__, {         \
            NULL, NULL         \
        }                      \
    }

static inline void print_fault(void *context, const struct sw_fault *fault) {
    char text[300];
    sw_fault_describe(context, fault, text, sizeof text);
    print_error("%s\n", text);
}

static inline void run(struct sw_search *search) {
    struct sw_error error = {0};
    if (sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("%s", error.message);
    }
    struct sw_claims claims;
    sw_search_claims(search, &claims);
    if (!claims.no_addresses &&
        sw_fault_count(sw_search_layout(search), print_fault, (void *)(uintptr_t)sw_search_problem(search)) != 0) {
        fail_msg("the layout is at fault");
    }
}

static inline uint64_t migration(const struct sw_search *search) {
    struct sw_claims claims;
    sw_search_claims(search, &claims);
    assert_true(claims.has_migration);
    return claims.migration_bytes;
}

/* A figure of the summary: of a buffer, or the k-th element of a list, or a plain one. */
static inline int64_t detail(const struct sw_search *search, const char *key, const char *buffer, size_t k) {
    struct sw_details details = {0};
    uint32_t id = buffer ? sw_problem_find_buffer(sw_search_problem(search), buffer) : SW_NONE;
    int64_t found = -1;
    assert_true(sw_search_details(search, &details));
    for (size_t i = 0; i < details.items.count; i++) {
        const struct sw_detail *d = &details.items.items[i];
        if (strcmp(d->key, key) == 0 && d->buffer == id && k-- == 0) {
            found = d->integer;
            break;
        }
    }
    sw_details_done(&details);
    return found;
}

/* The first decision of a kind, from 1; 0 when there is none. */
static inline uint64_t find(const struct sw_search *search, enum sw_decision_kind kind, uint64_t after) {
    for (uint64_t i = after + 1; i <= sw_search_known(search); i++) {
        if (sw_decision_is(sw_search_journal(search, i), kind)) {
            return i;
        }
    }
    return 0;
}

static inline uint64_t count_kind(const struct sw_search *search, enum sw_decision_kind kind) {
    uint64_t count = 0;
    for (uint64_t i = 0; (i = find(search, kind, i)) != 0;) {
        count++;
    }
    return count;
}

/* Fifty objects that take turns at random. */
static inline struct sw_problem *busy(uint64_t seed) {
    struct sw_builder *builder = device(300);
    for (int i = 0; i < 50; i++) {
        int64_t accesses[3];
        char name[16];
        for (int k = 0; k < 3; k++) {
            accesses[k] = (int64_t)(k * 50 + (i * 7 + k * 13) % 50);
        }
        snprintf(name, sizeof name, "o%d", i);
        add_object(builder, name, 5 + sw_random_below(&seed, 60), accesses, 3);
    }
    return must_finish(builder);
}

/* The example of rule 2, merging. */
static inline struct sw_problem *merge_example(void) {
    struct sw_builder *builder = device(1000);
    add_object(builder, "R1", 500, AT(1, 2, 5));
    add_object(builder, "R2", 400, AT(3, 4));
    add_object(builder, "R3", 300, AT(6));
    add_object(builder, "S1", 4, AT(7));
    add_object(builder, "S2", 5, AT(8, 10));
    add_object(builder, "S3", 6, AT(9));
    return must_finish(builder);
}

#endif
