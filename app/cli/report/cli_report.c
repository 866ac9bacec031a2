#include "cli/report/cli_report.h"
#include "base/base.h"

#include "cli/shared/output.h"

#include <wchar.h>

enum { REPORT_COLUMNS = 20 };
enum {
    FROM_OUTSIDE = 't',
    FROM_HERE = 'w'
}; /* the letter before a cell: a text to be escaped; words and figures that are not */

void sw_cli_report_start(struct sw_cli_report *report, enum sw_output output) {
    *report = (struct sw_cli_report){.output = output, .indent = ""};
    report->json.out = output == SW_OUTPUT_JSON ? &report->out : &report->unseen;
    report->words = sw_report_is_read(report) ? &report->out : &report->unseen;
}

void sw_cli_report_drop(struct sw_cli_report *report) {
    sw_sink_done(&report->out);
    sw_sink_done(&report->unseen);
    sw_sink_done(&report->cells);
}

bool sw_report_is_read(const struct sw_cli_report *report) {
    return report->output == SW_OUTPUT_TEXT || report->output == SW_OUTPUT_MD;
}

int sw_cli_report_finish(const struct sw_cli *cli, struct sw_cli_report *report, int status) {
    if (sw_report_is_read(report)) {
        sw_cli_clean(&report->out);
    }
    sw_sink_done(&report->unseen);
    return sw_cli_put(cli, &report->out, status);
}

void sw_report_name(struct sw_cli_report *report, const char *name) {
    (report->output == SW_OUTPUT_MD ? sw_sink_md : sw_sink_text)(report->words, name);
}

void sw_report_about(struct sw_cli_report *report, const struct sw_problem *problem) {
    sw_put_object(&report->json, NULL);
    sw_put_lines(&report->json);
    sw_put_text(&report->json, "graph", sw_problem_name(problem));
    sw_report_name(report, sw_problem_name(problem));
}

/* ---- a table, cell by cell ---- */

static const char *name_of_column(const struct sw_cli_report *report, const struct sw_report_column *column) {
    const char *own = report->output == SW_OUTPUT_JSON  ? column->json
                      : report->output == SW_OUTPUT_CSV ? column->csv
                                                        : column->head;
    own = own || sw_report_is_read(report) ? own : column->key;
    return own ? own : column->name;
}

/* Are rows objects in a list? */
static bool has_row_objects(const struct sw_cli_report *report) {
    return report->output == SW_OUTPUT_JSON && !report->record;
}

void sw_rows_begin(struct sw_cli_report *report, const char *key, const struct sw_report_column *columns,
                   size_t count) {
    report->columns = columns;
    report->count = count;
    report->next = 0;
    report->out.failed |= count > REPORT_COLUMNS;
    if (has_row_objects(report)) {
        sw_put_list(&report->json, key);
        sw_put_lines(&report->json);
    }
}

void sw_record_begin(struct sw_cli_report *report, const struct sw_report_column *columns, size_t count) {
    report->record = true;
    sw_rows_begin(report, NULL, columns, count);
}

/* The column of the next cell; NULL: it is not seen. A row of JSON begins with its first cell, and ends with its last.
 */
static const struct sw_report_column *begin_cell(struct sw_cli_report *report) {
    const struct sw_report_column *column = &report->columns[report->next];
    if (has_row_objects(report) && report->next == 0) {
        sw_put_object(&report->json, NULL);
    }
    return name_of_column(report, column) ? column : NULL;
}

static void end_cell(struct sw_cli_report *report) {
    report->next = (report->next + 1) % report->count;
    if (has_row_objects(report) && report->next == 0) {
        sw_put_end(&report->json);
    }
}

static void keep_cell(struct sw_cli_report *report, char letter, const char *text) {
    sw_sink_add(&report->cells, &letter, 1);
    sw_sink_add(&report->cells, text, strlen(text) + 1);
}

void sw_row_none(struct sw_cli_report *report) {
    const struct sw_report_column *column = begin_cell(report);
    if (column && report->output != SW_OUTPUT_JSON) {
        keep_cell(report, FROM_HERE, report->output != SW_OUTPUT_CSV && column->none ? column->none : "");
    } else if (column && !column->optional) {
        sw_put_null(&report->json, name_of_column(report, column));
    }
    end_cell(report);
}

void sw_row_text(struct sw_cli_report *report, const char *text) {
    if (!text) {
        sw_row_none(report);
        return;
    }
    const struct sw_report_column *column = begin_cell(report);
    if (column && report->output == SW_OUTPUT_JSON) {
        sw_put_text(&report->json, name_of_column(report, column), text);
    } else if (column) {
        keep_cell(report, report->output == SW_OUTPUT_MD && column->plain ? FROM_HERE : FROM_OUTSIDE, text);
    }
    end_cell(report);
}

