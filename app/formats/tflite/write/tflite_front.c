#include "formats/tflite/write/tflite_front.h"
#include "base/base.h"

#define SHIFT_UNIT 256 /* the old file moves by a multiple, so that all in it stays aligned */
#define LARGEST_TFLITE (SIZE_MAX < INT32_MAX ? SIZE_MAX : (size_t)INT32_MAX) /* of a flatbuffer */

void tflite_front_done(struct tflite_front *front) {
    SW_ARRAY_DONE(&front->links, &front->shared, &front->to_shared, &front->bytes, &front->fields);
}

/* ---- bytes ---- */

void tflite_put(struct sw_sink *sink, uint64_t value, size_t width) {
    for (size_t i = 0; i < width; i++) {
        char byte = (char)(value >> (8 * i));
        sw_sink_add(sink, &byte, 1);
    }
}

/* So far that `ahead` bytes more make a multiple. */
static void pad_ahead(struct sw_sink *sink, size_t unit, size_t ahead) {
    while (!sink->failed && (sink->text.count + ahead) % unit != 0) {
        tflite_put(sink, 0, 1);
    }
}

void tflite_pad(struct sw_sink *sink, size_t unit) {
    pad_ahead(sink, unit, 0);
}

void tflite_poke(struct sw_sink *sink, size_t at, uint64_t value, size_t width) {
    for (size_t i = 0; i < width && at + i < sink->text.count; i++) {
        sink->text.items[at + i] = (char)(value >> (8 * i));
    }
}

void tflite_refer_here(struct sw_sink *sink, size_t at) {
    tflite_poke(sink, at, sink->text.count - at, 4);
}

/* A text ends with NUL, which is not counted. */
void tflite_text(struct sw_sink *sink, size_t reference, const char *text) {
    tflite_pad(sink, 4);
    tflite_refer_here(sink, reference);
    tflite_put(sink, strlen(text), 4);
    sw_sink_add(sink, text, strlen(text) + 1);
}

size_t tflite_references(struct sw_sink *sink, size_t reference, size_t count) {
    tflite_pad(sink, 4);
    tflite_refer_here(sink, reference);
    tflite_put(sink, count, 4);
    size_t at = sink->text.count;
    for (size_t i = 0; i < count; i++) {
        tflite_put(sink, 0, 4);
    }
    return at;
}

/* ---- tables and references ---- */

/* The list of a table's fields; where that begins. */
static size_t add_fields(struct tflite_front *front, const bool *has, unsigned count) {
    struct sw_sink *sink = front->sink;
    struct tflite_fields fields = {.count = count};
    size_t used = 4;
    for (unsigned i = 0; i < count; i++) {
        fields.has |= (uint64_t)(!has || has[i]) << i;
        used += !has || has[i] ? 4 : 0;
    }
    for (size_t i = 0; i < front->fields.count; i++) {
        if (front->fields.items[i].count == count && front->fields.items[i].has == fields.has) {
            return front->fields.items[i].at;
        }
    }
    tflite_pad(sink, 4);
    fields.at = sink->text.count;
    tflite_put(sink, 4 + 2 * count, 2);
    tflite_put(sink, used, 2);
    used = 4;
    for (unsigned i = 0; i < count; i++) {
        tflite_put(sink, fields.has >> i & 1 ? used : 0, 2);
        used += fields.has >> i & 1 ? 4 : 0;
    }
    sink->failed |= !SW_PUSH(&front->fields, fields);
    return fields.at;
}

size_t tflite_table(struct tflite_front *front, size_t reference, const bool *has, unsigned count) {
    size_t fields = add_fields(front, has, count);
    tflite_pad(front->sink, 4);
    size_t at = front->sink->text.count;
    tflite_put(front->sink, at - fields, 4);
    for (unsigned i = 0; i < count; i++) {
        tflite_put(front->sink, 0, !has || has[i] ? 4 : 0);
    }
    tflite_poke(front->sink, reference, at - reference, 4);
    return at + 4;
}

bool tflite_front_link(struct tflite_front *front, size_t at, size_t target) {
    struct tflite_link link = {at, target};
    return SW_PUSH(&front->links, link) || sw_fail_memory(front->error);
}

