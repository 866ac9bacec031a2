/* Orders and their layouts: the decoder of order-genetic against its rules restated, its fast way
 * against its general one, its operators, random-order restated, what is true of first fit in
 * general, and the bound on several cores against all sets of buffers. */
#include "share.h"
#include "model.h"

#include "base/hash.h"
#include "planners/orders/genome.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 1500, CORES = 1500, SMALL = 300, LUCK = 1200, SEEDED = 1000 };

static uint64_t luck_orders, fast_decodes, slow_decodes, cliques, steps_are_proof, inexact;

static struct sw_decoder *decoder_of(const struct model *m, struct sw_run *run, const struct sw_problem *problem) {
    static const struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    *run = (struct sw_run){.problem = problem, .params = &params, .error = &error, .choice = -1};
    struct sw_decoder *decoder = sw_decoder_new(run);
    check_that(decoder != NULL, m, "decoder", "%s", error.message);
    run->error = NULL;
    return decoder;
}

/* Places stand for planned buffers in program order: by first, ties as listed. */
static int places_of(const struct model *m, int *buffer) {
    int count = 0;
    for (int i = 0; i < m->buffer_count; i++) {
        if (m->buffers[i].planned) {
            int k = count++;
            for (; k > 0 && m->buffers[buffer[k - 1]].first > m->buffers[i].first; k--) {
                buffer[k] = buffer[k - 1];
            }
            buffer[k] = i;
        }
    }
    return count;
}

static uint64_t up(uint64_t x, uint64_t alignment) {
    return (x + alignment - 1) / alignment * alignment;
}

/* ---- the decoder restated: plain lifetimes, any alignment ---- */

static bool cross(const struct model_buffer *a, const struct model_buffer *b) {
    return a->size > 0 && b->size > 0 && a->first <= b->last && b->first <= a->last;
}

static bool overlaps(const struct model_buffer *a, uint64_t at, const struct model_buffer *b, uint64_t other) {
    return at < other + up(b->size, b->alignment) && other < at + up(a->size, a->alignment);
}

/* Try every multiple of the alignment that could be the lowest: 0 and the ends of others, rounded
 * up. */
static uint64_t restate(const struct model *m, const int *buffer, const struct sw_rank *order, int count,
                        uint64_t *offsets) {
    uint64_t peak = 0;
    for (int i = 0; i < count; i++) {
        const struct model_buffer *x = &m->buffers[buffer[order[i].at]];
        uint64_t best = UINT64_MAX;
        for (int c = -1; c < i; c++) {
            const struct model_buffer *below = c < 0 ? NULL : &m->buffers[buffer[order[c].at]];
            uint64_t at = below ? up(offsets[order[c].at] + up(below->size, below->alignment), x->alignment) : 0;
            bool free_ = true;
            for (int k = 0; k < i && free_; k++) {
                const struct model_buffer *y = &m->buffers[buffer[order[k].at]];
                free_ = !cross(x, y) || !overlaps(x, at, y, offsets[order[k].at]);
            }
            best = free_ && at < best ? at : best;
        }
        offsets[order[i].at] = best;
        peak = best + x->size > peak ? best + x->size : peak;
    }
    return peak;
}

static void align_some(struct model *m, bool powers) {
    uint64_t r = m->seed * 17 + 3;
    for (int i = 0; i < m->buffer_count && m->seed % 2; i++) {
        uint64_t alignment = powers ? UINT64_C(1) << sw_random_below(&r, 5) : 1 + sw_random_below(&r, 7);
        m->buffers[i].alignment = sw_random_below(&r, 2) ? alignment : 1;
    }
}

