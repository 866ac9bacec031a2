/* Rows of a part of the cases as lines of JSON, and many such files put together again. */
#include "cli/experiments/cases.h"
#include "base/base.h"
#include "formats/text/json.h"
#include "formats/text/json_write.h"

#include <jansson.h>

void sw_experiment_write(const struct sw_experiment *experiment, struct sw_sink *out) {
    for (size_t i = 0; i < experiment->wanted.count; i++) {
        size_t at = experiment->wanted.items[i];
        const struct sw_sink *row = &experiment->rows.items[at];
        struct sw_json_out json = {.out = out};
        char digest[17];
        snprintf(digest, sizeof digest, "%016" PRIx64, experiment->digest);
        sw_put_object(&json, NULL);
        sw_put_count(&json, "case", at + 1);
        sw_put_text(&json, "digest", digest);
        sw_sink_add(sw_put_raw(&json, "row"), row->text.items, row->text.count);
        sw_put_end(&json);
        out->failed = out->failed || row->failed;
    }
}

/* ---- merging ---- */

/* Where the row of a case was found; line 0: nowhere yet. */
struct origin {
    const char *file;
    uint32_t line;
};

/* The name of the first column in which two rows differ; NULL: they are the same. */
static const char *shard_difference(const json_t *a, const json_t *b) {
    const char *key;
    const json_t *value;
    json_object_foreach((json_t *)(uintptr_t)a, key, value) {
        if (!json_equal(value, json_object_get(b, key))) {
            return key;
        }
    }
    json_object_foreach((json_t *)(uintptr_t)b, key, value) {
        if (!json_object_get(a, key)) {
            return key;
        }
    }
    return NULL;
}

/* A task that was started again leaves its rows twice: the same ones, for a case gives the same bytes every time. */
static bool same_row(const struct sw_sink *before, const json_t *row, json_int_t at, const struct origin *origin,
                     struct sw_error *error) {
    struct sw_arena memory = {0};
    json_error_t why;
    bool out_of_memory;
    json_t *old = sw_json_parse(&memory, before->text.items, before->text.count, 0, &why, &out_of_memory);
    const char *key = old ? shard_difference(old, row) : NULL;
    bool good = old && !key;
    if (!old) {
        sw_fail_memory(error);
    } else if (key) {
        sw_fail(error, SW_ERROR_INPUT, "case %lld is there twice, and its rows differ in '%s': see %s:%u",
                (long long)at, key, origin->file, origin->line);
    }
    sw_arena_done(&memory);
    return good;
}

static bool take_line(struct sw_experiment *experiment, const json_t *line, struct origin *origins,
                      const struct origin *here, struct sw_error *error) {
    char digest[24];
    const json_t *number = json_object_get(line, "case"), *row = json_object_get(line, "row");
    const char *given = json_string_value(json_object_get(line, "digest"));
    if (!json_is_integer(number) || !given || !json_is_object(row)) {
        return sw_fail(error, SW_ERROR_INPUT, "this is no row of an experiment");
    }
    snprintf(digest, sizeof digest, "%016" PRIx64, experiment->digest);
    if (strcmp(digest, given) != 0) {
        return sw_fail(error, SW_ERROR_INPUT,
                       "this row belongs to another script, other arguments or another version "
                       "(digest %s, not %s)",
                       given, digest);
    }
    json_int_t at = json_integer_value(number);
    if (at < 1 || (uint64_t)at > experiment->rows.count) {
        return sw_fail(error, SW_ERROR_INPUT, "there is no case %lld: there are %zu", (long long)at,
                       experiment->rows.count);
    }
    struct sw_sink *to = &experiment->rows.items[at - 1];
    if (to->text.count > 0) {
        return same_row(to, row, at, &origins[at - 1], error);
    }
    origins[at - 1] = *here;
    char *text = json_dumps(row, JSON_COMPACT | JSON_REAL_PRECISION(17));
    if (!text) {
        return sw_fail_memory(error);
    }
    sw_sink_add(to, text, strlen(text));
    free(text);
    return !to->failed || sw_fail_memory(error);
}

static bool take_file(struct sw_experiment *experiment, const struct sw_input *input, const char *file,
                      struct origin *origins, struct sw_error *error) {
    size_t at = 0;
    for (uint32_t number = 1; at < input->length; number++) {
        const char *begin = input->bytes + at;
        const char *end = memchr(begin, '\n', input->length - at);
        size_t length = end ? (size_t)(end - begin) : input->length - at;
        json_error_t why;
        struct sw_arena memory = {0};
        bool out_of_memory;
        json_t *line = sw_json_parse(&memory, begin, length, 0, &why, &out_of_memory);
        const struct origin here = {file, number};
        bool good = line            ? take_line(experiment, line, origins, &here, error)
                    : out_of_memory ? sw_fail_memory(error)
                                    : sw_fail(error, SW_ERROR_INPUT, "this is no row of an experiment");
        sw_arena_done(&memory);
        if (!good) {
            sw_error_at(error, input->name, number, 0);
            return false;
        }
        at += length + 1;
    }
    return true;
}

/* "2, 5 to 9 and 12" of the cases without a row. */
static bool check_complete(const struct sw_experiment *experiment, struct sw_error *error) {
    char list[160] = "";
    size_t used = 0, missing = 0, count = experiment->rows.count;
    for (size_t i = 0; i < count; i++) {
        size_t first = i;
        while (i < count && experiment->rows.items[i].text.count == 0) {
            i++;
        }
        if (i == first) {
            continue;
        }
        missing += i - first;
        if (used + 50 < sizeof list) {
            int n = i - first > 1
                        ? snprintf(list + used, sizeof list - used, "%s%zu to %zu", used ? ", " : "", first + 1, i)
                        : snprintf(list + used, sizeof list - used, "%s%zu", used ? ", " : "", first + 1);
            used += n > 0 ? (size_t)n : 0;
        } else if (strcmp(list + used, ", ...") != 0) {
            memcpy(list + used, ", ...", 6);
        }
    }
    return missing == 0 || sw_fail(error, SW_ERROR_INPUT, "%zu of %zu cases %s missing: %s", missing, count,
                                   missing == 1 ? "is" : "are", list);
}

bool sw_experiment_merge(struct sw_experiment *experiment, const char *const *files, size_t count,
                         struct sw_error *error) {
    struct origin *origins = SW_NEW_ZERO(struct origin, experiment->rows.count);
    bool good = origins || experiment->rows.count == 0 || sw_fail_memory(error);
    for (size_t i = 0; good && i < count; i++) {
        struct sw_input input;
        good = sw_input_open(files[i], &input, error);
        if (good) {
            good = take_file(experiment, &input, files[i], origins, error);
            sw_input_close(&input);
        }
    }
    SW_FREE(origins, experiment->rows.count);
    return good && check_complete(experiment, error);
}
