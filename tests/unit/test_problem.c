/* Building problems: lifetimes, pieces, conflicts, bounds, and everything that is refused. */
#include "unit/unit.h"

#include <string.h>

/* ---- helpers ---- */

static struct sw_builder *new_builder(void) {
    struct sw_builder *builder = sw_builder_new(NULL);
    assert_non_null(builder);
    return builder;
}

static void add(struct sw_builder *builder, const char *name, enum sw_kind kind, uint64_t size) {
    struct sw_buffer_spec spec = {.name = name, .kind = kind, .has_size = true, .size = size};
    assert_true(sw_builder_buffer(builder, &spec, NULL));
}

/* Names separated by spaces. */
static size_t split(char *text, const char *names[8]) {
    size_t count = 0;
    for (char *word = strtok(text, " "); word; word = strtok(NULL, " ")) {
        names[count++] = word;
    }
    return count;
}

static void add_operator(struct sw_builder *builder, const char *name, const char *core, const char *inputs,
                         const char *outputs, const char *after, enum sw_inplace inplace) {
    char in[128], out[128], wait[128];
    const char *ins[8], *outs[8], *waits[8];
    snprintf(in, sizeof in, "%s", inputs);
    snprintf(out, sizeof out, "%s", outputs);
    snprintf(wait, sizeof wait, "%s", after);
    struct sw_operator_spec spec = {
        .name = name, .core = core, .inplace = inplace, .inputs = ins, .outputs = outs, .after = waits};
    spec.input_count = split(in, ins);
    spec.output_count = split(out, outs);
    spec.after_count = split(wait, waits);
    assert_true(sw_builder_operator(builder, &spec, NULL));
}

static const struct sw_buffer *named(const struct sw_problem *problem, const char *name) {
    uint32_t i = sw_problem_find_buffer(problem, name);
    assert_int_not_equal(i, SW_NONE);
    return sw_problem_buffer(problem, i);
}

static bool conflict(const struct sw_problem *problem, const char *a, const char *b) {
    uint32_t x = sw_problem_find_buffer(problem, a), y = sw_problem_find_buffer(problem, b);
    enum sw_conflict one = sw_problem_conflict(problem, x, y);
    assert_int_equal(one, sw_problem_conflict(problem, y, x));
    return one != SW_CONFLICT_NONE;
}

/* ---- lifetimes ---- */

/* Input from 0, output to the end, dead ends at their step, constants left out. */
static void lifetimes_from_operators(void **state) {
    (void)state;
    struct sw_builder *builder = new_builder();
    add(builder, "x", SW_KIND_INPUT, 10);
    add(builder, "w", SW_KIND_CONSTANT, 1000);
    add(builder, "a", SW_KIND_INTERMEDIATE, 20);
    add(builder, "unread", SW_KIND_INTERMEDIATE, 5);
    add(builder, "y", SW_KIND_OUTPUT, 30);
    add(builder, "z", SW_KIND_INTERMEDIATE, 40);
    add_operator(builder, "op0", NULL, "", "", "", SW_INPLACE_NO);
    add_operator(builder, "op1", NULL, "x w", "a unread", "", SW_INPLACE_NO);
    add_operator(builder, "op2", NULL, "a", "y", "", SW_INPLACE_NO);
    add_operator(builder, "op3", NULL, "a", "z", "", SW_INPLACE_NO);
    add_operator(builder, "op4", NULL, "z", "", "", SW_INPLACE_NO);
    struct sw_problem *problem = must_finish(builder);
    const struct {
        const char *name;
        uint32_t first, last;
    } want[] = {{"x", 0, 1}, {"a", 1, 3}, {"unread", 1, 1}, {"y", 2, 4}, {"z", 3, 4}};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(named(problem, want[i].name)->first, want[i].first);
        assert_int_equal(named(problem, want[i].name)->last, want[i].last);
    }
    assert_false(named(problem, "w")->planned);
    assert_int_equal(sw_problem_planned_count(problem), 5);
    assert_int_equal(sw_problem_naive(problem), 105);
    assert_int_equal(sw_problem_lower_bound(problem), 90); /* a, y, z at step 3 */
    assert_int_equal(sw_problem_bound_step(problem), 3);
    assert_int_equal(sw_problem_profile(problem)[0], 10);
    assert_int_equal(sw_problem_profile(problem)[4], 70);
    assert_int_equal(named(problem, "a")->access_count, 3);
    assert_int_equal(sw_problem_producer(problem, sw_problem_find_buffer(problem, "z")), 3);
    sw_problem_unref(problem);
}

