/* repair: guided ejection on flat arrays; repair.h says what it does.
 *
 * Arrays. Blocks are numbered in program order, so that those born during some steps are a slice.
 * What never changes (lifetimes, sizes, the index) is shared by all clones. `home` is the best
 * layout known, `offset` the one being tried, with NOWHERE for the blocks of the pool.
 *
 * Who is alive then? The steps are cut where as many blocks have been born as were alive at the
 * last cut; at each cut the blocks alive are listed. So those that meet a lifetime are found in the
 * list of the cut before it and in the slice born since: about twice as many are looked at as are
 * found, in order of memory.
 *
 * Where can a block go for the least? (place_of) Let the k neighbours be sorted once by their
 * starts and once by their ends. A block of size s at x meets those that start below x + s, without
 * those that end at or below x. Both sums only grow with x, so one walk over the candidates, which
 * are the bottom, the end of each neighbour and right below the target, knows what each of them
 * costs.
 *
 * What is not simple stays where it is: a pinned block has a grudge without limit, as have reserved
 * and forbidden ranges. Blocks with holes in their lives or with permits move as if they had none,
 * so a move is always legal, and two that overlap by permission keep doing so until one of them
 * moves.
 *
 * Numbers. All grudges are integers, so that sums do not depend on their order. */
#include "planners/repair.h"

#include "base/hash.h"
#include "planners/internal.h"

#include <stdlib.h> /* qsort */
#include <string.h>

#define NOWHERE UINT64_MAX
/* Grudges stay below 2^43, so that a million of them can be added; HARD is not a number but a mark.
 */
#define MOST_GRUDGE (UINT64_C(1) << 43)
#define MOST_FIRST_GRUDGE (UINT64_C(1) << 40)
#define HARD UINT64_MAX
enum { USUAL_GRUDGE = 1024 }; /* that of a block of average area */

struct range {
    uint32_t buffer; /* SW_NONE: for all */
    uint64_t lo, hi;
};

/* What all clones share. */
struct shape {
    size_t owners;
    uint32_t count, steps, tier;
    uint64_t least, grain;
    uint32_t *id, *first, *last; /* of each block */
    uint64_t *size, *alignment, *grudge;
    bool *fixed;
    uint32_t *born;      /* per step and one more: blocks born before it */
    uint32_t *cut;       /* per step: the last cut at or before it */
    uint32_t *cut_step;  /* per cut */
    uint32_t *cut_begin; /* per cut and one more: its slice of `alive` */
    uint32_t cuts;
    SW_ARRAY(uint32_t) alive;
    SW_ARRAY(uint32_t) busiest; /* all blocks, those of the busiest times first; made when needed */
    SW_ARRAY(struct range) ranges;
    bool general;    /* several cores, or pairs kept apart: the problem says who is in the way */
    uint32_t *block; /* general: per buffer; SW_NONE */
    uint32_t buffers;
    bool permits;
};

/* One end of a neighbour. */
struct edge {
    uint64_t at, grudge;
};

struct sw_repair {
    struct shape *shape;
    uint64_t *home, *offset, *grudge;
    uint32_t *touched; /* blocks that were out of place in this attempt ... */
    uint32_t *stamp;   /* ... which are those whose stamp is `attempt` */
    uint32_t *pool;    /* a heap by grudge, then number */
    uint32_t touched_count, pool_count, least_pool, attempt;
    uint32_t queue; /* afresh: how many blocks of `busiest` are still to be placed, from the end */
    unsigned sharpness;
    uint64_t peak, least, target, random;
    /* Scratch, not part of the state. */
    uint32_t *near;
    struct edge *starts, *ends;
    uint32_t room;
};

/* ---- the shape ---- */

