/* What a key costs in the explorer, and the frame after it: a user should wait for neither. */
#include "frames.h"
#include "measure.h"
#include "command/session.h"
#include "export/terminal/painter.h"
#include "tui/cells.h"
#include "tui/tui.h"
#include "lua/theme_file.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { COLUMNS = 200, ROWS = 60, TIMES = 9 };

struct bench {
    struct sw_session *session;
    struct sw_frame frame;
    struct sw_error error;
};

static double draw(struct bench *bench) {
    double before = bench_now();
    bool good = sw_frame_draw(&bench->frame, bench->session, COLUMNS, ROWS, sw_theme_names()[0], &bench->error);
    if (!good) {
        fprintf(stderr, "bench: %s\n", bench->error.message);
    }
    return 1000 * (bench_now() - before);
}

/* What cannot be done (the cursor is at the edge) is no matter: the frame counts. */
static double press(struct bench *bench, const char *command) {
    double before = bench_now();
    if (!sw_session_command(bench->session, command, &bench->error) ||
        !sw_session_finish(bench->session, &bench->error)) {
        bench->error = (struct sw_error){0};
    }
    return 1000 * (bench_now() - before);
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A line: the command, the first frame after it, then the same several times more. */
static void measure_key(struct bench *bench, const char *label, const char *command) {
    double pressed[TIMES], drawn[TIMES];
    for (int i = 0; i < TIMES; i++) {
        pressed[i] = press(bench, command);
        drawn[i] = draw(bench);
    }
    double first = drawn[0], key = pressed[0];
    qsort(drawn, TIMES, sizeof *drawn, compare);
    qsort(pressed, TIMES, sizeof *pressed, compare);
    printf("    %-26s key %7.1f (median %6.1f)   first frame %7.1f, median %6.1f, slowest %7.1f ms\n", label, key,
           pressed[TIMES / 2], first, drawn[TIMES / 2], drawn[TIMES - 1]);
    fflush(stdout);
}

static void measure_keys(struct bench *bench) {
    static const char *const keys[] = {"cursor-right", "back",      "step",          "select-next", "select-up",
                                       "select-left",  "zoom-in",   "pan-up",        "pan-right",   "zoom-out",
                                       "zoom-fit",     "theme",     "ghosts",        "raw-time",    "raw-time",
                                       "text",         "text",      "next-operator", "next-about",  "find 77",
                                       "next-match",   "goto-peak", "goto-block",    "first",       "last"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        measure_key(bench, keys[i], keys[i]);
    }
}

static void measure_panes(struct bench *bench) {
    static const char *const panes[] = {"decision",    "decisions", "buffers",       "card",      "blame",
                                        "free",        "live",      "neighbourhood", "operators", "bounds",
                                        "conflicts",   "branches",  "tokens",        "segments",  "convergence",
                                        "search-tree", "cost",      "occupancy",     "log"};
    for (size_t i = 0; i < sizeof panes / sizeof *panes; i++) {
        char command[64];
        snprintf(command, sizeof command, "pane %s", panes[i]);
        measure_key(bench, command, command);
        snprintf(command, sizeof command, "  %s, one back", panes[i]);
        measure_key(bench, command, "back");
        snprintf(command, sizeof command, "  %s, cursor", panes[i]);
        measure_key(bench, command, "cursor-left");
    }
    press(bench, "pane decision");
}

static void measure_lists(struct bench *bench) {
    static const char *const lists[] = {"sort size", "sort name",  "sort offset", "filter peak", "filter cursor",
                                        "filter 77", "filter all", "only peak",   "only all"};
    press(bench, "pane buffers");
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        measure_key(bench, lists[i], lists[i]);
    }
    press(bench, "pane decision");
}

bool bench_frames(const char *path, const char *planner) {
    struct bench bench = {0};
    setlocale(LC_CTYPE, "C.UTF-8"); /* for half blocks */
    double before = bench_now();
    struct sw_session_options options = {.path = path, .planner = planner, .params = SW_PARAMS_DEFAULT};
    bench.session = sw_session_new(&options, &bench.error);
    if (!bench.session) {
        fprintf(stderr, "bench: %s\n", bench.error.message);
        return false;
    }
    draw(&bench);
    printf("  until the first frame: %.2f s\n", bench_now() - before);
    measure_key(&bench, "before the run", "cursor-right");
    press(&bench, "run");
    printf("  at the end of the run\n");
    measure_keys(&bench);
    press(&bench, "last");
    measure_panes(&bench);
    measure_lists(&bench);
    printf("  half way\n");
    press(&bench, "goto 500000");
    measure_key(&bench, "cursor-right", "cursor-right");
    measure_key(&bench, "step", "step");
    measure_key(&bench, "back", "back");
    printf("  zoomed in\n");
    press(&bench, "zoom-block");
    for (int i = 0; i < 4; i++) {
        press(&bench, "zoom-out");
    }
    measure_key(&bench, "cursor-right", "cursor-right");
    measure_key(&bench, "step", "step");
    measure_key(&bench, "back", "back");
    sw_frame_done(&bench.frame);
    sw_session_free(bench.session);
    return true;
}

