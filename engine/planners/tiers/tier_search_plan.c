/* What a run of tier-search knows from the start: in which order blocks are placed and visited, and
 * which block may be written over which by rule R6. See tier_search.c for the method. */
#include "planners/tiers/tier_search.h"
#include "base/base.h"
#include "base/sort.h"

/* ---- order: inputs, then scratch, then outputs; within a class as listed ---- */

static uint64_t turn_key(const struct sw_tier_plan *plan, const struct sw_problem *problem, uint32_t buffer) {
    static const uint64_t classes[] = {
        [SW_KIND_INPUT] = 0,        [SW_KIND_CONSTANT] = 1, [SW_KIND_SCRATCH] = 2,
        [SW_KIND_INTERMEDIATE] = 3, [SW_KIND_OUTPUT] = 3,
    };
    enum sw_kind kind = sw_problem_buffer(problem, buffer)->kind;
    bool last = plan->network_last && kind == SW_KIND_OUTPUT;
    return (classes[kind] + last) << 32 | buffer;
}

/* Sort buffers by their keys; `keys` has room for them. */
static void sort_turns(const struct sw_tier_plan *plan, const struct sw_problem *problem, uint32_t *buffers,
                       size_t count, uint64_t *keys) {
    for (size_t i = 0; i < count; i++) {
        keys[i] = turn_key(plan, problem, buffers[i]);
    }
    sw_sort(keys, count, sizeof *keys, sw_compare_u64);
    for (size_t i = 0; i < count; i++) {
        buffers[i] = (uint32_t)keys[i];
    }
}

static bool list_tier_turns(struct sw_tier_plan *plan, const struct sw_problem *problem) {
    uint64_t *keys = SW_NEW(uint64_t, plan->planned);
    plan->turns = SW_NEW_IN(&plan->room, uint32_t, plan->planned);
    plan->births = SW_NEW_IN(&plan->room, uint32_t, (size_t)plan->steps + 1);
    bool ok = keys && plan->turns && plan->births;
    uint32_t at = 0;
    for (uint32_t t = 0; ok && t < plan->steps; t++) {
        uint32_t count;
        const uint32_t *born = sw_problem_born(problem, t, &count);
        for (uint32_t i = 0; i < count; i++) {
            plan->turns[at + i] = born[i];
        }
        sort_turns(plan, problem, plan->turns + at, count, keys);
        plan->births[t] = at;
        at += count;
        plan->births[t + 1] = at;
    }
    SW_FREE(keys, plan->planned);
    return ok;
}

/* The blocks visited at each step: those born there, or all it touches. */
static bool make_visits(struct sw_tier_plan *plan, const struct sw_problem *problem, bool touched) {
    size_t total = 0;
    for (uint32_t b = 0; b < plan->buffers; b++) {
        total += touched ? sw_problem_buffer(problem, b)->access_count : 0;
    }
    plan->visits = SW_NEW_IN(&plan->room, uint32_t, touched ? total : plan->planned);
    plan->visit_at = SW_NEW_IN(&plan->room, uint32_t, (size_t)plan->steps + 2);
    if (!plan->visits || !plan->visit_at) {
        return false;
    }
    if (!touched) {
        memcpy(plan->visits, plan->turns, plan->planned * sizeof *plan->visits);
        memcpy(plan->visit_at, plan->births, ((size_t)plan->steps + 1) * sizeof *plan->visit_at);
        return true;
    }
    uint64_t *keys = SW_NEW(uint64_t, total);
    uint32_t *slot = plan->visit_at + 1; /* slot[t]: where the next block of step t goes */
    for (int pass = 0; keys && pass < 2; pass++) {
        for (uint32_t b = 0; b < plan->buffers; b++) {
            const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
            for (uint32_t i = 0; buffer->planned && i < buffer->access_count; i++) {
                uint32_t t = buffer->accesses[i];
                if (i > 0 && buffer->accesses[i - 1] == t) {
                    continue; /* touched twice, visited once */
                }
                if (pass == 1) {
                    plan->visits[slot[t]] = b;
                }
                slot[t + (pass == 0)]++;
            }
        }
        for (uint32_t t = 0; pass == 0 && t < plan->steps; t++) {
            slot[t + 1] += slot[t];
        }
    }
    for (uint32_t t = 0; keys && t < plan->steps; t++) {
        sort_turns(plan, problem, plan->visits + plan->visit_at[t], plan->visit_at[t + 1] - plan->visit_at[t], keys);
    }
    SW_FREE(keys, total);
    return keys != NULL;
}

