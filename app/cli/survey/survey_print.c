/* The report of a survey, for people and for programs. */
#include "base/base.h"
#include "base/sort.h"
#include "cli/report/cli_report.h"
#include "cli/shared/output.h"
#include "cli/survey/survey.h"

/* ---- rows ---- */

bool sw_survey_failed(const struct survey_told *told) {
    return strcmp(told->state, "done") != 0;
}

bool sw_survey_count(const json_t *value, uint64_t *count) {
    bool known = json_is_integer(value) && json_integer_value(value) >= 0;
    *count = known ? (uint64_t)json_integer_value(value) : 0;
    return known;
}

static bool known_count(const json_t *figures, const char *key, uint64_t *count) {
    return sw_survey_count(json_object_get(figures, key), count);
}

static bool tell_surveyed(const struct survey_model *model, struct survey_summary *summary, struct sw_error *error) {
    struct sw_arena tree = {0};
    json_error_t why;
    bool out_of_memory;
    const json_t *row = sw_json_parse(&tree, model->line.text.items, model->line.text.count, 0, &why, &out_of_memory);
    const char *state = json_string_value(json_object_get(row, "state"));
    struct survey_told told = {.model = model->path, .state = state};
    if (row && state && strcmp(state, "unread") == 0) {
        summary->unread++;
        sw_arena_done(&tree);
        return true;
    }
    if (!row || !state || !SW_PUSH(&summary->trees, tree)) {
        sw_arena_done(&tree);
        return row && !state ? sw_fail(error, SW_ERROR_INPUT, "this is no row of a survey") : sw_fail_memory(error);
    }
    const json_t *figures = json_object_get(row, "figures"), *helps = json_object_get(figures, "helps");
    told.why = json_string_value(json_object_get(row, "why"));
    told.figures = json_is_object(figures) ? figures : NULL;
    told.has_bound = known_count(figures, "lower_bound", &told.bound);
    told.has_best = known_count(figures, "best", &told.best);
    told.planner = json_string_value(json_object_get(figures, "best_planner"));
    known_count(figures, "order_saves", &told.order_saves);
    told.helps = json_is_object(helps) ? helps : NULL;
    summary->done += !sw_survey_failed(&told);
    summary->over += told.has_best && told.has_bound && told.best > told.bound ? told.best - told.bound : 0;
    return SW_PUSH(&summary->rows, told) || sw_fail_memory(error);
}

bool sw_survey_summarize(const struct sw_survey *survey, struct survey_summary *summary, struct sw_error *error) {
    bool good = true;
    for (size_t i = 0; good && i < survey->models.count; i++) {
        good = survey->models.items[i].line.text.count == 0 || tell_surveyed(&survey->models.items[i], summary, error);
    }
    return good;
}

void sw_survey_summary_done(struct survey_summary *summary) {
    for (size_t i = 0; i < summary->trees.count; i++) {
        sw_arena_done(&summary->trees.items[i]);
    }
    SW_ARRAY_DONE(&summary->rows, &summary->trees);
}

static uint64_t bytes_over(const struct survey_told *told) {
    return told->has_best && told->has_bound && told->best > told->bound ? told->best - told->bound : 0;
}

int sw_survey_worse(const void *of_a, const void *of_b) {
    const struct survey_told *a = of_a, *b = of_b;
    uint64_t left = bytes_over(a), right = bytes_over(b);
    return left != right ? SW_COMPARE(right, left) : strcmp(a->model, b->model);
}

/* ---- JSON ---- */

/* A tree as it was read: jansson's own writer may lose a part of it where memory lacks, and not say so. */
static void put_json_tree(struct sw_json_out *json, const char *key, const json_t *value) {
    const char *name;
    const json_t *part;
    size_t at;
    if (json_is_object(value)) {
        sw_put_object(json, key);
        json_object_foreach((json_t *)(uintptr_t)value, name, part) {
            put_json_tree(json, name, part);
        }
        sw_put_end(json);
    } else if (json_is_array(value)) {
        sw_put_list(json, key);
        json_array_foreach((json_t *)(uintptr_t)value, at, part) {
            put_json_tree(json, NULL, part);
        }
        sw_put_end(json);
    } else if (json_is_string(value)) {
        sw_put_text(json, key, json_string_value(value));
    } else if (json_is_integer(value)) {
        sw_put_time(json, key, json_integer_value(value));
    } else if (json_is_boolean(value)) {
        sw_put_truth(json, key, json_is_true(value));
    } else {
        sw_put_number(json, key, json_is_real(value) ? json_real_value(value) : (double)NAN);
    }
}

static void put_told_json(const struct survey_told *told, struct sw_json_out *json) {
    sw_put_object(json, NULL);
    sw_put_text(json, "model", told->model);
    sw_put_text(json, "state", told->state);
    sw_put_text(json, "why", told->why);
    put_json_tree(json, "figures", told->figures);
    sw_put_end(json);
}

static void put_survey_json(const struct survey_summary *summary, struct sw_json_out *json) {
    sw_put_object(json, NULL);
    SW_PUT_COUNTS(json, {"done", summary->done}, {"not_done", summary->rows.count - summary->done},
                  {"unread", summary->unread}, {"over_bound", summary->over});
    sw_put_list(json, "models");
    sw_put_lines(json);
    for (size_t i = 0; i < summary->rows.count; i++) {
        put_told_json(&summary->rows.items[i], json);
    }
    sw_put_end(json);
    sw_put_end(json);
}

/* ---- tables ---- */

