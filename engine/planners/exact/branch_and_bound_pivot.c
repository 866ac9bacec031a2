/* branch-and-bound, plain parts that the first round did not settle: rounds of a search that asks
 * which block lies lowest at the most crowded step.
 *
 * The idea. Which blocks lie below which is all that matters: a layout is the list of its blocks
 * from below upward, each fallen as far as those below it allow, and two lists that differ only in
 * the turns of blocks that never meet are one layout. So blocks need not be placed by offset; any
 * list will do in which each block comes after those it rests on. That leaves the choice where to
 * begin, and the best step is the one with the fewest choices.
 *
 * - The pivot. At a step with `rest` bytes still to come and a limit L, the lowest block of those
 *   has to start at or below L - rest, or the pile above it would pass the limit. Few can: `ready`
 *   counts them for each section. The section with the fewest is the pivot. With none the node is
 *   cut off (rule *floor*).
 * - The candidates. The lowest at the pivot is one of those; but it may rest on blocks that are not
 *   alive there and are still to come. So the set is closed: with a block it contains every block
 *   that could lie below it, that is, every one that conflicts with it and could end at or below
 *   where it has to start. In every layout within the limit a block of this set rests only on
 *   placed blocks, so one of the set can be next. (These are the persistent sets of partial-order
 *   reduction, Godefroid 1996.)
 * - Sleeping candidates. When everything after candidate A was tried in vain, A *sleeps* at its
 *   later siblings and below them, until a block that conflicts with A is placed: before that,
 *   placing A would give layouts that were all looked at (rule *order*). Twins come in one order
 *   (*symmetry*).
 * - What failed before is remembered. A node is identified by the blocks still to come and how low
 *   each could lie. A table of fixed size keeps a fingerprint of 63 bits of the nodes that were
 *   searched to their end with no block asleep, and none of them is searched again (rule *nogood*).
 *   The table outlives the rounds.
 * - Rounds. A search that took a wrong turn early rarely recovers, so a round ends after some nodes
 *   and the next begins with another order among equally low candidates: a random mixture of how
 *   crowded a block's busiest step is, how long it lives and how large it is, and of how often its
 *   sections cut nodes off in earlier rounds, which fades. The lengths of rounds are those of Luby,
 *   Sinclair and Zuckerman (1993) times ROUND: short ones mostly, but every length comes, so that a
 *   round that can prove something gets the time for it.
 * - Where the least memory is wanted, rounds aim in turn at the bound (to prove that it cannot be
 *   reached, if so), half-way to the best layout, and just below the best layout. A round
 *   that runs out of candidates has proved that no layout lies within its limit: that raises the
 *   bound, or, just below the best layout, ends the search.
 *
 * The state is flat: `low` of each item, `rest` and `ready` of each section. Placing an item raises
 * `low` of those it conflicts with; only sections in which something changed are counted again, and
 * the first that cannot be kept ends it. What was there before goes on the trail. */
#include "planners/exact/branch_and_bound.h"
#include "base/base.h"
#include "base/sort.h"

enum { ROUND = 500 };                 /* nodes of the shortest round, or more where there are many items */
enum { NOGOODS = 1 << 16, WAYS = 2 }; /* entries of the table, and where a fingerprint may stand */
/* `ready` of a section that is to be counted afresh. */
#define STALE (UINT32_MAX - 1)

/* One part of the fingerprint of a node: an item still to come that could lie at `low`. */
static uint64_t token(uint32_t i, uint64_t low) {
    return sw_mix(low * UINT64_C(0x9e3779b97f4a7c15) + i + 1);
}

/* ---- rounds ---- */

/* 1 1 2 1 1 2 4 1 1 2 1 1 2 4 8 ..., from 1. */
static uint64_t luby(uint64_t k) {
    for (;;) {
        uint64_t power = 1;
        while (2 * power - 1 < k) {
            power *= 2;
        }
        if (2 * power - 1 == k) {
            return power;
        }
        k -= power - 1;
    }
}

/* The limit of a round where the least memory is wanted: the bound, or below the best layout by a
 * part of what lies between, or just below it. */
