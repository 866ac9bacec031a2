/* What a planner of orders keeps in mind, as tables: the orders it knows with their peaks, the operators that may run
 * next, and those that have their places. After it has handed over, the tables are those of the planner of offsets. */
#include "planners/operators/ordering.h"
#include "base/base.h"

static struct sw_state_cell name_cell(const struct ordering *o, uint32_t op, struct sw_state_tables *tables) {
    const char *name = ordering_name(o, op);
    return sw_cell_word(sw_state_text(tables, name, strlen(name)));
}

static void tell_orders(const struct ordering *o, struct sw_state_tables *tables) {
    static const char *const columns[] = {"order", "alive at most", NULL};
    const struct {
        const char *name;
        uint64_t bytes;
        bool known;
    } rows[] = {
        {"of the file", o->ground->file_peak, true},
        {"best so far", o->best.peak, o->best.list != NULL},
        {ordering_least(o), o->bound, true},
    };
    struct sw_state_table *table = sw_state_table(tables, "orders", columns, 3, SW_NO_ROW);
    for (uint64_t row = table->first; row < table->end; row++) {
        SW_STATE_ROW(tables, sw_cell_word(rows[row].name),
                     rows[row].known ? sw_cell_bytes(rows[row].bytes) : sw_cell_none());
    }
}

static void tell_trials(const struct ordering *o, struct sw_state_tables *tables) {
    static const char *const columns[] = {"plan of", "alive at most", "layout", NULL};
    if (o->trial_count == 0) {
        return;
    }
    struct sw_state_table *table = sw_state_table(tables, "trials", columns, o->trial_count, o->winner);
    for (uint64_t row = table->first; row < table->end; row++) {
        const char *what = row + 1 == o->trial_count ? "the file's order"
                           : row == 0                ? "the best order"
                                                     : "one nearer to the file's";
        SW_STATE_ROW(tables, sw_cell_word(what), sw_cell_bytes(o->trials[row].peak),
                     o->planned[row] == UINT64_MAX ? sw_cell_none() : sw_cell_bytes(o->planned[row]));
    }
}

static const struct sw_order_state *state_of(const struct ordering *o) {
    return !o->running ? NULL : o->walk.graph ? &o->walk : o->search ? sw_order_search_state(o->search) : NULL;
}

static void tell_ready(const struct ordering *o, const struct sw_order_state *set, struct sw_state_tables *tables) {
    static const char *const columns[] = {"operator", "while it runs", "afterwards", NULL};
    uint64_t touched = SW_NO_ROW;
    for (uint32_t i = 0; i < set->ready_count; i++) {
        touched = set->ready[i] == o->chosen ? i : touched;
    }
    struct sw_state_table *table = sw_state_table(tables, "may run", columns, set->ready_count, touched);
    for (uint64_t row = table->first; row < table->end; row++) {
        uint32_t op = set->ready[row];
        SW_STATE_ROW(tables, name_cell(o, op, tables), sw_cell_bytes(sw_order_state_during(set, op)),
                     sw_cell_bytes(sw_order_state_after(set, op)));
    }
}

static void tell_places(const struct ordering *o, const struct sw_order_state *set, struct sw_state_tables *tables) {
    static const char *const columns[] = {"place", "operator", NULL};
    bool backward = o->walk.graph ? o->stages.items[o->stage].backward : set->graph != o->ground->graph;
    uint32_t count = o->ground->graph->operator_count;
    struct sw_state_table *table =
        sw_state_table(tables, "order", columns, set->done, set->done ? set->done - 1 : SW_NO_ROW);
    for (uint64_t row = table->first; row < table->end; row++) {
        SW_STATE_ROW(tables, sw_cell_count(backward ? count - 1 - row : row), name_cell(o, set->trail[row], tables));
    }
}

void ordering_state(const void *state, const struct sw_run *run, const struct sw_decision *last,
                    struct sw_state_tables *tables) {
    const struct ordering *o = state;
    if (o->planner.planner) {
        sw_nested_state(&o->planner, run, last, tables);
        return;
    }
    const struct sw_order_state *set = state_of(o);
    tell_orders(o, tables);
    tell_trials(o, tables);
    if (set) {
        tell_ready(o, set, tables);
        tell_places(o, set, tables);
    }
}

void ordering_because(const void *state, const struct sw_run *run, const struct sw_decision *last, char *text,
                      size_t size) {
    const struct ordering *o = state;
    if (o->planner.planner) {
        sw_nested_because(&o->planner, run, last, text, size);
        return;
    }
    const struct sw_order_state *set = state_of(o);
    if (set) {
        snprintf(text, size, "%s %s, and %" PRIu32 " may run %s; ", SW_COUNTED(set->done, "operator"),
                 set->done == 1 ? "has its place" : "have their places", set->ready_count,
                 set->graph == o->ground->graph ? "next" : "before them");
    }
    sw_text_add(text, size, "the file's order has %s alive at most", SW_BYTES(o->ground->file_peak));
    if (o->best.list) {
        sw_text_add(text, size, ", the best so far %s", SW_BYTES(o->best.peak));
    }
    sw_text_add(text, size, ", and %s than %s", ordering_least(o), SW_BYTES(o->bound));
}

const struct sw_planner *ordering_acting(const void *state) {
    return sw_nested_acting(&((const struct ordering *)state)->planner);
}
