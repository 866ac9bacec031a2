/* What a change of the model comes to (problem/change/change.h), on random problems: the bound that is foretold is that
 * of the problem with the change made. The change is made twice. Once the engine makes it, and the problem that comes
 * of it is added up here piece by piece; once the changed operator is written down here anew. A run of the changed
 * graph computes the same as one of the graph before. */
#include "share.h"
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHARE = 1000, FULL = 10000, MOST = 64 };

struct counts {
    uint64_t spills, recomputed, inplace, marked, together, refused, lower, higher;
};

static uint64_t below(uint64_t *state, uint64_t bound) {
    return sw_random_below(state, bound);
}

/* ---- a graph as plain lists, its lifetimes and what is alive ---- */

struct list {
    int items[MOST], count;
};
struct step {
    struct list inputs, outputs, scratch;
};
struct flow {
    struct step steps[MAX_OPERATORS + 1];
    int step_count, buffer_count;
    uint64_t size[MOST];
    enum sw_kind kind[MOST];
};

static void add(struct list *list, int item) {
    for (int i = 0; i < list->count; i++) {
        if (list->items[i] == item) {
            return;
        }
    }
    list->items[list->count++] = item;
}

static bool listed(const struct list *list, int item) {
    for (int i = 0; i < list->count; i++) {
        if (list->items[i] == item) {
            return true;
        }
    }
    return false;
}

static void flow_of(struct flow *flow, const struct model *m) {
    *flow = (struct flow){.step_count = m->operator_count, .buffer_count = m->buffer_count};
    for (int b = 0; b < m->buffer_count; b++) {
        flow->size[b] = m->buffers[b].planned ? m->buffers[b].size : 0;
        flow->kind[b] = m->buffers[b].kind;
    }
    for (int o = 0; o < m->operator_count; o++) {
        const struct model_operator *op = &m->operators[o];
        for (int i = 0; i < op->input_count; i++) {
            add(&flow->steps[o].inputs, op->inputs[i]);
        }
        for (int i = 0; i < op->output_count; i++) {
            add(&flow->steps[o].outputs, op->outputs[i]);
        }
        for (int i = 0; i < op->scratch_count; i++) {
            add(&flow->steps[o].scratch, op->scratch[i]);
        }
    }
}

static bool uses(const struct step *step, int buffer) {
    return listed(&step->inputs, buffer) || listed(&step->outputs, buffer) || listed(&step->scratch, buffer);
}

/* First and last step of a buffer; false: it has no life. */
static bool life(const struct flow *flow, int buffer, int *first, int *last) {
    *first = *last = -1;
    for (int s = 0; s < flow->step_count; s++) {
        if (uses(&flow->steps[s], buffer)) {
            *first = *first < 0 ? s : *first;
            *last = s;
        }
    }
    if (flow->kind[buffer] == SW_KIND_INPUT) {
        *first = 0;
        *last = *last < 0 ? 0 : *last;
    }
    if (flow->kind[buffer] == SW_KIND_OUTPUT) {
        *last = flow->step_count - 1;
    }
    return *first >= 0;
}

/* The largest sum, leaving out `without` at the steps strictly between two. */
static uint64_t most_alive(const struct flow *flow, int without, int from, int to) {
    uint64_t most = 0;
    for (int s = 0; s < flow->step_count; s++) {
        uint64_t sum = 0;
        for (int b = 0; b < flow->buffer_count; b++) {
            int first, last;
            bool away = b == without && from < s && s < to;
            if (!away && life(flow, b, &first, &last) && first <= s && s <= last) {
                sum += flow->size[b];
            }
        }
        most = sum > most ? sum : most;
    }
    return most;
}

/* Between which uses a buffer waits at a step. */
static bool waits(const struct flow *flow, int buffer, int step, int *from, int *to) {
    int first, last;
    if (flow->size[buffer] == 0 || !life(flow, buffer, &first, &last) || step <= first || step >= last ||
        uses(&flow->steps[step], buffer)) {
        return false;
    }
    for (*from = step; *from > first && !uses(&flow->steps[*from], buffer);) {
        --*from;
    }
    for (*to = step; *to < last && !uses(&flow->steps[*to], buffer);) {
        ++*to;
    }
    return true;
}

