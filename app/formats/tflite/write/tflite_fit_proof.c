/* Whether a program computes what the model computes, from the options and shapes in the file alone.
 *
 * Call by call: how many rows does the interpreter make of the rows that it is given, and which rows of the whole tensor are they? Of each
 * value the rows [lo, hi) are right: they are what the model has there. A row that an operator makes is right when all rows of its
 * window are right in the argument, but for those outside of the image, which the operator, or an operator before it, has to pad.
 * What is put together, and what operators outside of regions read, is right in all its rows. Nothing here is taken from the engine's
 * arithmetic. */
#include "base/minmax.h"
#include "formats/tflite/kernels/kernels.h"
#include "formats/tflite/write/tflite_fit.h"
#include "formats/tflite/write/tflite_front.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_JOINED = 10 }; /* what TensorFlow Lite Micro puts together at once */
enum { NAME = 1024 };

struct proof {
    struct tflite_fit *fit;
    bool *there;           /* of each value: it is made */
    struct sw_row_range *right; /* of each value: which rows are the model's */
    bool *known;           /* of each tensor of the first subgraph: it is made, and right */
    bool *again;           /* of each buffer of the problem that is made again: it is, and right */
    bool *run;             /* of each operator of the first subgraph: it is in the program */
    uint32_t state;        /* the last operator with a state of its own; SW_NONE */
    uint32_t call;         /* at hand */
};

/* ---- what the file says ---- */

bool tflite_fit_windowed(uint32_t code) {
    return code == TFLITE_CONV || code == TFLITE_DEPTHWISE_CONV || code == TFLITE_AVERAGE_POOL || code == TFLITE_MAX_POOL;
}

bool tflite_fit_pads(struct tflite_fit *fit, const struct tflite_operator *op, bool *same) {
    struct sw_flat table, options;
    uint64_t padding = 0; /* the schema's default is SAME */
    *same = false;
    if (!tflite_fit_windowed(op->code)) {
        return true;
    }
    if (!sw_flat_at(&fit->model.root, op->at, &table) || !sw_flat_table(&table, OP_OPTIONS, &options) ||
        (options.at && !sw_flat_number(&options, 0, 1, &padding))) {
        return false;
    }
    *same = padding == 0;
    return true;
}

bool tflite_fit_rows(const struct tflite_fit *fit, uint32_t value, struct tflite_rows *rows) {
    uint32_t tensor = fit->tensor_of[fit->program->values.items[value].buffer];
    const struct tflite_model *model = &fit->model;
    *rows = (struct tflite_rows){.tensor = tensor == SW_NONE ? NULL : &model->tensors.items[tensor]};
    if (!rows->tensor || rows->tensor->shape.count != 4 || tflite_item(model, rows->tensor->shape, 0) != 1 || rows->tensor->type != TFLITE_INT8) {
        return false;
    }
    rows->height = tflite_item(model, rows->tensor->shape, 1);
    rows->width = tflite_item(model, rows->tensor->shape, 2);
    rows->channels = tflite_item(model, rows->tensor->shape, 3);
    return true;
}

int32_t tflite_fit_argument(const struct tflite_fit *fit, const struct tflite_operator *op, uint32_t wanted) {
    for (uint32_t i = 0, count = 0; i < op->inputs.count; i++) {
        int32_t number = tflite_item(&fit->model, op->inputs, i);
        bool counts = number >= 0 && fit->model.tensors.items[number].state == TFLITE_PLANNED;
        for (uint32_t k = 0; counts && k < i; k++) {
            counts = tflite_item(&fit->model, op->inputs, k) != number;
        }
        if (counts && count++ == wanted) {
            return number;
        }
    }
    return -1;
}

/* ---- which operators may be in a region ---- */

static const char *name_of(const struct tflite_fit *fit, uint32_t op) {
    return sw_problem_operator(fit->program->problem, op)->name;
}

/* May its rows, columns or channels be others when the model runs? How many images there are at once may be left open in the file: one, as
 * its shape says, is what interpreters take. */
static bool is_open(const struct tflite_fit *fit, const struct tflite_tensor *tensor, bool *open) {
    struct sw_flat table;
    struct sw_flat_list signature;
    *open = false;
    if (!sw_flat_at(&fit->model.root, tensor->at, &table) || !sw_flat_list(&table, TENSOR_SIGNATURE, 4, &signature)) {
        return false;
    }
    for (size_t i = 1; i < signature.count; i++) {
        *open |= (int32_t)sw_flat_item(&signature, i) < 0;
    }
    return true;
}

