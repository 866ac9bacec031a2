/* The state of a planner as JSON. */
#include "cli/shared/state_json.h"

#include <inttypes.h>
#include <stdio.h> /* snprintf */
#include <string.h>

enum { MOST_ROWS = 1000 };

static void put_cell(const struct sw_problem *problem, uint64_t base,
                     const struct sw_state_cell *cell, struct sw_sink *out) {
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

static void put_row(const struct sw_problem *problem, uint64_t base,
                    const struct sw_state_table *table, uint64_t row, struct sw_sink *out) {
    const struct sw_state_cell *cells = &table->cells.items[row * table->column_count];
    sw_sink_printf(out, "%s[", row ? "," : "");
    for (uint32_t c = 0; c < table->column_count; c++) {
        sw_sink_printf(out, "%s", c ? "," : "");
        put_cell(problem, base, &cells[c], out);
    }
    sw_sink_printf(out, "]");
}

/* Planners inside a planner may have tables of the same name: keys are told apart by a number. */
static void put_name(const struct sw_state_tables *tables, size_t at, struct sw_sink *out) {
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

static void put_table(const struct sw_problem *problem, uint64_t base,
                      const struct sw_state_table *table, struct sw_sink *out) {
    sw_sink_printf(out, ":{\"columns\":[");
    for (uint32_t c = 0; c < table->column_count; c++) {
        sw_sink_printf(out, "%s", c ? "," : "");
        sw_sink_json(out, table->columns[c]);
    }
    sw_sink_printf(out, "],\"row_count\":%" PRIu64 ",\"first\":%" PRIu64 ",\"touched\":",
                   table->row_count, table->first);
    if (table->touched == SW_NO_ROW) {
        sw_sink_printf(out, "null");
    } else {
        sw_sink_printf(out, "%" PRIu64, table->touched);
    }
    sw_sink_printf(out, ",\"rows\":[");
    for (uint64_t row = 0; row < table->cells.count / table->column_count; row++) {
        put_row(problem, base, table, row, out);
    }
    sw_sink_printf(out, "]}");
}

void sw_trace_put_state(const struct sw_search *search, uint64_t base, struct sw_sink *out) {
    struct sw_state_tables tables = {.most = MOST_ROWS};
    sw_search_state(search, &tables);
    sw_sink_printf(out, ",\"state\":{");
    for (size_t i = 0; i < tables.items.count; i++) {
        sw_sink_printf(out, "%s", i ? "," : "");
        put_name(&tables, i, out);
        put_table(sw_search_problem(search), base, &tables.items.items[i], out);
    }
    sw_sink_printf(out, "}");
    out->failed |= tables.failed;
    sw_state_tables_done(&tables);
}
