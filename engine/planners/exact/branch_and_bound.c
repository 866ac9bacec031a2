/* branch-and-bound: finds the least memory, or a layout within a capacity, and proves it.
 *
 * The idea. Every greedy planner makes one choice after another and never looks back. This one
 * looks back: it tries the other choices, too, and is done when every one has been tried or is
 * known to be hopeless. No layout is better than its answer, and when it says that nothing fits,
 * nothing does. The price is time: the number of choices grows exponentially with the number of
 * buffers, and everything below is about not having to try them.
 *
 * Canonical layouts. Take any layout and let every block fall, the lowest first, until it rests on
 * the bottom or on a block it conflicts with. Nothing has risen. So it is enough to look at layouts
 * that arise when blocks are placed in non-decreasing order of offset, each at its lowest feasible
 * offset, on top of everything placed that it conflicts with. Blocks at the same offset do not
 * conflict, so among them a fixed order will do. Such a layout is a way from the root of a tree to
 * a leaf: a *node* is what is placed so far, its branches are the blocks that may come next. The
 * search is depth-first with an explicit stack: it keeps one way, not the tree.
 *
 * The incumbent is the best layout known. The first one comes from the greedy planners, which run
 * before the search, and each part of the problem takes its best. Only what is lower is looked for.
 *
 * The rules that cut, named as in the figures `pruned`:
 *
 * - floor: at some step, the highest end placed (or the last offset, since no later block goes below
 *   it) plus the sizes still to be placed there reaches the best.
 * - capacity: a block alone would end above the capacity, or not below the best.
 * - dominance: a candidate leaves a hole that a still unplaced buffer would fill: that buffer fits,
 *   where it could go now, wholly below the candidate. In every layout below such a node, the buffer
 *   could be moved down into the hole and nothing would be in its way, so another node is no worse.
 * - symmetry: buffers that can be exchanged for each other (same size, alignment and conflicts)
 *   come in one order only.
 * - order: a candidate lies below the last one placed; it had its turn there.
 * - decomposition: the problem is split where no buffer crosses a step, more exactly into sets of
 *   buffers that no chain of conflicts joins. The parts are solved one after another, the highest
 *   first, and a part that is already no higher than what is needed anyway is not searched.
 * - bound: a layout as low as the largest sum of live sizes ends the search of its part at once.
 *
 * Rounds. That first search stays deep in the subtree where it began, and on hard problems it does not
 * leave it in time. After some nodes (`branching` says whether) a part is searched in rounds instead, each of
 * which begins at the root in another order, most of them short, all of them by what is to lie
 * lowest at the most crowded step: branch_and_bound_pivot.c. Two more rules cut there:
 *
 * - order: also, a candidate had its turn above, and nothing it meets was placed since.
 * - nogood: the same blocks, as low as now, were still to come before, and led nowhere.
 *
 * Which problems these rules are exact for. Holes in lifetimes, several cores and buffers kept
 * separate only change which buffers conflict, and no rule above depends on why. An alignment only
 * rounds each block's fall. Pinned blocks, reserved and forbidden ranges close ranges of offsets to
 * single blocks; a block falls to the lowest offset open to it, still never rises, and in the
 * dominance rule still finds its hole open, so all rules stay on for them. They do not hold for
 * byte windows and permits, where blocks may interlock or must start together, and can only fall
 * together. Parts with such conflicts are searched in another way (branch_and_bound_order.c), with
 * canonical order, dominance and symmetry switched off: there a node is a set of decisions "this
 * one above that one" or "both from the same byte", all blocks lie as low as these allow, and a
 * branch settles two that collide. That is exact for every constraint, and slower. A pinned block
 * is never part of either: whatever its windows, it merely closes ranges.
 *
 * Several tiers. Every buffer must have one tier to live in; each tier is then a problem of its
 * own. Where buffers may choose, the planner says that it cannot.
 *
 * With a capacity, and `goal=auto`, the first layout within it is the answer; it is called optimal
 * only when it meets the bound or nothing lower exists. Without one, or with `goal=least`, the
 * least memory is the answer. A search that is stopped by a limit leaves the incumbent as its
 * layout (`settle`), whatever it was trying at that moment.
 *
 * After a demand of the user (a pin, a forbidden range) earlier proofs no longer hold: the search
 * begins again. A chosen candidate of a `branch` is tried first; the others still have their turn,
 * so proofs stay proofs.
 *
 * Decisions: `place` for blocks that are pinned or empty; `incumbent` or `evaluate` for each greedy
 * planner; then `branch` opens a node and lists its candidates with the rule that refused each,
 * `place` goes down, `prune` says why a node is cut off, `backtrack` goes up, `restart` begins a
 * round and says what it looks for, `incumbent` keeps a better layout, `proved` ends a part and the
 * whole. A group is a subtree below the root. Limits: `nodes` of the tree, or --work and
 * --time-limit as for every planner.
 *
 * Too many blocks. Where more than `largest` of them hang together in time, or millions of pairs
 * conflict, opening a single node takes too long for a search to find anything. Then the greedy
 * planners run and `improve` lowers the best of their layouts (fallback.c), and what is left above
 * the bound is not proved.
 *
 * The method follows M. Moffitt, "MiniMalloc: A Lightweight Memory Allocator for
 * Hardware-Accelerated Machine Learning", ASPLOS 2023. Cost of a node: the buffers and sections of
 * its part. */
