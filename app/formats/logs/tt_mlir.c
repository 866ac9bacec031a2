/* tt-mlir's decision trace, FUNCTION_decision_trace.json, version 3: how the layouts of operators were chosen, and which results
 * were thrown out of L1 after that.
 *
 * Three passes leave their marks. The forward pass tries layouts for each operator and keeps the best few; the backward pass
 * settles operators with several readers; the spill pass walks through the schedule and counts the bytes in L1. None of them
 * tells an address, so that nothing has a place here: the decisions are shown in their own words, and what is in L1 lives from
 * `live_added` to `dead_removal` or `eviction`. */
#include "formats/logs/decision_log.h"
#include "formats/text/json.h"
#include "formats/text/unique.h"
#include "formats/trace/read/trace_names.h"

#include "base/text.h"

#include <inttypes.h>
#include <string.h>

struct live {
    const char *id;
    bool live;
};
struct reader {
    struct sw_log log;
    struct sw_json json;
    struct sw_error *error;
    struct sw_arena arena;
    struct sw_unique names;
    struct sw_trace_names latest; /* by the text of the operator */
    SW_ARRAY(struct live) buffers;
    struct sw_sink text; /* a reason, or rows, on their way */
    uint64_t budget;
    uint64_t replaced, strangers; /* live_added of what is live; removals of what is not */
    bool any_event;
};

#define KEYS(table) (table), sizeof(table) / sizeof *(table)

/* ---- values ---- */

static bool collect(struct reader *reader, const json_t *object, const char *const *keys, size_t count, json_t **values) {
    return sw_json_collect(&reader->json, object, keys, count, true, values, reader->error);
}

static bool text_of(struct reader *reader, const char *key, const json_t *value, const char **to) {
    *to = "";
    return sw_json_string(&reader->json, key, value, to, reader->error);
}

static bool bytes_of(struct reader *reader, const char *key, const json_t *value, uint64_t *to) {
    *to = 0;
    return sw_json_unsigned(&reader->json, key, value, 0, SW_MAX_BYTES, to, reader->error);
}

typedef bool item_fn(struct reader *, const json_t *, uint32_t line);

/* Every element of an array, which may be absent. `lines`: with the line of each. */
static bool each(struct reader *reader, const char *key, const json_t *array, bool lines, item_fn *read) {
    struct sw_json_items items;
    if (!sw_json_array(&reader->json, key, array, reader->error)) {
        return false;
    }
    if (json_array_size(array) == 0) {
        return true;
    }
    if (lines) {
        sw_json_items_begin(&items, &reader->json, key);
    }
    sw_json_enter(&reader->json, key);
    for (size_t i = 0; i < json_array_size(array); i++) {
        sw_json_enter_index(&reader->json, i);
        if (!read(reader, json_array_get(array, i), lines ? sw_json_items_next(&items).line : 0)) {
            return false;
        }
        sw_json_leave(&reader->json);
    }
    sw_json_leave(&reader->json);
    return true;
}

/* ---- texts and figures ---- */

static void say(struct reader *reader, const char *between, const char *text) {
    if (*text) {
        sw_sink_printf(&reader->text, "%s", reader->text.text.count > 0 ? between : "");
        sw_sink_add(&reader->text, text, strlen(text));
    }
}

/* What was said becomes a field. */
static void put_said(struct reader *reader, const char *key) {
    if (reader->text.text.count > 0) {
        sw_log_field(&reader->log, key, reader->text.text.items, reader->text.text.count);
    }
    reader->log.body.failed |= reader->text.failed;
    reader->text.text.count = 0;
}

/* Every number and truth of an object, whatever it is called, as a figure. */
static void put_figures(struct reader *reader, const json_t *object, bool *any) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        if (!json_is_number(value) && !json_is_boolean(value)) {
            continue;
        }
        sw_sink_printf(&reader->log.body, *any ? "," : ",\"figures\":{");
        sw_sink_json(&reader->log.body, key);
        sw_sink_add(&reader->log.body, ":", 1);
        if (json_is_integer(value)) {
            sw_sink_printf(&reader->log.body, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        } else {
            sw_sink_number(&reader->log.body, json_is_boolean(value) ? json_is_true(value) : json_real_value(value));
        }
        *any = true;
    }
}

static void end_figures(struct reader *reader, bool any, uint32_t line) {
    sw_sink_printf(&reader->log.body, "%s", any ? "}" : "");
    sw_log_end(&reader->log, line);
}

