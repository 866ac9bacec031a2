#include "fit/program_run.h"
#include "fit/kernels/kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_INPUTS = 64 };

struct machine {
    const struct sw_fit_program *program;
    struct graph *graph;
    const struct placed *placed;
    struct run *run;
    char *why;
    unsigned char *arena, **own; /* own: of values without a place in an arena */
    uint32_t *tensors;           /* of each buffer of the problem, the model's tensor */
    uint32_t *operations;        /* of each operator of the problem */
    int64_t round;               /* of the loop at hand, from 0 on */
};

static const struct sw_fit_value *value_at(const struct machine *m, uint32_t value) {
    return &m->program->values.items[value];
}

/* ---- names: which tensor is which buffer ---- */

static bool find_tensors(struct machine *m) {
    const struct sw_problem *problem = m->program->problem;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        const char *name = sw_problem_buffer(problem, b)->name;
        m->tensors[b] = SW_NONE;
        for (uint32_t t = 0; t < m->graph->tensor_count; t++) {
            if (!m->graph->tensors[t].constant && strcmp(m->graph->tensors[t].name, name) == 0) {
                m->tensors[b] = t;
            }
        }
    }
    return true;
}

/* By the tensor that it makes. */
static bool find_operations(struct machine *m) {
    const struct sw_problem *problem = m->program->problem;
    for (uint32_t i = 0; i < sw_problem_operator_count(problem); i++) {
        const struct sw_operator *op = sw_problem_operator(problem, i);
        m->operations[i] = SW_NONE;
        for (uint32_t k = 0; k < m->graph->operation_count && op->output_count > 0; k++) {
            if ((uint32_t)m->graph->operations[k].outputs[0] == m->tensors[op->outputs[0].buffer]) {
                m->operations[i] = k;
            }
        }
        if (m->operations[i] == SW_NONE) {
            return say(m->why, "the model has no operator %s", op->name);
        }
    }
    return true;
}

/* ---- where values lie ---- */

/* NULL: it lies nowhere, or outside of what it is said to lie in. */
static unsigned char *bytes_of(struct machine *m, uint32_t value) {
    uint64_t at = 0, size = value_at(m, value)->size;
    while (value_at(m, value)->within != SW_NONE) {
        at += value_at(m, value)->at;
        value = value_at(m, value)->within;
        if (at + size > value_at(m, value)->size) {
            return NULL;
        }
    }
    if (m->placed) {
        return m->placed->offsets[value] == NOWHERE ? NULL : m->arena + m->placed->offsets[value] + at;
    }
    return m->own[value] + at;
}

static bool make_memory(struct machine *m) {
    for (uint32_t v = 0; v < m->program->values.count; v++) {
        const struct sw_fit_value *value = value_at(m, v);
        if (value->within != SW_NONE) {
            continue;
        }
        if (m->placed && m->placed->offsets[v] != NOWHERE && m->placed->offsets[v] + value->size > m->placed->bytes) {
            return say(m->why, "value %u does not lie in the arena", v);
        }
        if (!m->placed) {
            m->own[v] = malloc(value->size);
            poison(m->own[v], value->size, m->run->seed + v);
        }
    }
    m->arena = malloc((m->placed ? m->placed->bytes : 0) + 1);
    poison(m->arena, m->placed ? m->placed->bytes : 0, m->run->seed);
    return true;
}

/* The whole value of a tensor; SW_NONE: the program has none. */
static uint32_t whole_of(const struct machine *m, uint32_t tensor) {
    for (uint32_t v = 0; v < m->program->values.count; v++) {
        if (value_at(m, v)->whole && m->tensors[value_at(m, v)->buffer] == tensor) {
            return v;
        }
    }
    return SW_NONE;
}

/* ---- calls ---- */

/* The tensor that a value is: that of its buffer with other rows and columns. */
static bool set_tensor(struct machine *m, uint32_t number, struct tensor *tensor) {
    const struct sw_fit_value *value = value_at(m, number);
    uint32_t from = m->tensors[value->buffer];
    if (from == SW_NONE) {
        return say(m->why, "value %u is of no tensor", number);
    }
    *tensor = m->graph->tensors[from];
    if (!value->whole) {
        snprintf(tensor->name, sizeof tensor->name, "value %u", number);
        tensor->dims[1] = (int32_t)(value->rows.hi - value->rows.lo);
        tensor->dims[2] += (int32_t)(value->left + value->right);
    }
    tensor->data = bytes_of(m, number);
    if (!tensor_measure(tensor) || tensor->bytes != value->size || !tensor->data) {
        char text[64];
        return say(m->why, "value %u is %s, but its size is %llu, or it lies nowhere, or not in its whole", number,
                   tensor_shape(tensor, text), (unsigned long long)value->size);
    }
    return true;
}

