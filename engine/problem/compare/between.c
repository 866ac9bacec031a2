#include "problem/compare/between.h"
#include "base/base.h"
#include "base/sort.h"

#include "problem/problem_internal.h"

/* Something that is in the model between: its numbers on both sides, of which one may be SW_NONE. */
struct twin {
    uint32_t of[2];
};
SW_ARRAY_TYPE(twin_list, struct twin);
SW_ARRAY_TYPE(life_list, struct sw_piece_spec);

struct mixture {
    const struct sw_pairing *pairing;
    unsigned kinds; /* those that are made */
    bool timed;     /* times are raw: not both sides have operators that are steps */
    struct twin_list operators, buffers;
    uint32_t *steps[2];  /* per side and operator: its step in between, or SW_NONE */
    uint32_t *places[2]; /* per side and buffer: its place among `buffers`, or SW_NONE */
    struct life_list *lives;
    size_t life_count;
    struct sw_builder *builder;
};

static bool makes(const struct mixture *m, enum sw_due_kind kind) {
    return m->kinds & SW_DUE(kind);
}

/* ---- what there is, and in which order ---- */

/* Of an operator that came: behind which of the old side it stands at least, counted from 1, because that, or what
 * stands behind that, writes what it reads. `keys`: of those before it. */
static uint64_t behind_writers(const struct sw_problem *fresh, const uint32_t *partners, const uint64_t *keys,
                               uint32_t number) {
    const struct sw_operator *op = &fresh->operators[number];
    uint64_t behind = 0;
    for (uint32_t i = 0; i < op->input_count; i++) {
        uint32_t writer = fresh->producers[op->inputs[i].buffer];
        if (writer != SW_NONE && writer < number) {
            uint64_t key = partners[writer] != SW_NONE ? partners[writer] + UINT64_C(1) : keys[writer];
            behind = SW_MAX(behind, key);
        }
    }
    return behind;
}

/* What came, each with the one of the old side that it stands behind: as on the new side. */
SW_ARRAY_TYPE(came_list, struct sw_keyed);
static bool list_came(const struct sw_problem *fresh, const uint32_t *partners, uint32_t count, bool operators,
                      struct came_list *list) {
    uint64_t behind = 0, *keys = SW_NEW(uint64_t, (size_t)count + 1);
    bool good = keys != NULL;
    for (uint32_t b = 0; good && b < count; b++) {
        if (partners[b] != SW_NONE) {
            behind = partners[b] + UINT64_C(1);
            continue;
        }
        uint64_t least = operators ? behind_writers(fresh, partners, keys, b) : 0;
        keys[b] = SW_MAX(behind, least);
        good = SW_PUSH(list, (struct sw_keyed){keys[b], b});
    }
    SW_FREE(keys, (size_t)count + 1);
    return good && (list->count == 0 || sw_sort_keyed(list->items, list->count));
}

/* In the new order that of the new side. In the old one that of the old side, with what came in between. */
static bool merge_twins(const struct sw_pairing *pairing, bool operators, bool new_order, bool went, bool came,
                        struct twin_list *list) {
    uint32_t *const *partners = operators ? pairing->operators : pairing->buffers;
    const struct sw_problem *old = pairing->problems[0], *fresh = pairing->problems[1];
    uint32_t old_count = operators ? old->operator_count : old->buffer_count;
    uint32_t count = operators ? fresh->operator_count : fresh->buffer_count;
    struct came_list added = {0};
    bool good = true;
    for (uint32_t b = 0; good && new_order && b < count; b++) {
        good = SW_PUSH(list, (struct twin){{partners[1][b], b}});
    }
    good = good && (new_order || !came || list_came(fresh, partners[1], count, operators, &added));
    size_t next = 0;
    for (uint32_t a = 0; good && !new_order && a <= old_count; a++) {
        for (; good && next < added.count && added.items[next].key == a; next++) {
            good = SW_PUSH(list, (struct twin){{SW_NONE, added.items[next].index}});
        }
        if (a < old_count && (partners[0][a] != SW_NONE || went)) {
            good = good && SW_PUSH(list, (struct twin){{a, partners[0][a]}});
        }
    }
    SW_ARRAY_DONE(&added);
    return good;
}

