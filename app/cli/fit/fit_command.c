#include "cli/fit/fit_parts.h"

#include "cli/shared/output.h"
#include "cli/shared/pictures.h"
#include "cli/shared/run.h"
#include "formats/graphs/moves_file.h"
#include "problem/builder.h"

static bool fit_goes_on(void *tally, uint64_t done, uint64_t count) {
    return sw_tally_go_on(tally, done, count);
}

/* The capacity is what is asked for, and no rule for the plans. One that the file gives is of what is planned. */
static struct sw_problem *load_to_fit(struct sw_cli *cli) {
    bool has_capacity = cli->load.has_capacity;
    cli->load.has_capacity = false;
    struct sw_problem *problem = sw_cli_load(cli, NULL);
    cli->load.has_capacity = has_capacity;
    if (problem && !has_capacity && sw_problem_tier(problem, 0)->capacity != SW_UNBOUNDED) {
        cli->load.has_capacity = true;
        cli->load.capacity = sw_problem_tier(problem, 0)->capacity;
        cli->load.capacity_of = SW_CAPACITY_OF_HEAD;
    }
    return problem;
}

/* A model of ONNX, which has no plan: it is written with strips alone. */
static bool knows_copies_alone(const struct sw_problem *problem) {
    bool told = false;
    for (uint32_t op = 0; op < sw_problem_operator_count(problem); op++) {
        const struct sw_op_window *window = sw_problem_operator(problem, op)->window;
        told = told || (window && window->told);
    }
    return told;
}

/* Those that can be written, where nothing else was asked for. Results over arguments are exact with the reference
 * kernels. */
static unsigned given_moves(const struct sw_cli *cli, const struct sw_problem *problem) {
    unsigned moves = SW_FIT_MAY(SW_FIT_STRIPS) | SW_FIT_MAY(SW_FIT_ORDER) | SW_FIT_MAY(SW_FIT_RECOMPUTE);
    moves |= cli->load.kernels < SW_KERNELS_CMSIS ? SW_FIT_MAY(SW_FIT_INPLACE) : 0;
    return cli->moves ? cli->moves : knows_copies_alone(problem) ? SW_FIT_MAY(SW_FIT_STRIPS) : moves;
}

/* What is asked of the engine. False: --resolver names what is no operator. */
static bool make_request(const struct sw_cli *cli, const struct sw_problem *problem, struct sw_fit_request *request,
                         struct sw_error *error) {
    /* That a result may lie over an argument is known of the reference kernels. */
    *request = (struct sw_fit_request){.has_capacity = cli->load.has_capacity,
                                       .capacity = cli->load.capacity,
                                       .seed = cli->params.seed,
                                       .work = cli->params.work,
                                       .moves = given_moves(cli, problem),
                                       .limits = {.macs = cli->max_macs,
                                                  .calls = cli->max_operators,
                                                  .flash = cli->max_flash,
                                                  .of_head = cli->load.capacity_of == SW_CAPACITY_OF_HEAD}};
    return !cli->resolver || fit_resolver_lacking(cli->resolver, problem, &request->limits.lacking, error);
}

/* The model with its first memory alone, which all of it is planned in. */
static struct sw_problem *in_first_memory(const struct sw_problem *problem, struct sw_error *error) {
    struct sw_builder *builder = sw_builder_from(problem, error);
    struct sw_problem *first = NULL;
    if (builder) {
        sw_builder_clear_tiers(builder);
        first = sw_builder_tier(builder, sw_problem_tier(problem, 0), error) ? sw_builder_finish(builder, error) : NULL;
    }
    sw_builder_free(builder);
    return first;
}

/* Somewhere to go, and something that has to fit. The model is planned in its first memory then. */
static bool take_memories(const struct sw_cli *cli, struct sw_problem **problem, struct sw_problem **memories,
                          struct sw_error *error) {
    if (sw_problem_tier_count(*problem) < 2) {
        return sw_fail(error, SW_ERROR_USAGE,
                       "--moves spill: there is no other memory to move to: name one with --tiers");
    }
    if (!cli->load.has_capacity) {
        return sw_fail(error, SW_ERROR_USAGE, "--moves spill: tell with --capacity what it has to fit into");
    }
    *memories = *problem;
    *problem = in_first_memory(*memories, error);
    return *problem != NULL;
}

/* The moves of a list in place of a search. */
static bool take_listed_moves(const struct sw_cli *cli, const struct sw_problem *problem,
                              const struct sw_fit_request *request, struct sw_fit_result *result,
                              struct sw_error *error) {
    struct sw_fit_region *regions;
    struct sw_input input;
    size_t count;
    if (cli->moves) {
        return sw_fail(error, SW_ERROR_USAGE, "--moves says what to look for, and with --take nothing is looked for");
    }
    if (!sw_input_open(cli->take, &input, error)) {
        return false;
    }
    bool good = sw_moves_file_read(&input, problem, &regions, &count, error) &&
                sw_fit_take(problem, request, regions, count, result, error);
    SW_FREE(regions, count);
    sw_input_close(&input);
    return good;
}

