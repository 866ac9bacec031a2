/* The reader of graphs: version 1 of "stowage-graph". Every value is checked here, where its
 * position is at hand; what needs the whole graph (references, lifetimes) the builder checks, with
 * the position of the item, which is then narrowed to the value it names. */
#include "formats/graphs/graph_json.h"
#include "base/base.h"
#include "formats/graphs/moment_file.h"

struct graph_reader {
    struct sw_json json;
    struct sw_builder *builder;
    struct key_names {
        SW_ARRAY(const char *) list;
    } names[5]; /* an operator's inputs, outputs, scratch, after, pairs; used again for every item */
    SW_ARRAY(uint64_t) shape;
    SW_ARRAY(int64_t) accesses;
    struct sw_piece_list pieces;
    SW_ARRAY(const char *) seen; /* names of tiers so far */
};

static void reader_done(struct graph_reader *reader) {
    for (size_t i = 0; i < 5; i++) {
        SW_ARRAY_DONE(&reader->names[i].list);
    }
    SW_ARRAY_DONE(&reader->shape, &reader->accesses, &reader->pieces, &reader->seen);
}

static bool read_key_alignment(const struct sw_json *json, const char *key, uint64_t *to) {
    return sw_json_unsigned(json, key, 1, SW_MAX_ALIGNMENT, to);
}

/* The dimension that holds the channels: from the front, or -1, the last. */
static bool read_axis(const struct sw_json *json, struct sw_unit_spec *unit) {
    int64_t axis = unit->channel_axis;
    unit->has_channel_axis = sw_json_value(json, "channel_axis") != NULL;
    bool good = sw_json_integer(json, "channel_axis", -1, INT32_MAX, &axis);
    unit->channel_axis = (int32_t)axis;
    return good;
}

static bool read_key_time(const struct sw_json *json, const char *key, int64_t *to) {
    return sw_json_integer(json, key, -SW_MAX_TIME, SW_LAST_TIME, to);
}

static bool read_needed(const struct sw_json *json, const char *key, const char **to) {
    return sw_json_need(json, key) && sw_json_string(json, key, to);
}

/* The name every item must have. */
static bool read_key_name(const struct sw_json *json, const char **name) {
    return read_needed(json, "name", name) && (**name || sw_json_fail(json, "name", "the name is empty"));
}

static bool read_dtype(const struct sw_json *json, enum sw_dtype *dtype) {
    const char *text = NULL;
    return sw_json_string(json, "dtype", &text) &&
           (!text || sw_dtype_parse(text, dtype) ||
            sw_json_fail(json, "dtype", "unknown dtype \"%s\" (" SW_DTYPE_WORDS ")",
                         sw_quote(text, strlen(text)).text));
}

static bool read_key_names(struct graph_reader *reader, const char *key, struct key_names *names,
                           const char *const **to, size_t *count) {
    struct sw_json *json = &reader->json;
    bool good = sw_json_array(json, key);
    names->list.count = 0;
    for (size_t i = 0; good && sw_json_item(json, key, i); i++) {
        const char *name = NULL;
        good = sw_json_string(json, NULL, &name) && (SW_PUSH(&names->list, name) || sw_fail_memory(json->error));
    }
    *to = names->list.items;
    *count = names->list.count;
    return good;
}

/* ---- items of each kind ---- */

static bool read_graph_tier(struct graph_reader *reader) {
    struct sw_json *json = &reader->json;
    struct sw_tier tier = {.capacity = SW_UNBOUNDED};
    if (!SW_JSON_ONLY(json, "name", "capacity", "bandwidth", "latency", "conflict") ||
        !read_key_name(json, &tier.name) || !sw_json_bytes(json, "capacity", &tier.capacity) ||
        !sw_json_real(json, "bandwidth", &tier.bandwidth) || !sw_json_real(json, "latency", &tier.latency) ||
        !sw_json_real(json, "conflict", &tier.conflict)) {
        return false;
    }
    /* Told apart here, since --tiers comes from another file than the one the builder knows of. */
    for (size_t i = 0; i < reader->seen.count; i++) {
        if (strcmp(reader->seen.items[i], tier.name) == 0) {
            return sw_json_fail(json, "name", "two tiers are named %s", tier.name);
        }
    }
    return (SW_PUSH(&reader->seen, tier.name) || sw_fail_memory(json->error)) &&
           sw_builder_tier(reader->builder, &tier, json->error);
}

