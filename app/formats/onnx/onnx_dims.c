/* ONNX: --dim NAME=LENGTH. A name is that of a dimension of the graph; otherwise it is TENSOR:AXIS, split at the last
 * colon, for names of tensors may hold colons themselves. */
#include "formats/onnx/onnx.h"
#include "formats/onnx/onnx_bodies.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#define MOST 64 /* settings that are looked at: bits of dims_used */

static size_t count_of(const struct onnx_model *model) {
    size_t count = model->dims ? model->dims->settings.count : 0;
    return count < MOST ? count : MOST;
}

static bool is(const char *text, struct sw_pb_bytes name) {
    return strlen(text) == name.length &&
           (name.length == 0 || memcmp(text, name.at, name.length) == 0);
}

/* The axis that a key names of a tensor; -1: it is none of its axes. */
static int64_t axis_of(const char *key, struct sw_pb_bytes tensor) {
    const char *colon = strrchr(key, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    if (!colon || digits == 0 || digits > 2 || colon[1 + digits] != '\0' ||
        (size_t)(colon - key) != tensor.length || memcmp(key, tensor.at, tensor.length) != 0) {
        return -1;
    }
    return strtol(colon + 1, NULL, 10);
}

/* ---- the names of the graph's dimensions ---- */

/* Settings that name a dimension of a ValueInfoProto. */
static uint64_t names_of(const struct onnx_model *model, struct sw_pb_bytes info) {
    /* ValueInfoProto.type, TypeProto.tensor_type, Tensor.shape, TensorShapeProto.dim, Dimension.dim_param */
    static const uint32_t path[] = {2, 1, 2, 1, 2};
    struct sw_pb pb[5];
    struct sw_pb_field field;
    uint64_t found = 0;
    unsigned depth = 0;
    pb[0] = sw_pb_open(info);
    for (;;) {
        if (!sw_pb_next(&pb[depth], &field)) {
            if (depth-- == 0) {
                return found;
            }
        } else if (field.number == path[depth] && field.wire == SW_PB_BYTES) {
            if (depth < 4) {
                pb[++depth] = sw_pb_open(field.bytes);
                continue;
            }
            for (size_t i = 0; i < count_of(model); i++) {
                found |= (uint64_t)is(model->dims->settings.items[i].key, field.bytes) << i;
            }
        }
    }
}

void onnx_dims_find(struct onnx_model *model) {
    struct sw_pb pb = sw_pb_open(model->graph);
    struct sw_pb_field field;
    while (count_of(model) > 0 && sw_pb_next(&pb, &field)) {
        if (field.wire == SW_PB_BYTES && field.number >= 11 && field.number <= 13) {
            uint64_t found = names_of(model, field.bytes);
            model->dims_named |= found;
            model->dims_exact |= field.number == 11 ? found : 0;
        }
    }
}

int64_t onnx_dim_named(struct onnx_model *model, struct sw_pb_bytes name, bool *exact) {
    for (size_t i = 0; i < count_of(model) && name.length > 0; i++) {
        const struct sw_setting *setting = &model->dims->settings.items[i];
        if (is(setting->key, name)) {
            model->dims_used |= UINT64_C(1) << i;
            *exact = model->dims_exact >> i & 1;
            return strtoll(setting->value, NULL, 10);
        }
    }
    return -1;
}

int64_t onnx_dim_of(struct onnx_model *model, const struct onnx_value *value, uint32_t axis) {
    for (size_t i = 0; i < count_of(model); i++) {
        const struct sw_setting *setting = &model->dims->settings.items[i];
        if (!(model->dims_named >> i & 1) && axis_of(setting->key, value->name) == axis) {
            model->dims_used |= UINT64_C(1) << i;
            return strtoll(setting->value, NULL, 10);
        }
    }
    return -1;
}

/* ---- messages ---- */

void onnx_dims_note(struct onnx_model *model, const char *name) {
    size_t used = strlen(model->open_names), length = strlen(name);
    if (length + used + 3 < sizeof model->open_names && !strstr(model->open_names, name)) {
        g_snprintf(model->open_names + used, sizeof model->open_names - used, "%s%s",
                   used ? ", " : "", name);
    }
}

/* The tensor of the graph that a key speaks of; NULL: none. */
static const struct onnx_value *tensor_of(const struct onnx_model *model, const char *key) {
    const char *colon = strrchr(key, ':');
    struct sw_pb_bytes name = {(const unsigned char *)key, colon ? (size_t)(colon - key) : 0};
    uint32_t value = colon && axis_of(key, name) >= 0 ? onnx_find(model, 0, name) : SW_NONE;
    return value == SW_NONE ? NULL : &model->values.items[value];
}

static bool refuse(struct onnx_model *model, const char *key) {
    const struct onnx_value *value = tensor_of(model, key);
    int64_t axis = value ? axis_of(key, value->name) : -1;
    if (!value || !value->shape.known) {
        onnx_fail(model, "--dim %.120s: no dimension of this name is open%s%s", key,
                  *model->open_names ? "; there are " : "", model->open_names);
    } else if (axis >= value->shape.rank) {
        onnx_fail(model, "--dim %.120s: this tensor has %u dimensions, counted from 0", key,
                  (unsigned)value->shape.rank);
    } else {
        onnx_fail(model, "--dim %.120s: this dimension is not open, it is %lld", key,
                  (long long)value->shape.dims[axis]);
    }
    if (model->error) {
        model->error->code = SW_ERROR_USAGE;
    }
    return false;
}

bool onnx_dims_check(struct onnx_model *model) {
    size_t count = model->dims ? model->dims->settings.count : 0;
    for (size_t i = 0; i < count; i++) {
        if (i >= MOST || !(model->dims_used >> i & 1)) {
            return refuse(model, model->dims->settings.items[i].key);
        }
    }
    return true;
}
