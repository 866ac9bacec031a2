/* Tables of a planner's state: which rows of them are wanted, and keeping them. */
#include "planners/planner_internal.h"
#include "base/minmax.h"

void sw_state_tables_done(struct sw_state_tables *tables) {
    for (size_t i = 0; i < tables->items.count; i++) {
        SW_ARRAY_DONE(&tables->items.items[i].cells);
    }
    SW_ARRAY_DONE(&tables->items);
    sw_arena_done(&tables->texts);
}

const char *sw_state_text(struct sw_state_tables *tables, const char *text, size_t length) {
    const char *copy = tables->failed ? NULL : sw_arena_string(&tables->texts, text, length);
    tables->failed |= !copy;
    return copy ? copy : "";
}

/* So many rows with the touched one in their middle. */
static uint64_t first_row(const struct sw_state_tables *tables, uint64_t rows, uint64_t touched) {
    uint64_t last = rows > tables->most ? rows - tables->most : 0;
    uint64_t first = touched == SW_NO_ROW || touched < tables->most / 2 ? 0 : touched - tables->most / 2;
    return SW_MIN(first, last);
}

struct sw_state_table *sw_state_table(struct sw_state_tables *tables, const char *name, const char *const *columns,
                                      uint64_t rows, uint64_t touched) {
    struct sw_state_table table = {.name = name, .row_count = rows, .touched = touched < rows ? touched : SW_NO_ROW};
    while (table.column_count < SW_STATE_COLUMNS && columns[table.column_count]) {
        table.columns[table.column_count] = columns[table.column_count];
        table.column_count++;
    }
    table.first = first_row(tables, rows, table.touched);
    table.end = rows - table.first > tables->most ? table.first + tables->most : rows;
    if (tables->failed || !SW_PUSH(&tables->items, table)) {
        tables->failed = true;
        tables->none = (struct sw_state_table){.name = name};
        return &tables->none;
    }
    return &tables->items.items[tables->items.count - 1];
}

void sw_state_row(struct sw_state_tables *tables, const struct sw_state_cell *cells, uint32_t count) {
    if (tables->failed || tables->items.count == 0) {
        return;
    }
    struct sw_state_table *table = &tables->items.items[tables->items.count - 1];
    for (uint32_t i = 0; i < table->column_count && !tables->failed; i++) {
        tables->failed = !SW_PUSH(&table->cells, i < count ? cells[i] : sw_cell_none());
    }
}

void sw_state_figures(struct sw_state_tables *tables, const char *name, const char *const *columns,
                      const struct sw_state_figure *figures, uint64_t count, uint64_t touched) {
    uint64_t most = tables->most;
    tables->most = SW_MAX(most, count);
    sw_state_table(tables, name, columns, count, touched);
    tables->most = most;
    for (uint64_t i = 0; i < count; i++) {
        SW_STATE_ROW(tables, sw_cell_word(figures[i].name), figures[i].value);
    }
}
