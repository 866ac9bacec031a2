/* Second stage of building: time, lifetimes and accesses (planners.md's conventions, restated in
 * the README of this folder). */
#include "problem/problem_internal.h"
#include "base/base.h"

#include "base/sort.h"

/* What the operators say of one buffer. */
struct touch {
    uint32_t first_write, first_read, last, count; /* count: accesses */
    uint32_t writer;
};

/* ---- time ---- */

SW_ARRAY_TYPE(time_list, int64_t);

static bool add_interval(struct time_list *times, int64_t first, int64_t last, const struct sw_raw_buffer *raw,
                         struct sw_error *error) {
    if (last == INT64_MAX) {
        return sw_builder_fail(&raw->at, error, raw->spec.name, "buffer %s lives until 2^63", raw->spec.name);
    }
    return (SW_PUSH(times, first) && SW_PUSH(times, last + 1)) || sw_fail_memory(error);
}

/* As numbers without a sign, which order them as they are with the highest bit turned. */
static bool sort_times(struct time_list *times) {
    const uint64_t sign = UINT64_C(1) << 63;
    uint64_t *numbers = (uint64_t *)times->items;
    for (size_t i = 0; i < times->count; i++) {
        numbers[i] ^= sign;
    }
    bool sorted = sw_sort_numbers(numbers, times->count);
    for (size_t i = 0; i < times->count; i++) {
        numbers[i] ^= sign;
    }
    return sorted;
}

/* Without operators the distinct event times are the steps. */
static bool collect_times(const struct sw_builder *builder, const struct sw_problem *problem, struct time_list *times,
                          struct sw_error *error) {
    for (size_t i = 0; i < builder->buffers.count; i++) {
        const struct sw_raw_buffer *raw = &builder->buffers.items[i];
        const struct sw_buffer_spec *spec = &raw->spec;
        if (!problem->buffers[i].planned) {
            continue;
        }
        if (spec->piece_count == 0 && (!spec->has_first || !spec->has_last)) {
            return sw_builder_fail(&raw->at, error, spec->name,
                                   "buffer %s has no lifetime: without operators it needs first "
                                   "and last",
                                   spec->name);
        }
        for (size_t k = 0; k < spec->piece_count; k++) {
            if (!add_interval(times, spec->pieces[k].first, spec->pieces[k].last, raw, error)) {
                return false;
            }
        }
        if (spec->piece_count == 0 && !add_interval(times, spec->first, spec->last, raw, error)) {
            return false;
        }
        for (size_t k = 0; k < spec->access_count; k++) {
            if (!SW_PUSH(times, spec->accesses[k])) {
                return sw_fail_memory(error);
            }
        }
    }
    return true;
}

static bool compress_times(const struct sw_builder *builder, struct sw_problem *problem, struct sw_error *error) {
    struct time_list times = {0};
    bool ok = collect_times(builder, problem, &times, error);
    if (ok && times.count > 0 && !sort_times(&times)) {
        ok = sw_fail_memory(error);
    }
    if (ok && times.count > 0) {
        size_t distinct = 1;
        for (size_t i = 1; i < times.count; i++) {
            if (times.items[i] != times.items[distinct - 1]) {
                times.items[distinct++] = times.items[i];
            }
        }
        problem->times = SW_NEW_IN(&problem->arena, int64_t, distinct);
        if (distinct >= UINT32_MAX / 2) {
            ok = sw_fail(error, SW_ERROR_INPUT, "more than two thousand million event times");
        } else if (!problem->times) {
            ok = sw_fail_memory(error);
        } else {
            memcpy(problem->times, times.items, distinct * sizeof *times.items);
            problem->steps = (uint32_t)distinct - 1;
        }
    }
    SW_ARRAY_DONE(&times);
    return ok;
}

/* Where to look for a time: the range of times is cut into 2^k equal parts, about as many as there
 * are steps, and `part[i]` is the last step that begins before or with part i. Times that are
 * spread evenly are found at once, any others by halving what is left. */
struct time_index {
    uint32_t *part;
    size_t count;
    unsigned shift;
};

