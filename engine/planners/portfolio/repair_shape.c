/* What of a repair never changes and is shared by all its clones: the blocks of a tier as flat
 * arrays, which of them are alive at which steps, and the turns in which they are placed afresh.
 *
 * Blocks are numbered in program order, so that those born during some steps are a slice.
 *
 * The index of blocks alive. A cut is made at step 0, and wherever 64 more blocks have been born since
 * the last cut than were alive at it. Each cut lists the blocks alive. So those that meet a lifetime are
 * found in the list of the cut before it and in the slice born since: about twice as many are looked at
 * as are found, in order of memory.
 *
 * There is such an index of all blocks, and, once they are to be placed afresh, one for the blocks
 * down to each level of size. The coarse ones are short: of 40,000 blocks with 6,000 alive at once,
 * 600 may hold four fifths of the bytes, with 60 alive. */
#include "planners/portfolio/repair_internal.h"
#include "base/base.h"
#include "base/sort.h"

/* Grudges stay below 2^43, so that a million of them can be added. */
#define MOST_FIRST_GRUDGE (UINT64_C(1) << 40)
enum { USUAL_GRUDGE = 1024 };               /* that of a block of average area */
enum { COARSEST_PART = 32, STEP_PART = 8 }; /* thresholds of the levels */

static void index_done(struct index *x) {
    SW_ARRAY_DONE(&x->blocks, &x->alive);
}

static void drop_levels(struct repair_shape *s) {
    for (unsigned l = 0; s->coarse && l < FINEST; l++) {
        index_done(&s->coarse[l]);
    }
    s->coarse = NULL;
}

void sw_repair_shape_unref(struct repair_shape *s) {
    if (!s || --s->owners > 0) {
        return;
    }
    index_done(&s->all);
    drop_levels(s);
    for (unsigned i = 0; i < SW_REPAIR_KINDS; i++) {
        SW_ARRAY_DONE(&s->turns[i]);
    }
    SW_ARRAY_DONE(&s->ranges);
    sw_arena_done(&s->room);
    SW_FREE(s, 1);
}

/* ---- the blocks alive at a step ---- */

/* How many blocks are born before each step. */
static void count_born(const struct repair_shape *s, struct index *x) {
    uint32_t i = 0, count = (uint32_t)x->blocks.count;
    for (uint32_t t = 0; t < s->steps; t++) {
        while (i < count && s->first[x->blocks.items[i]] < t) {
            i++;
        }
        x->born[t] = i;
    }
    x->born[s->steps] = count;
}

/* A cut: the list of those alive at a step, from those alive at the last cut or born since. */
static bool cut_at(const struct repair_shape *s, struct index *x, uint32_t t, uint32_t *now, uint32_t *count) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++) {
        if (s->last[now[i]] >= t) {
            now[kept++] = now[i];
        }
    }
    *count = kept;
    x->cut_begin[x->cuts] = (uint32_t)x->alive.count;
    x->cut_step[x->cuts++] = t;
    if (!SW_RESERVE(&x->alive, x->alive.count + kept)) {
        return false;
    }
    if (kept > 0) {
        memcpy(x->alive.items + x->alive.count, now, kept * sizeof *now);
    }
    x->alive.count += kept;
    return true;
}

/* Of the blocks down to a level. */
static bool index_make(struct repair_shape *s, struct index *x, unsigned level) {
    uint32_t *now = SW_NEW(uint32_t, s->count), count = 0, listed = 0, since = 0;
    x->born = SW_NEW_IN(&s->room, uint32_t, (size_t)s->steps + 1);
    x->cut = SW_NEW_IN(&s->room, uint32_t, s->steps);
    x->cut_step = SW_NEW_IN(&s->room, uint32_t, s->steps);
    x->cut_begin = SW_NEW_IN(&s->room, uint32_t, (size_t)s->steps + 1);
    bool ok = now && x->born && x->cut && x->cut_step && x->cut_begin;
    for (uint32_t i = 0; ok && i < s->count; i++) {
        ok = (level < FINEST && s->level[i] > level) || SW_PUSH(&x->blocks, i);
    }
    if (ok) {
        count_born(s, x);
    }
    for (uint32_t t = 0; ok && t < s->steps; t++) {
        if (t == 0 || since >= listed + 64) {
            ok = cut_at(s, x, t, now, &count);
            listed = count;
            since = 0;
        }
        x->cut[t] = x->cuts - 1;
        for (uint32_t i = x->born[t]; i < x->born[t + 1]; i++, since++) {
            now[count++] = x->blocks.items[i];
        }
    }
    if (ok) {
        x->cut_begin[x->cuts] = (uint32_t)x->alive.count;
    }
    SW_FREE(now, s->count);
    return ok;
}