enum { AIMS = 4 };
static uint64_t aim_of_round(const struct bb *s, uint32_t round) {
    uint64_t bound = s->target[bb_part(s)->tier], below = s->height[s->part] - 1;
    static const uint64_t parts[AIMS] = {0, 1, 4, 16};
    uint64_t part = parts[round % AIMS];
    return part > 0 ? below - (below - bound) / part : below;
}

/* 256 times the binary logarithm, nearly: the same on every machine. */
static int64_t log_of(uint64_t x) {
    if (x == 0) {
        return 0;
    }
    int high = 63 - __builtin_clzll(x);
    uint64_t fraction = high >= 8 ? x >> (high - 8) : x << (8 - high);
    return (int64_t)high * 256 + (int64_t)(fraction & 255);
}

/* What the order of a round is made of. */
struct taste {
    uint64_t crowd, life, size; /* weights, 256 is 1 */
};

static int64_t pivot_key(struct bb *s, uint32_t i, const struct taste *taste) {
    const struct bb_model *m = s->model;
    const struct bb_item *item = bb_item_at(s, i);
    uint32_t id = bb_part(s)->first + i, blame = 0;
    for (uint32_t r = m->ranges_start[id]; r < m->ranges_start[id + 1]; r++) {
        for (uint32_t k = m->ranges.items[r].from; k < m->ranges.items[r].to; k++) {
            blame = SW_MAX(s->pivot.blame[k], blame);
        }
    }
    int64_t noise = (int64_t)(sw_random(&s->pivot.random) & 8191) - 4096; /* a sixteenth, both ways */
    return (int64_t)taste->crowd * log_of(item->crowd) + (int64_t)taste->life * log_of(item->life) +
           (int64_t)taste->size * log_of(item->size) + 256 * log_of(blame / 16 + 1) + noise;
}

SW_BY_FIELDS(compare_pivot_keys, struct bb_key, SW_DOWN(key), SW_UP(item))

static void draw_pivot_order(struct bb *s) {
    struct bb_pivot *v = &s->pivot;
    uint32_t count = bb_part(s)->count;
    uint64_t a = sw_random(&v->random) & 1023, b = sw_random(&v->random) & 1023;
    /* One after another: in a list of initializers compilers may draw in any order. */
    struct taste taste = {.crowd = a * b * 20 >> 12};
    taste.life = (sw_random(&v->random) & 1023) >> 2;
    taste.size = (sw_random(&v->random) & 1023) >> 2;
    for (uint32_t i = 0; i < count; i++) {
        v->keys[i] = (struct bb_key){pivot_key(s, i, &taste), i};
    }
    qsort(v->keys, count, sizeof *v->keys, compare_pivot_keys);
    for (uint32_t i = 0; i < count; i++) {
        v->rank[v->keys[i].item] = i;
    }
    for (uint32_t k = 0; k < bb_part(s)->sections; k++) {
        v->blame[k] -= v->blame[k] / 8;
    }
}

/* ---- counting sections ---- */

/* How many of those still to come at a section could lie lowest there, within the limit. */
static uint32_t count_ready(const struct bb *s, uint32_t section) {
    const struct bb_model *m = s->model;
    if (s->rest[section] == 0) {
        return BB_NOT_READY;
    }
    if (s->rest[section] > s->pivot.limit) {
        return 0;
    }
    uint64_t most = bb_highest(s, section);
    uint32_t ready = 0, at = bb_part(s)->section + section;
    for (uint32_t k = m->members_start[at]; k < m->members_start[at + 1]; k++) {
        uint32_t i = m->members[k];
        ready += !s->placed[i] && s->low[i] <= most;
    }
    return ready;
}

/* A section got another count. With none ready the node is cut off. False: no memory. */
static bool set_ready(struct bb *s, uint32_t section, uint32_t ready) {
    struct bb_pivot *v = &s->pivot;
    if (ready == v->ready[section]) {
        return true;
    }
    if (!bb_push_undo(s, bb_part(s)->count + section, v->ready[section])) {
        return false;
    }
    v->ready[section] = ready;
    if (ready == 0) {
        v->cut = BB_FLOOR;
        v->cut_at = section;
        v->blame[section] += 16;
    }
    return true;
}

/* ---- down and up ---- */

/* The item rises: in some sections it can no longer be the lowest. The sections of the item just placed
 * are counted afresh afterwards. */
