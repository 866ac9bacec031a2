/* MLIR with buffers in it. What memref.alloc and IREE's stream.resource.alloca make lives from its line to the last
 * that names it, or one of its views; inside of a loop, to the end of the loop. IREE's stream.resource.pack lists
 * slices with lifetimes of their own. Times are lines; each pack's times stand behind them. Offsets are in the text
 * only where one allocation has views at constant places.
 *
 * No dialect is known here: names of values, braces and a handful of operations are enough. */
#include "formats/compilers/mlir.h"
#include "base/base.h"
#include "base/sort.h"

#define MOST_SCANNED ((size_t)1 << 28) /* bytes, where functions stand within the arguments of others */

/* ---- buffers ---- */

bool mlir_find_tier(struct mlir *reader, struct sw_input_text name, const char **tier) {
    for (uint32_t i = 0; i < reader->tier_count; i++) {
        if (sw_text_is(name, reader->tiers[i])) {
            *tier = reader->tiers[i];
            return true;
        }
    }
    if (reader->tier_count == SW_MAX_TIERS) {
        return mlir_fail(reader, reader->at, "more than %d memories, or packs", SW_MAX_TIERS);
    }
    *tier = sw_arena_string(&reader->arena, name.at, name.length);
    reader->tiers[reader->tier_count++] = *tier;
    return *tier != NULL || sw_fail_memory(reader->error);
}

bool mlir_add_buffer(struct mlir *reader, struct mlir_buffer *buffer) {
    if (reader->buffers.count >= SW_NONE / 8) {
        return mlir_fail(reader, buffer->at, "too many buffers");
    }
    buffer->loop = buffer->merged = SW_NONE;
    buffer->line = reader->line;
    return SW_PUSH(&reader->buffers, *buffer) || sw_fail_memory(reader->error);
}

bool mlir_define_buffer(struct mlir *reader, struct mlir_buffer *buffer) {
    return (sw_names_set(&reader->values, buffer->name.at, buffer->name.length, (uint32_t)reader->buffers.count) ||
            sw_fail_memory(reader->error)) &&
           mlir_add_buffer(reader, buffer);
}

/* "alignment = 64 : i64" in the list that begins at `at`. */
static bool read_mlir_alignment(struct mlir *reader, const char *at, const char *stop, uint64_t *alignment) {
    const char *value = mlir_attribute(at + 1, stop, "alignment"), *from = value;
    if (value && (!sw_take_number(&value, stop, alignment) || *alignment > SW_MAX_ALIGNMENT)) {
        return mlir_fail(reader, from, "the alignment is not a number up to 2^30");
    }
    return true;
}

/* Behind what is in brackets between an allocation's operation and its type: operands, attributes. */
static const char *skip_operands(struct mlir *reader, const char *at, uint64_t *alignment, bool *good) {
    /* gpu.alloc async [%token] host_shared (%n) */
    const char *end = reader->end;
    at += at < end && *at == '"';
    for (at = mlir_skip(at, end); at < end; at = mlir_skip(at, end)) {
        if (sw_text_in(mlir_word(at, end), "async host_shared")) {
            at += mlir_word(at, end).length;
            continue;
        }
        if (!strchr("([{<", *at)) {
            break;
        }
        bool properties = mlir_starts(at, end, "<{");
        const char *stop = mlir_close(at, end), *list = at + properties;
        if (!stop) {
            return NULL;
        }
        if (*list == '{' && !read_mlir_alignment(reader, list, stop - properties, alignment)) {
            *good = false;
            return NULL;
        }
        at = stop + 1;
    }
    return at;
}

/* "%alloc = memref.alloc(%n) {alignment = 64 : i64} : memref<4x?xf32, 1>", and the same in MLIR's generic form:
 * "memref.alloc"(%n) <{alignment = 64 : i64}> : (index) -> memref<...>. */
