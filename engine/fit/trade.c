/* What cutting a region costs and saves. */
#include "fit/trade.h"
#include "base/base.h"
#include "fit/strips/program_internal.h"

#include "base/sort.h"

/* An operator on rows, which computes them; one that only pads copies. */
static bool computes(const struct sw_fit_program *program, const struct sw_fit_call *call) {
    return call->act == SW_FIT_RUN && !sw_fit_only_pads(sw_problem_operator(program->problem, call->op)->window);
}

struct sw_row_range sw_fit_rows_again(const struct sw_fit_program *program, uint32_t number) {
    const struct sw_fit_call *call = &program->calls.items[number];
    struct sw_row_range again = {0, 0};
    if (!computes(program, call)) {
        return again;
    }
    struct sw_row_range rows = program->values.items[call->output].rows;
    for (uint32_t i = 0; i < number; i++) {
        const struct sw_fit_call *other = &program->calls.items[i];
        if (other->op == call->op && computes(program, other)) {
            struct sw_row_range theirs = program->values.items[other->output].rows;
            int64_t lo = SW_MAX(rows.lo, theirs.lo), hi = SW_MIN(rows.hi, theirs.hi);
            if (lo < hi) {
                again = again.lo == again.hi ? (struct sw_row_range){lo, hi}
                                             : (struct sw_row_range){SW_MIN(again.lo, lo), SW_MAX(again.hi, hi)};
            }
        }
    }
    return again;
}

/* By how many rows of an operator's result a round of a loop moves down: the rows of a strip times all strides behind
 * the operator. */
static int64_t rows_a_round(const struct sw_problem *problem, const struct sw_fit_region *region, uint32_t op) {
    int64_t step = region->rows;
    for (uint32_t reader = op; reader < region->last;) {
        uint32_t result = sw_problem_operator(problem, reader)->outputs[0].buffer, before = reader;
        for (uint32_t other = reader + 1; other <= region->last && reader == before; other++) {
            const struct sw_operator *operator_ = sw_problem_operator(problem, other);
            reader = sw_refs_name(operator_->inputs, operator_->input_count, result) ? other : reader;
        }
        if (reader == before) {
            break;
        }
        step *= sw_problem_operator(problem, reader)->window->stride[0];
    }
    return step;
}

/* How often each row of an operator's result is computed. False: no memory. */
static bool count_op_rows(const struct sw_fit_program *program, const struct sw_fit_region *region, uint32_t op,
                          struct sw_fit_trade *trade) {
    const struct sw_operator *operator_ = sw_problem_operator(program->problem, op);
    if (sw_fit_only_pads(operator_->window)) {
        return true;
    }
    int64_t height = (int64_t)sw_fit_rows(program->problem, operator_->outputs[0].buffer, operator_->window->axis),
            times = 0;
    int64_t *change = SW_NEW_ZERO(int64_t, (size_t)height + 1);
    if (!change) {
        return false;
    }
    for (size_t i = 0; i < program->calls.count; i++) {
        const struct sw_fit_call *call = &program->calls.items[i];
        if (call->act == SW_FIT_RUN && call->op == op) {
            struct sw_row_range rows = program->values.items[call->output].rows;
            int64_t step = call->rounds > 1 ? rows_a_round(program->problem, region, op) : 0;
            for (uint32_t round = 0; round < SW_MAX(call->rounds, 1); round++, rows.lo += step, rows.hi += step) {
                change[SW_MAX(SW_MIN(rows.lo, height), 0)]++;
                change[SW_MAX(SW_MIN(rows.hi, height), 0)]--;
            }
        }
    }
    for (int64_t row = 0; row < height; row++) {
        times += change[row];
        trade->again += times > 1;
        trade->times = SW_MAX(trade->times, (uint32_t)times);
    }
    trade->rows += (uint64_t)height;
    SW_FREE(change, (size_t)height + 1);
    return true;
}

static bool count_region(const struct sw_fit_program *program, uint32_t number, struct sw_fit_trade *trade) {
    const struct sw_fit_region *region = &program->regions[number];
    const uint64_t *profile = sw_problem_profile(program->problem);
    uint64_t own_tail = 0, constants = sw_problem_outside(program->problem) > 0 ? SW_FIT_CONSTANT : 0;
    *trade = (struct sw_fit_trade){.region = number};
    for (uint32_t op = region->first; op <= region->last; op++) {
        trade->macs_before += sw_problem_operator(program->problem, op)->macs;
        trade->live_before = SW_MAX(trade->live_before, profile[op]);
        own_tail += sw_fit_tail_of(program, &(struct sw_fit_call){.act = SW_FIT_AS_IS, .op = op});
        if (!count_op_rows(program, region, op, trade)) {
            return false;
        }
    }
    for (size_t i = 0; i < program->calls.count; i++) {
        const struct sw_fit_call *call = &program->calls.items[i];
        if (call->region == number) {
            trade->macs += call->macs;
            trade->tail += sw_fit_tail_of(program, call) + constants * sw_fit_constants(call);
            trade->calls += sw_fit_operators_of(call);
        }
    }
    trade->tail -= SW_MIN(trade->tail, own_tail);
    trade->calls -= region->last - region->first + 1;
    return true;
}

