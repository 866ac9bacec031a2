/* Any bytes: whatever is detected can be read without harm. */
#include "fuzz/fuzz.h"

#include "formats/graphs/graph_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    struct sw_error error = {0};
    const struct sw_format *format = sw_format_detect(&input, &error);
    if (!format) {
        fuzz_check_error(&input, &error);
        return 0;
    }
    struct sw_problem *problem = sw_format_rewrites(format) ? fuzz_rewrite(format, &input) : fuzz_read(format, &input);
    if (problem) {
        fuzz_round_trip(problem, &sw_format_graph_json, false);
        sw_problem_unref(problem);
    }
    return 0;
}
