/* token-sharing, rule (c): where a tensor may go. See token_sharing.c.
 *
 * The options are numbered as candidates: first the inputs that its operator could overwrite, as
 * listed; then the free pool in its order; last a new id. The rules take the first input that can
 * be overwritten; else, memory space by memory space, the first block that is large enough, the
 * last one that is not, or a new id. */
#include "planners/tokens/token.h"
#include "base/base.h"

/* ---- small answers ---- */

const struct token_info *sw_token_info(const struct token *t, uint32_t b) {
    return &t->graph->info[b];
}

uint32_t sw_token_id(const struct token *t, uint32_t b) {
    const struct token_info *info = sw_token_info(t, b);
    uint32_t root = info->part_count > 0 ? t->graph->parts.items[info->part] : info->root;
    return root == SW_NONE ? SW_NONE : t->ids.id_of[root];
}

/* A tensor of the id that `b` may not share bytes with, but for `but`; SW_NONE: there is none. */
static uint32_t alive_in(const struct token *t, struct sw_run *run, uint32_t id, uint32_t b, uint32_t but) {
    if (t->graph->simple) {
        return SW_NONE;
    }
    for (uint32_t o = t->ids.ids.items[id].head; o != SW_NONE; o = t->ids.next[o]) {
        run->work++;
        if (o != but && (but == SW_NONE || t->ids.value[o] != t->ids.value[but]) &&
            sw_problem_conflict(run->problem, b, o) != SW_CONFLICT_NONE) {
            return o;
        }
    }
    return SW_NONE;
}

/* ---- the options of a placing ---- */

/* May the task's output be written over `o.other`, as far as the blocks are concerned? `readers`: how many
 * of the remaining ones are this node. */
static struct option weigh_token(const struct token *t, const struct token_task *task, struct option o,
                                 uint32_t readers) {
    const struct token_info *info = sw_token_info(t, task->buffer);
    o.id = sw_token_id(t, o.other);
    const struct token_id *i = &t->ids.ids.items[o.id];
    bool taken = task->layer == TOKEN_OPERATOR || i->reused_by == SW_NONE
                     ? i->reused_by == task->op
                     : t->graph->call_of[i->reused_by] == task->call;
    o.tier = i->tier;
    o.number = i->count > readers ? i->count - readers : 0;
    o.answer = sw_token_info(t, sw_token_info(t, o.other)->root)->layer == TOKEN_MODEL ? ANSWER_NEVER
               : i->fixed                                                              ? ANSWER_PINNED
               : taken                                                                 ? ANSWER_TAKEN
               : !o.reshape && o.number > 0                                            ? ANSWER_READERS
               : !(info->tiers >> i->tier & 1)                                         ? ANSWER_SPACE
               : i->bytes < info->bytes                                                ? ANSWER_LESS
               : i->alignment % info->alignment != 0                                   ? ANSWER_ALIGNS
                                                                                       : ANSWER_FITS;
    return o;
}

/* No other tensor of the id may be alive. */
static void weigh_others(const struct token *t, struct sw_run *run, uint32_t b, struct option *o) {
    uint32_t other = o->answer == ANSWER_FITS ? alive_in(t, run, o->id, b, o->other) : SW_NONE;
    if (other != SW_NONE) {
        o->other = other;
        o->answer = ANSWER_ALIVE;
    }
}

/* May the operator overwrite `in` (rule "reuse condition")? */
static struct option weigh_input(struct token *t, struct sw_run *run, const struct token_task *task, uint32_t in) {
    const struct sw_operator *op = sw_problem_operator(run->problem, task->op);
    const struct sw_buffer *old = sw_problem_buffer(run->problem, in);
    const struct sw_buffer *fresh = sw_problem_buffer(run->problem, task->buffer);
    bool reshape = sw_token_pure_reshape(t->graph, op, in, task->buffer);
    struct option o =
        weigh_token(t, task, (struct option){OPTION_INPUT, .other = in, .input = in, .reshape = reshape}, 1);
    if (o.answer == ANSWER_FITS && !o.reshape && fresh->size > old->size) {
        o.answer = ANSWER_SMALLER;
        o.number = old->size;
    } else if (o.answer == ANSWER_FITS &&
               (fresh->first != task->op || (!o.reshape && (old->last != task->op || old->output)))) {
        o.answer = ANSWER_ALIVE;
    }
    weigh_others(t, run, task->buffer, &o);
    return o;
}