#include "planners/exact/branch_and_bound.h"
#include "base/base.h"

#include "planners/nested.h"

const char *const bb_rule_names[BB_RULES] = {"floor", "dominance", "capacity", "symmetry", "decomposition",
                                             "bound", "order",     "cycle",    "nogood"};

static const struct sw_parameter bb_parameters[] = {
    {"goal", SW_PARAMETER_CHOICE, "auto", 0, 0, SW_WORDS("auto", "least"),
     "auto: with a capacity the first layout within it is enough; least: always the least memory"},
    {"nodes", SW_PARAMETER_INTEGER, "0", 0, 1e15, NULL,
     "End the search after this many nodes of its tree; 0: no limit"},
    {"largest", SW_PARAMETER_INTEGER, "3000", 0, 1e9, NULL,
     "Where more blocks than this hang together nothing is searched: a greedy layout is improved"},
    {"branching", SW_PARAMETER_CHOICE, "auto", 0, 0, SW_WORDS("auto", "canonical", "pivot"),
     "canonical: one search by offset; pivot: many short ones, each from where there is least "
     "choice; "
     "auto: first some nodes of the one, then the others"},
    {NULL, 0, NULL, 0, 0, NULL, NULL},
};

static const struct sw_planner *const baselines[] = {&sw_greedy_by_size, &sw_greedy_by_breadth, &sw_best_fit,
                                                     &sw_first_fit,      &sw_lifetime_best_fit, &sw_tflm_greedy};
enum { BASELINES = sizeof baselines / sizeof baselines[0] };
/* ---- what is known ---- */

static uint64_t tier_capacity(const struct sw_run *run, uint32_t tier) {
    return sw_problem_tier(run->problem, tier)->capacity;
}

static bool fits_is_enough(const struct bb *s, const struct sw_run *run, uint32_t tier) {
    return s->fit && tier_capacity(run, tier) != SW_UNBOUNDED;
}

bool bb_fit_is_enough(const struct bb *s, const struct sw_run *run) {
    return fits_is_enough(s, run, bb_part(s)->tier);
}

uint64_t bb_limit(const struct bb *s, const struct sw_run *run) {
    uint32_t tier = bb_part(s)->tier;
    if (fits_is_enough(s, run, tier)) {
        return tier_capacity(run, tier);
    }
    return s->height[s->part] == BB_NOWHERE ? BB_TOP : s->height[s->part] - 1;
}

/* Is the best layout of a part good enough to leave it? */
static bool part_is_enough(const struct bb *s, const struct sw_run *run, uint32_t part) {
    uint32_t tier = s->model->parts[part].tier;
    return s->height[part] <= (fits_is_enough(s, run, tier) ? tier_capacity(run, tier) : s->target[tier]);
}

/* Does every tier meet what is proved of it? */
static bool is_optimal(const struct bb *s) {
    for (uint32_t p = 0; p < s->model->part_count; p++) {
        if (s->height[p] > s->target[s->model->parts[p].tier]) {
            return false;
        }
    }
    return true;
}

/* Is it proved that some tier is too small? */
static bool is_infeasible(const struct bb *s, const struct sw_run *run) {
    for (uint32_t t = 0; s->model && t < sw_problem_tier_count(run->problem); t++) {
        if (s->target[t] > tier_capacity(run, t)) {
            return true;
        }
    }
    return s->contradiction;
}

/* The highest of what is known, over all parts; BB_NOWHERE when some part has no layout. */
static uint64_t highest_part(const struct bb *s) {
    uint64_t top = 0;
    for (uint32_t t = 0; t < SW_MAX_TIERS; t++) {
        top = SW_MAX(s->model->pinned_top[t], top);
    }
    for (uint32_t p = 0; p < s->model->part_count; p++) {
        top = SW_MAX(s->height[p], top);
    }
    return top;
}

