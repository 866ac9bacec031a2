/* Placing one block by a rule. See place.h.
 *
 * Candidates are numbered in the order in which they are looked at: tier by tier from high to low,
 * in a tier by ascending address, and last the place above the capacity when nothing else is left.
 * They are the free spaces and, between them, the blocks in the way, which are refused. The numbers
 * are the same with and without an explanation, so that a user can choose one of them by its
 * number. */
#include "planners/planner_internal.h"
#include "base/base.h"
#include "base/sort.h"

#include "problem/hot.h"

/* Every list of free spaces that sw_place_by works through is one of these. */
struct place_look {
    struct sw_run *run;
    enum sw_place_rule rule;
    uint32_t id;
    const struct sw_buffer *buffer;
    uint64_t size, alignment; /* what the rule takes it for */
    uint32_t tier;
    uint64_t top;      /* where the tier, or what is looked at of it, ends */
    uint64_t arena;    /* of the tier at present */
    size_t in_the_way; /* obstacles in the tier */
    size_t picked;     /* the gap the rule takes; gaps.count: none */
    bool inside;       /* SW_PLACE_IN_ARENA: it lies inside the present arena */
    bool alone;        /* no placed block is in its way anywhere */
    bool chosen;       /* a user, not the rule, took it */
    const char *reason;
};

/* ---- small answers ---- */

const char *sw_place_name(const struct sw_problem *problem, uint32_t buffer, char text[SW_SHORT_NAME]) {
    const char *name = sw_problem_buffer(problem, buffer)->name;
    size_t length = strlen(name), half = (SW_SHORT_NAME - 4) / 2;
    if (length < SW_SHORT_NAME) {
        memcpy(text, name, length + 1);
        return text;
    }
    size_t head = sw_utf8_cut(name, length, half),
           tail = length - half; /* both ends tell it from others, and "..." that it is cut */
    while (((unsigned char)name[tail] & 0xc0) == 0x80) {
        tail++;
    }
    snprintf(text, SW_SHORT_NAME, "%.*s...%s", (int)head, name, name + tail);
    return text;
}

uint64_t sw_place_tiers(const struct sw_problem *problem, uint32_t buffer) {
    const struct sw_buffer *b = sw_problem_buffer(problem, buffer);
    uint32_t count = sw_problem_tier_count(problem);
    uint64_t all = count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
    return b->tier != SW_NONE ? UINT64_C(1) << b->tier : b->tiers & all;
}

bool sw_place_kept_separate(const struct sw_problem *problem, uint32_t a, uint32_t b) {
    size_t count;
    const uint32_t(*list)[2] = sw_problem_separate(problem, &count);
    for (size_t i = 0; i < count; i++) {
        if ((list[i][0] == a && list[i][1] == b) || (list[i][0] == b && list[i][1] == a)) {
            return true;
        }
    }
    return false;
}

bool sw_place_gaps(struct sw_run *run, uint32_t buffer, uint32_t tier, uint64_t top) {
    uint64_t before = run->gaps.visited;
    bool ok = sw_gaps_find(&run->gaps, run->layout, &run->rules, buffer, SW_WHOLE_LIFE, tier, top);
    run->work += run->gaps.visited - before + 1;
    return ok;
}

uint64_t sw_place_live_at(struct sw_run *run, uint32_t step) {
    uint64_t live = 0;
    struct sw_neighbors all = sw_problem_alive(run->problem, step, step);
    for (uint32_t b; (b = sw_neighbors_next(&all)) != SW_NONE;) {
        run->work++;
        if (sw_layout_placed(run->layout, b)) {
            live += sw_buffer_live_bytes(sw_problem_buffer(run->problem, b), step);
        }
    }
    return live;
}

uint64_t sw_place_live(struct sw_run *run, uint32_t buffer) {
    /* On several cores neighbors are those in conflict, not those alive. */
    const struct sw_buffer *b = sw_problem_buffer(run->problem, buffer);
    if (sw_problem_simple(run->problem)) {
        return run->gaps.live + b->size; /* without a look at its pieces: there is one */
    }
    return sw_problem_core_count(run->problem) == 1 ? run->gaps.live + sw_buffer_live_bytes(b, b->first)
                                                    : sw_place_live_at(run, b->first);
}

static bool pinned_by_user(const struct sw_run *run, uint32_t buffer) {
    if (run->rules.pin_of) {
        return run->rules.pin_of[buffer] > 0;
    }
    for (size_t i = 0; i < run->rules.pins.count; i++) {
        if (run->rules.pins.items[i].buffer == buffer) {
            return true;
        }
    }
    return false;
}