static bool count_risen(struct bb *s, uint32_t i, uint64_t from, uint64_t to) {
    const struct bb_model *m = s->model;
    const struct bb_pivot *v = &s->pivot;
    uint32_t id = bb_part(s)->first + i;
    const uint64_t *rest = s->rest;
    /* from <= limit - rest[k] < to, in one comparison: `to` is within the limit. */
    uint64_t base = v->limit - to + 1, span = to - from;
    bool ok = true;
    for (uint32_t r = m->ranges_start[id]; r < m->ranges_start[id + 1]; r++) {
        uint32_t end = m->ranges.items[r].to;
        for (uint32_t k = m->ranges.items[r].from; k < end; k++) {
            if (rest[k] - base < span && v->ready[k] != STALE) {
                ok = ok && set_ready(s, k, v->ready[k] - 1);
            }
        }
    }
    return ok;
}

/* Item i conflicts with the item just placed, which ends at `end`: wake it up, and raise it. False: no
 * memory. */
static bool raise_item(struct bb *s, uint32_t i, uint64_t end) {
    const struct bb_part *part = bb_part(s);
    struct bb_pivot *v = &s->pivot;
    if (v->asleep[i]) {
        if (!bb_push_undo(s, part->count + part->sections + i, 1)) {
            return false;
        }
        v->asleep[i] = false;
        v->sleepers--;
    }
    uint64_t from = s->low[i];
    if (from >= end) {
        return true;
    }
    if (!bb_push_undo(s, i, from)) {
        return false;
    }
    uint64_t to = bb_place_from(s->model, part->first + i, end);
    s->low[i] = to;
    v->hash ^= token(i, from) ^ token(i, to);
    if (to > v->limit || bb_item_at(s, i)->size > v->limit - to) {
        v->cut = BB_CAPACITY;
        v->cut_at = i;
        return true; /* the sections of a node that is cut off are not needed */
    }
    return count_risen(s, i, from, to);
}

/* The sections of the item just placed have less to come: count afresh. False: no memory. */
static bool count_own(struct bb *s, uint32_t id) {
    const struct bb_model *m = s->model;
    bool ok = true;
    for (uint32_t r = m->ranges_start[id]; ok && r < m->ranges_start[id + 1]; r++) {
        for (uint32_t k = m->ranges.items[r].from; ok && k < m->ranges.items[r].to; k++) {
            if (s->pivot.cut == BB_RULES) {
                ok = set_ready(s, k, count_ready(s, k));
            }
        }
    }
    return ok;
}

/* False: no memory. Afterwards `cut` says whether the node below is cut off. */
static bool pivot_stack_on(struct bb *s, struct sw_run *run, uint32_t i) {
    const struct bb_model *m = s->model;
    const struct bb_part *part = bb_part(s);
    struct bb_pivot *v = &s->pivot;
    uint32_t id = part->first + i;
    uint64_t end = s->low[i] + m->items[id].size;
    bool ok = true;
    v->cut = BB_RULES;
    v->hash ^= token(i, s->low[i]);
    s->placed[i] = true;
    v->open[i / 64] &= ~(UINT64_C(1) << i % 64);
    for (uint32_t r = m->ranges_start[id]; ok && r < m->ranges_start[id + 1]; r++) {
        for (uint32_t k = m->ranges.items[r].from; ok && k < m->ranges.items[r].to; k++) {
            ok = bb_push_undo(s, part->count + k, v->ready[k]);
            v->ready[k] = ok ? STALE : v->ready[k];
        }
    }
    for (uint32_t k = m->adjacent_start[id]; ok && k < m->adjacent_start[id + 1]; k++) {
        uint32_t other = m->adjacent[k] - part->first;
        ok = s->placed[other] || raise_item(s, other, end);
        if (v->cut != BB_RULES) {
            break;
        }
    }
    bb_add_rest(s, id, -m->items[id].size);
    run->work += (m->adjacent_start[id + 1] - m->adjacent_start[id]) / 2 + m->items[id].life;
    return ok && (v->cut != BB_RULES || count_own(s, id));
}

