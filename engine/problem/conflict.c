/* Which buffers may not share bytes: the one answer for planners, bounds and checks.
 *
 * On one core two buffers conflict when pieces of them share a step. On several cores steps do not order
 * operators of different cores, so the answer comes from happens-before: program order on a core plus
 * `after` edges, closed transitively; a matrix of bits holds it. */
#include "problem/problem_internal.h"
#include "base/base.h"

#include "base/sort.h"

enum { MOST_BUFFERS_ON_CORES = 1 << 15 }; /* the matrix then takes 128 MiB */

/* ---- buffers kept separate ---- */

static int compare_buffer_pairs(const void *a, const void *b) {
    const uint32_t *x = a, *y = b;
    return x[0] != y[0] ? SW_COMPARE(x[0], y[0]) : SW_COMPARE(x[1], y[1]);
}

static bool build_partners(struct sw_problem *problem) {
    size_t count = 0;
    problem->partners = sw_arena_new(&problem->arena, problem->separate_count * 2 + 1, sizeof *problem->partners);
    if (!problem->partners) {
        return false;
    }
    for (size_t i = 0; i < problem->separate_count; i++) {
        uint32_t a = problem->separate[i][0], b = problem->separate[i][1];
        if (!problem->buffers[a].planned || !problem->buffers[b].planned) {
            continue;
        }
        memcpy(problem->partners[count++], (uint32_t[2]){a, b}, sizeof(uint32_t[2]));
        memcpy(problem->partners[count++], (uint32_t[2]){b, a}, sizeof(uint32_t[2]));
    }
    problem->partner_count = sw_sort_unique(problem->partners, count, sizeof *problem->partners, compare_buffer_pairs);
    return true;
}

/* Does the problem ask for them to be kept apart, whatever else is true of them? O(log n). */
static bool kept_separate(const struct sw_problem *problem, uint32_t a, uint32_t b) {
    if (problem->partner_count == 0) {
        return false;
    }
    uint32_t key[2] = {a, b};
    return bsearch(key, problem->partners, problem->partner_count, sizeof *problem->partners, compare_buffer_pairs) !=
           NULL;
}

/* ---- pieces ---- */

static bool hulls_meet(const struct sw_buffer *a, const struct sw_buffer *b) {
    return a->first <= b->last && b->first <= a->last;
}

static bool pieces_meet(const struct sw_piece *a, const struct sw_piece *b) {
    return a->first <= b->last && b->first <= a->last;
}

static bool covers_all(const struct sw_piece *piece, const struct sw_buffer *buffer) {
    return piece->lo == 0 && piece->hi == buffer->size;
}

/* The first step at which a piece of each holds something, or SW_NONE; `covering`: pieces of all bytes of their buffer
 * only. That step is always the first one of a piece. Pieces are sorted by it, so that one walk through both lists is
 * enough. */
static uint32_t first_common(const struct sw_buffer *a, const struct sw_buffer *b, bool covering) {
    const struct sw_buffer *of[2] = {a, b};
    uint32_t at[2] = {0, 0};
    uint64_t end[2] = {0, 0}; /* behind the last step of the pieces so far */
    while (at[0] < a->piece_count || at[1] < b->piece_count) {
        bool second =
            at[0] == a->piece_count || (at[1] < b->piece_count && b->pieces[at[1]].first < a->pieces[at[0]].first);
        const struct sw_piece *piece = &of[second]->pieces[at[second]++];
        if (covering && !covers_all(piece, of[second])) {
            continue;
        }
        if (piece->first < end[!second]) {
            return piece->first;
        }
        end[second] = SW_MAX((uint64_t)piece->last + 1, end[second]);
    }
    return SW_NONE;
}

uint32_t sw_pieces_first_common(const struct sw_buffer *a, const struct sw_buffer *b) {
    return first_common(a, b, false);
}

