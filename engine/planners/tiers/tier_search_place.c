/* Rules R1 to R7 of tier-search: where a block goes, and PRECONF of the steps to come. See
 * tier_search.c for the method.
 *
 * A free space is what layout/free/gaps.h says is free for the block, so holes, byte windows, pins,
 * reserved ranges, several cores and blocks kept separate need no rules of their own here. The list
 * of obstacles behind it (`bounds`) also shows what is left of a reusable block: its bytes, when it
 * is itself left out of the obstacles. */
#include "planners/tiers/tier_search.h"
#include "base/base.h"
#include "base/sort.h"
#include "problem/hot.h"

#define NEVER UINT64_MAX
enum { SEARCH_WORK = 20 }; /* what a look for gaps costs besides its neighbors */

static uint64_t room_capacity(const struct sw_tier_room *room, uint32_t tier) {
    return sw_problem_tier(room->run->problem, tier)->capacity;
}

static bool find_room_gaps(struct sw_tier_room *room, uint32_t buffer, uint32_t tier, uint64_t top) {
    struct sw_run *run = room->run;
    uint64_t before = run->gaps.visited;
    bool ok = sw_gaps_find(&run->gaps, room->layout, &run->rules, buffer, SW_WHOLE_LIFE, tier, top);
    run->work += run->gaps.visited - before + SEARCH_WORK;
    room->bounds = run->gaps.bounds.items;
    room->bound_count = run->gaps.bounds.count;
    return ok;
}

/* What is in the way of a block of a later step; the work is the same, whoever is asked. */
static bool find_obstacles(struct sw_tier_room *room, uint32_t buffer, uint32_t tier) {
    const struct sw_buffer *b = sw_problem_buffer(room->run->problem, buffer);
    if (!room->sweep) {
        return find_room_gaps(room, buffer, tier, room_capacity(room, tier));
    }
    uint32_t alive = sw_problem_alive_count(room->run->problem, b->first, b->last) - 1;
    room->run->gaps.visited += alive;
    room->run->work += alive + SEARCH_WORK;
    room->bounds = room->sweep->tiers[tier].items;
    room->bound_count = room->sweep->tiers[tier].count;
    return true;
}

/* ---- R4, R5: the side of a free space ---- */

/* The free spaces of the tier last looked at, one after another by address. */
struct space_walk {
    uint64_t lo, hi; /* the space; hi = SW_UNBOUNDED: an open end */
    size_t from, to; /* the obstacles that end at `lo` or begin at `hi` are among [from, to) */
    size_t next;     /* the first that begins at `hi` or above */
    int64_t cursor;  /* the highest end of those before it */
    uint64_t top;
};

static struct space_walk walk_spaces(const struct sw_tier_room *room, uint32_t tier) {
    return (struct space_walk){.top = room_capacity(room, tier)};
}

/* On to the next one; false at the end. */
static bool next_space(const struct sw_tier_room *room, struct space_walk *walk) {
    const struct sw_gap_bound *bounds = room->bounds;
    size_t count = room->bound_count, at = walk->next;
    int64_t cursor = walk->cursor, top = walk->top == SW_UNBOUNDED ? INT64_MAX : (int64_t)walk->top;
    for (; at < count && bounds[at].lo <= cursor; at++) {
        if (bounds[at].hi > cursor) {
            cursor = bounds[at].hi;
            walk->from = at;
        }
    }
    walk->cursor = cursor;
    walk->next = walk->to = at;
    if (cursor >= top) {
        return false;
    }
    walk->lo = (uint64_t)cursor;
    walk->hi = at < count && bounds[at].lo < top ? (uint64_t)bounds[at].lo : walk->top;
    while (walk->to < count && bounds[walk->to].lo == bounds[at].lo) {
        walk->to++;
    }
    walk->cursor = SW_MAX(cursor, walk->hi == SW_UNBOUNDED ? INT64_MAX : (int64_t)walk->hi);
    return true;
}

/* When the edge of a free space goes: the last step of the blocks that end (low edge) or begin
 * (high edge) there; reserved and forbidden ranges are boundaries like the ends of the region and
 * stay forever. Where a block lies over another one, the later of the two is the neighbor. */
static uint64_t edge_dies(const struct sw_tier_room *room, const struct space_walk *walk, uint64_t at, bool low) {
    uint64_t dies = 0;
    for (size_t i = walk->from; i < walk->to; i++) {
        const struct sw_gap_bound *bound = &room->bounds[i];
        int64_t edge = low ? bound->hi : bound->lo;
        if (edge < 0 || (uint64_t)edge != at) {
            continue;
        }
        uint64_t last = bound->owner == SW_NONE ? NEVER : sw_problem_buffer(room->run->problem, bound->owner)->last;
        dies = SW_MAX(last, dies);
    }
    return dies;
}

/* R5: does the block touch the high side first? */
static bool high_first(const struct space_walk *walk, uint64_t low, uint64_t high) {
    if (high != low) {
        return high > low;
    }
    return low != NEVER && walk->top - walk->hi < walk->lo; /* a boundary is nowhere nearer than here */
}

