/* A list of requests as CSV: event,id,size,stream, a row for each event. */
#include "formats/requests/request_list.h"
#include "base/base.h"
#include "problem/moment/moment.h"

#include "formats/text/csv.h"
#include "formats/text/input_words.h"
#include "formats/text/size.h"

enum request_column { REQUEST_EVENT, REQUEST_ID, REQUEST_SIZE, REQUEST_STREAM, REQUEST_COLUMNS };
static const char *const request_columns[REQUEST_COLUMNS] = {"event", "id", "size", "stream"};

struct requests_reader {
    struct sw_csv csv;
    struct sw_request_list list;
    uint32_t index[REQUEST_COLUMNS]; /* SW_NONE: not there */
    uint32_t width;                  /* of the header */
    uint64_t other_sizes;            /* frees that tell another size than was asked for */
    const struct sw_moment *after;   /* the moment that the table follows: it may free blocks of it; NULL */
    struct sw_error *error;
};

/* ---- the header ---- */

static struct sw_input_text trimmed(const struct sw_csv_field *field) {
    struct sw_input_text text = {field->text, field->length};
    text.at = sw_csv_trim(text.at, &text.length);
    return text;
}

static enum request_column request_column_of(struct sw_input_text text) {
    enum request_column c = REQUEST_EVENT;
    while (c < REQUEST_COLUMNS && !sw_text_is(text, request_columns[c])) {
        c++;
    }
    return c;
}

/* A table with `event` and `id`, but without times: those make it a table of buffers. */
static bool requests_csv_detect(const struct sw_input *input) {
    struct sw_csv_words words = sw_csv_words(input);
    bool there[REQUEST_COLUMNS + 1] = {false}, times = false, inclusive;
    while (sw_csv_words_next(&words)) {
        enum sw_column other = sw_column_find(words.text, words.length, &inclusive);
        there[request_column_of((struct sw_input_text){words.text, words.length})] = true;
        times |= other == SW_COLUMN_LOWER || other == SW_COLUMN_UPPER;
    }
    return there[REQUEST_EVENT] && there[REQUEST_ID] && !times;
}

static bool read_requests_header(struct requests_reader *reader, struct sw_builder *builder) {
    struct sw_csv *csv = &reader->csv;
    bool got;
    if (!sw_csv_next(csv, &got, reader->error)) {
        return false;
    }
    reader->width = got && csv->fields.count < SW_NONE ? (uint32_t)csv->fields.count : 0;
    for (enum request_column c = REQUEST_EVENT; c < REQUEST_COLUMNS; c++) {
        reader->index[c] = SW_NONE;
    }
    for (uint32_t i = 0; i < reader->width; i++) {
        const struct sw_csv_field *field = &csv->fields.items[i];
        enum request_column c = request_column_of(trimmed(field));
        if (c == REQUEST_COLUMNS) {
            if (!sw_notef(builder, reader->error, "column %s is not used", sw_quote(field->text, field->length).text)) {
                return false;
            }
        } else if (reader->index[c] != SW_NONE) {
            return sw_text_fail(csv->input, sw_csv_begin(field), reader->error, "there are two columns '%s'",
                                request_columns[c]);
        } else {
            reader->index[c] = i;
        }
    }
    for (enum request_column c = REQUEST_EVENT; c <= REQUEST_ID; c++) {
        if (reader->index[c] == SW_NONE) {
            return sw_text_fail(csv->input, got ? csv->row : csv->at, reader->error, "the header has no column '%s'",
                                request_columns[c]);
        }
    }
    return true;
}

/* ---- rows ---- */

/* The field of a column: NULL when the row has none, or it is blank. */
static const struct sw_csv_field *field_of(const struct requests_reader *reader, enum request_column c) {
    uint32_t index = reader->index[c];
    const struct sw_csv_field *field = index < reader->csv.fields.count ? &reader->csv.fields.items[index] : NULL;
    return field && trimmed(field).length > 0 ? field : NULL;
}

