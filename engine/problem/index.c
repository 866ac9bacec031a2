/* Last stage of building: program order, the index over lifetimes, live bytes, bounds and the digest. */
#include "problem/problem_internal.h"
#include "base/base.h"

#include "base/sort.h"

/* A counting sort by first step: stable, so ties stay in listed order. */
static bool build_order(struct sw_problem *problem) {
    problem->order = SW_NEW_IN(&problem->arena, uint32_t, (size_t)problem->planned_count + 1);
    problem->born = SW_NEW_IN(&problem->arena, uint32_t, (size_t)problem->steps + 2);
    if (!problem->order || !problem->born) {
        return false;
    }
    uint32_t *next = problem->born + 1; /* shifted by one while counting */
    for (uint32_t i = 0; i < problem->buffer_count; i++) {
        if (problem->buffers[i].planned) {
            next[problem->buffers[i].first]++;
        }
    }
    for (uint32_t step = 0; step < problem->steps; step++) {
        next[step] += problem->born[step];
    }
    /* born[s] is the start of step s; fill from the back so that it needs no second table */
    for (uint32_t i = problem->buffer_count; i-- > 0;) {
        if (problem->buffers[i].planned) {
            problem->order[--next[problem->buffers[i].first]] = i;
        }
    }
    for (uint32_t step = 0; step < problem->steps; step++) {
        problem->born[step] = next[step];
    }
    problem->born[problem->steps] = problem->planned_count;
    return true;
}

/* Plain: one piece over all bytes, on one core, not kept separate from any buffer and without a permit. */
static bool build_hot(struct sw_problem *problem) {
    problem->rank = SW_NEW_IN(&problem->arena, uint32_t, (size_t)problem->buffer_count + 1);
    problem->hot = SW_NEW_IN(&problem->arena, struct sw_hot, (size_t)problem->planned_count + 1);
    problem->dead = SW_NEW_IN(&problem->arena, uint32_t, (size_t)problem->steps + 2);
    if (!problem->rank || !problem->hot || !problem->dead) {
        return false;
    }
    problem->simple = problem->partner_count == 0 && problem->permit_count == 0;
    problem->oldest = UINT32_MAX;
    memset(problem->rank, 0xff, problem->buffer_count * sizeof *problem->rank);
    for (uint32_t i = 0; i < problem->planned_count; i++) {
        const struct sw_buffer *b = &problem->buffers[problem->order[i]];
        problem->rank[problem->order[i]] = i;
        problem->hot[i] = (struct sw_hot){
            b->first, b->last, b->size, problem->order[i], sw_is_whole(b) && b->size > 0 && problem->core_count == 1,
            b->pinned};
        problem->simple &= !b->pinned && (problem->hot[i].plain || b->size == 0);
        problem->dead[b->last + 1]++;
        if (b->size > 0) {
            problem->youngest = SW_MAX(b->first, problem->youngest);
            problem->oldest = SW_MIN(b->last, problem->oldest);
        }
    }
    for (uint32_t step = 1; step <= problem->steps; step++) {
        problem->dead[step] += problem->dead[step - 1];
    }
    for (size_t i = 0; i < problem->partner_count; i++) {
        problem->hot[problem->rank[problem->partners[i][0]]].plain = false;
    }
    for (size_t i = 0; i < problem->permit_count; i++) {
        problem->hot[problem->rank[problem->permits[i].fresh]].plain = false;
        problem->hot[problem->rank[problem->permits[i].old]].plain = false;
    }
    return true;
}

static bool build_hulls(struct sw_problem *problem) {
    size_t count = problem->planned_count;
    uint64_t *lo = SW_NEW(uint64_t, count), *hi = SW_NEW(uint64_t, count);
    bool ok = lo && hi;
    for (size_t i = 0; ok && i < count; i++) {
        lo[i] = problem->buffers[problem->order[i]].first;
        hi[i] = (uint64_t)problem->buffers[problem->order[i]].last + 1;
    }
    ok = ok && sw_spans_init(&problem->hulls, lo, count);
    if (ok) {
        sw_spans_fill(&problem->hulls, hi);
    }
    SW_FREE(lo, count);
    SW_FREE(hi, count);
    return ok;
}

static bool add_sizes(struct sw_problem *problem, struct sw_error *error) {
    for (uint32_t i = 0; i < problem->buffer_count; i++) {
        const struct sw_buffer *buffer = &problem->buffers[i];
        if (!buffer->planned) {
            continue;
        }
        problem->naive += buffer->size; /* both below 2^62 */
        if (problem->naive > SW_MAX_BYTES) {
            return sw_fail(error, SW_ERROR_INPUT, "the sizes of all buffers up to %s add up to more than 2^61 bytes",
                           buffer->name);
        }
    }
    return true;
}

