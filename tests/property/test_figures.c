/* Figures of plans in several memories, reckoned once more from the layout alone: E access by access and move by move,
 * the peak of each tier byte by byte, also of one that is filled from its far end, bytes that are moved. Every planner,
 * on random problems; what the engine says of a run is the same. */
#include "share.h"
#include "model.h"
#include "layout/cost.h"
#include "planners/portfolio/auto_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PROBLEMS = 4000, MOST = 10, STEPS = 8, MEMORY = 4096 };

struct scene {
    struct model m; /* for messages only: the seed */
    struct sw_problem *problem;
    bool priced;
    int far_ends, fetched, compared; /* what was seen */
};

static const struct model nowhere; /* while a problem is made */

/* ---- problems ---- */

/* Tiers with and without bandwidths, the last one mostly without end; buffers with alignments, by operators or as a
 * list. */
static void draw_tiers(struct sw_builder *builder, uint64_t *r, int tiers, bool priced) {
    static const char *const names[] = {"near", "middle", "far"};
    for (int t = 0; t < tiers; t++) {
        bool bounded = t + 1 < tiers || sw_random_below(r, 3) == 0;
        struct sw_tier tier = {.name = names[t],
                               .capacity = bounded ? 40 + sw_random_below(r, 60) * (uint64_t)(t + 1) : SW_UNBOUNDED,
                               .bandwidth = priced ? (double)(1 + sw_random_below(r, 16)) : 0,
                               .latency = priced ? (double)sw_random_below(r, 20) : 0,
                               .conflict = priced && sw_random_below(r, 3) == 0 ? 0.5 : 0};
        check_that(sw_builder_tier(builder, &tier, NULL), &nowhere, "tier", "no memory");
    }
}

static void draw_list(struct sw_builder *builder, uint64_t *r, int count) {
    for (int i = 0; i < count; i++) {
        char name[16];
        int64_t at[STEPS];
        size_t accesses = 0;
        for (int s = 0; s < STEPS; s++) {
            for (uint64_t n = sw_random_below(r, 4); n >= 2 && accesses < STEPS; n--) { /* some steps access it twice */
                at[accesses++] = s;
            }
        }
        if (accesses == 0) {
            at[accesses++] = (int64_t)sw_random_below(r, STEPS);
        }
        snprintf(name, sizeof name, "b%d", i);
        struct sw_buffer_spec spec = {.name = name,
                                      .kind = SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = 1 + sw_random_below(r, 30),
                                      .has_first = true,
                                      .has_last = true,
                                      .first = at[0],
                                      .last = at[accesses - 1],
                                      .accesses = at,
                                      .access_count = accesses,
                                      .has_accesses = true};
        if (sw_random_below(r, 3) == 0) {
            spec.alignment = 1 + sw_random_below(r, 8);
        }
        check_that(sw_builder_buffer(builder, &spec, NULL), &nowhere, "buffer", "no memory");
    }
}

static void draw_operators(struct sw_builder *builder, uint64_t *r, int count) {
    char names[MOST][16], op[16];
    for (int i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "b%d", i);
        struct sw_buffer_spec spec = {.name = names[i],
                                      .kind = i == 0           ? SW_KIND_INPUT
                                              : i + 1 == count ? SW_KIND_OUTPUT
                                                               : SW_KIND_INTERMEDIATE,
                                      .has_size = true,
                                      .size = 1 + sw_random_below(r, 30)};
        check_that(sw_builder_buffer(builder, &spec, NULL), &nowhere, "buffer", "no memory");
    }
    for (int i = 1; i < count; i++) {
        const char *inputs[2] = {names[sw_random_below(r, (uint64_t)i)], names[i - 1]}, *outputs[1] = {names[i]};
        bool two = strcmp(inputs[0], inputs[1]) != 0;
        snprintf(op, sizeof op, "op%d", i);
        struct sw_operator_spec spec = {.name = op,
                                        .inputs = two ? inputs : inputs + 1,
                                        .input_count = two ? 2 : 1,
                                        .outputs = outputs,
                                        .output_count = 1};
        check_that(sw_builder_operator(builder, &spec, NULL), &nowhere, "operator", "no memory");
    }
}

