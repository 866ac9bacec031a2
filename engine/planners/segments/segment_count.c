/* segment-genetic, rules 6 to 8: drawing, changing and measuring sequences.
 *
 * Measuring is what the method does all the time. The access runs of all objects lie in one array
 * in the order of time; one pass over it, with one resident per segment, counts everything. When
 * only some segments changed, only their runs are looked at: the runs of every object are a row of
 * bits, so the union of the rows of a segment's objects is the list of its runs, sorted. */
#include "planners/segments/segment_genetic.h"
#include "base/minmax.h"

#include "base/hash.h"

/* ---- rule 8: migration ---- */

static inline void visit(const struct sw_access_run *run, struct sw_resident *at, uint64_t *cost,
                         uint32_t *clash) {
    if (at->object != run->object) {
        if (at->object != SW_NONE) {
            *cost += at->out + run->in;
            *clash += run->first <= at->end;
        }
        at->object = run->object;
    }
    at->out = run->out;
    at->end = SW_MAX(run->last, at->end);
}

static void count_apart(const struct sw_objects *o, const uint32_t *sequence, const uint64_t *dirty,
                        uint32_t *clash) {
    for (size_t i = 0; i < o->apart.count; i++) {
        uint32_t s = sequence[o->apart.items[i].a];
        if (s == sequence[o->apart.items[i].b] && (!dirty || dirty[s / 64] >> s % 64 & 1)) {
            clash[s]++;
        }
    }
}

void sw_segments_count(const struct sw_objects *o, uint32_t segments, const uint32_t *sequence,
                       struct sw_resident *residents, uint64_t *cost, uint32_t *clash) {
    for (uint32_t s = 0; s < segments; s++) {
        residents[s] = (struct sw_resident){.object = SW_NONE};
        cost[s] = 0;
        clash[s] = 0;
    }
    for (size_t i = 0; i < o->run_count; i++) {
        uint32_t s = sequence[o->runs[i].object];
        visit(&o->runs[i], &residents[s], &cost[s], &clash[s]);
    }
    count_apart(o, sequence, NULL, clash);
}

/* One segment, by the bits of its objects. */
static void recount_one(const struct sw_objects *o, uint32_t s, const uint32_t *sequence,
                        uint64_t *mask, uint64_t *cost, uint32_t *clash) {
    struct sw_resident resident = {.object = SW_NONE};
    for (size_t w = 0; w < o->words; w++) {
        mask[w] = 0;
    }
    for (uint32_t i = 0; i < o->count; i++) {
        if (sequence[i] == s) {
            const uint64_t *row = o->masks + i * o->words;
            for (size_t w = 0; w < o->words; w++) {
                mask[w] |= row[w];
            }
        }
    }
    *cost = 0;
    *clash = 0;
    for (size_t w = 0; w < o->words; w++) {
        for (uint64_t bits = mask[w]; bits; bits &= bits - 1) {
            visit(&o->runs[w * 64 + (size_t)__builtin_ctzll(bits)], &resident, cost, clash);
        }
    }
}

void sw_segments_recount(const struct sw_objects *o, uint32_t segments, const uint32_t *sequence,
                         const uint64_t *dirty, struct sw_resident *residents, uint64_t *mask,
                         uint64_t *cost, uint32_t *clash) {
    uint32_t changed = 0;
    for (uint32_t w = 0; w < (segments + 63) / 64; w++) {
        changed += (uint32_t)__builtin_popcountll(dirty[w]);
    }
    if (!o->masks || changed > segments / 2) {
        sw_segments_count(o, segments, sequence, residents, cost, clash);
        return;
    }
    for (uint32_t w = 0; w < (segments + 63) / 64; w++) {
        for (uint64_t bits = dirty[w]; bits; bits &= bits - 1) {
            uint32_t s = w * 64 + (uint32_t)__builtin_ctzll(bits);
            recount_one(o, s, sequence, mask, &cost[s], &clash[s]);
        }
    }
    count_apart(o, sequence, dirty, clash);
}

