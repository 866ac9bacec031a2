/* tier-search: where should each block live, in the fast memory or in the slow one?
 *
 * The idea. Several memories, called tiers, form a hierarchy: the highest is small and fast, the lowest
 * large and slow. First all blocks are placed by simple rules. Then the planner walks through the
 * program step by step, and tries to put each block of the step elsewhere. For every such try all later
 * blocks are placed anew by the same simple rules. If all of them fit, the cost of the whole program is
 * known. At the end of a segment of steps the cheapest state met in it is kept, if it is cheaper than
 * the one kept before; else the walk goes on from the state kept before.
 *
 * What it costs, E: over all steps, over every read and write of a block at the step, latency of
 * its tier + size / bandwidth of its tier, times 1 + conflict factor of the tier (layout/cost.h). A
 * cost model given by a script replaces it.
 *
 * Pre-configuration, PRECONF(t .. n-1): for each step in order allocate its blocks, allow
 * overwriting, then release. A step's blocks are those born there: inputs (and constants), scratch,
 * outputs, which with `outputs=one-class` are one class, whether the network or an operator reads them; within a class
 * as listed.
 * - R1. No tier given for the block: try tiers from high (0) to low.
 * - R2. Within a tier: free spaces in ascending size; the first that fits.
 * - R3. Adjacent free spaces merge at once, always, also while actions are tried. (They are never
 *   kept as a list, but seen from what is placed.)
 * - R4. A block always touches one boundary of the free space it goes into.
 * - R5. Data at both ends: it touches the neighbor that is destroyed later; when both die at the
 *   same step, the side nearer to the boundary of the tier's region; at equal distance the low side.
 *   A boundary of the region (and a reserved or forbidden range) is a neighbor that never dies; an
 *   empty tier: low.
 * - R6. The reusable space of an operator's inputs may be overwritten by its scratch and outputs,
 *   that of its scratch by its outputs. Reusable: the block's last use is this step. That assumes that
 *   every kernel can write over what it reads, which few can: so it holds for `overwrite=any` alone. By
 *   default (`permitted`) only a pair counts that the graph marks `inplace`, from the same offset; with
 *   `off` none does. A target is the rest of one reusable block that is not overwritten yet; among
 *   targets the highest tier, then the smallest, then the lowest; the block goes to its low end. A
 *   target is taken when its tier is at least as high as that of plain allocation, or when plain
 *   allocation fits nowhere.
 * - R7. Reusable space that was not overwritten is free when the operator ends.
 *
 * Actions, tried on a block in this order (`actions` names those to try, in another one):
 * - A1, same-tier move: to another free position of its tier.
 * - A2, overwrite: into the smallest sufficient reusable space (R6), at its low end.
 * - A3, cross-tier move: to another tier, higher ones first. A block with a given tier is left
 *   alone.
 * - Actions of scripts. Each proposes one place, or several at once: for several blocks, or for
 *   the spans of a life that is split between tiers. Then the blocks are all lifted before they are
 *   put there.
 *
 * The block is lifted before it is tried. In A1 and A3 free spaces are taken in R2's order, in each
 * R5's side first and then the other, without the present place. An action succeeds at the first
 * place from which PRECONF of all later steps also succeeds, and then the later steps are as planned
 * there; else it fails.
 *
 * The walk. `state` is PRECONF(0 .. n-1) and `ref` its E. For each step t, each of its blocks, each
 * action: when the action succeeds and t is the last step of a segment (`segment` steps, default 1;
 * the last one may be shorter), the new state is recorded with its E. With `carry` (the default) it
 * also stays in force for the next action; with carry=false each action is tried from the state at
 * the start of the step. `segments`=at:3,9 cuts at these steps instead, and a script may say where (tier_rules.h). At
 * the end of a segment the cheapest recorded state, the first among equals, becomes the state when its E is smaller
 * than ref, and its E becomes ref; else the state is again what it was after the segment before. `visit` says which
 * blocks have a turn at a step: those born there (born), or all that it accesses (touched).
 *
 * That is `inside`=greedy, the plain choice: one way through a segment. `exhaustive` walks all: at every action that
 * succeeds the way parts, with it and without it, and the state at the end of each way is recorded.
 * beam:N goes all ways at once, and after each action keeps the N states of least E. Then the
 * cheapest of them is recorded. (chosen) `carry` is a word about the one way, so with these two
 * it has to be true; of equal E the first stays: with the action before without it, and in a beam the
 * older state. See tier_search_inside.c.
 *
 * `choices` are those that the publication leaves open, and each is a parameter. Good ones: `start`=worth gives each
 * block a tier before the first pre-configuration, by what it saves (tier_search_start.c); R1 begins there. `grow`
 * walks with segments of 1, 2, 4 ... steps first, each walk from the state that the one before led to, up to `segment`.
 * With a beam the first walk has `boundaries`=quiet: its segments end where few bytes are alive, as at the end of a
 * layer's branches, and the beam looks at all blocks between two such steps together.
 * `stop`=bound ends the walk when E is what every access costs in the cheapest tier that could hold its block.
 * And `inside` is beam:16 in small graphs.
 *
 * What to watch. The moves are small and E decides only at the end of a segment, so the result
 * depends on the order of steps; a longer segment looks farther before it judges. When a block fits
 * nowhere in PRECONF(0 .. n-1) the run ends there: the rules never go back.
 *
 * One decision places one block (`preconf`), tries one action on one block (`try`), measures E
 * (`evaluate`), keeps a state (`accept`), takes one back (`revert`) or ends a segment (`update`).
 * With events=true it also tells what becomes free and what that merges with (`release`, `coalesce`).
 * The figures of a decision are E before and after it. Group 0 is the pre-configuration, group k +
 * 1 is segment k, counted on from walk to walk.
 *
 * A state of the search is the layout in force, two more kept aside (after the last update, and the
 * best recorded since), and where in the walk it is. States share in chunks what they have in common. Planning later
 * steps anew stops early where it cannot differ from the present state any more: when every block that lies elsewhere
 * is dead. Permits, arenas and E follow from one state to the next (tier_search_figures.c). So an action costs what it
 * moves, and n / 64 for a state that is kept. */
