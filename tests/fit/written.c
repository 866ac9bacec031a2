/* A flatbuffer from front to back: a table is there before what it refers to. Fields of tables take four bytes each,
 * however short. */
#include "fit/written.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the model ---- */

static void too_many(const char *what) {
    fprintf(stderr, "a test's model has too many %s\n", what);
    abort();
}

int add_tensor(struct written *w, int type, int rank, const int32_t *dims, float scale, int zero) {
    if (w->tensor_count == MOST_TENSORS) {
        too_many("tensors");
    }
    struct written_tensor *tensor = &w->tensors[w->tensor_count];
    *tensor = (struct written_tensor){.type = type, .rank = rank, .graph = w->graph, .zero = zero, .offset = -1};
    snprintf(tensor->name, sizeof tensor->name, "t%d", w->tensor_count);
    tensor->bytes = type_width(type);
    for (int i = 0; i < rank; i++) {
        tensor->dims[i] = dims[i];
        tensor->bytes *= (size_t)dims[i];
    }
    if (scale > 0) {
        set_scales(w, w->tensor_count, &scale, 1, 0);
    }
    w->graph_count = w->graph >= w->graph_count ? w->graph + 1 : w->graph_count;
    return w->tensor_count++;
}

int add_constant(struct written *w, int type, int rank, const int32_t *dims, float scale, int zero, const void *data) {
    int number = add_tensor(w, type, rank, dims, scale, zero);
    struct written_tensor *tensor = &w->tensors[number];
    tensor->data = malloc(tensor->bytes);
    memcpy(tensor->data, data, tensor->bytes);
    return number;
}

void set_scales(struct written *w, int number, const float *scales, uint32_t count, int axis) {
    struct written_tensor *tensor = &w->tensors[number];
    free(tensor->scales);
    tensor->scales = malloc(count * sizeof *scales);
    memcpy(tensor->scales, scales, count * sizeof *scales);
    tensor->scale_count = count;
    tensor->quantized_axis = axis;
}

struct written_operation *add_operation(struct written *w, int code, const int *inputs, const int *outputs) {
    if (w->operation_count == MOST_OPERATIONS) {
        too_many("operators");
    }
    struct written_operation *op = &w->operations[w->operation_count++];
    *op = (struct written_operation){
        .code = code, .graph = w->graph, .options = {.stride_h = 1, .stride_w = 1, .dilation_h = 1, .dilation_w = 1}};
    for (; inputs[op->input_count] != LIST_END; op->input_count++) {
        op->inputs[op->input_count] = inputs[op->input_count];
    }
    for (; outputs[op->output_count] != LIST_END; op->output_count++) {
        op->outputs[op->output_count] = outputs[op->output_count];
    }
    return op;
}

void add_input(struct written *w, int tensor) {
    w->inputs[w->graph][w->input_counts[w->graph]++] = tensor;
}

void add_output(struct written *w, int tensor) {
    w->outputs[w->graph][w->output_counts[w->graph]++] = tensor;
}

void written_done(struct written *w) {
    for (int i = 0; i < w->tensor_count; i++) {
        free(w->tensors[i].scales);
        free(w->tensors[i].data);
    }
}

bool read_file(const char *path, struct bytes *bytes) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        return false;
    }
    fseek(file, 0, SEEK_END);
    bytes->count = (size_t)ftell(file);
    bytes->items = malloc(bytes->count + 1);
    rewind(file);
    bool good = fread(bytes->items, 1, bytes->count, file) == bytes->count;
    fclose(file);
    return good;
}

/* ---- the flatbuffer ---- */

static size_t grow(struct bytes *b, size_t count) {
    size_t at = b->count;
    if (at + count > b->capacity) {
        b->capacity = 2 * (at + count) + 1024;
        b->items = realloc(b->items, b->capacity);
    }
    memset(b->items + at, 0, count);
    b->count += count;
    return at;
}

static void put(struct bytes *b, size_t at, uint64_t value, size_t width) {
    for (size_t i = 0; i < width; i++) {
        b->items[at + i] = (unsigned char)(value >> (8 * i));
    }
}

/* Until the end is `rest` more than a multiple of `unit`. */
static void align(struct bytes *b, size_t unit, size_t rest) {
    while (b->count % unit != rest) {
        grow(b, 1);
    }
}

