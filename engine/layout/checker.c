/* Is a layout valid? Written from the definition alone: pieces, bytes, and what the graph permits.
 * Nothing of what planners use to find room is used here, so an error there shows here; nor what the
 * layout itself says of its overlaps, for nothing in a plan can make an overlap right.
 *
 * On one core a sweep over time keeps the pieces that are alive in a tree over addresses; on
 * several cores conflicts are not a matter of time, and all pairs in conflict are looked at. */
#include "base/sort.h"
#include "base/base.h"
#include "base/lists/spans.h"
#include "layout/layout_internal.h"

enum { MOST_OVERLAPS = 1 << 20 }; /* so many are reported at most */

/* A piece of a buffer at its place. */
struct held_bytes {
    uint64_t lo, hi; /* addresses */
    uint32_t first, last;
    uint32_t buffer, tier;
};
struct pair {
    uint32_t a, b, tier, step; /* a < b */
    uint64_t lo, hi;
};
struct checker {
    const struct sw_layout *layout;
    const struct sw_problem *problem;
    SW_ARRAY(struct held_bytes) held;
    SW_ARRAY(struct sw_fault) faults;
    SW_ARRAY(struct pair) pairs;
    struct sw_transfer *transfers; /* by buffer, then step */
    size_t transfer_count;
    bool host;       /* there is host memory beside the only tier */
    uint32_t *value; /* per buffer: the one that stands for all with the same bytes; NULL: each has its own */
    bool *reach;     /* scratch, on several cores: per operator */
    bool assume;     /* that every operator can write over what it reads (rule R6) */
    SW_ARRAY(struct sw_permit) assumed;
};

static bool add_fault(struct checker *c, enum sw_fault_kind kind, uint32_t buffer, uint32_t tier, uint32_t step,
                      uint64_t lo, uint64_t hi) {
    return SW_PUSH(&c->faults, (struct sw_fault){kind, buffer, SW_NONE, tier, step, lo, hi});
}

/* ---- each buffer by itself ---- */

static bool check_place(struct checker *c, uint32_t i, const struct sw_placement *p) {
    const struct sw_buffer *buffer = sw_problem_buffer(c->problem, i);
    const struct sw_tier *tier = sw_problem_tier(c->problem, p->tier);
    uint64_t lo = p->offset, hi = p->offset + buffer->size;
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(c->problem, &count);
    bool ok = true;
    if (!(buffer->tiers >> p->tier & 1)) {
        ok = add_fault(c, SW_FAULT_TIER, i, p->tier, buffer->first, lo, hi);
    }
    if (ok && buffer->size > 0 && lo % buffer->alignment != 0) {
        ok = add_fault(c, SW_FAULT_ALIGNMENT, i, p->tier, buffer->first, lo, hi);
    }
    if (ok && buffer->size > 0 && hi > tier->capacity) {
        ok = add_fault(c, SW_FAULT_CAPACITY, i, p->tier, buffer->first, lo, hi);
    }
    for (size_t r = 0; ok && r < count; r++) {
        uint64_t from = SW_MAX(lo, reserved[r].lo);
        uint64_t to = SW_MIN(hi, reserved[r].hi);
        if (reserved[r].tier == p->tier && from < to) {
            ok = add_fault(c, SW_FAULT_RESERVED, i, p->tier, buffer->first, from, to);
        }
    }
    if (ok && buffer->pinned && (p->offset != buffer->offset || p->tier != (uint32_t)__builtin_ctzll(buffer->tiers))) {
        ok = add_fault(c, SW_FAULT_PIN, i, p->tier, buffer->first, lo, hi);
    }
    return ok;
}

static bool hold_pieces(struct checker *c, uint32_t i, const struct sw_placement *p) {
    const struct sw_buffer *buffer = sw_problem_buffer(c->problem, i);
    for (uint32_t k = 0; k < buffer->piece_count; k++) {
        const struct sw_piece *piece = &buffer->pieces[k];
        uint32_t first = SW_MAX(piece->first, p->span.from);
        uint32_t last = SW_MIN(piece->last, p->span.to);
        if (first <= last && piece->lo < piece->hi &&
            !SW_PUSH(&c->held,
                     (struct held_bytes){p->offset + piece->lo, p->offset + piece->hi, first, last, i, p->tier})) {
            return false;
        }
    }
    return true;
}

/* ---- transfers ---- */

