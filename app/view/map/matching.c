/* Two layouts held against each other, buffer by buffer. */
#include "view/map/matching.h"

#include "base/minmax.h"
#include "base/sort.h"

struct sw_change_look sw_change_look(enum sw_change change) {
    static const struct sw_change_look looks[SW_CHANGE_COUNT] = {
        [SW_CHANGE_SAME] = {"same", SW_STYLE_MERGED, SW_PATTERN_PLAIN},
        [SW_CHANGE_REMOVED] = {"removed", SW_STYLE_ERROR, SW_PATTERN_CROSS},
        [SW_CHANGE_ADDED] = {"added", SW_STYLE_TRANSFER, SW_PATTERN_OUTPUT},
        [SW_CHANGE_GREW] = {"grew", SW_STYLE_CHOSEN, SW_PATTERN_SCRATCH},
        [SW_CHANGE_SHRANK] = {"shrank", SW_STYLE_CHOSEN, SW_PATTERN_CONSTANT},
        [SW_CHANGE_LIFETIME] = {"other lifetime", SW_STYLE_CHOSEN, SW_PATTERN_GRID},
        [SW_CHANGE_MOVED] = {"moved", SW_STYLE_STRONG, SW_PATTERN_INPUT},
        [SW_CHANGE_SHIFTED] = {"the same, earlier or later", SW_STYLE_MERGED, SW_PATTERN_PLAIN},
    };
    return looks[change < SW_CHANGE_COUNT ? change : SW_CHANGE_SAME];
}

bool sw_same_life(const struct sw_problem *p, const struct sw_buffer *a, const struct sw_problem *q,
                  const struct sw_buffer *b) {
    if (a->piece_count != b->piece_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->piece_count; i++) {
        const struct sw_piece *x = &a->pieces[i], *y = &b->pieces[i];
        /* A piece over all bytes stays one when the size changes. */
        bool whole = x->lo == 0 && x->hi == a->size && y->lo == 0 && y->hi == b->size;
        if (sw_problem_time(p, x->first) != sw_problem_time(q, y->first) ||
            sw_problem_time(p, x->last + 1) != sw_problem_time(q, y->last + 1) ||
            (!whole && (x->lo != y->lo || x->hi != y->hi))) {
            return false;
        }
    }
    return true;
}

static bool same_named_tier(const struct sw_problem *p, uint32_t a, const struct sw_problem *q, uint32_t b) {
    /* Where each side has one memory, its name is of no account. */
    bool single = sw_problem_tier_count(p) == 1 && sw_problem_tier_count(q) == 1;
    if (a >= sw_problem_tier_count(p) || b >= sw_problem_tier_count(q)) {
        return a >= sw_problem_tier_count(p) && b >= sw_problem_tier_count(q);
    }
    return single || strcmp(sw_problem_tier(p, a)->name, sw_problem_tier(q, b)->name) == 0;
}

/* Other places at any time of its life. Times of moves are compared as steps when lives are the same. */
bool sw_matching_moved(const struct sw_name_matching *m, uint32_t a, uint32_t b) {
    const struct sw_problem *p = sw_layout_problem(m->old.layout);
    const struct sw_problem *q = sw_layout_problem(m->fresh.layout);
    struct sw_placement x, y;
    for (uint32_t k = 0;; k++) {
        bool more = sw_layout_placement(m->old.layout, a, k, &x);
        if (more != sw_layout_placement(m->fresh.layout, b, k, &y)) {
            return true;
        }
        if (!more) {
            return false;
        }
        if (x.offset - m->old.base != y.offset - m->fresh.base || !same_named_tier(p, x.tier, q, y.tier) ||
            x.span.from != y.span.from || x.span.to != y.span.to) {
            return true;
        }
    }
}

static bool steps_operate(const struct sw_problem *problem) {
    return sw_problem_operator_count(problem) > 0 && sw_problem_steps(problem) == sw_problem_operator_count(problem);
}