static uint32_t *number_twins(const struct twin_list *list, enum sw_side side, uint32_t count) {
    uint32_t *numbers = SW_NEW(uint32_t, (size_t)count + 1);
    for (uint32_t i = 0; numbers && i < count; i++) {
        numbers[i] = SW_NONE;
    }
    for (size_t i = 0; numbers && i < list->count; i++) {
        if (list->items[i].of[side] != SW_NONE) {
            numbers[list->items[i].of[side]] = (uint32_t)i;
        }
    }
    return numbers;
}

static bool steps_are_operators(const struct sw_problem *problem) {
    return problem->operator_count > 0 && problem->steps == problem->operator_count;
}

/* `all`: operators and buffers of both sides, to compare lives. */
static bool mix(struct mixture *m, const struct sw_pairing *pairing, unsigned kinds, bool all) {
    const struct sw_problem *const *p = pairing->problems;
    *m = (struct mixture){
        .pairing = pairing, .kinds = kinds, .timed = !steps_are_operators(p[0]) || !steps_are_operators(p[1])};
    bool order = makes(m, SW_DUE_ORDER), came = all || makes(m, SW_DUE_CAME);
    bool good = m->timed || merge_twins(pairing, true, order, all || !makes(m, SW_DUE_LIVES), came, &m->operators);
    good = good && merge_twins(pairing, false, order, all || !makes(m, SW_DUE_WENT), came, &m->buffers);
    for (int side = 0; good && side < 2; side++) {
        m->steps[side] = number_twins(&m->operators, (enum sw_side)side, p[side]->operator_count);
        m->places[side] = number_twins(&m->buffers, (enum sw_side)side, p[side]->buffer_count);
        good = m->steps[side] && m->places[side];
    }
    return good;
}

static void unmix(struct mixture *m) {
    for (int side = 0; m->pairing && side < 2; side++) {
        SW_FREE(m->steps[side], (size_t)m->pairing->problems[side]->operator_count + 1);
        SW_FREE(m->places[side], (size_t)m->pairing->problems[side]->buffer_count + 1);
    }
    for (size_t i = 0; i < m->life_count; i++) {
        SW_ARRAY_DONE(&m->lives[i]);
    }
    SW_FREE(m->lives, m->buffers.count + 1);
    SW_ARRAY_DONE(&m->operators, &m->buffers);
    sw_builder_free(m->builder);
}

/* ---- lives ---- */

/* The step in between of a step of a side. */
static uint32_t step_between(const struct mixture *m, enum sw_side side, uint32_t step) {
    return m->steps[side][step];
}

/* Of a buffer of one piece: the first and the last of the operators that use it, where those begin and end its life;
 * what is there before the run, and what is read after it, is there from the first step, and to the last. */
static void whole_life(const struct mixture *m, enum sw_side side, const struct sw_buffer *b, uint32_t *first,
                       uint32_t *last) {
    uint32_t end = m->pairing->problems[side]->steps - 1, lo = SW_NONE, hi = 0;
    for (uint32_t i = 0; i < b->access_count; i++) {
        uint32_t at = step_between(m, side, b->accesses[i]);
        lo = SW_MIN(lo, at);
        hi = SW_MAX(hi, at);
    }
    bool uses = b->access_count > 0,
         from_start = b->first == 0 && (b->kind == SW_KIND_INPUT || !uses || b->accesses[0] > 0);
    bool to_end = b->last == end && (b->output || !uses || b->accesses[b->access_count - 1] < end);
    *first = from_start ? 0 : uses && b->first == b->accesses[0] ? lo : step_between(m, side, b->first);
    *last = to_end                                                ? (uint32_t)m->operators.count - 1
            : uses && b->last == b->accesses[b->access_count - 1] ? hi
                                                                  : step_between(m, side, b->last);
}

