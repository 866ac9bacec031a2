/* segment-genetic and farthest-next-use: what cannot be, the layouts they make, what a user may
 * demand, and lack of memory. */
#include "segment_problems.h"
#include "faults.h"

/* ---- what cannot be ---- */

static void add_step(struct sw_builder *builder, const char *name, const char *const *inputs, size_t count,
                     const char *output) {
    struct sw_operator_spec spec = {
        .name = name, .inputs = inputs, .input_count = count, .outputs = &output, .output_count = 1};
    assert_true(sw_builder_operator(builder, &spec, NULL));
}

static void add_sized(struct sw_builder *builder, const char *name, enum sw_kind kind, uint64_t size) {
    struct sw_buffer_spec spec = {.name = name, .kind = kind, .has_size = true, .size = size};
    assert_true(sw_builder_buffer(builder, &spec, NULL));
}

/* x -> a -> b -> c -> y = f(a, c): a has to leave and to come back. */
static struct sw_builder *chain(struct sw_builder *builder) {
    add_step(builder, "op0", (const char *const[]){"x"}, 1, "a");
    add_step(builder, "op1", (const char *const[]){"a"}, 1, "b");
    add_step(builder, "op2", (const char *const[]){"b"}, 1, "c");
    add_step(builder, "op3", (const char *const[]){"c"}, 1, "d");
    add_step(builder, "op4", (const char *const[]){"a", "d"}, 2, "y");
    add_sized(builder, "x", SW_KIND_INPUT, 10);
    add_sized(builder, "a", SW_KIND_INTERMEDIATE, 10);
    add_sized(builder, "b", SW_KIND_INTERMEDIATE, 10);
    add_sized(builder, "c", SW_KIND_INTERMEDIATE, 10);
    add_sized(builder, "d", SW_KIND_INTERMEDIATE, 10);
    add_sized(builder, "y", SW_KIND_OUTPUT, 10);
    return builder;
}

/* Chains that fill two segments of half the device each: where the first objects go decides about all others. */
static void tight_chains(void **state) {
    (void)state;
    enum { LENGTH = 200, LARGEST = 500 };
    for (uint64_t seed = 1; seed <= 5; seed++) {
        struct sw_builder *builder = device(64 << 10);
        uint64_t random = seed;
        char names[LENGTH][16], operators[LENGTH][16];
        for (uint32_t i = 0; i < LENGTH; i++) {
            snprintf(names[i], sizeof names[i], "b%u", i);
            snprintf(operators[i], sizeof operators[i], "op%u", i);
            add_sized(builder, names[i], SW_KIND_INTERMEDIATE, 64 * (1 + sw_random_below(&random, LARGEST)));
            add_step(builder, operators[i], (const char *const[]){names[i ? i - 1 : 0]}, i > 0, names[i]);
        }
        struct sw_problem *problem = must_finish(builder);
        struct sw_search *search = search_with(problem, "segment-genetic", SETTINGS({"choices", "good"}));
        run(search);
        assert_int_equal(migration(search), 0);
        assert_int_equal(sw_fault_count(sw_search_layout(search), print_fault, (void *)(uintptr_t)problem), 0);
        sw_search_free(search);
        search = search_with(problem, "segment-genetic", NULL);
        assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_FAILED); /* by lot there is none */
        sw_search_free(search);
        sw_problem_unref(problem);
    }
}

/* Chains with shortcuts, in three segments of a third of the device: it takes many states side by side to find out
 * which objects may go where. Of these seeds none has a sequence that was made object by object. */
