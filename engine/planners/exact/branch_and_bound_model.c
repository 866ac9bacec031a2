/* branch-and-bound: the problem as the search sees it, in flat arrays. See branch_and_bound.c.
 *
 * Buffers become items. A pinned buffer closes a range of offsets to the items it conflicts with, as
 * reserved and forbidden ranges do. Items that conflict, directly or through others, form a part. In a
 * part items stand in the order in which the search prefers them among equally low places. */
#include "planners/exact/branch_and_bound.h"
#include "base/base.h"
#include "base/sort.h"

enum { MOST_EDGES = 1 << 22, MOST_TWINS = 4096 };
enum { MOST_ROW_WORDS = 1 << 22 }; /* of all rows */

struct ordered_item {
    uint32_t part, draft;
    uint64_t weight; /* the heaviest first */
};
/* What is needed on the way. Drafts are items before they have their final numbers. */
struct draft {
    const struct sw_run *run;
    const struct sw_problem *problem;
    struct bb_model *model;
    uint32_t count, planned;
    uint32_t *buffer, *tier, *root, *part, *item; /* per draft */
    uint32_t *of_rank;                            /* rank of a buffer -> draft, or SW_NONE */
    bool *mixed;                                  /* has a conflict that is not whole */
    size_t *start;
    SW_ARRAY(uint32_t) near;
    struct ordered_item *order;
    struct sw_obstacles obstacles;
    bool large;
    struct sw_arena room; /* of the arrays */
};

/* ---- memory ---- */

void bb_model_drop(struct bb_model *m) {
    if (!m || --m->owners > 0) {
        return;
    }
    sw_arena_done(&m->room);
    SW_ARRAY_DONE(&m->births, &m->closed, &m->ranges, &m->steps, &m->pairs, &m->apart);
    SW_FREE(m, 1);
}

static void draft_done(struct draft *d) {
    sw_arena_done(&d->room);
    SW_ARRAY_DONE(&d->near, &d->obstacles);
}

static bool draft_init(struct draft *d, const struct sw_run *run) {
    uint32_t n = sw_problem_planned_count(run->problem);
    *d = (struct draft){.run = run, .problem = run->problem, .planned = n, .model = SW_NEW_ZERO(struct bb_model, 1)};
    if (!d->model) {
        return false;
    }
    d->model->owners = 1;
    d->buffer = SW_NEW_IN(&d->room, uint32_t, 6 * (size_t)n);
    d->mixed = SW_NEW_IN(&d->room, bool, n);
    d->start = SW_NEW_IN(&d->room, size_t, (size_t)n + 1);
    d->order = SW_NEW_IN(&d->room, struct ordered_item, n);
    if (!d->buffer || !d->mixed || !d->start || !d->order) {
        return false;
    }
    d->tier = d->buffer + n;
    d->root = d->tier + n;
    d->part = d->root + n;
    d->item = d->part + n;
    d->of_rank = d->item + n;
    return true;
}

/* ---- which buffers are items ---- */

static bool sort_out(struct draft *d) {
    struct bb_model *m = d->model;
    const uint32_t *program = sw_problem_order(d->problem);
    m->settled = SW_NEW_IN(&m->room, uint32_t, d->planned);
    for (uint32_t i = 0; m->settled && i < d->planned; i++) {
        const struct sw_buffer *b = sw_problem_buffer(d->problem, program[i]);
        uint64_t tiers = sw_place_tiers(d->problem, program[i]);
        struct sw_pin pin;
        bool pinned = sw_rules_pin(d->problem, &d->run->rules, program[i], &pin);
        d->of_rank[i] = SW_NONE;
        if (pinned && b->size > 0 && pin.offset + b->size > m->pinned_top[pin.tier]) {
            m->pinned_top[pin.tier] = pin.offset + b->size;
        }
        if (pinned || b->size == 0) {
            m->settled[m->settled_count++] = program[i];
            continue;
        }
        d->of_rank[i] = d->count;
        d->buffer[d->count] = program[i];
        d->tier[d->count] = (uint32_t)__builtin_ctzll(tiers);
        d->root[d->count] = d->count;
        d->count++;
    }
    return m->settled != NULL;
}

