/* lifetime-best-fit on the worked examples of its specification, and its rules one by one. */
#include "unit/planners.h"
#include "faults.h"

/* ---- the examples of the specification ---- */

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
        if (d->kind == SW_DECISION_PLACE || d->kind == SW_DECISION_APPEND || d->kind == SW_DECISION_GROW) {
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
        "append t0 0 2048 live 2048",   "append t1 2048 2048 live 4096", "append t2 4096 1024 live 5120",
        "release t0 0 2048 live 3072",  "place t3 0 2048 live 5120",     "release t2 4096 1024 live 4096",
        "place t4 4096 1024 live 5120", "release t3 0 2048 live 1024",   "release t1 2048 2048 live 1024",
        "coalesce t1 0 4096 live 1024", "place t5 0 4096 live 5120",
    };
    assert_int_equal(sw_search_known(search), sizeof told / sizeof told[0]);
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        char text[100];
        snprintf(text, sizeof text, "%s %s %llu %llu live %llu", sw_decision_word((enum sw_decision_kind)d->kind),
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
    expect_candidate(&e, 0, "chosen", 2048, SW_UNBOUNDED, "no block is free, so the arena grows at its end");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);

    static const struct row rows[] = {ROW("a", 0, 0, 100),    ROW("wall", 0, 9, 10), ROW("b", 0, 0, 40),
                                      ROW("wall2", 0, 9, 10), ROW("c", 1, 1, 30),    ROW("d", 1, 1, 45)};
    problem = FROM(rows);
    search = run(problem, "lifetime-best-fit");
    explain(search, "place", "c", &e);
    assert_int_equal(e.candidates.count, 2);
    expect_candidate(&e, 0, "fits", 0, 100, "fits, leaves 70 B");
    expect_candidate(&e, 1, "chosen", 110, 40, "smallest that fits, leaves 10 B");
    explain(search, "place", "d", &e);
    assert_int_equal(e.candidates.count, 2);
    expect_candidate(&e, 0, "chosen", 0, 100, "smallest that fits, leaves 55 B");
    expect_candidate(&e, 1, "refused", 140, 10, "too small by 35 B");
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
    return must_finish(builder);
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
    assert_int_equal(sw_decision_amount(&e.decision), 20);
    assert_int_equal(e.decision.peak, 170);
    assert_int_equal(e.decision.offset, 0);
    expect_candidate(&e, 0, "chosen", 0, 100,
                     "too small by 20 B, but the largest, enlarged by 20 B, which moves 1 block");
    assert_int_equal(e.moved.count, 1);
    assert_int_equal(e.moved.items[0].buffer, sw_problem_find_buffer(problem, "t1"));
    assert_int_equal(e.moved.items[0].from, 100);
    assert_int_equal(e.moved.items[0].to, 120);
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- growing, and outputs ---- */

static void grow_rounds_to_what_moves(void **state) {
    (void)state;
    /* The hole [0, 100) lacks 5; b above must stay a multiple of 32, and c of 24: both move 96. */
    static const struct row rows[] = {{.name = "a", .first = 0, .last = 0, .size = 96, .alignment = 1, .offset = -1},
                                      {.name = "b", .first = 0, .last = 2, .size = 24, .alignment = 32, .offset = -1},
                                      {.name = "c", .first = 0, .last = 2, .size = 24, .alignment = 24, .offset = -1},
                                      {.name = "d", .first = 1, .last = 2, .size = 101, .alignment = 1, .offset = -1}};
    CHECK(rows, "lifetime-best-fit", 240, 0, 192, 216, 0);
}

static void grow_spares_pinned_blocks(void **state) {
    (void)state;
    /* The only free block is [0, 10); enlarging it would move `pin`. So it is appended. */
    static const struct row rows[] = {ROW("a", 0, 0, 10),
                                      {.name = "pin", .first = 0, .last = 3, .size = 10, .alignment = 1, .offset = 10},
                                      ROW("b", 1, 3, 15)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "lifetime-best-fit");
    EXPECT(search, 0, 10, 20);
    struct sw_explanation e = {0};
    explain(search, "append", "b", &e);
    assert_int_equal(e.candidates.count, 2);
    expect_candidate(&e, 0, "refused", 0, 10, "too small by 5 B, and enlarging it would move pin, which is pinned");
    expect_candidate(&e, 1, "chosen", 20, SW_UNBOUNDED, "no free block can be enlarged, so the arena grows at its end");
    sw_explanation_done(&e);
    sw_search_free(search);
    sw_problem_unref(problem);
}