/* Raw times become steps and can be had back. */
static void times_are_compressed(void **state) {
    (void)state;
    const int64_t rows[][3] = {{-5, 9, 1}, {10, 999, 2}, {10, 19, 4}, {1000, 1000, 8}};
    struct sw_problem *problem = plain_problem(rows, 4);
    assert_false(sw_problem_time_is_step(problem));
    assert_int_equal(sw_problem_steps(problem), 4); /* -5 10 20 1000 1001 */
    for (uint32_t i = 0; i < 4; i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, i);
        assert_int_equal(sw_problem_time(problem, b->first), rows[i][0]);
        assert_int_equal(sw_problem_time(problem, b->last + 1) - 1, rows[i][1]);
    }
    assert_int_equal(sw_problem_lower_bound(problem), 8);
    assert_false(conflict(problem, "b0", "b1"));
    assert_true(conflict(problem, "b1", "b2"));
    sw_problem_unref(problem);
}

/* From one end of time to the other: every step is found, however far the times are apart. */
static void times_may_be_far_apart(void **state) {
    (void)state;
    enum { COUNT = 100 };
    int64_t rows[COUNT][3];
    for (int64_t i = 0; i < COUNT; i++) {
        bool late = i >= COUNT / 2;
        rows[i][0] = late ? INT64_MAX - 10 * (COUNT - i) : INT64_MIN + i * (INT64_MAX / COUNT);
        rows[i][1] = rows[i][0] + 4;
        rows[i][2] = 1 + i;
    }
    struct sw_problem *problem = plain_problem((const int64_t(*)[3])rows, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, i);
        assert_int_equal(sw_problem_time(problem, b->first), rows[i][0]);
        assert_int_equal(sw_problem_time(problem, b->last + 1) - 1, rows[i][1]);
    }
    assert_int_equal(sw_problem_lower_bound(problem), COUNT);
    sw_problem_unref(problem);
}

static void shapes_give_sizes(void **state) {
    (void)state;
    struct sw_builder *builder = new_builder();
    const uint64_t shape[] = {1, 64, 112, 112}, odd[] = {3}, huge[] = {UINT64_MAX, 2},
                   none[] = {UINT64_MAX, UINT64_MAX, 0};
    struct sw_buffer_spec spec = {.name = "f",
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .shape = shape,
                                  .shape_count = 4,
                                  .dtype = SW_DTYPE_FLOAT32,
                                  .has_first = true,
                                  .has_last = true};
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    spec.name = "nibbles", spec.shape = odd, spec.shape_count = 1, spec.dtype = SW_DTYPE_INT4;
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    spec.name = "empty", spec.shape = none, spec.shape_count = 3;
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    struct sw_problem *problem = must_finish(builder);
    assert_int_equal(named(problem, "f")->size, 3211264);
    assert_int_equal(named(problem, "nibbles")->size, 2);
    assert_int_equal(named(problem, "empty")->size, 0);
    sw_problem_unref(problem);
    builder = new_builder();
    spec.name = "huge", spec.shape = huge, spec.shape_count = 2;
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    must_refuse(builder, "the shape of buffer huge is too large");
}

/* ---- pieces ---- */