/* ---- layouts ---- */

/* The decision that placed a buffer where it lies in a layout, if it lies there; else `now`. */
static uint64_t maker_above(uint64_t now, const struct sw_layout *layout, uint32_t buffer, uint64_t offset) {
    struct sw_placement at;
    bool there = sw_layout_placement(layout, buffer, 0, &at) && at.offset == offset;
    return there ? sw_layout_made(layout, buffer, 0) : now;
}

static bool place_settled(struct sw_run *run, uint32_t buffer) {
    struct sw_pin pin;
    if (sw_rules_pin(run->problem, &run->rules, buffer, &pin)) {
        return sw_place_at(run, buffer, pin.tier, pin.offset);
    }
    return sw_place_at(run, buffer, (uint32_t)__builtin_ctzll(sw_place_tiers(run->problem, buffer)), 0);
}

bool bb_show(const struct bb *s, struct sw_run *run, uint32_t part, const bool *shown, const uint64_t *offsets) {
    const struct bb_model *m = s->model;
    struct sw_layout *before = run->layout, *fresh = sw_run_layout(run);
    uint64_t now = sw_run_decision(run);
    if (!fresh) {
        return false;
    }
    run->layout = fresh;
    bool ok = true;
    for (uint32_t i = 0; ok && i < m->settled_count; i++) {
        ok = place_settled(run, m->settled[i]);
    }
    ok = ok && sw_layout_inherit(fresh, before);
    for (uint32_t i = 0; ok && i < m->item_count; i++) {
        const struct bb_item *item = &m->items[i];
        const struct bb_part *of = &m->parts[item->part];
        uint64_t offset = s->best[i], made = s->made[i];
        if (item->part == part && shown) {
            offset = shown[i - of->first] ? offsets[i - of->first] : BB_NOWHERE;
            made = maker_above(now, before, item->buffer, offset);
        }
        sw_layout_stamp(fresh, made);
        ok = offset == BB_NOWHERE || sw_place_at(run, item->buffer, of->tier, offset);
    }
    sw_layout_stamp(fresh, now);
    if (!ok) {
        run->layout = before;
        sw_layout_free(fresh);
        return sw_fail_memory(run->error);
    }
    sw_layout_free(before);
    run->work += m->item_count;
    return true;
}

static bool bb_settle(const void *state, struct sw_run *run) {
    const struct bb *s = state;
    if (s->instead) {
        return sw_fallback_settle(s->instead, run);
    }
    return s->phase <= BB_BASELINE || bb_show(s, run, SW_NONE, NULL, NULL);
}

/* ---- decisions ---- */

void bb_tell(const struct bb *s, struct sw_run *run, enum sw_decision_kind kind, uint32_t item, uint64_t offset,
             const char *reason, struct sw_decision *decision) {
    sw_decision_begin(decision, kind, s->group, reason);
    sw_decision_set(decision, SW_KEY_PART, s->part);
    if (item != SW_NONE) {
        const struct bb_item *it = &s->model->items[item];
        decision->buffer = it->buffer;
        decision->size = it->size;
        decision->tier = s->model->parts[it->part].tier;
        decision->offset = offset;
        decision->time = it->step;
        bool counted = s->phase == BB_SEARCH && it->part == s->part && bb_part(s)->plain && !bb_part(s)->pieces;
        decision->live = counted ? s->live[item - bb_part(s)->first] : sw_place_live_at(run, it->step);
    }
}

void bb_count_live(struct bb *s, uint32_t item, bool placed) {
    const struct bb_model *m = s->model;
    uint32_t id = bb_part(s)->first + item;
    uint64_t size = placed ? m->items[id].size : -m->items[id].size; /* wraps, and back */
    s->live[item] += size;
    for (uint32_t k = m->births_start[id]; k < m->births_start[id + 1]; k++) {
        s->live[m->births.items[k]] += size;
    }
}

void bb_begin_live(struct bb *s) {
    memcpy(s->live, s->live_outside, bb_part(s)->count * sizeof *s->live);
}

/* What is alive at births of the part's items, and at its sections, besides the part itself. The
 * part's items are not placed. */
static void find_live_outside(struct bb *s, struct sw_run *run) {
    const struct bb_part *part = bb_part(s);
    bool counted = part->plain && !part->pieces;
    for (uint32_t i = 0; counted && i < part->count; i++) {
        s->live_outside[i] = sw_place_live_at(run, s->model->items[part->first + i].step);
    }
    for (uint32_t k = 0; counted && k < part->sections; k++) {
        s->live_all[k] = sw_place_live_at(run, s->model->steps.items[part->section + k]) + s->rest[k];
    }
    bb_begin_live(s);
}

