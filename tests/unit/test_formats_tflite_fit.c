/* TensorFlow Lite models with regions in strips: what is written and read back. */
#include "formats/tflite/tflite_model.h"
#include "problem/change/whole_order.h"
#include "unit/fit_programs.h"
#include "unit/flat_rules.h"

#include <unistd.h>

/* ---- what is written reads back as what was planned ---- */

static void write_and_read(const char *bytes, size_t count, const struct sw_fit_region *regions, size_t region_count) {
    struct made_program made;
    struct sw_fit_refusal refusal = {0};
    struct sw_error error = {0};
    struct sw_input input = text_input(bytes, count);
    if (!make_program(&made, load_bytes(bytes, count), regions, region_count, &refusal)) {
        fail_msg("%s", refusal.reason);
    }
    const struct sw_layout *layout = plan_program(&made);
    struct sw_sink sink = {0};
    if (!tflite_write_fit(&input, NULL, &made.program, layout, &sink, &error)) {
        fail_msg("%s", error.message);
    }
    check_flat_rules(sink.text.items, sink.text.count);
    assert_memory_equal(sink.text.items + sink.text.count - count, bytes, count); /* the old file, as it was */
    struct sw_problem *again = load_bytes(sink.text.items, sink.text.count);
    same_problem(made.fitted, again, layout);
    assert_valid(again, true);
    sw_problem_unref(again);
    struct sw_sink bare = {0};
    assert_true(tflite_write_fit(&input, NULL, &made.program, NULL, &bare, &error));
    check_flat_rules(bare.text.items, bare.text.count);
    again = load_bytes(bare.text.items, bare.text.count);
    assert_false(sw_problem_has_plan(again));
    assert_int_equal(sw_problem_operator_count(again), made.program.calls.count);
    sw_problem_unref(again);
    sw_sink_done(&bare);
    sw_sink_done(&sink);
    made_program_done(&made);
}

static void strips(void **state) {
    (void)state;
    static const uint32_t bounds[][2] = {{0, 0}, {4, 5}, {0, 4}, {0, 5}, {1, 4}, {2, 5}, {3, 4}, {5, 5}};
    static const uint32_t counts[] = {2, 3, 5, 12};
    struct net net = plain_net();
    struct flat flat;
    write_net(&flat, &net);
    check_flat_rules((const char *)flat.bytes, flat.count);
    for (size_t b = 0; b < COUNT(bounds); b++) {
        for (size_t n = 0; n < COUNT(counts); n++) {
            for (int form = 0; form < 4; form++) {
                struct sw_fit_region region = {.first = bounds[b][0],
                                               .last = bounds[b][1],
                                               .strips = counts[n],
                                               .padded = form % 2 ? SW_FIT_PAD_ALL : 0,
                                               .kept = form / 2 ? SW_FIT_KEEP_ALL : 0};
                write_and_read((const char *)flat.bytes, flat.count, &region, 1);
            }
        }
    }
    const struct sw_fit_region regions[] = {{.first = 0, .last = 0, .strips = 4, .padded = SW_FIT_PAD_ALL},
                                            {.first = 1, .last = 5, .strips = 3}};
    write_and_read((const char *)flat.bytes, flat.count, regions, 2);
    write_and_read((const char *)flat.bytes, flat.count, NULL, 0);
    net.ops[5].kind = AVERAGE_POOL;
    write_net(&flat, &net);
    write_and_read((const char *)flat.bytes, flat.count, regions, 2);
    net = same_net();
    write_net(&flat, &net);
    for (uint32_t n = 2; n <= 6; n += 2) {
        const struct sw_fit_region both[] = {
            {.first = 0, .last = 1, .strips = n},
            {.first = 2, .last = 5, .strips = n, .padded = n < 6 ? SW_FIT_PAD_ALL : 0}};
        write_and_read((const char *)flat.bytes, flat.count, both, 2);
    }
}

/* An operator that reads one tensor twice has one argument in the problem. Tensors that nothing touches are planned all
 * the same. */
static void odd_arguments(void **state) {
    (void)state;
    static const struct sw_fit_region region = {.first = 1, .last = 5, .strips = 3};
    struct net net = plain_net();
    struct flat flat;
    net.ops[4].inputs[1] = 4; /* c and c */
    write_net(&flat, &net);
    write_and_read((const char *)flat.bytes, flat.count, &region, 1);
    net.tensors[13] = (struct tensor){"spare", {1, 3, 5, 7}, 4, INT8, 0, 0, false};
    net.tensors[14] = (struct tensor){NULL, {2, 100}, 2, FLOAT32, 0, -1000, false};
    net.tensor_count = 15;
    write_net(&flat, &net);
    write_and_read((const char *)flat.bytes, flat.count, NULL, 0);
}

