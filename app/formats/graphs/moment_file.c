#include "formats/graphs/moment_file.h"
#include "base/base.h"
#include "formats/requests/request_list.h"

static const char *const figure_keys[SW_MOMENT_FIGURES] = {
    [SW_MOMENT_RESERVED] = "reserved",
    [SW_MOMENT_IN_USE] = "in_use",
    [SW_MOMENT_REQUESTED] = "requested",
    [SW_MOMENT_FREE] = "free",
    [SW_MOMENT_WAITING] = "waiting",
    [SW_MOMENT_LARGEST_FREE] = "largest_free",
    [SW_MOMENT_PEAK_USED] = "peak_in_use",
    [SW_MOMENT_PEAK_RESERVED] = "peak_reserved",
    [SW_MOMENT_LIMIT] = "limit",
    [SW_MOMENT_DEVICE] = "device",
    [SW_MOMENT_DEVICE_FREE] = "device_free",
    [SW_MOMENT_OTHERS] = "others",
    [SW_MOMENT_PROCESS] = "process",
    [SW_MOMENT_ACTIVE] = "active",
    [SW_MOMENT_IDLE] = "idle",
    [SW_MOMENT_SPLIT] = "split",
    [SW_MOMENT_PRIVATE] = "private",
    [SW_MOMENT_LEFT] = "left",
};
static const char *const held_words[SW_HELD_STATES] = {
    [SW_HELD_USED] = "in use", [SW_HELD_FREE] = "free", [SW_HELD_WAITING] = "waiting", [SW_HELD_UNTOLD] = "not told"};

const char *sw_moment_figure_key(enum sw_moment_figure figure) {
    return figure_keys[figure];
}

const char *sw_held_state_words(enum sw_held_state state) {
    return held_words[state];
}

/* ---- fields ---- */

