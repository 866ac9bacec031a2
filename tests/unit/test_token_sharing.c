/* token-sharing: the worked examples, sizes, tokens, reuse in place and requests. */
#include "tokens.h"
#include "faults.h"

/* ---- the worked examples ---- */

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
           "chosen id 2 (2,048 B): large enough, leaves 1,792 B; the first block that is large enough",
           "fits id 1 (4,096 B): large enough, leaves 3,840 B", "fits a new id");
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
    EXPECT(s, "enlarge", "d", "fits id 2 (2,048 B): too small by 6,144 B, could be enlarged",
           "chosen id 1 (4,096 B): too small by 4,096 B; no free block is large enough, and it is the "
           "largest below",
           "fits a new id");
    const struct sw_decision *d = decision(s, "enlarge", "d");
    assert_int_equal(sw_decision_amount(d), 4096);
    assert_int_equal(sw_decision_part(d), 1);
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
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 64},
                                     {"h", SW_KIND_INTERMEDIATE, .dtype = SW_DTYPE_FLOAT32, .dims = {64, 112, 112}},
                                     {"q", SW_KIND_OUTPUT, .size = 64}};
    const struct node nodes[] = {NODE("conv", "x", "h"), NODE("quant", "h", "q", .kind = "fake_quantize")};
    struct sw_problem *problem = must_finish(BEGIN(tensors, nodes));
    assert_int_equal(sw_problem_buffer(problem, 1)->size, 3211264);
    struct sw_search *s = run(problem);
    assert_int_equal(size(s, "h"), 802816);
    assert_int_equal(peak(s), 802816 + 128);
    const struct sw_decision *d = decision(s, "adopt", "h");
    assert_int_equal(sw_decision_amount(d), 3211264);
    assert_int_equal(d->size, 802816);
    assert_string_equal(d->reason, "its successor is a pseudo-quantise operator (operator layer)");
    assert_int_equal(detail(s, "declared_bytes", buffer(s, "h")), 3211264);
    const struct sw_problem *own = sw_search_problem(s);
    assert_int_equal(sw_problem_buffer(own, 1)->dtype, SW_DTYPE_INT8);
    assert_int_equal(sw_problem_naive(own), 802816 + 128);
    assert_int_equal(sw_problem_buffer(sw_problem_origin(own), 1)->size, 3211264);
    size_t notes;
    const char *const *list = sw_problem_notes(own, &notes);
    assert_int_equal(notes, 1);
    assert_string_equal(list[0], "token-sharing: 1 tensor adopts another dtype, padding or alignment: "
                                 "3,211,264 B as declared, 802,816 B as planned, and the plan, its bound and its "
                                 "check are about those");
    sw_search_free(s);
}

static void expect_sentence(const struct sw_search *s, const char *kind, const char *name, const char *sentence) {
    char text[300];
    sw_decision_describe(sw_search_problem(s), decision(s, kind, name), text, sizeof text);
    assert_string_equal(text, sentence);
}

static void test_sentences(void **state) {
    (void)state;
    struct sw_search *s = run(must_finish(example(8192)));
    expect_sentence(s, "token", "a", "gives a (4,096 B) a token with count 2: as many as it has readers");
    expect_sentence(s, "new", "b",
                    "makes id 2 for b (2,048 B) at memory+5120: no block of the free "
                    "pool can be taken");
    expect_sentence(s, "release", "a",
                    "releases id 1, which held a: 4,096 B free at memory+1024, as its last reader "
                    "has run");
    expect_sentence(s, "enlarge", "d",
                    "enlarges id 1 by 4,096 B, 4,096 -> 8,192 B, for d (8,192 B) at memory+1024: no "
                    "free block is large enough, and it is the largest below");
    sw_search_free(s);
    s = run(must_finish(in_place(80, true, "b")));
    expect_sentence(s, "reuse", "b",
                    "writes b (80 B) over a, in place, id 1 at memory+100: this operator is its "
                    "last reader");
    sw_search_free(s);
}

/* ---- (a) sizes ---- */

