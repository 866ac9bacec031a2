/* The tiers that the pre-configuration of tier-search is given (`start`=worth). See tier_search.c for the method.
 *
 * By R1 alone the blocks of the first steps fill the fast tier, also those that are large and seldom used. So a tier is
 * given to each block first: it says where R1 begins for the block, and the rules do the rest, in the first
 * pre-configuration and wherever later steps are planned anew. Which tiers? All blocks begin in their lowest tier. Then
 * each block in turn is given each other tier, the steps from its birth on are planned anew, and what lowers E stays.
 * Their order is by what the highest tier saves: per byte and step, in all, per byte, per step; or by size. The best
 * outcome is taken, or R1 alone if that is cheaper. At last a block comes up in exchange for one that is alive with it;
 * a block goes down and as many others as possible come up in its place; and each block has one more turn. A try is
 * given up as soon as blocks that lost their tiers cost more than it can save. E is a sum over blocks here: a cost
 * model that prices whole layouts is not asked. In simple problems there is no layout: see tier_search_sweep.c. */
#include "planners/tiers/tier_search.h"
#include "base/base.h"
#include "base/sort.h"

#define RISE_ALLOWED 0.25
enum {
    PASSES = 2,
    EXCHANGES = 4 /* tried per block */,
    GROUPS = 4,
    THOROUGH = 100 /* blocks */,
    LONGEST_LOOK = 64000000 /* units of work */
};

struct start {
    struct sw_tier_search *search;
    struct sw_run *run;
    struct sw_tier_plan *plan;
    struct sw_tier_room room;
    struct sw_tier_sweep sweep;
    struct sw_cow spots;        /* of the tiers given now */
    struct sw_tier_spot *trial; /* by rank: of those that are tried */
    double *costs;              /* by rank and tier */
    double cost, floor;         /* E now, and with every block in its cheapest tier */
    uint32_t tiers;
    uint32_t *order; /* ranks */
    uint8_t *best, *kept;
    double best_cost;
    struct sw_arena arena;
};

struct given_tier {
    uint32_t rank;
    uint8_t tier;
};

/* ---- planning with the tiers given now ---- */

static double spot_cost(const struct start *s, uint32_t rank, const struct sw_tier_spot *spot) {
    return s->costs[(size_t)rank * s->tiers + spot->tier];
}

/* Without a sweep: with a layout, from which later blocks are taken out on the way. */
static bool replan_layout(struct start *s, uint32_t step, struct sw_tier_later *later) {
    const uint32_t *order = sw_problem_order(s->run->problem);
    later->lifts = true;
    later->lifted = s->plan->births[step];
    for (; later->lifted < s->plan->births[step + 1]; later->lifted++) {
        if (!sw_layout_lift(s->room.layout, order[later->lifted])) {
            return false;
        }
    }
    if (!sw_tier_plan_later(&s->room, step, later)) {
        return false;
    }
    for (uint32_t r = s->plan->births[step]; later->fits && r < later->end; r++) {
        s->trial[r] = sw_tier_spot_of(s->room.layout, order[r]);
    }
    return true;
}

/* Plan from the step on, to the end or until all is as it was; where the blocks go is in `trial`. False: no memory. */
static bool replan(struct start *s, uint32_t step, uint32_t until, double most, struct sw_tier_later *later) {
    bool serves;
    *later = (struct sw_tier_later){
        .known = until == SW_NONE ? NULL : &s->spots, .until = until, .prices = s->costs, .most = most};
    if (!s->room.sweep) {
        return replan_layout(s, step, later);
    }
    later->spots = s->trial;
    return sw_tier_sweep_begin(s->room.sweep, s->run->problem, &s->spots, step, SW_NONE, NULL, &serves) &&
           sw_tier_plan_later(&s->room, step, later);
}

/* What was taken out, and what lies elsewhere from `from` on, is put where the spots say. */
static bool put_back_later(struct start *s, uint32_t from, const struct sw_tier_later *later) {
    const uint32_t *order = sw_problem_order(s->run->problem);
    uint32_t end = s->room.sweep ? from : SW_MAX(later->lifted, later->end);
    for (uint32_t r = from; r < end; r++) {
        if (!sw_tier_put(s->room.layout, s->plan, order[r], sw_tier_spot_at(&s->spots, r))) {
            return false;
        }
    }
    return true;
}

/* The trial is the present from the rank on. False: no memory. */
static bool take_start_trial(struct start *s, uint32_t from, const struct sw_tier_later *later) {
    for (uint32_t r = from; r < later->end; r++) {
        struct sw_tier_spot *slot = sw_cow_edit(&s->spots, r);
        if (!slot) {
            return false;
        }
        *slot = s->trial[r];
    }
    return true;
}

