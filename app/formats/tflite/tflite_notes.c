#include "formats/tflite/tflite_notes.h"
#include "base/base.h"

#include "formats/tflite/kernels/kernels.h"

struct tally {
    uint64_t constants, constant_bytes, variables, variable_bytes;
    uint64_t empty, opaque, handles, kept, open, unwritten, placed, completed;
};

static uint64_t sum_bytes(uint64_t a, uint64_t b) {
    return a + b < SW_MAX_BYTES ? a + b : SW_MAX_BYTES;
}

static void count_tensors(const struct tflite_model *model, struct tally *tally) {
    for (size_t i = 0; i < model->tensors.count; i++) {
        const struct tflite_tensor *tensor = &model->tensors.items[i];
        bool planned = tensor->state == TFLITE_PLANNED;
        if (tensor->state == TFLITE_CONSTANT) {
            tally->constants++;
            tally->constant_bytes = sum_bytes(tally->constant_bytes, tensor->size);
        }
        if (tensor->state == TFLITE_VARIABLE) {
            tally->variables++;
            tally->variable_bytes = sum_bytes(tally->variable_bytes, tensor->size);
        }
        tally->empty += tensor->state == TFLITE_EMPTY;
        tally->opaque += tensor->state == TFLITE_OPAQUE;
        tally->handles += tensor->state == TFLITE_HANDLE;
        tally->kept += tensor->kept;
        tally->open += planned && tensor->open;
        tally->unwritten += planned && !tensor->written && !tensor->idle;
        tally->placed += planned && tensor->offset >= 0 && !tensor->completed;
        tally->completed += tensor->completed;
    }
}

static bool note_tensors(const struct tflite_told *told, const struct tally *tally) {
    struct sw_builder *builder = told->builder;
    struct sw_error *error = told->error;
    return (tally->variables == 0 || sw_notef(builder, error,
                                              "left out: %" PRIu64 " variable tensors (%" PRIu64
                                              " bytes), which keep their contents from run to run",
                                              tally->variables, tally->variable_bytes)) &&
           sw_note_count(builder, error, tally->empty, "left out: %" PRIu64 " tensors without bytes") &&
           sw_note_count(builder, error, told->model->idle_tensors,
                         "tensors that nothing in the run touches: %" PRIu64
                         "; TensorFlow Lite Micro gives them places all the same, which is the step setup") &&
           sw_note_count(builder, error, told->model->idle_graphs,
                         "subgraphs that no operator calls: %" PRIu64
                         "; all their tensors are among those of the step setup") &&
           sw_note_count(builder, error, tally->opaque,
                         "left out: %" PRIu64 " tensors of texts or variants, as the file does not tell their size") &&
           sw_note_count(builder, error, tally->handles,
                         "left out: %" PRIu64 " handles of resources, which stand in what their kernels keep") &&
           sw_note_count(builder, error, tally->kept,
                         "%" PRIu64
                         " variable tensors have an offset in the file's plan: they are alive all the time") &&
           sw_note_count(builder, error, tally->open,
                         "%" PRIu64 " tensors may change their shape; they have the one that stands in the file") &&
           sw_note_count(builder, error, tally->unwritten,
                         "%" PRIu64 " tensors that no operator writes are there from the start");
}

static bool note_plan(const struct tflite_told *told, const struct tally *tally) {
    const struct tflite_model *model = told->model;
    struct sw_builder *builder = told->builder;
    struct sw_error *error = told->error;
    return (told->joined || model->plan.at == 0 ||
            sw_notef(builder, error, "the file holds a plan (" TFLITE_PLAN ") for %" PRIu64 " of these tensors%s",
                     tally->placed,
                     model->subgraphs.count < 2 ? ""
                     : model->per_subgraph      ? ", tensor i of every subgraph at offset i, as before March 2023"
                                                : ", the offsets of one subgraph behind those of the other")) &&
           sw_note_count(builder, error, told->joined ? 0 : tally->completed,
                         "%" PRIu64 " more, which nothing in the run touches, have the offsets that "
                         "the interpreter finds for them") &&
           sw_note_count(builder, error, told->parts,
                         "%" PRIu64 " tensors lie within the arena of an Ethos-U and share its bytes") &&
           (told->in_place == 0 ||
            sw_notef(builder, error,
                     "%" PRIu64 " tensors are slices, or parts of concatenations%s, that lie in their places within "
                     "others: they share their "
                     "bytes, and nothing is moved",
                     told->in_place, told->others ? ", or handed over by loops, padded or updated" : "")) &&
           (model->subgraphs.count < 2 ||
            sw_notef(builder, error,
                     "%zu subgraphs, each put in where it is called; all branches of an operator "
                     "stand one after the other",
                     model->subgraphs.count));
}

