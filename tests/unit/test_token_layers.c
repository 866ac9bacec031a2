/* token-sharing: layers, memory spaces, the layout, what-ifs, cores, and the problem it is about.
 */
#include "tokens.h"
#include "faults.h"

/* ---- layers, units and spaces ---- */

static void test_operator_layer(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 16},         {"a", SW_KIND_INTERMEDIATE, .size = 100},
                                     {"b", SW_KIND_INTERMEDIATE, .size = 100}, {"i", SW_KIND_INTERMEDIATE, .size = 90},
                                     {"j", SW_KIND_INTERMEDIATE, .size = 95},  {"c", SW_KIND_INTERMEDIATE, .size = 100},
                                     {"k", SW_KIND_INTERMEDIATE, .size = 50},  {"y", SW_KIND_OUTPUT, .size = 16}};
    const struct node nodes[] = {NODE("f", "x", "a"),
                                 NODE("g", "a", "b"),
                                 NODE("h1", "b", "i", .function = "mid"),
                                 NODE("h2", "i", "j", .function = "mid"),
                                 NODE("h3", "j", "c", .function = "mid"),
                                 NODE("e1", "c", "k", .function = "end"),
                                 NODE("e2", "k", "y", .function = "end")};
    struct sw_builder *builder = BEGIN(tensors, nodes);
    add_function(builder, "mid", NULL);
    add_function(builder, "end", NULL);
    struct sw_search *s = run(must_finish(builder));
    /* Function layer: c takes a's id, y takes b's. */
    assert_int_equal(id(s, "c"), 1);
    assert_int_equal(id(s, "y"), 2);
    /* While `mid` runs ids 1 (c) and 2 (b) are held: i gets a scratch id, j a second. */
    assert_int_equal(id(s, "i"), 3);
    assert_int_equal(id(s, "j"), 4);
    /* While `end` runs id 1 (c) and 2 (y) are held; scratch ids serve all functions. */
    assert_int_equal(id(s, "k"), 3);
    assert_int_equal(decision(s, "share", "b")->group, 2);
    assert_int_equal(decision(s, "new", "i")->group, 2);
    assert_int_equal(decision(s, "new", "a")->group, 1);
    assert_int_equal(decision(s, "new", "x")->group, 0);
    assert_string_equal(decision(s, "share", "c")->reason,
                        "the operator's tensor is its function's, so one id and no copy");
    sw_search_free(s);
}

static void test_inner_takes_free_ids(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 16},
                                     {"a", SW_KIND_INTERMEDIATE, .size = 100},
                                     {"b", SW_KIND_INTERMEDIATE, .size = 100},
                                     {"i", SW_KIND_INTERMEDIATE, .size = 90},
                                     {"y", SW_KIND_OUTPUT, .size = 100}};
    const struct node nodes[] = {NODE("f", "x", "a"), NODE("g", "a", "b"), NODE("h1", "b", "i", .function = "mid"),
                                 NODE("h2", "i b", "y", .function = "mid")};
    struct sw_builder *builder = BEGIN(tensors, nodes);
    add_function(builder, "mid", NULL);
    struct sw_search *s = run(must_finish(builder));
    assert_int_equal(id(s, "y"), 1);
    assert_int_equal(id(s, "i"), 3);
    sw_search_free(s);
    /* Without a reader the way is free: f's id is idle while `mid` runs. */
    const struct node others[] = {NODE("f", "x", "a"), NODE("g", "a", "b"), NODE("h1", "b", "i", .function = "mid"),
                                  NODE("h2", "i", "y", .function = "mid")};
    const struct tensor wider[] = {{"x", SW_KIND_INPUT, .size = 16},
                                   {"a", SW_KIND_INTERMEDIATE, .size = 100},
                                   {"b", SW_KIND_INTERMEDIATE, .size = 100},
                                   {"i", SW_KIND_INTERMEDIATE, .size = 90},
                                   {"y", SW_KIND_OUTPUT, .size = 5}};
    builder = BEGIN(wider, others);
    add_function(builder, "mid", NULL);
    s = run(must_finish(builder));
    assert_int_equal(id(s, "y"), 3); /* 100 is outside 0..80 */
    assert_int_equal(id(s, "i"), 1);
    sw_search_free(s);
}

