#include "cli/gate/baseline.h"
#include "base/base.h"
#include "base/sort.h"
#include "formats/graphs/graph_json.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

SW_ARRAY_TYPE(kept_list, struct sw_gate_kept);

/* ---- reading ---- */

static const char *keep_text(struct sw_baseline *b, const char *text, size_t length) {
    return text ? sw_arena_string(&b->arena, text, length) : NULL;
}

static bool is_plain_file(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode);
}

/* A file that an option names, from the folder of the baseline. What is none there, such as the name of a script that
 * ships, stays as it is. */
static const char *kept_value(struct sw_baseline *b, const struct sw_option *option, const char *value) {
    char path[8192];
    int length = snprintf(path, sizeof path, "%s/%s", b->folder, value);
    bool there = sw_option_takes_file(option) && *value != '/' && length < (int)sizeof path && is_plain_file(path);
    return there ? keep_text(b, path, (size_t)length) : keep_text(b, value, strlen(value));
}

/* "planner=best-fit", or "pins": an option of a run. */
static bool read_kept_option(struct sw_baseline *b, const struct sw_json *json, struct sw_gate_kept *kept) {
    const char *word = NULL;
    if (!sw_json_string(json, NULL, &word)) {
        return false;
    }
    char name[48];
    size_t length = word ? strcspn(word, "=") : 0;
    snprintf(name, sizeof name, "%.*s", (int)SW_MIN(length, sizeof name - 1), word ? word : "");
    size_t at = length > 1 ? sw_option_find(name) : SW_OPTIONS;
    const struct sw_option *option = sw_option_get(at);
    if (!option || !(option->commands & SW_OF_A_SIDE) || strcmp(option->name, name) != 0 ||
        (word[length] == '=') != (*option->argument != '\0')) {
        return sw_json_fail(json, NULL, "expected an option of a run, such as planner=NAME");
    }
    const char *value = word[length] ? kept_value(b, option, word + length + 1) : NULL;
    bool good = (!word[length] || value) && SW_PUSH(&kept->told, (struct sw_told){at, 0, value});
    return good || sw_fail_memory(json->error);
}

static bool read_kept_tier(struct sw_baseline *b, const struct sw_json *json, struct sw_gate_kept *kept) {
    const char *name = NULL;
    if (kept->tiers == SW_MAX_TIERS) {
        return sw_json_fail(json, NULL, "more than %d tiers", SW_MAX_TIERS);
    }
    if (!SW_JSON_ONLY(json, "name", "peak") || !sw_json_need(json, "name") || !sw_json_need(json, "peak") ||
        !sw_json_string(json, "name", &name) ||
        !sw_json_unsigned(json, "peak", 0, SW_MAX_BYTES, &kept->tier_peaks[kept->tiers])) {
        return false;
    }
    kept->tier_names[kept->tiers] = keep_text(b, name, strlen(name));
    return kept->tier_names[kept->tiers++] || sw_fail_memory(json->error);
}

static bool read_kept_model(struct sw_baseline *b, struct sw_json *json, struct sw_gate_kept *kept) {
    const char *name = NULL;
    bool good = SW_JSON_ONLY(json, "model", "options", "tiers", "graph") && sw_json_need(json, "model") &&
                sw_json_string(json, "model", &name) && sw_json_need(json, "tiers") && sw_json_need(json, "graph") &&
                sw_json_array(json, "options") && sw_json_array(json, "tiers");
    kept->name = good ? keep_text(b, name, strlen(name)) : NULL;
    for (size_t i = 0; good && sw_json_item(json, "options", i); i++) {
        good = read_kept_option(b, json, kept);
    }
    for (size_t i = 0; good && sw_json_item(json, "tiers", i); i++) {
        good = read_kept_tier(b, json, kept);
    }
    return good && (kept->name || sw_fail_memory(json->error));
}

