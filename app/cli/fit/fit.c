#include "cli/fit/fit.h"

#include "cli/shared/output.h"
#include "cli/shared/run.h"
#include "formats/tflite/write/tflite_fit.h"

#include <string.h>

static bool go_on(void *tally, uint64_t done, uint64_t count) {
    return sw_tally_go_on(tally, done, count);
}

/* The capacity is what is asked for, and no rule for the plans. */
static struct sw_problem *load(struct sw_cli *cli) {
    bool has_capacity = cli->load.has_capacity;
    cli->load.has_capacity = false;
    struct sw_problem *problem = sw_cli_load(cli, NULL);
    cli->load.has_capacity = has_capacity;
    return problem;
}

static bool run(struct sw_cli *cli, const struct sw_problem *problem, struct sw_fit_result *result, struct sw_error *error) {
    struct sw_tally tally = sw_tally_start(cli, "regions and plans");
    struct sw_fit_request request = {.has_capacity = cli->load.has_capacity,
                                     .of_head = cli->load.capacity_of == SW_CAPACITY_OF_HEAD,
                                     .capacity = cli->load.capacity,
                                     .seed = cli->params.seed,
                                     .limits = {.macs = cli->max_macs, .calls = cli->max_operators, .go_on = go_on, .context = &tally}};
    bool good = sw_fit_run(problem, &request, result, error);
    sw_tally_end(&tally);
    return good;
}

/* The chosen model, written into the file. */
static bool write_model(const struct sw_cli *cli, const struct sw_fit_result *result, struct sw_sink *out, struct sw_error *error) {
    const struct sw_fit_model *chosen = &result->models.items[result->chosen];
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal;
    struct sw_input input;
    if (!sw_input_open_array(cli->files[0], cli->load.array, &input, error)) {
        return false;
    }
    bool good = sw_fit_program_make(result->problem, chosen->regions, chosen->region_count, &program, &refusal) || sw_fail_memory(error);
    good = good && tflite_write_fit(&input, &cli->load, &program, chosen->layout, out, error);
    sw_fit_program_done(&program);
    sw_input_close(&input);
    return good;
}

static bool check_output(const struct sw_cli *cli, bool *model, struct sw_error *error) {
    const char *dot = cli->output ? strrchr(cli->output, '.') : NULL;
    *model = dot && strcmp(dot, ".tflite") == 0;
    return !*model || !cli->has_format || sw_fail(error, SW_ERROR_USAGE, "--format is of what is printed; -o %s is the model", cli->output);
}

int sw_cli_fit(struct sw_cli *cli) {
    struct sw_fit_result result = {0};
    struct sw_error error = {0};
    struct sw_sink out = {0};
    enum sw_output output = SW_OUTPUT_TEXT;
    bool writes;
    int status = 2;
    if (!check_output(cli, &writes, &error) || (!writes && !sw_cli_output(cli, &output, &error))) {
        return sw_cli_fail(&error);
    }
    struct sw_problem *problem = load(cli);
    if (problem && !run(cli, problem, &result, &error)) {
        sw_cli_fail(&error);
    } else if (problem && writes && result.fits && result.chosen > 0) {
        struct sw_sink model = {0};
        status = write_model(cli, &result, &model, &error) ? sw_cli_put(cli, &model, 0) : sw_cli_fail(&error);
        sw_sink_done(&model);
        if (status == 0) {
            struct sw_cli printing = *cli;
            printing.output = NULL;
            fit_print(cli, &result, SW_OUTPUT_TEXT, &out);
            sw_cli_clean(&out);
            status = sw_cli_put(&printing, &out, 0);
        }
    } else if (problem) {
        struct sw_cli printing = *cli;
        printing.output = writes ? NULL : cli->output;
        fit_print(cli, &result, output, &out);
        if (output == SW_OUTPUT_TEXT) {
            sw_cli_clean(&out);
        }
        status = sw_cli_put(&printing, &out, result.fits && !(writes && result.chosen == 0) ? 0 : 1);
        if (writes) {
            sw_fail(&error, SW_ERROR_INFEASIBLE, result.fits ? "nothing is written: nothing is better than the model as it is" : "nothing is written");
            sw_cli_fail(&error);
        }
    }
    sw_fit_result_done(&result);
    sw_problem_unref(problem);
    return status;
}