/* All anew. `fits`: false leaves it unfinished. */
static bool plan_all(struct start *s, bool *fits) {
    struct sw_tier_later later;
    for (uint32_t r = 0; !s->room.sweep && r < s->plan->planned; r++) {
        if (!sw_layout_lift(s->room.layout, sw_problem_order(s->run->problem)[r])) {
            return false;
        }
    }
    if (!replan(s, 0, SW_NONE, 0, &later)) {
        return false;
    }
    *fits = later.fits;
    s->cost = 0;
    for (uint32_t r = 0; later.fits && r < s->plan->planned; r++) {
        s->cost += spot_cost(s, r, &s->trial[r]);
    }
    return !later.fits || take_start_trial(s, 0, &later);
}

/* No tries are made any more: the look is over at once where it would keep the user waiting, and where work has a limit
 * half of that is left to the walk. */
static bool is_look_over(const struct start *s) {
    uint64_t limit = s->run->params->work / 2;
    return s->run->work >= (limit ? SW_MIN(limit, LONGEST_LOOK) : LONGEST_LOOK);
}

/* What E rises by when this block alone goes where it is given. */
static double change_cost(const struct start *s, const struct given_tier *change) {
    return s->costs[(size_t)change->rank * s->tiers + change->tier] -
           spot_cost(s, change->rank, sw_tier_spot_at(&s->spots, change->rank));
}

/* Give one block or two their tiers, and keep that when E is lower, or higher by less than `rise`. It is given up where
 * E has risen by more than that may save. */
static bool try_tiers(struct start *s, const struct given_tier *change, int count, double rise, bool *better) {
    const uint32_t *order = sw_problem_order(s->run->problem);
    uint32_t from_step = UINT32_MAX, to_step = 0;
    uint8_t before[2];
    double most = rise;
    struct sw_tier_later later;
    *better = false;
    if (is_look_over(s)) {
        return true;
    }
    for (int i = 0; i < count; i++) {
        uint32_t step = sw_problem_buffer(s->run->problem, order[change[i].rank])->first;
        from_step = SW_MIN(step, from_step);
        to_step = SW_MAX(step, to_step);
        before[i] = s->plan->given[change[i].rank];
        most += RISE_ALLOWED * fabs(change_cost(s, &change[i])) + SW_MAX(change_cost(s, &change[i]), 0);
        s->plan->given[change[i].rank] = change[i].tier;
    }
    if (!replan(s, from_step, to_step, most, &later)) {
        return false;
    }
    uint32_t from = s->plan->births[from_step];
    double cost = s->cost + later.more;
    *better = later.fits && cost < s->cost * (1 - 1e-12) + rise;
    if (*better && !take_start_trial(s, from, &later)) {
        return false;
    }
    s->cost = *better ? cost : s->cost;
    for (int i = 0; i < count && !*better; i++) {
        s->plan->given[change[i].rank] = before[i];
    }
    return put_back_later(s, *better ? later.end : from, &later);
}

/* ---- orders ---- */

enum { BY_AREA, BY_SAVING, BY_BYTES, BY_STEPS, BY_BULK, ORDERS };
struct worth {
    double worth;
    uint32_t rank;
};
SW_BY_FIELDS(compare_worth, struct worth, SW_DOWN(worth), SW_UP(rank))

static bool sort_by_worth(struct start *s, int by) {
    struct worth *list = SW_NEW(struct worth, s->plan->planned);
    for (uint32_t r = 0; list && r < s->plan->planned; r++) {
        const struct sw_buffer *b = sw_problem_buffer(s->run->problem, sw_problem_order(s->run->problem)[r]);
        double saved = s->costs[(size_t)r * s->tiers + s->tiers - 1] - s->costs[(size_t)r * s->tiers];
        double bytes = (double)b->size + 1, steps = (double)(b->last - b->first) + 1;
        list[r] = (struct worth){by == BY_AREA     ? saved / bytes / steps
                                 : by == BY_SAVING ? saved
                                 : by == BY_BYTES  ? saved / bytes
                                 : by == BY_BULK   ? bytes
                                                   : saved / steps,
                                 r};
    }
    sw_sort(list, list ? s->plan->planned : 0, sizeof *list, compare_worth);
    for (uint32_t r = 0; list && r < s->plan->planned; r++) {
        s->order[r] = list[r].rank;
    }
    bool ok = list != NULL;
    SW_FREE(list, s->plan->planned);
    return ok;
}

/* ---- exchanges ---- */