static bool time_index_init(struct time_index *index, const struct sw_problem *problem) {
    *index = (struct time_index){0};
    if (!problem->times || problem->steps < 64) {
        return true; /* halving is as good */
    }
    uint64_t range = (uint64_t)problem->times[problem->steps] - (uint64_t)problem->times[0];
    while (range >> index->shift > 2 * (uint64_t)problem->steps) {
        index->shift++;
    }
    index->count = (size_t)(range >> index->shift) + 2;
    index->part = SW_NEW(uint32_t, index->count);
    uint32_t step = 0;
    for (size_t i = 0; index->part && i < index->count; i++) {
        /* Subtract one before the shift, because a part's number times its length may not fit into 64 bits. No
         * two times are the same. */
        while (step + 1 < problem->steps &&
               ((uint64_t)problem->times[step + 1] - (uint64_t)problem->times[0] - 1) >> index->shift < i) {
            step++;
        }
        index->part[i] = step;
    }
    return index->part != NULL;
}

/* The step that covers a raw time; false when none does. */
static bool step_of_time(const struct sw_problem *problem, const struct time_index *index, int64_t time,
                         uint32_t *step) {
    if (!problem->times) {
        *step = (uint32_t)time;
        return time >= 0 && time < problem->steps;
    }
    uint32_t low = 0, high = problem->steps;
    if (high == 0 || time < problem->times[0] || time >= problem->times[high]) {
        return false;
    }
    if (index->part) {
        size_t part = (size_t)(((uint64_t)time - (uint64_t)problem->times[0]) >> index->shift);
        low = index->part[part];
        high = index->part[part + 1] + 1;
    }
    *step = low + (uint32_t)SW_FIRST(i, high - low, problem->times[low + i] > time) - 1;
    return true;
}

static bool need_step(const struct sw_problem *problem, const struct time_index *index, const struct sw_raw_buffer *raw,
                      int64_t time, uint32_t *step, struct sw_error *error) {
    return step_of_time(problem, index, time, step) ||
           sw_builder_fail(&raw->at, error, raw->spec.name,
                           "buffer %s speaks of time %lld, but time runs from 0 to %lld", raw->spec.name,
                           (long long)time, (long long)problem->steps - 1);
}

/* ---- what operators touch ---- */

static void touch_buffer(struct touch *touches, uint32_t buffer, uint32_t step, bool writes, bool reads) {
    struct touch *t = &touches[buffer];
    if (writes && t->first_write == SW_NONE) {
        t->first_write = step;
        t->writer = step;
    }
    if (reads && t->first_read == SW_NONE) {
        t->first_read = step;
    }
    t->last = step;
    t->count++;
}

static void touch_buffers(const struct sw_problem *problem, struct touch *touches) {
    for (uint32_t i = 0; i < problem->buffer_count; i++) {
        touches[i] = (struct touch){SW_NONE, SW_NONE, SW_NONE, 0, SW_NONE};
    }
    for (uint32_t step = 0; step < problem->operator_count; step++) {
        const struct sw_operator *op = &problem->operators[step];
        for (uint32_t i = 0; i < op->input_count; i++) {
            touch_buffer(touches, op->inputs[i].buffer, step, false, true);
        }
        for (uint32_t i = 0; i < op->output_count; i++) {
            touch_buffer(touches, op->outputs[i].buffer, step, true, false);
        }
        for (uint32_t i = 0; i < op->scratch_count; i++) {
            touch_buffer(touches, op->scratch[i].buffer, step, true, true);
        }
    }
}

