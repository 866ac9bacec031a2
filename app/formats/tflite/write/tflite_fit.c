/* Writing a model with regions in strips: what is new of it.
 *
 * The list of the first subgraph's tensors keeps its order. The interpreter finds room for every tensor that is listed,
 * so a tensor that nothing touches any more, as those inside of regions, is replaced by a new one; the other new
 * tensors stand at the end. Each new tensor shares the quantization of the tensor that it has rows of. Each operator on
 * a strip has the options of the model's operator, but for SAME, which becomes VALID where the padding is an operator
 * of its own. Constants are kept once, as each costs the interpreter bytes. */
#include "formats/tflite/write/tflite_fit_writer.h"
#include "base/base.h"

enum { OP_FIELDS = 14, TENSOR_HAS_RANK = 8, TENSOR_FIELDS = 9, GRAPH_FIELDS = 6 };

/* ---- constants ---- */

static bool keep_constant(struct tflite_writer *w, struct tflite_constant wanted, uint32_t *found) {
    for (uint32_t i = 0; i < w->constants.count; i++) {
        const struct tflite_constant *one = &w->constants.items[i];
        if (one->count == wanted.count && one->pairs == wanted.pairs && one->like == wanted.like &&
            memcmp(one->numbers, wanted.numbers, sizeof wanted.numbers) == 0) {
            *found = i;
            return true;
        }
    }
    *found = (uint32_t)w->constants.count;
    return SW_PUSH(&w->constants, wanted) || sw_fail_memory(w->fit.error);
}

bool tflite_fit_constant(struct tflite_writer *w, const int32_t *numbers, uint32_t count, bool pairs, uint32_t *found) {
    struct tflite_constant wanted = {.count = count, .pairs = pairs, .number = SW_NONE};
    memcpy(wanted.numbers, numbers, count * sizeof *numbers);
    return keep_constant(w, wanted, found);
}

static bool is_pad(const struct tflite_writer *w, const struct sw_fit_call *call) {
    const struct tflite_operator *op = tflite_fit_operator_of(&w->fit, call);
    return call->act == SW_FIT_PADDED ||
           (call->act == SW_FIT_RUN && (op->code == TFLITE_OP_pad || op->code == TFLITE_OP_padv2));
}

/* The rows that a value is: one image, rows, columns, channels. */
static void strip_shape(const struct tflite_writer *w, uint32_t value, int32_t shape[4]) {
    const struct sw_fit_value *v = &w->fit.program->values.items[value];
    struct tflite_rows rows;
    tflite_fit_rows(&w->fit, value, &rows);
    shape[0] = 1;
    shape[1] = (int32_t)(v->rows.hi - v->rows.lo);
    shape[2] = (int32_t)(rows.width + v->left + v->right);
    shape[3] = (int32_t)rows.channels;
}

static bool find_operands(struct tflite_writer *w, size_t number) {
    const struct sw_fit_program *program = w->fit.program;
    const struct sw_fit_call *call = &program->calls.items[number];
    uint32_t *operands = w->operands[number];
    operands[0] = operands[1] = SW_NONE;
    if (call->act == SW_FIT_SLICE || call->act == SW_FIT_UPDATE) {
        const int32_t begin[] = {0, (int32_t)sw_fit_begins_at(program, call), 0, 0};
        int32_t size[4];
        strip_shape(w, call->output, size);
        return (call->step != 0 || tflite_fit_constant(w, begin, 4, false, &operands[0])) &&
               (call->act == SW_FIT_UPDATE || tflite_fit_constant(w, size, 4, false, &operands[1]));
    }
    if (call->act == SW_FIT_GROW) {
        const struct sw_fit_value *from = &program->values.items[program->inputs.items[call->first_input]];
        const int32_t amounts[] = {0, 0, 0, (int32_t)(program->values.items[call->output].rows.hi - from->rows.hi),
                                   0, 0, 0, 0};
        return tflite_fit_constant(w, amounts, 8, true, &operands[0]);
    }
    if (is_pad(w, call)) {
        const int32_t amounts[] = {
            0, 0, (int32_t)call->above, (int32_t)call->below, (int32_t)call->left, (int32_t)call->right, 0, 0};
        if (call->least) {
            struct tflite_rows rows;
            tflite_fit_rows(&w->fit, call->output, &rows);
            struct tflite_constant least = {.numbers = {INT8_MIN}, .count = 1, .like = rows.tensor, .number = SW_NONE};
            return tflite_fit_constant(w, amounts, 8, true, &operands[0]) && keep_constant(w, least, &operands[1]);
        }
        return tflite_fit_constant(w, amounts, 8, true, &operands[0]);
    }
    return true;
}