/* The most bytes alive at the calls of each region. False: no memory. */
static bool count_live(const struct sw_fit_program *program, struct sw_fit_trade *trades) {
    struct sw_fit_lives lives = {0};
    uint64_t *live = NULL;
    bool good = sw_fit_count_live(program, &lives, &live);
    for (size_t i = 0; good && i < program->calls.count; i++) {
        if (program->calls.items[i].region != SW_NONE) {
            struct sw_fit_trade *trade = &trades[program->calls.items[i].region];
            trade->live = SW_MAX(trade->live, live[i]);
        }
    }
    SW_ARRAY_DONE(&lives);
    SW_FREE(live, program->calls.count + 1);
    return good;
}

SW_BY_FIELDS(by_live, struct sw_fit_trade, SW_DOWN(live_before), SW_UP(region))

/* The most bytes alive at operators outside of all regions. */
static uint64_t live_in_tail(const struct sw_fit_program *program) {
    const uint64_t *profile = sw_problem_profile(program->problem);
    uint64_t most = 0;
    for (size_t i = 0; i < program->calls.count; i++) {
        if (program->calls.items[i].region == SW_NONE) {
            most = SW_MAX(most, profile[program->calls.items[i].op]);
        }
    }
    return most;
}

bool sw_fit_trades_find(const struct sw_fit_program *program, struct sw_fit_trade *trades) {
    size_t count = program->region_count;
    uint64_t model = 0;
    for (size_t i = 0; i < count; i++) {
        if (!count_region(program, (uint32_t)i, &trades[i])) {
            return false;
        }
    }
    if (count == 0 || !count_live(program, trades)) {
        return count == 0;
    }
    for (uint32_t op = 0; op < sw_problem_operator_count(program->problem); op++) {
        model += sw_problem_operator(program->problem, op)->macs;
    }
    qsort(trades, count, sizeof *trades, by_live);
    uint64_t rest = live_in_tail(program), taken = rest;
    for (size_t i = 0; i < count; i++) {
        taken = SW_MAX(taken, trades[i].live);
        trades[i].model_macs = model;
        trades[i].bound_before = i > 0 ? trades[i - 1].bound : SW_MAX(rest, trades[i].live_before);
        trades[i].bound = SW_MAX(taken, i + 1 < count ? trades[i + 1].live_before : 0);
    }
    return true;
}

int sw_fit_trade_text(const struct sw_fit_trade *trade, char *text, size_t size) {
    char rows[96] = "computes no row twice", work[40] = "", cost[64] = "";
    uint64_t before = trade->planned ? trade->head_before : trade->bound_before,
             then = trade->planned ? trade->head : trade->bound;
    if (trade->again > 0) {
        snprintf(rows, sizeof rows, "computes %s of %s rows %s", SW_COUNT(trade->again), SW_COUNT(trade->rows),
                 trade->times > 2 ? "more than once" : "twice");
    }
    if (trade->model_macs > 0) {
        double more = (double)trade->macs - (double)trade->macs_before;
        snprintf(work, sizeof work, ": %.3f of the work",
                 ((double)trade->model_macs + more) / (double)trade->model_macs);
    }
    if (trade->tail > 0) {
        snprintf(cost, sizeof cost, ", costs %s of the tail", SW_COUNT(trade->tail));
    }
    if (then > before) {
        return snprintf(text, size, "%s%s; the %s grows by %s%s", rows, work, trade->planned ? "head" : "bound",
                        SW_COUNT(then - before), cost);
    }
    if (then == before) {
        return snprintf(text, size, "%s%s; the %s stays%s", rows, work, trade->planned ? "head" : "bound", cost);
    }
    return snprintf(text, size, trade->planned ? "%s%s; saves %s of the head%s" : "%s%s; lowers the bound by %s%s",
                    rows, work, SW_COUNT(before - then), cost);
}

/* ---- which rows are alive when ---- */

