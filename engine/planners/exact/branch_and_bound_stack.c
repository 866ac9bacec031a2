/* branch-and-bound, parts with whole conflicts only: canonical layouts, block on block. See
 * branch_and_bound.c for the rules; here they are in the order of their names there.
 *
 * `low` of an item that is not placed is its lowest feasible offset on top of what is placed; of
 * one that is placed, its offset. Going down raises `low` of those it conflicts with, `floor` of
 * its sections, and takes its size from their `rest`; what was there before goes on the trail, and
 * going up takes it back from there. The candidates of a node are not stored: after going up, the
 * next one is the smallest, by offset and then by number, that follows the last. */
#include "planners/exact/branch_and_bound.h"
#include "base/base.h"

/* A node, as its candidates are judged. */
struct stack_node {
    uint64_t last;      /* offset of the last one placed */
    uint32_t last_item; /* SW_NONE: none is placed */
    uint64_t hole;      /* some item would end here: a candidate at or above it leaves a hole */
    uint32_t filler;    /* that item */
    uint64_t limit;
};

static struct stack_node node_above(const struct bb *s, const struct sw_run *run) {
    struct stack_node n = {.last_item = SW_NONE, .hole = BB_NOWHERE, .filler = SW_NONE, .limit = bb_limit(s, run)};
    if (s->depth > 0) {
        n.last_item = s->frames.items[s->depth - 1].item;
        n.last = s->frames.items[s->depth - 1].offset;
    }
    for (uint32_t i = 0; i < bb_part(s)->count; i++) {
        if (!s->placed[i] && s->low[i] != BB_NOWHERE && s->low[i] + bb_item_at(s, i)->size < n.hole) {
            n.hole = s->low[i] + bb_item_at(s, i)->size;
            n.filler = i;
        }
    }
    return n;
}

/* The rule that refuses a candidate; BB_RULES: none does. */
static enum bb_rule stack_refusal(const struct bb *s, const struct stack_node *n, uint32_t i) {
    const struct bb_item *item = bb_item_at(s, i);
    if (s->low[i] == BB_NOWHERE || s->low[i] + item->size > n->limit) {
        return BB_CAPACITY;
    }
    if (n->last_item != SW_NONE && (s->low[i] < n->last || (s->low[i] == n->last && i < n->last_item))) {
        return BB_ORDER;
    }
    if (item->twin != SW_NONE && !s->placed[item->twin - bb_part(s)->first]) {
        return BB_SYMMETRY;
    }
    return s->low[i] >= n->hole ? BB_DOMINANCE : BB_RULES;
}

/* ---- cutting a node off ---- */

static uint64_t last_offset(const struct bb *s) {
    return s->depth > 0 ? s->frames.items[s->depth - 1].offset : 0;
}

/* Does a section or an item stand in the way of anything better? `at` says which. */
static bool is_hopeless(const struct bb *s, const struct sw_run *run, enum bb_rule *rule, uint32_t *at) {
    const struct bb_part *part = bb_part(s);
    uint64_t limit = bb_limit(s, run), last = last_offset(s);
    for (uint32_t k = 0; k < part->sections; k++) {
        uint64_t base = SW_MAX(s->floor[k], last);
        if (s->rest[k] > 0 && base + s->rest[k] > limit) {
            *rule = BB_FLOOR;
            *at = k;
            return true;
        }
    }
    for (uint32_t i = 0; i < part->count; i++) {
        uint64_t low = SW_MAX(s->low[i], last);
        if (!s->placed[i] && (low == BB_NOWHERE || low + bb_item_at(s, i)->size > limit)) {
            *rule = BB_CAPACITY;
            *at = i;
            return true;
        }
    }
    return false;
}

static uint64_t floor_of(const struct bb *s, uint32_t section) {
    uint64_t last = last_offset(s);
    return SW_MAX(s->floor[section], last);
}

static bool explain_floor(const struct bb *s, struct sw_run *run, uint32_t section) {
    const struct bb_part *part = bb_part(s);
    uint64_t base = floor_of(s, section);
    char above[96];
    return SW_EXPLAIN(
        run->explain, SW_VERDICT_REFUSED, part->tier, base, s->rest[section],
        "floor: at time %" PRId64 " the floor at %" PRIu64 " and %s still to be placed make %" PRIu64 ", %s",
        sw_problem_time(run->problem, s->model->steps.items[part->section + section]), base, SW_BYTES(s->rest[section]),
        base + s->rest[section], bb_above(s, run, base + s->rest[section], above));
}

static enum sw_step stack_cut(struct bb *s, struct sw_run *run, enum bb_rule rule, uint32_t at,
                              struct sw_decision *decision) {
    bool floor = rule == BB_FLOOR;
    if (run->explain &&
        !(floor ? explain_floor(s, run, at) : bb_explain_too_high(s, run, at, SW_MAX(s->low[at], last_offset(s))))) {
        return sw_step_memory(run);
    }
    uint32_t item = floor ? SW_NONE : bb_part(s)->first + at;
    uint64_t offset = floor || s->low[at] == BB_NOWHERE ? 0 : s->low[at];
    enum sw_step result = bb_prune(s, run, rule, item, offset, 1, decision);
    if (floor && result == SW_STEP_MORE) {
        decision->time = s->model->steps.items[bb_part(s)->section + at];
        decision->live = bb_live_at(s, run, at);
        decision->offset = floor_of(s, at);
        decision->size = s->rest[at];
    }
    if (result == SW_STEP_MORE && (floor || s->low[at] != BB_NOWHERE)) {
        decision->prune.limit = bb_limit(s, run);
    }
    return result;
}

