#include "formats/settings/lengths.h"
#include "base/base.h"

enum { MOST_MISSING = 1000, MOST_NAME_BYTES = 1 << 16 }; /* what is more than a message can tell is not kept */

bool sw_lengths_use(struct sw_lengths *lengths, size_t setting) {
    size_t count = lengths->given->settings.count;
    if (!SW_RESERVE(&lengths->used, count)) {
        lengths->no_memory = true;
        return false;
    }
    while (lengths->used.count < count) {
        lengths->used.items[lengths->used.count++] = false;
    }
    return lengths->used.items[setting] = true;
}

bool sw_lengths_get(struct sw_lengths *lengths, const char *name, size_t length, uint64_t *value) {
    size_t count = lengths->given ? lengths->given->settings.count : 0;
    for (size_t i = 0; i < count; i++) {
        const struct sw_setting *setting = &lengths->given->settings.items[i];
        if (strlen(setting->key) == length && memcmp(setting->key, name, length) == 0) {
            *value = strtoull(setting->value, NULL, 10);
            return sw_lengths_use(lengths, i);
        }
    }
    return false;
}

bool sw_lengths_miss(struct sw_lengths *lengths, const char *name, size_t length, uint32_t line, uint32_t column) {
    if (lengths->missing.count == 0) {
        lengths->line = line;
        lengths->column = column;
    }
    for (size_t i = 0; i < lengths->missing.count; i++) {
        const char *other = lengths->missing.items[i];
        if (strlen(other) == length && memcmp(other, name, length) == 0) {
            return true;
        }
    }
    if (lengths->missing.count > 0 &&
        (lengths->missing.count == MOST_MISSING || length > MOST_NAME_BYTES - lengths->bytes)) {
        return lengths->more = true;
    }
    lengths->bytes += length < MOST_NAME_BYTES - lengths->bytes ? length : MOST_NAME_BYTES - lengths->bytes;
    char *copy = sw_arena_string(&lengths->arena, name, length);
    return copy && SW_PUSH(&lengths->missing, copy);
}

void sw_lengths_options(const struct sw_lengths *lengths, struct sw_sink *sink, const char *value, size_t room) {
    for (size_t i = 0; i < lengths->missing.count; i++) {
        size_t before = sink->text.count;
        sw_sink_text(sink, " --dim ");
        sw_sink_argument(sink, lengths->missing.items[i]);
        sw_sink_printf(sink, "=%s", value);
        if (sink->text.count > room && i > 0) {
            sink->text.count = before;
            sw_sink_text(sink, ", and more");
            return;
        }
    }
    sw_sink_text(sink, lengths->more ? ", and more" : "");
}

bool sw_lengths_check(const struct sw_lengths *lengths, const struct sw_input *input, const char *what,
                      const char *subject, const char *else_, struct sw_error *error) {
    size_t given = lengths->given ? lengths->given->settings.count : 0, missing = lengths->missing.count;
    for (size_t i = 0; i < given; i++) {
        if (lengths->no_memory) { /* it is not known which were used */
            return sw_fail_memory(error);
        }
        if (i >= lengths->used.count || !lengths->used.items[i]) {
            return sw_fail(error, SW_ERROR_USAGE, "--dim %s: %s", lengths->given->settings.items[i].key, what);
        }
    }
    if (missing == 0) {
        return true;
    }
    struct sw_sink sink = {0};
    sw_sink_printf(&sink, "%s %s, which is left open: give it, for instance with", subject, lengths->missing.items[0]);
    if (missing > 1) {
        sink.text.count = 0;
        sw_sink_printf(&sink, "%s %s%zu lengths that are left open: give them, for instance with", subject,
                       lengths->more ? "more than " : "", missing);
    }
    sw_lengths_options(lengths, &sink, "1", sizeof error->message - strlen(else_) - 40);
    sw_sink_text(&sink, else_);
    sw_sink_add(&sink, "", 1);
    if (sink.failed) {
        sw_fail_memory(error);
    } else {
        sw_fail(error, SW_ERROR_INPUT, "%s", sink.text.items);
        sw_error_at(error, input->name, lengths->line, lengths->column);
    }
    sw_sink_done(&sink);
    return false;
}

void sw_lengths_done(struct sw_lengths *lengths) {
    SW_ARRAY_DONE(&lengths->used, &lengths->missing);
    sw_arena_done(&lengths->arena);
}