static void shape_unref(struct shape *s) {
    if (!s || --s->owners > 0) {
        return;
    }
    SW_FREE(s->id, s->count);
    SW_FREE(s->first, s->count);
    SW_FREE(s->last, s->count);
    SW_FREE(s->size, s->count);
    SW_FREE(s->alignment, s->count);
    SW_FREE(s->grudge, s->count);
    SW_FREE(s->fixed, s->count);
    SW_FREE(s->born, (size_t)s->steps + 1);
    SW_FREE(s->cut, s->steps);
    SW_FREE(s->cut_step, s->steps);
    SW_FREE(s->cut_begin, (size_t)s->steps + 1);
    SW_FREE(s->block, s->general ? s->buffers : 0);
    SW_ARRAY_DONE(&s->alive);
    SW_ARRAY_DONE(&s->busiest);
    SW_ARRAY_DONE(&s->ranges);
    SW_FREE(s, 1);
}

static bool shape_arrays(struct shape *s) {
    s->id = SW_NEW(uint32_t, s->count);
    s->first = SW_NEW(uint32_t, s->count);
    s->last = SW_NEW(uint32_t, s->count);
    s->size = SW_NEW(uint64_t, s->count);
    s->alignment = SW_NEW(uint64_t, s->count);
    s->grudge = SW_NEW(uint64_t, s->count);
    s->fixed = SW_NEW(bool, s->count);
    s->born = SW_NEW_ZERO(uint32_t, (size_t)s->steps + 1);
    s->cut = SW_NEW(uint32_t, s->steps);
    s->cut_step = SW_NEW(uint32_t, s->steps);
    s->cut_begin = SW_NEW_ZERO(uint32_t, (size_t)s->steps + 1);
    s->block = s->general ? SW_NEW(uint32_t, s->buffers) : NULL;
    return s->id && s->first && s->last && s->size && s->alignment && s->grudge && s->fixed &&
           s->born && s->cut && s->cut_step && s->cut_begin && (!s->general || s->block);
}

/* Does a block of the tier take part? Without a size it is in nobody's way. */
static bool takes_part(const struct sw_run *run, uint32_t buffer, uint32_t tier,
                       struct sw_placement *at) {
    return sw_layout_placement(run->layout, buffer, 0, at) && at->tier == tier &&
           sw_problem_buffer(run->problem, buffer)->size > 0;
}

/* The grudge a block begins with: its area, for what is large and lives long is hard to place. */
static void first_grudges(struct shape *s) {
    double sum = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        sum += (double)s->size[i] * (double)(s->last[i] - s->first[i] + 1);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        double area = (double)s->size[i] * (double)(s->last[i] - s->first[i] + 1);
        double grudge = 1 + area * s->count / sum * USUAL_GRUDGE;
        s->grudge[i] = grudge < (double)MOST_FIRST_GRUDGE ? (uint64_t)grudge : MOST_FIRST_GRUDGE;
    }
}

/* The greatest common divisor of all sizes: other targets than its multiples gain nothing. */
static void find_grain(struct shape *s) {
    s->grain = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint64_t rest = s->size[i]; rest > 0;) {
            uint64_t next = s->grain % rest;
            s->grain = rest;
            rest = next;
        }
    }
    s->grain = s->grain > 0 ? s->grain : 1;
}

/* The lists of those alive at each cut. */
static bool shape_index(struct shape *s) {
    for (uint32_t t = 0, i = 0; t <= s->steps; t++) {
        while (t < s->steps && i < s->count && s->first[i] < t) {
            i++;
        }
        s->born[t] = t < s->steps ? i : s->count;
    }
    SW_ARRAY(uint32_t) now = {0}; /* alive, and perhaps some that died since the last cut */
    bool ok = true;
    uint32_t since = 0, listed = 0;
    for (uint32_t t = 0; ok && t < s->steps; t++) {
        if (t == 0 || since >= listed + 64) {
            size_t kept = 0;
            for (size_t i = 0; i < now.count; i++) {
                if (s->last[now.items[i]] >= t) {
                    now.items[kept++] = now.items[i];
                }
            }
            now.count = kept;
            s->cut_begin[s->cuts] = (uint32_t)s->alive.count;
            s->cut_step[s->cuts++] = t;
            ok = SW_RESERVE(&s->alive, s->alive.count + kept);
            for (size_t i = 0; ok && i < kept; i++) {
                s->alive.items[s->alive.count++] = now.items[i];
            }
            since = 0;
            listed = (uint32_t)kept;
        }
        s->cut[t] = s->cuts - 1;
        for (uint32_t i = s->born[t]; ok && i < s->born[t + 1]; i++, since++) {
            ok = SW_PUSH(&now, i);
        }
    }
    s->cut_begin[s->cuts] = (uint32_t)s->alive.count;
    SW_ARRAY_DONE(&now);
    return ok;
}

