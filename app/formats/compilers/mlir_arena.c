/* One allocation, and views of it at constant offsets: what lies there is a finished plan. A view holds something from
 * the first statement that reads or writes it to the last. Two views of the same bytes that live together are one
 * buffer, and so is a view that lies within another one.
 *
 * The views are a plan only when nothing else uses the allocations, and nothing is allocated beside them. Else they
 * are other names of the allocation. */
#include "formats/compilers/mlir.h"
#include "base/base.h"
#include "base/sort.h"

enum { MOST_PASSES = 16, MOST_ARENA_WORK = 20000000, LEAST_VIEWS = 2, MOST_FOREIGN = 1000 };

bool mlir_is_view(struct sw_input_text op) {
    static const char views[] =
        "memref.subview memref.cast memref.reinterpret_cast memref.collapse_shape memref.expand_shape memref.view "
        "memref.transpose memref.assume_alignment memref.memory_space_cast bufferization.to_tensor "
        "bufferization.to_buffer stream.resource.subview amdgpu.fat_raw_buffer_cast memref.reshape "
        "iree_codegen.swizzle_hint memref.distinct_objects krnl.getref subview view std.subview std.view";
    return sw_text_in(op, views);
}

/* The only number of "[64]", "[%c64]", " [16]": `at` moves behind it. */
static bool only_number(const struct mlir *reader, const char **at, uint64_t *number) {
    const char *end = reader->end;
    struct sw_input_text name;
    *at = mlir_skip(*at, end);
    if (*at == end || **at != '[') {
        return false;
    }
    *at = mlir_skip(*at + 1, end);
    bool good = mlir_value(at, end, &name) ? mlir_constant(reader, name, number) : sw_take_number(at, end, number);
    *at = mlir_skip(*at, end);
    return good && *at < end && *(*at)++ == ']';
}

/* "offset: [64], sizes: [16], strides: [1]" */
static bool labelled(const struct mlir *reader, const char **at, const char *word, uint64_t *number) {
    const char *end = reader->end;
    *at = mlir_skip(*at, end);
    *at += *at < end && **at == ',';
    *at = mlir_skip(*at, end);
    if (!mlir_starts(*at, end, word)) {
        return false;
    }
    *at += strlen(word);
    return only_number(reader, at, number);
}

/* Where a view begins and how many elements it has: 0 for as many as its type says. */
static bool arena_place_of(const struct mlir *reader, const char **at, uint64_t *offset, uint64_t *count) {
    const char *end = reader->end;
    uint64_t stride = 0;
    struct sw_input_text name, op = reader->op;
    *count = 0;
    *at = mlir_skip(*at, end);
    if (sw_text_is(op, "krnl.getref") || (*at < end && **at == ',')) { /* "(%pool, %c64) : (...) -> ..." */
        if (*at == end || **at != ',') {
            return false;
        }
        *at = mlir_skip(*at + 1, end);
        bool plain = sw_text_is(op, "krnl.getref") || sw_text_is(op, "memref.view");
        return plain && mlir_value(at, end, &name) && mlir_constant(reader, name, offset) &&
               mlir_starts(mlir_skip(*at, end), end, ")");
    }
    if (sw_text_in(op, "memref.view std.view view")) {
        return only_number(reader, at, offset);
    }
    if (sw_text_is(op, "memref.reinterpret_cast")) {
        return mlir_starts(*at, end, "to") && (*at += 2, labelled(reader, at, "offset:", offset)) &&
               labelled(reader, at, "sizes:", count) && labelled(reader, at, "strides:", &stride) && stride == 1;
    }
    return sw_text_in(op, "memref.subview std.subview subview") && only_number(reader, at, offset) &&
           only_number(reader, at, count) && only_number(reader, at, &stride) && stride == 1;
}

