/* A frame of the explorer whose map is drawn in pixels, and how far a terminal's screen is from the exporter's picture
 * of it. */
#ifndef SW_TUI_PICTURED_H
#define SW_TUI_PICTURED_H

#include "tui/drawn.h"

#include "tui/decoded.h"

#include <dirent.h>
#include <unistd.h>

#include "base/base.h"
#include "export/terminal/painter.h"
#include "export/terminal/protocols.h"

#define PICTURED_MODEL SW_TEST_SOURCE "/tests/tui/models/small.json"

enum { COLUMNS_SHOWN = 100, ROWS_SHOWN = 30, CELL_WIDE = 8, CELL_HIGH = 17 };

/* ---- a frame, and what the exporter makes of it ---- */

struct drawn {
    struct sw_session *session;
    struct sw_frame frame;
    struct sw_canvas canvas;
    uint8_t cells[COLUMNS_SHOWN * ROWS_SHOWN];
};

static inline void draw_frame(struct drawn *d) {
    struct sw_error error = {0};
    if (!sw_frame_draw(&d->frame, d->session, COLUMNS_SHOWN, ROWS_SHOWN, SW_FRAME_THEME, &error)) {
        fail_msg("%s", error.message);
    }
    for (size_t i = 0; i < sizeof d->cells; i++) {
        d->cells[i] = d->frame.grid.cells[i].picture ? SW_CANVAS_KEPT : SW_CANVAS_NOT;
    }
}

static inline void open_drawn(struct drawn *d, enum sw_protocol protocol) {
    memset(d, 0, sizeof *d);
    d->session = open_model(PICTURED_MODEL, "greedy-by-size");
    d->canvas = (struct sw_canvas){.protocol = protocol,
                                   .columns = COLUMNS_SHOWN,
                                   .rows = ROWS_SHOWN,
                                   .cell_width = CELL_WIDE,
                                   .cell_height = CELL_HIGH,
                                   .cells = d->cells};
    struct sw_display *display = sw_session_display(d->session);
    display->cell_width = sw_canvas_column(&d->canvas);
    display->cell_height = SW_CANVAS_ROW;
    draw_frame(d);
}

static inline void close_drawn(struct drawn *d) {
    sw_frame_done(&d->frame);
    sw_session_free(d->session);
}

/* How far the screen is from the exporter's picture: the largest difference of a color, and the mean. Cells without a
 * picture must show nothing. */
struct distance {
    int most;
    double mean;
    size_t pixels;
};

static inline struct distance compare_shown(const struct drawn *d, struct shown *shown) {
    struct sw_canvas_scene picture;
    struct sw_error error = {0};
    assert_true(sw_canvas_scene(&d->canvas, &d->frame.scene, &picture));
    struct sw_pixels pixels = {(unsigned)picture.cells.width * CELL_WIDE, (unsigned)picture.cells.height * CELL_HIGH,
                               NULL};
    pixels.items = malloc((size_t)pixels.width * pixels.height * sizeof *pixels.items);
    assert_true(pixels.width > 300 && pixels.height > 200);
    assert_true(sw_export_pixels(&picture.scene, &d->frame.theme, &pixels, &error));
    unsigned left = (unsigned)picture.cells.left * CELL_WIDE, top = (unsigned)picture.cells.top * CELL_HIGH;
    struct distance distance = {0};
    double sum = 0;
    for (unsigned y = 0; y < ROWS_SHOWN * CELL_HIGH; y++) {
        for (unsigned x = 0; x < COLUMNS_SHOWN * CELL_WIDE; x++) {
            uint32_t is = *shown_pixel(shown, x, y);
            if (d->cells[y / CELL_HIGH * COLUMNS_SHOWN + x / CELL_WIDE] == SW_CANVAS_NOT) {
                assert_int_equal(is, NO_PIXEL);
                continue;
            }
            assert_int_not_equal(is, NO_PIXEL);
            uint32_t wanted = pixels.items[(size_t)(y - top) * pixels.width + (x - left)];
            for (int shift = 0; shift < 24; shift += 8) {
                int apart = abs((int)(is >> shift & 255) - (int)(wanted >> shift & 255));
                distance.most = SW_MAX(distance.most, apart);
                sum += apart;
            }
            distance.pixels++;
        }
    }
    distance.mean = sum / 3 / (double)distance.pixels;
    free(pixels.items);
    sw_canvas_scene_done(&picture);
    return distance;
}

/* A child of the process; 0: it has none. */
static inline pid_t child_of(pid_t parent) {
    DIR *folder = opendir("/proc");
    pid_t found = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder)) && !found;) {
        char path[300];
        int pid = 0, ppid = 0;
        snprintf(path, sizeof path, "/proc/%.200s/stat", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fscanf(file, "%d (%*[^)]) %*c %d", &pid, &ppid) == 2 && ppid == parent) {
            found = pid;
        }
        if (file) {
            fclose(file);
        }
    }
    if (folder) {
        closedir(folder);
    }
    return found;
}

#endif
