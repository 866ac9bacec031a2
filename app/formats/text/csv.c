#include "formats/text/csv.h"
#include "base/base.h"
#include "formats/text/foreign.h"

void sw_csv_open(struct sw_csv *csv, const struct sw_input *input) {
    *csv = (struct sw_csv){
        .input = input, .at = sw_text_begin(input), .end = sw_text_end(input), .line = 1, .next_line = 1};
    while (csv->at < csv->end && *csv->at == '#') {
        const char *stop = memchr(csv->at, '\n', (size_t)(csv->end - csv->at));
        csv->at = stop ? stop + 1 : csv->end;
        csv->next_line++;
    }
}

void sw_csv_close(struct sw_csv *csv) {
    SW_ARRAY_DONE(&csv->fields, &csv->scratch);
}

/* A field that begins with a quote; `csv->at` ends on its comma or line break. */
static bool quoted_field(struct sw_csv *csv, struct sw_csv_field *field, struct sw_error *error) {
    const char *open = csv->at, *at = open + 1;
    *field = (struct sw_csv_field){.text = at, .quoted = true};
    for (;;) {
        at = at < csv->end ? memchr(at, '"', (size_t)(csv->end - at)) : NULL;
        if (!at) {
            return sw_text_fail(csv->input, open, error, "the quote is never closed");
        }
        if (at + 1 == csv->end || at[1] != '"') {
            break;
        }
        field->doubled = true;
        at += 2;
    }
    field->length = (size_t)(at - field->text);
    for (const char *c = field->text; (c = memchr(c, '\n', (size_t)(at - c))); c++) {
        csv->next_line++;
        csv->broken = true;
    }
    at++;
    if (at < csv->end && *at == '\r' && (at + 1 == csv->end || at[1] == '\n')) {
        at++;
    }
    if (at < csv->end && *at != ',' && *at != '\n') {
        return sw_text_fail(csv->input, at, error, "text after the closing quote");
    }
    csv->at = at;
    return true;
}

static void plain_field(struct sw_csv *csv, struct sw_csv_field *field) {
    const char *at = csv->at;
    while (at < csv->end && *at != ',' && *at != '\n') {
        at++;
    }
    *field = (struct sw_csv_field){.text = csv->at, .length = (size_t)(at - csv->at)};
    bool last = at == csv->end || *at == '\n';
    if (last && field->length > 0 && at[-1] == '\r') {
        field->length--;
    }
    csv->at = at;
}

bool sw_csv_next(struct sw_csv *csv, bool *got, struct sw_error *error) {
    *got = false;
    while (csv->at < csv->end) {
        csv->fields.count = 0;
        csv->row = csv->at;
        csv->line = csv->next_line;
        csv->broken = false;
        for (bool more = true; more;) {
            struct sw_csv_field field;
            if (csv->at < csv->end && *csv->at == '"') {
                if (!quoted_field(csv, &field, error)) {
                    return false;
                }
            } else {
                plain_field(csv, &field);
            }
            if (!SW_PUSH(&csv->fields, field)) {
                return sw_fail_memory(error);
            }
            more = csv->at < csv->end && *csv->at == ',';
            csv->at += more;
        }
        csv->row_end = csv->at;
        if (csv->at < csv->end) {
            csv->at++;
            csv->next_line++;
        }
        const struct sw_csv_field *only = csv->fields.items;
        if (csv->fields.count > 1 || only->length > 0 || only->quoted) {
            *got = true;
            return true;
        }
    }
    return true;
}

struct sw_position sw_csv_position(const struct sw_csv *csv, const struct sw_csv_field *field) {
    const char *begin = sw_csv_begin(field);
    size_t column = (size_t)(begin - csv->row) + 1;
    if (!csv->broken && column <= UINT32_MAX) {
        return (struct sw_position){csv->line, (uint32_t)column};
    }
    return sw_text_position(csv->input, begin);
}

/* Escapes become what they stand for, and a formula loses the apostrophe before it: sw_sink_csv. It
 * never becomes longer. */
static void disarm(char *text) {
    size_t length = strlen(text);
    char *to = text;
    for (size_t i = 0, used; i < length; i += used) {
        uint32_t code;
        used = sw_csv_escape(text + i, length - i, &code);
        if (used) {
            to += sw_utf8_encode(code, to);
        } else {
            *to++ = text[i];
            used = 1;
        }
    }
    *to = '\0';
    length = (size_t)(to - text);
    if (*text == '\'' && sw_csv_is_formula(text + 1, length - 1)) {
        memmove(text, text + 1, length);
    }
}

const char *sw_csv_text(struct sw_csv *csv, const struct sw_csv_field *field) {
    if (!SW_RESERVE(&csv->scratch, field->length + 1)) {
        return NULL;
    }
    char *to = csv->scratch.items;
    if (!field->doubled) {
        memcpy(to, field->text, field->length);
        to += field->length;
    }
    for (size_t i = 0; field->doubled && i < field->length; i++) {
        *to++ = field->text[i];
        i += field->text[i] == '"';
    }
    *to = '\0';
    if (field->length > 1 && (*csv->scratch.items == '\'' || memchr(field->text, '\\', field->length))) {
        disarm(csv->scratch.items);
    }
    return csv->scratch.items;
}