/* The type that a view has, behind "to" or "->". */
static const char *mlir_type_of(const char *at, const char *end) {
    const char *colon = memchr(at, ':', (size_t)(end - at)); /* the end of the operands */
    for (at = colon ? mlir_skip(colon + 1, end) : end; at < end && !strchr("%}@", *at); at = mlir_skip(at, end)) {
        if (mlir_starts(at, end, "->")) {
            return mlir_skip(at + 2, end);
        }
        struct sw_input_text word = mlir_word(at, end);
        if (sw_text_is(word, "to")) {
            return mlir_skip(at + 2, end);
        }
        const char *stop = word.length > 0 ? at + word.length : strchr("<([{", *at) ? mlir_close(at, end) : at;
        if (!stop) {
            return NULL;
        }
        at = word.length > 0 ? stop : stop + 1;
    }
    return NULL;
}

/* A memref: `good`, it is understood, and depends on no length that is missing. False: no memory; else nothing is said.
 */
static bool try_memref(struct mlir *reader, const char *type, const char *open, const char *close,
                       struct mlir_buffer *buffer, bool *good) {
    struct sw_error unsaid = {0}, *error = reader->error;
    size_t missing = reader->lengths.missing.count;
    reader->error = &unsaid;
    *good = mlir_memref(reader, type, open, close, buffer) && reader->lengths.missing.count == missing;
    reader->error = error;
    reader->lengths.missing.count = missing;
    return unsaid.code != SW_ERROR_MEMORY || sw_fail_memory(error);
}

bool mlir_read_view(struct mlir *reader, uint32_t number, const char *at, bool *made) {
    struct mlir_buffer *root = &reader->buffers.items[number];
    struct mlir_buffer view = {.at = reader->op.at, .first = reader->line, .last = reader->line, .arena = number};
    uint64_t count = 0, bytes = 0;
    const char *open = at;
    *made = false;
    if (root->arena != SW_NONE || root->element == 0 || reader->results.count != 1 ||
        !arena_place_of(reader, &at, &view.offset, &count) ||
        __builtin_mul_overflow(view.offset, root->element, &view.offset)) {
        return true;
    }
    if (count > 0) {
        view.dtype = root->dtype;
        view.size = __builtin_mul_overflow(count, root->element, &bytes) ? SW_MAX_BYTES : bytes;
    } else {
        const char *type = root->element == 1 ? mlir_type_of(at, mlir_near(reader, at)) : NULL;
        const char *stop = type ? memchr(at, ':', (size_t)(type - at)) : NULL, *list = mlir_skip(at, type ? type : at);
        bool good = false, lists = *list == '[';
        if (type && !try_memref(reader, type, lists ? list : open, lists ? stop : open, &view, &good)) {
            return false;
        }
        if (!good) {
            return true; /* a view that is not understood is another name */
        }
    }
    if (view.offset > root->size || view.size > root->size - view.offset) {
        return true;
    }
    view.name = reader->results.items[0];
    view.tier = root->tier;
    view.element = 0;
    root->views++;
    *made = true;
    return mlir_define_buffer(reader, &view);
}

bool mlir_add_foreign(struct mlir *reader, struct sw_input_text name, const char *type) {
    struct mlir_buffer buffer = {
        .name = name, .at = name.at, .first = reader->line, .last = reader->line, .foreign = true, .arena = SW_NONE};
    uint32_t layouts = reader->layouts;
    bool good = mlir_starts(mlir_resolve(reader, type), reader->end, "memref<") && reader->foreign++ < MOST_FOREIGN;
    if (good && !try_memref(reader, type, type, type, &buffer, &good)) {
        return false;
    }
    reader->layouts = layouts;
    return !good || buffer.element == 0 || mlir_define_buffer(reader, &buffer);
}

/* ---- when all is read ---- */

bool mlir_is_arena(const struct mlir_buffer *buffer) {
    return buffer->arena == SW_NONE && buffer->views >= LEAST_VIEWS && !buffer->whole;
}

/* One memory for each arena, the same for globals of one name. */
static bool name_arenas(struct mlir *reader) {
    reader->tier_count = 0;
    for (size_t i = 0; i < reader->buffers.count; i++) {
        struct mlir_buffer *root = &reader->buffers.items[i];
        if (mlir_is_arena(root) && !mlir_find_tier(reader, root->name, &root->tier)) {
            return false;
        }
    }
    return true;
}

/* A view by its place. */
struct placed {
    uint32_t arena, index;
    uint64_t offset, size;
    int64_t first;
};

