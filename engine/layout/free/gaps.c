/* Free spaces as one buffer sees them: gather what is in the way, sort it, sweep. */
#include "layout/free/gaps.h"

#include "base/described.h"
#include "layout/free/indexes.h"
#include "layout/layout_internal.h"
#include "problem/hot.h"

#include <string.h>

#define STATE struct sw_rules
const struct sw_described sw_rules_described = {
    SW_STRUCT, .fields = SW_FIELDS(SW_LIST(pins), SW_LIST(forbids), SW_SCRATCH(pin_of, pin_of))};
#undef STATE

void sw_rules_done(struct sw_rules *rules) {
    sw_described_done(&sw_rules_described, rules);
}

bool sw_rules_copy(struct sw_rules *to, const struct sw_rules *from) {
    return sw_described_copy(&sw_rules_described, to, from);
}

bool sw_rules_pin(const struct sw_problem *problem, const struct sw_rules *rules, uint32_t buffer, struct sw_pin *pin) {
    if (rules && rules->pin_of && rules->pin_of[buffer]) {
        *pin = rules->pins.items[rules->pin_of[buffer] - 1];
        return true;
    }
    for (size_t i = 0; rules && !rules->pin_of && i < rules->pins.count; i++) {
        if (rules->pins.items[i].buffer == buffer) {
            *pin = rules->pins.items[i];
            return true;
        }
    }
    const struct sw_buffer *b = sw_problem_buffer(problem, buffer);
    if (!b->pinned) {
        return false;
    }
    /* Without a tier of its own a pin speaks of the highest tier the buffer may live in. */
    *pin = (struct sw_pin){buffer, (uint32_t)__builtin_ctzll(b->tiers), b->offset};
    return true;
}

/* Everything in the way of one buffer in one tier goes into gaps->bounds. */
struct gather {
    struct sw_gaps *gaps;
    const struct sw_layout *layout;
    const struct sw_problem *problem;
    uint32_t buffer, tier;
    struct sw_span span;
    const struct sw_hot *hot;
    struct sw_hot own; /* the buffer's row */
    bool user_pins;    /* the user pinned something: even what is not placed may be in the way */
    bool partial;      /* only a part of its life is asked for */
};

static bool push_gap_bound(struct sw_gaps *gaps, int64_t lo, int64_t hi, uint32_t owner) {
    return SW_PUSH(&gaps->bounds, (struct sw_gap_bound){lo, hi, owner});
}

static bool gather_block(struct gather *g, uint32_t other, struct sw_span span, uint64_t offset) {
    struct sw_obstacles *list = &g->gaps->obstacles;
    list->count = 0;
    if (!sw_problem_obstacles(g->problem, g->buffer, g->span, other, span, offset, list)) {
        return false;
    }
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].hi > 0 && !push_gap_bound(g->gaps, list->items[i].lo, list->items[i].hi, other)) {
            return false;
        }
    }
    return true;
}

static bool gather_neighbor(struct gather *g, const struct sw_rules *rules, uint32_t other) {
    struct sw_placement placement;
    struct sw_pin pin;
    if (sw_layout_placed(g->layout, other)) {
        for (uint32_t k = 0; sw_layout_placement(g->layout, other, k, &placement); k++) {
            if (placement.tier == g->tier && !gather_block(g, other, placement.span, placement.offset)) {
                return false;
            }
        }
        return true;
    }
    if (sw_rules_pin(g->problem, rules, other, &pin) && pin.tier == g->tier) {
        return gather_block(g, other, SW_WHOLE_LIFE, pin.offset);
    }
    return true;
}

/* Add what a neighbor forbids. Almost all buffers are plain and placed once for life: those are
 * read from the packed rows alone. */
static bool add_ranked(struct gather *g, const struct sw_rules *rules, uint32_t rank) {
    const struct sw_hot *hot = &g->hot[rank];
    const struct sw_layout_slot *slot = sw_cow_get(&g->layout->slots, rank);
    if (slot->tier == 0 && !hot->pinned && !g->user_pins) {
        return true;
    }
    if (slot->tier != 0 && hot->first <= g->own.first) {
        g->gaps->live +=
            hot->plain ? hot->size : sw_buffer_live_bytes(sw_problem_buffer(g->problem, hot->buffer), g->own.first);
    }
    if (!hot->plain || !g->own.plain || slot->span || slot->tier == 0 || g->partial) {
        return gather_neighbor(g, rules, hot->buffer);
    }
    return slot->tier != g->tier + 1 ||
           push_gap_bound(g->gaps, (int64_t)slot->offset, (int64_t)(slot->offset + hot->size), hot->buffer);
}

