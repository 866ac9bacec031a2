/* What a key costs in the explorer, and the frame after it: a user should wait for neither. */
#include "frames.h"
#include "measure.h"
#include "command/session.h"
#include "tui/cells.h"
#include "tui/tui.h"
#include "lua/theme_file.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