/* x -> a -> b -> c -> d, each operator a function, units alternate over one memory; o2 and o3 work in
 * place. With functions the ids are those without. */
static void test_functions_reuse(void **state) {
    (void)state;
    for (int functions = 0; functions < 2; functions++) {
        const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 64},
                                         {"a", SW_KIND_INTERMEDIATE, .size = 64},
                                         {"b", SW_KIND_INTERMEDIATE, .size = 64},
                                         {"c", SW_KIND_INTERMEDIATE, .size = 64},
                                         {"d", SW_KIND_OUTPUT, .size = 64}};
        struct node nodes[] = {
            NODE("o1", "x", "a", .function = "f1"), NODE("o2", "a", "b", .function = "f2", .inplace = true),
            NODE("o3", "b", "c", .function = "f3", .inplace = true), NODE("o4", "c", "d", .function = "f4")};
        for (int i = 0; i < 4 && !functions; i++) {
            nodes[i].function = NULL;
        }
        struct sw_builder *builder = BEGIN(tensors, nodes);
        add_unit(builder, (struct sw_unit_spec){.name = "cpu"});
        add_unit(builder, (struct sw_unit_spec){.name = "npu"});
        for (int i = 0; i < 4 && functions; i++) {
            add_function(builder, nodes[i].function, i % 2 ? "npu" : "cpu");
        }
        struct sw_search *s = run(must_finish(builder));
        assert_int_equal(id(s, "a"), 1);
        assert_int_equal(id(s, "b"), 1);
        assert_int_equal(id(s, "c"), 1);
        assert_int_equal(id(s, "d"), 2);
        assert_int_equal(peak(s), 3 * 64);
        if (functions) {
            EXPECT(s, "reuse", "b",
                   "chosen id 1: a can be overwritten; this function is the last to read it, and "
                   "writes in place from there on",
                   "fits a new id");
            EXPECT(s, "new", "d", "refused id 1: no chain of in-place operators of the function leads from c",
                   "chosen a new id; no block of the free pool can be taken");
        }
        sw_search_free(s);
    }
}

/* A function of three operators, x -> p -> q -> y, all in place; what breaks the chain is told. */
static struct sw_search *chain(const char *also_x, const char *also_p, const char *outside) {
    const struct tensor tensors[] = {{"i", SW_KIND_INPUT, .size = 10},         {"x", SW_KIND_INTERMEDIATE, .size = 100},
                                     {"p", SW_KIND_INTERMEDIATE, .size = 100}, {"q", SW_KIND_INTERMEDIATE, .size = 100},
                                     {"y", SW_KIND_INTERMEDIATE, .size = 100}, {"s", SW_KIND_INTERMEDIATE, .size = 1},
                                     {"z", SW_KIND_OUTPUT, .size = 2}};
    const struct node nodes[] = {NODE("begin", "i", "x"),
                                 NODE("o1", "x", "p", .function = "f", .inplace = true),
                                 NODE("o2", "p", "q", .function = "f", .inplace = true),
                                 NODE("side", also_x[0] ? also_x : also_p, "s", .function = "f"),
                                 NODE("o3", "q", "y", .function = "f", .inplace = true),
                                 NODE("end", outside, "z")};
    struct sw_builder *builder = BEGIN(tensors, nodes);
    add_function(builder, "f", NULL);
    return run(must_finish(builder));
}

