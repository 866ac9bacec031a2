/* Whether a program computes what the model computes, from the attributes and shapes in the file alone.
 *
 * Call by call: how many rows does the operator make of the rows that it is given, with the padding that it is told? Is
 * each row of its window the same row as in the model? A row that is padding in the model must be padding of the call,
 * and no other row may be. At the end every region's result must be whole. Nothing here is taken from the engine's
 * arithmetic, nor from the windows that the reader gives. */
#include "formats/onnx/write/onnx_fit.h"
#include "base/base.h"

struct onnx_proof {
    struct onnx_fit *fit;
    bool *there;   /* of each value: it is made */
    uint32_t call; /* at hand */
    uint64_t work; /* rows of windows that were looked at */
};
enum { MOST_WINDOW_ROWS = 1 << 29 };
/* A window along rows and columns, as the model has it. */
struct sliding {
    int64_t kernel[2], stride[2], dilation[2], before[2], after[2];
    bool ceil;
};

__attribute__((format(printf, 2, 3))) static bool fail_onnx_call(struct onnx_proof *proof, const char *format, ...) {
    char text[SW_MESSAGE / 2];
    SW_FORMAT_INTO(text, format);
    return onnx_fail(&proof->fit->model, "%s would not compute what the model does: %s",
                     onnx_fit_call(proof->fit, proof->call).text, text);
}

/* ---- what the file says ---- */

enum row_form { ROWS_UNKNOWN, ROWS_SLIDE, ROWS_ALONE, ROWS_BY_CHANNELS, ROWS_BESIDE };
static const struct {
    const char *kinds; /* words */
    enum row_form form;
    uint32_t weights; /* which input; 0: none */
} row_kinds[] = {
    {"Conv ConvInteger", ROWS_SLIDE, 1},
    {"QLinearConv", ROWS_SLIDE, 3},
    {"MaxPool AveragePool LpPool", ROWS_SLIDE, 0},
    {"Concat", ROWS_BESIDE, 0},
    {"BatchNormalization QuantizeLinear DequantizeLinear", ROWS_BY_CHANNELS, 0},
    {"LRN Abs Add Cast Celu Clip Div Elu Erf Exp Gelu HardSigmoid HardSwish Identity LeakyRelu Max Min Mish Mul Neg "
     "PRelu Relu Selu Sigmoid Softplus Softsign Sqrt Sub Sum Tanh",
     ROWS_ALONE, 0},
};

static enum row_form form_of(const struct onnx_node *node, uint32_t *weights) {
    for (size_t i = 0; i < sizeof row_kinds / sizeof *row_kinds && node->domain.length == 0; i++) {
        if (sw_pb_in(node->kind, row_kinds[i].kinds)) {
            *weights = row_kinds[i].weights;
            return row_kinds[i].form;
        }
    }
    return ROWS_UNKNOWN;
}

bool onnx_fit_slides(const struct onnx_node *node) {
    uint32_t weights;
    return form_of(node, &weights) == ROWS_SLIDE;
}

static const struct onnx_node *node_of_call(const struct onnx_proof *proof, const struct sw_fit_call *call) {
    return &proof->fit->model.nodes.items[proof->fit->node_of[call->op]];
}

/* The tensor of the model that a value is, or has rows of; NULL: it is no image. */
static const int64_t *image_of(const struct onnx_proof *proof, uint32_t value) {
    const struct sw_fit_program *program = proof->fit->program;
    const struct onnx_value *tensor =
        onnx_value_at(&proof->fit->model, proof->fit->value_of[program->values.items[value].buffer]);
    return tensor && tensor->shape.known && tensor->shape.rank == ONNX_IMAGE ? tensor->shape.dims : NULL;
}

/* A pair of numbers; without the attribute both are 1. */
static bool read_number_pair(struct onnx_proof *proof, const struct onnx_node *node, const char *name, int64_t to[2]) {
    size_t count;
    struct onnx_attribute attribute;
    if (!onnx_attribute(&proof->fit->model, node, name, &attribute)) {
        to[0] = to[1] = 1;
        return true;
    }
    return (onnx_ints(&proof->fit->model, node, name, to, 2, &count) && count == 2 && to[0] > 0 && to[1] > 0 &&
            to[0] <= INT32_MAX && to[1] <= INT32_MAX) ||
           fail_onnx_call(proof, "its %s are not two numbers", name);
}