static void test_quantised_dtype(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .dtype = SW_DTYPE_FLOAT32, .dims = {8}},
                                     {"h", SW_KIND_INTERMEDIATE, .dtype = SW_DTYPE_FLOAT32, .size = 100},
                                     {"k", SW_KIND_INTERMEDIATE, .size = 100},
                                     {"q", SW_KIND_OUTPUT, .size = 8}};
    const struct node nodes[] = {NODE("conv", "x", "h k"),
                                 NODE("quant", "x h k", "q", .kind = "fake_quantize", .dtype = SW_DTYPE_INT16)};
    struct sw_search *s = RUN(tensors, nodes);
    assert_int_equal(size(s, "x"), 32);  /* no operator's output */
    assert_int_equal(size(s, "h"), 50);  /* no shape: the bytes scale */
    assert_int_equal(size(s, "k"), 100); /* of unknown dtype */
    assert_int_equal(decided(s, "adopt", "x"), 0);
    assert_int_equal(decided(s, "adopt", "k"), 0);
    sw_search_free(s);
}

static void test_dedicated_unit(void **state) {
    (void)state;
    struct sw_search *s = on_units(true);
    assert_int_equal(size(s, "x"), 300); /* not an argument of the npu */
    assert_int_equal(size(s, "a"), 448); /* 16 x 5 x 5 of int8 = 400, to 64 */
    assert_int_equal(size(s, "i"), 300); /* inner: the model's own */
    assert_int_equal(size(s, "b"), 64);  /* 20 to 32 channels, to 64 bytes */
    assert_int_equal(size(s, "y"), 28);
    assert_int_equal(sw_problem_buffer(sw_search_problem(s), buffer(s, "a"))->alignment, 64);
    assert_string_equal(decision(s, "adopt", "a")->reason,
                        "the dedicated unit of its function demands it (function layer)");
    assert_int_equal(offset(s, "a") % 64, 0);
    assert_int_equal(offset(s, "a"), 320); /* x ends at 300 */
    /* a and b are each touched by two units. */
    assert_int_equal(detail(s, "saved_bytes", SW_NONE), 448 + 64);
    sw_search_free(s);
    s = on_units(false);
    assert_int_equal(size(s, "a"), 300);
    assert_int_equal(decided(s, "adopt", "a"), 0);
    assert_int_equal(detail(s, "saved_bytes", SW_NONE), 300 + 80);
    sw_search_free(s);
}

static void test_model_takes_the_functions(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .dtype = SW_DTYPE_FLOAT32, .dims = {4, 4}},
                                     {"y", SW_KIND_OUTPUT, .dtype = SW_DTYPE_FLOAT32, .dims = {4, 4}}};
    const struct node nodes[] = {NODE("f", "x", "y", .function = "net")};
    struct sw_builder *builder = BEGIN(tensors, nodes);
    add_unit(builder,
             (struct sw_unit_spec){.name = "npu", .dedicated = true, .dtype = SW_DTYPE_INT8, .channel_multiple = 8});
    add_function(builder, "net", "npu");
    struct sw_search *s = run(must_finish(builder));
    assert_int_equal(size(s, "x"), 32);
    assert_int_equal(size(s, "y"), 32);
    assert_string_equal(decision(s, "adopt", "y")->reason, "the function it enters or leaves demands it (model layer)");
    sw_search_free(s);
}