uint64_t bb_live_at(const struct bb *s, struct sw_run *run, uint32_t section) {
    const struct bb_part *part = bb_part(s);
    return part->pieces ? sw_place_live_at(run, s->model->steps.items[part->section + section])
                        : s->live_all[section] - s->rest[section];
}

const char *bb_above(const struct bb *s, const struct sw_run *run, uint64_t end, char text[96]) {
    uint64_t limit = bb_limit(s, run);
    if (fits_is_enough(s, run, bb_part(s)->tier)) {
        snprintf(text, 96, "%s above the capacity %" PRIu64, SW_BYTES(end - limit), limit);
    } else if (s->pivot.round > 0) {
        snprintf(text, 96, "above %" PRIu64 ", within which this round looks", s->pivot.limit);
    } else {
        snprintf(text, 96, "not below the best so far, %" PRIu64, limit + 1);
    }
    return text;
}

/* Why a node is cut off; NULL: no candidate is left. */
static const char *const cut_reasons[BB_RULES + 1] = {
    [BB_FLOOR] = "floor: above what lies there, the blocks still to be placed at one time reach the best so far",
    [BB_CAPACITY] = "capacity: it would end above the capacity, or not below the best so far",
    [BB_NOGOOD] = "nogood: the same blocks with the same floors below them led nowhere before",
    [BB_CYCLE] = "cycle: blocks would have to lie above each other",
};

enum sw_step bb_prune(struct bb *s, struct sw_run *run, enum bb_rule rule, uint32_t item, uint64_t offset,
                      uint32_t candidates, struct sw_decision *decision) {
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, candidates);
    }
    s->pruned[rule]++;
    s->mode = BB_BACK;
    const char *reason = cut_reasons[rule] ? cut_reasons[rule] : "no candidate is left at this node";
    bb_tell(s, run, SW_DECISION_PRUNE, item, offset, reason, decision);
    decision->candidates = candidates;
    return SW_STEP_MORE;
}

bool bb_explain_too_high(const struct bb *s, struct sw_run *run, uint32_t i, uint64_t low) {
    const struct bb_item *item = bb_item_at(s, i);
    char name[SW_SHORT_NAME], above[96];
    sw_place_name(run->problem, item->buffer, name);
    if (low == BB_NOWHERE) {
        return SW_EXPLAIN(run->explain, SW_VERDICT_REFUSED, bb_part(s)->tier, 0, item->size,
                          "capacity: no offset is open to %s", name);
    }
    return SW_EXPLAIN(run->explain, SW_VERDICT_REFUSED, bb_part(s)->tier, low, item->size,
                      "capacity: %s (%s) can lie no lower than %" PRIu64 " and would end at %" PRIu64 ", %s", name,
                      SW_BYTES(item->size), low, low + item->size, bb_above(s, run, low + item->size, above));
}

bool bb_explain_refused(const struct bb *s, struct sw_run *run, uint32_t i, const char *why) {
    const struct bb_item *item = bb_item_at(s, i);
    char name[SW_SHORT_NAME];
    return SW_EXPLAIN(run->explain, SW_VERDICT_REFUSED, bb_part(s)->tier, s->low[i], item->size,
                      "%s (%s) refused at %.16s+%" PRIu64 ": %s", sw_place_name(run->problem, item->buffer, name),
                      SW_BYTES(item->size), sw_problem_tier(run->problem, bb_part(s)->tier)->name, s->low[i], why);
}

bool bb_explain_option(const struct bb *s, struct sw_run *run, uint32_t i, bool chosen) {
    const struct bb_item *item = bb_item_at(s, i);
    char name[SW_SHORT_NAME];
    return SW_EXPLAIN(run->explain, chosen ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS, bb_part(s)->tier, s->low[i],
                      item->size, chosen ? "chosen: %s goes first%s" : "%s has its turn later%s",
                      sw_place_name(run->problem, item->buffer, name),
                      chosen && run->choice >= 0 ? " by the user's wish" : "");
}

void bb_add_rest(struct bb *s, uint32_t item, uint64_t size) {
    const struct bb_model *m = s->model;
    for (uint32_t r = m->ranges_start[item]; r < m->ranges_start[item + 1]; r++) {
        for (uint32_t k = m->ranges.items[r].from; k < m->ranges.items[r].to; k++) {
            s->rest[k] += size;
        }
    }
}

