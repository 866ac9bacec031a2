#include "formats/tflite/tflite_lives.h"
#include "base/minmax.h"

static void extend_lives(const struct tflite_model *model, uint32_t subgraph, struct tflite_list list, uint32_t from,
                         uint32_t step, struct tflite_life *lives) {
    for (uint32_t i = from; i < list.count; i++) {
        const struct tflite_tensor *tensor = tflite_tensor_at(model, subgraph, tflite_item(model, list, i));
        if (tensor) {
            struct tflite_life *life = &lives[tensor - model->tensors.items];
            life->first = life->first < 0 ? step : life->first;
            life->last = step;
        }
    }
}

void tflite_count_lives(const struct tflite_model *model, const bool *by_rows, struct tflite_life *lives) {
    for (size_t i = 0; i < model->tensors.count; i++) {
        lives[i] = (struct tflite_life){-1, 0};
    }
    for (uint32_t i = 0; i < model->steps.count; i++) {
        const struct tflite_step *step = &model->steps.items[i];
        const struct tflite_subgraph *graph = &model->subgraphs.items[step->subgraph];
        if (step->operator== SW_NONE) {
            continue;
        }
        const struct tflite_operator *op = &model->operators.items[step->operator];
        if (step->kind != TFLITE_RUN) {
            extend_lives(model, step->subgraph, step->kind == TFLITE_BEGIN ? graph->inputs : graph->outputs, 0, i,
                         lives);
        }
        if (step->kind == TFLITE_RUN || (step->kind == TFLITE_END && step->last)) {
            extend_lives(model, op->subgraph, op->inputs, by_rows && by_rows[step->operator], i, lives);
            extend_lives(model, op->subgraph, op->outputs, 0, i, lives);
        }
    }
    for (size_t i = 0; i < model->tensors.count; i++) {
        const struct tflite_tensor *tensor = &model->tensors.items[i];
        lives[i].first = tensor->input ? model->entry : lives[i].first < 0 || !tensor->written ? 0 : lives[i].first;
        lives[i].last =
            tensor->output || tensor->kept ? (int64_t)model->steps.count - 1 : SW_MAX(lives[i].last, lives[i].first);
    }
}