static bool read_mlir_alloc(struct mlir *reader, const char *at) {
    const char *end = reader->end;
    struct mlir_buffer buffer = {.at = reader->op.at, .first = reader->line, .last = reader->line, .arena = SW_NONE};
    bool good = true;
    const char *open = at, *type = skip_operands(reader, at, &buffer.alignment, &good), *close = type;
    if (!good) {
        return false;
    }
    type = type && type < end && *type == ':' ? mlir_skip(type + 1, end) : NULL;
    if (type && type < end && *type == '(') { /* the types of the operands */
        type = mlir_close(type, end);
        type = type ? mlir_skip(type + 1, end) : NULL;
        type = type && mlir_starts(type, end, "->") ? mlir_skip(type + 2, end) : NULL;
    }
    if (reader->results.count == 0 || !type || !mlir_starts(mlir_resolve(reader, type), end, "memref<")) {
        return mlir_fail(reader, reader->op.at, "this is no allocation: %%name = memref.alloc() : memref<4x8xf32>");
    }
    buffer.name = reader->results.items[0];
    struct sw_input_text stack = {"stack", strlen("stack")}, heap = {"memory", strlen("memory")};
    if (!mlir_memref(reader, type, open, close, &buffer)) {
        return false;
    }
    struct sw_input_text space = buffer.space.length > 0                                     ? buffer.space
                                 : sw_text_in(reader->op, "memref.alloca alloca std.alloca") ? stack
                                                                                             : heap;
    return mlir_find_tier(reader, space, &buffer.tier) && mlir_define_buffer(reader, &buffer);
}

/* ---- statements ---- */

static uint32_t outermost_loop(const struct mlir *reader, const char *since) {
    const uint32_t *running = reader->running.items;
    size_t at = SW_FIRST(i, reader->running.count, reader->loops.items[running[i]].at > since);
    return at < reader->running.count ? running[at] : SW_NONE;
}

static void use_in_blocks(struct mlir *reader, struct mlir_buffer *buffer) {
    buffer->last = reader->line;
    buffer->loop = buffer->loop == SW_NONE ? outermost_loop(reader, buffer->at) : buffer->loop;
    buffer->output |= sw_text_in(reader->op, "return func.return util.return");
}

/* A value is named: `views` says that it only gets another name. A view of an arena begins where something is done with
 * it; in a loop it may hold what the round before has left. */
static void use_value(struct mlir *reader, uint32_t number, bool views) {
    /* Frees, and the header that an argument stands in. */
    static const char idle[] =
        "memref.dealloc dealloc std.dealloc gpu.dealloc memref.assume_alignment func.func util.func func gpu.func "
        "builtin.func llvm.func";
    struct mlir_buffer *buffer = &reader->buffers.items[number];
    bool free = sw_text_in(reader->op, idle);
    if (buffer->arena != SW_NONE) {
        use_in_blocks(reader, &reader->buffers.items[buffer->arena]);
        if (views || free) {
            return;
        }
        uint32_t loop = outermost_loop(reader, buffer->at);
        if (!buffer->used) {
            buffer->first = loop == SW_NONE ? reader->line : reader->loops.items[loop].first;
        }
        buffer->used = true;
    }
    buffer->whole |= !views && !free;
    use_in_blocks(reader, buffer);
}

/* The values that a statement makes, and its operation. All names that it makes mean nothing else from here on. */
static bool begin_statement(struct mlir *reader) {
    const char *at = reader->at, *end = reader->end;
    struct sw_input_text name;
    reader->results.count = 0;
    while (at < end && (*at == '}' || *at == ' ')) {
        at++;
    }
    const char *from = at;
    while (mlir_value(&at, end, &name)) {
        if (!SW_PUSH(&reader->results, name)) {
            return sw_fail_memory(reader->error);
        }
        if (at < end && *at == ':') { /* so many results */
            uint64_t count;
            at++;
            sw_take_number(&at, end, &count);
        }
        at = mlir_skip(at, end);
        if (at == end || *at != ',') {
            break;
        }
        at = mlir_skip(at + 1, end);
    }
    reader->listed = at;
    bool assigned = reader->results.count > 0 && at < end && *at == '=';
    reader->results.count = assigned ? reader->results.count : 0;
    at = assigned ? mlir_skip(at + 1, end) : from;
    /* A line may go on with the statement before it. */
    static const char clauses[] =
        "to iter_args step ins outs attributes init in args threads blocks with into shared_outs and await memref "
        "tensor vector index";
    struct sw_input_text op = mlir_word(at + (at < end && *at == '"'), end);
    reader->op = op.length > 0 && (assigned || !sw_text_in(op, clauses)) ? op : reader->op;
    for (size_t i = 0; i < reader->results.count; i++) {
        if (sw_names_find(&reader->values, reader->results.items[i].at, reader->results.items[i].length) != SW_NONE &&
            !sw_names_set(&reader->values, reader->results.items[i].at, reader->results.items[i].length, SW_NONE)) {
            return sw_fail_memory(reader->error);
        }
    }
    return true;
}

