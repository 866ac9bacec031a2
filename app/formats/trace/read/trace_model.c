#include "formats/trace/read/trace_model.h"
#include "base/base.h"
#include "base/sort.h"

/* ---- values, with errors ---- */

bool sw_trace_fail(const struct sw_trace_where *where, struct sw_trace_value value, const char *format, ...) {
    char message[SW_MESSAGE];
    SW_FORMAT_INTO(message, format);
    const char *at = value.type == SW_TRACE_ABSENT ? where->piece->begin : value.text - sw_trace_is_text(value);
    return sw_trace_text_fail(where->text, where->piece, where->line, at, where->error, "%s", message);
}

bool sw_trace_bytes(const struct sw_trace_where *where, const struct sw_trace_object *object, enum sw_trace_key key,
                    uint64_t most, uint64_t *to) {
    struct sw_trace_value value = object->values[key];
    uint64_t number;
    if (value.type == SW_TRACE_ABSENT || value.type == SW_TRACE_NULL) {
        return true;
    }
    if (!sw_trace_unsigned(value, &number) || number > most) {
        return sw_trace_fail(where, value, "%s must be a whole number from 0 to %" PRIu64, sw_trace_key_word(key),
                             most);
    }
    *to = number;
    return true;
}

bool sw_trace_time(const struct sw_trace_where *where, const struct sw_trace_object *object, enum sw_trace_key key,
                   int64_t *to) {
    struct sw_trace_value value = object->values[key];
    int64_t number;
    if (value.type == SW_TRACE_ABSENT || value.type == SW_TRACE_NULL) {
        return true;
    }
    if (!sw_trace_signed(value, &number) || number < -SW_MAX_TIME || number > SW_LAST_TIME) {
        return sw_trace_fail(where, value, "%s must be a whole number between -2^62 and 2^62", sw_trace_key_word(key));
    }
    *to = number;
    return true;
}

/* A name, in the model's memory. */
static bool read_trace_name(struct sw_trace_model *model, const struct sw_trace_where *where,
                            struct sw_trace_value value, const char *what, const char **name) {
    if (!sw_trace_is_text(value) || value.length == 0) {
        return sw_trace_fail(where, value, "%s must be a text that is not empty", what);
    }
    *name = sw_trace_string(&model->arena, value);
    return *name || sw_fail_memory(where->error);
}

static bool has_value(const struct sw_trace_object *object, enum sw_trace_key key) {
    return object->values[key].type > SW_TRACE_NULL;
}

/* ---- tiers ---- */

static bool take_tier(struct sw_trace_model *model, const struct sw_trace_where *where,
                      const struct sw_trace_object *object, struct sw_trace_value name) {
    struct sw_tier tier = {.capacity = 0};
    uint64_t alignment = 0;
    if (!read_trace_name(model, where, name, "the name of a tier", &tier.name) ||
        !sw_trace_bytes(where, object, SW_TRACE_CAPACITY, SW_MAX_BYTES, &tier.capacity) ||
        !sw_trace_bytes(where, object, SW_TRACE_ALIGNMENT, SW_MAX_ALIGNMENT, &alignment)) {
        return false;
    }
    tier.capacity = tier.capacity ? tier.capacity : SW_UNBOUNDED;
    model->alignment = model->alignment ? model->alignment : alignment; /* of the first tier that tells one */
    for (size_t i = 0; i < model->tiers.count; i++) {
        if (strcmp(model->tiers.items[i].name, tier.name) == 0) {
            model->tiers.items[i] = tier;
            return true;
        }
    }
    if (model->tiers.count == SW_MAX_TIERS) {
        return sw_trace_fail(where, name, "%d tiers are the most that a problem may have", SW_MAX_TIERS);
    }
    return SW_PUSH(&model->tiers, tier) || sw_fail_memory(where->error);
}

bool sw_trace_model_tier(struct sw_trace_model *model, const struct sw_trace_where *where,
                         const struct sw_trace_object *object) {
    return take_tier(model, where, object, object->values[SW_TRACE_TIER]);
}