#include "planners/tiers/tier_search.h"
#include "base/base.h"

static const struct sw_parameter tier_parameters[] = {
    {"choices", SW_PARAMETER_CHOICE, "good", 0, 0, SW_WORDS("good", "plain"),
     "Where the publication leaves a choice open: what does well, or the plain choice"},
    {"start", SW_PARAMETER_CHOICE, "worth", 0, 0, SW_WORDS("worth", "rules"),
     "The first pre-configuration: with tiers given by what they save, or by the rules alone"},
    {"largest", SW_PARAMETER_INTEGER, "2000", 0, 1e9, NULL, "With more blocks than this none is given a tier"},
    {"grow", SW_PARAMETER_BOOL, "true", 0, 0, NULL,
     "Walk with segments of 1, 2, 4 ... steps first, so that longer ones do not cost more"},
    {"boundaries", SW_PARAMETER_CHOICE, "quiet", 0, 0, SW_WORDS("quiet", "even"),
     "With a beam: walk first with segments that end where few bytes are alive, or with even ones alone"},
    {"stop", SW_PARAMETER_CHOICE, "bound", 0, 0, SW_WORDS("bound", "end"),
     "Where the walk ends: as soon as E is at its bound, since nothing is cheaper, or after the last step"},
    {"segment", SW_PARAMETER_INTEGER, "1", 1, 1e9, NULL, "Steps after which the cheapest state met is kept"},
    {"segments", SW_PARAMETER_TEXT, "equal", 0, 0, SW_WORDS("at:STEP,..."),
     "All of `segment` steps, or the steps at which they begin after the first one, ascending"},
    {"carry", SW_PARAMETER_BOOL, "true", 0, 0, NULL, "A successful action stays applied for the next one"},
    {"inside", SW_PARAMETER_CHOICE, "beam:16", 0, 1e6, SW_WORDS("greedy", "exhaustive", "beam:N"),
     "Inside a segment: one way, all combinations of successful actions, or the N cheapest states"},
    {"beam_largest", SW_PARAMETER_INTEGER, "100", 0, 1e9, NULL,
     "With more blocks than this, or with carry=false, inside is greedy unless it is set"},
    {"visit", SW_PARAMETER_CHOICE, "born", 0, 0, SW_WORDS("born", "touched"),
     "Try actions on the blocks born at a step, or on all it touches"},
    {"outputs", SW_PARAMETER_CHOICE, "one-class", 0, 0, SW_WORDS("one-class", "network-last"),
     "What an operator writes comes as listed, or what the network puts out comes last"},
    {"overwrite", SW_PARAMETER_CHOICE, "permitted", 0, 0, SW_WORDS("permitted", "any", "off"),
     "What may be written over what it is made from: what the graph marks inplace, any, or none"},
    {"actions", SW_PARAMETER_LIST, "same-tier,overwrite,cross-tier", 0, 0, sw_tier_action_words,
     "The built-in actions to try, in this order; those of scripts come after them"},
    {"events", SW_PARAMETER_BOOL, "false", 0, 0, NULL,
     "What becomes free and what it merges with is told, each a decision; trace --level event sets it"},
    {0}};