static void pivot_take_off(struct bb *s, const struct bb_frame *frame) {
    const struct bb_part *part = bb_part(s);
    struct bb_pivot *v = &s->pivot;
    uint32_t id = part->first + frame->item;
    while (s->trail.count > frame->trail) {
        struct bb_undo undo = s->trail.items[--s->trail.count];
        if (undo.index < part->count) {
            s->low[undo.index] = undo.old;
        } else if (undo.index < part->count + part->sections) {
            v->ready[undo.index - part->count] = (uint32_t)undo.old;
        } else {
            v->asleep[undo.index - part->count - part->sections] = true;
            v->sleepers++;
        }
    }
    bb_add_rest(s, id, s->model->items[id].size);
    v->hash = frame->hash;
    s->placed[frame->item] = false;
    v->open[frame->item / 64] |= UINT64_C(1) << frame->item % 64;
}

/* ---- what failed before ---- */

static uint64_t fingerprint(const struct bb *s, uint64_t hash) {
    return sw_mix(hash ^ sw_mix(s->pivot.limit + (uint64_t)s->part * 0x10001)) | 1;
}

static size_t nogood_place(uint64_t print) {
    return (size_t)(print >> 32) % (NOGOODS / WAYS) * WAYS;
}

static bool is_nogood(const struct bb *s) {
    uint64_t print = fingerprint(s, s->pivot.hash);
    for (size_t w = 0; w < WAYS && s->pivot.nogoods.count > 0; w++) {
        const uint64_t *entry = sw_cow_get(&s->pivot.nogoods, nogood_place(print) + w);
        if (*entry == print) {
            return true;
        }
    }
    return false;
}

/* The newest first. False: no memory. */
static bool remember_nogood(struct bb *s, uint64_t hash) {
    struct sw_cow *table = &s->pivot.nogoods;
    uint64_t print = fingerprint(s, hash);
    s->pivot.memory = sw_fold(s->pivot.memory, print);
    for (size_t w = 0; w < WAYS; w++) {
        uint64_t *entry = sw_cow_edit(table, nogood_place(print) + w);
        if (!entry) {
            return false;
        }
        uint64_t old = *entry;
        *entry = print;
        print = old;
    }
    return true;
}

/* ---- opening a node ---- */

/* The rule that refuses a candidate; BB_RULES: none does. */
static enum bb_rule pivot_refusal(const struct bb *s, uint32_t i) {
    const struct bb_model *m = s->model;
    const struct bb_part *part = bb_part(s);
    uint32_t id = part->first + i, twin = m->items[id].twin;
    if (s->pivot.asleep[i]) {
        return BB_ORDER;
    }
    if (twin != SW_NONE && !s->placed[twin - part->first]) {
        return BB_SYMMETRY;
    }
    for (uint32_t r = m->ranges_start[id]; r < m->ranges_start[id + 1]; r++) {
        for (uint32_t k = m->ranges.items[r].from; k < m->ranges.items[r].to; k++) {
            if (s->rest[k] > s->pivot.limit || s->low[i] > s->pivot.limit - s->rest[k]) {
                return BB_FLOOR;
            }
        }
    }
    return BB_RULES;
}

/* Is a before b among the candidates of a node? */
static bool goes_first(const struct bb *s, uint32_t a, uint32_t b) {
    return s->low[a] != s->low[b] ? s->low[a] < s->low[b] : s->pivot.rank[a] < s->pivot.rank[b];
}

/* Bring the first of the frame's options from number `at` on to that place. They are put in order
 * one by one, as their turns come: most nodes are left before the last. */
static void next_option(struct bb *s, const struct bb_frame *frame, uint32_t at) {
    uint32_t *options = s->pivot.options.items + frame->options, best = at;
    for (uint32_t k = at + 1; k < frame->option_count; k++) {
        best = goes_first(s, options[k], options[best]) ? k : best;
    }
    uint32_t first = options[best];
    options[best] = options[at];
    options[at] = first;
}

/* Candidates that no rule refuses become the frame's options. False: no memory. */
static bool keep_candidates(struct bb *s, struct bb_frame *frame) {
    struct bb_pivot *v = &s->pivot;
    frame->options = (uint32_t)v->options.count;
    if (!SW_RESERVE(&v->options, v->options.count + v->set_count)) {
        return false;
    }
    for (uint32_t q = 0; q < v->set_count; q++) {
        enum bb_rule rule = pivot_refusal(s, v->set[q]);
        if (rule == BB_RULES) {
            v->options.items[v->options.count++] = v->set[q];
        } else {
            s->pruned[rule]++;
        }
    }
    frame->option_count = (uint32_t)v->options.count - frame->options;
    return true;
}

