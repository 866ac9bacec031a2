/* stowage tune: which settings of an online allocator reserve least for the requests of a file.
 *
 * Each setting is tried alone first. From the best of these, each of another setting, a search goes through the
 * settings one after the other, tries all values of each with the rest as it is, and keeps the best, until nothing gets
 * better. What was tried is not tried again, and all of it is deterministic. */
#include "cli/allocators/tune.h"
#include "base/base.h"

#include "cli/shared/output.h"
#include "cli/subcommands/compare.h"

enum { STARTS = 3, TUNE_ROUNDS = 4 };

/* ---- one trial ---- */

static void write_trial_text(const struct tune *tune, struct tune_trial *trial) {
    size_t used = 0;
    for (size_t a = 0; a < SW_WORTH_AXES && tune->allocator->axes[a].key; a++) {
        const struct sw_worth_axis *axis = &tune->allocator->axes[a];
        if (trial->at[a]) {
            int length = snprintf(trial->text + used, sizeof trial->text - used, "%s%s%c%s", used ? "," : "", axis->key,
                                  tune->allocator->conf ? ':' : '=', axis->values[trial->at[a]]);
            used += (size_t)length;
        }
    }
}

static bool needs_limit(const struct tune *tune, const struct tune_trial *trial) {
    bool needs = trial->recorded && strstr(trial->text, "garbage_collection_threshold");
    for (size_t a = 0; a < SW_WORTH_AXES && tune->allocator->axes[a].key; a++) {
        needs |= tune->allocator->axes[a].needs_limit && trial->at[a];
    }
    return needs;
}

/* What the user sets for all of them, then what this one tries. */
static bool settings_of_trial(const struct tune *tune, const struct tune_trial *trial, struct sw_params *params,
                              struct sw_error *error) {
    char number[24];
    snprintf(number, sizeof number, "%llu", (unsigned long long)trial->limit);
    if (!sw_served_settings(tune->cli, tune->planner, params, error) ||
        (trial->limit != SW_UNBOUNDED && !sw_params_set(params, "limit", number, error)) ||
        (tune->allocator->conf && *trial->text && !sw_params_set(params, "conf", trial->text, error))) {
        return false;
    }
    for (size_t a = 0; !tune->allocator->conf && a < SW_WORTH_AXES && tune->allocator->axes[a].key; a++) {
        const struct sw_worth_axis *axis = &tune->allocator->axes[a];
        if (trial->at[a] && !sw_params_set(params, axis->key, axis->values[trial->at[a]], error)) {
            return false;
        }
    }
    return sw_params_check(params, tune->planner, error);
}

static bool serve_trial(const struct tune *tune, struct tune_trial *trial, struct sw_error *error) {
    struct sw_params params = {0};
    trial->ran = settings_of_trial(tune, trial, &params, error) &&
                 sw_serve(tune->problem, tune->planner, &params, &trial->served, error);
    sw_params_done(&params);
    return trial->ran;
}

/* Runs it and adds it to the trials. Settings that the requests cannot have are a row that says so. */
static bool run_trial(struct tune *tune, struct tune_trial *trial, struct sw_error *error) {
    trial->limit = tune->limit;
    if (tune->limit == SW_UNBOUNDED && needs_limit(tune, trial)) {
        trial->limit = tune->trials.items[0].served.reserved;
    }
    serve_trial(tune, trial, error);
    bool first = tune->trials.count == 0;
    if (!trial->ran && !first && error->code == SW_ERROR_CANCELED) {
        *error = (struct sw_error){0};
        return tune->stopped = true;
    }
    if (!trial->ran && (first || error->code == SW_ERROR_MEMORY)) {
        return false;
    }
    snprintf(trial->why, sizeof trial->why, "%s", trial->ran ? "" : error->message);
    *error = (struct sw_error){0};
    return SW_PUSH(&tune->trials, *trial) || sw_fail_memory(error);
}

bool tune_better(const struct tune_trial *a, const struct tune_trial *b) {
    const struct sw_served *x = &a->served, *y = &b->served;
    size_t length_a = strlen(a->text), length_b = strlen(b->text);
    return a->ran != b->ran             ? a->ran
           : x->ooms != y->ooms         ? x->ooms < y->ooms
           : x->reserved != y->reserved ? x->reserved < y->reserved
           : x->grown != y->grown       ? x->grown < y->grown
           : length_a != length_b       ? length_a < length_b
                                        : strcmp(a->text, b->text) < 0;
}

/* ---- the search ---- */