static void test_function_chains(void **state) {
    (void)state;
    struct sw_search *s = chain("i", "", "y s");
    assert_int_equal(id(s, "y"), id(s, "x"));
    EXPECT(s, "reuse", "y",
           "chosen id 1: x can be overwritten; this function is the last to read it, and writes in "
           "place from there on",
           "refused id 0: i is a model input or constant and is never overwritten", "fits a new id");
    assert_int_not_equal(id(s, "p"), id(s, "x")); /* of the operator layer */
    assert_int_equal(id(s, "q"), id(s, "p"));
    sw_search_free(s);
    s = chain("x", "", "y s");
    assert_int_not_equal(id(s, "y"), id(s, "x"));
    EXPECT(s, "new", "y", "refused id 1: side of the function uses x later",
           "chosen a new id; no block of the free pool can be taken");
    sw_search_free(s);
    s = chain("", "p", "y s");
    EXPECT(s, "new", "y", "refused id 1: side reads p, which lies between, too",
           "chosen a new id; no block of the free pool can be taken");
    sw_search_free(s);
    s = chain("i", "", "y s x");
    EXPECT(s, "new", "y", "refused id 1: x has 1 other remaining reader",
           "refused id 0: i is a model input or constant and is never overwritten",
           "chosen a new id; no block of the free pool can be taken");
    sw_search_free(s);
}

static struct sw_builder *two_spaces(void) {
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 10},
                                     {"a", SW_KIND_INTERMEDIATE, .size = 100},
                                     {"b", SW_KIND_INTERMEDIATE, .size = 100},
                                     {"y", SW_KIND_OUTPUT, .size = 100}};
    const struct node nodes[] = {NODE("f", "x", "a", .function = "net"), NODE("g", "a", "b", .function = "net"),
                                 NODE("h", "b", "y", .function = "host")};
    struct sw_builder *builder = BEGIN(tensors, nodes);
    sw_builder_tier(builder, &(struct sw_tier){.name = "sram", .capacity = 150}, NULL);
    sw_builder_tier(builder, &(struct sw_tier){.name = "dram", .capacity = SW_UNBOUNDED}, NULL);
    add_function(builder, "net", "npu");
    add_function(builder, "host", "cpu");
    return builder;
}

static void test_spaces(void **state) {
    (void)state;
    struct sw_builder *builder = two_spaces();
    static const char *const dram[] = {"dram"}, *const sram[] = {"sram"};
    add_unit(builder, (struct sw_unit_spec){.name = "npu"});
    add_unit(builder, (struct sw_unit_spec){.name = "cpu", .tiers = dram, .tier_count = 1});
    struct sw_search *s = run(must_finish(builder));
    struct sw_placement p;
    assert_true(sw_layout_placement(sw_search_layout(s), buffer(s, "a"), 0, &p));
    assert_int_equal(p.tier, 0); /* only the npu touches it */
    assert_true(sw_layout_placement(sw_search_layout(s), buffer(s, "b"), 0, &p));
    assert_int_equal(p.tier, 1); /* where both reach it */
    assert_int_equal(sw_layout_arena(sw_search_layout(s), 0), 110);
    assert_int_equal(sw_layout_arena(sw_search_layout(s), 1), 200);
    sw_search_free(s);
    builder = two_spaces();
    add_unit(builder, (struct sw_unit_spec){.name = "npu", .tiers = sram, .tier_count = 1});
    add_unit(builder, (struct sw_unit_spec){.name = "cpu", .tiers = dram, .tier_count = 1});
    s = search_for(must_finish(builder));
    struct sw_error error = {0};
    assert_int_equal(sw_search_run(s, 0, NULL, NULL, &error), SW_STEP_FAILED);
    assert_int_equal(error.code, SW_ERROR_INFEASIBLE);
    assert_string_equal(error.message, "b is touched by units that reach no memory in common, and "
                                       "this planner makes no copies");
    sw_search_free(s);
}

/* A new id that would pass the capacity goes to the next tier. */
static void test_capacity(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 100},
                                     {"a", SW_KIND_INTERMEDIATE, .size = 100},
                                     {"b", SW_KIND_INTERMEDIATE, .size = 160},
                                     {"y", SW_KIND_OUTPUT, .size = 50}};
    const struct node nodes[] = {NODE("f", "x", "a"), NODE("g", "a", "b"), NODE("h", "b", "y")};
    struct sw_builder *builder = BEGIN(tensors, nodes);
    sw_builder_tier(builder, &(struct sw_tier){.name = "sram", .capacity = 240}, NULL);
    sw_builder_tier(builder, &(struct sw_tier){.name = "dram", .capacity = SW_UNBOUNDED}, NULL);
    struct sw_search *s = run(must_finish(builder));
    assert_int_equal(decision(s, "new", "a")->tier, 0);
    assert_int_equal(decision(s, "new", "b")->tier, 1);
    assert_int_equal(decision(s, "request", "y")->tier, 0);
    sw_search_free(s);
}