static bool run_fit(struct sw_cli *cli, const struct sw_problem *problem, const struct sw_problem *memories,
                    struct sw_fit_result *result, struct sw_error *error) {
    struct sw_fit_request request;
    if (!make_request(cli, problem, &request, error)) {
        return false;
    }
    struct sw_tally tally = sw_tally_start(cli, "regions and plans");
    request.limits.go_on = fit_goes_on;
    request.limits.context = &tally;
    request.memories = memories;
    bool good = (cli->take ? take_listed_moves(cli, problem, &request, result, error)
                           : sw_fit_run(problem, &request, result, error)) &&
                sw_fit_find_effects(result, &request, error);
    sw_tally_end(&tally);
    return good;
}

static bool find_and_write(struct sw_cli *cli, const struct sw_problem *problem, const struct sw_problem *memories,
                           enum fit_form form, struct sw_fit_result *result, struct sw_sink *file,
                           struct sw_error *error) {
    if (!run_fit(cli, problem, memories, result, error)) {
        return false;
    }
    if (!result->fits || result->chosen == 0) {
        return true;
    }
    if (result->models.items[result->chosen].moved > 0) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED,
                       "it fits only with tensors that wait in another memory (spill), which no interpreter of such a "
                       "file does: nothing is written");
    }
    return fit_write(cli, form, result, file, error);
}

/* Before anything is looked for. */
static bool may_change_model(const struct sw_cli *cli, enum fit_form form, const struct sw_problem *problem,
                             struct sw_error *error) {
    bool good = fit_may_write(cli, form, problem, error);
    sw_error_at(good || *error->file ? NULL : error, cli->files[0], 0, 0);
    return good;
}

/* The model goes into a file of its kind, a picture into an .svg, .png, .pdf or .html; what is printed into a table,
 * JSON or text. */
static bool check_fit_output(const struct sw_cli *cli, enum fit_form *form, bool *picture, struct sw_error *error) {
    struct sw_cli without = *cli;
    struct sw_error own = {0};
    bool known = fit_form_of(cli, form, &own);
    without.output = *form != FIT_PRINTED ? NULL : cli->output; /* a model is no picture */
    bool good = (!known && *form == FIT_PRINTED) || sw_picture_asked(&without, picture, error);
    if (good && !known) {
        *error = own;
    }
    return good && known && fit_picture_check(cli, error);
}

/* Printed where nothing else goes: on standard output, but for what -o names as a table. The exit status. */
static int print_fit(const struct sw_cli *cli, enum fit_form form, bool picture, enum sw_output output,
                     const struct sw_fit_result *result, struct sw_sink *file) {
    struct sw_cli_report report;
    struct sw_cli printing = *cli;
    bool writes = form != FIT_PRINTED, changed = result->fits && result->chosen > 0;
    printing.output = writes || picture ? NULL : cli->output;
    sw_cli_report_start(&report, output);
    fit_print(cli, result, &report);
    int status = writes && changed ? fit_commit(cli, form, file, &report)
                                   : sw_cli_report_finish(&printing, &report, result->fits && !writes ? 0 : 1);
    sw_cli_report_drop(&report);
    if (writes && !changed && status == 1) {
        sw_cli_tell(SW_ERROR_INFEASIBLE, NULL, "%s: nothing is written: %s", cli->output,
                    result->fits ? "no change makes it need less" : "nothing fits");
    }
    return status;
}

int sw_cli_fit(struct sw_cli *cli) {
    struct sw_fit_result result = {0};
    struct sw_error error = {0};
    struct sw_sink file = {0};
    enum sw_output output = SW_OUTPUT_TEXT;
    enum fit_form form = FIT_PRINTED;
    bool picture = false, known = check_fit_output(cli, &form, &picture, &error), writes = form != FIT_PRINTED;
    if (!known || (!writes && !picture && !sw_cli_output(cli, &output, &error))) {
        return sw_cli_fail(&error);
    }
    struct sw_problem *problem = load_to_fit(cli), *memories = NULL;
    int status = 2;
    bool good = problem &&
                (!(cli->moves & SW_FIT_MAY(SW_FIT_SPILL)) || take_memories(cli, &problem, &memories, &error)) &&
                (writes ? may_change_model(cli, form, problem, &error) &&
                              find_and_write(cli, problem, memories, form, &result, &file, &error)
                        : run_fit(cli, problem, memories, &result, &error)) &&
                (!picture || fit_picture(cli, &result, &error));
    if ((problem || memories) && !good) {
        sw_cli_fail(&error);
    } else if (good) {
        status = print_fit(cli, form, picture, output, &result, &file);
    }
    sw_sink_done(&file);
    sw_fit_result_done(&result);
    sw_problem_unref(memories);
    sw_problem_unref(problem);
    return status;
}