/* Accesses of all buffers that did not list their own: one array, sliced. */
static bool derive_accesses(const struct sw_builder *builder, struct sw_problem *problem,
                            const struct time_index *index, const struct touch *touches, struct sw_error *error) {
    size_t total = 0;
    for (uint32_t i = 0; i < problem->buffer_count; i++) {
        total += touches[i].count;
    }
    uint32_t *all = SW_NEW_IN(&problem->arena, uint32_t, total + 1);
    if (!all) {
        return sw_fail_memory(error);
    }
    uint32_t *at = all;
    for (uint32_t i = 0; i < problem->buffer_count; i++) {
        problem->buffers[i].accesses = at;
        at += touches[i].count;
    }
    for (uint32_t step = 0; step < problem->operator_count; step++) {
        const struct sw_operator *op = &problem->operators[step];
        for (uint32_t i = 0; i < sw_ref_count(op); i++) {
            struct sw_buffer *buffer = &problem->buffers[sw_ref_at(op, i)->buffer];
            all[(size_t)(buffer->accesses - all) + buffer->access_count++] = step;
        }
    }
    for (uint32_t i = 0; i < problem->buffer_count; i++) {
        const struct sw_raw_buffer *raw = &builder->buffers.items[i];
        if (!raw->spec.has_accesses) {
            continue;
        }
        uint32_t *own = SW_NEW_IN(&problem->arena, uint32_t, raw->spec.access_count + 1);
        if (!own) {
            return sw_fail_memory(error);
        }
        for (size_t k = 0; k < raw->spec.access_count; k++) {
            if (!need_step(problem, index, raw, raw->spec.accesses[k], &own[k], error)) {
                return false;
            }
            if (k > 0 && own[k] < own[k - 1]) {
                return sw_builder_fail(&raw->at, error, raw->spec.name,
                                       "the accesses of buffer %s are not in ascending order", raw->spec.name);
            }
        }
        problem->buffers[i].accesses_given = true;
        problem->buffers[i].accesses = own;
        problem->buffers[i].access_count = (uint32_t)raw->spec.access_count;
    }
    return true;
}

/* ---- pieces ---- */

SW_ARRAY_TYPE(piece_list, struct sw_piece);
SW_ARRAY_TYPE(index_list, size_t);
struct time_window {
    uint64_t lo, hi;
    uint32_t since;
};
SW_ARRAY_TYPE(window_list, struct time_window);

SW_BY_FIELDS(compare_pieces, struct sw_piece, SW_UP(first), SW_UP(lo))

/* The union of the windows of the active pieces, which are sorted by lo; touching ones joined. */
static bool windows_at(const struct piece_list *pieces, const struct index_list *active, uint32_t step,
                       struct window_list *windows) {
    windows->count = 0;
    for (size_t i = 0; i < active->count; i++) {
        const struct sw_piece *piece = &pieces->items[active->items[i]];
        struct time_window *last = windows->count ? &windows->items[windows->count - 1] : NULL;
        if (last && piece->lo <= last->hi) {
            last->hi = SW_MAX(piece->hi, last->hi);
        } else if (!SW_PUSH(windows, (struct time_window){piece->lo, piece->hi, step})) {
            return false;
        }
    }
    return true;
}

/* Windows of `open` that `now` does not continue end before `step`; the others keep their
 * beginning. Both are sorted, and the windows of one do not touch. */
static bool close_windows(struct window_list *open, struct window_list *now, uint32_t step, struct piece_list *out) {
    size_t k = 0;
    for (size_t i = 0; i < open->count; i++) {
        struct time_window *window = &open->items[i];
        while (k < now->count && now->items[k].lo < window->lo) {
            k++;
        }
        if (k < now->count && now->items[k].lo == window->lo && now->items[k].hi == window->hi) {
            now->items[k].since = window->since;
        } else if (!SW_PUSH(out, (struct sw_piece){window->since, step - 1, window->lo, window->hi})) {
            return false;
        }
    }
    struct window_list swap = *open;
    *open = *now;
    *now = swap;
    return true;
}

/* Put a piece among the active ones, which stay sorted by lo. */
static bool activate_piece(const struct piece_list *pieces, struct index_list *active, size_t piece) {
    size_t at = SW_FIRST(i, active->count, pieces->items[active->items[i]].lo > pieces->items[piece].lo);
    if (!SW_PUSH(active, piece)) {
        return false;
    }
    memmove(active->items + at + 1, active->items + at, (active->count - 1 - at) * sizeof *active->items);
    active->items[at] = piece;
    return true;
}

/* Bring pieces into the one form in which no two share a step and a byte, so that equal lifetimes
 * are equal lists. A sweep over their edges; the active ones are few in practice. */