/* Everything that is alive at some step of the buffer's life, whether placed or not. */
static bool gather_neighbors(struct gather *g, const struct sw_rules *rules) {
    uint64_t before = g->gaps->visited;
    struct sw_neighbors walk = sw_problem_neighbors(g->problem, g->buffer);
    while (sw_neighbors_next(&walk) != SW_NONE) {
        g->gaps->visited++;
        if (!add_ranked(g, rules, walk.rank)) {
            return false;
        }
    }
    g->gaps->indexes->near.follow.owed += g->gaps->visited - before + 1;
    return true;
}

/* Of the blocks [from, to) those that meet the buffer's life and lie in its tier. Each is written
 * where the next bound goes, and stays when it counts: there is no branch to guess. There is room
 * for all of them. */
static void add_meeting(struct gather *g, const struct sw_near_block *from, const struct sw_near_block *to) {
    uint32_t first = g->own.first, last = g->own.last, tier = g->tier, self = g->buffer;
    struct sw_gap_bound *out = g->gaps->bounds.items + g->gaps->bounds.count;
    uint64_t live = 0;
    for (const struct sw_near_block *at = from; at < to; at++) {
        bool meets = at->last >= first && at->first <= last && at->buffer != self;
        *out = (struct sw_gap_bound){(int64_t)at->lo, (int64_t)at->hi, at->buffer};
        out += meets && at->tier == tier;
        live += meets && at->first <= first ? at->hi - at->lo : 0;
    }
    g->gaps->bounds.count = (size_t)(out - g->gaps->bounds.items);
    g->gaps->live += live;
}

/* The same bounds as gather_neighbors, from what is filed (near.h): only what is placed is looked at.
 * The work counted is the same, too: it measures the question, not how it was answered. */
static bool add_filed(struct gather *g) {
    struct sw_gaps *gaps = g->gaps;
    const struct sw_near *near = &gaps->indexes->near;
    uint32_t first = g->own.first, last = g->own.last;
    gaps->visited += sw_problem_alive_count(g->problem, first, last) - 1; /* without itself */
    for (uint32_t level = 0; level < SW_NEAR_LEVELS; level++) {
        if (near->levels[level].count == 0) {
            continue;
        }
        /* Lives of this level last less than 2^(level + 1) steps. */
        uint64_t reach = (UINT64_C(2) << level) - 1;
        const struct sw_near_drawer *drawer = near->drawers.items + near->levels[level].first_drawer;
        uint32_t to = last >> level;
        for (uint32_t d = first > reach ? (uint32_t)(first - reach) >> level : 0; d <= to; d++) {
            const struct sw_near_block *from = near->blocks.items + drawer[d].begin;
            if (drawer[d].count == 0) {
                continue;
            }
            if (!SW_RESERVE(&gaps->bounds, gaps->bounds.count + drawer[d].count + 1)) {
                return false;
            }
            add_meeting(g, from, from + drawer[d].count);
        }
    }
    return true;
}

static bool gather_bounds(struct gather *g, const struct sw_rules *rules) {
    g->hot = sw_problem_hot(g->problem);
    g->own = g->hot[sw_problem_rank(g->problem, g->buffer).at];
    g->user_pins = rules && rules->pins.count > 0;
    g->partial = g->span.from > g->own.first || g->span.to < g->own.last;
    g->gaps->bounds.count = 0;
    g->gaps->live = 0;
    struct sw_gap_indexes *indexes = sw_gaps_indexes(g->gaps);
    bool filed =
        indexes && !g->user_pins && !g->partial && g->own.plain && sw_near_ready(&indexes->near, g->layout, g->buffer);
    if (!indexes || !(filed ? add_filed(g) : gather_neighbors(g, rules))) {
        return false;
    }
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(g->problem, &count);
    for (size_t i = 0; i < count; i++) {
        if (reserved[i].tier == g->tier &&
            !push_gap_bound(g->gaps, (int64_t)reserved[i].lo, (int64_t)reserved[i].hi, SW_NONE)) {
            return false;
        }
    }
    for (size_t i = 0; rules && i < rules->forbids.count; i++) {
        const struct sw_forbid *forbid = &rules->forbids.items[i];
        if (forbid->tier == g->tier && forbid->lo < forbid->hi &&
            (forbid->buffer == SW_NONE || forbid->buffer == g->buffer) &&
            !push_gap_bound(g->gaps, (int64_t)forbid->lo, (int64_t)forbid->hi, SW_NONE)) {
            return false;
        }
    }
    return true;
}

/* ---- sorting ---- */

static bool bound_before(const struct sw_gap_bound *a, const struct sw_gap_bound *b) {
    if (a->lo != b->lo) {
        return a->lo < b->lo;
    }
    return a->hi != b->hi ? a->hi < b->hi : a->owner < b->owner;
}

static void insert_bounds(struct sw_gap_bound *items, size_t count) {
    for (size_t i = 1; i < count; i++) {
        struct sw_gap_bound item = items[i];
        size_t k = i;
        for (; k > 0 && bound_before(&item, &items[k - 1]); k--) {
            items[k] = items[k - 1];
        }
        items[k] = item;
    }
}

