/* ONNX models: the files beside one that hold its large tensors. A tensor names such a file by its path from the
 * model's folder. */
#include "formats/onnx/onnx.h"
#include "formats/onnx/onnx_format.h"

#include <string.h>

struct external {
    sw_beside_fn *each;
    void *context;
    struct sw_pb_bytes last; /* the location told last: tensors of one file mostly stand together */
    struct sw_error *error;
};

/* StringStringEntryProto: the value of the key "location". */
static struct sw_pb_bytes location_of(struct sw_pb_bytes entry) {
    struct sw_pb pb = sw_pb_open(entry);
    struct sw_pb_field field;
    struct sw_pb_bytes value = {0};
    bool location = false;
    while (sw_pb_next(&pb, &field)) {
        location |= field.number == 1 && field.wire == SW_PB_BYTES && sw_pb_equal(field.bytes, "location");
        value = field.number == 2 && field.wire == SW_PB_BYTES ? field.bytes : value;
    }
    return location ? value : (struct sw_pb_bytes){0};
}

static bool tell(struct external *external, struct sw_pb_bytes location) {
    struct sw_pb_bytes last = external->last;
    if (last.at && last.length == location.length && memcmp(last.at, location.at, last.length) == 0) {
        return true;
    }
    external->last = location;
    return external->each(external->context, (const char *)location.at, location.length, external->error);
}

static bool visit_tensor(struct external *external, struct sw_pb_bytes tensor) {
    struct sw_pb pb = sw_pb_open(tensor);
    struct sw_pb_field field;
    struct sw_pb_bytes location = {0};
    bool outside = false;
    while (sw_pb_next(&pb, &field)) {
        outside |= field.number == 14 && field.wire == SW_PB_VARINT && field.value == 1;
        if (field.number == 13 && field.wire == SW_PB_BYTES) {
            struct sw_pb_bytes found = location_of(field.bytes);
            location = found.at ? found : location;
        }
    }
    return !outside || !location.at || tell(external, location);
}

/* SparseTensorProto: values and indices. */
static bool visit_sparse(struct external *external, struct sw_pb_bytes tensor) {
    struct sw_pb pb = sw_pb_open(tensor);
    struct sw_pb_field field;
    bool good = true;
    while (good && sw_pb_next(&pb, &field)) {
        good = field.wire != SW_PB_BYTES || field.number > 2 || visit_tensor(external, field.bytes);
    }
    return good;
}

static bool visit_graph(struct external *external, struct sw_pb_bytes graph, unsigned depth);

static bool visit_attribute(struct external *external, struct sw_pb_bytes attribute, unsigned depth) {
    struct sw_pb pb = sw_pb_open(attribute);
    struct sw_pb_field field;
    bool good = true;
    while (good && sw_pb_next(&pb, &field)) {
        if (field.wire != SW_PB_BYTES) {
            continue;
        }
        if (field.number == 5 || field.number == 10) {
            good = visit_tensor(external, field.bytes);
        } else if (field.number == 22 || field.number == 23) {
            good = visit_sparse(external, field.bytes);
        } else if ((field.number == 6 || field.number == 11) && depth < ONNX_DEPTH) { /* the reader has refused more */
            good = visit_graph(external, field.bytes, depth + 1);
        }
    }
    return good;
}

static bool visit_node(struct external *external, struct sw_pb_bytes node, unsigned depth) {
    struct sw_pb pb = sw_pb_open(node);
    struct sw_pb_field field;
    bool good = true;
    while (good && sw_pb_next(&pb, &field)) {
        good = field.number != 5 || field.wire != SW_PB_BYTES || visit_attribute(external, field.bytes, depth);
    }
    return good;
}

static bool visit_graph(struct external *external, struct sw_pb_bytes graph, unsigned depth) {
    struct sw_pb pb = sw_pb_open(graph);
    struct sw_pb_field field;
    bool good = true;
    while (good && sw_pb_next(&pb, &field)) {
        if (field.wire != SW_PB_BYTES) {
            continue;
        }
        good = field.number == 1    ? visit_node(external, field.bytes, depth)
               : field.number == 5  ? visit_tensor(external, field.bytes)
               : field.number == 15 ? visit_sparse(external, field.bytes)
                                    : true;
    }
    return good;
}

/* FunctionProto. */
static bool visit_function(struct external *external, struct sw_pb_bytes function) {
    struct sw_pb pb = sw_pb_open(function);
    struct sw_pb_field field;
    bool good = true;
    while (good && sw_pb_next(&pb, &field)) {
        good = field.number != 7 || field.wire != SW_PB_BYTES || visit_node(external, field.bytes, 0);
    }
    return good;
}

bool sw_onnx_beside(const struct sw_input *input, sw_beside_fn *each, void *context, struct sw_error *error) {
    struct external external = {.each = each, .context = context, .error = error};
    struct sw_pb pb = sw_pb_open((struct sw_pb_bytes){(const unsigned char *)input->bytes, input->length});
    struct sw_pb_field field;
    bool good = true;
    while (good && sw_pb_next(&pb, &field)) {
        if (field.wire == SW_PB_BYTES && field.number == 7) {
            good = visit_graph(&external, field.bytes, 0);
        } else if (field.wire == SW_PB_BYTES && field.number == 25) {
            good = visit_function(&external, field.bytes);
        }
    }
    return good;
}
