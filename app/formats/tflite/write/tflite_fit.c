/* Writing a model with regions in strips: what is new of it.
 *
 * The list of the first subgraph's tensors keeps its order. Tensors that nothing touches any more, which are those inside of regions, give their places
 * to new ones, as the interpreter would find room for every tensor that is listed; what is left over stands at the end. Each new tensor
 * shares the quantization of the tensor that it has rows of. Each operator on a strip has the options of the model's operator, but for
 * SAME, which becomes VALID where the padding is an operator of its own. Constants are kept once, as each costs the interpreter bytes. */
#include "formats/tflite/write/tflite_fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "formats/tflite/kernels/kernels.h"
#include "formats/tflite/write/tflite_front.h"

enum { MOST_OPERANDS = 2 };
enum { CODE_VERSION = 2, OP_FIELDS = 14, TENSOR_HAS_RANK = 8, TENSOR_FIELDS = 9, GRAPH_FIELDS = 6, MODEL_SIGNATURES = 7 };
/* Of the schema's options. */
enum { OPTIONS_CONCATENATION = 10, OPTIONS_PAD = 22, OPTIONS_SLICE = 48 };

/* A new constant: 4 numbers, or two for each of 4 dimensions. */
struct constant {
    int32_t numbers[8];
    uint32_t count;
    uint32_t number; /* of its tensor */
};
/* A new operator code. */
struct code {
    uint32_t builtin, index;
};
struct writer {
    struct tflite_fit fit;
    const struct sw_layout *layout;
    struct tflite_front front;
    uint32_t tensor_count; /* of the first subgraph, old */
    bool *used;            /* of its tensors: it stays */
    bool *dropped;         /* an operator of a region touched it */
    uint32_t *number;      /* of each value: its tensor; SW_NONE: it has none */
    uint32_t *whole;       /* of each old tensor the value that it is; SW_NONE */
    uint32_t (*operands)[MOST_OPERANDS]; /* of each call: constants; SW_NONE */
    SW_ARRAY(struct constant) constants;
    SW_ARRAY(uint32_t) spare; /* old tensors that give way */
    size_t fresh_count;       /* tensors at the end */
    struct code codes[3];
    size_t new_codes, buffers; /* buffers: the first new one */
};

/* ---- which tensors stay ---- */

static void mark(struct writer *w, struct tflite_list list, bool *marks) {
    for (uint32_t i = 0; i < list.count; i++) {
        int32_t tensor = tflite_item(&w->fit.model, list, i);
        if (tensor >= 0 && (uint32_t)tensor < w->tensor_count) {
            marks[tensor] = true;
        }
    }
}

/* Signatures name tensors by number. */
static bool mark_signatures(struct writer *w) {
    struct sw_flat_list signatures;
    if (!sw_flat_list(&w->fit.model.root, MODEL_SIGNATURES, 4, &signatures)) {
        return false;
    }
    for (size_t i = 0; i < signatures.count; i++) {
        struct sw_flat signature, map;
        struct sw_flat_list maps;
        uint64_t subgraph = 0, tensor;
        if (!sw_flat_item_table(&signatures, i, &signature) || !sw_flat_number(&signature, 4, 4, &subgraph)) {
            return false;
        }
        for (unsigned f = 0; f < 2 && subgraph == 0; f++) {
            if (!sw_flat_list(&signature, f, 4, &maps)) {
                return false;
            }
            for (size_t k = 0; k < maps.count; k++) {
                tensor = 0;
                if (!sw_flat_item_table(&maps, k, &map) || !sw_flat_number(&map, 1, 4, &tensor)) {
                    return false;
                }
                if (tensor < w->tensor_count) {
                    w->used[tensor] = true;
                }
            }
        }
    }
    return true;
}

/* Weights and other constants of an operator stay; amounts of padding are new. */
static void mark_constants(struct writer *w, const struct tflite_operator *op) {
    for (uint32_t i = 0; i < op->inputs.count; i++) {
        int32_t tensor = tflite_item(&w->fit.model, op->inputs, i);
        bool amounts = i == 1 && (op->code == TFLITE_PAD || op->code == TFLITE_PADV2);
        if (tensor >= 0 && w->fit.model.tensors.items[tensor].state != TFLITE_PLANNED && !amounts) {
            w->used[tensor] = true;
        }
    }
}

static const struct tflite_operator *operator_of(const struct writer *w, const struct sw_fit_call *call) {
    uint32_t op = w->fit.operator_of[call->op];
    return op == SW_NONE ? NULL : &w->fit.model.operators.items[op];
}

