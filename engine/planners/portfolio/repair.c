/* repair: guided ejection on flat arrays; repair.h says what it does, repair_shape.c what it knows
 * of the blocks. `home` is the best layout known, `offset` the one being tried, with UNPLACED for
 * the blocks of the pool.
 *
 * Where can a block go for the least? (cheapest_place) Let the k neighbors be sorted once by their
 * starts and once by their ends. A block of size s at x meets those that start below x + s, without
 * those that end at or below x. Both sums only grow with x, so one walk over the candidates, which
 * are the bottom, the end of each neighbor and right below the target, knows what each of them
 * costs.
 *
 * Afresh. The coarse blocks have most of the bytes and are few; between them there is always room
 * for finer ones. So they are placed level by level: all blocks of one level are placed before
 * the next level begins. Until then its blocks are not in the layout and so block no others. The
 * blocks of a level take their turns. A block that then finds no free space goes into the pool, and
 * has to push others out.
 *
 * What is not simple stays where it is: a pinned block has a grudge without limit, as have reserved
 * and forbidden ranges. Blocks with holes in their lives or with permits move as if they had none,
 * so a move is always legal, and two that overlap by permission keep doing so until one of them
 * moves.
 *
 * Numbers. All grudges are integers, so that sums do not depend on their order. */
#include "planners/portfolio/repair_internal.h"
#include "base/base.h"

#define UNPLACED UINT64_MAX
#define MOST_GRUDGE (UINT64_C(1) << 43)
/* Not a number but a mark. */
#define HARD UINT64_MAX
enum { MANY_LEFT = 64 }; /* all at once: more than that part of the blocks without a place */

/* One end of a neighbor, or, where only free spaces count, its start and its end. */
struct repair_edge {
    uint64_t at;
    union {
        uint64_t grudge, end;
    };
};

struct sw_repair {
    struct repair_shape *shape;
    uint64_t *home, *offset, *grudge;
    uint32_t *touched; /* blocks that were out of place in this attempt ... */
    uint32_t *stamp;   /* ... which are those with the stamp `attempt` */
    uint32_t *pool;    /* a heap by grudge, then number */
    uint32_t touched_count, pool_count, least_pool, attempt;
    enum sw_repair_kind kind; /* afresh: how; and how many blocks are still to have their turn */
    uint32_t queue;
    unsigned level; /* only blocks down to this one are there */
    unsigned sharpness;
    uint64_t peak, least, target, random;
    /* Scratch, not part of the state. */
    uint32_t *near;
    struct repair_edge *starts, *ends, *spare;
    uint32_t room;
};

/* ---- making, cloning ---- */

static uint64_t repair_digest(const void *of) {
    const struct sw_repair *r = of;
    uint64_t digest = sw_fold(sw_fold(11, r->random), r->target);
    digest = sw_fold(sw_fold(digest, r->peak), (uint64_t)r->shape->tier << 32 | r->attempt);
    digest = sw_fold(digest, (uint64_t)r->pool_count << 32 | r->least_pool);
    digest = sw_fold(sw_fold(digest, (uint64_t)r->queue << 32 | (uint64_t)r->kind << 8 | r->level), r->least);
    for (uint32_t i = 0; i < r->touched_count; i++) {
        uint32_t b = r->touched[i];
        digest = sw_fold(sw_fold(sw_fold(digest, b), r->offset[b]), r->grudge[b]);
    }
    return digest;
}

SW_OWNERS(shape, struct repair_shape, sw_repair_shape_unref)
SW_HOW_MANY(repair_blocks, struct sw_repair, o->shape->count)
SW_HOW_MANY(room_of, struct sw_repair, o->room)
#define STATE struct sw_repair
const struct sw_described sw_repair_described = {
    SW_STRUCT, .digest = repair_digest,
    .fields =
        SW_FIELDS(SW_POINTER(shape, &shape_pointed), SW_ITEMS(home, repair_blocks), SW_ITEMS(offset, repair_blocks),
                  SW_ITEMS(grudge, repair_blocks), SW_ITEMS(touched, repair_blocks), SW_ITEMS(stamp, repair_blocks),
                  SW_ITEMS(pool, repair_blocks), SW_KEPT(touched_count, random), SW_SCRATCH(room, room),
                  SW_ITEMS(near, room_of, .scratch = true), SW_ITEMS(starts, room_of, .scratch = true),
                  SW_ITEMS(ends, room_of, .scratch = true), SW_ITEMS(spare, room_of, .scratch = true))};