static bool explain_put(const struct bb *s, struct sw_run *run, const struct bb_frame *frame) {
    const struct bb_item *item = bb_item_at(s, frame->item);
    char name[SW_SHORT_NAME];
    return !run->explain || SW_EXPLAIN(run->explain, SW_VERDICT_CHOSEN, bb_part(s)->tier, frame->offset, item->size,
                                       "chosen: the lowest offset of %s on top of what is placed",
                                       sw_place_name(run->problem, item->buffer, name));
}

enum sw_step bb_put(struct bb *s, struct sw_run *run, uint32_t i,
                    bool (*stack_on)(struct bb *, struct sw_run *, uint32_t), struct sw_decision *decision) {
    struct bb_frame *frame = &s->frames.items[s->depth];
    const struct bb_part *part = bb_part(s);
    if (run->choice > 0) {
        return sw_place_no_candidate(run, 1);
    }
    if (s->depth == 0) {
        s->group = s->groups++;
    }
    frame->item = i;
    frame->offset = s->low[i];
    frame->trail = s->trail.count;
    frame->hash = s->pivot.hash;
    frame->arena = sw_layout_arena(run->layout, part->tier);
    if (!explain_put(s, run, frame) || !stack_on(s, run, i) ||
        !sw_place_at(run, bb_item_at(s, i)->buffer, part->tier, frame->offset)) {
        return sw_step_memory(run);
    }
    bb_count_live(s, i, true);
    bb_tell(s, run, SW_DECISION_PLACE, part->first + i, frame->offset, "its lowest offset on top of what is placed",
            decision);
    decision->candidates = 1;
    s->depth++;
    s->mode = BB_ENTER;
    return SW_STEP_MORE;
}

/* A layout was found: how high it is, beside the best one before it. */
static struct sw_before_after compare_heights(uint64_t before, uint64_t now) {
    return before == BB_NOWHERE ? (struct sw_before_after){(double)NAN, (double)NAN}
                                : (struct sw_before_after){(double)before, (double)(SW_MIN(now, before))};
}

enum sw_step bb_incumbent(struct bb *s, struct sw_run *run, const uint64_t *offsets, struct sw_decision *decision) {
    const struct bb_part *part = bb_part(s);
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    uint64_t height = 0, before = s->height[s->part];
    for (uint32_t i = 0; i < part->count; i++) {
        uint64_t end = offsets[i] + s->model->items[part->first + i].size;
        s->best[part->first + i] = offsets[i];
        s->made[part->first + i] =
            maker_above(sw_run_decision(run), run->layout, s->model->items[part->first + i].buffer, offsets[i]);
        height = SW_MAX(end, height);
    }
    s->height[s->part] = height;
    bool fit = fits_is_enough(s, run, part->tier);
    bb_tell(s, run, SW_DECISION_INCUMBENT, SW_NONE, 0,
            fit ? "a layout within the capacity" : "lower than every layout before", decision);
    decision->incumbent.needed = height;
    decision->incumbent.best = compare_heights(before, height);
    s->mode = BB_BACK;
    if (part_is_enough(s, run, s->part)) {
        s->pruned[BB_BOUND] += height <= s->target[part->tier];
        s->done[s->part] = true;
        s->phase = BB_CHOOSE;
    }
    return SW_STEP_MORE;
}

/* ---- before the search ---- */

/* Leave it to the greedy planners and to `improve`. */
static bool defer_search(struct bb *s, struct sw_run *run) {
    if (run->choice >= 0) {
        sw_place_no_candidate(run, 0);
        return false;
    }
    s->instead = sw_fallback_new(run, s->fit, "too many blocks to search; the best greedy layout is improved",
                                 "too many blocks to search; the best greedy layout was improved");
    run->work += sw_problem_planned_count(run->problem);
    return s->instead != NULL;
}

static bool build_model(struct bb *s, struct sw_run *run) {
    uint32_t together;
    if (!sw_fallback_together(run->problem, &together)) {
        return sw_fail_memory(run->error);
    }
    if (together > s->largest) {
        return defer_search(s, run);
    }
    s->model = bb_model_new(run);
    if (!s->model || !sw_described_make(&bb_described, s)) {
        bb_begin(s, run);
        return sw_fail_memory(run->error);
    }
    if (s->model->part_count > 0 && s->model->parts[0].large) {
        bb_begin(s, run);
        return defer_search(s, run);
    }
    for (uint32_t i = 0; i < s->model->item_count; i++) {
        s->best[i] = BB_NOWHERE;
    }
    for (uint32_t p = 0; p < s->model->part_count; p++) {
        s->height[p] = BB_NOWHERE;
    }
    memcpy(s->target, s->model->bound, sizeof s->target);
    run->work += s->model->adjacent_count + s->model->item_count;
    s->phase = BB_SETTLE;
    return true;
}

