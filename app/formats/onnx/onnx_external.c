/* ONNX models: the files beside one that hold its large tensors. A tensor names such a file by its path from the
 * model's folder. */
#include "formats/onnx/onnx.h"
#include "formats/onnx/onnx_format.h"

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
enum message { PB_MODEL, PB_GRAPH, PB_FUNCTION, PB_NODE, PB_ATTRIBUTE, PB_SPARSE, PB_TENSOR };
static const struct {
    enum message within;
    uint32_t number;
    enum message is;
} inner_messages[] = {
    {PB_MODEL, 7, PB_GRAPH},       {PB_MODEL, 25, PB_FUNCTION},  {PB_FUNCTION, 7, PB_NODE},
    {PB_GRAPH, 1, PB_NODE},        {PB_GRAPH, 5, PB_TENSOR},     {PB_GRAPH, 15, PB_SPARSE},
    {PB_NODE, 5, PB_ATTRIBUTE},    {PB_ATTRIBUTE, 5, PB_TENSOR}, {PB_ATTRIBUTE, 6, PB_GRAPH},
    {PB_ATTRIBUTE, 10, PB_TENSOR}, {PB_ATTRIBUTE, 11, PB_GRAPH}, {PB_ATTRIBUTE, 22, PB_SPARSE},
    {PB_ATTRIBUTE, 23, PB_SPARSE}, {PB_SPARSE, 1, PB_TENSOR},    {PB_SPARSE, 2, PB_TENSOR},
};

/* `depth`: graphs around it. The reader has refused more than ONNX_DEPTH. */
static bool visit_message(struct external *external, enum message kind, struct sw_pb_bytes message, unsigned depth) {
    struct sw_pb pb = sw_pb_open(message);
    struct sw_pb_field field;
    bool good = kind != PB_TENSOR || visit_tensor(external, message);
    depth += kind == PB_GRAPH;
    while (good && depth <= ONNX_DEPTH + 1 && sw_pb_next_bytes(&pb, &field)) {
        for (size_t i = 0; good && i < sizeof inner_messages / sizeof *inner_messages; i++) {
            good = inner_messages[i].within != kind || inner_messages[i].number != field.number ||
                   visit_message(external, inner_messages[i].is, field.bytes, depth);
        }
    }
    return good;
}

bool sw_onnx_beside(const struct sw_input *input, sw_beside_fn *each, void *context, struct sw_error *error) {
    struct external external = {.each = each, .context = context, .error = error};
    return visit_message(&external, PB_MODEL, onnx_file(input), 0);
}