/* ---- saying why ---- */

/* The lowest place of those still to come at a section. */
static uint64_t lowest_at(const struct bb *s, uint32_t section) {
    const struct bb_model *m = s->model;
    uint32_t at = bb_part(s)->section + section;
    uint64_t least = BB_NOWHERE;
    for (uint32_t k = m->members_start[at]; k < m->members_start[at + 1]; k++) {
        uint32_t i = m->members[k];
        least = !s->placed[i] && s->low[i] < least ? s->low[i] : least;
    }
    return least;
}

/* The offset that the decision shows for a node that is cut off: the lowest place in the section, or of
 * the item, for which it is cut off. */
static uint64_t cut_offset(const struct bb *s) {
    const struct bb_pivot *v = &s->pivot;
    uint64_t low = v->cut == BB_FLOOR ? lowest_at(s, v->cut_at) : v->cut == BB_CAPACITY ? s->low[v->cut_at] : 0;
    return low == BB_NOWHERE ? 0 : low;
}

static bool pivot_explain_cut(const struct bb *s, struct sw_run *run) {
    const struct bb_pivot *v = &s->pivot;
    const struct bb_part *part = bb_part(s);
    if (v->cut == BB_NOGOOD) {
        return SW_EXPLAIN(run->explain, SW_VERDICT_REFUSED, part->tier, 0, 0,
                          "nogood: the same blocks were still to come with the same floors below them "
                          "before, and no layout within the limit was found");
    }
    if (v->cut == BB_CAPACITY) {
        return bb_explain_too_high(s, run, v->cut_at, s->low[v->cut_at]);
    }
    uint64_t rest = s->rest[v->cut_at], offset = cut_offset(s);
    return SW_EXPLAIN(run->explain, SW_VERDICT_REFUSED, part->tier, offset, rest,
                      "floor: at time %" PRId64 " %s are still to be placed, none of them below %" PRIu64
                      ", and all have to end within %" PRIu64,
                      sw_problem_time(run->problem, s->model->steps.items[part->section + v->cut_at]), SW_BYTES(rest),
                      offset, v->limit);
}

static enum sw_step pivot_cut(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    const struct bb_pivot *v = &s->pivot;
    uint64_t offset = cut_offset(s);
    if (run->explain && !pivot_explain_cut(s, run)) {
        return sw_step_memory(run);
    }
    bool item = v->cut == BB_CAPACITY;
    enum sw_step result = bb_prune(s, run, v->cut, item ? bb_part(s)->first + v->cut_at : SW_NONE, offset, 1, decision);
    if (v->cut == BB_FLOOR && result == SW_STEP_MORE) {
        decision->time = s->model->steps.items[bb_part(s)->section + v->cut_at];
        decision->live = bb_live_at(s, run, v->cut_at);
        decision->offset = offset;
        decision->size = s->rest[v->cut_at];
    }
    if (v->cut != BB_NOGOOD && result == SW_STEP_MORE) {
        decision->prune.limit = v->limit;
    }
    return result;
}

static bool pivot_explain_refused(const struct bb *s, struct sw_run *run, uint32_t i, enum bb_rule rule) {
    const struct bb_item *item = bb_item_at(s, i);
    char other[SW_SHORT_NAME], why[160];
    if (rule == BB_ORDER) {
        snprintf(why, sizeof why, "order: it had its turn, and nothing it meets was placed since");
    } else if (rule == BB_SYMMETRY) {
        snprintf(why, sizeof why, "symmetry: %s is the same and goes first",
                 sw_place_name(run->problem, s->model->items[item->twin].buffer, other));
    } else {
        snprintf(why, sizeof why, "floor: what is to lie above it would end above %" PRIu64, s->pivot.limit);
    }
    return bb_explain_refused(s, run, i, why);
}

/* Explain the options first, in their order, then the refused candidates. */
static bool pivot_explain_node(const struct bb *s, struct sw_run *run, const struct bb_frame *frame) {
    const struct bb_pivot *v = &s->pivot;
    bool ok = true;
    for (uint32_t k = 0; ok && run->explain && k < frame->option_count; k++) {
        ok = bb_explain_option(s, run, v->options.items[frame->options + k], k == frame->option);
    }
    for (uint32_t q = 0; ok && run->explain && q < v->set_count; q++) {
        enum bb_rule rule = pivot_refusal(s, v->set[q]);
        ok = rule == BB_RULES || pivot_explain_refused(s, run, v->set[q], rule);
    }
    return ok;
}

