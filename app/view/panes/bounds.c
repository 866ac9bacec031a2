/* The lower bounds and their proofs: for the peak the step (or the clique) and what is alive there; for
 * all orders of the operators what each of them holds when some operator runs;
 * for the cost every buffer's accesses at the fastest tier that could hold it; for migration what
 * has to be fetched again. */
#include "view/scene/lines.h"
#include "base/base.h"

#include "layout/cost.h"
#include "view/blame/orders_look.h"

#define MOST_PROOF_ROWS 500 /* of one proof; more are counted, not listed */

static void add_proof_row(struct sw_lines *lines, uint32_t buffer, const char *figure, const char *why) {
    if (sw_lines_row(lines, (struct sw_item){SW_ITEM_BUFFER, buffer}, false)) {
        sw_panel_name(lines->scene, lines->panel, SW_STYLE_TEXT, " ", sw_problem_buffer(lines->problem, buffer)->name);
        sw_lines_cell(lines, SW_STYLE_TEXT, true, figure);
        sw_lines_cell(lines, SW_STYLE_DIM, false, why);
    }
}

static void say_unlisted(struct sw_lines *lines, uint64_t count) {
    if (count > 0) {
        sw_lines_textf(lines, SW_STYLE_DIM, "  and %s more", SW_COUNT(count));
    }
}

static const char *exact_bytes(struct sw_lines *lines, uint64_t bytes) {
    return sw_scene_printf(lines->scene, "%s B", SW_COUNT(bytes));
}

static const char *alive(struct sw_lines *lines, uint32_t buffer) {
    return sw_scene_printf(lines->scene, "alive %s", sw_lines_life(lines, sw_problem_buffer(lines->problem, buffer)));
}

/* ---- the peak ---- */

/* "peak: at least 180 B": of what a plan may do that takes less, the words say so. */
static const char *peak_claim(struct sw_lines *lines, const char *why) {
    const struct sw_layout *layout = sw_search_layout(lines->in->run.search);
    return sw_scene_printf(lines->scene, "peak%s: at least %s B%s, %s%s", sw_view_bound_remark(lines->in),
                           SW_COUNT(sw_problem_lower_bound(lines->problem)),
                           sw_problem_tier_count(lines->problem) > 1 ? " in all memories together" : "", why,
                           sw_layout_permit_count(layout) > 0 ? "; less where buffers are written over, as in this plan"
                                                              : "");
}

static void clique(struct sw_lines *lines, const uint32_t *members, uint32_t count) {
    sw_lines_text(
        lines, SW_STYLE_STRONG,
        peak_claim(lines, sw_scene_printf(lines->scene, "the sum of %u buffers of which every two conflict", count)));
    for (uint32_t i = 0; i < count && i < MOST_PROOF_ROWS; i++) {
        add_proof_row(lines, members[i], exact_bytes(lines, sw_problem_buffer(lines->problem, members[i])->size),
                      alive(lines, members[i]));
    }
    say_unlisted(lines, count > MOST_PROOF_ROWS ? count - MOST_PROOF_ROWS : 0);
}

static void tell_peak(struct sw_lines *lines) {
    const struct sw_problem *problem = lines->problem;
    uint32_t count, step = sw_problem_bound_step(problem);
    const uint32_t *members = sw_problem_bound_clique(problem, &count);
    if (members) {
        clique(lines, members, count);
        return;
    }
    uint64_t bound = sw_problem_lower_bound(problem), sum = 0, listed = 0, found = 0;
    sw_lines_text(lines, SW_STYLE_STRONG,
                  peak_claim(lines, sw_scene_printf(lines->scene, "alive at %s", sw_lines_when(lines, step))));
    struct sw_neighbors walk = sw_problem_alive(problem, step, step);
    for (uint32_t buffer; (buffer = sw_neighbors_next(&walk)) != SW_NONE;) {
        uint64_t bytes = sw_buffer_live_bytes(sw_problem_buffer(problem, buffer), step);
        if (bytes == 0) {
            continue;
        }
        sum += bytes;
        found++;
        if (listed < MOST_PROOF_ROWS) {
            add_proof_row(lines, buffer, exact_bytes(lines, bytes), alive(lines, buffer));
            listed++;
        }
    }
    say_unlisted(lines, found - listed);
    if (sum > bound && sw_lines_row(lines, SW_NO_ITEM, false)) {
        sw_lines_cell(lines, SW_STYLE_DIM, false, "  may be shared");
        sw_lines_cellf(lines, SW_STYLE_DIM, true, "-%s", exact_bytes(lines, sum - bound));
        sw_lines_cell(lines, SW_STYLE_DIM, false, "by writing over a dying input");
    }
}

