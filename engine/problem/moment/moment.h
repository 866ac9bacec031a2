/* A moment: what an allocator held at one instant, as people paste it when memory ran out.
 *
 * A dump of chunks, a snapshot without history or a report of usage has no times. It has segments, which the allocator
 * got from the device; blocks in them, in use, free or waiting; what the program that printed it says of sums and
 * limits; and the request that failed. Everything that is told is kept, and nothing is made up: what is not told is
 * SW_UNTOLD, and a stretch of a segment of which nothing is told is a block of state SW_HELD_UNTOLD.
 *
 * A reader makes one, adds to it, and ends with sw_moment_settle; from then on it does not change and is shared by
 * reference count. Bytes are bytes; addresses are as printed. */
#ifndef SW_PROBLEM_MOMENT_MOMENT_H
#define SW_PROBLEM_MOMENT_MOMENT_H

#include "base/c_linkage.h"
#include "base/mem.h"
#include "base/names.h"
#include "problem/problem.h"

SW_C_BEGIN

#define SW_UNTOLD UINT64_MAX

/* A stretch of memory that the allocator got from the device. */
struct sw_moment_segment {
    uint64_t address; /* SW_UNTOLD: only its size is told */
    uint64_t size;
    const char *allocator; /* of several that one text tells of; NULL: not told */
    const char *pool;      /* requests of one pool are not served from another; NULL: not told */
    const char *stream;    /* the same; NULL */
    bool expandable;       /* a stretch of mapped pages: whole pages come and go, at its end and inside it */
    bool implied;          /* blocks are told at these addresses, and the segment that they are in is not */
    size_t first, count;   /* set by sw_moment_settle: its blocks, by address, without gaps */
};

enum sw_held_state { SW_HELD_USED, SW_HELD_FREE, SW_HELD_WAITING, SW_HELD_UNTOLD };
#define SW_HELD_STATES 4
struct sw_moment_block {
    uint64_t address;   /* SW_UNTOLD: only its size is told */
    uint64_t size;      /* of one; what it takes */
    uint64_t requested; /* what was asked for; SW_UNTOLD */
    uint64_t count;     /* so many of this size; 1 where it has an address */
    const char *name;   /* as the text calls it; NULL */
    const char *origin; /* what asked for it, a line each frame; NULL */
    uint32_t segment;   /* set by sw_moment_settle where it has an address; else the caller's; SW_NONE: not told */
    uint32_t buffer;    /* in the problem that sw_moment_build makes; SW_NONE */
    enum sw_held_state state;
};

/* In use or waiting: it is not free, and it is told. */
static inline bool sw_held_is_taken(const struct sw_moment_block *block) {
    return block->state == SW_HELD_USED || block->state == SW_HELD_WAITING;
}

/* What the text itself says of sums and limits. */
enum sw_moment_figure {
    SW_MOMENT_RESERVED,     /* all segments */
    SW_MOMENT_IN_USE,       /* blocks in use, as large as they are */
    SW_MOMENT_REQUESTED,    /* the same, as they were asked for */
    SW_MOMENT_FREE,         /* inside segments, in use by nothing, and not waiting */
    SW_MOMENT_WAITING,      /* given back, and another stream may still use it */
    SW_MOMENT_LARGEST_FREE, /* the largest free block */
    SW_MOMENT_PEAK_USED,    /* the most that ever was in use */
    SW_MOMENT_PEAK_RESERVED,
    SW_MOMENT_LIMIT,       /* what the allocator may have in all */
    SW_MOMENT_DEVICE,      /* what the device has */
    SW_MOMENT_DEVICE_FREE, /* what of that nothing has */
    SW_MOMENT_OTHERS,      /* what other processes have */
    SW_MOMENT_PROCESS,     /* what this process has of it, by all ways */
    SW_MOMENT_ACTIVE,      /* in use or waiting */
    SW_MOMENT_IDLE,        /* reserved and not in use: free or waiting */
    SW_MOMENT_SPLIT,       /* free, in segments that are partly in use */
    SW_MOMENT_PRIVATE,     /* free, in pools that serve nothing else */
    SW_MOMENT_LEFT         /* what the limit leaves for new segments */
};
#define SW_MOMENT_FIGURES 18
struct sw_moment_told {
    enum sw_moment_figure figure;
    uint64_t bytes;
    uint64_t about;        /* it is rounded: the bytes lie within so many of it; 0: exact */
    const char *allocator; /* of several; NULL */
    const char *pool;      /* of this one alone, and no part of any sum; NULL: of all */
};

/* The request that failed. */
struct sw_moment_failure {
    uint64_t size;    /* asked for; SW_UNTOLD: nothing failed, or it is not told */
    uint64_t about;   /* as above */
    uint64_t rounded; /* the block that the allocator looked for; SW_UNTOLD */
    uint64_t segment; /* what it wanted from the device for that; SW_UNTOLD: no more than the block */
    uint64_t least;   /* the text tells the segment alone, as `size`: the block is at least so large; SW_UNTOLD */
    const char *allocator, *pool, *stream, *origin; /* NULL: not told */
    const char *way; /* a sentence: what makes it fit by rules that only the reader knows; NULL */
};