void sw_fit_region_calls(const struct sw_fit_program *program, uint32_t region, uint32_t *first, uint32_t *end) {
    *first = *end = 0;
    for (uint32_t i = 0; i < program->calls.count; i++) {
        if (program->calls.items[i].region == region) {
            *first = *end > 0 ? *first : i;
            *end = i + 1;
        }
    }
}

/* Is the tensor made inside of the region, or read by it? */
static bool region_makes(const struct sw_problem *problem, const struct sw_fit_region *region, uint32_t buffer) {
    uint32_t producer = sw_problem_producer(problem, buffer);
    return producer != SW_NONE && producer >= region->first && producer <= region->last;
}

static bool touches(const struct sw_problem *problem, const struct sw_fit_region *region, uint32_t buffer) {
    for (uint32_t op = region->first; op <= region->last; op++) {
        const struct sw_operator *operator_ = sw_problem_operator(problem, op);
        if (sw_refs_name(operator_->inputs, operator_->input_count, buffer)) {
            return true;
        }
    }
    return region_makes(problem, region, buffer);
}

/* Rows that an earlier strip has computed, too, are an item of their own. */
static bool push_rows(struct sw_fit_alive *alive, struct sw_fit_rows_alive item, struct sw_row_range again) {
    const struct sw_row_range rows = item.rows;
    const struct sw_row_range parts[] = {{rows.lo, SW_MIN(rows.hi, again.lo)},
                                         {SW_MAX(rows.lo, again.lo), SW_MIN(rows.hi, again.hi)},
                                         {SW_MAX(rows.lo, again.hi), rows.hi}};
    if (again.lo >= again.hi || again.hi <= rows.lo || again.lo >= rows.hi) {
        return SW_PUSH(alive, item);
    }
    for (size_t i = 0; i < 3; i++) {
        item.rows = parts[i];
        item.again = i == 1;
        if (parts[i].lo < parts[i].hi && !SW_PUSH(alive, item)) {
            return false;
        }
    }
    return true;
}

static bool push_life(const struct sw_fit_program *program, uint32_t number, const struct sw_fit_life *life,
                      uint32_t begin, uint32_t end, struct sw_fit_alive *alive) {
    const struct sw_fit_region *region = &program->regions[number];
    const struct sw_fit_value *value = &program->values.items[life->root];
    if (value->buffer == SW_NONE) { /* scratch of a call has no rows */
        return true;
    }
    bool inner = region_makes(program->problem, region, value->buffer);
    uint64_t rows = (uint64_t)(value->rows.hi - value->rows.lo), bytes = rows > 0 ? value->size / rows : 0;
    if (bytes == 0 || life->last < begin || life->first >= end || !touches(program->problem, region, value->buffer)) {
        return true;
    }
    struct sw_fit_rows_alive item = {.buffer = value->buffer,
                                     .first = SW_MAX(life->first, begin),
                                     .last = SW_MIN(life->last, end - 1),
                                     .strip = SW_NONE};
    int64_t height = (int64_t)sw_fit_rows(program->problem, value->buffer,
                                          sw_problem_operator(program->problem, region->first)->window->axis);
    item.rows.lo = SW_MAX(value->rows.lo + (int64_t)(life->lo / bytes), 0);
    item.rows.hi = SW_MIN(value->rows.lo + (int64_t)((life->hi + bytes - 1) / bytes), height);
    const struct sw_fit_call *from = &program->calls.items[item.first], *to = &program->calls.items[item.last];
    struct sw_row_range again = {0, 0};
    if (inner || !value->whole) { /* else it is there before the region */
        item.strip = from->strip;
        item.kept = value->buffer != sw_problem_operator(program->problem, region->last)->outputs[0].buffer &&
                    item.strip != SW_NONE && to->strip != SW_NONE && to->strip > item.strip;
    }
    if (from->act == SW_FIT_RUN &&
        program->values.items[from->output].buffer == value->buffer) { /* the call that makes them */
        again = sw_fit_rows_again(program, item.first);
    }
    return item.rows.lo >= item.rows.hi || push_rows(alive, item, again);
}

bool sw_fit_alive_find(const struct sw_fit_program *program, uint32_t region, struct sw_fit_alive *alive) {
    struct sw_fit_lives lives = {0};
    uint32_t begin, end;
    bool good = sw_fit_lives(program, &lives);
    sw_fit_region_calls(program, region, &begin, &end);
    for (size_t i = 0; good && i < lives.count; i++) {
        good = push_life(program, region, &lives.items[i], begin, end, alive);
    }
    SW_ARRAY_DONE(&lives);
    return good;
}
