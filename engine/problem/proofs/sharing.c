/* How many bytes the operator of a step can save by writing over what it reads.
 *
 * Every fresh buffer can lie over one old one, every old one under one fresh one, and a pair saves the size of the
 * fresh one. That is a matching in which only one side has weights, and then the sets of fresh buffers that can be
 * matched together form a matroid: taking them by falling size, each one that can be matched beside those before it,
 * saves the most (J. Edmonds and D. R. Fulkerson, Transversals and matroid partition, 1965).
 *
 * One that can be matched is found by searching alternating paths. Two rules keep that near linear. A fresh buffer
 * first looks for an old one that is still free, and goes on where it stopped looking the last time, as an old one that
 * is taken stays taken. And what a search has seen that found nothing is never looked at again: no free old buffer can
 * be reached from there, and later matches do not change that. */
#include "problem/problem_internal.h"

#include "base/sort.h"

struct matching {
    size_t permits, fresh, old; /* how many there are of each */
    uint32_t *adjacent;         /* per permit, those of one fresh buffer behind one another: the old buffer */
    uint32_t *start;            /* per fresh buffer and one more: where its permits begin */
    uint32_t *looked;           /* per fresh buffer: up to here all its old ones are taken */
    uint32_t *over;             /* per fresh buffer: the old one that it lies over; SW_NONE */
    uint32_t *owner;            /* per old buffer: the fresh one over it; SW_NONE */
    uint32_t *from;             /* per old buffer: the fresh one from which the search came; SW_NONE: not seen */
    uint32_t *queue, *seen;     /* of the present search: fresh buffers to go on from, and old ones */
    struct sw_keyed *keyed;     /* scratch, as many as permits */
    struct sw_arena arena;      /* all of these */
};

static bool make_matching(struct matching *m, size_t count) {
    *m = (struct matching){.permits = count};
    m->adjacent = SW_NEW_IN(&m->arena, uint32_t, count);
    m->start = SW_NEW_IN(&m->arena, uint32_t, count + 1);
    m->looked = SW_NEW_IN(&m->arena, uint32_t, count);
    m->over = SW_NEW_IN(&m->arena, uint32_t, count);
    m->owner = SW_NEW_IN(&m->arena, uint32_t, count);
    m->from = SW_NEW_IN(&m->arena, uint32_t, count);
    m->queue = SW_NEW_IN(&m->arena, uint32_t, count);
    m->seen = SW_NEW_IN(&m->arena, uint32_t, count);
    m->keyed = SW_NEW_IN(&m->arena, struct sw_keyed, count);
    if (!m->adjacent || !m->start || !m->looked || !m->over || !m->owner || !m->from || !m->queue || !m->seen ||
        !m->keyed) {
        return false;
    }
    memset(m->over, 0xff, count * sizeof *m->over);
    memset(m->owner, 0xff, count * sizeof *m->owner);
    memset(m->from, 0xff, count * sizeof *m->from);
    return true;
}

/* The permits, numbered anew: old buffers from 0 on, fresh ones by falling size. */
static bool number_matched(struct matching *m, const struct sw_problem *problem, const struct sw_permit *permits) {
    struct sw_keyed *keyed = m->keyed;
    for (uint32_t k = 0; k < m->permits; k++) {
        keyed[k] = (struct sw_keyed){permits[k].old, k};
    }
    if (!sw_sort_keyed(keyed, m->permits)) {
        return false;
    }
    for (size_t i = 0; i < m->permits; i++) {
        m->old += i == 0 || keyed[i].key != keyed[i - 1].key;
        m->seen[keyed[i].index] = (uint32_t)m->old - 1; /* per permit, until it is put in order */
    }
    for (uint32_t k = 0; k < m->permits; k++) {
        keyed[k] = (struct sw_keyed){permits[k].fresh, k};
    }
    bool good = sw_sort_keyed(keyed, m->permits);
    for (size_t i = 0; i < m->permits; i++) { /* in a stable order: those of one buffer stay together */
        keyed[i].key = SW_MAX_BYTES - problem->buffers[permits[keyed[i].index].fresh].size;
    }
    if (!good || !sw_sort_keyed(keyed, m->permits)) {
        return false;
    }
    for (size_t i = 0; i < m->permits; i++) {
        if (i == 0 || permits[keyed[i].index].fresh != permits[keyed[i - 1].index].fresh) {
            m->start[m->fresh++] = (uint32_t)i;
        }
        m->adjacent[i] = m->seen[keyed[i].index];
    }
    m->start[m->fresh] = (uint32_t)m->permits;
    memcpy(m->looked, m->start, m->fresh * sizeof *m->looked);
    return true;
}

/* A free old buffer of this fresh one, or SW_NONE. */
static uint32_t free_old(struct matching *m, uint32_t fresh) {
    while (m->looked[fresh] < m->start[fresh + 1]) {
        uint32_t old = m->adjacent[m->looked[fresh]];
        if (m->owner[old] == SW_NONE) {
            return old;
        }
        m->looked[fresh]++;
    }
    return SW_NONE;
}

/* Each buffer on the way moves on, to the old one that was reached from it. */
static void shift_owners(struct matching *m, uint32_t fresh, uint32_t old) {
    while (true) {
        uint32_t before = m->over[fresh];
        m->owner[old] = fresh;
        m->over[fresh] = old;
        if (before == SW_NONE) {
            return;
        }
        old = before;
        fresh = m->from[old];
    }
}

static bool match_fresh(struct matching *m, uint32_t fresh) {
    size_t head = 0, tail = 0, seen = 0;
    m->queue[tail++] = fresh;
    while (head < tail) {
        uint32_t now = m->queue[head++], old = free_old(m, now);
        if (old != SW_NONE) {
            shift_owners(m, now, old);
            for (size_t i = 0; i < seen; i++) {
                m->from[m->seen[i]] = SW_NONE;
            }
            return true;
        }
        for (uint32_t k = m->start[now]; k < m->start[now + 1]; k++) { /* may the owner move elsewhere? */
            old = m->adjacent[k];
            if (m->from[old] == SW_NONE) {
                m->from[old] = now;
                m->seen[seen++] = old;
                m->queue[tail++] = m->owner[old];
            }
        }
    }
    return false; /* `from` stays as it is */
}

bool sw_permits_save(const struct sw_problem *problem, const struct sw_permit *permits, size_t count, uint64_t *saved) {
    struct matching m;
    *saved = 0;
    bool ok = make_matching(&m, count) && number_matched(&m, problem, permits);
    for (uint32_t fresh = 0; ok && fresh < m.fresh; fresh++) {
        if (match_fresh(&m, fresh)) {
            *saved += problem->buffers[permits[m.keyed[m.start[fresh]].index].fresh].size;
        }
    }
    sw_arena_done(&m.arena);
    return ok;
}
