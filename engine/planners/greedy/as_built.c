/* as-built: not a planner but the plan a file brought along.
 *
 * The idea. Another tool has planned this memory already and wrote the offsets into the file. This
 * planner replays them as decisions, so that a user can step through the plan, ask what lies where,
 * and compare it with the results of other planners.
 *
 * The rule, from the specification: its decisions are the placements in order of birth.
 *
 * - Order of birth is program order: by first step, ties in listed order.
 * - Each block goes to the offset the file gives, in the tier it is fixed to, or else the highest
 *   tier it may live in.
 * - Nothing is repaired. A block that overlaps one it conflicts with, is misaligned, or ends above
 *   the capacity, is placed there all the same; the decision and its candidate say so, and the
 *   checker reports the fault.
 *
 * A user may pin a block elsewhere, to see how the plan could be better. A forbidden range is
 * refused, because this planner has no other place to offer. A chosen candidate can only be the single
 * one that there is.
 *
 * One decision places one buffer. The state is only how far the run has come. */
#include "planners/planner_internal.h"

/* Where the plan wants it: the user's pin, or the file's offset. */
static struct sw_pin wanted_place(const struct sw_run *run, uint32_t buffer, bool *by_user) {
    for (size_t i = run->rules.pins.count; i-- > 0;) {
        if (run->rules.pins.items[i].buffer == buffer) {
            *by_user = true;
            return run->rules.pins.items[i];
        }
    }
    const struct sw_buffer *b = sw_problem_buffer(run->problem, buffer);
    *by_user = false;
    return (struct sw_pin){
        .buffer = buffer, .tier = (uint32_t)__builtin_ctzll(sw_place_tiers(run->problem, buffer)), .offset = b->offset};
}

/* The reason of a decision with a place at fault, apart from a collision. */
static const char *const as_built_faults[SW_PLACE_FAULTS] = {
    [SW_PLACE_SOUND] = "as the plan says",
    [SW_PLACE_ABOVE_CAPACITY] = "as the plan says, which ends above the capacity",
    [SW_PLACE_UNALIGNED] = "as the plan says, which is not aligned",
    [SW_PLACE_WRONG_TIER] = "as the plan says, which is a tier where it may not live",
    [SW_PLACE_RESERVED] = "as the plan says, which is a reserved range",
};

static bool explain_as_built(struct sw_run *run, const struct sw_pin *at, const char *reason, uint32_t collision) {
    const struct sw_buffer *b = sw_problem_buffer(run->problem, at->buffer);
    char name[SW_SHORT_NAME];
    bool overlaps = collision != SW_NONE;
    return SW_EXPLAIN(run->explain, SW_VERDICT_CHOSEN, at->tier, at->offset, b->size, "%s%s%s", reason,
                      overlaps ? ": it overlaps " : "", overlaps ? sw_place_name(run->problem, collision, name) : "");
}

static enum sw_step as_built_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    struct sw_cursor *cursor = state;
    uint32_t buffer = sw_cursor_next(cursor, run->problem);
    if (buffer == SW_NONE) {
        return SW_STEP_DONE;
    }
    if (run->choice > 0) {
        return sw_place_no_candidate(run, 1);
    }
    sw_place_begin(run, buffer, decision);
    bool forced = decision->forced;
    struct sw_pin at = wanted_place(run, buffer, &forced);
    decision->forced = forced;
    const struct sw_buffer *b = sw_problem_buffer(run->problem, buffer);
    decision->live = sw_place_live_at(run, b->first) + sw_buffer_live_bytes(b, b->first);
    uint32_t under = sw_place_collision(run, buffer, at.tier, at.offset);
    decision->place.partner = under;
    decision->place.unpermitted = under != SW_NONE;
    decision->reason = decision->forced   ? "pinned here by the user"
                       : under != SW_NONE ? "as the plan says, where another block lies"
                                          : as_built_faults[sw_place_fault(run->problem, buffer, at.tier, at.offset)];
    decision->tier = at.tier;
    decision->offset = at.offset;
    decision->candidates = 1;
    if (!explain_as_built(run, &at, decision->reason, under) || !sw_place_at(run, buffer, at.tier, at.offset)) {
        return sw_step_memory(run);
    }
    cursor->at++;
    return SW_STEP_MORE;
}

static bool as_built_constrain(void *state, struct sw_run *run, const struct sw_override *override) {
    (void)state;
    if (override->kind == SW_OVERRIDE_FORBID) {
        return sw_fail(run->error, SW_ERROR_UNSUPPORTED,
                       "as-built keeps the offsets of the file and cannot obey a forbidden range; "
                       "pin a block elsewhere, or use another planner");
    }
    return true;
}

const struct sw_planner sw_as_built = {
    .name = "as-built",
    .summary = "The finished plan that the file brought along, block by block in order of birth",
    .needs = SW_NEEDS_PLAN,
    .turn = sw_turn_by_program,
    .step = as_built_step,
    .redo = sw_cursor_redo,
    .described = &sw_cursor_described,
    .constrain = as_built_constrain,
    .state = sw_cursor_state,
};