static const struct sw_plain_choice tier_plain[] = {
    {"start", "rules"},          {"grow", "false"}, {"boundaries", "even"}, {"stop", "end"}, {"inside", "greedy"},
    {"outputs", "network-last"}, {NULL, NULL}};

/* ---- life of a state ---- */

SW_OWNERS(plan, struct sw_tier_plan, sw_tier_plan_unref)
static void sweep_drop(void *of) {
    sw_tier_sweep_done(of);
    SW_FREE((struct sw_tier_sweep *)of, 1);
}
static const struct sw_pointed sweep_pointed = {.drop = sweep_drop};
static const struct sw_described states_described = {SW_POINTERS(&sw_tier_state_pointed)};
#define STATE struct sw_tier_node
static const struct sw_described node_described = {
    SW_STRUCT, .fields = SW_FIELDS(SW_POINTER(without, &sw_tier_state_pointed), SW_TOLD(time), SW_TOLD(visit),
                                   SW_TOLD(action), SW_TOLD(second))};
#undef STATE
#define STATE struct sw_tier_search
static const struct sw_described tier_search_described = {
    SW_STRUCT, .salt = 14,
    .fields = SW_FIELDS(
        SW_POINTER(plan, &plan_pointed), SW_KEPT(longest, events), SW_TOLD(told), SW_KEPT(carry, action_count),
        SW_TOLD(quiet), SW_TOLD(segment), SW_TOLD(passed), SW_TOLD(phase), SW_TOLD(turn), SW_TOLD(time), SW_TOLD(visit),
        SW_TOLD(action), SW_TOLD(initial), SW_TOLD(current), SW_TOLD(before), SW_TOLD(reference), SW_TOLD(planned),
        SW_TOLD(improved), SW_POINTER(previous, &sw_tier_state_pointed), SW_POINTER(best, &sw_tier_state_pointed),
        SW_KEPT(inside, width), SW_LIST(nodes, .of = &node_described), SW_LIST(beam.items, .of = &states_described),
        SW_LIST(fresh.items, .of = &states_described), SW_TOLD(member), SW_PART(spots, &sw_cow_described),
        SW_TOLD(places), SW_POINTER(trial, &sw_layout_pointed, .scratch = true),
        SW_POINTER(figures, &sw_tier_figures_pointed, .scratch = true),
        SW_POINTER(sweep, &sweep_pointed, .scratch = true), SW_SCRATCH(good, filled),
        SW_LIST(spaces.items, .scratch = true), SW_LIST(looks, .scratch = true))};
#undef STATE

static enum sw_tier_overwrite overwrite_of(const struct sw_params *params, const struct sw_planner *planner) {
    const char *text = sw_params_text(params, planner, "overwrite");
    return strcmp(text, "any") == 0   ? SW_TIER_OVERWRITE_ANY
           : strcmp(text, "off") == 0 ? SW_TIER_OVERWRITE_OFF
                                      : SW_TIER_OVERWRITE_PERMITTED;
}