/* ---- opening a node ---- */

static bool stack_explain_refused(const struct bb *s, struct sw_run *run, const struct stack_node *n, uint32_t i,
                                  enum bb_rule rule) {
    const struct bb_item *item = bb_item_at(s, i);
    const struct sw_problem *problem = run->problem;
    char other[SW_SHORT_NAME], why[160], above[96];
    switch (rule) {
    case BB_ORDER:
        snprintf(why, sizeof why, "order: it lies below the last placed %s and had its turn there",
                 sw_place_name(problem, bb_item_at(s, n->last_item)->buffer, other));
        break;
    case BB_SYMMETRY:
        snprintf(why, sizeof why, "symmetry: %s is the same and goes first",
                 sw_place_name(problem, s->model->items[item->twin].buffer, other));
        break;
    case BB_DOMINANCE:
        snprintf(why, sizeof why, "dominance: it leaves a hole below, which %s at %" PRIu64 " would fill",
                 sw_place_name(problem, bb_item_at(s, n->filler)->buffer, other), s->low[n->filler]);
        break;
    default:
        snprintf(why, sizeof why, "capacity: it would end %s", bb_above(s, run, s->low[i] + item->size, above));
        break;
    }
    return bb_explain_refused(s, run, i, why);
}

static bool stack_explain_node(const struct bb *s, struct sw_run *run, const struct stack_node *n, uint32_t chosen) {
    bool ok = true;
    for (uint32_t i = 0; ok && run->explain && i < bb_part(s)->count; i++) {
        if (!s->placed[i]) {
            enum bb_rule rule = stack_refusal(s, n, i);
            ok = rule != BB_RULES ? stack_explain_refused(s, run, n, i, rule)
                                  : bb_explain_option(s, run, i, i == chosen);
        }
    }
    return ok;
}

/* The first candidate after (key, key_item), by offset and number; SW_NONE: no more. */
static uint32_t next_candidate(const struct bb *s, const struct stack_node *n, const struct bb_frame *frame) {
    uint32_t next = SW_NONE;
    for (uint32_t i = 0; i < bb_part(s)->count; i++) {
        bool past = !frame->begun || s->low[i] > frame->key || (s->low[i] == frame->key && i > frame->key_item);
        if (!s->placed[i] && past && i != frame->wanted && (next == SW_NONE || s->low[i] < s->low[next]) &&
            stack_refusal(s, n, i) == BB_RULES) {
            next = i;
        }
    }
    return next;
}

/* Candidate number k of the node: the k-th that is not placed. */
static uint32_t candidate_at(const struct bb *s, int64_t k) {
    for (uint32_t i = 0; i < bb_part(s)->count; i++) {
        if (!s->placed[i] && k-- == 0) {
            return i;
        }
    }
    return SW_NONE;
}

static void stack_follow(struct bb_frame *frame, const struct bb *s, uint32_t item) {
    frame->item = item;
    frame->key_item = item;
    frame->key = s->low[item];
    frame->begun = true;
}

static enum sw_step stack_branch(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    struct stack_node n = node_above(s, run);
    uint32_t open = bb_part(s)->count - s->depth;
    struct bb_frame frame = {.wanted = SW_NONE};
    uint32_t first = next_candidate(s, &n, &frame);
    if (run->choice >= 0 && first != SW_NONE) {
        uint32_t wanted = candidate_at(s, run->choice);
        if (wanted == SW_NONE || stack_refusal(s, &n, wanted) != BB_RULES) {
            return sw_place_no_candidate(run, open);
        }
        frame.wanted = frame.item = first = wanted;
    } else if (first != SW_NONE) {
        stack_follow(&frame, s, first);
    }
    s->frames.count = s->depth;
    if (!stack_explain_node(s, run, &n, first) || !SW_PUSH(&s->frames, frame)) {
        return sw_step_memory(run);
    }
    enum bb_rule last = BB_ORDER;
    for (uint32_t i = 0; i < bb_part(s)->count; i++) {
        enum bb_rule rule = s->placed[i] ? BB_RULES : stack_refusal(s, &n, i);
        if (rule != BB_RULES) {
            s->pruned[rule]++;
            last = rule == BB_DOMINANCE ? rule : last;
        }
    }
    if (first == SW_NONE) {
        s->pruned[last]--; /* the node itself is what this rule cuts off */
        return bb_prune(s, run, last, SW_NONE, 0, open, decision);
    }
    bb_tell(s, run, SW_DECISION_BRANCH, bb_part(s)->first + first, s->low[first],
            frame.wanted == SW_NONE ? "the lowest candidate goes first" : "chosen by the user", decision);
    decision->candidates = open;
    decision->forced = frame.wanted != SW_NONE;
    s->mode = BB_PUT;
    return SW_STEP_MORE;
}

