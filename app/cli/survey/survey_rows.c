/* Rows of a survey as lines of JSON: kept while it goes on, taken up again, and put together from several parts. */
#include "base/base.h"
#include "cli/survey/survey.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void part_name(const struct sw_survey *survey, char path[4096]) {
    snprintf(path, 4096, "%s.part", survey->cli->output);
}

void sw_survey_row(struct sw_survey *survey, struct survey_model *model, const char *state, const char *why,
                   const struct sw_sink *figures) {
    struct sw_json_out json = {.out = &model->line};
    sw_put_object(&json, NULL);
    sw_put_text(&json, "model", model->path);
    sw_put_text(&json, "survey", survey->digest);
    sw_put_count(&json, "of", survey->models.count);
    sw_put_count(&json, "size", model->size);
    sw_put_time(&json, "changed", model->mtime);
    sw_put_text(&json, "state", state);
    sw_put_text(&json, "why", *why ? why : NULL);
    if (figures->text.count) {
        sw_sink_add(sw_put_raw(&json, "figures"), figures->text.items, figures->text.count);
    } else {
        sw_put_null(&json, "figures");
    }
    sw_put_end(&json);
    model->line.failed |= figures->failed;
    /* A full disk is noticed when all is written; until then it costs the rows that --resume would have had. */
    if (survey->part >= 0 && !model->line.failed &&
        write(survey->part, model->line.text.items, model->line.text.count) < 0) {
        close(survey->part);
        survey->part = -1;
    }
}

/* ---- taking them ---- */

static struct survey_model *find_model(struct sw_survey *survey, const char *path) {
    size_t low = 0, high = survey->models.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(survey->models.items[middle].path, path);
        if (order == 0) {
            return &survey->models.items[middle];
        }
        low = order < 0 ? middle + 1 : low;
        high = order < 0 ? high : middle;
    }
    return NULL;
}

/* A row of this survey, of a file that has not changed since. */
static bool take_kept_line(struct sw_survey *survey, const json_t *row, const char *text, size_t length,
                           struct sw_error *error) {
    struct survey_model *model = find_model(survey, json_string_value(json_object_get(row, "model")));
    const json_t *size = json_object_get(row, "size"), *changed = json_object_get(row, "changed");
    if (model && model->line.text.count == 0 &&
        strcmp(json_string_value(json_object_get(row, "survey")), survey->digest) == 0 &&
        (uint64_t)json_integer_value(size) == model->size && json_integer_value(changed) == model->mtime) {
        sw_sink_add(&model->line, text, length);
        sw_sink_add(&model->line, "\n", 1);
        return !model->line.failed || sw_fail_memory(error);
    }
    return true;
}

/* A row of a part: its model is one of the whole. */
static bool take_part_line(struct sw_survey *survey, const json_t *row, const char *text, size_t length,
                           struct sw_error *error) {
    const char *path = json_string_value(json_object_get(row, "model"));
    const char *digest = json_string_value(json_object_get(row, "survey"));
    uint64_t of = (uint64_t)json_integer_value(json_object_get(row, "of"));
    if (survey->models.count == 0) {
        snprintf(survey->digest, sizeof survey->digest, "%s", digest);
        survey->of = of;
    }
    if (strcmp(digest, survey->digest) != 0 || of != survey->of) {
        return sw_fail(error, SW_ERROR_INPUT,
                       "this row belongs to another survey than the first: other options, another "
                       "version, or other files");
    }
    struct survey_model model = {.path = sw_arena_string(&survey->arena, path, strlen(path))};
    sw_sink_add(&model.line, text, length);
    sw_sink_add(&model.line, "\n", 1);
    if (!model.path || model.line.failed || !SW_PUSH(&survey->models, model)) {
        sw_sink_done(&model.line);
        return sw_fail_memory(error);
    }
    return true;
}

static bool is_survey_state(const json_t *state) {
    static const char *const states[] = {"done", "refused", "unread", "time", "memory", "crashed"};
    bool known = false;
    for (size_t i = 0; json_is_string(state) && i < sizeof states / sizeof *states; i++) {
        known |= strcmp(json_string_value(state), states[i]) == 0;
    }
    return known;
}

static bool is_survey_row(const json_t *row) {
    return json_is_string(json_object_get(row, "model")) && json_is_string(json_object_get(row, "survey")) &&
           is_survey_state(json_object_get(row, "state")) && json_is_integer(json_object_get(row, "of")) &&
           json_is_integer(json_object_get(row, "size")) && json_is_integer(json_object_get(row, "changed"));
}

