/* Snapshots as JSON, or as Python prints them: the same values as a pickle, so that one reader knows all. */
#include "formats/pytorch/pytorch.h"
#include "base/base.h"
#include "formats/known_by.h"
#include "formats/text/json.h"

/* ---- as Python prints it ---- */

enum { PRINT_SEARCHED = 65536 }; /* bytes */

static bool is_printed(const struct sw_input *input) {
    const char *begin = sw_text_begin(input), *end = sw_text_end(input);
    const char *at = sw_json_skip_space(begin, end);
    size_t length = SW_MIN((size_t)(end - at), (size_t)PRINT_SEARCHED);
    if (at < end && *at == '[') {
        at = sw_json_skip_space(at + 1, end);
    }
    at = at < end && *at == '{' ? sw_json_skip_space(at + 1, end) : end;
    return at < end && *at == '\'' &&
           (memmem(begin, length, "'total_size'", 12) || memmem(begin, length, "'device_traces'", 15));
}

/* A text between single or double quotes, as JSON; behind it. */
static const char *put_printed_text(const char *at, const char *end, struct sw_sink *out) {
    char quote = *at++;
    sw_sink_add(out, "\"", 1);
    for (; at < end && *at != quote; at++) {
        bool escaped = *at == '\\' && end - at > 1;
        at += escaped;
        bool plain = *at == '\'' || (!escaped && *at != '"'); /* JSON has no escape for an apostrophe */
        sw_sink_add(out, "\\", plain ? 0 : 1);
        bool coded = escaped && *at == 'x'; /* of two digits */
        sw_sink_add(out, coded ? "u00" : at, coded ? 3 : 1);
    }
    sw_sink_add(out, "\"", 1);
    return at < end ? at + 1 : end;
}

/* Texts, tuples and words of Python as JSON's. Whatever else there is stays, and is refused there, at its place. */
static void put_printed(const struct sw_input *input, struct sw_sink *out) {
    static const struct {
        const char *python, *json;
    } words[] = {{"True", "true"}, {"False", "false"}, {"None", "null"}, {"(", "["}, {")", "]"}};
    const char *at = sw_text_begin(input), *end = sw_text_end(input);
    while (at < end) {
        if (*at == '\'' || *at == '"') {
            at = put_printed_text(at, end, out);
            continue;
        }
        size_t i = 0;
        while (i < sizeof words / sizeof *words && ((size_t)(end - at) < strlen(words[i].python) ||
                                                    memcmp(at, words[i].python, strlen(words[i].python)) != 0)) {
            i++;
        }
        bool word = i < sizeof words / sizeof *words;
        size_t length = word ? strlen(words[i].python) : 1;
        const char *next = *at == ',' ? sw_json_skip_space(at + 1, end) : end;
        bool trailing = next < end && (*next == ')' || *next == ']' || *next == '}');
        sw_sink_add(out, trailing ? " " : word ? words[i].json : at, length);
        at += length;
    }
}

bool snapshot_is_json(const struct sw_input *input) {
    static const char *const whole[] = {"segments", "device_traces", NULL}, *const list[] = {".total_size", NULL};
    static const char *const segments[] = {"segments.total_size", NULL};
    return sw_words_found(&(struct sw_known_by){.members = whole}, input) ||
           sw_words_found(&(struct sw_known_by){.members = segments}, input) ||
           sw_words_found(&(struct sw_known_by){.members = list}, input) || is_printed(input);
}

/* ---- as a pickle ---- */

/* An opcode, and a number behind it, the lowest byte first. */
static void put_opcode(struct sw_sink *out, const char *opcode, uint64_t number, unsigned width) {
    sw_sink_add(out, opcode, strlen(opcode));
    for (unsigned i = 0; i < width; i++) {
        sw_sink_add(out, &(char){(char)(number >> (8 * i))}, 1);
    }
}

static void put_pickled_text(struct sw_sink *out, const char *text, size_t length) {
    put_opcode(out, "X", length, 4);
    sw_sink_add(out, text, length);
}

enum { MOST_DEPTH = 16 }; /* of what a snapshot says; what is deeper counts as None */

static void put_pickled(struct sw_sink *out, const json_t *value, unsigned depth) {
    const char *key;
    json_t *item;
    size_t i, length;
    if (json_is_integer(value)) {
        put_opcode(out, "\x8a\x08", (uint64_t)json_integer_value(value), 8);
    } else if (json_is_real(value)) {
        uint64_t bits;
        memcpy(&bits, &(double){json_real_value(value)}, sizeof bits);
        put_opcode(out, "G", __builtin_bswap64(bits), 8);
    } else if (json_is_string(value)) {
        put_pickled_text(out, json_string_value(value), json_string_length(value));
    } else if (json_is_object(value) && depth < MOST_DEPTH) {
        put_opcode(out, "}(", 0, 0);
        json_object_keylen_foreach((json_t *)(uintptr_t)value, key, length, item) {
            put_pickled_text(out, key, length);
            put_pickled(out, item, depth + 1);
        }
        put_opcode(out, "u", 0, 0);
    } else if (json_is_array(value) && depth < MOST_DEPTH) {
        put_opcode(out, "](", 0, 0);
        json_array_foreach(value, i, item) {
            put_pickled(out, item, depth + 1);
        }
        put_opcode(out, "e", 0, 0);
    } else {
        put_opcode(out, json_is_true(value) ? "\x88" : json_is_false(value) ? "\x89" : "N", 0, 0);
    }
}

bool snapshot_pickle_json(const struct sw_input *input, struct sw_sink *out, struct sw_error *error) {
    struct sw_json json = {0};
    struct sw_sink plain = {0};
    struct sw_input text = *input;
    if (is_printed(input)) {
        put_printed(input, &plain);
        text = (struct sw_input){.name = input->name, .bytes = plain.text.items, .length = plain.text.count};
    }
    bool good = plain.failed ? sw_fail_memory(error) : sw_json_open(&json, &text, error);
    if (good) {
        put_opcode(out, "\x80\x02", 0, 0);
        put_pickled(out, json.root, 0);
        put_opcode(out, ".", 0, 0);
        good = !out->failed || sw_fail_memory(error);
    }
    sw_json_close(&json);
    sw_sink_done(&plain);
    return good;
}