/* How a size came about: each term with what demands it, and demands that others go before. */
static void test_terms(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .dtype = SW_DTYPE_FLOAT32, .dims = {1, 3, 5, 5}},
                                     {"a", SW_KIND_INTERMEDIATE, .dtype = SW_DTYPE_FLOAT32, .dims = {1, 3, 5, 5}},
                                     {"q", SW_KIND_INTERMEDIATE, .dtype = SW_DTYPE_INT8, .dims = {1, 3, 5, 5}},
                                     {"y", SW_KIND_OUTPUT, .dtype = SW_DTYPE_FLOAT32, .dims = {7}}};
    const struct node nodes[] = {
        NODE("f", "x", "a", .function = "first"),
        NODE("fake", "a", "q", .function = "second", .kind = "fake_quantize", .dtype = SW_DTYPE_INT16),
        NODE("g", "q", "y", .function = "first")};
    static const char *const told[] = {
        "chosen int16 in place of float32, as fake stores it: 300 -> 150 B",
        "refused int8, as npu demands: what fake stores comes before it",
        "refused float16, as dsp demands: what fake stores comes before it",
        "chosen axis 1 of 3 padded to 4, a multiple of 4 as dsp demands: 150 -> 200 B",
        "chosen axis 3 of 5 padded to 8, a multiple of 8 as npu demands: 200 -> 320 B",
        "chosen the total rounded up to a multiple of 192 B, as npu and dsp demands: 320 -> 384 B"};
    struct sw_builder *builder = BEGIN(tensors, nodes);
    add_unit(builder, (struct sw_unit_spec){.name = "npu",
                                            .dedicated = true,
                                            .dtype = SW_DTYPE_INT8,
                                            .alignment = 64,
                                            .channel_multiple = 8,
                                            .has_channel_axis = true,
                                            .channel_axis = -1});
    add_unit(builder, (struct sw_unit_spec){.name = "dsp",
                                            .dedicated = true,
                                            .dtype = SW_DTYPE_FLOAT16,
                                            .alignment = 12,
                                            .channel_multiple = 4,
                                            .has_channel_axis = true,
                                            .channel_axis = 1});
    add_function(builder, "first", "npu");
    add_function(builder, "second", "dsp");
    struct sw_search *s = run(must_finish(builder));
    struct sw_explanation e = {0};
    struct sw_error error = {0};
    const struct sw_decision *d = decision(s, "adopt", "a");
    assert_int_equal(d->adopt.before, 300);
    assert_int_equal(d->adopt.typed, 150);
    assert_int_equal(d->adopt.padded, 320);
    assert_int_equal(d->size, 384);
    must(sw_search_explain(s, d->step, &e, &error), &error);
    assert_int_equal(e.candidates.count, sizeof told / sizeof *told);
    for (size_t i = 0; i < e.candidates.count; i++) {
        char text[400];
        const struct sw_candidate *c = &e.candidates.items[i];
        snprintf(text, sizeof text, "%s %s", sw_verdict_word(c->verdict), c->reason);
        assert_string_equal(text, told[i]);
    }
    must(sw_search_explain(s, decision(s, "adopt", "q")->step, &e, &error), &error);
    assert_string_equal(e.candidates.items[1].reason, "int8, as npu demands: dsp is the first to touch it");
    sw_explanation_done(&e);
    sw_search_free(s);
}

/* Which dimension is padded: number 1 by default, -1 the last, and in a tensor of fewer dimensions
 * the last one it has. */
static void test_channel_axis(void **state) {
    (void)state;
    static const struct {
        bool given;
        int32_t axis;
        uint64_t x, y;
    } cases[] = {{false, 0, 1ull * 16 * 5 * 7, 16}, {true, 1, 1ull * 16 * 5 * 7, 16}, {true, 0, 16ull * 3 * 5 * 7, 16},
                 {true, -1, 1ull * 3 * 5 * 16, 16}, {true, 3, 1ull * 3 * 5 * 16, 16}, {true, 9, 1ull * 3 * 5 * 16, 16}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .dtype = SW_DTYPE_INT8, .dims = {1, 3, 5, 7}},
                                         {"y", SW_KIND_OUTPUT, .dtype = SW_DTYPE_INT8, .dims = {10}}};
        const struct node nodes[] = {NODE("f", "x", "y", .function = "net")};
        struct sw_builder *builder = BEGIN(tensors, nodes);
        add_unit(builder, (struct sw_unit_spec){.name = "npu",
                                                .dedicated = true,
                                                .channel_multiple = 16,
                                                .has_channel_axis = cases[i].given,
                                                .channel_axis = cases[i].axis});
        add_function(builder, "net", "npu");
        struct sw_search *s = run(must_finish(builder));
        assert_int_equal(size(s, "x"), cases[i].x);
        assert_int_equal(size(s, "y"), cases[i].y);
        sw_search_free(s);
    }
}

