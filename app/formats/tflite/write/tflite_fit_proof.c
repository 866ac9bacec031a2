/* Whether a program computes what the model computes, from the options and shapes in the file alone.
 *
 * Call by call: how many rows does the interpreter make of the rows that it is given, and which rows of the whole
 * tensor are they? Of each value the rows [lo, hi) are right: they are the rows that the model computes. A row that an
 * operator makes is right when all rows of its window are right in the argument. Rows of the window outside of the
 * image must be padding, by the operator itself or by one before it. All rows must be right of a tensor that is put
 * together, and of one that an operator outside of regions reads. The calls of a loop are looked at once for each
 * round. Nothing here is taken from the engine's arithmetic. */
#include "formats/tflite/kernels/kernels.h"
#include "base/base.h"
#include "formats/tflite/write/tflite_fit.h"
#include "formats/tflite/write/tflite_front.h"

enum { MOST_JOINED_TENSORS = 10 }; /* what TensorFlow Lite Micro puts together at once */
enum { CALL_NAME = 1024 };

/* What padding consists of: the zero point, the least number, or both. */
enum put_around { WITH_ZERO = 1, WITH_LEAST = 2 };

struct proved_value {
    bool there;                      /* it is made, and may be read */
    bool placed;                     /* it lies within another one where the graph has it lie */
    unsigned char padding;           /* what was put around it, or around parts of it (enum put_around) */
    struct sw_row_range rows, right; /* which rows it has, in the round at hand, and which of them are the model's */
};
struct tflite_proof {
    struct tflite_fit *fit;
    struct proved_value *values;
    bool *known;                    /* of each tensor of the first subgraph: it is made, and right */
    bool *again;                    /* of each buffer of the problem that is made again: it is, and right */
    bool *run;                      /* of each operator of the first subgraph: it is in the program */
    uint32_t state;                 /* the last operator with a state of its own; SW_NONE */
    uint32_t call;                  /* at hand */
    uint32_t loop;                  /* the call that is the loop at hand; SW_NONE */
    int64_t round;                  /* of it, from 0 on */
    const struct sw_fit_call *next; /* the call that ends its rounds */
    uint32_t whole;                 /* of it: the tensor with room, as the round before left it */
};

/* ---- what the file says ---- */

static bool tflite_fit_windowed(uint32_t code) {
    return code == TFLITE_OP_conv_2d || code == TFLITE_OP_depthwise_conv_2d || code == TFLITE_OP_average_pool_2d ||
           code == TFLITE_OP_max_pool_2d;
}

bool tflite_fit_pads(struct tflite_fit *fit, const struct tflite_operator *op, bool *same) {
    struct sw_flat options;
    uint64_t padding = 0; /* the schema's default is SAME */
    *same = false;
    if (!tflite_fit_windowed(op->code)) {
        return true;
    }
    if (!tflite_options(&fit->model, op, &options) || (options.at && !sw_flat_number(&options, 0, 1, &padding))) {
        return false;
    }
    *same = padding == 0;
    return true;
}

