/* Snapshots as JSON, which programs that keep no pickles write: the same values as a pickle, so that one reader knows
 * both. */
#include "formats/pytorch/pytorch.h"
#include "formats/known_by.h"
#include "formats/text/json.h"

bool snapshot_is_json(const struct sw_input *input) {
    static const char *const whole[] = {"segments", "device_traces", NULL}, *const list[] = {".total_size", NULL};
    static const char *const segments[] = {"segments.total_size", NULL};
    return sw_words_found(&(struct sw_known_by){.members = whole}, input) ||
           sw_words_found(&(struct sw_known_by){.members = segments}, input) ||
           sw_words_found(&(struct sw_known_by){.members = list}, input);
}

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
    bool good = sw_json_open(&json, input, error);
    if (good) {
        put_opcode(out, "\x80\x02", 0, 0);
        put_pickled(out, json.root, 0);
        put_opcode(out, ".", 0, 0);
        good = !out->failed || sw_fail_memory(error);
    }
    sw_json_close(&json);
    return good;
}