extern const struct sw_moment_failure sw_moment_no_failure; /* nothing failed */

struct sw_moment {
    size_t references;    /* 1 to start with */
    const char *what;     /* "TensorFlow's dump of chunks": follows "this is"; never NULL once it is settled */
    const char *planner;  /* an online allocator that has the rules of the one which printed it; NULL: not known */
    const char *settings; /* what is known of its settings, as that planner's; "" */
    SW_ARRAY(struct sw_moment_segment) segments; /* settled: by address; those without one last, as listed */
    SW_ARRAY(struct sw_moment_block) blocks;     /* settled: segment after segment; those in none last, as listed */
    SW_ARRAY(struct sw_moment_told) told;
    struct sw_moment_failure failure;
    /* internal */
    struct sw_arena arena;
    struct sw_names texts, figures; /* figures: the numbers of those that are told */
    SW_ARRAY(const char *) kept;
    SW_ARRAY(uint32_t) held; /* the block of each buffer of the problem that sw_moment_build makes */
};
struct sw_moment *sw_moment_new(void); /* NULL: no memory */
struct sw_moment *sw_moment_ref(const struct sw_moment *);
void sw_moment_unref(const struct sw_moment *); /* NULL is allowed */

/* A text of the moment's own; equal texts are one. NULL: no memory. O(length) on average. */
const char *sw_moment_text(struct sw_moment *, const char *text, size_t length);
/* False: no memory. O(1) on average. Texts are the moment's own. */
bool sw_moment_add_segment(struct sw_moment *, const struct sw_moment_segment *);
bool sw_moment_add_block(struct sw_moment *, const struct sw_moment_block *);
/* Of one figure of one allocator and pool the last that is told counts. */
bool sw_moment_tell(struct sw_moment *, const struct sw_moment_told *);
/* Put all in order, and find the segment of each block; what of a segment no block tells becomes a block of state
 * UNTOLD, and blocks outside of all segments lie in segments that are implied, one for each stretch without a gap.
 * A block without an address in a segment that has one lies in none, as its place is not told.
 * False: blocks or segments overlap, a block passes the end of its segment, or sums pass 2^61, with a message that
 * names the address; or no memory. O(n log n). */
bool sw_moment_settle(struct sw_moment *, struct sw_error *);

/* ---- sums ---- */

struct sw_moment_sums {
    /* Of what is shown, block by block; SW_UNTOLD where no block or segment tells it. */
    uint64_t shown[SW_MOMENT_FIGURES];
    /* What the text says, exact to `told_about`. Of several allocators: their sum; the largest of their largest free
     * blocks; of their peaks nothing, which were at different times. */
    uint64_t told[SW_MOMENT_FIGURES], told_about[SW_MOMENT_FIGURES];
    /* The figure that counts: what is shown, unless the text says something else and not only by rounding; then what
     * it says. */
    uint64_t figure[SW_MOMENT_FIGURES];
    bool differs[SW_MOMENT_FIGURES];   /* the text says something else than what it shows comes to */
    uint64_t about[SW_MOMENT_FIGURES]; /* the figure that counts is exact to so many bytes */
    uint64_t blocks[SW_HELD_STATES];   /* how many, and their bytes */
    uint64_t bytes[SW_HELD_STATES];
    uint64_t needed;       /* bytes of the block that the failed request needs: rounded, else as asked; SW_UNTOLD */
    uint64_t least, most;  /* it lies between these, as far as that is told and rounded */
    uint64_t small_free;   /* of the free bytes shown, those in pieces smaller than `least`; UNTOLD: nothing failed */
    uint64_t small_pieces; /* how many such pieces */
};
/* Of all allocators (NULL), or of one: of its segments, what is in them, and what is told of it. O(blocks). */
void sw_moment_sum_of(const struct sw_moment *, const char *allocator, struct sw_moment_sums *);
static inline void sw_moment_sum(const struct sw_moment *moment, struct sw_moment_sums *sums) {
    sw_moment_sum_of(moment, NULL, sums);
}
/* Does the segment serve such a request, as far as allocator, pool and stream are told? */
bool sw_moment_serves(const struct sw_moment *, const struct sw_moment_segment *);

/* ---- what would have made it fit ---- */

/* Neighbors in one segment that are one piece of at least so many bytes once those in use are given back. */
struct sw_moment_window {
    uint32_t segment; /* SW_NONE: no segment is large enough, as far as it is told */
    size_t first, count;
    uint64_t bytes;
    uint64_t used, used_bytes; /* how many of them are in use or waiting */
};
/* The window with the fewest blocks in use; of these the one with the fewest bytes in use, then the lowest. Exact: in a
 * segment the best window that ends at a block is the shortest one that is long enough. O(blocks). */
