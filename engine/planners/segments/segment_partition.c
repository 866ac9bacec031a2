/* segment-genetic, rule 5: where the segments lie, and which objects fit them. */
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

static int compare_segment_owners(const void *a, const void *b) {
    const struct sw_segment *x = a, *y = b;
    return (x->owner > y->owner) - (x->owner < y->owner);
}

/* Where addresses do not matter, a size that did not fit is asked for once. */
struct sw_partition *sw_partition_new(const struct sw_run *run, const struct sw_objects *o,
                                      const struct sw_segment_owners *owners, bool free_owners, uint32_t *refused) {
    struct sw_partition *p = partition_new(owners->count, o);
    step_ranges taken = {0};
    uint64_t too_large = UINT64_MAX;
    bool ok = p && take_all(run, &taken);
    *refused = SW_NONE;
    for (uint32_t i = ok ? p->count = 0 : owners->count; ok && i < owners->count; i++) {
        uint32_t object = owners->list[i];
        uint64_t lo, room = o->items[object].room;
        if (o->plain && room >= too_large) {
            continue;
        }
        if (lowest_room(run, o, object, &taken, &lo)) {
            p->segments[p->count++] = (struct sw_segment){lo, room, object};
            ok = take_range(&taken, lo, lo + room);
            continue;
        }
        *refused = SW_MIN(*refused, object);
        too_large = SW_MIN(too_large, room);
        if (owners->until_refused) {
            break;
        }
    }
    SW_ARRAY_DONE(&taken);
    if (!ok) {
        sw_partition_drop(p);
        return NULL;
    }
    qsort(p->segments, p->count, sizeof *p->segments, compare_segment_owners);
    p->free_owners = free_owners;
    index_partition(p, o);
    return p;
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
