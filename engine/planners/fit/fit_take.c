/* Which of the models that were found is taken, and, one by one, its moves. */
#include "planners/fit/fit.h"
#include "base/base.h"

#include "fit/trade.h"

/* ---- the model ---- */

static bool take_regions(struct fit *fit) {
    const struct sw_fit_model *model = &fit->ground->result.models.items[fit->chosen];
    fit->regions.count = 0;
    fit->variant = model->variant;
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
        if (!sw_explain_change(
                explain, i == chosen ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS, SW_NONE, model->bytes,
                "%s%zu move%s, %s planned, %s with the tail, %.3f of the work%s", i == 0 ? "as it is, " : "",
                model->moves.items.count, model->moves.items.count == 1 ? "" : "s", SW_BYTES(model->head),
                SW_BYTES(model->arena),
                result->variants[0].cuts.macs ? (double)model->macs / (double)result->variants[0].cuts.macs : 1.0,
                fits ? "" : "; it does not fit")) {
            return false;
        }
    }
    return true;
}

enum sw_step fit_choose(struct fit *fit, struct sw_run *run, struct sw_decision *decision) {
    const struct sw_fit_result *result = &fit->ground->result;
    size_t chosen = run->choice >= 0 ? (size_t)run->choice : result->chosen;
    if (chosen >= result->models.count) {
        return sw_place_no_candidate(run, (uint32_t)result->models.count);
    }
    if (!explain_models(fit->ground, chosen, run->explain)) {
        return sw_step_memory(run);
    }
    fit->chosen = chosen;
    if (!take_regions(fit)) {
        fit->chosen = SIZE_MAX;
        return sw_step_memory(run);
    }
    const struct sw_fit_model *model = &result->models.items[chosen];
    sw_decision_become(decision, SW_DECISION_CHOOSE_MODEL);
    decision->choose_model.head = model->head;
    decision->choose_model.arena = model->arena;
    decision->choose_model.moves = model->moves.items.count;
    decision->candidates = (uint32_t)result->models.count;
    decision->forced = run->choice >= 0;
    decision->reason = decision->forced ? "chosen by the user"
                       : !fit->ground->request.has_capacity
                           ? result->stopped ? "the smallest that was found" : "no smaller one was found"
                       : result->fits ? "of those that fit it computes least"
                                      : "none fits, and it comes nearest";
    run->work += result->models.count;
    fit->phase = model->moves.items.count > 0 ? FIT_TAKES : FIT_HANDS_OVER;
    return SW_STEP_MORE;
}

/* ---- one of its cuts ---- */

/* May the cut replace this region? It must begin or end where the region does, and touch no other region. */
static bool may_replace(const struct fit *fit, size_t at, const struct sw_fit_region *other) {
    const struct sw_fit_region *own = &fit->regions.items[at];
    bool near = other->first == own->first || other->last == own->last;
    bool behind = at == 0 || fit->regions.items[at - 1].last < other->first;
    bool before = at + 1 == fit->regions.count || other->last < fit->regions.items[at + 1].first;
    return near && behind && before && !sw_fit_same_region(own, other);
}

bool fit_explain_cut(const struct sw_problem *problem, const struct sw_fit_cut *cut, enum sw_verdict verdict,
                     struct sw_explanation *explain) {
    char way[SW_FIT_REGION_TEXT];
    sw_fit_region_text(problem, &cut->region, way, sizeof way);
    return sw_explain_change(explain, verdict, cut->region.first, cut->live,
                             "%s, %s alive there, %s of the tail and %s multiply-adds more", way, SW_BYTES(cut->live),
                             SW_BYTES(cut->tail), sw_show_count(cut->macs, (char[32]){0}));
}

