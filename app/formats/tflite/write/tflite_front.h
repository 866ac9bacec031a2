/* A TensorFlow Lite model with something new in it.
 *
 * References in a flatbuffer lead forward only, so what is new goes in front: a root, then what its new fields refer
 * to, then the old file as it is. Fields of the root that are not new lead into the old file. The root of the old file
 * is not used any more. The only bytes of the old file that change are positions that count from the beginning of the
 * file. */
#ifndef SW_FORMATS_TFLITE_FRONT_H
#define SW_FORMATS_TFLITE_FRONT_H

#include "formats/tflite/tflite_model.h"

/* A reference into the old file. It is filled in the end, when it is known how far the old file moves. */
struct tflite_link {
    size_t at, target;
};
/* Something that several references share; it stands behind all of them. */
struct tflite_shared {
    size_t from, length; /* in `bytes` */
    size_t entry;        /* where in it references lead */
    size_t at;           /* where it stands in the end */
    uint64_t digest;
    bool data; /* what stands behind the count at `entry` is aligned as tensors are */
};
/* Tables with the same fields share one vtable. */
struct tflite_fields {
    uint64_t has;
    unsigned count;
    size_t at;
};
struct tflite_front {
    struct tflite_model *model; /* the old one */
    struct sw_sink *sink;       /* empty */
    struct sw_error *error;
    SW_ARRAY(struct tflite_link) links;
    SW_ARRAY(struct tflite_shared) shared;
    SW_ARRAY(struct tflite_link) to_shared; /* target: which */
    SW_ARRAY(char) bytes;
    SW_ARRAY(struct tflite_fields) fields; /* of tables so far */
};
void tflite_front_done(struct tflite_front *);

/* ---- bytes ---- */
void tflite_put(struct sw_sink *, uint64_t value, size_t width);
void tflite_pad(struct sw_sink *, size_t unit);
void tflite_poke(struct sw_sink *, size_t at, uint64_t value, size_t width); /* over bytes that are there */
/* A reference at `at` to what comes next. */
void tflite_refer_here(struct sw_sink *, size_t at);
void tflite_text(struct sw_sink *, size_t reference, const char *text);
/* A list of references, which are to be filled; where the first is. */
size_t tflite_references(struct sw_sink *, size_t reference, size_t count);

/* ---- the front ---- */

/* A table with four bytes for each of the fields that it has, all 0, for a reference at `reference`; where the first of
 * them is. Field i, of those it has, is at + 4 * i. `has` NULL: it has them all. Up to 64 fields. */
size_t tflite_table(struct tflite_front *, size_t reference, const bool *has, unsigned count);

/* What becomes of a field of an old table in a copy of it: a number of one or four bytes, a reference to the same, or
 * something new, which the caller fills in. */
enum tflite_field { TFLITE_NUMBER, TFLITE_BYTE, TFLITE_REFERENCE, TFLITE_NEW };
/* A copy of a table, of its first `count` fields, for a reference at `reference`: places[i] is where field i is. Those
 * that `fresh` tells (NULL: none) are in the copy though the old table lacks them. */
bool tflite_front_copy(struct tflite_front *, size_t reference, const struct sw_flat *old, const unsigned char *kinds,
                       unsigned count, const bool *fresh, size_t *places);
/* The header, and a root. `fresh` tells which fields are new, by their numbers: places[i] is where the reference is
 * then. The others are the old one's. */
bool tflite_front_root(struct tflite_front *, const bool fresh[MODEL_FIELDS], size_t places[MODEL_FIELDS]);
/* A reference to a place in the old file. */
bool tflite_front_link(struct tflite_front *, size_t at, size_t target);
/* A list of references to the old tables without number `without` of them (SIZE_MAX: to all), then to `more` new ones;
 * where the new ones stand. */
bool tflite_front_list(struct tflite_front *, size_t reference, const struct sw_flat_list *, size_t without,
                       size_t more, size_t *fresh);
/* A reference at `at` to these bytes, which stand once for all that ask for the same. `entry`: where in them it leads.
 * With `data` they are a count and what a tensor holds. */
bool tflite_front_share(struct tflite_front *, size_t at, const void *bytes, size_t length, size_t entry, bool data);
/* Buffer number `buffer` with a plan of `count` offsets, and its entry of the metadata: references to both. */
void tflite_front_plan(struct tflite_front *, size_t to_buffer, size_t to_metadata, uint64_t buffer,
                       const int32_t *offsets, size_t count);
/* What is shared, and the old file. */
bool tflite_front_end(struct tflite_front *);

/* The offset of a buffer, or part of one, of at least `size` bytes in a plan. False: the interpreter would not take it;
 * the error says why. */
bool tflite_offset_of(const struct sw_layout *, const char *name, uint64_t size, uint64_t *offset, struct sw_error *);

/* Fail with SW_ERROR_UNSUPPORTED. Returns false. */
#define tflite_refuse(error, ...) sw_fail((error), SW_ERROR_UNSUPPORTED, __VA_ARGS__)

#endif
