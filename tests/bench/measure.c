#include "measure.h"
#include "faults.h"

#include "synthetic.h"
#include "command/session.h"
#include "export/export.h"
#include "tui/cells.h"
#include "lua/theme_file.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COLUMNS 200
#define ROWS 60

char bench_folder_name[] = "/tmp/stowage-bench-XXXXXX";

double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void bench_fail(const struct sw_error *error) {
    fprintf(stderr, "bench: %s%s%s\n", error->file, *error->file ? ": " : "", error->message);
    _exit(2);
}

bool bench_apart(void (*run)(const void *what, void *result), const void *what, void *result, size_t size,
                 long *kilobytes) {
    int ends[2], status;
    struct rusage usage;
    fflush(stdout);
    if (pipe(ends) != 0) {
        return false;
    }
    pid_t child = fork();
    if (child == 0) {
        run(what, result);
        _exit(write(ends[1], result, size) == (ssize_t)size ? 0 : 1);
    }
    close(ends[1]);
    bool ok = child > 0 && read(ends[0], result, size) == (ssize_t)size;
    close(ends[0]);
    if (child > 0 && wait4(child, &status, 0, &usage) == child) {
        *kilobytes = usage.ru_maxrss;
    }
    return ok;
}

double bench_instructions(const char *toggle, const char *format, ...) {
    char self[4096], arguments[5000], command[10000], line[256];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    double counted = 0;
    va_list values;
    if (length < 0) {
        return 0;
    }
    self[length] = '\0';
    va_start(values, format);
    vsnprintf(arguments, sizeof arguments, format, values);
    va_end(values);
    snprintf(command, sizeof command,
             "valgrind --tool=callgrind --callgrind-out-file=/dev/null %s%s '%s' %s 2>&1 >/dev/null",
             toggle ? "--toggle-collect=" : "", toggle ? toggle : "", self, arguments);
    FILE *pipe = popen(command, "r");
    while (pipe && fgets(line, sizeof line, pipe)) {
        const char *found = strstr(line, "Collected : ");
        counted = found ? strtod(found + strlen("Collected : "), NULL) : counted;
    }
    if (pipe) {
        pclose(pipe);
    }
    return counted;
}

struct measurement {
    measure_fn *run;
    const char *path;
    const void *what;
};

static void run_measurement(const void *what, void *result) {
    const struct measurement *m = what;
    m->run(m->path, m->what, result);
}

bool measure(measure_fn *run, const char *path, const void *what, struct figures *figures) {
    struct measurement m = {run, path, what};
    long kilobytes = 0;
    bool ok = bench_apart(run_measurement, &m, figures, sizeof *figures, &kilobytes);
    figures->kilobytes = kilobytes;
    return ok;
}

/* ---- what is measured ---- */

struct sw_problem *bench_load(const char *path) {
    struct sw_error error = {0};
    struct sw_load_options options = {0};
    struct sw_problem *problem = sw_load(path, &options, NULL, &error);
    if (!problem) {
        bench_fail(&error);
    }
    return problem;
}

struct sw_search *bench_start(const struct sw_problem *problem, const char *name) {
    struct sw_error error = {0};
    struct sw_search *search = sw_search_new(problem, sw_planner_find(name, &error), NULL, &error);
    if (!search) {
        bench_fail(&error);
    }
    return search;
}

static struct sw_search *planned(const struct sw_problem *problem, const char *name) {
    struct sw_error error = {0};
    struct sw_search *search = bench_start(problem, name);
    if (sw_search_run(search, 0, NULL, NULL, &error) != SW_STEP_DONE) {
        bench_fail(&error);
    }
    return search;
}

void measure_load(const char *path, const void *what, struct figures *figures) {
    (void)what;
    double before = bench_now();
    struct sw_problem *problem = bench_load(path);
    figures->seconds = bench_now() - before;
    figures->count = sw_problem_planned_count(problem);
    figures->bound = sw_problem_lower_bound(problem);
}

void measure_plan(const char *path, const void *what, struct figures *figures) {
    struct sw_problem *problem = bench_load(path);
    double before = bench_now();
    struct sw_search *search = planned(problem, what);
    figures->seconds = bench_now() - before;
    figures->peak = sw_layout_peak(sw_search_layout(search));
    figures->bound = sw_problem_lower_bound(problem);
    figures->count = sw_search_known(search);
}

void measure_check(const char *path, const void *what, struct figures *figures) {
    struct sw_search *search = planned(bench_load(path), what);
    double before = bench_now();
    figures->count = sw_fault_count(sw_search_layout(search), NULL, NULL);
    figures->seconds = bench_now() - before;
}

