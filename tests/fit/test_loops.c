/* Loops in models: tensors that share bytes by the plan in the file, read by the program's own reader. What is right is valid and computes the
 * same as with all tensors apart; what changes bytes that are read later is at fault. */
#include "fit/interpreter.h"
#include "fit/written.h"
#include "unit/unit.h"

#include "formats/format.h"
#include "layout/layout.h"

#include <stdlib.h>
#include <string.h>

enum wrong {
    RIGHT,
    APART,            /* all tensors have bytes of their own */
    ROOM_READ_LATER,  /* the loop's argument is read behind it */
    SLICE_READ_LATER, /* a row of it, in its place, is read behind the loop */
    BODY_READS_LATER, /* the body reads its argument when it has been written over */
    LAST_ROW_EARLY,   /* the last row is made in its place before there is room for it */
    RESULT_READ_LATER, /* the loop's result is read when the last row has been written over */
    OVER_ARGUMENT,    /* what a round leaves lies over its argument, which the same operator reads */
    WRONGS
};
static const char *const names[] = {"right", "apart", "room read later", "slice read later", "body reads later", "last row early", "result read later",
                                    "over its argument"};

struct scene {
    struct written w;
    int begins[4], tested[2]; /* copies of the counter; the number and the flag */
};

static int number(struct scene *s, int32_t value) {
    static const int32_t one[] = {1};
    return add_constant(&s->w, INT32, 1, one, 0, 0, &value);
}

static int numbers(struct scene *s, int32_t a, int32_t b, int32_t c, int32_t d) {
    static const int32_t four[] = {4};
    const int32_t values[] = {a, b, c, d};
    return add_constant(&s->w, INT32, 1, four, 0, 0, values);
}

static int image(struct scene *s, int32_t rows, int32_t offset) {
    const int32_t dims[] = {1, rows, 4, 4};
    int tensor = add_tensor(&s->w, INT8, 4, dims, 0.125f, 3);
    s->w.tensors[tensor].offset = offset;
    return tensor;
}

static int small(struct scene *s, int type, int32_t count, int32_t *next) {
    int tensor = add_tensor(&s->w, type, 1, &count, 0, 0);
    s->w.tensors[tensor].offset = *next;
    *next += 16;
    return tensor;
}

static void slice(struct scene *s, int from, int begin, int to) {
    add_operation(&s->w, SLICE, (int[]){from, begin, numbers(s, 1, 1, 4, 4), LIST_END}, (int[]){to, LIST_END});
}

static void relu(struct scene *s, int from, int to) {
    add_operation(&s->w, RELU, (int[]){from, LIST_END}, (int[]){to, LIST_END});
}

enum { X = 0, Y = 64, R = 128, T = 144, K = 208, OUT = 272, MORE = 336, SMALL = 512 };

