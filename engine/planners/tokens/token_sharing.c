/* token-sharing: sharing memory between heterogeneous compute units.
 *
 * The idea. A model runs partly on a host, partly on a DSP or an NPU. Every tensor gets a *token*:
 * which memory it lies in, how many readers it still has, how large it is and how much was
 * allocated. A memory is an *id*, not an address; tensors with the same id have the same bytes, on
 * whichever unit they are used, so nothing is copied where units can reach the same memory. The planner
 * walks through the model in order. A new tensor takes a free id of suitable size, or enlarges an id, or
 * makes a new one. When the last reader of a token has run, its id is free again. Only at the end do ids
 * become addresses: one after another.
 *
 * The rules, in the order of the specification.
 *
 * (a) Sizes: see token_sizes.c.
 *
 * (b) Tokens. Initialized by node type: input, constant, output: own count + 1; ordinary node: + 1
 * on the tokens of each of its inputs; tuple: the tokens of its branches one after another;
 * get-item: the token of that branch. (chosen) A tuple and a get-item have their place in the order
 * of execution, so they too hold the tokens they pass on until their turn, and counts and lifetimes
 * by steps agree. Which branch a get-item takes: the first of its own size that no earlier one
 * took. A tuple that has named parts, a pin or a lifetime of its own, or runs on several cores, is
 * an ordinary tensor.
 *
 * (c) Allocation. The model layer, then the function layer, then each operator of the operator
 * layer.
 * - A function is *called* once for every run of neighboring operators that name it. An operator without a function
 *   is a function of its own, with all its scratch; without a unit, the unit is the default one.
 * - Model inputs and constants: a fresh id that is never freed, in listed order.
 * - A node: inputs that no operator produces, then results, then scratch are placed; then unread results, scratch
 *   and inputs in listed order drop by one, and a token at 0 goes to the free pool.
 * - Reuse in place: the node is marked (a reshape is by its nature), the input is not a model input or constant, it
 *   has no other remaining reader (or the node is a pure reshape), allocated bytes >= own bytes, the result may lie
 *   in the same memory, and the alignment suits both. Parameter `reuse` leaves only reshapes, or nothing, of what
 *   may be; a script may refuse any of it (planners/breeding.h). The count grows by the result's own count. (chosen)
 *   An operator overwrites a token once; an input named twice is two readers; on several cores all that touch the
 *   two must run on the operator's core; the input must be dead by its steps, too.
 * - A function of several operators overwrites an input on the same terms where a chain of its operators writes in
 *   place from that input to the result: see token_chain.c. (chosen) It overwrites a token once. The tensors that
 *   lie between are those of the operator layer.
 * - request(size): the free pool by allocated bytes, then time of release; only blocks within [size/match,
 *   size*match] (default 16) of the same memory space; the first with allocated >= size; else the last below size,
 *   enlarged; else a new id. (chosen) The space is the highest tier that the tensor and all units that touch it
 *   reach; where an enlarged or a new id would pass its capacity the next tier is tried; in the last one capacity
 *   does not count, and the layout says that it does not fit. A block is not taken while a tensor it held is alive
 *   by its steps: that happens only with lifetimes the file gave, with several cores, and with tensors kept
 *   separate.
 * - Operator layer: a tensor of the function takes the function's token. Inner tensors request from the ids that are
 *   free while this call runs; new ids made here serve all functions.
 *
 * (d) Layout: see token_pool.c.
 *
 * Holes and windows in lifetimes are taken by their hull. A pinned tensor has an id of its own that
 * never moves and that no other tensor shares. Other ids are laid out around it, and around forbidden
 * ranges. A pin for a tensor that already shares its id is refused: this planner deals in ids, not in
 * addresses.
 *
 * Decisions: adopt, token, new, reuse, request, enlarge, share, release; `part` is the id and
 * `group` the layer. Candidates of a placing: the inputs that could be overwritten, the free pool,
 * a new id.
 *
 * Cost: n x pool, and the tensors above for every id enlarged. */
