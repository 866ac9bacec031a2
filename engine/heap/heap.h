/* A heap: the state of an online allocator, and the rules by which it serves requests.
 *
 * The words are the field's. A **segment** is memory got from the device at once (TensorFlow and ONNX Runtime say
 * region, ggml says chunk). A **block** is a piece of a segment, used or free; blocks of a segment follow one another
 * without a gap, and no block crosses a segment. **Reserved** bytes are those of all segments; **allocated** are those
 * of used blocks, which are often larger than what was asked for; **active** are allocated ones and those of blocks
 * that wait for another stream.
 *
 * A request is served in several acts (round, find, grow, split ...), and each act is one decision of the planner that
 * steps the heap (planners/online). So an allocator is written as a state machine: `act` does the next thing for the
 * request under way and says what it was. sw_heap_serve does all of them at once.
 *
 * The source of all rules: the allocators' own code, restated at the beginning of each kind's file.
 *
 * A heap belongs to its caller and is copied with sw_heap_clone. It allocates only through base/mem.h. */
#ifndef SW_HEAP_HEAP_H
#define SW_HEAP_HEAP_H

#include "base/lists/cow.h"
#include "heap/ordered.h"
#include "problem/requests.h"
#include "search/decision.h"

enum sw_block_state {
    SW_BLOCK_FREE,
    SW_BLOCK_USED,
    SW_BLOCK_WAITING,  /* given back, but another stream may still use it */
    SW_BLOCK_UNMAPPED, /* addresses of an expandable segment without memory behind them */
    SW_BLOCK_GONE      /* the number is not in use */
};
struct sw_heap_block {
    uint64_t address, size;
    uint64_t requested;      /* what was asked for: of USED and WAITING */
    uint64_t rounded;        /* the same, rounded */
    uint64_t listed;         /* a kind's own: when it became free */
    uint32_t previous, next; /* neighbors in its segment, by address; SW_NONE */
    uint32_t newer, older;   /* a kind's own: in a list of free blocks; SW_NONE */
    uint32_t segment;
    uint32_t buffer; /* of USED and WAITING; else SW_NONE */
    uint32_t stream;
    uint8_t state; /* enum sw_block_state */
};
struct sw_heap_segment {
    uint64_t address, span; /* its addresses: [address, address + span) */
    uint64_t size;          /* the bytes behind them that are reserved: less than `span` where pages are unmapped */
    uint64_t page;          /* expandable: bytes of a page; else 0 */
    uint32_t first, last;   /* its blocks at both ends */
    uint32_t stream;
    uint32_t made_at; /* number of the request that made it, from 0; SW_NONE: before the first */
    uint16_t pool;
    bool small; /* of the pool of small blocks */
    bool live;  /* false: the number is not in use */
    bool open;  /* only what was ever used of it is reserved, its low `size` bytes: a segment with an open end,
                   which belongs to its last block if that is free */
};

/* What an act did. */
enum sw_act_kind {
    SW_ACT_ROUND, /* the size was rounded: before -> size */
    SW_ACT_FIND, /* a free block was found and taken: the buffer lies at `address` now, in all of it; of the open end of
                    a segment it takes no more than it keeps, and what is reserved may rise with it */
    SW_ACT_MISS, /* no free block serves */
    SW_ACT_SPLIT,   /* what is left of the block became a free block of `size` at `address` */
    SW_ACT_GROW,    /* memory came from the device: `size` at `address`; where `placed`, the buffer lies there now */
    SW_ACT_REFUSED, /* the device, or the limit, refused `size` bytes */
    SW_ACT_RELEASE, /* `count` segments, or stretches of pages, of `size` bytes together were given back */
    SW_ACT_FAIL,    /* out of memory: the request gets nothing */
    SW_ACT_NOTHING, /* a request of 0 bytes, or a free of what has no block */
    SW_ACT_FREE,    /* the block became free */
    SW_ACT_WAIT,    /* the block waits for another stream */
    SW_ACT_OVER,    /* the request took over the block of another buffer, in place */
    SW_ACT_MERGE    /* the freed block and its free neighbors became one of `size` at `address`; it had `before` */
};
struct sw_act {
    enum sw_act_kind kind;
    bool placed;      /* GROW: the buffer lies at `address` now */
    bool last;        /* nothing follows: the request is served, or failed */
    uint32_t block;   /* SW_NONE */
    uint32_t segment; /* SW_NONE */
    uint32_t count;   /* RELEASE */
    uint64_t address, size, before;
    uint64_t grown;     /* GROW: where the new memory begins; a block that lies at `address` may begin below it */
    const char *reason; /* a static phrase */
};