/* By pieces alone: NONE, WHOLE or WINDOWS. */
static enum sw_conflict conflict_by_step(const struct sw_buffer *a, const struct sw_buffer *b) {
    if (!hulls_meet(a, b)) {
        return SW_CONFLICT_NONE;
    }
    if (sw_is_whole(a) && sw_is_whole(b)) {
        return SW_CONFLICT_WHOLE;
    }
    return first_common(a, b, false) == SW_NONE  ? SW_CONFLICT_NONE
           : first_common(a, b, true) == SW_NONE ? SW_CONFLICT_WINDOWS
                                                 : SW_CONFLICT_WHOLE;
}

/* ---- several cores ---- */

/* Row j of `before`: the operators that happen before operator j. */
static bool build_before(struct sw_problem *problem) {
    uint32_t count = problem->operator_count;
    size_t words = problem->before_words = ((size_t)count + 63) / 64;
    uint64_t *before = problem->before = sw_mem_new_zero((size_t)count * words, sizeof *before);
    uint32_t *latest = SW_NEW(uint32_t, problem->core_count);
    if (!before || !latest) {
        SW_FREE(latest, problem->core_count);
        return false;
    }
    memset(latest, 0xff, problem->core_count * sizeof *latest); /* SW_NONE */
    for (uint32_t j = 0; j < count; j++) {
        const struct sw_operator *op = &problem->operators[j];
        uint64_t *row = before + j * words;
        for (uint32_t i = 0; i <= op->after_count; i++) {
            uint32_t earlier = i < op->after_count ? op->after[i] : latest[op->core];
            if (earlier == SW_NONE) {
                continue;
            }
            for (size_t w = 0; w < words; w++) {
                row[w] |= before[earlier * words + w];
            }
            row[earlier / 64] |= UINT64_C(1) << (earlier % 64);
        }
        latest[op->core] = j;
    }
    SW_FREE(latest, problem->core_count);
    return true;
}

bool sw_problem_ordered(const struct sw_problem *problem, uint32_t earlier, uint32_t later) {
    return problem->before ? sw_bit_is_set(problem->before + later * problem->before_words, earlier) : earlier < later;
}

/* For every buffer the list of operators that touch it (its accesses may have been given). */
struct touching_pieces {
    uint32_t *start; /* buffer_count + 1 */
    uint32_t *steps;
    struct sw_arena arena; /* of both */
};

static bool touching_init(const struct sw_problem *problem, struct touching_pieces *touching) {
    size_t buffers = problem->buffer_count, total = 0;
    for (uint32_t i = 0; i < problem->operator_count; i++) {
        total += sw_ref_count(&problem->operators[i]);
    }
    touching->start = SW_NEW_IN(&touching->arena, uint32_t, buffers + 1);
    touching->steps = SW_NEW_IN(&touching->arena, uint32_t, total);
    if (!touching->start || !touching->steps) {
        return false;
    }
    for (uint32_t step = 0; step < problem->operator_count; step++) {
        for (uint32_t i = 0; i < sw_ref_count(&problem->operators[step]); i++) {
            touching->start[sw_ref_at(&problem->operators[step], i)->buffer]++;
        }
    }
    for (size_t b = 1; b <= buffers; b++) {
        touching->start[b] += touching->start[b - 1]; /* the end of each list, and then, filled from there, its start */
    }
    for (uint32_t step = problem->operator_count; step-- > 0;) {
        for (uint32_t i = sw_ref_count(&problem->operators[step]); i-- > 0;) {
            touching->steps[--touching->start[sw_ref_at(&problem->operators[step], i)->buffer]] = step;
        }
    }
    return true;
}

/* Does every operator touching x happen before every operator in `common`'s intersection? */
static bool all_before(const struct touching_pieces *touching, uint32_t x, const uint64_t *common) {
    for (uint32_t i = touching->start[x]; i < touching->start[x + 1]; i++) {
        if (!sw_bit_is_set(common, touching->steps[i])) {
            return false;
        }
    }
    return true;
}

