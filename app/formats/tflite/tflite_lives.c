#include "formats/tflite/tflite_lives.h"
#include "base/minmax.h"

#include <stdlib.h>
#include <string.h>

enum { CONCATENATION = 2, SLICE = 65 };
enum { MOST_AXES = 8, INT32 = 2, INT64 = 4 };
enum { MOST_PARTS = 4096, MOST_COPIED = 400 }; /* no run needs so many, and pieces take time */

/* ---- lives ---- */

static void use_in(const struct tflite_model *model, uint32_t subgraph, struct tflite_list list, uint32_t from, uint32_t step,
                   struct tflite_life *lives) {
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
        if (step->operator == SW_NONE) {
            continue;
        }
        const struct tflite_operator *op = &model->operators.items[step->operator];
        if (step->kind != TFLITE_RUN) {
            use_in(model, step->subgraph, step->kind == TFLITE_BEGIN ? graph->inputs : graph->outputs, 0, i, lives);
        }
        if (step->kind == TFLITE_RUN || (step->kind == TFLITE_END && step->last)) {
            use_in(model, op->subgraph, op->inputs, by_rows && by_rows[step->operator], i, lives);
            use_in(model, op->subgraph, op->outputs, 0, i, lives);
        }
    }
    for (size_t i = 0; i < model->tensors.count; i++) {
        const struct tflite_tensor *tensor = &model->tensors.items[i];
        lives[i].first = tensor->input                            ? model->entry
                         : lives[i].first < 0 || !tensor->written ? 0
                                                                  : lives[i].first;
        lives[i].last = tensor->output || tensor->kept ? (int64_t)model->steps.count - 1 : SW_MAX(lives[i].last, lives[i].first);
    }
}

/* ---- copies of rows ---- */

struct finder {
    struct tflite_model *model;
    const int64_t *offsets;
    struct tflite_places *places;
    uint32_t *writers; /* of each tensor of the first subgraph: how many operators write it; 2 or more: it is not the same all the time */
    uint32_t *outer;   /* of each: the one within which it lies; SW_NONE */
    struct tflite_life *lives;
};

/* A planned tensor that one operator writes, or none: the same bytes from then on. */
static bool is_steady(const struct finder *finder, const struct tflite_tensor *tensor) {
    return tensor && tensor->subgraph == 0 && tensor->state == TFLITE_PLANNED && !tensor->kept && !tensor->idle && tensor->bits % 8 == 0 &&
           tensor->shape.count <= MOST_AXES && finder->writers[tensor->number] + tensor->input <= 1;
}

static const struct tflite_tensor *argument(const struct finder *finder, struct tflite_list list, uint32_t i) {
    return i < list.count ? tflite_tensor_at(finder->model, 0, tflite_item(finder->model, list, i)) : NULL;
}

/* The numbers of a constant, one for each axis. False: it is none, or the file is damaged. */
static bool read_numbers(const struct finder *finder, const struct tflite_tensor *tensor, uint32_t count, int64_t *numbers) {
    struct sw_flat buffer;
    struct sw_flat_list data;
    if (!tensor || tensor->state != TFLITE_CONSTANT || (tensor->type != INT32 && tensor->type != INT64) || tensor->elements != count ||
        !sw_flat_item_table(&finder->model->buffers, tensor->buffer, &buffer) || !sw_flat_list(&buffer, BUFFER_DATA, 1, &data) ||
        data.count != (size_t)count * tensor->bits / 8) {
        return false;
    }
    data.width = tensor->bits / 8;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = sw_flat_item(&data, i);
        numbers[i] = data.width == 4 ? (int32_t)number : (int64_t)number;
    }
    return true;
}

static bool same_axes(const struct tflite_model *model, const struct tflite_tensor *a, const struct tflite_tensor *b, uint32_t but) {
    for (uint32_t i = 0; i < a->shape.count && a->shape.count == b->shape.count; i++) {
        if (i != but && tflite_item(model, a->shape, i) != tflite_item(model, b->shape, i)) {
            return false;
        }
    }
    return a->shape.count == b->shape.count && a->type == b->type;
}

