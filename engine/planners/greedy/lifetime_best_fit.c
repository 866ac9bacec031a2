/* lifetime-best-fit: operator lifetimes, a list of free blocks, one arena that can grow in the
 * middle.
 *
 * The idea. Walk through the operators in the order in which they run. Before an operator,
 * each buffer with its last reader over is given back to a list of free blocks, and free blocks that
 * touch become one. Then each buffer the operator writes is put into the smallest free block that
 * can hold it. What makes this planner special is what it does when none can: it takes the largest
 * free block and *enlarges* it, by moving everything above it further up. Nothing has run yet, so a
 * block that was placed earlier can still be moved; even one that is alive. (Published as
 * CN114201298.)
 *
 * The rules, in the order of the specification:
 *
 * 1. Lifetimes are the problem's: from the producer to the last consumer. A network output lives to
 *    the last step (keep_outputs=true); read literally it would end at its last consumer
 *    (keep_outputs=false), and then the plan is made, and shown, with lifetimes the checker will not
 *    accept.
 * 2. next_offset is the arena. It is kept in the layout; each tier has its own.
 * 3. For each step d:
 *    a. release: every block with end < d that is not free yet, in order of offset; then coalesce,
 *       when it touches a free neighbor.
 *    b. place: among the free blocks that are large enough the smallest, ties the lowest. The buffer
 *       is cut from its low end; the rest stays free.
 *    c. grow: no free block is large enough, but there is one: take the largest, ties the lowest,
 *       [o, o+s). Enlarge it by delta to what is needed; next_offset grows by delta; every block
 *       already placed, live or dead, at an offset >= o+s moves up by delta; the others stay. When the
 *       free block is the last one, nothing moves and the arena simply becomes longer.
 *    d. append: no block is free: the buffer goes to next_offset.
 * 4. next_offset is the arena at the end, even if a later shift left its top unused.
 *
 * With alignment: the buffer starts at the first aligned byte of a free block, and delta is rounded
 * up to a multiple of all alignments among the blocks that move (for powers of two: to the
 * largest). With pins: a grow that would move a pinned block, push a block onto something that
 * cannot move, or pass the capacity is refused; then the next largest is tried, and at last append.
 * With several tiers: each has its own free list and next_offset, and a block goes to the highest
 * tier where it can be placed, by b, c or d, without passing the capacity.
 *
 * The free list is not stored. It is what the arena holds besides the blocks that conflict with the
 * buffer at hand, and is asked of the layout each time; so holes in lifetimes, byte windows and
 * permits need no bookkeeping of their own. The state is a cursor into births, one into deaths, and
 * the releases of the present step that are still to be told.
 *
 * A policy (planners/greedy/policy.h) says in b which of the free blocks that are large enough is taken, and in c which
 * is enlarged.
 *
 * Decisions: release, coalesce, place, grow, append. `time` is the operator. With events=true rule 1 is told first,
 * each step of it a decision: derive, widen.
 *
 * Cost: n * k log k with k conflicts each, and O(n) for every grow. */
#include "planners/greedy/lifetime_internal.h"
#include "base/base.h"
#include "base/sort.h"

#include "problem/builder.h"

/* ---- state ---- */

static const struct sw_parameter lifetime_parameters[] = {
    {"keep_outputs", SW_PARAMETER_BOOL, "true", 0, 0, NULL,
     "network outputs live to the last step; false lets them be overwritten after their last reader"},
    {"events", SW_PARAMETER_BOOL, "false", 0, 0, NULL,
     "how lifetimes come into being is told first, each step a decision; trace --level event sets it"},
    {0}};

struct death {
    uint32_t last, buffer;
};

SW_BY_FIELDS(compare_deaths, struct death, SW_UP(last), SW_UP(buffer))

static struct sw_lifetime_deaths *deaths_new(const struct sw_problem *problem) {
    uint32_t count = sw_problem_planned_count(problem);
    struct sw_lifetime_deaths *deaths = SW_NEW_ZERO(struct sw_lifetime_deaths, 1);
    uint32_t *buffers = SW_NEW(uint32_t, count);
    struct death *sorted = SW_NEW(struct death, count);
    bool ok = deaths && buffers && sorted;
    for (uint32_t i = 0; ok && i < count; i++) {
        uint32_t b = sw_problem_order(problem)[i];
        sorted[i] = (struct death){.last = sw_problem_buffer(problem, b)->last, .buffer = b};
    }
    sw_sort(sorted, ok ? count : 0, sizeof *sorted, compare_deaths);
    for (uint32_t i = 0; ok && i < count; i++) {
        buffers[i] = sorted[i].buffer;
    }
    SW_FREE(sorted, count);
    if (!ok) {
        SW_FREE(buffers, count);
        SW_FREE(deaths, 1);
        return NULL;
    }
    *deaths = (struct sw_lifetime_deaths){.owners = 1, .count = count, .buffers = buffers};
    return deaths;
}

static void deaths_unref(struct sw_lifetime_deaths *deaths) {
    if (--deaths->owners == 0) {
        SW_FREE(deaths->buffers, deaths->count);
        SW_FREE(deaths, 1);
    }
}

