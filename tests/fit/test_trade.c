/* What a region costs and saves: an example worked out by hand, and random networks, where the figures add up to those
 * of programs that are made with the first of the regions, the first two, and so on. */
#include "base/minmax.h"
#include "fit/cuts/cuts.h"
#include "fit/networks.h"
#include "fit/strips/program_internal.h"
#include "fit/trade.h"
#include "formats/format.h"
#include "share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* Two convolutions of 3 rows, 8 rows each. */
static const char two[] =
    "{\"format\":\"stowage-graph\",\"version\":1,\"name\":\"two\",\"operators\":["
    "{\"name\":\"conv_a\",\"kind\":\"conv_2d\",\"inputs\":[\"x\"],\"outputs\":[\"a\"],\"dtype\":\"int8\","
    "\"window\":{\"kernel\":[3,1],\"stride\":[1,1],\"pad\":[1,1,0,0],\"axis\":1},\"macs\":800},"
    "{\"name\":\"conv_b\",\"kind\":\"conv_2d\",\"inputs\":[\"a\"],\"outputs\":[\"y\"],\"dtype\":\"int8\","
    "\"window\":{\"kernel\":[3,1],\"stride\":[1,1],\"pad\":[1,1,0,0],\"axis\":1},\"macs\":800}],\"buffers\":["
    "{\"name\":\"x\",\"kind\":\"input\",\"shape\":[1,8,1,4],\"dtype\":\"int8\"},"
    "{\"name\":\"a\",\"shape\":[1,8,1,256],\"dtype\":\"int8\"},"
    "{\"name\":\"y\",\"kind\":\"output\",\"shape\":[1,8,1,4],\"dtype\":\"int8\"}]}";

static struct sw_problem *must_load(const char *bytes, size_t length) {
    struct sw_input input = {.name = "network", .bytes = bytes, .length = length};
    struct sw_error error = {0};
    struct sw_problem *problem = sw_load_input(&input, NULL, &error);
    if (!problem) {
        fail_msg("%s", error.message);
    }
    return problem;
}

/* Padded, only the first convolution computes rows 3 and 4 twice. Discarding, the strips of y read rows 0 to 4 and 3 to
 * 7 of a, and make as many of y; so the strips of a read rows 0 to 5 and 2 to 7 of x. */
static void by_hand(void **state) {
    static const struct {
        uint64_t padded, again, macs;
        const char *text;
    } ways[] = {
        {0, 2 + 4, (12 + 10) * 100, "computes 6 of 16 rows twice: 1.375 of the work; lowers the bound by 504"},
        {SW_FIT_PAD_ALL, 2, (10 + 8) * 100, "computes 2 of 16 rows twice: 1.125 of the work; the bound grows by 760"},
    };
    struct sw_problem *problem = must_load(two, sizeof two - 1);
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct sw_fit_region region = {.first = 0, .last = 1, .strips = 2, .padded = ways[i].padded};
        struct sw_fit_program program = {0};
        struct sw_fit_refusal refusal;
        struct sw_fit_trade trade;
        char text[200];
        assert_true(sw_fit_program_make(problem, &region, 1, &program, &refusal));
        assert_true(sw_fit_trades_find(&program, &trade));
        assert_int_equal(trade.rows, 16);
        assert_int_equal(trade.again, ways[i].again);
        assert_int_equal(trade.times, 2);
        assert_int_equal(trade.macs_before, 1600);
        assert_int_equal(trade.macs, ways[i].macs);
        assert_int_equal(trade.bound_before, 32 + 2048);
        sw_fit_trade_text(&trade, text, sizeof text);
        assert_memory_equal(text, ways[i].text, strlen(ways[i].text));
        trade.planned = true;
        trade.head_before = 32000;
        trade.head = 512;
        trade.tail = 4204;
        sw_fit_trade_text(&trade, text, sizeof text);
        assert_non_null(strstr(text, " of the work; saves 31,488 of the head, costs 4,204 of the tail"));
        trade.head = 32000;
        sw_fit_trade_text(&trade, text, sizeof text);
        assert_non_null(strstr(text, " of the work; the head stays, costs 4,204 of the tail"));
        trade.head = 32001;
        sw_fit_trade_text(&trade, text, sizeof text);
        assert_non_null(strstr(text, " of the work; the head grows by 1, costs 4,204 of the tail"));
        for (uint32_t c = 0, seen = 0; c < program.calls.count; c++) {
            const struct sw_fit_call *call = &program.calls.items[c];
            if (call->act == SW_FIT_RUN && call->strip == 1 && call->op == 0) {
                struct sw_row_range again = sw_fit_rows_again(&program, c);
                assert_int_equal(again.lo, i == 0 ? 2 : 3);
                assert_int_equal(again.hi, i == 0 ? 6 : 5);
                seen++;
            } else if (call->strip == 0) {
                struct sw_row_range again = sw_fit_rows_again(&program, c);
                assert_int_equal(again.lo, again.hi);
            }
            assert_true(c + 1 < program.calls.count || seen == 1);
        }
        sw_fit_program_done(&program);
    }
    sw_problem_unref(problem);
}