bool sw_segments_clash(const struct sw_objects *o, uint32_t segments, const uint32_t *sequence,
                       struct sw_resident *residents, uint32_t *a, uint32_t *b, uint32_t *step) {
    for (uint32_t s = 0; s < segments; s++) {
        residents[s] = (struct sw_resident){.object = SW_NONE};
    }
    for (size_t i = 0; i < o->run_count; i++) {
        const struct sw_access_run *run = &o->runs[i];
        struct sw_resident *at = &residents[sequence[run->object]];
        if (at->object != SW_NONE && at->object != run->object && run->first <= at->end) {
            *a = at->object;
            *b = run->object;
            *step = run->first;
            return true;
        }
        if (at->object == SW_NONE || run->last >= at->end) {
            *at = (struct sw_resident){run->object, run->last, 0};
        }
    }
    for (size_t i = 0; i < o->apart.count; i++) {
        *a = o->apart.items[i].a;
        *b = o->apart.items[i].b;
        *step = SW_NONE;
        if (sequence[*a] == sequence[*b]) {
            return true;
        }
    }
    return false;
}

/* ---- rule 6: drawing ---- */

/* Segments where the object would clash with one that is there: owners, and those drawn before it.
 * In ascending order; returns how many. */
static uint32_t find_taken(const struct sw_objects *o, const struct sw_partition *p,
                           uint32_t object, const uint32_t *sequence, uint32_t *taken) {
    uint32_t count = 0;
    for (size_t i = o->clash_begin[object]; i < o->clash_begin[object + 1]; i++) {
        uint32_t other = o->clashes[i];
        uint32_t s = other < object ? sequence[other] : p->fixed[other], at = count;
        if (s == SW_NONE || s >= p->fitting[object]) {
            continue;
        }
        while (at > 0 && taken[at - 1] >= s) {
            at--;
        }
        if (at < count && taken[at] == s) {
            continue;
        }
        for (uint32_t k = count; k > at; k--) {
            taken[k] = taken[k - 1];
        }
        taken[at] = s;
        count++;
    }
    return count;
}

/* Any segment below `fitting` but for those taken, all equally likely. */
static bool draw_plain(const struct sw_partition *p, uint32_t object, const uint32_t *taken,
                       uint32_t count, uint64_t *random, uint32_t *segment) {
    if (p->fitting[object] <= count) {
        return false;
    }
    *segment = (uint32_t)sw_random_below(random, p->fitting[object] - count);
    for (uint32_t i = 0; i < count && taken[i] <= *segment; i++) {
        (*segment)++;
    }
    return true;
}

/* The same where alignment and forbidden ranges have a say. */
static bool draw_fitting(const struct sw_objects *o, const struct sw_partition *p, uint32_t object,
                         const uint32_t *taken, uint32_t count, uint64_t *random,
                         uint32_t *segment) {
    uint64_t choices = 0, wanted = 0;
    for (int round = 0; round < 2; round++) {
        uint32_t next = 0;
        for (uint32_t s = 0; s < p->count; s++) {
            if (next < count && taken[next] == s) {
                next++;
            } else if (sw_partition_fits(p, o, object, s)) {
                *segment = s;
                if (round == 0) {
                    choices++;
                } else if (wanted-- == 0) {
                    return true;
                }
            }
        }
        if (choices == 0) {
            return false;
        }
        wanted = round == 0 ? sw_random_below(random, choices) : 0;
    }
    return false;
}

bool sw_segments_draw(const struct sw_objects *o, const struct sw_partition *p, uint64_t *random,
                      uint32_t *sequence, uint32_t *taken, uint32_t *homeless) {
    for (uint32_t i = 0; i < o->count; i++) {
        if (p->fixed[i] != SW_NONE) {
            sequence[i] = p->fixed[i];
            continue;
        }
        uint32_t count = o->careful ? find_taken(o, p, i, sequence, taken) : 0;
        bool found = false;
        for (int round = 0; round < 2 && !found; round++, count = 0) { /* then anywhere it fits */
            found = p->plain ? draw_plain(p, i, taken, count, random, &sequence[i])
                             : draw_fitting(o, p, i, taken, count, random, &sequence[i]);
        }
        if (!found) {
            *homeless = i;
            return false;
        }
    }
    return true;
}

