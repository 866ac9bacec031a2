/* tier-search: which states of a segment are looked at, beyond the one way of `inside`=greedy. See
 * tier_search.c for the method.
 *
 * Inside a segment the walk comes to one action on one block after the other. Where the action
 * fails there is one way on. Where it succeeds there are two: with it, and without it. Greedy always
 * takes the first.
 *
 * `inside`=exhaustive walks a tree. A successful action opens a node, and the way with it is walked
 * first. At the end of the segment the state is recorded (a leaf), and the walk goes back to the last
 * node with a second way that is not walked yet. So every combination of successful actions is met once;
 * whether an action succeeds may depend on those before it. One more action that succeeds doubles the leaves.
 *
 * `inside`=beam:N goes all ways at once, one action on one block after the other. Each is tried on
 * every state of the beam; what it makes joins them, unless it is there already, and the N of least E stay.
 *
 * Both end a segment as greedy does: the cheapest recorded state is taken when it is cheaper than
 * the one the segment began with. The states kept aside share what never changes; a node costs one
 * state, a beam N. */
#include "planners/tiers/tier_search.h"
#include "base/base.h"

/* ---- owning ---- */

static void states_clear(struct sw_tier_states *states) {
    while (states->items.count > 0) {
        sw_tier_state_unref(states->items.items[--states->items.count]);
    }
}

bool sw_tier_inside_open(struct sw_tier_search *search, const struct sw_run *run, const char *text) {
    bool beam = strncmp(text, "beam:", 5) == 0;
    search->inside = beam ? SW_TIER_BEAM : strcmp(text, "exhaustive") == 0 ? SW_TIER_EXHAUSTIVE : SW_TIER_GREEDY;
    search->width = beam ? (uint32_t)strtoul(text + 5, NULL, 10) : 0;
    return search->carry || search->inside == SW_TIER_GREEDY ||
           sw_fail(run->error, SW_ERROR_USAGE,
                   "parameter carry of tier-search is for inside=greedy: with inside=%s actions are "
                   "tried with and without those before them",
                   text);
}

/* ---- what both have in common ---- */

enum sw_tier_phase sw_tier_inside_end(const struct sw_tier_search *search) {
    return search->inside == SW_TIER_EXHAUSTIVE && search->nodes.count > 0 ? SW_TIER_LEAF : SW_TIER_TAKE;
}

static const char *action_name(const struct sw_tier_search *search, const struct sw_run *run) {
    return sw_tier_action_name(search, run, search->action);
}

/* ---- exhaustive: a tree of ways ---- */

static enum sw_step try_in_tree(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    struct sw_tier_state *without = NULL;
    bool worked;
    if (!sw_tier_keep(search, &without) || !SW_RESERVE(&search->nodes, search->nodes.count + 1)) {
        sw_tier_state_unref(without);
        return sw_step_memory(run);
    }
    if (sw_tier_try(search, run, &worked, decision) != SW_STEP_MORE) {
        sw_tier_state_unref(without);
        return SW_STEP_FAILED;
    }
    if (worked) {
        search->nodes.items[search->nodes.count++] =
            (struct sw_tier_node){without, search->time, search->visit, search->action, false};
        search->phase = SW_TIER_BRANCH;
    } else {
        sw_tier_state_unref(without);
        sw_tier_next_action(search, run);
    }
    return SW_STEP_MORE;
}

static enum sw_step part_search_ways(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    sw_decision_become(decision, SW_DECISION_BRANCH_ACTION);
    decision->branch_action.action = action_name(search, run);
    decision->reason = "the ways part where an action succeeds";
    sw_tier_describe_action(search, run, decision);
    search->phase = SW_TIER_WITH;
    return SW_STEP_MORE;
}

static enum sw_step walk_with(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    sw_decision_become(decision, SW_DECISION_ACCEPT);
    decision->accept.action = action_name(search, run);
    decision->accept.costs = (struct sw_before_after){search->before, search->current};
    decision->reason = "the way with it comes first";
    sw_tier_describe_action(search, run, decision);
    sw_tier_next_action(search, run);
    return SW_STEP_MORE;
}

/* Record the state: of equal ones the first. */
static enum sw_step record_leaf(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    bool better = !search->best || search->current < search->best->cost;
    double before = search->best ? search->best->cost : search->reference;
    if (better && !sw_tier_keep(search, &search->best)) {
        return sw_step_memory(run);
    }
    sw_decision_become(decision, SW_DECISION_EVALUATE_LEAF);
    decision->evaluate_leaf.costs = (struct sw_before_after){before, search->current};
    decision->evaluate_leaf.best = better && search->current < search->reference;
    decision->reason = search->current >= search->reference ? "not cheaper than the state of the last update"
                       : better                             ? "the cheapest of this segment so far"
                                : "cheaper than the state of the last update, but not the cheapest "
                                  "of this segment";
    sw_tier_finish_decision(search, run, decision);
    search->phase = SW_TIER_UP;
    return SW_STEP_MORE;
}

