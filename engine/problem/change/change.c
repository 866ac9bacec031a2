#include "problem/change/change.h"
#include "base/base.h"

#include <ctype.h>

#include "problem/problem_internal.h"
#include "problem/change/reorder.h"

/* ---- what may be changed ---- */

bool sw_problem_waits(const struct sw_problem *problem, uint32_t b, uint32_t step, uint32_t *from, uint32_t *to) {
    const struct sw_buffer *buffer = &problem->buffers[b];
    uint32_t before = buffer->first, after = buffer->last;
    if (!buffer->planned || buffer->access_count == 0 || step <= before || step >= after ||
        sw_buffer_live_bytes(buffer, step) == 0) {
        return false;
    }
    for (uint32_t i = 0; i < buffer->access_count; i++) {
        uint32_t at = buffer->accesses[i];
        if (at == step) {
            return false;
        }
        before = at < step && at > before ? at : before;
        after = at > step && at < after ? at : after;
    }
    *from = before;
    *to = after;
    return true;
}

/* The word that a kind comes down to: "aten::add_.Tensor" and "Add" to "add", "LEAKY_RELU" to
 * "leakyrelu". */
static void plain_kind(const char *kind, char *word, size_t room) {
    const char *colons = strrchr(kind, ':');
    kind = colons ? colons + 1 : kind;
    kind = strncmp(kind, "aten.", 5) == 0 ? kind + 5 : kind;
    size_t length = 0;
    for (; *kind && *kind != '.' && length + 1 < room; kind++) {
        if (*kind != '_' && *kind != '-' && *kind != ' ') {
            word[length++] = (char)tolower((unsigned char)*kind);
        }
    }
    word[length] = '\0';
}

/* Is the operator of one of these kinds, which have a space on both sides? */
static bool is_of_kinds(const struct sw_operator *op, const char *kinds) {
    char word[64] = " ";
    plain_kind(op->kind, word + 1, sizeof word - 2);
    return word[1] && strstr(kinds, strcat(word, " "));
}

bool sw_operator_elementwise(const struct sw_operator *op) {
    return is_of_kinds(op, " abs add batchnorm ceil celu clamp clip cos div divide elu erf exp floor gelu hardsigmoid "
                           "hardswish leakyrelu log logistic max maximum min minimum mish mul multiply neg negative "
                           "pow prelu reciprocal relu relu6 round rsqrt rsub selu sigmoid sign silu sin softplus "
                           "softsign sqrt square squareddifference sub subtract swish tanh ");
}

bool sw_operator_marked(const struct sw_operator *op, uint32_t output, uint32_t input) {
    for (uint32_t i = 0; op->inplace == SW_INPLACE_PAIRS && i < op->pair_count; i++) {
        if (op->pairs[i][0].buffer == input && op->pairs[i][1].buffer == output) {
            return true;
        }
    }
    return op->inplace == SW_INPLACE_ANY;
}

static bool may_spill_at(const struct sw_problem *problem, const struct sw_edit *change, struct sw_error *error) {
    uint32_t from, to;
    return sw_problem_waits(problem, change->buffer, change->step, &from, &to) ||
           sw_fail(error, SW_ERROR_USAGE, "%s does not only wait at step %u", problem->buffers[change->buffer].name,
                   change->step);
}

/* Is the operator of a kind that cannot be run again: its result depends on more than its inputs, or it
 * computes nothing? */
static bool runs_once(const struct sw_operator *op) {
    char word[64];
    plain_kind(op->kind, word, sizeof word);
    return strstr(word, "rand") || is_of_kinds(op, " begin end dropout multinomial bernoulli ");
}

/* Do the inputs of `op` hold at step `to` what they held when it ran? */
static bool inputs_hold(const struct sw_problem *problem, uint32_t op, uint32_t to, struct sw_error *error) {
    const struct sw_operator *made = &problem->operators[op];
    for (uint32_t i = 0; i < made->input_count; i++) {
        uint32_t b = made->inputs[i].buffer;
        const struct sw_buffer *input = &problem->buffers[b];
        if (!input->planned) {
            continue;
        }
        if (input->accesses_given || !sw_is_whole(input) || input->kind == SW_KIND_SCRATCH ||
            sw_problem_writes(problem, op, b)) {
            return sw_fail(error, SW_ERROR_UNSUPPORTED, "%s reads %s, and nothing tells that this keeps its contents",
                           made->name, input->name);
        }
        for (uint32_t k = 0; k < input->access_count; k++) {
            uint32_t at = input->accesses[k];
            if (at > op && at < to && sw_problem_writes(problem, at, b)) {
                return sw_fail(error, SW_ERROR_USAGE, "%s reads %s, which %s has written since", made->name,
                               input->name, problem->operators[at].name);
            }
        }
    }
    return true;
}