/* ---- one decision ---- */

static enum sw_step pivot_branch(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    struct bb_pivot *v = &s->pivot;
    struct bb_frame frame = {.wanted = SW_NONE, .sleepers = v->sleepers};
    v->section = bb_find_pivot(s);
    bb_find_candidates(s, run);
    s->frames.count = s->depth;
    v->options.count =
        s->depth > 0 ? s->frames.items[s->depth - 1].options + s->frames.items[s->depth - 1].option_count : 0;
    if (!keep_candidates(s, &frame)) {
        return sw_step_memory(run);
    }
    bool all = run->explain || run->choice >= 0; /* else only the first option is needed */
    for (uint32_t k = 0; k < (all ? frame.option_count : 1); k++) {
        next_option(s, &frame, k);
    }
    if (run->choice >= frame.option_count && run->choice >= 0) {
        return sw_place_no_candidate(run, frame.option_count);
    }
    frame.option = run->choice > 0 ? (uint32_t)run->choice : 0;
    if (!pivot_explain_node(s, run, &frame) || !SW_PUSH(&s->frames, frame)) {
        return sw_step_memory(run);
    }
    struct bb_frame *top = &s->frames.items[s->depth];
    if (frame.option_count == 0) {
        top->options = (uint32_t)v->options.count;
        bool order = v->sleepers > 0;
        return bb_prune(s, run, order ? BB_ORDER : BB_FLOOR, SW_NONE, 0, v->set_count, decision);
    }
    uint32_t *options = v->options.items + frame.options, first = options[frame.option];
    memmove(options + 1, options, frame.option * sizeof *options);
    options[0] = first;
    top->option = 0;
    bb_tell(s, run, SW_DECISION_BRANCH, bb_part(s)->first + first, s->low[first],
            run->choice < 0 ? "at the step with the least choice, the lowest candidate goes first"
                            : "chosen by the user",
            decision);
    decision->candidates = v->set_count;
    decision->forced = run->choice >= 0;
    s->mode = BB_PUT;
    return SW_STEP_MORE;
}

static enum sw_step pivot_enter(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    struct bb_pivot *v = &s->pivot;
    s->nodes++;
    v->nodes++;
    run->work += bb_part(s)->sections / 8;
    if (s->depth == bb_part(s)->count) {
        v->over = true; /* another limit, another round */
        return bb_incumbent(s, run, s->low, decision);
    }
    if (v->cut == BB_RULES && is_nogood(s)) {
        v->cut = BB_NOGOOD;
    }
    return v->cut != BB_RULES ? pivot_cut(s, run, decision) : pivot_branch(s, run, decision);
}

static enum sw_step pivot_put(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    const struct bb_frame *frame = &s->frames.items[s->depth];
    return bb_put(s, run, s->pivot.options.items[frame->options + frame->option], pivot_stack_on, decision);
}

/* All options of the node on top of the stack have been tried: wake them up. */
static bool leave_node(struct bb *s, const struct bb_frame *frame) {
    struct bb_pivot *v = &s->pivot;
    for (uint32_t k = 0; k < frame->option_count; k++) {
        v->asleep[v->options.items[frame->options + k]] = false;
    }
    v->sleepers -= frame->option_count;
    return frame->sleepers > 0 || remember_nogood(s, v->hash);
}

static enum sw_step pivot_back(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    struct bb_pivot *v = &s->pivot;
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    s->depth--;
    struct bb_frame *frame = &s->frames.items[s->depth];
    uint32_t item = frame->item;
    pivot_take_off(s, frame);
    if (!bb_lift(s, run, frame)) {
        return SW_STEP_FAILED;
    }
    v->asleep[item] = true;
    v->sleepers++;
    frame->option++;
    bool more = frame->option < frame->option_count;
    if (more) {
        next_option(s, frame, frame->option);
        run->work += (frame->option_count - frame->option) / 4;
    }
    if (!more && !leave_node(s, frame)) {
        return sw_step_memory(run);
    }
    bb_tell(s, run, SW_DECISION_BACKTRACK, bb_part(s)->first + item, frame->offset,
            more ? "the next candidate of the node above follows" : "no candidate is left at the node above", decision);
    s->mode = more ? BB_PUT : BB_BACK;
    return SW_STEP_MORE;
}

