/* segment-genetic, rules 4 and 5: choosing the objects that define the segments, and where these
 * lie. */
#include "planners/segments/segment_genetic.h"
#include "base/base.h"

/* ---- what is taken already ---- */

struct step_range {
    uint64_t lo, hi;
};
typedef SW_ARRAY(struct step_range) step_ranges; /* by lo */

static bool take_range(step_ranges *taken, uint64_t lo, uint64_t hi) {
    if (!SW_PUSH(taken, (struct step_range){lo, hi})) {
        return false;
    }
    size_t at = taken->count - 1;
    for (; at > 0 && taken->items[at - 1].lo > lo; at--) {
        taken->items[at] = taken->items[at - 1];
    }
    taken->items[at] = (struct step_range){lo, hi};
    return true;
}

/* Take reserved ranges, ranges that are forbidden to all buffers, and the blocks that keep their place. */
static bool take_all(const struct sw_run *run, step_ranges *taken) {
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(run->problem, &count);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++) {
        ok = reserved[i].tier != 0 || take_range(taken, reserved[i].lo, reserved[i].hi);
    }
    for (size_t i = 0; ok && i < run->rules.forbids.count; i++) {
        const struct sw_forbid *f = &run->rules.forbids.items[i];
        ok = f->tier != 0 || f->buffer != SW_NONE || take_range(taken, f->lo, f->hi);
    }
    for (uint32_t b = 0; ok && b < sw_problem_buffer_count(run->problem); b++) {
        struct sw_placement p;
        uint64_t size = sw_problem_buffer(run->problem, b)->size;
        for (uint32_t k = 0; ok && size && sw_layout_placement(run->layout, b, k, &p); k++) {
            ok = p.tier != 0 || sw_segments_movable(run->problem, &run->rules, b) ||
                 take_range(taken, p.offset, p.offset + size);
        }
    }
    return ok;
}

/* The end of a range forbidden to a member of the object that [lo, lo + room) touches; 0: none. */
static uint64_t forbidden_end(const struct sw_objects *o, uint32_t object, uint64_t lo, uint64_t room) {
    for (size_t i = 0; i < o->forbids.count; i++) {
        const struct sw_object_forbid *f = &o->forbids.items[i];
        if (f->object == object && f->lo < lo + room && lo < f->hi) {
            return f->hi;
        }
    }
    return 0;
}

/* The lowest place for the object's own segment; false when there is none below the capacity. */
static bool lowest_room(const struct sw_run *run, const struct sw_objects *o, uint32_t object, const step_ranges *taken,
                        uint64_t *lo) {
    const struct sw_object *item = &o->items[object];
    uint64_t capacity = sw_problem_tier(run->problem, 0)->capacity, at = 0;
    for (size_t i = 0;;) {
        at = sw_align_up(at, item->alignment);
        if (item->room > capacity || at > capacity - item->room) {
            return false;
        }
        while (i < taken->count && taken->items[i].hi <= at) {
            i++;
        }
        uint64_t beyond = forbidden_end(o, object, at, item->room);
        if (i < taken->count && taken->items[i].lo < at + item->room) {
            beyond = SW_MAX(taken->items[i].hi, beyond);
        }
        if (beyond == 0) {
            *lo = at;
            return true;
        }
        at = beyond;
    }
}

/* ---- partitions ---- */

static struct sw_partition *partition_new(uint32_t segments, const struct sw_objects *o) {
    struct sw_partition *p = SW_NEW_ZERO(struct sw_partition, 1);
    if (!p) {
        return NULL;
    }
    p->owners = 1;
    p->count = segments;
    p->segments = SW_NEW_IN(&p->room, struct sw_segment, segments);
    p->fixed = SW_NEW_IN(&p->room, uint32_t, o->count);
    p->fitting = SW_NEW_IN(&p->room, uint32_t, o->count);
    p->free = SW_NEW_IN(&p->room, uint32_t, o->count);
    if (!p->segments || !p->fixed || !p->fitting || !p->free) {
        sw_partition_drop(p);
        return NULL;
    }
    return p;
}

void sw_partition_drop(struct sw_partition *p) {
    if (p && --p->owners == 0) {
        sw_arena_done(&p->room);
        SW_FREE(p, 1);
    }
}

/* Find which objects own a segment, which may be exchanged, and how many segments are large enough for each. */
static void index_partition(struct sw_partition *p, const struct sw_objects *o) {
    p->plain = o->plain;
    p->free_count = 0;
    sw_fill_none(p->fixed, o->count);
    for (uint32_t s = 0; s < p->count; s++) {
        p->fixed[p->segments[s].owner] = s;
    }
    uint32_t large = p->count; /* objects come large to small, and so do segments */
    for (uint32_t i = o->count; i-- > 0;) {
        while (p->plain && large > 0 && p->segments[large - 1].size < o->items[i].size) {
            large--;
        }
        p->fitting[i] = p->plain ? large : p->count;
    }
    for (uint32_t i = 0; i < o->count; i++) {
        if (p->free_owners || p->fixed[i] == SW_NONE) {
            p->free[p->free_count++] = i;
        }
    }
}

/* An object at one of its steps. */
struct object_at_step {
    uint32_t step, object;
};

static int compare_at_step(const void *a, const void *b) {
    const struct object_at_step *x = a, *y = b;
    return x->step != y->step ? (x->step < y->step ? -1 : 1) : (x->object > y->object) - (x->object < y->object);
}

