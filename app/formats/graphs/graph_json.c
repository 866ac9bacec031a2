/* The reader of graphs: version 1 of "stowage-graph". Every value is checked here, where its
 * position is at hand; what needs the whole graph (references, lifetimes) the builder checks, with
 * the position of the item, which is then narrowed to the value it names. */
#include "formats/graphs/graph_json.h"
#include "base/base.h"

#include "formats/text/json.h"
#include "formats/text/size.h"

/* A list of names or numbers, used again for every item. */
struct names {
    SW_ARRAY(const char *) list;
};
struct reader {
    struct sw_json json;
    struct sw_builder *builder;
    struct sw_error *error;
    struct names names[5]; /* an operator's inputs, outputs, scratch, after, pairs */
    SW_ARRAY(uint64_t) shape;
    SW_ARRAY(int64_t) accesses;
    struct sw_piece_list pieces;
    SW_ARRAY(const char *) seen; /* names of tiers so far */
};

static void reader_done(struct reader *reader) {
    for (size_t i = 0; i < 5; i++) {
        SW_ARRAY_DONE(&reader->names[i].list);
    }
    SW_ARRAY_DONE(&reader->shape);
    SW_ARRAY_DONE(&reader->accesses);
    SW_ARRAY_DONE(&reader->pieces);
    SW_ARRAY_DONE(&reader->seen);
}

#define KEYS(table) (table), sizeof(table) / sizeof *(table)

static bool collect(struct reader *reader, const json_t *object, const char *const *keys, size_t count,
                    json_t **values) {
    return sw_json_collect(&reader->json, object, keys, count, false, values, reader->error);
}

static bool read_string(struct reader *reader, const char *key, const json_t *value, const char **to) {
    return sw_json_string(&reader->json, key, value, to, reader->error);
}

/* A number, or a text as people write sizes: "64 KiB". */
static bool read_bytes(struct reader *reader, const char *key, const json_t *value, uint64_t *to) {
    struct sw_error why;
    if (json_is_string(value)) {
        return sw_parse_size(json_string_value(value), SW_MAX_BYTES, to, &why) ||
               sw_json_fail(&reader->json, key, reader->error, "%s", why.message);
    }
    return sw_json_unsigned(&reader->json, key, value, 0, SW_MAX_BYTES, to, reader->error);
}

static bool read_alignment(struct reader *reader, const char *key, const json_t *value, uint64_t *to) {
    return sw_json_unsigned(&reader->json, key, value, 1, SW_MAX_ALIGNMENT, to, reader->error);
}

/* The dimension that holds the channels: from the front, or -1, the last. */
static bool read_axis(struct reader *reader, const json_t *value, struct sw_unit_spec *unit) {
    int64_t axis = unit->channel_axis;
    unit->has_channel_axis = value != NULL;
    if (!sw_json_integer(&reader->json, "channel_axis", value, -1, INT32_MAX, &axis, reader->error)) {
        return false;
    }
    unit->channel_axis = (int32_t)axis;
    return true;
}

static bool read_time(struct reader *reader, const char *key, const json_t *value, int64_t *to) {
    return sw_json_integer(&reader->json, key, value, -SW_MAX_TIME, SW_LAST_TIME, to, reader->error);
}

/* The name every item must have. */
static bool read_name(struct reader *reader, const json_t *value, const char **name) {
    if (!value) {
        return sw_json_missing(&reader->json, "name", reader->error);
    }
    if (!read_string(reader, "name", value, name)) {
        return false;
    }
    return **name || sw_json_fail(&reader->json, "name", reader->error, "the name is empty");
}

static bool read_dtype(struct reader *reader, const json_t *value, enum sw_dtype *dtype) {
    const char *text = NULL;
    if (!read_string(reader, "dtype", value, &text)) {
        return false;
    }
    return !text || sw_dtype_parse(text, dtype) ||
           sw_json_fail(&reader->json, "dtype", reader->error, "unknown dtype \"%s\"",
                        sw_quote(text, strlen(text)).text);
}

