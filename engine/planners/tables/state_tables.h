/* The state of a planner as named tables: what it keeps in mind between two decisions, in the terms of its method.
 *
 * A planner's hook `state` fills them. Each table has a name, columns, and rows, and says which row the last decision
 * touched. There may be a million rows: the caller says how many it wants of each table, and the hook fills in those
 * around the touched one. Tables belong to the caller: zero them to start with, end them with sw_state_tables_done.
 *
 *     const char *const columns[] = {"turn", "buffer", "bytes", NULL};
 *     struct sw_state_table *t = sw_state_table(tables, "queue", columns, count, touched);
 *     for (uint64_t row = t->first; row < t->end; row++) {
 *         SW_STATE_ROW(tables, sw_cell_count(row), sw_cell_buffer(b), sw_cell_bytes(size));
 *     }
 *
 * Names, columns and words are for people: views that want more ask the planner (planners/online/online_look.h) or read
 * decisions. They are static, or copies made with sw_state_text. */
#ifndef SW_PLANNERS_STATE_TABLES_H
#define SW_PLANNERS_STATE_TABLES_H

#include "base/mem.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

SW_C_BEGIN

enum sw_cell_kind {
    SW_CELL_NONE, /* blank; null */
    SW_CELL_COUNT,
    SW_CELL_BYTES,
    SW_CELL_OFFSET, /* an address in a tier */
    SW_CELL_STEP,
    SW_CELL_BUFFER,
    SW_CELL_TIER,
    SW_CELL_NUMBER, /* a cost */
    SW_CELL_TRUTH,
    SW_CELL_WORD
};
struct sw_state_cell {
    enum sw_cell_kind kind;
    uint64_t count; /* COUNT to TIER, TRUTH */
    double number;
    const char *word;
};

#define SW_NO_ROW UINT64_MAX
enum { SW_STATE_COLUMNS = 16 };
struct sw_state_table {
    const char *name;
    const char *columns[SW_STATE_COLUMNS];
    uint32_t column_count;
    uint64_t row_count;                   /* of all */
    uint64_t first, end;                  /* those that are here: [first, end) */
    uint64_t touched;                     /* by the last decision; SW_NO_ROW */
    SW_ARRAY(struct sw_state_cell) cells; /* row by row */
};
struct sw_state_tables {
    uint64_t most;         /* rows wanted of each table */
    bool failed;           /* no memory: sticky */
    struct sw_arena texts; /* copies of names and words that are not static: sw_state_text */
    SW_ARRAY(struct sw_state_table) items;
    struct sw_state_table none; /* stands in for one that there was no memory for */
};
void sw_state_tables_done(struct sw_state_tables *);

/* A copy that lives as long as the tables, for names, columns and words that do not. "" and `failed`: no memory. */
const char *sw_state_text(struct sw_state_tables *, const char *text, size_t length);

/* The next table; `columns` end with NULL. Good until the next one is begun. Never NULL: without memory it is one that
 * wants no rows. */
struct sw_state_table *sw_state_table(struct sw_state_tables *, const char *name, const char *const *columns,
                                      uint64_t rows, uint64_t touched);
/* The next row of the last table; cells that are missing are blank. */
void sw_state_row(struct sw_state_tables *, const struct sw_state_cell *, uint32_t count);
#define SW_STATE_ROW(tables, ...)                                       \
    sw_state_row((tables), (const struct sw_state_cell[]){__VA_ARGS__}, \
                 sizeof(const struct sw_state_cell[]){__VA_ARGS__} / sizeof(struct sw_state_cell))

#define SW_CELL(name, kind_)                                   \
    static inline struct sw_state_cell name(uint64_t count) {  \
        struct sw_state_cell cell = {(kind_), count, 0, NULL}; \
        return cell;                                           \
    }
SW_CELL(sw_cell_count, SW_CELL_COUNT)
SW_CELL(sw_cell_bytes, SW_CELL_BYTES)
SW_CELL(sw_cell_offset, SW_CELL_OFFSET)
SW_CELL(sw_cell_step, count == UINT32_MAX ? SW_CELL_NONE : SW_CELL_STEP)
SW_CELL(sw_cell_buffer, count == UINT32_MAX ? SW_CELL_NONE : SW_CELL_BUFFER)
SW_CELL(sw_cell_tier, count == UINT32_MAX ? SW_CELL_NONE : SW_CELL_TIER)
SW_CELL(sw_cell_truth, SW_CELL_TRUTH)
#undef SW_CELL
static inline struct sw_state_cell sw_cell_none(void) {
    struct sw_state_cell cell = {SW_CELL_NONE, 0, 0, NULL};
    return cell;
}
static inline struct sw_state_cell sw_cell_number(double number) {
    struct sw_state_cell cell = {SW_CELL_NUMBER, 0, number, NULL};
    return cell;
}
static inline struct sw_state_cell sw_cell_word(const char *word) {
    struct sw_state_cell cell = {word ? SW_CELL_WORD : SW_CELL_NONE, 0, 0, word};
    return cell;
}

SW_C_END

#endif