static void check_restated(uint64_t seed) {
    struct model m;
    struct sw_run run;
    int buffer[MAX_BUFFERS];
    struct sw_rank order[MAX_BUFFERS];
    uint64_t r = seed * 3 + 1, offsets[MAX_BUFFERS];
    model_draw_plain(&m, seed, MAX_BUFFERS - 4);
    align_some(&m, seed % 4 == 1);
    struct sw_problem *problem = model_build(&m, NULL);
    struct sw_decoder *decoder = decoder_of(&m, &run, problem);
    int count = places_of(&m, buffer);
    check_that((int)sw_decoder_count(decoder) == count, &m, "decoder", "another number of places");
    for (int round = 0; round < 4; round++) {
        struct sw_need need;
        sw_genome_shuffle(order, (uint32_t)count, &r);
        uint64_t peak = restate(&m, buffer, order, count, offsets);
        *(sw_decoder_fast(decoder) ? &fast_decodes : &slow_decodes) += 1;
        sw_decode(decoder, order);
        sw_decoder_need(decoder, &need);
        check_that(need.peak == peak, &m, "decoder", "peak %llu, by the rules %llu", (unsigned long long)need.peak,
                   (unsigned long long)peak);
        for (int i = 0; i < count; i++) {
            check_that(sw_decoder_offset(decoder, (struct sw_rank){(uint32_t)i}) == offsets[i], &m, "decoder",
                       "b%d lies at %llu; by the rules at %llu", buffer[i],
                       (unsigned long long)sw_decoder_offset(decoder, (struct sw_rank){(uint32_t)i}),
                       (unsigned long long)offsets[i]);
        }
        if (round == 1) {
            sw_decoder_slow_down(decoder);
        }
    }
    sw_decoder_unref(decoder);
    sw_problem_unref(problem);
}

/* ---- the block sequence and its continuity restated ---- */

static void check_sequence(uint64_t seed) {
    struct model m;
    struct sw_run run;
    int buffer[MAX_BUFFERS];
    uint64_t r = seed * 5 + 1;
    model_draw_plain(&m, seed, MAX_BUFFERS - 4);
    struct sw_problem *problem = model_build(&m, NULL);
    struct sw_decoder *decoder = decoder_of(&m, &run, problem);
    struct sw_genome *g = sw_genome_new(decoder);
    int count = places_of(&m, buffer), continuity = 0, pairs = 0;
    uint32_t place[MAX_BUFFERS];
    sw_genome_shuffle(g->order, g->count, &r);
    sw_genome_decode(g, decoder);
    for (int i = 0; i < count; i++) {
        place[g->order[i].at] = (uint32_t)i;
    }
    for (int i = 1; i < count; i++) {
        struct sw_rank first = g->sequence[i - 1], second = g->sequence[i];
        uint32_t a = first.at, b = second.at;
        uint64_t lo = sw_decoder_offset(decoder, first), hi = sw_decoder_offset(decoder, second);
        check_that(lo < hi || (lo == hi && place[a] < place[b]), &m, "sort", "places %d and %d", i - 1, i);
        bool reuse = !cross(&m.buffers[buffer[a]], &m.buffers[buffer[b]]) &&
                     m.buffers[buffer[a]].size >= m.buffers[buffer[b]].size;
        check_that(reuse == g->reuse[i], &m, "continuity", "at place %d", i);
        continuity += reuse;
    }
    for (int i = 0; i < count; i++) {
        for (int k = 0; k < i; k++) {
            pairs += cross(&m.buffers[buffer[i]], &m.buffers[buffer[k]]);
        }
    }
    check_that((int)g->continuity == continuity, &m, "continuity", "%u, not %d", g->continuity, continuity);
    check_that((int)sw_decoder_conflicts(decoder) == pairs, &m, "conflicts", "%llu, not %d",
               (unsigned long long)sw_decoder_conflicts(decoder), pairs);
    sw_genome_unref(g);
    sw_decoder_unref(decoder);
    sw_problem_unref(problem);
}

/* ---- crossover ---- */

static bool is_order(const struct sw_rank *order, uint32_t count) {
    bool seen[MAX_BUFFERS] = {false};
    for (uint32_t i = 0; i < count; i++) {
        if (order[i].at >= count || seen[order[i].at]) {
            return false;
        }
        seen[order[i].at] = true;
    }
    return true;
}