static bool read_names(struct reader *reader, const char *key, const json_t *value, struct names *names) {
    names->list.count = 0;
    if (!sw_json_array(&reader->json, key, value, reader->error)) {
        return false;
    }
    const json_t *item;
    for (size_t i = 0; sw_json_item(&reader->json, key, value, i, &item); i++) {
        const char *name = NULL;
        if (!read_string(reader, NULL, item, &name)) {
            return false;
        }
        if (!SW_PUSH(&names->list, name)) {
            return sw_fail_memory(reader->error);
        }
    }
    return true;
}

/* ---- items of each kind ---- */

static bool read_tier(struct reader *reader, const json_t *object) {
    static const char *const keys[] = {"name", "capacity", "bandwidth", "latency", "conflict"};
    enum { NAME, CAPACITY, BANDWIDTH, LATENCY, CONFLICT, COUNT };
    json_t *v[COUNT];
    struct sw_json *json = &reader->json;
    struct sw_tier tier = {.capacity = SW_UNBOUNDED};
    if (!collect(reader, object, KEYS(keys), v) || !read_name(reader, v[NAME], &tier.name) ||
        !read_bytes(reader, "capacity", v[CAPACITY], &tier.capacity) ||
        !sw_json_real(json, "bandwidth", v[BANDWIDTH], &tier.bandwidth, reader->error) ||
        !sw_json_real(json, "latency", v[LATENCY], &tier.latency, reader->error) ||
        !sw_json_real(json, "conflict", v[CONFLICT], &tier.conflict, reader->error)) {
        return false;
    }
    /* Told apart here, since --tiers comes from another file than the one the builder knows of. */
    for (size_t i = 0; i < reader->seen.count; i++) {
        if (strcmp(reader->seen.items[i], tier.name) == 0) {
            return sw_json_fail(json, "name", reader->error, "two tiers are named %s", tier.name);
        }
    }
    return (SW_PUSH(&reader->seen, tier.name) || sw_fail_memory(reader->error)) &&
           sw_builder_tier(reader->builder, &tier, reader->error);
}

static bool read_unit(struct reader *reader, const json_t *object) {
    static const char *const keys[] = {"name",         "dedicated", "dtype", "alignment", "channel_multiple",
                                       "channel_axis", "tiers"};
    enum { NAME, DEDICATED, DTYPE, ALIGNMENT, MULTIPLE, AXIS, TIERS, COUNT };
    json_t *v[COUNT];
    struct sw_unit_spec unit = {.alignment = 1, .channel_multiple = 1};
    struct names *tiers = &reader->names[0];
    if (!collect(reader, object, KEYS(keys), v) || !read_name(reader, v[NAME], &unit.name) ||
        !sw_json_flag(&reader->json, "dedicated", v[DEDICATED], &unit.dedicated, reader->error) ||
        !read_dtype(reader, v[DTYPE], &unit.dtype) ||
        !read_alignment(reader, "alignment", v[ALIGNMENT], &unit.alignment) ||
        !read_alignment(reader, "channel_multiple", v[MULTIPLE], &unit.channel_multiple) ||
        !read_axis(reader, v[AXIS], &unit) || !read_names(reader, "tiers", v[TIERS], tiers)) {
        return false;
    }
    unit.tiers = tiers->list.items;
    unit.tier_count = tiers->list.count;
    return sw_builder_unit(reader->builder, &unit, reader->error);
}

static bool read_function(struct reader *reader, const json_t *object) {
    static const char *const keys[] = {"name", "unit"};
    json_t *v[2];
    const char *name = NULL, *unit = NULL;
    return collect(reader, object, KEYS(keys), v) && read_name(reader, v[0], &name) &&
           read_string(reader, "unit", v[1], &unit) && sw_builder_function(reader->builder, name, unit, reader->error);
}

/* [lo, hi) of an object; both must be there. */
static bool read_range(struct reader *reader, const json_t *lo, const json_t *hi, uint64_t *from, uint64_t *to) {
    if (!lo || !hi) {
        return sw_json_missing(&reader->json, lo ? "hi" : "lo", reader->error);
    }
    if (!read_bytes(reader, "lo", lo, from) || !read_bytes(reader, "hi", hi, to)) {
        return false;
    }
    return *from < *to ||
           sw_json_fail(&reader->json, "hi", reader->error, "hi %llu is not above lo %llu (hi is exclusive)",
                        (unsigned long long)*to, (unsigned long long)*from);
}