/* R4: at one end or the other, as near as its alignment allows. An end that is open, or farther
 * away than addresses go, cannot be touched. */
static void set_sides(const struct sw_tier_room *room, const struct sw_buffer *buffer, const struct space_walk *walk,
                      struct sw_tier_space *space) {
    space->lo = walk->lo;
    space->hi = walk->hi;
    space->first = space->second = space->start = sw_align_up(walk->lo, buffer->alignment);
    space->fits = space->hi == SW_UNBOUNDED || (space->start <= space->hi && space->hi - space->start >= buffer->size);
    space->low_dies = space->high_dies = NEVER;
    if (space->fits && space->hi <= SW_MAX_BYTES) {
        space->low_dies = walk->lo == 0 ? NEVER : edge_dies(room, walk, walk->lo, true);
        space->high_dies = walk->hi == walk->top ? NEVER : edge_dies(room, walk, walk->hi, false);
        uint64_t high = space->hi - buffer->size;
        high -= buffer->alignment > 1 ? high % buffer->alignment : 0;
        if (high_first(walk, space->low_dies, space->high_dies)) {
            space->first = high;
        } else {
            space->second = high;
        }
    }
}

bool sw_tier_free_spaces(struct sw_tier_room *room, uint32_t buffer, uint32_t tier, struct sw_tier_spaces *spaces) {
    const struct sw_buffer *b = sw_problem_buffer(room->run->problem, buffer);
    if (!find_room_gaps(room, buffer, tier, room_capacity(room, tier))) {
        return false;
    }
    struct space_walk walk = walk_spaces(room, tier);
    for (size_t i = 0; next_space(room, &walk) && i < room->run->gaps.gaps.count; i++) {
        const struct sw_gap *gap = &room->run->gaps.gaps.items[i];
        struct sw_tier_space space = {.tier = tier, .old = SW_NONE, .below = gap->below, .above = gap->above};
        set_sides(room, b, &walk, &space);
        if (!SW_PUSH(&spaces->items, space)) {
            return false;
        }
    }
    return true;
}

/* ---- R6: overwrite targets ---- */

static bool may_overwrite(const struct sw_tier_room *room, uint32_t fresh, uint32_t old) {
    return sw_tier_may_overwrite(room->plan, fresh, old) &&
           (room->sweep || (!sw_tier_is_split(room->layout, fresh) && !sw_tier_is_split(room->layout, old)));
}

/* Is the obstacle no obstacle to `fresh` inside the bytes of `old`? Itself, and what it was written
 * over. */
static bool is_gone(const struct sw_tier_room *room, uint32_t fresh, uint32_t old, uint32_t owner) {
    return owner == old || (owner != SW_NONE && may_overwrite(room, old, owner) && may_overwrite(room, fresh, owner));
}

static bool add_target(const struct sw_buffer *b, uint32_t old, uint32_t tier, uint64_t lo, uint64_t hi,
                       struct sw_tier_spaces *spaces) {
    struct sw_tier_space space = {.lo = lo,
                                  .hi = hi,
                                  .start = sw_align_up(lo, b->alignment),
                                  .tier = tier,
                                  .old = old,
                                  .below = SW_NONE,
                                  .above = SW_NONE};
    space.fits = space.start <= hi && hi - space.start >= b->size;
    space.first = space.second = space.start;
    return lo >= hi || SW_PUSH(&spaces->items, space);
}

/* Where only the start will do: of a target the part that begins there, if any. */
static bool is_start(const struct sw_tier_room *room, const struct sw_buffer *b, const struct sw_tier_spot *old,
                     uint64_t lo) {
    return !room->plan->exact || (lo == old->offset && sw_align_up(lo, b->alignment) == old->offset);
}

/* What is left of one reusable block. */
static bool add_rest(struct sw_tier_room *room, uint32_t buffer, uint32_t old, const struct sw_tier_spot *spot,
                     struct sw_tier_spaces *spaces) {
    const struct sw_buffer *b = sw_problem_buffer(room->run->problem, buffer);
    uint64_t cursor = spot->offset;
    uint64_t end = spot->offset + sw_problem_buffer(room->run->problem, old)->size;
    for (size_t i = 0; i < room->bound_count && cursor < end; i++) {
        const struct sw_gap_bound *bound = &room->bounds[i];
        if (bound->hi <= (int64_t)cursor || is_gone(room, buffer, old, bound->owner)) {
            continue;
        }
        uint64_t stop = bound->lo > (int64_t)end ? end : bound->lo < (int64_t)cursor ? cursor : (uint64_t)bound->lo;
        if (is_start(room, b, spot, cursor) && !add_target(b, old, spot->tier, cursor, stop, spaces)) {
            return false;
        }
        cursor = (uint64_t)bound->hi;
    }
    return !is_start(room, b, spot, cursor) || add_target(b, old, spot->tier, cursor, end, spaces);
}