/* To the node of a way that has ended. Nodes of which both ways are walked have ended, too. */
static enum sw_step go_up_tree(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    const struct sw_tier_node *node = &search->nodes.items[search->nodes.count - 1];
    bool ends = node->second || !node->without;
    search->time = node->time;
    search->visit = node->visit;
    search->action = node->action;
    sw_decision_become(decision, SW_DECISION_LEAVE_NODE);
    decision->leave_node.action = action_name(search, run);
    decision->reason = ends ? "both ways from there are walked" : "the way without it is left";
    sw_tier_describe_action(search, run, decision);
    search->phase = ends ? SW_TIER_UP : SW_TIER_WITHOUT;
    if (ends) {
        sw_tier_state_unref(node->without);
        search->nodes.count--;
    }
    if (search->nodes.count == 0) { /* the whole tree is walked */
        search->time = sw_tier_segment_end(search, search->time);
        search->phase = SW_TIER_TAKE;
    }
    return SW_STEP_MORE;
}

static enum sw_step walk_without(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    struct sw_tier_node *node = &search->nodes.items[search->nodes.count - 1];
    double before = search->current;
    if (!sw_tier_restore(search, run, node->without)) {
        return sw_step_memory(run);
    }
    node->second = true;
    sw_decision_become(decision, SW_DECISION_REVERT);
    decision->revert.action = action_name(search, run);
    decision->revert.costs = (struct sw_before_after){before, search->current};
    decision->reason = "now the way without it";
    sw_tier_describe_action(search, run, decision);
    sw_tier_next_action(search, run);
    return SW_STEP_MORE;
}

/* ---- a beam of states ---- */

/* The beam begins a segment with the state of the last update. */
static bool begin_tier_beam(struct sw_tier_search *search) {
    struct sw_tier_state *state = NULL;
    if (search->beam.items.count > 0) {
        return true;
    }
    if (!sw_tier_keep(search, &state)) {
        return false;
    }
    search->member = 0;
    if (!SW_PUSH(&search->beam.items, state)) {
        sw_tier_state_unref(state);
        return false;
    }
    return true;
}

/* On to the next state of the beam; after the last one to the selection, if anything is new. */
static void next_of_beam(struct sw_tier_search *search, const struct sw_run *run) {
    if (++search->member < search->beam.items.count) {
        search->phase = SW_TIER_VISIT;
        return;
    }
    search->member = 0;
    search->phase = SW_TIER_SELECT;
    if (search->fresh.items.count == 0) {
        sw_tier_next_action(search, run);
    }
}

static enum sw_step try_in_beam(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    bool worked;
    if (!begin_tier_beam(search)) {
        return sw_step_memory(run);
    }
    search->member = SW_MIN(search->member, (uint32_t)search->beam.items.count - 1);
    const struct sw_tier_state *state = search->beam.items.items[search->member];
    if (!sw_tier_is_present(search, state) && !sw_tier_restore(search, run, state)) {
        return sw_step_memory(run);
    }
    search->current = state->cost;
    search->planned = state->planned;
    if (sw_tier_try(search, run, &worked, decision) != SW_STEP_MORE) {
        return SW_STEP_FAILED;
    }
    decision->tried.state = search->beam.items.count > 1 ? search->member : SW_NONE;
    if (worked) {
        search->phase = SW_TIER_RECORD;
    } else {
        next_of_beam(search, run);
    }
    return SW_STEP_MORE;
}

static bool state_is_known(const struct sw_tier_search *search) {
    const struct sw_tier_states *lists[] = {&search->beam, &search->fresh};
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < lists[k]->items.count; i++) {
            if (sw_tier_is_present(search, lists[k]->items.items[i])) {
                return true;
            }
        }
    }
    return false;
}

static enum sw_step record_member(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    struct sw_tier_state *state = NULL;
    bool known = state_is_known(search);
    if (!known && (!sw_tier_keep(search, &state) || !SW_PUSH(&search->fresh.items, state))) {
        sw_tier_state_unref(state);
        return sw_step_memory(run);
    }
    run->work += search->beam.items.count + search->fresh.items.count;
    sw_decision_become(decision, SW_DECISION_EVALUATE_COST);
    decision->evaluate_cost.action = action_name(search, run);
    decision->evaluate_cost.costs = (struct sw_before_after){search->before, search->current};
    decision->reason = known ? "the same state is there already" : "it joins the states to choose from";
    sw_tier_describe_action(search, run, decision);
    next_of_beam(search, run);
    return SW_STEP_MORE;
}