static bool tier_assumes(const struct sw_params *params, const struct sw_planner *planner) {
    return overwrite_of(params, planner) == SW_TIER_OVERWRITE_ANY;
}

static bool search_open(void *state, struct sw_run *run) {
    struct sw_tier_search *search = state;
    const struct sw_params *params = run->params;
    const char *visit = sw_params_text(params, run->planner, "visit"),
               *outputs = sw_params_text(params, run->planner, "outputs");
    sw_cow_init(&search->spots, sizeof(struct sw_tier_spot));
    search->plan = sw_tier_plan_new(run->problem, strcmp(visit, "touched") == 0, strcmp(outputs, "network-last") == 0,
                                    overwrite_of(params, run->planner));
    if (!search->plan || !sw_cow_resize(&search->spots, search->plan->planned)) {
        return sw_fail_memory(run->error);
    }
    if (!sw_tier_cut_segments(search, run)) {
        return false;
    }
    search->events = sw_params_bool(run->params, run->planner, "events");
    search->carry = sw_params_bool(run->params, run->planner, "carry");
    sw_tier_read_actions(search, sw_params_text(run->params, run->planner, "actions"));
    search->least = -(double)INFINITY;
    if (strcmp(sw_params_text(run->params, run->planner, "stop"), "bound") == 0 &&
        !sw_cost_bound(run->problem, run->params->cost, &search->least, run->error)) {
        return false;
    }
    search->planned = true;
    search->initial = search->current = search->before = search->reference = (double)NAN;
    bool whole = run->params->cost && run->params->cost->whole;
    bool gives = strcmp(sw_params_text(run->params, run->planner, "start"), "worth") == 0 && !whole &&
                 sw_problem_tier_count(run->problem) > 1 &&
                 search->plan->planned <= sw_params_integer(run->params, run->planner, "largest");
    bool wide = search->carry && search->plan->planned <= sw_params_integer(run->params, run->planner, "beam_largest");
    const char *inside =
        wide || sw_params_given(run->params, "inside") ? sw_params_text(run->params, run->planner, "inside") : "greedy";
    search->quiet = strncmp(inside, "beam:", 5) == 0 && !search->plan->segments &&
                    strcmp(sw_params_text(run->params, run->planner, "boundaries"), "quiet") == 0;
    return sw_tier_inside_open(search, run, inside) && (!gives || sw_tier_give_tiers(search, run));
}

/* ---- states of the walk ---- */

bool sw_tier_keep(const struct sw_tier_search *search, struct sw_tier_state **slot) {
    struct sw_tier_state *state = sw_tier_state_new(&search->spots, search->places, search->current, search->planned);
    if (state) {
        sw_tier_state_unref(*slot);
        *slot = state;
    }
    return state != NULL;
}

bool sw_tier_is_present(const struct sw_tier_search *search, const struct sw_tier_state *state) {
    if (state->places != search->places) {
        return false;
    }
    for (uint32_t r = 0; r < state->count; r++) {
        if (r % SW_COW_CHUNK == 0 && sw_cow_shares(&state->spots, &search->spots, r)) {
            r += SW_COW_CHUNK - 1;
        } else if (!sw_tier_same_spot(sw_tier_spot_at(&state->spots, r), sw_tier_spot_at(&search->spots, r))) {
            return false;
        }
    }
    return true;
}

bool sw_tier_restore(struct sw_tier_search *search, struct sw_run *run, const struct sw_tier_state *state) {
    const uint32_t *order = sw_problem_order(run->problem);
    uint64_t now = sw_layout_stamped(run->layout);
    bool ok = true;
    for (uint32_t r = state->count; ok && r > 0;) {
        uint32_t end = r;
        r = (r - 1) / SW_COW_CHUNK * SW_COW_CHUNK;
        if (sw_cow_shares(&state->spots, &search->spots, r)) {
            continue;
        }
        for (uint32_t i = end; ok && i-- > r;) {
            const struct sw_tier_spot *spot = sw_tier_spot_at(&state->spots, i),
                                      *now_at = sw_tier_spot_at(&search->spots, i);
            if (sw_tier_same_spot(spot, now_at) && spot->made == now_at->made) {
                continue;
            }
            search->good = SW_MIN(search->good, i);
            sw_layout_stamp(run->layout, spot->made);
            ok = sw_tier_set_spot(search, i, spot) && sw_tier_put(run->layout, search->plan, order[i], spot);
            run->work += SW_TIER_SETTLE_WORK;
        }
        sw_cow_take(&search->spots, &state->spots, r); /* the same places */
    }
    sw_layout_stamp(run->layout, now);
    if (!ok) {
        return false;
    }
    search->current = state->cost;
    search->planned = state->planned;
    return sw_tier_settle_present(search, run->layout);
}