/* ---- placing and deciding ---- */

/* Is there a permit of `fresh` over `old`? The list is sorted by (fresh, old). */
static const struct sw_permit *find_permit(const struct sw_permit *permits, size_t count, uint32_t fresh,
                                           uint32_t old) {
    size_t at = SW_FIRST(i, count, permits[i].fresh != fresh ? permits[i].fresh > fresh : permits[i].old >= old);
    return at < count ? &permits[at] : NULL;
}

static bool starts_at(const struct sw_layout *layout, uint32_t buffer, uint32_t tier, uint64_t offset) {
    struct sw_placement p;
    return sw_layout_placement(layout, buffer, 0, &p) && p.tier == tier && p.offset == offset;
}

/* The permits that a block makes use of there, on either side: recorded in `into`, when given; the
 * other block of the first of them, or SW_NONE, in `other`. False: no memory. */
static bool use_permits(const struct sw_run *run, struct sw_layout *into, uint32_t buffer, uint32_t tier,
                        uint64_t offset, uint32_t *other) {
    size_t count;
    const struct sw_permit *permits = sw_problem_permits(run->problem, &count);
    const struct sw_buffer *b = sw_problem_buffer(run->problem, buffer);
    *other = SW_NONE;
    if (count == 0 || b->size == 0) {
        return true;
    }
    const struct sw_permit *p = find_permit(permits, count, buffer, 0);
    for (; p && p < permits + count && p->fresh == buffer; p++) {
        if (sw_problem_buffer(run->problem, p->old)->size > 0 && starts_at(run->layout, p->old, tier, offset)) {
            *other = *other == SW_NONE ? p->old : *other;
            if (into && !sw_layout_permit(into, p)) {
                return false;
            }
        }
    }
    uint32_t born_count;
    const uint32_t *born = sw_problem_born(run->problem, b->last, &born_count);
    for (uint32_t i = 0; i < born_count; i++) {
        p = find_permit(permits, count, born[i], buffer);
        if (p && p->fresh == born[i] && p->old == buffer && sw_problem_buffer(run->problem, p->fresh)->size > 0 &&
            starts_at(run->layout, p->fresh, tier, offset)) {
            *other = *other == SW_NONE ? p->fresh : *other;
            if (into && !sw_layout_permit(into, p)) {
                return false;
            }
        }
    }
    return true;
}

uint32_t sw_place_partner(const struct sw_run *run, uint32_t buffer, uint32_t tier, uint64_t offset) {
    uint32_t other;
    use_permits(run, NULL, buffer, tier, offset, &other);
    return other;
}

void sw_place_tell_partner(const struct sw_run *run, uint32_t buffer, uint32_t tier, uint64_t offset,
                           struct sw_decision *decision) {
    decision->place.partner = sw_place_partner(run, buffer, tier, offset);
    decision->place.in_place = decision->place.partner != SW_NONE;
}

struct sw_layout *sw_run_layout(const struct sw_run *run) {
    struct sw_layout *layout = sw_layout_new(run->problem, run->error);
    if (layout) {
        sw_layout_stamp(layout, sw_run_decision(run));
    }
    return layout;
}

bool sw_place_at(struct sw_run *run, uint32_t buffer, uint32_t tier, uint64_t offset) {
    uint32_t other;
    return sw_layout_place(run->layout, buffer, tier, offset) &&
           use_permits(run, run->layout, buffer, tier, offset, &other);
}

uint32_t sw_place_collision(struct sw_run *run, uint32_t buffer, uint32_t tier, uint64_t offset) {
    uint32_t found = SW_NONE;
    struct sw_neighbors all = sw_problem_neighbors(run->problem, buffer);
    for (uint32_t other; (other = sw_neighbors_next(&all)) != SW_NONE; run->work++) {
        struct sw_placement p;
        if (other != buffer && other < found && sw_layout_placement(run->layout, other, 0, &p) && p.tier == tier &&
            p.span.to == UINT32_MAX && sw_problem_collide(run->problem, buffer, offset, other, p.offset)) {
            found = other;
        }
    }
    return found;
}