/* Sort by cost, the older first among equals, and keep `width`. */
static bool choose_states(struct sw_tier_search *search) {
    struct sw_tier_states *beam = &search->beam, *fresh = &search->fresh;
    size_t old = beam->items.count;
    if (!SW_RESERVE(&beam->items, old + fresh->items.count)) {
        return false;
    }
    for (size_t i = 0; i < fresh->items.count; i++) {
        beam->items.items[beam->items.count++] = fresh->items.items[i];
    }
    fresh->items.count = 0;
    for (size_t i = 1; i < beam->items.count; i++) {
        struct sw_tier_state *state = beam->items.items[i];
        size_t k = i;
        for (; k > 0 && state->cost < beam->items.items[k - 1]->cost; k--) {
            beam->items.items[k] = beam->items.items[k - 1];
        }
        beam->items.items[k] = state;
    }
    while (beam->items.count > search->width) {
        sw_tier_state_unref(beam->items.items[--beam->items.count]);
    }
    return true;
}

/* The beam at its end: the cheapest is recorded, when it is not the one it began with. */
static void record_best(struct sw_tier_search *search) {
    struct sw_tier_state *first = search->beam.items.items[0];
    if (!search->best || first->cost < search->best->cost) {
        sw_tier_state_unref(search->best);
        search->best = first;
        first->owners++;
    }
}

static bool explain_states(const struct sw_tier_search *search, struct sw_run *run) {
    bool ok = true;
    for (size_t k = 0; ok && run->explain && k < 2; k++) {
        const struct sw_tier_states *list = k ? &search->fresh : &search->beam;
        for (size_t i = 0; ok && i < list->items.count; i++) {
            ok = SW_EXPLAIN(run->explain, SW_VERDICT_FITS, SW_NONE, 0, 0, "%s state, cost %.6g",
                            k ? "a new" : "an older", list->items.items[i]->cost);
        }
    }
    return ok;
}

static enum sw_step select_states(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    if (search->fresh.items.count == 0 && !begin_tier_beam(search)) { /* demands can empty both */
        return sw_step_memory(run);
    }
    size_t all = search->beam.items.count + search->fresh.items.count;
    if (!explain_states(search, run) || !choose_states(search)) {
        return sw_step_memory(run);
    }
    const struct sw_tier_states *beam = &search->beam;
    size_t count = beam->items.count;
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += beam->items.items[i]->cost;
    }
    record_best(search);
    if (!sw_tier_restore(search, run, beam->items.items[0])) {
        return sw_step_memory(run);
    }
    sw_decision_become(decision, SW_DECISION_SELECT_STATES);
    decision->candidates = (uint32_t)all;
    decision->select_states.kept = (uint32_t)count;
    decision->select_states.best = beam->items.items[0]->cost;
    decision->select_states.mean = sum / (double)count;
    decision->select_states.worst = beam->items.items[count - 1]->cost;
    decision->reason = all > count ? "those of least cost" : "there is room for all";
    sw_tier_finish_decision(search, run, decision);
    sw_tier_next_action(search, run);
    return SW_STEP_MORE;
}

/* ---- together ---- */

enum sw_step sw_tier_inside_step(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    static enum sw_step (*const phases[])(struct sw_tier_search *, struct sw_run *, struct sw_decision *) = {
        [SW_TIER_BRANCH] = part_search_ways, [SW_TIER_WITH] = walk_with,       [SW_TIER_LEAF] = record_leaf,
        [SW_TIER_UP] = go_up_tree,           [SW_TIER_WITHOUT] = walk_without, [SW_TIER_RECORD] = record_member,
        [SW_TIER_SELECT] = select_states};
    if (search->phase == SW_TIER_VISIT) {
        return search->inside == SW_TIER_BEAM ? try_in_beam(search, run, decision) : try_in_tree(search, run, decision);
    }
    return phases[search->phase](search, run, decision);
}

void sw_tier_inside_update(struct sw_tier_search *search) {
    states_clear(&search->beam);
    states_clear(&search->fresh);
    search->member = 0;
}

/* ---- demands ---- */

static bool revise_states(struct sw_tier_search *search, struct sw_run *run, const struct sw_override *demand,
                          struct sw_tier_states *states, sw_tier_revise_fn *revise) {
    size_t kept = 0;
    for (size_t i = 0; i < states->items.count; i++) {
        struct sw_tier_state *state = states->items.items[i];
        states->items.items[i] = NULL;
        if (!revise(search, run, demand, &state)) {
            states->items.items[kept++] = state;
            states->items.count = kept;
            return false;
        }
        if (state) {
            states->items.items[kept++] = state;
        }
    }
    states->items.count = kept;
    return true;
}

bool sw_tier_inside_constrain(struct sw_tier_search *search, struct sw_run *run, const struct sw_override *demand,
                              sw_tier_revise_fn *revise) {
    for (size_t i = 0; i < search->nodes.count; i++) {
        if (search->nodes.items[i].without && !revise(search, run, demand, &search->nodes.items[i].without)) {
            return false;
        }
    }
    return revise_states(search, run, demand, &search->beam, revise) &&
           revise_states(search, run, demand, &search->fresh, revise);
}
