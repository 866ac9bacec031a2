/* Buffers as CSV: the format of MiniMalloc, with `hint` and `tier` added. */
#include "formats/graphs/buffers_csv.h"
#include "formats/graphs/moment_file.h"
#include "base/base.h"
#include "base/sort.h"

#include "formats/text/csv.h"

/* ---- reading ---- */

/* During [first, last] the buffer holds only the bytes [lo, hi); nothing when lo = hi. */
struct gap_entry {
    int64_t first, last;
    uint64_t lo, hi;
    const char *at;
    size_t length;
};
struct table_reader {
    struct sw_csv csv;
    struct sw_columns columns;
    struct sw_builder *builder;
    struct sw_error *error;
    SW_ARRAY(struct gap_entry) gaps;
    SW_ARRAY(struct sw_piece_spec) pieces;
    struct sw_arena arena; /* names of tiers */
    const char *tiers[SW_MAX_TIERS];
    uint32_t tier_count;
};

static bool copy_csv_field(struct table_reader *reader, const struct sw_csv_field *field, const char **text) {
    *text = sw_csv_text(&reader->csv, field);
    return *text || sw_fail_memory(reader->error);
}

/* A signed integer at *at, which moves past it. */
static bool take_integer(const char **at, const char *end, int64_t *value) {
    const char *stop = *at;
    stop += stop < end && *stop == '-';
    while (stop < end && sw_is_digit(*stop)) {
        stop++;
    }
    if (sw_number_parse(*at, (size_t)(stop - *at), value) != SW_NUMBER_OK || *value > SW_MAX_TIME ||
        *value < -SW_MAX_TIME) {
        return false;
    }
    *at = stop;
    return true;
}

static bool take_gap_char(const char **at, const char *end, char wanted) {
    bool there = *at < end && **at == wanted;
    *at += there;
    return there;
}

/* "a-b" or "a-b@lo:hi". */
static bool parse_gap(struct table_reader *reader, const char *at, size_t length, struct gap_entry *gap) {
    const char *end = at + length, *to = at;
    int64_t lower, upper, lo = 0, hi = 0;
    *gap = (struct gap_entry){.at = at, .length = length};
    bool good = take_integer(&to, end, &lower) && take_gap_char(&to, end, '-') && take_integer(&to, end, &upper);
    bool window = good && to < end;
    if (window) {
        good = take_gap_char(&to, end, '@') && take_integer(&to, end, &lo) && take_gap_char(&to, end, ':') &&
               take_integer(&to, end, &hi);
    }
    if (!good || to != end) {
        return sw_text_fail(reader->csv.input, at, reader->error, "gap '%s' is neither a-b nor a-b@lo:hi",
                            sw_quote(at, length).text);
    }
    gap->first = lower + reader->columns.late;
    gap->last = reader->columns.inclusive ? upper : upper - 1;
    gap->lo = (uint64_t)lo;
    gap->hi = (uint64_t)hi;
    if (gap->last < gap->first || (window && (lo < 0 || hi <= lo))) {
        return sw_text_fail(reader->csv.input, at, reader->error, "gap '%s' is empty", sw_quote(at, length).text);
    }
    return true;
}

SW_BY_FIELDS(compare_gaps, struct gap_entry, SW_UP(first), SW_UP(at))

static bool check_gap(struct table_reader *reader, const struct gap_entry *gap, const struct gap_entry *before,
                      const struct sw_buffer_spec *spec) {
    const char *wrong = NULL;
    if (gap->first < spec->first || gap->last > spec->last) {
        wrong = "is outside the lifetime";
    } else if (gap->hi > spec->size) {
        wrong = "names bytes beyond the size";
    } else if (before && before->last >= gap->first) {
        wrong = "overlaps another gap";
    }
    return !wrong || sw_text_fail(reader->csv.input, gap->at, reader->error, "gap '%s' %s",
                                  sw_quote(gap->at, gap->length).text, wrong);
}