/* What operators keep beside their arguments: tensors, too. */
static bool mark_operator(struct writer *w, const struct sw_fit_call *call, const struct tflite_operator *op) {
    struct sw_flat table;
    struct sw_flat_list list;
    for (int l = 0; l < 2; l++) {
        struct tflite_list arguments = l == 0 ? op->inputs : op->outputs;
        for (uint32_t i = 0; i < arguments.count; i++) {
            int32_t tensor = tflite_item(&w->fit.model, arguments, i);
            uint32_t buffer = tflite_fit_buffer(&w->fit, call->op, tensor);
            if (tensor >= 0 && (buffer == SW_NONE || !tflite_fit_again(&w->fit, buffer))) { /* of what is made again it has the new one */
                w->used[tensor] = true;
            }
        }
    }
    if (!sw_flat_at(&w->fit.model.root, op->at, &table) || !sw_flat_list(&table, 8, 4, &list)) {
        return false;
    }
    mark(w, (struct tflite_list){list.at, (uint32_t)list.count}, w->used);
    return true;
}

static void mark_value(struct writer *w, uint32_t value) {
    const struct sw_fit_value *v = &w->fit.program->values.items[value];
    if (v->whole && !tflite_fit_again(&w->fit, v->buffer)) {
        w->number[value] = w->fit.tensor_of[v->buffer];
        w->used[w->number[value]] = true;
        w->whole[w->number[value]] = value;
    }
}

static bool find_tensors(struct writer *w) {
    struct tflite_model *model = &w->fit.model;
    const struct sw_fit_program *program = w->fit.program;
    const struct tflite_subgraph *graph = &model->subgraphs.items[0];
    mark(w, graph->inputs, w->used);
    mark(w, graph->outputs, w->used);
    if (!mark_signatures(w)) {
        return false;
    }
    for (size_t c = 0; c < program->calls.count; c++) {
        const struct sw_fit_call *call = &program->calls.items[c];
        const struct tflite_operator *op = operator_of(w, call);
        if (call->act == SW_FIT_AS_IS) {
            if (op && !mark_operator(w, call, op)) {
                return false;
            }
            continue;
        }
        if (call->act == SW_FIT_RUN) {
            mark_constants(w, op);
            mark(w, op->inputs, w->dropped);
            mark(w, op->outputs, w->dropped);
        }
        for (uint32_t i = 0; i < call->input_count; i++) {
            mark_value(w, program->inputs.items[call->first_input + i]);
        }
        mark_value(w, call->output);
    }
    for (uint32_t i = 0; i < w->tensor_count; i++) {
        if (w->dropped[i] && !w->used[i] && !SW_PUSH(&w->spare, i)) {
            return sw_fail_memory(w->fit.error);
        }
    }
    return true;
}

/* ---- constants ---- */

static bool find_constant(struct writer *w, struct constant wanted, uint32_t *found) {
    for (uint32_t i = 0; i < w->constants.count; i++) {
        const struct constant *one = &w->constants.items[i];
        if (one->count == wanted.count && memcmp(one->numbers, wanted.numbers, sizeof wanted.numbers) == 0) {
            *found = i;
            return true;
        }
    }
    *found = (uint32_t)w->constants.count;
    return SW_PUSH(&w->constants, wanted) || sw_fail_memory(w->fit.error);
}

static bool is_pad(const struct writer *w, const struct sw_fit_call *call) {
    const struct tflite_operator *op = operator_of(w, call);
    return call->act == SW_FIT_PADDED || (call->act == SW_FIT_RUN && (op->code == TFLITE_PAD || op->code == TFLITE_PADV2));
}

static bool find_operands(struct writer *w, size_t number) {
    const struct sw_fit_program *program = w->fit.program;
    const struct sw_fit_call *call = &program->calls.items[number];
    uint32_t *operands = w->operands[number];
    operands[0] = operands[1] = SW_NONE;
    if (call->act == SW_FIT_SLICE) {
        const struct sw_fit_value *from = &program->values.items[program->inputs.items[call->first_input]], *to = &program->values.items[call->output];
        struct tflite_rows rows;
        tflite_fit_rows(&w->fit, call->output, &rows);
        struct constant begin = {.numbers = {0, (int32_t)(to->rows.lo - from->rows.lo), 0, 0}, .count = 4};
        struct constant size = {.numbers = {1, (int32_t)(to->rows.hi - to->rows.lo), (int32_t)(rows.width + to->left + to->right), (int32_t)rows.channels},
                                .count = 4};
        return find_constant(w, begin, &operands[0]) && find_constant(w, size, &operands[1]);
    }
    if (is_pad(w, call)) {
        struct constant amounts = {.numbers = {0, 0, (int32_t)call->above, (int32_t)call->below, (int32_t)call->left, (int32_t)call->right, 0, 0}, .count = 8};
        return find_constant(w, amounts, &operands[0]);
    }
    return true;
}

/* ---- numbers ---- */

