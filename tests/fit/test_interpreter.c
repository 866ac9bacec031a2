/* The interpreter and the networks that other tests here rely on: kernels against examples on paper, the arena against
 * memory of every tensor's own, and against the program's reader. */
#include "fit/examples.h"
#include "fit/interpreter.h"
#include "fit/networks.h"
#include "share.h"
#include "unit/unit.h"

#include "formats/format.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* ---- examples ---- */

static int add_operand(struct written *w, const struct operand *operand, bool computed) {
    unsigned char data[4 * 18] = {0};
    size_t count = 1, width = type_width(operand->type);
    for (int i = 0; i < operand->rank; i++) {
        count *= (size_t)operand->dims[i];
    }
    assert_true(count <= 18);
    for (size_t i = 0; i < count; i++) {
        memcpy(data + i * width, &operand->values[i], width);
    }
    int number =
        computed
            ? add_tensor(w, operand->type, operand->rank, operand->dims, operand->scales[0], operand->zero)
            : add_constant(w, operand->type, operand->rank, operand->dims, operand->scales[0], operand->zero, data);
    if (operand->scales[1] > 0) {
        set_scales(w, number, operand->scales, 2, operand->axis);
    }
    return number;
}

/* A model of one operator; the arguments are constants. */
static void write_example(const struct example *example, struct written *w) {
    int list[4] = {LIST_END, LIST_END, LIST_END, LIST_END};
    *w = (struct written){0};
    for (int i = 0; i < 3 && example->inputs[i].rank > 0; i++) {
        list[i] = add_operand(w, &example->inputs[i], false);
    }
    int out = add_operand(w, &example->output, true);
    add_output(w, out);
    add_operation(w, example->code, list, (int[]){out, LIST_END})->options = example->options;
}

static void must_make(const char *what, struct written *w, const void *wanted, size_t count) {
    struct bytes file;
    struct run run = {.seed = 1};
    char why[WHY];
    write_model(w, &file);
    if (!run_file(file.items, file.count, &run, why)) {
        fail_msg("%s: %s", what, why);
    }
    assert_int_equal(run.output_bytes, count);
    for (size_t i = 0; i < count; i++) {
        if (run.outputs[i] != ((const unsigned char *)wanted)[i]) {
            fail_msg("%s: byte %zu is %d, not %d", what, i, (int8_t)run.outputs[i], ((const int8_t *)wanted)[i]);
        }
    }
    free(run.outputs);
    free(file.items);
}

static void test_examples(void **state) {
    (void)state;
    struct written *w = malloc(sizeof *w);
    for (size_t i = 0; i < example_count; i++) {
        const struct operand *output = &examples[i].output;
        unsigned char wanted[4 * 18];
        size_t width = type_width(output->type);
        write_example(&examples[i], w);
        size_t bytes = w->tensors[w->tensor_count - 1].bytes;
        for (size_t k = 0; k < bytes / width; k++) {
            memcpy(wanted + k * width, &output->values[k], width);
        }
        must_make(examples[i].what, w, wanted, bytes);
        written_done(w);
    }
    free(w);
}