/* A request while it is served. Zero it, then fill in the first four; the rest is the kind's. */
struct sw_turn {
    enum sw_request_kind kind; /* ALLOC, OVER, FREE, FREE_ASKED, FREE_COMPLETED or EMPTY */
    uint32_t buffer;
    uint32_t over; /* OVER: the buffer that has the block now */
    uint64_t size; /* ALLOC, OVER: bytes asked for */
    uint32_t stream;
    uint16_t pool;
    int64_t choice;  /* from 0: the user takes that candidate of the find; -1: the rules decide */
    uint64_t driver; /* where the device puts the next segment; SW_NO_ADDRESS: behind the last one */
    /* The kind's: */
    uint32_t stage, block;
    uint32_t looked;    /* by a pick: how many free blocks an explanation of it has */
    uint32_t candidate; /* where it grows */
    uint32_t owner;     /* the stream that the block belonged to before this request took it */
    uint64_t rounded;
    uint64_t asked; /* what the device was asked for last */
    bool again;
    uint8_t at; /* where serve.c is */
};
#define SW_TURN_NEW \
    ((struct sw_turn){.buffer = SW_NONE, .choice = -1, .driver = SW_NO_ADDRESS, .block = SW_NONE, .candidate = SW_NONE})

struct sw_heap;
struct sw_params;
struct sw_planner;

/* The rules of an allocator. The order of the acts is the same for all (serve.c):
 *
 *     ALLOC:  round, pick; grow until the request has a block or there is nothing more to try; split as long as `keeps`
 *             says so
 *     FREE:   free (or wait), merge as long as `can_merge` says so
 *
 * A block that is free stands in the kind's lists from `list` to `unlist`; between them it is being worked on. */
struct sw_heap_kind {
    const struct sw_described *own; /* what it keeps besides: heap->own, zeroed to start with */
    /* Read the settings (kinds.h) into heap->own. The heap is empty, its limit and device are set. */
    bool (*open)(struct sw_heap *, const struct sw_params *, const struct sw_planner *, struct sw_error *);
    /* What a request is rounded to. `reason`: a static phrase. */
    uint64_t (*round)(const struct sw_heap *, uint64_t size, const char **reason);
    /* The free block that the rules take for turn->rounded, into turn->block; SW_NONE: none serves. With turn->choice
     * >= 0 the candidate of that number, if it may be taken at all. `reason` says why, in a static phrase. Each free
     * block that was looked at goes to `explain` in the order of the search, where that is not NULL. The lists do not
     * change. False: no memory, or a choice that is not legal, which is said. */
    bool (*pick)(struct sw_heap *, struct sw_turn *, const char **reason, struct sw_explanation *explain,
                 struct sw_error *);
    /* One attempt to get memory when nothing was picked; turn->stage, 0 at first, is its own from call to call. Fills
     * the act: GROW, REFUSED or RELEASE; or FIND, of a block that only growing may take. After GROW and FIND
     * turn->block is the block that the request takes, which is not listed; or SW_NONE: with turn->again it is to be
     * looked for again, else `grow` is called again. FAIL: there is nothing more to try, and the act's reason says so.
     * False: no memory. */
    bool (*grow)(struct sw_heap *, struct sw_turn *, struct sw_act *);
    /* How many bytes of turn->block, which is taken, stay with the request: less than its size, and the rest is split
     * off. */
    uint64_t (*keeps)(const struct sw_heap *, const struct sw_turn *, const char **reason);
    bool rest_keeps_owner; /* what is split off belongs to the stream that had the block before, not to the request's */
    /* Where a free block stands in heap->free, for kinds to which one ordered list is enough. */
    struct sw_key (*key)(const struct sw_heap *, uint32_t block);
    /* Other lists. NULL: heap->free alone. `list` false: no memory. */
    bool (*list)(struct sw_heap *, uint32_t block);
    void (*unlist)(struct sw_heap *, uint32_t block);
    /* NULL: sw_heap_merge_neighbors, which joins a free block with both its free neighbors. `can_merge` is asked about
     * a block that is not listed; `merge` does one join, or all, and gives the number of the block that there is then.
     */
    bool (*can_merge)(const struct sw_heap *, uint32_t block);
    uint32_t (*merge)(struct sw_heap *, uint32_t block);
    /* EMPTY: one act of giving memory back; `last` is set when it was the last. NULL: it does nothing. */
    bool (*empty)(struct sw_heap *, struct sw_turn *, struct sw_act *);
    /* Its free blocks in the order in which it searches them: fill `to` (NULL: only count). NULL: that of heap->free.
     */
    size_t (*free_order)(const struct sw_heap *, uint32_t *to, size_t room);
    /* For tests: do its lists say what its blocks say? NULL: heap->free has all free blocks, and no two touch. */
    bool (*sound)(const struct sw_heap *, struct sw_error *);
};

