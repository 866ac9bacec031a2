/* ONNX models: whatever is accepted can be written as a graph and read again; and so is what --dim and --value make of
 * it. ONNX Runtime has an order for its operators, and the file can be written in it. Where an operator can be computed
 * in strips, a model that computes it so is written, and read again. */
#include "fuzz/fuzz.h"

#include <stdlib.h>

#include "formats/graphs/graph_json.h"
#include "formats/onnx/onnx_format.h"
#include "formats/onnx/write/onnx_fit.h"

/* The same with a dimension given and a value, some of those in the corpus. */
static void read_given(const struct sw_input *input) {
    static const char *const keys[] = {"N", "s", "x:3", "y:0", "y:1", "a:0", "n:1", "x:0", "found"};
    static const char *const inputs[] = {"sr", "n", "x", "c", "m", "k"};
    struct sw_params dims = SW_PARAMS_DEFAULT, values = SW_PARAMS_DEFAULT;
    struct sw_load_options options = {.dims = input->length % 2 ? &dims : NULL,
                                      .values = input->length % 3 ? &values : NULL};
    struct sw_error error = {0};
    sw_params_set(&dims, keys[input->length % (sizeof keys / sizeof *keys)], "5", &error);
    sw_params_set(&values, inputs[input->length % (sizeof inputs / sizeof *inputs)], input->length % 5 ? "1" : "16000",
                  &error);
    struct sw_builder *builder = sw_builder_new(&error);
    if (builder && sw_onnx_read(input, &options, builder, &error)) {
        sw_problem_unref(sw_builder_finish(builder, &error));
    }
    sw_builder_free(builder);
    sw_params_done(&dims);
    sw_params_done(&values);
}

static void put_in_order(const struct sw_input *input, const struct sw_problem *problem) {
    uint32_t count = sw_problem_operator_count(problem), *order = SW_NEW(uint32_t, count);
    struct sw_sink out = {0};
    if (!order || !sw_onnx_runtime_order(input, NULL, input->length % 2, order, count, NULL) ||
        !sw_onnx_write_order(input, NULL, order, count, &out, NULL)) {
        abort();
    }
    sw_sink_done(&out);
    SW_FREE(order, count);
}

static void write_strips(const struct sw_input *input, const struct sw_problem *problem) {
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal;
    struct sw_error error = {0};
    struct sw_sink sink = {0};
    struct sw_fit_region region = {.strips = 2};
    uint32_t count = sw_problem_operator_count(problem);
    while (region.first < count && !sw_fit_is_region(problem, region.first, region.first, &refusal)) {
        region.first++;
    }
    region.last = region.first +
                  (region.first + 1 < count && sw_fit_is_region(problem, region.first, region.first + 1, &refusal));
    if (region.first < count && sw_fit_program_make(problem, &region, 1, &program, &refusal)) {
        if (sw_onnx_write_fit(input, NULL, &program, &sink, &error)) {
            struct sw_input written = fuzz_input((const uint8_t *)sink.text.items, sink.text.count);
            struct sw_problem *again = fuzz_read(&sw_format_onnx, &written);
            if (!again || sw_problem_operator_count(again) != program.calls.count) {
                fuzz_fail("what was written in strips does not read back");
            }
            sw_problem_unref(again);
        } else if (error.code == SW_OK || !*error.message) {
            fuzz_fail("not written in strips without a word");
        }
    }
    sw_sink_done(&sink);
    sw_fit_program_done(&program);
}

/* The files beside it that it names: each lies within the input. */
static bool lies_inside(void *context, const char *path, size_t length, struct sw_error *error) {
    const struct sw_input *input = context;
    (void)error;
    if (length > 0 && (path < input->bytes || path + length > input->bytes + input->length)) {
        abort();
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    sw_format_onnx.detect(&input);
    struct sw_problem *problem = fuzz_read(&sw_format_onnx, &input);
    read_given(&input);
    sw_onnx_beside(&input, lies_inside, &input, NULL);
    if (problem) {
        fuzz_readable(problem, &sw_format_graph_json);
        put_in_order(&input, problem);
        write_strips(&input, problem);
        sw_problem_unref(problem);
    }
    return 0;
}
