#include "formats/trace/decision_log.h"
#include "base/base.h"

void sw_log_end(struct sw_recorded_log *log, uint32_t line) {
    if (line > 0) {
        sw_sink_printf(&log->body, ",\"source\":\"line %" PRIu32 "\"", line);
    }
    sw_sink_add(&log->body, "}\n", 2);
}

void sw_log_note(struct sw_recorded_log *log, const char *text) {
    sw_sink_printf(&log->notes, "%s", log->notes.text.count > 0 ? "," : "");
    sw_sink_json(&log->notes, text);
}

void sw_log_tier(struct sw_recorded_log *log, const char *name, uint64_t capacity) {
    sw_sink_printf(&log->tiers, "%s{\"name\":", log->tiers.text.count > 0 ? "," : "");
    sw_sink_json(&log->tiers, name);
    if (capacity > 0) {
        sw_sink_printf(&log->tiers, ",\"capacity\":%" PRIu64, capacity);
    }
    sw_sink_add(&log->tiers, "}", 1);
}

static void put_header_list(struct sw_recorded_log *log, const char *key, struct sw_sink *list) {
    if (list->text.count > 0) {
        sw_sink_printf(log->out, ",\"%s\":[", key);
        sw_sink_add(log->out, list->text.items, list->text.count);
        sw_sink_add(log->out, "]", 1);
    }
    log->out->failed |= list->failed;
    list->text.count = 0;
}

void sw_log_run(struct sw_recorded_log *log, const char *model, const char *end) {
    sw_sink_printf(log->out, "{\"stowage-trace\":1,\"planner\":");
    sw_sink_json(log->out, log->planner);
    if (model) {
        sw_sink_printf(log->out, ",\"model\":");
        sw_sink_json(log->out, model);
    }
    put_header_list(log, "tiers", &log->tiers);
    put_header_list(log, "notes", &log->notes);
    sw_sink_printf(log->out, "}\n");
    sw_sink_add(log->out, log->body.text.items, log->body.text.count);
    log->out->failed |= log->body.failed;
    log->body.text.count = 0;
    if (end) {
        sw_sink_printf(log->out, "{\"end\":\"done\"%s}\n", end);
    }
}

bool sw_log_done(struct sw_recorded_log *log, bool good, struct sw_error *error) {
    bool failed = log->out->failed || log->body.failed || log->notes.failed || log->tiers.failed;
    sw_sink_done(&log->body);
    sw_sink_done(&log->notes);
    sw_sink_done(&log->tiers);
    return good && (!failed || sw_fail_memory(error));
}

/* Where a line of the text begins and ends. */
static const char *line_at(const struct sw_sink *text, uint32_t line, const char **end) {
    const char *at = text->text.items, *stop = at + text->text.count;
    for (uint32_t i = 1; i < line && at; i++) {
        at = memchr(at, '\n', (size_t)(stop - at));
        at = at ? at + 1 : NULL;
    }
    const char *found = at && at < stop ? memchr(at, '\n', (size_t)(stop - at)) : NULL;
    *end = found ? found : stop;
    return at;
}

void sw_log_locate(const struct sw_sink *text, struct sw_error *error) {
    static const char key[] = "\"source\":\"line ";
    const char *end, *at = error->line > 0 ? line_at(text, error->line, &end) : NULL, *found = NULL;
    while (at && at < end && (at = memmem(at, (size_t)(end - at), key, sizeof key - 1))) {
        at += sizeof key - 1;
        found = at;
    }
    error->line = found ? (uint32_t)strtoul(found, NULL, 10) : 0; /* a quote ends it */
    error->column = found ? 1 : 0;
}
