/* The plan of a run, written into the TensorFlow Lite model it was made for.
 *
 * TensorFlow Lite Micro reads offsets from metadata: int32 version 0, subgraph 1, count of the
 * tensors of all subgraphs, then one offset each, -1 for "plan this one yourself". They stand one subgraph behind the
 * other; interpreters of before March 2023 give tensor i of every subgraph offset i (--offline-offsets per-subgraph).
 */
#include "problem/change/whole_order.h"
#include "base/base.h"
#include "formats/tflite/kernels/kernels.h"
#include "formats/tflite/tflite_greedy.h"
#include "formats/tflite/tflite_lives.h"
#include "formats/tflite/write/tflite_front.h"

struct plan_writer {
    struct tflite_model model;
    const struct sw_result *result;
    struct sw_error *error;
    const char **names;    /* of the tensors that are planned, */
    uint64_t *wanted;      /* and where the plan has them; UINT64_MAX for the others */
    int32_t *offsets;      /* of all tensors, in the file's order */
    uint32_t placed, left; /* tensors with an offset, and planned ones that cannot have one */
    uint64_t head;         /* where the placed ones end, sizes rounded up, and the workspaces that are known */
    uint64_t own_head;     /* what the interpreter needs without a plan */
    bool *is_tensor;       /* per buffer of the problem; the others are workspaces of kernels */
    uint32_t workspaces;
    struct sw_input before; /* with --order: the file as it is; `in_order` is read in its place */
    struct sw_sink in_order;
};

static bool has_per_subgraph(const struct sw_result *result) {
    return result->load && result->load->per_subgraph;
}

/* ---- offsets ---- */

/* Interpreters of before March 2023 give tensor i of every subgraph the same offset i. Where two tensors
 * need different offsets, no tensor of that number gets one. */
static void settle_offset(struct plan_writer *plan, uint32_t number) {
    const uint64_t *wanted = plan->wanted;
    const struct tflite_model *model = &plan->model;
    const struct tflite_subgraph *main = &model->subgraphs.items[0];
    uint64_t offset = UINT64_MAX;
    bool agreed = true;
    for (size_t g = 0; g < model->subgraphs.count; g++) {
        const struct tflite_subgraph *graph = &model->subgraphs.items[g];
        uint64_t here = number < graph->tensor_count ? wanted[graph->first_tensor + number] : UINT64_MAX;
        agreed &= offset == UINT64_MAX || here == UINT64_MAX || offset == here;
        offset = here == UINT64_MAX ? offset : here;
    }
    if (agreed && number < main->tensor_count && wanted[number] != UINT64_MAX) {
        plan->offsets[number] = (int32_t)offset;
    }
}

static void count_placed(struct plan_writer *plan) {
    const struct tflite_model *model = &plan->model;
    for (size_t i = 0; i < model->tensors.count; i++) {
        const struct tflite_tensor *tensor = &model->tensors.items[i];
        int32_t offset = plan->offsets[model->per_subgraph ? tensor->number : i];
        if (plan->wanted[i] == UINT64_MAX) {
            continue;
        }
        plan->left += offset < 0;
        plan->placed += offset >= 0;
        uint64_t end = (uint64_t)offset + sw_align_up(tensor->size, TFLITE_ALIGNMENT);
        plan->head = offset >= 0 && end > plan->head ? end : plan->head;
    }
}

/* ---- workspaces and tensors without an offset, which the interpreter places itself ---- */

/* What the interpreter places: each tensor by itself, also where several share their bytes by the plan, then
 * workspaces. With `planned` tensors lie where the file puts them. */