/* ---- (d) layout ---- */

static void test_alignment(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 10, .alignment = 1},
                                     {"a", SW_KIND_INTERMEDIATE, .size = 10, .alignment = 16},
                                     {"b", SW_KIND_INTERMEDIATE, .size = 10, .alignment = 4},
                                     {"y", SW_KIND_OUTPUT, .size = 11, .alignment = 32}};
    const struct node nodes[] = {NODE("f", "x", "a"), NODE("g", "a", "b"), NODE("h", "b", "y")};
    struct sw_search *s = RUN(tensors, nodes);
    assert_int_equal(offset(s, "x"), 0);
    assert_int_equal(offset(s, "b"), 64);
    assert_int_equal(id(s, "y"), 1); /* 16 B, enlarged to 32 and aligned to 32 */
    assert_int_equal(offset(s, "y"), 32);
    assert_int_equal(offset(s, "a"), 32);
    assert_int_equal(peak(s), 76);
    sw_search_free(s);
}

static void test_reserved(void **state) {
    (void)state;
    struct sw_builder *builder = example(256);
    sw_builder_reserve(builder, "memory", 5000, 5300, NULL);
    struct sw_search *s = run(must_finish(builder));
    assert_int_equal(offset(s, "x"), 0);
    assert_int_equal(offset(s, "a"), 5300);
    assert_int_equal(offset(s, "b"), 9396);
    sw_search_free(s);
}

/* A lifetime in pieces counts with its hull, and lifetimes beyond the readers are kept. */
static void test_given_lifetimes(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    const struct node nodes[] = {NODE("f", "x", "a"), NODE("g", "a", "b"), NODE("h", "b", "c"), NODE("i", "c", "y")};
    for (size_t i = 0; i < 4; i++) {
        add_node(builder, &nodes[i]);
    }
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 8},
                                     {"b", SW_KIND_INTERMEDIATE, .size = 50},
                                     {"c", SW_KIND_INTERMEDIATE, .size = 50},
                                     {"y", SW_KIND_OUTPUT, .size = 50}};
    for (size_t i = 0; i < 4; i++) {
        add_tensor(builder, &tensors[i]);
    }
    const struct sw_piece_spec pieces[] = {{0, 0, 0, 50}, {2, 2, 0, 20}};
    struct sw_buffer_spec spec = {
        .name = "a", .kind = SW_KIND_INTERMEDIATE, .has_size = true, .size = 50, .pieces = pieces, .piece_count = 2};
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    struct sw_search *s = run(must_finish(builder));
    assert_string_equal(decision(s, "token", "a")->reason, "its lifetime in pieces is taken by its hull");
    size_t notes;
    const char *const *note = sw_problem_notes(sw_search_problem(s), &notes);
    assert_int_equal(notes, 1);
    assert_string_equal(note[0], "token-sharing: 1 tensor lives in pieces, which are taken by their "
                                 "hull: holes and windows are not used");
    assert_int_not_equal(id(s, "c"), id(s, "a")); /* released after g, but alive at 2 */
    EXPECT(s, "new", "c", "refused id 1 (50 B): a, which it held, is alive at the same time",
           "chosen a new id; no block of the free pool can be taken");
    assert_int_equal(id(s, "y"), id(s, "a"));
    sw_search_free(s);
}

/* ---- what-if ---- */

static bool force(struct sw_search *s, struct sw_override o, struct sw_error *error) {
    return sw_search_force(s, &o, error);
}