/* Does the operator write whole buffers only? A part could not be made again without the rest of its buffer. */
static bool writes_whole(const struct sw_operator *op) {
    for (uint32_t i = op->input_count; i < sw_ref_count(op); i++) {
        if (sw_ref_at(op, i)->member != SW_NONE) {
            return false;
        }
    }
    return true;
}

/* Is the buffer written by `op` alone, and always used as a whole? */
static bool made_once(const struct sw_problem *problem, uint32_t b, uint32_t op) {
    const struct sw_buffer *buffer = &problem->buffers[b];
    for (uint32_t i = 0; i < buffer->access_count; i++) {
        uint32_t at = buffer->accesses[i];
        const struct sw_operator *user = &problem->operators[at];
        struct sw_mentions reads = sw_refs_mention(user->inputs, user->input_count, b);
        if ((at != op && (sw_problem_writes(problem, at, b) || reads.whole == 0)) || reads.part > 0) {
            return false;
        }
    }
    return true;
}

static const char *kind_text(enum sw_kind kind) {
    return kind == SW_KIND_INPUT      ? "an input"
           : kind == SW_KIND_OUTPUT   ? "a result for the host"
           : kind == SW_KIND_CONSTANT ? "a constant"
                                      : "a workspace";
}

bool sw_again_of(const struct sw_problem *problem, uint32_t b, uint32_t step, struct sw_again *again,
                 struct sw_error *error) {
    const struct sw_buffer *buffer = &problem->buffers[b];
    uint32_t op = problem->producers[b], from, to;
    if (!sw_problem_waits(problem, b, step, &from, &to)) {
        return sw_fail(error, SW_ERROR_USAGE, "%s does not only wait at step %u", buffer->name, step);
    }
    if (op == SW_NONE || buffer->kind != SW_KIND_INTERMEDIATE || buffer->output) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "%s is %s, which no operator can make again", buffer->name,
                       kind_text(op == SW_NONE                          ? SW_KIND_INPUT
                                 : buffer->kind == SW_KIND_INTERMEDIATE ? SW_KIND_OUTPUT
                                                                        : buffer->kind));
    }
    if (buffer->lifetime_given || buffer->accesses_given) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "the file itself says when %s lives, and not the operators",
                       buffer->name);
    }
    if (!writes_whole(&problem->operators[op]) || !made_once(problem, b, op) || runs_once(&problem->operators[op])) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "%s cannot be made by running %s again", buffer->name,
                       problem->operators[op].name);
    }
    if (from == op && problem->operators[op].output_count == 1) {
        return sw_fail(error, SW_ERROR_USAGE, "nothing uses %s before step %u, so %s may as well run later",
                       buffer->name, to, problem->operators[op].name);
    }
    if (!inputs_hold(problem, op, to, error)) {
        return false;
    }
    *again = (struct sw_again){b, op, from, to};
    return true;
}

static bool may_inplace(const struct sw_problem *problem, const struct sw_edit *change, struct sw_error *error) {
    const struct sw_operator *op = change->step < problem->operator_count ? &problem->operators[change->step] : NULL;
    const char *fresh = problem->buffers[change->buffer].name;
    const char *old = problem->buffers[change->other].name;
    if (!op || sw_refs_mention(op->outputs, op->output_count, change->buffer).whole == 0 ||
        sw_refs_mention(op->inputs, op->input_count, change->other).whole == 0) {
        return sw_fail(error, SW_ERROR_USAGE, "no operator at step %u makes %s from %s", change->step, fresh, old);
    }
    return sw_may_overwrite(problem, change->buffer, change->other, change->step) ||
           sw_fail(error, SW_ERROR_USAGE, "%s cannot write %s over %s", op->name, fresh, old);
}