static void check_child(const struct model *m, const struct sw_genome *a, const struct sw_genome *b,
                        const struct sw_window *w, const struct sw_rank *child) {
    check_that(is_order(child, a->count), m, "crossover", "the child is no order");
    for (uint32_t i = w->at; i < w->at + w->length; i++) {
        check_that(child[i].at == a->sequence[i].at, m, "crossover", "the window is not a's");
    }
    uint32_t at = 0; /* outside the window, the members of b that are not in it, in b's order */
    for (uint32_t i = 0; i < a->count; i++) {
        bool inside = false;
        for (uint32_t k = w->at; k < w->at + w->length; k++) {
            inside |= a->sequence[k].at == b->sequence[i].at;
        }
        if (inside) {
            continue;
        }
        at = at == w->at ? at + w->length : at;
        check_that(child[at++].at == b->sequence[i].at, m, "crossover", "the rest is not in b's order");
    }
}

static void check_crossover(uint64_t seed) {
    struct model m;
    struct sw_run run;
    bool taken[MAX_BUFFERS];
    struct sw_rank child[MAX_BUFFERS];
    uint64_t r = seed * 7 + 1;
    model_draw_plain(&m, seed, MAX_BUFFERS - 4);
    struct sw_problem *problem = model_build(&m, NULL);
    struct sw_decoder *decoder = decoder_of(&m, &run, problem);
    struct sw_genome *a = sw_genome_new(decoder), *b = sw_genome_new(decoder);
    sw_genome_shuffle(a->order, a->count, &r);
    sw_genome_shuffle(b->order, b->count, &r);
    sw_genome_decode(a, decoder);
    sw_genome_decode(b, decoder);
    for (uint32_t length = 2; length <= a->count / 2; length++) {
        struct sw_window w = sw_genome_window(a, length, &r);
        uint32_t most = 0, equals = 0;
        for (uint32_t at = 0; at + length <= a->count; at++) {
            uint32_t c = sw_genome_window_continuity(a, at, length);
            equals = c > most ? 1 : equals + (c == most);
            most = c > most ? c : most;
        }
        check_that(w.length == length && w.at + length <= a->count && w.continuity == most && w.equals == equals &&
                       sw_genome_window_continuity(a, w.at, length) == most,
                   &m, "window", "length %u: %u at %u, and %u is possible", length, w.continuity, w.at, most);
        sw_genome_cross(a->sequence, b->sequence, a->count, &w, taken, child);
        check_child(&m, a, b, &w, child);
    }
    sw_genome_unref(a);
    sw_genome_unref(b);
    sw_decoder_unref(decoder);
    sw_problem_unref(problem);
}

/* ---- first fit by start address ---- */

/* Any valid layout: first fit in a random order, and then blocks lifted at random where there is
 * room. */
static void spread(const struct model *m, const int *buffer, int count, uint64_t *offsets, uint64_t *r) {
    for (int i = 0; i < count; i++) {
        const struct model_buffer *x = &m->buffers[buffer[i]];
        uint64_t at = offsets[i] + sw_random_below(r, 60);
        bool free_ = true;
        for (int k = 0; k < count; k++) {
            const struct model_buffer *y = &m->buffers[buffer[k]];
            free_ &= k == i || !cross(x, y) || !overlaps(x, at, y, offsets[k]);
        }
        offsets[i] = free_ ? at : offsets[i];
    }
}

static void by_start(const uint64_t *offsets, int count, struct sw_rank *order) {
    for (int i = 0; i < count; i++) {
        int k = i;
        for (; k > 0 && offsets[order[k - 1].at] > offsets[i]; k--) {
            order[k] = order[k - 1];
        }
        order[k].at = (uint32_t)i;
    }
}

static void check_addresses(uint64_t seed) {
    struct model m;
    struct sw_run run;
    int buffer[MAX_BUFFERS] = {0};
    struct sw_rank order[MAX_BUFFERS];
    uint64_t r = seed * 11 + 1, offsets[MAX_BUFFERS];
    model_draw_plain(&m, seed, MAX_BUFFERS - 4);
    struct sw_problem *problem = model_build(&m, NULL);
    struct sw_decoder *decoder = decoder_of(&m, &run, problem);
    int count = places_of(&m, buffer);
    sw_genome_shuffle(order, (uint32_t)count, &r);
    restate(&m, buffer, order, count, offsets);
    by_start(offsets, count, order);
    sw_decode(decoder, order);
    for (int i = 0; i < count; i++) {
        check_that(sw_decoder_offset(decoder, (struct sw_rank){(uint32_t)i}) == offsets[i], &m, "by start address",
                   "a first-fit layout is not reproduced at b%d", buffer[i]);
    }
    spread(&m, buffer, count, offsets, &r);
    by_start(offsets, count, order);
    sw_decode(decoder, order);
    for (int i = 0; i < count; i++) {
        check_that(sw_decoder_offset(decoder, (struct sw_rank){(uint32_t)i}) <= offsets[i], &m, "by start address",
                   "b%d is raised", buffer[i]);
    }
    sw_decoder_unref(decoder);
    sw_problem_unref(problem);
}

