/* branch-and-bound against brute force that shares nothing with it:
 *
 * - on plain problems its peak is the least over all orders by first fit;
 * - on problems with everything in them (alignments, holes, byte windows, permits, pins, reserved
 * and forbidden ranges, pairs kept separate, several cores, several tiers) no layout at all is
 * lower, by trying every offset of every buffer;
 * - what it claims is so: proofs, and that nothing fits;
 * - it is never above a greedy planner, stopped anywhere, too; and what it shows on the way is
 * legal. */
#include "share.h"
#include "model.h"

#include <stdio.h>
#include <string.h>

enum { PLAIN = 700, GENERAL = 1600, MOST = 8, STOPS = 250, CROWDS = 3000, CUTS = 400 };

static uint64_t above_bound, searched, windows, permits, pinned, aligned, cores, tiers, infeasible, refuted;

/* Every other problem without the canonical round, which alone would settle all that is so small.
 */
static const char *how(uint64_t turn) {
    return turn % 2 == 0 ? "auto" : "pivot";
}

static struct sw_search *solve(const struct model *m, const struct sw_problem *problem, const char *key,
                               const char *value) {
    struct sw_error error = {0};
    struct sw_params params = SW_PARAMS_DEFAULT;
    static uint64_t turn;
    sw_params_set(&params, "branching", how(turn++), NULL);
    sw_params_set(&params, key, value, NULL);
    struct sw_search *search = sw_search_new(problem, sw_planner_find("branch-and-bound", NULL), &params, &error);
    sw_params_done(&params);
    check_that(search && sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE, m, "branch-and-bound", "%s",
               error.message);
    return search;
}

static void count_search(const struct sw_search *search) {
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        if (sw_search_journal(search, i)->kind == SW_DECISION_BRANCH) {
            searched++;
            return;
        }
    }
}

/* ---- every layout that is lower ---- */

struct brute {
    const struct model *m;
    struct model_layout layout;
    int order[MAX_BUFFERS], count;
    uint64_t limit; /* ends at most here */
    uint32_t tier;
    uint64_t steps;
};

/* Can the buffers from `at` on be placed below the limit? */
static bool place_all(struct brute *b, int at) {
    if (at == b->count) {
        return true;
    }
    int i = b->order[at];
    const struct model_buffer *buffer = &b->m->buffers[i];
    uint64_t lowest = buffer->pinned ? buffer->offset : 0;
    uint64_t highest = buffer->pinned ? buffer->offset : b->limit < buffer->size ? 0 : b->limit - buffer->size;
    for (uint64_t x = lowest; x <= highest && x + buffer->size <= b->limit; x++) {
        b->layout.tier[i] = b->tier;
        b->layout.offset[i] = x;
        bool ok = oracle_alone(b->m, &b->layout, i, true);
        for (int k = 0; k < at && ok; k++) {
            ok = oracle_pair(b->m, &b->layout, i, b->order[k]);
        }
        b->steps++;
        if (ok && place_all(b, at + 1)) {
            return true;
        }
    }
    return false;
}

/* Is there a layout of what lives in a tier that ends no higher than `limit`? */
static bool exists(const struct model *m, const struct model_layout *solution, uint32_t tier, uint64_t limit) {
    static struct brute b;
    b = (struct brute){.m = m, .tier = tier, .limit = limit};
    for (int i = 0; i < m->buffer_count; i++) {
        b.layout.tier[i] = SW_NONE;
        if (m->buffers[i].planned && m->buffers[i].size > 0 && solution->tier[i] == tier) {
            int k = b.count++;
            for (; k > 0 && m->buffers[b.order[k - 1]].size < m->buffers[i].size; k--) {
                b.order[k] = b.order[k - 1];
            }
            b.order[k] = i;
        }
    }
    return place_all(&b, 0);
}

/* ---- small problems with everything ---- */