static uint32_t find_draft_root(struct draft *d, uint32_t i) {
    while (d->root[i] != i) {
        d->root[i] = d->root[d->root[i]];
        i = d->root[i];
    }
    return i;
}

/* The earlier one stays the root. */
static void join_drafts(struct draft *d, uint32_t a, uint32_t b) {
    a = find_draft_root(d, a);
    b = find_draft_root(d, b);
    d->root[a < b ? b : a] = SW_MIN(a, b);
}

/* Too many conflicts to write them down: one part for each tier, which is not searched. */
static void give_up_edges(struct draft *d) {
    uint32_t first[SW_MAX_TIERS];
    memset(first, 0xff, sizeof first);
    d->large = true;
    d->near.count = 0;
    memset(d->start, 0, ((size_t)d->count + 1) * sizeof *d->start);
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t t = d->tier[i];
        first[t] = first[t] == SW_NONE ? i : first[t];
        join_drafts(d, first[t], i);
    }
}

static bool find_edges(struct draft *d) {
    for (uint32_t i = 0; i < d->count; i++) {
        struct sw_neighbors walk = sw_problem_neighbors(d->problem, d->buffer[i]);
        for (uint32_t other; (other = sw_neighbors_next(&walk)) != SW_NONE;) {
            uint32_t k = d->of_rank[sw_problem_rank(d->problem, other).at];
            if (k == SW_NONE || d->tier[k] != d->tier[i]) {
                continue;
            }
            enum sw_conflict conflict = sw_problem_conflict(d->problem, d->buffer[i], other);
            if (conflict == SW_CONFLICT_NONE) {
                continue;
            }
            d->mixed[i] = d->mixed[i] || conflict != SW_CONFLICT_WHOLE;
            join_drafts(d, i, k);
            if (!SW_PUSH(&d->near, k)) {
                return false;
            }
        }
        d->start[i + 1] = d->near.count;
        if (d->near.count > MOST_EDGES) {
            give_up_edges(d);
            return true;
        }
    }
    return true;
}

/* ---- numbers ---- */

SW_BY_FIELDS(compare_ordered, struct ordered_item, SW_UP(part), SW_DOWN(weight), SW_UP(draft))

/* Parts by their first member, and in a part the long-lived and large ones first. */
static void number_parts(struct draft *d) {
    uint32_t parts = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        uint32_t root = find_draft_root(d, i);
        const struct sw_buffer *b = sw_problem_buffer(d->problem, d->buffer[i]);
        d->part[i] = root == i ? parts++ : d->part[root];
        uint64_t weight, life = (uint64_t)b->last - b->first + 1;
        if (__builtin_mul_overflow(life, b->size, &weight)) {
            weight = UINT64_MAX;
        }
        d->order[i] = (struct ordered_item){d->part[i], i, weight};
    }
    sw_sort(d->order, d->count, sizeof *d->order, compare_ordered);
    d->model->part_count = parts;
}

static void copy_edges(struct draft *d) {
    struct bb_model *m = d->model;
    uint32_t used = 0;
    for (uint32_t i = 0; i < m->item_count; i++) {
        uint32_t from = d->order[i].draft, begin = used;
        for (size_t k = d->start[from]; k < d->start[from + 1]; k++) {
            m->adjacent[used++] = d->item[d->near.items[k]];
        }
        sw_sort(m->adjacent + begin, used - begin, sizeof *m->adjacent, sw_compare_u32);
        m->adjacent_start[i + 1] = used;
    }
}