static uint64_t fit_digest(const void *state) {
    const struct sw_lifetime_fit *fit = state;
    if (fit->lives) {
        return sw_fold(sw_fold(fit->begun, fit->life_at), fit->life_use);
    }
    /* Without `dead` and `time`: a step that looks for the next decision and finds none changes them. */
    uint64_t digest = sw_fold(sw_fold(3, fit->at), fit->told);
    digest = sw_fold(digest, fit->coalesce);
    for (size_t i = fit->next; i < fit->pending.count; i++) {
        digest = sw_fold(digest, fit->pending.items[i]);
    }
    return fit->layout ? sw_fold(digest, sw_layout_digest(fit->layout)) : digest;
}

SW_OWNERS(deaths, struct sw_lifetime_deaths, deaths_unref)

/* What grows moved. */
static const struct sw_shared_kind shift_kind = {.size = sizeof(struct sw_lifetime_shift)};

static void shifts_drop(void *block) {
    sw_shared_unref(block, &shift_kind);
}

static void *shifts_copy(const void *block) {
    return sw_shared_ref((void *)(uintptr_t)block);
}

static const struct sw_pointed shifts_pointed = {.drop = shifts_drop, .copy = shifts_copy};

bool sw_lifetime_shifted(struct sw_lifetime_fit *fit, uint32_t tier, uint64_t from, uint64_t delta) {
    struct sw_lifetime_shift shift = {.from = from, .delta = delta, .tier = tier, .ranks = fit->at};
    bool ok = sw_shared_push(&fit->shifts.block, fit->shifts.count, &shift_kind, &shift);
    fit->shifts.count += ok;
    return ok;
}

SW_HOW_MANY(buffers_with_ends, struct sw_lifetime_fit, sw_problem_buffer_count(o->problem))
#define STATE struct sw_lifetime_fit
static const struct sw_described lifetime_fit_described = {
    SW_STRUCT, .digest = fit_digest,
    .fields = SW_FIELDS(SW_POINTER(deaths, &deaths_pointed), SW_POINTER(problem, &sw_problem_pointed),
                        SW_POINTER(shifts.block, &shifts_pointed), SW_KEPT(shifts.count, shifts.count),
                        SW_ITEMS(ends, buffers_with_ends), SW_POINTER(layout, &sw_layout_pointed),
                        SW_KEPT(windows, time), SW_LIST(pending), SW_KEPT(next, told))};
#undef STATE

/* ---- opening ---- */

/* What can go wrong in a grow besides touching neighbors? */
static void find_intricacies(struct sw_lifetime_fit *fit) {
    const struct sw_problem *problem = fit->problem;
    size_t permits;
    sw_problem_permits(problem, &permits);
    fit->permits = permits > 0;
    fit->multiple = 1;
    for (uint32_t i = 0; i < sw_problem_planned_count(problem); i++) {
        const struct sw_buffer *b = sw_problem_buffer(problem, sw_problem_order(problem)[i]);
        fit->pins |= b->pinned;
        fit->multiple = sw_multiple_up_to(fit->multiple, b->alignment, SW_MAX_BYTES);
        for (uint32_t p = 0; p < b->piece_count; p++) {
            fit->windows |= b->pieces[p].lo > 0 || b->pieces[p].hi < b->size;
        }
    }
}

/* The last operator that touches each buffer; SW_NONE: none does. */
static uint32_t *last_uses(const struct sw_problem *problem) {
    uint32_t count = sw_problem_buffer_count(problem);
    uint32_t *last = SW_NEW(uint32_t, count);
    sw_fill_none(last, last ? count : 0);
    for (uint32_t o = 0; last && o < sw_problem_operator_count(problem); o++) {
        const struct sw_operator *op = sw_problem_operator(problem, o);
        for (uint32_t i = 0; i < op->input_count; i++) {
            last[op->inputs[i].buffer] = o;
        }
        for (uint32_t i = 0; i < op->output_count; i++) {
            last[op->outputs[i].buffer] = o;
        }
        for (uint32_t i = 0; i < op->scratch_count; i++) {
            last[op->scratch[i].buffer] = o;
        }
    }
    return last;
}

/* Does the literal reading give this buffer another end? */
static bool ends_earlier(const struct sw_buffer *b, uint32_t last) {
    return b->planned && b->output && !b->lifetime_given && b->piece_count == 1 && last != SW_NONE &&
           last >= b->first && last < b->last;
}

/* The problem as it is read literally: outputs end at their last consumer. */
static const struct sw_problem *read_literally(const struct sw_problem *problem, struct sw_error *error) {
    uint32_t *last = last_uses(problem);
    struct sw_builder *builder = last ? sw_builder_from(problem, error) : NULL;
    bool ok = builder != NULL;
    if (!last) {
        sw_fail_memory(error);
    }
    for (uint32_t b = 0; ok && b < sw_problem_buffer_count(problem); b++) {
        const struct sw_buffer *buffer = sw_problem_buffer(problem, b);
        if (ends_earlier(buffer, last[b])) {
            ok = sw_builder_edit_lifetime(builder, buffer->name, sw_problem_time(problem, buffer->first),
                                          sw_problem_time(problem, last[b]), error);
        }
    }
    const struct sw_problem *literal = ok ? sw_builder_finish(builder, error) : NULL;
    sw_builder_free(builder);
    SW_FREE(last, sw_problem_buffer_count(problem));
    return literal;
}

