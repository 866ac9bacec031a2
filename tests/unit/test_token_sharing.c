/* token-sharing: the worked examples, every rule of its section, what-ifs, and the honest check. */
#include "unit.h"

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

#define NODE(n, in, out, ...) {.name = (n), .inputs = (in), .outputs = (out), __VA_ARGS__}

enum { MOST = 8 };
struct names {
    char text[128];
    const char *list[MOST];
    size_t count;
};

static void split(struct names *n, const char *text) {
    n->count = 0;
    snprintf(n->text, sizeof n->text, "%s", text ? text : "");
    for (char *at = strtok(n->text, " "); at; at = strtok(NULL, " ")) {
        n->list[n->count++] = at;
    }
}

static void must(bool ok, const struct sw_error *error) {
    if (!ok) {
        fail_msg("%s", error->message);
    }
}

static void add_tensor(struct sw_builder *builder, const struct tensor *t) {
    struct sw_error error = {0};
    size_t dims = 0;
    while (dims < 4 && t->dims[dims]) {
        dims++;
    }
    struct sw_buffer_spec spec = {.name = t->name, .kind = t->kind, .dtype = t->dtype,
                                  .shape = t->dims, .shape_count = dims,
                                  .has_size = t->size || !dims, .size = t->size,
                                  .alignment = t->alignment, .tier = t->tier};
    must(sw_builder_buffer(builder, &spec, &error), &error);
}

static void add_node(struct sw_builder *builder, const struct node *n) {
    struct sw_error error = {0};
    struct names in, out, scratch;
    split(&in, n->inputs);
    split(&out, n->outputs);
    split(&scratch, n->scratch);
    struct sw_operator_spec spec = {.name = n->name, .kind = n->kind, .function = n->function,
                                    .core = n->core, .dtype = n->dtype,
                                    .inplace = n->inplace ? SW_INPLACE_ANY : SW_INPLACE_NO,
                                    .inputs = in.list, .input_count = in.count,
                                    .outputs = out.list, .output_count = out.count,
                                    .scratch = scratch.list, .scratch_count = scratch.count};
    must(sw_builder_operator(builder, &spec, &error), &error);
}

static struct sw_builder *begin(const struct tensor *tensors, size_t tensor_count,
                                const struct node *nodes, size_t node_count) {
    struct sw_builder *builder = sw_builder_new(NULL);
    for (size_t i = 0; i < node_count; i++) {
        add_node(builder, &nodes[i]);
    }
    for (size_t i = 0; i < tensor_count; i++) {
        add_tensor(builder, &tensors[i]);
    }
    return builder;
}
#define BEGIN(tensors, nodes)                                                                      \
    begin(tensors, sizeof(tensors) / sizeof(tensors)[0], nodes, sizeof(nodes) / sizeof(nodes)[0])

static void add_unit(struct sw_builder *builder, struct sw_unit_spec spec) {
    struct sw_error error = {0};
    must(sw_builder_unit(builder, &spec, &error), &error);
}

static void add_function(struct sw_builder *builder, const char *name, const char *unit) {
    struct sw_error error = {0};
    must(sw_builder_function(builder, name, unit, &error), &error);
}

/* ---- running and looking ---- */

static struct sw_search *search_for(struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_search *search =
        sw_search_new(problem, sw_planner_find("token-sharing", NULL), NULL, &error);
    must(search != NULL, &error);
    sw_problem_unref(problem);
    return search;
}

static void print_fault(void *context, const struct sw_fault *fault) {
    char text[200];
    sw_fault_describe(context, fault, text, sizeof text);
    print_message("%s\n", text);
}

static void check_layout(const struct sw_search *search) {
    assert_int_equal(sw_layout_check(sw_search_layout(search), print_fault,
                                     (void *)sw_search_problem(search)), 0);
    assert_true(sw_layout_peak(sw_search_layout(search)) >=
                sw_problem_lower_bound(sw_search_problem(search)));
}

static struct sw_search *run(struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_search *search = search_for(problem);
    if (sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("%s", error.message);
    }
    check_layout(search);
    return search;
}
#define RUN(tensors, nodes) run(must_finish(BEGIN(tensors, nodes)))

static uint32_t buffer(const struct sw_search *search, const char *name) {
    uint32_t b = sw_problem_find_buffer(sw_search_problem(search), name);
    assert_int_not_equal(b, SW_NONE);
    return b;
}

static int64_t detail(const struct sw_search *search, const char *key, uint32_t of) {
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

static int64_t id(const struct sw_search *search, const char *name) {
    return detail(search, "ids", buffer(search, name));
}

static uint64_t offset(const struct sw_search *search, const char *name) {
    struct sw_placement p;
    assert_true(sw_layout_placement(sw_search_layout(search), buffer(search, name), 0, &p));
    return p.offset;
}

static uint64_t size(const struct sw_search *search, const char *name) {
    return sw_problem_buffer(sw_search_problem(search), buffer(search, name))->size;
}

static uint64_t peak(const struct sw_search *search) {
    return sw_layout_peak(sw_search_layout(search));
}

/* The step of the decision of a kind about a buffer; 0: there is none. */
static uint64_t decided(const struct sw_search *search, const char *kind, const char *name) {
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        if (strcmp(sw_decision_word((enum sw_decision_kind)d->kind), kind) == 0 &&
            d->buffer == buffer(search, name)) {
            return i;
        }
    }
    return 0;
}

static const struct sw_decision *decision(const struct sw_search *search, const char *kind,
                                          const char *name) {
    uint64_t at = decided(search, kind, name);
    if (!at) {
        fail_msg("no %s of %s", kind, name);
    }
    return sw_search_journal(search, at);
}

