/* What XLA's memory space assignment dumps: which values get a place in the alternate memory (a chip's fast memory), where and
 * when. Three tables, whose files have names that differ in one word:
 *
 *     bufferinfo     the values in the order in which the algorithm takes them, with what they would gain
 *     allocinfo      the places that were assigned; a value may have several, one after another
 *     scheduleinfo   the instructions, which are the times
 *
 * Any of them can be opened; the others are taken when they lie beside it. What is told is the result of each value,
 * printed when all was done, and so is what is written here: a place, or none. The default memory has no addresses. */
#include "formats/logs/decision_log.h"
#include "formats/text/scan.h"
#include "formats/text/unique.h"

#include <glib.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum table { VALUES, PLACES, SCHEDULE, TABLES };
static const struct {
    const char *word, *header;
} tables[TABLES] = {
    [VALUES] = {"bufferinfo", "buffer_id,buffer_name,alt_mem_benefit,size,definition_time,use_times,use_names"},
    [PLACES] = {"allocinfo", "buffer_id,size,offset,start_time,end_time"},
    [SCHEDULE] = {"scheduleinfo", "time,instruction_name"},
};

struct piece {
    const char *text;
    size_t length;
};
struct value {
    int64_t id, size, defined, last;
    struct piece name, benefit, times, uses;
    bool used, scoped;
    uint32_t line, row; /* its number in the file */
};
struct place {
    int64_t id, size, offset, first, last;
    uint32_t line;
    uint32_t value; /* the row of its value; SW_NONE: the table has none */
};
struct reader {
    struct sw_log log;
    struct sw_error *error;
    const struct sw_load_options *options;
    struct sw_input beside[TABLES]; /* the files that were opened here */
    bool have[TABLES];
    struct sw_scan scan; /* the table that is read */
    SW_ARRAY(struct value) values;
    SW_ARRAY(struct place) places;
    struct sw_arena arena;
    struct sw_unique names, operators;
    struct sw_sink schedule; /* as objects */
    uint64_t unknown;        /* places of values that the table does not have */
};

static enum table table_of(const struct sw_input *input) {
    for (int i = 0; i < TABLES; i++) {
        if (!sw_log_begins(input, tables[i].header)) {
            continue;
        }
        const char *after = sw_text_begin(input) + strlen(tables[i].header);
        if (after == sw_text_end(input) || *after == '\n' || *after == '\r' || (i == VALUES && *after == ',')) {
            return (enum table)i;
        }
    }
    return TABLES;
}

/* ---- rows ---- */

static bool bad_row(struct reader *reader, const char *what) {
    return sw_scan_fail(&reader->scan, reader->error, "%s", what);
}

static bool read_number(struct reader *reader, const char *what, int64_t lowest, int64_t highest, int64_t *to) {
    const char *at = reader->scan.at;
    if (!sw_scan_number(&reader->scan, to)) {
        return sw_scan_fail(&reader->scan, reader->error, "%s is not a number", what);
    }
    if (*to < lowest || *to > highest) {
        reader->scan.at = at;
        return sw_scan_fail(&reader->scan, reader->error, "%s must be from %" PRId64 " to %" PRId64, what, lowest, highest);
    }
    return true;
}

static bool read_comma(struct reader *reader) {
    return sw_scan_word(&reader->scan, ",") || bad_row(reader, "a comma is missing here");
}

static bool read_size(struct reader *reader, const char *what, int64_t *to) {
    return read_number(reader, what, 0, (int64_t)SW_MAX_BYTES, to);
}

static bool read_time(struct reader *reader, const char *what, int64_t *to) {
    return read_number(reader, what, -SW_MAX_TIME, SW_LAST_TIME, to);
}

/* A text in quotes; quotes inside are not doubled, so that it ends where `stop` follows. */
static bool read_quoted(struct reader *reader, const char *stop, struct piece *to) {
    struct sw_scan *scan = &reader->scan;
    const char *begin = scan->at + 1;
    if (!sw_scan_word(scan, "\"") || !sw_scan_past(scan, stop)) {
        return bad_row(reader, "a text in quotes is missing here");
    }
    *to = (struct piece){begin, (size_t)(scan->at - begin) - strlen(stop)};
    scan->at -= strlen(stop) - 1; /* behind the quote */
    return true;
}

