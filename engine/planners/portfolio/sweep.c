/* sweep: place all blocks in the order of time, with a list of what is free now.
 *
 * When blocks are placed in the order of time, only those alive are in the way of one that is born. So
 * the free spaces are a short list sorted by address. A block that dies returns its bytes, which merge
 * with the free spaces beside them. Blocks born at a step, the largest first, are cut from a space.
 * Time may as well be walked backwards: what lives long after its birth is then met at its end. So there
 * are four walks, in either direction, with the lowest or with the smallest space that fits, and the best
 * layout is taken. A million blocks take a fraction of a second, since no walk looks at neighbors. */
#include "planners/portfolio/sweep.h"
#include "base/base.h"
#include "base/sort.h"

#include "planners/planner_internal.h"

/* With more neighbors of all blocks than MOST_NEIGHBORS, a planner that looks at each takes long. With
 * more blocks than MOST_FOR_BOTH, only one direction is walked. */
#define MOST_NEIGHBORS UINT64_C(10000000)
enum { MOST_FOR_BOTH = 200000 };
/* The number of free spaces that all walks may look at and move: about a second. A long list of spaces
 * that are all too small makes walking quadratic. */
#define MOST_LOOKED UINT64_C(1000000000)

struct sweep_space {
    uint64_t lo, hi; /* the last one has no end */
};

struct sweep {
    const struct sw_problem *problem;
    uint32_t count, steps;
    uint32_t *born, *dying;       /* blocks by first step, the largest first; and by last step */
    uint32_t *born_at, *dying_at; /* per step and one more: where its slice begins */
    uint64_t *offset, *best;      /* per place in program order */
    SW_ARRAY(struct sweep_space) spaces;
    uint64_t work, looked; /* looked: at spaces, and those moved up or down */
    struct sw_arena room;
};

bool sw_sweep_neighbors(const struct sw_run *run, uint64_t *neighbors) {
    *neighbors = 0;
    const struct sw_problem *problem = run->problem;
    const uint32_t *order = sw_problem_order(problem);
    uint32_t n = sw_problem_planned_count(problem), steps = sw_problem_steps(problem);
    size_t separate, reserved;
    sw_problem_separate(problem, &separate);
    sw_problem_reserved(problem, &reserved);
    if (sw_problem_core_count(problem) > 1 || sw_problem_tier_count(problem) > 1 || separate > 0 || reserved > 0 ||
        run->rules.pins.count > 0 || run->rules.forbids.count > 0 || (uint64_t)n * n <= MOST_NEIGHBORS) {
        return true;
    }
    int64_t *change = SW_NEW_ZERO(int64_t, (size_t)steps + 1), alive = 0;
    if (!change) {
        return sw_fail_memory(run->error);
    }
    bool plain = true;
    for (uint32_t i = 0; i < n; i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, order[i]);
        plain = plain && !b->pinned;
        change[b->first]++;
        change[b->last + 1]--;
    }
    uint64_t sum = 0;
    for (uint32_t t = 0; t < steps; t++) {
        uint32_t births;
        alive += change[t];
        sw_problem_born(problem, t, &births);
        sum += births * (uint64_t)alive;
    }
    SW_FREE(change, (size_t)steps + 1);
    *neighbors = plain && sum > MOST_NEIGHBORS ? sum : 0;
    return true;
}

/* ---- making ---- */

static const struct sw_buffer *block(const struct sweep *s, uint32_t rank) {
    return sw_problem_buffer(s->problem, sw_problem_order(s->problem)[rank]);
}

/* Ranks in slices by step, in the order of ranks. */
static void slices(const struct sweep *s, bool last, uint32_t *at, uint32_t *ranks) {
    for (uint32_t i = 0; i < s->count; i++) {
        at[(last ? block(s, i)->last : block(s, i)->first) + 1]++;
    }
    for (uint32_t t = 0; t < s->steps; t++) {
        at[t + 1] += at[t];
    }
    for (uint32_t i = s->count; i-- > 0;) { /* fills each slice from its end, which becomes its begin */
        uint32_t t = last ? block(s, i)->last : block(s, i)->first;
        ranks[--at[t + 1]] = i;
    }
    memmove(at, at + 1, s->steps * sizeof *at);
    at[s->steps] = s->count;
}

struct weighed {
    uint64_t size;
    uint32_t rank;
};

SW_BY_FIELDS(compare_weighed, struct weighed, SW_DOWN(size), SW_UP(rank))