static bool read_overlay(struct reader *reader, const json_t *object) {
    static const char *const keys[] = {"of", "name", "lo", "hi"};
    enum { OF, NAME, LO, HI, COUNT };
    json_t *v[COUNT];
    const char *of = NULL, *name = NULL;
    uint64_t lo = 0, hi = 0;
    if (!collect(reader, object, KEYS(keys), v) || !read_name(reader, v[NAME], &name)) {
        return false;
    }
    if (!v[OF]) {
        return sw_json_missing(&reader->json, "of", reader->error);
    }
    return read_string(reader, "of", v[OF], &of) && read_range(reader, v[LO], v[HI], &lo, &hi) &&
           sw_builder_overlay(reader->builder, of, name, lo, hi, reader->error);
}

/* [a, b], both strings. */
static bool read_pair(struct reader *reader, const json_t *value, const char *names[2]) {
    struct sw_json *json = &reader->json;
    if (!json_is_array(value) || json_array_size(value) != 2) {
        return sw_json_fail(json, NULL, reader->error, "this must be a list of two names");
    }
    const json_t *item;
    for (size_t i = 0; sw_json_item(json, NULL, value, i, &item); i++) {
        if (!read_string(reader, NULL, item, &names[i])) {
            return false;
        }
    }
    return true;
}

static bool read_separate(struct reader *reader, const json_t *value) {
    const char *names[2] = {NULL, NULL};
    return read_pair(reader, value, names) && sw_builder_separate(reader->builder, names[0], names[1], reader->error);
}

static bool read_reserved(struct reader *reader, const json_t *object) {
    static const char *const keys[] = {"tier", "lo", "hi"};
    json_t *v[3];
    const char *tier = NULL;
    uint64_t lo = 0, hi = 0;
    if (!collect(reader, object, KEYS(keys), v)) {
        return false;
    }
    if (!v[0]) {
        return sw_json_missing(&reader->json, "tier", reader->error);
    }
    return read_string(reader, "tier", v[0], &tier) && read_range(reader, v[1], v[2], &lo, &hi) &&
           sw_builder_reserve(reader->builder, tier, lo, hi, reader->error);
}

/* true, false, or pairs [[input, output], ...]. */
static bool read_inplace(struct reader *reader, const json_t *value, struct sw_operator_spec *spec) {
    struct names *pairs = &reader->names[4];
    struct sw_json *json = &reader->json;
    if (!value || json_is_boolean(value)) {
        spec->inplace = json_is_true(value) ? SW_INPLACE_ANY : SW_INPLACE_NO;
        return true;
    }
    if (!json_is_array(value)) {
        return sw_json_fail(json, "inplace", reader->error, "\"inplace\" must be true, false or a list of pairs");
    }
    const json_t *item;
    pairs->list.count = 0;
    for (size_t i = 0; sw_json_item(json, "inplace", value, i, &item); i++) {
        const char *names[2] = {NULL, NULL};
        if (!read_pair(reader, item, names)) {
            return false;
        }
        if (!SW_PUSH(&pairs->list, names[0]) || !SW_PUSH(&pairs->list, names[1])) {
            return sw_fail_memory(reader->error);
        }
    }
    spec->inplace = pairs->list.count ? SW_INPLACE_PAIRS : SW_INPLACE_NO;
    spec->pairs = (const char *const(*)[2])(const void *)pairs->list.items;
    spec->pair_count = pairs->list.count / 2;
    return true;
}

