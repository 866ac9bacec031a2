/* The lower bounds and their proofs: for the peak the step (or the clique) and what is alive there; for
 * all orders of the operators what each of them holds when some operator runs;
 * for the cost every buffer's accesses at the fastest tier that could hold it; for migration what
 * has to be fetched again. */
#include "view/scene/lines.h"
#include "base/base.h"

#include "layout/cost.h"
#include "view/blame/orders_look.h"

#define MOST_PROOF_ROWS 500 /* of one proof; more are counted, not listed */

struct bound_proof {
    const struct sw_view_input *in;
    struct sw_scene *scene;
    struct sw_lines lines;
    const struct sw_problem *problem;
};

static void add_proof_row(struct bound_proof *proof, uint32_t buffer, const char *figure, const char *why) {
    struct sw_lines *lines = &proof->lines;
    if (sw_lines_row(lines, (struct sw_item){SW_ITEM_BUFFER, buffer}, false)) {
        sw_panel_name(proof->scene, lines->panel, SW_STYLE_TEXT, " ", sw_problem_buffer(proof->problem, buffer)->name);
        sw_lines_cell(lines, SW_STYLE_TEXT, true, figure);
        sw_lines_cell(lines, SW_STYLE_DIM, false, why);
    }
}

static void say_unlisted(struct bound_proof *proof, uint64_t count) {
    if (count > 0) {
        sw_lines_textf(&proof->lines, SW_STYLE_DIM, "  and %s more", SW_COUNT(count));
    }
}

static const char *exact_bytes(struct bound_proof *proof, uint64_t bytes) {
    return sw_scene_printf(proof->scene, "%s B", SW_COUNT(bytes));
}

static const char *alive(struct bound_proof *proof, uint32_t buffer) {
    return sw_scene_printf(proof->scene, "alive %s",
                           sw_lines_life(&proof->lines, sw_problem_buffer(proof->problem, buffer)));
}

/* ---- the peak ---- */

/* "peak: at least 180 B": of what a plan may do that takes less, the words say so. */
static const char *peak_claim(struct bound_proof *proof, const char *why) {
    const struct sw_layout *layout = sw_search_layout(proof->in->run.search);
    return sw_scene_printf(proof->scene, "peak%s: at least %s B%s, %s%s", sw_view_bound_remark(proof->in),
                           SW_COUNT(sw_problem_lower_bound(proof->problem)),
                           sw_problem_tier_count(proof->problem) > 1 ? " in all memories together" : "", why,
                           sw_layout_permit_count(layout) > 0 ? "; less where buffers are written over, as in this plan"
                                                              : "");
}

static void clique(struct bound_proof *proof, const uint32_t *members, uint32_t count) {
    sw_lines_text(
        &proof->lines, SW_STYLE_STRONG,
        peak_claim(proof, sw_scene_printf(proof->scene, "the sum of %u buffers of which every two conflict", count)));
    for (uint32_t i = 0; i < count && i < MOST_PROOF_ROWS; i++) {
        add_proof_row(proof, members[i], exact_bytes(proof, sw_problem_buffer(proof->problem, members[i])->size),
                      alive(proof, members[i]));
    }
    say_unlisted(proof, count > MOST_PROOF_ROWS ? count - MOST_PROOF_ROWS : 0);
}

static void tell_peak(struct bound_proof *proof) {
    const struct sw_problem *problem = proof->problem;
    uint32_t count, step = sw_problem_bound_step(problem);
    const uint32_t *members = sw_problem_bound_clique(problem, &count);
    if (members) {
        clique(proof, members, count);
        return;
    }
    uint64_t bound = sw_problem_lower_bound(problem), sum = 0, listed = 0, found = 0;
    sw_lines_text(&proof->lines, SW_STYLE_STRONG,
                  peak_claim(proof, sw_scene_printf(proof->scene, "alive at %s", sw_lines_when(&proof->lines, step))));
    struct sw_neighbors walk = sw_problem_alive(problem, step, step);
    for (uint32_t buffer; (buffer = sw_neighbors_next(&walk)) != SW_NONE;) {
        uint64_t bytes = sw_buffer_live_bytes(sw_problem_buffer(problem, buffer), step);
        if (bytes == 0) {
            continue;
        }
        sum += bytes;
        found++;
        if (listed < MOST_PROOF_ROWS) {
            add_proof_row(proof, buffer, exact_bytes(proof, bytes), alive(proof, buffer));
            listed++;
        }
    }
    say_unlisted(proof, found - listed);
    if (sum > bound && sw_lines_row(&proof->lines, SW_NO_ITEM, false)) {
        sw_lines_cell(&proof->lines, SW_STYLE_DIM, false, "  may be shared");
        sw_lines_cellf(&proof->lines, SW_STYLE_DIM, true, "-%s", exact_bytes(proof, sum - bound));
        sw_lines_cell(&proof->lines, SW_STYLE_DIM, false, "by writing over a dying input");
    }
}