static uint32_t next_number(struct writer *w, size_t *given) {
    size_t i = (*given)++;
    return i < w->spare.count ? w->spare.items[i] : w->tensor_count + (uint32_t)(i - w->spare.count);
}

static void number_value(struct writer *w, uint32_t value, size_t *given) {
    if (w->number[value] == SW_NONE) {
        w->number[value] = next_number(w, given);
    }
}

/* Results that are made again are new tensors. A whole value has the number of its buffer. */
static void number_results(struct writer *w, const struct sw_fit_call *call, size_t *given) {
    const struct sw_operator *op = sw_problem_operator(w->fit.program->problem, call->op);
    for (uint32_t i = 0; i < op->output_count; i++) {
        if (tflite_fit_again(&w->fit, op->outputs[i].buffer)) {
            number_value(w, op->outputs[i].buffer, given);
        }
    }
}

static bool number_all(struct writer *w) {
    const struct sw_fit_program *program = w->fit.program;
    size_t given = 0;
    for (size_t c = 0; c < program->calls.count; c++) {
        const struct sw_fit_call *call = &program->calls.items[c];
        if (!find_operands(w, c)) {
            return false;
        }
        if (call->act != SW_FIT_AS_IS) {
            number_value(w, call->output, &given);
        } else if (tflite_fit_touches_again(&w->fit, call)) {
            number_results(w, call, &given);
        }
    }
    for (size_t i = 0; i < w->constants.count; i++) {
        w->constants.items[i].number = next_number(w, &given);
    }
    w->fresh_count = given > w->spare.count ? given - w->spare.count : 0;
    return true;
}

/* ---- operator codes ---- */

/* The number of an operator code; versions of int8 are 2. */
static bool find_code(struct writer *w, uint32_t builtin, uint32_t *index) {
    const struct sw_flat_list *list = &w->fit.model.codes;
    for (size_t i = 0; i < w->new_codes; i++) {
        if (w->codes[i].builtin == builtin) {
            *index = w->codes[i].index;
            return true;
        }
    }
    for (size_t i = 0; i < list->count; i++) {
        struct sw_flat code;
        uint64_t old = 0, number = 0, version = 1;
        if (!sw_flat_item_table(list, i, &code) || !sw_flat_number(&code, CODE_OLD, 1, &old) || !sw_flat_number(&code, CODE_BUILTIN, 4, &number) ||
            !sw_flat_number(&code, CODE_VERSION, 4, &version)) {
            return false;
        }
        if ((old > number ? old : number) == builtin && version >= 2) {
            *index = (uint32_t)i;
            return true;
        }
    }
    *index = (uint32_t)(list->count + w->new_codes);
    w->codes[w->new_codes++] = (struct code){.builtin = builtin, .index = *index};
    return true;
}

static uint32_t code_of(const struct sw_fit_call *call) {
    return call->act == SW_FIT_SLICE ? TFLITE_SLICE : call->act == SW_FIT_JOIN ? TFLITE_CONCATENATION : TFLITE_PAD;
}

static bool is_fresh(const struct sw_fit_call *call) {
    return call->act == SW_FIT_SLICE || call->act == SW_FIT_JOIN || call->act == SW_FIT_PADDED;
}

static bool find_codes(struct writer *w) {
    const struct sw_fit_program *program = w->fit.program;
    uint32_t index;
    for (size_t c = 0; c < program->calls.count; c++) {
        const struct sw_fit_call *call = &program->calls.items[c];
        if (is_fresh(call) && !find_code(w, code_of(call), &index)) {
            return false;
        }
    }
    return true;
}

static bool add_codes(struct writer *w, size_t reference) {
    static const bool has[] = {true, false, true, true};
    struct sw_sink *sink = w->front.sink;
    size_t at;
    if (!tflite_front_list(&w->front, reference, &w->fit.model.codes, SIZE_MAX, w->new_codes, &at)) {
        return false;
    }
    for (size_t i = 0; i < w->new_codes; i++) {
        size_t table = tflite_table(&w->front, has, 4);
        tflite_poke(sink, at + 4 * i, table - (at + 4 * i), 4);
        tflite_poke(sink, table + 4, w->codes[i].builtin, 1);
        tflite_poke(sink, table + 8, 2, 4);
        tflite_poke(sink, table + 12, w->codes[i].builtin, 4);
    }
    return true;
}

/* ---- tensors ---- */

static void poke_number(unsigned char *bytes, uint64_t value, size_t width) {
    for (size_t i = 0; i < width; i++) {
        bytes[i] = (unsigned char)(value >> (8 * i));
    }
}

