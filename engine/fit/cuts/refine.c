/* Cuts near those that were chosen: with strips of other lengths, rows of other operators kept, one strip more or less.
 *
 * It would take too long to try that with every region. So the cuts of the front are changed, those that are better are
 * added, and the front is found anew. */
#include "fit/cuts/cuts.h"
#include "base/base.h"
#include "fit/strips/program_internal.h"

#include "base/sort.h"

enum { MOST_STRIPS = SW_FIT_ENDS + 1, MOST_TARGETS = 2 };

struct refining {
    struct sw_fit_cuts *cuts;
    const struct sw_fit_limits *limits;
    struct sw_fit_measuring measuring;
    uint64_t live[MOST_STRIPS]; /* of the cut at hand: of each strip, in the order of their rows */
    uint64_t work;              /* that may be done */
    bool memory;
};

/* ---- strips of other lengths ---- */

struct cut_rank {
    uint64_t most;
    uint32_t count; /* strips with as many bytes alive */
};

static struct cut_rank cut_rank_of(const struct refining *r, uint32_t strips) {
    struct cut_rank rank = {0, 0};
    for (uint32_t s = 0; s < strips; s++) {
        rank.count = r->live[s] > rank.most ? 1 : rank.count + (r->live[s] == rank.most);
        rank.most = SW_MAX(rank.most, r->live[s]);
    }
    return rank;
}

static bool measure_cut(struct refining *r, struct sw_fit_cut *cut) {
    bool possible = false;
    uint64_t before = r->cuts->work;
    r->memory = r->memory && sw_fit_measure(r->cuts, r->limits, &r->measuring, cut, &possible, r->live);
    r->work -= SW_MIN(r->cuts->work - before, r->work);
    for (uint32_t a = 0, b = cut->region.strips - 1; cut->region.backwards && a < b; a++, b--) {
        uint64_t live = r->live[a];
        r->live[a] = r->live[b];
        r->live[b] = live;
    }
    return r->memory && possible;
}

/* Take one unit of rows from strip `from` for strip `to`; the strips between move. False: `from` has only one. */
static bool shift_rows(struct sw_fit_region *region, uint32_t from, uint32_t to, uint16_t unit, uint64_t rows) {
    uint64_t begin = from > 0 ? region->ends[from - 1] : 0, end = from + 1 < region->strips ? region->ends[from] : rows;
    if (end - begin <= unit) {
        return false;
    }
    for (uint32_t s = SW_MIN(from, to); s < SW_MAX(from, to); s++) {
        region->ends[s] = (uint16_t)(from < to ? region->ends[s] - unit : region->ends[s] + unit);
    }
    return true;
}

/* The strip with the most alive gives rows to those with the least, as long as that helps. */
static bool even_out(struct refining *r, struct sw_fit_cut *cut) {
    struct sw_fit_cut best = *cut;
    uint64_t rows = sw_fit_region_rows(r->cuts->problem, cut->region.last);
    uint16_t unit = (uint16_t)SW_MIN(sw_fit_strip_unit(r->cuts->problem, &cut->region), UINT16_MAX);
    if (best.region.ends[0] == 0) {
        sw_fit_set_ends(r->cuts->problem, &best.region);
    }
    if (!measure_cut(r, &best)) {
        return false;
    }
    uint64_t live[MOST_STRIPS];
    bool better = true;
    for (struct cut_rank rank = cut_rank_of(r, best.region.strips); better && r->work > 0;) {
        bool tried[MOST_STRIPS] = {false};
        uint32_t hot = 0;
        better = false;
        memcpy(live, r->live, sizeof live);
        for (uint32_t s = 1; s < best.region.strips; s++) {
            hot = live[s] > live[hot] ? s : hot;
        }
        for (int target = 0; !better && target < MOST_TARGETS; target++) {
            uint32_t cold = hot;
            for (uint32_t s = 0; s < best.region.strips; s++) {
                cold = !tried[s] && live[s] < live[cold] ? s : cold;
            }
            struct sw_fit_cut other = best;
            if (cold == hot || !shift_rows(&other.region, hot, cold, unit, rows)) {
                break;
            }
            tried[cold] = true;
            if (measure_cut(r, &other)) {
                struct cut_rank now = cut_rank_of(r, other.region.strips);
                better = now.most < rank.most || (now.most == rank.most && now.count < rank.count);
                if (better) {
                    best = other;
                    rank = now;
                }
            }
        }
    }
    *cut = best;
    return r->memory;
}

