/* The plan of a run, and the decisions that made it. See run_plan.h. */
#include "base/sort.h"
#include "base/base.h"
#include "search/result/curve.h"
#include "search/search_internal.h"

/* ---- the layout that a run ends with ---- */

bool sw_plan_keep(struct sw_search *search) {
    sw_plan_drop(search);
    search->plan = SW_NEW_ZERO(struct sw_kept_plan, 1);
    if (search->plan) {
        search->plan->references = 1;
        search->plan->layout = sw_layout_clone(search->run.layout, NULL);
    }
    if (search->plan && !search->plan->layout) {
        sw_plan_drop(search);
    }
    return search->plan != NULL;
}

void sw_plan_drop(struct sw_search *search) {
    struct sw_kept_plan *plan = search->plan;
    search->plan = NULL;
    if (plan && --plan->references == 0) {
        sw_layout_free(plan->layout);
        SW_ARRAY_DONE(&plan->raises, &plan->measured);
        SW_FREE(plan, 1);
    }
}

const struct sw_layout *sw_search_plan(const struct sw_search *search) {
    return search->plan && search->complete && !search->failed ? search->plan->layout : NULL;
}

/* ---- its peak ---- */

/* Decisions before none, which is what a user did. */
static bool is_earlier(uint64_t a, uint64_t b) {
    return a != 0 && (b == 0 || a < b);
}

void sw_peak_of(const struct sw_layout *layout, struct sw_peak *peak) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint32_t tier = sw_layout_peak_tier(layout);
    struct sw_placement at;
    struct sw_peak far = {.buffer = SW_NONE};
    *peak = (struct sw_peak){.bytes = sw_layout_tier_peak(layout, tier), .tier = tier, .buffer = SW_NONE};
    for (uint32_t i = 0; peak->bytes > 0 && i < sw_problem_planned_count(problem); i++) {
        uint32_t b = sw_problem_order(problem)[i];
        for (uint32_t k = 0; sw_layout_placement(layout, b, k, &at); k++) {
            uint64_t made = sw_layout_made(layout, b, k);
            if (at.tier == tier && sw_layout_makes_peak(layout, b, &at) &&
                (peak->buffer == SW_NONE || is_earlier(made, peak->step))) {
                peak->buffer = b;
                peak->offset = at.offset;
                peak->step = made;
            }
            if (at.tier == tier && sw_layout_ends_stretch(layout, b, &at) &&
                (far.buffer == SW_NONE || is_earlier(made, far.step))) {
                far = (struct sw_peak){peak->bytes, tier, b, at.offset, made};
            }
        }
    }
    if (far.buffer != SW_NONE && peak->buffer != SW_NONE && is_earlier(peak->step, far.step)) {
        *peak = far; /* not before both ends were there */
    }
    if (peak->buffer == SW_NONE) {
        peak->step = sw_layout_arena_made(layout, tier);
    }
}

void sw_search_peak(const struct sw_search *search, const struct sw_layout *layout, struct sw_peak *peak) {
    sw_peak_of(layout, peak);
    const struct sw_decision *d = peak->buffer == SW_NONE ? sw_search_journal(search, peak->step) : NULL;
    struct sw_placement at;
    if (d && d->buffer != SW_NONE && d->tier == peak->tier && sw_layout_placement(layout, d->buffer, 0, &at) &&
        at.tier == d->tier && at.offset == d->offset) {
        peak->buffer = d->buffer;
        peak->offset = d->offset;
    }
}

/* ---- what raised it ---- */

struct plan_maker {
    uint64_t step;
    uint32_t buffer;
};
SW_ARRAY_TYPE(makers, struct plan_maker);

SW_BY_FIELDS(by_maker_step, struct plan_maker, SW_UP(step), SW_UP(buffer))