/* Cut the sizes down so that every offset can be tried. */
static void shrink(struct model *m) {
    for (int i = 0; i < m->buffer_count; i++) {
        struct model_buffer *b = &m->buffers[i];
        uint64_t before = b->size, size = before ? 1 + before % 8 : 0;
        int kept = 0;
        for (int p = 0; p < b->pieces; p++) {
            struct model_piece piece = b->piece[p];
            bool whole = piece.lo == 0 && piece.hi == before;
            piece.lo = whole ? 0 : piece.lo % size;
            piece.hi = whole ? size : piece.lo + 1 + piece.hi % (size - piece.lo);
            if (kept == 0 || b->piece[kept - 1].last < piece.first) {
                b->piece[kept++] = piece;
            }
        }
        if (b->pieces == 0) {
            b->piece[0].hi = size;
        }
        b->pieces = kept;
        b->size = size;
        if (kept > 0) {
            b->last = b->piece[kept - 1].last;
        }
    }
    for (int i = 0; i < m->reserved_count; i++) {
        m->reserved[i].lo %= 12;
        m->reserved[i].hi = m->reserved[i].lo + 1 + m->reserved[i].hi % 6;
    }
}

/* Every buffer in one tier. False: too many buffers for trying everything. */
static bool make_small(struct model *m, uint64_t seed) {
    uint64_t r = seed * 31 + 7;
    int count = 0;
    model_draw(m, seed);
    shrink(m);
    for (int i = 0; i < m->buffer_count; i++) {
        struct model_buffer *b = &m->buffers[i];
        count += b->planned && b->size > 0;
        if (m->tier_count > 1 && b->planned && b->tier < 0) {
            do {
                b->tier = (int)sw_random_below(&r, (uint64_t)m->tier_count);
            } while (!(b->tiers >> b->tier & 1));
        }
    }
    for (int t = 0; t < m->tier_count; t++) {
        m->capacity[t] = SW_UNBOUNDED;
    }
    return count <= 7;
}

static void count_kinds(const struct model *m, const struct sw_problem *problem) {
    size_t count;
    bool window = false, pin = false, align = false;
    sw_problem_permits(problem, &count);
    for (int i = 0; i < m->buffer_count; i++) {
        pin |= m->buffers[i].pinned;
        align |= m->buffers[i].alignment > 1;
        for (int k = 0; k < i; k++) {
            window |= sw_problem_conflict(problem, (uint32_t)i, (uint32_t)k) == SW_CONFLICT_WINDOWS;
        }
    }
    permits += count > 0;
    windows += window;
    pinned += pin;
    aligned += align;
    cores += m->cores > 1;
    tiers += m->tier_count > 1;
}

static void check_legal(const struct model *m, const struct sw_search *search) {
    struct model_layout l;
    char text[200] = "";
    model_layout_of(&l, sw_search_layout(search));
    check_that(oracle_check(m, &l, true, text, sizeof text), m, "branch-and-bound", "%s", text);
}

/* Every tier is as low as can be, and that is claimed. */
static void check_least(const struct model *m, const struct sw_problem *problem) {
    struct sw_search *search = solve(m, problem, "goal", "least");
    struct model_layout l;
    struct sw_claims claims;
    check_legal(m, search);
    model_layout_of(&l, sw_search_layout(search));
    sw_search_claims(search, &claims);
    check_that(claims.optimal && !claims.infeasible, m, "branch-and-bound", "nothing is claimed");
    uint64_t highest = 0;
    for (int t = 0; t < m->tier_count; t++) {
        uint64_t peak = sw_layout_arena(sw_search_layout(search), (uint32_t)t);
        highest = peak > highest ? peak : highest;
        check_that(peak == 0 || !exists(m, &l, (uint32_t)t, peak - 1), m, "branch-and-bound",
                   "tier %d needs %llu, and there is a lower layout", t, (unsigned long long)peak);
        refuted += peak > 0;
    }
    const struct sw_decision *last = sw_search_decision(search);
    check_that(m->buffer_count == 0 || !last ||
                   (last->kind == SW_DECISION_PROVED && sw_decision_amount(last) == highest),
               m, "branch-and-bound", "the last decision proves nothing");
    count_search(search);
    sw_search_free(search);
}

