/* Tensors that share bytes by the plan in the file, read by the program's own reader. What is right is valid and
 * computes the same as with all tensors apart; what changes bytes that are read later, or that are already the new
 * ones, is at fault and computes something else. */
#include "fit/interpreter.h"
#include "fit/written.h"
#include "unit/unit.h"

#include "formats/format.h"
#include "layout/layout.h"

#include <stdlib.h>
#include <string.h>

enum wrong {
    RIGHT,
    IN_PARTS,          /* right: what a round leaves is a concatenation, of parts in their places */
    APART,             /* all tensors have bytes of their own */
    ROOM_READ_LATER,   /* the loop's argument is read behind it */
    SLICE_READ_LATER,  /* a row of it, in its place, is read behind the loop */
    BODY_READS_LATER,  /* the body reads its argument when it has been written over */
    LAST_ROW_EARLY,    /* the last row is made in its place before there is room for it */
    RESULT_READ_LATER, /* the loop's result is read when the last row has been written over */
    OVER_ARGUMENT,     /* what a round leaves lies over its argument, which the same operator reads */
    LEFT_EARLY,    /* the same, but that the second part is made of the argument, over which the first lies already */
    OUT_OVER_ROOM, /* a result that no round changes lies in the rows that rounds change, and is handed to the next
                      round */
    WRONGS
};
static const char *const names[] = {"right",           "in parts",          "apart",
                                    "room read later", "slice read later",  "body reads later",
                                    "last row early",  "result read later", "over its argument",
                                    "left early",      "out over room"};