/* When the buffer of a side lives in between, in raw times there; it has `size` bytes. */
static bool life_between(const struct mixture *m, enum sw_side side, uint32_t number, uint64_t size,
                         struct life_list *life) {
    const struct sw_problem *problem = m->pairing->problems[side];
    const struct sw_buffer *b = &problem->buffers[number];
    bool whole = b->piece_count == 0 || sw_is_whole(b), good = true;
    for (uint32_t i = 0; good && i < SW_MAX(b->piece_count, 1u); i++) {
        struct sw_piece piece = b->piece_count ? b->pieces[i] : (struct sw_piece){b->first, b->last, 0, 0};
        struct sw_piece_spec spec = {sw_problem_time(problem, piece.first),
                                     sw_problem_time(problem, piece.last + 1) - 1, piece.lo,
                                     whole || piece.hi == b->size ? size : SW_MIN(piece.hi, size)};
        if (!m->timed) {
            uint32_t first = step_between(m, side, piece.first), last = step_between(m, side, piece.last);
            if (whole) {
                whole_life(m, side, b, &first, &last);
            }
            spec.first = SW_MIN(first, last);
            spec.last = SW_MAX(first, last);
        }
        good = (!whole && spec.lo >= spec.hi) || SW_PUSH(life, spec);
    }
    return good;
}

static bool lives_alike(const struct life_list *a, const struct life_list *b) {
    bool alike = a->count == b->count;
    for (size_t i = 0; alike && i < a->count; i++) {
        const struct sw_piece_spec *x = &a->items[i], *y = &b->items[i];
        alike = x->first == y->first && x->last == y->last && x->lo == y->lo && x->hi == y->hi;
    }
    return alike;
}

/* ---- the model in between ---- */

/* Of which side a buffer has its size, its life, and everything else. */
static enum sw_side side_between(const struct mixture *m, struct twin twin, enum sw_due_kind kind) {
    return twin.of[0] == SW_NONE || (twin.of[1] != SW_NONE && makes(m, kind)) ? SW_SIDE_NEW : SW_SIDE_OLD;
}

static bool find_lives_between(struct mixture *m) {
    m->lives = SW_NEW_ZERO(struct life_list, m->buffers.count + 1);
    m->life_count = m->lives ? m->buffers.count : 0;
    bool good = m->lives != NULL;
    for (size_t i = 0; good && i < m->life_count; i++) {
        struct twin twin = m->buffers.items[i];
        enum sw_side by_size = side_between(m, twin, SW_DUE_SIZES), by_life = side_between(m, twin, SW_DUE_LIVES);
        const struct sw_buffer *sized = &m->pairing->problems[by_size]->buffers[twin.of[by_size]];
        good = !sized->planned || life_between(m, by_life, twin.of[by_life], sized->size, &m->lives[i]);
    }
    return good;
}

static const char *name_between(const struct mixture *m, size_t place) {
    const struct twin twin = m->buffers.items[place];
    enum sw_side side = twin.of[0] != SW_NONE ? SW_SIDE_OLD : SW_SIDE_NEW;
    return m->pairing->problems[side]->buffers[twin.of[side]].name;
}

/* Is it there, and alive, when the operator at `step` uses it? */
static bool is_there(const struct mixture *m, enum sw_side side, uint32_t buffer, size_t step) {
    uint32_t place = m->places[side][buffer];
    bool there = place != SW_NONE && !m->pairing->problems[side]->buffers[buffer].planned;
    for (size_t i = 0; place != SW_NONE && !there && i < m->lives[place].count; i++) {
        there = m->lives[place].items[i].first <= (int64_t)step && (int64_t)step <= m->lives[place].items[i].last;
    }
    return there;
}

struct touched {
    uint32_t first_read, first_write, last;
};