/* May the function overwrite its input? A chain of several operators ends after the input has died:
 * nothing is written over what is still read, so it may be smaller than its block. */
static struct option weigh_function(struct token *t, struct sw_run *run, const struct token_task *task,
                                    struct token_input input) {
    const struct sw_buffer *old = sw_problem_buffer(run->problem, input.buffer);
    const struct sw_buffer *fresh = sw_problem_buffer(run->problem, task->buffer);
    const struct token_chain *chain = sw_token_chain(t->graph, input.buffer, task->buffer);
    struct option o = {OPTION_INPUT, .other = input.buffer, .input = input.buffer, .function = true,
                       .reshape = chain && chain->reshape};
    o = weigh_token(t, task, o, input.first ? 0 : 1);
    if (o.answer != ANSWER_NEVER && (!chain || chain->answer != CHAIN_WHOLE)) {
        o.answer = !chain ? ANSWER_CHAIN : chain->answer == CHAIN_LATER ? ANSWER_LATER : ANSWER_READ;
        o.number = chain ? chain->op : SW_NONE;
        o.through = chain ? chain->through : SW_NONE;
    } else if (o.answer == ANSWER_FITS && !o.reshape && chain->length == 1 && fresh->size > old->size) {
        o.answer = ANSWER_SMALLER;
        o.number = old->size;
    } else if (o.answer == ANSWER_FITS && !chain->one_core) {
        o.answer = ANSWER_CORES;
    } else if (o.answer == ANSWER_FITS && !o.reshape) {
        bool over = chain->length == 1 && old->last == task->op && !old->output;
        o.answer =
            fresh->first == task->op && (over || old->last < fresh->first) && !old->output ? ANSWER_FITS : ANSWER_ALIVE;
    } else if (o.answer == ANSWER_FITS && fresh->first != task->op) {
        o.answer = ANSWER_ALIVE;
    }
    weigh_others(t, run, task->buffer, &o);
    return o;
}

/* On several cores: does everything that touches the tensor run on this core? */
static bool is_used_by_core(const struct sw_problem *problem, uint32_t b, uint32_t core) {
    for (uint32_t o = 0; o < sw_problem_operator_count(problem); o++) {
        if (sw_problem_operator(problem, o)->core != core &&
            (sw_problem_reads(problem, o, b) || sw_problem_writes(problem, o, b))) {
            return false;
        }
    }
    return true;
}

/* The reuse condition of a script, where there is one: it may refuse what the graph permits, and not the reverse. */
static bool ask_reuse(struct token *t, struct sw_run *run, const struct token_task *task, struct option *o) {
    const struct sw_breeding *breeding = run->params->breeding;
    char refused[200] = "", fresh[SW_SHORT_NAME], over[SW_SHORT_NAME];
    if (!breeding || !breeding->reuse) {
        return true;
    }
    if (o->answer != ANSWER_FITS) {
        sw_token_say_input(t, run, o, task->buffer, refused, sizeof refused);
    }
    uint32_t input = o->input;
    struct sw_reuse_scene scene = {.problem = run->problem,
                                   .fresh = task->buffer,
                                   .over = input,
                                   .op = task->op,
                                   .id = o->id,
                                   .tier = t->ids.ids.items[o->id].tier,
                                   .bytes = sw_token_info(t, task->buffer)->bytes,
                                   .allocated = t->ids.ids.items[o->id].bytes,
                                   .function = o->function,
                                   .reshape = o->reshape,
                                   .refused = *refused ? refused : NULL};
    bool takes = false;
    if (!breeding->reuse(breeding->context, &scene, &takes, &o->why, run->error)) {
        return false;
    }
    if (takes && *refused) {
        return sw_fail(run->error, SW_ERROR_INPUT, "reuse of %s: %s cannot be written over %s: %s", breeding->name,
                       sw_place_name(run->problem, task->buffer, fresh), sw_place_name(run->problem, input, over),
                       refused);
    }
    o->answer = takes || *refused ? o->answer : ANSWER_SCRIPT;
    return true;
}