static void finish_run(struct sw_search *s) {
    struct sw_error error = {0};
    if (sw_search_run(s, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        fail_msg("%s", error.message);
    }
    check_layout(s);
}

static void test_choose(void **state) {
    (void)state;
    struct sw_error error = {0};
    struct sw_search *s = run(must_finish(example(256)));
    uint64_t at = decided(s, "request", "d");
    assert_true(sw_search_seek(s, at - 1, &error));
    assert_false(force(s, (struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = 3}, &error));
    assert_string_equal(error.message, "candidate 3 does not exist: this decision has 3, numbered from 0");
    assert_true(force(s, (struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = 1}, &error));
    finish_run(s);
    assert_int_equal(id(s, "d"), 1);
    assert_true(decision(s, "request", "d")->forced);
    assert_true(sw_search_seek(s, at - 1, &error));
    assert_true(force(s, (struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = 2}, &error));
    finish_run(s);
    assert_int_equal(id(s, "d"), 4);
    assert_int_equal(peak(s), 11264 + 256);
    assert_true(sw_search_seek(s, 0, &error)); /* a token has no candidates */
    assert_false(force(s, (struct sw_override){.kind = SW_OVERRIDE_CHOOSE}, &error));
    assert_string_equal(error.message, "candidate 0 does not exist: this decision has 0, numbered from 0");
    sw_search_free(s);
}

static void test_pin_and_forbid(void **state) {
    (void)state;
    struct sw_error error = {0};
    struct sw_search *s = search_for(must_finish(example(256)));
    uint32_t b = buffer(s, "b"), d = buffer(s, "d");
    assert_true(force(s, (struct sw_override){.kind = SW_OVERRIDE_PIN, .buffer = b, .offset = 512}, &error));
    assert_true(force(s, (struct sw_override){.kind = SW_OVERRIDE_FORBID, .buffer = d, .lo = 0, .hi = 9000}, &error));
    finish_run(s);
    assert_int_equal(offset(s, "b"), 512);
    assert_int_equal(offset(s, "x"), 2560); /* all others step over it */
    assert_int_equal(offset(s, "a"), 9000); /* d takes a's id, and the id goes where d may lie */
    assert_int_equal(id(s, "d"), id(s, "a"));
    assert_false(force(s, (struct sw_override){.kind = SW_OVERRIDE_PIN, .buffer = d, .offset = 100000}, &error));
    assert_string_equal(error.message, "d shares id 1 with other tensors, and this planner deals in ids, not in "
                                       "addresses; go back to before its decision to pin it");
    sw_search_free(s);
}

/* A tensor that joins an id, in place or as a branch of a tuple, brings its forbidden ranges along. */
static void test_forbidden_to_who_joins(void **state) {
    (void)state;
    struct sw_error error = {0};
    struct sw_search *s = search_for(must_finish(in_place(80, true, "b")));
    uint32_t b = buffer(s, "b");
    assert_true(force(s, (struct sw_override){.kind = SW_OVERRIDE_FORBID, .buffer = b, .lo = 150, .hi = 160}, &error));
    finish_run(s);
    assert_int_equal(id(s, "b"), id(s, "a"));
    assert_int_equal(offset(s, "b"), 160);
    assert_int_equal(offset(s, "a"), 160);
    sw_search_free(s);
}

static struct sw_search *branches(void) {
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 8},         {"a", SW_KIND_INTERMEDIATE, .size = 40},
                                     {"b", SW_KIND_INTERMEDIATE, .size = 60}, {"t", SW_KIND_INTERMEDIATE, .size = 100},
                                     {"p", SW_KIND_INTERMEDIATE, .size = 60}, {"y", SW_KIND_OUTPUT, .size = 1}};
    const struct node nodes[] = {NODE("f", "x", "a"), NODE("g", "a", "b"), NODE("pack", "a b", "t", .kind = "tuple"),
                                 NODE("second", "t", "p", .kind = "get-item"), NODE("end", "p", "y")};
    return search_for(must_finish(BEGIN(tensors, nodes)));
}

