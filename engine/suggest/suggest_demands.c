/* Demands without a place: a range that a block may not use, and another candidate at its decision. */
#include "suggest/suggest_internal.h"

/* The next block of the chain that a decision of the run placed; SW_NONE: there is none. */
static uint32_t next_decided(struct sw_suggest *suggest, uint64_t *made) {
    const struct sw_layout *layout = sw_search_layout(suggest->base);
    while (suggest->at < suggest->chain.count) {
        uint32_t buffer = suggest->chain.items[suggest->at++];
        *made = sw_layout_made(layout, buffer, 0);
        if (*made > 0) {
            return buffer;
        }
    }
    return SW_NONE;
}

/* Where it lies: so it has to lie elsewhere. */
enum sw_step sw_suggest_next_forbid(struct sw_suggest *suggest, struct sw_suggestion *of, struct sw_error *error) {
    struct sw_placement at;
    if (!suggest->opened && !sw_suggest_find_chain(suggest, error)) {
        return SW_STEP_FAILED;
    }
    suggest->opened = true;
    uint32_t buffer = next_decided(suggest, &of->before);
    if (buffer == SW_NONE || !sw_layout_placement(sw_search_layout(suggest->base), buffer, 0, &at)) {
        return SW_STEP_DONE;
    }
    of->kind = SW_SUGGEST_FORBID;
    of->count = 1;
    of->overrides[0] =
        (struct sw_override){.kind = SW_OVERRIDE_FORBID,
                             .buffer = buffer,
                             .tier = at.tier,
                             .lo = at.offset,
                             .hi = at.offset + sw_problem_buffer(sw_search_problem(suggest->base), buffer)->size};
    return SW_STEP_MORE;
}

/* Was it the decision of an earlier block of the chain, too? */
static bool is_looked_at(const struct sw_suggest *suggest, uint64_t made) {
    const struct sw_layout *layout = sw_search_layout(suggest->base);
    bool is = false;
    for (uint32_t i = 0; !is && i + 1 < suggest->at; i++) {
        is = sw_layout_made(layout, suggest->chain.items[i], 0) == made;
    }
    return is;
}

/* The candidates of one decision after the other that would have fitted. */
enum sw_step sw_suggest_next_choice(struct sw_suggest *suggest, struct sw_suggestion *of, struct sw_error *error) {
    if (!suggest->opened && !sw_suggest_find_chain(suggest, error)) {
        return SW_STEP_FAILED;
    }
    if (!suggest->opened) {
        sw_explanation_clear(&suggest->explained);
        suggest->opened = true;
    }
    for (;;) {
        while (suggest->of < suggest->explained.candidates.count) {
            const struct sw_candidate *candidate = &suggest->explained.candidates.items[suggest->of++];
            if (candidate->verdict == SW_VERDICT_FITS && !candidate->runs && !candidate->changes) {
                of->kind = SW_SUGGEST_CHOOSE;
                of->count = 1;
                of->before = suggest->explained.decision.step;
                of->overrides[0] =
                    (struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .buffer = SW_NONE, .choice = suggest->of - 1};
                return SW_STEP_MORE;
            }
        }
        uint64_t made;
        if (next_decided(suggest, &made) == SW_NONE) {
            return SW_STEP_DONE;
        }
        sw_explanation_clear(&suggest->explained);
        suggest->of = 0;
        if (is_looked_at(suggest, made)) {
            continue;
        }
        if (!sw_search_explain(suggest->base, made, &suggest->explained, error)) {
            return SW_STEP_FAILED;
        }
        suggest->work += 64 + suggest->explained.candidates.count;
    }
}
