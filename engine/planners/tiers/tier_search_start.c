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
 * model that prices whole layouts is not asked. In simple problems there is no layout: see tier_search_sweep.c.
 *
 * All that is done in parts: a try, or the beginning of a way. A decision takes as many as START_WORK allows, so it can
 * be stopped and taken back; a demand begins it anew. The last parts come with the first block that is placed. */
#include "planners/tiers/tier_search.h"
#include "base/base.h"
#include "base/sort.h"

#define RISE_ALLOWED 0.25
enum {
    PASSES = 2,
    EXCHANGES = 4, /* tried per block */
    GROUPS = 4,
    THOROUGH = 100,      /* blocks */
    START_WORK = 4000000 /* of one decision */
};

/* What is under way. In the first half the ways to begin, of which the best is kept; then that one is made better. */
enum start_stage {
    START_PRICE,
    START_WAY,
    START_RAISE,
    START_EXCHANGE,
    START_RAISE_AGAIN,
    START_WEIGH,
    START_LAST,
    START_LAST_EXCHANGE,
    START_REGROUP,
    START_LAST_RAISE,
    START_OVER
};

struct sw_tier_start {
    /* Of the decision under way. Later blocks lie in `layout` where `spots` says, if there is no sweep. */
    struct sw_run *run;
    struct sw_tier_plan *plan;
    uint8_t *given; /* of the search */
    struct sw_tier_room room;
    struct sw_layout *layout;

    uint32_t stage; /* enum start_stage */
    uint32_t count, tiers;
    uint32_t way, pass, at, budget; /* at: the next of `order`, from its end in START_REGROUP */
    bool any;                       /* this pass has lowered E */
    bool walking, down;             /* neighbors of a block have their turns; that block went down for it */
    struct sw_neighbors walk;
    uint64_t tried;
    struct sw_cow spots;          /* of the tiers given now */
    struct sw_tier_spot *trial;   /* by rank: of those that are tried */
    double *costs;                /* by rank and tier */
    double cost, floor;           /* E now, and with every block in its cheapest tier */
    double best_cost, rules_cost; /* of the best way; by R1 alone */
    uint32_t *order;              /* ranks */
    uint8_t *best, *kept;         /* what was given in the best way; before a block went down */
    double kept_cost;
    struct sw_cow kept_spots;
};

#define STATE struct sw_tier_start
SW_HOW_MANY(blocks_of_start, STATE, o->count)
SW_HOW_MANY(prices_of_start, STATE, (size_t)o->count * o->tiers)
const struct sw_described sw_tier_start_described = {
    SW_STRUCT, .salt = 15,
    .fields = SW_FIELDS(
        SW_SCRATCH(run, room), SW_POINTER(layout, &sw_layout_pointed, .scratch = true), SW_TOLD(stage),
        SW_KEPT(count, tiers), SW_TOLD(way), SW_TOLD(pass), SW_TOLD(at), SW_TOLD(budget), SW_TOLD(any),
        SW_TOLD(walking), SW_TOLD(down), SW_KEPT(walk, walk), SW_TOLD(tried), SW_PART(spots, &sw_cow_described),
        SW_ITEMS(trial, blocks_of_start), SW_ITEMS(costs, prices_of_start), SW_TOLD(cost), SW_KEPT(floor, rules_cost),
        SW_ITEMS(order, blocks_of_start), SW_ITEMS(best, blocks_of_start), SW_ITEMS(kept, blocks_of_start),
        SW_KEPT(kept_cost, kept_cost), SW_PART(kept_spots, &sw_cow_described))};
#undef STATE

struct given_tier {
    uint32_t rank;
    uint8_t tier;
};

/* ---- planning with the tiers given now ---- */

static double spot_cost(const struct sw_tier_start *s, uint32_t rank, const struct sw_tier_spot *spot) {
    return s->costs[(size_t)rank * s->tiers + spot->tier];
}

