/* Which difference costs the peak: blocks are pinned, one at a time, where the other run has them, and the run is made
 * to its end. See setting_apart.h. */
#include "base/base.h"
#include "base/sort.h"
#include "layout/made.h"
#include "search/apart/apart_internal.h"

/* Units of work for all of them. */
#define TRIALS_WORK (UINT64_C(1) << 26)

struct elsewhere_block {
    uint64_t made; /* the decision that placed it */
    uint32_t rank, buffer;
};

struct sw_apart_trials {
    SW_ARRAY(struct elsewhere_block) blocks;
    size_t at;
    struct sw_search *run; /* the trial under way; NULL: none */
    uint64_t begun, spent; /* the work of the run when it was forked; of all that are over */
};

void sw_apart_end_trials(struct sw_apart *apart) {
    struct sw_apart_trials *trials = apart->trials;
    if (trials) {
        SW_ARRAY_DONE(&trials->blocks);
        sw_search_free(trials->run);
        SW_FREE(trials, 1);
    }
    apart->trials = NULL;
}

SW_BY_FIELDS(compare_made, struct elsewhere_block, SW_UP(made), SW_UP(rank))

/* Where the whole of its life is spent in one place; false: it is not. */
static bool lies_still(const struct sw_layout *layout, uint32_t buffer, struct sw_placement *place) {
    return sw_layout_placement(layout, buffer, 0, place) && place->span.to == UINT32_MAX;
}

/* The blocks that lie elsewhere, in the order in which the run with the higher peak placed them. False: no memory. */
static bool list_elsewhere(struct sw_apart *apart, const struct sw_layout *mine, const struct sw_layout *other) {
    const struct sw_problem *problem = sw_layout_problem(mine);
    struct sw_apart_trials *trials = apart->trials;
    struct sw_placement here, there;
    for (uint32_t i = 0; i < sw_problem_planned_count(problem); i++) {
        uint32_t b = sw_problem_order(problem)[i];
        if (sw_problem_buffer(problem, b)->size > 0 && lies_still(mine, b, &here) && lies_still(other, b, &there) &&
            (here.tier != there.tier || here.offset != there.offset) &&
            !SW_PUSH(&trials->blocks, (struct elsewhere_block){sw_layout_made(mine, b, 0), i, b})) {
            return false;
        }
    }
    sw_sort(trials->blocks.items, trials->blocks.count, sizeof *trials->blocks.items, compare_made);
    apart->costs[apart->answered].elsewhere = trials->blocks.count;
    return true;
}

/* Pins come after what the user demanded of the run. */
static uint64_t last_demand(const struct sw_search *run) {
    size_t count;
    const struct sw_recipe_entry *recipe = sw_search_recipe(run, &count);
    return count ? recipe[count - 1].step : 0;
}

/* Buffers have the same numbers in both, and each has a place. */
static bool comparable_plans(const struct sw_apart *apart, const struct sw_metrics metrics[2]) {
    const struct sw_problem *a = sw_problem_origin(sw_search_given(apart->runs[0]));
    const struct sw_problem *b = sw_problem_origin(sw_search_given(apart->runs[1]));
    return metrics[0].complete && metrics[1].complete && sw_problem_digest(a) == sw_problem_digest(b) &&
           sw_problem_buffer_count(sw_layout_problem(sw_search_layout(apart->runs[0]))) ==
               sw_problem_buffer_count(sw_layout_problem(sw_search_layout(apart->runs[1])));
}

/* One question more, about these peaks. */
static struct sw_apart_cost *ask(struct sw_apart *apart, uint32_t memory, uint64_t mine, uint64_t other) {
    struct sw_apart_cost *cost = &apart->costs[apart->cost_count++];
    *cost = (struct sw_apart_cost){.memory = memory, .peak = {mine, other}, .which = other > mine};
    cost->kind = mine == other ? SW_APART_COST_SAME : SW_APART_COST_UNKNOWN;
    return cost;
}

/* Where several memories are in use: about each with another peak; about E where the peaks are the same or each plan
 * has a lower one. */
