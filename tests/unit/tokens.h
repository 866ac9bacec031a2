/* What the tests of token-sharing share: graphs in a few lines, and questions to a search. */
#ifndef SW_UNIT_TOKENS_H
#define SW_UNIT_TOKENS_H

#include "unit.h"
#include "faults.h"

#include <string.h>

/* ---- making graphs ---- */

/* A buffer in one line; dims: up to four, 0 ends them. */
struct tensor {
    const char *name;
    enum sw_kind kind;
    uint64_t size; /* 0 with dims: from the shape */
    enum sw_dtype dtype;
    uint64_t dims[4], alignment;
    const char *tier;
};
/* Arguments are names separated by blanks. */
struct node {
    const char *name, *inputs, *outputs, *scratch, *kind, *function, *core;
    bool inplace;
    enum sw_dtype dtype;
};

#define NODE(n, in, out, ...) \
    { .name = (n), .inputs = (in), .outputs = (out), __VA_ARGS__ }

enum { MOST = 8 };
struct names {
    char text[128];
    const char *list[MOST];
    size_t count;
};

static inline void split(struct names *n, const char *text) {
    n->count = 0;
    snprintf(n->text, sizeof n->text, "%s", text ? text : "");
    for (char *at = strtok(n->text, " "); at; at = strtok(NULL, " ")) {
        n->list[n->count++] = at;
    }
}

static inline void must(bool ok, const struct sw_error *error) {
    if (!ok) {
        fail_msg("%s", error->message);
    }
}

static inline void add_tensor(struct sw_builder *builder, const struct tensor *t) {
    struct sw_error error = {0};
    size_t dims = 0;
    while (dims < 4 && t->dims[dims]) {
        dims++;
    }
    struct sw_buffer_spec spec = {.name = t->name,
                                  .kind = t->kind,
                                  .dtype = t->dtype,
                                  .shape = t->dims,
                                  .shape_count = dims,
                                  .has_size = t->size || !dims,
                                  .size = t->size,
                                  .alignment = t->alignment,
                                  .tier = t->tier};
    must(sw_builder_buffer(builder, &spec, &error), &error);
}

static inline void add_node(struct sw_builder *builder, const struct node *n) {
    struct sw_error error = {0};
    struct names in, out, scratch;
    split(&in, n->inputs);
    split(&out, n->outputs);
    split(&scratch, n->scratch);
    struct sw_operator_spec spec = {.name = n->name,
                                    .kind = n->kind,
                                    .function = n->function,
                                    .core = n->core,
                                    .dtype = n->dtype,
                                    .inplace = n->inplace ? SW_INPLACE_ANY : SW_INPLACE_NO,
                                    .inputs = in.list,
                                    .input_count = in.count,
                                    .outputs = out.list,
                                    .output_count = out.count,
                                    .scratch = scratch.list,
                                    .scratch_count = scratch.count};
    must(sw_builder_operator(builder, &spec, &error), &error);
}

static inline struct sw_builder *begin(const struct tensor *tensors, size_t tensor_count, const struct node *nodes,
                                       size_t node_count) {
    struct sw_builder *builder = sw_builder_new(NULL);
    for (size_t i = 0; i < node_count; i++) {
        add_node(builder, &nodes[i]);
    }
    for (size_t i = 0; i < tensor_count; i++) {
        add_tensor(builder, &tensors[i]);
    }
    return builder;
}
#define BEGIN(tensors, nodes) \
    begin(tensors, sizeof(tensors) / sizeof(tensors)[0], nodes, sizeof(nodes) / sizeof(nodes)[0])

static inline void add_unit(struct sw_builder *builder, struct sw_unit_spec spec) {
    struct sw_error error = {0};
    must(sw_builder_unit(builder, &spec, &error), &error);
}

static inline void add_function(struct sw_builder *builder, const char *name, const char *unit) {
    struct sw_error error = {0};
    must(sw_builder_function(builder, name, unit, &error), &error);
}

/* ---- running and looking ---- */

static inline struct sw_search *search_for(struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_search *search = sw_search_new(problem, sw_planner_find("token-sharing", NULL), NULL, &error);
    must(search != NULL, &error);
    sw_problem_unref(problem);
    return search;
}

static inline void print_fault(void *context, const struct sw_fault *fault) {
    char text[200];
    sw_fault_describe(context, fault, text, sizeof text);
    print_message("%s\n", text);
}

static inline void check_layout(const struct sw_search *search) {
    assert_int_equal(sw_fault_count(sw_search_layout(search), print_fault, (void *)sw_search_problem(search)), 0);
    uint64_t sum = 0;
    for (uint32_t t = 0; t < sw_problem_tier_count(sw_search_problem(search)); t++) {
        sum += sw_layout_arena(sw_search_layout(search), t);
    }
    assert_true(sum >= sw_problem_lower_bound(sw_search_problem(search)));
}

static inline struct sw_search *run(struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_search *search = search_for(problem);
    if (sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("%s", error.message);
    }
    check_layout(search);
    return search;
}
#define RUN(tensors, nodes) run(must_finish(BEGIN(tensors, nodes)))

static inline uint32_t buffer(const struct sw_search *search, const char *name) {
    uint32_t b = sw_problem_find_buffer(sw_search_problem(search), name);
    assert_int_not_equal(b, SW_NONE);
    return b;
}