#include "planners/tokens/token.h"
#include "base/base.h"

#include "problem/hot.h"

/* ---- state ---- */

SW_OWNERS(graph, struct token_graph, sw_token_graph_drop)
SW_HOW_MANY(buffers_of, struct token, o->graph->buffer_count)
#define STATE struct token
static const struct sw_described token_described = {
    SW_STRUCT, .fields = SW_FIELDS(SW_POINTER(graph, &graph_pointed), SW_LIST(ids.ids), SW_LIST(ids.stays),
                                   SW_LIST(ids.pool), SW_ITEMS(ids.id_of, buffers_of), SW_ITEMS(ids.next, buffers_of),
                                   SW_ITEMS(ids.value, buffers_of), SW_KEPT(ids.top, ids.releases), SW_KEPT(at, reuse),
                                   SW_TOLD(digest), SW_SCRATCH(live, live), SW_LIST(options, .scratch = true))};
#undef STATE

static const struct sw_parameter token_parameters[] = {
    {"match", SW_PARAMETER_INTEGER, "16", 1, 1e9, SW_WORDS("any"),
     "A free block is taken for a tensor when it has from size/match to size*match bytes"},
    {"reuse", SW_PARAMETER_CHOICE, "in-place", 0, 0, SW_WORDS("in-place", "reshape", "none"),
     "What may be written over an input: what the graph marks and reshapes, reshapes alone, or nothing"},
    {0}};

static bool token_open(void *state, struct sw_run *run) {
    struct token *t = state;
    const char *reuse = sw_params_text(run->params, run->planner, "reuse");
    t->digest = 17;
    t->match = (uint64_t)sw_params_integer(run->params, run->planner, "match"); /* 0: any */
    t->reuse = strcmp(reuse, "none") == 0 ? REUSE_NONE : strcmp(reuse, "reshape") == 0 ? REUSE_RESHAPE : REUSE_IN_PLACE;
    t->graph = sw_token_graph_new(sw_problem_origin(run->problem), run->error);
    return t->graph && (sw_token_ids_init(&t->ids, t->graph->buffer_count) || sw_fail_memory(run->error));
}

/* Everything every decision has in common; and it becomes part of the digest. */
static void tell_task(struct token *t, struct sw_run *run, const struct token_task *task, enum sw_decision_kind kind,
                      uint32_t id, struct sw_decision *d) {
    sw_decision_become(d, kind);
    sw_decision_set(d, SW_KEY_PART, id);
    d->buffer = task->buffer;
    d->group = task->layer;
    d->time = task->op;
    if (id != SW_NONE) {
        d->tier = t->ids.ids.items[id].tier;
        d->offset = t->ids.ids.items[id].offset;
    }
    d->live = 0;
    if (task->op != SW_NONE) {
        run->work += sw_problem_alive_count(run->problem, task->op, task->op);
        d->live = sw_live_at(&t->live, run->layout, task->op, task->buffer);
    }
    t->digest = sw_fold(sw_fold(t->digest, (uint64_t)d->kind << 32 | d->buffer), id);
    t->digest = sw_fold(t->digest, id == SW_NONE ? 0 : t->ids.ids.items[id].bytes);
    t->at++;
}

/* The chosen candidate lies where the decision says, also when making room moved it. */
static void correct_chosen(struct sw_run *run, uint64_t offset) {
    for (size_t k = 0; run->explain && k < run->explain->candidates.count; k++) {
        struct sw_candidate *c = &run->explain->candidates.items[k];
        c->offset = c->verdict == SW_VERDICT_CHOSEN ? offset : c->offset;
    }
}

/* ---- carrying out ---- */

/* Record the legal overlaps of a tensor that has just joined an id: those it overwrites at its
 * birth, and those that have the very same bytes. */