/* ---- where in the walk ---- */

static bool is_update_step(const struct sw_tier_search *search) {
    uint32_t time = search->time;
    return time + 1 == search->plan->steps || sw_tier_segment_at(search, time) != sw_tier_segment_at(search, time + 1);
}

/* With longer segments, from the state that the shorter ones led to; the first walk may have quiet ends. */
static bool walk_again(struct sw_tier_search *search) {
    uint32_t longest = SW_MIN(search->longest, search->plan->steps);
    if (!search->quiet && search->segment >= longest) {
        return false;
    }
    search->passed += sw_tier_segment_at(search, search->plan->steps - 1) + 1;
    search->segment = search->quiet ? search->segment : SW_MIN(2 * search->segment, longest);
    search->quiet = false;
    search->time = search->visit = search->action = 0;
    return true;
}

void sw_tier_advance(struct sw_tier_search *search, const struct sw_run *run) {
    const struct sw_tier_plan *plan = search->plan;
    search->phase = SW_TIER_VISIT;
    if (search->visit == 0 && search->action == 0 && search->reference <= search->least) {
        search->time = plan->steps;
        return;
    }
    while (search->time < plan->steps || walk_again(search)) {
        uint32_t count = plan->visit_at[search->time + 1] - plan->visit_at[search->time];
        if (search->visit < count && search->action < sw_tier_action_count(search, run)) {
            return;
        }
        if (search->visit < count) {
            search->visit++;
            search->action = 0;
        } else if (is_update_step(search)) {
            search->phase = sw_tier_inside_end(search);
            return;
        } else {
            search->time++;
            search->visit = search->action = 0;
        }
    }
}

void sw_tier_next_action(struct sw_tier_search *search, const struct sw_run *run) {
    search->action++;
    sw_tier_advance(search, run);
}

void sw_tier_finish_decision(const struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    decision->time = search->time;
    uint32_t segment = sw_tier_segment_at(search, search->time);
    sw_decision_set(decision, SW_KEY_PART, segment);
    decision->group = search->passed + segment + 1;
    decision->cost = search->current;
    decision->live = sw_place_live_at(run, search->time);
}

void sw_tier_describe_action(const struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    uint32_t id = sw_tier_subject(search);
    struct sw_tier_spot spot = *sw_tier_spot_at(&search->spots, sw_problem_rank(run->problem, id).at);
    decision->buffer = id;
    decision->size = sw_problem_buffer(run->problem, id)->size;
    decision->tier = spot.tier;
    decision->offset = spot.offset;
    sw_tier_finish_decision(search, run, decision);
}

/* A state is kept, or taken back. */
static void keep_decision(struct sw_decision *decision, bool keep, double before, double after, const char *action) {
    struct sw_before_after costs = {before, after};
    sw_decision_become(decision, keep ? SW_DECISION_ACCEPT : SW_DECISION_REVERT);
    *(keep ? &decision->accept.costs : &decision->revert.costs) = costs;
    *(keep ? &decision->accept.action : &decision->revert.action) = action;
}

/* ---- the decisions ---- */

