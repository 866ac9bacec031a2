/* lifetime-best-fit, rule a: blocks that died are released, and coalesce. */
#include "planners/greedy/lifetime_internal.h"

#include "problem/hot.h"
#include "base/sort.h"

#include <stdlib.h>

struct by_offset {
    uint64_t offset;
    uint32_t tier, buffer;
};

SW_BY_FIELDS(compare_offsets, struct by_offset, SW_UP(tier), SW_UP(offset), SW_UP(buffer))

bool sw_lifetime_gather(struct sw_lifetime_fit *fit, const struct sw_run *run) {
    SW_ARRAY(struct by_offset) list = {0};
    bool ok = true;
    for (; ok && fit->dead < fit->deaths->count; fit->dead++) {
        uint32_t b = fit->deaths->buffers[fit->dead];
        const struct sw_buffer *buffer = sw_problem_buffer(fit->problem, b);
        struct sw_placement p;
        if (buffer->last >= fit->time) {
            break;
        }
        if (buffer->size > 0 && sw_layout_placement(run->layout, b, 0, &p)) {
            ok = SW_PUSH(&list, (struct by_offset){p.offset, p.tier, b});
        }
    }
    sw_sort(list.items, list.count, sizeof *list.items, compare_offsets);
    fit->next = fit->pending.count = 0;
    ok = ok && SW_RESERVE(&fit->pending, list.count);
    for (size_t i = 0; ok && i < list.count; i++) {
        fit->pending.items[fit->pending.count++] = list.items[i].buffer;
    }
    SW_ARRAY_DONE(&list);
    return ok;
}

/* What lies around a released block [lo, hi). */
struct around {
    uint64_t lo, hi;
    bool covers_below, covers_low, covers_high, covers_above; /* the bytes lo-1, lo, hi-1, hi */
    uint64_t end_below;                                       /* the highest end at or below lo */
    uint64_t start_after;                                     /* the lowest start at or above lo */
    uint64_t end_before;                                      /* the highest end at or below hi */
    uint64_t start_above;                                     /* the lowest start at or above hi */
    uint64_t live;                                            /* placed bytes alive, in all tiers */
};

static void see_space(struct around *a, uint64_t lo, uint64_t hi) {
    if (lo >= hi) {
        return;
    }
    a->covers_below |= a->lo > 0 && lo <= a->lo - 1 && a->lo - 1 < hi;
    a->covers_low |= lo <= a->lo && a->lo < hi;
    a->covers_high |= lo <= a->hi - 1 && a->hi - 1 < hi;
    a->covers_above |= lo <= a->hi && a->hi < hi;
    a->end_below = hi <= a->lo && hi > a->end_below ? hi : a->end_below;
    a->start_after = lo >= a->lo && lo < a->start_after ? lo : a->start_after;
    a->end_before = hi <= a->hi && hi > a->end_before ? hi : a->end_before;
    a->start_above = lo >= a->hi && lo < a->start_above ? lo : a->start_above;
}

/* Look at everything that is not free at the present time: what is alive, what is still to be
 * released (from pending item `from` on), and reserved ranges. */
static struct around look_around_block(struct sw_lifetime_fit *fit, struct sw_run *run, const struct sw_placement *at,
                                       uint64_t size, size_t from) {
    uint64_t arena = sw_layout_arena(run->layout, at->tier);
    struct around a = {.lo = at->offset, .hi = at->offset + size, .start_after = arena, .start_above = arena};
    struct sw_neighbors alive = sw_problem_alive(fit->problem, fit->time, fit->time);
    for (uint32_t b; (b = sw_neighbors_next(&alive)) != SW_NONE; run->work++) {
        const struct sw_buffer *buffer = sw_problem_buffer(fit->problem, b);
        struct sw_placement p;
        if (!sw_layout_placement(run->layout, b, 0, &p)) {
            continue;
        }
        a.live += sw_buffer_live_bytes(buffer, fit->time);
        for (uint32_t i = 0; p.tier == at->tier && i < buffer->piece_count; i++) {
            const struct sw_piece *piece = &buffer->pieces[i];
            if (piece->first <= fit->time && fit->time <= piece->last) {
                see_space(&a, p.offset + piece->lo, p.offset + piece->hi);
            }
        }
    }
    for (size_t i = from; i < fit->pending.count; i++) {
        uint32_t b = fit->pending.items[i];
        struct sw_placement p;
        if (sw_layout_placement(run->layout, b, 0, &p) && p.tier == at->tier) {
            see_space(&a, p.offset, p.offset + sw_problem_buffer(fit->problem, b)->size);
        }
    }
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(fit->problem, &count);
    for (size_t i = 0; i < count; i++) {
        if (reserved[i].tier == at->tier) {
            see_space(&a, reserved[i].lo, reserved[i].hi);
        }
    }
    return a;
}

bool sw_lifetime_shelf(const struct sw_lifetime_fit *fit, struct sw_run *run, size_t from) {
    struct sw_shelf *shelf = run->shelf;
    /* Two states that released the same number of buffers have the same blocks on the shelf, because the
     * order of releases is fixed. */
    uint64_t released = fit->told - (fit->next - from);
    struct sw_shelf_view view = {.by_size = true,
                                 .releases = true,
                                 .step = fit->time,
                                 .rank = fit->at,
                                 .waiting_count = fit->pending.count - from};
    if (view.waiting_count > 0) {
        view.waiting = fit->pending.items + from;
    }
    if (!shelf || fit->layout || run->explain || !sw_shelf_serves(run->layout, &run->rules)) {
        return false;
    }
    if (sw_shelf_shows(shelf, run->layout, &view) && shelf->released == released) {
        return true;
    }
    bool ok = sw_shelf_fill(shelf, run->layout, &view);
    shelf->released = released;
    return ok;
}