/* The text of the entry, and in it that of its graph. */
static bool keep_texts(struct sw_baseline *b, const char *at, const char *end, struct sw_gate_kept *kept) {
    struct sw_json_walk walk;
    kept->text = keep_text(b, at, (size_t)(sw_json_skip(at, end) - at));
    sw_json_walk_begin(&walk, at, end);
    while (kept->text && !kept->graph && sw_json_walk_next(&walk)) {
        if (sw_json_walk_is(&walk, "graph")) {
            kept->graph = keep_text(b, walk.value, (size_t)(sw_json_skip(walk.value, end) - walk.value));
        }
    }
    return kept->graph != NULL;
}

static int by_kept_name(const void *a, const void *b) {
    return strcmp(((const struct sw_gate_kept *)a)->name, ((const struct sw_gate_kept *)b)->name);
}

static bool read_models(struct sw_baseline *b, struct sw_json *json) {
    struct sw_json_walk root, items = {.at = NULL};
    sw_json_walk_begin(&root, json->input->bytes, json->input->bytes + json->input->length);
    while (sw_json_walk_next(&root)) {
        if (sw_json_walk_is(&root, "models")) {
            sw_json_walk_begin(&items, root.value, root.end);
        }
    }
    bool good = items.at != NULL;
    for (size_t i = 0; good && sw_json_item(json, "models", i) && sw_json_walk_next(&items); i++) {
        if (json_is_null(sw_json_value(json, NULL))) { /* the last one */
            continue;
        }
        struct sw_gate_kept kept = {.name = NULL};
        good =
            read_kept_model(b, json, &kept) &&
            ((keep_texts(b, items.value, items.end, &kept) && SW_PUSH(&b->kept, kept)) || sw_fail_memory(json->error));
        if (!good) {
            SW_ARRAY_DONE(&kept.told);
        }
    }
    return good;
}

static bool read_baseline_text(struct sw_baseline *b, struct sw_json *json) {
    const char *format = NULL;
    uint64_t version = 0;
    if (!SW_JSON_ONLY(json, "format", "version", "models") || !sw_json_string(json, "format", &format) ||
        !sw_json_unsigned(json, "version", 0, UINT32_MAX, &version)) {
        return false;
    }
    if (!format || strcmp(format, "stowage-baseline") != 0 || version != 1) {
        return sw_json_fail(json, NULL, "this is no baseline of stowage, version 1");
    }
    if (!sw_json_need(json, "models") || !sw_json_array(json, "models") || !read_models(b, json)) {
        return false;
    }
    sw_sort(b->kept.items, b->kept.count, sizeof *b->kept.items, by_kept_name);
    for (size_t i = 1; i < b->kept.count; i++) {
        if (strcmp(b->kept.items[i - 1].name, b->kept.items[i].name) == 0) {
            return sw_json_fail(json, "models", "%s stands there twice", b->kept.items[i].name);
        }
    }
    return true;
}

/* False: the error says why. */
static bool find_baseline_folder(struct sw_baseline *b, struct sw_error *error) {
    const char *slash = strrchr(b->path, '/');
    char near[4096] = "";
    snprintf(near, sizeof near, "%.*s", slash ? (int)(slash - b->path) : 0, b->path);
    char *real = realpath(!slash ? "." : *near ? near : "/", NULL);
    bool good = real && snprintf(b->folder, sizeof b->folder, "%s", real) < (int)sizeof b->folder;
    bool starved = !real && errno == ENOMEM;
    free(real); /* realpath's own, from malloc */
    if (starved) {
        return sw_fail_memory(error);
    }
    if (!good) {
        sw_fail(error, SW_ERROR_IO, "its folder is not there");
        sw_error_at(error, b->path, 0, 0);
    }
    return good;
}

const char *sw_baseline_name(struct sw_baseline *b, const char *path) {
    char *real = realpath(path, NULL);
    const char *from = b->folder, *to = real;
    struct sw_sink name = {0};
    size_t common = 0;
    name.failed = !real && errno == ENOMEM;
    for (size_t i = 0; real && (from[i] == to[i] || (!from[i] && to[i] == '/')) && to[i]; i++) {
        common = to[i] == '/' ? i + 1 : common;
        if (!from[i]) {
            break;
        }
    }
    for (const char *rest = from + SW_MIN(common, strlen(from)); real && *rest;) {
        sw_sink_printf(&name, "../");
        rest += strcspn(rest, "/");
        rest += *rest == '/';
    }
    sw_sink_printf(&name, "%s", real ? to + common : path);
    const char *made = name.failed ? NULL : keep_text(b, name.text.items, name.text.count);
    sw_sink_done(&name);
    free(real); /* realpath's own, from malloc */
    return made;
}

