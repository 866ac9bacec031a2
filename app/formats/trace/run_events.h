/* A run as trace events, for the viewers of such files (Perfetto, chrome://tracing): operators, live and reserved
 * bytes, buffers and decisions as tracks.
 *
 * The format is the JSON object format of "Trace Event Format" (2016): metadata (M), complete events (X), counters (C)
 * and instants (i). Its times are microseconds. One of them stands for a unit of the model's own time, or for a step
 * where these are too many; of the planner's decisions for one decision; of a moment, which has no times, for a byte of
 * address, or several. Bytes stand in `args`, as whole numbers. */
#ifndef SW_FORMATS_RUN_EVENTS_H
#define SW_FORMATS_RUN_EVENTS_H

#include "formats/text/json_write.h"
#include "formats/trace/trace_write.h"

/* Is it the name of such a file: does it end in .perfetto.json, maybe with .gz (then `gzip` is true)? `gzip` may be
 * NULL. */
bool sw_events_named(const char *path, bool *gzip);

struct sw_events_about {
    const char *input;      /* the name of the file */
    const char *conditions; /* the options that change the plan; "" or NULL */
    const char *fault;      /* why there is no plan; NULL */
    uint64_t base;          /* added to offsets */
};
/* All of a run that stands at its end; it stands there again afterwards. Of an online allocator what is reserved is
 * looked at after each decision, so that the run is made once more: `go_on`, which may be NULL, hears of each. False:
 * no memory, pouring failed, or `go_on` said no, with SW_ERROR_CANCELED. O(n log n) besides. */
typedef bool sw_events_go_on_fn(void *context, uint64_t decision);
struct sw_events_way {
    sw_trace_pour_fn *pour;
    void *pour_context;
    sw_events_go_on_fn *go_on;
    void *go_on_context;
};
bool sw_events_write(struct sw_search *, const struct sw_events_about *, const struct sw_events_way *,
                     struct sw_error *);

/* ---- for what writes them ---- */

struct sw_events {
    const struct sw_problem *problem;
    const struct sw_events_about *about;
    const struct sw_events_way *way;
    struct sw_json_out json;
    struct sw_sink out;
    struct sw_error *error;
};
/* Microseconds; above that a double does not tell nanoseconds apart. */
#define SW_EVENTS_MOST_TIME UINT64_C(9000000000000)
/* Nanoseconds: whole microseconds are written without a point. */
#define SW_EVENTS_US UINT64_C(1000)
/* An event is open until sw_events_end, and so are its `args`. */
void sw_events_begin(struct sw_events *, char phase, const char *name, unsigned process, uint32_t thread, uint64_t at);
void sw_events_begin_long(struct sw_events *, const char *name, unsigned process, uint32_t thread, uint64_t at,
                          uint64_t duration);
bool sw_events_end(struct sw_events *); /* false: no memory, or pouring failed */
bool sw_events_count(struct sw_events *, const char *name, unsigned process, uint64_t at, uint64_t bytes);
bool sw_events_name_process(struct sw_events *, unsigned process, const char *name);
bool sw_events_name_thread(struct sw_events *, unsigned process, uint32_t thread, const char *name);
/* What of a moment is told, by address, the segments one behind the other; and how many bytes a microsecond is. */
uint64_t sw_events_moment_unit(const struct sw_moment *);
bool sw_events_moment(struct sw_events *, const struct sw_moment *);

#endif