/* i = 0; while (i < 3) { rows i of y = x; i = i + 1 }: with begin[4], as the loops of fitted models have it. */
static void write_loop(struct written *w) {
    static const int32_t four[1] = {4}, begin_zero[4] = {0}, step[4] = {0, 1, 0, 0}, one[1] = {1};
    static const int32_t row[4] = {1, 1, 2, 1}, image[4] = {1, 4, 2, 1}, limit = 3, index_begin = 1, index_size = 1;
    static const int8_t x_values[2] = {7, 8}, y_values[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    *w = (struct written){0};
    int begin[3], x[3], y[3];
    for (w->graph = 0; w->graph < 3; w->graph++) {
        bool main = w->graph == 0;
        begin[w->graph] =
            main ? add_constant(w, INT32, 1, four, 0, 0, begin_zero) : add_tensor(w, INT32, 1, four, 0, 0);
        x[w->graph] = main ? add_constant(w, INT8, 4, row, 1, 0, x_values) : add_tensor(w, INT8, 4, row, 1, 0);
        y[w->graph] = main ? add_constant(w, INT8, 4, image, 1, 0, y_values) : add_tensor(w, INT8, 4, image, 1, 0);
        if (!main) {
            add_input(w, begin[w->graph]);
            add_input(w, x[w->graph]);
            add_input(w, y[w->graph]);
        }
    }
    w->graph = 0;
    int outs[4] = {add_tensor(w, INT32, 1, four, 0, 0), add_tensor(w, INT8, 4, row, 1, 0),
                   add_tensor(w, INT8, 4, image, 1, 0), LIST_END};
    struct written_operation *loop = add_operation(w, WHILE, (int[]){begin[0], x[0], y[0], LIST_END}, outs);
    loop->options.condition = 1;
    loop->options.body = 2;
    add_output(w, outs[2]);
    add_output(w, outs[0]);
    w->graph = 1;
    int at = add_constant(w, INT32, 1, one, 0, 0, &index_begin),
        size = add_constant(w, INT32, 1, one, 0, 0, &index_size);
    int number = add_tensor(w, INT32, 1, one, 0, 0), end = add_constant(w, INT32, 1, one, 0, 0, &limit),
        less = add_tensor(w, BOOL, 1, one, 0, 0);
    add_operation(w, SLICE, (int[]){begin[1], at, size, LIST_END}, (int[]){number, LIST_END});
    add_operation(w, LESS, (int[]){number, end, LIST_END}, (int[]){less, LIST_END});
    add_output(w, less);
    w->graph = 2;
    int updated = add_tensor(w, INT8, 4, image, 1, 0), next = add_tensor(w, INT32, 1, four, 0, 0);
    int more = add_constant(w, INT32, 1, four, 0, 0, step);
    add_operation(w, DYNAMIC_UPDATE_SLICE, (int[]){y[2], x[2], begin[2], LIST_END}, (int[]){updated, LIST_END});
    add_operation(w, ADD, (int[]){begin[2], more, LIST_END}, (int[]){next, LIST_END});
    add_output(w, next);
    add_output(w, x[2]);
    add_output(w, updated);
}

/* Tensors that are computed lie one behind the other. */
static size_t lay_apart(struct written *w) {
    size_t end = 0;
    for (int i = 0; i < w->tensor_count; i++) {
        if (!w->tensors[i].data) {
            w->tensors[i].offset = (int32_t)end;
            end += (w->tensors[i].bytes + 15) / 16 * 16;
        }
    }
    w->planned = true;
    return end;
}

static void test_loop(void **state) {
    (void)state;
    static const int8_t wanted[8 + 16] = {7, 8, 7, 8, 7, 8, 1, 1, 0, 0, 0, 0, 3};
    struct written *w = malloc(sizeof *w);
    write_loop(w);
    must_make("a loop", w, wanted, sizeof wanted);
    lay_apart(w);
    struct bytes file;
    struct run run = {.seed = 2, .in_arena = true};
    char why[WHY];
    write_model(w, &file);
    if (!run_file(file.items, file.count, &run, why)) {
        fail_msg("%s", why);
    }
    assert_memory_equal(run.outputs, wanted, sizeof wanted);
    free(run.outputs);
    free(file.items);
    written_done(w);
    free(w);
}

/* ---- what is refused ---- */

static void must_say(struct written *w, bool in_arena, const char *wanted) {
    struct bytes file;
    struct run run = {.seed = 1, .in_arena = in_arena};
    char why[WHY];
    write_model(w, &file);
    if (run_file(file.items, file.count, &run, why)) {
        fail_msg("it ran: %s", wanted);
    }
    assert_string_equal(why, wanted);
    free(file.items);
    written_done(w);
}

static const struct example *example_of(const char *what) {
    for (size_t i = 0; i < example_count; i++) {
        if (strcmp(examples[i].what, what) == 0) {
            return &examples[i];
        }
    }
    fail_msg("no example %s", what);
    return NULL;
}

static void test_shapes(void **state) {
    (void)state;
    struct written *w = malloc(sizeof *w);
    write_example(example_of("convolution of whole windows"), w);
    w->tensors[3].dims[1] = 3;
    must_say(w, false, "operator 0 of subgraph 0: CONV_2D: 3 rows make 2, but t3 has 3");
    write_example(example_of("maxima of uneven windows"), w);
    w->tensors[1].dims[2] = 2;
    must_say(w, false, "operator 0 of subgraph 0: MAX_POOL_2D: 1 columns make 1, but t1 has 2");
    write_example(example_of("rows behind rows"), w);
    w->tensors[2].dims[1] = 4;
    must_say(w, false, "operator 0 of subgraph 0: CONCATENATION: its arguments are 3 long together, and t2 is 4");
    write_example(example_of("rows of an image"), w);
    w->tensors[3].dims[1] = 1;
    must_say(w, false, "operator 0 of subgraph 0: SLICE: dimension 1 of t0 is 3, and 2 from 1 on are not the 1 of t3");
    write_example(example_of("zero is the zero point"), w);
    w->tensors[2].dims[1] = 3;
    must_say(w, false, "operator 0 of subgraph 0: PAD: dimension 1 of t0 is 1, with 1 and 0 more, but that of t2 3");
    write_example(example_of("sum with a constant for each channel"), w);
    w->tensors[2].dims[3] = 1;
    must_say(w, false, "operator 0 of subgraph 0: ADD: t0 and t1 do not make the shape of t2");
    write_example(example_of("rows of an image"), w);
    w->tensors[3].scales[0] = 2;
    must_say(w, false, "operator 0 of subgraph 0: SLICE: the scale or zero point of t3 is not that of t0");
    write_example(example_of("another shape"), w);
    w->operations[0].code = 77;
    must_say(w, false, "operator 0 of subgraph 0: operator 77: there is no kernel for it here");
    free(w);
}

/* x, its rows 1 and 2, and these as a strip of y, which is the argument of the last operator. */
static void write_strips(struct written *w, int32_t x, int32_t slice, int32_t y) {
    const int32_t whole[4] = {1, 16, 16, 1}, part[4] = {1, 8, 16, 1}, begin[2][4] = {{0}, {0, 8, 0, 0}},
                  size[4] = {1, 8, 16, 1}, four[1] = {4};
    *w = (struct written){.planned = true};
    int in = add_tensor(w, INT8, 4, whole, 1, 0), parts[3] = {0, 0, LIST_END};
    add_input(w, in);
    for (int i = 0; i < 2; i++) {
        int from = add_constant(w, INT32, 1, four, 0, 0, begin[i]),
            length = add_constant(w, INT32, 1, four, 0, 0, size);
        parts[i] = add_tensor(w, INT8, 4, part, 1, 0);
        w->tensors[parts[i]].offset = slice + (i ? 128 : 0);
        add_operation(w, SLICE, (int[]){in, from, length, LIST_END}, (int[]){parts[i], LIST_END});
    }
    int out = add_tensor(w, INT8, 4, whole, 1, 0), changed = add_tensor(w, INT8, 4, whole, 1, 0);
    add_operation(w, CONCATENATION, parts, (int[]){out, LIST_END})->options.axis = 1;
    add_operation(w, ABS, (int[]){out, LIST_END}, (int[]){changed, LIST_END});
    add_output(w, changed);
    w->tensors[in].offset = x;
    w->tensors[out].offset = y;
    w->tensors[changed].offset = 1024;
}

/* Slices within what they are cut from and strips within what is joined of them move nothing; bytes never move onto
 * themselves elsewhere. */
static void test_aliases(void **state) {
    (void)state;
    struct written *w = malloc(sizeof *w);
    for (int i = 0; i < 2; i++) {
        write_strips(w, 0, i ? 0 : 256, i ? 0 : 512);
        struct bytes file;
        struct run apart = {.seed = 5}, arena = {.seed = 5, .in_arena = true};
        char why[WHY];
        write_model(w, &file);
        if (!run_file(file.items, file.count, &apart, why) || !run_file(file.items, file.count, &arena, why)) {
            fail_msg("%s", why);
        }
        assert_int_equal(arena.arena_bytes, 1024 + 256);
        assert_memory_equal(apart.outputs, arena.outputs, 256);
        free(apart.outputs);
        free(arena.outputs);
        free(file.items);
        written_done(w);
    }
    write_strips(w, 16, 0, 0);
    must_say(w, true, "operator 0 of subgraph 0: SLICE: 128 bytes are copied onto others of themselves, -16 bytes on");
    write_strips(w, 0, -1, 0);
    must_say(w, true, "t3 has no offset in the arena, or none of the alignment: -1");
    write_strips(w, 0, 8, 0);
    must_say(w, true, "t3 has no offset in the arena, or none of the alignment: 8");
    write_strips(w, 0, 0, 0);
    w->planned = false;
    must_say(w, true, "the file has no plan");
    free(w);
}

/* Whatever is cut off, or changed, is read or refused, and nothing else. */
static void test_damage(void **state) {
    (void)state;
    struct bytes file;
    network_file(3, &file);
    for (size_t length = 0; length < file.count; length += 7) {
        unsigned char *part = malloc(length + 1);
        struct model model;
        char why[WHY];
        memcpy(part, file.items, length);
        if (length > 20) {
            part[20 + length * 31 % (length - 20)] ^= (unsigned char)(1 + length % 255);
        }
        model_read(&model, part, length, why);
        model_done(&model);
        free(part);
    }
    free(file.items);
}

/* ---- networks ---- */

static void check_problem(uint64_t seed, const struct written *w, const struct bytes *file) {
    struct sw_input input = {.name = "file", .bytes = (const char *)file->items, .length = file->count};
    struct sw_error error = {0};
    struct sw_problem *problem = sw_load_input(&input, NULL, &error);
    if (!problem) {
        fail_msg("seed %d: %s", (int)seed, error.message);
    }
    for (int i = 0; i < w->tensor_count; i++) {
        const struct written_tensor *tensor = &w->tensors[i];
        uint32_t b = sw_problem_find_buffer(problem, tensor->name);
        if (tensor->data) {
            continue;
        }
        assert_true(b != SW_NONE);
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        assert_int_equal(buffer->size, tensor->bytes);
        assert_int_equal(buffer->shape_count, tensor->rank);
        for (int k = 0; k < tensor->rank; k++) {
            assert_int_equal(buffer->shape[k], tensor->dims[k]);
        }
    }
    assert_int_equal(sw_problem_operator_count(problem), w->operation_count);
    for (int i = 0; i < w->operation_count; i++) {
        const struct sw_op_window *window = sw_problem_operator(problem, (uint32_t)i)->window;
        bool image = w->tensors[w->operations[i].outputs[0]].rank == 4; /* else it is one of the head */
        if ((window != NULL) != image) {
            fail_msg("seed %d: operator %d, %s, has %s window", (int)seed, i, operator_name(w->operations[i].code),
                     window ? "a" : "no");
        }
    }
    sw_problem_unref(problem);
}

/* Each network in memory of its own and in an arena, which come out the same; a tensor more in the arena is what its
 * bytes say. */
static void test_networks(void **state) {
    (void)state;
    struct written *w = malloc(sizeof *w);
    uint64_t count = cases(8000);
    for (uint64_t seed = first_case(8000), seed_end = seed + count; seed < seed_end; seed++) {
        struct bytes file;
        char why[WHY];
        struct run apart = {.seed = seed}, arena = {.seed = seed, .in_arena = true};
        draw_network(w, seed);
        size_t end = lay_apart(w);
        write_model(w, &file);
        if (!run_file(file.items, file.count, &apart, why) || !run_file(file.items, file.count, &arena, why)) {
            fail_msg("seed %d: %s", (int)seed, why);
        }
        assert_true(arena.arena_bytes <= end && end < arena.arena_bytes + 16);
        assert_int_equal(apart.output_bytes, arena.output_bytes);
        assert_memory_equal(apart.outputs, arena.outputs, apart.output_bytes);
        free(apart.outputs);
        free(arena.outputs);
        free(file.items);
        w->planned = false;
        write_model(w, &file);
        check_problem(seed, w, &file);
        free(file.items);
        written_done(w);
    }
    free(w);
}

static void test_same_bytes(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 20; seed++) {
        struct bytes one, two;
        network_file(seed, &one);
        network_file(seed, &two);
        assert_int_equal(one.count, two.count);
        assert_memory_equal(one.items, two.items, one.count);
        free(one.items);
        free(two.items);
    }
}

