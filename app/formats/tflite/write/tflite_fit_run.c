/* The model of a run of the planner `fit`, as the run has changed and placed it. */
#include "formats/format.h"
#include "formats/tflite/write/tflite_fit.h"
#include "formats/tflite/write/tflite_front.h"
#include "planners/fit/fit_look.h"

#include <string.h>

bool sw_tflite_write_changed(const struct sw_result *result, struct sw_sink *sink, struct sw_error *error) {
    const char *path = result->source;
    const struct sw_load_options *load = result->load;
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal = {.op = SW_NONE};
    struct sw_fit_look look;
    struct sw_input input;
    if (!path || strcmp(path, "-") == 0) {
        return tflite_refuse(error, "a changed model is written from the one that it was, which must be given as a file");
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
    bool good = sw_format_tflite.detect(&input) || tflite_refuse(error, "a changed model is written as .tflite from a TensorFlow Lite model, and %s is none", path);
    good = good && (sw_fit_model_program(look.result, look.now, &program, &refusal) || sw_fail_memory(error)) &&
           tflite_write_fit(&input, load, &program, result->layout, sink, error);
    sw_fit_program_done(&program);
    sw_input_close(&input);
    return good;
}