static struct tflite_block *blocks_of(struct plan_writer *plan, bool planned, uint32_t *count) {
    const struct sw_problem *problem = sw_layout_problem(plan->result->layout);
    struct tflite_model *model = &plan->model;
    uint32_t buffers = sw_problem_buffer_count(problem);
    struct tflite_life *lives = sw_arena_new(&model->arena, model->tensors.count + 1, sizeof *lives);
    struct tflite_block *blocks = sw_arena_new(&model->arena, model->tensors.count + buffers + 1, sizeof *blocks);
    *count = 0;
    if (!lives || !blocks) {
        return NULL;
    }
    tflite_count_lives(model, NULL, lives);
    for (size_t i = 0; i < model->tensors.count; i++) {
        const struct tflite_tensor *tensor = &model->tensors.items[i];
        int32_t offset = plan->offsets[model->per_subgraph ? tensor->number : i];
        if (tensor->state == TFLITE_PLANNED) {
            blocks[(*count)++] = tflite_block_of(tensor->size, lives[i].first, lives[i].last, planned ? offset : -1);
        }
    }
    for (uint32_t b = 0; b < buffers; b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        if (!plan->is_tensor[b]) {
            blocks[(*count)++] = tflite_block_of(buffer->size, buffer->first, buffer->last, -1);
        }
    }
    return blocks;
}

/* No plan in the file can place workspaces: the interpreter finds room for them around what has an offset, and for
 * tensors without one. The head ends where they do. And where it ends without a plan. */
static bool find_heads(struct plan_writer *plan) {
    uint32_t count;
    struct tflite_block *blocks = blocks_of(plan, true, &count);
    for (uint32_t b = 0; b < sw_problem_buffer_count(sw_layout_problem(plan->result->layout)); b++) {
        plan->workspaces += !plan->is_tensor[b];
    }
    if (!blocks || !tflite_place_blocks(&plan->model.arena, blocks, count, &plan->head)) {
        return sw_fail_memory(plan->error);
    }
    if (plan->model.ethos) {
        return true; /* what its own planner would make of tensors within the arena of an Ethos-U is not known */
    }
    blocks = blocks_of(plan, false, &count);
    return (blocks && tflite_place_blocks(&plan->model.arena, blocks, count, &plan->own_head)) ||
           sw_fail_memory(plan->error);
}

/* Note that this buffer is a tensor, or has one within it: it is no workspace of a kernel. */
static void mark_tensor(struct plan_writer *plan, const char *name) {
    const struct sw_problem *problem = sw_layout_problem(plan->result->layout);
    uint32_t buffer = sw_problem_find_buffer(problem, name), member = sw_problem_find_member(problem, name);
    buffer = buffer == SW_NONE && member != SW_NONE ? sw_problem_member(problem, member)->buffer : buffer;
    if (buffer != SW_NONE) {
        plan->is_tensor[buffer] = true;
    }
}

static bool find_plan_offsets(struct plan_writer *plan) {
    struct tflite_model *model = &plan->model;
    size_t count = model->tensors.count;
    plan->names = tflite_names(model);
    plan->wanted = sw_arena_new(&model->arena, count + 1, sizeof *plan->wanted);
    plan->offsets = sw_arena_new(&model->arena, count + 1, sizeof *plan->offsets);
    size_t buffers = (size_t)sw_problem_buffer_count(sw_layout_problem(plan->result->layout)) + 1;
    plan->is_tensor = sw_arena_new(&model->arena, buffers, sizeof *plan->is_tensor);
    if (!plan->names || !plan->wanted || !plan->offsets || !plan->is_tensor) {
        return sw_fail_memory(plan->error);
    }
    for (size_t i = 0; i < count; i++) {
        plan->wanted[i] = UINT64_MAX;
        if (plan->names[i] && !tflite_offset_of(plan->result->layout, plan->names[i], model->tensors.items[i].size,
                                                &plan->wanted[i], plan->error)) {
            return false;
        }
        plan->offsets[i] = plan->wanted[i] == UINT64_MAX || model->per_subgraph ? -1 : (int32_t)plan->wanted[i];
    }
    for (uint32_t i = 0; model->per_subgraph && i < model->subgraphs.items[0].tensor_count; i++) {
        settle_offset(plan, i);
    }
    for (size_t i = 0; i < count; i++) {
        if (plan->names[i]) {
            mark_tensor(plan, plan->names[i]);
        }
    }
    count_placed(plan);
    return find_heads(plan);
}

/* ---- writing ---- */