bool sw_trace_model_header(struct sw_trace_model *model, const struct sw_trace_where *where,
                           const struct sw_trace_object *object) {
    struct sw_trace_items tiers = sw_trace_items(object->values[SW_TRACE_TIERS]);
    struct sw_trace_value item, name = object->values[SW_TRACE_MODEL];
    if (sw_trace_is_text(name) && name.length > 0 && !read_trace_name(model, where, name, "model", &model->name)) {
        return false;
    }
    if (!sw_trace_bytes(where, object, SW_TRACE_ALIGNMENT, SW_MAX_ALIGNMENT, &model->alignment)) {
        return false;
    }
    while (sw_trace_items_next(&tiers, &item)) {
        struct sw_trace_object tier;
        sw_trace_object_inside(&tier, item);
        if (!take_tier(model, where, &tier, has_value(&tier, SW_TRACE_NAME) ? tier.values[SW_TRACE_NAME] : item)) {
            return false;
        }
    }
    return true;
}

bool sw_trace_model_graph(struct sw_trace_model *model, const struct sw_trace_where *where,
                          const struct sw_trace_object *object, const struct sw_load_options *options,
                          struct sw_builder *builder) {
    struct sw_trace_value graph = object->values[SW_TRACE_GRAPH];
    if (graph.type != SW_TRACE_OBJECT) {
        return sw_trace_fail(where, graph, "graph must be an object, as in a graph in JSON");
    }
    struct sw_input input = {.name = where->text->input.name, .bytes = graph.text, .length = graph.length};
    model->has_graph = true;
    bool good = sw_format_read(&sw_format_graph_json, &input, options, builder, where->error);
    if (!good && where->error->code == SW_ERROR_INPUT) { /* its line is the first of the value */
        where->error->column += where->error->line == 1 ? (uint32_t)(graph.text - where->piece->begin) : 0;
        where->error->line = where->line;
    }
    return good;
}

/* ---- operators ---- */

static bool take_names(struct sw_trace_model *model, const struct sw_trace_where *where, struct sw_trace_value list,
                       struct sw_trace_operator *operator_, unsigned which) {
    struct sw_trace_items items = sw_trace_items(list);
    struct sw_trace_value item;
    if (list.type > SW_TRACE_NULL && list.type != SW_TRACE_LIST) {
        return sw_trace_fail(where, list, "inputs, outputs and scratch are lists of names");
    }
    while (sw_trace_items_next(&items, &item)) {
        const char *name = NULL;
        if (!read_trace_name(model, where, item, "the name of a buffer", &name)) {
            return false;
        }
        bool known = false;
        for (size_t i = 0; i < operator_->lists[which].count && i < 64; i++) {
            known |= strcmp(operator_->lists[which].items[i], name) == 0;
        }
        if (!known && !SW_PUSH(&operator_->lists[which], name)) {
            return sw_fail_memory(where->error);
        }
    }
    return true;
}

static struct sw_trace_operator *find_trace_operator(struct sw_trace_model *model, const char *name, uint32_t line) {
    uint32_t known = sw_names_find(&model->operators, name, strlen(name));
    if (known != SW_NONE) {
        return &model->operator_list.items[known];
    }
    struct sw_trace_operator fresh = {.name = name, .line = line};
    if (!sw_names_set(&model->operators, name, strlen(name), (uint32_t)model->operator_list.count) ||
        !SW_PUSH(&model->operator_list, fresh)) {
        return NULL;
    }
    return &model->operator_list.items[model->operator_list.count - 1];
}

bool sw_trace_model_operator(struct sw_trace_model *model, const struct sw_trace_where *where,
                             const struct sw_trace_object *object) {
    const char *name = NULL;
    if (!read_trace_name(model, where, object->values[SW_TRACE_OPERATOR], "the name of an operator", &name)) {
        return false;
    }
    struct sw_trace_operator *operator_ = find_trace_operator(model, name, where->line);
    if (!operator_) {
        return sw_fail_memory(where->error);
    }
    if (has_value(object, SW_TRACE_AT)) {
        operator_->has_at = true;
        if (!sw_trace_time(where, object, SW_TRACE_AT, &operator_->at)) {
            return false;
        }
    }
    return take_names(model, where, object->values[SW_TRACE_INPUTS], operator_, 0) &&
           take_names(model, where, object->values[SW_TRACE_OUTPUTS], operator_, 1) &&
           take_names(model, where, object->values[SW_TRACE_SCRATCH], operator_, 2);
}

/* ---- buffers ---- */