static void pieces_are_normalized(void **state) {
    (void)state;
    struct sw_builder *builder = new_builder();
    /* overlapping in time and bytes: [0,9] x [0,60), [5,14] x [40,100), [20,20] x all */
    const struct sw_piece_spec pieces[] = {{5, 14, 40, 100}, {0, 9, 0, 60}, {20, 20, 0, 100}};
    struct sw_buffer_spec spec = {
        .name = "p", .kind = SW_KIND_INTERMEDIATE, .has_size = true, .size = 100, .pieces = pieces, .piece_count = 3};
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    add_plain(builder, "q", 15, 19, 7);
    add_plain(builder, "r", 10, 14, 40);
    struct sw_problem *problem = must_finish(builder);
    const struct sw_buffer *p = named(problem, "p");
    for (uint32_t i = 0; i < p->piece_count; i++) {
        for (uint32_t k = i + 1; k < p->piece_count; k++) {
            const struct sw_piece *a = &p->pieces[i], *b = &p->pieces[k];
            assert_true(a->last < b->first || b->last < a->first || a->hi <= b->lo || b->hi <= a->lo);
        }
    }
    /* steps begin at 0 5 10 15 20 */
    const uint64_t live[] = {60, 100, 60, 0, 100};
    for (uint32_t step = 0; step < 5; step++) {
        assert_int_equal(sw_buffer_live_bytes(p, step), live[step]);
        assert_int_equal(sw_buffer_alive(p, step), live[step] > 0);
    }
    assert_int_equal(sw_problem_profile(problem)[2], 100);
    assert_int_equal(sw_problem_profile(problem)[3], 7);
    uint32_t a = 0, q = 1, r = 2;
    assert_int_equal(sw_problem_conflict(problem, a, q), SW_CONFLICT_NONE); /* in the hole */
    assert_int_equal(sw_problem_conflict(problem, a, r), SW_CONFLICT_WINDOWS);
    assert_false(sw_problem_collide(problem, a, 0, r, 0)); /* below the window [40,100) */
    assert_true(sw_problem_collide(problem, a, 0, r, 1));
    assert_true(sw_problem_collide(problem, a, 0, r, 99));
    assert_false(sw_problem_collide(problem, a, 0, r, 100));
    sw_problem_unref(problem);
}

/* A time between pieces that touch is no step, for the joined piece does not tell it. An access is one. */
static void times_between_pieces_are_no_steps(void **state) {
    (void)state;
    struct sw_builder *builder = new_builder();
    const struct sw_piece_spec pieces[] = {{0, 3, 0, 8}, {2, 6, 0, 8}, {7, 9, 0, 8}, {12, 13, 0, 4}, {12, 13, 4, 8}};
    const int64_t accesses[] = {0, 8, 12};
    struct sw_buffer_spec spec = {.name = "p",
                                  .kind = SW_KIND_INTERMEDIATE,
                                  .has_size = true,
                                  .size = 8,
                                  .pieces = pieces,
                                  .piece_count = 5,
                                  .accesses = accesses,
                                  .access_count = 3,
                                  .has_accesses = true};
    assert_true(sw_builder_buffer(builder, &spec, NULL));
    add_plain(builder, "q", 5, 12, 7);
    struct sw_problem *problem = must_finish(builder);
    const int64_t times[] = {0, 5, 8, 10, 12, 13, 14};
    assert_int_equal(sw_problem_steps(problem), 6);
    for (uint32_t step = 0; step <= 6; step++) {
        assert_int_equal(sw_problem_time(problem, step), times[step]);
    }
    const struct sw_buffer *p = named(problem, "p"), *q = named(problem, "q");
    assert_int_equal(p->piece_count, 2);
    assert_int_equal(p->pieces[0].last, 2);
    assert_int_equal(p->pieces[1].first, 4);
    assert_int_equal(p->pieces[1].last, 5);
    assert_int_equal(p->last, 5);
    assert_int_equal(p->accesses[1], 2);
    assert_int_equal(p->accesses[2], 4);
    assert_int_equal(q->first, 1);
    assert_int_equal(q->last, 4);
    sw_problem_unref(problem);
}