/* Mark in row y of `before_y`: buffers that are finished before y begins. */
static void mark_finished(struct sw_problem *problem, const struct touching_pieces *touching, uint64_t *common,
                          uint32_t y) {
    size_t words = problem->before_words;
    const struct sw_buffer *buffer = &problem->buffers[y];
    if (buffer->kind == SW_KIND_INPUT || touching->start[y] == touching->start[y + 1]) {
        return; /* nothing is finished before the host has written the inputs */
    }
    memset(common, 0xff, words * sizeof *common);
    for (uint32_t i = touching->start[y]; i < touching->start[y + 1]; i++) {
        const uint64_t *row = problem->before + touching->steps[i] * words;
        for (size_t w = 0; w < words; w++) {
            common[w] &= row[w];
        }
    }
    for (uint32_t x = 0; x < problem->buffer_count; x++) {
        bool lasts = problem->buffers[x].output || touching->start[x] == touching->start[x + 1];
        if (!lasts && all_before(touching, x, common)) {
            /* ordered: no conflict; the matrix starts full */
            problem->matrix[x * problem->matrix_words + y / 64] &= ~(UINT64_C(1) << (y % 64));
            problem->matrix[y * problem->matrix_words + x / 64] &= ~(UINT64_C(1) << (x % 64));
        }
    }
}

/* Buffers with a lifetime that the file gave, and buffers that no operator touches, are ordered by their steps. */
static void mark_by_steps(struct sw_problem *problem, const struct touching_pieces *touching) {
    for (uint32_t a = 0; a < problem->buffer_count; a++) {
        const struct sw_buffer *x = &problem->buffers[a];
        bool by_step = x->lifetime_given || touching->start[a] == touching->start[a + 1];
        for (uint32_t b = 0; b < problem->buffer_count; b++) {
            const struct sw_buffer *y = &problem->buffers[b];
            uint64_t *word = &problem->matrix[a * problem->matrix_words + b / 64];
            uint64_t mask = UINT64_C(1) << (b % 64);
            if (a == b || !x->planned || !y->planned || x->size == 0 || y->size == 0) {
                *word &= ~mask;
            } else if (kept_separate(problem, a, b)) {
                *word |= mask;
            } else if (by_step || y->lifetime_given || touching->start[b] == touching->start[b + 1]) {
                *word = conflict_by_step(x, y) != SW_CONFLICT_NONE ? *word | mask : *word & ~mask;
            }
        }
    }
}

static bool build_matrix(struct sw_problem *problem, struct sw_error *error) {
    uint32_t count = problem->buffer_count;
    if (count > MOST_BUFFERS_ON_CORES || problem->operator_count > MOST_BUFFERS_ON_CORES) {
        return sw_fail(error, SW_ERROR_INPUT, "on several cores at most %d buffers and operators can be handled",
                       MOST_BUFFERS_ON_CORES);
    }
    problem->matrix_words = ((size_t)count + 63) / 64;
    problem->matrix = sw_mem_new(count * problem->matrix_words, sizeof *problem->matrix);
    bool ok = build_before(problem);
    uint64_t *common = SW_NEW(uint64_t, problem->before_words);
    struct touching_pieces touching = {0};
    ok = ok && problem->matrix && common && touching_init(problem, &touching);
    if (ok) {
        memset(problem->matrix, 0xff, count * problem->matrix_words * sizeof *problem->matrix);
        for (uint32_t y = 0; y < count; y++) {
            mark_finished(problem, &touching, common, y);
        }
        mark_by_steps(problem, &touching);
        for (uint32_t a = 0; a < count && count % 64; a++) { /* no bits past the end */
            problem->matrix[(a + 1) * problem->matrix_words - 1] &= (UINT64_C(1) << (count % 64)) - 1;
        }
    }
    sw_arena_done(&touching.arena);
    SW_FREE(common, problem->before_words);
    return ok || sw_fail_memory(error);
}

/* ---- permits ---- */

SW_BY_FIELDS(compare_permits, struct sw_permit, SW_UP(fresh), SW_UP(old))

/* Could the operator at `step` write `fresh` over `old` if old died there and fresh was born? It reads old as a whole,
 * and does not write it; it writes fresh as a whole, and does not read it; fresh is not larger. The host reads an
 * output after the run, and a constant in the next one. */
