/* The state of a planner as tables: a line per table. */
#include "formats/trace/trace_objects.h"
#include "base/base.h"

static void put_cell(const struct sw_problem *problem, uint64_t base, const struct sw_state_cell *cell,
                     struct sw_json_out *json) {
    switch (cell->kind) {
    case SW_CELL_NONE:
        sw_put_null(json, NULL);
        return;
    case SW_CELL_COUNT:
    case SW_CELL_BYTES:
        sw_put_count(json, NULL, cell->count);
        return;
    case SW_CELL_STEP:
        sw_put_time(json, NULL, sw_problem_time(problem, (uint32_t)cell->count));
        return;
    case SW_CELL_OFFSET:
        sw_put_count(json, NULL, cell->count + base);
        return;
    case SW_CELL_BUFFER:
        sw_put_text(json, NULL, sw_problem_buffer(problem, (uint32_t)cell->count)->name);
        return;
    case SW_CELL_TIER:
        sw_put_text(json, NULL, sw_problem_tier(problem, (uint32_t)cell->count)->name);
        return;
    case SW_CELL_NUMBER:
        sw_put_number(json, NULL, cell->number);
        return;
    case SW_CELL_TRUTH:
        sw_put_truth(json, NULL, cell->count);
        return;
    case SW_CELL_WORD:
        sw_put_text(json, NULL, cell->word);
        return;
    }
}

const char *sw_trace_table_name(const struct sw_state_tables *tables, size_t at, char name[SW_TRACE_TABLE_NAME]) {
    unsigned same = 1;
    for (size_t i = 0; i < at; i++) {
        same += strcmp(tables->items.items[i].name, tables->items.items[at].name) == 0;
    }
    snprintf(name, SW_TRACE_TABLE_NAME, "%s", tables->items.items[at].name);
    if (same > 1) {
        snprintf(name, SW_TRACE_TABLE_NAME, "%s %u", tables->items.items[at].name, same);
    }
    return name;
}

/* ---- what the cells of a column are ---- */

const char *const sw_trace_cell_words[SW_TRACE_CELL_WORDS] = {
    [SW_CELL_NONE] = "none",   [SW_CELL_COUNT] = "count",   [SW_CELL_BYTES] = "bytes", [SW_CELL_OFFSET] = "offset",
    [SW_CELL_STEP] = "step",   [SW_CELL_BUFFER] = "buffer", [SW_CELL_TIER] = "tier",   [SW_CELL_NUMBER] = "number",
    [SW_CELL_TRUTH] = "truth", [SW_CELL_WORD] = "word"};

static uint64_t row_count(const struct sw_state_table *table) {
    return table->column_count ? table->cells.count / table->column_count : 0;
}

static const struct sw_state_cell *cell_at(const struct sw_state_table *table, uint64_t row, uint32_t column) {
    return &table->cells.items[row * table->column_count + column];
}

/* One word for a column of one kind, else one for each row. */
static void put_kinds(const struct sw_state_table *table, uint32_t column, struct sw_json_out *json) {
    uint64_t rows = row_count(table);
    enum sw_cell_kind kind = rows ? cell_at(table, 0, column)->kind : SW_CELL_NONE;
    bool one = true;
    for (uint64_t row = 1; row < rows; row++) {
        one = one && cell_at(table, row, column)->kind == kind;
    }
    if (one) {
        sw_put_text(json, NULL, sw_trace_cell_words[kind]);
        return;
    }
    sw_put_list(json, NULL);
    for (uint64_t row = 0; row < rows; row++) {
        sw_put_text(json, NULL, sw_trace_cell_words[cell_at(table, row, column)->kind]);
    }
    sw_put_end(json);
}

/* ---- tables ---- */

void sw_trace_put_columns(const struct sw_state_table *table, struct sw_json_out *json) {
    sw_put_list(json, "columns");
    for (uint32_t c = 0; c < table->column_count; c++) {
        sw_put_text(json, NULL, table->columns[c]);
    }
    sw_put_end(json);
}

void sw_trace_put_rows(const struct sw_problem *problem, uint64_t base, const struct sw_state_table *table,
                       struct sw_json_out *json) {
    sw_put_list(json, "rows");
    for (uint64_t row = 0; row < row_count(table); row++) {
        sw_put_list(json, NULL);
        for (uint32_t c = 0; c < table->column_count; c++) {
            put_cell(problem, base, cell_at(table, row, c), json);
        }
        sw_put_end(json);
    }
    sw_put_end(json);
}

void sw_trace_put_states(const struct sw_search *search, struct sw_json_out *json) {
    struct sw_state_tables tables = {.most = SW_TRACE_MOST_ROWS};
    sw_search_state(search, &tables);
    for (size_t i = 0; i < tables.items.count && !tables.failed; i++) {
        const struct sw_state_table *table = &tables.items.items[i];
        sw_put_object(json, NULL);
        sw_put_text(json, "state", sw_trace_table_name(&tables, i, (char[SW_TRACE_TABLE_NAME]){0}));
        sw_trace_put_columns(table, json);
        sw_put_list(json, "kinds");
        for (uint32_t c = 0; c < table->column_count; c++) {
            put_kinds(table, c, json);
        }
        sw_put_end(json);
        sw_trace_put_rows(sw_search_problem(search), 0, table, json);
        if (table->touched != SW_NO_ROW) {
            sw_put_count(json, "touched", table->touched);
        }
        if (table->row_count != row_count(table)) {
            sw_put_count(json, "row_count", table->row_count);
        }
        if (table->first) {
            sw_put_count(json, "first", table->first);
        }
        sw_put_end(json);
    }
    json->out->failed |= tables.failed;
    sw_state_tables_done(&tables);
}