static void tight_shortcuts(void **state) {
    (void)state;
    enum { LENGTH = 600, LARGEST = 340, BACK = 20 };
    static const uint64_t seeds[] = {5, 11, 14, 19, 22};
    for (size_t n = 0; n < sizeof seeds / sizeof *seeds; n++) {
        struct sw_builder *builder = device(64 << 10);
        uint64_t random = seeds[n];
        char names[LENGTH][16], operators[LENGTH][16];
        for (uint32_t i = 0; i < LENGTH; i++) {
            snprintf(names[i], sizeof names[i], "b%u", i);
            snprintf(operators[i], sizeof operators[i], "op%u", i);
            add_sized(builder, names[i], SW_KIND_INTERMEDIATE, 64 * (1 + sw_random_below(&random, LARGEST)));
            bool more = i > BACK && sw_random_below(&random, 6) == 0;
            uint32_t back = more ? 2 + (uint32_t)sw_random_below(&random, BACK - 1) : 0;
            add_step(builder, operators[i], (const char *const[]){names[i ? i - 1 : 0], names[i - back]},
                     more ? 2 : i > 0, names[i]);
        }
        struct sw_problem *problem = must_finish(builder);
        struct sw_search *search = search_with(problem, "segment-genetic", SETTINGS({"choices", "good"}));
        run(search);
        assert_int_equal(sw_fault_count(sw_search_layout(search), print_fault, (void *)(uintptr_t)problem), 0);
        sw_search_free(search);
        sw_problem_unref(problem);
    }
}

static void infeasible_runs(void **state) {
    (void)state;
    uint64_t digest = 0;
    struct sw_error error = {0};
    struct sw_problem *problem = must_finish(chain(device(29)));
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_FAILED);
    assert_int_equal(error.code, SW_ERROR_INFEASIBLE);
    assert_string_equal(error.message, "no segments can hold what operators touch at once: they need at least the "
                                       "sizes of x (10 B), a (10 B), y (10 B), together 30 B, and device has 29 B");
    struct sw_claims claims;
    sw_search_claims(search, &claims);
    assert_false(claims.has_migration);
    sw_search_free(search);
    search = search_with(problem, "farthest-next-use", NULL);
    while (sw_search_step(search, &error) == SW_STEP_MORE) {
        digest = sw_search_digest(search);
    }
    assert_true(sw_search_digest(search) == digest); /* failing changes nothing */
    assert_string_equal(error.message, "y (10 B) finds no room in device at time 4, for op4: 20 B of its "
                                       "29 B are in use then or may not leave");
    sw_search_free(search);
    sw_problem_unref(problem);

    problem = must_finish(chain(device(30)));
    search = search_with(problem, "segment-genetic", SETTINGS({"k", "2"}));
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_FAILED);
    assert_int_equal(error.code, SW_ERROR_INFEASIBLE);
    assert_non_null(strstr(error.message, "no sequence was found in which all objects of an operator "
                                          "lie in different segments: op"));
    assert_non_null(strstr(error.message, " of 2"));
    sw_search_free(search);
    sw_problem_unref(problem);

    problem = must_finish(chain(device(9)));
    search = search_with(problem, "segment-genetic", NULL);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_FAILED);
    assert_string_equal(error.message, "x (10 B) does not fit into device");
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void needs(void **state) {
    (void)state;
    struct sw_error error = {0};
    const struct sw_planner *planner = sw_planner_find("segment-genetic", NULL);
    struct sw_problem *problem = must_finish(chain(sw_builder_new(NULL)));
    assert_false(sw_planner_applies(planner, problem, &error));
    assert_string_equal(error.message, "segment-genetic needs a limited capacity of the first tier, "
                                       "and none is given");
    sw_problem_unref(problem);
    struct sw_builder *builder = device(100);
    add_plain(builder, "a", 0, 3, 10);
    problem = must_finish(builder);
    assert_false(sw_planner_applies(planner, problem, &error));
    assert_string_equal(error.message, "segment-genetic needs to know when every buffer is accessed, "
                                       "and this list of buffers does not say");
    assert_false(sw_layout_has_host(problem));
    sw_problem_unref(problem);
}

/* ---- the layout ---- */

static size_t faults;
static enum sw_fault_kind last_fault;

static void keep_fault(void *context, const struct sw_fault *fault) {
    char text[300];
    assert_true(sw_fault_describe(context, fault, text, sizeof text) > 0);
    faults++;
    last_fault = fault->kind;
}

static void expect_fault(const struct sw_layout *layout, enum sw_fault_kind kind) {
    faults = 0;
    sw_fault_count(layout, keep_fault, (void *)(uintptr_t)sw_layout_problem(layout));
    assert_int_equal(faults, 1);
    assert_int_equal(last_fault, kind);
}

static void put(struct sw_layout *layout, uint32_t buffer, uint64_t offset, uint32_t from, uint32_t to) {
    assert_true(sw_layout_place_span(layout, &(struct sw_placement){buffer, 0, offset, {from, to}}));
}

