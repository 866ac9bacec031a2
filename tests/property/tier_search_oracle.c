/* The rules of tier-search, restated. See tier_search_oracle.h. */
#include "tier_search_oracle.h"

#include <stdlib.h>

enum { BYTES = 400 };

struct place {
    int tier, at;
};

static bool live_together(const struct tier_block *a, const struct tier_block *b) {
    return a->first <= b->last && b->first <= a->last;
}

static bool in_list(const int *list, int count, int item) {
    for (int i = 0; i < count; i++) {
        if (list[i] == item) {
            return true;
        }
    }
    return false;
}

bool tier_reusable(const struct tier_graph *g, int fresh, int old) {
    const struct tier_block *f = &g->block[fresh], *o = &g->block[old];
    const struct tier_operation *op = &g->op[f->first];
    bool output = in_list(op->outputs, op->output_count, fresh), scratch = op->scratch == fresh;
    bool input = in_list(op->inputs, op->input_count, old);
    return fresh != old && o->last == f->first && o->kind != SW_KIND_OUTPUT && f->size > 0 && o->size > 0 &&
           ((input && (output || scratch)) || (op->scratch == old && output));
}

/* Does `other` hold the byte of the tier, at a time when b lives? */
static bool holds_byte(const struct tier_graph *g, const struct tier_state *s, int b, int other, int tier, int x) {
    return other != b && s->tier[other] == tier && x >= s->at[other] && x < s->at[other] + g->block[other].size &&
           live_together(&g->block[b], &g->block[other]);
}

static bool is_taken(const struct tier_graph *g, const struct tier_state *s, int b, int tier, int x) {
    for (int i = 0; i < g->blocks; i++) {
        if (holds_byte(g, s, b, i, tier, x)) {
            return true;
        }
    }
    return false;
}

/* The last step of those that hold a byte. */
static int last_holder_dies(const struct tier_graph *g, const struct tier_state *s, int b, int tier, int x) {
    int last = 0;
    for (int i = 0; i < g->blocks; i++) {
        if (holds_byte(g, s, b, i, tier, x) && g->block[i].last > last) {
            last = g->block[i].last;
        }
    }
    return last;
}

struct space {
    int tier, lo, hi, old;
    bool open; /* it has no upper end */
};

static int round_up(int x, int alignment) {
    return (x + alignment - 1) / alignment * alignment;
}

static bool fits_into(const struct tier_graph *g, int b, const struct space *space) {
    return round_up(space->lo, g->block[b].alignment) + g->block[b].size <= space->hi;
}

static int free_spaces(const struct tier_graph *g, const struct tier_state *s, int b, int tier, struct space *out) {
    int top = g->capacity[tier] ? g->capacity[tier] : BYTES * 4, count = 0;
    for (int x = 0; x < top; x++) {
        if (is_taken(g, s, b, tier, x)) {
            continue;
        }
        int lo = x;
        while (x < top && !is_taken(g, s, b, tier, x) && !(g->capacity[tier] == 0 && x > BYTES)) {
            x++;
        }
        bool open = g->capacity[tier] == 0 && x > BYTES;
        out[count++] = (struct space){tier, lo, open ? BYTES * 4 : x, NOWHERE, open};
        if (open) {
            break;
        }
    }
    return count;
}

/* The rests of blocks that b may be written over: their bytes, but for what others hold. What the
 * block was itself written over is no other. */
static int targets(const struct tier_graph *g, const struct tier_state *s, int b, int tier, struct space *out) {
    int count = 0;
    for (int old = 0; old < g->blocks; old++) {
        if (s->tier[old] != tier || !tier_reusable(g, b, old)) {
            continue;
        }
        for (int x = s->at[old], lo = -1; x <= s->at[old] + g->block[old].size; x++) {
            bool inside = x < s->at[old] + g->block[old].size;
            for (int i = 0; inside && i < g->blocks; i++) {
                bool under = tier_reusable(g, old, i) && tier_reusable(g, b, i);
                inside = i == old || under || !holds_byte(g, s, b, i, tier, x);
            }
            if (inside && lo < 0) {
                lo = x;
            } else if (!inside && lo >= 0) {
                out[count++] = (struct space){tier, lo, x, old, false};
                lo = -1;
            }
        }
    }
    return count;
}

/* The smallest that is large enough; of equal ones the lowest. */
static const struct space *best_fit(const struct tier_graph *g, int b, const struct space *spaces, int count) {
    const struct space *best = NULL;
    for (int i = 0; i < count; i++) {
        const struct space *x = &spaces[i];
        int size = x->open ? 1 << 20 : x->hi - x->lo;
        int least = best ? (best->open ? 1 << 20 : best->hi - best->lo) : 0;
        if (fits_into(g, b, x) && (!best || size < least || (size == least && x->lo < best->lo))) {
            best = x;
        }
    }
    return best;
}

