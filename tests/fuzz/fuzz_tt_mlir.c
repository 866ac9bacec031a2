/* tt-mlir's decision traces: each becomes a decision trace, whose problem is written as JSON, and read again. */
#include "fuzz/fuzz.h"

#include "formats/graphs/graph_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    if (!sw_format_tt_mlir.detect(&input)) {
        return 0;
    }
    struct sw_problem *problem = fuzz_rewrite(&sw_format_tt_mlir, &input);
    if (problem) {
        fuzz_round_trip(problem, &sw_format_graph_json, false);
        sw_problem_unref(problem);
    }
    return 0;
}