static bool shape_ranges(struct shape *s, const struct sw_run *run) {
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(run->problem, &count);
    for (size_t i = 0; i < count; i++) {
        if (reserved[i].tier == s->tier &&
            !SW_PUSH(&s->ranges, (struct range){SW_NONE, reserved[i].lo, reserved[i].hi})) {
            return false;
        }
    }
    for (size_t i = 0; i < run->rules.forbids.count; i++) {
        const struct sw_forbid *f = &run->rules.forbids.items[i];
        if (f->tier == s->tier && !SW_PUSH(&s->ranges, (struct range){f->buffer, f->lo, f->hi})) {
            return false;
        }
    }
    return true;
}

/* No layout is lower: the problem's bound, or, with several tiers, the bytes alive at once in this
 * one; the largest block; the highest pin. */
static bool shape_least(struct shape *s, const struct sw_repair *r, const struct sw_run *run) {
    bool one = sw_problem_tier_count(run->problem) == 1;
    uint64_t least = one ? sw_problem_lower_bound(run->problem) : 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint64_t end = s->fixed[i] ? r->home[i] + s->size[i] : s->size[i];
        least = end > least ? end : least;
    }
    if (!one && !s->general && !s->permits) {
        uint64_t *profile = SW_NEW_ZERO(uint64_t, (size_t)s->steps + 1), live = 0;
        if (!profile) {
            return false;
        }
        for (uint32_t i = 0; i < s->count; i++) {
            const struct sw_buffer *b = sw_problem_buffer(run->problem, s->id[i]);
            for (uint32_t p = 0; p < b->piece_count; p++) {
                profile[b->pieces[p].first] += b->pieces[p].hi - b->pieces[p].lo;
                profile[b->pieces[p].last + 1] -= b->pieces[p].hi - b->pieces[p].lo;
            }
        }
        for (uint32_t t = 0; t < s->steps; t++) {
            live += profile[t];
            least = live > least ? live : least;
        }
        SW_FREE(profile, (size_t)s->steps + 1);
    }
    s->least = least;
    return true;
}

static struct shape *shape_new(const struct sw_run *run, uint32_t tier) {
    struct shape *s = SW_NEW_ZERO(struct shape, 1);
    if (!s) {
        return NULL;
    }
    const struct sw_problem *problem = run->problem;
    const uint32_t *order = sw_problem_order(problem);
    struct sw_placement at;
    size_t count;
    s->owners = 1;
    s->tier = tier;
    s->steps = sw_problem_steps(problem);
    s->buffers = sw_problem_buffer_count(problem);
    s->general = sw_problem_core_count(problem) > 1;
    sw_problem_separate(problem, &count);
    s->general = s->general || count > 0;
    sw_problem_permits(problem, &count);
    s->permits = count > 0;
    for (uint32_t i = 0; i < sw_problem_planned_count(problem); i++) {
        s->count += takes_part(run, order[i], tier, &at);
    }
    if (!shape_arrays(s) || !shape_ranges(s, run)) {
        shape_unref(s);
        return NULL;
    }
    for (uint32_t b = 0; s->general && b < s->buffers; b++) {
        s->block[b] = SW_NONE;
    }
    return s;
}

/* ---- making, cloning ---- */

void sw_repair_free(struct sw_repair *r) {
    if (!r) {
        return;
    }
    uint32_t n = r->shape ? r->shape->count : 0;
    SW_FREE(r->home, n);
    SW_FREE(r->offset, n);
    SW_FREE(r->grudge, n);
    SW_FREE(r->touched, n);
    SW_FREE(r->stamp, n);
    SW_FREE(r->pool, n);
    SW_FREE(r->near, r->room);
    SW_FREE(r->starts, r->room);
    SW_FREE(r->ends, r->room);
    shape_unref(r->shape);
    SW_FREE(r, 1);
}

