#include "fit/interpreter.h"
#include "fit/kernels/kernels.h"

#include "base/hash.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGNMENT = 16, MOST_ARGUMENTS = 32, MOST_ROUNDS = 100000, DEEPEST = 4 };

struct running {
    struct model *model;
    struct run *run;
    char *why;
    unsigned char *arena;
};

void poison(unsigned char *bytes, size_t count, uint64_t seed) {
    uint64_t r = seed * 0x9e3779b97f4a7c15u + 77;
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (unsigned char)sw_random_below(&r, 256);
    }
}

void fill_input(struct tensor *tensor, uint64_t seed, uint32_t input) {
    uint64_t r = seed * 1000003 + input * 7919 + 1;
    for (size_t i = 0; i < tensor->bytes; i++) {
        tensor->data[i] = (unsigned char)sw_random_below(&r, 256);
    }
}

/* ---- memory ---- */

static void mark(bool *used, const int32_t *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] >= 0) {
            used[list[i]] = true;
        }
    }
}

/* Tensors that nothing touches get no memory. */
static bool *used_tensors(const struct graph *graph) {
    bool *used = calloc((size_t)graph->tensor_count + 1, sizeof *used);
    mark(used, graph->inputs, graph->input_count);
    mark(used, graph->outputs, graph->output_count);
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        mark(used, graph->operations[i].inputs, graph->operations[i].input_count);
        mark(used, graph->operations[i].outputs, graph->operations[i].output_count);
    }
    return used;
}

/* A variable without an offset lies outside of the arena, as everything does without one. */
static bool place_tensor(struct running *r, struct tensor *tensor) {
    bool placed = r->run->in_arena && !(tensor->variable && tensor->offset < 0);
    if (tensor->constant) {
        tensor->data =
            (unsigned char *)(uintptr_t)tensor->constant; /* kernels write to no constant: see run_operation */
        return true;
    }
    if (!placed) {
        tensor->data = malloc(tensor->bytes);
        poison(tensor->data, tensor->bytes, r->run->seed + tensor->bytes);
    } else if (tensor->offset < 0 || tensor->offset % ALIGNMENT != 0) {
        return say(r->why, "%s has no offset in the arena, or none of the alignment: %d", tensor->name,
                   (int)tensor->offset);
    }
    if (placed && (size_t)tensor->offset + tensor->bytes > r->run->arena_bytes) {
        r->run->arena_bytes = (size_t)tensor->offset + tensor->bytes;
    }
    if (tensor->variable && !placed) {
        memset(tensor->data, 0, tensor->bytes);
    }
    return true;
}

/* All of them; then the arena, which is as long as they say. */
static bool place_all(struct running *r) {
    bool good = true;
    for (uint32_t g = 0; g < r->model->graph_count; g++) {
        struct graph *graph = &r->model->graphs[g];
        bool *used = used_tensors(graph);
        for (uint32_t i = 0; good && i < graph->tensor_count; i++) {
            good = !used[i] || place_tensor(r, &graph->tensors[i]);
        }
        free(used);
    }
    if (!good || !r->run->in_arena) {
        return good;
    }
    r->arena = malloc(r->run->arena_bytes + 1);
    poison(r->arena, r->run->arena_bytes, r->run->seed);
    for (uint32_t g = 0; g < r->model->graph_count; g++) {
        for (uint32_t i = 0; i < r->model->graphs[g].tensor_count; i++) {
            struct tensor *tensor = &r->model->graphs[g].tensors[i];
            if (!tensor->data && tensor->offset >= 0 && (size_t)tensor->offset + tensor->bytes <= r->run->arena_bytes) {
                tensor->data = r->arena + tensor->offset;
            }
        }
    }
    return true;
}

static void release_all(struct running *r) {
    for (uint32_t g = 0; g < r->model->graph_count; g++) {
        for (uint32_t i = 0; i < r->model->graphs[g].tensor_count; i++) {
            struct tensor *tensor = &r->model->graphs[g].tensors[i];
            bool within = r->arena && tensor->data >= r->arena && tensor->data <= r->arena + r->run->arena_bytes;
            if (!tensor->constant && !within) {
                free(tensor->data);
            }
            tensor->data = NULL;
        }
    }
    free(r->arena);
}

/* ---- operators ---- */

static bool run_graph(struct running *, uint32_t number, int depth);

/* One tensor of a list into that of another, as a call of a subgraph hands them over. */
static bool hand_over(struct running *r, const struct graph *from, const int32_t *sources, const struct graph *to,
                      const int32_t *targets, uint32_t count) {
    struct call call = {.code = WHILE, .why = r->why};
    for (uint32_t i = 0; i < count; i++) {
        const struct tensor *source = &from->tensors[sources[i]], *target = &to->tensors[targets[i]];
        if (source->type != target->type || source->bytes != target->bytes || target->constant) {
            return refuse(&call, "%s is handed over as %s, which has another size", source->name, target->name);
        }
        if (!copy_bytes(&call, target->data, source->data, source->bytes)) {
            return false;
        }
    }
    return true;
}

