/* tier-search against its rules restated, from the specification alone, on random graphs: the
 * places after PRECONF, every E that is measured on the way, and the places at the end, with every
 * parameter.
 *
 * The restatement knows bytes, not intervals: a tier is an array of bytes, a free space a run of
 * bytes that no block alive at the same time holds. It plans later steps anew to the end each
 * time. Costs are sums of binary fractions, so sums in any order are the same number.
 *
 * And for up to 8 buffers: no E is below the least over all choices of tiers that could fit at all.
 */
#include "share.h"
#include "model.h"
#include "faults.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 1600, STEPS = 7, BLOCKS = 14, ARGUMENTS = 3, TIERS = 3, BYTES = 400, COSTS = 4096 };
enum { NOWHERE = -1 };

/* ---- a random graph ---- */

struct block {
    enum sw_kind kind;
    int size, alignment, first, last, accesses[STEPS * 2], access_count;
    bool allowed[TIERS];
    bool given; /* its tier is given */
};
struct operation {
    int inputs[ARGUMENTS], outputs[ARGUMENTS], scratch, input_count, output_count;
};
struct graph {
    uint64_t seed;
    int steps, blocks, tiers;
    int capacity[TIERS]; /* 0 = none */
    int bandwidth[TIERS], latency[TIERS];
    double conflict[TIERS];
    struct block block[BLOCKS];
    struct operation op[STEPS];
};