/* The program of a model with its operators in another order, which then is the file's. */
static void another_order(void **state) {
    (void)state;
    static const uint32_t order[] = {0, 2, 1, 3, 4};
    static const struct sw_fit_region region = {.first = 1, .last = 1, .strips = 2, .padded = SW_FIT_PAD_ALL};
    struct net net = copies();
    struct flat flat;
    struct made_program made;
    struct sw_fit_refusal refusal;
    struct sw_error error = {0};
    struct sw_sink sink = {0};
    net.planned = false;
    write_net(&flat, &net);
    struct sw_input input = text_input((const char *)flat.bytes, flat.count);
    struct sw_problem *problem = load_bytes(input.bytes, input.length),
                      *ordered = sw_problem_in_order(problem, order, &error);
    assert_non_null(ordered);
    sw_problem_unref(problem);
    assert_true(make_program(&made, ordered, &region, 1, &refusal));
    if (!tflite_write_fit(&input, NULL, &made.program, plan_program(&made), &sink, &error)) {
        fail_msg("%s", error.message);
    }
    struct sw_problem *again = load_bytes(sink.text.items, sink.text.count);
    same_problem(made.fitted, again, sw_search_layout(made.search));
    assert_valid(again, true);
    sw_problem_unref(again);
    sw_sink_done(&sink);
    made_program_done(&made);
}

/* The longest region from the first operator on, and the next, of each model that is there. */
static void shared_models(void **state) {
    (void)state;
    static const char *const names[] = {"tflite/person_detect.tflite", "tflite/vww_96_int8.tflite",
                                        "fit/mbv2_035_144.tflite", "fit/mcunet_like_176.tflite"};
    for (size_t i = 0; i < COUNT(names); i++) {
        char path[512];
        struct sw_input input;
        struct sw_error error = {0};
        struct sw_fit_refusal refusal;
        snprintf(path, sizeof path, SW_TEST_DATA "/%s", names[i]);
        if (access(path, R_OK) != 0) {
            print_message("skipped: %s is not there\n", path);
            continue;
        }
        assert_true(sw_input_open(path, &input, &error));
        struct sw_problem *problem = load_bytes(input.bytes, input.length);
        struct sw_fit_region regions[2] = {{0}};
        size_t count = 0;
        for (uint32_t first = 0, last; count < 2 && first < sw_problem_operator_count(problem); first = last + 1) {
            for (last = first + 9; last > first && (last >= sw_problem_operator_count(problem) ||
                                                    !sw_fit_is_region(problem, first, last, &refusal));
                 last--) {
            }
            if (last > first && sw_fit_region_rows(problem, last) >= 5) {
                regions[count] = (struct sw_fit_region){
                    .first = first, .last = last, .strips = count ? 3 : 5, .padded = count ? SW_FIT_PAD_ALL : 0};
                count++;
            }
        }
        assert_true(count > 0);
        write_and_read(input.bytes, input.length, regions, count);
        sw_problem_unref(problem);
        sw_input_close(&input);
    }
}

/* ---- what is shared ---- */

static bool options_of(struct tflite_model *model, const struct tflite_operator *op, struct sw_flat *options) {
    struct sw_flat at;
    return sw_flat_at(&model->root, op->at, &at) && sw_flat_table(&at, OP_OPTIONS, options);
}

/* The operator of the old model that has this filter. */
static const struct tflite_operator *with_filter(const struct tflite_model *model, int32_t filter) {
    for (size_t i = 0; i < model->operators.count; i++) {
        const struct tflite_operator *op = &model->operators.items[i];
        if (op->inputs.count > 1 && tflite_item(model, op->inputs, 1) == filter) {
            return op;
        }
    }
    fail_msg("no operator has filter %d", (int)filter);
    return NULL;
}

/* Filters are the old tensors, in the old file; options are the old ones but for SAME, which becomes VALID behind a
 * pad. Constants stand once. */
