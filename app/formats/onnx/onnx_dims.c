/* ONNX: --dim NAME=LENGTH. A name is that of a dimension of the graph; otherwise it is TENSOR:AXIS, split at the last
 * colon, for names of tensors may hold colons themselves. */
#include "formats/onnx/onnx.h"
#include "base/base.h"
#include "formats/onnx/onnx_bodies.h"
#include "formats/text/unique.h"

static size_t count_dims(const struct onnx_model *model) {
    return model->dims ? model->dims->settings.count : 0;
}

/* The axis of the tensor that the key names; -1: the key names another tensor, or no axis. */
static int64_t axis_of_key(const char *key, struct sw_pb_bytes tensor) {
    const char *colon = strrchr(key, ':');
    size_t digits = colon ? strspn(colon + 1, "0123456789") : 0;
    if (!colon || digits == 0 || digits > 2 || colon[1 + digits] != '\0' || (size_t)(colon - key) != tensor.length ||
        memcmp(key, tensor.at, tensor.length) != 0) {
        return -1;
    }
    return strtol(colon + 1, NULL, 10);
}

/* ---- the names of the graph's dimensions ---- */

/* Mark settings that name a dimension of a ValueInfoProto. */
static void mark_names(struct onnx_model *model, struct sw_pb_bytes info, unsigned char mark) {
    /* ValueInfoProto.type, TypeProto.tensor_type, Tensor.shape, TensorShapeProto.dim, Dimension.dim_param */
    static const uint32_t path[] = {2, 1, 2, 1, 2};
    struct sw_pb pb[5];
    struct sw_pb_bytes part;
    unsigned depth = 0;
    pb[0] = sw_pb_open(info);
    for (;;) {
        if (!sw_pb_next_of(&pb[depth], path[depth], &part)) {
            if (depth-- == 0) {
                return;
            }
        } else if (depth < 4) {
            pb[++depth] = sw_pb_open(part);
        } else {
            for (size_t i = 0; i < count_dims(model); i++) {
                model->dims_named[i] |= sw_pb_equal(part, model->dims->settings.items[i].key) ? mark : 0;
            }
        }
    }
}

bool onnx_dims_find(struct onnx_model *model) {
    struct sw_pb pb = sw_pb_open(model->graph);
    struct sw_pb_field field;
    model->lengths.given = model->dims;
    if (count_dims(model) == 0) {
        return true;
    }
    model->dims_named = sw_arena_new(&model->arena, count_dims(model), 1);
    if (!model->dims_named) {
        return onnx_fail_memory(model);
    }
    while (sw_pb_next_bytes(&pb, &field)) {
        if (field.number >= 11 && field.number <= 13) {
            mark_names(model, field.bytes, ONNX_DIM_NAMED | (field.number == 11 ? ONNX_DIM_EXACT : 0));
        }
    }
    return true;
}

/* What a setting gives, which has been of use. */
static int64_t take_length(struct onnx_model *model, size_t setting) {
    if (!sw_lengths_use(&model->lengths, setting)) {
        onnx_fail_memory(model);
    }
    return strtoll(model->dims->settings.items[setting].value, NULL, 10);
}

int64_t onnx_dim_named(struct onnx_model *model, struct sw_pb_bytes name, bool *exact) {
    for (size_t i = 0; i < count_dims(model) && name.length > 0; i++) {
        if (sw_pb_equal(name, model->dims->settings.items[i].key)) {
            *exact = model->dims_named[i] & ONNX_DIM_EXACT;
            return take_length(model, i);
        }
    }
    return -1;
}

int64_t onnx_dim_of(struct onnx_model *model, const struct onnx_value *value, uint32_t axis) {
    for (size_t i = 0; i < count_dims(model); i++) {
        if (!model->dims_named[i] && axis_of_key(model->dims->settings.items[i].key, value->name) == axis) {
            return take_length(model, i);
        }
    }
    return -1;
}

/* ---- messages ---- */