static void sift_bound(struct sw_gap_bound *items, size_t at, size_t count) {
    struct sw_gap_bound item = items[at];
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && bound_before(&items[child], &items[child + 1])) {
            child++;
        }
        if (!bound_before(&item, &items[child])) {
            break;
        }
        items[at] = items[child];
    }
    items[at] = item;
}

static void heap_sort(struct sw_gap_bound *items, size_t count) {
    for (size_t i = count / 2; i-- > 0;) {
        sift_bound(items, i, count);
    }
    for (size_t end = count - 1; end > 0; end--) {
        struct sw_gap_bound largest = items[0];
        items[0] = items[end];
        items[end] = largest;
        sift_bound(items, 0, end);
    }
}

/* Split around the middle of three; returns where the right part begins. */
static size_t split_bounds(struct sw_gap_bound *items, size_t count) {
    struct sw_gap_bound a = items[0], b = items[count / 2], c = items[count - 1];
    struct sw_gap_bound pivot = bound_before(&a, &b) ? (bound_before(&b, &c)   ? b
                                                        : bound_before(&a, &c) ? c
                                                                               : a)
                                                     : (bound_before(&a, &c)   ? a
                                                        : bound_before(&b, &c) ? c
                                                                               : b);
    size_t i = 0, k = count - 1;
    for (;; i++, k--) {
        while (bound_before(&items[i], &pivot)) {
            i++;
        }
        while (bound_before(&pivot, &items[k])) {
            k--;
        }
        if (i >= k) {
            return k + 1;
        }
        struct sw_gap_bound swap = items[i];
        items[i] = items[k];
        items[k] = swap;
    }
}

/* Inlined, which the library's cannot be: quicksort down to short runs, heapsort where the splits
 * go wrong. */
static void quick_sort(struct sw_gap_bound *items, size_t count) {
    if (count < 2) {
        return; /* `items` may be NULL */
    }
    struct {
        size_t from, count;
    } stack[64];
    size_t depth = 0, from = 0, budget = 4 * count + 64;
    for (;;) {
        while (count > 24) {
            if (budget < count || depth == 64) {
                heap_sort(items + from, count);
                count = 0;
                break;
            }
            budget -= count / 8;
            size_t left = split_bounds(items + from, count);
            stack[depth].from = from + left;
            stack[depth++].count = count - left;
            count = left;
        }
        insert_bounds(items + from, count);
        if (depth == 0) {
            return;
        }
        from = stack[--depth].from;
        count = stack[depth].count;
    }
}

/* Offsets are spread over the arena, so most of the sorting is one pass that deals bounds out to
 * heaps by the leading digit of `lo`: no comparison, hence no branch that is guessed wrong half the
 * time. Heaps that came out large are sorted by themselves, and one run of insertions puts the rest
 * right. */
enum { HEAP_FROM = 256, SORT_FROM = 48, SHORT_RUN = 16 };

static bool deal_out(struct sw_gaps *gaps, uint32_t end[HEAP_FROM]) {
    const struct sw_gap_bound *items = gaps->bounds.items;
    size_t count = gaps->bounds.count;
    int64_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        largest |= items[i].lo < 0 ? 0 : items[i].lo; /* windows can begin below the bottom */
    }
    unsigned bits = largest ? 64 - (unsigned)__builtin_clzll((uint64_t)largest) : 0;
    unsigned shift = bits > 8 ? bits - 8 : 0;
    if (!SW_RESERVE(&gaps->spare, count)) {
        return false;
    }
    memset(end, 0, HEAP_FROM * sizeof *end);
    for (size_t i = 0; i < count; i++) {
        end[items[i].lo < 0 ? 0 : items[i].lo >> shift]++;
    }
    for (uint32_t heap = 0, sum = 0; heap < HEAP_FROM; heap++) {
        uint32_t size = end[heap];
        end[heap] = sum; /* where it begins; each bound dealt moves it on, and so it ends as the end */
        sum += size;
    }
    for (size_t i = 0; i < count; i++) {
        gaps->spare.items[end[items[i].lo < 0 ? 0 : items[i].lo >> shift]++] = items[i];
    }
    return true;
}