/* Two units that pad different dimensions of one tensor pad both. */
static void test_two_channel_axes(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .dtype = SW_DTYPE_INT8, .dims = {2}},
                                     {"a", SW_KIND_INTERMEDIATE, .dtype = SW_DTYPE_INT8, .dims = {3, 5}},
                                     {"y", SW_KIND_OUTPUT, .dtype = SW_DTYPE_INT8, .dims = {2}}};
    const struct node nodes[] = {NODE("f", "x", "a", .function = "one"), NODE("g", "a", "y", .function = "two")};
    struct sw_builder *builder = BEGIN(tensors, nodes);
    add_unit(builder,
             (struct sw_unit_spec){.name = "rows", .dedicated = true, .channel_multiple = 4, .has_channel_axis = true});
    add_unit(builder, (struct sw_unit_spec){.name = "columns", .dedicated = true, .channel_multiple = 8});
    add_function(builder, "one", "rows");
    add_function(builder, "two", "columns");
    struct sw_search *s = run(must_finish(builder));
    assert_int_equal(size(s, "a"), 4 * 8);
    assert_int_equal(size(s, "x"), 4);
    assert_int_equal(size(s, "y"), 8);
    sw_search_free(s);
}

/* ---- (b) tokens ---- */

static void test_counts(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 8},
                                     {"a", SW_KIND_INTERMEDIATE, .size = 8},
                                     {"u", SW_KIND_INTERMEDIATE, .size = 8},
                                     {"y", SW_KIND_OUTPUT, .size = 8},
                                     {"z", SW_KIND_OUTPUT, .size = 8}};
    const struct node nodes[] = {NODE("f", "x", "a u"), NODE("g", "a a x", "y"), NODE("h", "y", "z")};
    struct sw_search *s = RUN(tensors, nodes);
    assert_int_equal(sw_decision_amount(decision(s, "token", "x")), 3);
    assert_int_equal(sw_decision_amount(decision(s, "token", "a")), 2); /* named twice counts twice */
    assert_int_equal(sw_decision_amount(decision(s, "token", "u")), 0);
    assert_int_equal(sw_decision_amount(decision(s, "token", "y")), 2); /* a reader, and the network output */
    assert_int_equal(sw_decision_amount(decision(s, "token", "z")), 1);
    assert_string_equal(decision(s, "release", "u")->reason, "no operator reads it: it goes straight back");
    assert_true(decided(s, "release", "a") > 0);
    assert_int_equal(decided(s, "release", "x"), 0); /* inputs are never freed */
    assert_int_equal(decided(s, "release", "y"), 0);
    assert_int_equal(id(s, "u"), 2);
    assert_int_equal(id(s, "y"), 2); /* u's id is free again */
    sw_search_free(s);
}

static void test_tuple(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 8},         {"a", SW_KIND_INTERMEDIATE, .size = 40},
                                     {"b", SW_KIND_INTERMEDIATE, .size = 60}, {"t", SW_KIND_INTERMEDIATE, .size = 100},
                                     {"w", SW_KIND_INTERMEDIATE, .size = 50}, {"p", SW_KIND_INTERMEDIATE, .size = 60},
                                     {"y", SW_KIND_OUTPUT, .size = 10}};
    const struct node nodes[] = {NODE("f", "x", "a"),
                                 NODE("g", "a", "b"),
                                 NODE("pack", "a b", "t", .kind = "tuple"),
                                 NODE("h", "x", "w"),
                                 NODE("second", "t", "p", .kind = "get-item"),
                                 NODE("end", "p w", "y")};
    struct sw_search *s = RUN(tensors, nodes);
    assert_int_equal(id(s, "t"), id(s, "a")); /* the first of its tokens */
    assert_int_equal(id(s, "p"), id(s, "b")); /* told apart by its size */
    assert_int_equal(id(s, "w"), 1);          /* only the second branch is held on */
    assert_int_equal(size(s, "t"), 0);
    assert_int_equal(sw_decision_amount(decision(s, "token", "a")), 2); /* g, pack */
    assert_int_equal(sw_decision_amount(decision(s, "token", "b")), 3); /* pack, second, end */
    assert_string_equal(decision(s, "token", "t")->reason, "a tuple has the tokens of its branches");
    assert_string_equal(decision(s, "share", "p")->reason, "a branch of a tuple has the token of that branch, no copy");
    /* b must live until its item takes over, and the check sees to it. */
    assert_int_equal(sw_problem_buffer(sw_search_problem(s), buffer(s, "b"))->last, 4);
    assert_int_equal(sw_problem_buffer(sw_search_problem(s), buffer(s, "a"))->last, 2);
    assert_int_equal(peak(s), 8 + 50 + 60 + 10);
    sw_search_free(s);
}

