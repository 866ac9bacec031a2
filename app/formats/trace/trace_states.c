/* The state of a planner as tables: a line per table. */
#include "formats/trace/trace_objects.h"

#include <inttypes.h>
#include <stdio.h> /* snprintf */
#include <string.h>

void sw_trace_put_cell(const struct sw_problem *problem, uint64_t base, const struct sw_state_cell *cell,
                       struct sw_sink *out) {
    switch (cell->kind) {
    case SW_CELL_NONE:
        sw_sink_printf(out, "null");
        return;
    case SW_CELL_COUNT:
    case SW_CELL_BYTES:
        sw_sink_printf(out, "%" PRIu64, cell->count);
        return;
    case SW_CELL_STEP:
        sw_sink_printf(out, "%" PRId64, sw_problem_time(problem, (uint32_t)cell->count));
        return;
    case SW_CELL_OFFSET:
        sw_sink_printf(out, "%" PRIu64, cell->count + base);
        return;
    case SW_CELL_BUFFER:
        sw_sink_json(out, sw_problem_buffer(problem, (uint32_t)cell->count)->name);
        return;
    case SW_CELL_TIER:
        sw_sink_json(out, sw_problem_tier(problem, (uint32_t)cell->count)->name);
        return;
    case SW_CELL_NUMBER:
        sw_sink_number(out, cell->number);
        return;
    case SW_CELL_TRUTH:
        sw_sink_printf(out, "%s", cell->count ? "true" : "false");
        return;
    case SW_CELL_WORD:
        sw_sink_json(out, cell->word);
        return;
    }
}

void sw_trace_put_table_name(const struct sw_state_tables *tables, size_t at, struct sw_sink *out) {
    char name[80];
    unsigned same = 1;
    for (size_t i = 0; i < at; i++) {
        same += strcmp(tables->items.items[i].name, tables->items.items[at].name) == 0;
    }
    snprintf(name, sizeof name, "%s", tables->items.items[at].name);
    if (same > 1) {
        snprintf(name, sizeof name, "%s %u", tables->items.items[at].name, same);
    }
    sw_sink_json(out, name);
}

/* ---- what the cells of a column are ---- */

static const char *kind_word(enum sw_cell_kind kind) {
    switch (kind) {
    case SW_CELL_NONE:
        break;
    case SW_CELL_COUNT:
        return "count";
    case SW_CELL_BYTES:
        return "bytes";
    case SW_CELL_OFFSET:
        return "offset";
    case SW_CELL_STEP:
        return "step";
    case SW_CELL_BUFFER:
        return "buffer";
    case SW_CELL_TIER:
        return "tier";
    case SW_CELL_NUMBER:
        return "number";
    case SW_CELL_TRUTH:
        return "truth";
    case SW_CELL_WORD:
        return "word";
    }
    return "none";
}

static uint64_t row_count(const struct sw_state_table *table) {
    return table->column_count ? table->cells.count / table->column_count : 0;
}

static const struct sw_state_cell *cell_at(const struct sw_state_table *table, uint64_t row, uint32_t column) {
    return &table->cells.items[row * table->column_count + column];
}

/* One word for a column of one kind, else one for each row. */
static void put_kinds(const struct sw_state_table *table, uint32_t column, struct sw_sink *out) {
    uint64_t rows = row_count(table);
    enum sw_cell_kind kind = rows ? cell_at(table, 0, column)->kind : SW_CELL_NONE;
    bool one = true;
    for (uint64_t row = 1; row < rows; row++) {
        one = one && cell_at(table, row, column)->kind == kind;
    }
    if (one) {
        sw_sink_printf(out, "\"%s\"", kind_word(kind));
        return;
    }
    for (uint64_t row = 0; row < rows; row++) {
        sw_sink_printf(out, "%s\"%s\"", row ? "," : "[", kind_word(cell_at(table, row, column)->kind));
    }
    sw_sink_printf(out, "]");
}

/* ---- tables ---- */

static void put_columns(const struct sw_state_table *table, struct sw_sink *out) {
    sw_sink_printf(out, ",\"columns\":[");
    for (uint32_t c = 0; c < table->column_count; c++) {
        sw_sink_printf(out, "%s", c ? "," : "");
        sw_sink_json(out, table->columns[c]);
    }
    sw_sink_printf(out, "],\"kinds\":[");
    for (uint32_t c = 0; c < table->column_count; c++) {
        sw_sink_printf(out, "%s", c ? "," : "");
        put_kinds(table, c, out);
    }
    sw_sink_printf(out, "]");
}

static void put_rows(const struct sw_problem *problem, const struct sw_state_table *table, struct sw_sink *out) {
    sw_sink_printf(out, ",\"rows\":[");
    for (uint64_t row = 0; row < row_count(table); row++) {
        for (uint32_t c = 0; c < table->column_count; c++) {
            sw_sink_printf(out, c ? "," : row ? ",[" : "[");
            sw_trace_put_cell(problem, 0, cell_at(table, row, c), out);
        }
        sw_sink_printf(out, "]");
    }
    sw_sink_printf(out, "]");
}

void sw_trace_put_states(const struct sw_search *search, struct sw_sink *out) {
    struct sw_state_tables tables = {.most = SW_TRACE_ROWS};
    sw_search_state(search, &tables);
    for (size_t i = 0; i < tables.items.count && !tables.failed; i++) {
        const struct sw_state_table *table = &tables.items.items[i];
        sw_sink_printf(out, "{\"state\":");
        sw_trace_put_table_name(&tables, i, out);
        put_columns(table, out);
        put_rows(sw_search_problem(search), table, out);
        if (table->touched != SW_NO_ROW) {
            sw_sink_printf(out, ",\"touched\":%" PRIu64, table->touched);
        }
        if (table->row_count != row_count(table)) {
            sw_sink_printf(out, ",\"row_count\":%" PRIu64, table->row_count);
        }
        if (table->first) {
            sw_sink_printf(out, ",\"first\":%" PRIu64, table->first);
        }
        sw_sink_printf(out, "}\n");
    }
    out->failed |= tables.failed;
    sw_state_tables_done(&tables);
}