/* A count and as many numbers, for a reference at `at`. */
static bool share_numbers(struct writer *w, size_t at, const int32_t *numbers, uint32_t count) {
    unsigned char bytes[4 + 4 * 8];
    poke_number(bytes, count, 4);
    for (uint32_t i = 0; i < count; i++) {
        poke_number(bytes + 4 + 4 * i, (uint32_t)numbers[i], 4);
    }
    return tflite_front_share(&w->front, at, bytes, 4 + 4 * (size_t)count, 0, false);
}

/* A new tensor, for a reference at `at`. `like`: it has that one's quantization; NULL: none. */
static bool add_tensor(struct writer *w, size_t at, const int32_t *shape, uint32_t rank, unsigned type, uint64_t buffer, const char *name,
                       const struct tflite_tensor *like) {
    struct sw_sink *sink = w->front.sink;
    struct sw_flat old = {0};
    uint64_t ranked = 0;
    size_t quantization = 0;
    if (like && (!sw_flat_at(&w->fit.model.root, like->at, &old) || !sw_flat_target(&old, TENSOR_QUANTIZATION, &quantization) ||
                 !sw_flat_number(&old, TENSOR_HAS_RANK, 1, &ranked))) {
        return false;
    }
    const bool has[TENSOR_FIELDS] = {[TENSOR_SHAPE] = true,     [TENSOR_TYPE] = true,  [TENSOR_BUFFER] = true, [TENSOR_NAME] = name != NULL,
                                     [TENSOR_QUANTIZATION] = quantization != 0, [TENSOR_HAS_RANK] = ranked != 0};
    size_t table = tflite_table(&w->front, has, TENSOR_FIELDS), field = table + 4;
    tflite_poke(sink, at, table - at, 4);
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

/* The whole name of a value. NULL: no memory. */
static const char *name_of(struct writer *w, uint32_t value) {
    size_t size = (size_t)sw_fit_value_name(w->fit.program, value, NULL, 0) + 1;
    char *name = sw_arena_new(&w->fit.model.arena, size, 1);
    if (name) {
        sw_fit_value_name(w->fit.program, value, name, size);
    }
    return name;
}

/* Does a value need a tensor that the model has not? */
static bool is_new(const struct writer *w, uint32_t value) {
    const struct sw_fit_value *v = &w->fit.program->values.items[value];
    return w->number[value] != SW_NONE && (!v->whole || tflite_fit_again(&w->fit, v->buffer));
}

/* A whole tensor once more: of its own shape and type. */
static bool add_again(struct writer *w, size_t at, const struct tflite_tensor *tensor, const char *name) {
    enum { MOST_RANK = 8 };
    int32_t shape[MOST_RANK];
    if (tensor->shape.count > MOST_RANK) {
        return tflite_refuse(w->fit.error, "%.200s has more than %d dimensions", name, MOST_RANK);
    }
    for (uint32_t i = 0; i < tensor->shape.count; i++) {
        shape[i] = tflite_item(&w->fit.model, tensor->shape, i);
    }
    return add_tensor(w, at, shape, tensor->shape.count, tensor->type, 0, name, tensor);
}

static bool add_value(struct writer *w, size_t at, uint32_t value) {
    const struct sw_fit_value *v = &w->fit.program->values.items[value];
    const char *name = name_of(w, value);
    struct tflite_rows rows;
    if (!name || v->whole) {
        return !name ? sw_fail_memory(w->fit.error) : add_again(w, at, &w->fit.model.tensors.items[w->fit.tensor_of[v->buffer]], name);
    }
    tflite_fit_rows(&w->fit, value, &rows);
    const int32_t shape[] = {1, (int32_t)(v->rows.hi - v->rows.lo), (int32_t)(rows.width + v->left + v->right), (int32_t)rows.channels};
    return add_tensor(w, at, shape, 4, TFLITE_INT8, 0, name, rows.tensor);
}

static bool add_constant(struct writer *w, size_t at, size_t i) {
    const struct constant *one = &w->constants.items[i];
    const int32_t shape[] = {one->count == 8 ? 4 : (int32_t)one->count, 2}; /* amounts of padding: two for each dimension */
    return add_tensor(w, at, shape, one->count == 8 ? 2 : 1, TFLITE_INT32, w->buffers + i, NULL, NULL);
}

static bool add_tensors(struct writer *w, size_t reference, const struct sw_flat *graph) {
    const struct sw_fit_program *program = w->fit.program;
    struct sw_sink *sink = w->front.sink;
    struct sw_flat_list old;
    tflite_pad(sink, 4);
    tflite_refer_here(sink, reference);
    if (!sw_flat_list(graph, GRAPH_TENSORS, 4, &old)) {
        return false;
    }
    tflite_put(sink, w->tensor_count + w->fresh_count, 4);
    size_t list = sink->text.count;
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
        fresh[w->constants.items[i].number] = true;
    }
    for (size_t i = 0; i < w->tensor_count + w->fresh_count; i++) {
        if (!fresh[i] && !tflite_front_link(&w->front, sink->text.count, w->fit.model.tensors.items[i].at)) {
            return false;
        }
        tflite_put(sink, 0, 4);
    }
    for (uint32_t v = 0; v < program->values.count; v++) {
        if (is_new(w, v) && !add_value(w, list + 4 * (size_t)w->number[v], v)) {
            return false;
        }
    }
    for (size_t i = 0; i < w->constants.count; i++) {
        if (!add_constant(w, list + 4 * (size_t)w->constants.items[i].number, i)) {
            return false;
        }
    }
    return true;
}

