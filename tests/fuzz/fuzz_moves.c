/* Lists of moves, for a small graph: regions that can be made come to a model with a valid plan. */
#include "fuzz/fuzz.h"

#include "fit/find_fit.h"
#include "formats/graphs/moves_file.h"

#include <string.h>

static const char graph[] =
    "{\"format\":\"stowage-graph\",\"version\":1,\"operators\":["
    "{\"name\":\"a\",\"kind\":\"conv_2d\",\"inputs\":[\"in\"],\"outputs\":[\"x\"],\"window\":{\"kernel\":[1,1]},"
    "\"macs\":256},"
    "{\"name\":\"b\",\"kind\":\"conv_2d\",\"inputs\":[\"x\"],\"outputs\":[\"y\"],\"window\":{\"kernel\":[3,3],\"pad\":["
    "1,1,1,1]},\"macs\":2304},"
    "{\"name\":\"c\",\"kind\":\"conv_2d\",\"inputs\":[\"y\"],\"outputs\":[\"z\"],\"window\":{\"kernel\":[3,1],"
    "\"stride\":[2,1]},\"macs\":768},"
    "{\"name\":\"d\",\"kind\":\"reshape\",\"inputs\":[\"z\"],\"outputs\":[\"out\"]}],"
    "\"buffers\":[{\"name\":\"in\",\"kind\":\"input\",\"dtype\":\"int8\",\"shape\":[1,9,8,2]},{\"name\":\"x\","
    "\"dtype\":\"int8\",\"shape\":[1,9,8,8]},"
    "{\"name\":\"y\",\"dtype\":\"int8\",\"shape\":[1,9,8,4]},{\"name\":\"z\",\"dtype\":\"int8\",\"shape\":[1,4,8,2]},"
    "{\"name\":\"out\",\"kind\":\"output\",\"dtype\":\"int8\",\"shape\":[1,64]}]}";

/* What can be made is planned; the plan is valid. */
static void make(const struct sw_problem *problem, const struct sw_fit_region *regions, size_t count) {
    struct sw_fit_result result = {0};
    struct sw_error error = {0};
    if (sw_fit_take(problem, &(struct sw_fit_request){.work = 20000}, regions, count, &result, &error)) {
        size_t faults = 0;
        if (!sw_layout_check(result.models.items[result.chosen].layout, &faults, NULL, NULL) || faults > 0) {
            fuzz_fail("the plan of the changed model is not valid");
        }
    } else if (!*error.message) {
        fuzz_fail("no reason is given");
    }
    sw_fit_result_done(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct sw_problem *problem;
    struct sw_input input = fuzz_input((const uint8_t *)graph, sizeof graph - 1);
    struct sw_error error = {0};
    struct sw_fit_region *regions;
    size_t count;
    problem = problem ? problem : fuzz_read(&sw_format_graph_json, &input);
    if (!problem) {
        fuzz_fail("the graph is not valid");
    }
    input = fuzz_input(data, size);
    if (sw_moves_file_read(&input, problem, &regions, &count, &error)) {
        make(problem, regions, count);
    } else {
        fuzz_check_error(&input, &error);
    }
    SW_FREE(regions, count);
    return 0;
}
