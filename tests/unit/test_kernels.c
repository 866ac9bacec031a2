/* What kernels ask for, one operator at a time. The sizes were worked out by hand from the libraries' size functions;
 * the same functions, compiled, gave what the rules give for thousands of random shapes. */
#include "unit/flat.h"
#include "unit/noted.h"

#include <unistd.h>

enum { FLOAT = 0, INT32 = 2, INT16 = 7, INT8 = 9, INT4 = 17 };
enum { MEAN = 40, CONV = 3, DEPTHWISE = 4, FULLY = 9, LSTM = 44, SVDF = 27, TRANSPOSE_CONV = 67, ADD_N = 106 };
enum { MIRROR_PAD = 100, AVERAGE_POOL = 1, SOFTMAX = 25, REDUCE_MAX = 82, BATCH_MATMUL = 126, CUSTOM = 32 };

struct tensor {
    int type, rank, shape[4];
    bool constant;
    int scales; /* of its quantization */
};
#define TENSOR(type, ...) \
    { type, (int)COUNT(((const int[]){__VA_ARGS__})), {__VA_ARGS__}, false, 1 }
#define CONSTANT(type, ...) \
    { type, (int)COUNT(((const int[]){__VA_ARGS__})), {__VA_ARGS__}, true, 1 }
struct op {
    int code;
    struct tensor inputs[4], output;
    int options[7]; /* -1: as the schema has it */
    int places[24]; /* which input of the list stands where, from 1; 0: in the order of the list */
    const char *custom;
    const unsigned char *bytes; /* custom options */
    size_t byte_count;
};

static size_t add_tensor(struct flat *flat, size_t list, size_t i, const struct tensor *from) {
    size_t table = new_table(flat, 8);
    refer_item(flat, list, i, table);
    numbers(flat, table, 0, from->shape, (size_t)from->rank);
    set(flat, table, 1, (uint64_t)from->type);
    set(flat, table, 2, from->constant);
    size_t quantization = new_table(flat, 4);
    refer(flat, table, 4, quantization);
    refer(flat, quantization, 2, new_list(flat, (size_t)from->scales, 4));
    return table;
}

static size_t count_inputs(const struct op *op) {
    size_t count = 0;
    while (count < COUNT(op->inputs) && op->inputs[count].rank > 0) {
        count++;
    }
    return count;
}

static void add_operator(struct flat *flat, size_t graph, const struct op *op, size_t count) {
    size_t list = new_list(flat, 1, 4), table;
    int inputs[24];
    size_t input_count = op->places[0] ? 24 : count;
    refer(flat, graph, 3, list);
    table = new_table(flat, 13);
    refer_item(flat, list, 0, table);
    set(flat, table, 0, 0);
    for (size_t i = 0; i < input_count; i++) {
        inputs[i] = op->places[0] ? op->places[i] - 1 : (int)i;
    }
    numbers(flat, table, 1, inputs, input_count);
    NUMBERS(flat, table, 2, (int)count);
    size_t options = new_table(flat, COUNT(op->options));
    for (unsigned i = 0; i < COUNT(op->options); i++) {
        if (op->options[i] >= 0) {
            set(flat, options, i, (uint64_t)op->options[i]);
        }
    }
    refer(flat, table, 4, options);
    if (op->bytes) {
        size_t at = new_list(flat, op->byte_count, 1);
        memcpy(flat->bytes + at + 4, op->bytes, op->byte_count);
        refer(flat, table, 5, at);
    }
}

/* A model of one operator. */
static void write_op(struct flat *flat, const struct op *op) {
    size_t count = count_inputs(op);
    *flat = (struct flat){.count = 8};
    memcpy(flat->bytes + 4, "TFL3", 4);
    size_t root = new_table(flat, 8);
    put(flat, 0, root, 4);
    size_t kinds = new_list(flat, 1, 4);
    refer(flat, root, 1, kinds);
    size_t kind = new_table(flat, 4);
    refer_item(flat, kinds, 0, kind);
    set(flat, kind, 0, (uint64_t)(op->code < 127 ? op->code : 127));
    set(flat, kind, 3, (uint64_t)op->code);
    if (op->custom) {
        refer(flat, kind, 1, new_text(flat, op->custom));
    }
    size_t graphs = new_list(flat, 1, 4);
    refer(flat, root, 2, graphs);
    size_t graph = new_table(flat, 5);
    refer_item(flat, graphs, 0, graph);
    NUMBERS(flat, graph, 1, 0);
    NUMBERS(flat, graph, 2, (int)count);
    size_t tensors = new_list(flat, count + 1, 4);
    refer(flat, graph, 0, tensors);
    for (size_t i = 0; i <= count; i++) {
        add_tensor(flat, tensors, i, i < count ? &op->inputs[i] : &op->output);
    }
    add_operator(flat, graph, op, count);
    size_t buffers = new_list(flat, 2, 4);
    refer(flat, root, 4, buffers);
    refer_item(flat, buffers, 0, new_table(flat, 1));
    size_t buffer = new_table(flat, 1);
    refer_item(flat, buffers, 1, buffer);
    refer(flat, buffer, 0, new_text(flat, "weights"));
}

