/* lifetime-best-fit: operator lifetimes, a list of free blocks, one arena that can grow in the
 * middle.
 *
 * The idea. Walk through the operators in the order in which they run. Before an operator,
 * everything whose last reader is over is given back to a list of free blocks, and free blocks that
 * touch become one. Then each buffer the operator writes is put into the smallest free block that
 * can hold it. What makes this planner special is what it does when none can: it takes the largest
 * free block and *enlarges* it, by moving everything above it further up. Nothing has run yet, so a
 * block that was placed earlier can still be moved; even one that is alive. (Published as
 * CN114201298.)
 *
 * The rules, in the order of the specification:
 *
 * 1. Lifetimes are the problem's: from the producer to the last consumer. A network output lives to
 * the last step (keep_outputs=true); read literally it would end at its last consumer
 * (keep_outputs=false), and then the plan is made, and shown, with lifetimes the checker will not
 * accept.
 * 2. next_offset is the arena. It is kept in the layout; each tier has its own.
 * 3. For each step d:
 *    a. release: every block with end < d that is not free yet, in order of offset; then coalesce,
 * when it touches a free neighbour. b. place: among the free blocks that are large enough the
 * smallest, ties the lowest. The buffer is cut from its low end; the rest stays free. c. grow: none
 * is large enough, but there is one: take the largest, ties the lowest, [o, o+s). Enlarge it by
 * delta to what is needed; next_offset grows by delta; every block already placed, live or dead, at
 * an offset >= o+s moves up by delta; the others stay. When the free block is the last one, nothing
 * moves and the arena simply becomes longer. d. append: no block is free: the buffer goes to
 * next_offset.
 * 4. next_offset is the arena at the end, even if a later shift left its top unused.
 *
 * With alignment: the buffer starts at the first aligned byte of a free block, and delta is rounded
 * up to a multiple of all alignments among the blocks that move (for powers of two: to the
 * largest). With pins: a grow that would move a pinned block, push a block onto something that
 * cannot move, or pass the capacity is refused; then the next largest is tried, and at last append.
 * With several tiers: each has its own free list and next_offset, and a block goes to the highest
 * tier where it can be placed, by b, c or d, without passing the capacity.
 *
 * The free list is not stored. It is what the arena holds besides the blocks that conflict with the
 * buffer at hand, and is asked of the layout each time; so holes in lifetimes, byte windows and
 * permits need no bookkeeping of their own. The state is a cursor into births, one into deaths, and
 * the releases of the present step that are still to be told.
 *
 * Decisions: release, coalesce, place, grow, append. `time` is the operator.
 *
 * Cost: n * k log k with k conflicts each, and O(n) for every grow. */
#include "planners/internal.h"

#include "base/hash.h"
#include "problem/builder.h"

#include <math.h>
#include <stdio.h> /* snprintf */
#include <stdlib.h>
#include <string.h>

/* ---- state ---- */

/* Planned buffers by the step after which they are free; shared by all clones. */
struct deaths {
    size_t owners;
    uint32_t count;
    uint32_t *buffers;
};

struct fit {
    struct deaths *deaths;
    const struct sw_problem *problem; /* as planned; not the run's when read literally */
    struct sw_layout *layout;         /* of that problem; NULL: the run's own */
    bool windows;  /* some buffer needs a part of its bytes only: blocks above one another can
                      collide */
    bool permits;  /* some may start where another does */
    bool pins;     /* of the problem */
    uint32_t at;   /* next birth, in program order */
    uint32_t dead; /* next death */
    uint32_t time;
    SW_ARRAY(uint32_t) pending; /* releases of `time`, by offset */
    size_t next;                /* the first not told yet */
    uint32_t coalesce;          /* a released block that touches free space, or SW_NONE */
    uint64_t told;              /* releases so far */
};

static const struct sw_parameter parameters[] = {
    {.name = "keep_outputs",
     .type = SW_PARAMETER_BOOL,
     .fallback = "true",
     .help = "network outputs live to the last step; false lets them be overwritten after their "
             "last reader"},
    {0},
};

struct death {
    uint32_t last, buffer;
};

static int compare_deaths(const void *left, const void *right) {
    const struct death *a = left, *b = right;
    if (a->last != b->last) {
        return a->last < b->last ? -1 : 1;
    }
    return a->buffer < b->buffer ? -1 : a->buffer > b->buffer;
}

static struct deaths *deaths_new(const struct sw_problem *problem) {
    uint32_t count = sw_problem_planned_count(problem);
    struct deaths *deaths = SW_NEW_ZERO(struct deaths, 1);
    uint32_t *buffers = SW_NEW(uint32_t, count);
    struct death *sorted = SW_NEW(struct death, count);
    bool ok = deaths && buffers && sorted;
    for (uint32_t i = 0; ok && i < count; i++) {
        uint32_t b = sw_problem_order(problem)[i];
        sorted[i] = (struct death){.last = sw_problem_buffer(problem, b)->last, .buffer = b};
    }
    if (ok && count > 1) {
        qsort(sorted, count, sizeof *sorted, compare_deaths);
    }
    for (uint32_t i = 0; ok && i < count; i++) {
        buffers[i] = sorted[i].buffer;
    }
    SW_FREE(sorted, count);
    if (!ok) {
        SW_FREE(buffers, count);
        SW_FREE(deaths, 1);
        return NULL;
    }
    *deaths = (struct deaths){.owners = 1, .count = count, .buffers = buffers};
    return deaths;
}

