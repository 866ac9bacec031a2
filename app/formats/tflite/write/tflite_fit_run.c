/* The model of a run of the planner `fit`, as the run has changed and placed it. */
#include "formats/format.h"
#include "formats/tflite/write/tflite_fit.h"
#include "formats/tflite/write/tflite_front.h"
#include "planners/fit/fit_look.h"

#include <string.h>

/* A plan in a file has no offsets for workspaces: the interpreter chooses them. */
static bool has_workspaces(const struct sw_problem *problem) {
    bool has = false;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        has = has || sw_problem_buffer(problem, b)->kind == SW_KIND_SCRATCH;
    }
    return has;
}

bool tflite_fit_read_back(const struct sw_sink *sink, const struct sw_load_options *load,
                          const struct sw_layout *layout, uint64_t *head, uint64_t *arena, struct sw_error *error) {
    const struct sw_input input = {.name = "the changed model", .bytes = sink->text.items, .length = sink->text.count};
    struct sw_load_options options = load ? *load : (struct sw_load_options){0};
    uint64_t promised = sw_layout_peak(layout);
    options.has_capacity = false;
    options.array = options.join = options.order = NULL; /* of the model as it was */
    struct sw_problem *problem = sw_load_input(&input, &options, error);
    if (!problem) {
        return false;
    }
    bool good = sw_problem_plan_peak(problem, head) &&
                ((*head <= promised && promised - *head < SW_FIT_COUNTER) || has_workspaces(problem));
    *arena = sw_problem_arena(problem, *head);
    sw_problem_unref(problem);
    return good || tflite_refuse(error, "the changed model reads back with another plan, so it is not written");
}

bool sw_tflite_write_changed(const struct sw_result *result, struct sw_sink *sink, struct sw_error *error) {
    const char *path = result->source;
    const struct sw_load_options *load = result->load;
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal = {.op = SW_NONE};
    struct sw_fit_look look;
    struct sw_input input;
    if (!path || strcmp(path, "-") == 0) {
        return tflite_refuse(error,
                             "a changed model is written from the one that it was, which must be given as a file");
    }
    if (result->base) {
        return tflite_refuse(error, "offsets in a model count from the start of the arena: leave out --base");
    }
    if (!sw_fit_look(result->search, &look) || !look.now) {
        return tflite_refuse(error, "no changed model was chosen yet");
    }
    if (sw_problem_offsets_are_plan(look.model)) {
        return tflite_refuse(error, "the model holds a plan for the operators that it has: fit the model without one");
    }
    if (!sw_input_open_array(path, load ? load->array : NULL, &input, error)) {
        return false;
    }
    bool good = sw_format_tflite.detect(&input) ||
                tflite_refuse(
                    error, "a changed model is written as .tflite from a TensorFlow Lite model, and %s is none", path);
    uint64_t head, arena;
    good = good && (sw_fit_model_program(look.result, look.now, &program, &refusal) || sw_fail_memory(error)) &&
           tflite_write_fit(&input, load, &program, result->layout, sink, error) &&
           tflite_fit_read_back(sink, load, result->layout, &head, &arena, error);
    sw_fit_program_done(&program);
    sw_input_close(&input);
    return good;
}