/* "(%arg0: memref<4xi8> {attr}, %arg1: index)" */
static bool read_arguments(struct mlir *reader, const char *at) {
    const char *end = reader->end, *stop = NULL;
    struct sw_input_text name;
    while (at < end && *at != '(' && *at != '{' && *at != '\n') {
        at++;
    }
    stop = at < end && *at == '(' && reader->scanned < MOST_SCANNED ? mlir_close(at, end) : NULL;
    reader->scanned += (size_t)((stop ? stop : end) - at);
    for (at++; stop && at < stop;) {
        const char *next = mlir_part(at, stop);
        at = mlir_skip(at, stop);
        if (mlir_value(&at, stop, &name) && (at = mlir_skip(at, stop), at < stop && *at == ':')) {
            const char *type = mlir_skip(at + 1, stop);
            reader->arguments += mlir_starts(mlir_resolve(reader, type), end, "memref<");
            if (!mlir_add_foreign(reader, name, type)) {
                return false;
            }
        }
        at = next + 1;
    }
    return true;
}

static bool begin_function(struct mlir *reader, const char *at) {
    bool function = !sw_text_in(reader->op, "builtin.module module");
    sw_names_clear(&reader->values);
    sw_names_clear(&reader->constants);
    sw_names_clear(&reader->packed);
    reader->functions++;
    mlir_read_config(reader, at, function);
    return !function || read_arguments(reader, at);
}

/* "%0 = memref.get_global @arena : memref<64xi8>": it has the global's name. */
static bool read_global(struct mlir *reader, const char *at) {
    const char *end = reader->end;
    at = mlir_skip(at, end);
    if (at == end || *at != '@') {
        return true;
    }
    struct sw_input_text name = mlir_word(at + 1, end);
    at = mlir_skip(name.at + name.length, end);
    size_t before = reader->buffers.count;
    if (at == end || *at != ':' || !mlir_add_foreign(reader, reader->results.items[0], mlir_skip(at + 1, end))) {
        return at == end || *at != ':';
    }
    if (reader->buffers.count > before && name.length > 0) {
        reader->buffers.items[before].name = name;
    }
    return true;
}

/* "!tile = memref<4x8xf32>", "#map = affine_map<...>": another name of a type or of an attribute. */
static bool read_alias(struct mlir *reader) {
    struct sw_input_text name = mlir_word(reader->at + 1, reader->end);
    const char *at = mlir_skip(name.at + name.length, reader->end);
    if (name.length == 0 || at == reader->end || *at != '=' || reader->end - reader->input->bytes > INT32_MAX) {
        return true;
    }
    name.at--;
    name.length++;
    uint32_t place = (uint32_t)(mlir_skip(at + 1, reader->end) - sw_text_begin(reader->input));
    return sw_names_set(&reader->aliases, name.at, name.length, place) || sw_fail_memory(reader->error);
}

static bool read_statement(struct mlir *reader) {
    static const char functions[] = "func.func util.func func llvm.func gpu.func builtin.module module builtin.func";
    static const char allocs[] = "memref.alloc memref.alloca alloc alloca std.alloc std.alloca gpu.alloc";
    if (*reader->at == '!' || *reader->at == '#') {
        return read_alias(reader);
    }
    if (!begin_statement(reader)) {
        return false;
    }
    struct sw_input_text op = reader->op;
    const char *at = op.at + op.length;
    if (reader->results.count == 0) {
        return !sw_text_in(op, functions) || begin_function(reader, at);
    }
    if (sw_text_in(op, allocs)) {
        return read_mlir_alloc(reader, at);
    }
    if (sw_text_in(op, "stream.resource.alloca stream.resource.alloc")) {
        return mlir_read_resource(reader, at);
    }
    if (sw_text_is(op, "memref.get_global")) {
        return read_global(reader, at);
    }
    return sw_text_is(op, "stream.resource.pack") ? mlir_read_pack(reader, at) : mlir_read_number(reader, at);
}

