/* The tape of a trace: where its decisions stand, and how they are read. Between reading the problem (trace_format.c),
 * binding the decisions to it (trace_tape.c), and looking at one of them (trace_look.c). */
#ifndef SW_FORMATS_TRACE_TAPE_H
#define SW_FORMATS_TRACE_TAPE_H

#include "formats/trace/read/trace_grow.h"
#include "formats/trace/read/trace_model.h"

struct sw_trace_mark {   /* a decision */
    uint64_t at;         /* its line */
    uint64_t candidates; /* the first of its candidates, or `at` */
    uint32_t line, candidate_line;
    uint32_t candidate_count;
    uint32_t group;
    uint32_t again; /* its buffer is an id that was allocated so often by then; 0: once or never */
    int64_t event;  /* the last event of an allocator before it; -1: there was none */
};
struct sw_trace_table { /* a table of the planner's state */
    uint64_t at;
    uint32_t line, name;
    uint64_t after; /* so many decisions stood before it */
};
struct sw_trace_tape {
    struct sw_tape tape;
    struct sw_trace_text text;
    struct sw_arena arena;
    const char *planner, *version, *as_seen_by; /* "" */
    bool ours;                                  /* our own writer made it, and marks what was permitted */
    SW_ARRAY(struct sw_trace_mark) marks;
    SW_ARRAY(struct sw_trace_table) tables;
    struct sw_names table_names;
    uint32_t table_name_count;
    SW_ARRAY(const char *) groups;
    SW_ARRAY(const char *) notes; /* of the run's header */
    struct sw_trace_instants instants;
    enum sw_recording_end end;
    const char *failure; /* "" */
    bool has_peak, no_addresses, has_migration;
    uint64_t peak, migration_bytes, stopped_at;
    SW_ARRAY(struct sw_trace_run) runs;           /* of the file */
    size_t chosen;                                /* which of them this is */
    SW_ARRAY(struct sw_demand) demands;           /* texts in the arena */
    struct sw_trace_progress {                    /* how far it was read: */
        uint64_t next;                            /* the line that comes next begins here */
        uint32_t line;                            /* so many stand before it */
        uint64_t candidates;                      /* gathered for the decision that follows: the first, */
        uint32_t candidate_line, candidate_count; /* its line, and how many */
        uint32_t group;                           /* groups so far */
        int64_t events;                           /* of an allocator, so far */
        bool last;                                /* the run is the last one of the text, so far */
        bool partial;                             /* the rest of the text has not been looked at */
        bool chosen;                              /* it was asked for: that another one follows does not matter */
    } progress;
};
struct sw_trace_tape *sw_trace_tape_new(const struct sw_input *, struct sw_error *);

/* Append the decisions from `from` on to the recording of a problem. False: an error. */
bool sw_trace_bind(struct sw_trace_tape *, const struct sw_problem *, struct sw_recording *, size_t from,
                   struct sw_error *);

/* A recording's tape. */
struct sw_trace_tape *sw_trace_tape_of(const struct sw_recording *);

/* ---- what a line means in a problem ---- */

/* The buffer with a name, or the one that a part of it belongs to; `again` as in a mark. SW_NONE: there is none. */
uint32_t sw_trace_buffer(const struct sw_problem *, struct sw_trace_value name, uint32_t again);
/* SW_NONE: there is no such tier. */
uint32_t sw_trace_tier(const struct sw_problem *, struct sw_trace_value name);
/* The step that a raw time lies in; SW_NONE: outside of all. `last`: of several operators at that time the last one. */
uint32_t sw_trace_step(const struct sw_trace_tape *, const struct sw_problem *, int64_t time, bool last);
/* Read the line of an object that was read before. */
bool sw_trace_line(struct sw_trace_tape *, uint64_t at, struct sw_trace_piece *, struct sw_trace_object *,
                   uint32_t line, struct sw_error *);

/* trace_look.c */
extern const struct sw_recording_reader sw_trace_reader;

#endif