#undef STATE

struct sw_repair *sw_repair_new(struct sw_run *run, uint32_t tier, uint64_t seed) {
    struct sw_repair *r = SW_NEW_ZERO(struct sw_repair, 1);
    if (r) {
        r->random = seed;
        r->shape = sw_repair_shape_new(run, tier, &r->home, &r->peak);
    }
    if (!r || !r->shape || !sw_described_make(&sw_repair_described, r)) {
        sw_described_close(&sw_repair_described, r);
        sw_fail_memory(run->error);
        return NULL;
    }
    const struct repair_shape *s = r->shape;
    for (uint32_t i = 0; i < s->count; i++) {
        r->offset[i] = r->home[i];
        r->grudge[i] = s->fixed[i] ? HARD : s->grudge[i];
    }
    r->least = s->least;
    r->level = FINEST;
    run->work += s->count;
    return r;
}

/* What others see of it, by name, type and value. */
#define REPAIR_GIVES(name, type, value)    \
    type name(const struct sw_repair *r) { \
        return value;                      \
    }
REPAIR_GIVES(sw_repair_tier, uint32_t, r->shape->tier)
REPAIR_GIVES(sw_repair_count, uint32_t, r->shape->count)
REPAIR_GIVES(sw_repair_peak, uint64_t, r->peak)
REPAIR_GIVES(sw_repair_least, uint64_t, r->least)
REPAIR_GIVES(sw_repair_grain, uint64_t, r->shape->grain)
REPAIR_GIVES(sw_repair_target, uint64_t, r->target)
REPAIR_GIVES(sw_repair_pool, uint32_t, r->pool_count + r->queue)
#undef REPAIR_GIVES

/* ---- the pool: a heap ---- */

static bool is_heavier(const struct sw_repair *r, uint32_t a, uint32_t b) {
    return r->grudge[a] > r->grudge[b] || (r->grudge[a] == r->grudge[b] && a < b);
}

static void push_pool(struct sw_repair *r, uint32_t block) {
    uint32_t at = r->pool_count++;
    for (; at > 0 && is_heavier(r, block, r->pool[(at - 1) / 2]); at = (at - 1) / 2) {
        r->pool[at] = r->pool[(at - 1) / 2];
    }
    r->pool[at] = block;
}

static uint32_t pop_pool(struct sw_repair *r) {
    uint32_t top = r->pool[0], moved = r->pool[--r->pool_count], at = 0;
    for (uint32_t child; (child = 2 * at + 1) < r->pool_count; at = child) {
        child += child + 1 < r->pool_count && is_heavier(r, r->pool[child + 1], r->pool[child]);
        if (!is_heavier(r, r->pool[child], moved)) {
            break;
        }
        r->pool[at] = r->pool[child];
    }
    if (r->pool_count > 0) {
        r->pool[at] = moved;
    }
    return top;
}

static void take_out(struct sw_repair *r, uint32_t block) {
    if (r->stamp[block] != r->attempt) {
        r->stamp[block] = r->attempt;
        r->touched[r->touched_count++] = block;
    }
    r->offset[block] = UNPLACED;
}

/* Out of its place, into the pool. */
static void eject_block(struct sw_repair *r, uint32_t block) {
    take_out(r, block);
    push_pool(r, block);
}

/* ---- neighbors ---- */

static bool make_edges(struct sw_repair *r, uint32_t wanted) {
    if (wanted <= r->room && r->spare) { /* which is made last */
        return true;
    }
    uint32_t room = wanted + wanted / 2 + 64;
    SW_FREE(r->near, r->room);
    SW_FREE(r->starts, r->room);
    SW_FREE(r->ends, r->room);
    SW_FREE(r->spare, r->room);
    r->room = room;
    r->near = SW_NEW(uint32_t, room);
    r->starts = r->near ? SW_NEW(struct repair_edge, room) : NULL;
    r->ends = r->starts ? SW_NEW(struct repair_edge, room) : NULL;
    r->spare = r->ends ? SW_NEW(struct repair_edge, room) : NULL;
    return r->spare != NULL;
}

static uint32_t meet_general(struct sw_repair *r, const struct sw_run *run, uint32_t block, uint32_t *looked) {
    const struct repair_shape *s = r->shape;
    struct sw_neighbors all = sw_problem_neighbors(run->problem, s->id[block]);
    uint32_t count = 0;
    for (uint32_t b; (b = sw_neighbors_next(&all)) != SW_NONE;) {
        uint32_t other = s->block[b];
        (*looked)++;
        if (other != SW_NONE && other != block && r->offset[other] != UNPLACED) {
            r->near[count++] = other;
        }
    }
    return count;
}

