/* What the readers of request traces share: ids become buffers, events become requests, the number of an event is its
 * time.
 *
 * A reader goes through its file once and says what was asked for, in order. Each allocation is a buffer of its own,
 * which lives from its event to the one before its free, or to the end. It is called after its id; the second buffer of
 * an id is called ID#2, and so on, with other numbers where a file has such ids itself. At the end all of it goes to a
 * builder.
 *
 * Everything here is O(1) on average but the end, which is O(events). */
#ifndef SW_FORMATS_REQUEST_LIST_H
#define SW_FORMATS_REQUEST_LIST_H

#include "base/names.h"
#include "formats/text/scan.h"

/* Texts that are kept once. */
struct sw_word {
    const char *text; /* NUL-ended, in the list's arena */
    size_t length;
    uint32_t newest;   /* of an id: its youngest living buffer; SW_NONE */
    uint32_t uses;     /* of an id: buffers so far that were named after it */
    const char *shown; /* of an origin: the text as it may be shown */
};
struct sw_words { /* zero it to start with */
    SW_ARRAY(struct sw_word) list;
    struct sw_names numbers; /* in `list` */
};

struct sw_listed_buffer {
    const char *name, *origin; /* origin: NULL */
    uint64_t size;
    uint32_t first, last; /* numbers of events; last is SW_NONE while it lives */
    uint32_t line, column;
    uint32_t stream;       /* into requests->streams */
    uint32_t word;         /* its id */
    uint32_t older, newer; /* the living buffers of the same id; SW_NONE */
    bool before;           /* it was there before the first event */
};
/* The streams of a list of requests, found in O(1): there may be thousands. Zero it to start with. */
struct sw_stream_map {
    struct sw_names numbers;
    struct sw_arena arena; /* of their names */
};
/* The number of a stream, which is added if it is new. SW_NONE: no memory, or too many. */
uint32_t sw_stream_map_find(struct sw_stream_map *, struct sw_requests *, int64_t name);
void sw_stream_map_done(struct sw_stream_map *);

struct sw_request_list { /* zero it to start with */
    struct sw_requests *requests;
    struct sw_arena arena;
    struct sw_words ids, origins;
    struct sw_stream_map streams;
    SW_ARRAY(struct sw_listed_buffer) buffers;
    uint32_t events; /* so far */
    uint64_t total;  /* bytes of all buffers */
    size_t unknown;  /* memory got without an address that is behind this request is not yet known by its address */
    uint64_t allocs, frees;
    uint64_t frees_unknown, frees_silent; /* said in notes: frees of what is not there, and frees that no line tells */
};
/* `allocator`: the planner that is asked where none is named; static. False: no memory. */
bool sw_request_list_begin(struct sw_request_list *, const char *allocator, struct sw_error *);
void sw_request_list_done(struct sw_request_list *);

/* The youngest living buffer of an id; SW_NONE: there is none. */
uint32_t sw_request_list_find(const struct sw_request_list *, const char *id, size_t length);
/* Was there ever a buffer of that id? */
bool sw_request_list_knows(const struct sw_request_list *, const char *id, size_t length);

/* Where something was asked for, a frame a line, as a text that is kept once and lives as long as the list. The bytes
 * may be anything: controls but line breaks become '?', what is no UTF-8 its sign for that. NULL: no memory. */
const char *sw_request_list_origin(struct sw_request_list *, const char *bytes, size_t length);

/* An event: something was asked for. Living buffers of the same id go on living. False: no memory, or too much of
 * something (with the place). */
struct sw_listed_alloc {
    const char *id; /* UTF-8 without NUL */
    size_t length;
    uint64_t size;    /* up to SW_MAX_BYTES */
    uint64_t address; /* SW_NO_ADDRESS */
    int64_t stream;
    const char *origin; /* of sw_request_list_origin; NULL */
    uint32_t line, column;
};
bool sw_request_list_alloc(struct sw_request_list *, const struct sw_listed_alloc *, struct sw_error *);
/* No event: so much was there before the first one, of which the list knows no such id. SW_NONE: no memory. */
uint32_t sw_request_list_before(struct sw_request_list *, const char *id, size_t length, uint64_t size);
/* An event: a living buffer was given back, on `stream` (NULL: its own). */
bool sw_request_list_free(struct sw_request_list *, uint32_t buffer, const int64_t *stream, struct sw_error *);
/* The same where no line says so, so that it is no event: its free goes before the event that comes next. */
bool sw_request_list_free_silently(struct sw_request_list *, uint32_t buffer, struct sw_error *);
/* An event that concerns no buffer (SW_REQUEST_EMPTY, SW_REQUEST_REFUSED), or what the allocator did at the event that
 * comes next (SW_REQUEST_SEGMENT_MADE and the like), which is none of its own. */
bool sw_request_list_other(struct sw_request_list *, enum sw_request_kind, uint64_t address, uint64_t size,
                           struct sw_error *);
/* Nothing happened, but it counts as an event: a free of what is not there. */
bool sw_request_list_pass(struct sw_request_list *, struct sw_error *);

/* So much memory from this address on was there before the first event. It is taken from what the allocator got without
 * an address (SW_REQUEST_SEGMENT_MADE). False: no memory. O(1) on average. */
bool sw_request_list_known(struct sw_request_list *, uint64_t address, uint64_t size);

/* Of a log that tells addresses: a block at this one was given out, or given back. One that is still there when another
 * is given out at its address was given back silently; giving back what is not there is an event that does nothing. */
bool sw_request_list_give(struct sw_request_list *, uint64_t address, uint64_t size, const char *origin, uint32_t line,
                          struct sw_error *);
bool sw_request_list_take(struct sw_request_list *, uint64_t address, struct sw_error *);

/* All of it into the builder, with notes; the list of requests as well. Errors found here have the place of their
 * event. */
bool sw_request_list_build(struct sw_request_list *, struct sw_builder *, struct sw_error *);

#endif
