/* The files that --tiers takes. */
#include "fuzz/fuzz.h"

#include "formats/graphs/graph_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    struct sw_problem *problem = NULL;
    if (sw_tiers_read(&input, builder, &error)) {
        problem = sw_builder_finish(builder, &error);
    }
    sw_builder_free(builder);
    if (problem) {
        fuzz_round_trip(problem, &sw_format_graph_json, false);
        sw_problem_unref(problem);
    } else {
        fuzz_check_error(&input, &error);
    }
    return 0;
}