static void draw(struct scene *s, uint64_t seed) {
    uint64_t r = seed * 7919 + 3;
    struct sw_builder *builder = sw_builder_new(NULL);
    struct sw_error error = {0};
    s->m.seed = seed;
    int tiers = 1 + (int)sw_random_below(&r, 3), count = 3 + (int)sw_random_below(&r, MOST - 3);
    s->priced = sw_random_below(&r, 5) > 0;
    draw_tiers(builder, &r, tiers, s->priced);
    if (sw_random_below(&r, 2)) {
        draw_list(builder, &r, count);
    } else {
        draw_operators(builder, &r, count);
    }
    s->problem = sw_builder_finish(builder, &error);
    check_that(s->problem, &s->m, "problem", "%s", error.message);
    sw_builder_free(builder);
}

/* ---- reckoned once more ---- */

static double price(const struct sw_problem *p, uint32_t buffer, uint32_t tier) {
    const struct sw_tier *t = sw_problem_tier(p, tier);
    double bytes = (double)sw_problem_buffer(p, buffer)->size;
    return (t->latency + (t->bandwidth > 0 ? bytes / t->bandwidth : 0)) * (1 + t->conflict);
}

static double cost_of(const struct sw_layout *layout) {
    const struct sw_problem *p = sw_layout_problem(layout);
    double sum = 0;
    for (uint32_t b = 0; b < sw_problem_buffer_count(p); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(p, b);
        for (uint32_t i = 0; i < buffer->access_count; i++) {
            struct sw_placement at;
            sum += sw_layout_at(layout, b, buffer->accesses[i], &at) ? price(p, b, at.tier) : 0;
        }
    }
    for (size_t i = 0; i < sw_layout_transfer_count(layout); i++) {
        struct sw_transfer t = sw_layout_transfer_get(layout, i);
        sum += t.from == SW_NONE ? 0 : price(p, t.buffer, t.from);
        sum += t.to == SW_NONE ? 0 : price(p, t.buffer, t.to);
    }
    return sum;
}

/* Can all that lies at `from` or above it move down by so many bytes and stay aligned? */
static bool may_move(const struct sw_layout *layout, uint32_t tier, uint64_t from, uint64_t by) {
    const struct sw_problem *p = sw_layout_problem(layout);
    struct sw_placement at;
    for (uint32_t b = 0; b < sw_problem_buffer_count(p); b++) {
        for (uint32_t k = 0; sw_layout_placement(layout, b, k, &at); k++) {
            if (at.tier == tier && at.offset >= from && (at.offset - by) % sw_problem_buffer(p, b)->alignment != 0) {
                return false;
            }
        }
    }
    return true;
}

static uint64_t peak_of(struct scene *s, const struct sw_layout *layout, uint32_t tier) {
    static bool used[MEMORY];
    const struct sw_problem *p = sw_layout_problem(layout);
    uint64_t top = 0, most = 0;
    struct sw_placement at;
    memset(used, 0, sizeof used);
    for (uint32_t b = 0; b < sw_problem_buffer_count(p); b++) {
        for (uint32_t k = 0; sw_layout_placement(layout, b, k, &at); k++) {
            for (uint64_t i = 0; at.tier == tier && i < sw_problem_buffer(p, b)->size; i++) {
                check_that(at.offset + i < MEMORY, &s->m, "layout", "is larger than this test expects");
                used[at.offset + i] = true;
                top = at.offset + i >= top ? at.offset + i + 1 : top;
            }
        }
    }
    const struct sw_tier *t = sw_problem_tier(p, tier);
    if (sw_layout_arena(layout, tier) > top) {
        return sw_layout_arena(layout, tier); /* its planner reserves more than its blocks reach */
    }
    if (top != t->capacity || (sw_problem_tier_count(p) == 1 && !(t->bandwidth > 0))) {
        return top;
    }
    for (uint64_t lo = 0; lo < top; lo++) {
        uint64_t hi = lo;
        while (!used[hi]) {
            hi++;
        }
        for (uint64_t by = hi - lo; by > most; by--) {
            most = may_move(layout, tier, hi, by) ? by : most;
        }
        lo = hi;
    }
    s->far_ends += most > 0;
    return top - most;
}

