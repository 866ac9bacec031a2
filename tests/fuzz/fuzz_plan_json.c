/* Plans as JSON: matched to a graph, and as a problem of their own. */
#include "fuzz/fuzz.h"

#include "formats/graphs/graph_json.h"
#include "formats/plans/finished_plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    sw_plan_json_detect(&input);
    struct sw_problem *problem = fuzz_read(&sw_format_plan_json, &input);
    if (problem) {
        fuzz_round_trip(problem, &sw_format_graph_json, false);
        sw_problem_unref(problem);
    }
    fuzz_plan(data, size, &sw_format_plan_json);
    return 0;
}
