/* Tables of buffers: what is read is written as CSV and as JSON, and read again. */
#include "fuzz/fuzz.h"

#include "formats/graphs/buffers_csv.h"
#include "formats/graphs/graph_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    sw_csv_detect(&input);
    struct sw_problem *problem = fuzz_read(&sw_format_buffers_csv, &input);
    if (problem) {
        fuzz_round_trip(problem, &sw_format_buffers_csv, false);
        fuzz_round_trip(problem, &sw_format_graph_json, false);
        sw_problem_unref(problem);
    }
    return 0;
}