static bool run_loop(struct running *r, const struct graph *graph, const struct operation *op, int depth) {
    struct call call = {.code = WHILE, .why = r->why};
    uint32_t condition = (uint32_t)op->options.condition, body = (uint32_t)op->options.body, count = op->input_count;
    if (depth >= DEEPEST || condition >= r->model->graph_count || body >= r->model->graph_count || condition == 0 ||
        body == 0) {
        return refuse(&call, "its subgraphs %u and %u are not there, or call one another", condition, body);
    }
    const struct graph *test = &r->model->graphs[condition], *round = &r->model->graphs[body];
    bool lacks = false;
    for (uint32_t i = 0; i < count; i++) {
        lacks |= op->inputs[i] < 0;
    }
    if (lacks || op->output_count != count || test->input_count != count || round->input_count != count ||
        round->output_count != count || test->output_count != 1 || test->tensors[test->outputs[0]].type != BOOL) {
        return refuse(&call, "its subgraphs have not its %u arguments and results", count);
    }
    if (!hand_over(r, graph, op->inputs, test, test->inputs, count) ||
        !hand_over(r, graph, op->inputs, graph, op->outputs, count) || !run_graph(r, condition, depth + 1)) {
        return false;
    }
    for (int i = 0; test->tensors[test->outputs[0]].data[0]; i++) {
        if (i == MOST_ROUNDS) {
            return refuse(&call, "it does not end in %d rounds", MOST_ROUNDS);
        }
        if (!hand_over(r, graph, op->outputs, round, round->inputs, count) || !run_graph(r, body, depth + 1) ||
            !hand_over(r, round, round->outputs, graph, op->outputs, count) ||
            !hand_over(r, graph, op->outputs, test, test->inputs, count) || !run_graph(r, condition, depth + 1)) {
            return false;
        }
    }
    return true;
}

static bool run_operation(struct running *r, struct graph *graph, const struct operation *op, int depth) {
    struct tensor *inputs[MOST_ARGUMENTS];
    struct call call = {
        .code = op->code, .options = &op->options, .inputs = inputs, .input_count = op->input_count, .why = r->why};
    for (uint32_t i = 0; i < op->output_count; i++) {
        if (graph->tensors[op->outputs[i]].constant) {
            return refuse(&call, "it writes the constant %s", graph->tensors[op->outputs[i]].name);
        }
    }
    if (op->code == WHILE) {
        return run_loop(r, graph, op, depth);
    }
    if (op->output_count != 1 || op->input_count > MOST_ARGUMENTS) {
        return refuse(&call, "it has %u arguments and %u results", op->input_count, op->output_count);
    }
    for (uint32_t i = 0; i < op->input_count; i++) {
        inputs[i] = op->inputs[i] < 0 ? NULL : &graph->tensors[op->inputs[i]];
    }
    call.output = &graph->tensors[op->outputs[0]];
    return run_kernel(&call);
}

static bool run_graph(struct running *r, uint32_t number, int depth) {
    struct graph *graph = &r->model->graphs[number];
    for (uint32_t i = 0; i < graph->operation_count; i++) {
        if (!run_operation(r, graph, &graph->operations[i], depth)) {
            char text[WHY];
            snprintf(text, sizeof text, "%s", r->why);
            return say(r->why, "operator %u of subgraph %u: %.200s", i, number, text);
        }
    }
    return true;
}

static void collect(struct running *r) {
    const struct graph *graph = &r->model->graphs[0];
    struct run *run = r->run;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        run->output_bytes += graph->tensors[graph->outputs[i]].bytes;
    }
    run->outputs = malloc(run->output_bytes + 1);
    size_t at = 0;
    for (uint32_t i = 0; i < graph->output_count; i++) {
        const struct tensor *tensor = &graph->tensors[graph->outputs[i]];
        memcpy(run->outputs + at, tensor->data, tensor->bytes);
        at += tensor->bytes;
    }
}

bool model_run(struct model *model, struct run *run, char *why) {
    struct running r = {.model = model, .run = run, .why = why};
    struct graph *graph = &model->graphs[0];
    why[0] = '\0';
    run->outputs = NULL;
    run->output_bytes = run->arena_bytes = 0;
    bool good = (!run->in_arena || model->planned || say(why, "the file has no plan")) && place_all(&r);
    for (uint32_t i = 0; good && i < graph->input_count; i++) {
        struct tensor *input = &graph->tensors[graph->inputs[i]];
        good = !input->constant || say(why, "the input %s is a constant", input->name);
        if (good) {
            fill_input(input, run->seed, i);
        }
    }
    good = good && run_graph(&r, 0, 0);
    if (good) {
        collect(&r);
    }
    release_all(&r);
    return good;
}

bool run_file(const void *bytes, size_t length, struct run *run, char *why) {
    struct model model;
    bool good = model_read(&model, bytes, length, why) && model_run(&model, run, why);
    if (!good) {
        run->outputs = NULL;
    }
    model_done(&model);
    return good;
}

bool same_results(const struct bytes *original, const struct bytes *changed, uint64_t seed, char *why) {
    struct run before = {.seed = seed}, after = {.seed = seed, .in_arena = true};
    bool good = run_file(original->items, original->count, &before, why) &&
                run_file(changed->items, changed->count, &after, why);
    if (good && (before.output_bytes != after.output_bytes ||
                 memcmp(before.outputs, after.outputs, before.output_bytes) != 0)) {
        snprintf(why, WHY, "other results");
        good = false;
    }
    free(before.outputs);
    free(after.outputs);
    return good;
}
