/* lifetime-best-fit, rules b, c and d: the smallest free block, or the largest, enlarged, or the
 * end. */
#include "planners/greedy/lifetime_internal.h"
#include "base/base.h"

#include "planners/greedy/policy.h"
#include "problem/hot.h"

/* ---- place, grow, append ---- */

/* Why a free block cannot be enlarged. */
enum refusal { ARENA_GROWS, MOVES_PINNED, COLLIDES, OVER_CAPACITY, MISALIGNS };
struct moving_growth {
    enum refusal refusal;
    uint32_t obstacle; /* MOVES_PINNED, COLLIDES */
    uint64_t delta;
    uint32_t moves; /* how many blocks */
};

/* One tier as the buffer at hand sees it. */
struct fit_view {
    struct sw_lifetime_fit *fit;
    struct sw_run *run;
    const struct sw_buffer *buffer;
    uint32_t id, tier;
    uint64_t arena, capacity; /* capacity: SW_UNBOUNDED when it is to be passed */
    bool overflow;
    enum sw_decision_kind kind; /* what will be done */
    size_t picked;              /* which gap, for place and grow */
    struct moving_growth growth;
    uint64_t start;
    bool chosen;        /* by the user */
    const char *policy; /* why a script chose it, in its words; NULL: it did not */
    bool failed;        /* the script did, and the error says how */
};

/* Where a free block of the arena ends, seen from the gap it is part of. */
static uint64_t free_end(const struct fit_view *v, const struct sw_gap *gap) {
    uint64_t top = SW_MIN(v->arena, v->capacity);
    return gap->hi < top ? gap->hi : top;
}

static bool is_free_block(const struct fit_view *v, const struct sw_gap *gap) {
    return gap->lo < free_end(v, gap);
}

static bool holds_buffer(const struct fit_view *v, const struct sw_gap *gap) {
    return gap->start <= free_end(v, gap) && free_end(v, gap) - gap->start >= v->buffer->size;
}

static bool moves(const struct fit_view *v, uint32_t b, uint64_t from, struct sw_placement *p) {
    return sw_layout_placement(v->run->layout, b, 0, p) && p->tier == v->tier && p->offset >= from &&
           sw_problem_buffer(v->fit->problem, b)->size > 0;
}

/* A grow keeps whole blocks apart that were apart, for it moves all above a line by the same
 * amount. What it cannot keep apart are blocks that share addresses by windows or permits, and
 * things that never move: reserved and forbidden ranges, and pins of blocks that are still to come.
 */
struct growth_trial {
    const struct fit_view *v;
    struct sw_layout *layout; /* as it would be */
    struct moving_growth *growth;
    uint64_t from;
    bool harmless;
};

static bool try_block(struct growth_trial *t, uint32_t b, uint64_t offset) {
    struct sw_run *run = t->v->run;
    uint64_t before = run->gaps.visited;
    bool ok = sw_gaps_blocker(&run->gaps, t->layout, &run->rules, b, SW_WHOLE_LIFE, t->v->tier, offset, &t->harmless,
                              &t->growth->obstacle);
    run->work += run->gaps.visited - before + 1;
    return ok;
}

static bool touches_bytes(uint64_t lo, uint64_t hi, uint64_t offset, uint64_t size) {
    return lo < offset + size && offset < hi;
}

/* Reserved and forbidden ranges. */
static void try_ranges(struct growth_trial *t, uint32_t b, uint64_t offset) {
    const struct sw_rules *rules = &t->v->run->rules;
    uint64_t size = sw_problem_buffer(t->v->fit->problem, b)->size;
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(t->v->fit->problem, &count);
    for (size_t i = 0; i < count; i++) {
        t->harmless &= reserved[i].tier != t->v->tier || !touches_bytes(reserved[i].lo, reserved[i].hi, offset, size);
    }
    for (size_t i = 0; i < rules->forbids.count; i++) {
        const struct sw_forbid *f = &rules->forbids.items[i];
        t->harmless &= f->tier != t->v->tier || (f->buffer != SW_NONE && f->buffer != b) ||
                       !touches_bytes(f->lo, f->hi, offset, size);
    }
}