/* R4 and R5: the two ends, the right one first. */
static void ends_of_space(const struct tier_graph *g, const struct tier_state *s, int b, const struct space *space,
                          int *first, int *second) {
    int low = round_up(space->lo, g->block[b].alignment), never = 1 << 20;
    int high = (space->hi - g->block[b].size) / g->block[b].alignment * g->block[b].alignment;
    *first = *second = low;
    if (space->open) {
        return;
    }
    int top = g->capacity[space->tier];
    int below = space->lo == 0 ? never : last_holder_dies(g, s, b, space->tier, space->lo - 1);
    int above = top && space->hi == top ? never : last_holder_dies(g, s, b, space->tier, space->hi);
    bool up_high = above > below;
    if (above == below) {
        up_high = top && top - space->hi < space->lo;
    }
    *first = up_high ? high : low;
    *second = up_high ? low : high;
}

static bool allocate(const struct tier_graph *g, struct tier_state *s, int b) {
    struct space list[BYTES];
    struct place plain = {NOWHERE, 0}, over = {NOWHERE, 0};
    for (int t = 0; t < g->tiers; t++) {
        int unused;
        if (!g->block[b].allowed[t]) {
            continue;
        }
        if (g->block[b].size == 0) {
            s->tier[b] = t;
            s->at[b] = 0;
            return true;
        }
        const struct space *pick = best_fit(g, b, list, free_spaces(g, s, b, t, list));
        if (plain.tier == NOWHERE && pick) {
            plain.tier = t;
            ends_of_space(g, s, b, pick, &plain.at, &unused);
        }
        pick = best_fit(g, b, list, targets(g, s, b, t, list));
        if (over.tier == NOWHERE && pick) {
            over = (struct place){t, round_up(pick->lo, g->block[b].alignment)};
        }
    }
    bool overwrite = over.tier != NOWHERE && (plain.tier == NOWHERE || over.tier <= plain.tier);
    s->tier[b] = overwrite ? over.tier : plain.tier;
    s->at[b] = overwrite ? over.at : plain.at;
    return s->tier[b] != NOWHERE;
}

/* inputs, then scratch, then what operators put out; of these as listed */
static int order_of(const struct tier_graph *g, const bool *members, int *list) {
    static const int classes[] = {
        [SW_KIND_INPUT] = 0, [SW_KIND_SCRATCH] = 1, [SW_KIND_INTERMEDIATE] = 2, [SW_KIND_OUTPUT] = 2};
    int count = 0;
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < g->blocks; i++) {
            if (members[i] && classes[g->block[i].kind] == k) {
                list[count++] = i;
            }
        }
    }
    return count;
}

static int born_at(const struct tier_graph *g, int t, int *list) {
    bool members[BLOCKS];
    for (int i = 0; i < g->blocks; i++) {
        members[i] = g->block[i].first == t;
    }
    return order_of(g, members, list);
}

static int touched_at(const struct tier_graph *g, int t, int *list) {
    bool members[BLOCKS];
    for (int i = 0; i < g->blocks; i++) {
        members[i] = in_list(g->block[i].accesses, g->block[i].access_count, t);
    }
    return order_of(g, members, list);
}

static bool preconf_from(const struct tier_graph *g, struct tier_state *s, int from) {
    for (int i = 0; i < g->blocks; i++) {
        s->tier[i] = g->block[i].first >= from ? NOWHERE : s->tier[i];
    }
    for (int t = from; t < g->steps; t++) {
        int list[BLOCKS], count = born_at(g, t, list);
        for (int i = 0; i < count; i++) {
            if (!allocate(g, s, list[i])) {
                return false;
            }
        }
    }
    return true;
}

static double cost_of(const struct tier_graph *g, const struct tier_state *s) {
    double sum = 0;
    for (int i = 0; i < g->blocks; i++) {
        int t = s->tier[i];
        for (int k = 0; k < g->block[i].access_count; k++) {
            sum += (g->latency[t] + (g->bandwidth[t] ? (double)g->block[i].size / g->bandwidth[t] : 0)) *
                   (1 + g->conflict[t]);
        }
    }
    return sum;
}

/* ---- actions ---- */

static int compare_spaces(const void *a, const void *b) {
    const struct space *x = a, *y = b;
    int size = x->open ? 1 << 20 : x->hi - x->lo, other = y->open ? 1 << 20 : y->hi - y->lo;
    return size != other ? size - other : x->tier != y->tier ? x->tier - y->tier : x->lo - y->lo;
}

