/* stowage convert: any readable format to any writable one. */
#include "cli/orders/order_parts.h"
#include "base/base.h"
#include "cli/shared/output.h"
#include "cli/shared/run.h"
#include "formats/settings/load_options.h"
#include "formats/sink_file.h"
#include "formats/tflite/tflite_model.h"
#include "formats/trace/trace_write.h"
#include "problem/moment/moment.h"

/* The format to write: by the name; for "-" by --format, which convert does not have: JSON, which
 * holds everything. */
static const struct sw_format *choose_writer(const struct sw_cli *cli, struct sw_error *error) {
    if (!cli->output) {
        sw_fail(error, SW_ERROR_USAGE, "convert needs -o OUT (see: stowage convert --help)");
        return NULL;
    }
    const char *path = strcmp(cli->output, "-") == 0 ? "-.json" : cli->output;
    return sw_format_for_output(path, false, error);
}

/* What was written must read back to the same problem. Where the format cannot hold all of it, say
 * so: a plan made from the copy may not be one for the original. */
static bool same_again(const struct sw_format *format, const struct sw_problem *problem, const struct sw_sink *out,
                       bool *same, struct sw_error *error) {
    struct sw_input input = {.name = "the output", .bytes = out->text.items, .length = out->text.count};
    struct sw_builder *builder = sw_builder_new(error);
    struct sw_problem *copy = NULL;
    if (builder && sw_format_read(format, &input, NULL, builder, error)) {
        sw_builder_inplace(builder, sw_problem_inplace_safe(problem));
        copy = sw_builder_finish(builder, error);
    }
    *same = copy && sw_problem_digest(copy) == sw_problem_digest(problem);
    sw_problem_unref(copy);
    sw_builder_free(builder);
    return copy != NULL;
}

/* What a table of buffers leaves out of this problem. */
static void tell_losses(const struct sw_cli *cli, const struct sw_format *format, const struct sw_problem *problem) {
    char lost[256] = "";
    size_t separate, reserved;
    bool tiers = sw_problem_tier_count(problem) > 1 || sw_problem_tier(problem, 0)->capacity != SW_UNBOUNDED;
    bool pins = false, constants = false;
    sw_problem_separate(problem, &separate);
    sw_problem_reserved(problem, &reserved);
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        pins = pins || sw_problem_buffer(problem, i)->pinned;
        constants = constants || !sw_problem_buffer(problem, i)->planned;
    }
    const struct {
        bool lost;
        const char *word;
    } parts[] = {{sw_problem_operator_count(problem) > 0, "operators"},
                 {tiers, "tiers and capacities"},
                 {sw_problem_unit_count(problem) > 0, "units"},
                 {sw_problem_member_count(problem) > 0, "overlays"},
                 {separate > 0, "what to keep separate"},
                 {reserved > 0, "reserved ranges"},
                 {constants, "constants"},
                 {pins && sw_problem_has_plan(problem), "that offsets are pins (read with --pins)"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].lost) {
            SW_TEXT_ADD(lost, "%s%s", *lost ? ", " : "", parts[i].word);
        }
    }
    const char *lacks = format->lacks ? format->lacks : *lost ? lost : "all of the input";
    sw_cli_tell(SW_ERROR_UNSUPPORTED, cli->output, "note: this format does not hold %s", lacks);
}

static bool has_origins(const struct sw_problem *problem) {
    bool has = false;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        has |= sw_problem_buffer(problem, b)->origin != NULL;
    }
    return has;
}

static int convert_problem(struct sw_cli *cli, const struct sw_format *format, const struct sw_problem *problem) {
    struct sw_error error = {0};
    struct sw_sink out = {0};
    bool same = true, moment = sw_problem_moment(problem) != NULL;
    if (moment && !format->holds_moments) {
        return sw_cli_tell(SW_ERROR_UNSUPPORTED, cli->output,
                           "one moment of an allocator is written as .json, and its blocks as .csv");
    }
    if (!format->write_problem(problem, &out, &error) ||
        (!format->lossless && !moment && format->read && !same_again(format, problem, &out, &same, &error))) {
        sw_sink_done(&out);
        sw_error_at(&error, cli->output, 0, 0);
        return sw_cli_fail(&error);
    }
    int status = sw_cli_put(cli, &out, 0);
    if (status == 0 && moment && !format->lossless) {
        sw_cli_tell(
            SW_ERROR_UNSUPPORTED, cli->output,
            "note: this format holds the blocks, and not what the text says of sums and of the request that failed");
    }
    if (status == 0 && (!same || (format->lacks && has_origins(problem)))) {
        tell_losses(cli, format, problem);
    }
    return status;
}

/* ---- a log of decisions as a decision trace ---- */