static size_t new_table(struct bytes *b, unsigned fields) {
    align(b, 4, 0);
    size_t vtable = grow(b, 4 + 2 * (size_t)fields);
    align(b, 4, 0);
    size_t table = grow(b, 4 + 4 * (size_t)fields);
    put(b, vtable, 4 + 2 * fields, 2);
    put(b, vtable + 2, 4 + 4 * fields, 2);
    put(b, table, table - vtable, 4);
    return table;
}

/* Where a field of a table stands; from now on it has it. */
static size_t own(struct bytes *b, size_t table, unsigned field) {
    size_t back = b->items[table] | (size_t)b->items[table + 1] << 8;
    put(b, table - back + 4 + 2 * field, 4 + 4 * field, 2);
    return table + 4 + 4 * field;
}

static void set(struct bytes *b, size_t table, unsigned field, uint64_t value) {
    put(b, own(b, table, field), value, 4);
}

static void refer(struct bytes *b, size_t at, size_t to) {
    put(b, at, to - at, 4);
}

/* A list that a field refers to; where its first item is. */
static size_t new_list(struct bytes *b, size_t table, unsigned field, size_t count, size_t width, size_t alignment) {
    align(b, alignment, alignment > 4 ? alignment - 4 : 0);
    size_t list = grow(b, 4 + count * width);
    put(b, list, count, 4);
    refer(b, own(b, table, field), list);
    return list + 4;
}

static void put_text(struct bytes *b, size_t table, unsigned field, const char *text) {
    size_t list = new_list(b, table, field, strlen(text), 1, 4);
    grow(b, 1);
    memcpy(b->items + list, text, strlen(text));
}

static void put_numbers(struct bytes *b, size_t table, unsigned field, const int32_t *numbers, size_t count) {
    size_t list = new_list(b, table, field, count, 4, 4);
    for (size_t i = 0; i < count; i++) {
        put(b, list + 4 * i, (uint32_t)numbers[i], 4);
    }
}

/* ---- parts of a model ---- */

static void put_quantization(struct bytes *b, size_t table, const struct written_tensor *tensor) {
    size_t quantization = new_table(b, 7);
    refer(b, own(b, table, 4), quantization);
    size_t list = new_list(b, quantization, 2, tensor->scale_count, 4, 4);
    memcpy(b->items + list, tensor->scales, 4 * tensor->scale_count);
    list = new_list(b, quantization, 3, tensor->scale_count, 8, 8);
    for (uint32_t i = 0; i < tensor->scale_count; i++) {
        put(b, list + 8 * (size_t)i, (uint64_t)tensor->zero, 8);
    }
    set(b, quantization, 6, (uint64_t)tensor->quantized_axis);
}

/* Buffer 0 is empty; tensor i of all has buffer i + 1, when it has data. */
static void put_tensor(struct bytes *b, size_t at, const struct written *w, int number) {
    const struct written_tensor *tensor = &w->tensors[number];
    size_t table = new_table(b, 8);
    refer(b, at, table);
    put_numbers(b, table, 0, tensor->dims, (size_t)tensor->rank);
    set(b, table, 1, (uint64_t)tensor->type);
    set(b, table, 2, (uint64_t)(tensor->data ? number + 1 : 0));
    put_text(b, table, 3, tensor->name);
    if (tensor->scale_count) {
        put_quantization(b, table, tensor);
    }
}

/* Its number in its own graph. */
static int32_t local(const struct written *w, int number) {
    int32_t result = 0;
    for (int i = 0; i < number; i++) {
        result += w->tensors[i].graph == w->tensors[number].graph;
    }
    return number < 0 ? NONE : result;
}

static void put_tensors(struct bytes *b, size_t table, unsigned field, const struct written *w, const int *list,
                        int count) {
    int32_t numbers[MOST_LISTED];
    for (int i = 0; i < count; i++) {
        numbers[i] = local(w, list[i]);
    }
    put_numbers(b, table, field, numbers, (size_t)count);
}

/* Each operator has a code of its own, by its number. */
static void put_operation(struct bytes *b, size_t at, const struct written *w, int number) {
    const struct written_operation *op = &w->operations[number];
    const struct operator_kind *kind = operator_kind(op->code);
    size_t table = new_table(b, 5);
    refer(b, at, table);
    set(b, table, 0, (uint64_t)number);
    put_tensors(b, table, 1, w, op->inputs, op->input_count);
    put_tensors(b, table, 2, w, op->outputs, op->output_count);
    if (kind && kind->options) {
        set(b, table, 3, kind->options);
        size_t options = new_table(b, 8);
        refer(b, own(b, table, 4), options);
        for (size_t i = 0; i < kind->field_count; i++) {
            uint32_t value;
            memcpy(&value, (const char *)&op->options + kind->fields[i].place, sizeof value);
            put(b, own(b, options, kind->fields[i].field), value, kind->fields[i].width);
        }
    }
}