static bool read_sliding(struct onnx_proof *proof, const struct onnx_node *node, uint32_t weights, const int64_t *in,
                         struct sliding *w) {
    struct onnx_model *model = &proof->fit->model;
    const struct onnx_value *values = weights > 0 ? onnx_value_at(model, onnx_input(model, node, weights)) : NULL;
    struct sw_pb_bytes mode = onnx_string(model, node, "auto_pad");
    int64_t pads[4] = {0};
    size_t count;
    if (!read_number_pair(proof, node, "kernel_shape", w->kernel) ||
        !read_number_pair(proof, node, "strides", w->stride) ||
        !read_number_pair(proof, node, "dilations", w->dilation)) {
        return false;
    }
    if (weights > 0) {
        if (!values || !values->constant || !values->shape.known || values->shape.rank != ONNX_IMAGE) {
            return fail_onnx_call(proof, "its weights are not known before the run");
        }
        w->kernel[0] = values->shape.dims[ONNX_ROWS];
        w->kernel[1] = values->shape.dims[ONNX_COLUMNS];
    }
    w->ceil = onnx_int(model, node, "ceil_mode", 0) != 0;
    bool upper = sw_pb_equal(mode, "SAME_UPPER"), lower = sw_pb_equal(mode, "SAME_LOWER"),
         given = mode.length == 0 || sw_pb_equal(mode, "NOTSET");
    if (given && onnx_ints(model, node, "pads", pads, 4, &count) && count != 4) {
        return fail_onnx_call(proof, "its pads are not four numbers");
    }
    for (int i = 0; i < 2; i++) {
        w->before[i] = pads[i];
        w->after[i] = pads[2 + i];
        if (upper || lower) {
            int64_t length = in[ONNX_ROWS + i], windows = length / w->stride[i] + (length % w->stride[i] != 0);
            int64_t missing = (windows - 1) * w->stride[i] + (w->kernel[i] - 1) * w->dilation[i] + 1 - length;
            if (missing < 0) {
                return fail_onnx_call(proof, "runtimes do not agree on SAME where strides pass over rows or columns");
            }
            w->before[i] = upper ? missing / 2 : missing - missing / 2;
            w->after[i] = missing - w->before[i];
        }
    }
    return given || upper || lower || sw_pb_equal(mode, "VALID") || fail_onnx_call(proof, "its auto_pad is not known");
}

/* ---- rows ---- */

static const struct sw_fit_value *proof_value(const struct onnx_proof *proof, uint32_t value) {
    return &proof->fit->program->values.items[value];
}

static uint32_t call_argument(const struct onnx_proof *proof, const struct sw_fit_call *call, uint32_t i) {
    return proof->fit->program->inputs.items[call->first_input + i];
}

static bool same_image_rows(struct sw_row_range a, struct sw_row_range b) {
    return a.lo == b.lo && a.hi == b.hi;
}

/* Is the value rows of an image, as large as these are, without padding? */
static bool check_image_value(struct onnx_proof *proof, uint32_t number) {
    const struct sw_fit_program *program = proof->fit->program;
    const int64_t *image = number < program->values.count ? image_of(proof, number) : NULL;
    if (!image || image[0] != 1) {
        return fail_onnx_call(proof, "a tensor of it is not one image of channels, rows and columns");
    }
    const struct sw_fit_value *value = proof_value(proof, number);
    const struct onnx_value *tensor = &proof->fit->model.values.items[proof->fit->value_of[value->buffer]];
    uint64_t rows = (uint64_t)(value->rows.hi - value->rows.lo), row, size;
    if (value->rows.lo < 0 || value->rows.hi > image[ONNX_ROWS] || value->rows.lo >= value->rows.hi ||
        value->left + value->right > 0 ||
        __builtin_mul_overflow((uint64_t)image[ONNX_CHANNELS], (uint64_t)image[ONNX_COLUMNS], &row) ||
        __builtin_mul_overflow(row, rows, &size) || __builtin_mul_overflow(size, onnx_bits(tensor->type) / 8, &size) ||
        size != value->size ||
        (value->whole && !same_image_rows(value->rows, (struct sw_row_range){0, image[ONNX_ROWS]}))) {
        return fail_onnx_call(proof, "a tensor of it has another size than its rows");
    }
    return true;
}