#define MOMENT_FIELD(kind, needed, part, member) \
    { #member, SW_MOMENT_IS_##kind, needed, offsetof(struct sw_moment_##part, member) }
#define MOMENT_TEXT(part, member) MOMENT_FIELD(TEXT, false, part, member)
#define ABOUT(member) \
    { #member, SW_MOMENT_IS_TEXT, false, offsetof(struct sw_moment, member) }

const struct sw_moment_field sw_moment_segment_fields[] = {MOMENT_FIELD(ADDRESS, false, segment, address),
                                                           MOMENT_FIELD(BYTES, true, segment, size),
                                                           MOMENT_TEXT(segment, allocator),
                                                           MOMENT_TEXT(segment, pool),
                                                           MOMENT_TEXT(segment, stream),
                                                           MOMENT_FIELD(FLAG, false, segment, expandable),
                                                           {.name = NULL}},
                             sw_moment_block_fields[] = {MOMENT_FIELD(ADDRESS, false, block, address),
                                                         MOMENT_FIELD(BYTES, true, block, size),
                                                         MOMENT_FIELD(BYTES, false, block, requested),
                                                         MOMENT_FIELD(COUNT, false, block, count),
                                                         MOMENT_FIELD(STATE, true, block, state),
                                                         MOMENT_TEXT(block, name),
                                                         MOMENT_TEXT(block, origin),
                                                         {.name = NULL}},
                             sw_moment_told_fields[] = {MOMENT_FIELD(FIGURE, true, told, figure),
                                                        MOMENT_TEXT(told, allocator),
                                                        MOMENT_TEXT(told, pool),
                                                        MOMENT_FIELD(BYTES, true, told, bytes),
                                                        MOMENT_FIELD(BYTES, false, told, about),
                                                        {.name = NULL}},
                             sw_moment_failure_fields[] = {MOMENT_FIELD(BYTES, true, failure, size),
                                                           MOMENT_FIELD(BYTES, false, failure, about),
                                                           MOMENT_FIELD(BYTES, false, failure, rounded),
                                                           MOMENT_FIELD(BYTES, false, failure, segment),
                                                           MOMENT_FIELD(BYTES, false, failure, least),
                                                           MOMENT_TEXT(failure, allocator),
                                                           MOMENT_TEXT(failure, pool),
                                                           MOMENT_TEXT(failure, stream),
                                                           MOMENT_TEXT(failure, origin),
                                                           MOMENT_TEXT(failure, way),
                                                           {.name = NULL}},
                             sw_moment_about_fields[] = {ABOUT(what), ABOUT(planner), ABOUT(settings), {.name = NULL}};

size_t sw_moment_field_names(const struct sw_moment_field *fields, const char *const *others, const char **names) {
    size_t count = 0;
    for (; fields->name; fields++) {
        names[count++] = fields->name;
    }
    for (; others && *others; others++) {
        names[count++] = *others;
    }
    names[count] = NULL;
    return count;
}

const char *const *sw_moment_kind_words(enum sw_moment_kind kind, unsigned *count) {
    *count = kind == SW_MOMENT_IS_STATE ? SW_HELD_STATES : SW_MOMENT_FIGURES;
    return kind == SW_MOMENT_IS_STATE ? held_words : figure_keys;
}

/* ---- writing ---- */

static void put_told(struct sw_json_out *json, const char *key, uint64_t bytes) {
    sw_put_known(json, key, bytes != SW_UNTOLD, bytes);
}

/* Numbers of JSON are signed: the upper half of the addresses is told as a text. */
static void put_address(struct sw_json_out *json, uint64_t address) {
    if (address != SW_UNTOLD && address > INT64_MAX) {
        sw_put_printf(json, "address", "\"0x%" PRIx64 "\"", address);
    } else {
        put_told(json, "address", address);
    }
}

static void put_moment_part(const struct sw_moment_field *fields, const void *part, struct sw_json_out *json) {
    for (; fields->name; fields++) {
        const void *from = sw_moment_field_of(part, fields);
        unsigned count;
        switch (fields->kind) {
        case SW_MOMENT_IS_ADDRESS:
            put_address(json, *(const uint64_t *)from);
            break;
        case SW_MOMENT_IS_TEXT:
            sw_put_text(json, fields->name, *(const char *const *)from);
            break;
        case SW_MOMENT_IS_FLAG:
            sw_put_if(json, fields->name, *(const bool *)from);
            break;
        case SW_MOMENT_IS_STATE:
        case SW_MOMENT_IS_FIGURE:
            sw_put_text(json, fields->name, sw_moment_kind_words(fields->kind, &count)[*(const unsigned *)from]);
            break;
        default:
            if (fields->kind != SW_MOMENT_IS_COUNT || *(const uint64_t *)from != 1) {
                put_told(json, fields->name, *(const uint64_t *)from);
            }
        }
    }
}

static void put_held_blocks(const struct sw_moment *moment, size_t first, size_t count, struct sw_json_out *json) {
    sw_put_list(json, "blocks");
    for (size_t b = first; b < first + count; b++) {
        sw_put_object(json, NULL);
        put_moment_part(sw_moment_block_fields, &moment->blocks.items[b], json);
        sw_put_end(json);
    }
    sw_put_end(json);
}

static void put_held_segments(const struct sw_moment *moment, struct sw_json_out *json) {
    size_t inside = 0;
    sw_put_list(json, "segments");
    sw_put_lines(json);
    for (size_t s = 0; s < moment->segments.count; s++) {
        const struct sw_moment_segment *segment = &moment->segments.items[s];
        sw_put_object(json, NULL);
        put_moment_part(sw_moment_segment_fields, segment, json);
        sw_put_truth(json, "implied", segment->implied);
        put_held_blocks(moment, segment->first, segment->count, json);
        sw_put_end(json);
        inside += segment->count;
    }
    sw_put_end(json);
    put_held_blocks(moment, inside, moment->blocks.count - inside, json); /* in no segment that is told */
}

static void put_failed(const struct sw_moment *moment, const struct sw_moment_sums *sums, sw_moment_more_fn *more,
                       struct sw_json_out *json) {
    const struct sw_moment_failure *failure = &moment->failure;
    if (failure->size == SW_UNTOLD) {
        sw_put_null(json, "failed");
        return;
    }
    sw_put_object(json, "failed");
    put_moment_part(sw_moment_failure_fields, failure, json);
    SW_PUT_COUNTS(json, {"block", sums->needed}, {"block_at_least", sums->least});
    if (more) {
        more(moment, json);
    }
    sw_put_end(json);
}

void sw_moment_json_put(const struct sw_moment *moment, sw_moment_more_fn *more, struct sw_json_out *json) {
    struct sw_moment_sums sums;
    sw_moment_sum(moment, &sums);
    put_moment_part(sw_moment_about_fields, moment, json);
    put_failed(moment, &sums, more, json);
    sw_put_list(json, "told");
    for (size_t i = 0; i < moment->told.count; i++) {
        const struct sw_moment_told *told = &moment->told.items[i];
        sw_put_object(json, NULL);
        put_moment_part(sw_moment_told_fields, told, json);
        put_told(json, "shown", sums.shown[told->figure]);
        sw_put_end(json);
    }
    sw_put_end(json);
    put_held_segments(moment, json);
}

static void put_field(struct sw_sink *sink, uint64_t value) {
    if (value != SW_UNTOLD) {
        sw_sink_printf(sink, "%" PRIu64, value);
    }
    sw_sink_add(sink, ",", 1);
}

void sw_moment_csv_put(const struct sw_moment *moment, struct sw_sink *sink) {
    sw_sink_printf(sink, "segment,address,size,requested,count,state,name,origin\n");
    for (size_t i = 0; i < moment->blocks.count; i++) {
        const struct sw_moment_block *block = &moment->blocks.items[i];
        put_field(sink, block->segment == SW_NONE ? SW_UNTOLD : block->segment + UINT64_C(1));
        put_field(sink, block->address);
        put_field(sink, block->size);
        put_field(sink, block->requested);
        put_field(sink, block->count);
        sw_sink_printf(sink, "%s,", sw_held_state_words(block->state));
        sw_sink_csv(sink, block->name ? block->name : "");
        sw_sink_add(sink, ",", 1);
        sw_sink_csv(sink, block->origin ? block->origin : "");
        sw_sink_add(sink, "\n", 1);
    }
}

/* ---- reading ---- */

static bool read_kept_text(struct sw_json *json, struct sw_moment *moment, const char *key, const char **to) {
    const char *text = NULL;
    if (!sw_json_string(json, key, &text)) {
        return false;
    }
    *to = text ? sw_moment_text(moment, text, strlen(text)) : *to;
    return !text || *to || sw_fail_memory(json->error);
}

static bool read_held_address(const struct sw_json *json, uint64_t *to) {
    const char *text = NULL;
    const json_t *value = sw_json_value(json, "address");
    if (!value || !json_is_string(value)) {
        return sw_json_unsigned(json, "address", 0, INT64_MAX, to);
    }
    size_t digits = sw_json_string(json, "address", &text) && strncmp(text, "0x", 2) == 0 ? strlen(text + 2) : 0;
    bool good = digits > 0 && digits <= 16 && strspn(text + 2, "0123456789abcdef") == digits;
    *to = good ? strtoull(text + 2, NULL, 16) : 0;
    return (good && *to != SW_UNTOLD) ||
           sw_json_fail(json, "address", "\"address\" is a number, or a text like \"0xffff800000000000\"");
}

/* Which of the words a member is. */
static bool read_word(const struct sw_json *json, const struct sw_moment_field *field, unsigned *found) {
    const char *word = NULL;
    unsigned count;
    const char *const *words = sw_moment_kind_words(field->kind, &count);
    if (!sw_json_string(json, field->name, &word)) {
        return false;
    }
    for (*found = 0; *found < count && strcmp(word, words[*found]) != 0; ++*found) {
    }
    return *found < count ||
           sw_json_fail(json, field->name, "there is no %s \"%s\"", field->name, sw_quote(word, strlen(word)).text);
}

static bool read_moment_field(struct sw_json *json, struct sw_moment *moment, const struct sw_moment_field *field,
                              void *to) {
    if (field->needed && !sw_json_need(json, field->name)) {
        return false;
    }
    switch (field->kind) {
    case SW_MOMENT_IS_ADDRESS:
        return read_held_address(json, to);
    case SW_MOMENT_IS_TEXT:
        return read_kept_text(json, moment, field->name, to);
    case SW_MOMENT_IS_FLAG:
        return sw_json_flag(json, field->name, to);
    case SW_MOMENT_IS_STATE:
    case SW_MOMENT_IS_FIGURE:
        return read_word(json, field, to);
    default:
        return sw_json_unsigned(json, field->name, field->kind == SW_MOMENT_IS_COUNT, SW_MAX_BYTES, to);
    }
}

/* An object with these members and `others`, up to NULL; others being NULL, any. */
static bool read_moment_part(struct sw_json *json, struct sw_moment *moment, const struct sw_moment_field *fields,
                             const char *const *others, void *part) {
    const char *names[SW_MOMENT_MOST_FIELDS];
    bool good = sw_json_object(json, names, sw_moment_field_names(fields, others, names), !others);
    for (; good && fields->name; fields++) {
        good = read_moment_field(json, moment, fields, sw_moment_field_of(part, fields));
    }
    return good;
}

static bool read_held_block(struct sw_json *json, struct sw_moment *moment, uint32_t segment) {
    struct sw_moment_block block = {
        .address = SW_UNTOLD, .requested = SW_UNTOLD, .count = 1, .segment = segment, .buffer = SW_NONE};
    return read_moment_part(json, moment, sw_moment_block_fields, (const char *const[]){NULL}, &block) &&
           (block.address == SW_UNTOLD || sw_json_unsigned(json, "count", 1, 1, &block.count)) &&
           (sw_moment_add_block(moment, &block) || sw_fail_memory(json->error));
}

static bool read_held_blocks(struct sw_json *json, struct sw_moment *moment, uint32_t segment) {
    bool good = sw_json_array(json, "blocks");
    for (size_t i = 0; good && sw_json_item(json, "blocks", i); i++) {
        good = read_held_block(json, moment, segment);
    }
    return good;
}

static bool read_held_segment(struct sw_json *json, struct sw_moment *moment) {
    static const char *const others[] = {"implied", "blocks", NULL};
    struct sw_moment_segment segment = {.address = SW_UNTOLD};
    bool implied = false;
    if (!read_moment_part(json, moment, sw_moment_segment_fields, others, &segment) ||
        !sw_json_flag(json, "implied", &implied)) {
        return false;
    }
    if (!implied && !sw_moment_add_segment(moment, &segment)) {
        return sw_fail_memory(json->error);
    }
    return read_held_blocks(json, moment, implied ? SW_NONE : (uint32_t)moment->segments.count - 1);
}

static bool read_told(struct sw_json *json, struct sw_moment *moment) {
    static const char *const others[] = {"shown", NULL};
    struct sw_moment_told told = {0};
    return read_moment_part(json, moment, sw_moment_told_fields, others, &told) &&
           (sw_moment_tell(moment, &told) || sw_fail_memory(json->error));
}

static bool read_moment_members(struct sw_json *json, struct sw_moment *moment) {
    bool good = read_moment_part(json, moment, sw_moment_about_fields, NULL, moment) && sw_json_array(json, "told") &&
                sw_json_array(json, "segments");
    if (good && sw_json_value(json, "failed")) {
        sw_json_enter(json, "failed");
        good = read_moment_part(json, moment, sw_moment_failure_fields, NULL, &moment->failure);
        sw_json_leave(json);
    }
    for (size_t i = 0; good && sw_json_item(json, "told", i); i++) {
        good = read_told(json, moment);
    }
    for (size_t i = 0; good && sw_json_item(json, "segments", i); i++) {
        good = read_held_segment(json, moment);
    }
    return good && read_held_blocks(json, moment, SW_NONE);
}

bool sw_moment_json_read(struct sw_json *json, struct sw_builder *builder) {
    struct sw_moment *moment = sw_moment_new();
    if (!moment) {
        return sw_fail_memory(json->error);
    }
    bool nulls = json->no_nulls;
    json->no_nulls = true;
    moment->what = "a moment of an allocator";
    bool good = read_moment_members(json, moment);
    json->no_nulls = nulls;
    if (good && !sw_moment_settle(moment, json->error)) {
        struct sw_error why = *json->error; /* it has no place yet */
        good = why.code == SW_ERROR_INPUT && sw_json_fail(json, NULL, "%s", why.message);
    }
    good = good && sw_moment_build(moment, builder, json->error);
    sw_moment_unref(moment);
    return good;
}

/* ---- and the requests that follow ---- */

void sw_then_json_put(const struct sw_problem *problem, struct sw_json_out *json) {
    const struct sw_requests *requests = sw_problem_told_requests(problem);
    sw_put_object(json, "moment");
    sw_moment_json_put(requests->moment, NULL, json);
    sw_put_end(json);
    sw_put_list(json, "then");
    sw_put_lines(json);
    for (size_t i = 0; i < requests->items.count; i++) {
        const struct sw_request *request = &requests->items.items[i];
        const char *name = request->buffer == SW_NONE ? NULL : sw_problem_buffer(problem, request->buffer)->name;
        bool alloc = request->kind == SW_REQUEST_ALLOC;
        sw_put_object(json, NULL);
        if (name) {
            sw_put_text(json, alloc ? "alloc" : "free", name);
        } else {
            sw_put_truth(json, "empty_cache", true);
        }
        if (alloc) {
            sw_put_count(json, "size", request->size);
            sw_put_time(json, "stream", requests->streams.items[request->stream]);
        }
        sw_put_end(json);
    }
    sw_put_end(json);
}

static bool read_then_alloc(struct sw_json *json, struct sw_request_list *list, const char *id) {
    struct sw_listed_alloc alloc = {.id = id, .length = strlen(id), .address = SW_NO_ADDRESS};
    return (sw_request_list_find(list, id, alloc.length) == SW_NONE ||
            sw_json_fail(json, "alloc", "'%s' is allocated already", sw_quote(id, alloc.length).text)) &&
           sw_json_need(json, "size") && sw_json_unsigned(json, "size", 0, SW_MAX_BYTES, &alloc.size) &&
           sw_json_integer(json, "stream", INT64_MIN, INT64_MAX, &alloc.stream) &&
           sw_request_list_alloc(list, &alloc, json->error);
}

static bool read_then_request(struct sw_json *json, const struct sw_moment *moment, struct sw_request_list *list) {
    const char *alloc = NULL, *free = NULL;
    bool empty = false;
    if (!SW_JSON_ONLY(json, "alloc", "free", "empty_cache", "size", "stream") ||
        !sw_json_string(json, "alloc", &alloc) || !sw_json_string(json, "free", &free) ||
        !sw_json_flag(json, "empty_cache", &empty)) {
        return false;
    }
    if (!!alloc + !!free + empty != 1) {
        return sw_json_fail(json, NULL, "a request has one of \"alloc\", \"free\" and \"empty_cache\"");
    }
    if (alloc) {
        return read_then_alloc(json, list, alloc);
    }
    uint32_t living = free ? sw_request_list_find(list, free, strlen(free)) : SW_NONE;
    uint32_t block = free && !sw_request_list_knows(list, free, strlen(free)) ? sw_moment_named(moment, free) : SW_NONE;
    if (block != SW_NONE) {
        living = sw_request_list_before(list, free, strlen(free), moment->blocks.items[block].size);
        if (living == SW_NONE) {
            return sw_fail_memory(json->error);
        }
    }
    if (free && living == SW_NONE) {
        return sw_json_fail(json, "free", "'%s' is freed, and is not allocated", sw_quote(free, strlen(free)).text);
    }
    return free ? sw_request_list_free(list, living, NULL, json->error)
                : sw_request_list_other(list, SW_REQUEST_EMPTY, SW_NO_ADDRESS, 0, json->error);
}

/* The requests as a problem of their own. */
static struct sw_problem *read_then_list(struct sw_json *json, const struct sw_moment *moment) {
    struct sw_request_list list = {0};
    struct sw_builder *builder = sw_builder_new(json->error);
    struct sw_problem *made = NULL;
    bool good = builder && sw_request_list_begin(&list, "free-list", json->error) && sw_json_array(json, "then");
    for (size_t i = 0; good && sw_json_item(json, "then", i); i++) {
        good = read_then_request(json, moment, &list);
    }
    if (good && sw_request_list_build(&list, builder, json->error)) {
        made = sw_builder_finish(builder, json->error);
    }
    sw_request_list_done(&list);
    sw_builder_free(builder);
    return made;
}

bool sw_then_json_read(struct sw_json *json, struct sw_builder *builder) {
    struct sw_builder *first = sw_builder_new(json->error);
    struct sw_problem *shown = NULL, *asked = NULL;
    sw_json_enter(json, "moment");
    bool good = first && sw_moment_json_read(json, first);
    sw_json_leave(json);
    good = good && (shown = sw_builder_finish(first, json->error)) &&
           sw_moment_is_whole(sw_problem_moment(shown), json->error) &&
           (asked = read_then_list(json, sw_problem_moment(shown))) &&
           sw_moment_then(sw_problem_moment(shown), asked, builder, json->error);
    sw_problem_unref(asked);
    sw_problem_unref(shown);
    sw_builder_free(first);
    return good;
}