/* With a capacity: a layout within it, or the claim that there is none. */
static void check_fit(struct model *m, uint64_t *r) {
    for (int t = 0; t < m->tier_count; t++) {
        m->capacity[t] = 6 + sw_random_below(r, 18);
    }
    for (int i = 0; i < m->buffer_count; i++) {
        if (m->buffers[i].pinned &&
            m->buffers[i].offset + m->buffers[i].size > m->capacity[m->buffers[i].tier >= 0 ? m->buffers[i].tier : 0]) {
            return; /* the builder, or the pin, refuses that */
        }
    }
    struct sw_problem *problem = model_build(m, NULL);
    struct sw_search *search = solve(m, problem, "goal", "auto");
    struct model_layout l;
    struct sw_metrics metrics;
    struct sw_claims claims;
    check_legal(m, search);
    model_layout_of(&l, sw_search_layout(search));
    sw_metrics_of(sw_search_layout(search), &metrics);
    sw_search_claims(search, &claims);
    bool fits = true, least = true;
    for (int t = 0; t < m->tier_count; t++) {
        uint64_t peak = metrics.tier_peak[t];
        fits = fits && exists(m, &l, (uint32_t)t, m->capacity[t]);
        least = least && (peak == 0 || !exists(m, &l, (uint32_t)t, peak - 1));
    }
    check_that(metrics.fits == fits, m, "branch-and-bound", "it fits: %d, and should: %d", metrics.fits, fits);
    check_that(claims.infeasible == !fits, m, "branch-and-bound", "claims of nothing: %d", claims.infeasible);
    check_that(!claims.optimal || (fits && least), m, "branch-and-bound", "it claims to be the least, and is not");
    infeasible += !fits;
    sw_search_free(search);
    sw_problem_unref(problem);
}

static bool try_general(uint64_t seed) {
    struct model m;
    uint64_t r = seed;
    if (!make_small(&m, seed)) {
        return false;
    }
    struct sw_problem *problem = model_build(&m, NULL);
    if (seed % 3 == 0) {
        struct sw_search *first = sw_search_new(problem, sw_planner_find("first-fit", NULL), NULL, NULL);
        check_that(first && sw_search_run(first, 0, NULL, NULL, NULL) == SW_STEP_DONE, &m, "first-fit",
                   "no layout to take pins from");
        model_pin_some(&m, sw_search_layout(first));
        sw_search_free(first);
        sw_problem_unref(problem);
        problem = model_build(&m, NULL);
    }
    count_kinds(&m, problem);
    check_least(&m, problem);
    sw_problem_unref(problem);
    check_fit(&m, &r);
    return true;
}

/* ---- plain problems, all orders ---- */

struct orders {
    const struct model *m;
    int count, order[MOST];
    uint64_t offset[MOST], least;
    bool used[MOST];
};

/* All orders from `at` on, unless they are no better already. */
static void all_orders(struct orders *o, int at, uint64_t top) {
    if (top >= o->least) {
        return;
    }
    if (at == o->count) {
        o->least = top;
        return;
    }
    for (int i = 0; i < o->count; i++) {
        const struct model_buffer *b = &o->m->buffers[i];
        uint64_t x = 0;
        if (o->used[i]) {
            continue;
        }
        for (bool moved = true; moved && b->size > 0;) {
            moved = false;
            for (int k = 0; k < at; k++) {
                const struct model_buffer *p = &o->m->buffers[o->order[k]];
                uint64_t y = o->offset[k];
                if (p->size > 0 && p->first <= b->last && b->first <= p->last && x < y + p->size && y < x + b->size) {
                    x = y + p->size;
                    moved = true;
                }
            }
        }
        o->used[i] = true;
        o->order[at] = i;
        o->offset[at] = x;
        all_orders(o, at + 1, x + b->size > top ? x + b->size : top);
        o->used[i] = false;
    }
}

static void try_plain(uint64_t seed) {
    static const char *const greedy[] = {"greedy-by-size", "greedy-by-breadth", "best-fit",
                                         "first-fit",      "lifetime-best-fit", "tflm-greedy"};
    struct model m;
    model_draw_plain(&m, seed, seed % 5 == 0 ? MOST : 7);
    struct orders o = {.m = &m, .count = m.buffer_count, .least = UINT64_MAX};
    all_orders(&o, 0, 0);
    struct sw_problem *problem = model_build(&m, NULL);
    struct sw_search *search = solve(&m, problem, "nodes", "0");
    uint64_t peak = sw_layout_peak(sw_search_layout(search));
    check_legal(&m, search);
    check_that(peak == o.least, &m, "branch-and-bound", "%llu, and over all orders %llu", (unsigned long long)peak,
               (unsigned long long)o.least);
    for (size_t i = 0; i < sizeof greedy / sizeof *greedy; i++) {
        struct sw_search *other = sw_search_new(problem, sw_planner_find(greedy[i], NULL), NULL, NULL);
        check_that(other && sw_search_run(other, 0, NULL, NULL, NULL) == SW_STEP_DONE, &m, greedy[i], "it fails");
        check_that(peak <= sw_layout_peak(sw_search_layout(other)), &m, greedy[i], "it is below branch-and-bound");
        sw_search_free(other);
    }
    count_search(search);
    sw_search_free(search);
    sw_problem_unref(problem);
}

