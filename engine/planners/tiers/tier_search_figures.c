/* What follows from the places of the present state: permits, transfers, arenas, E. It is kept from one state to the
 * next, so that an action costs what it moves and not the whole layout. See tier_search.c for the method.
 *
 * E is the same to the last bit as that of sw_cost_of_layout: one number per access, added in the same order
 * (base/lists/ordered_sum.h). Arenas are the roots of trees over the ends of blocks, one per tier. Permits are a list
 * in the order of the pairs of rule R6, which is cut at the first pair that is another now. */
#include "planners/tiers/tier_search.h"
#include "base/base.h"
#include "base/lists/ordered_sum.h"

struct sw_tier_figures {
    struct sw_ordered_sum costs; /* per access */
    uint32_t *cost_at;           /* by rank: its first access in the order of E */
    uint64_t *ends;              /* per tier a tree of 2 * leaves: the highest end below each node; leaves are ranks */
    uint32_t leaves, tiers;
    bool *held;                  /* per pair of R6: is it a permit now? */
    uint32_t *fresh_of;          /* per pair: what is written over the other one */
    uint32_t *under_at, *under;  /* by buffer: the pairs in which it is what is written over */
    SW_ARRAY(uint32_t) moved;    /* ranks with new places since the last settling, perhaps twice */
    SW_ARRAY(uint32_t) unpriced; /* the same, since E was last asked for */
    bool *split;                 /* by rank: does it have a split life? */
    uint32_t splits;             /* how many */
    struct sw_arena room;
};

/* ---- making ---- */

static bool make_pairs(struct sw_tier_figures *f, const struct sw_tier_plan *plan) {
    uint32_t pairs = plan->old_at[plan->buffers];
    f->held = SW_NEW_IN(&f->room, bool, pairs);
    f->fresh_of = SW_NEW_IN(&f->room, uint32_t, pairs);
    f->under_at = SW_NEW_IN(&f->room, uint32_t, (size_t)plan->buffers + 2);
    f->under = SW_NEW_IN(&f->room, uint32_t, pairs);
    if (!f->held || !f->fresh_of || !f->under_at || !f->under) {
        return false;
    }
    uint32_t *slot = f->under_at + 1;
    for (uint32_t b = 0; b < plan->buffers; b++) {
        for (uint32_t i = plan->old_at[b]; i < plan->old_at[b + 1]; i++) {
            f->fresh_of[i] = b;
            slot[plan->olds[i] + 1]++;
        }
    }
    for (uint32_t b = 0; b < plan->buffers; b++) {
        slot[b + 1] += slot[b];
    }
    for (uint32_t i = 0; i < pairs; i++) {
        f->under[slot[plan->olds[i]]++] = i;
    }
    return true;
}

static bool make_costs(struct sw_tier_figures *f, const struct sw_tier_plan *plan, const struct sw_problem *problem) {
    uint32_t count = 0;
    f->cost_at = SW_NEW_IN(&f->room, uint32_t, plan->planned);
    for (uint32_t b = 0; f->cost_at && b < plan->buffers; b++) {
        uint32_t rank = sw_problem_rank(problem, b).at;
        if (rank != SW_NONE) {
            f->cost_at[rank] = count;
            count += sw_problem_buffer(problem, b)->access_count;
        }
    }
    return f->cost_at && sw_ordered_sum_init(&f->costs, count);
}

static bool make_ends(struct sw_tier_figures *f, const struct sw_tier_plan *plan, const struct sw_problem *problem) {
    f->tiers = sw_problem_tier_count(problem);
    for (f->leaves = 1; f->leaves < plan->planned;) {
        f->leaves *= 2;
    }
    f->ends = SW_NEW_IN(&f->room, uint64_t, (size_t)f->tiers * 2 * f->leaves);
    f->split = SW_NEW_IN(&f->room, bool, plan->planned);
    return f->ends && f->split;
}

static void figures_drop(void *of) {
    struct sw_tier_figures *f = of;
    sw_ordered_sum_done(&f->costs);
    SW_ARRAY_DONE(&f->moved);
    SW_ARRAY_DONE(&f->unpriced);
    sw_arena_done(&f->room);
    SW_FREE(f, 1);
}
const struct sw_pointed sw_tier_figures_pointed = {.drop = figures_drop};

