/* All cuts: each region in each number of strips is made, and its live bytes are counted. */
#include "fit/cuts.h"
#include "fit/program_internal.h"

#include "base/minmax.h"

#include <string.h>

enum { MOST_OPERATORS = 24, LEAST_IN_LOOP = 4 /* strips, of which two run in the loop */ };
#define MOST_WORK UINT64_C(60000000) /* operators and calls that are looked at: some seconds */

static const uint32_t strip_counts[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24};
static const uint32_t loop_rows[] = {16, 12, 10, 8, 6, 5, 4, 3, 2, 1}; /* of a strip in a loop */

/* The bytes alive at each call of the program; `calls` + 1 differences of them first. */
static bool count_live(const struct sw_fit_program *program, struct sw_fit_lives *lives, uint64_t **live) {
    size_t count = program->calls.count + 1;
    int64_t *change = SW_NEW_ZERO(int64_t, count);
    lives->count = 0;
    if (!change || !sw_fit_lives(program, lives)) {
        SW_FREE(change, count);
        return false;
    }
    for (size_t i = 0; i < lives->count; i++) {
        const struct sw_fit_life *life = &lives->items[i];
        change[life->first] += (int64_t)(life->hi - life->lo);
        change[life->last + 1] -= (int64_t)(life->hi - life->lo);
    }
    for (size_t i = 1; i < count; i++) {
        change[i] += change[i - 1];
    }
    *live = (uint64_t *)change;
    return true;
}

bool sw_fit_measure(const struct sw_problem *problem, struct sw_fit_measuring *measuring, struct sw_fit_cut *cut, bool *possible, uint64_t *work,
                    uint64_t *strips) {
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal;
    uint64_t *live = NULL;
    *possible = sw_fit_program_make(problem, &cut->region, 1, &program, &refusal);
    *work += program.values.count + program.calls.count;
    cut->live = 0;
    for (uint32_t s = 0; strips && s < cut->region.strips; s++) {
        strips[s] = 0;
    }
    bool good = *possible || refusal.op != SW_NONE;
    if (*possible && (good = count_live(&program, &measuring->lives, &live))) {
        uint64_t macs = 0, own = 0;
        for (size_t i = 0; i < program.calls.count; i++) {
            const struct sw_fit_call *call = &program.calls.items[i];
            if (call->region != SW_NONE) {
                cut->live = SW_MAX(cut->live, live[i]);
                macs += call->macs;
            }
            if (call->region != SW_NONE && call->strip != SW_NONE && strips) {
                strips[call->strip] = SW_MAX(strips[call->strip], live[i]);
            }
        }
        for (uint32_t op = cut->region.first; op <= cut->region.last; op++) {
            own += sw_problem_operator(problem, op)->macs;
        }
        cut->macs = macs - SW_MIN(macs, own);
        cut->tail = sw_fit_more_tail(&program);
        cut->calls = sw_fit_operators(&program) - sw_problem_operator_count(problem);
        SW_FREE(live, program.calls.count + 1);
    }
    sw_fit_program_done(&program);
    return good;
}

void sw_fit_measuring_done(struct sw_fit_measuring *measuring) {
    SW_ARRAY_DONE(&measuring->lives);
}

/* The most bytes alive at the region's steps as the model is. */
static uint64_t live_before(const struct sw_problem *problem, uint32_t first, uint32_t last) {
    const uint64_t *profile = sw_problem_profile(problem);
    uint64_t most = 0;
    for (uint32_t op = first; op <= last; op++) {
        most = SW_MAX(most, profile[op]);
    }
    return most;
}

bool sw_fit_allows(const struct sw_fit_cuts *cuts, const struct sw_fit_limits *limits, uint64_t macs, uint32_t calls) {
    return (limits->calls == 0 || calls + sw_problem_operator_count(cuts->problem) <= limits->calls) &&
           (limits->macs == 0 || (double)macs <= (limits->macs - 1) * (double)cuts->macs);
}

/* As a loop, with shorter and shorter strips. It costs the same however many there are. The first and the last share what the others leave:
 * equally, and, where rows are kept, with as little as can be for the first, which makes the rows that are kept, too. */
static bool cut_in_loop(struct sw_fit_cuts *cuts, const struct sw_fit_limits *limits, struct sw_fit_measuring *measuring, struct sw_fit_region region,
                        uint64_t rows, uint64_t least, uint64_t *work) {
    uint32_t worse = 0;
    size_t count = sizeof loop_rows / sizeof *loop_rows;
    region.loop = true;
    for (size_t i = 0; i < (region.kept > 0 ? 2 * count : count) && worse < 6; i++) {
        bool possible;
        region.rows = loop_rows[i % count];
        region.strips = (uint32_t)((rows + region.rows - 1) / region.rows);
        if (region.strips < LEAST_IN_LOOP) {
            continue;
        }
        uint32_t ends = (uint32_t)rows - (region.strips - 2) * region.rows;
        region.lead = i < count ? (ends + 1) / 2 : 1;
        struct sw_fit_cut cut = {.region = region};
        if (!sw_fit_measure(cuts->problem, measuring, &cut, &possible, work, NULL)) {
            return false;
        }
        if (!possible || cut.live >= least) {
            worse++;
            continue;
        }
        least = cut.live;
        worse = 0;
        if (sw_fit_allows(cuts, limits, cut.macs, cut.calls) && !SW_PUSH(&cuts->items, cut)) {
            return false;
        }
    }
    return true;
}

