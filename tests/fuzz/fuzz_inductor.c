/* Graphs of PyTorch's Inductor: what is read is written as JSON, and read again. */
#include "fuzz/fuzz.h"

#include "formats/graphs/graph_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    sw_format_inductor.detect(&input);
    struct sw_problem *problem = fuzz_read(&sw_format_inductor, &input);
    if (problem) {
        fuzz_round_trip(problem, &sw_format_graph_json, false);
        sw_problem_unref(problem);
    }
    return 0;
}