static int copy_buffer(struct flow *flow, int buffer) {
    flow->size[flow->buffer_count] = flow->size[buffer];
    flow->kind[flow->buffer_count] = SW_KIND_INTERMEDIATE;
    return flow->buffer_count++;
}

/* The operator `made` once more before `to`, with outputs and workspaces of its own; what reads the buffer
 * from there on reads the new one. */
static void write_again(struct flow *flow, int buffer, int made, int to) {
    struct step again = flow->steps[made];
    int fresh[MOST];
    for (int i = 0; i < again.outputs.count; i++) {
        fresh[i] = copy_buffer(flow, again.outputs.items[i]);
    }
    for (int s = to; s < flow->step_count; s++) {
        struct list *inputs = &flow->steps[s].inputs;
        for (int i = 0; i < inputs->count; i++) {
            for (int k = 0; k < again.outputs.count; k++) {
                if (inputs->items[i] == buffer && again.outputs.items[k] == buffer) {
                    inputs->items[i] = fresh[k];
                    break;
                }
            }
        }
    }
    for (int i = 0; i < again.outputs.count; i++) {
        again.outputs.items[i] = fresh[i];
    }
    for (int i = 0; i < again.scratch.count; i++) {
        again.scratch.items[i] = copy_buffer(flow, again.scratch.items[i]);
    }
    for (int s = flow->step_count++; s > to; s--) {
        flow->steps[s] = flow->steps[s - 1];
    }
    flow->steps[to] = again;
}

/* ---- the changed problem, added up piece by piece ---- */

/* The most that permits of one step save: each fresh one over one old one, all ways tried. */
static uint64_t best_sharing(const struct sw_problem *problem, const struct sw_permit *permits, size_t count,
                             uint32_t step, size_t at, uint64_t olds, uint64_t freshes) {
    if (at == count) {
        return 0;
    }
    uint64_t without = best_sharing(problem, permits, count, step, at + 1, olds, freshes), with = 0;
    uint64_t old = UINT64_C(1) << permits[at].old % 64, fresh = UINT64_C(1) << permits[at].fresh % 64;
    if (permits[at].step == step && !(olds & old) && !(freshes & fresh)) {
        with = sw_problem_buffer(problem, permits[at].fresh)->size +
               best_sharing(problem, permits, count, step, at + 1, olds | old, freshes | fresh);
    }
    return with > without ? with : without;
}

static uint64_t alive_at(const struct sw_problem *problem, uint32_t step) {
    uint64_t sum = 0;
    size_t count, mine = 0;
    struct sw_permit here[64];
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        for (uint32_t i = 0; i < buffer->piece_count; i++) {
            const struct sw_piece *piece = &buffer->pieces[i];
            sum += piece->first <= step && step <= piece->last ? piece->hi - piece->lo : 0;
        }
    }
    const struct sw_permit *permits = sw_problem_permits(problem, &count);
    for (size_t i = 0; i < count && mine < 64; i++) {
        if (permits[i].step == step) {
            here[mine++] = permits[i];
        }
    }
    return sum - best_sharing(problem, here, mine, step, 0, 0, 0);
}

/* The step of the changed problem that a step before has become part of. */
static uint32_t covering(const struct sw_problem *before, const struct sw_problem *changed, uint32_t step) {
    uint32_t found = 0;
    for (uint32_t s = 0; s < sw_problem_steps(changed); s++) {
        found = sw_problem_time(changed, s) <= sw_problem_time(before, step) ? s : found;
    }
    return found;
}