enum sw_place_fault sw_place_fault(const struct sw_problem *problem, uint32_t buffer, uint32_t tier, uint64_t offset) {
    const struct sw_buffer *b = sw_problem_buffer(problem, buffer);
    uint64_t capacity = sw_problem_tier(problem, tier)->capacity;
    if (b->size > 0 && (b->size > capacity || offset > capacity - b->size)) {
        return SW_PLACE_ABOVE_CAPACITY;
    }
    if (offset % b->alignment != 0) {
        return SW_PLACE_UNALIGNED;
    }
    if (!(b->tiers >> tier & 1)) {
        return SW_PLACE_WRONG_TIER;
    }
    size_t count;
    const struct sw_reserved *reserved = sw_problem_reserved(problem, &count);
    for (size_t i = 0; i < count && b->size > 0; i++) {
        if (reserved[i].tier == tier && offset < reserved[i].hi && reserved[i].lo < offset + b->size) {
            return SW_PLACE_RESERVED;
        }
    }
    return SW_PLACE_SOUND;
}

void sw_place_begin(const struct sw_run *run, uint32_t buffer, struct sw_decision *decision) {
    const struct sw_buffer *b = sw_problem_buffer(run->problem, buffer);
    sw_decision_clear(decision);
    decision->buffer = buffer;
    decision->time = b->first;
    decision->size = b->size;
}

enum sw_step sw_place_no_candidate(const struct sw_run *run, uint32_t count) {
    if (run->choice < (int64_t)count) {
        sw_fail(run->error, SW_ERROR_UNSUPPORTED, "candidate %lld was refused and cannot be taken",
                (long long)run->choice);
    } else {
        sw_fail(run->error, SW_ERROR_UNSUPPORTED,
                "candidate %lld does not exist: this decision has %u, numbered from 0", (long long)run->choice,
                (unsigned)count);
    }
    return SW_STEP_FAILED;
}

/* ---- pins, and blocks without a size ---- */

/* Can the pin be kept at all, others left aside? */
static bool check_pin(const struct sw_problem *problem, const struct sw_pin *pin, struct sw_error *error) {
    const struct sw_buffer *b = sw_problem_buffer(problem, pin->buffer);
    const char *name = b->name,
               *tier = pin->tier < sw_problem_tier_count(problem) ? sw_problem_tier(problem, pin->tier)->name : NULL;
    if (!tier) {
        return sw_fail(error, SW_ERROR_INFEASIBLE, "%s is pinned to a tier that does not exist", name);
    }
    if (!(sw_place_tiers(problem, pin->buffer) >> pin->tier & 1)) {
        return sw_fail(error, SW_ERROR_INFEASIBLE, "%s is pinned to %s+%llu but may not live in %s", name, tier,
                       (unsigned long long)pin->offset, tier);
    }
    if (pin->offset % b->alignment != 0) {
        return sw_fail(error, SW_ERROR_INFEASIBLE,
                       "%s is pinned to %s+%llu, which is not a multiple of its alignment %llu", name, tier,
                       (unsigned long long)pin->offset, (unsigned long long)b->alignment);
    }
    uint64_t capacity = sw_problem_tier(problem, pin->tier)->capacity, end;
    if (__builtin_add_overflow(pin->offset, b->size, &end) || end > SW_MAX_BYTES * 2 ||
        (b->size > 0 && end > capacity)) {
        return sw_fail(error, SW_ERROR_INFEASIBLE, "%s is pinned to %s+%llu and ends above the capacity %llu of %s",
                       name, tier, (unsigned long long)pin->offset, (unsigned long long)capacity, tier);
    }
    return true;
}

static enum sw_step place_at_pin(struct sw_run *run, const struct sw_pin *pin, struct sw_decision *decision) {
    uint32_t id = pin->buffer;
    const struct sw_buffer *b = sw_problem_buffer(run->problem, id);
    char name[SW_SHORT_NAME];
    sw_place_name(run->problem, id, name);
    if (!check_pin(run->problem, pin, run->error)) {
        return SW_STEP_FAILED;
    }
    bool is_free;
    uint32_t blocker;
    uint64_t before = run->gaps.visited;
    bool ok = sw_gaps_blocker(&run->gaps, run->layout, &run->rules, id, SW_WHOLE_LIFE, pin->tier, pin->offset, &is_free,
                              &blocker);
    run->work += run->gaps.visited - before + 1;
    if (!ok) {
        return sw_step_memory(run);
    }
    const char *tier = sw_problem_tier(run->problem, pin->tier)->name;
    if (!is_free) {
        return SW_STEP_FAIL(run, SW_ERROR_INFEASIBLE, "%s is pinned to %s+%llu, where %s %s", b->name, tier,
                            (unsigned long long)pin->offset,
                            blocker == SW_NONE ? "a range" : sw_problem_buffer(run->problem, blocker)->name,
                            blocker == SW_NONE ? "is reserved or forbidden" : "lies");
    }
    if (run->choice > 0) {
        return sw_place_no_candidate(run, 1);
    }
    decision->tier = pin->tier;
    decision->offset = pin->offset;
    decision->candidates = 1;
    decision->forced = pinned_by_user(run, id);
    decision->reason = decision->forced ? "pinned here by the user" : "pinned here by the input";
    if (!SW_EXPLAIN(run->explain, SW_VERDICT_CHOSEN, pin->tier, pin->offset, b->size,
                    "%s is pinned to %.40s+%llu by %s", name, tier, (unsigned long long)pin->offset,
                    decision->forced ? "the user" : "the input") ||
        !sw_place_at(run, id, pin->tier, pin->offset)) {
        return sw_step_memory(run);
    }
    return SW_STEP_MORE;
}

