/* farthest-next-use: the reference for migration.
 *
 * The idea. Objects are taken in the order in which they are accessed. One that lies in device memory
 * already costs nothing. One that does not is moved in, and when there is too little room, residents
 * move out first: always the one with its next access farthest in the future.
 *
 * The rule, from the specification: objects in access order; on a miss, evict residents with the
 * farthest next access until the object fits (capacity only, no addresses); moves counted as in
 * `migration=need`.
 *
 * - Objects are the buffers that may be in tier 0; their accesses are the steps of the operators
 *   that touch them. In a step those used there for the last time come first, then those that live
 *   on, then those being born. A buffer that no operator touches counts as touched at its birth.
 * - What is never accessed again is farthest of all; ties go to the larger, then to the one listed
 *   first.
 * - What the present step touches is in use and stays; so does, until its last access, what is
 *   pinned or fixed to the tier. If that leaves no room, the run ends as infeasible and names the
 *   operator.
 * - Moving out counts if the object is accessed again, moving in if it was accessed before.
 * - Only the sum of the sizes is compared with the capacity (less reserved ranges), as if residents
 *   could be pushed together at any time: alignment, fragments, holes and windows play no part.
 *
 * A reference, not a bound: with objects of different sizes it can be better to evict one that is
 * wanted sooner. The bound is sw_problem_migration_bound.
 *
 * It deals in no addresses and places nothing: a pin or a forbidden range from a user is refused. A
 * user may have another resident evicted. The peak is the largest number of bytes that were
 * resident at once.
 *
 * E, where it is known what accesses cost: an object that is accessed is in the device, so that all of its accesses are
 * made there; what may not be in the device counts at the highest tier that it may be in. To that come the moves, each
 * one read at its source and one write at its target, at the step that brings an object in or for which it has to
 * leave. As in the layouts of segment-genetic an object that is not accessed at its birth is born in the host's memory,
 * and one with its life over moves no more.
 *
 * One decision evicts or fetches one object; hits are no decisions. The state is the residents in
 * order of arrival and how far the run has come. */
#include "planners/planner_internal.h"
#include "base/base.h"

#include "layout/cost.h"
#include "planners/segments/segment_genetic.h"

/* What never changes; shared by clones. */
struct eviction_plan {
    size_t owners;
    struct sw_accesses order;
    uint32_t *next; /* per access: the index of the next one of its buffer; SW_NONE */
    uint32_t buffers;
    uint64_t room;   /* usable bytes of tier 0 */
    double accesses; /* what all of them cost; NaN: that is not known */
};
struct eviction_table {
    struct eviction_plan *plan;
    uint32_t at;        /* the access to be served */
    uint32_t count;     /* residents */
    uint32_t *resident; /* in order of arrival */
    uint32_t *next;     /* per buffer: its next access */
    uint32_t *last;     /* per buffer: the step of its last access so far, or SW_NONE */
    bool *there;        /* per buffer: resident */
    uint64_t used, most, migration;
    double moves; /* what the moves so far cost */
};

/* ---- the state as tables ---- */

static void table_state(const void *state, const struct sw_run *run, const struct sw_decision *last,
                        struct sw_state_tables *tables) {
    static const char *const resident_columns[] = {"arrival", "buffer", "bytes", "last access", "next access", NULL};
    static const char *const access_columns[] = {"access", "step", "buffer", "bytes", "in the device", NULL};
    const struct eviction_table *t = state;
    uint64_t touched = SW_NO_ROW;
    for (uint32_t i = 0; last && i < t->count; i++) {
        touched = t->resident[i] == last->buffer ? i : touched;
    }
    struct sw_state_table *table = sw_state_table(tables, "in the device", resident_columns, t->count, touched);
    for (uint64_t i = table->first; i < table->end; i++) {
        uint32_t b = t->resident[i], next = t->next[b];
        SW_STATE_ROW(tables, sw_cell_count(i), sw_cell_buffer(b),
                     sw_cell_bytes(sw_problem_buffer(run->problem, b)->size), sw_cell_step(t->last[b]),
                     next < t->plan->order.count ? sw_cell_step(t->plan->order.items[next].step)
                                                 : sw_cell_word("never"));
    }
    table = sw_state_table(tables, "accesses: the next one", access_columns, t->plan->order.count, t->at);
    for (uint64_t i = table->first; i < table->end; i++) {
        uint32_t b = t->plan->order.items[i].buffer;
        SW_STATE_ROW(tables, sw_cell_count(i), sw_cell_step(t->plan->order.items[i].step), sw_cell_buffer(b),
                     sw_cell_bytes(sw_problem_buffer(run->problem, b)->size), sw_cell_truth(t->there[b]));
    }
}

