/* What a call adds to the file: its operator, what is new of its arguments, and the name of its result. */
#include "fit/program_internal.h"

#include <string.h>

/* Measured on what app/formats/tflite/write makes. A list of arguments is 4 bytes and 4 for each; a text a count, its bytes and NUL, in words. */
enum { OPERATOR = 36, TENSOR = 40, STRIP = 18, ROWS = 28, CONSTANT = 76, OPERANDS = 3 };

static uint64_t text(const char *name, uint64_t more) {
    return sw_align_up(4 + strlen(name) + more + 1, 4);
}

/* The name is the tensor's with a few words, and, of slices, the operator's. */
static uint64_t of_call(const struct sw_fit_program *program, const struct sw_fit_call *call) {
    const struct sw_problem *problem = program->problem;
    const struct sw_fit_value *value = &program->values.items[call->output];
    const char *tensor = sw_problem_buffer(problem, value->buffer)->name, *op = sw_problem_operator(problem, call->op)->name;
    uint64_t bytes = OPERATOR + 4 * ((uint64_t)call->input_count + OPERANDS) + 4, name = STRIP;
    if (call->act == SW_FIT_SLICE || call->act == SW_FIT_PADDED) {
        bytes += call->act == SW_FIT_SLICE && call->strip != 0 ? CONSTANT : 0; /* where it begins; sizes are shared mostly */
        name = ROWS + strlen(op) + STRIP;
    }
    return bytes + (value->whole ? 0 : TENSOR + text(tensor, name));
}

uint64_t sw_fit_more_flash(const struct sw_fit_program *program) {
    uint64_t flash = 0;
    for (size_t i = 0; i < program->calls.count; i++) {
        const struct sw_fit_call *call = &program->calls.items[i];
        flash += call->act == SW_FIT_AS_IS ? 0 : of_call(program, call);
    }
    return flash;
}