static bool could_overwrite(const struct sw_problem *problem, uint32_t fresh, uint32_t old, uint32_t step) {
    const struct sw_operator *op = &problem->operators[step];
    const struct sw_buffer *f = &problem->buffers[fresh], *o = &problem->buffers[old];
    struct sw_mentions written = sw_refs_mention(op->outputs, op->output_count, fresh);
    return fresh != old && f->planned && o->planned && f->size > 0 && f->size <= o->size && !o->output &&
           o->kind != SW_KIND_CONSTANT && sw_is_whole(f) && sw_is_whole(o) && f->kind != SW_KIND_INPUT &&
           sw_refs_mention(op->inputs, op->input_count, old).part == 0 && !sw_problem_writes(problem, step, old) &&
           written.whole + written.part == 1 && !sw_problem_reads(problem, step, fresh) &&
           !kept_separate(problem, fresh, old);
}

bool sw_may_overwrite(const struct sw_problem *problem, uint32_t fresh, uint32_t old, uint32_t step) {
    return problem->buffers[old].last == step && problem->buffers[fresh].first == step &&
           could_overwrite(problem, fresh, old, step);
}

bool sw_problem_could_overwrite(const struct sw_problem *problem, uint32_t step, uint32_t fresh, uint32_t old) {
    const struct sw_operator *op = &problem->operators[step];
    bool marked = op->inplace == SW_INPLACE_ANY && sw_refs_name(op->inputs, op->input_count, old) &&
                  sw_refs_name(op->outputs, op->output_count, fresh);
    for (uint32_t i = 0; op->inplace == SW_INPLACE_PAIRS && i < op->pair_count; i++) {
        const struct sw_ref *in = &op->pairs[i][0], *out = &op->pairs[i][1];
        marked |= in->buffer == old && out->buffer == fresh && in->member == SW_NONE && out->member == SW_NONE;
    }
    return marked && could_overwrite(problem, fresh, old, step);
}

static bool offer_permit(const struct sw_problem *problem, struct sw_ref in, struct sw_ref out, uint32_t step,
                         struct sw_permit_list *list) {
    return in.member != SW_NONE || out.member != SW_NONE || !sw_may_overwrite(problem, out.buffer, in.buffer, step) ||
           SW_PUSH(list, (struct sw_permit){out.buffer, in.buffer, step});
}

bool sw_permits_at(const struct sw_problem *problem, uint32_t step, struct sw_permit_list *list) {
    const struct sw_operator *op = &problem->operators[step];
    bool ok = true;
    for (uint32_t i = 0; ok && op->inplace == SW_INPLACE_PAIRS && i < op->pair_count; i++) {
        ok = offer_permit(problem, op->pairs[i][0], op->pairs[i][1], step, list);
    }
    for (uint32_t o = 0; op->inplace == SW_INPLACE_ANY && o < op->output_count; o++) {
        for (uint32_t i = 0; ok && i < op->input_count; i++) {
            ok = offer_permit(problem, op->inputs[i], op->outputs[o], step, list);
        }
    }
    return ok;
}

/* On several cores the operator must also come after all other operators that touch `old`, and before all
 * others that touch `fresh`. */
static bool ordered_on_cores(const struct sw_problem *problem, uint32_t buffer, uint32_t step, bool fresh) {
    for (uint32_t i = 0; i < problem->operator_count; i++) {
        if (i != step && (sw_problem_reads(problem, i, buffer) || sw_problem_writes(problem, i, buffer)) &&
            !(fresh ? sw_problem_ordered(problem, step, i) : sw_problem_ordered(problem, i, step))) {
            return false;
        }
    }
    return true;
}

/* What was found out about a buffer at the step of the last permit that names it, as the fresh one and as the old one.
 */
struct ordered_uses {
    uint32_t known_at[2]; /* the step behind it; 0: nothing is known */
    bool is[2];
};

static bool is_ordered(const struct sw_problem *problem, struct ordered_uses *all, uint32_t buffer, uint32_t step,
                       bool fresh) {
    struct ordered_uses *one = &all[buffer];
    if (one->known_at[fresh] != step + 1) {
        one->known_at[fresh] = step + 1;
        one->is[fresh] = ordered_on_cores(problem, buffer, step, fresh);
    }
    return one->is[fresh];
}