/* What --dim calls a dimension: by its name, or "tensor:axis". NULL: there is no memory. */
static const char *dim_key(struct onnx_model *model, struct sw_pb_bytes tensor, struct sw_pb_bytes name,
                           uint32_t axis) {
    if (name.length > 0) {
        return onnx_text(model, name);
    }
    const char *text = onnx_text(model, tensor);
    return text ? sw_unique_printf(&model->arena, "%s:%u", text, axis) : NULL;
}

bool onnx_dims_miss(struct onnx_model *model, struct sw_pb_bytes tensor, struct sw_pb_bytes name, uint32_t axis) {
    const char *key = dim_key(model, tensor, name, axis);
    return (key && sw_lengths_miss(&model->lengths, key, strlen(key), 0, 0)) || onnx_fail_memory(model);
}

bool onnx_dims_fail(struct onnx_model *model, const char *value, const char *format, ...) {
    char text[SW_MESSAGE];
    struct sw_sink sink = {0};
    SW_FORMAT_INTO(text, format);
    sw_sink_text(&sink, text);
    sw_lengths_options(&model->lengths, &sink, value, SW_MESSAGE - 40);
    sw_sink_add(&sink, "", 1);
    bool good = !sink.failed;
    if (good) {
        onnx_fail(model, "%s", sink.text.items);
    }
    sw_sink_done(&sink);
    return good ? false : onnx_fail_memory(model);
}

/* The names of what inputs leave open, each once, as far as there is room for whole ones. */
static char *open_names(struct onnx_model *model) {
    struct sw_lengths all = {0};
    char *text = sw_arena_new(&model->arena, SW_MESSAGE, 1);
    size_t used = 0, i = 0;
    bool good = text != NULL;
    for (size_t k = 0; good && k < model->open.count; k++) {
        const struct onnx_open *open = &model->open.items[k];
        const char *key = dim_key(model, open->tensor, open->name, open->axis);
        good = key && sw_lengths_miss(&all, key, strlen(key), 0, 0);
    }
    for (; good && i < all.missing.count && used + strlen(all.missing.items[i]) < SW_MESSAGE / 2; i++) {
        used += (size_t)snprintf(text + used, SW_MESSAGE - used, "%s%s", i > 0 ? ", " : "; there are ",
                                 all.missing.items[i]);
    }
    if (good && i < all.missing.count) {
        snprintf(text + used, SW_MESSAGE - used, "%s", " and others");
    }
    sw_lengths_done(&all);
    return good ? text : NULL;
}

/* The tensor of the graph that a key speaks of; NULL: none. */
static const struct onnx_value *tensor_of_key(const struct onnx_model *model, const char *key) {
    const char *colon = strrchr(key, ':');
    struct sw_pb_bytes name = {(const unsigned char *)key, colon ? (size_t)(colon - key) : 0};
    uint32_t value = colon && axis_of_key(key, name) >= 0 ? onnx_find(model, 0, name) : SW_NONE;
    return value == SW_NONE ? NULL : &model->values.items[value];
}

static bool refuse_dim(struct onnx_model *model, const char *key) {
    const struct onnx_value *value = tensor_of_key(model, key);
    int64_t axis = value ? axis_of_key(key, value->name) : -1;
    if (!value || !value->shape.known) {
        const char *names = open_names(model);
        return names ? onnx_refuse(model, "--dim %s: no dimension of this name is open%s", key, names)
                     : onnx_fail_memory(model);
    }
    return axis >= value->shape.rank ? onnx_refuse(model, "--dim %s: this tensor has %u dimensions, counted from 0",
                                                   key, (unsigned)value->shape.rank)
                                     : onnx_refuse(model, "--dim %s: this dimension is not open, it is %lld", key,
                                                   (long long)value->shape.dims[axis]);
}

bool onnx_dims_check(struct onnx_model *model) {
    for (size_t i = 0; i < count_dims(model); i++) {
        if (i >= model->lengths.used.count || !model->lengths.used.items[i]) {
            return refuse_dim(model, model->dims->settings.items[i].key);
        }
    }
    return true;
}
