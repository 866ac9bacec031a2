/* The inside of the planners that step an online allocator: one run over the requests of a problem.
 *
 * An online allocator is a planner like any other: it takes the requests in their order and decides, one act after the
 * other (ask, round, find, split, grow, release, merge, fail), where each buffer lies. What it keeps is a heap
 * (heap/heap.h).
 *
 * A run may begin at three places (parameter `start`):
 *
 *     trace      an empty heap, and the requests of the trace; what was alive before is ignored
 *     all        an empty heap; first all that was alive when recording began, by address, then the trace
 *     recorded   the heap as it was when recording began, rebuilt by going back from its end (heap/caching/known.h).
 * Every request is predicted, then compared with what was recorded; where the two differ the record is taken, the
 * decision says so, and the run goes on from there. */
#ifndef SW_PLANNERS_ONLINE_H
#define SW_PLANNERS_ONLINE_H

#include "heap/heap_moment.h"
#include "heap/kinds.h"
#include "heap/caching/known.h"
#include "layout/live_count.h"
#include "planners/online/waste_history.h"
#include "planners/planner_internal.h"

enum online_start { ONLINE_RECORDED, ONLINE_TRACE, ONLINE_ALL };

/* Figures of a run. All are of moments after a whole request; the state at the start is the first. */
struct online_figures {
    uint64_t reserved, allocated, active, requested; /* peaks */
    uint64_t lower_bound; /* the most that the rounded sizes of what is alive come to at once */
    uint64_t fragmentation,
        fragmentation_least; /* reserved - allocated when the peak was first reached; the least while it holds */
    uint64_t allocs, hits, grown, growth_hits, releases, ooms; /* grown: requests that made what is reserved grow */
    uint64_t failed;                                           /* bytes asked for by those that got nothing */
    uint64_t segments_grown, segments_freed, samples;
    uint64_t peak_sample; /* the sample that reached the peak of `reserved` first */
    uint32_t crc;
};

struct online {
    struct sw_requests *requests; /* those of this run: with `all` they begin with what was alive before */
    struct sw_heap *heap;
    enum online_start start;
    enum sw_moment_bound bound; /* of a run that goes on from a moment */
    bool compares;              /* with what was recorded */
    size_t before;              /* blocks that were there when recording began */
    size_t next;                /* the request that comes next */
    uint32_t step;              /* of time */
    uint64_t placed,
        dying;  /* bytes of planned buffers that have a place; of those that are given back at this time, and not yet */
    bool exact; /* what is alive is asked of the problem: a graph frees otherwise than its lifetimes say */
    bool over;  /* the time is behind the last step: what is given back now was alive there */
    struct sw_live live; /* exact: what is alive */
    uint32_t dying_at;   /* the time for which `dying` was counted; SW_NONE: none yet */
    uint32_t refused;    /* the first buffer that got nothing; SW_NONE */

    /* The request under way. */
    bool busy, asked;
    bool grew; /* it made what is reserved grow: a growth, of a new segment or of one that has a top */
    struct sw_turn turn;
    struct sw_request request;
    uint64_t found; /* where it lies; SW_NO_ADDRESS */
    struct online_record {
        size_t from, to,
            at; /* what the record says it grew by: [from, to) of the requests; as far as it was followed */
        bool missed, checked; /* no free block serves; and the growth was predicted */
        bool failed;          /* the prediction was wrong; the record is taken */
        uint64_t predicted;   /* where it was to lie; SW_NO_ADDRESS: nowhere without growing */
        const char *cause;
        bool releasing; /* the request before gave segments back as well: one moment */
    } record;

    uint64_t wanted; /* what the last request for memory was rounded to */
    struct online_figures figures;
    struct sw_online_history history;
};

/* ggml_order.c: does ggml's allocator have an order of its own for the problem? And the requests in that order: a
 * reference of the caller's; NULL: no memory. */
bool online_ggml_orders(const struct sw_problem *);
struct sw_requests *online_ggml_requests(const struct sw_problem *);

/* ---- following a record (online_record.c) ---- */

void online_record_begin(struct online *); /* a request comes: what does the record say of it? */
void online_record_end(struct online *);   /* it is served: was the prediction right? */

/* The next act of the request under way, or of what the record did by itself; it is compared with the record. */
bool online_record_act(struct online *, struct sw_act *, struct sw_explanation *, struct sw_error *);

/* Where an address of a device lies in the arena that is shown: its windows stand one above the other there. */
uint64_t online_shown(const struct online *, uint64_t address);

/* ---- tables and figures (online_tables.c) ---- */
void online_tables(const void *state, const struct sw_run *, const struct sw_decision *last, struct sw_state_tables *);
sw_because_fn online_because;
bool online_details(const void *state, const struct sw_run *, struct sw_details *);

/* ---- the planner's functions, the same for all allocators; the kind of heap is the planner's context ---- */
bool online_open(void *state, struct sw_run *);
extern const struct sw_described online_described;
enum sw_step online_step(void *state, struct sw_run *, struct sw_decision *);
bool online_constrain(void *state, struct sw_run *, const struct sw_override *);
const struct sw_problem *online_derive(const struct sw_problem *, const struct sw_params *, struct sw_error *);

#define ONLINE_PLANNER(kind, text, check, about)                               \
    const struct sw_planner sw_##kind = {.name = (text),                       \
                                         .summary = (about),                   \
                                         .parameters = sw_##kind##_parameters, \
                                         .context = &sw_##kind##_heap,         \
                                         .legal = (check),                     \
                                         .needs = SW_NEEDS_ONE_MEMORY,         \
                                         .one_layout = true,                   \
                                         .reserves = true,                     \
                                         .derive = online_derive,              \
                                         .open = online_open,                  \
                                         .step = online_step,                  \
                                         .described = &online_described,       \
                                         .constrain = online_constrain,        \
                                         .details = online_details,            \
                                         .state = online_tables,               \
                                         .because = online_because}

#endif