static void check_peaks(struct scene *s, const char *name, const struct sw_layout *layout) {
    for (uint32_t t = 0; t < sw_problem_tier_count(sw_layout_problem(layout)); t++) {
        uint64_t peak = peak_of(s, layout, t), said = sw_layout_tier_peak(layout, t);
        check_that(said == peak, &s->m, name, "the peak of tier %u is said to be %llu, it is %llu", t,
                   (unsigned long long)said, (unsigned long long)peak);
    }
}

/* Blocks anywhere, some of them up to the end, some of them moved or taken out: the peaks are true after each. */
static void place_anywhere(struct scene *s) {
    const struct sw_problem *p = s->problem;
    uint64_t r = s->m.seed * 31 + 7;
    struct sw_layout *layout = sw_layout_new(p, NULL);
    check_that(layout, &s->m, "layout", "no memory");
    for (uint32_t i = 0; i < 3 * sw_problem_buffer_count(p); i++) {
        uint32_t b = (uint32_t)sw_random_below(&r, sw_problem_buffer_count(p));
        uint32_t tier = (uint32_t)sw_random_below(&r, sw_problem_tier_count(p));
        const struct sw_buffer *buffer = sw_problem_buffer(p, b);
        uint64_t capacity = sw_problem_tier(p, tier)->capacity;
        uint64_t room =
            (capacity == SW_UNBOUNDED ? 100 : capacity) - buffer->size; /* no buffer is larger than a tier */
        uint64_t offset = sw_random_below(&r, 3) == 0 ? room : sw_random_below(&r, room + 1);
        bool out = i > 4 && sw_random_below(&r, 8) == 0;
        bool ok =
            sw_problem_rank(p, b).at == SW_NONE ||
            (out ? sw_layout_lift(layout, b) : sw_layout_place(layout, b, tier, offset - offset % buffer->alignment));
        check_that(ok, &s->m, "layout", "no memory");
        check_peaks(s, "layout", layout);
    }
    sw_layout_free(layout);
}

/* What farthest-next-use moves, by its decisions. */
static void check_reference(struct scene *s, const struct sw_search *search) {
    const struct sw_problem *p = s->problem;
    uint64_t moved = 0;
    double cost = 0, said = (double)NAN;
    struct sw_claims claims;
    for (uint32_t b = 0; b < sw_problem_buffer_count(p); b++) {
        cost += price(p, b, 0) * sw_problem_buffer(p, b)->access_count;
    }
    for (uint64_t step = 1; step <= sw_search_known(search); step++) {
        const struct sw_decision *d = sw_search_journal(search, step);
        const struct sw_buffer *buffer = sw_problem_buffer(p, d->buffer);
        bool in = d->kind == SW_DECISION_FETCH;
        moved += in ? d->fetch.moves : d->evict.moves;
        if (in ? d->time > buffer->first : d->time <= buffer->last) {
            uint32_t tiers = sw_problem_tier_count(p),
                     host = 1; /* or the first without end, or what is beside the only one */
            for (uint32_t t = tiers; t-- > 1;) {
                host = sw_problem_tier(p, t)->capacity == SW_UNBOUNDED ? t : host;
            }
            cost += price(p, d->buffer, 0) + (tiers > 1 ? price(p, d->buffer, host) : 0);
            s->fetched++;
        }
    }
    sw_search_claims(search, &claims);
    check_that(sw_search_cost(search, &said, NULL), &s->m, "farthest-next-use", "no cost");
    check_that(claims.migration_bytes == moved, &s->m, "farthest-next-use", "%llu bytes are said to move, %llu do",
               (unsigned long long)claims.migration_bytes, (unsigned long long)moved);
    check_that(isnan(said) == !s->priced && (!s->priced || fabs(said - cost) < 1e-6), &s->m, "farthest-next-use",
               "E is said to be %g, it is %g", said, cost);
}