void sw_tier_figures_forget(struct sw_tier_search *search) {
    if (search->figures) {
        figures_drop(search->figures);
        search->figures = NULL;
    }
}

/* ---- the present state changes ---- */

bool sw_tier_set_spot(struct sw_tier_search *search, uint32_t rank, const struct sw_tier_spot *spot) {
    struct sw_tier_figures *f = search->figures;
    struct sw_tier_spot *at = sw_cow_edit(&search->spots, rank);
    if (!at || (f && (!SW_PUSH(&f->moved, rank) || !SW_PUSH(&f->unpriced, rank)))) {
        return false;
    }
    search->places -= sw_tier_spot_digest(search->plan, rank, at);
    *at = *spot;
    search->places += sw_tier_spot_digest(search->plan, rank, at);
    return true;
}

/* ---- arenas and split lives ---- */

static void raise_leaf(struct sw_tier_figures *f, uint32_t tier, uint32_t rank, uint64_t end) {
    uint64_t *tree = f->ends + (size_t)tier * 2 * f->leaves;
    size_t at = f->leaves + rank;
    while (tree[at] != end) {
        tree[at] = end;
        if (at == 1) {
            break;
        }
        end = SW_MAX(tree[at], tree[at ^ 1]);
        at /= 2;
    }
}

static void follow_access_ends(struct sw_tier_figures *f, const struct sw_layout *layout, uint32_t rank) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint32_t buffer = sw_problem_order(problem)[rank];
    uint64_t size = sw_problem_buffer(problem, buffer)->size, ends[SW_MAX_TIERS] = {0};
    struct sw_placement at;
    for (uint32_t k = 0; sw_layout_placement(layout, buffer, k, &at); k++) {
        uint64_t end = size > 0 ? at.offset + size : 0;
        ends[at.tier] = SW_MAX(end, ends[at.tier]);
    }
    for (uint32_t t = 0; t < f->tiers; t++) {
        raise_leaf(f, t, rank, ends[t]);
    }
    bool split = sw_tier_is_split(layout, buffer);
    f->splits += (uint32_t)split - (uint32_t)f->split[rank];
    f->split[rank] = split;
}

static void set_tier_arenas(const struct sw_tier_figures *f, struct sw_layout *layout) {
    for (uint32_t t = 0; t < f->tiers; t++) {
        sw_layout_set_arena(layout, t, f->ends[(size_t)t * 2 * f->leaves + 1]);
    }
}

/* ---- permits ---- */

/* Look at a pair again: the lowest that is another now. */
static void look_at_pair(struct sw_tier_figures *f, const struct sw_layout *layout, const struct sw_tier_plan *plan,
                         uint32_t pair, uint32_t *changed) {
    bool held = sw_tier_pair_holds(layout, f->fresh_of[pair], plan->olds[pair]);
    if (held != f->held[pair]) {
        f->held[pair] = held;
        *changed = SW_MIN(*changed, pair);
    }
}

static bool rewrite_permits(const struct sw_tier_figures *f, struct sw_layout *layout, const struct sw_tier_plan *plan,
                            uint32_t from) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint32_t before = 0;
    for (uint32_t i = 0; i < from; i++) {
        before += f->held[i];
    }
    if (!sw_layout_cut_permits(layout, before)) {
        return false;
    }
    for (uint32_t i = from; i < plan->old_at[plan->buffers]; i++) {
        struct sw_permit permit = {f->fresh_of[i], plan->olds[i], sw_problem_buffer(problem, f->fresh_of[i])->first};
        if (f->held[i] && !sw_layout_permit(layout, &permit)) {
            return false;
        }
    }
    return true;
}

/* ---- settling ---- */

