/* token-sharing against its section of the specification, restated: random graphs with functions on units, dtypes,
 * shapes, in-place operators, reshapes, tuples, pseudo-quantisers, tiers and reserved ranges. Ids, offsets, sizes,
 * totals and saved bytes must agree; every layout must be legal, and no total below the best of all orders on small
 * graphs. */
#include "share.h"
#include "tokens_oracle.h"
#include "faults.h"
#include "planners/tokens/token_look.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 2500, SMALL = 400 };

/* ---- comparing ---- */

static uint64_t shared_ids, reused, functions_reuse, long_chains, inner_ids, exhausted;

static void compare_plans(const struct graph *g, const struct tokens_plan *p, const struct sw_search *search) {
    const struct sw_layout *layout = sw_search_layout(search);
    const struct sw_problem *problem = sw_search_problem(search);
    struct sw_details details = {0};
    check(sw_search_details(search, &details), "memory");
    for (size_t i = 0; i < details.items.count; i++) {
        const struct sw_detail *d = &details.items.items[i];
        if (strcmp(d->key, "saved_bytes") == 0) {
            check(d->integer == (int64_t)p->saved, "saved %lld, by the rules %llu", (long long)d->integer,
                  (unsigned long long)p->saved);
        }
        if (strcmp(d->key, "ids") == 0) {
            const char *name = sw_problem_buffer(problem, d->buffer)->name;
            int b = atoi(name + 1);
            check(d->integer == p->id[b], "%s has id %lld, by the rules %d", name, (long long)d->integer, p->id[b]);
        }
    }
    sw_details_done(&details);
    for (int b = 0; b < g->tensors; b++) {
        uint32_t i = sw_problem_find_buffer(problem, g->t[b].name);
        struct sw_placement at;
        if (i == SW_NONE || !sw_problem_buffer(problem, i)->planned) {
            continue;
        }
        check(sw_layout_placement(layout, i, 0, &at), "%s has no place", g->t[b].name);
        check(at.offset == p->cell[p->id[b]].offset && (int)at.tier == p->cell[p->id[b]].tier,
              "%s lies at %u+%llu, by the rules at %d+%llu", g->t[b].name, at.tier, (unsigned long long)at.offset,
              p->cell[p->id[b]].tier, (unsigned long long)p->cell[p->id[b]].offset);
        check(sw_problem_buffer(problem, i)->size == p->size[b], "%s has %llu bytes, not %llu", g->t[b].name,
              (unsigned long long)sw_problem_buffer(problem, i)->size, (unsigned long long)p->size[b]);
        inner_ids += p->inner[b];
    }
    for (int t = 0; t < g->tiers; t++) {
        check(sw_layout_arena(layout, (uint32_t)t) == tokens_arena(p, t), "tier %d: %llu, not %llu", t,
              (unsigned long long)sw_layout_arena(layout, (uint32_t)t), (unsigned long long)tokens_arena(p, t));
    }
}

/* ---- what views are told of counts ---- */

static void compare_counts(const struct graph *g, const struct tokens_plan *p, const struct sw_search *search) {
    const struct sw_problem *problem = sw_search_problem(search);
    struct sw_token_look look = {0};
    bool missed;
    check(sw_token_look(search, &look, &missed), "memory");
    for (int b = 0; b < g->tensors; b++) {
        uint32_t i = sw_problem_find_buffer(problem, g->t[b].name);
        if (i == SW_NONE || p->tuple[b] || p->item[b] || p->part_count[b] == 0) {
            continue;
        }
        uint32_t drops = look.first[i + 1] - look.first[i];
        check(look.count[i] == (uint32_t)p->count[b], "%s: count %u, by the rules %d", g->t[b].name, look.count[i],
              p->count[b]);
        bool kept = p->model[b] || g->t[b].kind == SW_KIND_OUTPUT;
        for (int t = 0; t < g->tensors; t++) { /* a tuple that leaves the network keeps its branches */
            kept |= t != b && p->tuple[t] && has(p->parts[t], p->part_count[t], b);
        }
        check(drops <= look.count[i] && (drops == look.count[i] || kept), "%s: %u drops of %u", g->t[b].name, drops,
              look.count[i]);
        for (uint32_t k = look.first[i]; k < look.first[i + 1]; k++) {
            const struct sw_token_drop *drop = &look.drops.items[k];
            check(drop->buffer == i && (k == look.first[i] || look.drops.items[k - 1].step <= drop->step),
                  "%s: a drop at step %u of another, or too early", g->t[b].name, drop->step);
        }
        check((look.declared[i] != SW_UNBOUNDED) == p->adopts[b] &&
                  (!p->adopts[b] || look.declared[i] == g->t[b].bytes),
              "%s: declared %llu", g->t[b].name, (unsigned long long)look.declared[i]);
    }
    sw_token_look_done(&look);
}