/* The branches of a tuple that leaves the network live to its end. */
static void test_tuple_as_output(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 8},
                                     {"a", SW_KIND_INTERMEDIATE, .size = 40},
                                     {"t", SW_KIND_OUTPUT, .size = 40},
                                     {"b", SW_KIND_INTERMEDIATE, .size = 40},
                                     {"y", SW_KIND_OUTPUT, .size = 40}};
    const struct node nodes[] = {NODE("f", "x", "a"), NODE("pack", "a", "t", .kind = "tuple"), NODE("g", "x", "b"),
                                 NODE("h", "b", "y")};
    struct sw_search *s = RUN(tensors, nodes);
    assert_int_equal(sw_decision_amount(decision(s, "token", "a")), 2);
    assert_int_equal(sw_problem_buffer(sw_search_problem(s), buffer(s, "a"))->last, 3);
    assert_int_equal(id(s, "b"), 2);
    sw_search_free(s);
}

static void test_unread_tuple_is_held(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 8},
                                     {"a", SW_KIND_INTERMEDIATE, .size = 40},
                                     {"c", SW_KIND_INTERMEDIATE, .size = 40},
                                     {"t", SW_KIND_INTERMEDIATE, .size = 40},
                                     {"y", SW_KIND_OUTPUT, .size = 40}};
    const struct node nodes[] = {NODE("f", "x", "a"), NODE("g", "x", "c"), NODE("pack", "a", "t", .kind = "tuple"),
                                 NODE("end", "c", "y")};
    struct sw_search *s = RUN(tensors, nodes);
    assert_int_equal(id(s, "c"), 2);
    assert_int_equal(id(s, "y"), 1);
    sw_search_free(s);
}

/* ---- (c) reuse in place ---- */

static void test_reuse(void **state) {
    (void)state;
    struct sw_search *s = run(must_finish(in_place(80, true, "b")));
    assert_int_equal(id(s, "b"), id(s, "a"));
    assert_int_equal(sw_layout_permit_count(sw_search_layout(s)), 1);
    struct sw_permit p = sw_layout_permit_get(sw_search_layout(s), 0);
    assert_int_equal(p.fresh, buffer(s, "b"));
    assert_int_equal(p.old, buffer(s, "a"));
    assert_int_equal(p.step, 1);
    EXPECT(s, "reuse", "b", "chosen id 1: a can be overwritten; this operator is its last reader", "fits a new id");
    /* The bound counts the larger of the two. */
    assert_int_equal(sw_problem_lower_bound(sw_search_problem(s)), 200);
    assert_true(peak(s) >= 200);
    sw_search_free(s);
    s = run(must_finish(in_place(80, false, "b")));
    assert_int_equal(decided(s, "reuse", "b"), 0);
    assert_int_equal(id(s, "b"), 2);
    sw_search_free(s);
    s = run(must_finish(in_place(80, true, "a b")));
    EXPECT(s, "new", "b", "refused id 1: a has 1 other remaining reader",
           "chosen a new id; no block of the free pool can be taken");
    sw_search_free(s);
    s = run(must_finish(in_place(120, true, "b")));
    EXPECT(s, "new", "b", "refused id 1: 100 B are allocated, 120 B are needed",
           "chosen a new id; no block of the free pool can be taken");
    sw_search_free(s);
}

/* With two readers the result keeps the token until both have run: "plus one" would free it too
 * early. */
