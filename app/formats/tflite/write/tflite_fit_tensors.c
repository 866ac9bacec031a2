/* Writing a model in strips: which of the model's operators and tensors a program speaks of, and which tensors stay. */
#include "formats/tflite/write/tflite_fit_writer.h"

#include "formats/text/unique.h"

enum { MODEL_SIGNATURES = 7 };

/* ---- what the program is of ---- */

static bool is_first(const struct tflite_step *step) {
    return step->kind == TFLITE_RUN && step->subgraph == 0;
}

/* Steps go by their names, as the problem may have them in another order. */
bool tflite_fit_operators(struct tflite_writer *w) {
    struct tflite_model *model = &w->fit.model;
    const struct sw_problem *problem = w->fit.program->problem;
    uint32_t count = sw_problem_operator_count(problem);
    struct sw_unique names = {0};
    w->fit.operator_of = sw_arena_new(&model->arena, (size_t)count + 1, sizeof *w->fit.operator_of);
    bool memory = w->fit.operator_of && sw_unique_init(&names, model->steps.count), good = memory && count == model->steps.count;
    for (uint32_t i = 0; good && i < count; i++) {
        const struct tflite_step *step = &model->steps.items[i];
        const char *name = sw_unique_name(&names, &model->arena, step->name);
        uint32_t op = name ? sw_problem_find_operator(problem, name) : SW_NONE;
        memory = name != NULL;
        good = memory && op != SW_NONE;
        if (good) {
            w->fit.operator_of[op] = is_first(step) ? step->operator : SW_NONE;
        }
    }
    sw_unique_done(&names);
    return !memory ? sw_fail_memory(w->fit.error)
                   : good || tflite_refuse(w->fit.error, "the program is not one of this model: its operators are others");
}

bool tflite_fit_buffers(struct tflite_writer *w) {
    struct tflite_model *model = &w->fit.model;
    const struct sw_problem *problem = w->fit.program->problem;
    uint32_t buffers = sw_problem_buffer_count(problem);
    const char **names = tflite_names(model);
    w->fit.tensor_of = sw_arena_new(&model->arena, (size_t)buffers + 1, sizeof *w->fit.tensor_of);
    if (!names || !w->fit.tensor_of) {
        return sw_fail_memory(w->fit.error);
    }
    for (uint32_t b = 0; b < buffers; b++) {
        w->fit.tensor_of[b] = SW_NONE;
    }
    for (uint32_t i = 0; i < model->subgraphs.items[0].tensor_count; i++) {
        uint32_t buffer = names[i] ? sw_problem_find_buffer(problem, names[i]) : SW_NONE;
        if (names[i] && (buffer == SW_NONE || sw_problem_buffer(problem, buffer)->size != model->tensors.items[i].size)) {
            return tflite_refuse(w->fit.error, "the program is not one of this model: it has no %.200s of the same size", names[i]);
        }
        if (buffer != SW_NONE) {
            w->fit.tensor_of[buffer] = i;
        }
    }
    return true;
}

/* ---- which tensors stay ---- */

static void mark(struct tflite_writer *w, struct tflite_list list, bool *marks) {
    for (uint32_t i = 0; i < list.count; i++) {
        int32_t tensor = tflite_item(&w->fit.model, list, i);
        if (tensor >= 0 && (uint32_t)tensor < w->tensor_count) {
            marks[tensor] = true;
        }
    }
}

/* Signatures name tensors by number. */
static bool mark_signatures(struct tflite_writer *w) {
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
static void mark_constants(struct tflite_writer *w, const struct tflite_operator *op) {
    for (uint32_t i = 0; i < op->inputs.count; i++) {
        int32_t tensor = tflite_item(&w->fit.model, op->inputs, i);
        bool amounts = i == 1 && (op->code == TFLITE_PAD || op->code == TFLITE_PADV2);
        if (tensor >= 0 && w->fit.model.tensors.items[tensor].state != TFLITE_PLANNED && !amounts) {
            w->used[tensor] = true;
        }
    }
}

const struct tflite_operator *tflite_fit_operator_of(const struct tflite_writer *w, const struct sw_fit_call *call) {
    uint32_t op = w->fit.operator_of[call->op];
    return op == SW_NONE ? NULL : &w->fit.model.operators.items[op];
}

/* What operators keep beside their arguments: tensors, too. */
static bool mark_operator(struct tflite_writer *w, const struct tflite_operator *op) {
    struct sw_flat table;
    struct sw_flat_list list;
    mark(w, op->inputs, w->used);
    mark(w, op->outputs, w->used);
    if (!sw_flat_at(&w->fit.model.root, op->at, &table) || !sw_flat_list(&table, 8, 4, &list)) {
        return false;
    }
    mark(w, (struct tflite_list){list.at, (uint32_t)list.count}, w->used);
    return true;
}

static void mark_value(struct tflite_writer *w, uint32_t value) {
    const struct sw_fit_value *v = &w->fit.program->values.items[value];
    if (v->whole) {
        w->number[value] = w->fit.tensor_of[v->buffer];
        w->used[w->number[value]] = true;
        w->whole[w->number[value]] = value;
    }
}

bool tflite_fit_tensors(struct tflite_writer *w) {
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
        const struct tflite_operator *op = tflite_fit_operator_of(w, call);
        if (call->act == SW_FIT_AS_IS) {
            if (op && !mark_operator(w, op)) {
                return false;
            }
            continue;
        }
        if (call->act == SW_FIT_RUN) {
            mark_constants(w, op);
            mark(w, op->inputs, w->dropped);
            mark(w, op->outputs, w->dropped);
        }
        for (uint32_t i = 0; i < call->input_count && call->act != SW_FIT_NEXT; i++) {
            mark_value(w, program->inputs.items[call->first_input + i]);
        }
        if (call->act != SW_FIT_LOOP && call->act != SW_FIT_NEXT) {
            mark_value(w, call->output);
        }
    }
    for (uint32_t i = 0; i < w->tensor_count; i++) {
        if (w->dropped[i] && !w->used[i] && !SW_PUSH(&w->spare, i)) {
            return sw_fail_memory(w->fit.error);
        }
    }
    return true;
}