/* What lies around a block that was taken off the shelf: its neighbors there, the bottom, or the
 * arena's end. */
static struct around around_gap(const struct sw_lifetime_fit *fit, struct sw_run *run, const struct sw_placement *at,
                                uint64_t size) {
    const struct sw_shelf *shelf = run->shelf;
    const struct sw_shelf_block *below = &shelf->blocks.items[shelf->freed_below];
    uint64_t arena = sw_layout_arena(run->layout, at->tier);
    uint64_t above = shelf->freed_below == shelf->top ? arena : shelf->blocks.items[below->above].lo;
    uint64_t lo = at->offset, hi = lo + size;
    run->work += sw_problem_alive_count(fit->problem, fit->time, fit->time); /* as look_around_block does */
    return (struct around){.lo = lo,
                           .hi = hi,
                           .covers_below = lo > 0 && below->hi == lo,
                           .covers_above = above == hi && shelf->freed_below != shelf->top,
                           .end_below = below->hi,
                           .start_after = above,
                           .end_before = below->hi,
                           .start_above = above,
                           .live = shelf->bytes - shelf->doomed};
}

/* Take the block just released off the shelf. False: there is no shelf. */
static bool take_off_shelf(struct sw_lifetime_fit *fit, struct sw_run *run, uint32_t b) {
    struct sw_shelf *shelf = run->shelf;
    if (!sw_lifetime_shelf(fit, run, fit->next - 1)) {
        return false;
    }
    for (size_t i = 0; fit->next == 1 && i < fit->pending.count; i++) { /* the first of them: all have just died */
        const struct sw_buffer *dead = sw_problem_buffer(fit->problem, fit->pending.items[i]);
        shelf->doomed = i > 0 ? shelf->doomed + dead->size : dead->size;
    }
    if (!sw_shelf_take(shelf, run->layout, b)) {
        return false;
    }
    shelf->doomed -= sw_problem_buffer(fit->problem, b)->size;
    shelf->released = fit->told;
    return true;
}

static bool touches_below(const struct around *a) {
    return a->lo > 0 && !a->covers_below && !a->covers_low;
}

static bool touches_above(const struct around *a, uint64_t arena) {
    return a->hi < arena && !a->covers_above && !a->covers_high;
}

static void tell_release(const struct sw_lifetime_fit *fit, struct sw_run *run, enum sw_decision_kind kind,
                         uint32_t buffer, const struct around *a, struct sw_decision *decision) {
    struct sw_placement p = {0};
    sw_layout_placement(run->layout, buffer, 0, &p);
    sw_decision_clear(decision);
    sw_decision_become(decision, kind);
    decision->buffer = buffer;
    decision->tier = p.tier;
    decision->time = fit->time;
    decision->offset = a->lo;
    decision->size = a->hi - a->lo;
    decision->live = a->live;
    decision->reason = "its last use is over";
}

void sw_lifetime_release(struct sw_lifetime_fit *fit, struct sw_run *run, struct sw_decision *decision) {
    uint32_t b = fit->pending.items[fit->next++];
    fit->told++;
    struct sw_placement p = {0};
    sw_layout_placement(run->layout, b, 0, &p);
    uint64_t size = sw_problem_buffer(fit->problem, b)->size;
    struct around a =
        take_off_shelf(fit, run, b) ? around_gap(fit, run, &p, size) : look_around_block(fit, run, &p, size, fit->next);
    tell_release(fit, run, SW_DECISION_RELEASE, b, &a, decision);
    if (touches_below(&a) || touches_above(&a, sw_layout_arena(run->layout, p.tier))) {
        fit->coalesce = b;
    }
}

void sw_lifetime_coalesce(struct sw_lifetime_fit *fit, struct sw_run *run, struct sw_decision *decision) {
    uint32_t b = fit->coalesce;
    fit->coalesce = SW_NONE;
    struct sw_placement p = {0};
    sw_layout_placement(run->layout, b, 0, &p);
    uint64_t size = sw_problem_buffer(fit->problem, b)->size;
    struct around a = sw_lifetime_shelf(fit, run, fit->next) && run->shelf->freed == b
                          ? around_gap(fit, run, &p, size)
                          : look_around_block(fit, run, &p, size, fit->next);
    bool below = touches_below(&a), above = touches_above(&a, sw_layout_arena(run->layout, p.tier));
    tell_release(fit, run, SW_DECISION_COALESCE, b, &a, decision);
    decision->offset = below ? a.end_below : a.end_before;
    decision->size = (below ? a.start_after : a.start_above) - decision->offset;
    decision->coalesce.before = a.hi - a.lo;
    decision->coalesce.below = below ? a.lo - decision->offset : 0;
    decision->coalesce.above = above ? decision->offset + decision->size - a.hi : 0;
    decision->reason = below && above ? "it touches free space below and above"
                       : below        ? "it touches free space below"
                                      : "it touches free space above";
}