/* Ten places, spread over the run, in an order that goes both ways.  */
void measure_seek(const char *path, const void *what, struct figures *figures) {
    static const unsigned tenths[] = {9, 1, 8, 2, 7, 3, 6, 4, 5, 0};
    struct sw_error error = {0};
    struct sw_search *search = planned(bench_load(path), what);
    uint64_t last = sw_search_known(search);
    double start_time = bench_now();
    for (size_t i = 0; i < 10; i++) {
        double before = bench_now();
        if (!sw_search_seek(search, last / 10 * tenths[i] + last / 20, &error)) {
            bench_fail(&error);
        }
        double spent = bench_now() - before;
        figures->slowest = spent > figures->slowest ? spent : figures->slowest;
    }
    figures->seconds = bench_now() - start_time;
    figures->count = sw_search_checkpoints(search);
}

static void draw(struct sw_session *session, struct sw_scene *scene, struct sw_grid *grid,
                 const struct sw_theme *theme) {
    struct sw_error error = {0};
    if (!sw_session_screen(session, scene, COLUMNS, ROWS, 1, sw_grid_fineness_y(false), &error)) {
        bench_fail(&error);
    }
    if (!sw_grid_reset(grid, COLUMNS, ROWS, theme) || !sw_grid_scene(grid, scene, theme)) {
        sw_fail_memory(&error);
        bench_fail(&error);
    }
}

static int compare_seconds(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Open the explorer on a file until its first frame stands; then ten more frames of the finished
 * run, each after a step of the cursor. */
void measure_frame(const char *path, const void *what, struct figures *figures) {
    struct sw_error error = {0};
    struct sw_scene scene = {0};
    struct sw_grid grid = {0};
    struct sw_theme theme = {0};
    double spent[10], before = bench_now();
    struct sw_session_options options = {.path = path, .planner = what, .params = SW_PARAMS_DEFAULT};
    struct sw_session *session = sw_session_new(&options, &error);
    if (!session || !sw_theme_load(sw_theme_names()[0], &theme, &error)) {
        bench_fail(&error);
    }
    draw(session, &scene, &grid, &theme);
    figures->seconds = bench_now() - before;
    if (!sw_session_command(session, "run", &error) || !sw_session_finish(session, &error)) {
        bench_fail(&error);
    }
    draw(session, &scene, &grid, &theme); /* whatever is built once, is built here */
    for (int i = 0; i < 10; i++) {
        if (!sw_session_command(session, "cursor-right", &error)) {
            error.code = SW_OK; /* at the edge: the frame is what counts */
        }
        before = bench_now();
        draw(session, &scene, &grid, &theme);
        spent[i] = bench_now() - before;
    }
    qsort(spent, 10, sizeof *spent, compare_seconds);
    figures->median = spent[5];
    figures->slowest = spent[9];
}

/* One view as SVG, or, when `what` is NULL, all of them; without the planning. */
void measure_picture(const char *path, const void *what, struct figures *figures) {
    struct sw_error error = {0};
    struct sw_search *search = planned(bench_load(path), "best-fit");
    struct sw_view_input in = {
        .run = {.search = search, .input_name = path},
        .look = {.selected = SW_NONE, .cursor = SW_NONE, .candidate = SW_NONE, .viewport = sw_viewport_all(search, 0)}};
    char picture[64];
    snprintf(picture, sizeof picture, "%s/picture.svg", bench_folder_name);
    for (unsigned v = 0; v < sw_view_count(); v++) {
        struct sw_export options = {.view = sw_view_get(v)->name};
        struct stat status;
        /* A view of several pages is a PDF, or nothing. */
        if (what ? strcmp(what, options.view) != 0 : sw_view_get(v)->pages != NULL) {
            continue;
        }
        double before = bench_now();
        if (!sw_export_file(&in, &options, picture, &error)) {
            bench_fail(&error);
        }
        double spent = bench_now() - before;
        figures->seconds += spent;
        figures->which = spent > figures->slowest ? v : figures->which;
        figures->slowest = spent > figures->slowest ? spent : figures->slowest;
        if (stat(picture, &status) == 0 && (uint64_t)status.st_size > figures->count) {
            figures->count = (uint64_t)status.st_size;
        }
    }
    unlink(picture);
}

const char *bench_instance_file(uint64_t count, int shape, char path[64]) {
    struct sw_sink out = {0};
    struct sw_error error = {0};
    snprintf(path, 64, "%s/%s-%" PRIu64 ".csv", bench_folder_name, synthetic_names[shape], count);
    synthetic_csv(count, (enum synthetic_shape)shape, 1, &out);
    if (!sw_sink_commit(&out, path, &error)) {
        bench_fail(&error);
    }
    sw_sink_done(&out);
    return path;
}