/* Are the bytes of a slice one behind the other in its argument? Where they begin. */
static bool find_slice(const struct finder *finder, const struct tflite_operator *op, uint64_t *at) {
    const struct tflite_model *model = finder->model;
    const struct tflite_tensor *from = argument(finder, op->inputs, 0), *to = argument(finder, op->outputs, 0);
    int64_t begin[MOST_AXES], size[MOST_AXES];
    uint64_t stride;
    bool several = false;
    if (op->code != SLICE || op->custom.length > 0 || op->inputs.count != 3 || op->outputs.count != 1 || !is_steady(finder, from) ||
        !is_steady(finder, to) || from == to || from->type != to->type || from->shape.count != to->shape.count ||
        !read_numbers(finder, argument(finder, op->inputs, 1), from->shape.count, begin) ||
        !read_numbers(finder, argument(finder, op->inputs, 2), from->shape.count, size)) {
        return false;
    }
    *at = 0;
    stride = from->size;
    for (uint32_t i = 0; i < from->shape.count; i++) {
        int32_t length = tflite_item(model, from->shape, i), made = tflite_item(model, to->shape, i);
        if (begin[i] < 0 || begin[i] > length || made > length - begin[i] || (size[i] != made && (size[i] != -1 || made != length - begin[i])) ||
            (several && made != length)) {
            return false;
        }
        several |= made > 1;
        stride /= (uint64_t)length;
        *at += (uint64_t)begin[i] * stride;
    }
    return true;
}

/* Have both the same scale and zero point, so that no number changes? */
static bool same_quantization(const struct finder *finder, const struct tflite_tensor *a, const struct tflite_tensor *b) {
    const struct tflite_tensor *both[] = {a, b};
    struct sw_flat_list lists[2][2];
    for (int i = 0; i < 2; i++) {
        struct sw_flat table, quantization;
        if (!sw_flat_at(&finder->model->root, both[i]->at, &table) || !sw_flat_table(&table, TENSOR_QUANTIZATION, &quantization) ||
            !sw_flat_list(&quantization, QUANTIZATION_SCALE, 4, &lists[i][0]) || !sw_flat_list(&quantization, QUANTIZATION_ZERO, 8, &lists[i][1])) {
            return false;
        }
    }
    for (int k = 0; k < 2; k++) {
        const struct sw_flat_list *x = &lists[0][k], *y = &lists[1][k];
        if (x->count != y->count ||
            (x->count > 0 && memcmp(finder->model->input->bytes + x->at, finder->model->input->bytes + y->at, x->count * x->width) != 0)) {
            return false;
        }
    }
    return true;
}

/* Does it put whole blocks of bytes one behind the other, as they are? */
static bool is_join(const struct finder *finder, const struct tflite_operator *op) {
    const struct tflite_model *model = finder->model;
    const struct tflite_tensor *to = argument(finder, op->outputs, 0);
    struct sw_flat table, options;
    uint64_t axis = 0, activation = 0, sum = 0;
    if (op->code != CONCATENATION || op->custom.length > 0 || op->outputs.count != 1 || !is_steady(finder, to) ||
        !sw_flat_at(&model->root, op->at, &table) || !sw_flat_table(&table, OP_OPTIONS, &options) || !sw_flat_number(&options, 0, 4, &axis) ||
        !sw_flat_number(&options, 1, 1, &activation)) {
        return false;
    }
    int64_t along = (int32_t)axis < 0 ? (int32_t)axis + (int64_t)to->shape.count : (int32_t)axis;
    if (activation != 0 || along < 0 || along >= to->shape.count) {
        return false;
    }
    for (uint32_t i = 0; i < (uint32_t)along; i++) {
        if (tflite_item(model, to->shape, i) != 1) {
            return false;
        }
    }
    for (uint32_t i = 0; i < op->inputs.count; i++) {
        const struct tflite_tensor *part = argument(finder, op->inputs, i);
        if (!part || part == to || !same_axes(model, part, to, (uint32_t)along) || !same_quantization(finder, part, to) || part->size > to->size - sum) {
            return false;
        }
        sum += part->size;
    }
    return sum == to->size;
}

/* Put `inner` within `outer`, where offsets have it at `at` in it. An input or a result of the model keeps bytes of its own. */
static bool place(struct finder *finder, const struct tflite_tensor *inner, const struct tflite_tensor *outer, uint64_t at) {
    const int64_t *offsets = finder->offsets;
    if (inner->input || inner->output || offsets[inner->number] < 0 || offsets[outer->number] < 0 ||
        (uint64_t)offsets[inner->number] != (uint64_t)offsets[outer->number] + at) {
        return false;
    }
    if (finder->outer[inner->number] != SW_NONE || finder->places->part_count == MOST_PARTS) {
        return false;
    }
    finder->outer[inner->number] = outer->number;
    finder->places->part_count++;
    return true;
}