/* The placed blocks that live with this one, into `near`; false: no memory. */
static bool meet_neighbors(struct sw_repair *r, const struct sw_run *run, uint32_t block, uint32_t *count,
                           uint32_t *looked) {
    const struct repair_shape *s = r->shape;
    const struct index *x = r->level < FINEST ? &s->coarse[r->level] : &s->all;
    uint32_t from = s->first[block], cut = x->cut[from], k = 0;
    uint32_t begin = x->cut_begin[cut], end = x->cut_begin[cut + 1];
    uint32_t young = x->born[x->cut_step[cut]], unborn = x->born[s->last[block] + 1];
    *looked = 0;
    if (!make_edges(r, (uint32_t)s->ranges.count + (s->general ? s->count : end - begin + unborn - young))) {
        return false;
    }
    if (s->general) {
        *count = meet_general(r, run, block, looked);
        return true;
    }
    *looked = end - begin + unborn - young;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t other = x->alive.items[i];
        r->near[k] = other;
        k += s->last[other] >= from && r->offset[other] != UNPLACED;
    }
    for (uint32_t i = young; i < unborn; i++) {
        uint32_t other = x->blocks.items[i];
        r->near[k] = other;
        k += s->last[other] >= from && r->offset[other] != UNPLACED;
    }
    *count = k;
    return true;
}

/* Quicksort by `at`, the rest by insertion; written out, since it is most of the time spent here.
 */
static void sort_few_edges(struct repair_edge *e, uint32_t count) {
    uint32_t stack[128], depth = 0, lo = 0, hi = count;
    for (;;) {
        while (hi - lo > 16) {
            uint64_t a = e[lo].at, b = e[lo + (hi - lo) / 2].at, c = e[hi - 1].at;
            uint64_t least = SW_MIN(a, b), most = a < b ? b : a;
            uint64_t pivot = c < least ? least : c > most ? most : c;
            uint32_t i = lo, j = hi - 1;
            for (;; i++, j--) {
                for (; e[i].at < pivot; i++) {
                }
                for (; e[j].at > pivot; j--) {
                }
                if (i >= j) {
                    break;
                }
                struct repair_edge swap = e[i];
                e[i] = e[j];
                e[j] = swap;
            }
            /* [lo, i) is not above the pivot, [i, hi) not below it; the larger half waits. */
            bool left = i - lo > hi - i;
            stack[depth++] = left ? lo : i;
            stack[depth++] = left ? i : hi;
            lo = left ? i : lo;
            hi = left ? hi : i;
        }
        if (depth == 0) {
            break;
        }
        hi = stack[--depth];
        lo = stack[--depth];
    }
    for (uint32_t i = 1; i < count; i++) {
        struct repair_edge moved = e[i];
        uint32_t j = i;
        for (; j > 0 && e[j - 1].at > moved.at; j--) {
            e[j] = e[j - 1];
        }
        e[j] = moved;
    }
}

/* Many are first dealt out by address into about as many boxes of equal height. Then there are few in
 * each. */
enum { FEW_EDGES = 48, MOST_BOXES = 4096 };
static void sort_edges(struct sw_repair *r, struct repair_edge **edges, uint32_t count) {
    struct repair_edge *e = *edges, *to = r->spare;
    if (count <= FEW_EDGES) {
        sort_few_edges(e, count);
        return;
    }
    uint32_t begin[MOST_BOXES + 1], boxes = 64;
    while (boxes < count && boxes < MOST_BOXES) {
        boxes *= 2;
    }
    unsigned shift = 0;
    while (r->target >> shift >= boxes) {
        shift++;
    }
    memset(begin, 0, (boxes + 1) * sizeof *begin);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t box = e[i].at >> shift;
        begin[box < boxes ? box : boxes - 1]++;
    }
    for (uint32_t box = 0, sum = 0; box <= boxes; box++) {
        uint32_t here = begin[box];
        begin[box] = sum;
        sum += here;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t box = e[i].at >> shift;
        to[begin[box < boxes ? box : boxes - 1]++] = e[i];
    }
    /* Each begin is now the end of its box. */
    for (uint32_t box = 0, from = 0; box < boxes; from = begin[box++]) {
        if (begin[box] - from > 1) {
            sort_few_edges(to + from, begin[box] - from);
        }
    }
    *edges = to;
    r->spare = e;
}

