/* Tables: rows of texts, as many as there is room for. */
#include "tui/cells_internal.h"
#include "base/base.h"
#include "view/scene/short_names.h"

enum { TABLE_COLUMNS = 24 }; /* a footer has 17 */
enum { WIDE_TABLE_REST = 40, WIDE_TABLE_GAP = 4 };

enum { TABLE_NAMES = 512, LEAST_NAME_CELLS = 18 };

struct cell_table {
    struct sw_brush brush;
    const struct sw_panel *panel;
    int left, top, width, height; /* of the rows */
    int widths[TABLE_COLUMNS];    /* GONE: the column is left out */
    bool named[TABLE_COLUMNS];    /* there are names in it */
};
enum { GONE = -1 };

static const struct sw_text *table_cell(const struct sw_panel *panel, const struct sw_row *row, uint32_t c) {
    return &panel->texts.items[row->first + c];
}

static uint32_t table_columns(const struct sw_panel *panel) {
    return panel->columns < TABLE_COLUMNS ? panel->columns : TABLE_COLUMNS;
}

/* What the columns take that have no names, with the blanks between all of them. */
static int fixed_width(const struct cell_table *table) {
    int width = -1;
    for (uint32_t c = 0; c < table_columns(table->panel); c++) {
        if (table->widths[c] != GONE) {
            width += 1 + (table->named[c] ? 0 : table->widths[c]);
        }
    }
    return width;
}

/* The names that matter most: those of the column that takes what is left, else the first; SW_NONE: none. */
static uint32_t main_names(const struct cell_table *table) {
    uint32_t stretch = table->panel->stretch, c = 0;
    if (stretch < table_columns(table->panel) && table->named[stretch]) {
        return stretch;
    }
    while (c < table_columns(table->panel) && !table->named[c]) {
        c++;
    }
    return c < table_columns(table->panel) ? c : SW_NONE;
}

/* Columns that may be missing go until the names have room; other columns of names have at most a third of it. */
static void make_room(struct cell_table *table) {
    uint32_t main = main_names(table), spare = table->panel->spare;
    for (uint32_t c = table_columns(table->panel); c-- > 0;) {
        int room = table->width - fixed_width(table);
        for (uint32_t other = 0; other < table_columns(table->panel); other++) {
            if (table->named[other] && other != main && table->widths[other] != GONE) {
                int most = room / 3 > 8 ? room / 3 : 8;
                room -= SW_MIN(table->widths[other], most);
            }
        }
        int wanted = SW_MIN(table->widths[main], LEAST_NAME_CELLS);
        if (room < wanted && (spare >> c & 1) && c != main) {
            table->widths[c] = GONE;
        }
    }
    int room = table->width - fixed_width(table), most = room / 3 > 8 ? room / 3 : 8;
    if (main != table->panel->stretch && table->widths[main] > room) {
        int least = SW_MIN(LEAST_NAME_CELLS, table->width / 2); /* what stands behind the names is cut first */
        least = SW_MIN(least, table->widths[main]);
        table->widths[main] = SW_MAX(room, SW_MAX(least, 8));
    }
    for (uint32_t c = 0; c < table_columns(table->panel); c++) {
        if (table->named[c] && c != main && table->widths[c] > most) {
            int left = room - table->widths[main];
            int width = SW_MAX(left, most);
            table->widths[c] = SW_MIN(width, table->widths[c]);
        }
    }
}

static void measure(struct cell_table *table) {
    const struct sw_panel *panel = table->panel;
    uint32_t columns = table_columns(panel);
    int total = columns > 0 ? (int)columns - 1 : 0;
    for (size_t i = 0; i < panel->rows.count; i++) {
        const struct sw_row *row = &panel->rows.items[i];
        for (uint32_t c = 0; row->count > 1 && c < row->count && c < columns; c++) {
            const struct sw_text *cell = table_cell(panel, row, c);
            int need = sw_grid_columns_of(table->brush.grid, cell->text);
            table->widths[c] = SW_MAX(need, table->widths[c]);
            table->named[c] |= cell->name > 0;
        }
    }
    for (uint32_t c = 0; c < columns; c++) {
        total += table->widths[c];
    }
    if (panel->stretch < columns) {
        if (total > table->width && main_names(table) != SW_NONE) {
            make_room(table);
        }
        total = -1;
        for (uint32_t c = 0; c < columns; c++) {
            total += table->widths[c] == GONE ? 0 : 1 + table->widths[c];
        }
        /* In a wide table figures stay next to the names they belong to: what is left is blank at the right. */
        int *stretch = &table->widths[panel->stretch], left = table->width - total;
        bool bar = panel->fill != SW_STYLE_TEXT, last = panel->stretch + 1 == columns;
        *stretch += !bar && !last && left > WIDE_TABLE_REST ? WIDE_TABLE_GAP : left;
        *stretch = *stretch < 0 ? 0 : *stretch;
    }
}

/* ---- names that are too long ---- */

/* The names of a column, which are told apart when they are cut. */
static void names_of(const struct cell_table *table, uint32_t c, const char **items, struct sw_short *names) {
    const struct sw_panel *panel = table->panel;
    *names = (struct sw_short){.items = items};
    for (size_t i = 0; i < panel->rows.count && names->count < TABLE_NAMES; i++) {
        const struct sw_row *row = &panel->rows.items[i];
        const struct sw_text *cell = c < row->count ? table_cell(panel, row, c) : NULL;
        if (cell && cell->name && row->count > 1) {
            items[names->count++] = cell->text + cell->name - 1;
        }
    }
    sw_short_open(names);
}