static bool add_join(struct finder *finder, const struct tflite_operator *op) {
    const struct tflite_tensor *to = argument(finder, op->outputs, 0);
    uint64_t at = 0;
    bool still = true;
    for (uint32_t i = 0; i < op->inputs.count; i++) {
        const struct tflite_tensor *part = argument(finder, op->inputs, i);
        still &= is_steady(finder, part) && finder->writers[part->number] == 1 && place(finder, part, to, at);
        at += part->size;
    }
    return still;
}

static bool found_damage(const struct finder *finder) {
    return finder->model->error->code != SW_OK;
}

/* An operator of the first subgraph runs once. */
static bool find_copies(struct finder *finder) {
    struct tflite_model *model = finder->model;
    const struct tflite_subgraph *graph = &model->subgraphs.items[0];
    bool *made = sw_arena_new(&model->arena, (size_t)graph->tensor_count + 1, sizeof *made);
    if (!made) {
        return tflite_fail_memory(model);
    }
    for (uint32_t i = 0; i < graph->tensor_count; i++) {
        made[i] = finder->writers[i] == 0;
    }
    for (uint32_t n = graph->first_operator; n < graph->first_operator + graph->operator_count; n++) {
        const struct tflite_operator *op = &model->operators.items[n];
        uint64_t at;
        for (uint32_t i = 0; i < op->inputs.count; i++) {
            const struct tflite_tensor *tensor = argument(finder, op->inputs, i);
            if (tensor && !made[tensor->number]) {
                finder->writers[tensor->number] = 2; /* read before it is written: its bytes are others later on */
            }
        }
        if (find_slice(finder, op, &at)) {
            finder->places->by_rows[n] = true;
            finder->places->still[n] = place(finder, argument(finder, op->outputs, 0), argument(finder, op->inputs, 0), at);
        } else if (is_join(finder, op)) {
            finder->places->still[n] = add_join(finder, op);
        }
        for (uint32_t i = 0; i < op->outputs.count; i++) {
            const struct tflite_tensor *tensor = argument(finder, op->outputs, i);
            if (tensor) {
                made[tensor->number] = true;
            }
        }
        if (found_damage(finder)) {
            return false;
        }
    }
    return true;
}

/* ---- places ---- */

/* Parts lie within parts. A slice lies within what was made before it, a part of a concatenation within what is made behind it, which is no
 * slice: there are no circles. */
static void find_roots(struct finder *finder) {
    const struct tflite_model *model = finder->model;
    uint32_t *outer = finder->outer;
    for (uint32_t i = 0; i < model->tensors.count; i++) {
        uint32_t root = i, next;
        while (root < model->subgraphs.items[0].tensor_count && outer[root] != SW_NONE) {
            root = outer[root];
        }
        for (uint32_t at = i; at != root; at = next) { /* the way is shorter the next time */
            next = outer[at];
            outer[at] = root;
        }
        finder->places->parts[i] = (struct tflite_part){root, root == i ? 0 : (uint64_t)(finder->offsets[i] - finder->offsets[root])};
    }
}

static bool add_rectangle(struct finder *finder, uint32_t tensor, uint64_t lo, uint64_t hi, int64_t first, int64_t last) {
    const struct tflite_part *part = &finder->places->parts[tensor];
    struct tflite_rectangle rectangle = {part->root, {first, last, part->at + lo, part->at + hi}};
    return SW_PUSH(&finder->places->rectangles, rectangle) || tflite_fail_memory(finder->model);
}

static int by_root(const void *a, const void *b) {
    const struct tflite_rectangle *x = a, *y = b;
    const struct sw_piece_spec *p = &x->piece, *q = &y->piece;
    return x->root != y->root    ? (x->root < y->root ? -1 : 1)
           : p->lo != q->lo      ? (p->lo < q->lo ? -1 : 1)
           : p->first != q->first ? (p->first < q->first ? -1 : 1)
                                  : (p->last > q->last) - (p->last < q->last);
}

