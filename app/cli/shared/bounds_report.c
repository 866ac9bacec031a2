/* plan --bounds: the lower bounds with their proofs, as text and as JSON. */
#include "cli/shared/bounds_report.h"
#include "layout/cost.h"
#include "view/blame/orders_look.h"

#include <inttypes.h>
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

static void json_peak(const struct sw_problem *problem, struct sw_sink *out) {
    uint32_t count, step = sw_problem_bound_step(problem);
    const uint32_t *clique = sw_problem_bound_clique(problem, &count);
    const char *separator = "";
    sw_sink_printf(out,
                   "\"peak\":{\"bytes\":%" PRIu64 ",\"step\":", sw_problem_lower_bound(problem));
    if (clique) {
        sw_sink_printf(out, "null,\"clique\":[");
    } else {
        sw_sink_printf(out, "%" PRId64 ",\"alive\":[", sw_problem_time(problem, step));
    }
    for (uint32_t i = 0; i < (clique ? count : sw_problem_planned_count(problem)); i++) {
        uint32_t buffer = clique ? clique[i] : sw_problem_order(problem)[i];
        const struct sw_buffer *b = sw_problem_buffer(problem, buffer);
        if (clique || sw_buffer_live_bytes(b, step) > 0) {
            sw_sink_printf(out, "%s", separator);
            sw_sink_json(out, b->name);
            separator = ",";
        }
    }
    sw_sink_printf(out, "]}");
}

static void json_migration(const struct sw_problem *problem, struct sw_sink *out) {
    struct sw_migration bound = {0};
    sw_sink_printf(out, ",\"migration\":");
    if (!sw_problem_may_migrate(problem) || !sw_problem_migration_bound(problem, &bound) ||
        !bound.feasible) {
        sw_sink_printf(out, "null");
        sw_migration_done(&bound);
        return;
    }
    sw_sink_printf(out, "{\"bytes\":%" PRIu64 ",\"fetched_again\":[", bound.bytes);
    for (size_t i = 0; i < bound.count; i++) {
        const struct sw_refetch *item = &bound.items[i];
        sw_sink_printf(out, "%s{\"buffer\":", i ? "," : "");
        sw_sink_json(out, sw_problem_buffer(problem, item->buffer)->name);
        sw_sink_printf(out, ",\"step\":%" PRId64 ",\"bytes\":%" PRIu64 "}",
                       sw_problem_time(problem, item->step), item->bytes);
    }
    sw_sink_printf(out, "]}");
    sw_migration_done(&bound);
}

/* Of all orders of the operators: as in the pane of bounds. */
static void json_order(const struct sw_problem *problem, struct sw_sink *out) {
    const struct sw_view_input in = {.medium = SW_ON_PAGE};
    struct sw_orders_look own = {0};
    const struct sw_orders_look *look = sw_orders_look(&in, problem, &own);
    out->failed |= !look;
    if (!look || !look->known) {
        sw_sink_printf(out, ",\"order\":null");
        sw_orders_look_done(&own);
        return;
    }
    const struct sw_orders *orders = &look->orders;
    sw_sink_printf(out,
                   ",\"order\":{\"bytes\":%" PRIu64 ",\"best\":%" PRIu64 ",\"present\":%" PRIu64
                   ",\"operator\":",
                   orders->bound, orders->peak, orders->file_peak);
    sw_sink_json(out, sw_problem_operator(problem, orders->witness)->name);
    sw_sink_printf(out, ",\"held_bytes\":%" PRIu64 ",\"held\":[", orders->witness_bytes);
    for (size_t i = 0; i < orders->held.count; i++) {
        sw_sink_printf(out, "%s{\"buffer\":", i ? "," : "");
        sw_sink_json(out, sw_problem_buffer(problem, orders->held.items[i].buffer)->name);
        sw_sink_printf(out, ",\"forced\":%s}", orders->held.items[i].forced ? "true" : "false");
    }
    sw_sink_printf(out, "]}");
    sw_orders_look_done(&own);
}

void sw_cli_bounds_json(const struct sw_result *result, struct sw_sink *out) {
    const struct sw_problem *problem = sw_layout_problem(result->layout);
    const struct sw_cost_model *model = sw_search_params(result->search)->cost;
    double cost = (double)NAN;
    sw_sink_printf(out, "\"bounds\":{");
    json_peak(problem, out);
    json_order(problem, out);
    sw_sink_printf(out, ",\"cost\":");
    if (sw_cost_known(problem, model)) {
        sw_cost_bound(problem, model, &cost, NULL);
    }
    sw_sink_number(out, cost);
    json_migration(problem, out);
    sw_sink_printf(out, "}");
}
