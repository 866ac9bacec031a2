/* TensorFlow Lite models: what is read is written as JSON, and read again. */
#include "fuzz/fuzz.h"

#include "formats/graphs/graph_json.h"
#include "formats/tflite/tflite_model.h"

/* The same with the kernels of another library, on another target. */
static void read_with(const struct sw_input *input) {
    struct sw_load_options options = {.kernels = SW_KERNELS_REFERENCE + (unsigned)(input->length % 9),
                                      .target = SW_TARGET_CORTEX_M + (unsigned)(input->length % 2)};
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    if (builder && sw_format_tflite.read(input, &options, builder, &error)) {
        sw_problem_unref(sw_builder_finish(builder, &error));
    }
    sw_builder_free(builder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    sw_format_tflite.detect(&input);
    read_with(&input);
    struct sw_problem *problem = fuzz_read(&sw_format_tflite, &input);
    if (problem) {
        fuzz_round_trip(problem, &sw_format_graph_json, false);
        sw_problem_unref(problem);
    }
    return 0;
}