/* Where a field would stand that is not there. */
static const char *request_place(const struct requests_reader *reader, enum request_column c) {
    const struct sw_csv *csv = &reader->csv;
    uint32_t index = reader->index[c];
    const char *end = csv->row_end;
    end -= end > csv->row && end[-1] == '\r';
    return index < csv->fields.count ? sw_csv_begin(&csv->fields.items[index]) : end;
}

/* A number that may be left out: it stays as it was. */
static bool read_request_number(struct requests_reader *reader, enum request_column c, int64_t lowest, int64_t highest,
                                int64_t *to, bool *there) {
    const struct sw_csv_field *field = field_of(reader, c);
    *there = field != NULL;
    if (!field) {
        return true;
    }
    struct sw_input_text text = trimmed(field);
    return sw_csv_number(&reader->csv, field, request_columns[c], sw_quote(text.at, text.length), lowest, highest, to,
                         reader->error);
}

/* Behind a moment, which people write by hand, also "300 MiB". */
static bool read_request_size(struct requests_reader *reader, int64_t *size, bool *there) {
    const struct sw_csv_field *field = reader->after ? field_of(reader, REQUEST_SIZE) : NULL;
    const char *text = field ? sw_csv_text(&reader->csv, field) : NULL;
    uint64_t bytes;
    if (field && !text) {
        return sw_fail_memory(reader->error);
    }
    *there = text && sw_parse_size(text, SW_MAX_BYTES, &bytes, reader->error);
    if (*there) {
        *size = (int64_t)bytes;
        return true;
    }
    return read_request_number(reader, REQUEST_SIZE, 0, (int64_t)SW_MAX_BYTES, size, there);
}

static bool fail_at_field(struct requests_reader *reader, const struct sw_csv_field *field, const char *format,
                          const char *id, uint32_t line) {
    return sw_text_fail(reader->csv.input, sw_csv_begin(field), reader->error, format, sw_quote(id, strlen(id)).text,
                        line);
}

static bool read_csv_alloc(struct requests_reader *reader, const struct sw_csv_field *field, const char *id,
                           bool has_size, int64_t size, int64_t stream) {
    size_t length = strlen(id);
    uint32_t living = sw_request_list_find(&reader->list, id, length);
    if (living != SW_NONE) {
        return fail_at_field(reader, field, "'%s' is allocated already, in line %" PRIu32, id,
                             reader->list.buffers.items[living].line);
    }
    if (!has_size) {
        return sw_text_fail(reader->csv.input, request_place(reader, REQUEST_SIZE), reader->error,
                            "the allocation of '%s' has no size", sw_quote(id, length).text);
    }
    struct sw_position position = sw_csv_position(&reader->csv, field);
    return sw_request_list_alloc(&reader->list,
                                 &(struct sw_listed_alloc){.id = id,
                                                           .length = length,
                                                           .size = (uint64_t)size,
                                                           .address = SW_NO_ADDRESS,
                                                           .stream = stream,
                                                           .line = position.line,
                                                           .column = position.column},
                                 reader->error);
}

/* A block of the moment, as a buffer that was there before; SW_NONE: there is none. */
static bool find_block_before(struct requests_reader *reader, const char *id, uint32_t *buffer) {
    uint32_t block = sw_moment_named(reader->after, id);
    *buffer = block == SW_NONE
                  ? SW_NONE
                  : sw_request_list_before(&reader->list, id, strlen(id), reader->after->blocks.items[block].size);
    return block == SW_NONE || *buffer != SW_NONE || sw_fail_memory(reader->error);
}

static bool read_csv_free(struct requests_reader *reader, const struct sw_csv_field *field, const char *id,
                          bool has_size, int64_t size, const int64_t *stream) {
    uint32_t living = sw_request_list_find(&reader->list, id, strlen(id));
    if (living == SW_NONE && reader->after && !sw_request_list_knows(&reader->list, id, strlen(id)) &&
        !find_block_before(reader, id, &living)) {
        return false;
    }
    if (living == SW_NONE) {
        return fail_at_field(reader, field,
                             sw_request_list_knows(&reader->list, id, strlen(id))
                                 ? "'%s' is freed, and has been freed before"
                                 : "'%s' is freed, and was never allocated",
                             id, 0);
    }
    reader->other_sizes += has_size && (uint64_t)size != reader->list.buffers.items[living].size;
    return sw_request_list_free(&reader->list, living, stream, reader->error);
}

