/* Online allocators as planners: what stepping adds to their heaps. */
#include "unit.h"

#include "planners/online/online_look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* A graph of which some operators can write in place, and others only say so. */
static struct sw_problem *graph(void) {
    static const struct {
        const char *name, *kind, *inputs[2], *output;
        bool inplace;
    } operators[] = {{"o1", "MUL", {"x", "w"}, "a", false},      {"o2", "relu", {"a", NULL}, "b", true},
                     {"o3", "conv", {"b", NULL}, "c", true}, /* ggml does no convolution in place */
                     {"o4", "add", {"c", "b"}, "d", true},       {"o5", "scale", {"d", NULL}, "e", true},
                     {"o6", "soft_max", {"e", NULL}, "y", false}}; /* the graph does not permit it */
    static const char *const buffers[] = {"x", "w", "a", "b", "c", "d", "e", "y"};
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    for (size_t i = 0; i < COUNT(buffers); i++) {
        struct sw_buffer_spec spec = {.name = buffers[i],
                                      .kind = i < 2                     ? SW_KIND_INPUT
                                              : i + 1 == COUNT(buffers) ? SW_KIND_OUTPUT
                                                                        : SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = i == 1 ? 100 : 1000};
        assert_true(sw_builder_buffer(builder, &spec, &error));
    }
    for (size_t i = 0; i < COUNT(operators); i++) {
        struct sw_operator_spec spec = {.name = operators[i].name,
                                        .kind = operators[i].kind,
                                        .inplace = operators[i].inplace ? SW_INPLACE_ANY : SW_INPLACE_NO,
                                        .inputs = operators[i].inputs,
                                        .input_count = operators[i].inputs[1] ? 2 : 1,
                                        .outputs = &operators[i].output,
                                        .output_count = 1};
        assert_true(sw_builder_operator(builder, &spec, &error));
    }
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    assert_non_null(problem);
    sw_builder_free(builder);
    return problem;
}

static uint64_t offset(const struct sw_search *search, const char *name) {
    struct sw_placement at;
    uint32_t buffer = sw_problem_find_buffer(sw_search_problem(search), name);
    assert_true(sw_layout_placement(sw_search_layout(search), buffer, 0, &at));
    return at.offset;
}

/* By hand, from the rules in ggml_order.c: x at 0, w behind it, a behind that; then x and w are free. */
static void a_graph_in_ggml_s_order(void **state) {
    (void)state;
    struct sw_problem *problem = graph();
    struct sw_error error = {0};
    size_t faults;
    struct sw_search *search = sw_search_new(problem, sw_planner_find("ggml-dyn", &error), NULL, &error);
    assert_non_null(search);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_DONE);
    assert_int_equal(offset(search, "x"), 0);
    assert_int_equal(offset(search, "w"), 1024);
    assert_int_equal(offset(search, "a"), 1152);
    assert_int_equal(offset(search, "b"), 1152); /* over a */
    assert_int_equal(offset(search, "c"), 0);    /* where x and w were */
    assert_int_equal(offset(search, "d"), 0);    /* over c */
    assert_int_equal(offset(search, "e"), 0);    /* over d */
    assert_int_equal(offset(search, "y"), 1024); /* what was free of w, with b's, which is the open end now */
    assert_int_equal(sw_layout_arena(sw_search_layout(search), 0), 2176);
    assert_true(sw_layout_check(sw_search_layout(search), &faults, NULL, NULL));
    assert_int_equal(faults, 0);
    unsigned overs = 0;
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        if (d->kind == SW_DECISION_TAKE_OVER && overs++ == 0) {
            char text[200];
            sw_decision_describe(problem, d, text, sizeof text);
            assert_string_equal(
                text, "puts b (1,024 B) over a at memory+1152: in place, over an argument that is used here for "
                      "the last time");
        }
        assert_true(d->live <= sw_problem_naive(problem));
    }
    assert_int_equal(overs, 3);
    assert_true(sw_search_seek(search, 0, &error)); /* and back, and there again */
    assert_true(sw_search_seek(search, sw_search_known(search), &error));
    assert_int_equal(offset(search, "y"), 1024);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* With room for x, w and little else a gets nothing, nor do c, d and y. Where there is nothing to be written over, one
 * asks for oneself. The end of the run is the same wherever one comes from. */