static bool permit_overlaps(struct token *t, struct sw_run *run, uint32_t id, uint32_t b, uint32_t input) {
    const struct sw_buffer *fresh = sw_problem_buffer(run->problem, b);
    for (uint32_t o = t->ids.ids.items[id].head; o != SW_NONE; o = t->ids.next[o]) {
        const struct sw_buffer *old = sw_problem_buffer(run->problem, o);
        bool same = t->ids.value[o] == t->ids.value[b];
        run->work++;
        if (o != b && (o == input || same) && fresh->size > 0 && old->size > 0 && old->first <= fresh->last &&
            fresh->first <= old->last && !sw_layout_permit(run->layout, &(struct sw_permit){b, o, fresh->first})) {
            return false;
        }
    }
    return true;
}

static bool place_in(struct token *t, struct sw_run *run, uint32_t id, uint32_t b) {
    const struct token_id *i = &t->ids.ids.items[id];
    uint64_t arena = sw_layout_arena(run->layout, i->tier);
    bool ok = sw_layout_place(run->layout, b, i->tier, i->offset);
    sw_layout_set_arena(run->layout, i->tier, arena);
    return ok;
}

/* An id that stays in its place as more tensors join it, unless ranges are forbidden to those. */
static bool make_way_for_id(struct token *t, struct sw_run *run, uint32_t id) {
    return run->rules.forbids.count == 0 || sw_token_layout(&t->ids, t->graph, run, id);
}

static bool reuse_id(struct token *t, struct sw_run *run, const struct token_task *task, const struct option *o) {
    uint32_t b = task->buffer, input = o->other;
    if (o->reshape) {
        t->ids.value[b] = t->ids.value[input];
    }
    t->ids.ids.items[o->id].count += sw_token_info(t, b)->count;
    t->ids.ids.items[o->id].reused_by = task->op;
    sw_token_join(&t->ids, o->id, b);
    return make_way_for_id(t, run, o->id) && place_in(t, run, o->id, b) && permit_overlaps(t, run, o->id, b, input);
}

static bool occupy_id(struct token *t, const struct token_task *task, uint32_t id) {
    struct token_id *i = &t->ids.ids.items[id];
    i->count = sw_token_info(t, task->buffer)->count;
    uint32_t call = task->call == SW_NONE ? 0 : task->call;
    return task->layer == TOKEN_OPERATOR || sw_token_occupy(&t->ids, id, call);
}

static bool take_id_block(struct token *t, struct sw_run *run, const struct token_task *task, uint32_t id) {
    const struct token_info *info = sw_token_info(t, task->buffer);
    struct token_id *i = &t->ids.ids.items[id];
    uint64_t alignment = sw_multiple_up_to(i->alignment, info->alignment, SW_MAX_BYTES);
    bool changed = alignment != i->alignment || info->bytes > i->bytes || run->rules.forbids.count > 0;
    sw_token_take(&t->ids, id);
    i->alignment = alignment;
    i->bytes = SW_MAX(info->bytes, i->bytes);
    sw_token_join(&t->ids, id, task->buffer);
    return occupy_id(t, task, id) && (!changed || sw_token_layout(&t->ids, t->graph, run, id)) &&
           place_in(t, run, id, task->buffer);
}

static bool make_id(struct token *t, struct sw_run *run, const struct token_task *task, uint32_t tier, uint32_t *id) {
    const struct token_info *info = sw_token_info(t, task->buffer);
    *id = sw_token_id_new(&t->ids, tier, info->bytes, info->alignment);
    if (*id == SW_NONE) {
        return false;
    }
    t->ids.ids.items[*id].floor = t->ids.top[tier];
    sw_token_join(&t->ids, *id, task->buffer);
    return occupy_id(t, task, *id) && sw_token_layout(&t->ids, t->graph, run, *id) &&
           place_in(t, run, *id, task->buffer);
}