/* ---- on the way ---- */

static uint64_t live_in(const struct sw_layout *layout, uint32_t time) {
    const struct sw_problem *problem = sw_layout_problem(layout);
    uint64_t live = 0;
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        if (sw_problem_buffer(problem, i)->planned && sw_layout_placed(layout, i)) {
            live += sw_buffer_live_bytes(sw_problem_buffer(problem, i), time);
        }
    }
    return live;
}

/* No two of those that are shown collide. */
static void check_shown(const struct model *m, const struct sw_search *search) {
    struct model_layout l;
    model_layout_of(&l, sw_search_layout(search));
    for (int i = 0; i < m->buffer_count; i++) {
        for (int k = 0; k < i && l.tier[i] != SW_NONE; k++) {
            check_that(l.tier[k] == SW_NONE || oracle_pair(m, &l, i, k), m, "branch-and-bound",
                       "at decision %llu b%d and b%d are shown in collision", (unsigned long long)sw_search_at(search),
                       i, k);
        }
    }
}

/* The arena of every tier is what stands in it: going back lowers it again. */
static void check_arena(const struct model *m, const struct sw_search *search) {
    struct model_layout l;
    model_layout_of(&l, sw_search_layout(search));
    for (int t = 0; t < m->tier_count; t++) {
        uint64_t top = 0;
        for (int i = 0; i < m->buffer_count; i++) {
            uint64_t end = l.offset[i] + m->buffers[i].size;
            top = l.tier[i] == (uint32_t)t && end > top ? end : top;
        }
        check_that(sw_layout_arena(sw_search_layout(search), (uint32_t)t) == top, m, "branch-and-bound",
                   "the arena is %llu, not %llu",
                   (unsigned long long)sw_layout_arena(sw_search_layout(search), (uint32_t)t), (unsigned long long)top);
    }
}

/* Stop anywhere: what is settled is legal and complete, only gets lower, and is the same when the
 * run is repeated up to there; and the run goes on as if nothing had been settled. */
static void try_stops(uint64_t seed) {
    struct model m;
    struct sw_error error = {0};
    struct sw_params params = SW_PARAMS_DEFAULT;
    model_draw(&m, seed);
    for (int i = 0; i < m.buffer_count; i++) {
        if (m.tier_count > 1 && m.buffers[i].planned) {
            m.buffers[i].tier = 0;
            m.buffers[i].tiers |= 1;
        }
    }
    sw_params_set(&params, "nodes", "60", NULL);
    sw_params_set(&params, "branching", how(seed), NULL);
    struct sw_problem *problem = model_build(&m, NULL);
    const struct sw_planner *planner = sw_planner_find("branch-and-bound", NULL);
    struct sw_search *search = sw_search_new(problem, planner, &params, &error);
    struct sw_search *again = sw_search_new(problem, planner, &params, &error);
    check_that(search && again, &m, planner->name, "%s", error.message);
    uint64_t before = UINT64_MAX;
    bool known = false;
    while (sw_search_step(search, &error) == SW_STEP_MORE) {
        const struct sw_decision *d = sw_search_decision(search);
        check_shown(&m, search);
        check_that(d->reason[0] && (d->time == SW_NONE || d->live == live_in(sw_search_layout(search), d->time)), &m,
                   planner->name, "decision %llu is odd", (unsigned long long)d->step);
        if (known) {
            check_arena(&m, search);
        }
        known = known || d->kind == SW_DECISION_INCUMBENT;
        if (!known || sw_random_below(&seed, 4) > 0) {
            continue;
        }
        uint64_t digest = sw_search_digest(search);
        struct sw_search *stopped = sw_search_fork(search, &error);
        check_that(stopped && sw_search_settle(stopped, &error), &m, planner->name, "settle: %s", error.message);
        check_legal(&m, stopped);
        uint64_t peak = sw_layout_peak(sw_search_layout(stopped));
        check_that(peak <= before, &m, planner->name, "the best layout became worse");
        before = peak;
        check_that(sw_search_seek(again, sw_search_at(search), &error) && sw_search_digest(again) == digest &&
                       sw_search_settle(again, &error) && sw_search_digest(again) == sw_search_digest(stopped),
                   &m, planner->name, "repeated up to the stop it is another layout");
        sw_search_seek(stopped, UINT64_MAX, &error);
        sw_search_seek(again, sw_search_known(stopped), &error);
        check_that(sw_search_digest(again) == sw_search_digest(stopped), &m, planner->name,
                   "settling changed what follows");
        sw_search_free(stopped);
    }
    sw_search_free(search);
    sw_search_free(again);
    sw_problem_unref(problem);
    sw_params_done(&params);
}