static void nothing_to_write_over(void **state) {
    (void)state;
    struct sw_error error = {0};
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_problem *problem = graph();
    assert_true(sw_params_set(&params, "limit", "1400", &error));
    struct sw_search *search = sw_search_new(problem, sw_planner_find("ggml-dyn", &error), &params, &error);
    assert_non_null(search);
    assert_int_equal(sw_search_run(search, 0, NULL, NULL, &error), SW_STEP_FAILED);
    assert_string_equal(error.message, "out of memory: 4 of 8 requests got nothing, the first of them a");
    assert_int_equal(offset(search, "b"), 0); /* where x and w were */
    assert_int_equal(offset(search, "e"), 0); /* where b was: d, over which it was to be, got nothing */
    uint64_t digest = sw_search_digest(search), known = sw_search_known(search);
    assert_true(sw_search_seek(search, 0, &error));
    assert_true(sw_search_seek(search, known, &error));
    assert_true(sw_search_digest(search) == digest);
    sw_search_free(search);
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* ---- where the bytes were ---- */

enum { BUFFERS = 700 };

/* Sizes and lives at random: more requests than there is room for samples. */
static struct sw_problem *many(void) {
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    uint64_t random = 11;
    for (int i = 0; i < BUFFERS; i++) {
        char name[16];
        snprintf(name, sizeof name, "b%d", i);
        struct sw_buffer_spec spec = {
            .name = name, .kind = SW_KIND_INTERMEDIATE, .has_size = true, .has_first = true, .has_last = true};
        spec.size = 1 + sw_random_below(&random, sw_random_below(&random, 4) ? 100000 : 9000000);
        spec.first = i;
        spec.last = i + (int64_t)sw_random_below(&random, 40);
        assert_true(sw_builder_buffer(builder, &spec, &error));
    }
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    assert_non_null(problem);
    sw_builder_free(builder);
    return problem;
}

static uint64_t sum_of(const struct sw_heap_waste *w) {
    return w->rounding + w->unsplit + w->waiting + w->small_holes + w->holes + w->cached;
}

static const struct sw_online_history *look_at(const struct sw_search *search, struct sw_online_look *look) {
    assert_true(sw_online_look(sw_search_planner(search), sw_search_planner_state(search), look));
    return look->history;
}

/* Every sample is what was behind that request, and nothing of what was reserved between two of them is lost. */
static void a_history_of_samples(void **state) {
    (void)state;
    static const char *const planners[] = {"cuda-caching", "bfc-arena", "ggml-dyn", "tlsf", "buddy", "free-list"};
    static struct sw_online_sample all[2 * BUFFERS + 2];
    struct sw_problem *problem = many();
    for (size_t p = 0; p < COUNT(planners); p++) {
        struct sw_error error = {0};
        struct sw_search *search = sw_search_new(problem, sw_planner_find(planners[p], &error), NULL, &error);
        struct sw_online_look look;
        uint64_t served = 0, last = 0;
        assert_non_null(search);
        do { /* behind every request: the last sample is the newest, as long as none is dropped */
            look_at(search, &look);
            if (look.between) {
                served = look.served;
                all[served] =
                    (struct sw_online_sample){.reserved = look.heap->reserved, .requested = look.heap->requested};
            }
        } while (sw_search_step(search, &error) == SW_STEP_MORE);
        const struct sw_online_history *history = look_at(search, &look);
        assert_int_equal(served, look.served);
        assert_true(served > 2 * BUFFERS - 50);
        assert_int_equal(history->spacing, 8);
        assert_int_equal(history->count, served / 8 + 1);
        for (size_t i = 0; i < history->count; i++) {
            const struct sw_online_sample *one = &history->items[i];
            uint64_t most = 0;
            assert_int_equal(one->request, 8 * i);
            assert_int_equal(one->reserved, all[one->request].reserved);
            assert_int_equal(one->requested, all[one->request].requested);
            assert_int_equal(sum_of(&one->waste), one->reserved - one->requested);
            for (uint64_t r = i ? last + 1 : 0; r <= one->request; r++) {
                most = all[r].reserved > most ? all[r].reserved : most;
            }
            assert_int_equal(one->most, most);
            last = one->request;
        }
        struct sw_online_history *kept = malloc(sizeof *kept); /* the same after going back, and there again */
        *kept = *history;
        assert_true(sw_search_seek(search, sw_search_known(search) / 2, &error));
        assert_true(look_at(search, &look)->count < kept->count);
        assert_true(sw_search_seek(search, sw_search_known(search), &error));
        assert_memory_equal(look_at(search, &look), kept, sizeof *kept);
        free(kept);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_graph_in_ggml_s_order),
                                       cmocka_unit_test(nothing_to_write_over), cmocka_unit_test(a_history_of_samples)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