static struct sw_problem *load_op(const struct op *op, enum sw_kernels kernels, enum sw_target target) {
    struct flat flat;
    struct sw_error error = {0};
    struct sw_load_options options = {.kernels = kernels, .target = target};
    write_op(&flat, op);
    struct sw_input input = text_input((const char *)flat.bytes, flat.count);
    struct sw_problem *problem = sw_load_input(&input, &options, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    return problem;
}

/* The workspaces in their order, as text: "16 8". */
static void workspaces(const struct sw_problem *problem, char *text, size_t room) {
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        if (strstr(buffer->name, ".scratch")) {
            used += (size_t)snprintf(text + used, room - used, "%s%d", used ? " " : "", (int)buffer->size);
            assert_int_equal(buffer->first, buffer->last);
        }
    }
}

static void assert_asks_on(const struct op *op, enum sw_kernels kernels, enum sw_target target, const char *wanted) {
    char text[300];
    struct sw_problem *problem = load_op(op, kernels, target);
    workspaces(problem, text, sizeof text);
    assert_string_equal(text, wanted);
    assert_false(noted(problem, "no rule tells"));
    sw_problem_unref(problem);
}

static void assert_asks(const struct op *op, enum sw_kernels kernels, const char *wanted) {
    assert_asks_on(op, kernels, SW_TARGET_USUAL, wanted);
}

static void assert_unknown(const struct op *op, enum sw_kernels kernels, const char *name) {
    char text[300];
    struct sw_problem *problem = load_op(op, kernels, SW_TARGET_USUAL);
    workspaces(problem, text, sizeof text);
    assert_string_equal(text, "");
    assert_true(noted(problem, "no rule tells the workspaces of 1 operators"));
    assert_true(noted(problem, name));
    sw_problem_unref(problem);
}

#define NO_OPTIONS \
    { -1, -1, -1, -1, -1, -1, -1 }
/* Padding (0: SAME), stride by width, by height, then activation and dilations as they are. */
#define CONV_OPTIONS(padding, stride) \
    { padding, stride, stride, -1, -1, -1, -1 }
#define DEPTHWISE_OPTIONS(padding, stride, multiplier) \
    { padding, stride, stride, multiplier, -1, -1, -1 }

static const struct op conv3x3 = {CONV,
                                  {TENSOR(INT8, 1, 8, 8, 4), CONSTANT(INT8, 6, 3, 3, 4)},
                                  TENSOR(INT8, 1, 8, 8, 6),
                                  CONV_OPTIONS(0, 1),
                                  {0},
                                  NULL,
                                  NULL,
                                  0};
static const struct op conv1x1 = {CONV,
                                  {TENSOR(INT8, 1, 4, 4, 12), CONSTANT(INT8, 8, 1, 1, 12)},
                                  TENSOR(INT8, 1, 4, 4, 8),
                                  CONV_OPTIONS(0, 1),
                                  {0},
                                  NULL,
                                  NULL,
                                  0};
static const struct op depthwise5x5 = {DEPTHWISE,
                                       {TENSOR(INT8, 1, 8, 8, 16), CONSTANT(INT8, 1, 5, 5, 16)},
                                       TENSOR(INT8, 1, 8, 8, 16),
                                       DEPTHWISE_OPTIONS(0, 1, 1),
                                       {0},
                                       NULL,
                                       NULL,
                                       0};
static const struct op depthwise3x3 = {DEPTHWISE,
                                       {TENSOR(INT8, 1, 8, 8, 16), CONSTANT(INT8, 1, 3, 3, 16)},
                                       TENSOR(INT8, 1, 8, 8, 16),
                                       DEPTHWISE_OPTIONS(0, 1, 1),
                                       {0},
                                       NULL,
                                       NULL,
                                       0};