static enum sw_step place_empty(struct sw_run *run, uint32_t id, struct sw_decision *decision) {
    if (run->choice > 0) {
        return sw_place_no_candidate(run, 1);
    }
    decision->tier = (uint32_t)__builtin_ctzll(sw_place_tiers(run->problem, id));
    decision->candidates = 1;
    decision->reason = "size 0 takes no room";
    return SW_EXPLAIN(run->explain, SW_VERDICT_CHOSEN, decision->tier, 0, 0, "size 0 takes no room") &&
                   sw_place_at(run, id, decision->tier, 0)
               ? SW_STEP_MORE
               : sw_step_memory(run);
}

enum sw_step sw_place_settled(struct sw_run *run, uint32_t buffer, bool *done, struct sw_decision *decision) {
    struct sw_pin pin;
    enum sw_step result = SW_STEP_MORE;
    *done = true;
    if (sw_rules_pin(run->problem, &run->rules, buffer, &pin)) {
        result = place_at_pin(run, &pin, decision);
    } else if (decision->size == 0) {
        result = place_empty(run, buffer, decision);
    } else {
        *done = false;
        return SW_STEP_MORE;
    }
    if (result == SW_STEP_MORE) {
        decision->live = sw_place_live_at(run, decision->time);
    }
    return result;
}

/* ---- the rules ---- */

static bool gap_is_open(const struct place_look *look, const struct sw_gap *gap) {
    return gap->hi >= look->top;
}

/* Bytes of the gap that lie inside the present arena. */
static uint64_t inside_arena(const struct place_look *look, const struct sw_gap *gap) {
    uint64_t hi = SW_MIN(gap->hi, look->arena);
    return hi > gap->lo ? hi - gap->lo : 0;
}

static bool fits_in_arena(const struct place_look *look, const struct sw_gap *gap) {
    uint64_t hi = SW_MIN(gap->hi, look->arena);
    return gap->start <= hi && hi - gap->start >= look->size;
}

/* How large a gap counts for the rule, or UINT64_MAX when it may not be taken in this round. */
static uint64_t measure_gap(const struct place_look *look, const struct sw_gap *gap) {
    if (look->rule == SW_PLACE_SMALLEST_GAP) {
        return gap_is_open(look, gap) ? UINT64_MAX : gap->hi - gap->lo;
    }
    return look->rule != SW_PLACE_IN_ARENA ? 0 : fits_in_arena(look, gap) ? inside_arena(look, gap) : UINT64_MAX;
}

/* The smallest measure wins, ties the lowest; failing all, the lowest gap that fits at all. */
static void pick_gap(struct place_look *look) {
    const struct sw_gaps *gaps = &look->run->gaps;
    size_t lowest = gaps->gaps.count, best = gaps->gaps.count;
    uint64_t best_measure = UINT64_MAX;
    for (size_t i = 0; i < gaps->gaps.count; i++) {
        const struct sw_gap *gap = &gaps->gaps.items[i];
        if (!sw_gap_fits(gap, look->size)) {
            continue;
        }
        lowest = lowest == gaps->gaps.count ? i : lowest;
        uint64_t m = measure_gap(look, gap);
        if (m < best_measure) {
            best_measure = m;
            best = i;
        }
    }
    look->inside = best < gaps->gaps.count;
    look->alone = gaps->gaps.count == 1 && gaps->gaps.items[0].lo == 0;
    look->picked = look->inside ? best : lowest;
}

static const char *rule_reason(const struct place_look *look) {
    bool arena = look->rule == SW_PLACE_IN_ARENA;
    if (!arena && look->rule != SW_PLACE_SMALLEST_GAP) {
        return "lowest offset that fits";
    }
    return look->inside  ? arena ? "smallest free block that fits" : "smallest gap that fits"
           : look->alone ? "nothing lies in its way, so it goes to the bottom"
           : arena       ? "no free block fits, so the arena is extended at its end"
                         : "no gap between blocks fits, so it goes above them";
}

