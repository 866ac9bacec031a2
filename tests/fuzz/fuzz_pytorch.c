/* PyTorch's snapshots: what is read is written as JSON, and read again. Memory stays in proportion. */
#include "fuzz/fuzz.h"

#include "formats/graphs/graph_json.h"
#include "formats/pytorch/pytorch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    struct sw_pickle pickle;
    struct sw_error error = {0};
    sw_pickle_detect(&input);
    if (!sw_pickle_open(&pickle, &input, &error)) {
        fuzz_check_error(&input, &error);
    }
    if (pickle.nodes.count > size + 3 || pickle.items.count > 3 * size + 1) {
        fuzz_fail("%zu values and %zu items from %zu bytes", pickle.nodes.count, pickle.items.count, size);
    }
    sw_pickle_close(&pickle);
    struct sw_problem *problem = fuzz_read(&sw_format_pytorch, &input);
    if (problem) {
        fuzz_round_trip(problem, &sw_format_graph_json, false);
        fuzz_serve(problem, "cuda-caching");
        if (sw_problem_told_requests(problem)) {
            fuzz_as_table(problem);
        }
        sw_problem_unref(problem);
    }
    return 0;
}
