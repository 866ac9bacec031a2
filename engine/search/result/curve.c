/* The best figure so far, read from the journal of a run. */
#include "search/result/curve.h"

static bool take_amount(struct sw_curve *curve, uint64_t amount) {
    size_t count = curve->gains.count;
    curve->evaluations++;
    if (count && amount >= curve->gains.items[count - 1].amount) {
        return true;
    }
    return SW_PUSH(&curve->gains, (struct sw_gain){curve->evaluations, amount});
}

static bool collect_amounts(const struct sw_search *search, struct sw_curve *curve, enum sw_decision_kind kind) {
    uint64_t at = sw_search_forgets(search) ? 0 : sw_search_at(search);
    for (uint64_t i = 1; i <= at; i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        bool measured = d->kind == kind && (kind == SW_DECISION_DECODE || d->measures != SW_AMOUNT_NOTHING);
        if (measured && !take_amount(curve, sw_decision_amount(d))) {
            return false;
        }
    }
    return true;
}

bool sw_curve_of(const struct sw_search *search, struct sw_curve *curve) {
    curve->evaluations = 0;
    curve->gains.count = 0;
    return collect_amounts(search, curve, SW_DECISION_DECODE) &&
           (curve->evaluations > 0 || collect_amounts(search, curve, SW_DECISION_EVALUATE));
}

bool sw_curve_measured(const struct sw_decision *decision, uint64_t *amount) {
    bool found = decision->kind == SW_DECISION_INCUMBENT;
    *amount = found ? decision->peak : sw_decision_amount(decision);
    return found || decision->kind == SW_DECISION_DECODE ||
           (sw_decision_is(decision, SW_DECISION_EVALUATE) && decision->measures != SW_AMOUNT_NOTHING);
}

bool sw_curve_whole(const struct sw_decision *decision) {
    uint64_t amount;
    return decision->buffer == SW_NONE &&
           (decision->kind == SW_DECISION_FINISH || sw_curve_measured(decision, &amount));
}

bool sw_curve_addressed(const struct sw_decision *decision) {
    return decision->tier != SW_NONE && !sw_curve_whole(decision);
}

void sw_curve_done(struct sw_curve *curve) {
    SW_ARRAY_DONE(&curve->gains);
}
