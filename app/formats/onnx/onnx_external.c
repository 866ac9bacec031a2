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

static bool tell_location(struct external *external, struct sw_pb_bytes location) {
    struct sw_pb_bytes last = external->last;
    if (last.at && sw_pb_same(last, location)) {
        return true;
    }
    external->last = location;
    return external->each(external->context, (const char *)location.at, location.length, external->error);
}

/* Its entries are StringStringEntryProto: a key and a value. */
static bool visit_tensor(struct external *external, struct sw_pb_bytes tensor) {
    struct sw_pb pb = sw_pb_open(tensor);
    struct sw_pb_bytes location = {0};
    for (struct sw_pb_bytes entry; sw_pb_next_of(&pb, 13, &entry);) {
        struct sw_pb_bytes value = sw_pb_last(entry, 2);
        location = value.at && sw_pb_equal(sw_pb_last(entry, 1), "location") ? value : location;
    }
    return !location.at || sw_pb_last_varint(tensor, 14) != 1 || tell_location(external, location);
}

/* Which fields of a message hold which other ones, as far as tensors are in them. */
enum message { MODEL, GRAPH, FUNCTION, NODE, ATTRIBUTE, SPARSE_TENSOR, TENSOR };
static const struct {
    enum message within;
    uint32_t number;
    enum message is;
} fields[] = {
    {MODEL, 7, GRAPH},
    {MODEL, 25, FUNCTION},
    {FUNCTION, 7, NODE},
    {GRAPH, 1, NODE},
    {GRAPH, 5, TENSOR},
    {GRAPH, 15, SPARSE_TENSOR},
    {NODE, 5, ATTRIBUTE},
    {ATTRIBUTE, 5, TENSOR},
    {ATTRIBUTE, 6, GRAPH},
    {ATTRIBUTE, 10, TENSOR},
    {ATTRIBUTE, 11, GRAPH},
    {ATTRIBUTE, 22, SPARSE_TENSOR},
    {ATTRIBUTE, 23, SPARSE_TENSOR},
    {SPARSE_TENSOR, 1, TENSOR},
    {SPARSE_TENSOR, 2, TENSOR},
};

/* `depth`: graphs around it. The reader has refused more than ONNX_DEPTH. */
static bool visit_message(struct external *external, enum message kind, struct sw_pb_bytes message, unsigned depth) {
    struct sw_pb pb = sw_pb_open(message);
    struct sw_pb_field field;
    bool good = kind != TENSOR || visit_tensor(external, message);
    depth += kind == GRAPH;
    while (good && depth <= ONNX_DEPTH + 1 && sw_pb_next_bytes(&pb, &field)) {
        for (size_t i = 0; good && i < sizeof fields / sizeof *fields; i++) {
            good = fields[i].within != kind || fields[i].number != field.number ||
                   visit_message(external, fields[i].is, field.bytes, depth);
        }
    }
    return good;
}

bool sw_onnx_beside(const struct sw_input *input, sw_beside_fn *each, void *context, struct sw_error *error) {
    struct external external = {.each = each, .context = context, .error = error};
    return visit_message(&external, MODEL, onnx_file(input), 0);
}
