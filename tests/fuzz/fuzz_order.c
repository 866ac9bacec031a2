/* Orders of operators, for a small graph. */
#include "fuzz/fuzz.h"

#include "formats/graphs/order_file.h"

#include <string.h>

static const char graph[] =
    "{\"format\":\"stowage-graph\",\"version\":1,\"operators\":["
    "{\"name\":\"a\",\"inputs\":[\"in\"],\"outputs\":[\"x\"]},"
    "{\"name\":\"b one\",\"inputs\":[\"x\"],\"outputs\":[\"p\"]},"
    "{\"name\":\"#c\",\"inputs\":[\"x\"],\"outputs\":[\"q\"]},"
    "{\"name\":\"d\",\"inputs\":[\"q\"],\"outputs\":[\"q\"]},"
    "{\"name\":\"e\",\"inputs\":[\"in\"],\"outputs\":[\"r\"],\"after\":[\"b one\"]},"
    "{\"name\":\"f\",\"inputs\":[\"p\",\"q\",\"r\"],\"outputs\":[\"out\"]}],"
    "\"buffers\":[{\"name\":\"in\",\"kind\":\"input\",\"size\":4},{\"name\":\"x\",\"size\":8},{\"name\":\"p\",\"size\":"
    "16},"
    "{\"name\":\"q\",\"size\":1},{\"name\":\"r\",\"size\":64},{\"name\":\"out\",\"kind\":\"output\",\"size\":2}]}";

/* The lines that name its operators, in their order. */
static void check_order(const struct sw_input *input, const struct sw_problem *ordered) {
    const char *at = input->bytes, *end = at + input->length;
    for (uint32_t step = 0; step < sw_problem_operator_count(ordered); step++) {
        const char *name = sw_problem_operator(ordered, step)->name;
        const char *found = memmem(at, (size_t)(end - at), name, strlen(name));
        if (!found) {
            fuzz_fail("%s is at step %u, and is not in the file behind what stands before it", name, step);
        }
        at = found + strlen(name);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct sw_problem *problem;
    struct sw_input input = fuzz_input((const uint8_t *)graph, sizeof graph - 1);
    struct sw_error error = {0};
    problem = problem ? problem : fuzz_read(&sw_format_graph_json, &input);
    if (!problem) {
        fuzz_fail("the graph is not valid");
    }
    input = fuzz_input(data, size);
    struct sw_problem *ordered = sw_order_file_apply(&input, problem, &error);
    if (ordered) {
        check_order(&input, ordered);
    } else {
        fuzz_check_error(&input, &error);
    }
    sw_problem_unref(ordered);
    return 0;
}
