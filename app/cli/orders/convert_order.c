/* stowage convert with another order: the file as it is, but for the places of its operators. */
#include "cli/orders/order_parts.h"
#include "base/base.h"
#include "cli/shared/output.h"
#include "formats/tflite/tflite_model.h"
#include "planners/planner.h"
#include "problem/change/whole_order.h"

bool sw_cli_wants_order(const struct sw_cli *cli) {
    return cli->load.order || cli->planner;
}

/* ---- the order of a planner ---- */

static bool has_order(void *context, const struct sw_search *search, const struct sw_decision *decision) {
    (void)context, (void)search;
    return decision->kind == SW_DECISION_HAND_OVER;
}

/* What the planner found: it is printed, and does not stand in the file. */
static void take_note(const struct sw_cli *cli, const struct sw_search *search, struct sw_error *note) {
    char words[192];
    uint64_t bytes;
    if (sw_cli_order_words(search, cli->load.order, &bytes, words, sizeof words)) {
        sw_fail(note, SW_ERROR_UNSUPPORTED, "note: %s alive at most; %s", SW_BYTES(bytes), words);
        sw_error_at(note, cli->output, 0, 0);
    }
}

void sw_cli_tell_order(const struct sw_error *note) {
    if (note && note->code != SW_OK) {
        sw_cli_fail(note);
    }
}

/* The problem in the order that the planner chooses; it stops before any address is given. */
static struct sw_problem *by_planner(struct sw_cli *cli, const struct sw_problem *problem, struct sw_error *note) {
    struct sw_error error = {0};
    struct sw_search *search = sw_cli_search(cli, problem);
    if (!search) {
        return NULL;
    }
    const struct sw_planner *planner = sw_search_planner(search);
    struct sw_problem *ordered = NULL;
    if (!planner->reorders) {
        sw_cli_tell(
            SW_ERROR_USAGE, NULL,
            "%s plans offsets, and convert writes the model alone; stowage plan FILE -p %s -o OUT writes a plan",
            planner->name, planner->name);
    } else if (sw_search_run(search, 0, has_order, NULL, &error) == SW_STEP_FAILED) {
        sw_cli_fail(&error);
    } else {
        take_note(cli, search, note);
        ordered = (struct sw_problem *)sw_problem_ref(sw_search_problem(search));
    }
    sw_search_free(search);
    return ordered;
}

struct sw_problem *sw_cli_load_ordered(struct sw_cli *cli, struct sw_error *note) {
    *note = (struct sw_error){0};
    struct sw_problem *problem = sw_cli_load(cli, NULL);
    if (!problem || !cli->planner) {
        return problem;
    }
    struct sw_problem *ordered = by_planner(cli, problem, note);
    sw_problem_unref(problem);
    return ordered;
}

bool sw_cli_wants_array(const struct sw_cli *cli) {
    const struct sw_format *format =
        cli->output && strcmp(cli->output, "-") != 0 ? sw_format_for_output(cli->output, true, NULL) : NULL;
    return format == &sw_format_tflite_source;
}

/* ---- the file ---- */

/* What was written must be read as the problem that was put in order. */
static bool reads_back_ordered(const struct sw_cli *cli, const struct sw_format *format,
                               const struct sw_problem *ordered, const struct sw_sink *out, struct sw_error *error) {
    struct sw_input input = {.name = "the output", .bytes = out->text.items, .length = out->text.count};
    struct sw_load_options how = cli->load;
    how.order = NULL;
    struct sw_problem *copy = sw_load_input(&input, &how, error);
    bool same = copy && sw_problem_operator_count(copy) == sw_problem_operator_count(ordered) &&
                sw_problem_lower_bound(copy) == sw_problem_lower_bound(ordered);
    for (uint32_t step = 0; same && step < sw_problem_operator_count(copy); step++) {
        same = strcmp(sw_problem_operator(copy, step)->kind, sw_problem_operator(ordered, step)->kind) == 0;
    }
    if (copy && !same) {
        sw_fail(error, SW_ERROR_UNSUPPORTED, "a %s file with its operators in this order is not read as it was meant",
                format->name);
    }
    sw_problem_unref(copy);
    return same;
}