static void fit_close(void *state) {
    struct fit *fit = state;
    if (!fit) {
        return;
    }
    if (fit->deaths && --fit->deaths->owners == 0) {
        SW_FREE(fit->deaths->buffers, fit->deaths->count);
        SW_FREE(fit->deaths, 1);
    }
    sw_layout_free(fit->layout);
    sw_problem_unref(fit->problem);
    SW_ARRAY_DONE(&fit->pending);
    SW_FREE(fit, 1);
}

static void *fit_clone(const void *state) {
    const struct fit *fit = state;
    struct fit *copy = SW_NEW(struct fit, 1);
    if (!copy) {
        return NULL;
    }
    *copy = *fit;
    copy->deaths->owners++;
    sw_problem_ref(copy->problem);
    memset(&copy->pending, 0, sizeof copy->pending);
    copy->layout = fit->layout ? sw_layout_clone(fit->layout, NULL) : NULL;
    if ((fit->layout && !copy->layout) || !SW_RESERVE(&copy->pending, fit->pending.count)) {
        fit_close(copy);
        return NULL;
    }
    for (size_t i = 0; i < fit->pending.count; i++) {
        copy->pending.items[i] = fit->pending.items[i];
    }
    copy->pending.count = fit->pending.count;
    return copy;
}

static uint64_t fit_digest(const void *state) {
    const struct fit *fit = state;
    /* Not `dead` and `time`: looking for the next decision and finding none moves them. */
    uint64_t digest = sw_fold(sw_fold(3, fit->at), fit->told);
    digest = sw_fold(digest, fit->coalesce);
    for (size_t i = fit->next; i < fit->pending.count; i++) {
        digest = sw_fold(digest, fit->pending.items[i]);
    }
    return fit->layout ? sw_fold(digest, sw_layout_digest(fit->layout)) : digest;
}

static size_t fit_bytes(const void *state) {
    const struct fit *fit = state;
    return sizeof *fit + fit->pending.capacity * sizeof *fit->pending.items +
           (fit->layout ? sw_layout_own_bytes(fit->layout) : 0);
}

/* ---- opening ---- */

/* What can go wrong in a grow besides touching neighbours? */
static void find_intricacies(struct fit *fit) {
    const struct sw_problem *problem = fit->problem;
    size_t permits;
    sw_problem_permits(problem, &permits);
    fit->permits = permits > 0;
    for (uint32_t i = 0; i < sw_problem_planned_count(problem); i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, sw_problem_order(problem)[i]);
        fit->pins |= b->pinned;
        for (uint32_t p = 0; p < b->piece_count; p++) {
            fit->windows |= b->pieces[p].lo > 0 || b->pieces[p].hi < b->size;
        }
    }
}

/* The last operator that touches each buffer; SW_NONE: none does. */
static uint32_t *last_uses(const struct sw_problem *problem) {
    uint32_t count = sw_problem_buffer_count(problem);
    uint32_t *last = SW_NEW(uint32_t, count);
    for (uint32_t b = 0; last && b < count; b++) {
        last[b] = SW_NONE;
    }
    for (uint32_t o = 0; last && o < sw_problem_operator_count(problem); o++) {
        const struct sw_operator *op = sw_problem_operator(problem, o);
        for (uint32_t i = 0; i < op->input_count; i++) {
            last[op->inputs[i].buffer] = o;
        }
        for (uint32_t i = 0; i < op->output_count; i++) {
            last[op->outputs[i].buffer] = o;
        }
        for (uint32_t i = 0; i < op->scratch_count; i++) {
            last[op->scratch[i].buffer] = o;
        }
    }
    return last;
}

/* Does the literal reading give this buffer another end? */
static bool ends_earlier(const struct sw_buffer *b, uint32_t last) {
    return b->planned && b->kind == SW_KIND_OUTPUT && !b->lifetime_given && b->piece_count == 1 &&
           last != SW_NONE && last >= b->first && last < b->last;
}

/* The problem as it is read literally: outputs end at their last consumer. */
static const struct sw_problem *read_literally(const struct sw_problem *problem,
                                               struct sw_error *error) {
    uint32_t *last = last_uses(problem);
    struct sw_builder *builder = last ? sw_builder_from(problem, error) : NULL;
    bool ok = builder != NULL;
    if (!last) {
        sw_fail_memory(error);
    }
    for (uint32_t b = 0; ok && b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        if (ends_earlier(buffer, last[b])) {
            ok = sw_builder_edit_lifetime(builder, buffer->name,
                                          sw_problem_time(problem, buffer->first),
                                          sw_problem_time(problem, last[b]), error);
        }
    }
    const struct sw_problem *literal = ok ? sw_builder_finish(builder, error) : NULL;
    sw_builder_free(builder);
    SW_FREE(last, sw_problem_buffer_count(problem));
    return literal;
}

static bool fit_open(struct sw_run *run, void **state, struct sw_error *error) {
    struct fit *fit = SW_NEW_ZERO(struct fit, 1);
    if (!fit) {
        return sw_fail_memory(error);
    }
    fit->coalesce = SW_NONE;
    if (sw_params_bool(run->params, run->planner, "keep_outputs")) {
        fit->problem = sw_problem_ref(run->problem);
    } else {
        fit->problem = read_literally(run->problem, error);
        fit->layout = fit->problem ? sw_layout_new(fit->problem, error) : NULL;
        if (!fit->layout) {
            fit_close(fit);
            return false;
        }
    }
    find_intricacies(fit);
    fit->deaths = deaths_new(fit->problem);
    if (!fit->deaths) {
        fit_close(fit);
        return sw_fail_memory(error);
    }
    *state = fit;
    return true;
}