static bool place_from_plan(struct sw_layout *stage, const struct sw_layout *plan, uint32_t buffer) {
    struct sw_placement at;
    bool ok = true;
    for (uint32_t k = 0; ok && sw_layout_placement(plan, buffer, k, &at); k++) {
        bool whole = at.span.from == SW_WHOLE_LIFE.from && at.span.to == SW_WHOLE_LIFE.to;
        ok = whole ? sw_layout_place(stage, buffer, at.tier, at.offset) : sw_layout_place_span(stage, &at);
    }
    return ok;
}

/* Each raise up to the peak of the plan, and the decision from which on it is that. In a tier that comes to be filled
 * from its far end the peak falls when the far end is reached: what was higher before is no raise to this plan's peak.
 */
static bool measure_stages(const struct sw_layout *plan, uint32_t tier, const struct makers *makers,
                           struct sw_layout *stage, struct sw_raises *raises) {
    uint64_t last = 0, end = sw_layout_tier_peak(plan, tier);
    for (size_t i = 0; i < makers->count; i++) {
        const struct plan_maker *m = &makers->items[i];
        if (!place_from_plan(stage, plan, m->buffer)) {
            return false;
        }
        if (m->step == 0 || (i + 1 < makers->count && m[1].step == m->step)) { /* several blocks by one decision */
            continue;
        }
        uint64_t now = sw_layout_tier_peak(stage, tier),
                 most = raises->count ? raises->items[raises->count - 1].peak : 0;
        if (now == end && last != end && most == end) {
            raises->count--; /* it was left in between */
        }
        bool raised = now == end ? last != end : now < end && now > most;
        if (raised && !SW_PUSH(raises, ((struct sw_raise){m->step, now}))) {
            return false;
        }
        last = now;
    }
    return true;
}

/* Its blocks once more, in the order in which they were placed. */
static bool read_plan_raises(const struct sw_layout *plan, uint32_t tier, struct sw_raises *raises) {
    const struct sw_problem *problem = sw_layout_problem(plan);
    struct makers makers = {0};
    struct sw_layout *stage = sw_layout_new(problem, NULL);
    bool ok = stage != NULL;
    raises->count = 0;
    for (uint32_t b = 0; ok && b < sw_problem_buffer_count(problem); b++) {
        ok = !sw_layout_placed(plan, b) || SW_PUSH(&makers, ((struct plan_maker){sw_layout_made(plan, b, 0), b}));
    }
    sw_sort(makers.items, makers.count, sizeof *makers.items, by_maker_step);
    ok = ok && measure_stages(plan, tier, &makers, stage, raises);
    SW_ARRAY_DONE(&makers);
    sw_layout_free(stage);
    return ok;
}

/* NULL: the journal tells it. */
static const struct sw_raises *raises_of(const struct sw_search *search) {
    struct sw_kept_plan *kept = sw_search_plan(search) && !search->planner->one_layout ? search->plan : NULL;
    struct sw_peak peak;
    if (kept && !kept->read) {
        sw_peak_of(kept->layout, &peak);
        kept->reserved = peak.buffer == SW_NONE;
        kept->read = kept->reserved || read_plan_raises(kept->layout, peak.tier, &kept->raises);
    }
    return kept && kept->read && !kept->reserved ? &kept->raises : NULL;
}

/* How many raises there are up to a step. */
static size_t raises_by(const struct sw_raises *raises, uint64_t step) {
    return SW_FIRST(i, raises->count, raises->items[i].step > step);
}

uint64_t sw_search_raised(const struct sw_search *search, uint64_t step) {
    const struct sw_raises *raises = raises_of(search);
    const struct sw_decision *d = raises ? NULL : sw_search_journal(search, step);
    if (!raises) {
        return d && d->peak > d->peak_before ? d->peak : 0;
    }
    size_t count = raises_by(raises, step);
    return count > 0 && raises->items[count - 1].step == step ? raises->items[count - 1].peak : 0;
}

uint64_t sw_search_peak_by(const struct sw_search *search, uint64_t step) {
    const struct sw_raises *raises = raises_of(search);
    const struct sw_decision *d = raises ? NULL : sw_search_journal(search, step);
    size_t count = raises ? raises_by(raises, step) : 0;
    return count > 0 ? raises->items[count - 1].peak : d ? d->peak : 0;
}