/* ---- explaining ---- */

/* Where a free space ends. For a planner with an arena, that is where the arena ends, as long as
 * the block fits below. */
static uint64_t gap_top(const struct place_look *look, const struct sw_gap *gap) {
    return look->rule == SW_PLACE_IN_ARENA && gap->hi > look->arena && fits_in_arena(look, gap) ? look->arena : gap->hi;
}

/* ", in place with conv_1_out" where the block would share bytes by a permit. */
static const char *in_place_with(const struct place_look *look, uint64_t start, char text[SW_SHORT_NAME + 20]) {
    char name[SW_SHORT_NAME];
    uint32_t with = sw_place_partner(look->run, look->id, look->tier, start);
    text[0] = '\0';
    if (with != SW_NONE) {
        snprintf(text, SW_SHORT_NAME + 20, ", in place with %s", sw_place_name(look->run->problem, with, name));
    }
    return text;
}

/* What alignment leaves free below the block is not counted. */
static const char *above_only(const struct sw_gap *gap) {
    return gap->start > gap->lo ? " above it" : "";
}

static bool explain_gap_chosen(const struct place_look *look, const struct sw_gap *gap) {
    struct sw_explanation *to = look->run->explain;
    char with[SW_SHORT_NAME + 20];
    uint64_t end = gap->start + look->size;
    uint64_t size = gap->hi == SW_UNBOUNDED ? SW_UNBOUNDED : gap->hi - gap->lo;
    if (look->rule == SW_PLACE_IN_ARENA && !look->chosen && end > look->arena) {
        return sw_explain(to, SW_VERDICT_CHOSEN, look->tier, gap->start, size, gap->below, gap->above, "%s%s by %s",
                          look->reason, look->alone ? ", and the arena is extended" : "", SW_BYTES(end - look->arena));
    }
    if (gap_top(look, gap) == SW_UNBOUNDED || look->rule == SW_PLACE_LOWEST || look->rule == SW_PLACE_ROUNDED) {
        return sw_explain(to, SW_VERDICT_CHOSEN, look->tier, gap->start, size, gap->below, gap->above, "%s%s",
                          look->reason, in_place_with(look, gap->start, with));
    }
    uint64_t hi = gap_top(look, gap);
    return sw_explain(to, SW_VERDICT_CHOSEN, look->tier, gap->start, hi - gap->lo, gap->below, gap->above,
                      "%s%s, leaves %s%s", look->reason, in_place_with(look, gap->start, with), SW_BYTES(hi - end),
                      above_only(gap));
}

static bool explain_gap_refused(const struct place_look *look, const struct sw_gap *gap) {
    const struct sw_problem *problem = look->run->problem;
    char name[SW_SHORT_NAME], above[SW_SHORT_NAME];
    const char *what = gap_is_open(look, gap) ? "the capacity" : "a reserved or forbidden range";
    bool buffer = gap->above != SW_NONE;
    if (buffer) {
        what = sw_place_name(problem, gap->above, above);
    }
    return sw_explain(look->run->explain, SW_VERDICT_REFUSED, look->tier, gap->start, gap->hi - gap->lo, gap->below,
                      gap->above, "%s (%s) refused at %.24s+%llu: %s short of %s%s",
                      sw_place_name(problem, look->id, name), SW_BYTES(look->size),
                      sw_problem_tier(problem, look->tier)->name, (unsigned long long)gap->start,
                      SW_BYTES(gap->start + look->size - gap->hi),
                      !buffer                               ? ""
                      : sw_problem_core_count(problem) == 1 ? "the next live buffer "
                                                            : "the next conflicting buffer ",
                      what);
}

static bool explain_fits(const struct place_look *look, const struct sw_gap *gap) {
    struct sw_explanation *to = look->run->explain;
    uint64_t end = gap->start + look->size, hi = gap_top(look, gap);
    char with[SW_SHORT_NAME + 20];
    if (hi == SW_UNBOUNDED) {
        return sw_explain(to, SW_VERDICT_FITS, look->tier, gap->start, SW_UNBOUNDED, gap->below, gap->above,
                          "fits%s, the end is open", in_place_with(look, gap->start, with));
    }
    return sw_explain(to, SW_VERDICT_FITS, look->tier, gap->start, hi - gap->lo, gap->below, gap->above,
                      "fits%s, leaves %s%s", in_place_with(look, gap->start, with), SW_BYTES(hi - end),
                      above_only(gap));
}