/* "3;7;9": the last use is the largest. */
static bool read_uses(struct reader *reader, struct value *value) {
    struct sw_scan *scan = &reader->scan;
    value->last = value->defined;
    if (!sw_scan_word(scan, "\"")) {
        return bad_row(reader, "the times of the uses are missing here");
    }
    value->times.text = scan->at;
    while (scan->at < scan->end && *scan->at != '"') {
        int64_t time;
        if (!read_time(reader, "the time of a use", &time) ||
            (!sw_scan_word(scan, ";") && (scan->at == scan->end || *scan->at != '"') &&
             !bad_row(reader, "the times of the uses end with a quote"))) {
            return false;
        }
        value->last = time > value->last ? time : value->last;
        value->used = true;
    }
    value->times.length = (size_t)(scan->at - value->times.text);
    return sw_scan_word(scan, "\"") || bad_row(reader, "the times of the uses end with a quote");
}

static bool read_value(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    struct value value = {.line = scan->line, .row = (uint32_t)reader->values.count};
    int64_t scoped = 0;
    if (!read_number(reader, "buffer_id", -INT64_MAX, INT64_MAX, &value.id) || !read_comma(reader) ||
        !read_quoted(reader, "\",", &value.name) || !read_comma(reader)) {
        return false;
    }
    value.benefit.text = scan->at;
    const char *comma = sw_scan_find(scan->at, scan->end, ",");
    value.benefit.length = (size_t)(comma - scan->at);
    scan->at = comma;
    if (!read_comma(reader) || !read_size(reader, "size", &value.size) || !read_comma(reader) ||
        !read_time(reader, "definition_time", &value.defined) || !read_comma(reader) || !read_uses(reader, &value) ||
        !read_comma(reader)) {
        return false;
    }
    value.uses.text = scan->at + 1; /* to the last quote of the line: names may hold some */
    const char *end = scan->at < scan->end ? memrchr(scan->at + 1, '"', (size_t)(scan->end - scan->at - 1)) : NULL;
    if (!sw_scan_word(scan, "\"") || !end) {
        return bad_row(reader, "the names of the uses are missing here");
    }
    value.uses.length = (size_t)(end - value.uses.text);
    scan->at = end + 1;
    if (scan->at < scan->end && (!read_comma(reader) || !read_number(reader, "is_scoped", 0, 1, &scoped))) {
        return false;
    }
    value.scoped = scoped;
    if (scan->at != scan->end) {
        return bad_row(reader, "nothing may follow in this row");
    }
    return SW_PUSH(&reader->values, value) || sw_fail_memory(reader->error);
}

static bool read_place(struct reader *reader) {
    struct place place = {.line = reader->scan.line, .value = SW_NONE};
    if (!read_number(reader, "buffer_id", -INT64_MAX, INT64_MAX, &place.id) || !read_comma(reader) ||
        !read_size(reader, "size", &place.size) || !read_comma(reader) || !read_size(reader, "offset", &place.offset) ||
        !read_comma(reader) || !read_time(reader, "start_time", &place.first) || !read_comma(reader)) {
        return false;
    }
    const char *at = reader->scan.at;
    if (!read_time(reader, "end_time", &place.last)) {
        return false;
    }
    if (place.last < place.first || place.offset > (int64_t)SW_MAX_BYTES - place.size) {
        reader->scan.at = at;
        return bad_row(reader, place.last < place.first ? "it ends before it begins" : "it would end above 2^61 bytes");
    }
    if (reader->scan.at != reader->scan.end) {
        return bad_row(reader, "nothing may follow in this row");
    }
    return SW_PUSH(&reader->places, place) || sw_fail_memory(reader->error);
}

static bool read_instruction(struct reader *reader) {
    struct sw_scan *scan = &reader->scan;
    int64_t time;
    if (!read_time(reader, "time", &time) || !read_comma(reader)) {
        return false;
    }
    if (scan->at == scan->end) {
        return bad_row(reader, "the name of the instruction is missing");
    }
    const char *copy = sw_arena_string(&reader->arena, scan->at, (size_t)(scan->end - scan->at));
    const char *name = copy ? sw_unique_name(&reader->operators, &reader->arena, copy) : NULL;
    if (!name) {
        return sw_fail_memory(reader->error);
    }
    sw_sink_printf(&reader->schedule, "{\"operator\":");
    sw_sink_json(&reader->schedule, name);
    sw_sink_printf(&reader->schedule, ",\"at\":%" PRId64 "}\n", time);
    return true;
}

static size_t count_lines(const struct sw_input *input) {
    size_t count = 1;
    for (const char *at = sw_text_begin(input), *end = sw_text_end(input);
         at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++) {
        count++;
    }
    return count;
}