/* A pinned or empty block. */
static enum sw_step settle_one(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    struct sw_error local = {0}, *asked = run->error;
    bool done;
    uint32_t buffer = s->model->settled[s->at];
    sw_place_begin(run, buffer, decision);
    run->error = &local;
    enum sw_step result = sw_place_settled(run, buffer, &done, decision);
    run->error = asked;
    if (result == SW_STEP_MORE) {
        s->at++;
        return result;
    }
    s->contradiction = local.code == SW_ERROR_INFEASIBLE;
    if (run->error) {
        *run->error = local;
    }
    return result;
}

/* Each part takes the layout when it is lower there. */
static bool adopt_layout(struct bb *s, const struct sw_run *run, const struct sw_layout *layout) {
    const struct bb_model *m = s->model;
    bool better = false;
    for (uint32_t p = 0; p < m->part_count; p++) {
        const struct bb_part *part = &m->parts[p];
        struct sw_placement at;
        uint64_t height = 0;
        for (uint32_t i = part->first; i < part->first + part->count && height != BB_NOWHERE; i++) {
            bool there = sw_layout_placement(layout, m->items[i].buffer, 0, &at);
            uint64_t end = there ? at.offset + m->items[i].size : BB_NOWHERE;
            height = SW_MAX(end, height);
        }
        if (height >= s->height[p]) {
            continue;
        }
        better = true;
        s->height[p] = height;
        for (uint32_t i = part->first; i < part->first + part->count; i++) {
            sw_layout_placement(layout, m->items[i].buffer, 0, &at);
            s->best[i] = at.offset;
            s->made[i] = sw_run_decision(run);
        }
    }
    return better;
}

static enum sw_step try_baseline(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    struct sw_layout *layout = sw_run_layout(run);
    bool found = false, better = false;
    if (!layout || !sw_nested_run(run, baselines[s->at], layout, &found)) {
        sw_layout_free(layout);
        return SW_STEP_FAILED;
    }
    uint64_t peak = sw_layout_peak(layout), before = highest_part(s);
    better = found && adopt_layout(s, run, layout);
    sw_layout_free(layout);
    if (better && !bb_show(s, run, SW_NONE, NULL, NULL)) {
        return SW_STEP_FAILED;
    }
    bb_tell(s, run, better ? SW_DECISION_INCUMBENT : SW_DECISION_EVALUATE, SW_NONE, 0,
            better  ? "{} gives the best layout so far"
            : found ? "{} is no better than the best so far"
                    : "{} found no layout",
            decision);
    decision->subject = baselines[s->at]->name;
    if (better) {
        decision->incumbent.needed = peak;
        decision->incumbent.best = compare_heights(before, peak);
    } else if (found) {
        decision->evaluate.needed = peak;
        decision->evaluate.best = compare_heights(before, peak);
    }
    s->at++;
    return SW_STEP_MORE;
}

/* The next greedy planner that is worth running; BASELINES: none. */
static uint32_t next_baseline(const struct bb *s, const struct sw_run *run) {
    uint32_t at = s->at;
    while (at < BASELINES && !sw_planner_applies(baselines[at], run->problem, NULL)) {
        at++;
    }
    return is_optimal(s) ? BASELINES : at;
}

/* ---- parts ---- */

/* The highest part that needs a search; SW_NONE: none does. */
static uint32_t next_part(const struct bb *s, const struct sw_run *run) {
    uint32_t next = SW_NONE;
    if (s->stopped || (s->fit && is_infeasible(s, run))) {
        return SW_NONE;
    }
    for (uint32_t p = 0; p < s->model->part_count; p++) {
        bool open = !s->done[p] && !s->model->parts[p].large && !part_is_enough(s, run, p);
        if (open && (next == SW_NONE || s->height[p] > s->height[next])) {
            next = p;
        }
    }
    return next;
}

/* Count the parts that need no search: because of their own bound, or because another part is higher. */
static void count_unsearched(struct bb *s, const struct sw_run *run) {
    for (uint32_t p = 0; p < s->model->part_count; p++) {
        if (!s->done[p] && part_is_enough(s, run, p)) {
            bool own = s->height[p] <= s->model->parts[p].bound;
            s->pruned[own ? BB_BOUND : BB_DECOMPOSITION]++;
            s->done[p] = true;
        }
    }
}

