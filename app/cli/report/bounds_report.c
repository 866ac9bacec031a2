/* plan --bounds: the lower bounds with their proofs, as text and as JSON. */
#include "cli/shared/summary.h"
#include "layout/cost.h"
#include "view/blame/orders_look.h"

#include <math.h>

void sw_cli_bounds_text(const struct sw_result *result, struct sw_sink *out) {
    const struct sw_view_input in = {.run.search = result->search,
                                     .look.selected = SW_NONE,
                                     .look.cursor = SW_NONE,
                                     .look.candidate = SW_NONE,
                                     .run.base = result->base};
    sw_sink_printf(out, "\n");
    sw_view_text(&in, sw_view_find("bounds", NULL), out);
}

/* ---- JSON ---- */

static void put_peak_bound(const struct sw_problem *problem, struct sw_json_out *json) {
    uint32_t count, step = sw_problem_bound_step(problem);
    const uint32_t *clique = sw_problem_bound_clique(problem, &count);
    sw_put_object(json, "peak");
    sw_put_count(json, "bytes", sw_problem_lower_bound(problem));
    if (clique) {
        sw_put_null(json, "step");
    } else {
        sw_put_time(json, "step", sw_problem_time(problem, step));
    }
    sw_put_list(json, clique ? "clique" : "alive");
    for (uint32_t i = 0; i < (clique ? count : sw_problem_planned_count(problem)); i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, clique ? clique[i] : sw_problem_order(problem)[i]);
        if (clique || sw_buffer_live_bytes(b, step) > 0) {
            sw_put_text(json, NULL, b->name);
        }
    }
    sw_put_end(json);
    sw_put_end(json);
}

static void put_migration(const struct sw_problem *problem, struct sw_json_out *json) {
    struct sw_migration bound = {0};
    if (!sw_problem_may_migrate(problem) || !sw_problem_migration_bound(problem, &bound) || !bound.feasible) {
        sw_put_null(json, "migration");
        sw_migration_done(&bound);
        return;
    }
    sw_put_object(json, "migration");
    sw_put_count(json, "bytes", bound.bytes);
    sw_put_list(json, "fetched_again");
    for (size_t i = 0; i < bound.count; i++) {
        const struct sw_refetch *item = &bound.items[i];
        sw_put_object(json, NULL);
        sw_put_text(json, "buffer", sw_problem_buffer(problem, item->buffer)->name);
        sw_put_time(json, "step", sw_problem_time(problem, item->step));
        sw_put_count(json, "bytes", item->bytes);
        sw_put_end(json);
    }
    sw_put_end(json);
    sw_put_end(json);
    sw_migration_done(&bound);
}

/* Of all orders of the operators: as in the pane of bounds. */
static void put_order(const struct sw_problem *problem, struct sw_json_out *json) {
    const struct sw_view_input in = {.medium = SW_ON_PAGE};
    struct sw_orders_look own = {0};
    const struct sw_orders_look *look = sw_orders_look(&in, problem, &own);
    json->out->failed |= !look;
    if (!look || !look->known) {
        sw_put_null(json, "order");
        sw_orders_look_done(&own);
        return;
    }
    const struct sw_orders *orders = &look->orders;
    sw_put_object(json, "order");
    SW_PUT_COUNTS(json, {"bytes", orders->bound}, {"best", orders->peak}, {"present", orders->file_peak});
    sw_put_text(json, "operator", sw_problem_operator(problem, orders->witness)->name);
    sw_put_count(json, "held_bytes", orders->witness_bytes);
    sw_put_list(json, "held");
    for (size_t i = 0; i < orders->held.count; i++) {
        sw_put_object(json, NULL);
        sw_put_text(json, "buffer", sw_problem_buffer(problem, orders->held.items[i].buffer)->name);
        sw_put_truth(json, "forced", orders->held.items[i].forced);
        sw_put_end(json);
    }
    sw_put_end(json);
    sw_put_end(json);
    sw_orders_look_done(&own);
}

void sw_cli_bounds_json(const struct sw_result *result, struct sw_json_out *json) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    const struct sw_cost_model *model = sw_search_params(result->search)->cost;
    double cost = (double)NAN;
    sw_put_object(json, "bounds");
    put_peak_bound(problem, json);
    put_order(problem, json);
    if (sw_cost_known(problem, model)) {
        sw_cost_bound(problem, model, &cost, NULL);
    }
    sw_put_number(json, "cost", cost);
    put_migration(problem, json);
    sw_put_end(json);
}