/* [rows, columns], or four of them. */
static bool read_lengths(struct reader *reader, const char *key, const json_t *value, uint32_t least, uint32_t *to,
                         size_t count) {
    struct sw_json *json = &reader->json;
    if (!value) {
        return true;
    }
    if (!json_is_array(value) || json_array_size(value) != count) {
        return sw_json_fail(json, key, reader->error, "\"%s\" must be a list of %zu numbers", key, count);
    }
    const json_t *item;
    for (size_t i = 0; sw_json_item(json, key, value, i, &item); i++) {
        uint64_t number = 0;
        if (!sw_json_unsigned(json, NULL, item, least, SW_MAX_WINDOW, &number, reader->error)) {
            struct sw_error why = *reader->error;
            return sw_json_fail(json, NULL, reader->error, "%s: %s", key, why.message);
        }
        to[i] = (uint32_t)number;
    }
    return true;
}

static bool read_window(struct reader *reader, const json_t *object, struct sw_op_window *window,
                        struct sw_operator_spec *spec) {
    static const char *const keys[] = {"kernel", "stride", "dilation", "pad", "axis", "told"};
    struct sw_json *json = &reader->json;
    json_t *v[6];
    uint32_t pad[4] = {0};
    uint64_t axis = 1;
    if (!object) {
        return true;
    }
    if (!json_is_object(object)) {
        return sw_json_fail(json, "window", reader->error,
                            "\"window\" must be an object with kernel, stride, dilation and pad");
    }
    *window = (struct sw_op_window){.kernel = {1, 1}, .stride = {1, 1}, .dilation = {1, 1}};
    sw_json_enter(json, "window");
    if (!collect(reader, object, KEYS(keys), v) || !read_lengths(reader, "kernel", v[0], 1, window->kernel, 2) ||
        !read_lengths(reader, "stride", v[1], 1, window->stride, 2) ||
        !read_lengths(reader, "dilation", v[2], 1, window->dilation, 2) ||
        !read_lengths(reader, "pad", v[3], 0, pad, 4) ||
        !sw_json_unsigned(json, "axis", v[4], 0, 6, &axis, reader->error) ||
        !sw_json_flag(json, "told", v[5], &window->told, reader->error)) {
        return false;
    }
    sw_json_leave(json);
    window->axis = (uint32_t)axis;
    for (int i = 0; i < 2; i++) {
        window->before[i] = pad[2 * i];
        window->after[i] = pad[2 * i + 1];
    }
    spec->window = window;
    return true;
}

static bool read_operator(struct reader *reader, const json_t *object) {
    static const char *const keys[] = {"name",  "kind",    "function", "core",   "inputs", "outputs", "scratch",
                                       "dtype", "inplace", "after",    "joined", "window", "macs"};
    enum { NAME, KIND, FUNCTION, CORE, INPUTS, OUTPUTS, SCRATCH, DTYPE, INPLACE, AFTER, JOINED, WINDOW, MACS, COUNT };
    json_t *v[COUNT];
    struct sw_op_window window;
    struct sw_operator_spec spec = {0};
    struct names *names = reader->names;
    if (!collect(reader, object, KEYS(keys), v) || !read_name(reader, v[NAME], &spec.name) ||
        !read_string(reader, "kind", v[KIND], &spec.kind) ||
        !read_string(reader, "function", v[FUNCTION], &spec.function) ||
        !read_string(reader, "core", v[CORE], &spec.core) || !read_names(reader, "inputs", v[INPUTS], &names[0]) ||
        !read_names(reader, "outputs", v[OUTPUTS], &names[1]) ||
        !read_names(reader, "scratch", v[SCRATCH], &names[2]) || !read_dtype(reader, v[DTYPE], &spec.dtype) ||
        !read_inplace(reader, v[INPLACE], &spec) || !read_names(reader, "after", v[AFTER], &names[3]) ||
        !read_window(reader, v[WINDOW], &window, &spec) ||
        !sw_json_unsigned(&reader->json, "macs", v[MACS], 0, SW_MAX_BYTES, &spec.macs, reader->error)) {
        return false;
    }
    spec.inputs = names[0].list.items;
    spec.input_count = names[0].list.count;
    spec.outputs = names[1].list.items;
    spec.output_count = names[1].list.count;
    spec.scratch = names[2].list.items;
    spec.scratch_count = names[2].list.count;
    spec.after = names[3].list.items;
    spec.after_count = names[3].list.count;
    spec.joined = json_is_true(v[JOINED]);
    if (v[JOINED] && !json_is_boolean(v[JOINED])) {
        return sw_json_fail(&reader->json, "joined", reader->error, "\"joined\" must be true or false");
    }
    return sw_builder_operator(reader->builder, &spec, reader->error);
}