static bool read_unit(struct graph_reader *reader) {
    struct sw_json *json = &reader->json;
    struct sw_unit_spec unit = {.alignment = 1, .channel_multiple = 1};
    return SW_JSON_ONLY(json, "name", "dedicated", "dtype", "alignment", "channel_multiple", "channel_axis", "tiers") &&
           read_key_name(json, &unit.name) && sw_json_flag(json, "dedicated", &unit.dedicated) &&
           read_dtype(json, &unit.dtype) && read_key_alignment(json, "alignment", &unit.alignment) &&
           read_key_alignment(json, "channel_multiple", &unit.channel_multiple) && read_axis(json, &unit) &&
           read_key_names(reader, "tiers", &reader->names[0], &unit.tiers, &unit.tier_count) &&
           sw_builder_unit(reader->builder, &unit, json->error);
}

static bool read_graph_function(struct graph_reader *reader) {
    struct sw_json *json = &reader->json;
    const char *name = NULL, *unit = NULL;
    return SW_JSON_ONLY(json, "name", "unit") && read_key_name(json, &name) && sw_json_string(json, "unit", &unit) &&
           sw_builder_function(reader->builder, name, unit, json->error);
}

/* [lo, hi) of an object; both must be there. */
static bool read_range(const struct sw_json *json, uint64_t *from, uint64_t *to) {
    return sw_json_need(json, "lo") && sw_json_need(json, "hi") && sw_json_bytes(json, "lo", from) &&
           sw_json_bytes(json, "hi", to) &&
           (*from < *to || sw_json_fail(json, "hi", "hi %llu is not above lo %llu (hi is exclusive)",
                                        (unsigned long long)*to, (unsigned long long)*from));
}

static bool read_overlay(struct graph_reader *reader) {
    struct sw_json *json = &reader->json;
    const char *of = NULL, *name = NULL;
    uint64_t lo = 0, hi = 0;
    return SW_JSON_ONLY(json, "of", "name", "lo", "hi") && read_key_name(json, &name) && read_needed(json, "of", &of) &&
           read_range(json, &lo, &hi) && sw_builder_overlay(reader->builder, of, name, lo, hi, json->error);
}

/* [a, b], both strings. */
static bool read_name_pair(struct sw_json *json, const char *names[2]) {
    const json_t *value = sw_json_value(json, NULL);
    bool good = (json_is_array(value) && json_array_size(value) == 2) ||
                sw_json_fail(json, NULL, "this must be a list of two names");
    for (size_t i = 0; good && sw_json_item(json, NULL, i); i++) {
        good = sw_json_string(json, NULL, &names[i]);
    }
    return good;
}

static bool read_separate(struct graph_reader *reader) {
    const char *names[2] = {NULL, NULL};
    return read_name_pair(&reader->json, names) &&
           sw_builder_separate(reader->builder, names[0], names[1], reader->json.error);
}

static bool read_reserved(struct graph_reader *reader) {
    struct sw_json *json = &reader->json;
    const char *tier = NULL;
    uint64_t lo = 0, hi = 0;
    return SW_JSON_ONLY(json, "tier", "lo", "hi") && read_needed(json, "tier", &tier) && read_range(json, &lo, &hi) &&
           sw_builder_reserve(reader->builder, tier, lo, hi, json->error);
}

/* true, false, or pairs [[input, output], ...]. */
static bool read_inplace(struct graph_reader *reader, struct sw_operator_spec *spec) {
    struct key_names *pairs = &reader->names[4];
    struct sw_json *json = &reader->json;
    const json_t *value = sw_json_value(json, "inplace");
    if (!value || json_is_boolean(value)) {
        spec->inplace = json_is_true(value) ? SW_INPLACE_ANY : SW_INPLACE_NO;
        return true;
    }
    if (!json_is_array(value)) {
        return sw_json_fail(json, "inplace", "\"inplace\" must be true, false or a list of pairs");
    }
    pairs->list.count = 0;
    for (size_t i = 0; sw_json_item(json, "inplace", i); i++) {
        const char *names[2] = {NULL, NULL};
        if (!read_name_pair(json, names)) {
            return false;
        }
        if (!SW_PUSH(&pairs->list, names[0]) || !SW_PUSH(&pairs->list, names[1])) {
            return sw_fail_memory(json->error);
        }
    }
    spec->inplace = pairs->list.count ? SW_INPLACE_PAIRS : SW_INPLACE_NO;
    spec->pairs = (const char *const(*)[2])(const void *)pairs->list.items;
    spec->pair_count = pairs->list.count / 2;
    return true;
}