static void table_because(const void *state, const struct sw_run *run, const struct sw_decision *last, char *text,
                          size_t size) {
    const struct eviction_table *t = state;
    uint32_t next = last->kind == SW_DECISION_EVICT ? t->next[last->buffer] : SW_NONE;
    if (next != SW_NONE) {
        snprintf(text, size, "its next access is at time %" PRId64 ", and %s %s in the device",
                 sw_problem_time(run->problem, t->plan->order.items[next].step), SW_COUNTED(t->count, "other"),
                 t->count == 1 ? "stays" : "stay");
    } else {
        snprintf(text, size, "objects are taken as they are accessed, and it is time %" PRId64 "; %s in the device now",
                 sw_problem_time(run->problem, last->time), SW_COUNTED(t->count, "object"));
    }
}

static void plan_unref(struct eviction_plan *plan) {
    if (plan && --plan->owners == 0) {
        SW_FREE(plan->next, plan->order.count);
        sw_accesses_done(&plan->order);
        SW_FREE(plan, 1);
    }
}

static uint64_t table_digest(const void *state) {
    const struct eviction_table *t = state;
    uint64_t digest = sw_fold(sw_fold(13, (uint64_t)t->at << 32 | t->count), t->used);
    digest = sw_fold(sw_fold(digest, t->most), t->migration);
    for (uint32_t i = 0; i < t->count; i++) {
        digest = sw_fold(digest, t->resident[i]);
    }
    return digest;
}

SW_OWNERS(eviction_plan, struct eviction_plan, plan_unref)
SW_HOW_MANY(eviction_buffers, struct eviction_table, o->plan->buffers)
#define STATE struct eviction_table
static const struct sw_described table_described = {
    SW_STRUCT, .digest = table_digest,
    .fields = SW_FIELDS(SW_POINTER(plan, &eviction_plan_pointed), SW_KEPT(at, count),
                        SW_ITEMS(resident, eviction_buffers), SW_ITEMS(next, eviction_buffers),
                        SW_ITEMS(last, eviction_buffers), SW_ITEMS(there, eviction_buffers), SW_KEPT(used, moves))};
#undef STATE

static struct eviction_plan *plan_new(const struct sw_problem *problem) {
    struct eviction_plan *plan = SW_NEW_ZERO(struct eviction_plan, 1);
    uint32_t buffers = sw_problem_buffer_count(problem);
    uint32_t *last = SW_NEW(uint32_t, buffers);
    bool ok = plan && last && sw_problem_access_order(problem, &plan->order);
    if (plan) {
        plan->owners = 1;
        plan->buffers = buffers;
        plan->room = sw_problem_usable_bytes(problem);
        plan->next = ok ? SW_NEW(uint32_t, plan->order.count) : NULL;
    }
    if (!ok || !plan->next) {
        SW_FREE(last, buffers);
        plan_unref(plan);
        return NULL;
    }
    sw_fill_none(last, buffers);
    for (size_t i = plan->order.count; i-- > 0;) {
        plan->next[i] = last[plan->order.items[i].buffer];
        last[plan->order.items[i].buffer] = (uint32_t)i;
    }
    SW_FREE(last, buffers);
    return plan;
}

/* The tier in which a buffer is accessed; SW_NONE: in none. */
static uint32_t tier_of_accesses(const struct sw_buffer *b) {
    return !b->planned || b->access_count == 0 ? SW_NONE
           : b->tier != SW_NONE                ? b->tier
                                               : (uint32_t)__builtin_ctzll(b->tiers);
}

