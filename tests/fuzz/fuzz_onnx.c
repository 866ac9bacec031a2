/* ONNX models: whatever is accepted can be written as a graph and read again. */
#include "fuzz/fuzz.h"

#include "formats/graphs/graph_json.h"
#include "formats/onnx/onnx_format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    sw_format_onnx.detect(&input);
    struct sw_problem *problem = fuzz_read(&sw_format_onnx, &input);
    if (problem) {
        fuzz_readable(problem, &sw_format_graph_json);
        sw_problem_unref(problem);
    }
    return 0;
}