/* ---- numbers ---- */

uint32_t tflite_fit_number(struct tflite_writer *w) {
    size_t i = w->given++;
    return i < w->spare.count ? w->spare.items[i] : w->tensor_count + (uint32_t)(i - w->spare.count);
}

static void number_value(struct tflite_writer *w, uint32_t value) {
    if (w->number[value] == SW_NONE) {
        w->number[value] = tflite_fit_number(w);
    }
}

/* A value that is a whole tensor of the model has that tensor's number. A result that is made again is a new tensor. */
static void number_again(struct tflite_writer *w, const struct sw_fit_call *call) {
    const struct sw_operator *op = sw_problem_operator(w->fit.program->problem, call->op);
    for (uint32_t i = 0; i < op->output_count; i++) {
        if (tflite_fit_again(&w->fit, op->outputs[i].buffer)) {
            number_value(w, op->outputs[i].buffer);
        }
    }
}

static bool number_all(struct tflite_writer *w) {
    const struct sw_fit_program *program = w->fit.program;
    for (size_t c = 0; c < program->calls.count; c++) {
        const struct sw_fit_call *call = &program->calls.items[c];
        if (!find_operands(w, c)) {
            return false;
        }
        for (int i = 0; i < PATCH_OPERANDS && call->rounds == 0; i++) {
            if (w->operands[c][i] != SW_NONE) {
                w->constants.items[w->operands[c][i]].used = true;
            }
        }
        if (call->act == SW_FIT_AS_IS) {
            number_again(w, call);
        } else if (call->rounds == 0) {
            number_value(w, call->output);
        }
    }
    if (!tflite_loops_find(w)) {
        return false;
    }
    for (size_t i = 0; i < w->constants.count; i++) {
        if (w->constants.items[i].used) {
            w->constants.items[i].number = tflite_fit_number(w);
        }
    }
    w->fresh_count = w->given > w->spare.count ? w->given - w->spare.count : 0;
    return true;
}

/* ---- tensors ---- */