/* ---- one insertion ---- */

/* What lies in the way: a sum of grudges, and how many may not be pushed at all. */
struct toll {
    uint64_t grudge;
    uint32_t hard;
};
static inline void toll_add(struct toll *toll, const struct repair_edge *e) {
    toll->hard += e->grudge == HARD;
    toll->grudge += e->grudge == HARD ? 0 : e->grudge;
}
static inline void toll_drop(struct toll *toll, const struct repair_edge *e) {
    toll->hard -= e->grudge == HARD;
    toll->grudge -= e->grudge == HARD ? 0 : e->grudge;
}

/* The best place so far. */
struct choice {
    uint64_t at, grudge, space; /* space: of a free one */
    uint32_t ties;
};

static void consider_place(struct sw_repair *r, struct choice *c, uint64_t at, const struct toll *toll,
                           uint64_t above) {
    if (toll->hard > 0 || toll->grudge > c->grudge) {
        return;
    }
    if (toll->grudge < c->grudge) {
        *c = (struct choice){at, toll->grudge, above - at, 1};
    } else if (toll->grudge == 0) {
        if (above - at < c->space) {
            c->at = at;
            c->space = above - at;
        }
    } else if (at != c->at && sw_random_below(&r->random, ++c->ties) == 0) {
        c->at = at; /* chosen at random among equals */
    }
}

/* The smallest free space below the target, from the sorted starts of its k neighbors, which come
 * with their ends. The end right below the target is no candidate here: a layout that is built
 * afresh grows from the bottom. */
static struct choice free_place_of(const struct sw_repair *r, uint32_t block, uint32_t k) {
    uint64_t size = r->shape->size[block], alignment = r->shape->alignment[block], x = 0;
    struct choice best = {UNPLACED, UINT64_MAX, UINT64_MAX, 0};
    for (uint32_t i = 0; i <= k; i++) {
        uint64_t above = i < k && r->starts[i].at < r->target ? r->starts[i].at : r->target;
        if (above >= size && x <= above - size && above - x < best.space) {
            best = (struct choice){x, 0, above - x, 1};
        }
        if (i < k && r->starts[i].end > x) {
            x = sw_align_up(r->starts[i].end, alignment);
        }
    }
    return best;
}

/* Where the block goes below the target for the least, from the sorted edges of its k neighbors.
 */
static struct choice cheapest_place(struct sw_repair *r, uint32_t block, uint32_t k) {
    const struct repair_shape *s = r->shape;
    uint64_t size = s->size[block], alignment = s->alignment[block];
    uint64_t highest = r->target - size;
    highest -= alignment > 1 ? highest % alignment : 0;
    struct choice best = {UNPLACED, UINT64_MAX, UINT64_MAX, 0};
    struct toll toll = {0, 0};
    uint32_t begun = 0, over = 0;
    uint64_t x = 0;
    for (;;) {
        for (; over < k && r->ends[over].at <= x; over++) {
            toll_drop(&toll, &r->ends[over]);
        }
        for (; begun < k && r->starts[begun].at < x + size; begun++) {
            toll_add(&toll, &r->starts[begun]);
        }
        consider_place(r, &best, x, &toll, begun < k ? r->starts[begun].at : r->target);
        if (x == highest) {
            return best;
        }
        uint64_t next = over < k ? sw_align_up(r->ends[over].at, alignment) : UNPLACED;
        x = SW_MIN(next, highest);
    }
}

/* The starts of the neighbors with their ends, sorted. */
static uint32_t extents(struct sw_repair *r, uint32_t block, uint32_t count) {
    const struct repair_shape *s = r->shape;
    uint32_t k = 0;
    for (; k < count; k++) {
        uint64_t at = r->offset[r->near[k]];
        r->starts[k] = (struct repair_edge){.at = at, .end = at + s->size[r->near[k]]};
    }
    for (size_t i = 0; i < s->ranges.count; i++) {
        const struct range *range = &s->ranges.items[i];
        if (range->buffer == SW_NONE || range->buffer == s->id[block]) {
            r->starts[k++] = (struct repair_edge){.at = range->lo, .end = range->hi};
        }
    }
    sort_edges(r, &r->starts, k);
    return k;
}

