/* IREE's stream dialect: resources with their sizes, and packs with slices that have lifetimes of their own. A pack is
 * laid out with slices at multiples of min_buffer_offset_alignment, each as large as a multiple of
 * min_buffer_range_alignment. */
#include "formats/compilers/mlir.h"
#include "base/base.h"

/* ---- what a device demands ---- */

static void read_pack_alignment(const char *at, const char *end, const char *key, uint64_t *alignment) {
    uint64_t number = 0;
    const char *value = mlir_attribute(at, end, key);
    if (value && sw_take_number(&value, end, &number) && number > 0 && number <= SW_MAX_ALIGNMENT) {
        *alignment = number;
    }
}

/* "#stream.resource_config<{min_buffer_offset_alignment = 16, ...}>" */
static bool read_config(struct mlir *reader, const char *at) {
    static const char word[] = "#stream.resource_config<{";
    const char *place = mlir_resolve(reader, at);
    const char *list = place + sizeof word - 2;
    const char *stop = mlir_starts(place, reader->end, word) ? mlir_close(list, mlir_near(reader, place)) : NULL;
    if (!stop) {
        return false;
    }
    reader->offset_alignment = reader->range_alignment = 1;
    read_pack_alignment(list + 1, stop, "min_buffer_offset_alignment", &reader->offset_alignment);
    read_pack_alignment(list + 1, stop, "min_buffer_range_alignment", &reader->range_alignment);
    return true;
}

void mlir_first_config(struct mlir *reader) {
    static const char word[] = "#stream.resource_config<{";
    const char *found = memmem(reader->at, (size_t)(reader->end - reader->at), word, sizeof word - 1);
    reader->offset_alignment = reader->range_alignment = 1;
    if (found) {
        read_config(reader, found);
    }
    reader->module_offset_alignment = reader->offset_alignment;
    reader->module_range_alignment = reader->range_alignment;
}

/* The header ends with the brace that nothing but blanks follows in its line. */
static const char *header_end(const char *at, const char *end) {
    for (; at < end; at++) {
        const char *next = at + 1;
        while (*at == '{' && at[-1] != '<' && next < end && (*next == ' ' || *next == '\r')) {
            next++;
        }
        if (*at == '{' && at[-1] != '<' && (next == end || *next == '\n')) {
            return at;
        }
    }
    return end;
}

void mlir_read_config(struct mlir *reader, const char *at, bool function) {
    static const char word[] = "stream.resources = ";
    const char *end = reader->end;
    if (!reader->brace || at > reader->brace) {
        reader->brace = header_end(at, end);
    }
    if (!reader->config || at > reader->config) {
        const char *next = memmem(at, (size_t)(end - at), word, sizeof word - 1);
        reader->config = next ? next : end;
    }
    const char *found = reader->config < reader->brace ? reader->config : NULL;
    reader->offset_alignment = reader->module_offset_alignment;
    reader->range_alignment = reader->module_range_alignment;
    if (found && read_config(reader, found + sizeof word - 1) && !function) {
        reader->module_offset_alignment = reader->offset_alignment;
        reader->module_range_alignment = reader->range_alignment;
    }
}

/* ---- resources ---- */

/* "%r, %t = stream.resource.alloca uninitialized : !stream.resource<transient>{%c1024} => ...". One type and size for
 * each result that is a resource. What a pack is laid out in is the pack. */
bool mlir_read_resource(struct mlir *reader, const char *at) {
    static const char word[] = "!stream.resource<";
    const char *stop = memchr(at, '\n', (size_t)(reader->end - at));
    stop = stop ? stop : reader->end;
    for (size_t i = 0; i < reader->results.count; i++) {
        struct mlir_buffer buffer = {
            .at = reader->op.at, .first = reader->line, .last = reader->line, .arena = SW_NONE};
        struct sw_input_text size;
        const char *type = memmem(at, (size_t)(stop - at), word, sizeof word - 1);
        if (!type && i == 0) { /* it may stand on the next line */
            const char *next = stop < reader->end ? memchr(stop + 1, '\n', (size_t)(reader->end - stop - 1)) : NULL;
            stop = next ? next : reader->end;
            type = memmem(at, (size_t)(stop - at), word, sizeof word - 1);
        }
        const char *open = type ? memchr(type, '{', (size_t)(stop - type)) : NULL;
        if (!open && i > 0) {
            return true; /* the timepoint */
        }
        const char *inside = open ? open + 1 : NULL;
        if (!open || !mlir_value(&inside, stop, &size)) {
            return mlir_fail(reader, reader->op.at, "this is no allocation: ... !stream.resource<transient>{%%size}");
        }
        at = inside;
        if (sw_names_find(&reader->packed, size.at, size.length) != SW_NONE) {
            reader->arenas++;
            continue;
        }
        struct sw_input_text tier = {type + sizeof word - 1, 0};
        const char *close = memchr(tier.at, '>', (size_t)(open - tier.at));
        tier.length = close ? (size_t)(close - tier.at) : 0;
        buffer.name = reader->results.items[i];
        if (!mlir_number_of(reader, size, &buffer.size) || !mlir_find_tier(reader, tier, &buffer.tier)) {
            return false;
        }
        if (buffer.size >= SW_MAX_BYTES) {
            return mlir_fail(reader, size.at - 1, "the resource is larger than 2^61 bytes");
        }
        if (!mlir_define_buffer(reader, &buffer)) {
            return false;
        }
    }
    return true;
}