static void ask_of_memories(struct sw_apart *apart, const struct sw_metrics metrics[2], const double price[2]) {
    bool higher[2] = {false, false};
    for (uint32_t t = 0; t < sw_problem_tier_count(sw_layout_problem(sw_search_layout(apart->runs[0]))); t++) {
        uint64_t mine = metrics[0].tier_peak[t], other = metrics[1].tier_peak[t];
        if (mine != other) {
            higher[other > mine] = true;
            ask(apart, t, mine, other);
        }
    }
    if (higher[0] == higher[1] && !isnan(price[0]) && !isnan(price[1]) && price[0] != price[1]) {
        apart->cost_count = 0;
        struct sw_apart_cost *cost = ask(apart, SW_NONE, 0, 0);
        *cost = (struct sw_apart_cost){
            .priced = true, .memory = SW_NONE, .price = {price[0], price[1]}, .which = price[1] > price[0]};
    }
}

/* Do both plans use one memory, and the same one? */
static bool use_one_memory(const struct sw_metrics metrics[2]) {
    uint32_t used = 0;
    for (uint32_t t = 0; t < SW_MAX_TIERS; t++) {
        used += metrics[0].tier_peak[t] > 0 || metrics[1].tier_peak[t] > 0;
    }
    return used <= 1;
}

bool sw_apart_weigh(struct sw_apart *apart, struct sw_error *error) {
    struct sw_metrics metrics[2];
    double price[2] = {(double)NAN, (double)NAN};
    for (int i = 0; i < 2; i++) {
        sw_metrics_of(sw_search_layout(apart->runs[i]), &metrics[i]);
    }
    apart->cost_count = 0;
    bool single = use_one_memory(metrics), comparable = comparable_plans(apart, metrics);
    for (int i = 0; comparable && !single && i < 2; i++) {
        if (!sw_search_cost(apart->runs[i], &price[i], error)) {
            return false;
        }
    }
    if (comparable && !single) {
        ask_of_memories(apart, metrics, price);
    }
    if (apart->cost_count == 0) {
        struct sw_apart_cost *cost = ask(apart, SW_NONE, metrics[0].peak, single ? metrics[1].peak : metrics[0].peak);
        cost->kind = comparable ? cost->kind : SW_APART_COST_OTHERS;
    }
    for (uint32_t k = 0; k < apart->cost_count; k++) {
        memcpy(apart->costs[k].peaks[0], metrics[apart->costs[k].which].tier_peak, sizeof metrics[0].tier_peak);
        apart->costs[k].from = last_demand(apart->runs[apart->costs[k].which]);
    }
    apart->weighed = true;
    apart->answered = apart->costs[0].kind == SW_APART_COST_UNKNOWN ? 0 : apart->cost_count;
    return true;
}

static bool begin_question(struct sw_apart *apart, struct sw_error *error) {
    const struct sw_apart_cost *cost = &apart->costs[apart->answered];
    apart->trials = SW_NEW_ZERO(struct sw_apart_trials, 1);
    return (apart->trials && list_elsewhere(apart, sw_search_layout(apart->runs[cost->which]),
                                            sw_search_layout(apart->runs[!cost->which]))) ||
           sw_fail_memory(error);
}

/* A fork of the run with the higher peak, with one block where the other run has it. False: no memory. */
static bool begin_trial(struct sw_apart *apart, struct sw_error *error) {
    struct sw_apart_trials *trials = apart->trials;
    struct sw_apart_cost *cost = &apart->costs[apart->answered];
    struct sw_placement there = {0};
    sw_layout_placement(sw_search_layout(apart->runs[!cost->which]), trials->blocks.items[trials->at].buffer, 0,
                        &there);
    struct sw_override pin = {
        .kind = SW_OVERRIDE_PIN, .buffer = there.buffer, .tier = there.tier, .offset = there.offset};
    pin.buffer = trials->blocks.items[trials->at].buffer;
    struct sw_error why = {0};
    /* A fork costs work, even where the pin is refused. */
    trials->spent += sw_problem_buffer_count(sw_search_problem(apart->runs[cost->which]));
    trials->run = sw_search_fork(apart->runs[cost->which], error);
    if (!trials->run || !sw_search_seek(trials->run, cost->from, error)) {
        return false;
    }
    if (!sw_search_force(trials->run, &pin, &why)) {
        sw_search_free(trials->run);
        trials->run = NULL;
        trials->at++;
        cost->refused++;
        return why.code != SW_ERROR_MEMORY || sw_fail_memory(error);
    }
    trials->begun = sw_search_work(trials->run);
    return true;
}