struct sw_heap {
    const struct sw_heap_kind *kind;
    void *own;
    SW_ARRAY(struct sw_heap_block) blocks;
    SW_ARRAY(struct sw_heap_segment) segments;
    struct sw_cow blocks_of;             /* per buffer: the number of its block + 1, 0: none; see sw_heap_block_of */
    struct sw_ordered free;              /* of kinds with a `key`: the free blocks */
    uint32_t spare_block, spare_segment; /* numbers not in use, linked by `next` and `first`; SW_NONE */
    uint64_t limit;                      /* no more is reserved; SW_UNBOUNDED */
    uint64_t device;                     /* bytes that the device has; SW_UNBOUNDED */
    bool granted;       /* a record says what the device did: it refuses nothing, and no garbage is collected */
    bool partial;       /* the record does not tell all requests: what looks free need not be */
    uint64_t elsewhere; /* reserved in segments that the record does not show; part of `reserved` */
    uint64_t fresh;     /* where the next segment comes to lie, where the driver does not say */
    uint64_t header;    /* a block's last bytes that hold the header of the one behind it and serve no request; 0 */
    uint64_t reserved, allocated, active, requested;
    uint64_t pending;  /* asked for, of the blocks that wait */
    uint64_t rounded;  /* rounded sizes of all blocks that are used or wait */
    uint64_t requests; /* ALLOC turns so far, for struct sw_heap_segment.made_at */
    uint64_t granule;  /* all addresses are multiples of it: the kind says so as it opens */
};

/* Empty, for so many buffers. `params` and `planner` (the table of parameters) say the settings. */
struct sw_heap *sw_heap_new(const struct sw_heap_kind *, uint32_t buffers, const struct sw_params *,
                            const struct sw_planner *, uint64_t limit, uint64_t device, struct sw_error *);
struct sw_heap *sw_heap_clone(const struct sw_heap *); /* NULL: no memory */
void sw_heap_free(struct sw_heap *);                   /* NULL is allowed */
size_t sw_heap_bytes(const struct sw_heap *);
uint64_t sw_heap_digest(const struct sw_heap *); /* of segments, blocks and their states; O(blocks) */

/* The next act of a turn. `explain` (NULL: do not) gets, of a find, the free blocks that were looked at. False: no
 * memory, and the heap is of no use any more; or a choice that is not legal, and nothing has changed. */
bool sw_heap_act(struct sw_heap *, struct sw_turn *, struct sw_act *, struct sw_explanation *explain,
                 struct sw_error *);
/* The request has turn->block, which is not listed, though the rules chose otherwise: an act FIND; what follows is as
 * ever. */