static void put_graph(struct bytes *b, size_t at, const struct written *w, int graph) {
    size_t table = new_table(b, 5), tensors = 0, operations = 0;
    refer(b, at, table);
    for (int i = 0; i < w->tensor_count; i++) {
        tensors += w->tensors[i].graph == graph;
    }
    for (int i = 0; i < w->operation_count; i++) {
        operations += w->operations[i].graph == graph;
    }
    size_t next = new_list(b, table, 0, tensors, 4, 4);
    for (int i = 0; i < w->tensor_count; i++) {
        if (w->tensors[i].graph == graph) {
            put_tensor(b, next, w, i);
            next += 4;
        }
    }
    put_tensors(b, table, 1, w, w->inputs[graph], w->input_counts[graph]);
    put_tensors(b, table, 2, w, w->outputs[graph], w->output_counts[graph]);
    next = new_list(b, table, 3, operations, 4, 4);
    for (int i = 0; i < w->operation_count; i++) {
        if (w->operations[i].graph == graph) {
            put_operation(b, next, w, i);
            next += 4;
        }
    }
    put_text(b, table, 4, graph ? "loop" : "main");
}

static void put_codes(struct bytes *b, size_t model, const struct written *w) {
    size_t list = new_list(b, model, 1, (size_t)w->operation_count, 4, 4);
    for (int i = 0; i < w->operation_count; i++) {
        int code = w->operations[i].code;
        size_t table = new_table(b, 4);
        refer(b, list + 4 * (size_t)i, table);
        set(b, table, 0, (uint64_t)(code < 127 ? code : 127));
        set(b, table, 2, 1);
        set(b, table, 3, (uint64_t)code);
    }
}

static void put_plan(struct bytes *b, size_t buffer, const struct written *w) {
    size_t list = new_list(b, buffer, 0, 12 + 4 * (size_t)w->tensor_count, 1, 16);
    put(b, list + 8, (uint64_t)w->tensor_count, 4);
    put(b, list + 4, 1, 4);
    list += 12;
    for (int graph = 0; graph < w->graph_count; graph++) {
        for (int i = 0; i < w->tensor_count; i++) {
            if (w->tensors[i].graph == graph) {
                put(b, list, (uint32_t)w->tensors[i].offset, 4);
                list += 4;
            }
        }
    }
}

static void put_buffers(struct bytes *b, size_t model, const struct written *w) {
    size_t count = (size_t)w->tensor_count + 1, list = new_list(b, model, 4, count + w->planned, 4, 4);
    for (size_t i = 0; i < count + w->planned; i++) {
        size_t table = new_table(b, 1);
        refer(b, list + 4 * i, table);
        if (i == count) {
            put_plan(b, table, w);
        } else if (i > 0 && w->tensors[i - 1].data) {
            size_t data = new_list(b, table, 0, w->tensors[i - 1].bytes, 1, 16);
            memcpy(b->items + data, w->tensors[i - 1].data, w->tensors[i - 1].bytes);
        }
    }
    if (w->planned) {
        size_t metadata = new_list(b, model, 6, 1, 4, 4), table = new_table(b, 2);
        refer(b, metadata, table);
        put_text(b, table, 0, "OfflineMemoryAllocation");
        set(b, table, 1, count);
    }
}

void write_model(const struct written *w, struct bytes *b) {
    *b = (struct bytes){0};
    grow(b, 8);
    memcpy(b->items + 4, "TFL3", 4);
    size_t model = new_table(b, 7);
    refer(b, 0, model);
    set(b, model, 0, 3);
    put_codes(b, model, w);
    size_t graphs = new_list(b, model, 2, (size_t)w->graph_count, 4, 4);
    for (int i = 0; i < w->graph_count; i++) {
        put_graph(b, graphs + 4 * (size_t)i, w, i);
    }
    put_text(b, model, 3, "a model of stowage's tests");
    put_buffers(b, model, w);
}