/* Move everything in the trial layout, minding the ranges. */
static bool try_growth_moves(struct growth_trial *t) {
    const struct fit_view *v = t->v;
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

/* Does a block that moves meet one that stays? Those that move together are as far apart as before. Only where blocks
 * are all that is in the way. Counted as try_block does. */
static bool meets_what_stays(const struct growth_trial *t, uint32_t b, uint64_t offset) {
    struct sw_run *run = t->v->run;
    struct sw_neighbors all = sw_problem_neighbors(t->v->fit->problem, b);
    struct sw_placement p, moved;
    bool meets = false;
    for (uint32_t other; (other = sw_neighbors_next(&all)) != SW_NONE; run->work++) {
        meets = meets || (!moves(t->v, other, t->from, &moved) && sw_layout_placement(t->layout, other, 0, &p) &&
                          p.tier == t->v->tier && sw_problem_collide(t->v->fit->problem, b, offset, other, p.offset));
    }
    run->work++;
    return meets;
}

static bool only_blocks(const struct growth_trial *t) {
    size_t reserved;
    sw_problem_reserved(t->v->fit->problem, &reserved);
    return reserved == 0 && !t->v->fit->pins && t->v->run->rules.pins.count == 0 && t->v->run->rules.forbids.count == 0;
}

static bool try_windows(struct growth_trial *t) {
    const struct fit_view *v = t->v;
    const uint32_t *program = sw_problem_order(v->fit->problem);
    struct sw_placement p;
    bool ok = true;
    bool easy = only_blocks(t);
    for (uint32_t i = 0; ok && t->harmless && t->growth->moves > 0 && i < v->fit->at; i++) {
        if (moves(v, program[i], t->from, &p)) {
            uint64_t offset = p.offset + t->growth->delta, work = v->run->work;
            if (easy && !meets_what_stays(t, program[i], offset)) {
                continue;
            }
            v->run->work = work;
            ok = try_block(t, program[i], offset);
        }
    }
    return ok;
}

/* Would a block that is pinned and still to come find its place taken? */
static bool try_pins(struct growth_trial *t) {
    const struct fit_view *v = t->v;
    const uint32_t *program = sw_problem_order(v->fit->problem);
    struct sw_pin pin;
    bool ok = true;
    for (uint32_t i = v->fit->at + 1; ok && t->harmless && i < sw_problem_planned_count(v->fit->problem); i++) {
        if (sw_rules_pin(v->fit->problem, &v->run->rules, program[i], &pin) && pin.tier == v->tier) {
            ok = try_block(t, program[i], pin.offset);
            t->growth->obstacle = t->harmless ? SW_NONE : program[i];
        }
    }
    return ok;
}

static bool prove_harmless(const struct fit_view *v, uint64_t from, struct moving_growth *growth, uint64_t start,
                           bool *harmless) {
    struct growth_trial t = {.v = v, .growth = growth, .from = from, .harmless = true};
    t.layout = sw_layout_clone(v->run->layout, NULL);
    bool ok = t.layout && try_growth_moves(&t) && sw_layout_place(t.layout, v->id, v->tier, start);
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

static bool needs_proof(const struct fit_view *v) {
    size_t reserved;
    sw_problem_reserved(v->fit->problem, &reserved);
    return v->fit->windows || v->fit->permits || v->fit->pins || reserved > 0 || v->run->rules.pins.count > 0 ||
           v->run->rules.forbids.count > 0;
}

/* What enlarging a free block would mean. The gap is passed by value, for the list of gaps is
 * scratch. False: no memory. */
static bool plan_growth(const struct fit_view *v, struct sw_gap gap, struct moving_growth *growth) {
    struct sw_run *run = v->run;
    uint64_t hi = free_end(v, &gap), need = gap.start + v->buffer->size - hi, multiple = 1;
    *growth = (struct moving_growth){.refusal = ARENA_GROWS, .obstacle = SW_NONE};
    const uint32_t *program = sw_problem_order(v->fit->problem);
    struct sw_placement p;
    struct sw_pin pin;
    bool pins = v->fit->pins || run->rules.pins.count > 0, counts = pins || run->explain;
    for (uint32_t i = 0; hi < v->arena && i < v->fit->at; i++) {
        if (!counts && growth->moves > 0 && multiple == v->fit->multiple) {
            break; /* no other alignment is to come, and nothing tells how many move */
        }
        if (moves(v, program[i], hi, &p)) {
            if (pins && sw_rules_pin(v->fit->problem, &run->rules, program[i], &pin)) {
                growth->refusal = MOVES_PINNED;
                growth->obstacle = program[i];
                return true;
            }
            uint64_t alignment = sw_problem_buffer(v->fit->problem, program[i])->alignment;
            multiple = sw_multiple_up_to(multiple, alignment, SW_MAX_BYTES);
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
        growth->refusal = harmless ? ARENA_GROWS : COLLIDES;
    }
    return true;
}

/* Rule b. */
static size_t pick_smallest(const struct fit_view *v) {
    const struct sw_gaps *gaps = &v->run->gaps;
    size_t best = gaps->gaps.count;
    uint64_t best_size = UINT64_MAX;
    for (size_t i = 0; i < gaps->gaps.count; i++) {
        const struct sw_gap *gap = &gaps->gaps.items[i];
        if (is_free_block(v, gap) && holds_buffer(v, gap) && free_end(v, gap) - gap->lo < best_size) {
            best_size = free_end(v, gap) - gap->lo;
            best = i;
        }
    }
    return best;
}

/* Rule c: the largest free block after `last` in the order (size descending, offset ascending). */
static size_t pick_largest(const struct fit_view *v, size_t last) {
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
static bool find_open_end(struct fit_view *v) {
    for (size_t i = 0; i < v->run->gaps.gaps.count; i++) {
        const struct sw_gap *gap = &v->run->gaps.gaps.items[i];
        uint64_t lo = SW_MAX(gap->lo, v->arena);
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

static bool find_tier_gaps(const struct fit_view *v) {
    return sw_place_gaps(v->run, v->id, v->tier, SW_UNBOUNDED);
}

/* What plan_growth asks leaves the list of spaces as it is, but not the bytes alive. Counted as if it were made anew.
 */
static bool plan_and_keep(struct fit_view *v, uint64_t looked) {
    struct sw_gaps *gaps = &v->run->gaps;
    uint64_t live = gaps->live;
    bool ok = plan_growth(v, gaps->gaps.items[v->picked], &v->growth);
    gaps->live = live;
    v->run->work += looked;
    return ok;
}

/* ---- what a script says ---- */

typedef SW_ARRAY(struct sw_free_block) free_block_list;
typedef SW_ARRAY(size_t) gap_numbers;

/* The free blocks that hold the buffer, or, with `grow`, those that can be enlarged for it; and which gaps they are. */
static bool gather_choice(struct fit_view *v, bool grow, uint64_t looked, free_block_list *blocks,
                          gap_numbers *numbers) {
    bool ok = true;
    for (v->picked = 0; ok && v->picked < v->run->gaps.gaps.count; v->picked++) {
        struct sw_gap gap = v->run->gaps.gaps.items[v->picked];
        struct sw_free_block block = {gap.lo, free_end(v, &gap) - gap.lo, gap.start, 0, gap.below, gap.above};
        bool offered = is_free_block(v, &gap) && holds_buffer(v, &gap) != grow;
        if (offered && grow) {
            ok = plan_and_keep(v, looked);
            offered = v->growth.refusal == ARENA_GROWS;
            block.delta = v->growth.delta;
        }
        ok = ok && (!offered || (SW_PUSH(blocks, block) && SW_PUSH(numbers, v->picked)));
    }
    return ok;
}

/* Have the policy choose in place of `picked`, where there is one and the user does not choose. */
static bool ask_policy_of(struct fit_view *v, bool grow, uint64_t looked) {
    const struct sw_policy *policy = v->run->params->policy;
    sw_choose_free *choose = !policy || v->run->choice >= 0 ? NULL : grow ? policy->grow : policy->fit;
    free_block_list blocks = {0};
    gap_numbers numbers = {0};
    const char *why = NULL;
    uint32_t chosen = SW_NONE;
    size_t picked = v->picked;
    if (!choose) {
        return true;
    }
    bool ok = gather_choice(v, grow, looked, &blocks, &numbers);
    v->picked = picked;
    if (ok && blocks.count > 0) {
        struct sw_free_choice choice = {.problem = v->fit->problem,
                                        .buffer = v->id,
                                        .tier = v->tier,
                                        .arena = v->arena,
                                        .blocks = blocks.items,
                                        .count = (uint32_t)blocks.count};
        v->failed = !choose(policy->context, &choice, &chosen, &why, v->run->error);
        ok = !v->failed;
    }
    if (ok && chosen != SW_NONE) {
        v->picked = numbers.items[chosen];
        v->policy = why ? why : "chosen by the policy";
    }
    SW_ARRAY_DONE(&blocks);
    SW_ARRAY_DONE(&numbers);
    return ok && (!grow || v->picked >= v->run->gaps.gaps.count || plan_and_keep(v, looked));
}

/* Apply rules b, c and d. `possible`: the tier can take the block; `looked`: what looking for the spaces cost. False:
 * no memory. */
static bool decide_in_tier(struct fit_view *v, uint64_t looked, bool *possible) {
    struct sw_gaps *gaps = &v->run->gaps;
    *possible = true;
    v->kind = SW_DECISION_PLACE;
    v->picked = pick_smallest(v);
    v->policy = NULL;
    if (v->picked < gaps->gaps.count) {
        bool ok = ask_policy_of(v, false, looked);
        v->start = gaps->gaps.items[v->picked].start;
        return ok;
    }
    v->kind = SW_DECISION_GROW;
    for (v->picked = pick_largest(v, gaps->gaps.count); v->picked < gaps->gaps.count;
         v->picked = pick_largest(v, v->picked)) {
        v->start = gaps->gaps.items[v->picked].start;
        if (!plan_and_keep(v, looked)) {
            return false;
        }
        if (v->growth.refusal == ARENA_GROWS) {
            bool ok = ask_policy_of(v, true, looked);
            v->start = gaps->gaps.items[v->picked].start;
            return ok;
        }
    }
    v->kind = SW_DECISION_APPEND;
    *possible = find_open_end(v);
    return true;
}

static uint32_t count_free(const struct fit_view *v) {
    uint32_t count = 0;
    for (size_t i = 0; i < v->run->gaps.gaps.count; i++) {
        count += is_free_block(v, &v->run->gaps.gaps.items[i]);
    }
    return count;
}

/* The user wants candidate k of this tier. Returns false with an error when that cannot be. */
static bool choose_candidate(struct fit_view *v, uint32_t k, uint32_t total) {
    struct sw_gaps *gaps = &v->run->gaps;
    size_t i = 0;
    for (uint32_t seen = 0; i < gaps->gaps.count; i++) {
        if (is_free_block(v, &gaps->gaps.items[i]) && seen++ == k) {
            break;
        }
    }
    v->chosen = true;
    if (v->kind == SW_DECISION_APPEND) {
        return (i == gaps->gaps.count && k == count_free(v)) || (sw_place_no_candidate(v->run, total), false);
    }
    if (i == gaps->gaps.count) {
        sw_place_no_candidate(v->run, total);
        return false;
    }
    v->picked = i;
    v->start = gaps->gaps.items[i].start;
    if (v->kind == SW_DECISION_PLACE) {
        return holds_buffer(v, &gaps->gaps.items[i]) || (sw_place_no_candidate(v->run, total), false);
    }
    if (!plan_growth(v, gaps->gaps.items[i], &v->growth) || !find_tier_gaps(v)) {
        return sw_fail_memory(v->run->error);
    }
    return v->growth.refusal == ARENA_GROWS || (sw_place_no_candidate(v->run, total), false);
}

/* ---- explaining ---- */

static bool add_fit_candidate(const struct fit_view *v, enum sw_verdict verdict, const struct sw_gap *gap,
                              const char *text) {
    char name[SW_SHORT_NAME];
    uint32_t with = verdict == SW_VERDICT_REFUSED ? SW_NONE : sw_place_partner(v->run, v->id, v->tier, gap->start);
    return sw_explain(v->run->explain, verdict, v->tier, gap->start, free_end(v, gap) - gap->lo, gap->below, gap->above,
                      "%s%s%s", text, with == SW_NONE ? "" : ", in place with ",
                      with == SW_NONE ? "" : sw_place_name(v->fit->problem, with, name));
}

static const char *refusal_text(const struct fit_view *v, const struct moving_growth *growth, char *text, size_t size) {
    char name[SW_SHORT_NAME];
    const char *obstacle = growth->obstacle == SW_NONE ? "a reserved or forbidden range"
                                                       : sw_place_name(v->fit->problem, growth->obstacle, name);
    switch (growth->refusal) {
    case MOVES_PINNED:
        snprintf(text, size, "enlarging it would move %s, which is pinned", obstacle);
        break;
    case COLLIDES:
        snprintf(text, size, "enlarging it would push something onto %s", obstacle);
        break;
    case MISALIGNS:
        snprintf(text, size, "the alignments of what would move have no common multiple");
        break;
    case OVER_CAPACITY:
    case ARENA_GROWS:
        snprintf(text, size, "enlarging it would pass the capacity");
        break;
    }
    return text;
}

static bool explain_small(const struct fit_view *v, const struct sw_gap *gap, bool picked) {
    unsigned long long lack = gap->start + v->buffer->size - free_end(v, gap);
    char text[200], why[120];
    enum sw_verdict verdict = SW_VERDICT_REFUSED;
    struct moving_growth growth = v->growth;
    if (v->kind == SW_DECISION_PLACE) {
        snprintf(text, sizeof text, "too small by %s", SW_BYTES(lack));
    } else if (!picked && !plan_growth(v, *gap, &growth)) {
        return false;
    } else if (growth.refusal != ARENA_GROWS) {
        snprintf(text, sizeof text, "too small by %s, and %s", SW_BYTES(lack),
                 refusal_text(v, &growth, why, sizeof why));
    } else {
        verdict = picked ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS;
        snprintf(text, sizeof text, "too small by %s, %s %s, which moves %u %s", SW_BYTES(lack),
                 !picked     ? "but could be enlarged by"
                 : v->chosen ? "and chosen by the user, enlarged by"
                 : v->policy ? "and chosen by the policy, enlarged by"
                             : "but the largest, enlarged by",
                 SW_BYTES(growth.delta), growth.moves, growth.moves == 1 ? "block" : "blocks");
    }
    return add_fit_candidate(v, verdict, gap, text);
}

static bool explain_large(const struct fit_view *v, const struct sw_gap *gap, bool picked) {
    unsigned long long rest = free_end(v, gap) - gap->start - v->buffer->size;
    const char *above = gap->start > gap->lo ? " above it" : ""; /* what alignment leaves below is not counted */
    char text[120];
    if (!picked) {
        snprintf(text, sizeof text, "fits, leaves %s%s", SW_BYTES(rest), above);
        return add_fit_candidate(v, SW_VERDICT_FITS, gap, text);
    }
    const char *why = v->chosen ? "chosen by the user" : v->policy ? "chosen by the policy" : "smallest that fits";
    if (rest == 0 && !v->chosen && !v->policy && gap->start == gap->lo) {
        return add_fit_candidate(v, SW_VERDICT_CHOSEN, gap, "fits exactly");
    }
    snprintf(text, sizeof text, "%s, leaves %s%s", why, SW_BYTES(rest), above);
    return add_fit_candidate(v, SW_VERDICT_CHOSEN, gap, text);
}

/* A list of gaps of one's own, since explaining a growth uses the run's as scratch. */
static bool explain_tier(const struct fit_view *v, bool possible) {
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
            ok = holds_buffer(v, &list.items[i]) ? explain_large(v, &list.items[i], picked)
                                                 : explain_small(v, &list.items[i], picked);
        }
    }
    if (ok && possible && v->kind == SW_DECISION_APPEND) {
        const struct sw_gap *last = list.count ? &list.items[list.count - 1] : NULL;
        ok = sw_explain(v->run->explain, SW_VERDICT_CHOSEN, v->tier, v->start, SW_UNBOUNDED,
                        last ? last->below : SW_NONE, SW_NONE, "%s, so the arena grows at its end",
                        count_free(v) ? "no free block can be enlarged" : "no block is free");
    }
    /* Leave the list as it was; and looking must not change what the run has cost. */
    ok = ok && find_tier_gaps(v);
    v->run->work = work;
    gaps->visited = visited;
    SW_ARRAY_DONE(&list);
    return ok;
}

/* ---- carrying out ---- */

static bool move_up(const struct fit_view *v, uint64_t from, struct sw_run *shown) {
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
                     (struct sw_moved){.buffer = program[i], .tier = v->tier, .from = p.offset, .to = to})) {
            return false;
        }
    }
    return true;
}

#define LARGEST_IS_FREE "the largest free block"
#define NONE_IS_FREE "no block is free, so the arena grows at its end"

static const char *reason_to_place(const struct fit_view *v) {
    if (v->chosen || v->policy) {
        return v->chosen ? "chosen by the user" : v->policy;
    }
    if (v->overflow) {
        return "it fits nowhere below the capacity and passes it";
    }
    return v->kind == SW_DECISION_PLACE  ? "smallest free block that fits"
           : v->kind == SW_DECISION_GROW ? LARGEST_IS_FREE
           : count_free(v) > 0           ? "no free block can be enlarged, so the arena grows at its end"
                                         : NONE_IS_FREE;
}

static bool carry_out_place(const struct fit_view *v, struct sw_run *shown, struct sw_decision *decision) {
    uint64_t arena = v->arena;
    sw_decision_become(decision, v->kind);
    decision->tier = v->tier;
    decision->offset = v->start;
    decision->reason = reason_to_place(v);
    decision->forced = v->chosen;
    if (v->kind == SW_DECISION_GROW) {
        const struct sw_gap gap = v->run->gaps.gaps.items[v->picked];
        decision->grow.pushed = v->growth.moves > 0 ? gap.above : SW_NONE;
        decision->grow.delta = v->growth.delta;
        arena += v->growth.delta;
        if (!move_up(v, free_end(v, &gap), shown) ||
            (v->growth.moves > 0 && !sw_lifetime_shifted(v->fit, v->tier, free_end(v, &gap), v->growth.delta))) {
            return false;
        }
    }
    if (v->kind == SW_DECISION_PLACE) {
        sw_place_tell_partner(v->run, v->id, v->tier, v->start, decision);
    }
    if (!sw_place_at(v->run, v->id, v->tier, v->start) ||
        (shown != v->run && !sw_place_at(shown, v->id, v->tier, v->start))) {
        return false;
    }
    if (v->kind == SW_DECISION_APPEND) {
        arena = v->start + v->buffer->size;
        decision->append.delta = arena - v->arena;
    }
    sw_layout_set_arena(v->run->layout, v->tier, arena);
    sw_layout_set_arena(shown->layout, v->tier, arena);
    decision->live = sw_place_live(v->run, v->id);
    return true;
}

/* One tier: look, decide, explain, and when it can be, do it. */
static enum sw_step look_at_tier(struct fit_view *v, bool last, bool *taken, struct sw_run *shown,
                                 struct sw_decision *decision) {
    v->capacity = sw_problem_tier(v->fit->problem, v->tier)->capacity;
    v->arena = sw_layout_arena(v->run->layout, v->tier);
    bool possible;
    uint64_t before = v->run->work;
    if (!find_tier_gaps(v) || !decide_in_tier(v, v->run->work - before, &possible)) {
        return v->failed ? SW_STEP_FAILED : sw_step_memory(shown);
    }
    if (!possible && last && v->capacity != SW_UNBOUNDED) {
        v->capacity = SW_UNBOUNDED;
        v->overflow = true;
        before = v->run->work;
        if (!find_tier_gaps(v) || !decide_in_tier(v, v->run->work - before, &possible)) {
            return v->failed ? SW_STEP_FAILED : sw_step_memory(shown);
        }
    }
    uint32_t base = decision->candidates;
    decision->candidates += count_free(v) + (possible && v->kind == SW_DECISION_APPEND);
    if (possible && v->run->choice >= 0) {
        if (v->run->choice < base || v->run->choice >= decision->candidates) {
            return sw_place_no_candidate(v->run, decision->candidates);
        }
        if (!choose_candidate(v, (uint32_t)v->run->choice - base, decision->candidates)) {
            return SW_STEP_FAILED;
        }
    }
    *taken = possible;
    if (!explain_tier(v, possible) || (possible && !carry_out_place(v, shown, decision))) {
        return sw_step_memory(shown);
    }
    return SW_STEP_MORE;
}

/* Where the shelf says that the buffer goes. */
struct shelf_place {
    enum sw_decision_kind kind; /* PLACE, GROW or APPEND */
    uint64_t start;
    uint32_t below, candidates; /* below: the block beneath it */
    uint64_t delta, from;       /* GROW: what lies from there on moves up */
    uint32_t pushed;            /* GROW: the buffer above, or SW_NONE */
};

/* Rule c by the shelf, for the largest free block. False: it cannot be enlarged, so that the next largest is to be
 * tried. */
static bool grow_on_shelf(const struct fit_view *v, struct shelf_place *place) {
    const struct sw_shelf *shelf = v->run->shelf;
    uint64_t arena = sw_layout_arena(v->run->layout, 0), top = sw_shelf_top(shelf);
    const struct sw_shelf_gap *gap = sw_shelf_largest(shelf);
    bool last = top < arena && (!gap || arena - top > gap->size);
    struct sw_gap found = {.lo = last ? top : gap->lo, .hi = last ? SW_UNBOUNDED : gap->lo + gap->size};
    struct fit_view view = *v;
    struct moving_growth growth;
    found.start = sw_align_up(found.lo, v->buffer->alignment);
    view.arena = arena;
    view.capacity = sw_problem_tier(v->fit->problem, 0)->capacity;
    uint64_t work = v->run->work;
    if (needs_proof(v) || !plan_growth(&view, found, &growth) || growth.refusal != ARENA_GROWS) {
        v->run->work = work;
        return false;
    }
    place->kind = SW_DECISION_GROW;
    place->start = found.start;
    place->below = last ? shelf->top : gap->below;
    place->delta = growth.delta;
    place->from = found.hi;
    place->pushed = last ? SW_NONE : shelf->blocks.items[shelf->blocks.items[place->below].above].buffer;
    place->candidates = shelf->gaps + (top < arena);
    return true;
}

/* Rules b, c and d by the shelf. False where it does not serve: when the largest free block cannot be enlarged, or the
 * arena would pass the capacity. */
static bool look_on_shelf(const struct fit_view *v, struct shelf_place *place) {
    const struct sw_shelf *shelf = v->run->shelf;
    const struct sw_buffer *b = v->buffer;
    uint64_t arena = sw_layout_arena(v->run->layout, 0), top = sw_shelf_top(shelf);
    uint64_t start = sw_align_up(top, b->alignment), capacity = sw_problem_tier(v->fit->problem, 0)->capacity;
    const struct sw_shelf_gap *gap = sw_shelf_find(shelf, b->size, b->alignment);
    /* The last free block ends with the arena. It stands above all others: of equal ones another is
     * taken. */
    bool last = top < arena && start <= arena && arena - start >= b->size && (!gap || arena - top < gap->size);
    if (gap && !last) {
        *place = (struct shelf_place){
            .kind = SW_DECISION_PLACE, .start = sw_align_up(gap->lo, b->alignment), .below = gap->below};
    } else if (!last && (shelf->gaps > 0 || top < arena)) {
        return grow_on_shelf(v, place);
    } else {
        *place = (struct shelf_place){
            .kind = last ? SW_DECISION_PLACE : SW_DECISION_APPEND, .start = start, .below = shelf->top};
    }
    place->candidates = shelf->gaps + (top < arena) + (place->kind == SW_DECISION_APPEND);
    return place->kind == SW_DECISION_PLACE ||
           (start <= SW_MAX_BYTES && b->size <= capacity && start <= capacity - b->size);
}

/* The same as by looking at the layout, which is how almost all blocks are placed. `done` is false where the shelf does
 * not serve, or when the user chooses, or asks why. What is decided and counted is the same. */
static enum sw_step take_from_shelf(const struct fit_view *v, bool *done, struct sw_decision *decision) {
    struct sw_run *run = v->run;
    struct sw_shelf *shelf = run->shelf;
    const struct sw_buffer *b = v->buffer;
    struct shelf_place place;
    *done = false;
    if (run->explain || run->choice >= 0 || run->params->policy || !(sw_place_tiers(v->fit->problem, v->id) & 1) ||
        !sw_lifetime_shelf(v->fit, run, v->fit->next) || !look_on_shelf(v, &place)) {
        return SW_STEP_MORE;
    }
    *done = true;
    uint32_t alive = sw_problem_alive_count(v->fit->problem, b->first, b->last);
    run->work +=
        place.kind == SW_DECISION_GROW ? 2 * (uint64_t)alive : alive; /* it looks once more when it has moved all */
    sw_decision_become(decision, place.kind);
    decision->tier = 0;
    decision->offset = place.start;
    decision->reason = place.kind == SW_DECISION_PLACE  ? "smallest free block that fits"
                       : place.kind == SW_DECISION_GROW ? LARGEST_IS_FREE
                                                        : NONE_IS_FREE;
    decision->candidates = place.candidates;
    decision->live = shelf->bytes + b->size;
    if (place.kind == SW_DECISION_GROW) {
        decision->grow.pushed = place.pushed;
        decision->grow.delta = place.delta;
        uint64_t arena = sw_layout_arena(run->layout, 0) + place.delta;
        if (place.pushed != SW_NONE && (!sw_lifetime_shifted(v->fit, 0, place.from, place.delta) ||
                                        !sw_shelf_raise(shelf, run->layout, place.below, place.delta, v->fit->at))) {
            return sw_step_memory(run);
        }
        sw_layout_set_arena(run->layout, 0, arena);
    }
    if (!sw_place_at(run, v->id, 0, place.start)) {
        return sw_step_memory(run);
    }
    if (place.kind == SW_DECISION_APPEND) {
        decision->append.delta = place.start + b->size - sw_shelf_top(shelf);
        sw_layout_set_arena(run->layout, 0, place.start + b->size);
    }
    sw_shelf_put(shelf, run->layout, v->id, place.start, place.below); /* failing that it is made anew */
    return SW_STEP_MORE;
}

enum sw_step sw_lifetime_place(struct sw_lifetime_fit *fit, struct sw_run *run, struct sw_run *shown, uint32_t id,
                               struct sw_decision *decision) {
    sw_place_begin(run, id, decision);
    bool done;
    enum sw_step result = sw_place_settled(run, id, &done, decision);
    if (done) {
        if (result == SW_STEP_MORE && shown != run && !sw_place_at(shown, id, decision->tier, decision->offset)) {
            return sw_step_memory(run);
        }
        return result;
    }
    struct fit_view v = {.fit = fit, .run = run, .buffer = sw_problem_buffer(fit->problem, id), .id = id};
    result = take_from_shelf(&v, &done, decision);
    if (done) {
        return result;
    }
    uint64_t tiers = sw_place_tiers(fit->problem, id);
    while (tiers != 0) {
        v.tier = (uint32_t)__builtin_ctzll(tiers);
        tiers &= tiers - 1;
        bool taken;
        result = look_at_tier(&v, tiers == 0, &taken, shown, decision);
        if (result != SW_STEP_MORE || taken) {
            return result;
        }
    }
    return SW_STEP_FAIL(run, SW_ERROR_INFEASIBLE, "%s has no room at all: everything above is forbidden",
                        sw_problem_buffer(fit->problem, id)->name);
}
