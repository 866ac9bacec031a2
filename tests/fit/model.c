#include "fit/model.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The file, and whether anything that was asked for lies outside of it: then all further answers are 0. */
struct file {
    const unsigned char *bytes;
    size_t length;
    bool bad;
};

bool say(char *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, WHY, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- flatbuffers ---- */

static uint64_t number_at(struct file *file, size_t at, size_t width) {
    uint64_t value = 0;
    if (file->bad || at > file->length || width > file->length - at) {
        file->bad = true;
        return 0;
    }
    for (size_t i = 0; i < width; i++) {
        value |= (uint64_t)file->bytes[at + i] << (8 * i);
    }
    return value;
}

/* Where a field of a table stands; 0: it is not there. */
static size_t field_at(struct file *file, size_t table, unsigned field) {
    size_t vtable = table - (size_t)(int64_t)(int32_t)number_at(file, table, 4), own = 4 + 2 * (size_t)field;
    size_t length = (size_t)number_at(file, vtable, 2);
    size_t place = own + 2 <= length ? (size_t)number_at(file, vtable + own, 2) : 0;
    return place && !file->bad ? table + place : 0;
}

static uint64_t field_number(struct file *file, size_t table, unsigned field, size_t width, uint64_t missing) {
    size_t at = field_at(file, table, field);
    return at ? number_at(file, at, width) : missing;
}

/* What a field refers to; 0: it is not there. */
static size_t field_target(struct file *file, size_t table, unsigned field) {
    size_t at = field_at(file, table, field);
    return at ? at + (size_t)number_at(file, at, 4) : 0;
}

/* The first item of a list; 0: there is no list. */
static size_t field_list(struct file *file, size_t table, unsigned field, size_t width, uint32_t *count) {
    size_t at = field_target(file, table, field);
    *count = at ? (uint32_t)number_at(file, at, 4) : 0;
    if (file->bad || (*count && (at + 4 > file->length || *count > (file->length - at - 4) / width))) {
        file->bad = true;
        *count = 0;
    }
    return *count ? at + 4 : 0;
}

static size_t item_table(struct file *file, size_t list, size_t i) {
    return list + 4 * i + (size_t)number_at(file, list + 4 * i, 4);
}

static int32_t *integers(struct file *file, size_t table, unsigned field, uint32_t *count) {
    size_t list = field_list(file, table, field, 4, count);
    int32_t *result = calloc(*count + 1, sizeof *result);
    for (uint32_t i = 0; i < *count; i++) {
        result[i] = (int32_t)number_at(file, list + 4 * (size_t)i, 4);
    }
    return result;
}

static float as_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- tensors ---- */

bool tensor_measure(struct tensor *tensor) {
    tensor->elements = 1;
    for (int i = 0; i < tensor->rank; i++) {
        if (tensor->dims[i] < 1 || tensor->elements > (size_t)INT32_MAX / (size_t)tensor->dims[i]) {
            return false;
        }
        tensor->elements *= (size_t)tensor->dims[i];
    }
    tensor->bytes = tensor->elements * type_width(tensor->type);
    return tensor->bytes > 0;
}

const char *tensor_shape(const struct tensor *tensor, char text[64]) {
    int length = 0;
    text[0] = '\0';
    for (int i = 0; i < tensor->rank && length < 48; i++) {
        length += snprintf(text + length, 64 - (size_t)length, "%s%d", i ? "x" : "", (int)tensor->dims[i]);
    }
    return text;
}

int64_t tensor_integer(const struct tensor *tensor, size_t i) {
    if (tensor->type == INT64) {
        int64_t value;
        memcpy(&value, tensor->data + 8 * i, sizeof value);
        return value;
    }
    if (tensor->type == INT32) {
        int32_t value;
        memcpy(&value, tensor->data + 4 * i, sizeof value);
        return value;
    }
    return (int8_t)tensor->data[i];
}

struct reading {
    struct file file;
    size_t root, codes, buffers;
    uint32_t code_count, buffer_count;
    char *why;
};

static bool read_quantization(struct reading *r, size_t table, struct tensor *tensor) {
    uint32_t zeros;
    size_t scales = field_list(&r->file, table, 2, 4, &tensor->scale_count),
           list = field_list(&r->file, table, 3, 8, &zeros);
    tensor->scales = calloc(tensor->scale_count + 1, sizeof *tensor->scales);
    for (uint32_t i = 0; i < tensor->scale_count; i++) {
        tensor->scales[i] = as_float((uint32_t)number_at(&r->file, scales + 4 * (size_t)i, 4));
    }
    for (uint32_t i = 0; i < zeros; i++) {
        int64_t zero = (int64_t)number_at(&r->file, list + 8 * (size_t)i, 8);
        if (i > 0 && zero != tensor->zero) {
            return say(r->why, "%s has several zero points", tensor->name);
        }
        tensor->zero = zero;
    }
    tensor->quantized_axis = (int)field_number(&r->file, table, 6, 4, 0);
    return true;
}

static bool read_tensor(struct reading *r, size_t table, struct tensor *tensor) {
    uint32_t rank, name_length, length;
    size_t name = field_list(&r->file, table, 3, 1, &name_length);
    snprintf(tensor->name, sizeof tensor->name, "%.*s", name ? (int)(name_length < 63 ? name_length : 63) : 0,
             name ? (const char *)r->file.bytes + name : "");
    size_t shape = field_list(&r->file, table, 0, 4, &rank);
    tensor->rank = (int)rank;
    tensor->type = (int)field_number(&r->file, table, 1, 1, 0);
    tensor->variable = field_number(&r->file, table, 5, 1, 0) != 0;
    tensor->offset = -1;
    if (rank > RANK) {
        return say(r->why, "%s has %u dimensions", tensor->name, rank);
    }
    for (uint32_t i = 0; i < rank; i++) {
        tensor->dims[i] = (int32_t)number_at(&r->file, shape + 4 * (size_t)i, 4);
    }
    if (r->file.bad || !tensor_measure(tensor)) {
        char text[64];
        return say(r->why, "%s has no such type and shape: %d, %s", tensor->name, tensor->type,
                   tensor_shape(tensor, text));
    }
    size_t quantization = field_target(&r->file, table, 4);
    uint64_t buffer = field_number(&r->file, table, 2, 4, 0);
    if ((quantization && !read_quantization(r, quantization, tensor)) || buffer >= r->buffer_count) {
        return r->why[0] ? false : say(r->why, "%s has a buffer that is not there", tensor->name);
    }
    size_t data = field_list(&r->file, item_table(&r->file, r->buffers, buffer), 0, 1, &length);
    if (data && length != tensor->bytes) {
        return say(r->why, "%s has %u bytes in the file and %zu by its shape", tensor->name, length, tensor->bytes);
    }
    tensor->constant = data ? r->file.bytes + data : NULL;
    return !r->file.bad || say(r->why, "the file is damaged at %s", tensor->name);
}

/* ---- operators ---- */

static void read_options(struct reading *r, size_t table, const struct operator_kind *kind, struct options *options) {
    for (size_t i = 0; kind && i < kind->field_count; i++) {
        const struct option_field *field = &kind->fields[i];
        uint32_t value =
            (uint32_t)(table ? field_number(&r->file, table, field->field, field->width, (uint32_t)field->missing)
                             : (uint64_t)(uint32_t)field->missing);
        memcpy((char *)options + field->place, &value, sizeof value);
    }
}

static bool are_tensors(const struct graph *graph, const int32_t *list, uint32_t count, bool may_lack) {
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] < (may_lack ? -1 : 0) || list[i] >= (int64_t)graph->tensor_count) {
            return false;
        }
    }
    return true;
}