/* ---- the cost ---- */

static void tell_cost(struct bound_proof *proof) {
    const struct sw_problem *problem = proof->problem;
    const struct sw_cost_model *model = sw_search_params(proof->in->run.search)->cost;
    double bound = (double)NAN;
    if (!sw_cost_known(problem, model) || !sw_cost_bound(problem, model, &bound, NULL) || isnan(bound)) {
        return;
    }
    sw_lines_blank(&proof->lines);
    sw_lines_textf(&proof->lines, SW_STYLE_STRONG,
                   "cost: at least %s, every access at the cheapest tier that "
                   "could hold the block",
                   SW_NUMBER(bound));
    uint32_t listed = 0, found = 0;
    for (uint32_t i = 0; i < sw_problem_planned_count(problem); i++) {
        uint32_t buffer = sw_problem_order(problem)[i];
        uint32_t accesses = sw_problem_buffer(problem, buffer)->access_count;
        double part;
        if (accesses == 0 || !sw_cost_bound_of_buffer(problem, model, buffer, &part, NULL)) {
            continue;
        }
        found++;
        if (listed < MOST_PROOF_ROWS) {
            add_proof_row(proof, buffer, sw_scene_printf(proof->scene, "%s", SW_NUMBER(part)),
                          sw_scene_printf(proof->scene, "%u access%s", accesses, accesses == 1 ? "" : "es"));
            listed++;
        }
    }
    say_unlisted(proof, found - listed);
}

/* ---- migration ---- */

static const char *migration_claim(struct bound_proof *proof, const struct sw_migration *bound) {
    const struct sw_tier *tier = sw_problem_tier(proof->problem, 0);
    char capacity[40];
    const char *size = sw_show_bytes_in(proof->scene->units, tier->capacity, capacity);
    if (!bound->feasible) {
        return sw_scene_printf(proof->scene, "migration: one object alone is larger than the %s of %s", size,
                               tier->name);
    }
    if (bound->count == 0) {
        return sw_scene_printf(proof->scene,
                               "migration: at least 0 B, since %s of %s might hold all that is "
                               "accessed again",
                               size, tier->name);
    }
    /* With several tiers a block may be read where it lies. */
    bool several = sw_problem_tier_count(proof->problem) > 1;
    return sw_scene_printf(proof->scene,
                           "migration: at least %s B%s%s, two for each byte that %s of %s must fetch again",
                           SW_COUNT(bound->bytes), several ? " when every access is in " : "",
                           several ? tier->name : "", size, tier->name);
}

static void tell_migration(struct bound_proof *proof) {
    struct sw_migration bound = {0};
    if (!sw_problem_may_migrate(proof->problem)) {
        return;
    }
    if (!sw_problem_migration_bound(proof->problem, &bound)) {
        proof->scene->failed = true;
        return;
    }
    sw_lines_blank(&proof->lines);
    sw_lines_text(&proof->lines, SW_STYLE_STRONG, migration_claim(proof, &bound));
    for (size_t i = 0; i < bound.count && i < MOST_PROOF_ROWS; i++) {
        add_proof_row(
            proof, bound.items[i].buffer, exact_bytes(proof, bound.items[i].bytes),
            sw_scene_printf(proof->scene, "fetched again for %s", sw_lines_when(&proof->lines, bound.items[i].step)));
    }
    say_unlisted(proof, bound.count > MOST_PROOF_ROWS ? bound.count - MOST_PROOF_ROWS : 0);
    sw_migration_done(&bound);
}

/* ---- the order of the operators ---- */

static const char *proof_operator(struct bound_proof *proof, uint32_t op) {
    return sw_scene_clean(proof->scene, sw_problem_operator(proof->problem, op)->name);
}

/* What all orders need, and what the best and the present one do. */
static const char *order_claim(struct bound_proof *proof, const struct sw_orders *orders) {
    const char *bound = sw_view_order_need(proof->scene, proof->problem, exact_bytes(proof, orders->bound)), *rest;
    if (orders->file_peak <= orders->bound) {
        rest = "this one has no more";
    } else if (orders->peak == orders->file_peak) {
        rest = sw_scene_printf(proof->scene, "this one has %s, and no better one was found",
                               exact_bytes(proof, orders->peak));
    } else if (orders->peak <= orders->bound) {
        rest = sw_scene_printf(proof->scene, "the best one has no more, this one %s",
                               exact_bytes(proof, orders->file_peak));
    } else {
        rest = sw_scene_printf(proof->scene, "the best one that was found has %s, this one %s",
                               exact_bytes(proof, orders->peak), exact_bytes(proof, orders->file_peak));
    }
    return sw_scene_printf(proof->scene, "order: every order of the operators has %s or more alive; %s", bound, rest);
}