/* ---- buffers ---- */

static bool read_shape(struct reader *reader, const json_t *value, struct sw_buffer_spec *spec) {
    struct sw_json *json = &reader->json;
    reader->shape.count = 0;
    if (!sw_json_array(json, "shape", value, reader->error)) {
        return false;
    }
    const json_t *item;
    for (size_t i = 0; sw_json_item(json, "shape", value, i, &item); i++) {
        uint64_t dimension = 0;
        if (!sw_json_unsigned(json, NULL, item, 0, SW_MAX_BYTES, &dimension, reader->error)) {
            return false;
        }
        if (!SW_PUSH(&reader->shape, dimension)) {
            return sw_fail_memory(reader->error);
        }
    }
    spec->shape = reader->shape.items;
    spec->shape_count = reader->shape.count;
    return true;
}

static bool read_accesses(struct reader *reader, const json_t *value, struct sw_buffer_spec *spec) {
    struct sw_json *json = &reader->json;
    reader->accesses.count = 0;
    if (!sw_json_array(json, "accesses", value, reader->error)) {
        return false;
    }
    const json_t *item;
    for (size_t i = 0; sw_json_item(json, "accesses", value, i, &item); i++) {
        int64_t time = 0;
        if (!read_time(reader, NULL, item, &time)) {
            return false;
        }
        if (!SW_PUSH(&reader->accesses, time)) {
            return sw_fail_memory(reader->error);
        }
    }
    spec->has_accesses = value != NULL;
    spec->accesses = reader->accesses.items;
    spec->access_count = reader->accesses.count;
    return true;
}

static bool read_lifetime(struct reader *reader, const json_t *first, const json_t *last, int64_t *from, int64_t *to) {
    if (!read_time(reader, "first", first, from) || !read_time(reader, "last", last, to)) {
        return false;
    }
    return !first || !last || *from <= *to ||
           sw_json_fail(&reader->json, "last", reader->error, "last %lld is before first %lld", (long long)*to,
                        (long long)*from);
}

static bool read_piece(struct reader *reader, const json_t *object) {
    static const char *const keys[] = {"first", "last", "lo", "hi"};
    json_t *v[4];
    struct sw_piece_spec piece = {0};
    if (!collect(reader, object, KEYS(keys), v)) {
        return false;
    }
    if (!v[0] || !v[1]) {
        return sw_json_missing(&reader->json, v[0] ? "last" : "first", reader->error);
    }
    return read_lifetime(reader, v[0], v[1], &piece.first, &piece.last) &&
           read_range(reader, v[2], v[3], &piece.lo, &piece.hi) &&
           (SW_PUSH(&reader->pieces, piece) || sw_fail_memory(reader->error));
}

/* Those that end above `size` are errors; SW_UNBOUNDED when the size is not known yet. */
static bool read_pieces(struct reader *reader, const json_t *value, const char *name, uint64_t size) {
    struct sw_json *json = &reader->json;
    reader->pieces.count = 0;
    if (!sw_json_array(json, "pieces", value, reader->error)) {
        return false;
    }
    const json_t *item;
    for (size_t i = 0; sw_json_item(json, "pieces", value, i, &item); i++) {
        if (!read_piece(reader, item)) {
            return false;
        }
        uint64_t hi = reader->pieces.items[i].hi;
        if (hi > size) {
            return sw_json_fail(json, "hi", reader->error, "the piece ends at byte %llu of %s, which has only %llu",
                                (unsigned long long)hi, name, (unsigned long long)size);
        }
    }
    return true;
}

bool sw_pieces_read(const struct sw_json *json, const json_t *value, const char *name, uint64_t size,
                    struct sw_piece_list *list, struct sw_error *error) {
    struct reader reader = {.json = *json, .error = error, .pieces = *list};
    bool good = read_pieces(&reader, value, name, size);
    *list = reader.pieces;
    return good;
}