SW_BY_FIELDS(by_transfer, struct sw_transfer, SW_UP(buffer), SW_UP(step))

static bool sort_transfers(struct checker *c) {
    c->transfer_count = sw_layout_transfer_count(c->layout);
    c->transfers = SW_NEW(struct sw_transfer, c->transfer_count);
    for (size_t i = 0; c->transfers && i < c->transfer_count; i++) {
        c->transfers[i] = sw_layout_transfer_get(c->layout, i);
    }
    sw_sort(c->transfers, c->transfers ? c->transfer_count : 0, sizeof *c->transfers, by_transfer);
    return c->transfers || c->transfer_count == 0;
}

/* The first transfer of a buffer at or after a step. */
static size_t find_transfer(const struct checker *c, uint32_t buffer, uint32_t step) {
    return SW_FIRST(i, c->transfer_count,
                    c->transfers[i].buffer != buffer ? c->transfers[i].buffer > buffer : c->transfers[i].step >= step);
}

static bool has_transfer(const struct checker *c, uint32_t buffer, uint32_t step, uint32_t from, uint32_t to) {
    for (size_t i = find_transfer(c, buffer, step);
         i < c->transfer_count && c->transfers[i].buffer == buffer && c->transfers[i].step == step; i++) {
        if (c->transfers[i].from == from && c->transfers[i].to == to) {
            return true;
        }
    }
    return false;
}

/* Is some piece alive in a step of [from, to] ? */
static bool lives_in(const struct sw_buffer *buffer, uint32_t from, uint32_t to) {
    for (uint32_t k = 0; from <= to && k < buffer->piece_count; k++) {
        if (buffer->pieces[k].first <= to && from <= buffer->pieces[k].last) {
            return true;
        }
    }
    return false;
}

/* The first access in [from, to]; SW_NONE when there is none. */
static uint32_t access_in(const struct sw_buffer *buffer, uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < buffer->access_count; i++) {
        if (from <= buffer->accesses[i] && buffer->accesses[i] <= to) {
            return buffer->accesses[i];
        }
    }
    return SW_NONE;
}

/* No placement over [from, to]; `before` and `after` stand at its ends, NULL where the life does.
 * In host memory that is legal when no operator accesses it and transfers say how it left and came. */
static bool check_absence(struct checker *c, uint32_t i, const struct sw_placement *before,
                          const struct sw_placement *after, uint32_t from, uint32_t to) {
    const struct sw_buffer *buffer = sw_problem_buffer(c->problem, i);
    bool movable = c->host && buffer->tier == SW_NONE && !buffer->pinned;
    bool left = before && has_transfer(c, i, from, before->tier, SW_NONE);
    bool came = after && has_transfer(c, i, to + 1, SW_NONE, after->tier);
    if (!lives_in(buffer, from, to)) {
        return true;
    }
    if (!movable || (!left && !came)) {
        return add_fault(c, SW_FAULT_MISSING, i, after ? after->tier : SW_NONE,
                         from > buffer->first ? from : buffer->first, 0, 0);
    }
    uint32_t needed = access_in(buffer, from, to);
    if (needed != SW_NONE && !add_fault(c, SW_FAULT_AWAY, i, SW_NONE, needed, 0, 0)) {
        return false;
    }
    return ((left || !before) && (came || !after)) ||
           add_fault(c, SW_FAULT_TRANSFER, i, left ? after->tier : before->tier, left ? to + 1 : from,
                     left ? after->offset : SW_UNBOUNDED, SW_UNBOUNDED);
}

/* A transfer to or from host memory is legal when the buffer has a placement on the device's side of it, and
 * none on the host's. */
static bool check_host_transfers(struct checker *c, uint32_t i) {
    struct sw_placement p;
    for (size_t k = find_transfer(c, i, 0); k < c->transfer_count && c->transfers[k].buffer == i; k++) {
        const struct sw_transfer *t = &c->transfers[k];
        if (t->from != SW_NONE && t->to != SW_NONE) {
            continue;
        }
        bool before = t->step > 0 && sw_layout_at(c->layout, i, t->step - 1, &p);
        bool from = t->from == SW_NONE ? !before : before && p.tier == t->from;
        bool after = sw_layout_at(c->layout, i, t->step, &p);
        bool to = t->to == SW_NONE ? !after : after && p.tier == t->to;
        if ((!c->host || !from || !to || t->from == t->to) &&
            !add_fault(c, SW_FAULT_TRANSFER, i, after ? p.tier : SW_NONE, t->step, after ? p.offset : SW_UNBOUNDED,
                       SW_UNBOUNDED)) {
            return false;
        }
    }
    return true;
}