bool sw_cli_order_bound(const struct sw_load_options *how, const struct sw_sink *model, const char *order,
                        uint64_t *bytes, bool *memory) {
    struct sw_error error = {0};
    struct sw_input input = {.name = "the output", .bytes = model->text.items, .length = model->text.count};
    struct sw_load_options own = *how;
    own.order = order;
    struct sw_problem *problem = sw_load_input(&input, &own, &error);
    *bytes = problem ? sw_problem_lower_bound(problem) : 0;
    *memory = *memory && (problem || error.code != SW_ERROR_MEMORY);
    sw_problem_unref(problem);
    return problem != NULL;
}

/* ONNX Runtime does not run a file's order unless it is told to. */
static bool tell_runtime(const struct sw_cli *cli, const struct sw_format *format, const struct sw_problem *ordered,
                         const struct sw_sink *out, struct sw_error *note, struct sw_error *error) {
    uint64_t own, priority, file = sw_problem_lower_bound(ordered);
    char but[80] = "", figures[160] = "";
    bool memory = true;
    if (!format->runtime_order) {
        return true;
    }
    if (sw_cli_order_bound(&cli->load, out, "onnxruntime-priority", &priority, &memory) && priority != file) {
        snprintf(but, sizeof but, " (but Shape and Size as early as they can: %s)", SW_BYTES(priority));
    }
    if (sw_cli_order_bound(&cli->load, out, "onnxruntime", &own, &memory)) {
        snprintf(figures, sizeof figures, "; in the order that it takes by itself %s are alive at most, in this one %s",
                 SW_BYTES(own), SW_BYTES(file));
    }
    sw_fail(note, SW_ERROR_UNSUPPORTED,
            "note: ONNX Runtime runs this order with execution_order=PRIORITY_BASED and "
            "graph_optimization_level=ORT_DISABLE_ALL%s%s. "
            "A model that it has optimized is another one: reorder it after that",
            but, figures);
    sw_error_at(note, cli->output, 0, 0);
    return memory || sw_fail_memory(error);
}

int sw_cli_convert_order(struct sw_cli *cli, const struct sw_format *format) {
    struct sw_error error = {0};
    struct sw_input input = {0};
    struct sw_sink out = {0};
    struct sw_load_options how = cli->load;
    how.order = NULL;
    struct sw_error note, runtime = {0};
    struct sw_problem *ordered = sw_cli_load_ordered(cli, &note);
    if (!ordered) {
        return 2;
    }
    bool opened = sw_input_open_array(cli->files[0], cli->load.array, &input, &error);
    bool good = opened;
    if (good && sw_format_detect(&input, NULL) != format) {
        good = sw_fail(&error, SW_ERROR_USAGE,
                       "%s is no file of the format %s, and only such a one can be written in another order",
                       sw_path_name(cli->files[0]), format->name);
        sw_error_at(&error, cli->output, 0, 0);
    }
    struct sw_problem *problem = good ? sw_load_input(&input, &how, &error) : NULL;
    uint32_t count = problem ? sw_problem_operator_count(problem) : 0,
             *order = problem ? sw_problem_order_between(problem, ordered) : NULL;
    good = problem && (order || sw_fail_memory(&error)) &&
           format->write_order(&input, &how, order, count, &out, &error) &&
           reads_back_ordered(cli, format, ordered, &out, &error) &&
           tell_runtime(cli, format, ordered, &out, &runtime, &error);
    sw_error_at(good || *error.file ? NULL : &error, cli->files[0], 0, 0);
    if (good && sw_cli_wants_array(cli)) {
        struct sw_sink model = out;
        out = (struct sw_sink){.failed = model.failed};
        sw_tflite_source(&out, cli->files[0], sw_input_digest(&input), model.text.items, model.text.count);
        sw_sink_done(&model);
    }
    int status = good ? sw_cli_put_model(cli, format, &input, &out, NULL, &note, &runtime) : sw_cli_fail(&error);
    sw_sink_done(&out);
    SW_FREE(order, count);
    sw_problem_unref(problem);
    sw_problem_unref(ordered);
    if (opened) {
        sw_input_close(&input);
    }
    return status;
}