/* ---- shared models ---- */

/* One input each; a model of operators that the interpreter does not know is passed over, and said. */
static int run_folder(const char *folder) {
    DIR *listing = opendir(folder);
    int ran = 0;
    for (struct dirent *entry = listing ? readdir(listing) : NULL; entry; entry = readdir(listing)) {
        char path[1024], why[WHY];
        struct bytes file;
        struct run run = {.seed = 9};
        size_t length = strlen(entry->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length < 7 || strcmp(entry->d_name + length - 7, ".tflite") != 0 || !read_file(path, &file)) {
            continue;
        }
        if (run_file(file.items, file.count, &run, why)) {
            ran++;
        } else if (!strstr(why, "there is no kernel for it here") && !strstr(why, "is not quantized int8")) {
            fail_msg("%s: %s", entry->d_name, why);
        } else {
            printf("skipped: %s: %s\n", entry->d_name, why);
        }
        free(run.outputs);
        free(file.items);
    }
    if (listing) {
        closedir(listing);
    } else {
        printf("skipped: no %s\n", folder);
    }
    return ran;
}

static void test_shared(void **state) {
    (void)state;
    run_folder(SW_TEST_DATA "/tflite");
    run_folder(SW_TEST_DATA "/fit");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples), cmocka_unit_test(test_loop),   cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_aliases),  cmocka_unit_test(test_damage), cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_networks), cmocka_unit_test(test_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