/* The walk begins: remember where everything lies. */
static enum sw_step evaluate_preconf(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    const uint32_t *order = sw_problem_order(run->problem);
    for (uint32_t r = 0; r < search->plan->planned; r++) {
        struct sw_tier_spot spot = sw_tier_spot_of(run->layout, order[r]);
        if (!sw_tier_set_spot(search, r, &spot)) {
            return sw_step_memory(run);
        }
    }
    if (!sw_cost_of_layout(run->layout, run->params->cost, &search->current, run->error)) {
        return SW_STEP_FAILED;
    }
    search->initial = search->reference = search->current;
    if (!sw_tier_keep(search, &search->previous)) {
        return sw_step_memory(run);
    }
    sw_decision_become(decision, SW_DECISION_EVALUATE_COST);
    decision->cost = decision->evaluate_cost.costs.after = search->current;
    decision->reason = "all later figures are compared with it";
    sw_tier_advance(search, run);
    return SW_STEP_MORE;
}

static enum sw_step visit_action(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    bool worked;
    if (sw_tier_try(search, run, &worked, decision) != SW_STEP_MORE) {
        return SW_STEP_FAILED;
    }
    if (worked) {
        search->phase = is_update_step(search) ? SW_TIER_EVALUATE : SW_TIER_KEEP;
    } else {
        sw_tier_next_action(search, run);
    }
    return SW_STEP_MORE;
}

/* Record (state, E(state)); of equal ones the first. */
static enum sw_step record_state(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    bool better = !search->best || search->current < search->best->cost;
    if (better && !sw_tier_keep(search, &search->best)) {
        return sw_step_memory(run);
    }
    sw_decision_become(decision, SW_DECISION_EVALUATE_COST);
    decision->evaluate_cost.action = sw_tier_action_name(search, run, search->action);
    decision->evaluate_cost.costs = (struct sw_before_after){search->before, search->current};
    decision->reason = search->current < search->reference
                           ? better ? "recorded, as it is cheaper than the state of the last update and the "
                                      "cheapest of this segment so far"
                                    : "recorded, cheaper than the state of the last update, but "
                                      "not the cheapest of this segment"
                           : "recorded, but not cheaper than the state of the last update";
    sw_tier_describe_action(search, run, decision);
    search->phase = SW_TIER_KEEP;
    return SW_STEP_MORE;
}

static enum sw_step keep_or_not(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    const char *action = sw_tier_action_name(search, run, search->action);
    keep_decision(decision, search->carry, search->carry ? search->before : search->current,
                  search->carry ? search->current : search->before, action);
    decision->reason =
        search->carry ? "it stays applied for the next action" : "each action is tried from the start of the step";
    if (!search->carry && !sw_tier_restore(search, run, search->previous)) {
        return sw_step_memory(run);
    }
    sw_tier_describe_action(search, run, decision);
    sw_tier_next_action(search, run);
    return SW_STEP_MORE;
}

/* `before`: what the cost was before; NaN where nothing changed it. */
static enum sw_step end_segment(struct sw_tier_search *search, struct sw_run *run, double before,
                                struct sw_decision *decision) {
    if (search->improved && !sw_tier_keep(search, &search->previous)) {
        return sw_step_memory(run);
    }
    sw_tier_state_unref(search->best);
    search->best = NULL;
    sw_tier_inside_update(search);
    sw_decision_become(decision, SW_DECISION_UPDATE);
    decision->update.costs = (struct sw_before_after){before, search->current};
    decision->reason = search->improved ? "a cheaper state was found in this segment" : "no recorded state was cheaper";
    sw_tier_finish_decision(search, run, decision);
    search->improved = false;
    search->time++;
    search->visit = search->action = 0;
    sw_tier_advance(search, run);
    return SW_STEP_MORE;
}

/* End of a segment: take the cheapest recorded state when it is strictly cheaper, else go back. */
static enum sw_step take_recorded(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    bool better = search->best && search->best->cost < search->reference;
    const struct sw_tier_state *state = better ? search->best : search->previous;
    double before = better ? search->reference : search->current;
    if (!better && sw_tier_is_present(search, state)) {
        return end_segment(search, run, before, decision); /* nothing to take, nothing to take back */
    }
    if (!sw_tier_restore(search, run, state)) {
        return sw_step_memory(run);
    }
    search->reference = better ? state->cost : search->reference;
    search->improved = better;
    keep_decision(decision, better, before, search->current, NULL);
    decision->reason =
        better ? "it is strictly cheaper than the state of the last update" : "no recorded state was cheaper";
    sw_tier_finish_decision(search, run, decision);
    search->phase = SW_TIER_UPDATE;
    return SW_STEP_MORE;
}