/* ---- in pixels ---- */

/* 150x50 cells of 8x16 pixels beside a pane, below the header and above the footer. */
enum { WIDE = 218, HIGH = 52, ROUNDS = 20 };

struct pixel_bench {
    struct bench bench;
    struct sw_canvas canvas;
    uint8_t cells[WIDE * HIGH];
    size_t bytes; /* of the last picture, or of the largest */
};

/* Milliseconds of this process, and of children that have ended. */
static double spent_cpu(void) {
    double sum = 0;
    for (int i = 0; i < 2; i++) {
        struct rusage usage;
        getrusage(i ? RUSAGE_CHILDREN : RUSAGE_SELF, &usage);
        sum += 1e3 * (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
               (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
    }
    return sum;
}

static void paint_pixels(struct pixel_bench *b, struct sw_painter *painter, enum sw_canvas_cell state) {
    struct sw_sink bytes = {0};
    for (size_t i = 0; i < sizeof b->cells; i++) {
        b->cells[i] = b->bench.frame.grid.cells[i].picture ? (uint8_t)state : SW_CANVAS_NOT;
    }
    if (!sw_painter_paint(painter, &b->canvas, &b->bench.frame.scene, &b->bench.frame.theme, &bytes, &b->bench.error)) {
        fprintf(stderr, "bench: %s\n", b->bench.error.message);
        exit(2);
    }
    b->bytes = bytes.text.count > b->bytes ? bytes.text.count : b->bytes;
    sw_sink_done(&bytes);
}

static void draw_pixels_frame(struct pixel_bench *b) {
    if (!sw_frame_draw(&b->bench.frame, b->bench.session, WIDE, HIGH, sw_theme_names()[0], &b->bench.error)) {
        fprintf(stderr, "bench: %s\n", b->bench.error.message);
        exit(2);
    }
}

/* CPU of a first picture and so many more after it: steps back from the end, or all of the last one again. */
static double paint_often(struct pixel_bench *b, int more, bool steps) {
    press(&b->bench, "last");
    draw_pixels_frame(b);
    double before = spent_cpu();
    struct sw_painter *painter = sw_painter_new();
    paint_pixels(b, painter, SW_CANVAS_KEPT);
    b->bytes = 0;
    for (int i = 0; i < more; i++) {
        if (steps) {
            press(&b->bench, "back");
            draw_pixels_frame(b);
        }
        paint_pixels(b, painter, steps ? SW_CANVAS_KEPT : SW_CANVAS_LOST);
    }
    sw_painter_free(painter);
    return spent_cpu() - before;
}

void bench_pixels(const char *path, const char *planner) {
    static const struct {
        const char *name;
        enum sw_protocol protocol;
    } protocols[] = {{"kitty", SW_PROTOCOL_KITTY}, {"sixel", SW_PROTOCOL_SIXEL}, {"iTerm2", SW_PROTOCOL_ITERM2}};
    static struct pixel_bench b;
    struct sw_session_options options = {.path = path, .planner = planner, .params = SW_PARAMS_DEFAULT};
    setlocale(LC_CTYPE, "C.UTF-8");
    b.bench.session = sw_session_new(&options, &b.bench.error);
    if (!b.bench.session) {
        fprintf(stderr, "bench: %s\n", b.bench.error.message);
        exit(2);
    }
    printf("%s, %s: the map in 1,200 x 800 pixels, CPU\n", path, planner);
    printf("  %-8s %12s %12s %10s %12s %12s\n", "", "first", "all of it", "KB", "a step", "KB at most");
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++) {
        struct sw_display *display = sw_session_display(b.bench.session);
        b.canvas = (struct sw_canvas){.protocol = protocols[i].protocol,
                                      .columns = WIDE,
                                      .rows = HIGH,
                                      .cell_width = 8,
                                      .cell_height = 16,
                                      .cells = b.cells};
        display->cell_width = sw_canvas_column(&b.canvas);
        display->cell_height = SW_CANVAS_ROW;
        double first = paint_often(&b, 0, false);
        double all = (paint_often(&b, ROUNDS, false) - first) / ROUNDS;
        size_t all_bytes = b.bytes;
        double step = (paint_often(&b, ROUNDS, true) - first) / ROUNDS;
        printf("  %-8s %9.1f ms %9.1f ms %10.1f %9.1f ms %12.1f\n", protocols[i].name, first, all,
               (double)all_bytes / 1e3, step, (double)b.bytes / 1e3);
    }
    sw_frame_done(&b.bench.frame);
    sw_session_free(b.bench.session);
}