void sw_moment_release(const struct sw_moment *, uint64_t bytes, struct sw_moment_window *);

/* A segment that a few blocks keep: by the share of it that they use, the smallest first. */
struct sw_moment_pinned {
    uint32_t segment;
    uint64_t used, used_bytes; /* blocks in use or waiting, and their bytes */
    uint64_t free_bytes;
};
struct sw_moment_pins {
    SW_ARRAY(struct sw_moment_pinned) items;
};
/* Plain segments that are whole, of which something is in use and at least half of the bytes are free. O(blocks + n log
 * n). False: no memory. */
bool sw_moment_find_pins(const struct sw_moment *, struct sw_moment_pins *);

/* ---- what recurs ---- */

struct sw_moment_group {
    uint64_t size;      /* of one block; of groups by origin SW_UNTOLD */
    const char *origin; /* of groups by origin; NULL: those of which it is not told */
    uint64_t count, bytes;
};
struct sw_moment_groups {
    SW_ARRAY(struct sw_moment_group) items;
};
enum sw_moment_by { SW_MOMENT_BY_SIZE, SW_MOMENT_BY_ORIGIN };
/* Is it told of any block what asked for it? O(blocks). */
bool sw_moment_tells_origins(const struct sw_moment *);
/* Blocks in use or waiting, by size or by what asked for them; the most bytes first. O(n log n). False: no memory. */
bool sw_moment_group_by(const struct sw_moment *, enum sw_moment_by, struct sw_moment_groups *);

/* ---- two moments ---- */

struct sw_moment_change {
    struct sw_moment_group before, after; /* count 0: not there */
};
struct sw_moment_changes {
    SW_ARRAY(struct sw_moment_change) items;
};
/* By size or by origin, what differs, the largest difference of bytes first. False: no memory. */
bool sw_moment_compare(const struct sw_moment *before, const struct sw_moment *after, enum sw_moment_by,
                       struct sw_moment_changes *);

/* ---- as a problem ---- */

struct sw_builder;
/* The blocks in use or waiting that have addresses as buffers of one step, each at its place, the segments one behind
 * the other in the order of their addresses; and the moment itself, which the problem keeps. */
bool sw_moment_build(struct sw_moment *, struct sw_builder *, struct sw_error *);
/* The block that is that buffer of that problem; SW_NONE: there is none. */
static inline uint32_t sw_moment_block_of(const struct sw_moment *moment, uint64_t buffer) {
    return buffer < moment->held.count ? moment->held.items[buffer] : SW_NONE;
}
/* Does it show all of a heap, so that requests can go on from it? The error says what is missing. O(blocks). */
bool sw_moment_is_whole(const struct sw_moment *, struct sw_error *);
/* The error that no request can follow this moment, as of `what`, at this address. Always false. */
bool sw_moment_fail_part(struct sw_error *, const char *what, uint64_t address);
/* What the moment shows, as buffers that are there before the first of the requests that `asked` tells, and those, as
 * buffers with requests to an allocator: the problem of a run that goes on from it. Buffers of `asked` that are there
 * before are blocks of the moment (sw_moment_named), which it gives back. The moment is whole, and `asked`
 * tells requests and nothing of a heap. False: it is not so, or no memory. O(n). */
bool sw_moment_then(const struct sw_moment *, const struct sw_problem *asked, struct sw_builder *, struct sw_error *);
/* The block in use of that name, or at that address ("0x7f00"), of a moment that is whole. SW_NONE: there is none.
 * O(blocks). */
uint32_t sw_moment_named(const struct sw_moment *, const char *id);
/* Its blocks into the list: those in use or waiting are the buffers from 0 on. Of streams and pools nothing is said.
 * False: no memory. */
struct sw_requests;
bool sw_moment_put_known(const struct sw_moment *, struct sw_requests *);
/* Where a segment begins in that arena. O(segments). SW_UNTOLD: it has no address. */
uint64_t sw_moment_base(const struct sw_moment *, uint32_t segment);
/* The address of a place in that arena. SW_UNTOLD: it lies in no segment, or a segment is expandable, of which what
 * can still be mapped lies between. O(segments). */
uint64_t sw_moment_address(const struct sw_moment *, uint64_t place);
/* Where a block that has a place there lies in it: offset and size. O(segments). */
void sw_moment_range(const struct sw_moment *, const struct sw_moment_block *, uint64_t range[2]);
/* Has it one: an address in a segment? */
static inline bool sw_held_is_placed(const struct sw_moment_block *block) {
    return block->segment != SW_NONE && block->address != SW_UNTOLD;
}
/* The moment that a problem's file tells; NULL: it tells of lifetimes. Borrowed. */
const struct sw_moment *sw_problem_moment(const struct sw_problem *);

SW_C_END

#endif