/* What holds for a node of either layer. */
static bool add_input_option(struct token *t, struct sw_run *run, const struct token_task *task, struct option o) {
    uint32_t core = sw_problem_operator(run->problem, task->op)->core;
    uint32_t in = o.other;
    if (o.answer == ANSWER_FITS && sw_place_kept_separate(run->problem, in, task->buffer)) {
        o.answer = ANSWER_ALIVE;
    }
    if (o.answer == ANSWER_FITS && sw_problem_core_count(run->problem) > 1 &&
        (!is_used_by_core(run->problem, in, core) || !is_used_by_core(run->problem, task->buffer, core))) {
        o.answer = ANSWER_CORES;
        o.other = is_used_by_core(run->problem, in, core) ? task->buffer : in;
    }
    if (o.answer == ANSWER_FITS && (t->reuse == REUSE_NONE || (t->reuse == REUSE_RESHAPE && !o.reshape))) {
        o.answer = ANSWER_OFF;
    }
    return ask_reuse(t, run, task, &o) && (SW_PUSH(&t->options, o) || sw_fail_memory(run->error));
}

static bool gather_of_operator(struct token *t, struct sw_run *run, const struct token_task *task) {
    const struct sw_operator *op = sw_problem_operator(run->problem, task->op);
    bool ok = true;
    for (uint32_t i = 0; ok && i < op->input_count; i++) {
        uint32_t in = op->inputs[i].buffer;
        if (!sw_token_marked(op, in, task->buffer) || sw_token_info(t, in)->root == SW_NONE ||
            sw_token_id(t, in) == SW_NONE || in == task->buffer) {
            continue;
        }
        if (task->layer == TOKEN_OPERATOR && sw_token_info(t, sw_token_info(t, in)->root)->layer != TOKEN_OPERATOR) {
            continue; /* inner tensors take over inner ones only */
        }
        bool reshape = sw_token_pure_reshape(t->graph, op, in, task->buffer);
        if (op->inplace == SW_INPLACE_NO && !reshape) {
            continue; /* a reshape that does more than to reshape, and that the graph does not mark */
        }
        struct option o = weigh_input(t, run, task, in);
        if (o.answer == ANSWER_FITS && !reshape && !sw_token_plain(op, task->buffer, in)) {
            o.answer = ANSWER_ALIVE; /* the operator needs it in another way, too */
        }
        ok = add_input_option(t, run, task, o);
    }
    return ok;
}

/* Every input of the function that has its token already. */
static bool gather_of_function(struct token *t, struct sw_run *run, const struct token_task *task) {
    const struct token_call *call = &t->graph->calls[task->call];
    bool ok = true;
    for (uint32_t i = call->input; ok && i < call->input + call->input_count; i++) {
        struct token_input input = t->graph->inputs.items[i];
        bool there = sw_token_info(t, input.buffer)->layer != TOKEN_OPERATOR && sw_token_id(t, input.buffer) != SW_NONE;
        run->work++;
        ok = !there || add_input_option(t, run, task, weigh_function(t, run, task, input));
    }
    return ok;
}

static bool gather_inputs(struct token *t, struct sw_run *run, const struct token_task *task) {
    if (task->kind != TASK_OUTPUT) {
        return true;
    }
    return task->layer == TOKEN_OPERATOR || t->graph->calls[task->call].own ? gather_of_operator(t, run, task)
                                                                            : gather_of_function(t, run, task);
}

/* The sizes of blocks that are taken for a tensor of `size` bytes: [size / match, size * match]. */
struct size_window {
    uint64_t least, most;
};
static struct size_window size_window(const struct token *t, uint64_t size) {
    struct size_window window = {0, UINT64_MAX};
    if (t->match > 0) {
        window.least = size / t->match;
        if (__builtin_mul_overflow(size, t->match, &window.most)) {
            window.most = UINT64_MAX;
        }
    }
    return window;
}