/* What stands in the way somewhere: a block that is alive with it, or a range that it may not use. */
static bool explain_blocked(const struct place_look *look, const struct sw_gap_bound *bound) {
    const struct sw_problem *problem = look->run->problem;
    struct sw_explanation *to = look->run->explain;
    uint64_t lo = bound->lo > 0 ? (uint64_t)bound->lo : 0;
    uint64_t size = bound->hi > (int64_t)lo ? (uint64_t)bound->hi - lo : 0;
    char name[SW_SHORT_NAME], other[SW_SHORT_NAME], what[240] = "reserved or forbidden";
    struct sw_placement p;
    /* With a permit the other block leaves two edges of size 0 as obstacles. The only start between them is
     * that block's own offset. */
    bool edge = size == 0 && bound->owner != SW_NONE && sw_layout_placement(look->run->layout, bound->owner, 0, &p) &&
                sw_place_partner(look->run, look->id, look->tier, p.offset) != SW_NONE;
    if (bound->owner != SW_NONE) {
        sw_place_name(problem, bound->owner, other);
        if (edge) {
            snprintf(what, sizeof what, "it may share the bytes of %s from their start only", other);
        } else {
            size_t used = (size_t)snprintf(what, sizeof what, "overlaps %s", other);
            sw_conflict_phrase(problem, look->id, bound->owner, what + used, sizeof what - used);
        }
    }
    if (!sw_explain(to, SW_VERDICT_REFUSED, look->tier, lo, size, bound->owner, bound->owner,
                    "%s (%s) refused %s %.24s+%llu: %s", sw_place_name(problem, look->id, name),
                    SW_BYTES(look->buffer->size), edge ? "below" : "at", sw_problem_tier(problem, look->tier)->name,
                    (unsigned long long)lo, what)) {
        return false;
    }
    to->candidates.items[to->candidates.count - 1].occupied = true;
    return true;
}

static bool explain_gap(const struct place_look *look, size_t i) {
    const struct sw_gap *gap = &look->run->gaps.gaps.items[i];
    return i == look->picked              ? explain_gap_chosen(look, gap)
           : sw_gap_fits(gap, look->size) ? explain_fits(look, gap)
                                          : explain_gap_refused(look, gap);
}

/* Walks free spaces and blocks together, both ascending. `wanted` is the number of a candidate: its
 * gap is returned, or gaps.count when it is a block or there is none. `tell`: explain them all. */
static bool walk_candidates(const struct place_look *look, bool tell, size_t wanted, size_t *gap) {
    const struct sw_gaps *gaps = &look->run->gaps;
    size_t g = 0, b = 0, number = 0;
    *gap = gaps->gaps.count;
    while (g < gaps->gaps.count || b < gaps->bounds.count) {
        bool space = b == gaps->bounds.count ||
                     (g < gaps->gaps.count && (int64_t)gaps->gaps.items[g].lo < gaps->bounds.items[b].lo);
        if (space && number == wanted) {
            *gap = g;
        }
        if (tell && !(space ? explain_gap(look, g) : explain_blocked(look, &gaps->bounds.items[b]))) {
            return false;
        }
        g += space;
        b += !space;
        number++;
    }
    return true;
}

static struct place_look begin_look(struct sw_run *run, enum sw_place_rule rule, uint32_t id) {
    const struct sw_buffer *b = sw_problem_buffer(run->problem, id);
    struct place_look look = {
        .run = run, .rule = rule, .id = id, .buffer = b, .size = b->size, .alignment = b->alignment};
    if (rule == SW_PLACE_ROUNDED) { /* it begins on a grain and ends on one */
        look.size = sw_align_up(b->size, SW_PLACE_GRAIN);
        look.alignment = sw_common_multiple(b->alignment, SW_PLACE_GRAIN, UINT64_MAX);
    }
    return look;
}

/* ---- one tier, and all of them ---- */

/* Find the free spaces; by SW_PLACE_ROUNDED blocks begin on a grain, for the one below ends on one.
 */
static bool find_look_gaps(struct place_look *look, uint64_t top) {
    struct sw_run *run = look->run;
    struct sw_gaps *gaps = &run->gaps;
    uint64_t before = gaps->visited;
    /* Only explanations and choices need to know which blocks are in the way. */
    bool names = run->explain || run->choice >= 0;
    bool ok = names ? sw_gaps_find(gaps, run->layout, &run->rules, look->id, SW_WHOLE_LIFE, look->tier, top)
                    : sw_gaps_glance(gaps, run->layout, &run->rules, look->id, look->tier, top);
    look->in_the_way = names ? gaps->bounds.count : gaps->in_the_way;
    run->work += gaps->visited - before + 1;
    if (!ok || look->rule != SW_PLACE_ROUNDED) {
        return ok;
    }
    for (size_t i = 0; i < gaps->gaps.count; i++) {
        gaps->gaps.items[i].start = sw_align_up(gaps->gaps.items[i].lo, look->alignment);
    }
    return true;
}