SW_BY_FIELDS(by_arena_place, struct placed, SW_UP(arena), SW_UP(offset), SW_DOWN(size), SW_UP(first))

static void merge_views(struct mlir *reader, uint32_t into, uint32_t part) {
    struct mlir_buffer *whole = &reader->buffers.items[into], *other = &reader->buffers.items[part];
    whole->first = SW_MIN(whole->first, other->first);
    whole->last = SW_MAX(whole->last, other->last);
    whole->output |= other->output;
    other->merged = into;
}

static bool live_together(const struct mlir_buffer *a, const struct mlir_buffer *b) {
    return a->first <= b->last && b->first <= a->last;
}

/* Views of the same bytes, by their first use: each goes on with the one before it while they live together. */
static void merge_equal(struct mlir *reader, const struct placed *places, size_t count) {
    for (size_t i = 1, last = 0; i < count; i++) {
        const struct placed *a = &places[last], *b = &places[i];
        bool equal = a->arena == b->arena && a->offset == b->offset && a->size == b->size && a->size > 0;
        if (equal && live_together(&reader->buffers.items[a->index], &reader->buffers.items[b->index])) {
            merge_views(reader, a->index, b->index);
        } else {
            last = i;
        }
    }
}

/* Views within others, until nothing changes. False: there are too many to compare. */
static bool merge_parts(struct mlir *reader, const struct placed *places, size_t count) {
    bool changed = true;
    for (int pass = 0; changed; pass++) {
        size_t work = 0;
        changed = false;
        for (size_t i = 0; i < count; i++) {
            const struct placed *a = &places[i];
            struct mlir_buffer *whole = &reader->buffers.items[a->index];
            for (size_t k = i + 1; k < count && whole->merged == SW_NONE && places[k].arena == a->arena &&
                                   places[k].offset < a->offset + a->size;
                 k++) {
                const struct placed *b = &places[k];
                struct mlir_buffer *part = &reader->buffers.items[b->index];
                if (pass == MOST_PASSES || ++work > MOST_ARENA_WORK) {
                    return false;
                }
                if (part->merged == SW_NONE && b->size > 0 && b->offset + b->size <= a->offset + a->size &&
                    live_together(whole, part)) {
                    merge_views(reader, a->index, b->index);
                    changed = true;
                }
            }
        }
    }
    return true;
}

static bool place_views(struct mlir *reader) {
    SW_ARRAY(struct placed) places = {0};
    for (size_t i = 0; i < reader->buffers.count; i++) {
        struct mlir_buffer *view = &reader->buffers.items[i];
        if (view->arena == SW_NONE || !mlir_is_arena(&reader->buffers.items[view->arena])) {
            continue;
        }
        int64_t end = view->loop == SW_NONE ? view->last : reader->loops.items[view->loop].end;
        view->last = SW_MAX(view->last, SW_MIN(end, (int64_t)reader->line));
        view->tier = reader->buffers.items[view->arena].tier;
        reader->unused_views += !view->used;
        if (view->used &&
            !SW_PUSH(&places, (struct placed){view->arena, (uint32_t)i, view->offset, view->size, view->first})) {
            SW_ARRAY_DONE(&places);
            return sw_fail_memory(reader->error);
        }
    }
    sw_sort(places.items, places.count, sizeof *places.items, by_arena_place);
    merge_equal(reader, places.items, places.count);
    reader->planned = places.count > 0 && merge_parts(reader, places.items, places.count);
    SW_ARRAY_DONE(&places);
    return true;
}

bool mlir_settle_views(struct mlir *reader) {
    size_t arenas = 0, beside = 0;
    for (size_t i = 0; i < reader->buffers.count; i++) {
        const struct mlir_buffer *buffer = &reader->buffers.items[i];
        arenas += mlir_is_arena(buffer);
        beside += buffer->arena == SW_NONE && !buffer->foreign && !mlir_is_arena(buffer);
    }
    reader->beside = arenas > 0 ? beside : 0;
    return arenas == 0 || beside > 0 || arenas > SW_MAX_TIERS || (name_arenas(reader) && place_views(reader));
}
