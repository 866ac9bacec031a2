/* What a call adds to the file: its operator, what is new of its arguments, and the name of its result. */
#include "fit/strips/program_internal.h"

#include <string.h>

/* Measured on what app/formats/tflite/write makes. A list of arguments is 4 bytes and 4 for each; a text a count, its
 * bytes and NUL, in words. A subgraph has lists of its arguments, results, tensors and operators, and a name. */
enum {
    OPERATOR_FLASH = 36,
    TENSOR_FLASH = 40,
    STRIP_TEXT = 18,
    ROWS_TEXT = 28,
    CONSTANT_FLASH = 76,
    CONSTANT_AGAIN = 36,
    OPERANDS = 3,
    SUBGRAPH_FLASH = 64
};

static uint64_t text_flash(const char *name, uint64_t more) {
    return sw_align_up(4 + strlen(name) + more + 1, 4);
}

static uint64_t with_arguments(uint64_t count) {
    return OPERATOR_FLASH + 4 * (count + OPERANDS) + 4;
}

/* A loop, the operators that it has beside its rounds, and its tensors: copies of what is handed over, under their
 * names, and counters. Constants of the body are tensors once more; their bytes are shared. */
static uint64_t of_loop(const struct sw_fit_program *program, const struct sw_fit_call *call) {
    const char *op = sw_problem_operator(program->problem, call->op)->name;
    uint64_t slices = 1 + (call->begins > 1 ? call->begins : 0), names = 0, handed = 0;
    for (uint32_t i = 0; i < call->input_count; i++) {
        const struct sw_fit_value *value = &program->values.items[program->inputs.items[call->first_input + i]];
        names += text_flash(sw_problem_buffer(program->problem, value->buffer)->name, value->whole ? 0 : ROWS_TEXT);
        handed += TENSOR_FLASH;
    }
    uint64_t counters = sw_fit_loop_tensors(call) - 3 * (uint64_t)call->input_count;
    return with_arguments(2 * (uint64_t)call->input_count + 1) + with_arguments(1) + slices * with_arguments(1) +
           3 * (handed + names) + counters * (TENSOR_FLASH + text_flash("begin", 0)) +
           sw_fit_constants(call) * CONSTANT_FLASH +
           2 * (SUBGRAPH_FLASH + text_flash(op, STRIP_TEXT) + 4 * 2 * ((uint64_t)call->input_count + 1));
}

/* The name is the tensor's with a few words, and, of slices, the operator's. */
static uint64_t of_call(const struct sw_fit_program *program, const struct sw_fit_call *call) {
    const struct sw_problem *problem = program->problem;
    if (call->act == SW_FIT_AS_IS) {
        return 0;
    }
    if (call->act == SW_FIT_LOOP) {
        return of_loop(program, call);
    }
    if (call->act == SW_FIT_NEXT) {
        return with_arguments(1) + CONSTANT_FLASH;
    }
    const struct sw_fit_value *value = &program->values.items[call->output];
    const char *tensor = sw_problem_buffer(problem, value->buffer)->name,
               *op = sw_problem_operator(problem, call->op)->name;
    uint64_t bytes = with_arguments(call->input_count), name = STRIP_TEXT;
    if (call->act == SW_FIT_SLICE || call->act == SW_FIT_PADDED) {
        bytes += call->act == SW_FIT_SLICE && call->strip != 0 && call->step == 0
                     ? CONSTANT_FLASH
                     : 0; /* where it begins; sizes are shared mostly */
        name = ROWS_TEXT + strlen(op) + STRIP_TEXT;
    }
    if (call->act == SW_FIT_GROW || (call->act == SW_FIT_UPDATE && call->step == 0)) {
        bytes += CONSTANT_FLASH;
    }
    if (call->rounds > 0 && call->act != SW_FIT_RUN) { /* weights are the same tensors */
        bytes += sw_fit_constants(call) * CONSTANT_AGAIN;
    }
    return bytes + (value->whole ? 0 : TENSOR_FLASH + text_flash(tensor, name));
}

uint64_t sw_fit_more_flash(const struct sw_fit_program *program) {
    uint64_t flash = 0;
    for (size_t i = 0; i < program->calls.count; i++) {
        flash += of_call(program, &program->calls.items[i]);
    }
    return flash;
}