bool sw_problem_may_change(const struct sw_problem *problem, const struct sw_edit *change, struct sw_error *error) {
    struct sw_again again;
    bool about = change->kind == SW_EDIT_INPLACE || change->kind == SW_EDIT_SPILL || change->kind == SW_EDIT_RECOMPUTE;
    if (problem->origin) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "this problem stands in for another, which is the one to change");
    }
    if (about && (change->buffer >= problem->buffer_count || change->step >= problem->steps ||
                  (change->kind == SW_EDIT_INPLACE && change->other >= problem->buffer_count))) {
        return sw_fail(error, SW_ERROR_USAGE, "there is no such buffer or step");
    }
    if (problem->core_count > 1 && (change->kind == SW_EDIT_SPILL || change->kind == SW_EDIT_RECOMPUTE)) {
        return sw_fail(error, SW_ERROR_UNSUPPORTED, "on several cores no step says when a buffer only waits");
    }
    switch (change->kind) {
    case SW_EDIT_SPILL:
        return may_spill_at(problem, change, error);
    case SW_EDIT_RECOMPUTE:
        return sw_again_of(problem, change->buffer, change->step, &again, error);
    case SW_EDIT_INPLACE:
        return may_inplace(problem, change, error);
    case SW_EDIT_MOVE:
        return sw_problem_may_move(problem, change->step, change->to, error);
    case SW_EDIT_INPLACE_MARKED:
        break;
    }
    return true;
}

/* May the graph or the kind of the operator be thought to allow it, and is it not allowed already? */
static bool worth_sharing(const struct sw_problem *problem, const struct sw_edit *edit) {
    const struct sw_operator *op = sw_problem_operator(problem, edit->step);
    const struct sw_buffer *fresh = sw_problem_buffer(problem, edit->buffer);
    const struct sw_buffer *old = sw_problem_buffer(problem, edit->other);
    if (sw_operator_marked(op, edit->buffer, edit->other)) {
        return !sw_problem_inplace_safe(problem);
    }
    return sw_operator_elementwise(op) && fresh->size == old->size && fresh->dtype == old->dtype &&
           old->kind == SW_KIND_INTERMEDIATE;
}

bool sw_problem_next_inplace(const struct sw_problem *problem, uint32_t step, uint32_t *at, struct sw_edit *edit) {
    if (step >= sw_problem_operator_count(problem)) {
        return false;
    }
    const struct sw_operator *op = sw_problem_operator(problem, step);
    while (*at < op->input_count * op->output_count) {
        uint32_t i = *at % op->input_count, o = *at / op->input_count;
        ++*at;
        *edit = (struct sw_edit){SW_EDIT_INPLACE, step, op->outputs[o].buffer, op->inputs[i].buffer, 0};
        if (worth_sharing(problem, edit) && sw_problem_may_change(problem, edit, NULL)) {
            return true;
        }
    }
    return false;
}

/* ---- making them ---- */

static bool edit_spill(struct sw_builder *builder, const struct sw_problem *problem, const struct sw_edit *change,
                       struct sw_error *error) {
    const struct sw_buffer *buffer = &problem->buffers[change->buffer];
    struct sw_buffer_spec *spec = &builder->buffers.items[change->buffer].spec;
    struct sw_piece_spec all = {sw_problem_time(problem, buffer->first), sw_problem_time(problem, buffer->last + 1) - 1,
                                0, buffer->size};
    const struct sw_piece_spec *old = spec->piece_count ? spec->pieces : &all;
    size_t count = spec->piece_count ? spec->piece_count : 1, kept = 0;
    struct sw_piece_spec *pieces = sw_arena_new(&builder->arena, 2 * count, sizeof *pieces);
    uint32_t from, to;
    if (!pieces) {
        return sw_fail_memory(error);
    }
    if (!sw_problem_waits(problem, change->buffer, change->step, &from, &to)) {
        return may_spill_at(problem, change, error);
    }
    int64_t lo = sw_problem_time(problem, from + 1), hi = sw_problem_time(problem, to);
    for (size_t i = 0; i < count; i++) { /* [lo, hi) is the hole */
        if (old[i].first < lo) {
            pieces[kept] = old[i];
            pieces[kept++].last = old[i].last < lo ? old[i].last : lo - 1;
        }
        if (old[i].last >= hi) {
            pieces[kept] = old[i];
            pieces[kept++].first = old[i].first >= hi ? old[i].first : hi;
        }
    }
    spec->pieces = pieces;
    spec->piece_count = kept;
    spec->has_first = spec->has_last = false;
    return true;
}