static void poke_number(unsigned char *bytes, uint64_t value, size_t width) {
    for (size_t i = 0; i < width; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
}

/* A count and as many numbers, for a reference at `at`. */
static bool share_numbers(struct tflite_writer *w, size_t at, const int32_t *numbers, uint32_t count) {
    unsigned char bytes[4 + 4 * PATCH_NUMBERS];
    poke_number(bytes, count, 4);
    for (uint32_t i = 0; i < count; i++) {
        poke_number(bytes + 4 + 4 * i, (uint32_t)numbers[i], 4);
    }
    return tflite_front_share(&w->front, at, bytes, 4 + 4 * (size_t)count, 0, false);
}

bool tflite_fit_tensor(struct tflite_writer *w, size_t at, const int32_t *shape, uint32_t rank, unsigned type,
                       uint64_t buffer, const char *name, const struct tflite_tensor *like) {
    struct sw_sink *sink = w->front.sink;
    struct sw_flat old = {0};
    uint64_t ranked = 0;
    size_t quantization = 0;
    if (like &&
        (!sw_flat_at(&w->fit.model.root, like->at, &old) || !sw_flat_target(&old, TENSOR_QUANTIZATION, &quantization) ||
         !sw_flat_number(&old, TENSOR_HAS_RANK, 1, &ranked))) {
        return false;
    }
    const bool has[TENSOR_FIELDS] = {[TENSOR_SHAPE] = true,
                                     [TENSOR_TYPE] = true,
                                     [TENSOR_BUFFER] = true,
                                     [TENSOR_NAME] = name != NULL,
                                     [TENSOR_QUANTIZATION] = quantization != 0,
                                     [TENSOR_HAS_RANK] = ranked != 0};
    size_t field = tflite_table(&w->front, at, has, TENSOR_FIELDS);
    if (!share_numbers(w, field, shape, rank)) {
        return false;
    }
    tflite_poke(sink, field += 4, type, 1);
    tflite_poke(sink, field += 4, buffer, 4);
    size_t named = name ? field += 4 : 0;
    if (quantization && !tflite_front_link(&w->front, field += 4, quantization)) {
        return false;
    }
    if (ranked) {
        tflite_poke(sink, field += 4, 1, 1);
    }
    if (name) {
        tflite_text(sink, named, name);
    }
    return true;
}

const char *tflite_fit_name(struct tflite_writer *w, uint32_t value) {
    size_t size = (size_t)sw_fit_value_name(w->fit.program, value, NULL, 0) + 1;
    char *name = sw_arena_new(&w->fit.model.arena, size, 1);
    if (name) {
        sw_fit_value_name(w->fit.program, value, name, size);
    }
    return name;
}

/* Does a value need a tensor that is new? */
static bool is_new(const struct tflite_writer *w, uint32_t value) {
    const struct sw_fit_value *v = &w->fit.program->values.items[value];
    return w->number[value] != SW_NONE && (!v->whole || tflite_fit_again(&w->fit, v->buffer));
}

/* A tensor that is made again: of the same shape and type. */
static bool add_again(struct tflite_writer *w, size_t at, const struct tflite_tensor *tensor, const char *name) {
    enum { MOST_AGAIN_RANK = 8 };
    int32_t shape[MOST_AGAIN_RANK];
    if (tensor->shape.count > MOST_AGAIN_RANK) {
        return tflite_refuse(w->fit.error, "%.200s has more than %d dimensions", name, MOST_AGAIN_RANK);
    }
    for (uint32_t i = 0; i < tensor->shape.count; i++) {
        shape[i] = tflite_item(&w->fit.model, tensor->shape, i);
    }
    return tflite_fit_tensor(w, at, shape, tensor->shape.count, tensor->type, 0, name, tensor);
}

bool tflite_fit_value(struct tflite_writer *w, size_t at, uint32_t value, const char *name) {
    const struct sw_fit_value *v = &w->fit.program->values.items[value];
    struct tflite_rows rows;
    if (!name || v->whole) {
        return !name ? sw_fail_memory(w->fit.error)
                     : add_again(w, at, &w->fit.model.tensors.items[w->fit.tensor_of[v->buffer]], name);
    }
    int32_t shape[4];
    tflite_fit_rows(&w->fit, value, &rows);
    strip_shape(w, value, shape);
    return tflite_fit_tensor(w, at, shape, 4, TFLITE_INT8, 0, name, rows.tensor);
}

bool tflite_fit_constant_tensor(struct tflite_writer *w, size_t at, size_t i) {
    const struct tflite_constant *one = &w->constants.items[i];
    const int32_t shape[] = {one->pairs ? (int32_t)one->count / 2 : (int32_t)one->count,
                             2}; /* amounts of padding: two for each dimension */
    return tflite_fit_tensor(w, at, shape, one->pairs ? 2 : 1, one->like ? TFLITE_INT8 : TFLITE_INT32, w->buffers + i,
                             NULL, one->like);
}

static bool put_first_tensors(struct tflite_writer *w, size_t reference, const struct sw_flat *graph) {
    const struct sw_fit_program *program = w->fit.program;
    struct sw_flat_list old;
    if (!sw_flat_list(graph, GRAPH_TENSORS, 4, &old)) {
        return false;
    }
    size_t list = tflite_references(w->front.sink, reference, w->tensor_count + w->fresh_count);
    bool *fresh = sw_arena_new(&w->fit.model.arena, w->tensor_count + w->fresh_count + 1, sizeof *fresh);
    if (!fresh) {
        return sw_fail_memory(w->fit.error);
    }
    for (size_t v = 0; v < program->values.count; v++) {
        if (is_new(w, (uint32_t)v)) {
            fresh[w->number[v]] = true;
        }
    }
    for (size_t i = 0; i < w->constants.count; i++) {
        if (w->constants.items[i].used) {
            fresh[w->constants.items[i].number] = true;
        }
    }
    for (size_t i = 0; i < w->handed.count; i++) {
        fresh[w->handed.items[i].number] = true;
    }
    for (size_t i = 0; i < w->tensor_count + w->fresh_count; i++) {
        if (!fresh[i] && !tflite_front_link(&w->front, list + 4 * i, w->fit.model.tensors.items[i].at)) {
            return false;
        }
    }
    for (uint32_t v = 0; v < program->values.count; v++) {
        if (is_new(w, v) && !tflite_fit_value(w, list + 4 * (size_t)w->number[v], v, tflite_fit_name(w, v))) {
            return false;
        }
    }
    for (size_t i = 0; i < w->constants.count; i++) {
        if (w->constants.items[i].used &&
            !tflite_fit_constant_tensor(w, list + 4 * (size_t)w->constants.items[i].number, i)) {
            return false;
        }
    }
    for (size_t i = 0; i < w->handed.count; i++) {
        if (!tflite_fit_entry(w, list + 4 * (size_t)w->handed.items[i].number, &w->handed.items[i])) {
            return false;
        }
    }
    return true;
}

static bool put_constant_buffers(struct tflite_writer *w, size_t at) {
    for (size_t i = 0; i < w->constants.count; i++, at += 4) {
        const struct tflite_constant *one = &w->constants.items[i];
        unsigned char bytes[4 + 4 * PATCH_NUMBERS];
        size_t field = tflite_table(&w->front, at, NULL, 1), width = one->like ? 1 : 4, length = width * one->count;
        poke_number(bytes, length, 4);
        for (uint32_t k = 0; k < one->count; k++) {
            poke_number(bytes + 4 + width * k, (uint32_t)one->numbers[k], width);
        }
        if (!tflite_front_share(&w->front, field, bytes, 4 + length, 0, true)) {
            return false;
        }
    }
    return true;
}

/* ---- options ---- */

static bool tflite_fit_table(struct tflite_writer *w, size_t at, const uint64_t *numbers, const bool *has,
                             unsigned count) {
    unsigned char bytes[2 * 16 + 4 * 16] = {0};
    size_t fields = 4 + 2 * (size_t)count, used = 4, table = (fields + 3) / 4 * 4;
    for (unsigned i = 0; i < count; i++) {
        poke_number(bytes + 4 + 2 * (size_t)i, has[i] ? used : 0, 2);
        if (has[i]) {
            poke_number(bytes + table + used, numbers[i], 4);
            used += 4;
        }
    }
    poke_number(bytes, fields, 2);
    poke_number(bytes + 2, used, 2);
    poke_number(bytes + table, table, 4);
    return tflite_front_share(&w->front, at, bytes, table + used, table, false);
}

/* How many bytes a field of the options has, by operator. */
static const struct {
    uint32_t code;
    unsigned count;
    unsigned char widths[7];
} option_widths[] = {
    {TFLITE_OP_conv_2d, 7, {1, 4, 4, 1, 4, 4, 1}},
    {TFLITE_OP_depthwise_conv_2d, 7, {1, 4, 4, 4, 1, 4, 4}},
    {TFLITE_OP_average_pool_2d, 6, {1, 4, 4, 4, 4, 1}},
    {TFLITE_OP_max_pool_2d, 6, {1, 4, 4, 4, 4, 1}},
};

/* The options of an operator, with VALID in place of SAME. */
static bool share_valid(struct tflite_writer *w, size_t at, uint32_t code, const struct sw_flat *options) {
    uint64_t numbers[7] = {0};
    bool has[7] = {false};
    size_t i = 0;
    while (option_widths[i].code != code) {
        i++;
    }
    for (unsigned f = 0; f < options->fields; f++) {
        if (f >= option_widths[i].count && sw_flat_place(options, f)) {
            return tflite_refuse(w->fit.error,
                                 "the model was made by a newer schema: field %u of an operator's options is not known",
                                 f);
        }
    }
    for (unsigned f = 0; f < option_widths[i].count; f++) {
        has[f] = f == 0 || sw_flat_place(options, f);
        if (!sw_flat_number(options, f, option_widths[i].widths[f], &numbers[f])) {
            return false;
        }
    }
    numbers[0] = 1;
    return tflite_fit_table(w, at, numbers, has, option_widths[i].count);
}

/* ---- operators ---- */

void tflite_fit_arguments(struct sw_sink *sink, size_t reference, const int32_t *arguments, uint32_t count) {
    tflite_pad(sink, 4);
    tflite_refer_here(sink, reference);
    tflite_put(sink, count, 4);
    for (uint32_t i = 0; i < count; i++) {
        tflite_put(sink, (uint32_t)arguments[i], 4);
    }
}

/* The number of a tensor: in the first subgraph, or, while the rounds of a loop are written, in its body. */
static uint32_t of_value(const struct tflite_writer *w, uint32_t value) {
    return w->body ? tflite_body_value(w, value) : w->number[value];
}

static uint32_t of_constant(const struct tflite_writer *w, uint32_t constant) {
    return w->body ? tflite_body_entry(w, TFLITE_ENTRY_CONSTANT, constant) : w->constants.items[constant].number;
}

bool tflite_fit_operator(struct tflite_writer *w, size_t at, const struct tflite_new_operator *op) {
    static const bool numbers[] = {true, true};
    uint32_t index;
    size_t fields = tflite_table(&w->front, at, NULL, 5);
    if (!tflite_code_find(w, op->code, &index)) {
        return false;
    }
    tflite_poke(w->front.sink, fields, index, 4);
    tflite_poke(w->front.sink, fields + 12, op->options, 1);
    tflite_fit_arguments(w->front.sink, fields + 4, op->inputs, op->input_count);
    tflite_fit_arguments(w->front.sink, fields + 8, op->outputs, op->output_count);
    return tflite_fit_table(w, fields + 16, op->numbers, numbers, op->number_count);
}

/* A slice, a join, padding, or an update. */
static bool add_fresh(struct tflite_writer *w, size_t at, size_t number) {
    const struct sw_fit_program *program = w->fit.program;
    const struct sw_fit_call *call = &program->calls.items[number];
    uint32_t code = tflite_code_of(call);
    int32_t arguments[16], result = (int32_t)of_value(w, call->output);
    struct tflite_new_operator op = {.code = code,
                                     .inputs = arguments,
                                     .outputs = &result,
                                     .output_count = 1,
                                     .numbers = {1},
                                     .number_count = code == TFLITE_OP_concatenation, /* its axis */
                                     .options = code == TFLITE_OP_slice                  ? OPTIONS_SLICE
                                                : code == TFLITE_OP_concatenation        ? OPTIONS_CONCATENATION
                                                : code == TFLITE_OP_dynamic_update_slice ? OPTIONS_UPDATE
                                                : code == TFLITE_OP_padv2                ? OPTIONS_PADV2
                                                                                         : OPTIONS_PAD};
    for (uint32_t i = 0; i < call->input_count; i++) {
        arguments[op.input_count++] = (int32_t)of_value(w, program->inputs.items[call->first_input + i]);
    }
    if (call->step != 0) {
        arguments[op.input_count++] = (int32_t)tflite_body_begin(w, call->begin);
    }
    for (int i = 0; i < PATCH_OPERANDS; i++) {
        if (w->operands[number][i] != SW_NONE) {
            arguments[op.input_count++] = (int32_t)of_constant(w, w->operands[number][i]);
        }
    }
    return tflite_fit_operator(w, at, &op);
}

/* Which tensor the operator of the call takes in place of a tensor of the model: the one that is made again, if there
 * is one, else the same. */
static int32_t tensor_again(const struct tflite_writer *w, const struct sw_fit_call *call, int32_t tensor) {
    uint32_t buffer = tflite_fit_buffer(&w->fit, call->op, tensor);
    return buffer != SW_NONE && tflite_fit_again(&w->fit, buffer) ? (int32_t)w->number[buffer] : tensor;
}

/* The arguments of an operator on a strip. Constants are those of the model, but for amounts of padding. */
static void run_arguments(struct tflite_writer *w, size_t number, const struct tflite_operator *op,
                          int32_t *arguments) {
    const struct sw_fit_program *program = w->fit.program;
    const struct sw_fit_call *call = &program->calls.items[number];
    for (uint32_t i = 0; i < op->inputs.count; i++) {
        bool done = false;
        arguments[i] = tflite_item(&w->fit.model, op->inputs, i);
        for (uint32_t k = 0; k < call->input_count; k++) {
            if (arguments[i] >= 0 && arguments[i] == tflite_fit_argument(&w->fit, op, k)) {
                arguments[i] = (int32_t)of_value(w, program->inputs.items[call->first_input + k]);
                done = true;
                break;
            }
        }
        if (i == 1 && w->operands[number][0] != SW_NONE) {
            arguments[i] = (int32_t)of_constant(w, w->operands[number][0]);
        } else if (!done && w->body && arguments[i] >= 0) {
            arguments[i] = (int32_t)tflite_body_entry(w, TFLITE_ENTRY_OLD, (uint32_t)arguments[i]);
        }
    }
}

/* The arguments and results of an operator that runs as it is, with the tensors that are made again in place of the old
 * ones. */
static bool put_as_is(struct tflite_writer *w, const struct sw_fit_call *call, const struct tflite_operator *op,
                      size_t inputs, size_t outputs) {
    const struct tflite_list lists[] = {op->inputs, op->outputs};
    const size_t places[] = {inputs, outputs};
    for (int l = 0; l < 2; l++) {
        int32_t *arguments = sw_arena_new(&w->fit.model.arena, (size_t)lists[l].count + 1, sizeof *arguments);
        if (!arguments) {
            return sw_fail_memory(w->fit.error);
        }
        for (uint32_t i = 0; i < lists[l].count; i++) {
            arguments[i] = tensor_again(w, call, tflite_item(&w->fit.model, lists[l], i));
        }
        tflite_fit_arguments(w->front.sink, places[l], arguments, lists[l].count);
    }
    return true;
}

enum { UNKNOWN_FIELD = TFLITE_NEW + 1 };
static const unsigned char operator_fields[OP_FIELDS] = {
    TFLITE_NUMBER,    TFLITE_NEW,       TFLITE_NEW,    TFLITE_BYTE,   TFLITE_NEW,  TFLITE_REFERENCE, TFLITE_BYTE,
    TFLITE_REFERENCE, TFLITE_REFERENCE, UNKNOWN_FIELD, UNKNOWN_FIELD, TFLITE_BYTE, TFLITE_REFERENCE, TFLITE_NUMBER};

/* A copy of an operator, with other arguments and results: an operator on a strip, or one that runs as it is and takes
 * tensors that are made again. An operator that no longer pads by itself has new options, too. */
static bool put_run_copy(struct tflite_writer *w, size_t at, size_t number) {
    static const bool fresh[OP_FIELDS] = {[OP_INPUTS] = true, [OP_OUTPUTS] = true};
    const struct sw_fit_call *call = &w->fit.program->calls.items[number];
    const struct tflite_operator *op = tflite_fit_operator_of(&w->fit, call);
    struct sw_flat old, options;
    bool same, as_is = call->act == SW_FIT_AS_IS;
    size_t places[OP_FIELDS];
    if (!sw_flat_at(&w->fit.model.root, op->at, &old) || !sw_flat_table(&old, OP_OPTIONS, &options) ||
        !tflite_fit_pads(&w->fit, op, &same)) {
        return false;
    }
    for (unsigned f = 0; f < old.fields; f++) {
        if (sw_flat_place(&old, f) && (f >= OP_FIELDS || operator_fields[f] == UNKNOWN_FIELD)) {
            return tflite_refuse(w->fit.error, "field %u of an operator is not known: it cannot be written in strips",
                                 f);
        }
    }
    if (!tflite_front_copy(&w->front, at, &old, operator_fields, OP_FIELDS, fresh, places)) {
        return false;
    }
    if (sw_flat_place(&old, OP_OPTIONS) &&
        !(same && !call->same && !as_is ? share_valid(w, places[OP_OPTIONS], op->code, &options)
                                        : tflite_front_link(&w->front, places[OP_OPTIONS], options.at))) {
        return false;
    }
    if (as_is) {
        return put_as_is(w, call, op, places[OP_INPUTS], places[OP_OUTPUTS]);
    }
    const int32_t result = (int32_t)of_value(w, call->output);
    int32_t *arguments = sw_arena_new(&w->fit.model.arena, (size_t)op->inputs.count + 1, sizeof *arguments);
    if (!arguments) {
        return sw_fail_memory(w->fit.error);
    }
    run_arguments(w, number, op, arguments);
    tflite_fit_arguments(w->front.sink, places[OP_INPUTS], arguments, op->inputs.count);
    tflite_fit_arguments(w->front.sink, places[OP_OUTPUTS], &result, 1);
    return true;
}

bool tflite_fit_call(struct tflite_writer *w, size_t at, size_t number) {
    return tflite_code_is_new(&w->fit.program->calls.items[number]) ? add_fresh(w, at, number)
                                                                    : put_run_copy(w, at, number);
}

/* Is the call an operator of the first subgraph? A loop is one; the calls of its rounds are operators of its body. */
static bool is_first_operator(const struct tflite_writer *w, const struct sw_fit_call *call) {
    return tflite_fit_operator_of(&w->fit, call) && (call->rounds == 0 || call->act == SW_FIT_LOOP);
}

static bool put_first_operators(struct tflite_writer *w, size_t reference) {
    const struct sw_fit_program *program = w->fit.program;
    uint32_t count = 0;
    for (size_t c = 0; c < program->calls.count; c++) {
        count += is_first_operator(w, &program->calls.items[c]);
    }
    size_t at = tflite_references(w->front.sink, reference, count);
    for (size_t c = 0; c < program->calls.count; c++) {
        const struct sw_fit_call *call = &program->calls.items[c];
        if (!is_first_operator(w, call)) {
            continue;
        }
        bool linked = call->act == SW_FIT_AS_IS && !tflite_fit_touches_again(&w->fit, call);
        if (!(linked                     ? tflite_front_link(&w->front, at, tflite_fit_operator_of(&w->fit, call)->at)
              : call->act == SW_FIT_LOOP ? tflite_loop_operator(w, at, (uint32_t)c)
                                         : tflite_fit_call(w, at, c))) {
            return false;
        }
        at += 4;
    }
    return true;
}

/* ---- the first subgraph, and all of it ---- */

static bool add_graph(struct tflite_writer *w, size_t reference) {
    static const unsigned char kinds[GRAPH_FIELDS] = {TFLITE_NEW, TFLITE_REFERENCE, TFLITE_REFERENCE,
                                                      TFLITE_NEW, TFLITE_REFERENCE, TFLITE_NUMBER};
    struct sw_flat old;
    size_t places[GRAPH_FIELDS];
    if (!sw_flat_at(&w->fit.model.root, w->fit.model.subgraphs.items[0].at, &old)) {
        return false;
    }
    for (unsigned f = GRAPH_FIELDS; f < old.fields; f++) {
        if (sw_flat_place(&old, f)) {
            return tflite_refuse(w->fit.error,
                                 "the model was made by a newer schema: field %u of a subgraph is not known", f);
        }
    }
    if (!tflite_front_copy(&w->front, reference, &old, kinds, GRAPH_FIELDS, NULL, places)) {
        return false;
    }
    return put_first_tensors(w, places[GRAPH_TENSORS], &old) && put_first_operators(w, places[GRAPH_OPERATORS]);
}

/* The offset of a value: that of the value with bytes of its own in which it lies, and its place in that one. */
bool tflite_fit_offset(struct tflite_writer *w, uint32_t value, uint64_t *offset) {
    const struct sw_fit_program *program = w->fit.program;
    uint64_t at = 0, size = program->values.items[value].size;
    while (program->values.items[value].within != SW_NONE) {
        at += program->values.items[value].at;
        value = program->values.items[value].within;
    }
    const char *name = tflite_fit_name(w, value);
    if (!name) {
        return sw_fail_memory(w->fit.error);
    }
    if (!tflite_offset_of(w->layout, name, at + size, offset, w->fit.error)) {
        return false;
    }
    *offset += at;
    return (*offset % TFLITE_ALIGNMENT == 0 && *offset + size <= INT32_MAX) ||
           tflite_refuse(w->fit.error,
                         "a part of %.200s lies at %" PRIu64
                         ", but TensorFlow Lite Micro wants multiples of %d below 2^31",
                         name, *offset, TFLITE_ALIGNMENT);
}

/* Offsets of all tensors, one subgraph behind the other. */
static bool find_strip_offsets(struct tflite_writer *w, int32_t *offsets) {
    const struct sw_fit_program *program = w->fit.program;
    const struct tflite_model *model = &w->fit.model;
    size_t first = w->tensor_count + w->fresh_count;
    const char **names = tflite_names(&w->fit.model);
    uint64_t offset;
    if (!names) {
        return sw_fail_memory(w->fit.error);
    }
    for (size_t i = 0; i < first + model->tensors.count - w->tensor_count + tflite_loops_tensors(w); i++) {
        offsets[i] = -1;
    }
    for (uint32_t v = 0; v < program->values.count; v++) {
        if (w->number[v] != SW_NONE) {
            if (!tflite_fit_offset(w, v, &offset)) {
                return false;
            }
            offsets[w->number[v]] = (int32_t)offset;
        }
    }
    for (size_t i = 0; i < model->tensors.count; i++) {
        bool other = i >= w->tensor_count, gone = !other && (w->whole[i] != SW_NONE || (w->dropped[i] && !w->used[i]));
        if (names[i] && !gone) {
            if (!tflite_offset_of(w->layout, names[i], model->tensors.items[i].size, &offset, w->fit.error)) {
                return false;
            }
            offsets[other ? first + i - w->tensor_count : i] = (int32_t)offset;
        }
    }
    for (size_t i = 0; i < w->handed.count; i++) {
        if (!tflite_entry_offset(w, &w->handed.items[i], &offsets[w->handed.items[i].number])) {
            return false;
        }
    }
    return tflite_loops_offsets(w, offsets + first + model->tensors.count - w->tensor_count);
}

static bool write_strip_file(struct tflite_writer *w) {
    struct tflite_model *model = &w->fit.model;
    size_t places[MODEL_FIELDS], graphs, buffers, metadata = 0, number = model->buffers.count + w->constants.count;
    size_t tensors = model->tensors.count + w->fresh_count + tflite_loops_tensors(w);
    struct sw_flat_list list;
    const bool fresh[MODEL_FIELDS] = {[MODEL_CODES] = w->new_codes > 0,
                                      [MODEL_SUBGRAPHS] = true,
                                      [MODEL_BUFFERS] = true,
                                      [MODEL_METADATA] = w->layout != NULL};
    int32_t *offsets = w->layout ? sw_arena_new(&model->arena, tensors + 1, sizeof *offsets) : NULL;
    w->buffers = model->buffers.count;
    if (w->layout && (!offsets ? !sw_fail_memory(w->fit.error) : !find_strip_offsets(w, offsets))) {
        return false;
    }
    if (!tflite_front_root(&w->front, fresh, places) ||
        (w->new_codes > 0 && !tflite_codes_add(w, places[MODEL_CODES])) ||
        !sw_flat_list(&model->root, MODEL_SUBGRAPHS, 4, &list) ||
        !tflite_front_list(&w->front, places[MODEL_BUFFERS], &model->buffers, SIZE_MAX,
                           w->constants.count + (w->layout != NULL), &buffers) ||
        (w->layout &&
         !tflite_front_list(&w->front, places[MODEL_METADATA], &model->metadata, SIZE_MAX, 1, &metadata))) {
        return false;
    }
    graphs = tflite_references(w->front.sink, places[MODEL_SUBGRAPHS], list.count + 2 * w->loops.count);
    for (size_t i = 1; i < list.count; i++) {
        if (!tflite_front_link(&w->front, graphs + 4 * i, model->subgraphs.items[i].at)) {
            return false;
        }
    }
    if (!add_graph(w, graphs) || !tflite_loops_write(w, graphs + 4 * list.count) || !put_constant_buffers(w, buffers)) {
        return false;
    }
    if (w->layout) {
        tflite_front_plan(&w->front, buffers + 4 * w->constants.count, metadata, number, offsets, tensors);
    }
    return tflite_front_end(&w->front);
}

/* ---- all of it ---- */

/* May it be written at all? New tensors are in buffer 0, which the format wants to be empty. */
static bool check_model(struct tflite_writer *w) {
    const struct tflite_model *model = &w->fit.model;
    struct sw_flat_list data = {.count = 0};
    if (model->plan.at) {
        return tflite_refuse(w->fit.error, "the model holds a plan (" TFLITE_PLAN
                                           ") for the operators that it has: fit the model without one");
    }
    if (w->layout && model->per_subgraph && model->subgraphs.count > 1) {
        return tflite_refuse(w->fit.error, "with offsets per subgraph (--offline-offsets per-subgraph) a model of "
                                           "several subgraphs is not written in strips");
    }
    if (model->buffers.count > 0 && !tflite_data(model, 0, &data)) {
        return false;
    }
    return (model->buffers.count > 0 && data.count == 0) ||
           tflite_refuse(w->fit.error,
                         "the model has no empty buffer 0, as the format wants, for the tensors that would be new");
}

static bool prepare_writer(struct tflite_writer *w) {
    struct sw_arena *arena = &w->fit.model.arena;
    const struct sw_fit_program *program = w->fit.program;
    w->tensor_count = w->fit.model.subgraphs.items[0].tensor_count;
    w->used = sw_arena_new(arena, (size_t)w->tensor_count + 1, sizeof *w->used);
    w->dropped = sw_arena_new(arena, (size_t)w->tensor_count + 1, sizeof *w->dropped);
    w->whole = sw_arena_new(arena, (size_t)w->tensor_count + 1, sizeof *w->whole);
    w->number = sw_arena_new(arena, program->values.count + 1, sizeof *w->number);
    w->operands = sw_arena_new(arena, program->calls.count + 1, sizeof *w->operands);
    if (!w->used || !w->dropped || !w->whole || !w->number || !w->operands) {
        return sw_fail_memory(w->fit.error);
    }
    for (uint32_t i = 0; i < w->tensor_count; i++) {
        w->whole[i] = SW_NONE;
    }
    for (size_t v = 0; v < program->values.count; v++) {
        w->number[v] = SW_NONE;
    }
    return tflite_fit_tensors(w) && number_all(w) && tflite_codes_find(w);
}

/* A damaged file may have one thing in two places, or two in one. So what was written of it is read back here, before
 * any other program gets it. */
static bool reads_back(const struct sw_sink *sink, const struct sw_load_options *load, struct sw_error *error) {
    const struct sw_input input = {.name = "the changed model", .bytes = sink->text.items, .length = sink->text.count};
    struct tflite_model model;
    struct sw_error own = {0};
    bool good = tflite_model_read(&model, &input, load && load->per_subgraph, &own);
    tflite_model_done(&model);
    return good || (own.code == SW_ERROR_MEMORY
                        ? sw_fail_memory(error)
                        : tflite_refuse(error, "the model is damaged: changed, it could not be read back"));
}

bool tflite_write_fit(const struct sw_input *input, const struct sw_load_options *load,
                      const struct sw_fit_program *program, const struct sw_layout *layout, struct sw_sink *sink,
                      struct sw_error *error) {
    struct sw_error own = {0};
    struct tflite_writer w = {.fit = {.program = program, .error = &own},
                              .layout = layout,
                              .front = {.model = &w.fit.model, .sink = sink, .error = &own}};
    bool good = tflite_model_read(&w.fit.model, input, load && load->per_subgraph, &own) && check_model(&w) &&
                tflite_fit_match(&w.fit) && tflite_fit_prove(&w.fit) && prepare_writer(&w) && write_strip_file(&w);
    good = good && (!sink->failed || sw_fail_memory(&own)) && reads_back(sink, load, &own);
    tflite_loops_done(&w);
    SW_ARRAY_DONE(&w.constants, &w.spare);
    tflite_front_done(&w.front);
    tflite_model_done(&w.fit.model);
    if (!good) {
        sink->text.count = 0;
        if (error) {
            *error = own;
        }
    }
    return good;
}