/* ---- crowded problems: both kinds of search come to the same end ---- */

static void add_block(struct model *m, uint64_t first, uint64_t last, uint64_t size) {
    struct model_buffer *b = &m->buffers[m->buffer_count];
    *b = (struct model_buffer){.kind = SW_KIND_INTERMEDIATE,
                               .planned = true,
                               .size = size,
                               .alignment = 1,
                               .tiers = 1,
                               .tier = -1,
                               .first = (int64_t)first,
                               .last = (int64_t)last,
                               .pieces = 1,
                               .piece = {{(int64_t)first, (int64_t)last, 0, size}},
                               .writer = -1};
    snprintf(b->name, sizeof b->name, "b%d", m->buffer_count++);
}

/* What is left below the ceiling is filled to the last byte, by blocks as long as they are even:
 * then a layout as low as the ceiling has no hole, and often there is none. */
static void fill_up(struct model *m, uint64_t *room, uint64_t steps, uint64_t most) {
    for (uint64_t t = 0; t < steps && m->buffer_count < MAX_BUFFERS; t++) {
        uint64_t last = t, size = most - room[t];
        while (last + 1 < steps && room[last + 1] == room[t]) {
            last++;
        }
        if (size > 0) {
            add_block(m, t, last, size);
        }
        t = last;
    }
}

/* Spans and sizes thrown in as long as they fit under a ceiling: nothing is left free. */
static void draw_crowd(struct model *m, uint64_t seed) {
    uint64_t r = seed * 7919 + 11, room[16] = {0};
    *m = (struct model){.seed = seed, .cores = 1, .tier_count = 1, .capacity = {SW_UNBOUNDED}};
    uint64_t steps = 7 + sw_random_below(&r, 3), most = 14 + sw_random_below(&r, 9);
    for (int tries = 0; tries < 400 && m->buffer_count < 13; tries++) {
        uint64_t first = sw_random_below(&r, steps), last = first + sw_random_below(&r, 4);
        uint64_t size = 3 + sw_random_below(&r, 8);
        bool free_ = true;
        last = last < steps ? last : steps - 1;
        for (uint64_t t = first; t <= last; t++) {
            free_ = free_ && room[t] + size <= most;
        }
        if (free_) {
            add_block(m, first, last, size);
            for (uint64_t t = first; t <= last; t++) {
                room[t] += size;
            }
        }
    }
    fill_up(m, room, steps, most);
}

static void try_crowd(uint64_t seed) {
    struct model m;
    uint64_t peak[2];
    draw_crowd(&m, seed);
    struct sw_problem *problem = model_build(&m, NULL);
    for (int k = 0; k < 2; k++) {
        struct sw_search *search = solve(&m, problem, "branching", k == 0 ? "canonical" : "pivot");
        struct sw_claims claims;
        sw_search_claims(search, &claims);
        peak[k] = sw_layout_peak(sw_search_layout(search));
        check_legal(&m, search);
        check_that(claims.optimal, &m, "branch-and-bound", "nothing is claimed");
        sw_search_free(search);
    }
    check_that(peak[0] == peak[1], &m, "branch-and-bound", "canonical %llu, about a pivot %llu",
               (unsigned long long)peak[0], (unsigned long long)peak[1]);
    above_bound += peak[0] > sw_problem_lower_bound(problem);
    sw_problem_unref(problem);
}

/* ---- rectangles cut into pieces: nothing may stay free, and few layouts are that tight ---- */

struct cut {
    uint64_t left, right, low, high; /* time and bytes */
};

