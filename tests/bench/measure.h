/* Measuring: what the benches share.
 *
 * A measurement is a function that runs in a process of its own, so that its peak memory is its own
 * and what one does to the heap does not slow the next. What goes wrong there ends that process with
 * a line on standard error, and the row says that it failed. Seconds are those of a clock that never
 * goes back; memory is what was resident at most. */
#ifndef SW_BENCH_MEASURE_H
#define SW_BENCH_MEASURE_H

#include "search/search.h"

/* Run in a process of its own; the `size` bytes that it leaves in `result` come back. kilobytes: its peak
 * resident memory. False: it failed. */
bool bench_apart(void (*run)(const void *what, void *result), const void *what, void *result, size_t size,
                 long *kilobytes);

struct figures {
    double seconds;
    double slowest, median; /* of the ten that some measurements take */
    uint64_t peak, bound, count;
    unsigned which; /* the view that took longest */
    long kilobytes; /* peak resident memory of the process */
};
/* `what` is its own: the name of a planner or of a view, or NULL. */
typedef void measure_fn(const char *path, const void *what, struct figures *);
/* False: it failed. */
bool measure(measure_fn *, const char *path, const void *what, struct figures *);

/* Load a file, until the bound is known: seconds, count, bound. */
void measure_load(const char *path, const void *what, struct figures *);
/* Plan with the planner named: seconds, peak, bound; count: its decisions. */
void measure_plan(const char *path, const void *planner, struct figures *);
/* Check what the planner named made: seconds; count: faults. */
void measure_check(const char *path, const void *planner, struct figures *);
/* Go to ten places of a finished run: seconds of all, the slowest; count: checkpoints. */
void measure_seek(const char *path, const void *planner, struct figures *);
/* Open the explorer until its first frame stands: seconds; then the median and the slowest of ten
 * frames of 200x60 of the finished run. */
void measure_frame(const char *path, const void *planner, struct figures *);
/* The view named, or when NULL every view, as a picture of a finished run: seconds of all, the slowest and
 * which it was; count: bytes of the largest SVG. */
void measure_picture(const char *path, const void *view, struct figures *);

/* Where files may be made while the bench runs. */
extern char bench_folder_name[];
/* Make a synthetic instance there, from seed 1; the caller unlinks it. */
const char *bench_instance_file(uint64_t count, int shape, char path[64]);

/* What callgrind counts when this program runs with these arguments (printf), in the function `toggle` and what it
 * calls, or everywhere when that is NULL. 0 when valgrind is not there. */
double bench_instructions(const char *toggle, const char *format, ...) __attribute__((format(printf, 2, 3)));

double bench_now(void);
void bench_fail(const struct sw_error *) __attribute__((noreturn));
struct sw_problem *bench_load(const char *path);
struct sw_search *bench_start(const struct sw_problem *, const char *planner);

#endif