static bool price_accesses(const struct sw_run *run, struct eviction_plan *plan) {
    const struct sw_cost_model *model = run->params->cost;
    plan->accesses = (double)NAN;
    if (!sw_cost_known(run->problem, model) || (model && model->whole)) {
        return true;
    }
    double sum = 0;
    for (uint32_t b = 0; b < plan->buffers; b++) {
        uint32_t tier = tier_of_accesses(sw_problem_buffer(run->problem, b));
        double cost = 0;
        if (tier != SW_NONE && !sw_cost_of_placement(run->problem, &(struct sw_placement){b, tier, 0, SW_WHOLE_LIFE},
                                                     model, &cost, run->error)) {
            return false;
        }
        sum += cost;
    }
    plan->accesses = sum;
    return true;
}

static bool table_open(void *state, struct sw_run *run) {
    struct eviction_table *t = state;
    t->plan = plan_new(run->problem);
    if (!t->plan || !sw_described_make(&table_described, t)) {
        return sw_fail_memory(run->error);
    }
    sw_fill_none(t->last, t->plan->buffers);
    return price_accesses(run, t->plan);
}

/* ---- what may leave ---- */

static uint64_t buffer_size(const struct sw_run *run, uint32_t buffer) {
    return sw_problem_buffer(run->problem, buffer)->size;
}

/* Why a resident may not leave now; NULL when it may. */
static const char *held_where(const struct eviction_table *t, const struct sw_run *run, uint32_t buffer) {
    const struct sw_access *order = t->plan->order.items;
    uint32_t next = t->next[buffer], step = order[t->at].step;
    const struct sw_buffer *b = sw_problem_buffer(run->problem, buffer);
    if (t->last[buffer] == step || (next != SW_NONE && order[next].step == step)) {
        return "is in use at this step";
    }
    bool fixed = b->pinned || b->tier == 0 || !(sw_problem_tier_count(run->problem) == 1 || (b->tiers & ~UINT64_C(1)));
    return fixed && next != SW_NONE ? "may not leave before its last access" : NULL;
}

/* Should x leave rather than y? */
static bool leaves_first(const struct eviction_table *t, const struct sw_run *run, uint32_t x, uint32_t y) {
    const struct sw_access *order = t->plan->order.items;
    uint64_t a = t->next[x] == SW_NONE ? UINT64_MAX : order[t->next[x]].step;
    uint64_t b = t->next[y] == SW_NONE ? UINT64_MAX : order[t->next[y]].step;
    if (a != b) {
        return a > b;
    }
    uint64_t size_x = buffer_size(run, x), size_y = buffer_size(run, y);
    return size_x != size_y ? size_x > size_y : x < y;
}

static bool explain_residents(const struct eviction_table *t, const struct sw_run *run, uint32_t picked) {
    for (uint32_t i = 0; run->explain && i < t->count; i++) {
        uint32_t b = t->resident[i];
        const char *why = held_where(t, run, b);
        char name[SW_SHORT_NAME], next[80] = "is never accessed again";
        if (t->next[b] != SW_NONE) {
            snprintf(next, sizeof next, "is next accessed at time %lld",
                     (long long)sw_problem_time(run->problem, t->plan->order.items[t->next[b]].step));
        }
        if (!SW_EXPLAIN(run->explain,
                        why           ? SW_VERDICT_REFUSED
                        : i == picked ? SW_VERDICT_CHOSEN
                                      : SW_VERDICT_FITS,
                        0, 0, buffer_size(run, b), "%s%s (%s) %s%s%s", !why && i == picked ? "chosen: " : "",
                        sw_place_name(run->problem, b, name), SW_BYTES(buffer_size(run, b)), next, why ? ", and " : "",
                        why ? why : "")) {
            return false;
        }
    }
    return true;
}

/* ---- decisions ---- */

static void begin_move(const struct eviction_table *t, const struct sw_run *run, enum sw_decision_kind kind,
                       uint32_t buffer, struct sw_decision *d) {
    sw_decision_clear(d);
    sw_decision_become(d, kind);
    d->buffer = buffer;
    d->tier = 0;
    d->size = buffer_size(run, buffer);
    d->time = t->plan->order.items[t->at].step;
}