/* Append a piece, or make the last one longer when it goes on in the same bytes. */
static bool add_piece(struct table_reader *reader, int64_t first, int64_t last, uint64_t lo, uint64_t hi) {
    size_t count = reader->pieces.count;
    struct sw_piece_spec *before = count ? &reader->pieces.items[count - 1] : NULL;
    if (first > last || lo == hi) {
        return true;
    }
    if (before && before->last + 1 == first && before->lo == lo && before->hi == hi) {
        before->last = last;
        return true;
    }
    struct sw_piece_spec piece = {first, last, lo, hi};
    return SW_PUSH(&reader->pieces, piece) || sw_fail_memory(reader->error);
}

/* What is left of the lifetime between and inside the gaps. */
static bool make_pieces(struct table_reader *reader, const struct sw_csv_field *field, struct sw_buffer_spec *spec) {
    int64_t at = spec->first;
    reader->pieces.count = 0;
    for (size_t i = 0; i < reader->gaps.count; i++) {
        const struct gap_entry *gap = &reader->gaps.items[i];
        if (!check_gap(reader, gap, i ? gap - 1 : NULL, spec) ||
            !add_piece(reader, at, gap->first - 1, 0, spec->size) ||
            !add_piece(reader, gap->first, gap->last, gap->lo, gap->hi)) {
            return false;
        }
        at = gap->last + 1;
    }
    if (!add_piece(reader, at, spec->last, 0, spec->size)) {
        return false;
    }
    if (reader->pieces.count == 0 && spec->size > 0) {
        return sw_text_fail(reader->csv.input, sw_csv_begin(field), reader->error,
                            "the gaps leave nothing of the lifetime");
    }
    spec->pieces = reader->pieces.items;
    spec->piece_count = reader->pieces.count;
    return true;
}

static bool read_gaps(struct table_reader *reader, struct sw_buffer_spec *spec) {
    const struct sw_csv_field *field = sw_columns_field(&reader->csv, &reader->columns, SW_COLUMN_GAPS);
    if (!field) {
        return true;
    }
    const char *at = field->text, *end = field->text + field->length;
    reader->gaps.count = 0;
    while (at < end) {
        const char *stop = at;
        while (stop < end && *stop != ' ' && *stop != '\t') {
            stop++;
        }
        struct gap_entry gap;
        if (stop > at) {
            if (!parse_gap(reader, at, (size_t)(stop - at), &gap) ||
                !(SW_PUSH(&reader->gaps, gap) || sw_fail_memory(reader->error))) {
                return false;
            }
        }
        at = stop + (stop < end);
    }
    sw_sort(reader->gaps.items, reader->gaps.count, sizeof *reader->gaps.items, compare_gaps);
    return make_pieces(reader, field, spec);
}

/* Tiers come into being when a row names them, in that order and without bounds. */
static bool read_tier_field(struct table_reader *reader, const char **tier) {
    const struct sw_csv_field *field = sw_columns_field(&reader->csv, &reader->columns, SW_COLUMN_TIER);
    if (!field) {
        return true;
    }
    const char *text;
    if (!copy_csv_field(reader, field, &text)) {
        return false;
    }
    for (uint32_t i = 0; i < reader->tier_count; i++) {
        if (strcmp(reader->tiers[i], text) == 0) {
            *tier = reader->tiers[i];
            return true;
        }
    }
    if (reader->tier_count == SW_MAX_TIERS) {
        return sw_text_fail(reader->csv.input, sw_csv_begin(field), reader->error, "more than %d tiers", SW_MAX_TIERS);
    }
    *tier = sw_arena_string(&reader->arena, text, strlen(text));
    if (!*tier) {
        return sw_fail_memory(reader->error);
    }
    reader->tiers[reader->tier_count++] = *tier;
    struct sw_tier fresh = {.name = *tier, .capacity = SW_UNBOUNDED};
    return sw_builder_tier(reader->builder, &fresh, reader->error);
}