static struct option weigh_block(struct token *t, struct sw_run *run, uint32_t id, uint32_t b) {
    const struct token_id *i = &t->ids.ids.items[id];
    const struct token_info *info = sw_token_info(t, b);
    struct option o = {.kind = OPTION_BLOCK, .id = id, .other = SW_NONE, .tier = i->tier};
    struct size_window window = size_window(t, info->bytes);
    run->work++;
    if (!(info->tiers >> i->tier & 1)) {
        o.answer = ANSWER_SPACE;
    } else if (i->bytes < window.least || i->bytes > window.most) {
        o.answer = ANSWER_WINDOW;
    } else if (sw_multiple_up_to(i->alignment, info->alignment, SW_MAX_BYTES) > SW_MAX_ALIGNMENT) {
        o.answer = ANSWER_ALIGNS;
    } else {
        o.other = alive_in(t, run, id, b, SW_NONE);
        o.answer = o.other != SW_NONE ? ANSWER_ALIVE : i->bytes >= info->bytes ? ANSWER_FITS : ANSWER_SMALL;
    }
    if (o.answer == ANSWER_SMALL) {
        uint64_t capacity = sw_problem_tier(run->problem, i->tier)->capacity;
        o.number = info->bytes - i->bytes;
        bool last = info->tiers >> i->tier == 1;
        if (!last && t->ids.top[i->tier] + o.number > capacity) {
            o.answer = ANSWER_FULL;
        }
    }
    return o;
}

/* The tier a new id would go to. */
static uint32_t tier_for_new(const struct token *t, const struct sw_run *run, uint32_t b) {
    const struct token_info *info = sw_token_info(t, b);
    for (uint64_t tiers = info->tiers; tiers != 0; tiers &= tiers - 1) {
        uint32_t tier = (uint32_t)__builtin_ctzll(tiers);
        uint64_t capacity = sw_problem_tier(run->problem, tier)->capacity;
        uint64_t at = sw_token_end(&t->ids, t->graph, run, tier, info->bytes, info->alignment);
        if ((tiers & (tiers - 1)) == 0 || (at <= capacity && info->bytes <= capacity - at)) {
            return tier;
        }
    }
    return SW_NONE;
}

bool sw_token_gather(struct token *t, struct sw_run *run, const struct token_task *task) {
    t->options.count = 0;
    bool ok = gather_inputs(t, run, task);
    for (size_t i = 0; ok && i < t->ids.pool.count; i++) {
        ok =
            SW_PUSH(&t->options, weigh_block(t, run, t->ids.pool.items[i], task->buffer)) || sw_fail_memory(run->error);
    }
    struct option fresh = {
        .kind = OPTION_NEW, .id = SW_NONE, .other = SW_NONE, .tier = tier_for_new(t, run, task->buffer)};
    return ok && (SW_PUSH(&t->options, fresh) || sw_fail_memory(run->error));
}

/* Reuse, else tier by tier the first that is large enough, else the last below, else a new one. */
size_t sw_token_pick(const struct token *t, uint32_t b) {
    const struct option *options = t->options.items;
    size_t count = t->options.count, fresh = count - 1;
    for (size_t i = 0; i < count; i++) {
        if (options[i].kind == OPTION_INPUT && options[i].answer == ANSWER_FITS) {
            return i;
        }
    }
    for (uint64_t tiers = sw_token_info(t, b)->tiers; tiers != 0; tiers &= tiers - 1) {
        uint32_t tier = (uint32_t)__builtin_ctzll(tiers);
        size_t last = count;
        for (size_t i = 0; i < count; i++) {
            if (options[i].kind != OPTION_BLOCK || options[i].tier != tier) {
                continue;
            }
            if (options[i].answer == ANSWER_FITS) {
                return i;
            }
            last = options[i].answer == ANSWER_SMALL ? i : last;
        }
        if (last < count) {
            return last;
        }
        if (options[fresh].tier == tier) {
            return fresh;
        }
    }
    return fresh;
}

/* ---- explaining ---- */