static bool read_trace_pieces(struct sw_trace_model *model, const struct sw_trace_where *where,
                              struct sw_trace_value list, struct sw_buffer_spec *spec) {
    struct sw_trace_items items = sw_trace_items(list);
    struct sw_trace_value item;
    size_t count = 0;
    while (sw_trace_items_next(&items, &item)) {
        count++;
    }
    struct sw_piece_spec *pieces = sw_arena_new(&model->arena, count + 1, sizeof *pieces);
    if (!pieces) {
        return sw_fail_memory(where->error);
    }
    items = sw_trace_items(list);
    for (size_t i = 0; i < count && sw_trace_items_next(&items, &item); i++) {
        struct sw_trace_object piece;
        sw_trace_object_inside(&piece, item);
        pieces[i].hi = spec->size;
        if (!has_value(&piece, SW_TRACE_FIRST) || !has_value(&piece, SW_TRACE_LAST)) {
            return sw_trace_fail(where, item, "a piece has first and last");
        }
        if (!sw_trace_time(where, &piece, SW_TRACE_FIRST, &pieces[i].first) ||
            !sw_trace_time(where, &piece, SW_TRACE_LAST, &pieces[i].last) ||
            !sw_trace_bytes(where, &piece, SW_TRACE_LO, SW_MAX_BYTES, &pieces[i].lo) ||
            !sw_trace_bytes(where, &piece, SW_TRACE_HI, SW_MAX_BYTES, &pieces[i].hi)) {
            return false;
        }
    }
    spec->pieces = pieces;
    spec->piece_count = count;
    return true;
}

static bool read_buffer_kind(const struct sw_trace_where *where, struct sw_trace_value value, enum sw_kind *kind) {
    char word[32];
    if (value.type <= SW_TRACE_NULL) {
        return true;
    }
    sw_trace_text(value, word, sizeof word);
    return sw_kind_parse(word, kind) || sw_trace_fail(where, value, "the kind of a buffer is " SW_KIND_WORDS);
}

static bool read_spec(struct sw_trace_model *model, const struct sw_trace_where *where,
                      const struct sw_trace_object *object, struct sw_trace_buffer *buffer) {
    struct sw_buffer_spec *spec = &buffer->spec;
    spec->kind = SW_KIND_INTERMEDIATE;
    spec->has_size = true;
    spec->has_first = has_value(object, SW_TRACE_FIRST);
    spec->has_last = has_value(object, SW_TRACE_LAST);
    spec->has_offset = has_value(object, SW_TRACE_OFFSET);
    if (!has_value(object, SW_TRACE_SIZE)) {
        return sw_trace_fail(where, object->values[SW_TRACE_SIZE], "this buffer has no size");
    }
    if (!sw_trace_bytes(where, object, SW_TRACE_SIZE, SW_MAX_BYTES, &spec->size) ||
        !sw_trace_bytes(where, object, SW_TRACE_ALIGNMENT, SW_MAX_ALIGNMENT, &spec->alignment) ||
        !sw_trace_bytes(where, object, SW_TRACE_OFFSET, SW_MAX_BYTES, &spec->offset) ||
        !sw_trace_time(where, object, SW_TRACE_FIRST, &spec->first) ||
        !sw_trace_time(where, object, SW_TRACE_LAST, &spec->last) ||
        !read_buffer_kind(where, object->values[SW_TRACE_KIND], &spec->kind)) {
        return false;
    }
    if (spec->has_first && spec->has_last && spec->first > spec->last) {
        return sw_trace_fail(where, object->values[SW_TRACE_LAST], "this buffer ends before it begins");
    }
    if (has_value(object, SW_TRACE_TIER) &&
        !read_trace_name(model, where, object->values[SW_TRACE_TIER], "the name of a tier", &spec->tier)) {
        return false;
    }
    if (has_value(object, SW_TRACE_INPLACE_OF) &&
        !read_trace_name(model, where, object->values[SW_TRACE_INPLACE_OF], "inplace_of", &buffer->inplace_of)) {
        return false;
    }
    return object->values[SW_TRACE_PIECES].type != SW_TRACE_LIST ||
           read_trace_pieces(model, where, object->values[SW_TRACE_PIECES], spec);
}

