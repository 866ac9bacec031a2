/* The problem that a trace tells of: its tiers, operators and buffers, or the events of an allocator.
 *
 * They come line by line, in any order and between decisions, and are handed to a builder at the end of the run. */
#ifndef SW_FORMATS_TRACE_MODEL_H
#define SW_FORMATS_TRACE_MODEL_H

#include "formats/requests/request_list.h"
#include "base/names.h"
#include "formats/trace/read/trace_text.h"

/* Where an object stands, for errors. */
struct sw_trace_where {
    const struct sw_trace_text *text;
    const struct sw_trace_piece *piece;
    uint32_t line;
    struct sw_error *error; /* of all that fails there */
};
/* Fail at a value of the object, or at its beginning where the value is absent. Returns false. */
bool sw_trace_fail(const struct sw_trace_where *, struct sw_trace_value, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The value of a key, which may be absent, as a number within bounds. */
bool sw_trace_bytes(const struct sw_trace_where *, const struct sw_trace_object *, enum sw_trace_key, uint64_t most,
                    uint64_t *to);
bool sw_trace_time(const struct sw_trace_where *, const struct sw_trace_object *, enum sw_trace_key, int64_t *to);

struct sw_trace_buffer {
    const char *name;
    struct sw_buffer_spec spec;
    const char *inplace_of; /* NULL */
    bool live;              /* allocated and not freed */
    uint32_t stream;        /* on which it was allocated: a number of the model's requests */
    uint32_t line;
};
struct sw_trace_operator {
    const char *name;
    bool has_at;
    int64_t at;
    SW_ARRAY(const char *) lists[3]; /* inputs, outputs, scratch */
    uint32_t line;
};
/* The first operator that stands at the time or later, for every time that something names. */
struct sw_trace_instant {
    int64_t time;
    uint32_t first, last; /* operators at that time */
};
struct sw_trace_instants { /* by time */
    struct sw_trace_instant *items;
    size_t count, capacity;
};
/* The last one up to a time, or the first; there is one. */
const struct sw_trace_instant *sw_trace_instant_at(const struct sw_trace_instants *, int64_t time);
struct sw_trace_model { /* zero it to start with */
    struct sw_arena arena;
    struct sw_names buffers, operators, again; /* again: how often an id was allocated, where more than once */
    SW_ARRAY(struct sw_trace_buffer) buffer_list;
    SW_ARRAY(struct sw_trace_operator) operator_list;
    SW_ARRAY(struct sw_tier) tiers;
    struct sw_trace_instants instants; /* made by sw_trace_model_build where times are not numbers of operators */
    const char *name;                  /* of the model; NULL */
    uint64_t alignment;
    bool has_graph;
    int64_t events;               /* alloc and free, so far */
    struct sw_requests *requests; /* the same for an allocator to replay; NULL until there is one */
    struct sw_stream_map streams;
    uint32_t twice, ignored_frees, timeless, untold, unpaired; /* what is noted */
};
void sw_trace_model_done(struct sw_trace_model *);

/* Take up a part of a header, or an object of the kind. False: an error. */
bool sw_trace_model_header(struct sw_trace_model *, const struct sw_trace_where *, const struct sw_trace_object *);
bool sw_trace_model_graph(struct sw_trace_model *, const struct sw_trace_where *, const struct sw_trace_object *,
                          const struct sw_load_options *, struct sw_builder *);
bool sw_trace_model_tier(struct sw_trace_model *, const struct sw_trace_where *, const struct sw_trace_object *);
bool sw_trace_model_operator(struct sw_trace_model *, const struct sw_trace_where *, const struct sw_trace_object *);
bool sw_trace_model_buffer(struct sw_trace_model *, const struct sw_trace_where *, const struct sw_trace_object *);
bool sw_trace_model_event(struct sw_trace_model *, const struct sw_trace_where *, const struct sw_trace_object *);
/* How often the id was allocated so far, where it was more than once; else 0. Such a buffer is called "NAME#2". */
uint32_t sw_trace_model_again(const struct sw_trace_model *, struct sw_trace_value id);

/* All of it into the builder, with notes. `decided`: the trace has decisions, too. */
bool sw_trace_model_build(struct sw_trace_model *, bool decided, struct sw_builder *, struct sw_error *);

#endif