static void convolutions(void **state) {
    (void)state;
    assert_asks(&conv3x3, SW_KERNELS_REFERENCE, "");
    struct op narrow = conv3x3;
    narrow.inputs[1].type = INT4; /* 6 * 3 * 3 * 4 elements, as bytes */
    assert_asks(&narrow, SW_KERNELS_USUAL, "216");
    /* A window has 3 * 3 * 4 = 36 elements: two of 16 bits; with the vector extension four of whole 16 bytes. */
    assert_asks(&conv3x3, SW_KERNELS_CMSIS_NONE, "144");
    assert_asks(&conv3x3, SW_KERNELS_CMSIS, "144");
    assert_asks(&conv3x3, SW_KERNELS_CMSIS_MVE, "192");
    struct op wide = conv3x3;
    wide.inputs[0].type = wide.output.type = INT16; /* 4 windows of whole 8 elements of 2 bytes */
    assert_asks(&wide, SW_KERNELS_CMSIS_MVE, "320");
    assert_asks(&conv1x1, SW_KERNELS_CMSIS_DSP, "");
    struct op row = {CONV,
                     {TENSOR(INT8, 1, 1, 10, 4), CONSTANT(INT8, 2, 1, 3, 4)},
                     TENSOR(INT8, 1, 1, 10, 2),
                     CONV_OPTIONS(0, 1),
                     {0},
                     NULL,
                     NULL,
                     0};
    assert_asks(&row, SW_KERNELS_CMSIS_MVE, "16"); /* a window of 12, and one pixel of padding */
    /* ESP32-S3: 16 pixels of 16 channels, a filter of 16 by 8, 16 channels by 16 to transpose, 64 to align. */
    assert_asks(&conv1x1, SW_KERNELS_ESP, "704");
    assert_asks(&conv1x1, SW_KERNELS_ESP_P4, "224"); /* sums 8 * 4, filter 16 * 8, input 32, alignment 32 */
    assert_asks(&conv1x1, SW_KERNELS_ESP_ANSI, "");
    assert_asks(&conv3x3, SW_KERNELS_ESP_ANSI, "");
    assert_asks(&conv3x3, SW_KERNELS_ESP_P4, "92"); /* sums 24, window 36, alignment 32 */
    narrow.inputs[0].shape[1] = 40000;              /* what rules multiply is limited */
    narrow.inputs[1].type = INT8;
    assert_unknown(&narrow, SW_KERNELS_CMSIS, "conv_2d_0");
}

static void depthwise_convolutions(void **state) {
    (void)state;
    assert_asks(&depthwise5x5, SW_KERNELS_REFERENCE, "");
    assert_asks(&depthwise5x5, SW_KERNELS_CMSIS_NONE, "");
    assert_asks(&depthwise5x5, SW_KERNELS_CMSIS_DSP, "800");   /* 16 * 25 of 16 bits */
    assert_asks(&depthwise5x5, SW_KERNELS_CMSIS_MVE, "12400"); /* 4 * 124 * 25 */
    assert_asks(&depthwise3x3, SW_KERNELS_CMSIS_DSP, "");
    /* ESP32-S3: the filter, the input with a frame of 1, 16 to align. */
    assert_asks(&depthwise3x3, SW_KERNELS_ESP_S3, "1760");
    assert_asks(&depthwise5x5, SW_KERNELS_ESP_S3, "2880"); /* filter 400 and input 1024 in 16 bits, 32 to align */
    assert_asks(&depthwise5x5, SW_KERNELS_ESP_P4, "");
    struct op spread = {DEPTHWISE,
                        {TENSOR(INT8, 1, 8, 8, 1), CONSTANT(INT8, 1, 3, 3, 4)},
                        TENSOR(INT8, 1, 8, 8, 4),
                        DEPTHWISE_OPTIONS(0, 1, 4),
                        {0},
                        NULL,
                        NULL,
                        0};
    assert_asks(&spread, SW_KERNELS_CMSIS_MVE, "100"); /* as a convolution: 4 * 16, and the filter, 36 */
    spread.inputs[0].shape[1] = spread.output.shape[1] = spread.inputs[1].shape[1] = 1;
    assert_unknown(&spread, SW_KERNELS_CMSIS_MVE, "depthwise_conv_2d_0");
}