/* "    [0, 4] = %c200,  // comment" */
static bool read_slice(struct mlir *reader, const char **at, const char *tier, uint32_t number, int64_t *span) {
    uint64_t first = 0, last = 0;
    struct sw_input_text size;
    struct mlir_buffer buffer = {.tier = tier, .at = *at, .arena = SW_NONE};
    const char *end = reader->end, *from = *at;
    ++*at;
    *at = mlir_skip(*at, end);
    bool good = sw_take_number(at, end, &first) && (*at = mlir_skip(*at, end), *at < end && **at == ',') &&
                (++*at, *at = mlir_skip(*at, end), sw_take_number(at, end, &last)) &&
                (*at = mlir_skip(*at, end), mlir_starts(*at, end, "]")) &&
                (++*at, *at = mlir_skip(*at, end), mlir_starts(*at, end, "=")) &&
                (++*at, *at = mlir_skip(*at, end), mlir_value(at, end, &size));
    if (!good || last < first || last >= INT32_MAX) {
        return mlir_fail(reader, from, "this is no slice with its lifetime: [first, last] = %%size");
    }
    struct sw_input_text base = reader->results.items[0];
    char *name = sw_arena_new(&reader->arena, base.length + 16, 1);
    if (!name) {
        return sw_fail_memory(reader->error);
    }
    snprintf(name, base.length + 16, "%.*s#%" PRIu32, (int)base.length, base.at, number);
    buffer.name = (struct sw_input_text){name, strlen(name)};
    buffer.first = (int64_t)first;
    buffer.last = (int64_t)last;
    *span = buffer.last >= *span ? buffer.last + 1 : *span;
    if (!mlir_number_of(reader, size, &buffer.size)) {
        return false;
    }
    if (buffer.size >= SW_MAX_BYTES - SW_MAX_ALIGNMENT) {
        return mlir_fail(reader, size.at - 1, "the slice is larger than 2^61 bytes");
    }
    buffer.alignment = reader->offset_alignment;
    buffer.size += reader->range_alignment - 1;
    buffer.size -= buffer.size % reader->range_alignment;
    return mlir_add_buffer(reader, &buffer);
}

/* "%t:7 = stream.resource.pack slices({ ... }) : index": a memory of its own, on a clock of its own. */
bool mlir_read_pack(struct mlir *reader, const char *at) {
    static const char word[] = "slices({";
    const char *list = memmem(at, (size_t)(reader->end - at), word, sizeof word - 1), *tier;
    int64_t span = 0;
    size_t before = reader->buffers.count;
    if (!list || reader->results.count == 0) {
        return mlir_fail(reader, reader->op.at, "this is no pack: %%name:2 = stream.resource.pack slices({ ... })");
    }
    struct sw_input_text base = reader->results.items[0];
    char *name = sw_arena_new(&reader->arena, base.length + 32, 1);
    if (!name) {
        return sw_fail_memory(reader->error);
    }
    snprintf(name, base.length + 32, "%.*s in line %" PRIu32, (int)base.length, base.at, reader->line);
    if (!mlir_find_tier(reader, (struct sw_input_text){name, strlen(name)}, &tier) ||
        !(sw_names_set(&reader->packed, base.at, base.length, 0) || sw_fail_memory(reader->error))) {
        return false;
    }
    reader->packs++;
    const char *scan = list + sizeof word - 1;
    for (uint32_t number = 1;; number++) {
        while (scan < reader->end && *scan != '[' && *scan != '}') {
            const char *stop =
                mlir_starts(scan, reader->end, "//") ? memchr(scan, '\n', (size_t)(reader->end - scan)) : scan;
            scan = stop ? stop + 1 : reader->end;
        }
        if (scan == reader->end) {
            return mlir_fail(reader, list, "the list of slices is cut off");
        }
        if (*scan == '}') {
            break;
        }
        if (!read_slice(reader, &scan, tier, number, &span)) {
            return false;
        }
    }
    for (size_t i = before; i < reader->buffers.count; i++) {
        reader->buffers.items[i].first += reader->clock;
        reader->buffers.items[i].last += reader->clock;
    }
    reader->clock += span;
    return true;
}
