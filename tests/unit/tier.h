/* What the tests of tier-search share: the worked example, and short ways to make problems, to run,
 * and to ask where things lie. */
#ifndef SW_TIER_H
#define SW_TIER_H

#include "unit.h"
#include "faults.h"

#include <math.h>
#include <string.h>

/* ---- short ways to make problems ---- */

struct op {
    const char *inputs[4], *scratch, *outputs[4];
    const char *core, *after;
};
struct block {
    const char *name;
    enum sw_kind kind;
    uint64_t size;
    const char *tier; /* given; NULL */
    uint64_t alignment;
};

static inline void add_ops(struct sw_builder *builder, const struct op *ops, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "op%zu", i);
        struct sw_operator_spec spec = {.name = name,
                                        .inputs = ops[i].inputs,
                                        .outputs = ops[i].outputs,
                                        .scratch = &ops[i].scratch,
                                        .scratch_count = ops[i].scratch != NULL,
                                        .core = ops[i].core,
                                        .after = &ops[i].after,
                                        .after_count = ops[i].after != NULL};
        while (spec.input_count < 4 && ops[i].inputs[spec.input_count]) {
            spec.input_count++;
        }
        while (spec.output_count < 4 && ops[i].outputs[spec.output_count]) {
            spec.output_count++;
        }
        assert_true(sw_builder_operator(builder, &spec, NULL));
    }
}

static inline void add_blocks(struct sw_builder *builder, const struct block *blocks, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct sw_buffer_spec spec = {.name = blocks[i].name,
                                      .kind = blocks[i].kind,
                                      .has_size = true,
                                      .size = blocks[i].size,
                                      .tier = blocks[i].tier,
                                      .alignment = blocks[i].alignment};
        assert_true(sw_builder_buffer(builder, &spec, NULL));
    }
}

static inline void add_tiers(struct sw_builder *builder, uint64_t first, uint64_t second) {
    const struct sw_tier tiers[] = {{"sram", first, 16, 1, 0}, {"dram", second, 4, 10, 0}};
    for (int i = 0; i < 2; i++) {
        assert_true(sw_builder_tier(builder, &tiers[i], NULL));
    }
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static inline struct sw_problem *make(uint64_t first, uint64_t second, const struct op *ops, size_t op_count,
                                      const struct block *blocks, size_t block_count) {
    struct sw_builder *builder = sw_builder_new(NULL);
    add_tiers(builder, first, second);
    add_ops(builder, ops, op_count);
    add_blocks(builder, blocks, block_count);
    return must_finish(builder);
}

static const struct op example_ops[] = {{{"w"}, NULL, {"h1"}, NULL, NULL},
                                        {{"h1"}, NULL, {"h2"}, NULL, NULL},
                                        {{"h2"}, NULL, {"h3"}, NULL, NULL},
                                        {{"w", "h3"}, NULL, {"y"}, NULL, NULL}};
static const struct block example_blocks[] = {{"w", SW_KIND_INPUT, 60, NULL, 0},
                                              {"h1", SW_KIND_INTERMEDIATE, 60, NULL, 0},
                                              {"h2", SW_KIND_INTERMEDIATE, 60, NULL, 0},
                                              {"h3", SW_KIND_INTERMEDIATE, 60, NULL, 0},
                                              {"y", SW_KIND_OUTPUT, 10, NULL, 0}};

/* The example of the specification. */
static inline struct sw_problem *example(void) {
    return make(100, 1024, example_ops, 4, example_blocks, 5);
}

/* ---- short ways to run ---- */

static inline struct sw_search *start_with(const struct sw_problem *problem, struct sw_params *params,
                                           const char *set) {
    struct sw_error error = {0};
    char copy[100], *save = NULL;
    snprintf(copy, sizeof copy, "%s", set);
    assert_true(sw_params_set(params, "overwrite", "any", NULL)); /* rule R6 to the letter, unless `set` says else */
    assert_true(sw_params_set(params, "choices", "plain", NULL)); /* the same */
    for (char *at = strtok_r(copy, "= ", &save); at; at = strtok_r(NULL, "= ", &save)) {
        assert_true(sw_params_set(params, at, strtok_r(NULL, "= ", &save), NULL));
    }
    struct sw_search *search = sw_search_new(problem, sw_planner_find("tier-search", NULL), params, &error);
    sw_params_done(params);
    if (!search) {
        fail_msg("%s", error.message);
    }
    return search;
}

/* set: "carry=false segment=2" */
static inline struct sw_search *start(const struct sw_problem *problem, const char *set) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    return start_with(problem, &params, set);
}

static inline void finish(struct sw_search *search) {
    struct sw_error error = {0};
    if (sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(sw_search_faults(search, NULL, NULL, NULL), 0);
}

static inline void stop_after_preconf(struct sw_search *search) {
    uint32_t planned = sw_problem_planned_count(sw_search_problem(search));
    assert_true(sw_search_seek(search, planned, NULL));
    assert_int_equal(sw_search_at(search), planned);
}

static inline uint32_t find(const struct sw_search *search, const char *name) {
    uint32_t buffer = sw_problem_find_buffer(sw_search_problem(search), name);
    assert_int_not_equal(buffer, SW_NONE);
    return buffer;
}

static inline void lies(const struct sw_search *search, const char *name, uint32_t tier, uint64_t offset) {
    struct sw_placement at;
    assert_true(sw_layout_placement(sw_search_layout(search), find(search, name), 0, &at));
    if (at.tier != tier || at.offset != offset) {
        fail_msg("%s lies at %u+%llu, not at %u+%llu", name, at.tier, (unsigned long long)at.offset, tier,
                 (unsigned long long)offset);
    }
}

static inline bool permitted(const struct sw_search *search, const char *fresh, const char *old) {
    const struct sw_layout *layout = sw_search_layout(search);
    for (size_t i = 0; i < sw_layout_permit_count(layout); i++) {
        struct sw_permit p = sw_layout_permit_get(layout, i);
        if (p.fresh == find(search, fresh) && p.old == find(search, old)) {
            return true;
        }
    }
    return false;
}

static inline size_t permits(const struct sw_search *search) {
    return sw_layout_permit_count(sw_search_layout(search));
}

static inline double cost_of(const struct sw_search *search) {
    struct sw_claims claims;
    sw_search_claims(search, &claims);
    return claims.cost;
}

/* Walk on until a decision of this kind (and action). */
static inline const struct sw_decision *walk_to(struct sw_search *search, enum sw_decision_kind kind,
                                                const char *action) {
    struct sw_error error = {0};
    while (sw_search_step(search, &error) == SW_STEP_MORE) {
        const struct sw_decision *d = sw_search_decision(search);
        if (sw_decision_is(d, kind) &&
            (!action || (sw_decision_action(d) && strcmp(sw_decision_action(d), action) == 0))) {
            return d;
        }
    }
    fail_msg("no such decision: %s", error.message);
    return NULL;
}

static inline const struct sw_candidate *candidate(const struct sw_explanation *e, uint32_t tier, uint64_t offset) {
    for (size_t i = 0; i < e->candidates.count; i++) {
        if (e->candidates.items[i].tier == tier && e->candidates.items[i].offset == offset) {
            return &e->candidates.items[i];
        }
    }
    fail_msg("no candidate at %u+%llu", tier, (unsigned long long)offset);
    return NULL;
}

#endif
