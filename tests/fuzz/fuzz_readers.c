/* The readers that are scripts: what is read is written as JSON, and read again. An input that none of them knows is
 * read by one that its length chooses. */
#include "fuzz/fuzz.h"

#include "formats/graphs/graph_json.h"

static const struct sw_format *const scripts[] = {
#define FORMAT(name, file)
#define READER(name, file) &name,
#include "formats.def"
#undef FORMAT
#undef READER
};
enum { SCRIPTS = sizeof scripts / sizeof *scripts };

static const struct sw_format *format_of(const struct sw_input *input) {
    for (size_t i = 0; i < SCRIPTS; i++) {
        if (sw_format_is(scripts[i], input)) {
            return scripts[i];
        }
    }
    return scripts[input->length % SCRIPTS];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct sw_input input = fuzz_input(data, size);
    const struct sw_format *format = format_of(&input);
    struct sw_problem *problem = sw_format_rewrites(format) ? fuzz_rewrite(format, &input) : fuzz_read(format, &input);
    if (problem && !sw_format_rewrites(format) && sw_problem_told_requests(problem)) {
        fuzz_requests(problem);
        fuzz_serve(problem, sw_problem_told_requests(problem)->allocator);
    }
    if (problem) {
        fuzz_round_trip(problem, &sw_format_graph_json, false);
        sw_problem_unref(problem);
    }
    return 0;
}