static bool check_tensor(const struct tflite_fit *fit, uint32_t number, const struct tflite_tensor *tensor) {
    const char *name = name_of(fit, number);
    if (tensor->state != TFLITE_PLANNED) {
        return tensor->state == TFLITE_CONSTANT || tensor->state == TFLITE_EMPTY ||
               tflite_refuse(fit->error, "%s works on a variable or on texts, which cannot be cut into strips", name);
    }
    if (tensor->type != TFLITE_INT8) {
        return tflite_refuse(fit->error, "%s works on %s: only int8 models are written in strips", name, sw_dtype_name(tflite_dtype(tensor->type)));
    }
    bool open;
    return is_open(fit, tensor, &open) &&
           (!open || tflite_refuse(fit->error, "%s works on a tensor with rows, columns or channels that may change from run to run", name));
}

static bool check_operator(const struct tflite_fit *fit, uint32_t number) {
    const struct tflite_model *model = &fit->model;
    if (fit->operator_of[number] == SW_NONE) {
        return tflite_refuse(fit->error, "%s belongs to a subgraph that an operator calls: only the operators of the first subgraph are written in strips",
                             name_of(fit, number));
    }
    const struct tflite_operator *op = &model->operators.items[fit->operator_of[number]];
    if (op->code == TFLITE_CUSTOM || op->custom.length > 0) {
        return tflite_refuse(fit->error, "%s is a custom operator: nothing is known of the rows that it reads", name_of(fit, number));
    }
    const struct tflite_list lists[] = {op->inputs, op->outputs};
    for (int l = 0; l < 2; l++) {
        for (uint32_t i = 0; i < lists[l].count; i++) {
            const struct tflite_tensor *tensor = tflite_tensor_at(model, 0, tflite_item(model, lists[l], i));
            if (tensor && !check_tensor(fit, number, tensor)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- rows ---- */

static bool fails(const struct proof *proof, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool fails(const struct proof *proof, const char *format, ...) {
    char text[SW_MESSAGE / 2], name[NAME];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    sw_fit_call_name(proof->fit->program, proof->call, name, sizeof name);
    return tflite_refuse(proof->fit->error, "%.200s would not compute what the model does: %s", name, text);
}

static const struct sw_fit_value *value_of(const struct proof *proof, uint32_t value) {
    return &proof->fit->program->values.items[value];
}

static uint32_t input_of(const struct proof *proof, const struct sw_fit_call *call, uint32_t i) {
    return proof->fit->program->inputs.items[call->first_input + i];
}

static bool same_rows(struct sw_row_range a, struct sw_row_range b) {
    return a.lo == b.lo && a.hi == b.hi;
}

static struct sw_row_range common(struct sw_row_range a, struct sw_row_range b) {
    struct sw_row_range rows = {SW_MAX(a.lo, b.lo), SW_MIN(a.hi, b.hi)};
    return rows.lo < rows.hi ? rows : (struct sw_row_range){0, 0};
}

/* Where it is noted that a whole tensor is there: of one that is made again apart from that itself. */
static bool *known_at(const struct proof *proof, uint32_t buffer) {
    return tflite_fit_again(proof->fit, buffer) ? &proof->again[buffer] : &proof->known[proof->fit->tensor_of[buffer]];
}

/* A value is of its tensor's size, and there when it is read. */
static bool check_value(const struct proof *proof, uint32_t number) {
    struct tflite_rows rows;
    if (number >= proof->fit->program->values.count || !tflite_fit_rows(proof->fit, number, &rows)) {
        return fails(proof, "a tensor of it has no rows of int8");
    }
    const struct sw_fit_value *value = value_of(proof, number);
    int64_t columns = rows.width + value->left + value->right;
    if (value->rows.lo >= value->rows.hi || value->rows.hi - value->rows.lo > INT32_MAX || columns > INT32_MAX ||
        value->size != (uint64_t)((value->rows.hi - value->rows.lo) * columns * rows.channels) ||
        (value->whole && (value->rows.lo != 0 || value->rows.hi != rows.height || columns != rows.width))) {
        return fails(proof, "a tensor of it has another size than its rows");
    }
    return true;
}

/* What a call makes: these rows, of which some are right. */
static bool make(struct proof *proof, uint32_t output, struct sw_row_range rows, struct sw_row_range right) {
    const struct sw_fit_value *value = value_of(proof, output);
    if (!same_rows(rows, value->rows)) {
        return fails(proof, "it makes the rows %" PRId64 " to %" PRId64 ", not %" PRId64 " to %" PRId64, rows.lo, rows.hi - 1, value->rows.lo,
                     value->rows.hi - 1);
    }
    if (proof->there[output] || value->made_by != proof->call) {
        return fails(proof, "its result is made by another call, too");
    }
    if (value->whole && !same_rows(rows, right)) {
        return fails(proof, "some rows of its result are not those of the whole image");
    }
    if (value->whole) {
        *known_at(proof, value->buffer) = true;
    }
    proof->there[output] = true;
    proof->right[output] = right;
    return true;
}

/* Rows of padding around some rows, `shift` further down than those: they stand where the image ends, or else are wrong. */
static bool pad_rows(const struct proof *proof, const struct sw_fit_call *call, uint32_t input, int64_t height, int64_t shift,
                     struct sw_row_range *rows, struct sw_row_range *right) {
    struct sw_row_range from = value_of(proof, input)->rows, good = proof->right[input];
    if ((call->above > 0 && from.lo != 0) || (call->below > 0 && from.hi != height)) {
        return fails(proof, "it pads where the image has rows");
    }
    *rows = (struct sw_row_range){from.lo + shift - call->above, from.hi + shift + call->below};
    if (good.lo < good.hi) {
        good.lo -= good.lo == from.lo ? call->above : 0;
        good.hi += good.hi == from.hi ? call->below : 0;
    }
    *right = (struct sw_row_range){good.lo + shift, good.hi + shift};
    return true;
}

static bool prove_slice(struct proof *proof, const struct sw_fit_call *call) {
    const struct sw_fit_value *from = value_of(proof, input_of(proof, call, 0)), *to = value_of(proof, call->output);
    if (from->buffer != to->buffer || from->left != to->left || from->right != to->right || to->rows.lo < from->rows.lo || to->rows.hi > from->rows.hi) {
        return fails(proof, "it cuts rows out of what has them not");
    }
    return make(proof, call->output, to->rows, common(proof->right[input_of(proof, call, 0)], to->rows));
}

static bool prove_padded(struct proof *proof, const struct sw_fit_call *call) {
    uint32_t input = input_of(proof, call, 0);
    const struct sw_fit_value *from = value_of(proof, input), *to = value_of(proof, call->output);
    struct tflite_rows tensor;
    struct sw_row_range rows, right;
    if (from->buffer != to->buffer || from->left + from->right > 0 || to->left != call->left || to->right != call->right || to->whole) {
        return fails(proof, "it pads columns that are there");
    }
    tflite_fit_rows(proof->fit, input, &tensor);
    return pad_rows(proof, call, input, tensor.height, 0, &rows, &right) && make(proof, call->output, rows, right);
}

static bool prove_join(struct proof *proof, const struct sw_fit_call *call) {
    struct sw_row_range rows = value_of(proof, input_of(proof, call, 0))->rows;
    bool right = true;
    if (call->input_count > MOST_JOINED) {
        return fails(proof, "it joins %u tensors, and the interpreter takes %d", call->input_count, MOST_JOINED);
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        uint32_t input = input_of(proof, call, i);
        const struct sw_fit_value *part = value_of(proof, input), *to = value_of(proof, call->output);
        if (part->buffer != to->buffer || part->left + part->right + to->left + to->right > 0 || (i > 0 && part->rows.lo != rows.hi)) {
            return fails(proof, "its parts are not the rows of one tensor, one behind the other");
        }
        right &= same_rows(part->rows, proof->right[input]);
        rows.hi = part->rows.hi;
    }
    return make(proof, call->output, rows, right ? rows : (struct sw_row_range){0, 0});
}

/* An operator that only pads. */
static bool prove_pad(struct proof *proof, const struct sw_fit_call *call, const struct sw_op_window *w) {
    uint32_t input = input_of(proof, call, 0);
    struct tflite_rows tensor;
    struct sw_row_range rows, right;
    if (value_of(proof, input)->left + value_of(proof, input)->right > 0 || call->left != w->before[1] || call->right != w->after[1] ||
        call->above > w->before[0] || call->below > w->after[0]) {
        return fails(proof, "it pads other columns or more rows");
    }
    tflite_fit_rows(proof->fit, input, &tensor);
    return pad_rows(proof, call, input, tensor.height, w->before[0], &rows, &right) && make(proof, call->output, rows, right);
}

/* Row by row. */
static bool prove_elements(struct proof *proof, const struct sw_fit_call *call) {
    struct sw_row_range rows = value_of(proof, input_of(proof, call, 0))->rows, right = rows;
    for (uint32_t i = 0; i < call->input_count; i++) {
        uint32_t input = input_of(proof, call, i);
        if (!same_rows(value_of(proof, input)->rows, rows) || value_of(proof, input)->left + value_of(proof, input)->right > 0) {
            return fails(proof, "its arguments have different rows");
        }
        right = common(right, proof->right[input]);
    }
    return make(proof, call->output, rows, right);
}

/* Are all rows of the window of a result's row right in the argument? Those outside of the image are padding: the operator's own, or such as
 * was put there before. */
static bool is_right(const struct sw_op_window *w, int64_t row, struct sw_row_range right, int64_t height) {
    for (uint32_t k = 0; k < w->kernel[0]; k++) {
        int64_t r = row * w->stride[0] - w->before[0] + (int64_t)k * w->dilation[0];
        if (r >= 0 && r < height && (r < right.lo || r >= right.hi)) {
            return false;
        }
    }
    return true;
}

/* Columns: all of them are there, and padded as in the model. */
static bool check_columns(const struct proof *proof, uint32_t input, const struct sw_op_window *w, bool same, const struct tflite_rows *in,
                          const struct tflite_rows *out) {
    const struct sw_fit_value *from = value_of(proof, input);
    int64_t reach = (int64_t)(w->kernel[1] - 1) * w->dilation[1] + 1, columns = in->width + from->left + from->right;
    if (same) {
        return from->left + from->right == 0;
    }
    return from->left == w->before[1] && from->right == w->after[1] && columns >= reach && (columns - reach) / w->stride[1] + 1 == out->width;
}

/* The zero point is padding where products are summed up; a mean does not count padding, and a maximum takes no part of it. */
static bool check_padding(const struct proof *proof, const struct sw_fit_call *call, const struct tflite_operator *op, int64_t height) {
    const struct sw_fit_value *from = value_of(proof, input_of(proof, call, 0));
    bool padded = from->rows.lo < 0 || from->rows.hi > height || from->left + from->right > 0;
    return !padded || op->code == TFLITE_CONV || op->code == TFLITE_DEPTHWISE_CONV;
}

/* The rows that slices behind this call take of its result; where there is none, all. A dilated window may be right on some rows before
 * them, by accident, and wrong between. */
static struct sw_row_range wanted_of(const struct proof *proof, uint32_t output, struct sw_row_range all) {
    const struct sw_fit_program *program = proof->fit->program;
    struct sw_row_range wanted = {0, 0};
    for (size_t i = (size_t)proof->call + 1; i < program->calls.count && program->calls.items[i].strip == program->calls.items[proof->call].strip; i++) {
        const struct sw_fit_call *call = &program->calls.items[i];
        if (call->act == SW_FIT_SLICE && call->input_count > 0 && input_of(proof, call, 0) == output) {
            struct sw_row_range rows = value_of(proof, call->output)->rows;
            wanted = wanted.lo == wanted.hi ? rows : (struct sw_row_range){SW_MIN(wanted.lo, rows.lo), SW_MAX(wanted.hi, rows.hi)};
        }
    }
    return wanted.lo == wanted.hi ? all : wanted;
}

static bool prove_window(struct proof *proof, const struct sw_fit_call *call, const struct tflite_operator *op, const struct sw_op_window *w) {
    uint32_t input = input_of(proof, call, 0);
    struct sw_row_range from = value_of(proof, input)->rows, rows, right = {0, 0};
    struct tflite_rows in, out;
    bool same;
    tflite_fit_rows(proof->fit, input, &in);
    tflite_fit_rows(proof->fit, call->output, &out);
    if (!tflite_fit_pads(proof->fit, op, &same)) {
        return false;
    }
    same = same && call->same;
    /* What the interpreter computes. */
    int64_t height = from.hi - from.lo, stride = w->stride[0], reach = (int64_t)(w->kernel[0] - 1) * w->dilation[0] + 1;
    int64_t made = same ? (height + stride - 1) / stride : height < reach ? 0 : (height - reach) / stride + 1;
    int64_t above = same ? SW_MAX((made - 1) * stride + reach - height, 0) / 2 : 0;
    int64_t first = from.lo - above + w->before[0];
    if (made == 0 || first % stride != 0 || !check_columns(proof, input, w, same, &in, &out)) {
        return fails(proof, "its windows are not those of the whole image");
    }
    if (!check_padding(proof, call, op, in.height)) {
        return fails(proof, "what it pads is not what it would pad itself");
    }
    rows = (struct sw_row_range){first / stride, first / stride + made};
    struct sw_row_range wanted = wanted_of(proof, call->output, rows);
    for (int64_t row = SW_MAX(rows.lo, 0); row < rows.hi && row < out.height; row++) {
        if (is_right(w, row, proof->right[input], in.height)) {
            right = right.hi < row || right.lo == right.hi ? (struct sw_row_range){row, row + 1} : (struct sw_row_range){right.lo, row + 1};
        } else if (right.lo <= wanted.lo && wanted.hi <= right.hi) {
            break;
        }
    }
    return make(proof, call->output, rows, right);
}

static bool prove_run(struct proof *proof, const struct sw_fit_call *call) {
    struct tflite_fit *fit = proof->fit;
    const struct tflite_operator *op = &fit->model.operators.items[fit->operator_of[call->op]];
    struct tflite_window window;
    int32_t result = op->outputs.count == 1 ? tflite_item(&fit->model, op->outputs, 0) : -1;
    if (result < 0 || fit->tensor_of[value_of(proof, call->output)->buffer] != (uint32_t)result ||
        tflite_fit_argument(fit, op, call->input_count) >= 0) {
        return fails(proof, "its arguments are not those of the operator");
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (fit->tensor_of[value_of(proof, input_of(proof, call, i))->buffer] != (uint32_t)tflite_fit_argument(fit, op, i)) {
            return fails(proof, "its arguments are not those of the operator");
        }
    }
    if (!tflite_window(&fit->model, op, &window)) {
        return false;
    }
    if (!window.known || (tflite_fit_windowed(op->code) && call->input_count != 1)) {
        return fails(proof, "its rows are not known");
    }
    if (value_of(proof, call->output)->left + value_of(proof, call->output)->right > 0) {
        return fails(proof, "its result has other columns");
    }
    return tflite_fit_windowed(op->code)                                ? prove_window(proof, call, op, &window.window)
           : op->code == TFLITE_PAD || op->code == TFLITE_PADV2 ? prove_pad(proof, call, &window.window)
                                                                : prove_elements(proof, call);
}

/* ---- calls ---- */

/* Run again, it makes the same of the same, if its only result depends on nothing but its arguments; and it makes nothing else. */
static bool prove_again(const struct proof *proof, const struct tflite_operator *op) {
    const struct tflite_model *model = &proof->fit->model;
    const char *kind = tflite_code_name(op->code);
    bool custom = op->code == TFLITE_CUSTOM || op->custom.length > 0 || !kind, random = kind && (strstr(kind, "random") || strstr(kind, "multinomial"));
    for (uint32_t i = 0; i < op->inputs.count; i++) {
        int32_t tensor = tflite_item(model, op->inputs, i);
        enum tflite_state state = tensor < 0 ? TFLITE_CONSTANT : model->tensors.items[tensor].state;
        custom |= state != TFLITE_PLANNED && state != TFLITE_CONSTANT && state != TFLITE_EMPTY;
    }
    return (op->outputs.count == 1 && op->calls[0] < 0 && op->calls[1] < 0 && !custom && !random && !tflite_has_state(model, op)) ||
           fails(proof, "run again it may make something else");
}

/* An operator as it was: all that it reads is right, and so is what it makes. */
static bool prove_as_is(struct proof *proof, const struct sw_fit_call *call) {
    struct tflite_fit *fit = proof->fit;
    const struct tflite_model *model = &fit->model;
    if (fit->operator_of[call->op] == SW_NONE) {
        return true; /* part of an operator that calls subgraphs */
    }
    const struct tflite_operator *op = &model->operators.items[fit->operator_of[call->op]];
    for (uint32_t i = 0; i < op->inputs.count; i++) {
        int32_t tensor = tflite_item(model, op->inputs, i);
        uint32_t buffer = tflite_fit_buffer(fit, call->op, tensor);
        bool there = tensor < 0 || model->tensors.items[tensor].state != TFLITE_PLANNED ||
                     (buffer == SW_NONE ? proof->known[tensor] : *known_at(proof, buffer));
        if (!there) {
            return fails(proof, "what it reads is not made before");
        }
    }
    bool again = false;
    for (uint32_t i = 0; i < op->outputs.count; i++) {
        int32_t tensor = tflite_item(model, op->outputs, i);
        uint32_t buffer = tflite_fit_buffer(fit, call->op, tensor);
        if (buffer != SW_NONE && tflite_fit_again(fit, buffer)) {
            again = proof->again[buffer] = true;
        } else if (tensor >= 0) {
            proof->known[tensor] = true;
        }
    }
    if (again) {
        return prove_again(proof, op);
    }
    if (proof->run[op->number]) {
        return fails(proof, "it runs twice");
    }
    proof->run[op->number] = true;
    if (tflite_has_state(model, op)) {
        if (proof->state != SW_NONE && proof->state > op->number) {
            return fails(proof, "operators with a state of their own keep their order");
        }
        proof->state = op->number;
    }
    return true;
}

static bool is_in_region(const struct sw_fit_program *program, const struct sw_fit_call *call) {
    return call->region < program->region_count && call->op >= program->regions[call->region].first &&
           call->op <= program->regions[call->region].last;
}

/* A whole tensor is there when it is known; what is not whole is made by a call. */
static bool take_input(struct proof *proof, uint32_t number) {
    if (!check_value(proof, number)) {
        return false;
    }
    const struct sw_fit_value *value = value_of(proof, number);
    if (value->whole && !proof->there[number] && *known_at(proof, value->buffer)) {
        proof->there[number] = true;
        proof->right[number] = value->rows;
    }
    return proof->there[number] || fails(proof, "what it reads is not made before");
}

static bool prove_call(struct proof *proof, const struct sw_fit_call *call) {
    const struct sw_fit_program *program = proof->fit->program;
    bool as_is = call->act == SW_FIT_AS_IS;
    if (call->op >= sw_problem_operator_count(program->problem) || (!as_is && (!is_in_region(program, call) || call->output >= program->values.count))) {
        return tflite_refuse(proof->fit->error, "the program is not one of this model: a call of it is part of no region");
    }
    if (as_is) {
        return prove_as_is(proof, call);
    }
    if (call->input_count == 0 || call->first_input + call->input_count > program->inputs.count) {
        return fails(proof, "it reads nothing");
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (!take_input(proof, input_of(proof, call, i))) {
            return false;
        }
    }
    if (!check_value(proof, call->output)) {
        return false;
    }
    switch (call->act) {
    case SW_FIT_RUN: return prove_run(proof, call);
    case SW_FIT_SLICE: return prove_slice(proof, call);
    case SW_FIT_PADDED: return prove_padded(proof, call);
    case SW_FIT_JOIN: return prove_join(proof, call);
    case SW_FIT_AS_IS: break;
    }
    return true;
}

/* The value with bytes of its own in which a value lies, and where in it. False: there is none. */
static bool find_root(const struct sw_fit_program *program, uint32_t value, uint32_t *root, uint64_t *at) {
    *at = 0;
    *root = value;
    for (size_t i = 0; *root < program->values.count && i <= program->values.count; i++) {
        if (program->values.items[*root].within == SW_NONE) {
            return true;
        }
        *at += program->values.items[*root].at;
        *root = program->values.items[*root].within;
    }
    return false;
}

/* A value lies within another one only as the slice or the part of a join that it is, in its place, or as one of such a value. */
static bool prove_places(struct proof *proof) {
    const struct sw_fit_program *program = proof->fit->program;
    for (uint32_t c = 0; c < program->calls.count; c++) {
        const struct sw_fit_call *call = &program->calls.items[c];
        bool slice = call->act == SW_FIT_SLICE;
        for (uint32_t i = 0; i < call->input_count && (slice || call->act == SW_FIT_JOIN); i++) {
            uint32_t inner = slice ? call->output : input_of(proof, call, i), outer = slice ? input_of(proof, call, i) : call->output, roots[2];
            const struct sw_fit_value *value = value_of(proof, inner);
            uint64_t row = value->size / (uint64_t)(value->rows.hi - value->rows.lo), at[2];
            if (find_root(program, inner, &roots[0], &at[0]) && find_root(program, outer, &roots[1], &at[1]) && roots[0] == roots[1] &&
                at[0] == at[1] + row * (uint64_t)(value->rows.lo - value_of(proof, outer)->rows.lo)) {
                proof->there[inner] = false; /* its place is one that the graph gives it */
            }
        }
    }
    for (uint32_t v = 0; v < program->values.count; v++) {
        char name[NAME];
        if (program->values.items[v].within != SW_NONE && proof->there[v]) {
            sw_fit_value_name(program, v, name, sizeof name);
            return tflite_refuse(proof->fit->error, "%.200s lies within another tensor, of which it is no rows", name);
        }
    }
    return true;
}

/* What is there before the first call: inputs, and what no operator writes. */
static void begin(struct proof *proof) {
    const struct tflite_model *model = &proof->fit->model;
    for (uint32_t i = 0; i < model->subgraphs.items[0].tensor_count; i++) {
        const struct tflite_tensor *tensor = &model->tensors.items[i];
        proof->known[i] = tensor->input || !tensor->written;
    }
}

static bool prove_end(struct proof *proof) {
    const struct tflite_model *model = &proof->fit->model;
    const struct sw_fit_program *program = proof->fit->program;
    for (size_t r = 0; r < program->region_count; r++) {
        for (uint32_t op = program->regions[r].first; op <= program->regions[r].last; op++) {
            const struct sw_operator *operator_ = sw_problem_operator(program->problem, op);
            bool again = operator_->output_count == 1 && tflite_fit_again(proof->fit, operator_->outputs[0].buffer);
            if (!again) {
                proof->run[model->operators.items[proof->fit->operator_of[op]].number] = true;
            }
        }
    }
    for (uint32_t i = 0; i < model->subgraphs.items[0].operator_count; i++) {
        if (!proof->run[i]) {
            return tflite_refuse(proof->fit->error, "the program is not one of this model: it leaves operator %" PRIu32 " out", i);
        }
    }
    for (uint32_t i = 0; i < model->subgraphs.items[0].tensor_count; i++) {
        if (model->tensors.items[i].output && !proof->known[i]) {
            return tflite_refuse(proof->fit->error, "the program is not one of this model: it does not make result %" PRIu32, i);
        }
    }
    return prove_places(proof);
}

bool tflite_fit_prove(struct tflite_fit *fit) {
    const struct sw_fit_program *program = fit->program;
    struct tflite_model *model = &fit->model;
    struct proof proof = {.fit = fit, .state = SW_NONE};
    for (size_t r = 0; r < program->region_count; r++) {
        for (uint32_t op = program->regions[r].first; op <= program->regions[r].last; op++) {
            if (op >= sw_problem_operator_count(program->problem)) {
                return tflite_refuse(fit->error, "the program is not one of this model");
            }
            if (!check_operator(fit, op)) {
                return false;
            }
        }
    }
    proof.there = sw_arena_new(&model->arena, program->values.count + 1, sizeof *proof.there);
    proof.right = sw_arena_new(&model->arena, program->values.count + 1, sizeof *proof.right);
    proof.known = sw_arena_new(&model->arena, (size_t)model->subgraphs.items[0].tensor_count + 1, sizeof *proof.known);
    proof.again = sw_arena_new(&model->arena, (size_t)sw_problem_buffer_count(program->problem) + 1, sizeof *proof.again);
    proof.run = sw_arena_new(&model->arena, (size_t)model->subgraphs.items[0].operator_count + 1, sizeof *proof.run);
    if (!proof.there || !proof.right || !proof.known || !proof.again || !proof.run) {
        return sw_fail_memory(fit->error);
    }
    begin(&proof);
    for (; proof.call < program->calls.count; proof.call++) {
        if (!prove_call(&proof, &program->calls.items[proof.call])) {
            return false;
        }
    }
    return prove_end(&proof);
}