static bool read_operation(struct reading *r, size_t table, const struct graph *graph, struct operation *op) {
    op->inputs = integers(&r->file, table, 1, &op->input_count);
    op->outputs = integers(&r->file, table, 2, &op->output_count);
    uint64_t index = field_number(&r->file, table, 0, 4, 0);
    if (r->file.bad || index >= r->code_count || !are_tensors(graph, op->inputs, op->input_count, true) ||
        !are_tensors(graph, op->outputs, op->output_count, false)) {
        return say(r->why, "an operator has a code or a tensor that is not there");
    }
    size_t code = item_table(&r->file, r->codes, index);
    int old = (int)field_number(&r->file, code, 0, 1, 0), new = (int)field_number(&r->file, code, 3, 4, 0);
    op->code = old > new ? old : new;
    read_options(r, field_target(&r->file, table, 4), operator_kind(op->code), &op->options);
    return !r->file.bad || say(r->why, "the file is damaged at an operator");
}

static bool read_graph(struct reading *r, size_t table, struct graph *graph) {
    uint32_t tensors, operations;
    size_t list = field_list(&r->file, table, 0, 4, &tensors);
    graph->tensors = calloc((size_t)tensors + 1, sizeof *graph->tensors);
    for (uint32_t i = 0; i < tensors; i++, graph->tensor_count++) {
        if (!read_tensor(r, item_table(&r->file, list, i), &graph->tensors[i])) {
            graph->tensor_count++;
            return false;
        }
    }
    graph->inputs = integers(&r->file, table, 1, &graph->input_count);
    graph->outputs = integers(&r->file, table, 2, &graph->output_count);
    if (!are_tensors(graph, graph->inputs, graph->input_count, false) ||
        !are_tensors(graph, graph->outputs, graph->output_count, false)) {
        return say(r->why, "a subgraph has an input or an output that is not there");
    }
    list = field_list(&r->file, table, 3, 4, &operations);
    graph->operations = calloc((size_t)operations + 1, sizeof *graph->operations);
    for (uint32_t i = 0; i < operations; i++) {
        graph->operation_count++;
        if (!read_operation(r, item_table(&r->file, list, i), graph, &graph->operations[i])) {
            return false;
        }
    }
    return !r->file.bad || say(r->why, "the file is damaged at a subgraph");
}