/* ---- the blocks ---- */

static bool shape_arrays(struct repair_shape *s) {
    size_t n = s->count;
    s->id = SW_NEW_IN(&s->room, uint32_t, 3 * n);
    s->size = SW_NEW_IN(&s->room, uint64_t, 3 * n);
    s->fixed = SW_NEW_IN(&s->room, bool, n);
    s->block = SW_NEW_IN(&s->room, uint32_t, s->general ? s->buffers : 0);
    if (!s->id || !s->size || !s->fixed || !s->block) {
        return false;
    }
    s->first = s->id + n;
    s->last = s->first + n;
    s->alignment = s->size + n;
    s->grudge = s->alignment + n;
    return true;
}

/* Does a block of the tier take part? A block of size 0 blocks no others. */
static bool takes_part(const struct sw_run *run, uint32_t buffer, uint32_t tier, struct sw_placement *at) {
    return sw_layout_placement(run->layout, buffer, 0, at) && at->tier == tier &&
           sw_problem_buffer(run->problem, buffer)->size > 0;
}

/* The grudge a block begins with: its area, for what is large and lives long is hard to place. */
static void first_grudges(struct repair_shape *s) {
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
static void find_grain(struct repair_shape *s) {
    s->grain = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        s->grain = sw_common_divisor(s->grain, s->size[i]);
    }
    s->grain = s->grain > 0 ? s->grain : 1;
}

static bool shape_ranges(struct repair_shape *s, const struct sw_run *run) {
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
static bool shape_least(struct repair_shape *s, const uint64_t *home, const struct sw_run *run) {
    bool one = sw_problem_tier_count(run->problem) == 1;
    uint64_t least = one ? sw_problem_lower_bound(run->problem) : 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint64_t end = s->fixed[i] ? home[i] + s->size[i] : s->size[i];
        least = SW_MAX(end, least);
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
            least = SW_MAX(live, least);
        }
        SW_FREE(profile, (size_t)s->steps + 1);
    }
    s->least = least;
    return true;
}

/* Count the blocks and make room for them. */
static struct repair_shape *shape_empty(const struct sw_run *run, uint32_t tier) {
    struct repair_shape *s = SW_NEW_ZERO(struct repair_shape, 1);
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
        sw_repair_shape_unref(s);
        return NULL;
    }
    sw_fill_none(s->block, s->general ? s->buffers : 0);
    return s;
}

struct repair_shape *sw_repair_shape_new(const struct sw_run *run, uint32_t tier, uint64_t **home, uint64_t *peak) {
    struct repair_shape *s = shape_empty(run, tier);
    if (!s) {
        return NULL;
    }
    const uint32_t *order = sw_problem_order(run->problem);
    uint32_t n = 0;
    uint64_t *offsets = SW_NEW(uint64_t, s->count);
    *peak = 0;
    for (uint32_t i = 0; offsets && i < sw_problem_planned_count(run->problem); i++) {
        struct sw_placement at;
        struct sw_pin pin;
        const struct sw_buffer *b = sw_problem_buffer(run->problem, order[i]);
        if (!takes_part(run, order[i], tier, &at)) {
            continue;
        }
        s->id[n] = order[i];
        s->first[n] = b->first;
        s->last[n] = b->last;
        s->size[n] = b->size;
        s->alignment[n] = b->alignment;
        s->fixed[n] =
            sw_rules_pin(run->problem, &run->rules, order[i], &pin) || at.span.from > b->first || at.span.to < b->last;
        if (s->general) {
            s->block[order[i]] = n;
        }
        offsets[n] = at.offset;
        *peak = at.offset + b->size > *peak ? at.offset + b->size : *peak;
        n++;
    }
    first_grudges(s);
    find_grain(s);
    s->level_end[FINEST] = s->count;
    if (!offsets || !shape_least(s, offsets, run) || !index_make(s, &s->all, FINEST)) {
        SW_FREE(offsets, s->count);
        sw_repair_shape_unref(s);
        return NULL;
    }
    *home = offsets;
    return s;
}

