/* branch-and-bound, parts with byte windows or permits: pairs are put in order one by one.
 *
 * Two buffers with windows may interlock, and two with a permit may start at the same byte; then
 * neither can fall alone, and canonical layouts are not enough. What always holds is this. For a
 * pair that conflicts, the difference of the two offsets must avoid certain values; what is left
 * are a few intervals: the one below the other, the other below the one, and perhaps others
 * between, or exactly 0. To choose an interval is to demand offset(a) >= offset(b) + lo and
 * offset(b) >= offset(a) - hi. If two layouts keep a set of such demands, so does the one that
 * takes the smaller offset of each buffer, and the same is true of alignments and of ranges closed
 * to single buffers. So a set of demands that can be kept at all has a lowest layout, in which
 * every buffer lies as low as in any other. It is found by raising buffers that break a demand
 * until none does.
 *
 * A node of the tree is a set of demands and its lowest layout. When no two buffers collide in it,
 * it is a layout, and none with these demands is lower: an incumbent. Otherwise a pair that
 * collides must be put in order, in one of its intervals: these are the branches. The pair with the
 * fewest ways open is taken; among those the one that its best way raises most. A node is cut off when
 * a buffer has been raised above the limit (`capacity`) or the demands run in a circle (`cycle`).
 *
 * The layout that is shown leaves out each buffer that collides with one shown before. */
#include "planners/exact/branch_and_bound.h"
#include "base/base.h"

/* One way to put a pair in order, as things are. */
struct pair_way {
    uint32_t moved;  /* the item that rises, counted from the first of the part */
    uint64_t offset; /* to where; BB_NOWHERE: nowhere below BB_TOP */
    uint64_t raise;
    bool open; /* it stays within the limit */
};

static const struct bb_pair *bb_pair_at(const struct bb *s, uint32_t k) {
    return &s->model->pairs.items[bb_part(s)->pair + k];
}

/* ---- pairs ---- */

static bool collides(const struct bb *s, const struct bb_pair *pair) {
    uint32_t first = bb_part(s)->first;
    int64_t d = (int64_t)s->low[pair->a - first] - (int64_t)s->low[pair->b - first];
    for (uint32_t k = 0; k < pair->count; k++) {
        const struct bb_apart *apart = &s->model->apart.items[pair->first + k];
        if (apart->lo <= d && d <= apart->hi) {
            return false;
        }
    }
    return true;
}

static struct pair_way way_between(const struct bb *s, const struct bb_pair *pair, uint32_t k, uint64_t limit) {
    const struct bb_apart *apart = &s->model->apart.items[pair->first + k];
    uint32_t first = bb_part(s)->first, a = pair->a - first, b = pair->b - first;
    int64_t x = (int64_t)s->low[a], y = (int64_t)s->low[b];
    struct pair_way way = {.moved = x - y < apart->lo ? a : b};
    int64_t to = way.moved == a ? y + apart->lo : x - apart->hi;
    way.offset = bb_place_from(s->model, first + way.moved, (uint64_t)to);
    way.raise = way.offset - s->low[way.moved];
    way.open = way.offset != BB_NOWHERE && way.offset + s->model->items[first + way.moved].size <= limit;
    return way;
}

/* Show the items that collide with no shown item before them. */
static void mark_shown(struct bb *s) {
    uint32_t first = bb_part(s)->first;
    for (uint32_t i = 0; i < bb_part(s)->count; i++) {
        s->placed[i] = true;
    }
    for (uint32_t k = 0; k < bb_part(s)->pairs; k++) {
        const struct bb_pair *pair = bb_pair_at(s, k);
        if (s->placed[pair->a - first] && s->placed[pair->b - first] && collides(s, pair)) {
            s->placed[pair->b - first] = false;
        }
    }
}

static bool pair_show(struct bb *s, struct sw_run *run) {
    mark_shown(s);
    run->work += bb_part(s)->pairs;
    return bb_show(s, run, s->part, s->placed, s->low);
}

/* ---- demands ---- */

static bool add_edge_demand(struct bb *s, uint32_t to, uint32_t from, int64_t least) {
    if (!SW_PUSH(&s->arcs, (struct bb_arc){from, to, s->head[from], least})) {
        return false;
    }
    s->head[from] = (uint32_t)s->arcs.count - 1;
    return true;
}

