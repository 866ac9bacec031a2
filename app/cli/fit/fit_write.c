#include "cli/fit/fit_parts.h"
#include "base/base.h"

#include "cli/orders/order_parts.h"
#include "cli/shared/output.h"
#include "cli/shared/pictures.h"
#include "formats/onnx/write/onnx_fit.h"
#include "formats/tflite/write/tflite_fit.h"

/* ---- what is written ---- */

static const struct {
    const char *extension;
    enum fit_form form;
} fit_forms[] = {
    {".tflite", FIT_TFLITE}, {".cc", FIT_SOURCE}, {".cpp", FIT_SOURCE}, {".hpp", FIT_HEADER}, {".onnx", FIT_ONNX}};

/* Is the model of the kind that is to be written? */
static bool is_kind_of_form(const struct sw_cli *cli, enum fit_form form, struct sw_error *error) {
    const struct sw_format *wanted = form == FIT_ONNX ? &sw_format_onnx : &sw_format_tflite;
    struct sw_input input;
    if (!sw_input_open_array(cli->files[0], cli->load.array, &input, error)) {
        return false;
    }
    bool good = sw_format_detect(&input, NULL) == wanted;
    sw_input_close(&input);
    if (!good) {
        sw_fail(error, SW_ERROR_USAGE, "%s is written from %s model, and %s is none", cli->output,
                form == FIT_ONNX ? "an ONNX" : "a TensorFlow Lite", sw_path_name(cli->files[0]));
    }
    return good;
}

bool fit_form_of(const struct sw_cli *cli, enum fit_form *form, struct sw_error *error) {
    enum sw_output named;
    const char *dot = cli->output ? strrchr(cli->output, '.') : NULL;
    *form = FIT_PRINTED;
    for (size_t i = 0; dot && i < sizeof fit_forms / sizeof *fit_forms; i++) {
        *form = strcmp(dot, fit_forms[i].extension) == 0 ? fit_forms[i].form : *form;
    }
    if (*form != FIT_PRINTED && sw_cli_given(cli, "format")) {
        return sw_fail(error, SW_ERROR_USAGE, "--format is of what is printed; -o %s is the model", cli->output);
    }
    if (*form != FIT_PRINTED) {
        return is_kind_of_form(cli, *form, error);
    }
    return !cli->output || strcmp(cli->output, "-") == 0 || sw_output_of(cli->output, &named) ||
           sw_picture_named(cli->output) ||
           sw_fail(error, SW_ERROR_USAGE,
                   "-o %s: fit writes models as .tflite, .cc, .hpp or .onnx, pictures as .svg, .png, .pdf or .html, "
                   "and what "
                   "it prints as .txt, .csv, .json or .md",
                   cli->output);
}

bool fit_may_write(const struct sw_cli *cli, enum fit_form form, const struct sw_problem *problem,
                   struct sw_error *error) {
    struct sw_input input;
    if (form != FIT_ONNX) {
        return !sw_problem_offsets_are_plan(problem) ||
               sw_fail(error, SW_ERROR_UNSUPPORTED,
                       "the model holds a plan for the operators that it has: fit the model without one");
    }
    if (!sw_input_open(cli->files[0], &input, error)) {
        return false;
    }
    bool good = sw_onnx_may_fit(&input, &cli->load, problem, error);
    sw_input_close(&input);
    return good;
}

/* ---- the file ---- */

/* How the changed model is read: as the model was, in its own order. */
static struct sw_load_options load_of(const struct sw_cli *cli) {
    struct sw_load_options load = cli->load;
    load.has_capacity = false;
    load.array = load.join = load.order = NULL; /* of the model as it was */
    return load;
}

/* The head that the file comes to, which is the planned one but for workspaces. */
static bool settle_head(const struct sw_cli *cli, struct sw_fit_model *model, const struct sw_sink *file,
                        struct sw_error *error) {
    uint64_t arena, head;
    if (!tflite_fit_read_back(file, &cli->load, model->layout, &head, &arena, error)) {
        return false;
    }
    if (head > model->head) {
        model->head = head;
        model->arena = arena;
    }
    uint64_t bytes = cli->load.capacity_of == SW_CAPACITY_OF_HEAD ? model->head : model->arena;
    return !cli->load.has_capacity || bytes <= cli->load.capacity ||
           sw_fail(error, SW_ERROR_UNSUPPORTED,
                   "the changed model needs %s, as the interpreter lays workspaces where it likes: nothing is written; "
                   "a smaller --capacity leaves room for them",
                   SW_BYTES(bytes));
}

/* A file without a plan: as many operators, and as many bytes alive at most, unless operators may write over their
 * arguments. */