static bool read_csv_event(struct requests_reader *reader) {
    struct sw_csv *csv = &reader->csv;
    const struct sw_csv_field *event = field_of(reader, REQUEST_EVENT), *field = field_of(reader, REQUEST_ID);
    int64_t size = 0, stream = 0;
    bool has_size, has_stream;
    if (csv->fields.count > reader->width) {
        return sw_text_fail(csv->input, sw_csv_begin(&csv->fields.items[reader->width]), reader->error,
                            "the row has %zu fields, the header %" PRIu32, csv->fields.count, reader->width);
    }
    if (!event) {
        return sw_text_fail(csv->input, request_place(reader, REQUEST_EVENT), reader->error, "event is blank");
    }
    struct sw_input_text word = trimmed(event);
    bool alloc = sw_text_is(word, "alloc"), empty = sw_text_is(word, "empty_cache");
    if (!alloc && !empty && !sw_text_is(word, "free")) {
        return sw_text_fail(csv->input, sw_csv_begin(event), reader->error,
                            "event '%s' is none of alloc, free and empty_cache", sw_quote(word.at, word.length).text);
    }
    if (!read_request_size(reader, &size, &has_size) ||
        !read_request_number(reader, REQUEST_STREAM, INT64_MIN, INT64_MAX, &stream, &has_stream)) {
        return false;
    }
    if (empty) {
        return sw_request_list_other(&reader->list, SW_REQUEST_EMPTY, SW_NO_ADDRESS, 0, reader->error);
    }
    if (!field) {
        return sw_text_fail(csv->input, request_place(reader, REQUEST_ID), reader->error, "id is blank");
    }
    const char *id = sw_csv_text(csv, field);
    if (!id) {
        return sw_fail_memory(reader->error);
    }
    return alloc ? read_csv_alloc(reader, field, id, has_size, size, stream)
                 : read_csv_free(reader, field, id, has_size, size, has_stream ? &stream : NULL);
}

static bool read_events(struct requests_reader *reader, struct sw_builder *builder) {
    if (!sw_request_list_begin(&reader->list, "free-list", reader->error) || !read_requests_header(reader, builder)) {
        return false;
    }
    for (bool got = true; got;) {
        if (!sw_csv_next(&reader->csv, &got, reader->error)) {
            return false;
        }
        if (got && !read_csv_event(reader)) {
            if (reader->error->line == 0) { /* of the list */
                sw_error_at(reader->error, NULL, reader->csv.line, 1);
            }
            return false;
        }
    }
    return sw_request_list_build(&reader->list, builder, reader->error) &&
           (reader->other_sizes == 0 ||
            sw_notef(builder, reader->error, "%" PRIu64 " free%s another size than was asked for, which is not used",
                     reader->other_sizes, reader->other_sizes == 1 ? " tells" : "s tell"));
}

static bool requests_csv_read(const struct sw_input *input, const struct sw_load_options *options,
                              struct sw_builder *builder, struct sw_error *error) {
    struct requests_reader reader = {.error = error, .after = options ? options->after : NULL};
    if (!sw_text_check(input, error)) {
        return false;
    }
    sw_csv_open(&reader.csv, input);
    bool good = read_events(&reader, builder);
    sw_csv_close(&reader.csv);
    sw_request_list_done(&reader.list);
    return good;
}

/* ---- writing ---- */

struct requests_table {
    const struct sw_problem *problem;
    const struct sw_requests *requests;
    struct sw_sink *sink;
    bool streams; /* there are several, or one that is not 0 */
    bool *alive;  /* per buffer */
};

