/* Which difference costs the peak: blocks are pinned, one at a time, where the other run has them, and the run is made
 * to its end. See setting_apart.h. */
#include "base/base.h"
#include "base/sort.h"
#include "layout/difference.h"
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
    apart->cost.elsewhere = trials->blocks.count;
    return true;
}

/* Pins come after what the user demanded of the run. */
static uint64_t last_demand(const struct sw_search *run) {
    size_t count;
    const struct sw_recipe_entry *recipe = sw_search_recipe(run, &count);
    return count ? recipe[count - 1].step : 0;
}

/* Buffers have the same numbers in both, and each plan has one peak. */
static bool comparable_plans(const struct sw_apart *apart, const struct sw_metrics metrics[2]) {
    const struct sw_problem *a = sw_problem_origin(sw_search_given(apart->runs[0]));
    const struct sw_problem *b = sw_problem_origin(sw_search_given(apart->runs[1]));
    return metrics[0].single_tier && metrics[1].single_tier && sw_problem_digest(a) == sw_problem_digest(b) &&
           sw_problem_buffer_count(sw_layout_problem(sw_search_layout(apart->runs[0]))) ==
               sw_problem_buffer_count(sw_layout_problem(sw_search_layout(apart->runs[1])));
}

bool sw_apart_begin_trials(struct sw_apart *apart, struct sw_error *error) {
    struct sw_apart_cost *cost = &apart->cost;
    struct sw_metrics metrics[2];
    for (int i = 0; i < 2; i++) {
        sw_metrics_of(sw_search_layout(apart->runs[i]), &metrics[i]);
        cost->peak[i] = metrics[i].peak;
    }
    cost->which = cost->peak[1] > cost->peak[0];
    if (!comparable_plans(apart, metrics)) {
        cost->kind = SW_APART_COST_OTHERS;
        return true;
    }
    if (cost->peak[0] == cost->peak[1]) {
        cost->kind = SW_APART_COST_SAME;
        return true;
    }
    cost->from = last_demand(apart->runs[cost->which]);
    apart->trials = SW_NEW_ZERO(struct sw_apart_trials, 1);
    return (apart->trials && list_elsewhere(apart, sw_search_layout(apart->runs[cost->which]),
                                            sw_search_layout(apart->runs[!cost->which]))) ||
           sw_fail_memory(error);
}

/* A fork of the run with the higher peak, with one block where the other run has it. False: no memory. */
static bool begin_trial(struct sw_apart *apart, struct sw_error *error) {
    struct sw_apart_trials *trials = apart->trials;
    struct sw_placement there = {0};
    sw_layout_placement(sw_search_layout(apart->runs[!apart->cost.which]), trials->blocks.items[trials->at].buffer, 0,
                        &there);
    struct sw_override pin = {
        .kind = SW_OVERRIDE_PIN, .buffer = there.buffer, .tier = there.tier, .offset = there.offset};
    pin.buffer = trials->blocks.items[trials->at].buffer;
    struct sw_error why = {0};
    /* A fork costs work, even where the pin is refused. */
    trials->spent += sw_problem_buffer_count(sw_search_problem(apart->runs[apart->cost.which]));
    trials->run = sw_search_fork(apart->runs[apart->cost.which], error);
    if (!trials->run || !sw_search_seek(trials->run, apart->cost.from, error)) {
        return false;
    }
    if (!sw_search_force(trials->run, &pin, &why)) {
        sw_search_free(trials->run);
        trials->run = NULL;
        trials->at++;
        apart->cost.refused++;
        return why.code != SW_ERROR_MEMORY || sw_fail_memory(error);
    }
    trials->begun = sw_search_work(trials->run);
    return true;
}

static void finish_trials(struct sw_apart *apart, enum sw_apart_cost_kind kind) {
    apart->cost.open = apart->trials->blocks.count - apart->cost.tried - apart->cost.refused;
    apart->cost.kind = kind;
    sw_apart_end_trials(apart);
}

/* The trial is over. */
static void judge_trial(struct sw_apart *apart, bool failed) {
    struct sw_apart_trials *trials = apart->trials;
    struct sw_apart_cost *cost = &apart->cost;
    struct sw_metrics metrics, before;
    struct sw_placement place;
    uint32_t buffer = trials->blocks.items[trials->at].buffer;
    sw_metrics_of(sw_search_layout(trials->run), &metrics);
    sw_metrics_of(sw_search_layout(apart->runs[cost->which]), &before);
    bool helps = !failed && metrics.complete && metrics.single_tier && metrics.peak < cost->peak[cost->which] &&
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
        cost->then = metrics.peak;
        finish_trials(apart, SW_APART_COST_ONE);
    }
}

bool sw_apart_try(struct sw_apart *apart, uint64_t work, struct sw_error *error) {
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
        judge_trial(apart, step == SW_STEP_FAILED);
    }
    return true;
}
