/* ONNX: --value NAME=NUMBER, the element of an input of the graph that has one. A sample rate, a flag, a count steers
 * what the model does: what follows from it is known, and holds for runs with this value. So it is no constant, and
 * operators that compute with it run. */
#include "formats/onnx/onnx.h"
#include "base/base.h"
#include "formats/onnx/onnx_bodies.h"

#include <errno.h>

static size_t count_given(const struct onnx_model *model) {
    return model->given ? model->given->settings.count : 0;
}

/* The smallest and the largest number of a type of integers; beyond 64 bits with a sign none is taken. */
static bool in_range(int type, int64_t number) {
    unsigned bits = type == ONNX_BOOL ? 1 : onnx_bits(type);
    bool negative = type == ONNX_INT8 || type == ONNX_INT16 || type == ONNX_INT32 || type == ONNX_INT64;
    if (bits == 64) {
        return negative || number >= 0;
    }
    return negative ? number >= -(INT64_C(1) << (bits - 1)) && number < INT64_C(1) << (bits - 1)
                    : number >= 0 && number < INT64_C(1) << bits;
}

static bool parse_value(int type, const char *text, union onnx_number *to) {
    char *end;
    errno = 0;
    if (type == ONNX_BOOL && (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)) {
        to->i = *text == 't';
        return true;
    }
    if (onnx_is_float(type)) {
        to->f = strtod(text, &end);
        return end != text && *end == '\0' && errno == 0;
    }
    to->i = strtoll(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && in_range(type, to->i);
}

bool onnx_give_value(struct onnx_model *model, struct onnx_value *value) {
    for (size_t i = 0; i < count_given(model); i++) {
        const struct sw_setting *setting = &model->given->settings.items[i];
        if (!sw_pb_equal(value->name, setting->key)) {
            continue;
        }
        union onnx_number *number = sw_arena_new(&model->arena, 1, sizeof *number);
        if (!number) {
            return onnx_fail_memory(model);
        }
        if (!onnx_plain(value) || !(onnx_is_float(value->type) || onnx_is_integer(value->type))) {
            return onnx_refuse(model, "--value %s: this input does not hold numbers", setting->key);
        }
        if (!value->shape.known || onnx_count(&value->shape) != 1) {
            return onnx_refuse(model, "--value %s: this input does not have a single element", setting->key);
        }
        if (!parse_value(value->type, setting->value, number)) {
            return onnx_refuse(model, "--value %s=%s: the elements of this input are of another kind: %s", setting->key,
                               setting->value,
                               value->type == ONNX_BOOL     ? "true or false"
                               : onnx_is_float(value->type) ? "numbers"
                                                            : "whole numbers that fit its type");
        }
        value->data = number;
        value->steered = true;
        value->loose = 0;
    }
    return true;
}

/* Inputs that could be given, for a message about one that there is not. */
static void list_number_inputs(const struct onnx_model *model, char *list, size_t size) {
    size_t used = 0, left = 0;
    for (size_t i = 0; i < model->inputs.count; i++) {
        const struct onnx_value *value = &model->values.items[model->inputs.items[i]];
        struct sw_quote name = onnx_quote(value->name);
        bool fits = value->shape.known && onnx_plain(value) && onnx_count(&value->shape) == 1;
        if (fits && used + strlen(name.text) + 48 < size) {
            used += (size_t)snprintf(list + used, size - used, "%s%s", used ? ", " : "; there are ", name.text);
        } else {
            left += fits;
        }
    }
    if (left > 0) {
        snprintf(list + used, size - used, " and %zu more", left);
    }
}

bool onnx_values_check(struct onnx_model *model) {
    for (size_t i = 0; i < count_given(model); i++) {
        const char *key = model->given->settings.items[i].key;
        uint32_t found = onnx_find(model, 0, (struct sw_pb_bytes){(const unsigned char *)key, strlen(key)});
        if (found == SW_NONE || !model->values.items[found].input) {
            char list[SW_MESSAGE / 2] = "";
            list_number_inputs(model, list, sizeof list);
            return onnx_refuse(model,
                               "--value %s: the model has no input of this name that a single number could be given%s",
                               key, list);
        }
    }
    return true;
}