/* Of the padding cut: the strips of a are rows 0 to 4 and 3 to 7, of which 3 and 4 are computed again; y has no row
 * twice. The strips of x are there before, and none is kept. */
static void alive_by_hand(void **state) {
    struct sw_problem *problem = must_load(two, sizeof two - 1);
    struct sw_fit_region region = {.first = 0, .last = 1, .strips = 2, .padded = SW_FIT_PAD_ALL};
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal;
    struct sw_fit_alive alive = {0};
    uint32_t begin, end, x = sw_problem_find_buffer(problem, "x"), y = sw_problem_find_buffer(problem, "y");
    int again = 0, y_rows = 0;
    (void)state;
    assert_true(sw_fit_program_make(problem, &region, 1, &program, &refusal));
    assert_true(sw_fit_alive_find(&program, 0, &alive));
    sw_fit_region_calls(&program, 0, &begin, &end);
    assert_int_equal(begin, 0);
    assert_int_equal(end, program.calls.count);
    for (size_t i = 0; i < alive.count; i++) {
        const struct sw_fit_rows_alive *rows = &alive.items[i];
        assert_true(rows->rows.lo >= 0 && rows->rows.lo < rows->rows.hi && rows->rows.hi <= 8);
        assert_true(rows->first <= rows->last && rows->last < end);
        assert_false(rows->kept);
        if (rows->again) {
            assert_int_equal(rows->rows.lo, 3);
            assert_int_equal(rows->rows.hi, 5);
            assert_int_equal(rows->strip, 1);
            again++;
        }
        if (rows->buffer == y) {
            assert_false(rows->again);
            assert_int_equal(rows->last, end - 1);
            assert_int_equal(program.calls.items[rows->first].strip, rows->strip);
            y_rows += (int)(rows->rows.hi - rows->rows.lo);
        }
        assert_true(rows->buffer != x || rows->strip == SW_NONE || program.calls.items[rows->first].act != SW_FIT_RUN);
    }
    assert_int_equal(again, 1);
    assert_int_equal(y_rows, 8);
    SW_ARRAY_DONE(&alive);
    sw_fit_program_done(&program);
    sw_problem_unref(problem);
}

static int by_place(const void *a, const void *b) {
    const struct sw_fit_region *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* The first regions of those taken, made: the most bytes alive. */
static uint64_t bound_of(const struct sw_problem *problem, const struct sw_fit_program *all,
                         const struct sw_fit_trade *trades, size_t count) {
    struct sw_fit_region regions[64];
    struct sw_fit_program program = {0};
    struct sw_fit_refusal refusal;
    struct sw_error error = {0};
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        regions[i] = all->regions[trades[i].region];
    }
    qsort(regions, count, sizeof *regions, by_place);
    assert_true(sw_fit_program_make(problem, regions, count, &program, &refusal));
    struct sw_problem *made = sw_fit_program_problem(&program, &error);
    assert_non_null(made);
    for (uint32_t step = 0; step < sw_problem_steps(made); step++) {
        most = SW_MAX(most, sw_problem_profile(made)[step]);
    }
    sw_problem_unref(made);
    sw_fit_program_done(&program);
    return most;
}