/* ---- release and coalesce ---- */

struct by_offset {
    uint64_t offset;
    uint32_t tier, buffer;
};

static int compare_offsets(const void *left, const void *right) {
    const struct by_offset *a = left, *b = right;
    if (a->tier != b->tier) {
        return a->tier < b->tier ? -1 : 1;
    }
    if (a->offset != b->offset) {
        return a->offset < b->offset ? -1 : 1;
    }
    return a->buffer < b->buffer ? -1 : a->buffer > b->buffer;
}

/* All that died just before `time`, in order of offset, becomes pending. Size 0 has nothing to
 * free. */
static bool gather(struct fit *fit, const struct sw_run *run) {
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
    if (ok && list.count > 1) {
        qsort(list.items, list.count, sizeof *list.items, compare_offsets);
    }
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

static void see(struct around *a, uint64_t lo, uint64_t hi) {
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
static struct around look_around(struct fit *fit, struct sw_run *run, const struct sw_placement *at,
                                 uint64_t size, size_t from) {
    uint64_t arena = sw_layout_arena(run->layout, at->tier);
    struct around a = {
        .lo = at->offset, .hi = at->offset + size, .start_after = arena, .start_above = arena};
    struct sw_neighbours alive = sw_problem_alive(fit->problem, fit->time, fit->time);
    for (uint32_t b; (b = sw_neighbours_next(&alive)) != SW_NONE; run->work++) {
        const struct sw_buffer *buffer = sw_problem_buffer(fit->problem, b);
        struct sw_placement p;
        if (!sw_layout_placement(run->layout, b, 0, &p)) {
            continue;
        }
        a.live += sw_buffer_live_bytes(buffer, fit->time);
        for (uint32_t i = 0; p.tier == at->tier && i < buffer->piece_count; i++) {
            const struct sw_piece *piece = &buffer->pieces[i];
            if (piece->first <= fit->time && fit->time <= piece->last) {
                see(&a, p.offset + piece->lo, p.offset + piece->hi);
            }
        }
    }
    for (size_t i = from; i < fit->pending.count; i++) {
        uint32_t b = fit->pending.items[i];
        struct sw_placement p;
        if (sw_layout_placement(run->layout, b, 0, &p) && p.tier == at->tier) {
            see(&a, p.offset, p.offset + sw_problem_buffer(fit->problem, b)->size);
        }
    }
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(fit->problem, &count);
    for (size_t i = 0; i < count; i++) {
        if (reserved[i].tier == at->tier) {
            see(&a, reserved[i].lo, reserved[i].hi);
        }
    }
    return a;
}

static bool touches_below(const struct around *a) {
    return a->lo > 0 && !a->covers_below && !a->covers_low;
}

static bool touches_above(const struct around *a, uint64_t arena) {
    return a->hi < arena && !a->covers_above && !a->covers_high;
}

static void tell(const struct fit *fit, struct sw_run *run, enum sw_decision_kind kind,
                 uint32_t buffer, const struct around *a, struct sw_decision *decision) {
    struct sw_placement p = {0};
    sw_layout_placement(run->layout, buffer, 0, &p);
    sw_decision_clear(decision);
    decision->kind = (uint16_t)kind;
    decision->buffer = buffer;
    decision->tier = p.tier;
    decision->time = fit->time;
    decision->offset = a->lo;
    decision->size = a->hi - a->lo;
    decision->live = a->live;
    decision->reason = "its last use is over";
}

static void release(struct fit *fit, struct sw_run *run, struct sw_decision *decision) {
    uint32_t b = fit->pending.items[fit->next++];
    fit->told++;
    struct sw_placement p = {0};
    sw_layout_placement(run->layout, b, 0, &p);
    struct around a =
        look_around(fit, run, &p, sw_problem_buffer(fit->problem, b)->size, fit->next);
    tell(fit, run, SW_DECISION_RELEASE, b, &a, decision);
    if (touches_below(&a) || touches_above(&a, sw_layout_arena(run->layout, p.tier))) {
        fit->coalesce = b;
    }
}

static void coalesce(struct fit *fit, struct sw_run *run, struct sw_decision *decision) {
    uint32_t b = fit->coalesce;
    fit->coalesce = SW_NONE;
    struct sw_placement p = {0};
    sw_layout_placement(run->layout, b, 0, &p);
    struct around a =
        look_around(fit, run, &p, sw_problem_buffer(fit->problem, b)->size, fit->next);
    bool below = touches_below(&a), above = touches_above(&a, sw_layout_arena(run->layout, p.tier));
    tell(fit, run, SW_DECISION_COALESCE, b, &a, decision);
    decision->offset = below ? a.end_below : a.end_before;
    decision->size = (below ? a.start_after : a.start_above) - decision->offset;
    decision->reason = below && above ? "it touches free space below and above"
                       : below        ? "it touches free space below"
                                      : "it touches free space above";
}

/* ---- place, grow, append ---- */

/* Why a free block cannot be enlarged. */
enum refusal { GROWS, MOVES_PINNED, COLLIDES, OVER_CAPACITY, MISALIGNS };
struct growth {
    enum refusal refusal;
    uint32_t who; /* MOVES_PINNED, COLLIDES */
    uint64_t delta;
    uint32_t moves; /* how many blocks */
};

/* One tier as the buffer at hand sees it. */
struct view {
    struct fit *fit;
    struct sw_run *run;
    const struct sw_buffer *buffer;
    uint32_t id, tier;
    uint64_t arena, capacity; /* capacity: SW_UNBOUNDED when it is to be passed */
    bool overflow;
    enum sw_decision_kind kind; /* what will be done */
    size_t picked;              /* which gap, for place and grow */
    struct growth growth;
    uint64_t start;
    bool chosen; /* by the user */
};

/* Where a free block of the arena ends, seen from the gap it is part of. */
static uint64_t free_end(const struct view *v, const struct sw_gap *gap) {
    uint64_t top = v->arena < v->capacity ? v->arena : v->capacity;
    return gap->hi < top ? gap->hi : top;
}

static bool is_free_block(const struct view *v, const struct sw_gap *gap) {
    return gap->lo < free_end(v, gap);
}

static bool holds(const struct view *v, const struct sw_gap *gap) {
    return gap->start <= free_end(v, gap) && free_end(v, gap) - gap->start >= v->buffer->size;
}

static bool moves(const struct view *v, uint32_t b, uint64_t from, struct sw_placement *p) {
    return sw_layout_placement(v->run->layout, b, 0, p) && p->tier == v->tier &&
           p->offset >= from && sw_problem_buffer(v->fit->problem, b)->size > 0;
}

static uint64_t common_multiple(uint64_t a, uint64_t b) {
    uint64_t x = a, y = b;
    while (y != 0) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    uint64_t result;
    return __builtin_mul_overflow(a / x, b, &result) || result > SW_MAX_BYTES ? SW_MAX_BYTES
                                                                              : result;
}

/* A grow keeps whole blocks apart that were apart, for it moves all above a line by the same
 * amount. What it cannot keep apart are blocks that share addresses by windows or permits, and
 * things that never move: reserved and forbidden ranges, and pins whose blocks are still to come.
 */
struct trial {
    const struct view *v;
    struct sw_layout *layout; /* as it would be */
    struct growth *growth;
    uint64_t from;
    bool harmless;
};

static bool try_block(struct trial *t, uint32_t b, uint64_t offset) {
    struct sw_run *run = t->v->run;
    uint64_t before = run->gaps.visited;
    bool ok = sw_gaps_blocker(&run->gaps, t->layout, &run->rules, b, SW_WHOLE_LIFE, t->v->tier,
                              offset, &t->harmless, &t->growth->who);
    run->work += run->gaps.visited - before + 1;
    return ok;
}

static bool touches(uint64_t lo, uint64_t hi, uint64_t offset, uint64_t size) {
    return lo < offset + size && offset < hi;
}

/* Reserved and forbidden ranges. */
static void try_ranges(struct trial *t, uint32_t b, uint64_t offset) {
    const struct sw_rules *rules = &t->v->run->rules;
    uint64_t size = sw_problem_buffer(t->v->fit->problem, b)->size;
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(t->v->fit->problem, &count);
    for (size_t i = 0; i < count; i++) {
        t->harmless &= reserved[i].tier != t->v->tier ||
                       !touches(reserved[i].lo, reserved[i].hi, offset, size);
    }
    for (size_t i = 0; i < rules->forbids.count; i++) {
        const struct sw_forbid *f = &rules->forbids.items[i];
        t->harmless &= f->tier != t->v->tier || (f->buffer != SW_NONE && f->buffer != b) ||
                       !touches(f->lo, f->hi, offset, size);
    }
}

/* Move everything in the trial layout, minding the ranges. */
static bool try_moves(struct trial *t) {
    const struct view *v = t->v;
    const uint32_t *program = sw_problem_order(v->fit->problem);
    struct sw_placement p;
    bool ok = true;
    for (uint32_t i = 0; ok && t->growth->moves > 0 && i < v->fit->at; i++) {
        if (moves(v, program[i], t->from, &p)) {
            ok = sw_layout_place(t->layout, program[i], v->tier, p.offset + t->growth->delta);
            try_ranges(t, program[i], p.offset + t->growth->delta);
        }
    }
    return ok;
}

static bool try_windows(struct trial *t) {
    const struct view *v = t->v;
    const uint32_t *program = sw_problem_order(v->fit->problem);
    struct sw_placement p;
    bool ok = true;
    for (uint32_t i = 0; ok && t->harmless && t->growth->moves > 0 && i < v->fit->at; i++) {
        if (moves(v, program[i], t->from, &p)) {
            ok = try_block(t, program[i], p.offset + t->growth->delta);
        }
    }
    return ok;
}

/* Would a block that is pinned and still to come find its place taken? */
static bool try_pins(struct trial *t) {
    const struct view *v = t->v;
    const uint32_t *program = sw_problem_order(v->fit->problem);
    struct sw_pin pin;
    bool ok = true;
    for (uint32_t i = v->fit->at + 1;
         ok && t->harmless && i < sw_problem_planned_count(v->fit->problem); i++) {
        if (sw_rules_pin(v->fit->problem, &v->run->rules, program[i], &pin) &&
            pin.tier == v->tier) {
            ok = try_block(t, program[i], pin.offset);
            t->growth->who = t->harmless ? SW_NONE : program[i];
        }
    }
    return ok;
}

static bool prove_harmless(const struct view *v, uint64_t from, struct growth *growth,
                           uint64_t start, bool *harmless) {
    struct trial t = {.v = v, .growth = growth, .from = from, .harmless = true};
    t.layout = sw_layout_clone(v->run->layout, NULL);
    bool ok = t.layout && try_moves(&t) && sw_layout_place(t.layout, v->id, v->tier, start);
    ok = ok && (!t.harmless || try_block(&t, v->id, start));
    if (ok && t.harmless && v->fit->windows) {
        ok = try_windows(&t);
    }
    if (ok && t.harmless && (v->fit->pins || v->run->rules.pins.count > 0)) {
        ok = try_pins(&t);
    }
    sw_layout_free(t.layout);
    *harmless = ok && t.harmless;
    return ok;
}

static bool needs_proof(const struct view *v) {
    size_t reserved;
    sw_problem_reserved(v->fit->problem, &reserved);
    return v->fit->windows || v->fit->permits || v->fit->pins || reserved > 0 ||
           v->run->rules.pins.count > 0 || v->run->rules.forbids.count > 0;
}

/* What enlarging a free block would mean. The gap is passed by value, for the list of gaps is
 * scratch. False: no memory. */
static bool plan_growth(const struct view *v, struct sw_gap gap, struct growth *growth) {
    struct sw_run *run = v->run;
    uint64_t hi = free_end(v, &gap), need = gap.start + v->buffer->size - hi, multiple = 1;
    *growth = (struct growth){.refusal = GROWS, .who = SW_NONE};
    const uint32_t *program = sw_problem_order(v->fit->problem);
    struct sw_placement p;
    struct sw_pin pin;
    for (uint32_t i = 0; hi < v->arena && i < v->fit->at; i++) {
        if (moves(v, program[i], hi, &p)) {
            if (sw_rules_pin(v->fit->problem, &run->rules, program[i], &pin)) {
                growth->refusal = MOVES_PINNED;
                growth->who = program[i];
                return true;
            }
            uint64_t alignment = sw_problem_buffer(v->fit->problem, program[i])->alignment;
            multiple = common_multiple(multiple, alignment);
            growth->moves++;
        }
    }
    run->work += hi < v->arena ? v->fit->at / 16 : 0;
    growth->delta = sw_align_up(need, multiple);
    if (multiple >= SW_MAX_BYTES) {
        growth->refusal = MISALIGNS;
    } else if (v->arena + growth->delta > v->capacity) {
        growth->refusal = OVER_CAPACITY;
    } else if (needs_proof(v)) {
        bool harmless;
        if (!prove_harmless(v, hi, growth, gap.start, &harmless)) {
            return false;
        }
        growth->refusal = harmless ? GROWS : COLLIDES;
    }
    return true;
}

/* Rule b. */
static size_t pick_smallest(const struct view *v) {
    const struct sw_gaps *gaps = &v->run->gaps;
    size_t best = gaps->gaps.count;
    uint64_t best_size = UINT64_MAX;
    for (size_t i = 0; i < gaps->gaps.count; i++) {
        const struct sw_gap *gap = &gaps->gaps.items[i];
        if (is_free_block(v, gap) && holds(v, gap) && free_end(v, gap) - gap->lo < best_size) {
            best_size = free_end(v, gap) - gap->lo;
            best = i;
        }
    }
    return best;
}

/* Rule c: the largest free block after `last` in the order (size descending, offset ascending). */
static size_t pick_largest(const struct view *v, size_t last) {
    const struct sw_gap *gaps = v->run->gaps.gaps.items;
    size_t count = v->run->gaps.gaps.count, best = count;
    for (size_t i = 0; i < count; i++) {
        if (!is_free_block(v, &gaps[i])) {
            continue;
        }
        uint64_t size = free_end(v, &gaps[i]) - gaps[i].lo;
        uint64_t bound = last < count ? free_end(v, &gaps[last]) - gaps[last].lo : UINT64_MAX;
        bool after = last == count || size < bound || (size == bound && i > last);
        if (after && (best == count || size > free_end(v, &gaps[best]) - gaps[best].lo)) {
            best = i;
        }
    }
    return best;
}

/* Rule d: the first address from the arena's end on that nothing blocks. */
static bool find_end(struct view *v) {
    for (size_t i = 0; i < v->run->gaps.gaps.count; i++) {
        const struct sw_gap *gap = &v->run->gaps.gaps.items[i];
        uint64_t lo = gap->lo > v->arena ? gap->lo : v->arena;
        uint64_t start = sw_align_up(lo, v->buffer->alignment);
        if (gap->hi == SW_UNBOUNDED || (start < gap->hi && gap->hi - start >= v->buffer->size)) {
            v->start = start;
            return start <= SW_MAX_BYTES * 2 &&
                   (v->capacity == SW_UNBOUNDED ||
                    (v->buffer->size <= v->capacity && start <= v->capacity - v->buffer->size));
        }
    }
    return false;
}

static bool find_gaps(const struct view *v) {
    return sw_place_gaps(v->run, v->id, v->tier, SW_UNBOUNDED);
}

/* Apply rules b, c and d. `possible`: the tier can take the block. Proving a growth uses the list
 * of gaps as scratch, so it is made anew. False: no memory. */
static bool decide(struct view *v, bool *possible) {
    struct sw_gaps *gaps = &v->run->gaps;
    *possible = true;
    v->kind = SW_DECISION_PLACE;
    v->picked = pick_smallest(v);
    if (v->picked < gaps->gaps.count) {
        v->start = gaps->gaps.items[v->picked].start;
        return true;
    }
    v->kind = SW_DECISION_GROW;
    for (v->picked = pick_largest(v, gaps->gaps.count); v->picked < gaps->gaps.count;
         v->picked = pick_largest(v, v->picked)) {
        v->start = gaps->gaps.items[v->picked].start;
        if (!plan_growth(v, gaps->gaps.items[v->picked], &v->growth)) {
            return false;
        }
        if (!find_gaps(v)) {
            return false;
        }
        if (v->growth.refusal == GROWS) {
            return true;
        }
    }
    v->kind = SW_DECISION_APPEND;
    *possible = find_end(v);
    return true;
}

static uint32_t count_free(const struct view *v) {
    uint32_t count = 0;
    for (size_t i = 0; i < v->run->gaps.gaps.count; i++) {
        count += is_free_block(v, &v->run->gaps.gaps.items[i]);
    }
    return count;
}

/* The user wants candidate k of this tier. Returns false with an error when that cannot be. */
static bool choose(struct view *v, uint32_t k, uint32_t total, struct sw_error *error) {
    struct sw_gaps *gaps = &v->run->gaps;
    size_t i = 0;
    for (uint32_t seen = 0; i < gaps->gaps.count; i++) {
        if (is_free_block(v, &gaps->gaps.items[i]) && seen++ == k) {
            break;
        }
    }
    v->chosen = true;
    if (v->kind == SW_DECISION_APPEND) {
        return (i == gaps->gaps.count && k == count_free(v)) ||
               (sw_place_no_candidate(v->run, total, error), false);
    }
    if (i == gaps->gaps.count) {
        sw_place_no_candidate(v->run, total, error);
        return false;
    }
    v->picked = i;
    v->start = gaps->gaps.items[i].start;
    if (v->kind == SW_DECISION_PLACE) {
        return holds(v, &gaps->gaps.items[i]) ||
               (sw_place_no_candidate(v->run, total, error), false);
    }
    if (!plan_growth(v, gaps->gaps.items[i], &v->growth) || !find_gaps(v)) {
        return sw_fail_memory(error);
    }
    return v->growth.refusal == GROWS || (sw_place_no_candidate(v->run, total, error), false);
}

/* ---- explaining ---- */

static bool add(const struct view *v, enum sw_verdict verdict, const struct sw_gap *gap,
                const char *text) {
    return sw_explain(v->run->explain, verdict, v->tier, gap->start, free_end(v, gap) - gap->lo,
                      gap->below, gap->above, "%s", text);
}

static const char *refusal_text(const struct view *v, const struct growth *growth, char *text,
                                size_t size) {
    char name[SW_SHORT_NAME];
    const char *who = growth->who == SW_NONE ? "a reserved or forbidden range"
                                             : sw_place_name(v->fit->problem, growth->who, name);
    switch (growth->refusal) {
    case MOVES_PINNED:
        snprintf(text, size, "enlarging it would move %s, which is pinned", who);
        break;
    case COLLIDES:
        snprintf(text, size, "enlarging it would push something onto %s", who);
        break;
    case MISALIGNS:
        snprintf(text, size, "the alignments of what would move have no common multiple");
        break;
    case OVER_CAPACITY:
    case GROWS:
    default:
        snprintf(text, size, "enlarging it would pass the capacity");
        break;
    }
    return text;
}

static bool explain_small(const struct view *v, const struct sw_gap *gap, bool picked) {
    unsigned long long lack = gap->start + v->buffer->size - free_end(v, gap);
    char text[200], why[120];
    enum sw_verdict verdict = SW_VERDICT_REFUSED;
    struct growth growth = v->growth;
    if (v->kind == SW_DECISION_PLACE) {
        snprintf(text, sizeof text, "too small by %llu", lack);
    } else if (!picked && !plan_growth(v, *gap, &growth)) {
        return false;
    } else if (growth.refusal != GROWS) {
        snprintf(text, sizeof text, "too small by %llu, and %s", lack,
                 refusal_text(v, &growth, why, sizeof why));
    } else {
        verdict = picked ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS;
        snprintf(text, sizeof text, "too small by %llu: %s %llu, which moves %u %s", lack,
                 !picked     ? "could be enlarged by"
                 : v->chosen ? "chosen by the user, enlarged by"
                             : "the largest, enlarged by",
                 (unsigned long long)growth.delta, growth.moves,
                 growth.moves == 1 ? "block" : "blocks");
    }
    return add(v, verdict, gap, text);
}

static bool explain_large(const struct view *v, const struct sw_gap *gap, bool picked) {
    unsigned long long rest = free_end(v, gap) - gap->start - v->buffer->size;
    char text[120];
    if (!picked) {
        snprintf(text, sizeof text, "fits, leaves %llu", rest);
        return add(v, SW_VERDICT_FITS, gap, text);
    }
    const char *who = v->chosen ? "chosen by the user" : "smallest that fits";
    if (rest == 0 && !v->chosen && gap->start == gap->lo) {
        return add(v, SW_VERDICT_CHOSEN, gap, "fits exactly");
    }
    snprintf(text, sizeof text, "%s, leaves %llu", who, rest);
    return add(v, SW_VERDICT_CHOSEN, gap, text);
}

/* A list of gaps of one's own, since explaining a growth uses the run's as scratch. */
static bool explain(const struct view *v, bool possible) {
    if (!v->run->explain) {
        return true;
    }
    SW_ARRAY(struct sw_gap) list = {0};
    struct sw_gaps *gaps = &v->run->gaps;
    uint64_t work = v->run->work, visited = gaps->visited;
    bool ok = SW_RESERVE(&list, gaps->gaps.count);
    for (size_t i = 0; ok && i < gaps->gaps.count; i++) {
        list.items[list.count++] = gaps->gaps.items[i];
    }
    for (size_t i = 0; ok && i < list.count; i++) {
        bool picked = possible && v->kind != SW_DECISION_APPEND && i == v->picked;
        if (is_free_block(v, &list.items[i])) {
            ok = holds(v, &list.items[i]) ? explain_large(v, &list.items[i], picked)
                                          : explain_small(v, &list.items[i], picked);
        }
    }
    if (ok && possible && v->kind == SW_DECISION_APPEND) {
        const struct sw_gap *last = list.count ? &list.items[list.count - 1] : NULL;
        ok = sw_explain(v->run->explain, SW_VERDICT_CHOSEN, v->tier, v->start, SW_UNBOUNDED,
                        last ? last->below : SW_NONE, SW_NONE, "%s: the end of the arena",
                        count_free(v) ? "no free block can be enlarged" : "no block is free");
    }
    /* Leave the list as it was; and looking must not change what the run has cost. */
    ok = ok && find_gaps(v);
    v->run->work = work;
    gaps->visited = visited;
    SW_ARRAY_DONE(&list);
    return ok;
}

/* ---- carrying out ---- */

static bool move_up(const struct view *v, uint64_t from, struct sw_run *shown) {
    const uint32_t *program = sw_problem_order(v->fit->problem);
    struct sw_placement p;
    for (uint32_t i = 0; v->growth.moves > 0 && i < v->fit->at; i++) {
        if (!moves(v, program[i], from, &p)) {
            continue;
        }
        uint64_t to = p.offset + v->growth.delta;
        if (!sw_layout_place(v->run->layout, program[i], v->tier, to) ||
            (shown != v->run && !sw_layout_place(shown->layout, program[i], v->tier, to))) {
            return false;
        }
        if (v->run->explain &&
            !SW_PUSH(&v->run->explain->moved,
                     (struct sw_moved){
                         .buffer = program[i], .tier = v->tier, .from = p.offset, .to = to})) {
            return false;
        }
    }
    return true;
}

static const char *reason_of(const struct view *v) {
    if (v->chosen) {
        return v->kind == SW_DECISION_GROW ? "chosen by the user, enlarged" : "chosen by the user";
    }
    if (v->overflow) {
        return "fits nowhere below the capacity: passes it";
    }
    return v->kind == SW_DECISION_PLACE  ? "smallest free block that fits"
           : v->kind == SW_DECISION_GROW ? "largest free block, enlarged"
           : count_free(v) > 0           ? "no free block can be enlarged: the end of the arena"
                                         : "no block is free: the end of the arena";
}

static bool carry_out(const struct view *v, struct sw_run *shown, struct sw_decision *decision) {
    uint64_t arena = v->arena;
    decision->kind = (uint16_t)v->kind;
    decision->tier = v->tier;
    decision->offset = v->start;
    decision->reason = reason_of(v);
    decision->forced = v->chosen;
    if (v->kind == SW_DECISION_GROW) {
        const struct sw_gap gap = v->run->gaps.gaps.items[v->picked];
        decision->other = v->growth.moves > 0 ? gap.above : SW_NONE;
        decision->amount = v->growth.delta;
        arena += v->growth.delta;
        if (!move_up(v, free_end(v, &gap), shown)) {
            return false;
        }
    }
    if (!sw_place_at(v->run, v->id, v->tier, v->start) ||
        (shown != v->run && !sw_place_at(shown, v->id, v->tier, v->start))) {
        return false;
    }
    if (v->kind == SW_DECISION_APPEND) {
        arena = v->start + v->buffer->size;
        decision->amount = arena - v->arena;
    }
    sw_layout_set_arena(v->run->layout, v->tier, arena);
    sw_layout_set_arena(shown->layout, v->tier, arena);
    decision->live = sw_place_live(v->run, v->id);
    return true;
}

/* One tier: look, decide, explain, and when it can be, do it. */
static enum sw_step try_tier(struct view *v, bool last, bool *taken, struct sw_run *shown,
                             struct sw_decision *decision, struct sw_error *error) {
    v->capacity = sw_problem_tier(v->fit->problem, v->tier)->capacity;
    v->arena = sw_layout_arena(v->run->layout, v->tier);
    bool possible;
    if (!find_gaps(v) || !decide(v, &possible)) {
        sw_fail_memory(error);
        return SW_STEP_FAILED;
    }
    if (!possible && last && v->capacity != SW_UNBOUNDED) {
        v->capacity = SW_UNBOUNDED;
        v->overflow = true;
        if (!find_gaps(v) || !decide(v, &possible)) {
            sw_fail_memory(error);
            return SW_STEP_FAILED;
        }
    }
    uint32_t base = decision->candidates;
    decision->candidates += count_free(v) + (possible && v->kind == SW_DECISION_APPEND);
    if (possible && v->run->choice >= 0) {
        if (v->run->choice < base || v->run->choice >= decision->candidates) {
            return sw_place_no_candidate(v->run, decision->candidates, error);
        }
        if (!choose(v, (uint32_t)v->run->choice - base, decision->candidates, error)) {
            return SW_STEP_FAILED;
        }
    }
    *taken = possible;
    if (!explain(v, possible) || (possible && !carry_out(v, shown, decision))) {
        sw_fail_memory(error);
        return SW_STEP_FAILED;
    }
    return SW_STEP_MORE;
}

static enum sw_step place(struct fit *fit, struct sw_run *run, struct sw_run *shown, uint32_t id,
                          struct sw_decision *decision, struct sw_error *error) {
    sw_place_begin(run, id, decision);
    bool done;
    enum sw_step result = sw_place_settled(run, id, &done, decision, error);
    if (done) {
        if (result == SW_STEP_MORE && shown != run &&
            !sw_place_at(shown, id, decision->tier, decision->offset)) {
            sw_fail_memory(error);
            return SW_STEP_FAILED;
        }
        return result;
    }
    struct view v = {
        .fit = fit, .run = run, .buffer = sw_problem_buffer(fit->problem, id), .id = id};
    uint64_t tiers = sw_place_tiers(fit->problem, id);
    while (tiers != 0) {
        v.tier = (uint32_t)__builtin_ctzll(tiers);
        tiers &= tiers - 1;
        bool taken;
        result = try_tier(&v, tiers == 0, &taken, shown, decision, error);
        if (result != SW_STEP_MORE || taken) {
            return result;
        }
    }
    char name[SW_SHORT_NAME];
    sw_fail(error, SW_ERROR_INFEASIBLE, "%s has no room at all: everything above is forbidden",
            sw_place_name(fit->problem, id, name));
    return SW_STEP_FAILED;
}

/* ---- one decision ---- */

/* The next step at which something dies or is born; false at the end of the run. */
static bool advance(struct fit *fit, uint32_t *birth) {
    const uint32_t *program = sw_problem_order(fit->problem);
    uint32_t count = sw_problem_planned_count(fit->problem), steps = sw_problem_steps(fit->problem);
    *birth = fit->at < count ? program[fit->at] : SW_NONE;
    uint32_t born = fit->at < count ? sw_problem_buffer(fit->problem, *birth)->first : steps;
    uint32_t died = steps;
    if (fit->dead < fit->deaths->count) {
        died = sw_problem_buffer(fit->problem, fit->deaths->buffers[fit->dead])->last + 1;
    }
    fit->time = died < born ? died : born;
    return fit->time < steps;
}

static enum sw_step next_decision(struct fit *fit, struct sw_run *run, struct sw_run *shown,
                                  struct sw_decision *decision, struct sw_error *error) {
    for (;;) {
        bool telling = fit->coalesce != SW_NONE || fit->next < fit->pending.count;
        if (telling && run->choice >= 0) {
            return sw_place_no_candidate(run, 0, error);
        }
        if (fit->coalesce != SW_NONE) {
            coalesce(fit, run, decision);
            return SW_STEP_MORE;
        }
        if (telling) {
            release(fit, run, decision);
            return SW_STEP_MORE;
        }
        uint32_t birth;
        if (!advance(fit, &birth)) {
            return SW_STEP_DONE;
        }
        uint32_t dead = fit->dead;
        if (!gather(fit, run)) {
            sw_fail_memory(error);
            return SW_STEP_FAILED;
        }
        if (fit->dead == dead) {
            enum sw_step result = place(fit, run, shown, birth, decision, error);
            fit->at += result == SW_STEP_MORE;
            return result;
        }
    }
}

static enum sw_step step(void *state, struct sw_run *run, struct sw_decision *decision,
                         struct sw_error *error) {
    struct fit *fit = state;
    if (!fit->layout) {
        return next_decision(fit, run, run, decision, error);
    }
    /* Planned on the literal problem, shown on the user's. */
    struct sw_run inner = *run;
    inner.problem = fit->problem;
    inner.layout = fit->layout;
    enum sw_step result = next_decision(fit, &inner, run, decision, error);
    run->gaps = inner.gaps;
    run->work = inner.work;
    return result;
}

/* A pin moves a placed block at once, and the arena is measured anew; the literal layout must
 * follow. */
static bool constrain(void *state, struct sw_run *run, const struct sw_override *override,
                      struct sw_error *error) {
    struct fit *fit = state;
    if (override->kind != SW_OVERRIDE_PIN || !fit->layout ||
        !sw_layout_placed(fit->layout, override->buffer)) {
        return true;
    }
    if (!sw_layout_place(fit->layout, override->buffer, override->tier, override->offset)) {
        return sw_fail_memory(error);
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(fit->problem); t++) {
        sw_layout_set_arena(fit->layout, t, sw_layout_arena(run->layout, t));
    }
    return true;
}

const struct sw_planner sw_lifetime_best_fit = {
    .name = "lifetime-best-fit",
    .summary =
        "Operator by operator: release, take the smallest free block, or enlarge the largest",
    .parameters = parameters,
    .open = fit_open,
    .step = step,
    .clone = fit_clone,
    .constrain = constrain,
    .digest = fit_digest,
    .bytes = fit_bytes,
    .close = fit_close,
};