/* Leave out what the order of the operators does not make safe. The permits of a step stand together. */
static bool keep_ordered(const struct sw_problem *problem, struct sw_permit_list *list) {
    struct ordered_uses *all = SW_NEW_ZERO(struct ordered_uses, problem->buffer_count);
    size_t kept = 0;
    for (size_t i = 0; all && i < list->count; i++) {
        struct sw_permit permit = list->items[i];
        if (is_ordered(problem, all, permit.old, permit.step, false) &&
            is_ordered(problem, all, permit.fresh, permit.step, true)) {
            list->items[kept++] = permit;
        }
    }
    list->count = kept;
    SW_FREE(all, problem->buffer_count);
    return all != NULL;
}

static bool build_permits(struct sw_problem *problem, struct sw_error *error) {
    struct sw_permit_list list = {0};
    bool ok = true;
    for (uint32_t step = 0; ok && step < problem->operator_count; step++) {
        const struct sw_operator *op = &problem->operators[step];
        uint64_t pairs = op->inplace == SW_INPLACE_ANY ? (uint64_t)op->input_count * op->output_count : op->pair_count;
        if (pairs + list.count > SW_MAX_PERMITS) {
            SW_ARRAY_DONE(&list);
            return sw_fail(error, SW_ERROR_INPUT,
                           "the operators up to %s may write in place in more than %d pairs of buffers", op->name,
                           SW_MAX_PERMITS);
        }
        ok = sw_permits_at(problem, step, &list);
    }
    ok = ok && (problem->core_count == 1 || list.count == 0 || keep_ordered(problem, &list));
    if (ok && list.count > 0) {
        /* An input named twice gives one permit. */
        problem->offer_count = sw_sort_unique(list.items, list.count, sizeof *list.items, compare_permits);
        problem->offers = SW_NEW_IN(&problem->arena, struct sw_permit, problem->offer_count);
        ok = problem->offers != NULL;
        if (ok) {
            memcpy(problem->offers, list.items, problem->offer_count * sizeof *problem->offers);
        }
    }
    SW_ARRAY_DONE(&list);
    return ok || sw_fail_memory(error);
}

static bool permitted(const struct sw_problem *problem, uint32_t a, uint32_t b) {
    if (problem->permit_count == 0) {
        return false;
    }
    struct sw_permit one = {a, b, 0}, other = {b, a, 0};
    return bsearch(&one, problem->permits, problem->permit_count, sizeof one, compare_permits) ||
           bsearch(&other, problem->permits, problem->permit_count, sizeof one, compare_permits);
}

/* ---- how many pieces meet ---- */

/* Pairs among `count` pieces, given by their first and last steps, that share a step. Sorts both. */
static uint64_t meetings(uint32_t *first, uint32_t *last, size_t count) {
    uint64_t pairs = count ? (uint64_t)count * (count - 1) / 2 : 0;
    size_t over = 0;
    sw_sort(first, count, sizeof *first, sw_compare_u32);
    sw_sort(last, count, sizeof *last, sw_compare_u32);
    for (size_t i = 0; i < count; i++) {
        while (last[over] < first[i]) {
            over++;
        }
        pairs -= over;
    }
    return pairs;
}

/* Which pieces of buffers are counted: those of one, of all, or of all that are one piece of all their bytes. */
enum count_of { OF_ONE, OF_ALL, OF_WHOLE };

static uint64_t meetings_of(const struct sw_problem *problem, enum count_of of, uint32_t one, uint32_t *first,
                            uint32_t *last) {
    size_t count = 0;
    for (uint32_t b = of == OF_ONE ? one : 0; b < (of == OF_ONE ? one + 1 : problem->buffer_count); b++) {
        const struct sw_buffer *buffer = &problem->buffers[b];
        for (uint32_t i = 0; i < buffer->piece_count && (of != OF_WHOLE || sw_is_whole(buffer)); i++) {
            first[count] = buffer->pieces[i].first;
            last[count++] = buffer->pieces[i].last;
        }
    }
    return meetings(first, last, count);
}

/* Every pair of pieces of two buffers that share a step may have to be looked at whenever one of the two is placed.
 * Refuse problems in which that would take minutes. Buffers of one piece are compared as a whole and do not count. */