static bool add_traced_buffer(struct sw_trace_model *model, const struct sw_trace_buffer *buffer,
                              struct sw_error *error) {
    uint32_t number = (uint32_t)model->buffer_list.count;
    return (sw_names_set(&model->buffers, buffer->name, strlen(buffer->name), number) &&
            SW_PUSH(&model->buffer_list, *buffer)) ||
           sw_fail_memory(error);
}

bool sw_trace_model_buffer(struct sw_trace_model *model, const struct sw_trace_where *where,
                           const struct sw_trace_object *object) {
    struct sw_trace_buffer buffer = {.line = where->line};
    if (!read_trace_name(model, where, object->values[SW_TRACE_BUFFER], "the name of a buffer", &buffer.name) ||
        !read_spec(model, where, object, &buffer)) {
        return false;
    }
    if (sw_names_find(&model->buffers, buffer.name, strlen(buffer.name)) != SW_NONE) {
        model->twice++;
        return true;
    }
    buffer.spec.name = buffer.name;
    return add_traced_buffer(model, &buffer, where->error);
}

/* ---- an allocator's events ---- */

uint32_t sw_trace_model_again(const struct sw_trace_model *model, struct sw_trace_value id) {
    char name[512];
    if (model->again.count == 0 || !sw_trace_is_text(id) || sw_trace_text(id, name, sizeof name) >= sizeof name) {
        return 0;
    }
    uint32_t count = sw_names_find(&model->again, name, strlen(name));
    return count == SW_NONE ? 0 : count;
}

/* The id has been allocated before: the buffer is another one. */
static bool name_again(struct sw_trace_model *model, const char *id, const char **name, struct sw_error *error) {
    uint32_t count = sw_names_find(&model->again, id, strlen(id));
    count = count == SW_NONE ? 2 : count + 1;
    char *made = sw_arena_new(&model->arena, strlen(id) + 16, 1);
    if (!made || !sw_names_set(&model->again, id, strlen(id), count)) {
        return sw_fail_memory(error);
    }
    snprintf(made, strlen(id) + 16, "%s#%" PRIu32, id, count);
    *name = made;
    return true;
}

/* One more request, of a buffer that is told already. Its time is that of the present event. */
static bool add_request(struct sw_trace_model *model, enum sw_request_kind kind, uint32_t buffer, uint32_t stream,
                        struct sw_error *error) {
    struct sw_request request = {.address = SW_NO_ADDRESS,
                                 .size = model->buffer_list.items[buffer].spec.size,
                                 .buffer = buffer,
                                 .time = (uint32_t)(model->events - 1),
                                 .stream = stream,
                                 .kind = (uint16_t)kind};
    return SW_PUSH(&model->requests->items, request) || sw_fail_memory(error);
}

/* The stream of an event, which may tell none, or none that is a number: then it is `usual`. */
static bool read_trace_stream(struct sw_trace_model *model, const struct sw_trace_where *where,
                              const struct sw_trace_object *object, uint32_t usual, uint32_t *stream) {
    int64_t name;
    *stream = usual;
    if (!sw_trace_signed(object->values[SW_TRACE_STREAM], &name)) {
        return true;
    }
    *stream = sw_stream_map_find(&model->streams, model->requests, name);
    return *stream != SW_NONE ||
           (model->requests->streams.count < SW_REQUESTS_MOST
                ? sw_fail_memory(where->error)
                : sw_trace_fail(where, object->values[SW_TRACE_STREAM], "%d streams are the most", SW_REQUESTS_MOST));
}

static bool read_trace_free(struct sw_trace_model *model, const struct sw_trace_where *where,
                            const struct sw_trace_object *object, uint32_t known) {
    struct sw_trace_buffer *freed = known == SW_NONE ? NULL : &model->buffer_list.items[known];
    uint32_t stream;
    if (!freed || !freed->live) {
        model->ignored_frees++;
        return true;
    }
    freed->live = false;
    freed->spec.last = model->events - 2;
    return read_trace_stream(model, where, object, freed->stream, &stream) &&
           add_request(model, SW_REQUEST_FREE, known, stream, where->error);
}

/* The request for what was added last. Where it is in place of what the event before freed, it takes over that block.
 * Should it not be able to, in a heap with other rules, the free that follows gives the block back. */