static bool read_table(struct reader *reader, enum table table, const struct sw_input *input) {
    static bool (*const rows[TABLES])(struct reader *) = {[VALUES] = read_value, [PLACES] = read_place,
                                                          [SCHEDULE] = read_instruction};
    reader->have[table] = true;
    if (!sw_text_check(input, reader->error)) {
        return false;
    }
    if (table == SCHEDULE && !sw_unique_init(&reader->operators, count_lines(input))) {
        return sw_fail_memory(reader->error);
    }
    sw_scan_open(&reader->scan, input);
    sw_scan_line(&reader->scan); /* the header */
    while (sw_scan_line(&reader->scan)) {
        if (reader->scan.begin < reader->scan.end && !rows[table](reader)) {
            return false;
        }
    }
    return true;
}

/* ---- the files beside ---- */

/* The path with the last word of one table replaced by that of another; NULL with no error: it has none. */
static const char *path_of(struct reader *reader, const char *path, const char *from, const char *to, bool *good) {
    const char *found = NULL;
    for (const char *at = path; (at = strstr(at, from)); at++) {
        found = at;
    }
    *good = true;
    if (!found || strchr(found, '/')) {
        return NULL;
    }
    size_t room = strlen(path) + strlen(to) + 1;
    char *text = sw_arena_new(&reader->arena, room, 1);
    *good = text || sw_fail_memory(reader->error);
    if (text) {
        snprintf(text, room, "%.*s%s%s", (int)(found - path), path, to, found + strlen(from));
    }
    return text;
}

static bool read_beside(struct reader *reader, const char *path, enum table own, enum table table) {
    bool good;
    struct sw_error why = {0};
    const char *other = path_of(reader, path, tables[own].word, tables[table].word, &good);
    if (!other || !sw_input_open(other, &reader->beside[table], &why)) {
        return good && (why.code != SW_ERROR_MEMORY || sw_fail_memory(reader->error));
    }
    if (reader->options && reader->options->uses) {
        reader->options->uses(reader->options->uses_context, other);
    }
    if (table_of(&reader->beside[table]) != table) {
        sw_fail(reader->error, SW_ERROR_INPUT, "the first line of this file is not %s", tables[table].header);
        sw_error_at(reader->error, other, 1, 1);
        return false;
    }
    return read_table(reader, table, &reader->beside[table]);
}

/* ---- which value a place is of ---- */

static int by_id_and_time(const void *a, const void *b) {
    const struct value *x = a, *y = b;
    if (x->id != y->id) {
        return x->id < y->id ? -1 : 1;
    }
    return x->defined != y->defined ? (x->defined < y->defined ? -1 : 1) : (x->row > y->row) - (x->row < y->row);
}

