/* The reader of graphs: version 1 of "stowage-graph". Every value is checked here, where its
 * position is at hand; what needs the whole graph (references, lifetimes) the builder checks, with
 * the position of the item, which is then narrowed to the value it names. */
#include "formats/graphs/graph_json.h"
#include "base/base.h"

#include "formats/text/json.h"
#include "formats/text/size.h"

/* A list of names or numbers, used again for every item. */
struct key_names {
    SW_ARRAY(const char *) list;
};
struct graph_reader {
    struct sw_json json;
    struct sw_builder *builder;
    struct sw_error *error;
    struct key_names names[5]; /* an operator's inputs, outputs, scratch, after, pairs */
    SW_ARRAY(uint64_t) shape;
    SW_ARRAY(int64_t) accesses;
    struct sw_piece_list pieces;
    SW_ARRAY(const char *) seen; /* names of tiers so far */
};

static void reader_done(struct graph_reader *reader) {
    for (size_t i = 0; i < 5; i++) {
        SW_ARRAY_DONE(&reader->names[i].list);
    }
    SW_ARRAY_DONE(&reader->shape);
    SW_ARRAY_DONE(&reader->accesses);
    SW_ARRAY_DONE(&reader->pieces);
    SW_ARRAY_DONE(&reader->seen);
}

static bool collect_graph_keys(struct graph_reader *reader, const json_t *object, const char *const *keys, size_t count,
                               json_t **values) {
    return sw_json_collect(&reader->json, object, keys, count, false, values, reader->error);
}

static bool read_key_string(struct graph_reader *reader, const char *key, const json_t *value, const char **to) {
    return sw_json_string(&reader->json, key, value, to, reader->error);
}

/* A number, or a text as people write sizes: "64 KiB". */
static bool read_key_bytes(struct graph_reader *reader, const char *key, const json_t *value, uint64_t *to) {
    struct sw_error why;
    if (json_is_string(value)) {
        return sw_parse_size(json_string_value(value), SW_MAX_BYTES, to, &why) ||
               sw_json_fail(&reader->json, key, reader->error, "%s", why.message);
    }
    return sw_json_unsigned(&reader->json, key, value, 0, SW_MAX_BYTES, to, reader->error);
}

static bool read_key_alignment(struct graph_reader *reader, const char *key, const json_t *value, uint64_t *to) {
    return sw_json_unsigned(&reader->json, key, value, 1, SW_MAX_ALIGNMENT, to, reader->error);
}

/* The dimension that holds the channels: from the front, or -1, the last. */
static bool read_axis(struct graph_reader *reader, const json_t *value, struct sw_unit_spec *unit) {
    int64_t axis = unit->channel_axis;
    unit->has_channel_axis = value != NULL;
    if (!sw_json_integer(&reader->json, "channel_axis", value, -1, INT32_MAX, &axis, reader->error)) {
        return false;
    }
    unit->channel_axis = (int32_t)axis;
    return true;
}

static bool read_key_time(struct graph_reader *reader, const char *key, const json_t *value, int64_t *to) {
    return sw_json_integer(&reader->json, key, value, -SW_MAX_TIME, SW_LAST_TIME, to, reader->error);
}

/* The name every item must have. */
static bool read_key_name(struct graph_reader *reader, const json_t *value, const char **name) {
    if (!value) {
        return sw_json_missing(&reader->json, "name", reader->error);
    }
    if (!read_key_string(reader, "name", value, name)) {
        return false;
    }
    return **name || sw_json_fail(&reader->json, "name", reader->error, "the name is empty");
}

static bool read_dtype(struct graph_reader *reader, const json_t *value, enum sw_dtype *dtype) {
    const char *text = NULL;
    if (!read_key_string(reader, "dtype", value, &text)) {
        return false;
    }
    return !text || sw_dtype_parse(text, dtype) ||
           sw_json_fail(&reader->json, "dtype", reader->error, "unknown dtype \"%s\"",
                        sw_quote(text, strlen(text)).text);
}