bool sw_baseline_read(struct sw_baseline *b, const char *path, bool fresh, struct sw_error *error) {
    struct sw_input input;
    struct sw_json json;
    *b = (struct sw_baseline){.path = path};
    if (strcmp(path, "-") == 0) {
        return sw_fail(error, SW_ERROR_USAGE, "a baseline is a file, not standard input");
    }
    if (!find_baseline_folder(b, error)) {
        return false;
    }
    if (access(path, F_OK) != 0) {
        sw_fail(error, SW_ERROR_IO, "there is no baseline; --update writes it");
        sw_error_at(error, path, 0, 0);
        return fresh;
    }
    if (!sw_input_open(path, &input, error)) {
        return false;
    }
    bool good = sw_json_open(&json, &input, error) && read_baseline_text(b, &json);
    sw_error_at(good ? NULL : error, *error->file ? NULL : path, error->line, error->column);
    sw_json_close(&json);
    sw_input_close(&input);
    return good;
}

void sw_baseline_done(struct sw_baseline *b) {
    for (size_t i = 0; i < b->kept.count; i++) {
        SW_ARRAY_DONE(&b->kept.items[i].told);
    }
    SW_ARRAY_DONE(&b->kept);
    sw_arena_done(&b->arena);
}

struct sw_gate_kept *sw_baseline_find(struct sw_baseline *b, const char *name) {
    size_t at = SW_FIRST(i, b->kept.count, strcmp(b->kept.items[i].name, name) >= 0);
    return at < b->kept.count && strcmp(b->kept.items[at].name, name) == 0 ? &b->kept.items[at] : NULL;
}

/* ---- writing ---- */

/* "planner=best-fit"; NULL: no memory. */
static const char *option_word(struct sw_baseline *b, const struct sw_told *told) {
    const struct sw_option *option = sw_option_get(told->option);
    const char *value = told->value;
    if (value && sw_option_takes_file(option) && is_plain_file(value)) {
        value = sw_baseline_name(b, value);
        if (!value) {
            return NULL;
        }
    }
    struct sw_sink word = {0};
    sw_sink_printf(&word, "%s%s%s", option->name, value ? "=" : "", value ? value : "");
    const char *made = word.failed ? NULL : keep_text(b, word.text.items, word.text.count);
    sw_sink_done(&word);
    return made;
}

static bool entry_text(struct sw_baseline *b, const char *name, const struct sw_diff_run *run, struct sw_sink *sink,
                       struct sw_error *error) {
    struct sw_json_out json = {.out = sink};
    struct sw_sink graph = {0};
    sw_put_object(&json, NULL);
    sw_put_text(&json, "model", name);
    sw_put_list(&json, "options");
    for (size_t i = 0; i < run->own.told.count; i++) {
        const char *word = option_word(b, &run->own.told.items[i]);
        sink->failed |= !word;
        sw_put_text(&json, NULL, word);
    }
    sw_put_end(&json);
    sw_put_list(&json, "tiers");
    for (uint32_t t = 0; t < sw_problem_tier_count(run->problem); t++) {
        sw_put_object(&json, NULL);
        sw_put_text(&json, "name", sw_problem_tier(run->problem, t)->name);
        sw_put_count(&json, "peak", run->tier_peak[t]);
        sw_put_end(&json);
    }
    sw_put_end(&json);
    bool good = sw_graph_json_write(run->given, &graph, error);
    while (graph.text.count > 0 && graph.text.items[graph.text.count - 1] == '\n') {
        graph.text.count--;
    }
    struct sw_sink *raw = sw_put_raw(&json, "graph");
    sw_sink_add(raw, "\n", 1);
    sw_sink_add(raw, graph.text.items, graph.text.count);
    sink->failed |= graph.failed;
    sw_put_end(&json);
    sw_sink_done(&graph);
    return good;
}