/* The members of a score in a sentence, behind `before`: "coreCount 32, isL1, not isSharded". */
static void say_score(struct reader *reader, const json_t *score, const char *before) {
    const char *key;
    json_t *value;
    bool any = reader->text.text.count == 0;
    json_object_foreach((json_t *)(uintptr_t)score, key, value) {
        if (!json_is_number(value) && !json_is_boolean(value)) {
            continue;
        }
        sw_sink_printf(&reader->text, "%s%s", any ? (reader->text.text.count > 0 ? ", " : "") : before,
                       json_is_false(value) ? "not " : "");
        any = true;
        sw_sink_add(&reader->text, key, strlen(key));
        if (json_is_integer(value)) {
            sw_sink_printf(&reader->text, " %" JSON_INTEGER_FORMAT, json_integer_value(value));
        } else if (json_is_real(value)) {
            sw_sink_printf(&reader->text, " %g", json_real_value(value));
        }
    }
}

static void open_group(struct reader *reader, const char *name) {
    sw_sink_printf(&reader->log.body, "{\"group\":\"%s\"}\n", name);
}

/* ---- the forward pass ---- */

static bool say_names(struct reader *reader, const char *key, const json_t *list, const char *before) {
    if (!sw_json_array(&reader->json, key, list, reader->error)) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        say(reader, i ? ", " : "; ", i || !text || !*text ? "" : before);
        if (text && i == 0) {
            sw_sink_add(&reader->text, text, strlen(text));
        } else if (text) {
            say(reader, ", ", text);
        }
    }
    return true;
}

static bool read_evaluation(struct reader *reader, const json_t *item, uint32_t line) {
    static const char *const keys[] = {"hint", "inputs", "valid", "failureReason", "score", "output"};
    json_t *v[6];
    const char *hint, *failure, *output;
    bool valid = false;
    (void)line;
    if (!collect(reader, item, KEYS(keys), v) || !text_of(reader, keys[0], v[0], &hint) ||
        !sw_json_flag(&reader->json, keys[2], v[2], &valid, reader->error) || !text_of(reader, keys[3], v[3], &failure) ||
        !text_of(reader, keys[5], v[5], &output)) {
        return false;
    }
    sw_sink_printf(&reader->log.body, "{\"candidate\":");
    sw_sink_json(&reader->log.body, hint);
    sw_sink_printf(&reader->log.body, ",\"verdict\":\"%s\"", valid ? "fits" : "refused");
    say(reader, "; ", failure);
    say(reader, "; ", output);
    if (!say_names(reader, keys[1], v[1], "inputs ")) {
        return false;
    }
    if (json_is_object(v[4])) {
        say_score(reader, v[4], "; ");
    }
    put_said(reader, "reason");
    sw_log_end(&reader->log, 0);
    return true;
}

static bool read_beam(struct reader *reader, const json_t *item, uint32_t line) {
    static const char *const keys[] = {"rank", "outputLayout", "score"};
    json_t *v[3];
    const char *layout;
    int64_t rank = 0;
    (void)line;
    if (!collect(reader, item, KEYS(keys), v) ||
        !sw_json_integer(&reader->json, keys[0], v[0], 0, INT32_MAX, &rank, reader->error) ||
        !text_of(reader, keys[1], v[1], &layout)) {
        return false;
    }
    sw_sink_printf(&reader->log.body, "{\"candidate\":");
    sw_sink_json(&reader->log.body, layout);
    sw_sink_printf(&reader->log.body, ",\"verdict\":\"%s\"", rank == 0 ? "chosen" : "fits");
    sw_sink_printf(&reader->text, "rank %" PRId64 " of the beam", rank);
    if (json_is_object(v[2])) {
        say_score(reader, v[2], ": ");
    }
    put_said(reader, "reason");
    sw_log_end(&reader->log, 0);
    return true;
}

