/* Frames that tests draw: in none of them is anything split or missing. */
#ifndef SW_TUI_DRAWN_H
#define SW_TUI_DRAWN_H

#include "tui/sessions.h"

#include "tui/tui_internal.h"

#include <stdlib.h>
#include <wchar.h>

/* Nothing is split, nothing is missing, everything has the width it claims. */
static inline void check_grid(const struct sw_grid *grid, unsigned columns, unsigned rows) {
    assert_int_equal(grid->columns, columns);
    assert_int_equal(grid->rows, rows);
    for (unsigned y = 0; y < rows; y++) {
        for (unsigned x = 0; x < columns; x++) {
            const struct sw_cell *cell = sw_grid_cell(grid, x, y);
            if (cell->width == 0) {
                assert_true(x > 0 && sw_grid_cell(grid, x - 1, y)->width == 2);
                assert_int_equal(cell->text[0], 0);
                continue;
            }
            assert_true(cell->width == 1 ||
                        (cell->width == 2 && x + 1 < columns && sw_grid_cell(grid, x + 1, y)->width == 0));
            wchar_t wide[8];
            size_t length = mbstowcs(wide, cell->text, 8);
            assert_true(length != (size_t)-1 && length > 0 && length < 8);
            int width = 0;
            for (size_t i = 0; i < length; i++) {
                assert_true(!grid->ascii || wide[i] < 127);
                assert_true(wcwidth(wide[i]) >= 0);
                width += wcwidth(wide[i]);
            }
            assert_int_equal(width, cell->width);
        }
    }
}

static inline void draw(struct sw_frame *frame, struct sw_session *session, unsigned columns, unsigned rows) {
    struct sw_error error = {0};
    if (!sw_frame_draw(frame, session, columns, rows, SW_FRAME_MONO, &error)) {
        fail_msg("%s", error.message);
    }
    check_grid(&frame->grid, columns, rows);
}

#endif