static bool write_planned_file(struct plan_writer *plan, struct sw_sink *sink) {
    static const bool fresh[MODEL_FIELDS] = {[MODEL_BUFFERS] = true, [MODEL_METADATA] = true};
    struct tflite_model *model = &plan->model;
    struct tflite_front front = {.model = model, .sink = sink, .error = plan->error};
    size_t buffer, metadata, places[MODEL_FIELDS];
    bool good = tflite_front_root(&front, fresh, places) &&
                tflite_front_list(&front, places[MODEL_BUFFERS], &model->buffers, SIZE_MAX, 1, &buffer) &&
                tflite_front_list(&front, places[MODEL_METADATA], &model->metadata, model->plan_entry, 1, &metadata);
    if (good) {
        tflite_front_plan(&front, buffer, metadata, model->buffers.count, plan->offsets, model->tensors.count);
        good = tflite_front_end(&front);
    }
    tflite_front_done(&front);
    return good;
}

/* ---- opening the model again ---- */

/* Is the plan one for another order than the model has? */
static bool is_for_order(const struct sw_result *result) {
    return (result->load && result->load->order) ||
           (result->search && sw_search_problem(result->search) != sw_search_given(result->search));
}

/* The plan is one for the order of --order, or for that of a planner, so the model gets that first. */
static bool reorder_model(struct plan_writer *plan, struct sw_input *input) {
    struct sw_load_options how = plan->result->load ? *plan->result->load : (struct sw_load_options){0};
    const struct sw_problem *ordered = sw_layout_problem(plan->result->layout);
    how.order = NULL;
    struct sw_problem *problem = sw_load_input(input, &how, plan->error);
    uint32_t count = problem ? sw_problem_operator_count(problem) : 0,
             *order = problem ? sw_problem_order_between(problem, ordered) : NULL;
    bool good =
        problem && (order || sw_fail_memory(plan->error)) &&
        tflite_write_order(input, has_per_subgraph(plan->result), true, order, count, &plan->in_order, plan->error);
    if (good) {
        plan->before = *input; /* closed in the end */
        *input = (struct sw_input){
            .name = plan->before.name, .bytes = plan->in_order.text.items, .length = plan->in_order.text.count};
    }
    SW_FREE(order, count);
    sw_problem_unref(problem);
    return good;
}

static bool open_model(struct plan_writer *plan, struct sw_input *input) {
    const char *path = plan->result->source;
    *input = (struct sw_input){0};
    if (!path || strcmp(path, "-") == 0) {
        return tflite_refuse(plan->error, "a plan is written into the model it was made for, which must be given "
                                          "as a file");
    }
    if (plan->result->base) {
        return tflite_refuse(plan->error, "offsets in a model count from the start of the arena: leave out "
                                          "--base");
    }
    const struct sw_load_options *load = plan->result->load;
    if (!sw_input_open_array(path, load ? load->array : NULL, input, plan->error)) {
        return false;
    }
    if (!sw_format_tflite.detect(input)) {
        return tflite_refuse(plan->error,
                             "a plan is written into the model it was made for, and %s is no "
                             "TensorFlow Lite model",
                             path);
    }
    return (!is_for_order(plan->result) || reorder_model(plan, input)) &&
           tflite_model_read(&plan->model, input, has_per_subgraph(plan->result), plan->error) &&
           find_plan_offsets(plan);
}

static void close_model(struct plan_writer *plan, struct sw_input *input) {
    tflite_model_done(&plan->model);
    sw_input_close(plan->before.bytes ? &plan->before : input);
    sw_sink_done(&plan->in_order);
}

/* A plan that saves nothing makes the firmware larger by its own bytes, and no arena smaller. */
static bool is_worth_it(struct plan_writer *plan) {
    if (plan->result->even_if_larger || plan->own_head == 0 || plan->head < plan->own_head) {
        return true;
    }
    return sw_fail(plan->error, SW_ERROR_INFEASIBLE,
                   "not smaller than the interpreter's own plan: nothing written. The head would be %" PRIu64
                   " bytes, and is %" PRIu64 " without (--even-if-larger writes it all the same)",
                   plan->head, plan->own_head);
}

bool sw_tflite_write_plan(const struct sw_result *result, struct sw_sink *sink, struct sw_error *error) {
    struct plan_writer plan = {.result = result, .error = error};
    struct sw_input input;
    if (sw_plan_is_changed(result)) {
        return sw_tflite_write_changed(result, sink, error);
    }
    bool good = open_model(&plan, &input) && is_worth_it(&plan) && write_planned_file(&plan, sink);
    close_model(&plan, &input);
    return good;
}