/* The order is total, so any correct sort gives the same bytes. False: no memory. */
static bool sort_bounds(struct sw_gaps *gaps) {
    uint32_t end[HEAP_FROM];
    size_t count = gaps->bounds.count;
    if (count < SORT_FROM || count > UINT32_MAX) {
        quick_sort(gaps->bounds.items, count);
        return true;
    }
    if (!deal_out(gaps, end)) {
        return false;
    }
    for (uint32_t heap = 0, from = 0; heap < HEAP_FROM; from = end[heap++]) {
        if (end[heap] - from > SHORT_RUN) {
            quick_sort(gaps->spare.items + from, end[heap] - from);
        }
    }
    insert_bounds(gaps->spare.items, count);
    struct sw_gap_bound *items = gaps->bounds.items;
    size_t capacity = gaps->bounds.capacity;
    gaps->bounds.items = gaps->spare.items;
    gaps->bounds.capacity = gaps->spare.capacity;
    gaps->spare.items = items;
    gaps->spare.capacity = capacity;
    return true;
}

/* ---- the sweep ---- */

static bool push_gap(struct sw_gaps *gaps, uint64_t lo, uint64_t hi, uint64_t alignment, uint32_t below,
                     uint32_t above) {
    return SW_PUSH(&gaps->gaps, (struct sw_gap){lo, hi, sw_align_up(lo, alignment), below, above});
}

bool sw_gaps_find(struct sw_gaps *gaps, const struct sw_layout *layout, const struct sw_rules *rules, uint32_t buffer,
                  struct sw_span span, uint32_t tier, uint64_t top) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint64_t alignment = sw_problem_buffer(problem, buffer)->alignment;
    struct gather g = {
        .gaps = gaps, .layout = layout, .problem = problem, .buffer = buffer, .tier = tier, .span = span};
    gaps->gaps.count = 0;
    if (!gather_bounds(&g, rules) || !sort_bounds(gaps)) {
        return false;
    }
    int64_t cursor = 0;
    uint32_t below = SW_NONE;
    for (size_t i = 0; i < gaps->bounds.count; i++) {
        const struct sw_gap_bound *bound = &gaps->bounds.items[i];
        if (bound->lo > cursor) {
            if ((uint64_t)bound->lo >= top) {
                break;
            }
            if (!push_gap(gaps, (uint64_t)cursor, (uint64_t)bound->lo, alignment, below, bound->owner)) {
                return false;
            }
        }
        if (bound->hi > cursor) {
            cursor = bound->hi;
            below = bound->owner;
        }
    }
    return (uint64_t)cursor >= top || push_gap(gaps, (uint64_t)cursor, top, alignment, below, SW_NONE);
}

struct sw_gap_indexes *sw_gaps_indexes(struct sw_gaps *gaps) {
    gaps->indexes = gaps->indexes ? gaps->indexes : SW_NEW_ZERO(struct sw_gap_indexes, 1);
    return gaps->indexes;
}

void sw_gaps_done(struct sw_gaps *gaps) {
    SW_ARRAY_DONE(&gaps->gaps, &gaps->bounds, &gaps->spare, &gaps->obstacles);
    if (gaps->indexes) {
        sw_near_done(&gaps->indexes->near);
        sw_skyline_done(&gaps->indexes->skyline);
        SW_FREE(gaps->indexes, 1);
        gaps->indexes = NULL;
    }
}

bool sw_gaps_blocker(struct sw_gaps *gaps, const struct sw_layout *layout, const struct sw_rules *rules,
                     uint32_t buffer, struct sw_span span, uint32_t tier, uint64_t offset, bool *free_,
                     uint32_t *blocker) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    int64_t size = (int64_t)sw_problem_buffer(problem, buffer)->size, x = (int64_t)offset;
    struct gather g = {
        .gaps = gaps, .layout = layout, .problem = problem, .buffer = buffer, .tier = tier, .span = span};
    if (!gather_bounds(&g, rules)) {
        return false;
    }
    const struct sw_gap_bound *first = NULL;
    for (size_t i = 0; i < gaps->bounds.count; i++) {
        const struct sw_gap_bound *bound = &gaps->bounds.items[i];
        if (bound->lo - size < x && x < bound->hi && (!first || bound_before(bound, first))) {
            first = bound;
        }
    }
    *free_ = first == NULL || size == 0;
    *blocker = *free_ ? SW_NONE : first->owner;
    return true;
}

bool sw_gaps_floor(struct sw_gaps *gaps, const struct sw_layout *layout, uint32_t buffer, const struct sw_placement *at,
                   uint64_t *floor, bool *covered) {
    struct gather g = {.gaps = gaps,
                       .layout = layout,
                       .problem = sw_layout_problem(layout),
                       .buffer = buffer,
                       .tier = at->tier,
                       .span = at->span};
    int64_t offset = (int64_t)at->offset, highest = 0;
    *covered = false;
    if (!gather_bounds(&g, NULL)) {
        return false;
    }
    for (size_t i = 0; i < gaps->bounds.count; i++) {
        const struct sw_gap_bound *bound = &gaps->bounds.items[i];
        *covered |= bound->lo <= offset && offset < bound->hi;
        highest = bound->hi <= offset && bound->hi > highest ? bound->hi : highest;
    }
    *floor = (uint64_t)highest;
    return true;
}