static bool add_alloc(struct sw_trace_model *model, const struct sw_trace_buffer *buffer, struct sw_error *error) {
    struct sw_requests *requests = model->requests;
    struct sw_request *last = requests->items.count > 0 ? &requests->items.items[requests->items.count - 1] : NULL;
    uint32_t number = (uint32_t)model->buffer_list.count - 1;
    uint32_t old =
        buffer->inplace_of ? sw_names_find(&model->buffers, buffer->inplace_of, strlen(buffer->inplace_of)) : SW_NONE;
    if (old == SW_NONE || !last || last->kind != SW_REQUEST_FREE || last->buffer != old) {
        return add_request(model, SW_REQUEST_ALLOC, number, buffer->stream, error);
    }
    uint32_t stream = last->stream;
    requests->items.count--;
    model->buffer_list.items[number].inplace_of = NULL; /* no pair of an operator: a request says it */
    if (!add_request(model, SW_REQUEST_OVER, number, buffer->stream, error)) {
        return false;
    }
    requests->items.items[requests->items.count - 1].over = old;
    return add_request(model, SW_REQUEST_FREE, old, stream, error);
}

bool sw_trace_model_event(struct sw_trace_model *model, const struct sw_trace_where *where,
                          const struct sw_trace_object *object) {
    bool alloc = has_value(object, SW_TRACE_ALLOC);
    const char *id = NULL;
    if (!read_trace_name(model, where, object->values[alloc ? SW_TRACE_ALLOC : SW_TRACE_FREE],
                         "the id of an allocation", &id)) {
        return false;
    }
    uint32_t known = sw_names_find(&model->buffers, id, strlen(id));
    int64_t now = model->events++;
    model->requests = model->requests ? model->requests : sw_requests_new();
    if (!model->requests) {
        return sw_fail_memory(where->error);
    }
    if (now >= SW_NONE / 4) {
        return sw_trace_fail(where, object->values[alloc ? SW_TRACE_ALLOC : SW_TRACE_FREE],
                             "a thousand million events are the most");
    }
    if (!alloc) {
        return read_trace_free(model, where, object, known);
    }
    struct sw_trace_buffer buffer = {.name = id, .line = where->line, .live = true};
    if (!read_spec(model, where, object, &buffer) ||
        (known != SW_NONE && !name_again(model, id, &buffer.name, where->error)) ||
        !read_trace_stream(model, where, object, 0, &buffer.stream)) {
        return false;
    }
    if (known != SW_NONE && model->buffer_list.items[known].live) { /* it was freed without a word */
        model->buffer_list.items[known].live = false;
        model->buffer_list.items[known].spec.last = now - 1;
        model->ignored_frees++;
        if (!add_request(model, SW_REQUEST_FREE, known, model->buffer_list.items[known].stream, where->error)) {
            return false;
        }
    }
    buffer.spec.name = buffer.name;
    buffer.spec.has_first = buffer.spec.has_last = true;
    buffer.spec.first = buffer.spec.last = now;
    return add_traced_buffer(model, &buffer, where->error) && add_alloc(model, &buffer, where->error) &&
           (known == SW_NONE || sw_names_set(&model->buffers, id, strlen(id), (uint32_t)model->buffer_list.count - 1) ||
            sw_fail_memory(where->error));
}

/* ---- times ---- */

SW_BY_FIELDS(by_end_time, struct sw_trace_operator, SW_UP(at), SW_UP(line))

/* Where operators tell no time, they stand behind the one before. */
static void order_operators(struct sw_trace_model *model) {
    int64_t next = 0;
    for (size_t i = 0; i < model->operator_list.count; i++) {
        struct sw_trace_operator *o = &model->operator_list.items[i];
        o->at = o->has_at ? o->at : next;
        next = o->at + 1;
    }
    qsort(model->operator_list.items, model->operator_list.count, sizeof *model->operator_list.items, by_end_time);
}

static bool are_numbers(const struct sw_trace_model *model) {
    for (size_t i = 0; i < model->operator_list.count; i++) {
        if (model->operator_list.items[i].at != (int64_t)i) {
            return false;
        }
    }
    for (size_t i = 0; i < model->buffer_list.count; i++) {
        const struct sw_buffer_spec *spec = &model->buffer_list.items[i].spec;
        int64_t count = (int64_t)model->operator_list.count;
        if ((spec->has_first && (spec->first < 0 || spec->first >= count)) ||
            (spec->has_last && (spec->last < 0 || spec->last >= count))) {
            return false;
        }
    }
    return true;
}