/* Where the block lies, if that is in the tier last looked at. */
static struct sw_tier_spot spot_in_tier(const struct sw_tier_room *room, uint32_t buffer, uint32_t tier) {
    if (!room->sweep) {
        return sw_tier_spot_of(room->layout, buffer);
    }
    for (size_t i = 0; i < room->bound_count; i++) {
        if (room->bounds[i].owner == buffer) {
            return (struct sw_tier_spot){(uint64_t)room->bounds[i].lo, tier, 0, 0};
        }
    }
    return (struct sw_tier_spot){0, SW_NONE, 0, 0};
}

bool sw_tier_targets(struct sw_tier_room *room, uint32_t buffer, uint32_t tier, struct sw_tier_spaces *spaces) {
    const struct sw_tier_plan *plan = room->plan;
    for (uint32_t i = plan->old_at[buffer]; i < plan->old_at[buffer + 1]; i++) {
        struct sw_tier_spot spot = spot_in_tier(room, plan->olds[i], tier);
        if (spot.tier == tier && (room->sweep || !sw_tier_is_split(room->layout, plan->olds[i])) &&
            !add_rest(room, buffer, plan->olds[i], &spot, spaces)) {
            return false;
        }
    }
    return true;
}

/* ---- R2: best fit ---- */

/* The smallest of items [from, to) that fits, ties the lowest; `to` when there is none. */
static size_t smallest_space(const struct sw_tier_spaces *spaces, size_t from, size_t to) {
    size_t best = to;
    for (size_t i = from; i < to; i++) {
        const struct sw_tier_space *space = &spaces->items.items[i];
        const struct sw_tier_space *least = best < to ? &spaces->items.items[best] : NULL;
        if (space->fits && (!least || sw_tier_extent(space) < sw_tier_extent(least) ||
                            (sw_tier_extent(space) == sw_tier_extent(least) && space->lo < least->lo))) {
            best = i;
        }
    }
    return best;
}

/* ---- places given from outside: pins, and what scripts propose ---- */

const char *sw_tier_unfit(const struct sw_problem *problem, uint32_t buffer, const struct sw_tier_spot *spot) {
    const struct sw_buffer *b = sw_problem_buffer(problem, buffer);
    uint64_t end;
    if (spot->tier >= sw_problem_tier_count(problem)) {
        return "in a tier that does not exist";
    }
    if (!(sw_place_tiers(problem, buffer) >> spot->tier & 1)) {
        return "in a tier where it may not live";
    }
    if (b->alignment > 1 && spot->offset % b->alignment != 0) {
        return "at an offset that is not a multiple of its alignment";
    }
    if (__builtin_add_overflow(spot->offset, b->size, &end) || end > SW_MAX_BYTES * 2 ||
        end > sw_problem_tier(problem, spot->tier)->capacity) {
        return "where it ends above the capacity";
    }
    return NULL;
}

/* May the block lie there, over the other one or under it? */
static bool may_share_room(const struct sw_tier_room *room, uint32_t buffer, const struct sw_tier_spot *spot,
                           uint32_t other) {
    return (may_overwrite(room, buffer, other) || may_overwrite(room, other, buffer)) &&
           (!room->plan->exact || sw_tier_spot_of(room->layout, other).offset == spot->offset);
}

bool sw_tier_is_free(struct sw_tier_room *room, uint32_t buffer, const struct sw_tier_spot *spot, bool *free_,
                     uint32_t *blocker) {
    int64_t x = (int64_t)spot->offset;
    int64_t size = (int64_t)sw_problem_buffer(room->run->problem, buffer)->size;
    if (!find_room_gaps(room, buffer, spot->tier, SW_UNBOUNDED)) {
        return false;
    }
    *free_ = true;
    *blocker = SW_NONE;
    for (size_t i = 0; i < room->bound_count && size > 0; i++) {
        const struct sw_gap_bound *bound = &room->bounds[i];
        if (bound->lo - size < x && x < bound->hi &&
            (bound->owner == SW_NONE || !may_share_room(room, buffer, spot, bound->owner))) {
            *free_ = false;
            *blocker = bound->owner;
            return true;
        }
    }
    return true;
}

/* ---- one block of a later step ---- */

/* A block that is pinned or has no size has its place already. */
static bool is_settled(const struct sw_run *run, uint32_t buffer, struct sw_tier_spot *spot) {
    struct sw_pin pin;
    if (sw_rules_pin(run->problem, &run->rules, buffer, &pin)) {
        *spot = (struct sw_tier_spot){pin.offset, pin.tier, 0, 0};
        return true;
    }
    if (sw_problem_buffer(run->problem, buffer)->size == 0) {
        *spot = (struct sw_tier_spot){0, (uint32_t)__builtin_ctzll(sw_place_tiers(run->problem, buffer)), 0, 0};
        return true;
    }
    return false;
}

/* The next tier of a set from `tier` on; SW_MAX_TIERS at the end. */
static uint32_t next_tier_of(uint64_t tiers, uint32_t tier) {
    while (tier < SW_MAX_TIERS && !(tiers >> tier & 1)) {
        tier++;
    }
    return tier;
}

/* R2, R6: list the spaces of a tier, and pick of them a target that fits, or else a free space: the target's tier is as
 * high as that of plain allocation. NO_SPACE: neither fits. */
