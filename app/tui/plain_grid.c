/* A grid as plain text: for --screen, for tests, and for screen readers. */
#include "formats/format.h"
#include "tui/cells.h"

#include <string.h>

void sw_grid_text(const struct sw_grid *grid, struct sw_sink *sink) {
    for (unsigned y = 0; y < grid->rows; y++) {
        unsigned end = grid->columns;
        while (end > 0 && strcmp(sw_grid_cell(grid, end - 1, y)->text, " ") == 0) {
            end--;
        }
        for (unsigned x = 0; x < end; x++) {
            const char *text = sw_grid_cell(grid, x, y)->text;
            sw_sink_add(sink, text, strlen(text));
        }
        sw_sink_add(sink, "\n", 1);
    }
}
