/* What a call costs in the arena's tail: node, tensors and what the kernel keeps, per operator. Tensors of constants
 * are counted apart, as calls of all regions share those that are equal: without them it is not more than the file has.
 */
#include "fit/strips/program_internal.h"

#include <string.h>

enum {
    SLICE_TAIL = 44,
    PADDED_TAIL = 108,
    JOIN_TAIL = 84,
    UPDATE_TAIL = 44,
    COUNT_TAIL = 116,
    TEST_TAIL = 76,
    LOOP_TAIL = 56,
    OTHER_TAIL = 116,
    PER_CHANNELS = 16
};
enum { TENSOR_TAIL = 12, SUBGRAPH_TAIL = 8, RUN_WEIGHTS = 2 };

/* What a call has of its own, whatever the operator is: its part of the tail, and what app/formats/tflite/write makes
 * of it. The test of a loop reads one number. */
static const struct {
    uint32_t tail; /* 0: see below */
    unsigned needs;
} acts[] = {
    [SW_FIT_SLICE] = {SLICE_TAIL, SW_FIT_NEEDS_SLICE},
    [SW_FIT_UPDATE] = {UPDATE_TAIL, SW_FIT_NEEDS_UPDATE},
    [SW_FIT_LOOP] = {0, SW_FIT_NEEDS_WHILE | SW_FIT_NEEDS_LESS | SW_FIT_NEEDS_SLICE},
    [SW_FIT_NEXT] = {COUNT_TAIL, SW_FIT_NEEDS_ADD},
    [SW_FIT_GROW] = {PADDED_TAIL, SW_FIT_NEEDS_PAD},
    [SW_FIT_PADDED] = {PADDED_TAIL, SW_FIT_NEEDS_PAD},
    [SW_FIT_JOIN] = {JOIN_TAIL, SW_FIT_NEEDS_CONCATENATION},
    [SW_FIT_AS_IS] = {0, 0},
    [SW_FIT_RUN] = {0, 0},
};

/* Kernels that scale each channel for itself keep two numbers of 4 bytes for it. */
static const struct {
    const char *kind;
    uint32_t bytes;
    bool channels;
} kernels[] = {
    {"conv_2d", 136, true},        {"depthwise_conv_2d", 136, true},    {"pad", PADDED_TAIL, false},
    {"padv2", PADDED_TAIL, false}, {"concatenation", JOIN_TAIL, false},
};

/* Tensors of a variable of a loop, beside what it is before: its result, the arguments of the test and of the body, and
 * the body's result, unless the body leaves it as it is. */
enum { COPIES = 3 };

uint64_t sw_fit_loop_tensors(const struct sw_fit_call *call) {
    enum {
        TESTED_TENSORS = 2
    }; /* a number, and what comes of it. The values have one of each variable's tensors, where rounds change it */
    if (call->act != SW_FIT_LOOP) {
        return 0;
    }
    return SW_FIT_COUNTER_COPIES - 1 + TESTED_TENSORS + (call->begins > 1 ? call->begins : 0) +
           COPIES * (uint64_t)call->input_count;
}

uint64_t sw_fit_constants(const struct sw_fit_call *call) {
    enum { OF_LOOP = 4 }; /* where the counters begin, what is tested, where that stands, and that it is one number */
    switch (call->act) {
    case SW_FIT_LOOP:
        return OF_LOOP + (call->begins > 1 ? call->begins + 1 : 0);
    case SW_FIT_SLICE: /* where it begins; sizes are shared. In a loop its size */
    case SW_FIT_GROW:
    case SW_FIT_NEXT:
        return 1;
    case SW_FIT_UPDATE:
        return call->rounds == 0;
    case SW_FIT_RUN:
        return call->rounds > 0 ? RUN_WEIGHTS : 0; /* of the loop's own subgraph */
    case SW_FIT_PADDED:                            /* amounts that others have, too */
    case SW_FIT_JOIN:
    case SW_FIT_AS_IS:
        break;
    }
    return 0;
}

/* The loop itself, and the operators that it has beside its rounds: a slice and the test, and a slice for each begin
 * where there are several. Two subgraphs, and what is handed over. */
static uint64_t tail_of_loop(const struct sw_fit_call *call) {
    uint64_t slices = 1 + (call->begins > 1 ? call->begins : 0);
    return LOOP_TAIL + TEST_TAIL + slices * SLICE_TAIL + 2 * SUBGRAPH_TAIL +
           COPIES * TENSOR_TAIL * ((uint64_t)call->input_count + 1);
}

static uint64_t channels_of(const struct sw_problem *problem, const struct sw_operator *op) {
    const struct sw_buffer *result = sw_problem_buffer(problem, op->outputs[0].buffer);
    return result->shape_count > 0 ? result->shape[result->shape_count - 1] : 0;
}

uint64_t sw_fit_tail_of(const struct sw_fit_program *program, const struct sw_fit_call *call) {
    const struct sw_operator *op = sw_problem_operator(program->problem, call->op);
    if (sw_problem_outside(program->problem) == 0) {
        return 0;
    }
    if (call->act == SW_FIT_LOOP || acts[call->act].tail > 0) {
        return call->act == SW_FIT_LOOP ? tail_of_loop(call) : acts[call->act].tail;
    }
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (strcmp(op->kind, kernels[i].kind) == 0) {
            uint64_t channels = kernels[i].channels ? channels_of(program->problem, op) : 0;
            return kernels[i].bytes + 2 * sw_align_up(4 * channels, PER_CHANNELS);
        }
    }
    return OTHER_TAIL;
}

uint32_t sw_fit_operators_of(const struct sw_fit_call *call) {
    return call->act != SW_FIT_LOOP
               ? 1
               : 3 + (call->begins > 1 ? call->begins : 0); /* also what it tests, the test, and each begin by itself */
}

uint32_t sw_fit_operators(const struct sw_fit_program *program) {
    uint32_t count = 0;
    for (size_t i = 0; i < program->calls.count; i++) {
        count += sw_fit_operators_of(&program->calls.items[i]);
    }
    return count;
}

unsigned sw_fit_needs(const struct sw_fit_program *program) {
    unsigned needs = 0;
    for (size_t i = 0; i < program->calls.count; i++) {
        const struct sw_fit_call *call = &program->calls.items[i];
        needs |= call->act == SW_FIT_PADDED && call->least ? SW_FIT_NEEDS_PADV2 : acts[call->act].needs;
    }
    return needs;
}

uint64_t sw_fit_more_tail(const struct sw_fit_program *program, uint64_t *shared) {
    uint64_t tail = 0, own = 0, constants = 0, each = sw_problem_outside(program->problem) > 0 ? SW_FIT_CONSTANT : 0;
    for (size_t i = 0; i < program->calls.count; i++) {
        const struct sw_fit_call *call = &program->calls.items[i];
        tail += call->region == SW_NONE ? 0 : sw_fit_tail_of(program, call);
        constants += each * sw_fit_constants(call);
    }
    for (size_t r = 0; r < program->region_count; r++) {
        for (uint32_t op = program->regions[r].first; op <= program->regions[r].last; op++) {
            own += sw_fit_tail_of(program, &(struct sw_fit_call){.act = SW_FIT_AS_IS, .op = op});
        }
    }
    *shared = constants;
    return tail - (own < tail ? own : tail) + constants;
}