/* "%view = memref.subview %0[...]": from its first operand; "%0 as %arg1", "%arg1 = %0" in a loop's variables. */
static bool rename_value(struct mlir *reader, struct sw_input_text old, struct sw_input_text name) {
    uint32_t number = sw_names_find(&reader->values, old.at, old.length);
    return number == SW_NONE || sw_names_set(&reader->values, name.at, name.length, number) ||
           sw_fail_memory(reader->error);
}

/* The first operand of a view. */
static bool view_value(struct mlir *reader, struct sw_input_text name, uint32_t number) {
    bool made = false;
    return (number == SW_NONE || mlir_read_view(reader, number, reader->at, &made)) &&
           (made || rename_value(reader, name, reader->results.items[0]));
}

static bool read_mlir_value(struct mlir *reader, bool *viewed) {
    struct sw_input_text name, other;
    const char *end = reader->end;
    if (!mlir_value(&reader->at, end, &name)) {
        reader->at++;
        return true;
    }
    for (size_t i = 0; i < reader->results.count && i < 64; i++) {
        if (reader->results.items[i].at == name.at) {
            return true;
        }
    }
    uint32_t number = sw_names_find(&reader->values, name.at, name.length);
    bool view = !*viewed && reader->results.count == 1 && mlir_is_view(reader->op);
    if (number != SW_NONE) {
        use_value(reader, number, view);
    }
    *viewed |= view;
    if (view && !view_value(reader, name, number)) {
        return false;
    }
    const char *at = mlir_skip(reader->at, end);
    bool as = mlir_starts(at, end, "as %"), is = mlir_starts(at, end, "= %");
    if (as || is) {
        at += as ? 3 : 2;
        if (mlir_value(&at, end, &other)) {
            return as ? rename_value(reader, name, other) : rename_value(reader, other, name);
        }
    }
    return true;
}

static bool open_brace(struct mlir *reader) {
    static const char loops[] = "scf.for scf.while scf.forall scf.parallel affine.for affine.parallel do";
    uint32_t loop = SW_NONE;
    reader->at++;
    if (sw_text_in(reader->op, loops)) {
        loop = (uint32_t)reader->loops.count;
        if (!SW_PUSH(&reader->loops, (struct mlir_loop){reader->op.at, reader->line, INT64_MAX}) ||
            !SW_PUSH(&reader->running, loop)) {
            return sw_fail_memory(reader->error);
        }
    }
    return SW_PUSH(&reader->open, loop) || sw_fail_memory(reader->error);
}

static void close_brace(struct mlir *reader) {
    reader->at++;
    if (reader->open.count == 0) {
        return;
    }
    uint32_t loop = reader->open.items[--reader->open.count];
    if (loop != SW_NONE) {
        reader->loops.items[loop].end = reader->line;
        reader->running.count--;
    }
}

static bool read_mlir(struct mlir *reader) {
    bool starts = true, viewed = false;
    while (reader->at < reader->end) {
        char c = *reader->at;
        if (c == '\n') {
            reader->line += reader->line < UINT32_MAX;
            reader->at++;
            starts = true;
        } else if (mlir_starts(reader->at, reader->end, "//")) {
            const char *stop = memchr(reader->at, '\n', (size_t)(reader->end - reader->at));
            reader->at = stop ? stop : reader->end;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            reader->at++;
        } else if (starts) {
            starts = viewed = false;
            if (reader->at >= reader->listed && !read_statement(reader)) {
                return false;
            }
        } else if (c == '"') {
            reader->at = mlir_skip_text(reader->at, reader->end);
        } else if (c == '{') {
            if (!open_brace(reader)) {
                return false;
            }
        } else if (c == '}') {
            close_brace(reader);
        } else if (c == '%') {
            if (!read_mlir_value(reader, &viewed)) {
                return false;
            }
        } else {
            reader->at++;
        }
    }
    return true;
}

/* ---- to the builder ---- */

/* An argument is the caller's; a view is a buffer, and its arena none, where views are a plan. */
static bool is_mlir_listed(const struct mlir *reader, const struct mlir_buffer *buffer) {
    if (reader->planned) {
        return buffer->arena != SW_NONE && buffer->used && buffer->merged == SW_NONE &&
               mlir_is_arena(&reader->buffers.items[buffer->arena]);
    }
    return !buffer->foreign && buffer->arena == SW_NONE;
}

