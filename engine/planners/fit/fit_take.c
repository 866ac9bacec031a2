/* Which of the models that were found is taken, and, one by one, its cuts. */
#include "planners/fit/fit.h"

#include "base/minmax.h"
#include "base/text.h"
#include "fit/trade.h"

/* ---- the model ---- */

static bool take_regions(struct fit *fit) {
    const struct sw_fit_model *model = &fit->ground->result.models.items[fit->chosen];
    fit->regions.count = 0;
    for (size_t i = 0; i < model->region_count; i++) {
        if (!SW_PUSH(&fit->regions, model->regions[i])) {
            return false;
        }
    }
    return true;
}

static bool explain_models(const struct fit_ground *ground, size_t chosen, struct sw_explanation *explain) {
    const struct sw_fit_result *result = &ground->result;
    for (size_t i = 0; i < result->models.count; i++) {
        const struct sw_fit_model *model = &result->models.items[i];
        bool fits = !ground->request.has_capacity || model->bytes <= ground->request.capacity;
        if (!sw_explain_change(explain, i == chosen ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS, SW_NONE, model->bytes,
                               "%s%zu region%s cut, %s planned, %s with the tail, %.3f of the work%s", i == 0 ? "as it is, " : "", model->region_count,
                               model->region_count == 1 ? "" : "s", SW_BYTES(model->head), SW_BYTES(model->arena),
                               result->cuts.macs ? (double)model->macs / (double)result->cuts.macs : 1.0, fits ? "" : "; it does not fit")) {
            return false;
        }
    }
    return true;
}

enum sw_step fit_choose(struct fit *fit, struct sw_run *run, struct sw_decision *decision, struct sw_error *error) {
    const struct sw_fit_result *result = &fit->ground->result;
    size_t chosen = run->choice >= 0 ? (size_t)run->choice : result->chosen;
    if (chosen >= result->models.count) {
        return sw_place_no_candidate(run, (uint32_t)result->models.count, error);
    }
    if (!explain_models(fit->ground, chosen, run->explain)) {
        return sw_step_memory(error);
    }
    fit->chosen = chosen;
    if (!take_regions(fit)) {
        fit->chosen = SIZE_MAX;
        return sw_step_memory(error);
    }
    const struct sw_fit_model *model = &result->models.items[chosen];
    sw_decision_become(decision, SW_DECISION_CHOOSE_MODEL);
    decision->choose_model.head = model->head;
    decision->choose_model.arena = model->arena;
    decision->choose_model.regions = model->region_count;
    decision->candidates = (uint32_t)result->models.count;
    decision->forced = run->choice >= 0;
    decision->reason = decision->forced ? "chosen by the user"
                       : !fit->ground->request.has_capacity
                           ? result->stopped ? "the smallest that was found" : "no smaller one was found"
                       : result->fits ? "of those that fit it computes least"
                                      : "none fits, and it comes nearest";
    run->work += result->models.count;
    fit->phase = fit->regions.count > 0 ? FIT_TAKES : FIT_HANDS_OVER;
    return SW_STEP_MORE;
}

/* ---- one of its cuts ---- */

/* May the cut stand where this region does: it begins or ends there, and touches no other region? */
static bool may_replace(const struct fit *fit, size_t at, const struct sw_fit_region *other) {
    const struct sw_fit_region *own = &fit->regions.items[at];
    bool near = other->first == own->first || other->last == own->last;
    bool behind = at == 0 || fit->regions.items[at - 1].last < other->first;
    bool before = at + 1 == fit->regions.count || other->last < fit->regions.items[at + 1].first;
    return near && behind && before && !sw_fit_same_region(own, other);
}

static bool explain_cut(const struct fit *fit, const struct sw_fit_cut *cut, bool chosen, struct sw_explanation *explain) {
    char way[SW_FIT_REGION_TEXT];
    sw_fit_region_text(fit->ground->problem, &cut->region, way, sizeof way);
    return sw_explain_change(explain, chosen ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS, cut->region.first, cut->live,
                             "%s, %s alive there, %s of the tail and %s multiply-adds more", way, SW_BYTES(cut->live), SW_BYTES(cut->tail),
                             sw_show_count(cut->macs, (char[32]){0}));
}