/* ---- levels and turns ---- */

struct shape_turn {
    uint8_t level;
    uint64_t busy, area; /* of which `busy` comes first */
    uint32_t block;
};

SW_BY_FIELDS(by_turn, struct shape_turn, SW_UP(level), SW_DOWN(busy), SW_DOWN(area), SW_UP(block))

/* The most live bytes during a life: whole strides of the profile at a time. */
enum { STRIDE = 256, LONG_LIVED = 12 };
static uint64_t busiest_of(const uint64_t *profile, const uint64_t *strides, uint32_t first, uint32_t last) {
    uint64_t most = 0;
    for (uint32_t t = first; t <= last;) {
        bool whole = t % STRIDE == 0 && last - t >= STRIDE;
        uint64_t here = whole ? strides[t / STRIDE] : profile[t];
        most = SW_MAX(here, most);
        t += whole ? STRIDE : 1;
    }
    return most;
}

/* How busy the times of each block are. */
static bool find_business(const struct repair_shape *s, const struct sw_run *run, struct shape_turn *turns) {
    const uint64_t *profile = sw_problem_profile(run->problem);
    size_t strides_count = s->steps / STRIDE + 1;
    uint64_t *strides = SW_NEW_ZERO(uint64_t, strides_count);
    for (uint32_t t = 0; strides && t < s->steps; t++) {
        uint64_t *stride = &strides[t / STRIDE];
        *stride = profile[t] > *stride ? profile[t] : *stride;
    }
    for (uint32_t i = 0; strides && i < s->count; i++) {
        /* What lives long has no choice of times: it comes first. */
        bool lasting = s->last[i] - s->first[i] >= s->steps / LONG_LIVED;
        turns[i].busy = lasting ? UINT64_MAX : busiest_of(profile, strides, s->first[i], s->last[i]);
    }
    bool ok = strides != NULL;
    SW_FREE(strides, strides_count);
    return ok;
}

/* Find the level of each block, and make the indices of the coarse levels. Fixed blocks belong to the first
 * level, and so to all indices. */
static bool find_levels(struct repair_shape *s) {
    s->level = SW_NEW_IN(&s->room, uint8_t, s->count);
    s->coarse = SW_NEW_IN(&s->room, struct index, FINEST);
    for (uint32_t i = 0; s->level && i < s->count; i++) {
        unsigned level = 0;
        uint64_t threshold = s->least / COARSEST_PART;
        for (; level < FINEST && s->size[i] < threshold && !s->fixed[i]; level++) {
            threshold /= STEP_PART;
        }
        s->level[i] = (uint8_t)level;
    }
    bool ok = s->level && s->coarse;
    for (unsigned l = 0; ok && l < FINEST; l++) {
        ok = index_make(s, &s->coarse[l], l);
        s->level_end[l] = (uint32_t)s->coarse[l].blocks.count;
    }
    if (!ok) {
        drop_levels(s);
    }
    return ok;
}

bool sw_repair_shape_turns(struct repair_shape *s, const struct sw_run *run, enum sw_repair_kind kind) {
    if (s->turns[kind].count == s->count) {
        return true;
    }
    struct shape_turn *turns = SW_NEW_ZERO(struct shape_turn, s->count);
    bool levels = kind != SW_REPAIR_ALL_AT_ONCE;
    bool ok = turns && (!levels || s->coarse || find_levels(s)) && SW_RESERVE(&s->turns[kind], s->count) &&
              (kind == SW_REPAIR_BY_AREA || find_business(s, run, turns));
    for (uint32_t i = 0; ok && i < s->count; i++) {
        turns[i].level = levels ? s->level[i] : FINEST;
        turns[i].area = levels ? s->grudge[i] : 0;
        turns[i].block = i;
    }
    sw_sort(turns, ok ? s->count : 0, sizeof *turns, by_turn);
    for (uint32_t i = 0; ok && i < s->count; i++) {
        s->turns[kind].items[i] = turns[i].block;
    }
    s->turns[kind].count = ok ? s->count : 0;
    SW_FREE(turns, s->count);
    return ok;
}
