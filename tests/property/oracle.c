/* What is true of a layout, and what each planner must answer, from the specification alone. */
#include "model.h"

#include <stdio.h>
#include <string.h>

void model_layout_of(struct model_layout *out, const struct sw_layout *layout) {
    for (uint32_t i = 0; i < MAX_BUFFERS; i++) {
        struct sw_placement p;
        bool placed = i < sw_problem_buffer_count(sw_layout_problem(layout)) && sw_layout_placement(layout, i, 0, &p);
        out->tier[i] = placed ? p.tier : SW_NONE;
        out->offset[i] = placed ? p.offset : 0;
    }
}

/* ---- validity ---- */

static bool meet(uint64_t a_lo, uint64_t a_hi, uint64_t b_lo, uint64_t b_hi) {
    return a_lo < b_hi && b_lo < a_hi;
}

/* Is every operator that touches x before every one that touches y? */
static bool all_before(const struct model *m, const struct model_buffer *x, const struct model_buffer *y) {
    for (int a = 0; a < m->operator_count; a++) {
        for (int b = 0; b < m->operator_count; b++) {
            if (x->touched[a] && y->touched[b] && !m->before[a][b]) {
                return false;
            }
        }
    }
    return true;
}

/* May y's bytes be used once x is over? Not before x is written, if x is an input that the host
 * wrote; not after y is written, if y is an output that the host reads. */
static bool follows(const struct model *m, const struct model_buffer *x, const struct model_buffer *y) {
    return all_before(m, x, y) && y->kind != SW_KIND_INPUT && x->kind != SW_KIND_OUTPUT;
}

/* `fresh` is written by an in-place operator over its dying input `old`. */
static bool may_overwrite(const struct model *m, int fresh, int old, int64_t step) {
    if (!m->inplace_safe || step < 0 || step >= m->operator_count) {
        return false;
    }
    const struct model_operator *op = &m->operators[step];
    bool reads = false, writes = false;
    for (int i = 0; i < op->input_count; i++) {
        reads |= op->inputs[i] == old;
    }
    for (int i = 0; i < op->output_count; i++) {
        writes |= op->outputs[i] == fresh;
    }
    return op->inplace && reads && writes && m->buffers[fresh].size <= m->buffers[old].size &&
           m->buffers[old].last == step && m->buffers[old].kind != SW_KIND_OUTPUT && m->buffers[fresh].first == step;
}

/* Rule R6: at the birth of `fresh` its operator uses `old` for the last time: an input under its scratch
 * and outputs, or its scratch under its outputs. No other buffer uses them at that time. */
static bool overwrites(const struct model *m, int fresh, int old) {
    const struct model_buffer *f = &m->buffers[fresh], *b = &m->buffers[old];
    if (!m->overwrites || m->operator_count == 0 || b->last != f->first || b->kind == SW_KIND_OUTPUT) {
        return false;
    }
    const struct model_operator *op = &m->operators[f->first];
    bool input = false, output = false, under = false, over = false;
    for (int i = 0; i < MAX_ARGUMENTS; i++) {
        input |= i < op->input_count && op->inputs[i] == old;
        output |= i < op->output_count && op->outputs[i] == fresh;
        under |= i < op->scratch_count && op->scratch[i] == old;
        over |= i < op->scratch_count && op->scratch[i] == fresh;
    }
    for (int o = 0; o < m->operator_count; o++) {
        if (o != f->first &&
            ((b->touched[o] && !m->before[o][f->first]) || (f->touched[o] && !m->before[f->first][o]))) {
            return false;
        }
    }
    return (input && (output || over)) || (under && output);
}