/* ---- the fast way and the general one, with pins and ranges ---- */

static void check_ways(uint64_t seed) {
    struct model m;
    struct sw_run run;
    struct sw_error error = {0};
    uint64_t r = seed * 13 + 1, offsets[MAX_BUFFERS];
    struct sw_rank order[MAX_BUFFERS];
    model_draw(&m, seed);
    struct sw_problem *problem = model_build(&m, NULL);
    struct sw_search *search = sw_search_new(problem, sw_planner_find("best-fit", NULL), NULL, &error);
    check_that(search && sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE, &m, "best-fit", "%s",
               error.message);
    model_pin_some(&m, sw_search_layout(search));
    sw_search_free(search);
    sw_problem_unref(problem);
    problem = model_build(&m, NULL);
    static const struct sw_params params = SW_PARAMS_DEFAULT;
    run = (struct sw_run){.problem = problem, .params = &params, .error = &error, .choice = -1};
    /* Ranges that no pin touches: above all of them. */
    struct sw_forbid forbid = {(uint32_t)sw_random_below(&r, (uint64_t)m.buffer_count), 0, 4000, 4100},
                     all = {SW_NONE, 0, 5000, 5030};
    struct sw_forbid near = {forbid.buffer, 0, 3, 20};
    bool pinned = m.buffers[near.buffer].pinned;
    check_that(SW_PUSH(&run.rules.forbids, forbid) && SW_PUSH(&run.rules.forbids, all) &&
                   (pinned || SW_PUSH(&run.rules.forbids, near)),
               &m, "decoder", "no memory");
    struct sw_decoder *decoder = sw_decoder_new(&run);
    check_that(decoder != NULL, &m, "decoder", "%s", error.message);
    uint32_t count = sw_decoder_count(decoder);
    bool fast = sw_decoder_fast(decoder);
    for (int round = 0; fast && round < 3; round++) {
        struct sw_decoder *general = sw_decoder_new(&run);
        check_that(general != NULL, &m, "decoder", "%s", error.message);
        sw_decoder_slow_down(general);
        sw_genome_shuffle(order, count, &r);
        struct sw_need quick, slow;
        sw_decode(decoder, order);
        sw_decode(general, order);
        sw_decoder_need(decoder, &quick);
        sw_decoder_need(general, &slow);
        check_that(quick.peak == slow.peak && quick.above == slow.above, &m, "two ways", "peaks %llu and %llu",
                   (unsigned long long)quick.peak, (unsigned long long)slow.peak);
        for (uint32_t i = 0; i < count; i++) {
            offsets[i] = sw_decoder_offset(decoder, (struct sw_rank){i});
            check_that(offsets[i] == sw_decoder_offset(general, (struct sw_rank){i}), &m, "two ways",
                       "place %u lies at %llu and %llu", i, (unsigned long long)offsets[i],
                       (unsigned long long)sw_decoder_offset(general, (struct sw_rank){i}));
        }
        sw_decoder_unref(general);
        fast_decodes++;
    }
    sw_decoder_unref(decoder);
    sw_rules_done(&run.rules);
    sw_problem_unref(problem);
}

/* ---- random-order restated ---- */

/* Every order as likely as any other: from the top down, each place changes with one not above it.
 */
static void shuffle(struct sw_rank *order, int count, uint64_t *r) {
    for (int i = 0; i < count; i++) {
        order[i].at = (uint32_t)i;
    }
    for (int i = count - 1; i > 0; i--) {
        uint64_t k = sw_random_below(r, (uint64_t)i + 1);
        struct sw_rank swap = order[i];
        order[i] = order[k];
        order[k] = swap;
    }
}

