/* branch-and-bound, rounds about a pivot: the section at which a node asks which item lies lowest, and
 * the items that may be next. A search spends most of its time here. See branch_and_bound_pivot.c.
 *
 * The conflicts of each item, and the items that could lie below a candidate, are rows of bits, so that
 * 64 items are passed over at once. Candidates are taken in descending order of the highest place they
 * could have. So an item that could not lie below one of them could not lie below the next, and every
 * item is looked at once in a node. */
#include "planners/exact/branch_and_bound.h"

#include <string.h>

uint32_t bb_find_pivot(const struct bb *s) {
    const struct bb_pivot *v = &s->pivot;
    uint32_t best = SW_NONE, fewest = BB_NOT_READY;
    for (uint32_t k = 0; k < bb_part(s)->sections; k++) {
        if (v->ready[k] < fewest || (v->ready[k] == fewest && best != SW_NONE && s->rest[k] > s->rest[best])) {
            fewest = v->ready[k];
            best = k;
        }
    }
    return best;
}

/* An item of `lower` need not be looked at again. */
static void forget_lower(struct bb_pivot *v, uint32_t i) {
    uint64_t bit = UINT64_C(1) << i % 64;
    v->lower_count -= (v->lower[i / 64] & bit) != 0;
    v->lower[i / 64] &= ~bit;
}

/* The set grows by one item. */
static void add_to_set(struct bb_pivot *v, uint32_t i, uint64_t top) {
    v->tops[v->set_count] = top;
    v->set[v->set_count++] = i;
    v->chosen[i] = true;
    forget_lower(v, i);
}

/* Items that wait to become members of the set: a heap, in `keys`. On top is the item that may lie
 * highest. */
static void wait_for_set(struct bb_pivot *v, uint32_t i, uint64_t top) {
    uint32_t at = v->waiting++;
    for (uint32_t up = 0; at > 0 && v->keys[up = (at - 1) / 2].key < (int64_t)top; at = up) {
        v->keys[at] = v->keys[up];
    }
    v->keys[at] = (struct bb_key){(int64_t)top, i};
    v->chosen[i] = true;
}

static struct bb_key stop_waiting(struct bb_pivot *v) {
    struct bb_key first = v->keys[0], last = v->keys[--v->waiting];
    uint32_t at = 0;
    for (uint32_t down = 1; down < v->waiting; down = 2 * at + 1) {
        down += down + 1 < v->waiting && v->keys[down + 1].key > v->keys[down].key;
        if (v->keys[down].key <= last.key) {
            break;
        }
        v->keys[at] = v->keys[down];
        at = down;
    }
    v->keys[at] = last;
    return first;
}

/* Item i conflicts with a candidate that has to start at or below `top`. If it could lie below, it
 * is a candidate too. If not, it could not lie below those that follow, either, as their tops are no
 * higher: it need not be looked at again. */
static void look_below(struct bb *s, uint32_t i, uint64_t top) {
    struct bb_pivot *v = &s->pivot;
    uint64_t size = bb_item_at(s, i)->size;
    forget_lower(v, i);
    if (!v->chosen[i] && s->low[i] <= top && size <= top - s->low[i]) {
        wait_for_set(v, i, top - size);
    }
}

/* All that could lie below candidate number q of the set. Returns the work. */
static uint64_t find_below(struct bb *s, uint32_t q) {
    const struct bb_model *m = s->model;
    const struct bb_part *part = bb_part(s);
    struct bb_pivot *v = &s->pivot;
    uint32_t item = v->set[q], id = part->first + item;
    uint64_t top = v->tops[q];
    if (part->words > 0) {
        const uint64_t *row = m->rows + part->row + (size_t)part->words * item;
        for (uint32_t w = 0; w < part->words; w++) {
            for (uint64_t bits = row[w] & v->lower[w]; bits != 0; bits &= bits - 1) {
                look_below(s, w * 64 + (uint32_t)__builtin_ctzll(bits), top);
            }
        }
        return part->words / 4;
    }
    for (uint32_t k = m->adjacent_start[id]; k < m->adjacent_start[id + 1]; k++) {
        uint32_t i = m->adjacent[k] - part->first;
        if (v->lower[i / 64] >> i % 64 & 1) {
            look_below(s, i, top);
        }
    }
    return (m->adjacent_start[id + 1] - m->adjacent_start[id]) / 2;
}

/* The candidates: the items that could lie lowest at the pivot, and those that could lie below one of
 * them. They are taken in descending order of the highest place they could have, so that each is
 * reached first from the candidate below which it may lie highest. */
void bb_find_candidates(struct bb *s, struct sw_run *run) {
    const struct bb_model *m = s->model;
    const struct bb_part *part = bb_part(s);
    struct bb_pivot *v = &s->pivot;
    uint32_t at = part->section + v->section;
    uint64_t top = bb_highest(s, v->section);
    v->set_count = 0;
    memcpy(v->lower, v->open, bb_words(part->count) * sizeof *v->lower);
    v->lower_count = part->count - s->depth;
    for (uint32_t k = m->members_start[at]; k < m->members_start[at + 1]; k++) {
        uint32_t i = m->members[k];
        if (!s->placed[i] && s->low[i] <= top) {
            add_to_set(v, i, top);
        }
    }
    uint64_t work = m->members_start[at + 1] - m->members_start[at];
    v->waiting = 0;
    for (uint32_t q = 0; q < v->set_count || v->waiting > 0; q++) {
        if (q == v->set_count) {
            struct bb_key next = stop_waiting(v);
            add_to_set(v, next.item, (uint64_t)next.key);
        }
        uint32_t twin = m->items[part->first + v->set[q]].twin;
        uint32_t before = v->lower_count;
        work += before > 0 ? find_below(s, q) + 1 : 1;
        work += before - v->lower_count;
        if (twin != SW_NONE && !s->placed[twin - part->first] && !v->chosen[twin - part->first]) {
            add_to_set(v, twin - part->first, v->tops[q]);
        }
    }
    run->work += work / 2;
    for (uint32_t q = 0; q < v->set_count; q++) {
        v->chosen[v->set[q]] = false;
    }
}