const char *sw_csv_trim(const char *text, size_t *length) {
    while (*length > 0 && (*text == ' ' || *text == '\t')) {
        text++;
        --*length;
    }
    while (*length > 0 && (text[*length - 1] == ' ' || text[*length - 1] == '\t')) {
        --*length;
    }
    return text;
}

struct sw_csv_words sw_csv_words(const struct sw_input *input) {
    const char *at = sw_text_begin(input), *end = sw_text_end(input);
    while (at < end && (*at == '#' || *at == '\n' || *at == '\r')) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        at = stop ? stop + 1 : end;
    }
    return (struct sw_csv_words){.next = at < end ? at : NULL, .end = end};
}

bool sw_csv_words_next(struct sw_csv_words *words) {
    const char *at = words->next, *stop = at;
    if (!at) {
        return false;
    }
    while (stop < words->end && *stop != ',' && *stop != '\n' && *stop != '\r') {
        stop++;
    }
    bool quoted = stop - at >= 2 && *at == '"' && stop[-1] == '"';
    words->length = (size_t)(stop - at) - (quoted ? 2 : 0);
    words->text = sw_csv_trim(at + quoted, &words->length);
    words->next = stop < words->end && *stop == ',' ? stop + 1 : NULL;
    return true;
}

/* ---- headers ---- */

static const struct {
    const char *name;
    enum sw_column column;
    bool inclusive;
} column_names[] = {
    /* first those by which messages call the columns, in their order */
    {"id", SW_COLUMN_ID, false},
    {"lower", SW_COLUMN_LOWER, false},
    {"upper", SW_COLUMN_UPPER, false},
    {"size", SW_COLUMN_SIZE, false},
    {"offset", SW_COLUMN_OFFSET, false},
    {"tier", SW_COLUMN_TIER, false},
    {"alignment", SW_COLUMN_ALIGNMENT, false},
    {"hint", SW_COLUMN_HINT, false},
    {"gaps", SW_COLUMN_GAPS, false},
    {"align", SW_COLUMN_ALIGNMENT, false},
    {"buffer", SW_COLUMN_ID, false},
    {"buffer_id", SW_COLUMN_ID, false},
    {"start", SW_COLUMN_LOWER, false},
    {"begin", SW_COLUMN_LOWER, false},
    {"end", SW_COLUMN_UPPER, true},
};

const char *sw_column_name(const struct sw_columns *columns, enum sw_column column) {
    return column == SW_COLUMN_UPPER && columns->inclusive ? "end" : column_names[column].name;
}

enum sw_column sw_column_find(const char *text, size_t length, bool *inclusive) {
    text = sw_csv_trim(text, &length);
    for (size_t i = 0; i < sizeof column_names / sizeof *column_names; i++) {
        if (strlen(column_names[i].name) == length && memcmp(column_names[i].name, text, length) == 0) {
            *inclusive = column_names[i].inclusive;
            return column_names[i].column;
        }
    }
    return SW_COLUMN_COUNT;
}

static bool add_csv_column(struct sw_csv *csv, struct sw_columns *columns, uint32_t i, struct sw_error *error) {
    const struct sw_csv_field *field = &csv->fields.items[i];
    bool inclusive;
    enum sw_column column = sw_column_find(field->text, field->length, &inclusive);
    if (column == SW_COLUMN_COUNT) {
        return true;
    }
    if (columns->index[column] != SW_NONE) {
        const struct sw_csv_field *other = &csv->fields.items[columns->index[column]];
        return sw_text_fail(csv->input, sw_csv_begin(field), error, "column '%s' says the same as column '%s'",
                            sw_quote(field->text, field->length).text, sw_quote(other->text, other->length).text);
    }
    columns->index[column] = i;
    columns->inclusive = columns->inclusive || inclusive;
    return true;
}

bool sw_columns_read(struct sw_csv *csv, unsigned required, struct sw_columns *columns, struct sw_error *error) {
    bool got;
    if (!sw_csv_next(csv, &got, error)) {
        return false;
    }
    if (!got) {
        return sw_text_fail(csv->input, csv->at, error, "the file is empty: a header is missing");
    }
    if (csv->fields.count >= SW_NONE) {
        return sw_text_fail(csv->input, csv->row, error, "too many columns");
    }
    *columns = (struct sw_columns){.count = (uint32_t)csv->fields.count};
    for (unsigned c = 0; c < SW_COLUMN_COUNT; c++) {
        columns->index[c] = SW_NONE;
    }
    for (uint32_t i = 0; i < columns->count; i++) {
        if (!add_csv_column(csv, columns, i, error)) {
            return false;
        }
    }
    bool known = false;
    for (unsigned c = 0; c < SW_COLUMN_COUNT; c++) {
        known = known || columns->index[c] != SW_NONE;
    }
    if (!known && !sw_foreign_text(csv->input, error)) {
        return false;
    }
    for (unsigned c = 0; c < SW_COLUMN_COUNT; c++) {
        if ((required >> c & 1) && columns->index[c] == SW_NONE) {
            return sw_text_fail(csv->input, csv->row, error, "the header has no column '%s'%s", column_names[c].name,
                                c == SW_COLUMN_LOWER   ? " (or 'start')"
                                : c == SW_COLUMN_UPPER ? " (or 'end')"
                                                       : "");
        }
    }
    return true;
}