/* ---- how sizes came about ---- */

static uint64_t sizes_told, terms_told;

/* The row of a tensor in the table of sizes: what stands in its columns of bytes. */
static void compare_row(const struct sw_search *search, const char *name, const uint64_t bytes[4]) {
    struct sw_state_tables tables = {.most = UINT64_MAX};
    bool found = false;
    sw_search_state(search, &tables);
    for (size_t i = 0; i < tables.items.count; i++) {
        const struct sw_state_table *table = &tables.items.items[i];
        for (uint64_t row = 0; strcmp(table->name, "sizes") == 0 && row < table->row_count; row++) {
            const struct sw_state_cell *cells = &table->cells.items[row * table->column_count];
            const char *tensor = sw_problem_buffer(sw_search_problem(search), (uint32_t)cells[0].count)->name;
            for (int k = 0; strcmp(tensor, name) == 0 && k < 4; k++) {
                static const int columns[] = {1, 3, 5, 7};
                check(cells[columns[k]].count == bytes[k], "%s: column %s says %llu, not %llu", name,
                      table->columns[columns[k]], (unsigned long long)cells[columns[k]].count,
                      (unsigned long long)bytes[k]);
                found = true;
            }
        }
    }
    check(found, "%s is not in the table of sizes", name);
    sw_state_tables_done(&tables);
}

static void compare_sizes(const struct graph *g, const struct tokens_plan *p, struct sw_search *search) {
    struct sw_explanation e = {0};
    struct sw_error error = {0};
    uint64_t adopted = 0;
    for (uint64_t step = 1; step <= sw_search_known(search); step++) {
        const struct sw_decision *d = sw_search_journal(search, step);
        if (d->kind != SW_DECISION_ADOPT) {
            continue;
        }
        const char *name = sw_problem_buffer(sw_search_problem(search), d->buffer)->name;
        int b = 0, term = 0;
        while (b < g->tensors && strcmp(g->t[b].name, name) != 0) {
            b++;
        }
        check(b < g->tensors && d->adopt.before == g->t[b].bytes && d->adopt.typed == p->typed[b] &&
                  d->adopt.padded == p->padded[b] && d->size == p->size[b],
              "%s: %llu, %llu, %llu, %llu, by the rules %llu, %llu, %llu, %llu", name,
              (unsigned long long)d->adopt.before, (unsigned long long)d->adopt.typed,
              (unsigned long long)d->adopt.padded, (unsigned long long)d->size, (unsigned long long)g->t[b].bytes,
              (unsigned long long)p->typed[b], (unsigned long long)p->padded[b], (unsigned long long)p->size[b]);
        check(sw_search_explain(search, step, &e, &error), "explain: %s", error.message);
        for (size_t i = 0; i < e.candidates.count; i++) {
            const struct sw_candidate *c = &e.candidates.items[i];
            if (c->verdict == SW_VERDICT_CHOSEN) {
                check(term < p->term_count[b] && c->size == p->terms[b][term], "%s: term %d is \"%s\"", name, term,
                      c->reason);
                term++;
            }
        }
        check(term == p->term_count[b], "%s: %d terms, by the rules %d", name, term, p->term_count[b]);
        compare_row(search, name, (const uint64_t[]){g->t[b].bytes, p->typed[b], p->padded[b], p->size[b]});
        sizes_told++;
        terms_told += (uint64_t)term;
        adopted++;
    }
    for (int b = 0; b < g->tensors; b++) {
        adopted -= g->t[b].planned && !p->tuple[b] && p->term_count[b] > 0 && p->adopts[b];
    }
    check(adopted == 0, "%lld adoptions too many", (long long)adopted);
    sw_explanation_done(&e);
}

static void say_fault(void *context, const struct sw_fault *fault) {
    char text[200];
    if (fault->kind != SW_FAULT_CAPACITY) {
        sw_fault_describe(context, fault, text, sizeof text);
        check(false, "%s", text);
    }
}

static uint64_t asked, refused;

/* Only over memory that is not much larger. */
static bool is_snug(void *context, const struct sw_reuse_scene *scene, bool *takes, const char **why,
                    struct sw_error *error) {
    (void)error;
    *why = "not much larger";
    *takes = !scene->refused && scene->allocated <= *(const uint64_t *)context * scene->bytes;
    asked++;
    refused += !scene->refused && !*takes;
    return true;
}

static void set_up(struct sw_params *params, const struct graph *g) {
    static const char *const reuses[] = {"in-place", "reshape", "none"};
    struct sw_error error = {0};
    char match[32];
    snprintf(match, sizeof match, g->match ? "%llu" : "any", (unsigned long long)g->match);
    check(sw_params_set(params, "match", match, &error) && sw_params_set(params, "reuse", reuses[g->reuse], &error),
          "%s", error.message);
}

