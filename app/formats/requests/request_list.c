#include "formats/requests/request_list.h"
#include "base/base.h"

#include "formats/text/unique.h"

/* ---- words ---- */

static uint32_t words_find(const struct sw_words *words, const char *text, size_t length) {
    return sw_names_find(&words->numbers, text, length);
}

/* The number of a word, which is copied if it is new. SW_NONE: no memory. */
static uint32_t words_add(struct sw_words *words, struct sw_arena *arena, const char *text, size_t length) {
    uint32_t number = words_find(words, text, length);
    if (number != SW_NONE) {
        return number;
    }
    struct sw_word word = {.text = sw_arena_string(arena, text, length), .length = length, .newest = SW_NONE};
    number = (uint32_t)words->list.count;
    return word.text && SW_PUSH(&words->list, word) && sw_names_set(&words->numbers, word.text, length, number)
               ? number
               : SW_NONE;
}

static void words_done(struct sw_words *words) {
    SW_ARRAY_DONE(&words->list);
    sw_names_done(&words->numbers);
}

/* ---- streams ---- */

uint32_t sw_stream_map_find(struct sw_stream_map *map, struct sw_requests *requests, int64_t name) {
    if (name == requests->streams.items[0]) {
        return 0;
    }
    uint32_t number = sw_names_find(&map->numbers, &name, sizeof name);
    if (number != SW_NONE) {
        return number;
    }
    int64_t *copy = requests->streams.count < SW_REQUESTS_MOST ? sw_arena_new(&map->arena, 1, sizeof *copy) : NULL;
    number = (uint32_t)requests->streams.count;
    if (copy) {
        *copy = name;
    }
    return copy && SW_PUSH(&requests->streams, name) && sw_names_set(&map->numbers, copy, sizeof *copy, number)
               ? number
               : SW_NONE;
}

void sw_stream_map_done(struct sw_stream_map *map) {
    sw_names_done(&map->numbers);
    sw_arena_done(&map->arena);
}

/* ---- the list ---- */

bool sw_request_list_begin(struct sw_request_list *list, const char *allocator, struct sw_error *error) {
    list->requests = sw_requests_new();
    if (!list->requests) {
        return sw_fail_memory(error);
    }
    list->requests->allocator = allocator;
    return true;
}

void sw_request_list_done(struct sw_request_list *list) {
    sw_requests_unref(list->requests);
    words_done(&list->ids);
    words_done(&list->origins);
    sw_stream_map_done(&list->streams);
    SW_ARRAY_DONE(&list->buffers);
    sw_arena_done(&list->arena);
    *list = (struct sw_request_list){0};
}

uint32_t sw_request_list_find(const struct sw_request_list *list, const char *id, size_t length) {
    uint32_t word = words_find(&list->ids, id, length);
    return word == SW_NONE ? SW_NONE : list->ids.list.items[word].newest;
}

bool sw_request_list_knows(const struct sw_request_list *list, const char *id, size_t length) {
    uint32_t word = words_find(&list->ids, id, length);
    return word != SW_NONE && list->ids.list.items[word].uses > 0;
}

static bool room_for_one(const struct sw_request_list *list, uint32_t line, uint32_t column, struct sw_error *error) {
    if (list->events < SW_NONE / 4 && list->requests->items.count < SW_NONE / 4) {
        return true;
    }
    sw_fail(error, SW_ERROR_INPUT, "too many events: a thousand million are the most");
    sw_error_at(error, NULL, line, column);
    return false;
}

static bool push_listed_request(struct sw_request_list *list, const struct sw_request *request,
                                struct sw_error *error) {
    return SW_PUSH(&list->requests->items, *request) || sw_fail_memory(error);
}