static bool add_buffers(struct writer *w, size_t at) {
    static const bool has[] = {true};
    for (size_t i = 0; i < w->constants.count; i++, at += 4) {
        const struct constant *one = &w->constants.items[i];
        unsigned char bytes[4 + 4 * 8];
        size_t table = tflite_table(&w->front, has, 1), length = 4 * (size_t)one->count;
        tflite_poke(w->front.sink, at, table - at, 4);
        poke_number(bytes, length, 4);
        for (uint32_t k = 0; k < one->count; k++) {
            poke_number(bytes + 4 + 4 * (size_t)k, (uint32_t)one->numbers[k], 4);
        }
        if (!tflite_front_share(&w->front, table + 4, bytes, 4 + length, 0, true)) {
            return false;
        }
    }
    return true;
}

/* ---- options ---- */

/* Numbers of a table, four bytes each where it has them, that several operators share. */
static bool share_table(struct writer *w, size_t at, const uint64_t *numbers, const bool *has, unsigned count) {
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
} options_of[] = {
    {TFLITE_CONV, 7, {1, 4, 4, 1, 4, 4, 1}},
    {TFLITE_DEPTHWISE_CONV, 7, {1, 4, 4, 4, 1, 4, 4}},
    {TFLITE_AVERAGE_POOL, 6, {1, 4, 4, 4, 4, 1}},
    {TFLITE_MAX_POOL, 6, {1, 4, 4, 4, 4, 1}},
};

/* The options of an operator, with VALID in place of SAME. */
static bool share_valid(struct writer *w, size_t at, uint32_t code, const struct sw_flat *options) {
    uint64_t numbers[7] = {0};
    bool has[7] = {false};
    size_t i = 0;
    while (options_of[i].code != code) {
        i++;
    }
    for (unsigned f = 0; f < options->fields; f++) {
        if (f >= options_of[i].count && sw_flat_place(options, f)) {
            return tflite_refuse(w->fit.error, "the model was made by a newer schema: field %u of an operator's options is not known", f);
        }
    }
    for (unsigned f = 0; f < options_of[i].count; f++) {
        has[f] = f == 0 || sw_flat_place(options, f);
        if (!sw_flat_number(options, f, options_of[i].widths[f], &numbers[f])) {
            return false;
        }
    }
    numbers[0] = 1;
    return share_table(w, at, numbers, has, options_of[i].count);
}

/* ---- operators ---- */

static void put_arguments(struct sw_sink *sink, size_t reference, const int32_t *arguments, uint32_t count) {
    tflite_pad(sink, 4);
    tflite_refer_here(sink, reference);
    tflite_put(sink, count, 4);
    for (uint32_t i = 0; i < count; i++) {
        tflite_put(sink, (uint32_t)arguments[i], 4);
    }
}

static void add_arguments(struct writer *w, size_t inputs, size_t outputs, const struct sw_fit_call *call, const int32_t *arguments, uint32_t count) {
    const int32_t result = (int32_t)w->number[call->output];
    put_arguments(w->front.sink, inputs, arguments, count);
    put_arguments(w->front.sink, outputs, &result, 1);
}

/* A slice, a join, or padding. */
static bool add_fresh(struct writer *w, size_t at, size_t number) {
    static const bool has[] = {true, true, true, true, true}, concatenation[] = {true};
    static const uint64_t axis[] = {1};
    const struct sw_fit_program *program = w->fit.program;
    const struct sw_fit_call *call = &program->calls.items[number];
    int32_t arguments[16];
    uint32_t count = 0, index, code = code_of(call);
    for (uint32_t i = 0; i < call->input_count; i++) {
        arguments[count++] = (int32_t)w->number[program->inputs.items[call->first_input + i]];
    }
    for (int i = 0; i < MOST_OPERANDS; i++) {
        if (w->operands[number][i] != SW_NONE) {
            arguments[count++] = (int32_t)w->constants.items[w->operands[number][i]].number;
        }
    }
    size_t table = tflite_table(&w->front, has, 5), fields = table + 4;
    tflite_poke(w->front.sink, at, table - at, 4);
    if (!find_code(w, code, &index)) {
        return false;
    }
    tflite_poke(w->front.sink, fields, index, 4);
    tflite_poke(w->front.sink, fields + 12,
                code == TFLITE_SLICE ? OPTIONS_SLICE : code == TFLITE_CONCATENATION ? OPTIONS_CONCATENATION : OPTIONS_PAD, 1);
    add_arguments(w, fields + 4, fields + 8, call, arguments, count);
    return share_table(w, fields + 16, axis, concatenation, code == TFLITE_CONCATENATION ? 1 : 0);
}