/* The obstacles of every conflicting pair say exactly what collide says. */
static void obstacles_agree_with_collisions(void **state) {
    (void)state;
    uint64_t random = 7;
    for (int round = 0; round < 300; round++) {
        struct sw_builder *builder = new_builder();
        for (int i = 0; i < 2; i++) {
            struct sw_piece_spec pieces[3];
            uint64_t size = 4 + sw_random_below(&random, 12);
            size_t count = 1 + (size_t)sw_random_below(&random, 3);
            for (size_t k = 0; k < count; k++) {
                int64_t first = (int64_t)sw_random_below(&random, 6);
                uint64_t lo = sw_random_below(&random, size);
                pieces[k] = (struct sw_piece_spec){first, first + (int64_t)sw_random_below(&random, 3), lo,
                                                   lo + 1 + sw_random_below(&random, size - lo)};
            }
            struct sw_buffer_spec spec = {.name = i ? "b" : "a",
                                          .kind = SW_KIND_INTERMEDIATE,
                                          .has_size = true,
                                          .size = size,
                                          .pieces = pieces,
                                          .piece_count = count};
            assert_true(sw_builder_buffer(builder, &spec, NULL));
        }
        struct sw_problem *problem = must_finish(builder);
        int64_t size = (int64_t)sw_problem_buffer(problem, 0)->size;
        for (uint64_t at = 0; at < 20; at += 5) {
            struct sw_obstacles list = {0};
            assert_true(sw_problem_obstacles(problem, 0, SW_WHOLE_LIFE, 1, SW_WHOLE_LIFE, at, &list));
            for (int64_t x = 0; x < 40; x++) {
                bool forbidden = false;
                for (size_t i = 0; i < list.count; i++) {
                    forbidden |= list.items[i].lo - size < x && x < list.items[i].hi;
                }
                assert_int_equal(forbidden, sw_problem_collide(problem, 0, (uint64_t)x, 1, at));
            }
            SW_ARRAY_DONE(&list);
        }
        sw_problem_unref(problem);
    }
}

/* ---- sharing ---- */

static void permits_of_inplace_operators(void **state) {
    (void)state;
    for (int safe = 0; safe < 2; safe++) {
        struct sw_builder *builder = new_builder();
        add(builder, "x", SW_KIND_INPUT, 100);
        add(builder, "y", SW_KIND_INPUT, 100);
        add(builder, "s", SW_KIND_INTERMEDIATE, 100);
        add(builder, "r", SW_KIND_INTERMEDIATE, 60);
        add(builder, "o", SW_KIND_OUTPUT, 80);
        add_operator(builder, "add", NULL, "x y", "s", "", SW_INPLACE_ANY);
        add_operator(builder, "relu", NULL, "s s", "r", "", SW_INPLACE_ANY);
        add_operator(builder, "grow", NULL, "r", "o", "", SW_INPLACE_ANY);
        sw_builder_inplace(builder, safe);
        struct sw_problem *problem = must_finish(builder);
        size_t count;
        const struct sw_permit *permits = sw_problem_permits(problem, &count);
        assert_int_equal(count, safe ? 3 : 0); /* s over x or y, r over s; o is too large */
        if (safe) {
            assert_int_equal(permits[0].fresh, 2);
            assert_int_equal(permits[2].fresh, 3);
            assert_int_equal(permits[2].step, 1);
        }
        /* x and y cannot share with each other: of three at step 0 two count */
        assert_int_equal(sw_problem_profile(problem)[0], safe ? 200 : 300);
        assert_int_equal(sw_problem_profile(problem)[1], safe ? 100 : 160);
        assert_int_equal(sw_problem_lower_bound(problem), safe ? 200 : 300);
        assert_int_equal(sw_problem_conflict(problem, 3, 2), safe ? SW_CONFLICT_INPLACE : SW_CONFLICT_WHOLE);
        assert_int_equal(sw_problem_collide(problem, 3, 8, 2, 8), !safe);
        assert_true(sw_problem_collide(problem, 3, 9, 2, 8));
        sw_problem_unref(problem);
    }
}

static void overlays_are_one_buffer(void **state) {
    (void)state;
    struct sw_builder *builder = new_builder();
    add(builder, "big", SW_KIND_INTERMEDIATE, 100);
    add(builder, "x", SW_KIND_INPUT, 1);
    assert_true(sw_builder_overlay(builder, "big", "left", 0, 50, NULL));
    assert_true(sw_builder_overlay(builder, "big", "right", 50, 100, NULL));
    assert_true(sw_builder_overlay(builder, "right", "corner", 40, 50, NULL));
    add_operator(builder, "p", NULL, "x", "left", "", SW_INPLACE_NO);
    add_operator(builder, "q", NULL, "x", "corner", "", SW_INPLACE_NO);
    add_operator(builder, "r", NULL, "big", "", "", SW_INPLACE_NO);
    struct sw_problem *problem = must_finish(builder);
    assert_int_equal(sw_problem_planned_count(problem), 2);
    assert_int_equal(named(problem, "big")->first, 0);
    assert_int_equal(named(problem, "big")->last, 2);
    const struct sw_member *corner = sw_problem_member(problem, sw_problem_find_member(problem, "corner"));
    assert_int_equal(corner->lo, 90);
    assert_int_equal(corner->hi, 100);
    sw_problem_unref(problem);
}