static void put_alloc(const struct requests_table *table, uint32_t buffer, uint64_t size, uint32_t stream) {
    sw_sink_printf(table->sink, "alloc,");
    sw_sink_csv(table->sink, sw_problem_buffer(table->problem, buffer)->name);
    sw_sink_printf(table->sink, ",%" PRIu64, size);
    if (table->streams) {
        sw_sink_printf(table->sink, ",%" PRId64, table->requests->streams.items[stream]);
    }
    sw_sink_printf(table->sink, "\n");
    table->alive[buffer] = true;
}

static void put_free(const struct requests_table *table, uint32_t buffer) {
    if (buffer != SW_NONE && table->alive[buffer]) {
        sw_sink_printf(table->sink, "free,");
        sw_sink_csv(table->sink, sw_problem_buffer(table->problem, buffer)->name);
        sw_sink_printf(table->sink, table->streams ? ",,\n" : ",\n");
        table->alive[buffer] = false;
    }
}

/* Whatever was alive when recording began comes first, by address, so that the table begins with nothing. A table
 * cannot tell of a free that another stream has to complete: it is one where it is asked for. */
static void put_requests(const struct requests_table *table) {
    for (size_t i = 0; i < table->requests->blocks.count; i++) {
        const struct sw_known_block *block = &table->requests->blocks.items[i];
        if (block->state != SW_KNOWN_FREE && block->buffer != SW_NONE) {
            put_alloc(table, block->buffer, block->requested, block->stream);
        }
    }
    for (size_t i = 0; i < table->requests->blocks.count; i++) {
        const struct sw_known_block *block = &table->requests->blocks.items[i];
        if (block->state == SW_KNOWN_WAITING) {
            put_free(table, block->buffer);
        }
    }
    for (size_t i = 0; i < table->requests->items.count; i++) {
        const struct sw_request *request = &table->requests->items.items[i];
        switch (request->kind) {
        case SW_REQUEST_OVER: /* a table cannot tell of that either: the place is given back, and asked for again */
            put_free(table, request->over);
            put_alloc(table, request->buffer, request->size, request->stream);
            break;
        case SW_REQUEST_ALLOC:
            put_alloc(table, request->buffer, request->size, request->stream);
            break;
        case SW_REQUEST_FREE:
        case SW_REQUEST_FREE_ASKED:
        case SW_REQUEST_FREE_COMPLETED:
            put_free(table, request->buffer);
            break;
        case SW_REQUEST_EMPTY:
            sw_sink_printf(table->sink, table->streams ? "empty_cache,,,\n" : "empty_cache,,\n");
            break;
        default: /* what the recorded allocator did, and marks */
            break;
        }
    }
}

static bool requests_csv_write(const struct sw_problem *problem, struct sw_sink *sink, struct sw_error *error) {
    const struct sw_requests *requests = sw_problem_told_requests(problem);
    size_t count = (size_t)sw_problem_buffer_count(problem) + 1;
    if (!requests) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED,
                       "this file tells no requests to an allocator, which the table would hold");
    }
    struct requests_table table = {problem, requests, sink, false, SW_NEW_ZERO(bool, count)};
    for (size_t i = 0; i < requests->streams.count; i++) {
        table.streams |= requests->streams.items[i] != 0;
    }
    if (!table.alive) {
        return sw_fail_memory(error);
    }
    sw_sink_printf(sink, table.streams ? "event,id,size,stream\n" : "event,id,size\n");
    put_requests(&table);
    SW_FREE(table.alive, count);
    return !sink->failed || sw_fail_memory(error);
}

const struct sw_format sw_format_requests_csv = {
    .name = "requests-csv",
    .summary =
        "a table of requests to an allocator: event (alloc, free, empty_cache), id, size, stream; time is the number "
        "of the event",
    .extensions = ".requests.csv .csv",
    .detect = requests_csv_detect,
    .read = requests_csv_read,
    .write_problem = requests_csv_write,
    .lacks = "stacks, addresses, private pools and marks, nor what was written in place, nor that another stream still "
             "used what was freed",
};
