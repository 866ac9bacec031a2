/* Why two buffers conflict, on random problems of one core and of several.
 *
 * - There is a witness just where there is a conflict.
 * - UNORDERED: one operator touches a, the other b, they run on two cores, neither comes before the other, and there
 *   is no operator that touches both.
 * - STEP, on one core: both have a piece there, and at no earlier step.
 * - STEP, on several: in every schedule both are needed while that operator runs. Schedules are drawn at random: orders
 * of the operators that keep program order on each core and `after`.
 * - SEPARATE: the input lists the pair. */
#include "share.h"
#include "model.h"

#include <stdio.h>
#include <string.h>

enum { PROBLEMS = 6000, SCHEDULES = 12 };

static uint64_t seen[4], on_cores, shared_by_none;

/* ---- restated ---- */

/* Position of each operator in an order that respects `before`. */
static void draw_schedule(const struct model *m, uint64_t *r, int position[MAX_OPERATORS]) {
    bool done[MAX_OPERATORS] = {false};
    for (int at = 0; at < m->operator_count; at++) {
        int ready[MAX_OPERATORS], count = 0;
        for (int o = 0; o < m->operator_count; o++) {
            bool free_ = !done[o];
            for (int p = 0; p < m->operator_count; p++) {
                free_ = free_ && (done[p] || !m->before[p][o]);
            }
            if (free_) {
                ready[count++] = o;
            }
        }
        int next = ready[sw_random_below(r, (uint64_t)count)];
        done[next] = true;
        position[next] = at;
    }
}

static bool needed_at(const struct model *m, int buffer, const int *position, int at) {
    const struct model_buffer *b = &m->buffers[buffer];
    bool before = b->kind == SW_KIND_INPUT, after = b->kind == SW_KIND_OUTPUT;
    for (int o = 0; o < m->operator_count; o++) {
        before |= b->touched[o] && position[o] <= at;
        after |= b->touched[o] && position[o] >= at;
    }
    return before && after;
}

static bool by_time(const struct model *m, int a) {
    const struct model_buffer *b = &m->buffers[a];
    bool touched = false;
    for (int o = 0; o < m->operator_count; o++) {
        touched |= b->touched[o];
    }
    return m->cores == 1 || b->pieces > 0 || !touched;
}

static bool is_separate(const struct model *m, int a, int b) {
    for (int i = 0; i < m->separate_count; i++) {
        const int *pair = m->separate[i];
        if ((pair[0] == a && pair[1] == b) || (pair[0] == b && pair[1] == a)) {
            return true;
        }
    }
    return false;
}

static bool holds(const struct sw_buffer *b, uint32_t step) {
    for (uint32_t i = 0; i < b->piece_count; i++) {
        if (b->pieces[i].first <= step && step <= b->pieces[i].last) {
            return true;
        }
    }
    return false;
}

/* ---- judged ---- */

static void judge_step(const struct model *m, const struct sw_problem *problem, int a, int b,
                       const struct sw_witness *w) {
    if (by_time(m, a) || by_time(m, b)) {
        const struct sw_buffer *x = sw_problem_buffer(problem, (uint32_t)a);
        const struct sw_buffer *y = sw_problem_buffer(problem, (uint32_t)b);
        check_that(holds(x, w->step) && holds(y, w->step), m, "witness", "%d and %d do not share step %u", a, b,
                   w->step);
        for (uint32_t s = 0; s < w->step; s++) {
            check_that(!holds(x, s) || !holds(y, s), m, "witness", "%d and %d share step %u before %u", a, b, s,
                       w->step);
        }
        return;
    }
    uint64_t r = m->seed * 31 + (uint64_t)a * 7 + (uint64_t)b;
    int position[MAX_OPERATORS] = {0};
    bool host = m->operator_count == 0 || w->step >= (uint32_t)m->operator_count;
    for (int i = 0; i < SCHEDULES && !host; i++) {
        draw_schedule(m, &r, position);
        int at = w->step == 0 && m->buffers[a].kind == SW_KIND_INPUT && m->buffers[b].kind == SW_KIND_INPUT
                     ? -1
                     : position[w->step];
        bool both = at < 0 || (needed_at(m, a, position, at) && needed_at(m, b, position, at));
        bool end = m->buffers[a].kind == SW_KIND_OUTPUT && m->buffers[b].kind == SW_KIND_OUTPUT;
        check_that(both || end, m, "witness", "b%d and b%d are not both needed at op %u", a, b, w->step);
    }
}