#define NO_SPACE SIZE_MAX
static bool pick_in_tier(struct sw_tier_room *room, uint32_t buffer, uint32_t tier, struct sw_tier_spaces *spaces,
                         size_t *pick) {
    size_t from = spaces->items.count;
    if (!sw_tier_free_spaces(room, buffer, tier, spaces)) {
        return false;
    }
    size_t plain = spaces->items.count;
    if (!sw_tier_targets(room, buffer, tier, spaces)) {
        return false;
    }
    size_t end = spaces->items.count, target = smallest_space(spaces, plain, end);
    size_t space = target < end ? target : smallest_space(spaces, from, plain);
    *pick = target < end || space < plain ? space : NO_SPACE;
    return true;
}

/* R1: the tiers from the given one on, and if it fits in none of them those above it: which is the n-th? SW_MAX_TIERS
 * at the end. */
static uint32_t first_tier_tried(const struct sw_tier_room *room, uint32_t buffer, uint64_t tiers) {
    uint32_t given = room->plan->given[sw_problem_rank(room->run->problem, buffer).at];
    return next_tier_of(tiers, given) < SW_MAX_TIERS ? given : 0;
}

/* R2: the free space that smallest_space would find in a list of all. False: none fits. */
static bool smallest_free(const struct sw_tier_room *room, const struct sw_buffer *b, uint32_t tier,
                          struct space_walk *best) {
    struct space_walk walk = walk_spaces(room, tier);
    uint64_t least = 0;
    bool found = false;
    while (next_space(room, &walk)) {
        uint64_t extent = walk.hi == SW_UNBOUNDED ? SW_UNBOUNDED : walk.hi - walk.lo;
        if (extent >= b->size && (!found || extent < least) &&
            (walk.hi == SW_UNBOUNDED || sw_align_up(walk.lo, b->alignment) + b->size <= walk.hi)) {
            *best = walk;
            least = extent;
            found = true;
        }
    }
    return found;
}

/* What pick_in_tier picks, without a list of what it could have been. spot->tier = SW_NONE: neither fits. */
static bool pick_at_once(struct sw_tier_room *room, uint32_t buffer, uint32_t tier, struct sw_tier_spaces *spaces,
                         struct sw_tier_spot *spot) {
    const struct sw_buffer *b = sw_problem_buffer(room->run->problem, buffer);
    spaces->items.count = 0;
    if (!find_obstacles(room, buffer, tier) || !sw_tier_targets(room, buffer, tier, spaces)) {
        return false;
    }
    size_t target = smallest_space(spaces, 0, spaces->items.count);
    if (target < spaces->items.count) {
        *spot = (struct sw_tier_spot){spaces->items.items[target].first, tier, 0, 0};
        return true;
    }
    struct space_walk walk = {0};
    struct sw_tier_space space = {0};
    bool fits = smallest_free(room, b, tier, &walk);
    if (fits) {
        set_sides(room, b, &walk, &space);
    }
    *spot = (struct sw_tier_spot){space.first, fits ? tier : SW_NONE, 0, 0};
    return true;
}

/* The turn of a tier in R1. */
static uint32_t tier_turn(uint32_t given, uint32_t tier) {
    return tier >= given ? tier - given : SW_MAX_TIERS + tier;
}

struct turn_of_space {
    uint64_t extent, lo;
    size_t at; /* of the spaces */
    uint32_t turn;
};
SW_BY_FIELDS(compare_turns, struct turn_of_space, SW_UP(turn), SW_UP(extent), SW_UP(lo))

/* The spaces that fit: targets, or free ones, in the order of R1 and R2. */
static struct turn_of_space *turns_of_spaces(const struct sw_tier_spaces *spaces, bool targets, uint32_t given,
                                             struct sw_arena *arena, size_t *count) {
    struct turn_of_space *turns = SW_NEW_IN(arena, struct turn_of_space, spaces->items.count);
    *count = 0;
    for (size_t i = 0; turns && i < spaces->items.count; i++) {
        const struct sw_tier_space *space = &spaces->items.items[i];
        if (space->fits && (space->old != SW_NONE) == targets) {
            turns[(*count)++] =
                (struct turn_of_space){sw_tier_extent(space), space->lo, i, tier_turn(given, space->tier)};
        }
    }
    sw_sort(turns, *count, sizeof *turns, compare_turns);
    return turns;
}

/* A script's rule is in place of R1, R2, R4 and R5: of the spaces of all tiers, which are listed, the one that it ranks
 * first, and of that the end that it says is `first` then. R6 as ever. */