static enum sw_step settle_look(struct place_look *look, struct sw_decision *decision, uint64_t start) {
    decision->tier = look->tier;
    decision->offset = start;
    decision->reason = look->reason;
    decision->forced = look->chosen;
    sw_place_tell_partner(look->run, look->id, look->tier, start, decision);
    if (!sw_place_at(look->run, look->id, look->tier, start)) {
        return sw_step_memory(look->run);
    }
    decision->live = sw_place_live(look->run, look->id);
    return SW_STEP_MORE;
}

/* Look at one tier. `taken` says whether the block was placed there. */
static enum sw_step try_tier_by_rule(struct place_look *look, bool *taken, struct sw_decision *decision) {
    struct sw_run *run = look->run;
    *taken = false;
    look->top = sw_problem_tier(run->problem, look->tier)->capacity;
    look->arena = sw_layout_arena(run->layout, look->tier);
    if (!find_look_gaps(look, look->top)) {
        return sw_step_memory(run);
    }
    size_t base = decision->candidates, wanted = SIZE_MAX, gap;
    decision->candidates += (uint32_t)(run->gaps.gaps.count + look->in_the_way);
    pick_gap(look);
    look->reason = rule_reason(look);
    bool found = look->picked < run->gaps.gaps.count;
    if (found && run->choice >= 0) {
        /* The rule's own pick ends the list of tiers, so a candidate that can be taken is here. */
        wanted = (size_t)run->choice - base;
        walk_candidates(look, false, wanted, &gap);
        if ((size_t)run->choice < base || gap == run->gaps.gaps.count ||
            !sw_gap_fits(&run->gaps.gaps.items[gap], look->size)) {
            return sw_place_no_candidate(run, decision->candidates);
        }
        look->picked = gap;
        look->chosen = true;
        look->reason = "chosen by the user";
    }
    if (run->explain && !walk_candidates(look, true, wanted, &gap)) {
        return sw_step_memory(run);
    }
    *taken = found;
    return found ? settle_look(look, decision, run->gaps.gaps.items[look->picked].start) : SW_STEP_MORE;
}

/* Nothing fits anywhere: above the highest block of the last tier, beyond its capacity. */
static enum sw_step place_above(struct place_look *look, struct sw_decision *decision) {
    struct sw_run *run = look->run;
    uint64_t capacity = sw_problem_tier(run->problem, look->tier)->capacity;
    if (!find_look_gaps(look, SW_UNBOUNDED)) {
        return sw_step_memory(look->run);
    }
    size_t count = run->gaps.gaps.count;
    const struct sw_gap *gap = count ? &run->gaps.gaps.items[count - 1] : NULL;
    if (!gap || gap->hi != SW_UNBOUNDED || gap->start > SW_MAX_BYTES * 2) {
        return SW_STEP_FAIL(look->run, SW_ERROR_INFEASIBLE, "%s (%s) has no room in %s or above it", look->buffer->name,
                            SW_BYTES(look->buffer->size), sw_problem_tier(run->problem, look->tier)->name);
    }
    decision->candidates++;
    if (run->choice >= 0 && run->choice != (int64_t)decision->candidates - 1) {
        return sw_place_no_candidate(run, decision->candidates);
    }
    look->chosen = run->choice >= 0;
    look->reason = "fits nowhere below the capacity: placed regardless";
    decision->place.above = gap->start + look->size - capacity;
    if (!sw_explain(run->explain, SW_VERDICT_CHOSEN, look->tier, gap->start, SW_UNBOUNDED, gap->below, SW_NONE,
                    "fits nowhere, so it goes on top and ends %s above the capacity",
                    SW_BYTES(decision->place.above))) {
        return sw_step_memory(look->run);
    }
    return settle_look(look, decision, gap->start);
}

/* ---- from the shelf ---- */

/* The shelf as the moment, or the crowd, has it. False: there is none, look without it. */
static bool shelf_ready(struct sw_run *run, const struct sw_shelf_view *view) {
    struct sw_shelf *shelf = run->shelf;
    if (!shelf || run->explain || run->choice >= 0 || !sw_shelf_serves(run->layout, &run->rules)) {
        return false; /* explanations and choices need every space, not only the one that is taken */
    }
    return sw_shelf_shows(shelf, run->layout, view) ? view->crowd || sw_shelf_bury(shelf, view->step)
                                                    : sw_shelf_fill(shelf, run->layout, view);
}