/* One more pair of names among those of an operator. */
static bool edit_inplace(struct sw_builder *builder, const struct sw_problem *problem, const struct sw_edit *change,
                         struct sw_error *error) {
    struct sw_operator_spec *spec = &builder->operators.items[change->step].spec;
    size_t count = spec->inplace == SW_INPLACE_PAIRS ? spec->pair_count : 0;
    if (spec->inplace == SW_INPLACE_ANY) {
        return true;
    }
    const char **pairs = sw_arena_new(&builder->arena, 2 * count + 2, sizeof *pairs);
    if (!pairs) {
        return sw_fail_memory(error);
    }
    if (count > 0) {
        memcpy(pairs, spec->pairs, 2 * count * sizeof *pairs);
    }
    pairs[2 * count] = problem->buffers[change->other].name;
    pairs[2 * count + 1] = problem->buffers[change->buffer].name;
    spec->inplace = SW_INPLACE_PAIRS;
    spec->pairs = (const char *const(*)[2])pairs;
    spec->pair_count = count + 1;
    return true;
}

/* ---- recomputing ---- */

/* New names for what an operator writes when it runs again. */
struct renamed {
    uint32_t buffer;
    const char *name;
};
SW_ARRAY_TYPE(renaming, struct renamed);

static bool is_name_taken(const struct sw_problem *problem, const char *name, bool of_operator) {
    return of_operator
               ? sw_problem_find_operator(problem, name) != SW_NONE
               : sw_problem_find_buffer(problem, name) != SW_NONE || sw_problem_find_member(problem, name) != SW_NONE;
}

/* "conv_again", "conv_again2": a name that is free. NULL: no memory. */
static const char *new_name(struct sw_builder *builder, const struct sw_problem *problem, const char *old,
                            bool of_operator) {
    size_t room = strlen(old) + 32;
    char *name = sw_arena_new(&builder->arena, room, 1);
    for (unsigned i = 1; name; i++) {
        snprintf(name, room, i == 1 ? "%s_again" : "%s_again%u", old, i);
        if (!is_name_taken(problem, name, of_operator)) {
            break;
        }
    }
    return name;
}

static const char *renamed(const struct renaming *renaming, uint32_t buffer) {
    for (size_t i = 0; i < renaming->count; i++) {
        if (renaming->items[i].buffer == buffer) {
            return renaming->items[i].name;
        }
    }
    return NULL;
}

/* A buffer like another one, for the operator that runs again. Its lifetime follows from the operators. */
static bool add_spill_copy(struct sw_builder *builder, const struct sw_problem *problem, uint32_t b,
                           struct renaming *renaming, struct sw_error *error) {
    if (renamed(renaming, b)) {
        return true;
    }
    const char *name = new_name(builder, problem, problem->buffers[b].name, false);
    struct sw_raw_buffer raw = builder->buffers.items[b];
    struct sw_buffer_spec *spec = &raw.spec;
    spec->name = name;
    spec->kind = spec->kind == SW_KIND_SCRATCH ? SW_KIND_SCRATCH : SW_KIND_INTERMEDIATE;
    spec->output = false; /* the host reads the first one */
    spec->has_first = spec->has_last = spec->has_accesses = spec->has_offset = spec->has_hint = false;
    spec->piece_count = spec->access_count = 0;
    if (!name || !SW_PUSH(renaming, (struct renamed){b, name}) || !SW_PUSH(&builder->buffers, raw)) {
        return sw_fail_memory(error);
    }
    for (size_t i = 0; i < problem->separate_count; i++) {
        const uint32_t *pair = problem->separate[i];
        if ((pair[0] == b || pair[1] == b) &&
            !sw_builder_separate(builder, name, problem->buffers[pair[pair[0] == b]].name, error)) {
            return false;
        }
    }
    return true;
}

static uint32_t shifted_by(const void *at, uint32_t step) {
    return step >= *(const uint32_t *)at ? step + 1 : step;
}

/* Insert a new step `at` into the pieces. What is alive on both sides of it is alive at it, too. There is room for
 * three pieces where there was one. */
static bool shift_pieces(struct sw_builder *builder, const struct sw_buffer *buffer, struct sw_buffer_spec *spec,
                         uint32_t at, struct sw_error *error) {
    size_t count = buffer->piece_count, kept = 0;
    struct sw_piece_spec *pieces = sw_arena_new(&builder->arena, count + count * count, sizeof *pieces);
    if (!pieces) {
        return sw_fail_memory(error);
    }
    for (size_t i = 0; i < count; i++) {
        const struct sw_piece *p = &buffer->pieces[i];
        pieces[kept++] = (struct sw_piece_spec){shifted_by(&at, p->first), shifted_by(&at, p->last), p->lo, p->hi};
        for (size_t k = 0; k < count; k++) {
            const struct sw_piece *q = &buffer->pieces[k];
            uint64_t lo = SW_MAX(p->lo, q->lo), hi = SW_MIN(p->hi, q->hi);
            if (p->last + 1 == at && q->first == at && lo < hi) {
                pieces[kept++] = (struct sw_piece_spec){at, at, lo, hi};
            }
        }
    }
    spec->pieces = pieces;
    spec->piece_count = kept;
    return true;
}

