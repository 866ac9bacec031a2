/* What comes from outside the engine is judged here: a place that a planner proposes, as strictly as the checker would;
 * and the individuals that a script chose to stay. */
#include "planners/planner_internal.h"
#include "base/base.h"

__attribute__((format(printf, 2, 3))) static bool refuse_proposal(struct sw_proposal *proposal, const char *format,
                                                                  ...) {
    SW_FORMAT_INTO(proposal->reason, format);
    return false;
}

/* What can be said without looking at other blocks. */
static bool suits(const struct sw_run *run, struct sw_proposal *p) {
    const struct sw_problem *problem = run->problem;
    const struct sw_buffer *b = sw_problem_buffer(problem, p->buffer);
    char name[SW_SHORT_NAME];
    struct sw_pin pin;
    sw_place_name(problem, p->buffer, name);
    if (!b->planned) {
        return refuse_proposal(p, "%s is not planned", name);
    }
    if (sw_layout_placed(run->layout, p->buffer)) {
        return refuse_proposal(p, "%s has a place already", name);
    }
    if (!(sw_place_tiers(problem, p->buffer) >> p->tier & 1)) {
        return refuse_proposal(p, "%s may not live in %.40s", name, sw_problem_tier(problem, p->tier)->name);
    }
    if (p->offset > SW_MAX_BYTES || b->size > SW_MAX_BYTES - p->offset) {
        return refuse_proposal(p, "%s would end above 2^61", name);
    }
    if (p->offset % b->alignment != 0) {
        return refuse_proposal(p, "%s must begin at a multiple of %" PRIu64, name, b->alignment);
    }
    if (sw_rules_pin(problem, &run->rules, p->buffer, &pin) && (pin.tier != p->tier || pin.offset != p->offset)) {
        return refuse_proposal(p, "%s is pinned to %.40s+%" PRIu64, name, sw_problem_tier(problem, pin.tier)->name,
                               pin.offset);
    }
    return true;
}

bool sw_propose_judge(struct sw_run *run, struct sw_proposal *p) {
    const struct sw_buffer *b = sw_problem_buffer(run->problem, p->buffer);
    char name[SW_SHORT_NAME], other[SW_SHORT_NAME];
    uint32_t blocker = SW_NONE;
    bool free_ = true;
    p->legal = suits(run, p);
    if (!p->legal) {
        return true;
    }
    uint64_t before = run->gaps.visited;
    if (!sw_gaps_blocker(&run->gaps, run->layout, &run->rules, p->buffer, SW_WHOLE_LIFE, p->tier, p->offset, &free_,
                         &blocker)) {
        return sw_fail_memory(run->error);
    }
    run->work += run->gaps.visited - before + 1;
    p->legal = free_;
    if (!free_ && blocker != SW_NONE) {
        char why[SW_WITNESS_TEXT];
        sw_conflict_phrase(run->problem, p->buffer, blocker, why, sizeof why);
        refuse_proposal(p, "%s (%s) at %.40s+%" PRIu64 " would overlap %s%s",
                        sw_place_name(run->problem, p->buffer, name), SW_BYTES(b->size),
                        sw_problem_tier(run->problem, p->tier)->name, p->offset,
                        sw_place_name(run->problem, blocker, other), why);
    } else if (!free_) {
        refuse_proposal(p, "%s (%s) at %.40s+%" PRIu64 " would use bytes that it may not use",
                        sw_place_name(run->problem, p->buffer, name), SW_BYTES(b->size),
                        sw_problem_tier(run->problem, p->tier)->name, p->offset);
    }
    return true;
}

bool sw_propose_take(struct sw_run *run, const struct sw_proposal *p, struct sw_decision *decision) {
    const struct sw_buffer *b = sw_problem_buffer(run->problem, p->buffer);
    sw_place_begin(run, p->buffer, decision);
    if (!sw_place_at(run, p->buffer, p->tier, p->offset)) {
        return sw_fail_memory(run->error);
    }
    decision->tier = p->tier;
    decision->offset = p->offset;
    decision->live = sw_place_live_at(run, b->first);
    return true;
}

bool sw_check_chosen(const struct sw_breeding *breeding, const struct sw_chosen *chosen, uint32_t count,
                     struct sw_error *error) {
    bool *seen = SW_NEW_ZERO(bool, count), ok = seen || sw_fail_memory(error);
    for (uint32_t i = 0; ok && i < chosen->count; i++) {
        uint32_t number = chosen->objects[i];
        ok = (number < count && !seen[number]) ||
             sw_fail(error, SW_ERROR_INPUT, "select of %s: number %u of its list is %s", breeding->name,
                     (unsigned)i + 1, number < count ? "one that came before" : "none of the individuals");
        seen[ok ? number : 0] = true;
    }
    SW_FREE(seen, count);
    return ok && (chosen->count > 0 || breeding->elite > 0 ||
                  sw_fail(error, SW_ERROR_INPUT, "select of %s chooses none, and there is no elite", breeding->name));
}

uint32_t sw_keep_chosen(const struct sw_chosen *chosen, uint32_t *kept, uint32_t elite, uint32_t most) {
    uint32_t stay = elite;
    for (uint32_t i = 0; i < chosen->count && stay < most; i++) {
        bool there = false;
        for (uint32_t k = 0; k < elite; k++) {
            there = there || kept[k] == chosen->objects[i];
        }
        if (!there) {
            kept[stay++] = chosen->objects[i];
        }
    }
    return stay;
}