static bool check_meetings(const struct sw_problem *problem, struct sw_error *error) {
    uint64_t pieces = 0, parts = 0;
    uint32_t largest = 0;
    for (uint32_t b = 0; b < problem->buffer_count; b++) {
        const struct sw_buffer *buffer = &problem->buffers[b];
        pieces += buffer->piece_count;
        parts += sw_is_whole(buffer) ? 0 : buffer->piece_count;
        largest = buffer->piece_count > problem->buffers[largest].piece_count ? b : largest;
    }
    if (parts == 0 || pieces * parts <= SW_MAX_MEETINGS) {
        return true;
    }
    uint32_t *first = SW_NEW(uint32_t, pieces), *last = SW_NEW(uint32_t, pieces);
    uint64_t found = 0;
    bool ok = first && last;
    if (ok) {
        found = meetings_of(problem, OF_ALL, 0, first, last) - meetings_of(problem, OF_WHOLE, 0, first, last);
        for (uint32_t b = 0; b < problem->buffer_count; b++) {
            found -= sw_is_whole(&problem->buffers[b]) ? 0 : meetings_of(problem, OF_ONE, b, first, last);
        }
    }
    SW_FREE(first, pieces);
    SW_FREE(last, pieces);
    return !ok                        ? sw_fail_memory(error)
           : found <= SW_MAX_MEETINGS ? true
                                      : sw_fail(error, SW_ERROR_INPUT,
                                                "the pieces of buffers share steps in %llu pairs; at most %d can be "
                                                "handled (%s has the most pieces, %u)",
                                                (unsigned long long)found, SW_MAX_MEETINGS,
                                                problem->buffers[largest].name, problem->buffers[largest].piece_count);
}

bool sw_conflicts_build(struct sw_problem *problem, struct sw_error *error) {
    if (!build_partners(problem)) {
        return sw_fail_memory(error);
    }
    if ((problem->core_count > 1 ? !build_matrix(problem, error) : !check_meetings(problem, error)) ||
        !build_permits(problem, error)) {
        return false;
    }
    problem->permits = problem->inplace_safe ? problem->offers : NULL;
    problem->permit_count = problem->inplace_safe ? problem->offer_count : 0;
    return true;
}

/* ---- the answers ---- */

enum sw_conflict sw_problem_conflict(const struct sw_problem *problem, uint32_t a, uint32_t b) {
    const struct sw_buffer *x = &problem->buffers[a], *y = &problem->buffers[b];
    if (a == b || !x->planned || !y->planned || x->size == 0 || y->size == 0) {
        return SW_CONFLICT_NONE;
    }
    if (permitted(problem, a, b)) {
        return SW_CONFLICT_INPLACE;
    }
    if (problem->matrix) {
        return sw_bit_is_set(problem->matrix + a * problem->matrix_words, b) ? SW_CONFLICT_WHOLE : SW_CONFLICT_NONE;
    }
    if (kept_separate(problem, a, b)) {
        return SW_CONFLICT_WHOLE;
    }
    return conflict_by_step(x, y);
}

static bool push_obstacle(struct sw_obstacles *list, int64_t lo, int64_t hi) {
    return SW_PUSH(list, (struct sw_obstacle){lo, hi});
}

static bool spans_meet(struct sw_span a, struct sw_span b) {
    return a.from <= b.to && b.from <= a.to;
}

/* The steps of a piece that fall into a span; from > to when there are none. */
static struct sw_span clip_piece(const struct sw_piece *piece, struct sw_span span) {
    return (struct sw_span){SW_MAX(piece->first, span.from), piece->last < span.to ? piece->last : span.to};
}

SW_BY_FIELDS(compare_obstacles, struct sw_obstacle, SW_UP(lo))

/* Join those from `from` on that leave no start of a block of this size between them. */
static void join_obstacles(struct sw_obstacles *list, size_t from, int64_t size) {
    size_t kept = from;
    qsort(list->items + from, list->count - from, sizeof *list->items, compare_obstacles);
    for (size_t i = from; i < list->count; i++) {
        struct sw_obstacle now = list->items[i];
        if (now.hi <= now.lo - size) {
            continue; /* forbids nothing */
        }
        struct sw_obstacle *last = kept > from ? &list->items[kept - 1] : NULL;
        if (last && now.lo - size < last->hi) {
            last->hi = SW_MAX(now.hi, last->hi);
        } else {
            list->items[kept++] = now;
        }
    }
    list->count = kept;
}