/* A setting that means nothing without another one stays as it is where that one is not set. */
static void drop_dependent_values(const struct tune *tune, uint8_t at[SW_WORTH_AXES]) {
    for (size_t a = 0; a < SW_WORTH_AXES && tune->allocator->axes[a].key; a++) {
        int with = tune->allocator->axes[a].only_with;
        at[a] = with >= 0 && at[with] == 0 ? 0 : at[a];
    }
}

/* The number of the trial with these values, which runs unless it has been tried. False: it is over, and the number is
 * as it was. */
static bool try_values(struct tune *tune, const uint8_t values[SW_WORTH_AXES], size_t *number, struct sw_error *error) {
    struct tune_trial trial = {.limit = SW_UNBOUNDED};
    memcpy(trial.at, values, sizeof trial.at);
    drop_dependent_values(tune, trial.at);
    for (size_t i = 0; i < tune->trials.count; i++) {
        const struct tune_trial *known = &tune->trials.items[i];
        if (!known->recorded && memcmp(known->at, trial.at, sizeof trial.at) == 0) {
            *number = i;
            return true;
        }
    }
    if (tune->trials.count >= TUNE_MOST) {
        return false;
    }
    if (!sw_tally_go_on(&tune->tally, tune->trials.count, TUNE_MOST)) {
        tune->stopped = true;
        return false;
    }
    write_trial_text(tune, &trial);
    if (!run_trial(tune, &trial, error) || tune->stopped) {
        return false;
    }
    *number = tune->trials.count - 1;
    return true;
}

/* All values of one axis, the others as in the trial `*best`, which becomes the best of them. */
static bool walk_axis(struct tune *tune, size_t axis, size_t *best, struct sw_error *error) {
    uint8_t at[SW_WORTH_AXES];
    memcpy(at, tune->trials.items[*best].at, sizeof at);
    for (uint8_t v = 0; v < SW_WORTH_VALUES && tune->allocator->axes[axis].values[v]; v++) {
        size_t number = *best;
        at[axis] = v;
        if (!try_values(tune, at, &number, error)) {
            return false;
        }
        if (tune_better(&tune->trials.items[number], &tune->trials.items[*best])) {
            *best = number;
        }
    }
    return true;
}

static bool descend(struct tune *tune, size_t from, struct sw_error *error) {
    size_t best = from;
    for (unsigned round = 0; round < TUNE_ROUNDS; round++) {
        size_t before = best;
        for (size_t a = 0; a < SW_WORTH_AXES && tune->allocator->axes[a].key; a++) {
            if (!walk_axis(tune, a, &best, error)) {
                return false;
            }
        }
        if (best == before) {
            break;
        }
    }
    return true;
}

/* Each alone, then from the best value of each setting on, the most promising settings first. */
static void search_settings(struct tune *tune, struct sw_error *error) {
    size_t best[SW_WORTH_AXES] = {0};
    for (size_t a = 0; a < SW_WORTH_AXES && tune->allocator->axes[a].key; a++) {
        const struct sw_worth_axis *axis = &tune->allocator->axes[a];
        uint8_t at[SW_WORTH_AXES] = {0};
        for (uint8_t v = 1; axis->only_with < 0 && v < SW_WORTH_VALUES && axis->values[v]; v++) {
            size_t number = 0;
            at[a] = v;
            if (!try_values(tune, at, &number, error)) {
                return;
            }
            if (v == 1 || tune_better(&tune->trials.items[number], &tune->trials.items[best[a]])) {
                best[a] = number;
            }
        }
    }
    for (size_t start = 0; start < STARTS; start++) {
        size_t most = SW_WORTH_AXES;
        for (size_t a = 0; a < SW_WORTH_AXES; a++) {
            const struct tune_trial *trials = tune->trials.items;
            if (best[a] && (most == SW_WORTH_AXES || tune_better(&trials[best[a]], &trials[best[most]]))) {
                most = a;
            }
        }
        if (most == SW_WORTH_AXES || !descend(tune, best[most], error)) {
            return;
        }
        best[most] = 0;
    }
}

/* ---- what holds the segments ---- */

static bool look_at_held(struct tune *tune, struct sw_error *error) {
    struct sw_params params = {0};
    const struct tune_trial *usual = &tune->trials.items[0];
    struct sw_search *search = settings_of_trial(tune, usual, &params, error)
                                   ? sw_serve_to_peak(tune->problem, &params, &usual->served, error)
                                   : NULL;
    bool good = search && (tune_find_held(search, &tune->held) || sw_fail_memory(error));
    sw_search_free(search);
    sw_params_done(&params);
    return good;
}

/* ---- the command ---- */