static void check_luck(uint64_t seed) {
    struct model m;
    struct sw_error error = {0};
    struct sw_params params = SW_PARAMS_DEFAULT;
    int buffer[MAX_BUFFERS];
    struct sw_rank order[MAX_BUFFERS];
    uint64_t offsets[MAX_BUFFERS], best[MAX_BUFFERS] = {0}, least = UINT64_MAX, r = seed + 5;
    uint64_t evaluations = 0, wanted = 1 + seed % 40;
    char text[24];
    model_draw_plain(&m, seed, MAX_BUFFERS - 4);
    align_some(&m, seed % 4 == 1);
    struct sw_problem *problem = model_build(&m, NULL);
    int count = places_of(&m, buffer);
    while (evaluations < wanted && least > oracle_live(&m)) {
        shuffle(order, count, &r);
        uint64_t peak = restate(&m, buffer, order, count, offsets);
        evaluations++;
        if (peak < least) { /* of equal ones the earlier stays */
            least = peak;
            memcpy(best, offsets, sizeof best);
        }
    }
    snprintf(text, sizeof text, "%llu", (unsigned long long)wanted);
    sw_params_set(&params, "evaluations", text, NULL);
    params.seed = seed + 5;
    struct sw_search *search = sw_search_new(problem, sw_planner_find("random-order", NULL), &params, &error);
    check_that(search && sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE, &m, "random-order", "%s",
               error.message);
    check_that(sw_search_known(search) == evaluations + 1, &m, "random-order", "%llu decisions, not %llu",
               (unsigned long long)sw_search_known(search), (unsigned long long)evaluations + 1);
    for (int i = 0; i < count; i++) {
        struct sw_placement p;
        check_that(sw_layout_placement(sw_search_layout(search), (uint32_t)buffer[i], 0, &p) &&
                       (p.offset == best[i] || m.buffers[buffer[i]].size == 0),
                   &m, "random-order", "b%d lies at %llu; by the rules at %llu", buffer[i],
                   (unsigned long long)p.offset, (unsigned long long)best[i]);
    }
    luck_orders += evaluations;
    sw_search_free(search);
    sw_params_done(&params);
    sw_problem_unref(problem);
}

/* ---- whole runs on small problems ---- */

static void check_small(uint64_t seed) {
    static const char *const planners[] = {"order-genetic", "random-order"};
    struct model m;
    struct sw_error error = {0};
    model_draw_plain(&m, seed, seed % 10 ? 7 : 8);
    struct sw_problem *problem = model_build(&m, NULL);
    uint64_t optimum = oracle_optimum(&m);
    for (int i = 0; i < 2; i++) {
        struct sw_search *search = sw_search_new(problem, sw_planner_find(planners[i], NULL), NULL, &error);
        check_that(search && sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE, &m, planners[i], "%s",
                   error.message);
        uint64_t peak = sw_layout_peak(sw_search_layout(search));
        struct sw_claims claims;
        sw_search_claims(search, &claims);
        check_that(peak >= optimum, &m, planners[i], "%llu is below the optimum %llu", (unsigned long long)peak,
                   (unsigned long long)optimum);
        check_that(claims.optimal == (peak == sw_problem_lower_bound(problem)), &m, planners[i], "it claims %d",
                   claims.optimal);
        /* With so few buffers thousands of orders hardly miss the best. */
        check_that(peak == optimum, &m, planners[i], "%llu, and the optimum is %llu", (unsigned long long)peak,
                   (unsigned long long)optimum);
        sw_search_free(search);
    }
    sw_problem_unref(problem);
}

/* ---- the heaviest clique ---- */

/* Graphs on two or three cores without anything that breaks the order. */
static void draw_cores(struct model *m, uint64_t seed, bool pure) {
    for (uint64_t s = seed;; s += 1000003) {
        model_draw(m, s);
        if (m->cores > 1 && m->buffer_count <= 16) {
            m->separate_count = pure ? 0 : m->separate_count;
            m->inplace_safe = !pure && s % 3 == 0;
            return;
        }
    }
}