static struct sw_search *run_planner(const struct graph *g) {
    struct sw_error error = {0};
    struct sw_problem *problem = tokens_build(g);
    static uint64_t snug; /* outlives the search */
    static struct sw_breeding breeding;
    struct sw_params params = SW_PARAMS_DEFAULT;
    set_up(&params, g);
    snug = g->snug;
    breeding = (struct sw_breeding){.name = "snug", .planner = "token-sharing", .context = &snug, .reuse = is_snug};
    params.breeding = snug ? &breeding : NULL;
    struct sw_search *search = sw_search_new(problem, sw_planner_find("token-sharing", NULL), &params, &error);
    sw_params_done(&params);
    check(search != NULL, "%s", error.message);
    check(sw_search_run(search, 0, NULL, NULL, &error) == SW_STEP_DONE, "%s", error.message);
    sw_fault_count(sw_search_layout(search), say_fault, (void *)sw_search_problem(search));
    for (uint64_t i = 1; i <= sw_search_known(search); i++) {
        const struct sw_decision *d = sw_search_journal(search, i);
        shared_ids += d->kind == SW_DECISION_SHARE;
        reused += d->kind == SW_DECISION_REUSE;
    }
    uint64_t sum = 0;
    for (int t = 0; t < g->tiers; t++) {
        sum += sw_layout_arena(sw_search_layout(search), (uint32_t)t);
    }
    check(sum >= sw_problem_lower_bound(sw_search_problem(search)), "%llu is below the bound %llu",
          (unsigned long long)sum, (unsigned long long)sw_problem_lower_bound(sw_search_problem(search)));
    sw_problem_unref(problem);
    return search;
}

/* ---- back and forth, and what if ---- */

static uint64_t demands, obeyed;

static struct sw_override draw_demand(const struct sw_problem *problem, int tiers, uint64_t *r) {
    uint32_t b = (uint32_t)sw_random_below(r, sw_problem_buffer_count(problem));
    uint64_t lo = sw_random_below(r, 300), align = sw_problem_buffer(problem, b)->alignment;
    uint32_t tier = (uint32_t)sw_random_below(r, (uint64_t)tiers);
    switch (sw_random_below(r, 4)) {
    case 0:
        return (struct sw_override){.kind = SW_OVERRIDE_PIN, .buffer = b, .tier = tier, .offset = lo * align};
    case 1:
        return (struct sw_override){.kind = SW_OVERRIDE_FORBID, .buffer = b, .tier = tier, .lo = lo, .hi = lo + 70};
    default:
        return (struct sw_override){.kind = SW_OVERRIDE_CHOOSE, .choice = (uint32_t)sw_random_below(r, 4)};
    }
}

/* The state at a step does not depend on the way there; whatever is demanded, the layout is legal.
 */
static void walk_about(const struct graph *g, struct sw_search *search) {
    uint64_t r = the_seed * 13 + 5, end = sw_search_known(search);
    uint64_t digest = sw_search_digest(search), middle = sw_random_below(&r, end + 1);
    struct sw_explanation e = {0};
    struct sw_error error = {0};
    sw_search_budget(search, 3000, 20);
    check(sw_search_seek(search, middle, &error), "seek: %s", error.message);
    uint64_t half = sw_search_digest(search);
    struct sw_search *fork = sw_search_fork(search, &error);
    check(fork != NULL, "fork: %s", error.message);
    check(sw_search_explain(fork, 1 + sw_random_below(&r, end), &e, &error), "explain: %s", error.message);
    check(sw_search_seek(search, end, NULL) && sw_search_digest(search) == digest && sw_search_seek(search, 0, NULL) &&
              sw_search_seek(search, middle, NULL) && sw_search_digest(search) == half,
          "the way to a step changes its state");
    for (int i = 0; i < 6; i++) {
        struct sw_override demand = draw_demand(sw_search_problem(fork), g->tiers, &r);
        bool ok = sw_search_force(fork, &demand, &error);
        demands++;
        obeyed += ok;
        check(ok || error.message[0], "refused without a reason");
        sw_search_seek(fork, sw_random_below(&r, sw_search_known(fork) + 20), NULL);
    }
    enum sw_step result = sw_search_run(fork, 0, NULL, NULL, &error);
    check(result == SW_STEP_DONE || error.code == SW_ERROR_INFEASIBLE || error.code == SW_ERROR_UNSUPPORTED,
          "after demands: %s", error.message);
    if (result == SW_STEP_DONE) {
        sw_fault_count(sw_search_layout(fork), say_fault, (void *)sw_search_problem(fork));
    }
    sw_explanation_done(&e);
    sw_search_free(fork);
}

