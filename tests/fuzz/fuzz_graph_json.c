/* Graphs: what is read is written and read again; as CSV too, as far as that goes. */
#include "fuzz/fuzz.h"

#include "formats/graphs/buffers_csv.h"
#include "formats/graphs/graph_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    struct sw_problem *problem = fuzz_read(&sw_format_graph_json, &input);
    if (problem) {
        fuzz_round_trip(problem, &sw_format_graph_json, false);
        fuzz_readable(problem, &sw_format_buffers_csv);
        sw_problem_unref(problem);
    }
    return 0;
}