/* Do two placed buffers share a byte when they must not? */
static bool clash(const struct model *m, const struct model_layout *l, int a, int b) {
    const struct model_buffer *x = &m->buffers[a], *y = &m->buffers[b];
    uint64_t ox = l->offset[a], oy = l->offset[b];
    if (overwrites(m, a, b) || overwrites(m, b, a)) {
        return false;
    }
    if (m->cores > 1) {
        return meet(ox, ox + x->size, oy, oy + y->size) && !follows(m, x, y) && !follows(m, y, x);
    }
    for (int p = 0; p < (x->pieces ? x->pieces : 1); p++) {
        for (int q = 0; q < (y->pieces ? y->pieces : 1); q++) {
            const struct model_piece *s = &x->piece[p], *t = &y->piece[q];
            int64_t from = s->first > t->first ? s->first : t->first;
            int64_t to = s->last < t->last ? s->last : t->last;
            if (from > to || !meet(ox + s->lo, ox + s->hi, oy + t->lo, oy + t->hi)) {
                continue;
            }
            if (from == to && ox == oy && (may_overwrite(m, a, b, from) || may_overwrite(m, b, a, from))) {
                continue;
            }
            return true;
        }
    }
    return false;
}

static bool check_one(const struct model *m, const struct model_layout *l, int i, bool overflow, char *text,
                      size_t size) {
    const struct model_buffer *b = &m->buffers[i];
    uint32_t tier = l->tier[i];
    if (tier >= (uint32_t)m->tier_count || !(b->tiers >> tier & 1) || (b->tier >= 0 && (int)tier != b->tier)) {
        snprintf(text, size, "%s is in tier %u", b->name, tier);
        return false;
    }
    if (b->size > 0 && l->offset[i] % b->alignment != 0) {
        snprintf(text, size, "%s is not aligned", b->name);
        return false;
    }
    if (b->pinned && l->offset[i] != b->offset) {
        snprintf(text, size, "%s is not at its pin", b->name);
        return false;
    }
    if (!overflow && b->size > 0 && m->capacity[tier] != SW_UNBOUNDED && /* what holds no byte ends nowhere */
        l->offset[i] + b->size > m->capacity[tier]) {
        snprintf(text, size, "%s ends above the capacity", b->name);
        return false;
    }
    for (int k = 0; k < m->reserved_count && b->size > 0; k++) {
        if (m->reserved[k].tier == (int)tier &&
            meet(l->offset[i], l->offset[i] + b->size, m->reserved[k].lo, m->reserved[k].hi)) {
            snprintf(text, size, "%s touches a reserved range", b->name);
            return false;
        }
    }
    return true;
}

bool oracle_check(const struct model *m, const struct model_layout *l, bool overflow, char *text, size_t size) {
    for (int i = 0; i < m->buffer_count; i++) {
        if (m->buffers[i].planned && !check_one(m, l, i, overflow, text, size)) {
            return false;
        }
        for (int k = 0; k < i; k++) {
            const struct model_buffer *a = &m->buffers[i], *b = &m->buffers[k];
            if (!a->planned || !b->planned || a->size == 0 || b->size == 0 || l->tier[i] != l->tier[k]) {
                continue;
            }
            bool separate = m->separate_count > 0 && ((m->separate[0][0] == i && m->separate[0][1] == k) ||
                                                      (m->separate[0][0] == k && m->separate[0][1] == i));
            if (clash(m, l, i, k) ||
                (separate && meet(l->offset[i], l->offset[i] + a->size, l->offset[k], l->offset[k] + b->size))) {
                snprintf(text, size, "%s at %llu and %s at %llu share bytes", a->name, (unsigned long long)l->offset[i],
                         b->name, (unsigned long long)l->offset[k]);
                return false;
            }
        }
    }
    return true;
}

bool oracle_alone(const struct model *m, const struct model_layout *l, int buffer, bool overflow) {
    char text[100];
    return check_one(m, l, buffer, overflow, text, sizeof text);
}

bool oracle_pair(const struct model *m, const struct model_layout *l, int a, int b) {
    const struct model_buffer *x = &m->buffers[a], *y = &m->buffers[b];
    bool separate = m->separate_count > 0 && ((m->separate[0][0] == a && m->separate[0][1] == b) ||
                                              (m->separate[0][0] == b && m->separate[0][1] == a));
    if (x->size == 0 || y->size == 0 || l->tier[a] != l->tier[b]) {
        return true;
    }
    return !clash(m, l, a, b) &&
           !(separate && meet(l->offset[a], l->offset[a] + x->size, l->offset[b], l->offset[b] + y->size));
}

