/* segment-genetic, rules 6 to 8: drawing, changing and measuring sequences.
 *
 * Measuring is what the method does all the time. The access runs of all objects lie in one array
 * in the order of time; one pass over it, with one resident per segment, counts everything. When
 * only some segments changed, only their runs are looked at: the runs of every object are a row of
 * bits, so the union of the rows of a segment's objects is the list of its runs, sorted.
 *
 * Changing keeps sequences valid. In a crossover every parent takes assignments that another one has.
 * In a mutation objects of different segments go round in a ring; an object joins the ring only when
 * it closes it. */
#include "planners/segments/segment_genetic.h"
#include "base/base.h"

/* ---- rule 8: migration ---- */

static inline void visit_run(const struct sw_access_run *run, struct sw_resident *at, uint64_t *cost, uint32_t *clash) {
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

static void count_apart(const struct sw_objects *o, const uint32_t *sequence, const uint64_t *dirty, uint32_t *clash) {
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
        visit_run(&o->runs[i], &residents[s], &cost[s], &clash[s]);
    }
    count_apart(o, sequence, NULL, clash);
}

/* One segment, by the bits of its objects. */
static void recount_one(const struct sw_objects *o, uint32_t s, const uint32_t *sequence, uint64_t *mask,
                        uint64_t *cost, uint32_t *clash) {
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
            visit_run(&o->runs[w * 64 + (size_t)__builtin_ctzll(bits)], &resident, cost, clash);
        }
    }
}

void sw_segments_recount(const struct sw_objects *o, uint32_t segments, const uint32_t *sequence, const uint64_t *dirty,
                         struct sw_resident *residents, uint64_t *mask, uint64_t *cost, uint32_t *clash) {
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
static uint32_t find_taken(const struct sw_objects *o, const struct sw_partition *p, uint32_t object,
                           const uint32_t *sequence, uint32_t *taken) {
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
static bool draw_plain(const struct sw_partition *p, uint32_t object, const uint32_t *taken, uint32_t count,
                       uint64_t *random, uint32_t *segment) {
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
                         const uint32_t *taken, uint32_t count, uint64_t *random, uint32_t *segment) {
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

bool sw_segments_draw(const struct sw_objects *o, const struct sw_partition *p, uint64_t *random, uint32_t *sequence,
                      uint32_t *taken, uint32_t *homeless) {
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

static void mark_dirty(uint64_t *dirty, uint32_t segment) {
    dirty[segment / 64] |= UINT64_C(1) << segment % 64;
}

uint32_t sw_segments_pass_round(const struct sw_parents *parents, uint32_t *objects, uint32_t count) {
    uint32_t changed = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t object = objects[k], first = parents->sequences[0][object];
        bool differs = false;
        for (uint32_t i = 0; i < parents->count; i++) {
            uint32_t *mine = &parents->sequences[i][object], old = *mine;
            *mine = i + 1 < parents->count ? parents->sequences[i + 1][object] : first;
            if (*mine != old) {
                mark_dirty(parents->dirty[i], old);
                mark_dirty(parents->dirty[i], *mine);
                differs = true;
            }
        }
        objects[changed] = object;
        changed += differs;
    }
    return changed;
}

void sw_segments_rotate(uint32_t *sequence, uint64_t *dirty, const uint32_t *ring, uint32_t count) {
    uint32_t first = sequence[ring[0]];
    for (uint32_t i = 0; i < count; i++) {
        mark_dirty(dirty, sequence[ring[i]]);
        sequence[ring[i]] = i + 1 < count ? sequence[ring[i + 1]] : first;
    }
}

void sw_segments_lot(uint64_t *random, uint32_t *list, uint32_t count, uint32_t some) {
    for (uint32_t i = 0; i < some; i++) {
        uint32_t other = i + (uint32_t)sw_random_below(random, count - i), number = list[other];
        list[other] = list[i];
        list[i] = number;
    }
}

uint32_t sw_segments_cross(const struct sw_partition *p, uint64_t *random, uint32_t s, const struct sw_parents *parents,
                           uint32_t *list) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < p->free_count; i++) {
        uint32_t object = p->free[i];
        bool there = false;
        for (uint32_t k = 0; k < parents->count && !there; k++) {
            there = parents->sequences[k][object] == s;
        }
        if (there) {
            list[found++] = object;
        }
    }
    uint32_t half = (found + 1) / 2; /* of one object, that one */
    sw_segments_lot(random, list, found, half);
    return sw_segments_pass_round(parents, list, half);
}

/* Could y come after x in a ring that goes on with z: x goes where y is, and y where z is? No object
 * before has that segment. */
static bool can_follow(const struct sw_objects *o, const struct sw_partition *p, const uint32_t *sequence,
                       const uint32_t *ring, uint32_t count, uint32_t y) {
    for (uint32_t i = 0; i < count; i++) {
        if (sequence[ring[i]] == sequence[y]) {
            return false;
        }
    }
    return sw_partition_fits(p, o, ring[count - 1], sequence[y]) && sw_partition_fits(p, o, y, sequence[ring[0]]);
}

/* The n-th object that can close the ring; SW_NONE when there are fewer. `found` receives how many
 * there are. */
static uint32_t follower(const struct sw_objects *o, const struct sw_partition *p, const uint32_t *sequence,
                         const uint32_t *ring, uint32_t count, uint64_t n, uint32_t *found) {
    *found = 0;
    for (uint32_t i = 0; i < p->free_count; i++) {
        if (can_follow(o, p, sequence, ring, count, p->free[i])) {
            if (*found == n) {
                return p->free[i];
            }
            (*found)++;
        }
    }
    return SW_NONE;
}

uint32_t sw_segments_mutate(const struct sw_objects *o, const struct sw_partition *p, uint64_t *random,
                            uint32_t *sequence, uint64_t *dirty, uint32_t most, uint32_t *ring) {
    uint32_t found = 0, count = 1;
    uint32_t want = most > 2 ? 2 + (uint32_t)sw_random_below(random, most - 1) : 2;
    uint64_t begin = p->free_count ? sw_random_below(random, p->free_count) : 0;
    for (uint32_t i = 0; i < p->free_count && found == 0; i++) {
        ring[0] = p->free[(begin + i) % p->free_count];
        follower(o, p, sequence, ring, 1, UINT64_MAX, &found);
    }
    while (found > 0 && count < want) {
        ring[count] = follower(o, p, sequence, ring, count, sw_random_below(random, found), &found);
        if (++count < want) {
            follower(o, p, sequence, ring, count, UINT64_MAX, &found);
        }
    }
    if (count == 1) {
        return 0;
    }
    sw_segments_rotate(sequence, dirty, ring, count);
    return count;
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