/* The workspaces that the rules give, and the operators without a rule. */
static bool note_workspaces(const struct tflite_told *told) {
    const char *library = tflite_kernels_name(told->kernels);
    char names[SW_MESSAGE / 2] = "";
    for (size_t i = 0; i < told->unknown_listed; i++) {
        SW_TEXT_ADD(names, "%s%s", i ? ", " : "", told->unknown[i]);
    }
    if (told->kernels == SW_KERNELS_NONE) {
        return sw_builder_note(told->builder, "left out: the workspaces of kernels (--kernels none)", told->error);
    }
    bool good = told->workspace_count > 0
                    ? sw_notef(told->builder, told->error,
                               "%" PRIu64 " workspaces (%s bytes) are what %s ask for (--kernels, or --join "
                               "LOG for those of a run)",
                               told->workspace_count, SW_COUNT(told->workspace_bytes), library)
                    : sw_notef(told->builder, told->error,
                               "%s ask for no workspaces%s (--kernels, or --join LOG for those of a run)", library,
                               told->unknown_count ? " of the other operators" : "");
    const char *newest = tflite_kernels_newest(told->kernels);
    bool is_esp = told->kernels >= SW_KERNELS_ESP;
    good = good && (!newest || sw_notef(told->builder, told->error,
                                        "that is %s %s, the newest that is known; --kernels %s@VERSION takes another",
                                        is_esp ? "ESP-NN" : "CMSIS-NN", newest, is_esp ? "esp-nn" : "cmsis-nn"));
    return good &&
           (told->unknown_count == 0 ||
            sw_notef(told->builder, told->error,
                     "no rule tells the workspaces of %" PRIu64 " operators: %s%s; --join LOG brings them",
                     told->unknown_count, names, told->unknown_count > told->unknown_listed ? " and others" : ""));
}

/* Does it read or write texts, for which the interpreter has no room? */
static bool handles_texts(const struct tflite_model *model, const struct tflite_operator *op) {
    const struct tflite_list lists[] = {op->inputs, op->outputs};
    for (int l = 0; l < 2; l++) {
        for (uint32_t i = 0; i < lists[l].count; i++) {
            const struct tflite_tensor *tensor = tflite_tensor_at(model, op->subgraph, tflite_item(model, lists[l], i));
            if (tensor && tensor->state == TFLITE_OPAQUE) {
                return true;
            }
        }
    }
    return false;
}

/* Operators that the interpreter would refuse, as what follows about its arena is true of no run then. */
static bool note_refused(const struct tflite_told *told) {
    enum { MOST_REFUSED = 3 };
    const struct tflite_model *model = told->model;
    char names[300] = "";
    uint64_t count = 0;
    for (size_t i = 0; i < model->steps.count; i++) {
        const struct tflite_step *step = &model->steps.items[i];
        const struct tflite_operator *op = step->operator== SW_NONE ? NULL : & model->operators.items[step->operator];
        bool lacks = op && step->kind == TFLITE_RUN && !tflite_kernel_exists(op);
        bool text = op && step->kind == TFLITE_RUN && !lacks && handles_texts(model, op);
        if ((lacks || text) && count++ < MOST_REFUSED) {
            SW_TEXT_ADD(names, "%s%.80s%s", *names ? ", " : "", step->name, text ? " (texts)" : "");
        }
    }
    return count == 0 || sw_notef(told->builder, told->error,
                                  "TensorFlow Lite Micro refuses this model, for it lacks %" PRIu64
                                  " operator%s of it: %s%s; what is said of its arena "
                                  "is what it would take with kernels for %s",
                                  count, count == 1 ? "" : "s", names, count > MOST_REFUSED ? ", ..." : "",
                                  count == 1 ? "it" : "them");
}

bool tflite_note(const struct tflite_told *told) {
    struct tally tally = {0};
    count_tensors(told->model, &tally);
    return sw_builder_note(told->builder,
                           "step i is the file's i-th operator; a tensor lives from the operator "
                           "that writes it to the last that reads it, both inside",
                           told->error) &&
           (told->joined || note_refused(told)) &&
           sw_notef(told->builder, told->error, "left out: %" PRIu64 " constants (%s bytes)", tally.constants,
                    SW_COUNT(tally.constant_bytes)) &&
           (told->joined || note_workspaces(told)) &&
           sw_builder_note(told->builder,
                           told->joined ? "sizes, workspaces and offsets are those that TensorFlow Lite "
                                          "Micro printed"
                                        : "offsets are multiples of 16, as TensorFlow Lite Micro has "
                                          "them; it rounds sizes up to 16, too",
                           told->error) &&
           note_tensors(told, &tally) && note_plan(told, &tally);
}
