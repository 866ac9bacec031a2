/* What a command answers, written once for all forms: text for a terminal, Markdown, CSV and JSON.
 *
 * A table is written cell by cell, with the figures as they are; its columns say where a cell is seen and what it is
 * called there, and the form decides what a figure looks like: 55,296 for people, 55296 for programs. What is no table
 * is written for people into `words`, and item by item for programs through `json`; both may be written in any form,
 * and what the form does not have is not seen. The command owns the report, from sw_cli_report_start until
 * sw_cli_report_finish, which writes all of it at once, or says why not. */
#ifndef SW_CLI_REPORT_H
#define SW_CLI_REPORT_H

#include "cli/cli.h"
#include "formats/text/json_write.h"

/* Without a name of its own a form takes the more common one; without any the column is not seen there. One table may
 * have the same figure in two columns, for two forms. */
struct sw_report_column {
    const char *json, *csv, *head; /* head: for people; without any no line of heads is printed */
    const char *key, *name;        /* as JSON and CSV; in all forms */
    unsigned char
        width;     /* of the terminal's columns, and a longer text pushes what follows it; 0: that of the widest cell */
    bool left;     /* it is text */
    bool plain;    /* nothing in its texts has a meaning in Markdown */
    bool optional; /* as JSON it is not there where there is none */
    const char *none;   /* for people, where there is none; NULL: "" */
    unsigned char rank; /* as text it is left out where rows would be wider than SW_REPORT_WIDTH: the highest first; 0:
                           never */
};
enum { SW_REPORT_WIDTH = 80 };
struct sw_cli_report {
    enum sw_output output;
    struct sw_sink out; /* all that is told so far */
    struct sw_json_out json;
    struct sw_sink *words, unseen;
    /* the table that is written now */
    const struct sw_report_column *columns;
    size_t count, next;
    bool record;          /* a table of one row, as JSON members of the object that is open */
    struct sw_sink cells; /* each a letter, which says how it is escaped, and a text, which ends in NUL */
    const char *indent;   /* before a line of text */
};
void sw_cli_report_start(struct sw_cli_report *, enum sw_output);
/* Write it to -o or standard output, and free it: the status given, or 2 after saying why not. */
int sw_cli_report_finish(const struct sw_cli *, struct sw_cli_report *, int status);
void sw_cli_report_drop(struct sw_cli_report *);      /* free it, and write nothing */
bool sw_report_is_read(const struct sw_cli_report *); /* by people: as text or Markdown */
/* A name that came from outside, for people. */
void sw_report_name(struct sw_cli_report *, const char *name);

/* What is told is about this model: an object is opened, which begins with its name, and so do the words. */
void sw_report_about(struct sw_cli_report *, const struct sw_problem *);

/* The columns are borrowed until sw_rows_end. As JSON it is a list under the key, an object for each row. */
void sw_rows_begin(struct sw_cli_report *, const char *key, const struct sw_report_column *, size_t count);
/* The same of a single row; as JSON its cells are members of the object that is open. */
void sw_record_begin(struct sw_cli_report *, const struct sw_report_column *, size_t count);
void sw_rows_end(struct sw_cli_report *);
/* As text, lines below the row that was written last; in other forms nothing. */
void sw_row_note(struct sw_cli_report *, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The next cell, row by row: each column gets one, whether it is seen or not. */
void sw_row_text(struct sw_cli_report *, const char *); /* from outside; NULL: none */
/* The program's own words, which are not escaped: as JSON they must be a number, true, false or null. */
void sw_row_words(struct sw_cli_report *, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sw_row_none(struct sw_cli_report *);
void sw_row_count(struct sw_cli_report *, uint64_t);
void sw_row_known(struct sw_cli_report *, bool known, uint64_t);
/* As many cells as there are counts. */
void sw_row_counts(struct sw_cli_report *, bool known, const uint64_t *, size_t count);
#define SW_ROW_COUNTS(report, known, ...)                             \
    sw_row_counts((report), (known), (const uint64_t[]){__VA_ARGS__}, \
                  sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
void sw_row_percent(struct sw_cli_report *, double fraction, bool sign); /* NaN: none. 0.05 as JSON, 5.00 as CSV */
void sw_row_number(struct sw_cli_report *, double);                      /* what a layout costs; NaN: none */
void sw_row_exact(struct sw_cli_report *, double);                       /* reads back the same; not finite: none */
void sw_row_seconds(struct sw_cli_report *, double);                     /* NaN: none */
void sw_row_truth(struct sw_cli_report *, bool known, bool truth);

/* Text from column `left` on, broken between words, and the line ended; the cursor stands at column `at`. */
void sw_report_wrapped(struct sw_sink *, const char *text, int at, int left);
/* Key and value for people: "  label           words", the line ended; and for bytes "  label    63.0 KiB   64,512 B
 * remark". */
void sw_report_line(struct sw_sink *, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));
void sw_report_bytes(struct sw_sink *, const char *label, uint64_t bytes, const char *remark, ...)
    __attribute__((format(printf, 4, 5)));

/* due_report.c: the parts of a difference of `measure`, "peak", for people and as JSON; as CSV rows of five columns of
 * the table that is open. */
struct sw_due;
void sw_cli_due(struct sw_cli_report *, const struct sw_due *, const char *measure);
void sw_cli_due_csv(struct sw_cli_report *, const struct sw_due *);

#endif