/* A word of the file's, or one that was made of it: no name comes twice. NULL: no memory. */
static const char *name_buffer(struct sw_request_list *list, uint32_t id) {
    struct sw_word *word = &list->ids.list.items[id];
    if (word->uses++ == 0 && word->newest == SW_NONE) {
        return word->text;
    }
    size_t room = word->length + 16;
    char *name = sw_arena_new(&list->arena, room, 1);
    for (;; word->uses++) {
        if (!name) {
            return NULL;
        }
        int length = snprintf(name, room, "%s#%" PRIu32, word->text, word->uses);
        uint32_t other = words_find(&list->ids, name, (size_t)length);
        if (other != SW_NONE) {
            continue; /* the file has that id itself, or it was made of another one */
        }
        other = words_add(&list->ids, &list->arena, name, (size_t)length);
        if (other == SW_NONE) {
            return NULL;
        }
        list->ids.list.items[other].uses = 1; /* taken, should the file come to it */
        return name;
    }
}

static void link_buffer(struct sw_request_list *list, uint32_t number) {
    struct sw_listed_buffer *buffer = &list->buffers.items[number];
    struct sw_word *word = &list->ids.list.items[buffer->word];
    buffer->older = word->newest;
    buffer->newer = SW_NONE;
    if (word->newest != SW_NONE) {
        list->buffers.items[word->newest].newer = number;
    }
    word->newest = number;
}

static void unlink_buffer(struct sw_request_list *list, uint32_t number) {
    struct sw_listed_buffer *buffer = &list->buffers.items[number];
    if (buffer->newer == SW_NONE) {
        list->ids.list.items[buffer->word].newest = buffer->older;
    } else {
        list->buffers.items[buffer->newer].older = buffer->older;
    }
    if (buffer->older != SW_NONE) {
        list->buffers.items[buffer->older].newer = buffer->newer;
    }
}

/* Line by line, for line breaks stay. */
static const char *show_origin(struct sw_arena *arena, const char *bytes, size_t length) {
    const char *end = bytes + length;
    size_t used = 0;
    char *shown = sw_arena_new(arena, 3 * length + 1, 1);
    for (const char *at = bytes, *stop; shown && at < end; at = stop + 1) {
        stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop ? stop : end;
        const char *line = sw_unique_text(arena, at, (size_t)(stop - at));
        if (!line) {
            return NULL;
        }
        memcpy(shown + used, line, strlen(line));
        used += strlen(line);
        shown[used] = stop < end ? '\n' : '\0';
        used += stop < end;
    }
    return shown;
}

const char *sw_request_list_origin(struct sw_request_list *list, const char *bytes, size_t length) {
    uint32_t number = length > SIZE_MAX / 8 ? SW_NONE : words_add(&list->origins, &list->arena, bytes, length);
    if (number == SW_NONE) {
        return NULL;
    }
    struct sw_word *word = &list->origins.list.items[number];
    word->shown = word->shown ? word->shown : show_origin(&list->arena, bytes, length);
    return word->shown;
}

bool sw_request_list_alloc(struct sw_request_list *list, const struct sw_listed_alloc *alloc, struct sw_error *error) {
    struct sw_listed_buffer buffer = {.size = alloc->size,
                                      .first = list->events,
                                      .last = SW_NONE,
                                      .line = alloc->line,
                                      .column = alloc->column,
                                      .origin = alloc->origin};
    if (!room_for_one(list, alloc->line, alloc->column, error)) {
        return false;
    }
    list->total += alloc->size; /* both are at most 2^61 */
    if (list->total > SW_MAX_BYTES) {
        sw_fail(error, SW_ERROR_INPUT, "the sizes of all allocations up to this one add up to more than 2^61 bytes");
        sw_error_at(error, NULL, alloc->line, alloc->column);
        return false;
    }
    buffer.stream = sw_stream_map_find(&list->streams, list->requests, alloc->stream);
    if (buffer.stream == SW_NONE && list->requests->streams.count >= SW_REQUESTS_MOST) {
        sw_fail(error, SW_ERROR_INPUT, "too many streams: %d are the most", SW_REQUESTS_MOST);
        sw_error_at(error, NULL, alloc->line, alloc->column);
        return false;
    }
    buffer.word = words_add(&list->ids, &list->arena, alloc->id, alloc->length);
    buffer.name = buffer.word == SW_NONE ? NULL : name_buffer(list, buffer.word);
    if (buffer.stream == SW_NONE || !buffer.name || !SW_PUSH(&list->buffers, buffer)) {
        return sw_fail_memory(error);
    }
    uint32_t number = (uint32_t)list->buffers.count - 1;
    link_buffer(list, number);
    list->allocs++;
    return push_listed_request(list,
                               &(struct sw_request){.address = alloc->address,
                                                    .size = alloc->size,
                                                    .buffer = number,
                                                    .time = list->events++,
                                                    .stream = buffer.stream,
                                                    .kind = SW_REQUEST_ALLOC},
                               error);
}