/* A list of integers as an argument. */
static struct tensor listed(int32_t *numbers, int32_t count) {
    struct tensor tensor = {
        .name = "list", .type = INT32, .rank = 1, .dims = {count}, .data = (unsigned char *)numbers};
    tensor_measure(&tensor);
    return tensor;
}

static bool run_slice(struct machine *m, const struct sw_fit_call *call, struct tensor *in, struct tensor *out) {
    const struct sw_fit_value *from = value_at(m, m->program->inputs.items[call->first_input]),
                              *to = value_at(m, call->output);
    int32_t begin[4] = {0, (int32_t)(to->rows.lo - from->rows.lo + m->round * call->step), 0, 0}, size[4];
    memcpy(size, out->dims, sizeof size);
    struct tensor begins = listed(begin, 4), sizes = listed(size, 4);
    struct options none = {0};
    return run_kernel(&(struct call){SLICE, &none, (struct tensor *const[]){in, &begins, &sizes}, 3, out, m->why});
}

static bool run_padded(struct machine *m, const struct sw_fit_call *call, struct tensor *in, struct tensor *out) {
    int32_t amounts[8] = {0, 0, (int32_t)call->above, (int32_t)call->below, (int32_t)call->left, (int32_t)call->right,
                          0, 0};
    int8_t least = INT8_MIN;
    struct tensor list = listed(amounts, 8), value = *out;
    struct options none = {0};
    value.rank = 1;
    value.dims[0] = 1;
    value.data = (unsigned char *)&least;
    tensor_measure(&value);
    return run_kernel(&(struct call){call->least ? PADV2 : PAD, &none, (struct tensor *const[]){in, &list, &value},
                                     call->least ? 3 : 2, out, m->why});
}

/* Rows behind those that are there, of any content. */
static bool run_growth(struct machine *m, struct tensor *in, struct tensor *out) {
    int32_t amounts[8] = {0, 0, 0, out->dims[1] - in->dims[1], 0, 0, 0, 0};
    struct tensor list = listed(amounts, 8);
    struct options none = {0};
    return run_kernel(&(struct call){PAD, &none, (struct tensor *const[]){in, &list}, 2, out, m->why});
}

static bool run_update(struct machine *m, const struct sw_fit_call *call, struct tensor *out) {
    struct tensor whole, part;
    if (call->input_count != 2 || !set_tensor(m, m->program->inputs.items[call->first_input], &whole) ||
        !set_tensor(m, m->program->inputs.items[call->first_input + 1], &part)) {
        return m->why[0] ? false : say(m->why, "an update has not two arguments");
    }
    int64_t row = value_at(m, m->program->inputs.items[call->first_input + 1])->rows.lo + m->round * call->step;
    int32_t begin[4] = {0, (int32_t)row, 0, 0};
    struct tensor begins = listed(begin, 4);
    struct options none = {0};
    if (m->round > 0) {
        whole = *out; /* as the round before left it */
    }
    return run_kernel(
        &(struct call){DYNAMIC_UPDATE_SLICE, &none, (struct tensor *const[]){&whole, &part, &begins}, 3, out, m->why});
}

/* What a round leaves goes to where the next one reads it, unless it lies there. */
static bool hand_on(struct machine *m, const struct sw_fit_call *loop, const struct sw_fit_call *next) {
    struct call copy = {.code = WHILE, .why = m->why};
    for (uint32_t i = 1; i < loop->input_count; i++) {
        struct tensor from, to;
        if (!set_tensor(m, m->program->inputs.items[next->first_input + i], &from) ||
            !set_tensor(m, m->program->inputs.items[loop->first_input + i], &to) || from.bytes != to.bytes ||
            !copy_bytes(&copy, to.data, from.data, to.bytes)) {
            return m->why[0] ? false : say(m->why, "what a round leaves is not what the next one takes");
        }
    }
    return true;
}