/* ---- the cost ---- */

static void tell_cost(struct sw_lines *lines) {
    const struct sw_problem *problem = lines->problem;
    const struct sw_cost_model *model = sw_search_params(lines->in->run.search)->cost;
    double bound = (double)NAN;
    if (!sw_cost_known(problem, model) || !sw_cost_bound(problem, model, &bound, NULL) || isnan(bound)) {
        return;
    }
    sw_lines_blank(lines);
    sw_lines_textf(lines, SW_STYLE_STRONG,
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
            add_proof_row(lines, buffer, sw_scene_printf(lines->scene, "%s", SW_NUMBER(part)),
                          sw_scene_printf(lines->scene, "%u access%s", accesses, accesses == 1 ? "" : "es"));
            listed++;
        }
    }
    say_unlisted(lines, found - listed);
}

/* ---- migration ---- */

static const char *migration_claim(struct sw_lines *lines, const struct sw_migration *bound) {
    const struct sw_tier *tier = sw_problem_tier(lines->problem, 0);
    char capacity[40];
    const char *size = sw_show_bytes_in(lines->scene->units, tier->capacity, capacity);
    if (!bound->feasible) {
        return sw_scene_printf(lines->scene, "migration: one object alone is larger than the %s of %s", size,
                               tier->name);
    }
    if (bound->count == 0) {
        return sw_scene_printf(lines->scene,
                               "migration: at least 0 B, since %s of %s might hold all that is "
                               "accessed again",
                               size, tier->name);
    }
    /* With several tiers a block may be read where it lies. */
    bool several = sw_problem_tier_count(lines->problem) > 1;
    return sw_scene_printf(lines->scene,
                           "migration: at least %s B%s%s, two for each byte that %s of %s must fetch again",
                           SW_COUNT(bound->bytes), several ? " when every access is in " : "",
                           several ? tier->name : "", size, tier->name);
}

static void tell_migration(struct sw_lines *lines) {
    struct sw_migration bound = {0};
    if (!sw_problem_may_migrate(lines->problem)) {
        return;
    }
    if (!sw_problem_migration_bound(lines->problem, &bound)) {
        lines->scene->failed = true;
        return;
    }
    sw_lines_blank(lines);
    sw_lines_text(lines, SW_STYLE_STRONG, migration_claim(lines, &bound));
    for (size_t i = 0; i < bound.count && i < MOST_PROOF_ROWS; i++) {
        add_proof_row(lines, bound.items[i].buffer, exact_bytes(lines, bound.items[i].bytes),
                      sw_scene_printf(lines->scene, "fetched again for %s", sw_lines_when(lines, bound.items[i].step)));
    }
    say_unlisted(lines, bound.count > MOST_PROOF_ROWS ? bound.count - MOST_PROOF_ROWS : 0);
    sw_migration_done(&bound);
}

/* ---- the order of the operators ---- */

static const char *proof_operator(struct sw_lines *lines, uint32_t op) {
    return sw_scene_clean(lines->scene, sw_problem_operator(lines->problem, op)->name);
}

/* What all orders need, and what the best and the present one do. */
static const char *order_claim(struct sw_lines *lines, const struct sw_orders *orders) {
    const char *bound = sw_view_order_need(lines->scene, lines->problem, exact_bytes(lines, orders->bound)), *rest;
    if (orders->file_peak <= orders->bound) {
        rest = "this one has no more";
    } else if (orders->peak == orders->file_peak) {
        rest = sw_scene_printf(lines->scene, "this one has %s, and no better one was found",
                               exact_bytes(lines, orders->peak));
    } else if (orders->peak <= orders->bound) {
        rest = sw_scene_printf(lines->scene, "the best one has no more, this one %s",
                               exact_bytes(lines, orders->file_peak));
    } else {
        rest = sw_scene_printf(lines->scene, "the best one that was found has %s, this one %s",
                               exact_bytes(lines, orders->peak), exact_bytes(lines, orders->file_peak));
    }
    return sw_scene_printf(lines->scene, "order: every order of the operators has %s or more alive; %s", bound, rest);
}