static bool pick_ranked(struct sw_tier_room *room, uint32_t buffer, uint32_t given, struct sw_tier_spaces *spaces,
                        struct sw_tier_ranking *ranking, size_t *pick) {
    size_t count, target_count, *spaces_of = SW_NEW_IN(&ranking->arena, size_t, 2 * spaces->items.count);
    const struct turn_of_space *free_ = turns_of_spaces(spaces, false, given, &ranking->arena, &count);
    const struct turn_of_space *targets = turns_of_spaces(spaces, true, given, &ranking->arena, &target_count);
    bool ok = free_ && targets && spaces_of;
    for (size_t i = 0; ok && i < count; i++) {
        const struct sw_tier_space *space = &spaces->items.items[free_[i].at];
        spaces_of[ranking->places.count] = free_[i].at;
        ok = sw_tier_rank_place(ranking, space, space->first);
        if (ok && space->second != space->first) {
            spaces_of[ranking->places.count] = free_[i].at;
            ok = sw_tier_rank_place(ranking, space, space->second);
        }
    }
    *pick = NO_SPACE;
    if (!ok || !sw_tier_rank(room, buffer, given, ranking)) {
        return false;
    }
    const struct sw_tier_place *place = count > 0 ? &ranking->places.items[ranking->order[0]] : NULL;
    if (target_count > 0 && (!place || targets[0].turn <= tier_turn(given, place->tier))) {
        *pick = targets[0].at;
        ranking->why = NULL;
    } else if (place) {
        *pick = spaces_of[ranking->order[0]];
        struct sw_tier_space *space = &spaces->items.items[*pick];
        space->second = space->first == place->offset ? space->second : space->first;
        space->first = place->offset;
    }
    return true;
}

/* The spaces of all tiers. */
static bool list_everywhere(struct sw_tier_room *room, uint32_t buffer, struct sw_tier_spaces *spaces) {
    uint64_t tiers = sw_place_tiers(room->run->problem, buffer);
    spaces->items.count = 0;
    for (uint32_t t = next_tier_of(tiers, 0); t < SW_MAX_TIERS; t = next_tier_of(tiers, t + 1)) {
        if (!sw_tier_free_spaces(room, buffer, t, spaces) || !sw_tier_targets(room, buffer, t, spaces)) {
            return false;
        }
    }
    return true;
}

/* The same for a block of a later step. */
static bool allocate_ranked(struct sw_tier_room *room, uint32_t buffer, struct sw_tier_spaces *spaces,
                            struct sw_tier_spot *spot) {
    uint32_t given = first_tier_tried(room, buffer, sw_place_tiers(room->run->problem, buffer));
    struct sw_tier_ranking ranking = {0};
    size_t pick = NO_SPACE;
    bool ok = list_everywhere(room, buffer, spaces) && pick_ranked(room, buffer, given, spaces, &ranking, &pick);
    sw_tier_ranking_done(&ranking);
    if (ok && pick != NO_SPACE) {
        const struct sw_tier_space *space = &spaces->items.items[pick];
        *spot = (struct sw_tier_spot){space->first, space->tier, 0, 0};
    }
    return ok;
}

/* R1: the first tier in which there is one. spot->tier = SW_NONE: there is no room. */
static bool allocate_block(struct sw_tier_room *room, uint32_t buffer, struct sw_tier_spaces *spaces,
                           struct sw_tier_spot *spot) {
    uint64_t tiers = sw_place_tiers(room->run->problem, buffer);
    *spot = (struct sw_tier_spot){0, SW_NONE, 0, 0};
    if (sw_tier_ranks(room->run)) {
        return allocate_ranked(room, buffer, spaces, spot);
    }
    uint32_t given = first_tier_tried(room, buffer, tiers);
    for (int above = 0; above < 2; above++) {
        uint64_t some = above ? tiers & ((UINT64_C(1) << given) - 1) : tiers >> given << given;
        for (uint32_t t = next_tier_of(some, 0); t < SW_MAX_TIERS; t = next_tier_of(some, t + 1)) {
            if (!pick_at_once(room, buffer, t, spaces, spot)) {
                return false;
            }
            if (spot->tier != SW_NONE) {
                return true;
            }
        }
    }
    return true;
}

/* `spot`: its tier is SW_NONE where there is no room. */
static bool place_later(struct sw_tier_room *room, uint32_t buffer, struct sw_tier_spaces *spaces,
                        struct sw_tier_later *later, struct sw_tier_spot *spot) {
    bool placed = false;
    uint32_t blocker;
    if (!is_settled(room->run, buffer, spot)) {
        if (!allocate_block(room, buffer, spaces, spot)) {
            return false;
        }
        placed = spot->tier != SW_NONE;
    } else if (sw_problem_buffer(room->run->problem, buffer)->size == 0) {
        placed = true;
    } else if (!sw_tier_unfit(room->run->problem, buffer, spot) &&
               !sw_tier_is_free(room, buffer, spot, &placed, &blocker)) {
        return false;
    }
    if (!placed) {
        spot->tier = SW_NONE;
        return true;
    }
    if (later->spots) {
        later->spots[sw_problem_rank(room->run->problem, buffer).at] = *spot;
    }
    return (!room->sweep || sw_tier_sweep_add(room->sweep, room->run->problem, buffer, spot)) &&
           (later->spots || sw_layout_place(room->layout, buffer, spot->tier, spot->offset));
}