static const struct sw_report_column survey_columns[] = {
    {.name = "model", .left = true},
    {.csv = "state", .left = true},
    {.csv = "operators"},
    {.csv = "buffers"},
    {.csv = "lower_bound", .head = "bound", .none = "-"},
    {.csv = "best", .head = "best", .none = "-"},
    {.csv = "over_bound", .head = "over", .none = "-"},
    {.csv = "best_planner", .head = "planner", .left = true, .rank = 2},
    {.csv = "order_saves", .head = "order saves", .none = "-", .rank = 1},
    {.csv = "help_saves", .head = "help saves", .none = "-", .rank = 4},
    {.csv = "help", .head = "what would help", .left = true, .rank = 3},
    {.csv = "largest", .left = true},
    {.csv = "planners", .left = true},
    {.csv = "why", .left = true}};

/* "conv_1_out 9,216; ..." or "first-fit 5120; ...": the members of a list. */
static void put_pairs(struct sw_cli_report *out, const json_t *list, const char *value_key) {
    struct sw_sink text = {0};
    size_t at;
    const json_t *item;
    json_array_foreach((json_t *)(uintptr_t)list, at, item) {
        uint64_t value;
        const char *name = json_string_value(json_object_get(item, "name"));
        bool known = known_count(item, value_key, &value);
        sw_sink_printf(&text, "%s%s ", text.text.count ? "; " : "", name ? name : "");
        known ? sw_sink_printf(&text, "%" PRIu64, value) : sw_sink_printf(&text, "-");
    }
    const char *ended = sw_sink_ended(&text);
    out->out.failed |= !ended;
    sw_row_text(out, ended ? ended : "");
    sw_sink_done(&text);
}

static void put_told_row(struct sw_cli_report *out, const struct survey_told *told) {
    uint64_t operators, buffers, saves;
    bool has_operators = known_count(told->figures, "operators", &operators);
    bool has_buffers = known_count(told->figures, "buffers", &buffers);
    bool helps = known_count(told->helps, "saves", &saves);
    bool over = told->has_best && told->has_bound && told->bound > 0;
    sw_row_text(out, told->model);
    sw_row_text(out, told->state);
    sw_row_known(out, has_operators, operators);
    sw_row_known(out, has_buffers, buffers);
    sw_row_known(out, told->has_bound, told->bound);
    sw_row_known(out, told->has_best, told->best);
    sw_row_percent(out, over ? (double)told->best / (double)told->bound - 1 : (double)NAN, true);
    sw_row_text(out, told->planner);
    sw_row_known(out, told->order_saves > 0, told->order_saves);
    sw_row_known(out, helps, saves);
    sw_row_text(out, json_string_value(json_object_get(told->helps, "commands")));
    put_pairs(out, json_object_get(told->figures, "largest"), "size");
    put_pairs(out, json_object_get(told->figures, "planners"), "peak");
    sw_row_text(out, told->why);
    if (sw_survey_failed(told)) {
        sw_row_note(out, "%s: %s", told->state, told->why ? SW_SHOWN(told->why) : "");
    } else if (json_object_get(told->figures, "moment")) {
        sw_row_note(out, "one moment of an allocator: nothing is planned");
    }
}

const char *sw_survey_headline(const struct survey_summary *summary, char text[200]) {
    size_t not_done = summary->rows.count - summary->done;
    snprintf(text, 200, "%s", SW_COUNTED(summary->rows.count, "model"));
    if (not_done) {
        sw_text_add(text, 200, ", %zu of them not looked at to the end", not_done);
    }
    if (summary->unread) {
        sw_text_add(text, 200, "; %s of no format that is read", SW_COUNTED(summary->unread, "file"));
    }
    sw_text_add(text, 200, "; %s above the bounds", SW_BYTES(summary->over));
    return text;
}

static void put_survey_table(struct survey_summary *summary, struct sw_cli_report *out) {
    char headline[200];
    if (sw_report_is_read(out) && summary->rows.count) {
        qsort(summary->rows.items, summary->rows.count, sizeof *summary->rows.items, sw_survey_worse);
    }
    sw_sink_printf(out->words, "%s\n\n", sw_survey_headline(summary, headline));
    sw_rows_begin(out, "models", survey_columns, sizeof survey_columns / sizeof *survey_columns);
    for (size_t i = 0; i < summary->rows.count; i++) {
        put_told_row(out, &summary->rows.items[i]);
    }
    sw_rows_end(out);
    bool first = true;
    for (size_t i = 0; i < summary->rows.count && out->output == SW_OUTPUT_MD; i++) { /* which has no notes in rows */
        const struct survey_told *told = &summary->rows.items[i];
        if (sw_survey_failed(told)) {
            sw_sink_printf(out->words, "%s- ", first ? "\n" : "");
            sw_report_name(out, told->model);
            sw_sink_printf(out->words, ": %s: ", told->state);
            sw_report_name(out, told->why ? told->why : "");
            sw_sink_printf(out->words, "\n");
            first = false;
        }
    }
}

int sw_survey_print(const struct sw_cli *cli, struct survey_summary *summary, enum sw_output output) {
    struct sw_cli_report out;
    if (output == SW_OUTPUT_JSON) {
        struct sw_sink text = {0};
        struct sw_json_out json = {.out = &text};
        put_survey_json(summary, &json);
        return sw_cli_put(cli, &text, 0);
    }
    sw_cli_report_start(&out, output);
    put_survey_table(summary, &out);
    return sw_cli_report_finish(cli, &out, 0);
}