static bool arrays(struct sw_repair *r) {
    uint32_t n = r->shape->count;
    r->home = SW_NEW(uint64_t, n);
    r->offset = SW_NEW(uint64_t, n);
    r->grudge = SW_NEW(uint64_t, n);
    r->touched = SW_NEW(uint32_t, n);
    r->stamp = SW_NEW_ZERO(uint32_t, n);
    r->pool = SW_NEW(uint32_t, n);
    return r->home && r->offset && r->grudge && r->touched && r->stamp && r->pool;
}

static bool read_layout(struct sw_repair *r, const struct sw_run *run) {
    struct shape *s = r->shape;
    const uint32_t *order = sw_problem_order(run->problem);
    uint32_t n = 0;
    for (uint32_t i = 0; i < sw_problem_planned_count(run->problem); i++) {
        struct sw_placement at;
        struct sw_pin pin;
        const struct sw_buffer *b = sw_problem_buffer(run->problem, order[i]);
        if (!takes_part(run, order[i], s->tier, &at)) {
            continue;
        }
        s->id[n] = order[i];
        s->first[n] = b->first;
        s->last[n] = b->last;
        s->size[n] = b->size;
        s->alignment[n] = b->alignment;
        s->fixed[n] = sw_rules_pin(run->problem, &run->rules, order[i], &pin) ||
                      at.span.from > b->first || at.span.to < b->last;
        if (s->general) {
            s->block[order[i]] = n;
        }
        r->home[n] = r->offset[n] = at.offset;
        r->peak = at.offset + b->size > r->peak ? at.offset + b->size : r->peak;
        n++;
    }
    first_grudges(s);
    find_grain(s);
    for (uint32_t i = 0; i < n; i++) {
        r->grudge[i] = s->fixed[i] ? HARD : s->grudge[i];
    }
    if (!shape_index(s) || !shape_least(s, r, run)) {
        return false;
    }
    r->least = s->least;
    return true;
}

struct sw_repair *sw_repair_new(struct sw_run *run, uint32_t tier, uint64_t seed,
                                struct sw_error *error) {
    struct sw_repair *r = SW_NEW_ZERO(struct sw_repair, 1);
    if (r) {
        r->random = seed;
        r->shape = shape_new(run, tier);
    }
    if (!r || !r->shape || !arrays(r) || !read_layout(r, run)) {
        sw_repair_free(r);
        sw_fail_memory(error);
        return NULL;
    }
    run->work += r->shape->count;
    return r;
}

struct sw_repair *sw_repair_clone(const struct sw_repair *from) {
    struct sw_repair *r = SW_NEW(struct sw_repair, 1);
    if (!r) {
        return NULL;
    }
    *r = *from;
    r->shape->owners++;
    r->near = NULL;
    r->starts = r->ends = NULL;
    r->room = 0;
    if (!arrays(r)) {
        sw_repair_free(r);
        return NULL;
    }
    size_t n = r->shape->count;
    if (n > 0) {
        memcpy(r->home, from->home, n * sizeof *r->home);
        memcpy(r->offset, from->offset, n * sizeof *r->offset);
        memcpy(r->grudge, from->grudge, n * sizeof *r->grudge);
        memcpy(r->stamp, from->stamp, n * sizeof *r->stamp);
        memcpy(r->touched, from->touched, from->touched_count * sizeof *r->touched);
        memcpy(r->pool, from->pool, from->pool_count * sizeof *r->pool);
    }
    return r;
}

uint64_t sw_repair_digest(const struct sw_repair *r) {
    uint64_t digest = sw_fold(sw_fold(11, r->random), r->target);
    digest = sw_fold(sw_fold(digest, r->peak), (uint64_t)r->shape->tier << 32 | r->attempt);
    digest = sw_fold(digest, (uint64_t)r->pool_count << 32 | r->least_pool);
    digest = sw_fold(sw_fold(digest, r->queue), r->least);
    for (uint32_t i = 0; i < r->touched_count; i++) {
        uint32_t b = r->touched[i];
        digest = sw_fold(sw_fold(sw_fold(digest, b), r->offset[b]), r->grudge[b]);
    }
    return digest;
}