/* One piece becomes two, or the five of a pinwheel, which no straight cut divides. */
static int cut_one(struct cut *pieces, int count, uint64_t *r) {
    struct cut *one = &pieces[sw_random_below(r, (uint64_t)count)], whole = *one;
    uint64_t width = whole.right - whole.left, height = whole.high - whole.low;
    if (width >= 3 && height >= 3 && count + 4 <= MAX_BUFFERS && sw_random_below(r, 2) == 0) {
        uint64_t a = whole.left + 1 + sw_random_below(r, width - 2);
        uint64_t b = a + 1 + sw_random_below(r, whole.right - a - 1);
        uint64_t c = whole.low + 1 + sw_random_below(r, height - 2);
        uint64_t d = c + 1 + sw_random_below(r, whole.high - c - 1);
        *one = (struct cut){whole.left, b, whole.low, c};
        pieces[count++] = (struct cut){b, whole.right, whole.low, d};
        pieces[count++] = (struct cut){a, whole.right, d, whole.high};
        pieces[count++] = (struct cut){whole.left, a, c, whole.high};
        pieces[count++] = (struct cut){a, b, c, d};
    } else if (width >= 2 && (height < 2 || sw_random_below(r, 2) == 0)) {
        one->right = whole.left + 1 + sw_random_below(r, width - 1);
        pieces[count++] = (struct cut){one->right, whole.right, whole.low, whole.high};
    } else if (height >= 2) {
        one->high = whole.low + 1 + sw_random_below(r, height - 1);
        pieces[count++] = (struct cut){whole.left, whole.right, one->high, whole.high};
    }
    return count;
}

static void try_cuts(uint64_t seed) {
    struct model m = {.seed = seed, .cores = 1, .tier_count = 1, .capacity = {SW_UNBOUNDED}};
    struct cut pieces[MAX_BUFFERS] = {{0, 0, 0, 0}};
    uint64_t r = seed * 6271 + 5;
    int count = 1;
    pieces[0].right = 6 + sw_random_below(&r, 8);
    pieces[0].high = 8 + sw_random_below(&r, 30);
    uint64_t height = pieces[0].high;
    for (int tries = 0; tries < 60 && count < MAX_BUFFERS; tries++) {
        count = cut_one(pieces, count, &r);
    }
    for (int i = 0; i < count; i++) {
        add_block(&m, pieces[i].left, pieces[i].right - 1, pieces[i].high - pieces[i].low);
    }
    struct sw_problem *problem = model_build(&m, NULL);
    struct sw_search *search = solve(&m, problem, "branching", "pivot");
    uint64_t peak = sw_layout_peak(sw_search_layout(search));
    check_legal(&m, search);
    check_that(peak == height, &m, "branch-and-bound", "%llu, and %llu is possible", (unsigned long long)peak,
               (unsigned long long)height);
    sw_search_free(search);
    sw_problem_unref(problem);
}

int main(void) {
    uint64_t seed = base_seed(), done = 0;
    for (uint64_t i = first_case(CUTS), i_end = i + cases(CUTS); i < i_end; i++) {
        try_cuts(seed + i);
    }
    for (uint64_t i = first_case(CROWDS), i_end = i + cases(CROWDS); i < i_end; i++) {
        try_crowd(seed + i);
    }
    for (uint64_t i = first_case(PLAIN), i_end = i + cases(PLAIN); i < i_end; i++) {
        try_plain(seed + i);
    }
    for (uint64_t i = first_case(GENERAL); done < cases(GENERAL); i++) {
        done += try_general(seed + i);
    }
    for (uint64_t i = first_case(STOPS), i_end = i + cases(STOPS); i < i_end; i++) {
        try_stops(seed + i);
    }
    printf("%d plain problems against all orders, %d against all offsets: %llu searched, %llu tiers "
           "proved, %llu infeasible, %llu with windows, %llu permits, %llu pins, %llu alignments, "
           "%llu cores, %llu tiers; %d crowded ones by both searches, %llu of them above the bound; "
           "%d cut; from seed %llu\n",
           PLAIN, GENERAL, (unsigned long long)searched, (unsigned long long)refuted, (unsigned long long)infeasible,
           (unsigned long long)windows, (unsigned long long)permits, (unsigned long long)pinned,
           (unsigned long long)aligned, (unsigned long long)cores, (unsigned long long)tiers, CROWDS,
           (unsigned long long)above_bound, CUTS, (unsigned long long)seed);
    return 0;
}
