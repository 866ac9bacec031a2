#include "base/described.h"

#include "base/hash.h"

#include <math.h>
#include <string.h>

enum { NOT_DESCRIBED = 0xA5 };

/* An SW_ARRAY of anything. */
struct any_list {
    unsigned char *items;
    size_t count, capacity;
};

static unsigned char *field_at(const void *object, const struct sw_field *f) {
    return (unsigned char *)(uintptr_t)object + f->offset;
}

/* A field that is a pointer of any type. */
static void *pointer_at(const void *object, const struct sw_field *f) {
    void *pointer;
    memcpy(&pointer, field_at(object, f), sizeof pointer);
    return pointer;
}

static void set_pointer(void *object, const struct sw_field *f, const void *pointer) {
    memcpy(field_at(object, f), &pointer, sizeof pointer);
}

/* Of items or of a list. */
static struct any_list get_list(const void *object, const struct sw_field *f) {
    struct any_list list = {0};
    if (f->kind == SW_FIELD_LIST) {
        memcpy(&list, field_at(object, f), sizeof list);
    } else if ((list.items = pointer_at(object, f))) {
        list.count = list.capacity = f->count(object);
    }
    return list;
}

/* ---- ending ---- */

static void end_items(const struct sw_field *f, unsigned char *items, size_t count) {
    for (size_t i = 0; items && f->of && i < count; i++) {
        sw_described_done(f->of, items + i * f->item);
    }
}

static void end_field(void *object, const struct sw_field *f) {
    struct any_list list;
    void *pointer;
    switch (f->kind) {
    case SW_FIELD_VALUE:
        break;
    case SW_FIELD_ITEMS:
    case SW_FIELD_LIST:
        list = get_list(object, f);
        end_items(f, list.items, list.count);
        sw_mem_free(list.items, list.capacity, f->item);
        break;
    case SW_FIELD_PART:
        sw_described_done(f->of, field_at(object, f));
        break;
    case SW_FIELD_OWNED:
        sw_described_close(f->of, pointer_at(object, f));
        break;
    case SW_FIELD_POINTER:
        if ((pointer = pointer_at(object, f))) {
            f->how->drop(pointer);
        }
    }
}

void sw_described_done(const struct sw_described *d, void *object) {
    size_t count = 0;
    if (d->done) {
        d->done(object);
        return;
    }
    while (d->fields[count].name) {
        count++;
    }
    while (count-- > 0) {
        end_field(object, &d->fields[count]);
    }
    memset(object, 0, d->size);
}

void sw_described_close(const struct sw_described *d, void *object) {
    if (object) {
        sw_described_done(d, object);
        sw_mem_free(object, 1, d->size);
    }
}

/* ---- copying ---- */

/* On failure none of the items is left. */
static bool copy_items(const struct sw_field *f, unsigned char *to, const unsigned char *from, size_t count) {
    if (!f->of && count > 0) {
        memcpy(to, from, count * f->item);
    }
    for (size_t i = 0; f->of && i < count; i++) {
        if (!sw_described_copy(f->of, to + i * f->item, from + i * f->item)) {
            end_items(f, to, i);
            return false;
        }
    }
    return true;
}

static bool copy_list(void *to, const struct sw_field *f, struct any_list from) {
    struct any_list list = {0};
    if (!sw_array_reserve(&list.items, &list.capacity, from.count, f->item) ||
        !copy_items(f, list.items, from.items, from.count)) {
        sw_mem_free(list.items, list.capacity, f->item);
        return false;
    }
    list.count = from.count;
    memcpy(field_at(to, f), &list, sizeof list);
    return true;
}

static void *copy_pointed(const struct sw_pointed *how, void *pointer) {
    if (how->copy) {
        return how->copy(pointer);
    }
    ++*(size_t *)pointer;
    return pointer;
}

/* The copy's field is zero. On failure it still is. */
static bool copy_described_field(void *to, const void *from, const struct sw_field *f) {
    void *pointer, *fresh;
    switch (f->kind) {
    case SW_FIELD_VALUE:
        memcpy(field_at(to, f), field_at(from, f), f->size);
        return true;
    case SW_FIELD_LIST:
        return copy_list(to, f, get_list(from, f));
    case SW_FIELD_PART:
        if (!sw_described_copy(f->of, field_at(to, f), field_at(from, f))) {
            memset(field_at(to, f), 0, f->size);
            return false;
        }
        return true;
    case SW_FIELD_ITEMS:
    case SW_FIELD_OWNED:
    case SW_FIELD_POINTER:
        break;
    }
    if (!(pointer = pointer_at(from, f))) {
        return true;
    }
    size_t count = f->kind == SW_FIELD_ITEMS ? f->count(from) : 0;
    fresh = f->kind == SW_FIELD_ITEMS   ? sw_mem_new(count, f->item)
            : f->kind == SW_FIELD_OWNED ? sw_described_clone(f->of, pointer)
                                        : copy_pointed(f->how, pointer);
    if (fresh && f->kind == SW_FIELD_ITEMS && !copy_items(f, fresh, pointer, count)) {
        sw_mem_free(fresh, count, f->item);
        return false;
    }
    set_pointer(to, f, fresh);
    return fresh != NULL;
}