/* A number that may be blank. */
static bool read_optional(struct table_reader *reader, enum sw_column column, int64_t lowest, int64_t highest,
                          bool *has, uint64_t *to) {
    int64_t value = 0;
    *has = sw_columns_field(&reader->csv, &reader->columns, column) != NULL;
    if (*has && !sw_columns_number(&reader->csv, &reader->columns, column, lowest, highest, &value, reader->error)) {
        return false;
    }
    *to = (uint64_t)value;
    return true;
}

/* MiniMalloc and others write -1 for "no hint". */
static bool read_hint(struct table_reader *reader, struct sw_buffer_spec *spec) {
    const struct sw_csv_field *field = sw_columns_field(&reader->csv, &reader->columns, SW_COLUMN_HINT);
    int64_t value;
    if (field && sw_number_parse(field->text, field->length, &value) == SW_NUMBER_OK && value == -1) {
        return true;
    }
    return read_optional(reader, SW_COLUMN_HINT, 0, (int64_t)SW_MAX_BYTES, &spec->has_hint, &spec->hint);
}

static bool read_row(struct table_reader *reader) {
    struct sw_csv *csv = &reader->csv;
    const struct sw_columns *columns = &reader->columns;
    const struct sw_csv_field *id = &csv->fields.items[columns->index[SW_COLUMN_ID]];
    struct sw_buffer_spec spec = {.kind = SW_KIND_INTERMEDIATE, .has_size = true, .has_first = true, .has_last = true};
    int64_t size;
    bool given;
    if (id->length == 0) {
        return sw_text_fail(csv->input, sw_csv_begin(id), reader->error, "%s is blank",
                            sw_column_name(columns, SW_COLUMN_ID));
    }
    if (!sw_columns_lifetime(csv, columns, &spec.first, &spec.last, reader->error) ||
        !sw_columns_number(csv, columns, SW_COLUMN_SIZE, 0, (int64_t)SW_MAX_BYTES, &size, reader->error)) {
        return false;
    }
    spec.size = (uint64_t)size;
    if (!read_optional(reader, SW_COLUMN_ALIGNMENT, 1, (int64_t)SW_MAX_ALIGNMENT, &given, &spec.alignment) ||
        !read_optional(reader, SW_COLUMN_OFFSET, 0, (int64_t)SW_MAX_BYTES, &spec.has_offset, &spec.offset) ||
        !read_hint(reader, &spec) || !read_gaps(reader, &spec)) {
        return false;
    }
    struct sw_position position = sw_csv_position(csv, id);
    sw_builder_at(reader->builder, position.line, position.column);
    /* The name last: it shares its memory with the tier's. */
    return read_tier_field(reader, &spec.tier) && copy_csv_field(reader, id, &spec.name) &&
           sw_builder_buffer(reader->builder, &spec, reader->error);
}

/* What the user says that the times mean. */
static bool set_intervals(struct table_reader *reader, enum sw_intervals intervals) {
    static const char *const notes[] = {NULL,
                                        "--intervals half-open: the lower time is inside a life, the upper is not",
                                        "--intervals inclusive: the lower and the upper time are both inside a life",
                                        "--intervals exclusive: neither the lower nor the upper time is inside a life"};
    if (intervals == SW_INTERVALS_AS_NAMED) {
        return true;
    }
    reader->columns.inclusive = intervals == SW_INTERVALS_INCLUSIVE;
    reader->columns.late = intervals == SW_INTERVALS_EXCLUSIVE;
    return sw_builder_note(reader->builder, notes[intervals], reader->error);
}

/* OmniMalloc's first line. */
static bool note_pool(struct table_reader *reader) {
    static const char mark[] = "# pool_offset=";
    const char *at = sw_text_begin(reader->csv.input), *end = sw_text_end(reader->csv.input);
    size_t length = sizeof mark - 1;
    if ((size_t)(end - at) <= length || memcmp(at, mark, length) != 0) {
        return true;
    }
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    size_t rest = (size_t)((stop ? stop : end) - at) - length;
    return sw_notef(reader->builder, reader->error,
                    "the pool begins at %s: offsets here count from there (--base adds it)",
                    sw_quote(at + length, rest && at[length + rest - 1] == '\r' ? rest - 1 : rest).text);
}