enum { MOST_APART = 4096 }; /* obstacles of one pair of buffers are joined when they become more */

static bool window_obstacles(const struct sw_buffer *b, struct sw_span b_span, const struct sw_buffer *other,
                             struct sw_span other_span, int64_t offset, struct sw_obstacles *list) {
    size_t from = list->count, most = from + MOST_APART;
    uint32_t over = 0; /* so many pieces of the other end before this one begins, and all that follow */
    for (uint32_t i = 0; i < b->piece_count; i++) {
        const struct sw_piece *p = &b->pieces[i];
        struct sw_span p_span = clip_piece(p, b_span);
        while (over < other->piece_count && other->pieces[over].last < p->first) {
            over++;
        }
        for (uint32_t k = over;
             k < other->piece_count && other->pieces[k].first <= p_span.to && p_span.from <= p_span.to; k++) {
            const struct sw_piece *q = &other->pieces[k];
            struct sw_span q_span = clip_piece(q, other_span);
            if (q_span.from > q_span.to || !spans_meet(p_span, q_span) || p->lo >= p->hi || q->lo >= q->hi) {
                continue;
            }
            /* x + p.lo < offset + q.hi and offset + q.lo < x + p.hi */
            if (!push_obstacle(list, offset + (int64_t)q->lo - (int64_t)p->hi + (int64_t)b->size,
                               offset + (int64_t)q->hi - (int64_t)p->lo)) {
                return false;
            }
        }
        if (list->count > most) {
            join_obstacles(list, from, (int64_t)b->size);
            most = SW_MAX(2 * list->count - from, from + MOST_APART);
        }
    }
    return true;
}

/* Is all that can keep these two apart pieces that meet? Then what kind of conflict they have need not be asked. */
static bool apart_by_pieces(const struct sw_problem *problem, uint32_t a, uint32_t b) {
    const struct sw_buffer *x = &problem->buffers[a], *y = &problem->buffers[b];
    return !problem->matrix && problem->permit_count == 0 && problem->partner_count == 0 && a != b && x->planned &&
           y->planned && x->size > 0 && y->size > 0;
}

bool sw_problem_obstacles(const struct sw_problem *problem, uint32_t b, struct sw_span b_span, uint32_t other,
                          struct sw_span other_span, uint64_t offset, struct sw_obstacles *list) {
    const struct sw_buffer *x = &problem->buffers[b], *y = &problem->buffers[other];
    int64_t lo = (int64_t)offset, hi = lo + (int64_t)y->size;
    if (apart_by_pieces(problem, b, other) && !(sw_is_whole(x) && sw_is_whole(y))) {
        return !hulls_meet(x, y) || window_obstacles(x, b_span, y, other_span, lo, list);
    }
    switch (sw_problem_conflict(problem, b, other)) {
    case SW_CONFLICT_NONE:
        return true;
    case SW_CONFLICT_INPLACE: /* anywhere else but exactly there */
        return push_obstacle(list, lo, lo) && push_obstacle(list, lo + (int64_t)x->size, hi);
    case SW_CONFLICT_WHOLE:
        if (problem->matrix || kept_separate(problem, b, other) ||
            (sw_is_whole(x) && sw_is_whole(y) &&
             spans_meet(clip_piece(&x->pieces[0], b_span), clip_piece(&y->pieces[0], other_span)))) {
            return push_obstacle(list, lo, hi);
        }
        break;
    case SW_CONFLICT_WINDOWS:
        break;
    }
    return window_obstacles(x, b_span, y, other_span, lo, list);
}