static bool is_cut_op(const struct sw_fit_program *program, uint32_t op) {
    for (size_t r = 0; r < program->region_count; r++) {
        if (op >= program->regions[r].first && op <= program->regions[r].last) {
            return true;
        }
    }
    return false;
}

/* Is the value there before this call? A whole tensor may be there from the beginning, or be made by a node that stays.
 */
static bool take_argument(struct onnx_proof *proof, uint32_t number) {
    if (!check_image_value(proof, number)) {
        return false;
    }
    const struct sw_fit_value *value = proof_value(proof, number);
    const struct sw_fit_program *program = proof->fit->program;
    uint32_t maker = sw_problem_producer(program->problem, value->buffer);
    bool given = value->whole && (maker == SW_NONE || (!is_cut_op(program, maker) && value->made_by < proof->call));
    return given || proof->there[number] || fail_onnx_call(proof, "what it reads is not made before");
}

static bool make_image_rows(struct onnx_proof *proof, uint32_t output, struct sw_row_range rows) {
    const struct sw_fit_value *value = proof_value(proof, output);
    if (!same_image_rows(rows, value->rows)) {
        return fail_onnx_call(proof, "it makes the rows %" PRId64 " to %" PRId64 ", not %" PRId64 " to %" PRId64,
                              rows.lo, rows.hi - 1, value->rows.lo, value->rows.hi - 1);
    }
    if (proof->there[output] || value->made_by != proof->call) {
        return fail_onnx_call(proof, "its result is made by another call, too");
    }
    proof->there[output] = true;
    return true;
}

static bool prove_onnx_slice(struct onnx_proof *proof, const struct sw_fit_call *call) {
    const struct sw_fit_value *from = proof_value(proof, call_argument(proof, call, 0)),
                              *to = proof_value(proof, call->output);
    if (call->input_count != 1 || from->buffer != to->buffer || to->rows.lo < from->rows.lo ||
        to->rows.hi > from->rows.hi) {
        return fail_onnx_call(proof, "it cuts rows out of what has them not");
    }
    return make_image_rows(proof, call->output, to->rows);
}

static bool prove_onnx_join(struct onnx_proof *proof, const struct sw_fit_call *call) {
    struct sw_row_range rows = proof_value(proof, call_argument(proof, call, 0))->rows;
    for (uint32_t i = 0; i < call->input_count; i++) {
        const struct sw_fit_value *part = proof_value(proof, call_argument(proof, call, i));
        if (part->buffer != proof_value(proof, call->output)->buffer || (i > 0 && part->rows.lo != rows.hi)) {
            return fail_onnx_call(proof, "its parts are not the rows of one tensor, one behind the other");
        }
        rows.hi = part->rows.hi;
    }
    return make_image_rows(proof, call->output, rows);
}