/* One row of a table: operand, how many from where, and which. */
static bool read_inputs(struct reader *reader, const json_t *item, uint32_t line) {
    static const char *const keys[] = {"operandIndex", "fromProducerBeam", "fromReshard", "candidates"};
    json_t *v[4];
    int64_t numbers[3] = {0, 0, 0};
    (void)line;
    if (!collect(reader, item, KEYS(keys), v)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        if (!sw_json_integer(&reader->json, keys[i], v[i], 0, INT64_MAX, &numbers[i], reader->error)) {
            return false;
        }
    }
    struct sw_sink rows = reader->text;
    reader->text = (struct sw_sink){0};
    bool good = say_names(reader, keys[3], v[3], "");
    sw_sink_printf(&rows, "%s[%" PRId64 ",%" PRId64 ",%" PRId64 ",", rows.text.count > 0 ? "," : "", numbers[0], numbers[1],
                   numbers[2]);
    sw_log_text(&reader->log, &rows, reader->text.text.items ? reader->text.text.items : "", reader->text.text.count);
    sw_sink_add(&rows, "]", 1);
    rows.failed |= reader->text.failed;
    sw_sink_done(&reader->text);
    reader->text = rows;
    return good;
}

/* What was gathered as rows is a table after the last decision. */
static void put_table(struct reader *reader, const char *name, const char *columns) {
    if (reader->text.text.count > 0) {
        sw_sink_printf(&reader->log.body, "{\"state\":\"%s\",\"columns\":%s,\"rows\":[", name, columns);
        sw_sink_add(&reader->log.body, reader->text.text.items, reader->text.text.count);
        sw_sink_printf(&reader->log.body, "]}\n");
    }
    reader->log.body.failed |= reader->text.failed;
    reader->text.text.count = 0;
}

static bool read_operator(struct reader *reader, const json_t *item, uint32_t line) {
    static const char *const keys[] = {"opName", "opLocation", "evaluations", "beam", "inputCandidateSets", "outputHints"};
    json_t *v[6];
    const char *name, *location;
    bool any = false;
    if (!collect(reader, item, KEYS(keys), v) || !text_of(reader, keys[0], v[0], &name) ||
        !text_of(reader, keys[1], v[1], &location) || !each(reader, keys[2], v[2], false, read_evaluation) ||
        !each(reader, keys[3], v[3], false, read_beam)) {
        return false;
    }
    sw_sink_printf(&reader->log.body, "{\"decision\":\"layout\"");
    say(reader, "", name);
    say(reader, " at ", location);
    const char *best = json_string_value(json_object_get(json_array_get(v[3], 0), "outputLayout"));
    say(reader, ": ", best ? best : "");
    put_said(reader, "reason");
    put_figures(reader, item, &any);
    if (json_is_object(v[5])) {
        put_figures(reader, v[5], &any);
    }
    end_figures(reader, any, line);
    if (!each(reader, keys[4], v[4], false, read_inputs)) {
        return false;
    }
    put_table(reader, "input candidates", "[\"operand\",\"from the beam\",\"from reshards\",\"layouts\"]");
    return true;
}

static bool read_edge(struct reader *reader, const json_t *item, uint32_t line) {
    static const char *const keys[] = {"producerOpIndex", "producerResultIndex", "consumerOpIndex",
                                       "operandIndex",    "hasReshard",          "reshardLayout"};
    json_t *v[6];
    const char *layout;
    bool reshard = false;
    (void)line;
    if (!collect(reader, item, KEYS(keys), v) || !sw_json_flag(&reader->json, keys[4], v[4], &reshard, reader->error) ||
        !text_of(reader, keys[5], v[5], &layout)) {
        return false;
    }
    sw_sink_printf(&reader->text, "%s[", reader->text.text.count > 0 ? "," : "");
    for (int i = 0; i < 4; i++) {
        int64_t number = 0;
        if (!sw_json_integer(&reader->json, keys[i], v[i], INT64_MIN, INT64_MAX, &number, reader->error)) {
            return false;
        }
        if (v[i]) {
            sw_sink_printf(&reader->text, "%" PRId64 ",", number);
        } else {
            sw_sink_printf(&reader->text, "null,");
        }
    }
    sw_sink_printf(&reader->text, "%s,", reshard ? "true" : "false");
    sw_sink_json(&reader->text, layout);
    sw_sink_add(&reader->text, "]", 1);
    return true;
}

/* ---- the backward pass, and what came of both ---- */