/* A buffer may give its lifetime and its pieces, as long as both say the same. */
static bool check_hull(struct reader *reader, const json_t *first, const json_t *last,
                       const struct sw_buffer_spec *spec) {
    if (spec->piece_count == 0) {
        return true;
    }
    int64_t from = spec->pieces[0].first, to = spec->pieces[0].last;
    for (size_t i = 1; i < spec->piece_count; i++) {
        from = SW_MIN(spec->pieces[i].first, from);
        to = SW_MAX(spec->pieces[i].last, to);
    }
    if (first && spec->first != from) {
        return sw_json_fail(&reader->json, "first", reader->error, "first is %lld, but the pieces begin at %lld",
                            (long long)spec->first, (long long)from);
    }
    return !last || spec->last == to ||
           sw_json_fail(&reader->json, "last", reader->error, "last is %lld, but the pieces end at %lld",
                        (long long)spec->last, (long long)to);
}

static bool read_kind(struct reader *reader, const json_t *value, enum sw_kind *kind) {
    const char *text = NULL;
    if (!read_string(reader, "kind", value, &text)) {
        return false;
    }
    return !text || sw_kind_parse(text, kind) ||
           sw_json_fail(&reader->json, "kind", reader->error,
                        "unknown kind \"%s\" (input, output, constant, intermediate or scratch)",
                        sw_quote(text, strlen(text)).text);
}

static bool read_size(struct reader *reader, const json_t *size, struct sw_buffer_spec *spec) {
    spec->has_size = size != NULL;
    if (!read_bytes(reader, "size", size, &spec->size)) {
        return false;
    }
    if (!size && spec->shape_count == 0) {
        return sw_json_missing(&reader->json, "size", reader->error);
    }
    return size || spec->dtype != SW_DTYPE_NONE ||
           sw_json_fail(&reader->json, "shape", reader->error, "a shape without a size needs a \"dtype\"");
}

/* A result of the network of another kind: an input that is handed back, a constant, a state. */
static bool read_output(struct reader *reader, const json_t *value, struct sw_buffer_spec *spec) {
    if (value && !json_is_boolean(value)) {
        return sw_json_fail(&reader->json, "output", reader->error, "\"output\" must be true or false");
    }
    spec->output = json_is_true(value);
    if (spec->output && spec->kind == SW_KIND_SCRATCH) {
        return sw_json_fail(&reader->json, "output", reader->error, "a buffer of kind scratch cannot be an output");
    }
    return !value || spec->output || spec->kind != SW_KIND_OUTPUT ||
           sw_json_fail(&reader->json, "output", reader->error, "\"output\" is false, but the kind is output");
}

static bool read_buffer(struct reader *reader, const json_t *object) {
    static const char *const keys[] = {"name",   "kind",  "size",   "shape", "dtype",  "alignment",
                                       "tier",   "tiers", "first",  "last",  "pieces", "accesses",
                                       "offset", "hint",  "origin", "output"};
    enum {
        NAME,
        KIND,
        SIZE,
        SHAPE,
        DTYPE,
        ALIGNMENT,
        TIER,
        TIERS,
        FIRST,
        LAST,
        PIECES,
        ACCESSES,
        OFFSET,
        HINT,
        ORIGIN,
        OUTPUT,
        COUNT
    };
    json_t *v[COUNT];
    struct sw_buffer_spec spec = {.kind = SW_KIND_INTERMEDIATE};
    struct names *tiers = &reader->names[0];
    if (!collect(reader, object, KEYS(keys), v) || !read_name(reader, v[NAME], &spec.name) ||
        !read_kind(reader, v[KIND], &spec.kind) || !read_dtype(reader, v[DTYPE], &spec.dtype) ||
        !read_shape(reader, v[SHAPE], &spec) || !read_size(reader, v[SIZE], &spec) ||
        !read_alignment(reader, "alignment", v[ALIGNMENT], &spec.alignment) ||
        !read_string(reader, "tier", v[TIER], &spec.tier) || !read_names(reader, "tiers", v[TIERS], tiers) ||
        !read_lifetime(reader, v[FIRST], v[LAST], &spec.first, &spec.last) ||
        !read_pieces(reader, v[PIECES], spec.name, spec.has_size ? spec.size : SW_UNBOUNDED) ||
        !read_accesses(reader, v[ACCESSES], &spec) || !read_bytes(reader, "offset", v[OFFSET], &spec.offset) ||
        !read_bytes(reader, "hint", v[HINT], &spec.hint) || !read_string(reader, "origin", v[ORIGIN], &spec.origin) ||
        !read_output(reader, v[OUTPUT], &spec)) {
        return false;
    }
    spec.pieces = reader->pieces.items;
    spec.piece_count = reader->pieces.count;
    if (!check_hull(reader, v[FIRST], v[LAST], &spec)) {
        return false;
    }
    spec.has_first = v[FIRST] != NULL;
    spec.has_last = v[LAST] != NULL;
    spec.has_offset = v[OFFSET] != NULL;
    spec.has_hint = v[HINT] != NULL;
    spec.tiers = tiers->list.items;
    spec.tier_count = tiers->list.count;
    return sw_builder_buffer(reader->builder, &spec, reader->error);
}