static enum sw_step step_of_phase(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    static enum sw_step (*const phases[SW_TIER_PHASES])(struct sw_tier_search *, struct sw_run *,
                                                        struct sw_decision *) = {
        [SW_TIER_PRECONF] = evaluate_preconf,
        [SW_TIER_EVALUATE] = record_state,
        [SW_TIER_KEEP] = keep_or_not,
        [SW_TIER_TAKE] = take_recorded}; /* the others are those of `inside` */
    if (search->phase == SW_TIER_PRECONF && search->turn < search->plan->planned) {
        return sw_tier_preconf(search, run, decision);
    }
    if (search->phase == SW_TIER_VISIT && search->time >= search->plan->steps) {
        return SW_STEP_DONE;
    }
    sw_decision_clear(decision);
    if (search->inside != SW_TIER_GREEDY && search->phase == SW_TIER_VISIT) {
        return sw_tier_inside_step(search, run, decision);
    }
    if (search->phase == SW_TIER_VISIT) {
        return visit_action(search, run, decision);
    }
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    if (search->phase == SW_TIER_UPDATE) {
        return end_segment(search, run, (double)NAN, decision);
    }
    return (phases[search->phase] ? phases[search->phase] : sw_tier_inside_step)(search, run, decision);
}

static enum sw_step tier_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    struct sw_tier_search *search = state;
    enum sw_step step = search->events ? sw_tier_tell(search, run, decision) : SW_STEP_DONE;
    if (step == SW_STEP_DONE) {
        step = step_of_phase(search, run, decision);
        search->told = step == SW_STEP_MORE ? 0 : search->told;
    }
    return step;
}

/* ---- demands ---- */

/* Does the block, where the spot says, keep out of what is forbidden to it? */
static bool avoids(const struct sw_tier_search *search, const struct sw_run *run, const struct sw_override *demand,
                   uint32_t buffer, const struct sw_tier_spot *spot) {
    uint64_t size = sw_problem_buffer(run->problem, buffer)->size;
    struct sw_placement only = {buffer, spot->tier, spot->offset, SW_WHOLE_LIFE};
    const struct sw_placement *places = &only;
    uint32_t count = 1;
    if (demand->buffer != SW_NONE && demand->buffer != buffer) {
        return true;
    }
    if (spot->life) {
        places = sw_tier_life(&search->plan->lives, spot->life, &count);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (places[i].tier == demand->tier && places[i].offset < demand->hi && demand->lo < places[i].offset + size) {
            return false;
        }
    }
    return true;
}

/* A state kept aside, with the demand met: the pinned block at its place. `slot` becomes NULL when
 * the demand cannot be met in it. */
static bool revise_state(struct sw_tier_search *search, struct sw_run *run, const struct sw_override *demand,
                         struct sw_tier_state **slot) {
    const struct sw_tier_state *from = *slot;
    const uint32_t *order = sw_problem_order(run->problem);
    struct sw_layout *layout = sw_layout_new(run->problem, NULL);
    struct sw_tier_room room = {.run = run, .plan = search->plan, .layout = layout};
    struct sw_tier_spot pin = {demand->offset, demand->tier, 0, 0};
    struct sw_cow spots;
    struct sw_tier_state *fresh = NULL;
    uint64_t places = from->places;
    bool pins = demand->kind == SW_OVERRIDE_PIN, fits = true, ok = sw_cow_clone(&spots, &from->spots) && layout;
    uint32_t blocker;
    double cost;
    for (uint32_t r = 0; ok && r < from->count; r++) {
        struct sw_tier_spot spot = *sw_tier_spot_at(&spots, r);
        if (pins && order[r] == demand->buffer) {
            struct sw_tier_spot *own = sw_cow_edit(&spots, r);
            ok = own != NULL;
            places += sw_tier_spot_digest(search->plan, r, &pin) - sw_tier_spot_digest(search->plan, r, &spot);
            spot = pin;
            *(own ? own : &spot) = pin;
        }
        fits = fits && (pins || avoids(search, run, demand, order[r], &spot));
        ok = ok && sw_tier_put(layout, search->plan, order[r], &spot);
    }
    ok = ok && (!pins || sw_tier_is_free(&room, demand->buffer, &pin, &fits, &blocker)) &&
         sw_tier_settle(layout, search->plan);
    bool priced = ok && sw_cost_of_layout(layout, run->params->cost, &cost, run->error);
    if (priced && fits) {
        fresh = sw_tier_state_new(&spots, places, cost, false);
        ok = fresh != NULL;
    }
    sw_layout_free(layout);
    sw_cow_done(&spots);
    if (ok && priced) {
        sw_tier_state_unref(*slot);
        *slot = fresh;
    }
    return ok ? priced : sw_fail_memory(run->error);
}