/* ---- sharing at one step ---- */

/* Take off what permits can save. They come sorted by fresh; a fresh buffer is born at its step, so
 * permits of one step are found by going through the operators' buffers: gather them by step. */
static bool subtract_sharing(struct sw_problem *problem) {
    SW_ARRAY(struct sw_permit) at_step = {0};
    bool ok = true;
    for (uint32_t step = 0; ok && problem->permit_count > 0 && step < problem->steps; step++) {
        at_step.count = 0;
        uint32_t born;
        const uint32_t *list = sw_problem_born(problem, step, &born);
        for (uint32_t i = 0; ok && i < born; i++) {
            size_t at = SW_FIRST(k, problem->permit_count, problem->permits[k].fresh >= list[i]);
            for (; ok && at < problem->permit_count && problem->permits[at].fresh == list[i]; at++) {
                ok = SW_PUSH(&at_step, problem->permits[at]);
            }
        }
        uint64_t saved = 0;
        ok = ok && (at_step.count == 0 || sw_permits_save(problem, at_step.items, at_step.count, &saved));
        problem->profile[step] -= saved;
    }
    SW_ARRAY_DONE(&at_step);
    return ok;
}

void sw_profile_measure(const struct sw_problem *problem, uint64_t *profile) {
    memset(profile, 0, ((size_t)problem->steps + 1) * sizeof *profile);
    for (uint32_t i = 0; i < problem->buffer_count; i++) {
        const struct sw_buffer *buffer = &problem->buffers[i];
        for (uint32_t k = 0; k < buffer->piece_count; k++) {
            const struct sw_piece *piece = &buffer->pieces[k];
            profile[piece->first] += piece->hi - piece->lo;
            profile[piece->last + 1] -= piece->hi - piece->lo; /* wraps; the sum does not */
        }
    }
    for (uint32_t step = 1; step < problem->steps; step++) {
        profile[step] += profile[step - 1];
    }
}

/* Of requests that follow a moment some may get nothing: sure is only what the moment holds, at the first step. */
void sw_bound_by_step(struct sw_problem *problem) {
    problem->bound = problem->bound_step = 0;
    uint32_t sure = sw_problem_goes_on(problem) ? SW_MIN(problem->steps, 1) : problem->steps;
    for (uint32_t step = 0; step < sure; step++) {
        if (problem->profile[step] > problem->bound) {
            problem->bound = problem->profile[step];
            problem->bound_step = step;
        }
    }
}

static bool build_profile(struct sw_problem *problem) {
    problem->profile = SW_NEW_IN(&problem->arena, uint64_t, (size_t)problem->steps + 1);
    if (!problem->profile) {
        return false;
    }
    sw_profile_measure(problem, problem->profile);
    if (!subtract_sharing(problem)) {
        return false;
    }
    sw_bound_by_step(problem);
    return true;
}

/* ---- digest ---- */

static uint64_t fold_text(uint64_t digest, const char *text) {
    return sw_fold_bytes(digest, text, strlen(text));
}

static uint64_t fold_refs(uint64_t digest, const struct sw_ref *refs, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        digest = sw_fold(digest, (uint64_t)refs[i].buffer << 32 | refs[i].member);
    }
    return sw_fold(digest, count);
}

static uint64_t fold_buffer(const struct sw_problem *problem, uint64_t digest, const struct sw_buffer *b) {
    digest = fold_text(digest, b->name);
    digest = sw_fold(digest, (uint64_t)b->kind << 16 | (uint64_t)b->dtype << 8 | b->planned);
    digest = sw_fold(sw_fold(digest, b->size), b->alignment);
    digest = sw_fold(sw_fold(digest, b->tiers), b->tier);
    for (uint32_t i = 0; i < b->shape_count; i++) {
        digest = sw_fold(digest, b->shape[i]);
    }
    for (uint32_t i = 0; i < b->piece_count; i++) {
        digest = sw_fold(digest, (uint64_t)sw_problem_time(problem, b->pieces[i].first));
        digest = sw_fold(digest, (uint64_t)sw_problem_time(problem, b->pieces[i].last + 1));
        digest = sw_fold(sw_fold(digest, b->pieces[i].lo), b->pieces[i].hi);
    }
    for (uint32_t i = 0; i < b->access_count; i++) {
        digest = sw_fold(digest, (uint64_t)sw_problem_time(problem, b->accesses[i]));
    }
    digest = sw_fold(digest, b->has_offset ? b->offset + 1 : 0);
    digest = sw_fold(digest, b->has_hint ? b->hint + 1 : 0);
    digest = b->output && b->kind != SW_KIND_OUTPUT ? sw_fold(digest, b->output) : digest;
    return sw_fold(digest, b->pinned);
}