static void shared(void **state) {
    (void)state;
    static const int fields[2] = {6, 7};
    const struct sw_fit_region regions[] = {{.first = 0, .last = 0, .strips = 4, .padded = SW_FIT_PAD_ALL},
                                            {.first = 1, .last = 4, .strips = 3}};
    struct net net = plain_net();
    struct flat flat;
    struct made_program made;
    struct sw_error error = {0};
    struct sw_sink sink = {0};
    struct tflite_model old, fresh;
    struct sw_input input = program_of_net(&made, &flat, &net, regions, 2);
    assert_true(tflite_write_fit(&input, NULL, &made.program, plan_program(&made), &sink, &error));
    struct sw_input written = text_input(sink.text.items, sink.text.count);
    assert_true(tflite_model_read(&old, &input, false, &error) && tflite_model_read(&fresh, &written, false, &error));
    size_t shift = written.length - input.length, convolutions = 0, changed = 0, slices = 0;
    for (size_t i = 0; i < fresh.operators.count; i++) {
        const struct tflite_operator *op = &fresh.operators.items[i];
        slices += op->code == TFLITE_OP_slice;
        if (op->code != CONV && op->code != DEPTHWISE) {
            continue;
        }
        int32_t filter = tflite_item(&fresh, op->inputs, 1);
        assert_int_equal(fresh.tensors.items[filter].at, old.tensors.items[filter].at + shift);
        assert_int_equal(tflite_item(&fresh, op->inputs, 2), -1);
        struct sw_flat options, from;
        assert_true(options_of(&fresh, op, &options) && options_of(&old, with_filter(&old, filter), &from));
        for (int f = 0; f < fields[op->code == DEPTHWISE]; f++) {
            uint64_t a = 77, b = 77;
            assert_true(sw_flat_number(&options, (unsigned)f, 1, &a) && sw_flat_number(&from, (unsigned)f, 1, &b));
            changed += f == 0 && a != b;
            assert_true(a == b || (f == 0 && a == VALID && b == SAME));
        }
        convolutions++;
    }
    assert_int_equal(convolutions, 4 + 3 + 3);
    assert_int_equal(changed, 4);
    assert_true(slices > 4);
    size_t constants = fresh.buffers.count - old.buffers.count - 1;
    for (size_t i = old.buffers.count; i + 1 < fresh.buffers.count; i++) {
        struct sw_flat table;
        struct sw_flat_text data, other;
        assert_true(sw_flat_item_table(&fresh.buffers, i, &table) && sw_flat_text(&table, BUFFER_DATA, &data));
        assert_int_equal((size_t)(data.text - written.bytes) % 16, 0);
        for (size_t k = old.buffers.count; k < i; k++) {
            assert_true(sw_flat_item_table(&fresh.buffers, k, &table) && sw_flat_text(&table, BUFFER_DATA, &other));
            assert_false(data.length == other.length && memcmp(data.text, other.text, data.length) == 0);
        }
    }
    assert_true(constants < 2 * slices + 4 + 3); /* those of slices, of padding, and of the operator that pads */
    assert_int_equal(fresh.tensors.count - old.tensors.count,
                     made.program.values.count - sw_problem_buffer_count(made.problem) + constants - 4);
    for (size_t i = 0; i < fresh.tensors.count; i++) {
        assert_false(fresh.tensors.items[i].idle); /* inside of regions: their places are taken by others */
    }
    tflite_model_done(&old);
    tflite_model_done(&fresh);
    sw_sink_done(&sink);
    made_program_done(&made);
}

/* ---- a lack of memory ---- */

static void no_memory(void **state) {
    (void)state;
    const struct sw_fit_region regions[] = {{.first = 0, .last = 0, .strips = 4, .padded = SW_FIT_PAD_ALL},
                                            {.first = 1, .last = 5, .strips = 3}};
    struct net net = plain_net();
    struct flat flat;
    struct made_program made;
    struct sw_input input = program_of_net(&made, &flat, &net, regions, 2);
    const struct sw_layout *layout = plan_program(&made);
    struct sw_sink whole = {0};
    struct sw_error error = {0};
    assert_true(tflite_write_fit(&input, NULL, &made.program, layout, &whole, &error));
    struct sw_input written = text_input(whole.text.items, whole.text.count);
    for (uint64_t k = 0, end = 0; !end; k++) {
        struct limit limit = {.left = k};
        struct sw_sink sink = {0};
        error = (struct sw_error){0};
        sw_mem_hook(limited, &limit);
        end = tflite_write_fit(&input, NULL, &made.program, layout, &sink, &error);
        assert_true(end ? !limit.hit : error.code == SW_ERROR_MEMORY);
        sw_sink_done(&sink);
        sw_mem_hook(NULL, NULL);
    }
    for (uint64_t k = 0, end = 0; !end; k++) { /* and reading it */
        struct limit limit = {.left = k};
        error = (struct sw_error){0};
        sw_mem_hook(limited, &limit);
        struct sw_problem *problem = sw_load_input(&written, NULL, &error);
        end = problem != NULL;
        sw_problem_unref(problem);
        sw_mem_hook(NULL, NULL);
        assert_true(end ? !limit.hit : error.code == SW_ERROR_MEMORY);
    }
    sw_sink_done(&whole);
    made_program_done(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strips),        cmocka_unit_test(odd_arguments), cmocka_unit_test(another_order),
        cmocka_unit_test(shared_models), cmocka_unit_test(shared),        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