/* Within each slice the largest first. */
static bool sort_slices(const struct sweep *s, const uint32_t *at, uint32_t *ranks) {
    SW_ARRAY(struct weighed) slice = {0};
    bool ok = true;
    for (uint32_t t = 0; ok && t < s->steps; t++) {
        slice.count = 0;
        for (uint32_t i = at[t]; ok && i < at[t + 1]; i++) {
            ok = SW_PUSH(&slice, (struct weighed){block(s, ranks[i])->size, ranks[i]});
        }
        sw_sort(slice.items, slice.count, sizeof *slice.items, compare_weighed);
        for (size_t i = 0; ok && i < slice.count; i++) {
            ranks[at[t] + i] = slice.items[i].rank;
        }
    }
    SW_ARRAY_DONE(&slice);
    return ok;
}

static bool sweep_init(struct sweep *s, const struct sw_problem *problem) {
    *s = (struct sweep){
        .problem = problem, .count = sw_problem_planned_count(problem), .steps = sw_problem_steps(problem)};
    s->born = SW_NEW_IN(&s->room, uint32_t, s->count);
    s->dying = SW_NEW_IN(&s->room, uint32_t, s->count);
    s->born_at = SW_NEW_IN(&s->room, uint32_t, (size_t)s->steps + 1);
    s->dying_at = SW_NEW_IN(&s->room, uint32_t, (size_t)s->steps + 1);
    s->offset = SW_NEW_IN(&s->room, uint64_t, s->count);
    s->best = SW_NEW_IN(&s->room, uint64_t, s->count);
    if (!s->born || !s->dying || !s->born_at || !s->dying_at || !s->offset || !s->best) {
        return false;
    }
    slices(s, false, s->born_at, s->born);
    slices(s, true, s->dying_at, s->dying);
    return sort_slices(s, s->born_at, s->born) && sort_slices(s, s->dying_at, s->dying);
}

/* ---- the list of free spaces ---- */

/* The first space that begins at or above an address. */
static size_t find_space(const struct sweep *s, uint64_t address) {
    return SW_FIRST(i, s->spaces.count, s->spaces.items[i].lo >= address);
}

static void drop_space(struct sweep *s, size_t at) {
    s->spaces.count--;
    s->looked += (s->spaces.count - at) / 4;
    memmove(&s->spaces.items[at], &s->spaces.items[at + 1], (s->spaces.count - at) * sizeof *s->spaces.items);
}

static bool add_space(struct sweep *s, size_t at, uint64_t lo, uint64_t hi) {
    if (!SW_RESERVE(&s->spaces, s->spaces.count + 1)) {
        return false;
    }
    s->looked += (s->spaces.count - at) / 4;
    memmove(&s->spaces.items[at + 1], &s->spaces.items[at], (s->spaces.count - at) * sizeof *s->spaces.items);
    s->spaces.items[at] = (struct sweep_space){lo, hi};
    s->spaces.count++;
    return true;
}

static bool give_space_back(struct sweep *s, uint64_t lo, uint64_t hi) {
    size_t at = find_space(s, lo); /* there is always one above: the last has no end */
    struct sweep_space *above = &s->spaces.items[at];
    bool joins_above = above->lo == hi, joins_below = at > 0 && above[-1].hi == lo;
    if (joins_below) {
        above[-1].hi = joins_above ? above->hi : hi;
        if (joins_above) {
            drop_space(s, at);
        }
        return true;
    }
    if (joins_above) {
        above->lo = lo;
        return true;
    }
    return add_space(s, at, lo, hi);
}

/* Cut a block from the lowest, or the smallest, space that holds it. */
static bool take_space(struct sweep *s, const struct sw_buffer *b, bool smallest, uint64_t *offset) {
    size_t chosen = s->spaces.count - 1, i = 0;
    uint64_t least = UINT64_MAX;
    for (; i + 1 < s->spaces.count; i++) {
        const struct sweep_space *space = &s->spaces.items[i];
        uint64_t room = space->hi - space->lo, start;
        if (room < b->size || room >= least) {
            continue;
        }
        start = sw_align_up(space->lo, b->alignment);
        if (start <= space->hi && space->hi - start >= b->size) {
            chosen = i;
            least = room;
            if (!smallest) {
                break;
            }
        }
    }
    s->work += i / 16 + 1; /* a walk over an array */
    s->looked += i;
    struct sweep_space *space = &s->spaces.items[chosen];
    uint64_t lo = space->lo;
    *offset = sw_align_up(lo, b->alignment);
    space->lo = *offset + b->size;
    if (space->lo == space->hi) {
        drop_space(s, chosen);
    }
    return *offset == lo || add_space(s, chosen, lo, *offset);
}