/* Candidates: the model's own cut, the other ones that may stand there, and no cut. `taken`: the one that the user chose. False: no memory. */
static bool list_cuts(const struct fit *fit, const struct sw_run *run, uint32_t *count, struct sw_fit_region *taken, bool *leave) {
    const struct sw_fit_cuts *cuts = &fit->ground->result.cuts;
    const struct sw_fit_region *own = &fit->regions.items[fit->taken];
    *count = 0;
    *taken = *own;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < cuts->items.count; i++) {
            const struct sw_fit_cut *cut = &cuts->items.items[i];
            if (pass == 0 ? !sw_fit_same_region(own, &cut->region) : !may_replace(fit, fit->taken, &cut->region)) {
                continue;
            }
            bool chosen = run->choice < 0 ? pass == 0 : run->choice == (int64_t)*count;
            if (chosen) {
                *taken = cut->region;
            }
            ++*count;
            if (!explain_cut(fit, cut, chosen, run->explain)) {
                return false;
            }
        }
    }
    *leave = run->choice == (int64_t)*count;
    ++*count;
    return sw_explain_change(run->explain, *leave ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS, own->first, SW_UNBOUNDED, "not cut");
}

/* What it costs and saves, among the cuts that the model has. False: no memory. */
static bool find_trade(const struct fit *fit, size_t region, struct sw_fit_trade *trade) {
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal;
    struct sw_fit_trade *trades = SW_NEW_ZERO(struct sw_fit_trade, fit->regions.count);
    bool good = trades && sw_fit_program_make(fit->ground->problem, fit->regions.items, fit->regions.count, &program, &refusal) &&
                sw_fit_trades_find(&program, trades);
    for (size_t i = 0; good && i < fit->regions.count; i++) {
        if (trades[i].region == region) {
            *trade = trades[i];
        }
    }
    sw_fit_program_done(&program);
    SW_FREE(trades, fit->regions.count);
    return good;
}

static void tell_cut(const struct fit *fit, const struct sw_fit_trade *trade, const struct sw_fit_region *region, struct sw_decision *decision) {
    const struct sw_problem *problem = fit->ground->problem;
    sw_decision_become(decision, SW_DECISION_TAKE);
    decision->time = region->first;
    decision->take.op = sw_problem_operator(problem, region->first)->name;
    decision->take.to = region->last > region->first ? sw_problem_operator(problem, region->last)->name : NULL;
    if (trade) {
        decision->take.strips = region->strips;
        decision->take.again = trade->again;
        decision->take.rows = trade->rows;
        decision->take.macs = trade->macs - SW_MIN(trade->macs, trade->macs_before);
        decision->take.before = trade->bound_before;
        decision->take.bound = trade->bound;
        decision->take.tail = trade->tail;
    }
}

enum sw_step fit_take(struct fit *fit, struct sw_run *run, struct sw_decision *decision, struct sw_error *error) {
    struct sw_fit_region taken;
    struct sw_fit_trade trade = {0};
    uint32_t count;
    bool leave;
    if (!list_cuts(fit, run, &count, &taken, &leave)) {
        return sw_step_memory(error);
    }
    if (run->choice >= (int64_t)count) {
        return sw_place_no_candidate(run, count, error);
    }
    bool other = leave || !sw_fit_same_region(&taken, &fit->regions.items[fit->taken]);
    if (leave) {
        for (size_t i = fit->taken; i + 1 < fit->regions.count; i++) {
            fit->regions.items[i] = fit->regions.items[i + 1];
        }
        fit->regions.count--;
    } else {
        fit->regions.items[fit->taken] = taken;
        if (!find_trade(fit, fit->taken, &trade)) {
            return sw_step_memory(error);
        }
    }
    tell_cut(fit, leave ? NULL : &trade, &taken, decision);
    decision->candidates = count;
    decision->forced = run->choice >= 0;
    decision->reason = decision->forced ? "chosen by the user" : NULL;
    run->work += count;
    fit->changed |= other;
    fit->taken += !leave;
    fit->taken_moves++;
    fit->phase = fit->taken < fit->regions.count ? FIT_TAKES : FIT_HANDS_OVER;
    return SW_STEP_MORE;
}