static bool make_items(struct draft *d) {
    struct bb_model *m = d->model;
    uint32_t n = d->count;
    number_parts(d);
    m->item_count = n;
    m->items = SW_NEW_IN(&m->room, struct bb_item, n);
    m->parts = SW_NEW_IN(&m->room, struct bb_part, m->part_count);
    m->adjacent_start = SW_NEW_IN(&m->room, uint32_t, (size_t)n + 1);
    m->closed_start = SW_NEW_IN(&m->room, uint32_t, (size_t)n + 1);
    m->ranges_start = SW_NEW_IN(&m->room, uint32_t, (size_t)n + 1);
    m->adjacent = SW_NEW_IN(&m->room, uint32_t, d->near.count);
    if (!m->items || !m->parts || !m->adjacent_start || !m->closed_start || !m->ranges_start || !m->adjacent) {
        return false;
    }
    m->adjacent_count = d->near.count;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = d->order[i].draft;
        const struct sw_buffer *b = sw_problem_buffer(d->problem, d->buffer[from]);
        d->item[from] = i;
        m->items[i] = (struct bb_item){.buffer = d->buffer[from],
                                       .part = d->order[i].part,
                                       .twin = SW_NONE,
                                       .step = b->first,
                                       .size = b->size,
                                       .alignment = b->alignment};
        struct bb_part *part = &m->parts[d->order[i].part];
        if (part->count++ == 0) {
            *part = (struct bb_part){.first = i, .count = 1, .tier = d->tier[from], .plain = true};
        }
        part->plain = part->plain && !d->mixed[from];
        part->large = d->large;
    }
    copy_edges(d);
    return true;
}

/* ---- ranges that are closed to an item ---- */

SW_BY_FIELDS(compare_closed, struct bb_closed, SW_UP(lo), SW_UP(hi))

/* Nothing may start at x with lo - size < x < hi. */
static bool close_range(struct bb_model *m, uint64_t size, int64_t lo, int64_t hi) {
    int64_t from = lo - (int64_t)size + 1;
    from = SW_MAX(from, 0);
    return from >= hi || SW_PUSH(&m->closed, (struct bb_closed){(uint64_t)from, (uint64_t)hi});
}

static bool close_pinned(struct draft *d, const struct bb_item *item, uint32_t tier) {
    struct sw_neighbors walk = sw_problem_neighbors(d->problem, item->buffer);
    for (uint32_t other; (other = sw_neighbors_next(&walk)) != SW_NONE;) {
        struct sw_pin pin;
        if (d->of_rank[sw_problem_rank(d->problem, other).at] != SW_NONE ||
            !sw_rules_pin(d->problem, &d->run->rules, other, &pin) || pin.tier != tier) {
            continue;
        }
        d->obstacles.count = 0;
        if (!sw_problem_obstacles(d->problem, item->buffer, SW_WHOLE_LIFE, other, SW_WHOLE_LIFE, pin.offset,
                                  &d->obstacles)) {
            return false;
        }
        for (size_t i = 0; i < d->obstacles.count; i++) {
            if (!close_range(d->model, item->size, d->obstacles.items[i].lo, d->obstacles.items[i].hi)) {
                return false;
            }
        }
    }
    return true;
}

static bool close_ranges(struct draft *d, const struct bb_item *item, uint32_t tier) {
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(d->problem, &count);
    for (size_t i = 0; i < count; i++) {
        if (reserved[i].tier == tier &&
            !close_range(d->model, item->size, (int64_t)reserved[i].lo, (int64_t)reserved[i].hi)) {
            return false;
        }
    }
    for (size_t i = 0; i < d->run->rules.forbids.count; i++) {
        const struct sw_forbid *f = &d->run->rules.forbids.items[i];
        if (f->tier == tier && f->lo < f->hi && (f->buffer == SW_NONE || f->buffer == item->buffer) &&
            !close_range(d->model, item->size, (int64_t)f->lo, (int64_t)f->hi)) {
            return false;
        }
    }
    return close_pinned(d, item, tier);
}

/* Sort the ranges from `begin` on, and join those that meet. */
static void join_closed(struct bb_model *m, size_t begin) {
    size_t kept = begin;
    if (m->closed.count - begin > 1) {
        qsort(m->closed.items + begin, m->closed.count - begin, sizeof *m->closed.items, compare_closed);
    }
    for (size_t i = begin; i < m->closed.count; i++) {
        struct bb_closed next = m->closed.items[i];
        if (kept > begin && next.lo <= m->closed.items[kept - 1].hi) {
            struct bb_closed *last = &m->closed.items[kept - 1];
            last->hi = SW_MAX(next.hi, last->hi);
        } else {
            m->closed.items[kept++] = next;
        }
    }
    m->closed.count = kept;
}

