#include "cli/orders/order_diff.h"

#include "base/text.h"
#include "order/orders.h"
#include "problem/change/whole_order.h"

#include <inttypes.h>

enum { NAMED = 8, UNDONE = 200 };

/* The moves between the two. False: they do not have the same operators, or orders mean nothing there. */
static bool compare(const struct sw_problem *old, const struct sw_problem *fresh,
                    struct sw_order_moves *moves, bool *failed) {
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
    bool good = order && sw_order_moves_of(old, order, UNDONE, moves, &error);
    *failed |= !order || error.code == SW_ERROR_MEMORY;
    SW_FREE(order, order ? count : 0);
    return good;
}

static void put_move(const struct sw_problem *old, const struct sw_order_move *move, bool markdown,
                     struct sw_sink *out) {
    (markdown ? sw_sink_md : sw_sink_text)(out, sw_problem_operator(old, move->op)->name);
    sw_sink_printf(out, " %" PRIu32 " -> %" PRIu32, move->op, move->to);
}

void sw_cli_order_diff_text(const struct sw_problem *old, const struct sw_problem *fresh,
                            bool markdown, struct sw_sink *out) {
    struct sw_order_moves moves = {0};
    bool failed = false;
    if (compare(old, fresh, &moves, &failed) && moves.items.count > 0) {
        char count[32], all[32];
        sw_sink_printf(
            out,
            "\n%s of %s operators stand%s elsewhere: ", sw_show_count(moves.items.count, count),
            sw_show_count(sw_problem_operator_count(old), all), moves.items.count == 1 ? "s" : "");
        for (size_t i = 0; i < moves.items.count && i < NAMED; i++) {
            sw_sink_printf(out, i ? ", " : "");
            put_move(old, &moves.items.items[i], markdown, out);
        }
        if (moves.items.count > NAMED) {
            sw_sink_printf(out, " and %s more", sw_show_count(moves.items.count - NAMED, count));
        }
        sw_sink_printf(out, "\n");
    }
    out->failed |= failed;
    sw_order_moves_done(&moves);
}

void sw_cli_order_diff_json(const struct sw_problem *old, const struct sw_problem *fresh,
                            struct sw_sink *out) {
    struct sw_order_moves moves = {0};
    bool failed = false, known = compare(old, fresh, &moves, &failed);
    sw_sink_printf(out, ",\n \"moved\":%s", known ? "[" : "null");
    for (size_t i = 0; i < moves.items.count; i++) {
        const struct sw_order_move *move = &moves.items.items[i];
        sw_sink_printf(out, "%s{\"operator\":", i ? "," : "");
        sw_sink_json(out, sw_problem_operator(old, move->op)->name);
        sw_sink_printf(out, ",\"old\":%" PRIu32 ",\"new\":%" PRIu32 ",\"undone_peak\":", move->op,
                       move->to);
        sw_sink_printf(out, move->tried ? "%" PRIu64 "}" : "null}", move->peak);
    }
    sw_sink_printf(out, known ? "]" : "");
    out->failed |= failed;
    sw_order_moves_done(&moves);
}