static bool read_back_onnx(const struct sw_cli *cli, const struct sw_fit_model *model, const struct sw_sink *file,
                           struct sw_error *error) {
    struct sw_input input = {.name = "the changed model", .bytes = file->text.items, .length = file->text.count};
    struct sw_load_options load = load_of(cli);
    struct sw_problem *problem = sw_load_input(&input, &load, error);
    bool good = problem != NULL;
    if (good && (sw_problem_operator_count(problem) != model->calls ||
                 (!cli->load.inplace_safe && sw_problem_lower_bound(problem) != model->bound))) {
        good =
            sw_fail(error, SW_ERROR_UNSUPPORTED, "the changed model reads back as another one, so it is not written");
    }
    sw_problem_unref(problem);
    return good;
}

/* The model in the sink becomes source that has it. */
static bool make_source(const struct sw_cli *cli, bool header, const struct sw_fit_model *model,
                        const struct sw_input *input, struct sw_sink *file, struct sw_error *error) {
    struct sw_sink source = {0};
    const struct tflite_fitted fitted = {.source = cli->files[0],
                                         .digest = sw_input_digest(input),
                                         .bytes = file->text.items,
                                         .length = file->text.count,
                                         .head = model->head,
                                         .arena = model->arena,
                                         .header = header};
    bool good = sw_tflite_fit_source(&source, &fitted, error);
    sw_sink_done(file);
    *file = source;
    return good;
}

bool fit_write(const struct sw_cli *cli, enum fit_form form, struct sw_fit_result *result, struct sw_sink *file,
               struct sw_error *error) {
    struct sw_fit_model *chosen = &result->models.items[result->chosen];
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal;
    struct sw_input input;
    if (!sw_input_open_array(cli->files[0], cli->load.array, &input, error)) {
        return false;
    }
    bool good = sw_fit_model_program(result, chosen, &program, &refusal) || sw_fail_memory(error);
    if (good && form == FIT_ONNX && chosen->moves.items.count > chosen->region_count) {
        good = sw_fail(error, SW_ERROR_UNSUPPORTED, "an ONNX model is written with strips alone: --moves strips");
    } else if (good && form == FIT_ONNX) {
        good = sw_onnx_write_fit(&input, &cli->load, &program, file, error);
        sw_error_at(good || *error->file ? NULL : error, cli->files[0], 0, 0);
        good = good && read_back_onnx(cli, chosen, file, error);
    } else if (good) {
        good = tflite_write_fit(&input, &cli->load, &program, chosen->layout, file, error) &&
               settle_head(cli, chosen, file, error) &&
               (form == FIT_TFLITE || make_source(cli, form == FIT_HEADER, chosen, &input, file, error));
    }
    sw_fit_program_done(&program);
    sw_input_close(&input);
    return good;
}

/* ---- what becomes of it ---- */

/* ONNX has no plan, and its runtime copies, and takes an order of its own. */
static bool tell_fit_runtime(const struct sw_cli *cli, const struct sw_sink *file, struct sw_error *note,
                             struct sw_error *error) {
    struct sw_load_options load = load_of(cli);
    uint64_t own, priority, as_written;
    char figures[240] = "";
    bool memory = true;
    if (sw_cli_order_bound(&load, file, NULL, &as_written, &memory) &&
        sw_cli_order_bound(&load, file, "onnxruntime", &own, &memory) &&
        sw_cli_order_bound(&load, file, "onnxruntime-priority", &priority, &memory)) {
        snprintf(figures, sizeof figures,
                 ": %s B are alive at most in the file's order, %s B in the order that it takes by itself, %s B with "
                 "PRIORITY_BASED",
                 SW_COUNT(as_written), SW_COUNT(own), SW_COUNT(priority));
    }
    sw_fail(note, SW_ERROR_UNSUPPORTED,
            "note: the file has no plan, and the head is that of one by stowage. ONNX Runtime copies in Slice and "
            "Concat, also where that could be left out, and may "
            "run the strips side by side, which gains nothing%s. Run it with execution_order=PRIORITY_BASED and "
            "graph_optimization_level=ORT_DISABLE_ALL",
            figures);
    sw_error_at(note, cli->output, 0, 0);
    return memory || sw_fail_memory(error);
}

int fit_commit(const struct sw_cli *cli, enum fit_form form, struct sw_sink *file, struct sw_cli_report *printed) {
    struct sw_error error = {0}, note = {0};
    struct sw_input input;
    if (form != FIT_ONNX) {
        return sw_cli_put_model(cli, &sw_format_tflite, NULL, file, printed, NULL, NULL);
    }
    if (!tell_fit_runtime(cli, file, &note, &error) || !sw_input_open(cli->files[0], &input, &error)) {
        return sw_cli_fail(&error);
    }
    int status = sw_cli_put_model(cli, &sw_format_onnx, &input, file, printed, NULL, &note);
    sw_input_close(&input);
    return status;
}