static void move(struct sw_layout *layout, uint32_t buffer, uint32_t step, uint32_t from, uint32_t to) {
    assert_true(sw_layout_transfer(layout, &(struct sw_transfer){buffer, step, from, to}));
}

/* What the checker says of a buffer that is away between its accesses at 0 and 4. */
static void host_memory(void **state) {
    (void)state;
    struct sw_builder *builder = device(10);
    add_object(builder, "a", 10, AT(0, 4));
    add_object(builder, "b", 10, AT(1, 2, 3));
    struct sw_problem *problem = must_finish(builder);
    assert_true(sw_layout_has_host(problem));
    for (int fault = 0; fault < 8; fault++) {
        struct sw_layout *layout = sw_layout_new(problem, NULL);
        put(layout, 0, 0, 0, 0);
        if (fault != 7) {
            put(layout, 0, 0, 4, 4);
        }
        if (fault != 1 && fault != 2) {
            move(layout, 0, 1, 0, SW_NONE);
        }
        if (fault != 1 && fault != 3 && fault != 7) {
            move(layout, 0, 4, SW_NONE, 0);
        }
        if (fault == 4) { /* away at step 2, where it is accessed */
            put(layout, 1, 0, 1, 1);
            put(layout, 1, 0, 3, 3);
            move(layout, 1, 2, 0, SW_NONE);
            move(layout, 1, 3, SW_NONE, 0);
        } else {
            put(layout, 1, 0, 1, 3);
        }
        if (fault == 5) { /* said to leave while it stays */
            move(layout, 1, 2, 0, SW_NONE);
        }
        if (fault == 6) { /* back too early: over b */
            assert_true(sw_layout_lift(layout, 0));
            put(layout, 0, 0, 0, 0);
            put(layout, 0, 0, 3, 4);
        }
        switch (fault) {
        case 0:
            assert_int_equal(sw_fault_count(layout, NULL, NULL), 0);
            break;
        case 1:
            expect_fault(layout, SW_FAULT_MISSING);
            break;
        case 4:
        case 7:
            expect_fault(layout, SW_FAULT_AWAY);
            break;
        case 6:
            assert_true(sw_fault_count(layout, NULL, NULL) > 0);
            break;
        default:
            expect_fault(layout, SW_FAULT_TRANSFER);
            break;
        }
        sw_layout_free(layout);
    }
    sw_problem_unref(problem);
}

/* Without an end to the tier, or pinned in it, no block may be away. */
static void no_host_memory(void **state) {
    (void)state;
    for (int way = 0; way < 3; way++) {
        struct sw_builder *builder = device(way == 0 ? SW_UNBOUNDED : 20);
        int64_t accesses[] = {0, 4};
        struct sw_buffer_spec spec = {.name = "a",
                                      .kind = SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = 10,
                                      .has_first = true,
                                      .has_last = true,
                                      .first = 0,
                                      .last = 4,
                                      .accesses = accesses,
                                      .access_count = 2,
                                      .has_accesses = true,
                                      .tier = way == 1 ? "device" : NULL,
                                      .has_offset = way == 2,
                                      .offset = 0};
        assert_true(sw_builder_buffer(builder, &spec, NULL));
        add_object(builder, "b", 10, AT(1, 2, 3));
        sw_builder_offsets(builder, SW_OFFSETS_PINS);
        struct sw_problem *problem = must_finish(builder);
        struct sw_layout *layout = sw_layout_new(problem, NULL);
        put(layout, 0, 0, 0, 0);
        put(layout, 0, 0, 4, 4);
        put(layout, 1, 10, 1, 3);
        move(layout, 0, 1, 0, SW_NONE);
        move(layout, 0, 4, SW_NONE, 0);
        assert_true(sw_fault_count(layout, NULL, NULL) > 0);
        sw_layout_free(layout);
        sw_problem_unref(problem);
    }
}