/* `kept`: the file was being written when the survey was stopped, maybe within its last line. */
static bool take_survey_rows(struct sw_survey *survey, const char *file, bool kept, struct sw_error *error) {
    struct sw_input input;
    if (!sw_input_open(file, &input, error)) {
        return false;
    }
    bool good = true;
    uint32_t number = 1;
    for (size_t at = 0; good && at < input.length; number++) {
        const char *begin = input.bytes + at, *end = memchr(begin, '\n', input.length - at);
        size_t length = end ? (size_t)(end - begin) : input.length - at;
        struct sw_arena memory = {0};
        json_error_t why;
        bool out_of_memory;
        json_t *row = sw_json_parse(&memory, begin, length, 0, &why, &out_of_memory);
        if (!row && out_of_memory) {
            good = sw_fail_memory(error);
        } else if (row && is_survey_row(row)) {
            good = kept ? take_kept_line(survey, row, begin, length, error)
                        : take_part_line(survey, row, begin, length, error);
        } else {
            good = (kept && !end) || sw_fail(error, SW_ERROR_INPUT, "this is no row of a survey");
        }
        sw_error_at(good ? NULL : error, input.name, number, 0);
        sw_arena_done(&memory);
        at += length + 1;
    }
    sw_input_close(&input);
    return good;
}

/* A task that was started again leaves its rows twice: the same ones. */
static bool drop_twice(struct sw_survey *survey, struct sw_error *error) {
    size_t kept = 0;
    for (size_t i = 0; i < survey->models.count; i++) {
        struct survey_model *model = &survey->models.items[i], *before = kept ? &survey->models.items[kept - 1] : NULL;
        if (!before || strcmp(before->path, model->path) != 0) {
            struct survey_model moved = *model;
            model->line = (struct sw_sink){0};
            survey->models.items[kept++] = moved;
        } else if (before->line.text.count != model->line.text.count ||
                   memcmp(before->line.text.items, model->line.text.items, model->line.text.count) != 0) {
            return sw_fail(error, SW_ERROR_INPUT, "%s is there twice, and its rows differ", model->path);
        }
    }
    for (size_t i = kept; i < survey->models.count; i++) {
        sw_sink_done(&survey->models.items[i].line);
    }
    survey->models.count = kept;
    return true;
}

bool sw_survey_merge(struct sw_survey *survey, struct sw_error *error) {
    bool good = true;
    for (size_t i = 0; good && i < survey->cli->file_count; i++) {
        good = take_survey_rows(survey, survey->cli->files[i], false, error);
    }
    if (good && survey->models.count) {
        qsort(survey->models.items, survey->models.count, sizeof *survey->models.items, sw_survey_by_path);
    }
    return good && drop_twice(survey, error) &&
           (survey->models.count == survey->of ||
            sw_fail(error, SW_ERROR_INPUT, "rows of %zu of %" PRIu64 " files are there: a part is missing",
                    survey->models.count, survey->of));
}

/* ---- keeping them ---- */

static bool fail_at_part(struct sw_error *error, const char *path, const char *why) {
    sw_fail(error, SW_ERROR_IO, "%s", why);
    sw_error_at(error, path, 0, 0);
    return false;
}

bool sw_survey_keep(struct sw_survey *survey, bool resume, struct sw_error *error) {
    char path[4096];
    struct stat about;
    survey->part = -1;
    if (!survey->cli->output || strcmp(survey->cli->output, "-") == 0) {
        return !resume || sw_fail(error, SW_ERROR_USAGE, "--resume goes on with what -o began: name the file");
    }
    part_name(survey, path);
    bool there = lstat(path, &about) == 0;
    if (there && !S_ISREG(about.st_mode)) {
        return fail_at_part(error, path, "this is no file");
    }
    if (there && !resume && about.st_size > 0) {
        return fail_at_part(
            error, path,
            "the rows of a survey that was stopped: --resume goes on with them; remove the file to begin anew");
    }
    if (there && !take_survey_rows(survey, path, true, error)) {
        return false;
    }
    survey->part = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (survey->part < 0) {
        return fail_at_part(error, path, strerror(errno));
    }
    for (size_t i = 0; i < survey->models.count; i++) { /* without what was cut off, or is of files that have changed */
        const struct sw_sink *line = &survey->models.items[i].line;
        if (line->text.count && write(survey->part, line->text.items, line->text.count) < 0) {
            return fail_at_part(error, path, strerror(errno));
        }
    }
    return true;
}

void sw_survey_kept(struct sw_survey *survey, bool done) {
    char path[4096];
    struct stat about;
    if (survey->part < 0) {
        return;
    }
    part_name(survey, path);
    bool empty = fstat(survey->part, &about) == 0 && about.st_size == 0;
    close(survey->part);
    survey->part = -1;
    if (done || empty) {
        unlink(path);
    }
}