/* ---- which cuts ---- */

/* Is there a cut of the same region, in the same direction, that is as good in all? */
static bool is_cut_beaten(const struct sw_fit_cuts *cuts, const struct sw_fit_cut *cut) {
    for (size_t i = 0; i < cuts->items.count; i++) {
        const struct sw_fit_cut *one = &cuts->items.items[i];
        if (one->region.first == cut->region.first && one->region.last == cut->region.last &&
            one->region.backwards == cut->region.backwards && one->live <= cut->live &&
            one->live_over <= cut->live_over && one->tail <= cut->tail && one->macs <= cut->macs) {
            return true;
        }
    }
    return false;
}

static bool push_cut(struct sw_fit_cuts *cuts, struct sw_fit_cut cut) {
    cut.number = cuts->items.count;
    return SW_PUSH(&cuts->items, cut);
}

static void try_refined(struct refining *r, const struct sw_fit_region *region) {
    struct sw_fit_cut cut = {.region = *region};
    uint64_t rows = sw_fit_region_rows(r->cuts->problem, region->last);
    bool can_be = region->strips >= 2 && region->strips <= SW_MIN(rows, MOST_STRIPS) && rows <= UINT16_MAX;
    if (!can_be || r->work == 0 || !r->memory || !even_out(r, &cut)) {
        return;
    }
    if (is_cut_beaten(r->cuts, &cut) ||
        !sw_fit_allows(r->cuts, r->limits, &(struct sw_fit_more){cut.macs, cut.flash, cut.calls})) {
        return;
    }
    r->memory = push_cut(r->cuts, cut);
    sw_fit_turn(r->cuts->problem,
                &cut.region); /* which way is better tells where the regions before and behind it lie */
    if (r->memory && even_out(r, &cut) && !is_cut_beaten(r->cuts, &cut)) {
        r->memory = push_cut(r->cuts, cut);
    }
}

static void try_near(struct refining *r, const struct sw_fit_region *region) {
    struct sw_fit_region other = *region;
    uint32_t operators = region->last - region->first;
    try_refined(r, &other);
    memset(other.ends, 0, sizeof other.ends);
    for (int more = -1; more <= 1; more += 2) {
        other.strips = region->strips + (uint32_t)more;
        try_refined(r, &other);
    }
    other.strips = region->strips;
    other.padded = region->padded ? 0 : SW_FIT_PAD_ALL;
    try_refined(r, &other);
    other.padded = region->padded;
    for (uint32_t i = 0; i < operators && i < 64; i++) { /* one operator more, or less, keeps its rows */
        uint64_t all = operators < 64 ? (UINT64_C(1) << operators) - 1 : SW_FIT_KEEP_ALL;
        other.kept = (region->kept & all) ^ (UINT64_C(1) << i);
        try_refined(r, &other);
    }
}

SW_BY_FIELDS(by_first_operator, struct sw_fit_cut, SW_UP(region.first), SW_UP(region.last), SW_UP(number))

bool sw_fit_cuts_refine(struct sw_fit_cuts *cuts, const struct sw_fit_limits *limits, const struct sw_fit_front *front,
                        uint64_t *work) {
    struct refining r = {.cuts = cuts, .limits = limits, .work = *work, .memory = true};
    for (size_t i = 0; r.memory && r.work > 0 && i < front->chosen.count &&
                       (!limits->go_on || limits->go_on(limits->context, i, front->chosen.count));
         i++) {
        bool known = false;
        for (size_t k = 0; !known && k < cuts->refined.count; k++) {
            known = sw_fit_same_region(&cuts->refined.items[k], &front->chosen.items[i]);
        }
        if (!known && !front->chosen.items[i].loop) {
            r.memory = SW_PUSH(&cuts->refined, front->chosen.items[i]);
            try_near(&r, &front->chosen.items[i]);
        }
    }
    sw_sort(cuts->items.items, cuts->items.count, sizeof *cuts->items.items, by_first_operator);
    sw_fit_measuring_done(&r.measuring);
    *work = r.work;
    return r.memory;
}