/* A pinned tensor has an id of its own. */
static enum sw_step place_pinned_token(struct token *t, struct sw_run *run, const struct token_task *task,
                                       struct sw_decision *d) {
    bool done;
    enum sw_step result = sw_place_settled(run, task->buffer, &done, d);
    if (result != SW_STEP_MORE) {
        return result;
    }
    const struct token_info *info = sw_token_info(t, task->buffer);
    uint64_t size = sw_problem_buffer(run->problem, task->buffer)->size;
    uint32_t id = sw_token_id_new(&t->ids, d->tier, size, info->alignment);
    if (id == SW_NONE) {
        return sw_step_memory(run);
    }
    t->ids.ids.items[id].fixed = true;
    t->ids.ids.items[id].offset = d->offset;
    sw_token_join(&t->ids, id, task->buffer);
    if (!occupy_id(t, task, id) || !sw_token_layout(&t->ids, t->graph, run, id)) {
        return sw_step_memory(run);
    }
    tell_task(t, run, task, SW_DECISION_NEW, id, d);
    d->made.bytes = size;
    return SW_STEP_MORE;
}

/* The user wants a candidate. */
static bool choose_option(struct token *t, const struct sw_run *run, size_t *picked) {
    uint32_t count = (uint32_t)t->options.count;
    if (run->choice >= count || !sw_token_fits(t, &t->options.items[run->choice], *picked)) {
        sw_place_no_candidate(run, count);
        return false;
    }
    *picked = (size_t)run->choice;
    return true;
}

/* How large the id was before and is now. */
static void tell_bytes(struct sw_decision *d, uint64_t before, uint64_t bytes) {
    struct sw_before_after sizes = {(double)before, (double)bytes};
    if (d->kind == SW_DECISION_REUSE) {
        d->reuse.bytes = bytes;
        d->reuse.sizes = sizes;
    } else if (d->kind == SW_DECISION_NEW) {
        d->made.bytes = bytes;
        d->made.sizes = sizes;
    } else if (d->kind == SW_DECISION_ENLARGE) {
        d->enlarge.delta = bytes - before;
        d->enlarge.sizes = sizes;
    } else {
        d->request.bytes = bytes;
        d->request.sizes = sizes;
    }
}

static bool carry_out_option(struct token *t, struct sw_run *run, const struct token_task *task, struct option o,
                             struct sw_decision *d) {
    uint32_t id = o.id;
    uint64_t before = id == SW_NONE ? 0 : t->ids.ids.items[id].bytes;
    bool ok = o.kind == OPTION_INPUT   ? reuse_id(t, run, task, &o)
              : o.kind == OPTION_BLOCK ? take_id_block(t, run, task, id)
                                       : make_id(t, run, task, o.tier, &id);
    if (!ok) {
        return false;
    }
    enum sw_decision_kind kind = o.kind == OPTION_INPUT     ? SW_DECISION_REUSE
                                 : o.kind == OPTION_NEW     ? SW_DECISION_NEW
                                 : o.answer == ANSWER_SMALL ? SW_DECISION_ENLARGE
                                                            : SW_DECISION_REQUEST;
    d->candidates = (uint32_t)t->options.count;
    tell_task(t, run, task, kind, id, d);
    tell_bytes(d, before, t->ids.ids.items[id].bytes);
    if (o.kind == OPTION_INPUT) {
        d->reuse.over = o.other;
    }
    correct_chosen(run, d->offset);
    return true;
}