/* The first object moves out of the way of the others and comes back. */
static void turns_in_a_chain(void **state) {
    (void)state;
    struct sw_problem *problem = must_finish(chain(device(30)));
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    run(search);
    const struct sw_layout *layout = sw_search_layout(search);
    uint64_t moved = 0;
    for (size_t i = 0; i < sw_layout_transfer_count(layout); i++) {
        struct sw_transfer t = sw_layout_transfer_get(layout, i);
        assert_true((t.from == 0 && t.to == SW_NONE) || (t.from == SW_NONE && t.to == 0));
        moved += sw_problem_find_buffer(problem, "a") == t.buffer ? 10 : 0;
    }
    assert_int_equal(migration(search), moved);
    assert_true(sw_layout_peak(layout) <= 30);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* With a second tier that is the host: every block has a home there while away. */
static void a_tier_as_host(void **state) {
    (void)state;
    struct sw_builder *builder = device(30);
    assert_true(sw_builder_tier(builder, &(struct sw_tier){.name = "dram", .capacity = SW_UNBOUNDED}, NULL));
    struct sw_problem *problem = must_finish(chain(builder));
    assert_false(sw_layout_has_host(problem));
    /* One segment fewer than the operators need is not enough; three are. All seeds agree. */
    struct sw_search *search = search_with(problem, "segment-genetic", SETTINGS({"k", "3"}));
    run(search);
    const struct sw_layout *layout = sw_search_layout(search);
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        struct sw_placement p;
        for (uint32_t s = buffer->first; s <= buffer->last; s++) {
            assert_true(sw_layout_at(layout, b, s, &p));
        }
        for (uint32_t i = 0; i < buffer->access_count; i++) {
            assert_true(sw_layout_at(layout, b, buffer->accesses[i], &p) && p.tier == 0);
        }
    }
    assert_true(sw_layout_transfer_count(layout) > 0 || migration(search) == 0);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* What is pinned keeps its place, and segments lie around it and around reserved ranges. */
static void pinned_and_reserved(void **state) {
    (void)state;
    struct sw_builder *builder = device(100);
    add_object(builder, "A", 30, AT(1, 5));
    add_object(builder, "B", 20, AT(2, 6));
    add_object(builder, "C", 10, AT(3, 7));
    struct sw_buffer_spec spec = {.name = "P",
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = 10,
                                  .has_first = true,
                                  .has_last = true,
                                  .first = 4,
                                  .last = 4,
                                  .accesses = (const int64_t[]){4},
                                  .access_count = 1,
                                  .has_accesses = true,
                                  .has_offset = true,
                                  .offset = 5};
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    assert_true(sw_builder_reserve(builder, "device", 40, 50, NULL));
    sw_builder_offsets(builder, SW_OFFSETS_PINS);
    struct sw_problem *problem = must_finish(builder);
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    run(search);
    /* A of 30 goes between 50 and 80, B to 15..35, C to 80..90. */
    static const uint64_t offsets[] = {50, 15, 80, 5};
    for (uint32_t i = 0; i < 4; i++) {
        struct sw_placement p;
        assert_true(sw_layout_placement(sw_search_layout(search), i, 0, &p));
        assert_int_equal(p.offset, offsets[i]);
    }
    assert_int_equal(migration(search), 0);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void alignment(void **state) {
    (void)state;
    struct sw_builder *builder = device(64);
    const uint64_t sizes[] = {20, 18, 10, 9}, alignments[] = {4, 16, 8, 1};
    for (int i = 0; i < 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "a%d", i);
        struct sw_buffer_spec spec = {.name = name,
                                      .kind = SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = sizes[i],
                                      .alignment = alignments[i],
                                      .has_first = true,
                                      .has_last = true,
                                      .first = i,
                                      .last = 8 + i,
                                      .accesses = (const int64_t[]){i, 8 + i},
                                      .access_count = 2,
                                      .has_accesses = true};
        assert_true(sw_builder_buffer(builder, &spec, NULL));
    }
    struct sw_problem *problem = must_finish(builder);
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    run(search); /* the check knows about alignment */
    struct sw_explanation e = {0};
    uint64_t i = find(search, SW_DECISION_PARTITION, 0);
    assert_true(sw_search_explain(search, i, &e, NULL));
    /* 20 at 0, 18 at 32, 10 at 20 -> 24 would hit 32: at 56 it would end at 66; so two segments. */
    assert_int_equal(e.candidates.items[1].offset, 32);
    assert_int_equal(e.candidates.count, 2);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- what a user may demand ---- */

static void what_if(void **state) {
    (void)state;
    struct sw_error error = {0};
    struct sw_problem *problem = example();
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    struct sw_override pin = {.kind = SW_OVERRIDE_PIN, .buffer = 3, .tier = 0, .offset = 70};
    struct sw_override forbid = {.kind = SW_OVERRIDE_FORBID, .buffer = SW_NONE, .tier = 0, .lo = 0, .hi = 5};
    assert_true(sw_search_force(search, &pin, &error));
    assert_true(sw_search_force(search, &forbid, &error));
    run(search); /* A at 5..55; B does not fit any more between 55 and 70 or above 90 */
    struct sw_placement p;
    assert_true(sw_layout_placement(sw_search_layout(search), 0, 0, &p));
    assert_int_equal(p.offset, 5);
    assert_true(sw_layout_placement(sw_search_layout(search), 3, 0, &p));
    assert_int_equal(p.offset, 70);
    sw_search_free(search);

    search = search_with(problem, "segment-genetic", NULL);
    run(search);
    assert_true(sw_search_seek(search, 3, &error));
    assert_false(sw_search_force(search, &pin, &error));
    assert_string_equal(error.message, "segment-genetic lays out its segments around what is pinned and forbidden, "
                                       "so it has to know before its first decision: go back to the start to pin a "
                                       "block");
    /* K = 1: all objects take turns in the only segment. */
    uint64_t choose = find(search, SW_DECISION_CHOOSE, 0);
    assert_true(sw_search_seek(search, choose - 1, &error));
    assert_true(sw_search_force(search, &(struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = 0}, &error));
    run(search);
    assert_int_equal(detail(search, "segments", NULL, 1), -1);
    assert_true(sw_search_journal(search, choose)->forced);
    assert_int_equal(migration(search), 2 * (50 + 40 + 30));
    /* What was refused cannot be taken; and drawing is no choice. */
    assert_true(sw_search_seek(search, choose - 1, &error));
    assert_false(sw_search_force(search, &(struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = 2}, &error));
    assert_true(sw_search_seek(search, choose + 1, &error));
    assert_false(sw_search_force(search, &(struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = 0}, &error));
    assert_non_null(strstr(error.message, "offers no candidates for this decision"));
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void choose_segment_and_group(void **state) {
    (void)state;
    struct sw_error error = {0};
    struct sw_problem *problem = busy(2);
    struct sw_search *search = search_with(problem, "segment-genetic", SETTINGS({"rounds", "3"}));
    run(search);
    uint64_t cross = find(search, SW_DECISION_CROSSOVER, 0);
    uint32_t part = sw_decision_part(sw_search_journal(search, cross)), other = part == 0;
    assert_true(sw_search_seek(search, cross - 1, &error));
    assert_true(sw_search_force(search, &(struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = other}, &error));
    run(search);
    assert_int_equal(sw_decision_part(sw_search_journal(search, cross)), other);
    sw_search_free(search);
    sw_problem_unref(problem);
    problem = merge_example();
    search = search_with(problem, "segment-genetic", NULL);
    run(search);
    assert_true(sw_search_seek(search, 1, &error)); /* runs are joined, the group comes */
    assert_true(sw_search_force(search, &(struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = 1}, &error));
    run(search);
    assert_int_equal(sw_decision_amount(sw_search_journal(search, find(search, SW_DECISION_SORT, 0))), 6);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void sentences(void **state) {
    (void)state;
    struct sw_problem *problem = example();
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    struct sw_explanation e = {0};
    run(search);
    uint64_t choose = find(search, SW_DECISION_CHOOSE, 0);
    assert_true(sw_search_explain(search, choose, &e, NULL));
    assert_int_equal(e.candidates.count, 3);
    assert_string_equal(e.candidates.items[0].reason, "K = 1, the last segment for A: 50 B of 100 B");
    assert_string_equal(e.candidates.items[1].reason, "chosen: K = 2, the last segment for B: 90 B of 100 B");
    assert_string_equal(e.candidates.items[2].reason,
                        "C (30 B) refused a segment: 90 B of device are taken, and no free range of "
                        "30 B is left");
    assert_true(sw_search_explain(search, find(search, SW_DECISION_PARTITION, 0), &e, NULL));
    assert_string_equal(e.candidates.items[1].reason, "segment 1, 40 B at device+50, belongs to B");
    /* Every decision has a sentence, and every candidate a reason. */
    for (uint64_t i = 1; i <= 150 && i <= sw_search_known(search); i++) {
        char text[300];
        assert_true(sw_search_explain(search, i, &e, NULL));
        assert_true(sw_decision_describe(problem, &e.decision, text, sizeof text) > 8);
        assert_null(strstr(text, "18446744073709551615"));
        for (size_t k = 0; k < e.candidates.count; k++) {
            assert_true(e.candidates.items[k].reason[0] != '\0');
        }
    }
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* A run that is stopped answers with the best sequence so far. */
static void stopped(void **state) {
    (void)state;
    struct sw_problem *problem = busy(4);
    struct sw_search *search = search_with(problem, "segment-genetic", NULL);
    struct sw_error error = {0};
    assert_true(sw_search_seek(search, 40, &error)); /* in the middle of the first population */
    assert_int_equal(sw_layout_placed_count(sw_search_layout(search)), 0);
    uint64_t claimed = migration(search);
    assert_true(claimed > 0 && sw_search_settle(search, &error));
    assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 0);
    run(search);
    assert_true(migration(search) <= claimed);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- farthest-next-use and the bound ---- */

static void farthest(void **state) {
    (void)state;
    struct sw_error error = {0};
    struct sw_problem *problem = example();
    struct sw_search *search = search_with(problem, "farthest-next-use", NULL);
    run(search);
    /* 1 A, 2 B; 3 C: A (7) leaves, 50; 4 D; 5 and 6 hit; 7 A again, 50: no other is wanted any
     * more, so the largest leaves, and C, D and A are 100. */
    assert_int_equal(migration(search), 100);
    assert_int_equal(detail(search, "migration_bound", NULL, 0), 80);
    assert_int_equal(sw_layout_peak(sw_search_layout(search)), 100);
    uint64_t evict = find(search, SW_DECISION_EVICT, 0);
    struct sw_explanation e = {0};
    assert_int_equal(evict, 3);
    assert_true(sw_search_explain(search, evict, &e, NULL));
    assert_int_equal(e.candidates.count, 2);
    assert_string_equal(e.candidates.items[0].reason, "chosen: A (50 B) is next accessed at time 7");
    assert_string_equal(e.candidates.items[1].reason, "B (40 B) is next accessed at time 6");
    char text[200];
    sw_decision_describe(problem, sw_search_journal(search, evict), text, sizeof text);
    assert_string_equal(text,
                        "moves A (50 B) out of device for C, migration 0 -> 50 B: its next access is the farthest");
    /* Another resident: B leaves instead and comes back at 6. */
    assert_true(sw_search_seek(search, evict - 1, &error));
    assert_true(sw_search_force(search, &(struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = 1}, &error));
    run(search);
    assert_int_equal(sw_search_journal(search, evict)->buffer, 1);
    assert_true(sw_search_journal(search, evict)->forced);
    struct sw_override pin = {.kind = SW_OVERRIDE_PIN, .buffer = 3, .tier = 0, .offset = 70};
    assert_false(sw_search_force(search, &pin, &error));
    assert_string_equal(error.message, "farthest-next-use deals in no addresses: it cannot pin a block");
    struct sw_override forbid = {.kind = SW_OVERRIDE_FORBID, .buffer = SW_NONE, .tier = 0, .lo = 0, .hi = 5};
    assert_false(sw_search_force(search, &forbid, &error));
    assert_string_equal(error.message, "farthest-next-use deals in no addresses: it cannot keep off a range");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* What the present operator touches stays. */
static void in_use_stays(void **state) {
    (void)state;
    struct sw_problem *problem = must_finish(chain(device(30)));
    struct sw_search *search = search_with(problem, "farthest-next-use", NULL);
    run(search);
    /* x a | b | x out, c | ... a is never in the way: x, b, c die first. */
    assert_int_equal(migration(search), 0);
    struct sw_explanation e = {0};
    uint64_t evict = find(search, SW_DECISION_EVICT, 0);
    assert_true(sw_search_explain(search, evict, &e, NULL));
    assert_string_equal(e.candidates.items[0].reason, "chosen: x (10 B) is never accessed again");
    assert_string_equal(e.candidates.items[2].reason, "b (10 B) is never accessed again, and is in use at this step");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void bound_and_proof(void **state) {
    (void)state;
    struct sw_problem *problem = example();
    struct sw_migration bound = {0};
    assert_true(sw_problem_migration_bound(problem, &bound));
    /* At 3 and at 4 twenty bytes of A have to go; at 7 all forty come back. */
    assert_true(bound.feasible);
    assert_int_equal(bound.bytes, 80);
    assert_int_equal(bound.count, 1);
    assert_int_equal(bound.items[0].buffer, 0);
    assert_int_equal(bound.items[0].bytes, 40);
    assert_int_equal(sw_problem_time(problem, bound.items[0].step), 7);
    sw_migration_done(&bound);
    sw_problem_unref(problem);
    problem = must_finish(chain(device(9)));
    assert_true(sw_problem_migration_bound(problem, &bound));
    assert_false(bound.feasible);
    sw_migration_done(&bound);
    sw_problem_unref(problem);
    /* Reserved bytes are no room. */
    struct sw_builder *builder = device(100);
    add_object(builder, "A", 50, AT(1, 3));
    add_object(builder, "B", 50, AT(2, 4));
    assert_true(sw_builder_reserve(builder, "device", 0, 10, NULL));
    assert_true(sw_builder_reserve(builder, "device", 5, 20, NULL));
    problem = must_finish(builder);
    assert_true(sw_problem_migration_bound(problem, &bound));
    assert_int_equal(bound.bytes, 2 * 20 + 2 * 20);
    sw_migration_done(&bound);
    sw_problem_unref(problem);
}

/* ---- lack of memory ---- */

static struct { uint64_t count, fail_at; } memory;

static void *faulty(void *context, void *pointer, size_t old_size, size_t new_size) {
    (void)context;
    (void)old_size;
    if (new_size == 0) {
        free(pointer);
        return NULL;
    }
    return ++memory.count == memory.fail_at ? NULL : realloc(pointer, new_size);
}

static void starving(void **state) {
    (void)state;
    static const char *const planners[] = {"segment-genetic", "farthest-next-use"};
    sw_mem_hook(faulty, NULL);
    struct sw_problem *problem = merge_example();
    for (size_t k = 0; k < 2; k++) {
        const struct sw_planner *planner = sw_planner_find(planners[k], NULL);
        struct sw_params params = SW_PARAMS_DEFAULT;
        if (k == 0) {
            sw_params_set(&params, "rounds", "2", NULL);
            sw_params_set(&params, "population", "6", NULL);
        }
        uint64_t wanted = 0;
        bool whole = false;
        for (uint64_t at = 0; !whole; at++) {
            struct sw_error error = {0};
            memory.count = 0;
            memory.fail_at = at;
            struct sw_search *search = sw_search_new(problem, planner, &params, &error);
            enum sw_step end = SW_STEP_FAILED;
            if (search) {
                sw_search_budget(search, 1 << 20, 50);
                end = sw_search_run(search, 0, NULL, NULL, &error);
            }
            whole = at > 0 && memory.count < at;
            memory.fail_at = 0;
            assert_true(end == SW_STEP_DONE || error.code == SW_ERROR_MEMORY);
            if (search) {
                run(search); /* and goes on as if nothing had happened */
                wanted = at == 0 ? sw_search_digest(search) : wanted;
                assert_true(sw_search_digest(search) == wanted);
            }
            sw_search_free(search);
        }
        sw_params_done(&params);
    }
    sw_problem_unref(problem);
    sw_mem_hook(NULL, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(infeasible_runs),
        cmocka_unit_test(tight_chains),
        cmocka_unit_test(tight_shortcuts),
        cmocka_unit_test(needs),
        cmocka_unit_test(host_memory),
        cmocka_unit_test(no_host_memory),
        cmocka_unit_test(turns_in_a_chain),
        cmocka_unit_test(a_tier_as_host),
        cmocka_unit_test(pinned_and_reserved),
        cmocka_unit_test(alignment),
        cmocka_unit_test(what_if),
        cmocka_unit_test(choose_segment_and_group),
        cmocka_unit_test(sentences),
        cmocka_unit_test(stopped),
        cmocka_unit_test(farthest),
        cmocka_unit_test(in_use_stays),
        cmocka_unit_test(bound_and_proof),
        cmocka_unit_test(starving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