bool sw_tier_settle_present(struct sw_tier_search *search, struct sw_layout *layout) {
    struct sw_tier_figures *f = search->figures;
    const struct sw_tier_plan *plan = search->plan;
    uint32_t changed = SW_NONE;
    if (!f) {
        return sw_tier_settle(layout, plan);
    }
    uint32_t splits = f->splits;
    for (size_t m = 0; m < f->moved.count; m++) {
        uint32_t b = sw_problem_order(sw_layout_problem(layout))[f->moved.items[m]];
        splits += f->split[f->moved.items[m]];
        follow_access_ends(f, layout, f->moved.items[m]);
        splits += f->split[f->moved.items[m]];
        for (uint32_t i = plan->old_at[b]; i < plan->old_at[b + 1]; i++) {
            look_at_pair(f, layout, plan, i, &changed);
        }
        for (uint32_t k = f->under_at[b]; k < f->under_at[b + 1]; k++) {
            look_at_pair(f, layout, plan, f->under[k], &changed);
        }
    }
    f->moved.count = 0;
    if (changed != SW_NONE && !rewrite_permits(f, layout, plan, changed)) {
        return false;
    }
    if (splits > 0) {
        return sw_layout_forget_transfers(layout) && sw_tier_follow_places(layout);
    }
    set_tier_arenas(f, layout);
    return true;
}

/* ---- E ---- */

/* The accesses of a block, in the order of its placements; one that no placement holds for counts nothing. */
static bool price_block(struct sw_tier_figures *f, const struct sw_run *run, uint32_t rank) {
    uint32_t buffer = sw_problem_order(run->problem)[rank], at = f->cost_at[rank];
    const struct sw_buffer *b = sw_problem_buffer(run->problem, buffer);
    uint32_t end = at + b->access_count;
    struct sw_placement p;
    for (uint32_t k = 0; sw_layout_placement(run->layout, buffer, k, &p); k++) {
        for (uint32_t i = 0; i < b->access_count && at < end; i++) {
            double cost;
            if (b->accesses[i] < p.span.from || b->accesses[i] > p.span.to) {
                continue;
            }
            if (!sw_cost_of_one(run->problem, run->params->cost, buffer, b->accesses[i], p.tier, &cost, run->error)) {
                return false;
            }
            sw_ordered_sum_set(&f->costs, at++, cost);
        }
    }
    while (at < end) {
        sw_ordered_sum_set(&f->costs, at++, 0);
    }
    return true;
}

static bool add_figure_transfers(const struct sw_run *run, double *total) {
    for (size_t i = 0; i < sw_layout_transfer_count(run->layout); i++) {
        struct sw_transfer t = sw_layout_transfer_get(run->layout, i);
        double source, target;
        if (!sw_cost_of_one(run->problem, run->params->cost, t.buffer, t.step, t.from, &source, run->error) ||
            !sw_cost_of_one(run->problem, run->params->cost, t.buffer, t.step, t.to, &target, run->error)) {
            return false;
        }
        *total = *total + source + target;
    }
    return true;
}

/* About the layout of the run, which is settled. */
static bool make_figures(struct sw_tier_search *search, struct sw_run *run) {
    const struct sw_tier_plan *plan = search->plan;
    struct sw_tier_figures *f = search->figures = SW_NEW_ZERO(struct sw_tier_figures, 1);
    if (!f || !make_pairs(f, plan) || !make_costs(f, plan, run->problem) || !make_ends(f, plan, run->problem)) {
        return sw_fail_memory(run->error);
    }
    for (uint32_t i = 0; i < plan->old_at[plan->buffers]; i++) {
        f->held[i] = sw_tier_pair_holds(run->layout, f->fresh_of[i], plan->olds[i]);
    }
    for (uint32_t r = 0; r < plan->planned; r++) {
        follow_access_ends(f, run->layout, r);
        if (!price_block(f, run, r)) {
            return false;
        }
    }
    return true;
}

bool sw_tier_price(struct sw_tier_search *search, struct sw_run *run, double *cost) {
    if (run->params->cost && run->params->cost->whole) {
        return sw_cost_of_layout(run->layout, run->params->cost, cost, run->error);
    }
    if (!search->figures && !make_figures(search, run)) {
        sw_tier_figures_forget(search);
        return false;
    }
    struct sw_tier_figures *f = search->figures;
    for (; f->unpriced.count > 0; f->unpriced.count--) {
        if (!price_block(f, run, f->unpriced.items[f->unpriced.count - 1])) {
            return false;
        }
    }
    double total = sw_ordered_sum_total(&f->costs);
    if (!add_figure_transfers(run, &total)) {
        return false;
    }
    *cost = total;
    return true;
}