static const char **args_between(struct mixture *m, enum sw_side side, const struct sw_ref *refs, size_t *count,
                                 size_t step, struct touched *touched, unsigned way) {
    const char **names = sw_arena_new(&m->builder->arena, *count + 1, sizeof *names);
    size_t kept = 0;
    for (size_t i = 0; names && i < *count; i++) {
        if (is_there(m, side, refs[i].buffer, step)) {
            uint32_t place = m->places[side][refs[i].buffer];
            struct touched *t = &touched[place];
            names[kept++] = name_between(m, place);
            t->first_read = way & 1 && t->first_read == SW_NONE ? (uint32_t)step : t->first_read;
            t->first_write = way & 2 && t->first_write == SW_NONE ? (uint32_t)step : t->first_write;
            t->last = (uint32_t)step;
        }
    }
    *count = kept;
    return names;
}

static bool add_pairs(struct mixture *m, enum sw_side side, const struct sw_operator *op, size_t step,
                      struct sw_operator_spec *spec) {
    const char *(*pairs)[2] = sw_arena_new(&m->builder->arena, (size_t)op->pair_count + 1, sizeof *pairs);
    for (uint32_t i = 0; pairs && i < op->pair_count; i++) {
        uint32_t in = op->pairs[i][0].buffer, out = op->pairs[i][1].buffer;
        if (is_there(m, side, in, step) && is_there(m, side, out, step)) {
            pairs[spec->pair_count][0] = name_between(m, m->places[side][in]);
            pairs[spec->pair_count++][1] = name_between(m, m->places[side][out]);
        }
    }
    spec->pairs = (const char *const(*)[2])pairs;
    spec->inplace = op->inplace == SW_INPLACE_PAIRS && spec->pair_count == 0 ? SW_INPLACE_NO : op->inplace;
    return pairs != NULL;
}

/* Those it waits for, as far as they stand before it. */
static const char **after_between(struct mixture *m, enum sw_side side, const struct sw_operator *op, size_t step,
                                  size_t *count) {
    const char **names = sw_arena_new(&m->builder->arena, (size_t)op->after_count + 1, sizeof *names);
    for (uint32_t i = 0; names && i < op->after_count; i++) {
        uint32_t at = m->steps[side][op->after[i]];
        if (at != SW_NONE && at < step) {
            struct twin twin = m->operators.items[at];
            enum sw_side named = twin.of[0] != SW_NONE ? SW_SIDE_OLD : SW_SIDE_NEW;
            names[(*count)++] = m->pairing->problems[named]->operators[twin.of[named]].name;
        }
    }
    return names;
}

static bool add_operator(struct mixture *m, size_t step, struct touched *touched, struct sw_error *error) {
    struct twin twin = m->operators.items[step];
    const struct sw_problem *const *p = m->pairing->problems;
    enum sw_side side = side_between(m, twin, SW_DUE_LIVES), named = twin.of[0] != SW_NONE ? SW_SIDE_OLD : SW_SIDE_NEW;
    const struct sw_operator *op = &p[side]->operators[twin.of[side]], *name = &p[named]->operators[twin.of[named]];
    const char *function = op->function == SW_NONE ? NULL : p[side]->functions[op->function].name;
    bool known = function && sw_names_find(&p[0]->function_names, function, strlen(function)) != SW_NONE;
    struct sw_operator_spec spec = {.name = name->name,
                                    .kind = *op->kind ? op->kind : NULL,
                                    .function = known ? function : NULL,
                                    .dtype = op->dtype,
                                    .window = op->window,
                                    .macs = op->macs,
                                    .input_count = op->input_count,
                                    .output_count = op->output_count,
                                    .scratch_count = op->scratch_count};
    if (twin.of[1] == SW_NONE && makes(m, SW_DUE_WENT)) { /* what still lives until this step is told with its life */
        spec.input_count = spec.output_count = spec.scratch_count = 0;
    }
    spec.inputs = args_between(m, side, op->inputs, &spec.input_count, step, touched, 1);
    spec.outputs = args_between(m, side, op->outputs, &spec.output_count, step, touched, 2);
    spec.scratch = args_between(m, side, op->scratch, &spec.scratch_count, step, touched, 3);
    spec.after = after_between(m, side, op, step, &spec.after_count);
    bool good = spec.inputs && spec.outputs && spec.scratch && spec.after && add_pairs(m, side, op, step, &spec);
    return good ? sw_builder_operator(m->builder, &spec, error) : sw_fail_memory(error);
}