static int ends_of_tier(const struct tier_graph *g, const struct tier_state *s, int b, int tier, struct place *out) {
    struct space list[BYTES];
    if (g->block[b].size == 0) {
        out[0] = (struct place){tier, 0};
        return 1;
    }
    int count = free_spaces(g, s, b, tier, list), places = 0;
    qsort(list, (size_t)count, sizeof *list, compare_spaces);
    for (int i = 0; i < count; i++) {
        int first, second;
        if (fits_into(g, b, &list[i])) {
            ends_of_space(g, s, b, &list[i], &first, &second);
            out[places++] = (struct place){tier, first};
            out[places++] = (struct place){tier, second};
        }
    }
    return places;
}

/* The places an action tries, in order; s is without b and without later steps. */
static int places_of(const struct tier_graph *g, const struct tier_state *s, int b, int action, int here,
                     struct place *out) {
    int allowed = 0, count = 0;
    for (int t = 0; t < g->tiers; t++) {
        allowed += g->block[b].allowed[t];
    }
    if (action == 0) {
        return ends_of_tier(g, s, b, here, out);
    }
    if (action == 1) {
        struct space list[BYTES];
        for (int t = 0; t < g->tiers; t++) {
            count += g->block[b].allowed[t] ? targets(g, s, b, t, list + count) : 0;
        }
        qsort(list, (size_t)count, sizeof *list, compare_spaces);
        for (int i = 0; i < count; i++) {
            if (fits_into(g, b, &list[i])) {
                out[0] = (struct place){list[i].tier, round_up(list[i].lo, g->block[b].alignment)};
                return 1;
            }
        }
        return 0;
    }
    for (int t = 0; t < g->tiers && allowed > 1; t++) {
        if (t != here && g->block[b].allowed[t]) {
            count += ends_of_tier(g, s, b, t, out + count);
        }
    }
    return count;
}

/* On success s is the new state. */
static bool act_on(const struct tier_graph *g, struct tier_state *s, int t, int b, int action) {
    struct tier_state bare = *s;
    static struct place places[BYTES * 4];
    for (int i = 0; i < g->blocks; i++) {
        bare.tier[i] = i == b || g->block[i].first > t ? NOWHERE : bare.tier[i];
    }
    int count = places_of(g, &bare, b, action, s->tier[b], places);
    for (int i = 0; i < count; i++) {
        struct tier_state next = bare;
        if (places[i].tier == s->tier[b] && places[i].at == s->at[b]) {
            continue;
        }
        next.tier[b] = places[i].tier;
        next.at[b] = places[i].at;
        if (preconf_from(g, &next, t + 1)) {
            *s = next;
            return true;
        }
    }
    return false;
}

/* ---- inside a segment: all ways, or a beam ---- */

struct slot {
    int step, block, action;
};
struct segment {
    const struct tier_graph *g;
    struct slot slot[BLOCKS * STEPS * 3];
    int slots;
    struct tier_outcome *out;
    struct tier_state best;
    double least;
    bool recorded;
};

static bool note_cost(struct tier_outcome *out, double e) {
    out->too_many |= out->cost_count == COSTS;
    if (!out->too_many) {
        out->costs[out->cost_count++] = e;
    }
    return !out->too_many;
}

/* From a slot on: with what succeeds, then without. `parted`: two ways have met already. */
static void all_ways(struct segment *x, int at, const struct tier_state *s, bool parted) {
    if (x->out->too_many) {
        return;
    }
    if (at == x->slots) {
        double e = cost_of(x->g, s);
        if (parted && note_cost(x->out, e) && (!x->recorded || e < x->least)) {
            x->recorded = true;
            x->least = e;
            x->best = *s;
        }
        return;
    }
    struct tier_state with = *s;
    bool works = act_on(x->g, &with, x->slot[at].step, x->slot[at].block, x->slot[at].action);
    if (works) {
        all_ways(x, at + 1, &with, true);
    }
    all_ways(x, at + 1, s, parted || works);
}

enum { WIDEST = 8 };

static bool same_state(const struct tier_graph *g, const struct tier_state *a, const struct tier_state *b) {
    bool same = true;
    for (int i = 0; i < g->blocks; i++) {
        same &= a->tier[i] == b->tier[i] && a->at[i] == b->at[i];
    }
    return same;
}

static void beam_of(struct segment *x, const struct tier_state *s, int width) {
    struct tier_state beam[2 * WIDEST] = {*s};
    int count = 1;
    for (int at = 0; at < x->slots; at++) {
        int all = count;
        for (int i = 0; i < count; i++) {
            struct tier_state with = beam[i];
            bool known = false;
            if (!act_on(x->g, &with, x->slot[at].step, x->slot[at].block, x->slot[at].action)) {
                continue;
            }
            note_cost(x->out, cost_of(x->g, &with));
            for (int k = 0; k < all; k++) {
                known |= same_state(x->g, &beam[k], &with);
            }
            if (!known) {
                beam[all++] = with;
            }
        }
        for (int i = 0; i < all; i++) { /* bubbles: stable */
            for (int k = 0; k + 1 < all - i; k++) {
                if (cost_of(x->g, &beam[k + 1]) < cost_of(x->g, &beam[k])) {
                    struct tier_state other = beam[k];
                    beam[k] = beam[k + 1];
                    beam[k + 1] = other;
                }
            }
        }
        count = all < width ? all : width;
    }
    x->recorded = true;
    x->best = beam[0];
    x->least = cost_of(x->g, &beam[0]);
}