static enum sw_step place_token(struct token *t, struct sw_run *run, const struct token_task *task,
                                struct sw_decision *d) {
    struct sw_pin pin;
    char name[SW_SHORT_NAME];
    sw_place_begin(run, task->buffer, d);
    d->time = task->op == SW_NONE ? d->time : task->op;
    if (sw_rules_pin(run->problem, &run->rules, task->buffer, &pin)) {
        return place_pinned_token(t, run, task, d);
    }
    if (sw_token_info(t, task->buffer)->tiers == 0) {
        return SW_STEP_FAIL(run, SW_ERROR_INFEASIBLE,
                            "%s is touched by units that reach no memory in common, and this planner "
                            "makes no copies",
                            sw_place_name(run->problem, task->buffer, name));
    }
    if (!sw_token_gather(t, run, task)) {
        return SW_STEP_FAILED;
    }
    size_t picked = sw_token_pick(t, task->buffer);
    if (task->kind == TASK_MODEL) { /* fresh: the pool is empty yet */
        picked = t->options.count - 1;
    }
    d->forced = run->choice >= 0;
    if (d->forced && !choose_option(t, run, &picked)) {
        return SW_STEP_FAILED;
    }
    d->reason = task->kind == TASK_MODEL && !d->forced
                    ? "a model input or constant has an id of its own, which is never freed"
                    : sw_token_reason(&t->options.items[picked], d->forced);
    return sw_token_explain(t, run, task->buffer, picked, d->reason) &&
                   carry_out_option(t, run, task, t->options.items[picked], d)
               ? SW_STEP_MORE
               : sw_step_memory(run);
}

/* ---- the other decisions ---- */

static const char *token_reason(const struct token *t, const struct sw_run *run, uint32_t b) {
    const struct token_info *info = sw_token_info(t, b);
    bool output = sw_problem_buffer(run->problem, b)->output;
    if (info->part_count > 0) {
        return "a tuple has the tokens of its branches";
    }
    if (info->root != b) {
        return "a branch of a tuple has the token of that branch";
    }
    if (info->hull) {
        return "its lifetime in pieces is taken by its hull";
    }
    return output                       ? "a network output counts one more than its readers"
           : info->layer == TOKEN_MODEL ? "a model input or constant counts one more than its readers"
                                        : "as many as it has readers";
}

static bool tell_adopt(struct token *t, struct sw_run *run, const struct token_task *task, struct sw_decision *d) {
    const struct token_info *info = sw_token_info(t, task->buffer);
    sw_decision_clear(d);
    tell_task(t, run, task, SW_DECISION_ADOPT, SW_NONE, d);
    d->size = info->size;
    d->adopt.before = info->before;
    d->adopt.sizes = (struct sw_before_after){(double)info->before, (double)info->size};
    d->adopt.typed = sw_token_bytes_after(t->graph, task->buffer, TERM_TYPE);
    d->adopt.padded = sw_token_bytes_after(t->graph, task->buffer, TERM_CHANNELS);
    d->reason = info->adopted;
    return sw_token_explain_size(t->graph, run, task->buffer);
}

static bool tell_token(struct token *t, struct sw_run *run, const struct token_task *task, struct sw_decision *d) {
    const struct token_info *info = sw_token_info(t, task->buffer);
    uint32_t root = info->part_count > 0 ? t->graph->parts.items[info->part] : info->root;
    sw_decision_clear(d);
    tell_task(t, run, task, SW_DECISION_TOKEN, SW_NONE, d);
    d->size = info->bytes;
    d->token.uses = sw_token_info(t, root)->count;
    d->token.shares = root == task->buffer ? SW_NONE : root;
    d->reason = token_reason(t, run, task->buffer);
    return true;
}

/* A tensor that shares a pinned memory cannot step over a range that is forbidden to it. */
static bool in_forbidden(const struct token *t, const struct sw_run *run, uint32_t b) {
    const struct token_id *id = &t->ids.ids.items[sw_token_id(t, b)];
    const struct sw_buffer *buffer = sw_problem_buffer(run->problem, b);
    for (size_t i = 0; id->fixed && i < run->rules.forbids.count; i++) {
        const struct sw_forbid *f = &run->rules.forbids.items[i];
        if (f->buffer == b && f->tier == id->tier && f->lo < id->offset + buffer->size && id->offset < f->hi) {
            char one[SW_SHORT_NAME], other[SW_SHORT_NAME];
            sw_fail(run->error, SW_ERROR_INFEASIBLE,
                    "%s shares the memory of %s, which is pinned into a range forbidden to %s",
                    sw_place_name(run->problem, b, one), sw_place_name(run->problem, sw_token_info(t, b)->root, other),
                    one);
            return true;
        }
    }
    return false;
}