static void grow_takes_the_next_largest(void **state) {
    (void)state;
    /* Free: [0, 20) below the pinned block, [30, 40) above it. Only the second can grow. */
    static const struct row rows[] = {ROW("a", 0, 0, 20),
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

/* In a grow, another free block can be the one that is enlarged. */
static void another_block_grows_on_request(void **state) {
    (void)state;
    static const struct row rows[] = {ROW("a", 0, 0, 20), ROW("w", 0, 3, 1), ROW("b", 0, 0, 10), ROW("v", 0, 3, 1),
                                      ROW("d", 1, 3, 25)};
    struct sw_problem *problem = FROM(rows);
    struct sw_search *search = run(problem, "lifetime-best-fit");
    EXPECT(search, 0, 25, 26, 36, 0);
    struct sw_explanation e = {0};
    explain(search, "grow", "d", &e);
    expect_candidate(&e, 0, "chosen", 0, 20,
                     "too small by 5 B, but the largest, enlarged by 5 B, which moves 3 blocks");
    expect_candidate(&e, 1, "fits", 21, 10, "too small by 15 B, but could be enlarged by 15 B, which moves 1 block");
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
    struct sw_problem *problem = must_finish(builder);
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
    assert_int_equal(sw_fault_count(sw_search_layout(search), NULL, NULL), 1);
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

/* ---- how lifetimes come into being ---- */

static struct sw_search *run_events(const struct sw_problem *problem, const char *keeps_outputs) {
    struct sw_params params = SW_PARAMS_DEFAULT;
    assert_true(sw_params_tell(&params, sw_planner_find("lifetime-best-fit", NULL), NULL));
    assert_true(sw_params_set(&params, "keep_outputs", keeps_outputs, NULL));
    struct sw_search *search = search_for(problem, "lifetime-best-fit", &params);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, NULL), SW_STEP_DONE);
    sw_params_done(&params);
    return search;
}

/* The decisions about lifetimes of example 1, and then those of a run that does not tell them. */
static void lifetimes_come_into_being(void **state) {
    (void)state;
    struct sw_problem *problem = example_1();
    struct sw_search *search = run_events(problem, "true"), *plain = run(problem, "lifetime-best-fit");
    static const uint32_t told[][3] = {{0, 0, 1}, {0, 1, 2}, {2, 2, 3}, {1, 1, 4}, {3, 3, 4}, {4, 4, 5}};
    const uint64_t count = sizeof told / sizeof told[0];
    uint32_t ends[6] = {0, 1, 2, 3, 4, 5};
    assert_int_equal(sw_search_journal(search, 1)->kind, SW_DECISION_DERIVE);
    assert_int_equal(sw_search_journal(search, 1)->derive.buffers, 6);
    for (uint64_t i = 0; i < count; i++) {
        const struct sw_decision *d = sw_search_journal(search, i + 2);
        assert_int_equal(d->kind, SW_DECISION_WIDEN);
        assert_int_equal(d->buffer, told[i][0]);
        assert_int_equal(d->widen.ended, told[i][1]);
        assert_int_equal(d->widen.ended, ends[d->buffer]);
        assert_int_equal(d->time, told[i][2]);
        assert_true(d->widen.used);
        ends[d->buffer] = d->time;
    }
    for (uint32_t b = 0; b < 6; b++) {
        assert_int_equal(ends[b], sw_problem_buffer(problem, b)->last);
    }
    assert_int_equal(sw_search_known(search), sw_search_known(plain) + count + 1);
    for (uint64_t i = 1; i <= sw_search_known(plain); i++) {
        const struct sw_decision *a = sw_search_journal(plain, i), *b = sw_search_journal(search, i + count + 1);
        assert_int_equal(a->kind, b->kind);
        assert_int_equal(a->buffer, b->buffer);
        assert_int_equal(a->offset, b->offset);
        assert_int_equal(a->peak, b->peak);
    }
    EXPECT(search, 0, 2048, 4096, 0, 4096, 0);

    /* Both ways, and a choice where there is none. */
    uint64_t end = sw_search_digest(search), digests[8];
    for (uint64_t i = 0; i < 8; i++) {
        assert_true(sw_search_seek(search, i, NULL));
        digests[i] = sw_search_digest(search);
        assert_true(i == 0 || digests[i] != digests[i - 1]);
    }
    struct sw_override choose = {.kind = SW_OVERRIDE_CHOOSE, .choice = 0};
    assert_false(sw_search_force(search, &choose, NULL));
    for (uint64_t i = 8; i-- > 0;) {
        assert_true(sw_search_seek(search, i, NULL));
        assert_true(sw_search_digest(search) == digests[i]);
    }
    assert_true(sw_search_seek(search, 1000, NULL));
    assert_true(sw_search_digest(search) == end);
    sw_search_free(search);
    sw_search_free(plain);
    sw_problem_unref(problem);
}

/* An output that is read before the end gets it by rule; read literally it does not. */
static void outputs_are_widened_last(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL);
    add_operator(builder, "op0", "out", NULL, 0);
    add_operator(builder, "op1", "t1", (const char *const[]){"out"}, 1);
    add_operator(builder, "op2", "t2", (const char *const[]){"t1"}, 1);
    add_buffer(builder, "out", SW_KIND_OUTPUT, 10);
    add_buffer(builder, "t1", SW_KIND_INTERMEDIATE, 10);
    add_buffer(builder, "t2", SW_KIND_OUTPUT, 10);
    struct sw_problem *problem = must_finish(builder);
    struct sw_search *search = run_events(problem, "true");
    const struct sw_decision *d = sw_search_journal(search, 4);
    assert_int_equal(d->kind, SW_DECISION_WIDEN);
    assert_int_equal(d->buffer, 0);
    assert_int_equal(d->time, 2);
    assert_false(d->widen.used);
    assert_int_equal(sw_search_journal(search, 5)->kind, SW_DECISION_APPEND);
    EXPECT(search, 0, 10, 20);
    sw_search_free(search);
    search = run_events(problem, "false");
    assert_int_equal(sw_search_journal(search, 4)->kind, SW_DECISION_APPEND);
    assert_int_equal(offset_of(search, "t2"), 0);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- the memory queue ---- */

static const struct sw_state_table *memory_queue(struct sw_search *search, struct sw_state_tables *tables) {
    *tables = (struct sw_state_tables){.most = 100};
    sw_search_state(search, tables);
    for (size_t i = 0; i < tables->items.count; i++) {
        if (strcmp(tables->items.items[i].name, "memqueue") == 0) {
            return &tables->items.items[i];
        }
    }
    fail_msg("there is no memory queue");
    return NULL;
}

/* Example 2: op 1 lay at 100, until the block below it was enlarged by 20. A pin takes it to where it is told. */
static void memory_queue_marks_what_was_shifted(void **state) {
    (void)state;
    struct sw_problem *problem = example_2();
    struct sw_search *search = run(problem, "lifetime-best-fit");
    struct sw_state_tables tables;
    for (int forgets = 0; forgets < 2; forgets++) {
        assert_true(sw_search_seek(search, 4, NULL)); /* the grow */
        const struct sw_state_table *t = memory_queue(search, &tables);
        assert_int_equal(t->row_count, 3);
        assert_int_equal(t->touched, 2);
        const struct sw_state_cell *row = &t->cells.items[t->column_count];
        assert_int_equal(row[0].count, 1);
        assert_int_equal(row[3].count, 120);
        assert_int_equal(row[4].count, 100);
        assert_int_equal(row[5].count, 20);
        assert_string_equal(row[6].word, "moved up");
        assert_int_equal(t->cells.items[4].kind, SW_CELL_NONE);
        assert_int_equal(t->cells.items[2 * t->column_count + 4].kind, SW_CELL_NONE);
        sw_state_tables_done(&tables);
        assert_true(sw_search_seek(search, 5, NULL));
        t = memory_queue(search, &tables);
        row = &t->cells.items[t->column_count];
        assert_int_equal(row[5].count, 20);
        assert_int_equal(row[6].kind, SW_CELL_NONE); /* not by the last decision */
        sw_state_tables_done(&tables);
        assert_true(sw_search_seek(search, 0, NULL));
    }
    assert_true(sw_search_seek(search, 4, NULL));
    struct sw_override pin = {.kind = SW_OVERRIDE_PIN, .buffer = 1, .offset = 300};
    assert_true(sw_search_force(search, &pin, NULL));
    const struct sw_state_table *t = memory_queue(search, &tables);
    assert_int_equal(t->cells.items[t->column_count + 3].count, 300);
    assert_int_equal(t->cells.items[t->column_count + 5].kind, SW_CELL_NONE);
    sw_state_tables_done(&tables);
    sw_search_free(search);
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lifetime_best_fit_example_1),    cmocka_unit_test(lifetime_best_fit_tells_all),
        cmocka_unit_test(lifetime_best_fit_explains),     cmocka_unit_test(lifetime_best_fit_example_2),
        cmocka_unit_test(grow_rounds_to_what_moves),      cmocka_unit_test(grow_spares_pinned_blocks),
        cmocka_unit_test(grow_takes_the_next_largest),    cmocka_unit_test(keep_outputs),
        cmocka_unit_test(another_block_grows_on_request), cmocka_unit_test(lifetimes_come_into_being),
        cmocka_unit_test(outputs_are_widened_last),       cmocka_unit_test(memory_queue_marks_what_was_shifted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