/* Blocks are obstacles when they are alive together: take out those that are born before this one dies. */
static bool lift_before(struct sw_tier_room *room, uint32_t buffer, struct sw_tier_later *later) {
    const struct sw_tier_plan *plan = room->plan;
    uint32_t reach = plan->reach[sw_problem_rank(room->run->problem, buffer).at];
    uint32_t end = plan->births[SW_MIN(reach, plan->steps - 1) + 1];
    for (; later->lifted < end; later->lifted++) {
        if (!sw_layout_lift(room->layout, sw_problem_order(room->run->problem)[later->lifted])) {
            return false;
        }
    }
    return true;
}

/* Where it is known to lie, if anywhere. False: it costs too much already. */
static bool compare_known_sides(const struct sw_tier_room *room, uint32_t buffer, const struct sw_tier_spot *spot,
                                struct sw_tier_later *later) {
    uint32_t rank = sw_problem_rank(room->run->problem, buffer).at, tiers = sw_problem_tier_count(room->run->problem);
    const struct sw_tier_spot *known = later->known ? sw_tier_spot_at(later->known, rank) : NULL;
    if (!known || sw_tier_same_spot(known, spot)) {
        return true;
    }
    later->until = SW_MAX(room->plan->reach[rank], later->until);
    if (later->prices && known->tier != spot->tier) {
        const double *prices = &later->prices[(size_t)rank * tiers];
        later->more += prices[spot->tier] - prices[known->tier];
    }
    return !later->prices || later->more <= later->most;
}

static bool plan_later(struct sw_tier_room *room, uint32_t step, struct sw_tier_later *later,
                       struct sw_tier_spaces *spaces) {
    const struct sw_tier_plan *plan = room->plan;
    later->end = plan->births[step < plan->steps ? step : plan->steps];
    later->fits = true;
    for (uint32_t t = step; t < plan->steps; t++) {
        if (later->known && later->until < t) {
            return true; /* all blocks that differ are dead: from here on everything is as it was */
        }
        if (room->sweep && t > step) {
            sw_tier_sweep_reach(room->sweep, room->run->problem, t);
        }
        for (uint32_t i = plan->births[t]; i < plan->births[t + 1]; i++) {
            uint32_t buffer = plan->turns[i];
            struct sw_tier_spot spot;
            later->end = plan->births[t + 1];
            if ((later->lifts && !lift_before(room, buffer, later)) ||
                !place_later(room, buffer, spaces, later, &spot)) {
                return false;
            }
            if (spot.tier == SW_NONE) {
                later->fits = false;
                later->stuck = buffer;
                later->stuck_at = t;
                return true;
            }
            if (!compare_known_sides(room, buffer, &spot, later)) {
                later->fits = false;
                return true;
            }
        }
    }
    return true;
}

bool sw_tier_plan_later(struct sw_tier_room *room, uint32_t step, struct sw_tier_later *later) {
    struct sw_tier_spaces spaces = {0};
    bool ok = plan_later(room, step, later, &spaces);
    SW_ARRAY_DONE(&spaces.items);
    return ok;
}

/* ---- one block of PRECONF(0 .. n-1), with all its candidates ---- */

/* Everything about one such decision. */
struct preconf {
    struct sw_tier_search *search;
    struct sw_tier_room room;
    struct sw_run *run;
    uint32_t id;
    const struct sw_buffer *buffer;
    size_t picked;    /* of search->spaces; its count: none */
    bool user, given; /* chosen by the user; in the tier that it is given, or below */
    const char *why;  /* a script's rule ranked it first; NULL */
};

/* List every tier's spaces, and pick as the rules say. */
static bool look_everywhere(struct preconf *p) {
    struct sw_tier_spaces *spaces = &p->search->spaces;
    uint64_t tiers = sw_place_tiers(p->run->problem, p->id);
    size_t pick, first = NO_SPACE, above = NO_SPACE;
    uint32_t given = first_tier_tried(&p->room, p->id, tiers);
    spaces->items.count = 0;
    if (sw_tier_ranks(p->run)) {
        struct sw_tier_ranking ranking = {0};
        bool ok =
            list_everywhere(&p->room, p->id, spaces) && pick_ranked(&p->room, p->id, given, spaces, &ranking, &first);
        p->why = ranking.why;
        sw_tier_ranking_done(&ranking);
        p->picked = first == NO_SPACE ? spaces->items.count : first;
        p->given = ok && first != NO_SPACE && given > 0 && spaces->items.items[first].tier >= given;
        return ok;
    }
    for (uint32_t t = next_tier_of(tiers, 0); t < SW_MAX_TIERS; t = next_tier_of(tiers, t + 1)) {
        if (!pick_in_tier(&p->room, p->id, t, spaces, &pick)) {
            return false;
        }
        size_t *found = t < given ? &above : &first;
        *found = *found == NO_SPACE ? pick : *found;
    }
    first = first == NO_SPACE ? above : first;
    p->given = first != NO_SPACE && given > 0 && spaces->items.items[first].tier >= given;
    p->picked = first == NO_SPACE ? spaces->items.count : first;
    return true;
}