/* ---- rule R6 ---- */

/* Which block may be written over which: pairs of fresh and old. */
struct tier_pairs {
    SW_ARRAY(uint64_t) items; /* fresh << 32 | old */
};

/* On several cores the order of steps is not the order of time: an operator comes after another one
 * only by program order on its core or by synchronization. */
struct tier_order {
    uint32_t *previous;   /* per operator: the one before it on its core, or SW_NONE */
    bool *before, *after; /* of the operator looked at */
    bool *early, *late;   /* per buffer: touched by an operator that is not before, not after it */
    struct sw_arena room;
};

static bool causes_init(struct tier_order *order, const struct sw_problem *problem) {
    uint32_t operators = sw_problem_operator_count(problem);
    uint32_t buffers = sw_problem_buffer_count(problem), cores = sw_problem_core_count(problem);
    uint32_t *latest = SW_NEW_IN(&order->room, uint32_t, cores);
    order->previous = SW_NEW_IN(&order->room, uint32_t, operators);
    order->before = SW_NEW_IN(&order->room, bool, operators);
    order->after = SW_NEW_IN(&order->room, bool, operators);
    order->early = SW_NEW_IN(&order->room, bool, buffers);
    order->late = SW_NEW_IN(&order->room, bool, buffers);
    bool ok = latest && order->previous && order->before && order->after && order->early && order->late;
    sw_fill_none(latest, ok ? cores : 0);
    for (uint32_t j = 0; ok && j < operators; j++) {
        uint32_t core = sw_problem_operator(problem, j)->core;
        order->previous[j] = latest[core];
        latest[core] = j;
    }
    return ok;
}

/* Mark every operator that happens before, and after, the one at `step`. Operators wait only for
 * earlier ones in the list, so one pass each way is enough. */
static void mark_operators(struct tier_order *order, const struct sw_problem *problem, uint32_t step) {
    uint32_t operators = sw_problem_operator_count(problem);
    memset(order->before, 0, operators * sizeof *order->before);
    memset(order->after, 0, operators * sizeof *order->after);
    order->before[step] = order->after[step] = true;
    for (uint32_t j = step + 1; j-- > 0;) {
        const struct sw_operator *op = sw_problem_operator(problem, j);
        if (order->before[j] && order->previous[j] != SW_NONE) {
            order->before[order->previous[j]] = true;
        }
        for (uint32_t i = 0; order->before[j] && i < op->after_count; i++) {
            order->before[op->after[i]] = true;
        }
    }
    for (uint32_t j = step + 1; j < operators; j++) {
        const struct sw_operator *op = sw_problem_operator(problem, j);
        order->after[j] = order->previous[j] != SW_NONE && order->after[order->previous[j]];
        for (uint32_t i = 0; i < op->after_count; i++) {
            order->after[j] |= order->after[op->after[i]];
        }
    }
}

static void mark_refs(bool *marks, const struct sw_ref *refs, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        marks[refs[i].buffer] = true;
    }
}

/* Mark the buffers touched by an operator that is not known to come before this one (`early`), or after it
 * (`late`). */
static void mark_buffers(struct tier_order *order, const struct sw_problem *problem, uint32_t step) {
    memset(order->early, 0, sw_problem_buffer_count(problem) * sizeof *order->early);
    memset(order->late, 0, sw_problem_buffer_count(problem) * sizeof *order->late);
    mark_operators(order, problem, step);
    for (uint32_t j = 0; j < sw_problem_operator_count(problem); j++) {
        const struct sw_operator *op = sw_problem_operator(problem, j);
        bool *const marks[] = {order->before[j] ? NULL : order->early, order->after[j] ? NULL : order->late};
        for (int k = 0; k < 2; k++) {
            if (marks[k]) {
                mark_refs(marks[k], op->inputs, op->input_count);
                mark_refs(marks[k], op->outputs, op->output_count);
                mark_refs(marks[k], op->scratch, op->scratch_count);
            }
        }
    }
}

