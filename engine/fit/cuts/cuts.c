/* All cuts: each region in each number of strips is made, and its live bytes are counted. */
#include "fit/cuts/cuts.h"
#include "fit/strips/program_internal.h"

#include "base/described.h"
#include "base/minmax.h"
#include "base/sort.h"

enum { LEAST_IN_LOOP = 4 /* strips, of which two run in the loop */ };
#define MOST_WORK UINT64_C(60000000) /* operators and calls that are looked at: some seconds */

static const uint32_t strip_counts[] = {2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24};
static const uint32_t loop_rows[] = {16, 12, 10, 8, 6, 5, 4, 3, 2, 1}; /* of a strip in a loop */

void sw_fit_measuring_done(struct sw_fit_measuring *measuring) {
    SW_ARRAY_DONE(&measuring->lives);
}

/* The value's one life, if all of its bytes are needed from one call to another; NULL if parts of it have lives of
 * their own. */
static const struct sw_fit_life *life_of_whole(const struct sw_fit_program *program, const struct sw_fit_lives *lives,
                                               uint32_t value) {
    size_t at = SW_FIRST(i, lives->count, lives->items[i].root >= value);
    const struct sw_fit_life *life = at < lives->count ? &lives->items[at] : NULL;
    bool whole = life && life->root == value && life->lo == 0 && life->hi == program->values.items[value].size;
    return whole && program->values.items[value].within == SW_NONE ? life : NULL;
}

/* If the call may write its result over an argument, the result takes no bytes of its own at that call. */
static uint64_t saved_by(const struct sw_fit_program *program, const struct sw_fit_lives *lives, uint32_t number) {
    const struct sw_fit_call *call = &program->calls.items[number];
    const struct sw_operator *op = sw_problem_operator(program->problem, call->op);
    const struct sw_fit_life *fresh =
        call->act == SW_FIT_RUN && op->inplace != SW_INPLACE_NO ? life_of_whole(program, lives, call->output) : NULL;
    for (uint32_t i = 0; fresh && fresh->first == number && i < call->input_count; i++) {
        uint32_t input = program->inputs.items[call->first_input + i];
        const struct sw_fit_life *old = life_of_whole(program, lives, input);
        if (old && old->last == number && old->hi >= fresh->hi && sw_fit_may_overwrite(program, call, i)) {
            return fresh->hi;
        }
    }
    return 0;
}