static bool tell_alias(struct token *t, struct sw_run *run, const struct token_task *task, struct sw_decision *d) {
    uint32_t b = task->buffer, id = sw_token_id(t, b);
    const struct token_info *info = sw_token_info(t, b);
    bool tuple = info->part_count > 0;
    if (!tuple) {
        t->ids.value[b] = t->ids.value[info->root];
    }
    sw_token_join(&t->ids, id, b);
    if (!make_way_for_id(t, run, id) || !place_in(t, run, id, b) ||
        (!tuple && !permit_overlaps(t, run, id, b, SW_NONE))) {
        return false;
    }
    sw_decision_clear(d);
    tell_task(t, run, task, SW_DECISION_SHARE, id, d);
    d->size = sw_problem_buffer(run->problem, b)->size;
    d->share.with = tuple ? t->graph->parts.items[info->part] : info->root;
    d->reason = tuple ? "a tuple has the tokens of its branches and no bytes of its own"
                      : "a branch of a tuple has the token of that branch, no copy";
    return true;
}

static bool tell_share(struct token *t, struct sw_run *run, const struct token_task *task, struct sw_decision *d) {
    sw_decision_clear(d);
    tell_task(t, run, task, SW_DECISION_SHARE, sw_token_id(t, task->buffer), d);
    d->size = sw_problem_buffer(run->problem, task->buffer)->size;
    d->reason = "the operator's tensor is its function's, so one id and no copy";
    return true;
}

/* One reader fewer. SW_STEP_DONE: others are left, and nothing was decided. */
static enum sw_step drop_reader(struct token *t, struct sw_run *run, const struct token_task *task,
                                struct sw_decision *d) {
    uint32_t id = t->ids.id_of[task->buffer];
    struct token_id *i = &t->ids.ids.items[id];
    if (i->count > (task->kind == TASK_DROP ? 1 : 0)) {
        i->count -= task->kind == TASK_DROP;
        t->at++;
        return SW_STEP_DONE;
    }
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    i->count = 0;
    if (!sw_token_release(&t->ids, id, task->call, task->op, task->layer)) {
        return sw_step_memory(run);
    }
    sw_decision_clear(d);
    tell_task(t, run, task, SW_DECISION_RELEASE, id, d);
    d->size = t->ids.ids.items[id].bytes;
    d->reason = i->fixed ? "its last reader has run; it is pinned, so no other buffer takes its place"
                : task->kind == TASK_UNREAD ? "no operator reads it: it goes straight back"
                                            : "its last reader has run";
    return SW_STEP_MORE;
}

/* What is told and has no other choice; false: no memory. */
static bool (*const tellers[])(struct token *, struct sw_run *, const struct token_task *, struct sw_decision *) = {
    [TASK_ADOPT] = tell_adopt, [TASK_TOKEN] = tell_token, [TASK_ALIAS] = tell_alias, [TASK_SHARE] = tell_share};

static enum sw_step decide_task(struct token *t, struct sw_run *run, const struct token_task *task,
                                struct sw_decision *d) {
    if (task->kind == TASK_DROP || task->kind == TASK_UNREAD) {
        return drop_reader(t, run, task, d);
    }
    if (!tellers[task->kind]) {
        return place_token(t, run, task, d);
    }
    if (run->choice >= 0) {
        return sw_place_no_candidate(run, 0);
    }
    if (task->kind == TASK_ALIAS && in_forbidden(t, run, task->buffer)) {
        return SW_STEP_FAILED;
    }
    return tellers[task->kind](t, run, task, d) ? SW_STEP_MORE : sw_step_memory(run);
}

