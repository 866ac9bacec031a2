/* segment-genetic: the layout a sequence stands for.
 *
 * Each object lies at the low end of its segment from the access that brings it in until another
 * object takes its turn. In between, and as long as its value is needed, it is in host memory: in a
 * lower tier, where it has one home for life, or, when the device is the only tier, beside it (see
 * sw_layout_has_host). A transfer stands at every change. */
#include "planners/segments/segment_genetic.h"
#include "base/minmax.h"

/* ---- what cannot move ---- */

bool sw_segments_settle(struct sw_run *run) {
    const uint32_t *order = sw_problem_order(run->problem);
    struct sw_run inner = *run;
    struct sw_decision unseen;
    inner.layout = sw_run_layout(run);
    inner.explain = NULL;
    inner.choice = -1;
    bool ok = inner.layout != NULL;
    for (uint32_t i = 0; ok && i < sw_problem_planned_count(run->problem); i++) {
        ok = sw_segments_movable(run->problem, &run->rules, order[i]) ||
             sw_place_by(&inner, SW_PLACE_LOWEST, order[i], &unseen) == SW_STEP_MORE;
    }
    sw_run_take_back(run, &inner);
    sw_layout_free(ok ? run->layout : inner.layout);
    run->layout = ok ? inner.layout : run->layout;
    return ok;
}

/* ---- turns ---- */

/* An object in its segment, from its arrival until the next one arrives; to: SW_NONE: to the end. */
struct settle_turn {
    uint32_t from, to;
};
struct turns {
    uint32_t *begin; /* per object: its first turn; one more at the end */
    struct settle_turn *items;
    struct sw_arena room;
};

/* Play the sequence once for the numbers of turns and once for the turns themselves. */
static void play_sequence(const struct sw_objects *o, const uint32_t *sequence, uint32_t segments, uint32_t *resident,
                          uint32_t *used, const uint32_t *begin, struct settle_turn *items) {
    sw_fill_none(resident, segments);
    for (uint32_t i = 0; i < o->count; i++) {
        used[i] = 0;
    }
    for (size_t i = 0; i < o->run_count; i++) {
        const struct sw_access_run *run = &o->runs[i];
        uint32_t *holder = &resident[sequence[run->object]];
        if (*holder == run->object) {
            continue;
        }
        if (items && *holder != SW_NONE) {
            items[begin[*holder] + used[*holder] - 1].to = run->first - 1;
        }
        if (items) {
            items[begin[run->object] + used[run->object]] = (struct settle_turn){run->first, SW_NONE};
        }
        used[run->object]++;
        *holder = run->object;
    }
}

static bool make_object_turns(const struct sw_objects *o, const struct sw_partition *p, const uint32_t *sequence,
                              struct turns *t) {
    uint32_t *resident = SW_NEW_IN(&t->room, uint32_t, p->count), *used = SW_NEW_IN(&t->room, uint32_t, o->count);
    t->begin = SW_NEW_IN(&t->room, uint32_t, (size_t)o->count + 1);
    t->items = SW_NEW_IN(&t->room, struct settle_turn, o->run_count);
    bool ok = resident && used && t->begin && t->items;
    if (ok) {
        play_sequence(o, sequence, p->count, resident, used, NULL, NULL);
        for (uint32_t i = 0; i < o->count; i++) {
            t->begin[i + 1] = t->begin[i] + used[i];
        }
        play_sequence(o, sequence, p->count, resident, used, t->begin, t->items);
    }
    return ok;
}

/* ---- spans and transfers ---- */

struct showing {
    struct sw_run *run;
    uint32_t id;
    const struct sw_buffer *buffer;
    uint64_t offset; /* in the device */
    uint32_t host;   /* a tier; SW_NONE: memory beside the only tier */
    uint64_t home;   /* its offset there */
};

uint32_t sw_segments_host(const struct sw_problem *problem, uint32_t buffer) {
    uint64_t tiers = sw_place_tiers(problem, buffer);
    uint32_t host = SW_NONE;
    for (uint32_t t = sw_problem_tier_count(problem); t-- > 1;) {
        bool unbounded = sw_problem_tier(problem, t)->capacity == SW_UNBOUNDED;
        bool better = host == SW_NONE || unbounded || sw_problem_tier(problem, host)->capacity != SW_UNBOUNDED;
        host = tiers >> t & 1 && better ? t : host;
    }
    return host;
}