/* ---- every planner but allocators: their arenas are what they reserve ---- */

static void check_layout(struct scene *s, const struct sw_search *search) {
    const struct sw_layout *layout = sw_search_layout(search);
    const struct sw_problem *p = sw_layout_problem(layout);
    const char *name = sw_search_planner(search)->name;
    struct sw_metrics metrics;
    struct sw_claims claims;
    struct sw_objective objective;
    double said = (double)NAN, cost = cost_of(layout);
    uint32_t in_use = 0, first = SW_NONE;
    sw_metrics_of(layout, &metrics);
    sw_search_claims(search, &claims);
    check_that(sw_search_cost(search, &said, NULL), &s->m, name, "no cost");
    check_peaks(s, name, layout);
    struct member_figure figure = sw_auto_measure(layout);
    check_that(memcmp(figure.tier_peak, metrics.tier_peak, sizeof figure.tier_peak) == 0, &s->m, name,
               "auto compares it by other peaks");
    for (uint32_t t = 0; t < sw_problem_tier_count(p); t++) {
        in_use += metrics.tier_peak[t] > 0;
        first = first == SW_NONE && metrics.tier_peak[t] > 0 ? t : first;
    }
    check_that(metrics.single_tier == (in_use <= 1) && (first == SW_NONE || metrics.peak == metrics.tier_peak[first]),
               &s->m, name, "the peak of several tiers is %llu", (unsigned long long)metrics.peak);
    check_that(metrics.single_tier || (!metrics.comparable && metrics.over_bound == 0 && metrics.reuse == 0), &s->m,
               name, "several tiers are compared with the bound of one");
    check_that(isnan(said) == !s->priced && (!s->priced || fabs(said - cost) < 1e-6), &s->m, name,
               "E is said to be %g, it is %g", said, cost);
    check_that(sw_search_objective(search, &objective, NULL) &&
                   (objective.kind == SW_OBJECTIVE_MOVED) == (claims.has_migration && !claims.priced),
               &s->m, name, "another objective");
    s->compared++;
}

static void run_all(struct scene *s) {
    for (size_t i = 0; i < sw_planner_built_in_count(); i++) {
        const struct sw_planner *planner = sw_planner_get(i);
        struct sw_params params = short_run(planner);
        struct sw_error error = {0};
        params.work = 20000;
        struct sw_search *search = !planner->reserves && sw_planner_applies(planner, s->problem, NULL)
                                       ? sw_search_new(s->problem, planner, &params, &error)
                                       : NULL;
        sw_params_done(&params);
        if (!search) {
            continue;
        }
        struct sw_metrics metrics;
        struct sw_claims claims;
        enum sw_step end = sw_search_run(search, 2000000, NULL, NULL, &error);
        sw_metrics_of(sw_search_layout(search), &metrics);
        sw_search_claims(search, &claims);
        if (end == SW_STEP_DONE && claims.no_addresses) {
            check_reference(s, search);
        } else if (end == SW_STEP_DONE && metrics.complete) {
            check_layout(s, search);
        }
        sw_search_free(search);
    }
}

int main(void) {
    struct scene s = {.compared = 0};
    for (uint64_t i = first_case(PROBLEMS), i_end = i + cases(PROBLEMS); i < i_end; i++) {
        draw(&s, base_seed() + i);
        place_anywhere(&s);
        run_all(&s);
        sw_problem_unref(s.problem);
    }
    check_that(often((uint64_t)s.far_ends, 1200) && often((uint64_t)s.fetched, 800) &&
                   often((uint64_t)s.compared, 40000),
               &s.m, "figures", "%d far ends, %d moves and %d plans are too few", s.far_ends, s.fetched, s.compared);
    return 0;
}
