#include "formats/text/json_write.h"

#include <inttypes.h>

/* What was opened last. Those that are too deep share the last place; nothing of them is read, as the sink has failed.
 */
static struct sw_json_open *innermost(struct sw_json_out *json) {
    return &json->open[(json->depth < SW_JSON_OPEN ? json->depth : SW_JSON_OPEN) - 1];
}

static unsigned lines_around(const struct sw_json_out *json) {
    unsigned count = 0;
    for (unsigned i = 0; i < json->depth && i < SW_JSON_OPEN; i++) {
        count += json->open[i].lines;
    }
    return count;
}

/* What stands before an item. */
static struct sw_sink *begin_value(struct sw_json_out *json, const char *key) {
    if (json->depth > 0) {
        struct sw_json_open *top = innermost(json);
        bool first = !top->filled, behind_bracket = first && top->close == '}';
        sw_sink_add(json->out, ",", !first);
        if (top->lines && !behind_bracket) {
            sw_sink_printf(json->out, "\n%*s", (int)lines_around(json), "");
        }
        top->filled = true;
    }
    if (key) {
        sw_sink_json(json->out, key);
        sw_sink_add(json->out, ":", 1);
    }
    return json->out;
}

static void open_with(struct sw_json_out *json, const char *key, char opening, char closing) {
    sw_sink_add(begin_value(json, key), &opening, 1);
    json->out->failed |= json->depth >= SW_JSON_OPEN;
    json->depth++;
    *innermost(json) = (struct sw_json_open){.close = closing};
}

void sw_put_object(struct sw_json_out *json, const char *key) {
    open_with(json, key, '{', '}');
}

void sw_put_list(struct sw_json_out *json, const char *key) {
    open_with(json, key, '[', ']');
}

void sw_put_end(struct sw_json_out *json) {
    sw_sink_add(json->out, &innermost(json)->close, 1);
    json->depth--;
    sw_sink_add(json->out, "\n", json->depth == 0);
}

void sw_put_lines(struct sw_json_out *json) {
    innermost(json)->lines = true;
}

void sw_put_text(struct sw_json_out *json, const char *key, const char *text) {
    begin_value(json, key);
    if (text) {
        sw_sink_json(json->out, text);
    } else {
        sw_sink_add(json->out, "null", 4);
    }
}

void sw_put_count(struct sw_json_out *json, const char *key, uint64_t count) {
    sw_sink_printf(begin_value(json, key), "%" PRIu64, count);
}

void sw_put_known(struct sw_json_out *json, const char *key, bool known, uint64_t count) {
    known ? sw_put_count(json, key, count) : sw_put_null(json, key);
}

void sw_put_time(struct sw_json_out *json, const char *key, int64_t time) {
    sw_sink_printf(begin_value(json, key), "%" PRId64, time);
}

void sw_put_number(struct sw_json_out *json, const char *key, double number) {
    sw_sink_number(begin_value(json, key), number);
}

void sw_put_truth(struct sw_json_out *json, const char *key, bool truth) {
    sw_sink_printf(begin_value(json, key), "%s", truth ? "true" : "false");
}

void sw_put_if(struct sw_json_out *json, const char *key, bool truth) {
    if (truth) {
        sw_put_truth(json, key, true);
    }
}

void sw_put_null(struct sw_json_out *json, const char *key) {
    sw_sink_add(begin_value(json, key), "null", 4);
}

void sw_put_printf(struct sw_json_out *json, const char *key, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    sw_sink_vprintf(begin_value(json, key), format, arguments);
    va_end(arguments);
}

struct sw_sink *sw_put_raw(struct sw_json_out *json, const char *key) {
    return begin_value(json, key);
}

void sw_put_counts(struct sw_json_out *json, const struct sw_named_count *counts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        sw_put_count(json, counts[i].key, counts[i].count);
    }
}