/* A pin or a forbidden range holds for every state the search may come back to. One in which a pin
 * has no room is given up; when that is the state after the last update, the present one takes its
 * place. */
static bool tier_constrain(void *state, struct sw_run *run, const struct sw_override *demand) {
    struct sw_tier_search *search = state;
    if (demand->kind == SW_OVERRIDE_CHOOSE) {
        return true;
    }
    search->planned = false; /* the present state was not made under this demand */
    if (demand->kind == SW_OVERRIDE_PIN && !sw_tier_settle(run->layout, search->plan)) {
        return sw_fail_memory(run->error);
    }
    if (search->phase == SW_TIER_PRECONF) {
        return true;
    }
    if (demand->kind == SW_OVERRIDE_PIN) {
        struct sw_tier_spot spot = {demand->offset, demand->tier, 0, 0};
        if (!sw_tier_set_spot(search, sw_problem_rank(run->problem, demand->buffer).at, &spot)) {
            return sw_fail_memory(run->error);
        }
    }
    sw_tier_figures_forget(search);
    search->good = 0;
    if (!sw_cost_of_layout(run->layout, run->params->cost, &search->current, run->error) ||
        !revise_state(search, run, demand, &search->previous) ||
        (search->best && !revise_state(search, run, demand, &search->best)) ||
        !sw_tier_inside_constrain(search, run, demand, revise_state)) {
        return false;
    }
    if (!search->previous && !sw_tier_keep(search, &search->previous)) {
        return sw_fail_memory(run->error);
    }
    search->reference = search->improved ? search->current : search->previous->cost;
    return true;
}

/* ---- figures ---- */

static bool tier_details(const void *state, const struct sw_run *run, struct sw_details *out) {
    const struct sw_tier_search *search = state;
    const struct sw_tier_plan *plan = search->plan;
    bool ok = isnan(search->initial) || sw_detail_number(out, "initial_cost", search->initial);
    for (uint32_t t = 0; ok && plan->segments && t < plan->steps; t++) {
        bool begins = t == 0 || plan->segments[t] != plan->segments[t - 1];
        ok = !begins || sw_detail_element(out, "segments_at", sw_problem_time(run->problem, t));
    }
    return ok;
}

static void tier_claims(const void *state, const struct sw_run *run, struct sw_claims *out) {
    const struct sw_tier_search *search = state;
    (void)run;
    out->cost = search->current;
}

const struct sw_planner sw_tier_search = {
    .name = "tier-search",
    .summary = "Over several tiers: tries to move each block, plans what follows anew, keeps what "
               "costs less",
    .needs = SW_NEEDS_TIERS | SW_NEEDS_ACCESSES,
    .reads = SW_READS_COST | SW_READS_ACTIONS,
    .group_noun = "segment",
    .action_marks = sw_tier_action_marks,
    .parameters = tier_parameters,
    .plain = tier_plain,
    .legal = sw_tier_segments_legal,
    .tells = "events",
    .assumes = tier_assumes,
    .open = search_open,
    .step = tier_step,
    .described = &tier_search_described,
    .constrain = tier_constrain,
    .details = tier_details,
    .claims = tier_claims,
    .state = sw_tier_state_tables,
    .because = sw_tier_because,
};
