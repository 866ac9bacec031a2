/* How good a run becomes, read from its journal. See trend.h. */
#include "search/trend.h"

#include "base/sort.h"

#include <math.h>

enum { POINTS_OF_A_BLOCK = 256 };

/* ---- what a decision says ---- */

static enum sw_measure measure_of(const struct sw_decision *decision) {
    return !isnan(decision->cost)                  ? SW_MEASURE_COST
           : decision->measures == SW_AMOUNT_MOVED ? SW_MEASURE_MOVED
                                                   : SW_MEASURE_PEAK;
}

static bool is_result(const struct sw_decision *decision) {
    return decision->kind == SW_DECISION_DECODE || decision->kind == SW_DECISION_INCUMBENT ||
           sw_decision_is(decision, SW_DECISION_EVALUATE);
}

bool sw_trend_figure(const struct sw_decision *decision, enum sw_measure *measure, double *value) {
    if (!is_result(decision)) {
        return false;
    }
    *measure = measure_of(decision);
    /* An incumbent is about a part of the problem; the layout that shows it is about all of it. */
    uint64_t amount = decision->kind == SW_DECISION_INCUMBENT ? decision->peak : sw_decision_amount(decision);
    *value = *measure == SW_MEASURE_COST ? decision->cost : (double)amount;
    /* A planner that found no layout says nothing of it. */
    bool none = decision->measures == SW_AMOUNT_NOTHING || amount == SW_UNBOUNDED ||
                (sw_decision_is(decision, SW_DECISION_EVALUATE) && *measure == SW_MEASURE_PEAK && amount == 0);
    return *measure == SW_MEASURE_COST || !none;
}

/* ---- reading ---- */

static bool add_trend_point(struct sw_trend *trend, uint64_t step, double value) {
    size_t count = trend->points.count;
    double best = count ? fmin(value, trend->points.items[count - 1].best) : value;
    double sum = count ? trend->sums.items[count - 1] + trend->points.items[count - 1].value : 0;
    if (count % POINTS_OF_A_BLOCK == 0) {
        if (!SW_PUSH(&trend->worst, value)) {
            return false;
        }
    } else {
        trend->worst.items[count / POINTS_OF_A_BLOCK] = fmax(trend->worst.items[count / POINTS_OF_A_BLOCK], value);
    }
    return SW_PUSH(&trend->sums, sum) && SW_PUSH(&trend->points, (struct sw_trend_point){step, value, best});
}

static bool is_ours(struct sw_trend *trend, enum sw_measure measure) {
    if (!trend->any) {
        trend->any = true;
        trend->measure = measure;
    }
    trend->other += trend->measure != measure;
    return trend->measure == measure;
}

static bool end_round(struct sw_trend *trend, const struct sw_decision *decision) {
    struct sw_trend_round round = {.step = decision->step,
                                   .best = decision->generation.best,
                                   .mean = decision->generation.mean,
                                   .worst = decision->generation.worst,
                                   .begin = trend->began,
                                   .measured = trend->measured};
    trend->began = decision->step;
    trend->measured = 0;
    bool known = !isnan(round.best);
    if (known && !is_ours(trend, measure_of(decision))) {
        round.best = round.mean = round.worst = (double)NAN;
    }
    return SW_PUSH(&trend->rounds, round);
}

static bool add_decision(struct sw_trend *trend, const struct sw_decision *decision) {
    enum sw_measure measure;
    double value;
    if (decision->kind == SW_DECISION_GENERATION) {
        return end_round(trend, decision);
    }
    if (!sw_trend_figure(decision, &measure, &value)) {
        trend->impossible += is_result(decision);
        trend->measured += is_result(decision);
        return true;
    }
    trend->measured++;
    return !is_ours(trend, measure) || add_trend_point(trend, decision->step, value);
}

bool sw_trend_read(struct sw_trend *trend, const struct sw_search *search) {
    uint64_t known = sw_search_forgets(search) ? 0 : sw_search_known(search);
    for (; trend->read < known; trend->read++) {
        if (!add_decision(trend, sw_search_journal(search, trend->read + 1))) {
            sw_trend_done(trend); /* half of a decision may be in it */
            return false;
        }
    }
    return true;
}

void sw_trend_done(struct sw_trend *trend) {
    SW_ARRAY_DONE(&trend->points, &trend->rounds, &trend->sums, &trend->worst);
    *trend = (struct sw_trend){0};
}

/* ---- looking ---- */

size_t sw_trend_point_after(const struct sw_trend *trend, uint64_t step) {
    return SW_FIRST(i, trend->points.count, trend->points.items[i].step > step);
}

size_t sw_trend_round_after(const struct sw_trend *trend, uint64_t step) {
    return SW_FIRST(i, trend->rounds.count, trend->rounds.items[i].step > step);
}

void sw_trend_range(const struct sw_trend *trend, size_t from, size_t to, double *mean, double *worst) {
    const struct sw_trend_point *points = trend->points.items;
    double sum = trend->sums.items[to - 1] + points[to - 1].value - trend->sums.items[from];
    *mean = sum / (double)(to - from);
    *worst = points[from].value;
    for (size_t i = from; i < to;) {
        bool whole = i % POINTS_OF_A_BLOCK == 0 && i + POINTS_OF_A_BLOCK <= to;
        *worst = fmax(*worst, whole ? trend->worst.items[i / POINTS_OF_A_BLOCK] : points[i].value);
        i += whole ? POINTS_OF_A_BLOCK : 1;
    }
}