/* Every pair of one of `fresh` and one of `old` that R6 allows at the step. */
static bool add_overwrites(struct tier_pairs *pairs, const struct sw_problem *problem, uint32_t step,
                           const struct tier_order *order, const struct sw_ref *fresh, uint32_t fresh_count,
                           const struct sw_ref *old, uint32_t old_count) {
    const struct sw_operator *op = sw_problem_operator(problem, step);
    for (uint32_t i = 0; i < fresh_count; i++) {
        uint32_t f = fresh[i].buffer;
        const struct sw_buffer *x = sw_problem_buffer(problem, f);
        if (!x->planned || x->size == 0 || x->first != step || x->kind == SW_KIND_INPUT || (order && order->late[f])) {
            continue;
        }
        for (uint32_t k = 0; k < old_count; k++) {
            uint32_t o = old[k].buffer;
            const struct sw_buffer *y = sw_problem_buffer(problem, o);
            if (o != f && y->planned && y->size > 0 && y->last == step && !y->output && y->kind != SW_KIND_CONSTANT &&
                !(order && order->early[o]) && !sw_refs_name(op->outputs, op->output_count, o) &&
                !sw_refs_name(op->inputs, op->input_count, f) && !sw_place_kept_separate(problem, f, o) &&
                !SW_PUSH(&pairs->items, (uint64_t)f << 32 | o)) {
                return false;
            }
        }
    }
    return true;
}

/* An input may be overwritten by the same operator's scratch and outputs, scratch by its outputs.
 */
static bool find_overwrites(struct tier_pairs *pairs, const struct sw_problem *problem, struct tier_order *order) {
    for (uint32_t t = 0; t < sw_problem_operator_count(problem); t++) {
        const struct sw_operator *op = sw_problem_operator(problem, t);
        if (order) {
            mark_buffers(order, problem, t);
        }
        if (!add_overwrites(pairs, problem, t, order, op->scratch, op->scratch_count, op->inputs, op->input_count) ||
            !add_overwrites(pairs, problem, t, order, op->outputs, op->output_count, op->inputs, op->input_count) ||
            !add_overwrites(pairs, problem, t, order, op->outputs, op->output_count, op->scratch, op->scratch_count)) {
            return false;
        }
    }
    return true;
}

/* Sorted and without repetitions, sliced by the fresh block. */
static bool store_pairs(struct sw_tier_plan *plan, struct tier_pairs *pairs) {
    size_t count = sw_sort_unique(pairs->items.items, pairs->items.count, sizeof *pairs->items.items, sw_compare_u64);
    plan->olds = SW_NEW_IN(&plan->room, uint32_t, count);
    plan->old_at = SW_NEW_IN(&plan->room, uint32_t, (size_t)plan->buffers + 1);
    if (!plan->olds || !plan->old_at) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        plan->olds[i] = (uint32_t)pairs->items.items[i];
        plan->old_at[(pairs->items.items[i] >> 32) + 1]++;
    }
    for (uint32_t b = 0; b < plan->buffers; b++) {
        plan->old_at[b + 1] += plan->old_at[b];
    }
    return true;
}

/* The pairs that the graph itself permits; with `off` those of --inplace safe, which is about every
 * planner. */
static bool permitted_pairs(struct tier_pairs *pairs, const struct sw_problem *problem, bool off) {
    size_t count;
    const struct sw_permit *list = off ? sw_problem_permits(problem, &count) : sw_problem_offers(problem, &count);
    for (size_t i = 0; i < count; i++) {
        if (!SW_PUSH(&pairs->items, (uint64_t)list[i].fresh << 32 | list[i].old)) {
            return false;
        }
    }
    return true;
}

