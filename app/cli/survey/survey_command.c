/* stowage survey: every model below some folders. */
#include "base/base.h"
#include "base/hash.h"
#include "cli/experiments/cases.h"
#include "cli/shared/output.h"
#include "cli/survey/survey.h"
#include "planners/planner.h"

static bool is_page(const char *path) {
    const char *dot = path ? strrchr(path, '.') : NULL;
    return dot && strcmp(dot, ".html") == 0;
}

/* Before anything is run. */
static bool check_survey(const struct sw_cli *cli, enum sw_output *output, struct sw_error *error) {
    if (cli->merge && (cli->shards || cli->jobs || cli->resume)) {
        return sw_fail(error, SW_ERROR_USAGE, "--merge looks at no model: it goes without --%s",
                       cli->shards ? "shard"
                       : cli->jobs ? "jobs"
                                   : "resume");
    }
    if (is_page(cli->output) && sw_cli_given(cli, "format")) {
        return sw_fail(error, SW_ERROR_USAGE, "--format contradicts the name %s", cli->output);
    }
    for (const char *list = cli->planner; list && *list;) {
        char name[80];
        size_t length = strcspn(list, ",");
        snprintf(name, sizeof name, "%.*s", (int)SW_MIN(length, sizeof name - 1), list);
        if (!sw_planner_find(name, error)) {
            return false;
        }
        list += length + (list[length] == ',');
    }
    return sw_cli_output(cli, output, error);
}

/* What a row follows from, besides its file. */
static void digest_settings(struct sw_survey *survey) {
    const struct sw_cli *cli = survey->cli;
    char numbers[200];
    snprintf(numbers, sizeof numbers, "%s %" PRIu64 " %" PRIu64 " %" PRIu64 " %.17g %" PRIu64, SW_VERSION,
             cli->params.seed, cli->params.work, cli->effort, cli->time_limit, cli->memory_limit);
    uint64_t digest = sw_fold_bytes(0, numbers, strlen(numbers));
    digest = sw_fold_bytes(digest, cli->conditions, strlen(cli->conditions));
    digest = sw_fold_bytes(digest, cli->planner ? cli->planner : "", cli->planner ? strlen(cli->planner) : 0);
    for (size_t i = 0; i < cli->params.settings.count; i++) {
        const struct sw_setting *setting = &cli->params.settings.items[i];
        digest = sw_fold_bytes(digest, setting->key, strlen(setting->key) + 1);
        digest = sw_fold_bytes(digest, setting->value, strlen(setting->value) + 1);
    }
    snprintf(survey->digest, sizeof survey->digest, "%016" PRIx64, digest);
}

/* All, or those of one machine: I, I + N, I + 2 N ... */
static bool choose_models(struct sw_survey *survey, struct sw_error *error) {
    const struct sw_cli *cli = survey->cli;
    for (size_t i = 0; i < survey->models.count; i++) {
        bool own = !cli->shards || i % cli->shards == cli->shard - 1;
        bool known = survey->models.items[i].line.text.count > 0;
        survey->known += own && known;
        if (own && !known && !SW_PUSH(&survey->wanted, (uint32_t)i)) {
            return sw_fail_memory(error);
        }
    }
    return true;
}

static bool look_at_all(struct sw_survey *survey, struct sw_error *error) {
    sw_cli_catch_interrupt();
    return sw_survey_find(survey, error) && sw_survey_keep(survey, survey->cli->resume, error) &&
           choose_models(survey, error) && sw_survey_run(survey, error);
}

/* Of a part, its rows, for --merge. */
static int write_part(const struct sw_survey *survey) {
    const struct sw_cli *cli = survey->cli;
    struct sw_sink out = {0};
    for (size_t i = 0; i < survey->models.count; i++) {
        const struct sw_sink *line = &survey->models.items[i].line;
        if (i % cli->shards == cli->shard - 1) {
            sw_sink_add(&out, line->text.items, line->text.count);
        }
    }
    return sw_cli_put(cli, &out, 0);
}

static int write_report(const struct sw_survey *survey, struct survey_summary *summary, enum sw_output output) {
    struct sw_sink page = {0};
    if (!is_page(survey->cli->output)) {
        return sw_survey_print(survey->cli, summary, output);
    }
    sw_survey_page(summary, &page);
    return sw_cli_put(survey->cli, &page, 0);
}

/* Of a report that is written: 0, 1 where some models were not looked at to the end, or 2 where none was, which is bad
 * input and said as such. */
static int survey_status(const struct survey_summary *summary) {
    size_t count = summary->rows.count;
    if (count == summary->done) {
        return 0;
    }
    if (summary->done > 0) {
        return 1;
    }
    const struct survey_told *first = &summary->rows.items[0];
    struct sw_error error = {0};
    const char *why = first->why ? first->why : first->state;
    count == 1 ? sw_fail(&error, SW_ERROR_INPUT, "%s", why)
               : sw_fail(&error, SW_ERROR_INPUT, "%s (none of %zu models was looked at to the end)", why, count);
    sw_error_at(&error, first->model, 0, 0);
    return sw_cli_fail(&error);
}

static int survey_models(struct sw_survey *survey, enum sw_output output) {
    struct sw_error error = {0};
    struct survey_summary summary = {0};
    bool good = survey->cli->merge ? sw_survey_merge(survey, &error) : look_at_all(survey, &error);
    good = good && (survey->cli->shards || sw_survey_summarize(survey, &summary, &error));
    int status = !good                 ? sw_cli_fail(&error)
                 : survey->cli->shards ? write_part(survey)
                                       : write_report(survey, &summary, output);
    sw_survey_kept(survey, status == 0);
    if (status == 0) {
        status = survey_status(&summary);
    }
    sw_survey_summary_done(&summary);
    return status;
}

int sw_cli_survey(struct sw_cli *cli) {
    struct sw_survey survey = {.cli = cli, .part = -1};
    struct sw_error error = {0};
    enum sw_output output;
    int status;
    cli->load.print = sw_cli_aside;
    if (check_survey(cli, &output, &error)) {
        digest_settings(&survey);
        status = survey_models(&survey, output);
    } else {
        status = sw_cli_fail(&error);
    }
    for (size_t i = 0; i < survey.models.count; i++) {
        sw_sink_done(&survey.models.items[i].line);
    }
    SW_ARRAY_DONE(&survey.models, &survey.wanted);
    sw_arena_done(&survey.arena);
    return status;
}
