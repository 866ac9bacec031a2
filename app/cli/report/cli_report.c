#include "cli/report/cli_report.h"
#include "base/base.h"

#include "cli/shared/output.h"

#include <wchar.h>

enum { REPORT_COLUMNS = 20 };
/* The letter before a cell: a text to be escaped; words and figures that are not; none. */
enum { FROM_OUTSIDE = 't', FROM_HERE = 'w', NOTHING = 'n' };

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
    for (size_t c = 0; c < count && report->output != SW_OUTPUT_JSON; c++) {
        const char *name = name_of_column(report, &columns[c]);
        if (name) {
            sw_sink_printf(&report->cells, "%c%s", FROM_HERE, name);
            sw_sink_add(&report->cells, "", 1);
        }
    }
}

void sw_record_begin(struct sw_cli_report *report, const struct sw_report_column *columns, size_t count) {
    report->record = true;
    sw_rows_begin(report, NULL, columns, count);
}

/* Where the next cell is written, behind its letter. A row of JSON begins with its first cell, and ends with its last.
 */
static struct sw_sink *begin_cell(struct sw_cli_report *report, char letter) {
    const struct sw_report_column *column = &report->columns[report->next];
    const char *name = name_of_column(report, column);
    if (has_row_objects(report) && report->next == 0) {
        sw_put_object(&report->json, NULL);
    }
    if (!name || (letter == NOTHING && report->output == SW_OUTPUT_JSON && column->optional)) {
        return &report->unseen;
    }
    if (report->output == SW_OUTPUT_JSON) {
        return sw_put_raw(&report->json, name);
    }
    sw_sink_add(&report->cells, &letter, 1);
    return &report->cells;
}

static void end_cell(struct sw_cli_report *report, struct sw_sink *cell) {
    sw_sink_add(cell, "", cell == &report->cells);
    report->next = (report->next + 1) % report->count;
    if (has_row_objects(report) && report->next == 0) {
        sw_put_end(&report->json);
    }
}

void sw_row_none(struct sw_cli_report *report) {
    const char *none = sw_report_is_read(report) ? report->columns[report->next].none : NULL;
    struct sw_sink *cell = begin_cell(report, NOTHING);
    sw_sink_printf(cell, "%s", report->output == SW_OUTPUT_JSON ? "null" : none ? none : "");
    end_cell(report, cell);
}

void sw_row_text(struct sw_cli_report *report, const char *text) {
    if (!text) {
        sw_row_none(report);
        return;
    }
    bool plain = report->output == SW_OUTPUT_MD && report->columns[report->next].plain;
    struct sw_sink *cell = begin_cell(report, plain ? FROM_HERE : FROM_OUTSIDE);
    if (report->output == SW_OUTPUT_JSON) {
        sw_sink_json(cell, text);
    } else {
        sw_sink_add(cell, text, strlen(text));
    }
    end_cell(report, cell);
}

void sw_row_words(struct sw_cli_report *report, const char *format, ...) {
    struct sw_sink *cell = begin_cell(report, FROM_HERE);
    va_list arguments;
    va_start(arguments, format);
    sw_sink_vprintf(cell, format, arguments);
    va_end(arguments);
    end_cell(report, cell);
}

void sw_row_count(struct sw_cli_report *report, uint64_t count) {
    sw_report_is_read(report) ? sw_row_words(report, "%s", SW_COUNT(count)) : sw_row_words(report, "%" PRIu64, count);
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
    if (isnan(fraction)) {
        sw_row_none(report);
    } else if (sw_report_is_read(report)) {
        sw_row_words(report, "%s", sw_show_percent(fraction, sign, (char[16]){0}));
    } else if (report->output == SW_OUTPUT_CSV) {
        sw_row_words(report, "%.2f", 100 * fraction);
    } else {
        sw_row_exact(report, fraction);
    }
}

void sw_row_exact(struct sw_cli_report *report, double number) {
    if (!isfinite(number)) {
        sw_row_none(report);
        return;
    }
    struct sw_sink *cell = begin_cell(report, FROM_HERE);
    sw_sink_number(cell, number);
    end_cell(report, cell);
}