/* Each row of the windows, in the strip and in the whole image. */
static bool prove_rows(struct onnx_proof *proof, const struct sw_fit_call *call, const struct sliding *w,
                       const int64_t *in) {
    const struct sw_fit_value *from = proof_value(proof, call_argument(proof, call, 0)),
                              *to = proof_value(proof, call->output);
    int64_t rows = from->rows.hi - from->rows.lo, reach = (w->kernel[0] - 1) * w->dilation[0] + 1;
    int64_t room = rows + call->above + call->below - reach;
    if (room < 0 || (w->ceil && room % w->stride[0] != 0)) {
        return fail_onnx_call(proof, "a window would hang over its rows");
    }
    int64_t made = room / w->stride[0] + 1;
    proof->work += (uint64_t)made * (uint64_t)w->kernel[0]; /* both are below 2^32 */
    if (proof->work > MOST_WINDOW_ROWS) {
        return fail_onnx_call(proof, "its windows are too many to be looked at row by row");
    }
    for (int64_t j = 0; j < made; j++) {
        for (int64_t k = 0; k < w->kernel[0]; k++) {
            int64_t here = j * w->stride[0] - call->above + k * w->dilation[0]; /* in the strip */
            int64_t there = (to->rows.lo + j) * w->stride[0] - w->before[0] + k * w->dilation[0];
            bool padding = there < 0 || there >= in[ONNX_ROWS];
            if (here < -(int64_t)call->above || here >= rows + call->below ||
                (padding ? here >= 0 && here < rows : here < 0 || here >= rows || from->rows.lo + here != there)) {
                return fail_onnx_call(proof, "row %" PRId64 " of its result reads another row", to->rows.lo + j);
            }
        }
    }
    return make_image_rows(proof, call->output, (struct sw_row_range){to->rows.lo, to->rows.lo + made});
}

/* The image's own windows end within its padding, so none hangs over, and the columns are those of the whole image. */
static bool prove_onnx_window(struct onnx_proof *proof, const struct sw_fit_call *call, const struct onnx_node *node,
                              uint32_t weights) {
    const int64_t *in = image_of(proof, call_argument(proof, call, 0)), *out = image_of(proof, call->output);
    struct sliding w;
    if (call->input_count != 1) {
        return fail_onnx_call(proof, "it reads more than one image");
    }
    if (!read_sliding(proof, node, weights, in, &w) || call->left != w.before[1] || call->right != w.after[1]) {
        return fail_onnx_call(proof, "it pads other columns");
    }
    for (int i = 0; i < 2; i++) {
        int64_t room = in[ONNX_ROWS + i] + w.before[i] + w.after[i] - (w.kernel[i] - 1) * w.dilation[i] - 1;
        if (w.before[i] < 0 || w.after[i] < 0 || room < 0 || room / w.stride[i] + 1 != out[ONNX_ROWS + i] ||
            (w.ceil && room % w.stride[i] != 0)) {
            return fail_onnx_call(proof, "its window does not make its result in the model");
        }
    }
    return prove_rows(proof, call, &w, in);
}

/* A constant argument must have one row, or, for an operator on channels, one number for each channel. */
static bool has_one_row(const struct onnx_value *value) {
    const struct onnx_shape *shape = &value->shape;
    return value->constant && shape->known && (shape->rank < 2 || shape->dims[shape->rank - 2] == 1);
}

static bool prove_onnx_elements(struct onnx_proof *proof, const struct sw_fit_call *call, const struct onnx_node *node,
                                enum row_form form) {
    struct onnx_model *model = &proof->fit->model;
    const int64_t *out = image_of(proof, call->output);
    struct sw_row_range rows = proof_value(proof, call_argument(proof, call, 0))->rows;
    int64_t axis = onnx_int(model, node, "axis", form == ROWS_BESIDE ? ONNX_IMAGE : ONNX_CHANNELS);
    bool channels = axis == ONNX_CHANNELS || axis == ONNX_CHANNELS - ONNX_IMAGE;
    if (form == ROWS_BESIDE && !channels) {
        return fail_onnx_call(proof, "it does not put channels side by side");
    }
    if (onnx_int(model, node, "training_mode", 0) != 0 || onnx_int(model, node, "block_size", 0) != 0) {
        return fail_onnx_call(proof, "it works on more than one row");
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct onnx_value *in = onnx_value_at(model, onnx_input(model, node, i));
        if (in && in->constant &&
            (form == ROWS_BESIDE || !has_one_row(in) ||
             (form == ROWS_BY_CHANNELS && in->shape.rank == 1 && onnx_count(&in->shape) > 1 && !channels))) {
            return fail_onnx_call(proof, "what it has of numbers may be another one for each row");
        }
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        const int64_t *in = image_of(proof, call_argument(proof, call, i));
        if (!same_image_rows(proof_value(proof, call_argument(proof, call, i))->rows, rows) ||
            in[ONNX_ROWS] != out[ONNX_ROWS] || in[ONNX_COLUMNS] != out[ONNX_COLUMNS] ||
            (form != ROWS_BESIDE && in[ONNX_CHANNELS] != out[ONNX_CHANNELS])) {
            return fail_onnx_call(proof, "its arguments have different rows");
        }
    }
    if (call->above + call->below + call->left + call->right > 0) {
        return fail_onnx_call(proof, "it does not pad");
    }
    return make_image_rows(proof, call->output, rows);
}