/* ---- the document ---- */

static bool read_items(struct reader *reader, const char *key, const json_t *list,
                       bool (*read)(struct reader *, const json_t *)) {
    struct sw_json *json = &reader->json;
    if (!sw_json_array(json, key, list, reader->error)) {
        return false;
    }
    struct sw_json_items items;
    if (json_array_size(list) > 0) {
        sw_json_items_begin(&items, json, key);
    }
    const json_t *item;
    for (size_t i = 0; sw_json_item(json, key, list, i, &item); i++) {
        struct sw_position position = sw_json_items_next(&items);
        sw_builder_at(reader->builder, position.line, position.column);
        if (!read(reader, item)) {
            return false;
        }
    }
    return true;
}

static bool read_head(struct reader *reader, const json_t *format, const json_t *version, const json_t *name,
                      const json_t *alignment, const json_t *offsets) {
    struct sw_json *json = &reader->json;
    struct sw_error *error = reader->error;
    const char *text = NULL;
    int64_t number = 1;
    uint64_t bytes = 1;
    if (!read_string(reader, "format", format, &text)) {
        return false;
    }
    if (text && strcmp(text, "stowage-graph") != 0) {
        return sw_json_fail(json, "format", error, "the format is \"%s\", not \"stowage-graph\"",
                            sw_quote(text, strlen(text)).text);
    }
    if (!sw_json_integer(json, "version", version, INT64_MIN, INT64_MAX, &number, error)) {
        return false;
    }
    if (number != 1) {
        return sw_json_fail(json, "version", error, "version %lld of the format is unknown; this program reads 1",
                            (long long)number);
    }
    text = NULL;
    if (!read_string(reader, "name", name, &text) || (text && !sw_builder_name(reader->builder, text, error)) ||
        !read_alignment(reader, "alignment", alignment, &bytes) ||
        (alignment && !sw_builder_alignment(reader->builder, bytes, error))) {
        return false;
    }
    text = "pins";
    if (!read_string(reader, "offsets", offsets, &text)) {
        return false;
    }
    bool plan = strcmp(text, "plan") == 0;
    if (!plan && strcmp(text, "pins") != 0) {
        return sw_json_fail(json, "offsets", error, "\"offsets\" must be \"plan\" or \"pins\"");
    }
    sw_builder_offsets(reader->builder, plan ? SW_OFFSETS_PLAN : SW_OFFSETS_PINS);
    return true;
}

