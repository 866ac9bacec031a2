/* A recording: what a planner decided, one decision after the other, in the numbers of a problem.
 *
 * It is made by the reader of a trace when it binds its tape (problem/tape.h), and the planner `recorded` plays it. A
 * recording belongs to its problem and does not change, but for one thing: while the planner that writes the trace is
 * still running, decisions may be added behind the last one. A run that had come to the end then goes on
 * (sw_search_more).
 *
 * Nothing in it is assumed to be a good plan. Blocks may overlap, end above a capacity, or never get a place; the
 * decision that does such a thing says so. What must hold, and what the reader checks, is that numbers of buffers,
 * tiers and steps exist, that offsets and ends are at most 2^61, and that the spans of one buffer follow one another.
 *
 * Candidates, figures and state tables are not kept here: `explain` and `state` read them when they are asked for. */
#ifndef SW_PLANNERS_RECORDING_H
#define SW_PLANNERS_RECORDING_H

#include "planners/tables/state_tables.h"
#include "search/decision.h"

SW_C_BEGIN

struct sw_planner;

/* What a decision does to the layout, in single effects. */
enum sw_effect_kind {
    SW_EFFECT_PLACE,            /* buffer, tier, value = offset: there for its whole life, in place of what it had */
    SW_EFFECT_SPAN,             /* the same for the steps a..b, behind the spans that it has */
    SW_EFFECT_LIFT,             /* buffer: it has no place now */
    SW_EFFECT_FORGET_TRANSFERS, /* all of them */
    SW_EFFECT_TRANSFER,         /* buffer, before step `a`, from tier `b` to `tier`; SW_NONE: host memory */
    SW_EFFECT_FORGET_PERMITS,
    SW_EFFECT_PERMIT, /* buffer may be written over `b` at step `a` */
    SW_EFFECT_ARENA   /* tier, value = bytes: what is reserved there */
};
struct sw_effect {
    uint8_t kind;
    uint32_t buffer, tier, a, b;
    uint64_t value;
};

struct sw_recorded {
    /* As the trace has it, without `step`, `peak`, `peak_before` and `work`. `said` is its sentence, where the trace
     * has one that is not ours. Texts live as long as the recording. */
    struct sw_decision decision;
    uint64_t where; /* the reader's: where candidates and the like stand */
    uint32_t first_effect, effect_count;
    bool judged; /* what it does was told by a planner of which nothing is known: say what is wrong with it */
};

enum sw_recording_end {
    SW_RECORDING_OPEN, /* the trace ends before its run does, or its planner still runs */
    SW_RECORDING_DONE,
    SW_RECORDING_FAILED /* the planner found no layout */
};

/* What the reader does on demand. Each appends to what the caller has; false: no memory, or the text has changed. */
struct sw_recording_reader {
    bool (*explain)(const struct sw_recording *, const struct sw_problem *, uint64_t decision, struct sw_explanation *,
                    struct sw_error *);
    bool (*state)(const struct sw_recording *, const struct sw_problem *, uint64_t decisions, struct sw_state_tables *);
};

/* Where blocks end, to know how large the arena is when the topmost goes. Internal. */
struct sw_recording_tops;

/* The reader fills it; zero it to start with (sw_recording_new). */
struct sw_recording {
    const struct sw_recording_reader *reader;
    const char *planner; /* as it calls itself; "" */
    const char *version; /* "" when it does not say */
    SW_ARRAY(struct sw_recorded) decisions;
    SW_ARRAY(struct sw_effect) effects;
    SW_ARRAY(const char *) groups; /* names, by number; NULL: no name is told */
    enum sw_recording_end end;
    const char *failure;              /* FAILED: why; "" when it does not say */
    uint64_t stopped_at;              /* a limit stopped its run after so many decisions; 0: none did */
    bool no_addresses, has_migration; /* struct sw_claims */
    uint64_t migration_bytes;
    const struct sw_planner *seen_by; /* its run is about the problem that this planner derives; NULL: as it is */
    struct sw_arena texts;
    struct sw_recording_tops *tops;
    void *own; /* the reader's */
};
struct sw_recording *sw_recording_new(void);   /* NULL: no memory */
void sw_recording_free(struct sw_recording *); /* NULL is allowed; `own` is the reader's to free */

/* Append a decision. Its effects were pushed onto `effects` before, from first_effect on. Where they lift or move
 * blocks, and do not say what the arenas are now, that is worked out: as far as the highest block reaches. Decisions
 * with an effect SW_EFFECT_ARENA say it. O(effects x log n). False: no memory. */
bool sw_recording_add(struct sw_recording *, const struct sw_problem *, const struct sw_recorded *);

/* The name of a group of decisions, or NULL. */
const char *sw_recording_group(const struct sw_recording *, uint32_t group);

SW_C_END

#endif
