/* Which cuts go together: a shortest path along the operators, for each number of live bytes that is allowed. */
#include "fit/cuts/cuts.h"
#include "base/base.h"

#include "base/sort.h"

enum { MOST_LABELS = 24, MOST_PEAK_LEVELS = 96 };

/* A way to come to an operator: its cost, and its last cut. */
struct label {
    uint64_t tail, macs, flash;
    uint32_t calls;
    uint32_t cut;      /* SW_NONE: the operator before stays as it is */
    uint32_t from, of; /* the label before it: at this operator, with this number */
};
struct labels {
    struct label items[MOST_LABELS];
    uint32_t count;
};

struct front_walk {
    const struct sw_fit_cuts *cuts;
    const struct sw_fit_limits *limits;
    struct labels *at; /* before each operator, and behind the last */
    uint32_t count;    /* operators */
    uint64_t level;    /* live bytes that are allowed */
    struct sw_fit_front *front;
};

/* Add a way unless another one is as good in tail and multiply-adds, and take out those that it beats. When there are
 * too many, take out the one with the largest tail, as fewer bytes matter more. */
static void add_label(struct labels *labels, const struct label *label) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < labels->count; i++) {
        const struct label *other = &labels->items[i];
        if (other->tail <= label->tail && other->macs <= label->macs) {
            return;
        }
    }
    for (uint32_t i = 0; i < labels->count; i++) {
        if (labels->items[i].tail < label->tail || labels->items[i].macs < label->macs) {
            labels->items[kept++] = labels->items[i];
        }
    }
    labels->count = kept;
    uint32_t at = kept;
    while (at > 0 && labels->items[at - 1].tail > label->tail) {
        at--;
    }
    if (at == MOST_LABELS) {
        return;
    }
    labels->count = SW_MIN(kept + 1, MOST_LABELS);
    for (uint32_t i = labels->count - 1; i > at; i--) {
        labels->items[i] = labels->items[i - 1];
    }
    labels->items[at] = *label;
}

/* All ways from one operator on. Labels that were given out are not moved afterwards: what leads to an operator is
 * complete when it is left. */
static void leave_operator(struct front_walk *walk, uint32_t op, size_t *cut) {
    const struct sw_fit_cuts *cuts = walk->cuts;
    const uint64_t *profile = sw_problem_profile(cuts->problem);
    const struct labels *here = &walk->at[op];
    for (uint32_t i = 0; i < here->count; i++) {
        struct label label = here->items[i];
        label.from = op;
        label.of = i;
        label.cut = SW_NONE;
        if (profile[op] <= walk->level) {
            add_label(&walk->at[op + 1], &label);
        }
    }
    for (; *cut < cuts->items.count && cuts->items.items[*cut].region.first == op; (*cut)++) {
        const struct sw_fit_cut *c = &cuts->items.items[*cut];
        for (uint32_t i = 0; sw_fit_live(cuts, c) <= walk->level && i < here->count; i++) {
            struct label label = {.tail = here->items[i].tail + c->tail,
                                  .macs = here->items[i].macs + c->macs,
                                  .flash = here->items[i].flash + c->flash,
                                  .calls = here->items[i].calls + c->calls,
                                  .cut = (uint32_t)*cut,
                                  .from = op,
                                  .of = i};
            if (sw_fit_allows(cuts, walk->limits, &(struct sw_fit_more){label.macs, label.flash, label.calls})) {
                add_label(&walk->at[c->region.last + 1], &label);
            }
        }
    }
}

static void walk_region(struct front_walk *walk, uint64_t level) {
    size_t cut = 0;
    walk->level = level;
    for (uint32_t op = 0; op <= walk->count; op++) {
        walk->at[op].count = 0;
    }
    walk->at[0].items[0] = (struct label){.cut = SW_NONE};
    walk->at[0].count = 1;
    for (uint32_t op = 0; op < walk->count; op++) {
        leave_operator(walk, op, &cut);
    }
}

static bool leads_through(struct front_walk *walk, uint64_t level) {
    walk_region(walk, level);
    return walk->at[walk->count].count > 0;
}

uint64_t sw_fit_bytes(const struct sw_problem *problem, const struct sw_fit_limits *limits,
                      const struct sw_fit_choice *choice) {
    return limits->of_head ? choice->live : sw_problem_arena(problem, choice->live) + choice->tail;
}

/* Is the first choice as good as the second in all that counts? If the head is to be small, the tail counts, too: fewer
 * operators are easier to plan. */
static bool beats(const struct front_walk *walk, const struct sw_fit_choice *one, const struct sw_fit_choice *other) {
    return one->bytes <= other->bytes && one->macs <= other->macs &&
           (!walk->limits->of_head || one->tail <= other->tail);
}