uint32_t sw_request_list_before(struct sw_request_list *list, const char *id, size_t length, uint64_t size) {
    struct sw_listed_buffer buffer = {
        .size = size, .last = SW_NONE, .word = words_add(&list->ids, &list->arena, id, length), .before = true};
    buffer.name = buffer.word == SW_NONE ? NULL : name_buffer(list, buffer.word);
    if (!buffer.name || !SW_PUSH(&list->buffers, buffer)) {
        return SW_NONE;
    }
    link_buffer(list, (uint32_t)list->buffers.count - 1);
    return (uint32_t)list->buffers.count - 1;
}

static bool free_at(struct sw_request_list *list, uint32_t number, uint32_t stream, struct sw_error *error) {
    struct sw_listed_buffer *buffer = &list->buffers.items[number];
    unlink_buffer(list, number);
    buffer->last = list->events - 1;
    return push_listed_request(list,
                               &(struct sw_request){.address = SW_NO_ADDRESS,
                                                    .size = buffer->size,
                                                    .buffer = number,
                                                    .time = list->events,
                                                    .stream = stream,
                                                    .kind = SW_REQUEST_FREE},
                               error);
}

bool sw_request_list_free(struct sw_request_list *list, uint32_t number, const int64_t *stream,
                          struct sw_error *error) {
    uint32_t on =
        stream ? sw_stream_map_find(&list->streams, list->requests, *stream) : list->buffers.items[number].stream;
    if (on == SW_NONE) {
        return list->requests->streams.count >= SW_REQUESTS_MOST
                   ? sw_fail(error, SW_ERROR_INPUT, "too many streams: %d are the most", SW_REQUESTS_MOST)
                   : sw_fail_memory(error);
    }
    if (!room_for_one(list, 0, 0, error) || !free_at(list, number, on, error)) {
        return false;
    }
    list->frees++;
    list->events++;
    return true;
}

bool sw_request_list_free_silently(struct sw_request_list *list, uint32_t number, struct sw_error *error) {
    list->frees_silent++;
    return free_at(list, number, list->buffers.items[number].stream, error);
}

bool sw_request_list_other(struct sw_request_list *list, enum sw_request_kind kind, uint64_t address, uint64_t size,
                           struct sw_error *error) {
    bool event = kind == SW_REQUEST_EMPTY || kind == SW_REQUEST_REFUSED;
    struct sw_request request = {
        .address = address, .size = size, .buffer = SW_NONE, .time = list->events, .kind = (uint16_t)kind};
    list->events += event;
    return room_for_one(list, 0, 0, error) && push_listed_request(list, &request, error);
}

bool sw_request_list_pass(struct sw_request_list *list, struct sw_error *error) {
    list->frees_unknown++;
    list->events++;
    return room_for_one(list, 0, 0, error);
}

bool sw_request_list_known(struct sw_request_list *list, uint64_t address, uint64_t size) {
    struct sw_requests *requests = list->requests;
    if (!SW_PUSH(&requests->segments, (struct sw_known_segment){.address = address, .size = size})) {
        return false;
    }
    for (; size > 0 && list->unknown < requests->items.count; list->unknown++) {
        struct sw_request *request = &requests->items.items[list->unknown];
        if (request->kind == SW_REQUEST_SEGMENT_MADE && request->address == SW_NO_ADDRESS) {
            uint64_t less = SW_MIN(size, request->size);
            request->size -= less;
            size -= less;
            if (request->size > 0) {
                break;
            }
        }
    }
    return true;
}