static bool read_graph(struct reader *reader) {
    static const char *const keys[] = {"format",    "version",  "name",        "alignment",    "tiers",     "units",
                                       "functions", "overlays", "separate",    "reserved",     "operators", "buffers",
                                       "offsets",   "outside",  "least_arena", "more_outside", "inplace"};
    enum {
        FORMAT,
        VERSION,
        NAME,
        ALIGNMENT,
        TIERS,
        UNITS,
        FUNCTIONS,
        OVERLAYS,
        SEPARATE,
        RESERVED,
        OPERATORS,
        BUFFERS,
        OFFSETS,
        OUTSIDE,
        LEAST_ARENA,
        MORE_OUTSIDE,
        INPLACE,
        COUNT
    };
    json_t *v[COUNT];
    uint64_t outside = 0, least = 0;
    bool more = false;
    if (!collect(reader, reader->json.root, KEYS(keys), v) ||
        !read_head(reader, v[FORMAT], v[VERSION], v[NAME], v[ALIGNMENT], v[OFFSETS])) {
        return false;
    }
    if (!sw_json_unsigned(&reader->json, "outside", v[OUTSIDE], 0, SW_MAX_BYTES, &outside, reader->error) ||
        !sw_json_unsigned(&reader->json, "least_arena", v[LEAST_ARENA], 0, SW_MAX_BYTES, &least, reader->error) ||
        !sw_json_flag(&reader->json, "more_outside", v[MORE_OUTSIDE], &more, reader->error)) {
        return false;
    }
    sw_builder_outside(reader->builder, outside, least, more);
    const char *inplace = NULL;
    if (!read_string(reader, "inplace", v[INPLACE], &inplace)) {
        return false;
    }
    if (inplace && strcmp(inplace, "safe") != 0) {
        return sw_json_fail(&reader->json, "inplace", reader->error, "\"inplace\" of a graph must be \"safe\"");
    }
    if (inplace) {
        sw_builder_inplace(reader->builder, true);
    }
    if (!v[OPERATORS] || !v[BUFFERS]) {
        return sw_json_missing(&reader->json, v[OPERATORS] ? "buffers" : "operators", reader->error);
    }
    return read_items(reader, "tiers", v[TIERS], read_tier) && read_items(reader, "units", v[UNITS], read_unit) &&
           read_items(reader, "functions", v[FUNCTIONS], read_function) &&
           read_items(reader, "buffers", v[BUFFERS], read_buffer) &&
           read_items(reader, "overlays", v[OVERLAYS], read_overlay) &&
           read_items(reader, "operators", v[OPERATORS], read_operator) &&
           read_items(reader, "separate", v[SEPARATE], read_separate) &&
           read_items(reader, "reserved", v[RESERVED], read_reserved);
}

static bool read_tiers(struct reader *reader) {
    static const char *const keys[] = {"tiers"};
    json_t *v[1];
    if (!collect(reader, reader->json.root, KEYS(keys), v)) {
        return false;
    }
    if (!v[0]) {
        return sw_json_missing(&reader->json, "tiers", reader->error);
    }
    if (!read_items(reader, "tiers", v[0], read_tier)) {
        return false;
    }
    return json_array_size(v[0]) > 0 ||
           sw_json_fail(&reader->json, "tiers", reader->error, "there must be at least one tier");
}

static bool read_with(const struct sw_input *input, struct sw_builder *builder, bool (*read)(struct reader *),
                      struct sw_error *error) {
    struct sw_error own = {0};
    struct reader reader = {.builder = builder, .error = &own};
    if (!sw_json_open(&reader.json, input, error)) {
        return false;
    }
    bool good = read(&reader);
    sw_json_close(&reader.json);
    reader_done(&reader);
    if (!good && error) {
        sw_json_refine(input, &own);
        sw_error_at(&own, input->name, own.line, own.column);
        *error = own;
    }
    return good;
}

static bool graph_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                       struct sw_error *error) {
    (void)options;
    return read_with(input, builder, read_graph, error);
}

bool sw_tiers_read(const struct sw_input *input, struct sw_builder *builder, struct sw_error *error) {
    return read_with(input, builder, read_tiers, error);
}

/* An object that no other format claims: then wrong JSON gets its error from here. */
static bool graph_detect(const struct sw_input *input) {
    const char *end = sw_text_end(input);
    const char *at = sw_json_skip_space(sw_text_begin(input), end);
    return at < end && *at == '{';
}

const struct sw_format sw_format_graph_json = {
    .name = "graph-json",
    .summary = "stowage's own graphs: operators and buffers; first and last are both inside",
    .extensions = ".json",
    .detect = graph_detect,
    .read = graph_read,
    .lossless = true,
    .write_problem = sw_graph_json_write,
};
