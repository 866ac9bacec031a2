/* Which tensors and operators of a model the buffers and operators of a problem are. Both are found by their names. */
#include "formats/tflite/write/tflite_fit.h"

#include <inttypes.h>

#include "fit/moves.h"
#include "formats/tflite/write/tflite_front.h"

/* The problem may have the operators in another order. One that runs again is the same operator of the model. */
static bool find_operators(struct tflite_fit *fit) {
    struct tflite_model *model = &fit->model;
    const struct sw_problem *problem = fit->program->problem;
    const struct sw_fit_base *base = fit->program->base;
    uint32_t count = sw_problem_operator_count(problem), again = 0;
    struct sw_unique names = {0};
    for (uint32_t op = 0; op < count; op++) {
        again += sw_fit_runs_again(base, op);
    }
    fit->operator_of = sw_arena_new(&model->arena, (size_t)count + 1, sizeof *fit->operator_of);
    bool memory = fit->operator_of != NULL, good = memory && count == model->steps.count + again;
    for (uint32_t i = 0; good && i < model->steps.count; i++) {
        const struct tflite_step *step = &model->steps.items[i];
        const char *name = sw_unique_name(&names, &model->arena, step->name);
        uint32_t op = name ? sw_problem_find_operator(problem, name) : SW_NONE;
        memory = name != NULL;
        good = op != SW_NONE;
        if (good) {
            fit->operator_of[op] = step->kind == TFLITE_RUN && step->subgraph == 0 ? step->operator: SW_NONE;
        }
    }
    for (uint32_t op = 0; good && again > 0 && op < count; op++) {
        for (uint32_t k = 0; sw_fit_runs_again(base, op) && k < count; k++) {
            if (base->operators[k] == base->operators[op] && !sw_fit_runs_again(base, k)) {
                fit->operator_of[op] = fit->operator_of[k];
            }
        }
    }
    sw_unique_done(&names);
    return !memory
               ? sw_fail_memory(fit->error)
               : good || tflite_refuse(fit->error, "the program is not one of this model: its operators are others");
}

const struct tflite_operator *tflite_fit_operator_of(const struct tflite_fit *fit, const struct sw_fit_call *call) {
    uint32_t op = fit->operator_of[call->op];
    return op == SW_NONE ? NULL : &fit->model.operators.items[op];
}

bool tflite_fit_again(const struct tflite_fit *fit, uint32_t buffer) {
    return sw_fit_is_again(fit->program->base, buffer);
}

/* Of what an operator reads, then of what it makes. */
static uint32_t argument_buffer(const struct sw_operator *op, uint32_t i) {
    return i < op->input_count ? op->inputs[i].buffer : op->outputs[i - op->input_count].buffer;
}

bool tflite_fit_touches_again(const struct tflite_fit *fit, const struct sw_fit_call *call) {
    const struct sw_operator *op = sw_problem_operator(fit->program->problem, call->op);
    bool again = false;
    for (uint32_t i = 0; i < op->input_count + op->output_count; i++) {
        again |= tflite_fit_again(fit, argument_buffer(op, i));
    }
    return again;
}

uint32_t tflite_fit_buffer(const struct tflite_fit *fit, uint32_t op, int32_t tensor) {
    const struct sw_operator *operator_ = sw_problem_operator(fit->program->problem, op);
    for (uint32_t i = 0; tensor >= 0 && i < operator_->input_count + operator_->output_count; i++) {
        uint32_t buffer = argument_buffer(operator_, i);
        if (fit->tensor_of[buffer] == (uint32_t)tensor) {
            return buffer;
        }
    }
    return SW_NONE;
}

static bool find_buffers(struct tflite_fit *fit) {
    struct tflite_model *model = &fit->model;
    const struct sw_problem *problem = fit->program->problem;
    const struct sw_fit_base *base = fit->program->base;
    uint32_t buffers = sw_problem_buffer_count(problem);
    const char **names = tflite_names(model);
    fit->tensor_of = sw_arena_new(&model->arena, (size_t)buffers + 1, sizeof *fit->tensor_of);
    if (!names || !fit->tensor_of) {
        return sw_fail_memory(fit->error);
    }
    for (uint32_t b = 0; b < buffers; b++) {
        fit->tensor_of[b] = SW_NONE;
    }
    for (uint32_t i = 0; i < model->subgraphs.items[0].tensor_count; i++) {
        uint32_t buffer = names[i] ? sw_problem_find_buffer(problem, names[i]) : SW_NONE;
        if (names[i] &&
            (buffer == SW_NONE || sw_problem_buffer(problem, buffer)->size != model->tensors.items[i].size)) {
            return tflite_refuse(fit->error, "the program is not one of this model: it has no %.200s of the same size",
                                 names[i]);
        }
        if (buffer != SW_NONE) {
            fit->tensor_of[buffer] = i;
        }
    }
    for (uint32_t b = 0; b < buffers;
         b++) { /* buffers keep their numbers, those that are made again come behind them */
        if (sw_fit_is_again(base, b)) {
            fit->tensor_of[b] = fit->tensor_of[base->buffers[b]];
        }
    }
    return true;
}

bool tflite_fit_match(struct tflite_fit *fit) {
    return find_operators(fit) && find_buffers(fit);
}