static enum sw_step find_no_room(const struct eviction_table *t, struct sw_run *run, uint32_t wanted) {
    uint32_t step = t->plan->order.items[t->at].step;
    bool operators = step < sw_problem_operator_count(run->problem);
    uint64_t rest = t->plan->room - t->used;
    run->no_room = (struct sw_no_room){wanted, step, 0, buffer_size(run, wanted), rest, rest};
    return SW_STEP_FAIL(run, SW_ERROR_INFEASIBLE,
                        "%s (%s) finds no room in %s at time %lld%s%s: %s of its %s are in use then or "
                        "may not leave",
                        sw_problem_buffer(run->problem, wanted)->name, SW_BYTES(buffer_size(run, wanted)),
                        sw_problem_tier(run->problem, 0)->name, (long long)sw_problem_time(run->problem, step),
                        operators ? ", for " : "", operators ? sw_problem_operator(run->problem, step)->name : "",
                        SW_BYTES(t->used), SW_BYTES(t->plan->room));
}

/* What a move between the device and the host costs at a step; 0 where that is not known. */
static bool price_transfer(const struct eviction_table *t, const struct sw_run *run, uint32_t buffer, uint32_t step,
                           double *cost) {
    *cost = 0;
    return isnan(t->plan->accesses) || sw_segments_add_cost(run, buffer, step, cost);
}

static enum sw_step evict(struct eviction_table *t, struct sw_run *run, uint32_t wanted, struct sw_decision *d) {
    uint32_t picked = t->count;
    for (uint32_t i = 0; i < t->count; i++) {
        if (!held_where(t, run, t->resident[i]) &&
            (picked == t->count || leaves_first(t, run, t->resident[i], t->resident[picked]))) {
            picked = i;
        }
    }
    run->work += t->count;
    if (picked == t->count) {
        return find_no_room(t, run, wanted);
    }
    bool forced = run->choice >= 0;
    if (forced) {
        if (run->choice >= t->count || held_where(t, run, t->resident[run->choice])) {
            return sw_place_no_candidate(run, t->count);
        }
        picked = (uint32_t)run->choice;
    }
    uint32_t out = t->resident[picked];
    double cost = 0;
    begin_move(t, run, SW_DECISION_EVICT, out, d);
    if (d->time <= sw_problem_buffer(run->problem, out)->last && !price_transfer(t, run, out, d->time, &cost)) {
        return SW_STEP_FAILED;
    }
    uint64_t moves = t->next[out] == SW_NONE ? 0 : d->size;
    d->forced = forced;
    d->candidates = t->count;
    d->evict.wanted = wanted;
    d->evict.moves = moves;
    d->evict.migration = (struct sw_before_after){(double)t->migration, (double)(t->migration + moves)};
    d->reason = forced  ? "chosen by the user"
                : moves ? "its next access is the farthest"
                        : "it is never accessed again, so that nothing is counted";
    if (!explain_residents(t, run, picked) ||
        (moves && !sw_layout_transfer(run->layout,
                                      &(struct sw_transfer){out, d->time, 0, sw_segments_host(run->problem, out)}))) {
        return sw_step_memory(run);
    }
    t->count--;
    memmove(t->resident + picked, t->resident + picked + 1, (t->count - picked) * sizeof *t->resident);
    t->there[out] = false;
    t->used -= d->size;
    t->migration += moves;
    t->moves += cost;
    d->peak = t->most;
    return SW_STEP_MORE;
}