static bool is_choice_beaten(const struct front_walk *walk, const struct sw_fit_choice *choice) {
    for (size_t i = 0; i < walk->front->items.count; i++) {
        if (beats(walk, &walk->front->items.items[i], choice)) {
            return true;
        }
    }
    return false;
}

/* The most bytes alive along the way of a label. Its cuts are put into the front's list, the last first. */
static bool follow_label(struct front_walk *walk, struct label label, struct sw_fit_choice *choice) {
    const uint64_t *profile = sw_problem_profile(walk->cuts->problem);
    for (uint32_t at = walk->count; at > 0; at = label.from, label = walk->at[at].items[label.of]) {
        if (label.cut == SW_NONE) {
            choice->live = SW_MAX(choice->live, profile[label.from]);
        } else {
            const struct sw_fit_cut *cut = &walk->cuts->items.items[label.cut];
            choice->live = SW_MAX(choice->live, sw_fit_live(walk->cuts, cut));
            choice->count++;
            if (!SW_PUSH(&walk->front->chosen, cut->region)) {
                return false;
            }
        }
    }
    return true;
}

static bool take_choices(struct front_walk *walk) {
    const struct labels *end = &walk->at[walk->count];
    struct sw_fit_front *front = walk->front;
    for (uint32_t i = 0; i < end->count; i++) {
        struct sw_fit_choice choice = {.tail = end->items[i].tail,
                                       .macs = end->items[i].macs,
                                       .flash = end->items[i].flash,
                                       .calls = end->items[i].calls,
                                       .first = front->chosen.count};
        if (!follow_label(walk, end->items[i], &choice)) {
            return false;
        }
        for (size_t a = choice.first, b = front->chosen.count; a + 1 < b; a++, b--) {
            struct sw_fit_region region = front->chosen.items[a];
            front->chosen.items[a] = front->chosen.items[b - 1];
            front->chosen.items[b - 1] = region;
        }
        choice.bytes = sw_fit_bytes(walk->cuts->problem, walk->limits, &choice);
        if (is_choice_beaten(walk, &choice)) {
            front->chosen.count = choice.first;
        } else if (!SW_PUSH(&front->items, choice)) {
            return false;
        }
    }
    return true;
}

SW_BY_FIELDS(by_bytes_then_macs, struct sw_fit_choice, SW_UP(bytes), SW_UP(macs))

/* Take out choices that later ones beat, with as many bytes or fewer. */
static void drop_beaten(struct front_walk *walk) {
    struct sw_fit_front *front = walk->front;
    size_t count = front->items.count;
    sw_sort(front->items.items, count, sizeof *front->items.items, by_bytes_then_macs);
    front->items.count = 0;
    for (size_t i = 0; i < count; i++) {
        struct sw_fit_choice choice = front->items.items[i];
        if (!is_choice_beaten(walk, &choice)) {
            front->items.items[front->items.count++] = choice;
        }
    }
}

/* The numbers of live bytes that a set of cuts can have. */
static bool list_levels(const struct front_walk *walk, uint64_t **levels, size_t *count) {
    const struct sw_fit_cuts *cuts = walk->cuts;
    const uint64_t *profile = sw_problem_profile(cuts->problem);
    size_t all = 0;
    *levels = SW_NEW(uint64_t, cuts->items.count + walk->count);
    if (!*levels) {
        return cuts->items.count + walk->count == 0;
    }
    for (size_t i = 0; i < cuts->items.count; i++) {
        (*levels)[all++] = sw_fit_live(cuts, &cuts->items.items[i]);
    }
    for (uint32_t op = 0; op < walk->count; op++) {
        (*levels)[all++] = profile[op];
    }
    *count = sw_sort_unique(*levels, all, sizeof **levels, sw_compare_u64);
    return true;
}

/* The least tail of all ways at one level: UINT64_MAX when there is none. `bound`: as if constants that cuts may share
 * took nothing. */
static uint64_t least_tail(const struct front_walk *walk, uint64_t level, bool bound, uint64_t *tails) {
    const struct sw_fit_cuts *cuts = walk->cuts;
    const uint64_t *profile = sw_problem_profile(cuts->problem);
    size_t cut = 0;
    for (uint32_t op = 1; op <= walk->count; op++) {
        tails[op] = UINT64_MAX;
    }
    tails[0] = 0;
    for (uint32_t op = 0; op < walk->count; op++) {
        if (tails[op] != UINT64_MAX && profile[op] <= level) {
            tails[op + 1] = SW_MIN(tails[op + 1], tails[op]);
        }
        for (; cut < cuts->items.count && cuts->items.items[cut].region.first == op; cut++) {
            const struct sw_fit_cut *c = &cuts->items.items[cut];
            if (tails[op] != UINT64_MAX && sw_fit_live(cuts, c) <= level) {
                tails[c->region.last + 1] =
                    SW_MIN(tails[c->region.last + 1], tails[op] + c->tail - (bound ? c->shared : 0));
            }
        }
    }
    return tails[walk->count];
}