bool sw_fit_measure(struct sw_fit_cuts *cuts, const struct sw_fit_limits *limits, struct sw_fit_measuring *measuring,
                    struct sw_fit_cut *cut, bool *possible, uint64_t *strips) {
    const struct sw_problem *problem = cuts->problem;
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal;
    uint64_t *live = NULL;
    *possible = sw_fit_program_make(problem, &cut->region, 1, &program, &refusal);
    cuts->work += program.values.count + program.calls.count;
    cut->live = cut->live_over = 0;
    for (uint32_t s = 0; strips && s < cut->region.strips; s++) {
        strips[s] = 0;
    }
    bool good = *possible || refusal.op != SW_NONE;
    if (*possible && (good = sw_fit_count_live(&program, &measuring->lives, &live))) {
        uint64_t macs = 0, own = 0;
        for (size_t i = 0; i < program.calls.count; i++) {
            const struct sw_fit_call *call = &program.calls.items[i];
            if (call->region != SW_NONE) {
                cut->live = SW_MAX(cut->live, live[i]);
                cut->live_over = SW_MAX(cut->live_over, live[i] - saved_by(&program, &measuring->lives, (uint32_t)i));
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
        cut->tail = sw_fit_more_tail(&program, &cut->shared);
        cut->flash = sw_fit_more_flash(&program);
        cut->calls = sw_fit_operators(&program) - sw_problem_operator_count(problem);
        SW_FREE(live, program.calls.count + 1);
        unsigned missing = sw_fit_needs(&program) & limits->lacking;
        cuts->missed |= missing;
        *possible = missing == 0;
    }
    sw_fit_program_done(&program);
    return good;
}

/* The most bytes alive at the region's steps in the model as it is. */
static uint64_t live_before(const struct sw_problem *problem, uint32_t first, uint32_t last) {
    const uint64_t *profile = sw_problem_profile(problem);
    uint64_t most = 0;
    for (uint32_t op = first; op <= last; op++) {
        most = SW_MAX(most, profile[op]);
    }
    return most;
}

bool sw_fit_allows(const struct sw_fit_cuts *cuts, const struct sw_fit_limits *limits, const struct sw_fit_more *own) {
    const struct sw_fit_more more = {own->macs + cuts->more.macs, own->flash + cuts->more.flash,
                                     own->calls + cuts->more.calls};
    uint32_t operators = sw_problem_operator_count(cuts->problem) - cuts->more.calls;
    return (limits->calls == 0 || more.calls + operators <= limits->calls) &&
           (limits->flash == 0 || more.flash <= limits->flash) &&
           (limits->macs == 0 || (double)more.macs <= (limits->macs - 1) * (double)cuts->macs);
}

uint64_t sw_fit_live(const struct sw_fit_cuts *cuts, const struct sw_fit_cut *cut) {
    return cuts->in_place ? cut->live_over : cut->live;
}

/* Measure one cut, and take it if it needs less than those with fewer strips, which cost less. `worse`: how many in a
 * row needed no less. */
static bool try_cut(struct sw_fit_cuts *cuts, const struct sw_fit_limits *limits, struct sw_fit_measuring *measuring,
                    struct sw_fit_region region, uint64_t *least, uint64_t *least_over, uint32_t *worse) {
    struct sw_fit_cut cut = {.region = region, .number = cuts->items.count};
    bool possible;
    if (!sw_fit_measure(cuts, limits, measuring, &cut, &possible, NULL)) {
        return false;
    }
    if (!possible || (cut.live >= *least && cut.live_over >= *least_over)) {
        ++*worse;
        return true;
    }
    *least = SW_MIN(*least, cut.live);
    *least_over = SW_MIN(*least_over, cut.live_over);
    *worse = 0;
    return !sw_fit_allows(cuts, limits, &(struct sw_fit_more){cut.macs, cut.flash, cut.calls}) ||
           SW_PUSH(&cuts->items, cut);
}

/* Cut the region as a loop, with shorter and shorter strips: a loop costs the same for any number of strips. The first
 * strip and the last share the rows that the others leave. They are tried with equal shares and, where rows are kept,
 * with the fewest rows for the first, which must make the rows that are kept as well. */
static bool cut_in_loop(struct sw_fit_cuts *cuts, const struct sw_fit_limits *limits,
                        struct sw_fit_measuring *measuring, struct sw_fit_region region, uint64_t rows,
                        uint64_t before) {
    uint64_t least = before, least_over = before;
    uint32_t worse = 0;
    size_t count = sizeof loop_rows / sizeof *loop_rows;
    region.loop = true;
    for (size_t i = 0; i < (region.kept > 0 ? 2 * count : count) && worse < 6; i++) {
        region.rows = loop_rows[i % count];
        region.strips = (uint32_t)((rows + region.rows - 1) / region.rows);
        if (region.strips < LEAST_IN_LOOP) {
            continue;
        }
        uint32_t ends = (uint32_t)rows - (region.strips - 2) * region.rows;
        region.lead = i < count ? (ends + 1) / 2 : 1;
        if (!try_cut(cuts, limits, measuring, region, &least, &least_over, &worse)) {
            return false;
        }
    }
    return true;
}

/* Does an operator of the region pad without being told how much? Only then discarding and padding differ. */
static bool has_two_ways(const struct sw_problem *problem, uint32_t first, uint32_t last) {
    for (uint32_t op = first; op <= last; op++) {
        const struct sw_op_window *w = sw_problem_operator(problem, op)->window;
        if (!w->told && !sw_fit_only_pads(w) && w->before[0] + w->after[0] + w->before[1] + w->after[1] > 0) {
            return true;
        }
    }
    return false;
}

/* Cut the region both ways, with no rows kept and with all, into more and more strips, until three numbers of strips in
 * a row need no less than fewer strips did. */
static bool measure_region_cuts(struct sw_fit_cuts *cuts, const struct sw_fit_limits *limits,
                                struct sw_fit_measuring *measuring, uint32_t first, uint32_t last) {
    const struct sw_problem *problem = cuts->problem;
    uint64_t rows = sw_fit_region_rows(problem, last), before = live_before(problem, first, last);
    bool two = has_two_ways(problem, first, last), told = sw_fit_is_told(problem, first, last);
    for (int form = 0; form < (told ? 1 : 4 - 2 * (first == last)); form++) {
        uint64_t padded = form % 2 ? SW_FIT_PAD_ALL : 0;
        if (padded && !two) {
            continue; /* both ways are the same */
        }
        struct sw_fit_region region = {
            .first = first, .last = last, .padded = padded, .kept = form / 2 ? SW_FIT_KEEP_ALL : 0};
        uint64_t least = before, least_over = before;
        uint32_t worse = 0;
        for (size_t i = 0; i < sizeof strip_counts / sizeof *strip_counts && strip_counts[i] <= rows && worse < 3;
             i++) {
            region.strips = strip_counts[i];
            if (!try_cut(cuts, limits, measuring, region, &least, &least_over, &worse)) {
                return false;
            }
        }
        if (!told && !cut_in_loop(cuts, limits, measuring, region, rows, before)) {
            return false;
        }
    }
    return true;
}

static bool refuse_operator(struct sw_fit_cuts *cuts, const struct sw_fit_refusal *refusal) {
    for (size_t i = 0; i < cuts->refused.count; i++) {
        if (cuts->refused.items[i].op == refusal->op) {
            return true;
        }
    }
    return SW_PUSH(&cuts->refused, *refusal);
}

void sw_fit_turn(const struct sw_problem *problem, struct sw_fit_region *region) {
    uint64_t rows = sw_fit_region_rows(problem, region->last);
    if (region->loop || sw_fit_is_told(problem, region->first, region->last)) {
        return; /* a loop runs forwards alone */
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

void sw_fit_cuts_begin(const struct sw_problem *problem, struct sw_fit_cuts *cuts) {
    cuts->problem = problem;
    cuts->in_place = sw_problem_inplace_safe(problem);
    for (uint32_t op = 0; op < sw_problem_operator_count(problem); op++) {
        cuts->macs += sw_problem_operator(problem, op)->macs;
    }
    cuts->macs -= SW_MIN(cuts->macs, cuts->more.macs);
}

void sw_fit_cuts_none(const struct sw_problem *problem, struct sw_fit_cuts *cuts) {
    sw_fit_cuts_begin(problem, cuts);
    cuts->next = sw_problem_operator_count(problem);
}

bool sw_fit_cuts_next(struct sw_fit_cuts *cuts, const struct sw_fit_limits *limits) {
    uint32_t count = sw_problem_operator_count(cuts->problem), first = cuts->next++;
    struct sw_fit_measuring measuring = {0};
    bool good = true;
    for (uint32_t last = first; good && last < count && last < first + SW_FIT_MOST_OPERATORS; last++) {
        struct sw_fit_refusal refusal;
        if (cuts->work > MOST_WORK || (limits->go_on && !limits->go_on(limits->context, first, count))) {
            cuts->stopped = true;
            cuts->next = count;
            break;
        }
        if (sw_fit_is_region(cuts->problem, first, last, &refusal)) {
            good = measure_region_cuts(cuts, limits, &measuring, first, last);
        } else if (first == last) {
            good = refuse_operator(cuts, &refusal);
            break;
        } else if (!sw_problem_operator(cuts->problem, last)->window) {
            break; /* longer regions have no window there, either */
        }
    }
    sw_fit_measuring_done(&measuring);
    return good;
}

bool sw_fit_cuts_find(const struct sw_problem *problem, const struct sw_fit_limits *limits, struct sw_fit_cuts *cuts) {
    bool good = true;
    for (sw_fit_cuts_begin(problem, cuts); good && cuts->next < sw_problem_operator_count(problem);) {
        good = sw_fit_cuts_next(cuts, limits);
    }
    return good;
}

#define STATE struct sw_fit_cuts
static const struct sw_described cuts_described = {
    SW_STRUCT, .fields = SW_FIELDS(SW_KEPT(problem, problem), SW_LIST(items), SW_LIST(refused),
                                   SW_LIST(refined, .scratch = true), SW_KEPT(macs, next), SW_SCRATCH(work, work))};
#undef STATE

bool sw_fit_cuts_copy(const struct sw_fit_cuts *from, const struct sw_problem *problem, struct sw_fit_cuts *to) {
    if (!sw_described_copy(&cuts_described, to, from)) {
        *to = (struct sw_fit_cuts){0};
        return false;
    }
    to->problem = problem;
    to->in_place = sw_problem_inplace_safe(problem);
    return true;
}

void sw_fit_cuts_done(struct sw_fit_cuts *cuts) {
    sw_described_done(&cuts_described, cuts);
}
