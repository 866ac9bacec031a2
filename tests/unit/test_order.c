/* Orders of operators: graphs small enough to reason about by hand, what is refused, and a lack of memory. */
#include "unit.h"

#include "order/exact/order_cuts.h"
#include "order/order_rules.h"
#include "order/order_search.h"
#include "order/order_state.h"

#include <string.h>

struct row {
    const char *name, *in[3], *out[2], *scratch;
};
struct item {
    const char *name;
    enum sw_kind kind;
    uint64_t size;
};

static struct sw_builder *network(const struct item *items, size_t item_count, const struct row *rows,
                                  size_t row_count) {
    struct sw_builder *builder = sw_builder_new(NULL);
    for (size_t i = 0; i < item_count; i++) {
        struct sw_buffer_spec spec = {
            .name = items[i].name, .kind = items[i].kind, .has_size = true, .size = items[i].size};
        assert_true(sw_builder_buffer(builder, &spec, NULL));
    }
    for (size_t i = 0; i < row_count; i++) {
        struct sw_operator_spec spec = {.name = rows[i].name,
                                        .inputs = rows[i].in,
                                        .outputs = rows[i].out,
                                        .scratch = &rows[i].scratch,
                                        .scratch_count = rows[i].scratch != NULL};
        while (spec.input_count < 3 && rows[i].in[spec.input_count]) {
            spec.input_count++;
        }
        while (spec.output_count < 2 && rows[i].out[spec.output_count]) {
            spec.output_count++;
        }
        assert_true(sw_builder_operator(builder, &spec, NULL));
    }
    return builder;
}
#define COUNT(list) (sizeof(list) / sizeof *(list))

/* a -> x 40 -> p 1, a -> y 30 -> q 1, p and q -> out. Both wide ones first: 80. x, p, y, q: 51. */
static const struct item two_ways[] = {{"a", SW_KIND_INPUT, 10},       {"x", SW_KIND_INTERMEDIATE, 40},
                                       {"p", SW_KIND_INTERMEDIATE, 1}, {"y", SW_KIND_INTERMEDIATE, 30},
                                       {"q", SW_KIND_INTERMEDIATE, 1}, {"out", SW_KIND_OUTPUT, 1}};
static const struct row wide_first[] = {{"make_x", {"a"}, {"x"}, NULL},
                                        {"make_y", {"a"}, {"y"}, NULL},
                                        {"make_p", {"x"}, {"p"}, NULL},
                                        {"make_q", {"y"}, {"q"}, NULL},
                                        {"end", {"p", "q"}, {"out"}, NULL}};

static struct sw_order_graph *must_graph(const struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_order_graph *graph = sw_order_graph_new(problem, &error);
    if (!graph) {
        fail_msg("%s", error.message);
    }
    return graph;
}

static void test_by_hand(void **state) {
    (void)state;
    struct sw_problem *problem = must_finish(network(two_ways, COUNT(two_ways), wide_first, COUNT(wide_first)));
    struct sw_order_graph *graph = must_graph(problem);
    uint64_t peak = 0;
    uint32_t at = 0;
    assert_true(sw_order_peak(graph, (uint32_t[]){0, 1, 2, 3, 4}, &peak, &at));
    assert_int_equal(peak, 80);
    assert_int_equal(at, 1);
    assert_true(sw_order_peak(graph, (uint32_t[]){0, 2, 1, 3, 4}, &peak, &at));
    assert_int_equal(peak, 51);
    assert_int_equal(at, 1);
    assert_false(sw_order_peak(graph, (uint32_t[]){2, 0, 1, 3, 4}, &peak, &at)); /* p before x */
    assert_true(peak == UINT64_MAX);                                             /* not for want of memory */
    assert_false(sw_order_peak(graph, (uint32_t[]){0, 0, 1, 3, 4}, &peak, &at)); /* x twice */
    assert_false(sw_order_peak(graph, (uint32_t[]){0, 7, 1, 3, 4}, &peak, &at)); /* no such operator */
    struct sw_order_search *search = sw_order_search_new(graph, NULL);
    struct sw_order_event event;
    enum sw_order_progress progress = SW_ORDER_MORE;
    assert_null(sw_order_search_order(search));
    while (progress == SW_ORDER_MORE) {
        progress = sw_order_search_step(search, &event);
    }
    assert_int_equal(progress, SW_ORDER_PROVED);
    assert_int_equal(sw_order_search_peak(search), 51);
    assert_int_equal(sw_order_search_bound(search), 51);
    assert_int_equal(sw_order_search_step(search, &event), SW_ORDER_PROVED);
    sw_order_search_free(search);
    sw_order_graph_free(graph);
    sw_problem_unref(problem);
}

