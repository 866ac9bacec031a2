/* The state of a planner as JSON. */
#include "cli/shared/state_json.h"
#include "formats/trace/trace_objects.h"

#include <inttypes.h>

static void put_row(const struct sw_problem *problem, uint64_t base,
                    const struct sw_state_table *table, uint64_t row, struct sw_sink *out) {
    const struct sw_state_cell *cells = &table->cells.items[row * table->column_count];
    sw_sink_printf(out, "%s[", row ? "," : "");
    for (uint32_t c = 0; c < table->column_count; c++) {
        sw_sink_printf(out, "%s", c ? "," : "");
        sw_trace_put_cell(problem, base, &cells[c], out);
    }
    sw_sink_printf(out, "]");
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
    struct sw_state_tables tables = {.most = SW_TRACE_ROWS};
    sw_search_state(search, &tables);
    sw_sink_printf(out, ",\"state\":{");
    for (size_t i = 0; i < tables.items.count; i++) {
        sw_sink_printf(out, "%s", i ? "," : "");
        sw_trace_put_table_name(&tables, i, out);
        put_table(sw_search_problem(search), base, &tables.items.items[i], out);
    }
    sw_sink_printf(out, "}");
    out->failed |= tables.failed;
    sw_state_tables_done(&tables);
}
