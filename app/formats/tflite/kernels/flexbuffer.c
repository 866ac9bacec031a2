/* A flexbuffer ends with its root: the value, a byte with its type (and in the two lower bits the width of what it
 * refers to), a byte with the width of the root. References lead back, by their distance. A map is a vector of values
 * with, before it, a reference to the vector of its keys, the keys' width and its own length; behind the values stands
 * a type byte for each. Keys are in order and end with NUL. */
#include "formats/tflite/kernels/rules.h"

#include <string.h>

enum { FLEX_INT = 1, FLEX_UINT = 2, FLEX_INDIRECT_INT = 6, FLEX_INDIRECT_UINT = 7, FLEX_MAP = 9 };

struct flex_bytes {
    const unsigned char *bytes;
    size_t length;
};

static bool load_flex(const struct flex_bytes *view, size_t at, size_t width, uint64_t *value) {
    *value = 0;
    if (at > view->length || width > view->length - at) {
        return false;
    }
    for (size_t i = width; i-- > 0;) {
        *value = *value << 8 | view->bytes[at + i];
    }
    return true;
}

/* What the reference of `width` bytes at `at` leads to. */
static bool follow_back(const struct flex_bytes *view, size_t at, size_t width, size_t *to) {
    uint64_t back;
    if (!load_flex(view, at, width, &back) || back > at) {
        return false;
    }
    *to = at - (size_t)back;
    return true;
}

static bool is_key(const struct flex_bytes *view, size_t at, const char *name) {
    size_t length = strlen(name) + 1;
    return at <= view->length && length <= view->length - at && memcmp(view->bytes + at, name, length) == 0;
}

static int64_t extend_sign(uint64_t value, size_t width, bool has_sign) {
    uint64_t sign = UINT64_C(1) << (8 * width - 1);
    return has_sign && width < 8 ? (int64_t)((value ^ sign) - sign) : (int64_t)value;
}

static bool take_flex_number(const struct flex_bytes *view, size_t at, size_t width, uint64_t type, int64_t *value) {
    uint64_t kind = type >> 2, raw;
    if (kind == FLEX_INDIRECT_INT || kind == FLEX_INDIRECT_UINT) {
        if (!follow_back(view, at, width, &at)) {
            return false;
        }
        width = (size_t)1 << (type & 3);
    } else if (kind != FLEX_INT && kind != FLEX_UINT) {
        return false;
    }
    if (!load_flex(view, at, width, &raw)) {
        return false;
    }
    *value = extend_sign(raw, width, kind == FLEX_INT || kind == FLEX_INDIRECT_INT);
    return true;
}

static bool find_in_map(const struct flex_bytes *view, size_t map, size_t width, const char *name, int64_t *value) {
    uint64_t count, keys_width, type;
    size_t keys, key;
    if (map < 3 * width || !load_flex(view, map - width, width, &count) ||
        !follow_back(view, map - 3 * width, width, &keys) || !load_flex(view, map - 2 * width, width, &keys_width) ||
        (keys_width != 1 && keys_width != 2 && keys_width != 4) || count > view->length / width) {
        return false;
    }
    for (size_t i = 0; i < (size_t)count; i++) {
        if (!follow_back(view, keys + i * (size_t)keys_width, (size_t)keys_width, &key)) {
            return false;
        }
        if (is_key(view, key, name)) {
            return load_flex(view, map + (size_t)count * width + i, 1, &type) &&
                   take_flex_number(view, map + i * width, width, type, value);
        }
    }
    return false;
}

bool rule_custom_option(const struct kernel_call *call, const char *name, int64_t *value) {
    struct sw_flat table;
    struct sw_flat_text options;
    uint64_t width, type;
    size_t map;
    if (!sw_flat_at(&call->model->root, call->op->at, &table) || !sw_flat_text(&table, OP_CUSTOM_OPTIONS, &options)) {
        return false;
    }
    struct flex_bytes view = {(const unsigned char *)options.text, options.length};
    if (view.length < 3 || !load_flex(&view, view.length - 1, 1, &width) ||
        !load_flex(&view, view.length - 2, 1, &type) || (width != 1 && width != 2 && width != 4) ||
        width > view.length - 2 || type >> 2 != FLEX_MAP) {
        return false;
    }
    return follow_back(&view, view.length - 2 - (size_t)width, (size_t)width, &map) &&
           find_in_map(&view, map, (size_t)1 << (type & 3), name, value);
}