/* ---- the walk ---- */

static void walk_inside(const struct tier_graph *g, const struct tier_settings *set, struct tier_outcome *out) {
    static struct segment x;
    struct tier_state s = {{0}, {0}};
    *out = (struct tier_outcome){.feasible = preconf_from(g, &s, 0)};
    if (!out->feasible) {
        return;
    }
    out->start = s;
    double ref = out->costs[out->cost_count++] = cost_of(g, &s);
    for (int from = 0; from < g->steps; from += set->segment) {
        x = (struct segment){.g = g, .out = out};
        for (int t = from; t < from + set->segment && t < g->steps; t++) {
            int list[BLOCKS];
            int count = set->touched ? touched_at(g, t, list) : born_at(g, t, list);
            for (int i = 0; i < count * 3; i++) {
                x.slot[x.slots++] = (struct slot){t, list[i / 3], i % 3};
            }
        }
        if (set->inside < 0) {
            all_ways(&x, 0, &s, false);
        } else {
            beam_of(&x, &s, set->inside);
        }
        if (x.recorded && x.least < ref) {
            s = x.best;
            ref = x.least;
        }
    }
    out->end = s;
    out->reference = ref;
}

void tier_walk(const struct tier_graph *g, const struct tier_settings *set, struct tier_outcome *out) {
    if (set->inside != 0) {
        walk_inside(g, set, out);
        return;
    }
    struct tier_state s = {{0}, {0}}, after_update, best = {{0}, {0}};
    *out = (struct tier_outcome){.feasible = preconf_from(g, &s, 0)};
    if (!out->feasible) {
        return;
    }
    out->start = after_update = s;
    double ref = out->costs[out->cost_count++] = cost_of(g, &s), least = 0;
    bool recorded = false;
    for (int t = 0; t < g->steps; t++) {
        struct tier_state start = s;
        bool last = (t + 1) % set->segment == 0 || t + 1 == g->steps;
        int list[BLOCKS];
        int count = set->touched ? touched_at(g, t, list) : born_at(g, t, list);
        for (int i = 0; i < count * 3; i++) {
            s = set->carry ? s : start;
            if (!act_on(g, &s, t, list[i / 3], i % 3) || !last) {
                continue;
            }
            double e = cost_of(g, &s);
            out->costs[out->cost_count++] = e;
            if (!recorded || e < least) {
                recorded = true;
                least = e;
                best = s;
            }
        }
        s = set->carry ? s : start;
        if (last) {
            s = recorded && least < ref ? best : after_update;
            ref = recorded && least < ref ? least : ref;
            after_update = s;
            recorded = false;
        }
    }
    out->end = s;
    out->reference = ref;
}

/* ---- all choices of tiers ---- */

double tier_least_cost(const struct tier_graph *g) {
    double least = -1;
    int choices = 1;
    for (int i = 0; i < g->blocks; i++) {
        choices *= g->tiers;
    }
    for (int c = 0; c < choices; c++) {
        struct tier_state s;
        bool fit = true;
        for (int i = 0, rest = c; i < g->blocks; i++, rest /= g->tiers) {
            s.tier[i] = rest % g->tiers;
            fit = fit && g->block[i].allowed[rest % g->tiers];
        }
        for (int x = 0; fit && x < g->steps * g->tiers; x++) {
            int t = x / g->tiers, tier = x % g->tiers, sums[4] = {0};
            for (int i = 0; i < g->blocks; i++) {
                const struct tier_block *b = &g->block[i];
                const struct tier_operation *op = &g->op[t];
                int role = in_list(op->outputs, op->output_count, i) && b->first == t                             ? 2
                           : op->scratch == i                                                                     ? 1
                           : b->last == t && in_list(op->inputs, op->input_count, i) && b->kind != SW_KIND_OUTPUT ? 0
                                                                                                                  : 3;
                sums[role] += s.tier[i] == tier && b->first <= t && t <= b->last ? b->size : 0;
            }
            int most = sums[0] > sums[1] ? sums[0] : sums[1];
            most = most > sums[2] ? most : sums[2];
            fit = g->capacity[tier] == 0 || sums[3] + most <= g->capacity[tier];
        }
        double e = fit ? cost_of(g, &s) : -1;
        least = fit && (least < 0 || e < least) ? e : least;
    }
    return least;
}