/* Do the operators alone say when the buffer lives? */
static bool is_implied(const struct mixture *m, const struct sw_buffer *like, const struct touched *t,
                       const struct life_list *life) {
    if (m->timed || life->count != 1 || t->last == SW_NONE) {
        return false;
    }
    bool input = like->kind == SW_KIND_INPUT, written = t->first_write != SW_NONE;
    int64_t first = input ? 0 : written ? t->first_write : t->first_read;
    int64_t last = like->output ? (int64_t)m->operators.count - 1 : t->last;
    return (input || !written || t->first_read >= t->first_write) && life->items[0].first == first &&
           life->items[0].last == last;
}

static bool move_given_accesses(struct mixture *m, struct twin twin, struct sw_buffer_spec *spec) {
    enum sw_side side = side_between(m, twin, SW_DUE_LIVES);
    const struct sw_problem *problem = m->pairing->problems[side];
    const struct sw_buffer *buffer = &problem->buffers[twin.of[side]];
    spec->has_accesses = buffer->accesses_given;
    spec->access_count = spec->has_accesses ? buffer->access_count : 0;
    int64_t *accesses = sw_arena_new(&m->builder->arena, spec->access_count + 1, sizeof *accesses);
    for (size_t i = 0; accesses && i < spec->access_count; i++) {
        accesses[i] = m->timed ? sw_problem_time(problem, buffer->accesses[i])
                               : (int64_t)step_between(m, side, buffer->accesses[i]);
    }
    if (accesses) {
        qsort(accesses, spec->access_count, sizeof *accesses, sw_compare_i64);
        spec->accesses = accesses;
    }
    return accesses != NULL;
}

static bool add_between_buffer(struct mixture *m, size_t place, const struct touched *touched, struct sw_error *error) {
    struct twin twin = m->buffers.items[place];
    enum sw_side side = side_between(m, twin, SW_DUE_REST), by_size = side_between(m, twin, SW_DUE_SIZES);
    const struct sw_problem *const *p = m->pairing->problems;
    const struct sw_buffer *like = &p[side]->buffers[twin.of[side]], *sized = &p[by_size]->buffers[twin.of[by_size]];
    const struct sw_buffer_copy copy = {.piece_count = 0};
    const struct life_list *life = &m->lives[place];
    if (!sw_builder_copy_buffer(m->builder, p[side], twin.of[side], &copy, error)) {
        return false;
    }
    struct sw_buffer_spec *spec = &m->builder->buffers.items[m->builder->buffers.count - 1].spec;
    spec->name = name_between(m, place);
    if (spec->size != sized->size) {
        spec->size = sized->size;
        spec->shape_count = 0;
        spec->asked = 0;
    }
    spec->has_first = spec->has_last = false;
    spec->piece_count = 0;
    if (like->planned && !move_given_accesses(m, twin, spec)) {
        return sw_fail_memory(error);
    }
    if (like->planned && !is_implied(m, like, &touched[place], life) && life->count > 0) {
        spec->pieces = life->items; /* as long as the mixture */
        spec->piece_count = life->count;
        if (life->count == 1 && life->items[0].lo == 0 && life->items[0].hi == spec->size) {
            sw_spec_unpiece(spec);
        }
    }
    return true;
}

/* Those of the old side that are still there. */
static bool add_separate(struct mixture *m, struct sw_error *error) {
    const struct sw_problem *old = m->pairing->problems[0];
    bool good = true;
    for (size_t i = 0; good && i < old->separate_count; i++) {
        uint32_t a = m->places[0][old->separate[i][0]], b = m->places[0][old->separate[i][1]];
        good = a == SW_NONE || b == SW_NONE ||
               sw_builder_separate(m->builder, name_between(m, a), name_between(m, b), error);
    }
    return good;
}