/* A block comes up, and one that is alive with it goes down, as often as the budget allows. */
static bool exchange_tiers(struct start *s) {
    uint32_t budget = EXCHANGES * s->plan->planned;
    for (uint32_t i = 0; i < s->plan->planned; i++) {
        uint32_t up = s->order[i], buffer = sw_problem_order(s->run->problem)[up];
        uint64_t tiers = sw_place_tiers(s->run->problem, buffer);
        uint32_t high = tiers ? (uint32_t)__builtin_ctzll(tiers) : 0;
        struct sw_neighbors walk = sw_problem_neighbors(s->run->problem, buffer);
        for (uint32_t other; (other = sw_neighbors_next(&walk)) != SW_NONE && budget > 0;) {
            uint64_t others = sw_place_tiers(s->run->problem, other);
            uint32_t rank = sw_problem_rank(s->run->problem, other).at,
                     low = others ? 63 - (uint32_t)__builtin_clzll(others) : 0;
            bool better = false;
            if (sw_tier_spot_at(&s->spots, up)->tier <= high || rank == SW_NONE ||
                sw_tier_spot_at(&s->spots, rank)->tier != high || low <= high) {
                continue;
            }
            struct given_tier both[] = {{up, (uint8_t)high}, {rank, (uint8_t)low}};
            budget--;
            if (!try_tiers(s, both, 2, 0, &better)) {
                return false;
            }
        }
    }
    return true;
}

/* Bring up what lies below and is alive with the block, one after the other, while that lowers E. */
static bool bring_up(struct start *s, uint32_t rank, uint32_t *budget) {
    struct sw_neighbors walk = sw_problem_neighbors(s->run->problem, sw_problem_order(s->run->problem)[rank]);
    for (uint32_t other; (other = sw_neighbors_next(&walk)) != SW_NONE && *budget > 0;) {
        uint64_t tiers = sw_place_tiers(s->run->problem, other);
        uint32_t up = sw_problem_rank(s->run->problem, other).at, high = tiers ? (uint32_t)__builtin_ctzll(tiers) : 0;
        bool better;
        if (up == SW_NONE || up == rank || sw_tier_spot_at(&s->spots, up)->tier <= high) {
            continue;
        }
        --*budget;
        if (!try_tiers(s, &(struct given_tier){up, (uint8_t)high}, 1, 0, &better)) {
            return false;
        }
    }
    return true;
}

/* As it was before. */
static bool return_to(struct start *s, struct sw_cow *spots, double cost) {
    s->cost = cost;
    memcpy(s->plan->given, s->kept, s->plan->planned);
    sw_cow_done(&s->spots);
    s->spots = *spots;
    for (uint32_t r = 0; !s->room.sweep && r < s->plan->planned; r++) {
        if (!sw_tier_put(s->room.layout, s->plan, sw_problem_order(s->run->problem)[r], sw_tier_spot_at(spots, r))) {
            return false;
        }
    }
    return true;
}

/* A block goes down whatever it costs, and others come up in its place. If E is not lower then, all is as before. */
static bool give_way(struct start *s, uint32_t rank, uint8_t low, uint32_t *budget) {
    struct given_tier down = {rank, low};
    struct sw_cow spots;
    double before = s->cost, rise = (1 + RISE_ALLOWED) * change_cost(s, &down);
    bool gone, ok = sw_cow_clone(&spots, &s->spots);
    if (!ok) {
        return false;
    }
    memcpy(s->kept, s->plan->given, s->plan->planned);
    --*budget;
    ok = try_tiers(s, &down, 1, rise, &gone) && (!gone || bring_up(s, rank, budget));
    if (!ok || (gone && s->cost >= before * (1 - 1e-12))) {
        return return_to(s, &spots, before) && ok;
    }
    sw_cow_done(&spots);
    return true;
}

static bool regroup(struct start *s) {
    uint32_t budget = GROUPS * s->plan->planned;
    for (uint32_t i = s->plan->planned; i-- > 0 && budget > 0;) {
        uint32_t rank = s->order[i];
        uint64_t tiers = sw_place_tiers(s->run->problem, sw_problem_order(s->run->problem)[rank]);
        uint32_t low = tiers ? 63 - (uint32_t)__builtin_clzll(tiers) : 0;
        if (sw_tier_spot_at(&s->spots, rank)->tier < low && !give_way(s, rank, (uint8_t)low, &budget)) {
            return false;
        }
    }
    return true;
}

/* ---- one way to begin ---- */

static bool improve_tiers(struct start *s) {
    bool any = true, ok = true;
    for (int pass = 0; ok && any && pass < PASSES; pass++) {
        any = false;
        for (uint32_t i = 0; ok && i < s->plan->planned; i++) {
            uint32_t rank = s->order[i];
            uint64_t tiers = sw_place_tiers(s->run->problem, sw_problem_order(s->run->problem)[rank]);
            for (uint8_t t = 0; ok && t < s->tiers; t++) {
                bool better = false;
                ok = !(tiers >> t & 1) || t == sw_tier_spot_at(&s->spots, rank)->tier ||
                     try_tiers(s, &(struct given_tier){rank, t}, 1, 0, &better);
                any = any || better;
            }
        }
    }
    return ok;
}

