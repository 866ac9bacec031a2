/* What a call costs in the arena's tail: node, tensors and what the kernel keeps, per operator. */
#include "fit/strip_program.h"

#include <string.h>

enum { SLICE = 44, PADDED = 108, JOIN = 84, CONSTANT = 12, OTHER = 116, PER_CHANNELS = 16 };

/* Kernels that scale each channel for itself keep two numbers of 4 bytes for it. */
static const struct {
    const char *kind;
    uint32_t bytes;
    bool channels;
} kernels[] = {
    {"conv_2d", 136, true}, {"depthwise_conv_2d", 136, true}, {"pad", PADDED, false}, {"padv2", PADDED, false}, {"concatenation", JOIN, false},
};

static uint64_t channels_of(const struct sw_problem *problem, const struct sw_operator *op) {
    const struct sw_buffer *result = sw_problem_buffer(problem, op->outputs[0].buffer);
    return result->shape_count > 0 ? result->shape[result->shape_count - 1] : 0;
}

uint64_t sw_fit_tail_of(const struct sw_fit_program *program, const struct sw_fit_call *call) {
    const struct sw_operator *op = sw_problem_operator(program->problem, call->op);
    if (sw_problem_outside(program->problem) == 0) {
        return 0;
    }
    switch (call->act) {
    case SW_FIT_SLICE:
        return SLICE + CONSTANT; /* where it begins; sizes are shared */
    case SW_FIT_PADDED:
        return PADDED + (call->least ? CONSTANT : 0);
    case SW_FIT_JOIN:
        return JOIN;
    case SW_FIT_AS_IS:
    case SW_FIT_RUN:
        break;
    }
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (strcmp(op->kind, kernels[i].kind) == 0) {
            uint64_t channels = kernels[i].channels ? channels_of(program->problem, op) : 0;
            return kernels[i].bytes + 2 * sw_align_up(4 * channels, PER_CHANNELS);
        }
    }
    return OTHER;
}

uint64_t sw_fit_more_tail(const struct sw_fit_program *program) {
    uint64_t tail = 0, own = 0;
    for (size_t i = 0; i < program->calls.count; i++) {
        const struct sw_fit_call *call = &program->calls.items[i];
        tail += call->region == SW_NONE ? 0 : sw_fit_tail_of(program, call);
    }
    for (size_t r = 0; r < program->region_count; r++) {
        for (uint32_t op = program->regions[r].first; op <= program->regions[r].last; op++) {
            own += sw_fit_tail_of(program, &(struct sw_fit_call){.act = SW_FIT_AS_IS, .op = op});
        }
    }
    return tail - (own < tail ? own : tail);
}