static inline int64_t detail(const struct sw_search *search, const char *key, uint32_t of) {
    struct sw_details details = {0};
    int64_t value = -1;
    assert_true(sw_search_details(search, &details));
    for (size_t i = 0; i < details.items.count; i++) {
        const struct sw_detail *d = &details.items.items[i];
        if (strcmp(d->key, key) == 0 && d->buffer == of) {
            value = d->integer;
        }
    }
    sw_details_done(&details);
    return value;
}

static inline int64_t id(const struct sw_search *search, const char *name) {
    return detail(search, "ids", buffer(search, name));
}

static inline uint64_t offset(const struct sw_search *search, const char *name) {
    struct sw_placement p;
    assert_true(sw_layout_placement(sw_search_layout(search), buffer(search, name), 0, &p));
    return p.offset;
}

static inline uint64_t size(const struct sw_search *search, const char *name) {
    return sw_problem_buffer(sw_search_problem(search), buffer(search, name))->size;
}

static inline uint64_t peak(const struct sw_search *search) {
    return sw_layout_peak(sw_search_layout(search));
}

/* The step of the decision of a kind about a buffer; 0: there is none. */
static inline uint64_t decided(const struct sw_search *search, const char *kind, const char *name) {
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        if (strcmp(sw_decision_word((enum sw_decision_kind)d->kind), kind) == 0 && d->buffer == buffer(search, name)) {
            return i;
        }
    }
    return 0;
}

static inline const struct sw_decision *decision(const struct sw_search *search, const char *kind, const char *name) {
    uint64_t at = decided(search, kind, name);
    if (!at) {
        fail_msg("no %s of %s", kind, name);
    }
    return sw_search_journal(search, at);
}

static inline void expect_candidates(const struct sw_search *search, const char *kind, const char *name,
                                     const char *const *reasons, size_t count) {
    struct sw_explanation e = {0};
    struct sw_error error = {0};
    must(sw_search_explain(search, decided(search, kind, name), &e, &error), &error);
    assert_int_equal(e.candidates.count, count);
    assert_int_equal(e.decision.candidates, count);
    for (size_t i = 0; i < count; i++) {
        char text[400];
        snprintf(text, sizeof text, "%s %s", sw_verdict_word(e.candidates.items[i].verdict),
                 e.candidates.items[i].reason);
        assert_string_equal(text, reasons[i]);
    }
    sw_explanation_done(&e);
}
#define EXPECT(search, kind, name, ...)                                       \
    expect_candidates(search, kind, name, (const char *const[]){__VA_ARGS__}, \
                      sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static inline struct sw_builder *example(uint64_t d) {
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 1024},
                                     {"a", SW_KIND_INTERMEDIATE, .size = 4096},
                                     {"b", SW_KIND_INTERMEDIATE, .size = 2048},
                                     {"c", SW_KIND_INTERMEDIATE, .size = 4096},
                                     {"d", SW_KIND_OUTPUT, .size = d}};
    const struct node nodes[] = {NODE("f1", "x", "a"), NODE("f2", "a", "b"), NODE("f3", "a b", "c"),
                                 NODE("f4", "c", "d")};
    return BEGIN(tensors, nodes);
}

static inline struct sw_builder *in_place(uint64_t b, bool marked, const char *readers) {
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 100},
                                     {"a", SW_KIND_INTERMEDIATE, .size = 100},
                                     {"b", SW_KIND_INTERMEDIATE, .size = b},
                                     {"y", SW_KIND_OUTPUT, .size = 2}};
    const struct node nodes[] = {NODE("f", "x", "a"), NODE("g", "a", "b", .inplace = marked), NODE("h", readers, "y")};
    return BEGIN(tensors, nodes);
}

/* An npu that demands int8, 16 channels and 64 bytes; a host that demands nothing. */
static inline struct sw_search *on_units(bool dedicated) {
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .dtype = SW_DTYPE_FLOAT32, .dims = {1, 3, 5, 5}},
                                     {"a", SW_KIND_INTERMEDIATE, .dtype = SW_DTYPE_FLOAT32, .dims = {1, 3, 5, 5}},
                                     {"i", SW_KIND_INTERMEDIATE, .dtype = SW_DTYPE_FLOAT32, .dims = {1, 3, 5, 5}},
                                     {"b", SW_KIND_INTERMEDIATE, .dtype = SW_DTYPE_FLOAT32, .dims = {20}},
                                     {"y", SW_KIND_OUTPUT, .dtype = SW_DTYPE_FLOAT32, .dims = {7}}};
    const struct node nodes[] = {NODE("prepare", "x", "a", .function = "pre"),
                                 NODE("conv", "a", "i", .function = "net"), NODE("pool", "i", "b", .function = "net"),
                                 NODE("finish", "b", "y", .function = "post")};
    struct sw_builder *builder = BEGIN(tensors, nodes);
    add_unit(builder, (struct sw_unit_spec){.name = "cpu"});
    add_unit(
        builder,
        (struct sw_unit_spec){
            .name = "npu", .dedicated = dedicated, .dtype = SW_DTYPE_INT8, .alignment = 64, .channel_multiple = 16});
    add_function(builder, "pre", "cpu");
    add_function(builder, "net", "npu");
    add_function(builder, "post", "cpu");
    return run(must_finish(builder));
}

#endif