bool tflite_fit_rows(const struct tflite_fit *fit, uint32_t value, struct tflite_rows *rows) {
    uint32_t tensor = fit->tensor_of[fit->program->values.items[value].buffer];
    const struct tflite_model *model = &fit->model;
    *rows = (struct tflite_rows){.tensor = tensor == SW_NONE ? NULL : &model->tensors.items[tensor]};
    if (!rows->tensor || rows->tensor->shape.count != 4 || tflite_item(model, rows->tensor->shape, 0) != 1 ||
        rows->tensor->type != TFLITE_INT8) {
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

static const char *region_op_name(const struct tflite_fit *fit, uint32_t op) {
    return sw_problem_operator(fit->program->problem, op)->name;
}

/* May the tensor have another number of rows, columns or channels when the model runs? The file may leave open how many
 * images there are: interpreters take the one that the shape says. */
static bool is_shape_open(const struct tflite_fit *fit, const struct tflite_tensor *tensor, bool *open) {
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
    const char *name = region_op_name(fit, number);
    if (tensor->state != TFLITE_PLANNED) {
        return tensor->state == TFLITE_CONSTANT || tensor->state == TFLITE_EMPTY ||
               tflite_refuse(fit->error, "%s works on a variable or on texts, which cannot be cut into strips", name);
    }
    if (tensor->type != TFLITE_INT8) {
        return tflite_refuse(fit->error, "%s works on %s: only int8 models are written in strips", name,
                             sw_dtype_name(tflite_dtype(tensor->type)));
    }
    bool open;
    return is_shape_open(fit, tensor, &open) &&
           (!open ||
            tflite_refuse(fit->error,
                          "%s works on a tensor with rows, columns or channels that may change from run to run", name));
}

static bool check_region_operator(const struct tflite_fit *fit, uint32_t number) {
    const struct tflite_model *model = &fit->model;
    if (fit->operator_of[number] == SW_NONE) {
        return tflite_refuse(fit->error,
                             "%s belongs to a subgraph that an operator calls: only the operators of the first "
                             "subgraph are written in strips",
                             region_op_name(fit, number));
    }
    const struct tflite_operator *op = &model->operators.items[fit->operator_of[number]];
    if (op->code == TFLITE_OP_custom || op->custom.length > 0) {
        return tflite_refuse(fit->error, "%s is a custom operator: nothing is known of the rows that it reads",
                             region_op_name(fit, number));
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

__attribute__((format(printf, 2, 3))) static bool fail_strip_call(const struct tflite_proof *proof, const char *format,
                                                                  ...) {
    char text[SW_MESSAGE / 2], name[CALL_NAME];
    SW_FORMAT_INTO(text, format);
    sw_fit_call_name(proof->fit->program, proof->call, name, sizeof name);
    return tflite_refuse(proof->fit->error, "%.200s would not compute what the model does: %s", name, text);
}

static const struct sw_fit_value *strip_value(const struct tflite_proof *proof, uint32_t value) {
    return &proof->fit->program->values.items[value];
}

static bool same_strip_rows(struct sw_row_range a, struct sw_row_range b) {
    return a.lo == b.lo && a.hi == b.hi;
}

static struct sw_row_range common_rows(struct sw_row_range a, struct sw_row_range b) {
    struct sw_row_range rows = {SW_MAX(a.lo, b.lo), SW_MIN(a.hi, b.hi)};
    return rows.lo < rows.hi ? rows : (struct sw_row_range){0, 0};
}

/* The note that a whole tensor is there. A tensor that is made again has a note of its own. */
static bool *known_at(const struct tflite_proof *proof, uint32_t buffer) {
    return tflite_fit_again(proof->fit, buffer) ? &proof->again[buffer] : &proof->known[proof->fit->tensor_of[buffer]];
}

/* Is the value as large as its rows of the tensor, and made before it is read? */
static bool check_rows_value(const struct tflite_proof *proof, uint32_t number) {
    struct tflite_rows rows;
    if (number >= proof->fit->program->values.count || strip_value(proof, number)->buffer == SW_NONE ||
        !tflite_fit_rows(proof->fit, number, &rows)) {
        return fail_strip_call(proof, "a tensor of it has no rows of int8");
    }
    const struct sw_fit_value *value = strip_value(proof, number);
    int64_t columns = rows.width + value->left + value->right;
    if (value->rows.lo >= value->rows.hi || value->rows.hi - value->rows.lo > INT32_MAX || columns > INT32_MAX ||
        value->size != (uint64_t)((value->rows.hi - value->rows.lo) * columns * rows.channels) ||
        (value->whole && (value->rows.lo != 0 || value->rows.hi != rows.height || columns != rows.width))) {
        return fail_strip_call(proof, "a tensor of it has another size than its rows");
    }
    return true;
}

/* Note that the call makes these rows, and which of them are right. */
static bool make_tensor_rows(struct tflite_proof *proof, uint32_t output, struct sw_row_range rows,
                             struct sw_row_range right) {
    const struct sw_fit_value *value = strip_value(proof, output);
    if (proof->round == 0 ? !same_strip_rows(rows, value->rows)
                          : rows.hi - rows.lo != value->rows.hi - value->rows.lo) {
        return fail_strip_call(proof, "it makes the rows %" PRId64 " to %" PRId64 ", not %" PRId64 " to %" PRId64,
                               rows.lo, rows.hi - 1, value->rows.lo, value->rows.hi - 1);
    }
    if (proof->values[output].there || value->made_by != proof->call) {
        return fail_strip_call(proof, "its result is made by another call, too");
    }
    if (value->whole && !same_strip_rows(rows, right)) {
        return fail_strip_call(proof, "some rows of its result are not those of the whole image");
    }
    if (value->whole) {
        *known_at(proof, value->buffer) = true;
    }
    proof->values[output].there = true;
    proof->values[output].rows = rows;
    proof->values[output].right = right;
    return true;
}

/* Rows of padding around some rows, `shift` further down than those: they stand where the image ends, or else are
 * wrong. */
static bool pad_rows(const struct tflite_proof *proof, const struct sw_fit_call *call, uint32_t input, int64_t height,
                     int64_t shift, struct sw_row_range *rows, struct sw_row_range *right) {
    struct sw_row_range from = proof->values[input].rows, good = proof->values[input].right;
    if ((call->above > 0 && from.lo != 0) || (call->below > 0 && from.hi != height)) {
        return fail_strip_call(proof, "it pads where the image has rows");
    }
    *rows = (struct sw_row_range){from.lo + shift - call->above, from.hi + shift + call->below};
    if (good.lo < good.hi) {
        good.lo -= good.lo == from.lo ? call->above : 0;
        good.hi += good.hi == from.hi ? call->below : 0;
    }
    *right = (struct sw_row_range){good.lo + shift, good.hi + shift};
    return true;
}

static bool prove_tflite_slice(struct tflite_proof *proof, const struct sw_fit_call *call) {
    const struct sw_fit_value *from = strip_value(proof, tflite_fit_input(proof->fit, call, 0)),
                              *to = strip_value(proof, call->output);
    struct sw_row_range all = proof->values[tflite_fit_input(proof->fit, call, 0)].rows, rows;
    rows.lo = all.lo + to->rows.lo - from->rows.lo + proof->round * call->step;
    rows.hi = rows.lo + to->rows.hi - to->rows.lo;
    if (from->buffer != to->buffer || from->left != to->left || from->right != to->right || rows.lo < all.lo ||
        rows.hi > all.hi) {
        return fail_strip_call(proof, "it cuts rows out of what has them not");
    }
    proof->values[call->output].padding = proof->values[tflite_fit_input(proof->fit, call, 0)].padding;
    return make_tensor_rows(proof, call->output, rows,
                            common_rows(proof->values[tflite_fit_input(proof->fit, call, 0)].right, rows));
}

static bool prove_padded(struct tflite_proof *proof, const struct sw_fit_call *call) {
    uint32_t input = tflite_fit_input(proof->fit, call, 0);
    const struct sw_fit_value *from = strip_value(proof, input), *to = strip_value(proof, call->output);
    struct tflite_rows tensor;
    struct sw_row_range rows, right;
    if (from->buffer != to->buffer || from->left + from->right > 0 || to->left != call->left ||
        to->right != call->right || to->whole) {
        return fail_strip_call(proof, "it pads columns that are there");
    }
    tflite_fit_rows(proof->fit, input, &tensor);
    proof->values[call->output].padding = proof->values[input].padding | (call->least ? WITH_LEAST : WITH_ZERO);
    return pad_rows(proof, call, input, tensor.height, 0, &rows, &right) &&
           make_tensor_rows(proof, call->output, rows, right);
}

static bool prove_tflite_join(struct tflite_proof *proof, const struct sw_fit_call *call) {
    struct sw_row_range rows = proof->values[tflite_fit_input(proof->fit, call, 0)].rows;
    bool right = true;
    unsigned char padding = 0;
    if (call->input_count > MOST_JOINED_TENSORS) {
        return fail_strip_call(proof, "it joins %u tensors, and the interpreter takes %d", call->input_count,
                               MOST_JOINED_TENSORS);
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        uint32_t input = tflite_fit_input(proof->fit, call, i);
        const struct sw_fit_value *part = strip_value(proof, input), *to = strip_value(proof, call->output);
        if (part->buffer != to->buffer || part->left != to->left || part->right != to->right ||
            (i > 0 && proof->values[input].rows.lo != rows.hi)) {
            return fail_strip_call(proof, "its parts are not the rows of one tensor, one behind the other");
        }
        padding |= proof->values[input].padding;
        right &= same_strip_rows(proof->values[input].rows, proof->values[input].right);
        rows.hi = proof->values[input].rows.hi;
    }
    proof->values[call->output].padding = padding;
    return make_tensor_rows(proof, call->output, rows, right ? rows : (struct sw_row_range){0, 0});
}

/* An operator that only pads. */
static bool prove_pad(struct tflite_proof *proof, const struct sw_fit_call *call, const struct sw_op_window *w) {
    uint32_t input = tflite_fit_input(proof->fit, call, 0);
    struct tflite_rows tensor;
    struct sw_row_range rows, right;
    if (strip_value(proof, input)->left + strip_value(proof, input)->right > 0 || call->left != w->before[1] ||
        call->right != w->after[1] || call->above > w->before[0] || call->below > w->after[0]) {
        return fail_strip_call(proof, "it pads other columns or more rows");
    }
    tflite_fit_rows(proof->fit, input, &tensor);
    return pad_rows(proof, call, input, tensor.height, w->before[0], &rows, &right) &&
           make_tensor_rows(proof, call->output, rows, right);
}

/* Row by row. */
static bool prove_tflite_elements(struct tflite_proof *proof, const struct sw_fit_call *call) {
    struct sw_row_range rows = proof->values[tflite_fit_input(proof->fit, call, 0)].rows, right = rows;
    for (uint32_t i = 0; i < call->input_count; i++) {
        uint32_t input = tflite_fit_input(proof->fit, call, i);
        if (!same_strip_rows(proof->values[input].rows, rows) ||
            strip_value(proof, input)->left + strip_value(proof, input)->right > 0) {
            return fail_strip_call(proof, "its arguments have different rows");
        }
        right = common_rows(right, proof->values[input].right);
    }
    return make_tensor_rows(proof, call->output, rows, right);
}

/* Are all rows of the window of this row of the result right in the argument? Rows outside of the image are right where
 * they are padding. */
static bool is_row_right(const struct sw_op_window *w, int64_t row, struct sw_row_range right, int64_t height) {
    for (uint32_t k = 0; k < w->kernel[0]; k++) {
        int64_t r = row * w->stride[0] - w->before[0] + (int64_t)k * w->dilation[0];
        if (r >= 0 && r < height && (r < right.lo || r >= right.hi)) {
            return false;
        }
    }
    return true;
}

/* Are all columns there, and padded as in the model? */
static bool check_columns(const struct tflite_proof *proof, uint32_t input, const struct sw_op_window *w, bool same,
                          const struct tflite_rows *in, const struct tflite_rows *out) {
    const struct sw_fit_value *from = strip_value(proof, input);
    int64_t reach = (int64_t)(w->kernel[1] - 1) * w->dilation[1] + 1, columns = in->width + from->left + from->right;
    if (same) {
        return from->left + from->right == 0;
    }
    return from->left == w->before[1] && from->right == w->after[1] && columns >= reach &&
           (columns - reach) / w->stride[1] + 1 == out->width;
}

/* Is padding by an operator of its own exact? With the zero point where products are summed up, with the least number
 * where the largest is taken. Never for a mean, which does not count the elements of its own padding. */
static bool check_padding(const struct tflite_proof *proof, const struct sw_fit_call *call,
                          const struct tflite_operator *op, int64_t height) {
    const struct sw_fit_value *from = strip_value(proof, tflite_fit_input(proof->fit, call, 0));
    struct sw_row_range rows = proof->values[tflite_fit_input(proof->fit, call, 0)].rows;
    unsigned with = proof->values[tflite_fit_input(proof->fit, call, 0)].padding;
    bool padded = rows.lo < 0 || rows.hi > height || from->left + from->right > 0 || with != 0;
    bool summed = op->code == TFLITE_OP_conv_2d || op->code == TFLITE_OP_depthwise_conv_2d;
    return !padded || (summed && with == WITH_ZERO) || (op->code == TFLITE_OP_max_pool_2d && with == WITH_LEAST);
}

/* The rows of the call's result that slices take, or all where no slice does. They alone need be right: with a dilated
 * window some rows before them may be right, and others wrong. */
static struct sw_row_range wanted_of(const struct tflite_proof *proof, uint32_t output, struct sw_row_range all) {
    const struct sw_fit_program *program = proof->fit->program;
    struct sw_row_range wanted = {0, 0};
    for (size_t i = (size_t)proof->call + 1;
         i < program->calls.count && program->calls.items[i].strip == program->calls.items[proof->call].strip &&
         program->calls.items[i].rounds == program->calls.items[proof->call].rounds;
         i++) {
        const struct sw_fit_call *call = &program->calls.items[i];
        if (call->act == SW_FIT_SLICE && call->input_count > 0 && tflite_fit_input(proof->fit, call, 0) == output) {
            int64_t down = all.lo - strip_value(proof, output)->rows.lo; /* than in the first round */
            struct sw_row_range rows = strip_value(proof, call->output)->rows;
            rows = (struct sw_row_range){rows.lo + down, rows.hi + down};
            wanted = wanted.lo == wanted.hi
                         ? rows
                         : (struct sw_row_range){SW_MIN(wanted.lo, rows.lo), SW_MAX(wanted.hi, rows.hi)};
        }
    }
    return wanted.lo == wanted.hi ? all : wanted;
}

static bool prove_tflite_window(struct tflite_proof *proof, const struct sw_fit_call *call,
                                const struct tflite_operator *op, const struct sw_op_window *w) {
    uint32_t input = tflite_fit_input(proof->fit, call, 0);
    struct sw_row_range from = proof->values[input].rows, rows, right = {0, 0};
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
        return fail_strip_call(proof, "its windows are not those of the whole image");
    }
    if (!check_padding(proof, call, op, in.height)) {
        return fail_strip_call(proof, "what it pads is not what it would pad itself");
    }
    rows = (struct sw_row_range){first / stride, first / stride + made};
    struct sw_row_range wanted = wanted_of(proof, call->output, rows);
    for (int64_t row = SW_MAX(rows.lo, 0); row < rows.hi && row < out.height; row++) {
        if (is_row_right(w, row, proof->values[input].right, in.height)) {
            right = right.hi < row || right.lo == right.hi ? (struct sw_row_range){row, row + 1}
                                                           : (struct sw_row_range){right.lo, row + 1};
        } else if (right.lo <= wanted.lo && wanted.hi <= right.hi) {
            break;
        }
    }
    return make_tensor_rows(proof, call->output, rows, right);
}

static bool prove_run(struct tflite_proof *proof, const struct sw_fit_call *call) {
    struct tflite_fit *fit = proof->fit;
    const struct tflite_operator *op = &fit->model.operators.items[fit->operator_of[call->op]];
    struct tflite_window window;
    int32_t result = op->outputs.count == 1 ? tflite_item(&fit->model, op->outputs, 0) : -1;
    if (result < 0 || fit->tensor_of[strip_value(proof, call->output)->buffer] != (uint32_t)result ||
        tflite_fit_argument(fit, op, call->input_count) >= 0) {
        return fail_strip_call(proof, "its arguments are not those of the operator");
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (fit->tensor_of[strip_value(proof, tflite_fit_input(proof->fit, call, i))->buffer] !=
            (uint32_t)tflite_fit_argument(fit, op, i)) {
            return fail_strip_call(proof, "its arguments are not those of the operator");
        }
    }
    if (!tflite_window(&fit->model, op, &window)) {
        return false;
    }
    if (!window.known || (tflite_fit_windowed(op->code) && call->input_count != 1)) {
        return fail_strip_call(proof, "its rows are not known");
    }
    if (strip_value(proof, call->output)->left + strip_value(proof, call->output)->right > 0) {
        return fail_strip_call(proof, "its result has other columns");
    }
    return tflite_fit_windowed(op->code) ? prove_tflite_window(proof, call, op, &window.window)
           : op->code == TFLITE_OP_pad || op->code == TFLITE_OP_padv2 ? prove_pad(proof, call, &window.window)
                                                                      : prove_tflite_elements(proof, call);
}

/* ---- calls ---- */

/* May the operator run again? Its only result must depend on nothing but its arguments, and it must have no other
 * effect. */
static bool prove_again(const struct tflite_proof *proof, const struct tflite_operator *op) {
    const struct tflite_model *model = &proof->fit->model;
    const char *kind = tflite_code_name(op->code);
    bool custom = op->code == TFLITE_OP_custom || op->custom.length > 0 || !kind,
         random = kind && (strstr(kind, "random") || strstr(kind, "multinomial"));
    for (uint32_t i = 0; i < op->inputs.count; i++) {
        int32_t tensor = tflite_item(model, op->inputs, i);
        enum tflite_state state = tensor < 0 ? TFLITE_CONSTANT : model->tensors.items[tensor].state;
        custom |= state != TFLITE_PLANNED && state != TFLITE_CONSTANT && state != TFLITE_EMPTY;
    }
    return (op->outputs.count == 1 && op->calls[0] < 0 && op->calls[1] < 0 && !custom && !random &&
            !tflite_has_state(model, op)) ||
           fail_strip_call(proof, "run again it may make something else");
}

/* An operator that runs as it is: its results are right if all its arguments are. */
static bool prove_as_is(struct tflite_proof *proof, const struct sw_fit_call *call) {
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
            return fail_strip_call(proof, "what it reads is not made before");
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
        return fail_strip_call(proof, "it runs twice");
    }
    proof->run[op->number] = true;
    if (tflite_has_state(model, op)) {
        if (proof->state != SW_NONE && proof->state > op->number) {
            return fail_strip_call(proof, "operators with a state of their own keep their order");
        }
        proof->state = op->number;
    }
    return true;
}

static bool is_in_region(const struct sw_fit_program *program, const struct sw_fit_call *call) {
    return call->region < program->region_count && call->op >= program->regions[call->region].first &&
           call->op <= program->regions[call->region].last;
}

/* Is the value there? A whole tensor may be there from the beginning; other values are made by calls. */
static bool take_input(struct tflite_proof *proof, uint32_t number) {
    if (!check_rows_value(proof, number)) {
        return false;
    }
    const struct sw_fit_value *value = strip_value(proof, number);
    if (value->whole && !proof->values[number].there && *known_at(proof, value->buffer)) {
        proof->values[number].there = true;
        proof->values[number].rows = proof->values[number].right = value->rows;
    }
    return proof->values[number].there || fail_strip_call(proof, "what it reads is not made before");
}

/* ---- tensors with room ---- */

/* GROW: the first rows of a tensor are right, and the room behind them is not. */
static bool prove_growth(struct tflite_proof *proof, const struct sw_fit_call *call) {
    uint32_t input = tflite_fit_input(proof->fit, call, 0);
    const struct sw_fit_value *from = strip_value(proof, input), *to = strip_value(proof, call->output);
    struct tflite_rows tensor;
    tflite_fit_rows(proof->fit, call->output, &tensor);
    struct sw_row_range all = {0, tensor.height}, rows = proof->values[input].rows;
    if (call->input_count != 1 || from->buffer != to->buffer || from->left + from->right + to->left + to->right > 0 ||
        to->whole || rows.lo != 0 || rows.hi >= all.hi || !same_strip_rows(rows, proof->values[input].right)) {
        return fail_strip_call(proof, "what it makes room behind are not the first rows, or not those of the model");
    }
    return make_tensor_rows(proof, call->output, all, rows);
}

/* UPDATE: the new rows come right behind those that are there. The tensor as it was before is not read any more. */
static bool prove_update(struct tflite_proof *proof, const struct sw_fit_call *call) {
    uint32_t first = tflite_fit_input(proof->fit, call, 0),
             part = call->input_count == 2 ? tflite_fit_input(proof->fit, call, 1) : first;
    uint32_t whole = proof->loop == SW_NONE ? first : proof->whole;
    const struct sw_fit_value *of = strip_value(proof, whole), *rows = strip_value(proof, part),
                              *to = strip_value(proof, call->output);
    struct sw_row_range made = proof->values[whole].right, fresh = proof->values[part].rows;
    if (first == part || of->buffer != to->buffer || rows->buffer != to->buffer || of->whole || rows->whole ||
        to->left + to->right + rows->left + rows->right > 0 ||
        (proof->loop == SW_NONE && rows->made_by <= of->made_by)) {
        return fail_strip_call(proof,
                               "its arguments are not a tensor with room, and rows of it that are made behind that");
    }
    if (!same_strip_rows(fresh, proof->values[part].right) || made.lo != 0 || fresh.lo != made.hi ||
        fresh.hi > proof->values[whole].rows.hi || fresh.lo != rows->rows.lo + proof->round * call->step) {
        return fail_strip_call(
            proof,
            "the rows that it adds do not stand right behind those that are there, or are not those of the model");
    }
    proof->values[first].there = false;
    proof->whole = call->output;
    return make_tensor_rows(proof, call->output, proof->values[whole].rows, (struct sw_row_range){0, fresh.hi});
}

/* ---- loops ---- */

/* Which of the loop's variables a value is; the number of variables: none. */
static uint32_t variable_of(const struct tflite_proof *proof, const struct sw_fit_call *loop, uint32_t value) {
    uint32_t i = 0;
    while (i < loop->input_count && tflite_fit_input(proof->fit, loop, i) != value) {
        i++;
    }
    return i;
}

/* A call of a loop's rounds must run as often as the others. It may read what is made in the same round, and variables:
 * the tensor with room is for the update alone, and a tensor from outside for slices alone. */
static bool is_in_loop(const struct tflite_proof *proof, const struct sw_fit_call *call) {
    const struct sw_fit_program *program = proof->fit->program;
    const struct sw_fit_call *loop = &program->calls.items[proof->loop];
    bool update = call->act == SW_FIT_UPDATE, slice = call->act == SW_FIT_SLICE;
    if (call->rounds != loop->rounds || call->region != loop->region || call->strip != loop->strip ||
        call->act == SW_FIT_LOOP || call->act == SW_FIT_GROW || call->step < 0 ||
        (call->step > 0 && ((!update && !slice) || call->begin >= loop->begins)) || (update && call->step == 0)) {
        return false;
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        uint32_t input = tflite_fit_input(proof->fit, call, i), variable = variable_of(proof, loop, input);
        bool outside = input >= program->values.count || strip_value(proof, input)->made_by == SW_NONE ||
                       strip_value(proof, input)->made_by < proof->loop;
        bool same = variable > 0 && variable < loop->input_count &&
                    tflite_fit_input(proof->fit, proof->next, variable) == input;
        bool moves = call->step > 0 && (slice || i == 0);
        if ((outside && variable == loop->input_count) || (variable == 0) != (update && i == 0) ||
            (moves && !update) != same) {
            return false;
        }
    }
    return true;
}

/* Calls with the same counter must begin at the same row in all rounds. */
static bool check_counters(struct tflite_proof *proof, uint32_t end) {
    const struct sw_fit_program *program = proof->fit->program;
    for (uint32_t a = proof->loop + 1; a < end; a++) {
        const struct sw_fit_call *x = &program->calls.items[a];
        for (uint32_t b = proof->loop + 1; b < a; b++) {
            const struct sw_fit_call *y = &program->calls.items[b];
            if (x->step > 0 && y->step > 0 && x->begin == y->begin &&
                (x->step != y->step || sw_fit_begins_at(program, x) != sw_fit_begins_at(program, y))) {
                return fail_strip_call(proof,
                                       "one counter tells where two of its calls begin, which begin at different rows");
            }
        }
    }
    return true;
}

static bool prove_tflite_call(struct tflite_proof *proof, const struct sw_fit_call *call);

/* A variable of the loop before a round: as the round before left it, or, before the first, as it is outside. */
static void hand_variable(struct tflite_proof *proof, const struct sw_fit_call *loop, uint32_t i) {
    uint32_t value = tflite_fit_input(proof->fit, loop, i), left = tflite_fit_input(proof->fit, proof->next, i);
    proof->values[value].there = true;
    if (proof->round > 0 && i > 0) {
        proof->values[value].rows = proof->values[left].rows;
        proof->values[value].right = proof->values[left].right;
        proof->values[value].padding |= proof->values[left].padding;
    }
}

/* A round's result may lie in the bytes of the variable that it is for. From then on nothing may read the old one. */
static void leave_variables(struct tflite_proof *proof, const struct sw_fit_call *loop, uint32_t output) {
    for (uint32_t i = 1; i < loop->input_count; i++) {
        uint32_t value = tflite_fit_input(proof->fit, loop, i);
        if (tflite_fit_input(proof->fit, proof->next, i) == output && value != output) {
            proof->values[value].there = false;
        }
    }
}

/* The loop's variables before the first round. Each must come out of a round as large as it went in. */
static bool check_variables(struct tflite_proof *proof, const struct sw_fit_call *loop, uint32_t end) {
    const struct sw_fit_call *next = proof->next;
    if (next->input_count != loop->input_count + 1 ||
        next->first_input + next->input_count > proof->fit->program->inputs.count || next->region != loop->region ||
        next->rounds != loop->rounds || tflite_fit_input(proof->fit, next, loop->input_count) != loop->output) {
        return fail_strip_call(proof, "its rounds do not end with what they began with");
    }
    for (uint32_t i = 0; i < loop->input_count; i++) {
        uint32_t value = tflite_fit_input(proof->fit, loop, i), left = tflite_fit_input(proof->fit, next, i);
        if (!take_input(proof, value) || !check_rows_value(proof, left)) {
            return false;
        }
        const struct sw_fit_value *from = strip_value(proof, value), *to = strip_value(proof, left);
        bool changes = to->made_by > proof->call && to->made_by < end, twice = variable_of(proof, loop, value) < i;
        if (twice || (value == left ? !from->whole
                                    : !changes || from->whole || from->buffer != to->buffer || from->left != to->left ||
                                          from->right != to->right || from->size != to->size)) {
            return fail_strip_call(proof, "what it hands to its rounds is not what they leave");
        }
    }
    return true;
}

/* All rounds: the calls from the loop to its NEXT, as often as it says. */
static bool prove_loop(struct tflite_proof *proof) {
    const struct sw_fit_program *program = proof->fit->program;
    const struct sw_fit_call *loop = &program->calls.items[proof->call];
    uint32_t end = proof->call + 1, begin = proof->call;
    while (end < program->calls.count && program->calls.items[end].act != SW_FIT_NEXT) {
        end++;
    }
    if (end == program->calls.count || end == begin + 1 || program->calls.items[end - 1].act != SW_FIT_UPDATE ||
        loop->rounds == 0 || loop->begins == 0 || loop->begins > SW_FIT_MOST_BEGINS || !is_in_region(program, loop) ||
        loop->input_count < 2 || loop->input_count > program->inputs.count ||
        loop->first_input > program->inputs.count - loop->input_count || loop->output >= program->values.count ||
        strip_value(proof, loop->output)->buffer != SW_NONE) {
        return fail_strip_call(proof, "it is no loop with rounds");
    }
    proof->next = &program->calls.items[end];
    if (!check_variables(proof, loop, end)) {
        return false;
    }
    proof->loop = begin;
    proof->whole = tflite_fit_input(proof->fit, loop, 0);
    for (proof->round = 0; proof->round < loop->rounds; proof->round++) {
        for (uint32_t i = 0; i < loop->input_count; i++) {
            hand_variable(proof, loop, i);
        }
        for (proof->call = begin + 1; proof->call < end; proof->call++) {
            const struct sw_fit_call *call = &program->calls.items[proof->call];
            if (call->act == SW_FIT_AS_IS || call->output >= program->values.count ||
                (call->act == SW_FIT_UPDATE) != (proof->call + 1 == end)) {
                return fail_strip_call(proof, "it is part of no round");
            }
            proof->values[call->output].there = false;
            if (!prove_tflite_call(proof, call)) {
                return false;
            }
            leave_variables(proof, loop, call->output);
        }
        for (uint32_t c = begin + 1; c < end; c++) {
            proof->values[program->calls.items[c].output].there = false; /* the next round makes it anew */
        }
    }
    proof->round = 0;
    proof->call = end;
    if (tflite_fit_input(proof->fit, proof->next, 0) != proof->whole || !check_counters(proof, end)) {
        return proof->fit->error->code == SW_OK
                   ? fail_strip_call(proof, "its rounds do not end with the rows that they add")
                   : false;
    }
    proof->loop = SW_NONE;
    for (uint32_t i = 0; i < loop->input_count; i++) {
        uint32_t value = tflite_fit_input(proof->fit, loop, i), left = tflite_fit_input(proof->fit, proof->next, i);
        proof->values[value].there = value == left;
        proof->values[left].there = true;
        proof->values[left].placed |=
            i > 0 && value != left && strip_value(proof, left)->within == value && strip_value(proof, left)->at == 0;
    }
    return true;
}

static bool prove_tflite_call(struct tflite_proof *proof, const struct sw_fit_call *call) {
    const struct sw_fit_program *program = proof->fit->program;
    bool as_is = call->act == SW_FIT_AS_IS;
    if (call->op >= sw_problem_operator_count(program->problem) ||
        (!as_is && (!is_in_region(program, call) || call->output >= program->values.count))) {
        return tflite_refuse(proof->fit->error,
                             "the program is not one of this model: a call of it is part of no region");
    }
    if (as_is) {
        return prove_as_is(proof, call);
    }
    if (proof->loop == SW_NONE ? call->step != 0 || call->rounds > 0 : !is_in_loop(proof, call)) {
        return fail_strip_call(proof, "it moves on from round to round in no loop, or not as the loop does");
    }
    if (call->input_count == 0 || call->first_input + call->input_count > program->inputs.count) {
        return fail_strip_call(proof, "it reads nothing");
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (!take_input(proof, tflite_fit_input(proof->fit, call, i))) {
            return false;
        }
    }
    if (!check_rows_value(proof, call->output)) {
        return false;
    }
    switch (call->act) {
    case SW_FIT_RUN:
        return prove_run(proof, call);
    case SW_FIT_SLICE:
        return prove_tflite_slice(proof, call);
    case SW_FIT_PADDED:
        return prove_padded(proof, call);
    case SW_FIT_JOIN:
        return prove_tflite_join(proof, call);
    case SW_FIT_GROW:
        return prove_growth(proof, call);
    case SW_FIT_UPDATE:
        return prove_update(proof, call);
    case SW_FIT_LOOP:
    case SW_FIT_NEXT:
    case SW_FIT_AS_IS:
        break;
    }
    return true;
}

/* The value with bytes of its own in which a value lies, and where in it. False: there is none. */
static bool find_place_root(const struct sw_fit_program *program, uint32_t value, uint32_t *root, uint64_t *at) {
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

/* May the value lie within that other one, at that place? Only a slice of it, a part of a join, or a tensor to which
 * rows are added, and what lies within such a value. */
static bool prove_places(struct tflite_proof *proof) {
    const struct sw_fit_program *program = proof->fit->program;
    for (uint32_t c = 0; c < program->calls.count; c++) {
        const struct sw_fit_call *call = &program->calls.items[c];
        bool slice = call->act == SW_FIT_SLICE && call->step == 0, update = call->act == SW_FIT_UPDATE;
        uint32_t count = update && call->step > 0 ? 1 : call->input_count;
        for (uint32_t i = 0; i < count && (slice || update || call->act == SW_FIT_JOIN || call->act == SW_FIT_GROW);
             i++) {
            uint32_t inner = slice ? call->output : tflite_fit_input(proof->fit, call, i),
                     outer = slice ? tflite_fit_input(proof->fit, call, i) : call->output, roots[2];
            const struct sw_fit_value *value = strip_value(proof, inner);
            uint64_t row = value->size / (uint64_t)(value->rows.hi - value->rows.lo), at[2];
            if (find_place_root(program, inner, &roots[0], &at[0]) &&
                find_place_root(program, outer, &roots[1], &at[1]) && roots[0] == roots[1] &&
                at[0] == at[1] + row * (uint64_t)(value->rows.lo - strip_value(proof, outer)->rows.lo)) {
                proof->values[inner].placed = true;
            }
        }
    }
    for (uint32_t v = 0; v < program->values.count; v++) {
        char name[CALL_NAME];
        if (program->values.items[v].within != SW_NONE && !proof->values[v].placed) {
            sw_fit_value_name(program, v, name, sizeof name);
            return tflite_refuse(proof->fit->error, "%.200s lies within another tensor, but is not a part of it", name);
        }
    }
    return true;
}

/* Tensors that are there before the first call: inputs, and those that no operator writes. */
static void begin_proof(struct tflite_proof *proof) {
    const struct tflite_model *model = &proof->fit->model;
    for (uint32_t i = 0; i < model->subgraphs.items[0].tensor_count; i++) {
        const struct tflite_tensor *tensor = &model->tensors.items[i];
        proof->known[i] = tensor->input || !tensor->written;
    }
}

static bool prove_end(struct tflite_proof *proof) {
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
            return tflite_refuse(proof->fit->error,
                                 "the program is not one of this model: it leaves operator %" PRIu32 " out", i);
        }
    }
    for (uint32_t i = 0; i < model->subgraphs.items[0].tensor_count; i++) {
        if (model->tensors.items[i].output && !proof->known[i]) {
            return tflite_refuse(proof->fit->error,
                                 "the program is not one of this model: it does not make result %" PRIu32, i);
        }
    }
    return prove_places(proof);
}

bool tflite_fit_prove(struct tflite_fit *fit) {
    const struct sw_fit_program *program = fit->program;
    struct tflite_model *model = &fit->model;
    struct tflite_proof proof = {.fit = fit, .state = SW_NONE, .loop = SW_NONE};
    for (size_t r = 0; r < program->region_count; r++) {
        for (uint32_t op = program->regions[r].first; op <= program->regions[r].last; op++) {
            if (op >= sw_problem_operator_count(program->problem)) {
                return tflite_refuse(fit->error, "the program is not one of this model");
            }
            if (!check_region_operator(fit, op)) {
                return false;
            }
        }
    }
    proof.values = sw_arena_new(&model->arena, program->values.count + 1, sizeof *proof.values);
    proof.known = sw_arena_new(&model->arena, (size_t)model->subgraphs.items[0].tensor_count + 1, sizeof *proof.known);
    proof.again =
        sw_arena_new(&model->arena, (size_t)sw_problem_buffer_count(program->problem) + 1, sizeof *proof.again);
    proof.run = sw_arena_new(&model->arena, (size_t)model->subgraphs.items[0].operator_count + 1, sizeof *proof.run);
    if (!proof.values || !proof.known || !proof.again || !proof.run) {
        return sw_fail_memory(fit->error);
    }
    begin_proof(&proof);
    for (; proof.call < program->calls.count; proof.call++) {
        bool loop = program->calls.items[proof.call].act == SW_FIT_LOOP;
        if (!(loop ? prove_loop(&proof) : prove_tflite_call(&proof, &program->calls.items[proof.call]))) {
            return false;
        }
    }
    return prove_end(&proof);
}