static enum sw_step fetch_buffer(struct eviction_table *t, struct sw_run *run, uint32_t wanted, struct sw_decision *d) {
    if (run->choice > 0) {
        return sw_place_no_candidate(run, 1);
    }
    double cost = 0;
    begin_move(t, run, SW_DECISION_FETCH, wanted, d);
    if (d->time > sw_problem_buffer(run->problem, wanted)->first && !price_transfer(t, run, wanted, d->time, &cost)) {
        return SW_STEP_FAILED;
    }
    d->candidates = 1;
    uint64_t moves = t->last[wanted] != SW_NONE ? d->size : 0;
    d->fetch.moves = moves;
    d->fetch.migration = (struct sw_before_after){(double)t->migration, (double)(t->migration + moves)};
    d->reason = moves ? "it was accessed before and is moved in again"
                      : "it is accessed for the first time, so that nothing is counted";
    d->forced = run->choice == 0;
    if (!SW_EXPLAIN(run->explain, SW_VERDICT_CHOSEN, 0, 0, t->plan->room - t->used, "chosen: %s", d->reason) ||
        (moves && !sw_layout_transfer(run->layout, &(struct sw_transfer){wanted, d->time,
                                                                         sw_segments_host(run->problem, wanted), 0}))) {
        return sw_step_memory(run);
    }
    t->resident[t->count++] = wanted;
    t->there[wanted] = true;
    t->used += d->size;
    t->migration += moves;
    t->moves += cost;
    t->most = SW_MAX(t->used, t->most);
    sw_layout_set_arena(run->layout, 0, t->most);
    d->peak = t->most;
    return SW_STEP_MORE;
}

static enum sw_step farthest_step(void *state, struct sw_run *run, struct sw_decision *d) {
    struct eviction_table *t = state;
    const struct eviction_plan *plan = t->plan;
    uint32_t at = t->at, end = (uint32_t)plan->order.count;
    /* A hit changes only the last and the next access of the object. */
    while (at < end && t->there[plan->order.items[at].buffer]) {
        t->next[plan->order.items[at].buffer] = plan->next[at];
        t->last[plan->order.items[at].buffer] = plan->order.items[at].step;
        at++;
        run->work++;
    }
    if (at == end) {
        return SW_STEP_DONE;
    }
    uint32_t wanted = plan->order.items[at].buffer, before = t->at;
    uint64_t size = buffer_size(run, wanted);
    t->at = at;
    enum sw_step result = size > plan->room             ? find_no_room(t, run, wanted)
                          : size > plan->room - t->used ? evict(t, run, wanted, d)
                                                        : fetch_buffer(t, run, wanted, d);
    if (result != SW_STEP_MORE) {
        t->at = before;
    } else if (t->there[wanted]) {
        t->next[wanted] = plan->next[at];
        t->last[wanted] = plan->order.items[at].step;
        t->at = at + 1;
    }
    return result;
}

static bool farthest_constrain(void *state, struct sw_run *run, const struct sw_override *override) {
    (void)state;
    return override->kind == SW_OVERRIDE_CHOOSE ||
           sw_fail(run->error, SW_ERROR_UNSUPPORTED, "farthest-next-use deals in no addresses: it cannot %s",
                   override->kind == SW_OVERRIDE_PIN ? "pin a block" : "keep off a range");
}

static bool farthest_details(const void *state, const struct sw_run *run, struct sw_details *to) {
    struct sw_migration bound = {0};
    (void)state;
    bool ok = sw_problem_migration_bound(run->problem, &bound) &&
              (!bound.feasible || sw_detail_integer(to, "migration_bound", (int64_t)bound.bytes));
    sw_migration_done(&bound);
    return ok;
}

/* Are all accesses that are left hits? */
static bool only_hits_left(const struct eviction_table *t) {
    size_t at = t->at;
    while (at < t->plan->order.count && t->there[t->plan->order.items[at].buffer]) {
        at++;
    }
    return at == t->plan->order.count;
}

static void farthest_claims(const void *state, const struct sw_run *run, struct sw_claims *to) {
    const struct eviction_table *t = state;
    (void)run;
    to->cost = !isnan(t->plan->accesses) && only_hits_left(t) ? t->plan->accesses + t->moves : (double)NAN;
    to->no_addresses = true;
    to->has_migration = true;
    to->migration_bytes = t->migration;
}

const struct sw_planner sw_farthest_next_use = {
    .name = "farthest-next-use",
    .summary = "Evict what is accessed again last: a reference for migration, without addresses",
    .needs = SW_NEEDS_CAPACITY | SW_NEEDS_ACCESSES,
    .open = table_open,
    .step = farthest_step,
    .described = &table_described,
    .constrain = farthest_constrain,
    .details = farthest_details,
    .claims = farthest_claims,
    .state = table_state,
    .because = table_because,
};