/* ---- beginning ---- */

/* An empty part, another order, another limit. */
static bool begin_pivot_round(struct bb *s, struct sw_run *run) {
    const struct bb_model *m = s->model;
    const struct bb_part *part = bb_part(s);
    struct bb_pivot *v = &s->pivot;
    bool fit = bb_fit_is_enough(s, run);
    v->round++;
    v->limit = fit ? bb_limit(s, run) : aim_of_round(s, v->round);
    v->nodes = 0;
    uint64_t round = part->count + part->count / 2; /* enough to place them all */
    v->node_limit = (SW_MAX(round, ROUND)) * luby(fit ? v->round : (v->round + AIMS - 1) / AIMS);
    v->over = false;
    v->cut = BB_RULES;
    v->hash = 0;
    v->sleepers = v->set_count = 0;
    v->options.count = s->trail.count = s->frames.count = 0;
    s->depth = 0;
    s->mode = BB_ENTER;
    memset(s->rest, 0, part->sections * sizeof *s->rest);
    for (uint32_t i = 0; i < part->count; i++) {
        uint32_t id = part->first + i;
        s->low[i] = m->items[id].ground;
        s->placed[i] = v->asleep[i] = false;
        v->open[i / 64] |= UINT64_C(1) << i % 64;
        v->hash ^= token(i, s->low[i]);
        bb_add_rest(s, id, m->items[id].size);
    }
    draw_pivot_order(s);
    bb_begin_live(s);
    for (uint32_t k = 0; k < part->sections; k++) {
        v->ready[k] = count_ready(s, k);
        if (v->ready[k] == 0) {
            v->cut = BB_FLOOR;
            v->cut_at = k;
        }
    }
    return bb_show(s, run, s->part, s->placed, s->low);
}

bool bb_pivot_begin(struct bb *s, struct sw_run *run) {
    struct bb_pivot *v = &s->pivot;
    if (v->nogoods.count == 0) {
        sw_cow_done(&v->nogoods);
        sw_cow_init(&v->nogoods, sizeof(uint64_t));
        if (!sw_cow_resize(&v->nogoods, NOGOODS)) {
            return sw_fail_memory(run->error);
        }
    }
    v->round = 0;
    v->random = sw_fold(run->params->seed, s->part);
    memset(v->blame, 0, bb_part(s)->sections * sizeof *v->blame);
    return begin_pivot_round(s, run);
}

static enum sw_step next_round(struct bb *s, struct sw_run *run, const char *why, struct sw_decision *decision) {
    if (!sw_run_unchosen(run) || !begin_pivot_round(s, run)) {
        return SW_STEP_FAILED;
    }
    s->group = s->groups++;
    bb_tell(s, run, SW_DECISION_RESTART, SW_NONE, 0, why, decision);
    decision->restart.limit = s->pivot.limit;
    return SW_STEP_MORE;
}

/* No candidate is left at the root: no layout of the part lies within the limit. DONE: that ends the
 * search of the part. */
static enum sw_step pivot_exhausted(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    uint32_t tier = bb_part(s)->tier;
    uint64_t limit = s->pivot.limit;
    if (bb_fit_is_enough(s, run) || limit + 1 >= s->height[s->part]) {
        return SW_STEP_DONE;
    }
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    s->target[tier] = SW_MAX(limit + 1, s->target[tier]);
    return next_round(s, run, "no layout lies within the last limit, so the bound rises", decision);
}

enum sw_step bb_pivot_step(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    struct bb_pivot *v = &s->pivot;
    if (v->over) {
        return next_round(s, run, "something better was found, so the limit is lower now", decision);
    }
    if (s->mode == BB_ENTER && v->nodes >= v->node_limit) {
        return next_round(s, run, "a search that is lost is left; another order may fare better", decision);
    }
    return s->mode == BB_ENTER ? pivot_enter(s, run, decision)
           : s->mode == BB_PUT ? pivot_put(s, run, decision)
           : s->depth == 0     ? pivot_exhausted(s, run, decision)
                               : pivot_back(s, run, decision);
}