bool sw_problem_collide(const struct sw_problem *problem, uint32_t a, uint64_t offset_a, uint32_t b,
                        uint64_t offset_b) {
    const struct sw_buffer *x = &problem->buffers[a], *y = &problem->buffers[b];
    bool extents = offset_a < offset_b + y->size && offset_b < offset_a + x->size;
    if (!extents || (apart_by_pieces(problem, a, b) && !hulls_meet(x, y))) {
        return false;
    }
    switch (apart_by_pieces(problem, a, b) ? SW_CONFLICT_WINDOWS : sw_problem_conflict(problem, a, b)) {
    case SW_CONFLICT_NONE:
        return false;
    case SW_CONFLICT_INPLACE:
        return offset_a != offset_b;
    case SW_CONFLICT_WHOLE:
        return true;
    case SW_CONFLICT_WINDOWS:
        break;
    }
    for (uint32_t i = 0, over = 0; i < x->piece_count; i++) {
        const struct sw_piece *p = &x->pieces[i];
        while (over < y->piece_count && y->pieces[over].last < p->first) {
            over++; /* ends before this piece begins, and all that follow */
        }
        for (uint32_t k = over; k < y->piece_count && y->pieces[k].first <= p->last; k++) {
            const struct sw_piece *q = &y->pieces[k];
            if (pieces_meet(p, q) && offset_a + p->lo < offset_b + q->hi && offset_b + q->lo < offset_a + p->hi) {
                return true;
            }
        }
    }
    return false;
}

/* ---- neighbors ---- */

uint32_t sw_problem_outlives(const struct sw_problem *problem, uint32_t rank, uint32_t end, uint32_t step) {
    return (uint32_t)sw_spans_next(&problem->hulls, rank, end, step);
}

struct sw_neighbors sw_problem_alive(const struct sw_problem *problem, uint32_t first, uint32_t last) {
    size_t end = last == UINT32_MAX ? problem->hulls.count : sw_spans_below(&problem->hulls, (uint64_t)last + 1);
    return (struct sw_neighbors){.problem = problem, .buffer = SW_NONE, .first = first, .end = end};
}

struct sw_neighbors sw_problem_neighbors(const struct sw_problem *problem, uint32_t buffer) {
    const struct sw_buffer *b = &problem->buffers[buffer];
    struct sw_neighbors walk = sw_problem_alive(problem, b->first, b->last);
    walk.buffer = buffer;
    if (!b->planned) {
        walk.stage = 3;
    } else if (problem->matrix) {
        walk.stage = 2;
        walk.word = problem->matrix[buffer * problem->matrix_words];
    }
    return walk;
}

/* Stage 0: buffers with hulls that meet the steps asked for. Stage 1: partners kept separate with hulls that do not
 * meet the buffer's. Stage 2: the row of the matrix. Stage 3: the end. */
uint32_t sw_neighbors_next(struct sw_neighbors *walk) {
    const struct sw_problem *problem = walk->problem;
    while (walk->stage == 0) {
        size_t found = sw_spans_next(&problem->hulls, walk->at, walk->end, walk->first);
        if (found >= walk->end) {
            walk->stage = walk->buffer == SW_NONE ? 3 : 1;
            walk->at = (uint32_t)SW_FIRST(i, problem->partner_count, problem->partners[i][0] >= walk->buffer);
            break;
        }
        walk->at = (uint32_t)found + 1;
        walk->rank = (uint32_t)found;
        if (problem->order[found] != walk->buffer) {
            return problem->order[found];
        }
    }
    while (walk->stage == 1) {
        if (walk->at >= problem->partner_count || problem->partners[walk->at][0] != walk->buffer) {
            walk->stage = 3;
            break;
        }
        uint32_t partner = problem->partners[walk->at++][1];
        if (!hulls_meet(&problem->buffers[walk->buffer], &problem->buffers[partner])) {
            walk->rank = problem->rank[partner];
            return partner;
        }
    }
    while (walk->stage == 2) {
        if (walk->word) {
            uint32_t found = walk->at * 64 + (uint32_t)__builtin_ctzll(walk->word);
            walk->word &= walk->word - 1;
            walk->rank = problem->rank[found];
            return found;
        }
        if (++walk->at >= problem->matrix_words) {
            walk->stage = 3;
            break;
        }
        walk->word = problem->matrix[walk->buffer * problem->matrix_words + walk->at];
    }
    return SW_NONE;
}