static bool normalize_pieces(struct piece_list *pieces, struct piece_list *out) {
    struct window_list open = {0}, now = {0};
    struct index_list active = {0};
    SW_ARRAY(uint32_t) edges = {0};
    qsort(pieces->items, pieces->count, sizeof *pieces->items, compare_pieces);
    bool ok = true;
    for (size_t i = 0; ok && i < pieces->count; i++) {
        ok = SW_PUSH(&edges, pieces->items[i].first) && SW_PUSH(&edges, pieces->items[i].last + 1);
    }
    edges.count = ok ? sw_sort_unique(edges.items, edges.count, sizeof *edges.items, sw_compare_u32) : 0;
    size_t next = 0;
    for (size_t e = 0; ok && e < edges.count; e++) {
        uint32_t step = edges.items[e];
        size_t kept = 0;
        for (size_t i = 0; i < active.count; i++) {
            if (pieces->items[active.items[i]].last >= step) {
                active.items[kept++] = active.items[i];
            }
        }
        active.count = kept;
        while (ok && next < pieces->count && pieces->items[next].first == step) {
            ok = activate_piece(pieces, &active, next);
            next++;
        }
        ok = ok && windows_at(pieces, &active, step, &now) && close_windows(&open, &now, step, out);
    }
    sw_sort(out->items, out->count, sizeof *out->items, compare_pieces);
    SW_ARRAY_DONE(&open, &now, &active, &edges);
    return ok;
}

static bool given_pieces(struct sw_problem *problem, const struct time_index *index, const struct sw_raw_buffer *raw,
                         struct sw_buffer *buffer, struct piece_list *in, struct piece_list *out,
                         struct sw_error *error) {
    in->count = out->count = 0;
    for (size_t i = 0; i < raw->spec.piece_count; i++) {
        const struct sw_piece_spec *spec = &raw->spec.pieces[i];
        struct sw_piece piece = {.lo = spec->lo, .hi = spec->hi};
        if (spec->first > spec->last) {
            return sw_builder_fail(&raw->at, error, raw->spec.name,
                                   "a piece of buffer %s ends at %lld, before it begins at %lld", raw->spec.name,
                                   (long long)spec->last, (long long)spec->first);
        }
        if (spec->lo >= spec->hi || spec->hi > buffer->size) {
            return sw_builder_fail(
                &raw->at, error, raw->spec.name, "a piece of buffer %s has bytes %llu to %llu of %llu", raw->spec.name,
                (unsigned long long)spec->lo, (unsigned long long)spec->hi, (unsigned long long)buffer->size);
        }
        if (!need_step(problem, index, raw, spec->first, &piece.first, error) ||
            !need_step(problem, index, raw, spec->last, &piece.last, error)) {
            return false;
        }
        if (!SW_PUSH(in, piece)) {
            return sw_fail_memory(error);
        }
    }
    if (!normalize_pieces(in, out)) {
        return sw_fail_memory(error);
    }
    bool ok = true;
    buffer->pieces = sw_keep_items(&problem->arena, out->items, out->count, sizeof *out->items, &ok);
    if (!ok) {
        return sw_fail_memory(error);
    }
    buffer->piece_count = (uint32_t)out->count;
    buffer->first = out->items[0].first;
    for (size_t i = 0; i < out->count; i++) {
        buffer->last = SW_MAX(out->items[i].last, buffer->last);
    }
    buffer->lifetime_given = true;
    return true;
}

/* ---- lifetimes ---- */

/* What the operators imply: inputs are born at 0, outputs of the network live to the end whatever their
 * kind, everything else from its first writer (or first use) to its last use. */