/* Do the demands run in a circle that rises? Then raising would never end. -1: no memory. */
static int demands_circle(const struct bb *s) {
    uint32_t count = bb_part(s)->count;
    int64_t *distance = SW_NEW_ZERO(int64_t, count);
    bool risen = distance != NULL;
    for (uint32_t round = 0; risen && round <= count; round++) {
        risen = false;
        for (size_t k = 0; k < s->arcs.count; k++) {
            const struct bb_arc *arc = &s->arcs.items[k];
            int64_t sum;
            bool over = __builtin_add_overflow(distance[arc->from], arc->least, &sum);
            if (!over && sum > distance[arc->to]) {
                distance[arc->to] = sum;
                risen = true;
            }
        }
    }
    int answer = !distance ? -1 : risen;
    SW_FREE(distance, count);
    return answer;
}

/* Raise an item to its lowest place from x on. */
static bool raise_item_to(struct bb *s, struct sw_run *run, uint32_t i, uint64_t x, bool *cut) {
    uint64_t to = bb_place_from(s->model, bb_part(s)->first + i, x);
    *cut = to == BB_NOWHERE || to + bb_item_at(s, i)->size > bb_limit(s, run);
    s->cut = *cut ? BB_CAPACITY : s->cut;
    if (*cut) {
        return true;
    }
    if (!bb_push_undo(s, i, s->low[i])) {
        return false;
    }
    s->low[i] = to;
    return true;
}

/* Raise items that break a demand, beginning with the demands that follow from a and b. False: no
 * memory; `cut` says that it cannot be done. */
static bool propagate(struct bb *s, struct sw_run *run, uint32_t a, uint32_t b, bool *cut) {
    uint32_t count = bb_part(s)->count, begin = 0, waiting = 2;
    uint64_t raised = 0, patience = 4 * (uint64_t)count + 64;
    bool ok = true;
    *cut = false;
    for (uint32_t i = 0; i < count; i++) {
        s->queued[i] = i == a || i == b;
    }
    s->queue[0] = a;
    s->queue[1] = b;
    while (ok && !*cut && waiting > 0) {
        uint32_t i = s->queue[begin];
        begin = begin + 1 == count ? 0 : begin + 1;
        waiting--;
        s->queued[i] = false;
        for (uint32_t k = s->head[i]; k != SW_NONE && ok && !*cut; k = s->arcs.items[k].next) {
            const struct bb_arc *arc = &s->arcs.items[k];
            int64_t least = (int64_t)s->low[i] + arc->least;
            run->work++;
            if (least <= (int64_t)s->low[arc->to]) {
                continue;
            }
            ok = raise_item_to(s, run, arc->to, (uint64_t)least, cut);
            if (ok && !*cut && !s->queued[arc->to]) {
                s->queued[arc->to] = true;
                s->queue[(begin + waiting++) % count] = arc->to;
            }
            if (ok && !*cut && ++raised == patience) {
                int answer = demands_circle(s);
                patience *= 2;
                ok = answer >= 0;
                *cut = answer > 0;
                s->cut = *cut ? BB_CYCLE : s->cut;
            }
        }
    }
    return ok;
}

static void pair_undo(struct bb *s, const struct bb_frame *frame) {
    while (s->trail.count > frame->trail) {
        struct bb_undo last = s->trail.items[--s->trail.count];
        s->low[last.index] = last.old;
    }
    while (s->arcs.count > frame->arcs) {
        const struct bb_arc *last = &s->arcs.items[--s->arcs.count];
        s->head[last->from] = last->next;
    }
}

/* ---- opening a node ---- */

/* The next way of a pair after (key, key_item): the least rise first. */
static uint32_t next_way(const struct bb *s, const struct bb_frame *frame, uint64_t limit) {
    const struct bb_pair *pair = bb_pair_at(s, frame->item);
    uint32_t next = SW_NONE;
    uint64_t least = 0;
    for (uint32_t k = 0; k < pair->count; k++) {
        struct pair_way way = way_between(s, pair, k, limit);
        bool past = !frame->begun || way.raise > frame->key || (way.raise == frame->key && k > frame->key_item);
        if (way.open && past && k != frame->wanted && (next == SW_NONE || way.raise < least)) {
            next = k;
            least = way.raise;
        }
    }
    return next;
}

static void pair_follow(struct bb *s, struct bb_frame *frame, uint32_t option, uint64_t limit) {
    frame->option = frame->key_item = option;
    frame->key = way_between(s, bb_pair_at(s, frame->item), option, limit).raise;
    frame->begun = true;
}

/* The pair to put in order; SW_NONE: no two collide. */
static uint32_t choose_pair(const struct bb *s, struct sw_run *run) {
    uint32_t chosen = SW_NONE, fewest = UINT32_MAX;
    uint64_t most = 0, limit = bb_limit(s, run);
    for (uint32_t k = 0; k < bb_part(s)->pairs; k++) {
        const struct bb_pair *pair = bb_pair_at(s, k);
        if (!collides(s, pair)) {
            continue;
        }
        uint32_t open = 0;
        uint64_t least = UINT64_MAX;
        for (uint32_t option = 0; option < pair->count; option++) {
            struct pair_way way = way_between(s, pair, option, limit);
            open += way.open;
            least = way.open && way.raise < least ? way.raise : least;
        }
        if (open < fewest || (open == fewest && least > most)) {
            chosen = k;
            fewest = open;
            most = least;
        }
    }
    run->work += bb_part(s)->pairs;
    return chosen;
}