/* What changed from version to version of ESP-NN. */
static void versions(void **state) {
    (void)state;
    assert_asks(&conv1x1, SW_KERNELS_ESP_V1_2_3, "704");
    assert_asks(&conv1x1, SW_KERNELS_ESP_V1_2_1, "672"); /* 32 to align */
    assert_asks(&conv1x1, SW_KERNELS_ESP_V1_1_S3, "672");
    assert_asks(&conv1x1, SW_KERNELS_ESP_V1_1_P4, "672"); /* as on the other chip, then */
    assert_asks(&conv1x1, SW_KERNELS_ESP_V1_1_ANSI, "");
    assert_asks(&depthwise5x5, SW_KERNELS_ESP_V1_2_0, "32"); /* no way of its own */
    assert_asks(&depthwise5x5, SW_KERNELS_ESP_V1_2_1, "2880");
    struct op eight = depthwise3x3; /* filter 72 and input in 16 bits */
    eight.inputs[0].shape[3] = eight.inputs[1].shape[3] = eight.output.shape[3] = 8;
    assert_asks(&eight, SW_KERNELS_ESP_V1_1, "1184");
    assert_asks(&eight, SW_KERNELS_ESP_V1_2_0, "1200");
    struct op large = depthwise3x3; /* the input with its frame, or three rows of it */
    large.inputs[0].shape[1] = large.inputs[0].shape[2] = large.output.shape[1] = large.output.shape[2] = 64;
    assert_asks(&large, SW_KERNELS_ESP_V1_2_0, "69856"); /* 144 + 66 * 66 * 16 + 16 */
    assert_asks(&large, SW_KERNELS_ESP_V1_2_1, "3328");  /* 144 + 66 * 3 * 16 + 16 */
}

/* A log tells which kernels ran: two rows of tensors, and one of a workspace of `size` bytes. */
static int elements(const struct tensor *tensor) {
    int product = 1;
    for (int i = 0; i < tensor->rank; i++) {
        product *= tensor->shape[i];
    }
    return product;
}

static void assert_library(const struct op *op, int size, const char *words) {
    char path[] = "/tmp/stowage-kernels-XXXXXX";
    int in = elements(&op->inputs[0]), out = elements(&op->output);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    fprintf(file,
            "0 (id=0): size=%d, offset=0, first_used=0 last_used=1\n"
            "1 (id=1): size=%d, offset=%d, first_used=1 last_used=1\n"
            "* (id=2): size=%d, offset=%d, first_used=1 last_used=1\n",
            in, out, in, size, in + out);
    fclose(file);
    struct flat flat;
    struct sw_error error = {0};
    struct sw_load_options options = {.join = path};
    write_op(&flat, op);
    struct sw_input input = text_input((const char *)flat.bytes, flat.count);
    struct sw_problem *problem = sw_load_input(&input, &options, &error);
    unlink(path);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    assert_true(noted(problem, words));
    sw_problem_unref(problem);
}

/* What changed from version to version of CMSIS-NN. */
static void cmsis_versions(void **state) {
    (void)state;
    struct op odd = conv3x3; /* a window of 9 */
    odd.inputs[0].shape[3] = odd.inputs[1].shape[3] = 1;
    assert_asks(&odd, SW_KERNELS_CMSIS_V4_1_DSP, "36");
    assert_asks(&odd, SW_KERNELS_CMSIS_V5_DSP, "48");
    assert_asks(&odd, SW_KERNELS_CMSIS_V7_NONE, "48");
    assert_asks(&conv3x3, SW_KERNELS_CMSIS_V5_MVE, "160"); /* 4 * 40 */
    assert_asks(&conv3x3, SW_KERNELS_CMSIS_V6_MVE, "192"); /* 4 * 48 */
    struct op wide = conv3x3;
    wide.inputs[0].type = wide.output.type = INT16;
    assert_asks(&wide, SW_KERNELS_CMSIS_V5_DSP, "144");
    assert_asks(&wide, SW_KERNELS_CMSIS_V5_NONE, "");
    assert_asks(&wide, SW_KERNELS_CMSIS_V6_NONE, "144");
    wide.inputs[0].shape[3] = wide.inputs[1].shape[3] = 60; /* a window of 540 */
    assert_asks(&wide, SW_KERNELS_CMSIS_V5_DSP, "");
    assert_asks(&depthwise3x3, SW_KERNELS_CMSIS_V4_0_DSP, "288"); /* 2 * 16 * 9 */
    assert_asks(&depthwise3x3, SW_KERNELS_CMSIS_V4_1_DSP, "");
    struct op narrow = depthwise5x5;
    narrow.inputs[1].type = INT4;
    assert_asks(&narrow, SW_KERNELS_CMSIS_V4_1_DSP, "400 800"); /* the filter as bytes, and as with 8 bits */
    assert_asks(&narrow, SW_KERNELS_CMSIS_V5_MVE, "800");
    assert_asks(&narrow, SW_KERNELS_CMSIS_V6_MVE, "12400");
    struct op up = {TRANSPOSE_CONV,
                    {CONSTANT(INT32, 4), CONSTANT(INT8, 3, 2, 2, 5), TENSOR(INT8, 1, 4, 4, 5)},
                    TENSOR(INT8, 1, 8, 8, 3),
                    CONV_OPTIONS(0, 2),
                    {0},
                    NULL,
                    NULL,
                    0};
    assert_asks(&up, SW_KERNELS_CMSIS_V4_1, "768");   /* the reference kernel */
    assert_asks(&up, SW_KERNELS_CMSIS_V6, "768 768"); /* 4 * 2 * 2 * 4 * 4 * 3, and the sums */
    assert_asks(&up, SW_KERNELS_CMSIS_V7, "192");
    struct op fully = {FULLY, {TENSOR(INT8, 1, 8), TENSOR(INT8, 5, 8)}, TENSOR(INT8, 1, 5), NO_OPTIONS, {0}, NULL, NULL,
                       0};
    assert_asks(&fully, SW_KERNELS_CMSIS_V5_MVE, "");
    assert_asks(&fully, SW_KERNELS_CMSIS_V6_MVE, "20");
    fully.inputs[0] = (struct tensor)TENSOR(INT8, 1, 2, 8);
    fully.output = (struct tensor)TENSOR(INT8, 1, 2, 5);
    assert_asks(&fully, SW_KERNELS_CMSIS_V6, "");
    assert_asks(&fully, SW_KERNELS_CMSIS_V7, "40");
    struct sw_problem *problem = load_op(&conv3x3, SW_KERNELS_CMSIS, SW_TARGET_USUAL);
    assert_true(noted(problem, "that is CMSIS-NN 2026-03 of 2026-03-09, the newest that is known"));
    sw_problem_unref(problem);
    problem = load_op(&conv3x3, SW_KERNELS_CMSIS_V5, SW_TARGET_USUAL);
    assert_true(noted(problem, "what the kernels of CMSIS-NN 5.0.0 with DSP instructions ask for"));
    assert_true(noted(problem, "estimated for a Cortex-M as with the newest CMSIS-NN"));
    assert_false(noted(problem, "the newest that is known"));
    sw_problem_unref(problem);
}