/* Has it been moved from where the last placement was to where this one is? */
static bool arrives(const struct checker *c, const struct sw_placement *before, const struct sw_placement *p) {
    return has_transfer(c, p->buffer, p->span.from, before->tier, p->tier) ||
           (before->span.to + 1 < p->span.from && has_transfer(c, p->buffer, p->span.from, SW_NONE, p->tier));
}

static bool check_buffer(struct checker *c, uint32_t i) {
    const struct sw_buffer *buffer = sw_problem_buffer(c->problem, i);
    struct sw_placement p, previous = {0};
    uint32_t k = 0, covered = 0; /* steps below `covered` have a placement */
    for (; sw_layout_placement(c->layout, i, k, &p); k++) {
        if (p.span.from > covered && !check_absence(c, i, k ? &previous : NULL, &p, covered, p.span.from - 1)) {
            return false;
        }
        if (k > 0 && (p.tier != previous.tier || p.offset != previous.offset) && !arrives(c, &previous, &p) &&
            !add_fault(c, SW_FAULT_TRANSFER, i, p.tier, p.span.from, p.offset, p.offset + buffer->size)) {
            return false;
        }
        if (!check_place(c, i, &p) || !hold_pieces(c, i, &p)) {
            return false;
        }
        previous = p;
        covered = p.span.to == UINT32_MAX ? UINT32_MAX : p.span.to + 1;
    }
    if (!check_host_transfers(c, i)) {
        return false;
    }
    if (k == 0) {
        return add_fault(c, SW_FAULT_MISSING, i, SW_NONE, buffer->first, 0, 0);
    }
    return covered > buffer->last || check_absence(c, i, &previous, NULL, covered, buffer->last);
}

/* ---- permits, derived from the graph ---- */

SW_BY_FIELDS(by_permit, struct sw_permit, SW_UP(fresh), SW_UP(old))

/* Do both start at the same place at the step? */
static bool together(const struct checker *c, uint32_t x, uint32_t y, uint32_t step) {
    struct sw_placement a, b;
    return sw_layout_at(c->layout, x, step, &a) && sw_layout_at(c->layout, y, step, &b) && a.tier == b.tier &&
           a.offset == b.offset;
}

/* Are they the same bytes by the graph's own meaning? */
static bool is_alias(const struct checker *c, uint32_t x, uint32_t y, uint32_t step) {
    return c->value && c->value[x] == c->value[y] && together(c, x, y, step);
}

static bool is_permitted(const struct checker *c, uint32_t fresh, uint32_t old, uint32_t step) {
    struct sw_permit permit = {fresh, old, step};
    return together(c, fresh, old, step) && sw_overwrite_is_permitted(c->problem, &permit, c->reach);
}

static bool is_separate(const struct checker *c, uint32_t x, uint32_t y) {
    size_t count;
    const uint32_t(*list)[2] = sw_problem_separate(c->problem, &count);
    bool found = false;
    for (size_t i = 0; i < count && !found; i++) {
        found = (list[i][0] == x && list[i][1] == y) || (list[i][0] == y && list[i][1] == x);
    }
    return found;
}

/* Would the overlap be legal if the operator could write over what it reads? */
static bool is_assumed(const struct checker *c, struct sw_permit *permit) {
    struct sw_permit other = {permit->old, permit->fresh, permit->step};
    if (sw_overwrite_is_assumed(c->problem, permit, c->reach)) {
        return true;
    }
    *permit = other;
    return sw_overwrite_is_assumed(c->problem, permit, c->reach);
}