/* y[0] = x[0]; for (i = 1; i < 3; i++) y[i] = x[i]; y[3] = x[3]; k = relu(k) each time; y and k are the results. */
static void build(struct scene *s, enum wrong wrong) {
    struct written *w = &s->w;
    int32_t next = SMALL;
    static const int32_t pairs[] = {4, 2}, below[] = {0, 0, 0, 3, 0, 0, 0, 0};
    *w = (struct written){.planned = true};
    int x[3], y[3], k[3], b[3];
    x[0] = image(s, 4, X);
    add_input(w, x[0]);
    int first = image(s, 1, Y), last = image(s, 1, Y + 48), kept = image(s, 1, T);
    slice(s, x[0], numbers(s, 0, 0, 0, 0), first);
    if (wrong == LAST_ROW_EARLY) {
        slice(s, x[0], numbers(s, 0, 3, 0, 0), last);
    }
    y[0] = image(s, 4, Y);
    add_operation(w, PAD, (int[]){first, add_constant(w, INT32, 2, pairs, 0, 0, below), LIST_END}, (int[]){y[0], LIST_END});
    if (wrong == SLICE_READ_LATER) {
        slice(s, y[0], numbers(s, 0, 1, 0, 0), kept = image(s, 1, Y + 16));
    } else {
        relu(s, first, kept);
    }
    k[0] = image(s, 1, K);
    relu(s, first, k[0]);
    b[0] = numbers(s, 0, 1, 0, 0);
    int out[] = {small(s, INT32, 4, &next), image(s, 4, Y), image(s, 4, X), image(s, 1, K), LIST_END};
    struct written_operation *loop = add_operation(w, WHILE, (int[]){b[0], y[0], x[0], k[0], LIST_END}, out);
    loop->options.condition = 1;
    loop->options.body = 2;
    if (wrong != LAST_ROW_EARLY) {
        slice(s, x[0], numbers(s, 0, 3, 0, 0), last);
    }
    int result = image(s, 4, Y), end = image(s, 4, OUT), more = image(s, wrong == SLICE_READ_LATER ? 1 : 4, MORE), last_k = image(s, 1, MORE + 64);
    add_operation(w, DYNAMIC_UPDATE_SLICE, (int[]){out[1], last, numbers(s, 0, 3, 0, 0), LIST_END}, (int[]){result, LIST_END});
    relu(s, result, end);
    relu(s, wrong == ROOM_READ_LATER ? y[0] : wrong == RESULT_READ_LATER ? out[1] : wrong == SLICE_READ_LATER ? kept : end, more);
    relu(s, out[3], last_k);
    add_output(w, end);
    add_output(w, more);
    add_output(w, last_k);
    for (w->graph = 1; w->graph < 3; w->graph++) {
        b[w->graph] = small(s, INT32, 4, &next);
        y[w->graph] = image(s, 4, Y);
        x[w->graph] = image(s, 4, X);
        k[w->graph] = image(s, 1, K);
        add_input(w, b[w->graph]);
        add_input(w, y[w->graph]);
        add_input(w, x[w->graph]);
        add_input(w, k[w->graph]);
    }
    w->graph = 1;
    int row = small(s, INT32, 1, &next), flag = small(s, BOOL, 1, &next);
    add_operation(w, SLICE, (int[]){b[1], number(s, 1), number(s, 1), LIST_END}, (int[]){row, LIST_END});
    add_operation(w, LESS, (int[]){row, number(s, 3), LIST_END}, (int[]){flag, LIST_END});
    add_output(w, flag);
    w->graph = 2;
    int fresh = image(s, 1, R), updated = image(s, 4, Y), counted = small(s, INT32, 4, &next), turned = image(s, 1, MORE), left = image(s, 1, K);
    slice(s, x[2], b[2], fresh);
    if (wrong != OVER_ARGUMENT) { /* the argument is read before what is left is written */
        relu(s, k[2], turned);
    }
    add_operation(w, DYNAMIC_UPDATE_SLICE, (int[]){y[2], fresh, b[2], LIST_END}, (int[]){updated, LIST_END});
    if (wrong == BODY_READS_LATER) {
        relu(s, y[2], image(s, 4, MORE + 16));
    }
    relu(s, wrong == OVER_ARGUMENT ? k[2] : turned, left);
    add_operation(w, ADD, (int[]){b[2], numbers(s, 0, 1, 0, 0), LIST_END}, (int[]){counted, LIST_END});
    add_output(w, counted);
    add_output(w, updated);
    add_output(w, x[2]);
    add_output(w, left);
    for (int i = 0, offset = 0; wrong == APART && i < w->tensor_count; i++) { /* one behind the other */
        w->tensors[i].offset = w->tensors[i].data ? -1 : offset;
        offset += (int)((w->tensors[i].bytes + 15) / 16 * 16);
    }
}

static size_t faults_of(const struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_layout *layout = sw_layout_new(problem, &error);
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        assert_true(sw_layout_place(layout, b, 0, sw_problem_buffer(problem, b)->offset));
    }
    size_t faults = 0;
    assert_true(sw_layout_check(layout, &faults, NULL, NULL));
    sw_layout_free(layout);
    return faults;
}

static void test_places(void **state) {
    (void)state;
    struct scene *s = malloc(sizeof *s);
    for (int wrong = 0; wrong < WRONGS; wrong++) {
        static const struct sw_load_options options = {.kernels = SW_KERNELS_NONE};
        struct bytes file;
        struct sw_error error = {0};
        build(s, (enum wrong)wrong);
        write_model(&s->w, &file);
        struct sw_input input = {.name = "loop", .bytes = (const char *)file.items, .length = file.count};
        struct sw_problem *problem = sw_load_input(&input, &options, &error);
        if (!problem) {
            fail_msg("%s: %s", names[wrong], error.message);
        }
        size_t faults = faults_of(problem);
        if ((faults == 0) != (wrong <= APART)) {
            fail_msg("%s: %zu faults", names[wrong], faults);
        }
        if (wrong <= APART) { /* first, y0, its copies, the result, the last row; x and k and their copies */
            assert_int_equal(sw_problem_member_count(problem), wrong == RIGHT ? 7 + 3 + 4 : 0);
        }
        if (wrong <= APART) {
            struct run run = {.seed = 5, .in_arena = true}, own = {.seed = 5};
            char why[WHY];
            if (!run_file(file.items, file.count, &run, why) || !run_file(file.items, file.count, &own, why)) {
                fail_msg("%s: %s", names[wrong], why);
            }
            assert_int_equal(run.output_bytes, own.output_bytes);
            assert_memory_equal(run.outputs, own.outputs, own.output_bytes);
            free(run.outputs);
            free(own.outputs);
        }
        sw_problem_unref(problem);
        free(file.items);
        written_done(&s->w);
    }
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