/* Is any name of the column too long for it? Then all of them lose what most begin with. */
static bool is_cut_column(const struct cell_table *table, uint32_t c) {
    const struct sw_panel *panel = table->panel;
    for (size_t i = 0; i < panel->rows.count; i++) {
        const struct sw_row *row = &panel->rows.items[i];
        const struct sw_text *cell = row->count > 1 && c < row->count ? table_cell(panel, row, c) : NULL;
        if (cell && cell->name && sw_grid_columns_of(table->brush.grid, cell->text) > table->widths[c]) {
            return true;
        }
    }
    return false;
}

static void draw_cell(const struct cell_table *table, const struct sw_text *text, int x, int y, int room,
                      const struct sw_short *names, struct sw_look look) {
    const struct sw_brush *brush = &table->brush;
    const char *shown = text->text;
    char cut[1200], brief[1024];
    if (text->name && names && names->count > 0 && text->name < 100) {
        int before = text->name - 1;
        sw_short_name(names, shown + before, room > before ? (unsigned)(room - before) : 0, brief, sizeof brief);
        snprintf(cut, sizeof cut, "%.*s%s", before, shown, brief);
        shown = cut;
    }
    int need = sw_grid_columns_of(brush->grid, shown);
    int shift = text->right && need < room ? room - need : 0;
    sw_brush_put_cut(brush, x + shift, y, room - shift, shown, look);
}

static void draw_table_row(const struct cell_table *table, const struct sw_row *row, int y,
                           const struct sw_short *names) {
    const struct sw_panel *panel = table->panel;
    const struct sw_brush *brush = &table->brush;
    struct sw_look current = sw_brush_style(brush, SW_STYLE_SELECTED, 0);
    int x = table->left, end = table->left + table->width;
    for (int i = brush->clip.left; i < brush->clip.right; i++) {
        struct sw_cell *cell = sw_brush_at(brush, i, y);
        if (cell) {
            cell->item = row->item;
            if (row->current && i >= table->left) {
                sw_brush_set(brush, cell, " ", current, SW_LAYER_FILL);
            }
        }
    }
    if (row->current && table->left > brush->clip.left) {
        sw_brush_put(brush, table->left - 1, y, 1, ">", current); /* where colors do not say it */
    }
    for (uint32_t c = 0; c < row->count && x < end; c++) {
        const struct sw_text *text = table_cell(panel, row, c);
        struct sw_look look = row->current ? current : sw_brush_style(brush, text->style, 0);
        bool alone = row->count == 1 || c >= TABLE_COLUMNS;
        int room = alone ? end - x : table->widths[c];
        if (room == GONE) {
            continue;
        }
        room = room > end - x ? end - x : room;
        draw_cell(table, text, x, y, room, alone ? NULL : &names[c], look);
        x += room + 1;
    }
}

/* Rows from the first on; names of a column are cut with regard to each other. */
static void draw_rows(const struct cell_table *table, size_t shown) {
    const struct sw_panel *panel = table->panel;
    struct sw_short names[TABLE_COLUMNS] = {{0}};
    const char *items[2][TABLE_NAMES];
    int used = 0;
    for (uint32_t c = 0; c < table_columns(panel) && used < 2; c++) {
        if (table->named[c] && table->widths[c] != GONE && is_cut_column(table, c)) {
            names_of(table, c, items[used++], &names[c]);
        }
    }
    for (size_t i = 0; i < shown; i++) {
        draw_table_row(table, &panel->rows.items[i], table->top + (int)i, names);
    }
}

void sw_draw_table(const struct sw_brush *whole_brush, const struct sw_panel *panel) {
    struct cell_table table = {.brush = *whole_brush, .panel = panel};
    const struct sw_clip *clip = &table.brush.clip;
    bool left = panel->edges & SW_EDGE_LEFT, top = panel->edges & SW_EDGE_TOP;
    table.left = clip->left + (left ? 2 : panel->margin ? 1 : 0);
    table.top = clip->top + (top || panel->title ? 1 : 0);
    table.width = clip->right - table.left;
    table.height = clip->bottom - table.top;
    if (table.width <= 0 || table.height <= 0) {
        return;
    }
    size_t room = (size_t)table.height, shown = panel->rows.count;
    bool more = panel->hidden_below > 0 || shown > room;
    if (more && shown >= room) {
        shown = room > 1 ? room - 1 : room;
    }
    uint64_t hidden = panel->hidden_below + (panel->rows.count - shown);
    char text[80];
    int said = snprintf(text, sizeof text, "%s more%s%.30s", SW_COUNT(hidden), panel->more ? ": " : "",
                        panel->more ? panel->more : "");
    bool beside = hidden > 0 && shown == room && table.width > said + 12;
    table.width -= beside ? said + 1 : 0; /* the only row: what is hidden is said at its end */
    measure(&table);
    draw_rows(&table, shown);
    if (hidden > 0 && (beside || shown < room)) {
        int x = beside ? table.left + table.width + 1 : table.left;
        int width = beside ? said : table.width, y = table.top + (int)(beside ? 0 : shown);
        sw_brush_put_cut(&table.brush, x, y, width, text, sw_brush_style(&table.brush, SW_STYLE_DIM, 0));
    }
}
