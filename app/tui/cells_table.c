/* Tables: rows of texts, as many as there is room for. */
#include "tui/cells_internal.h"

#include <stdio.h>

enum { MOST_COLUMNS = 24 }; /* a footer has 17 */

struct table {
    struct sw_brush brush;
    const struct sw_panel *panel;
    int left, top, width, height; /* of the rows */
    int widths[MOST_COLUMNS];
};

static void measure(struct table *table) {
    const struct sw_panel *panel = table->panel;
    uint32_t columns = panel->columns < MOST_COLUMNS ? panel->columns : MOST_COLUMNS;
    int total = columns > 0 ? (int)columns - 1 : 0;
    for (size_t i = 0; i < panel->rows.count; i++) {
        const struct sw_row *row = &panel->rows.items[i];
        for (uint32_t c = 0; row->count > 1 && c < row->count && c < columns; c++) {
            int need =
                sw_grid_columns_of(table->brush.grid, panel->texts.items[row->first + c].text);
            table->widths[c] = need > table->widths[c] ? need : table->widths[c];
        }
    }
    for (uint32_t c = 0; c < columns; c++) {
        total += table->widths[c];
    }
    if (panel->stretch < columns) {
        int *stretch = &table->widths[panel->stretch];
        *stretch += table->width - total;
        *stretch = *stretch < 0 ? 0 : *stretch;
    }
}

static void draw_row(const struct table *table, const struct sw_row *row, int y) {
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
        sw_brush_put(brush, table->left - 1, y, 1, ">", current); /* where colours do not say it */
    }
    for (uint32_t c = 0; c < row->count && x < end; c++) {
        const struct sw_text *text = &panel->texts.items[row->first + c];
        struct sw_look look = row->current ? current : sw_brush_style(brush, text->style, 0);
        int room = row->count == 1 || c >= MOST_COLUMNS ? end - x : table->widths[c];
        room = room > end - x ? end - x : room;
        int need = sw_grid_columns_of(brush->grid, text->text);
        int shift = text->right && need < room ? room - need : 0;
        sw_brush_put_cut(brush, x + shift, y, room - shift, text->text, look);
        x += room + 1;
    }
}

void sw_draw_table(const struct sw_brush *whole_brush, const struct sw_panel *panel) {
    struct table table = {.brush = *whole_brush, .panel = panel};
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
    char text[48], count[32];
    int said = snprintf(text, sizeof text, "%s more", sw_show_count(hidden, count));
    bool beside = hidden > 0 && shown == room && table.width > said + 12;
    table.width -= beside ? said + 1 : 0; /* the only row: what is hidden is said at its end */
    measure(&table);
    for (size_t i = 0; i < shown; i++) {
        draw_row(&table, &panel->rows.items[i], table.top + (int)i);
    }
    if (hidden > 0 && (beside || shown < room)) {
        int x = beside ? table.left + table.width + 1 : table.left;
        int width = beside ? said : table.width, y = table.top + (int)(beside ? 0 : shown);
        sw_brush_put_cut(&table.brush, x, y, width, text,
                         sw_brush_style(&table.brush, SW_STYLE_DIM, 0));
    }
}
