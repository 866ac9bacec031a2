/* random-order: first fit over random orders, the best kept.
 *
 * The idea. A search over orders is worth its effort only if it beats random orders. This planner is
 * the baseline: it draws an order, lays the buffers out by first fit, and remembers the best. It is
 * compared with order-genetic, and does the same number of evaluations.
 *
 * The rules:
 *
 * - Every order of the buffers is as likely as any other, and is drawn independently of those
 *   before.
 * - It is decoded as order-genetic does it (decode.h): the lowest offset not overlapping a
 *   conflicting buffer placed before, sizes rounded up to the alignment.
 * - The smaller peak is better; of equal ones the earlier stays. With several tiers: fewer bytes
 *   above a capacity, then less of the lowest tier, and so on up. With `fitness=cost` less cost
 *   (layout/cost.h, or a script's) comes before the peak, and the lower bound ends nothing.
 * - It ends after `evaluations` (12060, which is what order-genetic makes at most by default), as
 *   soon as a peak is the lower bound, or when a budget of work is spent: the user's, or what takes some seconds.
 *
 * One decision is one order. The layout one sees is that of the order decoded last; after `finish`
 * it is the best. A pin or a forbidden range changes what an order decodes to: the best order and
 * the one that is shown are decoded again, and the run goes on if it had ended. */
#include "planners/orders/order_tables.h"
#include "base/base.h"
#include "planners/orders/genome.h"

static const struct sw_parameter random_parameters[] = {
    {"evaluations", SW_PARAMETER_INTEGER, "12060", 1, 1e9, NULL, "How many orders are tried"},
    {"fitness", SW_PARAMETER_CHOICE, "peak", 0, 0, SW_WORDS("peak", "cost"),
     "What counts first: a low peak, or what the layout costs to run"},
    {0}};

enum luck_stop { LUCK_AT_BOUND, LUCK_ALL_TRIED, LUCK_WORK_SPENT };

struct luck {
    struct sw_decoder *decoder; /* NULL until the first decision */
    struct sw_genome *shown, *best;
    uint64_t wanted, evaluations, random, begin;
    bool ending, over, by_cost;
    enum luck_stop stop;
};

static void luck_state(const void *state, const struct sw_run *run, const struct sw_decision *last,
                       struct sw_state_tables *tables) {
    const struct luck *l = state;
    (void)last;
    sw_luck_state(l->shown, l->best, l->by_cost, run, tables);
}

static void luck_because(const void *state, const struct sw_run *run, const struct sw_decision *last, char *text,
                         size_t size) {
    const struct luck *l = state;
    (void)last;
    snprintf(text, size, "%s %s drawn at random so far; the best needs %s", SW_COUNTED(l->evaluations, "order"),
             l->evaluations == 1 ? "was" : "were", SW_BYTES(l->best->peak));
    sw_genome_tell_start(l->shown, run, text, size);
}

#define STATE struct luck
static const struct sw_described luck_described = {
    SW_STRUCT, .salt = 7,
    .fields =
        SW_FIELDS(SW_POINTER(decoder, &sw_decoder_pointed), SW_POINTER(shown, &sw_genome_pointed),
                  SW_POINTER(best, &sw_genome_pointed), SW_KEPT(wanted, wanted), SW_TOLD(evaluations), SW_TOLD(random),
                  SW_KEPT(begin, begin), SW_TOLD(ending), SW_TOLD(over), SW_KEPT(by_cost, by_cost), SW_TOLD(stop))};
#undef STATE

static bool luck_open(void *state, struct sw_run *run) {
    struct luck *l = state;
    l->wanted = (uint64_t)sw_params_integer(run->params, run->planner, "evaluations");
    l->random = run->params->seed;
    l->begin = run->work;
    l->by_cost = strcmp(sw_params_text(run->params, run->planner, "fitness"), "cost") == 0;
    return !l->by_cost || sw_genome_may_price(run);
}

/* Is there nothing more to try? */
static bool luck_is_over(struct luck *l, const struct sw_run *run) {
    if (!l->by_cost && sw_genome_meets_bound(l->best, run->problem)) {
        l->stop = LUCK_AT_BOUND;
    } else if (l->evaluations >= l->wanted) {
        l->stop = LUCK_ALL_TRIED;
    } else if (run->work - l->begin >= (run->params->work ? run->params->work : sw_decoder_budget(l->decoder))) {
        l->stop = LUCK_WORK_SPENT;
    } else {
        return false;
    }
    return true;
}