static bool implied_lifetime(const struct sw_problem *problem, const struct sw_raw_buffer *raw, const struct touch *t,
                             struct sw_buffer *buffer, struct sw_error *error) {
    if (t->count == 0 && buffer->kind != SW_KIND_INPUT && !(buffer->output && buffer->kind == SW_KIND_CONSTANT)) {
        return sw_builder_fail(&raw->at, error, raw->spec.name,
                               "no operator touches buffer %s, and it has no first and last", raw->spec.name);
    }
    bool produced = t->first_write != SW_NONE;
    if (produced && buffer->kind != SW_KIND_INPUT && t->first_read < t->first_write && !raw->spec.has_first) {
        return sw_builder_fail(
            &raw->at, error, raw->spec.name, "operator %s reads %s, which is first written later, by %s",
            problem->operators[t->first_read].name, raw->spec.name, problem->operators[t->first_write].name);
    }
    buffer->first = buffer->kind == SW_KIND_INPUT ? 0
                    : produced                    ? t->first_write
                    : t->count > 0                ? t->first_read
                                                  : problem->steps - 1;
    buffer->last = buffer->output ? problem->steps - 1 : t->count > 0 ? t->last : 0;
    return true;
}

static bool derive_lifetime(struct sw_problem *problem, const struct time_index *index, const struct sw_raw_buffer *raw,
                            const struct touch *t, struct sw_buffer *buffer, struct sw_error *error) {
    const struct sw_buffer_spec *spec = &raw->spec;
    bool given = spec->has_first && spec->has_last;
    if (!given && !implied_lifetime(problem, raw, t, buffer, error)) {
        return false;
    }
    if ((spec->has_first && !need_step(problem, index, raw, spec->first, &buffer->first, error)) ||
        (spec->has_last && !need_step(problem, index, raw, spec->last, &buffer->last, error))) {
        return false;
    }
    if (buffer->first > buffer->last) {
        return sw_builder_fail(&raw->at, error, spec->name, "buffer %s dies at %lld, before it is born at %lld",
                               spec->name, (long long)sw_problem_time(problem, buffer->last),
                               (long long)sw_problem_time(problem, buffer->first));
    }
    buffer->lifetime_given = spec->has_first || spec->has_last;
    struct sw_piece *piece = SW_NEW_IN(&problem->arena, struct sw_piece, 1);
    if (!piece) {
        return sw_fail_memory(error);
    }
    *piece = (struct sw_piece){buffer->first, buffer->last, 0, buffer->size};
    buffer->pieces = piece;
    buffer->piece_count = 1;
    return true;
}

static bool derive_lifetimes(const struct sw_builder *builder, struct sw_problem *problem,
                             const struct time_index *index, const struct touch *touches, struct sw_error *error) {
    struct piece_list in = {0}, out = {0};
    bool ok = true;
    for (uint32_t i = 0; ok && i < problem->buffer_count; i++) {
        struct sw_buffer *buffer = &problem->buffers[i];
        const struct sw_raw_buffer *raw = &builder->buffers.items[i];
        problem->producers[i] = touches[i].writer;
        if (!buffer->planned) {
            continue;
        }
        if (raw->spec.piece_count > 0) {
            ok = given_pieces(problem, index, raw, buffer, &in, &out, error);
        } else {
            ok = derive_lifetime(problem, index, raw, &touches[i], buffer, error);
        }
    }
    SW_ARRAY_DONE(&in, &out);
    return ok;
}

/* ---- times at which nothing happens ---- */

static void mark_used(const struct sw_problem *problem, bool *used) {
    for (uint32_t b = 0; b < problem->buffer_count; b++) {
        const struct sw_buffer *buffer = &problem->buffers[b];
        for (uint32_t i = 0; i < buffer->piece_count; i++) {
            used[buffer->pieces[i].first] = used[buffer->pieces[i].last + 1] = true;
        }
        for (uint32_t i = 0; buffer->planned && i < buffer->access_count; i++) {
            used[buffer->accesses[i]] = true;
        }
    }
}