/* When make_x runs, a and x are held in every order; that is 50, and 1 for the cheaper of y and q is not forced. */
static void test_witness(void **state) {
    (void)state;
    struct sw_problem *problem = must_finish(network(two_ways, COUNT(two_ways), wide_first, COUNT(wide_first)));
    struct sw_order_graph *graph = must_graph(problem);
    struct sw_order_cutter *cutter = sw_order_cutter_new(graph);
    struct sw_order_held held[6];
    uint64_t bytes = 0;
    assert_true(sw_order_cut(cutter, 0, &bytes));
    assert_int_equal(bytes, 50);
    assert_int_equal(sw_order_cut_witness(cutter, held), 2);
    assert_true(held[0].forced && held[1].forced);
    assert_string_equal(sw_problem_buffer(problem, graph->buffers[held[0].buffer].in_problem)->name, "a");
    assert_true(sw_order_cut(cutter, 2, &bytes)); /* make_p: x and p, and then a or q */
    assert_int_equal(bytes, 42);
    assert_int_equal(sw_order_cut_witness(cutter, held), 3);
    assert_int_equal(held[0].forced + held[1].forced + held[2].forced, 2);
    sw_order_cutter_free(cutter);
    sw_order_graph_free(graph);
    sw_problem_unref(problem);
}

/* An operator that overwrites runs after every other reader of the old contents. */
static void test_overwrite(void **state) {
    (void)state;
    static const struct item items[] = {
        {"w", SW_KIND_INPUT, 8}, {"g", SW_KIND_INTERMEDIATE, 8}, {"y", SW_KIND_OUTPUT, 1}};
    static const struct row rows[] = {
        {"gradient", {"w"}, {"g"}, NULL}, {"use", {"w"}, {"y"}, NULL}, {"update", {"g", "w"}, {"w"}, NULL}};
    struct sw_problem *problem = must_finish(network(items, COUNT(items), rows, COUNT(rows)));
    struct sw_order_graph *graph = must_graph(problem);
    uint64_t peak = 0;
    assert_false(sw_order_peak(graph, (uint32_t[]){0, 2, 1}, &peak, NULL));
    assert_true(sw_order_peak(graph, (uint32_t[]){1, 0, 2}, &peak, NULL));
    assert_int_equal(peak, 17);
    sw_order_graph_free(graph);
    sw_problem_unref(problem);
}

static void must_not(struct sw_builder *builder, const char *message) {
    struct sw_error error = {0};
    struct sw_problem *problem = must_finish(builder);
    assert_null(sw_order_graph_new(problem, &error));
    assert_int_equal(error.code, SW_ERROR_UNSUPPORTED);
    assert_string_equal(error.message, message);
    sw_problem_unref(problem);
}

static void test_refused(void **state) {
    (void)state;
    static const struct item items[] = {{"a", SW_KIND_INPUT, 10}, {"y", SW_KIND_OUTPUT, 1}};
    static const struct row rows[] = {{"one", {"a"}, {"y"}, NULL}};
    struct sw_builder *builder = sw_builder_new(NULL);
    add_plain(builder, "b", 0, 3, 5);
    must_not(builder, "there are no operators to choose an order of");

    static const struct item more[] = {{"a", SW_KIND_INPUT, 10},
                                       {"p", SW_KIND_INTERMEDIATE, 1},
                                       {"q", SW_KIND_INTERMEDIATE, 1},
                                       {"y", SW_KIND_OUTPUT, 1}};
    static const struct row chain[] = {
        {"one", {"a"}, {"p"}, NULL}, {"two", {"a"}, {"q"}, NULL}, {"three", {"p", "q"}, {"y"}, NULL}};
    builder = network(more, COUNT(more), chain, COUNT(chain));
    struct sw_buffer_spec early = {.name = "early",
                                   .kind = SW_KIND_SCRATCH,
                                   .has_size = true,
                                   .size = 3,
                                   .has_first = true,
                                   .has_last = true,
                                   .first = 1,
                                   .last = 3};
    const char *list = "early";
    struct sw_operator_spec uses = {.name = "four", .scratch = &list, .scratch_count = 1};
    assert_true(sw_builder_buffer(builder, &early, NULL) && sw_builder_operator(builder, &uses, NULL));
    must_not(builder, "early has a lifetime of its own, which does not follow the operators");

    builder = network(items, COUNT(items), rows, COUNT(rows));
    struct sw_operator_spec other = {.name = "other", .core = "B"};
    assert_true(sw_builder_operator(builder, &other, NULL));
    must_not(builder, "on several cores the order of the list decides nothing, and none is chosen");
}

/* An input that no operator reads is passed over where it cannot decide the peak: 20 bytes fit beside the first
 * operator, which needs 11, under the second, which needs 41. */
