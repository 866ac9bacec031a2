/* Writing a model in strips: which of its tensors stay, and which are replaced by new ones. */
#include "formats/tflite/write/tflite_fit_writer.h"

enum { MODEL_SIGNATURES = 7 };

static void mark_list(struct tflite_writer *w, struct tflite_list list, bool *marks) {
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

/* Weights and other constants of an operator on strips stay. Its amounts of padding do not: each strip has its own. */
static void mark_constants(struct tflite_writer *w, const struct tflite_operator *op) {
    for (uint32_t i = 0; i < op->inputs.count; i++) {
        int32_t tensor = tflite_item(&w->fit.model, op->inputs, i);
        bool amounts = i == 1 && (op->code == TFLITE_OP_pad || op->code == TFLITE_OP_padv2);
        if (tensor >= 0 && w->fit.model.tensors.items[tensor].state != TFLITE_PLANNED && !amounts) {
            w->used[tensor] = true;
        }
    }
}

/* The tensors of an operator that runs as it is stay. A tensor that the program makes again has a new number, and the
 * old one need not stay. */
static void mark_arguments(struct tflite_writer *w, const struct sw_fit_call *call, struct tflite_list list) {
    for (uint32_t i = 0; i < list.count; i++) {
        int32_t tensor = tflite_item(&w->fit.model, list, i);
        uint32_t buffer = tflite_fit_buffer(&w->fit, call->op, tensor);
        if (tensor >= 0 && (uint32_t)tensor < w->tensor_count &&
            !(buffer != SW_NONE && tflite_fit_again(&w->fit, buffer))) {
            w->used[tensor] = true;
        }
    }
}

/* The same, with the tensors that the operator lists as intermediates. */
static bool mark_operator(struct tflite_writer *w, const struct sw_fit_call *call, const struct tflite_operator *op) {
    struct sw_flat table;
    struct sw_flat_list list;
    mark_arguments(w, call, op->inputs);
    mark_arguments(w, call, op->outputs);
    if (!sw_flat_at(&w->fit.model.root, op->at, &table) || !sw_flat_list(&table, 8, 4, &list)) {
        return false;
    }
    mark_list(w, (struct tflite_list){list.at, (uint32_t)list.count}, w->used);
    return true;
}

static void mark_value(struct tflite_writer *w, uint32_t value) {
    const struct sw_fit_value *v = &w->fit.program->values.items[value];
    if (v->whole && !tflite_fit_again(&w->fit, v->buffer)) {
        w->number[value] = w->fit.tensor_of[v->buffer];
        w->used[w->number[value]] = true;
        w->whole[w->number[value]] = value;
    }
}

bool tflite_fit_tensors(struct tflite_writer *w) {
    struct tflite_model *model = &w->fit.model;
    const struct sw_fit_program *program = w->fit.program;
    const struct tflite_subgraph *graph = &model->subgraphs.items[0];
    mark_list(w, graph->inputs, w->used);
    mark_list(w, graph->outputs, w->used);
    if (!mark_signatures(w)) {
        return false;
    }
    for (size_t c = 0; c < program->calls.count; c++) {
        const struct sw_fit_call *call = &program->calls.items[c];
        const struct tflite_operator *op = tflite_fit_operator_of(&w->fit, call);
        if (call->act == SW_FIT_AS_IS) {
            if (op && !mark_operator(w, call, op)) {
                return false;
            }
            continue;
        }
        if (call->act == SW_FIT_RUN) {
            mark_constants(w, op);
            mark_list(w, op->inputs, w->dropped);
            mark_list(w, op->outputs, w->dropped);
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