/* at[step]: how many of the times up to that step's are used. */
static void renumber_buffers(struct sw_problem *problem, const uint32_t *at) {
    for (uint32_t b = 0; b < problem->buffer_count; b++) {
        struct sw_buffer *buffer = &problem->buffers[b];
        struct sw_piece *pieces = (struct sw_piece *)buffer->pieces;
        uint32_t *accesses = (uint32_t *)buffer->accesses;
        if (!buffer->planned) {
            continue;
        }
        for (uint32_t i = 0; i < buffer->piece_count; i++) {
            pieces[i].first = at[pieces[i].first] - 1;
            pieces[i].last = at[pieces[i].last + 1] - 2;
        }
        for (uint32_t i = 0; i < buffer->access_count; i++) {
            accesses[i] = at[accesses[i]] - 1;
        }
        buffer->first = at[buffer->first] - 1;
        buffer->last = at[buffer->last + 1] - 2;
    }
}

/* Pieces of one buffer that touch, or lie over each other, are one piece in the end, and the times between them are no
 * steps: no file that tells the same lifetimes has them. */
static bool drop_unused_times(struct sw_problem *problem) {
    size_t count = (size_t)problem->steps + 1;
    bool *used = SW_NEW_ZERO(bool, count);
    uint32_t *at = SW_NEW(uint32_t, count), kept = 0;
    bool good = used && at;
    if (good) {
        mark_used(problem, used);
        for (size_t i = 0; i < count; i++) {
            problem->times[kept] = problem->times[i];
            kept += used[i];
            at[i] = kept;
        }
        if (kept < count && kept > 0) {
            renumber_buffers(problem, at);
            problem->steps = kept - 1;
        }
    }
    SW_FREE(used, count);
    SW_FREE(at, count);
    return good;
}

static bool names_pieces(const struct sw_builder *builder) {
    for (size_t i = 0; i < builder->buffers.count; i++) {
        if (builder->buffers.items[i].spec.piece_count > 1) {
            return true;
        }
    }
    return false;
}

/* Is an offset a pin or part of a plan? */
static void derive_pins(const struct sw_builder *builder, struct sw_problem *problem) {
    problem->has_plan = problem->planned_count > 0;
    for (uint32_t i = 0; i < problem->buffer_count; i++) {
        problem->has_plan &= !problem->buffers[i].planned || problem->buffers[i].has_offset;
    }
    problem->offsets_are_plan =
        builder->offsets == SW_OFFSETS_PLAN || (builder->offsets == SW_OFFSETS_PLAN_IF_ALL && problem->has_plan);
    for (uint32_t i = 0; i < problem->buffer_count; i++) {
        struct sw_buffer *buffer = &problem->buffers[i];
        buffer->pinned = buffer->planned && buffer->has_offset && !problem->offsets_are_plan;
    }
}

bool sw_derive(const struct sw_builder *builder, struct sw_problem *problem, struct sw_error *error) {
    /* Intervals are checked before time is made of them. */
    for (size_t i = 0; i < builder->buffers.count; i++) {
        const struct sw_raw_buffer *raw = &builder->buffers.items[i];
        if (raw->spec.has_first && raw->spec.has_last && raw->spec.first > raw->spec.last) {
            return sw_builder_fail(&raw->at, error, raw->spec.name, "buffer %s dies at %lld, before it is born at %lld",
                                   raw->spec.name, (long long)raw->spec.last, (long long)raw->spec.first);
        }
    }
    problem->steps = problem->operator_count;
    if (problem->operator_count == 0 && !compress_times(builder, problem, error)) {
        return false;
    }
    struct touch *touches = SW_NEW(struct touch, problem->buffer_count);
    problem->producers = SW_NEW_IN(&problem->arena, uint32_t, (size_t)problem->buffer_count + 1);
    if (!touches || !problem->producers) {
        SW_FREE(touches, problem->buffer_count);
        return sw_fail_memory(error);
    }
    touch_buffers(problem, touches);
    struct time_index index;
    bool ok = time_index_init(&index, problem) || sw_fail_memory(error);
    ok = ok && derive_lifetimes(builder, problem, &index, touches, error) &&
         derive_accesses(builder, problem, &index, touches, error);
    SW_FREE(index.part, index.count);
    SW_FREE(touches, problem->buffer_count);
    if (ok && problem->times && names_pieces(builder)) {
        ok = drop_unused_times(problem) || sw_fail_memory(error);
    }
    if (ok) {
        derive_pins(builder, problem);
    }
    return ok;
}