static bool make_rights(struct sw_tier_plan *plan, const struct sw_problem *problem, enum sw_tier_overwrite overwrite) {
    struct tier_pairs pairs = {0};
    struct tier_order order = {0};
    bool any = overwrite == SW_TIER_OVERWRITE_ANY;
    bool cores = any && sw_problem_core_count(problem) > 1;
    plan->exact = !any;
    bool ok = (!cores || causes_init(&order, problem)) &&
              (any ? find_overwrites(&pairs, problem, cores ? &order : NULL)
                   : permitted_pairs(&pairs, problem, overwrite == SW_TIER_OVERWRITE_OFF)) &&
              store_pairs(plan, &pairs);
    sw_arena_done(&order.room);
    SW_ARRAY_DONE(&pairs.items);
    return ok;
}

bool sw_tier_may_overwrite(const struct sw_tier_plan *plan, uint32_t fresh, uint32_t old) {
    for (uint32_t i = plan->old_at[fresh]; i < plan->old_at[fresh + 1]; i++) {
        if (plan->olds[i] == old) {
            return true;
        }
    }
    return false;
}

/* ---- how far a block is felt ---- */

static bool make_reach(struct sw_tier_plan *plan, const struct sw_problem *problem) {
    const uint32_t *order = sw_problem_order(problem);
    size_t count;
    const uint32_t(*separate)[2] = sw_problem_separate(problem, &count);
    plan->reach = SW_NEW_IN(&plan->room, uint32_t, plan->planned);
    plan->given = SW_NEW_IN(&plan->room, uint8_t, plan->planned);
    if (!plan->reach || !plan->given) {
        return false;
    }
    for (uint32_t r = 0; r < plan->planned; r++) {
        plan->reach[r] = sw_problem_core_count(problem) > 1 ? UINT32_MAX : sw_problem_buffer(problem, order[r])->last;
    }
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < 2; k++) {
            uint32_t rank = sw_problem_rank(problem, separate[i][k]).at;
            if (rank != SW_NONE) {
                plan->reach[rank] = UINT32_MAX;
            }
        }
    }
    return true;
}

/* ---- where few bytes are alive ---- */

/* A segment ends with a step after which fewer bytes stay alive than after the one before, and no more than after the
 * next one. */
static bool make_quiet(struct sw_tier_plan *plan, const struct sw_problem *problem) {
    uint64_t *stay = SW_NEW_ZERO(uint64_t, (size_t)plan->steps + 1);
    plan->quiet = SW_NEW_IN(&plan->room, uint32_t, plan->steps);
    bool ok = stay && plan->quiet;
    for (uint32_t r = 0; ok && r < plan->planned; r++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, sw_problem_order(problem)[r]);
        stay[b->first] += b->size;
        stay[b->last] -= b->size;
    }
    for (uint32_t t = 1; ok && t < plan->steps; t++) {
        stay[t] += stay[t - 1];
    }
    for (uint32_t t = 1; ok && t < plan->steps; t++) {
        bool ends = (t < 2 || stay[t - 1] < stay[t - 2]) && (t + 1 == plan->steps || stay[t - 1] <= stay[t]);
        plan->quiet[t] = plan->quiet[t - 1] + ends;
    }
    SW_FREE(stay, (size_t)plan->steps + 1);
    return ok;
}

/* ---- making and freeing ---- */

struct sw_tier_plan *sw_tier_plan_new(const struct sw_problem *problem, bool touched, bool network_last,
                                      enum sw_tier_overwrite overwrite) {
    struct sw_tier_plan *plan = SW_NEW_ZERO(struct sw_tier_plan, 1);
    if (!plan) {
        return NULL;
    }
    plan->owners = 1;
    plan->network_last = network_last;
    plan->steps = sw_problem_steps(problem);
    plan->planned = sw_problem_planned_count(problem);
    plan->buffers = sw_problem_buffer_count(problem);
    if (!list_tier_turns(plan, problem) || !make_visits(plan, problem, touched) ||
        !make_rights(plan, problem, overwrite) || !make_reach(plan, problem) || !make_quiet(plan, problem)) {
        sw_tier_plan_unref(plan);
        return NULL;
    }
    return plan;
}

void sw_tier_plan_unref(struct sw_tier_plan *plan) {
    if (plan && --plan->owners == 0) {
        sw_arena_done(&plan->room);
        SW_ARRAY_DONE(&plan->lives.places);
        SW_ARRAY_DONE(&plan->lives.starts);
        SW_FREE(plan, 1);
    }
}