size_t sw_repair_bytes(const struct sw_repair *r) {
    size_t each = 3 * sizeof(uint64_t) + 3 * sizeof(uint32_t);
    return sizeof *r + r->shape->count * each;
}

uint32_t sw_repair_tier(const struct sw_repair *r) {
    return r->shape->tier;
}
uint32_t sw_repair_count(const struct sw_repair *r) {
    return r->shape->count;
}
uint64_t sw_repair_peak(const struct sw_repair *r) {
    return r->peak;
}
uint64_t sw_repair_least(const struct sw_repair *r) {
    return r->least;
}
uint64_t sw_repair_grain(const struct sw_repair *r) {
    return r->shape->grain;
}
uint64_t sw_repair_target(const struct sw_repair *r) {
    return r->target;
}
uint32_t sw_repair_pool(const struct sw_repair *r) {
    return r->pool_count + r->queue;
}

/* ---- the pool: a heap ---- */

static bool is_heavier(const struct sw_repair *r, uint32_t a, uint32_t b) {
    return r->grudge[a] > r->grudge[b] || (r->grudge[a] == r->grudge[b] && a < b);
}

static void push(struct sw_repair *r, uint32_t block) {
    uint32_t at = r->pool_count++;
    for (; at > 0 && is_heavier(r, block, r->pool[(at - 1) / 2]); at = (at - 1) / 2) {
        r->pool[at] = r->pool[(at - 1) / 2];
    }
    r->pool[at] = block;
}

static uint32_t pop(struct sw_repair *r) {
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
    r->offset[block] = NOWHERE;
}

/* Out of its place, into the pool. */
static void eject(struct sw_repair *r, uint32_t block) {
    take_out(r, block);
    push(r, block);
}

/* ---- neighbours ---- */

static bool make_room(struct sw_repair *r, uint32_t wanted) {
    if (wanted <= r->room) {
        return true;
    }
    uint32_t room = wanted + wanted / 2 + 64;
    SW_FREE(r->near, r->room);
    SW_FREE(r->starts, r->room);
    SW_FREE(r->ends, r->room);
    r->near = SW_NEW(uint32_t, room);
    r->starts = SW_NEW(struct edge, room);
    r->ends = SW_NEW(struct edge, room);
    if (!r->near || !r->starts || !r->ends) {
        SW_FREE(r->near, room);
        SW_FREE(r->starts, room);
        SW_FREE(r->ends, room);
        r->near = NULL;
        r->starts = r->ends = NULL;
        r->room = 0;
        return false;
    }
    r->room = room;
    return true;
}

static uint32_t meet_general(struct sw_repair *r, const struct sw_run *run, uint32_t block,
                             uint32_t *looked) {
    const struct shape *s = r->shape;
    struct sw_neighbours all = sw_problem_neighbours(run->problem, s->id[block]);
    uint32_t count = 0;
    for (uint32_t b; (b = sw_neighbours_next(&all)) != SW_NONE;) {
        uint32_t other = s->block[b];
        (*looked)++;
        if (other != SW_NONE && other != block && r->offset[other] != NOWHERE) {
            r->near[count++] = other;
        }
    }
    return count;
}

/* The placed blocks that live with this one, into `near`; false: no memory. */
static bool meet(struct sw_repair *r, const struct sw_run *run, uint32_t block, uint32_t *count,
                 uint32_t *looked) {
    const struct shape *s = r->shape;
    uint32_t from = s->first[block], cut = s->cut[from], k = 0;
    uint32_t begin = s->cut_begin[cut], end = s->cut_begin[cut + 1];
    uint32_t young = s->born[s->cut_step[cut]], unborn = s->born[s->last[block] + 1];
    *looked = 0;
    if (!make_room(r, (uint32_t)s->ranges.count +
                          (s->general ? s->count : end - begin + unborn - young))) {
        return false;
    }
    if (s->general) {
        *count = meet_general(r, run, block, looked);
        return true;
    }
    *looked = end - begin + unborn - young;
    for (uint32_t i = begin; i < end; i++) {
        uint32_t other = s->alive.items[i];
        r->near[k] = other;
        k += s->last[other] >= from && r->offset[other] != NOWHERE;
    }
    for (uint32_t other = young; other < unborn; other++) {
        r->near[k] = other;
        k += s->last[other] >= from && r->offset[other] != NOWHERE;
    }
    *count = k;
    return true;
}

