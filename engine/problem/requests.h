/* Requests: what a program asked of an online allocator, one event after the other.
 *
 * An online allocator (planners/online) sees a request when it comes and knows nothing of those that follow. A file
 * that records such a program (a snapshot of PyTorch's, a log, a table of events) therefore gives, besides the buffers,
 * the exact order of events. Its reader fills a list of requests and hands it to the builder. A problem without such a
 * list has one all the same (sw_problem_requests): each buffer is asked for at its first step and given back behind its
 * last.
 *
 * A list does not change once it has been handed over, and is shared by reference count. */
#ifndef SW_PROBLEM_REQUESTS_H
#define SW_PROBLEM_REQUESTS_H

#include "base/mem.h"
#include "problem/problem.h"

SW_C_BEGIN

enum sw_request_kind {
    SW_REQUEST_ALLOC,
    SW_REQUEST_OVER,       /* in place: it takes the block of the buffer `over`, which has none from then on */
    SW_REQUEST_FREE,       /* asked for and completed at once */
    SW_REQUEST_FREE_ASKED, /* another stream may still use the block */
    SW_REQUEST_FREE_COMPLETED,
    SW_REQUEST_EMPTY, /* give back what nothing uses (empty_cache, shrink) */
    /* What the recorded allocator did: */
    SW_REQUEST_SEGMENT_MADE, /* address, size: a segment came from the device. SW_NO_ADDRESS: so many bytes are reserved
                                that the file shows nothing else of */
    SW_REQUEST_SEGMENT_GONE,
    SW_REQUEST_PAGES_MADE, /* address, size: pages of an expandable segment were mapped */
    SW_REQUEST_PAGES_GONE,
    SW_REQUEST_REFUSED, /* size: out of memory */
    SW_REQUEST_MARK     /* an event of the program's own; it changes nothing */
};
#define SW_NO_ADDRESS UINT64_MAX
enum { SW_REQUESTS_MOST = 65535 }; /* streams, and pools */
struct sw_request {
    uint64_t address; /* as recorded; SW_NO_ADDRESS */
    uint64_t size;    /* bytes asked for; of a segment its bytes */
    uint32_t buffer;  /* in the problem's listed order; SW_NONE for what concerns none */
    uint32_t over;    /* OVER; of a MARK the number of its words in `marks`; else nothing */
    uint32_t time;    /* raw time of the event; of implied requests the step */
    uint32_t stream;  /* into `streams` */
    uint16_t pool;    /* into `pools` */
    uint16_t kind;    /* enum sw_request_kind */
};

/* A private pool of blocks, as PyTorch names it; (0, 0) is the default one. */
struct sw_request_pool {
    int64_t a, b;
};

/* What an event of the program's own says. */
struct sw_request_mark {
    char text[96]; /* printable ASCII */
};

/* A segment, and a block in it, at the moment when recording began or ended. */
struct sw_known_segment {
    uint64_t address, size; /* of the mapped bytes, if it is expandable: one entry per stretch of mapped pages */
    uint32_t stream;
    uint16_t pool;
    bool small, expandable;
};
enum sw_known_state { SW_KNOWN_FREE, SW_KNOWN_USED, SW_KNOWN_WAITING };
struct sw_known_block {
    uint64_t address, size, requested;
    uint32_t buffer; /* SW_NONE for a free one */
    uint32_t stream;
    uint16_t pool;
    enum sw_known_state state;
};

struct sw_request_window {
    uint64_t lo, hi, base;
};

struct sw_moment;
struct sw_requests {
    size_t references; /* 1 to start with */
    SW_ARRAY(struct sw_request) items;
    SW_ARRAY(int64_t) streams;              /* as the file names them; at least one */
    SW_ARRAY(struct sw_request_pool) pools; /* at least one: the default */
    SW_ARRAY(struct sw_request_mark) marks;
    const char *allocator; /* the planner that is asked where none is named; static */
    bool recorded;         /* addresses and segments are told */
    bool partial;          /* neither those that found room nor any free: what else is in the segments that
                              were got is not told */
    bool implied;          /* by lifetimes: no file tells them */
    char settings[512];    /* of the recorded allocator: of cuda-caching as its `conf`, of others as parameters
                              of their planner, key=value,...; "" */
    /* When recording began, by address. Blocks of a segment follow one another without gaps. */
    SW_ARRAY(struct sw_known_segment) segments;
    SW_ARRAY(struct sw_known_block) blocks;
    /* Where recorded addresses lie in the arena that is shown: [lo, hi) begins at `base`. By address. */
    SW_ARRAY(struct sw_request_window) windows;
    const struct sw_moment *moment; /* they go on from this moment: its blocks in use or waiting are the first buffers.
                                       A reference of its own; NULL */
};
struct sw_requests *sw_requests_new(void); /* one stream 0 and the default pool; NULL: no memory */
struct sw_requests *sw_requests_copy(const struct sw_requests *); /* one that may change; NULL: no memory */
struct sw_requests *sw_requests_ref(const struct sw_requests *);  /* NULL is allowed */
void sw_requests_unref(const struct sw_requests *);               /* NULL is allowed */

/* The number of a stream or pool, added if it is new; SW_NONE: no memory, or more than 65,536. */
uint32_t sw_requests_stream(struct sw_requests *, int64_t name);
uint32_t sw_requests_pool(struct sw_requests *, int64_t a, int64_t b);

/* The requests of a problem: those that its file tells, or else those that lifetimes imply: at every step first the
 * buffers that died before it are given back, in program order, then those that are born are asked for; what lives to
 * the last step is not given back. A reference
 * of the caller's. NULL: no memory. O(buffers). */
struct sw_requests *sw_problem_requests(const struct sw_problem *);
/* Those that the file tells; NULL: none. Borrowed. */
const struct sw_requests *sw_problem_told_requests(const struct sw_problem *);
/* Do they go on from a moment? */
bool sw_problem_goes_on(const struct sw_problem *);

SW_C_END

#endif