static int by_row(const void *a, const void *b) {
    const struct value *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

static int by_value(const void *a, const void *b) {
    const struct place *x = a, *y = b;
    return x->value != y->value ? (x->value > y->value) - (x->value < y->value) : (x->line > y->line) - (x->line < y->line);
}

/* Values that share a buffer have one id: the place is that of the last one defined before it begins, or of the first. */
static void match_places(struct reader *reader) {
    struct value *values = reader->values.items;
    size_t count = reader->values.count;
    if (count > 1) {
        qsort(values, count, sizeof *values, by_id_and_time);
    }
    for (size_t i = 0; i < reader->places.count; i++) {
        struct place *place = &reader->places.items[i];
        size_t lo = 0, hi = count; /* the first value behind (id, first) */
        while (lo < hi) {
            size_t mid = lo + (hi - lo) / 2;
            bool before = values[mid].id != place->id ? values[mid].id < place->id : values[mid].defined <= place->first;
            lo = before ? mid + 1 : lo;
            hi = before ? hi : mid;
        }
        if (lo > 0 && values[lo - 1].id == place->id) {
            place->value = values[lo - 1].row;
        } else if (lo < count && values[lo].id == place->id) {
            place->value = values[lo].row;
        }
        reader->unknown += place->value == SW_NONE;
    }
    if (count > 1) {
        qsort(values, count, sizeof *values, by_row);
    }
    if (reader->places.count > 1) {
        qsort(reader->places.items, reader->places.count, sizeof *reader->places.items, by_value);
    }
}

/* ---- the trace ---- */

static void put_source(struct reader *reader, enum table table, uint32_t line) {
    sw_sink_printf(&reader->log.body, ",\"source\":\"%s line %" PRIu32 "\"", tables[table].word, line);
    sw_log_end(&reader->log, 0);
}

/* What the table says about a value, as a reason. */
static void put_value(struct reader *reader, const struct value *value, struct piece what) {
    struct sw_sink text = {0};
    struct sw_log *log = &reader->log;
    const char *benefit = sw_log_copy(log, value->benefit.text, value->benefit.length);
    char *end = NULL;
    double figure = benefit ? g_ascii_strtod(benefit, &end) : 0;
    bool is_figure = end && end > benefit && *end == '\0' && isfinite(figure);
    if (!is_figure) { /* infinite, or no number */
        sw_sink_printf(&text, "benefit ");
        sw_sink_add(&text, value->benefit.text, value->benefit.length);
        sw_sink_printf(&text, "; ");
    }
    sw_sink_add(&text, what.text, what.length);
    sw_sink_printf(&text, "%sdefined at %" PRId64, what.length > 0 ? "; " : "", value->defined);
    if (value->used) {
        sw_sink_printf(&text, ", used at ");
        sw_sink_add(&text, value->times.text, value->times.length);
        sw_sink_printf(&text, ": ");
        sw_sink_add(&text, value->uses.text, value->uses.length);
    } else {
        sw_sink_printf(&text, value->scoped ? ", scoped" : ", never used");
    }
    sw_log_field(log, "reason", text.text.items ? text.text.items : "", text.text.count);
    log->body.failed |= text.failed;
    sw_sink_done(&text);
    sw_sink_printf(&log->body, ",\"figures\":{\"size\":%" PRId64, value->size);
    if (is_figure) {
        sw_sink_printf(&log->body, ",\"alt_mem_benefit\":");
        sw_sink_number(&log->body, figure);
    }
    sw_sink_printf(&log->body, "}");
}

/* A place: a buffer for that stretch of a value's life, and the decision. */
static void put_place(struct reader *reader, const struct place *place, const struct value *value) {
    struct sw_log *log = &reader->log;
    char text[120] = "";
    struct piece given = value ? value->name : (struct piece){text, 0};
    if (!value || given.length == 0) {
        given.length = (size_t)snprintf(text, sizeof text, "buffer %" PRId64, place->id);
        given.text = text;
    }
    const char *copy = sw_unique_text(&reader->arena, given.text, given.length);
    const char *name = copy ? sw_unique_name(&reader->names, &reader->arena, copy) : NULL;
    if (!name) {
        log->body.failed = true;
        return;
    }
    sw_sink_printf(&log->body, "{\"buffer\":");
    sw_sink_json(&log->body, name);
    sw_sink_printf(&log->body, ",\"size\":%" PRId64 ",\"first\":%" PRId64 ",\"last\":%" PRId64 ",\"tier\":\"alternate\"",
                   place->size, place->first, place->last);
    put_source(reader, PLACES, place->line);
    sw_sink_printf(&log->body, "{\"decision\":\"place\",\"buffer\":");
    sw_sink_json(&log->body, name);
    sw_sink_printf(&log->body, ",\"tier\":\"alternate\",\"offset\":%" PRId64, place->offset);
    if (value) {
        bool late = place->first > value->defined, early = value->used && place->last < value->last;
        snprintf(text, sizeof text, "%s%s%s", late ? "it comes from the default memory" : "", late && early ? ", " : "",
                 early ? "it leaves before its last use" : "");
        put_value(reader, value, (struct piece){text, strlen(text)});
    }
    put_source(reader, PLACES, place->line);
}

/* Without a table of places a value is a buffer that has none. */
static void put_buffer(struct reader *reader, const struct value *value) {
    struct sw_log *log = &reader->log;
    const char *copy = sw_unique_text(&reader->arena, value->name.text, value->name.length);
    const char *name = copy ? sw_unique_name(&reader->names, &reader->arena, *copy ? copy : "buffer") : NULL;
    if (!name) {
        log->body.failed = true;
        return;
    }
    sw_sink_printf(&log->body, "{\"buffer\":");
    sw_sink_json(&log->body, name);
    sw_sink_printf(&log->body, ",\"size\":%" PRId64 ",\"first\":%" PRId64 ",\"last\":%" PRId64, value->size, value->defined,
                   value->last);
    put_source(reader, VALUES, value->line);
    sw_sink_printf(&log->body, "{\"decision\":\"value\",\"buffer\":");
    sw_sink_json(&log->body, name);
    put_value(reader, value, (struct piece){"", 0});
    put_source(reader, VALUES, value->line);
}

static void put_name_as_group(struct reader *reader, const struct value *value) {
    sw_sink_printf(&reader->log.body, "{\"group\":");
    sw_log_text(&reader->log, &reader->log.body, value->name.text, value->name.length);
    sw_sink_add(&reader->log.body, "}\n", 2);
}

static void put_all(struct reader *reader) {
    struct sw_log *log = &reader->log;
    const struct place *places = reader->places.items;
    size_t at = 0, end = reader->places.count;
    sw_sink_add(&log->body, reader->schedule.text.items, reader->schedule.text.count);
    log->body.failed |= reader->schedule.failed;
    for (size_t i = 0; i < reader->values.count; i++) {
        const struct value *value = &reader->values.items[i];
        put_name_as_group(reader, value);
        if (!reader->have[PLACES]) {
            put_buffer(reader, value);
        } else if (at == end || places[at].value != value->row) {
            sw_sink_printf(&log->body, "{\"decision\":\"default memory\"");
            put_value(reader, value, value->name);
            put_source(reader, VALUES, value->line);
        }
        for (; at < end && places[at].value == value->row; at++) {
            put_place(reader, &places[at], value);
        }
    }
    for (; at < end; at++) {
        put_place(reader, &places[at], NULL);
    }
}

static void tell(struct reader *reader) {
    struct sw_log *log = &reader->log;
    sw_log_note(log, "both ends of a time are inside; times are places in XLA's schedule, and only the alternate memory has "
                     "addresses");
    sw_log_note(log, "XLA's tables have results, not events: neither what was tried, evicted and packed again, nor reasons, nor "
                     "the size of the alternate memory");
    for (int i = 0; i < TABLES; i++) {
        if (!reader->have[i]) {
            sw_log_note(log, "there is no %s beside this file: %s", tables[i].word,
                        i == VALUES   ? "the order of the decisions, names and uses are not known"
                        : i == PLACES ? "what was decided about these values is not known"
                                      : "what runs at a time is not known");
        }
    }
    if (reader->unknown > 0 && reader->have[VALUES]) {
        sw_log_note(log, "%" PRIu64 " place%s of buffers that bufferinfo does not have", reader->unknown,
                    reader->unknown == 1 ? " is" : "s are");
    }
}

static bool read_all(struct reader *reader, const struct sw_input *input) {
    enum table own = table_of(input);
    if (!read_table(reader, own, input)) {
        return false;
    }
    for (int i = 0; i < TABLES; i++) {
        if (i != (int)own && !read_beside(reader, input->name, own, (enum table)i)) {
            return false;
        }
    }
    if (!reader->have[VALUES] && !reader->have[PLACES]) {
        return sw_fail(reader->error, SW_ERROR_INPUT,
                       "this is XLA's schedule alone; bufferinfo and allocinfo, which say what was decided, must lie beside it "
                       "and have names like its own");
    }
    match_places(reader);
    if (!sw_unique_init(&reader->names, reader->places.count + reader->values.count + 1)) {
        return sw_fail_memory(reader->error);
    }
    put_all(reader);
    tell(reader);
    if (reader->have[PLACES]) {
        sw_log_tier(&reader->log, "alternate", 0);
    }
    sw_log_run(&reader->log, NULL, reader->have[PLACES] ? "" : ",\"no_addresses\":true");
    return true;
}

static bool msa_rewrite(const struct sw_input *input, const struct sw_load_options *options, struct sw_sink *sink,
                        struct sw_error *error) {
    struct sw_error own = {0};
    struct reader reader = {.log = {.out = sink, .planner = "XLA memory space assignment"}, .error = &own, .options = options};
    bool good = read_all(&reader, input);
    for (int i = 0; i < TABLES; i++) {
        sw_input_close(&reader.beside[i]);
    }
    SW_ARRAY_DONE(&reader.values);
    SW_ARRAY_DONE(&reader.places);
    sw_sink_done(&reader.schedule);
    if (reader.names.table) {
        sw_unique_done(&reader.names);
    }
    if (reader.operators.table) {
        sw_unique_done(&reader.operators);
    }
    sw_arena_done(&reader.arena);
    good = sw_log_done(&reader.log, good, &own);
    if (!good && error) {
        *error = own;
    }
    return good;
}

static bool msa_detect(const struct sw_input *input) {
    return table_of(input) != TABLES;
}

const struct sw_format sw_format_xla_msa = {
    .name = "xla-memory-space",
    .summary = "XLA's memory space assignment: its tables bufferinfo, allocinfo and scheduleinfo beside each other; both ends of "
               "a time are inside",
    .extensions = ".csv",
    .detect = msa_detect,
    .rewrite = msa_rewrite,
    .locate = sw_log_locate,
};