/* ---- by address ---- */

bool sw_request_list_give(struct sw_request_list *list, uint64_t address, uint64_t size, const char *origin,
                          uint32_t line, struct sw_error *error) {
    char id[24];
    int length = snprintf(id, sizeof id, "0x%" PRIx64, address);
    uint32_t living = sw_request_list_find(list, id, (size_t)length);
    struct sw_listed_alloc alloc = {.id = id,
                                    .length = (size_t)length,
                                    .size = size,
                                    .address = address,
                                    .origin = origin,
                                    .line = line,
                                    .column = 1};
    return (living == SW_NONE || sw_request_list_free_silently(list, living, error)) &&
           sw_request_list_alloc(list, &alloc, error);
}

bool sw_request_list_take(struct sw_request_list *list, uint64_t address, struct sw_error *error) {
    char id[24];
    int length = snprintf(id, sizeof id, "0x%" PRIx64, address);
    uint32_t living = sw_request_list_find(list, id, (size_t)length);
    return living == SW_NONE ? sw_request_list_pass(list, error) : sw_request_list_free(list, living, NULL, error);
}

/* ---- the end ---- */

static const char *plural_of(uint64_t count) {
    return count == 1 ? "" : "s";
}

static bool tell_of_events(const struct sw_request_list *list, struct sw_builder *builder, struct sw_error *error) {
    uint64_t alive = 0;
    for (size_t i = 0; i < list->buffers.count; i++) {
        alive += list->buffers.items[i].last == SW_NONE && !list->buffers.items[i].before;
    }
    if (!sw_notef(builder, error,
                  "time is the number of the event, from 0: %" PRIu64 " allocation%s, %" PRIu64 " free%s, %" PRIu64
                  " still alive at the end",
                  list->allocs, plural_of(list->allocs), list->frees, plural_of(list->frees), alive)) {
        return false;
    }
    if (list->frees_unknown > 0 &&
        !sw_notef(builder, error, "%" PRIu64 " free%s of what was not allocated here %s left out", list->frees_unknown,
                  plural_of(list->frees_unknown), list->frees_unknown == 1 ? "is" : "are")) {
        return false;
    }
    return list->frees_silent == 0 ||
           sw_notef(builder, error,
                    "%" PRIu64
                    " time%s an address was given out again though no line frees it: what lay there ends there",
                    list->frees_silent, plural_of(list->frees_silent));
}

/* What the allocator did after the last event belongs to that one, for there is no later time. */
static void clamp_times(struct sw_request_list *list) {
    for (size_t i = list->requests->items.count; i-- > 0 && list->requests->items.items[i].time >= list->events;) {
        list->requests->items.items[i].time = list->events > 0 ? list->events - 1 : 0;
    }
}

bool sw_request_list_build(struct sw_request_list *list, struct sw_builder *builder, struct sw_error *error) {
    clamp_times(list);
    for (size_t i = 0; i < list->buffers.count; i++) {
        const struct sw_listed_buffer *buffer = &list->buffers.items[i];
        int64_t last = buffer->last != SW_NONE ? buffer->last : buffer->before ? -1 : (int64_t)list->events - 1;
        struct sw_buffer_spec spec =
            sw_told_buffer(buffer->name, buffer->size, buffer->before ? -1 : (int64_t)buffer->first, last);
        spec.before = buffer->before;
        spec.origin = buffer->origin;
        sw_builder_at(builder, buffer->line, buffer->column);
        if (!sw_builder_buffer(builder, &spec, error)) {
            return false;
        }
    }
    sw_builder_requests(builder, list->requests);
    return tell_of_events(list, builder, error);
}