static void libraries_of_logs(void **state) {
    (void)state;
    assert_library(&conv1x1, 704,
                   "the workspaces in the log are what the kernels of ESP-NN 1.2.3 on an ESP32-S3 ask for");
    assert_library(&conv1x1, 224,
                   "the workspaces in the log are what the kernels of ESP-NN 1.2.3 on an ESP32-P4 ask for");
    assert_library(&conv1x1, 688, "none of the libraries of kernels that are known");
    assert_library(&conv1x1, 672,
                   "are what the kernels of ESP-NN 1.1 to 1.2.1 on an ESP32-S3 or the kernels of ESP-NN 1.1 to "
                   "1.2.1 on an ESP32-P4 ask for");
    assert_library(&conv3x3, 160, "are what the kernels of CMSIS-NN 4.0.0 to 5.0.0 with the vector extension ask for");
    assert_library(&conv3x3, 192,
                   "are what the kernels of CMSIS-NN 6.0.0 to 2026-03 with the vector extension ask for");
    assert_library(&conv3x3, 144,
                   "are what the kernels of CMSIS-NN 4.0.0 to 2026-03 in plain C or the kernels of CMSIS-NN "
                   "4.0.0 to 2026-03 with DSP instructions ask for");
}

static void other_layers(void **state) {
    (void)state;
    struct op pool = {
        AVERAGE_POOL, {TENSOR(INT8, 1, 6, 6, 10)}, TENSOR(INT8, 1, 3, 3, 10), NO_OPTIONS, {0}, NULL, NULL, 0};
    assert_asks(&pool, SW_KERNELS_REFERENCE, "");
    assert_asks(&pool, SW_KERNELS_CMSIS_DSP, "40");
    assert_asks(&pool, SW_KERNELS_CMSIS_MVE, "");
    struct op fully = {
        FULLY, {TENSOR(INT8, 1, 8), CONSTANT(INT8, 5, 8)}, TENSOR(INT8, 1, 5), NO_OPTIONS, {0}, NULL, NULL, 0};
    assert_asks(&fully, SW_KERNELS_CMSIS_MVE, ""); /* sums of constant weights are in the tail */
    fully.inputs[1].constant = false;
    assert_asks(&fully, SW_KERNELS_CMSIS_MVE, "20");
    assert_asks(&fully, SW_KERNELS_CMSIS_DSP, "");
    struct op batched = {
        FULLY, {TENSOR(INT8, 1, 2, 8), CONSTANT(INT8, 5, 8)}, TENSOR(INT8, 1, 2, 5), NO_OPTIONS, {0}, NULL, NULL, 0};
    assert_asks(&batched, SW_KERNELS_CMSIS_NONE, "40"); /* a factor and a shift per channel */
    batched.inputs[1].scales = 5;
    assert_asks(&batched, SW_KERNELS_CMSIS_NONE, "");
    struct op product = {BATCH_MATMUL,
                         {TENSOR(INT8, 2, 3, 4), TENSOR(INT8, 2, 4, 7)},
                         TENSOR(INT8, 2, 3, 7),
                         NO_OPTIONS,
                         {0},
                         NULL,
                         NULL,
                         0};
    assert_asks(&product, SW_KERNELS_CMSIS_MVE, "28");
    assert_asks(&product, SW_KERNELS_REFERENCE, "");
    struct op softmax = {SOFTMAX, {TENSOR(INT8, 1, 12)}, TENSOR(INT8, 1, 12), NO_OPTIONS, {0}, NULL, NULL, 0};
    assert_asks(&softmax, SW_KERNELS_ESP, "48");
    assert_asks(&softmax, SW_KERNELS_ESP_ANSI, "");
    assert_asks(&softmax, SW_KERNELS_CMSIS, "");
    struct op up = {TRANSPOSE_CONV,
                    {CONSTANT(INT32, 4), CONSTANT(INT8, 3, 2, 2, 5), TENSOR(INT8, 1, 4, 4, 5)},
                    TENSOR(INT8, 1, 8, 8, 3),
                    CONV_OPTIONS(0, 2),
                    {0},
                    NULL,
                    NULL,
                    0};
    assert_asks(&up, SW_KERNELS_REFERENCE, "768");      /* 8 * 8 * 3 sums */
    assert_asks(&up, SW_KERNELS_CMSIS_DSP, "192");      /* a strip: (3 * 2 + 2) * 3 by 2 sums */
    up.inputs[1].shape[3] = up.inputs[2].shape[3] = 20; /* enough to turn the filter: 20 * 4 elements, 3 of it */
    assert_asks(&up, SW_KERNELS_CMSIS_DSP, "320 240");
    assert_asks(&up, SW_KERNELS_NONE, "");
    struct op reduced = {
        REDUCE_MAX, {TENSOR(INT8, 2, 3, 4), CONSTANT(INT32, 2)}, TENSOR(INT8, 4), NO_OPTIONS, {0}, NULL, NULL, 0};
    assert_asks(&reduced, SW_KERNELS_CMSIS, "12 8");
    reduced.code = MEAN;
    assert_asks(&reduced, SW_KERNELS_ESP, "16 12 8");
    struct op pad = {MIRROR_PAD,
                     {TENSOR(INT8, 1, 2, 3, 4), CONSTANT(INT32, 4, 2)},
                     TENSOR(INT8, 1, 4, 5, 4),
                     NO_OPTIONS,
                     {0},
                     NULL,
                     NULL,
                     0};
    assert_asks(&pad, SW_KERNELS_REFERENCE, "16 16");
}