static void test_reuse_counts(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 8},         {"a", SW_KIND_INTERMEDIATE, .size = 50},
                                     {"b", SW_KIND_INTERMEDIATE, .size = 50}, {"c", SW_KIND_INTERMEDIATE, .size = 50},
                                     {"d", SW_KIND_INTERMEDIATE, .size = 50}, {"y", SW_KIND_OUTPUT, .size = 50}};
    const struct node nodes[] = {NODE("f", "x", "a"), NODE("g", "a", "b", .inplace = true), NODE("h", "b", "c"),
                                 NODE("i", "c", "d"), NODE("j", "b d", "y")};
    struct sw_search *s = RUN(tensors, nodes);
    assert_int_equal(id(s, "b"), 1);
    assert_int_equal(id(s, "c"), 2);
    assert_int_equal(id(s, "d"), 3);
    assert_int_equal(decision(s, "release", "b")->time, 4);
    sw_search_free(s);
}

static void test_never_inputs(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 50}, {"y", SW_KIND_OUTPUT, .size = 50}};
    const struct node nodes[] = {NODE("f", "x", "y", .inplace = true)};
    struct sw_search *s = RUN(tensors, nodes);
    EXPECT(s, "new", "y", "refused id 0: x is a model input or constant and is never overwritten",
           "chosen a new id; no block of the free pool can be taken");
    sw_search_free(s);
}

static void test_taken_once(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 8},
                                     {"a", SW_KIND_INTERMEDIATE, .size = 50},
                                     {"u", SW_KIND_INTERMEDIATE, .size = 50},
                                     {"v", SW_KIND_INTERMEDIATE, .size = 50},
                                     {"y", SW_KIND_OUTPUT, .size = 1}};
    const struct node nodes[] = {NODE("f", "x", "a"), NODE("g", "a", "u v", .inplace = true), NODE("h", "v", "y")};
    struct sw_search *s = RUN(tensors, nodes);
    assert_int_equal(id(s, "u"), 1);
    EXPECT(s, "new", "v", "refused id 1: another result of this operator overwrites it",
           "chosen a new id; no block of the free pool can be taken");
    sw_search_free(s);
}

/* A pure reshape shares with an input that others still read, and later overwrites respect both. */
static void test_reshape(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 8},         {"a", SW_KIND_INTERMEDIATE, .size = 50},
                                     {"r", SW_KIND_INTERMEDIATE, .size = 50}, {"b", SW_KIND_INTERMEDIATE, .size = 50},
                                     {"c", SW_KIND_INTERMEDIATE, .size = 50}, {"y", SW_KIND_OUTPUT, .size = 50}};
    const struct node nodes[] = {NODE("f", "x", "a"), NODE("flat", "a", "r", .kind = "reshape"),
                                 NODE("g", "r", "b", .inplace = true), NODE("h", "a b", "c"), NODE("i", "c", "y")};
    struct sw_search *s = RUN(tensors, nodes);
    assert_int_equal(id(s, "r"), id(s, "a"));
    assert_int_not_equal(id(s, "b"), id(s, "a")); /* a is still read */
    /* r over a is right by the graph, at three steps, whether the layout says so or not. */
    assert_int_equal(sw_layout_permit_count(sw_search_layout(s)), 1);
    struct sw_layout *bare = sw_layout_clone(sw_search_layout(s), NULL);
    assert_true(sw_layout_forget_permits(bare));
    assert_int_equal(sw_fault_count(bare, NULL, NULL), 0);
    sw_layout_free(bare);
    sw_search_free(s);
}

static void test_reshape_of_another_size(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 8},
                                     {"a", SW_KIND_INTERMEDIATE, .size = 50},
                                     {"r", SW_KIND_INTERMEDIATE, .size = 40},
                                     {"y", SW_KIND_OUTPUT, .size = 5}};
    const struct node nodes[] = {NODE("f", "x", "a"), NODE("flat", "a", "r", .kind = "reshape"), NODE("g", "a r", "y")};
    struct sw_search *s = RUN(tensors, nodes);
    assert_int_not_equal(id(s, "r"), id(s, "a")); /* it is not pure, and a has another reader */
    sw_search_free(s);
}

/* ---- (c) request ---- */