static void test_forbidden_to_a_branch(void **state) {
    (void)state;
    struct sw_error error = {0};
    struct sw_search *s = branches();
    uint32_t b = buffer(s, "b"), p = buffer(s, "p");
    struct sw_override forbid = {.kind = SW_OVERRIDE_FORBID, .buffer = p, .lo = 0, .hi = 200};
    assert_true(force(s, forbid, &error));
    finish_run(s);
    assert_int_equal(offset(s, "b"), 200);
    assert_int_equal(offset(s, "p"), 200);
    sw_search_free(s);

    s = branches();
    assert_true(force(s, forbid, &error));
    assert_true(force(s, (struct sw_override){.kind = SW_OVERRIDE_PIN, .buffer = b, .offset = 64}, &error));
    assert_int_equal(sw_search_run(s, 0, NULL, NULL, &error), SW_STEP_FAILED);
    assert_int_equal(error.code, SW_ERROR_INFEASIBLE);
    assert_string_equal(error.message, "p shares the memory of b, which is pinned into a range "
                                       "forbidden to p");
    sw_search_free(s);
}

static void test_pins_of_the_input(void **state) {
    (void)state;
    struct sw_builder *builder = in_place(80, true, "b");
    struct sw_buffer_spec spec = {.name = "w",
                                  .kind = SW_KIND_SCRATCH,
                                  .has_size = true,
                                  .size = 40,
                                  .has_first = true,
                                  .has_last = true,
                                  .first = 1,
                                  .last = 1,
                                  .has_offset = true,
                                  .offset = 150};
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    struct sw_search *s = run(must_finish(builder));
    assert_int_equal(offset(s, "w"), 150);
    assert_int_equal(offset(s, "x"), 0);
    assert_int_equal(offset(s, "a"), 190); /* 100..200 would meet it */
    assert_string_equal(decision(s, "new", "w")->reason, "pinned here by the input");
    sw_search_free(s);
}

/* ---- several cores, separation ---- */

static void test_cores(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 8},         {"a", SW_KIND_INTERMEDIATE, .size = 50},
                                     {"b", SW_KIND_INTERMEDIATE, .size = 50}, {"c", SW_KIND_INTERMEDIATE, .size = 50},
                                     {"d", SW_KIND_INTERMEDIATE, .size = 50}, {"y", SW_KIND_OUTPUT, .size = 50}};
    const struct node nodes[] = {NODE("f", "x", "a", .core = "A"), NODE("g", "a", "b", .core = "A"),
                                 NODE("h", "x", "c", .core = "B"), NODE("i", "c", "d", .core = "B", .inplace = true),
                                 NODE("j", "b", "y", .core = "A", .inplace = true)};
    struct sw_search *s = RUN(tensors, nodes);
    assert_int_not_equal(id(s, "c"), id(s, "a")); /* B may run while A does */
    assert_int_equal(id(s, "d"), id(s, "c"));
    assert_int_equal(id(s, "y"), id(s, "b"));
    sw_search_free(s);
}

static void test_in_place_across_cores(void **state) {
    (void)state;
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 8},
                                     {"a", SW_KIND_INTERMEDIATE, .size = 50},
                                     {"b", SW_KIND_INTERMEDIATE, .size = 50},
                                     {"y", SW_KIND_OUTPUT, .size = 50}};
    const struct node nodes[] = {NODE("f", "x", "a", .core = "A"), NODE("g", "a", "b", .core = "A", .inplace = true),
                                 NODE("h", "b", "y", .core = "B")};
    struct sw_search *s = RUN(tensors, nodes);
    EXPECT(s, "new", "b", "refused id 1: b is also touched on another core",
           "chosen a new id; no block of the free pool can be taken");
    sw_search_free(s);
}

/* ---- what the check grants ---- */

/* r is a reshape of a; both at the same place, or r elsewhere over a; a may be written once more.
 */