bool sw_heap_taken(struct sw_heap *, struct sw_turn *, struct sw_act *, const char *reason, struct sw_error *);
/* All acts of a turn. `last` receives the last of them; `address` that of the block of an ALLOC, SW_NO_ADDRESS if it
 * got none. Both may be NULL. */
bool sw_heap_serve(struct sw_heap *, struct sw_turn *, struct sw_act *last, uint64_t *address, struct sw_error *);

/* Has the buffer `over` a block in which a request of that size has room? Only then an OVER is served. */
bool sw_heap_can_take_over(const struct sw_heap *, uint32_t over, uint64_t size);

/* The block of a buffer; SW_NONE: it has none, or it is no buffer (SW_NONE). O(1). */
uint32_t sw_heap_block_of(const struct sw_heap *, uint32_t buffer);
/* The block that has this address in it; SW_NONE: no segment has. O(segments + blocks of one). */
uint32_t sw_heap_block_at(const struct sw_heap *, uint64_t address);
/* The free blocks in the order in which they are searched, as many as there is room for; `to` NULL: only their number.
 */
size_t sw_heap_free_order(const struct sw_heap *, uint32_t *to, size_t room);

/* The bytes of a block that are reserved: all, but of a free block at an open end. */
uint64_t sw_heap_extent(const struct sw_heap *, uint32_t block);
/* The largest free block; 0: there is none. O(blocks). */
uint64_t sw_heap_largest_free(const struct sw_heap *);

/* Where the bytes are that are reserved and not asked for: the parts add up to reserved - requested. O(blocks). */
struct sw_heap_waste {
    uint64_t rounding;    /* of sizes */
    uint64_t unsplit;     /* what blocks are larger than the rounded size */
    uint64_t waiting;     /* for another stream */
    uint64_t small_holes; /* free, and smaller than `wanted` */
    uint64_t holes;       /* free, and at least so large */
    uint64_t cached;      /* segments that are wholly free */
    uint64_t
        untold; /* what a record does not tell: other segments, and, where it leaves requests out, what looks free */
};
void sw_heap_waste(const struct sw_heap *, uint64_t wanted, struct sw_heap_waste *);

/* Do blocks divide the segments, and do all sums agree, and what the kind adds to it? For tests. */
bool sw_heap_sound(const struct sw_heap *, struct sw_error *);

/* ---- for the kinds ---- */

/* What the act was, and why; always true, as `grow` is when memory did not run out. */
static inline bool sw_act_is(struct sw_act *act, enum sw_act_kind kind, const char *reason) {
    act->kind = kind;
    act->reason = reason;
    return true;
}

/* May a block take up its neighbor? */
typedef bool sw_heap_alike_fn(const struct sw_heap *, uint32_t block, uint32_t neighbor);

/* A segment with one free block over all of it (`unmapped`: without memory behind it), which is not yet in any list.
 * Reserved grows by it. SW_NONE: no memory. */
uint32_t sw_heap_segment_add(struct sw_heap *, uint64_t address, uint64_t size, bool unmapped);
/* The same with an open end: nothing of it is reserved yet, and its one block has `span` bytes. */
uint32_t sw_heap_segment_open(struct sw_heap *, uint64_t address, uint64_t span);
void sw_heap_segment_drop(struct sw_heap *, uint32_t segment); /* with its blocks; reserved falls by its size */
/* Cut a block: its low `size` bytes stay its own, the rest is a new block behind it, with the same state. Its number;
 * SW_NONE: no memory. Lists are the kind's business. */