/* Tensors of which more is known than from when to when: others lie within them, they lie within others, or rows of them are read. Slices
 * that are copied read whole tensors where there are too many. */
static void mark_known(struct finder *finder, bool *known) {
    const struct tflite_model *model = finder->model;
    struct tflite_places *places = finder->places;
    size_t copied = 0;
    for (size_t n = 0; n < model->operators.count; n++) {
        copied += places->by_rows[n] && !places->still[n];
    }
    for (size_t n = 0; n < model->operators.count; n++) {
        places->by_rows[n] = places->by_rows[n] && (places->still[n] || copied <= MOST_COPIED);
        if (places->by_rows[n]) {
            known[argument(finder, model->operators.items[n].inputs, 0)->number] = true;
        }
    }
    for (uint32_t i = 0; i < model->subgraphs.items[0].tensor_count; i++) {
        known[i] = known[i] || places->parts[i].root != i;
        known[places->parts[i].root] = known[places->parts[i].root] || known[i];
    }
}

/* The bytes of a tensor are needed from when it is made: all of them up to the last that reads it as a whole, and those of a slice up
 * to that. */
static bool add_rectangles(struct finder *finder) {
    struct tflite_model *model = finder->model;
    bool *known = sw_arena_new(&model->arena, model->tensors.count + 1, sizeof *known), good = known != NULL;
    if (!good) {
        return tflite_fail_memory(model);
    }
    mark_known(finder, known);
    tflite_count_lives(model, finder->places->by_rows, finder->lives);
    for (uint32_t i = 0; good && i < model->subgraphs.items[0].tensor_count; i++) {
        good = !known[i] || add_rectangle(finder, i, 0, model->tensors.items[i].size, finder->lives[i].first, finder->lives[i].last);
    }
    for (uint32_t s = 0; good && s < model->steps.count; s++) {
        const struct tflite_step *step = &model->steps.items[s];
        uint64_t at;
        if (step->kind == TFLITE_RUN && finder->places->by_rows[step->operator]) {
            const struct tflite_operator *op = &model->operators.items[step->operator];
            uint32_t from = argument(finder, op->inputs, 0)->number;
            good = find_slice(finder, op, &at) &&
                   add_rectangle(finder, from, at, at + argument(finder, op->outputs, 0)->size, finder->lives[from].first, s);
        }
    }
    if (good && finder->places->rectangles.count > 0) {
        qsort(finder->places->rectangles.items, finder->places->rectangles.count, sizeof *finder->places->rectangles.items, by_root);
    }
    return good;
}

bool tflite_find_places(struct tflite_model *model, const int64_t *offsets, struct tflite_places *places) {
    struct finder finder = {.model = model, .offsets = offsets, .places = places};
    uint32_t count = model->subgraphs.items[0].tensor_count;
    places->parts = sw_arena_new(&model->arena, model->tensors.count + 1, sizeof *places->parts);
    places->by_rows = sw_arena_new(&model->arena, model->operators.count + 1, sizeof *places->by_rows);
    places->still = sw_arena_new(&model->arena, model->operators.count + 1, sizeof *places->still);
    finder.writers = sw_arena_new(&model->arena, (size_t)count + 1, sizeof *finder.writers);
    finder.outer = sw_arena_new(&model->arena, (size_t)count + 1, sizeof *finder.outer);
    finder.lives = sw_arena_new(&model->arena, model->tensors.count + 1, sizeof *finder.lives);
    if (!places->parts || !places->by_rows || !places->still || !finder.writers || !finder.outer || !finder.lives) {
        return tflite_fail_memory(model);
    }
    for (uint32_t i = 0; i < count; i++) {
        finder.outer[i] = SW_NONE;
    }
    const struct tflite_subgraph *graph = &model->subgraphs.items[0];
    for (uint32_t n = graph->first_operator; n < graph->first_operator + graph->operator_count; n++) {
        for (uint32_t i = 0; i < model->operators.items[n].outputs.count; i++) {
            const struct tflite_tensor *tensor = argument(&finder, model->operators.items[n].outputs, i);
            if (tensor) {
                finder.writers[tensor->number]++;
            }
        }
    }
    if (!find_copies(&finder)) {
        return false;
    }
    find_roots(&finder);
    return add_rectangles(&finder);
}

void tflite_places_done(struct tflite_places *places) {
    SW_ARRAY_DONE(&places->rectangles);
}