/* Where the rule puts the block: above block `below`, at `start`. False: above the capacity. */
static bool shelf_pick(struct place_look *look, uint32_t *below, uint64_t *start) {
    const struct sw_shelf *shelf = look->run->shelf;
    uint64_t size = look->size, alignment = look->alignment, top = sw_shelf_top(shelf);
    const struct sw_shelf_gap *gap = sw_shelf_find(shelf, size, alignment);
    /* The topmost space is open. By SW_PLACE_IN_ARENA it counts as far as the arena goes. */
    struct sw_gap open = {.lo = top, .hi = look->top, .start = sw_align_up(top, alignment)};
    look->alone = shelf->count == 0;
    look->inside = gap != NULL;
    if (look->rule == SW_PLACE_IN_ARENA && fits_in_arena(look, &open)) {
        look->inside = true;
        gap = gap && gap->size <= inside_arena(look, &open) ? gap : NULL;
    }
    *below = gap ? gap->below : shelf->top;
    *start = gap ? sw_align_up(gap->lo, alignment) : open.start;
    return gap || sw_gap_fits(&open, size);
}

/* Place the block as the shelf has it. False: it cannot, and nothing was done. */
static bool place_by_shelf(struct place_look *look, const struct sw_shelf_view *view, enum sw_step *result,
                           struct sw_decision *decision) {
    struct sw_run *run = look->run;
    struct sw_shelf *shelf = run->shelf;
    const struct sw_buffer *b = look->buffer;
    uint32_t below;
    uint64_t start;
    look->top = sw_problem_tier(run->problem, 0)->capacity;
    look->arena = sw_layout_arena(run->layout, 0);
    if (b->size == 0 || !(sw_place_tiers(run->problem, look->id) & 1) || !shelf_ready(run, view) ||
        !shelf_pick(look, &below, &start)) {
        return false;
    }
    sw_place_begin(run, look->id, decision);
    /* Counted as by looking at each block: whatever is alive was looked at, and each block and each space
     * is a candidate. */
    run->work += sw_problem_alive_count(run->problem, b->first, b->last);
    decision->candidates = shelf->count + shelf->gaps + (sw_shelf_top(shelf) < look->top);
    decision->tier = 0;
    decision->offset = start;
    decision->reason = rule_reason(look);
    decision->live = (view->crowd ? sw_shelf_live(shelf, b->first) : shelf->bytes) + b->size;
    *result = SW_STEP_MORE;
    if (!sw_place_at(run, look->id, 0, start)) {
        *result = sw_step_memory(run);
        return true;
    }
    sw_shelf_put(shelf, run->layout, look->id, start, below); /* failing that it is made anew */
    return true;
}

enum sw_step sw_place_by(struct sw_run *run, enum sw_place_rule rule, uint32_t buffer, struct sw_decision *decision) {
    sw_place_begin(run, buffer, decision);
    bool done;
    enum sw_step result = sw_place_settled(run, buffer, &done, decision);
    if (done) {
        return result;
    }
    struct place_look look = begin_look(run, rule, buffer);
    struct sw_shelf_view crowd = {.by_size = rule == SW_PLACE_SMALLEST_GAP || rule == SW_PLACE_IN_ARENA, .crowd = true};
    if (sw_problem_together(run->problem, &crowd.step) && place_by_shelf(&look, &crowd, &result, decision)) {
        return result;
    }
    for (uint64_t tiers = sw_place_tiers(run->problem, buffer); tiers != 0; tiers &= tiers - 1) {
        bool taken;
        look.tier = (uint32_t)__builtin_ctzll(tiers);
        result = try_tier_by_rule(&look, &taken, decision);
        if (taken || result != SW_STEP_MORE) {
            return result;
        }
    }
    return place_above(&look, decision);
}

enum sw_step sw_place_next(struct sw_run *run, enum sw_place_rule rule, uint32_t buffer, struct sw_decision *decision) {
    struct place_look look = begin_look(run, rule, buffer);
    struct sw_shelf_view view = {.by_size = rule == SW_PLACE_IN_ARENA,
                                 .step = look.buffer->first,
                                 .rank = sw_problem_rank(run->problem, buffer).at};
    enum sw_step result;
    return place_by_shelf(&look, &view, &result, decision) ? result : sw_place_by(run, rule, buffer, decision);
}