uint32_t sw_heap_cut(struct sw_heap *, uint32_t block, uint64_t size);
/* Of a block that is not listed: what lies below the address is listed. The number of the rest; SW_NONE: no memory. */
uint32_t sw_heap_cut_off(struct sw_heap *, uint32_t block, uint64_t address);
/* And what lies behind its low `size` bytes, if there is anything. False: no memory. */
bool sw_heap_keep_low(struct sw_heap *, uint32_t block, uint64_t size);
/* The block takes up the one behind it. The number of that one is free then. */
void sw_heap_join(struct sw_heap *, uint32_t block);
/* A free block into the lists, and out of them. False: no memory. */
bool sw_heap_list(struct sw_heap *, uint32_t block);
void sw_heap_unlist(struct sw_heap *, uint32_t block);
/* Give the block to a buffer, or take it away: states and sums, no lists. Taking: false, no memory. */
bool sw_heap_take(struct sw_heap *, uint32_t block, const struct sw_turn *);
void sw_heap_wait(struct sw_heap *, uint32_t block);
bool sw_heap_release(struct sw_heap *, uint32_t block); /* false: no memory, and nothing has changed */
/* The block is not listed: it takes up the neighbors that are alike, which are unlisted. Its number then. */
uint32_t sw_heap_merge_alike(struct sw_heap *, uint32_t block, sw_heap_alike_fn *);
uint32_t sw_heap_merge_neighbors(struct sw_heap *, uint32_t block); /* all that are free */
bool sw_heap_has_free_neighbor(const struct sw_heap *, uint32_t block);
static inline struct sw_heap_block *sw_heap_at(const struct sw_heap *heap, uint32_t block) {
    return &heap->blocks.items[block];
}
/* A segment without pages of its own becomes longer at its end: its last block, if it is free, and is not listed then,
 * else a new one. *segment is SW_NONE to start with: one is made at address 0. The block; SW_NONE: no memory. */
uint32_t sw_heap_extend(struct sw_heap *, uint32_t *segment, uint64_t more);
/* The same, but what is new is a block of its own in any case; the segment exists. */
uint32_t sw_heap_append(struct sw_heap *, uint32_t segment, uint64_t more);
/* By how much reserved rises when the first `bytes` of a free block come to be used: 0 but for an open end. */
uint64_t sw_heap_rise(const struct sw_heap *, uint32_t block, uint64_t bytes);

/* The hook `round` of kinds that round up to a multiple of the granule, and `key` of those that search by size, then
 * address. */
uint64_t sw_heap_round_up(const struct sw_heap *, uint64_t size, const char **reason);
struct sw_key sw_heap_size_key(const struct sw_heap *, uint32_t block);

/* Looking for a block, candidate by candidate, in the order of the search: zero but for the first three fields. */
struct sw_heap_look {
    const struct sw_heap *heap;
    struct sw_turn *turn;
    struct sw_explanation *explain; /* NULL: it ends with the first block that is taken */
    int64_t count;                  /* candidates so far */
};
/* One more candidate: may the request take it at all, and do the rules take it? turn->block becomes the taken one, or
 * the one of the user's choice. The reason is static. False: no memory. */
bool sw_heap_look(struct sw_heap_look *, uint32_t block, bool fits, bool takes, const char *reason);
/* Was the user's choice, if there is one, a legal one? If not it is said. */
bool sw_heap_look_ends(const struct sw_heap_look *, struct sw_error *);

/* What a kind says of a free block when `best` (SW_NONE: none) is the one that its rules take: may the request take it
 * at all, and why it is taken, or not. */
typedef const char *sw_heap_judge_fn(const struct sw_heap *, const struct sw_turn *, uint32_t block, uint32_t best,
                                     bool *fits);
/* The whole of `pick`, for kinds that find `best` without looking at all blocks: they are looked at only for an
 * explanation, or when the user chose one, in the order of `free_order`. */
bool sw_heap_settle(struct sw_heap *, struct sw_turn *, uint32_t best, sw_heap_judge_fn *, struct sw_explanation *,
                    struct sw_error *);

/* Is every free block one of `listed`, and (`merged`) do no two of them touch? */
bool sw_heap_lists_sound(const struct sw_heap *, size_t listed, bool merged, struct sw_error *);

/* From this size on a segment stands for one without an end. */
#define SW_HEAP_ENDLESS (UINT64_C(1) << 46)

/* n up to a multiple of a, both below 2^62. */
static inline uint64_t sw_heap_up(uint64_t n, uint64_t a) {
    return (n + a - 1) / a * a;
}

/* The exponent of the highest power of two in n, which is not 0. */
static inline unsigned sw_heap_log2(uint64_t n) {
    return 63 - (unsigned)__builtin_clzll(n);
}

#endif