static const char *witness_claim(struct sw_lines *lines, const struct sw_orders *orders) {
    const char *name = proof_operator(lines, orders->witness), *bytes = exact_bytes(lines, orders->witness_bytes);
    size_t forced = 0, count = orders->held.count;
    for (size_t i = 0; i < count; i++) {
        forced += orders->held.items[i].forced;
    }
    return forced == count
               ? sw_scene_printf(lines->scene, "every order holds %s when %s runs, %s together:",
                                 count == 1 ? "this buffer" : sw_scene_printf(lines->scene, "these %zu buffers", count),
                                 name, bytes)
               : sw_scene_printf(lines->scene,
                                 "every order holds %s or more when %s runs: %zu buffer%s always, and, of "
                                 "what may be alive then, at best %s:",
                                 bytes, name, forced, forced == 1 ? "" : "s",
                                 count - forced == 1
                                     ? "one other"
                                     : sw_scene_printf(lines->scene, "these %zu others", count - forced));
}

static int forced_first(const void *x, const void *y) {
    const struct sw_held *a = x, *b = y;
    return a->forced != b->forced ? (a->forced ? -1 : 1) : (a->buffer > b->buffer) - (a->buffer < b->buffer);
}

static void witness(struct sw_lines *lines, const struct sw_orders *orders) {
    size_t count = orders->held.count;
    struct sw_held *held = sw_arena_new(&lines->scene->arena, count + 1, sizeof *held);
    if (!held) {
        lines->scene->failed = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        held[i] = orders->held.items[i];
    }
    qsort(held, count, sizeof *held, forced_first);
    sw_lines_text(lines, SW_STYLE_TEXT, witness_claim(lines, orders));
    for (size_t i = 0; i < count && i < MOST_PROOF_ROWS; i++) {
        add_proof_row(lines, held[i].buffer,
                      exact_bytes(lines, sw_problem_buffer(lines->problem, held[i].buffer)->size),
                      held[i].forced ? "in every order" : "the cheapest choice");
    }
    say_unlisted(lines, count > MOST_PROOF_ROWS ? count - MOST_PROOF_ROWS : 0);
    if (orders->witness_saved > 0 && sw_lines_row(lines, SW_NO_ITEM, false)) {
        sw_lines_cell(lines, SW_STYLE_DIM, false, "  may be shared");
        sw_lines_cellf(lines, SW_STYLE_DIM, true, "-%s", exact_bytes(lines, orders->witness_saved));
        sw_lines_cell(lines, SW_STYLE_DIM, false, "by writing over a dying input");
    }
    if (orders->bound > orders->witness_bytes) {
        sw_lines_textf(lines, SW_STYLE_DIM,
                       "That no order needs less than %s was found by trying every order "
                       "within less.",
                       exact_bytes(lines, orders->bound));
    }
}

static void tell_all_orders(struct sw_lines *lines) {
    struct sw_orders_look own = {0};
    const struct sw_orders_look *look = sw_orders_look(lines->in, lines->problem, &own);
    if (!look) {
        lines->scene->failed = true;
    } else if (look->known) {
        sw_lines_blank(lines);
        sw_lines_text(lines, SW_STYLE_STRONG, order_claim(lines, &look->orders));
        witness(lines, &look->orders);
    } else if (*look->why) {
        sw_lines_blank(lines);
        sw_lines_textf(lines, SW_STYLE_DIM, "order: nothing is said of other orders, since %s", look->why);
    }
    sw_orders_look_done(&own);
}

static void bounds_build(const struct sw_view_input *in, struct sw_scene *scene, struct sw_box box) {
    struct sw_lines lines = sw_lines_begin(in, scene, "bounds", "lower bounds, with what proves them", box, 3, 2);
    sw_lines_flow(&lines);
    tell_peak(&lines);
    tell_all_orders(&lines);
    tell_cost(&lines);
    tell_migration(&lines);
}

const struct sw_view sw_view_bounds = {
    .name = "bounds",
    .summary = "lower bounds of peak, order, cost, migration, with proofs",
    .scrolls = SW_SCROLLS_TEXT,
    .build = bounds_build,
};