/* Of any number of arguments: a model nests what a runtime cannot join at once. */
static bool run_joined(struct machine *m, const struct sw_fit_call *call, struct tensor *out) {
    struct call copies = {.code = CONCATENATION, .why = m->why};
    size_t at = 0;
    for (uint32_t i = 0; i < call->input_count; i++) {
        struct tensor in;
        if (!set_tensor(m, m->program->inputs.items[call->first_input + i], &in)) {
            return false;
        }
        if (in.dims[2] != out->dims[2] || in.dims[3] != out->dims[3] || at + in.bytes > out->bytes) {
            return say(m->why, "%s does not go into %s", in.name, out->name);
        }
        if (!copy_bytes(&copies, out->data + at, in.data, in.bytes)) {
            return false;
        }
        at += in.bytes;
    }
    return at == out->bytes || say(m->why, "what is joined is shorter than %s", out->name);
}

/* An argument that stands in the list before, too: the problem has it once. MOST_INPUTS: there is none. */
static uint32_t repeated(const struct operation *op, uint32_t i) {
    for (uint32_t k = 0; k < i; k++) {
        if (op->inputs[k] == op->inputs[i]) {
            return k;
        }
    }
    return MOST_INPUTS;
}

/* An operator of the model on rows: its arguments are values, and its constants as they are. */
static bool run_rows(struct machine *m, const struct sw_fit_call *call, struct tensor *out) {
    const struct operation *op = &m->graph->operations[m->operations[call->op]];
    struct tensor tensors[MOST_INPUTS], *inputs[MOST_INPUTS], amounts;
    int32_t padding[8] = {0, 0, (int32_t)call->above, (int32_t)call->below, (int32_t)call->left, (int32_t)call->right,
                          0, 0};
    struct options options = op->options;
    uint32_t next = 0;
    options.padding = call->same ? op->options.padding : VALID;
    for (uint32_t i = 0; i < op->input_count; i++) {
        struct tensor *tensor = op->inputs[i] < 0 ? NULL : &m->graph->tensors[op->inputs[i]];
        inputs[i] = tensor;
        if (tensor && repeated(op, i) < MOST_INPUTS) {
            inputs[i] = inputs[repeated(op, i)];
        } else if (tensor && !tensor->constant) {
            inputs[i] = &tensors[i];
            if (next == call->input_count) {
                return say(m->why, "a call of %s has too few arguments", operator_name(op->code));
            }
            if (!set_tensor(m, m->program->inputs.items[call->first_input + next++], &tensors[i])) {
                return false;
            }
        }
    }
    if (next != call->input_count) {
        return say(m->why, "a call of %s has too many arguments", operator_name(op->code));
    }
    if (op->code == PAD || op->code == PADV2) {
        amounts = listed(padding, 8);
        inputs[1] = &amounts;
    }
    return run_kernel(&(struct call){op->code, &options, inputs, op->input_count, out, m->why});
}

static bool run_whole(struct machine *m, const struct sw_fit_call *call) {
    const struct operation *op = &m->graph->operations[m->operations[call->op]];
    struct tensor *inputs[MOST_INPUTS];
    bool there = op->output_count == 1 && m->graph->tensors[op->outputs[0]].data;
    for (uint32_t i = 0; i < op->input_count; i++) {
        inputs[i] = op->inputs[i] < 0 ? NULL : &m->graph->tensors[op->inputs[i]];
        there = there && (!inputs[i] || inputs[i]->data);
    }
    if (!there) {
        return say(m->why, "the program has not all values that %s reads and makes", operator_name(op->code));
    }
    return run_kernel(
        &(struct call){op->code, &op->options, inputs, op->input_count, &m->graph->tensors[op->outputs[0]], m->why});
}

static bool run_call(struct machine *m, const struct sw_fit_call *call) {
    struct tensor out, in;
    if (call->act == SW_FIT_AS_IS) {
        return run_whole(m, call);
    }
    if (call->act == SW_FIT_LOOP || call->act == SW_FIT_NEXT) {
        return true; /* see run_calls */
    }
    if (!set_tensor(m, call->output, &out)) {
        return false;
    }
    if (call->act == SW_FIT_RUN) {
        return run_rows(m, call, &out);
    }
    if (call->act == SW_FIT_JOIN) {
        return run_joined(m, call, &out);
    }
    if (call->act == SW_FIT_UPDATE) {
        return run_update(m, call, &out);
    }
    if (call->input_count != 1 || !set_tensor(m, m->program->inputs.items[call->first_input], &in)) {
        return m->why[0] ? false : say(m->why, "a slice or padding has not one argument");
    }
    if (call->act == SW_FIT_GROW) {
        return run_growth(m, &in, &out);
    }
    return call->act == SW_FIT_SLICE ? run_slice(m, call, &in, &out) : run_padded(m, call, &in, &out);
}