static uint64_t fold_operator(const struct sw_problem *problem, uint64_t digest, const struct sw_operator *op) {
    digest = fold_text(fold_text(digest, op->name), op->kind);
    digest = fold_text(sw_fold(digest, op->function), problem->cores[op->core]);
    digest = sw_fold(sw_fold(digest, op->dtype), op->inplace);
    digest = fold_refs(digest, op->inputs, op->input_count);
    digest = fold_refs(digest, op->outputs, op->output_count);
    digest = fold_refs(digest, op->scratch, op->scratch_count);
    digest = fold_refs(digest, op->pairs ? op->pairs[0] : NULL, op->pair_count * 2);
    for (uint32_t i = 0; i < op->after_count; i++) {
        digest = sw_fold(digest, op->after[i]);
    }
    if (op->window) { /* else digests are those of before there was the key */
        const struct sw_op_window *w = op->window;
        digest = sw_fold(digest, w->axis);
        for (int i = 0; i < 2; i++) {
            digest = sw_fold(digest, (uint64_t)w->kernel[i] << 32 | w->stride[i]);
            digest = sw_fold(sw_fold(digest, w->dilation[i]), (uint64_t)w->before[i] << 32 | w->after[i]);
        }
        digest = w->told ? sw_fold(digest, 1) : digest;
    }
    digest = op->macs ? sw_fold(digest, op->macs) : digest;
    return digest;
}

static uint64_t digest_problem(const struct sw_problem *problem) {
    uint64_t digest = sw_fold(0, problem->inplace_safe);
    for (uint32_t i = 0; i < problem->tier_count; i++) {
        const struct sw_tier *tier = &problem->tiers[i];
        digest = sw_fold(fold_text(digest, tier->name), tier->capacity);
        digest = sw_fold_double(sw_fold_double(digest, tier->bandwidth), tier->latency);
        digest = sw_fold_double(digest, tier->conflict);
    }
    for (uint32_t i = 0; i < problem->unit_count; i++) {
        const struct sw_unit *unit = &problem->units[i];
        digest = sw_fold(fold_text(digest, unit->name), unit->dedicated);
        digest = sw_fold(sw_fold(digest, unit->dtype), unit->alignment);
        digest = sw_fold(sw_fold(digest, unit->channel_multiple), unit->tiers);
        if (unit->channel_axis != 1) { /* else digests are those of before there was the key */
            digest = sw_fold(digest, (uint64_t)(int64_t)unit->channel_axis);
        }
    }
    for (uint32_t i = 0; i < problem->function_count; i++) {
        digest = fold_text(sw_fold(digest, problem->functions[i].unit), problem->functions[i].name);
    }
    for (uint32_t i = 0; i < problem->buffer_count; i++) {
        digest = fold_buffer(problem, digest, &problem->buffers[i]);
    }
    for (uint32_t i = 0; i < problem->operator_count; i++) {
        digest = fold_operator(problem, digest, &problem->operators[i]);
    }
    for (uint32_t i = 0; i < problem->member_count; i++) {
        const struct sw_member *member = &problem->members[i];
        digest = sw_fold(fold_text(digest, member->name), member->buffer);
        digest = sw_fold(sw_fold(digest, member->lo), member->hi);
    }
    for (size_t i = 0; i < problem->partner_count; i++) {
        digest = sw_fold(digest, (uint64_t)problem->partners[i][0] << 32 | problem->partners[i][1]);
    }
    for (size_t i = 0; i < problem->reserved_count; i++) {
        digest = sw_fold(sw_fold(digest, problem->reserved[i].tier), problem->reserved[i].lo);
        digest = sw_fold(digest, problem->reserved[i].hi);
    }
    return digest;
}

bool sw_index(struct sw_problem *problem, struct sw_error *error) {
    if (!add_sizes(problem, error)) {
        return false;
    }
    if (!build_order(problem) || !build_hot(problem) || !build_hulls(problem) || !build_profile(problem) ||
        !sw_clique_build(problem)) {
        return sw_fail_memory(error);
    }
    problem->digest = digest_problem(problem);
    return true;
}