/* ---- several cores: the example of two cores ---- */

static struct sw_problem *two_cores(bool synchronized) {
    struct sw_builder *builder = new_builder();
    const char *names[] = {"D0", "D00", "D01", "D10", "D11", "D20", "D21", "D2"};
    const uint64_t sizes[] = {8, 4, 4, 4, 4, 1, 1, 2};
    for (int i = 0; i < 8; i++) {
        add(builder, names[i], i == 0 ? SW_KIND_INPUT : i == 7 ? SW_KIND_OUTPUT : SW_KIND_INTERMEDIATE, sizes[i]);
    }
    add_operator(builder, "split", "A", "D0", "D00 D01", "", SW_INPLACE_NO);
    add_operator(builder, "convA", "A", "D00", "D10", "", SW_INPLACE_NO);
    add_operator(builder, "convB", "B", "D01", "D11", synchronized ? "split" : "", SW_INPLACE_NO);
    add_operator(builder, "poolA", "A", "D10", "D20", "", SW_INPLACE_NO);
    add_operator(builder, "poolB", "B", "D11", "D21", "", SW_INPLACE_NO);
    add_operator(builder, "concat", "A", "D20 D21", "D2", synchronized ? "poolB" : "", SW_INPLACE_NO);
    return must_finish(builder);
}

static void cores_conflict_unless_ordered(void **state) {
    (void)state;
    struct sw_problem *problem = two_cores(true);
    assert_int_equal(sw_problem_lower_bound(problem), 16); /* D0, D00 and D01 at once */
    unsigned pairs = 0;
    for (uint32_t a = 0; a < 8; a++) {
        for (uint32_t b = a + 1; b < 8; b++) {
            pairs += sw_problem_conflict(problem, a, b) != SW_CONFLICT_NONE;
        }
    }
    assert_int_equal(pairs, 17);
    const char *with_d00[] = {"D0", "D01", "D10", "D11", "D21"};
    unsigned found = 0;
    for (uint32_t b = 0; b < 8; b++) {
        found += sw_problem_conflict(problem, 1, b) != SW_CONFLICT_NONE;
    }
    assert_int_equal(found, 5);
    for (int i = 0; i < 5; i++) {
        assert_true(conflict(problem, "D00", with_d00[i]));
    }
    assert_true(conflict(problem, "D2", "D20"));
    assert_true(conflict(problem, "D2", "D21"));
    assert_false(conflict(problem, "D2", "D10"));
    assert_false(conflict(problem, "D2", "D0"));
    /* neighbors are the row of the matrix */
    found = 0;
    struct sw_neighbors walk = sw_problem_neighbors(problem, 7);
    for (uint32_t other; (other = sw_neighbors_next(&walk)) != SW_NONE;) {
        assert_true(other == 5 || other == 6);
        found++;
    }
    assert_int_equal(found, 2);
    sw_problem_unref(problem);
    problem = two_cores(false); /* an edge by data alone is no synchronization */
    assert_true(conflict(problem, "D0", "D21"));
    sw_problem_unref(problem);
}

/* Three operators of which no step holds two buffers, and yet y may be alive with both others. */
static void cores_raise_the_bound(void **state) {
    (void)state;
    struct sw_builder *builder = new_builder();
    add(builder, "x", SW_KIND_INTERMEDIATE, 10);
    add(builder, "y", SW_KIND_INTERMEDIATE, 20);
    add(builder, "z", SW_KIND_INTERMEDIATE, 30);
    add_operator(builder, "a", "A", "", "x", "", SW_INPLACE_NO);
    add_operator(builder, "b", "B", "", "y", "", SW_INPLACE_NO);
    add_operator(builder, "c", "A", "", "z", "", SW_INPLACE_NO);
    struct sw_problem *problem = must_finish(builder);
    assert_int_equal(sw_problem_profile(problem)[2], 30);
    assert_int_equal(sw_problem_lower_bound(problem), 50);
    uint32_t count;
    const uint32_t *clique = sw_problem_bound_clique(problem, &count);
    assert_int_equal(count, 2);
    assert_int_equal(clique[0], 1);
    assert_int_equal(clique[1], 2);
    sw_problem_unref(problem);
}