static bool read_fork(struct reader *reader, const json_t *item, uint32_t line) {
    static const char *const keys[] = {"opName", "opLocation", "consumerOpIndices"};
    json_t *v[3];
    const char *name, *location;
    bool any = false;
    if (!collect(reader, item, KEYS(keys), v) || !text_of(reader, keys[0], v[0], &name) ||
        !text_of(reader, keys[1], v[1], &location) || !sw_json_array(&reader->json, keys[2], v[2], reader->error)) {
        return false;
    }
    sw_sink_printf(&reader->log.body, "{\"decision\":\"resolve fork\"");
    say(reader, "", name);
    say(reader, " at ", location);
    for (size_t i = 0; i < json_array_size(v[2]); i++) {
        char text[32];
        snprintf(text, sizeof text, "%" JSON_INTEGER_FORMAT, json_integer_value(json_array_get(v[2], i)));
        say(reader, "", i ? ", " : "; read by ");
        say(reader, "", text);
    }
    put_said(reader, "reason");
    put_figures(reader, item, &any);
    end_figures(reader, any, line);
    return true;
}

static bool read_choice(struct reader *reader, const json_t *item, uint32_t line) {
    static const char *const keys[] = {"opName", "chosenLayout"};
    json_t *v[2];
    const char *name, *layout;
    bool any = false;
    if (!collect(reader, item, KEYS(keys), v) || !text_of(reader, keys[0], v[0], &name) ||
        !text_of(reader, keys[1], v[1], &layout)) {
        return false;
    }
    sw_sink_printf(&reader->log.body, "{\"decision\":\"final choice\"");
    say(reader, "", name);
    say(reader, ": ", layout);
    put_said(reader, "reason");
    put_figures(reader, item, &any);
    end_figures(reader, any, line);
    return true;
}

/* ---- the spill pass ---- */

/* An operator's text is all of it as MLIR prints it, of many lines: the name is the beginning of the first. */
static const char *name_of(struct reader *reader, const char *text) {
    size_t length = sw_utf8_cut(text, strcspn(text, "\n"), 100);
    const char *copy = sw_unique_text(&reader->arena, *text ? text : "?", *text ? length : 1);
    return copy ? sw_unique_name(&reader->names, &reader->arena, copy) : NULL;
}

static struct live *find_live(struct reader *reader, const char *text) {
    uint32_t found = sw_trace_names_find(&reader->latest, text);
    struct live *live = found == SW_NONE ? NULL : &reader->buffers.items[found];
    return live && live->live ? live : NULL;
}

static void put_free(struct reader *reader, struct live *live, uint32_t line) {
    sw_sink_printf(&reader->log.body, "{\"free\":");
    sw_sink_json(&reader->log.body, live->id);
    sw_log_end(&reader->log, line);
    live->live = false;
}

/* The result of an operator is in L1 from now on. NULL: no memory. */
static const struct live *add_live(struct reader *reader, const char *text, uint64_t size, uint32_t line) {
    struct live *old = find_live(reader, text), fresh = {.live = true};
    if (old) {
        reader->replaced++;
        put_free(reader, old, line);
    }
    fresh.id = name_of(reader, text);
    if (!fresh.id || !sw_trace_names_set(&reader->latest, text, (uint32_t)reader->buffers.count) ||
        !SW_PUSH(&reader->buffers, fresh)) {
        sw_fail_memory(reader->error);
        return NULL;
    }
    sw_sink_printf(&reader->log.body, "{\"alloc\":");
    sw_sink_json(&reader->log.body, fresh.id);
    sw_sink_printf(&reader->log.body, ",\"size\":%" PRIu64, size);
    sw_log_end(&reader->log, line);
    return &reader->buffers.items[reader->buffers.count - 1];
}