static void finish_trials(struct sw_apart *apart, enum sw_apart_cost_kind kind) {
    struct sw_apart_cost *cost = &apart->costs[apart->answered++];
    cost->open = apart->trials->blocks.count - cost->tried - cost->refused;
    cost->kind = kind;
    sw_apart_end_trials(apart);
}

/* Is what the question is about lower in the trial? `then` gets it. */
static bool is_lower(const struct sw_apart_cost *cost, const struct sw_metrics *metrics, double price, uint64_t *then) {
    *then = cost->memory == SW_NONE ? metrics->peak : metrics->tier_peak[cost->memory];
    return cost->priced                       ? price < cost->price[cost->which]
           : *then >= cost->peak[cost->which] ? false
                                              : cost->memory != SW_NONE || metrics->single_tier;
}

/* The trial is over. False: no memory. */
static bool judge_trial(struct sw_apart *apart, bool failed, struct sw_error *error) {
    struct sw_apart_trials *trials = apart->trials;
    struct sw_apart_cost *cost = &apart->costs[apart->answered];
    struct sw_metrics metrics, before;
    struct sw_placement place;
    double price = (double)NAN;
    uint64_t then = 0;
    uint32_t buffer = trials->blocks.items[trials->at].buffer;
    if (cost->priced && !failed && !sw_search_cost(trials->run, &price, error)) {
        return false;
    }
    sw_metrics_of(sw_search_layout(trials->run), &metrics);
    sw_metrics_of(sw_search_layout(apart->runs[cost->which]), &before);
    bool helps = !failed && metrics.complete && is_lower(cost, &metrics, price, &then) &&
                 (metrics.fits || !before.fits) &&
                 sw_layout_placement(sw_search_layout(trials->run), buffer, 0, &place);
    trials->spent += sw_search_work(trials->run) - trials->begun;
    trials->at++;
    sw_search_free(trials->run);
    trials->run = NULL;
    cost->refused += failed;
    cost->tried += !failed;
    if (helps) {
        cost->buffer = buffer;
        cost->tier = place.tier;
        cost->offset = place.offset;
        cost->then = then;
        cost->price_then = price;
        memcpy(cost->peaks[1], metrics.tier_peak, sizeof metrics.tier_peak);
        finish_trials(apart, SW_APART_COST_ONE);
    }
    return true;
}

bool sw_apart_try(struct sw_apart *apart, uint64_t work, struct sw_error *error) {
    if (!apart->trials && !begin_question(apart, error)) {
        return false;
    }
    struct sw_apart_trials *trials = apart->trials;
    if (trials->at == trials->blocks.count) {
        finish_trials(apart, SW_APART_COST_NONE_DOES);
        return true;
    }
    uint64_t spent = trials->spent + (trials->run ? sw_search_work(trials->run) - trials->begun : 0);
    if (spent >= TRIALS_WORK) {
        finish_trials(apart, SW_APART_COST_NONE_DOES);
        return true;
    }
    if (!trials->run) {
        return begin_trial(apart, error);
    }
    struct sw_error why = {0};
    enum sw_step step = sw_search_run(trials->run, SW_MIN(work, TRIALS_WORK - spent), NULL, NULL, &why);
    if (why.code == SW_ERROR_MEMORY) {
        return sw_fail_memory(error);
    }
    if (step != SW_STEP_MORE) {
        return judge_trial(apart, step == SW_STEP_FAILED, error);
    }
    return true;
}