/* Two held pieces share bytes and steps. What is kept separate shares none, whatever is permitted. */
static bool meet_pieces(struct checker *c, const struct held_bytes *x, const struct held_bytes *y) {
    uint32_t from = SW_MAX(x->first, y->first);
    uint32_t to = SW_MIN(x->last, y->last);
    bool free_ = !is_separate(c, x->buffer, y->buffer);
    struct sw_permit permit = {x->buffer, y->buffer, from};
    if (free_ &&
        (is_alias(c, x->buffer, y->buffer, from) || (from == to && (is_permitted(c, x->buffer, y->buffer, from) ||
                                                                    is_permitted(c, y->buffer, x->buffer, from))))) {
        return true;
    }
    if (free_ && c->assume && from == to && is_assumed(c, &permit)) {
        return SW_PUSH(&c->assumed, permit);
    }
    struct pair pair = {SW_MIN(x->buffer, y->buffer), SW_MAX(x->buffer, y->buffer), x->tier, from,
                        SW_MAX(x->lo, y->lo),         SW_MIN(x->hi, y->hi)};
    return c->pairs.count >= MOST_OVERLAPS || SW_PUSH(&c->pairs, pair);
}

/* ---- one core: sweep over time ---- */

/* By tier, then by address; those of a buffer stay together, in the order of buffers. */
static bool sort_held(struct checker *c) {
    size_t count = c->held.count;
    struct sw_keyed *order = SW_NEW(struct sw_keyed, count);
    struct held_bytes *sorted = SW_NEW(struct held_bytes, count);
    bool ok = order && sorted && count <= UINT32_MAX;
    for (size_t i = 0; ok && i < count; i++) {
        order[i] = (struct sw_keyed){c->held.items[i].lo, (uint32_t)i};
    }
    ok = ok && sw_sort_keyed(order, count);
    for (size_t i = 0; ok && i < count; i++) {
        order[i].key = c->held.items[order[i].index].tier;
    }
    ok = ok && sw_sort_keyed(order, count);
    for (size_t i = 0; ok && i < count; i++) {
        sorted[i] = c->held.items[order[i].index];
    }
    if (ok) {
        memcpy(c->held.items, sorted, count * sizeof *sorted);
    }
    SW_FREE(order, count);
    SW_FREE(sorted, count);
    return ok;
}

/* Play the births and deaths of held[from .. to), all of one tier, those of a step in that order.
 * The key of an event is step * 2 for a birth, step * 2 + 1 for a death after it. */
static bool play_events(struct checker *c, size_t from, size_t count, struct sw_spans *alive,
                        const struct sw_keyed *events) {
    const struct held_bytes *held = c->held.items + from;
    for (size_t e = 0; e < 2 * count; e++) {
        const struct held_bytes *fresh = &held[events[e].index];
        if (events[e].key % 2) {
            sw_spans_set(alive, events[e].index, 0);
            continue;
        }
        for (size_t i = 0; (i = sw_spans_next(alive, i, count, fresh->lo)) < count; i++) {
            if (held[i].lo >= fresh->hi) {
                break; /* and so do all behind it */
            }
            if (held[i].buffer != fresh->buffer && !meet_pieces(c, fresh, &held[i])) {
                return false;
            }
            if (c->pairs.count >= MOST_OVERLAPS) {
                return true;
            }
        }
        sw_spans_set(alive, events[e].index, fresh->hi);
    }
    return true;
}

static bool sweep_tier(struct checker *c, size_t from, size_t to) {
    size_t count = to - from;
    struct sw_keyed *events = SW_NEW(struct sw_keyed, 2 * count);
    uint64_t *lo = SW_NEW(uint64_t, count);
    struct sw_spans alive = {0};
    bool ok = events && lo;
    for (size_t i = 0; ok && i < count; i++) {
        const struct held_bytes *held = &c->held.items[from + i];
        lo[i] = held->lo;
        events[2 * i] = (struct sw_keyed){(uint64_t)held->first * 2, (uint32_t)i};
        events[2 * i + 1] = (struct sw_keyed){(uint64_t)held->last * 2 + 1, (uint32_t)i};
    }
    ok = ok && sw_sort_keyed(events, 2 * count) && sw_spans_init(&alive, lo, count);
    if (ok) {
        ok = play_events(c, from, count, &alive, events);
        sw_spans_done(&alive);
    }
    SW_FREE(events, 2 * count);
    SW_FREE(lo, count);
    return ok;
}

static bool check_by_time(struct checker *c) {
    size_t from = 0;
    if (c->held.count > 1 && !sort_held(c)) {
        return false;
    }
    for (size_t i = 1; i <= c->held.count; i++) {
        if (i == c->held.count || c->held.items[i].tier != c->held.items[from].tier) {
            if (!sweep_tier(c, from, i)) {
                return false;
            }
            from = i;
        }
    }
    return true;
}

/* ---- pairs in conflict whatever their times: several cores, and buffers kept separate ---- */