static bool read_key_names(struct graph_reader *reader, const char *key, const json_t *value, struct key_names *names) {
    names->list.count = 0;
    if (!sw_json_array(&reader->json, key, value, reader->error)) {
        return false;
    }
    const json_t *item;
    for (size_t i = 0; sw_json_item(&reader->json, key, value, i, &item); i++) {
        const char *name = NULL;
        if (!read_key_string(reader, NULL, item, &name)) {
            return false;
        }
        if (!SW_PUSH(&names->list, name)) {
            return sw_fail_memory(reader->error);
        }
    }
    return true;
}

/* ---- items of each kind ---- */

static bool read_graph_tier(struct graph_reader *reader, const json_t *object) {
    static const char *const keys[] = {"name", "capacity", "bandwidth", "latency", "conflict"};
    enum { KEY_NAME, KEY_CAPACITY, KEY_BANDWIDTH, KEY_LATENCY, KEY_CONFLICT, KEY_COUNT };
    json_t *v[KEY_COUNT];
    struct sw_json *json = &reader->json;
    struct sw_tier tier = {.capacity = SW_UNBOUNDED};
    if (!collect_graph_keys(reader, object, SW_KEYS(keys), v) || !read_key_name(reader, v[KEY_NAME], &tier.name) ||
        !read_key_bytes(reader, "capacity", v[KEY_CAPACITY], &tier.capacity) ||
        !sw_json_real(json, "bandwidth", v[KEY_BANDWIDTH], &tier.bandwidth, reader->error) ||
        !sw_json_real(json, "latency", v[KEY_LATENCY], &tier.latency, reader->error) ||
        !sw_json_real(json, "conflict", v[KEY_CONFLICT], &tier.conflict, reader->error)) {
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

static bool read_unit(struct graph_reader *reader, const json_t *object) {
    static const char *const keys[] = {"name",         "dedicated", "dtype", "alignment", "channel_multiple",
                                       "channel_axis", "tiers"};
    enum { KEY_NAME, KEY_DEDICATED, KEY_DTYPE, KEY_ALIGNMENT, KEY_MULTIPLE, KEY_AXIS, KEY_TIERS, KEY_COUNT };
    json_t *v[KEY_COUNT];
    struct sw_unit_spec unit = {.alignment = 1, .channel_multiple = 1};
    struct key_names *tiers = &reader->names[0];
    if (!collect_graph_keys(reader, object, SW_KEYS(keys), v) || !read_key_name(reader, v[KEY_NAME], &unit.name) ||
        !sw_json_flag(&reader->json, "dedicated", v[KEY_DEDICATED], &unit.dedicated, reader->error) ||
        !read_dtype(reader, v[KEY_DTYPE], &unit.dtype) ||
        !read_key_alignment(reader, "alignment", v[KEY_ALIGNMENT], &unit.alignment) ||
        !read_key_alignment(reader, "channel_multiple", v[KEY_MULTIPLE], &unit.channel_multiple) ||
        !read_axis(reader, v[KEY_AXIS], &unit) || !read_key_names(reader, "tiers", v[KEY_TIERS], tiers)) {
        return false;
    }
    unit.tiers = tiers->list.items;
    unit.tier_count = tiers->list.count;
    return sw_builder_unit(reader->builder, &unit, reader->error);
}

static bool read_graph_function(struct graph_reader *reader, const json_t *object) {
    static const char *const keys[] = {"name", "unit"};
    json_t *v[2];
    const char *name = NULL, *unit = NULL;
    return collect_graph_keys(reader, object, SW_KEYS(keys), v) && read_key_name(reader, v[0], &name) &&
           read_key_string(reader, "unit", v[1], &unit) &&
           sw_builder_function(reader->builder, name, unit, reader->error);
}

/* [lo, hi) of an object; both must be there. */
static bool read_range(struct graph_reader *reader, const json_t *lo, const json_t *hi, uint64_t *from, uint64_t *to) {
    if (!lo || !hi) {
        return sw_json_missing(&reader->json, lo ? "hi" : "lo", reader->error);
    }
    if (!read_key_bytes(reader, "lo", lo, from) || !read_key_bytes(reader, "hi", hi, to)) {
        return false;
    }
    return *from < *to ||
           sw_json_fail(&reader->json, "hi", reader->error, "hi %llu is not above lo %llu (hi is exclusive)",
                        (unsigned long long)*to, (unsigned long long)*from);
}

static bool read_overlay(struct graph_reader *reader, const json_t *object) {
    static const char *const keys[] = {"of", "name", "lo", "hi"};
    enum { KEY_OF, KEY_NAME, KEY_LO, KEY_HI, KEY_COUNT };
    json_t *v[KEY_COUNT];
    const char *of = NULL, *name = NULL;
    uint64_t lo = 0, hi = 0;
    if (!collect_graph_keys(reader, object, SW_KEYS(keys), v) || !read_key_name(reader, v[KEY_NAME], &name)) {
        return false;
    }
    if (!v[KEY_OF]) {
        return sw_json_missing(&reader->json, "of", reader->error);
    }
    return read_key_string(reader, "of", v[KEY_OF], &of) && read_range(reader, v[KEY_LO], v[KEY_HI], &lo, &hi) &&
           sw_builder_overlay(reader->builder, of, name, lo, hi, reader->error);
}

/* [a, b], both strings. */
static bool read_name_pair(struct graph_reader *reader, const json_t *value, const char *names[2]) {
    struct sw_json *json = &reader->json;
    if (!json_is_array(value) || json_array_size(value) != 2) {
        return sw_json_fail(json, NULL, reader->error, "this must be a list of two names");
    }
    const json_t *item;
    for (size_t i = 0; sw_json_item(json, NULL, value, i, &item); i++) {
        if (!read_key_string(reader, NULL, item, &names[i])) {
            return false;
        }
    }
    return true;
}

static bool read_separate(struct graph_reader *reader, const json_t *value) {
    const char *names[2] = {NULL, NULL};
    return read_name_pair(reader, value, names) &&
           sw_builder_separate(reader->builder, names[0], names[1], reader->error);
}

static bool read_reserved(struct graph_reader *reader, const json_t *object) {
    static const char *const keys[] = {"tier", "lo", "hi"};
    json_t *v[3];
    const char *tier = NULL;
    uint64_t lo = 0, hi = 0;
    if (!collect_graph_keys(reader, object, SW_KEYS(keys), v)) {
        return false;
    }
    if (!v[0]) {
        return sw_json_missing(&reader->json, "tier", reader->error);
    }
    return read_key_string(reader, "tier", v[0], &tier) && read_range(reader, v[1], v[2], &lo, &hi) &&
           sw_builder_reserve(reader->builder, tier, lo, hi, reader->error);
}

/* true, false, or pairs [[input, output], ...]. */
static bool read_inplace(struct graph_reader *reader, const json_t *value, struct sw_operator_spec *spec) {
    struct key_names *pairs = &reader->names[4];
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
        if (!read_name_pair(reader, item, names)) {
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
static bool read_lengths(struct graph_reader *reader, const char *key, const json_t *value, uint32_t least,
                         uint32_t *to, size_t count) {
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

static bool read_window(struct graph_reader *reader, const json_t *object, struct sw_op_window *window,
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
    if (!collect_graph_keys(reader, object, SW_KEYS(keys), v) ||
        !read_lengths(reader, "kernel", v[0], 1, window->kernel, 2) ||
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

static bool read_json_operator(struct graph_reader *reader, const json_t *object) {
    static const char *const keys[] = {"name",  "kind",    "function", "core",   "inputs", "outputs", "scratch",
                                       "dtype", "inplace", "after",    "joined", "window", "macs"};
    enum {
        KEY_NAME,
        KEY_KIND,
        KEY_FUNCTION,
        KEY_CORE,
        KEY_INPUTS,
        KEY_OUTPUTS,
        KEY_SCRATCH,
        KEY_DTYPE,
        KEY_INPLACE,
        KEY_AFTER,
        KEY_JOINED,
        KEY_WINDOW,
        KEY_MACS,
        KEY_COUNT
    };
    json_t *v[KEY_COUNT];
    struct sw_op_window window;
    struct sw_operator_spec spec = {0};
    struct key_names *names = reader->names;
    if (!collect_graph_keys(reader, object, SW_KEYS(keys), v) || !read_key_name(reader, v[KEY_NAME], &spec.name) ||
        !read_key_string(reader, "kind", v[KEY_KIND], &spec.kind) ||
        !read_key_string(reader, "function", v[KEY_FUNCTION], &spec.function) ||
        !read_key_string(reader, "core", v[KEY_CORE], &spec.core) ||
        !read_key_names(reader, "inputs", v[KEY_INPUTS], &names[0]) ||
        !read_key_names(reader, "outputs", v[KEY_OUTPUTS], &names[1]) ||
        !read_key_names(reader, "scratch", v[KEY_SCRATCH], &names[2]) ||
        !read_dtype(reader, v[KEY_DTYPE], &spec.dtype) || !read_inplace(reader, v[KEY_INPLACE], &spec) ||
        !read_key_names(reader, "after", v[KEY_AFTER], &names[3]) ||
        !read_window(reader, v[KEY_WINDOW], &window, &spec) ||
        !sw_json_unsigned(&reader->json, "macs", v[KEY_MACS], 0, SW_MAX_BYTES, &spec.macs, reader->error)) {
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
    spec.joined = json_is_true(v[KEY_JOINED]);
    if (v[KEY_JOINED] && !json_is_boolean(v[KEY_JOINED])) {
        return sw_json_fail(&reader->json, "joined", reader->error, "\"joined\" must be true or false");
    }
    return sw_builder_operator(reader->builder, &spec, reader->error);
}

/* ---- buffers ---- */

static bool read_graph_shape(struct graph_reader *reader, const json_t *value, struct sw_buffer_spec *spec) {
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

static bool read_accesses(struct graph_reader *reader, const json_t *value, struct sw_buffer_spec *spec) {
    struct sw_json *json = &reader->json;
    reader->accesses.count = 0;
    if (!sw_json_array(json, "accesses", value, reader->error)) {
        return false;
    }
    const json_t *item;
    for (size_t i = 0; sw_json_item(json, "accesses", value, i, &item); i++) {
        int64_t time = 0;
        if (!read_key_time(reader, NULL, item, &time)) {
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

static bool read_lifetime(struct graph_reader *reader, const json_t *first, const json_t *last, int64_t *from,
                          int64_t *to) {
    if (!read_key_time(reader, "first", first, from) || !read_key_time(reader, "last", last, to)) {
        return false;
    }
    return !first || !last || *from <= *to ||
           sw_json_fail(&reader->json, "last", reader->error, "last %lld is before first %lld", (long long)*to,
                        (long long)*from);
}

static bool read_piece(struct graph_reader *reader, const json_t *object) {
    static const char *const keys[] = {"first", "last", "lo", "hi"};
    json_t *v[4];
    struct sw_piece_spec piece = {0};
    if (!collect_graph_keys(reader, object, SW_KEYS(keys), v)) {
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
static bool read_graph_pieces(struct graph_reader *reader, const json_t *value, const char *name, uint64_t size) {
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
    struct graph_reader reader = {.json = *json, .error = error, .pieces = *list};
    bool good = read_graph_pieces(&reader, value, name, size);
    *list = reader.pieces;
    return good;
}

/* A buffer may give its lifetime and its pieces, as long as both say the same. */
static bool check_hull(struct graph_reader *reader, const json_t *first, const json_t *last,
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

static bool read_buffer_kind_key(struct graph_reader *reader, const json_t *value, enum sw_kind *kind) {
    const char *text = NULL;
    if (!read_key_string(reader, "kind", value, &text)) {
        return false;
    }
    return !text || sw_kind_parse(text, kind) ||
           sw_json_fail(&reader->json, "kind", reader->error,
                        "unknown kind \"%s\" (input, output, constant, intermediate or scratch)",
                        sw_quote(text, strlen(text)).text);
}

static bool read_graph_size(struct graph_reader *reader, const json_t *size, struct sw_buffer_spec *spec) {
    spec->has_size = size != NULL;
    if (!read_key_bytes(reader, "size", size, &spec->size)) {
        return false;
    }
    if (!size && spec->shape_count == 0) {
        return sw_json_missing(&reader->json, "size", reader->error);
    }
    return size || spec->dtype != SW_DTYPE_NONE ||
           sw_json_fail(&reader->json, "shape", reader->error, "a shape without a size needs a \"dtype\"");
}

/* A result of the network of another kind: an input that is handed back, a constant, a state. */
static bool read_output(struct graph_reader *reader, const json_t *value, struct sw_buffer_spec *spec) {
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

static bool read_graph_buffer(struct graph_reader *reader, const json_t *object) {
    static const char *const keys[] = {"name",   "kind",  "size",   "shape", "dtype",  "alignment",
                                       "tier",   "tiers", "first",  "last",  "pieces", "accesses",
                                       "offset", "hint",  "origin", "output"};
    enum {
        KEY_NAME,
        KEY_KIND,
        KEY_SIZE,
        KEY_SHAPE,
        KEY_DTYPE,
        KEY_ALIGNMENT,
        KEY_TIER,
        KEY_TIERS,
        KEY_FIRST,
        KEY_LAST,
        KEY_PIECES,
        KEY_ACCESSES,
        KEY_OFFSET,
        KEY_HINT,
        KEY_ORIGIN,
        KEY_OUTPUT,
        KEY_COUNT
    };
    json_t *v[KEY_COUNT];
    struct sw_buffer_spec spec = {.kind = SW_KIND_INTERMEDIATE};
    struct key_names *tiers = &reader->names[0];
    if (!collect_graph_keys(reader, object, SW_KEYS(keys), v) || !read_key_name(reader, v[KEY_NAME], &spec.name) ||
        !read_buffer_kind_key(reader, v[KEY_KIND], &spec.kind) || !read_dtype(reader, v[KEY_DTYPE], &spec.dtype) ||
        !read_graph_shape(reader, v[KEY_SHAPE], &spec) || !read_graph_size(reader, v[KEY_SIZE], &spec) ||
        !read_key_alignment(reader, "alignment", v[KEY_ALIGNMENT], &spec.alignment) ||
        !read_key_string(reader, "tier", v[KEY_TIER], &spec.tier) ||
        !read_key_names(reader, "tiers", v[KEY_TIERS], tiers) ||
        !read_lifetime(reader, v[KEY_FIRST], v[KEY_LAST], &spec.first, &spec.last) ||
        !read_graph_pieces(reader, v[KEY_PIECES], spec.name, spec.has_size ? spec.size : SW_UNBOUNDED) ||
        !read_accesses(reader, v[KEY_ACCESSES], &spec) ||
        !read_key_bytes(reader, "offset", v[KEY_OFFSET], &spec.offset) ||
        !read_key_bytes(reader, "hint", v[KEY_HINT], &spec.hint) ||
        !read_key_string(reader, "origin", v[KEY_ORIGIN], &spec.origin) || !read_output(reader, v[KEY_OUTPUT], &spec)) {
        return false;
    }
    spec.pieces = reader->pieces.items;
    spec.piece_count = reader->pieces.count;
    if (!check_hull(reader, v[KEY_FIRST], v[KEY_LAST], &spec)) {
        return false;
    }
    spec.has_first = v[KEY_FIRST] != NULL;
    spec.has_last = v[KEY_LAST] != NULL;
    spec.has_offset = v[KEY_OFFSET] != NULL;
    spec.has_hint = v[KEY_HINT] != NULL;
    spec.tiers = tiers->list.items;
    spec.tier_count = tiers->list.count;
    return sw_builder_buffer(reader->builder, &spec, reader->error);
}

/* ---- the document ---- */

static bool read_items(struct graph_reader *reader, const char *key, const json_t *list,
                       bool (*read)(struct graph_reader *, const json_t *)) {
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

static bool read_graph_head(struct graph_reader *reader, const json_t *format, const json_t *version,
                            const json_t *name, const json_t *alignment, const json_t *offsets) {
    struct sw_json *json = &reader->json;
    struct sw_error *error = reader->error;
    const char *text = NULL;
    int64_t number = 1;
    uint64_t bytes = 1;
    if (!read_key_string(reader, "format", format, &text)) {
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
    if (!read_key_string(reader, "name", name, &text) || (text && !sw_builder_name(reader->builder, text, error)) ||
        !read_key_alignment(reader, "alignment", alignment, &bytes) ||
        (alignment && !sw_builder_alignment(reader->builder, bytes, error))) {
        return false;
    }
    text = "pins";
    if (!read_key_string(reader, "offsets", offsets, &text)) {
        return false;
    }
    bool plan = strcmp(text, "plan") == 0;
    if (!plan && strcmp(text, "pins") != 0) {
        return sw_json_fail(json, "offsets", error, "\"offsets\" must be \"plan\" or \"pins\"");
    }
    sw_builder_offsets(reader->builder, plan ? SW_OFFSETS_PLAN : SW_OFFSETS_PINS);
    return true;
}

static bool read_graph_file(struct graph_reader *reader) {
    static const char *const keys[] = {"format",    "version",  "name",        "alignment",    "tiers",     "units",
                                       "functions", "overlays", "separate",    "reserved",     "operators", "buffers",
                                       "offsets",   "outside",  "least_arena", "more_outside", "inplace"};
    enum {
        KEY_FORMAT,
        KEY_VERSION,
        KEY_NAME,
        KEY_ALIGNMENT,
        KEY_TIERS,
        KEY_UNITS,
        KEY_FUNCTIONS,
        KEY_OVERLAYS,
        KEY_SEPARATE,
        KEY_RESERVED,
        KEY_OPERATORS,
        KEY_BUFFERS,
        KEY_OFFSETS,
        KEY_OUTSIDE,
        KEY_LEAST_ARENA,
        KEY_MORE_OUTSIDE,
        KEY_INPLACE,
        KEY_COUNT
    };
    json_t *v[KEY_COUNT];
    uint64_t outside = 0, least = 0;
    bool more = false;
    if (!collect_graph_keys(reader, reader->json.root, SW_KEYS(keys), v) ||
        !read_graph_head(reader, v[KEY_FORMAT], v[KEY_VERSION], v[KEY_NAME], v[KEY_ALIGNMENT], v[KEY_OFFSETS])) {
        return false;
    }
    if (!sw_json_unsigned(&reader->json, "outside", v[KEY_OUTSIDE], 0, SW_MAX_BYTES, &outside, reader->error) ||
        !sw_json_unsigned(&reader->json, "least_arena", v[KEY_LEAST_ARENA], 0, SW_MAX_BYTES, &least, reader->error) ||
        !sw_json_flag(&reader->json, "more_outside", v[KEY_MORE_OUTSIDE], &more, reader->error)) {
        return false;
    }
    sw_builder_outside(reader->builder, outside, least, more);
    const char *inplace = NULL;
    if (!read_key_string(reader, "inplace", v[KEY_INPLACE], &inplace)) {
        return false;
    }
    if (inplace && strcmp(inplace, "safe") != 0) {
        return sw_json_fail(&reader->json, "inplace", reader->error, "\"inplace\" of a graph must be \"safe\"");
    }
    if (inplace) {
        sw_builder_inplace(reader->builder, true);
    }
    if (!v[KEY_OPERATORS] || !v[KEY_BUFFERS]) {
        return sw_json_missing(&reader->json, v[KEY_OPERATORS] ? "buffers" : "operators", reader->error);
    }
    return read_items(reader, "tiers", v[KEY_TIERS], read_graph_tier) &&
           read_items(reader, "units", v[KEY_UNITS], read_unit) &&
           read_items(reader, "functions", v[KEY_FUNCTIONS], read_graph_function) &&
           read_items(reader, "buffers", v[KEY_BUFFERS], read_graph_buffer) &&
           read_items(reader, "overlays", v[KEY_OVERLAYS], read_overlay) &&
           read_items(reader, "operators", v[KEY_OPERATORS], read_json_operator) &&
           read_items(reader, "separate", v[KEY_SEPARATE], read_separate) &&
           read_items(reader, "reserved", v[KEY_RESERVED], read_reserved);
}

static bool read_tiers(struct graph_reader *reader) {
    static const char *const keys[] = {"tiers"};
    json_t *v[1];
    if (!collect_graph_keys(reader, reader->json.root, SW_KEYS(keys), v)) {
        return false;
    }
    if (!v[0]) {
        return sw_json_missing(&reader->json, "tiers", reader->error);
    }
    if (!read_items(reader, "tiers", v[0], read_graph_tier)) {
        return false;
    }
    return json_array_size(v[0]) > 0 ||
           sw_json_fail(&reader->json, "tiers", reader->error, "there must be at least one tier");
}

static bool read_with(const struct sw_input *input, struct sw_builder *builder, bool (*read)(struct graph_reader *),
                      struct sw_error *error) {
    struct sw_error own = {0};
    struct graph_reader reader = {.builder = builder, .error = &own};
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
    return read_with(input, builder, read_graph_file, error);
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