/* Both ways, with no rows kept and with all, with more and more strips, until three numbers of them on end need no less than fewer do. */
static bool cut_region(struct sw_fit_cuts *cuts, const struct sw_fit_limits *limits, struct sw_fit_measuring *measuring, uint32_t first,
                       uint32_t last, uint64_t *work) {
    const struct sw_problem *problem = cuts->problem;
    uint64_t rows = sw_fit_region_rows(problem, last), before = live_before(problem, first, last);
    for (int form = 0; form < 4 - 2 * (first == last); form++) {
        enum sw_fit_way way = (enum sw_fit_way)(form % 2);
        uint64_t least = before;
        uint32_t worse = 0;
        for (size_t i = 0; i < sizeof strip_counts / sizeof *strip_counts && strip_counts[i] <= rows && worse < 3; i++) {
            struct sw_fit_cut cut = {.region = {.first = first, .last = last, .strips = strip_counts[i], .way = way, .kept = form / 2 ? SW_FIT_KEEP_ALL : 0}};
            bool possible;
            if (!sw_fit_measure(problem, measuring, &cut, &possible, work, NULL)) {
                return false;
            }
            if (!possible || cut.live >= least) { /* more strips cost more, and save nothing */
                worse++;
                continue;
            }
            least = cut.live;
            worse = 0;
            if (sw_fit_allows(cuts, limits, cut.macs, cut.calls) && !SW_PUSH(&cuts->items, cut)) {
                return false;
            }
        }
        struct sw_fit_region region = {.first = first, .last = last, .way = way, .kept = form / 2 ? SW_FIT_KEEP_ALL : 0};
        if (!cut_in_loop(cuts, limits, measuring, region, rows, before, work)) {
            return false;
        }
    }
    return true;
}

static bool refuse(struct sw_fit_cuts *cuts, const struct sw_fit_refusal *refusal) {
    for (size_t i = 0; i < cuts->refused.count; i++) {
        if (cuts->refused.items[i].op == refusal->op) {
            return true;
        }
    }
    return SW_PUSH(&cuts->refused, *refusal);
}

void sw_fit_turn(const struct sw_problem *problem, struct sw_fit_region *region) {
    uint64_t rows = sw_fit_region_rows(problem, region->last);
    if (region->loop) {
        return; /* it runs forwards alone */
    }
    region->backwards = !region->backwards;
    for (uint32_t s = 0; region->ends[0] > 0 && s < (region->strips - 1) / 2; s++) {
        uint16_t end = region->ends[s];
        region->ends[s] = region->ends[region->strips - 2 - s];
        region->ends[region->strips - 2 - s] = end;
    }
    for (uint32_t s = 0; region->ends[0] > 0 && s + 1 < region->strips; s++) {
        region->ends[s] = (uint16_t)(rows - region->ends[s]);
    }
}

bool sw_fit_same_region(const struct sw_fit_region *a, const struct sw_fit_region *b) {
    return a->first == b->first && a->last == b->last && a->strips == b->strips && a->way == b->way && a->kept == b->kept &&
           a->backwards == b->backwards && memcmp(a->ends, b->ends, sizeof a->ends) == 0 &&
           a->loop == b->loop && a->lead == b->lead && a->rows == b->rows;
}

bool sw_fit_cuts_find(const struct sw_problem *problem, const struct sw_fit_limits *limits, struct sw_fit_cuts *cuts) {
    uint32_t count = sw_problem_operator_count(problem);
    struct sw_fit_measuring measuring = {0};
    uint64_t work = 0;
    bool good = true;
    cuts->problem = problem;
    for (uint32_t op = 0; op < count; op++) {
        cuts->macs += sw_problem_operator(problem, op)->macs;
    }
    for (uint32_t first = 0; good && first < count; first++) {
        for (uint32_t last = first; good && last < count && last < first + MOST_OPERATORS; last++) {
            struct sw_fit_refusal refusal;
            if (work > MOST_WORK || (limits->go_on && !limits->go_on(limits->context, first, count))) {
                cuts->stopped = true;
                first = count - 1;
                break;
            }
            if (sw_fit_is_region(problem, first, last, &refusal)) {
                good = cut_region(cuts, limits, &measuring, first, last, &work);
            } else if (first == last) {
                good = refuse(cuts, &refusal);
                break;
            } else if (!sw_problem_operator(problem, last)->window) {
                break; /* no longer one has a window there, either */
            }
        }
    }
    sw_fit_measuring_done(&measuring);
    return good;
}

void sw_fit_cuts_done(struct sw_fit_cuts *cuts) {
    SW_ARRAY_DONE(&cuts->items);
    SW_ARRAY_DONE(&cuts->refused);
    SW_ARRAY_DONE(&cuts->refined);
    *cuts = (struct sw_fit_cuts){0};
}