/* Quicksort by `at`, the rest by insertion; written out, since it is most of the time spent here.
 */
static void sort_edges(struct edge *e, uint32_t count) {
    uint32_t stack[128], depth = 0, lo = 0, hi = count;
    for (;;) {
        while (hi - lo > 16) {
            uint64_t a = e[lo].at, b = e[lo + (hi - lo) / 2].at, c = e[hi - 1].at;
            uint64_t least = a < b ? a : b, most = a < b ? b : a;
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
                struct edge swap = e[i];
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
        struct edge moved = e[i];
        uint32_t j = i;
        for (; j > 0 && e[j - 1].at > moved.at; j--) {
            e[j] = e[j - 1];
        }
        e[j] = moved;
    }
}

/* ---- those of the busiest times first ---- */

struct turn {
    uint64_t busy;
    uint32_t block;
};

static int by_business(const void *a, const void *b) {
    const struct turn *x = a, *y = b;
    return x->busy != y->busy ? (x->busy > y->busy ? -1 : 1) : x->block < y->block ? -1 : 1;
}

/* The most live bytes during a life: whole strides of the profile at a time. */
enum { STRIDE = 256, LASTING = 12 };
static uint64_t busiest_of(const uint64_t *profile, const uint64_t *strides, uint32_t first,
                           uint32_t last) {
    uint64_t most = 0;
    for (uint32_t t = first; t <= last;) {
        bool whole = t % STRIDE == 0 && last - t >= STRIDE;
        uint64_t here = whole ? strides[t / STRIDE] : profile[t];
        most = here > most ? here : most;
        t += whole ? STRIDE : 1;
    }
    return most;
}

static bool order_by_business(struct shape *s, const struct sw_run *run) {
    const uint64_t *profile = sw_problem_profile(run->problem);
    size_t strides_count = s->steps / STRIDE + 1;
    uint64_t *strides = SW_NEW_ZERO(uint64_t, strides_count);
    struct turn *turns = SW_NEW(struct turn, s->count);
    bool ok = strides && turns && SW_RESERVE(&s->busiest, s->count);
    for (uint32_t t = 0; ok && t < s->steps; t++) {
        uint64_t *stride = &strides[t / STRIDE];
        *stride = profile[t] > *stride ? profile[t] : *stride;
    }
    for (uint32_t i = 0; ok && i < s->count; i++) {
        /* What lives long has no choice of times: it comes first. */
        bool lasting = s->last[i] - s->first[i] >= s->steps / LASTING;
        uint64_t busy =
            lasting ? UINT64_MAX : busiest_of(profile, strides, s->first[i], s->last[i]);
        turns[i] = (struct turn){busy, i};
    }
    if (ok && s->count > 0) {
        qsort(turns, s->count, sizeof *turns, by_business);
    }
    for (uint32_t i = 0; ok && i < s->count; i++) {
        s->busiest.items[i] = turns[i].block;
    }
    s->busiest.count = ok ? s->count : 0;
    SW_FREE(strides, strides_count);
    SW_FREE(turns, s->count);
    return ok;
}

/* ---- one insertion ---- */

/* What lies in the way: a sum of grudges, and how many may not be pushed at all. */
struct toll {
    uint64_t grudge;
    uint32_t hard;
};
static inline void toll_add(struct toll *toll, const struct edge *e) {
    toll->hard += e->grudge == HARD;
    toll->grudge += e->grudge == HARD ? 0 : e->grudge;
}
static inline void toll_drop(struct toll *toll, const struct edge *e) {
    toll->hard -= e->grudge == HARD;
    toll->grudge -= e->grudge == HARD ? 0 : e->grudge;
}

/* The best place so far. */
struct choice {
    uint64_t at, grudge, space; /* space: of a free one */
    uint32_t ties;
};

static void consider(struct sw_repair *r, struct choice *c, uint64_t at, const struct toll *toll,
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
        c->at = at; /* equals draw lots */
    }
}

