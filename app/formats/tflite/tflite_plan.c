/* The plan of a run, written into the TensorFlow Lite model it was made for.
 *
 * TensorFlow Lite Micro reads offsets from metadata: int32 version 0, subgraph 1, count of the
 * tensors of all subgraphs, then one offset each, -1 for "plan this one yourself". They stand one subgraph behind the
 * other; interpreters of before March 2023 give tensor i of every subgraph offset i (--offline-offsets per-subgraph). References in a
 * flatbuffer lead forward only, so what is new goes in front: a root with the old model's fields
 * but for the lists of buffers and metadata, then the old file as it is, its own root out of use.
 * Weights stay where they lie in it; positions that count from the beginning of the file are the
 * only bytes of it that change. */
#include "base/minmax.h"
#include "problem/change/whole_order.h"
#include "formats/tflite/kernels/kernels.h"
#include "formats/tflite/tflite_greedy.h"
#include "formats/tflite/tflite_model.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHIFT_UNIT 256 /* the old file moves by a multiple, so that all in it stays aligned */
#define LARGEST (SIZE_MAX < INT32_MAX ? SIZE_MAX : (size_t)INT32_MAX) /* of a flatbuffer */

struct plan {
    struct tflite_model model;
    const struct sw_result *result;
    struct sw_error *error;
    int32_t *offsets;      /* of all tensors, in the file's order */
    uint32_t placed, left; /* tensors with an offset, and planned ones that cannot have one */
    uint64_t
        head; /* where the placed ones end, sizes rounded up, and the workspaces that are known */
    uint64_t own_head; /* what the interpreter needs without a plan */
    bool *is_tensor; /* per buffer of the problem; the others are workspaces of kernels */
    bool *is_left;   /* per buffer: a tensor that cannot have an offset */
    uint32_t workspaces;
    struct sw_input before;  /* with --order: the file as it is; `in_order` is read in its place */
    struct sw_sink in_order;
};

static bool has_per_subgraph(const struct sw_result *result) {
    return result->load && result->load->per_subgraph;
}

static bool is_joined(const struct sw_result *result) {
    return result->load && result->load->join;
}

/* ---- offsets ---- */