/* The times that buffers name, ascending. */
struct times {
    SW_ARRAY(int64_t) all;
};
static bool gather_times(const struct sw_trace_model *model, struct times *times) {
    for (size_t i = 0; i < model->buffer_list.count; i++) {
        const struct sw_buffer_spec *spec = &model->buffer_list.items[i].spec;
        if ((spec->has_first && !SW_PUSH(&times->all, spec->first)) ||
            (spec->has_last && !SW_PUSH(&times->all, spec->last))) {
            return false;
        }
        for (size_t k = 0; k < spec->piece_count; k++) {
            if (!SW_PUSH(&times->all, spec->pieces[k].first) || !SW_PUSH(&times->all, spec->pieces[k].last)) {
                return false;
            }
        }
    }
    sw_sort(times->all.items, times->all.count, sizeof *times->all.items, sw_compare_i64);
    return true;
}

/* An operator stands for every time that something names and at which none runs. */
static bool fill_gaps(struct sw_trace_model *model, struct times *times, size_t *filled) {
    size_t count = model->operator_list.count, at = 0;
    for (size_t i = 0; i < times->all.count; i++) {
        int64_t time = times->all.items[i];
        while (at < count && model->operator_list.items[at].at < time) {
            at++;
        }
        bool runs =
            (at < count && model->operator_list.items[at].at == time) || (i > 0 && times->all.items[i - 1] == time);
        char name[48];
        snprintf(name, sizeof name, "time %" PRId64, time);
        while (!runs && sw_names_find(&model->operators, name, strlen(name)) != SW_NONE &&
               strlen(name) + 2 < sizeof name) {
            strcat(name, "'");
        }
        const char *kept = runs ? NULL : sw_arena_string(&model->arena, name, strlen(name));
        struct sw_trace_operator gap = {.name = kept, .at = time};
        if (!runs && (!kept || !SW_PUSH(&model->operator_list, gap))) {
            return false;
        }
        *filled += !runs;
    }
    qsort(model->operator_list.items, model->operator_list.count, sizeof *model->operator_list.items, by_end_time);
    return true;
}

static bool list_instants(struct sw_trace_model *model) {
    for (size_t i = 0; i < model->operator_list.count; i++) {
        int64_t time = model->operator_list.items[i].at;
        size_t last = model->instants.count;
        struct sw_trace_instant fresh = {time, (uint32_t)i, (uint32_t)i};
        if (last > 0 && model->instants.items[last - 1].time == time) {
            model->instants.items[last - 1].last = (uint32_t)i;
        } else if (!SW_PUSH(&model->instants, fresh)) {
            return false;
        }
    }
    return true;
}

const struct sw_trace_instant *sw_trace_instant_at(const struct sw_trace_instants *instants, int64_t time) {
    size_t above = SW_FIRST(i, instants->count, instants->items[i].time > time);
    return &instants->items[above ? above - 1 : 0];
}

static void renumber_operators(struct sw_trace_model *model) {
    for (size_t i = 0; i < model->buffer_list.count; i++) {
        struct sw_buffer_spec *spec = &model->buffer_list.items[i].spec;
        spec->first = spec->has_first ? sw_trace_instant_at(&model->instants, spec->first)->first : 0;
        spec->last = spec->has_last ? sw_trace_instant_at(&model->instants, spec->last)->last : 0;
        struct sw_piece_spec *pieces = (struct sw_piece_spec *)(uintptr_t)spec->pieces; /* the model's own */
        for (size_t k = 0; k < spec->piece_count; k++) {
            pieces[k].first = sw_trace_instant_at(&model->instants, pieces[k].first)->first;
            pieces[k].last = sw_trace_instant_at(&model->instants, pieces[k].last)->last;
        }
    }
}