static bool find_closed(struct draft *d) {
    struct bb_model *m = d->model;
    for (uint32_t i = 0; i < m->item_count; i++) {
        size_t begin = m->closed.count;
        if (!close_ranges(d, &m->items[i], m->parts[m->items[i].part].tier)) {
            return false;
        }
        join_closed(m, begin);
        m->closed_start[i + 1] = (uint32_t)m->closed.count;
        m->items[i].ground = bb_place_from(m, i, 0);
    }
    return true;
}

uint64_t bb_place_from(const struct bb_model *m, uint32_t item, uint64_t x) {
    const struct bb_item *it = &m->items[item];
    const struct bb_closed *closed = m->closed.items + m->closed_start[item];
    size_t count = m->closed_start[item + 1] - m->closed_start[item];
    for (;;) {
        x = sw_align_up(x, it->alignment);
        size_t at = SW_FIRST(i, count, closed[i].hi > x);
        if (at == count || x < closed[at].lo) {
            return x > BB_TOP ? BB_NOWHERE : x;
        }
        x = closed[at].hi;
    }
}

/* ---- sections ---- */

/* Births of pieces at which, before the next birth, something dies: there the sets of items alive
 * are the largest. `births` and `deaths` are ascending. */
static bool keep_sections(struct bb_model *m, const uint32_t *births, const uint32_t *deaths, size_t count) {
    size_t dead = 0;
    for (size_t i = 0; i < count; i++) {
        bool last = i + 1 == count;
        if (!last && births[i + 1] == births[i]) {
            continue;
        }
        size_t before = dead;
        while (dead < count && (last || deaths[dead] < births[i + 1])) {
            dead++;
        }
        if (dead > before && !SW_PUSH(&m->steps, births[i])) {
            return false;
        }
    }
    return true;
}

static bool find_sections(struct draft *d, struct bb_part *part) {
    struct bb_model *m = d->model;
    size_t count = 0, at = 0;
    for (uint32_t i = 0; i < part->count; i++) {
        count += sw_problem_buffer(d->problem, m->items[part->first + i].buffer)->piece_count;
    }
    uint32_t *births = SW_NEW(uint32_t, count), *deaths = SW_NEW(uint32_t, count);
    for (uint32_t i = 0; births && deaths && i < part->count; i++) {
        const struct sw_buffer *b = sw_problem_buffer(d->problem, m->items[part->first + i].buffer);
        for (uint32_t p = 0; p < b->piece_count; p++, at++) {
            births[at] = b->pieces[p].first;
            deaths[at] = b->pieces[p].last;
        }
    }
    bool ok = births && deaths;
    part->section = (uint32_t)m->steps.count;
    if (ok && count > 0) {
        qsort(births, count, sizeof *births, sw_compare_u32);
        qsort(deaths, count, sizeof *deaths, sw_compare_u32);
        ok = keep_sections(m, births, deaths, count);
    }
    part->sections = (uint32_t)m->steps.count - part->section;
    SW_FREE(births, count);
    SW_FREE(deaths, count);
    return ok;
}

/* The first section of the part at or after a step. */
static uint32_t section_from(const struct bb_model *m, const struct bb_part *part, uint64_t step) {
    return (uint32_t)SW_FIRST(k, part->sections, m->steps.items[part->section + k] >= step);
}

static bool find_item_ranges(struct draft *d, const struct bb_part *part, uint32_t item) {
    struct bb_model *m = d->model;
    const struct sw_buffer *b = sw_problem_buffer(d->problem, m->items[item].buffer);
    size_t begin = m->ranges.count;
    for (uint32_t p = 0; p < b->piece_count; p++) {
        struct bb_range range = {section_from(m, part, b->pieces[p].first),
                                 section_from(m, part, (uint64_t)b->pieces[p].last + 1)};
        struct bb_range *last = m->ranges.count > begin ? &m->ranges.items[m->ranges.count - 1] : NULL;
        if (last && range.from <= last->to) { /* windows of one time, or no section between */
            last->to = SW_MAX(range.to, last->to);
        } else if (range.from < range.to && !SW_PUSH(&m->ranges, range)) {
            return false;
        }
    }
    return true;
}