bool sw_columns_next(struct sw_csv *csv, const struct sw_columns *columns, bool *got, struct sw_error *error) {
    if (!sw_csv_next(csv, got, error)) {
        return false;
    }
    if (!*got || csv->fields.count == columns->count) {
        return true;
    }
    /* Point to the first field that is too many, or to where one is missing. */
    bool many = csv->fields.count > columns->count;
    const char *at = many ? sw_csv_begin(&csv->fields.items[columns->count]) : csv->row_end;
    if (!many && at > csv->row && at[-1] == '\r') {
        at--;
    }
    return sw_text_fail(csv->input, at, error, "the row has %zu field%s, the header %u", csv->fields.count,
                        csv->fields.count == 1 ? "" : "s", columns->count);
}

const struct sw_csv_field *sw_columns_field(const struct sw_csv *csv, const struct sw_columns *columns,
                                            enum sw_column column) {
    uint32_t index = columns->index[column];
    if (index == SW_NONE) {
        return NULL;
    }
    const struct sw_csv_field *field = &csv->fields.items[index];
    size_t length = field->length;
    sw_csv_trim(field->text, &length);
    return length > 0 ? field : NULL;
}

bool sw_csv_number(const struct sw_csv *csv, const struct sw_csv_field *field, const char *name, struct sw_quote shown,
                   int64_t lowest, int64_t highest, int64_t *value, struct sw_error *error) {
    const char *begin = sw_csv_begin(field);
    int64_t number = 0;
    enum sw_number kind = sw_number_parse(field->text, field->length, &number);
    if (kind == SW_NUMBER_OK && number >= lowest && number <= highest) {
        *value = number;
        return true;
    }
    if (kind == SW_NUMBER_NONE) {
        return sw_text_fail(csv->input, begin, error, "%s is blank", name);
    }
    if (kind == SW_NUMBER_BAD) {
        return sw_text_fail(csv->input, begin, error, "%s '%s' is not a whole number", name, shown.text);
    }
    if (lowest == 0 && shown.text[strspn(shown.text, " \t")] == '-') {
        return sw_text_fail(csv->input, begin, error, "%s %s is negative", name, shown.text);
    }
    return sw_text_fail(csv->input, begin, error, "%s %s is out of range (%" PRId64 " to %" PRId64 ")", name,
                        shown.text, lowest, highest);
}

bool sw_columns_number(const struct sw_csv *csv, const struct sw_columns *columns, enum sw_column column,
                       int64_t lowest, int64_t highest, int64_t *value, struct sw_error *error) {
    const struct sw_csv_field *field = &csv->fields.items[columns->index[column]];
    return sw_csv_number(csv, field, sw_column_name(columns, column), sw_quote(field->text, field->length), lowest,
                         highest, value, error);
}

bool sw_columns_lifetime(const struct sw_csv *csv, const struct sw_columns *columns, int64_t *first, int64_t *last,
                         struct sw_error *error) {
    int64_t lower, upper, highest = columns->inclusive ? SW_LAST_TIME : SW_MAX_TIME;
    if (!sw_columns_number(csv, columns, SW_COLUMN_LOWER, -SW_MAX_TIME, SW_LAST_TIME, &lower, error) ||
        !sw_columns_number(csv, columns, SW_COLUMN_UPPER, -SW_MAX_TIME, highest, &upper, error)) {
        return false;
    }
    lower += columns->late; /* at most SW_MAX_TIME, and then above upper - 1 */
    if (columns->inclusive ? upper < lower : upper <= lower) {
        const struct sw_csv_field *field = &csv->fields.items[columns->index[SW_COLUMN_UPPER]];
        return sw_text_fail(csv->input, sw_csv_begin(field), error,
                            columns->inclusive ? "end %" PRId64 " is before the start %" PRId64
                            : columns->late    ? "no time lies between lower and upper %" PRId64
                                              " (first possible: %" PRId64 "; both are exclusive)"
                                            : "upper %" PRId64 " is not above lower %" PRId64 " (upper is exclusive)",
                            upper, lower);
    }
    *first = lower;
    *last = columns->inclusive ? upper : upper - 1;
    return true;
}