/* Shift the times that the file gave, to make room for a new step. */
static bool shift_times(struct sw_builder *builder, const struct sw_problem *problem, uint32_t b, uint32_t at,
                        struct sw_error *error) {
    struct sw_buffer_spec *spec = &builder->buffers.items[b].spec;
    if (spec->has_first && spec->has_last) {
        spec->first = shifted_by(&at, (uint32_t)spec->first);
        spec->last = shifted_by(&at, (uint32_t)spec->last);
    }
    if (spec->piece_count > 0 && !shift_pieces(builder, &problem->buffers[b], spec, at, error)) {
        return false;
    }
    return sw_builder_move_accesses(builder, spec, shifted_by, &at) || sw_fail_memory(error);
}

/* A list of names with those of renamed buffers replaced; NULL: no memory. */
static const char **replaced(struct sw_builder *builder, const struct sw_problem *problem,
                             const struct renaming *renaming, const char *const *names, size_t count) {
    const char **list = sw_arena_new(&builder->arena, count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        uint32_t buffer = sw_problem_find_buffer(problem, names[i]);
        const char *name = buffer == SW_NONE ? NULL : renamed(renaming, buffer);
        list[i] = name ? name : names[i];
    }
    return list;
}

/* Names in all lists of an operator. */
static bool replace_all(struct sw_builder *builder, const struct sw_problem *problem, const struct renaming *renaming,
                        struct sw_operator_spec *spec) {
    const char *const *pairs = spec->pairs ? &spec->pairs[0][0] : NULL;
    spec->inputs = replaced(builder, problem, renaming, spec->inputs, spec->input_count);
    spec->outputs = replaced(builder, problem, renaming, spec->outputs, spec->output_count);
    spec->scratch = replaced(builder, problem, renaming, spec->scratch, spec->scratch_count);
    pairs = replaced(builder, problem, renaming, pairs, spec->pairs ? 2 * spec->pair_count : 0);
    spec->pairs = (const char *const(*)[2])pairs;
    return spec->inputs && spec->outputs && spec->scratch && pairs;
}

static bool insert_operator(struct sw_builder *builder, const struct sw_problem *problem, const struct sw_again *again,
                            const struct renaming *renaming, struct sw_error *error) {
    struct sw_raw_operator raw = builder->operators.items[again->made];
    raw.spec.name = new_name(builder, problem, raw.spec.name, true);
    if (!raw.spec.name || !replace_all(builder, problem, renaming, &raw.spec) || !SW_PUSH(&builder->operators, raw)) {
        return sw_fail_memory(error);
    }
    struct sw_raw_operator *items = builder->operators.items;
    memmove(items + again->to + 1, items + again->to, (builder->operators.count - 1 - again->to) * sizeof *items);
    items[again->to] = raw;
    return true;
}

/* The operator's inputs live until it runs again, where the file gave their lifetimes. */
static void hold_inputs(struct sw_builder *builder, const struct sw_problem *problem, const struct sw_again *again) {
    const struct sw_operator *op = &problem->operators[again->made];
    for (uint32_t i = 0; i < op->input_count; i++) {
        const struct sw_buffer *buffer = &problem->buffers[op->inputs[i].buffer];
        struct sw_buffer_spec *spec = &builder->buffers.items[op->inputs[i].buffer].spec;
        if (buffer->planned && spec->has_last && spec->last < again->to) {
            spec->last = again->to;
        }
    }
}