/* [rows, columns], or four of them. */
static bool read_lengths(struct sw_json *json, const char *key, uint32_t least, uint32_t *to, size_t count) {
    const json_t *value = sw_json_value(json, key);
    if (value && (!json_is_array(value) || json_array_size(value) != count)) {
        return sw_json_fail(json, key, "\"%s\" must be a list of %zu numbers", key, count);
    }
    for (size_t i = 0; sw_json_item(json, key, i); i++) {
        uint64_t number = 0;
        if (!sw_json_unsigned(json, NULL, least, SW_MAX_WINDOW, &number)) {
            struct sw_error why = *json->error;
            return sw_json_fail(json, NULL, "%s: %s", key, why.message);
        }
        to[i] = (uint32_t)number;
    }
    return true;
}

static bool read_window(struct sw_json *json, struct sw_op_window *window, struct sw_operator_spec *spec) {
    const json_t *object = sw_json_value(json, "window");
    uint32_t pad[4] = {0};
    uint64_t axis = 1;
    if (!object) {
        return true;
    }
    if (!json_is_object(object)) {
        return sw_json_fail(json, "window", "\"window\" must be an object with kernel, stride, dilation and pad");
    }
    *window = (struct sw_op_window){.kernel = {1, 1}, .stride = {1, 1}, .dilation = {1, 1}};
    sw_json_enter(json, "window");
    if (!SW_JSON_ONLY(json, "kernel", "stride", "dilation", "pad", "axis", "told") ||
        !read_lengths(json, "kernel", 1, window->kernel, 2) || !read_lengths(json, "stride", 1, window->stride, 2) ||
        !read_lengths(json, "dilation", 1, window->dilation, 2) || !read_lengths(json, "pad", 0, pad, 4) ||
        !sw_json_unsigned(json, "axis", 0, 6, &axis) || !sw_json_flag(json, "told", &window->told)) {
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

static bool read_truth(const struct sw_json *json, const char *key, bool *to) {
    const json_t *value = sw_json_value(json, key);
    *to = json_is_true(value);
    return !value || json_is_boolean(value) || sw_json_fail(json, key, "\"%s\" must be true or false", key);
}

static bool read_json_operator(struct graph_reader *reader) {
    struct sw_json *json = &reader->json;
    struct sw_op_window window;
    struct sw_operator_spec spec = {0};
    struct key_names *names = reader->names;
    return SW_JSON_ONLY(json, "name", "kind", "function", "core", "inputs", "outputs", "scratch", "dtype", "inplace",
                        "after", "joined", "window", "macs") &&
           read_key_name(json, &spec.name) && sw_json_string(json, "kind", &spec.kind) &&
           sw_json_string(json, "function", &spec.function) && sw_json_string(json, "core", &spec.core) &&
           read_key_names(reader, "inputs", &names[0], &spec.inputs, &spec.input_count) &&
           read_key_names(reader, "outputs", &names[1], &spec.outputs, &spec.output_count) &&
           read_key_names(reader, "scratch", &names[2], &spec.scratch, &spec.scratch_count) &&
           read_dtype(json, &spec.dtype) && read_inplace(reader, &spec) &&
           read_key_names(reader, "after", &names[3], &spec.after, &spec.after_count) &&
           read_window(json, &window, &spec) && sw_json_unsigned(json, "macs", 0, SW_MAX_BYTES, &spec.macs) &&
           read_truth(json, "joined", &spec.joined) && sw_builder_operator(reader->builder, &spec, json->error);
}

/* ---- buffers ---- */

static bool read_graph_shape(struct graph_reader *reader, struct sw_buffer_spec *spec) {
    struct sw_json *json = &reader->json;
    bool good = sw_json_array(json, "shape");
    reader->shape.count = 0;
    for (size_t i = 0; good && sw_json_item(json, "shape", i); i++) {
        uint64_t dimension = 0;
        good = sw_json_unsigned(json, NULL, 0, SW_MAX_BYTES, &dimension) &&
               (SW_PUSH(&reader->shape, dimension) || sw_fail_memory(json->error));
    }
    spec->shape = reader->shape.items;
    spec->shape_count = reader->shape.count;
    return good;
}

static bool read_accesses(struct graph_reader *reader, struct sw_buffer_spec *spec) {
    struct sw_json *json = &reader->json;
    bool good = sw_json_array(json, "accesses");
    reader->accesses.count = 0;
    spec->has_accesses = sw_json_value(json, "accesses") != NULL;
    for (size_t i = 0; good && sw_json_item(json, "accesses", i); i++) {
        int64_t time = 0;
        good = read_key_time(json, NULL, &time) && (SW_PUSH(&reader->accesses, time) || sw_fail_memory(json->error));
    }
    spec->accesses = reader->accesses.items;
    spec->access_count = reader->accesses.count;
    return good;
}

static bool read_lifetime(const struct sw_json *json, int64_t *from, int64_t *to) {
    return read_key_time(json, "first", from) && read_key_time(json, "last", to) &&
           (!sw_json_value(json, "first") || !sw_json_value(json, "last") || *from <= *to ||
            sw_json_fail(json, "last", "last %lld is before first %lld", (long long)*to, (long long)*from));
}

bool sw_pieces_read(struct sw_json *json, const char *name, uint64_t size, struct sw_piece_list *list) {
    bool good = sw_json_array(json, "pieces");
    list->count = 0;
    for (size_t i = 0; good && sw_json_item(json, "pieces", i); i++) {
        struct sw_piece_spec piece = {0};
        good = SW_JSON_ONLY(json, "first", "last", "lo", "hi") && sw_json_need(json, "first") &&
               sw_json_need(json, "last") && read_lifetime(json, &piece.first, &piece.last) &&
               read_range(json, &piece.lo, &piece.hi) && (SW_PUSH(list, piece) || sw_fail_memory(json->error)) &&
               (piece.hi <= size || sw_json_fail(json, "hi", "the piece ends at byte %llu of %s, which has only %llu",
                                                 (unsigned long long)piece.hi, name, (unsigned long long)size));
    }
    return good;
}

/* A buffer may give its lifetime and its pieces, as long as both say the same. */
static bool check_hull(const struct sw_json *json, const struct sw_buffer_spec *spec) {
    if (spec->piece_count == 0) {
        return true;
    }
    int64_t from = spec->pieces[0].first, to = spec->pieces[0].last;
    for (size_t i = 1; i < spec->piece_count; i++) {
        from = SW_MIN(spec->pieces[i].first, from);
        to = SW_MAX(spec->pieces[i].last, to);
    }
    if (spec->has_first && spec->first != from) {
        return sw_json_fail(json, "first", "first is %lld, but the pieces begin at %lld", (long long)spec->first,
                            (long long)from);
    }
    return !spec->has_last || spec->last == to ||
           sw_json_fail(json, "last", "last is %lld, but the pieces end at %lld", (long long)spec->last, (long long)to);
}

static bool read_buffer_kind_key(const struct sw_json *json, enum sw_kind *kind) {
    const char *text = NULL;
    return sw_json_string(json, "kind", &text) &&
           (!text || sw_kind_parse(text, kind) ||
            sw_json_fail(json, "kind", "unknown kind \"%s\" (" SW_KIND_WORDS ")", sw_quote(text, strlen(text)).text));
}

static bool read_graph_size(const struct sw_json *json, struct sw_buffer_spec *spec) {
    spec->has_size = sw_json_value(json, "size") != NULL;
    return sw_json_bytes(json, "size", &spec->size) && (spec->shape_count > 0 || sw_json_need(json, "size")) &&
           (spec->has_size || spec->dtype != SW_DTYPE_NONE ||
            sw_json_fail(json, "shape", "a shape without a size needs a \"dtype\""));
}

/* A result of the network of another kind: an input that is handed back, a constant, a state. */
static bool read_output(const struct sw_json *json, struct sw_buffer_spec *spec) {
    if (!read_truth(json, "output", &spec->output)) {
        return false;
    }
    if (spec->output && spec->kind == SW_KIND_SCRATCH) {
        return sw_json_fail(json, "output", "a buffer of kind scratch cannot be an output");
    }
    return !sw_json_value(json, "output") || spec->output || spec->kind != SW_KIND_OUTPUT ||
           sw_json_fail(json, "output", "\"output\" is false, but the kind is output");
}

static bool read_graph_buffer(struct graph_reader *reader) {
    struct sw_json *json = &reader->json;
    struct sw_buffer_spec spec = {.kind = SW_KIND_INTERMEDIATE,
                                  .has_first = sw_json_value(json, "first") != NULL,
                                  .has_last = sw_json_value(json, "last") != NULL,
                                  .has_offset = sw_json_value(json, "offset") != NULL,
                                  .has_hint = sw_json_value(json, "hint") != NULL};
    if (!SW_JSON_ONLY(json, "name", "kind", "size", "shape", "dtype", "alignment", "tier", "tiers", "first", "last",
                      "pieces", "accesses", "offset", "hint", "origin", "output") ||
        !read_key_name(json, &spec.name) || !read_buffer_kind_key(json, &spec.kind) || !read_dtype(json, &spec.dtype) ||
        !read_graph_shape(reader, &spec) || !read_graph_size(json, &spec) ||
        !read_key_alignment(json, "alignment", &spec.alignment) || !sw_json_string(json, "tier", &spec.tier) ||
        !read_key_names(reader, "tiers", &reader->names[0], &spec.tiers, &spec.tier_count) ||
        !read_lifetime(json, &spec.first, &spec.last) ||
        !sw_pieces_read(json, spec.name, spec.has_size ? spec.size : SW_UNBOUNDED, &reader->pieces) ||
        !read_accesses(reader, &spec) || !sw_json_bytes(json, "offset", &spec.offset) ||
        !sw_json_bytes(json, "hint", &spec.hint) || !sw_json_string(json, "origin", &spec.origin) ||
        !read_output(json, &spec)) {
        return false;
    }
    spec.pieces = reader->pieces.items;
    spec.piece_count = reader->pieces.count;
    return check_hull(json, &spec) && sw_builder_buffer(reader->builder, &spec, json->error);
}

/* ---- the document ---- */

static bool read_items(struct graph_reader *reader, const char *key, bool (*read)(struct graph_reader *)) {
    struct sw_json *json = &reader->json;
    struct sw_json_items items;
    bool good = sw_json_array(json, key);
    if (good && json_array_size(sw_json_value(json, key)) > 0) {
        sw_json_items_begin(&items, json, key);
    }
    for (size_t i = 0; good && sw_json_item(json, key, i); i++) {
        struct sw_position position = sw_json_items_next(&items);
        sw_builder_at(reader->builder, position.line, position.column);
        good = read(reader);
    }
    return good;
}

static bool read_graph_head(struct graph_reader *reader) {
    struct sw_json *json = &reader->json;
    const char *format = "stowage-graph", *name = NULL, *offsets = "pins";
    int64_t version = 1;
    uint64_t alignment = 0;
    if (!sw_json_string(json, "format", &format)) {
        return false;
    }
    if (strcmp(format, "stowage-graph") != 0) {
        return sw_json_fail(json, "format", "the format is \"%s\", not \"stowage-graph\"",
                            sw_quote(format, strlen(format)).text);
    }
    if (!sw_json_integer(json, "version", INT64_MIN, INT64_MAX, &version)) {
        return false;
    }
    if (version != 1) {
        return sw_json_fail(json, "version", "version %lld of the format is unknown; this program reads 1",
                            (long long)version);
    }
    if (!sw_json_string(json, "name", &name) || (name && !sw_builder_name(reader->builder, name, json->error)) ||
        !read_key_alignment(json, "alignment", &alignment) ||
        (alignment && !sw_builder_alignment(reader->builder, alignment, json->error)) ||
        !sw_json_string(json, "offsets", &offsets)) {
        return false;
    }
    bool plan = strcmp(offsets, "plan") == 0;
    if (!plan && strcmp(offsets, "pins") != 0) {
        return sw_json_fail(json, "offsets", "\"offsets\" must be \"plan\" or \"pins\"");
    }
    sw_builder_offsets(reader->builder, plan ? SW_OFFSETS_PLAN : SW_OFFSETS_PINS);
    return true;
}

/* One moment of an allocator stands alone: it has no buffers of its own. */
static bool read_moment_graph(struct graph_reader *reader) {
    struct sw_json *json = &reader->json;
    bool then = sw_json_value(json, "then") != NULL; /* requests that go on from it */
    if (then ? !SW_JSON_ONLY(json, "format", "version", "name", "tiers", "moment", "then")
             : !SW_JSON_ONLY(json, "format", "version", "name", "moment")) {
        return false;
    }
    if (!read_graph_head(reader)) {
        return false;
    }
    if (then) {
        return read_items(reader, "tiers", read_graph_tier) && sw_then_json_read(json, reader->builder);
    }
    sw_json_enter(json, "moment");
    bool good = sw_moment_json_read(json, reader->builder);
    sw_json_leave(json);
    return good;
}

static bool read_graph_file(struct graph_reader *reader) {
    struct sw_json *json = &reader->json;
    uint64_t outside = 0, least = 0;
    const char *inplace = NULL;
    bool more = false;
    if (json_is_object(json->root) && sw_json_value(json, "moment")) {
        return read_moment_graph(reader);
    }
    if (!SW_JSON_ONLY(json, "format", "version", "name", "alignment", "tiers", "units", "functions", "overlays",
                      "separate", "reserved", "operators", "buffers", "offsets", "outside", "least_arena",
                      "more_outside", "inplace") ||
        !read_graph_head(reader) || !sw_json_unsigned(json, "outside", 0, SW_MAX_BYTES, &outside) ||
        !sw_json_unsigned(json, "least_arena", 0, SW_MAX_BYTES, &least) || !sw_json_flag(json, "more_outside", &more)) {
        return false;
    }
    sw_builder_outside(reader->builder, outside, least, more);
    if (!sw_json_string(json, "inplace", &inplace)) {
        return false;
    }
    if (inplace && strcmp(inplace, "safe") != 0) {
        return sw_json_fail(json, "inplace", "\"inplace\" of a graph must be \"safe\"");
    }
    if (inplace) {
        sw_builder_inplace(reader->builder, true);
    }
    return sw_json_need(json, "operators") && sw_json_need(json, "buffers") &&
           read_items(reader, "tiers", read_graph_tier) && read_items(reader, "units", read_unit) &&
           read_items(reader, "functions", read_graph_function) && read_items(reader, "buffers", read_graph_buffer) &&
           read_items(reader, "overlays", read_overlay) && read_items(reader, "operators", read_json_operator) &&
           read_items(reader, "separate", read_separate) && read_items(reader, "reserved", read_reserved);
}

static bool read_tiers(struct graph_reader *reader) {
    struct sw_json *json = &reader->json;
    return SW_JSON_ONLY(json, "tiers") && sw_json_need(json, "tiers") && read_items(reader, "tiers", read_graph_tier) &&
           (json_array_size(sw_json_value(json, "tiers")) > 0 ||
            sw_json_fail(json, "tiers", "there must be at least one tier"));
}

static bool read_with(const struct sw_input *input, struct sw_builder *builder, bool (*read)(struct graph_reader *),
                      struct sw_error *error) {
    struct graph_reader reader = {.builder = builder};
    if (!sw_json_open(&reader.json, input, error)) {
        return false;
    }
    bool good = read(&reader);
    reader_done(&reader);
    sw_json_close(&reader.json);
    sw_json_refine(input, good ? NULL : error);
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

/* An object that no other format claims: then wrong JSON gets its error from here. One that Python printed is none. */
static bool graph_detect(const struct sw_input *input) {
    const char *end = sw_text_end(input);
    const char *at = sw_json_skip_space(sw_text_begin(input), end);
    const char *key = at < end && *at == '{' ? sw_json_skip_space(at + 1, end) : end;
    return at < end && *at == '{' && (key == end || *key != '\'');
}

const struct sw_format sw_format_graph_json = {
    .name = "graph-json",
    .summary = "stowage's own graphs: operators and buffers; first and last are both inside",
    .extensions = ".json",
    .detect = graph_detect,
    .read = graph_read,
    .lossless = true,
    .holds_moments = true,
    .write_problem = sw_graph_json_write,
};