static bool fill_builder(struct mixture *m, struct touched *touched, struct sw_error *error) {
    const struct sw_problem *old = m->pairing->problems[0];
    bool good = sw_builder_name(m->builder, old->name, error) &&
                sw_builder_alignment(m->builder, old->alignment, error) &&
                sw_builder_copy_memories(m->builder, old, error);
    for (size_t i = 0; i < m->buffers.count; i++) {
        touched[i] = (struct touched){SW_NONE, SW_NONE, SW_NONE};
    }
    for (size_t i = 0; good && i < m->operators.count; i++) {
        good = add_operator(m, i, touched, error);
    }
    for (size_t i = 0; good && i < m->buffers.count; i++) {
        good = add_between_buffer(m, i, touched, error);
    }
    good = good && add_separate(m, error);
    sw_builder_offsets(m->builder, SW_OFFSETS_PINS);
    sw_builder_inplace(m->builder, old->inplace_safe);
    sw_builder_outside(m->builder, old->outside, old->least_arena, old->more_outside);
    return good;
}

struct sw_problem *sw_problem_between(const struct sw_pairing *pairing, enum sw_due_kind kind, struct sw_error *error) {
    const struct sw_problem *const *p = pairing->problems;
    if (kind >= SW_DUE_REST) {
        return sw_problem_ref(p[1]);
    }
    if (p[0]->core_count > 1 || p[1]->core_count > 1) {
        sw_fail(error, SW_ERROR_UNSUPPORTED, "between two models of several cores there is no third");
        return NULL;
    }
    struct mixture m;
    struct sw_problem *made = NULL;
    struct touched *touched = NULL;
    bool good = mix(&m, pairing, SW_DUE(kind + 1) - 1, false) && find_lives_between(&m);
    if (good) {
        touched = SW_NEW(struct touched, m.buffers.count + 1);
        m.builder = touched ? sw_builder_new(error) : NULL;
    }
    if (!m.builder) {
        sw_fail_memory(error);
    } else if (fill_builder(&m, touched, error)) {
        made = sw_builder_finish(m.builder, error);
    }
    SW_FREE(touched, m.buffers.count + 1);
    unmix(&m);
    return made;
}

/* ---- which kinds of change there are ---- */

static bool same_order(const uint32_t *partners, uint32_t count) {
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (partners[i] != SW_NONE && partners[i] < next) {
            return false;
        }
        next = partners[i] != SW_NONE ? partners[i] : next;
    }
    return true;
}

static uint64_t fold_tiers(const struct sw_problem *problem, uint64_t tiers) {
    uint64_t digest = problem->tier_count;
    for (uint32_t t = 0; t < problem->tier_count; t++) {
        const char *name = problem->tiers[t].name;
        digest = tiers >> t & 1 ? sw_fold_bytes(digest, name, strlen(name)) : digest;
    }
    return digest;
}

/* Of what is neither size, life nor order. */
static uint64_t fold_rest(const struct sw_problem *problem, const struct sw_buffer *b) {
    uint64_t tiers = b->tier == SW_NONE ? b->tiers : UINT64_C(1) << b->tier;
    uint64_t digest = sw_fold(sw_fold(fold_tiers(problem, tiers), b->alignment), b->kind * 2 + b->output);
    digest = sw_fold(sw_fold(digest, b->tier == SW_NONE), b->pinned ? b->offset + 1 : 0);
    return sw_fold(digest, b->has_hint ? b->hint + 1 : 0);
}

static uint64_t fold_memories(const struct sw_problem *problem) {
    uint64_t digest = sw_fold(fold_tiers(problem, UINT64_MAX), problem->core_count);
    for (uint32_t t = 0; t < problem->tier_count; t++) {
        const struct sw_tier *tier = &problem->tiers[t];
        digest = sw_fold_double(sw_fold(digest, tier->capacity), tier->bandwidth);
        digest = sw_fold_double(sw_fold_double(digest, tier->latency), tier->conflict);
    }
    for (size_t i = 0; i < problem->reserved_count; i++) {
        digest = sw_fold(sw_fold(digest, problem->reserved[i].lo), problem->reserved[i].hi);
    }
    digest = sw_fold(sw_fold(digest, problem->reserved_count), problem->unit_count);
    return sw_fold(sw_fold(digest, problem->separate_count), problem->outside);
}