static void check_figures(const struct model *m, const struct sw_problem *before, const struct sw_problem *changed,
                          const struct sw_changed_bound *bound, const char *what) {
    uint64_t most = 0;
    uint32_t step = 0, met = 0;
    for (uint32_t s = 0; s < sw_problem_steps(changed); s++) {
        uint64_t sum = alive_at(changed, s);
        met = sum > most ? 0 : met;
        step = sum > most ? s : step;
        most = sum > most ? sum : most;
        met += sum == most;
    }
    bool merged = m->operator_count == 0 && sw_problem_steps(changed) < sw_problem_steps(before);
    if (merged) { /* a time that only the changed buffer knew is no step any more */
        check_that(step == covering(before, changed, bound->step) && met <= bound->met, m, what, "met at %u, not %u",
                   step, bound->step);
        step = bound->step;
        met = bound->met;
    }
    check_that(most == bound->bytes && step == bound->step && met == bound->met, m, what,
               "%llu alive at %u, met %u times; foretold %llu at %u, %u times", (unsigned long long)most, step, met,
               (unsigned long long)bound->bytes, bound->step, bound->met);
    check_that(sw_problem_lower_bound(changed) == most, m, what, "its bound is another");
    if (m->operator_count > 0) {
        const char *there = sw_problem_operator(changed, bound->step)->name;
        check_that((bound->was == SW_NONE) == (sw_problem_find_operator(before, there) == SW_NONE), m, what,
                   "met at %s, %u before", there, bound->was);
        check_that(bound->was == SW_NONE || strcmp(there, sw_problem_operator(before, bound->was)->name) == 0, m, what,
                   "met at %s, %u before", there, bound->was);
    }
}

/* ---- running both graphs ---- */

static uint64_t hash_name(const char *name) { /* without "_again" */
    const char *end = strstr(name, "_again");
    return sw_fold_bytes(7, name, end ? (size_t)(end - name) : strlen(name));
}

/* Every operator's outputs are made from its name, which output it is, and its inputs; what each operator
 * read goes to `read` by its name's place in `names`. */
static uint64_t run(const struct sw_problem *problem, const struct sw_problem *names, uint64_t *read) {
    uint64_t held[MOST] = {0}, results = 0;
    for (uint32_t b = 0; b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        bool host = buffer->kind == SW_KIND_INPUT || buffer->kind == SW_KIND_CONSTANT;
        held[b] = host ? hash_name(buffer->name) : 0;
    }
    for (uint32_t s = 0; s < sw_problem_operator_count(problem); s++) {
        const struct sw_operator *op = sw_problem_operator(problem, s);
        uint64_t hash = hash_name(op->name);
        for (uint32_t i = 0; i < op->input_count; i++) {
            hash = sw_fold(hash, held[op->inputs[i].buffer]);
        }
        for (uint32_t i = 0; i < op->scratch_count; i++) {
            held[op->scratch[i].buffer] = sw_fold(s, 99);
        }
        for (uint32_t i = 0; i < op->output_count; i++) {
            held[op->outputs[i].buffer] = sw_fold(hash, i);
        }
        uint32_t number = sw_problem_find_operator(names, op->name);
        if (number != SW_NONE) {
            read[number] = hash;
        }
    }
    for (uint32_t b = 0; b < sw_problem_buffer_count(names); b++) {
        if (sw_problem_buffer(names, b)->kind == SW_KIND_OUTPUT) {
            results = sw_fold(results, held[b]);
        }
    }
    return results;
}

static void check_run(const struct model *m, const struct sw_problem *before, const struct sw_problem *after,
                      const char *what) {
    uint64_t one[MAX_OPERATORS] = {0}, two[MAX_OPERATORS] = {0};
    check_that(run(before, before, one) == run(after, before, two), m, what, "other results");
    check_that(memcmp(one, two, sizeof one) == 0, m, what, "an operator computes another thing");
}

/* ---- one change, or several ---- */

