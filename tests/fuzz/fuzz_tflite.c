/* TensorFlow Lite models: what is read is written as JSON, and read again; and, where an operator can be computed in
 * strips, as a model that computes it so, which is read again. */
#include "fuzz/fuzz.h"

#include "formats/graphs/graph_json.h"
#include "formats/tflite/tflite_model.h"
#include "formats/tflite/write/tflite_fit.h"

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

/* The first operator that can be a region, with the one behind it if that can be in it, too. */
static bool find_region(const struct sw_problem *problem, struct sw_fit_region *region) {
    struct sw_fit_refusal refusal;
    for (uint32_t i = 0; i < sw_problem_operator_count(problem); i++) {
        if (sw_fit_is_region(problem, i, i, &refusal)) {
            bool two = i + 1 < sw_problem_operator_count(problem) && sw_fit_is_region(problem, i, i + 1, &refusal);
            *region = (struct sw_fit_region){
                .first = i, .last = i + two, .strips = 2 + (uint32_t)(i % 2), .padded = i % 3 ? SW_FIT_PAD_ALL : 0};
            uint64_t rows = sw_fit_region_rows(problem, region->last);
            if (rows >= 6 && rows <= 1000 &&
                i % 2 ==
                    0) { /* strips of one row, in a loop where they are alike; half of them with rows that are kept */
                region->loop = true;
                region->lead = region->rows = 1;
                region->strips = (uint32_t)rows;
                region->kept = rows % 2 ? SW_FIT_KEEP_ALL : 0;
            }
            return rows >= region->strips;
        }
    }
    return false;
}

static void write_strips(const struct sw_problem *problem, const struct sw_input *input) {
    struct sw_fit_region region;
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal;
    struct sw_error error = {0};
    struct sw_sink sink = {0};
    if (find_region(problem, &region) && sw_fit_program_make(problem, &region, 1, &program, &refusal)) {
        if (tflite_write_fit(input, NULL, &program, NULL, &sink, &error)) {
            struct sw_input written = fuzz_input((const uint8_t *)sink.text.items, sink.text.count);
            struct sw_problem *again = fuzz_read(&sw_format_tflite, &written);
            if (!again || sw_problem_operator_count(again) < sw_problem_operator_count(problem)) {
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    sw_format_tflite.detect(&input);
    read_with(&input);
    struct sw_problem *problem = fuzz_read(&sw_format_tflite, &input);
    if (problem) {
        fuzz_round_trip(problem, &sw_format_graph_json, false);
        write_strips(problem, &input);
        sw_problem_unref(problem);
    }
    return 0;
}