/* All calls, those of a loop again and again. */
static bool run_calls(struct machine *m) {
    const struct sw_fit_call *calls = m->program->calls.items;
    size_t loop = 0;
    for (size_t i = 0; i < m->program->calls.count; i++) {
        if (!run_call(m, &calls[i])) {
            char text[WHY];
            snprintf(text, sizeof text, "%s", m->why);
            return say(m->why, "call %zu: %.200s", i, text);
        }
        if (calls[i].act == SW_FIT_LOOP) {
            loop = i;
            if (calls[i].output != SW_NONE && bytes_of(m, calls[i].output)) {
                poison(bytes_of(m, calls[i].output), value_at(m, calls[i].output)->size, m->run->seed);
            }
        }
        if (calls[i].act == SW_FIT_NEXT) {
            if (!hand_on(m, &calls[loop], &calls[i])) {
                return false;
            }
            m->round++;
            i = m->round < calls[loop].rounds ? loop : i;
            m->round = m->round < calls[loop].rounds ? m->round : 0;
        }
    }
    return true;
}

/* ---- all of it ---- */

/* Whole tensors lie where their values do; those inside of regions have none, and are touched by no call as they are.
 */
static bool place_tensors(struct machine *m) {
    for (uint32_t t = 0; t < m->graph->tensor_count; t++) {
        struct tensor *tensor = &m->graph->tensors[t];
        uint32_t whole = tensor->constant ? SW_NONE : whole_of(m, t);
        tensor->data = tensor->constant   ? (unsigned char *)(uintptr_t)tensor->constant
                       : whole == SW_NONE ? NULL
                                          : bytes_of(m, whole);
        if (whole != SW_NONE && value_at(m, whole)->size != tensor->bytes) {
            return say(m->why, "%s has %zu bytes, and its value another size", tensor->name, tensor->bytes);
        }
    }
    for (uint32_t i = 0; i < m->graph->input_count + m->graph->output_count; i++) {
        bool input = i < m->graph->input_count;
        struct tensor *tensor =
            &m->graph->tensors[input ? m->graph->inputs[i] : m->graph->outputs[i - m->graph->input_count]];
        if (!tensor->data) {
            return say(m->why, "the program has no value that is %s", tensor->name);
        }
        if (input) {
            fill_input(tensor, m->run->seed, i);
        }
    }
    return true;
}

static void collect(struct machine *m) {
    const struct graph *graph = m->graph;
    m->run->outputs = NULL;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const struct tensor *tensor = &graph->tensors[graph->outputs[i]];
        m->run->outputs = realloc(m->run->outputs, m->run->output_bytes + tensor->bytes);
        memcpy(m->run->outputs + m->run->output_bytes, tensor->data, tensor->bytes);
        m->run->output_bytes += tensor->bytes;
    }
}

bool program_run(const struct sw_fit_program *program, struct model *model, const struct placed *placed,
                 struct run *run, char *why) {
    struct machine m = {.program = program, .graph = &model->graphs[0], .placed = placed, .run = run, .why = why};
    m.own = calloc(program->values.count + 1, sizeof *m.own);
    m.tensors = calloc((size_t)sw_problem_buffer_count(program->problem) + 1, sizeof *m.tensors);
    m.operations = calloc((size_t)sw_problem_operator_count(program->problem) + 1, sizeof *m.operations);
    why[0] = '\0';
    run->outputs = NULL;
    run->output_bytes = 0;
    run->arena_bytes = placed ? placed->bytes : 0;
    bool good = find_tensors(&m) && find_operations(&m) && make_memory(&m) && place_tensors(&m);
    good = good && run_calls(&m);
    if (good) {
        collect(&m);
    }
    for (size_t v = 0; v < program->values.count; v++) {
        free(m.own[v]);
    }
    for (uint32_t t = 0; t < m.graph->tensor_count; t++) {
        m.graph->tensors[t].data = NULL;
    }
    free(m.own);
    free(m.tensors);
    free(m.operations);
    free(m.arena);
    return good;
}
