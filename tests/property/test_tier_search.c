/* tier-search against its rules restated, on random graphs: the places after PRECONF, every E that is measured on the
 * way, and the places at the end, with every parameter. Costs are sums of binary fractions, so sums in any order are
 * the same number.
 *
 * And for up to 8 buffers: no E is below the least over all choices of tiers that could fit at all. */
#include "share.h"
#include "model.h"
#include "tier_search_oracle.h"
#include "faults.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 1600 };

/* ---- a random graph ---- */

static void must(bool truth, const struct tier_graph *g, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void must(bool truth, const struct tier_graph *g, const char *format, ...) {
    va_list arguments;
    if (truth) {
        return;
    }
    va_start(arguments, format);
    fprintf(stderr, "problem %llu: ", (unsigned long long)g->seed);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(1);
}

static int draw_below(uint64_t *r, int bound) {
    return (int)sw_random_below(r, (uint64_t)bound);
}

static int new_block(struct tier_graph *g, uint64_t *r, enum sw_kind kind) {
    static const int alignments[] = {1, 1, 1, 1, 4, 8, 6};
    struct tier_block *b = &g->block[g->blocks];
    *b = (struct tier_block){.kind = kind,
                             .size = draw_below(r, 20) ? 1 + draw_below(r, 40) : 0,
                             .alignment = alignments[draw_below(r, 7)],
                             .first = -1,
                             .last = -1};
    for (int t = 0; t < g->tiers; t++) {
        b->allowed[t] = true;
    }
    if (draw_below(r, 8) == 0) {
        int only = draw_below(r, g->tiers);
        b->given = draw_below(r, 2);
        for (int t = 0; t < g->tiers; t++) {
            b->allowed[t] = t == only || (!b->given && draw_below(r, 2));
        }
    }
    return g->blocks++;
}

static void touch_block(struct tier_graph *g, int block, int step) {
    struct tier_block *b = &g->block[block];
    b->first = b->first < 0 ? step : b->first;
    b->last = step;
    b->accesses[b->access_count++] = step;
}

static void draw_step(struct tier_graph *g, uint64_t *r, int t) {
    struct tier_operation *op = &g->op[t];
    *op = (struct tier_operation){.scratch = NOWHERE};
    int known = g->blocks;
    for (int want = draw_below(r, 3) + 1; want > 0 && known > 0; want--) {
        int input = draw_below(r, 4) ? known - 1 - draw_below(r, known < 3 ? known : 3) : draw_below(r, known);
        if (g->block[input].kind != SW_KIND_SCRATCH) {
            op->inputs[op->input_count++] = input; /* perhaps twice */
            touch_block(g, input, t);
        }
    }
    bool scratch_first = draw_below(r, 2), scratch = draw_below(r, 3) == 0;
    for (int k = 0; k < 2; k++) {
        if (scratch && (k == 0) == scratch_first && g->blocks < BLOCKS) {
            op->scratch = new_block(g, r, SW_KIND_SCRATCH);
            touch_block(g, op->scratch, t);
        }
        for (int want = 1 + draw_below(r, 2); k == 0 && want > 0 && g->blocks < BLOCKS; want--) {
            int output = new_block(g, r, draw_below(r, 6) ? SW_KIND_INTERMEDIATE : SW_KIND_OUTPUT);
            op->outputs[op->output_count++] = output;
            touch_block(g, output, t);
        }
    }
}

static void draw_graph(struct tier_graph *g, uint64_t seed) {
    uint64_t r = seed * 6364136223846793005u + 7;
    *g = (struct tier_graph){
        .seed = seed, .tiers = draw_below(&r, 8) ? 2 + draw_below(&r, 2) : 1, .steps = 2 + draw_below(&r, STEPS - 2)};
    for (int t = 0; t < g->tiers; t++) {
        bool last = t + 1 == g->tiers;
        g->capacity[t] = last && draw_below(&r, 3) ? 0 : 20 + draw_below(&r, last ? 200 : 80);
        g->bandwidth[t] = 16 >> draw_below(&r, 3) >> t;
        g->latency[t] = draw_below(&r, 4) + 4 * t;
        g->conflict[t] = draw_below(&r, 4) ? 0 : 0.5;
    }
    for (int inputs = draw_below(&r, 3); inputs > 0; inputs--) {
        new_block(g, &r, SW_KIND_INPUT);
    }
    for (int t = 0; t < g->steps; t++) {
        draw_step(g, &r, t);
    }
    for (int i = 0; i < g->blocks; i++) {
        struct tier_block *b = &g->block[i];
        b->first = b->kind == SW_KIND_INPUT ? 0 : b->first;
        b->last = b->kind == SW_KIND_OUTPUT ? g->steps - 1 : b->last < 0 ? 0 : b->last;
    }
}

static const char *name_of(char kind, int i) {
    static char names[64][16];
    static int next;
    next = (next + 1) % 64;
    snprintf(names[next], sizeof names[next], "%c%d", kind, i);
    return names[next];
}

static void build_items(struct sw_builder *builder, const struct tier_graph *g) {
    struct sw_error error = {0};
    for (int t = 0; t < g->tiers; t++) {
        struct sw_tier tier = {.name = name_of('t', t),
                               .bandwidth = g->bandwidth[t],
                               .latency = g->latency[t],
                               .conflict = g->conflict[t],
                               .capacity = g->capacity[t] ? (uint64_t)g->capacity[t] : SW_UNBOUNDED};
        must(sw_builder_tier(builder, &tier, &error), g, "%s", error.message);
    }
    for (int t = 0; t < g->steps; t++) {
        const struct tier_operation *op = &g->op[t];
        const char *in[ARGUMENTS], *out[ARGUMENTS];
        const char *scratch = op->scratch >= 0 ? name_of('b', op->scratch) : NULL;
        for (int i = 0; i < op->input_count; i++) {
            in[i] = name_of('b', op->inputs[i]);
        }
        for (int i = 0; i < op->output_count; i++) {
            out[i] = name_of('b', op->outputs[i]);
        }
        struct sw_operator_spec spec = {.name = name_of('o', t),
                                        .inputs = in,
                                        .outputs = out,
                                        .scratch = &scratch,
                                        .input_count = (size_t)op->input_count,
                                        .output_count = (size_t)op->output_count,
                                        .scratch_count = scratch != NULL};
        must(sw_builder_operator(builder, &spec, &error), g, "%s", error.message);
    }
    for (int i = 0; i < g->blocks; i++) {
        const struct tier_block *b = &g->block[i];
        const char *tiers[TIERS];
        struct sw_buffer_spec spec = {.name = name_of('b', i),
                                      .kind = b->kind,
                                      .has_size = true,
                                      .size = (uint64_t)b->size,
                                      .tiers = tiers,
                                      .alignment = (uint64_t)b->alignment};
        for (int t = 0; t < g->tiers; t++) {
            if (b->given && b->allowed[t]) {
                spec.tier = name_of('t', t);
            } else if (b->allowed[t]) {
                tiers[spec.tier_count++] = name_of('t', t);
            }
        }
        must(sw_builder_buffer(builder, &spec, &error), g, "%s", error.message);
    }
}

static struct sw_problem *build_graph(const struct tier_graph *g) {
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_new(&error);
    build_items(builder, g);
    struct sw_problem *problem = sw_builder_finish(builder, &error);
    must(problem != NULL, g, "%s", error.message);
    sw_builder_free(builder);
    return problem;
}

/* ---- comparing ---- */

static uint64_t runs, infeasible, moves, bounds, better, ways;

static void same_places(const struct tier_graph *g, const struct sw_search *search, const struct tier_state *s,
                        const char *when) {
    for (int i = 0; i < g->blocks; i++) {
        struct sw_placement p;
        must(sw_layout_placement(sw_search_layout(search), (uint32_t)i, 0, &p), g, "%s b%d has no place", when, i);
        must((int)p.tier == s->tier[i] && (int)p.offset == s->at[i], g,
             "%s b%d lies at %u+%llu; by the rules it lies at %d+%d", when, i, p.tier, (unsigned long long)p.offset,
             s->tier[i], s->at[i]);
    }
}

/* Permits say exactly which overwritten bytes there are. */
static void same_permits(const struct tier_graph *g, const struct sw_layout *layout, const struct tier_state *s) {
    size_t wanted = 0;
    for (int a = 0; a < g->blocks; a++) {
        for (int b = 0; b < g->blocks; b++) {
            wanted += a != b && s->tier[a] == s->tier[b] && tier_reusable(g, a, b) &&
                      s->at[a] < s->at[b] + g->block[b].size && s->at[b] < s->at[a] + g->block[a].size;
        }
    }
    must(sw_layout_permit_count(layout) == wanted, g, "%zu permits, not %zu", sw_layout_permit_count(layout), wanted);
}

/* Step by step: places after PRECONF, every evaluation, places at the end. */
static void follow_search(const struct tier_graph *g, struct sw_search *search, const struct tier_outcome *rules) {
    struct sw_error error = {0};
    int costs = 0;
    enum sw_step result;
    while ((result = sw_search_step(search, &error)) == SW_STEP_MORE) {
        const struct sw_decision *d = sw_search_decision(search);
        if (sw_decision_is(d, SW_DECISION_EVALUATE)) {
            must(costs < rules->cost_count && rules->feasible, g, "too many evaluations");
            must(d->cost == rules->costs[costs], g, "evaluation %d says %.17g, by the rules %.17g", costs, d->cost,
                 rules->costs[costs]);
            if (costs++ == 0) {
                same_places(g, search, &rules->start, "after PRECONF");
            }
        }
        must(sw_search_faults(search, NULL, NULL, NULL) == 0 || d->kind == SW_DECISION_PRECONF, g,
             "decision %llu leaves a layout that is not legal", (unsigned long long)d->step);
        moves += d->kind == SW_DECISION_ACCEPT;
    }
    must((result == SW_STEP_DONE) == rules->feasible, g, "it ends with: %s", error.message);
    must(result == SW_STEP_DONE || error.code == SW_ERROR_INFEASIBLE, g, "%s", error.message);
    must(result != SW_STEP_DONE || costs == rules->cost_count, g, "%d evaluations, not %d", costs, rules->cost_count);
}

static void try_settings(const struct tier_graph *g, const struct sw_problem *problem, const struct tier_settings *set,
                         double least) {
    static struct tier_outcome rules;
    struct sw_params params = SW_PARAMS_DEFAULT;
    struct sw_error error = {0};
    struct sw_claims claims;
    char text[16];
    double bound;
    tier_walk(g, set, &rules);
    if (rules.too_many) {
        return;
    }
    snprintf(text, sizeof text, set->inside < 0 ? "exhaustive" : set->inside ? "beam:%d" : "greedy", set->inside);
    sw_params_set(&params, "inside", text, NULL);
    sw_params_set(&params, "choices", "plain", NULL);
    sw_params_set(&params, "outputs", "one-class", NULL);
    snprintf(text, sizeof text, "%d", set->segment);
    sw_params_set(&params, "segment", text, NULL);
    sw_params_set(&params, "carry", set->carry ? "true" : "false", NULL);
    sw_params_set(&params, "visit", set->touched ? "touched" : "born", NULL);
    sw_params_set(&params, "overwrite", "any", NULL);
    struct sw_search *search = sw_search_new(problem, sw_planner_find("tier-search", NULL), &params, &error);
    must(search != NULL, g, "%s", error.message);
    follow_search(g, search, &rules);
    runs++;
    infeasible += !rules.feasible;
    if (rules.feasible) {
        same_places(g, search, &rules.end, "at the end");
        same_permits(g, sw_search_layout(search), &rules.end);
        sw_search_claims(search, &claims);
        must(claims.cost == rules.reference, g, "E is %.17g, by the rules %.17g", claims.cost, rules.reference);
        must(sw_cost_bound(problem, NULL, &bound, NULL) && bound <= claims.cost, g, "E is below its bound");
        must(least <= claims.cost && bound <= least, g, "E is below the least of all choices");
        bounds += least > 0 && least == claims.cost;
    }
    sw_search_free(search);
    sw_params_done(&params);
}

/* ---- everything else: holes, windows, pins, reserved ranges, separations, several cores ---- */

/* Whatever happens, what has a place lies where it may; and a run walked back and forth is the
 * same. */
static uint64_t try_any(struct model *m, bool touched) {
    static struct sw_params params;
    struct sw_error error = {0};
    struct model_layout l;
    char text[200] = "";
    struct sw_problem *problem = model_build(m, NULL);
    const struct sw_planner *planner = sw_planner_find("tier-search", NULL);
    uint64_t done = 0;
    params = SW_PARAMS_DEFAULT;
    sw_params_set(&params, "visit", touched ? "touched" : "born", NULL);
    sw_params_set(&params, "choices", m->seed % 5 < 2 ? "good" : "plain", NULL);
    sw_params_set(&params, "outputs", "one-class", NULL);
    sw_params_set(&params, "segment", m->seed % 7 ? "1" : "5", NULL);
    sw_params_set(&params, "inside", m->seed % 3 ? "greedy" : m->seed % 2 ? "beam:3" : "beam:2", NULL);
    sw_params_set(&params, "overwrite", "any", NULL);
    struct sw_search *search = sw_search_new(problem, planner, &params, &error);
    check_that(search != NULL, m, "tier-search", "%s", error.message);
    enum sw_step result = sw_search_run(search, 0, NULL, NULL, &error);
    check_that(result == SW_STEP_DONE || error.code == SW_ERROR_INFEASIBLE, m, "tier-search", "%s", error.message);
    if (result == SW_STEP_DONE) {
        uint64_t end = sw_search_digest(search), at = sw_search_at(search);
        model_layout_of(&l, sw_search_layout(search));
        check_that(oracle_check(m, &l, false, text, sizeof text), m, "tier-search", "%s", text);
        check_that(sw_search_faults(search, NULL, NULL, NULL) == 0, m, "tier-search", "the layout is not legal");
        sw_search_budget(search, 4000, 50);
        check_that(sw_search_seek(search, at / 2, NULL) && sw_search_seek(search, at, NULL) &&
                       sw_search_digest(search) == end,
                   m, "tier-search", "it ends elsewhere the second time");
        done = 1;
    }
    sw_search_free(search);
    sw_params_done(&params);
    sw_problem_unref(problem);
    return done;
}

/* A segment that all ways are walked through ends no dearer than one that is walked one way from the
 * same state: the first segment of both. */
static void compare_ways(const struct tier_graph *g, int segment) {
    static struct tier_outcome all, one;
    struct tier_graph first = *g;
    struct tier_settings set = {segment, true, false, -1};
    tier_walk(&first, &set, &all);
    set.inside = 0;
    tier_walk(&first, &set, &one);
    if (all.too_many || !all.feasible || segment < g->steps) {
        return;
    }
    must(all.reference <= one.reference, g, "all ways end at %.17g, one at %.17g", all.reference, one.reference);
    ways++;
    better += all.reference < one.reference;
}

static uint64_t try_anything(uint64_t seed) {
    uint64_t done = 0;
    for (uint64_t i = first_case(4 * PROBLEMS), i_end = i + cases(4 * PROBLEMS); i < i_end; i++) {
        struct model m;
        model_draw(&m, seed + i);
        if (m.tier_count < 2) {
            continue;
        }
        m.accesses = m.overwrites = true;
        done += try_any(&m, i % 2);
        /* Again with pins that can all be kept. */
        struct sw_problem *problem = model_build(&m, NULL);
        struct sw_search *search = sw_search_new(problem, sw_planner_find("first-fit", NULL), NULL, NULL);
        if (search && sw_search_run(search, 0, NULL, NULL, NULL) == SW_STEP_DONE) {
            model_pin_some(&m, sw_search_layout(search));
            done += try_any(&m, i % 2);
        }
        sw_search_free(search);
        sw_problem_unref(problem);
    }
    return done;
}

int main(void) {
    uint64_t seed = base_seed();
    static const struct tier_settings settings[] = {
        {1, true, false, 0}, {1, false, false, 0}, {2, true, false, 0}, {3, false, false, 0},
        {1, true, true, 0},  {2, false, true, 0},  {3, true, true, 0},  {100, true, false, 0},
    };
    static const struct tier_settings inside_[] = {
        {1, true, false, -1}, {2, true, false, -1}, {1, true, true, -1},   {100, true, false, -1},
        {1, true, false, 1},  {3, true, false, 4},  {100, true, false, 8}, {2, true, true, 3},
    };
    for (uint64_t i = first_case(PROBLEMS), i_end = i + cases(PROBLEMS); i < i_end; i++) {
        struct tier_graph g;
        draw_graph(&g, seed + i);
        struct sw_problem *problem = build_graph(&g);
        double least = 0;
        if (g.blocks <= 8) {
            least = tier_least_cost(&g);
        } else {
            sw_cost_bound(problem, NULL, &least, NULL);
        }
        try_settings(&g, problem, &settings[0], least);
        try_settings(&g, problem, &settings[1 + i % 7], least);
        try_settings(&g, problem, &inside_[i % 8], least);
        if (g.steps <= 4) {
            compare_ways(&g, 100);
        }
        sw_problem_unref(problem);
    }
    uint64_t others = try_anything(seed);
    printf("%llu runs, %llu infeasible, %llu states accepted, %llu at the least E; all ways "
           "against one %llu "
           "times, %llu cheaper; %llu more layouts "
           "of all kinds, from seed %llu\n",
           (unsigned long long)runs, (unsigned long long)infeasible, (unsigned long long)moves,
           (unsigned long long)bounds, (unsigned long long)ways, (unsigned long long)better, (unsigned long long)others,
           (unsigned long long)seed);
    return 0;
}