/* True when it is legal, with its bound. */
static bool check_changes(const struct model *m, const struct sw_problem *problem, const struct sw_edit *edits,
                          size_t count, const char *what, struct sw_changed_bound *bound, struct counts *counts) {
    struct sw_error error = {0};
    bool legal = true;
    for (size_t i = 0; i < count; i++) {
        legal = legal && sw_problem_may_change(problem, &edits[i], &error);
    }
    check_that(legal || error.message[0], m, what, "no reason");
    check_that(sw_problem_bound_changed(problem, edits, count, bound, &error) == legal, m, what, "bound: %s",
               error.message);
    struct sw_problem *changed = sw_problem_changed(problem, edits, count, &error);
    check_that((changed != NULL) == legal, m, what, "built: %s", error.message);
    counts->refused += !legal;
    if (legal) {
        check_figures(m, problem, changed, bound, what);
        check_run(m, problem, changed, what);
        counts->lower += bound->bytes < sw_problem_lower_bound(problem);
        counts->higher += bound->bytes > sw_problem_lower_bound(problem);
        sw_problem_unref(changed);
    }
    return legal;
}

static void check_waiting(const struct model *m, const struct flow *flow, const struct sw_problem *problem, int buffer,
                          int step, struct counts *counts) {
    struct sw_edit edit = {SW_EDIT_SPILL, (uint32_t)step, (uint32_t)buffer, 0, 0};
    struct sw_changed_bound bound;
    int from = 0, to = 0;
    bool plain = flow && !m->inplace_safe;
    bool waiting = flow && m->buffers[buffer].planned && waits(flow, buffer, step, &from, &to);
    bool spilled = check_changes(m, problem, &edit, 1, "spill", &bound, counts);
    counts->spills += spilled;
    check_that(!flow || spilled == waiting, m, "spill", "buffer %d at %d: waiting is %d", buffer, step, waiting);
    check_that(!spilled || !plain || bound.bytes == most_alive(flow, buffer, from, to), m, "spill",
               "written down, it has another bound");
    edit.kind = SW_EDIT_RECOMPUTE;
    bool again = check_changes(m, problem, &edit, 1, "recompute", &bound, counts);
    counts->recomputed += again;
    uint32_t made = sw_problem_recomputes(problem, (uint32_t)buffer, (uint32_t)step, NULL);
    check_that((made != SW_NONE) == again, m, "recompute", "by %u", made);
    if (again && plain) {
        struct flow copy = *flow;
        write_again(&copy, buffer, (int)made, to);
        check_that(bound.bytes == most_alive(&copy, -1, 0, 0), m, "recompute", "written down, it has %llu, not %llu",
                   (unsigned long long)most_alive(&copy, -1, 0, 0), (unsigned long long)bound.bytes);
    }
}

static void check_inplace(const struct model *m, const struct sw_problem *problem, uint32_t step,
                          struct counts *counts) {
    const struct sw_operator *op = sw_problem_operator(problem, step);
    struct sw_changed_bound bound;
    for (uint32_t i = 0; i < op->input_count; i++) {
        for (uint32_t o = 0; o < op->output_count; o++) {
            struct sw_edit edit = {SW_EDIT_INPLACE, step, op->outputs[o].buffer, op->inputs[i].buffer, 0};
            counts->inplace += check_changes(m, problem, &edit, 1, "in place", &bound, counts);
        }
    }
}

/* A few legal changes at once. */
static void check_together(const struct model *m, const struct sw_problem *problem, uint64_t *r,
                           struct counts *counts) {
    struct sw_edit edits[4], all = {SW_EDIT_INPLACE_MARKED, 0, 0, 0, 0};
    struct sw_changed_bound bound;
    size_t count = 0;
    counts->marked += check_changes(m, problem, &all, 1, "marked", &bound, counts);
    for (int tries = 0; tries < 30 && count < 4; tries++) {
        struct sw_edit edit = {below(r, 2) ? SW_EDIT_SPILL : SW_EDIT_INPLACE,
                               (uint32_t)below(r, sw_problem_steps(problem)),
                               (uint32_t)below(r, sw_problem_buffer_count(problem)),
                               (uint32_t)below(r, sw_problem_buffer_count(problem)), 0};
        struct sw_edit more[4];
        memcpy(more, edits, sizeof more);
        more[count] = edit;
        struct sw_problem *built = sw_problem_changed(problem, more, count + 1, NULL);
        if (built) {
            edits[count++] = edit;
        }
        sw_problem_unref(built);
    }
    if (count > 1) {
        counts->together += check_changes(m, problem, edits, count, "together", &bound, counts);
    }
}