/* Are both needed from and to the same operators? Where steps are none, the times decide. */
static bool same_matched_life(const struct sw_name_matching *m, uint32_t a, uint32_t b) {
    const struct sw_problem *p = sw_layout_problem(m->old.layout), *q = sw_layout_problem(m->fresh.layout);
    const struct sw_buffer *x = sw_problem_buffer(p, a), *y = sw_problem_buffer(q, b);
    bool steps = steps_operate(p) && steps_operate(q) && x->piece_count == 1 && y->piece_count == 1;
    const uint32_t *partners = m->pairing.operators[SW_SIDE_OLD];
    return sw_same_life(p, x, q, y) || (steps && partners[x->first] == y->first && partners[x->last] == y->last);
}

static enum sw_change change_between(const struct sw_name_matching *m, uint32_t a, uint32_t b) {
    const struct sw_problem *p = sw_layout_problem(m->old.layout);
    const struct sw_problem *q = sw_layout_problem(m->fresh.layout);
    const struct sw_buffer *x = sw_problem_buffer(p, a), *y = sw_problem_buffer(q, b);
    return y->size > x->size             ? SW_CHANGE_GREW
           : y->size < x->size           ? SW_CHANGE_SHRANK
           : !same_matched_life(m, a, b) ? SW_CHANGE_LIFETIME
           : sw_matching_moved(m, a, b)  ? SW_CHANGE_MOVED
           : !sw_same_life(p, x, q, y)   ? SW_CHANGE_SHIFTED
                                         : SW_CHANGE_SAME;
}

static uint8_t *no_changes(const struct sw_problem *problem) {
    return SW_NEW_ZERO(uint8_t, (size_t)sw_problem_buffer_count(problem) + 1);
}

bool sw_matching_make(struct sw_name_matching *m) {
    const struct sw_problem *p = sw_layout_problem(m->old.layout);
    const struct sw_problem *q = sw_layout_problem(m->fresh.layout);
    m->old.changes = no_changes(p);
    m->fresh.changes = no_changes(q);
    if (!sw_pairing_make(&m->pairing, p, q) || !m->old.changes || !m->fresh.changes) {
        return false;
    }
    m->old.partners = m->pairing.buffers[0];
    m->fresh.partners = m->pairing.buffers[1];
    for (uint32_t a = 0; a < sw_problem_buffer_count(p); a++) {
        uint32_t b = m->old.partners[a];
        enum sw_change change = b == SW_NONE ? SW_CHANGE_REMOVED : change_between(m, a, b);
        m->old.changes[a] = (uint8_t)change;
        if (b != SW_NONE) {
            m->fresh.changes[b] = (uint8_t)change;
        }
        m->counts[change] += sw_problem_buffer(p, a)->planned;
    }
    for (uint32_t b = 0; b < sw_problem_buffer_count(q); b++) {
        if (m->fresh.partners[b] == SW_NONE) {
            m->fresh.changes[b] = SW_CHANGE_ADDED;
            m->counts[SW_CHANGE_ADDED] += sw_problem_buffer(q, b)->planned;
        }
    }
    return true;
}

static void free_changes(struct sw_matched *side) {
    SW_FREE(side->changes, side->layout ? (size_t)sw_problem_buffer_count(sw_layout_problem(side->layout)) + 1 : 0);
}

void sw_matching_done(struct sw_name_matching *m) {
    free_changes(&m->old);
    free_changes(&m->fresh);
    sw_pairing_done(&m->pairing);
    *m = (struct sw_name_matching){.old = {.layout = NULL}};
}

SW_BY_FIELDS(heavier_change_first, struct sw_matched_change, SW_DOWN(weight), SW_DOWN(size), SW_UP(number))

