/* Comma-separated values, after RFC 4180.
 *
 * An own splitter, because the packaged one (libcsv) copies every field through a callback per
 * field and knows no positions: neither a million rows well under a second nor a column in an error
 * message could be had from it. This one allocates nothing per field: fields point into the input.
 */
#ifndef SW_FORMATS_CSV_H
#define SW_FORMATS_CSV_H

#include "formats/text/utf8.h"

struct sw_csv_field {
    const char *text; /* of a quoted field: after the quote */
    size_t length;
    bool quoted, doubled; /* doubled: holds "" for a quote */
};
struct sw_csv {
    const struct sw_input *input;
    const char *at, *end;
    const char *row;          /* where the present row begins */
    const char *row_end;      /* its end, without the line break */
    uint32_t line, next_line; /* of the present row, of `at` */
    bool broken;              /* a field of the row holds a line break */
    SW_ARRAY(struct sw_csv_field) fields;
    SW_ARRAY(char) scratch;
};

/* Skips a byte order mark and leading lines that begin with '#'. */
void sw_csv_open(struct sw_csv *, const struct sw_input *);
void sw_csv_close(struct sw_csv *);
/* The next row that is not blank. `got` tells whether there was one. */
bool sw_csv_next(struct sw_csv *, bool *got, struct sw_error *);
/* Where a field begins, its quote included. */
static inline const char *sw_csv_begin(const struct sw_csv_field *field) {
    return field->quoted ? field->text - 1 : field->text;
}
/* The position of a field; O(1) in rows without line breaks of their own. */
struct sw_position sw_csv_position(const struct sw_csv *, const struct sw_csv_field *);
/* A field as a NUL-ended text, good until the next call. NULL: no memory. */
const char *sw_csv_text(struct sw_csv *, const struct sw_csv_field *);

/* An integer within [lowest, highest]; messages call it `name` and show `shown`. Blank fields are errors. */
bool sw_csv_number(const struct sw_csv *, const struct sw_csv_field *, const char *name, struct sw_quote shown,
                   int64_t lowest, int64_t highest, int64_t *value, struct sw_error *);

/* A text without the blanks around it. */
const char *sw_csv_trim(const char *text, size_t *length);
/* The words of the first row that is no comment, trimmed and without quotes, for telling what a table is. */
struct sw_csv_words {
    const char *text;
    size_t length;
    const char *next, *end; /* next: where the next one begins; NULL */
};
struct sw_csv_words sw_csv_words(const struct sw_input *);
bool sw_csv_words_next(struct sw_csv_words *);

/* How sw_sink_csv writes texts that a spreadsheet or a terminal would act upon, so that they read back the same.
 * Would a spreadsheet take it for a formula: does it begin, blanks and apostrophes aside, with = + - or @? Such a
 * text gets one apostrophe before it, and loses that one when it is read. */
bool sw_csv_is_formula(const char *text, size_t length);
/* The length of the escape at `text`, \u0085 for U+0085, and its character; 0: there is none. Escapes stand for
 * the backslash and for what must not be shown, for nothing else. */
size_t sw_csv_escape(const char *text, size_t length, uint32_t *code);

/* ---- headers: which column means what ---- */

enum sw_column {
    SW_COLUMN_ID,
    SW_COLUMN_LOWER,
    SW_COLUMN_UPPER,
    SW_COLUMN_SIZE,
    SW_COLUMN_OFFSET,
    SW_COLUMN_TIER,
    SW_COLUMN_ALIGNMENT,
    SW_COLUMN_HINT,
    SW_COLUMN_GAPS,
    SW_COLUMN_COUNT
};
struct sw_columns {
    uint32_t index[SW_COLUMN_COUNT]; /* SW_NONE: not there */
    uint32_t count;                  /* fields in the header */
    bool inclusive;                  /* the column is `end`: its time is still inside */
    bool late;                       /* the lower time is outside, too (--intervals exclusive) */
};
/* The name of a column in messages: as the header spells it. */
const char *sw_column_name(const struct sw_columns *, enum sw_column);
/* Which column does a header's field name? SW_COLUMN_COUNT: none that is known. */
enum sw_column sw_column_find(const char *text, size_t length, bool *inclusive);
/* Read the first row. `required` is a set of bits 1 << column. */
bool sw_columns_read(struct sw_csv *, unsigned required, struct sw_columns *, struct sw_error *);
/* Read a row and check its number of fields. */
bool sw_columns_next(struct sw_csv *, const struct sw_columns *, bool *got, struct sw_error *);
/* The field of a column, or NULL when the column is not there or the field is blank. */
const struct sw_csv_field *sw_columns_field(const struct sw_csv *, const struct sw_columns *, enum sw_column);
/* sw_csv_number of a column. */
bool sw_columns_number(const struct sw_csv *, const struct sw_columns *, enum sw_column, int64_t lowest,
                       int64_t highest, int64_t *value, struct sw_error *);
/* lower and upper of a row as closed raw times, in order. */
bool sw_columns_lifetime(const struct sw_csv *, const struct sw_columns *, int64_t *first, int64_t *last,
                         struct sw_error *);

#endif