static bool items_conflict(const struct bb_model *m, uint32_t a, uint32_t b) {
    const uint32_t *adjacent = m->adjacent + m->adjacent_start[a];
    size_t count = m->adjacent_start[a + 1] - m->adjacent_start[a];
    size_t at = SW_FIRST(k, count, adjacent[k] >= b);
    return at < count && adjacent[at] == b;
}

static bool ranges_meet(const struct bb_model *m, uint32_t a, uint32_t b) {
    for (uint32_t i = m->ranges_start[a]; i < m->ranges_start[a + 1]; i++) {
        for (uint32_t k = m->ranges_start[b]; k < m->ranges_start[b + 1]; k++) {
            if (m->ranges.items[i].from < m->ranges.items[k].to && m->ranges.items[k].from < m->ranges.items[i].to) {
                return true;
            }
        }
    }
    return false;
}

/* On several cores two items may share a step and not conflict. Sections are used only where all items
 * that share a section conflict. */
static bool sections_hold(const struct bb_model *m, const struct bb_part *part) {
    for (uint32_t a = part->first; a < part->first + part->count; a++) {
        for (uint32_t b = part->first; b < a; b++) {
            if (ranges_meet(m, a, b) && !items_conflict(m, a, b)) {
                return false;
            }
        }
    }
    return true;
}

static bool make_sections(struct draft *d) {
    struct bb_model *m = d->model;
    for (uint32_t p = 0; p < m->part_count; p++) {
        struct bb_part *part = &m->parts[p];
        size_t ranges = m->ranges.count;
        if (!part->large && !find_sections(d, part)) {
            return false;
        }
        for (uint32_t i = part->first; i < part->first + part->count; i++) {
            if (part->sections > 0 && !find_item_ranges(d, part, i)) {
                return false;
            }
            m->ranges_start[i + 1] = (uint32_t)m->ranges.count;
        }
        if (sw_problem_core_count(d->problem) > 1 && !sections_hold(m, part)) {
            m->ranges.count = ranges;
            m->steps.count = part->section;
            part->sections = 0;
            for (uint32_t i = part->first; i < part->first + part->count; i++) {
                m->ranges_start[i + 1] = (uint32_t)ranges;
            }
        }
        m->most_items = SW_MAX(part->count, m->most_items);
        m->most_sections = SW_MAX(part->sections, m->most_sections);
    }
    m->section_count = (uint32_t)m->steps.count;
    return true;
}

/* ---- the items alive at a section ---- */

/* How many items of plain parts are alive at each section, and at how many sections each item is. */
static void count_members(struct bb_model *m) {
    for (uint32_t i = 0; i < m->item_count; i++) {
        const struct bb_part *part = &m->parts[m->items[i].part];
        for (uint32_t r = m->ranges_start[i]; part->plain && r < m->ranges_start[i + 1]; r++) {
            m->items[i].life += m->ranges.items[r].to - m->ranges.items[r].from;
            for (uint32_t k = m->ranges.items[r].from; k < m->ranges.items[r].to; k++) {
                m->members_start[part->section + k + 1]++;
            }
        }
    }
    for (uint32_t k = 0; k < m->section_count; k++) {
        m->members_start[k + 1] += m->members_start[k];
    }
}