bool tflite_front_share(struct tflite_front *front, size_t at, const void *bytes, size_t length, size_t entry,
                        bool data) {
    struct tflite_shared one = {.from = front->bytes.count, .length = length, .entry = entry, .data = data};
    size_t i = 0;
    one.digest = sw_fold_end(entry + data, bytes, length, length);
    while (i < front->shared.count) {
        const struct tflite_shared *other = &front->shared.items[i];
        if (other->digest == one.digest && other->length == length && other->entry == entry && other->data == data &&
            memcmp(front->bytes.items + other->from, bytes, length) == 0) {
            break;
        }
        i++;
    }
    if (i == front->shared.count) {
        if (!SW_RESERVE(&front->bytes, front->bytes.count + length) || !SW_PUSH(&front->shared, one)) {
            return sw_fail_memory(front->error);
        }
        memcpy(front->bytes.items + front->bytes.count, bytes, length);
        front->bytes.count += length;
    }
    struct tflite_link link = {at, i};
    return SW_PUSH(&front->to_shared, link) || sw_fail_memory(front->error);
}

static void write_shared(struct tflite_front *front) {
    struct sw_sink *sink = front->sink;
    for (size_t i = 0; i < front->shared.count; i++) {
        struct tflite_shared *one = &front->shared.items[i];
        pad_ahead(sink, one->data ? TFLITE_ALIGNMENT : 4, one->data ? one->entry + 4 : 0);
        one->at = sink->text.count;
        sw_sink_add(sink, front->bytes.items + one->from, one->length);
    }
    for (size_t i = 0; i < front->to_shared.count; i++) {
        const struct tflite_link *link = &front->to_shared.items[i];
        const struct tflite_shared *one = &front->shared.items[link->target];
        tflite_poke(sink, link->at, one->at + one->entry - link->at, 4);
    }
}

/* ---- what models have ---- */

bool tflite_front_copy(struct tflite_front *front, size_t reference, const struct sw_flat *old,
                       const unsigned char *kinds, unsigned count, const bool *fresh, size_t *places) {
    bool has[64] = {false};
    for (unsigned i = 0; i < count; i++) {
        has[i] = (fresh && fresh[i]) || sw_flat_place(old, i) != 0;
    }
    size_t place = tflite_table(front, reference, has, count);
    for (unsigned i = 0; i < count; place += has[i] ? 4 : 0, i++) {
        uint64_t number = 0;
        size_t target = 0;
        places[i] = place;
        if (!has[i] || kinds[i] == TFLITE_NEW || (fresh && fresh[i])) {
            continue;
        }
        if (kinds[i] == TFLITE_REFERENCE ? !sw_flat_target(old, i, &target) || !tflite_front_link(front, place, target)
                                         : !sw_flat_number(old, i, kinds[i] == TFLITE_BYTE ? 1 : 4, &number)) {
            return false;
        }
        if (kinds[i] != TFLITE_REFERENCE) {
            tflite_poke(front->sink, place, number, 4);
        }
    }
    return true;
}

bool tflite_front_root(struct tflite_front *front, const bool fresh[MODEL_FIELDS], size_t places[MODEL_FIELDS]) {
    static const unsigned char kinds[MODEL_FIELDS] = {
        TFLITE_NUMBER,    TFLITE_REFERENCE, TFLITE_REFERENCE, TFLITE_REFERENCE, TFLITE_REFERENCE,
        TFLITE_REFERENCE, TFLITE_REFERENCE, TFLITE_REFERENCE, TFLITE_REFERENCE, TFLITE_REFERENCE};
    const struct sw_flat *old = &front->model->root;
    for (unsigned i = MODEL_FIELDS; i < old->fields; i++) {
        if (sw_flat_place(old, i)) {
            return tflite_refuse(front->error, "the model was made by a newer schema: its field %u is not known", i);
        }
    }
    tflite_put(front->sink, 0, 4);
    sw_sink_add(front->sink, "TFL3", 4);
    return tflite_front_copy(front, 0, old, kinds, MODEL_FIELDS, fresh, places);
}

bool tflite_front_list(struct tflite_front *front, size_t reference, const struct sw_flat_list *list, size_t without,
                       size_t more, size_t *fresh) {
    size_t at = tflite_references(front->sink, reference, list->count + more - (without < list->count));
    for (size_t i = 0; i < list->count; i++) {
        struct sw_flat table;
        if (i == without) {
            continue;
        }
        if (!sw_flat_item_table(list, i, &table) || !tflite_front_link(front, at, table.at)) {
            return false;
        }
        at += 4;
    }
    *fresh = at;
    return true;
}