/* Their starts and their ends with their grudges, both sorted. */
static uint32_t edges(struct sw_repair *r, uint32_t block, uint32_t count) {
    const struct repair_shape *s = r->shape;
    uint32_t k = 0;
    for (; k < count; k++) {
        uint32_t other = r->near[k];
        uint64_t at = r->offset[other], grudge = r->grudge[other];
        r->starts[k] = (struct repair_edge){.at = at, .grudge = grudge};
        r->ends[k] = (struct repair_edge){.at = at + s->size[other], .grudge = grudge};
    }
    for (size_t i = 0; i < s->ranges.count; i++) {
        const struct range *range = &s->ranges.items[i];
        if (range->buffer == SW_NONE || range->buffer == s->id[block]) {
            r->starts[k] = (struct repair_edge){.at = range->lo, .grudge = HARD};
            r->ends[k++] = (struct repair_edge){.at = range->hi, .grudge = HARD};
        }
    }
    sort_edges(r, &r->starts, k);
    sort_edges(r, &r->ends, k);
    return k;
}

static bool explain_insertion(const struct sw_repair *r, const struct sw_run *run, uint32_t block,
                              const struct choice *c, uint32_t pushed) {
    char name[SW_SHORT_NAME];
    sw_place_name(run->problem, r->shape->id[block], name);
    return pushed ? SW_EXPLAIN(run->explain, SW_VERDICT_FITS, r->shape->tier, c->at, r->shape->size[block],
                               "%s goes here and pushes out %u, the least in its way", name, (unsigned)pushed)
                  : SW_EXPLAIN(run->explain, SW_VERDICT_FITS, r->shape->tier, c->at, r->shape->size[block],
                               "%s goes here, the smallest space that fits", name);
}

/* A block has no place below the target, because of blocks and ranges that may not be pushed out. So no
 * layout is as low as the target. */
static enum sw_repaired nowhere(struct sw_repair *r) {
    r->least = r->target + 1 > r->least ? r->target + 1 : r->least;
    return SW_REPAIR_STUCK;
}

/* Afresh: is there a block of this level that has not had its turn? */
static bool has_turn(const struct sw_repair *r) {
    return r->queue > 0 && r->shape->count - r->queue < r->shape->level_end[r->level];
}

/* Take the block that has its turn, or the heaviest one of the pool, and put it somewhere. */
static enum sw_repaired insert_ejecting(struct sw_repair *r, struct sw_run *run, uint32_t *ejected) {
    const struct repair_shape *s = r->shape;
    bool queued = has_turn(r);
    uint32_t block = queued ? s->turns[r->kind].items[s->count - r->queue] : pop_pool(r);
    uint32_t count, looked, pushed = 0;
    r->queue -= queued;
    if (queued && s->fixed[block]) {
        return SW_REPAIR_MORE; /* it has never left */
    }
    if (s->size[block] > r->target) {
        return nowhere(r);
    }
    if (!meet_neighbors(r, run, block, &count, &looked)) {
        return SW_REPAIR_MEMORY;
    }
    run->work += looked + count + 1;
    struct choice best =
        queued ? free_place_of(r, block, extents(r, block, count)) : cheapest_place(r, block, edges(r, block, count));
    if (best.at == UNPLACED) {
        if (!queued) {
            return nowhere(r);
        }
        push_pool(r, block); /* when all others have had their turn */
        bool hopeless = r->kind == SW_REPAIR_ALL_AT_ONCE && r->pool_count > s->count / MANY_LEFT + 16;
        return hopeless ? SW_REPAIR_STUCK : SW_REPAIR_MORE;
    }
    r->offset[block] = best.at;
    if (best.grudge > 0) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t other = r->near[i];
            if (r->offset[other] < best.at + s->size[block] && r->offset[other] + s->size[other] > best.at) {
                eject_block(r, other);
                pushed++;
            }
        }
        uint64_t grown = r->grudge[block] + (r->grudge[block] >> r->sharpness) + 1;
        r->grudge[block] = SW_MIN(grown, MOST_GRUDGE);
    }
    *ejected += pushed;
    return explain_insertion(r, run, block, &best, pushed) ? SW_REPAIR_MORE : SW_REPAIR_MEMORY;
}

/* ---- attempts ---- */

void sw_repair_begin(struct sw_repair *r, struct sw_run *run, uint64_t target, unsigned sharpness) {
    const struct repair_shape *s = r->shape;
    r->attempt++;
    r->target = target;
    r->sharpness = sharpness;
    r->pool_count = r->touched_count = r->queue = 0;
    r->level = FINEST;
    for (uint32_t i = 0; i < s->count; i++) {
        if (r->home[i] + s->size[i] > target) {
            eject_block(r, i);
        }
    }
    r->least_pool = r->pool_count;
    run->work += s->count / 16 + 1; /* a walk over an array */
}