/* The heaviest set of buffers no two of which are in `related`. */
static uint64_t heaviest(const struct sw_problem *problem, const uint64_t *related) {
    uint32_t count = sw_problem_buffer_count(problem);
    uint64_t best = 0;
    for (uint64_t set = 0; set >> count == 0; set++) {
        uint64_t weight = 0;
        bool apart = true;
        for (uint32_t a = 0; a < count && apart; a++) {
            if (set >> a & 1) {
                apart = (set & related[a]) == 0 && sw_problem_buffer(problem, a)->planned;
                weight += sw_problem_buffer(problem, a)->size;
            }
        }
        best = apart && weight > best ? weight : best;
    }
    return best;
}

/* Bit b of row a: they are not in conflict. */
static void without_conflict(const struct sw_problem *problem, uint64_t *related) {
    for (uint32_t a = 0; a < sw_problem_buffer_count(problem); a++) {
        related[a] = 0;
        for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
            bool free_ = sw_problem_conflict(problem, a, b) != SW_CONFLICT_WHOLE;
            related[a] |= (uint64_t)(a != b && free_) << b;
        }
    }
}

/* The same as an order, earlier ones before later ones, closed: before and before is before. */
static void close_order(const struct sw_problem *problem, uint64_t *related) {
    const uint32_t *order = sw_problem_order(problem);
    uint32_t count = sw_problem_planned_count(problem);
    bool before[MAX_BUFFERS][MAX_BUFFERS] = {{false}};
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = i + 1; k < count; k++) {
            before[order[i]][order[k]] = related[order[i]] >> order[k] & 1 &&
                                         sw_problem_buffer(problem, order[i])->size > 0 &&
                                         sw_problem_buffer(problem, order[k])->size > 0;
        }
    }
    for (uint32_t via = 0; via < MAX_BUFFERS; via++) {
        for (uint32_t a = 0; a < MAX_BUFFERS; a++) {
            for (uint32_t b = 0; b < MAX_BUFFERS; b++) {
                before[a][b] |= before[a][via] && before[via][b];
            }
        }
    }
    for (uint32_t a = 0; a < MAX_BUFFERS; a++) {
        related[a] = 0;
        for (uint32_t b = 0; b < MAX_BUFFERS; b++) {
            related[a] |= (uint64_t)(before[a][b] || before[b][a]) << b;
        }
    }
}

/* What stands in the bound's header: exact when nothing but happens-before decides (`pure`); else
 * the heaviest set none of which is before another, or the step, never above the heaviest clique.
 */
static void check_clique(uint64_t seed, bool pure) {
    struct model m;
    draw_cores(&m, seed, pure);
    struct sw_problem *problem = model_build(&m, NULL);
    uint64_t related[MAX_BUFFERS], bound = sw_problem_lower_bound(problem), sum = 0;
    uint64_t step = sw_problem_profile(problem)[sw_problem_bound_step(problem)];
    uint32_t count;
    const uint32_t *clique = sw_problem_bound_clique(problem, &count);
    without_conflict(problem, related);
    uint64_t exact = heaviest(problem, related);
    close_order(problem, related);
    /* A model of several cores may have put all of its operators on one of them. */
    uint64_t closed = sw_problem_core_count(problem) > 1 ? heaviest(problem, related) : 0;
    uint64_t expected = closed > step ? closed : step;
    check_that(bound == expected, &m, "clique", "the bound is %llu, by all sets %llu", (unsigned long long)bound,
               (unsigned long long)expected);
    check_that(pure ? bound == exact : bound <= exact || m.inplace_safe, &m, "clique",
               "the bound is %llu, the heaviest clique %llu", (unsigned long long)bound, (unsigned long long)exact);
    inexact += bound < exact;
    for (uint32_t i = 0; i < count; i++) {
        sum += sw_problem_buffer(problem, clique[i])->size;
        for (uint32_t k = 0; k < i; k++) {
            check_that(sw_problem_conflict(problem, clique[i], clique[k]) == SW_CONFLICT_WHOLE, &m, "clique",
                       "b%u and b%u do not conflict", clique[i], clique[k]);
        }
    }
    check_that((count == 0 ? step : sum) == bound, &m, "clique", "the proof adds up to %llu, the bound is %llu",
               (unsigned long long)(count == 0 ? step : sum), (unsigned long long)bound);
    *(count ? &cliques : &steps_are_proof) += 1;
    sw_problem_unref(problem);
}