void sw_row_number(struct sw_cli_report *report, double number) {
    bool known = report->output == SW_OUTPUT_JSON ? isfinite(number) : !isnan(number);
    known ? sw_row_words(report, "%s", SW_NUMBER(number)) : sw_row_none(report);
}

void sw_row_seconds(struct sw_cli_report *report, double seconds) {
    isnan(seconds) ? sw_row_none(report) : sw_row_words(report, sw_report_is_read(report) ? "%.3f" : "%.6f", seconds);
}

void sw_row_truth(struct sw_cli_report *report, bool known, bool truth) {
    known ? sw_row_words(report, truth ? "true" : "false") : sw_row_none(report);
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
};

static void measure_cell(struct report_grid *grid, size_t column, const char *text) {
    size_t width = shown_width(text), fixed = grid->columns[column]->width;
    grid->widths[column] = fixed ? fixed : SW_MAX(width, grid->widths[column]);
}

/* Text and Markdown differ in the fences. */
static void print_cell(struct sw_cli_report *report, const struct report_grid *grid, size_t column, char letter,
                       const char *text) {
    struct sw_sink *out = &report->out;
    bool markdown = report->output == SW_OUTPUT_MD;
    bool left = grid->columns[column]->left, first = column == 0, last = column + 1 == grid->count;
    size_t own = shown_width(text), width = grid->widths[column];
    int space = width > own ? (int)(width - own) : 0;
    const char *gap = markdown ? first ? "| " : " | " : first ? report->indent : width > 0 ? "  " : "";
    sw_sink_printf(out, "%s%*s", gap, left ? 0 : space, "");
    if (letter == FROM_OUTSIDE) {
        sw_report_name(report, text);
    } else {
        sw_sink_add(out, text, strlen(text));
    }
    sw_sink_printf(out, "%*s", left && !last ? space : 0, "");
    while (last && !markdown && out->text.count > 0 && out->text.items[out->text.count - 1] == ' ') {
        out->text.count--;
    }
    sw_sink_printf(out, "%s", !last ? "" : markdown ? " |\n" : "\n");
}

static void print_csv_cell(struct sw_cli_report *report, const struct report_grid *grid, size_t column, char letter,
                           const char *text) {
    if (letter == FROM_OUTSIDE) {
        sw_sink_csv(&report->out, text);
    } else {
        sw_sink_add(&report->out, text, strlen(text));
    }
    sw_sink_add(&report->out, column + 1 == grid->count ? "\n" : ",", 1);
}

/* The line below the heads of Markdown. */
static void print_sides(struct sw_cli_report *report, const struct report_grid *grid) {
    for (size_t c = 0; c < grid->count; c++) {
        sw_sink_printf(&report->out, "%s%s%s", c ? " | " : "| ",
                       grid->columns[c]->left ? ":---" : "---:", c + 1 < grid->count ? "" : " |\n");
    }
}

void sw_rows_end(struct sw_cli_report *report) {
    struct report_grid grid = {.count = 0};
    bool headless = true, read = sw_report_is_read(report);
    for (size_t c = 0; c < report->count && c < REPORT_COLUMNS; c++) {
        const char *name = name_of_column(report, &report->columns[c]);
        if (name) {
            grid.columns[grid.count++] = &report->columns[c];
            headless = headless && !*name;
        }
    }
    if (has_row_objects(report)) {
        sw_put_end(&report->json);
    }
    report->out.failed |= report->cells.failed; /* the last one may have no end */
    size_t count = report->out.failed ? 0 : report->cells.text.count, cell = 0;
    const char *at = report->cells.text.items, *end = count ? at + count : at;
    for (const char *text = at; read && text < end; text += strlen(text) + 1) {
        measure_cell(&grid, cell++ % grid.count, text + 1);
    }
    for (cell = 0; at < end; at += strlen(at) + 1, cell++) {
        if (!headless || cell >= grid.count) {
            (read ? print_cell : print_csv_cell)(report, &grid, cell % grid.count, *at, at + 1);
        }
        if (cell + 1 == grid.count && report->output == SW_OUTPUT_MD) {
            print_sides(report, &grid);
        }
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