uint64_t oracle_live(const struct model *m) {
    uint64_t most = 0;
    for (int64_t t = -10; t < 100; t++) {
        uint64_t live = 0;
        for (int i = 0; i < m->buffer_count; i++) {
            const struct model_buffer *b = &m->buffers[i];
            for (int p = 0; b->planned && p < (b->pieces ? b->pieces : 1); p++) {
                if (b->piece[p].first <= t && t <= b->piece[p].last) {
                    live += b->piece[p].hi - b->piece[p].lo;
                }
            }
        }
        most = live > most ? live : most;
    }
    return most;
}

/* ---- the planners again, for plain models ---- */

static bool together(const struct model *m, int a, int b) {
    const struct model_buffer *x = &m->buffers[a], *y = &m->buffers[b];
    return x->first <= y->last && y->first <= x->last && x->size > 0 && y->size > 0;
}

static uint64_t top_of(const struct model *m, const uint64_t *offsets) {
    uint64_t top = 0;
    for (int i = 0; i < m->buffer_count; i++) {
        uint64_t end = offsets[i] + m->buffers[i].size;
        top = end > top ? end : top;
    }
    return top;
}

/* Insertion sort by a rule; stable, so ties stay as listed. */
static void sort_by(const struct model *m, int *order, int count, bool (*before)(const struct model *, int, int)) {
    for (int i = 1; i < count; i++) {
        int item = order[i], k = i;
        for (; k > 0 && before(m, item, order[k - 1]); k--) {
            order[k] = order[k - 1];
        }
        order[k] = item;
    }
}

static bool born_before(const struct model *m, int a, int b) {
    return m->buffers[a].first < m->buffers[b].first;
}

static bool larger(const struct model *m, int a, int b) {
    return m->buffers[a].size > m->buffers[b].size;
}

static void program_order(const struct model *m, int *order) {
    for (int i = 0; i < m->buffer_count; i++) {
        order[i] = i;
    }
    sort_by(m, order, m->buffer_count, born_before);
}

/* Lowest x such that [x, x + size) meets no placed conflicting buffer: 0 or some block's end. */
uint64_t oracle_first_fit(const struct model *m, const int *order, uint64_t *offsets) {
    for (int i = 0; i < m->buffer_count; i++) {
        int b = order[i];
        uint64_t best = UINT64_MAX, size = m->buffers[b].size;
        for (int k = -1; k < i; k++) {
            uint64_t x = k < 0 ? 0 : offsets[order[k]] + m->buffers[order[k]].size;
            if (k >= 0 && !together(m, b, order[k])) {
                continue;
            }
            bool free_ = true;
            for (int j = 0; j < i; j++) {
                int o = order[j];
                free_ &= !together(m, b, o) || !meet(x, x + size, offsets[o], offsets[o] + m->buffers[o].size);
            }
            best = free_ && x < best ? x : best;
        }
        offsets[b] = best;
    }
    return top_of(m, offsets);
}

uint64_t oracle_program_first_fit(const struct model *m, uint64_t *offsets) {
    int order[MAX_BUFFERS];
    program_order(m, order);
    return oracle_first_fit(m, order, offsets);
}