static bool find_members(struct bb_model *m) {
    m->members_start = SW_NEW_IN(&m->room, uint32_t, (size_t)m->section_count + 1);
    uint32_t *next = SW_NEW(uint32_t, m->section_count);
    uint64_t *sum = SW_NEW_ZERO(uint64_t, m->section_count);
    bool ok = m->members_start && next && sum;
    if (ok) {
        count_members(m);
        m->members = SW_NEW_IN(&m->room, uint32_t, m->members_start[m->section_count]);
        ok = m->members != NULL;
    }
    if (ok && m->section_count > 0) {
        memcpy(next, m->members_start, m->section_count * sizeof *next);
    }
    for (uint32_t pass = 0; ok && pass < 2; pass++) {
        for (uint32_t i = 0; i < m->item_count; i++) {
            struct bb_item *item = &m->items[i];
            const struct bb_part *part = &m->parts[item->part];
            for (uint32_t r = m->ranges_start[i]; part->plain && r < m->ranges_start[i + 1]; r++) {
                for (uint32_t k = m->ranges.items[r].from; k < m->ranges.items[r].to; k++) {
                    uint32_t at = part->section + k;
                    if (pass == 0) {
                        m->members[next[at]++] = i - part->first;
                        sum[at] += item->size;
                    } else {
                        item->crowd = SW_MAX(sum[at], item->crowd);
                    }
                }
            }
        }
    }
    SW_FREE(next, m->section_count);
    SW_FREE(sum, m->section_count);
    return ok;
}

/* For each item, the items that are born while it is alive. */
static bool find_births(struct draft *d) {
    struct bb_model *m = d->model;
    m->births_start = SW_NEW_IN(&m->room, uint32_t, (size_t)m->item_count + 1);
    for (uint32_t i = 0; m->births_start && i < m->item_count; i++) {
        const struct sw_buffer *b = sw_problem_buffer(d->problem, m->items[i].buffer);
        struct bb_part *part = &m->parts[m->items[i].part];
        part->pieces = part->pieces || sw_buffer_live_bytes(b, b->first) != b->size;
        for (uint32_t k = m->adjacent_start[i]; part->plain && k < m->adjacent_start[i + 1]; k++) {
            uint64_t live = sw_buffer_live_bytes(b, m->items[m->adjacent[k]].step);
            part->pieces = part->pieces || (live > 0 && live < b->size);
            if (live > 0 && !SW_PUSH(&m->births, m->adjacent[k] - part->first)) {
                return false;
            }
        }
        m->births_start[i + 1] = (uint32_t)m->births.count;
    }
    return m->births_start != NULL;
}

/* ---- bounds ---- */

/* Does the item conflict with one it may share bytes with? */
static bool shares_bytes(const struct draft *d, uint32_t item) {
    const struct bb_model *m = d->model;
    for (uint32_t k = m->adjacent_start[item]; k < m->adjacent_start[item + 1]; k++) {
        if (sw_problem_conflict(d->problem, m->items[item].buffer, m->items[m->adjacent[k]].buffer) ==
            SW_CONFLICT_INPLACE) {
            return true;
        }
    }
    return false;
}

/* In a plain part those alive stand on each other; in others their bytes alive are apart, and of
 * those that may share the largest counts. */
static void add_live(const struct draft *d, const struct bb_part *part, uint64_t *sum, uint64_t *largest) {
    const struct bb_model *m = d->model;
    for (uint32_t i = part->first; i < part->first + part->count; i++) {
        const struct sw_buffer *b = sw_problem_buffer(d->problem, m->items[i].buffer);
        bool sharing = !part->plain && shares_bytes(d, i);
        for (uint32_t r = m->ranges_start[i]; r < m->ranges_start[i + 1]; r++) {
            for (uint32_t s = m->ranges.items[r].from; s < m->ranges.items[r].to; s++) {
                uint64_t live = part->plain ? b->size : sw_buffer_live_bytes(b, m->steps.items[part->section + s]);
                if (sharing) {
                    largest[s] = SW_MAX(live, largest[s]);
                } else {
                    sum[s] += live;
                }
            }
        }
    }
}