/* What makes operators differ, of those that both sides have. */
static uint64_t fold_between_operator(const struct sw_problem *problem, const struct sw_operator *op) {
    const char *function = op->function == SW_NONE ? "" : problem->functions[op->function].name;
    uint64_t digest = sw_fold(sw_fold_bytes(op->inplace, function, strlen(function)), op->pair_count);
    return sw_fold_bytes(sw_fold(digest, op->dtype), op->kind, strlen(op->kind));
}

static bool rest_differs(const struct sw_pairing *pairing) {
    const struct sw_problem *old = pairing->problems[0], *fresh = pairing->problems[1];
    bool differs = fold_memories(old) != fold_memories(fresh) || old->inplace_safe != fresh->inplace_safe;
    for (uint32_t a = 0; !differs && a < old->buffer_count; a++) {
        uint32_t b = pairing->buffers[0][a];
        differs = b != SW_NONE && old->buffers[a].planned &&
                  fold_rest(old, &old->buffers[a]) != fold_rest(fresh, &fresh->buffers[b]);
    }
    for (uint32_t a = 0; !differs && a < old->operator_count; a++) {
        uint32_t b = pairing->operators[0][a];
        differs = b != SW_NONE &&
                  fold_between_operator(old, &old->operators[a]) != fold_between_operator(fresh, &fresh->operators[b]);
    }
    return differs;
}

static bool lives_differ(const struct sw_pairing *pairing, bool *differ) {
    struct mixture m;
    bool good = mix(&m, pairing, 0, true);
    for (size_t i = 0; good && !*differ && i < m.buffers.count; i++) {
        struct twin twin = m.buffers.items[i];
        struct life_list a = {0}, b = {0};
        if (twin.of[0] == SW_NONE || twin.of[1] == SW_NONE || !pairing->problems[0]->buffers[twin.of[0]].planned) {
            continue;
        }
        uint64_t size = pairing->problems[1]->buffers[twin.of[1]].size;
        good =
            life_between(&m, SW_SIDE_OLD, twin.of[0], size, &a) && life_between(&m, SW_SIDE_NEW, twin.of[1], size, &b);
        *differ = good && !lives_alike(&a, &b);
        SW_ARRAY_DONE(&a, &b);
    }
    unmix(&m);
    return good;
}

bool sw_between_kinds(const struct sw_pairing *pairing, unsigned *kinds) {
    const struct sw_problem *old = pairing->problems[0], *fresh = pairing->problems[1];
    bool lives = false, good = lives_differ(pairing, &lives);
    *kinds = (lives ? SW_DUE(SW_DUE_LIVES) : 0) | (rest_differs(pairing) ? SW_DUE(SW_DUE_REST) : 0);
    if (!same_order(pairing->operators[0], old->operator_count) ||
        !same_order(pairing->buffers[0], old->buffer_count)) {
        *kinds |= SW_DUE(SW_DUE_ORDER);
    }
    for (uint32_t a = 0; a < old->buffer_count; a++) {
        uint32_t b = pairing->buffers[0][a];
        if (old->buffers[a].planned) {
            *kinds |= b == SW_NONE                                     ? SW_DUE(SW_DUE_WENT)
                      : old->buffers[a].size != fresh->buffers[b].size ? SW_DUE(SW_DUE_SIZES)
                                                                       : 0;
        }
    }
    for (uint32_t b = 0; b < fresh->buffer_count; b++) {
        *kinds |= fresh->buffers[b].planned && pairing->buffers[1][b] == SW_NONE ? SW_DUE(SW_DUE_CAME) : 0;
    }
    return good;
}