/* Say what was assumed and what was left out. */
static bool add_table_notes(struct table_reader *reader) {
    if (!note_pool(reader)) {
        return false;
    }
    if (reader->columns.inclusive &&
        !sw_builder_note(reader->builder, "column end: that time is still part of the lifetime", reader->error)) {
        return false;
    }
    for (size_t i = 0; i < reader->csv.fields.count; i++) {
        const struct sw_csv_field *field = &reader->csv.fields.items[i];
        bool inclusive;
        if (sw_column_find(field->text, field->length, &inclusive) == SW_COLUMN_COUNT &&
            !sw_notef(reader->builder, reader->error, "column %s is not used",
                      sw_quote(field->text, field->length).text)) {
            return false;
        }
    }
    return true;
}

static bool read_buffer_table(struct table_reader *reader, enum sw_intervals intervals) {
    const unsigned required = 1u << SW_COLUMN_ID | 1u << SW_COLUMN_LOWER | 1u << SW_COLUMN_UPPER | 1u << SW_COLUMN_SIZE;
    if (!sw_columns_read(&reader->csv, required, &reader->columns, reader->error) || !add_table_notes(reader) ||
        !set_intervals(reader, intervals)) {
        return false;
    }
    for (bool got = true; got;) {
        if (!sw_columns_next(&reader->csv, &reader->columns, &got, reader->error) || (got && !read_row(reader))) {
            return false;
        }
    }
    return true;
}

static bool csv_read(const struct sw_input *input, const struct sw_load_options *options, struct sw_builder *builder,
                     struct sw_error *error) {
    if (!sw_text_check(input, error)) {
        return false;
    }
    struct table_reader reader = {.builder = builder, .error = error};
    sw_csv_open(&reader.csv, input);
    bool good = read_buffer_table(&reader, options ? options->intervals : SW_INTERVALS_AS_NAMED);
    sw_csv_close(&reader.csv);
    SW_ARRAY_DONE(&reader.gaps, &reader.pieces);
    sw_arena_done(&reader.arena);
    return good;
}

bool sw_csv_detect(const struct sw_input *input) {
    struct sw_csv_words words = sw_csv_words(input);
    bool inclusive;
    while (sw_csv_words_next(&words)) {
        if (sw_column_find(words.text, words.length, &inclusive) != SW_COLUMN_COUNT) {
            return true;
        }
    }
    return false;
}

static bool csv_detect(const struct sw_input *input) {
    return sw_csv_detect(input) && !sw_format_requests_csv.detect(input);
}

/* ---- writing ---- */

bool sw_csv_gaps_hold(const struct sw_buffer *buffer) {
    for (uint32_t i = 1; i < buffer->piece_count; i++) {
        if (buffer->pieces[i].first <= buffer->pieces[i - 1].last) {
            return false;
        }
    }
    return true;
}

void sw_csv_add_gaps(const struct sw_problem *problem, const struct sw_buffer *buffer, struct sw_sink *sink) {
    const char *space = "";
    for (uint32_t i = 0; i < buffer->piece_count; i++) {
        const struct sw_piece *piece = &buffer->pieces[i];
        if (i > 0 && piece[-1].last + 1 < piece->first) {
            sw_sink_printf(sink, "%s%" PRId64 "-%" PRId64, space, sw_problem_time(problem, piece[-1].last + 1),
                           sw_problem_time(problem, piece->first));
            space = " ";
        }
        if (piece->lo != 0 || piece->hi != buffer->size) {
            sw_sink_printf(sink, "%s%" PRId64 "-%" PRId64 "@%" PRIu64 ":%" PRIu64, space,
                           sw_problem_time(problem, piece->first), sw_problem_time(problem, piece->last + 1), piece->lo,
                           piece->hi);
            space = " ";
        }
    }
}