/* What one cut of the model costs and saves, together with the others. False: no memory. */
static bool find_trade(const struct fit *fit, size_t region, struct sw_fit_trade *trade) {
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal;
    struct sw_fit_trade *trades = SW_NEW_ZERO(struct sw_fit_trade, fit->regions.count);
    bool good = trades &&
                sw_fit_program_make(fit_variant(fit)->base.problem, fit->regions.items, fit->regions.count, &program,
                                    &refusal) &&
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

/* The cut that the model has. Where regions take turns, it may be a cut that was turned round and is not among those
 * that were found. False: no memory. */
static bool find_own(const struct fit *fit, struct sw_fit_cut *own) {
    const struct sw_fit_cuts *cuts = &fit_variant(fit)->cuts;
    struct sw_fit_trade trade = {0};
    own->region = fit->regions.items[fit->taken];
    for (size_t i = 0; i < cuts->items.count; i++) {
        if (sw_fit_same_region(&own->region, &cuts->items.items[i].region)) {
            *own = cuts->items.items[i];
            return true;
        }
    }
    if (!find_trade(fit, fit->taken, &trade)) {
        return false;
    }
    own->live = trade.live;
    own->tail = trade.tail;
    own->macs = trade.macs - SW_MIN(trade.macs, trade.macs_before);
    return true;
}

/* Candidates: the model's own cut, the other ones that may stand there, and no cut. `taken`: the one that is taken.
 * False: no memory. */
static bool list_cuts(const struct fit *fit, const struct sw_run *run, uint32_t *count, struct sw_fit_region *taken,
                      bool *leave) {
    const struct sw_fit_cuts *cuts = &fit_variant(fit)->cuts;
    const struct sw_problem *problem = fit_variant(fit)->base.problem;
    struct sw_fit_cut own = {.region = fit->regions.items[fit->taken]};
    enum sw_verdict verdict = run->choice <= 0 ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS;
    if (run->explain && (!find_own(fit, &own) || !fit_explain_cut(problem, &own, verdict, run->explain))) {
        return false;
    }
    *count = 1;
    *taken = own.region;
    for (size_t i = 0; i < cuts->items.count; i++) {
        const struct sw_fit_cut *cut = &cuts->items.items[i];
        if (!may_replace(fit, fit->taken, &cut->region)) {
            continue;
        }
        bool chosen = run->choice == (int64_t)*count;
        *taken = chosen ? cut->region : *taken;
        ++*count;
        if (!fit_explain_cut(problem, cut, chosen ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS, run->explain)) {
            return false;
        }
    }
    *leave = run->choice == (int64_t)*count;
    ++*count;
    return sw_explain_change(run->explain, *leave ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS, own.region.first, SW_UNBOUNDED,
                             "not cut");
}

static void tell_taken_cut(const struct fit *fit, const struct sw_fit_trade *trade, const struct sw_fit_region *region,
                           struct sw_decision *decision) {
    const struct sw_problem *problem = fit_variant(fit)->base.problem;
    sw_decision_become(decision, SW_DECISION_TAKE);
    decision->time = fit_variant(fit)->base.operators[region->first];
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

/* ---- a move that is no cut ---- */

static bool precedes_cuts(enum sw_fit_move_kind kind) {
    return kind == SW_FIT_ORDER || kind == SW_FIT_RECOMPUTE;
}

/* The chosen model's next move that is no cut and has had no decision, of those before the cuts or of those after them.
 * NULL: there is none. */
static const struct sw_fit_move *next_other(const struct fit *fit, bool before) {
    const struct sw_fit_model *model = &fit->ground->result.models.items[fit->chosen];
    size_t other = 0;
    for (size_t i = 0; i < model->moves.items.count; i++) {
        const struct sw_fit_move *move = &model->moves.items.items[i];
        if (move->kind != SW_FIT_STRIPS && other++ == fit->named) {
            return precedes_cuts(move->kind) == before ? move : NULL;
        }
    }
    return NULL;
}

/* A move that is no cut has one candidate. To do without it is to choose another model. */
static enum sw_step take_other(struct fit *fit, const struct sw_fit_move *move, struct sw_run *run,
                               struct sw_decision *decision) {
    const struct sw_fit_model *model = &fit->ground->result.models.items[fit->chosen];
    const struct sw_fit_base *base = &fit_variant(fit)->base;
    if (run->choice > 0) {
        return sw_place_no_candidate(run, 1);
    }
    if (move->kind == SW_FIT_ORDER) {
        sw_decision_become(decision, SW_DECISION_TAKE_ORDER);
        decision->take_order.moved = move->moved;
    } else if (move->kind == SW_FIT_RECOMPUTE) {
        sw_decision_become(decision, SW_DECISION_TAKE_AGAIN);
        decision->take_again.op = sw_problem_operator(fit->ground->problem, base->operators[move->op])->name;
    } else {
        sw_decision_become(decision, SW_DECISION_TAKE_IN_PLACE);
        decision->take_in_place.op = sw_problem_operator(model->problem, move->op)->name;
        decision->take_in_place.bytes = sw_problem_buffer(model->problem, move->buffer)->size;
    }
    decision->candidates = 1;
    decision->forced = run->choice >= 0;
    decision->reason = "a model without it was found to need more";
    run->work++;
    fit->named++;
    fit->taken_moves++;
    return sw_explain_change(run->explain, SW_VERDICT_CHOSEN, SW_NONE, model->bytes,
                             "part of the model that was chosen")
               ? SW_STEP_MORE
               : sw_step_memory(run);
}

/* The next phase after a move. If the user has changed cuts, other results may lie over arguments than the model had:
 * these have no decisions. */
static void next_phase(struct fit *fit) {
    bool more = next_other(fit, true) || fit->taken < fit->regions.count || (!fit->changed && next_other(fit, false));
    fit->phase = more ? FIT_TAKES : FIT_HANDS_OVER;
}

enum sw_step fit_take(struct fit *fit, struct sw_run *run, struct sw_decision *decision) {
    struct sw_fit_region taken;
    struct sw_fit_trade trade = {0};
    uint32_t count;
    bool leave;
    const struct sw_fit_move *other_move = next_other(fit, true);
    other_move = !other_move && fit->taken >= fit->regions.count ? next_other(fit, false) : other_move;
    if (other_move) {
        enum sw_step result = take_other(fit, other_move, run, decision);
        next_phase(fit);
        return result;
    }
    if (!list_cuts(fit, run, &count, &taken, &leave)) {
        return sw_step_memory(run);
    }
    if (run->choice >= (int64_t)count) {
        return sw_place_no_candidate(run, count);
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
            return sw_step_memory(run);
        }
    }
    tell_taken_cut(fit, leave ? NULL : &trade, &taken, decision);
    decision->candidates = count;
    decision->forced = run->choice >= 0;
    decision->reason = decision->forced ? "chosen by the user" : NULL;
    run->work += count;
    fit->changed |= other;
    fit->taken += !leave;
    fit->taken_moves++;
    next_phase(fit);
    return SW_STEP_MORE;
}