/* A figure, as it is written in this form. */
static void put_figure_cell(struct sw_cli_report *report, const char *text) {
    const struct sw_report_column *column = begin_cell(report);
    if (column && report->output == SW_OUTPUT_JSON) {
        sw_put_printf(&report->json, name_of_column(report, column), "%s", text);
    } else if (column) {
        keep_cell(report, FROM_HERE, text);
    }
    end_cell(report);
}

void sw_row_words(struct sw_cli_report *report, const char *format, ...) {
    struct sw_sink words = {0};
    va_list arguments;
    va_start(arguments, format);
    sw_sink_vprintf(&words, format, arguments);
    va_end(arguments);
    sw_sink_add(&words, "", 1);
    report->out.failed |= words.failed;
    put_figure_cell(report, words.failed ? "" : words.text.items);
    sw_sink_done(&words);
}

void sw_row_count(struct sw_cli_report *report, uint64_t count) {
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, count);
    put_figure_cell(report, sw_report_is_read(report) ? sw_show_count(count, text) : text);
}

void sw_row_known(struct sw_cli_report *report, bool known, uint64_t count) {
    known ? sw_row_count(report, count) : sw_row_none(report);
}

void sw_row_counts(struct sw_cli_report *report, bool known, const uint64_t *counts, size_t count) {
    for (size_t i = 0; i < count; i++) {
        sw_row_known(report, known, counts[i]);
    }
}

void sw_row_percent(struct sw_cli_report *report, double fraction, bool sign) {
    char text[40];
    if (isnan(fraction)) {
        sw_row_none(report);
    } else if (sw_report_is_read(report)) {
        put_figure_cell(report, sw_show_percent(fraction, sign, text));
    } else if (report->output == SW_OUTPUT_CSV) {
        snprintf(text, sizeof text, "%.2f", 100 * fraction);
        put_figure_cell(report, text);
    } else {
        sw_row_exact(report, fraction);
    }
}

void sw_row_exact(struct sw_cli_report *report, double number) {
    struct sw_sink text = {0};
    sw_sink_number(&text, number);
    sw_sink_add(&text, "", 1);
    report->out.failed |= text.failed;
    isfinite(number) ? put_figure_cell(report, text.failed ? "" : text.text.items) : sw_row_none(report);
    sw_sink_done(&text);
}

void sw_row_number(struct sw_cli_report *report, double number) {
    bool known = report->output == SW_OUTPUT_JSON ? isfinite(number) : !isnan(number);
    known ? put_figure_cell(report, SW_NUMBER(number)) : sw_row_none(report);
}

void sw_row_seconds(struct sw_cli_report *report, double seconds) {
    isnan(seconds) ? sw_row_none(report) : sw_row_words(report, sw_report_is_read(report) ? "%.3f" : "%.6f", seconds);
}

void sw_row_truth(struct sw_cli_report *report, bool known, bool truth) {
    known ? put_figure_cell(report, truth ? "true" : "false") : sw_row_none(report);
}

/* ---- the table as a whole ---- */

/* Columns of a terminal, of the text as it is shown there. */
static size_t shown_width(const char *text) {
    wchar_t wide[256];
    const char *shown = SW_SHOWN(text);
    size_t count = mbstowcs(wide, shown, 256);
    int cells = count == (size_t)-1 || count >= 256 ? -1 : wcswidth(wide, count);
    return cells < 0 ? strlen(shown) : (size_t)cells;
}

struct report_grid {
    const struct sw_report_column *columns[REPORT_COLUMNS]; /* those that are seen */
    size_t count, widths[REPORT_COLUMNS];
    bool markdown, headless;
};

static void measure_cell(struct report_grid *grid, size_t column, const char *text) {
    size_t width = shown_width(text), fixed = grid->columns[column]->width;
    grid->widths[column] = fixed ? fixed : width > grid->widths[column] ? width : grid->widths[column];
}

/* Text and Markdown differ in the fences. */
static void print_cell(struct sw_cli_report *report, const struct report_grid *grid, size_t column, char letter,
                       const char *text) {
    struct sw_sink *out = &report->out;
    bool left = grid->columns[column]->left, first = column == 0, last = column + 1 == grid->count;
    size_t own = shown_width(text), width = grid->widths[column];
    int space = width > own ? (int)(width - own) : 0;
    bool gap = grid->markdown || (!first && width > 0);
    sw_sink_printf(out, "%s%*s", !gap ? "" : !grid->markdown ? "  " : first ? "| " : " | ", left ? 0 : space, "");
    if (letter == FROM_HERE) {
        sw_sink_add(out, text, strlen(text));
    } else {
        sw_report_name(report, text);
    }
    sw_sink_printf(out, "%*s", left && !last ? space : 0, "");
}

