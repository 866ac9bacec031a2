/* heaptrack's data: each becomes a problem with requests that agree with its buffers. */
#include "fuzz/fuzz.h"

#include "formats/graphs/graph_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    struct sw_problem *problem = fuzz_read(&sw_format_heaptrack, &input);
    if (problem) {
        fuzz_requests(problem);
        fuzz_round_trip(problem, &sw_format_graph_json, false);
        sw_problem_unref(problem);
    }
    return 0;
}