/* ---- names, neighbors, editing ---- */

static void neighbors_are_who_is_alive(void **state) {
    (void)state;
    uint64_t random = 11;
    for (int round = 0; round < 100; round++) {
        struct sw_builder *builder = new_builder();
        size_t count = 2 + (size_t)sw_random_below(&random, 30);
        for (size_t i = 0; i < count; i++) {
            char name[24];
            snprintf(name, sizeof name, "b%zu", i);
            int64_t first = (int64_t)sw_random_below(&random, 40);
            add_plain(builder, name, first, first + (int64_t)sw_random_below(&random, 12), 1);
        }
        assert_true(sw_builder_separate(builder, "b0", "b1", NULL));
        struct sw_problem *problem = must_finish(builder);
        for (uint32_t i = 0; i < count; i++) {
            unsigned seen[32] = {0};
            struct sw_neighbors walk = sw_problem_neighbors(problem, i);
            for (uint32_t other; (other = sw_neighbors_next(&walk)) != SW_NONE;) {
                seen[other]++;
            }
            for (uint32_t k = 0; k < count; k++) {
                assert_int_equal(seen[k], k != i && sw_problem_conflict(problem, i, k) != SW_CONFLICT_NONE);
            }
        }
        sw_problem_unref(problem);
    }
}

static void edits_make_new_problems(void **state) {
    (void)state;
    struct sw_problem *problem = two_cores(true);
    struct sw_builder *builder = sw_builder_from(problem, NULL);
    assert_non_null(builder);
    struct sw_problem *same = sw_builder_finish(builder, NULL);
    assert_true(sw_problem_digest(same) == sw_problem_digest(problem));
    assert_true(sw_builder_edit_size(builder, "D0", 80, NULL));
    struct sw_problem *other = sw_builder_finish(builder, NULL);
    assert_false(sw_problem_digest(other) == sw_problem_digest(problem));
    assert_int_equal(sw_problem_naive(other), sw_problem_naive(problem) + 72);
    struct sw_error error;
    assert_false(sw_builder_edit_lifetime(builder, "D0", 3, 2, &error));
    assert_false(sw_builder_edit_size(builder, "nobody", 3, &error));
    assert_string_equal(error.message, "there is no buffer nobody");
    sw_builder_free(builder);
    sw_problem_unref(other);
    sw_problem_unref(same);
    sw_problem_unref(problem);
}

/* ---- refusals ---- */

static void wrong_problems_are_refused(void **state) {
    (void)state;
    struct sw_builder *builder = new_builder();
    add_plain(builder, "a", 0, 1, 4);
    add_plain(builder, "a", 0, 1, 4);
    must_refuse(builder, "two buffers are named a");
    builder = new_builder();
    add_plain(builder, "a", 5, 4, 4);
    must_refuse(builder, "buffer a dies at 4, before it is born at 5");
    builder = new_builder();
    add_plain(builder, "a", 0, INT64_MAX, 4);
    must_refuse(builder, "buffer a lives until 2^63");
    builder = new_builder();
    add_plain(builder, "a", 0, 1, UINT64_C(1) << 61);
    add_plain(builder, "b", 2, 3, 1);
    must_refuse(builder, "the sizes of all buffers up to b add up to more than 2^61 bytes");
    builder = new_builder();
    add(builder, "a", SW_KIND_INTERMEDIATE, 4);
    must_refuse(builder, "buffer a has no lifetime: without operators it needs first and last");
    builder = new_builder();
    add(builder, "a", SW_KIND_INTERMEDIATE, 4);
    add(builder, "b", SW_KIND_INTERMEDIATE, 4);
    add_operator(builder, "p", NULL, "b", "a", "", SW_INPLACE_NO);
    add_operator(builder, "q", NULL, "a", "b", "", SW_INPLACE_NO);
    must_refuse(builder, "operator p reads b, which is first written later, by q");
    builder = new_builder();
    add(builder, "a", SW_KIND_INTERMEDIATE, 4);
    add_operator(builder, "p", NULL, "", "a", "q", SW_INPLACE_NO);
    add_operator(builder, "q", NULL, "", "a", "p", SW_INPLACE_NO);
    must_refuse(builder, "operator p waits for q, which does not stand before it");
    builder = new_builder();
    add(builder, "a", SW_KIND_INTERMEDIATE, 4);
    add_operator(builder, "p", NULL, "nobody", "a", "", SW_INPLACE_NO);
    must_refuse(builder, "operator p names input nobody, which does not exist");
    builder = new_builder();
    add(builder, "lonely", SW_KIND_INTERMEDIATE, 4);
    add_operator(builder, "p", NULL, "", "", "", SW_INPLACE_NO);
    must_refuse(builder, "no operator touches buffer lonely, and it has no first and last");
    builder = new_builder();
    add_plain(builder, "a", 0, 1, 4);
    assert_true(sw_builder_overlay(builder, "a", "part", 2, 5, NULL));
    must_refuse(builder, "overlay part ends at byte 5 of a, which has only 4");
}