/* ---- rule 7: crossover and mutation ---- */

static void mark(uint64_t *dirty, uint32_t segment) {
    dirty[segment / 64] |= UINT64_C(1) << segment % 64;
}

uint32_t sw_segments_cross(const struct sw_partition *p, uint64_t *random, uint32_t s, uint32_t *a,
                           uint32_t *b, uint64_t *dirty_a, uint64_t *dirty_b, uint32_t *list) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < p->free_count; i++) {
        uint32_t object = p->free[i];
        if (a[object] == s || b[object] == s) {
            list[found++] = object;
        }
    }
    uint32_t half = (found + 1) / 2; /* of one object, that one */
    for (uint32_t i = 0; i < half; i++) {
        uint32_t other = i + (uint32_t)sw_random_below(random, found - i);
        uint32_t object = list[other];
        list[other] = list[i];
        list[i] = object;
        uint32_t in_a = a[object], in_b = b[object];
        if (in_a != in_b) {
            a[object] = in_b;
            b[object] = in_a;
            mark(dirty_a, in_a);
            mark(dirty_a, in_b);
            mark(dirty_b, in_a);
            mark(dirty_b, in_b);
        }
    }
    return half;
}

static bool can_swap(const struct sw_objects *o, const struct sw_partition *p,
                     const uint32_t *sequence, uint32_t x, uint32_t y) {
    return sequence[x] != sequence[y] && sw_partition_fits(p, o, x, sequence[y]) &&
           sw_partition_fits(p, o, y, sequence[x]);
}

/* The n-th partner of x; SW_NONE when there are fewer. `count` receives how many there are. */
static uint32_t partner(const struct sw_objects *o, const struct sw_partition *p,
                        const uint32_t *sequence, uint32_t x, uint64_t n, uint32_t *count) {
    *count = 0;
    for (uint32_t i = 0; i < p->free_count; i++) {
        if (can_swap(o, p, sequence, x, p->free[i])) {
            if (*count == n) {
                return p->free[i];
            }
            (*count)++;
        }
    }
    return SW_NONE;
}

bool sw_segments_mutate(const struct sw_objects *o, const struct sw_partition *p, uint64_t *random,
                        uint32_t *sequence, uint64_t *dirty, uint32_t *x, uint32_t *y) {
    uint32_t count = 0;
    uint64_t begin = p->free_count ? sw_random_below(random, p->free_count) : 0;
    for (uint32_t i = 0; i < p->free_count && count == 0; i++) {
        *x = p->free[(begin + i) % p->free_count];
        partner(o, p, sequence, *x, UINT64_MAX, &count);
    }
    if (count == 0) {
        return false;
    }
    *y = partner(o, p, sequence, *x, sw_random_below(random, count), &count);
    mark(dirty, sequence[*x]);
    mark(dirty, sequence[*y]);
    uint32_t segment = sequence[*x];
    sequence[*x] = sequence[*y];
    sequence[*y] = segment;
    return true;
}

uint64_t sw_segments_moved(const struct sw_objects *o, uint32_t segments, const uint32_t *sequence,
                           struct sw_resident *residents) {
    uint64_t bytes = 0;
    for (uint32_t s = 0; s < segments; s++) {
        residents[s] = (struct sw_resident){.object = SW_NONE};
    }
    for (size_t i = 0; i < o->run_count; i++) {
        const struct sw_access_run *run = &o->runs[i];
        struct sw_resident *at = &residents[sequence[run->object]];
        uint64_t size = o->items[run->object].size;
        if (at->object != SW_NONE && at->object != run->object) {
            bytes += at->out + (run->moves & 1 ? size : 0);
        }
        at->object = run->object;
        at->out = run->moves & 2 ? size : 0;
    }
    return bytes;
}