static bool read_event(struct reader *reader, const json_t *item, uint32_t line) {
    static const char *const keys[] = {"action",     "opName",  "victimName", "details", "opL1Usage", "occupiedL1Before",
                                       "occupiedL1After"};
    json_t *v[7];
    const char *action, *name, *victim, *details;
    uint64_t usage, before, after;
    bool any = false;
    if (!collect(reader, item, KEYS(keys), v) || !(v[0] || sw_json_missing(&reader->json, keys[0], reader->error)) ||
        !text_of(reader, keys[0], v[0], &action) || !text_of(reader, keys[1], v[1], &name) ||
        !text_of(reader, keys[2], v[2], &victim) || !text_of(reader, keys[3], v[3], &details) ||
        !bytes_of(reader, keys[4], v[4], &usage) || !bytes_of(reader, keys[5], v[5], &before) ||
        !bytes_of(reader, keys[6], v[6], &after)) {
        return false;
    }
    bool adds = strcmp(action, "live_added") == 0, evicts = strcmp(action, "eviction") == 0;
    const char *gone = evicts && *victim ? victim : name;
    const struct live *of = NULL;
    reader->any_event = true;
    if (adds) {
        of = add_live(reader, name, usage, line);
        if (!of) {
            return false;
        }
    } else if (evicts || strcmp(action, "dead_removal") == 0) {
        struct live *live = find_live(reader, gone);
        reader->strangers += !live;
        if (live) {
            put_free(reader, live, line);
        }
        of = live;
    } else {
        of = find_live(reader, name);
    }
    sw_sink_printf(&reader->log.body, "{\"decision\":");
    sw_sink_json(&reader->log.body, *action ? action : "?");
    if (of) {
        sw_sink_printf(&reader->log.body, ",\"buffer\":");
        sw_sink_json(&reader->log.body, of->id);
    }
    say(reader, "", of ? "" : name);
    say(reader, "; ", details);
    if (*victim && !(of && evicts)) {
        say(reader, "; ", "victim ");
        sw_sink_add(&reader->text, victim, strlen(victim));
    }
    put_said(reader, "reason");
    put_figures(reader, item, &any);
    end_figures(reader, any, line);
    sw_sink_printf(&reader->log.body,
                   "{\"state\":\"L1\",\"columns\":[\"occupied before\",\"occupied after\",\"budget\"],\"kinds\":[\"bytes\",\"bytes\","
                   "\"bytes\"],\"rows\":[[%" PRIu64 ",%" PRIu64 ",%" PRIu64 "]]}\n",
                   before, after, reader->budget);
    return true;
}

static bool read_spills(struct reader *reader, const json_t *object) {
    static const char *const keys[] = {"budget", "events"};
    json_t *v[2];
    sw_json_enter(&reader->json, "spillManagement");
    if (!collect(reader, object, KEYS(keys), v) || !bytes_of(reader, keys[0], v[0], &reader->budget)) {
        return false;
    }
    if (json_array_size(v[1]) > 0) {
        open_group(reader, "spill management");
    }
    if (!each(reader, keys[1], v[1], true, read_event)) {
        return false;
    }
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, key, value) {
        if (json_is_integer(value)) {
            sw_sink_printf(&reader->text, "%s[", reader->text.text.count > 0 ? "," : "");
            sw_sink_json(&reader->text, key);
            sw_sink_printf(&reader->text, ",%" JSON_INTEGER_FORMAT "]", json_integer_value(value));
        }
    }
    put_table(reader, "spill management", "[\"figure\",\"value\"]");
    sw_json_leave(&reader->json);
    return true;
}

/* ---- the whole ---- */

/* Without events there is no time but that of the operators. */
static bool put_operator(struct reader *reader, const json_t *item, uint32_t line) {
    const char *name = json_string_value(json_object_get(item, "opName"));
    const char *copy = sw_unique_text(&reader->arena, name && *name ? name : "?", name && *name ? strlen(name) : 1);
    const char *unique = copy ? sw_unique_name(&reader->names, &reader->arena, copy) : NULL;
    if (!unique) {
        return sw_fail_memory(reader->error);
    }
    sw_sink_printf(&reader->log.body, "{\"operator\":");
    sw_sink_json(&reader->log.body, unique);
    sw_log_end(&reader->log, line);
    return true;
}

static void tell(struct reader *reader, bool spills) {
    struct sw_log *log = &reader->log;
    sw_log_note(log, "tt-mlir's trace has no addresses, so that nothing has a place; bytes are per core");
    if (reader->budget > 0) {
        sw_log_note(log, "the budget of L1 is %" PRIu64 " bytes a core; occupied, by its own count, is what the table L1 has",
                    reader->budget);
    }
    if (!spills) {
        sw_log_note(log, "the pass that spills did not run, or left nothing: what is in L1, and when, is not known");
    } else {
        sw_log_note(log, "what is in L1 lives from live_added to dead_removal or eviction; its size is what L1 holds of it");
    }
    if (reader->replaced > 0) {
        sw_log_note(log, "%" PRIu64 " time%s what is in L1 is added again: the schedule was walked once more, and the older one "
                         "ends there",
                    reader->replaced, reader->replaced == 1 ? "" : "s");
    }
    if (reader->strangers > 0) {
        sw_log_note(log, "%" PRIu64 " removal%s of what was not added", reader->strangers, reader->strangers == 1 ? "" : "s");
    }
}