bool sw_repair_begin_afresh(struct sw_repair *r, struct sw_run *run, uint64_t target, unsigned sharpness,
                            enum sw_repair_kind kind) {
    struct repair_shape *s = r->shape;
    if (!sw_repair_shape_turns(s, run, kind)) {
        return false;
    }
    r->kind = kind;
    sw_repair_begin(r, run, target, sharpness);
    r->pool_count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!s->fixed[i]) {
            take_out(r, i);
        }
    }
    r->queue = r->least_pool = s->count;
    r->level = kind == SW_REPAIR_ALL_AT_ONCE ? FINEST : 0;
    return true;
}

void sw_repair_raise(struct sw_repair *r, uint64_t target) {
    r->target = target;
    r->least_pool = sw_repair_pool(r);
}

/* All of this level have a place: on to the next one that has any. */
static bool next_level(struct sw_repair *r) {
    bool any = false;
    while (r->pool_count == 0 && r->queue > 0 && !has_turn(r)) {
        r->level++;
        any = true;
    }
    return any;
}

enum sw_repaired sw_repair_go(struct sw_repair *r, struct sw_run *run, uint64_t slice, uint32_t *inserted,
                              uint32_t *ejected, bool *progress) {
    uint64_t begin = run->work;
    *inserted = *ejected = 0;
    *progress = false;
    while (r->pool_count + r->queue > 0) {
        if (run->work - begin >= slice) {
            return SW_REPAIR_MORE;
        }
        *progress = next_level(r) || *progress;
        enum sw_repaired result = insert_ejecting(r, run, ejected);
        if (result != SW_REPAIR_MORE) {
            return result;
        }
        ++*inserted;
        if (r->pool_count + r->queue < r->least_pool) {
            r->least_pool = r->pool_count + r->queue;
            *progress = true;
        }
    }
    return SW_REPAIR_DONE;
}

/* A layout with permits is made anew, since which of them are used depends on where everything
 * lies. */
static bool rebuild(const struct sw_repair *r, struct sw_run *run) {
    const struct repair_shape *s = r->shape;
    struct sw_run fresh = *run;
    fresh.layout = sw_run_layout(run);
    bool ok = fresh.layout != NULL;
    for (uint32_t i = 0; ok && i < sw_problem_planned_count(run->problem); i++) {
        uint32_t b = sw_problem_order(run->problem)[i];
        struct sw_placement at;
        ok = !sw_layout_placement(run->layout, b, 0, &at) || sw_place_at(&fresh, b, at.tier, at.offset) ||
             sw_fail_memory(run->error);
    }
    ok = ok && (sw_layout_inherit(fresh.layout, run->layout) || sw_fail_memory(run->error));
    if (!ok) {
        sw_layout_free(fresh.layout);
        return false;
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(run->problem); t++) {
        sw_layout_set_arena(fresh.layout, t, t == s->tier ? r->peak : sw_layout_arena(run->layout, t));
    }
    sw_layout_free(run->layout);
    run->layout = fresh.layout;
    return true;
}

/* The end of an attempt: what was touched stays where it is now, or goes back. */
static void settle_touched(struct sw_repair *r, bool keep) {
    for (uint32_t i = 0; i < r->touched_count; i++) {
        uint32_t b = r->touched[i];
        if (keep) {
            r->home[b] = r->offset[b];
        } else {
            r->offset[b] = r->home[b];
        }
        r->grudge[b] = r->shape->fixed[b] ? HARD : r->shape->grudge[b];
    }
    r->touched_count = r->pool_count = r->queue = 0;
}

bool sw_repair_commit(struct sw_repair *r, struct sw_run *run) {
    const struct repair_shape *s = r->shape;
    for (uint32_t i = 0; i < r->touched_count; i++) {
        uint32_t b = r->touched[i];
        if (r->home[b] != r->offset[b] && !sw_layout_place(run->layout, s->id[b], s->tier, r->offset[b])) {
            return sw_fail_memory(run->error);
        }
    }
    settle_touched(r, true);
    r->peak = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        r->peak = r->home[i] + s->size[i] > r->peak ? r->home[i] + s->size[i] : r->peak;
    }
    run->work += s->count / 16 + 1;
    sw_layout_set_arena(run->layout, s->tier, r->peak);
    return !s->permits || rebuild(r, run);
}

void sw_repair_abandon(struct sw_repair *r) {
    settle_touched(r, false);
}
