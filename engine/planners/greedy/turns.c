/* Why one block has its turn before another, by the orders in which planners take them: in a clause, for people that
 * compare two planners. Each figure in it is looked up in the problem, not in the planner's list. */
#include "base/base.h"
#include "planners/planner_internal.h"

/* What a clause is about. */
struct turn_pair {
    const struct sw_problem *problem;
    const struct sw_buffer *taken, *other;
    char name[SW_SHORT_NAME]; /* of the other */
};

static struct turn_pair turn_pair_of(const struct sw_problem *problem, uint32_t taken, uint32_t other) {
    struct turn_pair pair = {
        .problem = problem, .taken = sw_problem_buffer(problem, taken), .other = sw_problem_buffer(problem, other)};
    char text[SW_SHORT_NAME];
    snprintf(pair.name, sizeof pair.name, "%s", sw_place_name(problem, other, text));
    return pair;
}

/* By program order, after `before`: what decides first, "" where nothing does. */
static bool program_clause(const struct turn_pair *pair, const char *before, char *text, size_t size) {
    const struct sw_buffer *a = pair->taken, *b = pair->other;
    if (a->first < b->first) {
        snprintf(text, size, "%s in program order (alive from %" PRId64 ", %s from %" PRId64 ")", before,
                 sw_problem_time(pair->problem, a->first), pair->name, sw_problem_time(pair->problem, b->first));
    } else if (a->first == b->first && a < b) {
        snprintf(text, size, "%s as listed (%s is alive from %" PRId64 ", too)", before, pair->name,
                 sw_problem_time(pair->problem, a->first));
    }
    return a->first < b->first || (a->first == b->first && a < b);
}

bool sw_turn_by_program(const struct sw_problem *problem, uint32_t taken, uint32_t other, char *text, size_t size) {
    struct turn_pair pair = turn_pair_of(problem, taken, other);
    return program_clause(&pair, "it comes first", text, size);
}

static bool size_clause(const struct turn_pair *pair, const char *before, char *text, size_t size) {
    char equal[SW_SHORT_NAME + 80];
    if (pair->taken->size > pair->other->size) {
        snprintf(text, size, "%slarger (%s; %s has %s)", before, SW_BYTES(pair->taken->size), pair->name,
                 SW_BYTES(pair->other->size));
        return true;
    }
    snprintf(equal, sizeof equal, "%sequal in size (%s), and first", before, SW_BYTES(pair->taken->size));
    return pair->taken->size == pair->other->size && program_clause(pair, equal, text, size);
}

bool sw_turn_by_size(const struct sw_problem *problem, uint32_t taken, uint32_t other, char *text, size_t size) {
    struct turn_pair pair = turn_pair_of(problem, taken, other);
    return size_clause(&pair, "it is ", text, size);
}

bool sw_turn_by_rounded_size(const struct sw_problem *problem, uint32_t taken, uint32_t other, char *text,
                             size_t size) {
    struct turn_pair pair = turn_pair_of(problem, taken, other);
    uint64_t mine = sw_align_up(pair.taken->size, SW_PLACE_GRAIN);
    uint64_t its = sw_align_up(pair.other->size, SW_PLACE_GRAIN);
    if (mine > its) {
        snprintf(text, size, "it is larger, rounded up to %d (%s; %s takes %s)", (int)SW_PLACE_GRAIN, SW_BYTES(mine),
                 pair.name, SW_BYTES(its));
    } else {
        snprintf(text, size, "it is as large as %s, rounded up to %d (%s), and listed later", pair.name,
                 (int)SW_PLACE_GRAIN, SW_BYTES(mine));
    }
    return mine > its || (mine == its && taken > other);
}

/* ---- by breadth ---- */

/* The broadest step at which the buffer is alive, the earliest of equal ones. `live`: bytes alive at each step. */
static uint32_t broadest_step(const struct sw_buffer *buffer, const uint64_t *live, uint32_t steps) {
    uint32_t best = buffer->first;
    bool pieces = buffer->piece_count > 0;
    for (uint32_t s = buffer->first; s <= buffer->last && s < steps; s++) {
        if ((!pieces || sw_buffer_alive(buffer, s)) && live[s] > live[best]) {
            best = s;
        }
    }
    return best;
}

/* "pw_1", or "time 5" where there are no operators. */
static const char *step_name(const struct sw_problem *problem, uint32_t step, char text[SW_SHORT_NAME]) {
    if (step < sw_problem_operator_count(problem)) {
        snprintf(text, SW_SHORT_NAME, "%.47s", sw_problem_operator(problem, step)->name);
    } else {
        snprintf(text, SW_SHORT_NAME, "time %" PRId64, sw_problem_time(problem, step));
    }
    return text;
}

static bool breadth_clause(const struct turn_pair *pair, const uint64_t *live, char *text, size_t size) {
    uint32_t steps = sw_problem_steps(pair->problem);
    uint32_t mine = broadest_step(pair->taken, live, steps), its = broadest_step(pair->other, live, steps);
    char at[SW_SHORT_NAME], other[SW_SHORT_NAME], before[SW_SHORT_NAME + 60];
    step_name(pair->problem, mine, at);
    if (mine == its) {
        snprintf(before, sizeof before, "alive at %s as well as that, it is ", at);
        return size_clause(pair, before, text, size);
    }
    if (live[mine] > live[its]) {
        snprintf(text, size, "it is alive at %s, where %s are alive; %s never where more than %s are", at,
                 SW_BYTES(live[mine]), pair->name, SW_BYTES(live[its]));
    } else {
        snprintf(text, size, "it is alive at %s, where %s are alive, as at %s, where %s is, but earlier", at,
                 SW_BYTES(live[mine]), step_name(pair->problem, its, other), pair->name);
    }
    return live[mine] > live[its] || (live[mine] == live[its] && mine < its);
}

bool sw_turn_by_breadth(const struct sw_problem *problem, uint32_t taken, uint32_t other, char *text, size_t size) {
    uint32_t steps = sw_problem_steps(problem);
    uint64_t *live = SW_NEW(uint64_t, steps);
    if (live) {
        sw_breadth_of(problem, live);
    }
    struct turn_pair pair = turn_pair_of(problem, taken, other);
    bool known = live && breadth_clause(&pair, live, text, size);
    SW_FREE(live, steps);
    return known;
}