static bool find_bounds(struct draft *d) {
    struct bb_model *m = d->model;
    uint64_t *sum = SW_NEW(uint64_t, m->most_sections);
    uint64_t *largest = SW_NEW(uint64_t, m->most_sections);
    for (uint32_t p = 0; sum && largest && p < m->part_count; p++) {
        struct bb_part *part = &m->parts[p];
        memset(sum, 0, part->sections * sizeof *sum);
        memset(largest, 0, part->sections * sizeof *largest);
        add_live(d, part, sum, largest);
        for (uint32_t s = 0; s < part->sections; s++) {
            uint64_t live = sum[s] + largest[s];
            part->bound = SW_MAX(live, part->bound);
        }
        for (uint32_t i = part->first; i < part->first + part->count; i++) {
            uint64_t end = m->items[i].ground + m->items[i].size;
            end = m->items[i].ground == BB_NOWHERE ? BB_NOWHERE : end;
            part->bound = SW_MAX(end, part->bound);
        }
        uint64_t *bound = &m->bound[part->tier];
        *bound = SW_MAX(part->bound, *bound);
    }
    for (uint32_t t = 0; t < SW_MAX_TIERS; t++) {
        m->bound[t] = SW_MAX(m->pinned_top[t], m->bound[t]);
    }
    uint64_t whole = sw_problem_lower_bound(d->problem);
    if (sw_problem_tier_count(d->problem) == 1 && whole > m->bound[0]) {
        m->bound[0] = whole;
    }
    bool ok = sum && largest;
    SW_FREE(sum, m->most_sections);
    SW_FREE(largest, m->most_sections);
    return ok;
}

/* ---- pairs of a part that is not plain ---- */

/* What keeps a and b apart, from what b at 0 forbids to a: the complement, ascending. */
static bool find_apart(struct draft *d, struct bb_pair *pair) {
    struct bb_model *m = d->model;
    struct bb_item *a = &m->items[pair->a], *b = &m->items[pair->b];
    struct sw_obstacles *list = &d->obstacles;
    list->count = 0;
    if (!sw_problem_obstacles(d->problem, a->buffer, SW_WHOLE_LIFE, b->buffer, SW_WHOLE_LIFE, 0, list)) {
        return false;
    }
    for (size_t i = 1; i < list->count; i++) { /* few: insertion */
        struct sw_obstacle item = list->items[i];
        size_t k = i;
        for (; k > 0 && item.lo < list->items[k - 1].lo; k--) {
            list->items[k] = list->items[k - 1];
        }
        list->items[k] = item;
    }
    int64_t cursor = INT64_MIN;
    pair->first = (uint32_t)m->apart.count;
    for (size_t i = 0; i < list->count; i++) {
        int64_t last = list->items[i].lo - (int64_t)a->size, next = list->items[i].hi;
        if (last + 1 >= next) {
            continue; /* forbids nothing */
        }
        if (last >= cursor && !SW_PUSH(&m->apart, (struct bb_apart){cursor, last})) {
            return false;
        }
        cursor = SW_MAX(next, cursor);
    }
    if (!SW_PUSH(&m->apart, (struct bb_apart){cursor, INT64_MAX})) {
        return false;
    }
    pair->count = (uint32_t)m->apart.count - pair->first;
    return true;
}

static bool list_pairs(struct draft *d) {
    struct bb_model *m = d->model;
    for (uint32_t p = 0; p < m->part_count; p++) {
        struct bb_part *part = &m->parts[p];
        part->pair = (uint32_t)m->pairs.count;
        for (uint32_t i = part->first; !part->plain && i < part->first + part->count; i++) {
            for (uint32_t k = m->adjacent_start[i]; k < m->adjacent_start[i + 1]; k++) {
                struct bb_pair pair = {.a = i, .b = m->adjacent[k]};
                if (pair.b > i && (!find_apart(d, &pair) || !SW_PUSH(&m->pairs, pair))) {
                    return false;
                }
            }
        }
        part->pairs = (uint32_t)m->pairs.count - part->pair;
    }
    return true;
}

/* ---- twins ---- */

static bool same_but(const struct bb_model *m, uint32_t a, uint32_t b) {
    uint32_t i = m->adjacent_start[a], k = m->adjacent_start[b];
    uint32_t end_a = m->adjacent_start[a + 1], end_b = m->adjacent_start[b + 1];
    for (;;) {
        i += i < end_a && m->adjacent[i] == b;
        k += k < end_b && m->adjacent[k] == a;
        if (i == end_a || k == end_b) {
            return i == end_a && k == end_b;
        }
        if (m->adjacent[i++] != m->adjacent[k++]) {
            return false;
        }
    }
}