static bool check_pair(struct checker *c, uint32_t a, uint32_t b) {
    const struct sw_buffer *x = sw_problem_buffer(c->problem, a);
    const struct sw_buffer *y = sw_problem_buffer(c->problem, b);
    struct sw_placement p, q;
    for (uint32_t i = 0; x->size && y->size && sw_layout_placement(c->layout, a, i, &p); i++) {
        for (uint32_t k = 0; sw_layout_placement(c->layout, b, k, &q); k++) {
            if (p.tier != q.tier || p.offset >= q.offset + y->size || q.offset >= p.offset + x->size) {
                continue;
            }
            struct held_bytes one = {p.offset, p.offset + x->size, x->first, x->last, a, p.tier};
            struct held_bytes other = {q.offset, q.offset + y->size, y->first, y->last, b, q.tier};
            return meet_pieces(c, &one, &other);
        }
    }
    return true;
}

static bool check_by_pairs(struct checker *c) {
    uint32_t count = sw_problem_buffer_count(c->problem);
    if (sw_problem_core_count(c->problem) > 1) {
        for (uint32_t a = 0; a < count; a++) {
            for (uint32_t b = a + 1; b < count; b++) {
                if (sw_problem_conflict(c->problem, a, b) != SW_CONFLICT_NONE && !check_pair(c, a, b)) {
                    return false;
                }
            }
        }
        return true;
    }
    size_t separate;
    const uint32_t(*list)[2] = sw_problem_separate(c->problem, &separate);
    for (size_t i = 0; i < separate; i++) {
        if (!check_pair(c, list[i][0], list[i][1])) {
            return false;
        }
    }
    return true;
}

/* ---- together ---- */

SW_BY_FIELDS(by_pair, struct pair, SW_UP(a), SW_UP(b), SW_UP(step))

SW_BY_FIELDS(by_buffer, struct sw_fault, SW_UP(buffer), SW_UP(kind), SW_UP(other), SW_UP(step))

/* One fault per pair, at the first step at which it shows. */
static bool pairs_to_faults(struct checker *c) {
    sw_sort(c->pairs.items, c->pairs.count, sizeof *c->pairs.items, by_pair);
    for (size_t i = 0; i < c->pairs.count; i++) {
        const struct pair *pair = &c->pairs.items[i];
        if (i > 0 && pair[-1].a == pair->a && pair[-1].b == pair->b) {
            continue;
        }
        if (!SW_PUSH(&c->faults, (struct sw_fault){SW_FAULT_OVERLAP, pair->a, pair->b, pair->tier, pair->step, pair->lo,
                                                   pair->hi})) {
            return false;
        }
    }
    sw_sort(c->faults.items, c->faults.count, sizeof *c->faults.items, by_buffer);
    return true;
}

/* Each pair once, which pieces may name more than once; sorted. */
static void tell_assumed(struct checker *c, void (*tell)(void *, const struct sw_permit *), void *context) {
    c->assumed.count = sw_sort_unique(c->assumed.items, c->assumed.count, sizeof *c->assumed.items, by_permit);
    for (size_t i = 0; tell && i < c->assumed.count; i++) {
        tell(context, &c->assumed.items[i]);
    }
}

static bool prepare_checker(struct checker *c) {
    uint32_t operators = sw_problem_operator_count(c->problem);
    c->host = sw_layout_has_host(c->problem);
    c->reach = SW_NEW(bool, (size_t)operators + 1);
    return c->reach && sort_transfers(c) && sw_alias_build(c->problem, &c->value);
}

static void dispose_checker(struct checker *c) {
    SW_FREE(c->reach, (size_t)sw_problem_operator_count(c->problem) + 1);
    SW_FREE(c->transfers, c->transfer_count);
    sw_alias_done(c->problem, c->value);
    SW_ARRAY_DONE(&c->held, &c->faults, &c->pairs, &c->assumed);
}

static bool check_all_rules(struct checker *c, size_t *faults, void (*tell)(void *, const struct sw_permit *),
                            void (*report)(void *, const struct sw_fault *), void *context) {
    bool ok = prepare_checker(c);
    for (uint32_t i = 0; ok && i < sw_problem_buffer_count(c->problem); i++) {
        ok = !sw_problem_buffer(c->problem, i)->planned || check_buffer(c, i);
    }
    if (ok && sw_problem_core_count(c->problem) == 1) {
        ok = check_by_time(c);
    }
    ok = ok && check_by_pairs(c) && pairs_to_faults(c);
    for (size_t i = 0; ok && report && i < c->faults.count; i++) {
        report(context, &c->faults.items[i]);
    }
    if (ok) {
        *faults = c->faults.count;
        tell_assumed(c, tell, context);
    }
    dispose_checker(c);
    return ok;
}