/* Which block at which step, required, available, largest hole. */
static enum sw_step find_no_place(const struct preconf *p) {
    const struct sw_tier_spaces *spaces = &p->search->spaces;
    const struct sw_problem *problem = p->run->problem;
    uint64_t available = 0, hole = 0;
    uint32_t tier = SW_NONE;
    for (size_t i = 0; i < spaces->items.count; i++) {
        const struct sw_tier_space *space = &spaces->items.items[i];
        available += space->old == SW_NONE ? sw_tier_extent(space) : 0;
        if (sw_tier_extent(space) > hole) {
            hole = sw_tier_extent(space);
            tier = space->tier;
        }
    }
    p->run->no_room = (struct sw_no_room){p->id, p->buffer->first, tier, p->buffer->size, available, hole};
    return SW_STEP_FAIL(p->run, SW_ERROR_INFEASIBLE,
                        "%s finds no room at time %lld: %s required, %s available, largest hole %s%s%s",
                        p->buffer->name, (long long)sw_problem_time(problem, p->buffer->first),
                        SW_BYTES(p->buffer->size), SW_BYTES(available), SW_BYTES(hole), tier == SW_NONE ? "" : " in ",
                        tier == SW_NONE ? "" : sw_problem_tier(problem, tier)->name);
}

/* A neighbor in a sentence: "h1, alive until 3" or "a boundary". */
static void edge_words(const struct sw_problem *problem, uint32_t buffer, char *text, size_t size) {
    char name[SW_SHORT_NAME];
    if (buffer == SW_NONE) {
        snprintf(text, size, "a boundary");
        return;
    }
    uint32_t last = sw_problem_buffer(problem, buffer)->last;
    snprintf(text, size, "%s, alive until %lld", sw_place_name(problem, buffer, name),
             (long long)(sw_problem_time(problem, last + 1) - 1));
}

/* Which side, and why: rule R5. */
static void side_words(const struct sw_problem *problem, const struct sw_tier_space *space, char *text, size_t size) {
    char near_[80], far_[80];
    bool low = space->first == space->start;
    uint32_t near_buffer = low ? space->below : space->above;
    uint32_t far_buffer = low ? space->above : space->below;
    edge_words(problem, near_buffer, near_, sizeof near_);
    edge_words(problem, far_buffer, far_, sizeof far_);
    if (space->hi == SW_UNBOUNDED || space->first == space->second) {
        snprintf(text, size, "touches %s", near_);
    } else if (near_buffer == SW_NONE && far_buffer == SW_NONE) {
        snprintf(text, size, "no block beside it: the low side");
    } else if (near_buffer != SW_NONE && far_buffer != SW_NONE &&
               sw_problem_buffer(problem, near_buffer)->last == sw_problem_buffer(problem, far_buffer)->last) {
        snprintf(text, size, "touches %s like the other side, nearer to the boundary", near_);
    } else {
        snprintf(text, size, "touches %s, rather than %s", near_, far_);
    }
}

static bool explain_space_refused(const struct preconf *p, const struct sw_tier_space *space) {
    const struct sw_problem *problem = p->run->problem;
    char name[SW_SHORT_NAME], other[SW_SHORT_NAME];
    const char *what = "the capacity", *before = "";
    if (space->old != SW_NONE) {
        what = sw_place_name(problem, space->old, other);
        before = "the end of what is left of ";
    } else if (space->above != SW_NONE) {
        what = sw_place_name(problem, space->above, other);
        before = "the next live buffer ";
    } else if (space->hi != room_capacity(&p->room, space->tier)) {
        what = "a reserved or forbidden range";
    }
    return sw_explain(p->run->explain, SW_VERDICT_REFUSED, space->tier, space->start, sw_tier_extent(space),
                      space->below, space->above, "%s (%s) refused at %.24s+%llu: %s short of %s%s",
                      sw_place_name(problem, p->id, name), SW_BYTES(p->buffer->size),
                      sw_problem_tier(problem, space->tier)->name, (unsigned long long)space->start,
                      SW_BYTES(space->start + p->buffer->size - space->hi), before, what);
}

static bool explain_room(const struct preconf *p, const struct sw_tier_space *space, bool chosen) {
    const struct sw_problem *problem = p->run->problem;
    enum sw_verdict verdict = chosen ? SW_VERDICT_CHOSEN : SW_VERDICT_FITS;
    const char *how = !chosen ? "fits" : p->user ? "chosen by the user" : "chosen";
    char other[SW_SHORT_NAME];
    if (space->old != SW_NONE) {
        return sw_explain(p->run->explain, verdict, space->tier, space->first, sw_tier_extent(space), space->below,
                          space->above,
                          "%s: %s is used here for the last time and may be overwritten, %s of it are left", how,
                          sw_place_name(problem, space->old, other), SW_BYTES(sw_tier_extent(space)));
    }
    char side[192];
    side_words(problem, space, side, sizeof side);
    if (chosen && p->why) {
        edge_words(problem, space->first == space->start ? space->below : space->above, side, sizeof side);
        return sw_explain(p->run->explain, verdict, space->tier, space->first, sw_tier_extent(space), space->below,
                          space->above, "%s: ranked first by %s, touches %s", how, p->run->params->tier_rules->name,
                          side);
    }
    return sw_explain(p->run->explain, verdict, space->tier, space->first, sw_tier_extent(space), space->below,
                      space->above, "%s: %s%s", how,
                      !chosen || p->user ? ""
                      : p->given         ? "smallest of the tier that it is given, "
                                         : "smallest of the highest tier that fits, ",
                      side);
}