static bool add_mlir_buffers(struct mlir *reader) {
    struct sw_unique unique = {0};
    bool good = true;
    for (size_t i = 0; good && i < reader->buffers.count; i++) {
        const struct mlir_buffer *buffer = &reader->buffers.items[i];
        if (!is_mlir_listed(reader, buffer)) {
            continue;
        }
        int64_t end = buffer->loop == SW_NONE ? 0 : reader->loops.items[buffer->loop].end;
        end = end == INT64_MAX ? reader->line : end;
        const char *text = sw_unique_text(&reader->arena, buffer->name.at, buffer->name.length);
        const char *name = sw_unique_name(&unique, &reader->arena, text);
        struct sw_buffer_spec spec = sw_told_buffer(name, buffer->size, buffer->first, SW_MAX(buffer->last, end));
        spec.kind = buffer->output ? SW_KIND_OUTPUT : SW_KIND_INTERMEDIATE;
        spec.dtype = buffer->dtype;
        spec.alignment = buffer->alignment;
        spec.has_offset = reader->planned;
        spec.offset = buffer->offset;
        spec.tier = reader->tier_count > 1 ? buffer->tier : NULL;
        sw_builder_at(reader->builder, buffer->line, 1);
        good = name ? sw_builder_buffer(reader->builder, &spec, reader->error) : sw_fail_memory(reader->error);
    }
    sw_unique_done(&unique);
    return good;
}

static bool add_mlir_tiers(struct mlir *reader) {
    if (reader->planned) {
        sw_builder_offsets(reader->builder, SW_OFFSETS_PLAN);
    }
    for (uint32_t i = 0; reader->tier_count > 1 && i < reader->tier_count; i++) {
        struct sw_tier tier = {.name = reader->tiers[i], .capacity = SW_UNBOUNDED};
        if (!sw_builder_tier(reader->builder, &tier, reader->error)) {
            return false;
        }
    }
    return true;
}

/* What views of one allocation are: a plan, or not. */
static bool note_views(struct mlir *reader) {
    struct sw_builder *builder = reader->builder;
    struct sw_error *error = reader->error;
    if (reader->beside > 0) {
        return sw_notef(builder, error,
                        "views lay out an allocation at constant offsets, but %zu others stand beside it: it counts as "
                        "one buffer",
                        reader->beside);
    }
    for (size_t i = 0; reader->planned && i < reader->buffers.count; i++) {
        const struct mlir_buffer *root = &reader->buffers.items[i];
        if (mlir_is_arena(root) &&
            !sw_notef(builder, error,
                      "the %" PRIu32 " views of %.*s (%s bytes) are a finished plan: a view lives from the "
                      "first statement that reads or writes it to the last; views of the same "
                      "bytes, or within "
                      "others, that live together are one buffer",
                      root->views, (int)root->name.length, root->name.at, SW_COUNT(root->size))) {
            return false;
        }
    }
    return reader->unused_views == 0 ||
           sw_notef(builder, error, "left out: %" PRIu32 " views that nothing uses", reader->unused_views);
}

static bool note_packs(struct mlir *reader) {
    struct sw_builder *builder = reader->builder;
    struct sw_error *error = reader->error;
    return (reader->packs == 0 || sw_notef(builder, error,
                                           "%" PRIu32 " stream.resource.pack: each a memory of its "
                                           "own, their slices with the lifetimes that "
                                           "IREE gives them, both ends inside, behind the lines "
                                           "and each pack behind the other; sizes are rounded up to multiples of "
                                           "min_buffer_range_alignment where the text gives it",
                                           reader->packs)) &&
           (reader->arenas == 0 ||
            sw_notef(builder, error, "left out: %" PRIu32 " allocations that the slices of a pack lie in",
                     reader->arenas));
}