/* The tensor that an operator as it is has in the place of one of the model's. */
static int32_t tensor_again(struct writer *w, const struct sw_fit_call *call, int32_t tensor) {
    uint32_t buffer = tflite_fit_buffer(&w->fit, call->op, tensor);
    return buffer != SW_NONE && tflite_fit_again(&w->fit, buffer) ? (int32_t)w->number[buffer] : tensor;
}

/* The arguments of an operator on a strip: constants stay, amounts of padding are its own. */
static void run_arguments(struct writer *w, size_t number, const struct tflite_operator *op, int32_t *arguments) {
    const struct sw_fit_program *program = w->fit.program;
    const struct sw_fit_call *call = &program->calls.items[number];
    for (uint32_t i = 0; i < op->inputs.count; i++) {
        arguments[i] = tflite_item(&w->fit.model, op->inputs, i);
        for (uint32_t k = 0; k < call->input_count; k++) {
            if (arguments[i] >= 0 && arguments[i] == tflite_fit_argument(&w->fit, op, k)) {
                arguments[i] = (int32_t)w->number[program->inputs.items[call->first_input + k]];
                break;
            }
        }
        if (i == 1 && w->operands[number][0] != SW_NONE) {
            arguments[i] = (int32_t)w->constants.items[w->operands[number][0]].number;
        }
    }
}

/* Those of a whole operator that reads or makes what is made again. */
static bool add_as_is(struct writer *w, const struct sw_fit_call *call, const struct tflite_operator *op, size_t inputs, size_t outputs) {
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
        put_arguments(w->front.sink, places[l], arguments, lists[l].count);
    }
    return true;
}

/* What the fields of an operator are. */
enum field { NUMBER = 1, BYTE, REFERENCE, NEW, UNKNOWN };
static const unsigned char field_kinds[OP_FIELDS] = {NUMBER, NEW, NEW, BYTE, NEW, REFERENCE, BYTE, REFERENCE, REFERENCE, UNKNOWN, UNKNOWN, BYTE, REFERENCE, NUMBER};

/* An operator on a strip: a copy but for its arguments, and its options where it does not pad any more. */
static bool add_run(struct writer *w, size_t at, size_t number) {
    const bool as_is = w->fit.program->calls.items[number].act == SW_FIT_AS_IS;
    const struct sw_fit_call *call = &w->fit.program->calls.items[number];
    const struct tflite_operator *op = operator_of(w, call);
    struct sw_sink *sink = w->front.sink;
    struct sw_flat old, options;
    bool has[OP_FIELDS] = {false}, same;
    size_t places[OP_FIELDS] = {0}, target = 0;
    if (!sw_flat_at(&w->fit.model.root, op->at, &old) || !sw_flat_table(&old, OP_OPTIONS, &options) || !tflite_fit_pads(&w->fit, op, &same)) {
        return false;
    }
    for (unsigned f = 0; f < old.fields; f++) {
        if (sw_flat_place(&old, f) && (f >= OP_FIELDS || field_kinds[f] == UNKNOWN)) {
            return tflite_refuse(w->fit.error, "field %u of an operator is not known: it cannot be written in strips", f);
        }
    }
    for (unsigned f = 0; f < OP_FIELDS; f++) {
        has[f] = f == OP_INPUTS || f == OP_OUTPUTS || sw_flat_place(&old, f);
    }
    size_t table = tflite_table(&w->front, has, OP_FIELDS), place = table + 4;
    tflite_poke(sink, at, table - at, 4);
    for (unsigned f = 0; f < OP_FIELDS; f++) {
        uint64_t value = 0;
        places[f] = place;
        place += has[f] ? 4 : 0;
        if (!has[f] || field_kinds[f] == NEW) {
            continue;
        }
        if (field_kinds[f] == REFERENCE) {
            if (!sw_flat_target(&old, f, &target) || !tflite_front_link(&w->front, places[f], target)) {
                return false;
            }
            continue;
        }
        if (!sw_flat_number(&old, f, field_kinds[f] == BYTE ? 1 : 4, &value)) {
            return false;
        }
        tflite_poke(sink, places[f], value, 4);
    }
    if (has[OP_OPTIONS] && !(same && !call->same && !as_is ? share_valid(w, places[OP_OPTIONS], op->code, &options)
                                                 : tflite_front_link(&w->front, places[OP_OPTIONS], options.at))) {
        return false;
    }
    int32_t *arguments = sw_arena_new(&w->fit.model.arena, (size_t)op->inputs.count + 1, sizeof *arguments);
    if (!arguments) {
        return sw_fail_memory(w->fit.error);
    }
    if (as_is) {
        return add_as_is(w, call, op, places[OP_INPUTS], places[OP_OUTPUTS]);
    }
    run_arguments(w, number, op, arguments);
    add_arguments(w, places[OP_INPUTS], places[OP_OUTPUTS], call, arguments, op->inputs.count);
    return true;
}