/* Steps of a problem with operators are operators; times of a trace may be anything. */
static bool settle_operators(struct sw_trace_model *model, struct sw_builder *builder, struct sw_error *error) {
    struct times times = {0};
    size_t filled = 0;
    order_operators(model);
    if (are_numbers(model)) {
        return true;
    }
    bool good = gather_times(model, &times) && fill_gaps(model, &times, &filled) && list_instants(model);
    SW_ARRAY_DONE(&times.all);
    if (!good) {
        return sw_fail_memory(error);
    }
    renumber_operators(model);
    return filled == 0 ||
           sw_notef(builder, error,
                    "%zu time%s at which no operator of the trace runs %s an operator \"time N\" each, so that "
                    "lifetimes end where the trace has them end",
                    filled, filled == 1 ? "" : "s", filled == 1 ? "has" : "have");
}

/* Without operators: buffers that tell no times live all the time. */
static void settle_lifetimes(struct sw_trace_model *model) {
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (size_t i = 0; i < model->buffer_list.count; i++) {
        const struct sw_buffer_spec *spec = &model->buffer_list.items[i].spec;
        first = spec->has_first && spec->first < first ? spec->first : first;
        last = spec->has_last && spec->last > last ? spec->last : last;
    }
    last = model->events > 0 && model->events - 1 > last ? model->events - 1 : last;
    first = first == INT64_MAX ? (last == INT64_MIN || last > 0 ? 0 : last) : first;
    last = last < first ? first : last;
    for (size_t i = 0; i < model->buffer_list.count; i++) {
        struct sw_trace_buffer *buffer = &model->buffer_list.items[i];
        struct sw_buffer_spec *spec = &buffer->spec;
        if (spec->piece_count > 0) {
            continue;
        }
        model->timeless += !spec->has_first || !spec->has_last;
        spec->first = spec->has_first ? spec->first : first;
        spec->last = !spec->has_last || buffer->live ? last : spec->last;
        spec->last = spec->last < spec->first ? spec->first : spec->last;
        spec->has_first = spec->has_last = true;
    }
}

/* ---- building ---- */

/* The pairs {input, output} of an operator that may share bytes. False: no memory. */
struct overlap_pairs {
    SW_ARRAY(const char *) names;
};
static bool gather_pairs(struct sw_trace_model *model, const struct sw_trace_operator *operator_,
                         struct overlap_pairs *pairs) {
    for (size_t i = 0; i < operator_->lists[1].count; i++) {
        uint32_t number =
            sw_names_find(&model->buffers, operator_->lists[1].items[i], strlen(operator_->lists[1].items[i]));
        const struct sw_trace_buffer *buffer = number == SW_NONE ? NULL : &model->buffer_list.items[number];
        for (size_t k = 0; buffer && buffer->inplace_of && k < operator_->lists[0].count; k++) {
            if (strcmp(buffer->inplace_of, operator_->lists[0].items[k]) == 0 &&
                (!SW_PUSH(&pairs->names, buffer->inplace_of) || !SW_PUSH(&pairs->names, buffer->name))) {
                return false;
            }
        }
    }
    return true;
}

/* Leave out what the trace does not tell of: its writer may have stopped before it did. A graph tells of more. */
static void keep_known(struct sw_trace_model *model, struct sw_trace_operator *o) {
    for (unsigned which = 0; which < 3 && !model->has_graph; which++) {
        size_t kept = 0;
        for (size_t i = 0; i < o->lists[which].count; i++) {
            if (sw_names_find(&model->buffers, o->lists[which].items[i], strlen(o->lists[which].items[i])) != SW_NONE) {
                o->lists[which].items[kept++] = o->lists[which].items[i];
            }
        }
        model->untold += (uint32_t)(o->lists[which].count - kept);
        o->lists[which].count = kept;
    }
}

static bool build_operator(struct sw_trace_model *model, struct sw_trace_operator *o, struct overlap_pairs *pairs,
                           struct sw_builder *builder, struct sw_error *error) {
    keep_known(model, o);
    struct sw_operator_spec spec = {.name = o->name,
                                    .inputs = o->lists[0].items,
                                    .input_count = o->lists[0].count,
                                    .outputs = o->lists[1].items,
                                    .output_count = o->lists[1].count,
                                    .scratch = o->lists[2].items,
                                    .scratch_count = o->lists[2].count};
    pairs->names.count = 0;
    if (!gather_pairs(model, o, pairs)) {
        return sw_fail_memory(error);
    }
    spec.pair_count = pairs->names.count / 2;
    spec.pairs = (const char *const(*)[2])(const void *)pairs->names.items;
    spec.inplace = spec.pair_count > 0 ? SW_INPLACE_PAIRS : SW_INPLACE_NO;
    model->unpaired -= (uint32_t)spec.pair_count;
    sw_builder_at(builder, o->line, 1);
    return sw_builder_operator(builder, &spec, error);
}

