#include "cli/allocators/rows.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void sw_rows_text(struct sw_rows *grid, const char *text) {
    struct sw_rows_cell cell = {""};
    size_t length = sw_utf8_cut(text, strlen(text), sizeof cell.text - 1);
    memcpy(cell.text, text, length);
    cell.text[length] = '\0';
    grid->failed |= !SW_PUSH(&grid->cells, cell);
}

void sw_rows_count(struct sw_rows *grid, uint64_t count, bool exact) {
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, count);
    sw_rows_text(grid, exact ? text : sw_show_count(count, text));
}

void sw_rows_percent(struct sw_rows *grid, double fraction, bool exact) {
    char text[32];
    snprintf(text, sizeof text, "%.2f", 100 * fraction);
    sw_rows_text(grid, exact ? text : sw_show_percent(fraction, true, text));
}

const char *sw_rows_site(const char *origin, char text[SW_ROWS_SITE + 1]) {
    enum { FRAME = 40, LEAST = 8 }; /* no frame hides all others; less than that of one tells nothing */
    static const char between[] = " < ";
    size_t used = 0;
    for (const char *at = origin ? origin : ""; *at;) {
        size_t whole = strcspn(at, "\n"), start = used ? used + strlen(between) : 0;
        size_t room = start + LEAST > SW_ROWS_SITE ? 0 : SW_ROWS_SITE - start;
        room = room > FRAME && at[whole] ? FRAME : room;
        if (room == 0 || (used && room < whole && room < FRAME)) {
            break;
        }
        size_t length = whole <= room ? whole : sw_utf8_cut(at, whole, room - 3);
        memcpy(text + used, between, start - used);
        memcpy(text + start, at, length);
        memcpy(text + start + length, "...", whole <= room ? 0 : 3);
        used = start + length + (whole <= room ? 0 : 3);
        at += whole + (at[whole] == '\n');
    }
    text[used] = '\0';
    return text;
}

static const char *cell(const struct sw_rows *grid, size_t row, size_t column) {
    return row == 0 ? grid->heads[column] : grid->cells.items[(row - 1) * grid->columns + column].text;
}

static void print_csv(const struct sw_rows *grid, struct sw_sink *out) {
    for (size_t r = 0; r <= grid->cells.count / grid->columns; r++) {
        for (size_t c = 0; c < grid->columns; c++) {
            sw_sink_printf(out, "%s", c ? "," : "");
            sw_sink_csv(out, cell(grid, r, c));
        }
        sw_sink_printf(out, "\n");
    }
}

/* Text and Markdown differ in the fences. */
static void print_text(const struct sw_rows *grid, bool markdown, struct sw_sink *out) {
    size_t rows = grid->cells.count / grid->columns, widths[SW_ROWS_COLUMNS] = {0};
    for (size_t r = 0; r <= rows; r++) {
        for (size_t c = 0; c < grid->columns; c++) {
            size_t width = strlen(cell(grid, r, c));
            widths[c] = width > widths[c] ? width : widths[c];
        }
    }
    for (size_t r = 0; r <= rows; r++) {
        sw_sink_printf(out, "%s", markdown ? "| " : "");
        for (size_t c = 0; c < grid->columns; c++) {
            const char *text = cell(grid, r, c);
            int space = (int)(widths[c] - strlen(text));
            bool left = grid->left >> c & 1, last = c + 1 == grid->columns;
            sw_sink_printf(out, "%s%*s", c == 0 ? "" : markdown ? " | " : "  ", left ? 0 : space, "");
            (markdown ? sw_sink_md : sw_sink_text)(out, text);
            sw_sink_printf(out, "%*s", left && !last ? space : 0, "");
        }
        while (!markdown && out->text.count > 0 && out->text.items[out->text.count - 1] == ' ') {
            out->text.count--;
        }
        sw_sink_printf(out, "%s\n", markdown ? " |" : "");
        for (size_t c = 0; markdown && r == 0 && c < grid->columns; c++) {
            sw_sink_printf(out, "%s%s%s", c ? "" : "| ", grid->left >> c & 1 ? ":---" : "---:",
                           c + 1 < grid->columns ? " | " : " |\n");
        }
    }
}

void sw_rows_print(const struct sw_rows *grid, enum sw_output output, struct sw_sink *out) {
    if (grid->failed) {
        out->failed = true;
    } else if (output == SW_OUTPUT_CSV) {
        print_csv(grid, out);
    } else {
        print_text(grid, output == SW_OUTPUT_MD, out);
    }
}

void sw_rows_done(struct sw_rows *grid) {
    SW_ARRAY_DONE(&grid->cells);
}
