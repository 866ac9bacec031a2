/* The wire format of Protocol Buffers. */
#include "formats/onnx/protobuf.h"
#include "formats/text/input_words.h"

#include <string.h>

static bool fault(struct sw_pb *pb, const unsigned char *at, const char *what) {
    if (!pb->fault) {
        pb->fault = what;
        pb->fault_at = at;
    }
    pb->at = pb->end;
    return false;
}

static bool take_varint(struct sw_pb *pb, uint64_t *value) {
    const unsigned char *start = pb->at;
    uint64_t sum = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (pb->at == pb->end) {
            return fault(pb, start, "the file ends within a number");
        }
        unsigned char byte = *pb->at++;
        if (shift == 63 && byte > 1) {
            break;
        }
        sum |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = sum;
            return true;
        }
    }
    return fault(pb, start, "a number is longer than 64 bits");
}

static bool take_fixed(struct sw_pb *pb, size_t size, uint64_t *value) {
    if ((size_t)(pb->end - pb->at) < size) {
        return fault(pb, pb->at, "the file ends within a number");
    }
    uint64_t sum = 0;
    for (size_t i = size; i-- > 0;) {
        sum = sum << 8 | pb->at[i];
    }
    pb->at += size;
    *value = sum;
    return true;
}

static bool take_bytes(struct sw_pb *pb, struct sw_pb_bytes *bytes) {
    const unsigned char *start = pb->at;
    uint64_t length;
    if (!take_varint(pb, &length)) {
        return false;
    }
    if (length > (uint64_t)(pb->end - pb->at)) {
        return fault(pb, start, "a field is longer than what is left of the file");
    }
    *bytes = (struct sw_pb_bytes){pb->at, (size_t)length};
    pb->at += length;
    return true;
}

bool sw_pb_next(struct sw_pb *pb, struct sw_pb_field *field) {
    uint64_t tag;
    if (pb->at == pb->end || pb->fault) {
        return false;
    }
    const unsigned char *start = pb->at;
    if (!take_varint(pb, &tag)) {
        return false;
    }
    *field = (struct sw_pb_field){.number = (uint32_t)(tag >> 3), .wire = (enum sw_pb_wire)(tag & 7)};
    if (tag >> 3 == 0 || tag >> 3 >= UINT32_C(1) << 29) {
        return fault(pb, start, "a field has an impossible number");
    }
    switch (tag & 7) {
    case SW_PB_VARINT:
        return take_varint(pb, &field->value);
    case SW_PB_FIXED64:
        return take_fixed(pb, 8, &field->value);
    case SW_PB_FIXED32:
        return take_fixed(pb, 4, &field->value);
    case SW_PB_BYTES:
        return take_bytes(pb, &field->bytes);
    default:
        return fault(pb, start, "a field is of an unknown kind");
    }
}

bool sw_pb_next_bytes(struct sw_pb *pb, struct sw_pb_field *field) {
    while (sw_pb_next(pb, field)) {
        if (field->wire == SW_PB_BYTES) {
            return true;
        }
    }
    return false;
}

bool sw_pb_next_of(struct sw_pb *pb, uint32_t number, struct sw_pb_bytes *bytes) {
    *bytes = (struct sw_pb_bytes){0};
    for (struct sw_pb_field field; sw_pb_next_bytes(pb, &field);) {
        if (field.number == number) {
            *bytes = field.bytes;
            return true;
        }
    }
    return false;
}

struct sw_pb_bytes sw_pb_last(struct sw_pb_bytes message, uint32_t number) {
    struct sw_pb pb = sw_pb_open(message);
    struct sw_pb_bytes last = {0};
    for (struct sw_pb_bytes one; sw_pb_next_of(&pb, number, &one);) {
        last = one;
    }
    return last;
}

uint64_t sw_pb_last_varint(struct sw_pb_bytes message, uint32_t number) {
    struct sw_pb pb = sw_pb_open(message);
    uint64_t last = 0;
    for (struct sw_pb_field field; sw_pb_next(&pb, &field);) {
        last = field.number == number && field.wire == SW_PB_VARINT ? field.value : last;
    }
    return last;
}

/* A fault in packed numbers ends those of that field. */
bool sw_pb_number(struct sw_pb_numbers *walk, uint64_t *value) {
    for (;;) {
        struct sw_pb_field field;
        if (walk->packed.at != walk->packed.end) {
            if (walk->wire == SW_PB_VARINT ? take_varint(&walk->packed, value)
                                           : take_fixed(&walk->packed, walk->wire == SW_PB_FIXED64 ? 8 : 4, value)) {
                return true;
            }
        } else if (!sw_pb_next(&walk->fields, &field)) {
            return false;
        } else if (field.number == walk->number && field.wire == walk->wire) {
            *value = field.value;
            return true;
        } else if (field.number == walk->number && field.wire == SW_PB_BYTES) {
            walk->packed = sw_pb_open(field.bytes);
        }
    }
}

float sw_pb_float(uint64_t bits) {
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

double sw_pb_double(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static struct sw_input_text pb_text(struct sw_pb_bytes bytes) {
    return (struct sw_input_text){bytes.length ? (const char *)bytes.at : "", bytes.length};
}

bool sw_pb_same(struct sw_pb_bytes a, struct sw_pb_bytes b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

bool sw_pb_equal(struct sw_pb_bytes bytes, const char *text) {
    return sw_text_is(pb_text(bytes), text);
}

bool sw_pb_in(struct sw_pb_bytes bytes, const char *words) {
    return sw_text_in(pb_text(bytes), words);
}
