/* The state of a planner as JSON. */
#include "cli/shared/state_json.h"
#include "formats/trace/trace_objects.h"

void sw_trace_put_state(const struct sw_search *search, uint64_t base, struct sw_json_out *json) {
    struct sw_state_tables tables = {.most = SW_TRACE_ROWS};
    sw_search_state(search, &tables);
    sw_put_object(json, "state");
    for (size_t i = 0; i < tables.items.count; i++) {
        const struct sw_state_table *table = &tables.items.items[i];
        sw_put_object(json, sw_trace_table_name(&tables, i, (char[SW_TRACE_TABLE_NAME]){0}));
        sw_trace_put_columns(table, json);
        SW_PUT_COUNTS(json, {"row_count", table->row_count}, {"first", table->first});
        sw_put_known(json, "touched", table->touched != SW_NO_ROW, table->touched);
        sw_trace_put_rows(sw_search_problem(search), base, table, json);
        sw_put_end(json);
    }
    sw_put_end(json);
    json->out->failed |= tables.failed;
    sw_state_tables_done(&tables);
}