/* Objects that operators need at once: of all that are the n-th largest of a step, the largest, for each n. Each of
 * them is another object, as the n-th largest of a step comes after one that is larger. Returns how many; SW_NONE: no
 * memory. `needed` has room for all objects. O(runs log runs). */
static uint32_t find_needed(const struct sw_objects *o, uint32_t *needed) {
    struct object_at_step *all = SW_NEW(struct object_at_step, 2 * o->run_count);
    uint32_t most = 0;
    if (!all) {
        return SW_NONE;
    }
    for (size_t i = 0; i < o->run_count; i++) {
        all[2 * i] = (struct object_at_step){o->runs[i].first, o->runs[i].object};
        all[2 * i + 1] = (struct object_at_step){o->runs[i].last, o->runs[i].object};
    }
    qsort(all, 2 * o->run_count, sizeof *all, compare_at_step);
    uint32_t rank = 0;
    for (size_t i = 0; i < 2 * o->run_count; i++) {
        bool same_step = i > 0 && all[i].step == all[i - 1].step;
        if (same_step && all[i].object == all[i - 1].object) {
            continue;
        }
        rank = same_step ? rank + 1 : 0;
        needed[rank] = rank < most ? SW_MIN(needed[rank], all[i].object) : all[i].object;
        most = SW_MAX(most, rank + 1);
    }
    SW_FREE(all, 2 * o->run_count);
    return most;
}

/* A partition in the making: what is taken of the device, and whether memory was left. */
struct partition_making {
    const struct sw_run *run;
    const struct sw_objects *o;
    struct sw_partition *p;
    step_ranges taken;
    uint32_t refused;
    uint64_t too_large; /* the least room that was refused */
};

/* A segment for the object, when there is room. False: no memory. */
static bool take_segment(struct partition_making *m, uint32_t object) {
    uint64_t lo, room = m->o->items[object].room;
    if (!lowest_room(m->run, m->o, object, &m->taken, &lo)) {
        m->refused = SW_MIN(m->refused, object);
        m->too_large = SW_MIN(m->too_large, room);
        return true;
    }
    m->p->segments[m->p->count++] = (struct sw_segment){lo, room, object};
    return take_range(&m->taken, lo, lo + room);
}

/* The choices ranks and distinct. */
static bool take_in_order(struct partition_making *m, bool distinct) {
    bool ok = true;
    for (uint32_t i = 0; ok && i < m->o->count && m->refused == SW_NONE; i++) {
        if (!distinct || i == 0 || m->o->items[i].size != m->o->items[i - 1].size) {
            ok = take_segment(m, i);
        }
    }
    return ok;
}

static int compare_segment_owners(const void *a, const void *b) {
    const struct sw_segment *x = a, *y = b;
    return (x->owner > y->owner) - (x->owner < y->owner);
}

/* The choice together. Where addresses do not matter, a size that did not fit is asked for once. */
static bool take_together(struct partition_making *m) {
    uint32_t *needed = SW_NEW(uint32_t, m->o->count), count = needed ? find_needed(m->o, needed) : SW_NONE, next = 0;
    uint64_t least = sw_problem_tier(m->run->problem, 0)->capacity / 512;
    bool ok = count != SW_NONE;
    for (uint32_t i = 0; ok && i < count; i++) {
        ok = take_segment(m, needed[i]);
    }
    for (uint32_t i = 0; ok && i < m->o->count && m->o->items[i].size >= least; i++) {
        next += next < count && needed[next] < i;
        if (next < count && needed[next] == i) {
            continue;
        }
        ok = (m->o->plain && m->o->items[i].room >= m->too_large) || take_segment(m, i);
    }
    SW_FREE(needed, m->o->count);
    qsort(m->p->segments, m->p->count, sizeof *m->p->segments, compare_segment_owners);
    return ok;
}

struct sw_partition *sw_partition_largest(const struct sw_run *run, const struct sw_objects *o,
                                          enum sw_segment_choice choice, bool free_owners, uint32_t *refused) {
    struct partition_making m = {
        .run = run, .o = o, .p = partition_new(o->count, o), .refused = SW_NONE, .too_large = UINT64_MAX};
    bool ok = m.p && take_all(run, &m.taken);
    if (ok) {
        m.p->count = 0;
        m.p->free_owners = free_owners;
        ok = choice == SW_CHOOSE_TOGETHER ? take_together(&m) : take_in_order(&m, choice == SW_CHOOSE_DISTINCT);
    }
    SW_ARRAY_DONE(&m.taken);
    *refused = m.refused;
    if (!ok) {
        sw_partition_drop(m.p);
        return NULL;
    }
    index_partition(m.p, o);
    return m.p;
}

struct sw_partition *sw_partition_first(const struct sw_partition *from, const struct sw_objects *o, uint32_t count) {
    struct sw_partition *p = partition_new(count, o);
    if (p) {
        p->free_owners = from->free_owners;
        if (count > 0) {
            memcpy(p->segments, from->segments, count * sizeof *p->segments);
        }
        index_partition(p, o);
    }
    return p;
}

bool sw_partition_fits(const struct sw_partition *p, const struct sw_objects *o, uint32_t object, uint32_t segment) {
    if (segment >= p->fitting[object]) {
        return false;
    }
    if (p->plain) {
        return true;
    }
    const struct sw_segment *s = &p->segments[segment];
    const struct sw_object *item = &o->items[object];
    uint64_t start = sw_align_up(s->lo, item->alignment), skipped = start - s->lo;
    return skipped <= s->size && item->room <= s->size - skipped && !forbidden_end(o, object, start, item->room);
}