static void expect_candidates(const struct sw_search *search, const char *kind, const char *name,
                              const char *const *reasons, size_t count) {
    struct sw_explanation e = {0};
    struct sw_error error = {0};
    must(sw_search_explain(search, decided(search, kind, name), &e, &error), &error);
    assert_int_equal(e.candidates.count, count);
    assert_int_equal(e.decision.candidates, count);
    for (size_t i = 0; i < count; i++) {
        char text[260];
        snprintf(text, sizeof text, "%s %s", sw_verdict_word(e.candidates.items[i].verdict),
                 e.candidates.items[i].reason);
        assert_string_equal(text, reasons[i]);
    }
    sw_explanation_done(&e);
}
#define EXPECT(search, kind, name, ...)                                                            \
    expect_candidates(search, kind, name, (const char *const[]){__VA_ARGS__},                      \
                      sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* ---- the worked examples ---- */

static struct sw_builder *example(uint64_t d) {
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 1024},
                                     {"a", SW_KIND_INTERMEDIATE, .size = 4096},
                                     {"b", SW_KIND_INTERMEDIATE, .size = 2048},
                                     {"c", SW_KIND_INTERMEDIATE, .size = 4096},
                                     {"d", SW_KIND_OUTPUT, .size = d}};
    const struct node nodes[] = {NODE("f1", "x", "a"), NODE("f2", "a", "b"),
                                 NODE("f3", "a b", "c"), NODE("f4", "c", "d")};
    return BEGIN(tensors, nodes);
}

static void test_example_1(void **state) {
    (void)state;
    struct sw_search *s = run(must_finish(example(256)));
    assert_int_equal(id(s, "x"), 0);
    assert_int_equal(id(s, "a"), 1);
    assert_int_equal(id(s, "b"), 2);
    assert_int_equal(id(s, "c"), 3);
    assert_int_equal(id(s, "d"), 2);
    assert_int_equal(peak(s), 11264);
    assert_int_equal(offset(s, "x"), 0);
    assert_int_equal(offset(s, "a"), 1024);
    assert_int_equal(offset(s, "b"), 5120);
    assert_int_equal(offset(s, "c"), 7168);
    assert_int_equal(offset(s, "d"), 5120);
    assert_int_equal(detail(s, "saved_bytes", SW_NONE), 0);
    EXPECT(s, "request", "d",
           "chosen id 2 (2048 B): large enough, leaves 1792 B: the first block that is large enough",
           "fits id 1 (4096 B): large enough, leaves 3840 B", "fits a new id");
    sw_search_free(s);
}

static void test_example_2(void **state) {
    (void)state;
    struct sw_search *s = run(must_finish(example(8192)));
    assert_int_equal(id(s, "d"), 1);
    assert_int_equal(peak(s), 15360);
    assert_int_equal(offset(s, "d"), 1024);
    assert_int_equal(offset(s, "b"), 9216); /* moved by the enlarging */
    assert_int_equal(offset(s, "c"), 11264);
    EXPECT(s, "enlarge", "d", "fits id 2 (2048 B): too small by 6144 B, could be enlarged",
           "chosen id 1 (4096 B): too small by 4096 B: none is large enough: the largest below, "
           "enlarged",
           "fits a new id");
    const struct sw_decision *d = decision(s, "enlarge", "d");
    assert_int_equal(d->amount, 4096);
    assert_int_equal(d->part, 1);
    struct sw_explanation e = {0};
    assert_true(sw_search_explain(s, decided(s, "enlarge", "d"), &e, NULL));
    assert_int_equal(e.moved.count, 2);
    assert_int_equal(e.moved.items[0].from, 5120);
    assert_int_equal(e.moved.items[0].to, 9216);
    sw_explanation_done(&e);
    sw_search_free(s);
}

static void test_example_3(void **state) {
    (void)state;
    const struct tensor tensors[] = {
        {"x", SW_KIND_INPUT, .size = 64},
        {"h", SW_KIND_INTERMEDIATE, .dtype = SW_DTYPE_FLOAT32, .dims = {64, 112, 112}},
        {"q", SW_KIND_OUTPUT, .size = 64}};
    const struct node nodes[] = {NODE("conv", "x", "h"),
                                 NODE("quant", "h", "q", .kind = "fake_quantize")};
    struct sw_problem *problem = must_finish(BEGIN(tensors, nodes));
    assert_int_equal(sw_problem_buffer(problem, 1)->size, 3211264);
    struct sw_search *s = run(problem);
    assert_int_equal(size(s, "h"), 802816);
    assert_int_equal(peak(s), 802816 + 128);
    const struct sw_decision *d = decision(s, "adopt", "h");
    assert_int_equal(d->amount, 3211264);
    assert_int_equal(d->size, 802816);
    assert_string_equal(d->reason, "operator layer: its successor is a pseudo-quantise operator");
    assert_int_equal(detail(s, "declared_bytes", buffer(s, "h")), 3211264);
    const struct sw_problem *own = sw_search_problem(s);
    assert_int_equal(sw_problem_buffer(own, 1)->dtype, SW_DTYPE_INT8);
    assert_int_equal(sw_problem_naive(own), 802816 + 128);
    assert_int_equal(sw_problem_buffer(sw_problem_origin(own), 1)->size, 3211264);
    size_t notes;
    const char *const *list = sw_problem_notes(own, &notes);
    assert_int_equal(notes, 1);
    assert_string_equal(list[0],
                        "token-sharing: 1 tensor adopts another dtype, padding or alignment: "
                        "3211264 B as declared, 802816 B as planned, and the plan, its bound and its "
                        "check are about those");
    sw_search_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example_1), cmocka_unit_test(test_example_2),
        cmocka_unit_test(test_example_3)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