static bool pair_explain_ways(const struct bb *s, struct sw_run *run, const struct bb_frame *frame, uint32_t chosen) {
    const struct bb_pair *pair = bb_pair_at(s, frame->item);
    uint64_t limit = bb_limit(s, run);
    char name[SW_SHORT_NAME], other[SW_SHORT_NAME], why[96];
    for (uint32_t k = 0; run->explain && k < pair->count; k++) {
        struct pair_way way = way_between(s, pair, k, limit);
        uint32_t rest = pair->a + pair->b - 2 * bb_part(s)->first - way.moved;
        const struct bb_item *item = bb_item_at(s, way.moved);
        bool same = way.offset == s->low[rest];
        uint64_t end = way.offset == BB_NOWHERE ? BB_TOP + 1 : way.offset + item->size;
        const char *word = !way.open     ? bb_above(s, run, end, why)
                           : k == chosen ? run->choice >= 0 ? "chosen by the user" : "chosen: the least rise first"
                                         : "has its turn later";
        enum sw_verdict verdict = !way.open ? SW_VERDICT_REFUSED : k == chosen ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS;
        uint64_t offset = way.offset == BB_NOWHERE ? 0 : way.offset;
        if (!SW_EXPLAIN(run->explain, verdict, bb_part(s)->tier, offset, item->size,
                        "%s%s rises to %" PRIu64 ", %s %s, and ends at %" PRIu64 ": %s", way.open ? "" : "capacity: ",
                        sw_place_name(run->problem, item->buffer, name), offset, same ? "to start with" : "clear of",
                        sw_place_name(run->problem, bb_item_at(s, rest)->buffer, other), end, word)) {
            return false;
        }
    }
    return true;
}

static enum sw_step pair_branch(struct bb *s, struct sw_run *run, uint32_t chosen, struct sw_decision *decision) {
    const struct bb_pair *pair = bb_pair_at(s, chosen);
    uint64_t limit = bb_limit(s, run);
    struct bb_frame frame = {.item = chosen, .wanted = SW_NONE};
    uint32_t first = next_way(s, &frame, limit);
    if (run->choice >= 0 && first != SW_NONE) {
        if (run->choice >= pair->count || !way_between(s, pair, (uint32_t)run->choice, limit).open) {
            return sw_place_no_candidate(run, pair->count);
        }
        frame.wanted = frame.option = first = (uint32_t)run->choice;
    } else if (first != SW_NONE) {
        pair_follow(s, &frame, first, limit);
    }
    s->frames.count = s->depth;
    if (!pair_explain_ways(s, run, &frame, first) || !SW_PUSH(&s->frames, frame)) {
        return sw_step_memory(run);
    }
    if (first == SW_NONE) {
        return bb_prune(s, run, BB_CAPACITY, pair->a, s->low[pair->a - bb_part(s)->first], pair->count, decision);
    }
    struct pair_way way = way_between(s, pair, first, limit);
    bb_tell(s, run, SW_DECISION_BRANCH, bb_part(s)->first + way.moved, way.offset,
            frame.wanted == SW_NONE ? "two that collide are put in order, the least rise first" : "chosen by the user",
            decision);
    decision->branch.pair = bb_item_at(s, pair->a + pair->b - 2 * bb_part(s)->first - way.moved)->buffer;
    decision->candidates = pair->count;
    decision->forced = frame.wanted != SW_NONE;
    s->mode = BB_PUT;
    return SW_STEP_MORE;
}

/* Item i cannot stay within the limit, or would have to lie above itself: cut the node off. */
static enum sw_step pair_cut(struct bb *s, struct sw_run *run, enum bb_rule rule, uint32_t i,
                             struct sw_decision *decision) {
    const struct bb_item *item = bb_item_at(s, i);
    uint64_t low = s->low[i] == BB_NOWHERE ? 0 : s->low[i];
    char name[SW_SHORT_NAME];
    if (!SW_EXPLAIN(run->explain, SW_VERDICT_REFUSED, bb_part(s)->tier, low, item->size,
                    rule == BB_CYCLE ? "cycle: %s (%s) at %" PRIu64 " would have to lie above itself"
                                     : "capacity: %s (%s) cannot stay at %" PRIu64
                                       " or below the limit of what is looked for",
                    sw_place_name(run->problem, item->buffer, name), SW_BYTES(item->size), low)) {
        return sw_step_memory(run);
    }
    return bb_prune(s, run, rule, bb_part(s)->first + i, low, 1, decision);
}

