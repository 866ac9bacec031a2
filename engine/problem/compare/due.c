#include "problem/compare/due.h"
#include "base/base.h"

struct due_search {
    const struct sw_pairing *pairing;
    const struct sw_due_sides *sides;
    struct sw_due *due;
    unsigned waiting;       /* kinds that are made, and have no part yet */
    uint64_t figure, bound; /* as they are, with all that has one */
};

static void add_part(struct due_search *s, unsigned kinds, int64_t figure, int64_t bound) {
    s->due->parts[s->due->count++] = (struct sw_due_part){kinds, figure, bound};
}

/* The figure of the old planner, or the lower bound. */
static bool measure_due(const struct due_search *s, const struct sw_problem *problem, bool *known, uint64_t *figure,
                        struct sw_error *error) {
    *known = true;
    *figure = sw_problem_lower_bound(problem);
    return s->due->by_bound || s->sides->figure(s->sides->context, problem, known, figure, error);
}

/* `last`: after this kind the model is the new one, of which the figure is known unless the planner is another. */
static bool make_kind(struct due_search *s, enum sw_due_kind kind, bool last, struct sw_error *error) {
    struct sw_error why = {0};
    struct sw_problem *problem = sw_problem_between(s->pairing, last ? SW_DUE_REST : kind, &why);
    uint64_t figure = s->sides->fresh, bound = problem ? sw_problem_lower_bound(problem) : 0;
    bool known = problem != NULL, good = true;
    s->waiting |= SW_DUE(kind);
    if (!problem) {
        return why.code != SW_ERROR_MEMORY || sw_fail_memory(error);
    }
    if (!last || s->sides->other || s->due->by_bound) {
        good = measure_due(s, problem, &known, &figure, error);
    }
    sw_problem_unref(problem);
    if (good && known) {
        add_part(s, s->waiting, (int64_t)(figure - s->figure), (int64_t)(bound - s->bound));
        s->waiting = 0;
        s->figure = figure;
        s->bound = bound;
    }
    return good;
}

/* `found`: each kind has its part. */
static bool find_parts(struct due_search *s, unsigned model, bool *found, struct sw_error *error) {
    const struct sw_problem *old = s->pairing->problems[0];
    bool known = true, good = true;
    s->due->count = s->waiting = 0;
    s->bound = sw_problem_lower_bound(old);
    s->figure = s->sides->old;
    if (model && (s->due->by_bound || s->sides->again)) {
        good = measure_due(s, old, &known, &s->figure, error);
    }
    for (int kind = 0; good && known && kind < SW_DUE_PLANNER; kind++) {
        if (model & SW_DUE(kind)) {
            good = make_kind(s, (enum sw_due_kind)kind, model >> kind == 1, error);
        }
    }
    *found = known && !s->waiting;
    return good;
}

bool sw_due_find(const struct sw_pairing *pairing, const struct sw_due_sides *sides, struct sw_due *due,
                 struct sw_error *error) {
    struct due_search s = {.pairing = pairing, .sides = sides, .due = due};
    unsigned model = 0;
    bool found = false;
    *due = (struct sw_due){.by_bound = !sides->figure};
    if (!sw_between_kinds(pairing, &model)) {
        return sw_fail_memory(error);
    }
    bool good = find_parts(&s, model, &found, error);
    if (good && !found) {
        due->by_bound = true;
        good = find_parts(&s, model, &found, error);
    }
    int64_t rest = (int64_t)(sides->fresh - sides->old);
    for (size_t i = 0; good && i < due->count; i++) {
        rest -= due->parts[i].figure;
    }
    due->kinds = model;
    if (good && (rest != 0 || sides->other)) { /* what is not the model's */
        due->kinds |= SW_DUE(SW_DUE_PLANNER);
        add_part(&s, SW_DUE(SW_DUE_PLANNER), rest, 0);
    }
    return good;
}