/* The trace is what the log says: nothing may change it. */
static bool as_it_stands(const struct sw_cli *cli, struct sw_error *error) {
    for (enum sw_load_option i = 0; i < SW_LOAD_OPTIONS; i++) {
        if (!sw_cli_trace_without(cli, sw_load_option_name(i), "the log as it stands", error)) {
            return false;
        }
    }
    return true;
}

static bool takes_no_planner(const struct sw_cli *cli, struct sw_error *error) {
    return !cli->planner || sw_fail(error, SW_ERROR_USAGE,
                                    "-p: %s is to be a decision trace, which has the log as it stands; stowage "
                                    "trace FILE -p %s -o NAME.trace writes one of a run",
                                    sw_path_name(cli->output), cli->planner);
}

/* The text that the log stands for, which must be a trace that can be read. */
static bool read_log(struct sw_cli *cli, struct sw_sink *text, struct sw_error *error) {
    const struct sw_format *by = NULL;
    cli->load.print = sw_cli_aside;
    if (!sw_load_text(cli->files[0], &cli->load, text, &by, error)) {
        return false;
    }
    struct sw_input input = {.name = cli->files[0], .bytes = text->text.items, .length = text->text.count};
    if (!by || !sw_format_trace.detect(&input)) {
        sw_fail(error, SW_ERROR_USAGE,
                "this is no log of decisions, which alone become a trace as they stand; stowage trace FILE -o "
                "NAME.trace writes "
                "one of a run");
        sw_error_at(error, cli->files[0], 0, 0);
        return false;
    }
    struct sw_problem *problem = sw_load_input(&input, NULL, error);
    if (!problem && error->code == SW_ERROR_INPUT) {
        by->locate(text, error);
    }
    sw_problem_unref(problem);
    return problem != NULL;
}

static int convert_log(struct sw_cli *cli, bool gzip) {
    struct sw_error error = {0};
    struct sw_sink text = {0};
    bool good = takes_no_planner(cli, &error) && as_it_stands(cli, &error) && sw_cli_spares(cli, cli->output, &error) &&
                read_log(cli, &text, &error);
    struct sw_sink_file *file = good ? sw_sink_file_open(cli->output, gzip, &error) : NULL;
    if (file && !sw_sink_file_pour(file, &text, &error)) {
        sw_sink_file_drop(file);
        file = NULL;
    }
    good = file && sw_sink_file_close(file, &error);
    sw_sink_done(&text);
    return good ? 0 : sw_cli_fail(&error);
}

/* ---- a model as C++ source ---- */

/* The bytes as they are, of a model that can be read. */
static int convert_to_array(struct sw_cli *cli) {
    struct sw_error error = {0};
    struct sw_input input;
    struct sw_sink out = {0};
    if (sw_cli_wants_order(cli)) {
        return sw_cli_convert_order(cli, &sw_format_tflite);
    }
    struct sw_problem *problem = sw_cli_load(cli, NULL);
    if (!problem) {
        return 2;
    }
    sw_problem_unref(problem);
    if (!sw_input_open_array(cli->files[0], cli->load.array, &input, &error)) {
        return sw_cli_fail(&error);
    }
    bool good = sw_format_detect(&input, NULL) == &sw_format_tflite;
    if (good) {
        sw_tflite_source(&out, cli->files[0], sw_input_digest(&input), input.bytes, input.length);
    }
    sw_input_close(&input);
    if (!good) {
        return sw_cli_tell(SW_ERROR_USAGE, cli->output,
                           "only a TensorFlow Lite model becomes an array in C++ source, and %s is none",
                           sw_path_name(cli->files[0]));
    }
    return sw_cli_put(cli, &out, 0);
}

int sw_cli_convert(struct sw_cli *cli) {
    struct sw_error error = {0};
    bool gzip;
    if (sw_cli_wants_array(cli)) {
        return convert_to_array(cli);
    }
    if (cli->output && sw_trace_named(cli->output, &gzip)) {
        return convert_log(cli, gzip);
    }
    const struct sw_format *ordered = cli->output ? sw_format_ordered(cli->output) : NULL;
    if (ordered && sw_cli_wants_order(cli)) {
        return sw_cli_convert_order(cli, ordered);
    }
    if (ordered && !ordered->write_problem) {
        return sw_cli_tell(
            SW_ERROR_USAGE, cli->output,
            "a file of the format %s is written only from one of its kind, in another order: --order FILE, or -p order",
            ordered->name);
    }
    const struct sw_format *format = choose_writer(cli, &error);
    if (!format) {
        return sw_cli_fail(&error);
    }
    struct sw_error note;
    struct sw_problem *problem = sw_cli_load_ordered(cli, &note);
    int status = problem ? convert_problem(cli, format, problem) : 2;
    if (status == 0) {
        sw_cli_tell_order(&note);
    }
    sw_problem_unref(problem);
    return status;
}