static bool lifetime_open(void *state, struct sw_run *run) {
    struct sw_lifetime_fit *fit = state;
    fit->coalesce = SW_NONE;
    if (sw_params_bool(run->params, run->planner, "keep_outputs")) {
        fit->problem = sw_problem_ref(run->problem);
    } else {
        fit->problem = read_literally(run->problem, run->error);
        fit->layout = fit->problem ? sw_layout_new(fit->problem, run->error) : NULL;
        if (!fit->layout) {
            return false;
        }
    }
    find_intricacies(fit);
    fit->deaths = deaths_new(fit->problem);
    return (fit->deaths && sw_lifetime_begin_lives(fit, run)) || sw_fail_memory(run->error);
}

/* ---- one decision ---- */

/* The next step at which something dies or is born; false at the end of the run. */
static bool advance_time(struct sw_lifetime_fit *fit, uint32_t *birth) {
    const uint32_t *program = sw_problem_order(fit->problem);
    uint32_t count = sw_problem_planned_count(fit->problem), steps = sw_problem_steps(fit->problem);
    *birth = fit->at < count ? program[fit->at] : SW_NONE;
    uint32_t born = fit->at < count ? sw_problem_buffer(fit->problem, *birth)->first : steps;
    uint32_t died = steps;
    if (fit->dead < fit->deaths->count) {
        died = sw_problem_buffer(fit->problem, fit->deaths->buffers[fit->dead])->last + 1;
    }
    bool more = SW_MIN(died, born) < steps; /* at the end the last operator's moment stays */
    fit->time = more ? SW_MIN(died, born) : fit->time;
    return more;
}

static enum sw_step next_decision(struct sw_lifetime_fit *fit, struct sw_run *run, struct sw_run *shown,
                                  struct sw_decision *decision) {
    if (fit->lives) {
        if (run->choice >= 0) {
            return sw_place_no_candidate(run, 0);
        }
        if (sw_lifetime_widen(fit, run, shown, decision)) {
            return SW_STEP_MORE;
        }
    }
    for (;;) {
        bool telling = fit->coalesce != SW_NONE || fit->next < fit->pending.count;
        if (telling && run->choice >= 0) {
            return sw_place_no_candidate(run, 0);
        }
        if (fit->coalesce != SW_NONE) {
            sw_lifetime_coalesce(fit, run, decision);
            return SW_STEP_MORE;
        }
        if (telling) {
            sw_lifetime_release(fit, run, decision);
            return SW_STEP_MORE;
        }
        uint32_t birth;
        if (!advance_time(fit, &birth)) {
            return SW_STEP_DONE;
        }
        uint32_t dead = fit->dead;
        if (!sw_lifetime_gather(fit, run)) {
            return sw_step_memory(run);
        }
        if (fit->dead == dead) {
            enum sw_step result = sw_lifetime_place(fit, run, shown, birth, decision);
            fit->at += result == SW_STEP_MORE;
            return result;
        }
    }
}

static enum sw_step lifetime_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    struct sw_lifetime_fit *fit = state;
    if (!fit->layout) {
        return next_decision(fit, run, run, decision);
    }
    /* Planned on the literal problem, shown on the user's. */
    struct sw_run inner = *run;
    inner.problem = fit->problem;
    inner.layout = fit->layout;
    enum sw_step result = next_decision(fit, &inner, run, decision);
    sw_run_take_back(run, &inner);
    return result;
}

/* A pin moves a placed block at once, and the arena is measured anew; the literal layout must
 * follow. */
static bool lifetime_constrain(void *state, struct sw_run *run, const struct sw_override *override) {
    struct sw_lifetime_fit *fit = state;
    if (override->kind != SW_OVERRIDE_PIN || !fit->layout || !sw_layout_placed(fit->layout, override->buffer)) {
        return true;
    }
    if (!sw_layout_place(fit->layout, override->buffer, override->tier, override->offset)) {
        return sw_fail_memory(run->error);
    }
    for (uint32_t t = 0; t < sw_problem_tier_count(fit->problem); t++) {
        sw_layout_set_arena(fit->layout, t, sw_layout_arena(run->layout, t));
    }
    return true;
}

const struct sw_planner sw_lifetime_best_fit = {
    .name = "lifetime-best-fit",
    .summary = "Operator by operator: release, take the smallest free block, or enlarge the largest",
    .parameters = lifetime_parameters,
    .one_layout = true,
    .derives_lives = true,
    .tells = "events",
    .reads = SW_READS_POLICY,
    .turn = sw_turn_by_program,
    .open = lifetime_open,
    .step = lifetime_step,
    .described = &lifetime_fit_described,
    .constrain = lifetime_constrain,
    .state = sw_lifetime_state,
};