/* ---- never below the best of all orders ---- */

struct block {
    uint64_t size, align, at;
    uint32_t first, last;
};

/* May two blocks lie over each other? Only by a permit of the layout. */
static bool apart(const struct sw_layout *layout, const uint32_t *names, const struct block *b, int x, int y) {
    if (b[x].last < b[y].first || b[y].last < b[x].first) {
        return false;
    }
    for (size_t i = 0; i < sw_layout_permit_count(layout); i++) {
        struct sw_permit q = sw_layout_permit_get(layout, i);
        if ((q.fresh == names[x] && q.old == names[y]) || (q.fresh == names[y] && q.old == names[x])) {
            return false;
        }
    }
    return true;
}

static uint64_t first_fit(const struct sw_layout *layout, const uint32_t *names, struct block *b, const int *order,
                          int count) {
    uint64_t top = 0;
    for (int i = 0; i < count; i++) {
        struct block *me = &b[order[i]];
        me->at = 0;
        for (int k = 0; k < i; k++) {
            const struct block *other = &b[order[k]];
            if (apart(layout, names, b, order[i], order[k]) && me->at < other->at + other->size &&
                other->at < me->at + me->size) {
                me->at = (other->at + other->size + me->align - 1) / me->align * me->align;
                k = -1;
            }
        }
        top = me->at + me->size > top ? me->at + me->size : top;
    }
    return top;
}

static void never_below(const struct sw_search *search) {
    const struct sw_problem *problem = sw_search_problem(search);
    const struct sw_layout *layout = sw_search_layout(search);
    struct block blocks[8];
    uint32_t names[8];
    int count = 0, order[8], turn[8] = {0};
    for (uint32_t i = 0; i < sw_problem_buffer_count(problem); i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, i);
        if (b->planned && b->size > 0 && count < 8) {
            names[count] = i;
            order[count] = count;
            blocks[count++] = (struct block){b->size, b->alignment, 0, b->first, b->last};
        }
    }
    if (count == 8) {
        return;
    }
    uint64_t best = first_fit(layout, names, blocks, order, count);
    for (int i = 0; i < count;) { /* Heap's permutations */
        if (turn[i] < i) {
            int a = i % 2 ? turn[i] : 0, swap = order[a];
            order[a] = order[i];
            order[i] = swap;
            uint64_t top = first_fit(layout, names, blocks, order, count);
            best = top < best ? top : best;
            turn[i]++;
            i = 0;
        } else {
            turn[i++] = 0;
        }
    }
    check(sw_layout_arena(layout, 0) >= best, "%llu is below the optimum %llu",
          (unsigned long long)sw_layout_arena(layout, 0), (unsigned long long)best);
    exhausted++;
}

int main(void) {
    static struct graph g;
    static struct tokens_plan plan;
    const char *text = getenv("SW_PROPERTY_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 10) : 1;
    for (uint64_t i = first_case(PROBLEMS + SMALL), i_end = i + cases(PROBLEMS + SMALL); i < i_end; i++) {
        the_seed = seed + i;
        tokens_draw(&g, the_seed, i < PROBLEMS ? 12 : 3);
        tokens_restate(&plan, &g);
        functions_reuse += plan.functions_reuse;
        long_chains += plan.long_chains;
        struct sw_search *search = run_planner(&g);
        compare_plans(&g, &plan, search);
        if (i % 3 == 0) {
            compare_counts(&g, &plan, search);
            compare_sizes(&g, &plan, search);
        }
        if (i >= PROBLEMS && g.tiers == 1 && g.hole_hi == 0) {
            never_below(search);
        }
        if (i % 4 == 0) {
            walk_about(&g, search);
        }
        sw_search_free(search);
    }
    check(refused > 0 || PROBLEMS > cases(PROBLEMS + SMALL), "the condition of reuse refuses nothing");
    printf(
        "%d graphs: %llu shared, %llu reused in place, %llu of them by functions (%llu by several "
        "operators), %llu inner tensors; %llu sizes of %llu terms; %llu of %llu refused by a script; %llu against all "
        "orders, %llu of %llu demands obeyed, from seed %llu\n",
        PROBLEMS + SMALL, (unsigned long long)shared_ids, (unsigned long long)reused,
        (unsigned long long)functions_reuse, (unsigned long long)long_chains, (unsigned long long)inner_ids,
        (unsigned long long)sizes_told, (unsigned long long)terms_told, (unsigned long long)refused,
        (unsigned long long)asked, (unsigned long long)exhausted, (unsigned long long)obeyed,
        (unsigned long long)demands, (unsigned long long)seed);
    return 0;
}