void sw_csv_add_buffer(const struct sw_problem *problem, const struct sw_buffer *buffer, uint32_t from, uint32_t to,
                       struct sw_sink *sink) {
    sw_sink_csv(sink, buffer->name);
    sw_sink_printf(sink, ",%" PRId64 ",%" PRId64 ",%" PRIu64, sw_problem_time(problem, from),
                   sw_problem_time(problem, to + 1), buffer->size);
}

/* Which of the optional columns does the problem need? */
struct wanted {
    bool alignment, offset, hint, tier, gaps;
};

static struct wanted wanted_buffer_columns(const struct sw_problem *problem) {
    struct wanted wanted = {0};
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, i);
        if (!buffer->planned) {
            continue;
        }
        wanted.alignment |= buffer->alignment != 1;
        wanted.offset |= buffer->has_offset;
        wanted.hint |= buffer->has_hint;
        wanted.tier |= buffer->tier != SW_NONE;
        wanted.gaps |= !sw_plain_life(buffer);
    }
    return wanted;
}

static void write_row(const struct sw_problem *problem, const struct sw_buffer *buffer, struct wanted wanted,
                      struct sw_sink *sink) {
    sw_csv_add_buffer(problem, buffer, buffer->first, buffer->last, sink);
    if (wanted.alignment) {
        sw_sink_printf(sink, ",%" PRIu64, buffer->alignment);
    }
    const bool columns[] = {wanted.offset, wanted.hint};
    const bool has[] = {buffer->has_offset, buffer->has_hint};
    const uint64_t values[] = {buffer->offset, buffer->hint};
    for (size_t i = 0; i < 2; i++) {
        if (columns[i]) {
            sw_sink_add(sink, ",", 1);
        }
        if (columns[i] && has[i]) {
            sw_sink_printf(sink, "%" PRIu64, values[i]);
        }
    }
    if (wanted.tier) {
        sw_sink_add(sink, ",", 1);
        sw_sink_csv(sink, buffer->tier == SW_NONE ? "" : sw_problem_tier(problem, buffer->tier)->name);
    }
    if (wanted.gaps) {
        sw_sink_add(sink, ",", 1);
        if (!sw_plain_life(buffer)) {
            sw_csv_add_gaps(problem, buffer, sink);
        }
    }
    sw_sink_add(sink, "\n", 1);
}

static bool csv_write(const struct sw_problem *problem, struct sw_sink *sink, struct sw_error *error) {
    if (sw_problem_moment(problem)) {
        sw_moment_csv_put(sw_problem_moment(problem), sink);
        return !sink->failed || sw_fail_memory(error);
    }
    struct wanted wanted = wanted_buffer_columns(problem);
    sw_sink_printf(sink, "id,lower,upper,size%s%s%s%s%s\n", wanted.alignment ? ",alignment" : "",
                   wanted.offset ? ",offset" : "", wanted.hint ? ",hint" : "", wanted.tier ? ",tier" : "",
                   wanted.gaps ? ",gaps" : "");
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, i);
        if (!buffer->planned) {
            continue;
        }
        if (!sw_csv_gaps_hold(buffer)) {
            return sw_fail(error, SW_ERROR_UNSUPPORTED,
                           "CSV cannot say how %s lives: two pieces share a step (write .json)", buffer->name);
        }
        write_row(problem, buffer, wanted, sink);
    }
    return !sink->failed || sw_fail_memory(error);
}

const struct sw_format sw_format_buffers_csv = {
    .name = "buffers-csv",
    .summary = "a table of buffers, or a plan: lower is the first time, upper the first time after "
               "(an `end` column is the last time)",
    .extensions = ".csv .txt",
    .detect = csv_detect,
    .read = csv_read,
    .heeds = SW_HEEDS_INTERVALS,
    .write_problem = csv_write,
    .holds_moments = true,
};