static bool explain_all(const struct preconf *p) {
    const struct sw_tier_spaces *spaces = &p->search->spaces;
    for (size_t i = 0; p->run->explain && i < spaces->items.count; i++) {
        const struct sw_tier_space *space = &spaces->items.items[i];
        if (!(space->fits ? explain_room(p, space, i == p->picked) : explain_space_refused(p, space))) {
            return false;
        }
    }
    return true;
}

/* A pinned block, or one without a size: one candidate. */
static enum sw_step preconf_settled(struct preconf *p, const struct sw_tier_spot *spot, struct sw_decision *decision) {
    const struct sw_problem *problem = p->run->problem;
    const char *unfit = p->buffer->size ? sw_tier_unfit(problem, p->id, spot) : NULL;
    bool is_free = true;
    uint32_t blocker = SW_NONE;
    if (unfit) {
        return SW_STEP_FAIL(p->run, SW_ERROR_INFEASIBLE, "%s is pinned %s", p->buffer->name, unfit);
    }
    if (p->buffer->size && !sw_tier_is_free(&p->room, p->id, spot, &is_free, &blocker)) {
        return sw_step_memory(p->run);
    }
    if (!is_free) {
        return SW_STEP_FAIL(p->run, SW_ERROR_INFEASIBLE, "%s is pinned to %s+%llu, where %s %s", p->buffer->name,
                            sw_problem_tier(problem, spot->tier)->name, (unsigned long long)spot->offset,
                            blocker == SW_NONE ? "a range" : sw_problem_buffer(problem, blocker)->name,
                            blocker == SW_NONE ? "is reserved or forbidden" : "lies");
    }
    if (p->run->choice > 0) {
        return sw_place_no_candidate(p->run, 1);
    }
    decision->tier = spot->tier;
    decision->offset = spot->offset;
    decision->candidates = 1;
    decision->reason = p->buffer->size ? "pinned here" : "size 0 takes no room";
    return SW_EXPLAIN(p->run->explain, SW_VERDICT_CHOSEN, spot->tier, spot->offset, p->buffer->size, "chosen: %s",
                      p->buffer->size ? "it is pinned here" : "size 0 takes no room")
               ? SW_STEP_MORE
               : sw_step_memory(p->run);
}

/* R1 to R6 for one block. */
static enum sw_step preconf_free(struct preconf *p, struct sw_decision *decision) {
    const struct sw_tier_spaces *spaces = &p->search->spaces;
    if (!look_everywhere(p)) {
        return sw_tier_room_failed(&p->room);
    }
    size_t count = spaces->items.count;
    if (p->picked == count) {
        return find_no_place(p);
    }
    decision->candidates = (uint32_t)count;
    if (p->run->choice >= 0) {
        size_t wanted = (size_t)p->run->choice;
        if (wanted >= count || !spaces->items.items[wanted].fits) {
            return sw_place_no_candidate(p->run, (uint32_t)count);
        }
        p->picked = wanted;
        p->user = decision->forced = true;
        p->why = NULL;
        p->search->planned = false;
    }
    const struct sw_tier_space *space = &spaces->items.items[p->picked];
    decision->tier = space->tier;
    decision->offset = space->first;
    decision->preconf.over = space->old;
    decision->reason = p->user  ? "chosen by the user"
                       : p->why ? p->why
                       : space->old == SW_NONE && p->given
                           ? "smallest free space that fits in the tier that it is given, or below"
                       : space->old == SW_NONE ? "smallest free space of the highest tier that fits"
                                               : "that block is used here for the last time";
    return explain_all(p) ? SW_STEP_MORE : sw_step_memory(p->run);
}

enum sw_step sw_tier_preconf(struct sw_tier_search *search, struct sw_run *run, struct sw_decision *decision) {
    uint32_t id = search->plan->turns[search->turn];
    struct preconf p = {.search = search,
                        .room = {.run = run, .plan = search->plan, .layout = run->layout},
                        .run = run,
                        .id = id,
                        .buffer = sw_problem_buffer(run->problem, id)};
    struct sw_tier_spot spot;
    sw_place_begin(run, id, decision);
    sw_decision_become(decision, SW_DECISION_PRECONF);
    enum sw_step result =
        is_settled(run, id, &spot) ? preconf_settled(&p, &spot, decision) : preconf_free(&p, decision);
    if (result != SW_STEP_MORE) {
        return result;
    }
    if (!sw_layout_place(run->layout, id, decision->tier, decision->offset) ||
        !sw_tier_permit(run->layout, search->plan, id)) {
        return sw_step_memory(run);
    }
    decision->live = sw_place_live_at(run, decision->time);
    search->turn++;
    return SW_STEP_MORE;
}
