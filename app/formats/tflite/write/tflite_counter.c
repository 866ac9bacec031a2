/* What a changed model of a TensorFlow Lite file comes to: it is written, and read as the model was. */
#include "formats/tflite/write/tflite_fit.h"
#include "base/base.h"

#include "problem/builder.h"

struct tflite_counter {
    struct sw_counter base; /* first */
    struct sw_input input;
    struct sw_load_options load;
    uint64_t computed, least;      /* bytes outside of the model's own plan, by the same computation */
    uint64_t outside, least_known; /* the same as its problem has them: a log may know better */
};

static uint64_t move_by_change(uint64_t known, uint64_t before, uint64_t after) {
    return after >= before ? known + (after - before) : known - SW_MIN(known, before - after);
}

static bool count_changed(const struct sw_counter *base, const struct sw_fit_program *program,
                          const struct sw_layout *layout, struct sw_counted *counted) {
    const struct tflite_counter *counter = (const struct tflite_counter *)base;
    struct sw_sink sink = {0};
    bool written = tflite_write_fit(&counter->input, &counter->load, program, layout, &sink, NULL);
    struct sw_input input = {.name = "the changed model", .bytes = sink.text.items, .length = sink.text.count};
    struct sw_problem *problem = written ? sw_load_input(&input, &counter->load, NULL) : NULL;
    if (problem) {
        counted->flash = input.length - SW_MIN(input.length, counter->input.length);
        counted->outside = move_by_change(counter->outside, counter->computed, sw_problem_outside(problem));
        counted->least = move_by_change(counter->least_known, counter->least, sw_problem_least_arena(problem));
    }
    sw_problem_unref(problem);
    sw_sink_done(&sink);
    return problem != NULL;
}

static void close_counter(struct sw_counter *base) {
    struct tflite_counter *counter = (struct tflite_counter *)base;
    sw_input_close(&counter->input);
    SW_FREE(counter, 1);
}

bool tflite_add_counter(struct sw_builder *builder, const struct sw_input *input, const struct sw_load_options *load,
                        bool wide, uint64_t computed, uint64_t least, struct sw_error *error) {
    if (!input->owner) {
        return true; /* its bytes are gone when it was read */
    }
    struct tflite_counter *counter = SW_NEW_ZERO(struct tflite_counter, 1);
    if (!counter || !sw_input_keep(input, &counter->input, error)) {
        SW_FREE(counter, 1);
        return sw_fail_memory(error);
    }
    counter->base = (struct sw_counter){.references = 1, .count = count_changed, .close = close_counter};
    counter->load = (struct sw_load_options){.target = wide ? SW_TARGET_HOST : SW_TARGET_CORTEX_M,
                                             .kernels = load->kernels,
                                             .per_subgraph = load->per_subgraph};
    counter->computed = computed;
    counter->least = least;
    counter->outside = sw_builder_outside_bytes(builder);
    counter->least_known = sw_builder_least_arena(builder);
    sw_builder_counter(builder, &counter->base);
    sw_counter_unref(&counter->base);
    return true;
}