static bool build_trace_buffers(struct sw_trace_model *model, struct sw_builder *builder, struct sw_error *error) {
    for (size_t i = 0; i < model->buffer_list.count; i++) {
        sw_builder_at(builder, model->buffer_list.items[i].line, 1);
        model->unpaired += model->buffer_list.items[i].inplace_of != NULL;
        if (!sw_builder_buffer(builder, &model->buffer_list.items[i].spec, error)) {
            return false;
        }
    }
    return true;
}

static bool build_rest(struct sw_trace_model *model, struct sw_builder *builder, struct sw_error *error) {
    if ((model->name && !sw_builder_name(builder, model->name, error)) ||
        (model->alignment && !model->has_graph && !sw_builder_alignment(builder, model->alignment, error))) {
        return false;
    }
    for (size_t i = 0; i < model->tiers.count && !model->has_graph; i++) {
        if (!sw_builder_tier(builder, &model->tiers.items[i], error)) {
            return false;
        }
    }
    return true;
}

static bool tell_of_model(const struct sw_trace_model *model, struct sw_builder *builder, struct sw_error *error) {
    const struct {
        uint32_t count;
        const char *one, *several;
    } notes[] = {
        {model->twice, "one buffer is told twice: the first line counts",
         "buffers are told twice: the first line counts"},
        {model->ignored_frees, "one id is freed that is not allocated, or allocated again before it is freed",
         "ids are freed that are not allocated, or allocated again before they are freed"},
        {model->timeless, "one buffer tells no times, and nothing else does: it lives all the time",
         "buffers tell no times, and nothing else does: they live all the time"},
        {model->untold, "once an operator uses a buffer that the trace does not tell of",
         "times operators use buffers that the trace does not tell of"},
        {model->unpaired, "one buffer is in place of another one, but no operator reads the one and writes the other",
         "buffers are in place of others, but no operator reads the one and writes the other"},
    };
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++) {
        if (notes[i].count == 1 && !sw_notef(builder, error, "%s", notes[i].one)) {
            return false;
        }
        if (notes[i].count > 1 && !sw_notef(builder, error, "%" PRIu32 " %s", notes[i].count, notes[i].several)) {
            return false;
        }
    }
    return model->events == 0 ||
           sw_notef(builder, error, "time is the number of the event; allocations and frees: %" PRId64, model->events);
}

bool sw_trace_model_build(struct sw_trace_model *model, bool decided, struct sw_builder *builder,
                          struct sw_error *error) {
    struct overlap_pairs pairs = {0};
    bool timed = model->events == 0 && (model->operator_list.count > 0 || model->has_graph);
    bool good = build_rest(model, builder, error);
    if (good && timed && !model->has_graph) {
        good = settle_operators(model, builder, error);
    } else if (good && !timed) {
        settle_lifetimes(model);
        good = model->operator_list.count == 0 ||
               sw_notef(builder, error, "operators are left out: the time of this trace is that of its allocations");
    }
    good = good && build_trace_buffers(model, builder, error);
    for (size_t i = 0; good && timed && i < model->operator_list.count; i++) {
        good = build_operator(model, &model->operator_list.items[i], &pairs, builder, error);
    }
    SW_ARRAY_DONE(&pairs.names);
    if (good && model->requests && !model->has_graph) { /* the buffers of a graph would stand before these */
        model->requests->allocator = decided ? "recorded" : "free-list";
        sw_builder_requests(builder, model->requests);
    }
    return good && tell_of_model(model, builder, error);
}

void sw_trace_model_done(struct sw_trace_model *model) {
    for (size_t i = 0; i < model->operator_list.count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            SW_ARRAY_DONE(&model->operator_list.items[i].lists[k]);
        }
    }
    SW_ARRAY_DONE(&model->buffer_list, &model->operator_list, &model->tiers, &model->instants);
    sw_requests_unref(model->requests);
    sw_stream_map_done(&model->streams);
    sw_names_done(&model->buffers);
    sw_names_done(&model->operators);
    sw_names_done(&model->again);
    sw_arena_done(&model->arena);
}