static enum sw_step pair_enter(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    uint64_t limit = bb_limit(s, run);
    s->nodes++;
    run->work += bb_part(s)->count / 4;
    for (uint32_t i = 0; i < bb_part(s)->count; i++) {
        if (s->low[i] == BB_NOWHERE || s->low[i] + bb_item_at(s, i)->size > limit) {
            return pair_cut(s, run, BB_CAPACITY, i, decision);
        }
    }
    uint32_t pair = choose_pair(s, run);
    return pair == SW_NONE ? bb_incumbent(s, run, s->low, decision) : pair_branch(s, run, pair, decision);
}

/* ---- down and up ---- */

static enum sw_step pair_put(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    struct bb_frame *frame = &s->frames.items[s->depth];
    const struct bb_pair *pair = bb_pair_at(s, frame->item);
    const struct bb_apart *apart = &s->model->apart.items[pair->first + frame->option];
    uint32_t first = bb_part(s)->first, a = pair->a - first, b = pair->b - first;
    struct pair_way way = way_between(s, pair, frame->option, bb_limit(s, run));
    char name[SW_SHORT_NAME];
    bool failed = false;
    if (run->choice > 0) {
        return sw_place_no_candidate(run, 1);
    }
    if (s->depth == 0) {
        s->group = s->groups++;
    }
    frame->trail = s->trail.count;
    frame->arcs = s->arcs.count;
    bool ok = (apart->lo == INT64_MIN || add_edge_demand(s, a, b, apart->lo)) &&
              (apart->hi == INT64_MAX || add_edge_demand(s, b, a, -apart->hi)) && propagate(s, run, a, b, &failed);
    uint64_t offset = s->low[way.moved];
    frame->offset = offset;
    if (!ok || !SW_EXPLAIN(run->explain, SW_VERDICT_CHOSEN, bb_part(s)->tier, offset, bb_item_at(s, way.moved)->size,
                           "chosen: the lowest offset of %s that keeps all demands made so far",
                           sw_place_name(run->problem, bb_item_at(s, way.moved)->buffer, name))) {
        return sw_step_memory(run);
    }
    if (!pair_show(s, run)) {
        return SW_STEP_FAILED;
    }
    bb_tell(s, run, SW_DECISION_PLACE, first + way.moved, offset,
            failed ? "no offset keeps all demands made so far" : "its lowest offset that keeps all demands made so far",
            decision);
    decision->place.partner = bb_item_at(s, a + b - way.moved)->buffer;
    decision->candidates = 1;
    s->depth++;
    s->mode = failed ? BB_CUT : BB_ENTER;
    return SW_STEP_MORE;
}

static enum sw_step pair_back(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    if (s->depth == 0) {
        return SW_STEP_DONE;
    }
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    s->depth--;
    struct bb_frame *frame = &s->frames.items[s->depth];
    const struct bb_pair *pair = bb_pair_at(s, frame->item);
    pair_undo(s, frame);
    if (!pair_show(s, run)) {
        return SW_STEP_FAILED;
    }
    uint64_t limit = bb_limit(s, run);
    uint32_t next = next_way(s, frame, limit);
    bb_tell(s, run, SW_DECISION_BACKTRACK, pair->a, s->low[pair->a - bb_part(s)->first],
            next == SW_NONE ? "no way is left to put this pair in order"
                            : "the next way to put this pair in order follows",
            decision);
    decision->backtrack.pair = s->model->items[pair->b].buffer;
    if (next != SW_NONE) {
        pair_follow(s, frame, next, limit);
        s->mode = BB_PUT;
    }
    return SW_STEP_MORE;
}

/* ---- called from outside ---- */

bool bb_order_begin(struct bb *s, struct sw_run *run) {
    const struct bb_part *part = bb_part(s);
    for (uint32_t i = 0; i < part->count; i++) {
        s->low[i] = bb_item_at(s, i)->ground;
        s->head[i] = SW_NONE;
    }
    return pair_show(s, run);
}

enum sw_step bb_order_step(struct bb *s, struct sw_run *run, struct sw_decision *decision) {
    if (s->mode == BB_CUT) {
        const struct bb_pair *pair = bb_pair_at(s, s->frames.items[s->depth - 1].item);
        return pair_cut(s, run, s->cut, pair->a - bb_part(s)->first, decision);
    }
    return s->mode == BB_ENTER ? pair_enter(s, run, decision)
           : s->mode == BB_PUT ? pair_put(s, run, decision)
                               : pair_back(s, run, decision);
}