/* Where the block goes below the target, from the sorted edges of its k neighbours. Right below the
 * target it hangs in the air, which is wanted of a repair, but not of a layout that is built
 * afresh. */
static struct choice place_of(struct sw_repair *r, uint32_t block, uint32_t k, bool may_hang) {
    const struct shape *s = r->shape;
    uint64_t size = s->size[block], alignment = s->alignment[block];
    uint64_t highest = r->target - size;
    highest -= alignment > 1 ? highest % alignment : 0;
    struct choice best = {NOWHERE, UINT64_MAX, UINT64_MAX, 0};
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
        consider(r, &best, x, &toll, begun < k ? r->starts[begun].at : r->target);
        if (x == highest) {
            return best;
        }
        uint64_t next = over < k ? sw_align_up(r->ends[over].at, alignment) : NOWHERE;
        if (next > highest && !may_hang) {
            return best;
        }
        x = next < highest ? next : highest;
    }
}

static uint32_t edges(struct sw_repair *r, uint32_t block, uint32_t count) {
    const struct shape *s = r->shape;
    uint32_t k = 0;
    for (; k < count; k++) {
        uint32_t other = r->near[k];
        uint64_t at = r->offset[other], grudge = r->grudge[other];
        r->starts[k] = (struct edge){at, grudge};
        r->ends[k] = (struct edge){at + s->size[other], grudge};
    }
    for (size_t i = 0; i < s->ranges.count; i++) {
        const struct range *range = &s->ranges.items[i];
        if (range->buffer == SW_NONE || range->buffer == s->id[block]) {
            r->starts[k] = (struct edge){range->lo, HARD};
            r->ends[k++] = (struct edge){range->hi, HARD};
        }
    }
    sort_edges(r->starts, k);
    sort_edges(r->ends, k);
    return k;
}

static bool explain(const struct sw_repair *r, const struct sw_run *run, uint32_t block,
                    const struct choice *c, uint32_t pushed) {
    char name[SW_SHORT_NAME];
    sw_place_name(run->problem, r->shape->id[block], name);
    return pushed ? sw_explain(run->explain, SW_VERDICT_FITS, r->shape->tier, c->at,
                               r->shape->size[block], SW_NONE, SW_NONE,
                               "%s goes here and pushes out %u, the least in its way", name,
                               (unsigned)pushed)
                  : sw_explain(run->explain, SW_VERDICT_FITS, r->shape->tier, c->at,
                               r->shape->size[block], SW_NONE, SW_NONE,
                               "%s goes here, the smallest space that fits", name);
}

/* What may not be pushed leaves a block no place below the target, whatever is done: nothing can be
 * as low. */
static enum sw_repaired nowhere(struct sw_repair *r) {
    r->least = r->target + 1 > r->least ? r->target + 1 : r->least;
    return SW_REPAIR_STUCK;
}

/* Take the next block of the queue, or the heaviest one of the pool, and put it somewhere. */
static enum sw_repaired insert(struct sw_repair *r, struct sw_run *run, uint32_t *ejected) {
    const struct shape *s = r->shape;
    bool queued = r->queue > 0;
    uint32_t block = queued ? s->busiest.items[s->count - r->queue] : pop(r);
    uint32_t count, looked, pushed = 0;
    r->queue -= queued;
    if (queued && s->fixed[block]) {
        return SW_REPAIR_MORE; /* it has never left */
    }
    if (s->size[block] > r->target) {
        return nowhere(r);
    }
    if (!meet(r, run, block, &count, &looked)) {
        return SW_REPAIR_MEMORY;
    }
    run->work += looked + count + 1;
    struct choice best = place_of(r, block, edges(r, block, count), !queued);
    if (best.at == NOWHERE && !queued) {
        return nowhere(r);
    }
    if (queued && (best.at == NOWHERE || best.grudge > 0)) {
        push(r, block); /* its turn comes later */
        return r->pool_count > s->count / 64 + 16 ? SW_REPAIR_STUCK : SW_REPAIR_MORE;
    }
    r->offset[block] = best.at;
    if (best.grudge > 0) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t other = r->near[i];
            if (r->offset[other] < best.at + s->size[block] &&
                r->offset[other] + s->size[other] > best.at) {
                eject(r, other);
                pushed++;
            }
        }
        uint64_t grown = r->grudge[block] + (r->grudge[block] >> r->sharpness) + 1;
        r->grudge[block] = grown < MOST_GRUDGE ? grown : MOST_GRUDGE;
    }
    *ejected += pushed;
    return explain(r, run, block, &best, pushed) ? SW_REPAIR_MORE : SW_REPAIR_MEMORY;
}