/* Without a sweep: with a layout, from which later blocks are taken out on the way. */
static bool replan_layout(struct sw_tier_start *s, uint32_t step, struct sw_tier_later *later) {
    const uint32_t *order = sw_problem_order(s->run->problem);
    later->lifts = true;
    later->lifted = s->plan->births[step];
    for (; later->lifted < s->plan->births[step + 1]; later->lifted++) {
        if (!sw_layout_lift(s->layout, order[later->lifted])) {
            return false;
        }
    }
    if (!sw_tier_plan_later(&s->room, step, later)) {
        return false;
    }
    for (uint32_t r = s->plan->births[step]; later->fits && r < later->end; r++) {
        s->trial[r] = sw_tier_spot_of(s->layout, order[r]);
    }
    return true;
}

/* Plan from the step on, to the end or until all is as it was; where the blocks go is in `trial`. False: no memory. */
static bool replan(struct sw_tier_start *s, uint32_t step, uint32_t until, double most, struct sw_tier_later *later) {
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
static bool put_back_later(struct sw_tier_start *s, uint32_t from, const struct sw_tier_later *later) {
    const uint32_t *order = sw_problem_order(s->run->problem);
    uint32_t end = s->room.sweep ? from : SW_MAX(later->lifted, later->end);
    for (uint32_t r = from; r < end; r++) {
        if (!sw_tier_put(s->layout, s->plan, order[r], sw_tier_spot_at(&s->spots, r))) {
            return false;
        }
    }
    return true;
}

/* The trial is the present from the rank on. False: no memory. */
static bool take_start_trial(struct sw_tier_start *s, uint32_t from, const struct sw_tier_later *later) {
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
static bool plan_all(struct sw_tier_start *s, bool *fits) {
    struct sw_tier_later later;
    for (uint32_t r = 0; !s->room.sweep && r < s->count; r++) {
        if (!sw_layout_lift(s->layout, sw_problem_order(s->run->problem)[r])) {
            return false;
        }
    }
    if (!replan(s, 0, SW_NONE, 0, &later)) {
        return false;
    }
    *fits = later.fits;
    s->cost = 0;
    for (uint32_t r = 0; later.fits && r < s->count; r++) {
        s->cost += spot_cost(s, r, &s->trial[r]);
    }
    return !later.fits || take_start_trial(s, 0, &later);
}

/* Where work has a limit, half of it is left to the walk. */
static bool is_half_spent(const struct sw_tier_start *s) {
    return s->run->params->work && s->run->work >= s->run->params->work / 2;
}

/* What E rises by when this block alone goes where it is given. */
static double change_cost(const struct sw_tier_start *s, const struct given_tier *change) {
    return s->costs[(size_t)change->rank * s->tiers + change->tier] -
           spot_cost(s, change->rank, sw_tier_spot_at(&s->spots, change->rank));
}

/* Give one block or two their tiers, and keep that when E is lower, or higher by less than `rise`. It is given up where
 * E has risen by more than that may save. */
static bool try_tiers(struct sw_tier_start *s, const struct given_tier *change, int count, double rise, bool *better) {
    const uint32_t *order = sw_problem_order(s->run->problem);
    uint32_t from_step = UINT32_MAX, to_step = 0;
    uint8_t before[2];
    double most = rise;
    struct sw_tier_later later;
    *better = false;
    if (is_half_spent(s)) {
        return true;
    }
    s->tried++;
    for (int i = 0; i < count; i++) {
        uint32_t step = sw_problem_buffer(s->run->problem, order[change[i].rank])->first;
        from_step = SW_MIN(step, from_step);
        to_step = SW_MAX(step, to_step);
        before[i] = s->given[change[i].rank];
        most += RISE_ALLOWED * fabs(change_cost(s, &change[i])) + SW_MAX(change_cost(s, &change[i]), 0);
        s->given[change[i].rank] = change[i].tier;
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
        s->given[change[i].rank] = before[i];
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

static bool sort_by_worth(struct sw_tier_start *s, int by) {
    struct worth *list = SW_NEW(struct worth, s->count);
    for (uint32_t r = 0; list && r < s->count; r++) {
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
    sw_sort(list, list ? s->count : 0, sizeof *list, compare_worth);
    for (uint32_t r = 0; list && r < s->count; r++) {
        s->order[r] = list[r].rank;
    }
    bool ok = list != NULL;
    SW_FREE(list, s->count);
    return ok;
}

/* ---- turns ---- */

/* The highest tier where the block may be, and the lowest. */
static uint32_t highest_tier(const struct sw_tier_start *s, uint32_t rank) {
    uint64_t tiers = sw_place_tiers(s->run->problem, sw_problem_order(s->run->problem)[rank]);
    return tiers ? (uint32_t)__builtin_ctzll(tiers) : 0;
}

static uint32_t lowest_tier(const struct sw_tier_start *s, uint32_t rank) {
    uint64_t tiers = sw_place_tiers(s->run->problem, sw_problem_order(s->run->problem)[rank]);
    return tiers ? 63 - (uint32_t)__builtin_clzll(tiers) : 0;
}

static bool lies_below(const struct sw_tier_start *s, uint32_t rank, uint32_t tier) {
    return sw_tier_spot_at(&s->spots, rank)->tier > tier;
}

static void start_stage(struct sw_tier_start *s, enum start_stage stage) {
    uint32_t each = stage == START_REGROUP ? GROUPS : EXCHANGES;
    s->stage = stage;
    s->pass = 0;
    s->at = stage == START_REGROUP ? s->count : 0;
    s->budget = each * s->count;
    s->any = false;
}

/* The next neighbor of the block that has a rank; SW_NONE: that was the last, and they are walked no more. */
static uint32_t next_neighbor(struct sw_tier_start *s, uint32_t of) {
    if (!s->walking) {
        s->walk = sw_problem_neighbors(s->run->problem, sw_problem_order(s->run->problem)[of]);
        s->walking = true;
    }
    uint32_t buffer = s->budget > 0 ? sw_neighbors_next(&s->walk) : SW_NONE;
    s->walking = buffer != SW_NONE;
    s->run->work++;
    return buffer == SW_NONE ? SW_NONE : sw_problem_rank(s->run->problem, buffer).at;
}

/* The next block is given each other tier. */
static bool raise_next(struct sw_tier_start *s, enum start_stage next) {
    if (s->at == s->count && s->any && s->pass + 1 < PASSES) {
        s->at = 0;
        s->any = false;
        s->pass++;
    }
    if (s->at == s->count) {
        start_stage(s, next == START_EXCHANGE && s->count > THOROUGH ? START_WEIGH : next);
        return true;
    }
    uint32_t rank = s->order[s->at++];
    uint64_t tiers = sw_place_tiers(s->run->problem, sw_problem_order(s->run->problem)[rank]);
    for (uint8_t t = 0; t < s->tiers; t++) {
        bool better = false;
        if (!(tiers >> t & 1) || t == sw_tier_spot_at(&s->spots, rank)->tier) {
            continue;
        }
        if (!try_tiers(s, &(struct given_tier){rank, t}, 1, 0, &better)) {
            return false;
        }
        s->any = s->any || better;
    }
    return true;
}

/* A block comes up, and one that is alive with it goes down, as often as the budget allows. */
static bool exchange_next(struct sw_tier_start *s, enum start_stage next) {
    if (s->at == s->count || s->budget == 0) {
        s->walking = false;
        start_stage(s, next);
        return true;
    }
    uint32_t up = s->order[s->at], rank = next_neighbor(s, up), high = highest_tier(s, up);
    s->at += !s->walking;
    if (rank == SW_NONE || !lies_below(s, up, high) || sw_tier_spot_at(&s->spots, rank)->tier != high ||
        lowest_tier(s, rank) <= high) {
        return true;
    }
    struct given_tier both[] = {{up, (uint8_t)high}, {rank, (uint8_t)lowest_tier(s, rank)}};
    bool better;
    s->budget--;
    return try_tiers(s, both, 2, 0, &better);
}

/* As it was before a block went down. */
static bool return_to_kept(struct sw_tier_start *s) {
    s->cost = s->kept_cost;
    memcpy(s->given, s->kept, s->count);
    sw_cow_done(&s->spots);
    s->spots = s->kept_spots;
    sw_cow_init(&s->kept_spots, sizeof(struct sw_tier_spot));
    for (uint32_t r = 0; !s->room.sweep && r < s->count; r++) {
        if (!sw_tier_put(s->layout, s->plan, sw_problem_order(s->run->problem)[r], sw_tier_spot_at(&s->spots, r))) {
            return false;
        }
    }
    return true;
}

/* A block goes down whatever it costs. */
static bool give_way(struct sw_tier_start *s, uint32_t rank) {
    struct given_tier down = {rank, (uint8_t)lowest_tier(s, rank)};
    sw_cow_done(&s->kept_spots);
    if (!sw_cow_clone(&s->kept_spots, &s->spots)) {
        return false;
    }
    s->kept_cost = s->cost;
    memcpy(s->kept, s->given, s->count);
    s->budget--;
    return try_tiers(s, &down, 1, (1 + RISE_ALLOWED) * change_cost(s, &down), &s->down);
}

/* Others come up in the place of the block that went down, one after the other, while that lowers E. If E is not lower
 * after the last of them, all is as before. */
static bool bring_up_next(struct sw_tier_start *s) {
    uint32_t rank = s->order[s->at], up = next_neighbor(s, rank);
    bool better;
    if (s->walking) {
        if (up == SW_NONE || up == rank || !lies_below(s, up, highest_tier(s, up))) {
            return true;
        }
        s->budget--;
        return try_tiers(s, &(struct given_tier){up, (uint8_t)highest_tier(s, up)}, 1, 0, &better);
    }
    s->down = false;
    return s->cost < s->kept_cost * (1 - 1e-12) || return_to_kept(s);
}

static bool regroup_next(struct sw_tier_start *s, enum start_stage next) {
    if (s->down) {
        return bring_up_next(s);
    }
    if (s->at == 0 || s->budget == 0) {
        start_stage(s, next);
        return true;
    }
    uint32_t rank = s->order[--s->at];
    return !(sw_tier_spot_at(&s->spots, rank)->tier < lowest_tier(s, rank)) || give_way(s, rank);
}

/* ---- the stages ---- */

static bool price_tiers(struct sw_tier_start *s) {
    for (uint32_t r = 0; r < s->count; r++) {
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

/* R1 alone. Where that costs no more than every block in its cheapest tier there is nothing to save. */
static bool begin_with_rules(struct sw_tier_start *s, enum start_stage next) {
    bool fits;
    if (!price_tiers(s) || !plan_all(s, &fits)) {
        return false;
    }
    s->best_cost = s->rules_cost = s->cost;
    s->stage = fits && s->cost > s->floor ? next : START_OVER;
    return true;
}

/* All in their lowest tiers, or as R1 alone has it, and an order of turns. */
static bool begin_way(struct sw_tier_start *s, enum start_stage next) {
    bool fits;
    if (s->way == (s->count <= THOROUGH ? 2 : 1) * ORDERS || is_half_spent(s)) {
        s->stage = START_LAST;
        return true;
    }
    for (uint32_t r = 0; r < s->count; r++) {
        s->given[r] = s->way < ORDERS ? (uint8_t)lowest_tier(s, r) : 0;
    }
    if (!sort_by_worth(s, (int)s->way % ORDERS) || !plan_all(s, &fits)) {
        return false;
    }
    s->way += !fits;
    if (fits) {
        start_stage(s, next);
    }
    return true;
}

static bool weigh_way(struct sw_tier_start *s, enum start_stage next) {
    if (s->cost < s->best_cost) {
        s->best_cost = s->cost;
        memcpy(s->best, s->given, s->count);
    }
    s->way++;
    s->stage = next;
    return true;
}

static bool begin_last(struct sw_tier_start *s, enum start_stage next) {
    bool fits;
    memcpy(s->given, s->best, s->count);
    start_stage(s, next);
    return sort_by_worth(s, BY_AREA) && plan_all(s, &fits);
}

static const struct {
    bool (*take)(struct sw_tier_start *, enum start_stage next);
    enum start_stage next;
    const char *why;
} start_stages[] = {
    [START_PRICE] = {begin_with_rules, START_WAY, ""},
    [START_WAY] = {begin_way, START_RAISE, "the next way begins"},
    [START_RAISE] = {raise_next, START_EXCHANGE, "each block in turn is given each other tier"},
    [START_EXCHANGE] = {exchange_next, START_RAISE_AGAIN, "blocks come up in exchange for one that goes down"},
    [START_RAISE_AGAIN] = {raise_next, START_WEIGH, "each block in turn is given each other tier"},
    [START_WEIGH] = {weigh_way, START_WAY, "this way is at its end"},
    [START_LAST] = {begin_last, START_LAST_EXCHANGE, "the best way goes on"},
    [START_LAST_EXCHANGE] = {exchange_next, START_REGROUP, "blocks come up in exchange for one that goes down"},
    [START_REGROUP] = {regroup_next, START_LAST_RAISE, "a block goes down, and others come up in its place"},
    [START_LAST_RAISE] = {raise_next, START_OVER, "each block in turn is given each other tier"},
};

/* ---- the decisions ---- */

struct sw_tier_start *sw_tier_start_new(const struct sw_tier_search *search, const struct sw_problem *problem) {
    struct sw_tier_start *s = SW_NEW_ZERO(struct sw_tier_start, 1);
    if (s) {
        s->count = search->plan->planned;
        s->tiers = sw_problem_tier_count(problem);
        sw_cow_init(&s->spots, sizeof(struct sw_tier_spot));
        sw_cow_init(&s->kept_spots, sizeof(struct sw_tier_spot));
    }
    if (s && !(sw_described_make(&sw_tier_start_described, s) && sw_cow_resize(&s->spots, s->count))) {
        sw_described_close(&sw_tier_start_described, s);
        return NULL;
    }
    return s;
}

/* What the decision works with: a sweep, or a layout in which all lies where it lies now. */
static bool prepare_start(struct sw_tier_start *s, struct sw_tier_search *search, struct sw_run *run) {
    s->run = run;
    s->plan = search->plan;
    s->given = search->given;
    s->room = (struct sw_tier_room){.run = run, .plan = search->plan, .given = search->given};
    if (sw_tier_sweep_serves(run)) {
        return (s->room.sweep = sw_tier_sweep_of(search)) != NULL;
    }
    bool fresh = !s->layout, ok = !fresh || (s->layout = sw_layout_new(run->problem, NULL));
    for (uint32_t r = 0; fresh && ok && s->stage != START_PRICE && r < s->count; r++) {
        ok = sw_tier_put(s->layout, s->plan, sw_problem_order(run->problem)[r], sw_tier_spot_at(&s->spots, r));
    }
    s->room.layout = s->layout;
    return ok;
}

static double least_of_start(const struct sw_tier_start *s) {
    double least = SW_MIN(s->best_cost, s->cost);
    return s->down ? SW_MIN(s->kept_cost, least) : least;
}

enum sw_step sw_tier_start_step(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    struct sw_tier_start *s = search->start;
    uint64_t end = run->work + START_WORK;
    enum start_stage stage = (enum start_stage)s->stage;
    bool ok = prepare_start(s, search, run);
    double before = stage == START_PRICE ? (double)NAN : least_of_start(s);
    while (ok && s->stage != START_OVER && run->work < end) {
        stage = (enum start_stage)s->stage;
        ok = start_stages[stage].take(s, start_stages[stage].next);
    }
    if (!ok) {
        return run->error && run->error->code ? SW_STEP_FAILED : sw_tier_room_failed(&s->room);
    }
    if (s->stage == START_OVER) { /* what is left over is told with the first block that is placed */
        sw_described_close(&sw_tier_start_described, s);
        search->start = NULL;
        return SW_STEP_DONE;
    }
    sw_decision_clear(decision);
    sw_decision_become(decision, SW_DECISION_EVALUATE_START);
    decision->evaluate_start.tried = s->tried;
    decision->evaluate_start.costs =
        (struct sw_before_after){isnan(before) ? s->rules_cost : before, least_of_start(s)};
    decision->reason = start_stages[stage].why;
    return SW_STEP_MORE;
}

void sw_tier_start_again(struct sw_tier_search *search) {
    struct sw_tier_start *s = search->start;
    sw_layout_free(s->layout);
    s->layout = NULL;
    s->stage = START_PRICE;
    s->way = 0;
    s->walking = s->down = false;
    s->floor = 0;
    memset(search->given, 0, s->count);
    memset(s->best, 0, s->count);
}