static void judge_unordered(const struct model *m, int a, int b, const struct sw_witness *w) {
    check_that(w->of_a < (uint32_t)m->operator_count && w->of_b < (uint32_t)m->operator_count, m, "witness",
               "no operators");
    check_that(m->buffers[a].touched[w->of_a] && m->buffers[b].touched[w->of_b], m, "witness",
               "%u does not touch %d, or %u not %d", w->of_a, a, w->of_b, b);
    check_that(!m->before[w->of_a][w->of_b] && !m->before[w->of_b][w->of_a] &&
                   m->operators[w->of_a].core != m->operators[w->of_b].core,
               m, "witness", "%u and %u are ordered", w->of_a, w->of_b);
    for (int o = 0; o < m->operator_count; o++) {
        check_that(!m->buffers[a].touched[o] || !m->buffers[b].touched[o], m, "witness",
                   "%d touches both %d and %d, and something else is told", o, a, b);
    }
}

static void judge(const struct model *m, const struct sw_problem *problem, int a, int b) {
    struct sw_witness w = sw_problem_witness(problem, (uint32_t)a, (uint32_t)b);
    enum sw_conflict conflict = sw_problem_conflict(problem, (uint32_t)a, (uint32_t)b);
    char text[SW_WITNESS_TEXT];
    check_that((w.kind == SW_WITNESS_NONE) == (conflict == SW_CONFLICT_NONE), m, "witness",
               "%d and %d: conflict %d, witness %d", a, b, (int)conflict, (int)w.kind);
    check_that(sw_witness_describe(problem, &w, 24, text, sizeof text) < (int)sizeof text, m, "witness", "'%s' is cut",
               text);
    seen[w.kind]++;
    on_cores += m->cores > 1;
    if (w.kind == SW_WITNESS_STEP) {
        judge_step(m, problem, a, b, &w);
    } else if (w.kind == SW_WITNESS_UNORDERED) {
        judge_unordered(m, a, b, &w);
    } else if (w.kind == SW_WITNESS_SEPARATE) {
        check_that(is_separate(m, a, b), m, "witness", "%d and %d are not kept separate", a, b);
        shared_by_none++;
    }
}

int main(void) {
    uint64_t first = base_seed();
    static struct model model;
    for (uint64_t seed = first + first_case(PROBLEMS), seed_end = seed + cases(PROBLEMS); seed < seed_end; seed++) {
        model_draw(&model, seed);
        struct sw_problem *problem = model_build(&model, NULL);
        for (int a = 0; a < model.buffer_count; a++) {
            for (int b = 0; b < model.buffer_count; b++) {
                if (a != b) {
                    judge(&model, problem, a, b);
                }
            }
        }
        sw_problem_unref(problem);
    }
    check_that(seen[SW_WITNESS_UNORDERED] > 100 && shared_by_none > 0, &model, "witness", "too few of a kind");
    printf("%llu pairs without a conflict, %llu that share a step, %llu not ordered, %llu kept "
           "separate; %llu on "
           "several cores, from seed %llu\n",
           (unsigned long long)seen[SW_WITNESS_NONE], (unsigned long long)seen[SW_WITNESS_STEP],
           (unsigned long long)seen[SW_WITNESS_UNORDERED], (unsigned long long)seen[SW_WITNESS_SEPARATE],
           (unsigned long long)on_cores, (unsigned long long)first);
    return 0;
}