bool sw_described_copy(const struct sw_described *d, void *to, const void *from) {
    if (d->copy) {
        return d->copy(to, from);
    }
    memset(to, NOT_DESCRIBED, d->size);
    for (const struct sw_field *f = d->fields; f->name; f++) {
        memset(field_at(to, f), 0, f->size);
    }
    for (const struct sw_field *f = d->fields; f->name; f++) {
        if (!f->scratch && !copy_described_field(to, from, f)) {
            sw_described_done(d, to);
            return false;
        }
    }
    if (d->mend) {
        d->mend(to);
    }
    return true;
}

void *sw_described_clone(const struct sw_described *d, const void *object) {
    void *fresh = sw_mem_new(1, d->size);
    if (fresh && !sw_described_copy(d, fresh, object)) {
        sw_mem_free(fresh, 1, d->size);
        return NULL;
    }
    return fresh;
}

bool sw_described_make(const struct sw_described *d, void *object) {
    for (const struct sw_field *f = d->fields; f->name; f++) {
        if (f->kind == SW_FIELD_ITEMS && !f->scratch && !pointer_at(object, f)) {
            void *items = sw_mem_new_zero(f->count(object), f->item);
            if (!items) {
                return false;
            }
            set_pointer(object, f, items);
        }
    }
    return true;
}

/* ---- digest and bytes ---- */

/* A whole number of that size, or a double, any NaN as 0. */
static uint64_t word_at(const unsigned char *from, size_t size, bool real) {
    uint64_t word = 0;
    uint32_t half;
    uint16_t quarter;
    double number;
    if (size == 1) {
        return *from;
    }
    if (size == sizeof quarter) {
        memcpy(&quarter, from, size);
        return quarter;
    }
    if (size == sizeof half) {
        memcpy(&half, from, size);
        return half;
    }
    memcpy(&word, from, sizeof word);
    memcpy(&number, from, sizeof number);
    return real && isnan(number) ? 0 : word;
}

static uint64_t fold_items(uint64_t digest, const struct sw_field *f, const unsigned char *items, size_t count) {
    digest = sw_fold(digest, count);
    for (size_t i = 0; i < count; i++) {
        const unsigned char *item = items + i * f->item;
        digest = sw_fold(digest, f->of ? sw_described_digest(f->of, item) : word_at(item, f->item, f->real));
    }
    return digest;
}

static uint64_t fold_field(uint64_t digest, const void *object, const struct sw_field *f) {
    struct any_list list;
    const void *pointer;
    switch (f->kind) {
    case SW_FIELD_VALUE:
        for (size_t i = 0, step = f->item ? f->item : f->size; f->told && i < f->size; i += step) {
            digest = sw_fold(digest, word_at(field_at(object, f) + i, step, f->real));
        }
        return digest;
    case SW_FIELD_ITEMS:
    case SW_FIELD_LIST:
        list = get_list(object, f);
        return f->told || f->of ? fold_items(digest, f, list.items, list.count) : digest;
    case SW_FIELD_PART:
        return sw_fold(digest, sw_described_digest(f->of, field_at(object, f)));
    case SW_FIELD_OWNED:
        pointer = pointer_at(object, f);
        digest = sw_fold(digest, pointer != NULL);
        return pointer ? sw_fold(digest, sw_described_digest(f->of, pointer)) : digest;
    case SW_FIELD_POINTER:
        if (!f->how->digest) {
            return digest;
        }
        pointer = pointer_at(object, f);
        digest = sw_fold(digest, pointer != NULL);
        return pointer ? sw_fold(digest, f->how->digest(pointer)) : digest;
    }
    return digest;
}

uint64_t sw_described_digest(const struct sw_described *d, const void *object) {
    uint64_t digest = d->salt;
    if (d->digest) {
        return d->digest(object);
    }
    for (const struct sw_field *f = d->fields; f->name; f++) {
        digest = f->scratch ? digest : fold_field(digest, object, f);
    }
    return digest;
}

/* Beyond the struct that holds them. */
static size_t bytes_of_items(const struct sw_field *f, struct any_list list) {
    size_t bytes = list.capacity * f->item;
    for (size_t i = 0; f->of && i < list.count; i++) {
        bytes += sw_described_bytes(f->of, list.items + i * f->item) - f->item;
    }
    return bytes;
}

static size_t bytes_behind(const void *object, const struct sw_field *f) {
    const void *pointer;
    switch (f->kind) {
    case SW_FIELD_VALUE:
        return 0;
    case SW_FIELD_ITEMS:
    case SW_FIELD_LIST:
        return bytes_of_items(f, get_list(object, f));
    case SW_FIELD_PART:
        return sw_described_bytes(f->of, field_at(object, f)) - f->size;
    case SW_FIELD_OWNED:
        pointer = pointer_at(object, f);
        return pointer ? sw_described_bytes(f->of, pointer) : 0;
    case SW_FIELD_POINTER:
        pointer = pointer_at(object, f);
        return pointer && f->how->bytes ? f->how->bytes(pointer) : 0;
    }
    return 0;
}

size_t sw_described_bytes(const struct sw_described *d, const void *object) {
    size_t bytes = d->size;
    if (d->bytes) {
        return d->bytes(object);
    }
    for (const struct sw_field *f = d->fields; f->name; f++) {
        bytes += f->scratch ? 0 : bytes_behind(object, f);
    }
    return bytes;
}