/* Why no choice has fewer than front->live bytes alive. Go along the operators with fewer bytes as far as that leads:
 * the operator before which it ends is `forced`. */
static void find_forced(struct front_walk *walk, uint64_t *tails) {
    const struct sw_fit_cuts *cuts = walk->cuts;
    struct sw_fit_front *front = walk->front;
    if (front->live == 0 || walk->count == 0) {
        return;
    }
    least_tail(walk, front->live - 1, true, tails);
    front->forced = 0;
    for (uint32_t op = 0; op < walk->count; op++) {
        front->forced = tails[op] != UINT64_MAX ? op : front->forced;
    }
    front->from = front->forced;
    for (size_t i = 0; i < cuts->items.count; i++) {
        const struct sw_fit_region *region = &cuts->items.items[i].region;
        if (region->first < front->from && region->last >= front->forced &&
            sw_fit_live(cuts, &cuts->items.items[i]) < front->live) {
            front->from = region->first;
        }
    }
}

/* The least arena of all sets of cuts. An arena is at least as large as its level of live bytes, so higher levels need
 * not be looked at. */
static bool find_least_level(struct front_walk *walk, const uint64_t *levels, size_t count, size_t *best) {
    uint64_t *tails = SW_NEW(uint64_t, walk->count + 1);
    struct sw_fit_front *front = walk->front;
    const struct sw_problem *problem = walk->cuts->problem;
    front->live = front->arena = front->bound = UINT64_MAX;
    for (size_t i = 0; tails && i < count && sw_problem_arena(problem, levels[i]) < front->arena; i++) {
        uint64_t arena = sw_problem_arena(problem, levels[i]), bound = least_tail(walk, levels[i], true, tails);
        uint64_t tail = least_tail(walk, levels[i], false, tails);
        if (tail != UINT64_MAX) {
            front->live = SW_MIN(front->live, levels[i]);
            front->bound = SW_MIN(front->bound, arena + bound);
            *best = arena + tail < front->arena ? i : *best;
            front->arena = SW_MIN(front->arena, arena + tail);
        }
    }
    if (tails && front->live != UINT64_MAX) {
        find_forced(walk, tails);
    }
    SW_FREE(tails, walk->count + 1);
    return tails != NULL;
}

/* All choices, or the one that needs least alone; where the limits forbid that one, those with the fewest bytes alive.
 */
static bool find_choices(const struct sw_fit_cuts *cuts, const struct sw_fit_limits *limits, bool all,
                         struct sw_fit_front *front) {
    struct front_walk walk = {
        .cuts = cuts, .limits = limits, .count = sw_problem_operator_count(cuts->problem), .front = front};
    uint64_t *levels = NULL;
    size_t count = 0, room = cuts->items.count + walk.count;
    walk.at = SW_NEW(struct labels, walk.count + 1);
    bool good = walk.at && list_levels(&walk, &levels, &count);
    /* The lowest level at which there is a way at all. The more bytes are allowed, the more ways there are, so it can
     * be halved. */
    size_t low = SW_FIRST(i, good ? count : 0, leads_through(&walk, levels[i])), best = count;
    good = good && find_least_level(&walk, levels, count, &best);
    if (good && best < count) {
        walk_region(&walk, levels[best]);
        good = take_choices(&walk);
    }
    size_t stride = (count - low + MOST_PEAK_LEVELS - 1) / MOST_PEAK_LEVELS;
    for (size_t i = low; good && i < count && (all || front->items.count == 0); i += SW_MAX(stride, 1)) {
        walk_region(&walk, levels[i]);
        good = take_choices(&walk);
    }
    if (good && all && count > low) {
        walk_region(&walk, levels[count - 1]);
        good = take_choices(&walk);
    }
    drop_beaten(&walk);
    SW_FREE(levels, room);
    SW_FREE(walk.at, walk.count + 1);
    return good;
}

bool sw_fit_front_find(const struct sw_fit_cuts *cuts, const struct sw_fit_limits *limits, struct sw_fit_front *front) {
    return find_choices(cuts, limits, true, front);
}

bool sw_fit_front_least(const struct sw_fit_cuts *cuts, const struct sw_fit_limits *limits,
                        struct sw_fit_front *front) {
    return find_choices(cuts, limits, false, front);
}

void sw_fit_front_done(struct sw_fit_front *front) {
    SW_ARRAY_DONE(&front->items, &front->chosen);
    *front = (struct sw_fit_front){0};
}