static void errors_carry_positions(void **state) {
    (void)state;
    struct sw_builder *builder = new_builder();
    sw_builder_at(builder, 3, 7);
    add_plain(builder, "a", 0, 1, 4);
    sw_builder_at(builder, 4, 9);
    add_plain(builder, "a", 0, 1, 4);
    struct sw_error error;
    assert_null(sw_builder_finish(builder, &error));
    assert_int_equal(error.line, 4);
    assert_int_equal(error.column, 9);
    assert_string_equal(error.subject, "a");
    sw_builder_free(builder);
}

static void nothing_is_a_problem_too(void **state) {
    (void)state;
    struct sw_problem *problem = must_finish(new_builder());
    assert_int_equal(sw_problem_steps(problem), 0);
    assert_int_equal(sw_problem_lower_bound(problem), 0);
    assert_int_equal(sw_problem_tier_count(problem), 1);
    assert_string_equal(sw_problem_tier(problem, 0)->name, "memory");
    assert_int_equal(sw_problem_find_buffer(problem, "x"), SW_NONE);
    sw_problem_unref(problem);
}

/* ---- lack of memory ---- */

/* Every allocation fails once, and for good: each time an error, never a leak. */
static void memory_may_run_out(void **state) {
    (void)state;
    for (uint64_t left = 0;; left++) {
        struct limit limit = {.left = left};
        sw_mem_hook(limited, &limit);
        struct sw_error error = {0};
        struct sw_builder *builder = sw_builder_new(&error);
        struct sw_buffer_spec spec = {.name = "a", .kind = SW_KIND_INPUT, .has_size = true, .size = 8};
        struct sw_operator_spec op = {.name = "p",
                                      .core = "A",
                                      .inputs = (const char *const[]){"a"},
                                      .input_count = 1,
                                      .outputs = (const char *const[]){"b"},
                                      .output_count = 1,
                                      .inplace = SW_INPLACE_ANY};
        struct sw_operator_spec second = {
            .name = "q", .core = "B", .after = (const char *const[]){"p"}, .after_count = 1};
        struct sw_problem *problem = NULL;
        bool ok = builder && sw_builder_buffer(builder, &spec, &error);
        spec.name = "b", spec.kind = SW_KIND_OUTPUT;
        ok = ok && sw_builder_buffer(builder, &spec, &error) && sw_builder_operator(builder, &op, &error) &&
             sw_builder_operator(builder, &second, &error) && sw_builder_separate(builder, "a", "b", &error);
        if (ok) {
            sw_builder_inplace(builder, true);
            problem = sw_builder_finish(builder, &error);
        }
        assert_int_equal(problem == NULL, limit.hit);
        if (!problem) {
            assert_int_equal(error.code, SW_ERROR_MEMORY);
        }
        sw_problem_unref(problem);
        sw_builder_free(builder);
        sw_mem_hook(NULL, NULL);
        if (!limit.hit) {
            break;
        }
    }
}