static bool begin_search_part(struct bb *s, struct sw_run *run, uint32_t part) {
    s->part = part;
    s->depth = 0;
    s->trail.count = s->arcs.count = s->frames.count = 0;
    s->mode = BB_ENTER;
    s->group = s->groups++;
    s->part_nodes = s->nodes;
    s->pivot.round = 0;
    s->searched++;
    s->phase = BB_SEARCH;
    if (!bb_part(s)->plain) {
        return bb_order_begin(s, run);
    }
    if (!bb_stack_begin(s, run)) {
        return false;
    }
    find_live_outside(s, run);
    return true;
}

/* The part is exhausted: nothing lower than its best layout exists, or nothing within the capacity. */
static void end_search_part(struct bb *s, const struct sw_run *run) {
    uint32_t tier = bb_part(s)->tier;
    uint64_t least = s->height[s->part];
    if (fits_is_enough(s, run, tier)) {
        least = tier_capacity(run, tier) + 1;
    }
    s->target[tier] = SW_MAX(least, s->target[tier]);
    s->done[s->part] = true;
    s->depth = 0;
}

static enum sw_step prove_part(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    if (!sw_run_unchosen(run) || !bb_show(s, run, SW_NONE, NULL, NULL)) {
        return SW_STEP_FAILED;
    }
    end_search_part(s, run);
    bb_tell(s, run, SW_DECISION_PROVED, SW_NONE, 0, "no layout of this part is lower", decision);
    decision->proved.least = s->height[s->part];
    s->phase = BB_CHOOSE;
    return SW_STEP_MORE;
}

/* ---- the end ---- */

static const char *final_verdict(const struct bb *s, const struct sw_run *run, bool *proved) {
    *proved = true;
    if (is_infeasible(s, run)) {
        return "every layout needs more than the capacity";
    }
    if (is_optimal(s)) {
        return s->searched ? "every other layout was tried or cannot be lower"
                           : "the best layout meets the bound, so nothing is lower";
    }
    *proved = false;
    if (s->stopped) {
        return "the best layout when the limit of nodes was reached";
    }
    return s->fit ? "a layout within the capacity; lower ones were not looked for" : "the best layout known";
}

static enum sw_step finish_bb(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    bool proved;
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    uint64_t top = highest_part(s);
    if (top == BB_NOWHERE && !s->stopped) {
        return SW_STEP_FAIL(run, SW_ERROR_INFEASIBLE, "no layout keeps all pins and forbidden ranges");
    }
    if (!bb_show(s, run, SW_NONE, NULL, NULL)) {
        return SW_STEP_FAILED;
    }
    s->part = SW_NONE;
    count_unsearched(s, run);
    const char *reason = final_verdict(s, run, &proved);
    bb_tell(s, run, proved ? SW_DECISION_PROVED : SW_DECISION_FINISH, SW_NONE, 0, reason, decision);
    sw_decision_set(decision, SW_KEY_AMOUNT, top == BB_NOWHERE ? 0 : top);
    decision->measures = is_infeasible(s, run) ? SW_AMOUNT_NOTHING : SW_AMOUNT_MEMORY;
    s->phase = BB_OVER;
    return SW_STEP_MORE;
}

/* ---- one decision ---- */

/* The first round is canonical; what it cannot settle is left to rounds about a pivot. */
static enum sw_step search_plain(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    if (s->pivot.round > 0) {
        return bb_pivot_step(s, run, decision);
    }
    bool over = s->nodes - s->part_nodes >= s->first_round && bb_part(s)->sections > 0;
    if (!over || s->mode != BB_ENTER) {
        return bb_stack_step(s, run, decision);
    }
    if (!sw_run_unchosen(run) || !bb_pivot_begin(s, run)) {
        return SW_STEP_FAILED;
    }
    s->group = s->groups++;
    bb_tell(s, run, SW_DECISION_RESTART, SW_NONE, 0,
            s->first_round == 0 ? "every round asks at the most crowded step which block lies lowest there"
                                : "by offset alone it takes too long; the next rounds begin at the most crowded step",
            decision);
    decision->restart.limit = s->pivot.limit;
    return SW_STEP_MORE;
}

static enum sw_step search_part(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    if (s->node_limit > 0 && s->nodes >= s->node_limit && s->mode == BB_ENTER) {
        s->stopped = true;
        s->phase = BB_PROVE;
        return SW_STEP_DONE;
    }
    enum sw_step result = bb_part(s)->plain ? search_plain(s, run, decision) : bb_order_step(s, run, decision);
    if (result != SW_STEP_DONE) {
        return result;
    }
    /* The last part is proved together with the whole. */
    bool done = s->done[s->part];
    s->done[s->part] = true;
    bool more = next_part(s, run) != SW_NONE && !fits_is_enough(s, run, bb_part(s)->tier);
    s->done[s->part] = done;
    if (more) {
        return prove_part(s, run, decision);
    }
    end_search_part(s, run);
    s->phase = BB_PROVE;
    return SW_STEP_DONE;
}