static void test_window(void **state) {
    (void)state;
    const struct tensor tensors[] = {
        {"x", SW_KIND_INPUT, .size = 8},          {"a", SW_KIND_INTERMEDIATE, .size = 1601},
        {"b", SW_KIND_INTERMEDIATE, .size = 100}, {"c", SW_KIND_INTERMEDIATE, .size = 1600},
        {"d", SW_KIND_INTERMEDIATE, .size = 100}, {"e", SW_KIND_INTERMEDIATE, .size = 1600},
        {"y", SW_KIND_OUTPUT, .size = 30}};
    const struct node nodes[] = {NODE("f", "x", "a"),   NODE("g", "a", "b"), NODE("h", "x", "d"),
                                 NODE("i", "b d", "c"), NODE("j", "c", "e"), NODE("k", "e", "y")};
    struct sw_search *s = RUN(tensors, nodes);
    assert_int_equal(id(s, "d"), 3);
    EXPECT(s, "new", "d", "refused id 1 (1,601 B): outside the window 6..1,600 B",
           "chosen a new id; no block of the free pool can be taken");
    assert_int_equal(id(s, "c"), 1);
    assert_int_equal(id(s, "e"), 3); /* of two equal blocks the last below is enlarged: released last */
    EXPECT(s, "enlarge", "e", "fits id 2 (100 B): too small by 1,500 B, could be enlarged",
           "chosen id 3 (100 B): too small by 1,500 B; no free block is large enough, and it is the "
           "largest below",
           "fits a new id");
    sw_search_free(s);
}

static void test_equal_blocks_by_release(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 8},
                                     {"a", SW_KIND_INTERMEDIATE, .size = 100},
                                     {"b", SW_KIND_INTERMEDIATE, .size = 100},
                                     {"c", SW_KIND_INTERMEDIATE, .size = 500},
                                     {"y", SW_KIND_OUTPUT, .size = 90}};
    const struct node nodes[] = {NODE("f", "x", "a b"), NODE("g", "b a", "c"), NODE("h", "c", "y")};
    struct sw_search *s = RUN(tensors, nodes);
    assert_int_equal(id(s, "y"), id(s, "b")); /* inputs are released in listed order: b first */
    sw_search_free(s);
}

static void test_scratch(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 8},         {"a", SW_KIND_INTERMEDIATE, .size = 100},
                                     {"s", SW_KIND_SCRATCH, .size = 100},     {"u", SW_KIND_INTERMEDIATE, .size = 100},
                                     {"b", SW_KIND_INTERMEDIATE, .size = 99}, {"y", SW_KIND_OUTPUT, .size = 98}};
    const struct node nodes[] = {NODE("f", "x", "a"), NODE("g", "a", "u b", .scratch = "s"), NODE("h", "b", "y")};
    struct sw_search *s = RUN(tensors, nodes);
    assert_int_equal(id(s, "u"), 2);
    assert_int_equal(id(s, "b"), 3);
    assert_int_equal(id(s, "s"), 4); /* everything is placed before anything is released */
    uint64_t u = decided(s, "release", "u"), scratch = decided(s, "release", "s"), a = decided(s, "release", "a");
    assert_true(u < scratch && scratch < a);
    assert_int_equal(id(s, "y"), 2);
    sw_search_free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example_1),
        cmocka_unit_test(test_example_2),
        cmocka_unit_test(test_example_3),
        cmocka_unit_test(test_sentences),
        cmocka_unit_test(test_quantised_dtype),
        cmocka_unit_test(test_dedicated_unit),
        cmocka_unit_test(test_terms),
        cmocka_unit_test(test_channel_axis),
        cmocka_unit_test(test_two_channel_axes),
        cmocka_unit_test(test_model_takes_the_functions),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_tuple),
        cmocka_unit_test(test_tuple_as_output),
        cmocka_unit_test(test_unread_tuple_is_held),
        cmocka_unit_test(test_reuse),
        cmocka_unit_test(test_reuse_counts),
        cmocka_unit_test(test_never_inputs),
        cmocka_unit_test(test_taken_once),
        cmocka_unit_test(test_reshape),
        cmocka_unit_test(test_reshape_of_another_size),
        cmocka_unit_test(test_window),
        cmocka_unit_test(test_equal_blocks_by_release),
        cmocka_unit_test(test_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
