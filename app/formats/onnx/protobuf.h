/* Protocol Buffers, read where they lie: one field at a time, every length checked against the bytes there
 * are. Nothing is copied or allocated; contents that are not asked for are never touched. */
#ifndef SW_FORMATS_PROTOBUF_H
#define SW_FORMATS_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a varint, a fixed width or a length announces.. */
enum sw_pb_wire { SW_PB_VARINT, SW_PB_FIXED64, SW_PB_BYTES, SW_PB_FIXED32 = 5 };

struct sw_pb_bytes {
    const unsigned char *at;
    size_t length;
};

/* A message that is being read. The first fault is kept: what is wrong, and where. */
struct sw_pb {
    const unsigned char *at, *end;
    const char *fault; /* NULL: none */
    const unsigned char *fault_at;
};
struct sw_pb_field {
    uint32_t number;
    enum sw_pb_wire wire;
    uint64_t value;           /* of a varint or a fixed width */
    struct sw_pb_bytes bytes; /* of a length-delimited field */
};

static inline struct sw_pb sw_pb_open(struct sw_pb_bytes message) {
    return (struct sw_pb){.at = message.at, .end = message.at ? message.at + message.length : NULL};
}
/* The next field. False at the end of the message, and at a fault. */
bool sw_pb_next(struct sw_pb *, struct sw_pb_field *);
/* The next one that has a length: a message, a text, packed numbers; and the next of these with that number. */
bool sw_pb_next_bytes(struct sw_pb *, struct sw_pb_field *);
bool sw_pb_next_of(struct sw_pb *, uint32_t number, struct sw_pb_bytes *);
/* The field of that number, of several the last: `at` is NULL, or the number is 0, when there is none. O(fields) */
struct sw_pb_bytes sw_pb_last(struct sw_pb_bytes message, uint32_t number);
uint64_t sw_pb_last_varint(struct sw_pb_bytes message, uint32_t number);

/* The elements of a repeated number, packed or not, of all fields of that number. Each element is of this wire type.
 * Start with a walk that sw_pb_numbers opened; each call gives one more. */
struct sw_pb_numbers {
    struct sw_pb fields, packed;
    uint32_t number;
    enum sw_pb_wire wire;
};
static inline struct sw_pb_numbers sw_pb_numbers(struct sw_pb_bytes message, uint32_t number, enum sw_pb_wire wire) {
    return (struct sw_pb_numbers){.fields = sw_pb_open(message), .number = number, .wire = wire};
}
bool sw_pb_number(struct sw_pb_numbers *walk, uint64_t *value);

/* A varint as the signed number it stands for (int32, int64). */
static inline int64_t sw_pb_signed(uint64_t value) {
    return value <= INT64_MAX ? (int64_t)value : -(int64_t)(UINT64_MAX - value) - 1;
}
float sw_pb_float(uint64_t bits);
double sw_pb_double(uint64_t bits);
bool sw_pb_same(struct sw_pb_bytes, struct sw_pb_bytes);
bool sw_pb_equal(struct sw_pb_bytes, const char *text);
bool sw_pb_in(struct sw_pb_bytes, const char *words); /* which stand in one text, a space between two */

#endif