/* ---- trials ---- */

/* Does the layout hold nothing but what the plan holds, by the same decisions? Where the plan is one of another order
 * of the operators, times differ and buffers do not. */
static bool leads_to(const struct sw_layout *layout, const struct sw_layout *plan) {
    struct sw_placement a, b;
    uint32_t count = sw_problem_buffer_count(sw_layout_problem(layout));
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; sw_layout_placement(layout, i, k, &a); k++) {
            if (!sw_layout_placement(plan, i, k, &b) || a.tier != b.tier || a.offset != b.offset ||
                sw_layout_made(layout, i, k) != sw_layout_made(plan, i, k)) {
                return false;
            }
        }
    }
    return true;
}

/* Each decision that measures a layout ends a trial. */
static bool count_trials(const struct sw_search *search, struct sw_kept_plan *kept) {
    uint64_t amount;
    kept->measured.count = 0;
    for (uint64_t i = 1; i <= search->known; i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        bool measured = d && sw_curve_measured(d, &amount);
        bool bytes = measured && sw_problem_tier_count(search->problem) == 1 &&
                     (d->kind == SW_DECISION_INCUMBENT || d->kind == SW_DECISION_DECODE ||
                      (d->kind == SW_DECISION_EVALUATE && d->measures == SW_AMOUNT_MEMORY));
        if (measured && !SW_PUSH(&kept->measured, ((struct sw_measured){i, bytes ? amount : SW_UNBOUNDED}))) {
            return false;
        }
    }
    kept->counted = true;
    return true;
}

/* The decision that placed the last of the blocks of a finished layout. */
static uint64_t finished_by(const struct sw_search *search, const struct sw_layout *layout) {
    uint64_t last = 0;
    struct sw_placement at;
    uint32_t count = sw_problem_planned_count(search->problem);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t b = sw_problem_order(search->problem)[i];
        for (uint32_t k = 0; sw_layout_placement(layout, b, k, &at); k++) {
            uint64_t made = sw_layout_made(layout, b, k);
            if (made == 0) {
                return search->at; /* a user moved it, and it is not known when */
            }
            last = SW_MAX(last, made);
        }
    }
    return last;
}

/* How many layouts were measured before a step. */
static size_t measured_before(const struct sw_kept_plan *kept, uint64_t step) {
    size_t k = 0;
    while (k < kept->measured.count && kept->measured.items[k].step < step) {
        k++;
    }
    return k;
}

/* The trial to which the run leads here. A finished layout that was there when another one had been measured already is
 * the trial that was measured next after its last block was placed; where that has another peak, the layout was not
 * measured. */
static uint64_t trial_number(const struct sw_search *search, const struct sw_layout *layout) {
    const struct sw_kept_plan *kept = search->plan;
    size_t next = measured_before(kept, search->at);
    bool finished = sw_layout_placed_count(layout) == sw_problem_planned_count(search->problem);
    uint64_t by = finished && next > 0 ? finished_by(search, layout) : search->at;
    if (next == 0 || by > kept->measured.items[next - 1].step) {
        return next < kept->measured.count ? next + 1 : 0;
    }
    next = measured_before(kept, by);
    uint64_t peak = kept->measured.items[next].peak;
    bool same = peak == SW_UNBOUNDED || peak == sw_layout_peak(layout) || peak == sw_layout_arena(layout, 0);
    return same ? next + 1 : 0;
}

bool sw_search_trial(const struct sw_search *search, struct sw_trial *trial) {
    const struct sw_layout *plan = sw_search_plan(search), *now = sw_search_layout(search);
    if (!plan || search->planner->one_layout || sw_layout_placed_count(now) == 0 || leads_to(now, plan)) {
        return false;
    }
    *trial = (struct sw_trial){.peak = sw_layout_peak(now), .plan = sw_layout_peak(plan)};
    if (search->plan->counted || count_trials(search, search->plan)) {
        trial->count = search->plan->measured.count;
        trial->number = trial_number(search, now);
    }
    return true;
}