/* Where buffers were asked for: kept once each, through edits, and without a say in the plan. */
static void origins(void **state) {
    (void)state;
    struct sw_builder *builder = sw_builder_new(NULL), *plain = sw_builder_new(NULL);
    char name[24], origin[24];
    for (int i = 0; i < 200; i++) {
        snprintf(name, sizeof name, "b%d", i);
        snprintf(origin, sizeof origin, "f%d\nmain", i / 2);
        struct sw_buffer_spec spec = {.name = name,
                                      .kind = SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = 8,
                                      .has_first = true,
                                      .has_last = true,
                                      .last = i,
                                      .origin = i % 10 == 9 ? NULL : origin};
        assert_true(sw_builder_buffer(builder, &spec, NULL));
        add_plain(plain, name, 0, i, 8);
    }
    struct sw_problem *problem = must_finish(builder), *other = must_finish(plain);
    assert_int_equal(sw_problem_digest(problem), sw_problem_digest(other));
    builder = sw_builder_from(problem, NULL);
    assert_non_null(builder);
    assert_true(sw_builder_edit_size(builder, "b3", 16, NULL));
    struct sw_problem *edited = must_finish(builder);
    sw_problem_unref(problem);
    for (uint32_t i = 0; i < 200; i++) {
        const char *text = sw_problem_buffer(edited, i)->origin;
        snprintf(origin, sizeof origin, "f%u\nmain", i / 2);
        if (i % 10 == 9) {
            assert_null(text);
        } else {
            assert_string_equal(text, origin);
        }
        if (i % 2 == 1 && text) {
            assert_ptr_equal(text, sw_problem_buffer(edited, i - 1)->origin);
        }
        assert_null(sw_problem_buffer(other, i)->origin);
    }
    sw_problem_unref(edited);
    sw_problem_unref(other);
}

static void list_word(char *list, const char *word, const char *before) {
    strcat(list, before);
    strcat(list, word);
}

/* What errors list is what is accepted, and all of it. */
static void listed_words_are_all_words(void **state) {
    (void)state;
    static const char *const stems[] = {"int", "uint", "float", "bfloat", "complex", "qint"};
    char list[400] = "", word[32];
    enum sw_kind kind;
    enum sw_dtype dtype;
    for (unsigned i = 0; i <= SW_KIND_SCRATCH; i++) {
        list_word(list, sw_kind_name(i), i == 0 ? "" : i == SW_KIND_SCRATCH ? " or " : ", ");
        assert_true(sw_kind_parse(sw_kind_name(i), &kind) && (unsigned)kind == i);
    }
    assert_string_equal(list, SW_KIND_WORDS);
    assert_false(sw_kind_parse("", &kind) || sw_kind_parse("weight", &kind) || sw_kind_parse("Input", &kind));
    *list = '\0';
    for (unsigned i = 1; i <= SW_DTYPE_COMPLEX128; i++) {
        list_word(list, sw_dtype_name(i), i == 1 ? "" : i == SW_DTYPE_COMPLEX128 ? " or " : ", ");
        assert_true(sw_dtype_parse(sw_dtype_name(i), &dtype) && (unsigned)dtype == i);
    }
    assert_string_equal(list, SW_DTYPE_WORDS);
    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        for (int bits = 0; bits <= 256; bits++) {
            snprintf(word, sizeof word, "%s%d", stems[i], bits);
            assert_true(!sw_dtype_parse(word, &dtype) || dtype <= SW_DTYPE_COMPLEX128);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lifetimes_from_operators),
        cmocka_unit_test(times_are_compressed),
        cmocka_unit_test(times_may_be_far_apart),
        cmocka_unit_test(shapes_give_sizes),
        cmocka_unit_test(pieces_are_normalized),
        cmocka_unit_test(times_between_pieces_are_no_steps),
        cmocka_unit_test(obstacles_agree_with_collisions),
        cmocka_unit_test(permits_of_inplace_operators),
        cmocka_unit_test(overlays_are_one_buffer),
        cmocka_unit_test(cores_conflict_unless_ordered),
        cmocka_unit_test(cores_raise_the_bound),
        cmocka_unit_test(neighbors_are_who_is_alive),
        cmocka_unit_test(edits_make_new_problems),
        cmocka_unit_test(wrong_problems_are_refused),
        cmocka_unit_test(errors_carry_positions),
        cmocka_unit_test(nothing_is_a_problem_too),
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(origins),
        cmocka_unit_test(listed_words_are_all_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