static enum sw_step stack_enter(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    enum bb_rule rule;
    uint32_t at;
    run->work += (bb_part(s)->count + bb_part(s)->sections) / 4;
    s->nodes++;
    if (s->depth == bb_part(s)->count) {
        return bb_incumbent(s, run, s->low, decision);
    }
    if (is_hopeless(s, run, &rule, &at)) {
        return stack_cut(s, run, rule, at, decision);
    }
    return stack_branch(s, run, decision);
}

/* ---- down and up ---- */

/* Raise those it conflicts with, and the floors of its sections. */
static bool stack_put_on(struct bb *s, struct sw_run *run, uint32_t i) {
    const struct bb_model *m = s->model;
    const struct bb_part *part = bb_part(s);
    uint32_t id = part->first + i;
    uint64_t end = s->low[i] + m->items[id].size;
    s->placed[i] = true;
    for (uint32_t k = m->adjacent_start[id]; k < m->adjacent_start[id + 1]; k++) {
        uint32_t other = m->adjacent[k] - part->first;
        if (!s->placed[other] && s->low[other] < end) {
            if (!bb_push_undo(s, other, s->low[other])) {
                return false;
            }
            s->low[other] = bb_place_from(m, m->adjacent[k], end);
        }
    }
    for (uint32_t r = m->ranges_start[id]; r < m->ranges_start[id + 1]; r++) {
        for (uint32_t k = m->ranges.items[r].from; k < m->ranges.items[r].to; k++) {
            if (!bb_push_undo(s, part->count + k, s->floor[k])) {
                return false;
            }
            s->floor[k] = end;
            s->rest[k] -= m->items[id].size;
        }
    }
    run->work += (m->adjacent_start[id + 1] - m->adjacent_start[id]) / 2;
    return true;
}

static void stack_take_off(struct bb *s, const struct bb_frame *frame) {
    const struct bb_model *m = s->model;
    const struct bb_part *part = bb_part(s);
    while (s->trail.count > frame->trail) {
        struct bb_undo undo = s->trail.items[--s->trail.count];
        if (undo.index < part->count) {
            s->low[undo.index] = undo.old;
        } else {
            s->floor[undo.index - part->count] = undo.old;
            s->rest[undo.index - part->count] += m->items[part->first + frame->item].size;
        }
    }
    s->placed[frame->item] = false;
}

/* Out of the layout, too. A permit with a pinned block must go with it: then the layout is made
 * anew. */
bool bb_lift(struct bb *s, struct sw_run *run, const struct bb_frame *frame) {
    uint32_t buffer = bb_item_at(s, frame->item)->buffer;
    bb_count_live(s, frame->item, false);
    for (size_t i = 0; i < sw_layout_permit_count(run->layout); i++) {
        struct sw_permit p = sw_layout_permit_get(run->layout, i);
        if (p.fresh == buffer || p.old == buffer) {
            return bb_show(s, run, s->part, s->placed, s->low);
        }
    }
    if (!sw_layout_lift(run->layout, buffer)) {
        return sw_fail_memory(run->error);
    }
    sw_layout_set_arena(run->layout, bb_part(s)->tier, frame->arena);
    return true;
}

static enum sw_step stack_back(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    if (s->depth == 0) {
        return SW_STEP_DONE;
    }
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    s->depth--;
    struct bb_frame *frame = &s->frames.items[s->depth];
    uint32_t item = frame->item;
    stack_take_off(s, frame);
    if (!bb_lift(s, run, frame)) {
        return SW_STEP_FAILED;
    }
    struct stack_node n = node_above(s, run);
    uint32_t next = next_candidate(s, &n, frame);
    run->work += bb_part(s)->count / 4;
    bb_tell(s, run, SW_DECISION_BACKTRACK, bb_part(s)->first + item, frame->offset,
            next == SW_NONE ? "no candidate is left at the node above" : "the next candidate of the node above follows",
            decision);
    if (next == SW_NONE) {
        return SW_STEP_MORE;
    }
    stack_follow(frame, s, next);
    s->mode = BB_PUT;
    return SW_STEP_MORE;
}

/* ---- called from outside ---- */

bool bb_stack_begin(struct bb *s, struct sw_run *run) {
    const struct bb_model *m = s->model;
    const struct bb_part *part = bb_part(s);
    for (uint32_t k = 0; k < part->sections; k++) {
        s->floor[k] = s->rest[k] = 0;
    }
    for (uint32_t i = 0; i < part->count; i++) {
        uint32_t id = part->first + i;
        s->low[i] = m->items[id].ground;
        s->placed[i] = false;
        bb_add_rest(s, id, m->items[id].size);
    }
    return bb_show(s, run, s->part, s->placed, s->low);
}

enum sw_step bb_stack_step(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    return s->mode == BB_ENTER ? stack_enter(s, run, decision)
           : s->mode == BB_PUT ? bb_put(s, run, s->frames.items[s->depth].item, stack_put_on, decision)
                               : stack_back(s, run, decision);
}