/* All in their lowest tiers, or as R1 alone has it; and then better. */
static bool begin_with(struct start *s, bool lowest, int by) {
    bool fits;
    for (uint32_t r = 0; r < s->plan->planned; r++) {
        uint64_t tiers = sw_place_tiers(s->run->problem, sw_problem_order(s->run->problem)[r]);
        s->plan->given[r] = lowest && tiers ? (uint8_t)(63 - __builtin_clzll(tiers)) : 0;
    }
    if (!sort_by_worth(s, by) || !plan_all(s, &fits)) {
        return false;
    }
    if (!fits) {
        return true;
    }
    if (!improve_tiers(s) || (s->plan->planned <= THOROUGH && !(exchange_tiers(s) && improve_tiers(s)))) {
        return false;
    }
    if (s->cost < s->best_cost) {
        s->best_cost = s->cost;
        memcpy(s->best, s->plan->given, s->plan->planned);
    }
    return true;
}

static bool price_tiers(struct start *s) {
    for (uint32_t r = 0; r < s->plan->planned; r++) {
        uint64_t tiers = sw_place_tiers(s->run->problem, sw_problem_order(s->run->problem)[r]);
        double least = (double)INFINITY;
        for (uint32_t t = 0; t < s->tiers; t++) {
            struct sw_placement p = {sw_problem_order(s->run->problem)[r], t, 0, SW_WHOLE_LIFE};
            if (!sw_cost_of_placement(s->run->problem, &p, s->run->params->cost, &s->costs[(size_t)r * s->tiers + t],
                                      s->run->error)) {
                return false;
            }
            least = tiers >> t & 1 ? SW_MIN(s->costs[(size_t)r * s->tiers + t], least) : least;
        }
        s->floor += least;
    }
    return true;
}

/* Says so, unless a script's rule has said what is wrong. */
static bool start_failed(const struct start *s) {
    return s->room.told ? false : sw_fail_memory(s->run->error);
}

static bool give_tiers(struct start *s) {
    bool fits;
    size_t count = s->plan->planned;
    s->room = (struct sw_tier_room){.run = s->run, .plan = s->plan};
    if (sw_tier_sweep_serves(s->run)) {
        s->room.sweep = &s->sweep;
    } else if (!(s->room.layout = sw_layout_new(s->run->problem, NULL))) {
        return sw_fail_memory(s->run->error);
    }
    s->trial = SW_NEW_IN(&s->arena, struct sw_tier_spot, count);
    s->costs = SW_NEW_IN(&s->arena, double, count * s->tiers);
    s->order = SW_NEW_IN(&s->arena, uint32_t, count);
    s->best = SW_NEW_IN(&s->arena, uint8_t, count);
    s->kept = SW_NEW_IN(&s->arena, uint8_t, count);
    sw_cow_init(&s->spots, sizeof(struct sw_tier_spot));
    if (!s->trial || !s->costs || !s->order || !s->best || !s->kept || !sw_cow_resize(&s->spots, count)) {
        return sw_fail_memory(s->run->error);
    }
    if (!price_tiers(s)) {
        return false;
    }
    memset(s->plan->given, 0, count);
    if (!plan_all(s, &fits)) {
        return start_failed(s);
    }
    s->best_cost = s->cost;
    memset(s->best, 0, count);
    fits = fits && s->cost > s->floor; /* else there is nothing to save */
    for (int way = 0; fits && !is_look_over(s) && way < (count <= THOROUGH ? 2 : 1) * ORDERS; way++) {
        if (!begin_with(s, way < ORDERS, way % ORDERS)) {
            return start_failed(s);
        }
    }
    memcpy(s->plan->given, s->best, count);
    if (fits &&
        !(sort_by_worth(s, BY_AREA) && plan_all(s, &fits) && exchange_tiers(s) && regroup(s) && improve_tiers(s))) {
        return start_failed(s);
    }
    return true;
}

bool sw_tier_give_tiers(struct sw_tier_search *search, struct sw_run *run) {
    struct start s = {.search = search, .run = run, .plan = search->plan, .tiers = sw_problem_tier_count(run->problem)};
    bool ok = give_tiers(&s);
    sw_layout_free(s.room.layout);
    sw_tier_sweep_done(&s.sweep);
    sw_cow_done(&s.spots);
    sw_arena_done(&s.arena);
    return ok;
}
