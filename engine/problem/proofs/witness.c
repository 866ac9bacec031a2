/* Why two buffers conflict: one fact, which can be checked by the model alone.
 *
 * On one core that is the first step at which both hold something. On several cores let A be the operators that touch
 * a, and the host, which writes an input before all operators and reads an output after them; B the same of b. They
 * conflict unless all of A comes before all of B, or the reverse. So when they do, one of these is true:
 *   - one operator, or the host, is in both: a shared step;
 *   - one of A comes before one of B and after it comes another of A, or the same with A and B changed: the step in
 *     between is shared, however the cores run;
 *   - one of A and one of B are not ordered.
 * For say none of these. All pairs are ordered then, and each of A comes before all of B or after all of B. Were some
 * before and some after, all of B would lie between them; so all of A is on one side of all of B. */
#include "problem/problem_internal.h"
#include "base/base.h"

static bool is_touched_at(const struct sw_problem *problem, uint32_t step, uint32_t buffer) {
    return sw_problem_reads(problem, step, buffer) || sw_problem_writes(problem, step, buffer);
}

/* The first operator from `at` on that touches the buffer, or SW_NONE. */
static uint32_t next_user(const struct sw_problem *problem, uint32_t buffer, uint32_t at) {
    while (at < problem->operator_count && !is_touched_at(problem, at, buffer)) {
        at++;
    }
    return at < problem->operator_count ? at : SW_NONE;
}

/* Does the buffer hold something while the operator runs, however the cores run: because of what touches it before
 * that one and after it, or because of that one itself? */
static bool holds_during(const struct sw_problem *problem, uint32_t buffer, uint32_t step) {
    const struct sw_buffer *b = &problem->buffers[buffer];
    bool before = b->kind == SW_KIND_INPUT, after = b->output;
    for (uint32_t user = 0; (user = next_user(problem, buffer, user)) != SW_NONE; user++) {
        before |= user == step || sw_problem_ordered(problem, user, step);
        after |= user == step || sw_problem_ordered(problem, step, user);
    }
    return before && after;
}

/* The first step that they share for certain, or SW_NONE. */
static uint32_t certain_step(const struct sw_problem *problem, uint32_t a, uint32_t b) {
    const struct sw_buffer *x = &problem->buffers[a], *y = &problem->buffers[b];
    if (x->kind == SW_KIND_INPUT && y->kind == SW_KIND_INPUT) {
        return 0;
    }
    for (uint32_t step = 0; step < problem->operator_count; step++) {
        bool of_a = is_touched_at(problem, step, a), of_b = is_touched_at(problem, step, b);
        if ((of_a || of_b) && (of_a || holds_during(problem, a, step)) && (of_b || holds_during(problem, b, step))) {
            return step;
        }
    }
    return x->output && y->output ? problem->steps - 1 : SW_NONE;
}

/* The first pair of operators that are not ordered. */
static struct sw_witness unordered_pair(const struct sw_problem *problem, uint32_t a, uint32_t b) {
    for (uint32_t x = 0; (x = next_user(problem, a, x)) != SW_NONE; x++) {
        for (uint32_t y = 0; (y = next_user(problem, b, y)) != SW_NONE; y++) {
            if (x != y && !sw_problem_ordered(problem, x, y) && !sw_problem_ordered(problem, y, x)) {
                return (struct sw_witness){SW_WITNESS_UNORDERED, SW_NONE, x, y};
            }
        }
    }
    return (struct sw_witness){SW_WITNESS_SEPARATE, SW_NONE, SW_NONE, SW_NONE};
}

/* Its life was given, or no operator touches it: steps order it, on several cores as well. */
static bool is_ordered_by_step(const struct sw_problem *problem, uint32_t buffer) {
    return problem->buffers[buffer].lifetime_given || next_user(problem, buffer, 0) == SW_NONE;
}

struct sw_witness sw_problem_witness(const struct sw_problem *problem, uint32_t a, uint32_t b) {
    struct sw_witness found = {SW_WITNESS_NONE, SW_NONE, SW_NONE, SW_NONE};
    if (sw_problem_conflict(problem, a, b) == SW_CONFLICT_NONE) {
        return found;
    }
    bool steps = problem->core_count == 1 || is_ordered_by_step(problem, a) || is_ordered_by_step(problem, b);
    found.kind = SW_WITNESS_STEP;
    found.step =
        steps ? sw_pieces_first_common(&problem->buffers[a], &problem->buffers[b]) : certain_step(problem, a, b);
    if (found.step == SW_NONE && !steps) {
        return unordered_pair(problem, a, b);
    }
    found.kind = found.step == SW_NONE ? SW_WITNESS_SEPARATE : SW_WITNESS_STEP;
    return found;
}

/* ---- in words ---- */

static int shown_bytes_of(const char *name, unsigned most) {
    return (int)sw_utf8_cut(name, strlen(name), most);
}

int sw_witness_describe(const struct sw_problem *problem, const struct sw_witness *witness, unsigned most, char *text,
                        size_t size) {
    if (witness->kind == SW_WITNESS_STEP && witness->step < problem->operator_count) {
        const char *name = problem->operators[witness->step].name;
        return snprintf(text, size, "both are needed at step %u (%.*s)", witness->step, shown_bytes_of(name, most),
                        name);
    }
    if (witness->kind == SW_WITNESS_STEP) {
        return snprintf(text, size, "both are needed at time %lld", (long long)sw_problem_time(problem, witness->step));
    }
    if (witness->kind == SW_WITNESS_UNORDERED) {
        const struct sw_operator *a = &problem->operators[witness->of_a], *b = &problem->operators[witness->of_b];
        const char *of_a = problem->cores[a->core], *of_b = problem->cores[b->core];
        of_a = *of_a ? of_a : "the core without a name";
        of_b = *of_b ? of_b : "the core without a name";
        return snprintf(text, size, "%.*s on %.*s and %.*s on %.*s are not ordered by any synchronisation",
                        shown_bytes_of(a->name, most), a->name, shown_bytes_of(of_a, most), of_a,
                        shown_bytes_of(b->name, most), b->name, shown_bytes_of(of_b, most), of_b);
    }
    return snprintf(text, size, "%s",
                    witness->kind == SW_WITNESS_SEPARATE ? "the input keeps them separate" : "they do not conflict");
}

int sw_conflict_phrase(const struct sw_problem *problem, uint32_t buffer, uint32_t other, char *text, size_t size) {
    enum { SHOWN_OF_A_NAME = 24 };
    const struct sw_buffer *b = sw_problem_buffer(problem, other);
    struct sw_witness witness = sw_problem_witness(problem, buffer, other);
    char why[SW_WITNESS_TEXT];
    if (sw_problem_core_count(problem) == 1 && witness.kind != SW_WITNESS_SEPARATE) {
        return snprintf(text, size, ", alive %lld..%lld", (long long)sw_problem_time(problem, b->first),
                        (long long)sw_problem_time(problem, b->last + 1) - 1);
    }
    sw_witness_describe(problem, &witness, SHOWN_OF_A_NAME, why, sizeof why);
    return snprintf(text, size, ": %s", why);
}