/* The rows that calls make of a region's results, in all rounds, are no more than its rows and those that are made
 * again; some may not be needed. */
static void check_rows(const struct sw_fit_program *program, const struct sw_fit_trade *trade) {
    uint64_t made = 0;
    for (size_t i = 0; i < program->calls.count; i++) {
        const struct sw_fit_call *call = &program->calls.items[i];
        if (call->region == trade->region && call->act == SW_FIT_RUN &&
            !sw_fit_only_pads(sw_problem_operator(program->problem, call->op)->window)) {
            const struct sw_fit_value *value = &program->values.items[call->output];
            made += (uint64_t)(value->rows.hi - value->rows.lo) * SW_MAX(call->rounds, 1);
        }
    }
    assert_true(made <= trade->rows + trade->again * (SW_MAX(trade->times, 1) - 1));
    assert_true(made <= trade->rows || trade->again > 0);
}

static void check_network(const struct sw_problem *problem, uint64_t *several) {
    struct sw_fit_limits limits = {0};
    struct sw_fit_cuts cuts = {0};
    struct sw_fit_front front = {0};
    assert_true(sw_fit_cuts_find(problem, &limits, &cuts) && sw_fit_front_find(&cuts, &limits, &front));
    for (size_t i = 0; i < front.items.count; i++) {
        const struct sw_fit_choice *choice = &front.items.items[i];
        struct sw_fit_program program = {0};
        struct sw_fit_refusal refusal;
        struct sw_fit_trade trades[64];
        uint64_t macs = 0, tail = 0, calls = 0, model = 0;
        if (choice->count == 0 || choice->count > 64) {
            continue;
        }
        assert_true(
            sw_fit_program_make(problem, front.chosen.items + choice->first, choice->count, &program, &refusal));
        assert_true(sw_fit_trades_find(&program, trades));
        for (uint32_t op = 0; op < sw_problem_operator_count(problem); op++) {
            model += sw_problem_operator(problem, op)->macs;
        }
        assert_int_equal(trades[0].bound_before, bound_of(problem, &program, trades, 0));
        for (size_t t = 0; t < choice->count; t++) {
            assert_int_equal(trades[t].bound, bound_of(problem, &program, trades, t + 1));
            assert_int_equal(trades[t].model_macs, model);
            assert_true(t == 0 || trades[t].bound_before == trades[t - 1].bound);
            assert_true(trades[t].again <= trades[t].rows && (trades[t].again > 0) == (trades[t].times > 1));
            check_rows(&program, &trades[t]);
            macs += SW_MAX(trades[t].macs, trades[t].macs_before) - trades[t].macs_before;
            tail += trades[t].tail;
            calls += trades[t].calls;
        }
        assert_int_equal(trades[choice->count - 1].bound, choice->live);
        assert_int_equal(tail, choice->tail);
        assert_int_equal(calls, choice->calls);
        assert_int_equal(macs, choice->macs);
        *several += choice->count > 1;
        sw_fit_program_done(&program);
    }
    sw_fit_front_done(&front);
    sw_fit_cuts_done(&cuts);
}

static void in_turn(void **state) {
    uint64_t several = 0;
    (void)state;
    for (uint64_t seed = 1 + first_case(1000), seed_end = seed + cases(1000); seed < seed_end; seed++) {
        struct bytes bytes;
        network_file(seed, &bytes);
        struct sw_problem *problem = must_load((const char *)bytes.items, bytes.count);
        check_network(problem, &several);
        sw_problem_unref(problem);
        free(bytes.items);
    }
    print_message("%llu choices of several regions\n", (unsigned long long)several);
    assert_true(several > 0 || cases(1000) < 1000); /* a share may have none */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand),
        cmocka_unit_test(alive_by_hand),
        cmocka_unit_test(in_turn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