/* ---- offsets ---- */

bool tflite_offset_of(const struct sw_layout *layout, const char *name, uint64_t least, uint64_t *offset,
                      struct sw_error *error) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint32_t buffer = sw_problem_find_buffer(problem, name), member = SW_NONE;
    uint64_t lo = 0, size;
    if (buffer == SW_NONE) {
        member = sw_problem_find_member(problem, name);
        const struct sw_member *part = member == SW_NONE ? NULL : sw_problem_member(problem, member);
        buffer = part ? part->buffer : SW_NONE;
        lo = part ? part->lo : 0;
        size = part ? part->hi - part->lo : 0;
    } else {
        size = sw_problem_buffer(problem, buffer)->size;
    }
    if (buffer == SW_NONE || size < least) {
        return tflite_refuse(error, "the plan is not one of this model: it has no room for %s", name);
    }
    struct sw_placement place, next;
    if (!sw_layout_placement(layout, buffer, 0, &place)) {
        return tflite_refuse(error, "%s has no place in the plan", name);
    }
    if (sw_layout_placement(layout, buffer, 1, &next) || place.tier > 0) {
        return tflite_refuse(
            error, "%s moves or lies in another tier, but TensorFlow Lite Micro has one arena, in which nothing moves",
            name);
    }
    *offset = place.offset + lo;
    if (*offset % TFLITE_ALIGNMENT != 0 || *offset + size > INT32_MAX) {
        return tflite_refuse(error,
                             "%s lies at %" PRIu64 ", but TensorFlow Lite Micro wants multiples of %d below 2^31", name,
                             *offset, TFLITE_ALIGNMENT);
    }
    return true;
}

/* ---- the plan ---- */

void tflite_front_plan(struct tflite_front *front, size_t to_buffer, size_t to_metadata, uint64_t buffer,
                       const int32_t *offsets, size_t count) {
    struct sw_sink *sink = front->sink;
    size_t fields = tflite_table(front, to_metadata, NULL, 2);
    tflite_poke(sink, fields + 4, buffer, 4);
    tflite_text(sink, fields, TFLITE_PLAN);
    fields = tflite_table(front, to_buffer, NULL, 1);
    pad_ahead(sink, TFLITE_ALIGNMENT, 4); /* the data behind their length */
    tflite_refer_here(sink, fields);
    tflite_put(sink, 4 * (3 + count), 4);
    tflite_put(sink, 0, 4);
    tflite_put(sink, 1, 4);
    tflite_put(sink, count, 4);
    for (size_t i = 0; i < count; i++) {
        tflite_put(sink, (uint32_t)offsets[i], 4);
    }
}

/* ---- the end ---- */

/* Positions from the beginning of the file: buffers behind the flatbuffer, large custom options. */
static bool shift_positions(struct tflite_front *front, size_t shift) {
    const struct tflite_model *model = front->model;
    for (size_t i = 0; i < model->buffers.count + model->operators.count; i++) {
        struct sw_flat table = {0};
        uint64_t offset = 0;
        bool buffer = i < model->buffers.count;
        unsigned field = buffer ? BUFFER_OFFSET : OP_LARGE;
        if ((buffer ? !sw_flat_item_table(&model->buffers, i, &table)
                    : !sw_flat_at(&model->root, model->operators.items[i - model->buffers.count].at, &table)) ||
            !sw_flat_number(&table, field, 8, &offset)) {
            return false;
        }
        if (offset > 1) { /* 1 stands for "none" in some files */
            tflite_poke(front->sink, shift + sw_flat_place(&table, field), offset + shift, 8);
        }
    }
    return true;
}

bool tflite_front_end(struct tflite_front *front) {
    struct sw_sink *sink = front->sink;
    const struct sw_input *input = front->model->input;
    write_shared(front);
    tflite_pad(sink, SHIFT_UNIT);
    size_t shift = sink->text.count;
    if (shift > LARGEST_TFLITE || input->length > LARGEST_TFLITE - shift) {
        return tflite_refuse(front->error, "the model would be larger than 2^31 bytes");
    }
    sw_sink_add(sink, input->bytes, input->length);
    for (size_t i = 0; i < front->links.count; i++) {
        const struct tflite_link *link = &front->links.items[i];
        tflite_poke(sink, link->at, shift + link->target - link->at, 4);
    }
    return shift_positions(front, shift) && (!sink->failed || sw_fail_memory(front->error));
}