static void with_a_state(void **state) {
    (void)state;
    struct op svdf = {SVDF,
                      {TENSOR(INT8, 1, 6), CONSTANT(INT8, 8, 6), CONSTANT(INT16, 8, 3)},
                      TENSOR(INT8, 1, 4),
                      {2, -1, -1, -1, -1, -1, -1},
                      {0},
                      NULL,
                      NULL,
                      0};
    assert_asks(&svdf, SW_KERNELS_REFERENCE, "32 16"); /* 8 filters of rank 2: 4 units */
    assert_asks(&svdf, SW_KERNELS_CMSIS_MVE, "32 16");
    svdf.inputs[0].type = svdf.output.type = FLOAT;
    assert_asks(&svdf, SW_KERNELS_REFERENCE, "32");
    svdf.options[0] = 0; /* no rank */
    assert_unknown(&svdf, SW_KERNELS_REFERENCE, "svdf_0");
    struct op lstm = {LSTM,
                      {TENSOR(INT8, 2, 5, 3), TENSOR(INT8, 2, 7), TENSOR(INT16, 2, 7)},
                      TENSOR(INT8, 2, 5, 7),
                      {-1, -1, -1, 0, -1, -1, -1},
                      {[0] = 1, [18] = 2, [19] = 3},
                      NULL,
                      NULL,
                      0};
    assert_asks(&lstm, SW_KERNELS_REFERENCE, "28 28 28 28"); /* 2 * 7 of 16 bits */
    assert_asks(&lstm, SW_KERNELS_CMSIS, "28 28 28");
    lstm.options[3] = 1; /* steps first: a batch of 5 */
    assert_asks(&lstm, SW_KERNELS_REFERENCE, "70 70 70 70");
}