void sw_token_say_input(const struct token *t, const struct sw_run *run, const struct option *o, uint32_t b, char *text,
                        size_t size) {
    const struct token_id *i = &t->ids.ids.items[o->id];
    char name[SW_SHORT_NAME];
    const char *other = sw_place_name(run->problem, o->other, name);
    unsigned long long number = o->number, bytes = i->bytes;
    switch (o->answer) {
    case ANSWER_NEVER:
        snprintf(text, size, "id %u: %s is a model input or constant and is never overwritten", o->id, other);
        break;
    case ANSWER_PINNED:
        snprintf(text, size, "id %u: %s is pinned and shares with no other buffer", o->id, other);
        break;
    case ANSWER_TAKEN:
        snprintf(text, size, "id %u: another result of this %s overwrites it", o->id,
                 o->function ? "function" : "operator");
        break;
    case ANSWER_READERS:
        snprintf(text, size, "id %u: %s has %llu other remaining %s", o->id, other, number,
                 number == 1 ? "reader" : "readers");
        break;
    case ANSWER_SPACE:
        snprintf(text, size, "id %u: it lies in another memory space, %.40s", o->id,
                 sw_problem_tier(run->problem, i->tier)->name);
        break;
    case ANSWER_LESS:
        snprintf(text, size, "id %u: %s are allocated, %s are needed", o->id, SW_BYTES(bytes),
                 SW_BYTES(sw_token_info(t, b)->bytes));
        break;
    case ANSWER_SMALLER:
        snprintf(text, size, "id %u: the input has %s, %s would be written over it", o->id, SW_BYTES(number),
                 SW_BYTES(sw_problem_buffer(run->problem, b)->size));
        break;
    case ANSWER_ALIGNS:
        snprintf(text, size, "id %u: its alignment %llu does not suit alignment %llu", o->id,
                 (unsigned long long)i->alignment, (unsigned long long)sw_token_info(t, b)->alignment);
        break;
    case ANSWER_CORES:
        snprintf(text, size, "id %u: %s is also touched on another core", o->id, other);
        break;
    case ANSWER_OFF:
        snprintf(text, size, "id %u: %s could be overwritten, and reuse=%s is against it", o->id, other,
                 t->reuse == REUSE_NONE ? "none" : "reshape");
        break;
    case ANSWER_SCRIPT:
        snprintf(text, size, "id %u: %s could be overwritten, and the script is against it%s%.80s", o->id, other,
                 o->why ? ": " : "", o->why ? o->why : "");
        break;
    case ANSWER_CHAIN:
        snprintf(text, size, "id %u: no chain of in-place operators of the function leads from %s", o->id, other);
        break;
    case ANSWER_LATER:
        snprintf(text, size, "id %u: %.40s of the function uses %s later", o->id,
                 sw_problem_operator(run->problem, (uint32_t)number)->name, other);
        break;
    case ANSWER_READ:
        snprintf(text, size, "id %u: %.40s reads %s, which lies between, too", o->id,
                 sw_problem_operator(run->problem, (uint32_t)number)->name,
                 sw_place_name(run->problem, o->through, name));
        break;
    default:
        snprintf(text, size, "id %u: %s is still alive after this %s", o->id, other,
                 o->function ? "function" : "operator");
        break;
    }
}