bool sw_baseline_keep(struct sw_baseline *b, const char *name, const struct sw_diff_run *run, struct sw_error *error) {
    struct sw_sink sink = {0};
    struct sw_gate_kept *kept = sw_baseline_find(b, name);
    bool good = entry_text(b, name, run, &sink, error);
    while (sink.text.count > 0 && sink.text.items[sink.text.count - 1] == '\n') {
        sink.text.count--;
    }
    const char *text = good && !sink.failed ? keep_text(b, sink.text.items, sink.text.count) : NULL;
    struct sw_gate_kept fresh = {.name = kept ? kept->name : keep_text(b, name, strlen(name)), .text = text};
    sw_sink_done(&sink);
    if (!good) {
        return false;
    }
    if (!fresh.name || !text) {
        return sw_fail_memory(error);
    }
    if (kept) {
        kept->text = text;
        return true;
    }
    if (!SW_PUSH(&b->kept, fresh)) {
        return sw_fail_memory(error);
    }
    sw_sort(b->kept.items, b->kept.count, sizeof *b->kept.items, by_kept_name);
    return true;
}

bool sw_baseline_write(const struct sw_baseline *b, struct sw_error *error) {
    struct sw_sink sink = {0};
    sw_sink_printf(&sink, "{\"format\":\"stowage-baseline\",\"version\":1,\"models\":[\n");
    for (size_t i = 0; i < b->kept.count; i++) {
        if (!b->kept.items[i].gone) {
            sw_sink_add(&sink, b->kept.items[i].text, strlen(b->kept.items[i].text));
            sw_sink_printf(&sink, ",\n");
        }
    }
    sw_sink_printf(&sink, "null]}\n");
    bool good = sw_sink_commit(&sink, b->path, error);
    sw_sink_done(&sink);
    return good;
}

/* ---- a model as it was ---- */

void sw_kept_peaks(const struct sw_gate_kept *kept, struct sw_diff_run *run) {
    uint32_t used = 0;
    run->kept = true;
    run->seen.peak = 0;
    for (uint32_t t = 0; t < kept->tiers; t++) {
        run->tier_peak[t] = kept->tier_peaks[t];
        snprintf(run->words[t], sizeof run->words[t], "peak of %.36s", SW_SHOWN(kept->tier_names[t]));
        used += kept->tier_peaks[t] > 0;
        run->seen.peak = SW_MAX(run->seen.peak, kept->tier_peaks[t]);
    }
    run->seen.has_peak = used <= 1;
    run->several = used > 1;
}

bool sw_kept_open(const struct sw_baseline *b, const struct sw_gate_kept *kept, const struct sw_cli *cli,
                  struct sw_diff_run *run, struct sw_error *error) {
    struct sw_cli bare = *cli;
    memset(&bare.told, 0, sizeof bare.told);
    run->seen.path = b->path;
    if (!sw_cli_side(&bare, 0, kept->told.items, kept->told.count, &run->own, error)) {
        return false;
    }
    /* Everything else that the options say has become part of the graph. */
    const struct sw_load_options as_read = {.inplace_safe = run->own.load.inplace_safe, .pins = run->own.load.pins};
    const struct sw_input text = {.name = b->path, .bytes = kept->graph, .length = strlen(kept->graph)};
    run->given = sw_load_input(&text, &as_read, error);
    if (!run->given) {
        char why[sizeof error->message];
        snprintf(why, sizeof why, "%s", error->message);
        sw_fail(error, error->code, "the graph of %.200s: %.3000s", kept->name, why);
        sw_error_at(error, b->path, 0, 0);
        return false;
    }
    run->problem = sw_problem_ref(run->given);
    run->seen.plan = sw_problem_has_plan(run->problem);
    if (sw_problem_tier_count(run->problem) != kept->tiers) {
        sw_fail(error, SW_ERROR_INPUT, "%.200s has %u tiers, and its graph has %u", kept->name, kept->tiers,
                sw_problem_tier_count(run->problem));
        sw_error_at(error, b->path, 0, 0);
        return false;
    }
    sw_kept_peaks(kept, run);
    return true;
}