static void pointers(void **state) {
    (void)state;
    struct op sum = {
        ADD_N, {TENSOR(FLOAT, 4), TENSOR(FLOAT, 4), TENSOR(FLOAT, 4)}, TENSOR(FLOAT, 4), NO_OPTIONS, {0}, NULL, NULL,
        0};
    assert_asks(&sum, SW_KERNELS_REFERENCE, "12");
    assert_asks_on(&sum, SW_KERNELS_REFERENCE, SW_TARGET_CORTEX_M, "12");
    assert_asks_on(&sum, SW_KERNELS_REFERENCE, SW_TARGET_HOST, "24");
}

/* {max_detections: 4, num_classes: 3}: two names, where they are, where that is, the numbers and their types. */
static const unsigned char options[] = "max_detections\0num_classes\0"
                                       "\x02\x1c\x0e\x02\x01\x02\x04\x03\x04\x04\x04\x24\x01";

/* Structure for structure: docs of the interpreter's allocator, and the same figures in the real one. */
static void the_arena(void **state) {
    (void)state;
    static const struct {
        enum sw_target target;
        uint64_t outside, least;
    } cases[] = {
        /* arena 72, planner 72, allocator 72, of options 16, subgraph 16: 248; tensors 3 * 24: 320; node 64: 384;
         * options 28: 412; kernel 72: 496; two lists of 6 * 4: 560; pointer and tensor of the input: 640, of the
         * output: 720. Planning: 12 requests of 16, a pointer, 3 lives of 32: 304 behind 560; 2 buffers of 40. */
        {SW_TARGET_HOST, 720, 944},
        /* 36, 44, 36, 8, 8: 132; 3 * 12: 168; 32: 200; 28: 228; 56: 288; 352; 400; 448. And 12 * 12, 4, 3 * 24:
           224, 80. */
        {SW_TARGET_CORTEX_M, 448, 656}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sw_problem *problem = load_op(&conv3x3, SW_KERNELS_REFERENCE, cases[i].target);
        assert_int_equal(sw_problem_outside(problem), cases[i].outside);
        assert_int_equal(sw_problem_least_arena(problem), cases[i].least);
        assert_int_equal(sw_problem_arena(problem, 1000), sw_align_up(1000 + cases[i].outside, 16));
        assert_int_equal(sw_problem_arena(problem, 1), sw_align_up(cases[i].least, 16));
        sw_problem_unref(problem);
    }
    struct op wide = conv3x3;
    wide.code = SOFTMAX; /* 16 bits: two tables, with a structure of 80 */
    wide.inputs[0].type = wide.output.type = INT16;
    wide.inputs[1].rank = 0;
    wide.output = wide.inputs[0];
    struct sw_problem *problem = load_op(&wide, SW_KERNELS_REFERENCE, SW_TARGET_HOST);
    assert_true(noted(problem, "Persistent buffer data 2196")); /* 80 behind 364: 84; 2 * 1040; 2 pointers: 32 */
    sw_problem_unref(problem);
}

static void customs(void **state) {
    (void)state;
    struct op detections = {CUSTOM,
                            {TENSOR(FLOAT, 1, 10, 4), TENSOR(FLOAT, 1, 10, 3), CONSTANT(FLOAT, 10, 4)},
                            TENSOR(FLOAT, 1, 4, 4),
                            NO_OPTIONS,
                            {0},
                            "TFLite_Detection_PostProcess",
                            options,
                            sizeof options - 1};
    assert_asks(&detections, SW_KERNELS_REFERENCE, "10 160 120 40 40 160 160 40 160 160 160");
    for (size_t cut = 0; cut < sizeof options - 1; cut++) {
        detections.byte_count = cut;
        assert_unknown(&detections, SW_KERNELS_REFERENCE, "TFLite_Detection_PostProcess_0");
    }
    detections.custom = "Mine";
    assert_unknown(&detections, SW_KERNELS_CMSIS, "Mine_0");
    detections.custom = "ethos-u"; /* 4 arguments: 64 bits each, and a length */
    assert_asks_on(&detections, SW_KERNELS_CMSIS, SW_TARGET_HOST, "32 32");
    struct op rare = conv1x1;
    rare.code = 48; /* topk_v2, which TensorFlow Lite Micro does not have */
    assert_unknown(&rare, SW_KERNELS_REFERENCE, "topk_v2_0");
}