/* Which workspaces were counted. */
static void say_kernels(struct plan_writer *plan, struct sw_sink *sink) {
    unsigned kernels = plan->result->load ? plan->result->load->kernels : SW_KERNELS_USUAL;
    if (plan->result->load && plan->result->load->join) {
        return;
    }
    if (kernels == SW_KERNELS_NONE) {
        sw_sink_printf(sink, "workspaces of kernels may come on top: --kernels or --join LOG tell "
                             "which there are\n");
        return;
    }
    sw_sink_printf(sink, plan->workspaces > 0 ? "the workspaces are what %s ask for\n" : "%s ask for no workspaces\n",
                   tflite_kernels_name(kernels));
    uint64_t unknown = 0;
    for (size_t i = 0; i < plan->model.operators.count; i++) {
        struct tflite_workspaces asked;
        unknown += tflite_kernel_workspaces(&plan->model, &plan->model.operators.items[i], kernels, false, &asked) &&
                   !asked.known;
    }
    if (unknown > 0) {
        sw_sink_printf(sink,
                       "workspaces of %" PRIu64 " operators may come on top: no rule tells them, --join LOG does\n",
                       unknown);
    }
}

bool sw_tflite_say_plan(const struct sw_result *result, struct sw_sink *sink, struct sw_error *error) {
    struct plan_writer plan = {.result = result, .error = error};
    struct sw_input input;
    bool good = open_model(&plan, &input);
    const struct tflite_model *model = &plan.model;
    if (good) {
        sw_sink_printf(
            sink, TFLITE_PLAN ": %zu offsets; the arena's head is %" PRIu64 " bytes for the %" PRIu32 " tensors placed",
            model->tensors.count, plan.head, plan.placed);
        if (plan.left > 0) {
            sw_sink_printf(sink, ", %" PRIu32 " left to the interpreter", plan.left);
        }
        if (plan.workspaces > 0) {
            sw_sink_printf(sink, " and %" PRIu32 " workspaces, where the interpreter finds room for them\n",
                           plan.workspaces);
        } else {
            sw_sink_printf(sink, "\n");
        }
        say_kernels(&plan, sink);
        if (plan.own_head > 0) {
            sw_sink_printf(sink, "the interpreter's own plan for the same takes %" PRIu64 " bytes%s\n", plan.own_head,
                           plan.own_head <= plan.head ? ": this one saves nothing" : "");
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
static bool tell_workspaces(struct plan_writer *plan, tflite_tell *tell, void *context) {
    const struct sw_problem *problem = sw_layout_problem(plan->result->layout);
    bool good = true;
    for (uint32_t b = 0; good && b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        uint64_t offset = 0;
        if (!plan->is_tensor[b]) {
            good = tflite_offset_of(plan->result->layout, buffer->name, buffer->size, &offset, plan->error);
            tell(context, buffer->name, offset, buffer->size, true);
        }
    }
    return good;
}

static bool tell_tensors(struct plan_writer *plan, tflite_tell *tell, void *context) {
    for (size_t i = 0; i < plan->model.tensors.count; i++) {
        if (plan->names[i]) {
            tell(context, plan->names[i], plan->wanted[i], plan->model.tensors.items[i].size, false);
        }
    }
    return tell_workspaces(plan, tell, context);
}

/* Where all ends that the plan places, when workspaces are placed by it as well. */
static uint64_t head_of_all(const struct plan_writer *plan) {
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

bool tflite_plan_tell(const struct sw_result *result, tflite_tell *tell, void *context, struct sw_error *error) {
    struct plan_writer plan = {.result = result, .error = error};
    struct sw_input input;
    if (is_for_order(result)) {
        return tflite_refuse(plan.error, "a BufferPlan goes with the model as it is: write the model in this order "
                                         "first (convert with --order or -p)");
    }
    bool good = open_model(&plan, &input);
    if (good) {
        plan.head = head_of_all(&plan);
        good = is_worth_it(&plan) && tell_tensors(&plan, tell, context);
    }
    close_model(&plan, &input);
    return good;
}