static void say_token_block(const struct token *t, const struct sw_run *run, const struct option *o, uint32_t b,
                            char *text, size_t size) {
    const struct token_id *i = &t->ids.ids.items[o->id];
    const struct token_info *info = sw_token_info(t, b);
    unsigned long long bytes = i->bytes, want = info->bytes;
    char name[SW_SHORT_NAME];
    switch (o->answer) {
    case ANSWER_WINDOW:
        snprintf(text, size, "id %u (%s): outside the window %llu..%s", o->id, SW_BYTES(bytes),
                 (unsigned long long)size_window(t, want).least, SW_BYTES(size_window(t, want).most));
        break;
    case ANSWER_SPACE:
        snprintf(text, size, "id %u (%s): other space: it lies in %.40s", o->id, SW_BYTES(bytes),
                 sw_problem_tier(run->problem, i->tier)->name);
        break;
    case ANSWER_ALIVE:
        snprintf(text, size, "id %u (%s): %s, which it held, is alive at the same time", o->id, SW_BYTES(bytes),
                 sw_place_name(run->problem, o->other, name));
        break;
    case ANSWER_ALIGNS:
        snprintf(text, size, "id %u (%s): alignments %llu and %llu have no common multiple", o->id, SW_BYTES(bytes),
                 (unsigned long long)i->alignment, (unsigned long long)info->alignment);
        break;
    case ANSWER_SMALL:
        snprintf(text, size, "id %u (%s): too small by %s", o->id, SW_BYTES(bytes), SW_BYTES(want - bytes));
        break;
    case ANSWER_FULL:
        snprintf(text, size, "id %u (%s): too small by %s, and enlarged it would pass the capacity of %.40s", o->id,
                 SW_BYTES(bytes), SW_BYTES(want - bytes), sw_problem_tier(run->problem, i->tier)->name);
        break;
    default:
        snprintf(text, size, "id %u (%s): large enough, leaves %s", o->id, SW_BYTES(bytes),
                 SW_BYTES(bytes - sw_problem_buffer(run->problem, b)->size)); /* and not less what alignment adds */
        break;
    }
}

const char *sw_token_reason(const struct option *o, bool user) {
    if (user) {
        return "chosen by the user";
    }
    switch (o->kind) {
    case OPTION_INPUT:
        return o->why        ? o->why
               : o->reshape  ? "a reshape has the bytes of its input"
               : o->function ? "this function is the last to read it, and writes in place from there on"
                             : "this operator is its last reader";
    case OPTION_BLOCK:
        return o->answer == ANSWER_SMALL ? "no free block is large enough, and it is the largest below"
                                         : "the first block that is large enough";
    case OPTION_NEW:
        break;
    }
    return "no block of the free pool can be taken";
}

static bool can_take(const struct option *o) {
    return o->kind == OPTION_NEW || o->answer == ANSWER_FITS || (o->kind == OPTION_BLOCK && o->answer == ANSWER_SMALL);
}

/* The pool's blocks that are too small are candidates only when the rule came to enlarging. */
bool sw_token_fits(const struct token *t, const struct option *o, size_t picked) {
    const struct option *p = &t->options.items[picked];
    return can_take(o) && (o->answer != ANSWER_SMALL || p->answer == ANSWER_SMALL);
}

bool sw_token_explain(const struct token *t, const struct sw_run *run, uint32_t b, size_t picked, const char *reason) {
    for (size_t k = 0; run->explain && k < t->options.count; k++) {
        const struct option *o = &t->options.items[k];
        const struct token_id *i = o->id == SW_NONE ? NULL : &t->ids.ids.items[o->id];
        char text[200] = "a new id";
        uint64_t at = i ? i->offset
                        : sw_token_end(&t->ids, t->graph, run, o->tier, sw_token_info(t, b)->bytes,
                                       sw_token_info(t, b)->alignment);
        if (o->kind == OPTION_INPUT && o->answer == ANSWER_FITS) {
            char name[SW_SHORT_NAME];
            snprintf(text, sizeof text, "id %u: %s can be overwritten", o->id,
                     sw_place_name(run->problem, o->other, name));
        } else if (o->kind == OPTION_INPUT) {
            sw_token_say_input(t, run, o, b, text, sizeof text);
        } else if (o->kind == OPTION_BLOCK) {
            say_token_block(t, run, o, b, text, sizeof text);
        }
        enum sw_verdict verdict = k == picked                   ? SW_VERDICT_CHOSEN
                                  : sw_token_fits(t, o, picked) ? SW_VERDICT_FITS
                                                                : SW_VERDICT_REFUSED;
        bool small = verdict == SW_VERDICT_FITS && o->answer == ANSWER_SMALL;
        if (!SW_EXPLAIN(run->explain, verdict, o->tier, at, i ? i->bytes : SW_UNBOUNDED, "%.150s%s%s", text,
                        k == picked ? "; "
                        : small     ? ", could be enlarged"
                                    : "",
                        k == picked ? reason : "")) {
            return false;
        }
    }
    return true;
}