static bool list_matched(const struct sw_name_matching *m, uint32_t old, uint32_t fresh,
                         struct sw_matched_changes *list) {
    const struct sw_problem *p = sw_layout_problem(m->old.layout), *q = sw_layout_problem(m->fresh.layout);
    uint64_t before = old == SW_NONE ? 0 : sw_problem_buffer(p, old)->size;
    uint64_t after = fresh == SW_NONE ? 0 : sw_problem_buffer(q, fresh)->size;
    struct sw_matched_change change = {old, fresh, SW_MAX(before, after) - SW_MIN(before, after), SW_MAX(before, after),
                                       list->count};
    if (old != SW_NONE && fresh != SW_NONE && !same_matched_life(m, old, fresh)) {
        change.weight += change.size;
    }
    return SW_PUSH(list, change);
}

bool sw_matching_list(const struct sw_name_matching *m, struct sw_matched_changes *list) {
    const struct sw_problem *p = sw_layout_problem(m->old.layout), *q = sw_layout_problem(m->fresh.layout);
    bool good = true;
    for (uint32_t a = 0; good && a < sw_problem_buffer_count(p); a++) {
        good = !sw_problem_buffer(p, a)->planned || m->old.changes[a] == SW_CHANGE_SAME ||
               list_matched(m, a, m->old.partners[a], list);
    }
    for (uint32_t b = 0; good && b < sw_problem_buffer_count(q); b++) {
        good =
            !sw_problem_buffer(q, b)->planned || m->fresh.partners[b] != SW_NONE || list_matched(m, SW_NONE, b, list);
    }
    sw_sort(list->items, list->count, sizeof *list->items, heavier_change_first);
    return good;
}

uint32_t sw_matching_first_elsewhere(const struct sw_name_matching *m) {
    const struct sw_problem *p = sw_layout_problem(m->old.layout);
    uint32_t found = SW_NONE;
    uint64_t low = 0;
    for (uint32_t a = 0; a < sw_problem_buffer_count(p); a++) {
        const struct sw_buffer *buffer = sw_problem_buffer(p, a);
        uint32_t b = m->old.partners[a];
        struct sw_placement x, y;
        if (!buffer->planned || b == SW_NONE || !sw_matching_moved(m, a, b) ||
            !sw_layout_placement(m->old.layout, a, 0, &x) || !sw_layout_placement(m->fresh.layout, b, 0, &y)) {
            continue;
        }
        uint32_t first = found == SW_NONE ? UINT32_MAX : sw_problem_buffer(p, found)->first;
        if (buffer->first < first || (buffer->first == first && x.offset < low)) {
            found = a;
            low = x.offset;
        }
    }
    return found;
}

/* ---- where runs part ---- */

static bool same_paired_buffer(const struct sw_name_matching *m, uint32_t a, uint32_t b) {
    bool known = a < sw_problem_buffer_count(sw_layout_problem(m->old.layout)) &&
                 b < sw_problem_buffer_count(sw_layout_problem(m->fresh.layout));
    return known ? m->old.partners[a] == b : a == b;
}

static bool same_matched_decision(const void *context, const struct sw_decision *a, const struct sw_decision *b) {
    const struct sw_name_matching *m = context;
    const struct sw_problem *p = sw_layout_problem(m->old.layout);
    const struct sw_problem *q = sw_layout_problem(m->fresh.layout);
    return sw_decision_is(a, (enum sw_decision_kind)b->kind) && same_paired_buffer(m, a->buffer, b->buffer) &&
           same_paired_buffer(m, sw_decision_other(a), sw_decision_other(b)) &&
           same_named_tier(p, a->tier, q, b->tier) && a->offset == b->offset && a->size == b->size;
}

struct sw_parting sw_matching_parting(const struct sw_name_matching *m, const struct sw_search *old,
                                      const struct sw_search *fresh) {
    struct sw_parting parting = {.same = same_matched_decision, .context = m};
    while (sw_parting_find(&parting, old, fresh, 0)) {
    }
    return parting;
}