/* Smallest gap between blocks that fits, lowest of equals; else above them all. */
static void place_greedily(const struct model *m, const int *placed, int count, int b, uint64_t *offsets) {
    int near[MAX_BUFFERS], n = 0;
    for (int i = 0; i < count; i++) {
        if (together(m, b, placed[i])) {
            int k = n++;
            for (; k > 0 && offsets[near[k - 1]] > offsets[placed[i]]; k--) {
                near[k] = near[k - 1];
            }
            near[k] = placed[i];
        }
    }
    uint64_t cursor = 0, best = 0, best_gap = UINT64_MAX;
    for (int i = 0; i < n; i++) {
        uint64_t lo = offsets[near[i]], hi = lo + m->buffers[near[i]].size;
        if (lo > cursor && lo - cursor >= m->buffers[b].size && lo - cursor < best_gap) {
            best_gap = lo - cursor;
            best = cursor;
        }
        cursor = hi > cursor ? hi : cursor;
    }
    offsets[b] = m->buffers[b].size == 0 ? 0 : best_gap == UINT64_MAX ? cursor : best;
}

uint64_t oracle_greedy_by_size(const struct model *m, uint64_t *offsets) {
    int order[MAX_BUFFERS];
    program_order(m, order);
    sort_by(m, order, m->buffer_count, larger);
    for (int i = 0; i < m->buffer_count; i++) {
        place_greedily(m, order, i, order[i], offsets);
    }
    return top_of(m, offsets);
}

static uint64_t breadth_at(const struct model *m, int64_t t) {
    uint64_t sum = 0;
    for (int i = 0; i < m->buffer_count; i++) {
        const struct model_buffer *b = &m->buffers[i];
        sum += b->first <= t && t <= b->last ? b->size : 0;
    }
    return sum;
}

uint64_t oracle_greedy_by_breadth(const struct model *m, uint64_t *offsets) {
    int by_size[MAX_BUFFERS], placed[MAX_BUFFERS], count = 0;
    bool done_time[32] = {false}, done[MAX_BUFFERS] = {false};
    program_order(m, by_size);
    sort_by(m, by_size, m->buffer_count, larger);
    for (;;) {
        /* The broadest time that has not had its turn, the earliest of equals. */
        int best = -1;
        for (int t = 0; t < 32; t++) {
            if (!done_time[t] && (best < 0 || breadth_at(m, t) > breadth_at(m, best))) {
                best = t;
            }
        }
        if (best < 0) {
            return top_of(m, offsets);
        }
        done_time[best] = true;
        for (int i = 0; i < m->buffer_count; i++) {
            int b = by_size[i];
            if (!done[b] && m->buffers[b].first <= best && best <= m->buffers[b].last) {
                place_greedily(m, placed, count, b, offsets);
                done[b] = true;
                placed[count++] = b;
            }
        }
    }
}

/* ---- real free lists ---- */

struct free_list {
    int count;
    struct {
        uint64_t offset, size;
    } blocks[2 * MAX_BUFFERS];
};

static void give_back(struct free_list *list, uint64_t offset, uint64_t size) {
    int at = 0;
    while (at < list->count && list->blocks[at].offset < offset) {
        at++;
    }
    for (int i = list->count++; i > at; i--) {
        list->blocks[i] = list->blocks[i - 1];
    }
    list->blocks[at].offset = offset;
    list->blocks[at].size = size;
    for (int i = 0; i + 1 < list->count;) {
        if (list->blocks[i].offset + list->blocks[i].size == list->blocks[i + 1].offset) {
            list->blocks[i].size += list->blocks[i + 1].size;
            for (int k = i + 1; k + 1 < list->count; k++) {
                list->blocks[k] = list->blocks[k + 1];
            }
            list->count--;
        } else {
            i++;
        }
    }
}

/* Cut from the low end. */
static uint64_t take(struct free_list *list, int at, uint64_t size) {
    uint64_t offset = list->blocks[at].offset;
    list->blocks[at].offset += size;
    list->blocks[at].size -= size;
    if (list->blocks[at].size == 0) {
        for (int k = at; k + 1 < list->count; k++) {
            list->blocks[k] = list->blocks[k + 1];
        }
        list->count--;
    }
    return offset;
}

static int smallest_that_fits(const struct free_list *list, uint64_t size) {
    int best = -1;
    for (int i = 0; i < list->count; i++) {
        if (list->blocks[i].size >= size && (best < 0 || list->blocks[i].size < list->blocks[best].size)) {
            best = i;
        }
    }
    return best;
}