/* ---- orders of finished layouts in the first population ---- */

static uint64_t seeded, ahead;

/* With seeds=greedy, and no child made, order-genetic is never worse than the planners that the seeds come from:
 * plain lifetimes and several cores, no pins, no windows, without writing in place. */
static void check_seeds(uint64_t seed) {
    static const char *const greedy[] = {"first-fit", "greedy-by-size", "greedy-by-breadth"};
    struct model m;
    struct sw_error error = {0};
    if (seed % 2) {
        model_draw_plain(&m, seed, MAX_BUFFERS - 4);
    } else {
        for (uint64_t s = seed; s == seed || m.tier_count > 1; s += 7919) {
            draw_cores(&m, s, true);
        }
        m.reserved_count = 0;
        for (int i = 0; i < m.operator_count; i++) {
            m.operators[i].inplace = false;
        }
    }
    for (int i = 0; i < m.buffer_count; i++) {
        m.buffers[i].pinned = false;
        m.buffers[i].pieces = m.operator_count > 0 ? 0 : m.buffers[i].pieces;
        m.buffers[i].alignment = 1; /* decoding rounds sizes up to it, greedy planners do not */
    }
    struct sw_problem *problem = model_build(&m, NULL);
    uint64_t least = UINT64_MAX;
    for (int i = 0; i < 3; i++) {
        struct sw_search *search = sw_search_new(problem, sw_planner_find(greedy[i], NULL), NULL, &error);
        if (search && sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE) {
            uint64_t peak = sw_layout_peak(sw_search_layout(search));
            least = peak < least ? peak : least;
        }
        sw_search_free(search);
    }
    struct sw_params params = SW_PARAMS_DEFAULT;
    sw_params_set(&params, "seeds", "greedy", NULL);
    sw_params_set(&params, "population", "1", NULL);
    sw_params_set(&params, "generations", "0", NULL);
    struct sw_search *search = sw_search_new(problem, sw_planner_find("order-genetic", NULL), &params, &error);
    check_that(search && sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE, &m, "seeds", "%s",
               error.message);
    uint64_t peak = sw_layout_peak(sw_search_layout(search));
    check_that(peak <= least, &m, "seeds", "%llu, and a greedy planner has %llu", (unsigned long long)peak,
               (unsigned long long)least);
    seeded++;
    ahead += peak < least;
    sw_search_free(search);
    sw_params_done(&params);
    sw_problem_unref(problem);
}

int main(void) {
    uint64_t seed = base_seed();
    for (uint64_t i = first_case(SEEDED), i_end = i + cases(SEEDED); i < i_end; i++) {
        check_seeds(seed + i);
    }
    for (uint64_t i = first_case(PROBLEMS), i_end = i + cases(PROBLEMS); i < i_end; i++) {
        check_restated(seed + i);
        check_sequence(seed + i);
        check_crossover(seed + i);
        check_addresses(seed + i);
        check_ways(seed + i);
    }
    for (uint64_t i = first_case(LUCK), i_end = i + cases(LUCK); i < i_end; i++) {
        check_luck(seed + i);
    }
    for (uint64_t i = first_case(SMALL), i_end = i + cases(SMALL); i < i_end; i++) {
        check_small(seed + i);
    }
    for (uint64_t i = first_case(CORES), i_end = i + cases(CORES); i < i_end; i++) {
        check_clique(seed + i, true);
        check_clique(seed + CORES + i, false);
    }
    printf("%llu decodes the fast way, %llu the general way, %llu cliques, %llu steps as proofs, %llu "
           "bounds below the heaviest clique; %llu problems with seeds, %llu below all greedy planners; %d runs of "
           "random-order with %llu orders; from seed "
           "%llu\n",
           (unsigned long long)fast_decodes, (unsigned long long)slow_decodes, (unsigned long long)cliques,
           (unsigned long long)steps_are_proof, (unsigned long long)inexact, (unsigned long long)seeded,
           (unsigned long long)ahead, LUCK, (unsigned long long)luck_orders, (unsigned long long)seed);
    return 0;
}