/* Are the call's arguments rows of the operator's own arguments, in their order, and is its result rows of the
 * operator's result? */
static bool reads_own(const struct onnx_proof *proof, const struct sw_fit_call *call) {
    const struct sw_operator *op = sw_problem_operator(proof->fit->program->problem, call->op);
    bool own = call->input_count == op->input_count && op->output_count == 1 &&
               proof_value(proof, call->output)->buffer == op->outputs[0].buffer;
    for (uint32_t i = 0; own && i < call->input_count; i++) {
        own = proof_value(proof, call_argument(proof, call, i))->buffer == op->inputs[i].buffer;
    }
    return own;
}

static bool prove_onnx_call(struct onnx_proof *proof, const struct sw_fit_call *call) {
    const struct sw_fit_program *program = proof->fit->program;
    uint32_t weights = 0;
    if (call->op >= sw_problem_operator_count(program->problem) || call->region >= program->region_count ||
        call->output >= program->values.count || call->input_count == 0 ||
        call->first_input + call->input_count > program->inputs.count) {
        return onnx_fail(&proof->fit->model, "the program is not one of this model: a call of it is part of no region");
    }
    for (uint32_t i = 0; i < call->input_count; i++) {
        if (!take_argument(proof, call_argument(proof, call, i))) {
            return false;
        }
    }
    if (!check_image_value(proof, call->output)) {
        return false;
    }
    if (call->act == SW_FIT_SLICE) {
        return prove_onnx_slice(proof, call);
    }
    if (call->act == SW_FIT_JOIN) {
        return prove_onnx_join(proof, call);
    }
    if (call->act != SW_FIT_RUN) {
        return fail_onnx_call(proof, "it pads beside its operator");
    }
    if (!reads_own(proof, call)) {
        return fail_onnx_call(proof, "it reads or makes other tensors than in the model");
    }
    const struct onnx_node *node = node_of_call(proof, call);
    enum row_form form = form_of(node, &weights);
    return form == ROWS_SLIDE ? prove_onnx_window(proof, call, node, weights)
           : form == ROWS_UNKNOWN
               ? fail_onnx_call(proof, "nothing is known of the rows that a %s reads", onnx_quote(node->kind).text)
               : prove_onnx_elements(proof, call, node, form);
}

/* Is the result of every region made, as a whole? */
static bool prove_results(struct onnx_proof *proof) {
    const struct sw_fit_program *program = proof->fit->program;
    for (size_t r = 0; r < program->region_count; r++) {
        uint32_t result = sw_problem_operator(program->problem, program->regions[r].last)->outputs[0].buffer;
        if (!proof->there[result]) {
            return onnx_fail(&proof->fit->model, "the program is not one of this model: it does not make %s",
                             onnx_quote(proof->fit->model.values.items[proof->fit->value_of[result]].name).text);
        }
    }
    return true;
}

bool onnx_fit_prove(struct onnx_fit *fit) {
    const struct sw_fit_program *program = fit->program;
    struct onnx_proof proof = {
        .fit = fit, .there = sw_arena_new(&fit->model.arena, program->values.count + 1, sizeof *proof.there)};
    if (!proof.there) {
        return onnx_fail_memory(&fit->model);
    }
    for (; proof.call < program->calls.count; proof.call++) {
        const struct sw_fit_call *call = &program->calls.items[proof.call];
        if (call->act != SW_FIT_AS_IS && !prove_onnx_call(&proof, call)) {
            return false;
        }
    }
    return prove_results(&proof);
}
