#include "cli/orders/order_parts.h"
#include "base/base.h"

#include "order/orders.h"
#include "problem/change/whole_order.h"

enum { MOST_OPS_NAMED = 8, MOST_UNDONE = 200 };

/* The moves between the two. False: they do not have the same operators, or orders mean nothing there. */
static bool compare_orders(const struct sw_problem *old, const struct sw_problem *fresh, struct sw_order_moves *moves,
                           bool *failed) {
    struct sw_error error = {0};
    uint32_t count = sw_problem_operator_count(old);
    if (count == 0 || sw_problem_operator_count(fresh) != count) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (sw_problem_find_operator(old, sw_problem_operator(fresh, i)->name) == SW_NONE) {
            return false;
        }
    }
    uint32_t *order = sw_problem_order_between(old, fresh);
    bool good = order && sw_order_moves_of(old, order, MOST_UNDONE, moves, &error);
    *failed |= !order || error.code == SW_ERROR_MEMORY;
    SW_FREE(order, order ? count : 0);
    return good;
}

static void put_moved_words(const struct sw_problem *old, const struct sw_order_moves *moves,
                            struct sw_cli_report *report) {
    size_t count = moves->items.count;
    sw_sink_printf(report->words, "\n%s of %s operators stand%s elsewhere: ", SW_COUNT(count),
                   SW_COUNT(sw_problem_operator_count(old)), count == 1 ? "s" : "");
    for (size_t i = 0; i < count && i < MOST_OPS_NAMED; i++) {
        sw_sink_printf(report->words, i ? ", " : "");
        sw_report_name(report, sw_problem_operator(old, moves->items.items[i].op)->name);
        sw_sink_printf(report->words, " %" PRIu32 " -> %" PRIu32, moves->items.items[i].op, moves->items.items[i].to);
    }
    if (count > MOST_OPS_NAMED) {
        sw_sink_printf(report->words, " and %s more", SW_COUNT(count - MOST_OPS_NAMED));
    }
    sw_sink_printf(report->words, "\n");
}

void sw_cli_order_diff(const struct sw_problem *old, const struct sw_problem *fresh, struct sw_cli_report *report) {
    struct sw_json_out *json = &report->json;
    struct sw_order_moves moves = {0};
    bool failed = false, known = compare_orders(old, fresh, &moves, &failed);
    known ? sw_put_list(json, "moved") : sw_put_null(json, "moved");
    for (size_t i = 0; known && i < moves.items.count; i++) {
        const struct sw_order_move *move = &moves.items.items[i];
        sw_put_object(json, NULL);
        sw_put_text(json, "operator", sw_problem_operator(old, move->op)->name);
        SW_PUT_COUNTS(json, {"old", move->op}, {"new", move->to});
        sw_put_known(json, "undone_peak", move->tried, move->peak);
        sw_put_end(json);
    }
    if (known) {
        sw_put_end(json);
    }
    if (known && moves.items.count > 0) {
        put_moved_words(old, &moves, report);
    }
    report->out.failed |= failed;
    sw_order_moves_done(&moves);
}