static enum sw_step before_search(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    if (s->phase == BB_BUILD && !build_model(s, run)) {
        return SW_STEP_FAILED;
    }
    if (s->instead) {
        return sw_fallback_step(s->instead, run, decision);
    }
    if (s->phase == BB_SETTLE) {
        if (s->at < s->model->settled_count) {
            return settle_one(s, run, decision);
        }
        s->at = 0;
        s->phase = BB_BASELINE;
    }
    s->at = next_baseline(s, run);
    if (s->at < BASELINES) {
        return try_baseline(s, run, decision);
    }
    s->phase = BB_CHOOSE;
    return SW_STEP_DONE;
}

static enum sw_step bb_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    struct bb *s = state;
    if (sw_problem_planned_count(run->problem) == 0) {
        return SW_STEP_DONE;
    }
    if (s->instead) {
        return sw_fallback_step(s->instead, run, decision);
    }
    for (;;) {
        enum sw_step result = SW_STEP_DONE;
        uint32_t next;
        switch (s->phase) {
        case BB_BUILD:
        case BB_SETTLE:
        case BB_BASELINE:
            result = before_search(s, run, decision);
            break;
        case BB_CHOOSE:
            next = next_part(s, run);
            if (next != SW_NONE && !begin_search_part(s, run, next)) {
                return SW_STEP_FAILED;
            }
            s->phase = next == SW_NONE ? BB_PROVE : s->phase;
            break;
        case BB_SEARCH:
            result = search_part(s, run, decision);
            break;
        case BB_PROVE:
            return finish_bb(s, run, decision);
        case BB_OVER:
            return SW_STEP_DONE;
        }
        if (result != SW_STEP_DONE) {
            return result;
        }
    }
}

/* ---- demands, and what it says of itself ---- */

static bool bb_constrain(void *state, struct sw_run *run, const struct sw_override *override) {
    struct bb *s = state;
    if (override->kind == SW_OVERRIDE_CHOOSE) {
        return true; /* it is in run->choice */
    }
    if (s->instead) {
        return sw_fallback_constrain(s->instead, run, override);
    }
    struct sw_layout *empty = sw_run_layout(run);
    if (!empty) {
        return false;
    }
    sw_layout_free(run->layout);
    run->layout = empty;
    bb_begin(s, run);
    return true;
}

static bool bb_details(const void *state, const struct sw_run *run, struct sw_details *to) {
    const struct bb *s = state;
    bool ok = sw_detail_integer(to, "nodes", (int64_t)s->nodes);
    for (uint32_t r = 0; ok && r < BB_RULES; r++) {
        ok = sw_detail_named(to, "pruned", bb_rule_names[r], (int64_t)s->pruned[r]);
    }
    ok = ok && sw_detail_integer(to, "parts", s->model ? s->model->part_count : 0);
    ok = ok && (!s->instead || sw_detail_truth(to, "deferred", true));
    return ok && sw_detail_truth(to, "optimal", s->phase > BB_BASELINE && is_optimal(s) && !is_infeasible(s, run));
}

static void bb_claims(const void *state, const struct sw_run *run, struct sw_claims *to) {
    const struct bb *s = state;
    if (s->instead) {
        sw_fallback_claims(s->instead, run, to);
        return;
    }
    to->infeasible = is_infeasible(s, run);
    to->optimal = s->phase > BB_BASELINE && is_optimal(s) && !to->infeasible;
}

static const struct sw_planner *bb_acting(const void *state) {
    const struct bb *s = state;
    return s->instead ? sw_fallback_acting(s->instead) : NULL;
}

const struct sw_planner sw_branch_and_bound = {
    .name = "branch-and-bound",
    .summary = "Tries every canonical layout that could be lower, and so proves the least memory",
    .needs = SW_NEEDS_FIXED_TIERS,
    .seeded = true,
    .goes_on = true,
    .decides = true,
    .group_noun = "subtree",
    .parameters = bb_parameters,
    .open = bb_open,
    .step = bb_step,
    .described = &bb_described,
    .constrain = bb_constrain,
    .details = bb_details,
    .claims = bb_claims,
    .settle = bb_settle,
    .state = bb_state,
    .because = bb_because,
    .acting = bb_acting,
};