static void must(bool truth, const struct graph *g, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void must(bool truth, const struct graph *g, const char *format, ...) {
    va_list arguments;
    if (truth) {
        return;
    }
    va_start(arguments, format);
    fprintf(stderr, "problem %llu: ", (unsigned long long)g->seed);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(1);
}

static int draw(uint64_t *r, int bound) {
    return (int)sw_random_below(r, (uint64_t)bound);
}

static int new_block(struct graph *g, uint64_t *r, enum sw_kind kind) {
    static const int alignments[] = {1, 1, 1, 1, 4, 8, 6};
    struct block *b = &g->block[g->blocks];
    *b = (struct block){.kind = kind,
                        .size = draw(r, 20) ? 1 + draw(r, 40) : 0,
                        .alignment = alignments[draw(r, 7)],
                        .first = -1,
                        .last = -1};
    for (int t = 0; t < g->tiers; t++) {
        b->allowed[t] = true;
    }
    if (draw(r, 8) == 0) {
        int only = draw(r, g->tiers);
        b->given = draw(r, 2);
        for (int t = 0; t < g->tiers; t++) {
            b->allowed[t] = t == only || (!b->given && draw(r, 2));
        }
    }
    return g->blocks++;
}

static void touch(struct graph *g, int block, int step) {
    struct block *b = &g->block[block];
    b->first = b->first < 0 ? step : b->first;
    b->last = step;
    b->accesses[b->access_count++] = step;
}

static void draw_step(struct graph *g, uint64_t *r, int t) {
    struct operation *op = &g->op[t];
    *op = (struct operation){.scratch = NOWHERE};
    int known = g->blocks;
    for (int want = draw(r, 3) + 1; want > 0 && known > 0; want--) {
        int input = draw(r, 4) ? known - 1 - draw(r, known < 3 ? known : 3) : draw(r, known);
        if (g->block[input].kind != SW_KIND_SCRATCH) {
            op->inputs[op->input_count++] = input; /* perhaps twice */
            touch(g, input, t);
        }
    }
    bool scratch_first = draw(r, 2), scratch = draw(r, 3) == 0;
    for (int k = 0; k < 2; k++) {
        if (scratch && (k == 0) == scratch_first && g->blocks < BLOCKS) {
            op->scratch = new_block(g, r, SW_KIND_SCRATCH);
            touch(g, op->scratch, t);
        }
        for (int want = 1 + draw(r, 2); k == 0 && want > 0 && g->blocks < BLOCKS; want--) {
            int output = new_block(g, r, draw(r, 6) ? SW_KIND_INTERMEDIATE : SW_KIND_OUTPUT);
            op->outputs[op->output_count++] = output;
            touch(g, output, t);
        }
    }
}

static void draw_graph(struct graph *g, uint64_t seed) {
    uint64_t r = seed * 6364136223846793005u + 7;
    *g = (struct graph){.seed = seed, .tiers = draw(&r, 8) ? 2 + draw(&r, 2) : 1, .steps = 2 + draw(&r, STEPS - 2)};
    for (int t = 0; t < g->tiers; t++) {
        bool last = t + 1 == g->tiers;
        g->capacity[t] = last && draw(&r, 3) ? 0 : 20 + draw(&r, last ? 200 : 80);
        g->bandwidth[t] = 16 >> draw(&r, 3) >> t;
        g->latency[t] = draw(&r, 4) + 4 * t;
        g->conflict[t] = draw(&r, 4) ? 0 : 0.5;
    }
    for (int inputs = draw(&r, 3); inputs > 0; inputs--) {
        new_block(g, &r, SW_KIND_INPUT);
    }
    for (int t = 0; t < g->steps; t++) {
        draw_step(g, &r, t);
    }
    for (int i = 0; i < g->blocks; i++) {
        struct block *b = &g->block[i];
        b->first = b->kind == SW_KIND_INPUT ? 0 : b->first;
        b->last = b->kind == SW_KIND_OUTPUT ? g->steps - 1 : b->last < 0 ? 0 : b->last;
    }
}

static const char *name_of(char kind, int i) {
    static char names[64][16];
    static int next;
    next = (next + 1) % 64;
    snprintf(names[next], sizeof names[next], "%c%d", kind, i);
    return names[next];
}

static void build_items(struct sw_builder *builder, const struct graph *g) {
    struct sw_error error = {0};
    for (int t = 0; t < g->tiers; t++) {
        struct sw_tier tier = {.name = name_of('t', t),
                               .bandwidth = g->bandwidth[t],
                               .latency = g->latency[t],
                               .conflict = g->conflict[t],
                               .capacity = g->capacity[t] ? (uint64_t)g->capacity[t] : SW_UNBOUNDED};
        must(sw_builder_tier(builder, &tier, &error), g, "%s", error.message);
    }
    for (int t = 0; t < g->steps; t++) {
        const struct operation *op = &g->op[t];
        const char *in[ARGUMENTS], *out[ARGUMENTS];
        const char *scratch = op->scratch >= 0 ? name_of('b', op->scratch) : NULL;
        for (int i = 0; i < op->input_count; i++) {
            in[i] = name_of('b', op->inputs[i]);
        }
        for (int i = 0; i < op->output_count; i++) {
            out[i] = name_of('b', op->outputs[i]);
        }
        struct sw_operator_spec spec = {.name = name_of('o', t),
                                        .inputs = in,
                                        .outputs = out,
                                        .scratch = &scratch,
                                        .input_count = (size_t)op->input_count,
                                        .output_count = (size_t)op->output_count,
                                        .scratch_count = scratch != NULL};
        must(sw_builder_operator(builder, &spec, &error), g, "%s", error.message);
    }
    for (int i = 0; i < g->blocks; i++) {
        const struct block *b = &g->block[i];
        const char *tiers[TIERS];
        struct sw_buffer_spec spec = {.name = name_of('b', i),
                                      .kind = b->kind,
                                      .has_size = true,
                                      .size = (uint64_t)b->size,
                                      .tiers = tiers,
                                      .alignment = (uint64_t)b->alignment};
        for (int t = 0; t < g->tiers; t++) {
            if (b->given && b->allowed[t]) {
                spec.tier = name_of('t', t);
            } else if (b->allowed[t]) {
                tiers[spec.tier_count++] = name_of('t', t);
            }
        }
        must(sw_builder_buffer(builder, &spec, &error), g, "%s", error.message);
    }
}

static struct sw_problem *build(const struct graph *g) {
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    build_items(builder, g);
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    must(problem != NULL, g, "%s", error.message);
    sw_builder_free(builder);
    return problem;
}

/* ---- the rules, restated ---- */

struct state {
    int tier[BLOCKS], at[BLOCKS]; /* tier NOWHERE: not placed */
};
struct place {
    int tier, at;
};

static bool together(const struct block *a, const struct block *b) {
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

/* R6: at the birth of `fresh` its operator uses `old` for the last time, in the right role. */
static bool reusable(const struct graph *g, int fresh, int old) {
    const struct block *f = &g->block[fresh], *o = &g->block[old];
    const struct operation *op = &g->op[f->first];
    bool output = in_list(op->outputs, op->output_count, fresh), scratch = op->scratch == fresh;
    bool input = in_list(op->inputs, op->input_count, old);
    return fresh != old && o->last == f->first && o->kind != SW_KIND_OUTPUT && f->size > 0 && o->size > 0 &&
           ((input && (output || scratch)) || (op->scratch == old && output));
}

/* Does `other` hold the byte of the tier, at a time when b lives? */
static bool holds(const struct graph *g, const struct state *s, int b, int other, int tier, int x) {
    return other != b && s->tier[other] == tier && x >= s->at[other] && x < s->at[other] + g->block[other].size &&
           together(&g->block[b], &g->block[other]);
}

static bool taken(const struct graph *g, const struct state *s, int b, int tier, int x) {
    for (int i = 0; i < g->blocks; i++) {
        if (holds(g, s, b, i, tier, x)) {
            return true;
        }
    }
    return false;
}

/* The last step of those that hold a byte. */
static int dies(const struct graph *g, const struct state *s, int b, int tier, int x) {
    int last = 0;
    for (int i = 0; i < g->blocks; i++) {
        if (holds(g, s, b, i, tier, x) && g->block[i].last > last) {
            last = g->block[i].last;
        }
    }
    return last;
}

struct space {
    int tier, lo, hi, old;
    bool open; /* it has no upper end */
};

static int up(int x, int alignment) {
    return (x + alignment - 1) / alignment * alignment;
}

static bool fits(const struct graph *g, int b, const struct space *space) {
    return up(space->lo, g->block[b].alignment) + g->block[b].size <= space->hi;
}

static int free_spaces(const struct graph *g, const struct state *s, int b, int tier, struct space *out) {
    int top = g->capacity[tier] ? g->capacity[tier] : BYTES * 4, count = 0;
    for (int x = 0; x < top; x++) {
        if (taken(g, s, b, tier, x)) {
            continue;
        }
        int lo = x;
        while (x < top && !taken(g, s, b, tier, x) && !(g->capacity[tier] == 0 && x > BYTES)) {
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
static int targets(const struct graph *g, const struct state *s, int b, int tier, struct space *out) {
    int count = 0;
    for (int old = 0; old < g->blocks; old++) {
        if (s->tier[old] != tier || !reusable(g, b, old)) {
            continue;
        }
        for (int x = s->at[old], lo = -1; x <= s->at[old] + g->block[old].size; x++) {
            bool inside = x < s->at[old] + g->block[old].size;
            for (int i = 0; inside && i < g->blocks; i++) {
                bool under = reusable(g, old, i) && reusable(g, b, i);
                inside = i == old || under || !holds(g, s, b, i, tier, x);
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
static const struct space *best_fit(const struct graph *g, int b, const struct space *spaces, int count) {
    const struct space *best = NULL;
    for (int i = 0; i < count; i++) {
        const struct space *x = &spaces[i];
        int size = x->open ? 1 << 20 : x->hi - x->lo;
        int least = best ? (best->open ? 1 << 20 : best->hi - best->lo) : 0;
        if (fits(g, b, x) && (!best || size < least || (size == least && x->lo < best->lo))) {
            best = x;
        }
    }
    return best;
}

/* R4 and R5: the two ends, the right one first. */
static void ends(const struct graph *g, const struct state *s, int b, const struct space *space, int *first,
                 int *second) {
    int low = up(space->lo, g->block[b].alignment), never = 1 << 20;
    int high = (space->hi - g->block[b].size) / g->block[b].alignment * g->block[b].alignment;
    *first = *second = low;
    if (space->open) {
        return;
    }
    int top = g->capacity[space->tier];
    int below = space->lo == 0 ? never : dies(g, s, b, space->tier, space->lo - 1);
    int above = top && space->hi == top ? never : dies(g, s, b, space->tier, space->hi);
    bool up_high = above > below;
    if (above == below) {
        up_high = top && top - space->hi < space->lo;
    }
    *first = up_high ? high : low;
    *second = up_high ? low : high;
}

static bool allocate(const struct graph *g, struct state *s, int b) {
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
            ends(g, s, b, pick, &plain.at, &unused);
        }
        pick = best_fit(g, b, list, targets(g, s, b, t, list));
        if (over.tier == NOWHERE && pick) {
            over = (struct place){t, up(pick->lo, g->block[b].alignment)};
        }
    }
    bool overwrite = over.tier != NOWHERE && (plain.tier == NOWHERE || over.tier <= plain.tier);
    s->tier[b] = overwrite ? over.tier : plain.tier;
    s->at[b] = overwrite ? over.at : plain.at;
    return s->tier[b] != NOWHERE;
}

/* inputs, then scratch and intermediates, then outputs; within a kind as listed */
static int order_of(const struct graph *g, const bool *members, int *list) {
    static const enum sw_kind kinds[] = {SW_KIND_INPUT, SW_KIND_SCRATCH, SW_KIND_INTERMEDIATE, SW_KIND_OUTPUT};
    int count = 0;
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < g->blocks; i++) {
            if (members[i] && g->block[i].kind == kinds[k]) {
                list[count++] = i;
            }
        }
    }
    return count;
}

static int born_at(const struct graph *g, int t, int *list) {
    bool members[BLOCKS];
    for (int i = 0; i < g->blocks; i++) {
        members[i] = g->block[i].first == t;
    }
    return order_of(g, members, list);
}

static int touched_at(const struct graph *g, int t, int *list) {
    bool members[BLOCKS];
    for (int i = 0; i < g->blocks; i++) {
        members[i] = in_list(g->block[i].accesses, g->block[i].access_count, t);
    }
    return order_of(g, members, list);
}

static bool preconf(const struct graph *g, struct state *s, int from) {
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

static double cost(const struct graph *g, const struct state *s) {
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

static int ends_of_tier(const struct graph *g, const struct state *s, int b, int tier, struct place *out) {
    struct space list[BYTES];
    if (g->block[b].size == 0) {
        out[0] = (struct place){tier, 0};
        return 1;
    }
    int count = free_spaces(g, s, b, tier, list), places = 0;
    qsort(list, (size_t)count, sizeof *list, compare_spaces);
    for (int i = 0; i < count; i++) {
        int first, second;
        if (fits(g, b, &list[i])) {
            ends(g, s, b, &list[i], &first, &second);
            out[places++] = (struct place){tier, first};
            out[places++] = (struct place){tier, second};
        }
    }
    return places;
}

/* The places an action tries, in order; s is without b and without later steps. */
static int places_of(const struct graph *g, const struct state *s, int b, int action, int here, struct place *out) {
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
            if (fits(g, b, &list[i])) {
                out[0] = (struct place){list[i].tier, up(list[i].lo, g->block[b].alignment)};
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
static bool act(const struct graph *g, struct state *s, int t, int b, int action) {
    struct state bare = *s;
    static struct place places[BYTES * 4];
    for (int i = 0; i < g->blocks; i++) {
        bare.tier[i] = i == b || g->block[i].first > t ? NOWHERE : bare.tier[i];
    }
    int count = places_of(g, &bare, b, action, s->tier[b], places);
    for (int i = 0; i < count; i++) {
        struct state next = bare;
        if (places[i].tier == s->tier[b] && places[i].at == s->at[b]) {
            continue;
        }
        next.tier[b] = places[i].tier;
        next.at[b] = places[i].at;
        if (preconf(g, &next, t + 1)) {
            *s = next;
            return true;
        }
    }
    return false;
}

/* ---- the walk ---- */

struct settings {
    int segment;
    bool carry, touched;
    int inside; /* 0: greedy; -1: exhaustive; else the width of the beam */
};
struct outcome {
    bool feasible, too_many;
    struct state start, end;
    double reference, costs[COSTS];
    int cost_count;
};

/* ---- inside a segment: all ways, or a beam ---- */

struct slot {
    int step, block, action;
};
struct segment {
    const struct graph *g;
    struct slot slot[BLOCKS * STEPS * 3];
    int slots;
    struct outcome *out;
    struct state best;
    double least;
    bool recorded;
};

static bool note_cost(struct outcome *out, double e) {
    out->too_many |= out->cost_count == COSTS;
    if (!out->too_many) {
        out->costs[out->cost_count++] = e;
    }
    return !out->too_many;
}

/* From a slot on: with what succeeds, then without. `parted`: two ways have met already. */
static void all_ways(struct segment *x, int at, const struct state *s, bool parted) {
    if (x->out->too_many) {
        return;
    }
    if (at == x->slots) {
        double e = cost(x->g, s);
        if (parted && note_cost(x->out, e) && (!x->recorded || e < x->least)) {
            x->recorded = true;
            x->least = e;
            x->best = *s;
        }
        return;
    }
    struct state with = *s;
    bool works = act(x->g, &with, x->slot[at].step, x->slot[at].block, x->slot[at].action);
    if (works) {
        all_ways(x, at + 1, &with, true);
    }
    all_ways(x, at + 1, s, parted || works);
}

enum { WIDEST = 8 };

static bool same_state(const struct graph *g, const struct state *a, const struct state *b) {
    bool same = true;
    for (int i = 0; i < g->blocks; i++) {
        same &= a->tier[i] == b->tier[i] && a->at[i] == b->at[i];
    }
    return same;
}

static void beam_of(struct segment *x, const struct state *s, int width) {
    struct state beam[2 * WIDEST] = {*s};
    int count = 1;
    for (int at = 0; at < x->slots; at++) {
        int all = count;
        for (int i = 0; i < count; i++) {
            struct state with = beam[i];
            bool known = false;
            if (!act(x->g, &with, x->slot[at].step, x->slot[at].block, x->slot[at].action)) {
                continue;
            }
            note_cost(x->out, cost(x->g, &with));
            for (int k = 0; k < all; k++) {
                known |= same_state(x->g, &beam[k], &with);
            }
            if (!known) {
                beam[all++] = with;
            }
        }
        for (int i = 0; i < all; i++) { /* bubbles: stable */
            for (int k = 0; k + 1 < all - i; k++) {
                if (cost(x->g, &beam[k + 1]) < cost(x->g, &beam[k])) {
                    struct state other = beam[k];
                    beam[k] = beam[k + 1];
                    beam[k + 1] = other;
                }
            }
        }
        count = all < width ? all : width;
    }
    x->recorded = true;
    x->best = beam[0];
    x->least = cost(x->g, &beam[0]);
}

static void walk_inside(const struct graph *g, const struct settings *set, struct outcome *out) {
    static struct segment x;
    struct state s = {{0}, {0}};
    *out = (struct outcome){.feasible = preconf(g, &s, 0)};
    if (!out->feasible) {
        return;
    }
    out->start = s;
    double ref = out->costs[out->cost_count++] = cost(g, &s);
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

static void walk(const struct graph *g, const struct settings *set, struct outcome *out) {
    if (set->inside != 0) {
        walk_inside(g, set, out);
        return;
    }
    struct state s = {{0}, {0}}, after_update, best = {{0}, {0}};
    *out = (struct outcome){.feasible = preconf(g, &s, 0)};
    if (!out->feasible) {
        return;
    }
    out->start = after_update = s;
    double ref = out->costs[out->cost_count++] = cost(g, &s), least = 0;
    bool recorded = false;
    for (int t = 0; t < g->steps; t++) {
        struct state start = s;
        bool last = (t + 1) % set->segment == 0 || t + 1 == g->steps;
        int list[BLOCKS];
        int count = set->touched ? touched_at(g, t, list) : born_at(g, t, list);
        for (int i = 0; i < count * 3; i++) {
            s = set->carry ? s : start;
            if (!act(g, &s, t, list[i / 3], i % 3) || !last) {
                continue;
            }
            double e = cost(g, &s);
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

/* ---- comparing ---- */

static uint64_t runs, infeasible, moves, bounds, better, ways;

static void same_places(const struct graph *g, const struct sw_search *search, const struct state *s,
                        const char *when) {
    for (int i = 0; i < g->blocks; i++) {
        struct sw_placement p;
        must(sw_layout_placement(sw_search_layout(search), (uint32_t)i, 0, &p), g, "%s b%d has no place", when, i);
        must((int)p.tier == s->tier[i] && (int)p.offset == s->at[i], g,
             "%s b%d lies at %u+%llu; by the rules it lies at %d+%d", when, i, p.tier, (unsigned long long)p.offset,
             s->tier[i], s->at[i]);
    }
}

/* Permits say exactly which overwritten bytes there are. */
static void same_permits(const struct graph *g, const struct sw_layout *layout, const struct state *s) {
    size_t wanted = 0;
    for (int a = 0; a < g->blocks; a++) {
        for (int b = 0; b < g->blocks; b++) {
            wanted += a != b && s->tier[a] == s->tier[b] && reusable(g, a, b) &&
                      s->at[a] < s->at[b] + g->block[b].size && s->at[b] < s->at[a] + g->block[a].size;
        }
    }
    must(sw_layout_permit_count(layout) == wanted, g, "%zu permits, not %zu", sw_layout_permit_count(layout), wanted);
}

/* Step by step: places after PRECONF, every evaluation, places at the end. */
static void follow(const struct graph *g, struct sw_search *search, const struct outcome *rules) {
    struct sw_error error = {0};
    int costs = 0;
    enum sw_step result;
    while ((result = sw_search_step(search, &error)) == SW_STEP_MORE) {
        const struct sw_decision *d = sw_search_decision(search);
        if (sw_decision_is(d, SW_DECISION_EVALUATE)) {
            must(costs < rules->cost_count && rules->feasible, g, "too many evaluations");
            must(d->cost == rules->costs[costs], g, "evaluation %d says %.17g, by the rules %.17g", costs, d->cost,
                 rules->costs[costs]);
            if (costs++ == 0) {
                same_places(g, search, &rules->start, "after PRECONF");
            }
        }
        must(sw_search_faults(search, NULL, NULL, NULL) == 0 || d->kind == SW_DECISION_PRECONF, g,
             "decision %llu leaves a layout that is not legal", (unsigned long long)d->step);
        moves += d->kind == SW_DECISION_ACCEPT;
    }
    must((result == SW_STEP_DONE) == rules->feasible, g, "it ends with: %s", error.message);
    must(result == SW_STEP_DONE || error.code == SW_ERROR_INFEASIBLE, g, "%s", error.message);
    must(result != SW_STEP_DONE || costs == rules->cost_count, g, "%d evaluations, not %d", costs, rules->cost_count);
}

/* The least E over all choices of tiers in which, at every step, what must lie side by side fits.
 */
static double least_cost(const struct graph *g) {
    double least = -1;
    int choices = 1;
    for (int i = 0; i < g->blocks; i++) {
        choices *= g->tiers;
    }
    for (int c = 0; c < choices; c++) {
        struct state s;
        bool fit = true;
        for (int i = 0, rest = c; i < g->blocks; i++, rest /= g->tiers) {
            s.tier[i] = rest % g->tiers;
            fit = fit && g->block[i].allowed[rest % g->tiers];
        }
        for (int x = 0; fit && x < g->steps * g->tiers; x++) {
            int t = x / g->tiers, tier = x % g->tiers, sums[4] = {0};
            for (int i = 0; i < g->blocks; i++) {
                const struct block *b = &g->block[i];
                const struct operation *op = &g->op[t];
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
        double e = fit ? cost(g, &s) : -1;
        least = fit && (least < 0 || e < least) ? e : least;
    }
    return least;
}

static void try_settings(const struct graph *g, const struct sw_problem *problem, const struct settings *set,
                         double least) {
    static struct outcome rules;
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    struct sw_claims claims;
    char text[16];
    double bound;
    walk(g, set, &rules);
    if (rules.too_many) {
        return;
    }
    snprintf(text, sizeof text, set->inside < 0 ? "exhaustive" : set->inside ? "beam:%d" : "greedy", set->inside);
    sw_params_set(&params, "inside", text, NULL);
    snprintf(text, sizeof text, "%d", set->segment);
    sw_params_set(&params, "segment", text, NULL);
    sw_params_set(&params, "carry", set->carry ? "true" : "false", NULL);
    sw_params_set(&params, "visit", set->touched ? "touched" : "born", NULL);
    sw_params_set(&params, "overwrite", "any", NULL);
    struct sw_search *search = sw_search_new(problem, sw_planner_find("tier-search", NULL), &params, &error);
    must(search != NULL, g, "%s", error.message);
    follow(g, search, &rules);
    runs++;
    infeasible += !rules.feasible;
    if (rules.feasible) {
        same_places(g, search, &rules.end, "at the end");
        same_permits(g, sw_search_layout(search), &rules.end);
        sw_search_claims(search, &claims);
        must(claims.cost == rules.reference, g, "E is %.17g, by the rules %.17g", claims.cost, rules.reference);
        must(sw_cost_bound(problem, NULL, &bound, NULL) && bound <= claims.cost, g, "E is below its bound");
        must(least <= claims.cost && bound <= least, g, "E is below the least of all choices");
        bounds += least > 0 && least == claims.cost;
    }
    sw_search_free(search);
    sw_params_done(&params);
}

/* ---- everything else: holes, windows, pins, reserved ranges, separations, several cores ---- */

/* Whatever happens, what has a place lies where it may; and a run walked back and forth is the
 * same. */
static uint64_t try_any(struct model *m, bool touched) {
    static struct sw_params params;
    struct sw_error error = {0};
    struct model_layout l;
    char text[200] = "";
    struct sw_problem *problem = model_build(m, NULL);
    const struct sw_planner *planner = sw_planner_find("tier-search", NULL);
    uint64_t done = 0;
    params = SW_PARAMS_DEFAULT;
    sw_params_set(&params, "visit", touched ? "touched" : "born", NULL);
    sw_params_set(&params, "inside", m->seed % 3 ? "greedy" : m->seed % 2 ? "beam:3" : "beam:2", NULL);
    sw_params_set(&params, "overwrite", "any", NULL);
    struct sw_search *search = sw_search_new(problem, planner, &params, &error);
    check_that(search != NULL, m, "tier-search", "%s", error.message);
    enum sw_step result = sw_search_run(search, 0, NULL, NULL, &error);
    check_that(result == SW_STEP_DONE || error.code == SW_ERROR_INFEASIBLE, m, "tier-search", "%s", error.message);
    if (result == SW_STEP_DONE) {
        uint64_t end = sw_search_digest(search), at = sw_search_at(search);
        model_layout_of(&l, sw_search_layout(search));
        check_that(oracle_check(m, &l, false, text, sizeof text), m, "tier-search", "%s", text);
        check_that(sw_search_faults(search, NULL, NULL, NULL) == 0, m, "tier-search", "the layout is not legal");
        sw_search_budget(search, 4000, 50);
        check_that(sw_search_seek(search, at / 2, NULL) && sw_search_seek(search, at, NULL) &&
                       sw_search_digest(search) == end,
                   m, "tier-search", "it ends elsewhere the second time");
        done = 1;
    }
    sw_search_free(search);
    sw_params_done(&params);
    sw_problem_unref(problem);
    return done;
}

/* A segment that all ways are walked through ends no dearer than one that is walked one way from the
 * same state: the first segment of both. */
static void compare_ways(const struct graph *g, int segment) {
    static struct outcome all, one;
    struct graph first = *g;
    struct settings set = {segment, true, false, -1};
    walk(&first, &set, &all);
    set.inside = 0;
    walk(&first, &set, &one);
    if (all.too_many || !all.feasible || segment < g->steps) {
        return;
    }
    must(all.reference <= one.reference, g, "all ways end at %.17g, one at %.17g", all.reference, one.reference);
    ways++;
    better += all.reference < one.reference;
}

static uint64_t try_anything(uint64_t seed) {
    uint64_t done = 0;
    for (uint64_t i = first_case(4 * PROBLEMS), i_end = i + cases(4 * PROBLEMS); i < i_end; i++) {
        struct model m;
        model_draw(&m, seed + i);
        if (m.tier_count < 2) {
            continue;
        }
        m.accesses = m.overwrites = true;
        done += try_any(&m, i % 2);
        /* Again with pins that can all be kept. */
        struct sw_problem *problem = model_build(&m, NULL);
        struct sw_search *search = sw_search_new(problem, sw_planner_find("first-fit", NULL), NULL, NULL);
        if (search && sw_search_run(search, 0, NULL, NULL, NULL) == SW_STEP_DONE) {
            model_pin_some(&m, sw_search_layout(search));
            done += try_any(&m, i % 2);
        }
        sw_search_free(search);
        sw_problem_unref(problem);
    }
    return done;
}

int main(void) {
    uint64_t seed = base_seed();
    static const struct settings settings[] = {
        {1, true, false, 0}, {1, false, false, 0}, {2, true, false, 0}, {3, false, false, 0},
        {1, true, true, 0},  {2, false, true, 0},  {3, true, true, 0},  {100, true, false, 0},
    };
    static const struct settings inside_[] = {
        {1, true, false, -1}, {2, true, false, -1}, {1, true, true, -1},   {100, true, false, -1},
        {1, true, false, 1},  {3, true, false, 4},  {100, true, false, 8}, {2, true, true, 3},
    };
    for (uint64_t i = first_case(PROBLEMS), i_end = i + cases(PROBLEMS); i < i_end; i++) {
        struct graph g;
        draw_graph(&g, seed + i);
        struct sw_problem *problem = build(&g);
        double least = 0;
        if (g.blocks <= 8) {
            least = least_cost(&g);
        } else {
            sw_cost_bound(problem, NULL, &least, NULL);
        }
        try_settings(&g, problem, &settings[0], least);
        try_settings(&g, problem, &settings[1 + i % 7], least);
        try_settings(&g, problem, &inside_[i % 8], least);
        if (g.steps <= 4) {
            compare_ways(&g, 100);
        }
        sw_problem_unref(problem);
    }
    uint64_t others = try_anything(seed);
    printf("%llu runs, %llu infeasible, %llu states accepted, %llu at the least E; all ways "
           "against one %llu "
           "times, %llu cheaper; %llu more layouts "
           "of all kinds, from seed %llu\n",
           (unsigned long long)runs, (unsigned long long)infeasible, (unsigned long long)moves,
           (unsigned long long)bounds, (unsigned long long)ways, (unsigned long long)better, (unsigned long long)others,
           (unsigned long long)seed);
    return 0;
}
