#include "cli/fit/fit_print.h"
#include "cli/fit/fit_write.h"

#include "cli/shared/output.h"
#include "cli/shared/run.h"

static bool go_on(void *tally, uint64_t done, uint64_t count) {
    return sw_tally_go_on(tally, done, count);
}

/* The capacity is what is asked for, and no rule for the plans. One that the file gives is of what is planned. */
static struct sw_problem *load(struct sw_cli *cli) {
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

/* `slack`: bytes that the capacity is less than what was asked for. */
static bool run(struct sw_cli *cli, const struct sw_problem *problem, uint64_t slack, struct sw_fit_result *result, struct sw_error *error) {
    struct sw_tally tally = sw_tally_start(cli, "regions and plans");
    struct sw_fit_request request = {.has_capacity = cli->load.has_capacity,
                                     .capacity = cli->load.capacity > slack ? cli->load.capacity - slack : 0,
                                     .seed = cli->params.seed,
                                     .work = cli->params.work,
                                     .limits = {.macs = cli->max_macs, .calls = cli->max_operators, .go_on = go_on, .context = &tally,
                                                .of_head = cli->load.capacity_of == SW_CAPACITY_OF_HEAD}};
    bool good = sw_fit_run(problem, &request, result, error);
    sw_tally_end(&tally);
    return good;
}

/* Find and write; where the model that was written needs a little more than was summed up, once more with so much less. */
static bool find_and_write(struct sw_cli *cli, const struct sw_problem *problem, enum fit_form form, struct sw_fit_result *result, struct sw_sink *file,
                           struct sw_error *error) {
    enum { ROUNDS = 4 };
    uint64_t slack = 0;
    for (int round = 0; round < ROUNDS; round++) {
        sw_fit_result_done(result);
        sw_sink_done(file);
        if (!run(cli, problem, slack, result, error)) {
            return false;
        }
        struct sw_fit_model *chosen = &result->models.items[result->chosen];
        if (!result->fits || result->chosen == 0) {
            return true;
        }
        if (!fit_write(cli, form, result, file, error)) {
            return false;
        }
        if (!cli->load.has_capacity || cli->load.capacity_of == SW_CAPACITY_OF_HEAD || chosen->arena <= cli->load.capacity) {
            return true;
        }
        slack += chosen->arena - cli->load.capacity;
    }
    result->fits = false;
    return true;
}

/* Before anything is looked for. */
static bool may_change(const struct sw_cli *cli, enum fit_form form, const struct sw_problem *problem, struct sw_error *error) {
    bool good = fit_may_write(cli, form, problem, error);
    if (!good && !*error->file) {
        sw_error_at(error, cli->files[0], 0, 0);
    }
    return good;
}

static void render(const struct sw_cli *cli, const struct sw_fit_result *result, enum sw_output output, struct sw_sink *out) {
    fit_print(cli, result, output, out);
    if (output == SW_OUTPUT_TEXT) {
        sw_cli_clean(out);
    }
}

/* Printed where nothing else goes: on standard output, but for what -o names as a table. */
static int print(struct sw_cli *cli, const struct sw_fit_result *result, enum sw_output output, bool aside, int status) {
    struct sw_sink out = {0};
    struct sw_cli printing = *cli;
    printing.output = aside ? NULL : cli->output;
    render(cli, result, output, &out);
    return sw_cli_put(&printing, &out, status);
}

int sw_cli_fit(struct sw_cli *cli) {
    struct sw_fit_result result = {0};
    struct sw_error error = {0};
    struct sw_sink file = {0};
    enum sw_output output = SW_OUTPUT_TEXT;
    enum fit_form form;
    bool known = fit_form_of(cli, &form, &error), writes = form != FIT_PRINTED;
    if (!known || (!writes && !sw_cli_output(cli, &output, &error))) {
        return sw_cli_fail(&error);
    }
    struct sw_problem *problem = load(cli);
    int status = 2;
    if (problem && writes && !may_change(cli, form, problem, &error)) {
        sw_cli_fail(&error);
    } else if (problem && !(writes ? find_and_write(cli, problem, form, &result, &file, &error) : run(cli, problem, 0, &result, &error))) {
        sw_cli_fail(&error);
    } else if (problem && writes && result.fits && result.chosen > 0) {
        struct sw_sink out = {0};
        render(cli, &result, output, &out);
        status = fit_commit(cli, form, &file, &out);
    } else if (problem) {
        status = print(cli, &result, output, writes, result.fits && !writes ? 0 : 1);
        if (writes && status == 1) {
            sw_fail(&error, SW_ERROR_INFEASIBLE, "%s: nothing is written: %s", cli->output,
                    result.fits ? "no change makes it need less" : "nothing fits");
            sw_cli_fail(&error);
        }
    }
    sw_sink_done(&file);
    sw_fit_result_done(&result);
    sw_problem_unref(problem);
    return status;
}