static enum sw_step token_step(void *state, struct sw_run *run, struct sw_decision *decision) {
    struct token *t = state;
    while (t->at < t->graph->tasks.count) {
        const struct token_task *task = &t->graph->tasks.items[t->at];
        if (task->kind != TASK_BEGIN) {
            enum sw_step step = decide_task(t, run, task, decision);
            if (step != SW_STEP_DONE) {
                return step;
            }
        } else if (sw_token_enter(&t->ids, task->call, &run->work)) {
            t->at++;
        } else {
            return sw_step_memory(run);
        }
    }
    return SW_STEP_DONE;
}

/* ---- overrides ---- */

static bool pin_token(struct token *t, struct sw_run *run, const struct sw_override *o) {
    const struct token_info *info = sw_token_info(t, o->buffer);
    const char *name = sw_problem_buffer(run->problem, o->buffer)->name;
    if (info->root != o->buffer) {
        return sw_fail(run->error, SW_ERROR_UNSUPPORTED,
                       "%s has no memory of its own: it is a tuple or a branch of one", name);
    }
    if (o->offset % info->alignment != 0) {
        return sw_fail(run->error, SW_ERROR_UNSUPPORTED,
                       "%s and what shares its token need a multiple of %llu; %llu is not", name,
                       (unsigned long long)info->alignment, (unsigned long long)o->offset);
    }
    uint32_t id = t->ids.id_of[o->buffer];
    if (id == SW_NONE) {
        return true;
    }
    struct token_id *i = &t->ids.ids.items[id];
    if (i->head != i->tail) {
        return sw_fail(run->error, SW_ERROR_UNSUPPORTED,
                       "%s shares id %u with other tensors, and this planner deals in ids, not in "
                       "addresses; go back to before its decision to pin it",
                       name, (unsigned)id);
    }
    sw_token_take(&t->ids, id);
    i->fixed = true;
    i->tier = o->tier;
    i->offset = o->offset;
    return true;
}

static bool token_constrain(void *state, struct sw_run *run, const struct sw_override *override) {
    struct token *t = state;
    if (override->kind == SW_OVERRIDE_CHOOSE) {
        return true;
    }
    if (override->kind == SW_OVERRIDE_PIN && !pin_token(t, run, override)) {
        return false;
    }
    return sw_token_layout_all(&t->ids, t->graph, run) || sw_fail_memory(run->error);
}

/* ---- figures ---- */

static bool token_details(const void *state, const struct sw_run *run, struct sw_details *to) {
    const struct token *t = state;
    bool ok = sw_detail_integer(to, "saved_bytes", (int64_t)t->graph->saved_bytes);
    for (uint32_t b = 0; ok && b < t->graph->buffer_count; b++) {
        if (sw_layout_placed(run->layout, b)) {
            ok = sw_detail_of(to, "ids", b, sw_token_id(t, b));
        }
    }
    for (size_t i = 0; ok && i < t->ids.ids.count; i++) {
        ok = sw_detail_element(to, "allocated", (int64_t)t->ids.ids.items[i].bytes);
    }
    for (uint32_t b = 0; ok && b < t->graph->buffer_count; b++) {
        if (sw_token_info(t, b)->adopted) {
            ok = sw_detail_of(to, "declared_bytes", b, (int64_t)sw_token_info(t, b)->before);
        }
    }
    return ok;
}

const struct sw_planner sw_token_sharing = {
    .name = "token-sharing",
    .summary = "Memory ids shared between compute units: reuse in place, request, enlarge, release",
    .needs = SW_NEEDS_OPERATORS,
    .reads = SW_READS_BREEDING,
    .group_noun = "layer",
    .parameters = token_parameters,
    .derive = sw_token_derive,
    .open = token_open,
    .step = token_step,
    .described = &token_described,
    .constrain = token_constrain,
    .details = token_details,
    .state = sw_token_state,
    .because = sw_token_because,
};