static void end_line(struct sw_cli_report *report, bool markdown) {
    struct sw_sink *out = &report->out;
    while (!markdown && out->text.count > 0 && out->text.items[out->text.count - 1] == ' ') {
        out->text.count--;
    }
    sw_sink_printf(out, "%s\n", markdown ? " |" : "");
}

static void print_heads(struct sw_cli_report *report, const struct report_grid *grid) {
    sw_sink_printf(&report->out, "%s", grid->markdown ? "" : report->indent);
    for (size_t c = 0; c < grid->count; c++) {
        print_cell(report, grid, c, FROM_HERE, name_of_column(report, grid->columns[c]));
    }
    end_line(report, grid->markdown);
    for (size_t c = 0; c < grid->count && grid->markdown; c++) {
        sw_sink_printf(&report->out, "%s%s%s", c ? " | " : "| ",
                       grid->columns[c]->left ? ":---" : "---:", c + 1 < grid->count ? "" : " |\n");
    }
}

static void print_csv(struct sw_cli_report *report, const struct report_grid *grid, const char *at, const char *end) {
    for (size_t c = 0; c < grid->count; c++) {
        sw_sink_printf(&report->out, "%s%s", name_of_column(report, grid->columns[c]),
                       c + 1 < grid->count ? "," : "\n");
    }
    for (size_t c = 0; at < end; at += strlen(at) + 1, c = (c + 1) % grid->count) {
        if (*at == FROM_HERE) {
            sw_sink_add(&report->out, at + 1, strlen(at + 1));
        } else {
            sw_sink_csv(&report->out, at + 1);
        }
        sw_sink_add(&report->out, c + 1 < grid->count ? "," : "\n", 1);
    }
}

static void print_read(struct sw_cli_report *report, struct report_grid *grid, const char *at, const char *end) {
    const char *start = at;
    for (size_t c = 0; c < grid->count; c++) {
        measure_cell(grid, c, name_of_column(report, grid->columns[c]));
    }
    for (size_t c = 0; at < end; at += strlen(at) + 1, c = (c + 1) % grid->count) {
        measure_cell(grid, c, at + 1);
    }
    if (!grid->headless) {
        print_heads(report, grid);
    }
    at = start;
    for (size_t c = 0; at < end; at += strlen(at) + 1, c = (c + 1) % grid->count) {
        sw_sink_printf(&report->out, "%s", c == 0 && !grid->markdown ? report->indent : "");
        print_cell(report, grid, c, *at, at + 1);
        if (c + 1 == grid->count) {
            end_line(report, grid->markdown);
        }
    }
}

void sw_rows_end(struct sw_cli_report *report) {
    struct report_grid grid = {.markdown = report->output == SW_OUTPUT_MD, .headless = true};
    const char *at = report->cells.text.items, *end = at ? at + report->cells.text.count : at;
    for (size_t c = 0; c < report->count && c < REPORT_COLUMNS; c++) {
        if (name_of_column(report, &report->columns[c])) {
            grid.columns[grid.count++] = &report->columns[c];
            grid.headless = grid.headless && !*name_of_column(report, &report->columns[c]);
        }
    }
    if (has_row_objects(report)) {
        sw_put_end(&report->json);
    } else if (report->cells.failed) { /* the last one may have no end */
        report->out.failed = true;
    } else if (report->output == SW_OUTPUT_CSV) {
        print_csv(report, &grid, at, end);
    } else if (sw_report_is_read(report)) {
        print_read(report, &grid, at, end);
    }
    report->record = false;
    sw_sink_done(&report->cells);
}

/* ---- key and value, for people ---- */

void sw_report_line(struct sw_sink *out, const char *label, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    sw_sink_printf(out, "  %-15s ", label);
    sw_sink_vprintf(out, format, arguments);
    sw_sink_add(out, "\n", 1);
    va_end(arguments);
}

void sw_report_bytes(struct sw_sink *out, const char *label, uint64_t bytes, const char *remark, ...) {
    char human[24], exact[32];
    va_list arguments;
    va_start(arguments, remark);
    sw_sink_printf(out, "  %-15s %10s %15s B   ", label, sw_show_bytes_long(bytes, human), sw_show_count(bytes, exact));
    size_t before = out->text.count;
    sw_sink_vprintf(out, remark, arguments);
    out->text.count -= out->text.count == before && !out->failed ? 3 : 0; /* the gap before a remark that is empty */
    sw_sink_add(out, "\n", 1);
    va_end(arguments);
}