static bool refuse(struct plan *plan, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static bool refuse(struct plan *plan, const char *format, ...) {
    char text[SW_MESSAGE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return sw_fail(plan->error, SW_ERROR_UNSUPPORTED, "%s", text);
}

/* Where a buffer, or part of one, lies all its life. */
static bool find_offset(struct plan *plan, const struct tflite_tensor *tensor, const char *name,
                        uint64_t *offset) {
    const struct sw_problem *problem = sw_layout_problem(plan->result->layout);
    uint32_t buffer = sw_problem_find_buffer(problem, name), member = SW_NONE;
    uint64_t lo = 0, size;
    if (buffer == SW_NONE) {
        member = sw_problem_find_member(problem, name);
        const struct sw_member *part =
            member == SW_NONE ? NULL : sw_problem_member(problem, member);
        buffer = part ? part->buffer : SW_NONE;
        lo = part ? part->lo : 0;
        size = part ? part->hi - part->lo : 0;
    } else {
        size = sw_problem_buffer(problem, buffer)->size;
    }
    if (buffer == SW_NONE || size < tensor->size) {
        return refuse(plan, "the plan is not one of this model: it has no room for %s", name);
    }
    struct sw_placement place, next;
    if (!sw_layout_placement(plan->result->layout, buffer, 0, &place)) {
        return refuse(plan, "%s has no place in the plan", name);
    }
    if (sw_layout_placement(plan->result->layout, buffer, 1, &next) || place.tier > 0) {
        return refuse(plan,
                      "%s moves or lies in another tier, but TensorFlow Lite Micro has one "
                      "arena, in which nothing moves",
                      name);
    }
    *offset = place.offset + lo;
    if (*offset % TFLITE_ALIGNMENT != 0 || *offset + size > INT32_MAX) {
        return refuse(plan,
                      "%s lies at %" PRIu64
                      ", but TensorFlow Lite Micro wants multiples of %d below 2^31",
                      name, *offset, TFLITE_ALIGNMENT);
    }
    return true;
}

/* Interpreters of before March 2023 give tensor i of every subgraph the same offset i. Where two would need
 * different ones neither gets any. */
static void settle(struct plan *plan, uint32_t number, const uint64_t *wanted) {
    const struct tflite_model *model = &plan->model;
    const struct tflite_subgraph *main = &model->subgraphs.items[0];
    uint64_t offset = UINT64_MAX;
    bool agreed = true;
    for (size_t g = 0; g < model->subgraphs.count; g++) {
        const struct tflite_subgraph *graph = &model->subgraphs.items[g];
        uint64_t here =
            number < graph->tensor_count ? wanted[graph->first_tensor + number] : UINT64_MAX;
        agreed &= offset == UINT64_MAX || here == UINT64_MAX || offset == here;
        offset = here == UINT64_MAX ? offset : here;
    }
    if (agreed && number < main->tensor_count && wanted[number] != UINT64_MAX) {
        plan->offsets[number] = (int32_t)offset;
    }
}

static void count_placed(struct plan *plan, const uint64_t *wanted) {
    const struct tflite_model *model = &plan->model;
    for (size_t i = 0; i < model->tensors.count; i++) {
        const struct tflite_tensor *tensor = &model->tensors.items[i];
        int32_t offset = plan->offsets[model->per_subgraph ? tensor->number : i];
        if (wanted[i] == UINT64_MAX) {
            continue;
        }
        plan->left += offset < 0;
        plan->placed += offset >= 0;
        uint64_t end = (uint64_t)offset + sw_align_up(tensor->size, TFLITE_ALIGNMENT);
        plan->head = offset >= 0 && end > plan->head ? end : plan->head;
    }
}

/* ---- workspaces and tensors without an offset, which the interpreter places itself ---- */

/* Buffers of the run; of those that an offset in the file can place, where the plan puts them when `planned`. */
static struct tflite_block *blocks_of(struct plan *plan, bool planned, uint32_t *count) {
    const struct sw_problem *problem = sw_layout_problem(plan->result->layout);
    *count = sw_problem_buffer_count(problem);
    struct tflite_block *blocks =
        sw_arena_new(&plan->model.arena, (size_t)*count + 1, sizeof *blocks);
    for (uint32_t b = 0; blocks && b < *count; b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        struct sw_placement place;
        bool placed = planned && plan->is_tensor[b] && !plan->is_left[b] &&
                      sw_layout_placement(plan->result->layout, b, 0, &place);
        blocks[b] = (struct tflite_block){.size = sw_align_up(buffer->size, TFLITE_ALIGNMENT),
                                          .first = buffer->first,
                                          .last = buffer->last,
                                          .placed = placed,
                                          .offset = placed ? place.offset : 0};
    }
    return blocks;
}

/* No plan in the file can place workspaces: the interpreter finds room for them around what has an offset, and for
 * tensors without one. The head ends where they do. And where it ends without a plan. */
static bool find_heads(struct plan *plan) {
    uint32_t count;
    struct tflite_block *blocks = blocks_of(plan, true, &count);
    for (uint32_t b = 0; b < count; b++) {
        plan->workspaces += !plan->is_tensor[b];
    }
    if (!blocks || !tflite_place_blocks(&plan->model.arena, blocks, count, &plan->head)) {
        return sw_fail_memory(plan->error);
    }
    if (plan->model.ethos) {
        return true; /* what shares bytes with another tensor is no buffer of the run */
    }
    blocks = blocks_of(plan, false, &count);
    return (blocks && tflite_place_blocks(&plan->model.arena, blocks, count, &plan->own_head)) ||
           sw_fail_memory(plan->error);
}

/* The buffer that a tensor is, or lies in, is none of a kernel; with its offset, or without. */
static void mark_tensor(struct plan *plan, const char *name, bool left) {
    const struct sw_problem *problem = sw_layout_problem(plan->result->layout);
    uint32_t buffer = sw_problem_find_buffer(problem, name),
             member = sw_problem_find_member(problem, name);
    buffer = buffer == SW_NONE && member != SW_NONE ? sw_problem_member(problem, member)->buffer
                                                    : buffer;
    if (buffer != SW_NONE) {
        plan->is_tensor[buffer] = true;
        plan->is_left[buffer] |= left;
    }
}

static bool find_offsets(struct plan *plan) {
    struct tflite_model *model = &plan->model;
    size_t count = model->tensors.count;
    const char **names = tflite_names(model);
    uint64_t *wanted = sw_arena_new(&model->arena, count + 1, sizeof *wanted);
    plan->offsets = sw_arena_new(&model->arena, count + 1, sizeof *plan->offsets);
    size_t buffers = (size_t)sw_problem_buffer_count(sw_layout_problem(plan->result->layout)) + 1;
    plan->is_tensor = sw_arena_new(&model->arena, buffers, sizeof *plan->is_tensor);
    plan->is_left = sw_arena_new(&model->arena, buffers, sizeof *plan->is_left);
    if (!names || !wanted || !plan->offsets || !plan->is_tensor || !plan->is_left) {
        return sw_fail_memory(plan->error);
    }
    for (size_t i = 0; i < count; i++) {
        wanted[i] = UINT64_MAX;
        plan->offsets[i] = -1;
        if (names[i] && !find_offset(plan, &model->tensors.items[i], names[i], &wanted[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < count && !model->per_subgraph; i++) {
        plan->offsets[i] = wanted[i] == UINT64_MAX ? -1 : (int32_t)wanted[i];
    }
    for (uint32_t i = 0; model->per_subgraph && i < model->subgraphs.items[0].tensor_count; i++) {
        settle(plan, i, wanted);
    }
    for (size_t i = 0; i < count; i++) {
        if (names[i]) {
            size_t number = model->per_subgraph ? model->tensors.items[i].number : i;
            mark_tensor(plan, names[i], plan->offsets[number] < 0);
        }
    }
    count_placed(plan, wanted);
    return find_heads(plan);
}

/* ---- the new front of the file ---- */

static void put(struct sw_sink *sink, uint64_t value, size_t width) {
    for (size_t i = 0; i < width; i++) {
        char byte = (char)(value >> (8 * i));
        sw_sink_add(sink, &byte, 1);
    }
}

static void pad(struct sw_sink *sink, size_t unit, size_t rest) {
    while (!sink->failed && sink->text.count % unit != rest) {
        put(sink, 0, 1);
    }
}

/* Write over bytes that are there. */
static void poke(struct sw_sink *sink, size_t at, uint64_t value, size_t width) {
    for (size_t i = 0; i < width && at + i < sink->text.count; i++) {
        sink->text.items[at + i] = (char)(value >> (8 * i));
    }
}

/* A reference at `at` to what comes next. */
static void refer_here(struct sw_sink *sink, size_t at) {
    poke(sink, at, sink->text.count - at, 4);
}

/* Fields of a table, four bytes each where it has them; where the table begins. */
static size_t add_table(struct sw_sink *sink, const bool *has, unsigned count) {
    pad(sink, 4, 0);
    size_t vtable = sink->text.count, used = 4;
    put(sink, 4 + 2 * count, 2);
    put(sink, 0, 2);
    for (unsigned i = 0; i < count; i++) {
        put(sink, has[i] ? used : 0, 2);
        used += has[i] ? 4 : 0;
    }
    pad(sink, 4, 0);
    size_t at = sink->text.count;
    poke(sink, vtable + 2, used, 2);
    put(sink, at - vtable, 4);
    for (size_t i = 4; i < used; i += 4) {
        put(sink, 0, 4);
    }
    return at;
}

/* A reference that leads into the old file: to be filled when it is known by how much that moves.
 */
struct link {
    size_t at, target;
};
struct front {
    struct plan *plan;
    struct sw_sink *sink;
    SW_ARRAY(struct link) links;
    size_t buffers, metadata; /* references to the lists that are new */
};

static bool link_old(struct front *front, size_t at, size_t target) {
    struct link link = {at, target};
    return SW_PUSH(&front->links, link) || sw_fail_memory(front->plan->error);
}

static bool add_root(struct front *front) {
    const struct sw_flat *old = &front->plan->model.root;
    bool has[MODEL_FIELDS] = {false};
    for (unsigned i = MODEL_FIELDS; i < old->fields; i++) {
        if (sw_flat_place(old, i)) {
            return refuse(front->plan,
                          "the model was made by a newer schema: its field %u is not known", i);
        }
    }
    for (unsigned i = 0; i < MODEL_FIELDS; i++) {
        has[i] = i == MODEL_BUFFERS || i == MODEL_METADATA || sw_flat_place(old, i) != 0;
    }
    size_t at = add_table(front->sink, has, MODEL_FIELDS), field = at + 4;
    poke(front->sink, 0, at, 4);
    for (unsigned i = 0; i < MODEL_FIELDS; i++) {
        uint64_t version = 0;
        size_t target = 0;
        if (!has[i]) {
            continue;
        }
        if (i == 0 && !sw_flat_number(old, i, 4, &version)) {
            return false;
        }
        if (i == 0) {
            poke(front->sink, field, version, 4);
        } else if (i == MODEL_BUFFERS) {
            front->buffers = field;
        } else if (i == MODEL_METADATA) {
            front->metadata = field;
        } else if (!sw_flat_target(old, i, &target) || !link_old(front, field, target)) {
            return false;
        }
        field += 4;
    }
    return true;
}

/* A list of the old tables but for one, and room for a new one; where that is. */
static bool add_list(struct front *front, size_t reference, const struct sw_flat_list *list,
                     size_t without, size_t *fresh) {
    pad(front->sink, 4, 0);
    refer_here(front->sink, reference);
    put(front->sink, list->count + 1 - (without < list->count), 4);
    for (size_t i = 0; i < list->count; i++) {
        struct sw_flat table;
        if (i == without) {
            continue;
        }
        if (!sw_flat_item_table(list, i, &table) ||
            !link_old(front, front->sink->text.count, table.at)) {
            return false;
        }
        put(front->sink, 0, 4);
    }
    *fresh = front->sink->text.count;
    put(front->sink, 0, 4);
    return true;
}

/* The entry of a plan that the file holds already. */
static bool find_plan(struct plan *plan, size_t *number) {
    const struct sw_flat_list *list = &plan->model.metadata;
    *number = list->count;
    for (size_t i = 0; i < list->count; i++) {
        struct sw_flat table;
        struct sw_flat_text name;
        if (!sw_flat_item_table(list, i, &table) || !sw_flat_text(&table, METADATA_NAME, &name)) {
            return false;
        }
        if (name.length == strlen(TFLITE_PLAN) &&
            memcmp(name.text, TFLITE_PLAN, name.length) == 0) {
            *number = i;
        }
    }
    return true;
}

static void add_plan(struct front *front, size_t buffer, size_t metadata) {
    static const bool both[] = {true, true};
    struct sw_sink *sink = front->sink;
    const struct tflite_model *model = &front->plan->model;
    size_t table = add_table(sink, both, 2);
    poke(sink, metadata, table - metadata, 4);
    poke(sink, table + 4 + 4, model->buffers.count, 4); /* the new buffer is the last */
    pad(sink, 4, 0);
    refer_here(sink, table + 4);
    put(sink, strlen(TFLITE_PLAN), 4);
    sw_sink_add(sink, TFLITE_PLAN, sizeof TFLITE_PLAN);
    table = add_table(sink, both, 1);
    poke(sink, buffer, table - buffer, 4);
    pad(sink, TFLITE_ALIGNMENT, TFLITE_ALIGNMENT - 4); /* the data behind their length */
    refer_here(sink, table + 4);
    put(sink, 4 * (3 + model->tensors.count), 4);
    put(sink, 0, 4);
    put(sink, 1, 4);
    put(sink, model->tensors.count, 4);
    for (size_t i = 0; i < model->tensors.count; i++) {
        put(sink, (uint32_t)front->plan->offsets[i], 4);
    }
}

/* Positions from the beginning of the file: buffers behind the flatbuffer, large custom options. */
static bool shift_positions(struct front *front, size_t shift) {
    const struct tflite_model *model = &front->plan->model;
    for (size_t i = 0; i < model->buffers.count + model->operators.count; i++) {
        struct sw_flat table = {0};
        uint64_t offset = 0;
        bool buffer = i < model->buffers.count;
        unsigned field = buffer ? BUFFER_OFFSET : OP_LARGE;
        if (buffer ? !sw_flat_item_table(&model->buffers, i, &table)
                   : !sw_flat_at(&model->root, model->operators.items[i - model->buffers.count].at,
                                 &table)) {
            return false;
        }
        if (!sw_flat_number(&table, field, 8, &offset)) {
            return false;
        }
        if (offset > 1) { /* 1 stands for "none" in some files */
            poke(front->sink, shift + sw_flat_place(&table, field), offset + shift, 8);
        }
    }
    return true;
}

static bool write_file(struct front *front) {
    struct sw_sink *sink = front->sink;
    const struct sw_input *input = front->plan->model.input;
    size_t old, buffer, metadata;
    put(sink, 0, 4);
    sw_sink_add(sink, "TFL3", 4);
    if (!find_plan(front->plan, &old) || !add_root(front) ||
        !add_list(front, front->buffers, &front->plan->model.buffers, SIZE_MAX, &buffer) ||
        !add_list(front, front->metadata, &front->plan->model.metadata, old, &metadata)) {
        return false;
    }
    add_plan(front, buffer, metadata);
    pad(sink, SHIFT_UNIT, 0);
    size_t shift = sink->text.count;
    if (shift > LARGEST || input->length > LARGEST - shift) {
        return refuse(front->plan, "with the plan the model would be larger than 2^31 bytes");
    }
    sw_sink_add(sink, input->bytes, input->length);
    for (size_t i = 0; i < front->links.count; i++) {
        const struct link *link = &front->links.items[i];
        poke(sink, link->at, shift + link->target - link->at, 4);
    }
    return shift_positions(front, shift) && (!sink->failed || sw_fail_memory(front->plan->error));
}

/* ---- opening the model again ---- */

/* Is the plan one for another order than the model has? */
static bool is_in_order(const struct sw_result *result) {
    return (result->load && result->load->order) ||
           (result->search && sw_search_problem(result->search) != sw_search_given(result->search));
}

/* The plan is one for the order of --order, or for that of a planner, so the model gets that first. */
static bool put_in_order(struct plan *plan, struct sw_input *input) {
    struct sw_load_options how = plan->result->load ? *plan->result->load : (struct sw_load_options){0};
    const struct sw_problem *ordered = sw_layout_problem(plan->result->layout);
    how.order = NULL;
    struct sw_problem *problem = sw_load_input(input, &how, plan->error);
    uint32_t count = problem ? sw_problem_operator_count(problem) : 0, *order = problem ? sw_problem_order_between(problem, ordered) : NULL;
    bool good = problem && (order || sw_fail_memory(plan->error)) &&
                tflite_write_order(input, has_per_subgraph(plan->result), true, order, count, &plan->in_order, plan->error);
    if (good) {
        plan->before = *input; /* closed in the end */
        *input = (struct sw_input){.name = plan->before.name, .bytes = plan->in_order.text.items, .length = plan->in_order.text.count};
    }
    SW_FREE(order, count);
    sw_problem_unref(problem);
    return good;
}

static bool open_model(struct plan *plan, struct sw_input *input) {
    const char *path = plan->result->source;
    *input = (struct sw_input){0};
    if (!path || strcmp(path, "-") == 0) {
        return refuse(plan, "a plan is written into the model it was made for, which must be given "
                            "as a file");
    }
    if (plan->result->base) {
        return refuse(plan, "offsets in a model count from the start of the arena: leave out "
                            "--base");
    }
    const struct sw_load_options *load = plan->result->load;
    if (!sw_input_open_array(path, load ? load->array : NULL, input, plan->error)) {
        return false;
    }
    if (!sw_format_tflite.detect(input)) {
        return refuse(plan,
                      "a plan is written into the model it was made for, and %s is no "
                      "TensorFlow Lite model",
                      path);
    }
    return (!is_in_order(plan->result) || put_in_order(plan, input)) &&
           tflite_model_read(&plan->model, input, has_per_subgraph(plan->result), plan->error) && find_offsets(plan);
}

static void close_model(struct plan *plan, struct sw_input *input) {
    tflite_model_done(&plan->model);
    sw_input_close(plan->before.bytes ? &plan->before : input);
    sw_sink_done(&plan->in_order);
}

/* A plan that saves nothing makes the firmware larger by its own bytes, and no arena smaller. */
static bool is_worth_it(struct plan *plan) {
    if (plan->result->even_if_larger || plan->own_head == 0 || plan->head < plan->own_head) {
        return true;
    }
    return sw_fail(
        plan->error, SW_ERROR_INFEASIBLE,
        "not smaller than the interpreter's own plan: nothing written. The head would be %" PRIu64
        " bytes, and is %" PRIu64 " without (--even-if-larger writes it all the same)",
        plan->head, plan->own_head);
}

bool sw_tflite_write_plan(const struct sw_result *result, struct sw_sink *sink,
                          struct sw_error *error) {
    struct plan plan = {.result = result, .error = error};
    struct front front = {.plan = &plan, .sink = sink};
    struct sw_input input;
    bool good = open_model(&plan, &input) && is_worth_it(&plan) && write_file(&front);
    SW_ARRAY_DONE(&front.links);
    close_model(&plan, &input);
    return good;
}

/* Which workspaces were counted. */
static void say_kernels(struct plan *plan, struct sw_sink *sink) {
    unsigned kernels = plan->result->load ? plan->result->load->kernels : SW_KERNELS_USUAL;
    if (is_joined(plan->result)) {
        return;
    }
    if (kernels == SW_KERNELS_NONE) {
        sw_sink_printf(sink, "workspaces of kernels may come on top: --kernels or --join LOG tell "
                             "which there are\n");
        return;
    }
    sw_sink_printf(sink,
                   plan->workspaces > 0 ? "the workspaces are what %s ask for\n"
                                        : "%s ask for no workspaces\n",
                   tflite_kernels_name(kernels));
    uint64_t unknown = 0;
    for (size_t i = 0; i < plan->model.operators.count; i++) {
        struct tflite_workspaces asked;
        unknown += tflite_kernel_workspaces(&plan->model, &plan->model.operators.items[i], kernels,
                                            false, &asked) &&
                   !asked.known;
    }
    if (unknown > 0) {
        sw_sink_printf(sink,
                       "workspaces of %" PRIu64
                       " operators may come on top: no rule tells them, --join LOG does\n",
                       unknown);
    }
}

bool sw_tflite_say_plan(const struct sw_result *result, struct sw_sink *sink,
                        struct sw_error *error) {
    struct plan plan = {.result = result, .error = error};
    struct sw_input input;
    bool good = open_model(&plan, &input);
    const struct tflite_model *model = &plan.model;
    if (good) {
        sw_sink_printf(sink,
                       TFLITE_PLAN ": %zu offsets; the arena's head is %" PRIu64
                                   " bytes for the %" PRIu32 " tensors placed",
                       model->tensors.count, plan.head, plan.placed);
        if (plan.left > 0) {
            sw_sink_printf(sink, ", %" PRIu32 " left to the interpreter", plan.left);
        }
        if (plan.workspaces > 0) {
            sw_sink_printf(
                sink, " and %" PRIu32 " workspaces, where the interpreter finds room for them\n",
                plan.workspaces);
        } else {
            sw_sink_printf(sink, "\n");
        }
        say_kernels(&plan, sink);
        if (plan.own_head > 0) {
            sw_sink_printf(
                sink, "the interpreter's own plan for the same takes %" PRIu64 " bytes%s\n",
                plan.own_head, plan.own_head <= plan.head ? ": this one saves nothing" : "");
        }
        if (model->subgraphs.count > 1) {
            sw_sink_printf(sink, "%s\n",
                           model->per_subgraph ? "tensor i of every subgraph has offset i: for "
                                                 "interpreters of before March 2023"
                                               : "the offsets of one subgraph stand behind those "
                                                 "of the other: for interpreters since March 2023");
        }
        if (plan.left > 0) {
            sw_sink_printf(sink,
                           "%" PRIu32 " tensors stay with the interpreter's own planner: it gives "
                           "tensors of one number the same offset in all subgraphs\n",
                           plan.left);
        }
        for (size_t i = 0; i < model->tensors.count; i++) {
            sw_sink_printf(sink, "%s%" PRId32, i % 12 ? ", " : i ? ",\n  " : "  ", plan.offsets[i]);
        }
        sw_sink_printf(sink, "\n");
    }
    close_model(&plan, &input);
    return good && (!sink->failed || sw_fail_memory(error));
}

/* Buffers that are none of the tensors are workspaces, which stand behind them. */
static bool tell_workspaces(struct plan *plan, tflite_tell *tell, void *context) {
    const struct sw_problem *problem = sw_layout_problem(plan->result->layout);
    bool good = true;
    for (uint32_t b = 0; good && b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        struct tflite_tensor none = {.size = buffer->size};
        uint64_t offset = 0;
        if (!plan->is_tensor[b]) {
            good = find_offset(plan, &none, buffer->name, &offset);
            tell(context, buffer->name, offset, buffer->size, true);
        }
    }
    return good;
}

static bool tell_all(struct plan *plan, tflite_tell *tell, void *context) {
    struct tflite_model *model = &plan->model;
    const char **names = tflite_names(model);
    if (!names) {
        return sw_fail_memory(plan->error);
    }
    for (size_t i = 0; i < model->tensors.count; i++) {
        uint64_t offset = 0;
        if (names[i] && !find_offset(plan, &model->tensors.items[i], names[i], &offset)) {
            return false;
        }
        if (names[i]) {
            tell(context, names[i], offset, model->tensors.items[i].size, false);
        }
    }
    return tell_workspaces(plan, tell, context);
}

/* Where all ends that the plan places, when workspaces are placed by it as well. */
static uint64_t head_of_all(const struct plan *plan) {
    const struct sw_problem *problem = sw_layout_problem(plan->result->layout);
    uint64_t head = 0;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        struct sw_placement place;
        if (sw_layout_placement(plan->result->layout, b, 0, &place)) {
            uint64_t size = sw_problem_buffer(problem, b)->size;
            head = SW_MAX(head, place.offset + sw_align_up(size, TFLITE_ALIGNMENT));
        }
    }
    return head;
}

bool tflite_plan_tell(const struct sw_result *result, tflite_tell *tell, void *context,
                      struct sw_error *error) {
    struct plan plan = {.result = result, .error = error};
    struct sw_input input;
    if (is_in_order(result)) {
        return refuse(&plan, "a BufferPlan goes with the model as it is: write the model in this order first (convert with --order or -p)");
    }
    bool good = open_model(&plan, &input);
    if (good) {
        plan.head = head_of_all(&plan);
        good = is_worth_it(&plan) && tell_all(&plan, tell, context);
    }
    close_model(&plan, &input);
    return good;
}