/* Version 0, one subgraph by name, the count of the tensors of all subgraphs, and an offset of each. */
static bool read_plan(struct reading *r, struct model *model) {
    static const char wanted[] = "OfflineMemoryAllocation";
    uint32_t count, length, bytes;
    size_t list = field_list(&r->file, r->root, 6, 4, &count), all = 0, next = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t entry = item_table(&r->file, list, i), name = field_list(&r->file, entry, 0, 1, &length);
        uint64_t buffer = field_number(&r->file, entry, 1, 4, 0);
        if (r->file.bad || length != sizeof wanted - 1 || memcmp(r->file.bytes + name, wanted, length) != 0 ||
            buffer >= r->buffer_count) {
            continue;
        }
        size_t data = field_list(&r->file, item_table(&r->file, r->buffers, buffer), 0, 1, &bytes);
        for (uint32_t g = 0; g < model->graph_count; g++) {
            all += model->graphs[g].tensor_count;
        }
        if (bytes < 12 || number_at(&r->file, data + 8, 4) != all || bytes != 12 + 4 * all) {
            return say(r->why, "the plan in the file is not one for %zu tensors", all);
        }
        for (uint32_t g = 0; g < model->graph_count; g++) {
            for (uint32_t t = 0; t < model->graphs[g].tensor_count; t++) {
                model->graphs[g].tensors[t].offset = (int32_t)number_at(&r->file, data + 12 + 4 * next++, 4);
            }
        }
        model->planned = true;
    }
    return !r->file.bad || say(r->why, "the file is damaged at its metadata");
}

bool model_read(struct model *model, const void *bytes, size_t length, char *why) {
    struct reading r = {.file = {bytes, length, false}, .why = why};
    *model = (struct model){0};
    why[0] = '\0';
    if (length < 8 || memcmp(r.file.bytes + 4, "TFL3", 4) != 0) {
        return say(why, "it is no .tflite file");
    }
    r.root = (size_t)number_at(&r.file, 0, 4);
    uint32_t graphs;
    r.codes = field_list(&r.file, r.root, 1, 4, &r.code_count);
    r.buffers = field_list(&r.file, r.root, 4, 4, &r.buffer_count);
    size_t list = field_list(&r.file, r.root, 2, 4, &graphs);
    model->graphs = calloc((size_t)graphs + 1, sizeof *model->graphs);
    for (uint32_t i = 0; i < graphs; i++) {
        model->graph_count++;
        if (!read_graph(&r, item_table(&r.file, list, i), &model->graphs[i])) {
            return false;
        }
    }
    return graphs > 0 ? read_plan(&r, model) : say(why, "it has no subgraph");
}

void model_done(struct model *model) {
    for (uint32_t g = 0; g < model->graph_count; g++) {
        struct graph *graph = &model->graphs[g];
        for (uint32_t i = 0; i < graph->tensor_count; i++) {
            free(graph->tensors[i].scales);
        }
        for (uint32_t i = 0; i < graph->operation_count; i++) {
            free(graph->operations[i].inputs);
            free(graph->operations[i].outputs);
        }
        free(graph->tensors);
        free(graph->operations);
        free(graph->inputs);
        free(graph->outputs);
    }
    free(model->graphs);
    *model = (struct model){0};
}