static bool edit_recompute(struct sw_builder *builder, const struct sw_problem *problem, const struct sw_edit *change,
                           struct sw_error *error) {
    struct renaming renaming = {0}, one = {0};
    struct sw_again again;
    if (!sw_again_of(problem, change->buffer, change->step, &again, error)) {
        return false;
    }
    const struct sw_operator *op = &problem->operators[again.made];
    bool ok = true;
    for (uint32_t b = 0; ok && b < problem->buffer_count; b++) {
        ok = shift_times(builder, problem, b, again.to, error);
    }
    for (uint32_t i = op->input_count; ok && i < sw_ref_count(op); i++) {
        ok = add_spill_copy(builder, problem, sw_ref_at(op, i)->buffer, &renaming, error);
    }
    ok = ok &&
         (SW_PUSH(&one, (struct renamed){again.buffer, renamed(&renaming, again.buffer)}) || sw_fail_memory(error));
    for (size_t i = again.to; ok && i < problem->operator_count; i++) {
        struct sw_operator_spec *spec = &builder->operators.items[i].spec;
        if (sw_problem_reads(problem, (uint32_t)i, again.buffer)) {
            ok = replace_all(builder, problem, &one, spec) || sw_fail_memory(error);
        }
    }
    if (ok) {
        hold_inputs(builder, problem, &again);
        ok = insert_operator(builder, problem, &again, &renaming, error);
    }
    SW_ARRAY_DONE(&renaming, &one);
    return ok;
}

/* ---- all together ---- */

static bool is_same_edit(const struct sw_problem *problem, const struct sw_edit *a, const struct sw_edit *b) {
    uint32_t from, to;
    if (a->kind != b->kind || a->kind == SW_EDIT_INPLACE_MARKED) {
        return a->kind == b->kind;
    }
    if (a->kind == SW_EDIT_SPILL) {
        return a->buffer == b->buffer && sw_problem_waits(problem, a->buffer, a->step, &from, &to) && from < b->step &&
               b->step < to;
    }
    return a->step == b->step && a->buffer == b->buffer && a->other == b->other;
}

/* Each legal, each once, and those that change the steps alone. */
bool sw_changes_check(const struct sw_problem *problem, const struct sw_edit *changes, size_t count,
                      struct sw_error *error) {
    for (size_t i = 0; i < count; i++) {
        enum sw_edit_kind kind = changes[i].kind;
        if (!sw_problem_may_change(problem, &changes[i], error)) {
            return false;
        }
        if (count > 1 && (kind == SW_EDIT_RECOMPUTE || kind == SW_EDIT_MOVE)) {
            return sw_fail(error, SW_ERROR_USAGE,
                           "a change of the operators' order is made alone: make one after the other");
        }
        for (size_t k = 0; k < i; k++) {
            if (is_same_edit(problem, &changes[k], &changes[i])) {
                return sw_fail(error, SW_ERROR_USAGE, "one of the changes is listed twice");
            }
        }
    }
    return true;
}

/* Only what the changes name may be written in place, unless more was allowed before. */
static void clear_marks(struct sw_builder *builder, const struct sw_edit *changes, size_t count) {
    bool inplace = false;
    for (size_t i = 0; i < count; i++) {
        inplace |= changes[i].kind == SW_EDIT_INPLACE;
        if (changes[i].kind == SW_EDIT_INPLACE_MARKED) {
            sw_builder_inplace(builder, true);
            return;
        }
    }
    if (!inplace || builder->inplace_safe) {
        return;
    }
    sw_builder_inplace(builder, true);
    for (size_t i = 0; i < builder->operators.count; i++) {
        builder->operators.items[i].spec.inplace = SW_INPLACE_NO;
        builder->operators.items[i].spec.pair_count = 0;
    }
}

static bool make_edit(struct sw_builder *builder, const struct sw_problem *problem, const struct sw_edit *change,
                      struct sw_error *error) {
    switch (change->kind) {
    case SW_EDIT_SPILL:
        return edit_spill(builder, problem, change, error);
    case SW_EDIT_RECOMPUTE:
        return edit_recompute(builder, problem, change, error);
    case SW_EDIT_INPLACE:
        return edit_inplace(builder, problem, change, error);
    case SW_EDIT_MOVE:
        return sw_builder_edit_order(builder, problem, change->step, change->to, error);
    case SW_EDIT_INPLACE_MARKED:
        break;
    }
    return true;
}

struct sw_problem *sw_problem_changed(const struct sw_problem *problem, const struct sw_edit *changes, size_t count,
                                      struct sw_error *error) {
    if (!sw_changes_check(problem, changes, count, error)) {
        return NULL;
    }
    struct sw_builder *builder = sw_builder_from(problem, error);
    bool ok = builder != NULL;
    if (ok) {
        clear_marks(builder, changes, count);
    }
    for (size_t i = 0; ok && i < count; i++) {
        ok = make_edit(builder, problem, &changes[i], error);
    }
    struct sw_problem *changed = ok ? sw_builder_finish(builder, error) : NULL;
    sw_builder_free(builder);
    return changed;
}