/* ---- walking ---- */

static bool walk_step(struct sweep *s, uint32_t t, bool back, bool smallest, uint64_t *peak) {
    const uint32_t *ranks = back ? s->dying : s->born, *at = back ? s->dying_at : s->born_at;
    for (uint32_t i = at[t]; i < at[t + 1]; i++) {
        const struct sw_buffer *b = block(s, ranks[i]);
        uint64_t *offset = &s->offset[ranks[i]];
        *offset = 0;
        if (b->size > 0 && !take_space(s, b, smallest, offset)) {
            return false;
        }
        *peak = *offset + b->size > *peak ? *offset + b->size : *peak;
    }
    ranks = back ? s->born : s->dying;
    at = back ? s->born_at : s->dying_at;
    for (uint32_t i = at[t]; i < at[t + 1]; i++) {
        const struct sw_buffer *b = block(s, ranks[i]);
        uint64_t offset = s->offset[ranks[i]];
        s->work++;
        if (b->size > 0 && !give_space_back(s, offset, offset + b->size)) {
            return false;
        }
    }
    return true;
}

/* A peak of UINT64_MAX: given up, since it takes too long. */
static bool walk_time(struct sweep *s, bool back, bool smallest, uint64_t *peak) {
    s->spaces.count = 0;
    *peak = 0;
    bool ok = add_space(s, 0, 0, UINT64_MAX);
    for (uint32_t t = 0; ok && t < s->steps && s->looked <= MOST_LOOKED; t++) {
        ok = walk_step(s, back ? s->steps - 1 - t : t, back, smallest, peak);
    }
    *peak = s->looked > MOST_LOOKED ? UINT64_MAX : *peak;
    return ok;
}

bool sw_sweep(struct sw_run *run, bool *done) {
    struct sweep s;
    uint64_t least = UINT64_MAX, peak;
    bool ok = sweep_init(&s, run->problem);
    for (unsigned way = 0; ok && way < (s.count > MOST_FOR_BOTH ? 2 : 4); way++) {
        ok = walk_time(&s, way >= 2, way % 2 == 0, &peak);
        if (ok && peak < least) {
            least = peak;
            memcpy(s.best, s.offset, s.count * sizeof *s.best);
        }
    }
    *done = least < UINT64_MAX;
    for (uint32_t i = 0; ok && *done && i < s.count; i++) {
        ok = sw_place_at(run, sw_problem_order(run->problem)[i], 0, s.best[i]);
    }
    if (ok && *done) {
        sw_layout_set_arena(run->layout, 0, least);
    }
    run->work += s.work + s.count;
    SW_ARRAY_DONE(&s.spaces);
    sw_arena_done(&s.room);
    return ok || sw_fail_memory(run->error);
}

/* ---- as a planner ---- */

void sw_sweep_tell(const struct sw_run *run, struct sw_decision *decision) {
    sw_decision_begin(decision, SW_DECISION_INCUMBENT, 0,
                      "a sweep through time has placed every block, as it is too many for more");
    decision->incumbent.needed = sw_layout_peak(run->layout);
    decision->incumbent.best.after = (double)decision->incumbent.needed;
}

/* All there is to know is whether it has been done. */
struct sweep_member {
    bool over;
};
#define STATE struct sweep_member
static const struct sw_described member_described = {SW_STRUCT, .fields = SW_FIELDS(SW_TOLD(over))};
#undef STATE

static enum sw_step member_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    struct sweep_member *member = state;
    bool done;
    uint64_t neighbors;
    if (member->over) {
        return SW_STEP_DONE;
    }
    if (!sw_run_unchosen(run) || !sw_sweep_neighbors(run, &neighbors)) {
        return SW_STEP_FAILED;
    }
    if (neighbors == 0) {
        return SW_STEP_FAIL(run, SW_ERROR_INFEASIBLE, "what is demanded is more than a sweep can obey");
    }
    if (!sw_sweep(run, &done)) {
        return SW_STEP_FAILED;
    }
    if (!done) {
        return SW_STEP_FAIL(run, SW_ERROR_INFEASIBLE, "a sweep would take long, with so many free spaces");
    }
    member->over = true;
    sw_sweep_tell(run, decision);
    return SW_STEP_MORE;
}

const struct sw_planner sw_sweep_planner = {
    .name = "the sweep",
    .summary = "Places every block in one walk through time",
    .step = member_step,
    .described = &member_described,
};
