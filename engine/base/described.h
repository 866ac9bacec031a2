/* A struct that is described field by field: how it is copied, what its digest and its size are, and how it ends are
 * read off the description, so that no field is copied and then not freed.
 *
 *     #define STATE struct walk
 *     static const struct sw_described walk_described = {
 *         SW_STRUCT, .salt = 1,
 *         .fields = SW_FIELDS(SW_POINTER(order, &order_pointed), SW_TOLD(at), SW_ITEMS(stack, depth_of))};
 *     #undef STATE
 *
 * Fields are copied in the order of the table, and end in the other: what a count depends on stands before the items.
 * What is not described is 0xA5 in every copy; a test looks that every planner describes all of its state.
 *
 * Cost: that of the bytes copied, and some nanoseconds per field. The caller allocates objects with sw_mem_new_zero and
 * owns them. A description owns nothing. */
#ifndef SW_BASE_DESCRIBED_H
#define SW_BASE_DESCRIBED_H

#include "base/mem.h"

SW_C_BEGIN

enum sw_field_kind {
    SW_FIELD_VALUE,  /* copied as it is; also what is borrowed */
    SW_FIELD_ITEMS,  /* points to `count` items, the object's own; NULL: there are none yet */
    SW_FIELD_LIST,   /* an SW_ARRAY */
    SW_FIELD_PART,   /* a struct inside the struct, described by `of` */
    SW_FIELD_OWNED,  /* points to an object described by `of`; NULL */
    SW_FIELD_POINTER /* points to what `how` says; NULL */
};

/* What is behind a pointer. */
struct sw_pointed {
    void (*drop)(void *);
    void *(*copy)(const void *);      /* NULL: it is counted, by the `size_t owners` that it begins with */
    uint64_t (*digest)(const void *); /* NULL: no part of the digest */
    size_t (*bytes)(const void *);    /* NULL: none of the object's own */
};

struct sw_described;
struct sw_field {
    const char *name;
    size_t offset, size, alignment; /* in the struct; of a range of fields: of all, and of the first */
    enum sw_field_kind kind;
    bool told;    /* part of the digest: a number, or whole numbers, each of 1, 2, 4 or 8 bytes */
    bool real;    /* told, and a `double` */
    bool scratch; /* means nothing in a copy: there it is zero */
    size_t item;  /* bytes of an item; of an array of values that are told, those of one */
    size_t (*count)(const void *object);
    const struct sw_described *of; /* of a part, of what is owned, and of each item; NULL: plain items */
    const struct sw_pointed *how;
};

struct sw_described {
    size_t size, alignment;
    uint64_t salt;                 /* what the digest begins with */
    const struct sw_field *fields; /* ended by a NULL name */
    bool once;                     /* it cannot be copied */
    void (*mend)(void *object);    /* what points into the object itself, after a copy; NULL: nothing does */
    /* Instead of what the fields give; NULL. `copy` fills raw memory, or leaves nothing behind and is false. */
    bool (*copy)(void *to, const void *from);
    void (*done)(void *object);
    uint64_t (*digest)(const void *object);
    size_t (*bytes)(const void *object);
};

/* clang-format off */
/* The table's macros are about the struct that STATE names. */
#define SW_STRUCT .size = sizeof(STATE), .alignment = _Alignof(STATE)
#define SW_FIELDS(...) (const struct sw_field[]){__VA_ARGS__, {.name = NULL}}
#define SW_FIELD_RANGE(first, last, ...)                                                                               \
    {.name = #first, .offset = offsetof(STATE, first),                                                                 \
     .size = offsetof(STATE, last) + sizeof(((STATE *)0)->last) - offsetof(STATE, first),                              \
     .alignment = _Alignof(__typeof__(((STATE *)0)->first)), __VA_ARGS__}
/* One number that is part of the digest, or each of an array; and all values from one field to another that are not. */
#define SW_TOLD(field) \
    SW_FIELD_RANGE(field, field, .told = true, .real = _Generic(((STATE *)0)->field, double: true, default: false))
#define SW_TOLD_EACH(field) SW_FIELD_RANGE(field, field, .told = true, .item = sizeof ((STATE *)0)->field[0])
#define SW_KEPT(first, last) SW_FIELD_RANGE(first, last, .kind = SW_FIELD_VALUE)
#define SW_SCRATCH(first, last) SW_FIELD_RANGE(first, last, .scratch = true)
#define SW_ITEMS(field, how_many, ...) \
    SW_FIELD_RANGE(field, field, .kind = SW_FIELD_ITEMS, .item = sizeof *((STATE *)0)->field, .count = how_many, __VA_ARGS__)
#define SW_LIST(field, ...) \
    SW_FIELD_RANGE(field, field, .kind = SW_FIELD_LIST, .item = sizeof *((STATE *)0)->field.items, __VA_ARGS__)
#define SW_PART(field, description) SW_FIELD_RANGE(field, field, .kind = SW_FIELD_PART, .of = description)
#define SW_OWNED(field, description) SW_FIELD_RANGE(field, field, .kind = SW_FIELD_OWNED, .of = description)
#define SW_POINTER(field, pointed, ...) \
    SW_FIELD_RANGE(field, field, .kind = SW_FIELD_POINTER, .how = pointed, __VA_ARGS__)

/* Of items that are pointers themselves. */
#define SW_POINTERS(pointed)                                                                                           \
    .size = sizeof(void *), .alignment = _Alignof(void *),                                                             \
    .fields = SW_FIELDS({.name = "itself", .size = sizeof(void *), .alignment = _Alignof(void *),                      \
                         .kind = SW_FIELD_POINTER, .how = pointed})
/* name_pointed, of functions that know their type. */
#define SW_POINTED(name, type, drop_it, copy_it, digest_it, bytes_it)                                                  \
    static void name##_drop(void *of) { drop_it((type *)of); }                                                         \
    static void *name##_copy(const void *of) { return copy_it((const type *)of); }                                     \
    static uint64_t name##_digest(const void *of) { return digest_it((const type *)of); }                              \
    static size_t name##_bytes(const void *of) { return bytes_it((const type *)of); }                                  \
    static const struct sw_pointed name##_pointed = {name##_drop, name##_copy, name##_digest, name##_bytes};
/* The same of what is counted by its `owners`; drop_it lets go of one. */
#define SW_OWNERS(name, type, drop_it)                                                                                \
    static void name##_drop(void *of) { drop_it((type *)of); }                                                         \
    static const struct sw_pointed name##_pointed = {.drop = name##_drop};
/* A function for `count`; the expression knows the object as `o`. */
#define SW_HOW_MANY(name, type, expression)    \
    static size_t name(const void *object) { \
        const type *o = object;              \
        return (expression);                 \
    }
/* clang-format on */

/* A copy; NULL: no memory, and nothing is left behind. */
void *sw_described_clone(const struct sw_described *, const void *object);
uint64_t sw_described_digest(const struct sw_described *, const void *object);
/* Of the object and all that is its own. */
size_t sw_described_bytes(const struct sw_described *, const void *object);
void sw_described_close(const struct sw_described *, void *object); /* NULL is allowed */
/* The same for a struct inside another one: raw memory becomes a copy; its fields end, and it is zero. */
bool sw_described_copy(const struct sw_described *, void *to, const void *from);
void sw_described_done(const struct sw_described *, void *object);
/* Items that are not there yet are made, zeroed. False: no memory; what was made is the object's. */
bool sw_described_make(const struct sw_described *, void *object);

SW_C_END

#endif