/* ---- attempts ---- */

void sw_repair_begin(struct sw_repair *r, struct sw_run *run, uint64_t target, unsigned sharpness) {
    const struct shape *s = r->shape;
    r->attempt++;
    r->target = target;
    r->sharpness = sharpness;
    r->pool_count = r->touched_count = r->queue = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (r->home[i] + s->size[i] > target) {
            eject(r, i);
        }
    }
    r->least_pool = r->pool_count;
    run->work += s->count / 16 + 1; /* a walk over an array */
}

bool sw_repair_begin_afresh(struct sw_repair *r, struct sw_run *run, uint64_t target,
                            unsigned sharpness) {
    struct shape *s = r->shape;
    if (s->busiest.count < s->count && !order_by_business(s, run)) {
        return false;
    }
    sw_repair_begin(r, run, target, sharpness);
    r->pool_count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!s->fixed[i]) {
            take_out(r, i);
        }
    }
    r->queue = s->count;
    r->least_pool = s->count;
    return true;
}

enum sw_repaired sw_repair_go(struct sw_repair *r, struct sw_run *run, uint64_t slice,
                              uint32_t *inserted, uint32_t *ejected, bool *progress) {
    uint64_t begin = run->work;
    *inserted = *ejected = 0;
    *progress = false;
    while (r->pool_count + r->queue > 0) {
        if (run->work - begin >= slice) {
            return SW_REPAIR_MORE;
        }
        enum sw_repaired result = insert(r, run, ejected);
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
static bool rebuild(const struct sw_repair *r, struct sw_run *run, struct sw_error *error) {
    const struct shape *s = r->shape;
    struct sw_run fresh = *run;
    fresh.layout = sw_layout_new(run->problem, error);
    bool ok = fresh.layout != NULL;
    for (uint32_t i = 0; ok && i < sw_problem_planned_count(run->problem); i++) {
        uint32_t b = sw_problem_order(run->problem)[i];
        struct sw_placement at;
        ok = !sw_layout_placement(run->layout, b, 0, &at) ||
             sw_place_at(&fresh, b, at.tier, at.offset) || sw_fail_memory(error);
    }
    if (!ok) {
        sw_layout_free(fresh.layout);
        return false;
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(run->problem); t++) {
        sw_layout_set_arena(fresh.layout, t,
                            t == s->tier ? r->peak : sw_layout_arena(run->layout, t));
    }
    sw_layout_free(run->layout);
    run->layout = fresh.layout;
    return true;
}

/* The end of an attempt: what was touched stays where it is now, or goes back. */
static void settle(struct sw_repair *r, bool keep) {
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

bool sw_repair_keep(struct sw_repair *r, struct sw_run *run, struct sw_error *error) {
    const struct shape *s = r->shape;
    for (uint32_t i = 0; i < r->touched_count; i++) {
        uint32_t b = r->touched[i];
        if (r->home[b] != r->offset[b] &&
            !sw_layout_place(run->layout, s->id[b], s->tier, r->offset[b])) {
            return sw_fail_memory(error);
        }
    }
    settle(r, true);
    r->peak = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        r->peak = r->home[i] + s->size[i] > r->peak ? r->home[i] + s->size[i] : r->peak;
    }
    run->work += s->count / 16 + 1;
    sw_layout_set_arena(run->layout, s->tier, r->peak);
    return !s->permits || rebuild(r, run, error);
}

void sw_repair_abandon(struct sw_repair *r) {
    settle(r, false);
}