bool sw_layout_check(const struct sw_layout *layout, size_t *faults, void (*report)(void *, const struct sw_fault *),
                     void *context) {
    struct checker c = {.layout = layout, .problem = sw_layout_problem(layout)};
    return check_all_rules(&c, faults, NULL, report, context);
}

bool sw_layout_check_assuming(const struct sw_layout *layout, size_t *faults,
                              void (*tell)(void *, const struct sw_permit *),
                              void (*report)(void *, const struct sw_fault *), void *context) {
    struct checker c = {.layout = layout, .problem = sw_layout_problem(layout), .assume = true};
    return check_all_rules(&c, faults, tell, report, context);
}

/* On one core the time says why. Else a fact says it: what nothing orders, or what the input demands. */
static int describe_overlap(const struct sw_problem *problem, const struct sw_fault *fault, char *text, size_t size) {
    struct sw_witness witness = sw_problem_witness(problem, fault->buffer, fault->other);
    char why[2 + SW_WITNESS_TEXT];
    if (sw_problem_core_count(problem) == 1 && witness.kind != SW_WITNESS_SEPARATE) {
        snprintf(why, sizeof why, " at time %lld", (long long)sw_problem_time(problem, fault->step));
    } else {
        memcpy(why, ": ", 3);
        sw_witness_describe(problem, &witness, 48, why + 2, sizeof why - 2);
    }
    return snprintf(text, size, "%s and %s share bytes %llu..%llu of %s%s",
                    sw_problem_buffer(problem, fault->buffer)->name, sw_problem_buffer(problem, fault->other)->name,
                    (unsigned long long)fault->lo, (unsigned long long)fault->hi,
                    sw_problem_tier(problem, fault->tier)->name, why);
}

int sw_fault_describe(const struct sw_problem *problem, const struct sw_fault *fault, char *text, size_t size) {
    const struct sw_buffer *buffer = sw_problem_buffer(problem, fault->buffer);
    const char *name = buffer->name;
    const char *tier = fault->tier == SW_NONE ? "" : sw_problem_tier(problem, fault->tier)->name;
    unsigned long long lo = fault->lo, hi = fault->hi;
    long long time = (long long)sw_problem_time(problem, fault->step);
    switch (fault->kind) {
    case SW_FAULT_MISSING:
        return snprintf(text, size, "%s has no place at time %lld", name, time);
    case SW_FAULT_TIER:
        return snprintf(text, size, "%s may not live in tier %s", name, tier);
    case SW_FAULT_ALIGNMENT:
        return snprintf(text, size, "%s lies at %s+%llu, which is not a multiple of its alignment %llu", name, tier, lo,
                        (unsigned long long)buffer->alignment);
    case SW_FAULT_CAPACITY:
        return snprintf(text, size, "%s ends at %s+%llu, above the capacity of %llu", name, tier, hi,
                        (unsigned long long)sw_problem_tier(problem, fault->tier)->capacity);
    case SW_FAULT_RESERVED:
        return snprintf(text, size, "%s touches reserved bytes %llu..%llu of %s", name, lo, hi, tier);
    case SW_FAULT_OVERLAP:
        return describe_overlap(problem, fault, text, size);
    case SW_FAULT_PIN:
        return snprintf(text, size, "%s lies at %s+%llu but is pinned at %llu", name, tier, lo,
                        (unsigned long long)buffer->offset);
    case SW_FAULT_AWAY:
        return snprintf(text, size, "%s is accessed at time %lld and lies in " SW_HOST_NAME, name, time);
    case SW_FAULT_TRANSFER:
        if (hi == SW_UNBOUNDED) {
            return snprintf(text, size,
                            "%s moves between the device and " SW_HOST_NAME
                            " at time %lld, and placement and transfer disagree",
                            name, time);
        }
        return snprintf(text, size, "%s moves to %s+%llu at time %lld without a transfer", name, tier, lo, time);
    }
    return snprintf(text, size, "%s", name);
}