static bool add_operators(struct writer *w, size_t reference) {
    const struct sw_fit_program *program = w->fit.program;
    struct sw_sink *sink = w->front.sink;
    uint32_t count = 0;
    for (size_t c = 0; c < program->calls.count; c++) {
        count += operator_of(w, &program->calls.items[c]) != NULL;
    }
    tflite_pad(sink, 4);
    tflite_refer_here(sink, reference);
    tflite_put(sink, count, 4);
    size_t at = sink->text.count;
    for (uint32_t i = 0; i < count; i++) {
        tflite_put(sink, 0, 4);
    }
    for (size_t c = 0; c < program->calls.count; c++) {
        const struct sw_fit_call *call = &program->calls.items[c];
        const struct tflite_operator *op = operator_of(w, call);
        if (!op) {
            continue;
        }
        bool linked = call->act == SW_FIT_AS_IS && !tflite_fit_touches_again(&w->fit, call);
        if (!(linked ? tflite_front_link(&w->front, at, op->at) : is_fresh(call) ? add_fresh(w, at, c) : add_run(w, at, c))) {
            return false;
        }
        at += 4;
    }
    return true;
}

/* ---- the first subgraph, and all of it ---- */

static bool add_graph(struct writer *w, size_t reference) {
    struct sw_sink *sink = w->front.sink;
    struct sw_flat old;
    bool has[GRAPH_FIELDS];
    size_t target, places[GRAPH_FIELDS];
    uint64_t number = 0;
    if (!sw_flat_at(&w->fit.model.root, w->fit.model.subgraphs.items[0].at, &old)) {
        return false;
    }
    for (unsigned f = GRAPH_FIELDS; f < old.fields; f++) {
        if (sw_flat_place(&old, f)) {
            return tflite_refuse(w->fit.error, "the model was made by a newer schema: field %u of a subgraph is not known", f);
        }
    }
    for (unsigned f = 0; f < GRAPH_FIELDS; f++) {
        has[f] = sw_flat_place(&old, f) != 0;
    }
    size_t table = tflite_table(&w->front, has, GRAPH_FIELDS), place = table + 4;
    tflite_poke(sink, reference, table - reference, 4);
    for (unsigned f = 0; f < GRAPH_FIELDS; f++) {
        places[f] = place;
        place += has[f] ? 4 : 0;
        if (!has[f] || f == GRAPH_TENSORS || f == GRAPH_OPERATORS) {
            continue;
        }
        if (f == GRAPH_FIELDS - 1) {
            if (!sw_flat_number(&old, f, 4, &number)) {
                return false;
            }
            tflite_poke(sink, places[f], number, 4);
        } else if (!sw_flat_target(&old, f, &target) || !tflite_front_link(&w->front, places[f], target)) {
            return false;
        }
    }
    return add_tensors(w, places[GRAPH_TENSORS], &old) && add_operators(w, places[GRAPH_OPERATORS]);
}

/* Where a value lies: in its place in what it lies within. */
static bool offset_of_value(struct writer *w, uint32_t value, uint64_t *offset) {
    const struct sw_fit_program *program = w->fit.program;
    uint64_t at = 0, size = program->values.items[value].size;
    while (program->values.items[value].within != SW_NONE) {
        at += program->values.items[value].at;
        value = program->values.items[value].within;
    }
    const char *name = name_of(w, value);
    if (!name) {
        return sw_fail_memory(w->fit.error);
    }
    if (!tflite_offset_of(w->layout, name, at + size, offset, w->fit.error)) {
        return false;
    }
    *offset += at;
    return (*offset % TFLITE_ALIGNMENT == 0 && *offset + size <= INT32_MAX) ||
           tflite_refuse(w->fit.error, "a part of %.200s lies at %" PRIu64 ", but TensorFlow Lite Micro wants multiples of %d below 2^31", name, *offset,
                         TFLITE_ALIGNMENT);
}

