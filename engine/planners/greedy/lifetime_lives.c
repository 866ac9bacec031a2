/* lifetime-best-fit, rule 1: how lifetimes come into being.
 *
 * The problem has them already, and by them the run is planned. With events=true the run begins with the steps by which
 * they come about, each a decision: every lifetime begins and ends where its buffer is born; operator after operator
 * widens those of what it uses to itself; what the file says otherwise, and outputs that live to the last step, get
 * their ends last. After that the ends are those of the problem. Nothing else of the run depends on these steps. */
#include "planners/greedy/lifetime_internal.h"

bool sw_lifetime_begin_lives(struct sw_lifetime_fit *fit, const struct sw_run *run) {
    uint32_t count = sw_problem_buffer_count(fit->problem);
    if (!sw_params_bool(run->params, run->planner, "events")) {
        return true;
    }
    fit->ends = SW_NEW(uint32_t, count);
    sw_fill_none(fit->ends, fit->ends ? count : 0);
    fit->lives = true;
    return fit->ends != NULL;
}

static void tell_end(struct sw_lifetime_fit *fit, uint32_t b, uint32_t last, bool used, const char *reason,
                     struct sw_decision *decision) {
    sw_decision_begin(decision, SW_DECISION_WIDEN, 0, reason);
    decision->buffer = b;
    decision->size = sw_problem_buffer(fit->problem, b)->size;
    decision->time = last;
    decision->widen.used = used;
    decision->widen.ended = sw_problem_time_is_step(fit->problem) ? fit->ends[b] : SW_NONE;
    fit->ends[b] = last;
}

/* The buffer that argument `use` of an operator names: outputs come after inputs, scratch after them. */
static uint32_t argument_in_life(const struct sw_operator *op, uint32_t use) {
    return use < op->input_count                      ? op->inputs[use].buffer
           : use < op->input_count + op->output_count ? op->outputs[use - op->input_count].buffer
                                                      : op->scratch[use - op->input_count - op->output_count].buffer;
}

/* The next operator that uses a buffer later than all before it. */
static bool widen_by_operator(struct sw_lifetime_fit *fit, const struct sw_problem *users,
                              struct sw_decision *decision) {
    for (; fit->life_at < sw_problem_operator_count(fit->problem); fit->life_at++, fit->life_use = 0) {
        const struct sw_operator *op = sw_problem_operator(fit->problem, fit->life_at);
        uint32_t count = op->input_count + op->output_count + op->scratch_count;
        while (fit->life_use < count) {
            uint32_t b = argument_in_life(op, fit->life_use++);
            const struct sw_buffer *buffer = sw_problem_buffer(users, b);
            if (buffer->planned && !buffer->lifetime_given && fit->ends[b] < fit->life_at) {
                tell_end(fit, b, fit->life_at, true, "", decision);
                return true;
            }
        }
    }
    return false;
}

/* The next buffer of which the operators do not say all. */
static bool widen_by_rule(struct sw_lifetime_fit *fit, const struct sw_problem *users, struct sw_decision *decision) {
    uint32_t operators = sw_problem_operator_count(fit->problem);
    for (; fit->life_at - operators < sw_problem_planned_count(fit->problem); fit->life_at++) {
        uint32_t b = sw_problem_order(fit->problem)[fit->life_at - operators];
        uint32_t last = sw_problem_buffer(fit->problem, b)->last;
        if (fit->ends[b] != last) {
            const struct sw_buffer *buffer = sw_problem_buffer(users, b);
            tell_end(fit, b, last, false,
                     buffer->lifetime_given ? "the file gives its lifetime"
                     : buffer->output       ? "an output of the network lives to the last step"
                                            : "the model says so",
                     decision);
            return true;
        }
    }
    return false;
}

bool sw_lifetime_widen(struct sw_lifetime_fit *fit, struct sw_run *run, const struct sw_run *shown,
                       struct sw_decision *decision) {
    uint32_t count = sw_problem_planned_count(fit->problem);
    run->work++;
    if (!fit->begun) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t b = sw_problem_order(fit->problem)[i];
            fit->ends[b] = sw_problem_buffer(fit->problem, b)->first;
        }
        sw_decision_begin(decision, SW_DECISION_DERIVE, 0, "each ends there, until an operator uses it later");
        decision->derive.buffers = count;
        fit->begun = true;
        return true;
    }
    fit->lives = widen_by_operator(fit, shown->problem, decision) || widen_by_rule(fit, shown->problem, decision);
    return fit->lives;
}