/* ---- drawing ---- */

/* Buffers that are used again late, and now and then one that is written twice. */
static void draw_late(struct model *m, uint64_t *r) {
    for (int o = 1; o < m->operator_count; o++) {
        struct model_operator *op = &m->operators[o];
        int known = op->output_count ? op->outputs[0] : 0, b = known ? (int)below(r, (uint64_t)known) : 0;
        struct flow flow;
        flow_of(&flow, m);
        if (known == 0 || uses(&flow.steps[o], b) || m->buffers[b].kind == SW_KIND_SCRATCH) {
            continue;
        }
        if (below(r, 100) < 60 && op->input_count < MAX_ARGUMENTS) {
            op->inputs[op->input_count++] = b;
        } else if (below(r, 100) < 10 && op->output_count < MAX_ARGUMENTS) {
            op->outputs[op->output_count++] = b;
        }
    }
}

/* The same with a lifetime that the file gives. */
static struct sw_problem *with_lifetime(const struct model *m, struct sw_problem *problem, uint64_t *r) {
    struct sw_error error = {0};
    struct sw_builder *builder = sw_builder_from(problem, &error);
    uint32_t b = (uint32_t)below(r, sw_problem_buffer_count(problem));
    const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
    uint32_t longer = buffer->last + (uint32_t)below(r, sw_problem_steps(problem) - buffer->last);
    bool ok = builder && sw_builder_edit_lifetime(builder, buffer->name, buffer->first, longer, &error);
    struct sw_problem *changed = ok ? sw_builder_finish(builder, &error) : NULL;
    check_that(changed != NULL, m, "(building)", "%s", error.message);
    sw_builder_free(builder);
    sw_problem_unref(problem);
    return changed;
}

static void check_problem(struct model *m, uint64_t seed, struct counts *counts) {
    uint64_t r = seed * 131 + 9;
    struct flow flow;
    model_draw(m, seed);
    if (m->cores > 1) {
        return;
    }
    m->accesses = m->operator_count == 0;
    draw_late(m, &r);
    flow_of(&flow, m);
    struct sw_problem *problem = model_build(m, NULL);
    bool given = m->operator_count > 0 && below(&r, 4) == 0;
    problem = given ? with_lifetime(m, problem, &r) : problem;
    bool plain = m->operator_count > 0 && !given;
    for (int b = 0; b < m->buffer_count; b++) {
        for (uint32_t s = 0; s < sw_problem_steps(problem); s++) {
            check_waiting(m, plain ? &flow : NULL, problem, b, (int)s, counts);
        }
    }
    for (uint32_t s = 0; s < sw_problem_operator_count(problem); s++) {
        check_inplace(m, problem, s, counts);
    }
    if (sw_problem_steps(problem) > 0) {
        check_together(m, problem, &r, counts);
    }
    sw_problem_unref(problem);
}

int main(void) {
    struct model *m = calloc(1, sizeof *m);
    struct counts c = {0};
    bool full = getenv("STOWAGE_LONG") != NULL;
    uint64_t problems = full ? FULL : cases(4 * SHARE), first = base_seed() + (full ? 0 : first_case(4 * SHARE));
    for (uint64_t i = 0; m && i < problems; i++) {
        check_problem(m, first + i, &c);
    }
    free(m);
    printf("%llu spills, %llu recomputations, %llu in place, %llu by marks, %llu together, %llu refused; "
           "%llu lower the bound, %llu raise it\n",
           (unsigned long long)c.spills, (unsigned long long)c.recomputed, (unsigned long long)c.inplace,
           (unsigned long long)c.marked, (unsigned long long)c.together, (unsigned long long)c.refused,
           (unsigned long long)c.lower, (unsigned long long)c.higher);
    if (full) {
        printf("in full: problems changed %llu\n", (unsigned long long)problems);
    }
    return often(c.spills, 2000) && often(c.recomputed, 2000) && often(c.inplace, 800) && often(c.together, 200) &&
                   often(c.lower, 400) && often(c.higher, 80)
               ? 0
               : 1;
}