struct scene {
    struct written w;
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

static void join(struct scene *s, int one, int other, int axis, int to) {
    add_operation(&s->w, CONCATENATION, (int[]){one, other, LIST_END}, (int[]){to, LIST_END})->options.axis = axis;
}

enum { X = 0, Y = 64, R = 128, T = 144, K = 208, OUT = 272, MORE = 336, F = 432, SMALL = 512 };

/* y[0] = x[0]; for (i = 1; i < 3; i++) y[i] = x[i]; y[3] = x[3]; k = relu(k) each time; y and k are the results. In
 * parts: k's two rows are exchanged. */
static void build(struct scene *s, enum wrong wrong) {
    struct written *w = &s->w;
    int32_t next = SMALL;
    static const int32_t pairs[] = {4, 2}, below[] = {0, 0, 0, 3, 0, 0, 0, 0};
    *w = (struct written){.planned = true};
    int x[3], y[3], k[3], b[3], rows = wrong == IN_PARTS || wrong == LEFT_EARLY ? 2 : 1; /* of k */
    x[0] = image(s, 4, X);
    add_input(w, x[0]);
    int first = image(s, 1, Y), last = image(s, 1, Y + 48), kept = image(s, 1, T);
    slice(s, x[0], numbers(s, 0, wrong == OUT_OVER_ROOM ? 2 : 0, 0, 0), first);
    if (wrong == LAST_ROW_EARLY) {
        slice(s, x[0], numbers(s, 0, 3, 0, 0), last);
    }
    y[0] = image(s, 4, Y);
    add_operation(w, PAD, (int[]){first, add_constant(w, INT32, 2, pairs, 0, 0, below), LIST_END},
                  (int[]){y[0], LIST_END});
    if (wrong == SLICE_READ_LATER) {
        slice(s, y[0], numbers(s, 0, 1, 0, 0), kept = image(s, 1, Y + 16));
    } else {
        relu(s, first, kept);
    }
    if (wrong == OUT_OVER_ROOM) {
        k[0] = first;
    } else if (rows > 1) {
        k[0] = image(s, rows, K);
        add_operation(w, SLICE, (int[]){x[0], numbers(s, 0, 1, 0, 0), numbers(s, 1, rows, 4, 4), LIST_END},
                      (int[]){k[0], LIST_END});
    } else {
        relu(s, first, k[0] = image(s, rows, K));
    }
    b[0] = numbers(s, 0, wrong == OUT_OVER_ROOM ? 0 : 1, 0, 0);
    int out[] = {small(s, INT32, 4, &next), image(s, 4, Y), image(s, 4, X),
                 image(s, rows, wrong == OUT_OVER_ROOM ? Y : K), LIST_END};
    struct written_operation *loop = add_operation(w, WHILE, (int[]){b[0], y[0], x[0], k[0], LIST_END}, out);
    loop->options.condition = 1;
    loop->options.body = 2;
    if (wrong != LAST_ROW_EARLY) {
        slice(s, x[0], numbers(s, 0, 3, 0, 0), last);
    }
    int result = image(s, 4, Y), end = image(s, 4, OUT), more = image(s, wrong == SLICE_READ_LATER ? 1 : 4, MORE);
    add_operation(w, DYNAMIC_UPDATE_SLICE, (int[]){out[1], last, numbers(s, 0, 3, 0, 0), LIST_END},
                  (int[]){result, LIST_END});
    relu(s, result, end);
    relu(s,
         wrong == ROOM_READ_LATER     ? y[0]
         : wrong == RESULT_READ_LATER ? out[1]
         : wrong == SLICE_READ_LATER  ? kept
                                      : end,
         more);
    add_output(w, end);
    add_output(w, more);
    if (wrong != OUT_OVER_ROOM) {
        int last_k = image(s, rows, MORE + 64);
        relu(s, out[3], last_k);
        add_output(w, last_k);
    }
    for (w->graph = 1; w->graph < 3; w->graph++) {
        b[w->graph] = small(s, INT32, 4, &next);
        y[w->graph] = image(s, 4, Y);
        x[w->graph] = image(s, 4, X);
        k[w->graph] = image(s, rows, wrong == OUT_OVER_ROOM ? F + 16 * w->graph : K);
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
    int fresh = image(s, 1, R), updated = image(s, 4, Y), counted = small(s, INT32, 4, &next), turned, left = k[2];
    slice(s, x[2], b[2], fresh);
    if (wrong != IN_PARTS && wrong < OVER_ARGUMENT) { /* the argument is read before what is left is written */
        relu(s, k[2], turned = image(s, 1, MORE));
        relu(s, turned, left = image(s, 1, K));
    } else if (wrong == OVER_ARGUMENT) {
        relu(s, k[2], left = image(s, 1, K));
    } else if (rows > 1) {
        int lower = image(s, 1, K), upper = image(s, 1, K + 16), of = k[2];
        if (wrong == IN_PARTS) {
            relu(s, k[2], of = image(s, rows, MORE));
        }
        slice(s, of, numbers(s, 0, 1, 0, 0), lower);
        slice(s, of, numbers(s, 0, 0, 0, 0), upper);
        join(s, lower, upper, 1, left = image(s, rows, K));
    }
    add_operation(w, DYNAMIC_UPDATE_SLICE, (int[]){y[2], fresh, b[2], LIST_END}, (int[]){updated, LIST_END});
    if (wrong == BODY_READS_LATER) {
        relu(s, y[2], image(s, 4, MORE + 16));
    }
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

/* Does the model compute in its arena what it computes with all tensors apart? */
static bool computes_the_same(const struct bytes *file, const char *name) {
    struct run run = {.seed = 5, .in_arena = true}, own = {.seed = 5};
    char why[WHY];
    if (!run_file(file->items, file->count, &run, why) || !run_file(file->items, file->count, &own, why)) {
        fail_msg("%s: %s", name, why);
    }
    assert_int_equal(run.output_bytes, own.output_bytes);
    bool same = memcmp(run.outputs, own.outputs, own.output_bytes) == 0;
    free(run.outputs);
    free(own.outputs);
    return same;
}

/* Whether the scene's plan is right, as the reader has it, and how many tensors lie within others. */
static void judge(struct scene *s, const char *name, bool right, bool computed, uint32_t members) {
    static const struct sw_load_options options = {.kernels = SW_KERNELS_NONE};
    struct bytes file;
    struct sw_error error = {0};
    write_model(&s->w, &file);
    struct sw_input input = {.name = "scene", .bytes = (const char *)file.items, .length = file.count};
    struct sw_problem *problem = sw_load_input(&input, &options, &error);
    if (!problem) {
        fail_msg("%s: %s", name, error.message);
    }
    size_t faults = faults_of(problem);
    if ((faults == 0) != right) {
        fail_msg("%s: %zu faults", name, faults);
    }
    if (right && sw_problem_member_count(problem) != members) {
        fail_msg("%s: %u tensors within others", name, sw_problem_member_count(problem));
    }
    if (computed && computes_the_same(&file, name) != right) {
        fail_msg("%s: the interpreter has it otherwise", name);
    }
    sw_problem_unref(problem);
    free(file.items);
    written_done(&s->w);
}

static void test_loops(void **state) {
    (void)state;
    struct scene *s = malloc(sizeof *s);
    for (int wrong = 0; wrong < WRONGS; wrong++) {
        build(s, (enum wrong)wrong);
        /* first, y0, its copies, the result, the last row; x and k and their copies */
        judge(s, names[wrong], wrong <= APART, wrong <= APART || wrong >= LEFT_EARLY,
              wrong == RIGHT      ? 7 + 3 + 4
              : wrong == IN_PARTS ? 7 + 3 + 6
                                  : 0);
    }
    free(s);
}

enum early {
    BEHIND,       /* right: the part is made behind all that was in its place */
    OPERAND_LATE, /* the tensor that is updated is made over the part's first piece */
    PIECE_LATE,   /* a piece of that tensor is made over it */
    PIECE_READ,   /* a piece of that tensor is read when the part's first piece lies there */
    EARLIES
};
static const char *const early_names[] = {"behind", "operand late", "piece late", "piece read"};

/* y: 24 rows of x. The part: row 5 of x with other rows behind it, each put there by a concatenation of its own. It is
 * put into y at row 0, where it lies from its first row on. */
static void build_early(struct scene *s, enum early early, int levels) {
    struct written *w = &s->w;
    enum { ROWS = 24, AT = 1024, ELSEWHERE = 2048 };
    *w = (struct written){.planned = true};
    int x = image(s, ROWS, 0), y = image(s, ROWS, AT), part = image(s, 1, AT), first = part;
    int read = first, whole = numbers(s, 1, ROWS, 4, 4), top = numbers(s, 0, 0, 0, 0);
    add_input(w, x);
    if (early == BEHIND) {
        add_operation(w, SLICE, (int[]){x, top, whole, LIST_END}, (int[]){y, LIST_END});
    }
    if (early != PIECE_READ) {
        slice(s, x, numbers(s, 0, 5, 0, 0), first);
    }
    if (early == OPERAND_LATE) {
        add_operation(w, SLICE, (int[]){x, top, whole, LIST_END}, (int[]){y, LIST_END});
    } else if (early != BEHIND) {
        int one = image(s, 1, AT), rest = image(s, ROWS - 1, AT + 16);
        slice(s, x, top, one);
        add_operation(w, SLICE, (int[]){x, numbers(s, 0, 1, 0, 0), numbers(s, 1, ROWS - 1, 4, 4), LIST_END},
                      (int[]){rest, LIST_END});
        join(s, one, rest, 1, y);
        read = early == PIECE_READ ? one : first;
    }
    if (early == PIECE_READ) {
        slice(s, x, numbers(s, 0, 5, 0, 0), first);
        int copy = image(s, 1, ELSEWHERE);
        relu(s, read, copy);
        read = copy;
    }
    for (int level = 1; level <= levels; level++) {
        int row = image(s, 1, AT + 16 * level), more = image(s, level + 1, AT);
        slice(s, x, numbers(s, 0, 5 + level % 9, 0, 0), row);
        join(s, part, row, 1, more);
        part = more;
    }
    int updated = image(s, ROWS, AT), end = image(s, ROWS, ELSEWHERE + 512), last = image(s, 1, ELSEWHERE + 1024);
    add_operation(w, DYNAMIC_UPDATE_SLICE, (int[]){y, part, top, LIST_END}, (int[]){updated, LIST_END});
    relu(s, updated, end);
    relu(s, read, last); /* it is still there when it is a piece of the part */
    add_output(w, end);
    add_output(w, last);
}

static void test_early(void **state) {
    (void)state;
    struct scene *s = malloc(sizeof *s);
    for (int early = 0; early < EARLIES; early++) {
        for (int levels = 2; levels <= 20; levels += 18) {
            char name[64];
            snprintf(name, sizeof name, "%s, %d levels", early_names[early], levels);
            build_early(s, (enum early)early, levels);
            judge(s, name, early == BEHIND, true,
                  (uint32_t)(2 + 2 * levels)); /* y and the part; what each level joins */
        }
    }
    free(s);
}

/* Amounts of padding that no sum may be made of. */
static void test_far_padding(void **state) {
    (void)state;
    struct scene *s = malloc(sizeof *s);
    static const int64_t ends[] = {1, INT64_MAX, INT64_MIN, INT64_MAX - 3, -1};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        static const int32_t pairs[] = {4, 2};
        const int64_t below[] = {0, 0, 0, ends[i], 0, 0, 0, 0};
        *s = (struct scene){.w = {.planned = true}};
        int x = image(s, 4, 0), from = image(s, 4, 64), to = image(s, 5, 64), end = image(s, 5, 256);
        add_input(&s->w, x);
        relu(s, x, from);
        add_operation(&s->w, PAD, (int[]){from, add_constant(&s->w, INT64, 2, pairs, 0, 0, below), LIST_END},
                      (int[]){to, LIST_END});
        relu(s, to, end);
        add_output(&s->w, end);
        judge(s, "far padding", i == 0, i == 0, 1);
    }
    free(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_loops), cmocka_unit_test(test_early),
                                       cmocka_unit_test(test_far_padding)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