static size_t faults(bool rewritten, bool permit, uint64_t offset) {
    const struct tensor tensors[] = {{"x", SW_KIND_INPUT, .size = 8},
                                     {"a", SW_KIND_INTERMEDIATE, .size = 50},
                                     {"r", SW_KIND_INTERMEDIATE, .size = 50},
                                     {"y", SW_KIND_OUTPUT, .size = 5}};
    const struct node nodes[] = {NODE("f", "x", "a"), NODE("flat", "a", "r", .kind = "reshape"),
                                 NODE("g", "x", rewritten ? "a" : ""), NODE("h", "a r", "y")};
    struct sw_problem *problem = must_finish(BEGIN(tensors, nodes));
    struct sw_layout *layout = sw_layout_new(problem, NULL);
    const uint64_t offsets[] = {0, 10, offset, 200};
    for (uint32_t b = 0; b < 4; b++) {
        assert_true(sw_layout_place(layout, b, 0, offsets[b]));
    }
    assert_true(!permit || sw_layout_permit(layout, &(struct sw_permit){2, 1, 1}));
    size_t count = sw_fault_count(layout, NULL, NULL);
    sw_layout_free(layout);
    sw_problem_unref(problem);
    return count;
}

static void test_aliases_are_checked(void **state) {
    (void)state;
    assert_int_equal(faults(false, true, 10), 0);
    assert_int_equal(faults(false, false, 10), 0); /* whether the layout speaks of it or not */
    assert_int_equal(faults(true, true, 10), 1);   /* r would see what is written to a */
    assert_int_equal(faults(false, true, 20), 1);  /* not the same bytes */
    assert_int_equal(faults(false, true, 70), 0);
}

static void test_separate(void **state) {
    (void)state;
    struct sw_builder *builder = in_place(80, true, "b");
    assert_true(sw_builder_separate(builder, "b", "a", NULL));
    assert_true(sw_builder_separate(builder, "y", "a", NULL));
    struct sw_search *s = run(must_finish(builder));
    assert_int_not_equal(id(s, "b"), id(s, "a"));
    assert_int_not_equal(id(s, "y"), id(s, "a"));
    sw_search_free(s);
}

/* ---- the problem it is about ---- */

static void test_derived(void **state) {
    (void)state;
    struct sw_problem *problem = must_finish(example(256));
    struct sw_search *s = sw_search_new(problem, sw_planner_find("token-sharing", NULL), NULL, NULL);
    assert_ptr_equal(sw_search_problem(s), problem); /* nothing adopted: the user's own */
    sw_search_free(s);
    sw_problem_unref(problem);
    /* Another planner begun from what this one shows is about the user's problem again. */
    s = on_units(true);
    struct sw_search *other = sw_search_new(sw_search_problem(s), sw_planner_find("first-fit", NULL), NULL, NULL);
    assert_int_equal(size(other, "a"), 300);
    struct sw_search *again = sw_search_new(sw_search_problem(s), sw_planner_find("token-sharing", NULL), NULL, NULL);
    assert_true(sw_search_run(again, 0, NULL, NULL, NULL) == SW_STEP_DONE);
    assert_int_equal(sw_search_digest(again), sw_search_digest(s));
    sw_search_free(again);
    sw_search_free(other);
    sw_search_free(s);
}

static void test_needs_operators(void **state) {
    (void)state;
    struct sw_error error = {0};
    const int64_t rows[][3] = {{0, 1, 4}};
    struct sw_problem *problem = plain_problem(rows, 1);
    assert_null(sw_search_new(problem, sw_planner_find("token-sharing", NULL), NULL, &error));
    assert_int_equal(error.code, SW_ERROR_UNSUPPORTED);
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operator_layer),
        cmocka_unit_test(test_inner_takes_free_ids),
        cmocka_unit_test(test_functions_reuse),
        cmocka_unit_test(test_function_chains),
        cmocka_unit_test(test_spaces),
        cmocka_unit_test(test_capacity),
        cmocka_unit_test(test_alignment),
        cmocka_unit_test(test_reserved),
        cmocka_unit_test(test_given_lifetimes),
        cmocka_unit_test(test_choose),
        cmocka_unit_test(test_pin_and_forbid),
        cmocka_unit_test(test_forbidden_to_who_joins),
        cmocka_unit_test(test_forbidden_to_a_branch),
        cmocka_unit_test(test_pins_of_the_input),
        cmocka_unit_test(test_cores),
        cmocka_unit_test(test_in_place_across_cores),
        cmocka_unit_test(test_aliases_are_checked),
        cmocka_unit_test(test_separate),
        cmocka_unit_test(test_derived),
        cmocka_unit_test(test_needs_operators),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