static bool try_order(struct luck *l, struct sw_run *run, struct sw_decision *decision) {
    struct sw_genome *genome = sw_genome_new(l->decoder);
    if (!genome) {
        return sw_fail_memory(run->error);
    }
    sw_genome_shuffle(genome->order, genome->count, &l->random);
    bool ok = sw_genome_decode(genome, l->decoder) && sw_decoder_explain(l->decoder, run, genome->order);
    if (!ok || !sw_decoder_show(l->decoder, run) || (l->by_cost && !sw_genome_price(genome, run))) {
        sw_genome_unref(genome);
        return ok ? false : sw_fail_memory(run->error);
    }
    bool better = !l->best || sw_genome_compare_need(genome, l->best) < 0;
    double before = l->best ? (double)l->best->peak : (double)NAN;
    genome->made = sw_run_decision(run);
    if (better) {
        sw_genome_replace(&l->best, genome);
    }
    sw_genome_replace(&l->shown, genome);
    sw_genome_unref(genome);
    run->work += sw_decoder_work(l->decoder);
    l->evaluations++;
    l->ending = luck_is_over(l, run);
    sw_decision_begin(decision, SW_DECISION_DECODE, 0, better ? "the best so far" : "no better than the best so far");
    decision->decode.needed = l->shown->peak;
    decision->decode.best = (struct sw_before_after){before, (double)l->best->peak};
    decision->candidates = l->shown->count;
    decision->cost = l->by_cost ? l->shown->cost : decision->cost;
    return true;
}

static bool finish_luck(struct luck *l, struct sw_run *run, struct sw_decision *decision) {
    static const char *const reasons[] = {"its peak is the lower bound, so nothing can be better",
                                          "the best of all orders tried", "the best when the budget of work was spent"};
    if (!sw_genome_show(l->best, l->decoder, run)) {
        return false;
    }
    run->work += sw_decoder_work(l->decoder);
    sw_genome_replace(&l->shown, l->best);
    l->over = true;
    sw_decision_begin(decision, SW_DECISION_FINISH, 0, reasons[l->stop]);
    decision->finish.answer = l->best->peak;
    decision->finish.best.after = (double)l->best->peak;
    decision->cost = l->by_cost ? l->best->cost : decision->cost;
    return SW_EXPLAIN(run->explain, SW_VERDICT_CHOSEN, SW_NONE, 0, l->best->peak, "the best of %llu order%s needs %s",
                      (unsigned long long)l->evaluations, l->evaluations == 1 ? "" : "s", SW_BYTES(l->best->peak)) ||
           sw_fail_memory(run->error);
}

static enum sw_step luck_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    struct luck *l = state;
    if (!l->decoder) {
        l->decoder = sw_decoder_new(run);
    }
    if (!l->decoder) {
        return SW_STEP_FAILED;
    }
    if (l->over) {
        return SW_STEP_DONE;
    }
    if (run->choice >= 0) {
        return SW_STEP_FAIL(run, SW_ERROR_UNSUPPORTED,
                            "there is nothing to choose here: the orders are random; pin a buffer or forbid a "
                            "range instead");
    }
    bool ok = l->ending ? finish_luck(l, run, decision) : try_order(l, run, decision);
    return ok ? SW_STEP_MORE : SW_STEP_FAILED;
}

/* ---- demands ---- */

static bool decode_luck_again(struct luck *l, struct sw_run *run, struct sw_genome **where) {
    struct sw_genome *genome = sw_genome_again(*where, l->decoder, run, l->by_cost);
    if (genome) {
        sw_genome_unref(*where);
        *where = genome;
    }
    return genome != NULL;
}

static bool luck_constrain(void *state, struct sw_run *run, const struct sw_override *override) {
    struct luck *l = state;
    if (override->kind == SW_OVERRIDE_CHOOSE || !l->decoder) {
        return true;
    }
    struct sw_decoder *decoder = sw_decoder_new(run);
    if (!decoder) {
        return false;
    }
    sw_decoder_unref(l->decoder);
    l->decoder = decoder;
    if (!l->best) {
        return true;
    }
    if (!decode_luck_again(l, run, &l->best) || !decode_luck_again(l, run, &l->shown)) {
        return false;
    }
    run->work += 2 * sw_decoder_work(l->decoder);
    if (sw_genome_compare_need(l->shown, l->best) < 0) {
        sw_genome_replace(&l->best, l->shown);
    }
    l->ending = luck_is_over(l, run);
    l->over = false;
    return sw_decoder_show(l->decoder, run);
}

static bool luck_details(const void *state, const struct sw_run *run, struct sw_details *details) {
    const struct luck *l = state;
    (void)run;
    return (!l->decoder || sw_detail_integer(details, "conflicts", (int64_t)sw_decoder_conflicts(l->decoder))) &&
           sw_detail_integer(details, "evaluations", (int64_t)l->evaluations);
}

static void luck_claims(const void *state, const struct sw_run *run, struct sw_claims *claims) {
    const struct luck *l = state;
    claims->optimal = l->over && sw_genome_meets_bound(l->best, run->problem);
    claims->priced = l->by_cost;
}

/* A limit ends the run here: the best so far. */
static bool luck_settle(const void *state, struct sw_run *run) {
    const struct luck *l = state;
    return !l->best || sw_genome_show(l->best, l->decoder, run);
}

const struct sw_planner sw_random_order = {
    .name = "random-order",
    .reads = SW_READS_COST,
    .seeded = true,
    .budgets = true,
    .summary = "First fit over random orders, the best kept: the rival of order-genetic",
    .parameters = random_parameters,
    .open = luck_open,
    .step = luck_step,
    .described = &luck_described,
    .constrain = luck_constrain,
    .details = luck_details,
    .claims = luck_claims,
    .settle = luck_settle,
    .state = luck_state,
    .because = luck_because,
};