static bool choose_allocator(struct tune *tune, struct sw_error *error) {
    const struct sw_requests *told = sw_problem_told_requests(tune->problem);
    if (!told) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED,
                       "tune needs the requests of an online allocator, as snapshots, logs and tables of requests "
                       "tell them");
    }
    tune->planner = tune->cli->planner ? sw_planner_find(tune->cli->planner, error) : NULL;
    if (tune->cli->planner && !tune->planner) {
        return false;
    }
    tune->allocator = sw_worth_trying(tune->planner ? tune->planner->name : told->allocator);
    if (!tune->allocator && tune->planner) {
        return sw_fail(error, SW_ERROR_USAGE, "tune has no settings to try of %s; it has of cuda-caching and bfc-arena",
                       tune->planner->name);
    }
    const struct sw_planner *own = sw_served_own(tune->problem, error);
    if (!own) {
        return false;
    }
    tune->instead = tune->allocator ? NULL : own->name;
    tune->allocator = tune->allocator ? tune->allocator : sw_worth_trying("cuda-caching");
    tune->planner = sw_planner_find(tune->allocator->planner, error);
    return tune->planner != NULL;
}

/* What is searched cannot be set as well. */
static bool check_tuned_settings(const struct tune *tune, struct sw_error *error) {
    for (size_t i = 0; i < tune->cli->params.settings.count; i++) {
        const char *key = tune->cli->params.settings.items[i].key;
        bool searched = strcmp(key, "conf") == 0;
        for (size_t a = 0; a < SW_WORTH_AXES && tune->allocator->axes[a].key; a++) {
            searched |= strcmp(key, tune->allocator->axes[a].key) == 0;
        }
        if (!sw_compare_has_parameter(tune->planner, key)) {
            return sw_params_unknown(tune->planner, key, error);
        }
        if (strcmp(key, "limit") == 0) {
            return sw_fail(error, SW_ERROR_USAGE, "--set limit: say --limit BYTES");
        }
        if (searched) {
            return sw_fail(error, SW_ERROR_USAGE, "--set %s: it is among the settings that are tried", key);
        }
    }
    return true;
}

/* Where requests were refused, what is alive at once without the limit. */
static bool find_tuned_bound(struct tune *tune, struct sw_error *error) {
    struct tune_trial usual = tune->trials.items[0];
    bool refused = usual.served.ooms > 0 && tune->limit != SW_UNBOUNDED;
    usual.limit = SW_UNBOUNDED;
    bool good = !refused || serve_trial(tune, &usual, error);
    tune->bound = usual.served.lower_bound;
    return good;
}

/* The default settings, those of the file, then the search. */
static bool run_trials(struct tune *tune, struct sw_error *error) {
    const struct sw_requests *told = sw_problem_told_requests(tune->problem);
    struct tune_trial usual = {.limit = SW_UNBOUNDED}, recorded = {.limit = SW_UNBOUNDED, .recorded = true};
    tune->tally = sw_tally_start(tune->cli, "settings");
    bool good = run_trial(tune, &usual, error) && find_tuned_bound(tune, error);
    bool own = strcmp(told->allocator, tune->planner->name) == 0;
    if (good && own && tune->allocator->conf && *told->settings) {
        snprintf(recorded.text, sizeof recorded.text, "%s", told->settings);
        good = run_trial(tune, &recorded, error);
    }
    if (good && !tune->stopped) {
        search_settings(tune, error);
        good = error->code == SW_OK;
    }
    if (good && !tune->stopped) {
        good = look_at_held(tune, error);
        if (!good && error->code == SW_ERROR_CANCELED) {
            good = tune->stopped = true;
        }
    }
    sw_tally_end(&tune->tally);
    return good;
}

int sw_cli_tune(struct sw_cli *cli) {
    struct tune tune = {.cli = cli, .limit = cli->limit ? cli->limit : SW_UNBOUNDED};
    struct sw_error error = {0};
    enum sw_output output;
    int status = 2;
    if (!sw_cli_output(cli, &output, &error)) {
        return sw_cli_fail(&error);
    }
    struct sw_problem *problem = sw_cli_load(cli, NULL);
    tune.problem = problem;
    if (problem) {
        bool good = choose_allocator(&tune, &error) && check_tuned_settings(&tune, &error) && run_trials(&tune, &error);
        bool about_file = !*error.file && error.code != SW_ERROR_USAGE && error.code != SW_ERROR_MEMORY;
        sw_error_at(!good && about_file ? &error : NULL, cli->files[0], 0, 0);
        status = good ? tune_print(&tune, output) : sw_cli_fail(&error);
    }
    SW_ARRAY_DONE(&tune.trials);
    sw_problem_unref(problem);
    return status;
}