static bool read_passes(struct reader *reader, json_t *const v[]) {
    if (json_array_size(v[2]) > 0) {
        open_group(reader, "forward pass");
    }
    if (!each(reader, "forwardPass", v[2], true, read_operator) || !each(reader, "edges", v[3], false, read_edge)) {
        return false;
    }
    put_table(reader, "edges", "[\"producer\",\"result\",\"consumer\",\"operand\",\"reshard\",\"layout\"]");
    json_t *forks = json_object_get(v[4], "forkResolutions");
    if (v[4] && !json_is_object(v[4])) {
        return sw_json_fail(&reader->json, "backwardPass", reader->error, "backwardPass must be an object");
    }
    if (json_array_size(forks) > 0) {
        open_group(reader, "backward pass");
    }
    sw_json_enter(&reader->json, "backwardPass");
    bool good = each(reader, "forkResolutions", forks, true, read_fork);
    if (!good) {
        return false;
    }
    sw_json_leave(&reader->json);
    if (json_array_size(v[5]) > 0) {
        open_group(reader, "final choices");
    }
    return each(reader, "finalChoices", v[5], true, read_choice) && (!v[6] || read_spills(reader, v[6]));
}

static bool read_all(struct reader *reader) {
    static const char *const keys[] = {"version",      "functionName", "forwardPass",    "edges",
                                       "backwardPass", "finalChoices", "spillManagement"};
    json_t *v[7];
    const char *name;
    if (!collect(reader, reader->json.root, KEYS(keys), v) || !text_of(reader, keys[1], v[1], &name)) {
        return false;
    }
    if (!json_is_integer(v[0]) || json_integer_value(v[0]) != 3) {
        return sw_json_fail(&reader->json, keys[0], reader->error, "this is version 3 of tt-mlir's trace, and the file has another");
    }
    const json_t *events = json_object_get(v[6], "events");
    if (!sw_unique_init(&reader->names, json_array_size(events) + json_array_size(v[2]) + 1)) {
        return sw_fail_memory(reader->error);
    }
    if (json_array_size(events) == 0 && !each(reader, keys[2], v[2], true, put_operator)) {
        return false;
    }
    if (!read_passes(reader, v)) {
        return false;
    }
    tell(reader, json_array_size(events) > 0);
    sw_log_run(&reader->log, *name ? name : NULL, ",\"no_addresses\":true");
    return true;
}

static bool tt_rewrite(const struct sw_input *input, const struct sw_load_options *options, struct sw_sink *sink,
                       struct sw_error *error) {
    struct sw_error own = {0};
    struct reader reader = {.log = {.out = sink, .planner = "tt-mlir"}, .error = &own};
    (void)options;
    bool good = sw_json_open(&reader.json, input, &own) && read_all(&reader);
    good = sw_log_done(&reader.log, good, &own);
    sw_json_close(&reader.json);
    sw_sink_done(&reader.text);
    SW_ARRAY_DONE(&reader.buffers);
    sw_trace_names_done(&reader.latest);
    if (reader.names.table) {
        sw_unique_done(&reader.names);
    }
    sw_arena_done(&reader.arena);
    if (!good && error) {
        *error = own;
    }
    return good;
}

/* An object with these members at its top. */
static bool tt_detect(const struct sw_input *input) {
    const char *end = sw_text_end(input), *begin = sw_json_skip_space(sw_text_begin(input), end);
    struct sw_json_walk walk;
    bool beam = false, forward = false, choices = false;
    if (begin == end || *begin != '{') {
        return false;
    }
    sw_json_walk_begin(&walk, begin, end);
    for (int i = 0; i < 16 && sw_json_walk_next(&walk); i++) {
        beam |= sw_json_walk_is(&walk, "beamWidth");
        forward |= sw_json_walk_is(&walk, "forwardPass");
        choices |= sw_json_walk_is(&walk, "finalChoices");
    }
    return beam && forward && choices;
}

const struct sw_format sw_format_tt_mlir = {
    .name = "tt-mlir",
    .summary = "tt-mlir's FUNCTION_decision_trace.json, version 3: layouts and spills, without addresses",
    .extensions = ".json",
    .detect = tt_detect,
    .rewrite = tt_rewrite,
    .locate = sw_log_locate,
};