static const char *witness_claim(struct bound_proof *proof, const struct sw_orders *orders) {
    const char *name = proof_operator(proof, orders->witness), *bytes = exact_bytes(proof, orders->witness_bytes);
    size_t forced = 0, count = orders->held.count;
    for (size_t i = 0; i < count; i++) {
        forced += orders->held.items[i].forced;
    }
    return forced == count
               ? sw_scene_printf(proof->scene, "every order holds %s when %s runs, %s together:",
                                 count == 1 ? "this buffer" : sw_scene_printf(proof->scene, "these %zu buffers", count),
                                 name, bytes)
               : sw_scene_printf(proof->scene,
                                 "every order holds %s or more when %s runs: %zu buffer%s always, and, of "
                                 "what may be alive then, at best %s:",
                                 bytes, name, forced, forced == 1 ? "" : "s",
                                 count - forced == 1
                                     ? "one other"
                                     : sw_scene_printf(proof->scene, "these %zu others", count - forced));
}

static int forced_first(const void *x, const void *y) {
    const struct sw_held *a = x, *b = y;
    return a->forced != b->forced ? (a->forced ? -1 : 1) : (a->buffer > b->buffer) - (a->buffer < b->buffer);
}

static void witness(struct bound_proof *proof, const struct sw_orders *orders) {
    size_t count = orders->held.count;
    struct sw_held *held = sw_arena_new(&proof->scene->arena, count + 1, sizeof *held);
    if (!held) {
        proof->scene->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        held[i] = orders->held.items[i];
    }
    qsort(held, count, sizeof *held, forced_first);
    sw_lines_text(&proof->lines, SW_STYLE_TEXT, witness_claim(proof, orders));
    for (size_t i = 0; i < count && i < MOST_PROOF_ROWS; i++) {
        add_proof_row(proof, held[i].buffer,
                      exact_bytes(proof, sw_problem_buffer(proof->problem, held[i].buffer)->size),
                      held[i].forced ? "in every order" : "the cheapest choice");
    }
    say_unlisted(proof, count > MOST_PROOF_ROWS ? count - MOST_PROOF_ROWS : 0);
    if (orders->witness_saved > 0 && sw_lines_row(&proof->lines, SW_NO_ITEM, false)) {
        sw_lines_cell(&proof->lines, SW_STYLE_DIM, false, "  may be shared");
        sw_lines_cellf(&proof->lines, SW_STYLE_DIM, true, "-%s", exact_bytes(proof, orders->witness_saved));
        sw_lines_cell(&proof->lines, SW_STYLE_DIM, false, "by writing over a dying input");
    }
    if (orders->bound > orders->witness_bytes) {
        sw_lines_textf(&proof->lines, SW_STYLE_DIM,
                       "That no order needs less than %s was found by trying every order "
                       "within less.",
                       exact_bytes(proof, orders->bound));
    }
}

static void tell_all_orders(struct bound_proof *proof) {
    struct sw_orders_look own = {0};
    const struct sw_orders_look *look = sw_orders_look(proof->in, proof->problem, &own);
    if (!look) {
        proof->scene->failed = true;
    } else if (look->known) {
        sw_lines_blank(&proof->lines);
        sw_lines_text(&proof->lines, SW_STYLE_STRONG, order_claim(proof, &look->orders));
        witness(proof, &look->orders);
    } else if (*look->why) {
        sw_lines_blank(&proof->lines);
        sw_lines_textf(&proof->lines, SW_STYLE_DIM, "order: nothing is said of other orders, since %s", look->why);
    }
    sw_orders_look_done(&own);
}

static void bounds_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct bound_proof proof = {.in = in, .scene = scene, .problem = sw_search_problem(in->run.search)};
    proof.lines = sw_lines_begin(in, scene, "bounds", "lower bounds, with what proves them", box, 3, 2);
    sw_lines_flow(&proof.lines);
    tell_peak(&proof);
    tell_all_orders(&proof);
    tell_cost(&proof);
    tell_migration(&proof);
}

const struct sw_view sw_view_bounds = {
    .name = "bounds",
    .summary = "lower bounds of peak, order, cost, migration, with proofs",
    .scrolls = SW_SCROLLS_TEXT,
    .build = bounds_build,
};