/* Everything that ended before `b` is born goes back. */
static void release_before(const struct model *m, struct free_list *list, const int *order, int count, int b,
                           bool *freed, const uint64_t *offsets) {
    for (int i = 0; i < count; i++) {
        const struct model_buffer *o = &m->buffers[order[i]];
        if (!freed[order[i]] && o->last < m->buffers[b].first) {
            freed[order[i]] = true;
            if (o->size > 0) {
                give_back(list, offsets[order[i]], o->size);
            }
        }
    }
}

uint64_t oracle_best_fit(const struct model *m, uint64_t *offsets) {
    int order[MAX_BUFFERS];
    bool freed[MAX_BUFFERS] = {false};
    struct free_list list = {0};
    uint64_t arena = 0;
    program_order(m, order);
    for (int i = 0; i < m->buffer_count; i++) {
        int b = order[i], at;
        uint64_t size = m->buffers[b].size;
        release_before(m, &list, order, i, b, freed, offsets);
        if (size == 0) {
            offsets[b] = 0;
        } else if ((at = smallest_that_fits(&list, size)) >= 0) {
            offsets[b] = take(&list, at, size);
        } else if (list.count > 0 && list.blocks[list.count - 1].offset + list.blocks[list.count - 1].size == arena) {
            offsets[b] = list.blocks[--list.count].offset;
            arena = offsets[b] + size;
        } else {
            offsets[b] = arena;
            arena += size;
        }
    }
    return arena;
}

uint64_t oracle_lifetime_best_fit(const struct model *m, uint64_t *offsets) {
    int order[MAX_BUFFERS];
    bool freed[MAX_BUFFERS] = {false};
    struct free_list list = {0};
    uint64_t next_offset = 0;
    program_order(m, order);
    for (int i = 0; i < m->buffer_count; i++) {
        int b = order[i], at;
        uint64_t size = m->buffers[b].size;
        release_before(m, &list, order, i, b, freed, offsets);
        if (size == 0) {
            offsets[b] = 0;
        } else if ((at = smallest_that_fits(&list, size)) >= 0) {
            offsets[b] = take(&list, at, size);
        } else if (list.count > 0) {
            at = 0;
            for (int k = 1; k < list.count; k++) {
                at = list.blocks[k].size > list.blocks[at].size ? k : at;
            }
            uint64_t s = list.blocks[at].size, o = list.blocks[at].offset, delta = size - s;
            next_offset += delta;
            for (int k = 0; k < i; k++) {
                if (m->buffers[order[k]].size > 0 && offsets[order[k]] >= o + s) {
                    offsets[order[k]] += delta;
                }
            }
            for (int k = 0; k < list.count; k++) {
                if (list.blocks[k].offset >= o + s) {
                    list.blocks[k].offset += delta;
                }
            }
            list.blocks[at].size = size;
            offsets[b] = take(&list, at, size);
        } else {
            offsets[b] = next_offset;
            next_offset += size;
        }
    }
    return next_offset;
}

/* ---- all orders ---- */

uint64_t oracle_optimum(const struct model *m) {
    int order[MAX_BUFFERS] = {0}, counters[MAX_BUFFERS] = {0}, n = m->buffer_count;
    uint64_t offsets[MAX_BUFFERS], best;
    for (int i = 0; i < n; i++) {
        order[i] = i;
    }
    best = oracle_first_fit(m, order, offsets);
    /* Heap's method: every order differs from the last by one exchange. */
    for (int i = 0; i < n;) {
        if (counters[i] < i) {
            int k = i % 2 ? counters[i] : 0, swap = order[k];
            order[k] = order[i];
            order[i] = swap;
            uint64_t top = oracle_first_fit(m, order, offsets);
            best = top < best ? top : best;
            counters[i]++;
            i = 0;
        } else {
            counters[i++] = 0;
        }
    }
    return best;
}