/* The lowest place in the host that is free for the whole life, above its capacity if need be. */
static bool find_home(struct showing *s) {
    struct sw_run *run = s->run;
    uint64_t top = sw_problem_tier(run->problem, s->host)->capacity;
    for (int round = 0; round < 2; round++, top = SW_UNBOUNDED) {
        if (!sw_place_gaps(run, s->id, s->host, top)) {
            return false;
        }
        for (size_t i = 0; i < run->gaps.gaps.count; i++) {
            const struct sw_gap *gap = &run->gaps.gaps.items[i];
            if (sw_gap_fits(gap, s->buffer->size)) {
                s->home = gap->start;
                return true;
            }
        }
    }
    return true;
}

static bool add_span(const struct showing *s, uint32_t tier, uint64_t offset, uint32_t from, uint32_t to) {
    return sw_layout_place_span(s->run->layout, &(struct sw_placement){
                                                    .buffer = s->id,
                                                    .tier = tier,
                                                    .offset = offset,
                                                    .span = {from, to},
                                                });
}

static bool add_transfer(const struct showing *s, uint32_t step, uint32_t from, uint32_t to) {
    return sw_layout_transfer(s->run->layout, &(struct sw_transfer){s->id, step, from, to});
}

/* In host memory over [from, to]; it comes from the device unless born there, and goes back unless
 * this is the end. */
static bool stay_away(const struct showing *s, uint32_t from, uint32_t to) {
    return (from == s->buffer->first || add_transfer(s, from, 0, s->host)) &&
           (s->host == SW_NONE || add_span(s, s->host, s->home, from, to)) &&
           (to == s->buffer->last || add_transfer(s, to + 1, s->host, 0));
}

static bool show_buffer(struct showing *s, const struct settle_turn *turns, uint32_t count) {
    const struct sw_buffer *b = s->buffer;
    uint32_t at = b->first; /* steps below have a place */
    if (count == 1 && turns->from <= b->first && turns->to >= b->last) {
        return sw_layout_place(s->run->layout, s->id, 0, s->offset);
    }
    s->host = sw_segments_host(s->run->problem, s->id);
    if (s->host != SW_NONE && !find_home(s)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = SW_MAX(turns[i].from, b->first);
        uint32_t to = SW_MIN(turns[i].to, b->last);
        if (from > to) {
            continue; /* a member of a merged object, and its life is over */
        }
        if ((from > at && !stay_away(s, at, from - 1)) || !add_span(s, 0, s->offset, from, to)) {
            return false;
        }
        at = to + 1;
    }
    return at > b->last || stay_away(s, at, b->last);
}

static bool show_object(struct sw_run *run, const struct sw_objects *o, uint32_t object,
                        const struct sw_segment *segment, const struct turns *t) {
    const struct sw_object *item = &o->items[object];
    uint64_t offset = segment->lo;
    for (uint32_t m = 0; m < item->members; m++) {
        struct showing s = {.run = run, .id = o->members[item->member + m]};
        s.buffer = sw_problem_buffer(run->problem, s.id);
        s.offset = sw_align_up(offset, s.buffer->alignment);
        offset = s.offset + s.buffer->size;
        uint32_t begin = t->begin[object], count = t->begin[object + 1] - begin;
        run->work += count + 4;
        if (!show_buffer(&s, t->items + begin, count)) {
            return false;
        }
    }
    return true;
}

/* What keeps its place, from one layout to the next. */
static bool keep_settled(struct sw_run *run, const struct sw_layout *before) {
    for (uint32_t b = 0; b < sw_problem_buffer_count(run->problem); b++) {
        struct sw_placement p;
        if (!sw_segments_movable(run->problem, &run->rules, b) && sw_layout_placement(before, b, 0, &p) &&
            !sw_place_at(run, b, p.tier, p.offset)) {
            return false;
        }
    }
    return true;
}

bool sw_segments_show(struct sw_run *run, const struct sw_objects *o, const struct sw_partition *p,
                      const uint32_t *sequence) {
    struct sw_layout *before = run->layout, *fresh = sw_run_layout(run);
    struct turns turns = {0};
    if (!fresh) {
        return false;
    }
    run->layout = fresh;
    bool ok = make_object_turns(o, p, sequence, &turns) && keep_settled(run, before);
    for (uint32_t i = 0; ok && i < o->count; i++) {
        ok = show_object(run, o, i, &p->segments[sequence[i]], &turns);
    }
    sw_arena_done(&turns.room);
    run->layout = ok ? fresh : before;
    sw_layout_free(ok ? before : fresh);
    return ok || sw_fail_memory(run->error);
}