/* Offsets of all tensors, one subgraph behind the other. */
static bool find_offsets(struct writer *w, int32_t *offsets) {
    const struct sw_fit_program *program = w->fit.program;
    const struct tflite_model *model = &w->fit.model;
    size_t first = w->tensor_count + w->fresh_count;
    const char **names = tflite_names(&w->fit.model);
    uint64_t offset;
    if (!names) {
        return sw_fail_memory(w->fit.error);
    }
    for (size_t i = 0; i < first + model->tensors.count - w->tensor_count; i++) {
        offsets[i] = -1;
    }
    for (uint32_t v = 0; v < program->values.count; v++) {
        if (w->number[v] != SW_NONE) {
            if (!offset_of_value(w, v, &offset)) {
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
    return true;
}

static bool write_file(struct writer *w) {
    struct tflite_model *model = &w->fit.model;
    size_t places[MODEL_FIELDS], graphs, buffers, metadata = 0, number = model->buffers.count + w->constants.count;
    size_t tensors = model->tensors.count + w->fresh_count;
    struct sw_flat_list list;
    const bool fresh[MODEL_FIELDS] = {[MODEL_CODES] = w->new_codes > 0, [MODEL_SUBGRAPHS] = true, [MODEL_BUFFERS] = true,
                                      [MODEL_METADATA] = w->layout != NULL};
    int32_t *offsets = w->layout ? sw_arena_new(&model->arena, tensors + 1, sizeof *offsets) : NULL;
    w->buffers = model->buffers.count;
    if (w->layout && (!offsets ? !sw_fail_memory(w->fit.error) : !find_offsets(w, offsets))) {
        return false;
    }
    if (!tflite_front_root(&w->front, fresh, places) || (w->new_codes > 0 && !add_codes(w, places[MODEL_CODES])) ||
        !sw_flat_list(&model->root, MODEL_SUBGRAPHS, 4, &list) ||
        !tflite_front_list(&w->front, places[MODEL_BUFFERS], &model->buffers, SIZE_MAX, w->constants.count + (w->layout != NULL), &buffers) ||
        (w->layout && !tflite_front_list(&w->front, places[MODEL_METADATA], &model->metadata, SIZE_MAX, 1, &metadata))) {
        return false;
    }
    tflite_pad(w->front.sink, 4);
    tflite_refer_here(w->front.sink, places[MODEL_SUBGRAPHS]);
    tflite_put(w->front.sink, list.count, 4);
    graphs = w->front.sink->text.count;
    for (size_t i = 0; i < list.count; i++) {
        if (i > 0 && !tflite_front_link(&w->front, w->front.sink->text.count, model->subgraphs.items[i].at)) {
            return false;
        }
        tflite_put(w->front.sink, 0, 4);
    }
    if (!add_graph(w, graphs) || !add_buffers(w, buffers)) {
        return false;
    }
    if (w->layout) {
        tflite_front_plan(&w->front, buffers + 4 * w->constants.count, metadata, number, offsets, tensors);
    }
    return tflite_front_end(&w->front);
}

/* ---- all of it ---- */

/* May it be written at all? New tensors are in buffer 0, which the format wants to be empty. */
static bool check_model(struct writer *w) {
    const struct tflite_model *model = &w->fit.model;
    struct sw_flat buffer;
    struct sw_flat_list data = {.count = 0};
    if (model->plan.at) {
        return tflite_refuse(w->fit.error, "the model holds a plan (" TFLITE_PLAN ") for the operators that it has: fit the model without one");
    }
    if (w->layout && model->per_subgraph && model->subgraphs.count > 1) {
        return tflite_refuse(w->fit.error, "with offsets per subgraph (--offline-offsets per-subgraph) a model of several subgraphs is not written in strips");
    }
    if (model->buffers.count > 0 &&
        (!sw_flat_item_table(&model->buffers, 0, &buffer) || !sw_flat_list(&buffer, BUFFER_DATA, 1, &data))) {
        return false;
    }
    return (model->buffers.count > 0 && data.count == 0) ||
           tflite_refuse(w->fit.error, "the model has no empty buffer 0, as the format wants, for the tensors that would be new");
}

static bool prepare(struct writer *w) {
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
    return find_tensors(w) && number_all(w) && find_codes(w);
}

bool tflite_write_fit(const struct sw_input *input, const struct sw_load_options *load, const struct sw_fit_program *program, const struct sw_layout *layout,
                      struct sw_sink *sink, struct sw_error *error) {
    struct sw_error own = {0};
    struct writer w = {.fit = {.program = program, .error = &own}, .layout = layout, .front = {.model = &w.fit.model, .sink = sink, .error = &own}};
    bool good = tflite_model_read(&w.fit.model, input, load && load->per_subgraph, &own) && check_model(&w) && tflite_fit_match(&w.fit) &&
                tflite_fit_prove(&w.fit) && prepare(&w) && write_file(&w);
    good = good && (!sink->failed || sw_fail_memory(&own));
    SW_ARRAY_DONE(&w.constants);
    SW_ARRAY_DONE(&w.spare);
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