/* "kernel stride dilation pad macs"; "none" and the multiply-adds where there is no window. */
static void assert_window(const struct op *op, const char *wanted) {
    char text[160] = "none";
    struct sw_problem *problem = load_op(op, SW_KERNELS_REFERENCE, SW_TARGET_USUAL);
    const struct sw_operator *found = sw_problem_operator(problem, 0);
    const struct sw_op_window *w = found->window;
    if (w) {
        assert_int_equal(w->axis, 1);
        snprintf(text, sizeof text, "%ux%u %u,%u %u,%u %u,%u,%u,%u", w->kernel[0], w->kernel[1], w->stride[0],
                 w->stride[1], w->dilation[0], w->dilation[1], w->before[0], w->after[0], w->before[1], w->after[1]);
    }
    snprintf(text + strlen(text), sizeof text - strlen(text), " %d", (int)found->macs);
    assert_string_equal(text, wanted);
    sw_problem_unref(problem);
}

static void windows(void **state) {
    (void)state;
    assert_window(&conv3x3, "3x3 1,1 1,1 1,1,1,1 13824"); /* 8 * 8 * 6 results of 3 * 3 * 4 */
    assert_window(&depthwise5x5, "5x5 1,1 1,1 2,2,2,2 25600");
    struct op strided = conv3x3;
    strided.options[1] = strided.options[2] = 2;
    assert_window(&strided, "none 13824"); /* the file says that 8 rows come out, where 4 do */
    strided.output = (struct tensor)TENSOR(INT8, 1, 4, 4, 6);
    assert_window(&strided, "3x3 2,2 1,1 0,1,0,1 3456"); /* the odd row of padding is behind */
    struct op valid = conv3x3;
    valid.options[0] = 1;
    valid.output = (struct tensor)TENSOR(INT8, 1, 6, 6, 6);
    assert_window(&valid, "3x3 1,1 1,1 0,0,0,0 7776");
    struct op batch = conv3x3;
    batch.inputs[0] = (struct tensor)TENSOR(INT8, 2, 8, 8, 4);
    batch.output = (struct tensor)TENSOR(INT8, 2, 8, 8, 6);
    assert_window(&batch, "none 27648");
    /* padding, stride by width and by height, width and height */
    struct op pool = {AVERAGE_POOL,
                      {TENSOR(INT8, 1, 7, 5, 3)},
                      TENSOR(INT8, 1, 4, 3, 3),
                      {0, 2, 2, 3, 2, -1, -1},
                      {0},
                      NULL,
                      NULL,
                      0};
    assert_window(&pool, "2x3 2,2 1,1 0,1,1,1 0");
    struct op sum = {
        0, {TENSOR(INT8, 1, 4, 4, 2), TENSOR(INT8, 1, 4, 4, 2)}, TENSOR(INT8, 1, 4, 4, 2), NO_OPTIONS, {0}, NULL, NULL,
        0};
    assert_window(&sum, "1x1 1,1 1,1 0,0,0,0 0");
    sum.inputs[1] = (struct tensor)CONSTANT(INT8, 2);
    assert_window(&sum, "1x1 1,1 1,1 0,0,0,0 0"); /* one for each channel */
    sum.inputs[1] = (struct tensor)TENSOR(INT8, 1, 1, 4, 2);
    assert_window(&sum, "none 0"); /* its one row goes into every row */
    struct op join = {2,
                      {TENSOR(INT8, 1, 4, 4, 2), TENSOR(INT8, 1, 4, 4, 3)},
                      TENSOR(INT8, 1, 4, 4, 5),
                      {3, -1, -1, -1, -1, -1, -1},
                      {0},
                      NULL,
                      NULL,
                      0};
    assert_window(&join, "1x1 1,1 1,1 0,0,0,0 0");
    join.options[0] = 1;
    assert_window(&join, "none 0");
    struct op dense = {
        FULLY, {TENSOR(INT8, 1, 20), CONSTANT(INT8, 6, 20)}, TENSOR(INT8, 1, 6), NO_OPTIONS, {0}, NULL, NULL, 0};
    assert_window(&dense, "none 120");
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(windows),      cmocka_unit_test(convolutions),   cmocka_unit_test(depthwise_convolutions),
        cmocka_unit_test(versions),     cmocka_unit_test(cmsis_versions), cmocka_unit_test(libraries_of_logs),
        cmocka_unit_test(other_layers), cmocka_unit_test(with_a_state),   cmocka_unit_test(pointers),
        cmocka_unit_test(customs),      cmocka_unit_test(the_arena)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