static void test_unread(void **state) {
    (void)state;
    static const struct item items[] = {{"a", SW_KIND_INPUT, 10},
                                        {"p", SW_KIND_INTERMEDIATE, 1},
                                        {"x", SW_KIND_OUTPUT, 40},
                                        {"unread", SW_KIND_INPUT, 20}};
    static const struct row rows[] = {{"one", {"a"}, {"p"}, NULL}, {"two", {"p"}, {"x"}, NULL}};
    struct sw_problem *problem = must_finish(network(items, COUNT(items), rows, COUNT(rows)));
    struct sw_order_graph *graph = must_graph(problem);
    uint64_t peak = 0;
    assert_true(sw_order_peak(graph, (uint32_t[]){0, 1}, &peak, NULL));
    assert_int_equal(peak, 41);
    assert_int_equal(sw_problem_profile(problem)[1], 41);
    assert_int_equal(sw_problem_profile(problem)[0], 31);
    sw_order_graph_free(graph);
    sw_problem_unref(problem);
}

/* Of 50 bytes it decides: they are there while the first operator runs, whichever that is. Two orders, and the one that
 * begins with the smaller operator needs less. */
static void test_unread_decides(void **state) {
    (void)state;
    static const struct item items[] = {{"a", SW_KIND_INPUT, 10},
                                        {"p", SW_KIND_INTERMEDIATE, 20},
                                        {"q", SW_KIND_INTERMEDIATE, 5},
                                        {"y", SW_KIND_OUTPUT, 1},
                                        {"unread", SW_KIND_INPUT, 50}};
    static const struct row rows[] = {
        {"one", {"a"}, {"p"}, NULL}, {"two", {"a"}, {"q"}, NULL}, {"three", {"p", "q"}, {"y"}, NULL}};
    struct sw_problem *problem = must_finish(network(items, COUNT(items), rows, COUNT(rows))), *ordered;
    struct sw_order_graph *graph = must_graph(problem);
    struct sw_order_search *search = sw_order_search_new(graph, NULL);
    struct sw_order_event event;
    enum sw_order_progress progress = SW_ORDER_MORE;
    while (progress == SW_ORDER_MORE) {
        progress = sw_order_search_step(search, &event);
    }
    assert_int_equal(progress, SW_ORDER_PROVED);
    assert_int_equal(sw_order_search_peak(search), 65);
    assert_int_equal(sw_order_search_order(search)[0], 1);
    ordered = sw_problem_in_order(problem, sw_order_search_order(search), NULL);
    assert_non_null(ordered);
    assert_int_equal(sw_problem_lower_bound(problem), 80);
    assert_int_equal(sw_problem_lower_bound(ordered), 65);
    sw_problem_unref(ordered);
    sw_order_search_free(search);
    sw_order_graph_free(graph);
    sw_problem_unref(problem);
}

/* ---- lack of memory ---- */

/* Everything once; returns whether there was memory for all of it. */
static bool all_of_it(const struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_order_graph *graph = sw_order_graph_new(problem, &error);
    if (!graph) {
        assert_int_equal(error.code, SW_ERROR_MEMORY);
        return false;
    }
    struct sw_order_options options = {.no_cuts = true};
    struct sw_order_search *search = sw_order_search_new(graph, &options);
    struct sw_order_event event;
    enum sw_order_progress progress = search ? SW_ORDER_MORE : SW_ORDER_FAILED;
    struct sw_order_beam *beam = sw_order_beam_new(graph, 3);
    struct sw_order_layer layer = {0};
    bool ran = beam != NULL;
    while (ran && layer.done < graph->operator_count) {
        ran = sw_order_beam_step(beam, &layer);
    }
    sw_order_beam_free(beam);
    while (progress == SW_ORDER_MORE) {
        progress = sw_order_search_step(search, &event);
    }
    assert_true(progress == SW_ORDER_FAILED || sw_order_search_peak(search) == 51);
    sw_order_search_free(search);
    sw_order_graph_free(graph);
    return ran && progress == SW_ORDER_PROVED;
}

static void test_memory(void **state) {
    (void)state;
    struct sw_problem *problem = must_finish(network(two_ways, COUNT(two_ways), wide_first, COUNT(wide_first)));
    bool done = false;
    size_t tries = 0;
    for (; !done && tries < 1000; tries++) {
        struct limit limit = {tries, false};
        sw_mem_hook(limited, &limit);
        done = all_of_it(problem);
        sw_mem_hook(NULL, NULL);
        assert_true(done || limit.hit);
    }
    assert_true(done && tries > 20);
    sw_problem_unref(problem);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_by_hand),   cmocka_unit_test(test_witness),
                                       cmocka_unit_test(test_overwrite), cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_unread),    cmocka_unit_test(test_unread_decides),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