static bool same_closed(const struct bb_model *m, uint32_t a, uint32_t b) {
    uint32_t i = m->closed_start[a], k = m->closed_start[b];
    uint32_t count = m->closed_start[a + 1] - i;
    return count == m->closed_start[b + 1] - k &&
           (count == 0 || memcmp(m->closed.items + i, m->closed.items + k, count * sizeof *m->closed.items) == 0);
}

static bool are_twins(const struct bb_model *m, uint32_t a, uint32_t b) {
    const struct bb_item *x = &m->items[a], *y = &m->items[b];
    return x->size == y->size && x->alignment == y->alignment && same_closed(m, a, b) && same_but(m, a, b);
}

/* Find the nearest twin before each item. Twins conflict with the same items, except for each other, so
 * sums over the hashed numbers of those are compared first. */
static bool find_twins(struct draft *d) {
    struct bb_model *m = d->model;
    uint64_t *sum = SW_NEW_ZERO(uint64_t, m->item_count);
    if (!sum) {
        return false;
    }
    for (uint32_t i = 0; i < m->item_count; i++) {
        for (uint32_t k = m->adjacent_start[i]; k < m->adjacent_start[i + 1]; k++) {
            sum[i] += sw_mix((uint64_t)m->adjacent[k] + 1);
        }
    }
    for (uint32_t p = 0; p < m->part_count; p++) {
        const struct bb_part *part = &m->parts[p];
        bool look = part->plain && !part->large && part->count <= MOST_TWINS;
        for (uint32_t i = part->first; look && i < part->first + part->count; i++) {
            uint64_t own = sum[i] + sw_mix((uint64_t)i + 1);
            for (uint32_t k = i; k-- > part->first && m->items[i].twin == SW_NONE;) {
                bool near = sum[k] == sum[i] || sum[k] + sw_mix((uint64_t)k + 1) == own;
                if (near && are_twins(m, k, i)) {
                    m->items[i].twin = k;
                }
            }
        }
    }
    SW_FREE(sum, m->item_count);
    return true;
}

/* ---- conflicts in bits ---- */

/* A row for each item of the plain parts that are searched, as long as there is room for them. */
static bool make_conflict_rows(struct bb_model *m) {
    size_t used = 0;
    for (uint32_t p = 0; p < m->part_count; p++) {
        struct bb_part *part = &m->parts[p];
        size_t words = bb_words(part->count), all = words * part->count;
        if (part->plain && part->sections > 0 && !part->large && all <= MOST_ROW_WORDS - used) {
            part->words = (uint32_t)words;
            part->row = used;
            used += all;
        }
    }
    m->rows = SW_NEW_IN(&m->room, uint64_t, used);
    for (uint32_t i = 0; m->rows && i < m->item_count; i++) {
        const struct bb_part *part = &m->parts[m->items[i].part];
        if (part->words == 0) {
            continue;
        }
        uint64_t *row = m->rows + part->row + (size_t)part->words * (i - part->first);
        for (uint32_t k = m->adjacent_start[i]; k < m->adjacent_start[i + 1]; k++) {
            uint32_t other = m->adjacent[k] - part->first;
            row[other / 64] |= UINT64_C(1) << other % 64;
        }
    }
    return m->rows != NULL;
}

/* ---- all of it ---- */

struct bb_model *bb_model_new(const struct sw_run *run) {
    struct draft d;
    bool ok = draft_init(&d, run) && sort_out(&d) && find_edges(&d) && make_items(&d) && find_closed(&d) &&
              make_sections(&d) && find_members(d.model) && find_births(&d) && find_bounds(&d) && list_pairs(&d) &&
              find_twins(&d) && make_conflict_rows(d.model);
    struct bb_model *model = d.model;
    draft_done(&d);
    if (!ok) {
        bb_model_drop(model);
        sw_fail_memory(run->error);
        return NULL;
    }
    return model;
}