static bool add_mlir_notes(struct mlir *reader) {
    struct sw_builder *builder = reader->builder;
    struct sw_error *error = reader->error;
    return sw_builder_note(builder,
                           "times are lines of the text: a buffer lives from the line that allocates it to the "
                           "last "
                           "that names it or a view of it, or to the end of a loop around that, both inclusive",
                           error) &&
           sw_builder_note(builder,
                           "functions stand one after the other as in the text; what calls which "
                           "is not followed",
                           error) &&
           (reader->arguments == 0 ||
            sw_notef(builder, error, "left out: %" PRIu32 " arguments of functions, which are the caller's",
                     reader->arguments)) &&
           (reader->layouts == 0 ||
            sw_notef(builder, error,
                     "%" PRIu32 " memrefs have a layout by an affine map that is more than an order of the dimensions: "
                     "their elements count side by side",
                     reader->layouts)) &&
           note_views(reader) && note_packs(reader);
}

static bool check_lengths(struct mlir *reader) {
    return sw_lengths_check(&reader->lengths, reader->input, "no size depends on a value of this name",
                            "a size depends on", "", reader->error);
}

/* A buffer is allocated, or an argument or a global is laid out. */
static bool check_buffers(struct mlir *reader) {
    for (size_t i = 0; i < reader->buffers.count; i++) {
        if (is_mlir_listed(reader, &reader->buffers.items[i])) {
            return true;
        }
    }
    return mlir_fail(reader, reader->end,
                     "no buffer is allocated here: no memref.alloc, stream.resource.alloca or "
                     "stream.resource.pack");
}

static bool mlir_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                      struct sw_error *error) {
    struct mlir reader = {.input = input,
                          .builder = builder,
                          .error = error,
                          .lengths = {.given = options ? options->dims : NULL},
                          .at = sw_text_begin(input),
                          .listed = sw_text_begin(input),
                          .end = sw_text_end(input),
                          .line = 1,
                          .op = {"", 0}};
    if (!sw_text_check(input, error)) {
        return false;
    }
    for (const char *at = reader.at; at < reader.end; at++) {
        reader.clock += *at == '\n';
    }
    reader.clock += 2;
    mlir_first_config(&reader);
    bool good = read_mlir(&reader) && check_lengths(&reader) && mlir_settle_views(&reader) && check_buffers(&reader) &&
                add_mlir_tiers(&reader) && add_mlir_buffers(&reader) && add_mlir_notes(&reader);
    SW_ARRAY_DONE(&reader.results, &reader.buffers, &reader.loops, &reader.open, &reader.running, &reader.numbers);
    sw_names_done(&reader.values);
    sw_names_done(&reader.constants);
    sw_names_done(&reader.packed);
    sw_names_done(&reader.aliases);
    sw_lengths_done(&reader.lengths);
    sw_arena_done(&reader.arena);
    return good;
}

static bool has_word(const struct sw_input *input, const char *word) {
    const char *at = sw_text_begin(input);
    return memmem(at, (size_t)(sw_text_end(input) - at), word, strlen(word)) != NULL;
}

/* It begins as MLIR does, and allocates something. */
static bool mlir_detect(const struct sw_input *input) {
    static const char *const begins[] = {"module",    "builtin.module", "\"builtin.module\"",
                                         "func.func", "util.func",      "func @",
                                         "hal.",      "stream.",        "flow.",
                                         "memref.",   "util.",          "#",
                                         "!",         "gpu.module",     "spirv.module"};
    static const char *const makes[] = {"= memref.alloc",
                                        "= \"memref.alloc",
                                        "= alloc(",
                                        "= alloca(",
                                        "= std.alloc",
                                        "= gpu.alloc",
                                        "= memref.view ",
                                        "= \"memref.view\"",
                                        "= stream.resource.alloc",
                                        "= stream.resource.pack"};
    const char *at = sw_text_begin(input), *end = sw_text_end(input);
    for (at = mlir_skip(at, end); mlir_starts(at, end, "//"); at = mlir_skip(at, end)) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        at = stop ? stop : end;
    }
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        if (mlir_starts(at, end, begins[i])) {
            for (size_t k = 0; k < sizeof makes / sizeof *makes; k++) {
                if (has_word(input, makes[k])) {
                    return true;
                }
            }
            return false;
        }
    }
    return false;
}

const struct sw_format sw_format_mlir = {
    .name = "mlir",
    .summary = "MLIR with memref.alloc or views of an arena, IREE's stream.resource.alloca and stream.resource.pack: "
               "times are lines, a pack's its "
               "own; both ends are inside",
    .extensions = ".mlir",
    .heeds = SW_HEEDS_DIMS,
    .detect = mlir_detect,
    .read = mlir_read,
};
